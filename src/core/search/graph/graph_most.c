/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_most.c: of equally fast paths the first of those that count most.
 *
 * From the end of the path back, each node keeps what the rest of a path can be: how much it counts
 * and what it costs. Of two rests the one that counts more, and is not slower, is
 * enough. Nodes that are on no path within the limit keep none. Nearly all that are left take the
 * same cost but for rounding: then one rest is enough for a node.
 */
#include <math.h>
#include <stdlib.h>

#include "base/growing_list.h"
#include "base/order.h"
#include "plan/tolerance.h"
#include "search/graph/graph.h"

/* What can follow a node. */
typedef struct rest_of_path {
  double cost;
  size_t counted;
} rest_of_path;

/* A node's rests: those that count more come first, and are slower. */
typedef struct rest_list {
  size_t first;
  size_t count;
} rest_list;

/* Most rests of a node: enough for all but mappings that differ by less than the tolerance in
 * dozens of steps. Of more, those that count least are left out, but the fastest never. */
enum { RESTS_MAX = 256 };

typedef struct counting {
  const dsm__graph *graph;
  size_t from;
  size_t to;
  const double *rest;
  double *before;   /* least cost from `from`, of each node between */
  rest_list *lists; /* likewise */
  DSM__LIST(rest_of_path) pool;
  DSM__LIST(rest_of_path) scratch; /* candidates of one node */
  double limit;                    /* of cost */
  double margin;                   /* of cost: rests that differ by less are equally fast */
} counting;

/* Counts more first, then faster. */
static int compare_rests(const void *left, const void *right) {
  const rest_of_path *const a = left;
  const rest_of_path *const b = right;
  return dsm__order_then(dsm__order_whole(b->counted, a->counted), dsm__order(a->cost, b->cost));
}

/*
 * Keeps the candidates of a node that count more than all that are as fast.
 *
 * Two rests that differ by less than the margin count as equally fast, and of these the one that
 * counts more is enough. A path adds up at most as many such differences as it has edges, and the
 * margin is chosen so that all of them together are half of what ties allow: no path that is taken
 * exceeds the limit.
 */
static bool keep_best(counting *c, size_t node) {
  rest_list *const list = &c->lists[node - c->from];
  *list = (rest_list){c->pool.count, 0};
  if (c->scratch.count == 0) {
    return true;
  }
  qsort(c->scratch.items, c->scratch.count, sizeof c->scratch.items[0], compare_rests);
  double fastest = HUGE_VAL;
  for (size_t i = 0; i < c->scratch.count; i++) {
    const rest_of_path one = c->scratch.items[i];
    if (one.cost + c->margin >= fastest) {
      continue;
    }
    fastest = one.cost;
    if (list->count == RESTS_MAX) {
      c->pool.items[list->first + RESTS_MAX - 1] = one;
      continue;
    }
    if (!DSM__LIST_RESERVE(&c->pool, 1)) {
      return false;
    }
    c->pool.items[c->pool.count++] = one;
    list->count++;
  }
  return true;
}

/* The candidates of a node, from the rests of those it leads to. */
static bool extend(counting *c, size_t node) {
  const dsm__graph_node *const nodes = c->graph->nodes;
  c->scratch.count = 0;
  for (size_t e = nodes[node].first_edge; e < nodes[node + 1].first_edge; e++) {
    const dsm__graph_edge *const edge = &c->graph->edges[e];
    if (edge->to > c->to) {
      continue;
    }
    const rest_list list = c->lists[edge->to - c->from];
    for (size_t i = list.first; i < list.first + list.count; i++) {
      const rest_of_path one = {edge->cost + c->pool.items[i].cost,
                                dsm__graph_counted(c->graph, edge) + c->pool.items[i].counted};
      if (c->before[node - c->from] + one.cost > c->limit) {
        continue;
      }
      if (!DSM__LIST_RESERVE(&c->scratch, 1)) {
        return false;
      }
      c->scratch.items[c->scratch.count++] = one;
    }
  }
  return keep_best(c, node);
}

