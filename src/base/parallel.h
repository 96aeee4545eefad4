/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parallel.h: independent tasks on several threads. */
#ifndef DSM_BASE_PARALLEL_H
#define DSM_BASE_PARALLEL_H

#include <stddef.h>

/** Most threads that are ever started. */
#define DSM__PARALLEL_MAX_THREADS 256

/** Workers that `thread_count` asks for, 1 .. DSM__PARALLEL_MAX_THREADS: how many need scratch. */
size_t dsm__parallel_workers(size_t thread_count);

typedef void dsm__parallel_task(void *context, size_t task_index, size_t worker_index);

/**
 * Calls task(context, i, w) once for each i below task_count, on at most thread_count threads
 * (clamped to 1 .. DSM__PARALLEL_MAX_THREADS and to task_count; the calling thread is worker 0; the
 * worker index w is below that number). Returns when all are done. A thread that cannot be started
 * is done without: the others take its tasks. Which worker runs which task is not determined, so
 * tasks must write to places of their own.
 */
void dsm__parallel_for(size_t thread_count, size_t task_count, dsm__parallel_task *task,
                       void *context);

#endif
