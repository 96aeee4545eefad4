/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_reduce.c: leaves out what cannot matter.
 *
 * For each edge there are three bounds of the best path over it: its cost alone, its kept bytes
 * alone, and its priced cost, each the sum of what is least before the edge, the edge, and what is
 * least behind it. If one of them exceeds what the incumbent or the capacity allows, every path
 * over the edge does, and the edge goes. A path that fits and is as good as the incumbent loses no
 * edge, as each of its edges passes all three; so the answer, its ties and their order stay (the
 * reduction of Beasley and Christofides, "An algorithm for the resource constrained shortest path
 * problem", Networks 19 (1989)).
 *
 * Edges keep their order, and with it the order in which equals are preferred.
 */
#include "search/graph/graph_limited.h"

#include <math.h>
#include <string.h>

#include "plan/tolerance.h"

typedef struct reduction {
  dsm__graph_relaxed *relaxed;
  double price;
  unsigned char *is_edge_in;
  unsigned char *is_node_in;
  uint32_t *new_index; /* of each node that is in */
} reduction;

static bool allocate(reduction *d) {
  const dsm__graph *const graph = d->relaxed->graph;
  dsm__arena *const arena = d->relaxed->arena;
  const size_t count = graph->node_count;
  return DSM__RESERVE(arena, d->is_edge_in, dsm__graph_edge_count(graph)) &&
         DSM__RESERVE(arena, d->is_node_in, count) && DSM__RESERVE(arena, d->new_index, count);
}

/* A sum along paths, and what it may be at most where these have so many transient bytes. */
typedef struct criterion {
  dsm__graph_price price;
  double most;
  double per_transient_byte; /* less */
} criterion;

/* Can an edge from node v of a run be on a path that keeps within a criterion? */
static bool is_within(const dsm__graph_relaxed *r, const criterion *c, const dsm__graph_run *run,
                      size_t v, const dsm__graph_edge *edge) {
  const dsm__graph_node *const to = &r->graph->nodes[edge->to];
  const double transient =
      dsm__graph_larger(r->least_transient, dsm__graph_larger(r->transient_before[v + run->shift],
                                                              to->transient_bytes));
  const double sum = r->before[v + run->shift] + c->price.per_cost * edge->cost +
                     c->price.per_byte * to->kept_bytes + r->rest[edge->to + run->shift];
  return sum + c->per_transient_byte * transient <= c->most;
}

/* Takes out the edges that are on no path that keeps within a criterion. */
static void apply(const reduction *d, const criterion *c) {
  const dsm__graph_relaxed *const r = d->relaxed;
  const dsm__graph *const graph = r->graph;
  dsm__graph_sweep_forward(graph, c->price, r->before);
  dsm__graph_sweep_back(graph, c->price, r->rest);
  for (size_t i = 0; i < dsm__graph_run_count(graph); i++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, i);
    unsigned char *const is_edge_in = &d->is_edge_in[run.edge_shift];
    for (size_t v = run.first; v < run.end; v++) {
      for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
        is_edge_in[e] = is_edge_in[e] != 0 && is_within(r, c, &run, v, &graph->edges[e]) ? 1 : 0;
      }
    }
  }
}

static void apply_all(const reduction *d) {
  const dsm__graph_relaxed *const r = d->relaxed;
  const double capacity = r->graph->capacity_bytes;
  const double limit = dsm__tie_limit(dsm__graph_known(r)) + dsm__graph_rounding_slack(r, d->price);
  const criterion criteria[] = {
      {{1, 0, r->transient_limit}, limit, 0},
      {{1, d->price, r->transient_limit}, limit + d->price * capacity, d->price},
      {{0, 1, r->transient_limit}, capacity * (1 + r->rounding), 1},
  };
  memset(d->is_edge_in, 1, dsm__graph_edge_count(r->graph));
  for (size_t i = 0; i < DSM__COUNT_OF(criteria); i++) {
    apply(d, &criteria[i]);
  }
}

/* From the end back: leaves out the edges of a run that do not lead on. */
static void choose_back(const reduction *d, size_t index) {
  const dsm__graph *const graph = d->relaxed->graph;
  const dsm__graph_run run = dsm__graph_run_of(graph, index);
  unsigned char *const is_node_in = &d->is_node_in[run.shift];
  unsigned char *const is_edge_in = &d->is_edge_in[run.edge_shift];
  for (size_t v = run.end; v-- > run.first;) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const bool is_in = is_edge_in[e] != 0 && is_node_in[graph->edges[e].to] != 0;
      is_edge_in[e] = is_in ? 1 : 0;
      is_node_in[v] = is_in ? 1 : is_node_in[v];
    }
  }
}

