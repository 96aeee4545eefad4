/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_search.c: which axis is divided into how many stages, for how many micro-batches, where
 * they begin, and the roles of their layers.
 *
 * Cases come in the order of their bounds (stage_cases.c); what is not below the best is left out.
 * A case has the roles of the fastest path through the whole network on the chips of a stage, which
 * know no runs. For each number of runs stages are cut where the slowest is fastest and each fits
 * the memory with its micro-batches in flight. Where none fit, they are cut as if each layer kept
 * as little as it can, and roles are searched again stage by stage within what the stage has left;
 * then that is no longer exact, and the bound, which knows no memory, says how far it can be off.
 */
#include "search/stages/stage_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chip_link.h"
#include "plan/keeping.h"
#include "plan/role_flow.h"
#include "plan/segments.h"
#include "plan/step_stages.h"
#include "plan/tied_tables.h"
#include "plan/tolerance.h"
#include "search/fused.h"
#include "search/roles/role_search.h"
#include "search/stages/stage_cases.h"
#include "search/stages/stage_cuts.h"

/* The least that a step takes of what its segments have it take: they lack relayouts where a stage
 * begins, and stages by themselves may have other roles. What is above the best by that is not
 * predicted; no bound depends on it. */
#define NEARLY 0.99

enum { SMALL_NETWORK = 64 /* layers */ };

typedef struct stage_search {
  dsm__problem *whole;
  const bool *is_cut;
  size_t *segments; /* the first layer of each */
  size_t segment_count;
  double capacity_bytes;
  double best_cycles;
  dsm__decisions *decisions; /* of it */
  bool is_found;
} stage_search;

/* ---- one case ---- */

/* The least of a n S + O over all mappings, or less. */
typedef struct weighed {
  double factor; /* a; 0: nothing is known */
  double cycles;
} weighed;

/* What is known of a case while it is looked at. */
typedef struct looking {
  stage_search *search;
  dsm__stage_case *of;
  weighed low;       /* of the number of runs with which all wait least, */
  weighed high;      /* and most */
  dsm_stages stages; /* with the runs that are tried, and where they begin */
  dsm_workload micro;
  const dsm_machine *machine;
  const dsm__layer_decision *path;
  dsm__layer_decision *parts; /* of stages by themselves */
  bool has_parts;
  dsm__layer_decision *layers; /* that are tried */
  dsm__segment *of_path;       /* its segments */
  dsm__segment *of_least;      /* as if each layer kept as little as it can */
  dsm__segment *of_parts;      /* of stages by themselves */
  dsm_layer_memory *least;     /* of each layer, with one micro-batch in flight */
  size_t *firsts;              /* segments of runs of stages */
  size_t *fitting;             /* likewise, with the roles of the path */
  size_t *first_layers;        /* of these */
  dsm__arena *arena;
} looking;

static size_t segment_end(const stage_search *search, size_t segment) {
  return segment + 1 < search->segment_count ? search->segments[segment + 1]
                                             : search->whole->inputs.workload->layer_count;
}

static dsm_boundary boundary_before(const looking *at, size_t layer) {
  return dsm__boundary_derive(&at->micro.layers[layer - 1], at->machine,
                              at->of->of->problem.inputs.precision, at->micro.minibatch,
                              at->of->of->stages.axis, 1,
                              at->layers[layer - 1].layouts.of[DSM_PASS_FORWARD]);
}

static double input_bytes(const looking *at, size_t layer) {
  return layer == 0 ? dsm_input_memory_bytes(at->machine, &at->micro)
                    : boundary_before(at, layer).bytes;
}

/* What a layer keeps of a micro-batch. */
static dsm_layer_memory memory_of(const looking *at, size_t index) {
  const dsm_layer *const layer = &at->micro.layers[index];
  const dsm__layer_decision *const decision = &at->layers[index];
  dsm_layer_memory memory = dsm_layer_memory_derive(layer, at->machine, &at->micro,
                                                    DSM_MODE_TRAINING, &decision->layouts, 0);
  dsm__keep_less(&memory, dsm__shard_ways(layer, at->machine, &decision->layouts), &decision->layer,
                 at->search->is_cut[index]);
  return memory;
}

