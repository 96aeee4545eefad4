/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_need.c: the smallest of kept + largest transient bytes of any path.
 *
 * With a ceiling on transient bytes, a path of least kept bytes is a shortest path among the nodes
 * within the ceiling. It keeps less the higher the ceiling is, so the sum has no order to search
 * by: every transient of a node that can lie on a smaller path than the best known is a candidate.
 *
 * All candidates between two keep no less than the higher one, and need the lower one beside it:
 * where that is not below the best known, none of them is asked. Else the middle one is, and parts
 * them in halves.
 *
 * Cost: at most 6 sweeps over the edges, a sort of the candidates, and a sweep for each candidate
 * that is asked.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/order.h"
#include "search/graph/graph.h"

typedef struct descent {
  const dsm__graph *graph;
  double *rest;     /* least kept bytes behind each node, whatever the ceiling */
  double *reached;  /* least kept bytes before each node, within a ceiling */
  double *ceilings; /* the candidates, ascending */
  bool *is_listed;  /* of each stored node: it is a candidate */
  size_t count;
  double best;         /* smallest need known */
  double best_ceiling; /* some path within it has the smallest need known */
} descent;

static bool allocate(descent *d, dsm__arena *arena) {
  const size_t count = d->graph->node_count;
  const size_t stored = dsm__graph_run_of(d->graph, dsm__graph_run_count(d->graph) - 1).end;
  return DSM__RESERVE(arena, d->rest, count) && DSM__RESERVE(arena, d->reached, count) &&
         DSM__RESERVE(arena, d->is_listed, stored) && DSM__RESERVE(arena, d->ceilings, stored + 1);
}

/* The transients above the least ceiling that a smaller path could have in some run, and that. */
static void list_ceilings(descent *d, double least_ceiling) {
  const dsm__graph_node *const nodes = d->graph->nodes;
  d->ceilings[d->count++] = least_ceiling;
  for (size_t r = 0; r < dsm__graph_run_count(d->graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(d->graph, r);
    for (size_t v = run.first; v < run.end; v++) {
      const double transient = nodes[v].transient_bytes;
      const double kept = d->reached[v + run.shift] + d->rest[v + run.shift];
      if (!d->is_listed[v] && transient > least_ceiling && kept + transient < d->best) {
        d->is_listed[v] = true;
        d->ceilings[d->count++] = transient;
      }
    }
  }
  qsort(d->ceilings, d->count, sizeof d->ceilings[0], dsm__order_numbers);
}

/* What paths within a ceiling keep at least. */
static double ask(descent *d, double ceiling) {
  const size_t last = d->graph->node_count - 1;
  dsm__graph_sweep_forward(d->graph, (dsm__graph_price){0, 1, ceiling}, d->reached);
  const double kept = d->reached[last];
  if (kept + ceiling < d->best) {
    d->best = kept + ceiling;
    d->best_ceiling = ceiling;
  }
  return kept;
}

/* Asks the candidates first .. end, within which no path keeps less than so much, as far as they
 * can matter. */
static void search(descent *d, size_t first, size_t end, double least_kept) {
  while (first < end && least_kept + d->ceilings[first] < d->best &&
         !dsm__deadline_is_final(d->graph->deadline)) {
    const size_t middle = first + (end - first) / 2;
    const double kept = ask(d, d->ceilings[middle]);
    search(d, middle + 1, end, least_kept);
    end = middle;
    least_kept = kept;
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
  dsm__graph_sweep_forward(graph, kept_only, d->reached);
  list_ceilings(d, least_ceiling);
  search(d, 0, d->count, d->reached[graph->node_count - 1]);
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
