/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep whose axes grow goes on in its database, with what is recorded; any other is refused. */
#include <string.h>

#include "bundled_sweep.h"
#include "dsm/sweep_run.h"
#include "scratch.h"
#include "suites.h"

#define NETS "'workloads': ['alexnet'], 'systems': ['torus16'],"
#define TWO                                                                                        \
  NETS "'axes': [{'path': 'workload.minibatch', 'values': [64, 128]},"                             \
       "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]}]"

static dsm_sweep_progress run(const char *path, const dsm_sweep *sweep, dsm_shard shard) {
  dsm_sweep_run_options options;
  dsm_sweep_run_options_init(&options);
  options.shard = shard;
  dsm_store *const store = scratch_open(path, sweep);
  dsm_sweep_progress progress;
  ck_assert_int_eq(dsm_sweep_run(store, sweep, &options, &progress, scratch_diags()), DSM_OK);
  dsm_store_close(store);
  return progress;
}

static const dsm_shard whole = {.index = 0, .count = 1};
static const dsm_shard some = {.index = 1, .count = 3}; /* points 1, 4, 7, ... */

/* The larger sweep, and how many points it has. */
static const struct {
  const char *members;
  size_t point_count;
} larger[] = {
    {NETS "'axes': [{'path': 'workload.minibatch', 'values': [64, 128, 256]},"
          "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]}]",
     6},
    {NETS "'axes': [{'path': 'workload.minibatch', 'values': [32, 128, 64]},"
          "{'path': 'system.core.scratchpad_MiB', 'values': [0.25, 1, 2, 0.5]}]",
     12},
    {"'workloads': ['alexnet', 'raider'], 'systems': ['torus16', 'torus64'],"
     "'axes': [{'path': 'workload.minibatch', 'values': [64, 128]},"
     "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]}]",
     16},
    {NETS "'axes': [{'path': 'workload.minibatch', 'values': [64, 128, 0]},"
          "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1, 2]}],"
          "'exclude': ['workload.minibatch = 64, system.core.scratchpad_MiB = 2']",
     8},
    {TWO, 4},
};

/* Merging compares all points that both databases have, with their layers and plans. */
static void expect_same(const char *first, const char *second, size_t point_count) {
  dsm_store *const stores[] = {scratch_read(first), scratch_read(second)};
  for (int i = 0; i < 2; i++) {
    dsm_point_table *table = NULL;
    ck_assert_int_eq(dsm_store_points(stores[i], &table, scratch_diags()), DSM_OK);
    ck_assert_uint_eq(table->row_count, point_count);
    dsm_point_table_free(table);
    dsm_store_close(stores[i]);
  }
  ck_assert_int_eq(dsm_store_merge(first, &second, 1, scratch_diags()), DSM_OK);
}

START_TEST(test_what_is_recorded_stays) {
  const bool is_part = _i % 2 == 1; /* not all of the smaller one is recorded */
  dsm_sweep *const small = bundled_sweep(TWO, DSM_RECORD_PLANS);
  dsm_sweep *const large = bundled_sweep(larger[_i / 2].members, DSM_RECORD_PLANS);
  ck_assert_uint_eq(large->point_count, larger[_i / 2].point_count);
  const size_t recorded = run("a.sqlite", small, is_part ? some : whole).done;
  ck_assert_uint_eq(recorded, is_part ? 1 : 4);
  ck_assert(!dsm_store_is_of_other("a.sqlite", large));
  const dsm_sweep_progress grown = run("a.sqlite", large, whole);
  ck_assert_uint_eq(grown.earlier, recorded);
  ck_assert_uint_eq(grown.done, large->point_count);
  (void)run("fresh.sqlite", large, whole);
  expect_same("fresh.sqlite", "a.sqlite", large->point_count);
  ck_assert(large->point_count == small->point_count || dsm_store_is_of_other("a.sqlite", small));
  dsm_sweep_free(small);
  dsm_sweep_free(large);
}
END_TEST

static const char *const others[] = {
    /* a value less */
    NETS "'axes': [{'path': 'workload.minibatch', 'values': [64, 256, 512]},"
         "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]}]",
    /* other paths */
    NETS "'axes': [{'path': 'workload.minibatch', 'values': [64, 128, 256]}]",
    NETS "'axes': [{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]},"
         "{'path': 'workload.minibatch', 'values': [64, 128, 256]}]",
    /* other inputs, settings, options, name */
    "'workloads': ['raider'], 'systems': ['torus16'], 'name': 'alexnet-torus16',"
    "'axes': [{'path': 'workload.minibatch', 'values': [64, 128, 256]},"
    "{'path': 'system.core.scratchpad_MiB', 'values': [0.5, 1]}]",
    TWO ", 'set': {'system.core.frequency_GHz': 2}",
    TWO ", 'options': {'mode': 'inference'}",
    TWO ", 'options': {'optimize': 'hybrid'}",
    TWO ", 'options': {'parallelism': 'data'}",
    TWO ", 'options': {'gap': 0.5}",
    TWO ", 'options': {'time_limit_seconds': 100}",
    TWO ", 'name': 'other'",
};

