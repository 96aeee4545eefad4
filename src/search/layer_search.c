/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layer_search.h"

#include <math.h>

#include "plan/tolerance.h"

/* Keeps, of the candidates left in totals (finite), those equal to the least `value`. The costs of
 * the few that are left are computed again: storing them all would be slower. */
static void keep_least(const dsm_pass_work *work, const dsm__core_splits *splits, double *totals,
                       double (*value)(const dsm_invocation_cost *), uint64_t *evaluations) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    if (isfinite(totals[i])) {
      const dsm_invocation_cost cost = dsm_invocation_score(work, &splits->items[i]);
      totals[i] = value(&cost);
      least = totals[i] < least ? totals[i] : least;
      ++*evaluations;
    }
  }
  for (size_t i = 0; i < splits->count; i++) {
    if (totals[i] > dsm__equal_to(least)) {
      totals[i] = HUGE_VAL;
    }
  }
}

static double primary_of(const dsm_invocation_cost *cost) {
  return cost->primary;
}

static double footprint_of(const dsm_invocation_cost *cost) {
  return cost->footprint_bytes;
}

static size_t count_finite(const double *totals, size_t count) {
  size_t finite = 0;
  for (size_t i = 0; i < count; i++) {
    finite += isfinite(totals[i]) ? 1 : 0;
  }
  return finite;
}

/* Scores the candidates; the others get an infinite total. Returns the least. */
static double score_all(const dsm_pass_work *work, const dsm__core_splits *splits,
                        bool is_valid_only, bool must_kernel_stay, double *totals,
                        uint64_t *evaluations) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    const dsm_loops *const split = &splits->items[i];
    totals[i] = HUGE_VAL;
    if ((!is_valid_only || dsm_split_is_valid(work->layer, &work->share, split)) &&
        (!must_kernel_stay || dsm__kernel_can_stay(work, split))) {
      totals[i] = dsm_invocation_score(work, split).total;
      least = totals[i] < least ? totals[i] : least;
      ++*evaluations;
    }
  }
  return least;
}

dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     bool must_kernel_stay, double *totals) {
  dsm__best_split best = {.is_found = false};
  double least = score_all(work, splits, true, must_kernel_stay, totals, &best.evaluations);
  if (!isfinite(least) && !dsm__core_splits_any_valid(splits, work->layer, &work->share)) {
    least = score_all(work, splits, false, must_kernel_stay, totals, &best.evaluations);
  }
  if (!isfinite(least)) {
    return best;
  }
  for (size_t i = 0; i < splits->count; i++) {
    if (totals[i] > dsm__equal_to(least)) {
      totals[i] = HUGE_VAL;
    }
  }
  if (count_finite(totals, splits->count) > 1) {
    keep_least(work, splits, totals, primary_of, &best.evaluations);
    keep_least(work, splits, totals, footprint_of, &best.evaluations);
  }
  size_t first = 0;
  while (!isfinite(totals[first])) {
    first++;
  }
  best.is_found = true;
  best.split = splits->items[first];
  best.cost = dsm_invocation_score(work, &best.split);
  return best;
}

/* Weights that stay over timesteps: found, and not slower than fetching them again. */
static void find_steady(const dsm__layer_setting *setting, dsm_pass pass,
                        dsm_parallelism parallelism, const dsm__core_splits *splits, double *totals,
                        dsm__best_pass *best) {
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, true);
  const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, &parts.items[1]);
  const dsm__best_split steady = dsm__best_split_find(&work, splits, true, totals);
  best->evaluations += steady.evaluations;
  if (!steady.is_found || steady.cost.total > dsm__equal_to(best->first_cycles)) {
    return;
  }
  best->is_kernel_kept = true;
  best->splits[1] = steady.split;
  best->later_cycles = steady.cost.total;
  best->cycles = (double)parts.items[0].count * best->first_cycles +
                 (double)parts.items[1].count * best->later_cycles;
}

dsm__best_pass dsm__best_pass_find(const dsm__layer_setting *setting, dsm_pass pass,
                                   dsm_parallelism parallelism, bool may_keep_kernel,
                                   const dsm__core_splits *splits, double *totals) {
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, false);
  dsm__best_pass best = {.cycles = 0};
  uint64_t evaluations = 0;
  for (unsigned i = 0; i < parts.count; i++) {
    const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, &parts.items[i]);
    const dsm__best_split part = dsm__best_split_find(&work, splits, false, totals);
    best.splits[i] = part.split;
    best.cycles += (double)parts.items[i].count * part.cost.total;
    evaluations += part.evaluations;
    best.first_cycles = i == 0 ? part.cost.total : best.first_cycles;
    best.later_cycles = part.cost.total;
  }
  best.evaluations = evaluations;
  if (may_keep_kernel && dsm_kernel_can_be_kept(setting->layer, setting->machine)) {
    find_steady(setting, pass, parallelism, splits, totals, &best);
  }
  return best;
}
