/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_search.c: the fastest path through a graph of roles (role_graph.h), in growing ones. */
#include "search/roles/role_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "plan/keeping.h"
#include "plan/role_rules.h"
#include "plan/segment.h"
#include "plan/tolerance.h"
#include "search/roles/held_search.h"
#include "search/roles/role_graph.h"

bool dsm__problem_has_roles(const dsm__problem *problem) {
  return dsm__may_have_roles(problem->inputs.options) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_ACCUMULATE) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_SHARD) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_RECOMPUTE) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_STAGES);
}

/* What a path decides of a layer with an option. */
static void decide_layer(const dsm__role_space *space, size_t index, size_t option_index,
                         dsm__layer_decision *decision) {
  const dsm__problem *const problem = space->problem;
  const dsm_layer *const layer = &problem->inputs.workload->layers[index];
  const dsm__role_option *const option = &dsm__role_options_of(space, index)->items[option_index];
  *decision = (dsm__layer_decision){
      .layouts = dsm_pass_layouts_uniform(option->parallelism),
      .layer = {.dysm_factor = layer->timesteps == 1 ? dsm__factor_of(option->factor_index) : 1,
                .shard = option->shard,
                .is_recomputed = option->is_recomputed},
  };
  dsm__layer_setting setting = dsm__run_setting(&problem->inputs, layer, option->factor_index);
  setting.gathered_before = option->shared;
  setting.summed_later = option->shared;
  setting.is_recomputed = option->is_recomputed;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, (dsm_pass)p, option->parallelism,
          dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_REUSE), &problem->table.splits);
      decision->is_kernel_kept[p] = best.is_kernel_kept;
      memcpy(decision->splits[p], best.splits, sizeof best.splits);
    }
  }
}

static bool decide(const dsm__role_space *space, const dsm__network_graph *network,
                   const dsm__graph_path *path, dsm__decisions *decisions) {
  dsm__problem *const problem = space->problem;
  dsm__layer_decision *layers = NULL;
  if (!DSM__RESERVE(problem->arena, layers, problem->inputs.workload->layer_count)) {
    return false;
  }
  dsm__graph_place at = dsm__graph_start(&network->graph);
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = dsm__graph_edge_at(&network->graph, at, path->edges[i]);
    const dsm__node_info *const info = &network->infos[at.node];
    if (info->kind == DSM__NODE_ENTRY) {
      const size_t index = info->layer + at.run.layers;
      decide_layer(space, index, edge->tag, &layers[index]);
    }
    at = dsm__graph_behind(&network->graph, at, edge);
  }
  *decisions = (dsm__decisions){.layers = layers, .micro_batches = problem->inputs.micro_batches};
  return true;
}

static bool find_options(dsm__role_space *space, bool may_recompute) {
  const dsm__distinct *const distinct = &space->problem->table.distinct;
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  dsm__role_options *const options =
      dsm__arena_array(space->problem->arena, 2 * distinct->count, sizeof *options);
  double *const least = dsm__arena_array(space->problem->arena, layer_count, sizeof *least);
  size_t *const rows = dsm__arena_array(space->problem->arena, layer_count, sizeof *rows);
  bool *const ends = dsm__arena_array(space->problem->arena, layer_count, sizeof *ends);
  const bool *const is_cut = space->problem->inputs.is_cut;
  dsm__segment_walk walk = dsm__segments_begin(space->problem->inputs.workload);
  if (options == NULL || least == NULL || rows == NULL || ends == NULL) {
    return false;
  }
  space->options = options;
  space->least = least;
  for (size_t i = 0; i < layer_count; i++) {
    dsm__role_options *const own = &options[dsm__role_options_of(space, i) - options];
    if (own->items == NULL) {
      *own = dsm__role_options_find(space->problem, i, may_recompute);
    }
    if (own->items == NULL) {
      return false;
    }
    const bool is_last = dsm__segment_ends(&walk, i) && i + 1 < layer_count;
    ends[i] = is_cut != NULL ? is_cut[i] : is_last;
    rows[i] = (size_t)(own - options);
    least[i] = HUGE_VAL;
    space->most_options = own->count > space->most_options ? own->count : space->most_options;
    for (size_t o = 0; o < own->count; o++) {
      least[i] = dsm__is_role_open(space, i, own->items[o].parallelism)
                     ? fmin(least[i], own->items[o].cycles)
                     : least[i];
    }
  }
  const size_t other = space->problem->fixed == NULL ? SIZE_MAX : space->problem->fixed->layer;
  space->layers = dsm__role_layers_find(space->problem->inputs.workload, rows, ends, other,
                                        space->problem->arena);
  return space->layers != NULL;
}

