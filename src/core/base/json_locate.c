/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_text.h"

#include <string.h>

/* All functions here trust that dsm__json_text_check accepted the text; on any other text they find
 * some offset, but stay within it. */
typedef struct json_text {
  const char *text;
  size_t length;
} json_text;

static char at(json_text json, size_t offset) {
  return offset < json.length ? json.text[offset] : '\0';
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_space(json_text json, size_t offset) {
  while (offset < json.length && is_space(json.text[offset])) {
    offset++;
  }
  return offset;
}

/* From the opening quote to behind the closing one. */
static size_t skip_string(json_text json, size_t offset) {
  offset++;
  while (offset < json.length && json.text[offset] != '"') {
    offset += json.text[offset] == '\\' ? 2 : 1;
  }
  return offset < json.length ? offset + 1 : json.length;
}

static bool ends_scalar(char c) {
  return c == ',' || c == ']' || c == '}' || is_space(c);
}

static size_t skip_scalar(json_text json, size_t offset) {
  if (at(json, offset) == '"') {
    return skip_string(json, offset);
  }
  while (offset < json.length && !ends_scalar(json.text[offset])) {
    offset++;
  }
  return offset;
}

static size_t skip_value(json_text json, size_t offset) {
  if (at(json, offset) != '{' && at(json, offset) != '[') {
    return skip_scalar(json, offset);
  }
  size_t depth = 0;
  while (offset < json.length) {
    const char c = json.text[offset];
    if (c == '"') {
      offset = skip_string(json, offset);
      continue;
    }
    offset++;
    if (c == '{' || c == '[') {
      depth++;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      break;
    }
  }
  return offset;
}

/* From behind a key to its value. */
static size_t skip_colon(json_text json, size_t offset) {
  offset = skip_space(json, offset);
  return skip_space(json, at(json, offset) == ':' ? offset + 1 : offset);
}

/* From behind a value to the next item or key; to the closing bracket if it was the last. */
static size_t skip_comma(json_text json, size_t offset) {
  offset = skip_space(json, offset);
  return at(json, offset) == ',' ? skip_space(json, offset + 1) : offset;
}

/* ---- decoding keys ---- */

/* The value of the four hexadecimal digits at an offset. */
static unsigned long hexadecimal(json_text json, size_t offset) {
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  unsigned long value = 0;
  for (size_t i = 0; i < 4; i++) {
    const char *const digit = memchr(digits, at(json, offset + i), sizeof digits - 1);
    value = 16 * value + (digit == NULL ? 0 : (unsigned long)(digit - digits) % 16);
  }
  return value;
}

/* Writes a code point as UTF-8 and returns its bytes. */
static size_t encode(unsigned long code, char decoded[4]) {
  if (code < 0x80) {
    decoded[0] = (char)code;
    return 1;
  }
  const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned long leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = size - 1; i > 0; i--) {
    decoded[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  decoded[0] = (char)(leads[size] | code);
  return size;
}

/* Decodes the character or escape at *offset, moves on, and returns the bytes (1 .. 4) it means. */
static size_t decode(json_text json, size_t *offset, char decoded[4]) {
  static const char names[] = "bfnrt";
  static const char meanings[] = "\b\f\n\r\t";
  decoded[0] = at(json, *offset);
  if (decoded[0] != '\\') {
    ++*offset;
    return 1;
  }
  const char escape = at(json, *offset + 1);
  if (escape != 'u') {
    const char *const name = memchr(names, escape, sizeof names - 1);
    decoded[0] = name == NULL ? escape : meanings[name - names];
    *offset += 2;
    return 1;
  }
  unsigned long code = hexadecimal(json, *offset + 2);
  *offset += 6;
  if (code >= 0xD800 && code <= 0xDBFF) {
    code = 0x10000 + ((code - 0xD800) << 10) + ((hexadecimal(json, *offset + 2) - 0xDC00) & 0x3FF);
    *offset += 6;
  }
  return encode(code, decoded);
}

/* Is the string between its quotes at `offset`, decoded, equal to key? */
static bool equals(json_text json, size_t offset, const char *key) {
  const size_t end = skip_string(json, offset) - 1;
  const size_t key_length = strlen(key);
  size_t matched = 0;
  for (size_t next = offset + 1; next < end;) {
    char decoded[4];
    const size_t size = decode(json, &next, decoded);
    if (size > key_length - matched || memcmp(key + matched, decoded, size) != 0) {
      return false;
    }
    matched += size;
  }
  return matched == key_length;
}

size_t dsm__json_text_decode(const char *text, size_t length, size_t *offset, char decoded[4]) {
  return decode((json_text){.text = text, .length = length}, offset, decoded);
}

/* ---- walking ---- */

/* Where a value is, and where its finding points to. */
typedef struct spot {
  size_t value; /* offset of the value */
  size_t shown; /* of its key, if it is a member; else of the value */
} spot;

/* Moves to a member of the object at *here; false, *here untouched, if there is none. */
static bool find_member(json_text json, spot *here, const char *key, size_t occurrence) {
  if (at(json, here->value) != '{') {
    return false;
  }
  size_t offset = skip_space(json, here->value + 1);
  size_t seen = 0;
  while (at(json, offset) == '"') {
    const size_t value = skip_colon(json, skip_string(json, offset));
    if (equals(json, offset, key) && seen++ == occurrence) {
      *here = (spot){.value = value, .shown = offset};
      return true;
    }
    offset = skip_comma(json, skip_value(json, value));
  }
  return false;
}

/* The same for an item of the list at *here. */
static bool find_item(json_text json, spot *here, size_t index) {
  if (at(json, here->value) != '[') {
    return false;
  }
  size_t offset = skip_space(json, here->value + 1);
  for (size_t i = 0; offset < json.length && json.text[offset] != ']'; i++) {
    if (i == index) {
      *here = (spot){.value = offset, .shown = offset};
      return true;
    }
    const size_t next = skip_comma(json, skip_value(json, offset));
    if (next == offset) { /* no JSON after all */
      return false;
    }
    offset = next;
  }
  return false;
}

/* Goes down as many steps as exist; returns how many those were. */
static size_t walk(json_text json, const dsm__json_step *steps, size_t count, spot *here) {
  const size_t root = skip_space(json, 0);
  *here = (spot){.value = root, .shown = root};
  for (size_t i = 0; i < count; i++) {
    const bool is_found = steps[i].key != NULL
                              ? find_member(json, here, steps[i].key, steps[i].index)
                              : find_item(json, here, steps[i].index);
    if (!is_found) {
      return i;
    }
  }
  return count;
}

size_t dsm__json_text_locate(const char *text, size_t length, const dsm__json_step *steps,
                             size_t count) {
  spot here;
  (void)walk((json_text){.text = text, .length = length}, steps, count, &here);
  return here.shown;
}

size_t dsm__json_text_scalar(const char *text, size_t length, const dsm__json_step *steps,
                             size_t count, size_t *scalar_length) {
  const json_text json = {.text = text, .length = length};
  spot here;
  *scalar_length = 0;
  if (walk(json, steps, count, &here) == count && at(json, here.value) != '{' &&
      at(json, here.value) != '[') {
    *scalar_length = skip_scalar(json, here.value) - here.value;
  }
  return here.value;
}

void dsm__json_text_position(const char *text, size_t length, size_t offset, size_t *line,
                             size_t *column) {
  const size_t end = offset < length ? offset : length;
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < end; i++) {
    ++*column;
    if (text[i] == '\n') {
      ++*line;
      *column = 1;
    }
  }
}
