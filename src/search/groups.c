/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/groups.h"

#include <string.h>

#include "base/parallel.h"
#include "plan/mapping_memory.h"
#include "plan/plan_internal.h"
#include "search/allotment.h"
#include "search/layer_search.h"

/* Comparisons for all allotments of a network; then groups get their first allotment
 * and the answer a bound. */
static const uint64_t allotment_work_max = (uint64_t)1 << 29;

/* Whether a stage hands over depends on its place in the group. */
typedef enum place { PLACE_FIRST, PLACE_MIDDLE, PLACE_LAST, PLACE_COUNT } place;

typedef struct finder {
  const dsm__layer_table *table;
  dsm__arena *arena;
  dsm__groups *groups;
  size_t capacity;                            /* of groups->items */
  uint64_t rows;                              /* most that a stage can have */
  size_t *stage_class;                        /* of each class: its number among stages + 1 */
  size_t *class_of_stage;                     /* and back */
  size_t stage_classes;                       /* classes that are stages somewhere */
  dsm__stage_option *alone;                   /* by stage class, rows, parallelism */
  bool *is_allowed;                           /* likewise */
  dsm__stage_options (*options)[PLACE_COUNT]; /* by stage class */
  size_t *slots;                              /* hash table of solved groups: index + 1 */
  size_t slot_count;
  size_t solved;
  uint64_t work_left; /* for all allotments together */
} finder;

bool dsm__can_be_stage(const dsm_workload *workload, size_t layer_index) {
  const dsm_layer *const layer = &workload->layers[layer_index];
  const dsm_layer_spec *const spec = &workload->specs[layer->spec_index];
  return layer->type == DSM_LAYER_LSTM && !spec->is_bidirectional &&
         spec->pipeline_choice != DSM_PIPELINE_NEVER;
}

static const dsm_layer_spec *spec_of(const dsm_workload *workload, size_t layer_index) {
  return &workload->specs[workload->layers[layer_index].spec_index];
}

/* May two neighbours be in one group? */
static bool do_join(const dsm_workload *workload, size_t earlier) {
  const size_t later = earlier + 1;
  if (later >= workload->layer_count || !dsm__can_be_stage(workload, earlier) ||
      !dsm__can_be_stage(workload, later) ||
      workload->layers[earlier].timesteps != workload->layers[later].timesteps) {
    return false;
  }
  const dsm_layer_spec *const a = spec_of(workload, earlier);
  const dsm_layer_spec *const b = spec_of(workload, later);
  if (a->pipeline_choice != DSM_PIPELINE_NAMED || b->pipeline_choice != DSM_PIPELINE_NAMED) {
    return a->pipeline_choice == b->pipeline_choice;
  }
  return strcmp(a->pipeline_group, b->pipeline_group) == 0;
}

/* Layers of the run that begins at a layer, or more than a group may have. */
static size_t run_length(const dsm_workload *workload, size_t first) {
  size_t length = 1;
  while (length <= DSM__STAGES_MAX && do_join(workload, first + length - 1)) {
    length++;
  }
  return length;
}

/* A stage by itself: no handing over yet. */
static void score_stage(const finder *f, size_t task, dsm_parallelism parallelism, double *totals,
                        uint64_t *evaluations) {
  const dsm__search_inputs *const inputs = f->table->inputs;
  const size_t class_index = f->class_of_stage[task / f->rows];
  const dsm_layer *const layer = dsm__class_layer(f->table, class_index);
  const size_t index = task * DSM_PARALLELISM_COUNT + (size_t)parallelism;
  if ((dsm__allowed_parallelisms(layer, inputs->options) & DSM_PARALLELISM_BIT(parallelism)) == 0) {
    return;
  }
  dsm__stage stage;
  dsm__stage_init(&stage, inputs->machine->system, task % f->rows + 1);
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
  setting.machine = &stage.machine;
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  dsm__stage_option *const option = &f->alone[index];
  *option = (dsm__stage_option){.rows = task % f->rows + 1, .parallelism = parallelism};
  option->times.once = dsm__once_cycles(&setting, &layouts);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, (dsm_pass)p, parallelism, dsm__has_optimization(inputs, DSM_OPTIMIZATION_REUSE),
          &f->table->splits, totals);
      option->times.step[p] = best.later_cycles;
      option->times.once += best.first_cycles - best.later_cycles;
      *evaluations += best.evaluations;
    }
  }
  f->is_allowed[index] = true;
}

