/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expression.h: expressions of whole numbers, such as "=3*(hidden + 1)".
 *
 * They have + - * / with the precedence of arithmetic, a minus before a value, parentheses, whole
 * numbers and names. Divisions are exact, and every result on the way is within 2^53 of 0, so that
 * it is exact as a number of JSON too.
 */
#ifndef DSM_BASE_EXPRESSION_H
#define DSM_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/limits.h"

/** What is wrong with an expression. */
typedef struct dsm__expression_flaw {
  char message[2 * DSM_NAME_BYTES_MAX]; /**< "expected ..., found ..."; "": it was reported */
  char hint[2 * DSM_NAME_BYTES_MAX];    /**< "": none */
} dsm__expression_flaw;

/** Gives the value of a name; false: the flaw, all empty before, says why there is none. */
typedef bool dsm__expression_finder(void *context, const char *name, int64_t *value,
                                    dsm__expression_flaw *flaw);

/** Is it one? It begins with "=". */
bool dsm__is_expression(const char *text);

/** Is it a name for expressions? A letter or _, then letters, digits and _. */
bool dsm__is_identifier(const char *text);

/** Evaluates an expression, "=" included. False: the flaw says why not. */
bool dsm__expression_value(const char *text, dsm__expression_finder *find, void *context,
                           int64_t *value, dsm__expression_flaw *flaw);

#endif
