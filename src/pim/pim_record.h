/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_record.h: the formats "dsm-rl-workload/1", "dsm-pim-system/1" and "dsm-pim/1", as tables of
 * fields, and how inputs are read into structs that are empty. */
#ifndef DSM_PIM_PIM_RECORD_H
#define DSM_PIM_PIM_RECORD_H

#include "base/record.h"
#include "dsm/pim.h"

extern const dsm__record_type dsm__rl_workload_record; /**< dsm_rl_workload */
extern const dsm__record_type dsm__pim_system_record;  /**< dsm_pim_system */
extern const dsm__record_type dsm__pim_plan_record;    /**< dsm_pim_plan */
extern const dsm__record_type dsm__pim_cost_record;    /**< dsm_pim_cost */
extern const dsm__record_type dsm__pim_figures_record; /**< some of dsm_pim_cost */
extern const dsm__record_type dsm__pim_choice_record;  /**< dsm_pim_choice */
extern const dsm__record_type dsm__pim_options_record; /**< dsm_pim_options */

/** NULL if out of memory. */
dsm_rl_workload *dsm__rl_workload_new(void);
dsm_pim_system *dsm__pim_system_new(void);

/** Read all of a document into an empty struct; what is wrong is reported at the document. */
void dsm__rl_workload_read(dsm_rl_workload *workload, const dsm__json_node *root);
void dsm__pim_system_read(dsm_pim_system *system, const dsm__json_node *root);

#endif
