/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <math.h>

/* Section 1 */

static double in_features(const twin_node *node) {
  return node->kind == TWIN_LSTM ? node->in + node->out : node->in;
}

static double out_features(const twin_node *node) {
  return node->kind == TWIN_LSTM ? 4 * node->out : node->out;
}

static double in_elements(const twin_node *node) {
  switch (node->kind) {
  case TWIN_CONV:
  case TWIN_FC:
    return node->in * node->iij;
  case TWIN_LSTM:
    return node->in + node->out;
  case TWIN_MATMUL:
    return node->in;
  }
  return 0;
}

static double out_elements(const twin_node *node) {
  return node->kind == TWIN_LSTM ? 4 * node->out : node->out * node->ij;
}

static double stored_elements(const twin_node *node) {
  return node->kind == TWIN_LSTM ? node->out : node->out * node->stored_ij;
}

static double weight_elements(const twin_node *node) {
  switch (node->kind) {
  case TWIN_CONV:
  case TWIN_FC:
    return node->in * node->out * node->kij / node->groups;
  case TWIN_LSTM:
    return (node->in + node->out) * 4 * node->out;
  case TWIN_MATMUL:
    return 0;
  }
  return 0;
}

static double macs(const twin_node *node) {
  switch (node->kind) {
  case TWIN_CONV:
  case TWIN_FC:
    return node->in * node->out * node->kij * node->ij / node->groups;
  case TWIN_LSTM:
    return (node->in + node->out) * 4 * node->out;
  case TWIN_MATMUL:
    return node->in * node->out;
  }
  return 0;
}

static bool reads_network_input(const twin_node *node) {
  for (size_t i = 0; i < node->inputs.count; i++) {
    if (node->inputs.layers[i] == TWIN_NETWORK_INPUT) {
      return true;
    }
  }
  return false;
}

static bool reads_only_network_input(const twin_node *node) {
  for (size_t i = 0; i < node->inputs.count; i++) {
    if (node->inputs.layers[i] != TWIN_NETWORK_INPUT) {
      return false;
    }
  }
  return true;
}

static bool has_backward(const twin_node *node) {
  const bool is_feed_forward = node->kind == TWIN_CONV || node->kind == TWIN_FC;
  return !(is_feed_forward && reads_only_network_input(node));
}

bool twin_has_pass(const twin_node *node, const twin_pass_kind pass, const bool inference) {
  switch (pass) {
  case TWIN_FORWARD:
    return true;
  case TWIN_BACKWARD:
    return !inference && has_backward(node);
  case TWIN_UPDATE:
    return !inference && node->kind != TWIN_MATMUL;
  case TWIN_PASS_COUNT:
    break;
  }
  return false;
}

double twin_invocation_count(const twin_node *node, const twin_pass_kind pass) {
  return node->kind == TWIN_MATMUL && pass == TWIN_BACKWARD ? 2 * node->timesteps : node->timesteps;
}

/* Section 2 */

