/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lives.c: how long each tensor lives in execution order, and the totals of a workload. */
#include "base/checked.h"
#include "workload/workload_internal.h"

static size_t later(size_t use, size_t index) {
  return use == DSM_NEVER_USED || use < index ? index : use;
}

/* Of the workload's size. */
static uint64_t tensor_elements(const dsm_layer *layer) {
  return layer->stored_size * layer->timesteps;
}

static void derive_last_uses(dsm_workload *workload, dsm_layer *layers) {
  workload->input_timesteps = 1;
  workload->input_last_use = DSM_NEVER_USED;
  for (size_t i = 0; i < workload->layer_count; i++) {
    layers[i].last_use = DSM_NEVER_USED;
    layers[i].last_operand_use = DSM_NEVER_USED;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &layers[i];
    for (size_t p = 0; p < layer->producer_count; p++) {
      if (layer->producers[p] == DSM_NETWORK_INPUT && workload->is_list) {
        continue; /* an input of its own */
      }
      if (layer->producers[p] == DSM_NETWORK_INPUT) {
        workload->input_last_use = i;
        if (layer->timesteps > workload->input_timesteps) {
          workload->input_timesteps = layer->timesteps;
        }
      } else {
        layers[layer->producers[p]].last_use = i;
      }
    }
    for (size_t s = 0; s < layer->shortcut_count; s++) {
      dsm_layer *const from = &layers[layer->shortcuts[s]];
      from->last_use = later(from->last_use, i);
    }
    for (size_t o = 0; o < layer->operand_count; o++) {
      layers[layer->operands[o]].last_operand_use = i;
    }
  }
}

static bool is_among(size_t index, const size_t *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (list[i] == index) {
      return true;
    }
  }
  return false;
}

bool dsm__is_used_after(const dsm_layer *producer, size_t index) {
  return (producer->last_use != DSM_NEVER_USED && producer->last_use > index) ||
         (producer->last_operand_use != DSM_NEVER_USED && producer->last_operand_use > index);
}

/* Do tokens have the same experts in two layers? */
static bool are_same_experts(const dsm_layer *a, const dsm_layer *b) {
  return a->experts == b->experts && a->routed == b->routed && a->ij == b->ij;
}

static void note_reader(dsm_layer *layers, const size_t *read, size_t count,
                        const dsm_layer *reader) {
  for (size_t i = 0; i < count; i++) {
    if (read[i] != DSM_NETWORK_INPUT && !are_same_experts(&layers[read[i]], reader)) {
      layers[read[i]].feeds_experts = false;
    }
  }
}

/* What layers of the same experts alone read, and add to nothing that is elsewhere, stays with
 * them. */
static void derive_expert_readers(const dsm_workload *workload, dsm_layer *layers) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    layers[i].feeds_experts = layers[i].experts > 0 && layers[i].last_use != DSM_NEVER_USED;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &layers[i];
    note_reader(layers, layer->producers, layer->producer_count, layer);
    note_reader(layers, layer->shortcuts, layer->shortcut_count, layer);
    note_reader(layers, layer->operands, layer->operand_count, layer);
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    for (size_t s = 0; s < layers[i].shortcut_count; s++) {
      layers[i].feeds_experts =
          layers[i].feeds_experts && layers[layers[i].shortcuts[s]].feeds_experts;
    }
  }
}

/* A score whose queries are a part of what it reads: its attention reads keys and values beside
 * them, and their errors are other parts, which are written where those of the queries are not. */
static bool reads_part(const dsm_layer *score, const dsm_layer *producer) {
  return score->is_score && producer->stored_elements > score->input_elements;
}

/* Where tensors fork: each producer counts once. */
static void derive_forks(const dsm_workload *workload, dsm_layer *layers) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    dsm_layer *const layer = &layers[i];
    dsm__made_tensors forks = {.elements = 0};
    layer->is_shortcut_own_input = layer->shortcut_count > 0;
    for (size_t s = 0; s < layer->shortcut_count; s++) {
      layer->is_shortcut_own_input =
          layer->is_shortcut_own_input &&
          is_among(layer->shortcuts[s], layer->producers, layer->producer_count);
    }
    for (size_t p = 0; p < layer->producer_count; p++) {
      const size_t producer = layer->producers[p];
      if (producer == DSM_NETWORK_INPUT || is_among(producer, layer->producers, p)) {
        continue;
      }
      const size_t own_uses = reads_part(layer, &layers[producer]) ? i + 1 : i; /* context's too */
      if (dsm__is_used_after(&layers[producer], own_uses)) {
        layer->fork_elements += layers[producer].stored_elements;
        dsm__made_add(&forks, workload, &layers[producer]);
      }
    }
    layer->bytes.fork = dsm__made_bytes(&forks, workload);
  }
}

/* Sums what is live at each layer by differences: a tensor enters after its producer and leaves
 * after its last use. expiring[i] counts what leaves after layer i. */
