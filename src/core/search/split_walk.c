/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * split_walk.c: the candidates among the core splits of an invocation, of which whole families are
 * passed over that cannot matter.
 *
 * All that an invocation's time takes of its core split, whatever is held and however much room is
 * left, are four numbers (section 5 and 6): the cycles of the arrays; the bytes of a core's kernel
 * and of the features that move past it, which fall into tiles; and the cycles of sums among the
 * cores. Where the link of a core carries what that needs, a fifth in update, in which two things
 * move past what is summed up: input and error. Time never falls where one of them rises. So a
 * family of splits whose numbers are known from below is bounded by the time of these; and of two
 * splits the one that needs no less of anything is no faster.
 *
 * Families are those splits that agree in the parts of the kernel positions and of the features
 * that are summed up; what is left of the cores is shared by the other three loops. Where features
 * produced are given too, positions and samples share the rest, and mostly only the pair counts
 * with which the arrays take least: nothing but their cycles tells one pair from the other.
 */
#include "base/order.h"
#include "search/layer_search.h"

#include <math.h>

#include "base/checked.h"
#include "model/chip_link.h"
#include "model/engine.h"

enum { DIVISORS_MAX = 256, NO_PAIR = UINT16_MAX };

/* What a loop leaves for a core, by the divisor that it is split by. */
typedef struct extents {
  uint64_t core[DIVISORS_MAX];
  size_t count; /* divisors that candidates have; those after them are too large */
} extents;

/* Positions and samples that share a divisor: the parts with which the arrays take least. */
typedef struct shared_pair {
  double stream;       /* elements of a core */
  double shared;       /* those that multiply the same operand, at least */
  double kernel_bytes; /* in update: what is needed at least, whatever the other loops share */
  double sum_cycles;   /* likewise */
  uint16_t ij;
  uint16_t mb; /* NO_PAIR: there is none */
  bool is_known;
} shared_pair;

/* What the splits of a family have in common. */
typedef struct family {
  size_t kij;
  size_t reduced;
  size_t rest;
  dsm__split_needs least;
  dsm__core_extents extents; /* at least */
  double startup_cycles;
  double element_cycles; /* blocks of the arrays for each block of features produced: cycles for
                            each element that streams past them */
} family;

typedef struct walk {
  const dsm_pass_work *work;
  const dsm__divisors *divisors;
  const dsm__split_visitor *visitor;
  dsm_dim reduced;  /* features that are summed up: of these whole families agree */
  dsm_dim produced; /* the others */
  extents loops[DSM_DIM_COUNT];
  uint64_t groups[DIVISORS_MAX]; /* of a core, by the parts of the output features */
  double blocks[DIVISORS_MAX];   /* of what is produced, by its parts, in all groups of a core if
                                    these depend on them */
  shared_pair pairs[DIVISORS_MAX];
  bool is_pair_decisive; /* more than the arrays depends on how positions and samples are split */
  double one_tile_bytes;
  bool has_tiles;           /* model.tiling "blocked" */
  double cycles_of_element; /* of a block, at least, for a position of a sample that streams */
  double cycles_of_change;  /* of a block, at least */
  double vector_cycles;     /* at least, if vector units compute */
  uint64_t looked_at;
  uint64_t visited;
} walk;

/* Bounds are summed in another order than costs. */
static const double rounding = 1 - 1e-9;

/* What is one tile in the least room that a scratchpad can have left needs no less than this. No
 * bytes are no tile. Whether a kernel can stay over timesteps depends on all of its bytes. */
static double tiled_bytes(const walk *w, double bytes) {
  return bytes > 0 && bytes < w->one_tile_bytes ? w->one_tile_bytes : bytes;
}

static double one_tile_bytes(const dsm_pass_work *work) {
  const double least_room = dsm_scratchpad_left_bytes(work->machine, HUGE_VAL, 0);
  const bool are_all_bytes_felt =
      work->machine->core_links.is_by_core || dsm_kernel_can_be_kept(work->layer, work->machine);
  return are_all_bytes_felt ? 0 : least_room / 2 * rounding;
}

