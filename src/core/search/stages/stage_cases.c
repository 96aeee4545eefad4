/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_cases.c: for each axis the numbers of stages and micro-batches that it may have.
 *
 * For each axis, number of stages p and number of micro-batches n no step takes less than
 *
 *     c S + O / p = (a n S + O) / p        c = dsm__least_makespan(), a = c p / n
 *
 * where S is what all layers of a mapping take for a micro-batch on a stage's chips, and O what
 * they take once a step. A schedule takes c S at least. The largest once is O/p at least. The least
 * of a n S + O is a fastest path through the whole network there, without a limit of memory and
 * with O counted 1/a times (stage_search.c). Of stages with v runs of layers each c - n/p is
 * dsm__interleaved_waiting(), and 0 where gradients of weights fill the waiting. To S belongs what
 * p v runs hand over, each twice, of which the waiting has a v-th: at each of p v - 1 places, the
 * cheapest there are, the shift of what a chip has of a tensor, whatever its layout, by the run
 * before and by the one behind, and once more by the first and the last run. The least of all v
 * that a case may have counts. Cases come in the order of such a bound that asks each layer by
 * itself, and of one that knows of the slowest stage (below); what is not below the best is left
 * out. That is asked with bounds that know no core splits first, which takes a small part of the
 * time.
 */
#include "search/stages/stage_cases.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "model/chip_link.h"
#include "model/engine.h"
#include "plan/makespan.h"
#include "plan/tolerance.h"
#include "search/overlapped.h"

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

static dsm__interleaving interleaving_of(const dsm__stage_case *of, size_t runs) {
  dsm_stages stages = of->of->stages;
  stages.interleave = runs;
  return dsm__interleaving_of(&stages, of->micro_batches);
}

bool dsm__stage_case_is_1f1b(const dsm__stage_case *of, size_t runs) {
  return runs == 1 && of->of->stages.schedule == DSM_SCHEDULE_1F1B;
}

double dsm__stage_case_share(const dsm__stage_case *of, size_t runs) {
  const dsm__interleaving interleaving = interleaving_of(of, runs);
  return dsm__least_waiting(&interleaving);
}

/* c - n/p, of a schedule with so many runs that nobody waits in more than must be. */
static double waiting_of(const dsm__stage_case *of, size_t runs) {
  const dsm__interleaving interleaving = interleaving_of(of, runs);
  if (!dsm__stage_case_is_1f1b(of, runs)) {
    return dsm__interleaved_waiting(&interleaving);
  }
  return dsm__least_makespan(of->of->stages.count, of->micro_batches) -
         (double)of->micro_batches / (double)of->of->stages.count;
}

/* c p / n. */
double dsm__stage_case_factor(const dsm__stage_case *of, size_t runs) {
  return 1 + waiting_of(of, runs) * (double)of->of->stages.count / (double)of->micro_batches;
}

double dsm__stage_case_handed_once(const dsm__stage_case *of, size_t runs) {
  const double round = of->hand_round * (double)(runs - 1);
  return 2 * (of->handed[of->of->stages.count * runs - 1] + of->hand_over + round);
}

double dsm__stage_case_handed(const dsm__stage_case *of, size_t runs) {
  const double of_mean = (double)of->micro_batches / (double)of->of->stages.count;
  return dsm__stage_case_handed_once(of, runs) * (of_mean + waiting_of(of, runs) / (double)runs);
}

/*
 * Stage j keeps K_j, and A_j of each of at least w_j micro-batches in flight, and has t_j at a
 * time: K_j + w_j A_j + t_j <= C. Summed over the stages, with K and A of all layers and t the
 * largest,
 *
 *     K + w A + t <= p C,              w the least of all w_j.
 *
 * Divided by w_j before, and multiplied by the largest w,
 *
 *     K + w A + t <= w C sum(1 / w_j),     w the largest of all w_j.
 */
