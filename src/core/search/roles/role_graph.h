/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_graph.h: all mappings with roles as paths through a graph (section 13). */
#ifndef DSM_SEARCH_ROLES_ROLE_GRAPH_H
#define DSM_SEARCH_ROLES_ROLE_GRAPH_H

#include "search/problem.h"
#include "search/roles/role_layers.h"
#include "search/roles/role_options.h"
#include "search/roles/role_search.h"

/**
 * What paths may go through: layers, the options of each, and how far these may be over the least.
 *
 * What a segment makes anew is part of a state, so that a segment of many layers has as many states
 * as sums of some of them. Where nodes are too many (dsm__problem), sums are counted in grains.
 * Rounded up, no mapping needs more than it is taken to need: what is found fits. Rounded down,
 * none needs less: no mapping that fits is left out, and the bound is one of all.
 */
typedef struct dsm__role_space {
  const dsm__problem *problem;
  const dsm__role_options *options; /**< of each class, then of those among the first layers */
  size_t most_options;              /**< of a layer */
  double *least; /**< of each layer: cost of its fastest option, with those of the price */
  const dsm__role_layer *layers; /**< what is around each */
  bool may_recompute;
  bool has_spares; /**< options are looked at that only memory asks for */
  double grain;    /**< what is made anew is counted in so many bytes, a power of 2; 0: exactly, */
  bool is_up;      /**< and rounded up; else down */
  double slack;    /**< cost by which an option may be over its layer's least */
  double **bytes;  /**< of each layer and option that shares nothing, that have a price
                        (role_prices.h); NULL: not known yet */
  const struct dsm__role_rooms *byte_rooms; /**< of these; NULL: not known */
  double room_bytes;                        /**< of these, what a mapping that fits has at most; */
  double price;     /**< what each of them costs in the least, slack and rooms, */
  double paid_cost; /**< of which a mapping that fits is given so many back */
  const struct dsm__role_rooms *rooms; /**< of mappings that are over that by no more; NULL: not
                                            known */
  double known_cost; /**< of a mapping: slower ones are not asked for; 0: none is known */
  size_t edge_share; /**< a graph may have 1 / this of the problem's most edges; 0: all */
  bool is_too_large; /**< as the latest build found: more nodes than the problem allows */
} dsm__role_space;

/** The options of a layer, among those of all classes and then of their first layers. */
const dsm__role_options *dsm__role_options_in(const dsm__problem *problem,
                                              const dsm__role_options *options, size_t layer_index);

/** The options of a layer. */
const dsm__role_options *dsm__role_options_of(const dsm__role_space *space, size_t layer_index);

/** Does some layer have options that only memory asks for? */
bool dsm__role_has_spares(const dsm__role_space *space);

/** May a layer have this option: is it free, or are its roles what all its passes have to have? */
bool dsm__is_role_open(const dsm__role_space *space, size_t layer_index,
                       const dsm__role_option *option);

/** What a layer takes of the memory with an option. */
dsm_layer_memory dsm__role_memory_of(const dsm__role_space *space, size_t layer_index,
                                     size_t option_index);

/** What counts for the bytes of a layer with an option. */
static inline double dsm__role_priced_cost(const dsm__role_space *space, size_t layer_index,
                                           size_t option_index) {
  return space->price > 0 ? space->price * space->bytes[layer_index][option_index] : 0;
}

/** What a layer costs with an option that shares as much with others as it can, in a micro-batch
 * and once a step. */
dsm__cost dsm__role_cost_of(const dsm__role_space *space, size_t layer_index,
                            const dsm__role_option *option);

/** Adds a point in the place of those that it is below, unless one is below it. There is room. */
void dsm__role_front_add(dsm__role_front *front, const dsm__cost *point);

/** What its options take (role_search.h). NULL points if out of memory. */
dsm__role_front dsm__role_front_of(const dsm__role_space *space, size_t layer_index);

/** Finds the least of all options, and what is around layers, for a problem that is set; `is_rough`
 * as in dsm__role_fronts_find(). False if out of memory. */
bool dsm__role_space_find(dsm__role_space *space, bool is_rough, bool may_recompute);

/** Builds the graph from the arena. The edge out of an entry has the option as its tag. A network
 * without nodes: the space is too large, or the time is over. False if out of memory. */
bool dsm__role_graph_build(dsm__role_space *space, dsm__arena *arena, dsm__network_graph *network);

#endif
