/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/roles/role_states.h"

#include <assert.h>
#include <math.h>

#include "plan/holding.h"

static const dsm_layer *layer_of(const dsm__role_space *space, size_t index) {
  return &space->problem->inputs.workload->layers[index];
}

static unsigned axis_count_of(const dsm__role_space *space) {
  return space->problem->machine.system->system.axis_count;
}

static bool is_training(const dsm__role_space *space) {
  return space->problem->inputs.options->mode == DSM_MODE_TRAINING;
}

/* The lowest layer of a set is taken out of it. */
static size_t take_nearest(uint64_t *set) {
  size_t k = 0;
  while ((*set >> k & 1U) == 0) {
    k++;
  }
  *set &= *set - 1;
  return k;
}

/* Of tensors that layers before one made; is_far: and others, which are outside. */
static unsigned sides_of(const dsm__role_space *space, const dsm__role_state *s, size_t reader,
                         unsigned axis, uint64_t read, bool is_far) {
  uint64_t inside = s->inside[axis] & read;
  unsigned sides = is_far || (read & ~inside) != 0 ? DSM__SIDE_OUTSIDE : 0U;
  while (inside != 0) {
    sides |= dsm__inner_side(layer_of(space, reader - 1 - take_nearest(&inside)));
  }
  return sides;
}

/* Of what a layer reads. */
static unsigned read_sides(const dsm__role_space *space, const dsm__role_state *s, size_t reader,
                           unsigned axis) {
  const dsm__role_layer *const layer = &space->layers[reader];
  return sides_of(space, s, reader, axis, layer->read, layer->reads_far != 0);
}

/* Of what a relayout before layer `next` moves, that which is outside; the output of the layer
 * before is told apart where that has just run. */
static uint64_t outside_elements(const dsm__role_space *space, const dsm__role_state *s,
                                 size_t next, unsigned axis, bool is_behind) {
  if (next == space->problem->inputs.workload->layer_count) {
    return 0;
  }
  uint64_t elements = layer_of(space, next)->carried_elements;
  uint64_t others = space->layers[next].carried & (s->inside[axis] | (is_behind ? 1U : 0U));
  while (others != 0) {
    const dsm_layer *const maker = layer_of(space, next - 1 - take_nearest(&others));
    elements -= maker->stored_elements * maker->timesteps;
  }
  return elements;
}

static double cost_of_move(const dsm__role_space *space, const dsm__role_move *move) {
  const dsm_workload *const workload = space->problem->inputs.workload;
  const double bytes = (double)workload->minibatch * workload->element_bytes;
  const dsm_machine *const machine = &space->problem->machine;
  const dsm_traffic there = dsm__role_move_traffic(machine, move, bytes, false);
  const dsm__search_inputs *const inputs = &space->problem->inputs;
  const double micro_batches = inputs->micro_batches > 0 ? (double)inputs->micro_batches : 1;
  const dsm__cost one = dsm__traffic_cost(machine, &there);
  dsm__cost cost = {.micro = micro_batches * one.micro, .joules = micro_batches * one.joules};
  if (is_training(space)) {
    const dsm_traffic back = dsm__role_move_traffic(machine, move, bytes, true);
    const dsm__cost other = dsm__traffic_cost(machine, &back);
    cost.micro += (micro_batches - inputs->hidden_moves) * other.micro;
    cost.joules += micro_batches * other.joules;
  }
  return dsm__price(&inputs->prices, &cost);
}

/* What moves nowhere takes nothing. */
double dsm__role_move_cost(const dsm__role_space *space, const dsm__role_move *move) {
  const dsm__problem *const problem = space->problem;
  dsm__memo_move_key key = {.minibatch = problem->inputs.workload->minibatch,
                            .micro_batches = problem->inputs.micro_batches};
  uint64_t moved = 0;
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    key.elements[a] = move->elements[a];
    key.layouts = key.layouts << 4 | (uint64_t)move->before.of[a] << 2 | move->after.of[a];
    moved |= move->elements[a];
  }
  if (moved == 0) {
    return 0;
  }
  double unkept = (double)NAN;
  double *const cost =
      problem->role_memo == NULL ? &unkept : dsm__memo_move(problem->role_memo, &key);
  *cost = isnan(*cost) ? cost_of_move(space, move) : *cost;
  return *cost;
}

/* Of a role along an axis. */
static dsm__role_entry entry_of(const dsm__role_space *space, const dsm__role_surroundings *around,
                                unsigned axis, dsm_role role) {
  const dsm_layer *const layer = layer_of(space, around->index);
  const unsigned sides = around->sides[axis];
  const bool is_read_inside = (sides & ~(unsigned)DSM__SIDE_OUTSIDE) != 0;
  const uint32_t asked = (uint32_t)dsm_role_input_layout(role);
  const bool is_moved = !is_read_inside && around->from->outer[axis] != asked;
  const bool may_share = dsm__role_has(role, DSM__ROLE_SHARES_INPUT);
  return (dsm__role_entry){
      .is_possible = dsm__read_fault(layer, role, sides) == DSM__ROLE_FAULT_NONE &&
                     dsm__are_shortcuts_beside(layer, role, dsm__is_made_inside(layer, role, sides),
                                               around->shortcut_sides[axis]),
      .is_moved = is_moved,
      .outer = asked,
      .is_gathered =
          !is_moved && may_share && (is_read_inside || dsm_axis_set_has(around->gathered, axis))};
}

