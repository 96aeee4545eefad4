/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * update_roles.c: the best roles of a layer's update pass beside its roles of forward and backward.
 *
 * No other layer sees the roles of an update pass, but for gathers that layers share: so what is
 * best is chosen for the layer by itself. It takes
 *
 *     forward + backward (its own gathers of the error, where update has other roles)
 *   + update pass + sum of gradients + weights' update     of the roles of update alone
 *   + broadcast                                            of these and the axes that cut weights
 *   + moves of input and error                             of the layouts on both sides
 *
 * of which each term is found once for all pairs of roles. Roles of update are looked at by their
 * own terms, least first: once these and forward and backward alone take as much as a way that
 * gathers as much and has as few gradients, none of the others is better.
 */
#include "search/roles/update_roles.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "model/equations.h"
#include "plan/role_flow.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"
#include "search/roles/role_layers.h"

enum { LAYOUT_NUMBERS = 1 << 2 * DSM_AXES_MAX, AXIS_SETS = 1 << DSM_AXES_MAX };

bool dsm__may_update_apart(const dsm__problem *problem, size_t layer_index) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const dsm_layer *const layer = &inputs->workload->layers[layer_index];
  const dsm__distinct *const distinct = &problem->table.distinct;
  return dsm__may_choose(inputs->options, DSM__CHOICE_PASSES) && !inputs->is_staged &&
         inputs->options->shard_level <= DSM_SHARD_LEVEL_NONE && /* of passes with the same roles */
         inputs->micro_batches <= 1 && !distinct->has_table[distinct->class_of[layer_index]] &&
         dsm_pass_exists(layer, inputs->options->mode, DSM_PASS_UPDATE);
}

dsm_axis_set dsm__gathering_axes(const dsm_system *system, dsm_parallelism parallelism) {
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const bool is_shared = system->system.axes[a].chips > 1;
    axes |= is_shared && dsm__role_has(role, DSM__ROLE_GATHERS_INPUT) ? 1U << a : 0U;
  }
  return axes;
}

bool dsm__has_company(const dsm__problem *problem, size_t layer_index) {
  const dsm_workload *const workload = problem->inputs.workload;
  const size_t *const class_of = problem->table.distinct.class_of;
  bool has_any = problem->has_company != NULL && problem->has_company[class_of[layer_index]];
  const bool is_known = problem->has_company != NULL;
  for (size_t i = 0; i < workload->layer_count && !has_any && !is_known; i++) {
    const size_t first = i > DSM__ROLE_REACH ? i - DSM__ROLE_REACH : 0;
    for (size_t k = first; class_of[i] == class_of[layer_index] && !has_any &&
                           k <= i + DSM__ROLE_REACH && k < workload->layer_count;
         k++) {
      has_any = k != i && dsm__is_same_input(&workload->layers[k], &workload->layers[i]);
    }
  }
  return has_any;
}

static const dsm_layer *layer_of(const dsm__update_roles *u) {
  return &u->problem->inputs.workload->layers[u->layer_index];
}

/* ---- terms ---- */

static size_t number_of(const dsm_layouts *layouts) {
  size_t number = 0;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    number |= (size_t)layouts->of[a] << 2 * a;
  }
  return number;
}

static bool reserve_numbers(dsm__update_roles *u, double **numbers, size_t count) {
  *numbers = dsm__arena_array(u->arena, count, sizeof **numbers);
  for (size_t i = 0; *numbers != NULL && i < count; i++) {
    (*numbers)[i] = (double)NAN;
  }
  return *numbers != NULL;
}

static double once_price(const dsm__update_roles *u, double cycles) {
  const dsm__cost cost = {.once = cycles};
  return dsm__price(&u->problem->inputs.prices, &cost);
}

