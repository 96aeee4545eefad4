/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json_keys.h"
#include "base/number_text.h"
#include "base/utf8.h"
#include "dsm/limits.h"

/* What may come next. */
typedef enum expectation {
  EXPECT_VALUE,
  EXPECT_FIRST_ITEM, /* or the end of the list */
  EXPECT_FIRST_KEY,  /* or the end of the object */
  EXPECT_KEY,
  EXPECT_COLON,
  EXPECT_AFTER_VALUE, /* a comma or an end; outside of everything the end of the text */
} expectation;

typedef struct scanner {
  const char *text;
  size_t length;
  size_t at;
  size_t value_count;
  size_t comma; /* offset of the last comma, for the message about trailing ones */
  expectation expected;
  size_t depth;
  char closers[DSM__JSON_MAX_DEPTH];     /* what ends each open container: ']' or '}' */
  uint32_t objects[DSM__JSON_MAX_DEPTH]; /* the number of each that is an object */
  dsm__json_keys keys;
  size_t duplicate_count;
  dsm__json_flaw *flaw;
} scanner;

/* Notes the flaw; always false. */
DSM_PRINTF(3, 4)
static bool flawed(const scanner *scan, size_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  scan->flaw->offset = offset;
  (void)vsnprintf(scan->flaw->message, sizeof scan->flaw->message, format, args);
  va_end(args);
  return false;
}

static bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

/* Bytes of the word (letters, digits, what numbers are made of) at an offset. */
static size_t word_length(const scanner *scan, size_t offset) {
  size_t length = 0;
  while (offset + length < scan->length && is_word_character(scan->text[offset + length])) {
    length++;
  }
  return length;
}

typedef struct found_text {
  char text[96];
} found_text;

static found_text found_word(const scanner *scan, size_t offset) {
  enum { LONGEST_SHOWN = 24 };
  static const char *const not_numbers[] = {"NaN",  "nan",       "Infinity",  "-Infinity",
                                            "-NaN", "+Infinity", "-infinity", "infinity"};
  const char *const word = scan->text + offset;
  const size_t length = word_length(scan, offset);
  found_text found;
  for (size_t i = 0; i < DSM__COUNT_OF(not_numbers); i++) {
    if (strlen(not_numbers[i]) == length && memcmp(not_numbers[i], word, length) == 0) {
      (void)snprintf(found.text, sizeof found.text, "%s, which JSON does not have", not_numbers[i]);
      return found;
    }
  }
  const bool is_cut = length > LONGEST_SHOWN;
  (void)snprintf(found.text, sizeof found.text, "\"%.*s%s\"", is_cut ? LONGEST_SHOWN : (int)length,
                 word, is_cut ? "..." : "");
  return found;
}

/* Describes what stands at an offset, for messages. */
static found_text found_at(const scanner *scan, size_t offset) {
  found_text found = {"the end of the text"};
  if (offset >= scan->length) {
    return found;
  }
  const char *const here = scan->text + offset;
  const size_t size = dsm__utf8_length(here, scan->length - offset);
  const unsigned byte = (unsigned char)*here;
  if (size == 0) {
    (void)snprintf(found.text, sizeof found.text, "byte 0x%02X, which is not UTF-8", byte);
  } else if (size == 3 && memcmp(here, "\xEF\xBB\xBF", 3) == 0) {
    (void)snprintf(found.text, sizeof found.text, "a UTF-8 byte order mark");
  } else if (*here == '\n' || *here == '\r') {
    (void)snprintf(found.text, sizeof found.text, "a line break");
  } else if (*here == '\t') {
    (void)snprintf(found.text, sizeof found.text, "a tab");
  } else if (byte < 0x20 || byte == 0x7F) {
    (void)snprintf(found.text, sizeof found.text, "control character 0x%02X", byte);
  } else if (*here == '"') {
    (void)snprintf(found.text, sizeof found.text, "a string");
  } else if (*here == '\'') {
    (void)snprintf(found.text, sizeof found.text, "a single quote: JSON has only double quotes");
  } else if (*here == '#' ||
             (*here == '/' && offset + 1 < scan->length && (here[1] == '/' || here[1] == '*'))) {
    (void)snprintf(found.text, sizeof found.text, "a comment, which JSON does not have");
  } else if (is_word_character(*here)) {
    return found_word(scan, offset);
  } else {
    (void)snprintf(found.text, sizeof found.text, "\"%.*s\"", (int)size, here);
  }
  return found;
}

static bool flawed_here(const scanner *scan, const char *expected) {
  return flawed(scan, scan->at, "expected %s, found %s", expected, found_at(scan, scan->at).text);
}

/* ---- strings ---- */

/* The value of the four hexadecimal digits at an offset, or -1. */
static int32_t hexadecimal(const scanner *scan, size_t offset) {
  int32_t value = 0;
  for (size_t i = 0; i < 4; i++) {
    const char c = offset + i < scan->length ? scan->text[offset + i] : '\0';
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) {
      return -1;
    }
    value = 16 * value + digit;
  }
  return value;
}

