/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_greedy.c: the paper's order in which weights are preloaded (section 10).
 *
 * The paper sorts layers by how sensitive they are to fetching weights (P, III-B2). Here that is
 * what a layer saves per byte of the chip with all of its weights there, replicated as often as
 * pays best: fewer parts of a kernel mean more copies. It is one mapping among others for each
 * room; nothing is proven by it, and none is needed for the answer to be exact. Layers of pipeline
 * groups have no preloaded weights.
 */
#include "search/preload/preload_candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Most saved by a byte first, of equals the first layer. */
static int compare_items(const void *left, const void *right) {
  const dsm__preload_item *const a = left;
  const dsm__preload_item *const b = right;
  return dsm__order_then(dsm__order(b->saved_per_byte, a->saved_per_byte),
                         dsm__order_whole(a->layer, b->layer));
}

/*
 * The replication that saves most by a byte of the chip, of equals the least; nothing saved: 0.
 *
 * Replications are the divisors of the core count: a kernel in so many parts is there cores / parts
 * times.
 */
static dsm__preload_item best_replication(dsm__problem *problem, const dsm__resident_run *run,
                                          dsm__resident *of_divisors) {
  const dsm__core_splits *const splits = &problem->table.splits;
  const double cores = (double)problem->machine.system->chip.cores;
  dsm__preload_item best = {0};
  if (dsm__problem_is_over(problem)) {
    return best;
  }
  dsm__resident_replications(run, splits, of_divisors, &problem->evaluations);
  for (size_t d = 0; d < splits->divisors.count; d++) {
    const dsm__resident *const one = &of_divisors[d];
    if (!isfinite(one->cycles)) {
      continue;
    }
    const double saved = (run->hull[0].cycles - one->cycles) / (one->bytes * cores);
    if (saved > best.saved_per_byte) {
      best.bytes = one->bytes;
      best.saved_per_byte = saved;
    }
  }
  return best;
}

/* The layers with weights outside groups, and in run_of[layer] how they run by themselves. */
static bool list_layers(dsm__preload_greedy *greedy, const dsm__problem *problem,
                        const dsm__solution *solution, dsm__residents *residents, size_t *run_of) {
  const dsm__network_graph *const network = &solution->network;
  const dsm__holding nothing = {0};
  size_t node = 0;
  for (size_t i = 0; i < solution->path.length; i++) {
    const dsm__graph_edge *const edge = &network->graph.edges[solution->path.edges[i]];
    const dsm__node_info *const info = &network->infos[node];
    const bool is_layer = dsm__network_is_layer(info);
    if (is_layer && problem->inputs.workload->layers[info->layer].weight_elements > 0) {
      const dsm__resident_query query =
          dsm__resident_query_of(&problem->table, info, edge->tag, &nothing);
      dsm__resident_place unused;
      run_of[info->layer] = dsm__residents_add(residents, &query, &unused);
      if (run_of[info->layer] == SIZE_MAX) {
        return false;
      }
      greedy->items[greedy->count++].layer = info->layer;
    }
    node = edge->to;
  }
  return true;
}

static bool rank(dsm__preload_greedy *greedy, dsm__problem *problem,
                 const dsm__residents *residents, const size_t *run_of) {
  dsm__preload_item *const best =
      dsm__arena_array(problem->arena, residents->runs.count, sizeof *best);
  dsm__resident *const of_divisors =
      dsm__arena_array(problem->arena, problem->table.splits.divisors.count, sizeof *of_divisors);
  if (best == NULL || of_divisors == NULL) {
    return false;
  }
  for (size_t r = 0; r < residents->runs.count; r++) {
    best[r] = best_replication(problem, residents->runs.items[r], of_divisors);
  }
  size_t kept = 0;
  for (size_t i = 0; i < greedy->count; i++) {
    dsm__preload_item item = best[run_of[greedy->items[i].layer]];
    item.layer = greedy->items[i].layer;
    if (item.saved_per_byte > 0) {
      greedy->items[kept++] = item;
    }
  }
  greedy->count = kept;
  qsort(greedy->items, kept, sizeof greedy->items[0], compare_items);
  return true;
}

bool dsm__preload_greedy_find(dsm__preload_greedy *greedy, dsm__problem *problem,
                              const dsm__solution *solution, dsm__residents *residents) {
  const size_t layer_count = problem->inputs.workload->layer_count;
  size_t *const run_of = dsm__arena_array(problem->arena, layer_count, sizeof *run_of);
  greedy->items = dsm__arena_array(problem->arena, layer_count, sizeof greedy->items[0]);
  greedy->count = 0;
  if (run_of == NULL || greedy->items == NULL) {
    return false;
  }
  return list_layers(greedy, problem, solution, residents, run_of) &&
         dsm__residents_score(residents) && rank(greedy, problem, residents, run_of);
}

void dsm__preload_greedy_budgets(const dsm__preload_greedy *greedy, double room_bytes,
                                 double *budgets, size_t layer_count) {
  memset(budgets, 0, layer_count * sizeof budgets[0]);
  double left = room_bytes;
  for (size_t i = 0; i < greedy->count && left > 0; i++) {
    const double bytes = greedy->items[i].bytes < left ? greedy->items[i].bytes : left;
    budgets[greedy->items[i].layer] = bytes;
    left -= bytes;
  }
}
