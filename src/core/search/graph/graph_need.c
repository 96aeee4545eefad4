/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_need.c: the smallest of kept + largest transient bytes of any path.
 *
 * With a ceiling on transient bytes, a path of least kept bytes is a shortest path among the nodes
 * within the ceiling. It keeps less the higher the ceiling is, so the sum has no order to search
 * by: every transient of a node that can lie on a smaller path than the best known is a candidate.
 *
 * They are asked in ascending order. A higher ceiling opens nodes, and least kept bytes fall only
 * behind them. So what each node is reached with stays from ceiling to ceiling, and only changes
 * are carried forward, node after node in topological order, and not beyond a node behind which the
 * best known cannot be beaten. That loses nothing: the ceiling only rises and the best only falls,
 * so what cannot beat it now never will; and a node reached with fewer bytes later is looked at
 * again.
 *
 * Cost: at most 6 sweeps over the edges and a sort of the candidates; then, for each candidate, one
 * look through the marks (a byte a node) and the edges of the nodes that changed. At worst (kept
 * bytes fall as fast as the ceiling rises, and every ceiling changes a node near the front) that is
 * ceilings x edges.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "search/graph/graph.h"

/* A stored node that a higher ceiling opens, in all runs that have it. */
typedef struct candidate {
  double transient_bytes;
  size_t node;
} candidate;

typedef struct descent {
  const dsm__graph *graph;
  double *rest;              /* least kept bytes behind each node, whatever the ceiling */
  double *reached;           /* least kept bytes before each node, within the ceiling */
  unsigned char *is_changed; /* reached fell, and its edges do not know yet */
  unsigned char *is_listed;  /* of each stored node: it is a candidate */
  size_t changed_count;
  candidate *candidates;
  size_t candidate_count;
  double ceiling;
  double best;         /* smallest need known */
  double best_ceiling; /* some path within it has the smallest need known */
} descent;

static bool allocate(descent *d, dsm__arena *arena) {
  const size_t count = d->graph->node_count;
  size_t stored = 0;
  for (size_t r = 0; r < dsm__graph_run_count(d->graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(d->graph, r);
    stored = run.end > stored ? run.end : stored;
  }
  return DSM__RESERVE(arena, d->rest, count) && DSM__RESERVE(arena, d->reached, count) &&
         DSM__RESERVE(arena, d->is_changed, count) && DSM__RESERVE(arena, d->is_listed, stored) &&
         DSM__RESERVE(arena, d->candidates, stored);
}

static int compare_candidates(const void *left, const void *right) {
  const candidate *const a = left;
  const candidate *const b = right;
  return dsm__order_then(dsm__order(a->transient_bytes, b->transient_bytes),
                         dsm__order_whole(a->node, b->node));
}

/* Can a path of so few kept bytes up to a node be smaller than the best known? */
static bool is_promising(const descent *d, size_t v, double kept, double ceiling) {
  return kept + d->rest[v] + ceiling < d->best;
}

static void mark(descent *d, size_t v) {
  d->changed_count += d->is_changed[v] == 0 ? 1 : 0;
  d->is_changed[v] = 1;
}

/* From a marked node along its edges. */
static void carry_on(descent *d, const dsm__graph_run *run, size_t v) {
  const dsm__graph_node *const nodes = d->graph->nodes;
  const double kept = d->reached[v + run->shift] + nodes[v].kept_bytes;
  if (!is_promising(d, v + run->shift, kept, d->ceiling)) {
    return;
  }
  for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge; e++) {
    const uint32_t to = d->graph->edges[e].to;
    if (kept < d->reached[to + run->shift]) {
      d->reached[to + run->shift] = kept;
      if (nodes[to].transient_bytes <= d->ceiling) {
        mark(d, to + run->shift);
      }
    }
  }
}

/* Carries changes from the marked nodes, none of which stands before `first`, to the last node. */
static void carry_forward(descent *d, size_t first) {
  size_t v = first;
  size_t index = 0;
  dsm__graph_run run = dsm__graph_run_of(d->graph, 0);
  for (; d->changed_count > 0; v++) {
    const unsigned char *const next = memchr(&d->is_changed[v], 1, d->graph->node_count - v);
    v = (size_t)(next - d->is_changed);
    d->is_changed[v] = 0;
    d->changed_count--;
    while (v >= run.end + run.shift) {
      run = dsm__graph_run_of(d->graph, ++index);
    }
    carry_on(d, &run, v - run.shift);
  }
  const size_t last = d->graph->node_count - 1;
  const dsm__graph_run end = dsm__graph_run_of(d->graph, dsm__graph_run_count(d->graph) - 1);
  const double need = d->reached[last] + d->graph->nodes[last - end.shift].kept_bytes + d->ceiling;
  if (need < d->best) {
    d->best = need;
    d->best_ceiling = d->ceiling;
  }
}

