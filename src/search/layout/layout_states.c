/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layout/layout_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool dsm__reserve(void **items, size_t count, size_t more, size_t *capacity, size_t size) {
  if (count + more <= *capacity) {
    return true;
  }
  size_t larger = *capacity == 0 ? 1024 : 2 * *capacity;
  larger = larger < count + more ? count + more : larger;
  void *const moved = realloc(*items, larger * size);
  if (moved == NULL) {
    return false;
  }
  *items = moved;
  *capacity = larger;
  return true;
}

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
  free(states->pool);
  free(states->first);
  free(states->last);
  free(states->slots);
}

static size_t hash_of(uint32_t node, const uint32_t *choices, size_t count) {
  uint64_t hash = 14695981039346656037U ^ node;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ choices[i]) * 1099511628211U;
    hash ^= hash >> 29;
  }
  hash *= 1099511628211U;
  return (size_t)(hash ^ hash >> 32);
}

/* The slot of a state, or the empty one where it belongs. All states of a node have as many
 * choices. */
static size_t find_slot(const dsm__layout_states *states, uint32_t node, const uint32_t *choices,
                        size_t count) {
  size_t slot = hash_of(node, choices, count) & (states->slot_count - 1);
  while (states->slots[slot] != 0) {
    const dsm__layout_state *const other = &states->items[states->slots[slot] - 1];
    if (other->node == node &&
        memcmp(&states->pool[other->choices], choices, count * sizeof *choices) == 0) {
      break;
    }
    slot = (slot + 1) & (states->slot_count - 1);
  }
  return slot;
}

/* Keeps the table of slots at most half full. */
static bool grow_slots(dsm__layout_states *states) {
  if (2 * (states->count + 1) <= states->slot_count) {
    return true;
  }
  const size_t larger = states->slot_count == 0 ? 4096 : 2 * states->slot_count;
  uint32_t *const slots = calloc(larger, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  free(states->slots);
  states->slots = slots;
  states->slot_count = larger;
  for (size_t s = 0; s < states->count; s++) {
    const dsm__layout_state *const one = &states->items[s];
    const size_t end = s + 1 < states->count ? states->items[s + 1].choices : states->pool_count;
    const size_t slot =
        find_slot(states, one->node, &states->pool[one->choices], end - one->choices);
    slots[slot] = (uint32_t)s + 1;
  }
  return true;
}

uint32_t dsm__layout_state_find(dsm__layout_states *states, uint32_t node, const uint32_t *choices,
                                size_t choice_count) {
  void *items = states->items;
  void *pool = states->pool;
  bool is_ready = states->count < DSM__NO_STATE && grow_slots(states) &&
                  dsm__reserve(&items, states->count, 1, &states->capacity, sizeof *states->items);
  states->items = items;
  is_ready = is_ready && dsm__reserve(&pool, states->pool_count, choice_count + 1,
                                      &states->pool_capacity, sizeof states->pool[0]);
  states->pool = pool;
  if (!is_ready) {
    return DSM__NO_STATE;
  }
  const size_t slot = find_slot(states, node, choices, choice_count);
  if (states->slots[slot] != 0) {
    return states->slots[slot] - 1;
  }
  memcpy(&states->pool[states->pool_count], choices, choice_count * sizeof *choices);
  const uint32_t index = (uint32_t)states->count++;
  states->items[index] =
      (dsm__layout_state){HUGE_VAL, states->pool_count, node, DSM__NO_STATE, DSM__NO_STATE};
  states->pool_count += choice_count;
  states->slots[slot] = index + 1;
  if (states->first[node] == DSM__NO_STATE) {
    states->first[node] = index;
  } else {
    states->items[states->last[node]].next = index;
  }
  states->last[node] = index;
  return index;
}