START_TEST(test_another_question_is_refused) {
  dsm_sweep *const first = bundled_sweep(TWO, DSM_RECORD_LAYERS);
  dsm_sweep *const other = bundled_sweep(others[_i], DSM_RECORD_LAYERS);
  (void)run("a.sqlite", first, whole);
  ck_assert(dsm_store_is_of_other("a.sqlite", other));
  dsm_store *store = NULL;
  ck_assert_int_eq(dsm_store_open(&store, "a.sqlite", other, scratch_diags()), DSM_ERROR_INVALID);
  scratch_expect("the database belongs to another sweep");
  ck_assert(!dsm_store_is_of_other("a.sqlite", first));
  ck_assert_uint_eq(run("a.sqlite", first, whole).earlier, 4);
  dsm_sweep_free(first);
  dsm_sweep_free(other);
}
END_TEST

/* What a limit cut short is no answer to the question without one, nor the other way round. */
START_TEST(test_limits_are_of_the_question) {
  dsm_sweep *const exact = bundled_sweep(TWO, DSM_RECORD_LAYERS);
  dsm_sweep *const limited =
      bundled_sweep(TWO ", 'options': {'gap': 0.5, 'time_limit_seconds': 60}", DSM_RECORD_LAYERS);
  (void)run("a.sqlite", limited, whole);
  ck_assert(dsm_store_is_of_other("a.sqlite", exact));
  dsm_sweep_free(exact);
  dsm_sweep_free(limited);
}
END_TEST

#define STEPS NETS "'options': {'optimize': ['hybrid', 'accumulate']}"
#define IN_POINTS "SELECT count(*) FROM pragma_table_info('points') "

/* Columns of what a step decides are there where options or axes allow it. */
START_TEST(test_columns_of_the_step_are_where_it_decides) {
  static const struct {
    const char *members;
    double columns;
  } of[] = {{STEPS, 5},
            {NETS "'options': {'optimize': 'hybrid'}", 0},
            {NETS "'axes': [{'path': 'options.optimize', 'values': ['hybrid+shard', 'all']}]", 5},
            {NETS "'axes': [{'path': 'options.optimize', 'values': ['hybrid', 'all']}]", 0}};
  dsm_sweep *const sweep = bundled_sweep(of[_i].members, DSM_RECORD_POINTS);
  (void)run("a.sqlite", sweep, whole);
  ck_assert_double_eq(scratch_number("a.sqlite", IN_POINTS
                                     "WHERE name IN ('micro_batches','stages','interleave',"
                                     "'recomputed_layers','sharded_layers')"),
                      of[_i].columns);
  if (of[_i].columns > 0) {
    ck_assert_double_eq(
        scratch_number("a.sqlite", "SELECT min(micro_batches + stages + interleave) FROM points"),
        3);
  }
  dsm_sweep_free(sweep);
}
END_TEST

/* A database from before those columns: as it is without them. */
START_TEST(test_database_without_columns_of_the_step_goes_on) {
  dsm_sweep *const sweep = bundled_sweep(STEPS, DSM_RECORD_POINTS);
  dsm_store_close(scratch_open("a.sqlite", sweep));
  scratch_sql("a.sqlite",
              "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(replace(sql,"
              "',micro_batches,stages,interleave,recomputed_layers,sharded_layers', ''),"
              "',\"micro_batches\",\"stages\",\"interleave\",\"recomputed_layers\","
              "\"sharded_layers\"', '')");
  ck_assert_uint_eq(run("a.sqlite", sweep, whole).done, 1);
  ck_assert_double_eq(scratch_number("a.sqlite", IN_POINTS "WHERE name = 'micro_batches'"), 0);
  (void)run("b.sqlite", sweep, whole);
  const char *const second = "b.sqlite";
  ck_assert_int_eq(dsm_store_merge("a.sqlite", &second, 1, scratch_diags()), DSM_ERROR_INVALID);
  scratch_expect("it and b.sqlite have other columns: one was made by an older dsm");
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(test_what_is_no_database_is_of_no_other) {
  dsm_sweep *const sweep = bundled_sweep(TWO, DSM_RECORD_LAYERS);
  scratch_write("text", "{}\n", 3);
  ck_assert(!dsm_store_is_of_other("none.sqlite", sweep));
  ck_assert(!dsm_store_is_of_other("text", sweep));
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_store_grow(void) {
  Suite *const suite = suite_create("store_grow");
  TCase *const tests = tcase_create("store_grow");
  tcase_add_checked_fixture(tests, scratch_enter, scratch_leave);
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_what_is_recorded_stays, 0, 2 * COUNT_OF(larger));
  tcase_add_loop_test(tests, test_another_question_is_refused, 0, COUNT_OF(others));
  tcase_add_test(tests, test_limits_are_of_the_question);
  tcase_add_loop_test(tests, test_columns_of_the_step_are_where_it_decides, 0, 4);
  tcase_add_test(tests, test_database_without_columns_of_the_step_goes_on);
  tcase_add_test(tests, test_what_is_no_database_is_of_no_other);
  suite_add_tcase(suite, tests);
  return suite;
}
