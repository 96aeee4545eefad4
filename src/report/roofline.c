/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/roofline.h"

#include <math.h>

static const double hertz_per_GHz = 1e9;
static const double flop_per_mac = 2;

static double chip_count(const dsm_system *system) {
  return (double)system->system.chips_x * (double)system->system.chips_y;
}

dsm__roof dsm__roof_of(const dsm_system *system) {
  const double peak_flops = dsm_system_peak_flops(system) / chip_count(system);
  return (dsm__roof){.peak_flops = peak_flops,
                     .bytes_per_second = peak_flops / dsm_system_machine_balance(system)};
}

/* The part of all chips that a layer runs on. */
static double chip_share(const dsm_plan *plan, size_t layer) {
  const size_t group = plan->layers[layer].pipeline;
  if (group == DSM_NO_PIPELINE) {
    return 1;
  }
  const dsm_pipeline_plan *const pipeline = &plan->pipelines[group];
  const uint64_t rows = pipeline->rows[layer - pipeline->first_layer];
  return (double)rows * (double)pipeline->columns / chip_count(plan->system);
}

dsm__roofline_point dsm__roofline_point_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  const dsm_pass_plan *const mapped = &plan->layers[layer].passes[pass];
  const dsm__roof roof = dsm__roof_of(plan->system);
  const double cycles_per_second = plan->system->core.frequency_GHz * hertz_per_GHz;
  /* ideal_cycles are those of all chips at their peak. */
  const double flop = mapped->ideal_cycles / cycles_per_second * roof.peak_flops;
  dsm__roofline_point point = {.macs = flop / flop_per_mac, .flop = flop};
  for (size_t t = 0; t < mapped->transfer_count; t++) {
    const dsm_plan_transfer *const transfer = &mapped->transfers[t];
    point.memory_bytes += transfer->link == DSM_LINK_MEMORY ? transfer->bytes : 0;
  }
  point.memory_bytes *= chip_share(plan, layer);
  point.intensity = point.memory_bytes > 0 ? flop / point.memory_bytes : HUGE_VAL;
  point.flops = mapped->cycles.total > 0 ? flop / mapped->cycles.total * cycles_per_second : 0;
  point.roof_flops = fmin(roof.peak_flops, point.intensity * roof.bytes_per_second);
  return point;
}
