/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_solve.c: layouts of held tensors, in rounds.
 *
 * First the fastest path of the free graph is laid out as well as can be: a mapping, the incumbent.
 * Edges that are on no path of the free graph as fast as the incumbent are on no mapping as fast
 * either, since layouts only add. The others become a graph with layouts. Its fastest path is the
 * answer, if no state was left out for there being too many. If some were, it may still be a better
 * incumbent; and the next round has room for more states, and needs fewer.
 *
 * If even the last round leaves states out, the bound of the answer is that of the bounds by which
 * the round was guided.
 */
#include "search/problem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/graph/graph.h"
#include "search/graph/graph_limited.h"
#include "search/layout/layout_graph.h"

/* States of a node in the first round, and how many times as many in each of the next. */
enum { FIRST_STATES = 64, MORE_STATES = 8 };

typedef struct solving {
  const dsm__problem *problem;
  const dsm__solution *free;
  const double *rest; /* of the free graph */
  unsigned char *is_edge_in;
  size_t states_max;
} solving;

dsm__layout_request dsm__layout_request_of(const dsm__problem *problem,
                                           const dsm__network_graph *free,
                                           const unsigned char *is_edge_in, double cost_limit,
                                           size_t states_max) {
  return (dsm__layout_request){
      .table = &problem->table,
      .lives = &problem->lives,
      .layouts = &problem->layouts,
      .free = free,
      .is_edge_in = is_edge_in,
      .cost_limit = cost_limit,
      .states_max = states_max,
      .factor_count = dsm__run_count(&problem->factors),
  };
}

/* Builds the graph of the edges that are in, and finds its fastest path that fits. */
static bool search(const solving *s, double limit, dsm__layout_graph *made, dsm__solution *found) {
  const dsm__layout_request request =
      dsm__layout_request_of(s->problem, &s->free->network, s->is_edge_in, limit, s->states_max);
  *found = *s->free;
  if (!dsm__layout_graph_build(made, &request, s->problem->arena)) {
    return false;
  }
  s->problem->found->evaluations += made->network.evaluations;
  found->network = made->network;
  return !made->is_found || dsm__problem_search(s->problem, found);
}

/* ---- the edges that are worth while ---- */

/*
 * Where the fastest path fits the memory: edges on a path within the limit.
 *
 * Layouts only add to a path: an edge whose fastest path is beyond the limit already without them
 * is on no mapping within it.
 */
static bool mark_fast(const solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  double *const before = dsm__arena_array(s->problem->arena, graph->node_count, sizeof *before);
  if (before == NULL) {
    return false;
  }
  dsm__graph_before(graph, before);
  for (size_t v = 0; v + 1 < graph->node_count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const double cost = before[v] + graph->edges[e].cost + s->rest[graph->edges[e].to];
      s->is_edge_in[e] = cost <= limit ? 1 : 0;
    }
  }
  return true;
}

/* Where it does not: edges on a path that can fit within the limit, by the bounds of a relaxation.
 */
static bool mark_promising(const solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  dsm__arena *const arena = s->problem->arena;
  dsm__graph_path incumbent = {NULL, s->free->path.length};
  dsm__graph_relaxed relaxed;
  dsm__graph_reduced reduced;
  if (!DSM__RESERVE(arena, incumbent.edges, graph->node_count)) {
    return false;
  }
  memcpy(incumbent.edges, s->free->path.edges, incumbent.length * sizeof incumbent.edges[0]);
  if (!dsm__graph_relax_begin(graph, arena, &incumbent, &relaxed)) {
    return false;
  }
  dsm__graph_relax_whole(&relaxed);
  relaxed.incumbent_cost = limit;
  if (!dsm__graph_reduce(&relaxed, relaxed.price, &reduced)) {
    return false;
  }
  if (reduced.graph.nodes == NULL) { /* it is not known which are not */
    memset(s->is_edge_in, 1, dsm__graph_edge_count(graph));
    return true;
  }
  for (size_t e = 0; e < dsm__graph_edge_count(&reduced.graph); e++) {
    s->is_edge_in[reduced.original[e]] = 1;
  }
  return true;
}

