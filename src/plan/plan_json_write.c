/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_write.c: writes a plan in the format "dsm-plan/1". */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_write.h"
#include "dsm/file.h"
#include "model/names.h"
#include "plan/core_layouts.h"
#include "plan/cost_json.h"
#include "plan/plan_internal.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static void write_invocation(dsm__json_writer *writer, const dsm_invocation *invocation) {
  const dsm_invocation_cost *const cost = &invocation->cost;
  const dsm_cycles cycles = {
      .primary = cost->primary,
      .overlapped = cost->overlapped,
      .overlapped_visible = cost->overlapped_visible,
      .auxiliary = cost->auxiliary,
      .non_overlapped = cost->partial_sum + cost->rotation + cost->layout_move,
      .total = cost->total,
  };
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "kind", dsm_invocation_kind_name(invocation->kind));
  dsm__json_put_u64(writer, "count", invocation->count);
  dsm__loops_put(writer, "core_split", &invocation->split);
  dsm__loops_put(writer, "core", &invocation->core);
  dsm__loops_put(writer, "array", &invocation->array);
  dsm__cycles_put(writer, &cycles);
  dsm__json_end_object(writer);
}

static void write_transfer(dsm__json_writer *writer, const dsm_plan_transfer *transfer) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", dsm_transfer_name(transfer->transfer));
  dsm__json_put_string(writer, "group", dsm_group_name(transfer->group));
  dsm__json_put_string(writer, "link", dsm_link_name(transfer->link));
  dsm__json_put_double(writer, "bytes", transfer->bytes);
  dsm__json_put_double(writer, "cycles", transfer->cycles);
  dsm__json_put_bool(writer, "overlapped", transfer->group == DSM_GROUP_STREAM);
  dsm__json_end_object(writer);
}

static void write_pass(dsm__json_writer *writer, const dsm_pass_plan *pass) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "parallelism", dsm_parallelism_name(pass->share.parallelism));
  dsm__loops_put(writer, "core_split", &pass->invocations[0].split);
  dsm__loops_put(writer, "chip", &pass->share.chip);
  dsm__json_put_u64(writer, "feature_iterations", pass->share.model_ways);
  dsm__loops_put(writer, "core", &pass->invocations[0].core);
  dsm__loops_put(writer, "array", &pass->invocations[0].array);
  dsm__cycles_put(writer, &pass->cycles);
  dsm__json_put_double(writer, "ideal_cycles", pass->ideal_cycles);
  dsm__json_put_double(writer, "utilization", pass->utilization);
  dsm__resources_put(writer, &pass->resources);
  dsm__groups_put(writer, pass->group_cycles);
  dsm__json_write_key(writer, "invocations");
  dsm__json_begin_array(writer, false);
  for (unsigned i = 0; i < pass->invocation_count; i++) {
    write_invocation(writer, &pass->invocations[i]);
  }
  dsm__json_end_array(writer);
  dsm__json_write_key(writer, "transfers");
  dsm__json_begin_array(writer, false);
  for (size_t i = 0; i < pass->transfer_count; i++) {
    write_transfer(writer, &pass->transfers[i]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void put_error_parallelism(dsm__json_writer *writer, const dsm_plan *plan,
                                  const dsm_layer_plan *layer) {
  if (dsm__states_error_parallelism(plan, layer)) {
    dsm__json_put_string(writer, "error_parallelism",
                         dsm_parallelism_name(layer->error_parallelism));
  }
}

/* Only of a held output, where the model has layouts. */
static void put_output_layout(dsm__json_writer *writer, const dsm_core_layout *layout) {
  if (!dsm__is_layout(layout)) {
    return;
  }
  dsm__json_write_key(writer, "output_layout");
  dsm__json_begin_object(writer, true);
  dsm__json_put_u64(writer, "features", layout->features);
  dsm__json_put_u64(writer, "ij", layout->ij);
  dsm__json_put_u64(writer, "mb", layout->mb);
  dsm__json_end_object(writer);
}

static void write_layer(dsm__json_writer *writer, const dsm_plan *plan,
                        const dsm_layer_plan *layer) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "name", layer->layer->name);
  dsm__json_put_u64(writer, "dysm_factor", layer->dysm_factor);
  dsm__json_put_bool(writer, "output_on_chip", layer->is_output_held);
  put_output_layout(writer, &layer->output_layout);
  dsm__json_put_double(writer, "weights_on_chip", layer->weights_on_chip);
  dsm__json_write_key(writer, "pipeline_group");
  if (layer->pipeline == DSM_NO_PIPELINE) {
    dsm__json_write_null(writer);
  } else {
    dsm__json_write_string(writer, plan->pipelines[layer->pipeline].name);
  }
  put_error_parallelism(writer, plan, layer);
  dsm__json_put_double(writer, "held_bytes", layer->held_bytes);
  dsm__json_write_key(writer, "passes");
  dsm__json_begin_object(writer, false);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (layer->passes[p].exists) {
      dsm__json_write_key(writer, dsm_pass_name((dsm_pass)p));
      write_pass(writer, &layer->passes[p]);
    }
  }
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