bool dsm__role_outlook_find(dsm__problem *problem, dsm__role_outlook *outlook,
                            dsm_layer_memory *memory) {
  const double times =
      problem->inputs.micro_batches > 0 ? (double)problem->inputs.micro_batches : 1;
  dsm__role_space space = {.problem = problem};
  *outlook = (dsm__role_outlook){0, 0};
  if (!find_options(&space, dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_RECOMPUTE))) {
    return false;
  }
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    const dsm__role_options *const options = dsm__role_options_of(&space, i);
    double least = HUGE_VAL;
    double kept = HUGE_VAL;
    for (size_t o = 0; o < options->count; o++) {
      least = fmin(least, (options->items[o].cycles - options->items[o].once_cycles) / times);
    }
    const size_t first = space.layers[i].kind;
    for (size_t o = 0; o < options->whole_count && first == i; o++) {
      const dsm_layer_memory own = dsm__role_memory_of(&space, i, o);
      if (dsm__kept_bytes(&own) < kept) {
        kept = dsm__kept_bytes(&own);
        memory[i] = own;
      }
    }
    memory[i] = memory[first];
    outlook->cycles += space.least[i];
    outlook->micro_cycles += least;
  }
  return true;
}

/* What all mappings need at least: each layer keeps the least of all its options, and the largest
 * need of a layer while it runs is not less than the least of any. False if out of memory. */
