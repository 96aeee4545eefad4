/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_flow.h: where the tensors of a network lie between its layers, by the layers' roles (section
 * 11). Along an axis a live tensor is either outside, and shares one outer layout with all others
 * that are, or inside: made by a column-like layer, or from such by heads, and read by heads and
 * row-like layers only; or with experts: made by a layer of experts that chips share, and read by
 * such layers of the same experts only. What is outside moves when the outer layout changes; what
 * is inside or with experts never does.
 */
#ifndef DSM_PLAN_ROLE_FLOW_H
#define DSM_PLAN_ROLE_FLOW_H

#include "dsm/model.h"
#include "model/role_row.h"
#include "plan/plan_internal.h"

/** What breaks the rules of a layer's roles along an axis. */
typedef enum dsm__role_fault {
  DSM__ROLE_FAULT_NONE = 0,
  DSM__ROLE_FAULT_SIDES,    /**< it reads some tensors inside and some outside */
  DSM__ROLE_FAULT_INSIDE,   /**< it reads tensors inside, and its role is none of theirs */
  DSM__ROLE_FAULT_EXPERTS,  /**< it reads what is with experts, and its role is not theirs */
  DSM__ROLE_FAULT_SHORTCUT, /**< what is added or multiplied lies on the other side than the output
                             */
  DSM__ROLE_FAULT_COUNT
} dsm__role_fault;

/** Outside tensors that move between the same two layouts. */
typedef struct dsm__role_move {
  dsm_layouts before;
  dsm_layouts after;
  uint64_t
      elements[DSM_AXES_MAX]; /**< a sample, times timesteps, that are outside along each axis */
} dsm__role_move;

/** What a layer's roles make of the layouts around it. */
typedef struct dsm__role_step {
  dsm__role_move entering;         /**< before it runs: to what it reads */
  dsm__role_move leaving;          /**< after: all but its output to the output's layout */
  dsm_axis_set gathered_before;    /**< axes along which an earlier layer gathers the same input,
                                        and on the way back sums its error with its own */
  dsm_axis_set gathered_in_update; /**< along which an earlier one gathers it for the update too */
  dsm_layouts made;                /**< how its output lies, */
  dsm_axis_set inside;             /**< and along which axes that is not the outer layout */
  dsm__role_fault fault;
  unsigned fault_axis;
} dsm__role_step;

/** The side of what a layer makes where it is not outside. */
static inline unsigned dsm__inner_side(const dsm_layer *maker) {
  return maker->experts > 0 ? DSM__SIDE_EXPERTS : DSM__SIDE_INSIDE;
}

/** What is wrong with a role of a layer that reads tensors of some sides. */
dsm__role_fault dsm__read_fault(const dsm_layer *layer, dsm_role role, unsigned sides);

/** Is what a layer makes with a role, of tensors of some sides, not outside? */
static inline bool dsm__is_made_inside(const dsm_layer *layer, dsm_role role, unsigned sides) {
  switch (dsm__role_rows[dsm__role_of_layer(layer, role)].makes) {
  case DSM__MADE_INSIDE:
    return true;
  case DSM__MADE_AS_READ:
    return (sides & DSM__SIDE_INSIDE) != 0;
  case DSM__MADE_WITH_EXPERTS:
    return layer->feeds_experts;
  case DSM__MADE_OUTSIDE:
    break;
  }
  return false;
}

/** May what a layer adds or multiplies lie on these sides? Tokens are multiplied by what is with
 * their experts before they return. */
static inline bool dsm__are_shortcuts_beside(const dsm_layer *layer, dsm_role role,
                                             bool is_made_inside, unsigned sides) {
  const unsigned outer =
      DSM__SIDE_OUTSIDE | (dsm__role_rows[role].reads & (unsigned)DSM__SIDE_EXPERTS);
  return (sides & ~(is_made_inside ? dsm__inner_side(layer) : outer)) == 0;
}

/** Has it a role that exchanges some of these along an axis of several chips? */
bool dsm__has_exchange(const dsm_network *network, dsm_parallelism parallelism, unsigned exchanges);

/** Does what a layer with these roles makes, reads, or adds and multiplies pass between chips on
 * its way? Then it is not held (section 7). */
bool dsm__is_output_exchanged(const dsm_network *network, dsm_parallelism parallelism);
bool dsm__is_input_exchanged(const dsm_network *network, dsm_parallelism parallelism);
bool dsm__are_shortcuts_exchanged(const dsm_network *network, dsm_parallelism parallelism);

/** Do two layers read the same tensors, for the same experts if they have any? */
bool dsm__is_same_input(const dsm_layer *a, const dsm_layer *b);

/** Has some pass of some layer roles other than data and model? */
bool dsm__has_roles(const dsm_workload *workload, const dsm__decisions *decisions);

/**
 * The steps of all layers, each with its parallelism in a pass (forward, or backward: then moves go
 * from `after` to `before`). `steps` has room for all layers. False if out of memory.
 */
bool dsm__role_steps_derive(const dsm_workload *workload, const dsm_system *system,
                            const dsm__decisions *decisions, dsm_pass pass, dsm__role_step *steps,
                            dsm__arena *arena);

/** What a move puts on the links, there or (`is_back`) on its way back. */
dsm_traffic dsm__role_move_traffic(const dsm_machine *machine, const dsm__role_move *move,
                                   double bytes_per_element, bool is_back);

#endif
