/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drift.h: the two records that a check compares, how it does, and what was asked of two plans,
 * side by side. */
#ifndef DSM_CHECK_DRIFT_H
#define DSM_CHECK_DRIFT_H

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/text_buffer.h"
#include "base/words.h"
#include "check/differences.h"
#include "check/name_pairs.h"
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

/** A pass whose time differs, and its place in order of execution. */
typedef struct dsm__placed_pass {
  dsm_pass_difference difference;
  size_t place;
} dsm__placed_pass;

/** What is found in two records, whose steps are compared already. Lists are the arena's. */
typedef struct dsm__drift_findings {
  dsm__arena *arena;
  dsm_drift *drift;
  const dsm_recorded *before;
  const dsm_recorded *after;
  dsm__alike alike[2];           /**< of the layers of each */
  const dsm__renaming *renaming; /**< of words in texts */
  dsm__text_buffer texts[2];     /**< of the decision that is compared, before and after */
  DSM__LIST(dsm_layer_drift) layers;
  DSM__LIST(dsm_decision_drift) decisions;
  dsm__moved_figures figures;
  DSM__LIST(dsm__placed_pass) passes;
  bool has_failed; /**< out of memory */
} dsm__drift_findings;

/** Adds the passes of a layer, which one side may not have, that are to be listed; `alike` tells
 * whether layers are equal on both sides. */
void dsm__add_passes(dsm__drift_findings *found, dsm__name_pair pair, size_t alike);

/** Gives the drift its passes in order. False if out of memory. */
bool dsm__sort_passes(dsm__drift_findings *found);

/** A figure before and now, judged by a tolerance. */
dsm_moved dsm__moved_between(double before, double after, double tolerance);

/** Lists each value of workload, system and options that differs; list and texts are the arena's.
 * False if out of memory. */
bool dsm__input_differences(const dsm_plan *a, const dsm_plan *b, dsm__arena *arena,
                            const dsm_input_difference **list, size_t *count);

#endif
