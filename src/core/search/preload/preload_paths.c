/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_paths.c: the best mappings of a level with a price on bytes of weights.
 *
 * The limit on bytes is relaxed as that on memory is (graph_relax.c): with a price on each byte
 * every layer takes, by itself, the point of its hull that is best at the price, and the graph
 * finds the best path. For a mapping within the room, cycles >= cycles + price * (bytes - room),
 * and the right side is at least the least priced sum less the refund of the room; so each price
 * gives a bound, and the best one is where the path that takes too much and the path that takes
 * little enough cost the same. Points that are not on the hull are best at no price, so that hulls
 * are enough for the bound, but not for the answer.
 */
#include <math.h>

#include "model/equations.h"
#include "plan/tolerance.h"
#include "search/preload/preload_level.h"

/* Cycles of an edge that must not be taken: more than any path, and still finite. */
static const double FORBIDDEN = 1e300;

/* May an edge out of a node be taken? */
static bool is_in_form(const dsm__preload_level *level, const dsm__node_info *info, uint32_t tag) {
  if (info->kind == DSM__NODE_GROUP) {
    const dsm__preload_form *const form = &level->forms[info->layer];
    return form->is_grouped &&
           form->group_length == level->problem.found->groups.items[tag].layer_count;
  }
  if (dsm__network_is_layer(info)) {
    const dsm__preload_form *const form = &level->forms[info->layer];
    return !form->is_grouped && dsm__are_alike(&level->problem.machine, form->parallelism,
                                               (dsm_parallelism)info->forward);
  }
  return true;
}

/* Forbids edges of other forms, where memory leaves only some. */
static void forbid_other_forms(const dsm__preload_level *level) {
  const dsm__network_graph *const network = &level->network;
  for (size_t v = 0; level->forms != NULL && v < network->graph.node_count; v++) {
    for (size_t e = network->graph.nodes[v].first_edge; e < network->graph.nodes[v + 1].first_edge;
         e++) {
      if (!is_in_form(level, &network->infos[v], network->edges[e].tag)) {
        network->edges[e].cost = FORBIDDEN;
      }
    }
  }
}

void dsm__preload_follow(const dsm__preload_level *level, dsm__preload_mapping *mapping) {
  const dsm__network_graph *const network = &level->network;
  size_t node = 0;
  mapping->step_count = 0;
  mapping->fixed_cycles = 0;
  for (size_t i = 0; i < mapping->path.length; i++) {
    const size_t edge = mapping->path.edges[i];
    const size_t run = level->run_of[edge];
    if (run == SIZE_MAX) {
      mapping->fixed_cycles += level->fixed_cycles[edge];
    } else {
      mapping->steps[mapping->step_count++] =
          (dsm__preload_step){network->infos[node].layer, run, level->runs.items[run].of->hull[0]};
    }
    node = network->edges[edge].to;
  }
}

/* The fastest path with the costs that edges have. */
static void follow_fastest(dsm__preload_level *level, dsm__preload_mapping *mapping) {
  dsm__graph_fastest(&level->network.graph, level->rest, &mapping->path);
  dsm__preload_follow(level, mapping);
}

void dsm__preload_sum(dsm__preload_mapping *mapping) {
  mapping->cycles = mapping->fixed_cycles;
  mapping->bytes = 0;
  for (size_t i = 0; i < mapping->step_count; i++) {
    mapping->cycles += mapping->steps[i].how.cycles;
    mapping->bytes += mapping->steps[i].how.bytes;
  }
}

