/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elasticities of steps whose time is known by hand, and what may not change them. */
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "small.h"
#include "suites.h"

static const double tolerance = 1e-12;

/* The elasticities of the small network on the small system with values replaced. */
typedef struct measured {
  dsm_system *system;
  dsm_workload *workload;
  const dsm_workload *workloads[1];
  dsm_elasticity_request request;
  dsm_elasticity *elasticity;
} measured;

static void measure(measured *made, const dsm_override *overrides, size_t count) {
  *made = (measured){.system = small_system(overrides, count), .workload = small_network(NULL, 0)};
  made->workloads[0] = made->workload;
  made->request = small_request(made->system, made->workloads, 1);
  made->elasticity = derived(&made->request);
}

static void measured_free(measured *made) {
  dsm_elasticity_free(made->elasticity);
  dsm_workload_free(made->workload);
  dsm_system_free(made->system);
}

/* Expected of one parameter; what is NULL or 0 is not there. */
static void expect_numbers(const measured *made, const char *path, double halved, double doubled,
                           double elasticity) {
  const dsm_varied_parameter *const parameter = parameter_at(made->elasticity, path);
  ck_assert_uint_eq(parameter->variation_count, 2);
  const dsm_response *const low = parameter->variations[0].responses;
  const dsm_response *const high = parameter->variations[1].responses;
  ck_assert_ptr_null(low->why_not);
  ck_assert_ptr_null(high->why_not);
  ck_assert_double_eq_tol(low->time_ratio, halved, tolerance);
  ck_assert_double_eq_tol(high->time_ratio, doubled, tolerance);
  ck_assert_int_eq(parameter->slopes[0].basis, DSM_ELASTICITY_BASIS_BOTH);
  ck_assert_double_eq_tol(parameter->slopes[0].elasticity, elasticity, tolerance);
}

/* 8448 bytes at a byte a cycle, far more than 256 cycles of computation: the time is proportional
 * to the bytes, inverse to the bandwidth, and knows no clock (of which a cycle is the inverse). */
START_TEST(test_a_step_bound_by_memory) {
  measured made;
  measure(&made, NULL, 0);
  ck_assert_double_eq(made.elasticity->references[0].step_cycles, 8448);
  ck_assert_double_eq_tol(made.elasticity->references[0].step_seconds, 8448e-9, 1e-18);
  ck_assert_double_eq(made.elasticity->references[0].time_ratio, 1);
  expect_numbers(&made, "chip.memory.bandwidth_GBps", 2, 0.5, -1);
  expect_numbers(&made, "workload.element_bytes", 0.5, 2, 1);
  expect_numbers(&made, "core.frequency_GHz", 1, 1, 0);
  expect_numbers(&made, "array.rows", 1, 1, 0);
  expect_numbers(&made, "workload.gradient_bytes", 1, 1, 0);
  const dsm_varied_parameter *const clock = parameter_at(made.elasticity, "core.frequency_GHz");
  ck_assert_double_eq(clock->variations[1].responses[0].step_cycles, 16896);
  measured_free(&made);
}
END_TEST

static const dsm_override fast[] = {
    {"chip.memory.bandwidth_GBps", "1e6", NULL},
    {"chip.core_link_bandwidth_GBps", "1e6", NULL},
};

/* With fast memory and ring the 16 x 16 blocks of a cycle each decide: 256. Twice the rows or
 * columns halve them. At half the clock a cycle is twice as long. */
START_TEST(test_a_step_bound_by_computation) {
  measured made;
  measure(&made, fast, COUNT_OF(fast));
  ck_assert_double_eq(made.elasticity->references[0].step_cycles, 256);
  expect_numbers(&made, "array.rows", 2, 0.5, -1);
  expect_numbers(&made, "array.columns", 2, 0.5, -1);
  expect_numbers(&made, "core.frequency_GHz", 2, 0.5, -1);
  expect_numbers(&made, "chip.memory.bandwidth_GBps", 1, 1, 0);
  measured_free(&made);
}
END_TEST

