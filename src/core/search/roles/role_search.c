/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_search.c: the fastest path through a graph of roles (role_graph.h), in growing ones. */
#include "search/roles/role_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "plan/keeping.h"
#include "plan/role_rules.h"
#include "plan/segments.h"
#include "plan/tolerance.h"
#include "search/fused.h"
#include "search/overlapped.h"
#include "search/roles/held_search.h"
#include "search/roles/role_graph.h"
#include "search/roles/role_prices.h"
#include "search/roles/role_rooms.h"
#include "search/roles/tied_bounds.h"
#include "search/tied_search.h"

bool dsm__problem_has_roles(const dsm__problem *problem) {
  return dsm__may_have_roles(problem->inputs.options) ||
         dsm__may_choose(problem->inputs.options, DSM__CHOICE_MICRO_BATCHES) ||
         dsm__may_choose(problem->inputs.options, DSM__CHOICE_SHARD) ||
         dsm__recomputation_is_open(problem) || dsm__is_any_recomputation_asked(problem) ||
         dsm__may_choose(problem->inputs.options, DSM__CHOICE_STAGES);
}

/* What a path decides of a layer with an option. */
static void decide_layer(const dsm__role_space *space, size_t index, size_t option_index,
                         dsm__layer_decision *decision) {
  const dsm__problem *const problem = space->problem;
  const dsm_layer *const layer = &problem->inputs.workload->layers[index];
  const dsm__role_option *const option = &dsm__role_options_of(space, index)->items[option_index];
  *decision = (dsm__layer_decision){
      .layouts = dsm__option_layouts(option),
      .layer = {.dysm_factor = layer->timesteps == 1 ? dsm__factor_of(option->factor_index) : 1,
                .shard = option->shard,
                .is_recomputed = option->is_recomputed,
                .is_output_recomputed = option->is_output_recomputed,
                .is_product_kept = option->is_product_kept},
  };
  dsm__layer_setting setting =
      dsm__role_setting(problem, index, option->factor_index, option->shares);
  setting.is_recomputed = option->is_recomputed && !option->is_product_kept;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, (dsm_pass)p, decision->layouts.of[p],
          dsm__may_choose(problem->inputs.options, DSM__CHOICE_KERNEL), &problem->table.splits);
      decision->is_kernel_kept[p] = best.is_kernel_kept;
      memcpy(decision->splits[p], best.splits, sizeof best.splits);
    }
  }
}

static bool decide(const dsm__role_space *space, const dsm__network_graph *network,
                   const dsm__graph_path *path, dsm__decisions *decisions) {
  const dsm__problem *const problem = space->problem;
  dsm__layer_decision *layers = NULL;
  if (!DSM__RESERVE(problem->lasting, layers, problem->inputs.workload->layer_count)) {
    return false;
  }
  dsm__graph_place at = dsm__graph_start(&network->graph);
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = dsm__graph_edge_at(&network->graph, at, path->edges[i]);
    const dsm__node_info *const info = &network->infos[at.node];
    if (info->kind == DSM__NODE_ENTRY) {
      const size_t index = info->layer + at.run.layers;
      decide_layer(space, index, edge->tag, &layers[index]);
    }
    at = dsm__graph_behind(&network->graph, at, edge);
  }
  *decisions = (dsm__decisions){.layers = layers, .micro_batches = problem->inputs.micro_batches};
  return true;
}

static bool is_given_up(const dsm__problem *problem) {
  return dsm__deadline_is_final(problem->inputs.deadline);
}

/* Of a layer, its class once. False if out of memory. */
static bool fill_row(const dsm__role_space *space, dsm__role_options *options, size_t index,
                     bool may_recompute) {
  dsm__role_options *const own = &options[dsm__role_options_of(space, index) - options];
  if (own->items == NULL) {
    *own = dsm__role_options_find(space->problem, index, may_recompute);
  }
  return own->items != NULL;
}

