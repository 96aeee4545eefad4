/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "injected.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The linker gives these their meaning: __real_x is the x of the C library, and every use of x
 * elsewhere is a use of __wrap_x. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *piece);
locale_t __real_newlocale(int mask, const char *name, locale_t base);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *piece);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

/* Test state; threads of a search allocate too. */
static atomic_size_t seen;
static atomic_size_t first_failure; /* 0: none */
static atomic_size_t last_failure;
static atomic_int armed; /* an injected_kind */
static atomic_size_t chosen;
static atomic_long live;
static atomic_bool refuses_threads;
static atomic_size_t thread_count;

/* ---- SQLite ---- */

/* SQLite wants to know the size of a piece: it stands before it. */
enum { HEAD_BYTES = alignof(max_align_t) };

static void *sqlite_grow(void *old, int size) {
  char *const piece =
      realloc(old == NULL ? NULL : (char *)old - HEAD_BYTES, (size_t)size + HEAD_BYTES);
  if (piece == NULL) {
    return NULL;
  }
  memcpy(piece, &size, sizeof size);
  return piece + HEAD_BYTES;
}

static void *sqlite_make(int size) {
  return sqlite_grow(NULL, size);
}

static void sqlite_give_back(void *piece) {
  free(piece == NULL ? NULL : (char *)piece - HEAD_BYTES);
}

static int sqlite_size(void *piece) {
  int size = 0;
  if (piece != NULL) {
    memcpy(&size, (const char *)piece - HEAD_BYTES, sizeof size);
  }
  return size;
}

static int sqlite_round_up(int size) {
  return (size + 7) & ~7;
}

static int sqlite_begin(void *context) {
  (void)context;
  return SQLITE_OK;
}

static void sqlite_end(void *context) {
  (void)context;
}

void injected_init(void) {
  static const sqlite3_mem_methods methods = {
      .xMalloc = sqlite_make,
      .xFree = sqlite_give_back,
      .xRealloc = sqlite_grow,
      .xSize = sqlite_size,
      .xRoundup = sqlite_round_up,
      .xInit = sqlite_begin,
      .xShutdown = sqlite_end,
  };
  cJSON_Hooks hooks = {.malloc_fn = malloc, .free_fn = free};
  cJSON_InitHooks(&hooks);
  /* What SQLite keeps for the whole process is allocated here, before anything is counted. */
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK ||
      sqlite3_initialize() != SQLITE_OK) {
    exit(EXIT_FAILURE);
  }
}

/* ---- which allocation fails ---- */

void injected_arm(injected_kind kind, size_t number) {
  const bool is_allocation = kind == INJECTED_ONCE || kind == INJECTED_FROM;
  atomic_store(&seen, 0);
  atomic_store(&armed, (int)kind);
  atomic_store(&chosen, number);
  atomic_store(&last_failure, kind == INJECTED_ONCE ? number : (size_t)-1);
  atomic_store(&first_failure, is_allocation ? number : 0);
}

size_t injected_disarm(void) {
  atomic_store(&chosen, 0);
  atomic_store(&first_failure, 0);
  return atomic_load(&seen);
}

injected_kind injected_armed(size_t *number) {
  *number = atomic_load(&chosen);
  return (injected_kind)atomic_load(&armed);
}

long injected_live_count(void) {
  return atomic_load(&live);
}

void injected_refuse_threads(bool refuse) {
  atomic_store(&refuses_threads, refuse);
}

size_t injected_thread_count(void) {
  return atomic_load(&thread_count);
}

static bool must_fail(void) {
  const size_t number = atomic_fetch_add(&seen, 1) + 1;
  const size_t first = atomic_load(&first_failure);
  if (first == 0 || number < first || number > atomic_load(&last_failure)) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

static void *counted(void *piece) {
  if (piece != NULL) {
    atomic_fetch_add(&live, 1);
  }
  return piece;
}

void *__wrap_malloc(size_t size) {
  return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
  if (must_fail()) {
    return NULL;
  }
  void *const grown = __real_realloc(old, size);
  return old == NULL ? counted(grown) : grown;
}

char *__wrap_strdup(const char *text) {
  return must_fail() ? NULL : counted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size) {
  return must_fail() ? NULL : counted(__real_strndup(text, size));
}

void __wrap_free(void *piece) {
  if (piece != NULL) {
    atomic_fetch_sub(&live, 1);
  }
  __real_free(piece);
}

/* The C library allocates for a locale. */
locale_t __wrap_newlocale(int mask, const char *name, locale_t base) {
  return must_fail() ? (locale_t)0 : __real_newlocale(mask, name, base);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  atomic_fetch_add(&thread_count, 1);
  if (atomic_load(&refuses_threads)) {
    return EAGAIN;
  }
  return __real_pthread_create(thread, attributes, start, argument);
}