/* At the backslash of \uXXXX; surrogates must come as a pair. */
static bool scan_unicode_escape(scanner *scan) {
  const size_t start = scan->at;
  const int32_t code = hexadecimal(scan, start + 2);
  if (code < 0) {
    return flawed(scan, start, "expected four hexadecimal digits after \\u");
  }
  if (code == 0) {
    return flawed(scan, start, "expected no NUL character in a string, found \\u0000");
  }
  if (code >= 0xDC00 && code <= 0xDFFF) {
    return flawed(scan, start, "expected \\uD800 to \\uDBFF before \\u%04X, found it alone",
                  (unsigned)code);
  }
  scan->at = start + 6;
  if (code < 0xD800 || code > 0xDBFF) {
    return true;
  }
  const bool is_escape = scan->length - scan->at >= 2 && scan->text[scan->at] == '\\' &&
                         scan->text[scan->at + 1] == 'u';
  const int32_t low = is_escape ? hexadecimal(scan, scan->at + 2) : -1;
  if (low < 0xDC00 || low > 0xDFFF) {
    return flawed(scan, start, "expected \\uDC00 to \\uDFFF after \\u%04X, found it alone",
                  (unsigned)code);
  }
  scan->at += 6;
  return true;
}

/* At the backslash. */
static bool scan_escape(scanner *scan) {
  const size_t next = scan->at + 1;
  const char c = next < scan->length ? scan->text[next] : '\0';
  if (c == 'u') {
    return scan_unicode_escape(scan);
  }
  if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL) {
    return flawed(scan, scan->at, "expected one of \" \\ / b f n r t u after a backslash, found %s",
                  c == '"' ? "a quote" : found_at(scan, next).text);
  }
  scan->at += 2;
  return true;
}

/* At the opening quote. */
static bool scan_string(scanner *scan) {
  scan->at++;
  while (scan->at < scan->length && scan->text[scan->at] != '"') {
    const size_t size = dsm__utf8_length(scan->text + scan->at, scan->length - scan->at);
    if (size == 0) {
      return flawed_here(scan, "UTF-8 in a string");
    }
    if ((unsigned char)scan->text[scan->at] < 0x20) {
      return flawed_here(scan, "a closing quote or an escape such as \\n in a string");
    }
    if (scan->text[scan->at] != '\\') {
      scan->at += size;
    } else if (!scan_escape(scan)) {
      return false;
    }
  }
  if (scan->at == scan->length) {
    return flawed_here(scan, "a closing quote");
  }
  scan->at++;
  return true;
}

/* ---- numbers and words ---- */

static bool is_digit_at(const scanner *scan, size_t offset) {
  return offset < scan->length && scan->text[offset] >= '0' && scan->text[offset] <= '9';
}

static void skip_digits(scanner *scan) {
  while (is_digit_at(scan, scan->at)) {
    scan->at++;
  }
}

/* At the minus sign or the first digit. */
static bool scan_number(scanner *scan) {
  const size_t start = scan->at;
  const size_t length = word_length(scan, start);
  const found_text found = found_at(scan, start);
  if (scan->text[scan->at] == '-') {
    scan->at++;
  }
  if (!is_digit_at(scan, scan->at)) {
    return flawed(scan, start, "expected a value, found %s", found.text);
  }
  if (scan->text[scan->at] == '0' && is_digit_at(scan, scan->at + 1)) {
    return flawed(scan, start, "expected a number without leading zeros, found %s", found.text);
  }
  skip_digits(scan);
  if (scan->at < scan->length && scan->text[scan->at] == '.') {
    scan->at++;
    if (!is_digit_at(scan, scan->at)) {
      return flawed(scan, start, "expected a digit after the decimal point, found %s", found.text);
    }
    skip_digits(scan);
  }
  const bool has_exponent =
      scan->at < scan->length && (scan->text[scan->at] == 'e' || scan->text[scan->at] == 'E');
  if (has_exponent) {
    scan->at++;
    if (scan->at < scan->length && (scan->text[scan->at] == '+' || scan->text[scan->at] == '-')) {
      scan->at++;
    }
    if (!is_digit_at(scan, scan->at)) {
      return flawed(scan, start, "expected a digit in the exponent, found %s", found.text);
    }
    skip_digits(scan);
  }
  if (scan->at != start + length) {
    return flawed(scan, start, "expected a number, found %s", found.text);
  }
  if (length > DSM__NUMBER_TOKEN_MAX) {
    return flawed(scan, start, "expected a number of at most %d characters, found one of %zu",
                  DSM__NUMBER_TOKEN_MAX, length);
  }
  double value; /* so short a number is large only by its exponent */
  if (has_exponent && !dsm__text_to_double(scan->text + start, length, &value)) {
    return flawed(scan, start, "expected a number below 1.8e308, found %s", found.text);
  }
  return true;
}

/* true, false or null. */
static bool scan_word(scanner *scan) {
  static const char *const words[] = {"true", "false", "null"};
  const size_t length = word_length(scan, scan->at);
  for (size_t i = 0; i < DSM__COUNT_OF(words); i++) {
    if (strlen(words[i]) == length && memcmp(words[i], scan->text + scan->at, length) == 0) {
      scan->at += length;
      return true;
    }
  }
  return flawed_here(scan, "a value");
}

