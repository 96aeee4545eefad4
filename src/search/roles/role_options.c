/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_options.c: a layer by itself with each of its roles.
 *
 * A layer's time depends on its roles and on the axes along which another layer gathers its input,
 * not on what its neighbours do otherwise; so each is scored once for a class of layers.
 */
#include "search/roles/role_options.h"

#include <math.h>

#include "model/equations.h"
#include "plan/keeping.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"
#include "search/layer_search.h"
#include "search/roles/held_search.h"

static bool is_optional(const dsm__problem *problem, unsigned axis, dsm_role role) {
  const dsm_optimization needed = dsm__role_optimization(role);
  return (needed == DSM_OPTIMIZATION_COUNT || dsm__has_optimization(&problem->inputs, needed)) &&
         dsm__is_role_named(problem->inputs.options, problem->machine.system, axis, role);
}

/* May layers have all ways of data and model? Else those that share features along an axis of one
 * chip too may be the only ones there are. */
static bool are_all_searched(const dsm__problem *problem) {
  const dsm_parallelism_set all =
      DSM_PARALLELISM_ALL >> ((unsigned)DSM_PARALLELISM_COUNT - problem->machine.parallelism_count);
  return dsm__option_parallelisms(problem->inputs.options, problem->machine.system) == all;
}

/* An attention's `model` is `heads` under another name, where that may be used; an axis of one chip
 * shares nothing. */
static bool is_useful(const dsm__problem *problem, const dsm_layer *layer, unsigned axis,
                      dsm_role role) {
  const uint64_t chips = problem->machine.system->system.axes[axis].chips;
  const bool is_other_name = role == DSM_ROLE_MODEL && layer->operand_groups > 0 &&
                             is_optional(problem, axis, DSM_ROLE_HEADS);
  const bool is_shared = chips > 1 || (role == DSM_ROLE_MODEL && !are_all_searched(problem));
  return role == DSM_ROLE_DATA || (is_shared && !is_other_name);
}

/* Roles in the order of preference: as numbers with a digit for each axis, the first axis' first.
 */
static dsm_roles roles_of(size_t number, unsigned axis_count) {
  dsm_roles roles = {{DSM_ROLE_DATA}};
  for (unsigned a = axis_count; a-- > 0;) {
    roles.of[a] = (dsm_role)(number % DSM_ROLE_COUNT);
    number /= DSM_ROLE_COUNT;
  }
  return roles;
}

/* Can a layer have these roles? Fills the parallelism that they are. */
static bool is_possible(const dsm__problem *problem, const dsm_layer *layer, const dsm_roles *roles,
                        dsm_parallelism *parallelism) {
  const dsm_system *const system = problem->machine.system;
  bool is_good = true;
  for (unsigned a = 0; is_good && a < system->system.axis_count; a++) {
    is_good = (roles->of[a] == DSM_ROLE_DATA || is_optional(problem, a, roles->of[a])) &&
              is_useful(problem, layer, a, roles->of[a]);
  }
  *parallelism = dsm_parallelism_of(roles, system->system.axis_count);
  if (!is_good || dsm__roles_why_not(layer, system, *parallelism) != NULL) {
    return false;
  }
  const dsm__search_inputs *const inputs = &problem->inputs;
  if (inputs->micro_batches > 1 &&
      inputs->workload->minibatch % dsm__sample_ways(&problem->machine, *parallelism) != 0) {
    return false;
  }
  return dsm_parallelism_has_roles(*parallelism)
             ? dsm__are_roles_named(inputs->options, system, *parallelism)
             : (dsm__allowed_parallelisms(layer, inputs->options, system) &
                DSM_PARALLELISM_BIT(*parallelism)) != 0;
}

/* What is shared out of weights, and whether the forward pass runs again. */
typedef struct keeping {
  dsm_sharding shard;
  bool is_recomputed;
} keeping;

/* Cycles of a pass with all that it waits for. */
static double pass_cycles(dsm__problem *problem, const dsm__layer_setting *setting, dsm_pass pass,
                          const dsm_pass_layouts *layouts) {
  const bool may_keep = dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_REUSE);
  const dsm__best_pass best =
      dsm__least_pass_find(setting, pass, layouts->of[pass], may_keep, &problem->table.splits);
  problem->evaluations += best.evaluations;
  return best.cycles + dsm__gathering_cycles(setting, layouts, pass, best.cycles);
}