static double group_cycles(const twin_system *system, const double x_bytes, const double y_bytes,
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

static double samples_per_chip(const twin_context *context, const twin_layout layout) {
  return ceil(context->workload->minibatch / layout.nd);
}

bool twin_split_is_valid(const twin_context *context, const twin_node *node,
                         const twin_parallelism parallelism, const double split[TWIN_DIM_COUNT]) {
  const twin_layout layout = twin_layout_of(context->system, parallelism);
  const double inc =
      node->groups > 1 ? node->in / node->groups : ceil(in_features(node) / layout.nm);
  const double outc = ceil(out_features(node) / layout.nm);
  const double mbc = samples_per_chip(context, layout);
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
  const double inc = ceil(in_features(node) / layout.nm);
  const double outc = ceil(out_features(node) / layout.nm);
  return (core_features){.groups = 1, .reduced = ceil(inc / k_in), .produced = ceil(outc / k_out)};
}

static double primary_cycles(const twin_context *context, const twin_node *node,
                             const twin_pass_kind pass, const twin_layout layout,
                             const double split[TWIN_DIM_COUNT]) {
  const twin_system *const system = context->system;
  const core_features features = core_features_of(node, layout, split[0], split[1]);
  const double c_ij = ceil(node->ij / split[2]);
  const double c_kij = ceil(node->kij / split[3]);
  const double c_mb = ceil(samples_per_chip(context, layout) / split[4]);
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
  const double o = out_elements(node);
  double ops = 0;
  if (node->has_norm) {
    ops += inference ? o : 2 * o;
  } else if (node->has_transcendental) {
    ops += t * o;
  } else if (node->has_relu || node->has_bias) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? (t + 2) * o : 0;
  return ops + node->input_pool_ops;
}

static double backward_ops(const twin_node *node) {
  if (node->kind == TWIN_LSTM) {
    return 20 * node->out;
  }
  const double o = out_elements(node);
  double ops = 0;
  if (node->has_norm) {
    ops += 4 * o;
  } else if (node->has_transcendental || node->has_relu) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? o : 0;
  return ops + node->input_pool_ops;
}

static double auxiliary_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout) {
  const twin_system *const system = context->system;
  double ops = 0;
  if (pass == TWIN_FORWARD) {
    ops = forward_ops(node, system->transcendental_passes, context->inference);
  } else if (pass == TWIN_BACKWARD || !has_backward(node)) {
    ops = backward_ops(node);
  }
  return ops * samples_per_chip(context, layout) /
         (layout.nm * system->cores * system->sfu_ops_per_cycle);
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
                          const twin_layout layout, const double split[TWIN_DIM_COUNT]) {
  const double b = context->workload->element_bytes;
  const double mbc = samples_per_chip(context, layout);
  const double in_bytes = in_elements(node) * mbc * b;
  const double out_bytes = out_elements(node) * mbc * b;
  const bool is_matmul = node->kind == TWIN_MATMUL;
  const double kernel_bytes =
      is_matmul ? node->operand_elements * mbc * b : weight_elements(node) * b;
  const double k_in = fmin(node->groups, split[1]) * split[0]; /* cores that share no input */
  const bool saves = node->kind == TWIN_LSTM && !context->inference;
  return (traffic){
      .inp = in_bytes / layout.nm,
      .st = stored_elements(node) * mbc * b / layout.nm,
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
                                   const traffic *bytes) {
  const twin_system *const system = context->system;
  const double mbc = samples_per_chip(context, layout);
  const double tile = system->scratchpad_bytes / 2;
  const double n1 = ceil(bytes->kcore / tile);
  const double kt = bytes->ker * (pass == TWIN_UPDATE && node->timesteps > 1 ? 2 : 1);
  const double mask = in_elements(node) * mbc * system->relu_mask_bytes / layout.nm;
  const double saved = out_elements(node) * mbc * system->batch_norm_saved_bytes / layout.nm;
  if (pass == TWIN_FORWARD) {
    const double io_in = bytes->inp;
    const double io_out = bytes->st + bytes->save;
    const double fix = !node->has_residual ? 0 : node->pool_window > 0 ? bytes->raw : bytes->st;
    return fmin(io_in * n1 + kt, io_in + kt * ceil(bytes->s_in / tile)) + io_out + fix;
  }
  if (pass == TWIN_BACKWARD) {
    const double io_in = bytes->inp + mask;
    const double io_out = bytes->st + bytes->save;
    const double fix = node->has_residual ? bytes->st : 0;
    return fmin(io_out * n1 + kt, io_out + kt * ceil(bytes->s_out / tile)) + io_in + fix;
  }
  const double io_in = bytes->inp;
  const double io_out = bytes->st + (node->has_norm ? saved : 0);
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
                                 const twin_parallelism parallelism, const twin_layout layout) {
  const double full =
      in_elements(node) * samples_per_chip(context, layout) * context->workload->element_bytes;
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

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   const twin_pass_kind pass, const twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT]) {
  const twin_system *const system = context->system;
  const twin_layout layout = twin_layout_of(system, parallelism);
  const traffic bytes = traffic_of(context, node, layout, split);
  const double mem = memory_traffic_bytes(context, node, pass, layout, &bytes);
  const link_bytes rotated = rotation_bytes(context, node, parallelism, layout);
  const double rm = system->rotate_memory_bytes * fmax(rotated.x, rotated.y);

  twin_invocation cost = {
      .split = {split[0], split[1], split[2], split[3], split[4]},
      .primary = primary_cycles(context, node, pass, layout, split),
      .auxiliary = auxiliary_cycles(context, node, pass, layout),
      .non_overlapped = partial_sum_cycles(context, node, pass, layout, split, &bytes),
      .core_bytes = bytes.s_in + bytes.s_out + bytes.kcore,
  };
  if (parallelism == TWIN_DATA) {
    cost.overlapped = group_cycles(system, 0, 0, mem, mem);
  } else if (pass == TWIN_BACKWARD) {
    cost.overlapped = group_cycles(system, 0, 0, mem, mem);
    cost.non_overlapped += group_cycles(system, rotated.x, rotated.y, rm, rotated.x + rotated.y) *
                           context->workload->partial_sum_bytes / context->workload->element_bytes;
  } else {
    cost.overlapped = group_cycles(system, rotated.x, rotated.y, mem + rm, mem + rm);
  }
  cost.total = fmax(cost.primary, cost.overlapped) + cost.auxiliary + cost.non_overlapped;
  return cost;
}

