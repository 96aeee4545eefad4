/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/explore.h"

#include <assert.h>
#include <math.h>

#include "base/diag_add.h"
#include "plan/plan_internal.h"
#include "search/problem.h"

/* The fastest sequence; DSM_ERROR_INFEASIBLE, reported, if none fits the memory. */
static dsm_status search(const dsm__problem *problem, dsm_parallelism *sequence,
                         dsm__network_answer *answer, dsm_diags *diags) {
  if (!dsm__network_search(&problem->network, problem->arena, sequence, answer)) {
    return dsm__out_of_memory(diags);
  }
  if (!answer->is_feasible) {
    const dsm__memory_need need =
        dsm__memory_need_of(problem->workload, &problem->machine, problem->options->mode, sequence);
    const dsm__place nowhere = {NULL, 0, 0, NULL};
    dsm__report_over_capacity(&need, "every mapping needs at least", nowhere, diags);
    return DSM_ERROR_INFEASIBLE;
  }
  return DSM_OK;
}

static dsm_status make_plan(dsm_plan **plan, const dsm__problem *problem,
                            const dsm_parallelism *sequence, dsm_diags *diags) {
  const size_t layer_count = problem->workload->layer_count;
  dsm__layer_decision *const decisions =
      dsm__arena_array(problem->arena, layer_count, sizeof *decisions);
  if (decisions == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < layer_count; i++) {
    const dsm__layer_entry *const entry = dsm__layer_table_get(&problem->table, i, sequence[i]);
    decisions[i].parallelism = sequence[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      decisions[i].splits[p] = entry->splits[p];
    }
  }
  return dsm__plan_make(plan, problem->workload, problem->machine.system, problem->options,
                        decisions, diags);
}

static dsm_search_statistics statistics_of(const dsm__problem *problem) {
  dsm_search_statistics statistics = {.distinct_layers = problem->table.distinct.count};
  for (size_t c = 0; c < problem->table.distinct.count; c++) {
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      statistics.evaluations += problem->table.entries[c][p].evaluations;
    }
  }
  return statistics;
}

dsm_status dsm_explore(dsm_plan **plan, const dsm_workload *workload, const dsm_system *system,
                       const dsm_explore_options *options, dsm_diags *diags) {
  *plan = NULL;
  dsm__problem problem;
  dsm_status status = dsm__problem_init(&problem, workload, system, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__network_answer answer = {.is_feasible = false};
  dsm_parallelism *const sequence =
      dsm__arena_array(problem.arena, workload->layer_count, sizeof *sequence);
  status =
      sequence == NULL ? dsm__out_of_memory(diags) : search(&problem, sequence, &answer, diags);
  if (status == DSM_OK) {
    status = make_plan(plan, &problem, sequence, diags);
  }
  if (status == DSM_OK) {
    dsm_plan *const made = *plan;
    assert(made != NULL);
    made->statistics = statistics_of(&problem);
    /* The bound is summed in another order than the step; it must not exceed it by rounding. */
    made->result.lower_bound_cycles = fmin(answer.lower_bound_cycles, made->result.step_cycles);
  }
  dsm__problem_fini(&problem);
  return status;
}

dsm_status dsm_plan_bound(dsm_plan *plan, dsm_diags *diags) {
  dsm__problem problem;
  dsm_status status =
      dsm__problem_init(&problem, plan->workload, plan->system, &plan->options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__network_answer answer = {.is_feasible = false};
  dsm_parallelism *const sequence =
      dsm__arena_array(problem.arena, plan->layer_count, sizeof *sequence);
  status =
      sequence == NULL ? dsm__out_of_memory(diags) : search(&problem, sequence, &answer, diags);
  if (status == DSM_OK) {
    plan->result.lower_bound_cycles = fmin(answer.lower_bound_cycles, plan->result.step_cycles);
  }
  dsm__problem_fini(&problem);
  return status;
}
