/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_paths.h: sweeps over a graph and sums along its paths, for the files of the search only.
 *
 * A sum along a path runs from the first node to the last: that order is the one that decides
 * whether a path fits. Sums from the other end differ from it in their last bits.
 */
#ifndef DSM_SEARCH_GRAPH_GRAPH_PATHS_H
#define DSM_SEARCH_GRAPH_GRAPH_PATHS_H

#include "search/graph/graph.h"

/** What a sweep adds up, and through which nodes it may go. */
typedef struct dsm__graph_price {
  double per_cycle;       /**< of an edge's cycles */
  double per_byte;        /**< of a node's kept bytes */
  double transient_limit; /**< nodes with more transient bytes are left out */
} dsm__graph_price;

/** What a path, or a part of one, costs, keeps, and needs for a while at most; and what it counts.
 */
typedef struct dsm__graph_sums {
  double cycles;
  double kept_bytes;
  double transient_bytes;
  size_t counted; /**< 0 in a graph that is not counting */
} dsm__graph_sums;

/** What an edge counts. */
static inline size_t dsm__graph_counted(const dsm__graph *graph, const dsm__graph_edge *edge) {
  return graph->is_counting && (edge->tag & DSM__TAG_COUNTS) != 0 ? (size_t)1 : 0;
}

static inline double dsm__graph_larger(double a, double b) {
  return a > b ? a : b;
}

/** dsm__graph_rest for any price; infinite where the limit leaves no path. */
void dsm__graph_sweep_back(const dsm__graph *graph, dsm__graph_price price, double *rest);

/** dsm__graph_before for any price; infinite where the limit leaves no path. */
void dsm__graph_sweep_forward(const dsm__graph *graph, dsm__graph_price price, double *before);

/** need[node]: least possible largest transient bytes from the first node to a node, whose own are
 * included. */
void dsm__graph_least_transient(const dsm__graph *graph, double *need);

/** The first of the cheapest paths; `rest` is of dsm__graph_sweep_back at the same price and finite
 * at the first node. */
void dsm__graph_walk(const dsm__graph *graph, dsm__graph_price price, const double *rest,
                     dsm__graph_path *path);

/** The sums of a whole path. */
dsm__graph_sums dsm__graph_sum(const dsm__graph *graph, const dsm__graph_path *path);

/** What a path needs of the memory. */
static inline double dsm__graph_bytes(dsm__graph_sums sums) {
  return sums.kept_bytes + sums.transient_bytes;
}

/** The smallest need of any path, and a path of it. False if out of memory. */
bool dsm__graph_smallest_need(const dsm__graph *graph, dsm__arena *arena, dsm__graph_path *path,
                              double *smallest_need);

#endif