/* ---- structure ---- */

static char peek(const scanner *scan) {
  return scan->at < scan->length ? scan->text[scan->at] : '\0';
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(scanner *scan) {
  while (scan->at < scan->length && is_space(scan->text[scan->at])) {
    scan->at++;
  }
}

static bool open_container(scanner *scan) {
  if (scan->depth == DSM__JSON_MAX_DEPTH) {
    return flawed(scan, scan->at, "expected at most %d levels of nesting, found more",
                  DSM__JSON_MAX_DEPTH);
  }
  const bool is_object = scan->text[scan->at] == '{';
  scan->objects[scan->depth] = is_object ? dsm__json_keys_open(&scan->keys) : 0;
  scan->closers[scan->depth++] = is_object ? '}' : ']';
  scan->expected = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
  scan->at++;
  return true;
}

static bool close_container(scanner *scan) {
  scan->depth--;
  if (scan->closers[scan->depth] == '}') {
    dsm__json_keys_close(&scan->keys, scan->objects[scan->depth]);
  }
  scan->at++;
  scan->expected = EXPECT_AFTER_VALUE;
  return true;
}

static bool scan_value(scanner *scan) {
  if (scan->value_count == DSM_JSON_VALUES_MAX) {
    return flawed(scan, scan->at, "expected at most %d values, found more", DSM_JSON_VALUES_MAX);
  }
  scan->value_count++;
  const char c = peek(scan);
  if (c == '{' || c == '[') {
    return open_container(scan);
  }
  scan->expected = EXPECT_AFTER_VALUE;
  if (c == '"') {
    return scan_string(scan);
  }
  if (c == '-' || is_digit_at(scan, scan->at)) {
    return scan_number(scan);
  }
  return scan_word(scan);
}

static bool scan_key(scanner *scan) {
  if (peek(scan) != '"') {
    return flawed_here(scan, scan->expected == EXPECT_FIRST_KEY ? "a key in double quotes or \"}\""
                                                                : "a key in double quotes");
  }
  scan->expected = EXPECT_COLON;
  const size_t start = scan->at;
  if (!scan_string(scan)) {
    return false;
  }
  const bool is_new = dsm__json_keys_add(&scan->keys, scan->objects[scan->depth - 1], start);
  if (!is_new && ++scan->duplicate_count > DSM__JSON_DUPLICATES_MAX) {
    return flawed(scan, start,
                  "expected different keys in an object, found more than %d duplicates",
                  DSM__JSON_DUPLICATES_MAX);
  }
  return true;
}

static bool scan_colon(scanner *scan) {
  if (peek(scan) != ':') {
    return flawed_here(scan, "\":\" after the key");
  }
  scan->at++;
  scan->expected = EXPECT_VALUE;
  return true;
}

static bool scan_after_value(scanner *scan) {
  if (scan->depth == 0) {
    return flawed_here(scan, "the end of the text");
  }
  const char closer = scan->closers[scan->depth - 1];
  if (peek(scan) == closer) {
    return close_container(scan);
  }
  if (peek(scan) != ',') {
    return flawed_here(scan, closer == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
  }
  scan->comma = scan->at++;
  skip_space(scan);
  if (peek(scan) == '}' || peek(scan) == ']') {
    return flawed(scan, scan->comma, "expected %s after \",\", found \"%c\"",
                  closer == '}' ? "a key" : "a value", peek(scan));
  }
  scan->expected = closer == '}' ? EXPECT_KEY : EXPECT_VALUE;
  return true;
}

static bool scan_next(scanner *scan) {
  switch (scan->expected) {
  case EXPECT_FIRST_ITEM:
    return peek(scan) == ']' ? close_container(scan) : scan_value(scan);
  case EXPECT_VALUE:
    return scan_value(scan);
  case EXPECT_FIRST_KEY:
    return peek(scan) == '}' ? close_container(scan) : scan_key(scan);
  case EXPECT_KEY:
    return scan_key(scan);
  case EXPECT_COLON:
    return scan_colon(scan);
  case EXPECT_AFTER_VALUE:
    break;
  }
  return scan_after_value(scan);
}

bool dsm__json_text_check(const char *text, size_t length, dsm__json_flaw *flaw) {
  scanner scan = {.text = text,
                  .length = length,
                  .flaw = flaw,
                  .expected = EXPECT_VALUE,
                  .keys = {.text = text, .length = length}};
  bool is_good = true;
  bool is_complete = false;
  while (is_good && !is_complete) {
    skip_space(&scan);
    is_complete = scan.depth == 0 && scan.expected == EXPECT_AFTER_VALUE && scan.at == scan.length;
    is_good = is_complete || scan_next(&scan);
  }
  flaw->has_no_duplicates = scan.duplicate_count == 0 && !scan.keys.is_given_up;
  dsm__json_keys_fini(&scan.keys);
  return is_good;
}
