/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set` on a system; findings name "--set". */
#include "machine_text.h"
#include "suites.h"

START_TEST(test_value_is_replaced) {
  outcome read = read_with("chip.cores", "64");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.system->chip.cores, 64);
  outcome_free(&read);
}
END_TEST

START_TEST(test_parameter_of_an_absent_tier_is_added) {
  outcome read = read_with("array.rows", "5");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.system->array.rows, 5);
  outcome_free(&read);
}
END_TEST

/* Overrides that cannot be applied or lead to a bad value, and the path of their one finding. */
typedef struct bad_case {
  const char *path;
  const char *value;
  const char *finding; /* JSON path */
} bad_case;

static const bad_case bad[] = {
    {"chip.core", "64", "$.chip.core"},
    {"chips.cores", "64", "$.chips"},
    {"chip.cores", "0", "$.chip.cores"},
    {"chip.cores", "\"64\"", "$.chip.cores"},
    {"chip.cores", "many", "$.chip.cores"},
    {"chip.cores.count", "64", "$.chip.cores"},
    {"chip.memory", "8", "$.chip.memory"},
    {"system.link_bandwidth_x_GBps", "0", "$.system.link_bandwidth_x_GBps"},
    {"chip.interconnect", "star", "$.chip.interconnect"},
    {"", "1", "$"},
};

START_TEST(test_bad_override_is_reported_as_set) {
  outcome read = read_with(bad[_i].path, bad[_i].value);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read.system);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  const dsm_diag *const diag = dsm_diags_get(read.diags, 0);
  ck_assert_str_eq(diag->file, "--set");
  ck_assert_uint_eq(diag->line, 0);
  ck_assert_str_eq(diag->path, bad[_i].finding);
  outcome_free(&read);
}
END_TEST

START_TEST(test_unknown_parameter_of_an_override_has_a_hint) {
  outcome read = read_with("chip.core", "64");
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->hint, "did you mean \"cores\"?");
  outcome_free(&read);
}
END_TEST

START_TEST(test_all_bad_overrides_are_reported) {
  const dsm_override overrides[] = {
      {"chip.cores", "0", NULL}, {"core.frequency_GHz", "-1", NULL}, {"pe.simd", "4", NULL}};
  outcome read = read_minimal(overrides, 3);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 3);
  outcome_free(&read);
}
END_TEST

Suite *suite_system_overrides(void) {
  Suite *const suite = suite_create("system_overrides");
  TCase *const overrides = tcase_create("overrides");
  tcase_add_test(overrides, test_value_is_replaced);
  tcase_add_test(overrides, test_parameter_of_an_absent_tier_is_added);
  tcase_add_loop_test(overrides, test_bad_override_is_reported_as_set, 0, COUNT_OF(bad));
  tcase_add_test(overrides, test_unknown_parameter_of_an_override_has_a_hint);
  tcase_add_test(overrides, test_all_bad_overrides_are_reported);
  suite_add_tcase(suite, overrides);
  return suite;
}
