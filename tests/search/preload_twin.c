/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload_twin.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "plan/tolerance.h"
#include "random_numbers.h"

/* ---- mappings, but for core splits and fractions ---- */

typedef struct frame {
  const preload_twin *twin;
  dsm__layer_decision layers[TWIN_LAYERS_MAX];
  dsm__holding holdings[TWIN_LAYERS_MAX];
  double preloaded_bytes;
  double fixed_cycles; /* relayouts */
} frame;

static bool may_reuse(const preload_twin *twin) {
  return (twin->options.optimizations & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE)) != 0;
}

static dsm__layer_setting setting_of(const frame *f, size_t layer, double fraction) {
  return (dsm__layer_setting){
      .layer = &f->twin->workload->layers[layer],
      .machine = &f->twin->machine,
      .precision = dsm_precision_of(f->twin->workload, f->twin->machine.system),
      .mode = DSM_MODE_INFERENCE,
      .minibatch = f->twin->workload->minibatch,
      .dysm_factor = 1,
      .holding = f->holdings[layer],
      .preloaded_bytes = f->preloaded_bytes,
      .resident_fraction = fraction,
  };
}

static dsm_parallelism parallelism_of(const frame *f, size_t layer) {
  return f->layers[layer].layouts.of[DSM_PASS_FORWARD];
}

/* What a chip needs of its memory (section 12). */
static double memory_need(const frame *f) {
  const dsm__decisions decisions = {.layers = f->layers};
  dsm_layer_memory memory[TWIN_LAYERS_MAX];
  dsm__mapping_memory_derive(f->twin->workload, &f->twin->machine, DSM_MODE_INFERENCE, &decisions,
                             memory);
  double kept = 0;
  double transient = 0;
  for (size_t i = 0; i < f->twin->workload->layer_count; i++) {
    kept += dsm__kept_bytes(&memory[i]);
    transient = fmax(transient, memory[i].transient_bytes);
  }
  return kept + transient;
}

/* Completes a frame from parallelisms, held outputs and preloaded bytes; false: not legal. */
static bool frame_complete(frame *f) {
  const preload_twin *const twin = f->twin;
  const size_t count = twin->workload->layer_count;
  const dsm__decisions decisions = {.layers = f->layers};
  if (memory_need(f) > dsm__capacity_limit(twin->system->chip.memory.capacity_GB * 1e9)) {
    return false;
  }
  f->fixed_cycles = 0;
  memset(f->holdings, 0, sizeof f->holdings);
  for (size_t i = 0; i < count; i++) {
    const dsm_layer *const layer = &twin->workload->layers[i];
    const size_t last = dsm__last_use(layer);
    for (size_t k = i; f->layers[i].layer.is_output_held && (last == DSM_NEVER_USED || k <= last);
         k++) {
      if (last == DSM_NEVER_USED || twin->workload->layers[k].timesteps > 1 ||
          parallelism_of(f, k) != parallelism_of(f, i) || !may_reuse(twin)) {
        return false;
      }
    }
    if (i > 0) {
      const double bytes = (double)layer->carried_elements * (double)twin->workload->minibatch *
                           twin->workload->element_bytes;
      const dsm_traffic traffic = dsm_relayout_traffic(
          &twin->machine, bytes, parallelism_of(f, i - 1), parallelism_of(f, i));
      f->fixed_cycles += dsm_group_cycles(&twin->machine, &traffic);
    }
  }
  ck_assert(dsm__holdings_derive(twin->workload, &twin->machine, &decisions, f->holdings, NULL));
  for (size_t i = 0; i < count; i++) {
    const dsm__layer_setting setting = setting_of(f, i, 0);
    if (dsm__is_holding(&f->holdings[i]) && !dsm__holding_fits(&setting, parallelism_of(f, i))) {
      return false;
    }
  }
  return true;
}

