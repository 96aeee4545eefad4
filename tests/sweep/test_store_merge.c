/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_store_merge.c: the databases of shards become one. */
#include <stdio.h>
#include <string.h>

#include "scratch.h"
#include "suites.h"

static dsm_sweep *sweep;

static void enter(void) {
  scratch_enter();
  sweep = stored_sweep((stored_shape){.minibatch_count = 10, .record = DSM_RECORD_PLANS});
  ck_assert_ptr_nonnull(sweep);
  scratch_make("all", sweep, 0, 1, 40);
  scratch_make("1", sweep, 0, 3, 40);
  scratch_make("2", sweep, 1, 3, 40);
  scratch_make("3", sweep, 2, 3, 40);
}

static void leave(void) {
  dsm_sweep_free(sweep);
  scratch_leave();
}

static const char *const shards[] = {"1", "2", "3"};

/* All that a database says, except in which order words came. */
static const char everything[] =
    "SELECT (SELECT count(*) FROM (SELECT * FROM points EXCEPT SELECT * FROM other.points)) + "
    "(SELECT count(*) FROM (SELECT * FROM layers EXCEPT SELECT * FROM other.layers)) + "
    "(SELECT count(*) FROM (SELECT * FROM other.points EXCEPT SELECT * FROM points)) + "
    "(SELECT count(*) FROM (SELECT * FROM other.layers EXCEPT SELECT * FROM layers))";

static void expect_same(const char *path) {
  char sql[1024];
  (void)snprintf(sql, sizeof sql,
                 "ATTACH 'all' AS other; CREATE TEMP TABLE difference AS %s; "
                 "CREATE TABLE IF NOT EXISTS found(n); INSERT INTO found SELECT * FROM difference;",
                 everything);
  scratch_copy(path, "copy");
  scratch_sql("copy", sql);
  ck_assert_double_eq(scratch_number("copy", "SELECT sum(n) FROM found"), 0);
  ck_assert_double_eq(scratch_number("copy", "SELECT count(*) FROM points"), 40);
}

START_TEST(test_shards_become_the_whole) {
  ck_assert_int_eq(dsm_store_merge("new", shards, 3, scratch_diags()), DSM_OK);
  expect_same("new");
  ck_assert(!scratch_exists("new-wal"));
  dsm_store_close(scratch_open("new", sweep)); /* and it can be continued */
}
END_TEST

START_TEST(test_the_target_may_exist_and_be_a_source) {
  static const char *const sources[] = {"./1", "2", "3", "2", "all"};
  ck_assert_int_eq(dsm_store_merge("1", sources, 5, scratch_diags()), DSM_OK);
  expect_same("1");
  ck_assert_int_eq(dsm_store_merge("1", sources, 5, scratch_diags()), DSM_OK);
  expect_same("1");
}
END_TEST

START_TEST(test_merging_nothing_is_wrong) {
  ck_assert_int_eq(dsm_store_merge("1", shards, 1, scratch_diags()), DSM_ERROR_USAGE);
  scratch_expect("expected other databases to merge into this one");
  ck_assert_int_eq(dsm_store_merge("1", NULL, 0, scratch_diags()), DSM_ERROR_USAGE);
  scratch_expect("expected other databases to merge into this one");
}
END_TEST

static void expect_nothing_merged(dsm_status status, const char *message) {
  ck_assert_int_eq(dsm_store_merge("new", shards, 3, scratch_diags()), status);
  scratch_expect(message);
  ck_assert(!scratch_exists("new"));
  ck_assert(!scratch_exists("new-wal"));
  ck_assert_int_eq(dsm_store_merge("1", shards, 3, scratch_diags()), status);
  dsm_diags_clear(scratch_diags());
  ck_assert_double_eq(scratch_number("1", "SELECT count(*) FROM points"), 14);
}

START_TEST(test_a_point_that_differs_stops_the_merge) {
  static const char *const changes[] = {
      "UPDATE point_row SET utilization=0.25 WHERE point=6",
      "UPDATE layer_row SET cycles=1 WHERE point=6 AND layer=1 AND pass=2",
      "DELETE FROM layer_row WHERE point=6 AND layer=1 AND pass=2",
      "UPDATE plan_text SET plan='{}' WHERE point=6",
  };
  dsm_store *const third = scratch_open("3", sweep);
  scratch_put(third, sweep, 0, 6, 40);
  dsm_store_close(third);
  scratch_sql("3", changes[_i]);
  expect_nothing_merged(DSM_ERROR_INVALID, "its point 6 is not the same as in 1");
}
END_TEST

START_TEST(test_another_sweep_stops_the_merge) {
  dsm_sweep *const other =
      stored_sweep((stored_shape){.minibatch_count = 9, .record = DSM_RECORD_PLANS, .source = "b"});
  ck_assert_int_eq(remove("3"), 0);
  scratch_make("3", other, 0, 1, 3);
  dsm_sweep_free(other);
  expect_nothing_merged(DSM_ERROR_INVALID,
                        "belongs to another sweep than 1; it has 36 points, not 40");
}
END_TEST

START_TEST(test_another_version_stops_the_merge) {
  scratch_sql("2", "UPDATE meta SET dsm_version='0.0.1'");
  expect_nothing_merged(DSM_ERROR_INVALID, "it has results of dsm 0.0.1, but 1 is of dsm");
}
END_TEST

START_TEST(test_a_source_that_is_missing_or_damaged_stops_the_merge) {
  if (_i == 0) {
    ck_assert_int_eq(remove("3"), 0);
    expect_nothing_merged(DSM_ERROR_IO, "cannot open: No such file");
  } else {
    scratch_sql("3", "UPDATE layer_row SET bound=x'00' WHERE point=2");
    scratch_sql("3", "UPDATE point_row SET mode=x'00' WHERE point=8");
    expect_nothing_merged(DSM_ERROR_INVALID, "a row holds what dsm does not write");
  }
}
END_TEST

START_TEST(test_a_target_of_another_sweep_stays_as_it_is) {
  dsm_sweep *const other = stored_sweep(
      (stored_shape){.minibatch_count = 10, .record = DSM_RECORD_PLANS, .source = "b"});
  scratch_make("new", other, 0, 1, 3);
  dsm_sweep_free(other);
  ck_assert_int_eq(dsm_store_merge("new", shards, 3, scratch_diags()), DSM_ERROR_INVALID);
  scratch_expect("belongs to another sweep than 1");
  ck_assert_double_eq(scratch_number("new", "SELECT count(*) FROM points"), 3);
}
END_TEST

Suite *suite_store_merge(void) {
  Suite *const suite = suite_create("store_merge");
  TCase *const tests = tcase_create("store_merge");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_add_test(tests, test_shards_become_the_whole);
  tcase_add_test(tests, test_the_target_may_exist_and_be_a_source);
  tcase_add_test(tests, test_merging_nothing_is_wrong);
  tcase_add_loop_test(tests, test_a_point_that_differs_stops_the_merge, 0, 4);
  tcase_add_test(tests, test_another_sweep_stops_the_merge);
  tcase_add_test(tests, test_another_version_stops_the_merge);
  tcase_add_loop_test(tests, test_a_source_that_is_missing_or_damaged_stops_the_merge, 0, 2);
  tcase_add_test(tests, test_a_target_of_another_sweep_stays_as_it_is);
  suite_add_tcase(suite, tests);
  return suite;
}
