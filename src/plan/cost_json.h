/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost_json.h: how splits and costs are written in every JSON output. */
#ifndef DSM_PLAN_COST_JSON_H
#define DSM_PLAN_COST_JSON_H

#include "base/json_write.h"
#include "dsm/plan.h"

/** A member `key` with the five loops. */
void dsm__loops_put(dsm__json_writer *writer, const char *key, const dsm_loops *loops);

/** The member "cycles". */
void dsm__cycles_put(dsm__json_writer *writer, const dsm_cycles *cycles);

/** The members "bound" and "resources": what most of some cycles is spent on, and on what the
 * others. */
void dsm__resources_put(dsm__json_writer *writer, const dsm_resources *resources);

/** The member "groups": cycles of each group that takes any. */
void dsm__groups_put(dsm__json_writer *writer, const double group_cycles[DSM_GROUP_COUNT]);

#endif