static bool derive_live_elements(dsm_workload *workload, dsm_layer *layers) {
  const size_t count = workload->layer_count;
  uint64_t *const carried_leaving = dsm__arena_array(workload->arena, count, sizeof(uint64_t));
  uint64_t *const live_leaving = dsm__arena_array(workload->arena, count, sizeof(uint64_t));
  if (carried_leaving == NULL || live_leaving == NULL) {
    return false;
  }
  uint64_t carried = 0;
  uint64_t live = 0;
  for (size_t i = 0; i < count; i++) {
    dsm_layer *const layer = &layers[i];
    const uint64_t own = tensor_elements(layer);
    layer->carried_elements = carried;
    /* What a layer of a list reads is its own. */
    layer->live_elements = layer->live_elements * layer->timesteps + live + own;
    carried -= carried_leaving[i];
    live -= live_leaving[i];
    const size_t last_use = layer->last_use;
    if (last_use != DSM_NEVER_USED) {
      carried += own;
      carried_leaving[last_use] += own;
    }
    if (last_use != DSM_NEVER_USED || layer->last_operand_use != DSM_NEVER_USED) {
      const size_t last =
          later(last_use, layer->last_operand_use == DSM_NEVER_USED ? i : layer->last_operand_use);
      live += own;
      live_leaving[last] += own;
    }
  }
  return true;
}

/* Of a layer of a list: what it reads of the timestep before is no input. */
static uint64_t own_input_elements(const dsm_workload *workload, const dsm_layer *layer) {
  const uint64_t units = layer->gates == 0 ? 0 : layer->out / layer->gates;
  const uint64_t read = layer->input_elements - units;
  return dsm__sized_elements(workload, read, layer->bytes.output) * layer->timesteps;
}

static void derive_error_pairs(const dsm_workload *workload, dsm_layer *layers) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    dsm_layer *const layer = &layers[i];
    uint64_t pair = layer->has_backward ? tensor_elements(layer) : 0;
    for (size_t p = 0; p < layer->producer_count && layer->has_backward; p++) {
      if (layer->producers[p] != DSM_NETWORK_INPUT) {
        pair += tensor_elements(&layers[layer->producers[p]]);
      } else if (workload->is_list) {
        pair += own_input_elements(workload, layer);
      }
    }
    layer->error_pair_elements = pair;
  }
}

/* All sums of the network within 2^63, so that nothing derived from them overflows. */
static bool derive_totals(dsm_workload *workload) {
  uint64_t stored = 0;
  uint64_t used = 0;
  bool is_over = dsm__ckd_mul_u64(&workload->input_elements, workload->input_features,
                                  workload->input_size.rows * workload->input_size.columns);
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    is_over |= dsm__ckd_add_u64(&workload->weights, workload->weights,
                                layer->is_tied ? 0 : layer->weight_elements);
    is_over |= dsm__ckd_add_u64(&workload->parameters, workload->parameters, layer->parameters);
    is_over |= dsm__ckd_add_u64(&workload->forward_macs, workload->forward_macs,
                                layer->macs * layer->timesteps);
    is_over |= dsm__ckd_add_u64(&stored, stored, tensor_elements(layer));
    uint64_t own = 0; /* what a layer of a list reads */
    is_over |= dsm__ckd_mul_u64(&own, layer->live_elements, layer->timesteps);
    is_over |= dsm__ckd_add_u64(&used, used, own);
    for (size_t p = 0; p < layer->producer_count; p++) {
      const size_t producer = layer->producers[p];
      if (producer != DSM_NETWORK_INPUT) {
        is_over |= dsm__ckd_add_u64(&used, used, tensor_elements(&workload->layers[producer]));
      }
    }
  }
  workload->activation_bytes = (double)stored * workload->element_bytes;
  return !is_over && workload->input_elements <= DSM_PRODUCT_MAX && used <= INT64_MAX &&
         stored <= INT64_MAX && workload->parameters <= INT64_MAX &&
         workload->forward_macs <= INT64_MAX;
}

void dsm__workload_derive_lives(dsm_workload *workload, dsm_layer *layers,
                                const dsm__json_node *list) {
  if (!dsm__workload_derive_bytes(workload, layers)) {
    dsm__json_error(list, NULL,
                    "expected layers that read and make at most 2^53 elements of the workload's "
                    "size (element_bytes) per sample, found more");
    return;
  }
  if (!derive_totals(workload)) {
    dsm__json_error(list, NULL,
                    "expected at most 2^63 parameters, MACs and elements per sample in all, found "
                    "more");
    return;
  }
  derive_last_uses(workload, layers);
  derive_forks(workload, layers);
  derive_expert_readers(workload, layers);
  derive_error_pairs(workload, layers);
  if (!derive_live_elements(workload, layers)) {
    dsm__json_set_out_of_memory(list->doc);
  }
}
