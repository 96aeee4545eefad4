/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include "suites.h"

dsm_system friendly_system(uint64_t chips_x, uint64_t chips_y) {
  return friendly_grid(&(grid){2, {chips_x, chips_y}});
}

dsm_system friendly_grid(const grid *sides) {
  return (dsm_system){
      .name = "friendly",
      .pe = {.simd_macs = 2, .rates = {1, 1, 1, 1, 1, 1, 1}},
      .array = {.rows = 4, .columns = 4, .startup_cycles = 100, .efficiency_ratio = 1},
      .core = {.frequency_GHz = 2,
               .sustained_frequency_ratio = 1,
               .arrays = 1,
               .scratchpad_MiB = 1.0 / 64,
               .scratchpad_bandwidth_GBps = 8,
               .sfu_ops_per_cycle = 4,
               .transcendental_passes = 3,
               .streaming_buffer_KiB = 4,
               .resident_weight_fraction = 0.75,
               .shared_operands = 1},
      .chip = {.cores = 4,
               .core_link_bandwidth_GBps = 64,
               .memory = {.capacity_GB = 1,
                          .bandwidth_GBps = 64,
                          .efficiency_ratio = 0.5,
                          .tile_minor = 1,
                          .tile_second = 1,
                          .stacks = 1}},
      .system = {.axis_count = sides->axis_count,
                 .axes = {{"x", sides->chips[0], 16, .efficiency_ratio = 1},
                          {"y", sides->chips[1], 8, .efficiency_ratio = 1},
                          {"z", sides->chips[2], 4, .efficiency_ratio = 1}}},
      .model = {.sharded_update = true,
                .bptt_resident_copies = 2,
                .expert_imbalance = 1,
                .relu_mask_bytes = 0.125,
                .batch_norm_saved_bytes = 0.25,
                .reduce_memory_bytes = 1.5,
                .broadcast_memory_bytes = 5,
                .reduce_ring_crossings = 2,
                .rotate_memory_bytes = 0.5,
                .relayout_memory_bytes = 6,
                .weight_update_memory_bytes = 7,
                .resident_operands = true,
                .traffic = {[DSM_OPERATION_BATCH_NORM] = {2, 5},
                            [DSM_OPERATION_LAYER_NORM] = {2, 5},
                            [DSM_OPERATION_SOFTMAX] = {2, 3},
                            [DSM_OPERATION_CROSS_ENTROPY] = {2, 0},
                            [DSM_OPERATION_CROSS_ENTROPY_WIDE] = {3, 3},
                            [DSM_OPERATION_ACTIVATION] = {2, 3},
                            [DSM_OPERATION_BIAS] = {0, 1},
                            [DSM_OPERATION_RESIDUAL] = {1, 0},
                            [DSM_OPERATION_FORK] = {0, 3}}},
  };
}

dsm_system plain_memory_system(void) {
  dsm_system chips = friendly_system(4, 2);
  chips.model.rotate_memory_bytes = 0;
  return chips;
}

dsm_precision friendly_precision(void) {
  return (dsm_precision){
      .element_bytes = 2, .gradient_bytes = 4, .partial_sum_bytes = 6, .array_rate = 1};
}

/* The derived quantities below are docs/model.md, section 1, written a second time. */

dsm_layer conv_layer(uint64_t in, uint64_t out, uint64_t ij, uint64_t kij, uint64_t groups) {
  return (dsm_layer){
      .name = "conv",
      .is_convolution = true,
      .in = in,
      .out = out,
      .ij = ij,
      .kij = kij,
      .strides = 1,
      .groups = groups,
      .timesteps = 1,
      .input_elements = in * ij,
      .output_elements = out * ij,
      .stored_elements = out * ij,
      .weight_elements = in * out * kij / groups,
      .macs = in * out * kij * ij / groups,
      .has_backward = true,
      .has_update = true,
      .last_use = DSM_NEVER_USED,
      .last_operand_use = DSM_NEVER_USED,
  };
}

dsm_layer pooled_conv(void) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.stored_elements = 180;
  conv.pool_window = 4;
  conv.has_op[DSM_AUX_MAX_POOL] = true;
  return conv;
}

dsm_layer with_residual_and_norm(dsm_layer layer) {
  layer.has_op[DSM_AUX_RESIDUAL] = true;
  layer.has_op[DSM_AUX_BATCH_NORM] = true;
  return layer;
}

dsm_layer fc_layer(uint64_t in, uint64_t out) {
  dsm_layer layer = conv_layer(in, out, 1, 1, 1);
  layer.name = "fc";
  layer.is_convolution = false;
  return layer;
}

dsm_layer lstm_layer(uint64_t inputs, uint64_t hidden, uint64_t timesteps) {
  dsm_layer layer = conv_layer(inputs + hidden, 4 * hidden, 1, 1, 1);
  layer.name = "lstm";
  layer.is_convolution = false;
  layer.gates = 4;
  layer.timesteps = timesteps;
  layer.stored_elements = hidden;
  layer.state_elements = 5 * hidden;
  return layer;
}

dsm_layer matmul_layer(uint64_t in, uint64_t out, uint64_t timesteps) {
  dsm_layer layer = conv_layer(in, out, 1, 1, 1);
  layer.name = "matmul";
  layer.is_convolution = false;
  layer.is_product = true;
  layer.timesteps = timesteps;
  layer.weight_elements = 0;
  layer.operand_elements = in * out;
  layer.has_update = false;
  return layer;
}

dsm_loops loops(uint64_t in, uint64_t out, uint64_t ij, uint64_t kij, uint64_t mb) {
  return (dsm_loops){{[DSM_DIM_IN] = in,
                      [DSM_DIM_OUT] = out,
                      [DSM_DIM_IJ] = ij,
                      [DSM_DIM_KIJ] = kij,
                      [DSM_DIM_MB] = mb}};
}

uint64_t grid_chips(const grid *sides) {
  uint64_t chips = 1;
  for (unsigned a = 0; a < sides->axis_count; a++) {
    chips *= sides->chips[a];
  }
  return chips;
}

void assert_traffic(dsm_traffic actual, double x, double y, double memory, double ring) {
  assert_axis_traffic(actual, (const double[DSM_AXES_MAX]){x, y}, memory, ring);
}

void assert_axis_traffic(dsm_traffic actual, const double axes[DSM_AXES_MAX], double memory,
                         double ring) {
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    ASSERT_CLOSE(actual.bytes[DSM_LINK_AXIS + a], axes[a]);
  }
  ASSERT_CLOSE(actual.bytes[DSM_LINK_MEMORY], memory);
  ASSERT_CLOSE(actual.bytes[DSM_LINK_RING], ring);
}

/* A byte of memory takes a cycle and nothing else any: the overlapped cycles are the bytes. */
double streamed_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  dsm_machine memory_only = *work->machine;
  dsm_pass_work alone = *work;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    memory_only.link_bytes_per_cycle[l] = l == DSM_LINK_MEMORY ? 1 : HUGE_VAL;
  }
  alone.machine = &memory_only;
  alone.turning_cycles = 0;
  return dsm_invocation_score(&alone, split).overlapped;
}
