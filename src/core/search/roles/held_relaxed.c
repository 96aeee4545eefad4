/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_relaxed.c: a graph of roles in which each layer finds held what would help it most.
 *
 * What can be held is told by the roles alone: an output, until what is outside moves away from the
 * layout in which it was made (section 7). Here a layer that could find its input, its shortcut or
 * its output held chooses by itself which of them are, and which factor it has: they take their
 * room for as long as it runs, nothing else does, and nothing held moves among the cores. A mapping
 * that holds something has a path here with the same roles on which each layer takes no longer:
 * what it holds for the layer can be held here, beside less. So the rest of a path from a point
 * here is a bound of what any mapping takes behind it, whatever it holds.
 *
 * Equal blocks, out of equal points, are stored once, as in role_graph.c.
 */
#include "search/roles/held_relaxed.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/counted_list.h"
#include "search/roles/role_rooms.h"

/* Which of input, shortcut and output are held, as bits. */
enum { INPUT = 1, SHORTCUT = 2, OUTPUT = 4, SETS = 8 };

/* What is known of an option: of each set, and of layouts of what it adds, or of none. */
enum { WAYS = SETS * (DSM__HELD_CODES + 1) };

/* Beside these: which of them an option exchanges between chips. */
enum { INPUT_EXCHANGED = 8, SHORTCUT_EXCHANGED = 16 };

/* Bytes added up in another order, and with others between them, may differ in their last bits. */
static const double not_more = 1 - 1e-12;

/* The most edges that are stored, and segments that a block is taken to have. */
enum { EDGES_MAX = 2 << 20, SEGMENTS_OF_BLOCK = 4 };

static const dsm_layer *layer_of(const dsm__held_costs *costs, size_t index) {
  return &costs->space->problem->inputs.workload->layers[index];
}

static const dsm_network *network_of(const dsm__held_costs *costs) {
  return &costs->space->problem->machine.system->system;
}

/* ---- a layer by itself ---- */

/* The layers that made a set, the earliest first, with the layouts of a number. */
static void add_tensors(dsm__held_costs *costs, size_t reader, uint64_t set, unsigned factor,
                        unsigned code, dsm__held_sum *sum) {
  for (unsigned k = DSM__ROLE_REACH; set != 0 && k-- > 0;) {
    if ((set >> k & 1U) != 0) {
      const size_t maker = reader - 1 - k;
      const dsm__held_share share = dsm__held_share_at(costs, maker, factor, code);
      dsm__held_sum_add(sum, layer_of(costs, maker)->stored_size, &share, costs->element_bytes);
    }
  }
}

/* The way of a layer that finds some things held, with a factor; false if they do not fit.
 * `shortcut_code`: DSM__HELD_CODES, where it is not known how they lie. */
static bool make_way(dsm__held_costs *costs, size_t index, uint32_t option, unsigned factor,
                     unsigned set, unsigned shortcut_code, dsm__held_way *way) {
  const dsm__role_layer *const around = &costs->space->layers[index];
  const dsm_parallelism parallelism =
      dsm__role_options_of(costs->space, index)->items[option].parallelism;
  const dsm_layouts read = dsm_input_layouts(parallelism);
  const dsm_layouts made = dsm_output_layouts(parallelism);
  const unsigned read_code = dsm__held_code(costs, &read);
  const uint64_t inputs = (set & INPUT) != 0 ? around->inputs : 0;
  const uint64_t others =
      (set & SHORTCUT) != 0 && shortcut_code < DSM__HELD_CODES ? around->added & ~inputs : 0;
  dsm__held_sum sum = {.elements = 0};
  dsm__held_sum before = {.elements = 0};
  add_tensors(costs, index, inputs, factor, read_code, &sum);
  add_tensors(costs, index, others, factor, shortcut_code, &sum);
  add_tensors(costs, index, inputs & 1U, factor, read_code, &before);
  add_tensors(costs, index, others & 1U, factor, shortcut_code, &before);
  if ((set & OUTPUT) != 0) {
    const unsigned code = dsm__held_code(costs, &made);
    const dsm__held_share share = dsm__held_share_at(costs, index, factor, code);
    dsm__held_sum_add(&sum, layer_of(costs, index)->stored_size, &share, costs->element_bytes);
  }
  *way = (dsm__held_way){
      .held_bytes = dsm__held_sum_bytes(&sum, costs->element_bytes) * not_more,
      .option = option,
      .factor_index = (uint8_t)factor,
      .is_input_held = (set & INPUT) != 0,
      .is_output_held = (set & OUTPUT) != 0,
      .is_shortcut_held = (set & SHORTCUT) != 0,
      .is_moving_free = 1,
  };
  if (costs->space->problem->inputs.options->mode == DSM_MODE_TRAINING) {
    way->deferred_bytes = dsm__held_sum_bytes(&before, costs->element_bytes) * not_more;
  }
  const dsm__layer_setting setting = dsm__held_setting(costs, index, way);
  return dsm__holding_fits(&setting, parallelism);
}