typedef struct job {
  const finder *finder;
  double *totals;        /* splits.count numbers a worker */
  uint64_t *evaluations; /* of each worker */
} job;

static void run_task(void *context, size_t task_index, size_t worker_index) {
  const job *const j = context;
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    score_stage(j->finder, task_index, (dsm_parallelism)p,
                &j->totals[worker_index * j->finder->table->splits.count],
                &j->evaluations[worker_index]);
  }
}

static bool score_stages(finder *f) {
  const size_t tasks = f->stage_classes * f->rows;
  const size_t options = tasks * DSM_PARALLELISM_COUNT;
  const size_t workers = dsm__parallel_workers(f->table->inputs->options->thread_count);
  job j = {.finder = f};
  f->alone = dsm__arena_array(f->arena, options, sizeof f->alone[0]);
  f->is_allowed = dsm__arena_array(f->arena, options, sizeof f->is_allowed[0]);
  j.totals = dsm__arena_array(f->arena, workers * f->table->splits.count, sizeof j.totals[0]);
  j.evaluations = dsm__arena_array(f->arena, workers, sizeof j.evaluations[0]);
  if (f->alone == NULL || f->is_allowed == NULL || j.totals == NULL || j.evaluations == NULL) {
    return false;
  }
  dsm__parallel_for(workers, tasks, run_task, &j);
  for (size_t w = 0; w < workers; w++) {
    f->groups->evaluations += j.evaluations[w];
  }
  return true;
}

/* The options of a class at a place, with what handing over adds. */
static bool place_options(finder *f, size_t stage_class, place where) {
  enum { STAGES = 3 }; /* as if in a group of three */
  const dsm__search_inputs *const inputs = f->table->inputs;
  const dsm_layer *const layer = dsm__class_layer(f->table, f->class_of_stage[stage_class]);
  const dsm_traffic traffic = dsm_hand_over_traffic(
      layer, inputs->machine, dsm_precision_of(inputs->workload, inputs->machine->system),
      inputs->workload->minibatch);
  const double hand_over = dsm_group_cycles(inputs->machine, &traffic);
  const size_t all = f->rows * DSM_PARALLELISM_COUNT;
  dsm__stage_option *const options = dsm__arena_array(f->arena, all, sizeof *options);
  if (options == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t i = stage_class * all; i < (stage_class + 1) * all; i++) {
    if (!f->is_allowed[i]) {
      continue;
    }
    options[count] = f->alone[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p) &&
          dsm_stage_hands_over((dsm_pass)p, (size_t)where, STAGES)) {
        options[count].times.step[p] += hand_over;
      }
    }
    count++;
  }
  count = dsm__stage_options_reduce(options, count);
  f->options[stage_class][where] = (dsm__stage_options){options, count};
  return true;
}

/* Numbers the classes of layers that can be in a group, and prepares their options. */
static bool prepare(finder *f) {
  const dsm_workload *const workload = f->table->inputs->workload;
  const dsm__distinct *const distinct = &f->table->distinct;
  f->stage_class = dsm__arena_array(f->arena, distinct->count, sizeof f->stage_class[0]);
  f->class_of_stage = dsm__arena_array(f->arena, distinct->count, sizeof f->class_of_stage[0]);
  if (f->stage_class == NULL || f->class_of_stage == NULL) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const bool is_in_run = do_join(workload, i) || (i > 0 && do_join(workload, i - 1));
    const size_t class_index = distinct->class_of[i];
    if (is_in_run && f->stage_class[class_index] == 0) {
      f->class_of_stage[f->stage_classes++] = class_index;
      f->stage_class[class_index] = f->stage_classes;
    }
  }
  if (f->stage_classes * f->rows > DSM__STAGES_SCORED_MAX) {
    f->rows = DSM__STAGES_SCORED_MAX / f->stage_classes; /* 1 or more: of DSM_LAYERS_MAX layers */
    f->groups->is_complete = false;
  }
  f->options = dsm__arena_array(f->arena, f->stage_classes, sizeof f->options[0]);
  if (f->options == NULL || !score_stages(f)) {
    return false;
  }
  for (size_t c = 0; c < f->stage_classes; c++) {
    for (int w = 0; w < PLACE_COUNT; w++) {
      if (!place_options(f, c, (place)w)) {
        return false;
      }
    }
  }
  return true;
}