/* Of all layers; what is kept is not found again. Where even work that has nothing is to end, the
 * rest have none: what comes of them is then unknown. */
static bool fill_options(dsm__role_space *space, dsm__role_options *options, bool may_recompute) {
  dsm__kept_options *const kept = space->problem->kept;
  const size_t count = DSM__ZONE_ROWS * space->problem->table.distinct.count;
  if (kept != NULL && kept->items != NULL) {
    memcpy(options, kept->items, count * sizeof *options);
    return true;
  }
  for (size_t i = 0; i < space->problem->inputs.workload->layer_count; i++) {
    const bool is_known = dsm__role_options_of(space, i)->items != NULL;
    if (!is_known && is_given_up(space->problem)) {
      break;
    }
    if (!fill_row(space, options, i, may_recompute)) {
      return false;
    }
  }
  if (kept != NULL) {
    kept->items = dsm__arena_array(space->problem->arena, count, sizeof *kept->items);
    if (kept->items == NULL) {
      return false;
    }
    memcpy(kept->items, options, count * sizeof *options);
  }
  return true;
}

/* With what each takes that a tied layer exchanges. False if out of memory. */
static bool charge(const dsm__problem *problem, const dsm__layer_setting *setting,
                   dsm__role_options *options) {
  dsm__role_option *const items = dsm__arena_array(problem->arena, options->count, sizeof *items);
  for (size_t o = 0; items != NULL && o < options->count; o++) {
    const dsm_pass_layouts layouts = dsm__option_layouts(&options->items[o]);
    const dsm__cost cost = {.once = dsm__tied_exchange_cycles(setting, &layouts)};
    const double price = dsm__price(&problem->inputs.prices, &cost);
    items[o] = options->items[o];
    items[o].cost += price;
    items[o].once_cost += price;
    items[o].least_cost += price;
    items[o].floor_cost += price;
  }
  options->items = items;
  return items != NULL;
}

/* Of each class, and of its layers in each zone. */
static bool charge_tables(const dsm__problem *problem, dsm__role_options *options) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  const dsm__search_inputs *const inputs = &problem->inputs;
  for (size_t row = 0; inputs->owner_cuts != NULL && row < DSM__ZONE_ROWS * distinct->count;
       row++) {
    const dsm_layer *const layer = dsm__class_layer(&problem->table, row % distinct->count);
    dsm__layer_setting setting = dsm__open_setting(inputs, layer, 1);
    setting.reductions = row < distinct->count || options[row].items == NULL
                             ? inputs->reductions
                             : &inputs->zones[row / distinct->count - 1].reductions;
    if (options[row].items != NULL && setting.owner.is_known &&
        dsm_pass_exists(layer, setting.mode, DSM_PASS_UPDATE) &&
        !charge(problem, &setting, &options[row])) {
      return false;
    }
  }
  return true;
}

static bool find_options(dsm__role_space *space, bool may_recompute) {
  const dsm__distinct *const distinct = &space->problem->table.distinct;
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  dsm__role_options *const options =
      dsm__arena_array(space->problem->arena, DSM__ZONE_ROWS * distinct->count, sizeof *options);
  double *const least = dsm__arena_array(space->problem->arena, layer_count, sizeof *least);
  size_t *const rows = dsm__arena_array(space->problem->arena, layer_count, sizeof *rows);
  bool *const ends = dsm__arena_array(space->problem->arena, layer_count, sizeof *ends);
  const bool *const is_cut = space->problem->inputs.is_cut;
  dsm__segment_walk walk = dsm__segments_begin(space->problem->inputs.workload);
  if (options == NULL || least == NULL || rows == NULL || ends == NULL) {
    return false;
  }
  space->options = options;
  space->least = least;
  if (!fill_options(space, options, may_recompute) || !charge_tables(space->problem, options)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    const dsm__role_options *const own = dsm__role_options_of(space, i);
    const bool is_last = dsm__segment_ends(&walk, i) && i + 1 < layer_count;
    ends[i] = is_cut != NULL ? is_cut[i] : is_last;
    rows[i] = (size_t)(own - options);
    space->most_options = own->count > space->most_options ? own->count : space->most_options;
  }
  const size_t other = space->problem->fixed == NULL ? SIZE_MAX : space->problem->fixed->layer;
  space->layers = dsm__role_layers_find(space->problem->inputs.workload, rows, ends, other,
                                        space->problem->arena);
  dsm__role_least_find(space);
  return space->layers != NULL;
}

