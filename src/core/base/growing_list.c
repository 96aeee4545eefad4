/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/growing_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The least that a list grows to. */
enum { FIRST_CAPACITY = 16 };

static void *copy_into(dsm__arena *arena, const void *items, size_t bytes, size_t capacity,
                       size_t size) {
  void *const copy = dsm__arena_array(arena, capacity, size);
  if (copy != NULL && bytes > 0) {
    memcpy(copy, items, bytes);
  }
  return copy;
}

bool dsm__list_grow(void *items, size_t count, size_t more, size_t *capacity, size_t size,
                    bool is_on_heap, dsm__arena *arena) {
  const size_t most = PTRDIFF_MAX / size; /* no object is larger */
  if (count > most || more > most - count) {
    return false;
  }
  size_t larger = *capacity > most / 2 ? most : 2 * *capacity;
  larger = larger < FIRST_CAPACITY && most >= FIRST_CAPACITY ? FIRST_CAPACITY : larger;
  larger = larger < count + more ? count + more : larger;
  void *old;
  memcpy(&old, items, sizeof old); /* a pointer of any type is read and written as its bytes */
  void *const moved =
      is_on_heap ? realloc(old, larger * size) : copy_into(arena, old, count * size, larger, size);
  if (moved == NULL) {
    return false;
  }
  memcpy(items, &moved, sizeof moved);
  *capacity = larger;
  return true;
}