/* What the roles of an update pass take once a step, whatever those of other passes. */
static void find_own(dsm__update_roles *u, const dsm_parallelism *items) {
  const dsm_machine *const machine = &u->problem->machine;
  const dsm__layer_setting setting =
      dsm__role_setting(u->problem, u->layer_index, 0, (dsm__role_shares){0, 0});
  u->least_sums = HUGE_VAL;
  for (size_t k = 0; k < u->count; k++) {
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(items[k]);
    const dsm_layouts read = dsm_input_layouts(items[k]);
    const dsm_layouts made = dsm_output_layouts(items[k]);
    const dsm_weight_traffic traffic = dsm__weight_traffic(&setting, &layouts);
    dsm__update_item *const item = &u->items[k];
    *item = (dsm__update_item){
        .parallelism = items[k],
        .gathering = dsm__gathering_axes(machine->system, items[k]),
        .ways =
            dsm_chip_share_derive(setting.layer, machine, items[k], setting.minibatch).weight_ways,
        .sums = once_price(u, dsm_group_price(machine, &traffic.sum_of_gradients) +
                                  dsm_group_price(machine, &traffic.weight_update)),
        .read = number_of(&read),
        .made = number_of(&made)};
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      item->roles[a] = (uint8_t)dsm_parallelism_role(items[k], a);
    }
    u->least_sums = fmin(u->least_sums, item->sums);
  }
}

bool dsm__update_roles_init(dsm__update_roles *updates, const dsm__problem *problem,
                            size_t layer_index, const dsm_parallelism *items, size_t count) {
  const bool has_company = dsm__has_company(problem, layer_index);
  const size_t factors = problem->table.factor_count;
  *updates = (dsm__update_roles){.arena = dsm__problem_arena(problem),
                                 .problem = problem,
                                 .layer_index = layer_index,
                                 .has_company = has_company,
                                 .count = count,
                                 .sets = has_company ? AXIS_SETS : 1};
  const bool has_room =
      updates->arena != NULL && DSM__RESERVE(updates->arena, updates->items, count) &&
      DSM__RESERVE(updates->arena, updates->ranked, factors * count) &&
      DSM__RESERVE(updates->arena, updates->is_ranked, factors) &&
      reserve_numbers(updates, &updates->passes, factors * updates->sets * count) &&
      reserve_numbers(updates, &updates->broadcasts, AXIS_SETS * count) &&
      reserve_numbers(updates, &updates->moves, (size_t)2 * LAYOUT_NUMBERS * LAYOUT_NUMBERS) &&
      reserve_numbers(updates, &updates->both, factors) &&
      reserve_numbers(updates, &updates->apart, factors);
  if (has_room) {
    find_own(updates, items);
  }
  return has_room;
}

void dsm__update_roles_fini(dsm__update_roles *updates) {
  dsm__arena_free(updates->arena);
}

double *dsm__update_both(dsm__update_roles *updates) {
  for (size_t f = 0; f < updates->problem->table.factor_count; f++) {
    updates->both[f] = (double)NAN;
    updates->apart[f] = (double)NAN;
  }
  return updates->both;
}

static double pass_of(dsm__update_roles *u, unsigned f, dsm_axis_set shared, size_t item) {
  double *const cost = &u->passes[(f * u->sets + shared) * u->count + item];
  if (isnan(*cost)) {
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(u->items[item].parallelism);
    const dsm__layer_setting setting =
        dsm__role_setting(u->problem, u->layer_index, f, (dsm__role_shares){.in_update = shared});
    *cost = dsm__role_pass_cost(u->problem, &setting, DSM_PASS_UPDATE, &layouts);
  }
  return *cost;
}

static int compare_ranked(const void *left, const void *right) {
  const dsm__ranked_update *const a = left;
  const dsm__ranked_update *const b = right;
  return dsm__order_then(dsm__order(a->floor_cost, b->floor_cost),
                         dsm__order_whole(a->item, b->item));
}

/* The items by what they take with a factor, whoever gathers. */
static const dsm__ranked_update *ranked_of(dsm__update_roles *u, unsigned f) {
  dsm__ranked_update *const ranked = &u->ranked[f * u->count];
  for (size_t k = 0; k < u->count && !u->is_ranked[f]; k++) {
    const dsm_axis_set shared = u->has_company ? u->items[k].gathering : 0;
    ranked[k] = (dsm__ranked_update){u->items[k].sums + pass_of(u, f, shared, k), k};
  }
  if (!u->is_ranked[f]) {
    qsort(ranked, u->count, sizeof *ranked, compare_ranked);
    u->is_ranked[f] = true;
  }
  return ranked;
}

