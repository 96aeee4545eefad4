/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local runs: the same results for any number of threads, stopped anywhere and gone on with. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "bundled_sweep.h"
#include "dsm/sweep_run.h"
#include "scratch.h"
#include "suites.h"

/* 36 points, of which some are invalid and some infeasible. */
static dsm_sweep *small_sweep(void) {
  return bundled_sweep("'workloads': ['alexnet', 'raider'], 'systems': ['torus64'],"
                       "'axes': [{'path': 'workload.minibatch', 'values': [64, 0, 128]},"
                       "{'path': 'system.chip.memory.capacity_GB', 'values': [8, 0.001]},"
                       "{'path': 'options.optimize', 'values': ['none', 'hybrid', 'all']}]",
                       DSM_RECORD_LAYERS);
}

/* What a run says, and when it is to stop. */
typedef struct listener {
  size_t call_count;
  size_t latest_count;
  size_t done;
  size_t stop_at; /* results; SIZE_MAX: never */
  atomic_size_t taken;
  dsm_sweep_progress last;
} listener;

static void listen(void *context, const dsm_sweep_progress *progress) {
  listener *const l = context;
  if (progress->latest != NULL) {
    l->latest_count++;
    ck_assert_uint_eq(progress->done, l->done + 1);
    atomic_fetch_add(&l->taken, 1);
  } else {
    ck_assert(l->call_count == 0 || progress->done == l->done);
  }
  l->call_count++;
  l->done = progress->done;
  l->last = *progress;
}

static bool is_enough(void *context) {
  listener *const l = context;
  return atomic_load(&l->taken) >= l->stop_at;
}

/* Runs a shard of a sweep into a database. */
static dsm_sweep_progress run(const char *path, const dsm_sweep *sweep, size_t thread_count,
                              dsm_shard shard, size_t stop_at) {
  listener l = {.stop_at = stop_at};
  dsm_sweep_run_options options;
  dsm_sweep_run_options_init(&options);
  ck_assert_uint_eq(options.thread_count, 1);
  ck_assert(options.shard.index == 0 && options.shard.count == 1);
  ck_assert(options.report == NULL && options.is_stopped == NULL);
  options.thread_count = thread_count;
  options.shard = shard;
  options.report = listen;
  options.is_stopped = is_enough;
  options.context = &l;
  dsm_store *const store = scratch_open(path, sweep);
  dsm_sweep_progress progress;
  ck_assert_int_eq(dsm_sweep_run(store, sweep, &options, &progress, scratch_diags()), DSM_OK);
  dsm_store_close(store);
  ck_assert_uint_eq(l.call_count, l.latest_count + 2);
  ck_assert_uint_eq(l.latest_count, progress.done - progress.earlier);
  ck_assert_mem_eq(&l.last, &progress, sizeof progress);
  ck_assert_ptr_null(progress.latest);
  return progress;
}

static const dsm_shard whole = {.index = 0, .count = 1};

static void expect_same_cell(const dsm_cell *a, const dsm_cell *b) {
  ck_assert_int_eq(a->kind, b->kind);
  ck_assert_mem_eq(&a->number, &b->number, sizeof a->number);
  ck_assert((a->text == NULL) == (b->text == NULL));
  ck_assert(a->text == NULL || strcmp(a->text, b->text) == 0);
}

static void expect_same_points(const char *expected_path, const char *found_path) {
  dsm_store *const stores[] = {scratch_read(expected_path), scratch_read(found_path)};
  dsm_point_table *tables[2];
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(dsm_store_points(stores[i], &tables[i], scratch_diags()), DSM_OK);
  }
  ck_assert_uint_eq(tables[0]->row_count, tables[1]->row_count);
  ck_assert_uint_eq(tables[0]->column_count, tables[1]->column_count);
  for (size_t i = 0; i < tables[0]->row_count * tables[0]->column_count; i++) {
    expect_same_cell(&tables[0]->cells[i], &tables[1]->cells[i]);
  }
  for (int i = 0; i < 2; i++) {
    dsm_point_table_free(tables[i]);
    dsm_store_close(stores[i]);
  }
}

