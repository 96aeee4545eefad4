/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_keys.h"

#include <stdlib.h>

#include "base/json_text.h"

uint32_t dsm__json_keys_open(dsm__json_keys *keys) {
  return keys->object_count++;
}

/* A hash of what the key means, and of its object. */
static uint32_t hash_of(const dsm__json_keys *keys, uint32_t object, size_t offset) {
  uint64_t hash = object;
  char decoded[4];
  for (size_t at = offset + 1; at < keys->length && keys->text[at] != '"';) {
    const size_t size = dsm__json_text_decode(keys->text, keys->length, &at, decoded);
    hash = dsm__hash(hash, decoded, size);
  }
  return dsm__map_hash(hash, NULL, 0);
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

static bool is_key(const void *context, size_t index, const void *key) {
  const dsm__json_keys *const keys = context;
  const dsm__json_key *const other = &keys->keys.items[index];
  const dsm__json_key *const one = key;
  return other->object == one->object && are_equal(keys, other->offset, one->offset);
}

bool dsm__json_keys_add(dsm__json_keys *keys, uint32_t object, size_t offset) {
  if (keys->is_given_up) {
    return true;
  }
  const dsm__json_key key = {
      .offset = offset, .object = object, .hash = hash_of(keys, object, offset)};
  if (dsm__map_find(&keys->index, key.hash, is_key, keys, &key) != DSM__MAP_NONE) {
    return false;
  }
  keys->is_given_up =
      !DSM__LIST_RESERVE(&keys->keys, 1) || !dsm__map_add(&keys->index, key.hash, keys->keys.count);
  if (!keys->is_given_up) {
    keys->keys.items[keys->keys.count++] = key;
  }
  return true;
}

void dsm__json_keys_close(dsm__json_keys *keys, uint32_t object) {
  size_t *const count = &keys->keys.count;
  while (!keys->is_given_up && *count > 0 && keys->keys.items[*count - 1].object == object) {
    --*count;
    dsm__map_remove(&keys->index, keys->keys.items[*count].hash, *count);
  }
}

void dsm__json_keys_fini(dsm__json_keys *keys) {
  free(keys->keys.items);
  dsm__map_fini(&keys->index);
}
