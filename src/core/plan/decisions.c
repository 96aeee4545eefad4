/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/plan_internal.h"

dsm_layer_decisions dsm__layer_decisions_none(void) {
  return (dsm_layer_decisions){.dysm_factor = 1, .error_parallelism = DSM_PARALLELISM_COUNT};
}

dsm__layer_decision dsm__layer_decision_none(void) {
  return (dsm__layer_decision){
      .layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA),
      .layer = dsm__layer_decisions_none(),
  };
}

dsm_pass_layouts dsm__planned_layouts(const dsm_layer_plan *layer, dsm_mode mode) {
  dsm_pass_layouts layouts =
      dsm_pass_layouts_uniform(layer->passes[DSM_PASS_FORWARD].decisions.parallelism);
  if (mode == DSM_MODE_TRAINING) {
    layouts.of[DSM_PASS_BACKWARD] = layer->error_parallelism;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    layouts.of[p] = pass->exists ? pass->decisions.parallelism : layouts.of[p];
  }
  return layouts;
}

static dsm__layer_decision decision_of(const dsm_layer_plan *layer, dsm_mode mode) {
  dsm__layer_decision decision = {.layouts = dsm__planned_layouts(layer, mode),
                                  .layer = layer->decisions};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    for (unsigned i = 0; pass->exists && i < DSM_INVOCATION_KINDS_MAX && i < pass->invocation_count;
         i++) {
      decision.splits[p][i] = pass->invocations[i].split;
      decision.is_kernel_kept[p] =
          decision.is_kernel_kept[p] || pass->invocations[i].kind == DSM_INVOCATION_STEADY;
    }
  }
  return decision;
}

bool dsm__decisions_of_plan(const dsm_plan *plan, dsm__arena *arena, dsm__decisions *decisions) {
  dsm__layer_decision *const layers = dsm__arena_array(arena, plan->layer_count, sizeof *layers);
  for (size_t i = 0; layers != NULL && i < plan->layer_count; i++) {
    layers[i] = decision_of(&plan->layers[i], plan->options.mode);
  }
  *decisions = (dsm__decisions){layers, plan->pipelines, plan->pipeline_count, plan->micro_batches,
                                plan->stages};
  return layers != NULL;
}
