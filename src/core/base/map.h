/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map.h: a hash index: from keys to the indices of what the caller keeps of them in an array.
 *
 * The keys stay with the caller. The map keeps of each a hash and the index, in a table with open
 * addressing of which at most half is taken, so that it grows without looking at a key.
 */
#ifndef DSM_BASE_MAP_H
#define DSM_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct dsm__map_slot {
  uint32_t hash;
  uint32_t number; /**< index + 1; 0: empty */
} dsm__map_slot;

/** All zero is empty. */
typedef struct dsm__map {
  dsm__map_slot *slots;
  size_t slot_count; /**< a power of two, or 0 */
  size_t count;
} dsm__map;

/** No index. */
#define DSM__MAP_NONE SIZE_MAX

/** A hash of bytes, taken in words, and of a seed: FNV-1a. */
static inline uint64_t dsm__hash(uint64_t seed, const void *key, size_t size) {
  const unsigned char *const bytes = key;
  uint64_t hash = UINT64_C(14695981039346656037) ^ seed;
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
    hash = (hash ^ word) * UINT64_C(1099511628211);
    hash ^= hash >> 29;
  }
  return hash;
}

/** A hash for a map. */
static inline uint32_t dsm__map_hash(uint64_t seed, const void *key, size_t size) {
  return (uint32_t)((dsm__hash(seed, key, size) * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/** Is `key` that of the caller's entry with this index? */
typedef bool dsm__map_match(const void *context, size_t index, const void *key);

/** The index of a key; DSM__MAP_NONE if the map has none. */
static inline size_t dsm__map_find(const dsm__map *map, uint32_t hash, dsm__map_match *match,
                                   const void *context, const void *key) {
  if (map->count == 0) {
    return DSM__MAP_NONE;
  }
  for (size_t at = hash;; at++) {
    const dsm__map_slot *const slot = &map->slots[at & (map->slot_count - 1)];
    if (slot->number == 0) {
      return DSM__MAP_NONE;
    }
    if (slot->hash == hash && match(context, slot->number - 1, key)) {
      return slot->number - 1;
    }
  }
}

/** The same where the caller's entries stand in an array, each beginning with its key, of which the
 * bytes are compared. */
static inline size_t dsm__map_find_in(const dsm__map *map, uint32_t hash, const void *entries,
                                      size_t entry_size, const void *key, size_t key_size) {
  if (map->count == 0) {
    return DSM__MAP_NONE;
  }
  for (size_t at = hash;; at++) {
    const dsm__map_slot *const slot = &map->slots[at & (map->slot_count - 1)];
    if (slot->number == 0) {
      return DSM__MAP_NONE;
    }
    const size_t index = slot->number - 1;
    if (slot->hash == hash &&
        memcmp((const unsigned char *)entries + index * entry_size, key, key_size) == 0) {
      return index;
    }
  }
}

/** Adds a key that the map has not, with an index below UINT32_MAX. False if out of memory. */
bool dsm__map_add(dsm__map *map, uint32_t hash, size_t index);

/** Takes out the key with an index, which the map has. */
void dsm__map_remove(dsm__map *map, uint32_t hash, size_t index);

/** Takes out all keys; the room for them stays. */
void dsm__map_clear(dsm__map *map);

void dsm__map_fini(dsm__map *map);

#endif
