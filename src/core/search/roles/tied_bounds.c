/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tied_bounds.c: bounds of all cuts of a table from one graph.
 *
 * The graph has all mappings within the limit, and of none of them what the layers of the table
 * exchange. For each cut it is swept once, as if the owner's options that cut otherwise took
 * infinitely long and those of tied layers what they exchange with that cut. Memory aside that is
 * what the fastest mapping with the cut takes; where memory is short, what is kept is priced as for
 * the graph's own bound: any price that is not negative gives a bound of each part of its paths
 * (graph_relax.c). Mappings that hold something are bounded by the relaxed graph of these
 * (held_relaxed.c) in the same way.
 */
#include "search/roles/tied_bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "plan/tied_tables.h"
#include "plan/tolerance.h"
#include "search/graph/graph_limited.h"
#include "search/roles/held_relaxed.h"
#include "search/roles/held_search.h"
#include "search/roles/role_rooms.h"

typedef struct bounding {
  dsm__role_space *space;
  const dsm__tied_cuts *cuts;
  double cost_limit; /* of mappings that are looked at */
  double least_cost; /* of all layers */
  dsm__role_rooms rooms;
  dsm__arena *arena;
  double **added; /* by each cut, to each of a layer's options; layers of a class share them; NULL:
                     nothing */
  double open[DSM__TABLE_CUTS_MAX]; /* of each cut: mappings that hold nothing, */
  double held[DSM__TABLE_CUTS_MAX]; /* and those that hold something */
} bounding;

static const dsm_layer *layer_of(const bounding *b, size_t index) {
  return &b->space->problem->inputs.workload->layers[index];
}

static bool is_sharing(const bounding *b, size_t index) {
  return layer_of(b, index)->is_tied &&
         dsm__tie_owner(b->space->problem->inputs.workload, index) == b->cuts->owner;
}

/* ---- surcharges ---- */

/* What an option of a layer takes more with a cut of the owner. */
static double surcharge(const bounding *b, size_t index, const dsm__table_cut *cut,
                        const dsm__role_option *option) {
  const dsm__search_inputs *const inputs = &b->space->problem->inputs;
  const dsm_layer *const layer = layer_of(b, index);
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  if (index == b->cuts->owner) {
    const dsm__table_cut own = dsm__table_cut_of(layer, inputs->machine, &layouts);
    return dsm__table_is_cut_alike(&own, cut) ? 0 : HUGE_VAL;
  }
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
  setting.owner = dsm__owner_cut_seen(inputs->workload, b->cuts->owner, index, *cut);
  const dsm__cost cost = {.once = dsm_pass_exists(layer, setting.mode, DSM_PASS_UPDATE)
                                      ? dsm__tied_exchange_cycles(&setting, &layouts)
                                      : 0};
  return dsm__price(&inputs->prices, &cost);
}

/* Of a layer with each cut; false if out of memory. */
static bool find_own(bounding *b, size_t index) {
  const dsm__role_options *const options = dsm__role_options_of(b->space, index);
  const size_t count = b->cuts->count;
  if (!DSM__RESERVE(b->arena, b->added[index], options->count * count)) {
    return false;
  }
  for (size_t o = 0; o < options->count; o++) {
    for (size_t k = 0; k < count; k++) {
      b->added[index][o * count + k] = surcharge(b, index, &b->cuts->cuts[k], &options->items[o]);
    }
  }
  return true;
}

/* Those of the owner and of layers that share its table. False if out of memory. */
static bool find_surcharges(bounding *b) {
  const size_t layer_count = b->space->problem->inputs.workload->layer_count;
  bool is_good = DSM__RESERVE(b->arena, b->added, layer_count);
  for (size_t i = 0; is_good && i < layer_count; i++) {
    const size_t kind = b->space->layers[i].kind;
    if (i == b->cuts->owner || is_sharing(b, i)) {
      b->added[i] = b->added[kind];
      is_good = b->added[i] != NULL || find_own(b, i);
    }
  }
  return is_good;
}

/* ---- mappings that hold nothing ---- */

/* The price of memory that bounds a graph best, with the transients for which it does. False if out
 * of memory. *is_any: some path fits. */
