/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_relaxed.h: what no mapping with roles takes less than from a state on, whatever it holds. */
#ifndef DSM_SEARCH_ROLES_HELD_RELAXED_H
#define DSM_SEARCH_ROLES_HELD_RELAXED_H

#include "search/roles/held_costs.h"
#include "search/roles/role_rooms.h"

/** A state between layers, without what is held. No padding: compared as bytes. */
typedef struct dsm__held_point {
  dsm__role_state role;
  uint64_t holdable; /**< bit k: what the layer k + 1 before made lies as it was made, so that it
                          can be held */
} dsm__held_point;

/** A layer with an option, out of a point. */
typedef struct dsm__held_edge {
  uint64_t entered; /**< of what was holdable: what still is while the layer runs */
  double moving;    /**< cost of what moves before it and behind it */
  double least;     /**< with the least that the layer takes, whatever is held */
  uint32_t to;      /**< point behind it */
  uint32_t option;
  uint8_t can_input_be_held;
  uint8_t can_shortcut_be_held;
  uint8_t can_output_be_held;
} dsm__held_edge;

/** A layer out of all points before it. Layers of equal blocks share one. */
typedef struct dsm__held_block {
  const dsm__held_point *points;
  size_t point_count;
  size_t *first_edge; /**< edges of a point are edges[first_edge[p] .. first_edge[p + 1]) */
  const dsm__held_edge *edges;
} dsm__held_block;

typedef struct dsm__held_relaxed {
  const dsm__held_block **blocks; /**< of each layer; of the last boundary one without edges */
  double **rest;                  /**< of each boundary and point: cost to the end at least */
  double cost;                    /**< of all: rest[0][0]; infinite: there is no path */
  bool is_too_large;              /**< nothing is known */
} dsm__held_relaxed;

/** What each layer takes at least, whatever is held around it. */
typedef struct dsm__held_least {
  double **options; /**< of each layer and option; equal layers share one */
  double **wholes;  /**< of those that share nothing: whatever they share */
  double *layers;   /**< of each layer */
  double sum;
  dsm__role_rooms rooms; /**< on paths of these, with what moves between them */
} dsm__held_least;

/** Finds that, of no use where the deadline is final meanwhile. False if out of memory. */
bool dsm__held_least_find(dsm__held_costs *costs, dsm__held_least *least);

/** Of each layer, what it has in a mapping; NULL: any. */
typedef const dsm__layer_decision *dsm__held_choice;

/** Finds the bounds in a graph of options that are over their layer's least by at most `slack`: of
 * mappings that take no more than that over the sum of the least, with the roles and shards of
 * `choice`. False if out of memory. */
bool dsm__held_relaxed_find(dsm__held_costs *costs, const dsm__held_least *least, double slack,
                            dsm__held_choice choice, dsm__held_relaxed *relaxed, dsm__arena *arena);

/** What mappings within a limit take at least where options take more, of several such charges:
 * cost[0 .. width), with added[layer][option * width + k] of charge k; NULL for a layer: nothing.
 * `relaxed` is not too large. False if out of memory. */
bool dsm__held_relaxed_charge(const dsm__held_costs *costs, const dsm__held_relaxed *relaxed,
                              double cost_limit, double *const *added, size_t width, double *cost);

#endif
