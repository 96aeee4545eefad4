/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/distinct.h"

#include <string.h>

dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool do_forks_count) {
  uint64_t flags = 0;
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    flags |= (uint64_t)layer->has_op[op] << op;
  }
  flags |= (uint64_t)layer->has_backward << DSM_AUX_OP_COUNT;
  flags |= (uint64_t)layer->has_update << (DSM_AUX_OP_COUNT + 1);
  flags |= (uint64_t)(do_forks_count && layer->is_shortcut_own_input) << (DSM_AUX_OP_COUNT + 2);
  return (dsm__layer_shape){
      .type = (uint64_t)layer->type,
      .in = layer->in,
      .out = layer->out,
      .ij = layer->ij,
      .kij = layer->kij,
      .groups = layer->groups,
      .timesteps = layer->timesteps,
      .input_elements = layer->input_elements,
      .output_elements = layer->output_elements,
      .stored_elements = layer->stored_elements,
      .state_elements = layer->state_elements,
      .operand_elements = layer->operand_elements,
      .weight_elements = layer->weight_elements,
      .macs = layer->macs,
      .pool_window = layer->pool_window,
      .input_pool_window = layer->input_pool_window,
      .input_pool_elements = layer->input_pool_elements,
      .fork_elements = do_forks_count ? layer->fork_elements : 0,
      .flags = flags,
  };
}

/* FNV-1a over the words of a shape. */
static uint64_t hash_of(const dsm__layer_shape *s) {
  uint64_t words[sizeof *s / sizeof(uint64_t)];
  memcpy(words, s, sizeof words);
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    hash = (hash ^ words[i]) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return hash;
}

bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload, bool do_forks_count,
                        dsm__arena *arena) {
  const size_t layer_count = workload->layer_count;
  size_t slot_count = 16;
  while (slot_count < 2 * layer_count) {
    slot_count *= 2;
  }
  /* Open addressing; a slot holds a class index plus one, zero is empty. */
  size_t *const slots = dsm__arena_array(arena, slot_count, sizeof *slots);
  distinct->class_of = dsm__arena_array(arena, layer_count, sizeof distinct->class_of[0]);
  distinct->representative =
      dsm__arena_array(arena, layer_count, sizeof distinct->representative[0]);
  distinct->count = 0;
  if (slots == NULL || distinct->class_of == NULL || distinct->representative == NULL) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    const dsm__layer_shape own = dsm__layer_shape_of(&workload->layers[i], do_forks_count);
    size_t slot = (size_t)hash_of(&own) & (slot_count - 1);
    while (slots[slot] != 0) {
      const size_t other = distinct->representative[slots[slot] - 1];
      const dsm__layer_shape known = dsm__layer_shape_of(&workload->layers[other], do_forks_count);
      if (memcmp(&own, &known, sizeof own) == 0) {
        break;
      }
      slot = (slot + 1) & (slot_count - 1);
    }
    if (slots[slot] == 0) {
      distinct->representative[distinct->count++] = i;
      slots[slot] = distinct->count;
    }
    distinct->class_of[i] = slots[slot] - 1;
  }
  return true;
}
