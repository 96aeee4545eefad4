/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve.c: the fastest mapping with data and model: what is held, factors, short memory and what is
 * preloaded, one around the other. */
#include "search/problem.h"

#include <math.h>

#include "model/equations.h"
#include "plan/tolerance.h"
#include "search/graph/graph.h"

static bool may_hold(const dsm__problem *problem) {
  return dsm__may_choose(problem->inputs.options, DSM__CHOICE_OUTPUT) &&
         problem->lives.is_any_holdable;
}

static dsm__graph_request request_of(const dsm__problem *problem, const dsm__factors *factors) {
  return (dsm__graph_request){
      .table = &problem->table,
      .factors = factors,
      .groups = &problem->found->groups,
      .explained_layer = SIZE_MAX,
  };
}

static bool build(const dsm__problem *problem, const dsm__graph_request *request,
                  dsm__network_graph *network) {
  const bool is_built = dsm__network_graph_build(network, request, problem->arena);
  network->graph.capacity_bytes = problem->capacity_bytes;
  network->graph.cost_limit = problem->cost_limit;
  network->graph.deadline = problem->inputs.deadline;
  network->graph.is_case = problem->cost_limit > 0;
  problem->found->evaluations += network->evaluations;
  dsm__deadline_add_work(problem->inputs.deadline, DSM__WORK_OF_SCORE * network->evaluations);
  return is_built;
}

/*
 * Where holding can pay: states of the relaxed graph through which a path is no slower than
 * `limit`, the cost of a mapping that fits the memory. Every mapping that holds something is a
 * path of the relaxed graph with the same parallelisms and factors, and is no slower there: what it
 * holds is held there too, nothing is written later for it, it takes no room and moves nowhere
 * among the cores, so no invocation moves more, and the order of fetching is the best that the
 * whole scratchpad allows. So a mapping that is faster than the limit, or equal to it, passes
 * through such states only.
 */
static bool find_worthwhile(const dsm__problem *problem, const dsm__factors *factors, double limit,
                            uint64_t *worthwhile, bool *is_any, double *bound) {
  dsm__network_graph relaxed;
  dsm__graph_request request = request_of(problem, factors);
  request.lives = &problem->lives;
  request.is_relaxed = true;
  if (!build(problem, &request, &relaxed)) {
    return false;
  }
  const size_t count = relaxed.graph.node_count;
  double *const rest = dsm__arena_array(problem->arena, count, sizeof *rest);
  double *const before = dsm__arena_array(problem->arena, count, sizeof *before);
  if (rest == NULL || before == NULL) {
    return false;
  }
  dsm__graph_rest(&relaxed.graph, rest);
  dsm__graph_before(&relaxed.graph, before);
  *bound = rest[0];
  *is_any = false;
  for (size_t v = 0; v < count; v++) {
    const dsm__node_info *const info = &relaxed.infos[v];
    if (info->kind == DSM__NODE_HELD &&
        (problem->is_bounding_off || before[v] + rest[v] <= dsm__tie_limit(limit))) {
      worthwhile[(size_t)info->layer * DSM_PARALLELISM_COUNT + info->forward] |=
          (uint64_t)1 << info->factor_index;
      *is_any = true;
    }
  }
  return true;
}

bool dsm__problem_search(const dsm__problem *problem, dsm__solution *solution) {
  const bool is_searched = dsm__graph_search(&solution->network.graph, problem->arena,
                                             &solution->path, &solution->answer);
  problem->found->is_memory_short =
      problem->found->is_memory_short || (is_searched && solution->answer.is_memory_short);
  return is_searched;
}

/* Keeps a bound of all mappings without preloading, found while there was time: of each uniform
 * factor there would be one, and groups that need less memory may be faster where that is short. */
static void keep_bound(const dsm__problem *problem, double bound) {
  const bool is_of_all = !problem->factors.is_uniform && !problem->found->is_memory_short;
  if (is_of_all && !dsm__problem_is_over(problem)) {
    problem->found->proven_cost = fmax(problem->found->proven_cost, bound);
  }
}

