/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_search.c: which axis is divided into how many stages, for how many micro-batches, where
 * they begin, and the roles of their layers.
 *
 * Cases come in the order of their bounds (stage_cases.c); what is not below the best is left out.
 * A case has the roles of fastest paths through the whole network on the chips of a stage, which
 * know no runs. For each number of runs stages are cut where the slowest is fastest and each fits
 * the memory with its micro-batches in flight. Where none fit, they are cut as if each layer kept
 * as little as it can, and roles are searched again stage by stage within what the stage has left
 * (stage_parts.c); then that is no longer exact, and the bound, which knows of the memory of
 * all stages together alone, says how far it can be off.
 */
#include "search/stages/stage_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plan/named_roles.h"
#include "plan/segments.h"
#include "plan/tolerance.h"
#include "search/roles/role_search.h"
#include "search/stages/stage_bounds.h"
#include "search/stages/stage_look.h"
#include "search/stages/stage_parts.h"

/* The least that a step takes of what its segments have it take: they lack relayouts where a stage
 * begins, and stages by themselves may have other roles. What is above the best by that is not
 * predicted; no bound depends on it. */
#define NEARLY 0.99

enum { SMALL_NETWORK = 64 /* layers */ };

/* Bytes of memory, where none is short. */
static const double unlimited = 1e300;

/* What cuts take grows with the square of the segments: with more of them the time is over when it
 * is, and numbers of micro-batches may fit. */
enum { PATIENT_SEGMENTS = 512 };

/* ---- roles and cuts ---- */

/* Is there time to look at more of what may be good? */
static bool is_small(const dsm__looking *at) {
  return at->micro.layer_count <= SMALL_NETWORK;
}

/* Is the time over? */
static bool is_stopped(const dsm__stages_searched *search) {
  return !search->is_patient || isfinite(search->best_cycles)
             ? dsm__problem_is_over(search->whole)
             : dsm__deadline_is_final(search->whole->inputs.deadline);
}

/* Takes the layers of the path, and what they come to in segments. */
static bool fill_path(const dsm__looking *at) {
  memcpy(at->layers, at->path, at->micro.layer_count * sizeof at->layers[0]);
  dsm__look_fill_memory(at, false, at->of_path);
  if (!dsm__look_fill_times(at, at->of_path)) {
    return false;
  }
  memcpy(at->of_least, at->of_path, at->search->segment_count * sizeof at->of_least[0]);
  dsm__look_fill_memory(at, true, at->of_least);
  return true;
}

/* Is a step worth predicting that takes so long as its segments have it? */
static bool is_promising(const dsm__looking *at, double cycles) {
  return cycles * NEARLY < at->search->best_cycles;
}

/* The cuts that are best with some roles. */
static bool try_roles(const dsm__looking *at, const dsm__layer_decision *layers,
                      const dsm__segment *segments, double *cycles) {
  memcpy(at->layers, layers, at->micro.layer_count * sizeof at->layers[0]);
  return dsm__look_cut(at, segments, at->search->capacity_bytes, cycles) &&
         (!is_promising(at, *cycles) || dsm__look_judge(at));
}

/* Whose roles may come of the fewest. */
static bool has_other_runs(const dsm__looking *at) {
  return at->of->runs_most > at->of->runs_least;
}

/* The roles of stages by themselves where they are cut now, and with these where other cuts are
 * more even, unless others are better. */
static bool try_parts_here(dsm__looking *at, bool may_recompute, bool *is_found) {
  double cycles;
  memcpy(at->layers, at->path, at->micro.layer_count * sizeof at->layers[0]);
  if (!dsm__stage_search_parts(at, may_recompute, is_found)) {
    return false;
  }
  if (!*is_found) {
    return true;
  }
  const double before = at->search->best_cycles;
  if (!dsm__look_judge(at)) {
    return false;
  }
  if (at->has_parts && !(at->search->best_cycles < before)) {
    return true;
  }
  at->has_parts = true;
  memcpy(at->parts, at->layers, at->micro.layer_count * sizeof at->parts[0]);
  dsm__look_fill_memory(at, false, at->of_parts);
  return dsm__look_fill_times(at, at->of_parts) && try_roles(at, at->parts, at->of_parts, &cycles);
}

