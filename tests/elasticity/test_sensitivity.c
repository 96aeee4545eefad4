/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a tenth better does to steps whose time is known by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "small.h"
#include "suites.h"

static const double tolerance = 1e-12;

/* The small network on the small system with values replaced, each parameter a tenth better. */
typedef struct raised {
  dsm_system *system;
  dsm_workload *workload;
  const dsm_workload *workloads[1];
  dsm_elasticity_request request;
  dsm_elasticity *elasticity;
} raised;

static void raise_all(raised *made, const dsm_override *overrides, size_t count) {
  *made = (raised){.system = small_system(overrides, count), .workload = small_network(NULL, 0)};
  made->workloads[0] = made->workload;
  made->request = small_request(made->system, made->workloads, 1);
  made->request.choice = DSM_VARIATIONS_TENTH_BETTER;
  made->elasticity = derived(&made->request);
}

static void raised_free(raised *made) {
  dsm_elasticity_free(made->elasticity);
  dsm_workload_free(made->workload);
  dsm_system_free(made->system);
}

static void expect_ratio(const raised *made, const char *path, double tried, double factor,
                         double ratio) {
  const dsm_varied_parameter *const parameter = parameter_at(made->elasticity, path);
  ck_assert_uint_eq(parameter->variation_count, 1);
  const dsm_variation *const variation = &parameter->variations[0];
  ck_assert_int_eq(variation->kind, factor < 1 ? DSM_VARIATION_LOWERED : DSM_VARIATION_RAISED);
  ck_assert_int_eq(parameter->is_lower_better, factor < 1);
  ck_assert_double_eq_tol(variation->setting.number, tried, tolerance);
  ck_assert_double_eq_tol(variation->factor, factor, tolerance);
  ck_assert_ptr_null(variation->responses[0].why_not);
  ck_assert_double_eq_tol(variation->responses[0].time_ratio, ratio, tolerance);
  ck_assert_int_eq(parameter->slopes[0].basis,
                   factor < 1 ? DSM_ELASTICITY_BASIS_LOWERED : DSM_ELASTICITY_BASIS_RAISED);
  ck_assert_double_eq_tol(parameter->slopes[0].elasticity, log(ratio) / log(factor), tolerance);
}

static void expect_no_change(const raised *made, const char *path) {
  const dsm_varied_parameter *const parameter = parameter_at(made->elasticity, path);
  ck_assert_double_eq(parameter->variations[0].responses[0].time_ratio, 1);
  ck_assert_double_eq(parameter->slopes[0].elasticity, 0);
}

static void expect_why_not(const raised *made, const char *path, const char *why_not) {
  const dsm_varied_parameter *const parameter = parameter_at(made->elasticity, path);
  ck_assert_str_eq(parameter->variations[0].responses[0].why_not, why_not);
  ck_assert_int_eq(parameter->slopes[0].basis, DSM_ELASTICITY_BASIS_NONE);
}

/* 8448 bytes at a byte a cycle: the time is inverse to the bandwidth, and knows no clock. */
START_TEST(test_a_step_bound_by_memory) {
  raised made;
  raise_all(&made, NULL, 0);
  ck_assert_double_eq(made.elasticity->references[0].step_cycles, 8448);
  ck_assert_int_eq(made.elasticity->choice, DSM_VARIATIONS_TENTH_BETTER);
  expect_ratio(&made, "chip.memory.bandwidth_GBps", 1.1, 1.1, 1 / 1.1);
  expect_no_change(&made, "core.frequency_GHz");
  expect_no_change(&made, "array.rows");
  expect_no_change(&made, "model.relu_mask_bytes");
  raised_free(&made);
}
END_TEST

/* With fast memory and ring the blocks of a cycle each decide: 16 x 16 of 4 x 4 features, with 5
 * rows or columns 13 x 16. */
