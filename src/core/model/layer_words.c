/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layer_words.h"

#include <string.h>

/* Operations of a layer, and what it is. */
static uint64_t flags_of(const dsm_layer *layer) {
  const bool others[] = {
      layer->has_backward,
      layer->has_update,
      layer->is_convolution,
      layer->is_product,
      layer->is_score,
      layer->reads_score,
      layer->is_tied,
      layer->has_input_op[DSM_AUX_LAYER_NORM],
      layer->feeds_experts,
      layer->attention.is_causal,
      layer->casts.is_input_cast,
      layer->casts.is_error_cast,
      layer->casts.are_weights_cast,
      layer->casts.are_weights_widened,
      layer->casts.are_gradients_typed,
  };
  uint64_t flags = 0;
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    flags |= (uint64_t)layer->has_op[op] << op;
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    flags |= (uint64_t)others[i] << ((size_t)DSM_AUX_OP_COUNT + i);
  }
  return flags;
}

void dsm__layer_words(const dsm_layer *layer, uint64_t words[DSM__LAYER_WORDS]) {
  const uint64_t counts[] = {
      flags_of(layer),
      layer->gates,
      layer->operand_groups,
      layer->lookup_elements,
      layer->cache_elements,
      layer->cache_new_elements,
      layer->experts,
      layer->routed,
      layer->sent,
      layer->active_experts,
      layer->input_op_elements,
      layer->rotated_elements,
      layer->head_norm_features,
      layer->unnormed_elements,
      layer->upsampled_elements,
      layer->in,
      layer->out,
      layer->ij,
      layer->rows,
      layer->kij,
      layer->strides,
      layer->stride_rows,
      layer->halo_rows,
      layer->groups,
      layer->timesteps,
      layer->input_elements,
      layer->output_elements,
      layer->stored_elements,
      layer->state_elements,
      layer->operand_elements,
      layer->weight_elements,
      layer->macs,
      layer->pool_window,
      layer->input_pool_window,
      layer->pooled.rows,
      layer->pooled.stride,
      layer->pooled.halo,
      layer->input_pooled.rows,
      layer->input_pooled.stride,
      layer->input_pooled.halo,
      layer->input_pool_elements,
      layer->attention.key_features,
      layer->attention.value_features,
      layer->attention.window,
      layer->casts.operands,
      layer->attention.has_values_in_keys,
  };
  const double numbers[] = {
      layer->hidden_share,   layer->bytes.input,   layer->bytes.output, layer->bytes.operand,
      layer->bytes.shortcut, layer->bytes.weights, layer->bytes.cache,  layer->bytes.fork,
  };
  _Static_assert(sizeof counts + sizeof numbers == DSM__LAYER_WORDS * sizeof(uint64_t),
                 "all of them have a place");
  memcpy(words, counts, sizeof counts);
  memcpy(words + sizeof counts / sizeof counts[0], numbers, sizeof numbers);
}
