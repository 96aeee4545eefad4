/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "suites.h"

static char *explore_text(const char *workload, size_t thread_count) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.thread_count = thread_count;
  bundled explored = bundled_explore(workload, "torus64", "256", &options);
  ck_assert_int_eq(explored.status, DSM_OK);
  char *const text = dsm_plan_print(explored.plan);
  bundled_free(&explored);
  return text;
}

START_TEST(test_plan_is_the_same_for_any_number_of_threads) {
  static const size_t thread_counts[] = {2, 3, 4, 7};
  char *const one = explore_text(bundled_networks[_i], 1);
  for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
    char *const other = explore_text(bundled_networks[_i], thread_counts[t]);
    ck_assert_str_eq(one, other);
    free(other);
  }
  free(one);
}
END_TEST

START_TEST(test_a_plan_is_valid_and_meets_its_bound) {
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    const dsm_explore_options options = bundled_options((dsm_mode)mode);
    bundled explored = bundled_explore(bundled_networks[_i], "torus64", "256", &options);
    ck_assert_int_eq(explored.status, DSM_OK);
    ck_assert_int_eq(dsm_plan_validate(explored.plan, NULL), DSM_OK);
    const dsm_plan_result *const result = &explored.plan->result;
    ck_assert_double_le(result->lower_bound_cycles, result->step_cycles);
    ck_assert_double_ge(result->lower_bound_cycles, result->step_cycles * (1 - 1e-12));
    bundled_free(&explored);
  }
}
END_TEST

/* A bound above the step is a contradiction, and is shown; one above it by rounding is the step. */
START_TEST(test_a_bound_above_the_step_is_not_hidden) {
  const dsm_explore_options options = bundled_options(DSM_MODE_INFERENCE);
  bundled explored = bundled_explore("alexnet", "chip1", "4", &options);
  dsm_plan *const plan = explored.plan;
  const double step = plan->result.step_cycles;
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_plan_set_bound(plan, step * (1 + 1e-12), diags);
  ck_assert_double_eq(plan->result.lower_bound_cycles, step);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_set_bound(plan, step * 1.01, diags);
  ck_assert_double_eq(plan->result.lower_bound_cycles, step * 1.01);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_ERROR_INVALID);
  dsm_diags_free(diags);
  bundled_free(&explored);
}
END_TEST

START_TEST(test_scoring_a_printed_plan_gives_the_same_text) {
  char *const printed = explore_text(bundled_networks[_i], 1);
  dsm_plan *plan = NULL;
  double recorded = 0;
  ck_assert_int_eq(dsm_plan_parse(&plan, printed, strlen(printed), "plan", &recorded, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_plan_bound(plan, NULL), DSM_OK);
  ck_assert(recorded >= plan->result.step_cycles && recorded <= plan->result.step_cycles);
  char *const again = dsm_plan_print(plan);
  ck_assert_str_eq(printed, again);
  free(again);
  free(printed);
  dsm_plan_free(plan);
}
END_TEST

START_TEST(test_more_choice_is_never_slower) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  bundled hybrid = bundled_explore(bundled_networks[_i], "torus64", "256", &options);
  options.optimizations = 0;
  bundled none = bundled_explore(bundled_networks[_i], "torus64", "256", &options);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  bundled data = bundled_explore(bundled_networks[_i], "torus64", "256", &options);
  ck_assert_double_le(hybrid.plan->result.step_cycles, none.plan->result.step_cycles);
  ck_assert_double_le(none.plan->result.step_cycles, data.plan->result.step_cycles);
  for (size_t i = 0; i < data.plan->layer_count; i++) {
    ck_assert_int_eq(data.plan->layers[i].passes[DSM_PASS_FORWARD].share.parallelism,
                     DSM_PARALLELISM_DATA);
  }
  bundled_free(&data);
  bundled_free(&none);
  bundled_free(&hybrid);
}
END_TEST

START_TEST(test_optimizations_of_the_other_mode_are_a_usage_error) {
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    dsm_explore_options options = bundled_options((dsm_mode)mode);
    options.optimizations = DSM_OPTIMIZATION_ALL;
    bundled explored = bundled_explore("raider", "torus64", "256", &options);
    ck_assert_int_eq(explored.status, DSM_ERROR_USAGE);
    ck_assert_ptr_null(explored.plan);
    bundled_free(&explored);
  }
}
END_TEST

START_TEST(test_options_without_a_parallelism_are_a_usage_error) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = 0;
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA_X_MODEL_Y);
  bundled explored = bundled_explore("raider", "torus64", "256", &options);
  ck_assert_int_eq(explored.status, DSM_ERROR_USAGE);
  ck_assert_ptr_null(explored.plan);
  bundled_free(&explored);
}
END_TEST

/* vgg16 on one chip at 512: conv1_1 alone keeps 64 * 224 * 224 * 512 * 2 B = 3.29 GB; with the
 * other activations (6 GB), the errors at conv1_2 (4 M elements, 4.1 GB), weights and gradients
 * (0.55 GB) that is more than 8 GB. */
START_TEST(test_what_does_not_fit_says_by_how_much_and_why) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_workload *const workload = bundled_workload("vgg16", "512");
  dsm_system *const system = bundled_system("chip1");
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(plan);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "memory capacity"));
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->hint, "activations of conv1_1"));
  dsm_diags_free(diags);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_explore(void) {
  Suite *const suite = suite_create("explore");
  TCase *const tests = tcase_create("bundled");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_plan_is_the_same_for_any_number_of_threads, 0, BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_a_plan_is_valid_and_meets_its_bound, 0, BUNDLED_NETWORKS);
  tcase_add_test(tests, test_a_bound_above_the_step_is_not_hidden);
  tcase_add_loop_test(tests, test_scoring_a_printed_plan_gives_the_same_text, 0, BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_more_choice_is_never_slower, 0, BUNDLED_NETWORKS);
  tcase_add_test(tests, test_optimizations_of_the_other_mode_are_a_usage_error);
  tcase_add_test(tests, test_options_without_a_parallelism_are_a_usage_error);
  tcase_add_test(tests, test_what_does_not_fit_says_by_how_much_and_why);
  suite_add_tcase(suite, tests);
  return suite;
}
