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
#include "plan/frameworks.h"
#include "plan/keeping.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"
#include "search/roles/held_search.h"
#include "search/roles/update_roles.h"

static bool is_optional(const dsm__problem *problem, unsigned axis, dsm_role role) {
  return dsm__may_have_role(problem->inputs.options, role) &&
         dsm__is_role_named(problem->inputs.options, problem->machine.system, axis, role);
}

/* May layers have all ways of data and model? Else those that share features along an axis of one
 * chip too may be the only ones there are. */
static bool are_all_searched(const dsm__problem *problem) {
  const dsm_parallelism_set all =
      DSM_PARALLELISM_ALL >> ((unsigned)DSM_PARALLELISM_COUNT - problem->machine.parallelism_count);
  return dsm__option_parallelisms(problem->inputs.options, problem->machine.system) == all;
}

/* Has a role of an attention another name there, in this form or another one, that may be used? */
static bool has_other_name(const dsm__problem *problem, const dsm_layer *layer, unsigned axis,
                           dsm_role role) {
  const dsm_role named = dsm__role_of_layer(layer, role);
  bool has = false;
  for (int r = 0; named != role && r < DSM_ROLE_COUNT; r++) {
    has = has ||
          (dsm__are_forms_of_one((dsm_role)r, named) && is_optional(problem, axis, (dsm_role)r) &&
           dsm__role_why_not(layer, (dsm_role)r) == NULL);
  }
  return has;
}

/* What has another name has this one alone; an axis of one chip shares nothing. */
static bool is_useful(const dsm__problem *problem, const dsm_layer *layer, unsigned axis,
                      dsm_role role) {
  const uint64_t chips = problem->machine.system->system.axes[axis].chips;
  const bool is_shared = chips > 1 || (dsm__role_is_of_words(role) && !are_all_searched(problem));
  return role == DSM__ROLE_DEFAULT || (is_shared && !has_other_name(problem, layer, axis, role));
}

/* Roles in the order of preference: as numbers with a digit for each axis, the first axis' first.
 */
static dsm_roles roles_of(size_t number, unsigned axis_count) {
  dsm_roles roles = {{DSM__ROLE_DEFAULT}};
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
    is_good = (roles->of[a] == DSM__ROLE_DEFAULT || is_optional(problem, a, roles->of[a])) &&
              is_useful(problem, layer, a, roles->of[a]) &&
              dsm__has_its_experts(problem->inputs.options, system, a, layer, roles->of[a]);
  }
  *parallelism = dsm_parallelism_of(roles, system->system.axis_count);
  if (!is_good || dsm__roles_why_not(layer, system, *parallelism) != NULL) {
    return false;
  }
  const dsm__search_inputs *const inputs = &problem->inputs;
  if ((inputs->micro_batches > 1 || inputs->options->as_run_by != DSM_AS_RUN_BY_ANY) &&
      inputs->workload->minibatch % dsm__sample_ways(&problem->machine, *parallelism) != 0) {
    return false;
  }
  return dsm_parallelism_has_roles(*parallelism)
             ? dsm__are_roles_named(inputs->options, system, *parallelism)
             : (dsm__allowed_parallelisms(layer, inputs->options, system) &
                DSM_PARALLELISM_BIT(*parallelism)) != 0;
}

/* What is shared out of weights, and what is made anew. */
typedef struct keeping {
  dsm_sharding shard;
  dsm__again again;
} keeping;

/* What is in each of several micro-batches of stages of what dsm__once_cycles counts: the sum of
 * gradients that are shared out. */
static double often_cycles(const dsm__search_inputs *inputs, const dsm__layer_setting *setting,
                           const dsm_pass_layouts *layouts) {
  if (!inputs->is_staged || setting->shard < DSM_SHARDING_GRADIENTS ||
      dsm__micro_batches_of(setting) == 1) {
    return 0;
  }
  const dsm_weight_traffic traffic = dsm__weight_traffic(setting, layouts);
  return dsm_group_cycles(setting->machine, &traffic.sum_of_gradients);
}

/* The best of all factors, with the same roles in all passes; once a step is what no factor
 * changes. `both`: of each factor, NULL: not asked; stays NaN where it is of no use. */
