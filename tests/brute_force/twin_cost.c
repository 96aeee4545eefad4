/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

#include <math.h>

/* Sections 5 and 11: sum of gradients in the layout of the update pass. */
static double gradient_sum_cycles(const twin_system *system, const double gradient_bytes,
                                  const twin_layout layout) {
  if (layout.nd <= 1) {
    return 0;
  }
  const double w = gradient_bytes / layout.nm;
  const double vx = layout.x_is_data ? w * (layout.m - 1) / layout.m : 0;
  const double w2 = layout.x_is_data ? w / layout.m : w;
  const double vy = layout.y_is_data ? w2 * (layout.n - 1) / layout.n : 0;
  return twin_group_cycles(system, vx, vy, system->reduce_memory_bytes * w,
                           system->reduce_ring_crossings * (vx + vy));
}

/* The parallelism with these roles of the axes. */
static twin_parallelism parallelism_of(const bool x_is_data, const bool y_is_data) {
  if (x_is_data) {
    return y_is_data ? TWIN_DATA : TWIN_DATA_X_MODEL_Y;
  }
  return y_is_data ? TWIN_MODEL_X_DATA_Y : TWIN_MODEL;
}

/* Section 11: new weights go to every layout that the forward and backward passes use. */
static double broadcast_cycles(const twin_system *system, const double weight_bytes,
                               const twin_layout forward, const twin_layout backward,
                               const twin_layout update) {
  const twin_layout all =
      twin_layout_of(system, parallelism_of(forward.x_is_data || backward.x_is_data,
                                            forward.y_is_data || backward.y_is_data));
  if (update.nd <= 1 && all.nd <= 1) {
    return 0;
  }
  const double w = weight_bytes / all.nm;
  const double vx = all.x_is_data ? w * (all.m - 1) / all.m : 0;
  const double w2 = all.x_is_data ? w / all.m : w;
  const double vy = all.y_is_data ? w2 * (all.n - 1) / all.n : 0;
  return twin_group_cycles(system, vx, vy, system->broadcast_memory_bytes * w,
                           system->reduce_ring_crossings * (vx + vy));
}

double twin_weight_exchange_cycles(const twin_context *context, const twin_node *node,
                                   const twin_parallelism forward, const twin_parallelism backward,
                                   const twin_parallelism update) {
  const twin_system *const system = context->system;
  const double weights = twin_weight_elements(node);
  const double weight_bytes = weights * context->workload->element_bytes;
  const twin_layout forward_layout = twin_layout_of(system, forward);
  const twin_layout backward_layout =
      twin_has_backward(node) ? twin_layout_of(system, backward) : forward_layout;
  const twin_layout update_layout = twin_layout_of(system, update);
  const double owned_bytes = weight_bytes / (update_layout.nm * update_layout.nd);
  return gradient_sum_cycles(system, weights * context->workload->gradient_bytes, update_layout) +
         broadcast_cycles(system, weight_bytes, forward_layout, backward_layout, update_layout) +
         twin_group_cycles(system, 0, 0, system->weight_update_memory_bytes * owned_bytes, 0);
}

/* Links that a portion of an all-to-all travels on a ring, on average: one way round or both. */
static double mean_hops(const twin_system *system, const double length) {
  return system->two_way_relayout ? floor(length * length / 4) / length : (length - 1) / 2;
}

double twin_move_cycles(const twin_system *system, const double total_bytes,
                        const twin_parallelism from, const twin_parallelism to) {
  if (from == to) {
    return 0;
  }
  const twin_layout before = twin_layout_of(system, from);
  const twin_layout after = twin_layout_of(system, to);
  const double m = before.m;
  const double n = before.n;
  const double x_hops = mean_hops(system, m);
  const double y_hops = mean_hops(system, n);
  const double x = before.x_is_data != after.x_is_data ? total_bytes * x_hops / (m * n) : 0;
  const double y = before.y_is_data != after.y_is_data ? total_bytes * y_hops / (m * n) : 0;
  return twin_group_cycles(system, x, y, system->relayout_memory_bytes * total_bytes / (m * n), 0);
}

double twin_relayout_cycles(const twin_context *context, const size_t boundary,
                            const twin_parallelism from, const twin_parallelism to) {
  const twin_workload *const workload = context->workload;
  double total_bytes = 0;
  for (size_t i = 0; i < boundary; i++) {
    if (twin_is_used_from(workload, i, boundary, false)) {
      total_bytes += twin_stored_elements(&workload->nodes[i]) * workload->nodes[i].timesteps *
                     workload->minibatch * workload->element_bytes;
    }
  }
  return twin_move_cycles(context->system, total_bytes, from, to);
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
    total_macs += twin_macs(node) * node->timesteps * passes;
  }
  const double peak_macs_per_cycle =
      system->chips_x * system->chips_y * system->cores * system->rows * system->columns;
  return context->workload->minibatch * total_macs / peak_macs_per_cycle;
}