/* The least of all factors and subsets of what can be held. */
static double least_of(dsm__held_costs *costs, size_t index, uint32_t option, unsigned can,
                       unsigned shortcut_code) {
  double least = dsm__role_options_of(costs->space, index)->items[option].cost;
  for (unsigned set = can; isfinite(least) && set != 0; set = (set - 1) & can) {
    for (unsigned f = 0; f < costs->factor_count; f++) {
      dsm__held_way way;
      if (dsm__held_factor_is_open(costs, index, f) &&
          make_way(costs, index, option, f, set, shortcut_code, &way)) {
        least = fmin(least, dsm__held_cost(costs, index, way));
      }
    }
  }
  return least;
}

/* What roles alone leave of what can be held around a layer, and what is exchanged. */
static unsigned can_be_held(const dsm__held_costs *costs, size_t index, uint32_t option) {
  const dsm__role_layer *const around = &costs->space->layers[index];
  const dsm_parallelism parallelism =
      dsm__role_options_of(costs->space, index)->items[option].parallelism;
  const dsm_network *const network = network_of(costs);
  const bool has_inputs =
      around->is_input_far == 0 && !dsm__is_input_exchanged(network, parallelism);
  const bool has_shortcuts = around->added != 0 && around->adds_far == 0 &&
                             !dsm__are_shortcuts_exchanged(network, parallelism);
  const bool has_output = costs->can_hold[index] && !dsm__is_output_exchanged(network, parallelism);
  const unsigned exchanged =
      (dsm__is_input_exchanged(network, parallelism) ? (unsigned)INPUT_EXCHANGED : 0U) |
      (dsm__are_shortcuts_exchanged(network, parallelism) ? (unsigned)SHORTCUT_EXCHANGED : 0U);
  if (layer_of(costs, index)->timesteps > 1) {
    return exchanged;
  }
  return exchanged | (has_inputs ? (unsigned)INPUT : 0U) |
         (has_shortcuts ? (unsigned)SHORTCUT : 0U) | (has_output ? (unsigned)OUTPUT : 0U);
}

/* Of each option of a layer, of each whatever it shares, and of all. False if out of memory. */
static bool find_layer_least(dsm__held_costs *costs, size_t index, dsm__held_least *least) {
  const dsm__role_space *const space = costs->space;
  const dsm__role_options *const options = dsm__role_options_of(space, index);
  double *own = NULL;
  double *wholes = NULL;
  if (!DSM__RESERVE(space->problem->arena, own, options->count) ||
      !DSM__RESERVE(space->problem->arena, wholes, options->whole_count)) {
    return false;
  }
  least->layers[index] = HUGE_VAL;
  for (size_t o = 0, whole = 0; o < options->count; o++) {
    const unsigned can = can_be_held(costs, index, (uint32_t)o) % SETS;
    own[o] = options->items[o].may_hold ? least_of(costs, index, (uint32_t)o, can, DSM__HELD_CODES)
                                        : HUGE_VAL;
    while (o >= options->whole_count &&
           !dsm__is_same_option(&options->items[o], &options->items[whole])) {
      whole++; /* those that share something come in the order of those that do not */
    }
    double *const of_whole = &wholes[o < options->whole_count ? o : whole];
    *of_whole = o < options->whole_count ? own[o] : fmin(*of_whole, own[o]);
    if (dsm__is_role_open(space, index, &options->items[o])) {
      least->layers[index] = fmin(least->layers[index], own[o]);
    }
  }
  least->options[index] = own;
  least->wholes[index] = wholes;
  return true;
}

