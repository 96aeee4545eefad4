/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "twin_input.h"
#include "twin_json.h"
#include "twin_types.h"

static twin_move_rule read_move_rule(const char *word) {
  if (strcmp(word, "always") == 0) {
    return TWIN_MOVE_ALWAYS;
  }
  return strcmp(word, "exact") == 0 ? TWIN_MOVE_EXACT : TWIN_MOVE_NONE;
}

/* The keys of the refined equations. */
static void read_refinements(twin_system *system, const cJSON *model) {
  system->partial_sum_bytes = twin_number(model, "partial_sum_bytes", 0);
  system->exact_rotation = twin_flag(model, "exact_rotation");
  system->exact_forks = twin_flag(model, "exact_forks");
  system->overlapped_hand_over = twin_flag(model, "overlapped_hand_over");
  system->pipeline_columns = twin_flag(model, "pipeline_columns");
  system->lstm_gate_errors = twin_flag(model, "lstm_gate_errors");
  system->statistics_sums = twin_flag(model, "statistics_sums");
  system->two_way_relayout = twin_flag(model, "two_way_relayout");
  system->charge_held_masks = twin_flag(model, "charge_held_masks");
  system->causal_skip = twin_flag_unless_false(model, "causal_skip");
  system->fused_attention = twin_flag(model, "fused_attention");
  const char *const kept = twin_text(model, "kept_inputs");
  system->keeps_for_others = strcmp(kept, "all") == 0;
  system->keeps_for_sums = system->keeps_for_others || strcmp(kept, "without_activations") == 0;
  system->resident_operands = twin_flag_unless_false(model, "resident_operands");
  system->layout_move = read_move_rule(twin_text(model, "layout_move"));
  system->tile_schedule = twin_flag(model, "tile_schedule");
  system->has_blocked_tiles = strcmp(twin_text(model, "tiling"), "blocked") == 0;
  system->fused_reductions = twin_flag(model, "fused_reductions");
  system->joins_gradients = system->fused_reductions;
  system->sharded_update = twin_flag_unless_false(model, "sharded_update");
  const double ratio = twin_number(model, "attention_efficiency_ratio", 0);
  system->attention_efficiency = ratio > 0 ? ratio : system->array_efficiency;
  system->attention_skips_masked = twin_flag_unless_false(model, "attention_skips_masked");
  system->overlapped_reduction = twin_flag(model, "overlapped_reduction");
}

/* Any core reads any place of it, so that nothing moves there. */
static void read_shared_memory(twin_system *system, const cJSON *shared,
                               const double frequency_GHz) {
  system->shared_bytes = twin_number(shared, "capacity_MB", 0) * 1e6;
  system->shared_bytes_per_cycle = HUGE_VAL;
  if (system->shared_bytes > 0) {
    system->shared_bytes_per_cycle = twin_number(shared, "bandwidth_GBps", 1) / frequency_GHz;
    system->layout_move = TWIN_MOVE_NONE;
  }
}

/* model.auxiliary_traffic with its numbers. */
static void read_auxiliary_traffic(twin_system *system, const cJSON *model, const cJSON *memory,
                                   const double frequency_GHz) {
  static const char *const names[TWIN_AUX_COUNT] = {
      "batch_norm", "layer_norm",   "softmax",  "cross_entropy", "cross_entropy_wide",
      "activation", "bias",         "residual", "fork",          "multiply",
      "dropout",    "dropout_mask", "rotary",   "copy",          "split",
      "layer_norm"};
  static const twin_aux_moves usual[TWIN_AUX_COUNT] = {
      {2, 5}, {2, 5}, {2, 3}, {2, 0}, {3, 3}, {2, 3}, {0, 1}, {1, 0},
      {0, 3}, {1, 3}, {2, 2}, {1, 1}, {2, 2}, {2, 2}, {0, 2}, {2, 5}};
  const char *const rule = twin_text(model, "auxiliary_traffic");
  system->auxiliary_traffic = strcmp(rule, "fused") == 0     ? TWIN_AUX_FUSED
                              : strcmp(rule, "unfused") == 0 ? TWIN_AUX_UNFUSED
                                                             : TWIN_AUX_NONE;
  for (int kind = 0; kind < TWIN_AUX_COUNT; kind++) {
    char key[64];
    (void)snprintf(key, sizeof key, "traffic_%s_forward", names[kind]);
    system->moves[kind].forward = twin_number(model, key, usual[kind].forward);
    (void)snprintf(key, sizeof key, "traffic_%s_backward", names[kind]);
    system->moves[kind].backward = twin_number(model, key, usual[kind].backward);
  }
  const double own = twin_number(memory, "auxiliary_efficiency_ratio", 0);
  system->auxiliary_bytes_per_cycle =
      own > 0 ? twin_number(memory, "bandwidth_GBps", 1) * own / frequency_GHz
              : system->memory_bytes_per_cycle;
}

static twin_link_kind read_link(const char *word) {
  static const char *const words[] = {"ring", "line", "switch", "fat_tree", "dragonfly"};
  size_t kind = 0;
  while (strcmp(word, words[kind]) != 0) {
    kind++;
    assert(kind < sizeof words / sizeof words[0]);
  }
  return (twin_link_kind)kind;
}