/* Of a layer with options, its class once unless its roles are fixed. False if out of memory. */
static bool find_front(const dsm__role_space *space, size_t index, dsm__role_front *of_rows,
                       dsm__role_front *front) {
  const dsm__fixed_roles *const fixed = space->problem->fixed;
  const bool is_fixed = fixed != NULL && fixed->layer == index;
  dsm__role_front *const of_row =
      is_fixed ? front : &of_rows[dsm__role_options_of(space, index) - space->options];
  if (is_fixed || of_row->points == NULL) {
    *of_row = dsm__role_front_of(space, index);
  }
  *front = *of_row;
  return front->points != NULL;
}

static void ask(dsm__problem *one, const dsm__problem *problem, dsm__asked_options asked) {
  dsm__case_begin(one, problem);
  one->asked = asked;
}

/* A layer that is made anew takes no less than one that is kept. An option that takes more than
 * another one may take less of a micro-batch, so that all count. No layer takes less than nothing:
 * once those that are known take enough, or all is to end, the others need not be known. */
bool dsm__role_fronts_find(const dsm__problem *problem, bool is_rough,
                           const dsm__role_enough *enough, dsm__role_front *fronts) {
  static dsm__cost nothing = {.micro = 0};
  const size_t rows = DSM__ZONE_ROWS * problem->table.distinct.count;
  dsm__problem least;
  dsm__role_space space = {.problem = &least};
  dsm__role_options *options = NULL;
  dsm__role_front *of_rows = NULL;
  bool is_good =
      DSM__RESERVE(problem->arena, options, rows) && DSM__RESERVE(problem->arena, of_rows, rows);
  double cost = 0;
  space.options = options;
  ask(&least, problem, DSM__OPTIONS_LEAST);
  least.is_rough = is_rough;
  for (size_t i = 0; is_good && i < problem->inputs.workload->layer_count; i++) {
    fronts[i] = (dsm__role_front){&nothing, 1};
    if (cost < enough->cost && !is_given_up(problem)) {
      is_good = fill_row(&space, options, i, false) && find_front(&space, i, of_rows, &fronts[i]);
      cost += is_good ? dsm__role_floor(&fronts[i], &enough->prices) : 0;
    }
  }
  return is_good;
}

bool dsm__role_least_memory(const dsm__problem *problem, dsm_layer_memory *memory) {
  dsm__problem listed;
  dsm__role_space space = {.problem = &listed};
  ask(&listed, problem, DSM__OPTIONS_LISTED);
  if (!find_options(&space, dsm__recomputation_is_open(problem))) {
    return false;
  }
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    const size_t first = space.layers[i].kind;
    double kept = HUGE_VAL;
    double transient = HUGE_VAL;
    for (size_t o = 0; o < dsm__role_options_of(&space, i)->whole_count && first == i; o++) {
      const dsm_layer_memory own = dsm__role_memory_of(&space, i, o);
      transient = fmin(transient, own.transient_bytes);
      if (dsm__kept_bytes(&own) < kept) {
        kept = dsm__kept_bytes(&own);
        memory[i] = own;
      }
      memory[i].transient_bytes = transient;
    }
    memory[i] = memory[first];
  }
  return true;
}