/*
 * Better or not: what can be held. The graph without holding and its answer are in *solution, and
 * stay there if memory makes exactness too dear and nothing better is found.
 *
 * The graph without holding comes first and is small. Its answer is a mapping, which bounds where
 * holding can pay (find_worthwhile); without it the graph of what is held could be larger than
 * memory. With layouts that graph is searched as if nothing moved, which bounds the answer from
 * below, and then laid out (layout_solve.c). On a tie its answer is taken: it has all mappings, so
 * that the order of its edges decides between them.
 */
static bool solve_holding(const dsm__problem *problem, dsm__solution *solution) {
  const size_t boundaries = problem->inputs.workload->layer_count + 1;
  uint64_t *const worthwhile =
      dsm__arena_array(problem->arena, boundaries * DSM_PARALLELISM_COUNT, sizeof *worthwhile);
  bool is_any = false;
  double bound = 0;
  if (worthwhile == NULL || !find_worthwhile(problem, &solution->factors, solution->answer.cost,
                                             worthwhile, &is_any, &bound)) {
    return false;
  }
  keep_bound(problem, bound);
  if (!is_any || dsm__problem_is_over(problem)) {
    return true;
  }
  dsm__graph_request request = request_of(problem, &solution->factors);
  request.lives = &problem->lives;
  request.worthwhile = worthwhile;
  request.is_merging_off = problem->is_bounding_off;
  dsm__solution held = {.factors = solution->factors};
  if (!build(problem, &request, &held.network)) {
    return false;
  }
  if (dsm__problem_is_over(problem)) {
    return true;
  }
  if (!dsm__problem_search(problem, &held)) {
    return false;
  }
  if (!held.network.is_cut) {
    keep_bound(problem, fmin(held.answer.lower_bound, solution->answer.cost));
  }
  if (dsm__has_layouts(problem->machine.system) &&
      !dsm__layout_solve(problem, solution->answer.cost, &held)) {
    return false;
  }
  if (held.network.is_cut) {
    held.answer.lower_bound = fmin(held.answer.lower_bound, bound);
  }
  if (held.answer.cost <= dsm__tie_limit(solution->answer.cost)) {
    *solution = held;
  } else {
    solution->answer.lower_bound = held.answer.lower_bound;
  }
  return true;
}

/* With the uniform factor that *solution has, if any. */
static bool solve_with_factors(const dsm__problem *problem, dsm__solution *solution) {
  dsm__layer_table_choose(&problem->table, &solution->factors);
  const dsm__graph_request request = request_of(problem, &solution->factors);
  if (!build(problem, &request, &solution->network) || !dsm__problem_search(problem, solution)) {
    return false;
  }
  return !solution->answer.is_feasible || !may_hold(problem) || dsm__problem_is_over(problem) ||
         solve_holding(problem, solution);
}

/*
 * A group's time has an ideal too: no mapping that uses one that was left out is faster than all
 * layers at their ideal. Grouped convolutions can seem faster than that (docs/model.md).
 *
 * No core does more than its peak, in a pipeline or not, so that the sum of ideals is a bound of
 * any mapping; layers of a pipeline run at the same time, but on shares of the chips. Grouped
 * convolutions are left out, which only makes the bound lower. So does the energy.
 */
static double ideal_bound(const dsm__problem *problem) {
  const dsm_workload *const workload = problem->inputs.workload;
  const dsm__search_inputs *const inputs = &problem->inputs;
  double cycles = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    for (int p = 0; layer->groups == 1 && p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(layer, problem->inputs.options->mode, (dsm_pass)p)) {
        const double rate = dsm__pass_array_rate(layer, problem->machine.system, &inputs->precision,
                                                 inputs->options->mode, (dsm_pass)p);
        cycles +=
            dsm_ideal_cycles(layer, &problem->machine, rate, (dsm_pass)p, workload->minibatch);
      }
    }
  }
  const dsm__cost cost = {.micro = problem->machine.weights.cycles * cycles};
  return dsm__price(&inputs->prices, &cost);
}

/* What no way to run a layer for inference undercuts, whatever is held and preloaded: the fastest
 * with all of it on chip and the whole scratchpad beside it. More on chip never makes an invocation
 * slower (section 10). */
