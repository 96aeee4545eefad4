/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_limited.h: the fastest path where the fastest of all does not fit the memory: bounds and a
 * good path (graph_relax.c), the part of the graph that can still matter (graph_reduce.c), and all
 * partial paths that can become the fastest that fits (graph_labels.c).
 */
#ifndef DSM_SEARCH_GRAPH_GRAPH_LIMITED_H
#define DSM_SEARCH_GRAPH_GRAPH_LIMITED_H

#include "search/graph/graph.h"

/** A cheapest path from each node to one end of the graph, at some price: of one run at a time, by
 * stored numbers from its first node on. What all others need is kept of their first nodes. */
typedef struct dsm__graph_tree {
  double price;
  double transient_limit; /**< nodes with more transient bytes are left out */
  dsm__graph_sums
      *sums;      /**< from the first node: the node's own bytes included; to the last: not */
  size_t *edges;  /**< the edge by which the path enters, or leaves, the node */
  uint32_t *from; /**< the node at the other end of an entering edge */
  size_t run;     /**< whose nodes these are */
  dsm__graph_sums *entries; /**< of the first nodes of each run that the run before leads to */
} dsm__graph_tree;

/** No run. */
#define DSM__GRAPH_NO_RUN SIZE_MAX

/** Room for a tree; false if out of memory. */
bool dsm__graph_tree_allocate(const dsm__graph *graph, dsm__arena *arena, dsm__graph_tree *tree);

/** A tree from the first node. Its runs are at hand in ascending order first. */
void dsm__graph_plant_head(dsm__graph_tree *head, double price, double transient_limit);
void dsm__graph_load_head(const dsm__graph *graph, dsm__graph_tree *head, size_t run);

/** A tree to the last node. */
void dsm__graph_plant_tail(const dsm__graph *graph, dsm__graph_tree *tail, double price,
                           double transient_limit);
void dsm__graph_load_tail(const dsm__graph *graph, dsm__graph_tree *tail, size_t run);

/** Makes a path a head's to a place. */
void dsm__graph_begin_with(const dsm__graph *graph, dsm__graph_tree *head, dsm__graph_place place,
                           dsm__graph_path *path);

/** Adds a tail's from a place. */
void dsm__graph_end_with(const dsm__graph *graph, dsm__graph_tree *tail, dsm__graph_place place,
                         dsm__graph_path *path);

enum { DSM__GRAPH_HEADS = 2 };

typedef struct dsm__graph_relaxed {
  const dsm__graph *graph;
  dsm__arena *arena;
  double *transient_before; /**< least largest transient bytes from the first node to a node, whose
                                 own are included */
  double *before;           /**< scratch of a sweep to each node, */
  double *rest;             /**< and from each */
  double rounding;          /**< what rounding can change in a sum along a path, relatively */
  double least_transient;   /**< least largest transient bytes of the paths looked at */
  double transient_limit;   /**< and the most */
  double bound_cost;        /**< no such path that fits is faster */
  double price;             /**< cost per byte, of this bound */
  double incumbent_cost;
  double cost_limit;         /**< slower paths are not asked for; infinite: all are */
  dsm__graph_path incumbent; /**< the best path known that fits: the caller's */
  dsm__graph_path scratch;
  dsm__graph_tree heads[DSM__GRAPH_HEADS]; /**< from the first node, just below and just above the
                                                price at which paths begin to fit */
  dsm__graph_tree tail;
  double work; /**< edges and partial paths looked at */
} dsm__graph_relaxed;

/** What a path must not exceed to be asked for. */
static inline double dsm__graph_known(const dsm__graph_relaxed *relaxed) {
  return relaxed->incumbent_cost < relaxed->cost_limit ? relaxed->incumbent_cost
                                                       : relaxed->cost_limit;
}

/** Prepares `relaxed` for dsm__graph_relax, with `incumbent`, a path that fits, which becomes
 * better whenever a better path is found. False if out of memory. */
bool dsm__graph_relax_begin(const dsm__graph *graph, dsm__arena *arena,
                            const dsm__graph_path *incumbent, dsm__graph_relaxed *relaxed);

/** Looks at the paths with largest transient bytes from `least_transient` to `transient_limit`:
 * fills all of `relaxed` that depends on them. */
