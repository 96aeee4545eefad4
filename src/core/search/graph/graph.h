/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph.h: the cheapest path through the choices of a whole network, under the memory of a chip.
 *
 * A mapping of a network is a path from the first node to the last. The cost of a path is the sum
 * of its edges' prices (search/cost.h). Where only time has a price, the cheapest path is the
 * fastest, and is called so. Its memory is what its nodes keep, plus the largest of what they need
 * for a while (section 12). Nodes stand in a topological order: every edge leads to a node with a
 * higher index, and every node lies on some path from the first to the last.
 *
 * A network of equal blocks has a graph of equal parts. Such a part is stored once and stands in as
 * many runs as the network has blocks: only numbers of nodes and edges differ, by the same for all
 * of a run. Whoever goes through the runs in order meets the same nodes and edges, with the same
 * numbers, as in the graph that is written out, and so adds up the same sums in the same order: no
 * answer can differ, not even in its last digit. A node that is on a path in one run only is in all
 * of them; where nothing leads on from it, what follows it takes infinitely long, and it is on
 * none.
 */
#ifndef DSM_SEARCH_GRAPH_GRAPH_H
#define DSM_SEARCH_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/deadline.h"

typedef struct dsm__graph_edge {
  double cost; /**< finite, 0 or more */
  uint32_t to;
  uint32_t tag; /**< the caller's, but for DSM__TAG_COUNTS */
} dsm__graph_edge;

/** The bit of an edge's tag that dsm__graph.is_counting looks at. */
#define DSM__TAG_COUNTS ((uint32_t)1 << 31)

typedef struct dsm__graph_node {
  double kept_bytes;
  double transient_bytes;
  size_t first_edge; /**< its edges are edges[first_edge .. (node + 1)->first_edge), in the order of
                          preference among equally fast paths */
} dsm__graph_node;

/** Stored nodes first .. end, each with a number that is higher by `shift`, as are those of the
 * nodes that their edges lead to; and with their edges, whose numbers are higher by `edge_shift`.
 * Edges lead to nodes of the same run, or to stored nodes from `end` on: these are the first ones
 * of the next run, in the same order. */
typedef struct dsm__graph_run {
  size_t first;
  size_t end;
  size_t shift;
  size_t edge_shift;
  size_t entries; /**< how many of its first nodes edges of the run before lead to */
  size_t layers;  /**< the caller's: how many layers later they are than those stored */
} dsm__graph_run;

typedef struct dsm__graph {
  const dsm__graph_node *nodes; /**< those stored, and one more for first_edge */
  size_t node_count;            /**< 2 or more; node 0 is the first, node_count - 1 the last */
  const dsm__graph_edge *edges;
  double capacity_bytes; /**< for kept + largest transient bytes */
  double cost_limit;     /**< slower paths are not asked for where memory is short; 0: all are */
  bool is_case;          /**< one of several searches, each of which may take a part of the work */
  bool is_counting;      /**< of equally fast paths those with most edges of which the tag has
                              DSM__TAG_COUNTS come first, before the order of edges */
  dsm__deadline *deadline; /**< once it is over, a path that fits is enough; NULL: none */
  const dsm__graph_run *runs;
  size_t run_count; /**< 0: all is one run, as it is stored */
} dsm__graph;

static inline size_t dsm__graph_run_count(const dsm__graph *graph) {
  return graph->run_count > 0 ? graph->run_count : 1;
}

static inline dsm__graph_run dsm__graph_run_of(const dsm__graph *graph, size_t index) {
  return graph->run_count > 0 ? graph->runs[index] : (dsm__graph_run){.end = graph->node_count};
}

/** How many edges a graph has. */
static inline size_t dsm__graph_edge_count(const dsm__graph *graph) {
  const dsm__graph_run last = dsm__graph_run_of(graph, dsm__graph_run_count(graph) - 1);
  return graph->nodes[last.end].first_edge + last.edge_shift;
}

/** A node on a path: as it is stored, and its run. */
typedef struct dsm__graph_place {
  dsm__graph_run run;
  size_t run_index;
  size_t node;
} dsm__graph_place;

static inline dsm__graph_place dsm__graph_start(const dsm__graph *graph) {
  return (dsm__graph_place){.run = dsm__graph_run_of(graph, 0)};
}

