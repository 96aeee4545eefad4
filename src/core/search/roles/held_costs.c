/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_costs.c: what layers with roles take while something is held.
 *
 * What a pass takes depends on its option and factor, on whether its input, output and shortcut are
 * held, and on the bytes that all that is held takes: of these ways each is scored once, over the
 * front of the pass's core splits (split_front.c), which is the same whatever is held. What a pass
 * does not look at is 0 in its way.
 */
#include "search/roles/held_costs.h"

#include <math.h>

#include "base/counted_list.h"
#include "plan/keeping.h"
#include "search/roles/role_passes.h"

/* Which outputs can be held, whatever roles there are: those that are used, by layers within reach,
 * while no layer has timesteps. */
static void find_holdable(const dsm_workload *workload, bool *can_hold) {
  size_t next_timed = workload->layer_count;
  for (size_t i = workload->layer_count; i-- > 0;) {
    const size_t last = dsm__last_use(&workload->layers[i]);
    next_timed = workload->layers[i].timesteps > 1 ? i : next_timed;
    can_hold[i] = last != DSM_NEVER_USED && last < next_timed && last - i <= DSM__ROLE_REACH;
  }
}

bool dsm__held_costs_init(dsm__held_costs *costs, const dsm__role_space *space) {
  const dsm__problem *const problem = space->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  *costs = (dsm__held_costs){
      .space = space,
      .element_bytes = problem->inputs.precision.element_bytes,
      .factor_count = problem->factors.is_uniform || problem->inputs.micro_batches > 1
                          ? 1
                          : problem->factors.count,
  };
  costs->arena = dsm__problem_arena(problem);
  if (costs->arena == NULL ||
      !DSM__RESERVE(problem->arena, costs->can_hold, workload->layer_count) ||
      !DSM__RESERVE(problem->arena, costs->shares, workload->layer_count)) {
    return false;
  }
  find_holdable(workload, costs->can_hold);
  return true;
}

static atomic_size_t *bytes_of(const dsm__held_costs *costs) {
  return dsm__deadline_bytes(costs->space->problem->inputs.deadline);
}

void dsm__held_costs_fini(dsm__held_costs *costs) {
  dsm__split_front_fini(&costs->latest);
  dsm__arena_free(costs->arena);
  DSM__LIST_FREE_COUNTED(&costs->fronts, bytes_of(costs));
  DSM__LIST_FREE_COUNTED(&costs->scores, bytes_of(costs));
  dsm__map_fini(&costs->index);
  dsm__map_fini(&costs->front_index);
}

static const dsm_layer *layer_of(const dsm__held_costs *costs, size_t index) {
  return &costs->space->problem->inputs.workload->layers[index];
}

bool dsm__held_factor_is_open(const dsm__held_costs *costs, size_t layer_index, unsigned factor) {
  return dsm__factor_is_allowed(&costs->space->problem->factors, layer_of(costs, layer_index),
                                factor);
}

dsm__layer_setting dsm__held_setting(const dsm__held_costs *costs, size_t layer_index,
                                     const dsm__held_way *way) {
  const dsm__search_inputs *const inputs = &costs->space->problem->inputs;
  const dsm__role_option *const option =
      &dsm__role_options_of(costs->space, layer_index)->items[way->option];
  dsm__layer_setting setting =
      dsm__run_setting(inputs, layer_of(costs, layer_index), way->factor_index);
  setting.gathered_before = option->shares.both;
  setting.summed_later = option->shares.both;
  setting.gathered_in_update = option->shares.in_update;
  setting.shard = option->shard;
  setting.holding = (dsm__holding){.is_input_held = way->is_input_held != 0,
                                   .is_output_held = way->is_output_held != 0,
                                   .is_shortcut_held = way->is_shortcut_held != 0,
                                   .is_moving_free = way->is_moving_free != 0,
                                   .held_bytes = way->held_bytes,
                                   .deferred_bytes = way->deferred_bytes};
  return setting;
}

/* ---- scores ---- */

/* The front of a pass, maybe not found yet; NULL if out of memory. */
static dsm__held_front *front_of(dsm__held_costs *costs, const dsm__held_way *way) {
  const dsm__role_option *const option = &costs->space->options[way->row].items[way->option];
  const dsm__held_way key = {.row = way->row,
                             .option = (uint32_t)option->parallelism, /* all that it depends on */
                             .factor_index = way->factor_index,
                             .part = way->part};
  const uint32_t hash = dsm__map_hash(0, &key, sizeof key);
  const size_t found = dsm__map_find_in(&costs->front_index, hash, costs->fronts.items,
                                        sizeof costs->fronts.items[0], &key, sizeof key);
  if (found != DSM__MAP_NONE) {
    return &costs->fronts.items[found];
  }
  if (!DSM__LIST_RESERVE_COUNTED(&costs->fronts, 1, bytes_of(costs)) ||
      !dsm__map_add(&costs->front_index, hash, costs->fronts.count)) {
    return NULL;
  }
  dsm__held_front *const added = &costs->fronts.items[costs->fronts.count++];
  *added = (dsm__held_front){.way = key};
  return added;
}