/* Takes a layer with its roles, or with the least that it can keep. */
static void add_memory(const looking *at, size_t index, bool is_least, dsm__memory_sum *sum) {
  const dsm_layer_memory memory = is_least ? at->least[index] : memory_of(at, index);
  dsm__memory_sum_add(sum, &memory, at->search->is_cut[index]);
}

/* What segments keep: with their roles, or the least that they can. */
static void fill_memory(const looking *at, bool is_least, dsm__segment *segments) {
  const stage_search *const search = at->search;
  for (size_t s = 0; s < search->segment_count; s++) {
    dsm__segment *const segment = &segments[s];
    dsm__memory_sum sum = {.kept_bytes = 0};
    for (size_t i = search->segments[s]; i < segment_end(search, s); i++) {
      add_memory(at, i, is_least, &sum);
    }
    segment->kept_bytes = sum.kept_bytes;
    segment->activation_bytes = sum.activation_bytes;
    segment->transient_bytes = is_least ? 0 : sum.transient_bytes;
    segment->given_bytes = input_bytes(at, search->segments[s]);
  }
}

/* The times of segments, as the whole network would have them on a stage's chips. */
static bool fill_times(const looking *at, dsm__segment *segments) {
  const stage_search *const search = at->search;
  const dsm__decisions decisions = {.layers = at->layers, .micro_batches = at->of->micro_batches};
  dsm_plan *plan = NULL;
  if (dsm__plan_make(&plan, search->whole->inputs.workload, &at->of->of->part.system,
                     search->whole->inputs.options, &decisions, NULL) != DSM_OK) {
    return false;
  }
  for (size_t s = 0; s < search->segment_count; s++) {
    const size_t first = search->segments[s];
    const dsm__stage_run run = {first, segment_end(search, s)};
    const dsm__stage_cost cost = dsm__stage_cost_of(plan, run);
    segments[s].forward_cycles = cost.forward;
    segments[s].backward_cycles = cost.backward;
    segments[s].once_cycles = cost.once;
    segments[s].given_cycles = 0;
    if (first > 0) {
      const dsm_boundary boundary = boundary_before(at, first);
      segments[s].given_cycles = dsm_group_cycles(at->machine, &boundary.shift) +
                                 dsm_group_cycles(at->machine, &boundary.gather);
    }
  }
  dsm_plan_free(plan);
  return true;
}

/* *cycles: what a step with the cuts takes, as their segments have it; infinite: none fit. */
static bool cut(const looking *at, const dsm__segment *segments, double *cycles) {
  const dsm__cutting cutting = {.segments = segments,
                                .count = at->search->segment_count,
                                .of = dsm__interleaving_of(&at->stages, at->of->micro_batches),
                                .capacity_bytes = at->search->capacity_bytes};
  if (!dsm__segments_cut(&cutting, at->firsts, cycles, at->arena)) {
    return false;
  }
  for (size_t s = 0; isfinite(*cycles) && s < dsm__stage_run_count(&at->stages); s++) {
    at->first_layers[s] = at->search->segments[at->firsts[s]];
  }
  return true;
}

/* Do the roles go together? Those of stages that were searched apart may not. False if out of
 * memory. */
