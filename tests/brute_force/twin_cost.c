/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_cost.h"

/* Section 11: where the weights of a pass are needed, in the layouts of both. */
static twin_layout both_of(const twin_system *system, const twin_layout *forward,
                           const twin_layout *backward) {
  bool is_data[TWIN_MAX_AXES] = {false};
  for (size_t a = 0; a < system->axis_count; a++) {
    is_data[a] = forward->is_data[a] || backward->is_data[a];
  }
  return twin_layout_with(system, is_data);
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
  const twin_layout all = both_of(system, &forward_layout, &backward_layout);
  const double gradient_bytes = weights * context->workload->gradient_bytes / update_layout.nm;
  const double owned_bytes = weight_bytes / (update_layout.nm * update_layout.nd);
  const double update_bytes = context->workload->update_bytes;
  const double updated_bytes = update_bytes > 0
                                   ? update_bytes * weights / (update_layout.nm * update_layout.nd)
                                   : system->weight_update_memory_bytes * owned_bytes;
  double cycles = twin_group_cycles(system, NULL, updated_bytes, 0);
  if (update_layout.nd > 1) {
    cycles += twin_half_all_reduce_cycles(system, &update_layout, gradient_bytes,
                                          system->reduce_memory_bytes);
  }
  if (update_layout.nd > 1 || all.nd > 1) {
    cycles += system->collective_base_cycles +
              twin_half_all_reduce_cycles(system, &all, weight_bytes / all.nm,
                                          system->broadcast_memory_bytes);
  }
  return cycles;
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
      twin_chips(system) * system->cores * system->rows * system->columns;
  return context->workload->minibatch * total_macs / peak_macs_per_cycle;
}
