/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_limits.c: searches that end before the optimum is proven say how good their answers are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "how_many.h"
#include "search/memo.h"
#include "search/problem.h"
#include "suites.h"

static const char *const systems[] = {"chip1", "torus64", "torus64_refined"};
enum { SYSTEM_COUNT = sizeof systems / sizeof systems[0] };

/* What is read back is judged: a plan of the best core splits of its decisions. */
static void check_legal(const dsm_plan *plan) {
  dsm_plan *read = NULL;
  char *const text = dsm_plan_print(plan);
  ck_assert_int_eq(dsm_plan_parse(&read, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  dsm_plan_free(read);
  free(text);
}

/* Any answer of a search that was cut lies above the optimum, and any bound below it. */
static void check_encloses(const dsm_plan *cut, const dsm_plan *whole) {
  ck_assert_int_eq(dsm_plan_validate(cut, NULL), DSM_OK);
  check_legal(cut);
  ck_assert_double_ge(cut->result.step_cycles, whole->result.lower_bound_cycles * (1 - 1e-11));
  ck_assert_double_le(cut->result.lower_bound_cycles, whole->result.step_cycles * (1 + 1e-11));
  ck_assert_double_gt(cut->result.lower_bound_cycles, 0);
}

/* Over before it began. */
START_TEST(test_no_time_gives_a_valid_plan_with_a_bound) {
  for (size_t s = 0; s < HOW_MANY(SYSTEM_COUNT, SYSTEM_COUNT, 1); s++) {
    for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
      dsm_explore_options options = bundled_options((dsm_mode)mode);
      bundled whole = bundled_explore(bundled_networks[_i], systems[s], "16", &options);
      options.time_limit_seconds = 1e-9;
      bundled cut = bundled_explore(bundled_networks[_i], systems[s], "16", &options);
      ck_assert_int_eq(cut.status, whole.status);
      if (whole.status == DSM_OK) {
        ck_assert(cut.plan->statistics.is_stopped && !whole.plan->statistics.is_stopped);
        check_encloses(cut.plan, whole.plan);
      }
      bundled_free(&cut);
      bundled_free(&whole);
    }
  }
}
END_TEST

/* Says that it is stopped from a number of asks on. */
typedef struct stopping {
  size_t asked;
  size_t asks_most;
} stopping;

static bool is_stopped(void *context) {
  stopping *const own = context;
  return own->asked++ >= own->asks_most;
}

/* What fits only with layers made anew, which are searched last in a large network, or in stages,
 * is found by a search that goes on until it has something. One with a time limit ends past twice
 * that, and one that is stopped at once. */
START_TEST(test_what_fits_last_is_found_in_time) {
  static const dsm_override overrides[] = {{"chip.memory.capacity_GB", "0.1", NULL}};
  static const dsm_optimization_set sets[] = {
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE),
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES) |
          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE)};
  dsm_workload *const workload = bundled_workload("vit_b16", "256");
  dsm_system *const system = bundled_system_with("dgx_a100", overrides, 1);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | sets[_i];
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm__explore_hastily(&plan, workload, system, &options), DSM_OK);
  ck_assert(plan->statistics.is_stopped);
  ck_assert_double_le(plan->result.memory.total_bytes, 0.1e9);
  dsm_plan_free(plan);
  stopping at_once = {.asks_most = 0};
  dsm_explore_options stopped = options;
  stopped.is_stopped = is_stopped;
  stopped.context = &at_once;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &stopped, NULL), DSM_ERROR_INFEASIBLE);
  options.time_limit_seconds = 1e-9;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_ERROR_INFEASIBLE);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

static bundled explore_with_roles(dsm_explore_options *options) {
  options->optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) |
                            DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                            DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES);
  return bundled_explore("raider", "torus16", "16", options);
}

/* A search that is stopped asks no more often than it has asked, and has a plan and a bound. */
START_TEST(test_a_stop_ends_it_wherever_it_comes) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  stopping never = {.asks_most = SIZE_MAX};
  options.is_stopped = is_stopped;
  options.context = &never;
  bundled whole = explore_with_roles(&options);
  ck_assert(!whole.plan->statistics.is_stopped);
  ck_assert(whole.plan->options.is_stopped == NULL);
  for (size_t most = 0; most < never.asked; most += 1 + most / 2) {
    stopping now = {.asks_most = most};
    options.context = &now;
    bundled cut = explore_with_roles(&options);
    ck_assert(cut.plan->statistics.is_stopped && !cut.plan->statistics.is_memory_met);
    ck_assert_uint_le(cut.plan->statistics.evaluations, whole.plan->statistics.evaluations);
    ck_assert_uint_le(now.asked, never.asked + 1);
    check_encloses(cut.plan, whole.plan);
    bundled_free(&cut);
  }
  bundled_free(&whole);
}
END_TEST

