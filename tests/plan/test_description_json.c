/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a text describes is told by its `format`, whatever else is wrong with it. */
#include <string.h>

#include "dsm/dsm.h"
#include "suites.h"

typedef struct known_case {
  const char *text;
  dsm_description description;
} known_case;

static const known_case known[] = {
    {"{\"format\": \"dsm-workload/1\"}", DSM_DESCRIPTION_WORKLOAD},
    {"{\"format\": \"dsm-system/1\"}", DSM_DESCRIPTION_SYSTEM},
    {"{\"format\": \"dsm-plan/1\"}", DSM_DESCRIPTION_PLAN},
    {"{\"format\": \"dsm-sweep/1\"}", DSM_DESCRIPTION_SWEEP},
    {"{\"format\": \"dsm-server/1\"}", DSM_DESCRIPTION_SERVER},
    {"{\"format\": \"dsm-profile/1\"}", DSM_DESCRIPTION_PROFILE},
    {"{\"a\": {\"format\": 1}, \"format\": \"dsm-plan/1\", \"b\": []}", DSM_DESCRIPTION_PLAN},
    /* a duplicate key is a finding of whoever reads the whole */
    {"{\"format\": \"dsm-system/1\", \"name\": \"a\", \"name\": \"b\"}", DSM_DESCRIPTION_SYSTEM},
};

START_TEST(test_known_format_tells_what_it_is) {
  dsm_description description = DSM_DESCRIPTION_COUNT;
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(
      dsm_description_detect(&description, known[_i].text, strlen(known[_i].text), "x.json", diags),
      DSM_OK);
  ck_assert_int_eq(description, known[_i].description);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  dsm_diags_free(diags);
}
END_TEST

static const char *const unknown[] = {
    "",
    "{",
    "[]",
    "null",
    "\"format\"",
    "{}",
    "{\"format\": 1}",
    "{\"format\": \"dsm-workload/2\"}",
    "{\"Format\": \"dsm-workload/1\"}",
    "{\"layers\": {\"format\": \"dsm-workload/1\"}}",
};

START_TEST(test_anything_else_has_one_finding) {
  dsm_description description = DSM_DESCRIPTION_COUNT;
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(
      dsm_description_detect(&description, unknown[_i], strlen(unknown[_i]), "x.json", diags),
      DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "x.json");
  /* an empty file has no line */
  ck_assert_uint_eq(dsm_diags_get(diags, 0)->line, unknown[_i][0] == '\0' ? 0 : 1);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_descriptions_have_names) {
  ck_assert_str_eq(dsm_description_name(DSM_DESCRIPTION_WORKLOAD), "workload");
  ck_assert_str_eq(dsm_description_name(DSM_DESCRIPTION_SYSTEM), "system");
  ck_assert_str_eq(dsm_description_name(DSM_DESCRIPTION_PLAN), "plan");
  ck_assert_str_eq(dsm_description_name(DSM_DESCRIPTION_SWEEP), "sweep");
}
END_TEST

Suite *suite_description_json(void) {
  Suite *const suite = suite_create("description_json");
  TCase *const tcase = tcase_create("detect");
  tcase_add_loop_test(tcase, test_known_format_tells_what_it_is, 0, COUNT_OF(known));
  tcase_add_loop_test(tcase, test_anything_else_has_one_finding, 0, COUNT_OF(unknown));
  tcase_add_test(tcase, test_descriptions_have_names);
  suite_add_tcase(suite, tcase);
  return suite;
}
