/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements that cannot be used: what is said of them, and where. */
#include <string.h>

#include "machine.h"
#include "suites.h"

#define HEAD "workload,minibatch,mode,overrides,layer,pass,milliseconds\n"

static const struct {
  const char *csv;
  size_t line;
  const char *message;
} bad[] = {
    {"", 1, "expected a line of column names and at least one measurement"},
    {"workload,milliseconds\n", 1, "expected a line of column names and at least one measurement"},
    {"workload,miliseconds\n", 1, "unknown column \"miliseconds\""},
    {"workload,workload,milliseconds\n", 1, "column \"workload\" is there twice"},
    {"workload\none\n", 1, "expected a column \"milliseconds\""},
    {"milliseconds\n1\n", 1, "expected a column \"workload\", or one \"plan\""},
    {"workload,milliseconds\none\n", 2, "expected 2 fields, one a column, found 1"},
    {"workload,milliseconds\none,0\n", 2, "expected a number above 0, at most 1e12, found \"0\""},
    {"workload,milliseconds\none,-1\n", 2, "found \"-1\""},
    {"workload,milliseconds\none,soon\n", 2, "found \"soon\""},
    {"workload,milliseconds\none,1e13\n", 2, "found \"1e13\""},
    {"workload,milliseconds\none,nan\n", 2, "found \"nan\""},
    {"workload,milliseconds\n,1\n", 2, "workload: expected a name, found nothing"},
    {"workload,milliseconds\nother,1\n", 2, "there is no such file"},
    {HEAD "one,0,,,,,1\n", 2, "minibatch: expected a whole number from 1 to 2147483647"},
    {HEAD "one,,learning,,,,1\n", 2, "mode: expected training or inference, found \"learning\""},
    {HEAD "one,,,x=1,,,1\n", 2, "overrides: expected workload.PATH=VALUE or system.PATH=VALUE"},
    {HEAD "one,,,workload.element_bytes,,,1\n", 2, "found \"workload.element_bytes\""},
    {HEAD "one,,,,fd,,1\n", 2, "layer: one has no layer \"fd\""},
    {HEAD "one,,,,,sideways,1\n", 2, "pass: expected forward or backward or update"},
    {HEAD "one,,inference,,,backward,1\n", 2, "there is no backward pass in what was run"},
    {HEAD "one,,,system.chip.memory.efficiency_ratio=0.5,,,1\n", 2,
     "chip.memory.efficiency_ratio is chosen for all measurements"},
    {"plan,minibatch,milliseconds\nplan,4,1\n", 2, "expected a plan without workload"},
    {"workload,milliseconds\none,1\none,\"1\n", 4, "expected quotes at the end of the field"},
};

START_TEST(test_what_is_wrong) {
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(system, bad[_i].csv);
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_calibration *made = NULL;
  ck_assert_int_ne(dsm_calibrate(&made, &request, diags), DSM_OK);
  ck_assert_ptr_null(made);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  const dsm_diag *const found = dsm_diags_get(diags, 0);
  ck_assert_msg(strstr(found->message, bad[_i].message) != NULL, "%s", found->message);
  ck_assert_str_eq(found->file, "some/times.csv");
  ck_assert_uint_eq(found->line, bad[_i].line);
  dsm_diags_free(diags);
  dsm_system_free(system);
}
END_TEST

/* All rows are read: what is wrong with each is said. */
START_TEST(test_every_row_is_judged) {
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request =
      request_of(system, HEAD "one,x,,,,,1\none,,,,,,0\none,,,,,,2\none,,,,no,,1\n");
  dsm_diags *const diags = dsm_diags_new(9);
  dsm_calibration *made = NULL;
  ck_assert_int_eq(dsm_calibrate(&made, &request, diags), DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 3);
  ck_assert_uint_eq(dsm_diags_get(diags, 2)->line, 5);
  dsm_diags_free(diags);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_a_hint) {
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(system, "workload,miliseconds\n");
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_calibration *made = NULL;
  ck_assert_int_eq(dsm_calibrate(&made, &request, diags), DSM_ERROR_INVALID);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->hint, "did you mean \"milliseconds\"?");
  dsm_diags_free(diags);
  dsm_system_free(system);
}
END_TEST

Suite *suite_measurements(void) {
  Suite *const suite = suite_create("measurements");
  TCase *const tests = tcase_create("measurements");
  tcase_add_loop_test(tests, test_what_is_wrong, 0, COUNT_OF(bad));
  tcase_add_test(tests, test_every_row_is_judged);
  tcase_add_test(tests, test_a_hint);
  suite_add_tcase(suite, tests);
  return suite;
}
