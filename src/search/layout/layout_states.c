/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layout/layout_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool dsm__layout_states_init(dsm__layout_states *states, size_t node_count) {
  *states = (dsm__layout_states){.count = 0};
  states->first = malloc(node_count * sizeof states->first[0]);
  states->last = malloc(node_count * sizeof states->last[0]);
  for (size_t v = 0; states->first != NULL && v < node_count; v++) {
    states->first[v] = DSM__NO_STATE;
  }
  return states->first != NULL && states->last != NULL;
}

void dsm__layout_states_fini(dsm__layout_states *states) {
  free(states->items);
  free(states->pool.items);
  free(states->first);
  free(states->last);
  dsm__map_fini(&states->index);
}

/* A node with choices. All states of a node have as many. */
typedef struct state_key {
  uint32_t node;
  const uint32_t *choices;
  size_t count;
} state_key;

static bool is_state(const void *context, size_t index, const void *key) {
  const dsm__layout_states *const states = context;
  const dsm__layout_state *const state = &states->items[index];
  const state_key *const of = key;
  return state->node == of->node && memcmp(&states->pool.items[state->choices], of->choices,
                                           of->count * sizeof of->choices[0]) == 0;
}

uint32_t dsm__layout_state_find(dsm__layout_states *states, uint32_t node, const uint32_t *choices,
                                size_t choice_count) {
  const state_key key = {node, choices, choice_count};
  const uint32_t hash = dsm__map_hash(node, choices, choice_count * sizeof *choices);
  const size_t known = dsm__map_find(&states->index, hash, is_state, states, &key);
  if (known != DSM__MAP_NONE) {
    return (uint32_t)known;
  }
  const size_t index = states->count;
  if (!DSM__LIST_RESERVE(states, 1) || !DSM__LIST_RESERVE(&states->pool, choice_count + 1) ||
      !dsm__map_add(&states->index, hash, index)) {
    return DSM__NO_STATE;
  }
  memcpy(&states->pool.items[states->pool.count], choices, choice_count * sizeof *choices);
  states->items[states->count++] =
      (dsm__layout_state){HUGE_VAL, states->pool.count, node, DSM__NO_STATE, DSM__NO_STATE};
  states->pool.count += choice_count;
  if (states->first[node] == DSM__NO_STATE) {
    states->first[node] = (uint32_t)index;
  } else {
    states->items[states->last[node]].next = (uint32_t)index;
  }
  states->last[node] = (uint32_t)index;
  return (uint32_t)index;
}
