/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * aim.c: other objectives than time, by searches of weighed sums.
 *
 * The seconds S of a step and a second quantity Y, in which seconds and joules count
 * (plan/step_energy.h), are sums over the same decisions, so that one search finds the mapping of
 * least u * S + v * Y, and says what no mapping is below: a half-plane in which all mappings lie.
 * Joules and dollars are Y itself: one search.
 *
 * The product S * Y is least at a corner of the area that these half-planes leave, which bounds it.
 * The line through that corner with the weights (Y, S) there has no point of a larger product: so a
 * search with these weights cuts the corner off, or finds a mapping that is as good as the bound.
 *
 * Under a power cap a step takes the larger of S and Y. No mapping takes less than where the
 * diagonal enters the area. The next weights are those of the line through the best mappings on
 * both sides of the diagonal; once nothing lies below that line, what is between it and the better
 * of the two is a gap that weighed sums cannot close.
 */
#include "search/aim.h"

#include <math.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "plan/step_energy.h"
#include "plan/strategy_rules.h"
#include "plan/tolerance.h"

enum { SEARCHES_MAX = 24 };

/* u * seconds + v * other is at least `bound`. */
typedef struct half_plane {
  double u;
  double v;
  double bound;
} half_plane;

typedef struct spot {
  double seconds;
  double other;
} spot;

typedef struct aiming {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *options; /* as they are searched */
  dsm__aim_terms terms;
  half_plane planes[SEARCHES_MAX];
  spot found[SEARCHES_MAX];
  size_t count;
  dsm_plan *best;
  double best_value;
  double bound;
  bool is_stopped;
  dsm_diags *diags;
} aiming;

static spot spot_of(const aiming *a, const dsm_plan *plan) {
  const double seconds = plan->result.step_cycles / dsm__hertz(plan->system->core.frequency_GHz);
  const double dynamic = dsm_joules_dynamic(&plan->result.energy.parts);
  return (spot){seconds, dsm__aim_other(&a->terms, seconds, dynamic)};
}

/* Searches for the least u * S + v * Y. Prices are cycles, or joules where no time counts, so that
 * they have usual sizes. */
static dsm_status search(aiming *a, double u, double v) {
  const double hertz = dsm__hertz(a->system->core.frequency_GHz);
  const double of_second = u + v * a->terms.of_second;
  const double of_joule = v * a->terms.of_joule;
  const double unit = of_second > 0 ? of_second / hertz : of_joule;
  const dsm_weights weights = {.cycles = of_second / hertz / unit,
                               .joules = of_joule * (double)dsm_system_chips(a->system) / unit};
  dsm_plan *plan = NULL;
  double bound = 0;
  const dsm_status status =
      dsm__explore_weighed(&plan, &bound, a->workload, a->system, a->options, &weights, a->diags);
  if (status != DSM_OK) {
    return status;
  }
  const spot found = spot_of(a, plan);
  const double value = dsm__aim_value(&a->terms, found.seconds, found.other);
  a->planes[a->count] = (half_plane){u, v, fmin(bound * unit, u * found.seconds + v * found.other)};
  a->found[a->count++] = found;
  a->is_stopped = a->is_stopped || plan->statistics.is_stopped;
  if (a->best == NULL || value < a->best_value) {
    dsm_plan *const before = a->best;
    a->best = plan;
    a->best_value = value;
    plan = before;
  }
  dsm_plan_free(plan);
  return DSM_OK;
}

static bool is_inside(const aiming *a, const spot *one) {
  static const double rounding = 1e-12;
  bool is = true;
  for (size_t i = 0; is && i < a->count; i++) {
    const half_plane *const plane = &a->planes[i];
    is = plane->u * one->seconds + plane->v * one->other >= plane->bound * (1 - rounding);
  }
  return is;
}

