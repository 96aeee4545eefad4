/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decisions.h: the decisions that a plan records. */
#ifndef DSM_PLAN_DECISIONS_H
#define DSM_PLAN_DECISIONS_H

#include "base/arena.h"
#include "plan/plan_internal.h"

/** Decisions of a layer that change nothing. */
dsm_layer_decisions dsm__layer_decisions_none(void);

/** Decisions that change nothing: data parallelism, nothing on chip. Splits are zero. */
dsm__layer_decision dsm__layer_decision_none(void);

/** What was decided for the mapping that a plan predicts: dsm__plan_make makes the same plan of it.
 * Names are borrowed from the plan. False if out of memory. */
bool dsm__decisions_of_plan(const dsm_plan *plan, dsm__arena *arena, dsm__decisions *decisions);

#endif