bool dsm__role_space_find(dsm__role_space *space, bool is_rough, bool may_recompute) {
  dsm__problem least;
  dsm__role_space found = *space;
  ask(&least, space->problem, DSM__OPTIONS_LEAST); /* to compare them takes longer */
  least.is_rough = is_rough;
  found.problem = &least;
  const bool is_found = find_options(&found, may_recompute);
  found.problem = space->problem;
  *space = found;
  return is_found;
}

/* What all mappings need at least: each layer keeps the least of all its options, and the largest
 * need of a layer while it runs is not less than the least of any. False if out of memory. */
static bool least_need_bytes(dsm__role_space *space, const bool *is_in, double *need_bytes) {
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  double kept = 0;
  double transient = 0;
  double *least_kept = NULL;
  if (!DSM__RESERVE(space->problem->arena, least_kept, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    const size_t first = space->layers[i].kind;
    double least_transient = HUGE_VAL;
    least_kept[i] = first < i ? least_kept[first] : HUGE_VAL;
    for (size_t o = 0; o < dsm__role_options_of(space, i)->whole_count && first == i; o++) {
      const dsm_layer_memory memory = dsm__role_memory_of(space, i, o);
      least_kept[i] = fmin(least_kept[i], dsm__kept_bytes(&memory));
      least_transient = fmin(least_transient, memory.transient_bytes);
    }
    const bool is_counted = is_in == NULL || is_in[i];
    kept += is_counted ? least_kept[i] : 0;
    transient = is_counted && first == i ? fmax(transient, least_transient) : transient;
  }
  *need_bytes = kept + transient;
  space->room_bytes = space->problem->capacity_bytes - transient;
  return true;
}

bool dsm__role_may_fit(const dsm__problem *problem, bool may_recompute, const dsm__role_room *rooms,
                       size_t count, double *need_bytes, bool *fits) {
  dsm__problem listed;
  dsm__role_space space = {.problem = &listed};
  ask(&listed, problem, DSM__OPTIONS_LISTED);
  bool is_found = find_options(&space, may_recompute);
  for (size_t i = 0; is_found && i < count; i++) {
    listed.inputs.in_flight = rooms[i].in_flight;
    is_found = least_need_bytes(&space, rooms[i].is_in, need_bytes);
    fits[i] = *need_bytes <= dsm__capacity_limit(rooms[i].capacity_bytes) || is_given_up(problem);
  }
  return is_found;
}

/* One graph of the options that the slack leaves. */
static bool search_graph(dsm__role_space *space, dsm__graph_answer *answer,
                         dsm__decisions *decisions) {
  dsm__network_graph network = {.is_cut = false};
  dsm__graph_path path;
  *answer = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL};
  dsm__arena *const arena = dsm__problem_arena(space->problem);
  bool is_good = arena != NULL && dsm__role_graph_build(space, arena, &network);
  network.graph.cost_limit = space->known_cost;
  network.graph.is_case = space->problem->cost_limit > 0 || space->problem->is_case;
  if (is_good && network.graph.nodes != NULL && dsm__graph_edge_count(&network.graph) > 0) {
    is_good = dsm__graph_search(&network.graph, arena, &path, answer) &&
              decide(space, &network, &path, decisions);
  }
  dsm__arena_free(arena);
  return is_good;
}

/* Puts the answers with what is made anew rounded up and down together. */
static void join_rounded(dsm__role_space *space, const dsm__graph_answer *down,
                         dsm__graph_answer *answer) {
  const bool is_cut_off = space->is_too_large || is_given_up(space->problem);
  const double least = is_cut_off ? 0 : down->lower_bound;
  if (!answer->is_feasible && !is_cut_off && !down->is_feasible) {
    *answer = *down; /* then it is proven that none fits */
    return;
  }
  space->problem->found->is_need_rounded =
      space->problem->found->is_need_rounded || !answer->is_feasible;
  answer->lower_bound = fmin(answer->lower_bound, least);
}

/* The options that a slack leaves; with larger and larger grains where there are too many states,
 * from those on with which there were not in a part of them. */
