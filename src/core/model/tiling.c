/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tiling.c: tiles of all loops of a core (section 5, model.tiling "blocked").
 *
 * A pass is a product: two operands, left and right, of which the first has rows and the second
 * columns, summed over what they share. A tile has so many rows, columns and summands. Whichever of
 * the three stays while the others change, traffic depends on two of the sides only: a smaller
 * third side takes less room and nothing else, so it is 1. Of the two that are left traffic falls
 * with each; so for each value of one of them, from the whole loop down, the largest of the other
 * that fits is the best, and once the first side alone costs as much as what is known, no smaller
 * one is looked at. That is a few steps in place of all tiles, and as good as all of them, which
 * the brute-force twin looks at.
 *
 * Sides are the same numbers whatever the core split, but for the whole loop of a core. So traffic
 * never rises where a loop of a core is shorter: each tile, cut at the shorter loop, fits as well
 * and leaves no more tiles. The search of core splits depends on that (split_walk.c).
 */
#include <math.h>

#include "model/engine.h"
#include "model/streams.h"

enum { ODD_DIVISORS = 32 }; /* 1, 3 .. 63 */

/* Scratchpads are filled but for rounding. */
static const double filled = 1 + 1e-9;

/* ---- what tiles are made of ---- */

/* Of the product of two numbers, which may be too large for one. */
static dsm_odd_divisors odd_divisors_of(uint64_t a, uint64_t b) {
  dsm_odd_divisors odd = 0;
  for (uint64_t i = 0; i < ODD_DIVISORS; i++) {
    const uint64_t d = 2 * i + 1;
    odd |= (a % d) * (b % d) % d == 0 ? (dsm_odd_divisors)1 << i : 0;
  }
  return odd;
}

/* Sums that are not finished, once written: those that the pass makes, unless they are on chip. */
static double spilled_bytes(const dsm_pass_work *work, const dsm_residency *residency, double sum) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return residency->is_output_held ? 0 : bytes->raw * sum;
  case DSM_PASS_BACKWARD:
    return residency->is_input_held ? 0 : bytes->input * sum;
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  return bytes->kernel * (1 - residency->resident_fraction) * sum;
}

double dsm__shared_spill_bytes(const dsm_pass_work *work) {
  const dsm_residency none = dsm_residency_none(work->machine);
  return dsm__is_blocked(work) ? 2 * spilled_bytes(work, &none, work->tile_bytes.sum) : 0;
}

dsm_tile_bytes dsm__tile_bytes_derive(const dsm_pass_work *work) {
  if (!dsm__is_blocked(work)) {
    return (dsm_tile_bytes){.input = 0};
  }
  const dsm_layer *const layer = work->layer;
  const uint64_t *const chip = work->share.chip.n;
  const double samples = (double)chip[DSM_DIM_MB];
  const double in = (double)chip[DSM_DIM_IN];
  const double out = (double)chip[DSM_DIM_OUT];
  const double positions = (double)chip[DSM_DIM_IJ] * samples;
  const double weights = in / (double)work->share.groups * out * (double)chip[DSM_DIM_KIJ] *
                         (layer->is_product ? samples : 1);
  const double sum = work->tensor_bytes.sum;
  const double fetched = dsm__fetched_experts(layer, &work->share, work->mode);
  return (dsm_tile_bytes){
      .input = work->bytes.input / (in * positions),
      .output = work->bytes.raw / (out * positions),
      .kernel = work->bytes.kernel / (weights * fetched),
      .sum = sum,
      .spilled = 2 * spilled_bytes(work, &work->residency, sum),
      .in = odd_divisors_of(chip[DSM_DIM_IN] / work->share.groups, 1),
      .out = odd_divisors_of(chip[DSM_DIM_OUT] / work->share.groups, 1),
      .position = odd_divisors_of(chip[DSM_DIM_IJ], chip[DSM_DIM_MB]),
  };
}

dsm__core_extents dsm__core_extents_derive(const dsm_pass_work *work, const dsm_loops *split) {
  if (!dsm__is_blocked(work)) {
    return (dsm__core_extents){.in = 0};
  }
  const dsm__core_work core = dsm__core_work_derive(&work->share, split);
  return (dsm__core_extents){
      .in = (double)core.in,
      .out = (double)core.out,
      .positions = dsm__shared_positions(work->layer, core.ij, core.mb),
      .kij = (double)core.kij,
  };
}

/* ---- tiles ---- */

/* A loop, and the sides that tiles can have along it. */
typedef struct loop {
  double extent;
  dsm_odd_divisors odd;
} loop;

/* A pass as a product. Bytes are those for one step along each of two loops. */
typedef struct product {
  loop rows;
  loop columns;
  loop summed;
  double left;   /* rows, summed */
  double right;  /* summed, columns */
  double result; /* rows, columns */
  double room;
  const dsm__stream_loads *loads;
} product;