/* dsm__whole_block_cycles of arrays that share blocks evenly, and load none. */
static void find_block_cycles(walk *w) {
  const dsm_machine *const machine = w->work->machine;
  const dsm_system *const system = machine->system;
  const double share = rounding / (double)system->core.arrays / machine->clock_ratio;
  w->cycles_of_element = share / system->array.efficiency_ratio / w->work->precision.array_rate;
  w->cycles_of_change = share * system->array.block_cycles;
}

/* Of a core that has no more than its part. */
static double least_vector_cycles(const dsm_pass_work *work) {
  double macs =
      work->product_share / (double)work->share.groups / (double)work->machine->system->chip.cores;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    macs *= (double)work->share.chip.n[d];
  }
  return rounding * dsm__vector_cycles(work->machine, work->share.turns, macs);
}

/* ---- needs ---- */

static double sum_cycles(const dsm_pass_work *work, const dsm_loops *split,
                         const dsm__core_bytes *bytes) {
  return dsm__core_link_cycles(work->machine, dsm__partial_sum_bytes(work, split, bytes) +
                                                  dsm__statistics_bytes(work, split));
}

/* What moves past the weights, of a core. */
static void find_moving(const walk *w, double input, double output, dsm__split_needs *needs) {
  const dsm_pass_work *const work = w->work;
  if (work->pass != DSM_PASS_UPDATE) {
    needs->moving_bytes = tiled_bytes(w, work->pass == DSM_PASS_FORWARD ? input : output);
  } else if (work->machine->core_links.is_by_core) {
    needs->moving_bytes = input;
    needs->error_bytes = output;
  }
}

/* The loops that tiles divide. A kernel that is one tile in any room is fetched once, as all else.
 */
static dsm__core_extents tiled_extents(const walk *w, double kernel_bytes, dsm__core_extents all) {
  const bool is_tiled = w->has_tiles && kernel_bytes > w->one_tile_bytes;
  return is_tiled ? all : (dsm__core_extents){.in = 0};
}

/* All but the cycles of the arrays, and the loops. */
static void find_bytes(const walk *w, const dsm_loops *split, dsm__split_needs *needs) {
  const dsm_pass_work *const work = w->work;
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, split);
  needs->kernel_bytes = tiled_bytes(w, bytes.kernel);
  find_moving(w, bytes.input, bytes.output, needs);
  needs->sum_cycles = sum_cycles(work, split, &bytes);
}

double dsm__needs_total(const dsm_pass_work *work, const dsm__split_needs *needs) {
  const dsm__core_bytes bytes = {
      .input = needs->moving_bytes,
      .output = work->pass == DSM_PASS_UPDATE ? needs->error_bytes : needs->moving_bytes,
      .kernel = needs->kernel_bytes,
  };
  const double overlapped = dsm__stream_cycles(work, &bytes, &needs->extents);
  const double rotation = work->rotation_cycles;
  const double product = fmax(needs->primary_cycles, overlapped);
  const double cycles = product + work->auxiliary_cycles +
                        (needs->sum_cycles + rotation + work->overhead_cycles +
                         work->statistics_cycles + dsm__shown_cycles(work, product));
  if (!work->machine->is_weighed) {
    return cycles;
  }
  const double rate = work->machine->link_bytes_per_cycle[work->machine->core_links.link];
  const double summed_bytes = needs->sum_cycles > 0 ? needs->sum_cycles * rate : 0;
  return dsm__stream_price(work, cycles, &bytes, &needs->extents, summed_bytes);
}

/* ---- families ---- */

/*
 * What splits need at least that agree in the parts of kernel positions and of the features summed
 * up, the other three loops sharing `rest` cores. A core's blocks are those of the loops given,
 * times at least 1 and at least what is produced by the others, each of them at least its part of
 * the loop; so the arrays take the least where `rest` divides the others evenly, and change blocks
 * least where all of it divides what is produced. What a core has of kernel and features is least
 * where all of `rest` divides it.
 */
