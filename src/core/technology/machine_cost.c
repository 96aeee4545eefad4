/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_cost.c: what a machine costs: area, then watts, then money, then carbon (docs/budget.md).
 */
#include <inttypes.h>
#include <math.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "technology/machine_parts.h"

#define HOURS_PER_YEAR 8760.0
#define WATTS_PER_KW 1000.0
#define GRAMS_PER_KG 1000.0
#define SECONDS_PER_HOUR 3600.0

double dsm__hosts_of(const dsm_system *system) {
  return ceil((double)dsm_system_chips(system) / system->technology.prices.chips_per_host);
}

/* Source: an annuity. Symbols: r / (1 - (1 + r)^-years) of the capital a year. Limits: without
 * interest 1 / years. */
static double share_a_year(const dsm_prices *prices) {
  return prices->rate > 0 ? prices->rate / -expm1(-prices->years * log1p(prices->rate))
                          : 1 / prices->years;
}

static void price(const dsm_system *system, dsm_machine_cost *cost) {
  const dsm_silicon *const silicon = &system->technology.silicon;
  const dsm_prices *const prices = &system->technology.prices;
  const double chips = (double)dsm_system_chips(system);
  const double wafer =
      dsm__needed(cost, silicon->wafer_dollars, "technology.silicon.wafer_dollars");
  cost->die_dollars = wafer / (cost->dies_per_wafer * cost->yield);
  const double memory =
      system->chip.memory.capacity_GB *
      dsm__needed(cost, prices->memory_dollars_per_GB, "technology.prices.memory_dollars_per_GB");
  cost->chip_dollars =
      (double)system->area.dies * cost->die_dollars + memory + prices->package_dollars;
  double *const parts = cost->parts_dollars;
  parts[DSM_PRICE_PART_DIES] = chips * (double)system->area.dies * cost->die_dollars;
  parts[DSM_PRICE_PART_MEMORY] = chips * memory;
  parts[DSM_PRICE_PART_PACKAGES] = chips * prices->package_dollars;
  parts[DSM_PRICE_PART_SWITCHES] = chips * prices->switch_dollars_per_chip;
  parts[DSM_PRICE_PART_HOSTS] = dsm__hosts_of(system) * prices->host_dollars;
  for (int part = 0; part < DSM_PRICE_PART_COUNT; part++) {
    cost->system_dollars += parts[part];
  }
  cost->price_dollars =
      prices->system_dollars > 0 ? prices->system_dollars : prices->margin * cost->system_dollars;
  cost->hour_dollars =
      cost->price_dollars * share_a_year(prices) / HOURS_PER_YEAR / prices->availability +
      cost->site_W / WATTS_PER_KW *
          dsm__needed(cost, prices->dollars_per_kWh, "technology.prices.dollars_per_kWh");
}

static void emit(const dsm_system *system, dsm_machine_cost *cost) {
  const dsm_carbon *const carbon = &system->technology.carbon;
  const bool is_stated =
      dsm__needed(cost, carbon->fab_kWh_per_cm2, "technology.carbon.fab_kWh_per_cm2") > 0;
  cost->chip_kg = is_stated
                      ? (double)system->area.dies * dsm_die_kg(carbon, cost->die_mm2, cost->yield) +
                            system->chip.memory.capacity_GB * carbon->memory_g_per_GB / GRAMS_PER_KG
                      : (double)NAN;
  cost->system_kg = (double)dsm_system_chips(system) * cost->chip_kg;
  cost->hour_kg = cost->site_W / WATTS_PER_KW * carbon->use_g_per_kWh / GRAMS_PER_KG;
}

/* Dies on a wafer, and how many of them work; false after a report. */
static bool make_dies(const dsm_system *system, dsm_machine_cost *cost, dsm_diags *diags) {
  const dsm_silicon *const silicon = &system->technology.silicon;
  const uint64_t spare = system->area.spare_cores / system->area.dies;
  const uint64_t cores = system->chip.cores / system->area.dies + spare;
  const double port = cost->parts_mm2[DSM_AREA_PART_PORTS] /
                      ((double)system->chip.cores + (double)system->area.spare_cores);
  cost->dies_per_wafer = dsm_dies_per_wafer(cost->die_mm2, silicon->wafer_mm);
  if (cost->dies_per_wafer <= 0) {
    (void)dsm__refuse(diags, DSM_ERROR_INVALID,
                      "%s: expected a die that fits on a wafer of %g mm, found one of %.0f mm2",
                      system->name, silicon->wafer_mm, cost->die_mm2);
    return false;
  }
  const dsm_die die = {.mm2 = cost->die_mm2,
                       .cores = cores,
                       .core_mm2 = fmin(cost->core_mm2 + port, cost->die_mm2 / (double)cores),
                       .spare_cores = spare};
  cost->yield = dsm_die_yield(
      &die, dsm__needed(cost, silicon->defects_per_cm2, "technology.silicon.defects_per_cm2"),
      silicon->alpha);
  return true;
}

dsm_status dsm_machine_cost_of(const struct dsm_system *system, dsm_machine_cost *cost,
                               dsm_diags *diags) {
  *cost = (dsm_machine_cost){.unstated_count = 0};
  if (!system->technology.is_stated) {
    return dsm__refuse(diags, DSM_ERROR_INVALID,
                       "%s: expected a system that names a technology, such as --set "
                       "system.technology=n5",
                       system->name);
  }
  if (system->area.spare_cores > system->chip.cores) {
    return dsm__refuse(diags, DSM_ERROR_INVALID,
                       "%s: expected at most as many spare cores as cores, which are %" PRIu64
                       ", found %" PRIu64,
                       system->name, system->chip.cores, system->area.spare_cores);
  }
  dsm__area_of(system, cost);
  dsm__watts_of(system, cost);
  if (!make_dies(system, cost, diags)) {
    return DSM_ERROR_INVALID;
  }
  price(system, cost);
  emit(system, cost);
  cost->mtbf_hours = dsm__needed(cost, system->technology.failures.chip_mtbf_hours,
                                 "technology.failures.chip_mtbf_hours") /
                     (double)dsm_system_chips(system);
  return DSM_OK;
}

/* Source: Young 1974. Symbols: tau = sqrt(2 delta M), 1 - delta / tau - tau / (2 M) - R / M.
 * Limits: refused where delta is half of M or more; never below 0. */
bool dsm_goodput_of(dsm_goodput *goodput, const dsm_failures *failures, double chips,
                    double checkpoint_seconds) {
  const double M = failures->chip_mtbf_hours * SECONDS_PER_HOUR / chips;
  if (!(M > 0) || !(checkpoint_seconds > 0) || checkpoint_seconds >= M / 2) {
    return false;
  }
  const double tau = sqrt(2 * checkpoint_seconds * M);
  *goodput = (dsm_goodput){
      .mtbf_seconds = M,
      .interval_seconds = tau,
      .ratio =
          fmax(1 - checkpoint_seconds / tau - tau / (2 * M) - failures->restart_seconds / M, 0)};
  return true;
}
