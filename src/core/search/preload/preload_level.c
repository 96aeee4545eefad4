/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_level.c: a level, that is, a room W, as a graph whose edges cost what runs of layers
 * cost.
 *
 * With W set aside what is held and the rest of the scratchpad change, so that layers are scored
 * anew; but all that a run takes of W is into how many tiles its kernel and features fall, so that
 * most runs of one level are runs of others too (resident_kinds.c) and are scored once. The graph
 * asks the table of layers only which choices there are, not what they cost: edges are priced
 * later.
 */
#include "search/preload/preload_level.h"

#include <math.h>
#include <string.h>

#include "model/equations.h"
#include "plan/tolerance.h"

/* The caller's problem with room set aside. Its table has the choices of the whole scratchpad, but
 * of these the graph only asks which there are. */
static bool begin_case(dsm__preload_level *level, const dsm__preload_request *request) {
  dsm__problem *const one = &level->problem;
  dsm__pipeline_groups *const groups = &level->found.groups;
  dsm__case_begin(one, request->problem);
  dsm__case_find_apart(one, &level->found);
  one->arena = dsm__problem_arena(request->problem);
  one->inputs.preloaded_bytes = request->room_bytes;
  level->found.evaluations = 0;
  if (one->arena == NULL) {
    return false;
  }
  if (groups->count > 0) {
    const bool is_found = dsm__pipeline_groups_find(groups, &one->table, false, one->arena);
    level->found.evaluations += groups->evaluations;
    return is_found;
  }
  return true;
}

/* What an edge that is a layer needs held, whatever the room. */
static double needed_bytes(const dsm__preload_level *level, const dsm__node_info *info,
                           size_t edge) {
  const dsm__layer_step step = dsm__network_step_unpack(level->network.edges[edge].tag);
  dsm__layer_setting setting = dsm__open_setting(
      &level->problem.inputs, &level->problem.inputs.workload->layers[info->layer],
      dsm__factor_of(step.factor_index));
  setting.holding = level->network.holdings[edge];
  return dsm__is_holding(&setting.holding)
             ? dsm__holding_needed_bytes(&setting, (dsm_parallelism)info->forward)
             : -HUGE_VAL;
}

/* The run of an edge that is a layer; false if out of memory. */
static bool find_run(dsm__preload_level *level, dsm__residents *residents,
                     const dsm__node_info *info, size_t edge) {
  dsm__preload_edge *const one = &level->edges[edge];
  size_t number = SIZE_MAX;
  if (one->is_placed) {
    number = dsm__residents_known(residents, &one->place, level->room_bytes);
  } else {
    one->needed_bytes = needed_bytes(level, info, edge);
    one->is_placed = true;
  }
  if (number == SIZE_MAX) {
    const dsm__resident_query query =
        dsm__resident_query_of(&level->problem.table, info, level->network.edges[edge].tag,
                               &level->network.holdings[edge]);
    number = dsm__residents_add(residents, &query, &one->place);
  }
  level->run_of[edge] = number;
  return number != SIZE_MAX;
}

/* Tells the edges that are layers and not shut, and their runs. Nodes behind the last layer have
 * none. A relaxed level was told which edges are there, and shuts none. */
static bool find_runs(dsm__preload_level *level, dsm__residents *residents) {
  const dsm__network_graph *const network = &level->network;
  const double held_limit = dsm__capacity_limit(
      dsm_held_limit_bytes(&level->problem.machine, level->problem.inputs.preloaded_bytes));
  for (size_t v = 0; v < network->graph.node_count; v++) {
    const size_t end = network->graph.nodes[v + 1].first_edge;
    for (size_t e = network->graph.nodes[v].first_edge; e < end; e++) {
      const dsm__preload_edge *const one = &level->edges[e];
      level->run_of[e] = SIZE_MAX;
      level->is_shut[e] = one->is_placed && one->needed_bytes > held_limit;
      if (dsm__network_is_layer(&network->infos[v]) && !level->is_shut[e] &&
          !find_run(level, residents, &network->infos[v], e)) {
        return false;
      }
    }
  }
  return true;
}

/* Room for all runs that are known; false if out of memory. */
static bool grow_runs(dsm__preload_level *level, size_t known) {
  dsm__preload_runs *const runs = &level->runs;
  dsm__arena *const arena = level->problem.arena;
  const size_t edges = dsm__graph_edge_count(&level->network.graph);
  runs->count = 0;
  if (!DSM__LIST_RESERVE_IN(runs, known < edges ? known : edges, arena) ||
      !DSM__LIST_RESERVE_IN(&runs->own, known, arena)) {
    return false;
  }
  if (known > 0) {
    memset(runs->own.items, 0, known * sizeof runs->own.items[0]);
  }
  return true;
}

