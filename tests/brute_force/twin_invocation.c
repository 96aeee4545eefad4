/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <math.h>

/* Section 2 */

double twin_group_cycles(const twin_system *system, const double x_bytes, const double y_bytes,
                         const double memory_bytes, const double ring_bytes) {
  const double x = x_bytes / system->link_x_bytes_per_cycle;
  const double y = y_bytes / system->link_y_bytes_per_cycle;
  const double memory = memory_bytes / system->memory_bytes_per_cycle;
  const double ring = ring_bytes / system->core_link_bytes_per_cycle;
  return fmax(fmax(x, y), fmax(memory, ring));
}

/* Section 3 */

twin_layout twin_layout_of(const twin_system *system, const twin_parallelism parallelism) {
  const bool x_is_data = parallelism == TWIN_DATA || parallelism == TWIN_DATA_X_MODEL_Y;
  const bool y_is_data = parallelism == TWIN_DATA || parallelism == TWIN_MODEL_X_DATA_Y;
  const double m = system->chips_x;
  const double n = system->chips_y;
  const double nm = (x_is_data ? 1 : m) * (y_is_data ? 1 : n);
  return (twin_layout){
      .m = m, .n = n, .nm = nm, .nd = m * n / nm, .x_is_data = x_is_data, .y_is_data = y_is_data};
}

double twin_samples_per_chip(const twin_layout layout, const double samples) {
  return ceil(samples / layout.nd);
}

bool twin_split_is_valid(const twin_context *context, const twin_node *node,
                         const twin_parallelism parallelism, const double split[TWIN_DIM_COUNT],
                         const double samples) {
  const twin_layout layout = twin_layout_of(context->system, parallelism);
  const double inc =
      node->groups > 1 ? node->in / node->groups : ceil(twin_in_features(node) / layout.nm);
  const double outc = ceil(twin_out_features(node) / layout.nm);
  const double mbc = twin_samples_per_chip(layout, samples);
  return split[0] <= inc && split[1] <= outc && split[2] <= node->ij && split[3] <= node->kij &&
         split[4] <= mbc;
}

/* Section 4 */

/* (groups a core, reduction features a core, produced features a core) in forward and update. */
typedef struct {
  double groups;
  double reduced;
  double produced;
} core_features;

static core_features core_features_of(const twin_node *node, const twin_layout layout,
                                      const double k_in, const double k_out) {
  const double g = node->groups;
  if (g > 1) {
    return (core_features){
        .groups = ceil(g / fmin(g, k_out)),
        .reduced = ceil(node->in / g / k_in),
        .produced = ceil(node->out / g / ceil(k_out / g)),
    };
  }
  const double inc = ceil(twin_in_features(node) / layout.nm);
  const double outc = ceil(twin_out_features(node) / layout.nm);
  return (core_features){.groups = 1, .reduced = ceil(inc / k_in), .produced = ceil(outc / k_out)};
}

static double primary_cycles(const twin_context *context, const twin_node *node,
                             const twin_pass_kind pass, const twin_layout layout,
                             const double split[TWIN_DIM_COUNT], const double mbc) {
  const twin_system *const system = context->system;
  const core_features features = core_features_of(node, layout, split[0], split[1]);
  const double c_ij = ceil(node->ij / split[2]);
  const double c_kij = ceil(node->kij / split[3]);
  const double c_mb = ceil(mbc / split[4]);
  const double red = pass == TWIN_BACKWARD ? features.produced : features.reduced;
  const double prod = pass == TWIN_BACKWARD ? features.reduced : features.produced;
  const double column_blocks = ceil(prod / system->columns);
  const double row_blocks = system->unroll_kernel_on_rows ? ceil(red * c_kij / system->rows)
                                                          : ceil(red / system->rows) * c_kij;
  const double blocks = features.groups * row_blocks * column_blocks;
  const double weight_load_cycles = system->rows * system->columns *
                                    context->workload->element_bytes /
                                    system->scratchpad_bytes_per_cycle;
  const double stream =
      system->weights_from_scratchpad ? fmax(c_ij * c_mb, weight_load_cycles) : c_ij * c_mb;
  return layout.nm * (blocks * stream + system->startup_cycles);
}

