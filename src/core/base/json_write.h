/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_write.h: the one writer of JSON text. Two-space indentation, keys in the order given, full
 * precision, strings escaped. Small containers can be written on one line.
 */
#ifndef DSM_BASE_JSON_WRITE_H
#define DSM_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text_buffer.h"
#include "base/words.h"

/** All zero but `out` is the start of a document. */
typedef struct dsm__json_writer {
  dsm__text_buffer *out;
  unsigned depth;
  unsigned inline_depth; /**< > 0 while inside a container that is written on one line */
  bool needs_comma;
  bool has_key;                  /**< a key was written and its value is due */
  const dsm__renaming *renaming; /**< of words in records; or NULL */
} dsm__json_writer;

/* Containers. `is_inline`: all of it on one line. */
void dsm__json_begin_object(dsm__json_writer *writer, bool is_inline);
void dsm__json_end_object(dsm__json_writer *writer);
void dsm__json_begin_array(dsm__json_writer *writer, bool is_inline);
void dsm__json_end_array(dsm__json_writer *writer);

void dsm__json_write_key(dsm__json_writer *writer, const char *key);

/* Values: after a key in an object, alone in an array. Doubles must be finite. */
void dsm__json_write_string(dsm__json_writer *writer, const char *value);
void dsm__json_write_u64(dsm__json_writer *writer, uint64_t value);
void dsm__json_write_double(dsm__json_writer *writer, double value);
void dsm__json_write_bool(dsm__json_writer *writer, bool value);
void dsm__json_write_null(dsm__json_writer *writer);

/** The keys of the words whose bits 1 << value are set, as a list on one line. */
void dsm__json_write_word_set(dsm__json_writer *writer, const dsm__words *words, unsigned set);

/** A value that is JSON text already, as it is. */
void dsm__json_write_json(dsm__json_writer *writer, const char *text);

/* Key and value at once. */
void dsm__json_put_string(dsm__json_writer *writer, const char *key, const char *value);
void dsm__json_put_u64(dsm__json_writer *writer, const char *key, uint64_t value);
void dsm__json_put_double(dsm__json_writer *writer, const char *key, double value);
void dsm__json_put_bool(dsm__json_writer *writer, const char *key, bool value);
/* The same, left out where there is nothing to say: NULL, 0, no more than 0, false. */
void dsm__json_put_text(dsm__json_writer *writer, const char *key, const char *value);
void dsm__json_put_count(dsm__json_writer *writer, const char *key, uint64_t value);
void dsm__json_put_amount(dsm__json_writer *writer, const char *key, double value);
void dsm__json_put_flag(dsm__json_writer *writer, const char *key, bool value);
/* A key and the container that begins there. */
void dsm__json_put_object(dsm__json_writer *writer, const char *key, bool is_inline);
void dsm__json_put_array(dsm__json_writer *writer, const char *key, bool is_inline);

/** Ends the document with a newline. */
void dsm__json_finish(dsm__json_writer *writer);

#endif
