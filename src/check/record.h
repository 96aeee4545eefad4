/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h: the two records that a check compares, and how it does. */
#ifndef DSM_CHECK_RECORD_H
#define DSM_CHECK_RECORD_H

#include "base/arena.h"
#include "dsm/check.h"

/** What a plan would record of itself. Borrows names from the plan, the rest is of the arena. False
 * if out of memory. */
bool dsm__record_of_plan(dsm_recorded *record, const dsm_plan *plan, dsm__arena *arena);

/** Fills figures, layers, passes, decisions and verdict of a drift that has its tolerance,
 * minibatches and arena. Copies every text. False if out of memory. */
bool dsm__drift_compare(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after);

/** Are cycles of both equally long? */
bool dsm__is_same_clock(const dsm_recorded *before, const dsm_recorded *after);

/** By how much the step differs; 0 if not by more than the tolerance. */
double dsm__step_difference_seconds(const dsm_drift *drift);

/** Fills the passes of a drift whose step is compared already. False if out of memory. */
bool dsm__drift_list_passes(dsm_drift *drift, const dsm_recorded *before,
                            const dsm_recorded *after);

/** For each layer of `from` the index of that of `to` with the same name, or SIZE_MAX. The arena's;
 * NULL if out of memory. */
const size_t *dsm__layer_partners(const dsm_recorded *from, const dsm_recorded *to,
                                  dsm__arena *arena);

/** A figure before and now, judged by a tolerance. */
dsm_moved dsm__moved_between(double before, double after, double tolerance);

#endif