START_TEST(test_a_step_bound_by_computation) {
  static const dsm_override fast[] = {
      {"chip.memory.bandwidth_GBps", "1e6", NULL},
      {"chip.core_link_bandwidth_GBps", "1e6", NULL},
  };
  raised made;
  raise_all(&made, fast, COUNT_OF(fast));
  ck_assert_double_eq(made.elasticity->references[0].step_cycles, 256);
  expect_ratio(&made, "array.rows", 5, 1.25, 13.0 / 16);
  expect_ratio(&made, "array.columns", 5, 1.25, 13.0 / 16);
  expect_ratio(&made, "core.frequency_GHz", 1.1, 1.1, 1 / 1.1);
  expect_no_change(&made, "chip.memory.bandwidth_GBps");
  const double utilization =
      parameter_at(made.elasticity, "array.rows")->variations[0].responses[0].utilization;
  ck_assert_double_eq_tol(utilization, 4096.0 / (208 * 20), tolerance); /* 20 MACs a cycle */
  raised_free(&made);
}
END_TEST

START_TEST(test_what_is_not_possible_says_why) {
  static const dsm_override most = {"system.chips_x", "1048576", NULL};
  raised made;
  raise_all(&made, &most, 1);
  expect_why_not(&made, "chip.memory.efficiency_ratio",
                 "expected a number from 1e-6 to 1, found 1.1");
  expect_why_not(&made, "array.startup_cycles", "10 % less than 0 is 0");
  expect_why_not(&made, "system.chips_y",
                 "expected at most 1048576 chips, found 1048576 x 2 chips");
  const dsm_varied_parameter *const start = parameter_at(made.elasticity, "array.startup_cycles");
  ck_assert_int_eq(start->variations[0].setting.kind, DSM_SETTING_NONE);
  raised_free(&made);
}
END_TEST

/* ---- order ---- */

/* How much a network's step follows a parameter, up or down; 0 where there is no time. */
static double size_of(const dsm_varied_parameter *parameter, size_t network) {
  return fabs(parameter->slopes[network].elasticity);
}

START_TEST(test_the_largest_elasticity_comes_first) {
  raised made;
  raise_all(&made, NULL, 0);
  const dsm_varied_parameter *const parameters = made.elasticity->parameters;
  ck_assert_uint_eq(made.elasticity->parameter_count, 30);
  for (size_t p = 1; p < made.elasticity->parameter_count; p++) {
    ck_assert(size_of(&parameters[p - 1], 0) >= size_of(&parameters[p], 0));
  }
  /* without any effect, in the order of the formats */
  ck_assert_double_eq(size_of(&parameters[27], 0), 0);
  ck_assert_str_eq(parameters[27].path, "model.relayout_memory_bytes");
  ck_assert_str_eq(parameters[28].path, "model.weight_update_memory_bytes");
  ck_assert_str_eq(parameters[29].path, "model.partial_sum_bytes");
  raised_free(&made);
}
END_TEST

/*
 * The 256 cycles of computation after a start of 1000: 1256. A tenth less of the start is 1156.
 * Twice the multipliers of a PE, of which there is one, save 128 cycles, more than a tenth of the
 * clock does (1256 / 11 = 114), because the step is ten times as large: the clock, at an elasticity
 * of -1, comes first, and they (ln(1128 / 1256) / ln 2 = -0.16) after the rows (ln(1208 / 1256) /
 * ln 1.25 = -0.17).
 */
START_TEST(test_a_count_that_doubles_does_not_outrank_by_its_step) {
  static const dsm_override slow_start[] = {
      {"chip.memory.bandwidth_GBps", "1e6", NULL},
      {"chip.core_link_bandwidth_GBps", "1e6", NULL},
      {"array.startup_cycles", "1000", NULL},
  };
  static const char *const order[] = {"core.frequency_GHz", "array.startup_cycles", "array.rows",
                                      "array.columns", "pe.simd_macs"};
  raised made;
  raise_all(&made, slow_start, COUNT_OF(slow_start));
  ck_assert_double_eq(made.elasticity->references[0].step_cycles, 1256);
  expect_ratio(&made, "core.frequency_GHz", 1.1, 1.1, 1 / 1.1);
  expect_ratio(&made, "array.startup_cycles", 900, 0.9, 1156.0 / 1256);
  expect_ratio(&made, "array.rows", 5, 1.25, 1208.0 / 1256);
  expect_ratio(&made, "array.columns", 5, 1.25, 1208.0 / 1256);
  expect_ratio(&made, "pe.simd_macs", 2, 2, 1128.0 / 1256);
  for (int i = 0; i < COUNT_OF(order); i++) {
    ck_assert_str_eq(made.elasticity->parameters[i].path, order[i]);
  }
  raised_free(&made);
}
END_TEST

