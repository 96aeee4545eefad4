/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph.c: shortest paths through a graph whose nodes stand in a topological order.
 *
 * Every edge leads to a node with a higher index, so that one sweep over the nodes settles each of
 * them: when a node's turn comes, all paths to it (or from it) are known (Bellman's principle).
 * That needs O(edges), no queue, and no costs of one sign beyond "finite".
 *
 * A price on kept bytes makes of two criteria one: the sweep then finds the path that is best for
 * cost + price * kept bytes, which is what the relaxation of the memory's limit asks
 * (graph_relax.c). A limit on transient bytes is no sum, so it has no price; nodes above it are
 * left out instead.
 */
#include "search/graph/graph.h"

#include <math.h>

#include "plan/tolerance.h"
#include "search/graph/graph_limited.h"

static const dsm__graph_price ONLY_CYCLES = {1, 0, HUGE_VAL};

/* From the last node back, each node takes the least over its edges of what they cost and what is
 * known behind them. Its own bytes are left out and those of the node behind the edge counted, so
 * that a sum from the front and one of these make a whole path without counting a node twice. */
void dsm__graph_sweep_back(const dsm__graph *graph, dsm__graph_price price, double *rest) {
  const dsm__graph_node *const nodes = graph->nodes;
  const size_t last = graph->node_count - 1;
  for (size_t r = dsm__graph_run_count(graph); r-- > 0;) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    double *const own = &rest[run.shift];
    for (size_t v = run.end; v-- > run.first;) {
      double least = v + run.shift == last ? 0 : HUGE_VAL;
      if (nodes[v].transient_bytes > price.transient_limit) {
        own[v] = HUGE_VAL;
        continue;
      }
      for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge; e++) {
        const dsm__graph_edge *const edge = &graph->edges[e];
        const double sum = price.per_cost * edge->cost +
                           (price.per_byte * nodes[edge->to].kept_bytes + own[edge->to]);
        least = sum < least ? sum : least;
      }
      own[v] = least;
    }
  }
}

void dsm__graph_sweep_forward(const dsm__graph *graph, dsm__graph_price price, double *before) {
  const dsm__graph_node *const nodes = graph->nodes;
  before[0] = 0;
  for (size_t v = 1; v < graph->node_count; v++) {
    before[v] = HUGE_VAL;
  }
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    double *const own = &before[run.shift];
    for (size_t v = run.first; v < run.end; v++) {
      /* All edges into the node have been seen; its own bytes come last. */
      own[v] = nodes[v].transient_bytes <= price.transient_limit
                   ? own[v] + price.per_byte * nodes[v].kept_bytes
                   : HUGE_VAL;
      for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge; e++) {
        const dsm__graph_edge *const edge = &graph->edges[e];
        const double sum = own[v] + price.per_cost * edge->cost;
        own[edge->to] = sum < own[edge->to] ? sum : own[edge->to];
      }
    }
  }
}

/* The least over all paths of their largest transient: where a sum would be added up, the larger is
 * taken. The larger of two numbers grows with each of them, as a sum does, so that the same sweep
 * is exact. */
void dsm__graph_least_transient(const dsm__graph *graph, double *need) {
  const dsm__graph_node *const nodes = graph->nodes;
  need[0] = 0;
  for (size_t v = 1; v < graph->node_count; v++) {
    need[v] = HUGE_VAL;
  }
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    double *const own = &need[run.shift];
    for (size_t v = run.first; v < run.end; v++) {
      own[v] = dsm__graph_larger(own[v], nodes[v].transient_bytes);
      for (size_t e = nodes[v].first_edge; e < nodes[v + 1].first_edge; e++) {
        const uint32_t to = graph->edges[e].to;
        own[to] = own[v] < own[to] ? own[v] : own[to];
      }
    }
  }
}

size_t dsm__graph_longest_path(const dsm__graph *graph, double *longest) {
  for (size_t v = 0; v < graph->node_count; v++) {
    longest[v] = 0;
  }
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    double *const own = &longest[run.shift];
    for (size_t v = run.first; v < run.end; v++) {
      for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
        const uint32_t to = graph->edges[e].to;
        own[to] = dsm__graph_larger(own[to], own[v] + 1);
      }
    }
  }
  return (size_t)longest[graph->node_count - 1];
}

/*
 * Of paths that are equally good, the first in the order of edges is taken (docs/model.md, section
 * 13, ties). At each node that is the first edge from which the rest can still keep the whole
 * within the limit of ties: by `rest` such a path exists, and no path that begins with an earlier
 * edge is within the limit. So the walk never has to turn back.
 */