/** Where an edge out of a place leads to. */
static inline dsm__graph_place dsm__graph_behind(const dsm__graph *graph, dsm__graph_place place,
                                                 const dsm__graph_edge *edge) {
  if (edge->to < place.run.end) {
    place.node = edge->to;
    return place;
  }
  const dsm__graph_run next = graph->runs[place.run_index + 1];
  return (dsm__graph_place){next, place.run_index + 1, edge->to - place.run.end + next.first};
}

/** The edge with a number, out of a place. */
static inline const dsm__graph_edge *dsm__graph_edge_at(const dsm__graph *graph,
                                                        dsm__graph_place place, size_t number) {
  return &graph->edges[number - place.run.edge_shift];
}

static inline bool dsm__graph_is_last(const dsm__graph *graph, dsm__graph_place place) {
  return place.node + place.run.shift == graph->node_count - 1;
}

/** A path: the indices of its edges, from the first node to the last. */
typedef struct dsm__graph_path {
  size_t *edges; /**< room for the longest path */
  size_t length;
} dsm__graph_path;

typedef struct dsm__graph_answer {
  bool is_feasible;           /**< some path fits the memory */
  bool is_memory_short;       /**< the fastest path of all does not */
  double cost;                /**< of the path found */
  double lower_bound;         /**< no path that fits is faster */
  double smallest_need_bytes; /**< of any path; set where the fastest of all does not fit */
} dsm__graph_answer;

/** Most partial paths kept at once. */
#define DSM__LABELS_MAX ((size_t)1 << 21)

/** Of what one search may take, so many of several may take a part each (is_case). */
#define DSM__CASES 64

/**
 * Finds the fastest path that fits; among equals (tolerance.h) one that counts most, if the graph
 * is counting, and of these the first in the order of edges, node after node. Where none fits, the
 * path is one of smallest need. The answer is exact, unless the memory makes exactness too dear
 * (more than DSM__LABELS_MAX partial paths that do not dominate each other): then the best path
 * found, and a bound below it. A path slower than the limit may not be the fastest; the bound
 * holds. `path` is allocated in the arena. False if out of memory.
 */
bool dsm__graph_search(const dsm__graph *graph, dsm__arena *arena, dsm__graph_path *path,
                       dsm__graph_answer *answer);

/** rest[node]: least cost from a node to the last. */
void dsm__graph_rest(const dsm__graph *graph, double *rest);

/** before[node]: least cost from the first node to a node. */
void dsm__graph_before(const dsm__graph *graph, double *before);

/** The first of the fastest paths, memory and counting aside, given dsm__graph_rest. */
void dsm__graph_fastest(const dsm__graph *graph, const double *rest, dsm__graph_path *path);

/** Of the fastest paths from node `from` to node `to` of a graph in one run, memory aside, the
 * first of those that count most, given the least cost from each node between the two to `to`.
 * False if out of memory. */
bool dsm__graph_most(const dsm__graph *graph, size_t from, size_t to, const double *rest,
                     dsm__graph_path *path);

/** What a sweep adds up, and through which nodes it may go. */
typedef struct dsm__graph_price {
  double per_cost;        /**< of an edge's cost */
  double per_byte;        /**< of a node's kept bytes */
  double transient_limit; /**< nodes with more transient bytes are left out */
} dsm__graph_price;

/** What a path, or a part of one, costs, keeps, and needs for a while at most; and what it counts.
 */
typedef struct dsm__graph_sums {
  double cost;
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

/** The most edges of any path; `longest` (room for node_count) is scratch. */
size_t dsm__graph_longest_path(const dsm__graph *graph, double *longest);

/** The first of the cheapest paths; `rest` is of dsm__graph_sweep_back at the same price and finite
 * at the first node. */
void dsm__graph_walk(const dsm__graph *graph, dsm__graph_price price, const double *rest,
                     dsm__graph_path *path);

/** The sums of a whole path, from the first node to the last: that order is the one that decides
 * whether it fits. Sums from the other end differ in their last bits. */
dsm__graph_sums dsm__graph_sum(const dsm__graph *graph, const dsm__graph_path *path);

/** What a path needs of the memory. */
static inline double dsm__graph_bytes(dsm__graph_sums sums) {
  return sums.kept_bytes + sums.transient_bytes;
}

/** The smallest need of any path, and a path of it. False if out of memory. */
bool dsm__graph_smallest_need(const dsm__graph *graph, dsm__graph_path *path,
                              double *smallest_need);

#endif