void dsm__graph_relax(dsm__graph_relaxed *relaxed, double least_transient, double transient_limit);

/** dsm__graph_relax of all paths that can fit. */
void dsm__graph_relax_whole(dsm__graph_relaxed *relaxed);

/** What no path with transients between the two limits of `relaxed` that fits is faster than, by a
 * price; its sweep is in `rest`. */
double dsm__graph_bound_at(dsm__graph_relaxed *relaxed, double price);

/** Takes the path in `scratch` as incumbent if it fits and is faster. */
void dsm__graph_offer(dsm__graph_relaxed *relaxed);

/** What rounding can add to or take from a priced sum along a path. */
double dsm__graph_rounding_slack(const dsm__graph_relaxed *relaxed, double price);

typedef struct dsm__graph_reduced {
  dsm__graph graph;
  size_t *original;          /**< of each edge: its index in the whole graph; ascending */
  dsm__graph_path incumbent; /**< in this graph */
} dsm__graph_reduced;

/**
 * The graph without the edges that are on no path that fits and is as good as what is known, by the
 * bounds of `price`; without nodes where the deadline is final, or its memory would be short with
 * it. The transients of `relaxed` must be those of all paths that can fit; its
 * sweeps are overwritten. False if out of memory.
 */
bool dsm__graph_reduce(dsm__graph_relaxed *relaxed, double price, dsm__graph_reduced *reduced);

/** How hard to look. Tests change it; the answer is the same wherever it is exact. */
typedef struct dsm__graph_effort {
  size_t labels_max; /**< most partial paths kept at once */
  bool is_dominance_on;
  double work_max; /**< most edges and partial paths looked at, about 4 ns each */
} dsm__graph_effort;

/** Enough for what can be exact in some seconds. */
#define DSM__GRAPH_WORK_MAX 1e9

/**
 * As dsm__graph_search, for a graph of which `path` (on entry) is a path that fits. `answer` has
 * its smallest need already. False if out of memory.
 */
bool dsm__graph_limited_search(const dsm__graph *graph, dsm__graph_effort effort, dsm__arena *arena,
                               dsm__graph_path *path, dsm__graph_answer *answer);

/** What follows a node: its own bytes left out. */
typedef dsm__graph_sums dsm__graph_label;

typedef struct dsm__graph_label_list {
  dsm__graph_label *labels; /**< by cost, ascending */
  size_t count;
} dsm__graph_label_list;

typedef struct dsm__graph_labels {
  dsm__graph_relaxed *relaxed; /**< bounds, and the incumbent, which becomes better on the way */
  dsm__graph_effort effort;
  double limit;                 /**< of cost */
  double work_limit;            /**< of the work of relaxed */
  double *cheapest_before;      /**< least cost from the first node to a node, */
  double *priced_before;        /**< at the best price, */
  double *kept_before;          /**< and least kept bytes, the node's own included */
  dsm__graph_label_list *lists; /**< of each node */
  dsm__graph_label *pool;       /**< all labels of the lists */
  size_t pool_capacity;
  size_t pool_count;
  dsm__graph_label *scratch;   /**< candidates of one node */
  dsm__graph_label *staircase; /**< for dominance */
  size_t scratch_capacity;
} dsm__graph_labels;

/** False if out of memory; dsm__graph_labels_free in any case. */
bool dsm__graph_labels_begin(dsm__graph_labels *l, dsm__graph_relaxed *relaxed,
                             dsm__graph_effort effort);
void dsm__graph_labels_free(dsm__graph_labels *l);

/** Finds what leads to each node at least, of the paths that dsm__graph_relax looked at last. */
void dsm__graph_labels_look(dsm__graph_labels *l);

/** Makes the labels of all paths that dsm__graph_relax looked at, fit, and cost at most `cost`, or
 * equally much. False if there are too many, or it takes too much work. */
bool dsm__graph_labels_make(dsm__graph_labels *l, double cost);

/** Least cost of a path that fits by its labels; infinite if there is none. */
double dsm__graph_labels_best(const dsm__graph_labels *l);

/** Writes the first of the paths that fit and cost at most `limit`, and of these count most,
 * into the scratch path of `relaxed`. False if rounding leaves no such path. */
bool dsm__graph_labels_walk(dsm__graph_labels *l, double limit);

#endif