double twin_weight_exchange_cycles(const twin_context *context, const twin_node *node,
                                   const twin_parallelism parallelism) {
  const twin_system *const system = context->system;
  const twin_layout layout = twin_layout_of(system, parallelism);
  const double b = context->workload->element_bytes;
  const double bg = context->workload->gradient_bytes;
  const double weights = weight_elements(node);
  const double w = weights * bg / layout.nm;
  const double vx = layout.x_is_data ? w * (layout.m - 1) / layout.m : 0;
  const double w2 = layout.x_is_data ? w / layout.m : w;
  const double vy = layout.y_is_data ? w2 * (layout.n - 1) / layout.n : 0;
  const double crossings = system->reduce_ring_crossings;
  double cycles = 0;
  if (layout.nd > 1) {
    cycles += group_cycles(system, vx, vy, system->reduce_memory_bytes * w, crossings * (vx + vy));
    cycles +=
        group_cycles(system, vx * b / bg, vy * b / bg, system->broadcast_memory_bytes * w * b / bg,
                     crossings * (vx + vy) * b / bg);
  }
  const double owned_bytes = weights * b / (layout.nm * layout.nd);
  return cycles + group_cycles(system, 0, 0, system->weight_update_memory_bytes * owned_bytes, 0);
}

static bool refs_contain(const twin_refs *refs, const size_t layer) {
  for (size_t i = 0; i < refs->count; i++) {
    if (refs->layers[i] == (int)layer) {
      return true;
    }
  }
  return false;
}

/* Is the stored output of `layer` read by the layer `first` or a later one? */
static bool is_used_from(const twin_workload *workload, const size_t layer, const size_t first,
                         const bool operands_count) {
  for (size_t i = first; i < workload->node_count; i++) {
    const twin_node *const user = &workload->nodes[i];
    if (refs_contain(&user->inputs, layer) || refs_contain(&user->shortcut, layer) ||
        (operands_count && refs_contain(&user->operand, layer))) {
      return true;
    }
  }
  return false;
}

double twin_relayout_cycles(const twin_context *context, const size_t boundary,
                            const twin_parallelism from, const twin_parallelism to) {
  if (from == to) {
    return 0;
  }
  const twin_workload *const workload = context->workload;
  double total_bytes = 0;
  for (size_t i = 0; i < boundary; i++) {
    if (is_used_from(workload, i, boundary, false)) {
      total_bytes += stored_elements(&workload->nodes[i]) * workload->nodes[i].timesteps *
                     workload->minibatch * workload->element_bytes;
    }
  }
  const twin_layout before = twin_layout_of(context->system, from);
  const twin_layout after = twin_layout_of(context->system, to);
  const double m = before.m;
  const double n = before.n;
  const double x = before.x_is_data != after.x_is_data ? total_bytes * (m - 1) / (2 * m * n) : 0;
  const double y = before.y_is_data != after.y_is_data ? total_bytes * (n - 1) / (2 * m * n) : 0;
  return group_cycles(context->system, x, y,
                      context->system->relayout_memory_bytes * total_bytes / (m * n), 0);
}

/* Section 6 */