static bool search_grains(dsm__role_space *space, dsm__graph_answer *answer,
                          dsm__decisions *decisions) {
  static const double grains = 256; /* in the memory, at first */
  static const double growth = 8;
  const double first = exp2(ceil(log2(fmax(1, space->problem->capacity_bytes / grains))));
  double grain = fmax(first, space->grain);
  space->is_too_large = space->grain > 0;
  if (!space->is_too_large && !search_graph(space, answer, decisions)) {
    return false;
  }
  if (!space->may_recompute) { /* no sum to round */
    return true;
  }
  const double last = growth * space->problem->capacity_bytes; /* more than can be made anew */
  while (space->is_too_large && grain <= last && !is_given_up(space->problem)) {
    space->grain = grain;
    space->is_up = true;
    if (!search_graph(space, answer, decisions)) {
      return false;
    }
    if (!space->is_too_large) {
      dsm__graph_answer down;
      dsm__decisions others;
      space->is_up = false;
      if (!search_graph(space, &down, &others)) {
        return false;
      }
      join_rounded(space, &down, answer);
      return true;
    }
    grain *= growth;
  }
  if (space->is_too_large) { /* nothing is known */
    space->problem->found->is_need_rounded = true;
    answer->lower_bound = 0;
  }
  return true;
}

/* What all layers take at least. */
static double least_of(const dsm__role_space *space) {
  double least = -space->paid_cost;
  for (size_t i = 0; i < space->problem->inputs.workload->layer_count; i++) {
    least += space->least[i];
  }
  return least;
}

/* The mappings that a slack leaves. Where even their outline has none of them there is none. */
static bool search_within(dsm__role_space *space, const dsm__role_rooms *rooms, double slack,
                          dsm__graph_answer *answer, dsm__decisions *decisions) {
  const double limit = least_of(space) + slack;
  const dsm__role_rooms within = dsm__rooms_within(rooms, limit);
  bool is_good = true;
  space->slack = slack;
  space->rooms = &within;
  *answer = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL};
  if (within.open >= 0) {
    is_good = search_grains(space, answer, decisions);
    /* Where no graph is small enough, that is what is known. */
    answer->lower_bound = fmax(answer->lower_bound, rooms->least_cost);
  }
  space->rooms = NULL;
  return is_good;
}

/* Takes an answer of other options: its bound, and its path if that is better than the one that is
 * known. */
static void take_answer(const dsm__graph_answer *more, const dsm__decisions *found,
                        dsm__graph_answer *answer, dsm__decisions *decisions) {
  const double known = answer->cost;
  if (answer->is_feasible && !more->is_feasible) {
    answer->lower_bound = fmin(known, more->lower_bound);
  } else if (answer->is_feasible && known < more->cost) {
    *answer = *more;
    answer->cost = known;
  } else {
    *answer = *more;
    *decisions = *found;
  }
}

/* Slacks, which grow from what the outline says. */
typedef struct growing {
  double least;    /* cost of all layers at least, */
  double outlined; /* and of their outline */
  double slack;
  double most;
  double searched; /* slack whose mappings all have been */
  int too_large;   /* graphs that were */
} growing;

/* The first slack: little more than what the outline says, with what bytes cost by now. */
static void begin(dsm__role_space *space, const dsm__role_rooms *rooms, double cost_limit,
                  growing *g) {
  static const double first_share = 0.02; /* of what their outline takes at least */
  static const double near = 4;           /* so much more slack costs less than to ask twice */
  *g = (growing){.least = least_of(space)};
  g->most = fmin(dsm__tie_limit(cost_limit) - g->least, DBL_MAX);
  g->outlined = fmax(rooms->least_cost, g->least);
  g->slack = g->outlined - g->least + first_share * g->outlined;
  g->slack =
      g->most + g->least - g->outlined < near * first_share * g->outlined ? g->most : g->slack;
  space->grain = 0;
}

