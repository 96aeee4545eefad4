/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step of a plan: unchanged without storage, with it the longer of computing and loading. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "suites.h"

typedef struct explored {
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  dsm_status status;
} explored;

static explored explore(const char *dataset, const char *storage, dsm_mode mode) {
  const dsm_override of_workload = {.path = "dataset", .value = dataset};
  const dsm_override of_system = {.path = "storage", .value = storage};
  dsm_explore_options options;
  explored to = {0};
  ck_assert_int_eq(dsm_workload_load(&to.workload, DSM_SOURCE_DIR "/workloads/alexnet.json",
                                     &of_workload, dataset == NULL ? 0 : 1, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_system_load(&to.system, DSM_SOURCE_DIR "/systems/torus16.json", &of_system,
                                   storage == NULL ? 0 : 1, NULL),
                   DSM_OK);
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations = 0;
  to.status = dsm_explore(&to.plan, to.workload, to.system, &options, NULL);
  return to;
}

static void explored_free(explored *of) {
  dsm_plan_free(of->plan);
  dsm_workload_free(of->workload);
  dsm_system_free(of->system);
}

static const char few_samples[] = "{\"samples\": 1000, \"sample_bytes\": 150000}";
static const char samples[] = "{\"samples\": 1281167, \"sample_bytes\": 150000}";
static const char repeated[] = "{\"samples\": 1281167, \"sample_bytes\": 150000, \"repeat\": 3}";
static const char slow[] = "{\"fast\": {\"capacity_GB\": 50, \"bandwidth_GBps\": 1000}, "
                           "\"capacity\": {\"bandwidth_GBps\": 2}}";
static const char slower_fast[] = "{\"fast\": {\"capacity_GB\": 50, \"bandwidth_GBps\": 1}, "
                                  "\"capacity\": {\"bandwidth_GBps\": 2}}";
static const char tiny[] = "{\"fast\": {\"capacity_GB\": 2e-4, \"bandwidth_GBps\": 10}, "
                           "\"capacity\": {\"bandwidth_GBps\": 2}}";

/* A data set without storage, storage without a data set, and neither: the same numbers. */
START_TEST(test_without_storage_nothing_changes) {
  explored none = explore(NULL, NULL, DSM_MODE_TRAINING);
  explored one = explore(samples, NULL, DSM_MODE_TRAINING);
  explored other = explore(NULL, slow, DSM_MODE_TRAINING);
  ck_assert_int_eq(memcmp(&none.plan->result, &one.plan->result, sizeof none.plan->result), 0);
  ck_assert_int_eq(memcmp(&none.plan->result, &other.plan->result, sizeof none.plan->result), 0);
  ck_assert_double_eq(none.plan->result.storage.job.demand_bytes_per_second, 0);
  ck_assert_double_eq(dsm_plan_computing_seconds(none.plan), none.plan->result.step_seconds);
  explored_free(&none);
  explored_free(&one);
  explored_free(&other);
}
END_TEST

/* 256 samples of 150,000 bytes at 2 GB/s are 19.2 ms; trained on three times each 6.4 ms. The
 * chips need less. In inference each sample is read once. */
START_TEST(test_the_step_is_the_longer_of_both) {
  static const struct {
    const char *dataset;
    dsm_mode mode;
    double loading_seconds;
  } cases[] = {{samples, DSM_MODE_TRAINING, 0.0192},
               {repeated, DSM_MODE_TRAINING, 0.0064},
               {repeated, DSM_MODE_INFERENCE, 0.0192}};
  explored none = explore(NULL, NULL, cases[_i].mode);
  explored of = explore(cases[_i].dataset, slow, cases[_i].mode);
  const dsm_plan_result *const result = &of.plan->result;
  const dsm_plan_storage *const storage = &result->storage;
  ck_assert_double_eq(result->step_cycles, none.plan->result.step_cycles);
  ck_assert_double_eq(storage->computing_seconds, none.plan->result.step_seconds);
  ck_assert_double_eq_tol(storage->loading_seconds, cases[_i].loading_seconds, 1e-12);
  ck_assert_double_lt(storage->computing_seconds, storage->loading_seconds);
  ck_assert_double_eq_tol(result->step_seconds, cases[_i].loading_seconds, 1e-12);
  ck_assert_double_eq_tol(result->step_seconds,
                          storage->computing_seconds + storage->waiting_seconds, 1e-15);
  ck_assert_double_eq_tol(result->samples_per_second, 256 / cases[_i].loading_seconds, 1e-6);
  ck_assert_double_eq_tol(storage->state.stall_share,
                          storage->waiting_seconds / result->step_seconds, 1e-9);
  ck_assert_double_eq(result->latency_seconds,
                      cases[_i].mode == DSM_MODE_INFERENCE ? result->step_seconds : 0);
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_int_eq(dsm_plan_validate(of.plan, diags), DSM_OK);
  dsm_diags_free(diags);
  explored_free(&none);
  explored_free(&of);
}
END_TEST

/* All of it in fast storage, fast enough: nothing is waited for. Fast storage at 1 GB/s: 38.4 ms,
 * and no stall in the sense of equation 3. */
START_TEST(test_what_fits) {
  explored of = explore(few_samples, slow, DSM_MODE_TRAINING);
  ck_assert_double_eq(of.plan->result.storage.waiting_seconds, 0);
  ck_assert_uint_eq(of.plan->result.storage.state.mini_epochs, 1);
  explored slower = explore(few_samples, slower_fast, DSM_MODE_TRAINING);
  ck_assert_double_eq_tol(slower.plan->result.step_seconds, 0.0384, 1e-12);
  ck_assert_double_eq(slower.plan->result.storage.state.stall_share, 0);
  ck_assert_double_eq(slower.plan->result.storage.state.waiting_share,
                      slower.plan->result.storage.waiting_seconds /
                          slower.plan->result.step_seconds);
  ck_assert_int_eq(slower.plan->result.storage.state.bound, DSM_STORAGE_BOUND_FAST);
  explored_free(&of);
  explored_free(&slower);
}
END_TEST

START_TEST(test_a_plan_reads_back) {
  explored of = explore(repeated, slow, DSM_MODE_TRAINING);
  char *const text = dsm_plan_print(of.plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), "plan", NULL, NULL), DSM_OK);
  ck_assert_double_eq(again->result.step_seconds, of.plan->result.step_seconds);
  ck_assert_double_eq(again->result.storage.waiting_seconds,
                      of.plan->result.storage.waiting_seconds);
  free(text);
  dsm_plan_free(again);
  explored_free(&of);
}
END_TEST