static void score(const dsm__problem *problem, size_t layer_index, dsm__role_option *option,
                  double *both) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[layer_index];
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(option->parallelism);
  option->cost = HUGE_VAL;
  for (unsigned f = 0; f < problem->table.factor_count; f++) {
    if (!dsm__role_factor_is_tried(problem, layer, f)) {
      continue;
    }
    dsm__layer_setting setting = dsm__role_setting(problem, layer_index, f, option->shares);
    setting.shard = option->shard;
    setting.is_recomputed = option->is_recomputed && !option->is_product_kept;
    setting.are_operations_again = option->is_product_kept;
    const double often = often_cycles(inputs, &setting, &layouts);
    const dsm__cost once = {.once = dsm__once_cycles(&setting, &layouts) - often};
    const dsm__cost beside = {.micro = often, .once = once.once};
    double price = dsm__price(&inputs->prices, &beside);
    double of_both = 0;
    for (int p = 0; p < DSM_PASS_COUNT && price < option->cost; p++) {
      if (dsm_pass_exists(layer, inputs->options->mode, (dsm_pass)p)) {
        const double own = dsm__role_pass_cost(problem, &setting, (dsm_pass)p, &layouts);
        price += own;
        of_both += p == DSM_PASS_UPDATE ? 0 : own;
      }
      if (both != NULL && p == DSM_PASS_BACKWARD) {
        both[f] = of_both;
      }
    }
    if (dsm__tie_limit(price) < option->cost) {
      option->cost = price;
      option->once_cost = dsm__price(&inputs->prices, &once);
      option->factor_index = f;
    }
  }
}

/* Axes along which another layer may have brought the input: gathers if it reads the same. */
static dsm_axis_set opening_axes(const dsm_system *system, dsm_parallelism parallelism,
                                 bool has_company) {
  const unsigned open = has_company ? DSM__ROLE_SHARES_INPUT : DSM__ROLE_SENDS_TOKENS;
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    axes |= dsm__role_has(dsm_parallelism_role(parallelism, a), open) ? 1U << a : 0U;
  }
  return axes;
}

/* What neighbours see of a role: its layouts and its side. */
static unsigned seen_of(const dsm_layer *layer, dsm_role role) {
  const dsm__role_row *const row = &dsm__role_rows[dsm__role_of_layer(layer, role)];
  return (unsigned)row->input | (unsigned)row->output << 2 | (unsigned)row->makes << 4 |
         row->reads << 6;
}

/* What of its gradients an update has at a time beyond what is kept of them, of all weights. */
static double more_gradients(const dsm__role_option *option, uint64_t weight_ways) {
  return 1 / (double)option->update_ways - 1 / (double)weight_ways;
}

/* Is the first no slower, whoever gathers? What may be gathered by another layer takes less then.
 */
static bool is_no_slower(const dsm__role_option *a, const dsm__role_option *b) {
  const bool are_uniform = a->update == a->parallelism && b->update == b->parallelism;
  return (a->gathers & b->gathers) == b->gathers &&
         a->cost <= dsm__tie_limit(are_uniform ? b->cost : b->floor_cost);
}

/* What an option keeps and what neighbours see of it. */
typedef struct merit {
  double kept;           /* of the output, as a chip's part of it */
  double more_gradients; /* see more_gradients() */
  uint64_t weight_ways;
  unsigned seen; /* along all axes */
  dsm__table_cut cut;
} merit;

static merit merit_of(const dsm__problem *problem, const dsm_layer *layer,
                      const dsm__role_option *option) {
  const dsm_chip_share share = dsm_chip_share_derive(layer, &problem->machine, option->parallelism,
                                                     problem->inputs.workload->minibatch);
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  merit own = {.kept = (double)share.chip.n[DSM_DIM_MB] * share.position_share /
                       (double)share.stored_ways,
               .more_gradients = more_gradients(option, share.weight_ways),
               .weight_ways = share.weight_ways,
               .cut = dsm__table_cut_of(layer, &problem->machine, &layouts)};
  for (unsigned a = 0; a < problem->machine.system->system.axis_count; a++) {
    own.seen = own.seen << 9 | seen_of(layer, dsm_parallelism_role(option->parallelism, a));
  }
  return own;
}