/* What is kept of a pass; NULL: nothing. */
static const dsm__memo_score *recall(const dsm__problem *problem, const dsm__memo_role_key *key) {
  return problem->role_memo == NULL ? NULL : dsm__memo_role(problem->role_memo, key);
}

static void keep(const dsm__problem *problem, const dsm__memo_role_key *key,
                 dsm__memo_score score) {
  if (problem->role_memo != NULL && dsm__memo_role(problem->role_memo, key) == NULL) {
    dsm__memo_put_role(problem->role_memo, key, score);
  }
}

/* Counts what it takes to find a front, once; false if it is not known. */
static bool count_front(const dsm__problem *problem, const dsm__memo_role_key *key,
                        dsm__held_front *front) {
  const dsm__memo_score *const known = front->is_counted ? NULL : recall(problem, key);
  if (known != NULL) {
    problem->found->evaluations += known->evaluations;
    front->is_counted = true;
  }
  return front->is_counted;
}

/* False if out of memory. */
static bool find_front(dsm__held_costs *costs, const dsm__memo_role_key *key,
                       const dsm_pass_work *work, dsm__held_front *front) {
  const dsm__problem *const problem = costs->space->problem;
  dsm__split_front *const latest = &costs->latest;
  if (front->is_found) {
    return true;
  }
  const uint64_t evaluations = dsm__split_front_find(latest, work, &problem->table.splits);
  if (latest->is_out_of_memory || !DSM__RESERVE(costs->arena, front->splits, latest->count)) {
    return false;
  }
  for (size_t i = 0; i < latest->count; i++) {
    front->splits[i] = latest->items[i].split;
  }
  front->count = latest->count;
  keep(problem, key, (dsm__memo_score){0, evaluations});
  problem->found->evaluations += front->is_counted ? 0 : evaluations;
  front->is_found = true;
  front->is_counted = true;
  return true;
}

/* But for what is gathered of the weights. */
static double score_parts(dsm__held_costs *costs, const dsm__held_way *way,
                          const dsm__layer_setting *setting, dsm_pass pass,
                          dsm_parallelism parallelism) {
  const dsm__problem *const problem = costs->space->problem;
  const dsm__layer_setting plain =
      dsm__run_setting(&problem->inputs, setting->layer, way->factor_index);
  const dsm__memo_role_key key =
      dsm__role_pass_key(problem, setting, pass, parallelism, DSM__MEMO_HELD);
  const dsm__memo_role_key front_key =
      dsm__role_pass_key(problem, &plain, pass, parallelism, DSM__MEMO_HELD_FRONT);
  dsm__held_front *const front = front_of(costs, way);
  if (front == NULL) {
    costs->is_out_of_memory = true;
    return HUGE_VAL;
  }
  const dsm__memo_score *const known =
      count_front(problem, &front_key, front) ? recall(problem, &key) : NULL;
  dsm__memo_score found = known != NULL ? *known : (dsm__memo_score){0, 0};
  const dsm__parts parts = dsm__pass_parts(setting, pass, parallelism, false);
  for (unsigned k = 0; k < parts.count && known == NULL; k++) {
    const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, &parts.items[k]);
    double least = HUGE_VAL;
    costs->is_out_of_memory =
        !find_front(costs, &front_key, &work, front) || costs->is_out_of_memory;
    for (size_t i = 0; i < front->count; i++) {
      least = fmin(least, dsm_invocation_score(&work, &front->splits[i]).total);
    }
    found.evaluations += front->count;
    found.cycles += (double)parts.items[k].count * least;
  }
  if (known == NULL && !costs->is_out_of_memory) {
    keep(problem, &key, found);
  }
  problem->found->evaluations += found.evaluations;
  return found.cycles;
}

static double score_pass(dsm__held_costs *costs, size_t layer_index, const dsm__held_way *way) {
  const dsm_parallelism parallelism =
      dsm__role_options_of(costs->space, layer_index)->items[way->option].parallelism;
  const dsm_pass pass = (dsm_pass)(way->part - 1);
  const dsm__layer_setting setting = dsm__held_setting(costs, layer_index, way);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  const double cycles = score_parts(costs, way, &setting, pass, parallelism);
  const dsm__search_inputs *const inputs = &costs->space->problem->inputs;
  const dsm__cost cost = {.micro =
                              dsm__counted_share(&setting, pass) *
                              (cycles + dsm__gathering_cycles(&setting, &layouts, pass, cycles))};
  return dsm__price(&inputs->prices, &cost);
}

