/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void append(instance_text *text, const char *piece) {
  const size_t length = strlen(piece);
  assert(text->length + length < text->size);
  memcpy(text->buffer + text->length, piece, length + 1);
  text->length += length;
}

void instance_text_open(instance_text *text, const char bracket) {
  append(text, (const char[]){bracket, '\0'});
}

void instance_text_close(instance_text *text, const char bracket) {
  append(text, (const char[]){bracket, '\0'});
}

void instance_text_key(instance_text *text, const char *key) {
  const char last = text->length == 0 ? '{' : text->buffer[text->length - 1];
  if (last != '{' && last != '[') {
    append(text, ",");
  }
  if (key != NULL) {
    append(text, "\"");
    append(text, key);
    append(text, "\":");
  }
}

void instance_text_string(instance_text *text, const char *key, const char *value) {
  instance_text_key(text, key);
  append(text, "\"");
  append(text, value);
  append(text, "\"");
}

void instance_text_count(instance_text *text, const char *key, const size_t value) {
  char digits[32] = "";
  (void)snprintf(digits, sizeof digits, "%zu", value);
  instance_text_key(text, key);
  append(text, digits);
}

void instance_text_real(instance_text *text, const char *key, const double value) {
  char digits[32] = "";
  (void)snprintf(digits, sizeof digits, "%.17g", value);
  instance_text_key(text, key);
  append(text, digits);
}

void instance_text_bool(instance_text *text, const char *key, const bool value) {
  instance_text_key(text, key);
  append(text, value ? "true" : "false");
}

void instance_text_null(instance_text *text, const char *key) {
  instance_text_key(text, key);
  append(text, "null");
}

void instance_text_pair(instance_text *text, const char *key, const size_t first,
                        const size_t second) {
  instance_text_key(text, key);
  instance_text_open(text, '[');
  instance_text_count(text, NULL, first);
  instance_text_count(text, NULL, second);
  instance_text_close(text, ']');
}