/* Loading a block of 4 x 4 weights of 2 bytes at a byte a cycle takes 32 cycles instead of 1: the
 * step takes 32 times as long, as five doublings. */
START_TEST(test_a_flag_has_a_ratio_and_no_elasticity) {
  measured made;
  measure(&made, fast, COUNT_OF(fast));
  const dsm_varied_parameter *const parameter =
      parameter_at(made.elasticity, "array.weights_from_scratchpad");
  ck_assert_uint_eq(parameter->variation_count, 1);
  ck_assert_int_eq(parameter->variations[0].kind, DSM_VARIATION_OTHER);
  ck_assert_str_eq(parameter->variations[0].setting.word, "true");
  ck_assert_double_eq_tol(parameter->variations[0].responses[0].time_ratio, 32, tolerance);
  ck_assert_int_eq(parameter->slopes[0].basis, DSM_ELASTICITY_BASIS_NONE);
  ck_assert_double_eq_tol(parameter->influence, 5, tolerance);
  measured_free(&made);
}
END_TEST

START_TEST(test_at_a_bound_it_is_one_sided) {
  measured made;
  measure(&made, NULL, 0);
  const dsm_varied_parameter *const ratio =
      parameter_at(made.elasticity, "chip.memory.efficiency_ratio");
  ck_assert_ptr_null(ratio->variations[0].responses[0].why_not);
  ck_assert_str_eq(ratio->variations[1].responses[0].why_not,
                   "expected a number from 1e-6 to 1, found 2");
  ck_assert_double_eq(ratio->variations[1].setting.number, 2);
  ck_assert_int_eq(ratio->slopes[0].basis, DSM_ELASTICITY_BASIS_HALVED);
  ck_assert_double_eq_tol(ratio->slopes[0].elasticity, -1, tolerance);
  const dsm_varied_parameter *const cores = parameter_at(made.elasticity, "chip.cores");
  ck_assert_str_eq(cores->variations[0].responses[0].why_not, "1 is the smallest whole number");
  ck_assert_int_eq(cores->variations[0].setting.kind, DSM_SETTING_NONE);
  ck_assert_int_eq(cores->slopes[0].basis, DSM_ELASTICITY_BASIS_DOUBLED);
  const dsm_varied_parameter *const start = parameter_at(made.elasticity, "array.startup_cycles");
  ck_assert_str_eq(start->variations[0].responses[0].why_not, "0 has neither half nor double");
  ck_assert_str_eq(start->variations[1].responses[0].why_not, "0 has neither half nor double");
  ck_assert_int_eq(start->slopes[0].basis, DSM_ELASTICITY_BASIS_NONE);
  ck_assert_double_eq(start->influence, 0);
  measured_free(&made);
}
END_TEST

/* Half of 12.672 kB does not hold 8192 bytes of weights and 256 of input and output. */
START_TEST(test_what_does_not_fit_has_no_time) {
  const dsm_override tight = {"chip.memory.capacity_GB", "1.2672e-5", NULL};
  measured made;
  measure(&made, &tight, 1);
  const dsm_varied_parameter *const capacity =
      parameter_at(made.elasticity, "chip.memory.capacity_GB");
  const dsm_response *const halved = &capacity->variations[0].responses[0];
  ck_assert_ptr_nonnull(halved->why_not);
  ck_assert_ptr_nonnull(strstr(halved->why_not, "every mapping needs at least"));
  ck_assert_double_eq(halved->time_ratio, 0);
  ck_assert_int_eq(capacity->slopes[0].basis, DSM_ELASTICITY_BASIS_DOUBLED);
  ck_assert_double_eq(capacity->slopes[0].elasticity, 0);
  ck_assert_double_eq(capacity->influence, 0);
  measured_free(&made);
}
END_TEST

