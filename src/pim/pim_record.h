/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_record.h: the formats "dsm-rl-workload/1", "dsm-pim-system/1" and "dsm-pim/1", as tables of
 * fields, their words, and how inputs are read into structs that are empty; and cores in memory as
 * what points of a sweep are on. */
#ifndef DSM_PIM_PIM_RECORD_H
#define DSM_PIM_PIM_RECORD_H

#include "base/description.h"
#include "base/record.h"
#include "dsm/pim.h"
#include "sweep/machine_kind.h"

extern const dsm__record_type dsm__rl_workload_record; /**< dsm_rl_workload */
extern const dsm__record_type dsm__pim_system_record;  /**< dsm_pim_system */
extern const dsm__record_type dsm__pim_plan_record;    /**< dsm_pim_plan */
extern const dsm__record_type dsm__pim_cost_record;    /**< dsm_pim_cost */
extern const dsm__record_type dsm__pim_figures_record; /**< some of dsm_pim_cost */
extern const dsm__record_type dsm__pim_choice_record;  /**< dsm_pim_choice */
extern const dsm__record_type dsm__pim_options_record; /**< dsm_pim_options */

extern const dsm__record_type dsm__point_pim_record; /**< columns of points; dsm_pim_cost */

extern const dsm__words dsm__rl_algorithm_words;
extern const dsm__words dsm__rl_element_words;
extern const dsm__words dsm__rl_constants_words;
extern const dsm__words dsm__rl_sampling_words;
extern const dsm__words dsm__pim_operation_words;
extern const dsm__words dsm__pim_transfers_words;
extern const dsm__words dsm__pim_bound_words;
extern const dsm__words dsm__pim_objective_words;

extern const dsm__description dsm__rl_workload_description;
extern const dsm__description dsm__pim_system_description;

extern const dsm__machine dsm__pim_machine;

#endif
