/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layer_search.c: the best core split of an invocation, by the rules of section 3.
 *
 * Four rules, one after the other: of the candidates within the limit of ties of the least total,
 * those within the limit of the least primary cycles, then of the least footprint, and then the
 * first in lexicographic order. Each rule is one walk over the candidates (split_walk.c), in which
 * a family is passed over when what all of it needs at least exceeds the limit of a rule before, or
 * cannot be better by the rule now. So no list of candidates is kept, and mostly a small part of
 * them is scored.
 *
 * A bound and a limit that would be equal in exact numbers may differ by rounding; the bound is
 * lowered by more than that, so that a candidate on the limit is never passed over.
 */
#include "search/layer_search.h"

#include <math.h>

#include "plan/tolerance.h"

/* What a split is preferred by, one after the other. */
typedef enum rule { TOTAL = 0, PRIMARY, FOOTPRINT, RULE_COUNT /* lexicographic order */ } rule;

/* The best split, rule by rule: of the candidates that are within the limits of the rules before,
 * the least value of this one. */
typedef struct choosing {
  const dsm_pass_work *work;
  bool must_kernel_stay;
  double most[RULE_COUNT]; /* of the rules before this one */
  rule now;
  double least;   /* of those seen, by the rule now */
  dsm_loops best; /* of those seen */
  bool is_any;
} choosing;

static bool is_before(const dsm_loops *a, const dsm_loops *b) {
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    if (a->n[d] != b->n[d]) {
      return a->n[d] < b->n[d];
    }
  }
  return false;
}

/*
 * Splits that need no less cannot be within the limits, or not be better by the rule now. More than
 * rounding lies between a bound and a limit that are not the same.
 *
 * Primary cycles are asked first, as they are known without the bytes and mostly decide.
 */
static bool is_hopeless(void *context, const dsm__split_needs *least) {
  static const double rounding = 1 - 1e-14;
  const choosing *const c = context;
  const double most_total = c->now == TOTAL ? c->least : c->most[TOTAL];
  const double most_primary = c->now == PRIMARY ? c->least : c->most[PRIMARY];
  if (rounding * c->work->machine->weights.cycles *
          (least->primary_cycles + c->work->auxiliary_cycles) >
      most_total) {
    return true; /* which costs less to know */
  }
  return rounding * least->primary_cycles > most_primary ||
         rounding * dsm__needs_total(c->work, least) > most_total;
}

static void visit(void *context, const dsm__needy_split *one) {
  choosing *const c = context;
  const dsm_invocation_cost cost = dsm_invocation_score(c->work, &one->split);
  const double values[RULE_COUNT] = {cost.total, cost.primary, cost.footprint_bytes};
  if (c->must_kernel_stay && !dsm__kernel_can_stay(c->work, &one->split)) {
    return;
  }
  for (int r = 0; r < (int)c->now && r < RULE_COUNT; r++) {
    if (values[r] > c->most[r]) {
      return;
    }
  }
  const bool is_better =
      c->now < RULE_COUNT ? values[c->now] < c->least : is_before(&one->split, &c->best);
  if (!c->is_any || is_better) {
    c->best = one->split;
    c->least = c->now < RULE_COUNT ? values[c->now] : 0;
  }
  c->is_any = true;
}

/* Goes through the candidates by the next rule; false if none is within the limits. With layouts of
 * what is held, splits that need the same differ, so that all are looked at; layouts only add to
 * what needs take. */
static bool apply(choosing *c, rule now, const dsm__core_splits *splits, uint64_t *evaluations) {
  const dsm__split_visitor visitor = {
      .is_hopeless = is_hopeless,
      .visit = visit,
      .context = c,
      .are_all_wanted = c->work->residency.layouts != NULL || now > PRIMARY,
      .visits_max = splits->visits_max,
  };
  c->now = now;
  c->least = HUGE_VAL;
  c->is_any = false;
  *evaluations += dsm__splits_walk(c->work, splits, &visitor);
  if (now < RULE_COUNT) {
    c->most[now] = dsm__tie_limit(c->least);
  }
  return c->is_any;
}

static choosing choosing_of(const dsm_pass_work *work, bool must_kernel_stay) {
  return (choosing){
      .work = work, .must_kernel_stay = must_kernel_stay, .most = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

dsm__least_total dsm__least_total_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                       bool must_kernel_stay) {
  dsm__least_total least = {.evaluations = 0};
  choosing c = choosing_of(work, must_kernel_stay);
  least.is_found = apply(&c, TOTAL, splits, &least.evaluations);
  least.cycles = c.least;
  return least;
}

dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     bool must_kernel_stay) {
  const rule last = splits->visits_max > 0 ? TOTAL : RULE_COUNT; /* of a few: the first fastest */
  dsm__best_split best = {.is_found = true};
  choosing c = choosing_of(work, must_kernel_stay);
  for (int r = TOTAL; r <= (int)last && best.is_found; r++) {
    best.is_found = apply(&c, (rule)r, splits, &best.evaluations);
  }
  if (best.is_found) {
    best.split = c.best;
    best.cost = dsm_invocation_score(work, &best.split);
  }
  return best;
}

