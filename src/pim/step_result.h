/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_result.h: a training on cores in memory in the words of plans, for what compares and records
 * those: its step is the whole training, and a sample a transition. */
#ifndef DSM_PIM_STEP_RESULT_H
#define DSM_PIM_STEP_RESULT_H

#include "dsm/pim.h"
#include "dsm/plan.h"

/** Transitions of all data sets. */
uint64_t dsm__pim_samples(const dsm_rl_workload *workload);

/** Cycles a second of a core. */
double dsm__pim_hertz(const dsm_pim_system *system);

/** Bytes of the memory of a core. */
double dsm__pim_core_memory_bytes(const dsm_pim_system *system);

/** What plans have below "result": the kernel is primary, what its dispatch would need if all cores
 * were busy ideal, all transfers are not overlapped; data and table of a core are activations and
 * weights. */
dsm_plan_result dsm__pim_step_result(const dsm_rl_workload *workload, const dsm_pim_system *system,
                                     const dsm_pim_cost *cost);

#endif
