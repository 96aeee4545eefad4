/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/role_flow.h"

#include "base/arena.h"
#include "plan/holding.h"

/* Layers one after the other. */
typedef struct flow {
  const dsm_workload *workload;
  const dsm_network *network;
  const dsm__decisions *decisions;
  dsm_pass pass;
  dsm__role_step *steps;
  dsm_axis_set *inside; /* of each layer: along which axes its output is inside */
  dsm_layouts outer;
  size_t unmoved_since[DSM_AXES_MAX]; /* the first layer behind the latest change of it */
} flow;

/* On an axis of one chip every role but those of words is data. */
static dsm_role role_in(const flow *f, size_t layer, dsm_pass pass, unsigned axis) {
  const dsm_role role = dsm_parallelism_role(f->decisions->layers[layer].layouts.of[pass], axis);
  return f->network->axes[axis].chips == 1 && !dsm__role_is_of_words(role) ? DSM__ROLE_DEFAULT
                                                                           : role;
}

static dsm_role role_of(const flow *f, size_t layer, unsigned axis) {
  return role_in(f, layer, f->pass, axis);
}

/* Is a layer's input gathered for its update as it is in this pass? */
static bool is_gathered_again(const flow *f, size_t layer, unsigned axis) {
  return dsm__role_has(role_of(f, layer, axis), DSM__ROLE_GATHERS_INPUT) &&
         dsm__role_has(role_in(f, layer, DSM_PASS_UPDATE, axis), DSM__ROLE_GATHERS_INPUT);
}

/* Sides of a list of tensors. */
static unsigned sides_of(const flow *f, const size_t *layers, size_t count, unsigned axis) {
  unsigned sides = 0;
  for (size_t i = 0; i < count; i++) {
    const bool is_inside =
        layers[i] != DSM_NETWORK_INPUT && dsm_axis_set_has(f->inside[layers[i]], axis);
    sides |= is_inside ? dsm__inner_side(&f->workload->layers[layers[i]]) : DSM__SIDE_OUTSIDE;
  }
  return sides;
}

/* Of the tensors that a relayout before layer `next` would move, those that are outside. */
static uint64_t outside_elements(const flow *f, size_t next, unsigned axis, size_t except) {
  const dsm_layer *const layers = f->workload->layers;
  uint64_t elements = next < f->workload->layer_count ? layers[next].carried_elements : 0;
  for (size_t i = 0; i < next && elements > 0; i++) {
    const bool is_carried = layers[i].last_use != DSM_NEVER_USED && layers[i].last_use >= next;
    if (is_carried && (dsm_axis_set_has(f->inside[i], axis) || i == except)) {
      elements -= layers[i].stored_elements * layers[i].timesteps;
    }
  }
  return elements;
}

bool dsm__is_same_input(const dsm_layer *a, const dsm_layer *b) {
  const bool are_experts_same =
      a->experts == b->experts && a->routed == b->routed && (a->experts == 0 || a->ij == b->ij);
  bool is_same = are_experts_same && a->producer_count == b->producer_count;
  for (size_t i = 0; is_same && i < a->producer_count; i++) {
    is_same = a->producers[i] == b->producers[i];
  }
  return is_same;
}

/* Column-like layers that read the same tensors gather them once, and sum their errors once: the
 * first, which is the last on the way back, is charged both; and so are tokens sent once to the
 * same experts.
 * Only while what one of them has made is live, inside or with experts, and what is outside has not
 * moved since: what was gathered of it would have to be kept beside it. In update only layers share
 * that gather then too. */
static void share_gathers(const flow *f, size_t index, unsigned axis) {
  const dsm_layer *const layers = f->workload->layers;
  for (size_t i = index; i-- > f->unmoved_since[axis];) {
    const size_t last = dsm__last_use(&layers[i]);
    if (role_of(f, i, axis) != role_of(f, index, axis) ||
        !dsm__is_same_input(&layers[i], &layers[index])) {
      continue;
    }
    if (last != DSM_NEVER_USED && last >= index && dsm_axis_set_has(f->inside[i], axis)) {
      f->steps[index].gathered_before |= 1U << axis;
      if (!is_gathered_again(f, index, axis) || is_gathered_again(f, i, axis)) {
        f->steps[index].gathered_in_update |= is_gathered_again(f, index, axis) ? 1U << axis : 0U;
        return;
      }
    }
  }
}

static void note_fault(dsm__role_step *step, dsm__role_fault fault, unsigned axis) {
  if (step->fault == DSM__ROLE_FAULT_NONE) {
    step->fault = fault;
    step->fault_axis = axis;
  }
}

dsm__role_fault dsm__read_fault(const dsm_layer *layer, dsm_role role, unsigned sides) {
  if ((sides & (sides - 1)) != 0) {
    return DSM__ROLE_FAULT_SIDES;
  }
  const unsigned read = dsm__role_rows[dsm__role_of_layer(layer, role)].reads;
  if ((sides & ~read) == 0) {
    return DSM__ROLE_FAULT_NONE;
  }
  return sides == DSM__SIDE_INSIDE ? DSM__ROLE_FAULT_INSIDE : DSM__ROLE_FAULT_EXPERTS;
}