static double forward_ops(const twin_node *node, const double t, const bool inference) {
  if (node->kind == TWIN_LSTM) {
    return (4 * (1 + t) + t + 4) * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (node->has_norm) {
    ops += inference ? o : 2 * o;
  } else if (node->has_transcendental) {
    ops += t * o;
  } else if (node->has_relu || node->has_bias) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? (t + 2) * o : 0;
  return ops + node->input_pool_ops;
}

static double backward_ops(const twin_node *node) {
  if (node->kind == TWIN_LSTM) {
    return 20 * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (node->has_norm) {
    ops += 4 * o;
  } else if (node->has_transcendental || node->has_relu) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? o : 0;
  return ops + node->input_pool_ops;
}

static double auxiliary_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double mbc) {
  const twin_system *const system = context->system;
  double ops = 0;
  if (pass == TWIN_FORWARD) {
    ops = forward_ops(node, system->transcendental_passes, context->inference);
  } else if (pass == TWIN_BACKWARD || !twin_has_backward(node)) {
    ops = backward_ops(node);
  }
  return ops * mbc / (layout.nm * system->cores * system->sfu_ops_per_cycle);
}

/* Section 5 */

/* Bytes of one invocation: of the chip, and of one core. */
typedef struct {
  double inp;
  double st;
  double raw;
  double ker;
  double save;
  double s_in;
  double s_out;
  double kcore;
} traffic;

static traffic traffic_of(const twin_context *context, const twin_node *node,
                          const twin_layout layout, const double split[TWIN_DIM_COUNT],
                          const double mbc) {
  const double b = context->workload->element_bytes;
  const double in_bytes = twin_in_elements(node) * mbc * b;
  const double out_bytes = twin_out_elements(node) * mbc * b;
  const bool is_matmul = node->kind == TWIN_MATMUL;
  const double kernel_bytes =
      is_matmul ? node->operand_elements * mbc * b : twin_weight_elements(node) * b;
  const double k_in = fmin(node->groups, split[1]) * split[0]; /* cores that share no input */
  const bool saves = node->kind == TWIN_LSTM && !context->inference;
  return (traffic){
      .inp = in_bytes / layout.nm,
      .st = twin_stored_elements(node) * mbc * b / layout.nm,
      .raw = out_bytes / layout.nm,
      .ker = kernel_bytes / layout.nm,
      .save = saves ? 5 * node->out * mbc * b / layout.nm : 0,
      .s_in = in_bytes / (layout.nm * k_in * split[2] * split[4]),
      .s_out = out_bytes / (layout.nm * split[1] * split[2] * split[4]),
      .kcore = kernel_bytes / (layout.nm * split[0] * split[3] * (is_matmul ? split[4] : split[1])),
  };
}

/* `mem` of section 5: memory bytes of one invocation. */
static double memory_traffic_bytes(const twin_context *context, const twin_node *node,
                                   const twin_pass_kind pass, const twin_layout layout,
                                   const traffic *bytes, const twin_condition *condition) {
  const twin_system *const system = context->system;
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const double tile = condition->cap_bytes / 2;
  const double n1 = condition->is_resident ? 1 : ceil(bytes->kcore / tile);
  const double copies = pass == TWIN_UPDATE && condition->accumulates ? 2 : 1;
  const double kt = condition->is_resident ? 0 : bytes->ker * copies;
  const double mask = twin_in_elements(node) * mbc * system->relu_mask_bytes / layout.nm;
  const double saved = twin_out_elements(node) * mbc * system->batch_norm_saved_bytes / layout.nm;
  const bool fetches_shortcut = node->has_residual && !condition->is_shortcut_held;
  const double written = condition->is_output_held ? 0 : bytes->st;
  if (pass == TWIN_FORWARD) {
    const double deferred =
        condition->deferred_elements * mbc * context->workload->element_bytes / layout.nm;
    const double io_in = condition->is_input_held ? 0 : bytes->inp;
    const double io_out = written + deferred + bytes->save;
    const double fix = !fetches_shortcut ? 0 : node->pool_window > 0 ? bytes->raw : bytes->st;
    return fmin(io_in * n1 + kt, io_in + kt * ceil(bytes->s_in / tile)) + io_out + fix;
  }
  if (pass == TWIN_BACKWARD) {
    const double io_in = condition->is_input_held ? 0 : bytes->inp + mask;
    const double io_out = written + bytes->save;
    const double fix = fetches_shortcut ? bytes->st : 0;
    return fmin(io_out * n1 + kt, io_out + kt * ceil(bytes->s_out / tile)) + io_in + fix;
  }
  const double io_in = bytes->inp;
  const double io_out = condition->is_output_held ? 0 : bytes->st + (node->has_norm ? saved : 0);
  return (io_in + io_out) * n1 + kt;
}

static double partial_sum_cycles(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_layout layout,
                                 const double split[TWIN_DIM_COUNT], const traffic *bytes) {
  double r = 1;
  double shared = 0;
  if (pass == TWIN_FORWARD) {
    r = split[0] * split[3];
    shared = bytes->s_out;
  } else if (pass == TWIN_BACKWARD) {
    r = split[1] * split[3];
    shared = bytes->s_in * layout.nm;
  } else {
    r = split[2] * split[4];
    shared = node->kind == TWIN_MATMUL ? 0 : bytes->kcore;
  }
  const double part = (r - 1) * shared * context->workload->partial_sum_bytes /
                      (r * context->workload->element_bytes);
  return part / context->system->core_link_bytes_per_cycle;
}

typedef struct {
  double x; /* bytes */
  double y; /* bytes */
} link_bytes;

static link_bytes rotation_bytes(const twin_context *context, const twin_node *node,
                                 const twin_parallelism parallelism, const twin_layout layout,
                                 const double mbc) {
  const double full = twin_in_elements(node) * mbc * context->workload->element_bytes;
  double x = 0;
  double y = 0;
  switch (parallelism) {
  case TWIN_MODEL:
    x = full;
    y = full / layout.m;
    break;
  case TWIN_MODEL_X_DATA_Y:
    x = full;
    break;
  case TWIN_DATA_X_MODEL_Y:
    y = full;
    break;
  case TWIN_DATA:
  case TWIN_PARALLELISM_COUNT:
    break;
  }
  return (link_bytes){.x = layout.m > 1 ? x : 0, .y = layout.n > 1 ? y : 0};
}

twin_condition twin_plain_condition(const twin_context *context, const twin_node *node) {
  return (twin_condition){
      .samples = context->workload->minibatch,
      .cap_bytes = context->system->scratchpad_bytes,
      .accumulates = node->timesteps > 1,
  };
}

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   const twin_pass_kind pass, const twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT],
                                   const twin_condition *condition) {
  const twin_system *const system = context->system;
  const twin_layout layout = twin_layout_of(system, parallelism);
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const traffic bytes = traffic_of(context, node, layout, split, mbc);
  const double mem = memory_traffic_bytes(context, node, pass, layout, &bytes, condition);
  const link_bytes rotated = rotation_bytes(context, node, parallelism, layout, mbc);
  const double rm = system->rotate_memory_bytes * fmax(rotated.x, rotated.y);

  twin_invocation cost = {
      .split = {split[0], split[1], split[2], split[3], split[4]},
      .primary = primary_cycles(context, node, pass, layout, split, mbc),
      .auxiliary = auxiliary_cycles(context, node, pass, layout, mbc),
      .non_overlapped = partial_sum_cycles(context, node, pass, layout, split, &bytes),
      .core_bytes = bytes.s_in + bytes.s_out + bytes.kcore,
      .kernel_bytes = bytes.kcore,
  };
  if (parallelism == TWIN_DATA) {
    cost.overlapped = twin_group_cycles(system, 0, 0, mem, mem);
  } else if (pass == TWIN_BACKWARD) {
    cost.overlapped = twin_group_cycles(system, 0, 0, mem, mem);
    cost.non_overlapped +=
        twin_group_cycles(system, rotated.x, rotated.y, rm, rotated.x + rotated.y) *
        context->workload->partial_sum_bytes / context->workload->element_bytes;
  } else {
    cost.overlapped = twin_group_cycles(system, rotated.x, rotated.y, mem + rm, mem + rm);
  }
  cost.total = fmax(cost.primary, cost.overlapped) + cost.auxiliary + cost.non_overlapped;
  return cost;
}