static bool least_need_bytes(const dsm__role_space *space, double *need_bytes) {
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  double kept = 0;
  double transient = 0;
  double *least_kept = NULL;
  if (!DSM__RESERVE(space->problem->arena, least_kept, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    const size_t first = space->layers[i].kind;
    double least_transient = HUGE_VAL;
    least_kept[i] = first < i ? least_kept[first] : HUGE_VAL;
    for (size_t o = 0; o < dsm__role_options_of(space, i)->whole_count && first == i; o++) {
      const dsm_layer_memory memory = dsm__role_memory_of(space, i, o);
      least_kept[i] = fmin(least_kept[i], dsm__kept_bytes(&memory));
      least_transient = fmin(least_transient, memory.transient_bytes);
    }
    kept += least_kept[i];
    transient = first == i ? fmax(transient, least_transient) : transient;
  }
  *need_bytes = kept + transient;
  return true;
}

/* One graph of the options that the slack leaves. */
static bool search_graph(dsm__role_space *space, dsm__graph_answer *answer,
                         dsm__decisions *decisions) {
  dsm__network_graph network = {.is_cut = false};
  dsm__graph_path path;
  *answer = (dsm__graph_answer){.cycles = HUGE_VAL, .lower_bound_cycles = HUGE_VAL};
  dsm__arena *const arena = dsm__arena_new();
  bool is_good = arena != NULL && dsm__role_graph_build(space, arena, &network);
  if (is_good && network.graph.nodes != NULL && dsm__graph_edge_count(&network.graph) > 0) {
    is_good = dsm__graph_search(&network.graph, arena, &path, answer) &&
              decide(space, &network, &path, decisions);
  }
  dsm__arena_free(arena);
  return is_good;
}

/* Puts the answers with what is made anew rounded up and down together. */
static void join_rounded(dsm__role_space *space, const dsm__graph_answer *down,
                         dsm__graph_answer *answer) {
  const double least = space->is_too_large ? 0 : down->lower_bound_cycles;
  if (!answer->is_feasible && !space->is_too_large && !down->is_feasible) {
    *answer = *down; /* then it is proven that none fits */
    return;
  }
  space->problem->is_need_rounded = space->problem->is_need_rounded || !answer->is_feasible;
  answer->lower_bound_cycles = fmin(answer->lower_bound_cycles, least);
}

/* The options that a slack leaves; with larger and larger grains where there are too many states.
 */
static bool search_within(dsm__role_space *space, double slack, dsm__graph_answer *answer,
                          dsm__decisions *decisions) {
  static const double grains = 256; /* in the memory, at first */
  static const double growth = 8;
  space->slack = slack;
  space->grain = 0;
  if (!search_graph(space, answer, decisions)) {
    return false;
  }
  double grain = exp2(ceil(log2(fmax(1, space->problem->capacity_bytes / grains))));
  const double last = growth * space->problem->capacity_bytes; /* more than can be made anew */
  while (space->is_too_large && grain <= last &&
         !dsm__deadline_is_final(space->problem->inputs.deadline)) {
    space->grain = grain;
    space->is_up = true;
    if (!search_graph(space, answer, decisions)) {
      return false;
    }
    if (!space->is_too_large) {
      dsm__graph_answer down;
      dsm__decisions others;
      space->is_up = false;
      if (!search_graph(space, &down, &others)) {
        return false;
      }
      join_rounded(space, &down, answer);
      return true;
    }
    grain *= growth;
  }
  if (space->is_too_large) { /* nothing is known */
    space->problem->is_need_rounded = true;
    answer->lower_bound_cycles = 0;
  }
  return true;
}

/*
 * A small slack first: a path that it leaves and that is not over it is the fastest of all, since
 * what is left out is on no faster one. A path that is over it says how much slack is enough.
 */
bool dsm__role_search(dsm__problem *problem, bool may_recompute, double limit_cycles,
                      dsm__graph_answer *answer, dsm__decisions *decisions) {
  static const double first_share = 0.05; /* of what all layers take at least */
  static const double growth = 8;
  dsm__role_space space = {.problem = problem, .may_recompute = may_recompute};
  *answer = (dsm__graph_answer){.cycles = HUGE_VAL, .lower_bound_cycles = HUGE_VAL};
  if (!find_options(&space, may_recompute) ||
      !least_need_bytes(&space, &answer->smallest_need_bytes)) {
    return false;
  }
  if (answer->smallest_need_bytes > dsm__capacity_limit(problem->capacity_bytes)) {
    return true; /* no graph has a path that fits */
  }
  double least = 0;
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    least += space.least[i];
  }
  const double most = fmin(dsm__tie_limit(limit_cycles) - least, DBL_MAX);
  double slack = fmin(most, first_share * least);
  while (slack >= 0 && isfinite(least)) {
    if (!search_within(&space, slack, answer, decisions)) {
      return false;
    }
    const double over = dsm__tie_limit(answer->cycles) - least;
    if (slack >= most || (answer->is_feasible && over <= slack)) {
      break;
    }
    if (answer->is_feasible ? dsm__problem_is_over(problem)
                            : dsm__deadline_is_final(problem->inputs.deadline)) {
      /* What the slack leaves out takes at least so much more. */
      answer->lower_bound_cycles = fmin(answer->lower_bound_cycles, least + slack);
      break;
    }
    /* Where much more time makes nothing fit, all options are asked at once. */
    const double more = slack > least ? most : growth * slack;
    slack = fmin(most, answer->is_feasible ? over : more);
  }
  return may_recompute || !dsm__held_roles_are_searched(problem) ||
         dsm__held_role_search(&space, limit_cycles, answer, decisions);
}
