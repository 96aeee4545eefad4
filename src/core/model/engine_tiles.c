/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_tiles.c: tiles of outputs that cores take as they become free (section 4,
 * model.tile_schedule).
 */
#include <math.h>

#include "base/order.h"
#include "base/units.h"
#include "model/engine.h"

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

/* Of a core's part of both operands, which have elements of their own. */
static double operand_bytes(const dsm_precision *precision, const dsm__product *product,
                            double rows, double columns, double summed) {
  const double of_rows = dsm__stated_bytes(product->row_bytes, precision->element_bytes);
  const double of_columns = dsm__stated_bytes(product->column_bytes, precision->element_bytes);
  const double difference = of_columns - of_rows;
  return (rows + columns) * summed * (of_rows + difference * (columns / (rows + columns)));
}

double dsm__tile_macs_per_cycle(const dsm_machine *machine, const dsm_precision *precision) {
  return (double)machine->reduction_chunk * (double)machine->production_chunk *
         (double)machine->system->core.arrays * precision->array_rate * machine->clock_ratio;
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
  const double sharers = (double)system->core.shared_operands;
  const double fetched =
      dsm__smaller(operand_bytes(precision, product, rows / sharers, columns, summed),
                   operand_bytes(precision, product, rows, columns / sharers, summed));
  const double operands = fetched / dsm__tile_operand_bytes_per_cycle(machine);
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

dsm_tile_schedule dsm__tile_schedule_find(const dsm_machine *machine,
                                          const dsm_precision *precision,
                                          const dsm__product *product, double times) {
  const dsm_core *const core = &machine->system->core;
  dsm_tile_schedule best = {.cycles = HUGE_VAL};
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

/* ---- the row ---- */

static bool is_of(const dsm_system *system) {
  return system->model.tile_schedule;
}

/* All cores share evenly what the vector units do, where they take less than the arrays. */
static void try_vector_unit(dsm_pass_work *work) {
  const dsm_loops *const chip = &work->share.chip;
  double macs =
      work->product_share / (double)work->share.groups / (double)work->machine->system->chip.cores;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    macs *= (double)chip->n[d];
  }
  const double cycles = dsm__vector_cycles(work->machine, work->share.turns, macs);
  if (cycles < work->tiles.cycles) {
    work->tiles = (dsm_tile_schedule){.arrays = cycles, .cycles = cycles};
  }
}

double dsm__kernel_floor_cycles(const dsm_pass_work *work) {
  const dsm_core *const core = &work->machine->system->core;
  return work->layer->macs > 0 ? dsm__cycles_of_us(core->kernel_floor_us, core->frequency_GHz) : 0;
}

static void prepare(dsm_pass_work *work) {
  if (dsm__is_attention_kernel(work->layer, work->machine->system)) {
    work->tiles = dsm__attention_schedule(work);
    work->overhead_cycles += dsm__attention_floor_cycles(work);
  } else {
    const double sent = dsm__sent_share(work->layer);
    dsm__product product = dsm__product_derive(work->layer, &work->share, work->pass);
    dsm__product_size(&product, &work->tensor_bytes, work->pass);
    if (work->layer->experts > 0) { /* those that something is sent to, with more for each */
      const double fetched = dsm__fetched_experts(work->layer, &work->share, work->mode);
      product.batch = ceil(product.batch * fetched);
      product.rows *= work->pass == DSM_PASS_FORWARD ? sent / fetched : 1;
    }
    work->tiles = dsm__tile_schedule_find(work->machine, &work->precision, &product,
                                          (double)work->share.turns * work->product_share / sent);
    work->overhead_cycles += dsm__kernel_floor_cycles(work);
  }
  try_vector_unit(work);
}

static double cycles_of(const dsm_pass_work *work, const dsm_loops *split) {
  (void)split;
  return work->tiles.cycles;
}

static dsm_computing computing(const dsm_pass_work *work, const dsm_loops *split) {
  (void)split;
  return work->tiles.tile.n[DSM_TILE_PARTS] > 0 ? DSM_COMPUTING_ARRAY : DSM_COMPUTING_VECTOR_UNIT;
}

static void add_resources(const dsm_pass_work *work, const dsm_loops *split, double primary_cycles,
                          double cycles[DSM_BOUND_COUNT]) {
  (void)split;
  (void)primary_cycles; /* the sum of these parts */
  const dsm_tile_schedule *const tiles = &work->tiles;
  cycles[DSM_BOUND_COMPUTE] += tiles->arrays;
  cycles[DSM_BOUND_STARTUP] += tiles->startup;
  cycles[dsm_bound_of_link(dsm__tile_operand_link(work->machine))] += tiles->ring;
  cycles[dsm__sums_bound(work->machine)] += tiles->memory;
}

const dsm__engine dsm__engine_tiles = {
    .is_of = is_of,
    .has_tiles = true,
    .core_macs = dsm__array_core_macs,
    .prepare = prepare,
    .cycles = cycles_of,
    .computing = computing,
    .add_resources = add_resources,
};