/* Little memory binds, and what is kept is a plan with a bound; enough changes nothing. */
START_TEST(test_memory_limit_is_kept) {
  static const double limits_GB[] = {1e-9, 1e-5, 1e-4, 1e3};
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  bundled whole = explore_with_roles(&options);
  options.memory_limit_GB = limits_GB[_i];
  bundled cut = explore_with_roles(&options);
  ck_assert_int_eq(cut.plan->statistics.is_memory_met, _i < 3);
  ck_assert_int_eq(cut.plan->statistics.is_stopped, _i < 3);
  check_encloses(cut.plan, whole.plan);
  ck_assert(_i < 3 || cut.plan->statistics.evaluations == whole.plan->statistics.evaluations);
  bundled_free(&cut);
  bundled_free(&whole);
}
END_TEST

/* A limit of work that binds leaves a plan with a bound, the same with any number of threads. */
START_TEST(test_work_limit_is_kept) {
  static const double limits[] = {1, 1e2, 1e3, 1e4};
  dsm_workload *const workload = bundled_workload("raider", "16");
  dsm_system *const system = bundled_system("torus16");
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  bundled whole = explore_with_roles(&options);
  dsm_plan *cut[2];
  for (size_t threads = 1; threads <= 2; threads++) {
    options.thread_count = threads;
    ck_assert_int_eq(
        dsm__explore_with_work(&cut[threads - 1], workload, system, &options, limits[_i], NULL),
        DSM_OK);
  }
  ck_assert(cut[0]->statistics.is_stopped && !cut[0]->statistics.is_memory_met);
  check_encloses(cut[0], whole.plan);
  ck_assert_double_eq(cut[0]->result.step_cycles, cut[1]->result.step_cycles);
  ck_assert_double_eq(cut[0]->result.lower_bound_cycles, cut[1]->result.lower_bound_cycles);
  dsm_plan_free(cut[0]);
  dsm_plan_free(cut[1]);
  bundled_free(&whole);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* What a memo of passes takes is memory of the search, until it is gone. */
START_TEST(test_memory_of_a_memo_is_counted) {
  atomic_size_t bytes = 0;
  dsm__memo *const memo = dsm__memo_new(DSM__ROLE_MEMO_BYTES_MAX, &bytes);
  const dsm__memo_role_key key = {0};
  ck_assert(memo != NULL);
  dsm__memo_put_role(memo, &key, (dsm__memo_score){0});
  ck_assert_uint_gt(atomic_load(&bytes), sizeof key);
  ck_assert_uint_le(atomic_load(&bytes), DSM__ROLE_MEMO_BYTES_MAX);
  dsm__memo_free(memo);
  ck_assert_uint_eq(atomic_load(&bytes), 0);
}
END_TEST

START_TEST(test_time_that_is_enough_changes_nothing) {
  dsm_explore_options options = bundled_options(DSM_MODE_INFERENCE);
  bundled whole = bundled_explore(bundled_networks[_i], "torus64", "64", &options);
  options.time_limit_seconds = 100000;
  bundled limited = bundled_explore(bundled_networks[_i], "torus64", "64", &options);
  ck_assert(!limited.plan->statistics.is_stopped);
  limited.plan->options.time_limit_seconds = 0;
  char *const one = dsm_plan_print(whole.plan);
  char *const other = dsm_plan_print(limited.plan);
  ck_assert_str_eq(one, other);
  free(one);
  free(other);
  bundled_free(&limited);
  bundled_free(&whole);
}
END_TEST

/* GoogLeNet gains 0.09 % by preloading on chip1: less than the larger gap. */
START_TEST(test_gap_is_kept) {
  static const double gaps[] = {0, 1e-4, 0.01};
  dsm_explore_options options = bundled_options(DSM_MODE_INFERENCE);
  bundled whole = bundled_explore("googlenet", "chip1", "256", &options);
  options.gap = gaps[_i];
  bundled near = bundled_explore("googlenet", "chip1", "256", &options);
  check_encloses(near.plan, whole.plan);
  ck_assert_double_le(near.plan->result.step_cycles,
                      near.plan->result.lower_bound_cycles * (1 + gaps[_i]) * (1 + 1e-11));
  ck_assert_int_eq(near.plan->result.step_cycles > whole.plan->result.step_cycles, _i == 2);
  bundled_free(&near);
  bundled_free(&whole);
}
END_TEST

static const struct {
  double gap;
  double time_limit_seconds;
  dsm_status status;
} bad_limits[] = {
    {0.999, 1, DSM_OK},
    {1, 1, DSM_ERROR_USAGE},
    {-1e-9, 1, DSM_ERROR_USAGE},
    {(double)NAN, 1, DSM_ERROR_USAGE},
    {0, -1, DSM_ERROR_USAGE},
    {0, (double)INFINITY, DSM_ERROR_USAGE},
    {0, (double)NAN, DSM_ERROR_USAGE},
};

START_TEST(test_limits_have_ranges) {
  dsm_explore_options options = bundled_options(DSM_MODE_INFERENCE);
  options.gap = bad_limits[_i].gap;
  options.time_limit_seconds = bad_limits[_i].time_limit_seconds;
  bundled explored = bundled_explore("raider", "chip1", "1", &options);
  ck_assert_int_eq(explored.status, bad_limits[_i].status);
  bundled_free(&explored);
}
END_TEST

START_TEST(test_limits_are_in_the_plan) {
  dsm_explore_options options = bundled_options(DSM_MODE_INFERENCE);
  options.gap = 0.125;
  options.time_limit_seconds = 1e-9;
  bundled explored = bundled_explore("raider", "chip1", "1", &options);
  char *const text = dsm_plan_print(explored.plan);
  ck_assert_ptr_nonnull(
      strstr(text, "{\"gap\": 0.125, \"time_limit_seconds\": 1e-09, \"is_stopped\": true}"));
  dsm_plan *read = NULL;
  ck_assert_int_eq(dsm_plan_parse(&read, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert(read->statistics.is_stopped);
  ck_assert_double_eq_tol(read->options.gap, 0.125, 1e-15);
  ck_assert_double_eq_tol(read->options.time_limit_seconds, 1e-9, 1e-20);
  dsm_plan_free(read);
  free(text);
  bundled_free(&explored);
}
END_TEST

/* Wherever the time ends: before layers are scored, among what can be held, among layouts. */
START_TEST(test_bound_holds_whenever_time_ends) {
  const dsm_override values[] = {{"model.layout_move", _i % 2 == 0 ? "exact" : "none", NULL},
                                 {"chip.cores", "720", NULL}};
  dsm_workload *const workload = bundled_workload(_i < 2 ? "vgg16" : "mobilenet_v2", "16");
  dsm_system *const system = bundled_system_with("torus16", values, 2);
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_plan *whole = NULL;
  ck_assert_int_eq(dsm_explore(&whole, workload, system, &options, NULL), DSM_OK);
  for (double limit = 1e-4; limit < 0.2; limit *= 1.5) {
    dsm_plan *cut = NULL;
    options.time_limit_seconds = limit;
    ck_assert_int_eq(dsm_explore(&cut, workload, system, &options, NULL), DSM_OK);
    check_encloses(cut, whole);
    dsm_plan_free(cut);
  }
  dsm_plan_free(whole);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* The time ends with groups whose stages have many core splits: each of theirs is the best. */
START_TEST(test_groups_are_legal_whenever_time_ends) {
  const dsm_override cores[] = {{"chip.cores", "55440", NULL}};
  dsm_workload *const workload = bundled_workload("gnmt", "256");
  dsm_system *const system = bundled_system_with("torus64_refined", cores, 1);
  dsm_explore_options options = bundled_options((dsm_mode)_i);
  for (double limit = 0.005; limit < 0.3; limit *= 1.5) {
    dsm_plan *cut = NULL;
    options.time_limit_seconds = limit;
    ck_assert_int_eq(dsm_explore(&cut, workload, system, &options, NULL), DSM_OK);
    check_legal(cut);
    dsm_plan_free(cut);
  }
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

Suite *suite_limits(void) {
  Suite *const suite = suite_create("limits");
  TCase *const tests = tcase_create("limits");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_what_fits_last_is_found_in_time, 0, 2);
  tcase_add_test(tests, test_a_stop_ends_it_wherever_it_comes);
  tcase_add_test(tests, test_memory_of_a_memo_is_counted);
  tcase_add_loop_test(tests, test_memory_limit_is_kept, 0, 4);
  tcase_add_loop_test(tests, test_work_limit_is_kept, 0, 4);
  tcase_add_loop_test(tests, test_no_time_gives_a_valid_plan_with_a_bound, 0, BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_time_that_is_enough_changes_nothing, 0, BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_groups_are_legal_whenever_time_ends, 0, DSM_MODE_COUNT);
  tcase_add_loop_test(tests, test_bound_holds_whenever_time_ends, 0, 4);
  tcase_add_loop_test(tests, test_gap_is_kept, 0, 3);
  tcase_add_loop_test(tests, test_limits_have_ranges, 0, sizeof bad_limits / sizeof bad_limits[0]);
  tcase_add_test(tests, test_limits_are_in_the_plan);
  suite_add_tcase(suite, tests);
  return suite;
}