/* ---- roles of forward and backward, and a way to share ---- */

/* What is asked. */
typedef struct question {
  dsm__update_roles *of;
  dsm_parallelism forward;
  dsm__role_shares shares;
  const dsm__update_way *as; /* ways that gather and cut like this one; NULL: any but the same */
  size_t read;               /* numbers of layouts of forward's input, */
  size_t made;               /* and of its output */
  uint32_t beside[DSM_AXES_MAX]; /* roles that update may have beside it */
  uint64_t ways;                 /* that forward cuts weights into, */
  dsm_axis_set cut;              /* and the axes; */
  dsm_axis_set gathering;
  dsm__update_ways *found;
} question;

static dsm_pass_layouts layouts_of(const question *q, size_t item) {
  return (dsm_pass_layouts){{[DSM_PASS_FORWARD] = q->forward,
                             [DSM_PASS_BACKWARD] = q->forward,
                             [DSM_PASS_UPDATE] = q->of->items[item].parallelism}};
}

static double broadcast_of(const question *q, size_t item) {
  dsm__update_roles *const u = q->of;
  double *const cost = &u->broadcasts[q->cut * u->count + item];
  if (isnan(*cost)) {
    const dsm__layer_setting setting =
        dsm__role_setting(u->problem, u->layer_index, 0, (dsm__role_shares){0, 0});
    const dsm_pass_layouts layouts = layouts_of(q, item);
    const dsm_weight_traffic traffic = dsm__weight_traffic(&setting, &layouts);
    *cost = once_price(u, dsm_group_price(&u->problem->machine, &traffic.broadcast_weights));
  }
  return *cost;
}

static double moves_of(const question *q, size_t item) {
  dsm__update_roles *const u = q->of;
  const size_t places[2] = {q->read * LAYOUT_NUMBERS + u->items[item].read,
                            ((size_t)LAYOUT_NUMBERS + q->made) * LAYOUT_NUMBERS +
                                u->items[item].made};
  double cost = 0;
  for (size_t i = 0; i < 2; i++) {
    double *const one = &u->moves[places[i]];
    if (isnan(*one)) {
      const dsm_pass_layouts layouts = layouts_of(q, item);
      const dsm_update_relayouts moves = dsm_update_relayouts_derive(
          layer_of(u), &u->problem->machine, u->problem->inputs.precision,
          u->problem->inputs.workload->minibatch, &layouts);
      const dsm__layer_setting setting =
          dsm__role_setting(u->problem, u->layer_index, 0, (dsm__role_shares){0, 0});
      *one = once_price(
          u, dsm__counted_share(&setting, DSM_PASS_UPDATE) *
                 dsm_group_price(&u->problem->machine, i == 0 ? &moves.input : &moves.error));
    }
    cost += *one;
  }
  return cost;
}

/* Of a pass with the roles of forward. */
static double cost_of(const question *q, unsigned f, dsm_pass pass, bool is_apart) {
  dsm__update_roles *const u = q->of;
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(q->forward);
  dsm__layer_setting setting = dsm__role_setting(u->problem, u->layer_index, f, q->shares);
  setting.is_error_apart = is_apart;
  return dsm__role_pass_cost(u->problem, &setting, pass, &layouts);
}

static double both_of(const question *q, unsigned f) {
  double *const cost = &q->of->both[f];
  if (isnan(*cost)) {
    *cost = cost_of(q, f, DSM_PASS_FORWARD, false);
    *cost += layer_of(q->of)->has_backward ? cost_of(q, f, DSM_PASS_BACKWARD, false) : 0;
  }
  return *cost;
}

/* Does backward gather of the error what else update does? */
static bool is_gathering_errors(const question *q) {
  const dsm_network *const network = &q->of->problem->machine.system->system;
  const unsigned exchanges =
      DSM__ROLE_SCATTERS_OUTPUT | (layer_of(q->of)->pooled.halo > 0 ? DSM__ROLE_SHIFTS_ROWS : 0U);
  return layer_of(q->of)->has_backward && dsm__has_exchange(network, q->forward, exchanges);
}