/* The corner of least product. */
static spot least_corner(const aiming *a) {
  spot least = {0, 0};
  double product = HUGE_VAL;
  for (size_t i = 0; i < a->count; i++) {
    for (size_t j = 0; j < i; j++) {
      const half_plane *const p = &a->planes[i];
      const half_plane *const q = &a->planes[j];
      const double across = p->u * q->v - q->u * p->v;
      const spot corner = {(p->bound * q->v - q->bound * p->v) / across,
                           (p->u * q->bound - q->u * p->bound) / across};
      if (isfinite(corner.seconds) && isfinite(corner.other) && is_inside(a, &corner) &&
          corner.seconds * corner.other < product) {
        least = corner;
        product = corner.seconds * corner.other;
      }
    }
  }
  return least;
}

/* Where the diagonal enters the area. */
static double diagonal_of(const aiming *a) {
  double most = 0;
  for (size_t i = 0; i < a->count; i++) {
    most = fmax(most, a->planes[i].bound / (a->planes[i].u + a->planes[i].v));
  }
  return most;
}

/* The weights of the line through the best on both sides of the diagonal; of none where all are on
 * one side. */
static half_plane line_of(const aiming *a) {
  spot slow = {HUGE_VAL, 0};
  spot dear = {0, HUGE_VAL};
  for (size_t i = 0; i < a->count; i++) {
    const spot *const one = &a->found[i];
    slow = one->seconds >= one->other && one->seconds < slow.seconds ? *one : slow;
    dear = one->seconds < one->other && one->other < dear.other ? *one : dear;
  }
  return (half_plane){.u = dear.other - slow.other, .v = slow.seconds - dear.seconds};
}

/* Bounds the objective, and says with which weights to go on: false where there are none. */
static bool bound_of(aiming *a, half_plane *next) {
  if (a->terms.is_capped) {
    a->bound = diagonal_of(a);
    *next = line_of(a);
  } else {
    const spot corner = least_corner(a);
    a->bound = corner.seconds * corner.other;
    *next = (half_plane){.u = corner.other, .v = corner.seconds};
  }
  return isfinite(next->u) && isfinite(next->v) && next->u > 0 && next->v > 0;
}

static bool is_tried(const aiming *a, const half_plane *next) {
  static const double rounding = 1e-12;
  bool is = false;
  for (size_t i = 0; i < a->count; i++) {
    const half_plane *const plane = &a->planes[i];
    const double left = plane->u * next->v;
    const double right = plane->v * next->u;
    is = is || fabs(left - right) <= rounding * fmax(left, right);
  }
  return is;
}

static bool is_good_enough(const aiming *a) {
  static const double least_gap = 1e-9;
  return a->best_value <= a->bound * (1 + fmax(a->options->gap, least_gap));
}

static dsm_status search_all(aiming *a) {
  half_plane next = {0, 0, 0};
  const bool is_sum = !a->terms.is_capped && a->terms.aim != DSM_AIM_EDP;
  dsm_status status = search(a, 0, 1);
  if (status != DSM_OK || is_sum) {
    a->bound = a->planes[0].bound;
    return status;
  }
  status = search(a, 1, 0);
  while (status == DSM_OK && bound_of(a, &next) && !is_good_enough(a) && a->count < SEARCHES_MAX &&
         !a->is_stopped && !is_tried(a, &next)) {
    status = search(a, next.u, next.v);
  }
  return status;
}

static dsm_status refuse(dsm_diags *diags, const char *hint, const char *expected) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, hint, "%s", expected);
  return DSM_ERROR_USAGE;
}

