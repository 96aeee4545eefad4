/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_compute.h"
#include "twin_traffic.h"

#include <math.h>

#include "twin_bytes.h"

/* (groups a core, reduction features a core, produced features a core) in forward and update. */
typedef struct {
  double groups;
  double reduced;
  double produced;
} core_features;

static core_features core_features_of(const twin_node *node, const twin_layout layout,
                                      const double k_in, const double k_out) {
  const double g = twin_chip_groups(node, layout);
  return (core_features){
      .groups = ceil(g / fmin(g, k_out)),
      .reduced = ceil(twin_group_inputs(node, layout) / k_in),
      .produced = ceil(twin_group_outputs(node, layout) / twin_cores_of_group(node, layout, k_out)),
  };
}

/* From one block of weights to the next. */
static double block_cycles(const twin_system *system, const double rate, const double stream,
                           const double load) {
  const double used = stream / rate;
  const double held = system->weights_from_scratchpad ? fmax(used, load) : used;
  return held / system->array_efficiency + system->block_cycles;
}

/* Of a core whose vector unit does all. */
static double vector_cycles(const twin_system *system, const double macs) {
  const double rate = system->vector_macs_per_cycle;
  return rate > 0 ? macs / rate : HUGE_VAL;
}

/* Positions that are sent to experts, of those that they have room for. */
static double sent_share(const twin_node *node) {
  return node->experts > 0 ? node->out_ij / node->ij : 1;
}

/* Of what a pass multiplies: without what a mask hides; a score whose products are not kept makes
 * them anew on the way back, one half for each of its operands' errors. */
static double done_share(const twin_system *system, const twin_node *node,
                         const twin_pass_kind pass) {
  const bool is_made_anew = pass == TWIN_BACKWARD && twin_is_fused_score(system, node);
  return twin_visible_share(system, node) * (is_made_anew ? 1.5 : 1) * sent_share(node);
}

static double unscheduled_cycles(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_layout layout,
                                 const double split[TWIN_DIM_COUNT], const double mbc) {
  const twin_system *const system = context->system;
  const core_features features = core_features_of(node, layout, split[0], split[1]);
  const double c_ij = ceil(node->ij / split[2]);
  const double c_kij = ceil(node->kij / split[3]);
  const double c_mb = ceil(mbc / split[4]);
  const double red = pass == TWIN_BACKWARD ? features.produced : features.reduced;
  const double prod = pass == TWIN_BACKWARD ? features.reduced : features.produced;
  const double column_blocks = ceil(prod / system->columns);
  const double row_blocks = system->unroll_kernel_on_rows ? ceil(red * c_kij / system->rows)
                                                          : ceil(red / system->rows) * c_kij;
  const double load = system->rows * system->columns * twin_kernel_bytes(context, node) /
                      system->scratchpad_bytes_per_cycle;
  const double rate = twin_array_rate(context, node, pass);
  /* Each sample of an attention has blocks of its own. */
  const double samples_apart = twin_is_attention(node) ? c_mb : 1;
  const double stream = c_ij * c_mb / samples_apart;
  const double groups = features.groups * samples_apart;
  const double n = system->arrays;
  /* Each array has columns of blocks of its own, or a part of what streams past the same block. */
  const double columns = ceil(groups * column_blocks / n);
  const double by_features = row_blocks * columns * block_cycles(system, rate, stream, n * load);
  const double by_stream =
      groups * row_blocks * column_blocks * block_cycles(system, rate, ceil(stream / n), load);
  const double done = done_share(system, node, pass);
  const double by_arrays = fmin(by_features, by_stream) * done + system->startup_cycles;
  const double macs = groups * features.reduced * features.produced * c_kij * stream;
  if (node->kind == TWIN_EMBEDDING) {
    return 0; /* nothing is multiplied */
  }
  return twin_turns(node, layout) * fmin(by_arrays, vector_cycles(system, macs * done));
}

/* Rows, columns and sums of as many products alike. */
typedef struct {
  double count;
  double rows;
  double columns;
  double summed;
  double row_bytes; /* of an element of each operand */
  double column_bytes;
  double rate;
} product;

