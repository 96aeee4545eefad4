/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parallel.h: independent tasks on several threads. */
#ifndef DSM_BASE_PARALLEL_H
#define DSM_BASE_PARALLEL_H

#include <stdbool.h>
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

/** Calls task(context, 0, 0) on a new thread, with the thread-local state of a new thread, and
 * returns when it is done; on the calling thread if none can be started. */
void dsm__run_apart(dsm__parallel_task *task, void *context);

/** Makes the result of a task in a place of the worker's own. False: it could not be made, or no
 * further ones are wanted. */
typedef bool dsm__parallel_make(void *context, size_t task_index, size_t worker_index);
/** Takes what was made; false: no further ones are wanted. */
typedef bool dsm__parallel_take(void *context, size_t task_index, size_t worker_index);

/**
 * Calls make(context, i, w) once for each i below task_count, beginning them in ascending order, on
 * threads as of dsm__parallel_for, and after each at once take(context, i, w) on the same thread,
 * but never two takes at the same time. Results come in the order in which they are ready. Once a
 * make or take says false no task begins any more; what other workers are making then is still
 * taken if it was a make. True if all were made and taken.
 */
bool dsm__parallel_stream(size_t thread_count, size_t task_count, dsm__parallel_make *make,
                          dsm__parallel_take *take, void *context);

#endif