static bool mark_edges(const solving *s, double limit) {
  const dsm__graph *const graph = &s->free->network.graph;
  memset(s->is_edge_in, isfinite(limit) ? 0 : 1, dsm__graph_edge_count(graph));
  if (!isfinite(limit)) {
    return true;
  }
  const bool is_fastest = s->free->answer.cost <= dsm__tie_limit(s->rest[0]);
  return is_fastest ? mark_fast(s, limit) : mark_promising(s, limit);
}

/* ---- rounds ---- */

/* Lays out the path of the free graph. Mostly layouts add little, and then few core splits come
 * into question, so that a mapping is looked for with little slack first, then with more. */
static bool lay_out_path(const solving *s, dsm__solution *best) {
  const double least = s->free->answer.cost;
  dsm__layout_graph made = {.is_found = false};
  for (size_t i = 0; i < s->free->path.length; i++) {
    s->is_edge_in[s->free->path.edges[i]] = 1;
  }
  double slack = 1e-6;
  while (!made.is_found && slack < 1 && !dsm__problem_is_over(s->problem)) {
    if (!search(s, least * (1 + slack), &made, best)) {
      return false;
    }
    slack *= 10;
  }
  return made.is_found || dsm__problem_is_over(s->problem) || search(s, HUGE_VAL, &made, best);
}

/* One round, with a mapping that costs `known` and fits the memory. */
static bool run_round(const solving *s, double known, bool *is_cut, dsm__solution *best) {
  const double limit = s->problem->is_bounding_off ? HUGE_VAL : dsm__tie_limit(known);
  dsm__solution found;
  dsm__layout_graph made;
  if (!mark_edges(s, limit) || !search(s, limit, &made, &found)) {
    return false;
  }
  *is_cut = made.is_cut;
  const bool is_found = made.is_found && found.answer.is_feasible;
  /* All other mappings take longer than the limit. */
  double bound = is_found ? fmin(found.answer.lower_bound, limit) : limit;
  if (made.is_cut) {
    bound = fmin(made.lower_bound * (1 - 1e-12), limit); /* but for rounding */
  }
  const double known_bound = fmax(best->answer.lower_bound, bound);
  if (is_found && found.answer.cost <= dsm__tie_limit(best->answer.cost)) {
    *best = found;
  }
  best->answer.lower_bound = made.is_cut ? known_bound : bound;
  return true;
}

bool dsm__layout_solve(const dsm__problem *problem, double known_cost, dsm__solution *solution) {
  const dsm__solution free_solution = *solution;
  const dsm__graph *const graph = &free_solution.network.graph;
  double *const rest = dsm__arena_array(problem->arena, graph->node_count, sizeof *rest);
  solving s = {problem, &free_solution, rest, NULL, FIRST_STATES};
  assert(dsm__is_priced_by_time(&problem->machine, &problem->inputs.prices)); /* so are profiles */
  if (rest == NULL || !DSM__RESERVE(problem->arena, s.is_edge_in, dsm__graph_edge_count(graph))) {
    return false;
  }
  if (!free_solution.answer.is_feasible) {
    return true;
  }
  dsm__graph_rest(graph, rest);
  if (!lay_out_path(&s, solution)) {
    return false;
  }
  solution->answer.lower_bound = free_solution.answer.lower_bound;
  if (dsm__problem_is_over(problem)) { /* its costs are not all there */
    solution->answer.cost = HUGE_VAL;
    return true;
  }
  bool is_cut = true;
  while (is_cut && s.states_max < problem->layout_states_max && !dsm__problem_is_over(problem)) {
    const dsm__solution before = *solution;
    s.states_max *= MORE_STATES;
    if (!run_round(&s, fmin(solution->answer.cost, known_cost), &is_cut, solution)) {
      return false;
    }
    *solution = dsm__problem_is_over(problem) ? before : *solution;
  }
  return true;
}