/* The best of all factors; once a step is what no factor changes. */
static void score(dsm__problem *problem, size_t layer_index, dsm__role_option *option) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[layer_index];
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(option->parallelism);
  option->cycles = HUGE_VAL;
  for (unsigned f = 0; f < problem->table.factor_count; f++) {
    if (problem->factors.is_uniform || inputs->micro_batches > 1
            ? f > 0
            : !dsm__factor_is_allowed(&problem->factors, layer, f) ||
                  dsm__is_run_hoisted(layer, f)) {
      continue;
    }
    dsm__layer_setting setting = dsm__run_setting(inputs, layer, f);
    setting.gathered_before = option->shared;
    setting.summed_later = option->shared;
    setting.shard = option->shard;
    setting.is_recomputed = option->is_recomputed;
    double cycles = dsm__once_cycles(&setting, &layouts);
    for (int p = 0; p < DSM_PASS_COUNT && cycles < option->cycles; p++) {
      if (dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p)) {
        cycles += pass_cycles(problem, &setting, (dsm_pass)p, &layouts);
      }
    }
    if (dsm__tie_limit(cycles) < option->cycles) {
      option->cycles = cycles;
      option->once_cycles = dsm__once_cycles(&setting, &layouts);
      option->factor_index = f;
    }
  }
}

/* Axes along which another layer may have brought the input. */
static dsm_axis_set opening_axes(const dsm_system *system, dsm_parallelism parallelism) {
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    axes |= dsm__is_column_like(role) || role == DSM_ROLE_EXPERT ? 1U << a : 0U;
  }
  return axes;
}

/* Do neighbours see no difference between two roles: the same layouts, and the same side? */
static bool is_like(const dsm_layer *layer, dsm_role a, dsm_role b) {
  return dsm_role_input_layout(a) == dsm_role_input_layout(b) &&
         dsm_role_output_layout(a) == dsm_role_output_layout(b) &&
         dsm__is_column_like(a) == dsm__is_column_like(b) &&
         dsm__is_row_like(a) == dsm__is_row_like(b) &&
         (a == DSM_ROLE_EXPERT) == (b == DSM_ROLE_EXPERT) &&
         dsm__is_heads_like(layer, a) == dsm__is_heads_like(layer, b);
}

/* Neighbours see no difference, and the first takes no more time and memory: all that a layer keeps
 * goes with what a chip has of its weights or of its output. */
static bool is_no_worse(const dsm__problem *problem, const dsm_layer *layer,
                        const dsm__role_option *a, const dsm__role_option *b) {
  const uint64_t samples = problem->inputs.workload->minibatch;
  for (unsigned axis = 0; axis < problem->machine.system->system.axis_count; axis++) {
    if (!is_like(layer, dsm_parallelism_role(a->parallelism, axis),
                 dsm_parallelism_role(b->parallelism, axis))) {
      return false;
    }
  }
  const dsm_chip_share of_a =
      dsm_chip_share_derive(layer, &problem->machine, a->parallelism, samples);
  const dsm_chip_share of_b =
      dsm_chip_share_derive(layer, &problem->machine, b->parallelism, samples);
  const double kept_a =
      (double)of_a.chip.n[DSM_DIM_MB] * of_a.position_share / (double)of_a.stored_ways;
  const double kept_b =
      (double)of_b.chip.n[DSM_DIM_MB] * of_b.position_share / (double)of_b.stored_ways;
  return a->cycles <= dsm__tie_limit(b->cycles) && of_a.weight_ways >= of_b.weight_ways &&
         kept_a <= kept_b && a->shard == b->shard && a->is_recomputed == b->is_recomputed;
}

/* Leaves out options that are no better in anything than another one, of equals all but the first;
 * the others stay in order. Where outputs may be held they stay too, but are marked: what is held
 * may help them more. */
static size_t drop_dominated(const dsm__problem *problem, const dsm_layer *layer, bool may_be_held,
                             dsm__role_option *options, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_dominated = false;
    for (size_t j = 0; j < count && !is_dominated; j++) {
      const bool is_first = j < i || !is_no_worse(problem, layer, &options[i], &options[j]);
      is_dominated = j != i && is_first && is_no_worse(problem, layer, &options[j], &options[i]);
    }
    options[i].is_dominated = is_dominated;
    if (!is_dominated || may_be_held) {
      options[kept++] =
          options[i]; /* what it overwrites has been found worse than one that stays */
    }
  }
  return kept;
}

/* What is kept of a layer with these roles: of shards that take the same time only the one that
 * leaves most is looked at, and the others where there is room for them (spare_shards). Without
 * micro-batches gradients that are shared out take no time. */
