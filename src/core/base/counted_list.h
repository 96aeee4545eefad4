/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counted_list.h: growing lists on the heap whose bytes are counted, as those of arenas are. */
#ifndef DSM_BASE_COUNTED_LIST_H
#define DSM_BASE_COUNTED_LIST_H

#include <stdatomic.h>
#include <stdlib.h>

#include "base/growing_list.h"

/** DSM__LIST_RESERVE of a list that is counted in *bytes; NULL: nowhere. */
#define DSM__LIST_RESERVE_COUNTED(list, more, bytes)                                               \
  dsm__list_has_counted_room((void *)&(list)->items, (list)->count, more, &(list)->capacity,       \
                             sizeof *(list)->items, bytes)

/** Frees a list that was counted there, which is empty then. */
#define DSM__LIST_FREE_COUNTED(list, bytes)                                                        \
  do {                                                                                             \
    dsm__list_count((list)->capacity * sizeof *(list)->items, 0, bytes);                           \
    free((list)->items);                                                                           \
    (list)->items = NULL;                                                                          \
    (list)->count = (list)->capacity = 0;                                                          \
  } while (0)

static inline void dsm__list_count(size_t before, size_t now, atomic_size_t *bytes) {
  if (bytes != NULL) {
    atomic_fetch_add(bytes, now);
    atomic_fetch_sub(bytes, before);
  }
}

static inline bool dsm__list_has_counted_room(void *items, size_t count, size_t more,
                                              size_t *capacity, size_t size, atomic_size_t *bytes) {
  if (more <= *capacity - count) {
    return true;
  }
  const size_t before = *capacity;
  const bool has_room = dsm__list_grow(items, count, more, capacity, size, true, NULL);
  dsm__list_count(before * size, *capacity * size, bytes);
  return has_room;
}

#endif
