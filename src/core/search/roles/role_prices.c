/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_prices.c: what bytes cost where memory is short.
 *
 * A mapping that fits keeps K bytes and needs T more at some time, with K + T at most the memory M.
 * With a price p of a byte it takes C = C + p K - p K, no less than what all paths take of C + p K
 * less p (M - T) at the least T: a bound (a Lagrangian relaxation, as in graph_relax.c), and a
 * measure of what options are worth looking at. Options that are fast but keep much are as far from
 * the least of it as those that keep little but are slow, so that graphs of those that are near it
 * stay small, and have what fits.
 *
 * What is made anew counts too. While the last layer of a segment runs backward all that the
 * segment makes anew is there: T is no less than that with what this layer needs, in any segment,
 * and so no less than a mean over some segments; here those that can make most anew. So what a
 * layer makes anew has a part of the price of what it keeps, in a network of one segment all of it.
 */
#include "search/roles/role_prices.h"

#include <math.h>

#include "plan/tolerance.h"

static size_t layer_count_of(const dsm__role_space *space) {
  return space->problem->inputs.workload->layer_count;
}

void dsm__role_least_find(dsm__role_space *space) {
  for (size_t i = 0; i < layer_count_of(space); i++) {
    const dsm__role_options *const options = dsm__role_options_of(space, i);
    space->least[i] = HUGE_VAL;
    for (size_t o = 0; o < options->whole_count; o++) {
      const double cost = options->items[o].least_cost + dsm__role_priced_cost(space, i, o);
      space->least[i] = dsm__is_role_open(space, i, &options->items[o])
                            ? fmin(space->least[i], cost)
                            : space->least[i];
    }
  }
}

/* ---- bytes ---- */

/* Of a segment, at its last layer. */
typedef struct segment_end {
  double again_bytes;     /* that its layers can make anew at most */
  double transient_bytes; /* that its last layer needs at least */
  double share;           /* of all its layers in the mean; of each layer: of those of its kind */
} segment_end;

/* What a layer keeps with each option, once for layers of a kind. False if out of memory. */
static bool find_kept(dsm__role_space *space, size_t index, segment_end *at) {
  const size_t kind = space->layers[index].kind;
  const size_t count = dsm__role_options_of(space, index)->whole_count;
  at->transient_bytes = HUGE_VAL;
  if (kind < index) {
    space->bytes[index] = space->bytes[kind];
  } else if (!DSM__RESERVE(space->problem->arena, space->bytes[index], count)) {
    return false;
  }
  for (size_t o = 0; o < count; o++) {
    const dsm_layer_memory memory = dsm__role_memory_of(space, index, o);
    space->bytes[index][o] = dsm__kept_bytes(&memory);
    at->transient_bytes = fmin(at->transient_bytes, memory.transient_bytes);
    at->again_bytes = fmax(at->again_bytes, memory.recomputed_bytes);
  }
  return true;
}

static bool is_end(const dsm__role_space *space, size_t index) {
  return space->layers[index].is_segment_end != 0 || index + 1 == layer_count_of(space);
}

/* The mean over segments that can make anew at least half as much as any: what of it counts of each
 * layer, of those of a kind the least, and what is left for what is kept. */
static void find_shares(dsm__role_space *space, segment_end *ends) {
  const size_t count = layer_count_of(space);
  double most = 0;
  double chosen = 0;
  double share = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, ends[i].again_bytes);
    if (!is_end(space, i)) {
      ends[i + 1].again_bytes += ends[i].again_bytes;
      ends[i].again_bytes = 0;
    }
  }
  for (size_t i = 0; i < count; i++) {
    chosen += ends[i].again_bytes > most / 2 ? 1 : 0;
  }
  space->room_bytes = chosen > 0 ? space->problem->capacity_bytes : space->room_bytes;
  for (size_t i = count; i-- > 0;) {
    if (is_end(space, i)) {
      share = ends[i].again_bytes > most / 2 ? 1 / chosen : 0;
      space->room_bytes -= share > 0 ? share * ends[i].transient_bytes : 0;
    }
    ends[i].share = share;
  }
  for (size_t i = 0; i < count; i++) {
    segment_end *const of_kind = &ends[space->layers[i].kind];
    of_kind->share = fmin(of_kind->share, ends[i].share);
  }
}

