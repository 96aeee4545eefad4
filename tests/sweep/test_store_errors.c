/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_store_errors.c: files that are not the database that they should be, and stay as they are.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "suites.h"

static dsm_sweep *sweep;

static void enter(void) {
  scratch_enter();
  sweep = stored_sweep((stored_shape){.minibatch_count = 10, .record = DSM_RECORD_LAYERS});
  ck_assert_ptr_nonnull(sweep);
}

static void leave(void) {
  dsm_sweep_free(sweep);
  scratch_leave();
}

static void expect_write(const char *path, dsm_status status, const char *message) {
  dsm_store *store = (dsm_store *)&store;
  ck_assert_int_eq(dsm_store_open(&store, path, sweep, scratch_diags()), status);
  ck_assert_ptr_null(store);
  scratch_expect(message);
}

static void expect_read(const char *path, dsm_status status, const char *message) {
  dsm_store *store = (dsm_store *)&store;
  ck_assert_int_eq(dsm_store_open_read(&store, path, scratch_diags()), status);
  ck_assert_ptr_null(store);
  scratch_expect(message);
}

START_TEST(test_a_text_is_no_database) {
  static const char text[] = "{ \"format\": \"dsm-sweep/1\" }\n";
  scratch_write("a.sqlite", text, sizeof text - 1);
  expect_write("a.sqlite", DSM_ERROR_INVALID, "found another file");
  expect_read("a.sqlite", DSM_ERROR_INVALID, "found another file");
  char *found = NULL;
  size_t length = 0;
  ck_assert_int_eq(dsm_file_read(&found, &length, "a.sqlite", NULL), DSM_OK);
  ck_assert_str_eq(found, text);
  free(found);
}
END_TEST

START_TEST(test_places_without_a_file) {
  ck_assert_int_eq(mkdir("folder", 0755), 0);
  expect_read("none.sqlite", DSM_ERROR_IO, "cannot open: No such file");
  expect_read("folder", DSM_ERROR_IO, "found no regular file");
  expect_write("folder", DSM_ERROR_IO, "cannot open for writing: Is a directory");
  expect_write("none/a.sqlite", DSM_ERROR_IO, "cannot open for writing: No such file");
  expect_write("", DSM_ERROR_IO, "cannot open for writing: No such file");
  expect_write("/dev/null", DSM_ERROR_IO, "expected a regular file");
  ck_assert(!scratch_exists("none.sqlite"));
}
END_TEST

START_TEST(test_an_empty_file_cannot_be_read) {
  scratch_write("a.sqlite", "", 0);
  expect_read("a.sqlite", DSM_ERROR_INVALID, "found an empty one");
}
END_TEST

START_TEST(test_a_database_of_another_program) {
  scratch_sql("a.sqlite", "CREATE TABLE t(x); INSERT INTO t VALUES (7);");
  expect_write("a.sqlite", DSM_ERROR_INVALID, "found one of another program (application_id 0)");
  expect_read("a.sqlite", DSM_ERROR_INVALID, "found one of another program");
  ck_assert_double_eq(scratch_number("a.sqlite", "SELECT x FROM t"), 7);
}
END_TEST

START_TEST(test_another_version_of_the_tables) {
  static const struct {
    const char *sql;
    const char *message;
  } cases[] = {
      {"PRAGMA user_version=2", "found version 2, of a newer dsm"},
      {"PRAGMA user_version=0", "found version 0, of an older dsm"},
      {"PRAGMA application_id=7", "of another program (application_id 7)"},
      {"DROP VIEW points", "it has no view \"points\""},
      {"DROP TABLE meta", "it has no table \"meta\""},
      {"DELETE FROM meta", "its tables are not as dsm makes them"},
      {"DROP VIEW points; CREATE VIEW points AS SELECT 1 AS point",
       "its view \"points\" is not as dsm makes it"},
      {"UPDATE meta SET point_count=-1", "its tables are not as dsm makes them"},
      {"UPDATE meta SET specification='{}'", "its tables are not as dsm makes them"},
      {"UPDATE meta SET name=CAST(x'41FF' AS TEXT)", "its tables are not as dsm makes them"},
  };
  scratch_make("a.sqlite", sweep, 0, 1, 3);
  scratch_sql("a.sqlite", cases[_i].sql);
  expect_write("a.sqlite", DSM_ERROR_INVALID, cases[_i].message);
  expect_read("a.sqlite", DSM_ERROR_INVALID, cases[_i].message);
}
END_TEST