static bool find_price(const dsm__graph *graph, dsm__arena *arena, dsm__graph_relaxed *relaxed,
                       bool *is_any) {
  dsm__graph_path path;
  double need = 0;
  *is_any = false;
  double *const scratch = dsm__arena_array(arena, graph->node_count, sizeof *scratch);
  if (scratch == NULL ||
      !DSM__RESERVE(arena, path.edges, dsm__graph_longest_path(graph, scratch)) ||
      !dsm__graph_smallest_need(graph, &path, &need)) {
    return false;
  }
  if (need > graph->capacity_bytes) {
    return true;
  }
  if (!dsm__graph_relax_begin(graph, arena, &path, relaxed)) {
    return false;
  }
  dsm__graph_relax_whole(relaxed);
  *is_any = true;
  return true;
}

/* The edge of a reduced graph that an option's was, and what cuts add to it. */
typedef struct charged_edge {
  size_t index;
  double cost;
  const double *added;
} charged_edge;

/* Lists them; they are in the order of the whole graph's. How many. */
static size_t list_edges(const bounding *b, const dsm__network_graph *network,
                         const dsm__graph_reduced *reduced, charged_edge *list) {
  const dsm__graph *const graph = &network->graph;
  const size_t edge_count = dsm__graph_edge_count(&reduced->graph);
  size_t count = 0;
  size_t at = 0;
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    for (size_t v = run.first; v < run.end; v++) {
      const dsm__node_info *const info = &network->infos[v];
      const double *const added =
          info->kind == DSM__NODE_ENTRY ? b->added[info->layer + run.layers] : NULL;
      const size_t end = graph->nodes[v + 1].first_edge + run.edge_shift;
      for (; at < edge_count && reduced->original[at] < end; at++) {
        if (added != NULL) {
          const dsm__graph_edge *const edge = &reduced->graph.edges[at];
          list[count++] = (charged_edge){at, edge->cost, &added[edge->tag * b->cuts->count]};
        }
      }
    }
  }
  return count;
}

/* Of each cut, from what a graph, in which some path fits, has within the limit. False if out of
 * memory. */
static bool bound_in(bounding *b, const dsm__network_graph *network, dsm__graph_relaxed *whole) {
  dsm__graph_reduced reduced;
  dsm__graph_relaxed relaxed;
  charged_edge *list = NULL;
  dsm__graph_edge *edges = NULL;
  whole->incumbent_cost = fmax(whole->incumbent_cost, b->cost_limit);
  if (!dsm__graph_reduce(whole, whole->price, &reduced)) {
    return false;
  }
  for (size_t k = 0; k < b->cuts->count; k++) {
    b->open[k] = whole->bound_cost; /* with what is exchanged it is no less */
  }
  if (reduced.graph.nodes == NULL) {
    return true;
  }
  if (!dsm__graph_relax_begin(&reduced.graph, whole->arena, &reduced.incumbent, &relaxed)) {
    return false;
  }
  const size_t count = dsm__graph_edge_count(&reduced.graph);
  if (!DSM__RESERVE(whole->arena, list, count) || !DSM__RESERVE(whole->arena, edges, count)) {
    return false;
  }
  const size_t listed = list_edges(b, network, &reduced, list);
  memcpy(edges, reduced.graph.edges, count * sizeof *edges);
  reduced.graph.edges = edges;
  relaxed.least_transient = whole->least_transient;
  relaxed.transient_limit = whole->transient_limit;
  for (size_t k = 0; k < b->cuts->count; k++) {
    for (size_t i = 0; i < listed; i++) {
      edges[list[i].index].cost = list[i].cost + list[i].added[k];
    }
    b->open[k] = dsm__graph_bound_at(&relaxed, whole->price);
  }
  return true;
}

/* What is known of a graph of all mappings within the limit. */
typedef enum outcome { OUT_OF_MEMORY, UNKNOWN, NEEDS_SPARES, KNOWN } outcome;

/* With options that only memory asks for, or without: these have twins that are as fast, so that
 * they count where kept bytes have a price, or nothing else fits. */
static outcome bound_once(bounding *b, bool has_spares, dsm__arena *arena) {
  dsm__network_graph network = {.is_cut = false};
  dsm__graph_relaxed relaxed;
  bool is_any = false;
  const dsm__role_rooms rooms = dsm__rooms_within(&b->rooms, b->cost_limit);
  b->space->has_spares = has_spares;
  b->space->rooms = &rooms;
  const bool is_built = dsm__role_graph_build(b->space, arena, &network);
  b->space->rooms = NULL;
  if (!is_built) {
    return OUT_OF_MEMORY;
  }
  if (b->space->is_too_large || dsm__problem_is_over(b->space->problem)) {
    return UNKNOWN;
  }
  for (size_t k = 0; k < b->cuts->count; k++) {
    b->open[k] = HUGE_VAL; /* of a graph without a path */
  }
  const bool has_paths = network.graph.nodes != NULL && dsm__graph_edge_count(&network.graph) > 0;
  if (has_paths && !find_price(&network.graph, arena, &relaxed, &is_any)) {
    return OUT_OF_MEMORY;
  }
  if (!has_spares && dsm__role_has_spares(b->space) && (is_any ? relaxed.price > 0 : has_paths)) {
    return NEEDS_SPARES;
  }
  return !is_any || bound_in(b, &network, &relaxed) ? KNOWN : OUT_OF_MEMORY;
}