/* Of a run's hull the point of least cycles with a price on bytes. */
static size_t cheapest(const dsm__preload_point *hull, size_t count, double price) {
  size_t best = 0;
  double least = hull[0].cycles; /* without bytes */
  for (size_t i = 1; i < count && isfinite(price); i++) {
    const double sum = hull[i].cycles + price * hull[i].bytes;
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

/* An infinite price: nothing is preloaded. */
void dsm__preload_set_price(dsm__preload_level *level, double price) {
  const dsm__network_graph *const network = &level->network;
  const size_t edge_count = dsm__graph_edge_count(&network->graph);
  dsm__preload_runs *const runs = &level->runs;
  for (size_t r = 0; r < runs->count; r++) {
    dsm__preload_run *const run = &runs->items[r];
    const dsm__preload_point *const hull = &runs->points.items[run->first_point];
    run->chosen = cheapest(hull, run->of->hull_count, price);
    const dsm__preload_point *const how = &hull[run->chosen];
    run->priced = how->cycles + (how->bytes > 0 ? price * how->bytes : 0);
  }
  for (size_t e = 0; e < edge_count; e++) {
    const size_t run = level->run_of[e];
    const double cycles = run == SIZE_MAX ? level->fixed_cycles[e] : runs->items[run].priced;
    network->edges[e].cost = level->is_shut[e] ? FORBIDDEN : cycles;
  }
  forbid_other_forms(level);
  dsm__graph_rest(&network->graph, level->rest);
}

void dsm__preload_find_priced(dsm__preload_level *level, double price,
                              dsm__preload_mapping *mapping) {
  dsm__preload_set_price(level, price);
  follow_fastest(level, mapping);
  for (size_t i = 0; i < mapping->step_count; i++) {
    const dsm__preload_run *const run = &level->runs.items[mapping->steps[i].run];
    mapping->steps[i].how = run->of->hull[run->chosen];
  }
  dsm__preload_sum(mapping);
}

static void swap_mappings(dsm__preload_mapping *a, dsm__preload_mapping *b) {
  const dsm__preload_mapping kept = *a;
  *a = *b;
  *b = kept;
}

static bool is_within_room(const dsm__preload_level *level, const dsm__preload_mapping *mapping) {
  return mapping->bytes <= dsm__capacity_limit(level->room_bytes);
}

/* Remembers the bound of the price just set, if it is better. Rounding of the sums must not raise
 * it: they are wrong by less than 1e-12 each. */
static void join_bound(const dsm__preload_level *level, double price, dsm__preload_bound *bound) {
  const double refund = price * level->room_bytes;
  const double cycles = level->rest[0] - refund - 1e-12 * (level->rest[0] + refund);
  if (cycles > bound->cycles) {
    bound->cycles = cycles;
    bound->price = price;
  }
}

void dsm__preload_bound_find(dsm__preload_level *level, dsm__preload_mapping *below,
                             dsm__preload_mapping *above, dsm__preload_mapping *scratch,
                             dsm__preload_bound *bound) {
  enum { PRICES_MAX = 100 }; /* each ends with a better pair; some ten are enough */
  *bound = (dsm__preload_bound){.cycles = -HUGE_VAL};
  dsm__preload_find_priced(level, 0, above);
  join_bound(level, 0, bound);
  bound->is_free = is_within_room(level, above);
  if (bound->is_free) {
    dsm__preload_find_priced(level, 0, below);
    return;
  }
  dsm__preload_find_priced(level, HUGE_VAL, below);
  for (int i = 0; i < PRICES_MAX; i++) {
    /* As functions of the price, the sums of the two are lines; they cross here. */
    const double price = (below->cycles - above->cycles) / (above->bytes - below->bytes);
    if (!(price > 0)) {
      return;
    }
    const double crossing = below->cycles + price * below->bytes;
    dsm__preload_find_priced(level, price, scratch);
    join_bound(level, price, bound);
    if (level->rest[0] >= crossing * (1 - 1e-12)) {
      return;
    }
    swap_mappings(scratch, is_within_room(level, scratch) ? below : above);
  }
}

/* A mapping through a state costs at least what the best priced path through it does, less the
 * refund of the room. Where that is not below the limit, no faster mapping passes there, and the
 * state need not be in a graph that is searched for one. */
bool dsm__preload_worthwhile(dsm__preload_level *level, const dsm__preload_bound *bound,
                             double limit, uint64_t *worthwhile, bool *is_any) {
  const dsm__graph *const graph = &level->network.graph;
  double *const before = dsm__arena_array(level->problem.arena, graph->node_count, sizeof *before);
  if (before == NULL) {
    return false;
  }
  const double refund = bound->price * level->room_bytes;
  dsm__preload_set_price(level, bound->price);
  dsm__graph_before(graph, before);
  *is_any = false;
  for (size_t v = 0; v < graph->node_count; v++) {
    const dsm__node_info *const info = &level->network.infos[v];
    const double sum = before[v] + level->rest[v];
    if (info->kind == DSM__NODE_HELD &&
        (level->problem.is_bounding_off || sum - refund - 1e-12 * (sum + refund) < limit)) {
      worthwhile[(size_t)info->layer * DSM_PARALLELISM_COUNT + info->forward] |=
          (uint64_t)1 << info->factor_index;
      *is_any = true;
    }
  }
  return true;
}

bool dsm__preload_fits_memory(const dsm__preload_level *level,
                              const dsm__preload_mapping *mapping) {
  const dsm__graph_sums sums = dsm__graph_sum(&level->network.graph, &mapping->path);
  return mapping->cycles < FORBIDDEN && dsm__graph_bytes(sums) <= level->problem.capacity_bytes;
}