static bool are_good(const looking *at, const dsm__decisions *decisions, bool *is_good) {
  static const dsm_pass passes[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  dsm__role_step *steps = NULL;
  *is_good = true;
  if (!dsm__has_roles(&at->micro, decisions)) {
    return true;
  }
  if (!DSM__RESERVE(at->arena, steps, at->micro.layer_count)) {
    return false;
  }
  for (size_t p = 0; p < DSM__COUNT_OF(passes); p++) {
    if (!dsm__role_steps_derive(&at->micro, at->machine->system, decisions, passes[p], steps,
                                at->arena)) {
      return false;
    }
    for (size_t i = 0; i < at->micro.layer_count; i++) {
      *is_good = *is_good && steps[i].fault == DSM__ROLE_FAULT_NONE;
    }
  }
  return true;
}

/* Keeps a mapping in the arena of the whole search. */
static bool keep(stage_search *search, const dsm__decisions *decisions, double cycles) {
  dsm__arena *const arena = search->whole->arena;
  const size_t count = search->whole->inputs.workload->layer_count;
  dsm__layer_decision *layers = NULL;
  size_t *firsts = NULL;
  if (!DSM__RESERVE(arena, layers, count) ||
      !DSM__RESERVE(arena, firsts, dsm__stage_run_count(&decisions->stages))) {
    return false;
  }
  memcpy(layers, decisions->layers, count * sizeof *layers);
  memcpy(firsts, decisions->stages.first_layers,
         dsm__stage_run_count(&decisions->stages) * sizeof *firsts);
  *search->decisions = *decisions;
  search->decisions->layers = layers;
  search->decisions->stages.first_layers = firsts;
  search->best_cycles = cycles;
  search->is_found = true;
  return true;
}

/* A whole mapping: as it is predicted, if it is good, fits and is the fastest so far. */
static bool judge(const looking *at) {
  stage_search *const search = at->search;
  const dsm__decisions decisions = {
      .layers = at->layers, .micro_batches = at->of->micro_batches, .stages = at->stages};
  dsm_plan *plan = NULL;
  bool is_good = false;
  if (!are_good(at, &decisions, &is_good)) {
    return false;
  }
  if (!is_good) {
    return true;
  }
  if (dsm__plan_make(&plan, search->whole->inputs.workload, search->whole->machine.system,
                     search->whole->inputs.options, &decisions, NULL) != DSM_OK) {
    return false;
  }
  const double cycles = plan->result.step_cycles;
  const bool is_better = dsm__tie_limit(cycles) < search->best_cycles &&
                         plan->result.memory.total_bytes <= search->capacity_bytes;
  dsm_plan_free(plan);
  return !is_better || keep(search, &decisions, cycles);
}

/* ---- stages by themselves ---- */

static const size_t *indices_from(const size_t *of, size_t count, size_t first, dsm__arena *arena) {
  size_t *const made = dsm__arena_array(arena, count + 1, sizeof *made);
  for (size_t i = 0; made != NULL && i < count; i++) {
    const bool is_inside = of[i] != DSM_NETWORK_INPUT && of[i] >= first;
    made[i] = is_inside ? of[i] - first : DSM_NETWORK_INPUT;
  }
  return made;
}

/* The layers of a stage as a network, whose input is what the stage is given. */
static bool take_part(const looking *at, dsm__stage_run run, dsm_workload *part) {
  const size_t count = run.end - run.first;
  dsm_layer *const layers = dsm__arena_array(at->arena, count, sizeof *layers);
  *part = at->micro;
  part->layers = layers;
  part->layer_count = count;
  for (size_t i = 0; layers != NULL && i < count; i++) {
    dsm_layer *const layer = &layers[i];
    const size_t owner = dsm__tie_owner(&at->micro, run.first + i);
    *layer = at->micro.layers[run.first + i];
    layer->producers = indices_from(layer->producers, layer->producer_count, run.first, at->arena);
    layer->shortcuts = indices_from(layer->shortcuts, layer->shortcut_count, run.first, at->arena);
    layer->operands = indices_from(layer->operands, layer->operand_count, run.first, at->arena);
    layer->last_use -= layer->last_use == DSM_NEVER_USED ? 0 : run.first;
    layer->last_operand_use -= layer->last_operand_use == DSM_NEVER_USED ? 0 : run.first;
    layer->is_tied = layer->is_tied && owner >= run.first && owner < run.end;
    if (layer->producers == NULL || layer->shortcuts == NULL || layer->operands == NULL) {
      return false;
    }
  }
  return layers != NULL;
}

/* What a run takes of its stage's memory. */
static double need_of(const looking *at, dsm__stage_run run, double in_flight) {
  dsm__memory_sum sum = {.activation_bytes = input_bytes(at, run.first)};
  for (size_t i = run.first; i < run.end; i++) {
    add_memory(at, i, false, &sum);
  }
  return dsm__memory_sum_bytes(&sum, in_flight);
}

/* The fastest roles of a run within some memory take the place of those of the path. */
static bool search_part(const looking *at, dsm__stage_run run, double in_flight,
                        double capacity_bytes, bool may_recompute, bool *is_found) {
  dsm_workload part;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  if (!take_part(at, run, &part)) {
    return false;
  }
  dsm__problem problem = dsm__stage_case_problem(
      at->of, &part, capacity_bytes - input_bytes(at, run.first) * in_flight, at->arena);
  problem.inputs.in_flight = in_flight;
  problem.inputs.is_cut = at->search->is_cut + run.first;
  problem.table.distinct.class_of += run.first;
  const bool is_searched = /* no stage takes more than the step */
      dsm__role_search(&problem, may_recompute, at->search->best_cycles, &answer, &decisions);
  dsm__stage_case_count(at->of, &problem);
  *is_found = is_searched && answer.is_feasible && isfinite(answer.cycles);
  if (*is_found) {
    memcpy(&at->layers[run.first], decisions.layers, part.layer_count * sizeof at->layers[0]);
  }
  return is_searched;
}

/* The runs of a stage that does not fit have the memory in proportion to what they need. Unless
 * they may, forward passes run again only where nothing fits without. */
static bool search_stage(const looking *at, size_t stage, bool may_recompute, bool *is_found) {
  const dsm_stages *const stages = &at->stages;
  const dsm__problem *const whole = at->search->whole;
  const bool is_asked = may_recompute || dsm__is_any_recomputation_asked(whole);
  const double in_flight = dsm__stage_in_flight(stages, stage, at->of->micro_batches);
  const size_t layer_count = at->micro.layer_count;
  double need = 0;
  for (size_t r = stage; r < dsm__stage_run_count(stages); r += stages->count) {
    need += need_of(at, dsm__stage_run_of(stages, layer_count, r), in_flight);
  }
  for (size_t r = stage;
       *is_found && r < dsm__stage_run_count(stages) && need > at->search->capacity_bytes;
       r += stages->count) {
    const dsm__stage_run run = dsm__stage_run_of(stages, layer_count, r);
    const double capacity = at->search->capacity_bytes * (need_of(at, run, in_flight) / need);
    if (!search_part(at, run, in_flight, capacity, is_asked, is_found) ||
        (!*is_found && !is_asked && dsm__recomputation_is_open(whole) &&
         !search_part(at, run, in_flight, capacity, true, is_found))) {
      return false;
    }
  }
  return true;
}

/* Each stage that does not fit with its roles. Roles of a layer that are asked for are those of a
 * path. */
static bool search_parts(const looking *at, bool may_recompute, bool *is_found) {
  *is_found = at->search->whole->fixed == NULL;
  for (size_t s = 0; *is_found && s < at->stages.count; s++) {
    if (!search_stage(at, s, may_recompute, is_found)) {
      return false;
    }
  }
  return true;
}

/* Takes the layers of the path, and what they come to in segments. */
static bool fill_path(const looking *at) {
  memcpy(at->layers, at->path, at->micro.layer_count * sizeof at->layers[0]);
  fill_memory(at, false, at->of_path);
  if (!fill_times(at, at->of_path)) {
    return false;
  }
  memcpy(at->of_least, at->of_path, at->search->segment_count * sizeof at->of_least[0]);
  fill_memory(at, true, at->of_least);
  return true;
}

/* Is a step worth predicting that takes so long as its segments have it? */
static bool is_promising(const looking *at, double cycles) {
  return cycles * NEARLY < at->search->best_cycles;
}

/* The cuts that are best with some roles. */
static bool try_roles(const looking *at, const dsm__layer_decision *layers,
                      const dsm__segment *segments, double *cycles) {
  memcpy(at->layers, layers, at->micro.layer_count * sizeof at->layers[0]);
  return cut(at, segments, cycles) && (!is_promising(at, *cycles) || judge(at));
}

/* The roles of stages by themselves where they are cut now, and with these where other cuts are
 * more even, unless others are better. */
static bool try_parts_here(looking *at, bool may_recompute) {
  bool is_found = false;
  double cycles;
  memcpy(at->layers, at->path, at->micro.layer_count * sizeof at->layers[0]);
  if (!search_parts(at, may_recompute, &is_found)) {
    return false;
  }
  if (!is_found) {
    return true;
  }
  const double before = at->search->best_cycles;
  if (!judge(at)) {
    return false;
  }
  if (at->has_parts && !(at->search->best_cycles < before)) {
    return true;
  }
  at->has_parts = true;
  memcpy(at->parts, at->layers, at->micro.layer_count * sizeof at->parts[0]);
  fill_memory(at, false, at->of_parts);
  return fill_times(at, at->of_parts) && try_roles(at, at->parts, at->of_parts, &cycles);
}

/* Cuts as if layers kept as little as they can, where these are others than those that fit with the
 * path's roles. In small networks what runs again may also be faster than what fits without. */
static bool try_parts(looking *at, bool fits) {
  const size_t size = dsm__stage_run_count(&at->stages) * sizeof at->firsts[0];
  const dsm__problem *const whole = at->search->whole;
  double least;
  memcpy(at->fitting, at->firsts, size);
  if (!cut(at, at->of_least, &least)) {
    return false;
  }
  if ((fits && memcmp(at->fitting, at->firsts, size) == 0) || !is_promising(at, least)) {
    return true;
  }
  if (!try_parts_here(at, false)) {
    return false;
  }
  if (at->micro.layer_count > SMALL_NETWORK || !dsm__recomputation_is_open(whole)) {
    return true;
  }
  return cut(at, at->of_least, &least) && try_parts_here(at, true);
}

/* Roles of stages by themselves are searched for the fewest runs alone, which keep least. */
static bool try_cuts(looking *at) {
  double cycles;
  if (!try_roles(at, at->path, at->of_path, &cycles)) {
    return false;
  }
  if (at->stages.interleave == at->of->runs_least) {
    return try_parts(at, isfinite(cycles));
  }
  return !at->has_parts || try_roles(at, at->parts, at->of_parts, &cycles);
}

/* ---- bounds ---- */

/* What no step with so many runs is faster than. The least of a n S + O over all mappings grows
 * with a, by no less than n times the least S, and is concave: between two a no less than on the
 * line between both (stage_cases.c). */
static double bound_of_runs(const looking *at, size_t runs) {
  const dsm__stage_case *const of = at->of;
  const weighed *const low = &at->low;
  const weighed *const high = &at->high;
  const double factor = dsm__stage_case_factor(of, runs);
  double least = dsm__stage_case_at_least(of, factor, low->factor, low->cycles);
  if (high->factor > low->factor) {
    const double part = (factor - low->factor) / (high->factor - low->factor);
    least = fmax(least, low->cycles + part * (high->cycles - low->cycles));
  }
  return least / (double)of->of->stages.count + dsm__stage_case_handed(of, runs);
}

/* The least of all numbers of runs. */
static double bound_of_all(const looking *at) {
  double least = HUGE_VAL;
  for (size_t runs = at->of->runs_least; runs <= at->of->runs_most; runs++) {
    least = fmin(least, bound_of_runs(at, runs));
  }
  return least;
}

/* ---- one case ---- */

/* A number of runs, and what no step with them is faster than. */
typedef struct bounded_runs {
  size_t runs;
  double bound;
} bounded_runs;

static int compare_bounded(const void *left, const void *right) {
  const bounded_runs *const a = left;
  const bounded_runs *const b = right;
  return dsm__order_then(dsm__order(a->bound, b->bound), dsm__order_whole(a->runs, b->runs));
}

/* Each number of runs whose bound is below the best: the fewest, which other roles come from, and
 * then those of the least bounds. */
static bool try_runs(looking *at) {
  const dsm__stage_case *const of = at->of;
  const size_t count = of->runs_most - of->runs_least + 1;
  bounded_runs *const each = dsm__arena_array(at->arena, count, sizeof *each);
  at->has_parts = false;
  if (each == NULL || !fill_path(at)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    each[i].runs = of->runs_least + i;
    each[i].bound = bound_of_runs(at, each[i].runs);
  }
  qsort(each + 1, count - 1, sizeof *each, compare_bounded);
  for (size_t i = 0; i < count; i++) {
    if (dsm__tie_limit(each[i].bound) >= at->search->best_cycles ||
        dsm__problem_is_over(at->search->whole)) {
      continue;
    }
    at->stages.interleave = each[i].runs;
    if (!try_cuts(at)) {
      return false;
    }
  }
  return true;
}

/* The path that takes the least of a n S + O up to some limit, and the steps with its roles. What
 * is searched is n S + O / a. */
static bool look_at_path(looking *at, dsm__problem *problem, double limit, weighed *path) {
  const bool is_asked = dsm__is_any_recomputation_asked(problem);
  dsm__graph_answer answer;
  dsm__decisions decisions;
  problem->inputs.once_weight = 1 / path->factor;
  const bool is_searched =
      dsm__role_search(problem, is_asked, limit / path->factor, &answer, &decisions);
  dsm__stage_case_count(at->of, problem);
  if (!is_searched) {
    return false;
  }
  /* None within the limit, or none by the time. */
  const double least = isfinite(answer.cycles) ? HUGE_VAL : fmax(0, limit);
  path->cycles = fmin(least, path->factor * answer.lower_bound_cycles);
  at->path = decisions.layers;
  return !isfinite(answer.cycles) || try_runs(at);
}

/* Is anything below the best left in a case? */
static bool is_open(const looking *at) {
  return dsm__tie_limit(bound_of_all(at)) < at->search->best_cycles;
}

/* With the runs of which all wait least; what takes more than this is in no step that is faster
 * than the best. */
static bool look_at_most_runs(looking *at, dsm__problem *problem, weighed *low) {
  const dsm__stage_case *const of = at->of;
  const double stages = (double)of->of->stages.count;
  double least = HUGE_VAL; /* beside a stage's part of a n S + O */
  low->factor = HUGE_VAL;
  for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
    low->factor = fmin(low->factor, dsm__stage_case_factor(of, runs));
  }
  for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
    const double factor = dsm__stage_case_factor(of, runs);
    least = fmin(least, dsm__stage_case_at_least(of, factor, low->factor, 0) / stages +
                            dsm__stage_case_handed(of, runs));
  }
  return look_at_path(at, problem, stages * (at->search->best_cycles - least), low);
}