static twin_axis read_axis(const cJSON *axis, const double frequency_GHz) {
  const double usable_GBps =
      twin_number(axis, "bandwidth_GBps", 1) * twin_number(axis, "efficiency_ratio", 1);
  return (twin_axis){
      .chips = twin_number(axis, "chips", 1),
      .bytes_per_cycle = usable_GBps / frequency_GHz,
      .latency_cycles = twin_number(axis, "latency_us", 0) * frequency_GHz * 1000,
      .chips_per_port = twin_number(axis, "chips_per_port", 1),
      .all_chips = twin_number(axis, "chips", 1),
      .group_chips = twin_number(axis, "group_chips", 1),
      .oversubscription = twin_number(axis, "oversubscription", 1),
      .global_links = twin_number(axis, "global_links", 1),
      .link = read_link(twin_text(axis, "link")),
      .both_ways = twin_flag(axis, "both_ways"),
      .protocols = twin_flag(axis, "protocols"),
  };
}

static twin_axis short_axis(const double chips, const double bandwidth_GBps,
                            const double frequency_GHz) {
  return (twin_axis){
      .chips = chips, .bytes_per_cycle = bandwidth_GBps / frequency_GHz, .chips_per_port = 1};
}

static twin_joint read_joint(const char *word) {
  if (strcmp(word, "crossbar") == 0) {
    return TWIN_CORES_CROSSBAR;
  }
  if (strcmp(word, "mesh") == 0) {
    return TWIN_CORES_MESH;
  }
  return strcmp(word, "none") == 0 ? TWIN_CORES_NONE : TWIN_CORES_RING;
}

static twin_order read_order(const char *word) {
  if (strcmp(word, "best") == 0) {
    return TWIN_ORDER_BEST;
  }
  return strcmp(word, "both_halves") == 0 ? TWIN_ORDER_BOTH_HALVES : TWIN_ORDER_GIVEN;
}

static void read_protocols(twin_system *system, const cJSON *network, const double frequency_GHz) {
  static const char *const names[TWIN_PROTOCOL_COUNT] = {"low_latency", "low_latency_128", "simple",
                                                         "all_to_all", "in_network"};
  const double cycles =
      twin_number(network, "protocol_latency_ratio", 1) * frequency_GHz * 1000; /* of 1 us */
  const cJSON *const all = twin_member(network, "protocols");
  for (int p = 0; p < TWIN_PROTOCOL_COUNT; p++) {
    const cJSON *const own = twin_member(all, names[p]);
    system->protocols[p] = (twin_protocol){
        .base_cycles = twin_number(own, "base_us", 0) * cycles,
        .step_cycles = twin_number(own, "step_us", 0) * cycles,
        .efficiency = twin_number(own, "efficiency_ratio", 0),
        .most_bytes_per_cycle = twin_number(own, "most_GBps", HUGE_VAL) / frequency_GHz,
    };
  }
}

/* Chips and links between them: a list of axes, or the short form of two rings. */
static void read_network(twin_system *system, const cJSON *network, const double frequency_GHz) {
  const cJSON *axis = NULL;
  cJSON_ArrayForEach(axis, twin_member(network, "axes")) {
    assert(system->axis_count < TWIN_MAX_AXES);
    system->axes[system->axis_count++] = read_axis(axis, frequency_GHz);
  }
  if (system->axis_count == 0) {
    system->axis_count = 2;
    system->axes[0] = short_axis(twin_number(network, "chips_x", 1),
                                 twin_number(network, "link_bandwidth_x_GBps", 1), frequency_GHz);
    system->axes[1] = short_axis(twin_number(network, "chips_y", 1),
                                 twin_number(network, "link_bandwidth_y_GBps", 1), frequency_GHz);
  }
  system->one_ring = strcmp(twin_text(network, "collectives"), "ring") == 0;
  system->collective_order = read_order(twin_text(network, "collective_order"));
  system->collective_base_cycles =
      twin_number(network, "collective_base_us", 0) * frequency_GHz * 1000;
  system->in_network_reduction = twin_flag(network, "in_network_reduction");
  read_protocols(system, network, frequency_GHz);
}

