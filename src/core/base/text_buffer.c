/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"

/* Makes room for `more` bytes and a NUL. False, and failed set, if that cannot be. */
static bool reserve(dsm__text_buffer *buffer, size_t more) {
  if (buffer->failed) {
    return false;
  }
  if (more > DSM__TEXT_BUFFER_MAX - buffer->length) {
    buffer->failed = true;
    return false;
  }
  buffer->failed = !dsm__list_has_room((void *)&buffer->text, buffer->length, more + 1,
                                       &buffer->capacity, 1, true, NULL);
  return !buffer->failed;
}

void dsm__text_append(dsm__text_buffer *buffer, const char *text, size_t length) {
  if (!reserve(buffer, length)) {
    return;
  }
  if (length > 0) {
    memcpy(buffer->text + buffer->length, text, length);
  }
  buffer->length += length;
  buffer->text[buffer->length] = '\0';
}

void dsm__text_puts(dsm__text_buffer *buffer, const char *text) {
  dsm__text_append(buffer, text, strlen(text));
}

void dsm__text_printf(dsm__text_buffer *buffer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) {
    buffer->failed = true;
  } else if (reserve(buffer, (size_t)length)) {
    (void)vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
    buffer->length += (size_t)length;
  }
  va_end(again);
}

void dsm__text_repeat(dsm__text_buffer *buffer, char character, size_t count) {
  if (!reserve(buffer, count)) {
    return;
  }
  memset(buffer->text + buffer->length, character, count);
  buffer->length += count;
  buffer->text[buffer->length] = '\0';
}

char *dsm__text_finish(dsm__text_buffer *out) {
  dsm__text_puts(out, ""); /* an empty text is a text too */
  if (!out->failed) {
    return out->text;
  }
  dsm__text_fini(out);
  return NULL;
}

void dsm__text_clear(dsm__text_buffer *buffer) {
  buffer->length = 0;
  buffer->failed = false;
  if (buffer->text != NULL) {
    buffer->text[0] = '\0';
  }
}

void dsm__text_fini(dsm__text_buffer *buffer) {
  free(buffer->text);
  *buffer = (dsm__text_buffer){0};
}
