/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/suggest.h"
#include "reading.h"
#include "subjects.h"

static dsm_diags *diags;

static void set_up(void) {
  diags = dsm_diags_new(3);
  ck_assert_ptr_nonnull(diags);
}

static void tear_down(void) {
  dsm_diags_free(diags);
}

static const dsm_diag full = {.severity = DSM_SEVERITY_ERROR,
                              .file = "a,b.json",
                              .line = 3,
                              .column = 14,
                              .path = "$.layers[0].\"x\"",
                              .message = "expected a number, found \"C:\\temp\"",
                              .hint = "did you mean \"größe\"?"};
static const dsm_diag bare = {.severity = DSM_SEVERITY_WARNING, .message = "odd"};

/* ---- findings as JSON ---- */

static cJSON *read_diags(const dsm_diags *list) {
  char *const text = as_json(DSM_ANSWER(findings, list));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_msg(cJSON_IsArray(root), "%s", text);
  free(text);
  return root;
}

START_TEST(test_findings_come_back_as_they_were) {
  dsm_diags_append(diags, &full);
  cJSON *const root = read_diags(diags);
  ck_assert_int_eq(cJSON_GetArraySize(root), 1);
  const cJSON *const finding = cJSON_GetArrayItem(root, 0);
  ck_assert_int_eq(cJSON_GetArraySize(finding), 7);
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "severity")->valuestring, "error");
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "file")->valuestring, full.file);
  ck_assert_double_eq(cJSON_GetObjectItem(finding, "line")->valuedouble, 3);
  ck_assert_double_eq(cJSON_GetObjectItem(finding, "column")->valuedouble, 14);
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "path")->valuestring, full.path);
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "message")->valuestring, full.message);
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "hint")->valuestring, full.hint);
  cJSON_Delete(root);
}
END_TEST

START_TEST(test_what_is_not_known_is_left_out) {
  dsm_diags_append(diags, &bare);
  cJSON *const root = read_diags(diags);
  const cJSON *const finding = cJSON_GetArrayItem(root, 0);
  ck_assert_int_eq(cJSON_GetArraySize(finding), 2);
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "severity")->valuestring, "warning");
  ck_assert_str_eq(cJSON_GetObjectItem(finding, "message")->valuestring, "odd");
  cJSON_Delete(root);
}
END_TEST

START_TEST(test_no_findings_are_an_empty_list) {
  cJSON *root = read_diags(diags);
  ck_assert_int_eq(cJSON_GetArraySize(root), 0);
  cJSON_Delete(root);
  root = read_diags(NULL);
  ck_assert_int_eq(cJSON_GetArraySize(root), 0);
  cJSON_Delete(root);
}
END_TEST

/* Whatever bytes a finding quotes, its JSON is valid. */
START_TEST(test_any_byte_in_a_message_makes_valid_json) {
  dsm_diag diag = {.severity = DSM_SEVERITY_NOTE};
  diag.message[0] = (char)_i;
  diag.message[1] = 'x';
  dsm_diags_append(diags, &diag);
  cJSON *const root = read_diags(diags);
  ck_assert_int_eq(cJSON_GetArraySize(root), 1);
  cJSON_Delete(root);
}
END_TEST

/* ---- files ---- */

/* A good file, one with two findings of which one is an error, and one that is not there. */
static void make_items(dsm_validated items[3]) {
  dsm_diags_append(diags, &full);
  dsm_diags_append(diags, &bare);
  items[0] = (dsm_validated){
      .file = "w.json", .kind = "workload", .summary = "16 layers", .status = DSM_OK};
  items[1] = (dsm_validated){
      .file = "a,b.json", .kind = "system", .status = DSM_ERROR_INVALID, .diags = diags};
  items[2] = (dsm_validated){.file = "none", .status = DSM_ERROR_IO};
}

START_TEST(test_table_has_a_line_for_each_file) {
  dsm_validated items[3];
  make_items(items);
  char *const text = as_table(DSM_ANSWERS(validation, items, 3), plain_style(80));
  expect_tidy(text);
  ck_assert_str_eq(text, "w.json: valid workload (16 layers)\n"
                         "a,b.json: invalid input (1 error)\n"
                         "none: input or output error (0 errors)\n");
  free(text);
}
END_TEST

START_TEST(test_a_valid_file_of_no_kind_is_a_description) {
  const dsm_validated item = {.file = "f\033", .status = DSM_OK};
  char *const text = as_table(DSM_ANSWERS(validation, &item, 1), plain_style(80));
  ck_assert_str_eq(text, "f?: valid description\n");
  free(text);
}
END_TEST

