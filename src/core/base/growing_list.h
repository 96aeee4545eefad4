/* SPDX-License-Identifier: GPL-3.0-or-later */
/* growing_list.h: lists that grow, on the heap or in an arena. */
#ifndef DSM_BASE_GROWING_LIST_H
#define DSM_BASE_GROWING_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/** A list of items of a type; all zero is empty. One on the heap ends with free(list.items). */
#define DSM__LIST(type)                                                                            \
  struct {                                                                                         \
    type *items;                                                                                   \
    size_t count;                                                                                  \
    size_t capacity;                                                                               \
  }

/** Has a list, a struct with these three members, room for `more` items, which it is given where it
 * has not? False if out of memory: then the list is as it was. The new items are not set. */
#define DSM__LIST_RESERVE(list, more)                                                              \
  dsm__list_has_room((void *)&(list)->items, (list)->count, more, &(list)->capacity,               \
                     sizeof *(list)->items, true, NULL)

/** The same of a list in an arena. */
#define DSM__LIST_RESERVE_IN(list, more, arena)                                                    \
  dsm__list_has_room((void *)&(list)->items, (list)->count, more, &(list)->capacity,               \
                     sizeof *(list)->items, false, arena)

/** Adds a value to the end of a list. False if out of memory: then the list is as it was. */
#define DSM__LIST_PUSH(list, ...)                                                                  \
  (DSM__LIST_RESERVE(list, 1) && ((list)->items[(list)->count++] = (__VA_ARGS__), true))
#define DSM__LIST_PUSH_IN(list, arena, ...)                                                        \
  (DSM__LIST_RESERVE_IN(list, 1, arena) && ((list)->items[(list)->count++] = (__VA_ARGS__), true))

/** Moves the `count` items of `size` bytes to which the pointer at `items` leads to where there is
 * room for `more`, on the heap or in the arena; the capacity at least doubles. False if out of
 * memory, or if so many items have no size. */
bool dsm__list_grow(void *items, size_t count, size_t more, size_t *capacity, size_t size,
                    bool is_on_heap, dsm__arena *arena);

static inline bool dsm__list_has_room(void *items, size_t count, size_t more, size_t *capacity,
                                      size_t size, bool is_on_heap, dsm__arena *arena) {
  return more <= *capacity - count ||
         dsm__list_grow(items, count, more, capacity, size, is_on_heap, arena);
}

#endif