/* The largest side of at most so much that is not the whole loop; 0 if there is none. */
static double side_at_most(dsm_odd_divisors odd, double most) {
  double largest = 0;
  for (unsigned i = 0; i < ODD_DIVISORS && odd >> i != 0 && 2 * i + 1 <= most; i++) {
    if ((odd >> i & 1) != 0) {
      const double d = 2 * i + 1;
      largest = fmax(largest, ldexp(d, ilogb(most / d)));
    }
  }
  return largest;
}

static double side_within(const loop *of, double most) {
  return most >= of->extent ? of->extent : side_at_most(of->odd, most);
}

static double next_smaller(const loop *of, double side) {
  return side_at_most(of->odd, ceil(side) - 1);
}

static double count_of(const loop *of, double side) {
  return ceil(of->extent / side);
}

static double load_with(const product *p, dsm__refetch refetch) {
  return dsm__largest_load(p->loads, refetch);
}

/* What is known to be best so far. */
typedef struct best_tiles {
  dsm__refetch refetch;
  double load;
} best_tiles;

static void take_if_better(best_tiles *best, const product *p, dsm__refetch refetch) {
  const double load = load_with(p, refetch);
  if (load < best->load) {
    *best = (best_tiles){refetch, load};
  }
}

/* Sums stay until they are finished, and operands come one summand after the other. */
static void keep_result(const product *p, best_tiles *best) {
  const loop *const columns = &p->columns;
  double side = columns->extent;
  while (side > 0) {
    dsm__refetch refetch = {count_of(columns, side), 1, 0};
    if (load_with(p, refetch) >= best->load) {
      return;
    }
    const double rows =
        side_within(&p->rows, (p->room - 2 * p->right * side) / (2 * p->left + p->result * side));
    if (rows > 0) {
      refetch.kernel = count_of(&p->rows, rows);
      take_if_better(best, p, refetch);
    }
    side = next_smaller(columns, side);
  }
}

/* A tile of the right operand stays, past which come rows one after the other. */
static void keep_right(const product *p, best_tiles *best) {
  const loop *const columns = &p->columns;
  double side = columns->extent;
  while (side > 0) {
    dsm__refetch refetch = {count_of(columns, side), 1, 0};
    if (load_with(p, refetch) >= best->load) {
      return;
    }
    const double summed =
        side_within(&p->summed, (p->room - p->result * side) / (2 * (p->left + p->right * side)));
    if (summed > 0) {
      refetch.sums = count_of(&p->summed, summed) - 1;
      take_if_better(best, p, refetch);
    }
    side = next_smaller(columns, side);
  }
}

/* A tile of the left operand stays, past which come columns one after the other. */
static void keep_left(const product *p, best_tiles *best) {
  const loop *const rows = &p->rows;
  double side = rows->extent;
  while (side > 0) {
    dsm__refetch refetch = {1, count_of(rows, side), 0};
    if (load_with(p, refetch) >= best->load) {
      return;
    }
    const double summed =
        side_within(&p->summed, (p->room - p->result * side) / (2 * (p->left * side + p->right)));
    if (summed > 0) {
      refetch.sums = count_of(&p->summed, summed) - 1;
      take_if_better(best, p, refetch);
    }
    side = next_smaller(rows, side);
  }
}

/* A bound may have less than one step of a loop. */
static loop loop_of(double extent, dsm_odd_divisors odd) {
  return (loop){fmax(1, extent), odd};
}

/* Inputs by weights, errors by weights, inputs by errors. The samples of a matmul are products of
 * their own, one after the other, and share no operand. */
static product product_of(const dsm_pass_work *work, const dsm__core_extents *extents) {
  const dsm_tile_bytes *const bytes = &work->tile_bytes;
  const loop in = loop_of(extents->in, bytes->in);
  const loop out = loop_of(extents->out, bytes->out);
  const loop positions = loop_of(extents->positions, bytes->position);
  const double kernel = bytes->kernel * fmax(1, extents->kij);
  const double room = work->residency.scratchpad_bytes * filled;
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return (product){.rows = positions,
                     .columns = out,
                     .summed = in,
                     .left = bytes->input,
                     .right = kernel,
                     .result = bytes->output * bytes->sum,
                     .room = room};
  case DSM_PASS_BACKWARD:
    return (product){.rows = positions,
                     .columns = in,
                     .summed = out,
                     .left = bytes->output,
                     .right = kernel,
                     .result = bytes->input * bytes->sum,
                     .room = room};
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  return (product){.rows = in,
                   .columns = out,
                   .summed = positions,
                   .left = bytes->input,
                   .right = bytes->output,
                   .result = kernel * bytes->sum,
                   .room = room};
}

dsm__refetch dsm__blocked_refetch(const dsm_pass_work *work, const dsm__core_extents *extents,
                                  const dsm__stream_loads *loads, dsm__refetch least) {
  product p = product_of(work, extents);
  p.loads = loads;
  best_tiles best = {least, load_with(&p, least)};
  keep_result(&p, &best);
  keep_right(&p, &best);
  keep_left(&p, &best);
  return best.refetch;
}
