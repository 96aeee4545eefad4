/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tiles.c: tiles of outputs that cores take as they become free (section 4, model.tile_schedule).
 */
#include <math.h>

#include "base/order.h"
#include "base/units.h"
#include "model/equations.h"

enum { PARTS_MAX = 64, LEAST_SUMMED = 64 };

/* Positions of what a layer reads, where it multiplies it: behind an upsample and a pool. */
static double input_positions(const dsm_layer *layer) {
  const uint64_t grown =
      layer->upsampled_elements > 0 ? layer->upsampled_elements : layer->input_elements;
  const uint64_t elements = layer->input_pool_window > 0 ? layer->input_pool_elements : grown;
  return (double)elements / (double)layer->in;
}

dsm__product dsm__product_derive(const dsm_layer *layer, const dsm_chip_share *share,
                                 dsm_pass pass) {
  const bool is_matmul = layer->is_product;
  const double samples = (double)share->chip.n[DSM_DIM_MB];
  const double groups = (double)share->groups;
  const double shared = is_matmul ? 1 : samples; /* samples that multiply the same operand */
  const uint64_t group_in = share->chip.n[DSM_DIM_IN] / share->groups;
  const uint64_t group_out = share->chip.n[DSM_DIM_OUT] / share->groups;
  const double in = (double)group_in;
  const double out = (double)group_out;
  const double kij = (double)layer->kij;
  const double ij = (double)share->chip.n[DSM_DIM_IJ];
  dsm__product product = {.batch = is_matmul ? groups * samples : groups};
  switch (pass) {
  case DSM_PASS_FORWARD:
    product.rows = shared * ij;
    product.columns = out;
    product.summed = in * kij;
    return product;
  case DSM_PASS_BACKWARD:
    product.rows = shared * input_positions(layer) * (ij / (double)layer->ij);
    product.columns = in;
    product.summed = dsm__larger(out * kij / (double)layer->strides,
                                 out * kij * (double)layer->ij / input_positions(layer));
    return product;
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  product.rows = out;
  product.columns = in * kij;
  product.summed = shared * ij;
  return product;
}

void dsm__product_size(dsm__product *product, const dsm_tensor_bytes *bytes, dsm_pass pass) {
  product->row_bytes = pass == DSM_PASS_FORWARD ? bytes->input : bytes->output;
  product->column_bytes = pass == DSM_PASS_UPDATE ? bytes->input : bytes->kernel;
}

dsm_bound dsm__sums_bound(const dsm_machine *machine) {
  return machine->link_bytes_per_cycle[DSM_LINK_SHARED] <
                 machine->link_bytes_per_cycle[machine->auxiliary_link]
             ? DSM_BOUND_SHARED
             : DSM_BOUND_AUXILIARY_MEMORY;
}

/* They pass a shared memory on their way. */
double dsm__sums_cycles(const dsm_machine *machine, double bytes) {
  return dsm__larger(dsm_link_cycles(machine, machine->auxiliary_link, bytes),
                     dsm_link_cycles(machine, DSM_LINK_SHARED, bytes));
}

/* The mean of both operands' elements. */
static double operand_bytes(const dsm_precision *precision, const dsm__product *product,
                            double rows, double columns) {
  const double of_rows = dsm__stated_bytes(product->row_bytes, precision->element_bytes);
  const double of_columns = dsm__stated_bytes(product->column_bytes, precision->element_bytes);
  const double difference = of_columns - of_rows;
  return of_rows + difference * (columns / (rows + columns));
}

double dsm__tile_macs_per_cycle(const dsm_machine *machine, const dsm_precision *precision) {
  return (double)machine->reduction_chunk * (double)machine->production_chunk *
         (double)machine->system->core.arrays * precision->array_rate;
}

dsm_tile_schedule dsm__tile_time(const dsm_machine *machine, const dsm_precision *precision,
                                 const dsm__product *product, const dsm_tile *tile) {
  const dsm_system *const system = machine->system;
  const double rows = (double)tile->n[DSM_TILE_ROWS];
  const double columns = (double)tile->n[DSM_TILE_COLUMNS];
  const double parts = (double)tile->n[DSM_TILE_PARTS];
  const double cores = (double)system->chip.cores;
  const double summed = ceil(product->summed / parts);
  const double tiles =
      product->batch * ceil(product->rows / rows) * ceil(product->columns / columns) * parts;
  const double waves = ceil(tiles / cores);
  const double macs = dsm__tile_macs_per_cycle(machine, precision) * system->array.efficiency_ratio;
  const double arrays = rows * columns * summed / macs;
  const double operands = (rows + columns) * summed *
                          operand_bytes(precision, product, rows, columns) /
                          dsm__tile_operand_bytes_per_cycle(machine);
  const double sum_bytes =
      parts > 1 ? 2 * parts * product->batch * product->rows * product->columns * 4 : 0;
  dsm_tile_schedule time = {
      .tile = *tile,
      .startup =
          waves * dsm__cycles_of_us(system->core.tile_startup_us, system->core.frequency_GHz),
      .arrays = arrays < operands ? 0 : waves * arrays,
      .ring = arrays < operands ? waves * operands : 0,
      .memory = dsm__sums_cycles(machine, sum_bytes),
  };
  time.cycles = time.arrays + time.ring + time.startup + time.memory;
  return time;
}

/* The best of one shape: more parts while enough is left to sum up in each. */
static void try_shape(const dsm_machine *machine, const dsm_precision *precision,
                      const dsm__product *product, uint64_t rows, uint64_t columns,
                      dsm_tile_schedule *best) {
  for (uint64_t parts = 1; parts <= PARTS_MAX; parts *= 2) {
    if (parts > 1 && product->summed / (double)parts < LEAST_SUMMED) {
      return;
    }
    const dsm_tile tile = {{rows, columns, parts}};
    const dsm_tile_schedule time = dsm__tile_time(machine, precision, product, &tile);
    if (time.cycles < best->cycles) {
      *best = time;
    }
  }
}

static void repeat(dsm_tile_schedule *schedule, double times) {
  schedule->arrays *= times;
  schedule->ring *= times;
  schedule->startup *= times;
  schedule->memory *= times;
  schedule->cycles *= times;
}

dsm_tile_schedule dsm__peak_time(const dsm_machine *machine, const dsm_precision *precision,
                                 const dsm__product *product) {
  const dsm_system *const system = machine->system;
  const double macs = product->batch * product->rows * product->columns * product->summed;
  const double rate = (double)system->chip.cores *
                      dsm__core_macs_per_cycle(system, precision->array_rate) *
                      system->array.efficiency_ratio;
  return (dsm_tile_schedule){.arrays = macs / rate, .cycles = macs / rate};
}

dsm_tile_schedule dsm__tile_schedule_find(const dsm_machine *machine,
                                          const dsm_precision *precision,
                                          const dsm__product *product, double times) {
  const dsm_core *const core = &machine->system->core;
  dsm_tile_schedule best = {.cycles = HUGE_VAL};
  if (machine->system->chip.peak_TFLOPS > 0) {
    best = dsm__peak_time(machine, precision, product);
    repeat(&best, times);
    return best;
  }
  uint64_t side = core->tile_least_side;
  try_shape(machine, precision, product, side, side, &best);
  for (; 2 * side * side <= core->tile_most_elements; side *= 2) {
    try_shape(machine, precision, product, 2 * side, side, &best);
    try_shape(machine, precision, product, side, 2 * side, &best);
    if (4 * side * side <= core->tile_most_elements) {
      try_shape(machine, precision, product, 2 * side, 2 * side, &best);
    }
  }
  repeat(&best, times);
  return best;
}

uint64_t dsm_split_cores(const dsm_system *system) {
  return system->model.tile_schedule ? 1 : system->chip.cores;
}