/* With the fewest runs, where all wait most: what is once a step, as sums of gradients that are
 * shared out, counts less there beside what each micro-batch takes. */
static bool look_at_fewest_runs(looking *at, dsm__problem *problem, weighed *high) {
  const dsm__stage_case *const of = at->of;
  const double limit = (double)of->of->stages.count *
                       (at->search->best_cycles - dsm__stage_case_handed(of, of->runs_least));
  weighed path = {.factor = dsm__stage_case_factor(of, of->runs_least)};
  if (!is_open(at) || path.factor <= at->low.factor) {
    return true;
  }
  if (!look_at_path(at, problem, limit, &path)) {
    return false;
  }
  *high = path;
  return true;
}

/* What is worse along a path may be better where stages can be cut: the same with fewer options,
 * for each set of some words that are asked for. In large networks, whose stages are mostly equal,
 * that takes long for little. */
static bool look_at_fewer_options(looking *at, dsm__problem *problem) {
  static const dsm_optimization words[] = {DSM_OPTIMIZATION_SHARD, DSM_OPTIMIZATION_TENSOR,
                                           DSM_OPTIMIZATION_SPATIAL};
  const dsm_explore_options *const asked = problem->inputs.options;
  const size_t count = at->micro.layer_count <= SMALL_NETWORK ? DSM__COUNT_OF(words) : 0;
  for (unsigned set = 1; set < 1U << count; set++) {
    dsm_explore_options options = *asked;
    dsm_optimization_set out = 0;
    for (size_t w = 0; w < count; w++) {
      out |= (set >> w & 1U) != 0 ? DSM_OPTIMIZATION_BIT(words[w]) : 0;
    }
    if ((asked->optimizations & out) != out || !is_open(at)) {
      continue;
    }
    weighed own = {.factor = 0}; /* bounds of fewer options say nothing of all */
    options.optimizations &= ~out;
    problem->inputs.options = &options;
    const bool is_done =
        look_at_most_runs(at, problem, &own) && look_at_fewest_runs(at, problem, &own);
    problem->inputs.options = asked;
    if (!is_done) {
      return false;
    }
  }
  return true;
}

