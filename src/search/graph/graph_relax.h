/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_relax.h: bounds and a good path for a graph whose fastest path does not fit the memory.
 */
#ifndef DSM_SEARCH_GRAPH_GRAPH_RELAX_H
#define DSM_SEARCH_GRAPH_GRAPH_RELAX_H

#include "search/graph/graph_paths.h"

/** A cheapest path from each node to one end of the graph, at some price. */
typedef struct dsm__graph_tree {
  dsm__graph_sums
      *sums;      /**< from the first node: the node's own bytes included; to the last: not */
  size_t *edges;  /**< the edge by which the path enters, or leaves, the node */
  uint32_t *from; /**< the node at the other end of an entering edge */
} dsm__graph_tree;

enum { DSM__GRAPH_HEADS = 2 };

typedef struct dsm__graph_relaxed {
  const dsm__graph *graph;
  dsm__arena *arena;
  double *cheapest_before;  /**< least cycles from the first node to a node */
  double *priced_before;    /**< likewise, at the best price */
  double *kept_before;      /**< least kept bytes, the node's own included */
  double *transient_before; /**< least largest transient bytes, likewise */
  double *rest;             /**< of the price tried last */
  double rounding;          /**< what rounding can change in a sum along a path, relatively */
  double least_transient;   /**< least largest transient bytes of the paths looked at */
  double transient_limit;   /**< and the most */
  double bound_cycles;      /**< no such path that fits is faster */
  double price;             /**< cycles per byte, of this bound */
  double incumbent_cycles;
  dsm__graph_path incumbent; /**< the best path known that fits: the caller's */
  dsm__graph_path scratch;
  dsm__graph_tree heads[DSM__GRAPH_HEADS]; /**< from the first node, just below and just above the
                                                price at which paths begin to fit */
  dsm__graph_tree tail;
  double work; /**< edges and partial paths looked at */
} dsm__graph_relaxed;

/** Prepares `relaxed` for dsm__graph_relax, with `incumbent`, a path that fits, which becomes
 * better whenever a better path is found. False if out of memory. */
bool dsm__graph_relax_begin(const dsm__graph *graph, dsm__arena *arena,
                            const dsm__graph_path *incumbent, dsm__graph_relaxed *relaxed);

/** Looks at the paths with largest transient bytes from `least_transient` to `transient_limit`:
 * fills all of `relaxed` that depends on them. */
void dsm__graph_relax(dsm__graph_relaxed *relaxed, double least_transient, double transient_limit);

/** dsm__graph_relax of all paths that can fit. */
void dsm__graph_relax_whole(dsm__graph_relaxed *relaxed);

/** Takes the path in `scratch` as incumbent if it fits and is faster. */
void dsm__graph_offer(dsm__graph_relaxed *relaxed);

/** Begins the path in `scratch` with a head's path to a node. */
void dsm__graph_begin_with(dsm__graph_relaxed *relaxed, const dsm__graph_tree *head, size_t node);

/** What rounding can add to or take from a priced sum along a path. */
double dsm__graph_rounding_slack(const dsm__graph_relaxed *relaxed, double price);

#endif
