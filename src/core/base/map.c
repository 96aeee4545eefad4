/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/map.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* The first empty place from that of a hash on. */
static dsm__map_slot *empty_slot(const dsm__map *map, uint32_t hash) {
  size_t at = hash;
  while (map->slots[at & (map->slot_count - 1)].number != 0) {
    at++;
  }
  return &map->slots[at & (map->slot_count - 1)];
}

/* Keeps the table at most half full. False if out of memory. */
static bool reserve(dsm__map *map) {
  if (map->count < map->slot_count / 2) {
    return true;
  }
  dsm__map larger = {.slot_count = map->slot_count == 0 ? FIRST_SLOTS : 2 * map->slot_count};
  larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
  if (larger.slots == NULL) {
    return false;
  }
  for (size_t i = 0; i < map->slot_count; i++) {
    if (map->slots[i].number != 0) {
      *empty_slot(&larger, map->slots[i].hash) = map->slots[i];
    }
  }
  larger.count = map->count;
  free(map->slots);
  *map = larger;
  return true;
}

bool dsm__map_add(dsm__map *map, uint32_t hash, size_t index) {
  if (index >= UINT32_MAX || !reserve(map)) {
    return false;
  }
  *empty_slot(map, hash) = (dsm__map_slot){hash, (uint32_t)(index + 1)};
  map->count++;
  return true;
}

void dsm__map_remove(dsm__map *map, uint32_t hash, size_t index) {
  const size_t mask = map->slot_count - 1;
  size_t gap = hash & mask;
  while (map->slots[gap].number != index + 1) {
    gap = (gap + 1) & mask;
  }
  /* A key is found by going on from the place of its hash up to an empty one. So each key behind
   * the gap that would have to go over it moves into it, and leaves a gap of its own. */
  for (size_t at = (gap + 1) & mask; map->slots[at].number != 0; at = (at + 1) & mask) {
    const size_t from_gap = (at - gap) & mask;
    const size_t from_hash = (at - map->slots[at].hash) & mask;
    if (from_hash >= from_gap) {
      map->slots[gap] = map->slots[at];
      gap = at;
    }
  }
  map->slots[gap] = (dsm__map_slot){0, 0};
  map->count--;
}

void dsm__map_clear(dsm__map *map) {
  if (map->count > 0) {
    memset(map->slots, 0, map->slot_count * sizeof *map->slots);
  }
  map->count = 0;
}

void dsm__map_fini(dsm__map *map) {
  free(map->slots);
  *map = (dsm__map){.slots = NULL};
}