void dsm__stage_case_rooms(const dsm__stage_case *of, double capacity_bytes,
                           dsm__role_room rooms[DSM__STAGE_ROOMS]) {
  static const double rounding = 1 + 1e-9; /* sums come in another order */
  double least = HUGE_VAL;
  double most = 0;
  double inverse = 0;
  for (size_t j = 0; j < of->of->stages.count; j++) {
    double flying = HUGE_VAL;
    for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
      dsm_stages stages = of->of->stages;
      stages.interleave = runs;
      flying = fmin(flying, dsm__stage_in_flight(&stages, j, of->micro_batches));
    }
    least = fmin(least, flying);
    most = fmax(most, flying);
    inverse += 1 / flying;
  }
  const double capacity = capacity_bytes * rounding;
  rooms[0] = (dsm__role_room){least, capacity * (double)of->of->stages.count, NULL};
  rooms[1] = (dsm__role_room){most, capacity * inverse * most, NULL};
}

double dsm__stage_case_at_least(const dsm__stage_case *of, double factor, double lower,
                                double cycles) {
  return cycles + (factor - lower) * of->micro_cycles * (double)of->micro_batches;
}

/* ---- from layers by themselves ---- */

enum { ENDS = 2 };

typedef struct cutting {
  const dsm__stages_searched *search;
  const dsm__stage_case *of;
  const dsm__role_front *fronts; /* of layers */
  size_t *stage_of;              /* of each segment, where stages are known (find_stages) */
} cutting;

static size_t layer_of(const dsm__stages_searched *search, size_t segment) {
  return segment < search->segment_count ? search->segments[segment]
                                         : search->whole->inputs.workload->layer_count;
}

/* What segments take at least, where micro-batches and what is once count so often. */
static double floor_of(const cutting *c, size_t first, size_t end, dsm__prices prices) {
  double cycles = 0;
  for (size_t i = layer_of(c->search, first); i < layer_of(c->search, end); i++) {
    cycles += dsm__role_floor(&c->fronts[i], &prices);
  }
  return cycles;
}

static double micro_floor(const cutting *c, size_t first, size_t end) {
  return floor_of(c, first, end, (dsm__prices){.micro = 1});
}

/* Where all runs have equally many blocks, there is one cut: fills the stage of each segment.
 * False: the blocks do not divide so, and there is no cut. */
static bool find_stages(const dsm__stages_searched *search, const dsm__stage_case *of, size_t runs,
                        size_t *stage_of) {
  const size_t all = of->of->stages.count * runs;
  size_t begun = 0;
  if (search->blocks_before == NULL) {
    return true;
  }
  const size_t blocks = search->blocks_before[search->segment_count];
  for (size_t s = 0; s < search->segment_count; s++) {
    begun += begun < all && search->blocks_before[s] * all == begun * blocks ? 1 : 0;
    stage_of[s] = (begun - 1) % of->of->stages.count;
  }
  return begun == all;
}

/* What the step takes at least: stages are known, and each of them may be the slowest one
 * (stage_bounds.c). */
static double bound_of_stages(const cutting *c, size_t runs) {
  const dsm__stage_case *const of = c->of;
  const size_t stages = of->of->stages.count;
  const double n = (double)of->micro_batches;
  const bool is_1f1b = dsm__stage_case_is_1f1b(of, runs);
  double low = 0;
  for (size_t j = 0; j < stages; j++) {
    const double kept =
        (double)dsm__stored_micro_batches(false, stages, j, (size_t)of->micro_batches);
    const double waited = n - (1 + kept) / 2;
    const double others = is_1f1b ? 1 : dsm__stage_case_share(of, runs);
    const dsm__prices own = {.micro = is_1f1b ? 1 + waited : n, .once = 1};
    double cycles =
        is_1f1b ? 2 * of->hand_over * ((double)stages + waited) : dsm__stage_case_handed(of, runs);
    for (size_t s = 0; s < c->search->segment_count; s++) {
      cycles +=
          c->stage_of[s] == j ? floor_of(c, s, s + 1, own) : others * micro_floor(c, s, s + 1);
    }
    low = fmax(low, cycles);
  }
  return low;
}

