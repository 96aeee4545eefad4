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
 * dsm__interleaved_waiting(). To S belongs what p v runs hand over, each twice, of which the
 * waiting has a v-th: each time the shift of the tensor that a chip has least of, whatever its
 * layout. The least of all v that a case may have counts. Cases come in the order of such a bound
 * that asks each layer by itself, for n S + O and for S; what is not below the best is left out.
 * That is asked with a bound for both first that knows no core splits, which takes a small part of
 * the time.
 */
#include "search/stages/stage_cases.h"

#include <math.h>
#include <stdlib.h>

#include "model/chip_link.h"
#include "plan/makespan.h"
#include "search/overlapped.h"

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

/* c - n/p, of a schedule with so many runs that nobody waits in more than must be. */
static double waiting_of(const dsm__stage_case *of, size_t runs) {
  const dsm__interleaving interleaving = {of->of->stages.count, runs, of->micro_batches};
  if (runs > 1) {
    return dsm__interleaved_waiting(&interleaving);
  }
  return dsm__least_makespan(of->of->stages.count, of->micro_batches) -
         (double)of->micro_batches / (double)of->of->stages.count;
}

/* c p / n. */
double dsm__stage_case_factor(const dsm__stage_case *of, size_t runs) {
  return 1 + waiting_of(of, runs) * (double)of->of->stages.count / (double)of->micro_batches;
}

double dsm__stage_case_handed(const dsm__stage_case *of, size_t runs) {
  const double stages = (double)of->of->stages.count;
  const double handed = 2 * of->hand_over * stages; /* by one run of each stage */
  return handed * ((double)runs * (double)of->micro_batches / stages + waiting_of(of, runs));
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
                           dsm__stage_room rooms[DSM__STAGE_ROOMS]) {
  static const double rounding = 1 + 1e-9; /* sums come in another order */
  double least = HUGE_VAL;
  double most = 0;
  double inverse = 0;
  for (size_t j = 0; j < of->of->stages.count; j++) {
    double flying = HUGE_VAL;
    for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
      const dsm_stages stages = {.count = of->of->stages.count, .interleave = runs};
      flying = fmin(flying, dsm__stage_in_flight(&stages, j, of->micro_batches));
    }
    least = fmin(least, flying);
    most = fmax(most, flying);
    inverse += 1 / flying;
  }
  const double capacity = capacity_bytes * rounding;
  rooms[0] = (dsm__stage_room){least, capacity * (double)of->of->stages.count};
  rooms[1] = (dsm__stage_room){most, capacity * inverse * most};
}

double dsm__stage_case_at_least(const dsm__stage_case *of, double factor, double lower,
                                double cycles) {
  return cycles + (factor - lower) * of->outlook.micro_cycles * (double)of->micro_batches;
}

/* Each layer by itself, of all numbers of runs. */
static double bound_of(const dsm__stage_case *of) {
  double least = HUGE_VAL;
  for (size_t runs = of->runs_least; runs <= of->runs_most; runs++) {
    const double factor = dsm__stage_case_factor(of, runs);
    least = fmin(least, dsm__stage_case_at_least(of, factor, 1, of->outlook.cycles) /
                                (double)of->of->stages.count +
                            dsm__stage_case_handed(of, runs));
  }
  return least;
}

static int compare_cases(const void *left, const void *right) {
  const dsm__stage_case *const a = left;
  const dsm__stage_case *const b = right;
  if (a->bound < b->bound || a->bound > b->bound) {
    return a->bound < b->bound ? -1 : 1;
  }
  return a->number < b->number ? -1 : 1;
}

/* Has a case steps, and how many runs of layers may each stage have? As many as are asked for; or
 * else what the segments, the schedule and its length allow. */
static bool find_runs(const dsm__stage_cases *cases, dsm__stage_case *of) {
  const uint64_t asked = cases->whole->inputs.options->interleave;
  const size_t stages = of->of->stages.count;
  const dsm__interleaving two = {stages, 2, of->micro_batches};
  const size_t by_segments = cases->segment_count / stages;
  const size_t by_passes = (size_t)(DSM__STAGE_PASSES_MAX / (stages * of->micro_batches));
  const size_t most = dsm__is_interleaved_well(&two) ? DSM_INTERLEAVE_MAX : 1;
  of->runs_least = asked > 0 ? asked : 1;
  of->runs_most =
      least_of(least_of(by_segments, by_passes), asked > 0 ? least_of(asked, most) : most);
  return of->runs_least <= of->runs_most;
}

static bool open_space(const dsm__stage_cases *cases, unsigned axis, uint64_t stages,
                       dsm__stage_space *out) {
  const dsm__problem *const whole = cases->whole;
  out->stages = (dsm_stages){.count = stages, .axis = axis};
  (void)dsm__stage_machine(&whole->machine, &out->stages, &out->part);
  out->options = *whole->inputs.options;
  out->options.stages = 0;
  out->options.interleave = 0;
  if (dsm__problem_init(&out->problem, whole->inputs.workload, &out->part.system, &out->options,
                        NULL) != DSM_OK) {
    return false;
  }
  out->problem.inputs.deadline = whole->inputs.deadline;
  out->problem.fixed = whole->fixed;
  /* Where sums hide behind computing, none is sure to show. */
  dsm__problem_count_least(&out->problem,
                           dsm__problem_is_overlapped(&out->problem) ? 0 : DSM__ALL_LAYERS);
  return true;
}