/*
 * The hulls of all runs, one behind the other: prices are asked for again and again.
 *
 * In an array of their own they are read one after the other, where runs lie apart.
 */
static bool list_points(dsm__preload_level *level) {
  dsm__preload_runs *const runs = &level->runs;
  runs->points.count = 0;
  for (size_t r = 0; r < runs->count; r++) {
    const dsm__resident_run *const run = runs->items[r].of;
    runs->items[r].first_point = runs->points.count;
    if (!DSM__LIST_RESERVE_IN(&runs->points, run->hull_count, level->problem.arena)) {
      return false;
    }
    for (size_t i = 0; i < run->hull_count; i++) {
      runs->points.items[runs->points.count++] =
          (dsm__preload_point){run->hull[i].bytes, run->hull[i].cycles};
    }
  }
  return true;
}

bool dsm__preload_level_number(dsm__preload_level *level, dsm__residents *residents) {
  dsm__preload_runs *const runs = &level->runs;
  const size_t edges = dsm__graph_edge_count(&level->network.graph);
  if (!dsm__residents_score(residents) || !grow_runs(level, residents->runs.count)) {
    return false;
  }
  for (size_t e = 0; e < edges; e++) {
    const size_t number = level->run_of[e];
    if (number == SIZE_MAX) {
      continue;
    }
    if (runs->own.items[number] == 0) {
      runs->items[runs->count++] = (dsm__preload_run){.of = residents->runs.items[number]};
      runs->own.items[number] = runs->count;
    }
    level->run_of[e] = runs->own.items[number] - 1;
  }
  return list_points(level);
}

bool dsm__preload_level_init(dsm__preload_level *level, const dsm__preload_request *request) {
  *level =
      (dsm__preload_level){.room_bytes = request->room_bytes, .is_relaxed = request->is_relaxed};
  if (!begin_case(level, request)) {
    return false;
  }
  const dsm__problem *const problem = &level->problem;
  const dsm__graph_request graph = {
      .table = &problem->table,
      .factors = request->factors,
      .groups = &problem->found->groups,
      .lives = request->is_holding ? &problem->lives : NULL,
      .is_relaxed = request->is_relaxed,
      .worthwhile = request->worthwhile,
      .is_priced_later = true,
      .explained_layer = SIZE_MAX,
  };
  if (!dsm__network_graph_build(&level->network, &graph, problem->arena)) {
    return false;
  }
  const size_t edges = dsm__graph_edge_count(&level->network.graph);
  if (!DSM__RESERVE(problem->arena, level->edges, edges) ||
      !DSM__RESERVE(problem->arena, level->run_of, edges) ||
      !DSM__RESERVE(problem->arena, level->is_shut, edges) ||
      !DSM__RESERVE(problem->arena, level->fixed_cycles, edges) ||
      !DSM__RESERVE(problem->arena, level->rest, level->network.graph.node_count)) {
    return false;
  }
  for (size_t e = 0; e < edges; e++) {
    level->fixed_cycles[e] = level->network.edges[e].cost;
  }
  return find_runs(level, request->residents) &&
         dsm__preload_level_number(level, request->residents);
}

/* With more room for weights nothing that is held fits better. So the graph of the least room has
 * all states of a larger one, and some that cannot be reached, whose edges are shut. */
bool dsm__preload_level_resize(dsm__preload_level *level, dsm__residents *residents,
                               double room_bytes) {
  level->room_bytes = room_bytes;
  level->problem.inputs.preloaded_bytes = room_bytes;
  return find_runs(level, residents) && dsm__preload_level_number(level, residents);
}

void dsm__preload_level_fini(dsm__preload_level *level) {
  dsm__arena_free(level->problem.arena);
  level->problem.arena = NULL;
}

bool dsm__preload_mapping_init(dsm__preload_mapping *mapping, const dsm__preload_level *level) {
  dsm__arena *const arena = level->problem.arena;
  const size_t layers = level->problem.inputs.workload->layer_count;
  *mapping = (dsm__preload_mapping){.cycles = HUGE_VAL};
  return DSM__RESERVE(arena, mapping->path.edges, level->network.graph.node_count - 1) &&
         DSM__RESERVE(arena, mapping->steps, layers);
}