/* The mean of all stages, and the stage that has any one segment, with others (stage_bounds.c,
 * which knows of relayouts). */
static double bound_of(const cutting *c, size_t runs) {
  const size_t count = c->search->segment_count;
  const double stages = (double)c->of->of->stages.count;
  const double n = (double)c->of->micro_batches;
  const double handed = dsm__stage_case_handed(c->of, runs);
  const dsm__prices mean = {.micro = dsm__stage_case_factor(c->of, runs) * n / stages,
                            .once = 1 / stages};
  double low = handed + floor_of(c, 0, count, mean);
  if (c->search->blocks_before != NULL) {
    return fmax(low, bound_of_stages(c, runs));
  }
  const bool is_1f1b = dsm__stage_case_is_1f1b(c->of, runs);
  for (size_t s = 0; s < count && !is_1f1b; s++) {
    const double others = c->of->micro_cycles - micro_floor(c, s, s + 1);
    const double own =
        floor_of(c, s, s + 1, (dsm__prices){.micro = n, .once = 1}); /* with other segments */
    low = fmax(low, handed + own + others * dsm__stage_case_share(c->of, runs));
  }
  return low;
}

/* A bound for each number of runs. Where all runs must have equally many blocks and no cut gives
 * that, there is no step. */
static void find_bounds(const cutting *c, dsm__stage_case *of) {
  of->micro_cycles = micro_floor(c, 0, c->search->segment_count);
  of->head.bound = HUGE_VAL;
  for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
    double *const own = &of->bounds[runs - of->runs_least];
    *own = isfinite(of->micro_cycles) && find_stages(c->search, of, runs, c->stage_of)
               ? bound_of(c, runs)
               : HUGE_VAL;
    of->head.bound = fmin(of->head.bound, *own);
  }
}

/* With what layers have to take at least the bound is the limit, whatever the number of runs: each
 * is no less than the mean of all stages. */
static dsm__role_enough enough_of(const dsm__stages_searched *search, const dsm__stage_case *of) {
  const double stages = (double)of->of->stages.count;
  double factor = HUGE_VAL;
  double handed = HUGE_VAL;
  for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
    factor = fmin(factor, dsm__stage_case_factor(of, runs));
    handed = fmin(handed, dsm__stage_case_handed(of, runs));
  }
  return (dsm__role_enough){
      {.micro = factor * (double)of->micro_batches / stages, .once = 1 / stages},
      search->best_cycles - handed};
}

/* ---- cases ---- */

/* Has a case steps, and how many runs of layers may each stage have? As many as are asked for; or
 * else what the segments, the schedule and its length allow. */
static bool find_runs(const dsm__stages_searched *search, dsm__stage_case *of) {
  const uint64_t asked = search->whole->inputs.options->interleave;
  const size_t stages = of->of->stages.count;
  const dsm__interleaving two = interleaving_of(of, 2);
  const size_t by_segments = search->segment_count / stages;
  const size_t by_passes = (size_t)(DSM__STAGE_PASSES_MAX / (stages * of->micro_batches));
  const bool may_be_many = two.schedule == DSM_SCHEDULE_1F1B && dsm__is_interleaved_well(&two);
  const size_t most = may_be_many ? DSM_INTERLEAVE_MAX : 1;
  of->runs_least = asked > 0 ? asked : 1;
  of->runs_most =
      least_of(least_of(by_segments, by_passes), asked > 0 ? least_of(asked, most) : most);
  return of->runs_least <= of->runs_most;
}