/* A view could compute for ever where a table is expected; the last one also
 * claims to be a table, which SQLite itself refuses.
 */
#define ENDLESS                                                                                    \
  "(name,dsm_version,digest,record,point_count,specification) AS WITH RECURSIVE n(i) AS (SELECT "  \
  "1 "                                                                                             \
  "UNION ALL SELECT i+1 FROM n) SELECT i,i,i,i,i,i FROM n WHERE i<0"

START_TEST(test_objects_that_dsm_does_not_make) {
  static const struct {
    const char *sql;
    const char *message;
  } cases[] = {
      {"DROP TABLE meta; CREATE VIEW meta" ENDLESS, "its view \"meta\" is not as dsm makes it"},
      {"DROP TABLE axis; CREATE VIEW axis(position,path) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
       "ALL SELECT i+1 FROM n) SELECT i,i FROM n",
       "its view \"axis\" is not as dsm makes it"},
      {"DROP TABLE point_row; CREATE VIEW point_row AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
       "SELECT i+1 FROM n) SELECT i AS point FROM n",
       "its view \"point_row\" is not as dsm makes it"},
      {"DROP VIEW points; CREATE VIEW points AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
       "i+1 FROM n) SELECT i AS point FROM n",
       "its view \"points\" is not as dsm makes it"},
      {"DROP TABLE inputs; CREATE TABLE inputs(kind,name,file,digest)",
       "its table \"inputs\" is not as dsm makes it"},
      {"CREATE TABLE more(x)", "it also has the table \"more\""},
      {"CREATE VIEW more AS SELECT 1", "it also has the view \"more\""},
      {"CREATE INDEX more ON point_row(status)", "it also has the index \"more\""},
      {"CREATE TRIGGER more AFTER INSERT ON point_row BEGIN DELETE FROM layer_row; END",
       "it also has the trigger \"more\""},
      {"PRAGMA writable_schema=ON; DROP TABLE meta; CREATE VIEW meta" ENDLESS
       "; UPDATE sqlite_schema SET type='table' WHERE name='meta'",
       "malformed database schema (meta)"},
  };
  dsm_sweep *const other = stored_sweep(
      (stored_shape){.minibatch_count = 10, .record = DSM_RECORD_LAYERS, .source = "b"});
  scratch_make("a.sqlite", sweep, 0, 1, 3);
  scratch_make("b.sqlite", other, 0, 1, 3);
  dsm_sweep_free(other);
  scratch_sql("a.sqlite", cases[_i].sql);
  expect_write("a.sqlite", DSM_ERROR_INVALID, cases[_i].message);
  expect_read("a.sqlite", DSM_ERROR_INVALID, cases[_i].message);
  const char *const source = "a.sqlite";
  ck_assert_int_eq(dsm_store_merge("b.sqlite", &source, 1, scratch_diags()), DSM_ERROR_INVALID);
  scratch_expect(cases[_i].message);
}
END_TEST

