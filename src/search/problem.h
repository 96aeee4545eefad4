/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.h: everything that a search of a network on a system works on, in one arena. */
#ifndef DSM_SEARCH_PROBLEM_H
#define DSM_SEARCH_PROBLEM_H

#include "dsm/explore.h"
#include "search/layer_table.h"
#include "search/network.h"

typedef struct dsm__problem {
  const dsm_workload *workload;
  const dsm_explore_options *options;
  dsm_machine machine;
  dsm__layer_table table;
  dsm__network network;
  dsm__arena *arena;
} dsm__problem;

/** Scores all layers and prepares the network. DSM_ERROR_USAGE, DSM_ERROR_OUT_OF_MEMORY; then
 * nothing is to be freed. */
DSM_NODISCARD dsm_status dsm__problem_init(dsm__problem *problem, const dsm_workload *workload,
                                           const dsm_system *system,
                                           const dsm_explore_options *options, dsm_diags *diags);
void dsm__problem_fini(dsm__problem *problem);

#endif