static bool open_space(const dsm__stages_searched *search, unsigned axis, uint64_t stages,
                       dsm__stage_space *out) {
  const dsm__problem *const whole = search->whole;
  out->stages =
      (dsm_stages){.count = stages, .axis = axis, .schedule = whole->inputs.options->schedule};
  (void)dsm__stage_machine(&whole->machine, &out->stages, &out->part);
  out->options = *whole->inputs.options;
  out->options.stages = 0;
  out->options.interleave = 0;
  if (dsm__problem_init_with(&out->problem, whole->inputs.workload, &out->part.system,
                             &out->options, NULL, whole->inputs.deadline, NULL) != DSM_OK) {
    return false;
  }
  out->problem.fixed = whole->fixed;
  dsm__problem_count(&out->problem, NULL);
  return true;
}

/* A problem for micro-batches, which borrows all of it but for what it finds. */
void dsm__stage_case_begin(dsm__problem *problem, dsm__found *found, const dsm__stage_case *of,
                           const dsm_workload *micro, double capacity_bytes, dsm__arena *arena) {
  dsm__case_begin(problem, &of->of->problem); /* whose machine and reductions its inputs refer to */
  dsm__case_find_apart(problem, found);
  problem->inputs.workload = micro;
  problem->inputs.micro_batches = of->micro_batches;
  problem->inputs.is_staged = true;
  problem->capacity_bytes = capacity_bytes;
  problem->arena = arena;
  problem->lasting = arena;
  problem->is_holding_off = true;
  problem->are_ties_free = true; /* which layers are in one stage is known when stages are */
}

/* Gives back what a copy of a problem has counted. */
void dsm__stage_case_count(dsm__stage_case *of, const dsm__problem *problem) {
  of->of->problem.found->evaluations = problem->found->evaluations;
}

double dsm__stage_case_shift(const dsm__stage_case *of, const dsm__problem *problem,
                             const dsm_layer *layer, uint64_t samples, size_t stages) {
  const dsm_boundary boundary =
      dsm__boundary_derive(layer, &problem->machine, problem->inputs.precision, samples,
                           of->of->stages.axis, stages, DSM_PARALLELISM_DATA);
  return dsm_group_cycles(&problem->machine, &boundary.shift);
}

/* What is handed over at least. False if out of memory. */
static bool find_handed(const dsm__stages_searched *search, dsm__stage_case *of,
                        const dsm_workload *micro) {
  const dsm__problem *const problem = &of->of->problem;
  if (!DSM__RESERVE(search->whole->arena, of->handed, search->segment_count)) {
    return false;
  }
  of->handed[0] = 0;
  of->hand_round = HUGE_VAL;
  for (size_t s = 1; s < search->segment_count; s++) {
    const dsm_layer *const layer = &micro->layers[search->segments[s] - 1];
    of->handed[s] = dsm__stage_case_shift(of, problem, layer, micro->minibatch, 1);
    of->hand_round =
        fmin(of->hand_round,
             dsm__stage_case_shift(of, problem, layer, micro->minibatch, of->of->stages.count - 1) -
                 of->handed[s]);
  }
  qsort(of->handed, search->segment_count, sizeof of->handed[0], dsm__order_numbers);
  of->hand_over = of->handed[1];
  for (size_t s = 1; s < search->segment_count; s++) {
    of->handed[s] += of->handed[s - 1];
  }
  return true;
}

/* For a number of runs with one cut: adds the rooms of the first and the last stage, where most is
 * in flight or most layers are. False if out of memory. */
