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
#include "plan/segments.h"
#include "plan/tied_tables.h"

dsm__layer_shape dsm__layer_shape_of(const dsm_layer *layer, bool are_forks_counted) {
  dsm__layer_shape shape = {
      .fork_elements = are_forks_counted ? layer->fork_elements : 0,
      .is_shortcut_own_input = are_forks_counted && layer->is_shortcut_own_input,
  };
  dsm__layer_words(layer, shape.words);
  return shape;
}

/* A shape, and the table that a layer has or shares with others: those are told apart from all
 * others, since who has it may have to cut it in one way, and who shares it pays for that. Layers
 * that are to run forward again are told apart from those that are not. */
typedef struct key {
  dsm__layer_shape shape;
  uint64_t table; /* number, or 0 */
  uint64_t is_tied;
  uint64_t asked_again;
} key;
_Static_assert(sizeof(key) == sizeof(dsm__layer_shape) + 3 * sizeof(uint64_t), "no padding");

/* The table of each layer: the number of the layer that has it + 1, of layers that share one and of
 * that one; 0: none. NULL if out of memory. */
static uint64_t *find_tables(const dsm_workload *workload) {
  uint64_t *const tables = calloc(workload->layer_count, sizeof *tables);
  for (size_t i = 0; tables != NULL && i < workload->layer_count; i++) {
    const size_t owner = dsm__tie_owner(workload, i);
    if (owner != SIZE_MAX) {
      tables[i] = tables[owner] = owner + 1;
    }
  }
  return tables;
}

static key key_of(const dsm_workload *workload, const uint64_t *tables, size_t index,
                  bool are_forks_counted) {
  const dsm_layer *const layer = &workload->layers[index];
  return (key){.shape = dsm__layer_shape_of(layer, are_forks_counted),
               .table = tables[index],
               .is_tied = layer->is_tied ? 1 : 0};
}

bool dsm__distinct_find(dsm__distinct *distinct, const dsm_workload *workload,
                        bool are_forks_counted, dsm_recomputation asked, dsm__arena *arena) {
  const size_t layer_count = workload->layer_count;
  key *const keys = malloc(layer_count * sizeof *keys); /* of each class */
  uint64_t *const tables = find_tables(workload);
  const dsm__again *const asked_again = dsm__recomputed_layers(workload, asked, arena);
  dsm__map index = {0};
  distinct->class_of = dsm__arena_array(arena, layer_count, sizeof distinct->class_of[0]);
  distinct->representative =
      dsm__arena_array(arena, layer_count, sizeof distinct->representative[0]);
  distinct->has_table = dsm__arena_array(arena, layer_count, sizeof distinct->has_table[0]);
  distinct->asked_again = dsm__arena_array(arena, layer_count, sizeof distinct->asked_again[0]);
  distinct->may_go_on = dsm__arena_array(arena, layer_count, sizeof distinct->may_go_on[0]);
  dsm__segment_walk walk = dsm__segments_begin(workload);
  distinct->count = 0;
  bool is_ready = keys != NULL && tables != NULL && asked_again != NULL &&
                  distinct->class_of != NULL && distinct->representative != NULL &&
                  distinct->has_table != NULL && distinct->asked_again != NULL &&
                  distinct->may_go_on != NULL;
  for (size_t i = 0; is_ready && i < layer_count; i++) {
    key own = key_of(workload, tables, i, are_forks_counted);
    own.asked_again = asked_again[i];
    const uint32_t hash = dsm__map_hash(0, &own, sizeof own);
    size_t number = dsm__map_find_in(&index, hash, keys, sizeof own, &own, sizeof own);
    if (number == DSM__MAP_NONE) {
      number = distinct->count++;
      keys[number] = own;
      distinct->representative[number] = i;
      distinct->has_table[number] = own.table != 0;
      distinct->asked_again[number] = asked_again[i];
      distinct->may_go_on[number] = false;
      is_ready = dsm__map_add(&index, hash, number);
    }
    distinct->class_of[i] = number;
    distinct->may_go_on[number] =
        (dsm__segment_ends(&walk, i) && dsm__segment_may_go_on(workload, i)) ||
        distinct->may_go_on[number];
  }
  dsm__map_fini(&index);
  free(tables);
  free(keys);
  return is_ready;
}
