/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edits.c: no legal plan is faster than the bound. The plan that was found is edited at random, one
 * decision after another; what is legal and fits the memory is predicted, and compared.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "physics.h"
#include "plan/core_layouts.h"
#include "plan/core_splits.h"
#include "plan/legal.h"
#include "plan/plan_internal.h"
#include "plan/stage.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "search/layer_search.h"
#include "search/pipeline/pipelines.h"

enum { WALKS = 6, STEPS = 25 };

typedef struct editor {
  const physics_case *one;
  const dsm_plan *found;
  dsm_machine machine;
  dsm__arena *arena;
  dsm__core_splits splits;
  uint64_t state;
  size_t layer_count;
  dsm__layer_decision *layers;
  dsm__pipeline_decision *groups; /* room for one of each layer */
  size_t group_count;
} editor;

static bool chance(editor *e, uint64_t percent) {
  return random_below(&e->state, 100) < percent;
}

static dsm__decisions decisions_of(const editor *e) {
  return (dsm__decisions){e->layers, e->groups, e->group_count, 1, {.count = 0}};
}

static void *room_for(editor *e, size_t count, size_t size) {
  void *const room = dsm__arena_array(e->arena, count, size);
  ck_assert_ptr_nonnull(room);
  return room;
}

/* What was found, once more. */
static void start_again(editor *e) {
  dsm__decisions found;
  ck_assert(dsm__decisions_of_plan(e->found, e->arena, &found));
  memcpy(e->layers, found.layers, e->layer_count * sizeof e->layers[0]);
  e->group_count = found.pipeline_count;
  for (size_t g = 0; g < found.pipeline_count; g++) {
    e->groups[g] = found.pipelines[g];
  }
}

/* The group of a layer; NULL: none. */
static dsm__pipeline_decision *group_of(const editor *e, size_t layer) {
  for (size_t g = 0; g < e->group_count; g++) {
    if (layer >= e->groups[g].first_layer &&
        layer - e->groups[g].first_layer < e->groups[g].layer_count) {
      return &e->groups[g];
    }
  }
  return NULL;
}

/* ---- single edits ---- */

static void edit_parallelism(editor *e, size_t layer) {
  dsm_pass_layouts *const layouts = &e->layers[layer].layouts;
  const dsm_parallelism other =
      (dsm_parallelism)random_below(&e->state, DSM_PARALLELISM_COUNT_OF(2));
  if (chance(e, 50)) {
    *layouts = dsm_pass_layouts_uniform(other);
  } else {
    layouts->of[random_below(&e->state, DSM_PASS_COUNT)] = other;
  }
}

static void edit_factor(editor *e, size_t layer) {
  const uint64_t factor = (uint64_t)1 << random_below(&e->state, 4);
  const size_t last = chance(e, 50) ? e->layer_count : layer + 1;
  for (size_t i = layer; i < last; i++) { /* what is held wants neighbours alike */
    e->layers[i].layer.dysm_factor = factor;
  }
}

static void edit_held(editor *e, size_t layer) {
  dsm__layer_decision *const decision = &e->layers[layer];
  decision->layer.is_output_held = !decision->layer.is_output_held;
  decision->layer.output_layout = (dsm_core_layout){0};
}

static void edit_kept(editor *e, size_t layer) {
  bool *const kept = &e->layers[layer].is_kernel_kept[random_below(&e->state, DSM_PASS_COUNT)];
  *kept = !*kept;
}

static void edit_weights(editor *e, size_t layer) {
  static const double fractions[] = {0, 0.25, 0.5, 1};
  e->layers[layer].layer.weights_on_chip = fractions[random_below(&e->state, 4)];
}

/* The chips along the last axis, on which stages have rows; columns are those of all others. */
static uint64_t most_rows(const editor *e) {
  const dsm_network *const network = &e->one->system.system;
  return network->axes[network->axis_count - 1].chips;
}

static uint64_t most_columns(const editor *e) {
  return dsm_system_chips(&e->one->system) / most_rows(e);
}

static void edit_rows(editor *e, size_t layer) {
  dsm__pipeline_decision *const group = group_of(e, layer);
  if (group != NULL) {
    uint64_t *const rows = room_for(e, group->layer_count, sizeof *rows);
    memcpy(rows, group->rows, group->layer_count * sizeof *rows);
    rows[layer - group->first_layer] = 1 + random_below(&e->state, most_rows(e));
    group->rows = rows;
  }
}