/* Sets parallelisms and held outputs of a frame by a number; false: not legal, or past the end. */
static bool frame_set(frame *f, unsigned number, double preloaded_bytes, bool *is_end) {
  const preload_twin *const twin = f->twin;
  const size_t count = twin->workload->layer_count;
  memset(f->layers, 0, sizeof f->layers);
  for (size_t i = 0; i < count; i++, number /= 2) {
    f->layers[i].layer.is_output_held = number % 2 == 1;
  }
  for (size_t i = 0; i < count; i++, number /= DSM_PARALLELISM_COUNT_OF(2)) {
    const dsm_parallelism parallelism = (dsm_parallelism)(number % DSM_PARALLELISM_COUNT_OF(2));
    f->layers[i].layouts = dsm_pass_layouts_uniform(parallelism);
    f->layers[i].layer.dysm_factor = 1;
  }
  *is_end = number > 0;
  for (size_t i = 0; i < count; i++) {
    if ((dsm__allowed_parallelisms(&twin->workload->layers[i], &twin->options,
                                   twin->machine.system) &
         DSM_PARALLELISM_BIT(parallelism_of(f, i))) == 0 ||
        (twin->machine.chip_count == 1 && parallelism_of(f, i) != DSM_PARALLELISM_DATA)) {
      return false;
    }
  }
  f->preloaded_bytes = preloaded_bytes;
  return !*is_end && frame_complete(f);
}

static double level_bytes(const preload_twin *twin, int level) {
  return dsm_preload_room_bytes(&twin->machine) * level / 32;
}

void preload_twin_limit_memory(preload_twin *twin, double share) {
  frame f = {.twin = twin};
  bool is_end = false;
  double least = HUGE_VAL;
  double most = 0;
  for (unsigned number = 0; !is_end; number++) {
    if (frame_set(&f, number, 0, &is_end)) {
      least = fmin(least, memory_need(&f));
      most = fmax(most, memory_need(&f));
    }
  }
  twin->system->chip.memory.capacity_GB = (least + share * (most - least)) * 1e-9;
  twin->is_memory_short = true;
}

/* ---- one layer ---- */

/* A matmul's operand comes with the request. */
static bool has_weights(const frame *f, size_t layer) {
  return f->twin->workload->layers[layer].weight_elements > 0;
}

static bool is_candidate(const frame *f, const dsm_pass_work *work, size_t split) {
  const preload_twin *const twin = f->twin;
  bool is_any = false;
  for (size_t s = 0; s < twin->split_count; s++) {
    is_any = is_any || dsm_split_is_valid(&work->share, &twin->splits[s]);
  }
  return !is_any || dsm_split_is_valid(&work->share, &twin->splits[split]);
}

/* The first (or every) invocation's work with a fraction on chip; or that of a steady one. */
static dsm_pass_work work_of(const frame *f, size_t layer, double fraction, bool is_steady) {
  const dsm__layer_setting setting = setting_of(f, layer, fraction);
  const dsm__parts parts =
      dsm__pass_parts(&setting, DSM_PASS_FORWARD, parallelism_of(f, layer), is_steady);
  return dsm__part_work(&setting, DSM_PASS_FORWARD, parallelism_of(f, layer),
                        &parts.items[is_steady ? 1 : 0]);
}

/* The fastest steady invocation, and its split; infinite: there is none. */
static double steady_cycles(const frame *f, size_t layer, dsm_loops *split) {
  const preload_twin *const twin = f->twin;
  double best = HUGE_VAL;
  const dsm_layer *const of = &twin->workload->layers[layer];
  const bool is_operand = of->is_product && !twin->system->model.resident_operands;
  if (of->timesteps == 1 || is_operand || !may_reuse(twin)) {
    return best;
  }
  const dsm_pass_work work = work_of(f, layer, 0, true);
  for (size_t s = 0; s < twin->split_count; s++) {
    const double cycles = dsm_invocation_score(&work, &twin->splits[s]).total;
    if (is_candidate(f, &work, s) && dsm__kernel_can_stay(&work, &twin->splits[s]) &&
        cycles < best) {
      best = cycles;
      *split = twin->splits[s];
    }
  }
  return best;
}