static double free_cycles(const dsm__problem *problem, const dsm_layer *layer) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_parallelism_set allowed = dsm__search_parallelisms(inputs, layer);
  const unsigned factor_count = layer->timesteps == 1 ? problem->factors.count : 1;
  double least = HUGE_VAL;
  for (unsigned p = 0; p < problem->machine.parallelism_count; p++) {
    for (unsigned f = 0; (allowed & DSM_PARALLELISM_BIT(p)) != 0 && f < factor_count; f++) {
      dsm__layer_setting setting = dsm__open_setting(inputs, layer, dsm__factor_of(f));
      setting.preloaded_bytes = 0;
      setting.resident_fraction = 1;
      setting.holding = (dsm__holding){.is_input_held = true,
                                       .is_output_held = true,
                                       .is_shortcut_held = true,
                                       .is_moving_free = true};
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, DSM_PASS_FORWARD, (dsm_parallelism)p, false, &problem->table.splits);
      least = fmin(least, best.cycles);
    }
  }
  return least;
}

/* No mapping with preloaded weights is faster than all layers by themselves with everything on
 * chip; nor, where layers may be pipelined, than the ideal. */
static double preloading_bound(const dsm__problem *problem) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  const dsm_workload *const workload = problem->inputs.workload;
  if (problem->found->groups.count > 0 || !problem->found->groups.is_complete) {
    return ideal_bound(problem);
  }
  double *const free = dsm__arena_array(problem->arena, distinct->count, sizeof *free);
  double cycles = 0;
  for (size_t i = 0; free != NULL && i < workload->layer_count; i++) {
    double *const of_class = &free[distinct->class_of[i]];
    *of_class = *of_class > 0 ? *of_class : free_cycles(problem, &workload->layers[i]);
    cycles += *of_class;
  }
  return fmax(cycles, ideal_bound(problem));
}

/*
 * The fastest path of a relaxed graph in which groups have their bounds.
 *
 * Groups have their bounds here and holding is free, so that every mapping of the space, also those
 * that were not found, is no faster than the shortest path.
 */
static bool relaxed_bound(const dsm__problem *problem, const dsm__factors *factors, double *bound) {
  dsm__network_graph relaxed;
  dsm__graph_request request = request_of(problem, factors);
  request.has_group_bounds = true;
  if (may_hold(problem)) {
    request.lives = &problem->lives;
    request.is_relaxed = true;
  }
  if (!build(problem, &request, &relaxed)) {
    return false;
  }
  double *const rest = dsm__arena_array(problem->arena, relaxed.graph.node_count, sizeof *rest);
  if (rest == NULL) {
    return false;
  }
  dsm__graph_rest(&relaxed.graph, rest);
  *bound = rest[0];
  return true;
}

/* Lowers the bound of an answer where groups are missing, or not at their best. */
static bool bound_groups(const dsm__problem *problem, dsm__solution *solution) {
  const dsm__pipeline_groups *const groups = &problem->found->groups;
  if (groups->is_complete && groups->is_exact) {
    return true;
  }
  double bound = ideal_bound(problem);
  const bool has_preload = dsm__may_choose(problem->inputs.options, DSM__CHOICE_PRELOADED);
  if (groups->is_complete && !has_preload && !dsm__problem_is_over(problem) &&
      !problem->factors.is_uniform && !relaxed_bound(problem, &solution->factors, &bound)) {
    return false;
  }
  solution->answer.lower_bound = fmin(solution->answer.lower_bound, bound);
  return true;
}

/* Is it faster, or as fast and holds more where that is preferred? */
static bool is_better(const dsm__solution *other, const dsm__solution *than) {
  if (other->answer.cost > dsm__tie_limit(than->answer.cost)) {
    return false;
  }
  return dsm__tie_limit(other->answer.cost) < than->answer.cost ||
         dsm__graph_sum(&other->network.graph, &other->path).counted >
             dsm__graph_sum(&than->network.graph, &than->path).counted;
}

static bool is_preloading(const dsm__problem *problem) {
  return dsm__may_choose(problem->inputs.options, DSM__CHOICE_PRELOADED) &&
         !problem->is_preloading_off;
}

