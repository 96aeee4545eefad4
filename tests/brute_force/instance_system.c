/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_parts.h"

/* A machine on which much ties: powers of two, equal links, no startup, a square torus. */
typedef struct {
  bool is_degenerate;
  size_t chips_x;
  size_t chips_y;
  const instance_system *given;
} machine;

static const double bandwidths_GBps[] = {1,  2,  4,  6,  8,   10,  12,  16, 20,
                                         32, 40, 64, 80, 120, 128, 256, 512};
static const double even_bandwidths_GBps[] = {1, 4, 16, 64, 256, 1024};

static double pick_bandwidth_GBps(instance_random *random, const machine *kind) {
  return kind->is_degenerate ? INSTANCE_PICK_REAL(random, even_bandwidths_GBps)
                             : INSTANCE_PICK_REAL(random, bandwidths_GBps);
}

static machine pick_machine(instance_random *random, const instance_system *given) {
  static const size_t even_chips[] = {1, 2, 2, 4};
  machine kind = {
      .is_degenerate = instance_random_chance(random, 30),
      .chips_x = instance_random_between(random, 1, 6),
      .chips_y = instance_random_between(random, 1, 6),
      .given = given,
  };
  if (kind.is_degenerate) {
    kind.chips_x = INSTANCE_PICK(random, even_chips);
    kind.chips_y =
        instance_random_chance(random, 60) ? kind.chips_x : INSTANCE_PICK(random, even_chips);
  }
  if (instance_random_chance(random, 10)) {
    kind.chips_x = 1;
  }
  if (instance_random_chance(random, 10)) {
    kind.chips_y = 1;
  }
  if (given->is_full) {
    kind.chips_x = given->chips_x;
    kind.chips_y = given->chips_y;
  }
  return kind;
}

static void write_array(instance_text *text, instance_random *random, const machine *kind) {
  static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16};
  static const size_t simd_macs[] = {1, 1, 2, 3, 4, 8};
  static const double efficiencies[] = {0.25, 0.5, 0.8};
  static const size_t changes[] = {1, 3, 14, 100};
  static const size_t startups[] = {0, 1, 8, 10, 64, 100, 1000};
  instance_text_key(text, "pe");
  instance_text_open(text, '{');
  instance_text_count(text, "simd_macs", INSTANCE_PICK(random, simd_macs));
  if (instance_random_chance(random, 25)) {
    static const char *const types[] = {"int8", "fp8", "fp16", "bf16", "tf32", "fp32"};
    static const double rates[] = {0.25, 0.5, 1, 2, 4};
    instance_text_key(text, "rates");
    instance_text_open(text, '{');
    instance_random own = {.state = random->state ^ UINT64_C(0x3462697472617465)};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
      instance_text_real(text, types[i], INSTANCE_PICK_REAL(random, rates));
    }
    if (instance_random_chance(&own, 50)) {
      instance_text_real(text, "int4", INSTANCE_PICK_REAL(&own, rates));
      instance_text_real(text, "fp4", INSTANCE_PICK_REAL(&own, rates));
    }
    instance_text_close(text, '}');
  }
  instance_text_close(text, '}');
  instance_text_key(text, "array");
  instance_text_open(text, '{');
  instance_text_count(text, "rows", INSTANCE_PICK(random, sizes));
  instance_text_count(text, "columns", INSTANCE_PICK(random, sizes));
  const size_t startup = INSTANCE_PICK(random, startups);
  instance_text_count(text, "startup_cycles",
                      kind->given->regime == INSTANCE_MEMORY_REGIME    ? startup % 10
                      : kind->given->regime == INSTANCE_STARTUP_REGIME ? 1000 + 2 * startup
                      : kind->is_degenerate && startup < 100           ? 0
                                                                       : startup);
  if (instance_random_chance(random, 40)) {
    instance_text_bool(text, "unroll_kernel_on_rows", instance_random_chance(random, 75));
  }
  if (instance_random_chance(random, 40)) {
    instance_text_bool(text, "weights_from_scratchpad", instance_random_chance(random, 75));
  }
  if (instance_random_chance(random, 25)) {
    instance_text_real(text, "efficiency_ratio", INSTANCE_PICK_REAL(random, efficiencies));
  }
  if (instance_random_chance(random, 25)) {
    instance_text_count(text, "block_cycles", INSTANCE_PICK(random, changes));
  }
  instance_text_close(text, '}');
}