static double layer_cycles(const frame *f, size_t layer, size_t split, double fraction) {
  const double timesteps = (double)f->twin->workload->layers[layer].timesteps;
  const dsm_pass_work work = work_of(f, layer, fraction, false);
  dsm_loops unused;
  const double first = dsm_invocation_score(&work, &f->twin->splits[split]).total;
  return fmin(timesteps * first, first + (timesteps - 1) * steady_cycles(f, layer, &unused));
}

/* One way to run a layer. */
typedef struct point {
  double bytes;
  double cycles;
} point;

enum { PARTS = 8, FRACTIONS_MAX = PARTS + 1 + DSM_RESIDENT_BREAKS_MAX };

typedef struct points {
  point items[FRACTIONS_MAX * TWIN_SPLITS_MAX];
  size_t count;
} points;

static int compare_points(const void *left, const void *right) {
  const point *const a = left;
  const point *const b = right;
  if (a->bytes < b->bytes || a->bytes > b->bytes) {
    return a->bytes < b->bytes ? -1 : 1;
  }
  return (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

/* None, as much as helps, and all of the weights; with a shared memory also some parts between,
 * whether time falls less steeply there or not. */
static size_t list_fractions(const dsm_pass_work *work, const dsm_loops *split,
                             double fractions[FRACTIONS_MAX]) {
  const dsm_resident_breaks breaks = dsm_resident_breaks_derive(work, split);
  size_t count = 0;
  fractions[count++] = 0;
  fractions[count++] = 1;
  for (unsigned b = 0; b < breaks.count; b++) {
    fractions[count++] = breaks.fractions[b];
  }
  for (int k = 1; work->machine->has_shared_memory && k < PARTS; k++) {
    fractions[count++] = (double)k / PARTS;
  }
  return count;
}

/* All of these, with every split; what others are better than in both respects is left out. */
static void list_points(const frame *f, size_t layer, points *list) {
  const dsm_pass_work work = work_of(f, layer, 0, false);
  list->count = 0;
  for (size_t s = 0; s < f->twin->split_count; s++) {
    if (!is_candidate(f, &work, s)) {
      continue;
    }
    const dsm_loops *const split = &f->twin->splits[s];
    const double kernel = dsm_kept_kernel_bytes(&work, split);
    double fractions[FRACTIONS_MAX];
    const size_t fraction_count = list_fractions(&work, split, fractions);
    for (size_t k = 0; k < (has_weights(f, layer) ? fraction_count : 1); k++) {
      list->items[list->count++] =
          (point){fractions[k] * kernel, layer_cycles(f, layer, s, fractions[k])};
    }
  }
  qsort(list->items, list->count, sizeof list->items[0], compare_points);
  size_t kept = 1;
  for (size_t i = 1; i < list->count; i++) {
    if (list->items[i].cycles < list->items[kept - 1].cycles) {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

static double cycles_within(const frame *f, size_t layer, double bytes) {
  const dsm_pass_work work = work_of(f, layer, 0, false);
  double best = HUGE_VAL;
  for (size_t s = 0; s < f->twin->split_count; s++) {
    if (is_candidate(f, &work, s)) {
      const double kernel = dsm_kept_kernel_bytes(&work, &f->twin->splits[s]);
      const double fraction = has_weights(f, layer) ? fmin(1, bytes / kernel) : 0;
      best = fmin(best, layer_cycles(f, layer, s, fraction));
    }
  }
  return best;
}

/* ---- all mappings ---- */

typedef struct enumeration {
  const frame *frame;
  points lists[TWIN_LAYERS_MAX];
  double room_bytes;
  size_t partial; /* the layer that gets what is left; or none */
  double best;
} enumeration;

static void enumerate_from(enumeration *e, size_t layer, double bytes, double cycles) {
  const size_t count = e->frame->twin->workload->layer_count;
  double least = cycles; /* all that follow as fast as they can be */
  for (size_t i = layer; i < count; i++) {
    least += i == e->partial ? 0 : e->lists[i].items[e->lists[i].count - 1].cycles;
  }
  if (e->partial < count) {
    least += e->lists[e->partial].items[e->lists[e->partial].count - 1].cycles;
  }
  if (least >= e->best) {
    return;
  }
  if (layer == count) {
    if (e->partial < count) {
      cycles += cycles_within(e->frame, e->partial, e->room_bytes - bytes);
    }
    e->best = fmin(e->best, cycles);
    return;
  }
  if (layer == e->partial) {
    enumerate_from(e, layer + 1, bytes, cycles);
    return;
  }
  for (size_t i = 0; i < e->lists[layer].count; i++) {
    const point *const one = &e->lists[layer].items[i];
    if (bytes + one->bytes <= dsm__capacity_limit(e->room_bytes)) {
      enumerate_from(e, layer + 1, bytes + one->bytes, cycles + one->cycles);
    }
  }
}

double preload_twin_fastest(const preload_twin *twin) {
  const size_t count = twin->workload->layer_count;
  double best = HUGE_VAL;
  for (int level = 0; level <= DSM__PRELOAD_STEPS; level++) {
    frame f = {.twin = twin};
    bool is_end = false;
    for (unsigned number = 0; !is_end; number++) {
      if (!frame_set(&f, number, level_bytes(twin, level), &is_end)) {
        continue;
      }
      enumeration e = {.frame = &f, .room_bytes = f.preloaded_bytes, .best = best};
      for (size_t i = 0; i < count; i++) {
        list_points(&f, i, &e.lists[i]);
      }
      for (e.partial = 0; e.partial <= count; e.partial++) {
        enumerate_from(&e, 0, 0, f.fixed_cycles);
      }
      best = e.best;
    }
  }
  return best;
}

/* ---- the paper's procedure ---- */

typedef struct resident {
  size_t layer;
  double kernel_bytes;
  double saved_per_byte;
  double fraction;
} resident;

static int compare_residents(const void *left, const void *right) {
  const resident *const a = left;
  const resident *const b = right;
  if (a->saved_per_byte < b->saved_per_byte || a->saved_per_byte > b->saved_per_byte) {
    return a->saved_per_byte > b->saved_per_byte ? -1 : 1;
  }
  return a->layer < b->layer ? -1 : 1;
}

/* The replication that saves most for each byte of the chip, in a frame without anything held. */
static resident most_sensitive(const frame *f, size_t layer) {
  const preload_twin *const twin = f->twin;
  const uint64_t cores = twin->system->chip.cores;
  const dsm_pass_work work = work_of(f, layer, 0, false);
  const double streamed = cycles_within(f, layer, 0);
  resident best = {.layer = layer};
  for (uint64_t replication = 1; has_weights(f, layer) && replication <= cores; replication++) {
    double cycles = HUGE_VAL;
    double bytes = 0;
    for (size_t s = 0; s < twin->split_count; s++) {
      const uint64_t *const k = twin->splits[s].n;
      const double one = layer_cycles(f, layer, s, 1);
      const double kernel = dsm_kept_kernel_bytes(&work, &twin->splits[s]);
      if (k[DSM_DIM_IN] * k[DSM_DIM_OUT] * k[DSM_DIM_KIJ] * replication >= cores &&
          is_candidate(f, &work, s) && (one < cycles || (one <= cycles && kernel < bytes))) {
        cycles = one;
        bytes = kernel;
      }
    }
    const double saved = (streamed - cycles) / (bytes * (double)cores);
    if (isfinite(cycles) && saved > best.saved_per_byte) {
      best.kernel_bytes = bytes;
      best.saved_per_byte = saved;
    }
  }
  return best;
}

/* With given residents: their fractions, and splits with no more replication. */
static double resident_cycles(const frame *f, const resident *one) {
  const dsm_pass_work work = work_of(f, one->layer, 0, false);
  double best = HUGE_VAL;
  for (size_t s = 0; s < f->twin->split_count; s++) {
    const double kernel = dsm_kept_kernel_bytes(&work, &f->twin->splits[s]);
    if (is_candidate(f, &work, s) &&
        (one->fraction <= 0 || kernel <= dsm__capacity_limit(one->kernel_bytes))) {
      best = fmin(best, layer_cycles(f, one->layer, s, one->fraction));
    }
  }
  return best;
}

/* Parallelisms of the fastest mapping without preloading. */
static void find_open_frame(const preload_twin *twin, frame *f) {
  dsm_plan *plan = NULL;
  dsm_explore_options options = twin->options;
  options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  ck_assert_int_eq(dsm_explore(&plan, twin->workload, twin->system, &options, NULL), DSM_OK);
  *f = (frame){.twin = twin};
  for (size_t i = 0; i < twin->workload->layer_count; i++) {
    f->layers[i].layer.dysm_factor = 1;
    f->layers[i].layouts =
        dsm_pass_layouts_uniform(plan->layers[i].passes[DSM_PASS_FORWARD].share.parallelism);
  }
  ck_assert(frame_complete(f));
  dsm_plan_free(plan);
}

double preload_twin_greedy(const preload_twin *twin) {
  const size_t count = twin->workload->layer_count;
  resident order[TWIN_LAYERS_MAX];
  frame open;
  double best = HUGE_VAL;
  find_open_frame(twin, &open);
  for (size_t i = 0; i < count; i++) {
    order[i] = most_sensitive(&open, i);
  }
  qsort(order, count, sizeof order[0], compare_residents);
  for (int level = 1; level <= DSM__PRELOAD_STEPS; level++) {
    double left = level_bytes(twin, level);
    for (size_t i = 0; i < count; i++) {
      const bool is_any = order[i].saved_per_byte > 0;
      order[i].fraction = is_any ? fmin(1, left / order[i].kernel_bytes) : 0;
      left -= order[i].fraction * order[i].kernel_bytes;
    }
    frame f = {.twin = twin};
    bool is_end = false;
    for (unsigned number = 0; !is_end; number++) {
      if (!frame_set(&f, number, level_bytes(twin, level), &is_end)) {
        continue;
      }
      double cycles = f.fixed_cycles;
      for (size_t i = 0; i < count; i++) {
        const size_t layer = order[i].layer;
        const bool is_any = order[i].fraction > 0 || twin->is_memory_short;
        const bool is_as_sorted = !is_any || twin->machine.chip_count == 1 ||
                                  parallelism_of(&f, layer) == parallelism_of(&open, layer);
        cycles += is_as_sorted ? resident_cycles(&f, &order[i]) : HUGE_VAL;
      }
      best = fmin(best, cycles);
    }
  }
  return best;
}

/* ---- random mappings ---- */

double preload_twin_random(const preload_twin *twin, uint64_t *state) {
  const size_t count = twin->workload->layer_count;
  frame f = {.twin = twin};
  bool is_end = false;
  const unsigned frames = 1U << (3 * count); /* held or not, and 4 parallelisms, each */
  if (!frame_set(&f, (unsigned)random_below(state, frames), 0, &is_end)) {
    return HUGE_VAL;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_pass_work work = work_of(&f, i, 0, false);
    const size_t split = random_below(state, twin->split_count);
    const bool is_preloaded = random_below(state, 3) != 0;
    if (!is_candidate(&f, &work, split)) {
      return HUGE_VAL;
    }
    f.layers[i].splits[DSM_PASS_FORWARD][0] = twin->splits[split];
    const double fraction = is_preloaded ? (double)(1 + random_below(state, 64)) / 64 : 0;
    f.layers[i].layer.weights_on_chip = has_weights(&f, i) ? fraction : 0;
  }
  const dsm__decisions decisions = {.layers = f.layers};
  const double used = dsm__preloaded_weight_bytes(twin->workload, &twin->machine, &decisions);
  f.preloaded_bytes = dsm__preloaded_bytes(twin->workload, &twin->machine, &decisions);
  if (used > dsm_preload_room_bytes(&twin->machine) || !frame_complete(&f)) {
    return HUGE_VAL;
  }
  for (size_t i = 0; i < count; i++) {
    f.layers[i].is_kernel_kept[DSM_PASS_FORWARD] =
        isfinite(steady_cycles(&f, i, &f.layers[i].splits[DSM_PASS_FORWARD][1]));
  }
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, twin->workload, twin->system, &twin->options, &decisions, NULL),
      DSM_OK);
  const double cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  return cycles;
}
