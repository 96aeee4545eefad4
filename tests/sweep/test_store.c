/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_store.c: what is put is there, once, also for readers and for SQL. */
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "suites.h"

static dsm_sweep *sweep;

static void enter(void) {
  scratch_enter();
  sweep = stored_sweep((stored_shape){.minibatch_count = 10, .record = DSM_RECORD_PLANS});
  ck_assert_ptr_nonnull(sweep);
}

static void leave(void) {
  dsm_sweep_free(sweep);
  scratch_leave();
}

static size_t done_count(dsm_store *store) {
  bool is_done[40];
  size_t count = 0;
  ck_assert_int_eq(dsm_store_done(store, is_done, scratch_diags()), DSM_OK);
  for (size_t p = 0; p < sweep->point_count; p++) {
    count += is_done[p];
  }
  return count;
}

START_TEST(test_a_new_database_has_no_points) {
  dsm_store *const store = scratch_open("a.sqlite", sweep);
  ck_assert_uint_eq(done_count(store), 0);
  dsm_point_table *table = NULL;
  ck_assert_int_eq(dsm_store_points(store, &table, scratch_diags()), DSM_OK);
  ck_assert_uint_eq(table->row_count, 0);
  ck_assert_uint_eq(table->point_count, 40);
  ck_assert_str_eq(table->name, "stored");
  dsm_point_table_free(table);
  dsm_store_close(store);
}
END_TEST

START_TEST(test_a_closed_database_is_one_file) {
  scratch_make("a.sqlite", sweep, 0, 1, 40);
  ck_assert(scratch_exists("a.sqlite"));
  ck_assert(!scratch_exists("a.sqlite-wal"));
  ck_assert(!scratch_exists("a.sqlite-shm"));
  ck_assert(!scratch_exists("a.sqlite-journal"));
  ck_assert(dsm_store_is_database("a.sqlite"));
  ck_assert(!dsm_store_is_database("none"));
  ck_assert(!dsm_store_is_database("."));
}
END_TEST

START_TEST(test_rows_come_in_order_of_points_with_all_columns) {
  dsm_store *store = scratch_open("a.sqlite", sweep);
  scratch_put(store, sweep, 1, 2, 40);
  scratch_put(store, sweep, 0, 2, 40);
  dsm_store_close(store);
  store = scratch_read("a.sqlite");
  ck_assert_str_eq(dsm_store_resolved(store), sweep->resolved);
  dsm_point_table *table = NULL;
  ck_assert_int_eq(dsm_store_points(store, &table, scratch_diags()), DSM_OK);
  static const char *const columns[] = {"point",
                                        "status",
                                        "reason",
                                        "workload",
                                        "system",
                                        "workload.minibatch",
                                        "workload.layers.a\"b.stride",
                                        "point:4",
                                        "mode"};
  for (int c = 0; c < COUNT_OF(columns); c++) {
    ck_assert_str_eq(table->columns[c], columns[c]);
  }
  ck_assert_str_eq(table->columns[table->column_count - 1], "decisions");
  ck_assert_uint_eq(table->row_count, 40);
  for (size_t p = 0; p < 40; p++) {
    const dsm_cell *const row = table->cells + p * table->column_count;
    ck_assert_double_eq(row[0].number, (double)p);
    ck_assert_str_eq(row[3].text, p < 20 ? "net_a" : "net_b");
    ck_assert_double_eq(row[5].number, 64.0 * (double)(1 + p / 2 % 10));
    ck_assert_double_eq(row[7].number, p % 2 == 0 ? 0.5 : 1.5);
    const bool is_ok = p % 7 != 5 && p % 11 != 7;
    ck_assert_int_eq(row[2].kind, is_ok ? DSM_CELL_NONE : DSM_CELL_TEXT);
    ck_assert_int_eq(row[8].kind, is_ok ? DSM_CELL_TEXT : DSM_CELL_NONE);
    ck_assert_int_eq(row[9].kind, is_ok ? DSM_CELL_NUMBER : DSM_CELL_NONE);
  }
  dsm_point_table_free(table);
  dsm_store_close(store);
}
END_TEST

START_TEST(test_a_recorded_point_stays_as_it_is) {
  scratch_make("a.sqlite", sweep, 3, 1, 4);
  dsm_store *const store = scratch_open("a.sqlite", sweep);
  stored_result *const made = malloc(sizeof *made);
  ck_assert_ptr_nonnull(made);
  stored_result_init(made, sweep, 4, SCRATCH_LAYERS);
  made->result.point = 3;
  ck_assert_int_eq(dsm_store_put(store, &made->result, scratch_diags()), DSM_OK);
  free(made);
  ck_assert_uint_eq(done_count(store), 1);
  dsm_store_close(store);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT step_cycles FROM points"), 1003);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT count(*) FROM layers"), SCRATCH_LAYERS);
}
END_TEST

START_TEST(test_layers_and_plans_are_there_as_recorded) {
  static const struct {
    dsm_record record;
    int layers;
    int plans;
  } levels[] = {{DSM_RECORD_POINTS, 0, 0}, {DSM_RECORD_LAYERS, 6, 0}, {DSM_RECORD_PLANS, 6, 1}};
  dsm_sweep *const made =
      stored_sweep((stored_shape){.minibatch_count = 10, .record = levels[_i].record});
  scratch_make("a.sqlite", made, 0, 1, 1);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT count(*) FROM layers"), levels[_i].layers);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT count(plan) FROM points"),
                      levels[_i].plans);
  dsm_sweep_free(made);
}
END_TEST