static void write_core(instance_text *text, instance_random *random, const machine *kind) {
  static const double frequencies_GHz[] = {0.5, 1, 1, 2, 4};
  static const size_t sfu_ops[] = {1, 2, 3, 4, 8, 16, 32};
  static const size_t passes[] = {1, 2, 3, 4, 6, 8};
  /* 64 bytes to 4 MiB: from every tensor cut into tiles to none. */
  const size_t octaves = instance_random_between(random, 0, 12);
  const double fewer = instance_random_chance(random, 20) ? 16 : 1;
  const double any_KiB = (double)((size_t)1 << octaves) / fewer;
  const double scratchpad_KiB =
      kind->given->is_full ? kind->given->scratchpad_bytes / 1024 : any_KiB;
  instance_text_key(text, "core");
  instance_text_open(text, '{');
  instance_text_real(text, "frequency_GHz", INSTANCE_PICK_REAL(random, frequencies_GHz));
  instance_text_real(text, "scratchpad_MiB", scratchpad_KiB / 1024);
  instance_text_real(text, "scratchpad_bandwidth_GBps", pick_bandwidth_GBps(random, kind));
  instance_text_count(text, "sfu_ops_per_cycle", INSTANCE_PICK(random, sfu_ops));
  if (instance_random_chance(random, 50)) {
    instance_text_count(text, "transcendental_passes", INSTANCE_PICK(random, passes));
  }
  if (instance_random_chance(random, 50)) {
    static const double startups_us[] = {0, 0.001, 0.01, 0.1};
    static const size_t sides[] = {1, 2, 3, 8, 16};
    static const size_t elements[] = {1, 4, 16, 64, 100, 512};
    instance_text_real(text, "tile_startup_us", INSTANCE_PICK_REAL(random, startups_us));
    instance_text_count(text, "tile_least_side", INSTANCE_PICK(random, sides));
    instance_text_count(text, "tile_most_elements", INSTANCE_PICK(random, elements));
    instance_text_count(text, "shared_operands", instance_random_between(random, 1, 3));
    instance_text_real(text, "kernel_floor_us", INSTANCE_PICK_REAL(random, startups_us));
    instance_text_count(text, "tile_least_rows", INSTANCE_PICK(random, sides));
    instance_text_real(text, "attention_floor_us", INSTANCE_PICK_REAL(random, startups_us));
    instance_text_real(text, "attention_tile_us", INSTANCE_PICK_REAL(random, startups_us));
  }
  if (instance_random_chance(random, 20)) {
    static const double ratios[] = {0.5, 0.8, 0.85};
    instance_text_real(text, "sustained_frequency_ratio", INSTANCE_PICK_REAL(random, ratios));
  }
  if (instance_random_chance(random, 25)) {
    instance_text_count(text, "arrays", instance_random_between(random, 2, 5));
  }
  if (instance_random_chance(random, 25)) {
    static const double rates[] = {0.5, 1, 2, 8, 32};
    instance_text_real(text, "vector_macs_per_cycle", INSTANCE_PICK_REAL(random, rates));
  }
  if (instance_random_chance(random, 25)) {
    static const double overheads_us[] = {0.001, 0.01, 0.05, 0.2, 1};
    instance_text_real(text, "operation_overhead_us", INSTANCE_PICK_REAL(random, overheads_us));
  }
  if (kind->given->is_full) {
    static const double fractions[] = {0.25, 0.5, 0.75, 1};
    instance_text_real(text, "streaming_buffer_KiB", kind->given->streaming_buffer_bytes / 1024);
    if (instance_random_chance(random, 50)) {
      instance_text_real(text, "resident_weight_fraction", INSTANCE_PICK_REAL(random, fractions));
    }
  }
  instance_text_close(text, '}');
}

/* What all cores share has as much room as all scratchpads have for what is held, or a little less
 * or more; else any, as where what is left of scratchpads is less than a byte. */
static void write_shared_memory(instance_text *text, instance_random *random, const machine *kind,
                                const double cores) {
  static const double ratios[] = {1, 1, 1, 0.5, 0.3, 2};
  const double any = (double)((size_t)1 << instance_random_between(random, 6, 20));
  const double room = kind->given->scratchpad_bytes - kind->given->streaming_buffer_bytes;
  const double held = cores * room * INSTANCE_PICK_REAL(random, ratios);
  const bool is_like_held = kind->given->is_full && room >= 1 && instance_random_chance(random, 70);
  instance_text_key(text, "shared_memory");
  instance_text_open(text, '{');
  instance_text_real(text, "capacity_MB", (is_like_held ? held : any) / 1e6);
  instance_text_real(text, "bandwidth_GBps", pick_bandwidth_GBps(random, kind));
  instance_text_close(text, '}');
}