/* Of five errors the list keeps three. */
START_TEST(test_findings_that_were_dropped_are_counted) {
  for (int i = 0; i < 5; i++) {
    dsm_diags_append(diags, &full);
  }
  const dsm_validated item = {
      .file = "f", .kind = "plan", .status = DSM_ERROR_INVALID, .diags = diags};
  char *const text = as_table(DSM_ANSWERS(validation, &item, 1), plain_style(80));
  ck_assert_str_eq(text, "f: invalid input (5 errors)\n");
  free(text);
  char *const json = as_json(DSM_ANSWERS(validation, &item, 1));
  cJSON *const root = cJSON_Parse(json);
  const cJSON *const file = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "items"), 0);
  ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(file, "findings")), 3);
  ck_assert_double_eq(cJSON_GetObjectItem(file, "findings_dropped")->valuedouble, 2);
  cJSON_Delete(root);
  free(json);
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  dsm_validated items[3];
  make_items(items);
  expect_same_without_color(
      as_table(DSM_ANSWERS(validation, items, 3), (dsm_table_style){.width = 80, .color = true}),
      as_table(DSM_ANSWERS(validation, items, 3), plain_style(80)));
}
END_TEST

START_TEST(test_json_has_an_item_for_each_file) {
  dsm_validated items[3];
  make_items(items);
  char *const text = as_json(DSM_ANSWERS(validation, items, 3));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_str_eq(cJSON_GetObjectItem(root, "format")->valuestring, "dsm-validate/1");
  const cJSON *const list = cJSON_GetObjectItem(root, "items");
  ck_assert_int_eq(cJSON_GetArraySize(list), 3);
  const cJSON *const good = cJSON_GetArrayItem(list, 0);
  ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(good, "valid")));
  ck_assert_str_eq(cJSON_GetObjectItem(good, "status")->valuestring, "ok");
  ck_assert_str_eq(cJSON_GetObjectItem(good, "kind")->valuestring, "workload");
  const cJSON *const bad = cJSON_GetArrayItem(list, 1);
  ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(bad, "valid")));
  ck_assert_str_eq(cJSON_GetObjectItem(bad, "status")->valuestring, "invalid input");
  ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(bad, "findings")), 2);
  const cJSON *const missing = cJSON_GetArrayItem(list, 2);
  ck_assert(!cJSON_HasObjectItem(missing, "kind"));
  ck_assert_str_eq(cJSON_GetObjectItem(missing, "status")->valuestring, "input or output error");
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_csv_has_a_row_for_each_finding_or_file) {
  static const char *const titles[] = {"file",   "kind", "valid",   "severity", "line",
                                       "column", "path", "message", "hint",     NULL};
  dsm_validated items[3];
  make_items(items);
  char *const text = as_csv(DSM_ANSWERS(validation, items, 3));
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  ck_assert_uint_eq(table.row_count, 4);
  ck_assert_str_eq(csv_at(&table, 0, "file"), "w.json");
  ck_assert_str_eq(csv_at(&table, 0, "valid"), "true");
  ck_assert_str_eq(csv_at(&table, 0, "severity"), "");
  ck_assert_str_eq(csv_at(&table, 1, "file"), "a,b.json");
  ck_assert_str_eq(csv_at(&table, 1, "valid"), "false");
  ck_assert_str_eq(csv_at(&table, 1, "line"), "3");
  ck_assert_str_eq(csv_at(&table, 1, "path"), full.path);
  ck_assert_str_eq(csv_at(&table, 1, "message"), full.message);
  ck_assert_str_eq(csv_at(&table, 1, "hint"), full.hint);
  ck_assert_str_eq(csv_at(&table, 2, "severity"), "warning");
  ck_assert_str_eq(csv_at(&table, 2, "line"), "");
  ck_assert_str_eq(csv_at(&table, 3, "kind"), "");
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_validation(void) {
  Suite *const suite = suite_create("validation");
  TCase *const findings = tcase_create("findings");
  tcase_add_checked_fixture(findings, set_up, tear_down);
  tcase_add_test(findings, test_findings_come_back_as_they_were);
  tcase_add_test(findings, test_what_is_not_known_is_left_out);
  tcase_add_test(findings, test_no_findings_are_an_empty_list);
  tcase_add_loop_test(findings, test_any_byte_in_a_message_makes_valid_json, 1, 256);
  suite_add_tcase(suite, findings);
  TCase *const files = tcase_create("files");
  tcase_add_checked_fixture(files, set_up, tear_down);
  tcase_add_test(files, test_table_has_a_line_for_each_file);
  tcase_add_test(files, test_a_valid_file_of_no_kind_is_a_description);
  tcase_add_test(files, test_findings_that_were_dropped_are_counted);
  tcase_add_test(files, test_colour_adds_only_escapes);
  tcase_add_test(files, test_json_has_an_item_for_each_file);
  tcase_add_test(files, test_csv_has_a_row_for_each_finding_or_file);
  suite_add_tcase(suite, files);
  return suite;
}
