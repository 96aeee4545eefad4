/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * injected.h: makes chosen allocations and system calls fail.
 *
 * The linker sends every call of malloc, calloc, realloc, strdup, strndup, free and newlocale in
 * the library and in the tests to injected.c (see CMakeLists.txt), which counts them and lets the
 * chosen ones fail. cJSON and SQLite are libraries of their own; their hooks lead to the same
 * functions. Where a program has the system calls of files sent here too (injected_calls.c), these
 * are counted likewise.
 */
#ifndef DSM_TESTS_FAULTS_INJECTED_H
#define DSM_TESTS_FAULTS_INJECTED_H

#include <stdbool.h>
#include <stddef.h>

/** What fails. */
typedef enum injected_kind {
  INJECTED_ONCE = 0,     /**< the chosen allocation alone */
  INJECTED_FROM,         /**< the chosen allocation and all after it */
  INJECTED_CALL,         /**< the chosen system call */
  INJECTED_INTERRUPTION, /**< likewise if it is a read or a write: it is interrupted */
  INJECTED_SHORT,        /**< all reads and writes transfer one byte */
  INJECTED_SIGNAL,       /**< SIGTERM comes with the chosen system call */
  INJECTED_FULL,         /**< standard output is full: for test_commands.c to do */
  INJECTED_UNREAD        /**< it is a pipe that nobody reads, likewise */
} injected_kind;

/** Leads cJSON's and SQLite's allocations here. To be called once, first. */
void injected_init(void);

/** From now on allocation or system call number `number` (1, 2, ...; 0: none) fails. */
void injected_arm(injected_kind kind, size_t number);

/** Ends that. Returns how many allocations there were since. */
size_t injected_disarm(void);

/** How many system calls of files there were since injected_arm. */
size_t injected_call_count(void);

/** What is armed, and its number; of nothing number 0. */
injected_kind injected_armed(size_t *number);

/** Pieces of memory that are allocated and not freed. */
long injected_live_count(void);

/** While true, pthread_create fails. */
void injected_refuse_threads(bool refuse);

/** How often pthread_create was called. */
size_t injected_thread_count(void);

#endif