static void edit_columns(editor *e, size_t layer) {
  dsm__pipeline_decision *const group = group_of(e, layer);
  if (group != NULL) {
    group->columns = 1 + random_below(&e->state, most_columns(e));
  }
}

/* Dissolves the layer's group, or makes one of it and those after it, each stage with one row. */
static void edit_group(editor *e, size_t layer) {
  dsm__pipeline_decision *const group = group_of(e, layer);
  if (group != NULL) {
    *group = e->groups[--e->group_count];
    return;
  }
  size_t g = e->group_count;
  size_t count = 1;
  while (layer + count < e->layer_count && group_of(e, layer + count) == NULL &&
         (count < 2 || chance(e, 70))) {
    count++;
  }
  for (; g > 0 && e->groups[g - 1].first_layer > layer; g--) {
    e->groups[g] = e->groups[g - 1];
  }
  uint64_t *const rows = room_for(e, count, sizeof *rows);
  for (size_t k = 0; k < count; k++) {
    rows[k] = 1;
    e->layers[layer + k].layouts =
        dsm_pass_layouts_uniform(e->layers[layer + k].layouts.of[DSM_PASS_FORWARD]);
  }
  e->groups[g] = (dsm__pipeline_decision){.name = "edited",
                                          .first_layer = layer,
                                          .layer_count = count,
                                          .columns = most_columns(e),
                                          .rows = rows};
  e->group_count++;
}

static void edit_split(editor *e, size_t layer) {
  e->layers[layer].splits[random_below(&e->state, DSM_PASS_COUNT)]
                         [random_below(&e->state, DSM_INVOCATION_KINDS_MAX)] =
      e->splits.items[random_below(&e->state, e->splits.count)];
}

typedef void edit_function(editor *e, size_t layer);
static edit_function *const edits[] = {edit_parallelism, edit_factor,  edit_held,  edit_kept,
                                       edit_kept,        edit_weights, edit_rows,  edit_rows,
                                       edit_columns,     edit_group,   edit_split, edit_split};
enum { EDITS = sizeof edits / sizeof edits[0] };

/* ---- what becomes of them ---- */

/* Kinds of invocation that are new have the split of the first until it is edited or renewed. */
static void fill_splits(editor *e) {
  for (size_t i = 0; i < e->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      dsm_loops *const splits = e->layers[i].splits[p];
      if (splits[1].n[DSM_DIM_IN] == 0) {
        splits[1] = splits[0];
      }
    }
  }
}

/* The best splits of a layer in its new circumstances, where its passes keep what they keep. */
static void renew_splits(editor *e, size_t layer, const dsm__holding *holding,
                         double preloaded_bytes) {
  dsm__layer_decision *const decision = &e->layers[layer];
  const dsm__pipeline_decision *const group = group_of(e, layer);
  dsm__stage stage;
  dsm__layer_setting setting = {
      .layer = &e->one->workload->layers[layer],
      .machine = &e->machine,
      .precision = dsm_precision_of(e->one->workload, &e->one->system),
      .mode = e->one->options.mode,
      .minibatch = e->one->workload->minibatch,
      .dysm_factor = decision->layer.dysm_factor,
      .holding = *holding,
      .preloaded_bytes = preloaded_bytes,
      .resident_fraction = decision->layer.weights_on_chip,
  };
  if (group != NULL) {
    dsm__stage_init(&stage, &e->one->system, e->one->options.mode, group->columns,
                    group->rows[layer - group->first_layer]);
    setting.machine = &stage.machine;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, (dsm_pass)p, decision->layouts.of[p], decision->is_kernel_kept[p], &e->splits);
      decision->is_kernel_kept[p] = best.is_kernel_kept;
      memcpy(decision->splits[p], best.splits, sizeof best.splits);
    }
  }
}

static bool are_factors_whole(const editor *e) {
  bool are_whole = true;
  for (size_t i = 0; i < e->layer_count; i++) {
    are_whole = are_whole && e->one->workload->minibatch % e->layers[i].layer.dysm_factor == 0;
  }
  return are_whole;
}

