/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_validation.c: what no file can bring about; all else of findings the cases say
 * (tests/cli/cases: validate_*). */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

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

/* ---- findings as JSON ---- */

static cJSON *read_diags(const dsm_diags *list) {
  char *const text = as_json(DSM_ANSWER(findings, list));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_msg(cJSON_IsArray(root), "%s", text);
  free(text);
  return root;
}

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

START_TEST(test_a_valid_file_of_no_kind_is_a_description) {
  const dsm_validated item = {.file = "f\033", .status = DSM_OK};
  char *const text = as_table(DSM_ANSWERS(validation, &item, 1), plain_style(80));
  ck_assert_str_eq(text, "f?: valid description\n");
  free(text);
}
END_TEST

Suite *suite_validation(void) {
  Suite *const suite = suite_create("validation");
  TCase *const findings = tcase_create("findings");
  tcase_add_checked_fixture(findings, set_up, tear_down);
  tcase_add_test(findings, test_no_findings_are_an_empty_list);
  tcase_add_loop_test(findings, test_any_byte_in_a_message_makes_valid_json, 1, 256);
  suite_add_tcase(suite, findings);
  TCase *const files = tcase_create("files");
  tcase_add_checked_fixture(files, set_up, tear_down);
  tcase_add_test(files, test_a_valid_file_of_no_kind_is_a_description);
  suite_add_tcase(suite, files);
  return suite;
}
