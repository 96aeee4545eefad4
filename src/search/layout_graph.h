/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_graph.h: a network's graph in which held tensors have layouts in the cores (section 7,
 * model.layout_move "exact").
 *
 * It is made from the free graph, in which held tensors fit every core split. A state in which
 * something is held becomes one for each way to lay out those held tensors that a later layer can
 * still read; a layer that holds its output becomes an edge for each layout of it, and costs what
 * the free edge costs and what its layouts add.
 */
#ifndef DSM_SEARCH_LAYOUT_GRAPH_H
#define DSM_SEARCH_LAYOUT_GRAPH_H

#include "plan/core_layouts.h"
#include "search/network_graph.h"

/** Most states in all, and after that of each node of the free graph. */
enum { DSM__LAYOUT_STATES_MAX = 1 << 17, DSM__LAYOUT_STATES_MIN = 64 };

typedef struct dsm__layout_request {
  const dsm__layer_table *table;
  const dsm__lives *lives;
  const dsm__core_layouts *layouts;
  const dsm__network_graph *free;  /**< with holdings */
  const unsigned char *is_edge_in; /**< the edges of the free graph to be built; NULL: all */
  const double *rest;              /**< least cycles from each node of the free graph to its end */
  double limit_cycles;             /**< only paths that can be as fast are wanted */
  size_t states_max;               /**< see DSM__LAYOUT_STATES_MAX */
  unsigned factor_count;
} dsm__layout_request;

typedef struct dsm__layout_graph {
  dsm__network_graph network;
  bool is_found; /**< some path is left */
  bool is_cut;   /**< too many states: some are missing */
} dsm__layout_graph;

/** Builds the graph in the arena; false if out of memory. */
bool dsm__layout_graph_build(dsm__layout_graph *made, const dsm__layout_request *request,
                             dsm__arena *arena);

#endif