/* A case whose bound is below the best. *bound: what none of its steps is faster than. */
static bool look(stage_search *search, dsm__stage_case *of, double *bound) {
  const double unlimited = 1e300;
  const size_t runs = of->of->stages.count * of->runs_most;
  looking at = {.search = search,
                .of = of,
                .stages = of->of->stages,
                .micro = dsm__micro_workload(search->whole->inputs.workload, of->micro_batches),
                .machine = &of->of->problem.machine,
                .arena = dsm__arena_new()};
  dsm__problem problem = dsm__stage_case_problem(of, &at.micro, unlimited, at.arena);
  const bool is_reserved = DSM__RESERVE(at.arena, at.of_path, search->segment_count) &&
                           DSM__RESERVE(at.arena, at.of_least, search->segment_count) &&
                           DSM__RESERVE(at.arena, at.of_parts, search->segment_count) &&
                           DSM__RESERVE(at.arena, at.least, at.micro.layer_count) &&
                           DSM__RESERVE(at.arena, at.firsts, runs) &&
                           DSM__RESERVE(at.arena, at.fitting, runs) &&
                           DSM__RESERVE(at.arena, at.first_layers, runs) &&
                           DSM__RESERVE(at.arena, at.parts, at.micro.layer_count) &&
                           DSM__RESERVE(at.arena, at.layers, at.micro.layer_count);
  at.stages.first_layers = at.first_layers;
  const bool is_good = is_reserved && dsm__role_least_memory(&problem, at.least) &&
                       look_at_most_runs(&at, &problem, &at.low) &&
                       look_at_fewest_runs(&at, &problem, &at.high) &&
                       look_at_fewer_options(&at, &problem);
  *bound = fmax(of->bound, bound_of_all(&at));
  dsm__arena_free(at.arena);
  return is_good;
}