/* Of several networks the one that follows most decides. */
START_TEST(test_with_networks_the_largest_elasticity_of_any_comes_first) {
  dsm_system *const system = bundled_system("torus16");
  dsm_workload *const first = bundled_workload("raider");
  dsm_workload *const second = bundled_workload("alexnet");
  const dsm_workload *const workloads[] = {first, second};
  dsm_elasticity_request request = small_request(system, workloads, 2);
  request.choice = DSM_VARIATIONS_TENTH_BETTER;
  dsm_elasticity *const made = derived(&request);
  for (size_t p = 1; p < made->parameter_count; p++) {
    const dsm_varied_parameter *const pair = &made->parameters[p - 1];
    ck_assert(pair[0].is_software != pair[1].is_software ||
              fmax(size_of(&pair[0], 0), size_of(&pair[0], 1)) >=
                  fmax(size_of(&pair[1], 0), size_of(&pair[1], 1)));
    ck_assert(!pair[0].is_software || pair[1].is_software);
  }
  dsm_elasticity_free(made);
  dsm_workload_free(second);
  dsm_workload_free(first);
  dsm_system_free(system);
}
END_TEST

/* ---- requests ---- */

START_TEST(test_named_parameters_may_be_of_workloads_and_flags) {
  static const char *const paths[] = {"model.exact_rotation", "workload.element_bytes"};
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request request = small_request(system, workloads, 1);
  request.choice = DSM_VARIATIONS_TENTH_BETTER;
  request.paths = paths;
  request.path_count = COUNT_OF(paths);
  dsm_elasticity *const made = derived(&request);
  ck_assert_uint_eq(made->parameter_count, 2);
  const dsm_varied_parameter *const bytes = parameter_at(made, "workload.element_bytes");
  ck_assert_double_eq_tol(bytes->variations[0].responses[0].time_ratio, 0.9, tolerance);
  ck_assert_double_eq_tol(bytes->slopes[0].elasticity, 1, tolerance);
  const dsm_varied_parameter *const flag = parameter_at(made, "model.exact_rotation");
  ck_assert_uint_eq(flag->variation_count, 0);
  ck_assert_int_eq(flag->slopes[0].basis, DSM_ELASTICITY_BASIS_NONE);
  dsm_elasticity_free(made);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_the_result_does_not_depend_on_threads) {
  static const size_t threads[] = {1, 2, 7};
  dsm_system *const system = bundled_system("torus16");
  dsm_workload *const workload = bundled_workload("raider");
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request request = small_request(system, workloads, 1);
  dsm_explore_options_init(&request.options);
  request.choice = DSM_VARIATIONS_TENTH_BETTER;
  char *texts[COUNT_OF(threads)];
  for (int i = 0; i < COUNT_OF(threads); i++) {
    request.options.thread_count = threads[i];
    dsm_elasticity *const made = derived(&request);
    const dsm_elasticity *const items[] = {made};
    texts[i] = as_json(DSM_ANSWERS(elasticity, items, 1));
    ck_assert_str_eq(texts[0], texts[i]);
    dsm_elasticity_free(made);
  }
  for (int i = 0; i < COUNT_OF(threads); i++) {
    free(texts[i]);
  }
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

Suite *suite_sensitivity(void) {
  Suite *const suite = suite_create("sensitivity");
  TCase *const core = tcase_create("core");
  tcase_set_timeout(core, 60);
  tcase_add_test(core, test_a_step_bound_by_memory);
  tcase_add_test(core, test_a_step_bound_by_computation);
  tcase_add_test(core, test_what_is_not_possible_says_why);
  tcase_add_test(core, test_the_largest_elasticity_comes_first);
  tcase_add_test(core, test_a_count_that_doubles_does_not_outrank_by_its_step);
  tcase_add_test(core, test_with_networks_the_largest_elasticity_of_any_comes_first);
  tcase_add_test(core, test_named_parameters_may_be_of_workloads_and_flags);
  tcase_add_test(core, test_the_result_does_not_depend_on_threads);
  suite_add_tcase(suite, core);
  return suite;
}