static void write_pipeline(dsm__json_writer *writer, const dsm_plan *plan,
                           const dsm_pipeline_plan *group) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "name", group->name);
  dsm__json_write_key(writer, "layers");
  dsm__json_begin_array(writer, true);
  for (size_t k = 0; k < group->layer_count; k++) {
    dsm__json_write_string(writer, plan->layers[group->first_layer + k].layer->name);
  }
  dsm__json_end_array(writer);
  dsm__json_put_u64(writer, "columns", group->columns);
  dsm__json_write_key(writer, "rows");
  dsm__json_begin_array(writer, true);
  for (size_t k = 0; k < group->layer_count; k++) {
    dsm__json_write_u64(writer, group->rows[k]);
  }
  dsm__json_end_array(writer);
  dsm__json_put_double(writer, "cycles", group->cycles);
  dsm__json_end_object(writer);
}

static void put_pipelines(dsm__json_writer *writer, const dsm_plan *plan) {
  dsm__json_write_key(writer, "pipeline");
  dsm__json_begin_array(writer, false);
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    write_pipeline(writer, plan, &plan->pipelines[g]);
  }
  dsm__json_end_array(writer);
}

static void put_result(dsm__json_writer *writer, const dsm_plan *plan) {
  const dsm_plan_result *const result = &plan->result;
  const dsm_plan_memory *const memory = &result->memory;
  dsm__json_write_key(writer, "result");
  dsm__json_begin_object(writer, false);
  dsm__json_put_double(writer, "step_cycles", result->step_cycles);
  dsm__json_put_double(writer, "step_seconds", result->step_seconds);
  if (plan->options.mode == DSM_MODE_INFERENCE) {
    dsm__json_put_double(writer, "latency_seconds", result->step_seconds);
  }
  dsm__json_put_double(writer, "samples_per_second", result->samples_per_second);
  dsm__json_put_double(writer, "utilization", result->utilization);
  dsm__json_put_double(writer, "lower_bound_cycles", result->lower_bound_cycles);
  dsm__json_put_double(writer, "ideal_cycles", result->ideal_cycles);
  dsm__cycles_put(writer, &result->cycles);
  dsm__resources_put(writer, &result->resources);
  dsm__json_write_key(writer, "memory");
  dsm__json_begin_object(writer, false);
  dsm__json_put_double(writer, "weights_bytes", memory->weights_bytes);
  dsm__json_put_double(writer, "activations_bytes", memory->activations_bytes);
  dsm__json_put_double(writer, "gradients_bytes", memory->gradients_bytes);
  dsm__json_put_double(writer, "errors_bytes", memory->errors_bytes);
  dsm__json_put_double(writer, "optimizer_bytes", memory->optimizer_bytes);
  dsm__json_put_double(writer, "total_bytes", memory->total_bytes);
  dsm__json_put_double(writer, "capacity_bytes", memory->capacity_bytes);
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

static void put_options(dsm__json_writer *writer, const dsm_explore_options *options) {
  dsm__json_write_key(writer, "options");
  dsm__json_begin_object(writer, false);
  dsm__json_put_word_set(writer, "parallelisms", &dsm__parallelism_words, options->parallelisms);
  dsm__json_write_key(writer, "overrides");
  dsm__json_begin_array(writer, false);
  for (size_t i = 0; i < options->override_count; i++) {
    dsm__json_write_string(writer, options->overrides[i]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

/* Only where the search was not to go to the end. */
static void put_search(dsm__json_writer *writer, const dsm_plan *plan) {
  const dsm_explore_options *const options = &plan->options;
  if (options->gap <= 0 && options->time_limit_seconds <= 0) {
    return;
  }
  dsm__json_write_key(writer, "search");
  dsm__json_begin_object(writer, true);
  dsm__json_put_double(writer, "gap", options->gap);
  dsm__json_put_double(writer, "time_limit_seconds", options->time_limit_seconds);
  dsm__json_put_bool(writer, "is_stopped", plan->statistics.is_stopped);
  dsm__json_end_object(writer);
}

char *dsm_plan_print(const dsm_plan *plan) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-plan/1");
  dsm__json_put_string(&writer, "dsm_version", dsm_version());
  dsm__json_put_string(&writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_put_u64(&writer, "minibatch", plan->workload->minibatch);
  dsm__json_put_word_set(&writer, "optimizations", &dsm__optimization_words,
                         plan->options.optimizations);
  put_options(&writer, &plan->options);
  put_search(&writer, plan);
  put_result(&writer, plan);
  put_pipelines(&writer, plan);
  dsm__json_write_key(&writer, "layers");
  dsm__json_begin_array(&writer, false);
  for (size_t i = 0; i < plan->layer_count; i++) {
    write_layer(&writer, plan, &plan->layers[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_write_key(&writer, "workload");
  dsm__workload_write(plan->workload, &writer);
  dsm__json_write_key(&writer, "system");
  dsm__system_write(plan->system, &writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  if (text.failed) {
    dsm__text_fini(&text);
    return NULL;
  }
  return text.text;
}

dsm_status dsm_plan_save(const dsm_plan *plan, const char *path, dsm_diags *diags) {
  char *const text = dsm_plan_print(plan);
  if (text == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = dsm_file_write(path, text, strlen(text), diags);
  free(text);
  return status;
}