/* An earlier layer gathers the same input along an axis; with the same role, if what is outside
 * does not move before this layer: which of the two roles it has the outer layout tells. */
dsm__role_surroundings dsm__role_look_around(const dsm__role_space *space,
                                             const dsm__role_state *from, size_t index) {
  const dsm__role_layer *const layer = &space->layers[index];
  dsm__role_surroundings around = {.from = from, .index = index};
  assert(axis_count_of(space) <= DSM_AXES_MAX);
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    around.sides[a] = read_sides(space, from, index, a);
    around.shortcut_sides[a] = sides_of(space, from, index, a, layer->added, layer->adds_far != 0);
    around.outside[a] = outside_elements(space, from, index, a, false);
    around.gathered |= (from->gathered[a] & layer->same) != 0 ? 1U << a : 0U;
    around.gathered_again |= (from->gathered_again[a] & layer->same) != 0 ? 1U << a : 0U;
    for (int r = 0; r < DSM_ROLE_COUNT; r++) {
      around.entries[a][r] = entry_of(space, &around, a, (dsm_role)r);
    }
  }
  for (size_t m = 0; m < DSM__COUNT_OF(around.moves); m++) {
    around.moves[m] = -1;
  }
  return around;
}

double dsm__role_entering_cost(const dsm__role_space *space, dsm__role_surroundings *around,
                               const dsm__role_state *to) {
  size_t number = 0;
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    number |= (size_t)to->outer[a] << 2 * a;
  }
  if (around->moves[number] < 0) {
    dsm__role_move move = {.elements = {0}};
    for (unsigned a = 0; a < axis_count_of(space); a++) {
      move.after.of[a] = (dsm_layout)to->outer[a];
      move.before.of[a] =
          around->index == 0 ? move.after.of[a] : (dsm_layout)around->from->outer[a];
      move.elements[a] = move.before.of[a] != move.after.of[a] ? around->outside[a] : 0;
    }
    around->moves[number] = dsm__role_move_cost(space, &move);
  }
  return around->moves[number];
}

bool dsm__role_enter(const dsm__role_space *space, const dsm__role_surroundings *around,
                     const dsm__role_option *option, dsm__role_state *to,
                     dsm__role_shares *shared) {
  const dsm__role_entry *entries[DSM_AXES_MAX];
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    entries[a] = &around->entries[a][dsm_parallelism_role(option->parallelism, a)];
    if (!entries[a]->is_possible) {
      return false;
    }
  }
  *to = *around->from;
  *shared = (dsm__role_shares){0, 0};
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    if (entries[a]->is_moved) {
      to->outer[a] = entries[a]->outer;
      to->gathered[a] = 0;
      to->gathered_again[a] = 0;
    } else if (entries[a]->is_gathered) {
      shared->both |= 1U << a;
    }
  }
  shared->in_update = shared->both & option->gathers & around->gathered_again;
  return true;
}

bool dsm__role_leave(const dsm__role_space *space, const dsm__role_state *from, size_t index,
                     const dsm__role_option *option, dsm__role_state *to, dsm__role_move *move) {
  const dsm_layer *const layer = layer_of(space, index);
  const size_t last = dsm__last_use(layer);
  const bool is_live = (space->layers[index].live & 1U) != 0;
  *to = *from;
  to->option = 0;
  if (space->layers[index].is_segment_end != 0 && !option->is_output_recomputed) {
    to->again_bytes = 0;
  }
  *move = (dsm__role_move){.elements = {0}};
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    const dsm_role role = dsm_parallelism_role(option->parallelism, a);
    const unsigned sides = read_sides(space, from, index, a);
    const bool is_made_inside = dsm__is_made_inside(layer, role, sides);
    const bool is_gathering = dsm__role_has(role, DSM__ROLE_SHARES_INPUT);
    if (is_made_inside && is_live && last - index > DSM__ROLE_REACH) {
      return false;
    }
    /* But what has just been read for the last time. */
    to->inside[a] = (to->inside[a] << 1 | (is_made_inside ? 1U : 0U)) & space->layers[index].live;
    to->gathered[a] = (to->gathered[a] << 1 | (is_gathering ? 1U : 0U)) &
                      space->layers[index].alike & to->inside[a];
    to->gathered_again[a] =
        (to->gathered_again[a] << 1 | (dsm_axis_set_has(option->gathers, a) ? 1U : 0U)) &
        to->gathered[a];
    if (!is_made_inside && to->outer[a] != (uint32_t)dsm_role_output_layout(role)) {
      to->outer[a] = (uint32_t)dsm_role_output_layout(role);
      to->gathered[a] = 0;
      to->gathered_again[a] = 0;
    }
    move->before.of[a] = (dsm_layout)from->outer[a];
    move->after.of[a] = (dsm_layout)to->outer[a];
    if (move->before.of[a] != move->after.of[a]) {
      move->elements[a] = outside_elements(space, to, index + 1, a, true);
    }
  }
  return true;
}

size_t dsm__role_option_index(const dsm__role_options *options, size_t whole,
                              dsm__role_shares shared) {
  size_t i = whole;
  if (shared.both != 0) {
    i = options->items[whole].first_shared;
    while (i < options->count &&
           (!dsm__is_same_option(&options->items[i], &options->items[whole]) ||
            options->items[i].shares.both != shared.both ||
            options->items[i].shares.in_update != shared.in_update)) {
      i++;
    }
  }
  return i;
}