static bool is_enough(const growing *g, const dsm__graph_answer *answer) {
  const double over = dsm__tie_limit(answer->cost) - g->least;
  return g->slack >= g->most || (answer->is_feasible && over <= g->slack);
}

/* What is known says how much is enough. Where much more time makes nothing fit, all options are
 * asked at once. */
static void grow(growing *g, const dsm__graph_answer *answer) {
  static const double growth = 3;
  if (answer->is_feasible) {
    const double over = dsm__tie_limit(answer->cost) - g->least;
    g->slack = fmin(g->most, fmax(over, g->slack));
  } else if (!is_enough(g, answer)) {
    const double sure = g->outlined - g->least;
    g->slack =
        g->slack > sure + g->outlined ? g->most : fmin(g->most, sure + growth * (g->slack - sure));
  }
}

static bool is_stopped(const dsm__problem *problem, const dsm__graph_answer *answer) {
  return answer->is_feasible ? dsm__problem_is_over(problem) : is_given_up(problem);
}

/* Options that only memory asks for, where it is short and they are not in yet. */
static bool are_spares_due(const dsm__role_space *space, const dsm__graph_answer *answer) {
  const bool is_short = !answer->is_feasible || answer->is_memory_short;
  return is_short && !space->has_spares && dsm__role_has_spares(space);
}

/* What the search leaves takes at least as much as the slack that was searched, and the outline. */
static void leave(const dsm__role_space *space, const growing *g, dsm__graph_answer *answer) {
  const bool is_cut_off = !answer->is_feasible && g->too_large > 0;
  space->problem->found->is_need_rounded = space->problem->found->is_need_rounded || is_cut_off;
  answer->lower_bound = fmin(answer->lower_bound, fmax(g->least + g->searched, g->outlined));
}

static bool is_price_due(const dsm__role_space *space, const dsm__role_rooms *rooms,
                         const dsm__graph_answer *answer) {
  /* Of a graph that was too large nothing is known yet. */
  const bool is_none = !answer->is_feasible && !space->is_too_large;
  const bool is_short = is_none || answer->is_memory_short;
  return is_short && space->bytes == NULL && space->room_bytes > 0 && rooms->before != NULL;
}

/* Where memory is short bytes get a price, once. False if out of memory. */
static bool find_price(dsm__role_space *space, double cost_limit, dsm__role_rooms *rooms,
                       growing *g, dsm__graph_answer *answer) {
  double need_bytes = 0;
  if (!dsm__role_prices_find(space, rooms, &need_bytes)) {
    return false;
  }
  if (need_bytes > dsm__capacity_limit(space->problem->capacity_bytes)) {
    answer->smallest_need_bytes = fmax(need_bytes, answer->smallest_need_bytes);
    answer->lower_bound = HUGE_VAL;
    g->slack = -1; /* no mapping is left */
  } else if (space->price > 0) {
    begin(space, rooms, answer->is_feasible ? fmin(cost_limit, answer->cost) : cost_limit, g);
  }
  return true;
}

/* Behind a graph that was too large: less slack, while nothing is found. False: that is all. */
static bool shrink(dsm__role_space *space, growing *g, dsm__graph_answer *answer) {
  enum { TRIES_MAX = 3 };
  static const double part = 0.25;
  const double least = fmax(g->searched, g->outlined - g->least);
  g->slack = least + part * (g->slack - least);
  space->grain = 0;
  if (!answer->is_feasible && g->too_large++ < TRIES_MAX) {
    return true;
  }
  leave(space, g, answer);
  return false;
}