START_TEST(test_threads_do_not_matter) {
  dsm_sweep *const sweep = small_sweep();
  const dsm_sweep_progress expected = run("one.sqlite", sweep, 1, whole, SIZE_MAX);
  ck_assert_uint_eq(expected.total, 36);
  ck_assert_uint_eq(expected.earlier, 0);
  ck_assert_uint_eq(expected.done, 36);
  ck_assert_uint_eq(expected.invalid, 12);
  ck_assert_uint_gt(expected.infeasible, 0);
  static const size_t thread_counts[] = {0, 2, 5, 100};
  for (int t = 0; t < COUNT_OF(thread_counts); t++) {
    char path[32];
    snprintf(path, sizeof path, "%zu.sqlite", thread_counts[t]);
    const dsm_sweep_progress found = run(path, sweep, thread_counts[t], whole, SIZE_MAX);
    ck_assert_mem_eq(&expected, &found, sizeof expected);
    expect_same_points("one.sqlite", path);
  }
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(test_a_stopped_run_is_gone_on_with) {
  dsm_sweep *const sweep = small_sweep();
  (void)run("whole.sqlite", sweep, 1, whole, SIZE_MAX);
  size_t earlier = 0;
  for (size_t threads = 1; earlier < sweep->point_count; threads = 3 - threads) {
    const dsm_sweep_progress progress = run("parts.sqlite", sweep, threads, whole, 7);
    ck_assert_uint_eq(progress.earlier, earlier);
    ck_assert(progress.done == sweep->point_count || progress.done >= earlier + 7);
    ck_assert_uint_lt(progress.done, earlier + 7 + threads);
    earlier = progress.done;
  }
  expect_same_points("whole.sqlite", "parts.sqlite");
  const dsm_sweep_progress nothing = run("parts.sqlite", sweep, 2, whole, SIZE_MAX);
  ck_assert_uint_eq(nothing.earlier, 36);
  ck_assert_uint_eq(nothing.done, 36);
  ck_assert_uint_eq(nothing.invalid + nothing.infeasible, 0);
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(test_shards_make_the_whole) {
  dsm_sweep *const sweep = small_sweep();
  (void)run("whole.sqlite", sweep, 1, whole, SIZE_MAX);
  size_t done = 0;
  for (size_t k = 0; k < 5; k++) {
    const dsm_sweep_progress progress =
        run("shards.sqlite", sweep, 2, (dsm_shard){.index = k, .count = 5}, SIZE_MAX);
    ck_assert_uint_eq(progress.earlier, 0);
    ck_assert_uint_eq(progress.done, progress.total);
    done += progress.done;
  }
  ck_assert_uint_eq(done, 36);
  expect_same_points("whole.sqlite", "shards.sqlite");
  /* A shard without points. */
  const dsm_sweep_progress none =
      run("none.sqlite", sweep, 2, (dsm_shard){.index = 99, .count = 100}, SIZE_MAX);
  ck_assert_uint_eq(none.total, 0);
  ck_assert_uint_eq(none.done, 0);
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(test_no_options_are_the_defaults) {
  dsm_sweep *const sweep = small_sweep();
  dsm_store *const store = scratch_open("defaults.sqlite", sweep);
  dsm_sweep_progress progress;
  ck_assert_int_eq(dsm_sweep_run(store, sweep, NULL, &progress, scratch_diags()), DSM_OK);
  ck_assert_uint_eq(progress.done, 36);
  dsm_store_close(store);
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_run_local(void) {
  Suite *const suite = suite_create("run_local");
  TCase *const tcase = tcase_create("run_local");
  tcase_add_checked_fixture(tcase, scratch_enter, scratch_leave);
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, test_threads_do_not_matter);
  tcase_add_test(tcase, test_a_stopped_run_is_gone_on_with);
  tcase_add_test(tcase, test_shards_make_the_whole);
  tcase_add_test(tcase, test_no_options_are_the_defaults);
  suite_add_tcase(suite, tcase);
  return suite;
}
