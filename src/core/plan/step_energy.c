/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_energy.c: what a step takes in energy and money (docs/energy.md). */
#include "plan/step_energy.h"

#include <math.h>

#include "plan/plan_internal.h"

static const dsm__word aim_words[] = {
    [DSM_AIM_TIME].key = "time",
    [DSM_AIM_JOULES].key = "joules",
    [DSM_AIM_EDP].key = "edp",
    [DSM_AIM_DOLLARS].key = "dollars",
};
DSM__NAMED_WORDS(dsm__aim_words, "objective of plans", aim_words, DSM_AIM_COUNT, dsm_aim,
                 dsm_aim_name);

const char dsm__aim_needs_technology[] =
    "expected a system that names a technology, for another objective than time or a power cap, "
    "found none";

static const double joules_of_kWh = 3.6e6;
static const double seconds_of_hour = 3600;
static const double watts_of_kW = 1000;

/* A number that is not stated counts as none. */
static double stated(double number) {
  return isfinite(number) ? number : 0;
}

/*
 * Source: docs/energy.md. Symbols: an hour of the system has capital and energy at full use
 * (docs/budget.md); without that energy it is capital, and joules are charged as they are. Limits:
 * no prices: not known.
 */
dsm__energy_terms dsm__energy_terms_of(const dsm_system *system) {
  const dsm_prices *const prices = &system->technology.prices;
  dsm__energy_terms terms = {.is_known = system->technology.is_stated};
  dsm_machine_cost cost;
  if (!terms.is_known || dsm_machine_cost_of(system, &cost, NULL) != DSM_OK) {
    return terms;
  }
  const double kWh_dollars = prices->dollars_per_kWh;
  terms.static_watts = stated(cost.chip_static_W) * (double)dsm_system_chips(system);
  terms.has_prices = isfinite(cost.hour_dollars) && isfinite(cost.site_W);
  if (terms.has_prices) {
    const double capital = cost.hour_dollars - cost.site_W / watts_of_kW * kWh_dollars;
    terms.joule_dollars = prices->PUE * kWh_dollars / joules_of_kWh;
    terms.second_dollars =
        capital / seconds_of_hour + stated(cost.system_static_W) * terms.joule_dollars;
  }
  return terms;
}

/* Source: docs/energy.md. Symbols: under a cap W a chip y = dynamic / (chips * (W - static)).
 * Limits: a cap without end: 0, the time alone counts. */
dsm__aim_terms dsm__aim_terms_of(const dsm_explore_options *options, const dsm_system *system) {
  const dsm__energy_terms energy = dsm__energy_terms_of(system);
  const double cap_watts = options->power_cap_watts;
  dsm__aim_terms terms = {.aim = options->aim, .is_capped = cap_watts > 0};
  if (terms.is_capped) {
    terms.of_joule = 1 / (cap_watts * (double)dsm_system_chips(system) - energy.static_watts);
  } else if (terms.aim == DSM_AIM_DOLLARS) {
    terms.of_second = energy.second_dollars;
    terms.of_joule = energy.joule_dollars;
  } else {
    terms.of_second = energy.static_watts;
    terms.of_joule = 1;
  }
  return terms;
}

double dsm__aim_other(const dsm__aim_terms *terms, double seconds, double dynamic_joules) {
  return terms->of_second * seconds + terms->of_joule * dynamic_joules;
}

double dsm__aim_value(const dsm__aim_terms *terms, double seconds, double other) {
  if (terms->is_capped) {
    return fmax(seconds, other);
  }
  return terms->aim == DSM_AIM_EDP ? seconds * other : other;
}

void dsm__energy_predict(dsm_plan *plan) {
  static const double million = 1e6;
  dsm_plan_result *const result = &plan->result;
  dsm_plan_energy *const energy = &result->energy;
  const dsm__energy_terms terms = dsm__energy_terms_of(plan->system);
  plan->price = result->step_cycles;
  if (!terms.is_known) {
    return;
  }
  energy->is_known = true;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      dsm_joules_add(&energy->parts, &plan->layers[i].passes[p].energy, 1);
    }
  }
  const double dynamic = dsm_joules_dynamic(&energy->parts);
  const double chips = (double)dsm_system_chips(plan->system);
  if (plan->options.power_cap_watts > 0) {
    const dsm__aim_terms capped = dsm__aim_terms_of(&plan->options, plan->system);
    energy->capped_seconds = dsm__aim_other(&capped, result->step_seconds, dynamic);
    result->step_seconds = fmax(result->step_seconds, energy->capped_seconds);
  }
  energy->parts.of[DSM_ENERGY_STATIC] = terms.static_watts * result->step_seconds;
  energy->step_joules = dsm_joules_total(&energy->parts);
  energy->chip_watts = energy->step_joules / result->step_seconds / chips;
  energy->step_dollars =
      terms.second_dollars * result->step_seconds + terms.joule_dollars * dynamic;
  energy->sample_dollars = energy->step_dollars / (double)plan->workload->minibatch * million;
  if (dsm__is_aimed(&plan->options)) {
    const dsm__aim_terms aim = dsm__aim_terms_of(&plan->options, plan->system);
    energy->objective_value = dsm__aim_value(&aim, result->step_seconds,
                                             dsm__aim_other(&aim, result->step_seconds, dynamic));
  }
}
