/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_check_report.c: times of JUnit, which a clock gives; all else of checks the cases say
 * (tests/cli/cases: check_*). */
#include "answers.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

static const dsm_drift same = {
    .workload = "net",
    .system = "machine",
    .tolerance = 0.005,
    .minibatch_before = 256,
    .minibatch_after = 256,
    .dsm_version_before = "",
    .step_seconds = {0.0125, 0.0125, 0, false},
    .utilization = {0.615, 0.615, 0, false},
};

START_TEST(test_junit_adds_times_up) {
  const dsm_checked items[] = {{.file = "a.json", .drift = &same, .seconds = 1.0625},
                               {.file = "b.json", .drift = &same, .seconds = 0.25}};
  char *const text = dsm_answer_print(DSM_ANSWERS(check, items, 2), DSM_FORM_JUNIT, NULL);
  ck_assert_ptr_nonnull(
      strstr(text, "<testsuites name=\"dsm check\" tests=\"2\" failures=\"0\" errors=\"0\" "
                   "time=\"1.313\">\n"));
  free(text);
}
END_TEST

static const struct {
  double seconds;
  const char *shown;
} times[] = {{0, "\"0.000\""},      {0.0004, "\"0.000\""},      {0.0005, "\"0.001\""},
             {0.9996, "\"1.000\""}, {12345.5, "\"12345.500\""}, {-1, "\"0.000\""}};

START_TEST(test_junit_times_have_milliseconds) {
  const dsm_checked item = {.file = "b.json", .drift = &same, .seconds = times[_i].seconds};
  char *const text = dsm_answer_print(DSM_ANSWERS(check, &item, 1), DSM_FORM_JUNIT, NULL);
  const char *const found = strstr(text, "time=");
  ck_assert_ptr_nonnull(found);
  ck_assert_mem_eq(found + strlen("time="), times[_i].shown, strlen(times[_i].shown));
  free(text);
}
END_TEST

Suite *suite_check_report(void) {
  Suite *const suite = suite_create("check_report");
  TCase *const times_of = tcase_create("times");
  tcase_add_test(times_of, test_junit_adds_times_up);
  tcase_add_loop_test(times_of, test_junit_times_have_milliseconds, 0, COUNT_OF(times));
  suite_add_tcase(suite, times_of);
  return suite;
}
