/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pass_rows.h: the rows of a table of layers and passes, of which equal layers have one together.
 */
#ifndef DSM_REPORT_PASS_ROWS_H
#define DSM_REPORT_PASS_ROWS_H

#include "report/folding.h"

/** A pass of equal layers. */
typedef struct dsm__pass_row {
  size_t layer;     /**< the first of them */
  size_t count;     /**< of layers: 1 or more */
  const char *name; /**< of all of them */
  dsm_pass pass;
  double cycles;         /**< that the pass takes in all of them */
  bool is_first_of_name; /**< the first row of these layers that is shown */
} dsm__pass_row;

/** Rows, in order of the folding's rows and of passes. */
typedef struct dsm__pass_rows {
  dsm__pass_row *items; /**< of the arena */
  size_t count;
  size_t left_out;    /**< passes of layers that are in none of them, counted one by one */
  double left_cycles; /**< what these take */
  bool is_folded;     /**< one of them is of several layers */
} dsm__pass_rows;

/** Those `most` rows that take longest (0: all), of equals the first. False, and no rows, if out of
 * memory. */
bool dsm__pass_rows_find(dsm__pass_rows *rows, const dsm_plan *plan, bool is_unfolded, size_t most,
                         dsm__arena *arena);

#endif
