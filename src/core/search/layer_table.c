/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layer_table.c: each pass of each class with each parallelism and factor, scored once.
 *
 * With nothing held a layer meets its neighbours only in relayouts, which depend on its forward and
 * backward parallelisms. So for each such pair the best update parallelism and factor are chosen
 * beforehand, of equals the first, and the graph has one edge for it: whatever is decided
 * elsewhere, no other choice is better (docs/model.md, section 13). Once layers hold something that
 * is no longer so, and their edges are scored one by one (variants.c).
 */
#include "search/layer_table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "model/equations.h"
#include "plan/plan_internal.h"
#include "plan/tolerance.h"

/* What layers of a class in a zone pay of collectives. */
static const dsm__reductions *paid_in(const dsm__search_inputs *inputs, size_t row,
                                      size_t class_index) {
  if (inputs->class_reductions != NULL) {
    return &inputs->class_reductions[row * inputs->class_count + class_index];
  }
  return row > 0 ? &inputs->zones[row - 1].reductions : inputs->reductions;
}

static const dsm__reductions *reductions_of(const dsm__search_inputs *inputs,
                                            const dsm_layer *layer) {
  const size_t index = (size_t)(layer - inputs->workload->layers);
  return paid_in(inputs, dsm__zone_row(inputs, index),
                 inputs->class_of != NULL ? inputs->class_of[index] : 0);
}

bool dsm__is_table_open(const dsm__search_inputs *inputs, size_t layer_index,
                        const dsm_pass_layouts *layouts) {
  if (inputs->fixed_cuts == NULL || !inputs->fixed_cuts[layer_index].is_known) {
    return true;
  }
  const dsm__table_cut own =
      dsm__table_cut_of(&inputs->workload->layers[layer_index], inputs->machine, layouts);
  return dsm__table_is_cut_alike(&own, &inputs->fixed_cuts[layer_index]);
}

dsm__layer_setting dsm__open_setting(const dsm__search_inputs *inputs, const dsm_layer *layer,
                                     uint64_t factor) {
  return (dsm__layer_setting){
      .layer = layer,
      .machine = inputs->machine,
      .precision = inputs->precision,
      .mode = inputs->options->mode,
      .minibatch = inputs->workload->minibatch,
      .micro_batches = inputs->micro_batches,
      .dysm_factor = factor,
      .preloaded_bytes = inputs->preloaded_bytes,
      .owner = dsm__known_owner_cut(inputs, (size_t)(layer - inputs->workload->layers)),
      .reductions = reductions_of(inputs, layer),
  };
}

dsm__layer_setting dsm__run_setting(const dsm__search_inputs *inputs, const dsm_layer *layer,
                                    unsigned index) {
  const uint64_t factor = layer->timesteps == 1 ? dsm__factor_of(index) : 1;
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, factor);
  setting.is_hoisted = dsm__is_run_hoisted(layer, index);
  return setting;
}

/* May some layers like this be run by a number, with some uniform factor? */
static bool is_run_possible(const dsm__layer_table *table, const dsm_layer *layer, unsigned index) {
  dsm__factors all = table->factors;
  all.is_uniform = false;
  return dsm__factor_is_allowed(&all, layer, index);
}

/* What the tasks share; each writes its own entries. */
typedef struct job {
  dsm__layer_table *table;
  uint64_t *evaluations; /* of each task */
} job;

/* The first allowed parallelism that costs a class the same in all invocations. */
static dsm_parallelism first_alike(const dsm__layer_table *table, size_t class_index,
                                   dsm_parallelism parallelism) {
  const dsm_layer *const layer = dsm__class_layer(table, class_index);
  const dsm_parallelism_set allowed = dsm__search_parallelisms(table->inputs, layer);
  for (int p = 0; p < (int)parallelism; p++) {
    if ((allowed & DSM_PARALLELISM_BIT(p)) != 0 &&
        dsm__are_alike(table->inputs->machine, (dsm_parallelism)p, parallelism)) {
      return (dsm_parallelism)p;
    }
  }
  return parallelism;
}

/* All passes and factors of a class under a parallelism. */
static void run_task(void *context, size_t task_index, size_t worker_index) {
  (void)worker_index;
  const job *const j = context;
  const dsm__layer_table *const table = j->table;
  const dsm__search_inputs *const inputs = table->inputs;
  const unsigned ways = inputs->machine->parallelism_count;
  const size_t class_index = task_index / ways;
  const dsm_parallelism parallelism = (dsm_parallelism)(task_index % ways);
  const dsm_layer *const layer = dsm__class_layer(table, class_index);
  const bool is_allowed =
      (dsm__search_parallelisms(inputs, layer) & DSM_PARALLELISM_BIT(parallelism)) != 0;
  const bool is_first = first_alike(table, class_index, parallelism) == parallelism;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass pass = (dsm_pass)p;
    for (unsigned f = 0; f < table->factor_count; f++) {
      double *const cycles = dsm__pass_cycles(table, class_index, pass, parallelism, f);
      const bool is_possible = is_allowed && is_run_possible(table, layer, f);
      *cycles = is_possible ? 0 : HUGE_VAL;
      if (is_possible && is_first && dsm_pass_exists(layer, inputs->options->mode, pass)) {
        const dsm__layer_setting setting = dsm__run_setting(inputs, layer, f);
        const dsm__recalled_pass of = {table, class_index, &setting, pass, parallelism};
        const dsm__best_pass best = dsm__recall_pass(&of, false);
        *cycles = best.cycles;
        j->evaluations[task_index] += best.evaluations;
      }
    }
  }
}

