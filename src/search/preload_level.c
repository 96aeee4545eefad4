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
    const bool is_found = dsm__groups_find(&copy->groups, &copy->table, copy->arena);
    copy->evaluations += copy->groups.evaluations;
    return is_found;
  }
  return true;
}

static size_t edge_count_of(const dsm__network_graph *network) {
  return network->graph.nodes[network->graph.node_count].first_edge;
}

/* Tells the edges that are layers, and the variants in which those run. */
static bool find_runs(dsm__preload_level *level) {
  const dsm__network_graph *const network = &level->network;
  for (size_t v = 0; v < network->graph.node_count; v++) {
    const dsm__node_info *const info = &network->infos[v];
    const bool is_layer = info->kind == DSM__NODE_ENTRY || info->kind == DSM__NODE_HELD;
    for (size_t e = network->graph.nodes[v].first_edge; e < network->graph.nodes[v + 1].first_edge;
         e++) {
      const dsm__layer_step step = dsm__step_unpack(network->edges[e].tag);
      level->fixed_cycles[e] = network->edges[e].cycles;
      level->run_of[e] = SIZE_MAX;
      if (is_layer) {
        const size_t class_index = level->problem.table.distinct.class_of[info->layer];
        level->run_of[e] = dsm__variants_add(&level->variants, class_index, DSM_PASS_FORWARD,
                                             (dsm_parallelism)info->forward, step.factor_index,
                                             &network->holdings[e]);
        if (level->run_of[e] == SIZE_MAX) {
          return false;
        }
      }
    }
  }
  return true;
}

bool dsm__preload_level_init(dsm__preload_level *level, const dsm__preload_request *request) {
  *level =
      (dsm__preload_level){.room_bytes = request->room_bytes, .is_relaxed = request->is_relaxed};
  if (!copy_problem(&level->problem, request)) {
    return false;
  }
  dsm__problem *const problem = &level->problem;
  dsm__variants_init(&level->variants, &problem->table);
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
  level->fixed_cycles = dsm__arena_array(problem->arena, edges, sizeof level->fixed_cycles[0]);
  level->rest =
      dsm__arena_array(problem->arena, level->network.graph.node_count, sizeof level->rest[0]);
  if (level->run_of == NULL || level->fixed_cycles == NULL || level->rest == NULL ||
      !find_runs(level) || !dsm__residents_score(&level->residents, &level->variants)) {
    return false;
  }
  problem->evaluations += level->residents.evaluations;
  level->chosen = dsm__arena_array(problem->arena, level->residents.count, sizeof(void *));
  return level->chosen != NULL;
}

void dsm__preload_level_fini(dsm__preload_level *level) {
  dsm__residents_fini(&level->residents);
  dsm__variants_fini(&level->variants);
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
