/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants that are known are found; what the measurements do not say is said. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "calibrate/judge.h"
#include "machine.h"
#include "suites.h"

static const double tolerance = 1e-3;

/* Samples of which the first are bound by memory, the last by the array. */
static const char *const minibatches[] = {"1", "2", "4", "500", "1000", "2000"};

/* What a machine with these rates takes for them, as CSV. */
static void measure(const char *array_ratio, const char *memory_ratio, char *csv, size_t size) {
  const dsm_override overrides[] = {
      {.path = "array.efficiency_ratio", .value = array_ratio},
      {.path = "chip.memory.efficiency_ratio", .value = memory_ratio}};
  dsm_system *const system = machine(overrides, 2);
  size_t used = (size_t)snprintf(csv, size, "workload,minibatch,mode,optimize,milliseconds,note\n");
  for (int i = 0; i < COUNT_OF(minibatches); i++) {
    used += (size_t)snprintf(csv + used, size - used, "one,%s,inference,none,%.17g,made up\n",
                             minibatches[i], step_ms(system, minibatches[i]));
  }
  dsm_system_free(system);
}

/* What is chosen of that machine by default. Nothing of it is auxiliary. */
static const struct {
  const char *path;
  double before;
  double after;
  bool is_seen;
} usual[] = {
    {"array.efficiency_ratio", 1, 0.7, true},
    {"core.operation_overhead_us", 0, 0, true},
    {"chip.memory.efficiency_ratio", 1, 0.4, true},
    {"chip.memory.auxiliary_efficiency_ratio", 0, 0, false},
};