static void write_chip(instance_text *text, instance_random *random, const machine *kind) {
  static const size_t cores[] = {1, 2, 3, 4, 6, 7, 8, 12, 16};
  static const size_t few_cores[] = {1, 2, 3, 4, 4, 5, 6, 6, 8, 8, 9, 12};
  static const double efficiencies[] = {0.5, 0.75, 0.8, 1};
  static const char *const joints[] = {"ring", "ring", "ring", "ring", "crossbar", "mesh"};
  instance_text_key(text, "chip");
  instance_text_open(text, '{');
  const size_t many =
      kind->given->is_full ? INSTANCE_PICK(random, few_cores) : INSTANCE_PICK(random, cores);
  const size_t joint = instance_random_between(random, 0, sizeof joints / sizeof joints[0] - 1);
  const bool is_alone = many == 1 && instance_random_chance(random, 25);
  instance_text_count(text, "cores", many);
  instance_text_string(text, "interconnect", is_alone ? "none" : joints[joint]);
  instance_text_real(text, "core_link_bandwidth_GBps", pick_bandwidth_GBps(random, kind));
  if (instance_random_chance(random, 8)) {
    static const double peaks[] = {0.001, 0.1, 1, 20};
    instance_text_real(text, "peak_TFLOPS", INSTANCE_PICK_REAL(random, peaks));
  }
  if (instance_random_chance(random, 25)) {
    write_shared_memory(text, random, kind, (double)many);
  }
  instance_text_key(text, "memory");
  instance_text_open(text, '{');
  const double reserve = instance_random_chance(random, 25) ? 0.08 : 0;
  instance_text_real(text, "capacity_GB", kind->given->capacity_GB / (1 - reserve));
  instance_text_real(text, "reserve_ratio", reserve);
  const double memory_GBps = pick_bandwidth_GBps(random, kind);
  static const double slowdowns[] = {2, 4, 8, 32};
  const double slowdown = INSTANCE_PICK_REAL(random, slowdowns);
  const bool is_slow = kind->given->regime == INSTANCE_MEMORY_REGIME && memory_GBps > 16;
  instance_text_real(text, "bandwidth_GBps", is_slow ? memory_GBps / slowdown : memory_GBps);
  if (!kind->is_degenerate && instance_random_chance(random, 60)) {
    instance_text_real(text, "efficiency_ratio", INSTANCE_PICK_REAL(random, efficiencies));
  }
  if (instance_random_chance(random, 25)) {
    static const size_t sides[] = {1, 2, 4, 8};
    instance_text_count(text, "tile_minor", INSTANCE_PICK(random, sides));
    instance_text_count(text, "tile_second", INSTANCE_PICK(random, sides));
    instance_text_count(text, "stacks", instance_random_between(random, 1, 2));
  }
  if (instance_random_chance(random, 25)) {
    instance_text_real(text, "auxiliary_efficiency_ratio",
                       INSTANCE_PICK_REAL(random, efficiencies));
  }
  instance_text_close(text, '}');
  instance_text_close(text, '}');
}

static void write_network(instance_text *text, instance_random *random, const machine *kind) {
  const double faster = kind->given->regime == INSTANCE_STARTUP_REGIME ? 64 : 1;
  if (kind->given->axes.count > 0) {
    double bandwidths[INSTANCE_MAX_AXES];
    for (size_t a = 0; a < INSTANCE_MAX_AXES; a++) {
      bandwidths[a] = pick_bandwidth_GBps(random, kind) * faster;
    }
    instance_axes_write(text, random, &kind->given->axes, bandwidths);
    return;
  }
  const double link_x_GBps = pick_bandwidth_GBps(random, kind) * faster;
  const bool is_symmetric = instance_random_chance(random, kind->is_degenerate ? 80 : 25);
  instance_text_key(text, "system");
  instance_text_open(text, '{');
  instance_text_string(text, "topology", "torus_2d");
  instance_text_count(text, "chips_x", kind->chips_x);
  instance_text_count(text, "chips_y", kind->chips_y);
  instance_text_real(text, "link_bandwidth_x_GBps", link_x_GBps);
  instance_text_real(text, "link_bandwidth_y_GBps",
                     is_symmetric ? link_x_GBps : pick_bandwidth_GBps(random, kind) * faster);
  instance_text_close(text, '}');
}

/* Keys of reuse and DySM. */
static void write_full_model(instance_text *text, instance_random *random,
                             const instance_system *given) {
  static const size_t copies[] = {1, 2, 2, 3};
  if (instance_random_chance(random, 40)) {
    instance_text_count(text, "bptt_resident_copies", INSTANCE_PICK(random, copies));
  }
  if (instance_random_chance(random, 50)) {
    instance_text_bool(text, "dysm_accumulate_in_memory", instance_random_chance(random, 40));
  }
  const bool states_uniform = instance_random_chance(random, 30);
  if (given->is_uniform || states_uniform) {
    instance_text_bool(text, "dysm_uniform", given->is_uniform);
  }
}

