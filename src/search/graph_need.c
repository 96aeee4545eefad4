/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_need.c: the smallest of kept + largest transient bytes of any path.
 *
 * With a ceiling on transient bytes, a path of least kept bytes is a shortest path among the nodes
 * within the ceiling. It keeps less the higher the ceiling is, so the sum has no order to search
 * by: every transient of a node that can lie on a smaller path than the best known is a candidate.
 * They are tried in ascending order, from the least ceiling that leaves a path to the first from
 * which even the least kept bytes of any path need no less than the best known.
 *
 * A higher ceiling opens nodes, and least kept bytes fall only behind them. So what each node is
 * reached with stays from ceiling to ceiling, and only changes are carried forward, node after node
 * in topological order, and not beyond a node behind which the best known cannot be beaten. That
 * loses nothing: the ceiling only rises and the best only falls, so what cannot beat it now never
 * will; and a node reached with fewer bytes later is looked at again.
 *
 * Cost: six sweeps over the edges and a sort of the candidates; then, for each candidate, one look
 * through the marks (a byte a node) and the edges of the nodes that changed. Where many layers
 * share one need that dominates, few candidates are left. At worst (kept bytes fall as fast as the
 * ceiling rises, and every ceiling changes a node near the front) that is ceilings x edges.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "search/graph_paths.h"

/* A node that a higher ceiling opens. */
typedef struct candidate {
  double transient_bytes;
  size_t node;
} candidate;

typedef struct descent {
  const dsm__graph *graph;
  double *rest;              /* least kept bytes behind each node, whatever the ceiling */
  double *reached;           /* least kept bytes before each node, within the ceiling */
  unsigned char *is_changed; /* reached fell, and its edges do not know yet */
  size_t changed_count;
  candidate *candidates;
  size_t candidate_count;
  double ceiling;
  double best;         /* smallest need known */
  double best_ceiling; /* some path within it has the smallest need known */
} descent;

static bool allocate(descent *d, dsm__arena *arena) {
  const size_t count = d->graph->node_count;
  d->rest = dsm__arena_array(arena, count, sizeof d->rest[0]);
  d->reached = dsm__arena_array(arena, count, sizeof d->reached[0]);
  d->is_changed = dsm__arena_array(arena, count, sizeof d->is_changed[0]);
  d->candidates = dsm__arena_array(arena, count, sizeof d->candidates[0]);
  return d->rest != NULL && d->reached != NULL && d->is_changed != NULL && d->candidates != NULL;
}

static int compare_candidates(const void *left, const void *right) {
  const candidate *const a = left;
  const candidate *const b = right;
  if (a->transient_bytes < b->transient_bytes || a->transient_bytes > b->transient_bytes) {
    return a->transient_bytes < b->transient_bytes ? -1 : 1;
  }
  return (a->node > b->node) - (a->node < b->node);
}

/* Can a path of so few kept bytes before a node be smaller than the best known? */
static bool is_promising(const descent *d, size_t v, double reached, double ceiling) {
  return reached + d->graph->nodes[v].kept_bytes + d->rest[v] + ceiling < d->best;
}

static void mark(descent *d, size_t v) {
  d->changed_count += d->is_changed[v] == 0 ? 1 : 0;
  d->is_changed[v] = 1;
}

/* Carries changes from the marked nodes, none of which stands before `first`, to the last node. */
static void carry_forward(descent *d, size_t first) {
  const dsm__graph_node *const nodes = d->graph->nodes;
  size_t v = first;
  for (; d->changed_count > 0; v++) {
    const unsigned char *const next = memchr(&d->is_changed[v], 1, d->graph->node_count - v);
    v = (size_t)(next - d->is_changed);
    d->is_changed[v] = 0;
    d->changed_count--;
    if (!is_promising(d, v, d->reached[v], d->ceiling)) {
      continue;
    }
    const double kept = d->reached[v] + nodes[v].kept_bytes;
    for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge; e++) {
      const uint32_t to = d->graph->edges[e].to;
      if (kept < d->reached[to]) {
        d->reached[to] = kept;
        if (nodes[to].transient_bytes <= d->ceiling) {
          mark(d, to);
        }
      }
    }
  }
  const size_t last = d->graph->node_count - 1;
  const double need = d->reached[last] + nodes[last].kept_bytes + d->ceiling;
  if (need < d->best) {
    d->best = need;
    d->best_ceiling = d->ceiling;
  }
}

/* The nodes above the least ceiling that a smaller path could lead through. */
static void list_candidates(descent *d, double least_ceiling) {
  const dsm__graph_node *const nodes = d->graph->nodes;
  double *const before = d->reached; /* not in use yet */
  dsm__graph_sweep_forward(d->graph, (dsm__graph_price){0, 1, HUGE_VAL}, before);
  for (size_t v = 0; v < d->graph->node_count; v++) {
    const double transient = nodes[v].transient_bytes;
    if (transient > least_ceiling && before[v] + d->rest[v] + transient < d->best) {
      d->candidates[d->candidate_count++] = (candidate){transient, v};
    }
  }
  qsort(d->candidates, d->candidate_count, sizeof d->candidates[0], compare_candidates);
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
  size_t i = 0;
  while (i < d->candidate_count && is_promising(d, 0, 0, d->candidates[i].transient_bytes)) {
    size_t first = SIZE_MAX;
    d->ceiling = d->candidates[i].transient_bytes;
    for (; i < d->candidate_count && d->candidates[i].transient_bytes <= d->ceiling; i++) {
      const size_t v = d->candidates[i].node;
      if (is_promising(d, v, d->reached[v], d->ceiling)) {
        mark(d, v);
        first = v < first ? v : first; /* they come in ascending order */
      }
    }
    if (first != SIZE_MAX) {
      carry_forward(d, first);
    }
  }
}

bool dsm__graph_smallest_need(const dsm__graph *graph, dsm__arena *arena, dsm__graph_path *path,
                              double *smallest_need) {
  descent d = {.graph = graph};
  if (!allocate(&d, arena)) {
    return false;
  }
  dsm__graph_least_transient(graph, d.reached);
  const double least_ceiling = d.reached[graph->node_count - 1];
  /* The path of least kept bytes is the first to beat. */
  const dsm__graph_price kept_only = {0, 1, HUGE_VAL};
  dsm__graph_sweep_back(graph, kept_only, d.rest);
  dsm__graph_walk(graph, kept_only, d.rest, path);
  const dsm__graph_sums least_kept = dsm__graph_sum(graph, path);
  d.best = dsm__graph_bytes(least_kept);
  d.best_ceiling = least_kept.transient_bytes;
  list_candidates(&d, least_ceiling);
  raise_ceiling(&d, least_ceiling);
  const dsm__graph_price within = {0, 1, d.best_ceiling};
  dsm__graph_sweep_back(graph, within, d.rest);
  dsm__graph_walk(graph, within, d.rest, path);
  *smallest_need = dsm__graph_bytes(dsm__graph_sum(graph, path));
  return true;
}