/* What an option takes at least, where something may be held with it. */
typedef struct rooming {
  const dsm__role_space *space;
  const dsm__held_least *least;
} rooming;

static dsm__cost least_with(const void *context, size_t layer_index, size_t whole, bool may_share) {
  const rooming *const r = context;
  const dsm__role_option *const option = &dsm__role_options_of(r->space, layer_index)->items[whole];
  const bool is_in = option->may_hold && dsm__is_role_open(r->space, layer_index, option);
  const double own =
      may_share ? r->least->wholes[layer_index][whole] : r->least->options[layer_index][whole];
  return (dsm__cost){.micro = is_in ? own : HUGE_VAL};
}

static bool find_rooms(const dsm__held_costs *costs, dsm__held_least *least) {
  const rooming context = {costs->space, least};
  const dsm__outline_source source = {&context, least_with, 1};
  return dsm__role_rooms_find(costs->space, &source, costs->space->problem->arena, &least->rooms);
}

bool dsm__held_least_find(dsm__held_costs *costs, dsm__held_least *least) {
  const dsm__role_space *const space = costs->space;
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  *least = (dsm__held_least){.sum = 0};
  if (!DSM__RESERVE(space->problem->arena, least->options, layer_count) ||
      !DSM__RESERVE(space->problem->arena, least->wholes, layer_count) ||
      !DSM__RESERVE(space->problem->arena, least->layers, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count && !dsm__deadline_is_final(space->problem->inputs.deadline);
       i++) {
    const size_t kind = space->layers[i].kind;
    if (kind == i && !find_layer_least(costs, i, least)) {
      return false;
    }
    least->options[i] = least->options[kind];
    least->wholes[i] = least->wholes[kind];
    least->layers[i] = least->layers[kind];
    least->sum += least->layers[i];
  }
  return !costs->is_out_of_memory &&
         (dsm__deadline_is_final(space->problem->inputs.deadline) || find_rooms(costs, least));
}

/* ---- the graph ---- */

typedef struct relaxing {
  dsm__held_costs *costs;
  const dsm__held_least *least;
  double slack;
  dsm__held_choice choice;
  dsm__arena *arena;
  dsm__held_relaxed *relaxed;
  size_t edge_count;
  DSM__LIST(dsm__held_point) points; /* behind the layer that is being added */
  dsm__map index;                    /* of these */
  DSM__LIST(dsm__held_edge) edges;   /* of that layer */
  double *known;    /* what it takes at least: of each option, set, and layouts of what it adds;
                       below 0: not known */
  size_t *asked_at; /* of each option: the layer of which these are, + 1 */
  unsigned *can;    /* what can be held with each option */
  const dsm__role_rooms *rooms; /* NULL: not known */
  bool is_out_of_memory;
} relaxing;

static atomic_size_t *bytes_of(const relaxing *r) {
  return dsm__deadline_bytes(r->costs->space->problem->inputs.deadline);
}

static uint32_t point_of(relaxing *r, const dsm__held_point *point) {
  const uint32_t hash = dsm__map_hash(0, point, sizeof *point);
  const size_t found =
      dsm__map_find_in(&r->index, hash, r->points.items, sizeof *point, point, sizeof *point);
  if (found != DSM__MAP_NONE) {
    return (uint32_t)found;
  }
  if (!DSM__LIST_RESERVE_COUNTED(&r->points, 1, bytes_of(r)) ||
      !dsm__map_add(&r->index, hash, r->points.count)) {
    r->is_out_of_memory = true;
    return 0;
  }
  r->points.items[r->points.count++] = *point;
  return (uint32_t)(r->points.count - 1);
}

/* Of tensors that lie as they were made those that a change of the outer layouts leaves so. */
static uint64_t unmoved(const relaxing *r, const dsm__role_state *before,
                        const dsm__role_state *after, uint64_t holdable) {
  for (unsigned a = 0; a < network_of(r->costs)->axis_count; a++) {
    holdable &= before->outer[a] == after->outer[a] ? UINT64_MAX : after->inside[a];
  }
  return holdable;
}

/* How what a layer adds lies, if all of it lies alike; DSM__HELD_CODES: it does not. */
static unsigned added_code(const relaxing *r, const dsm__role_state *running, uint64_t added) {
  unsigned code = DSM__HELD_CODES;
  bool is_one = true;
  for (unsigned k = 0; k < DSM__ROLE_REACH && is_one; k++) {
    if ((added >> k & 1U) != 0) {
      const unsigned own = dsm__held_code_of(r->costs, running, k);
      is_one = code == (unsigned)DSM__HELD_CODES || code == own;
      code = own;
    }
  }
  return is_one ? code : (unsigned)DSM__HELD_CODES;
}

static double least_at(relaxing *r, size_t index, uint32_t option, unsigned can, unsigned code) {
  double *const of_option = &r->known[(size_t)option * WAYS];
  if (r->asked_at[option] != index + 1) {
    r->asked_at[option] = index + 1;
    for (size_t k = 0; k < WAYS; k++) {
      of_option[k] = -1;
    }
  }
  double *const known = &of_option[can * ((size_t)DSM__HELD_CODES + 1) + code];
  if (*known < 0) {
    *known = least_of(r->costs, index, option, can, code);
  }
  return *known;
}

/* What of input, shortcut and output can be held with an option, and what is as it was made while
 * the layer runs. What is exchanged is not held by any mapping with the option. */
static unsigned find_can(const relaxing *r, size_t index, uint32_t option, uint64_t *entered) {
  const dsm__role_layer *const around = &r->costs->space->layers[index];
  unsigned can = r->can[option];
  *entered &= (can & INPUT_EXCHANGED) != 0 ? ~around->inputs : UINT64_MAX;
  *entered &= (can & SHORTCUT_EXCHANGED) != 0 ? ~around->added : UINT64_MAX;
  can &= (around->inputs & ~*entered) == 0 ? UINT_MAX : ~(unsigned)INPUT;
  can &= (around->added & ~*entered) == 0 ? UINT_MAX : ~(unsigned)SHORTCUT;
  return can % SETS;
}

/* An option out of a point. */
static void add_edge(relaxing *r, size_t index, const dsm__held_point *from,
                     dsm__role_surroundings *around, double most, size_t whole) {
  const dsm__role_space *const space = r->costs->space;
  const dsm__role_options *const options = dsm__role_options_of(space, index);
  const dsm__role_option *const of = &options->items[whole];
  if (!of->may_hold || r->least->wholes[index][whole] > most ||
      (r->choice != NULL && (r->choice[index].layouts.of[DSM_PASS_FORWARD] != of->parallelism ||
                             r->choice[index].layer.shard != of->shard)) ||
      !dsm__is_role_open(space, index, of)) {
    return;
  }
  dsm__held_point to = {.holdable = 0};
  dsm__role_state running;
  dsm__role_move move;
  dsm__role_shares shared;
  if (!dsm__role_enter(space, around, of, &running, &shared)) {
    return;
  }
  const uint32_t option = (uint32_t)dsm__role_option_index(options, whole, shared);
  const double entering = dsm__role_entering_cost(space, around, &running);
  if (r->least->options[index][option] + entering > most ||
      !dsm__role_leave(space, &running, index, of, &to.role, &move)) {
    return;
  }
  const double room = dsm__room_between(space, r->rooms, index, &from->role, &to.role);
  const double limit = fmin(most, room - dsm__role_move_cost(space, &move));
  if (r->least->options[index][option] + entering > limit) {
    return;
  }
  uint64_t entered = index == 0 ? 0 : unmoved(r, &from->role, &running, from->holdable);
  const unsigned can = find_can(r, index, option, &entered);
  const unsigned code = (can & SHORTCUT) != 0 ? added_code(r, &running, space->layers[index].added)
                                              : (unsigned)DSM__HELD_CODES;
  const double least = least_at(r, index, option, can, code);
  if (!(entering + least <= limit)) {
    return;
  }
  const double moving = entering + dsm__role_move_cost(space, &move);
  to.holdable = unmoved(r, &running, &to.role, entered << 1);
  to.holdable = (to.holdable | ((can & OUTPUT) != 0 ? 1U : 0U)) & space->layers[index].live;
  if (!DSM__LIST_RESERVE_COUNTED(&r->edges, 1, bytes_of(r))) {
    r->is_out_of_memory = true;
    return;
  }
  const uint32_t behind = point_of(r, &to);
  r->edges.items[r->edges.count++] = (dsm__held_edge){
      .entered = entered,
      .moving = moving,
      .least = moving + least,
      .to = behind,
      .option = option,
      .can_input_be_held = (can & INPUT) != 0,
      .can_shortcut_be_held = (can & SHORTCUT) != 0,
      .can_output_be_held = (can & OUTPUT) != 0,
  };
}

/* A block of points without edges. NULL if out of memory. */
static dsm__held_block *block_of(relaxing *r) {
  dsm__held_block *const block = dsm__arena_alloc(r->arena, sizeof *block);
  dsm__held_point *const points = dsm__arena_array(r->arena, r->points.count, sizeof points[0]);
  size_t *const first_edge = dsm__arena_array(r->arena, r->points.count + 1, sizeof first_edge[0]);
  if (block == NULL || points == NULL || first_edge == NULL) {
    r->is_out_of_memory = true;
    return NULL;
  }
  if (r->points.count > 0) {
    memcpy(points, r->points.items, r->points.count * sizeof points[0]);
  }
  *block =
      (dsm__held_block){.points = points, .point_count = r->points.count, .first_edge = first_edge};
  return block;
}

static bool is_given_up(const relaxing *r) {
  return r->is_out_of_memory || dsm__problem_is_over(r->costs->space->problem);
}

/* Adds a layer out of the points of a block; what is behind it becomes the points in hand. */
static void add_layer(relaxing *r, size_t index, dsm__held_block *block) {
  const dsm__role_options *const options = dsm__role_options_of(r->costs->space, index);
  for (size_t o = 0; o < options->count; o++) {
    r->can[o] = can_be_held(r->costs, index, (uint32_t)o);
  }
  r->points.count = 0;
  r->edges.count = 0;
  dsm__map_clear(&r->index);
  for (size_t p = 0; p < block->point_count && !is_given_up(r); p++) {
    block->first_edge[p] = r->edges.count;
    dsm__role_surroundings around =
        dsm__role_look_around(r->costs->space, &block->points[p].role, index);
    const double most =
        fmin(r->least->layers[index] + r->slack,
             dsm__room_from(r->costs->space, r->rooms, index, &block->points[p].role));
    for (size_t o = 0; o < options->whole_count && r->edges.count < EDGES_MAX; o++) {
      add_edge(r, index, &block->points[p], &around, most, o);
    }
  }
  block->first_edge[block->point_count] = r->edges.count;
  r->edge_count += r->edges.count;
  dsm__deadline_add_work(r->costs->space->problem->inputs.deadline,
                         block->point_count * options->whole_count +
                             DSM__WORK_OF_EDGE * r->edges.count);
  dsm__held_edge *const edges = dsm__arena_array(r->arena, r->edges.count, sizeof edges[0]);
  if (edges == NULL) {
    r->is_out_of_memory = true;
  } else if (r->edges.count > 0) {
    memcpy(edges, r->edges.items, r->edges.count * sizeof edges[0]);
  }
  block->edges = edges;
}

/* Do layers from a boundary on come again as from an earlier one, whose points are the same? */
static bool is_repeated(const relaxing *r, size_t before, size_t now, const dsm__held_block *own) {
  const dsm__role_space *const space = r->costs->space;
  const dsm__held_block *const other = r->relaxed->blocks[before];
  const size_t period = now - before;
  bool is_same = own->point_count == other->point_count && own->point_count > 0 &&
                 now + period <= space->problem->inputs.workload->layer_count &&
                 memcmp(own->points, other->points, own->point_count * sizeof own->points[0]) == 0;
  for (size_t i = now - 1; is_same && i < now + period; i++) {
    is_same = space->layers[i].kind == space->layers[i - period].kind &&
              r->costs->can_hold[i] == r->costs->can_hold[i - period];
  }
  return is_same;
}

/* The boundaries of segments before this one, the latest first, to which it is compared; a period
 * of 0: none is repeated. */
static size_t period_at(const relaxing *r, size_t now, const dsm__held_block *own) {
  const dsm__role_space *const space = r->costs->space;
  size_t seen = 0;
  for (size_t before = now; before-- > 1 && seen < SEGMENTS_OF_BLOCK;) {
    if (space->layers[before - 1].is_segment_end != 0) {
      seen++;
      if (is_repeated(r, before, now, own)) {
        return now - before;
      }
    }
  }
  return 0;
}

/* Blocks of all layers. */
static void add_layers(relaxing *r) {
  const dsm__role_space *const space = r->costs->space;
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  size_t i = 0;
  while (i < layer_count && !r->is_out_of_memory && !r->relaxed->is_too_large) {
    dsm__held_block *const block = block_of(r);
    const bool is_start = /* layers with a choice are not repeated */
        r->choice == NULL && i > 0 && space->layers[i - 1].is_segment_end != 0;
    const size_t period = is_start && block != NULL ? period_at(r, i, block) : 0;
    for (size_t k = 0; k < period; k++) {
      r->relaxed->blocks[i + k] = r->relaxed->blocks[i + k - period];
    }
    if (period == 0 && block != NULL) {
      r->relaxed->blocks[i] = block;
      add_layer(r, i, block);
    }
    i += period > 0 ? period : 1; /* behind a repetition the points in hand are those before it */
    r->relaxed->is_too_large = r->edge_count >= EDGES_MAX || dsm__problem_is_over(space->problem);
  }
  r->relaxed->blocks[layer_count] = block_of(r);
}

/* From the end. */
static void find_rest(relaxing *r) {
  const size_t layer_count = r->costs->space->problem->inputs.workload->layer_count;
  for (size_t i = layer_count + 1; i-- > 0 && !r->is_out_of_memory;) {
    const dsm__held_block *const block = r->relaxed->blocks[i];
    double *const rest = dsm__arena_array(r->arena, block->point_count, sizeof *rest);
    r->relaxed->rest[i] = rest;
    r->is_out_of_memory = rest == NULL;
    for (size_t p = 0; rest != NULL && i < layer_count && p < block->point_count; p++) {
      rest[p] = HUGE_VAL;
      for (size_t e = block->first_edge[p]; e < block->first_edge[p + 1]; e++) {
        rest[p] =
            fmin(rest[p], block->edges[e].least + r->relaxed->rest[i + 1][block->edges[e].to]);
      }
    }
  }
}

/* Cost from the first point to each, of each boundary; false if out of memory. */
static bool find_before(const dsm__held_relaxed *relaxed, size_t layer_count, double **before,
                        dsm__arena *arena) {
  for (size_t i = 0; i <= layer_count; i++) {
    before[i] = dsm__arena_array(arena, relaxed->blocks[i]->point_count, sizeof(double));
    if (before[i] == NULL) {
      return false;
    }
    for (size_t p = 0; p < relaxed->blocks[i]->point_count; p++) {
      before[i][p] = i == 0 ? 0 : HUGE_VAL;
    }
  }
  for (size_t i = 0; i < layer_count; i++) {
    const dsm__held_block *const block = relaxed->blocks[i];
    for (size_t p = 0; p < block->point_count; p++) {
      for (size_t e = block->first_edge[p]; e < block->first_edge[p + 1]; e++) {
        const dsm__held_edge *const edge = &block->edges[e];
        const double cost = before[i][p] + edge->least;
        before[i + 1][edge->to] = cost < before[i + 1][edge->to] ? cost : before[i + 1][edge->to];
      }
    }
  }
  return true;
}

typedef struct charging {
  const dsm__held_relaxed *relaxed;
  double limit;
  double **before;
  double *const *added;
  size_t width;
} charging;

/* The cheapest paths on from a point before a layer, one for each charge, given those behind it. */
static void sum_point(const charging *c, size_t layer, size_t point, const double *behind,
                      double *sums) {
  const dsm__held_block *const block = c->relaxed->blocks[layer];
  const double *const more = c->added[layer];
  for (size_t k = 0; k < c->width; k++) {
    sums[k] = HUGE_VAL;
  }
  for (size_t e = block->first_edge[point]; e < block->first_edge[point + 1]; e++) {
    const dsm__held_edge *const edge = &block->edges[e];
    const double *const rest = &behind[(size_t)edge->to * c->width];
    if (c->before[layer][point] + edge->least + c->relaxed->rest[layer + 1][edge->to] > c->limit) {
      continue;
    }
    for (size_t k = 0; k < c->width; k++) {
      const double own = more != NULL ? more[(size_t)edge->option * c->width + k] : 0;
      const double cost = edge->least + rest[k] + own;
      sums[k] = cost < sums[k] ? cost : sums[k];
    }
  }
}

bool dsm__held_relaxed_charge(const dsm__held_costs *costs, const dsm__held_relaxed *relaxed,
                              double cost_limit, double *const *added, size_t width, double *cost) {
  const size_t layer_count = costs->space->problem->inputs.workload->layer_count;
  charging c = {.relaxed = relaxed, .limit = cost_limit, .added = added, .width = width};
  dsm__arena *const arena = dsm__problem_arena(costs->space->problem);
  size_t most = 0;
  for (size_t i = 0; i <= layer_count; i++) {
    most = relaxed->blocks[i]->point_count > most ? relaxed->blocks[i]->point_count : most;
  }
  double *sums = NULL;
  double *behind = NULL;
  const bool is_good = arena != NULL && DSM__RESERVE(arena, c.before, layer_count + 1) &&
                       find_before(relaxed, layer_count, c.before, arena) &&
                       DSM__RESERVE(arena, sums, most * width) &&
                       DSM__RESERVE(arena, behind, most * width);
  for (size_t k = 0; is_good && k < most * width; k++) {
    sums[k] = 0; /* behind the last layer */
  }
  for (size_t i = layer_count; is_good && i-- > 0;) {
    double *const done = behind;
    behind = sums;
    sums = done;
    for (size_t p = 0; p < relaxed->blocks[i]->point_count; p++) {
      sum_point(&c, i, p, behind, &sums[p * width]);
    }
  }
  if (is_good) {
    memcpy(cost, sums, width * sizeof *cost);
  }
  dsm__arena_free(arena);
  return is_good;
}

bool dsm__held_relaxed_find(dsm__held_costs *costs, const dsm__held_least *least, double slack,
                            dsm__held_choice choice, dsm__held_relaxed *relaxed,
                            dsm__arena *arena) {
  const dsm__role_space *const space = costs->space;
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  const dsm__held_point start = {.holdable = 0};
  const dsm__role_rooms within = dsm__rooms_within(&least->rooms, least->sum + slack);
  relaxing r = {.choice = choice,
                .costs = costs,
                .least = least,
                .slack = slack,
                .rooms = choice == NULL ? &within : NULL,
                .arena = arena,
                .relaxed = relaxed};
  *relaxed = (dsm__held_relaxed){.cost = HUGE_VAL};
  bool is_good = DSM__RESERVE(arena, relaxed->blocks, layer_count + 1) &&
                 DSM__RESERVE(arena, relaxed->rest, layer_count + 1) &&
                 DSM__RESERVE(arena, r.can, space->most_options) &&
                 DSM__RESERVE(arena, r.known, space->most_options * WAYS) &&
                 DSM__RESERVE(arena, r.asked_at, space->most_options);
  if (is_good) {
    (void)point_of(&r, &start);
    add_layers(&r);
    if (!relaxed->is_too_large && !r.is_out_of_memory) {
      find_rest(&r);
    }
    is_good = !r.is_out_of_memory && !costs->is_out_of_memory;
  }
  if (is_good && !relaxed->is_too_large) {
    relaxed->cost = relaxed->rest[0][0];
  }
  space->problem->found->role_edges += r.edge_count;
  DSM__LIST_FREE_COUNTED(&r.points, bytes_of(&r));
  DSM__LIST_FREE_COUNTED(&r.edges, bytes_of(&r));
  dsm__map_fini(&r.index);
  return is_good;
}
