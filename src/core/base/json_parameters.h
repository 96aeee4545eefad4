/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_parameters.h: named numbers of a document, and expressions of them in place of numbers.
 *
 * While a part of a document is read that has parameters, a string that begins with "=" is a number
 * wherever one is read (json_read.h). A finding at such a number names its value too.
 */
#ifndef DSM_BASE_JSON_PARAMETERS_H
#define DSM_BASE_JSON_PARAMETERS_H

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/json_read.h"

/** How far a parameter has been read. */
typedef enum dsm__parameter_state {
  DSM__PARAMETER_UNREAD = 0,
  DSM__PARAMETER_BEING_READ,
  DSM__PARAMETER_KNOWN,
  DSM__PARAMETER_WRONG /**< which was reported */
} dsm__parameter_state;

typedef struct dsm__parameter {
  const char *name;
  dsm__json_node node;
  dsm__parameter_state state;
  uint64_t value;
} dsm__parameter;

/** An expression that has been read, with its value. */
typedef struct dsm__evaluated {
  const struct cJSON *item;
  int64_t value;
} dsm__evaluated;

/** All zero is empty; what the lists hold is in the document. */
typedef struct dsm__json_parameters {
  dsm__json_node list;
  dsm__parameter *items;
  size_t count;
  bool is_wrong; /**< they are none, or too many, which was reported: any name may be one */
  size_t depth;  /**< of the parameters that are being read, each for the one before */
  DSM__LIST(dsm__evaluated) evaluated;
} dsm__json_parameters;

/** Reads the names in the member "parameters" of an object, where it is there. From now on strings
 * that begin with "=" are numbers in its document, until dsm__json_parameters_close. */
void dsm__json_parameters_open(dsm__json_parameters *parameters, const dsm__json_node *object);

/** The end of what has these parameters: reports those that nothing has read, unless other errors
 * are why. */
void dsm__json_parameters_close(dsm__json_parameters *parameters);

/** Is the node an expression, where these are numbers? */
bool dsm__json_is_expression(const dsm__json_node *node);

/** The hint at a string in place of a number: it may be an expression without its "=". Else NULL.
 */
const char *dsm__json_expression_hint(const dsm__json_node *node);

/** Evaluates such a node; false after a report, here or at a parameter. */
bool dsm__json_evaluate(const dsm__json_node *node, int64_t *value);

/** Appends what the expressions of a node are, `"=3*hidden" is 3072`, to a hint. */
void dsm__json_append_evaluated(const dsm__json_node *node, char *text, size_t size);

#endif