/* ---- all cases ---- */

static bool look_at_all(stage_search *search, const dsm__stage_cases *cases, double *bound) {
  for (size_t i = 0; i < cases->list.count; i++) {
    dsm__stage_case *const one = &cases->list.items[i];
    double own = one->bound;
    if (one->bound < search->best_cycles && dsm__tie_limit(one->bound) < search->best_cycles &&
        !dsm__problem_is_over(search->whole) && !look(search, one, &own)) {
      return false;
    }
    *bound = fmin(*bound, own);
  }
  return true;
}

static bool find_segments(stage_search *search) {
  const dsm_workload *const workload = search->whole->inputs.workload;
  dsm__arena *const arena = search->whole->arena;
  bool *is_cut = NULL;
  if (!dsm__segments_find(workload, arena, &is_cut) ||
      !DSM__RESERVE(arena, search->segments, workload->layer_count)) {
    return false;
  }
  search->is_cut = is_cut;
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (i == 0 || is_cut[i - 1]) {
      search->segments[search->segment_count++] = i;
    }
  }
  return true;
}

bool dsm__stage_search(dsm__problem *problem, double limit_cycles, dsm__graph_answer *answer,
                       dsm__decisions *decisions, double *bound_cycles) {
  stage_search search = {
      .whole = problem,
      .capacity_bytes = dsm__capacity_limit(problem->machine.system->chip.memory.capacity_GB * 1e9),
      .best_cycles = answer->is_feasible ? fmin(answer->cycles, limit_cycles) : limit_cycles,
      .decisions = decisions,
  };
  dsm__stage_cases cases = {.whole = problem};
  *bound_cycles = HUGE_VAL;
  bool is_good = problem->inputs.workload->is_list || find_segments(&search);
  if (is_good && search.segment_count > 0) {
    cases.segments = search.segments;
    cases.segment_count = search.segment_count;
    cases.limit_cycles = search.best_cycles;
    is_good = dsm__stage_cases_find(&cases) && look_at_all(&search, &cases, bound_cycles);
  }
  *bound_cycles = cases.is_cut_short ? 0 : *bound_cycles;
  if (search.is_found) {
    answer->cycles = search.best_cycles;
    answer->is_feasible = true;
  }
  dsm__stage_cases_fini(&cases, &problem->evaluations);
  return is_good;
}