/* Options of a layer that are compared. */
typedef struct comparing {
  const dsm__role_option *options;
  const merit *merits;
  bool has_table; /* others share its weights, and see how they are cut */
  bool is_asked;  /* roles are: the same in all passes stay */
} comparing;

/* Neighbours see no difference, and the first takes no more time and memory: all that a layer keeps
 * goes with what a chip has of its weights or of its output. What is asked for stays. */
static bool is_no_worse(const comparing *c, size_t first, size_t second) {
  const dsm__role_option *const a = &c->options[first];
  const dsm__role_option *const b = &c->options[second];
  const merit *const of_a = &c->merits[first];
  const merit *const of_b = &c->merits[second];
  const bool is_asked = c->is_asked && b->update == b->parallelism;
  return of_a->seen == of_b->seen && is_no_slower(a, b) &&
         !(is_asked && a->update != a->parallelism) && a->shard == b->shard &&
         a->is_recomputed == b->is_recomputed && a->is_product_kept == b->is_product_kept &&
         a->is_output_recomputed == b->is_output_recomputed &&
         of_a->weight_ways >= of_b->weight_ways && of_a->more_gradients <= of_b->more_gradients &&
         of_a->kept <= of_b->kept &&
         (!c->has_table || dsm__table_is_cut_alike(&of_a->cut, &of_b->cut));
}

/* Leaves out options that are no better in anything than another one, of equals all but the first;
 * the others stay in order. Where outputs may be held they stay too, but are marked: what is held
 * may help them more. False if out of memory. */
