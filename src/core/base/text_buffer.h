/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_buffer.h: a growable, bounded text that remembers whether it ever failed to grow. */
#ifndef DSM_BASE_TEXT_BUFFER_H
#define DSM_BASE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/** All zero is a valid empty buffer. After a failure it keeps what it has and ignores appends. */
typedef struct dsm__text_buffer {
  char *text;      /**< NUL-terminated once anything was appended; NULL before */
  size_t length;   /**< bytes without the NUL */
  size_t capacity; /**< bytes allocated */
  bool failed;     /**< out of memory, or over DSM__TEXT_BUFFER_MAX */
} dsm__text_buffer;

/** No text of dsm grows beyond this (1 GiB). */
#define DSM__TEXT_BUFFER_MAX ((size_t)1 << 30)

void dsm__text_append(dsm__text_buffer *buffer, const char *text, size_t length);
void dsm__text_puts(dsm__text_buffer *buffer, const char *text);
void dsm__text_printf(dsm__text_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** `count` times the character. */
void dsm__text_repeat(dsm__text_buffer *buffer, char character, size_t count);

/** The text of a buffer, malloc'ed, or NULL (and nothing left to free) if it failed. */
char *dsm__text_finish(dsm__text_buffer *out);

/** Keeps the memory, and none of the text; a failure is forgotten. */
void dsm__text_clear(dsm__text_buffer *buffer);

/** Frees the text and makes the buffer empty again. */
void dsm__text_fini(dsm__text_buffer *buffer);

#endif