static void find_least(const walk *w, const dsm_loops *split, uint64_t rest, family *f) {
  const dsm_pass_work *const work = w->work;
  const dsm_machine *const machine = work->machine;
  const dsm_layer *const layer = work->layer;
  const uint64_t *const chip = work->share.chip.n;
  const bool is_backward = work->pass == DSM_PASS_BACKWARD;
  const double kij = (double)split->n[DSM_DIM_KIJ];
  const double reduced = (double)split->n[w->reduced];
  dsm__core_work core = dsm__core_work_derive(&work->share, split);
  const uint64_t left = is_backward ? chip[DSM_DIM_IN] / work->share.groups : chip[DSM_DIM_OUT];
  core.groups = is_backward ? core.groups : 1; /* of the output's parts it is not known yet */
  core.in = is_backward ? 1 : core.in;
  core.out = is_backward ? core.out : 1;
  f->startup_cycles = dsm__startup_cycles(machine, work->share.turns);
  f->element_cycles = (double)work->share.turns * work->product_share *
                      dsm__array_blocks(machine, work->pass, &core);
  const double produced = fmax(1, (double)left / (double)machine->production_chunk);
  const double stream = (double)chip[DSM_DIM_IJ] * (double)chip[DSM_DIM_MB] / (double)rest;
  const double share = rounding / (double)rest;
  const double changes = fmax(1, produced / (double)rest) * w->cycles_of_change;
  const double by_arrays =
      f->element_cycles * (produced * stream * w->cycles_of_element + changes) + f->startup_cycles;
  f->least.primary_cycles = by_arrays < w->vector_cycles ? by_arrays : w->vector_cycles;
  f->least.kernel_bytes = tiled_bytes(w, work->bytes.kernel / (kij * reduced) * share);
  f->least.sum_cycles = 0;
  if (w->has_tiles) {
    const double reduced_extent = is_backward ? (double)core.out : (double)core.in;
    const uint64_t produced_of_group = chip[w->produced] / work->share.groups;
    const double produced_extent = (double)produced_of_group * share;
    f->extents = (dsm__core_extents){
        .in = is_backward ? produced_extent : reduced_extent,
        .out = is_backward ? reduced_extent : produced_extent,
        .positions = dsm__shared_positions(layer, chip[DSM_DIM_IJ], chip[DSM_DIM_MB]) * share,
        .kij = (double)core.kij,
    };
    f->least.extents = tiled_extents(w, f->least.kernel_bytes, f->extents);
  }
  find_moving(w, work->bytes.input / reduced * share,
              work->bytes.raw / (is_backward ? reduced : 1) * share, &f->least);
  if (work->pass == DSM_PASS_FORWARD) { /* of the sums that is where most splits differ */
    const dsm__core_bytes bytes = {.output = work->bytes.raw * share};
    f->least.sum_cycles =
        dsm__core_link_cycles(machine, dsm__partial_sum_bytes(work, split, &bytes));
  } else if (is_backward) {
    const double parts = (double)dsm__parts_within_group(work->share.groups, split);
    const dsm__core_bytes bytes = {.input = work->bytes.input * parts / reduced * share};
    f->least.sum_cycles =
        dsm__core_link_cycles(machine, dsm__partial_sum_bytes(work, split, &bytes));
  }
}

/* ---- splits ---- */

static void visit(walk *w, const dsm__needy_split *one) {
  w->looked_at++;
  if (!w->visitor->is_hopeless(w->visitor->context, &one->needs)) {
    w->visited++;
    w->visitor->visit(w->visitor->context, one);
  }
}

static bool is_enough(const walk *w) {
  return w->visitor->visits_max > 0 && w->visited >= w->visitor->visits_max;
}

/* What an update needs at least where positions and samples share so many cores: a core's kernel,
 * and the sums of it, are least where the others divide all of the kernel. */
static void find_update_least(const walk *w, uint64_t rest, shared_pair *pair) {
  const dsm_pass_work *const work = w->work;
  const double share = rounding * (double)rest / (double)work->machine->system->chip.cores;
  const dsm__core_bytes bytes = {.kernel = work->bytes.kernel * share};
  const dsm_loops split = {{1, 1, rest, 1, 1}};
  if (work->pass == DSM_PASS_UPDATE && !work->layer->is_product &&
      work->layer->lookup_elements == 0) {
    pair->kernel_bytes = tiled_bytes(w, bytes.kernel);
    pair->sum_cycles =
        dsm__core_link_cycles(work->machine, dsm__partial_sum_bytes(work, &split, &bytes));
  }
}

