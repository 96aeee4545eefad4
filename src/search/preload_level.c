/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/preload_level.h"

#include <math.h>
#include <string.h>

bool dsm__are_parallelisms_alike(const dsm_machine *machine, dsm_parallelism a, dsm_parallelism b) {
  const dsm_axis_roles one = dsm_parallelism_roles(a);
  const dsm_axis_roles other = dsm_parallelism_roles(b);
  return (one.x == other.x || machine->system->system.chips_x == 1) &&
         (one.y == other.y || machine->system->system.chips_y == 1);
}

/* Of parallelisms that are alike, each layer keeps its first: no mapping becomes slower when all
 * layers go over to it, since relayouts only become fewer. */
static void drop_alike(dsm__problem *problem) {
  for (size_t c = 0; c < problem->table.distinct.count; c++) {
    dsm__open_choice *const choices = problem->table.choices[c];
    for (int p = 1; p < DSM_PARALLELISM_COUNT; p++) {
      for (int q = 0; q < p; q++) {
        const dsm_parallelism one = (dsm_parallelism)p;
        const dsm_parallelism first = (dsm_parallelism)q;
        if (dsm__are_parallelisms_alike(&problem->machine, one, first) &&
            isfinite(choices[dsm__pair_of(first, first)].cycles)) {
          choices[dsm__pair_of(one, one)].cycles = HUGE_VAL;
        }
      }
    }
  }
}

/* The caller's problem with room set aside. Its table has the choices of the whole scratchpad, but
 * of these the graph only asks which there are. */
static bool copy_problem(dsm__problem *copy, const dsm__preload_request *request) {
  *copy = *request->problem;
  copy->arena = dsm__arena_new();
  copy->evaluations = 0;
  copy->inputs.preloaded_bytes = request->room_bytes;
  copy->inputs.machine = &copy->machine;
  copy->table.inputs = &copy->inputs;
  if (copy->arena == NULL) {
    return false;
  }
  const size_t classes = copy->table.distinct.count;
  copy->table.choices = dsm__arena_array(copy->arena, classes, sizeof copy->table.choices[0]);
  if (copy->table.choices == NULL) {
    return false;
  }
  memcpy(copy->table.choices, request->problem->table.choices,
         classes * sizeof copy->table.choices[0]);
  drop_alike(copy);
  if (copy->groups.count > 0) {
    const bool is_found = dsm__groups_find(&copy->groups, &copy->table, false, copy->arena);
    copy->evaluations += copy->groups.evaluations;
    return is_found;
  }
  return true;
}

static size_t edge_count_of(const dsm__network_graph *network) {
  return network->graph.nodes[network->graph.node_count].first_edge;
}

/* The run of an edge out of a node, if it is a layer and not shut. Nodes behind the last layer have
 * none. */
static bool find_run(dsm__preload_level *level, dsm__residents *residents,
                     const dsm__node_info *info, size_t edge) {
  level->run_of[edge] = SIZE_MAX;
  if ((info->kind != DSM__NODE_ENTRY && info->kind != DSM__NODE_HELD) || level->is_shut[edge]) {
    return true;
  }
  const dsm__resident_query query = {
      .table = &level->problem.table,
      .class_index = level->problem.table.distinct.class_of[info->layer],
      .parallelism = (dsm_parallelism)info->forward,
      .factor_index = dsm__step_unpack(level->network.edges[edge].tag).factor_index,
      .holding = &level->network.holdings[edge],
  };
  level->run_of[edge] = dsm__residents_add(residents, &query);
  return level->run_of[edge] != SIZE_MAX;
}

/* Tells the edges that are layers, and their runs. */
static bool find_runs(dsm__preload_level *level, dsm__residents *residents) {
  const dsm__network_graph *const network = &level->network;
  for (size_t v = 0; v < network->graph.node_count; v++) {
    for (size_t e = network->graph.nodes[v].first_edge; e < network->graph.nodes[v + 1].first_edge;
         e++) {
      if (!find_run(level, residents, &network->infos[v], e)) {
        return false;
      }
    }
  }
  return true;
}