void dsm__graph_walk(const dsm__graph *graph, dsm__graph_price price, const double *rest,
                     dsm__graph_path *path) {
  const dsm__graph_node *const nodes = graph->nodes;
  double spent = price.per_byte * nodes[0].kept_bytes;
  const double limit = dsm__tie_limit(spent + rest[0]);
  path->length = 0;
  for (dsm__graph_place at = dsm__graph_start(graph); !dsm__graph_is_last(graph, at);) {
    const double *const own = &rest[at.run.shift];
    size_t chosen = nodes[at.node].first_edge;
    double least = HUGE_VAL;
    /* The first edge from which the best can still be reached. Should rounding leave none, after
     * an edge that could just reach it: the one that comes closest. */
    for (size_t e = nodes[at.node].first_edge; e < nodes[at.node + 1].first_edge && least > limit;
         e++) {
      const dsm__graph_edge *const edge = &graph->edges[e];
      const double sum = spent + price.per_cost * edge->cost +
                         price.per_byte * nodes[edge->to].kept_bytes + own[edge->to];
      if (sum < least) {
        least = sum;
        chosen = e;
      }
    }
    const dsm__graph_edge *const taken = &graph->edges[chosen];
    spent += price.per_cost * taken->cost + price.per_byte * nodes[taken->to].kept_bytes;
    path->edges[path->length++] = chosen + at.run.edge_shift;
    at = dsm__graph_behind(graph, at, taken);
  }
}

dsm__graph_sums dsm__graph_sum(const dsm__graph *graph, const dsm__graph_path *path) {
  dsm__graph_sums sums = {0, graph->nodes[0].kept_bytes, graph->nodes[0].transient_bytes, 0};
  dsm__graph_place at = dsm__graph_start(graph);
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = dsm__graph_edge_at(graph, at, path->edges[i]);
    at = dsm__graph_behind(graph, at, edge);
    const dsm__graph_node *const node = &graph->nodes[at.node];
    sums.cost += edge->cost;
    sums.kept_bytes += node->kept_bytes;
    sums.transient_bytes = dsm__graph_larger(sums.transient_bytes, node->transient_bytes);
    sums.counted += dsm__graph_counted(graph, edge);
  }
  return sums;
}

void dsm__graph_rest(const dsm__graph *graph, double *rest) {
  dsm__graph_sweep_back(graph, ONLY_CYCLES, rest);
}

void dsm__graph_before(const dsm__graph *graph, double *before) {
  dsm__graph_sweep_forward(graph, ONLY_CYCLES, before);
}

void dsm__graph_fastest(const dsm__graph *graph, const double *rest, dsm__graph_path *path) {
  dsm__graph_walk(graph, ONLY_CYCLES, rest, path);
}

/*
 * Memory aside the fastest path is found exactly. If it fits, no path that fits is faster, since it
 * is one of all. The bound is the same number computed from the other end of the graph, so that an
 * error in one sweep would show as a gap. If even the path of smallest need does not fit, none
 * does, and that path says by how much. Only what is left needs the search under a limit.
 */
bool dsm__graph_search(const dsm__graph *graph, dsm__arena *arena, dsm__graph_path *path,
                       dsm__graph_answer *answer) {
  double *const sweep = dsm__arena_array(arena, graph->node_count, sizeof *sweep);
  if (sweep == NULL || !DSM__RESERVE(arena, path->edges, dsm__graph_longest_path(graph, sweep))) {
    return false;
  }
  dsm__deadline_add_work(graph->deadline, dsm__graph_edge_count(graph));
  *answer = (dsm__graph_answer){.is_feasible = true};
  dsm__graph_rest(graph, sweep);
  dsm__graph_fastest(graph, sweep, path);
  const dsm__graph_sums fastest = dsm__graph_sum(graph, path);
  if (graph->is_counting && !dsm__graph_most(graph, 0, graph->node_count - 1, sweep, path)) {
    return false;
  }
  if (dsm__graph_bytes(dsm__graph_sum(graph, path)) <= graph->capacity_bytes) {
    /* The path was built from the back; the bound is computed from the front. */
    dsm__graph_before(graph, sweep);
    answer->cost = dsm__graph_sum(graph, path).cost;
    answer->lower_bound = sweep[graph->node_count - 1];
    return true;
  }
  answer->is_memory_short = true;
  if (!dsm__graph_smallest_need(graph, path, &answer->smallest_need_bytes)) {
    return false;
  }
  if (answer->smallest_need_bytes > graph->capacity_bytes) {
    const dsm__graph_sums smallest = dsm__graph_sum(graph, path);
    answer->is_feasible = false;
    answer->cost = smallest.cost;
    answer->lower_bound = fastest.cost;
    return true;
  }
  if (dsm__deadline_is_final(graph->deadline)) {
    answer->cost = dsm__graph_sum(graph, path).cost;
    answer->lower_bound = fastest.cost;
    return true;
  }
  /* One of several cases of a search: each may take a part of what one alone may. */
  const bool is_case = graph->is_case;
  const dsm__graph_effort effort = {is_case ? DSM__LABELS_MAX / DSM__CASES : DSM__LABELS_MAX, true,
                                    is_case ? DSM__GRAPH_WORK_MAX / DSM__CASES
                                            : DSM__GRAPH_WORK_MAX};
  return dsm__graph_limited_search(graph, effort, arena, path, answer);
}