static size_t hash_of(const finder *f, size_t first, size_t length) {
  uint64_t hash = 14695981039346656037U ^ length;
  for (size_t k = 0; k < length; k++) {
    hash = (hash ^ f->table->distinct.class_of[first + k]) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return (size_t)hash;
}

static bool have_same_layers(const finder *f, const dsm__group *group, size_t first,
                             size_t length) {
  const size_t *const class_of = f->table->distinct.class_of;
  if (group->layer_count != length) {
    return false;
  }
  for (size_t k = 0; k < length; k++) {
    if (class_of[group->first_layer + k] != class_of[first + k]) {
      return false;
    }
  }
  return true;
}

/* The slot of a solved group of the same layers, or an empty one. */
static size_t *find_slot(const finder *f, size_t first, size_t length) {
  size_t slot = hash_of(f, first, length) & (f->slot_count - 1);
  while (f->slots[slot] != 0 &&
         !have_same_layers(f, &f->groups->items[f->slots[slot] - 1], first, length)) {
    slot = (slot + 1) & (f->slot_count - 1);
  }
  return &f->slots[slot];
}

typedef enum outcome { DONE, SKIPPED, OUT_OF_MEMORY } outcome;

static outcome solve(finder *f, dsm__group *group) {
  const dsm_workload *const workload = f->table->inputs->workload;
  const size_t length = group->layer_count;
  dsm__stage_options stages[DSM__STAGES_MAX];
  size_t chosen[DSM__STAGES_MAX];
  for (size_t k = 0; k < length; k++) {
    const size_t class_index = f->table->distinct.class_of[group->first_layer + k];
    const place where = k == 0 ? PLACE_FIRST : (k + 1 < length ? PLACE_MIDDLE : PLACE_LAST);
    stages[k] = f->options[f->stage_class[class_index] - 1][where];
  }
  const dsm__allotment allotment = {
      .stages = stages,
      .stage_count = length,
      .rows = f->table->inputs->machine->system->system.chips_y,
      .timesteps = workload->layers[group->first_layer].timesteps,
      .work_left = &f->work_left,
  };
  const dsm__allotment_result result =
      dsm__allotment_find(&allotment, chosen, &group->cycles, &group->bound_cycles);
  if (result == DSM__ALLOTMENT_OUT_OF_MEMORY) {
    return OUT_OF_MEMORY;
  }
  if (result == DSM__ALLOTMENT_IMPOSSIBLE) {
    return SKIPPED;
  }
  f->groups->is_exact = f->groups->is_exact && result == DSM__ALLOTMENT_EXACT;
  uint64_t *const rows = dsm__arena_array(f->arena, length, sizeof *rows);
  dsm_parallelism *const parallelisms = dsm__arena_array(f->arena, length, sizeof *parallelisms);
  if (rows == NULL || parallelisms == NULL) {
    return OUT_OF_MEMORY;
  }
  for (size_t k = 0; k < length; k++) {
    rows[k] = stages[k].items[chosen[k]].rows;
    parallelisms[k] = stages[k].items[chosen[k]].parallelism;
  }
  group->rows = rows;
  group->parallelisms = parallelisms;
  return DONE;
}

/* The need of the stage that needs most, in both respects (section 12). */
static void derive_memory(const finder *f, dsm__group *group) {
  const dsm__search_inputs *const inputs = f->table->inputs;
  const double input_bytes = dsm_input_memory_bytes(inputs->machine, inputs->workload);
  for (size_t k = 0; k < group->layer_count; k++) {
    dsm__stage stage;
    dsm__stage_init(&stage, inputs->machine->system, group->rows[k]);
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(group->parallelisms[k]);
    const dsm_layer_memory memory =
        dsm_layer_memory_derive(&inputs->workload->layers[group->first_layer + k], &stage.machine,
                                inputs->workload, inputs->options->mode, &layouts, input_bytes);
    const double kept = dsm__kept_bytes(&memory);
    group->kept_bytes = kept > group->kept_bytes ? kept : group->kept_bytes;
    group->transient_bytes = memory.transient_bytes > group->transient_bytes
                                 ? memory.transient_bytes
                                 : group->transient_bytes;
  }
}

/* Adds the group of a run, solved or as one of the same layers was. False if out of memory. */
static bool add_group(finder *f, size_t first, size_t length) {
  dsm__group group = {.first_layer = first, .layer_count = length};
  size_t *const slot = find_slot(f, first, length);
  if (*slot != 0) {
    const dsm__group *const solved = &f->groups->items[*slot - 1];
    group.cycles = solved->cycles;
    group.bound_cycles = solved->bound_cycles;
    group.rows = solved->rows;
    group.parallelisms = solved->parallelisms;
  } else if (f->solved == DSM__GROUPS_SOLVED_MAX) {
    f->groups->is_complete = false;
    return true;
  } else {
    f->solved++;
    const outcome found = solve(f, &group);
    if (found != DONE) {
      return found == SKIPPED;
    }
    *slot = f->groups->count + 1;
  }
  derive_memory(f, &group);
  f->groups->items[f->groups->count++] = group;
  return true;
}

/* Lengths that a group beginning at `first` may have: at most `longest`. */
static size_t longest_group(const finder *f, size_t first) {
  const uint64_t rows = f->table->inputs->machine->system->system.chips_y;
  const size_t most = rows < DSM__STAGES_MAX ? (size_t)rows : DSM__STAGES_MAX;
  const size_t length = run_length(f->table->inputs->workload, first);
  return length < most ? length : most;
}

static bool is_named(const dsm_workload *workload, size_t layer_index) {
  return spec_of(workload, layer_index)->pipeline_choice == DSM_PIPELINE_NAMED;
}

/* A named group is all layers of that name, which are one run (workload/pipeline_groups.c); or
 * nothing. */
static bool is_candidate(const dsm_workload *workload, size_t first, size_t length) {
  if (!is_named(workload, first)) {
    return true;
  }
  const bool is_start = first == 0 || !do_join(workload, first - 1);
  return is_start && length == run_length(workload, first);
}

static bool add_all(finder *f) {
  const dsm_workload *const workload = f->table->inputs->workload;
  size_t candidates = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    candidates += dsm__can_be_stage(workload, i) ? longest_group(f, i) : 0;
  }
  f->slot_count = 16;
  while (f->slot_count < 2 * candidates) {
    f->slot_count *= 2;
  }
  f->slots = dsm__arena_array(f->arena, f->slot_count, sizeof f->slots[0]);
  f->groups->items = dsm__arena_array(f->arena, candidates, sizeof f->groups->items[0]);
  if (f->slots == NULL || f->groups->items == NULL) {
    return false;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    const size_t longest = dsm__can_be_stage(workload, i) ? longest_group(f, i) : 0;
    for (size_t length = 2; length <= longest; length++) {
      if (is_candidate(workload, i, length) && !add_group(f, i, length)) {
        return false;
      }
    }
  }
  return true;
}

bool dsm__groups_find(dsm__groups *groups, const dsm__layer_table *table, dsm__arena *arena) {
  const dsm__search_inputs *const inputs = table->inputs;
  const uint64_t rows = inputs->machine->system->system.chips_y;
  *groups = (dsm__groups){.is_complete = true, .is_exact = true};
  if (!dsm__has_optimization(inputs, DSM_OPTIMIZATION_PIPELINE) || rows < 2) {
    return true;
  }
  finder f = {.table = table, .arena = arena, .groups = groups, .work_left = allotment_work_max};
  /* Every other stage has a row at least. */
  f.rows = rows - 1 < DSM__ROWS_MAX ? rows - 1 : DSM__ROWS_MAX;
  return prepare(&f) && (f.stage_classes == 0 || add_all(&f));
}