/* With preloading, where there is time for it. What the search without it was cut off from, or with
 * it was not begun, is bounded by the ideal, and by what was proven before. */
static bool go_on_preloading(const dsm__problem *problem, dsm__solution *solution) {
  dsm__graph_answer *const answer = &solution->answer;
  if (dsm__problem_is_over(problem)) {
    answer->lower_bound = is_preloading(problem)
                              ? preloading_bound(problem)
                              : fmax(ideal_bound(problem), problem->found->proven_cost);
    return true;
  }
  if (!is_preloading(problem) || !answer->is_feasible) {
    return true;
  }
  if (!dsm__problem_solve_preload(problem, solution)) {
    return false;
  }
  if (dsm__problem_is_over(problem)) {
    answer->lower_bound = fmin(answer->cost, fmax(answer->lower_bound, preloading_bound(problem)));
  }
  return true;
}

/*
 * Without preloading.
 *
 * With one factor for all convolutions each factor is a problem of its own. The answer is the best
 * of all, and the bound the least of all bounds: some mapping of the space might have any of them.
 */
static bool solve_all_factors(const dsm__problem *problem, dsm__solution *solution) {
  *solution = (dsm__solution){.factors = problem->factors};
  if (!solve_with_factors(problem, solution)) {
    return false;
  }
  for (unsigned f = 1;
       problem->factors.is_uniform && f < problem->factors.count && !dsm__problem_is_over(problem);
       f++) {
    dsm__solution other = {.factors = problem->factors};
    other.factors.conv_index = f;
    if (!solve_with_factors(problem, &other)) {
      return false;
    }
    const double bound = fmin(solution->answer.lower_bound, other.answer.lower_bound);
    if (is_better(&other, solution)) {
      *solution = other;
    }
    solution->answer.lower_bound = bound;
  }
  return true;
}

/*
 * With mappings of groups that need less memory than their fastest. As long as the fastest path of
 * each graph fits, none of these can be better. Where the time is over before all is done, the
 * better answer counts.
 *
 * A group has one mapping in the graph as long as memory is not short: its fastest. Once some
 * graph's fastest path does not fit, a slower mapping of a group that needs less may be on the best
 * path that does, so that the groups are found again with all that no other is as fast and as small
 * as (pipeline_front.c).
 */
static bool solve_in_short_memory(const dsm__problem *problem, dsm__solution *solution) {
  const dsm__pipeline_groups fastest = problem->found->groups;
  dsm__solution other = {.answer = {.is_feasible = false}};
  problem->found->evaluations += problem->found->groups.evaluations;
  if (!dsm__pipeline_groups_find(&problem->found->groups, &problem->table, true,
                                 problem->lasting) ||
      (!dsm__problem_is_over(problem) && !solve_all_factors(problem, &other))) {
    return false;
  }
  if (dsm__problem_is_over(problem) &&
      (!other.answer.is_feasible ||
       (solution->answer.is_feasible && other.answer.cost > solution->answer.cost))) {
    problem->found->groups = fastest;
  } else {
    *solution = other;
  }
  return true;
}

bool dsm__problem_solve(const dsm__problem *problem, dsm__solution *solution) {
  problem->found->is_memory_short = false;
  if (!solve_all_factors(problem, solution) ||
      (problem->found->is_memory_short && problem->found->groups.count > 0 &&
       !dsm__problem_is_over(problem) && !solve_in_short_memory(problem, solution))) {
    return false;
  }
  if (!go_on_preloading(problem, solution)) {
    return false;
  }
  if (problem->factors.is_uniform) {
    dsm__layer_table_choose(&problem->table, &solution->factors);
  }
  return bound_groups(problem, solution);
}

bool dsm__problem_explain(const dsm__problem *problem, const dsm__factors *factors,
                          size_t layer_index, dsm__network_graph *network) {
  dsm__layer_table all = problem->table;
  all.are_alike_kept = true;
  dsm__layer_table_choose(&all, factors);
  dsm__graph_request request = request_of(problem, factors);
  request.explained_layer = layer_index;
  if (may_hold(problem)) {
    request.lives = &problem->lives;
  }
  return build(problem, &request, network);
}
