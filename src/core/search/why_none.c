/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/why_none.h"

#include <math.h>
#include <stdio.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "plan/segments.h"
#include "search/roles/role_search.h"

dsm_status dsm__report_infeasible(const dsm__problem *problem, const dsm__decisions *decisions,
                                  dsm_diags *diags) {
  const dsm_workload *const workload = problem->inputs.workload;
  dsm_layer_memory *const memory =
      dsm__arena_array(problem->arena, workload->layer_count, sizeof *memory);
  if (memory == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__mapping_memory_derive(workload, &problem->machine, problem->inputs.options->mode, decisions,
                             memory);
  dsm__memory_need need =
      dsm__memory_need_of(workload, &problem->machine, problem->inputs.options->mode, memory);
  if (problem->found->role_need_bytes > 0 && problem->found->role_need_bytes < need.total_bytes) {
    need.total_bytes = problem->found->role_need_bytes;
    need.dominated_by[0] = '\0';
  }
  const dsm__place nowhere = {NULL, 0, 0, NULL};
  const dsm__deadline *const deadline = &problem->deadline;
  const bool is_over = dsm__deadline_was_met(deadline);
  if (dsm__problem_has_roles(problem) && (is_over || problem->found->is_need_rounded)) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere, NULL,
                   "memory capacity: no mapping that needs at most %.6g GB a chip was found%s",
                   dsm_system_usable_bytes(problem->machine.system) / DSM__BYTES_PER_GB,
                   !is_over                   ? ""
                   : deadline->was_stopped    ? " before the search was interrupted"
                   : deadline->was_memory_met ? " within the memory limit of the search"
                   : isfinite(deadline->most_work)
                       ? " by as much work as a search may take; see --time-limit"
                       : " within the time limit");
    return DSM_ERROR_INFEASIBLE;
  }
  dsm__report_over_capacity(&need,
                            dsm__may_choose(problem->inputs.options, DSM__CHOICE_STAGES)
                                ? "without stages every mapping needs at least"
                                : "every mapping needs at least",
                            nowhere, diags);
  return DSM_ERROR_INFEASIBLE;
}

/* The most runs that the layers can be in. Where stages begin at blocks, only those cuts count at
 * which one of `wanted` equal runs can begin. 0 if out of memory. */
static size_t runs_most(const dsm__problem *problem, uint64_t wanted) {
  const dsm_workload *const workload = problem->inputs.workload;
  const bool are_equal = problem->inputs.options->stages_at == DSM_STAGES_AT_BLOCKS;
  const size_t blocks = dsm__block_count(workload);
  bool *is_cut = NULL;
  size_t most = 1;
  size_t begun = 0;
  if (!dsm__stage_cuts_find(workload, problem->inputs.options->stages_at, problem->arena,
                            &is_cut)) {
    return 0;
  }
  for (size_t i = 0; !workload->is_list && i < workload->layer_count; i++) {
    begun += dsm__begins_block(workload, i) ? 1 : 0;
    most += is_cut[i] && (!are_equal || begun * wanted % blocks == 0) ? 1 : 0;
  }
  return most;
}

dsm_status dsm__report_none_asked(const dsm__problem *problem, dsm_diags *diags) {
  const dsm__place nowhere = {NULL, 0, 0, NULL};
  const dsm_explore_options *const options = problem->inputs.options;
  const uint64_t runs = options->interleave > 1 ? options->interleave : 1;
  const uint64_t wanted = options->stages * runs;
  const size_t most = runs_most(problem, wanted);
  if (most == 0) {
    return dsm__out_of_memory(diags);
  }
  if (wanted > most && options->stages_at == DSM_STAGES_AT_BLOCKS) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere,
                   "one tensor alone passes from a stage to the next",
                   "expected a number of stages times --interleave that can begin between blocks, "
                   "with equally many in each, found %llu",
                   (unsigned long long)wanted);
    return DSM_ERROR_INFEASIBLE;
  }
  if (wanted > most) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere,
                   "one tensor alone passes from a stage to the next",
                   "expected at most %zu %s%s, as many as the layers of the network can be divided "
                   "into, found %llu",
                   most, runs > 1 ? "runs of stages" : "stage", most == 1 || runs > 1 ? "" : "s",
                   (unsigned long long)wanted);
    return DSM_ERROR_INFEASIBLE;
  }
  char hint[96] = "";
  if (options->micro_batches > 1) {
    const uint64_t samples = problem->inputs.workload->minibatch / options->micro_batches;
    (void)snprintf(hint, sizeof hint, "or that shares the %llu samples of a micro-batch evenly",
                   (unsigned long long)samples);
  }
  dsm__diags_add(
      diags, DSM_SEVERITY_ERROR, nowhere, hint,
      "memory capacity: with the stages, micro-batches, recomputation and shards that are "
      "asked for, no step was found that needs at most %.6g GB a chip",
      dsm_system_usable_bytes(problem->machine.system) / DSM__BYTES_PER_GB);
  return DSM_ERROR_INFEASIBLE;
}

dsm_status dsm__report_no_roles(const dsm__problem *problem, dsm_diags *diags) {
  const dsm__place nowhere = {NULL, 0, 0, NULL};
  const dsm_system *const system = problem->machine.system;
  if (diags == NULL) {
    return DSM_ERROR_INFEASIBLE;
  }
  const dsm_status with_room =
      dsm__explore_with_room(problem->inputs.workload, system, problem->inputs.options);
  if (with_room == DSM_ERROR_OUT_OF_MEMORY) {
    return dsm__out_of_memory(diags);
  }
  if (with_room == DSM_OK) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere, NULL,
                   "memory capacity: every mapping with the roles that are allowed needs more than "
                   "%.6g GB a chip",
                   dsm_system_usable_bytes(system) / DSM__BYTES_PER_GB);
  } else {
    dsm__diags_add(
        diags, DSM_SEVERITY_ERROR, nowhere,
        "what column and gather_column make, only heads, row and row_scatter read; allow "
        "more roles, as data,column,row",
        "no mapping uses only the roles that are allowed");
  }
  return DSM_ERROR_INFEASIBLE;
}
