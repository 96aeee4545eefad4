/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_facts.h: what the tests of the search over a graph find out about its paths. */
#ifndef DSM_TESTS_SEARCH_GRAPH_FACTS_H
#define DSM_TESTS_SEARCH_GRAPH_FACTS_H

#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "search/graph/graph.h"
#include "search/graph/graph_limited.h"

typedef struct path_facts {
  bool is_whole; /* edge after edge from the first node to the last */
  double cycles;
  double bytes;
} path_facts;

static inline path_facts facts_of(const dsm__graph *graph, const dsm__graph_path *path) {
  size_t v = 0;
  double cycles = 0;
  double kept = graph->nodes[0].kept_bytes;
  double transient = graph->nodes[0].transient_bytes;
  for (size_t i = 0; i < path->length; i++) {
    const size_t e = path->edges[i];
    if (v + 1 >= graph->node_count || e < graph->nodes[v].first_edge ||
        e >= graph->nodes[v + 1].first_edge) {
      return (path_facts){.is_whole = false};
    }
    v = graph->edges[e].to;
    cycles += graph->edges[e].cost;
    kept += graph->nodes[v].kept_bytes;
    transient = fmax(transient, graph->nodes[v].transient_bytes);
  }
  return (path_facts){v == graph->node_count - 1, cycles, kept + transient};
}

/* Some path that fits, and what the search finds from it. */
static inline void search_from_smallest(const dsm__graph *graph, dsm__graph_effort effort,
                                        dsm__arena *arena, dsm__graph_path *path,
                                        dsm__graph_answer *answer) {
  dsm__graph tight = *graph;
  tight.capacity_bytes = -1;
  ck_assert(dsm__graph_search(&tight, arena, path, answer));
  ck_assert(dsm__graph_limited_search(graph, effort, arena, path, answer));
}

#endif
