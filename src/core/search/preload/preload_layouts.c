/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_layouts.c: layouts of a mapping with preloaded weights.
 *
 * Layouts are taken from two sides: those that are best while no weights are on chip, and those in
 * which least moves with the core splits that the mapping has where nothing moves. With either, the
 * room is given out, which chooses core splits; and these choose layouts again, in which no more
 * moves. That goes on while it helps.
 *
 * Costs fall from round to round, since each keeps the best of both halves, and there are finitely
 * many layouts and splits; ROUNDS_MAX ends what would still creep. As not all layouts of all
 * mappings are tried, the answer can be above the bound, which is of mappings in which nothing held
 * moves (docs/model.md, section 13).
 */
#include "search/preload/preload_candidates.h"

#include <math.h>
#include <string.h>

/* States of a node while a path is laid out, and rounds. */
enum { STATES = 64, ROUNDS_MAX = 4 };

void dsm__preload_decide_steps(const dsm__preload_level *level, const dsm__preload_mapping *mapping,
                               bool are_all, dsm__layer_decision *layers) {
  for (size_t i = 0; i < mapping->step_count; i++) {
    const dsm__preload_step *const step = &mapping->steps[i];
    dsm__layer_decision *const layer = &layers[step->layer];
    if (are_all || step->how.bytes > 0) {
      layer->layer.weights_on_chip = step->how.fraction;
      layer->is_kernel_kept[DSM_PASS_FORWARD] = step->how.is_kernel_kept;
      layer->splits[DSM_PASS_FORWARD][0] = level->problem.table.splits.items[step->how.split];
      layer->splits[DSM_PASS_FORWARD][1] = level->runs.items[step->run].of->steady_split;
    }
  }
}

/* The decisions along a path, at its best layouts while no weights are on chip. */
static bool decide_path(dsm__preload_level *level, const dsm__graph_path *path,
                        dsm__decisions *decisions) {
  const dsm__problem *const problem = &level->problem;
  const dsm__graph *const graph = &level->network.graph;
  unsigned char *const is_edge_in =
      dsm__arena_array(problem->arena, dsm__graph_edge_count(graph), 1);
  if (is_edge_in == NULL) {
    return false;
  }
  for (size_t i = 0; i < path->length; i++) {
    is_edge_in[path->edges[i]] = 1;
  }
  const dsm__layout_request request =
      dsm__layout_request_of(problem, &level->network, is_edge_in, HUGE_VAL, STATES);
  dsm__layout_graph made;
  dsm__graph_path laid_out;
  dsm__graph_answer answer;
  if (!dsm__layout_graph_build(&made, &request, problem->arena)) {
    return false;
  }
  problem->found->evaluations += made.network.evaluations;
  made.network.graph.capacity_bytes = HUGE_VAL; /* the path was found to fit */
  return dsm__graph_search(&made.network.graph, problem->arena, &laid_out, &answer) &&
         dsm__problem_decide(problem, &made.network, &laid_out, decisions);
}

/* ---- a round ---- */

/* Runs of the layers on a path of a level, with the layouts of decisions. */
static bool find_runs(dsm__preload_laid *laid, const dsm__preload_level *of,
                      const dsm__graph_path *path, const dsm__decisions *decisions) {
  dsm__preload_level *const level = &laid->level;
  const dsm__problem *const problem = &level->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  dsm__holding *const holdings =
      dsm__arena_array(problem->arena, workload->layer_count, sizeof *holdings);
  size_t node = 0;
  if (holdings == NULL ||
      !dsm__holdings_derive(workload, &problem->machine, decisions, holdings, problem->arena)) {
    return false;
  }
  for (size_t i = 0; i < path->length; i++) {
    const size_t edge = path->edges[i];
    const dsm__node_info *const info = &level->network.infos[node];
    if (of->run_of[edge] != SIZE_MAX) {
      const dsm__resident_query query = dsm__resident_query_of(
          &problem->table, info, level->network.edges[edge].tag, &holdings[info->layer]);
      dsm__resident_place unused;
      level->run_of[edge] = dsm__residents_add(&laid->residents, &query, &unused);
      if (level->run_of[edge] == SIZE_MAX) {
        return false;
      }
    }
    node = level->network.edges[edge].to;
  }
  const bool is_scored = dsm__preload_level_number(level, &laid->residents);
  problem->found->evaluations += laid->residents.evaluations;
  return is_scored;
}

