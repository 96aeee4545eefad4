/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A printed plan is a whole plan: read again and printed again it is the same text. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explored.h"
#include "suites.h"

typedef struct exploration {
  const char *workload;
  const char *system;
  const char *minibatch;
  dsm_mode mode;
  dsm_optimization_set optimizations;
  dsm_parallelism_set parallelisms;
  size_t override_count; /* of those below */
} exploration;

static const char *const overrides[] = {"workload.minibatch=64", "system.name=a \"b\" \\ c\n"};

#define DATA_AND_MODEL                                                                             \
  (DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) | DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL))

static const exploration explorations[] = {
    {"raider", "torus16", "256", DSM_MODE_TRAINING, DSM_OPTIMIZATION_ALL, DSM_PARALLELISM_ALL, 0},
    {"raider", "chip1", "1", DSM_MODE_INFERENCE, DSM_OPTIMIZATION_ALL, DSM_PARALLELISM_ALL, 0},
    {"alexnet", "torus64", "64", DSM_MODE_TRAINING, 0, DATA_AND_MODEL, 2},
    {"mobilenet_v2", "torus16", "96", DSM_MODE_TRAINING, DSM_OPTIMIZATION_ALL, DSM_PARALLELISM_ALL,
     0},
    {"gnmt", "torus64_symmetric", "64", DSM_MODE_TRAINING, DSM_OPTIMIZATION_ALL,
     DSM_PARALLELISM_ALL, 1},
    {"gnmt", "torus16", "3", DSM_MODE_INFERENCE, DSM_OPTIMIZATION_ALL,
     DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL), 0},
};

static explored made;
static char *text;
static reading read_back;

static void explore(int index) {
  const exploration *const chosen = &explorations[index];
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = chosen->mode;
  options.optimizations = chosen->optimizations & dsm_mode_optimizations(chosen->mode);
  options.parallelisms = chosen->parallelisms;
  options.overrides = overrides;
  options.override_count = chosen->override_count;
  made = explore_bundled(chosen->workload, chosen->system, chosen->minibatch, &options);
  text = dsm_plan_print(made.plan);
  ck_assert_ptr_nonnull(text);
}

static void explore_and_read(int index) {
  explore(index);
  read_back = read_plan(text);
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(read_back.diags), 0);
}

static void tear_down(void) {
  reading_free(&read_back);
  free(text);
  text = NULL;
  explored_free(&made);
}

static void expect_same_print(dsm_plan *plan) {
  ck_assert_int_eq(dsm_plan_bound(plan, NULL), DSM_OK);
  char *const again = dsm_plan_print(plan);
  ck_assert_ptr_nonnull(again);
  ck_assert_str_eq(again, text);
  free(again);
}

START_TEST(test_printed_and_read_again_it_prints_the_same_bytes) {
  explore_and_read(_i);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_score_of_a_read_plan_is_what_the_exploration_claimed) {
  explore_and_read(_i);
  ck_assert_double_eq(read_back.plan->result.step_cycles, made.plan->result.step_cycles);
  ck_assert_double_eq(read_back.recorded_step_cycles, made.plan->result.step_cycles);
}
END_TEST

START_TEST(test_read_plan_keeps_every_invariant) {
  explore_and_read(_i);
  ck_assert_int_eq(dsm_plan_validate(read_back.plan, NULL), DSM_OK);
}
END_TEST

START_TEST(test_order_of_keys_changes_nothing) {
  explore(_i);
  char *const reversed = with_reversed_keys(text);
  ck_assert_str_ne(reversed, text);
  read_back = read_plan(reversed);
  free(reversed);
  ck_assert_int_eq(read_back.status, DSM_OK);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_plan_holds_workload_system_and_options_in_full) {
  explore_and_read(_i);
  const dsm_plan *const plan = read_back.plan;
  const exploration *const chosen = &explorations[_i];
  ck_assert_str_eq(plan->workload->name, chosen->workload);
  ck_assert_uint_eq(plan->workload->layer_count, made.workload->layer_count);
  ck_assert_uint_eq(plan->workload->parameters, made.workload->parameters);
  ck_assert_uint_eq(plan->workload->forward_macs, made.workload->forward_macs);
  ck_assert_str_eq(plan->system->name, chosen->system);
  ck_assert_uint_eq(plan->system->note_count, made.system->note_count);
  ck_assert_double_eq(dsm_system_peak_flops(plan->system), dsm_system_peak_flops(made.system));
  ck_assert_int_eq(plan->options.mode, chosen->mode);
  ck_assert_uint_eq(plan->options.optimizations,
                    chosen->optimizations & dsm_mode_optimizations(chosen->mode));
  ck_assert_uint_eq(plan->options.parallelisms, chosen->parallelisms & DSM_PARALLELISMS_OF(2));
  ck_assert_uint_eq(plan->options.override_count, chosen->override_count);
  for (size_t i = 0; i < chosen->override_count; i++) {
    ck_assert_str_eq(plan->options.overrides[i], overrides[i]);
  }
}
END_TEST

START_TEST(test_saved_and_loaded_it_is_the_same) {
  char path[] = "/tmp/dsm_test_plan_XXXXXX";
  explore(0);
  const int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  close(file);
  ck_assert_int_eq(dsm_plan_save(made.plan, path, NULL), DSM_OK);
  dsm_plan *loaded = NULL;
  double recorded = -1;
  ck_assert_int_eq(dsm_plan_load(&loaded, path, &recorded, NULL), DSM_OK);
  ck_assert_double_eq(recorded, made.plan->result.step_cycles);
  expect_same_print(loaded);
  dsm_plan_free(loaded);
  unlink(path);
}
END_TEST

Suite *suite_plan_json_write(void) {
  Suite *const suite = suite_create("plan_json_write");
  TCase *const tcase = tcase_create("round_trip");
  const int count = COUNT_OF(explorations);
  tcase_set_timeout(tcase, 60);
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_loop_test(tcase, test_printed_and_read_again_it_prints_the_same_bytes, 0, count);
  tcase_add_loop_test(tcase, test_score_of_a_read_plan_is_what_the_exploration_claimed, 0, count);
  tcase_add_loop_test(tcase, test_read_plan_keeps_every_invariant, 0, count);
  tcase_add_loop_test(tcase, test_order_of_keys_changes_nothing, 0, count);
  tcase_add_loop_test(tcase, test_plan_holds_workload_system_and_options_in_full, 0, count);
  tcase_add_test(tcase, test_saved_and_loaded_it_is_the_same);
  suite_add_tcase(suite, tcase);
  return suite;
}
