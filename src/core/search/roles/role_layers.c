/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/roles/role_layers.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/map.h"
#include "plan/holding.h"
#include "plan/role_flow.h"
#include "plan/segments.h"

enum { REACH = DSM__ROLE_REACH };

/* In what layers of a kind are equal: what lies around them, their class, and what the equations of
 * memory and of relayouts read beside that of a class. No padding. */
typedef struct likeness {
  dsm__role_layer around;
  uint64_t class;
  uint64_t is_other;
  uint64_t is_input_live; /* which inference keeps */
  uint64_t has_input;     /* which training keeps */
  uint64_t stored_size;
  uint64_t mask_elements;
  uint64_t kept_results;
  uint64_t kept_activations;
  uint64_t carried_elements;
  uint64_t live_elements;
  uint64_t error_pair_elements;
  uint64_t first; /* layer of the kind; not compared */
} likeness;

/* Of a list of layers those within reach; *is_far: there are others. */
static uint64_t set_of(size_t reader, const size_t *layers, size_t count, uint64_t *is_far) {
  uint64_t set = 0;
  for (size_t i = 0; i < count; i++) {
    const bool is_near = layers[i] != DSM_NETWORK_INPUT && reader - layers[i] <= REACH;
    set |= is_near ? UINT64_C(1) << (reader - layers[i] - 1) : 0;
    *is_far |= is_near ? 0 : 1;
  }
  return set;
}

static bool is_used_from(size_t last_use, size_t layer) {
  return last_use != DSM_NEVER_USED && last_use >= layer;
}

/* The last layer within reach with the same input. */
static void find_alike(const dsm_workload *workload, size_t *last_alike) {
  const dsm_layer *const layers = workload->layers;
  for (size_t i = 0; i < workload->layer_count; i++) {
    last_alike[i] = i;
    for (size_t k = 1; k <= REACH && i + k < workload->layer_count; k++) {
      last_alike[i] = dsm__is_same_input(&layers[i], &layers[i + k]) ? i + k : last_alike[i];
    }
  }
}

static dsm__role_layer around_of(const dsm_workload *workload, size_t index,
                                 const size_t *last_alike) {
  const dsm_layer *const layer = &workload->layers[index];
  dsm__role_layer around = {.read = 0};
  around.inputs = set_of(index, layer->producers, layer->producer_count, &around.reads_far);
  around.is_input_far = layer->producer_count == 0 ? 1 : around.reads_far;
  around.read =
      around.inputs | set_of(index, layer->operands, layer->operand_count, &around.reads_far);
  around.added = set_of(index, layer->shortcuts, layer->shortcut_count, &around.adds_far);
  for (size_t k = 0; k < REACH && k <= index; k++) {
    const dsm_layer *const before = &workload->layers[index - k];
    const uint64_t bit = UINT64_C(1) << k;
    around.live |= is_used_from(dsm__last_use(before), index + 1) ? bit : 0;
    around.alike |= last_alike[index - k] > index ? bit : 0;
    if (k < index) {
      around.carried |= is_used_from(before[-1].last_use, index) ? bit : 0;
      around.same |= dsm__is_same_input(&before[-1], layer) ? bit : 0;
    }
  }
  return around;
}

static likeness likeness_of(const dsm_workload *workload, size_t index,
                            const dsm__role_layer *around, size_t class, bool is_other) {
  const dsm_layer *const layer = &workload->layers[index];
  return (likeness){
      .around = *around,
      .class = class,
      .is_other = is_other ? 1 : 0,
      .is_input_live = is_used_from(workload->input_last_use, index) ? 1 : 0,
      .has_input = index == 0 ? 1 : 0,
      .stored_size = layer->stored_size,
      .mask_elements = layer->mask_elements,
      .kept_results = layer->kept_results,
      .kept_activations = layer->kept_activations,
      .carried_elements = layer->carried_elements,
      .live_elements = layer->live_elements,
      .error_pair_elements = layer->error_pair_elements,
  };
}

/* A kind is called by its first layer. */
static bool number_kinds(const dsm_workload *workload, const size_t *class_of, size_t other,
                         dsm__role_layer *layers, likeness *kinds) {
  dsm__map index = {NULL, 0, 0};
  size_t count = 0;
  bool is_good = true;
  for (size_t i = 0; is_good && i < workload->layer_count; i++) {
    kinds[count] = likeness_of(workload, i, &layers[i], class_of[i], i == other);
    kinds[count].first = i;
    const size_t compared = offsetof(likeness, first);
    const uint32_t hash = dsm__map_hash(0, &kinds[count], compared);
    size_t kind = dsm__map_find_in(&index, hash, kinds, sizeof kinds[0], &kinds[count], compared);
    if (kind == DSM__MAP_NONE) {
      kind = count++;
      is_good = dsm__map_add(&index, hash, kind);
    }
    layers[i].kind = kinds[kind].first;
  }
  dsm__map_fini(&index);
  return is_good;
}

const dsm__role_layer *dsm__role_layers_find(const dsm_workload *workload, const size_t *class_of,
                                             const bool *is_end, size_t other, dsm__arena *arena) {
  const size_t count = workload->layer_count;
  dsm__role_layer *const layers = dsm__arena_array(arena, count, sizeof *layers);
  size_t *const last_alike = malloc(count * sizeof *last_alike);
  likeness *const kinds = malloc(count * sizeof *kinds);
  bool is_good = layers != NULL && last_alike != NULL && kinds != NULL;
  if (is_good) {
    find_alike(workload, last_alike);
    for (size_t i = 0; i < count; i++) {
      layers[i] = around_of(workload, i, last_alike);
      layers[i].is_segment_end = is_end[i] ? 1 : 0;
      layers[i].may_go_on = is_end[i] && dsm__segment_may_go_on(workload, i) ? 1 : 0;
    }
    is_good = number_kinds(workload, class_of, other, layers, kinds);
  }
  free(last_alike);
  free(kinds);
  return is_good ? layers : NULL;
}