static product product_of(const twin_node *node, const twin_pass_kind pass,
                          const twin_layout layout, const double mbc) {
  const double g = twin_chip_groups(node, layout);
  const double inc = twin_group_inputs(node, layout);
  const double outc = twin_group_outputs(node, layout);
  const double samples = twin_is_product(node) ? 1 : mbc;
  const double count = twin_is_product(node) ? mbc * g : g;
  if (pass == TWIN_FORWARD) {
    return (product){count, samples * node->ij, outc, inc * node->kij, 0, 0, 0};
  }
  if (pass == TWIN_BACKWARD) {
    const double inputs = node->multiplied_ij;
    const double summed = outc * node->kij * node->ij / fmin(inputs, node->ij * node->strides);
    return (product){count, samples * inputs, inc, summed, 0, 0, 0};
  }
  return (product){count, outc, inc * node->kij, samples * node->ij, 0, 0, 0};
}

/* With one shape of tiles, whose sums are cut into k. */
static double tile_cycles(const twin_context *context, const product *p, const double tm,
                          const double tn, const double k) {
  const twin_system *const system = context->system;
  const double kk = ceil(p->summed / k);
  const double tiles = p->count * ceil(p->rows / tm) * ceil(p->columns / tn) * k;
  const double rate =
      system->rows * system->columns * system->arrays * system->array_efficiency * p->rate;
  /* Sharers lie along one side: what lies along the other is theirs in common. */
  const double of_rows = tm * p->row_bytes;
  const double of_columns = tn * p->column_bytes;
  const double spared =
      fmax(of_rows, of_columns) * (system->shared_operands - 1) / system->shared_operands;
  const double fetched = (of_rows + of_columns - spared) * kk * system->cores;
  const double operands = fmax(twin_even_bytes(system, fetched) / system->core_link_bytes_per_cycle,
                               fetched / system->shared_bytes_per_cycle);
  const double cycle = fmax(tm * tn * kk / rate, operands);
  const double sums = k > 1 ? 8 * k * p->count * p->rows * p->columns : 0;
  return ceil(tiles / system->cores) * (cycle + system->tile_startup_cycles) +
         fmax(sums / system->auxiliary_bytes_per_cycle, sums / system->shared_bytes_per_cycle);
}

/* Over all shapes whose sides differ by a factor of 2 at most, and all ways to cut the sums. */
static double scheduled_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double mbc) {
  const twin_system *const system = context->system;
  product p = product_of(node, pass, layout, mbc);
  p.row_bytes = pass == TWIN_FORWARD ? node->in_bytes : node->out_bytes;
  p.column_bytes = pass == TWIN_UPDATE ? node->in_bytes : twin_kernel_bytes(context, node);
  p.rate = twin_array_rate(context, node, pass);
  if (node->experts > 0) { /* those that something is sent to */
    const double fetched = twin_fetched_share(context, node, mbc);
    p.count = ceil(p.count * fetched);
    p.rows *= pass == TWIN_FORWARD ? sent_share(node) / fetched : 1;
  }
  const double least = system->tile_least_side;
  double best = HUGE_VAL;
  for (double tm = least; tm <= least * 2048; tm *= 2) {
    for (double tn = least; tn <= least * 2048; tn *= 2) {
      const bool is_smallest = tm <= least && tn <= least;
      const bool is_shape = tm <= 2 * tn && tn <= 2 * tm && tm * tn <= system->tile_most_elements;
      for (double k = 1; k <= 64 && (is_shape || is_smallest); k *= 2) {
        if (k <= 1 || p.summed / k >= 64) {
          best = fmin(best, tile_cycles(context, &p, tm, tn, k));
        }
      }
    }
  }
  const double macs = twin_chip_groups(node, layout) * twin_group_inputs(node, layout) *
                      twin_group_outputs(node, layout) * node->ij * node->kij * mbc;
  if (node->kind == TWIN_EMBEDDING) {
    return 0;
  }
  return twin_turns(node, layout) * done_share(system, node, pass) *
         fmin(best / sent_share(node), vector_cycles(system, macs / system->cores));
}

/* Tiles of an attention's kernel, one after the other: rows of queries by keys, on the way back
 * keys by rows of queries. */
