/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiers, notes, and what parsing promises. */
#include <stdio.h>
#include <string.h>

#include "machine_text.h"
#include "suites.h"

static outcome read;

static void tear_down(void) {
  outcome_free(&read);
  read = (outcome){0};
}

START_TEST(test_torus_has_at_most_1048576_chips) {
  const dsm_override legal[] = {{"system.chips_x", "1024", NULL}, {"system.chips_y", "1024", NULL}};
  read = read_minimal(legal, 2);
  ck_assert_int_eq(read.status, DSM_OK);
}
END_TEST

START_TEST(test_torus_of_more_than_1048576_chips_is_refused) {
  const dsm_override illegal[] = {{"system.chips_x", "1024", NULL},
                                  {"system.chips_y", "1025", NULL}};
  read = read_minimal(illegal, 2);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, "$.system");
}
END_TEST

START_TEST(test_tier_without_required_parameters_may_be_empty) {
  static const char *const tiers[] = {"pe", "array", "model", "notes"};
  read = read_with(tiers[_i], "{}");
  ck_assert_int_eq(read.status, DSM_OK);
}
END_TEST

START_TEST(test_tier_must_be_an_object) {
  static const char *const tiers[] = {"pe", "array", "core", "chip", "system", "model", "notes"};
  char path[32];
  read = read_with(tiers[_i], "8");
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  snprintf(path, sizeof path, "$.%s", tiers[_i]);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, path);
}
END_TEST

START_TEST(test_notes_are_found_by_parameter) {
  const dsm_override note = {.path = "notes",
                             .value = "{\"chip.cores\": \"enough\", \"core.frequency_GHz\": \"\"}"};
  read = read_minimal(&note, 1);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_str_eq(dsm_system_note(read.system, "chip.cores"), "enough");
  ck_assert_str_eq(dsm_system_note(read.system, "core.frequency_GHz"), "");
  ck_assert_ptr_null(dsm_system_note(read.system, "array.rows"));
  ck_assert_ptr_null(dsm_system_note(read.system, "cores"));
}
END_TEST

START_TEST(test_note_on_what_is_no_parameter_is_refused) {
  static const char *const paths[] = {"{\"chip\": \"x\"}", "{\"chip.core\": \"x\"}",
                                      "{\"\": \"x\"}"};
  read = read_with("notes", paths[_i]);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
}
END_TEST

START_TEST(test_order_of_keys_changes_nothing) {
  static const char permuted[] =
      "{\"system\": {\"link_bandwidth_y_GBps\": 25, \"link_bandwidth_x_GBps\": 50, \"chips_y\": 2,"
      " \"chips_x\": 4, \"topology\": \"torus_2d\"}, \"chip\": {\"memory\": {\"bandwidth_GBps\": "
      "200,"
      " \"capacity_GB\": 4}, \"core_link_bandwidth_GBps\": 100, \"interconnect\": \"ring\","
      " \"cores\": 8}, \"core\": {\"scratchpad_bandwidth_GBps\": 64, \"scratchpad_MiB\": 0.5,"
      " \"frequency_GHz\": 1.5}, \"name\": \"minimal\", \"format\": \"dsm-system/1\"}";
  dsm_system *other = NULL;
  read = read_minimal(NULL, 0);
  ck_assert_int_eq(
      dsm_system_parse(&other, permuted, strlen(permuted), "other.json", NULL, 0, NULL), DSM_OK);
  expect_same_system(read.system, other);
  dsm_system_free(other);
}
END_TEST

START_TEST(test_findings_may_be_left_out) {
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_parse(&system, "{}", 2, "x.json", NULL, 0, NULL), DSM_ERROR_INVALID);
  ck_assert_ptr_null(system);
}
END_TEST

START_TEST(test_missing_file_is_an_io_error) {
  dsm_system *system = NULL;
  read.diags = dsm_diags_new(10);
  ck_assert_int_eq(dsm_system_load(&system, "/nonexistent/x.json", NULL, 0, read.diags),
                   DSM_ERROR_IO);
  ck_assert_ptr_null(system);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
}
END_TEST

START_TEST(test_no_system_is_freed) {
  dsm_system_free(NULL);
}
END_TEST

Suite *suite_system_json(void) {
  Suite *const suite = suite_create("system_json");
  TCase *const tcase = tcase_create("reading");
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_test(tcase, test_torus_has_at_most_1048576_chips);
  tcase_add_test(tcase, test_torus_of_more_than_1048576_chips_is_refused);
  tcase_add_loop_test(tcase, test_tier_without_required_parameters_may_be_empty, 0, 4);
  tcase_add_loop_test(tcase, test_tier_must_be_an_object, 0, 7);
  tcase_add_test(tcase, test_notes_are_found_by_parameter);
  tcase_add_loop_test(tcase, test_note_on_what_is_no_parameter_is_refused, 0, 3);
  tcase_add_test(tcase, test_order_of_keys_changes_nothing);
  tcase_add_test(tcase, test_findings_may_be_left_out);
  tcase_add_test(tcase, test_missing_file_is_an_io_error);
  tcase_add_test(tcase, test_no_system_is_freed);
  suite_add_tcase(suite, tcase);
  return suite;
}