static size_t keepings_of(const dsm__problem *problem, const dsm_layer *layer,
                          dsm_parallelism parallelism, bool may_recompute, keeping *list) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_assumptions *const model = &problem->machine.system->model;
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  const bool is_sharded = dsm__has_optimization(inputs, DSM_OPTIMIZATION_SHARD) &&
                          layer->weight_elements > 0 && !layer->is_tied &&
                          dsm__shard_ways(layer, &problem->machine, &layouts) > 1;
  const bool is_summed_often = inputs->micro_batches > 1;
  const bool is_remade =
      may_recompute && layer->timesteps == 1 && dsm__recomputing_pass(layer) != DSM_PASS_COUNT;
  size_t count = 0;
  for (int s = 0; s < DSM_SHARDING_COUNT; s++) {
    const dsm_sharding least_kept =
        is_summed_often ? DSM_SHARDING_OPTIMIZER : DSM_SHARDING_GRADIENTS;
    const bool is_other_time = s == DSM_SHARDING_NONE && !model->sharded_update;
    if (is_sharded ? s < (int)least_kept && !is_other_time : s != DSM_SHARDING_NONE) {
      continue;
    }
    for (int again = 0; again <= (is_remade ? 1 : 0); again++) {
      list[count++] = (keeping){(dsm_sharding)s, again == 1};
    }
  }
  return count;
}

typedef DSM__LIST(dsm__role_option) option_list;

/* Options with these roles. False if out of memory. */
static bool add_keepings(dsm__problem *problem, size_t layer_index, dsm_parallelism parallelism,
                         bool may_recompute, option_list *list) {
  keeping keepings[2 * DSM_SHARDING_COUNT];
  const dsm_layer *const layer = &problem->inputs.workload->layers[layer_index];
  const size_t count = keepings_of(problem, layer, parallelism, may_recompute, keepings);
  for (size_t k = 0; k < count; k++) {
    if (!DSM__LIST_RESERVE_IN(list, 1, problem->arena)) {
      return false;
    }
    dsm__role_option *const option = &list->items[list->count++];
    *option = (dsm__role_option){.parallelism = parallelism,
                                 .shard = keepings[k].shard,
                                 .is_recomputed = keepings[k].is_recomputed};
    score(problem, layer_index, option);
    option->least_cycles = option->cycles;
  }
  return true;
}

dsm__role_options dsm__role_options_find(dsm__problem *problem, size_t layer_index,
                                         bool may_recompute) {
  const dsm_system *const system = problem->machine.system;
  const dsm_layer *const layer = &problem->inputs.workload->layers[layer_index];
  const unsigned axis_count = system->system.axis_count;
  option_list list = {NULL, 0, 0};
  dsm__role_options found = {.items = NULL};
  size_t numbers = 1;
  if (!DSM__LIST_RESERVE_IN(&list, 1, problem->arena)) { /* a list that stays empty is one too */
    return found;
  }
  for (unsigned a = 0; a < axis_count; a++) {
    numbers *= DSM_ROLE_COUNT;
  }
  for (size_t n = 0; n < numbers; n++) {
    const dsm_roles roles = roles_of(n, axis_count);
    dsm_parallelism parallelism;
    if (!is_possible(problem, layer, &roles, &parallelism)) {
      continue;
    }
    if (!add_keepings(problem, layer_index, parallelism, may_recompute, &list)) {
      return found;
    }
  }
  const bool may_be_held = !may_recompute && dsm__held_roles_are_searched(problem);
  list.count = drop_dominated(problem, layer, may_be_held, list.items, list.count);
  found.whole_count = list.count;
  for (size_t i = 0; i < found.whole_count; i++) {
    const dsm_parallelism parallelism = list.items[i].parallelism;
    const dsm_axis_set opening = opening_axes(system, parallelism);
    /* All sets of them but none. */
    for (dsm_axis_set shared = opening; shared != 0; shared = (shared - 1) & opening) {
      if (!DSM__LIST_RESERVE_IN(&list, 1, problem->arena)) {
        return (dsm__role_options){.items = NULL};
      }
      dsm__role_option *const option = &list.items[list.count++];
      *option = list.items[i];
      option->shared = shared;
      score(problem, layer_index, option);
      list.items[i].least_cycles = fmin(list.items[i].least_cycles, option->cycles);
    }
  }
  found.items = list.items;
  found.count = list.count;
  return found;
}