/* Cuts as if layers kept as little as they can, where these are others than those that fit with the
 * path's roles. In small networks also within less, where nothing is found in all of the memory, as
 * no layer may keep as little as all of them, and with what runs again, which may be faster than
 * what fits without. */
static bool try_parts(dsm__looking *at, bool fits) {
  static const double shares[] = {1, 0.95, 0.9, 0.8, 0.7};
  const size_t size = dsm__stage_run_count(&at->stages) * sizeof at->firsts[0];
  const bool is_open = dsm__recomputation_is_open(at->search->whole);
  bool is_found = false;
  double least;
  memcpy(at->fitting, at->firsts, size);
  for (size_t k = 0; k < (is_small(at) ? DSM__COUNT_OF(shares) : 1) && !is_found; k++) {
    const double capacity_bytes = shares[k] * at->search->capacity_bytes;
    if (!dsm__look_cut(at, at->of_least, capacity_bytes, &least)) {
      return false;
    }
    if ((fits && memcmp(at->fitting, at->firsts, size) == 0) ||
        !(is_promising(at, least) || (is_small(at) && isfinite(least) && has_other_runs(at)))) {
      return true;
    }
    if (!try_parts_here(at, false, &is_found)) {
      return false;
    }
    bool is_again = false;
    if (is_small(at) && is_open &&
        (!dsm__look_cut(at, at->of_least, capacity_bytes, &least) ||
         !try_parts_here(at, true, &is_again))) {
      return false;
    }
    is_found = is_found || is_again;
  }
  return true;
}

