/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_states.h: the nodes of a free graph with layouts of what they need (layout_graph.h). */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_STATES_H
#define DSM_SEARCH_LAYOUT_LAYOUT_STATES_H

#include "base/growing_list.h"
#include "base/map.h"

/** No state. */
#define DSM__NO_STATE UINT32_MAX

/** A node with a choice for each tensor that it needs. */
typedef struct dsm__layout_state {
  double before;   /**< least cycles from the first node */
  size_t choices;  /**< where they begin in the pool */
  uint32_t node;   /**< of the free graph */
  uint32_t number; /**< in the order of processing; DSM__NO_STATE: not processed */
  uint32_t next;   /**< of the same node */
} dsm__layout_state;

typedef struct dsm__layout_states {
  dsm__layout_state *items;
  size_t count;
  size_t capacity;
  DSM__LIST(uint32_t) pool; /**< choices of all states */
  uint32_t *first;          /**< of each node: its first state */
  uint32_t *last;           /**< and its last */
  dsm__map index;           /**< of the states */
} dsm__layout_states;

/** No states of so many nodes; false if out of memory. dsm__layout_states_fini in any case. */
bool dsm__layout_states_init(dsm__layout_states *states, size_t node_count);
void dsm__layout_states_fini(dsm__layout_states *states);

/** The state of a node with some choices, a new one (before infinite) if there is none;
 * DSM__NO_STATE if out of memory. */
uint32_t dsm__layout_state_find(dsm__layout_states *states, uint32_t node, const uint32_t *choices,
                                size_t choice_count);

#endif
