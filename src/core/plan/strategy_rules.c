/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/strategy_rules.h"

#include <string.h>

#include "plan/holding.h"

/* ---- holding ---- */

const char *dsm__held_why_not(const dsm_workload *workload, size_t layer_index) {
  const size_t last = dsm__last_use(&workload->layers[layer_index]);
  if (last == DSM_NEVER_USED) {
    return "no layer uses it";
  }
  if (workload->layers[layer_index].timesteps > 1) {
    return "the layer has timesteps";
  }
  for (size_t k = layer_index + 1; k <= last; k++) {
    if (workload->layers[k].timesteps > 1) {
      return "a layer with timesteps runs before its last use";
    }
  }
  return NULL;
}

/* ---- pipelines ---- */

static const dsm_layer_spec *spec_of(const dsm_workload *workload, size_t layer_index) {
  return &workload->specs[workload->layers[layer_index].spec_index];
}

bool dsm__pipeline_can_be_stage(const dsm_workload *workload, size_t layer_index) {
  const dsm_layer_spec *const spec = spec_of(workload, layer_index);
  return workload->layers[layer_index].gates > 0 && !spec->is_bidirectional &&
         spec->pipeline_choice != DSM_PIPELINE_NEVER;
}

bool dsm__pipeline_is_same_declared(const dsm_workload *workload, size_t a, size_t b) {
  const dsm_layer_spec *const first = spec_of(workload, a);
  const dsm_layer_spec *const second = spec_of(workload, b);
  if (first->pipeline_choice != DSM_PIPELINE_NAMED ||
      second->pipeline_choice != DSM_PIPELINE_NAMED) {
    return first->pipeline_choice == second->pipeline_choice;
  }
  return strcmp(first->pipeline_group, second->pipeline_group) == 0;
}

bool dsm__pipeline_can_join(const dsm_workload *workload, size_t earlier) {
  const size_t later = earlier + 1;
  return later < workload->layer_count && dsm__pipeline_can_be_stage(workload, earlier) &&
         dsm__pipeline_can_be_stage(workload, later) &&
         workload->layers[earlier].timesteps == workload->layers[later].timesteps &&
         dsm__pipeline_is_same_declared(workload, earlier, later);
}

/* Layers in the named group of a layer, wherever they stand; two for one without a name. */
static uint64_t declared_length(const dsm_workload *workload, size_t index) {
  uint64_t count = 0;
  if (spec_of(workload, index)->pipeline_choice != DSM_PIPELINE_NAMED) {
    return 2;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    count += dsm__pipeline_is_same_declared(workload, i, index);
  }
  return count;
}

uint64_t dsm__pipeline_least_length(const dsm_workload *workload, size_t first) {
  if (first > 0 && dsm__pipeline_can_join(workload, first - 1)) {
    return 0;
  }
  const uint64_t least = declared_length(workload, first);
  uint64_t run = 1;
  for (size_t i = first; dsm__pipeline_can_join(workload, i); i++) {
    run++;
  }
  return run >= 2 && run >= least ? least : 0;
}
