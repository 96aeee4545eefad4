/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watts.c: what a chip takes when it does nothing, and when all parts run at their peak rates. */
#include <math.h>

#include "base/element_types.h"
#include "base/units.h"
#include "technology/machine_parts.h"

#define PICO 1e-12

double dsm_technology_link_pJ(const dsm_technology *technology, unsigned axis) {
  const dsm_energy *const energy = &technology->energy;
  return energy->link_pJ_per_byte[energy->medium[axis]];
}

/* Watts of a rate, in units a second, where a unit takes so many pJ; nothing runs at a rate of 0.
 */
static double watts(dsm_machine_cost *cost, double rate, double pJ, const char *path) {
  return rate > 0 ? rate * dsm__needed(cost, pJ, path) * PICO : 0;
}

static double link_watts(const dsm_system *system, dsm_machine_cost *cost) {
  static const char *const paths[DSM_MEDIUM_COUNT] = {"technology.energy.link_pJ_per_byte.board",
                                                      "technology.energy.link_pJ_per_byte.cable",
                                                      "technology.energy.link_pJ_per_byte.optics"};
  double sum = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    sum += watts(cost, dsm__axis_GBps(&system->system.axes[a]) * DSM__BYTES_PER_GB,
                 dsm_technology_link_pJ(&system->technology, a),
                 paths[system->technology.energy.medium[a]]);
  }
  return sum;
}

/* What links between cores carry: all share a ring; a link of a core's own carries no more than its
 * scratchpad takes. Source: A: each byte counts for one hop. */
static double core_links_GBps(const dsm_system *system) {
  const double cores = (double)system->chip.cores;
  const double one = system->chip.core_link_bandwidth_GBps;
  switch (system->chip.interconnect) {
  case DSM_INTERCONNECT_RING:
    return one;
  case DSM_INTERCONNECT_CROSSBAR:
    return cores * fmin(one, system->core.scratchpad_bandwidth_GBps);
  case DSM_INTERCONNECT_MESH:
    return cores * one;
  case DSM_INTERCONNECT_NONE:
  case DSM_INTERCONNECT_COUNT:
    break;
  }
  return 0;
}

/* What cores take, all together; of a chip of which only the peak rate is known nothing but that
 * is.
 */
static void add_cores(const dsm_system *system, dsm_machine_cost *cost) {
  const dsm_energy *const energy = &system->technology.energy;
  const double cores = (double)system->chip.cores;
  const double cycles = system->core.frequency_GHz * DSM__HERTZ_PER_GHZ;
  if (system->chip.peak_TFLOPS > 0) {
    return;
  }
  cost->parts_W[DSM_POWER_PART_VECTOR] =
      watts(cost, cores * system->core.sfu_ops_per_cycle * cycles, energy->vector_pJ,
            "technology.energy.vector_pJ");
  cost->parts_W[DSM_POWER_PART_SCRATCHPADS] =
      watts(cost, cores * system->core.scratchpad_bandwidth_GBps * DSM__BYTES_PER_GB,
            energy->scratchpad_pJ_per_byte, "technology.energy.scratchpad_pJ_per_byte");
  cost->parts_W[DSM_POWER_PART_CORE_LINKS] =
      watts(cost, core_links_GBps(system) * DSM__BYTES_PER_GB, energy->core_link_pJ_per_byte,
            "technology.energy.core_link_pJ_per_byte");
  cost->parts_W[DSM_POWER_PART_SHARED] =
      watts(cost, system->chip.shared_memory.bandwidth_GBps * DSM__BYTES_PER_GB,
            energy->shared_pJ_per_byte, "technology.energy.shared_pJ_per_byte");
}

/* Source: A: all at once, which no step does: an upper limit. Symbols: docs/budget.md. Limits: a
 * static power by area is not stated where the area is not. */
void dsm__watts_of(const dsm_system *system, dsm_machine_cost *cost) {
  const dsm_energy *const energy = &system->technology.energy;
  const dsm_prices *const prices = &system->technology.prices;
  const double chips = (double)dsm_system_chips(system);
  const double macs = dsm_system_peak_flops(system) / chips / 2;
  const double others = dsm__hosts_of(system) * prices->host_W + chips * prices->switch_W_per_chip;
  cost->chip_static_W = energy->static_W;
  if (energy->static_W_per_mm2 > 0) { /* else the area need not be known */
    cost->chip_static_W += energy->static_W_per_mm2 * cost->chip_mm2;
  }
  cost->parts_W[DSM_POWER_PART_STATIC] = cost->chip_static_W;
  cost->parts_W[DSM_POWER_PART_ARRAYS] =
      watts(cost, macs, energy->mac_pJ[dsm__element_type_rows[system->area.mac_type].rate],
            "technology.energy.mac_pJ");
  add_cores(system, cost);
  cost->parts_W[DSM_POWER_PART_MEMORY] =
      watts(cost, system->chip.memory.bandwidth_GBps * DSM__BYTES_PER_GB,
            energy->memory_pJ_per_byte, "technology.energy.memory_pJ_per_byte");
  cost->parts_W[DSM_POWER_PART_LINKS] = link_watts(system, cost);
  for (int part = 0; part < DSM_POWER_PART_COUNT; part++) {
    cost->chip_peak_W += cost->parts_W[part];
  }
  cost->system_static_W = chips * cost->chip_static_W + others;
  cost->system_W = chips * cost->chip_peak_W + others;
  cost->site_W = prices->PUE * cost->system_W;
}