/*
 * Parallelisms that are alike have the cycles of the first.
 *
 * An axis of one chip shares nothing out, whatever its role, so that parallelisms which differ
 * there only cost the same and are scored once.
 */
static void copy_alike(const dsm__layer_table *table, size_t class_index) {
  const dsm_layer *const layer = dsm__class_layer(table, class_index);
  const dsm_parallelism_set allowed = dsm__search_parallelisms(table->inputs, layer);
  for (unsigned p = 0; p < table->inputs->machine->parallelism_count; p++) {
    const dsm_parallelism first = first_alike(table, class_index, (dsm_parallelism)p);
    for (int pass = 0; (allowed & DSM_PARALLELISM_BIT(p)) != 0 && pass < DSM_PASS_COUNT; pass++) {
      memmove(dsm__pass_cycles(table, class_index, (dsm_pass)pass, (dsm_parallelism)p, 0),
              dsm__pass_cycles(table, class_index, (dsm_pass)pass, first, 0),
              table->factor_count * sizeof(double));
    }
  }
}

static size_t worker_count(const dsm_explore_options *options, size_t tasks) {
  const size_t workers = dsm__parallel_workers(options->thread_count);
  return workers > tasks ? tasks : workers;
}

/* The numbers of all shapes, if there is a memo and it has room; false if out of memory. */
static bool number_shapes(dsm__layer_table *table, bool are_forks_counted, dsm__arena *arena) {
  dsm__memo *const memo = table->inputs->memo;
  if (memo == NULL) {
    return true;
  }
  uint32_t *const shapes = dsm__arena_array(arena, table->distinct.count, sizeof *shapes);
  if (shapes == NULL) {
    return false;
  }
  bool has_room = true;
  for (size_t c = 0; has_room && c < table->distinct.count; c++) {
    has_room = dsm__memo_shape(memo, dsm__class_layer(table, c), are_forks_counted, &shapes[c]);
  }
  table->shapes = has_room ? shapes : NULL;
  return true;
}

bool dsm__layer_table_fill(dsm__layer_table *table, const dsm__search_inputs *inputs,
                           const dsm__factors *factors, dsm__arena *arena) {
  *table = (dsm__layer_table){
      .inputs = inputs, .factor_count = dsm__run_count(factors), .factors = *factors};
  const dsm_system *const system = inputs->machine->system;
  const bool are_forks_counted =
      system->model.exact_forks || system->model.auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
  if (!dsm__distinct_find(&table->distinct, inputs->workload, are_forks_counted,
                          inputs->options->recomputation, arena) ||
      !dsm__core_splits_enumerate(&table->splits, dsm_split_cores(system), arena) ||
      !number_shapes(table, are_forks_counted, arena)) {
    return false;
  }
  const size_t classes = table->distinct.count;
  const size_t tasks = classes * inputs->machine->parallelism_count;
  const size_t workers = worker_count(inputs->options, tasks);
  job j = {.table = table};
  if (!DSM__RESERVE(arena, table->pass_cycles,
                    classes * DSM_PARALLELISM_COUNT * DSM_PASS_COUNT * table->factor_count) ||
      !DSM__RESERVE(arena, table->choices,
                    classes * DSM__ZONE_ROWS * (factors->may_hoist ? 2U : 1U)) ||
      !DSM__RESERVE(arena, j.evaluations, tasks)) {
    return false;
  }
  dsm__parallel_for(workers, tasks, run_task, &j);
  for (size_t c = 0; c < classes; c++) {
    copy_alike(table, c);
  }
  for (size_t t = 0; t < tasks; t++) {
    table->evaluations += j.evaluations[t];
  }
  return true;
}

/* Of all passes of a class, beside what it costs once a step. */
static dsm__cost open_cost(const dsm__layer_table *table, size_t class_index,
                           const dsm__layer_setting *setting, const dsm_pass_layouts *layouts,
                           unsigned factor_index, double once) {
  dsm__cost cost = {.once = once};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass pass = (dsm_pass)p;
    cost.micro += dsm__counted_share(setting, pass) *
                  *dsm__pass_cycles(table, class_index, pass, layouts->of[pass], factor_index);
  }
  return cost;
}