/* The parts of positions and samples with which the arrays take least. */
static shared_pair best_pair(walk *w, size_t rest) {
  const dsm__divisors *const all = w->divisors;
  const extents *const ij = &w->loops[DSM_DIM_IJ];
  const extents *const mb = &w->loops[DSM_DIM_MB];
  shared_pair *const best = &w->pairs[rest];
  if (best->is_known) {
    return *best;
  }
  *best = (shared_pair){.mb = NO_PAIR, .is_known = true};
  for (size_t p = all->first_pair[rest]; p < all->first_pair[rest + 1]; p++) {
    const dsm__divisor_pair pair = all->pairs[p];
    if (pair.divisor < ij->count && pair.rest < mb->count) {
      const double stream = (double)ij->core[pair.divisor] * (double)mb->core[pair.rest];
      const double shared =
          dsm__shared_positions(w->work->layer, ij->core[pair.divisor], mb->core[pair.rest]);
      const double least_shared = best->mb == NO_PAIR ? shared : fmin(shared, best->shared);
      if (best->mb == NO_PAIR || stream < best->stream) {
        *best =
            (shared_pair){.stream = stream, .ij = pair.divisor, .mb = pair.rest, .is_known = true};
      }
      best->shared = least_shared;
    }
  }
  find_update_least(w, all->items[rest], best);
  return *best;
}

/* One way to split positions and samples; needs but for the arrays are known unless the pair
 * decides them. */
static void visit_pair(walk *w, dsm__needy_split *one, dsm__core_work *core, size_t ij, size_t mb) {
  one->split.n[DSM_DIM_IJ] = w->divisors->items[ij];
  one->split.n[DSM_DIM_MB] = w->divisors->items[mb];
  core->ij = w->loops[DSM_DIM_IJ].core[ij];
  core->mb = w->loops[DSM_DIM_MB].core[mb];
  one->needs.primary_cycles = dsm__primary_of_core(w->work, core);
  if (w->is_pair_decisive) {
    find_bytes(w, &one->split, &one->needs);
  }
  if (w->has_tiles) {
    one->needs.extents = tiled_extents(
        w, one->needs.kernel_bytes,
        (dsm__core_extents){.in = (double)core->in,
                            .out = (double)core->out,
                            .positions = dsm__shared_positions(w->work->layer, core->ij, core->mb),
                            .kij = (double)core->kij});
  }
  visit(w, one);
}

/* All ways to split positions and samples, or the best; features and kernel positions are given in
 * `one` and `core`. */
static void walk_pairs(walk *w, dsm__needy_split *one, dsm__core_work *core, size_t rest) {
  const dsm__divisors *const all = w->divisors;
  const shared_pair best = best_pair(w, rest);
  one->split.n[DSM_DIM_IJ] = all->items[best.ij];
  one->split.n[DSM_DIM_MB] = all->items[best.mb];
  find_bytes(w, &one->split, &one->needs);
  if (!w->visitor->are_all_wanted && !w->is_pair_decisive) {
    visit_pair(w, one, core, best.ij, best.mb);
    return;
  }
  for (size_t p = all->first_pair[rest]; p < all->first_pair[rest + 1] && !is_enough(w); p++) {
    const dsm__divisor_pair pair = all->pairs[p];
    if (pair.divisor < w->loops[DSM_DIM_IJ].count && pair.rest < w->loops[DSM_DIM_MB].count) {
      visit_pair(w, one, core, pair.divisor, pair.rest);
    }
  }
}

