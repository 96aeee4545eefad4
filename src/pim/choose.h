/* SPDX-License-Identifier: GPL-3.0-or-later */
/* choose.h: the best choice of a training, and the curves through it. */
#ifndef DSM_PIM_CHOOSE_H
#define DSM_PIM_CHOOSE_H

#include "base/arena.h"
#include "dsm/pim.h"

/** Fills the curves through the choice of a plan, and its knee; false if out of memory. */
bool dsm__pim_plan_finish(dsm_pim_plan *plan);

/** Copies a list, ascending and each number once; false if out of memory. */
bool dsm__pim_sorted(const uint64_t **list, size_t *count, dsm__arena *arena);

/** Reports that the memory of a core does not hold its part. DSM_ERROR_INFEASIBLE. */
dsm_status dsm__pim_refuse_memory(const dsm_rl_workload *workload, const dsm_pim_system *system,
                                  uint64_t cores, dsm_diags *diags);

#endif