static bool add_rooms(const dsm__stages_searched *search, const dsm__stage_case *of, size_t runs,
                      dsm__arena *arena, dsm__role_room *rooms) {
  const size_t layer_count = search->whole->inputs.workload->layer_count;
  dsm_stages stages = of->of->stages;
  size_t *stage_of = NULL;
  bool is_good = DSM__RESERVE(arena, stage_of, search->segment_count);
  stages.interleave = runs;
  for (size_t e = 0; is_good && e < ENDS && find_stages(search, of, runs, stage_of); e++) {
    const size_t stage = e == 0 ? 0 : stages.count - 1;
    bool *is_in = NULL;
    is_good = DSM__RESERVE(arena, is_in, layer_count);
    for (size_t s = 0; is_good && s < search->segment_count; s++) {
      for (size_t i = layer_of(search, s); i < layer_of(search, s + 1); i++) {
        is_in[i] = stage_of[s] == stage;
      }
    }
    rooms[e] = (dsm__role_room){dsm__stage_in_flight(&stages, stage, of->micro_batches),
                                search->capacity_bytes, is_in};
  }
  return is_good;
}

bool dsm__stage_case_fit(const dsm__stages_searched *search, dsm__stage_case *of,
                         const dsm__problem *problem) {
  const bool may_recompute =
      dsm__recomputation_is_open(problem) || dsm__is_any_recomputation_asked(problem);
  const size_t count = of->runs_most - of->runs_least + 1;
  dsm__role_room *rooms = NULL;
  bool *fits = NULL;
  double need_bytes;
  size_t asked = 0;
  bool is_good = DSM__RESERVE(problem->arena, rooms, ENDS * count) &&
                 DSM__RESERVE(problem->arena, fits, ENDS * count);
  for (size_t r = 0; is_good && r < count; r++) {
    if (isfinite(of->bounds[r])) {
      is_good = add_rooms(search, of, of->runs_least + r, problem->arena, &rooms[asked]);
      asked += ENDS;
    }
  }
  is_good = is_good && dsm__role_may_fit(problem, may_recompute, rooms, asked, &need_bytes, fits);
  asked = 0;
  of->head.bound = HUGE_VAL;
  of->is_fit_known = true;
  for (size_t r = 0; is_good && r < count; r++) {
    if (isfinite(of->bounds[r])) {
      of->bounds[r] = fits[asked] && fits[asked + 1] ? of->bounds[r] : HUGE_VAL;
      asked += ENDS;
    }
    of->head.bound = fmin(of->head.bound, of->bounds[r]);
  }
  return is_good;
}

/* Do all stages together have the room that any mapping needs? That is worth asking only while no
 * step is known. False if out of memory. */
static bool find_fit(const dsm__stages_searched *search, const dsm__stage_case *of,
                     const dsm__problem *problem, bool *may_fit) {
  const bool may_recompute =
      dsm__recomputation_is_open(problem) || dsm__is_any_recomputation_asked(problem);
  dsm__role_room rooms[DSM__STAGE_ROOMS];
  bool fits[DSM__STAGE_ROOMS] = {true, true};
  double need_bytes;
  dsm__stage_case_rooms(of, search->capacity_bytes, rooms);
  const bool is_good =
      search->blocks_before != NULL || isfinite(search->best_cycles) ||
      dsm__role_may_fit(problem, may_recompute, rooms, DSM__STAGE_ROOMS, &need_bytes, fits);
  *may_fit = fits[0] && fits[1];
  return is_good;
}

/* From below, and at its best where that is below the limit: thread blocks have one split, so that
 * nothing is below its best. Infinite where no step fits the memory. False if out of memory. */
