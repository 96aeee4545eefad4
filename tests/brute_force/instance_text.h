/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_TEXT_H
#define DSM_TESTS_INSTANCE_TEXT_H

/* JSON written into a fixed buffer, commas included: a key or an element puts the comma before it
 * where one is due. */

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *buffer;
  size_t size;   /* bytes of the buffer */
  size_t length; /* characters written, without the final NUL */
} instance_text;

void instance_text_open(instance_text *text, char bracket);
void instance_text_close(instance_text *text, char bracket);
void instance_text_key(instance_text *text, const char *key); /* NULL: an element of an array */
void instance_text_string(instance_text *text, const char *key, const char *value);
void instance_text_count(instance_text *text, const char *key, size_t value);
void instance_text_real(instance_text *text, const char *key, double value);
void instance_text_null(instance_text *text, const char *key);
void instance_text_bool(instance_text *text, const char *key, bool value);
void instance_text_pair(instance_text *text, const char *key, size_t first, size_t second);

#endif