START_TEST(test_a_network_that_does_not_fit_as_it_is_is_named) {
  const dsm_override tiny = {"chip.memory.capacity_GB", "1e-6", NULL};
  dsm_system *const system = small_system(&tiny, 1);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  const dsm_elasticity_request request = small_request(system, workloads, 1);
  dsm_elasticity *elasticity = (dsm_elasticity *)system;
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(dsm_elasticity_derive(&elasticity, &request, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(elasticity);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  const char *const message = dsm_diags_get(diags, 0)->message;
  ck_assert_int_eq(strncmp(message, "one: ", 5), 0);
  ck_assert_ptr_nonnull(strstr(message, "every mapping needs at least"));
  dsm_diags_free(diags);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* ---- requests ---- */

static dsm_status derive_with(dsm_elasticity_request request, const char *path, dsm_diags *diags) {
  dsm_elasticity *elasticity = NULL;
  request.paths = &path;
  request.path_count = 1;
  const dsm_status status = dsm_elasticity_derive(&elasticity, &request, diags);
  ck_assert((elasticity != NULL) == (status == DSM_OK));
  dsm_elasticity_free(elasticity);
  return status;
}

START_TEST(test_a_path_that_names_no_parameter_is_wrong_usage) {
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request request = small_request(system, workloads, 1);
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(derive_with(request, "array.rows", diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_int_eq(derive_with(request, "array.row", diags), DSM_ERROR_USAGE);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "expected the path of a parameter, found \"array.row\"");
  dsm_diags_clear(diags);
  request.options.parallelisms = 0;
  ck_assert_int_eq(derive_with(request, "array.rows", diags), DSM_ERROR_USAGE);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  dsm_diags_free(diags);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_paths_choose_what_is_varied) {
  static const char *const paths[] = {"chip.cores", "workload.element_bytes"};
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request request = small_request(system, workloads, 1);
  request.paths = paths;
  request.path_count = 2;
  dsm_elasticity *const elasticity = derived(&request);
  ck_assert_uint_eq(elasticity->parameter_count, 2);
  ck_assert_str_eq(elasticity->parameters[0].path, "workload.element_bytes"); /* matters more */
  dsm_elasticity_free(elasticity);
  request.path_count = 0;
  dsm_elasticity *const nothing = derived(&request);
  ck_assert_uint_eq(nothing->parameter_count, 0);
  ck_assert_double_eq(nothing->references[0].step_cycles, 8448);
  dsm_elasticity_free(nothing);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* Each network has its own bytes, and its own limits: 40 doubled is more than 64. */
START_TEST(test_networks_vary_from_their_own_values) {
  const dsm_override large = {"element_bytes", "40", NULL};
  const dsm_override adam = {"optimizer_bytes_per_weight", "8", NULL};
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const first = small_network(&large, 1);
  dsm_workload *const second = small_network(&adam, 1);
  const dsm_workload *const workloads[] = {first, second};
  const dsm_elasticity_request request = small_request(system, workloads, 2);
  dsm_elasticity *const elasticity = derived(&request);
  const dsm_varied_parameter *const bytes = parameter_at(elasticity, "workload.element_bytes");
  ck_assert_int_eq(bytes->setting.kind, DSM_SETTING_NONE);
  ck_assert_int_eq(bytes->variations[1].setting.kind, DSM_SETTING_NONE);
  ck_assert_double_eq_tol(bytes->variations[0].responses[0].time_ratio, 0.5, tolerance);
  ck_assert_str_eq(bytes->variations[1].responses[0].why_not,
                   "expected a number from 0.125 to 64, found 80");
  ck_assert_double_eq_tol(bytes->variations[1].responses[1].time_ratio, 2, tolerance);
  ck_assert_int_eq(bytes->slopes[0].basis, DSM_ELASTICITY_BASIS_HALVED);
  ck_assert_int_eq(bytes->slopes[1].basis, DSM_ELASTICITY_BASIS_BOTH);
  const dsm_varied_parameter *const optimizer =
      parameter_at(elasticity, "workload.optimizer_bytes_per_weight");
  ck_assert_ptr_nonnull(optimizer->variations[0].responses[0].why_not);
  ck_assert_ptr_null(optimizer->variations[0].responses[1].why_not);
  ck_assert_double_eq(optimizer->variations[0].factor, 0.5);
  dsm_elasticity_free(elasticity);
  dsm_workload_free(second);
  dsm_workload_free(first);
  dsm_system_free(system);
}
END_TEST

/* ---- order ---- */

/* Those of hardware that are free, those of hardware that are given, those of software. */
static int group_of(const dsm_varied_parameter *parameter) {
  return parameter->is_software ? 2 : parameter->is_free ? 0 : 1;
}

START_TEST(test_free_parameters_come_first_and_software_last_then_by_influence) {
  measured made;
  measure(&made, NULL, 0);
  const dsm_varied_parameter *const parameters = made.elasticity->parameters;
  for (size_t p = 1; p < made.elasticity->parameter_count; p++) {
    ck_assert_int_le(group_of(&parameters[p - 1]), group_of(&parameters[p]));
    if (group_of(&parameters[p - 1]) == group_of(&parameters[p])) {
      ck_assert(parameters[p - 1].influence >= parameters[p].influence);
    }
  }
  /* of all free ones of hardware none matters, of the given ones bytes and bandwidth, by the same
   * factors: they keep their order; of software the memory's efficiency */
  ck_assert_str_eq(parameters[0].path, "array.rows");
  ck_assert_double_eq(parameters[0].influence, 0);
  ck_assert(!parameter_at(made.elasticity, "chip.memory.bandwidth_GBps")->is_software);
  ck_assert(parameter_at(made.elasticity, "chip.memory.efficiency_ratio")->is_software);
  measured_free(&made);
}
END_TEST

/* ---- bundled descriptions ---- */

START_TEST(test_the_result_does_not_depend_on_threads) {
  dsm_system *const system = bundled_system("torus16");
  dsm_workload *const workload = bundled_workload("raider");
  const dsm_workload *const workloads[] = {workload, workload};
  dsm_elasticity_request request = small_request(system, workloads, 2);
  dsm_explore_options_init(&request.options);
  char *texts[3];
  static const size_t threads[] = {1, 2, 7};
  for (int i = 0; i < COUNT_OF(threads); i++) {
    request.options.thread_count = threads[i];
    dsm_elasticity *const elasticity = derived(&request);
    const dsm_elasticity *const items[] = {elasticity};
    texts[i] = as_json(DSM_ANSWERS(elasticity, items, 1));
    dsm_elasticity_free(elasticity);
  }
  ck_assert_str_eq(texts[0], texts[1]);
  ck_assert_str_eq(texts[0], texts[2]);
  for (int i = 0; i < COUNT_OF(threads); i++) {
    free(texts[i]);
  }
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* Parameters that only choose among equally fast mappings, or that no equation of time reads. */
START_TEST(test_what_cannot_change_a_time_does_not) {
  static const char *const paths[] = {"model.prefer_holding", "core.scratchpad_bandwidth_GBps",
                                      "workload.optimizer_bytes_per_weight"};
  static const char *const networks[] = {"vgg16", "resnet50", "gnmt"};
  static const char *const systems[] = {"torus64", "torus64_refined"};
  dsm_system *const system = bundled_system(systems[_i / COUNT_OF(networks)]);
  dsm_workload *const workload = bundled_workload(networks[_i % COUNT_OF(networks)]);
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request request = small_request(system, workloads, 1);
  dsm_explore_options_init(&request.options);
  request.paths = paths;
  request.path_count = COUNT_OF(paths);
  dsm_elasticity *const elasticity = derived(&request);
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    ck_assert_double_eq(parameter->influence, 0);
    for (size_t v = 0; v < parameter->variation_count; v++) {
      const dsm_response *const response = &parameter->variations[v].responses[0];
      ck_assert(response->why_not != NULL ||
                !(response->time_ratio > 1 || response->time_ratio < 1));
    }
  }
  dsm_elasticity_free(elasticity);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* The largest torus and the smallest and largest rates: what would leave the limits is refused. */
START_TEST(test_at_the_limits_of_the_format) {
  const dsm_override overrides[] = {
      {"system.chips_x", "1024", NULL},          {"system.chips_y", "1024", NULL},
      {"core.frequency_GHz", "1e12", NULL},      {"chip.memory.bandwidth_GBps", "1e-9", NULL},
      {"array.startup_cycles", "1e9", NULL},     {"core.transcendental_passes", "1e6", NULL},
      {"model.relu_mask_bytes", "1024", NULL},   {"core.sfu_ops_per_cycle", "1e-9", NULL},
      {"chip.memory.capacity_GB", "1e12", NULL},
  };
  measured made;
  measure(&made, overrides, COUNT_OF(overrides));
  const dsm_varied_parameter *const chips = parameter_at(made.elasticity, "system.chips_x");
  ck_assert_str_eq(chips->variations[1].responses[0].why_not,
                   "expected at most 1048576 chips, found 2048 x 1024 chips");
  static const char *const at_the_top[] = {"core.frequency_GHz", "array.startup_cycles",
                                           "core.transcendental_passes", "model.relu_mask_bytes",
                                           "chip.memory.capacity_GB"};
  for (int i = 0; i < COUNT_OF(at_the_top); i++) {
    const dsm_varied_parameter *const top = parameter_at(made.elasticity, at_the_top[i]);
    ck_assert_ptr_null(top->variations[0].responses[0].why_not);
    ck_assert_ptr_nonnull(top->variations[1].responses[0].why_not);
  }
  const dsm_varied_parameter *const slow =
      parameter_at(made.elasticity, "chip.memory.bandwidth_GBps");
  ck_assert_ptr_nonnull(slow->variations[0].responses[0].why_not);
  ck_assert_ptr_null(slow->variations[1].responses[0].why_not);
  measured_free(&made);
}
END_TEST

START_TEST(test_words_are_those_of_the_formats) {
  ck_assert_str_eq(dsm_variation_kind_name(DSM_VARIATION_HALVED), "halved");
  ck_assert_str_eq(dsm_variation_kind_name(DSM_VARIATION_OTHER), "other");
  ck_assert_str_eq(dsm_variation_kind_name(DSM_VARIATION_RAISED), "raised");
  ck_assert_str_eq(dsm_variation_kind_name(DSM_VARIATION_LOWERED), "lowered");
  ck_assert_str_eq(dsm_elasticity_basis_name(DSM_ELASTICITY_BASIS_LOWERED), "lowered");
  ck_assert_str_eq(dsm_elasticity_basis_name(DSM_ELASTICITY_BASIS_NONE), "none");
  ck_assert_str_eq(dsm_elasticity_basis_name(DSM_ELASTICITY_BASIS_BOTH), "both");
  ck_assert_str_eq(dsm_elasticity_basis_name(DSM_ELASTICITY_BASIS_RAISED), "raised");
}
END_TEST

Suite *suite_elasticity(void) {
  Suite *const suite = suite_create("elasticity");
  TCase *const hand = tcase_create("by hand");
  tcase_add_test(hand, test_a_step_bound_by_memory);
  tcase_add_test(hand, test_a_step_bound_by_computation);
  tcase_add_test(hand, test_a_flag_has_a_ratio_and_no_elasticity);
  tcase_add_test(hand, test_at_a_bound_it_is_one_sided);
  tcase_add_test(hand, test_what_does_not_fit_has_no_time);
  tcase_add_test(hand, test_a_network_that_does_not_fit_as_it_is_is_named);
  tcase_add_test(hand, test_a_path_that_names_no_parameter_is_wrong_usage);
  tcase_add_test(hand, test_paths_choose_what_is_varied);
  tcase_add_test(hand, test_networks_vary_from_their_own_values);
  tcase_add_test(hand, test_free_parameters_come_first_and_software_last_then_by_influence);
  tcase_add_test(hand, test_at_the_limits_of_the_format);
  tcase_add_test(hand, test_words_are_those_of_the_formats);
  suite_add_tcase(suite, hand);
  TCase *const whole = tcase_create("bundled");
  tcase_set_timeout(whole, 120);
  tcase_add_test(whole, test_the_result_does_not_depend_on_threads);
  tcase_add_loop_test(whole, test_what_cannot_change_a_time_does_not, 0, 6);
  suite_add_tcase(suite, whole);
  return suite;
}
