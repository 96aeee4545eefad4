/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.c: what a plan would record of itself, as its JSON does. */
#include "check/record.h"

#include "plan/plan_internal.h"

static dsm_recorded_pass record_of_pass(const dsm_pass_plan *pass) {
  dsm_recorded_pass record = {
      .exists = pass->exists,
      .cycles = pass->cycles.total,
      .utilization = pass->utilization,
      .parallelism = pass->share.parallelism,
      .core_split = pass->invocations[0].split,
      .lists_invocations = true,
      .has_later = pass->invocation_count > 1,
  };
  if (record.has_later) {
    record.later_kind = pass->invocations[1].kind;
    record.later_core_split = pass->invocations[1].split;
  }
  return record;
}

static dsm_recorded_layer record_of_layer(const dsm_plan *plan, size_t index) {
  const dsm_layer_plan *const layer = &plan->layers[index];
  dsm_recorded_layer record = {
      .name = layer->layer->name,
      .dysm_factor = layer->dysm_factor,
      .is_output_held = layer->is_output_held,
      .output_layout = layer->output_layout,
      .weights_on_chip = layer->weights_on_chip,
      .has_error_parallelism = dsm__states_error_parallelism(plan, layer),
      .error_parallelism = layer->error_parallelism,
  };
  if (layer->pipeline != DSM_NO_PIPELINE) {
    const dsm_pipeline_plan *const group = &plan->pipelines[layer->pipeline];
    record.pipeline = group->name;
    record.pipeline_rows = group->rows[index - group->first_layer];
    record.pipeline_columns = group->columns;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (layer->passes[p].exists) {
      record.passes[p] = record_of_pass(&layer->passes[p]);
    }
  }
  return record;
}

bool dsm__record_of_plan(dsm_recorded *record, const dsm_plan *plan, dsm__arena *arena) {
  dsm_recorded_layer *const layers = dsm__arena_array(arena, plan->layer_count, sizeof *layers);
  if (layers == NULL) {
    return false;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    layers[i] = record_of_layer(plan, i);
  }
  *record = (dsm_recorded){
      .step_seconds = plan->result.step_seconds,
      .step_cycles = plan->result.step_cycles,
      .cycles_per_second = 1e9 * plan->system->core.frequency_GHz,
      .utilization = plan->result.utilization,
      .is_stopped = plan->statistics.is_stopped,
      .layers = layers,
      .layer_count = plan->layer_count,
  };
  return true;
}