/* The nodes above the least ceiling that a smaller path could lead through in some run. */
static void list_candidates(descent *d, double least_ceiling) {
  const dsm__graph_node *const nodes = d->graph->nodes;
  double *const before = d->reached; /* not in use yet */
  dsm__graph_sweep_forward(d->graph, (dsm__graph_price){0, 1, HUGE_VAL}, before);
  for (size_t r = 0; r < dsm__graph_run_count(d->graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(d->graph, r);
    for (size_t v = run.first; v < run.end; v++) {
      const double transient = nodes[v].transient_bytes;
      if (transient > least_ceiling && d->is_listed[v] == 0 &&
          is_promising(d, v + run.shift, before[v + run.shift], transient)) {
        d->is_listed[v] = 1;
        d->candidates[d->candidate_count++] = (candidate){transient, v};
      }
    }
  }
  qsort(d->candidates, d->candidate_count, sizeof d->candidates[0], compare_candidates);
}

/* Opens a stored node in all runs that have it; lowers `first` to the first node that is marked. */
static void open_node(descent *d, size_t node, size_t *first) {
  for (size_t r = 0; r < dsm__graph_run_count(d->graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(d->graph, r);
    const size_t v = node + run.shift;
    if (node >= run.first && node < run.end &&
        is_promising(d, v, d->reached[v] + d->graph->nodes[node].kept_bytes, d->ceiling)) {
      mark(d, v);
      *first = v < *first ? v : *first;
    }
  }
}

/* Opens the nodes of the candidate `at` and of all as high. Returns the next. */
static size_t open_nodes(descent *d, size_t at, size_t *first) {
  size_t i = at;
  d->ceiling = d->candidates[at].transient_bytes;
  for (; i < d->candidate_count && d->candidates[i].transient_bytes <= d->ceiling; i++) {
    open_node(d, d->candidates[i].node, first);
  }
  return i;
}

/* Every candidate ceiling, upward. */
static void raise_ceiling(descent *d, double least_ceiling) {
  for (size_t v = 0; v < d->graph->node_count; v++) {
    d->reached[v] = HUGE_VAL;
  }
  d->reached[0] = 0;
  d->ceiling = least_ceiling;
  mark(d, 0);
  carry_forward(d, 0);
  size_t first = SIZE_MAX;
  size_t i = 0;
  const double start = d->graph->nodes[0].kept_bytes;
  while (i < d->candidate_count && is_promising(d, 0, start, d->candidates[i].transient_bytes) &&
         !dsm__deadline_is_final(d->graph->deadline)) {
    i = open_nodes(d, i, &first);
    if (first != SIZE_MAX) {
      carry_forward(d, first);
      first = SIZE_MAX;
    }
  }
}

/* With room for what it looks at. */
static void find_smallest(descent *d, dsm__graph_path *path) {
  const dsm__graph *const graph = d->graph;
  dsm__graph_least_transient(graph, d->reached);
  const double least_ceiling = d->reached[graph->node_count - 1];
  /* The path of least kept bytes is the first to beat. */
  const dsm__graph_price kept_only = {0, 1, HUGE_VAL};
  dsm__graph_sweep_back(graph, kept_only, d->rest);
  dsm__graph_walk(graph, kept_only, d->rest, path);
  const dsm__graph_sums least_kept = dsm__graph_sum(graph, path);
  d->best = dsm__graph_bytes(least_kept);
  d->best_ceiling = least_kept.transient_bytes;
  list_candidates(d, least_ceiling);
  raise_ceiling(d, least_ceiling);
  const dsm__graph_price within = {0, 1, d->best_ceiling};
  dsm__graph_sweep_back(graph, within, d->rest);
  dsm__graph_walk(graph, within, d->rest, path);
}

bool dsm__graph_smallest_need(const dsm__graph *graph, dsm__graph_path *path,
                              double *smallest_need) {
  descent d = {.graph = graph};
  dsm__arena *const arena = dsm__arena_new_counted(
      dsm__deadline_bytes(graph->deadline)); /* given back at once: the graph may be large */
  const bool has_room = arena != NULL && allocate(&d, arena);
  if (has_room) {
    find_smallest(&d, path);
    *smallest_need = dsm__graph_bytes(dsm__graph_sum(graph, path));
  }
  dsm__arena_free(arena);
  return has_room;
}