/* A problem for micro-batches, which borrows all of it but for what it finds. */
dsm__problem dsm__stage_case_problem(const dsm__stage_case *of, const dsm_workload *micro,
                                     double capacity_bytes, dsm__arena *arena) {
  dsm__problem problem = of->of->problem; /* whose machine and reductions its inputs refer to */
  problem.inputs.workload = micro;
  problem.inputs.micro_batches = of->micro_batches;
  problem.inputs.is_staged = true;
  problem.capacity_bytes = capacity_bytes;
  problem.arena = arena;
  problem.lasting = arena;
  problem.is_holding_off = true;
  problem.are_ties_free = true; /* which layers are in one stage is known when stages are */
  return problem;
}

/* Gives back what a copy of a problem has counted. */
void dsm__stage_case_count(dsm__stage_case *of, const dsm__problem *problem) {
  of->of->problem.evaluations = problem->evaluations;
}

/* The shift is of a chip's part of a tensor, whatever its layout. */
static double least_hand_over(const dsm__stage_cases *cases, const dsm__stage_space *of,
                              const dsm_workload *micro) {
  double least = HUGE_VAL;
  for (size_t s = 1; s < cases->segment_count; s++) {
    const dsm_boundary boundary = dsm__boundary_derive(
        &micro->layers[cases->segments[s] - 1], &of->problem.machine, of->problem.inputs.precision,
        micro->minibatch, of->stages.axis, 1, DSM_PARALLELISM_DATA);
    least = fmin(least, dsm_group_cycles(&of->problem.machine, &boundary.shift));
  }
  return least;
}

/* From below, and at its best where that is below the limit: thread blocks have one split, so that
 * nothing is below its best. False if out of memory. */
static bool find_bound(const dsm__stage_cases *cases, dsm__stage_case *of) {
  const dsm_workload micro = dsm__micro_workload(cases->whole->inputs.workload, of->micro_batches);
  dsm__arena *const arena = dsm__arena_new();
  dsm__problem problem = dsm__stage_case_problem(of, &micro, 0, arena);
  of->hand_over = least_hand_over(cases, of->of, &micro);
  bool is_found = arena != NULL && dsm__role_floor_find(&problem, &of->outlook);
  of->bound = bound_of(of);
  if (is_found && of->bound < cases->limit_cycles && !problem.machine.system->model.tile_schedule) {
    is_found = dsm__role_outlook_find(&problem, &of->outlook);
    of->bound = bound_of(of);
  }
  dsm__stage_case_count(of, &problem);
  dsm__arena_free(arena);
  return is_found;
}

/* Is the time over? */
static bool is_over(const dsm__stage_cases *cases) {
  return !cases->is_patient || isfinite(cases->limit_cycles) || cases->list.count > 0
             ? dsm__problem_is_over(cases->whole)
             : dsm__deadline_is_final(cases->whole->inputs.deadline);
}

/* Numbers of micro-batches with which an axis may be divided so. False if out of memory. */
static bool add_cases(dsm__stage_cases *cases, dsm__stage_space *of) {
  const dsm__problem *const whole = cases->whole;
  const dsm_explore_options *const options = whole->inputs.options;
  const uint64_t minibatch = whole->inputs.workload->minibatch;
  const bool is_cut = dsm__has_optimization(&whole->inputs, DSM_OPTIMIZATION_ACCUMULATE);
  const uint64_t most = is_cut ? DSM__STAGE_PASSES_MAX / of->stages.count : 1;
  for (uint64_t n = 1; n <= minibatch && n <= most; n++) {
    dsm__stage_case one = {.of = of, .micro_batches = n, .number = cases->list.count};
    if (minibatch % n != 0 || (options->micro_batches > 0 && n != options->micro_batches) ||
        !find_runs(cases, &one)) {
      continue;
    }
    if (is_over(cases)) {
      cases->is_cut_short = true;
      break;
    }
    if (!find_bound(cases, &one) || !DSM__LIST_RESERVE(&cases->list, 1)) {
      return false;
    }
    if (isfinite(one.bound)) {
      cases->list.items[cases->list.count++] = one;
    }
  }
  return true;
}

static bool add_spaces(dsm__stage_cases *cases) {
  const dsm_network *const network = &cases->whole->machine.system->system;
  const uint64_t fixed = cases->whole->inputs.options->stages;
  const uint64_t asked = cases->whole->inputs.options->interleave;
  const uint64_t runs = asked > 0 ? asked : 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint64_t chips = network->axes[a].chips;
    for (uint64_t p = 2; p <= chips && p * runs <= cases->segment_count; p++) {
      if (chips % p != 0 || (fixed > 0 && fixed != p)) {
        continue;
      }
      if (is_over(cases)) {
        cases->is_cut_short = true;
        return true;
      }
      dsm__stage_space *const one = calloc(1, sizeof *one);
      if (one == NULL || !DSM__LIST_RESERVE(&cases->spaces, 1) || !open_space(cases, a, p, one)) {
        free(one);
        return false;
      }
      cases->spaces.items[cases->spaces.count++] = one;
      if (!add_cases(cases, one)) {
        return false;
      }
    }
  }
  return true;
}

bool dsm__stage_cases_find(dsm__stage_cases *cases) {
  if (!add_spaces(cases)) {
    return false;
  }
  if (cases->list.count > 0) {
    qsort(cases->list.items, cases->list.count, sizeof cases->list.items[0], compare_cases);
  }
  return true;
}

void dsm__stage_cases_fini(dsm__stage_cases *cases, uint64_t *evaluations) {
  for (size_t i = 0; i < cases->spaces.count; i++) {
    dsm__stage_space *const one = cases->spaces.items[i];
    *evaluations += one->problem.evaluations + one->problem.table.evaluations;
    dsm__problem_fini(&one->problem);
    free(one);
  }
  free(cases->spaces.items);
  free(cases->list.items);
}
