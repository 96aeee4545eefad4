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
                        bool is_valid_only, double *totals, uint64_t *evaluations) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    totals[i] = HUGE_VAL;
    if (!is_valid_only || dsm_split_is_valid(work->layer, &work->share, &splits->items[i])) {
      totals[i] = dsm_invocation_score(work, &splits->items[i]).total;
      least = totals[i] < least ? totals[i] : least;
      ++*evaluations;
    }
  }
  return least;
}

dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     double *totals) {
  dsm__best_split best = {.evaluations = 0};
  double least = score_all(work, splits, true, totals, &best.evaluations);
  if (!isfinite(least)) {
    least = score_all(work, splits, false, totals, &best.evaluations);
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
  best.split = splits->items[first];
  best.cost = dsm_invocation_score(work, &best.split);
  return best;
}