/* Scores the runs, and numbers those of the level from 0 on. */
static bool number_runs(dsm__preload_level *level, dsm__residents *residents) {
  dsm__arena *const arena = level->problem.arena;
  const size_t edges = edge_count_of(&level->network);
  size_t *const own = dsm__arena_array(arena, residents->count, sizeof *own); /* + 1; 0: none */
  level->runs = dsm__arena_array(arena, residents->count, sizeof(void *));
  level->run_count = 0;
  if (own == NULL || level->runs == NULL || !dsm__residents_score(residents)) {
    return false;
  }
  for (size_t e = 0; e < edges; e++) {
    const size_t number = level->run_of[e];
    if (number == SIZE_MAX) {
      continue;
    }
    if (own[number] == 0) {
      level->runs[level->run_count++] = residents->runs[number];
      own[number] = level->run_count;
    }
    level->run_of[e] = own[number] - 1;
  }
  level->chosen = dsm__arena_array(arena, level->run_count, sizeof(void *));
  level->priced = dsm__arena_array(arena, level->run_count, sizeof level->priced[0]);
  return level->chosen != NULL && level->priced != NULL;
}

bool dsm__preload_level_init(dsm__preload_level *level, const dsm__preload_request *request) {
  *level =
      (dsm__preload_level){.room_bytes = request->room_bytes, .is_relaxed = request->is_relaxed};
  if (!copy_problem(&level->problem, request)) {
    return false;
  }
  dsm__problem *const problem = &level->problem;
  const dsm__graph_request graph = {
      .table = &problem->table,
      .factors = request->factors,
      .groups = &problem->groups,
      .lives = request->is_holding ? &problem->lives : NULL,
      .is_relaxed = request->is_relaxed,
      .worthwhile = request->worthwhile,
      .is_priced_later = true,
      .explained_layer = SIZE_MAX,
  };
  if (!dsm__network_graph_build(&level->network, &graph, problem->arena)) {
    return false;
  }
  const size_t edges = edge_count_of(&level->network);
  level->run_of = dsm__arena_array(problem->arena, edges, sizeof level->run_of[0]);
  level->is_shut = dsm__arena_array(problem->arena, edges, sizeof level->is_shut[0]);
  level->fixed_cycles = dsm__arena_array(problem->arena, edges, sizeof level->fixed_cycles[0]);
  level->rest =
      dsm__arena_array(problem->arena, level->network.graph.node_count, sizeof level->rest[0]);
  if (level->run_of == NULL || level->is_shut == NULL || level->fixed_cycles == NULL ||
      level->rest == NULL) {
    return false;
  }
  for (size_t e = 0; e < edges; e++) {
    level->fixed_cycles[e] = level->network.edges[e].cycles;
  }
  return find_runs(level, request->residents) && number_runs(level, request->residents);
}

/* What a layer on an edge needs held may not fit beside so much room. */
static bool does_fit(const dsm__preload_level *level, const dsm__node_info *info, size_t edge) {
  const dsm__layer_step step = dsm__step_unpack(level->network.edges[edge].tag);
  dsm__layer_setting setting = dsm__open_setting(
      &level->problem.inputs, &level->problem.inputs.workload->layers[info->layer],
      dsm__factor_of(step.factor_index));
  setting.holding = level->network.holdings[edge];
  return !dsm__is_holding(&setting.holding) ||
         dsm__holding_fits(&setting, (dsm_parallelism)info->forward);
}

bool dsm__preload_level_narrow(dsm__preload_level *level, dsm__residents *residents,
                               double room_bytes) {
  const dsm__network_graph *const network = &level->network;
  level->room_bytes = room_bytes;
  level->problem.inputs.preloaded_bytes = room_bytes;
  for (size_t v = 0; v < network->graph.node_count; v++) {
    const dsm__node_info *const info = &network->infos[v];
    for (size_t e = network->graph.nodes[v].first_edge; e < network->graph.nodes[v + 1].first_edge;
         e++) {
      level->is_shut[e] =
          level->is_shut[e] || (level->run_of[e] != SIZE_MAX && !does_fit(level, info, e));
    }
  }
  return find_runs(level, residents) && number_runs(level, residents);
}

void dsm__preload_level_fini(dsm__preload_level *level) {
  dsm__arena_free(level->problem.arena);
  level->problem.arena = NULL;
}

bool dsm__preload_mapping_init(dsm__preload_mapping *mapping, const dsm__preload_level *level) {
  dsm__arena *const arena = level->problem.arena;
  const size_t layers = level->problem.inputs.workload->layer_count;
  *mapping = (dsm__preload_mapping){.cycles = HUGE_VAL};
  mapping->path.edges =
      dsm__arena_array(arena, level->network.graph.node_count - 1, sizeof mapping->path.edges[0]);
  mapping->steps = dsm__arena_array(arena, layers, sizeof mapping->steps[0]);
  return mapping->path.edges != NULL && mapping->steps != NULL;
}