static bool find_bound(const dsm__stages_searched *search, dsm__stage_case *of) {
  const dsm_workload micro = dsm__micro_workload(search->whole->inputs.workload, of->micro_batches);
  const size_t runs = of->runs_most - of->runs_least + 1;
  dsm__arena *const arena = dsm__problem_arena(search->whole);
  dsm__found found;
  dsm__problem problem;
  dsm__stage_case_begin(&problem, &found, of, &micro, 0, arena);
  dsm__role_front *fronts = NULL;
  size_t *stage_of = NULL;
  bool may_fit = false;
  problem.role_memo =
      dsm__memo_new(DSM__ROLE_MEMO_BYTES_MAX, dsm__deadline_bytes(problem.inputs.deadline));
  bool is_good = find_handed(search, of, &micro) &&
                 DSM__RESERVE(arena, fronts, micro.layer_count) &&
                 DSM__RESERVE(arena, stage_of, search->segment_count) &&
                 DSM__RESERVE(search->whole->arena, of->bounds, runs) &&
                 find_fit(search, of, &problem, &may_fit);
  const cutting c = {search, of, fronts, stage_of};
  const dsm__role_enough enough = enough_of(search, of);
  const bool has_other_splits = problem.machine.engine->has_splits;
  of->head.bound = may_fit ? 0 : HUGE_VAL;
  for (int k = 0; is_good && k < (has_other_splits ? 2 : 1) && of->head.bound < search->best_cycles;
       k++) {
    is_good = dsm__role_fronts_find(&problem, k == 0, &enough, fronts);
    if (is_good) {
      find_bounds(&c, of);
    }
  }
  dsm__stage_case_count(of, &problem);
  dsm__memo_free(problem.role_memo);
  dsm__arena_free(arena);
  return is_good;
}

/* Is the time over? */
static bool is_over(const dsm__stages_searched *search) {
  return !search->is_patient || isfinite(search->best_cycles) || search->cases.open.count > 0
             ? dsm__problem_is_over(search->whole)
             : dsm__deadline_is_final(search->whole->inputs.deadline);
}

/* Numbers of micro-batches with which an axis may be divided so. False if out of memory. */
static bool add_cases(dsm__stages_searched *search, dsm__stage_space *of) {
  const dsm__problem *const whole = search->whole;
  const dsm_explore_options *const options = whole->inputs.options;
  const uint64_t minibatch = whole->inputs.workload->minibatch;
  const bool is_cut = dsm__may_choose(whole->inputs.options, DSM__CHOICE_MICRO_BATCHES);
  const uint64_t most = is_cut ? DSM__STAGE_PASSES_MAX / of->stages.count : 1;
  for (uint64_t n = 1; n <= minibatch && n <= most; n++) {
    dsm__stage_case one = {.of = of, .micro_batches = n};
    if (minibatch % n != 0 || (options->micro_batches > 0 && n != options->micro_batches) ||
        !find_runs(search, &one)) {
      continue;
    }
    if (is_over(search)) {
      search->is_cut_short = true;
      break;
    }
    if (!find_bound(search, &one) ||
        (isfinite(one.head.bound) && dsm__cases_open(&search->cases, &one, sizeof one) == NULL)) {
      return false;
    }
  }
  return true;
}

bool dsm__stage_cases_open(dsm__stages_searched *search) {
  const dsm_network *const network = &search->whole->machine.system->system;
  const uint64_t fixed = search->whole->inputs.options->stages;
  const uint64_t asked = search->whole->inputs.options->interleave;
  const uint64_t runs = asked > 0 ? asked : 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t chips = network->axes[a].chips;
    for (uint64_t p = 2; p <= chips && p * runs <= search->segment_count; p++) {
      if (chips % p != 0 || (fixed > 0 && fixed != p)) {
        continue;
      }
      if (is_over(search)) {
        search->is_cut_short = true;
        return true;
      }
      dsm__stage_space *const one = calloc(1, sizeof *one);
      if (one == NULL || !DSM__LIST_RESERVE(&search->spaces, 1) || !open_space(search, a, p, one)) {
        free(one);
        return false;
      }
      search->spaces.items[search->spaces.count++] = one;
      if (!add_cases(search, one)) {
        return false;
      }
    }
  }
  return true;
}

void dsm__stage_cases_fini(dsm__stages_searched *search, uint64_t *evaluations) {
  for (size_t i = 0; i < search->spaces.count; i++) {
    dsm__stage_space *const one = search->spaces.items[i];
    *evaluations += one->problem.found->evaluations + one->problem.table.evaluations;
    dsm__problem_fini(&one->problem);
    free(one);
  }
  free(search->spaces.items);
}
