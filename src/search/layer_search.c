/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layer_search.h"

#include <math.h>

#include "model/equations.h"
#include "plan/tolerance.h"

/* Candidates that are left, in lexicographic order. */
typedef struct left {
  dsm__split_total *items;
  size_t count;
  double least; /* of the totals seen */
} left;

static void keep_up_to(left *l, double most) {
  size_t kept = 0;
  for (size_t i = 0; i < l->count; i++) {
    if (l->items[i].total <= most) {
      l->items[kept++] = l->items[i];
    }
  }
  l->count = kept;
}

/* Keeps those equal to the least `value`. The costs of the few that are left are computed again:
 * storing them all would be slower. */
static void keep_least(const dsm_pass_work *work, const dsm__core_splits *splits, left *l,
                       double (*value)(const dsm_invocation_cost *), uint64_t *evaluations) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < l->count; i++) {
    const dsm_invocation_cost cost = dsm_invocation_score(work, &splits->items[l->items[i].split]);
    l->items[i].total = value(&cost);
    least = fmin(least, l->items[i].total);
    ++*evaluations;
  }
  keep_up_to(l, dsm__equal_to(least));
}

static double primary_of(const dsm_invocation_cost *cost) {
  return cost->primary;
}

static double footprint_of(const dsm_invocation_cost *cost) {
  return cost->footprint_bytes;
}

/* Scores the candidates, as far as is needed to know that they exceed the least so far: what
 * exceeds what equals that exceeds what equals the least of all. */
static void score_all(const dsm_pass_work *work, const dsm__core_splits *splits,
                      const dsm__parts_limit *parts, bool must_kernel_stay, left *l,
                      uint64_t *evaluations) {
  for (size_t i = 0; i < splits->count; i++) {
    const dsm_loops *const split = &splits->items[i];
    if (!dsm__is_within_parts(parts, split) ||
        (must_kernel_stay && !dsm__kernel_can_stay(work, split))) {
      continue;
    }
    const double most = dsm__equal_to(l->least);
    const double total = dsm__invocation_total_within(work, split, most);
    ++*evaluations;
    if (total <= most && isfinite(total)) {
      l->items[l->count++] = (dsm__split_total){total, i};
      l->least = fmin(l->least, total);
    }
  }
  keep_up_to(l, dsm__equal_to(l->least));
}

dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     bool must_kernel_stay, dsm__split_total *totals) {
  dsm__best_split best = {.is_found = false};
  const dsm__parts_limit parts = dsm__candidate_parts(splits, work->layer, &work->share);
  left l = {.items = totals, .least = HUGE_VAL};
  score_all(work, splits, &parts, must_kernel_stay, &l, &best.evaluations);
  if (l.count == 0) {
    return best;
  }
  if (l.count > 1) {
    keep_least(work, splits, &l, primary_of, &best.evaluations);
    keep_least(work, splits, &l, footprint_of, &best.evaluations);
  }
  best.is_found = true;
  best.split = splits->items[l.items[0].split];
  best.cost = dsm_invocation_score(work, &best.split);
  return best;
}

/* Weights that stay over timesteps: found, and not slower than fetching them again. */
static void find_steady(const dsm__layer_setting *setting, dsm_pass pass,
                        dsm_parallelism parallelism, const dsm__core_splits *splits,
                        dsm__split_total *totals, dsm__best_pass *best) {
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
                                   const dsm__core_splits *splits, dsm__split_total *totals) {
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