/* Of mappings within the limit, that is lowered where their graph is too large. */
static outcome bound_open(bounding *b) {
  enum { TRIES = 5 };
  static const double part = 0.3; /* of what is left above the outline */
  const double least = b->least_cost;
  outcome is = UNKNOWN;
  bool has_spares = false;
  b->space->edge_share = 4;
  for (int i = 0; i < TRIES && (is == UNKNOWN || is == NEEDS_SPARES); i++) {
    dsm__arena *const arena = dsm__problem_arena(b->space->problem);
    b->space->slack = fmin(dsm__tie_limit(b->cost_limit) - least, DBL_MAX);
    is = arena != NULL ? bound_once(b, has_spares, arena) : OUT_OF_MEMORY;
    dsm__arena_free(arena);
    has_spares = has_spares || is == NEEDS_SPARES;
    if (is == UNKNOWN && isfinite(b->rooms.least_cost)) {
      const double sure = fmax(least, b->rooms.least_cost);
      b->cost_limit = sure + part * (b->cost_limit - sure);
    }
  }
  return is == NEEDS_SPARES ? UNKNOWN : is;
}

/* ---- mappings that hold something ---- */

static bool bound_held(bounding *b, bool *is_known) {
  dsm__held_costs costs;
  dsm__held_least least;
  dsm__held_relaxed relaxed;
  dsm__arena *const arena = dsm__problem_arena(b->space->problem);
  bool is_good = dsm__held_costs_init(&costs, b->space) && arena != NULL &&
                 dsm__held_least_find(&costs, &least);
  *is_known = false;
  if (is_good && !dsm__deadline_is_final(b->space->problem->inputs.deadline)) {
    const double slack = fmin(dsm__tie_limit(b->cost_limit) - least.sum, DBL_MAX);
    is_good = dsm__held_relaxed_find(&costs, &least, slack, NULL, &relaxed, arena);
    *is_known = is_good && !relaxed.is_too_large;
  }
  if (*is_known) {
    is_good = dsm__held_relaxed_charge(&costs, &relaxed, dsm__tie_limit(b->cost_limit), b->added,
                                       b->cuts->count, b->held);
  }
  dsm__held_costs_fini(&costs);
  dsm__arena_free(arena);
  return is_good;
}

static bool find(bounding *b, dsm__open_case **bounds) {
  const dsm__problem *const problem = b->space->problem;
  const double asked = b->cost_limit;
  const bool is_good = find_surcharges(b) && dsm__open_rooms_find(b->space, b->arena, &b->rooms);
  const outcome is = is_good ? bound_open(b) : OUT_OF_MEMORY;
  bool is_known = is == KNOWN;
  if (is == OUT_OF_MEMORY || (is_known && !b->space->may_recompute &&
                              dsm__held_roles_are_searched(problem) && !bound_held(b, &is_known))) {
    return false;
  }
  for (size_t k = 0; is_known && k < b->cuts->count; k++) {
    const double looked_at = b->cost_limit < asked ? b->cost_limit : HUGE_VAL;
    bounds[k]->bound = fmax(bounds[k]->bound, fmin(looked_at, fmin(b->open[k], b->held[k])));
    bounds[k]->rank = b->open[k];
  }
  return true;
}

bool dsm__tied_bounds_find(dsm__role_space *space, const dsm__tied_cuts *cuts, double cost_limit,
                           dsm__open_case **bounds) {
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  bounding b = {.space = space,
                .cuts = cuts,
                .cost_limit = cost_limit,
                .arena = dsm__problem_arena(space->problem)};
  for (size_t i = 0; i < layer_count; i++) {
    b.least_cost += space->least[i];
  }
  for (size_t k = 0; k < cuts->count; k++) {
    b.held[k] = HUGE_VAL; /* where none is looked for */
  }
  space->grain = 0;
  const bool is_found = b.arena != NULL && find(&b, bounds);
  dsm__arena_free(b.arena);
  return is_found;
}