static dsm_status check_terms(const dsm_system *system, const dsm_explore_options *options,
                              dsm_diags *diags) {
  const dsm__energy_terms terms = dsm__energy_terms_of(system);
  const double static_watts = terms.static_watts / (double)dsm_system_chips(system);
  const double cap_watts = options->power_cap_watts;
  if (!terms.is_known) {
    return refuse(diags, "name one: --set system.technology=n7", dsm__aim_needs_technology);
  }
  if (options->aim == DSM_AIM_DOLLARS && !terms.has_prices) {
    return refuse(diags, "dsm describe SYSTEM --budget lists what is not stated",
                  "expected a technology whose prices are known, for the objective dollars");
  }
  if (options->recomputation > DSM_RECOMPUTATION_FULL) {
    return refuse(diags, "joules of operations that run again are not counted",
                  "expected recomputation of whole layers, for another objective than time or a "
                  "power cap");
  }
  if (cap_watts > 0 && options->aim != DSM_AIM_TIME) {
    return refuse(diags, NULL, "expected the objective time with a power cap");
  }
  if (cap_watts > 0 && !(cap_watts > static_watts)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a power cap above the static power of a chip, %.9g W, found %.9g",
                       static_watts, cap_watts);
  }
  return DSM_OK;
}

/* What has times that are no sums. */
static dsm_status check_sums(const dsm_system *system, const dsm_explore_options *options,
                             dsm_diags *diags) {
  if (dsm__has_layouts(system)) {
    return refuse(diags, NULL,
                  "expected model.layout_move none or always, for another objective than time or a "
                  "power cap, found exact");
  }
  if (options->as_run_by != DSM_AS_RUN_BY_ANY || options->stages > 1 ||
      options->shard_level > DSM_SHARD_LEVEL_NONE) {
    return refuse(diags, "the times of stages and of shards are no sums",
                  "expected neither a framework, stages nor shards, for another objective than "
                  "time or a power cap");
  }
  return DSM_OK;
}

/* The fastest of all mappings, where the cap lets it be: then no other is faster. Else *plan stays
 * NULL. */
static dsm_status try_uncapped(dsm_plan **plan, const dsm_workload *workload,
                               const dsm_system *system, const dsm_explore_options *options,
                               dsm_diags *diags) {
  dsm_explore_options uncapped = *options;
  dsm_plan *fastest = NULL;
  uncapped.power_cap_watts = 0;
  const dsm_status status = dsm_explore(&fastest, workload, system, &uncapped, diags);
  if (status != DSM_OK) {
    return status;
  }
  fastest->options.power_cap_watts = options->power_cap_watts;
  dsm_plan_energy *const energy = &fastest->result.energy;
  const dsm__aim_terms terms = dsm__aim_terms_of(options, system);
  const double seconds = fastest->result.step_seconds;
  energy->capped_seconds = dsm__aim_other(&terms, seconds, dsm_joules_dynamic(&energy->parts));
  if (energy->capped_seconds > seconds) {
    dsm_plan_free(fastest);
    return DSM_OK;
  }
  energy->objective_value = seconds;
  energy->objective_bound =
      fmin(fastest->result.lower_bound_cycles / dsm__hertz(system->core.frequency_GHz), seconds);
  *plan = fastest;
  return DSM_OK;
}

dsm_status dsm__explore_aimed(dsm_plan **plan, const dsm_workload *workload,
                              const dsm_system *system, const dsm_explore_options *options,
                              dsm_diags *diags) {
  dsm_explore_options searched = *options;
  *plan = NULL;
  dsm_status status = check_terms(system, options, diags);
  if (status == DSM_OK && options->power_cap_watts > 0) {
    status = try_uncapped(plan, workload, system, options, diags);
  }
  if (status != DSM_OK || *plan != NULL) {
    return status;
  }
  status = check_sums(system, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  searched.optimizations &= ~dsm__strategies_in(DSM__OF_TIME_ALONE);
  dsm_options_settle(&searched);
  aiming a = {.workload = workload,
              .system = system,
              .options = &searched,
              .terms = dsm__aim_terms_of(&searched, system),
              .diags = diags};
  status = search_all(&a);
  if (status != DSM_OK) {
    dsm_plan_free(a.best);
    return status;
  }
  dsm_plan_energy *const energy = &a.best->result.energy;
  energy->objective_bound = fmin(a.bound, energy->objective_value);
  a.best->statistics.is_stopped = a.is_stopped;
  *plan = a.best;
  return DSM_OK;
}