/* Roles of stages by themselves are searched for the fewest runs alone, which keep least. */
static bool try_cuts(dsm__looking *at) {
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
static double bound_of_runs(const dsm__looking *at, size_t runs) {
  const dsm__stage_case *const of = at->of;
  const dsm__weighed_path *const low = &at->low;
  const dsm__weighed_path *const high = &at->high;
  const double factor = dsm__stage_case_factor(of, runs);
  double least = dsm__stage_case_at_least(of, factor, low->factor, low->cycles);
  if (high->factor > low->factor) {
    const double part = (factor - low->factor) / (high->factor - low->factor);
    least = fmax(least, low->cycles + part * (high->cycles - low->cycles));
  }
  return fmax(least / (double)of->of->stages.count + dsm__stage_case_handed(of, runs),
              of->bounds[runs - of->runs_least]);
}

/* The least of all numbers of runs. */
static double bound_of_all(const dsm__looking *at) {
  double least = HUGE_VAL;
  for (size_t runs = at->of->runs_least; runs <= at->of->runs_most; runs++) {
    least = fmin(least, bound_of_runs(at, runs));
  }
  return least;
}

/* ---- one case ---- */

/* The rank of a case is its number of runs, so that of equal bounds the fewest come first. */
static dsm__looked look_at_runs(void *context, dsm__open_case *one) {
  dsm__looking *const at = context;
  at->stages.interleave = (size_t)one->rank;
  return try_cuts(at) ? DSM__LOOK_CLOSED : DSM__LOOK_FAILED;
}

static bool are_runs_done(const void *context, double bound) {
  const dsm__stages_searched *const search = ((const dsm__looking *)context)->search;
  return dsm__tie_limit(bound) >= search->best_cycles || is_stopped(search);
}

/* Each number of runs whose bound is below the best: the fewest, which other roles come from (in
 * small networks whatever their bound), and then those of the least bounds. */
static bool try_runs(dsm__looking *at) {
  static const dsm__case_kind runs_kind = {look_at_runs, are_runs_done};
  const dsm__stage_case *const of = at->of;
  const bool is_source = is_small(at) && has_other_runs(at);
  dsm__cases each = dsm__cases_begin(at->arena);
  bool is_good = fill_path(at);
  at->has_parts = false;
  for (size_t runs = of->runs_least; is_good && runs <= of->runs_most; runs++) {
    dsm__open_case one = {bound_of_runs(at, runs), (double)runs};
    const bool is_below = dsm__tie_limit(one.bound) < at->search->best_cycles;
    one.bound = runs == of->runs_least && (is_source || is_below) ? 0 : one.bound;
    is_good = dsm__cases_open(&each, &one, sizeof one) != NULL;
  }
  return is_good && dsm__cases_search(&each, &runs_kind, at);
}

/* The room that the path exceeds most; NULL: it exceeds none. */
static const dsm__role_room *short_room(const dsm__looking *at, const dsm__role_room *rooms) {
  const dsm__role_room *most = NULL;
  double excess = 1;
  dsm__memory_sum sum = {.kept_bytes = 0};
  memcpy(at->layers, at->path, at->micro.layer_count * sizeof at->layers[0]);
  for (size_t i = 0; i < at->micro.layer_count; i++) {
    dsm__look_add_memory(at, i, false, &sum);
  }
  for (size_t r = 0; r < DSM__STAGE_ROOMS; r++) {
    const double share = dsm__memory_sum_bytes(&sum, rooms[r].in_flight) / rooms[r].capacity_bytes;
    most = share > excess ? &rooms[r] : most;
    excess = fmax(excess, share);
  }
  return most;
}

/* Where a path keeps more than all stages together can, one that does not, and a higher bound. In
 * large networks that takes long where layers may be made anew. */
static bool look_within(dsm__looking *at, const dsm__problem *problem, double limit,
                        dsm__weighed_path *path) {
  const bool is_open = dsm__recomputation_is_open(problem);
  const bool is_asked = dsm__is_any_recomputation_asked(problem);
  dsm__role_room rooms[DSM__STAGE_ROOMS];
  dsm__graph_answer answer;
  dsm__decisions decisions;
  dsm__stage_case_rooms(at->of, at->search->capacity_bytes, rooms);
  const dsm__role_room *const room = short_room(at, rooms);
  if (room == NULL || (is_open && !is_small(at))) {
    return true;
  }
  dsm__found found;
  dsm__problem within;
  dsm__case_begin(&within, problem);
  dsm__case_find_apart(&within, &found);
  within.capacity_bytes = room->capacity_bytes;
  within.inputs.in_flight = room->in_flight;
  within.is_case = true;
  within.found->is_need_rounded = false;
  if (!dsm__role_search(&within, is_open || is_asked, limit / path->factor, &answer, &decisions)) {
    return false;
  }
  dsm__stage_case_count(at->of, &within);
  const bool is_found = answer.is_feasible && isfinite(answer.cost);
  if (is_found) {
    path->cycles = fmax(path->cycles, path->factor * answer.lower_bound);
    at->path = decisions.layers;
    return try_runs(at);
  }
  if (!within.found->is_need_rounded && !dsm__problem_is_over(&within)) { /* then it is proven */
    path->cycles = fmax(path->cycles, limit);
  }
  return true;
}

/* The path that takes the least of a n S + O up to some limit, and the steps with its roles. What
 * is searched is n S + O / a, with the whole of O where one stage may have most of it. */
static bool look_at_path(dsm__looking *at, const dsm__problem *problem, double limit,
                         dsm__weighed_path *path) {
  const bool is_asked = dsm__is_any_recomputation_asked(problem);
  dsm__graph_answer answer;
  dsm__decisions decisions;
  dsm__problem weighed;
  dsm__case_begin(&weighed, problem);
  weighed.inputs.prices.once = at->once_share / path->factor;
  const bool is_searched =
      dsm__role_search(&weighed, is_asked, limit / path->factor, &answer, &decisions);
  dsm__stage_case_count(at->of, &weighed);
  if (!is_searched) {
    return false;
  }
  /* None within the limit, or none by the time. */
  const double least = isfinite(answer.cost) ? HUGE_VAL : fmax(0, limit);
  path->cycles = fmin(least, path->factor * answer.lower_bound);
  at->path = decisions.layers;
  return !isfinite(answer.cost) || (try_runs(at) && look_within(at, &weighed, limit, path));
}

/* Is anything below the best left in a case? */
static bool is_open(const dsm__looking *at) {
  return dsm__tie_limit(bound_of_all(at)) < at->search->best_cycles;
}

/* With the runs of which all wait least; what takes more than this is in no step that is faster
 * than the best. */
static bool look_at_most_runs(dsm__looking *at, const dsm__problem *problem,
                              dsm__weighed_path *low) {
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

/* With the fewest runs stages wait longest, so that the time of micro-batches decides: what occurs
 * once a step, such as sums of gradients, matters least there. */
static bool look_at_fewest_runs(dsm__looking *at, const dsm__problem *problem,
                                dsm__weighed_path *high) {
  const dsm__stage_case *const of = at->of;
  const double limit = (double)of->of->stages.count *
                       (at->search->best_cycles - dsm__stage_case_handed(of, of->runs_least));
  dsm__weighed_path path = {.factor = dsm__stage_case_factor(of, of->runs_least)};
  if (!is_open(at) || path.factor <= at->low.factor) {
    return true;
  }
  if (!look_at_path(at, problem, limit, &path)) {
    return false;
  }
  *high = path;
  return true;
}

/* A path knows of no stage, and counts the latency that layers share as if all shared it: the same
 * as if the layers of an even stage did. */
static bool look_at_own_latency(dsm__looking *at, const dsm__problem *problem) {
  const dsm__reductions *const least = problem->inputs.reductions;
  dsm__weighed_path own = {.factor = 0}; /* no bound */
  if (least == NULL || !is_open(at)) {
    return true;
  }
  dsm__reductions of_stage = *least;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    of_stage.shares[c] = fmin(1, of_stage.shares[c] * (double)at->stages.count);
  }
  dsm__problem own_latency;
  dsm__case_begin(&own_latency, problem);
  own_latency.inputs.reductions = &of_stage;
  return look_at_most_runs(at, &own_latency, &own) && look_at_fewest_runs(at, &own_latency, &own);
}

/* What is worse along a path may be better where stages can be cut: the same as if one stage had
 * all of what is once a step, which is the largest of them, and with fewer options, for each set of
 * some words that are asked for (where roles are named a layer without one of them would have data,
 * which may not be among them). In large networks, whose stages are mostly equal, that takes long
 * for little. */
static bool look_at_fewer_options(dsm__looking *at, const dsm__problem *problem) {
  const dsm_explore_options *const asked = problem->inputs.options;
  const dsm_optimization_set words =
      dsm__has_named_roles(asked)
          ? 0
          : asked->optimizations & dsm__strategies_in(DSM__LEFT_OUT_OF_STAGES);
  dsm_optimization_set out = 0;
  for (unsigned n = 0; dsm__strategies_part(words, n, &out) && is_small(at) && is_open(at); n++) {
    dsm_explore_options options = *asked;
    dsm__weighed_path own = {.factor = 0}; /* bounds of fewer options say nothing of all */
    options.optimizations &= ~out;
    dsm__problem fewer;
    dsm__case_begin(&fewer, problem);
    fewer.inputs.options = &options;
    at->once_share = n == 0 ? (double)at->stages.count : 1;
    if (!look_at_most_runs(at, &fewer, &own) || !look_at_fewest_runs(at, &fewer, &own)) {
      return false;
    }
  }
  return true;
}

/* Up to the best, where one is known. */
static bool raise_bounds(const dsm__looking *at) {
  const dsm__stages_searched *const search = at->search;
  dsm__arena *const arena = dsm__problem_arena(search->whole);
  dsm__found found;
  dsm__problem problem;
  dsm__stage_case_begin(&problem, &found, at->of, &at->micro, unlimited, arena);
  const bool is_good = !isfinite(search->best_cycles) ||
                       dsm__stage_bounds_raise(at->of, search->segments, search->segment_count,
                                               &problem, search->best_cycles);
  dsm__arena_free(arena);
  return is_good;
}

/* Looks at a case whose bound is below the best, and raises the bound. */
static dsm__looked look(void *context, dsm__open_case *one) {
  dsm__stages_searched *const search = context;
  dsm__stage_case *const of = (dsm__stage_case *)one;
  const size_t runs = of->of->stages.count * of->runs_most;
  dsm__looking at = {.search = search,
                     .of = of,
                     .stages = of->of->stages,
                     .once_share = 1,
                     .micro =
                         dsm__micro_workload(search->whole->inputs.workload, of->micro_batches),
                     .machine = &of->of->problem.machine,
                     .arena = dsm__problem_arena(search->whole)};
  dsm__found found;
  dsm__problem problem;
  dsm__stage_case_begin(&problem, &found, of, &at.micro, unlimited, at.arena);
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
  const bool is_known = isfinite(search->best_cycles);
  const bool is_fit_due = search->blocks_before != NULL && !of->is_fit_known;
  const bool is_bound_all = is_fit_due || search->whole->is_bound_all;
  if (is_bound_all) {
    const bool is_asked = is_reserved && (!is_fit_due || dsm__stage_case_fit(search, of, &problem));
    dsm__arena_free(at.arena);
    return !is_asked ? DSM__LOOK_FAILED : is_fit_due ? DSM__LOOK_OPEN : DSM__LOOK_CLOSED;
  }
  problem.role_memo =
      dsm__memo_new(DSM__ROLE_MEMO_BYTES_MAX, dsm__deadline_bytes(problem.inputs.deadline));
  bool is_good = is_reserved && raise_bounds(&at);
  if (is_good && dsm__tie_limit(one->bound) < search->best_cycles) {
    is_good = dsm__role_least_memory(&problem, at.least) &&
              look_at_most_runs(&at, &problem, &at.low) &&
              look_at_fewest_runs(&at, &problem, &at.high);
    /* What follows is no bound: where each segment is a run it hands over. */
    problem.inputs.handed_axis = at.stages.axis;
    problem.inputs.is_handed = at.stages.count * of->runs_least == search->segment_count;
    is_good = is_good && look_at_own_latency(&at, &problem) &&
              look_at_fewer_options(&at, &problem) && (is_known || raise_bounds(&at));
  }
  one->bound = fmax(one->bound, bound_of_all(&at));
  dsm__memo_free(problem.role_memo);
  dsm__arena_free(at.arena);
  return is_good ? DSM__LOOK_CLOSED : DSM__LOOK_FAILED;
}

/* ---- all cases ---- */

static bool is_done(const void *context, double bound) {
  const dsm__stages_searched *const search = context;
  return !(bound < search->best_cycles) || dsm__tie_limit(bound) >= search->best_cycles ||
         is_stopped(search) || (search->whole->is_bound_all && bound >= search->cases.closed_bound);
}

static const dsm__case_kind stage_kind = {look, is_done};

static bool find_segments(dsm__stages_searched *search) {
  const dsm_workload *const workload = search->whole->inputs.workload;
  dsm__arena *const arena = search->whole->arena;
  const dsm_stages_at at = search->whole->inputs.options->stages_at;
  bool *is_cut = NULL;
  size_t *blocks_before = NULL;
  size_t blocks = 0;
  if (!dsm__stage_cuts_find(workload, at, arena, &is_cut) ||
      !DSM__RESERVE(arena, search->segments, workload->layer_count) ||
      !DSM__RESERVE(arena, blocks_before, workload->layer_count + 1)) {
    return false;
  }
  search->is_cut = is_cut;
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (i == 0 || is_cut[i - 1]) {
      blocks_before[search->segment_count] = blocks;
      search->segments[search->segment_count++] = i;
    }
    blocks += dsm__begins_block(workload, i) ? 1 : 0;
  }
  blocks_before[search->segment_count] = blocks;
  search->blocks_before = at == DSM_STAGES_AT_BLOCKS ? blocks_before : NULL;
  return true;
}

bool dsm__stage_search(const dsm__problem *problem, double cost_limit, dsm__graph_answer *answer,
                       dsm__decisions *decisions, double *bound_cycles) {
  dsm__stages_searched search = {
      .whole = problem,
      .capacity_bytes = dsm__capacity_limit(dsm_system_usable_bytes(problem->machine.system)),
      .best_cycles = answer->is_feasible ? fmin(answer->cost, cost_limit) : cost_limit,
      .decisions = decisions,
      .cases = dsm__cases_begin(problem->arena),
  };
  bool is_good = problem->inputs.workload->is_list || find_segments(&search);
  assert(dsm__is_priced_by_time(&problem->machine, &problem->inputs.prices)); /* of the slowest */
  if (is_good && search.segment_count > 0) {
    search.is_patient = search.segment_count <= PATIENT_SEGMENTS;
    is_good =
        dsm__stage_cases_open(&search) && dsm__cases_search(&search.cases, &stage_kind, &search);
  }
  *bound_cycles = search.is_cut_short ? 0 : dsm__cases_bound(&search.cases);
  if (search.is_found) {
    answer->cost = search.best_cycles;
    answer->is_feasible = true;
  }
  dsm__stage_cases_fini(&search, &problem->found->evaluations);
  return is_good;
}
