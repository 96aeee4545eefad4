/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy_rules.h: which layers a strategy can take; searches, judges and notes ask here. */
#ifndef DSM_PLAN_STRATEGY_RULES_H
#define DSM_PLAN_STRATEGY_RULES_H

#include "dsm/plan.h"

/* ---- holding ---- */

/** Why a layer's output cannot be held, a phrase; NULL if it can. */
const char *dsm__held_why_not(const dsm_workload *workload, size_t layer_index);

/* ---- pipelines (section 9) ---- */

/** Can a layer be a stage of some group? */
bool dsm__pipeline_can_be_stage(const dsm_workload *workload, size_t layer_index);

/** Do two layers stand in the same group of the workload, or both in none? */
bool dsm__pipeline_is_same_declared(const dsm_workload *workload, size_t a, size_t b);

/** May a layer and the one after it be in one group? */
bool dsm__pipeline_can_join(const dsm_workload *workload, size_t earlier);

/** The least layers of a group where a run of layers that can join begins: two, or all of a name.
 * 0: no group is there, or the run began before. */
uint64_t dsm__pipeline_least_length(const dsm_workload *workload, size_t first);

#endif
