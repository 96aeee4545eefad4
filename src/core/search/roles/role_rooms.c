/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_rooms.c: what a layer may take on paths within a limit, by an outline of the graph of roles.
 *
 * A path through an edge takes what is before it, the edge, and what is behind it. Let the shortest
 * path to layer L take F(L), and all of the shortest take `least`: that is
 *
 *     least + (before - F(L)) + edge + (behind - (least - F(L)))
 *
 * Of each of both differences the least over all layers of a kind gives a bound for every one of
 * them, and a close one, since equal blocks, one after the other, have nearly the same differences.
 * So what is left out before one layer of a kind is left out before all of them.
 */
#include "search/roles/role_rooms.h"

#include <math.h>

#include "base/order.h"
#include "plan/tolerance.h"

static double least_at(const dsm__role_outline *outline, size_t boundary) {
  double least = HUGE_VAL;
  for (size_t c = 0; c < outline->state_count; c++) {
    least = dsm__smaller(least, outline->before[boundary * outline->state_count + c]);
  }
  return least;
}

/* The least of a boundary's numbers and of those that are known, over what all take. */
static void take_least(const double *numbers, double over, size_t count, double *least) {
  for (size_t c = 0; c < count; c++) {
    least[c] = numbers[c] < HUGE_VAL ? dsm__smaller(least[c], numbers[c] - over) : least[c];
  }
}

static bool find_rooms(const dsm__role_space *space, dsm__role_outline *outline, dsm__arena *arena,
                       dsm__role_rooms *rooms) {
  static const dsm__outline_rule any = {.path = 1};
  const size_t count = outline->layer_count;
  const size_t states = outline->state_count;
  if (!dsm__outline_restrict(outline, &any, HUGE_VAL)) {
    rooms->least_cost = HUGE_VAL;
    return true;
  }
  rooms->least_cost = least_at(outline, count);
  if (!DSM__RESERVE(arena, rooms->before, count) || !DSM__RESERVE(arena, rooms->behind, count) ||
      !DSM__RESERVE(arena, rooms->least_behind, count) ||
      !DSM__RESERVE(arena, rooms->others, count + 1)) {
    return false;
  }
  for (size_t i = 0; i <= count; i++) {
    rooms->others[i] = ~(UINT64_C(1) | (dsm__outline_has_twins(space, i) ? 2U : 0U));
  }
  for (size_t i = 0; i < count; i++) {
    const size_t kind = space->layers[i].kind;
    const double shortest = least_at(outline, i);
    if (kind == i) {
      if (!DSM__RESERVE(arena, rooms->before[i], states) ||
          !DSM__RESERVE(arena, rooms->behind[i], states)) {
        return false;
      }
      for (size_t c = 0; c < states; c++) {
        rooms->before[i][c] = rooms->behind[i][c] = HUGE_VAL;
      }
    }
    take_least(&outline->before[i * states], shortest, states, rooms->before[kind]);
    take_least(&outline->behind[(i + 1) * states], rooms->least_cost - shortest, states,
               rooms->behind[kind]);
    rooms->before[i] = rooms->before[kind];
    rooms->behind[i] = rooms->behind[kind];
  }
  for (size_t i = 0; i < count; i++) {
    rooms->least_behind[i] = HUGE_VAL;
    for (size_t c = 0; c < states; c++) {
      rooms->least_behind[i] = dsm__smaller(rooms->least_behind[i], rooms->behind[i][c]);
    }
  }
  return true;
}

bool dsm__role_rooms_find(const dsm__role_space *space, const dsm__outline_source *source,
                          dsm__arena *arena, dsm__role_rooms *rooms) {
  dsm__role_outline outline;
  *rooms = (dsm__role_rooms){.least_cost = 0};
  if (space->problem->is_bounding_off) {
    return true;
  }
  dsm__arena *const scratch = dsm__problem_arena(space->problem);
  const bool is_found = scratch != NULL &&
                        dsm__role_outline_find(space, source, scratch, &outline) &&
                        (outline.layer_count == 0 || find_rooms(space, &outline, arena, rooms));
  dsm__arena_free(scratch);
  return is_found;
}

/* What an option takes where nothing is held, and it is looked at. */
static dsm__cost least_with(const void *context, size_t layer_index, size_t whole, bool may_share) {
  const dsm__role_space *const space = context;
  const dsm__role_option *const option = &dsm__role_options_of(space, layer_index)->items[whole];
  const bool is_in = !option->is_dominated && dsm__is_role_open(space, layer_index, option);
  const double cost = may_share ? option->least_cost : option->cost;
  const double priced = dsm__role_priced_cost(space, layer_index, whole);
  return (dsm__cost){.micro = is_in ? cost + priced : HUGE_VAL};
}

bool dsm__open_rooms_find(const dsm__role_space *space, dsm__arena *arena, dsm__role_rooms *rooms) {
  const dsm__outline_source source = {space, least_with, 1};
  return dsm__role_rooms_find(space, &source, arena, rooms);
}

/* Of a state before a layer. */
static unsigned code_of(const dsm__role_space *space, const dsm__role_rooms *rooms, size_t index,
                        const dsm__role_state *state) {
  const unsigned axes = space->problem->machine.system->system.axis_count;
  unsigned code = 0;
  for (unsigned a = 0; a < axes; a++) {
    code |= dsm__outline_axis(a, state->outer[a], (state->inside[a] & 1U) != 0);
    code |= (state->inside[a] & rooms->others[index]) != 0 ? dsm__outline_others(axes) : 0;
  }
  return code;
}

dsm__role_rooms dsm__rooms_within(const dsm__role_rooms *rooms, double cost_limit) {
  dsm__role_rooms within = *rooms;
  if (rooms->before != NULL) {
    within.open = dsm__tie_limit(cost_limit) - rooms->least_cost;
  } else {
    within.open = isfinite(rooms->least_cost) ? HUGE_VAL : -HUGE_VAL;
  }
  return within;
}

double dsm__room_from(const dsm__role_space *space, const dsm__role_rooms *rooms,
                      size_t layer_index, const dsm__role_state *from) {
  if (rooms == NULL || !isfinite(rooms->open)) {
    return rooms == NULL ? HUGE_VAL : rooms->open;
  }
  return rooms->open - rooms->before[layer_index][code_of(space, rooms, layer_index, from)] -
         rooms->least_behind[layer_index];
}

double dsm__room_between(const dsm__role_space *space, const dsm__role_rooms *rooms,
                         size_t layer_index, const dsm__role_state *from,
                         const dsm__role_state *to) {
  if (rooms == NULL || !isfinite(rooms->open)) {
    return rooms == NULL ? HUGE_VAL : rooms->open;
  }
  return rooms->open - rooms->before[layer_index][code_of(space, rooms, layer_index, from)] -
         rooms->behind[layer_index][code_of(space, rooms, layer_index + 1, to)];
}
