/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made.h"

#include <string.h>

static const dsm_layer_spec declared[MADE_COUNT] = {
    [MADE_HELD] = {.name = "held", .type = DSM_LAYER_CONV},
    [MADE_BETWEEN] = {.name = "between", .type = DSM_LAYER_CONV},
    [MADE_STAGE_1] = {.name = "stage1", .type = DSM_LAYER_LSTM},
    [MADE_STAGE_2] = {.name = "stage2", .type = DSM_LAYER_LSTM},
    [MADE_PRODUCT] = {.name = "product", .type = DSM_LAYER_MATMUL},
    [MADE_LOADED] = {.name = "loaded", .type = DSM_LAYER_FC},
};
static const dsm_layer network[MADE_COUNT] = {
    [MADE_HELD] = {.name = "held", .spec_index = MADE_HELD, .weight_elements = 100},
    [MADE_BETWEEN] = {.name = "between", .spec_index = MADE_BETWEEN, .weight_elements = 100},
    [MADE_STAGE_1] = {.name = "stage1",
                      .spec_index = MADE_STAGE_1,
                      .gates = 4,
                      .weight_elements = 200},
    [MADE_STAGE_2] = {.name = "stage2",
                      .spec_index = MADE_STAGE_2,
                      .gates = 4,
                      .weight_elements = 200},
    [MADE_PRODUCT] = {.name = "product", .spec_index = MADE_PRODUCT, .is_product = true},
    [MADE_LOADED] = {.name = "loaded", .spec_index = MADE_LOADED, .weight_elements = 400},
};
static const dsm_workload workload = {.name = "made",
                                      .minibatch = 64,
                                      .specs = declared,
                                      .spec_count = MADE_COUNT,
                                      .layers = network,
                                      .layer_count = MADE_COUNT,
                                      .weights = 1000};
static const uint64_t rows[] = {1, 3};
static const dsm_pipeline_plan pipelines[] = {{.name = "stage1-stage2",
                                               .first_layer = MADE_STAGE_1,
                                               .layer_count = 2,
                                               .columns = 4,
                                               .rows = rows,
                                               .cycles = 250}};

static const dsm_loops split = {{1, 4, 1, 1, 8}};
static const dsm_loops other_split = {{8, 4, 1, 1, 1}};

/* Invocations of a kind, of 5 cycles each. */
static dsm_invocation invocation(dsm_invocation_kind kind, uint64_t count, dsm_loops parts) {
  return (dsm_invocation){
      .kind = kind, .count = count, .split = parts, .cost = {.primary = 5, .total = 5}};
}

/* A pass of 100 cycles, half of them useful. */
static dsm_pass_plan pass_of(dsm_invocation first, dsm_invocation others) {
  return (dsm_pass_plan){
      .exists = true,
      .decisions = {.parallelism = DSM_PARALLELISM_DATA, .core_split = first.split},
      .share = {.parallelism = DSM_PARALLELISM_DATA, .model_ways = 1, .data_ways = 16},
      .invocations = {first, others},
      .invocation_count = others.count > 0 ? 2 : 1,
      .cycles = {.primary = 100, .total = 100},
      .ideal_cycles = 50,
      .utilization = 0.5,
  };
}

static dsm_pass_plan plain_pass(void) {
  return pass_of(invocation(DSM_INVOCATION_FIRST, 1, split), (dsm_invocation){.count = 0});
}

static dsm_pass_plan kept_pass(dsm_loops steady_split) {
  return pass_of(invocation(DSM_INVOCATION_FIRST, 1, split),
                 invocation(DSM_INVOCATION_STEADY, 9, steady_split));
}

dsm_plan *made_plain_plan(const dsm_system *system) {
  static dsm_layer_plan layers[MADE_COUNT];
  static dsm_plan plan;
  memset(layers, 0, sizeof layers);
  for (size_t i = 0; i < MADE_COUNT; i++) {
    layers[i] = (dsm_layer_plan){
        .layer = &network[i], .decisions.dysm_factor = 1, .pipeline = DSM_NO_PIPELINE};
    layers[i].passes[DSM_PASS_FORWARD] = plain_pass();
  }
  layers[MADE_HELD].passes[DSM_PASS_BACKWARD] = plain_pass();
  layers[MADE_HELD].passes[DSM_PASS_UPDATE] = plain_pass();
  layers[MADE_STAGE_1].passes[DSM_PASS_UPDATE] = plain_pass();
  layers[MADE_STAGE_2].passes[DSM_PASS_UPDATE] = plain_pass();
  plan = (dsm_plan){.workload = &workload,
                    .system = system,
                    .layers = layers,
                    .layer_count = MADE_COUNT,
                    .result = {.step_cycles = 1000, .cycles = {.primary = 1000, .total = 1000}}};
  return &plan;
}

dsm_plan *made_plan(const dsm_system *system) {
  dsm_plan *const plan = made_plain_plan(system);
  dsm_layer_plan *const layers = plan->layers;
  layers[MADE_HELD].decisions.dysm_factor = 2;
  layers[MADE_HELD].decisions.is_output_held = true;
  layers[MADE_HELD].held_bytes = 1e6;
  layers[MADE_HELD].passes[DSM_PASS_FORWARD].invocations[0].count = 2;
  layers[MADE_HELD].passes[DSM_PASS_UPDATE] =
      pass_of(invocation(DSM_INVOCATION_WRITE, 1, split),
              invocation(DSM_INVOCATION_ACCUMULATE, 1, other_split));
  layers[MADE_BETWEEN].held_bytes = 3355443.2; /* a tenth of 32 scratchpads of 1 MiB */
  layers[MADE_STAGE_1].pipeline = 0;
  layers[MADE_STAGE_1].decisions.pipeline_group = pipelines[0].name;
  layers[MADE_STAGE_1].passes[DSM_PASS_FORWARD] = kept_pass(other_split);
  layers[MADE_STAGE_1].passes[DSM_PASS_UPDATE] = kept_pass(split);
  layers[MADE_STAGE_2].pipeline = 0;
  layers[MADE_STAGE_2].decisions.pipeline_group = pipelines[0].name;
  layers[MADE_STAGE_2].passes[DSM_PASS_FORWARD] = kept_pass(split);
  layers[MADE_PRODUCT].passes[DSM_PASS_FORWARD] = kept_pass(split);
  layers[MADE_LOADED].decisions.weights_on_chip = 0.25;
  plan->pipelines = pipelines;
  plan->pipeline_count = 1;
  return plan;
}
