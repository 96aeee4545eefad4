/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stages.c: how long a stage takes with so many rows and each parallelism.
 *
 * A stage by itself depends on the class of its layer, its rows and its width, so that layers of a
 * class share their scores; the place in a group only adds what is handed over. A pass takes at
 * least its ideal, and one that fetches its weights anew in each timestep no less than one that
 * keeps them. So a stage is given up as soon as what its passes took, and the ideal of those to
 * come, exceed the limit: with it no group that it can be in would be faster than the mapping that
 * the group has (docs/model.md, section 13).
 */
#include "search/pipeline/stages.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "plan/tolerance.h"
#include "search/layer_table.h"

/* Sets of passes. */
enum { FETCHING_SETS = 1 << DSM_PASS_COUNT };

bool dsm__stages_init(dsm__stages *stages, const dsm__layer_table *table, dsm__arena *arena) {
  const size_t classes = table->distinct.count;
  *stages = (dsm__stages){.table = table};
  return DSM__RESERVE(arena, stages->class_of, classes) &&
         DSM__RESERVE(arena, stages->number_of, classes);
}

void dsm__stages_add(dsm__stages *stages, size_t class_index) {
  if (stages->number_of[class_index] == 0) {
    stages->class_of[stages->count++] = class_index;
    stages->number_of[class_index] = stages->count;
  }
}

bool dsm__stages_reserve(dsm__stages *stages, uint64_t rows_max, dsm__arena *arena) {
  const size_t ways = rows_max * DSM_PARALLELISM_COUNT;
  stages->rows_max = rows_max;
  stages->arena = arena;
  stages->workers = dsm__parallel_workers(stages->table->inputs->options->thread_count);
  return DSM__RESERVE(arena, stages->evaluated, stages->workers) &&
         DSM__RESERVE(arena, stages->limits, stages->count) &&
         DSM__RESERVE(arena, stages->ways, stages->count * ways) &&
         DSM__RESERVE(arena, stages->placed, dsm__stages_list_max(stages)) &&
         DSM__RESERVE(arena, stages->options, stages->count);
}

static const dsm_layer *layer_of(const dsm__stages *stages, size_t number) {
  return dsm__class_layer(stages->table, stages->class_of[number]);
}

/* The ways to run a stage with so many rows, one for each parallelism. */
static size_t first_way(const dsm__stages *stages, size_t number, uint64_t rows) {
  return (number * stages->rows_max + rows - 1) * DSM_PARALLELISM_COUNT;
}

/* A pass's step takes at least this: no core does more than its peak. */
static double least_step(const dsm__layer_setting *setting, dsm_pass pass) {
  if (!dsm_pass_exists(setting->layer, setting->mode, pass)) {
    return 0;
  }
  return dsm__ideal_cycles_of(setting, pass) / (double)setting->layer->timesteps;
}

/* Scores the passes one after the other, as long as they can keep within the limit. A pass that
 * fetches its weights in each timestep takes no less than one that keeps them. */
static bool score_passes(const dsm__stages *stages, size_t number,
                         const dsm__layer_setting *setting, dsm_parallelism parallelism,
                         size_t worker, dsm__stage_way *way) {
  const double limit = stages->limits[number];
  double at_least = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    at_least += least_step(setting, (dsm_pass)p);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!dsm_pass_exists(setting->layer, setting->mode, (dsm_pass)p)) {
      continue;
    }
    if (at_least > dsm__tie_limit(limit)) {
      return false;
    }
    const dsm__recalled_pass of = {stages->table, stages->class_of[number], setting, (dsm_pass)p,
                                   parallelism};
    const dsm__best_pass best = dsm__recall_pass(&of, false);
    way->first[p] = best.first_cycles;
    way->steady[p] = best.later_cycles;
    stages->evaluated[worker] += best.evaluations;
    at_least += best.later_cycles - least_step(setting, (dsm_pass)p);
  }
  return at_least <= dsm__tie_limit(limit);
}

/* A stage by itself, with each parallelism: no handing over yet. */
static void score_stage(void *context, size_t task, size_t worker) {
  const dsm__stages *const stages = context;
  const dsm__search_inputs *const inputs = stages->table->inputs;
  const size_t number = task / stages->rows;
  const uint64_t rows = task % stages->rows + 1;
  const dsm_layer *const layer = layer_of(stages, number);
  const dsm_parallelism_set allowed = dsm__search_parallelisms(inputs, layer);
  dsm__stage stage;
  dsm__stage_init(&stage, inputs->machine->system, inputs->machine->mode, stages->columns, rows);
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
  setting.machine = &stage.machine;
  setting.reductions = NULL;
  setting.owner = (dsm__table_cut){.is_known = false};
  for (unsigned p = 0; p < stage.machine.parallelism_count; p++) {
    const dsm_parallelism parallelism = (dsm_parallelism)p;
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
    dsm__stage_way *const way = &stages->ways[first_way(stages, number, rows) + p];
    *way = (dsm__stage_way){.is_allowed = false};
    if ((allowed & DSM_PARALLELISM_BIT(parallelism)) != 0) {
      way->once = dsm__once_cycles(&setting, &layouts);
      way->is_allowed = score_passes(stages, number, &setting, parallelism, worker, way);
    }
  }
}

