/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pass_rows.h: the rows of a table of layers and passes, of which equal layers have one together.
 */
#ifndef DSM_REPORT_PASS_ROWS_H
#define DSM_REPORT_PASS_ROWS_H

#include "report/folding.h"

/** A pass of equal layers; or of layers at one place of a repeated block, whose numbers differ. */
typedef struct dsm__pass_row {
  size_t layer;     /**< the first of them */
  size_t count;     /**< of layers: 1 or more */
  const char *name; /**< of all of them */
  dsm_pass pass;
  double cycles;                     /**< that the pass takes in all of them */
  bool is_first_of_name;             /**< the first row of these layers that is shown */
  size_t fold_row;                   /**< of the folding; of joined rows that of the first */
  const struct dsm__pass_row *parts; /**< of joined rows: these */
  size_t part_count;                 /**< 0: it is one row */
} dsm__pass_row;

/** Rows, in order of the folding's rows and of passes. */
typedef struct dsm__pass_rows {
  dsm__pass_row *items; /**< of the arena */
  size_t count;
  size_t left_out;    /**< passes of layers that are in none of them, counted one by one */
  double left_cycles; /**< what these take */
  bool is_folded;     /**< one of them is of several layers */
  bool is_joined;     /**< one of them is of several rows */
  dsm__folding folding;
} dsm__pass_rows;

/** Those `most` rows that take longest (0: all), of equals the first. False, and no rows, if out of
 * memory. */
bool dsm__pass_rows_find(dsm__pass_rows *rows, const dsm_plan *plan, bool is_unfolded, size_t most,
                         dsm__arena *arena);

/** Joins the rows of each place of blocks that repeat, such as all of encoder.0.ff1, encoder.1.ff1
 * and so on, by names and by what the layers are. False, and the rows as they were, if out of
 * memory. */
bool dsm__pass_rows_join(dsm__pass_rows *rows, const dsm_plan *plan, dsm__arena *arena);

#endif
