/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.h: Equations 1 to 3 of docs/pim.md, term by term. Pure functions. */
#ifndef DSM_PIM_KERNEL_H
#define DSM_PIM_KERNEL_H

#include "dsm/pim.h"

/** Equation 1: fills operations, native and instructions of an update. */
void dsm__pim_instructions(dsm_pim_update *update, const dsm_rl_workload *workload,
                           const dsm_pim_system *system);

/** Equation 2, memory: fills the cycles and bytes of an update's accesses to it. */
void dsm__pim_dma(dsm_pim_update *update, const dsm_rl_workload *workload,
                  const dsm_pim_system *system);

/** Equation 2: cycles of an update on average, where so many tasklets of a core share its pipeline,
 * in which each waits `dispatch` cycles from an instruction to the next, and its memory. */
double dsm__pim_cycles(double instructions, double dma_cycles, double dispatch, double tasklets);

/** Does the scratchpad hold no table? Then its elements are accessed in the memory. */
bool dsm__pim_is_table_in_memory(const dsm_rl_workload *workload, const dsm_pim_system *system);

/** Cycles a second of a core, and bytes of its memory. */
double dsm__pim_hertz(const dsm_pim_system *system);
double dsm__pim_core_memory_bytes(const dsm_pim_system *system);

/** Equation 3: episodes between two averages make a round; nothing averages the tables of agents,
 * which have one round. */
double dsm__pim_rounds(const dsm_rl_workload *workload);

/** Equation 3: how long a core takes for so many updates in so many launches. */
double dsm__pim_busy_seconds(const dsm_pim_system *system, double updates, double launches,
                             double cycles);

#endif
