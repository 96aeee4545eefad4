/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expression.h: expressions of numbers, such as "=3*(hidden + 1)".
 *
 * They have + - * / with the precedence of arithmetic, a minus before a value, parentheses, numbers
 * and names. Of whole numbers divisions are exact, and every result on the way is within 2^53 of 0,
 * so that it is exact as a number of JSON too.
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
typedef bool dsm__expression_finder(void *context, const char *name, double *value,
                                    dsm__expression_flaw *flaw);

/** All numbers from `low` to `high`. */
typedef struct dsm__interval {
  double low;
  double high;
} dsm__interval;

/** The same of a name that has any value of a range. */
typedef bool dsm__expression_range_finder(void *context, const char *name, dsm__interval *range,
                                          dsm__expression_flaw *flaw);

/** What an expression may be of. */
typedef enum dsm__expression_kind {
  DSM__EXPRESSION_WHOLE, /**< whole numbers; names are identifiers */
  DSM__EXPRESSION_REAL   /**< numbers with decimals too, and the value need not be finite; names are
                              paths, identifiers with dots */
} dsm__expression_kind;

/** Is it one? It begins with "=". */
bool dsm__is_expression(const char *text);

/** Is it a name for expressions? A letter or _, then letters, digits and _. */
bool dsm__is_identifier(const char *text);

/** Evaluates an expression, "=" included. False: the flaw says why not. */
bool dsm__expression_value(const char *text, dsm__expression_kind kind,
                           dsm__expression_finder *find, void *context, double *value,
                           dsm__expression_flaw *flaw);

/** A range that has all values of a real expression in it, its names having any of theirs; the
 * value itself where each has one. */
bool dsm__expression_range(const char *text, dsm__expression_range_finder *find, void *context,
                           dsm__interval *range, dsm__expression_flaw *flaw);

#endif
