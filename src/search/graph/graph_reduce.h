/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_reduce.h: the part of a graph that can still matter. */
#ifndef DSM_SEARCH_GRAPH_GRAPH_REDUCE_H
#define DSM_SEARCH_GRAPH_GRAPH_REDUCE_H

#include "search/graph/graph_relax.h"

typedef struct dsm__graph_reduced {
  dsm__graph graph;
  size_t *original;          /**< of each edge: its index in the whole graph; ascending */
  dsm__graph_path incumbent; /**< in this graph */
} dsm__graph_reduced;

/**
 * The graph without the edges that are on no path that fits and is as good as the incumbent, by the
 * bounds of `price`. The transients of `relaxed` must be those of all paths that can fit; its
 * sweeps are overwritten. False if out of memory.
 */
bool dsm__graph_reduce(dsm__graph_relaxed *relaxed, double price, dsm__graph_reduced *reduced);

#endif
