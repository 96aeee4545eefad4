/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_peak.c: a chip of which the peak rate is known, and no more (section 4,
 * chip.peak_TFLOPS). */
#include "base/units.h"
#include "model/engine.h"

static bool is_of(const dsm_system *system) {
  return system->chip.peak_TFLOPS > 0;
}

static double core_macs(const dsm_system *system, double array_rate) {
  return system->chip.peak_TFLOPS * 1e12 / 2 / dsm__hertz(system->core.frequency_GHz) /
         (double)system->chip.cores * array_rate;
}

double dsm__peak_cycles(const dsm_system *system, double array_rate, const dsm__product *product) {
  const double macs = product->batch * product->rows * product->columns * product->summed;
  const double rate =
      (double)system->chip.cores * core_macs(system, array_rate) * system->array.efficiency_ratio;
  return macs / rate;
}

static void prepare(dsm_pass_work *work) {
  const dsm__product product = dsm__product_derive(work->layer, &work->share, work->pass);
  const double times = (double)work->share.turns * work->product_share;
  const dsm_machine *const machine = work->machine;
  const double cycles = dsm__peak_cycles(machine->system, work->precision.array_rate, &product) *
                        times / machine->clock_ratio;
  work->tiles = (dsm_tile_schedule){.arrays = cycles, .cycles = cycles};
}

static double cycles_of(const dsm_pass_work *work, const dsm_loops *split) {
  (void)split;
  return work->tiles.cycles;
}

static dsm_computing computing(const dsm_pass_work *work, const dsm_loops *split) {
  (void)work;
  (void)split;
  return DSM_COMPUTING_ARRAY;
}

static void add_resources(const dsm_pass_work *work, const dsm_loops *split, double primary_cycles,
                          double cycles[DSM_BOUND_COUNT]) {
  (void)work;
  (void)split;
  cycles[DSM_BOUND_COMPUTE] += primary_cycles;
}

const dsm__engine dsm__engine_peak = {
    .is_of = is_of,
    .core_macs = core_macs,
    .prepare = prepare,
    .cycles = cycles_of,
    .computing = computing,
    .add_resources = add_resources,
};