/* What auxiliary operations read and write, of every fourth machine. */
static void write_auxiliary_traffic(instance_text *text, instance_random *random) {
  static const char *const keys[] = {
      "traffic_batch_norm_forward",    "traffic_layer_norm_backward",
      "traffic_softmax_backward",      "traffic_activation_forward",
      "traffic_cross_entropy_forward", "traffic_cross_entropy_wide_backward",
      "traffic_bias_forward",          "traffic_residual_backward",
      "traffic_fork_backward"};
  static const double elements[] = {0, 0.5, 1, 1, 2, 4, 7};
  const size_t rule = instance_random_between(random, 0, 7);
  if (rule < 2) {
    instance_text_string(text, "auxiliary_traffic", rule == 0 ? "fused" : "unfused");
  }
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (instance_random_chance(random, 10)) {
      instance_text_real(text, keys[i], INSTANCE_PICK_REAL(random, elements));
    }
  }
}

/* What masks hide, what stays on chip of scores, and what else moves beside them. */
static void write_attention(instance_text *text, instance_random *random) {
  static const char *const keys[] = {"traffic_multiply_forward", "traffic_multiply_backward",
                                     "traffic_dropout_forward", "traffic_dropout_mask_backward",
                                     "traffic_rotary_backward"};
  static const double elements[] = {0, 0.5, 1, 1, 2, 4, 7};
  static const char *const kept[] = {"none", "without_activations", "all"};
  static const double ratios[] = {0, 0.25, 0.5, 1};
  if (instance_random_chance(random, 35)) {
    instance_text_bool(text, "causal_skip", instance_random_chance(random, 30));
  }
  if (instance_random_chance(random, 50)) {
    instance_text_bool(text, "fused_attention", instance_random_chance(random, 85));
    instance_text_bool(text, "attention_skips_masked", instance_random_chance(random, 80));
    instance_text_real(text, "attention_efficiency_ratio", INSTANCE_PICK_REAL(random, ratios));
  }
  if (instance_random_chance(random, 50)) {
    instance_text_string(text, "kept_inputs", kept[instance_random_between(random, 0, 2)]);
  }
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (instance_random_chance(random, 10)) {
      instance_text_real(text, keys[i], INSTANCE_PICK_REAL(random, elements));
    }
  }
}

static void write_model(instance_text *text, instance_random *random,
                        const instance_system *given) {
  static const char *const keys[] = {"relu_mask_bytes",       "batch_norm_saved_bytes",
                                     "reduce_memory_bytes",   "broadcast_memory_bytes",
                                     "reduce_ring_crossings", "rotate_memory_bytes",
                                     "relayout_memory_bytes", "weight_update_memory_bytes"};
  static const double bytes[] = {0.125, 0.25, 0.5, 1, 1.5, 2, 3, 4};
  if (instance_random_chance(random, 30) && !given->is_full && given->keys == 0) {
    return;
  }
  instance_text_key(text, "model");
  instance_text_open(text, '{');
  if (given->is_full) {
    write_full_model(text, random, given);
  }
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (instance_random_chance(random, 40)) {
      instance_text_real(text, keys[i], INSTANCE_PICK_REAL(random, bytes));
    }
  }
  instance_keys_write(text, random, given->keys);
  if (instance_random_chance(random, 25)) {
    instance_text_bool(text, "tile_schedule", true);
  }
  if (instance_random_chance(random, 30)) {
    instance_text_string(text, "tiling", "blocked");
  }
  write_auxiliary_traffic(text, random);
  if (instance_random_chance(random, 35)) {
    instance_text_bool(text, "fused_reductions", instance_random_chance(random, 85));
  }
  if (instance_random_chance(random, 25)) {
    instance_text_bool(text, "overlapped_reduction", true);
  }
  if (instance_random_chance(random, 20)) {
    instance_text_bool(text, "sharded_update", false);
  }
  write_attention(text, random);
  instance_text_close(text, '}');
}

void instance_system_write(instance_text *text, instance_random random,
                           const instance_system *system) {
  const machine kind = pick_machine(&random, system);
  instance_text_open(text, '{');
  instance_text_string(text, "format", "dsm-system/1");
  instance_text_string(text, "name", "random");
  write_array(text, &random, &kind);
  write_core(text, &random, &kind);
  write_chip(text, &random, &kind);
  write_network(text, &random, &kind);
  write_model(text, &random, system);
  instance_text_close(text, '}');
}
