/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * injected.h: makes chosen allocations fail.
 *
 * The linker sends every call of malloc, calloc, realloc, strdup, strndup, free and newlocale in
 * the library and in the tests to injected.c (see CMakeLists.txt), which counts them and lets the
 * chosen ones fail. cJSON and SQLite are libraries of their own; their hooks lead to the same
 * functions.
 */
#ifndef DSM_TESTS_FAULTS_INJECTED_H
#define DSM_TESTS_FAULTS_INJECTED_H

#include <stdbool.h>
#include <stddef.h>

/** Which allocations fail. */
typedef enum injected_mode {
  INJECTED_ONCE = 0, /**< the chosen one alone */
  INJECTED_FROM,     /**< the chosen one and all after it */
  INJECTED_MODE_COUNT
} injected_mode;

/** Leads cJSON's and SQLite's allocations here. To be called once, first. */
void injected_init(void);

/** From now on allocation number `number` (1, 2, ...; 0: none) fails. */
void injected_arm(injected_mode mode, size_t number);

/** Ends that. Returns how many allocations there were since. */
size_t injected_disarm(void);

/** Pieces of memory that are allocated and not freed. */
long injected_live_count(void);

/** While true, pthread_create fails. */
void injected_refuse_threads(bool refuse);

/** How often pthread_create was called. */
size_t injected_thread_count(void);

#endif