double dsm__open_cost(const dsm__layer_table *table, size_t layer_index,
                      const dsm_pass_layouts *layouts, unsigned factor_index) {
  const dsm__layer_setting setting =
      dsm__open_setting(table->inputs, &table->inputs->workload->layers[layer_index], 1);
  if (!dsm__is_table_open(table->inputs, layer_index, layouts)) {
    return HUGE_VAL;
  }
  const dsm__cost cost = open_cost(table, table->distinct.class_of[layer_index], &setting, layouts,
                                   factor_index, dsm__once_cycles(&setting, layouts));
  return dsm__price(&table->inputs->prices, &cost);
}

/*
 * Is a parallelism needed beside those that are alike? No mapping becomes slower, or needs more
 * memory, when all passes of all layers go over to the first alike: they cost the same, and what
 * two of them share of the torus they share still, so that no relayout is added (allowed is either
 * the same to two layers, or only data to one of them, which is the first).
 */
static bool is_needed(const dsm__layer_table *table, size_t class_index,
                      dsm_parallelism parallelism) {
  return table->are_alike_kept || first_alike(table, class_index, parallelism) == parallelism;
}

/* Can the update pass have a parallelism beside those of a pair? */
static bool can_update(const dsm__layer_table *table, size_t class_index, unsigned pair,
                       dsm_parallelism update) {
  const dsm__search_inputs *const inputs = table->inputs;
  const dsm_mode mode = inputs->options->mode;
  const dsm_parallelism forward = dsm__pair_forward(pair);
  if (mode != DSM_MODE_TRAINING || !dsm__may_choose(inputs->options, DSM__CHOICE_PASSES)) {
    return dsm__pair_backward(pair) == forward && update == forward;
  }
  return update == forward ||
         (dsm_pass_exists(dsm__class_layer(table, class_index), mode, DSM_PASS_UPDATE) &&
          is_needed(table, class_index, update));
}

/* The best update parallelism and factor of a pair; of equals the first. */
static dsm__open_choice choose(const dsm__layer_table *table, const dsm__factors *factors,
                               size_t class_index, unsigned pair, const dsm__reductions *reductions,
                               bool is_hoisted) {
  const dsm__search_inputs *const inputs = table->inputs;
  const dsm_layer *const layer = dsm__class_layer(table, class_index);
  const dsm_parallelism forward = dsm__pair_forward(pair);
  const dsm_parallelism backward = dsm__pair_backward(pair);
  dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
  setting.reductions = reductions;
  const unsigned ways = inputs->machine->parallelism_count;
  const unsigned runs = dsm__run_count(factors);
  double totals[DSM_PARALLELISM_COUNT][DSM__FACTORS_MAX];
  double best = HUGE_VAL;
  if (!is_needed(table, class_index, forward) || !is_needed(table, class_index, backward)) {
    return (dsm__open_choice){.cost = HUGE_VAL};
  }
  for (unsigned u = 0; u < ways; u++) {
    const dsm_pass_layouts layouts = {{forward, backward, (dsm_parallelism)u}};
    const bool is_possible =
        can_update(table, class_index, pair, (dsm_parallelism)u) &&
        dsm__is_table_open(inputs, table->distinct.representative[class_index], &layouts);
    const double once = is_possible ? dsm__once_cycles(&setting, &layouts) : HUGE_VAL;
    for (unsigned f = 0; f < runs; f++) {
      totals[u][f] = HUGE_VAL;
      if (is_possible && dsm__factor_is_allowed(factors, layer, f) &&
          dsm__is_run_hoisted(layer, f) == is_hoisted) {
        const dsm__cost cost = open_cost(table, class_index, &setting, &layouts, f, once);
        totals[u][f] = dsm__price(&inputs->prices, &cost);
      }
      best = totals[u][f] < best ? totals[u][f] : best;
    }
  }
  for (unsigned u = 0; u < ways; u++) {
    for (unsigned f = 0; f < runs; f++) {
      if (isfinite(best) && totals[u][f] <= dsm__tie_limit(best)) {
        return (dsm__open_choice){totals[u][f], (dsm_parallelism)u, f};
      }
    }
  }
  return (dsm__open_choice){.cost = HUGE_VAL};
}

void dsm__layer_table_choose(const dsm__layer_table *table, const dsm__factors *factors) {
  const dsm__search_inputs *const inputs = table->inputs;
  const size_t classes = table->distinct.count;
  assert(classes > 0); /* a network has a layer */
  for (size_t row = 0; row < (factors->may_hoist ? 2 * classes : classes); row++) {
    const size_t c = row % classes;
    const bool is_hoisted = row >= classes;
    dsm__open_choice(*const choices)[DSM__PAIRS] =
        &table->choices[is_hoisted ? DSM__ZONE_ROWS * classes : 0];
    for (DSM__EACH_PAIR(pair, inputs->machine->parallelism_count)) {
      for (size_t z = 0; z <= inputs->zone_count; z++) {
        choices[z * classes + c][pair] =
            choose(table, factors, c, pair, paid_in(inputs, z, c), is_hoisted);
      }
    }
  }
}
