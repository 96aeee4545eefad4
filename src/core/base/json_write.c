/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

#define INDENT_BYTES 2

static void break_line(dsm__json_writer *writer) {
  dsm__text_puts(writer->out, "\n");
  dsm__text_repeat(writer->out, ' ', (size_t)writer->depth * INDENT_BYTES);
}

/* What stands before a key, or before a value that has none. */
static void begin_element(dsm__json_writer *writer) {
  if (writer->has_key) {
    writer->has_key = false;
    return;
  }
  if (writer->needs_comma) {
    dsm__text_puts(writer->out, writer->inline_depth > 0 ? ", " : ",");
  }
  if (writer->depth > 0 && writer->inline_depth == 0) {
    break_line(writer);
  }
}

static void begin_container(dsm__json_writer *writer, bool is_inline, const char *bracket) {
  begin_element(writer);
  dsm__text_puts(writer->out, bracket);
  writer->depth++;
  if (is_inline || writer->inline_depth > 0) {
    writer->inline_depth++;
  }
  writer->needs_comma = false;
}

/* An empty container has no line of its own for its end. */
static void end_container(dsm__json_writer *writer, const char *bracket) {
  assert(writer->depth > 0 && !writer->has_key);
  writer->depth--;
  if (writer->inline_depth > 0) {
    writer->inline_depth--;
  } else if (writer->needs_comma) {
    break_line(writer);
  }
  dsm__text_puts(writer->out, bracket);
  writer->needs_comma = true;
}

void dsm__json_begin_object(dsm__json_writer *writer, bool is_inline) {
  begin_container(writer, is_inline, "{");
}

void dsm__json_end_object(dsm__json_writer *writer) {
  end_container(writer, "}");
}

void dsm__json_begin_array(dsm__json_writer *writer, bool is_inline) {
  begin_container(writer, is_inline, "[");
}

void dsm__json_end_array(dsm__json_writer *writer) {
  end_container(writer, "]");
}

/* Writes the character that text starts with, escaped if it must be; a byte that is not UTF-8
 * becomes U+FFFD. Returns the bytes of text used up. */
static size_t write_escaped(dsm__text_buffer *out, const char *text, size_t length) {
  static const char special[] = "\"\\\b\f\n\r\t";
  static const char *const escapes[] = {"\\\"", "\\\\", "\\b", "\\f", "\\n", "\\r", "\\t"};
  const size_t size = dsm__utf8_length(text, length);
  const char *const found = memchr(special, text[0], sizeof special - 1);
  if (size == 0) {
    dsm__text_puts(out, DSM__UTF8_REPLACEMENT);
    return 1;
  }
  if (found != NULL) {
    dsm__text_puts(out, escapes[found - special]);
  } else if ((unsigned char)text[0] < 0x20) {
    dsm__text_printf(out, "\\u%04x", (unsigned)(unsigned char)text[0]);
  } else {
    dsm__text_append(out, text, size);
  }
  return size;
}

static void write_quoted(dsm__text_buffer *out, const char *text) {
  const size_t length = strlen(text);
  dsm__text_puts(out, "\"");
  for (size_t at = 0; at < length;) {
    at += write_escaped(out, text + at, length - at);
  }
  dsm__text_puts(out, "\"");
}

void dsm__json_write_key(dsm__json_writer *writer, const char *key) {
  assert(!writer->has_key);
  begin_element(writer);
  write_quoted(writer->out, key);
  dsm__text_puts(writer->out, ": ");
  writer->has_key = true;
}

/* A value that needs no escapes. */
static void write_plain(dsm__json_writer *writer, const char *text) {
  begin_element(writer);
  dsm__text_puts(writer->out, text);
  writer->needs_comma = true;
}

void dsm__json_write_string(dsm__json_writer *writer, const char *value) {
  begin_element(writer);
  write_quoted(writer->out, value);
  writer->needs_comma = true;
}

void dsm__json_write_u64(dsm__json_writer *writer, uint64_t value) {
  begin_element(writer);
  dsm__text_printf(writer->out, "%" PRIu64, value);
  writer->needs_comma = true;
}

void dsm__json_write_double(dsm__json_writer *writer, double value) {
  assert(isfinite(value));
  char text[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(value, text);
  write_plain(writer, text);
}

void dsm__json_write_bool(dsm__json_writer *writer, bool value) {
  write_plain(writer, value ? "true" : "false");
}

void dsm__json_write_word_set(dsm__json_writer *writer, const dsm__words *words, unsigned set) {
  dsm__json_begin_array(writer, true);
  for (size_t i = 0; i < words->count; i++) {
    if ((set & (1U << i)) != 0) {
      dsm__json_write_string(writer, dsm__word_key(words, i));
    }
  }
  dsm__json_end_array(writer);
}

void dsm__json_write_json(dsm__json_writer *writer, const char *text) {
  write_plain(writer, text);
}

void dsm__json_write_null(dsm__json_writer *writer) {
  write_plain(writer, "null");
}

void dsm__json_put_string(dsm__json_writer *writer, const char *key, const char *value) {
  dsm__json_write_key(writer, key);
  dsm__json_write_string(writer, value);
}

void dsm__json_put_u64(dsm__json_writer *writer, const char *key, uint64_t value) {
  dsm__json_write_key(writer, key);
  dsm__json_write_u64(writer, value);
}

void dsm__json_put_double(dsm__json_writer *writer, const char *key, double value) {
  dsm__json_write_key(writer, key);
  dsm__json_write_double(writer, value);
}

void dsm__json_put_bool(dsm__json_writer *writer, const char *key, bool value) {
  dsm__json_write_key(writer, key);
  dsm__json_write_bool(writer, value);
}

void dsm__json_put_text(dsm__json_writer *writer, const char *key, const char *value) {
  if (value != NULL) {
    dsm__json_put_string(writer, key, value);
  }
}

void dsm__json_put_count(dsm__json_writer *writer, const char *key, uint64_t value) {
  if (value > 0) {
    dsm__json_put_u64(writer, key, value);
  }
}

void dsm__json_put_amount(dsm__json_writer *writer, const char *key, double value) {
  if (value > 0) {
    dsm__json_put_double(writer, key, value);
  }
}

void dsm__json_put_flag(dsm__json_writer *writer, const char *key, bool value) {
  if (value) {
    dsm__json_put_bool(writer, key, true);
  }
}

void dsm__json_put_object(dsm__json_writer *writer, const char *key, bool is_inline) {
  dsm__json_write_key(writer, key);
  dsm__json_begin_object(writer, is_inline);
}

void dsm__json_put_array(dsm__json_writer *writer, const char *key, bool is_inline) {
  dsm__json_write_key(writer, key);
  dsm__json_begin_array(writer, is_inline);
}

void dsm__json_finish(dsm__json_writer *writer) {
  assert(writer->depth == 0 && !writer->has_key);
  dsm__text_puts(writer->out, "\n");
}