/* Adds to the steps what handing over adds to them, as if in a group of three. */
static void add_hand_over(const dsm__stages *stages, const dsm_layer *layer, dsm__stage_place where,
                          const dsm_machine *machine, dsm__stage_times *times) {
  const dsm__search_inputs *const inputs = stages->table->inputs;
  const dsm_precision precision = inputs->precision;
  const dsm_traffic traffic =
      dsm_hand_over_traffic(layer, machine, precision, inputs->workload->minibatch);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p) &&
        dsm_stage_hands_over((dsm_pass)p, (size_t)where, DSM__STAGE_PLACES)) {
      times->step[p] += dsm_stage_hand_over_cycles(machine, &traffic, times->step[p]);
    }
  }
}

/*
 * The option of a way in which these passes fetch their weights in each timestep.
 *
 * What a pass fetches once, when it keeps its weights, is what its first step takes beyond the
 * others.
 */
static dsm__stage_option option_of(const dsm__stage_way *way, unsigned fetching) {
  dsm__stage_option option = {.fetching = fetching, .times.once = way->once};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const bool is_fetching = (fetching >> p & 1U) != 0;
    option.times.step[p] = is_fetching ? way->first[p] : way->steady[p];
    option.times.once += is_fetching ? 0 : way->first[p] - way->steady[p];
  }
  return option;
}

/*
 * Passes in which it makes a difference whether weights are kept: elsewhere they are, or cannot be.
 *
 * A pass that keeps its weights is no slower in a step but fetches them once before; where steps
 * are equally long, keeping costs nothing more, and there is no choice.
 */
static unsigned choices_of(const dsm__stage_way *way) {
  unsigned choices = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    choices |= way->first[p] > dsm__tie_limit(way->steady[p]) ? 1U << p : 0;
  }
  return choices;
}

static double sum_of_steps(const dsm__stage_times *times) {
  double sum = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    sum += times->step[p];
  }
  return sum;
}

/* Where a class stands in a group, and what it may choose. */
typedef struct placing {
  const dsm__stages *stages;
  size_t number;
  dsm__stage_place where;
  bool may_fetch;
  dsm__stage_option *options;
} placing;

/* Appends the options of a way; returns how many there are. */
static size_t place_way(const placing *p, const dsm_machine *machine, uint64_t rows,
                        dsm_parallelism parallelism, size_t count) {
  const dsm__stages *const stages = p->stages;
  const dsm__stage_way *const way =
      &stages->ways[first_way(stages, p->number, rows) + (size_t)parallelism];
  const unsigned choices = p->may_fetch ? choices_of(way) : 0;
  for (unsigned fetching = 0; way->is_allowed && fetching < FETCHING_SETS; fetching++) {
    if ((fetching & ~choices) != 0) {
      continue;
    }
    dsm__stage_option option = option_of(way, fetching);
    option.rows = rows;
    option.parallelism = parallelism;
    if (sum_of_steps(&option.times) <= dsm__tie_limit(stages->limits[p->number])) {
      add_hand_over(stages, layer_of(stages, p->number), p->where, machine, &option.times);
      p->options[count++] = option;
    }
  }
  return count;
}

static size_t list_options(const placing *p) {
  const dsm__stages *const stages = p->stages;
  dsm__stage stage; /* rows do not matter to handing over */
  const dsm_machine *const whole = stages->table->inputs->machine;
  dsm__stage_init(&stage, whole->system, whole->mode, stages->columns, 1);
  size_t count = 0;
  for (uint64_t rows = 1; rows <= stages->rows; rows++) {
    for (unsigned i = 0; i < stage.machine.parallelism_count; i++) {
      count = place_way(p, &stage.machine, rows, (dsm_parallelism)i, count);
    }
  }
  return count;
}

size_t dsm__stages_list_max(const dsm__stages *stages) {
  return stages->rows_max * DSM_PARALLELISM_COUNT * FETCHING_SETS;
}

size_t dsm__stages_list(const dsm__stages *stages, size_t layer_index, dsm__stage_place where,
                        bool may_fetch, dsm__stage_option *options) {
  const size_t class_index = stages->table->distinct.class_of[layer_index];
  const placing one = {stages, stages->number_of[class_index] - 1, where, may_fetch, options};
  return list_options(&one);
}

void dsm__stages_score(dsm__stages *stages, uint64_t columns, uint64_t rows) {
  stages->columns = columns;
  stages->rows = rows;
  memset(stages->evaluated, 0, stages->workers * sizeof stages->evaluated[0]);
  dsm__parallel_for(stages->workers, stages->count * rows, score_stage, stages);
  for (size_t w = 0; w < stages->workers; w++) {
    stages->evaluations += stages->evaluated[w];
  }
}

static bool place_options(dsm__stages *stages, size_t number, dsm__stage_place where,
                          bool may_fetch) {
  const placing one = {stages, number, where, may_fetch, stages->placed};
  const size_t count = dsm__stage_options_reduce(stages->placed, list_options(&one));
  dsm__stage_option *const kept = dsm__arena_array(stages->arena, count, sizeof *kept);
  if (kept == NULL) {
    return false;
  }
  memcpy(kept, stages->placed, count * sizeof *kept);
  stages->options[number][where] = (dsm__stage_options){kept, count};
  return true;
}

bool dsm__stages_place(dsm__stages *stages, bool may_fetch) {
  for (size_t number = 0; number < stages->count; number++) {
    for (int where = 0; where < DSM__STAGE_PLACES; where++) {
      if (!place_options(stages, number, (dsm__stage_place)where, may_fetch)) {
        return false;
      }
    }
  }
  return true;
}

const dsm__stage_options *dsm__stages_of(const dsm__stages *stages, size_t layer_index,
                                         dsm__stage_place where) {
  const size_t class_index = stages->table->distinct.class_of[layer_index];
  return &stages->options[stages->number_of[class_index] - 1][where];
}
