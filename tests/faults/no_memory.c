/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * no_memory.c: to be loaded before the C library (LD_PRELOAD): from allocation number
 * DSM_NO_MEMORY_FROM on there is no memory, and none comes back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static atomic_long left = -1;

__attribute__((constructor)) static void begin(void) {
  const char *const from = getenv("DSM_NO_MEMORY_FROM");
  long count = 0;
  for (const char *digit = from; digit != NULL && *digit != '\0'; digit++) {
    count = 10 * count + (*digit - '0');
  }
  atomic_store(&left, from == NULL ? -1 : count);
}

static int is_exhausted(void) {
  const long now = atomic_load(&left);
  if (now < 0) {
    return 0;
  }
  if (now > 0) {
    atomic_store(&left, now - 1);
    return 0;
  }
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return is_exhausted() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return is_exhausted() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  return is_exhausted() ? NULL : __libc_realloc(block, size);
}