START_TEST(test_views_show_words) {
  scratch_make("a.sqlite", sweep, 2, 1, 3);
  static const char *const true_of_it[] = {
      "SELECT count(*) = 6 AND max(layer) = 1 FROM layers",
      "SELECT name = 'layer_1' AND pass = 'update' AND core_split = 'out 3 ij 8 mb 2' AND "
      "parallelism = 'data_x_model_y' AND bound = 'ring' AND pipeline_group IS NULL AND "
      "cycles = 7.875 FROM layers WHERE layer = 1 AND pass = 'update'",
      "SELECT name = 'layer_0' AND output_on_chip = 1 AND weights_on_chip = 0.25 AND "
      "pipeline_group = 'group' FROM layers WHERE layer = 0 AND pass = 'forward'",
      "SELECT status = 'ok' AND reason IS NULL AND mode = 'training' AND minibatch = 128 AND "
      "optimizations = 'hybrid+dysm' AND parallelisms = "
      "'data+model+data_x_model_y+model_x_data_y' AND \"workload.layers.a\"\"b.stride\" = '[1,1]' "
      "AND \"point:4\" = 0.5 AND typeof(\"workload.minibatch\") = 'integer' FROM points",
      "SELECT dsm_version = '" DSM_VERSION "' AND name = 'stored' AND point_count = 40 AND record "
      "= 'plans' AND length(digest) = 64 AND specification LIKE '{%' FROM meta",
      "SELECT count(*) = 3 AND sum(kind = 'workload') = 2 AND min(length(digest)) = 64 FROM inputs",
  };
  for (int i = 0; i < COUNT_OF(true_of_it); i++) {
    ck_assert_msg(scratch_number("a.sqlite", true_of_it[i]) == 1, "%s", true_of_it[i]);
  }
}
END_TEST

START_TEST(test_readers_see_what_a_writer_has_recorded) {
  dsm_store *const writer = scratch_open("a.sqlite", sweep);
  scratch_put(writer, sweep, 0, 1, 10);
  dsm_store *const reader = scratch_read("a.sqlite");
  ck_assert_uint_eq(done_count(reader), 10);
  scratch_put(writer, sweep, 10, 1, 20);
  ck_assert_uint_eq(done_count(reader), 20);
  dsm_store_close(writer);
  ck_assert_uint_eq(done_count(reader), 20);
  dsm_store_close(reader);
  ck_assert(!scratch_exists("a.sqlite-wal"));
  dsm_store *const again = scratch_open("a.sqlite", sweep);
  ck_assert_uint_eq(done_count(again), 20);
  dsm_store_close(again);
}
END_TEST

START_TEST(test_odd_names_of_files_are_plain_names) {
  static const char *const names[] = {":memory:", "file:x?mode=ro", "a%20b#c?d.sqlite", "-",
                                      "\xc3\xa4.sqlite"};
  scratch_make(names[_i], sweep, 0, 1, 2);
  ck_assert(scratch_exists(names[_i]));
  dsm_store *const reader = scratch_read(names[_i]);
  ck_assert_uint_eq(done_count(reader), 2);
  dsm_store_close(reader);
}
END_TEST

START_TEST(test_a_file_without_tables_is_taken_over) {
  if (_i == 0) {
    scratch_write("a.sqlite", "", 0);
  } else if (_i == 1) {
    scratch_sql("a.sqlite", "PRAGMA journal_mode=WAL");
  } else {
    scratch_sql("a.sqlite", "CREATE TABLE t(x); DROP TABLE t;");
  }
  scratch_make("a.sqlite", sweep, 0, 1, 5);
  dsm_store *const reader = scratch_read("a.sqlite");
  ck_assert_uint_eq(done_count(reader), 5);
  dsm_store_close(reader);
}
END_TEST

START_TEST(test_paths_that_differ_only_in_case_are_two_columns) {
  dsm_sweep *const made =
      stored_sweep((stored_shape){.minibatch_count = 1, .last_path = "Workload.Minibatch"});
  scratch_make("a.sqlite", made, 0, 1, 1);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT \"Workload.Minibatch:4\" FROM points"),
                      0.5);
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT \"workload.minibatch\" FROM points"), 64);
  dsm_sweep_free(made);
}
END_TEST

Suite *suite_store(void) {
  Suite *const suite = suite_create("store");
  TCase *const tests = tcase_create("store");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_add_test(tests, test_a_new_database_has_no_points);
  tcase_add_test(tests, test_a_closed_database_is_one_file);
  tcase_add_test(tests, test_rows_come_in_order_of_points_with_all_columns);
  tcase_add_test(tests, test_a_recorded_point_stays_as_it_is);
  tcase_add_loop_test(tests, test_layers_and_plans_are_there_as_recorded, 0, 3);
  tcase_add_test(tests, test_views_show_words);
  tcase_add_test(tests, test_readers_see_what_a_writer_has_recorded);
  tcase_add_loop_test(tests, test_odd_names_of_files_are_plain_names, 0, 5);
  tcase_add_loop_test(tests, test_a_file_without_tables_is_taken_over, 0, 3);
  tcase_add_test(tests, test_paths_that_differ_only_in_case_are_two_columns);
  suite_add_tcase(suite, tests);
  return suite;
}