/* Is there no hope for any split with these parts of the features produced? */
static bool is_produced_in_vain(walk *w, const family *f, size_t produced, size_t rest) {
  const shared_pair best = best_pair(w, rest);
  if (best.mb == NO_PAIR) {
    return true;
  }
  dsm__split_needs least = f->least;
  least.kernel_bytes = dsm__larger(least.kernel_bytes, best.kernel_bytes);
  if (w->has_tiles) {
    const double extent = (double)w->loops[w->produced].core[produced];
    const bool is_in = w->produced == DSM_DIM_IN;
    least.extents = tiled_extents(w, least.kernel_bytes,
                                  (dsm__core_extents){.in = is_in ? extent : f->extents.in,
                                                      .out = is_in ? f->extents.out : extent,
                                                      .positions = best.shared,
                                                      .kij = f->extents.kij});
  }
  least.sum_cycles = dsm__larger(least.sum_cycles, best.sum_cycles);
  const double by_arrays = f->element_cycles * w->blocks[produced] *
                               (best.stream * w->cycles_of_element + w->cycles_of_change) +
                           f->startup_cycles;
  least.primary_cycles = by_arrays < w->vector_cycles ? by_arrays : w->vector_cycles;
  w->looked_at++;
  return w->visitor->is_hopeless(w->visitor->context, &least);
}

static void walk_family(walk *w, const family *f, dsm__needy_split *one) {
  const dsm__divisors *const all = w->divisors;
  const bool is_backward = w->reduced == DSM_DIM_OUT;
  for (size_t p = all->first_pair[f->rest]; p < all->first_pair[f->rest + 1] && !is_enough(w);
       p++) {
    const dsm__divisor_pair pair = all->pairs[p];
    if (pair.divisor >= w->loops[w->produced].count) {
      break;
    }
    if (is_produced_in_vain(w, f, pair.divisor, pair.rest)) {
      continue;
    }
    one->split.n[w->produced] = all->items[pair.divisor];
    const size_t out = is_backward ? f->reduced : pair.divisor;
    const size_t in = is_backward ? pair.divisor : f->reduced;
    dsm__core_work core = {.groups = w->groups[out],
                           .in = w->loops[DSM_DIM_IN].core[in],
                           .out = w->loops[DSM_DIM_OUT].core[out],
                           .kij = w->loops[DSM_DIM_KIJ].core[f->kij]};
    walk_pairs(w, one, &core, pair.rest);
  }
}

/* All families for which there is hope. */
static void walk_all(walk *w) {
  static const dsm_loops whole = {{1, 1, 1, 1, 1}};
  const dsm__divisors *const all = w->divisors;
  const size_t cores = all->count - 1;
  dsm__needy_split one = {.split = whole};
  family f = {.rest = 0};
  for (size_t k = all->first_pair[cores]; k < all->first_pair[cores + 1]; k++) {
    const dsm__divisor_pair kij = all->pairs[k];
    for (size_t p = all->first_pair[kij.rest];
         kij.divisor < w->loops[DSM_DIM_KIJ].count && p < all->first_pair[kij.rest + 1]; p++) {
      const dsm__divisor_pair pair = all->pairs[p];
      if (pair.divisor >= w->loops[w->reduced].count || is_enough(w)) {
        break;
      }
      one.split = whole;
      f.kij = kij.divisor;
      f.reduced = pair.divisor;
      f.rest = pair.rest;
      one.split.n[DSM_DIM_KIJ] = all->items[f.kij];
      one.split.n[w->reduced] = all->items[f.reduced];
      find_least(w, &one.split, all->items[f.rest], &f);
      w->looked_at++;
      if (!w->visitor->is_hopeless(w->visitor->context, &f.least)) {
        walk_family(w, &f, &one);
      }
    }
  }
}

/* ---- preparation ---- */

/* What each loop leaves for a core, by its parts. */
static void find_extents(walk *w, const dsm__parts_limit *candidates) {
  const dsm__divisors *const all = w->divisors;
  const uint64_t groups_of_chip = w->work->share.groups;
  const uint64_t *const chip = w->work->share.chip.n;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    const uint64_t extent = d == DSM_DIM_IN ? chip[d] / groups_of_chip : chip[d];
    extents *const loop = &w->loops[d];
    size_t i = 0;
    for (; i < all->count && all->items[i] <= candidates->most[d]; i++) {
      loop->core[i] = dsm__ceil_div_u64(extent, all->items[i]);
    }
    loop->count = i;
  }
  for (size_t i = 0; i < w->loops[DSM_DIM_OUT].count; i++) {
    w->groups[i] = 1;
    if (groups_of_chip > 1) {
      const dsm_loops split = {{1, all->items[i], 1, 1, 1}};
      const dsm__core_work core = dsm__core_work_derive(&w->work->share, &split);
      w->loops[DSM_DIM_OUT].core[i] = core.out;
      w->groups[i] = core.groups;
    }
  }
  const extents *const produced = &w->loops[w->produced];
  for (size_t i = 0; i < produced->count; i++) {
    const double groups = w->produced == DSM_DIM_OUT ? (double)w->groups[i] : 1;
    w->blocks[i] =
        groups * (double)dsm__ceil_div_u64(produced->core[i], w->work->machine->production_chunk);
  }
}