static bool drop_dominated(const dsm__problem *problem, size_t layer_index, bool may_be_held,
                           dsm__role_option *options, size_t *count) {
  const dsm_layer *const layer = &problem->inputs.workload->layers[layer_index];
  const dsm__distinct *const distinct = &problem->table.distinct;
  merit *merits = NULL;
  bool *is_dominated = NULL;
  if (!DSM__RESERVE(problem->arena, merits, *count) ||
      !DSM__RESERVE(problem->arena, is_dominated, *count)) {
    return false;
  }
  for (size_t i = 0; i < *count; i++) {
    merits[i] = merit_of(problem, layer, &options[i]);
    is_dominated[i] = options[i].is_for_holding; /* it makes no other one useless */
  }
  const comparing c = {.options = options,
                       .merits = merits,
                       .has_table = distinct->has_table[distinct->class_of[layer_index]],
                       .is_asked = problem->fixed != NULL};
  for (size_t i = 0; i < *count; i++) {
    for (size_t j = 0; j < *count && !is_dominated[i]; j++) {
      is_dominated[i] =
          j != i && !is_dominated[j] && is_no_worse(&c, j, i) && (j < i || !is_no_worse(&c, i, j));
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    options[i].is_dominated = is_dominated[i];
    if (!is_dominated[i] || (may_be_held && options[i].may_hold)) {
      options[kept++] = options[i];
    }
  }
  *count = kept;
  return true;
}

typedef DSM__LIST(dsm__role_option) option_list;

/* Options of a layer, one after the other. */
typedef struct finding {
  const dsm__problem *problem;
  size_t layer_index;
  dsm__again first_again; /* what has to be made anew, */
  dsm__again last_again;  /* or may, */
  bool may_keep_product;  /* as may the operations alone */
  bool may_be_held;       /* outputs may be */
  bool has_company;
  dsm__update_roles *updates; /* NULL: an update pass has the roles of the others */
  option_list list;
} finding;

/* What is kept of a layer with these roles: of shards that take the same time only the one that
 * leaves most is looked at, and the others where there is room for them (spare_shards). Without
 * micro-batches and stages gradients that are shared out take no time. */
static size_t keepings_of(const finding *f, dsm_parallelism parallelism, keeping *list) {
  const dsm__problem *const problem = f->problem;
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_assumptions *const model = &problem->machine.system->model;
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  const dsm_shard_level asked = inputs->options->shard_level;
  const bool is_sharded =
      (asked != DSM_SHARD_LEVEL_BEST || dsm__may_choose(inputs->options, DSM__CHOICE_SHARD)) &&
      dsm__has_shard_level(inputs->workload, f->layer_index, &problem->machine, &layouts);
  const bool is_summed_often = inputs->micro_batches > 1 || inputs->is_staged;
  size_t count = 0;
  for (int s = 0; s < DSM_SHARDING_COUNT; s++) {
    const dsm_sharding least_kept =
        is_summed_often ? DSM_SHARDING_OPTIMIZER : DSM_SHARDING_GRADIENTS;
    const bool is_other_time = s == DSM_SHARDING_NONE && !model->sharded_update;
    const bool is_left_out = asked != DSM_SHARD_LEVEL_BEST ? s != (int)dsm__sharding_asked(asked)
                                                           : s < (int)least_kept && !is_other_time;
    if (is_sharded ? is_left_out : s != DSM_SHARDING_NONE) {
      continue;
    }
    for (int again = (int)f->first_again; again <= (int)f->last_again; again++) {
      list[count++] = (keeping){(dsm_sharding)s, (dsm__again)again};
    }
    if (f->may_keep_product) {
      list[count++] = (keeping){(dsm_sharding)s, DSM__AGAIN_OPERATIONS};
    }
  }
  return count;
}

static dsm__role_option *add_option(finding *f) {
  return DSM__LIST_RESERVE_IN(&f->list, 1, f->problem->arena) ? &f->list.items[f->list.count++]
                                                              : NULL;
}

/* What another layer gathers takes no time here: of options that differ in what they share those
 * that share most take least. */
static bool are_most_shared(const finding *f) {
  return f->problem->asked == DSM__OPTIONS_LEAST && f->updates == NULL;
}

/* With the same roles in all passes. */
static dsm__role_option uniform_option(const finding *f, dsm_parallelism parallelism,
                                       keeping kept) {
  const dsm_machine *const machine = &f->problem->machine;
  const dsm_workload *const workload = f->problem->inputs.workload;
  const dsm_axis_set gathers =
      f->has_company ? dsm__gathering_axes(machine->system, parallelism) : 0;
  const dsm_axis_set shared =
      are_most_shared(f) ? opening_axes(machine->system, parallelism, f->has_company) : 0;
  return (dsm__role_option){.parallelism = parallelism,
                            .update = parallelism,
                            .shares = {shared, shared & gathers},
                            .gathers = gathers,
                            .update_ways =
                                dsm_chip_share_derive(&workload->layers[f->layer_index], machine,
                                                      parallelism, workload->minibatch)
                                    .weight_ways,
                            .may_hold = true,
                            .shard = kept.shard,
                            .is_recomputed = kept.again != DSM__AGAIN_NOTHING,
                            .is_product_kept = kept.again == DSM__AGAIN_OPERATIONS,
                            .is_output_recomputed = kept.again == DSM__AGAIN_ALL};
}

/* What an option has of a way. */
static void take_way(const finding *f, const dsm__update_way *way, dsm__role_option *option) {
  option->update = way->update;
  option->may_hold = false;
  option->gathers = way->gathers;
  option->update_ways = way->ways;
  option->is_spare = way->is_spare;
  option->factor_index = way->factor_index;
  option->cost = way->cost;
  option->least_cost = way->cost;
  option->floor_cost = way->floor_cost;
  const dsm__layer_setting setting =
      dsm__role_setting(f->problem, f->layer_index, way->factor_index, option->shares);
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  const dsm__cost once = {.once = dsm__once_cycles(&setting, &layouts)};
  option->once_cost = dsm__price(&f->problem->inputs.prices, &once);
}

/* Of an option with the same roles in all passes those with others in update that are worth a look
 * too, or in its place. `is_there`: it is the last of the list. */
static bool add_update_ways(finding *f, const dsm__role_option *uniform, bool is_there) {
  const dsm__update_way same = {
      .update = uniform->update, .factor_index = uniform->factor_index, .cost = uniform->cost};
  dsm__update_ways ways;
  if (!(uniform->cost < HUGE_VAL)) {
    return true;
  }
  dsm__update_ways_find(f->updates, uniform->parallelism, &same, &ways);
  f->list.count -= is_there ? 1 : 0;
  for (size_t w = 0; w < ways.count; w++) {
    const bool is_uniform = ways.items[w].update == uniform->parallelism;
    dsm__role_option *const option = is_uniform && !is_there ? NULL : add_option(f);
    if (option != NULL) {
      *option = *uniform;
      take_way(f, &ways.items[w], option);
      option->once_cost = is_uniform ? uniform->once_cost : option->once_cost;
    } else if (!is_uniform || is_there) {
      return false;
    }
  }
  return true;
}

/* What is held needs the same roles in all passes: an option for it alone, where the others have
 * those of their update at their best. False if out of memory. */
static bool add_for_holding(finding *f, const dsm__role_option *uniform) {
  dsm__role_option *const option = f->may_be_held ? add_option(f) : NULL;
  if (option != NULL) {
    *option = *uniform;
    option->is_for_holding = true;
    option->may_hold = true;
  }
  return option != NULL || !f->may_be_held;
}

/* Options with these roles. False if out of memory. */
static bool add_keepings(finding *f, dsm_parallelism parallelism) {
  keeping keepings[DSM__AGAIN_COUNT * DSM_SHARDING_COUNT];
  const size_t count = keepings_of(f, parallelism, keepings);
  const keeping plain = {DSM_SHARDING_NONE, DSM__AGAIN_NOTHING};
  bool has_plain = false;
  for (size_t k = 0; k < count; k++) {
    const bool is_plain = keepings[k].shard == plain.shard && keepings[k].again == plain.again;
    dsm__role_option *const option = add_option(f);
    if (option == NULL) {
      return false;
    }
    *option = uniform_option(f, parallelism, keepings[k]);
    if (f->problem->asked == DSM__OPTIONS_LISTED) {
      continue;
    }
    score(f->problem, f->layer_index, option,
          is_plain && f->updates != NULL ? dsm__update_both(f->updates) : NULL);
    option->least_cost = option->cost;
    option->floor_cost = option->cost;
    has_plain = has_plain || is_plain;
    const dsm__role_option scored = *option;
    if (is_plain && f->updates != NULL) {
      if (!add_update_ways(f, &scored, true) || !add_for_holding(f, &scored)) {
        return false;
      }
    }
  }
  if (!has_plain && f->updates != NULL) { /* shards are of passes with the same roles */
    dsm__role_option uniform = uniform_option(f, parallelism, plain);
    score(f->problem, f->layer_index, &uniform, dsm__update_both(f->updates));
    return add_update_ways(f, &uniform, false);
  }
  return true;
}

/* An option whose gathers are another's along some axes. False if out of memory. */
static bool add_shared(finding *f, size_t whole, dsm__role_shares shares) {
  dsm__role_option *const option = add_option(f);
  if (option == NULL) {
    return false;
  }
  *option = f->list.items[whole];
  option->shares = shares;
  if (f->updates == NULL || option->is_for_holding || option->shard != DSM_SHARDING_NONE ||
      option->is_recomputed) {
    score(f->problem, f->layer_index, option, NULL);
  } else {
    const dsm__update_way as = {.gathers = option->gathers, .ways = option->update_ways};
    dsm__update_way way = dsm__update_way_shared(f->updates, option->parallelism, shares, &as);
    way.is_spare = option->is_spare;
    take_way(f, &way, option);
  }
  dsm__role_option *const of = &f->list.items[whole];
  of->least_cost = fmin(of->least_cost, option->cost);
  return true;
}

/* All sets of axes but none, and in update all of those of them along which it gathers; the largest
 * first, which is enough for the least. */
static bool add_all_shared(finding *f, size_t whole) {
  const dsm_axis_set gathers = f->list.items[whole].gathers;
  const dsm_axis_set opening =
      opening_axes(f->problem->machine.system, f->list.items[whole].parallelism, f->has_company);
  for (dsm_axis_set shared = opening; shared != 0; shared = (shared - 1) & opening) {
    const dsm_axis_set most = shared & gathers;
    const dsm_axis_set least = f->updates == NULL ? most : 0;
    for (dsm_axis_set again = most;; again = (again - 1) & most) {
      if (!add_shared(f, whole, (dsm__role_shares){shared, again})) {
        return false;
      }
      if (f->problem->asked == DSM__OPTIONS_LEAST) {
        return true;
      }
      if (again == least) {
        break;
      }
    }
  }
  return true;
}

/* The roles that a layer can have; their count. */
static size_t possible_roles(const dsm__problem *problem, const dsm_layer *layer,
                             dsm_parallelism *roles, size_t numbers) {
  size_t count = 0;
  for (size_t n = 0; n < numbers; n++) {
    const dsm_roles of = roles_of(n, problem->machine.system->system.axis_count);
    dsm_parallelism parallelism;
    if (is_possible(problem, layer, &of, &parallelism)) {
      roles[count++] = parallelism;
    }
  }
  return count;
}

static bool find_all(finding *f, const dsm_parallelism *roles, size_t count,
                     dsm__role_options *found) {
  for (size_t r = 0; r < count; r++) {
    if (!add_keepings(f, roles[r])) {
      return false;
    }
  }
  const bool is_listed = f->problem->asked == DSM__OPTIONS_LISTED;
  if (f->problem->asked == DSM__OPTIONS_USEFUL &&
      !drop_dominated(f->problem, f->layer_index, f->may_be_held, f->list.items, &f->list.count)) {
    return false;
  }
  found->whole_count = f->list.count;
  for (size_t i = 0; i < found->whole_count; i++) {
    found->has_spares = found->has_spares || f->list.items[i].is_spare;
    f->list.items[i].first_shared = f->list.count;
    if (!is_listed && !are_most_shared(f) && !add_all_shared(f, i)) {
      return false;
    }
  }
  found->items = f->list.items;
  found->count = f->list.count;
  return true;
}

dsm__role_options dsm__role_options_find(const dsm__problem *problem, size_t layer_index,
                                         bool may_recompute) {
  const dsm_layer *const layer = &problem->inputs.workload->layers[layer_index];
  dsm__role_options found = {.items = NULL};
  const uint64_t evaluations = problem->found->evaluations;
  const dsm__distinct *const distinct = &problem->table.distinct;
  const dsm__again asked = dsm__asked_again(problem, layer_index);
  const bool is_asked = asked != DSM__AGAIN_NOTHING;
  const bool is_open = dsm__recomputation_is_open(problem);
  const bool can_be = dsm__layer_may(problem->inputs.workload, layer_index, DSM__CHOICE_RECOMPUTED);
  const dsm__again most =
      distinct->may_go_on[distinct->class_of[layer_index]] && !problem->are_segments_apart
          ? DSM__AGAIN_ALL
          : DSM__AGAIN_INSIDE;
  const bool may_be = !is_asked && is_open && may_recompute && can_be;
  finding f = {.problem = problem,
               .layer_index = layer_index,
               .first_again = asked,
               .last_again = may_be ? most : asked,
               .may_keep_product = may_be && dsm__has_operations(layer) &&
                                   dsm__may_keep_products(problem->inputs.options->recomputation),
               .may_be_held = !may_recompute && dsm__held_roles_are_searched(problem),
               .has_company = dsm__has_company(problem, layer_index)};
  size_t numbers = 1;
  for (unsigned a = 0; a < problem->machine.system->system.axis_count; a++) {
    numbers *= DSM_ROLE_COUNT;
  }
  dsm_parallelism *roles = NULL;
  if (!DSM__RESERVE(problem->arena, roles, numbers) ||
      !DSM__LIST_RESERVE_IN(&f.list, 1, problem->arena)) { /* a list that stays empty is one too */
    return found;
  }
  const size_t count = possible_roles(problem, layer, roles, numbers);
  dsm__update_roles updates = {.arena = NULL};
  bool is_good = true;
  if (count > 0 && !is_asked && problem->asked != DSM__OPTIONS_LISTED &&
      dsm__may_update_apart(problem, layer_index)) {
    is_good = dsm__update_roles_init(&updates, problem, layer_index, roles, count);
    f.updates = &updates;
  }
  is_good = is_good && find_all(&f, roles, count, &found);
  dsm__update_roles_fini(&updates);
  dsm__deadline_add_work(problem->inputs.deadline,
                         DSM__WORK_OF_SCORE * (size_t)(problem->found->evaluations - evaluations));
  return is_good ? found : (dsm__role_options){.items = NULL};
}
