/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/graph_limited.h"

#include "search/graph_paths.h"

bool dsm__graph_limited_search(const dsm__graph *graph, dsm__graph_effort effort, dsm__arena *arena,
                               dsm__graph_path *path, dsm__graph_answer *answer) {
  (void)effort;
  (void)arena;
  answer->cycles = dsm__graph_sum(graph, path).cycles;
  return true;
}
