/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attention_kernel.c: scores, their softmax and sums of values as one kernel (section 4). */
#include <math.h>

#include "base/units.h"
#include "model/engine.h"

/* Of FlashAttention's kernels: the most rows of a tile, and the fewest keys of a part. */
enum { TILE_SIDE = 128, PART_LEAST = 256 };

bool dsm__is_attention_kernel(const dsm_layer *layer, const dsm_system *system) {
  const dsm_assumptions *const model = &system->model;
  return model->fused_attention && dsm__engine_of(system)->has_tiles &&
         layer->attention.value_features > 0;
}

/* Tiles of rows, past each of which the other operand streams. */
typedef struct tile_set {
  double side; /* rows of a tile */
  double count;
  double mean; /* of what streams past a tile */
  double most;
} tile_set;

static double up(double value, double step) {
  return ceil(value / step) * step;
}

static double side_of(const dsm_pass_work *work, double rows) {
  return fmin(TILE_SIDE, up(rows, (double)work->machine->system->core.tile_least_rows));
}

/* Sum of ceil(j / step) over j = 1 .. n. */
static double sum_of_ceilings(double n, double step) {
  const double whole = floor(n / step);
  return step * whole * (whole + 1) / 2 + (n - step * whole) * (whole + 1);
}

static bool skips_masked(const dsm_pass_work *work) {
  const dsm_assumptions *const model = &work->machine->system->model;
  return model->causal_skip && model->attention_skips_masked;
}

/* Of keys a query, or of queries a key. */
static double seen_of(const dsm_pass_work *work, double all) {
  const double window = (double)work->layer->attention.window;
  return skips_masked(work) && window > 0 ? fmin(all, window) : all;
}

static double keys_of(const dsm_layer *layer) {
  return (double)(layer->is_score ? layer->out : layer->in) / (double)layer->groups;
}

/* Rows of queries by one of `parts` of the keys. The last tile sees the most of them, each before
 * it those of 128 / heads positions fewer where a mask hides some and no window is full. Chips that
 * share positions have them in turn: their tiles see what all do on average. */
static tile_set forward_tiles(const dsm_pass_work *work, double heads, double parts) {
  const double positions = (double)work->layer->ij;
  const double earlier = keys_of(work->layer) - positions;
  const double seen = seen_of(work, keys_of(work->layer));
  const double own_rows = (double)work->share.chip.n[DSM_DIM_IJ] * heads;
  const double count = ceil(positions * heads / side_of(work, positions * heads));
  tile_set tiles = {.side = side_of(work, own_rows)};
  tiles.count = ceil(own_rows / tiles.side);
  tiles.most = count > 1 ? up(seen / parts, TILE_SIDE) : ceil(seen / parts);
  tiles.mean = tiles.most;
  if (work->layer->attention.is_causal && skips_masked(work)) {
    const double before = ceil(earlier * heads / TILE_SIDE);
    const double growing = fmax(0, fmin(floor((seen - earlier) * heads / TILE_SIDE), count - 1));
    const double blocks =
        sum_of_ceilings(before + growing, heads * parts) - sum_of_ceilings(before, heads * parts);
    tiles.mean = (TILE_SIDE * blocks + (count - growing) * tiles.most) / count;
  }
  return tiles;
}

/* Keys by rows of queries: some of the last tile are seen by the last 128 positions, of each before
 * it by 128 more. */
static tile_set backward_tiles(const dsm_pass_work *work, double heads) {
  const double seen = seen_of(work, (double)work->layer->ij);
  tile_set tiles = {.side = side_of(work, keys_of(work->layer))};
  tiles.count = ceil(keys_of(work->layer) / tiles.side);
  tiles.most = tiles.count > 1 ? up(seen * heads, TILE_SIDE) : seen * heads;
  tiles.mean = tiles.most;
  if (work->layer->attention.is_causal && skips_masked(work)) {
    const double growing = fmin(floor(seen / TILE_SIDE), tiles.count - 1);
    const double rows = TILE_SIDE * heads * growing * (growing + 1) / 2;
    tiles.mean = (rows + (tiles.count - growing) * tiles.most) / tiles.count;
  }
  tiles.mean *= work->share.position_share;
  tiles.most *= work->share.position_share;
  return tiles;
}

/* What an invocation of a layer has of the kernel: by the layer's features, so that both layers
 * take as long as it, whichever of computation and memory is slower. */
static double share_of_kernel(const dsm_pass_work *work) {
  const dsm_attention_shape *const shape = &work->layer->attention;
  const uint64_t own = work->layer->is_score ? shape->key_features : shape->value_features;
  return (double)own / (double)(shape->key_features + shape->value_features) /
         (work->pass == DSM_PASS_BACKWARD ? 2 : 1);
}

