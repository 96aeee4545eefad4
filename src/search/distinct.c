/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distinct.c: layers that agree in all that the cost of a pass depends on are one class.
 *
 * A shape has the numbers of a layer that the equations of its passes read, and nothing else: not
 * its name, and not who its neighbours are, which matter to relayouts and to what is held, and are
 * told apart there. So two layers with equal shapes have equal costs to the last bit, whatever is
 * decided for them, and a class is scored once.
 */
#include "search/distinct.h"

#include <stdlib.h>

#include "base/map.h"

dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool are_forks_counted) {
  dsm__layer_shape shape = {
      .fork_elements = are_forks_counted ? layer->fork_elements : 0,
      .is_shortcut_own_input = are_forks_counted && layer->is_shortcut_own_input,
  };
  dsm__layer_words(layer, shape.words);
  return shape;
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
