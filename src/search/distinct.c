/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distinct.c: layers that agree in all that the cost of a pass depends on are one class.
 *
 * A shape has the numbers of a layer that the equations of its passes read, and nothing else: not
 * its name, and not who its neighbours are, which matter to relayouts and to what is held, and are
 * told apart there. So two layers with equal shapes have equal costs to the last bit, whatever is
 * decided for them, and a class is scored once. A number that is added to a layer and read by an
 * equation has to be in its shape too.
 */
#include "search/distinct.h"

#include <stdlib.h>

#include "base/map.h"

dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool are_forks_counted) {
  uint64_t flags = 0;
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    flags |= (uint64_t)layer->has_op[op] << op;
  }
  flags |= (uint64_t)layer->has_backward << DSM_AUX_OP_COUNT;
  flags |= (uint64_t)layer->has_update << (DSM_AUX_OP_COUNT + 1);
  flags |= (uint64_t)(are_forks_counted && layer->is_shortcut_own_input) << (DSM_AUX_OP_COUNT + 2);
  flags |= (uint64_t)layer->is_convolution << (DSM_AUX_OP_COUNT + 3);
  flags |= (uint64_t)layer->is_product << (DSM_AUX_OP_COUNT + 4);
  flags |= (uint64_t)layer->has_input_op[DSM_AUX_LAYER_NORM] << (DSM_AUX_OP_COUNT + 5);
  flags |= (uint64_t)layer->is_tied << (DSM_AUX_OP_COUNT + 8);
  flags |= (uint64_t)layer->is_score << (DSM_AUX_OP_COUNT + 6);
  flags |= (uint64_t)layer->reads_score << (DSM_AUX_OP_COUNT + 7);
  return (dsm__layer_shape){
      .gates = layer->gates,
      .operand_groups = layer->operand_groups,
      .lookup_elements = layer->lookup_elements,
      .cache_elements = layer->cache_elements,
      .experts = layer->experts,
      .routed = layer->routed,
      .input_op_elements = layer->input_op_elements,
      .rotated_elements = layer->rotated_elements,
      .upsampled_elements = layer->upsampled_elements,
      .hidden_share = layer->hidden_share,
      .in = layer->in,
      .out = layer->out,
      .ij = layer->ij,
      .rows = layer->rows,
      .kij = layer->kij,
      .strides = layer->strides,
      .stride_rows = layer->stride_rows,
      .halo_rows = layer->halo_rows,
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
      .fork_elements = are_forks_counted ? layer->fork_elements : 0,
      .flags = flags,
  };
}

bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload,
                        bool are_forks_counted, dsm__arena *arena) {
  const size_t layer_count = workload->layer_count;
  dsm__layer_shape *const shapes = malloc(layer_count * sizeof *shapes); /* of each class */
  dsm__map index = {0};
  distinct->class_of = dsm__arena_array(arena, layer_count, sizeof distinct->class_of[0]);
  distinct->representative =
      dsm__arena_array(arena, layer_count, sizeof distinct->representative[0]);
  distinct->count = 0;
  bool is_ready = shapes != NULL && distinct->class_of != NULL && distinct->representative != NULL;
  for (size_t i = 0; is_ready && i < layer_count; i++) {
    const dsm__layer_shape own = dsm__layer_shape_of(&workload->layers[i], are_forks_counted);
    const uint32_t hash = dsm__map_hash(0, &own, sizeof own);
    size_t number = dsm__map_find_in(&index, hash, shapes, sizeof own, &own, sizeof own);
    if (number == DSM__MAP_NONE) {
      number = distinct->count++;
      shapes[number] = own;
      distinct->representative[number] = i;
      is_ready = dsm__map_add(&index, hash, number);
    }
    distinct->class_of[i] = number;
  }
  dsm__map_fini(&index);
  free(shapes);
  return is_ready;
}
