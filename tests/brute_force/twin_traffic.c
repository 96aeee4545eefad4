/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_traffic.h"

#include <math.h>

/* A tensor of `samples` by `features` in tiles of `inner` by `outer`: elements with the padding,
 * over those without. */
static double tiled(const double samples, const double features, const double inner,
                    const double outer) {
  const double rows = ceil(samples / inner) * inner;
  const double columns = ceil(features / outer) * outer;
  return rows * columns / (samples * features);
}

static double padding(const twin_system *system, const double mbc, const double features) {
  const double samples = mbc / system->memory_stacks;
  return fmin(tiled(samples, features, system->memory_tile_minor, system->memory_tile_second),
              tiled(samples, features, system->memory_tile_second, system->memory_tile_minor));
}

/* Every tensor but the kernel, by its features: of the input, of the output, of an lstm's gates. */
static void pad(twin_traffic *bytes, const twin_system *system, const twin_node *node,
                const twin_layout layout, const double mbc) {
  const double in = padding(system, mbc, ceil(twin_in_features(node) / layout.nm));
  const double raw = padding(system, mbc, ceil(twin_out_features(node) / layout.nm));
  const double stored = padding(system, mbc, ceil(node->out / layout.nm));
  bytes->inp *= in;
  bytes->mask *= in;
  bytes->forks *= in;
  bytes->deferred *= in;
  bytes->s_in *= in;
  bytes->st *= stored;
  bytes->save *= stored;
  bytes->raw *= raw;
  bytes->statistics *= raw;
  bytes->s_out *= raw;
  bytes->turned = in;
  bytes->added = raw;
}

twin_traffic twin_traffic_of(const twin_context *context, const twin_node *node,
                             const twin_layout layout, const double split[TWIN_DIM_COUNT],
                             const twin_condition *condition) {
  const twin_system *const system = context->system;
  const double b = context->workload->element_bytes;
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const double in_elements = twin_in_elements(node) * mbc;
  const double out_elements = twin_out_elements(node) * mbc;
  const double fork_elements = twin_fork_elements(context->workload, node) * mbc;
  const bool is_matmul = node->kind == TWIN_MATMUL;
  const double kernel_bytes =
      is_matmul ? node->operand_elements * mbc * b : twin_weight_elements(node) * b;
  const double k_in = fmin(node->groups, split[1]) * split[0]; /* cores that share no input */
  const double k_out = twin_output_parts(node, split[1]);
  const bool saves = node->kind == TWIN_LSTM && !context->inference;
  twin_traffic bytes = {
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
  pad(&bytes, system, node, layout, mbc);
  return bytes;
}

double twin_shortcut_bytes(const twin_context *context, const twin_node *node,
                           const twin_traffic *bytes) {
  if (!node->has_residual || (context->system->exact_forks && twin_adds_own_input(node))) {
    return 0;
  }
  return node->pool_window > 0 ? bytes->raw : bytes->st;
}