/* Does a pass take more of positions and samples than how long they keep the arrays? The operand of
 * a matmul is split by samples, and statistics of a sample are summed for each. */
static bool is_pair_decisive(const dsm_pass_work *work) {
  const dsm_layer *const layer = work->layer;
  return layer->is_product || layer->lookup_elements > 0 ||
         (work->machine->system->model.statistics_sums &&
          (layer->has_op[DSM_AUX_LAYER_NORM] || layer->has_op[DSM_AUX_RMS_NORM] ||
           layer->has_op[DSM_AUX_SOFTMAX] || layer->has_op[DSM_AUX_CROSS_ENTROPY]));
}

/* With tiles that cores take as they become free there is one split: none. */
static uint64_t visit_whole(const dsm_pass_work *work, const dsm__split_visitor *visitor) {
  const dsm__needy_split one = {.split = {{1, 1, 1, 1, 1}},
                                .needs = {.primary_cycles = work->tiles.cycles}};
  visitor->visit(visitor->context, &one);
  return 1;
}

/* What of a walk the splits have no part in. */
static void begin(walk *w, const dsm_pass_work *work) {
  const bool is_backward = work->pass == DSM_PASS_BACKWARD;
  w->work = work;
  w->reduced = is_backward ? DSM_DIM_OUT : DSM_DIM_IN;
  w->produced = is_backward ? DSM_DIM_IN : DSM_DIM_OUT;
  w->is_pair_decisive = is_pair_decisive(work);
  w->one_tile_bytes = one_tile_bytes(work);
  w->has_tiles = work->machine->system->model.tiling == DSM_TILING_BLOCKED;
  find_block_cycles(w);
  w->vector_cycles = least_vector_cycles(work);
  w->looked_at = 0;
  w->visited = 0;
}

/* Parts of a work have as many blocks together as the whole, or more; and of each tensor that a
 * core needs it has its even part at least. */
double dsm__least_needs_total(const dsm_pass_work *work) {
  static const dsm_loops whole = {{1, 1, 1, 1, 1}};
  const double share = rounding / (double)work->machine->system->chip.cores;
  dsm__split_needs needs = {.primary_cycles = work->tiles.cycles};
  walk w;
  if (work->machine->engine->has_splits) {
    begin(&w, work);
    const dsm__core_work all = dsm__core_work_derive(&work->share, &whole);
    const double blocks = (double)work->share.turns * work->product_share *
                          dsm__array_blocks(work->machine, work->pass, &all);
    const double stream = (double)all.ij * (double)all.mb;
    const double by_arrays = blocks * (stream * w.cycles_of_element + w.cycles_of_change) * share +
                             dsm__startup_cycles(work->machine, work->share.turns);
    needs.primary_cycles = fmin(by_arrays, w.vector_cycles);
    needs.kernel_bytes = tiled_bytes(&w, work->bytes.kernel * share);
    find_moving(&w, work->bytes.input * share, work->bytes.raw * share, &needs);
  }
  return dsm__needs_total(work, &needs);
}

uint64_t dsm__splits_walk(const dsm_pass_work *work, const dsm__core_splits *splits,
                          const dsm__split_visitor *visitor) {
  if (!work->machine->engine->has_splits) {
    return visit_whole(work, visitor);
  }
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, &work->share);
  walk w;
  begin(&w, work);
  w.divisors = &splits->divisors;
  w.visitor = visitor;
  for (size_t i = 0; i < splits->divisors.count; i++) {
    w.pairs[i].is_known = false;
  }
  find_extents(&w, &candidates);
  walk_all(&w);
  return w.looked_at;
}