/* Gives out the room with the layouts of decisions, whose splits then are those of the answer. */
static bool run_round(dsm__preload_laid *laid, dsm__preload_level *level,
                      const dsm__preload_mapping *mapping, dsm__layer_decision *layers) {
  dsm__arena *const arena = level->problem.arena;
  const size_t edge_count = dsm__graph_edge_count(&level->network.graph);
  laid->level = *level;
  laid->level.runs = (dsm__preload_runs){.count = 0};
  if (!DSM__RESERVE(arena, laid->level.run_of, edge_count) ||
      !dsm__residents_init(&laid->residents, &level->problem.table)) {
    return false;
  }
  for (size_t e = 0; e < edge_count; e++) {
    laid->level.run_of[e] = SIZE_MAX;
  }
  if (!find_runs(laid, level, &mapping->path, &laid->decisions) ||
      !dsm__preload_mapping_init(&laid->mapping, &laid->level)) {
    return false;
  }
  const dsm__graph_path *const path = &mapping->path;
  laid->mapping.path.length = path->length;
  memcpy(laid->mapping.path.edges, path->edges, path->length * sizeof path->edges[0]);
  dsm__preload_follow(&laid->level, &laid->mapping);
  dsm__preload_sum(&laid->mapping);
  const bool is_filled = dsm__preload_fill(&laid->level, &laid->mapping);
  dsm__preload_decide_steps(&laid->level, &laid->mapping, true, layers);
  return is_filled &&
         dsm__core_layouts_complete(level->problem.inputs.workload, &level->problem.machine,
                                    level->problem.inputs.options->mode, &laid->decisions, layers,
                                    true, arena);
}

/* ---- all of it ---- */

/* Rounds from given layouts, as long as they help. Keeps the best of them, and of what is there. */
static bool improve(dsm__preload_laid *best, dsm__preload_level *level,
                    const dsm__preload_mapping *mapping, const dsm__decisions *start) {
  const size_t layer_count = level->problem.inputs.workload->layer_count;
  const dsm__layer_decision *layouts = start->layers;
  double before = HUGE_VAL;
  for (int i = 0; i < ROUNDS_MAX; i++) {
    dsm__layer_decision *const layers =
        dsm__arena_array(level->problem.arena, layer_count, sizeof *layers);
    dsm__preload_laid round = {.decisions = *start};
    if (layers == NULL) {
      return false;
    }
    memcpy(layers, layouts, layer_count * sizeof *layers);
    round.decisions.layers = layers;
    const bool is_done = run_round(&round, level, mapping, layers);
    /* Once the time is over runs are not scored. */
    const bool is_scored = is_done && !dsm__problem_is_over(&level->problem);
    const bool is_better = is_scored && round.mapping.cycles < best->mapping.cycles;
    const bool is_going_on = is_scored && round.mapping.cycles < before;
    before = is_done ? round.mapping.cycles : before;
    layouts = layers;
    if (is_better) {
      dsm__preload_laid_fini(best);
      *best = round;
    } else {
      dsm__preload_laid_fini(&round);
    }
    if (!is_done || !is_going_on) {
      return is_done;
    }
  }
  return true;
}

bool dsm__preload_lay_out(dsm__preload_laid *laid, dsm__preload_level *level,
                          const dsm__preload_mapping *mapping) {
  const dsm__problem *const problem = &level->problem;
  const size_t layer_count = problem->inputs.workload->layer_count;
  dsm__decisions unloaded;
  dsm__layer_decision *const layers = dsm__arena_array(problem->arena, layer_count, sizeof *layers);
  *laid = (dsm__preload_laid){.mapping.cycles = HUGE_VAL};
  if (layers == NULL || !decide_path(level, &mapping->path, &unloaded)) {
    return false;
  }
  dsm__decisions unmoved = unloaded;
  memcpy(layers, unloaded.layers, layer_count * sizeof *layers);
  unmoved.layers = layers;
  dsm__preload_decide_steps(level, mapping, true, layers);
  return dsm__core_layouts_complete(problem->inputs.workload, &problem->machine,
                                    problem->inputs.options->mode, &unmoved, layers, true,
                                    problem->arena) &&
         improve(laid, level, mapping, &unloaded) && improve(laid, level, mapping, &unmoved);
}

void dsm__preload_laid_fini(dsm__preload_laid *laid) {
  dsm__residents_fini(&laid->residents);
}
