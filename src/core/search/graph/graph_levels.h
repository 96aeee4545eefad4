/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_levels.h: paths parted by the node that they have on a level. */
#ifndef DSM_SEARCH_GRAPH_GRAPH_LEVELS_H
#define DSM_SEARCH_GRAPH_GRAPH_LEVELS_H

#include "search/graph/graph_limited.h"

/** The nodes of a graph in one run by how many edges lead to them. Every path has one node on each
 * level. */
typedef struct dsm__graph_levels {
  size_t count;          /**< 0: paths to some node differ in their number of edges */
  const uint32_t *nodes; /**< level after level */
  const size_t *first;   /**< of each level, and one more */
} dsm__graph_levels;

/** False if out of memory. */
bool dsm__graph_levels_find(const dsm__graph *graph, dsm__arena *arena, dsm__graph_levels *levels);

/** Nodes of a level through which the paths of one side do not go, and those of the sides that it
 * is a side of. */
typedef struct dsm__graph_side {
  const struct dsm__graph_side *whole; /**< NULL: of all paths */
  const uint32_t *left_out;
  size_t count;
} dsm__graph_side;

/** Parts the paths that dsm__graph_relax looked at last in two sides, of which `whole` is what they
 * all are on. The tail of `relaxed` is planted anew. False if it cannot, or is out of memory. */
bool dsm__graph_part(const dsm__graph_levels *levels, dsm__graph_relaxed *relaxed,
                     const dsm__graph_side *whole, const dsm__graph_side *sides[2]);

/** Copies the nodes of a graph, those that a side (NULL: all paths) leaves out with more transient
 * bytes than any limit. */
void dsm__graph_take_side(const dsm__graph *graph, const dsm__graph_side *side,
                          dsm__graph_node *nodes);

#endif