static void renew_all_splits(editor *e) {
  dsm__holding *const holdings = room_for(e, e->layer_count, sizeof *holdings);
  const dsm__decisions decisions = decisions_of(e);
  ck_assert(dsm__core_layouts_complete(e->one->workload, &e->machine, e->one->options.mode,
                                       &decisions, e->layers, false, e->arena));
  ck_assert(dsm__holdings_derive(e->one->workload, &e->machine, &decisions, holdings, e->arena));
  const double preloaded = dsm__preloaded_bytes(e->one->workload, &e->machine, &decisions);
  for (size_t i = 0; i < e->layer_count; i++) {
    renew_splits(e, i, &holdings[i], preloaded);
  }
}

static void count_violation(void *context, const dsm__plan_place *place, const char *hint,
                            const char *message) {
  (void)place;
  (void)hint;
  (void)message;
  ++*(unsigned *)context;
}

/* The step of the decisions as they are; false where they are not legal or do not fit. */
static bool predict(editor *e, double *step_cycles) {
  const dsm__decisions decisions = decisions_of(e);
  const dsm__candidate candidate = {.workload = e->one->workload,
                                    .machine = &e->machine,
                                    .options = &e->one->options,
                                    .decisions = &decisions,
                                    .is_complete = true};
  unsigned violations = 0;
  ck_assert(dsm__legality_check(&candidate, count_violation, &violations, e->arena));
  if (violations > 0) {
    return false;
  }
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm__plan_make(&plan, e->one->workload, &e->one->system, &e->one->options, &decisions, NULL),
      DSM_OK);
  const dsm_plan_memory *const memory = &plan->result.memory;
  const bool does_fit = memory->total_bytes <= dsm__capacity_limit(memory->capacity_bytes);
  *step_cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  return does_fit;
}

/* Compares the edited plan, if it is one. */
static bool compare(physics_log *log, editor *e, const char *what) {
  double step_cycles = 0;
  const double bound = e->found->result.lower_bound_cycles;
  const bool is_plan = predict(e, &step_cycles);
  if (is_plan) {
    physics_expect(log, e->one, what, physics_at_most(bound, step_cycles), step_cycles, bound);
  }
  return is_plan;
}

/* Each core split of one kind of invocation of a pass of a layer, by the seed. */
static void try_splits(physics_log *log, editor *e) {
  start_again(e);
  fill_splits(e);
  const size_t layer = random_below(&e->state, e->layer_count);
  const size_t pass = random_below(&e->state, DSM_PASS_COUNT);
  const size_t kind = random_below(&e->state, DSM_INVOCATION_KINDS_MAX);
  for (size_t i = 0; i < e->splits.count; i++) {
    e->layers[layer].splits[pass][kind] = e->splits.items[i];
    (void)compare(log, e, "another core split");
  }
}

static void walk(physics_log *log, editor *e) {
  start_again(e);
  for (int step = 0; step < STEPS; step++) {
    do {
      edits[random_below(&e->state, EDITS)](e, random_below(&e->state, e->layer_count));
    } while (chance(e, 30));
    fill_splits(e);
    if (chance(e, 75) && are_factors_whole(e)) {
      renew_all_splits(e);
    }
    if (!compare(log, e, "an edited plan") && chance(e, 50)) {
      start_again(e);
    }
  }
}

void physics_edits(physics_log *log, const physics_case *one) {
  dsm_plan *const found = physics_explore(one, &one->system);
  if (found == NULL) {
    return;
  }
  physics_log_plan(log, one, found);
  editor e = {.one = one,
              .found = found,
              .machine = dsm_machine_for(&one->system, one->options.mode),
              .arena = dsm__arena_new(),
              .state = one->seed,
              .layer_count = found->layer_count};
  ck_assert_ptr_nonnull(e.arena);
  ck_assert(dsm__core_splits_enumerate(&e.splits, one->system.chip.cores, e.arena));
  e.layers = room_for(&e, e.layer_count, sizeof e.layers[0]);
  e.groups = room_for(&e, e.layer_count + 1, sizeof e.groups[0]);
  for (int w = 0; w < WALKS; w++) {
    walk(log, &e);
    try_splits(log, &e);
  }
  dsm__arena_free(e.arena);
  dsm_plan_free(found);
}
