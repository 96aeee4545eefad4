/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drift.h: the two records that a check compares, how it does, and what was asked of two plans,
 * side by side. */
#ifndef DSM_CHECK_DRIFT_H
#define DSM_CHECK_DRIFT_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/check.h"
#include "dsm/diff.h"
#include "plan/alike.h"

extern const dsm__words dsm__verdict_words;
extern const dsm__words dsm__presence_words;

/** What a plan records of itself. Borrowed from the plan. */
dsm_recorded dsm__record_of_plan(const dsm_plan *plan);

/** Fills figures, layers, passes, decisions and verdict of a drift that has its tolerance,
 * minibatches and arena. Copies every text. False if out of memory. */
bool dsm__drift_compare(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after);

/** Are cycles of both equally long? */
bool dsm__is_same_clock(const dsm_recorded *before, const dsm_recorded *after);

/** By how much the step differs; 0 if not by more than the tolerance. */
double dsm__step_difference_seconds(const dsm_drift *drift);

/** The layers of two sides in classes. */
typedef struct dsm__alike_sides {
  dsm__alike before;
  dsm__alike after;
} dsm__alike_sides;

/** What tells whether two layers are equal on both sides: never 0. SIZE_MAX is no layer. */
size_t dsm__alike_number(const dsm__alike_sides *sides, size_t before, size_t after);

/** Fills the passes of a drift whose step is compared already. False if out of memory. */
bool dsm__drift_list_passes(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after,
                            const dsm__alike_sides *sides);

/** For each layer of `from` the index of that of `to` with the same name, or SIZE_MAX. The arena's;
 * NULL if out of memory. */
const size_t *dsm__layer_partners(const dsm_recorded *from, const dsm_recorded *to,
                                  dsm__arena *arena);

/** A figure before and now, judged by a tolerance. */
dsm_moved dsm__moved_between(double before, double after, double tolerance);

/** Lists each value of workload, system and options that differs; list and texts are the arena's.
 * False if out of memory. */
bool dsm__input_differences(const dsm_plan *a, const dsm_plan *b, dsm__arena *arena,
                            const dsm_input_difference **list, size_t *count);

#endif