static double score(dsm__held_costs *costs, size_t layer_index, const dsm__held_way *way) {
  const dsm__search_inputs *const inputs = &costs->space->problem->inputs;
  double cost = dsm__role_options_of(costs->space, layer_index)->items[way->option].once_cost;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    dsm__held_way one = *way;
    one.part = (uint8_t)(p + 1);
    one.is_shortcut_held = way->is_shortcut_held != 0 && p != DSM_PASS_UPDATE;
    one.deferred_bytes = p == DSM_PASS_FORWARD ? way->deferred_bytes : 0;
    if (dsm_pass_exists(layer_of(costs, layer_index), inputs->options->mode, (dsm_pass)p)) {
      cost += dsm__held_cost(costs, layer_index, one);
    }
  }
  return cost;
}

/* A part of a layer that is none of its passes: all of it, where what is held fits. */
enum { FITTING_WHOLE = DSM_PASS_COUNT + 1 };

static double score_fitting(dsm__held_costs *costs, size_t layer_index, const dsm__held_way *way) {
  const dsm__layer_setting setting = dsm__held_setting(costs, layer_index, way);
  dsm__held_way whole = *way;
  whole.part = 0;
  return dsm__holding_fits(
             &setting,
             dsm__role_options_of(costs->space, layer_index)->items[way->option].parallelism)
             ? dsm__held_cost(costs, layer_index, whole)
             : HUGE_VAL;
}

double dsm__held_fitting_cost(dsm__held_costs *costs, size_t layer_index, dsm__held_way way) {
  way.part = FITTING_WHOLE;
  return dsm__held_cost(costs, layer_index, way);
}

double dsm__held_cost(dsm__held_costs *costs, size_t layer_index, dsm__held_way way) {
  way.row = (uint32_t)(dsm__role_options_of(costs->space, layer_index) - costs->space->options);
  const uint32_t hash = dsm__map_hash(0, &way, sizeof way);
  const size_t found = dsm__map_find_in(&costs->index, hash, costs->scores.items,
                                        sizeof costs->scores.items[0], &way, sizeof way);
  if (found != DSM__MAP_NONE) {
    return costs->scores.items[found].cost;
  }
  const double cost = way.part == FITTING_WHOLE ? score_fitting(costs, layer_index, &way)
                      : way.part == 0           ? score(costs, layer_index, &way)
                                                : score_pass(costs, layer_index, &way);
  if (!DSM__LIST_RESERVE_COUNTED(&costs->scores, 1, bytes_of(costs)) ||
      !dsm__map_add(&costs->index, hash, costs->scores.count)) {
    costs->is_out_of_memory = true;
    return HUGE_VAL;
  }
  costs->scores.items[costs->scores.count++] = (dsm__held_score){way, cost};
  return cost;
}

/* ---- what a chip has ---- */

unsigned dsm__held_code(const dsm__held_costs *costs, const dsm_layouts *layouts) {
  unsigned code = 0;
  for (unsigned a = 0; a < costs->space->problem->machine.system->system.axis_count; a++) {
    code |= (unsigned)layouts->of[a] << 2 * a;
  }
  return code;
}

unsigned dsm__held_code_of(const dsm__held_costs *costs, const dsm__role_state *state, unsigned k) {
  dsm_layouts layouts = {{DSM_LAYOUT_SAMPLES}};
  for (unsigned a = 0; a < costs->space->problem->machine.system->system.axis_count; a++) {
    layouts.of[a] =
        (state->inside[a] >> k & 1U) != 0 ? DSM_LAYOUT_FEATURES : (dsm_layout)state->outer[a];
  }
  return dsm__held_code(costs, &layouts);
}

/* Of all layouts and factors; NULL if out of memory. */
static const dsm__held_share *find_shares(const dsm__held_costs *costs, size_t layer_index) {
  const dsm__problem *const problem = costs->space->problem;
  dsm__held_share *shares = NULL;
  if (!DSM__RESERVE(problem->arena, shares, costs->factor_count * (size_t)DSM__HELD_CODES)) {
    return NULL;
  }
  for (unsigned f = 0; f < costs->factor_count; f++) {
    for (unsigned code = 0; code < DSM__HELD_CODES; code++) {
      dsm_layouts layouts;
      for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
        layouts.of[a] = (dsm_layout)(code >> 2 * a & 3U);
      }
      shares[f * (unsigned)DSM__HELD_CODES + code] =
          dsm__held_share_of(layer_of(costs, layer_index), &problem->machine, &layouts,
                             problem->inputs.workload->minibatch / dsm__factor_of(f));
    }
  }
  return shares;
}

dsm__held_share dsm__held_share_at(dsm__held_costs *costs, size_t layer_index, unsigned factor,
                                   unsigned code) {
  const size_t kind = costs->space->layers[layer_index].kind;
  if (costs->shares[kind] == NULL) {
    costs->shares[kind] = find_shares(costs, kind);
    costs->is_out_of_memory = costs->is_out_of_memory || costs->shares[kind] == NULL;
  }
  return costs->shares[kind] == NULL
             ? (dsm__held_share){1, 1, 1}
             : costs->shares[kind][factor * (unsigned)DSM__HELD_CODES + code];
}
