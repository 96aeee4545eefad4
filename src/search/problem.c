/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/problem.h"

#include <math.h>

#include "base/diag_add.h"
#include "plan/plan_internal.h"
#include "plan/tolerance.h"

/* Relayouts into a layer: forward, and in training once more for the errors (section 5). */
static void fill_relayouts(const dsm__problem *problem, size_t index, dsm__network_stage *stage) {
  const dsm_workload *const workload = problem->workload;
  const double bytes = (double)workload->layers[index].carried_elements *
                       (double)workload->minibatch * workload->element_bytes;
  const double times = problem->options->mode == DSM_MODE_TRAINING ? 2 : 1;
  for (int from = 0; from < DSM_PARALLELISM_COUNT; from++) {
    for (int to = 0; to < DSM_PARALLELISM_COUNT; to++) {
      const unsigned change = dsm__role_change((dsm_parallelism)from, (dsm_parallelism)to);
      const dsm_traffic traffic = dsm_relayout_traffic(&problem->machine, bytes,
                                                       (dsm_parallelism)from, (dsm_parallelism)to);
      stage->relayout_cycles[change] = times * dsm_group_cycles(&problem->machine, &traffic);
    }
  }
}

static void fill_stage(const dsm__problem *problem, size_t index, dsm__network_stage *stage) {
  const dsm_layer *const layer = &problem->workload->layers[index];
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm__layer_entry *const entry =
        dsm__layer_table_get(&problem->table, index, (dsm_parallelism)p);
    dsm__choice *const choice = &stage->choices[p];
    if (!entry->is_allowed) {
      *choice = (dsm__choice){HUGE_VAL, 0, 0};
      continue;
    }
    const dsm_layer_memory memory = dsm_layer_memory_derive(
        layer, &problem->machine, problem->workload, problem->options->mode, (dsm_parallelism)p);
    choice->cycles = entry->cycles;
    choice->kept_bytes = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes +
                         memory.activations_bytes;
    choice->transient_bytes = memory.transient_bytes;
  }
  if (index > 0) {
    fill_relayouts(problem, index, stage);
  }
}

static bool fill(dsm__problem *problem) {
  const size_t layer_count = problem->workload->layer_count;
  if (!dsm__layer_table_fill(&problem->table, problem->workload, &problem->machine,
                             problem->options, problem->arena)) {
    return false;
  }
  dsm__network *const network = &problem->network;
  network->stage_count = layer_count;
  network->stages = dsm__arena_array(problem->arena, layer_count, sizeof network->stages[0]);
  if (network->stages == NULL) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    fill_stage(problem, i, &network->stages[i]);
  }
  network->capacity_bytes =
      dsm__capacity_limit(problem->machine.system->chip.memory.capacity_GB * 1e9);
  if (problem->options->mode == DSM_MODE_TRAINING) {
    network->capacity_bytes -= dsm_input_memory_bytes(&problem->machine, problem->workload);
  }
  return true;
}

dsm_status dsm__problem_init(dsm__problem *problem, const dsm_workload *workload,
                             const dsm_system *system, const dsm_explore_options *options,
                             dsm_diags *diags) {
  if (dsm__option_parallelisms(options) == 0) {
    const dsm__place nowhere = {NULL, 0, 0, NULL};
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere,
                   "data_x_model_y and model_x_data_y need the optimization hybrid",
                   "expected options that leave a parallelism, found none");
    return DSM_ERROR_USAGE;
  }
  *problem = (dsm__problem){
      .workload = workload,
      .options = options,
      .machine = dsm_machine_derive(system),
      .arena = dsm__arena_new(),
  };
  if (problem->arena == NULL || !fill(problem)) {
    dsm__problem_fini(problem);
    return dsm__out_of_memory(diags);
  }
  return DSM_OK;
}

void dsm__problem_fini(dsm__problem *problem) {
  dsm__arena_free(problem->arena);
  problem->arena = NULL;
}