static void step_along(flow *f, size_t index, unsigned axis) {
  const dsm_layer *const layer = &f->workload->layers[index];
  const dsm_role role = role_of(f, index, axis);
  dsm__role_step *const step = &f->steps[index];
  const unsigned sides = sides_of(f, layer->producers, layer->producer_count, axis) |
                         sides_of(f, layer->operands, layer->operand_count, axis);
  const bool is_read_inside = (sides & ~(unsigned)DSM__SIDE_OUTSIDE) != 0;
  note_fault(step, dsm__read_fault(layer, role, sides), axis);
  step->entering.before.of[axis] = f->outer.of[axis];
  if (!is_read_inside) {
    f->outer.of[axis] = dsm_role_input_layout(role);
  }
  step->entering.after.of[axis] = f->outer.of[axis];
  if (step->entering.before.of[axis] != step->entering.after.of[axis]) {
    f->unmoved_since[axis] = index;
    step->entering.elements[axis] = outside_elements(f, index, axis, SIZE_MAX);
  }
  const bool is_made_inside = dsm__is_made_inside(layer, role, sides);
  const unsigned shortcut_sides = sides_of(f, layer->shortcuts, layer->shortcut_count, axis);
  if (!dsm__are_shortcuts_beside(layer, role, is_made_inside, shortcut_sides)) {
    note_fault(step, DSM__ROLE_FAULT_SHORTCUT, axis);
  }
  if (dsm__role_has(role, DSM__ROLE_SENDS_TOKENS) && is_read_inside) {
    step->gathered_before |= 1U << axis;
  } else if (dsm__role_has(role, DSM__ROLE_SHARES_INPUT)) {
    share_gathers(f, index, axis);
  }
  f->inside[index] |= is_made_inside ? 1U << axis : 0U;
  step->inside = f->inside[index];
  step->made.of[axis] = dsm_role_output_layout(role);
  step->leaving.before.of[axis] = f->outer.of[axis];
  if (!is_made_inside) {
    f->outer.of[axis] = dsm_role_output_layout(role);
  }
  step->leaving.after.of[axis] = f->outer.of[axis];
  if (step->leaving.before.of[axis] != step->leaving.after.of[axis]) {
    f->unmoved_since[axis] = index + 1;
    step->leaving.elements[axis] = outside_elements(f, index + 1, axis, index);
  }
}

bool dsm__has_exchange(const dsm_network *network, dsm_parallelism parallelism,
                       unsigned exchanges) {
  bool has = false;
  for (unsigned a = 0; a < network->axis_count; a++) {
    has = has || (network->axes[a].chips > 1 &&
                  dsm__role_has(dsm_parallelism_role(parallelism, a), exchanges));
  }
  return has;
}

bool dsm__is_output_exchanged(const dsm_network *network, dsm_parallelism parallelism) {
  return dsm__has_exchange(network, parallelism,
                           DSM__ROLE_SCATTERS_OUTPUT | DSM__ROLE_SENDS_TOKENS);
}

bool dsm__is_input_exchanged(const dsm_network *network, dsm_parallelism parallelism) {
  return dsm__has_exchange(network, parallelism, DSM__ROLE_GATHERS_INPUT | DSM__ROLE_SENDS_TOKENS);
}

bool dsm__are_shortcuts_exchanged(const dsm_network *network, dsm_parallelism parallelism) {
  return dsm__has_exchange(network, parallelism, DSM__ROLE_SENDS_TOKENS);
}

bool dsm__has_roles(const dsm_workload *workload, const dsm__decisions *decisions) {
  bool is_any = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      is_any = is_any || dsm_parallelism_has_roles(decisions->layers[i].layouts.of[p]);
    }
  }
  return is_any;
}

bool dsm__role_steps_derive(const dsm_workload *workload, const dsm_system *system,
                            const dsm__decisions *decisions, dsm_pass pass, dsm__role_step *steps,
                            dsm__arena *arena) {
  flow f = {.workload = workload,
            .network = &system->system,
            .decisions = decisions,
            .pass = pass,
            .steps = steps,
            .inside = dsm__arena_array(arena, workload->layer_count, sizeof *f.inside)};
  if (f.inside == NULL) {
    return false;
  }
  /* The network's input lies as its first reader wants it. */
  f.outer = dsm_input_layouts(decisions->layers[0].layouts.of[pass]);
  for (size_t i = 0; i < workload->layer_count; i++) {
    steps[i] = (dsm__role_step){.fault = DSM__ROLE_FAULT_NONE};
    for (unsigned a = 0; a < f.network->axis_count; a++) {
      step_along(&f, i, a);
    }
  }
  return true;
}

/* As many bytes move along axes along which as many elements are outside. */
dsm_traffic dsm__role_move_traffic(const dsm_machine *machine, const dsm__role_move *move,
                                   double bytes_per_element, bool is_back) {
  const unsigned axis_count = machine->system->system.axis_count;
  dsm_traffic sum = {.latency_cycles = 0};
  dsm_axis_set done = 0;
  for (unsigned a = 0; a < axis_count; a++) {
    if (dsm_axis_set_has(done, a) || move->elements[a] == 0) {
      continue;
    }
    dsm_layouts before = is_back ? move->after : move->before;
    dsm_layouts after = before;
    for (unsigned b = a; b < axis_count; b++) {
      if (move->elements[b] == move->elements[a]) {
        after.of[b] = is_back ? move->before.of[b] : move->after.of[b];
        done |= 1U << b;
      }
    }
    const dsm_traffic one =
        dsm_layout_traffic(machine, (double)move->elements[a] * bytes_per_element, &before, &after);
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      sum.bytes[l] += one.bytes[l];
    }
    sum.latency_cycles += one.latency_cycles;
  }
  return sum;
}
