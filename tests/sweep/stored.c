/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stored.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/digest.h"

enum { AXIS_COUNT = 4, COLUMN_COUNT = 5, WORKLOAD_COUNT = 2, LAST_COUNT = 2 };

static void set_digest(dsm_digest digest, const char *mark) {
  memset(digest, mark == NULL ? 'a' : mark[0], sizeof(dsm_digest) - 1);
  digest[sizeof(dsm_digest) - 1] = '\0';
}

static void set_inputs(dsm_sweep *sweep, const char *mark) {
  dsm_sweep_input *const workloads =
      dsm__arena_array(sweep->arena, WORKLOAD_COUNT, sizeof *workloads);
  dsm_sweep_input *const system = dsm__arena_alloc(sweep->arena, sizeof *system);
  workloads[0] = (dsm_sweep_input){.name = "net_a", .file = "net_a.json", .text = "{}", 2};
  workloads[1] = (dsm_sweep_input){.name = "net_b", .file = "net_b.json", .text = "{}", 2};
  *system = (dsm_sweep_input){.name = "torus", .file = "torus.json", .text = "{}", 2};
  set_digest(workloads[0].digest, mark == NULL ? "1" : mark);
  set_digest(workloads[1].digest, "2");
  set_digest(system->digest, "3");
  sweep->workloads = workloads;
  sweep->workload_count = WORKLOAD_COUNT;
  sweep->systems = system;
  sweep->system_count = 1;
}

static dsm_axis_value number_value(dsm__arena *arena, double number) {
  const char *const text = dsm__arena_printf(arena, "%g", number);
  return (dsm_axis_value){.text = text, .json = text, .is_number = true, .number = number};
}

static dsm_axis_value word_value(const char *word, const char *json, size_t input) {
  return (dsm_axis_value){.text = word, .json = json, .input = input};
}

static void set_axis(dsm_axis *axis, dsm__arena *arena, const char *first, const char *second,
                     const dsm_axis_value *values, size_t count) {
  const char **const paths = dsm__arena_array(arena, 2, sizeof *paths);
  paths[0] = first;
  paths[1] = second;
  *axis = (dsm_axis){
      .paths = paths, .path_count = second == NULL ? 1 : 2, .values = values, .value_count = count};
}

static void set_axes(dsm_sweep *sweep, const stored_shape *shape) {
  dsm__arena *const arena = sweep->arena;
  dsm_axis *const axes = dsm__arena_array(arena, AXIS_COUNT, sizeof *axes);
  dsm_axis_value *const inputs = dsm__arena_array(arena, WORKLOAD_COUNT + 1, sizeof *inputs);
  dsm_axis_value *const minibatches =
      dsm__arena_array(arena, shape->minibatch_count, sizeof *minibatches);
  dsm_axis_value *const last = dsm__arena_array(arena, 2 * LAST_COUNT, sizeof *last);
  inputs[0] = word_value("net_a", "\"net_a\"", 0);
  inputs[1] = word_value("net_b", "\"net_b\"", 1);
  inputs[2] = word_value("torus", "\"torus\"", 0);
  for (size_t i = 0; i < shape->minibatch_count; i++) {
    minibatches[i] = number_value(arena, 64.0 * (double)(i + 1));
  }
  last[0] = word_value("[1,1]", "[1,1]", 0);
  last[1] = number_value(arena, 0.5);
  last[2] = word_value("[2,2]", "[2,2]", 0);
  last[3] = number_value(arena, 1.5);
  set_axis(&axes[0], arena, "workload", NULL, inputs, WORKLOAD_COUNT);
  set_axis(&axes[1], arena, "system", NULL, inputs + WORKLOAD_COUNT, 1);
  set_axis(&axes[2], arena, "workload.minibatch", NULL, minibatches, shape->minibatch_count);
  set_axis(&axes[3], arena, "workload.layers.a\"b.stride",
           shape->last_path == NULL ? "point" : shape->last_path, last, LAST_COUNT);
  sweep->axes = axes;
  sweep->axis_count = AXIS_COUNT;
}

static void set_columns(dsm_sweep *sweep) {
  dsm_sweep_column *const columns = dsm__arena_array(sweep->arena, COLUMN_COUNT, sizeof *columns);
  for (size_t a = 0; a < AXIS_COUNT; a++) {
    columns[a] = (dsm_sweep_column){.path = sweep->axes[a].paths[0], .axis = a};
  }
  columns[AXIS_COUNT] = (dsm_sweep_column){
      .path = sweep->axes[AXIS_COUNT - 1].paths[1], .axis = AXIS_COUNT - 1, .slot = 1};
  sweep->columns = columns;
  sweep->column_count = COLUMN_COUNT;
}