static double apart_of(const question *q, unsigned f) {
  double *const cost = &q->of->apart[f];
  if (isnan(*cost)) {
    *cost = is_gathering_errors(q)
                ? cost_of(q, f, DSM_PASS_BACKWARD, true) - cost_of(q, f, DSM_PASS_BACKWARD, false)
                : 0;
  }
  return *cost;
}

/* ---- ways ---- */

/* Gradients of data and model are counted by the roles of forward (section 12). */
static uint64_t ways_of(const question *q, const dsm__update_item *item) {
  const bool has_roles =
      dsm_parallelism_has_roles(q->forward) || dsm_parallelism_has_roles(item->parallelism);
  const uint64_t own = item->ways;
  return has_roles && own < q->ways ? own : q->ways;
}

/* Is a way of no use, as one that has been found gathers as much, has as few gradients and costs
 * no more? */
static bool is_covered(const dsm__update_ways *found, const dsm__update_way *way,
                       bool are_ways_all) {
  bool is_it = false;
  for (size_t i = 0; i < found->count && !is_it; i++) {
    const dsm__update_way *const one = &found->items[i];
    is_it = one != way && (one->gathers & way->gathers) == way->gathers &&
            (are_ways_all || one->ways >= way->ways) &&
            one->cost <= dsm__tie_limit(way->floor_cost);
  }
  return is_it;
}

/* The best of those that gather and cut alike; the same roles in all passes stay where they are
 * asked for. */
static void put_way(const question *q, const dsm__update_way *way) {
  dsm__update_ways *const found = q->found;
  for (size_t i = q->of->problem->fixed != NULL && q->as == NULL ? 1 : 0; i < found->count; i++) {
    dsm__update_way *const one = &found->items[i];
    if (one->gathers == way->gathers && one->ways == way->ways) {
      const double floor_cost = fmin(one->floor_cost, way->floor_cost);
      *one = dsm__tie_limit(way->cost) < one->cost ? *way : *one;
      one->floor_cost = floor_cost;
      return;
    }
  }
  found->items[found->count++] = *way;
}

/* May update have these roles beside those of forward? */
static bool is_beside(const question *q, const dsm__update_item *item) {
  bool is_it = true;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    is_it = is_it && (q->beside[a] >> item->roles[a] & 1U) != 0;
  }
  return is_it;
}

/* Is it a way that is kept? */
static bool try_item(const question *q, unsigned f, double both, const dsm__ranked_update *ranked) {
  dsm__update_roles *const u = q->of;
  const size_t item = ranked->item;
  const dsm__update_item *const own = &u->items[item];
  const bool is_same = own->parallelism == q->forward;
  dsm__update_way way = {.update = own->parallelism,
                         .gathers = u->has_company ? own->gathering & q->gathering : 0,
                         .ways = ways_of(q, own),
                         .factor_index = f};
  if ((q->as == NULL ? is_same : way.gathers != q->as->gathers || way.ways != q->as->ways) ||
      !is_beside(q, own)) {
    return false;
  }
  const double beside = both + broadcast_of(q, item) + (is_same ? 0 : moves_of(q, item));
  way.floor_cost = beside + ranked->floor_cost;
  if (is_covered(q->found, &way, false)) {
    return false;
  }
  way.cost = beside + (is_same ? 0 : apart_of(q, f)) + own->sums +
             pass_of(u, f, q->shares.in_update, item);
  if (way.gathers == 0) {
    way.floor_cost = way.cost;
  }
  put_way(q, &way);
  return true;
}

/* What takes more than this is covered, whatever it gathers and cuts. */
static double limit_of(const question *q) {
  const dsm_axis_set gathers = q->of->has_company ? q->gathering : 0;
  double limit = HUGE_VAL;
  for (size_t i = 0; i < q->found->count; i++) {
    const dsm__update_way *const one = &q->found->items[i];
    const bool is_all = (one->gathers & gathers) == gathers && one->ways == q->ways;
    limit = is_all || q->as != NULL ? fmin(limit, one->cost) : limit;
  }
  return limit;
}

