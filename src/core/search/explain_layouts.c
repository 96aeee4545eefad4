/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_layouts.c: the ways to run a layer where held tensors have layouts in the cores.
 *
 * The free graph with all ways to run the layer is too large to be laid out as a whole. So for each
 * value of each decision of the layer the edges with other values are barred, and the fastest
 * mapping of what is left is laid out. Of all ways of the graphs that come out, the fastest with a
 * value is the best that any mapping does with it.
 */
#include <math.h>

#include "plan/tolerance.h"
#include "search/explain_internal.h"
#include "search/problem.h"

/* Cycles of an edge that is barred: more than any path, and still finite. */
static const double BARRED = 1e300;

/* A value of a decision of the layer. */
typedef struct wanted {
  bool is_parallelism;
  dsm_pass pass;
  dsm_decision decision;
  uint64_t value;
} wanted;

static bool has_value(const dsm__way *way, const wanted *w) {
  return w->is_parallelism ? way->layouts.of[w->pass] == (dsm_parallelism)w->value
                           : dsm__way_value(way, w->decision) == w->value;
}

/* The fastest known way with a value; infinite: none. */
static double known_cost(const dsm__explaining *e, const wanted *w) {
  double best = HUGE_VAL;
  for (size_t t = 0; t < e->through_count; t++) {
    for (size_t i = 0; i < e->throughs[t].way_count; i++) {
      const dsm__way *const way = &e->throughs[t].ways[i];
      best = has_value(way, w) ? fmin(best, way->cycles) : best;
    }
  }
  return best;
}

/* Lays out the fastest mapping of a free graph with a value, and keeps its ways. */
static bool add_value(dsm__explaining *e, const dsm__through *free_ways, const wanted *w) {
  dsm__problem *const problem = e->problem;
  dsm__graph_edge *const edges = free_ways->network->edges;
  double *const cycles = dsm__arena_array(problem->arena, free_ways->way_count, sizeof cycles[0]);
  dsm__solution *const solution = dsm__arena_alloc(problem->arena, sizeof *solution);
  if (cycles == NULL || solution == NULL) {
    return false;
  }
  for (size_t i = 0; i < free_ways->way_count; i++) {
    const dsm__way *const way = &free_ways->ways[i];
    cycles[i] = edges[way->edge].cost;
    edges[way->edge].cost = has_value(way, w) ? cycles[i] : BARRED;
  }
  *solution = (dsm__solution){.network = *free_ways->network};
  solution->network.graph.capacity_bytes = HUGE_VAL;
  bool is_done = dsm__graph_search(&solution->network.graph, problem->arena, &solution->path,
                                   &solution->answer);
  const bool is_any = is_done && solution->answer.cost < BARRED;
  is_done = is_done && (!is_any || dsm__layout_solve(problem, HUGE_VAL, solution));
  for (size_t i = 0; i < free_ways->way_count; i++) {
    edges[free_ways->ways[i].edge].cost = cycles[i];
  }
  if (!is_done || !is_any) {
    return is_done;
  }
  return dsm__through_derive(&e->throughs[e->through_count++], problem, &solution->network,
                             e->layer_index, problem->arena);
}

/* Every value that some way of the free graph has, unless the best of all mappings has it. */
bool dsm__explain_add_layouts(dsm__explaining *e, const dsm__network_graph *network,
                              double best_cycles) {
  dsm__through free_ways;
  wanted values[DSM__LAYOUT_VALUES_MAX];
  size_t count = 0;
  if (!dsm__through_derive(&free_ways, e->problem, network, e->layer_index, e->problem->arena)) {
    return false;
  }
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    for (uint64_t p = 0; p < e->problem->machine.parallelism_count; p++) {
      values[count++] = (wanted){true, (dsm_pass)pass, DSM_DECISION_COUNT, p};
    }
  }
  for (uint64_t flag = 0; flag < 2; flag++) {
    values[count++] = (wanted){false, DSM_PASS_COUNT, DSM_DECISION_OUTPUT_HELD, flag};
    values[count++] = (wanted){false, DSM_PASS_COUNT, DSM_DECISION_PIPELINED, flag};
    values[count++] = (wanted){false, DSM_PASS_COUNT, DSM_DECISION_HOISTED, flag};
  }
  for (unsigned f = 0; f < e->problem->factors.count; f++) {
    values[count++] = (wanted){false, DSM_PASS_COUNT, DSM_DECISION_DYSM_FACTOR, dsm__factor_of(f)};
  }
  for (size_t i = 0; i < count; i++) {
    if (known_cost(e, &values[i]) > dsm__tie_limit(best_cycles) &&
        !add_value(e, &free_ways, &values[i])) {
      return false;
    }
  }
  return true;
}
