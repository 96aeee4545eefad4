/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_drift.c: whole checks: a baseline, explored again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small.h"
#include "suites.h"

static dsm_drift *checked(const dsm_baseline *baseline, double tolerance) {
  dsm_drift *drift = NULL;
  const dsm_check_request request = {.baseline = baseline, .tolerance = tolerance};
  ck_assert_int_eq(dsm_check(&drift, &request, NULL), DSM_OK);
  return drift;
}

static const bundled_question questions[] = {
    {"vgg16", "torus64", DSM_MODE_TRAINING, NULL},
    {"gnmt", "torus64_refined", DSM_MODE_TRAINING, NULL},
    {"gnmt", "torus64", DSM_MODE_INFERENCE, NULL},
};

START_TEST(test_a_plan_of_today_is_ok_without_tolerance) {
  dsm_plan *const plan = explored(&questions[_i]);
  char *const text = dsm_plan_print(plan);
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_drift *const drift = checked(baseline, 0);
  ck_assert_int_eq(drift->verdict, DSM_VERDICT_OK);
  ck_assert_double_eq(drift->step_seconds.change, 0);
  ck_assert_str_eq(drift->workload, questions[_i].workload);
  ck_assert_str_eq(drift->system, questions[_i].system);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
  dsm_plan_free(plan);
}
END_TEST

START_TEST(test_the_record_is_compared_and_not_what_its_decisions_predict) {
  /* The memory needs (128 + 8192 + 128) bytes at 1 GB/s, 8448 ns or 16896 cycles, whatever the
   * baseline says. */
  char *const text = small_baseline_with("", "");
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_drift *const drift = checked(baseline, DSM_TOLERANCE_DEFAULT);
  ck_assert_int_eq(drift->verdict, DSM_VERDICT_REGRESSED);
  ck_assert_double_eq(drift->step_seconds.before, 5e-7);
  ck_assert_double_eq_tol(drift->step_seconds.after, 8.448e-6, 1e-15);
  ck_assert_double_eq_tol(drift->step_cycles.after, 16896, 1e-6);
  ck_assert_uint_eq(drift->pass_count, 1);
  ck_assert_double_eq(drift->passes[0].cycles.before, 1000);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_the_recorded_clock_is_that_of_the_baseline_before_overrides) {
  /* Its 1000 cycles at 2 GHz were 500 ns; at 4 GHz the 8448 ns of the memory stay as they are. */
  static const dsm_override fast = {.path = "system.core.frequency_GHz", .value = "4"};
  char *const text = small_baseline_with("", "");
  dsm_baseline *const baseline = baseline_of(text, &fast, 1);
  dsm_drift *const drift = checked(baseline, DSM_TOLERANCE_DEFAULT);
  ck_assert(!drift->is_same_clock);
  ck_assert_uint_eq(drift->pass_count, 1);
  ck_assert_double_eq_tol(drift->passes[0].seconds.before, 5e-7, 1e-18);
  ck_assert_double_eq_tol(drift->passes[0].seconds.after, 8.448e-6, 1e-15);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_a_slower_promise_is_an_improvement) {
  char *const text = small_baseline_with("\"step_seconds\": 5e-7, \"utilization\": 0.25",
                                         "\"step_seconds\": 5e-3, \"utilization\": 1e-6");
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_drift *const drift = checked(baseline, DSM_TOLERANCE_DEFAULT);
  ck_assert_int_eq(drift->verdict, DSM_VERDICT_IMPROVED);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_illegal_decisions_are_changed_decisions) {
  char *const text = small_baseline_with("\"mb\": 1 }", "\"mb\": 64 }");
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_drift *const drift = checked(baseline, 1);
  bool is_listed = false;
  for (size_t i = 0; i < drift->decision_count; i++) {
    is_listed = is_listed || strcmp(drift->decisions[i].before, "out 4 mb 64") == 0;
  }
  ck_assert(is_listed);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_other_inputs_take_the_place_of_the_baselines) {
  dsm_plan *const plan = explored(&questions[0]);
  dsm_plan *const other =
      explored(&(bundled_question){"vgg16", "torus16", DSM_MODE_TRAINING, NULL});
  char *const text = dsm_plan_print(plan);
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_drift *drift = NULL;
  const dsm_check_request request = {
      .baseline = baseline, .system = other->system, .tolerance = 0.01, .thread_count = 2};
  ck_assert_int_eq(dsm_check(&drift, &request, NULL), DSM_OK);
  ck_assert_int_eq(drift->verdict, DSM_VERDICT_REGRESSED);
  ck_assert_str_eq(drift->system, "torus16");
  ck_assert_double_eq(drift->step_seconds.before, plan->result.step_seconds);
  ck_assert_double_eq(drift->step_seconds.after, other->result.step_seconds);
  dsm_drift_free(drift);
  dsm_baseline_free(baseline);
  free(text);
  dsm_plan_free(other);
  dsm_plan_free(plan);
}
END_TEST