static void look(const question *q) {
  dsm__update_roles *const u = q->of;
  for (unsigned f = 0; f < u->problem->table.factor_count; f++) {
    if (!dsm__role_factor_is_tried(u->problem, layer_of(u), f)) {
      continue;
    }
    const double both = both_of(q, f);
    if (both + u->least_sums >= limit_of(q)) {
      continue;
    }
    const dsm__ranked_update *const ranked = ranked_of(u, f);
    double limit = limit_of(q);
    for (size_t k = 0; k < u->count && both + ranked[k].floor_cost < limit; k++) {
      limit = try_item(q, f, both, &ranked[k]) ? limit_of(q) : limit;
    }
  }
}

static question ask(dsm__update_roles *updates, dsm_parallelism forward, dsm__update_ways *found) {
  const dsm_machine *const machine = &updates->problem->machine;
  const dsm_network *const network = &machine->system->system;
  question q = {.of = updates, .forward = forward, .found = found};
  q.gathering = dsm__gathering_axes(machine->system, forward);
  q.ways = dsm_chip_share_derive(layer_of(updates), machine, forward,
                                 updates->problem->inputs.workload->minibatch)
               .weight_ways;
  const dsm_layouts read = dsm_input_layouts(forward);
  const dsm_layouts made = dsm_output_layouts(forward);
  q.read = number_of(&read);
  q.made = number_of(&made);
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    const dsm_role role = dsm_parallelism_role(forward, a);
    const bool is_one_chip = a >= network->axis_count || network->axes[a].chips == 1;
    q.cut |= a < network->axis_count && dsm_role_divides(role, DSM_DIVIDED_WEIGHTS) ? 1U << a : 0U;
    for (int r = 0; r < DSM_ROLE_COUNT; r++) {
      const bool may = is_one_chip || dsm__may_stand_beside(layer_of(updates), role, (dsm_role)r);
      q.beside[a] |= may ? 1U << (unsigned)r : 0U;
    }
  }
  return q;
}

/* The same roles in all passes, as a way beside others. */
static dsm__update_way whole_way(const question *q, const dsm__update_way *same) {
  dsm__update_roles *const u = q->of;
  dsm__update_way way = *same;
  way.gathers = u->has_company ? q->gathering : 0;
  way.ways = q->ways;
  way.floor_cost = way.cost;
  for (size_t k = 0; k < u->count && way.gathers != 0; k++) {
    if (u->items[k].parallelism == q->forward) {
      way.floor_cost +=
          pass_of(u, way.factor_index, way.gathers, k) - pass_of(u, way.factor_index, 0, k);
    }
  }
  return way;
}

void dsm__update_ways_find(dsm__update_roles *updates, dsm_parallelism forward,
                           const dsm__update_way *same, dsm__update_ways *found) {
  question q = ask(updates, forward, found);
  found->items[0] = whole_way(&q, same);
  found->count = 1;
  look(&q);
  const bool is_first_wanted = updates->problem->fixed != NULL;
  size_t kept = is_first_wanted ? 1 : 0;
  for (size_t i = kept; i < found->count; i++) {
    const bool is_wanted = !is_covered(found, &found->items[i], false);
    found->items[kept] = found->items[i];
    kept += is_wanted ? 1 : 0;
  }
  found->count = kept;
  for (size_t i = 0; i < kept; i++) {
    found->items[i].is_spare =
        !(i == 0 && is_first_wanted) && is_covered(found, &found->items[i], true);
  }
}

dsm__update_way dsm__update_way_shared(dsm__update_roles *updates, dsm_parallelism forward,
                                       dsm__role_shares shares, const dsm__update_way *as) {
  dsm__update_ways found = {.count = 0};
  question q = ask(updates, forward, &found);
  q.shares = shares;
  q.as = as;
  (void)dsm__update_both(updates);
  look(&q);
  return found.count > 0 ? found.items[0] : (dsm__update_way){.cost = HUGE_VAL};
}
