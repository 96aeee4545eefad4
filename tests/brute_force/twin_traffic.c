/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_traffic.h"

#include "twin_bytes.h"

#include <math.h>

/* Elements of a tensor with its padding, over those without: whole numbers, so that nothing is
 * rounded before all is multiplied. */
typedef struct {
  double padded;
  double plain;
} ratio;

/* A tensor of `samples` by `features` in tiles of `inner` by `outer`. */
static double tiled(const double samples, const double features, const double inner,
                    const double outer) {
  const double rows = ceil(samples / inner) * inner;
  const double columns = ceil(features / outer) * outer;
  return rows * columns;
}

static ratio padding(const twin_system *system, const double mbc, const double features) {
  const double samples = mbc / system->memory_stacks;
  const double least =
      fmin(tiled(samples, features, system->memory_tile_minor, system->memory_tile_second),
           tiled(samples, features, system->memory_tile_second, system->memory_tile_minor));
  return (ratio){.padded = least, .plain = samples * features};
}

static double times(const ratio by, const double number) {
  return number * by.padded / by.plain;
}

/* Into how many parts the cores divide what stands in place of weights. */
static double kernel_parts(const twin_node *node, const twin_layout layout,
                           const double split[TWIN_DIM_COUNT]) {
  switch (node->kind) {
  case TWIN_MATMUL:
    return split[0] * split[3] * split[4];
  case TWIN_SCORE:
  case TWIN_CONTEXT:
    return split[0] * split[4] * fmin(split[1], node->operand_groups / layout.nm) *
           twin_cores_of_group(node, layout, split[1]);
  case TWIN_EMBEDDING: /* rows of positions and samples, in parts of their features */
    return split[0] * split[3] * split[1] * split[2] * split[4];
  case TWIN_CONV:
  case TWIN_FC:
  case TWIN_LSTM:
  case TWIN_TRANSPOSED:
    break;
  }
  return split[0] * split[3] * twin_output_parts(node, layout, split[1]);
}

/* Of experts whose weights are fetched, the most: in inference no more than positions go there. */
double twin_fetched_share(const twin_context *context, const twin_node *node, const double mbc) {
  return context->inference && node->experts > 0
             ? 1 - pow(1 - node->routed / node->positions / node->experts, node->positions * mbc)
             : 1;
}

/* What stands in place of weights, of all chips that share features. */
static double kernel_bytes_of(const twin_context *context, const twin_node *node,
                              const double mbc) {
  const double each = twin_kernel_bytes(context, node);
  if (twin_is_product(node)) {
    return node->operand_elements * mbc * each;
  }
  if (node->kind == TWIN_EMBEDDING) {
    return node->lookup_elements * mbc * each;
  }
  return twin_weight_elements(node) * each * twin_fetched_share(context, node, mbc);
}

twin_traffic twin_traffic_of(const twin_context *context, const twin_node *node,
                             const twin_layout layout, const double split[TWIN_DIM_COUNT],
                             const twin_condition *condition) {
  const twin_system *const system = context->system;
  const double b = context->workload->element_bytes;
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  /* Every tensor but the kernel has a padding by its features: of the input, of the output, of an
   * lstm's gates. */
  const ratio in = padding(system, mbc, ceil(twin_in_features(node) / layout.nm));
  const ratio out = padding(system, mbc, ceil(twin_out_features(node) / layout.nm));
  const ratio stored = padding(system, mbc, ceil(node->out / layout.nm));
  const double in_elements = twin_in_elements(node) * mbc;
  const double out_elements = twin_out_elements(node) * mbc;
  const double fork_bytes = twin_fork_bytes(context->workload, node) * mbc;
  const double kernel_bytes = kernel_bytes_of(context, node, mbc);
  const double k_in =
      fmin(twin_chip_groups(node, layout), split[1]) * split[0]; /* cores that share no input */
  const double k_out = twin_output_parts(node, layout, split[1]);
  const bool saves = node->kind == TWIN_LSTM && !context->inference;
  return (twin_traffic){
      .inp = times(in, in_elements * node->in_bytes) / layout.nm,
      .st = times(stored, twin_stored_elements(node) * mbc * node->out_bytes) / layout.nm,
      .raw = times(out, out_elements * node->out_bytes) / layout.nm,
      .ker = kernel_bytes / layout.nm,
      .fetched = twin_fetched_share(context, node, mbc),
      .save = saves ? times(stored, 5 * node->out * mbc * node->made_bytes) / layout.nm : 0,
      .mask = times(in, in_elements * system->relu_mask_bytes) / layout.nm,
      .statistics = times(out, out_elements * system->batch_norm_saved_bytes) / layout.nm,
      .deferred = times(in, condition->deferred_elements * mbc * b) / layout.nm,
      .forks = times(in, fork_bytes) / layout.nm,
      .s_in = times(in, in_elements * node->in_bytes) / (layout.nm * k_in * split[2] * split[4]),
      .s_out =
          times(out, out_elements * node->out_bytes) / (layout.nm * k_out * split[2] * split[4]),
      .kcore = kernel_bytes / (layout.nm * kernel_parts(node, layout, split)),
      .added_cache =
          context->inference ? node->new_elements * mbc * node->cache_bytes / layout.nm : 0,
      .turned = times(in, 1),
      .added = times(out, 1),
  };
}

double twin_shortcut_bytes(const twin_context *context, const twin_node *node,
                           const twin_traffic *bytes) {
  const bool has_other = node->has_residual || node->has_multiply;
  if (!has_other || (context->system->exact_forks && twin_adds_own_input(node))) {
    return 0;
  }
  return (node->pool_window > 0 ? bytes->raw : bytes->st) * node->other_bytes / node->out_bytes;
}