bool twin_system_parse(twin_system *out, const char *json) {
  cJSON *const root = cJSON_Parse(json);
  if (root == NULL) {
    return false;
  }
  const cJSON *const array = twin_member(root, "array");
  const cJSON *const core = twin_member(root, "core");
  const cJSON *const chip = twin_member(root, "chip");
  const cJSON *const memory = twin_member(chip, "memory");
  const cJSON *const model = twin_member(root, "model");
  const double frequency_GHz =
      twin_number(core, "frequency_GHz", 1); /* GB/s over GHz = bytes per cycle */
  const double peak_TFLOPS = twin_number(chip, "peak_TFLOPS", 0);
  *out = (twin_system){
      .rows = twin_number(array, "rows", 1),
      .columns =
          twin_number(array, "columns", 1) * twin_number(twin_member(root, "pe"), "simd_macs", 1),
      .startup_cycles = twin_number(array, "startup_cycles", 1000),
      .overhead_cycles = twin_number(core, "operation_overhead_us", 0) * frequency_GHz * 1000,
      .arrays = twin_number(core, "arrays", 1),
      .vector_macs_per_cycle = twin_number(core, "vector_macs_per_cycle", 0),
      .array_efficiency = twin_number(array, "efficiency_ratio", 1),
      .block_cycles = twin_number(array, "block_cycles", 0),
      .unroll_kernel_on_rows = twin_flag(array, "unroll_kernel_on_rows"),
      .weights_from_scratchpad = twin_flag(array, "weights_from_scratchpad"),
      .cores = twin_number(chip, "cores", 1),
      .scratchpad_bytes = twin_number(core, "scratchpad_MiB", 1) * 1048576.0,
      .scratchpad_bytes_per_cycle =
          twin_number(core, "scratchpad_bandwidth_GBps", 1) / frequency_GHz,
      .streaming_buffer_bytes = twin_number(core, "streaming_buffer_KiB", 192) * 1024.0,
      .resident_weight_fraction = twin_number(core, "resident_weight_fraction", 0.75),
      .bptt_resident_copies = twin_number(model, "bptt_resident_copies", 2),
      .dysm_uniform = twin_flag(model, "dysm_uniform"),
      .dysm_accumulate_in_memory = twin_flag_unless_false(model, "dysm_accumulate_in_memory"),
      .sfu_ops_per_cycle = twin_number(core, "sfu_ops_per_cycle", peak_TFLOPS > 0 ? 1e12 : 16),
      .transcendental_passes = twin_number(core, "transcendental_passes", 4),
      .joint = read_joint(twin_text(chip, "interconnect")),
      .core_link_bytes_per_cycle = twin_number(chip, "core_link_bandwidth_GBps", 1) / frequency_GHz,
      .memory_bytes_per_cycle = twin_number(memory, "bandwidth_GBps", 1) *
                                twin_number(memory, "efficiency_ratio", 1) / frequency_GHz,
      .memory_tile_minor = twin_number(memory, "tile_minor", 1),
      .memory_tile_second = twin_number(memory, "tile_second", 1),
      .memory_stacks = twin_number(memory, "stacks", 1),
      .capacity_bytes = twin_number(memory, "capacity_GB", 1) * 1e9 *
                        (1 - twin_number(memory, "reserve_ratio", 0)),
      .tile_startup_cycles = twin_number(core, "tile_startup_us", 1) * frequency_GHz * 1000,
      .sustained_ratio = twin_number(core, "sustained_frequency_ratio", 1),
      .shared_operands = twin_number(core, "shared_operands", 1),
      .kernel_floor_cycles = twin_number(core, "kernel_floor_us", 0) * frequency_GHz * 1000,
      .tile_least_rows = twin_number(core, "tile_least_rows", 16),
      .attention_floor_cycles = twin_number(core, "attention_floor_us", 10) * frequency_GHz * 1000,
      .attention_tile_cycles = twin_number(core, "attention_tile_us", 4) * frequency_GHz * 1000,
      .tile_least_side = twin_number(core, "tile_least_side", 64),
      .tile_most_elements = twin_number(core, "tile_most_elements", 32768),
      .relu_mask_bytes = twin_number(model, "relu_mask_bytes", 0.125),
      .batch_norm_saved_bytes = twin_number(model, "batch_norm_saved_bytes", 0.125),
      .reduce_memory_bytes = twin_number(model, "reduce_memory_bytes", 1),
      .broadcast_memory_bytes = twin_number(model, "broadcast_memory_bytes", 1),
      .reduce_ring_crossings = twin_number(model, "reduce_ring_crossings", 2),
      .rotate_memory_bytes = twin_number(model, "rotate_memory_bytes", 1),
      .relayout_memory_bytes = twin_number(model, "relayout_memory_bytes", 2),
      .weight_update_memory_bytes = twin_number(model, "weight_update_memory_bytes", 2),
  };
  twin_read_rates(out->type_rates, twin_member(root, "pe"));
  read_network(out, twin_member(root, "system"), frequency_GHz);
  read_refinements(out, model);
  read_auxiliary_traffic(out, model, memory, frequency_GHz);
  if (peak_TFLOPS > 0) {
    out->peak_macs_per_cycle = peak_TFLOPS * 500 / frequency_GHz;
    out->tile_schedule = true;
    if (twin_member(model, "auxiliary_traffic") == NULL) {
      out->auxiliary_traffic = TWIN_AUX_UNFUSED;
    }
  }
  read_shared_memory(out, twin_member(chip, "shared_memory"), frequency_GHz);
  cJSON_Delete(root);
  return true;
}

void twin_system_train(twin_system *system) {
  const double ratio = system->sustained_ratio;
  system->startup_cycles /= ratio;
  system->block_cycles /= ratio;
  system->array_efficiency *= ratio; /* of loads from scratchpads too */
  system->attention_efficiency *= ratio;
  system->vector_macs_per_cycle *= ratio;
  system->sfu_ops_per_cycle *= ratio;
  system->core_link_bytes_per_cycle *= ratio;
}
