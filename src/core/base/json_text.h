/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_text.h: a strict look at JSON text before cJSON sees it, and lines of values afterwards.
 *
 * cJSON accepts more than RFC 8259 (leading zeros, raw control characters, invalid UTF-8, an
 * embedded NUL that cuts a string short) and keeps no positions. So the text is first checked here,
 * where an error has an exact line and column; when a finding about a value is made, the text is
 * walked again to find its line.
 */
#ifndef DSM_BASE_JSON_TEXT_H
#define DSM_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/status.h"

/** Deepest nesting of arrays and objects. */
#define DSM__JSON_MAX_DEPTH 32

/** Keys that come again, before the rest of the text is not read. */
#define DSM__JSON_DUPLICATES_MAX 100

typedef struct dsm__json_flaw {
  size_t offset;          /**< byte offset of the flaw in the text */
  char message[160];      /**< what was expected and what was found */
  bool has_no_duplicates; /**< also where there is no flaw: no object has a key twice */
} dsm__json_flaw;

/**
 * True if text[0 .. length) is one JSON value by RFC 8259, in valid UTF-8, without NUL characters
 * (raw or as \u0000), without lone surrogates, nested at most DSM__JSON_MAX_DEPTH deep, with
 * numbers that are finite as doubles and at most DSM__NUMBER_TOKEN_MAX bytes long, at most
 * DSM_JSON_VALUES_MAX values, and at most DSM__JSON_DUPLICATES_MAX keys that their object has
 * already (which are reported where the document is made). Otherwise false and *flaw tells the
 * first flaw. A UTF-8 byte order mark is a flaw with its own message. NaN, Infinity, comments,
 * single quotes and trailing commas have messages that name them.
 */
bool dsm__json_text_check(const char *text, size_t length, dsm__json_flaw *flaw);

/** Decodes the character or escape at *offset inside a string, moves on, and returns the bytes (1
 * .. 4) that it means. */
size_t dsm__json_text_decode(const char *text, size_t length, size_t *offset, char decoded[4]);

/** 1-based line and byte column of an offset. */
void dsm__json_text_position(const char *text, size_t length, size_t offset, size_t *line,
                             size_t *column);

/** One step of a path: a member of an object (the `occurrence`-th of that name, 0-based, counting
 * duplicates) or an item of an array. */
typedef struct dsm__json_step {
  const char *key; /**< decoded member name, or NULL for an array item */
  size_t index;    /**< item index, or occurrence of the key */
} dsm__json_step;

/**
 * The offset of the value at steps[0 .. count) in text that dsm__json_text_check accepted (for a
 * member: the offset of its key), or of the deepest step that exists.
 */
size_t dsm__json_text_locate(const char *text, size_t length, const dsm__json_step *steps,
                             size_t count);

/**
 * The offset of the number, string or word at steps[0 .. count), and how many bytes it takes, as it
 * is written there. *scalar_length is 0 if there is none.
 */
size_t dsm__json_text_scalar(const char *text, size_t length, const dsm__json_step *steps,
                             size_t count, size_t *scalar_length);

#endif