START_TEST(test_known_constants_are_found) {
  char csv[1024];
  measure("0.7", "0.4", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(system, csv);
  dsm_calibration *const made = calibrated(&request);
  ck_assert_uint_eq(made->constant_count, COUNT_OF(usual));
  for (int k = 0; k < COUNT_OF(usual); k++) {
    ck_assert_str_eq(made->constants[k].path, usual[k].path);
    ck_assert_double_eq(made->constants[k].before, usual[k].before);
    ck_assert_double_eq_tol(made->constants[k].after, usual[k].after,
                            tolerance * usual[k].after + 1e-12);
    ck_assert_int_eq(made->constants[k].is_seen, usual[k].is_seen);
  }
  ck_assert_uint_eq(made->alike_count, 1); /* both act on the smallest minibatches alone */
  ck_assert_uint_eq(made->alike[0].first, 1);
  ck_assert_uint_eq(made->alike[0].second, 2);
  ck_assert_uint_eq(made->row_count, COUNT_OF(minibatches));
  ck_assert_uint_eq(made->fold_count, COUNT_OF(minibatches));
  ck_assert_double_gt(made->error_before, 0.2);
  ck_assert_double_lt(made->error_after, 2e-4);
  ck_assert_double_lt(made->error_left_out, 1e-3);
  ck_assert_double_eq_tol(made->spread_low, 1, tolerance);
  ck_assert_double_eq_tol(made->spread_high, 1, tolerance);
  ck_assert_str_eq(made->file, "times.csv");
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_the_system_says_where_its_constants_come_from) {
  char csv[1024];
  measure("0.7", "0.4", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(system, csv);
  dsm_calibration *const made = calibrated(&request);
  char *const text = dsm_calibration_print_system(made);
  dsm_system *read = NULL;
  ck_assert_int_eq(dsm_system_parse(&read, text, strlen(text), "made", NULL, 0, NULL), DSM_OK);
  ck_assert_double_eq(read->array.efficiency_ratio, made->constants[0].after);
  ck_assert_double_eq(read->chip.memory.efficiency_ratio, made->constants[2].after);
  ck_assert_str_eq(dsm_system_note(read, "array.efficiency_ratio"),
                   "calibrated on 6 measurements of times.csv");
  ck_assert_uint_eq(read->model.spread_count, 6);
  ck_assert_double_gt(read->model.spread_low, 0);
  ck_assert_double_ge(read->model.spread_high, read->model.spread_low);
  ck_assert_double_eq(system->array.efficiency_ratio, 1);
  dsm_system_free(read);
  free(text);
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_what_no_measurement_sees) {
  static const char *const paths[] = {"array.efficiency_ratio", "core.transcendental_passes",
                                      "system.link_bandwidth_x_GBps"};
  char csv[1024];
  measure("0.7", "1", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  dsm_calibration_request request = request_of(system, csv);
  request.paths = paths;
  request.path_count = 3;
  dsm_calibration *const made = calibrated(&request);
  ck_assert_double_eq_tol(made->constants[0].after, 0.7, tolerance);
  ck_assert(made->constants[0].is_seen);
  for (int k = 1; k < COUNT_OF(paths); k++) {
    ck_assert(!made->constants[k].is_seen);
    ck_assert_double_eq(made->constants[k].after, made->constants[k].before);
    ck_assert_ptr_null(dsm_system_note(made->system, paths[k]));
  }
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_what_cannot_be_told_apart) {
  static const char *const paths[] = {"chip.memory.efficiency_ratio", "array.efficiency_ratio",
                                      "chip.memory.bandwidth_GBps"};
  char csv[1024];
  measure("0.7", "0.4", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  dsm_calibration_request request = request_of(system, csv);
  request.paths = paths;
  request.path_count = 3;
  dsm_calibration *const made = calibrated(&request);
  ck_assert_double_lt(made->error_after, 1e-5);
  ck_assert_double_eq_tol(made->constants[1].after, 0.7, tolerance);
  ck_assert_double_eq_tol(made->constants[0].after * made->constants[2].after, 0.4 * 4, tolerance);
  ck_assert_uint_eq(made->alike_count, 1);
  ck_assert_uint_eq(made->alike[0].first, 0);
  ck_assert_uint_eq(made->alike[0].second, 2);
  ck_assert_double_gt(made->alike[0].correlation, 0.99);
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

/* Constants that the rest was not chosen on are judged by it: one odd measurement of six. */
START_TEST(test_an_odd_measurement_is_told) {
  static const char *const paths[] = {"chip.memory.efficiency_ratio"};
  dsm_system *const system = machine(NULL, 0);
  const double milliseconds = step_ms(system, "1");
  char csv[512];
  (void)snprintf(csv, sizeof csv,
                 "workload,mode,optimize,milliseconds\n"
                 "one,inference,none,%.17g\none,inference,none,%.17g\none,inference,none,%.17g\n",
                 2 * milliseconds, 2 * milliseconds, 4 * milliseconds);
  dsm_calibration_request request = request_of(system, csv);
  request.paths = paths;
  request.path_count = 1;
  dsm_calibration *const made = calibrated(&request);
  ck_assert_double_eq_tol(made->constants[0].after, 0.5, tolerance);
  ck_assert_double_eq_tol(made->error_before, (0.5 + 0.5 + 0.75) / 3, tolerance);
  ck_assert_double_eq_tol(made->error_after, 0.5 / 3, tolerance);
  ck_assert_double_eq_tol(made->rows[2].left_out, 2e-3 * milliseconds, 1e-3 * milliseconds);
  ck_assert_double_eq_tol(made->error_left_out, 0.5 / 3, tolerance);
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_a_single_measurement_is_not_judged) {
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(system, "workload,milliseconds\none,1\n");
  dsm_calibration *const made = calibrated(&request);
  ck_assert_uint_eq(made->fold_count, 0);
  ck_assert_double_eq(made->error_left_out, 0);
  ck_assert_uint_eq(made->system->model.spread_count, 0);
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

/* More than forty: a tenth is left out at a time. */
START_TEST(test_tenths) {
  dsm_system *const system = machine(NULL, 0);
  char csv[2048] = "workload,minibatch,milliseconds\n";
  size_t used = strlen(csv);
  for (int i = 0; i < 41; i++) {
    used += (size_t)snprintf(csv + used, sizeof csv - used, "one,%d,%d\n", i % 3 + 1, i % 3 + 1);
  }
  const dsm_calibration_request request = request_of(system, csv);
  dsm_calibration *const made = calibrated(&request);
  ck_assert_uint_eq(made->row_count, 41);
  ck_assert_uint_eq(made->fold_count, 10);
  for (size_t r = 0; r < made->row_count; r++) {
    ck_assert_double_gt(made->rows[r].left_out, 0);
  }
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

/* A layer's pass, and a plan's decisions, are predicted as the step of which they are all. */
START_TEST(test_layers_and_plans) {
  dsm_system *const system = machine(NULL, 0);
  const double milliseconds = step_ms(system, "8");
  const dsm_calibration_request request =
      request_of(system, "milliseconds,workload,minibatch,mode,optimize,layer,pass,plan,overrides\n"
                         "1,one,8,inference,none,fc,,,\n"
                         "1,one,8,inference,none,fc,forward,,\n"
                         "1,one,8,inference,none,,forward,,\n"
                         "1,,,,,,,plan,\n"
                         "1,,,,,fc,forward,plan,\n"
                         "1,one,,inference,none,,,,workload.minibatch=8\n"
                         "1,one,8,inference,none,,,,system.core.frequency_GHz=1\n");
  dsm_calibration *const made = calibrated(&request);
  ck_assert_uint_eq(made->row_count, 7);
  for (size_t r = 0; r < made->row_count; r++) {
    ck_assert_double_eq_tol(made->rows[r].before, milliseconds / 1e3, 1e-12);
    ck_assert_uint_eq(made->rows[r].minibatch, 8);
  }
  ck_assert_int_eq(made->rows[0].pass, DSM_PASS_COUNT);
  ck_assert_str_eq(made->rows[4].layer, "fc");
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_threads_change_nothing) {
  char csv[1024];
  measure("0.37", "0.91", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  dsm_calibration_request request = request_of(system, csv);
  dsm_calibration *const one = calibrated(&request);
  request.thread_count = 4;
  dsm_calibration *const four = calibrated(&request);
  ck_assert_uint_eq(one->explorations, four->explorations);
  ck_assert(memcmp(&one->error_left_out, &four->error_left_out, sizeof(double)) == 0);
  for (size_t k = 0; k < one->constant_count; k++) {
    ck_assert(memcmp(&one->constants[k].after, &four->constants[k].after, sizeof(double)) == 0);
  }
  dsm_calibration_free(four);
  dsm_calibration_free(one);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_a_bound_on_explorations) {
  char csv[1024];
  measure("0.7", "0.4", csv, sizeof csv);
  dsm_system *const system = machine(NULL, 0);
  dsm_calibration_request request = request_of(system, csv);
  request.exploration_max = 60;
  dsm_calibration *const made = calibrated(&request);
  ck_assert(made->is_stopped);
  ck_assert_uint_le(made->explorations, 60);
  ck_assert_double_le(made->error_after, made->error_before);
  dsm_calibration_free(made);
  dsm_system_free(system);
}
END_TEST

static const struct {
  const char *path;
  const char *message;
} paths_that_are_none[] = {
    {"array.eficiency_ratio", "found \"array.eficiency_ratio\""},
    {"array.rows", "found \"array.rows\""},
    {"system.axes.0.efficiency_ratio", "found \"system.axes.0.efficiency_ratio\""},
    {"model.spread_low", "found \"model.spread_low\""},
    {"", "found \"\""},
};

START_TEST(test_paths_that_are_none) {
  dsm_system *const system = machine(NULL, 0);
  dsm_calibration_request request = request_of(system, "workload,milliseconds\none,1\n");
  request.paths = &paths_that_are_none[_i].path;
  request.path_count = 1;
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_calibration *made = NULL;
  ck_assert_int_eq(dsm_calibrate(&made, &request, diags), DSM_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, paths_that_are_none[_i].message));
  dsm_diags_free(diags);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_what_does_not_fit) {
  dsm_system *const system = machine(NULL, 0);
  const dsm_calibration_request request = request_of(
      system, "workload,overrides,milliseconds\none,system.chip.memory.capacity_GB=1e-6,1\n");
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_calibration *made = NULL;
  ck_assert_int_eq(dsm_calibrate(&made, &request, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_uint_eq(dsm_diags_get(diags, 0)->line, 2);
  dsm_diags_free(diags);
  dsm_system_free(system);
}
END_TEST

START_TEST(test_percentiles) {
  static const double sorted[] = {1, 2, 3, 4, 5};
  ck_assert_double_eq_tol(dsm__percentile(sorted, 5, 0), 1, 1e-12);
  ck_assert_double_eq_tol(dsm__percentile(sorted, 5, 0.1), 1.4, 1e-12);
  ck_assert_double_eq_tol(dsm__percentile(sorted, 5, 0.9), 4.6, 1e-12);
  ck_assert_double_eq_tol(dsm__percentile(sorted, 5, 1), 5, 1e-12);
  ck_assert_double_eq_tol(dsm__percentile(sorted, 1, 0.9), 1, 1e-12);
}
END_TEST

Suite *suite_calibration(void) {
  Suite *const suite = suite_create("calibration");
  TCase *const tests = tcase_create("calibration");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_known_constants_are_found);
  tcase_add_test(tests, test_the_system_says_where_its_constants_come_from);
  tcase_add_test(tests, test_what_no_measurement_sees);
  tcase_add_test(tests, test_what_cannot_be_told_apart);
  tcase_add_test(tests, test_an_odd_measurement_is_told);
  tcase_add_test(tests, test_a_single_measurement_is_not_judged);
  tcase_add_test(tests, test_tenths);
  tcase_add_test(tests, test_layers_and_plans);
  tcase_add_test(tests, test_threads_change_nothing);
  tcase_add_test(tests, test_a_bound_on_explorations);
  tcase_add_loop_test(tests, test_paths_that_are_none, 0, COUNT_OF(paths_that_are_none));
  tcase_add_test(tests, test_what_does_not_fit);
  tcase_add_test(tests, test_percentiles);
  suite_add_tcase(suite, tests);
  return suite;
}