/* Cycles of a tile for each of what streams past it: by the arrays in `arrays`, else it waits in
 * `ring`. A backward pass makes the scores and four errors, at 0.85 of the rate (assumption:
 * published rates are 0.75 to 0.9 of those of forward passes). */
static dsm_tile_schedule cycles_of_one(const dsm_pass_work *work, double side) {
  const dsm_system *const system = work->machine->system;
  const dsm_tensor_bytes *const bytes = &work->tensor_bytes;
  const bool is_backward = work->pass == DSM_PASS_BACKWARD;
  const double d = (double)work->layer->attention.key_features;
  const double v = (double)work->layer->attention.value_features;
  const double ratio = system->model.attention_efficiency_ratio;
  const double macs = dsm__tile_macs_per_cycle(work->machine, &work->precision) *
                      (ratio > 0 ? ratio : system->array.efficiency_ratio);
  const double arrays = side * (is_backward ? (3 * d + 2 * v) / 0.85 : d + v) / macs;
  const double of_queries = work->layer->is_score ? bytes->input : bytes->output;
  const double streamed = work->layer->attention.has_values_in_keys ? d : d + v;
  const double operands = streamed * (is_backward ? of_queries : bytes->kernel) /
                          dsm__tile_operand_bytes_per_cycle(work->machine);
  return arrays < operands ? (dsm_tile_schedule){.ring = operands, .cycles = operands}
                           : (dsm_tile_schedule){.arrays = arrays, .cycles = arrays};
}

/* Cores take tiles as they become free, and wait for the longest one. */
static dsm_tile_schedule schedule_of(const dsm_pass_work *work, const tile_set *tiles, double heads,
                                     double parts) {
  const dsm_system *const system = work->machine->system;
  const dsm_loops *const chip = &work->share.chip;
  const double share = share_of_kernel(work) * (double)work->share.turns;
  const double start =
      dsm__cycles_of_us(system->core.attention_tile_us, system->core.frequency_GHz);
  const dsm_tile_schedule one = cycles_of_one(work, tiles->side);
  const double products = (double)chip->n[DSM_DIM_MB] * (double)work->share.groups / heads;
  const double of_core = products * parts * tiles->count / (double)system->chip.cores;
  const bool waits =
      of_core * (tiles->mean * one.cycles + start) < tiles->most * one.cycles + start;
  const double streamed = share * (waits ? tiles->most : of_core * tiles->mean);
  const double sums = products * heads * (double)chip->n[DSM_DIM_IJ] *
                      (double)work->layer->attention.value_features;
  dsm_tile_schedule time = {
      .tile = {{(uint64_t)tiles->side, (uint64_t)ceil(tiles->most), (uint64_t)parts}},
      .arrays = streamed * one.arrays,
      .ring = streamed * one.ring,
      .startup = share * start * (waits ? 1 : of_core),
      .memory = parts > 1 ? dsm__sums_cycles(work->machine, share * 2 * parts * sums * 4) : 0,
  };
  time.cycles = time.arrays + time.ring + time.startup + time.memory;
  return time;
}

static void try_heads(const dsm_pass_work *work, uint64_t heads, dsm_tile_schedule *best) {
  const bool is_backward = work->pass == DSM_PASS_BACKWARD;
  const double parts_max = is_backward ? 1 : keys_of(work->layer) / PART_LEAST;
  double parts = 1;
  do {
    const tile_set tiles = is_backward ? backward_tiles(work, (double)heads)
                                       : forward_tiles(work, (double)heads, parts);
    const dsm_tile_schedule time = schedule_of(work, &tiles, (double)heads, parts);
    *best = time.cycles < best->cycles ? time : *best;
    parts *= 2;
  } while (parts <= parts_max);
}

/* All heads of queries of a key's are rows of one product, or a divisor of them: more heads of keys
 * leave fewer such ways, each of which they make no faster. */
dsm_tile_schedule dsm__attention_schedule(const dsm_pass_work *work) {
  const uint64_t of_key = work->layer->groups / work->layer->operand_groups;
  const uint64_t heads = of_key < work->share.groups ? of_key : work->share.groups;
  dsm_tile_schedule best = {.cycles = HUGE_VAL};
  for (uint64_t products = 1; products * products <= heads; products++) {
    if (heads % products == 0) {
      try_heads(work, heads / products, &best);
      try_heads(work, products, &best);
    }
  }
  return best;
}

double dsm__attention_floor_cycles(const dsm_pass_work *work) {
  const dsm_core *const core = &work->machine->system->core;
  return dsm__cycles_of_us(share_of_kernel(work) * core->attention_floor_us, core->frequency_GHz);
}