/* Bytes that have the price, of each layer and option. False if out of memory. */
static bool find_bytes(dsm__role_space *space) {
  dsm__arena *const arena = space->problem->arena;
  const size_t count = layer_count_of(space);
  segment_end *ends = NULL;
  bool is_good = DSM__RESERVE(arena, space->bytes, count) && DSM__RESERVE(arena, ends, count);
  for (size_t i = 0; i < count && is_good; i++) {
    is_good = find_kept(space, i, &ends[i]);
  }
  if (!is_good) {
    return false;
  }
  find_shares(space, ends);
  for (size_t i = 0; i < count; i++) {
    const size_t options = space->layers[i].kind == i && ends[i].share > 0
                               ? dsm__role_options_of(space, i)->whole_count
                               : 0;
    for (size_t o = 0; o < options; o++) {
      space->bytes[i][o] += ends[i].share * dsm__role_memory_of(space, i, o).recomputed_bytes;
    }
  }
  return true;
}

static dsm__cost bytes_with(const void *context, size_t layer_index, size_t whole, bool may_share) {
  const dsm__role_space *const space = context;
  const dsm__role_option *const option = &dsm__role_options_of(space, layer_index)->items[whole];
  const bool is_in = !option->is_dominated && dsm__is_role_open(space, layer_index, option);
  (void)may_share;
  return (dsm__cost){.micro = is_in ? space->bytes[layer_index][whole] : HUGE_VAL};
}

/* What all paths need of a chip's memory at least, and with it what each option leaves to the rest.
 */
static bool find_need(dsm__role_space *space, double *need_bytes) {
  const dsm__outline_source source = {space, bytes_with, HUGE_VAL}; /* what moves keeps nothing */
  dsm__arena *const arena = space->problem->arena;
  dsm__role_rooms *rooms = NULL;
  if (!DSM__RESERVE(arena, rooms, 1) || !dsm__role_rooms_find(space, &source, arena, rooms)) {
    return false;
  }
  *need_bytes = rooms->least_cost + space->problem->capacity_bytes - space->room_bytes;
  *rooms = dsm__rooms_within(rooms, space->room_bytes);
  space->byte_rooms = rooms;
  return true;
}

/* ---- the price ---- */

static bool take_price(dsm__role_space *space, double price, dsm__arena *arena,
                       dsm__role_rooms *rooms) {
  space->price = price;
  space->paid_cost = price * space->room_bytes;
  dsm__role_least_find(space);
  const bool is_found = dsm__open_rooms_find(space, arena, rooms);
  rooms->least_cost -= space->paid_cost;
  return is_found;
}

/* Is what a price proves more than what is proven so far? Then it is taken as the best. */
static bool try_price(dsm__role_space *space, double price, double *best, double *most,
                      bool *is_more) {
  dsm__arena *const arena = dsm__problem_arena(space->problem);
  dsm__role_rooms rooms = {.least_cost = 0};
  const bool is_found = arena != NULL && take_price(space, price, arena, &rooms);
  dsm__arena_free(arena);
  *is_more = is_found && rooms.before != NULL && rooms.least_cost > *most;
  if (*is_more) {
    *best = price;
    *most = rooms.least_cost;
  }
  return is_found;
}

/* What is proven grows with the price and then falls, a concave function. */
static bool find_best(dsm__role_space *space, double least_cost, double *best) {
  enum { STEPS_MAX = 16 };
  static const double first = 0.01; /* of the cost of all of the room */
  static const double step = 4;
  double most = least_cost;
  double price = first * least_cost / space->room_bytes;
  bool is_more = true;
  *best = 0;
  for (int k = 0; k < STEPS_MAX && is_more; k++) {
    if (!try_price(space, price, best, &most, &is_more)) {
      return false;
    }
    price *= step;
  }
  const double coarse = *best;
  return coarse <= 0 || (try_price(space, coarse / 2, best, &most, &is_more) &&
                         (is_more || try_price(space, coarse * 2, best, &most, &is_more)));
}

bool dsm__role_prices_find(dsm__role_space *space, dsm__role_rooms *rooms, double *need_bytes) {
  const dsm__problem *const problem = space->problem;
  double best = 0;
  bool is_good = find_bytes(space) && find_need(space, need_bytes);
  if (is_good && *need_bytes <= dsm__capacity_limit(problem->capacity_bytes) &&
      space->room_bytes > 0) {
    is_good = find_best(space, rooms->least_cost, &best);
    best = dsm__deadline_is_final(problem->inputs.deadline) ? 0 : best;
    is_good = is_good && take_price(space, best, problem->arena, rooms);
  }
  return is_good;
}
