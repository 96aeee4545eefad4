/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_graph.h: a network's graph in which held tensors have layouts in the cores (section 7,
 * model.layout_move "exact").
 *
 * It is made from the free graph, in which held tensors fit every core split. A state in which
 * something is held becomes one for each way to lay out those held tensors that a later layer can
 * still read; a layer that holds its output becomes an edge for each layout of it, and costs what
 * the free edge costs and what its layouts add.
 *
 * States and edges on no path within the limit are left out: what follows is bounded from below
 * (layout_bounds.c).
 */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_GRAPH_H
#define DSM_SEARCH_LAYOUT_LAYOUT_GRAPH_H

#include "search/layout/layout_uses.h"

/** Most states of a node of the free graph; most states in all, beyond which each node has only so
 * many. */
enum {
  DSM__LAYOUT_STATES_MAX = 1 << 15,
  DSM__LAYOUT_STATES_IN_ALL = 1 << 18,
  DSM__LAYOUT_STATES_MIN = 64
};

typedef struct dsm__layout_graph {
  dsm__network_graph network;
  bool is_found;      /**< some path is left */
  bool is_cut;        /**< too many states: some are missing */
  double lower_bound; /**< of all paths of the wanted edges, by the bounds alone */
} dsm__layout_graph;

/** Builds the graph in the arena; false if out of memory. */
bool dsm__layout_graph_build(dsm__layout_graph *made, const dsm__layout_request *request,
                             dsm__arena *arena);

#endif
