/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_solve.c: layouts of held tensors, in two steps.
 *
 * 1. The fastest path of the free graph, its held tensors laid out at their best, is a mapping, the
 *    incumbent. Its free cycles are a bound: held tensors that never move take no longer.
 * 2. Edges that are on no path of the free graph as fast as the incumbent are on no mapping as fast
 *    either. The others become a graph with layouts, and its fastest path is the answer.
 *
 * Where the second graph has too many states, the better of the two mappings is the answer, and the
 * bound that of the free graph.
 */
#include "search/layout_solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/graph_paths.h"
#include "search/graph_reduce.h"
#include "search/layout_graph.h"

typedef struct solving {
  dsm__problem *problem;
  const dsm__solution *free;
  dsm__layout_request request;
  double *rest;
  unsigned char *is_edge_in;
} solving;

static size_t edge_count(const dsm__graph *graph) {
  return graph->nodes[graph->node_count].first_edge;
}

/* Builds the graph of the edges that are in, and finds its fastest path that fits. */
static bool solve(solving *s, double limit, dsm__solution *found, bool *is_found, bool *is_cut) {
  dsm__layout_graph made;
  s->request.limit_cycles = limit;
  if (!dsm__layout_graph_build(&made, &s->request, s->problem->arena)) {
    return false;
  }
  s->problem->evaluations += made.network.evaluations;
  *is_found = made.is_found;
  *is_cut = made.is_cut;
  found->network = made.network;
  return !made.is_found || dsm__graph_search(&found->network.graph, s->problem->arena,
                                             &found->path, &found->answer);
}

/* Where memory does not bind: edges on a path within the limit. */
static bool mark_fast(solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  double *const before = dsm__arena_array(s->problem->arena, graph->node_count, sizeof *before);
  if (before == NULL) {
    return false;
  }
  dsm__graph_before(graph, 0, before);
  for (size_t v = 0; v + 1 < graph->node_count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const double cycles = before[v] + graph->edges[e].cycles + s->rest[graph->edges[e].to];
      s->is_edge_in[e] = cycles <= limit ? 1 : 0;
    }
  }
  return true;
}

/* Where it does: edges on a path that can fit within the limit, by the bounds of a relaxation. */
static bool mark_promising(solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  dsm__arena *const arena = s->problem->arena;
  dsm__graph_path incumbent = {NULL, s->free->path.length};
  dsm__graph_relaxed relaxed;
  dsm__graph_reduced reduced;
  incumbent.edges = dsm__arena_array(arena, graph->node_count, sizeof incumbent.edges[0]);
  if (incumbent.edges == NULL) {
    return false;
  }
  memcpy(incumbent.edges, s->free->path.edges, incumbent.length * sizeof incumbent.edges[0]);
  if (!dsm__graph_relax_begin(graph, arena, &incumbent, &relaxed)) {
    return false;
  }
  dsm__graph_relax_whole(&relaxed);
  relaxed.incumbent_cycles = limit;
  if (!dsm__graph_reduce(&relaxed, relaxed.price, &reduced)) {
    return false;
  }
  for (size_t e = 0; e < edge_count(&reduced.graph); e++) {
    s->is_edge_in[reduced.original[e]] = 1;
  }
  return true;
}

/* The edges that can be on a path within the limit. */
static bool mark(solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  memset(s->is_edge_in, s->problem->is_bounding_off ? 1 : 0, edge_count(graph));
  if (s->problem->is_bounding_off) {
    return true;
  }
  const dsm__graph_sums sums = dsm__graph_sum(graph, &s->free->path);
  const bool is_fastest = sums.cycles <= dsm__equal_to(s->rest[0]);
  return is_fastest ? mark_fast(s, limit) : mark_promising(s, limit);
}

static bool prepare(solving *s) {
  const dsm__graph *const graph = &s->free->network.graph;
  dsm__arena *const arena = s->problem->arena;
  s->rest = dsm__arena_array(arena, graph->node_count, sizeof s->rest[0]);
  s->is_edge_in = dsm__arena_array(arena, edge_count(graph), sizeof s->is_edge_in[0]);
  if (s->rest == NULL || s->is_edge_in == NULL) {
    return false;
  }
  dsm__graph_rest(graph, 0, s->rest);
  s->request = (dsm__layout_request){
      .table = &s->problem->table,
      .lives = &s->problem->lives,
      .layouts = &s->problem->layouts,
      .free = &s->free->network,
      .is_edge_in = s->is_edge_in,
      .rest = s->rest,
      .states_max = s->problem->layout_states_max,
      .factor_count = s->problem->factors.count,
  };
  for (size_t i = 0; i < s->free->path.length; i++) {
    s->is_edge_in[s->free->path.edges[i]] = 1;
  }
  return true;
}

bool dsm__layouts_solve(dsm__problem *problem, double known_cycles, dsm__solution *solution) {
  const dsm__solution free_solution = *solution;
  solving s = {.problem = problem, .free = &free_solution};
  dsm__solution best = free_solution;
  bool is_found = false;
  bool is_cut = false;
  if (!free_solution.answer.is_feasible) {
    return true;
  }
  if (!prepare(&s) || !solve(&s, HUGE_VAL, &best, &is_found, &is_cut)) {
    return false;
  }
if(getenv("RLD"))fprintf(stderr,"free %.17g round0 %.9g known %.9g\n",free_solution.answer.cycles,best.answer.cycles/free_solution.answer.cycles-1,known_cycles/free_solution.answer.cycles-1);
  const double limit = dsm__equal_to(fmin(best.answer.cycles, known_cycles));
  dsm__solution other = free_solution;
  if (!mark(&s, limit) || !solve(&s, problem->is_bounding_off ? HUGE_VAL : limit, &other, &is_found, &is_cut)) {
    return false;
  }
  if (is_found && other.answer.cycles <= dsm__equal_to(best.answer.cycles)) {
    best = other;
  }
  if (is_cut) {
    best.answer.lower_bound_cycles = free_solution.answer.lower_bound_cycles;
  } else if (!is_found) { /* nothing is as fast as the mapping that is known */
    best.answer.lower_bound_cycles = limit;
  }
  *solution = best;
  return true;
}
