/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conditions.h: which combinations a sweep leaves out: "system.core.scratchpad_MiB < 1, workload =
 * gnmt", "chips_x * chips_y > 64". */
#ifndef DSM_SWEEP_CONDITIONS_H
#define DSM_SWEEP_CONDITIONS_H

#include "sweep/comparison.h"
#include "sweep/sweep_draft.h"

/** What a comparison compares: a column, an expression of columns, or a value. */
typedef struct dsm__side {
  size_t column;          /**< count: no column */
  const char *expression; /**< begins with "="; NULL: none */
  dsm_axis_value value;   /**< of neither */
} dsm__side;

/** A column or an expression compared with another one or with a value. */
typedef struct dsm__term {
  dsm__side left; /**< no value */
  unsigned comparison;
  dsm__side right;
} dsm__term;

/** Terms that must all hold. */
typedef struct dsm__condition {
  dsm__term *terms;
  size_t term_count;
  const char *text; /**< written anew */
} dsm__condition;

/** Reads a condition on the columns of a sweep. False after a report. */
bool dsm__condition_parse(dsm__sweep_draft *draft, const dsm_sweep *sweep,
                          const dsm__condition_draft *from, dsm__condition *condition);

/** Does it hold at a place of the product? No comparison with an expression holds whose value is
 * not finite. */
bool dsm__condition_holds(const dsm__condition *condition, const dsm_sweep *sweep, uint64_t index);

#endif
