/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_facts.h: what those who serve want to know of the plan of a step: how chips share it, and
 * where its time goes. */
#ifndef DSM_SERVE_STEP_FACTS_H
#define DSM_SERVE_STEP_FACTS_H

#include "base/arena.h"
#include "dsm/plan.h"
#include "dsm/serving.h"

/** How chips share the attentions, the other layers and the experts of a step: as in most of the
 * time of each. */
dsm_serving_ways dsm__serving_ways_of(const dsm_plan *plan);

/** The same in words, "attention TP 4 DP 2, experts EP 8"; NULL: out of memory. */
const char *dsm__serving_ways_text(const dsm_serving_ways *ways, dsm__arena *arena);

/** What a step of so many seconds goes to, with what the host adds. */
dsm_serving_parts dsm__serving_parts_of(const dsm_plan *plan, double host_seconds);

#endif
