/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/parallel.h"

enum { MOST_TASKS = 1000 };

/* visits[i] belongs to task i alone; most_worker is for all. */
typedef struct visits {
  unsigned visits[MOST_TASKS];
  size_t results[MOST_TASKS];
  atomic_size_t most_worker;
} visits;

static void visit(void *context, size_t task_index, size_t worker_index) {
  visits *const seen = context;
  seen->visits[task_index]++;
  seen->results[task_index] = task_index * task_index;
  size_t most = atomic_load(&seen->most_worker);
  while (worker_index > most &&
         !atomic_compare_exchange_weak(&seen->most_worker, &most, worker_index))
    continue;
}

typedef struct parallel_case {
  size_t thread_count;
  size_t task_count;
  size_t worker_limit; /* worker indexes are below it */
} parallel_case;

static const parallel_case parallel_cases[] = {
    {1, 1000, 1},     {2, 1000, 2}, {7, 1000, 7}, {7, 3, 3},
    {0, 5, 1},        {7, 1, 1},    {7, 0, 1},    {300, 1000, DSM__PARALLEL_MAX_THREADS},
    {256, 1000, 256},
};

START_TEST(test_each_task_is_visited_once) {
  const parallel_case *const each = &parallel_cases[_i];
  visits *const seen = calloc(1, sizeof *seen);
  ck_assert_ptr_nonnull(seen);
  dsm__parallel_for(each->thread_count, each->task_count, visit, seen);
  for (size_t i = 0; i < MOST_TASKS; i++) {
    ck_assert_uint_eq(seen->visits[i], i < each->task_count ? 1 : 0);
    ck_assert_uint_eq(seen->results[i], i < each->task_count ? i * i : 0);
  }
  ck_assert_uint_lt(atomic_load(&seen->most_worker), each->worker_limit);
  free(seen);
}
END_TEST

/* A task may itself run tasks in parallel; what it wrote is seen when it returns. */
static void sum_squares(void *context, size_t task_index, size_t worker_index) {
  (void)worker_index;
  visits *const inner = calloc(1, sizeof *inner);
  if (inner == NULL)
    return;
  dsm__parallel_for(3, 10, visit, inner);
  size_t *const sums = context;
  for (size_t i = 0; i < 10; i++)
    sums[task_index] += inner->results[i];
  free(inner);
}

START_TEST(test_tasks_may_run_tasks) {
  size_t sums[4] = {0};
  dsm__parallel_for(2, 4, sum_squares, sums);
  for (size_t i = 0; i < 4; i++)
    ck_assert_uint_eq(sums[i], 285); /* 0 + 1 + 4 + ... + 81 */
}
END_TEST

/* ---- streams ---- */

enum { NO_TASK = MOST_TASKS };

/* A stream of squares. Not atomic: a thread sanitizer sees it if two takes run at once. */
typedef struct squares {
  size_t made[DSM__PARALLEL_MAX_THREADS]; /* of each worker */
  size_t taken[MOST_TASKS];
  size_t taken_count;
  size_t refused_make; /* NO_TASK: none */
  size_t refused_take;
  atomic_size_t made_count;
} squares;

static bool make_square(void *context, size_t task_index, size_t worker_index) {
  squares *const all = context;
  all->made[worker_index] = task_index * task_index;
  atomic_fetch_add(&all->made_count, 1);
  return task_index != all->refused_make;
}

static bool take_square(void *context, size_t task_index, size_t worker_index) {
  squares *const all = context;
  ck_assert_uint_eq(all->made[worker_index], task_index * task_index);
  all->taken[task_index]++;
  all->taken_count++;
  return task_index != all->refused_take;
}

START_TEST(test_a_stream_takes_each_result_once) {
  const parallel_case *const each = &parallel_cases[_i];
  squares all = {.refused_make = NO_TASK, .refused_take = NO_TASK};
  ck_assert(
      dsm__parallel_stream(each->thread_count, each->task_count, make_square, take_square, &all));
  ck_assert_uint_eq(all.taken_count, each->task_count);
  for (size_t i = 0; i < MOST_TASKS; i++) {
    ck_assert_uint_eq(all.taken[i], i < each->task_count ? 1 : 0);
  }
}
END_TEST

/* Others may be under way when one is refused: at most one a worker. */
START_TEST(test_a_stream_ends_early) {
  for (size_t threads = 1; threads <= 4; threads++) {
    squares make = {.refused_make = 100, .refused_take = NO_TASK};
    ck_assert(!dsm__parallel_stream(threads, MOST_TASKS, make_square, take_square, &make));
    ck_assert_uint_eq(make.taken[100], 0);
    ck_assert_uint_eq(make.taken_count, atomic_load(&make.made_count) - 1);
    ck_assert(threads > 1 || make.taken_count == 100);

    squares take = {.refused_make = NO_TASK, .refused_take = 100};
    ck_assert(!dsm__parallel_stream(threads, MOST_TASKS, make_square, take_square, &take));
    ck_assert_uint_eq(take.taken[100], 1);
    ck_assert(threads > 1 || take.taken_count == 101);
    ck_assert_uint_le(atomic_load(&take.made_count), take.taken_count + threads - 1);
  }
}
END_TEST

Suite *suite_parallel(void) {
  Suite *const suite = suite_create("parallel");
  TCase *const tasks = tcase_create("tasks");
  tcase_add_loop_test(tasks, test_each_task_is_visited_once, 0, COUNT_OF(parallel_cases));
  tcase_add_test(tasks, test_tasks_may_run_tasks);
  suite_add_tcase(suite, tasks);
  TCase *const streams = tcase_create("streams");
  tcase_add_loop_test(streams, test_a_stream_takes_each_result_once, 0, COUNT_OF(parallel_cases));
  tcase_add_test(streams, test_a_stream_ends_early);
  suite_add_tcase(suite, streams);
  return suite;
}