/* Least cost from the first node to those after it; how many edges a path can have at most. */
static void sweep(counting *c, double *longest) {
  const dsm__graph_node *const nodes = c->graph->nodes;
  const size_t count = c->to - c->from + 1;
  for (size_t i = 0; i < count; i++) {
    c->before[i] = i == 0 ? 0 : HUGE_VAL;
    longest[i] = 0;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t e = nodes[c->from + i].first_edge; e < nodes[c->from + i + 1].first_edge; e++) {
      const dsm__graph_edge *const edge = &c->graph->edges[e];
      if (edge->to <= c->to) {
        const size_t to = edge->to - c->from;
        c->before[to] = fmin(c->before[to], c->before[i] + edge->cost);
        longest[to] = fmax(longest[to], longest[i] + 1);
      }
    }
  }
}

static bool count_back(counting *c) {
  c->pool.items[c->pool.count++] = (rest_of_path){0, 0};
  c->lists[c->to - c->from] = (rest_list){0, 1};
  for (size_t v = c->to; v-- > c->from;) {
    c->lists[v - c->from] = (rest_list){0, 0};
    if (c->before[v - c->from] + c->rest[v] <= c->limit && !extend(c, v)) {
      return false;
    }
  }
  return true;
}

/* The cost with which an edge can be followed by something that counts `wanted`. */
static double followed_by(const counting *c, const dsm__graph_edge *edge, size_t wanted) {
  const rest_list list = c->lists[edge->to - c->from];
  double least = HUGE_VAL;
  for (size_t i = list.first; i < list.first + list.count && c->pool.items[i].counted >= wanted;
       i++) {
    least = edge->cost + c->pool.items[i].cost;
  }
  return least;
}

/* At each node the first edge from which a path can still count most within the limit; should
 * rounding leave none, the one that comes closest. */
static void walk(const counting *c, dsm__graph_path *path) {
  const dsm__graph_node *const nodes = c->graph->nodes;
  size_t wanted = c->pool.items[c->lists[0].first].counted;
  double spent = 0;
  path->length = 0;
  for (size_t v = c->from; v != c->to;) {
    size_t chosen = nodes[v].first_edge;
    double least = HUGE_VAL;
    for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge && least > c->limit; e++) {
      const dsm__graph_edge *const edge = &c->graph->edges[e];
      const size_t counted = dsm__graph_counted(c->graph, edge);
      const double sum =
          edge->to > c->to ? HUGE_VAL
                           : spent + followed_by(c, edge, wanted > counted ? wanted - counted : 0);
      if (sum < least) {
        least = sum;
        chosen = e;
      }
    }
    const dsm__graph_edge *const taken = &c->graph->edges[chosen];
    spent += taken->cost;
    wanted -= wanted > 0 ? dsm__graph_counted(c->graph, taken) : 0;
    path->edges[path->length++] = chosen;
    v = taken->to;
  }
}

bool dsm__graph_most(const dsm__graph *graph, size_t from, size_t to, const double *rest,
                     dsm__graph_path *path) {
  const size_t count = to - from + 1;
  counting c = {.graph = graph, .from = from, .to = to, .rest = rest};
  double *const longest = calloc(count, sizeof *longest);
  c.before = calloc(count, sizeof c.before[0]);
  c.lists = calloc(count, sizeof c.lists[0]);
  bool is_done =
      longest != NULL && c.before != NULL && c.lists != NULL && DSM__LIST_RESERVE(&c.pool, 1);
  if (is_done) {
    sweep(&c, longest);
    c.limit = dsm__tie_limit(c.before[count - 1]);
    /* Together no more than half of what counts as equal. */
    c.margin = (c.limit - c.before[count - 1]) / (2 * fmax(1, longest[count - 1]));
    is_done = count_back(&c);
  }
  if (is_done) {
    walk(&c, path);
  }
  free(longest);
  free(c.before);
  free(c.lists);
  free(c.pool.items);
  free(c.scratch.items);
  return is_done;
}
