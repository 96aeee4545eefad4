/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/plan_internal.h"

#include "plan/stage.h"
#include "plan/step_stages.h"

double dsm__kept_bytes(const dsm_layer_memory *memory) {
  return memory->weights_bytes + memory->gradients_bytes + memory->optimizer_bytes +
         memory->activations_bytes + memory->cache_bytes;
}

static void derive_group(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode,
                         const dsm__decisions *decisions, const dsm__pipeline_decision *group,
                         dsm_layer_memory *memory) {
  const double input_bytes = dsm_input_memory_bytes(machine, workload);
  size_t largest = group->first_layer;
  double transient = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const size_t i = group->first_layer + k;
    dsm__stage stage;
    dsm__stage_init(&stage, machine->system, group->columns, group->rows[k]);
    memory[i] = dsm_layer_memory_derive(&workload->layers[i], &stage.machine, workload, mode,
                                        &decisions->layers[i].layouts, input_bytes);
    if (dsm__kept_bytes(&memory[i]) > dsm__kept_bytes(&memory[largest])) {
      largest = i;
    }
    transient = memory[i].transient_bytes > transient ? memory[i].transient_bytes : transient;
  }
  dsm_layer_memory kept = memory[largest];
  kept.transient_bytes = transient;
  for (size_t k = 0; k < group->layer_count; k++) {
    memory[group->first_layer + k] = (dsm_layer_memory){0};
  }
  memory[largest] = kept;
}

void dsm__mapping_memory_derive(const dsm_workload *whole, const dsm_machine *machine,
                                dsm_mode mode, const dsm__decisions *decisions,
                                dsm_layer_memory *memory) {
  const dsm_workload micro = dsm__micro_workload(whole, dsm__micro_batches(decisions));
  const dsm_workload *const workload = &micro;
  const double input_bytes = dsm_input_memory_bytes(machine, workload);
  for (size_t i = 0; i < workload->layer_count; i++) {
    memory[i] = dsm_layer_memory_derive(&workload->layers[i], machine, workload, mode,
                                        &decisions->layers[i].layouts, input_bytes);
    if (decisions->layers[i].layer.is_hoisted) {
      memory[i].activations_bytes +=
          dsm_hoisted_bytes(&workload->layers[i], machine, workload,
                            decisions->layers[i].layouts.of[DSM_PASS_FORWARD]);
    }
  }
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    derive_group(workload, machine, mode, decisions, &decisions->pipelines[g], memory);
  }
  if (decisions->stages.count > 1) {
    dsm__stages_memory_derive(workload, machine, mode, decisions, memory);
  }
}
