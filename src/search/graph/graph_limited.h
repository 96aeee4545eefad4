/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_limited.h: the fastest path where the fastest of all does not fit the memory. */
#ifndef DSM_SEARCH_GRAPH_GRAPH_LIMITED_H
#define DSM_SEARCH_GRAPH_GRAPH_LIMITED_H

#include "search/graph/graph.h"

/** How hard to look. Tests change it; the answer is the same wherever it is exact. */
typedef struct dsm__graph_effort {
  size_t labels_max; /**< most partial paths kept at once */
  bool is_dominance_on;
  double work_max; /**< most edges and partial paths looked at, about 4 ns each */
} dsm__graph_effort;

/** Enough for what can be exact in some seconds. */
#define DSM__GRAPH_WORK_MAX 1e9

/**
 * As dsm__graph_search, for a graph of which `path` (on entry) is a path that fits. `answer` has
 * its smallest need already. False if out of memory.
 */
bool dsm__graph_limited_search(const dsm__graph *graph, dsm__graph_effort effort, dsm__arena *arena,
                               dsm__graph_path *path, dsm__graph_answer *answer);

#endif