/* What follows from what the step computes is not passed over where it was edited. */
START_TEST(test_an_edited_number_is_found) {
  static const char *const numbers[] = {"\"step_seconds\": ",
                                        "\"samples_per_second\": ",
                                        "\"demand_samples_per_second\": ",
                                        "\"demand_bytes_per_second\": ",
                                        "\"delivered_bytes_per_second\": ",
                                        "\"capacity_bytes_per_second\": ",
                                        "\"mini_epochs\": ",
                                        "\"mini_epoch_bytes\": ",
                                        "\"repeat\": ",
                                        "\"stall_free_repeat\": ",
                                        "\"period_seconds\": ",
                                        "\"stall_share\": ",
                                        "\"computing_seconds\": ",
                                        "\"loading_seconds\": ",
                                        "\"waiting_seconds\": "};
  explored of = explore(repeated, slow, DSM_MODE_TRAINING);
  char *const text = dsm_plan_print(of.plan);
  const char *const storage = strstr(text, "\"storage\": {");
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_ptr_nonnull(storage);
  ck_assert_int_eq(dsm_plan_validate_text(text, strlen(text), "plan", diags), DSM_OK);
  ck_assert_int_eq(dsm_plan_compare_text(of.plan, text, strlen(text), "plan", diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char *const digit = strstr(i == 0 ? text : storage, numbers[i]) + strlen(numbers[i]);
    const char before = *digit;
    *digit = before == '9' ? '8' : '9';
    const dsm_status status = dsm_plan_validate_text(text, strlen(text), "plan", diags);
    ck_assert_int_eq(status, dsm_diags_count(diags) > 0 ? DSM_ERROR_INVALID : DSM_OK);
    ck_assert_int_eq(dsm_plan_compare_text(of.plan, text, strlen(text), "plan", diags), DSM_OK);
    ck_assert_msg(dsm_diags_count(diags) > 0, "%sis taken as it was edited", numbers[i]);
    dsm_diags_clear(diags);
    *digit = before;
  }
  dsm_diags_free(diags);
  free(text);
  explored_free(&of);
}
END_TEST

START_TEST(test_two_samples_have_to_fit) {
  explored of = explore(samples, tiny, DSM_MODE_TRAINING);
  ck_assert_int_eq(of.status, DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(of.plan);
  explored_free(&of);
}
END_TEST

Suite *suite_step(void) {
  Suite *const suite = suite_create("step");
  TCase *const tests = tcase_create("step");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_without_storage_nothing_changes);
  tcase_add_loop_test(tests, test_the_step_is_the_longer_of_both, 0, 3);
  tcase_add_test(tests, test_what_fits);
  tcase_add_test(tests, test_a_plan_reads_back);
  tcase_add_test(tests, test_an_edited_number_is_found);
  tcase_add_test(tests, test_two_samples_have_to_fit);
  suite_add_tcase(suite, tests);
  return suite;
}
