/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_outline.h: what runs of layers take at least with the relayouts between them: paths through
 * far fewer states than a graph of roles has. */
#ifndef DSM_SEARCH_ROLES_ROLE_OUTLINE_H
#define DSM_SEARCH_ROLES_ROLE_OUTLINE_H

#include "search/roles/role_graph.h"
#include "search/roles/role_search.h"
#include "search/roles/role_states.h"

/** A state: along each axis the outer layout, and whether the last output is not outside; behind a
 * relayout, whether what the layer reads is not. Another bit: of the others that are live some are
 * not outside; behind a relayout, of those that are live behind the layer. */
enum { DSM__OUTLINE_CODES = 2 << 3 * DSM_AXES_MAX };

static inline unsigned dsm__outline_outer(unsigned state, unsigned axis) {
  return state >> 3 * axis & 3U;
}

static inline bool dsm__outline_is_inside(unsigned state, unsigned axis) {
  return (state >> 3 * axis & 4U) != 0;
}

/** An axis' part of a state: the outer layout, and whether it is inside. */
static inline unsigned dsm__outline_axis(unsigned axis, unsigned outer, bool is_inside) {
  return (outer | (is_inside ? 4U : 0U)) << 3 * axis;
}

/** A state's bit: of what is live before a layer some is inside, but for the last output and what
 * is on its side. */
static inline unsigned dsm__outline_others(unsigned axes) {
  return 1U << 3 * axes;
}

/** Before a layer: does one from it on read the last two outputs? Then both are on one side. */
bool dsm__outline_has_twins(const dsm__role_space *space, size_t layer);

/** From the state before a layer to one in which it may run. */
typedef struct dsm__outline_move {
  uint16_t from;
  uint16_t to;
  double cost; /**< of a micro-batch, at least */
} dsm__outline_move;

/** From there to one behind it, with one of some options. */
typedef struct dsm__outline_edge {
  uint16_t from;
  uint16_t to;
  uint32_t first; /**< point */
  uint32_t end;
} dsm__outline_edge;

typedef struct dsm__outline_layer {
  dsm__outline_move *moves;
  dsm__outline_edge *edges;
  dsm__cost *points;
  size_t move_count;
  size_t edge_count;
  size_t point_count;
} dsm__outline_layer;

/** Of all layers; where states are asked for, arrays have state_count. Each path of the graph of
 * roles has one here that takes no more of anything. */
typedef struct dsm__role_outline {
  size_t layer_count; /**< 0: nothing is known */
  size_t state_count;
  const dsm__outline_layer **layers; /**< those of a kind are the same */
  bool **is_out;                     /**< of each layer and point: it is on no path */
  const double **added;              /**< of each layer, to states before it; NULL: nothing */
  double *before;                    /**< of each layer, and the end, and state: the least of a
                                          micro-batch before it, */
  double *behind;                    /**< and from it on */
} dsm__role_outline;

/** How much of the path that it is on, and of an option itself, a step takes at least. */
typedef struct dsm__outline_rule {
  double path;
  dsm__prices own;
} dsm__outline_rule;

/** What options of a layer take at least: those that share nothing, or with as much shared as may
 * help them. Layers of a kind have the same. */
typedef struct dsm__outline_source {
  const void *context;
  /** Infinite cost of a micro-batch: an option that is not looked at. */
  dsm__cost (*point)(const void *context, size_t layer_index, size_t whole, bool may_share);
  double times; /**< what relayouts take in all micro-batches is that of so many */
} dsm__outline_source;

/** Finds it, in the arena. Without layers: the time is over. False if out of memory. */
bool dsm__role_outline_find(const dsm__role_space *space, const dsm__outline_source *source,
                            dsm__arena *arena, dsm__role_outline *outline);

/** Takes out options that are on no path within a limit, and fills what is least before and behind.
 * False: no path is left. */
bool dsm__outline_restrict(dsm__role_outline *outline, const dsm__outline_rule *rule, double limit);

/** What paths take with the next layer, its options at some prices, and with so much of the
 * relayout and of what is added before it; of each state. `behind` is another array than `before`.
 */
void dsm__outline_pass(const dsm__role_outline *outline, size_t layer, const dsm__prices *prices,
                       double moved, double added, const double *before, double *behind);

#endif
