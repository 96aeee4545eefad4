/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena.h: memory with one owner. An object (workload, system, plan, a search's scratch) allocates
 * everything inside it from its own arena and frees it at once.
 *
 * When compiled with DSM_ARENA_DEBUG each piece is its own malloc, so that sanitizers and valgrind
 * see overruns and uses after free.
 */
#ifndef DSM_BASE_ARENA_H
#define DSM_BASE_ARENA_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct dsm__arena dsm__arena;

/** A new empty arena; NULL if out of memory. */
dsm__arena *dsm__arena_new(void);

/** A new empty arena whose bytes are counted, with those of others, from any thread; NULL: not. */
dsm__arena *dsm__arena_new_counted(atomic_size_t *bytes);

/** Frees the arena and all it gave out; NULL is fine. */
void dsm__arena_free(dsm__arena *arena);

/** `size` zeroed bytes aligned for any type, at a unique address also for size 0; NULL if out of
 * memory, and of an arena that is NULL because memory was out. */
void *dsm__arena_alloc(dsm__arena *arena, size_t size);

/** A zeroed object of a type that has a member `arena`: a new arena, in which it is itself; NULL if
 * out of memory. */
#define DSM__ARENA_OWNER(type) ((type *)dsm__arena_owner(sizeof(type), offsetof(type, arena)))
void *dsm__arena_owner(size_t size, size_t arena_offset);

/** Defines the public function that frees one with all that is in its arena; NULL is fine. */
#define DSM__ARENA_FREE(type, function)                                                            \
  void function(type *made) {                                                                      \
    if (made != NULL) {                                                                            \
      dsm__arena_free(made->arena);                                                                \
    }                                                                                              \
  }                                                                                                \
  _Static_assert(sizeof(type) > 0, "it is known")

/** How many elements an array has that is no pointer. */
#define DSM__COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/** A zeroed array; NULL if out of memory or if count * size overflows. */
void *dsm__arena_array(dsm__arena *arena, size_t count, size_t size);

/** Makes a pointer that of a zeroed array of its items; false if out of memory. */
#define DSM__RESERVE(arena, pointer, count)                                                        \
  (((pointer) = dsm__arena_array(arena, count, sizeof *(pointer))) != NULL)

/** A copy of the first `length` bytes of text, NUL-terminated; NULL if out of memory. */
char *dsm__arena_strndup(dsm__arena *arena, const char *text, size_t length);

/** A copy of a NUL-terminated text; NULL if out of memory. */
char *dsm__arena_strdup(dsm__arena *arena, const char *text);

/** snprintf into the arena; NULL if out of memory. */
char *dsm__arena_printf(dsm__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *dsm__arena_vprintf(dsm__arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#endif
