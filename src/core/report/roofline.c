/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/roofline.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/units.h"
#include "model/equations.h"

static const double flop_per_mac = 2;

static double chip_count(const dsm_system *system) {
  return (double)dsm_system_chips(system);
}

dsm__roof dsm__roof_of(const dsm_plan *plan) {
  const dsm_system *const system = plan->system;
  const double chips = chip_count(system);
  return (dsm__roof){
      .peak_flops = dsm_workload_peak_flops(plan->workload, system) / chips,
      .bytes_per_second =
          dsm_system_peak_flops(system) / chips / dsm_system_machine_balance(system),
  };
}

/* The peak for what a pass multiplies, over that for the workload's elements. */
static double peak_over_workload(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  const dsm_system *const system = plan->system;
  const dsm_precision precision = dsm_precision_of(plan->workload, system);
  const double rate =
      dsm__pass_array_rate(plan->layers[layer].layer, system, &precision, plan->options.mode, pass);
  const double usual = dsm__type_rate(system, dsm_workload_element_type(plan->workload));
  return dsm__core_macs_per_cycle(system, rate) / dsm__core_macs_per_cycle(system, usual);
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
  const dsm__roof roof = dsm__roof_of(plan);
  const double cycles_per_second = dsm__hertz(plan->system->core.frequency_GHz);
  /* ideal_cycles are those of all chips at their peak. */
  const double peak_flops = roof.peak_flops * peak_over_workload(plan, layer, pass);
  const double flop = mapped->ideal_cycles / cycles_per_second * peak_flops;
  dsm__roofline_point point = {.macs = flop / flop_per_mac, .flop = flop};
  for (size_t t = 0; t < mapped->transfer_count; t++) {
    const dsm_plan_transfer *const transfer = &mapped->transfers[t];
    const bool is_memory =
        transfer->link == DSM_LINK_MEMORY || transfer->link == DSM_LINK_AUXILIARY_MEMORY;
    point.memory_bytes += is_memory ? transfer->bytes : 0;
  }
  point.memory_bytes *= chip_share(plan, layer);
  point.intensity = point.memory_bytes > 0 ? flop / point.memory_bytes : HUGE_VAL;
  point.flops = mapped->cycles.total > 0 ? flop / mapped->cycles.total * cycles_per_second : 0;
  point.roof_flops = fmin(peak_flops, point.intensity * roof.bytes_per_second);
  return point;
}

/* The points of a layer; all zero of a pass that it does not have. */
enum { NUMBERS = 3 }; /* of a point */
typedef struct layer_points {
  size_t layer;
  double numbers[NUMBERS * DSM_PASS_COUNT];
} layer_points;

static layer_points points_of(const dsm_plan *plan, size_t layer) {
  layer_points all = {.layer = layer};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    if (plan->layers[layer].passes[pass].exists) {
      const dsm__roofline_point point = dsm__roofline_point_of(plan, layer, (dsm_pass)pass);
      double *const numbers = &all.numbers[NUMBERS * (size_t)pass];
      numbers[0] = point.flop;
      numbers[1] = point.memory_bytes;
      numbers[2] = point.flops;
    }
  }
  return all;
}

static int compare_numbers(const layer_points *a, const layer_points *b) {
  int order = 0;
  for (size_t i = 0; i < sizeof a->numbers / sizeof *a->numbers && order == 0; i++) {
    order = dsm__order(a->numbers[i], b->numbers[i]);
  }
  return order;
}

DSM__ORDER_OF(compare_layers, layer_points,
              dsm__order_then(compare_numbers(a, b), dsm__order_whole(a->layer, b->layer)));

const size_t *dsm__roofline_equal_layers(const dsm_plan *plan, dsm__arena *arena) {
  const size_t count = plan->layer_count;
  layer_points *const all = dsm__arena_array(arena, count, sizeof *all);
  size_t *const equal = dsm__arena_array(arena, count, sizeof *equal);
  if (all == NULL || equal == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    all[i] = points_of(plan, i);
  }
  qsort(all, count, sizeof *all, compare_layers);
  for (size_t first = 0, end = 0; first < count; first = end) {
    while (end < count && compare_numbers(&all[first], &all[end]) == 0) {
      end++;
    }
    equal[all[first].layer] = end - first;
  }
  return equal;
}
