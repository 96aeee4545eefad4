/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_traffic.h"

#include <math.h>

twin_traffic twin_traffic_of(const twin_context *context, const twin_node *node,
                             const twin_layout layout, const double split[TWIN_DIM_COUNT],
                             const twin_condition *condition) {
  const twin_system *const system = context->system;
  const double b = context->workload->element_bytes;
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const double in_elements = twin_in_elements(node) * mbc;
  const double out_elements = twin_out_elements(node) * mbc;
  const double fork_elements =
      twin_fork_elements(context->workload, twin_node_index(context, node)) * mbc;
  const bool is_matmul = node->kind == TWIN_MATMUL;
  const double kernel_bytes =
      is_matmul ? node->operand_elements * mbc * b : twin_weight_elements(node) * b;
  const double k_in = fmin(node->groups, split[1]) * split[0]; /* cores that share no input */
  const double k_out = twin_output_parts(node, split[1]);
  const bool saves = node->kind == TWIN_LSTM && !context->inference;
  return (twin_traffic){
      .inp = in_elements * b / layout.nm,
      .st = twin_stored_elements(node) * mbc * b / layout.nm,
      .raw = out_elements * b / layout.nm,
      .ker = kernel_bytes / layout.nm,
      .save = saves ? 5 * node->out * mbc * b / layout.nm : 0,
      .mask = in_elements * system->relu_mask_bytes / layout.nm,
      .statistics = out_elements * system->batch_norm_saved_bytes / layout.nm,
      .deferred = condition->deferred_elements * mbc * b / layout.nm,
      .forks = fork_elements * b / layout.nm,
      .s_in = in_elements * b / (layout.nm * k_in * split[2] * split[4]),
      .s_out = out_elements * b / (layout.nm * k_out * split[2] * split[4]),
      .kcore = kernel_bytes / (layout.nm * split[0] * split[3] * (is_matmul ? split[4] : k_out)),
  };
}

double twin_shortcut_bytes(const twin_context *context, const twin_node *node,
                           const twin_traffic *bytes) {
  if (!node->has_residual || (context->system->exact_forks && twin_adds_own_input(node))) {
    return 0;
  }
  return node->pool_window > 0 ? bytes->raw : bytes->st;
}