static double kernel_cycles(const twin_context *context, const twin_node *node,
                            const twin_pass_kind pass, const twin_layout layout, const double mbc,
                            const double heads, const double parts) {
  const twin_system *const system = context->system;
  const bool is_back = pass == TWIN_BACKWARD;
  const double s = node->ij;
  const double c = (node->kind == TWIN_SCORE ? node->out : node->in) / node->groups;
  const bool skips = system->causal_skip && system->attention_skips_masked;
  const double window = skips && node->window > 0 ? node->window : HUGE_VAL;
  const double rows = is_back ? c : s * heads;
  const double side = fmin(128, system->tile_least_rows * ceil(rows / system->tile_least_rows));
  const double d = node->key_features;
  const double v = node->value_features;
  const double macs = system->rows * system->columns * system->arrays *
                      twin_array_rate(context, node, pass) * system->attention_efficiency;
  const double of_queries = node->kind == TWIN_SCORE ? node->in_bytes : node->out_bytes;
  const double bytes =
      (d + v) * (is_back ? of_queries : twin_kernel_bytes(context, node)) * system->cores;
  const double operands = fmax(twin_even_bytes(system, bytes) / system->core_link_bytes_per_cycle,
                               bytes / system->shared_bytes_per_cycle);
  const double arrays = is_back ? side * (3 * d + 2 * v) / (macs * 0.85) : side * (d + v) / macs;
  double sum = 0;
  double longest = 0;
  for (double first = 0; first < rows; first += side) {
    const double last = fmin(rows, first + side);
    double seen = is_back ? s : c;
    if (skips && node->is_causal) {
      seen = is_back ? fmin(s, first + side) : c - s + ceil(last / heads);
    }
    seen = fmin(seen, window) * (is_back ? heads : 1);
    seen = ceil(seen / parts);
    seen = rows > side ? 128 * ceil(seen / 128) : seen;
    const double one = seen * fmax(arrays, operands) + system->attention_tile_cycles;
    sum += one;
    longest = fmax(longest, one);
  }
  const double products = mbc * twin_chip_groups(node, layout) / heads * parts;
  const double sums = parts > 1 ? 8 * parts * mbc * twin_chip_groups(node, layout) * s * v : 0;
  return fmax(products * sum / system->cores, longest) +
         fmax(sums / system->auxiliary_bytes_per_cycle, sums / system->shared_bytes_per_cycle);
}

/* With the best divisor of the heads of a key's as rows of a product, and the best number of parts
 * of the keys. */
static double attention_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double mbc) {
  const double c = (node->kind == TWIN_SCORE ? node->out : node->in) / node->groups;
  const double all = fmin(node->groups / node->operand_groups, twin_chip_groups(node, layout));
  double best = HUGE_VAL;
  for (double heads = 1; heads <= all; heads++) {
    for (double parts = 1; parts <= 1 || (pass == TWIN_FORWARD && c / parts >= 256); parts *= 2) {
      if (fmod(all, heads) < 1) {
        best = fmin(best, kernel_cycles(context, node, pass, layout, mbc, heads, parts));
      }
    }
  }
  const double macs = twin_chip_groups(node, layout) * twin_group_inputs(node, layout) *
                      twin_group_outputs(node, layout) * node->ij * mbc;
  const double by_vector = done_share(context->system, node, pass) *
                           vector_cycles(context->system, macs / context->system->cores);
  return fmin(twin_kernel_share(node, pass) * best, by_vector);
}

/* All that a chip multiplies at the rate that is stated of it. On the way back each output meets
 * its filter, as in tiles. */
static double peak_cycles(const twin_context *context, const twin_node *node,
                          const twin_pass_kind pass, const twin_layout layout, const double mbc) {
  const twin_system *const system = context->system;
  const product p = product_of(node, pass, layout, mbc);
  const double macs = p.count * p.rows * p.columns * p.summed;
  if (node->kind == TWIN_EMBEDDING) {
    return 0;
  }
  return twin_turns(node, layout) * done_share(system, node, pass) * macs /
         (system->peak_macs_per_cycle * twin_array_rate(context, node, pass) *
          system->array_efficiency);
}

double twin_primary_cycles(const twin_context *context, const twin_node *node,
                           const twin_pass_kind pass, const twin_layout layout,
                           const double split[TWIN_DIM_COUNT], const double mbc) {
  if (twin_is_kernel(context->system, node)) {
    return attention_cycles(context, node, pass, layout, mbc);
  }
  if (context->system->peak_macs_per_cycle > 0) {
    return peak_cycles(context, node, pass, layout, mbc);
  }
  return context->system->tile_schedule
             ? scheduled_cycles(context, node, pass, layout, mbc)
             : unscheduled_cycles(context, node, pass, layout, split, mbc);
}