/* From the front: leaves out the edges of a run that are not reached. 2: a node that is. */
static void choose_forward(const reduction *d, size_t index) {
  const dsm__graph *const graph = d->relaxed->graph;
  const dsm__graph_run run = dsm__graph_run_of(graph, index);
  unsigned char *const is_node_in = &d->is_node_in[run.shift];
  unsigned char *const is_edge_in = &d->is_edge_in[run.edge_shift];
  for (size_t v = run.first; v < run.end; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      if (is_node_in[v] != 2) {
        is_edge_in[e] = 0;
      } else if (is_edge_in[e] != 0) {
        is_node_in[graph->edges[e].to] = 2;
      }
    }
  }
}

/*
 * Keeps the edges that are within all criteria, and of those the ones on a path from end to end.
 *
 * First from the end back: a node is in if an edge of it is, and an edge only if the node behind it
 * is. Then from the front: what is not reached goes too. After both sweeps every edge that is in
 * lies on a path from end to end.
 */
static void choose(const reduction *d) {
  const dsm__graph *const graph = d->relaxed->graph;
  const dsm__graph_path *const incumbent = &d->relaxed->incumbent;
  const size_t run_count = dsm__graph_run_count(graph);
  for (size_t i = 0; i < incumbent->length; i++) {
    d->is_edge_in[incumbent->edges[i]] = 1; /* whatever rounding says */
  }
  d->is_node_in[graph->node_count - 1] = 1;
  for (size_t r = run_count; r-- > 0;) {
    choose_back(d, r);
  }
  d->is_node_in[0] = 2;
  for (size_t r = 0; r < run_count; r++) {
    choose_forward(d, r);
  }
}

/* Numbers the nodes that are in; how many they and their edges are. */
static void count(const reduction *d, size_t *node_count, size_t *edge_count) {
  const dsm__graph *const graph = d->relaxed->graph;
  *node_count = 0;
  *edge_count = 0;
  for (size_t v = 0; v < graph->node_count; v++) {
    d->new_index[v] = (uint32_t)*node_count;
    *node_count += d->is_node_in[v] == 2 ? 1 : 0;
  }
  for (size_t e = 0; e < dsm__graph_edge_count(graph); e++) {
    *edge_count += d->is_edge_in[e];
  }
}

/* The graph of what is in, in one run; without nodes where the memory of the search is short. */
static bool copy(const reduction *d, dsm__graph_reduced *reduced) {
  const dsm__graph *const graph = d->relaxed->graph;
  dsm__arena *const arena = d->relaxed->arena;
  size_t node_count;
  size_t edge_count;
  count(d, &node_count, &edge_count);
  const size_t bytes = node_count * sizeof(dsm__graph_node) +
                       edge_count * (sizeof(dsm__graph_edge) + sizeof reduced->original[0]);
  reduced->graph = (dsm__graph){.nodes = NULL};
  if (dsm__deadline_is_final_with(graph->deadline, bytes)) {
    return true;
  }
  dsm__graph_node *const nodes = dsm__arena_array(arena, node_count + 1, sizeof *nodes);
  dsm__graph_edge *const edges = dsm__arena_array(arena, edge_count, sizeof *edges);
  if (nodes == NULL || edges == NULL || !DSM__RESERVE(arena, reduced->original, edge_count)) {
    return false;
  }
  size_t filled = 0;
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    for (size_t v = run.first; v < run.end; v++) {
      if (d->is_node_in[v + run.shift] != 2) {
        continue;
      }
      dsm__graph_node *const node = &nodes[d->new_index[v + run.shift]];
      *node = graph->nodes[v];
      node->first_edge = filled;
      for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
        if (d->is_edge_in[e + run.edge_shift] != 0) {
          edges[filled] = graph->edges[e];
          edges[filled].to = d->new_index[graph->edges[e].to + run.shift];
          reduced->original[filled++] = e + run.edge_shift;
        }
      }
    }
  }
  nodes[node_count].first_edge = filled;
  reduced->graph = (dsm__graph){.nodes = nodes,
                                .node_count = node_count,
                                .edges = edges,
                                .capacity_bytes = graph->capacity_bytes,
                                .deadline = graph->deadline,
                                .cost_limit = graph->cost_limit,
                                .is_counting = graph->is_counting};
  return true;
}

/* The incumbent goes through the edges in ascending order, as `original` does. */
static bool copy_incumbent(const reduction *d, dsm__graph_reduced *reduced) {
  const dsm__graph_path *const whole = &d->relaxed->incumbent;
  dsm__graph_path *const path = &reduced->incumbent;
  if (!DSM__RESERVE(d->relaxed->arena, path->edges, reduced->graph.node_count)) {
    return false;
  }
  size_t e = 0;
  for (path->length = 0; path->length < whole->length; path->length++) {
    while (reduced->original[e] != whole->edges[path->length]) {
      e++;
    }
    path->edges[path->length] = e;
  }
  return true;
}

bool dsm__graph_reduce(dsm__graph_relaxed *relaxed, double price, dsm__graph_reduced *reduced) {
  reduction d = {.relaxed = relaxed, .price = price};
  if (!allocate(&d)) {
    return false;
  }
  apply_all(&d);
  choose(&d);
  return copy(&d, reduced) && (reduced->graph.nodes == NULL || copy_incumbent(&d, reduced));
}