START_TEST(test_another_sweep_is_told_apart) {
  static const struct {
    stored_shape shape;
    const char *message;
  } cases[] = {
      {{.minibatch_count = 10, .record = DSM_RECORD_LAYERS, .source = "b"},
       "belongs to another sweep than the one asked for; values, conditions or options differ"},
      {{.minibatch_count = 9, .record = DSM_RECORD_LAYERS, .source = "b"},
       "; it has 36 points, not 40"},
      {{.minibatch_count = 10, .record = DSM_RECORD_PLANS, .source = "b"},
       "; it records plans, not layers"},
      {{.minibatch_count = 10, .record = DSM_RECORD_LAYERS, .source = "b", .name = "other"},
       "; it is called \"other\", not \"stored\""},
      {{.minibatch_count = 10, .record = DSM_RECORD_LAYERS, .source = "b", .input_mark = "9"},
       "; its workload \"net_a\" is another"},
      {{.minibatch_count = 10,
        .record = DSM_RECORD_LAYERS,
        .source = "b",
        .last_path = "system.pe.simd_macs"},
       "; it does not vary point; it varies system.pe.simd_macs"},
  };
  dsm_sweep *const other = stored_sweep(cases[_i].shape);
  scratch_make("a.sqlite", other, 0, 1, 3);
  dsm_sweep_free(other);
  expect_write("a.sqlite", DSM_ERROR_INVALID, cases[_i].message);
  dsm_store_close(scratch_read("a.sqlite"));
}
END_TEST

START_TEST(test_results_of_another_version_are_read_but_not_continued) {
  scratch_make("a.sqlite", sweep, 0, 1, 3);
  scratch_sql("a.sqlite", "UPDATE meta SET dsm_version='0.0.1'");
  expect_write("a.sqlite", DSM_ERROR_INVALID,
               "it has results of dsm 0.0.1, but this program is of dsm " DSM_VERSION);
  dsm_store_close(scratch_read("a.sqlite"));
}
END_TEST

START_TEST(test_one_writer_at_a_time) {
  dsm_store *const writer = scratch_open("a.sqlite", sweep);
  expect_write("a.sqlite", DSM_ERROR_IO, "another process writes to this database");
  ck_assert(scratch_exists("a.sqlite"));
  scratch_put(writer, sweep, 0, 1, 3);
  dsm_store_close(writer);
  dsm_store_close(scratch_open("a.sqlite", sweep));
}
END_TEST

START_TEST(test_rows_that_dsm_does_not_write) {
  static const char *const changes[] = {
      "UPDATE point_row SET mode=x'00' WHERE point=1",
      "UPDATE point_row SET step_cycles=9e999 WHERE point=1",
      "UPDATE point_row SET decisions=CAST(x'C0AF' AS TEXT) WHERE point=1",
      "UPDATE point_row SET decisions=CAST(x'410042' AS TEXT) WHERE point=1",
      "UPDATE point_row SET point=40 WHERE point=1",
      "UPDATE point_row SET point=-1 WHERE point=1",
  };
  scratch_make("a.sqlite", sweep, 0, 1, 3);
  scratch_sql("a.sqlite", changes[_i]);
  dsm_store *const store = scratch_read("a.sqlite");
  dsm_point_table *table = (dsm_point_table *)&table;
  ck_assert_int_eq(dsm_store_points(store, &table, scratch_diags()), DSM_ERROR_INVALID);
  ck_assert_ptr_null(table);
  scratch_expect("the database is damaged: a row holds what dsm does not write");
  dsm_store_close(store);
}
END_TEST

Suite *suite_store_errors(void) {
  Suite *const suite = suite_create("store_errors");
  TCase *const tests = tcase_create("store_errors");
  tcase_add_checked_fixture(tests, enter, leave);
  tcase_add_test(tests, test_a_text_is_no_database);
  tcase_add_test(tests, test_places_without_a_file);
  tcase_add_test(tests, test_an_empty_file_cannot_be_read);
  tcase_add_test(tests, test_a_database_of_another_program);
  tcase_add_loop_test(tests, test_another_version_of_the_tables, 0, 10);
  tcase_add_loop_test(tests, test_objects_that_dsm_does_not_make, 0, 10);
  tcase_add_loop_test(tests, test_another_sweep_is_told_apart, 0, 6);
  tcase_add_test(tests, test_results_of_another_version_are_read_but_not_continued);
  tcase_add_test(tests, test_one_writer_at_a_time);
  tcase_add_loop_test(tests, test_rows_that_dsm_does_not_write, 0, 6);
  suite_add_tcase(suite, tests);
  return suite;
}
