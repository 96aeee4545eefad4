/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_timeline.h: the passes of a step in the order in which it executes them.
 *
 * Forward passes run layer after layer. On the way back each layer runs its update pass and then
 * its backward pass (docs/model.md, section 7). The layers of a pipeline group run together: their
 * forward passes follow each other, then their backward passes, then their update passes, since an
 * update needs the errors that the backward passes of later stages hand over. The cycles of a
 * group's layers are shares that add up to the group's (section 9), so here they stand one after
 * the other although the stages run at the same time.
 */
#ifndef DSM_REPORT_STEP_TIMELINE_H
#define DSM_REPORT_STEP_TIMELINE_H

#include "base/arena.h"
#include "dsm/plan.h"
#include "report/loss.h"

/** One pass of one layer, or of equal layers, where a figure folds them. */
typedef struct dsm__step_span {
  size_t layer;       /**< index in the plan, of several the first */
  size_t layer_count; /**< 1 or more */
  const char *name;   /**< what several are called; NULL: it is one layer, which has a name */
  dsm_pass pass;
  double begin_cycles; /**< from the beginning of the step */
  double cycles;       /**< how long it takes: cycles.total of the pass, for each of its layers */
} dsm__step_span;

/** All passes of a step: each begins where the one before it ends, the last one ends at
 * result.step_cycles (but for the rounding of sums). */
typedef struct dsm__step_timeline {
  const dsm_plan *plan;        /**< borrowed */
  const dsm__step_span *spans; /**< owned by the arena */
  size_t span_count;
} dsm__step_timeline;

/** Derives it; false if out of memory. */
bool dsm__step_timeline_derive(dsm__step_timeline *timeline, const dsm_plan *plan,
                               dsm__arena *arena);

/** The name of a span's layers. */
const char *dsm__step_name(const dsm__step_timeline *timeline, const dsm__step_span *span);

/** Consecutive spans that are drawn or named as one. */
typedef struct dsm__step_column {
  size_t first;
  size_t count;      /**< 1 or more */
  size_t pass_count; /**< of its spans */
  double begin_cycles;
  double cycles;
} dsm__step_column;

/** The column that begins at span `first`, if each is to be wide enough to be seen: none takes less
 * than `least_cycles`; the last of a step may, and one before a span that is wide enough and so
 * gets a column of its own. */
dsm__step_column dsm__step_column_at(const dsm__step_timeline *timeline, size_t first,
                                     double least_cycles);

/** The column of the span `first` and those after it of the same layer. */
dsm__step_column dsm__step_layer_at(const dsm__step_timeline *timeline, size_t first);

/** What the time of a column goes to. */
dsm__time_parts dsm__step_column_parts(const dsm__step_timeline *timeline,
                                       const dsm__step_column *column);

/** What runs as one: a layer, or the layers of a pipeline group. */
typedef struct dsm__step_unit {
  size_t first_layer;
  size_t layer_count; /**< 1 or more */
} dsm__step_unit;

/** The unit that a layer belongs to. */
dsm__step_unit dsm__step_unit_of(const dsm_plan *plan, size_t layer);

#endif
