/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

/* What all workers of one dsm__parallel_for share. */
typedef struct job {
  atomic_size_t next_task;
  size_t task_count;
  dsm__parallel_task *task;
  void *context;
} job;

typedef struct worker {
  job *shared;
  size_t index;
} worker;

/* Relaxed order suffices for the counter: what the caller wrote before is visible through
 * pthread_create, what the tasks wrote becomes visible to the caller through pthread_join. */
static void run_tasks(const worker *self) {
  job *const shared = self->shared;
  for (;;) {
    const size_t task = atomic_fetch_add_explicit(&shared->next_task, 1, memory_order_relaxed);
    if (task >= shared->task_count) {
      return;
    }
    shared->task(shared->context, task, self->index);
  }
}

static void *worker_main(void *argument) {
  run_tasks(argument);
  return NULL;
}

static size_t at_most(size_t value, size_t limit) {
  return value < limit ? value : limit;
}

size_t dsm__parallel_workers(size_t thread_count) {
  return thread_count == 0 ? 1 : at_most(thread_count, DSM__PARALLEL_MAX_THREADS);
}

void dsm__parallel_for(size_t thread_count, size_t task_count, dsm__parallel_task *task,
                       void *context) {
  if (task_count == 0) {
    return;
  }
  const size_t wanted = at_most(at_most(thread_count, DSM__PARALLEL_MAX_THREADS), task_count);
  job shared = {.task_count = task_count, .task = task, .context = context};
  atomic_init(&shared.next_task, 0);
  pthread_t threads[DSM__PARALLEL_MAX_THREADS];
  worker workers[DSM__PARALLEL_MAX_THREADS];
  size_t started = 1; /* worker 0 is the calling thread */
  workers[0] = (worker){.shared = &shared, .index = 0};
  while (started < wanted) {
    workers[started] = (worker){.shared = &shared, .index = started};
    if (pthread_create(&threads[started], NULL, worker_main, &workers[started]) != 0) {
      break;
    }
    started++;
  }
  run_tasks(&workers[0]);
  for (size_t i = 1; i < started; i++) {
    (void)pthread_join(threads[i], NULL);
  }
}

typedef struct apart {
  dsm__parallel_task *task;
  void *context;
} apart;

static void *apart_main(void *argument) {
  const apart *const it = argument;
  it->task(it->context, 0, 0);
  return NULL;
}

void dsm__run_apart(dsm__parallel_task *task, void *context) {
  apart it = {.task = task, .context = context};
  pthread_t thread;
  if (pthread_create(&thread, NULL, apart_main, &it) != 0) {
    task(context, 0, 0);
    return;
  }
  (void)pthread_join(thread, NULL);
}

/* What all workers of one dsm__parallel_stream share. */
typedef struct stream {
  dsm__parallel_make *make;
  dsm__parallel_take *take;
  void *context;
  atomic_bool is_ended;   /* no task begins any more */
  pthread_mutex_t taking; /* held while a result is taken */
  bool is_refused;        /* by a take; under the mutex */
} stream;

static void stream_task(void *context, size_t task_index, size_t worker_index) {
  stream *const shared = context;
  if (atomic_load_explicit(&shared->is_ended, memory_order_relaxed)) {
    return;
  }
  if (!shared->make(shared->context, task_index, worker_index)) {
    atomic_store_explicit(&shared->is_ended, true, memory_order_relaxed);
    return;
  }
  (void)pthread_mutex_lock(&shared->taking);
  if (!shared->is_refused && !shared->take(shared->context, task_index, worker_index)) {
    shared->is_refused = true;
    atomic_store_explicit(&shared->is_ended, true, memory_order_relaxed);
  }
  (void)pthread_mutex_unlock(&shared->taking);
}

bool dsm__parallel_stream(size_t thread_count, size_t task_count, dsm__parallel_make *make,
                          dsm__parallel_take *take, void *context) {
  stream shared = {
      .make = make, .take = take, .context = context, .taking = PTHREAD_MUTEX_INITIALIZER};
  atomic_init(&shared.is_ended, false);
  dsm__parallel_for(thread_count, task_count, stream_task, &shared);
  (void)pthread_mutex_destroy(&shared.taking);
  return !atomic_load_explicit(&shared.is_ended, memory_order_relaxed);
}