dsm_sweep *stored_sweep(stored_shape shape) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_sweep *const sweep = arena == NULL ? NULL : dsm__arena_alloc(arena, sizeof *sweep);
  if (sweep == NULL) {
    return NULL;
  }
  sweep->arena = arena;
  sweep->name = shape.name == NULL ? "stored" : shape.name;
  sweep->record = shape.record;
  sweep->resolved =
      dsm__arena_printf(arena, "{\n  \"format\": \"dsm-sweep/1\",\n  \"source\": \"%s\"\n}\n",
                        shape.source == NULL ? "a" : shape.source);
  dsm__digest_text(sweep->resolved, strlen(sweep->resolved), sweep->digest);
  set_inputs(sweep, shape.input_mark);
  set_axes(sweep, &shape);
  set_columns(sweep);
  sweep->point_count = WORKLOAD_COUNT * shape.minibatch_count * LAST_COUNT;
  uint64_t *const products = dsm__arena_array(arena, sweep->point_count, sizeof *products);
  for (size_t p = 0; p < sweep->point_count; p++) {
    products[p] = p;
  }
  sweep->products = products;
  return sweep;
}

/* ---- results ---- */

static void set_layer(dsm_point_layer *layer, const char *name, size_t point, size_t index) {
  const double scale = (double)(point + 1) / 3.0;
  *layer = (dsm_point_layer){
      .layer = index / STORED_PASSES,
      .name = name,
      .pass = (dsm_pass)(index % STORED_PASSES),
      .pass_decisions = {.parallelism = (dsm_parallelism)(point % DSM_PARALLELISM_COUNT_OF(2)),
                         .core_split = {{1, 1 + point % 4, 8, 1, 1 + index % 2}}},
      .decisions = {.dysm_factor = 1 + index % 3,
                    .is_output_held = index % 5 == 0,
                    .weights_on_chip = index % 4 == 0 ? 0.25 : 0,
                    .pipeline_group = index % 6 == 0 ? "group" : NULL},
      .bound = (dsm_bound)(index % DSM_BOUND_COUNT),
      .cycles = {.primary = scale * 7,
                 .overlapped = scale,
                 .overlapped_visible = scale / 2,
                 .auxiliary = scale / 4,
                 .non_overlapped = scale / 8,
                 .total = scale * 7.875},
      .utilization = 1.0 / (double)(2 + index),
  };
}

static void set_numbers(dsm_plan_result *result, size_t point) {
  const double p = (double)point;
  *result = (dsm_plan_result){
      .step_cycles = 1000 + p,
      .step_seconds = (1000 + p) / 3e9,
      .samples_per_second = 1e6 / (1000 + p),
      .utilization = 1 / (1 + (double)((point * 37) % 101)),
      .lower_bound_cycles = 900,
      .ideal_cycles = 800,
      .cycles = {.primary = 800 + p,
                 .overlapped = 100,
                 .overlapped_visible = 50,
                 .auxiliary = 100,
                 .non_overlapped = 50,
                 .total = 1000 + p},
      .memory = {.weights_bytes = 1e6,
                 .activations_bytes = 2e6,
                 .gradients_bytes = 1e6,
                 .errors_bytes = 5e5,
                 .optimizer_bytes = 1e6,
                 .total_bytes = 5.5e6,
                 .capacity_bytes = 8e9},
  };
}

void stored_result_init(stored_result *made, const dsm_sweep *sweep, size_t point,
                        size_t layer_count) {
  made->result = (dsm_point_result){.point = point};
  if (point % 7 == 5) {
    made->result.status = DSM_POINT_INFEASIBLE;
    made->result.reason = "it needs 9.1 GB of 8 GB";
    return;
  }
  if (point % 11 == 7) {
    made->result.status = DSM_POINT_INVALID;
    made->result.reason = "expected a number of at least 1, found \"x\", y";
    return;
  }
  (void)snprintf(made->decisions, sizeof made->decisions, "data %zu, model %zu", point, point % 3);
  (void)snprintf(made->plan, sizeof made->plan, "{\"format\":\"dsm-plan/1\",\"point\":%zu}", point);
  for (size_t i = 0; i < layer_count; i++) {
    char *const name = made->names[i / STORED_PASSES];
    (void)snprintf(name, sizeof made->names[0], "layer_%zu", i / STORED_PASSES);
    set_layer(&made->layers[i], name, point, i);
  }
  const bool has_layers = sweep->record >= DSM_RECORD_LAYERS;
  made->result.minibatch = (uint64_t)dsm_sweep_value(sweep, point, 2)->number;
  made->result.optimizations =
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
  made->result.parallelisms = DSM_PARALLELISMS_OF(2); /* as a point of a torus has them */
  made->result.decisions = made->decisions;
  made->result.layers = has_layers ? made->layers : NULL;
  made->result.layer_count = has_layers ? layer_count : 0;
  made->result.plan = sweep->record >= DSM_RECORD_PLANS ? made->plan : NULL;
  set_numbers(&made->result.result, point);
}