/* Takes the answer of a graph with so many edges. False: that is all. */
static bool go_on(dsm__role_space *space, growing *g, double cost_limit,
                  const dsm__graph_answer *more, const dsm__decisions *found, uint64_t edges,
                  dsm__graph_answer *answer, dsm__decisions *decisions) {
  const dsm__problem *const problem = space->problem;
  take_answer(more, found, answer, decisions);
  const bool are_due = are_spares_due(space, answer);
  if (is_enough(g, answer) && !are_due) {
    const bool is_none_within = !answer->is_feasible && isfinite(cost_limit) &&
                                !is_given_up(problem) && !problem->found->is_need_rounded;
    answer->lower_bound = fmax(answer->lower_bound, is_none_within ? cost_limit : 0);
    return false;
  }
  /* With more slack a graph is several times as large. */
  const bool is_next_too_large =
      !space->may_recompute && answer->is_feasible && edges > problem->role_edges_max / 3;
  g->searched = are_due ? 0 : g->slack;
  if (is_stopped(problem, answer) || g->too_large > 0 || is_next_too_large) {
    leave(space, g, answer);
    return false;
  }
  space->has_spares = space->has_spares || are_due;
  grow(g, answer);
  return true;
}

/*
 * A small slack first: a path that it leaves and that is not over it is the fastest of all, since
 * what is left out is on no faster one. A path that is over it says how much slack is enough.
 * Options that only memory asks for are left out too at first: at the same cost each of them has
 * another one beside it that is there already. They come in where memory is short. Where a graph is
 * too large, what was searched so far is the answer: the bound is what the outline proves, or the
 * slack that was searched in full, as each mapping that this leaves out takes more.
 */
static bool search_growing(dsm__role_space *space, double cost_limit, dsm__graph_answer *answer,
                           dsm__decisions *decisions) {
  growing g;
  *answer = (dsm__graph_answer){.cost = HUGE_VAL,
                                .lower_bound = HUGE_VAL,
                                .smallest_need_bytes = answer->smallest_need_bytes};
  dsm__role_rooms rooms;
  if (!dsm__open_rooms_find(space, space->problem->arena, &rooms)) {
    return false;
  }
  const bool was_rounded = space->problem->found->is_need_rounded;
  bool is_short = false;
  begin(space, &rooms, cost_limit, &g);
  bool is_open = g.slack >= 0 && isfinite(g.outlined);
  while (is_open) {
    dsm__graph_answer more = {.smallest_need_bytes = answer->smallest_need_bytes};
    dsm__decisions found = {.layers = NULL};
    const double known = answer->is_feasible ? fmin(cost_limit, answer->cost) : cost_limit;
    const uint64_t edges = space->problem->found->role_edges;
    space->known_cost = known < HUGE_VAL ? known : 0;
    if (!search_within(space, &rooms, g.slack, &more, &found)) {
      return false;
    }
    if (!more.is_feasible && is_given_up(space->problem)) {
      more.lower_bound = fmin(more.lower_bound, g.least); /* it was cut off, maybe */
    }
    is_short = is_short || more.is_memory_short;
    if (!space->is_too_large) {
      is_open = go_on(space, &g, cost_limit, &more, &found,
                      space->problem->found->role_edges - edges, answer, decisions);
    } else if (!is_price_due(space, &rooms, answer)) {
      is_open = shrink(space, &g, answer);
    }
    if (is_open && is_price_due(space, &rooms, answer)) {
      if (!find_price(space, cost_limit, &rooms, &g, answer)) {
        return false;
      }
      is_open = g.slack >= 0;
      is_short = is_short || !is_open || space->price > 0;
      space->problem->found->is_need_rounded =
          is_open ? space->problem->found->is_need_rounded : was_rounded;
    }
  }
  /* Graphs in which bytes have a price may leave out the fastest path of all. */
  answer->is_memory_short = is_short;
  return true;
}

