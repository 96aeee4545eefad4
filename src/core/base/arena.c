/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

/* A block is a header followed by pieces; the union aligns both for any type. In debug mode a block
 * is made exactly as large as its only piece. */
typedef union block {
  struct {
    union block *next;
    size_t used; /* bytes given out after the header */
    size_t size; /* bytes after the header */
  } head;
  max_align_t alignment;
} block;

struct dsm__arena {
  block *blocks;        /* the first one is being filled */
  atomic_size_t *bytes; /* of all blocks, and those of others; NULL: not counted */
};

#define FIRST_BLOCK_BYTES ((size_t)4096 - sizeof(block))
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)

dsm__arena *dsm__arena_new(void) {
  return dsm__arena_new_counted(NULL);
}

dsm__arena *dsm__arena_new_counted(atomic_size_t *bytes) {
  dsm__arena *const arena = calloc(1, sizeof *arena);
  if (arena != NULL) {
    arena->bytes = bytes;
  }
  return arena;
}

void dsm__arena_free(dsm__arena *arena) {
  if (arena == NULL) {
    return;
  }
  block *next = NULL;
  for (block *each = arena->blocks; each != NULL; each = next) {
    next = each->head.next;
    if (arena->bytes != NULL) {
      atomic_fetch_sub(arena->bytes, each->head.size);
    }
    free(each);
  }
  free(arena);
}

/* A zeroed block of its own, not yet in the list, with all of it given out; NULL if out of memory.
 */
static block *new_block(dsm__arena *arena, size_t size) {
  size_t total;
  if (dsm__ckd_add_size(&total, size, sizeof(block))) {
    return NULL;
  }
  block *const fresh = calloc(1, total);
  if (fresh == NULL) {
    return NULL;
  }
  fresh->head.size = size;
  fresh->head.used = size;
  if (arena->bytes != NULL) {
    atomic_fetch_add(arena->bytes, size);
  }
  return fresh;
}

#ifdef DSM_ARENA_DEBUG

void *dsm__arena_alloc(dsm__arena *arena, size_t size) {
  block *const fresh = arena == NULL ? NULL : new_block(arena, size);
  if (fresh == NULL) {
    return NULL;
  }
  fresh->head.next = arena->blocks;
  arena->blocks = fresh;
  return fresh + 1;
}

#else

/* Starts a new block for a piece of so many bytes. A piece that would waste much of the block being
 * filled gets a block of its own behind it. */
static void *alloc_in_new_block(dsm__arena *arena, size_t size) {
  block *const current = arena->blocks;
  const size_t grown = current == NULL ? FIRST_BLOCK_BYTES : 2 * current->head.size;
  const size_t wanted = grown > LARGEST_BLOCK_BYTES ? LARGEST_BLOCK_BYTES : grown;
  const bool is_alone = size > wanted / 4;
  block *const fresh = new_block(arena, is_alone ? size : wanted);
  if (fresh == NULL) {
    return NULL;
  }
  if (is_alone && current != NULL) {
    fresh->head.next = current->head.next;
    current->head.next = fresh;
    return fresh + 1;
  }
  fresh->head.used = size;
  fresh->head.next = current;
  arena->blocks = fresh;
  return fresh + 1;
}

void *dsm__arena_alloc(dsm__arena *arena, size_t size) {
  const size_t unit = sizeof(max_align_t);
  const size_t wanted = size == 0 ? 1 : size;
  if (arena == NULL || wanted > SIZE_MAX - unit) {
    return NULL;
  }
  const size_t rounded = (wanted + unit - 1) / unit * unit;
  block *const current = arena->blocks;
  if (current == NULL || current->head.size - current->head.used < rounded) {
    return alloc_in_new_block(arena, rounded);
  }
  void *const piece = (char *)(current + 1) + current->head.used;
  current->head.used += rounded;
  return piece;
}

#endif

void *dsm__arena_owner(size_t size, size_t arena_offset) {
  dsm__arena *const arena = dsm__arena_new();
  unsigned char *const owner = dsm__arena_alloc(arena, size);
  if (owner == NULL) {
    dsm__arena_free(arena);
    return NULL;
  }
  memcpy(owner + arena_offset, &arena, sizeof arena);
  return owner;
}

void *dsm__arena_array(dsm__arena *arena, size_t count, size_t size) {
  size_t total;
  if (dsm__ckd_mul_size(&total, count, size)) {
    return NULL;
  }
  return dsm__arena_alloc(arena, total);
}

char *dsm__arena_strndup(dsm__arena *arena, const char *text, size_t length) {
  size_t size;
  if (dsm__ckd_add_size(&size, length, 1)) {
    return NULL;
  }
  char *const copy = dsm__arena_alloc(arena, size);
  if (copy == NULL) {
    return NULL;
  }
  if (length > 0) {
    memcpy(copy, text, length);
  }
  copy[length] = '\0';
  return copy;
}

char *dsm__arena_strdup(dsm__arena *arena, const char *text) {
  return dsm__arena_strndup(arena, text, strlen(text));
}

char *dsm__arena_vprintf(dsm__arena *arena, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  const size_t size = length < 0 ? 0 : (size_t)length + 1;
  char *const text = length < 0 ? NULL : dsm__arena_alloc(arena, size);
  if (text != NULL) {
    (void)vsnprintf(text, size, format, args);
  }
  return text;
}

char *dsm__arena_printf(dsm__arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *const text = dsm__arena_vprintf(arena, format, args);
  va_end(args);
  return text;
}
