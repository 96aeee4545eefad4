/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_keys.h"

#include <stdlib.h>

#include "base/json_text.h"

uint32_t dsm__json_keys_open(dsm__json_keys *keys) {
  return keys->object_count++;
}

/* FNV-1a of what the key means, and of its object. */
static uint32_t hash_of(const dsm__json_keys *keys, uint32_t object, size_t offset) {
  uint64_t hash = UINT64_C(14695981039346656037) ^ object;
  char decoded[4];
  for (size_t at = offset + 1; at < keys->length && keys->text[at] != '"';) {
    const size_t size = dsm__json_text_decode(keys->text, keys->length, &at, decoded);
    for (size_t i = 0; i < size; i++) {
      hash = (hash ^ (unsigned char)decoded[i]) * UINT64_C(1099511628211);
    }
  }
  return (uint32_t)(hash ^ hash >> 32);
}

/* Do two strings mean the same? */
static bool are_equal(const dsm__json_keys *keys, size_t a, size_t b) {
  char left[4];
  char right[4];
  for (a++, b++; keys->text[a] != '"' && keys->text[b] != '"';) {
    const size_t size = dsm__json_text_decode(keys->text, keys->length, &a, left);
    if (dsm__json_text_decode(keys->text, keys->length, &b, right) != size) {
      return false;
    }
    for (size_t i = 0; i < size; i++) {
      if (left[i] != right[i]) {
        return false;
      }
    }
  }
  return keys->text[a] == keys->text[b];
}

/* Where the key is in the table, or the free place where it belongs. */
static uint32_t *find_place(const dsm__json_keys *keys, const dsm__json_key *key) {
  for (size_t at = key->hash;; at++) {
    uint32_t *const place = &keys->places[at & (2 * keys->capacity - 1)];
    const dsm__json_key *const other = *place == 0 ? NULL : &keys->keys[*place - 1];
    if (other == NULL || (other->hash == key->hash && other->object == key->object &&
                          are_equal(keys, other->offset, key->offset))) {
      return place;
    }
  }
}

/* Makes room for another key. The table is filled in the order of the keys, so that the last one
 * can always be taken out without a gap on the way to another. */
static bool make_room(dsm__json_keys *keys) {
  if (keys->count < keys->capacity) {
    return true;
  }
  const size_t capacity = keys->capacity == 0 ? 64 : 2 * keys->capacity;
  dsm__json_key *const grown =
      capacity > UINT32_MAX / 2 ? NULL : realloc(keys->keys, capacity * sizeof *grown);
  if (grown == NULL) {
    return false;
  }
  keys->keys = grown;
  uint32_t *const places = calloc(2 * capacity, sizeof *places);
  if (places == NULL) {
    return false;
  }
  free(keys->places);
  keys->places = places;
  keys->capacity = capacity;
  for (size_t i = 0; i < keys->count; i++) {
    *find_place(keys, &keys->keys[i]) = (uint32_t)i + 1;
  }
  return true;
}

bool dsm__json_keys_add(dsm__json_keys *keys, uint32_t object, size_t offset) {
  keys->is_given_up = keys->is_given_up || !make_room(keys);
  if (keys->is_given_up) {
    return true;
  }
  const dsm__json_key key = {
      .offset = offset, .object = object, .hash = hash_of(keys, object, offset)};
  uint32_t *const place = find_place(keys, &key);
  if (*place != 0) {
    return false;
  }
  keys->keys[keys->count++] = key;
  *place = (uint32_t)keys->count;
  return true;
}

void dsm__json_keys_close(dsm__json_keys *keys, uint32_t object) {
  while (!keys->is_given_up && keys->count > 0 && keys->keys[keys->count - 1].object == object) {
    *find_place(keys, &keys->keys[keys->count - 1]) = 0;
    keys->count--;
  }
}

void dsm__json_keys_fini(dsm__json_keys *keys) {
  free(keys->keys);
  free(keys->places);
}