/* With the problem's reductions. */
static bool search_once(const dsm__problem *problem, const void *context, double cost_limit,
                        dsm__graph_answer *answer, dsm__decisions *decisions) {
  const bool may_recompute = *(const bool *)context;
  dsm__problem limited;
  dsm__role_space space = {.problem = &limited, .may_recompute = may_recompute};
  const bool is_one_of_several = problem->inputs.fixed_cuts != NULL && isfinite(cost_limit);
  dsm__case_begin(&limited, problem);
  limited.cost_limit = is_one_of_several ? cost_limit : 0;
  *answer = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL};
  if (!find_options(&space, may_recompute) ||
      !least_need_bytes(&space, NULL, &answer->smallest_need_bytes)) {
    return false;
  }
  if (is_given_up(problem)) {
    answer->lower_bound = 0;
    return true;
  }
  if (answer->smallest_need_bytes > dsm__capacity_limit(problem->capacity_bytes)) {
    answer->is_memory_short = true;
    return true; /* no graph has a path that fits */
  }
  if (!search_growing(&space, cost_limit, answer, decisions)) {
    return false;
  }
  return may_recompute || !dsm__held_roles_are_searched(problem) ||
         dsm__held_role_search(&space, cost_limit, answer, decisions);
}

/* Searches at most with what layers pay of collectives, fewer where one takes long; of more layers
 * a small gap is left open. */
enum { SMALL_NETWORK = 128, SEARCHES_MAX = 12, EVALUATIONS_MAX = 1000000, EDGES_MAX = 1 << 21 };
static const double nearly = 0.999;

/* Does each layer pay a part of collectives that all are in? Stages have their own. What a layer
 * would do otherwise is asked once for each way. */
static bool are_reductions_shared(const dsm__problem *problem) {
  return dsm__problem_is_fused(problem) && !problem->machine.is_weighed &&
         !problem->inputs.is_staged && problem->fixed == NULL && dsm__counted_latency(problem) > 0;
}

/*
 * With one way to cut the tables that tied layers share, or without what these exchange.
 */
static bool search_case(const dsm__problem *problem, const void *context, double cost_limit,
                        dsm__graph_answer *answer, dsm__decisions *decisions) {
  const bool is_small = problem->inputs.workload->layer_count <= SMALL_NETWORK;
  const dsm__fused_finder finder = {search_once,     context,   SEARCHES_MAX,
                                    EVALUATIONS_MAX, EDGES_MAX, is_small ? 1 : nearly};
  if (!are_reductions_shared(problem)) {
    return search_once(problem, context, cost_limit, answer, decisions);
  }
  return dsm__fused_search(problem, &finder, cost_limit, answer, decisions);
}

/* Bounds of all cuts of a table, where some mapping is known or a limit. */
static bool bound_cuts(const dsm__problem *problem, const void *context, double cost_limit,
                       const dsm__tied_cuts *cuts, dsm__open_case **bounds) {
  const bool may_recompute = *(const bool *)context;
  dsm__role_space space = {.problem = problem, .may_recompute = may_recompute};
  return find_options(&space, may_recompute) &&
         (is_given_up(problem) || dsm__tied_bounds_find(&space, cuts, cost_limit, bounds));
}

/* How its options cut a layer's weights. */
static size_t cuts_of(const dsm__problem *problem, size_t layer_index, dsm__table_cut *cuts) {
  const dsm__role_options *const options =
      dsm__role_options_in(problem, problem->kept->items, layer_index);
  const dsm_layer *const layer = &problem->inputs.workload->layers[layer_index];
  size_t count = 0;
  for (size_t o = 0; o < options->whole_count; o++) {
    const dsm_pass_layouts layouts = dsm__option_layouts(&options->items[o]);
    count = dsm__tied_add_cut(layer, &problem->machine, &layouts, cuts, count);
  }
  return count;
}

bool dsm__role_search(const dsm__problem *problem, bool may_recompute, double cost_limit,
                      dsm__graph_answer *answer, dsm__decisions *decisions) {
  dsm__kept_options kept = {.items = NULL};
  const dsm__tied_finder finder = {search_case, cuts_of, bound_cuts, &may_recompute, 0};
  dsm__problem keeping;
  dsm__case_begin(&keeping, problem);
  keeping.kept = &kept;
  return dsm__tied_search(&keeping, &finder, cost_limit, answer, decisions);
}
