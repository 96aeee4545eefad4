/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_between_cores.h"

#include <math.h>

#include "twin_bytes.h"

static double partial_sum_bytes(const twin_context *context, const twin_node *node,
                                const twin_pass_kind pass, const twin_layout layout,
                                const double split[TWIN_DIM_COUNT], const twin_traffic *bytes) {
  double r = 1;
  double shared = 0;
  if (pass == TWIN_FORWARD) {
    r = split[0] * split[3];
    shared = bytes->s_out;
  } else if (pass == TWIN_BACKWARD) {
    r = twin_cores_of_group(node, layout, split[1]) * split[3];
    shared = bytes->s_in * twin_turns(node, layout);
  } else {
    r = split[2] * split[4];
    shared = node->kind == TWIN_MATMUL || node->kind == TWIN_EMBEDDING ? 0 : bytes->kcore;
  }
  return (r - 1) * shared * twin_sum_widening(context, node, pass) / r;
}

/* Two numbers of 4 bytes a sum: of a feature in a batch_norm, of a sample in the others. */
static double statistics_bytes(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double split[TWIN_DIM_COUNT], const double samples) {
  const bool is_due = pass == TWIN_FORWARD || pass == TWIN_BACKWARD || !twin_has_backward(node);
  if (!context->system->statistics_sums || node->kind == TWIN_LSTM || !is_due) {
    return 0;
  }
  const double k_out = split[1];
  const double r = split[2] * split[4];
  const double mbc = twin_samples_per_chip(layout, samples);
  const double of_features = (r - 1) * 2 * twin_out_features(node) * 4 / (r * layout.nm * k_out);
  const double of_samples = (k_out - 1) * 2 * mbc * 4 / (k_out * split[4]);
  double bytes = node->has_batch_norm && !context->inference ? of_features : 0;
  bytes += node->has_layer_norm && !node->has_norm_of_heads ? of_samples : 0;
  bytes += node->has_rms_norm && !node->has_norm_of_heads ? of_samples : 0;
  bytes += node->has_softmax ? of_samples : 0;
  bytes += node->has_loss ? of_samples : 0;
  return bytes;
}

/* Each core has its part, and sends it to random cores. */
static double move_cycles(const twin_system *system, const double bytes) {
  if (system->tile_schedule) {
    return 0; /* tiles fetch their operands in any case */
  }
  return twin_anywhere_bytes(system, bytes / system->cores) / system->core_link_bytes_per_cycle;
}

/* What moves where held tensors always do: inputs, and errors of outputs. A held shortcut does not.
 */
static double always_moved_bytes(const twin_pass_kind pass, const twin_traffic *bytes,
                                 const twin_condition *condition) {
  if (pass == TWIN_FORWARD) {
    return condition->is_input_held ? bytes->inp : 0;
  }
  return condition->is_output_held ? bytes->st : 0;
}

double twin_between_cores_cycles(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_layout layout,
                                 const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                                 const twin_condition *condition) {
  const twin_system *const system = context->system;
  const double sums = partial_sum_bytes(context, node, pass, layout, split, bytes) +
                      statistics_bytes(context, node, pass, layout, split, condition->samples);
  const double moved =
      system->layout_move == TWIN_MOVE_ALWAYS ? always_moved_bytes(pass, bytes, condition) : 0;
  return twin_sent_bytes(system, sums) / system->core_link_bytes_per_cycle +
         move_cycles(system, moved);
}

/* Does a core find its part of a tensor within what lies with it? */
static bool fits(const twin_parts parts, const double features, const double positions,
                 const double samples) {
  return parts.features % (size_t)features == 0 && parts.positions % (size_t)positions == 0 &&
         parts.samples % (size_t)samples == 0;
}

/* Of the held producers of an input, the share of elements in those whose layouts do not fit. */
static double misfitting_share(const twin_workload *workload, const twin_refs *inputs,
                               const twin_parts *layouts, const double split[TWIN_DIM_COUNT]) {
  double all = 0;
  double misfitting = 0;
  for (size_t i = 0; i < inputs->count; i++) {
    const int layer = inputs->layers[i];
    const double elements = twin_stored_size(workload, &workload->nodes[layer]);
    all += elements;
    misfitting += fits(layouts[layer], split[0], split[2], split[4]) ? 0 : elements;
  }
  return misfitting / all;
}

double twin_layout_move_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const double split[TWIN_DIM_COUNT],
                               const twin_traffic *bytes, const twin_condition *condition,
                               const twin_parts *layouts) {
  const twin_workload *const workload = context->workload;
  const twin_parts own = layouts[twin_node_index(context, node)];
  double moved = 0;
  if (condition->is_output_held && !fits(own, split[1], split[2], split[4])) {
    moved += bytes->st;
  }
  if (condition->is_input_held && pass != TWIN_UPDATE) {
    moved += bytes->inp * misfitting_share(workload, &node->inputs, layouts, split);
  }
  return move_cycles(context->system, moved);
}