/* The best of an invocation; with its split if that is wanted. */
static dsm__least_total find_invocation(const dsm__layer_setting *setting, dsm_pass pass,
                                        dsm_parallelism parallelism, const dsm__part *part,
                                        const dsm__core_splits *splits, dsm_loops *split) {
  const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, part);
  const bool must_stay = part->kind == DSM_INVOCATION_STEADY;
  if (split == NULL) {
    return dsm__least_total_find(&work, splits, must_stay);
  }
  const dsm__best_split best = dsm__best_split_find(&work, splits, must_stay);
  *split = best.split;
  return (dsm__least_total){best.is_found, best.cost.total, best.evaluations};
}

/*
 * Weights that stay over timesteps: found, and not slower than fetching them again.
 *
 * Steady invocations follow the first, which fetches the weights. They are taken where they are no
 * slower than fetching again, a tie included (section 7).
 */
static void find_steady(const dsm__layer_setting *setting, dsm_pass pass,
                        dsm_parallelism parallelism, const dsm__core_splits *splits,
                        bool are_splits_wanted, dsm__best_pass *best) {
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, true);
  const dsm__part *const part = &parts.items[1];
  dsm_loops split = {{0}};
  if (part->kind != DSM_INVOCATION_STEADY) {
    return; /* an update of all timesteps at once */
  }
  const dsm__least_total steady =
      find_invocation(setting, pass, parallelism, part, splits, are_splits_wanted ? &split : NULL);
  best->evaluations += steady.evaluations;
  if (!steady.is_found || steady.cycles > dsm__tie_limit(best->first_cycles)) {
    return;
  }
  best->is_kernel_kept = true;
  best->splits[2] = best->splits[1]; /* of hoisted ones, if there are any */
  best->splits[1] = split;
  best->later_cycles = steady.cycles;
  best->cycles = (double)parts.items[0].count * best->first_cycles +
                 (double)part->count * best->later_cycles + best->hoisted_cycles;
}

static dsm__best_pass find_pass(const dsm__layer_setting *setting, dsm_pass pass,
                                dsm_parallelism parallelism, bool may_keep_kernel,
                                const dsm__core_splits *splits, bool are_splits_wanted) {
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, false);
  dsm__best_pass best = {.cycles = 0};
  for (unsigned i = 0; i < parts.count; i++) {
    const dsm__least_total part =
        find_invocation(setting, pass, parallelism, &parts.items[i], splits,
                        are_splits_wanted ? &best.splits[i] : NULL);
    best.cycles += (double)parts.items[i].count * part.cycles;
    best.evaluations += part.evaluations;
    best.first_cycles = i == 0 ? part.cycles : best.first_cycles;
    if (parts.items[i].kind == DSM_INVOCATION_HOISTED) {
      best.hoisted_cycles = (double)parts.items[i].count * part.cycles;
    } else {
      best.later_cycles = part.cycles;
    }
  }
  if (may_keep_kernel && dsm_kernel_can_be_kept(setting->layer, setting->machine)) {
    find_steady(setting, pass, parallelism, splits, are_splits_wanted, &best);
  }
  return best;
}

dsm__best_pass dsm__best_pass_find(const dsm__layer_setting *setting, dsm_pass pass,
                                   dsm_parallelism parallelism, bool may_keep_kernel,
                                   const dsm__core_splits *splits) {
  return find_pass(setting, pass, parallelism, may_keep_kernel, splits, true);
}

dsm__best_pass dsm__least_pass_find(const dsm__layer_setting *setting, dsm_pass pass,
                                    dsm_parallelism parallelism, bool may_keep_kernel,
                                    const dsm__core_splits *splits) {
  return find_pass(setting, pass, parallelism, may_keep_kernel, splits, false);
}

static double parts_floor(const dsm__layer_setting *setting, dsm_pass pass,
                          dsm_parallelism parallelism, bool is_kernel_kept) {
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, is_kernel_kept);
  double cycles = 0;
  for (unsigned i = 0; i < parts.count; i++) {
    const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, &parts.items[i]);
    cycles += (double)parts.items[i].count * dsm__least_needs_total(&work);
  }
  return cycles;
}

double dsm__pass_floor(const dsm__layer_setting *setting, dsm_pass pass,
                       dsm_parallelism parallelism, bool may_keep_kernel) {
  const double again = parts_floor(setting, pass, parallelism, false);
  return may_keep_kernel && dsm_kernel_can_be_kept(setting->layer, setting->machine)
             ? fmin(again, parts_floor(setting, pass, parallelism, true))
             : again;
}