double twin_ideal_cycles(const twin_context *context) {
  const twin_system *const system = context->system;
  double total_macs = 0;
  for (size_t i = 0; i < context->workload->node_count; i++) {
    const twin_node *const node = &context->workload->nodes[i];
    double passes = 0;
    for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
      if (twin_has_pass(node, (twin_pass_kind)pass, context->inference)) {
        passes += node->kind == TWIN_MATMUL && pass == TWIN_BACKWARD ? 2 : 1;
      }
    }
    total_macs += macs(node) * node->timesteps * passes;
  }
  const double peak_macs_per_cycle =
      system->chips_x * system->chips_y * system->cores * system->rows * system->columns;
  return context->workload->minibatch * total_macs / peak_macs_per_cycle;
}

/* Section 12 */

/* The part of a tensor with `elements` per sample that a chip keeps. */
static double tensor_bytes(const twin_context *context, const double elements,
                           const twin_layout layout) {
  return elements * samples_per_chip(context, layout) * context->workload->element_bytes /
         layout.nm;
}

static double network_input_bytes(const twin_context *context) {
  const twin_workload *const workload = context->workload;
  const double chips = context->system->chips_x * context->system->chips_y;
  double timesteps = 0;
  for (size_t i = 0; i < workload->node_count; i++) {
    if (reads_network_input(&workload->nodes[i])) {
      timesteps = fmax(timesteps, workload->nodes[i].timesteps);
    }
  }
  return workload->input_elements * timesteps * ceil(workload->minibatch / chips) *
         workload->element_bytes;
}

static double stored_step_elements(const twin_node *node) {
  return stored_elements(node) * node->timesteps;
}

static double training_bytes(const twin_context *context, const twin_parallelism *sequence) {
  const twin_workload *const workload = context->workload;
  const double per_weight =
      workload->element_bytes + workload->gradient_bytes + workload->optimizer_bytes_per_weight;
  double bytes = network_input_bytes(context);
  double largest_error_pair = 0;
  for (size_t i = 0; i < workload->node_count; i++) {
    const twin_node *const node = &workload->nodes[i];
    const twin_layout layout = twin_layout_of(context->system, sequence[i]);
    const double kept = node->kind == TWIN_LSTM ? 6 * node->out : stored_elements(node);
    bytes += weight_elements(node) * per_weight / layout.nm;
    bytes += tensor_bytes(context, kept * node->timesteps, layout);
    if (!has_backward(node)) {
      continue;
    }
    double errors = stored_step_elements(node);
    for (size_t j = 0; j < node->inputs.count; j++) {
      const int producer = node->inputs.layers[j];
      errors +=
          producer == TWIN_NETWORK_INPUT ? 0 : stored_step_elements(&workload->nodes[producer]);
    }
    largest_error_pair = fmax(largest_error_pair, tensor_bytes(context, errors, layout));
  }
  return bytes + largest_error_pair;
}

static double inference_bytes(const twin_context *context, const twin_parallelism *sequence) {
  const twin_workload *const workload = context->workload;
  double weight_bytes = 0;
  double largest_live_bytes = 0;
  for (size_t i = 0; i < workload->node_count; i++) {
    const twin_layout layout = twin_layout_of(context->system, sequence[i]);
    weight_bytes += weight_elements(&workload->nodes[i]) * workload->element_bytes / layout.nm;
    double live = stored_step_elements(&workload->nodes[i]);
    for (size_t j = 0; j < i; j++) {
      live += is_used_from(workload, j, i, true) ? stored_step_elements(&workload->nodes[j]) : 0;
    }
    bool input_is_live = false;
    for (size_t j = i; j < workload->node_count; j++) {
      input_is_live = input_is_live || reads_network_input(&workload->nodes[j]);
    }
    const double live_bytes =
        tensor_bytes(context, live, layout) + (input_is_live ? network_input_bytes(context) : 0);
    largest_live_bytes = fmax(largest_live_bytes, live_bytes);
  }
  return weight_bytes + largest_live_bytes;
}

double twin_memory_bytes(const twin_context *context, const twin_parallelism *sequence) {
  return context->inference ? inference_bytes(context, sequence)
                            : training_bytes(context, sequence);
}
