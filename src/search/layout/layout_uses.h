/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_uses.h: which held tensors the edges of a graph touch, which layouts of these can matter,
 * and what layouts cost (section 7, model.layout_move "exact"). */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_USES_H
#define DSM_SEARCH_LAYOUT_LAYOUT_USES_H

#include "plan/core_layouts.h"
#include "search/hold/network_graph.h"
#include "search/layout/layout_choices.h"

/** What is to become a graph with layouts. */
typedef struct dsm__layout_request {
  const dsm__layer_table *table;
  const dsm__lives *lives;
  const dsm__core_layouts *layouts;
  const dsm__network_graph *free;  /**< with holdings; nothing held moves */
  const unsigned char *is_edge_in; /**< the edges of the free graph that are wanted */
  double limit_cycles;             /**< only paths that can be as fast are wanted */
  size_t states_max;               /**< see DSM__LAYOUT_STATES_MAX */
  unsigned factor_count;
} dsm__layout_request;

/** What an edge touches. */
typedef struct dsm__layout_use {
  bool is_touching;                /**< false: no layout matters to it, the rest is not set */
  dsm__held_slot own;              /**< the layer's output, if that is held */
  size_t profiles[DSM_PASS_COUNT]; /**< of its passes; SIZE_MAX: no such pass */
} dsm__layout_use;

typedef struct dsm__layout_uses {
  const dsm__layout_request *request;
  dsm__variants variants;
  dsm__profiles profiles;
  dsm__layout_choices choices;
  uint64_t *codes;         /**< of all layouts (dsm__fit_code) */
  dsm__layout_use *edges;  /**< of each edge of the free graph that is in */
  dsm__held_slot *slot_of; /* of (layer, parallelism, factor), + 1; 0: none yet */
  size_t slot_count;
} dsm__layout_uses;

/** Finds everything; false if out of memory. To be freed with dsm__layout_uses_fini in either case.
 */
bool dsm__layout_uses_find(dsm__layout_uses *uses, const dsm__layout_request *request,
                           dsm__arena *arena);
void dsm__layout_uses_fini(dsm__layout_uses *uses);

/** The number of a held tensor: the output of a layer, with a parallelism and a factor.
 * DSM__NO_SLOT if no edge that is in touches it. */
dsm__held_slot dsm__held_slot_of(const dsm__layout_uses *uses, size_t layer,
                                 dsm_parallelism parallelism, unsigned factor_index);
#define DSM__NO_SLOT UINT32_MAX

/** The layouts that are left to a tensor. */
static inline dsm__slot_layouts dsm__layouts_of(const dsm__layout_uses *uses, dsm__held_slot slot) {
  return uses->choices.slots[slot];
}

/** The code of a layout. */
static inline uint64_t dsm__layout_code_at(const dsm__layout_uses *uses, dsm__held_slot slot,
                                           size_t choice) {
  return uses->codes[uses->choices.slots[slot].items[choice]];
}

/** The divisors that codes are of. */
static inline const dsm__divisors *dsm__layout_divisors(const dsm__layout_uses *uses) {
  return &uses->request->table->splits.divisors;
}

/** Cycles that layouts add to the layer on an edge that touches them, for each layout of its
 * output, as dsm__profile_extras; `scratch` is for twice as many numbers. */
void dsm__layout_extras(const dsm__layout_uses *uses, size_t edge,
                        const dsm__touched_layouts *touched, double most, double *scratch,
                        double *extras);

#endif
