/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/plan_internal.h"

#include <math.h>

#include "plan/keeping.h"
#include "plan/segments.h"
#include "plan/stage.h"
#include "plan/step_stages.h"
#include "plan/tied_tables.h"

double dsm__kept_bytes(const dsm_layer_memory *memory) {
  return memory->weights_bytes + memory->gradients_bytes + memory->optimizer_bytes +
         memory->input_bytes + memory->activations_bytes + memory->cache_bytes;
}

/*
 * Source: section 12. Symbols: t = transient bytes of a layer, r = what it makes anew: the largest
 * of t + (r of the layers of its segment up to it), since on the way back the later ones are done.
 * Limits: nothing is made anew: the largest t.
 */
void dsm__memory_sum_add(dsm__memory_sum *sum, const dsm_layer_memory *memory, bool is_last) {
  const double activation_bytes = memory->input_bytes + memory->activations_bytes;
  sum->kept_bytes += dsm__kept_bytes(memory) - activation_bytes;
  sum->activation_bytes += activation_bytes;
  sum->again_bytes += memory->recomputed_bytes;
  sum->transient_bytes = fmax(sum->transient_bytes, memory->transient_bytes + sum->again_bytes);
  sum->again_bytes = is_last && !memory->is_output_recomputed ? 0 : sum->again_bytes;
}

/* Of all layers: what the layer with most makes, and what is made anew beside that. */
dsm__transient_need dsm__transient_need_of(const dsm_workload *workload,
                                           const dsm_layer_memory *memory) {
  dsm__segment_walk walk = dsm__segments_begin(workload);
  dsm__transient_need need = {.own_bytes = 0};
  dsm__memory_sum sum = {.kept_bytes = 0};
  for (size_t i = 0; i < workload->layer_count; i++) {
    dsm__memory_sum_add(&sum, &memory[i], dsm__segment_ends(&walk, i));
    if (memory[i].transient_bytes > need.own_bytes) {
      need.own_bytes = memory[i].transient_bytes;
      need.own_layer = i;
    }
  }
  need.recomputed_bytes = sum.transient_bytes - need.own_bytes;
  return need;
}

static void derive_group(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode,
                         const dsm__decisions *decisions, const dsm__pipeline_decision *group,
                         dsm_layer_memory *memory) {
  size_t largest = group->first_layer;
  double transient = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const size_t i = group->first_layer + k;
    dsm__stage stage;
    dsm__stage_init(&stage, machine->system, machine->mode, group->columns, group->rows[k]);
    memory[i] = dsm_layer_memory_derive(&workload->layers[i], &stage.machine, workload, mode,
                                        &decisions->layers[i].layouts);
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
  dsm__segment_walk walk = dsm__segments_begin(workload);
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const dsm_pass_layouts *const layouts = &decisions->layers[i].layouts;
    const bool is_last = dsm__segment_ends(&walk, i) && i + 1 < workload->layer_count;
    const dsm__table_cut owner = dsm__owner_cut_of(workload, machine, decisions, i);
    memory[i] = dsm_layer_memory_derive(layer, machine, workload, mode, layouts);
    dsm__add_table_copy(&memory[i], layer, machine, workload, mode, layouts, &owner);
    dsm__keep_less(&memory[i], layer, machine, layouts, &decisions->layers[i].layer, is_last);
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