START_TEST(test_what_no_more_fits_is_infeasible) {
  static const dsm_override small_memory = {.path = "system.chip.memory.capacity_GB",
                                            .value = "1e-9"};
  char *const text = small_baseline_with("", "");
  dsm_baseline *const baseline = baseline_of(text, &small_memory, 1);
  dsm_drift *drift = NULL;
  const dsm_check_request request = {.baseline = baseline, .tolerance = 0.01};
  ck_assert_int_eq(dsm_check(&drift, &request, NULL), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(drift);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

/* Of the small baseline and its question, each with and without a limit that is over at once. */
START_TEST(test_a_search_that_the_clock_ended_is_noted) {
  static const char *const words[] = {"the baseline's search was ended by the time limit",
                                      "the new search was ended by the time limit",
                                      "the searches of baseline and now were ended"};
  static const char *const search[] = {"\"gap\": 0, \"is_stopped\": true",
                                       "\"time_limit_seconds\": 1e-9",
                                       "\"time_limit_seconds\": 1e-9, \"is_stopped\": true"};
  char key[200];
  snprintf(key, sizeof key, "\"search\": { %s }, \"result\"", search[_i]);
  char *const text = small_baseline_with("\"result\"", key);
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  dsm_diags *const diags = dsm_diags_new(5);
  dsm_drift *drift = NULL;
  const dsm_check_request request = {.baseline = baseline};
  ck_assert_int_eq(dsm_check(&drift, &request, diags), DSM_OK);
  ck_assert(drift->is_stopped_before == (_i != 1));
  ck_assert(drift->is_stopped_after == (_i != 0));
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_int_eq(dsm_diags_get(diags, 0)->severity, DSM_SEVERITY_NOTE);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, words[_i]));
  dsm_drift_free(drift);
  dsm_diags_free(diags);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

Suite *suite_drift(void) {
  Suite *const suite = suite_create("drift");
  TCase *const whole = tcase_create("checks");
  tcase_set_timeout(whole, 300);
  tcase_add_loop_test(whole, test_a_plan_of_today_is_ok_without_tolerance, 0, COUNT_OF(questions));
  tcase_add_test(whole, test_the_record_is_compared_and_not_what_its_decisions_predict);
  tcase_add_test(whole, test_the_recorded_clock_is_that_of_the_baseline_before_overrides);
  tcase_add_test(whole, test_a_slower_promise_is_an_improvement);
  tcase_add_test(whole, test_illegal_decisions_are_changed_decisions);
  tcase_add_test(whole, test_other_inputs_take_the_place_of_the_baselines);
  tcase_add_test(whole, test_what_no_more_fits_is_infeasible);
  tcase_add_loop_test(whole, test_a_search_that_the_clock_ended_is_noted, 0, 3);
  suite_add_tcase(suite, whole);
  return suite;
}
