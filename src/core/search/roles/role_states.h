/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_states.h: what later costs depend on between two layers with roles, and how a layer with its
 * roles leads from one such state to another (section 11). */
#ifndef DSM_SEARCH_ROLES_ROLE_STATES_H
#define DSM_SEARCH_ROLES_ROLE_STATES_H

#include "plan/role_flow.h"
#include "search/roles/role_graph.h"

/** Along all axes. No padding: compared as bytes. */
typedef struct dsm__role_state {
  uint64_t inside[DSM_AXES_MAX];   /**< bit k: what the layer k + 1 before made is live, and inside
                                        or with its experts */
  uint64_t gathered[DSM_AXES_MAX]; /**< of these: its input lies gathered, and a later layer reads
                                        it too, */
  uint64_t gathered_again[DSM_AXES_MAX]; /**< of these: in update too */
  double again_bytes;                    /**< made anew in this segment so far */
  uint32_t outer[DSM_AXES_MAX];          /**< dsm_layout */
  uint32_t option;                       /**< of a layer's node, + 1; 0: between layers */
} dsm__role_state;

/** A layer's role along an axis, out of a state before it. */
typedef struct dsm__role_entry {
  bool is_possible;
  bool is_moved;    /**< what is outside moves to the layout that it reads, */
  uint32_t outer;   /**< this one */
  bool is_gathered; /**< what it gathers has been gathered: another layer's */
} dsm__role_entry;

/** What all of a layer's roles ask of a state before it, along each axis. */
typedef struct dsm__role_surroundings {
  const dsm__role_state *from;
  size_t index;
  unsigned sides[DSM_AXES_MAX]; /**< of what it reads */
  unsigned shortcut_sides[DSM_AXES_MAX];
  uint64_t outside[DSM_AXES_MAX]; /**< elements */
  dsm_axis_set gathered;          /**< an earlier layer gathers the same input, */
  dsm_axis_set gathered_again;    /**< in update too */
  dsm__role_entry entries[DSM_AXES_MAX][DSM_ROLE_COUNT];
  double moves[1 << 2 * DSM_AXES_MAX]; /**< cost to the outer layouts with this number; below 0:
                                            not known */
} dsm__role_surroundings;

/** Of a state before a layer. */
dsm__role_surroundings dsm__role_look_around(const dsm__role_space *space,
                                             const dsm__role_state *from, size_t index);

/** The state in which a layer runs with roles, out of one before it; false if it cannot. `shared`:
 * axes along which its gathers are another's. */
bool dsm__role_enter(const dsm__role_space *space, const dsm__role_surroundings *around,
                     const dsm__role_option *option, dsm__role_state *to, dsm__role_shares *shared);

/** What it costs to move what is outside to the layouts of that state. The network's input lies as
 * its first reader wants it. */
double dsm__role_entering_cost(const dsm__role_space *space, dsm__role_surroundings *around,
                               const dsm__role_state *to);

/** The state behind a layer that ran with roles; and the move that it makes of what is outside.
 * False if what is inside lives for too long. */
bool dsm__role_leave(const dsm__role_space *space, const dsm__role_state *from, size_t index,
                     const dsm__role_option *option, dsm__role_state *to, dsm__role_move *move);

/** What a move costs, in training there and back, in all micro-batches. */
double dsm__role_move_cost(const dsm__role_space *space, const dsm__role_move *move);

/** With gathers shared along some axes, a layer's option is another one. */
size_t dsm__role_option_index(const dsm__role_options *options, size_t whole,
                              dsm__role_shares shared);

#endif
