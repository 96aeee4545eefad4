/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fastest schedule within a budget: by hand, and against all schedules of short chains. */
#include "dsm/remat.h"
#include "how_many.h"

#include <math.h>
#include <string.h>

#include "chains.h"
#include "exhaustive.h"
#include "random_numbers.h"
#include "suites.h"

/*
 * Three equal stages (forward 1, backward 2, output and error 1, saved 3). All kept: 9 saved and
 * two errors. With 9: the first drops, a second more; beside its output of 1 the others keep 6, and
 * two errors. With 7: the second drops too, and both outputs and what the last needs, 5, are there;
 * then each of them runs again, beside the checkpoint before it. With 6 the outputs are too much:
 * only the second one's stays, and the first runs three times.
 */
START_TEST(test_by_hand) {
  own_chain own;
  chain_of_equal(&own, 3);
  static const struct {
    double budget;
    double seconds;
  } cases[] = {{11, 9}, {10, 10}, {9, 10}, {8, 11}, {7, 11}, {6, 12}};
  for (int i = 0; i < COUNT_OF(cases); i++) {
    dsm_remat_result *const result = solved(&own.chain, cases[i].budget, 500);
    ck_assert_double_eq(result->run.seconds, cases[i].seconds);
    ck_assert_double_eq(result->full.seconds, 9);
    ck_assert_double_eq(result->full.peak_bytes, 11);
    ck_assert_double_eq(result->smallest_bytes, 6);
    dsm_remat_result_free(result);
  }
}
END_TEST

START_TEST(test_infeasible) {
  own_chain own;
  chain_of_equal(&own, 3);
  dsm_remat_options options;
  dsm_remat_options_init(&options);
  options.budget_bytes = 5;
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_remat_result *result = NULL;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, &options, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(result);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "at least 6 bytes"));
  dsm_diags_free(diags);
}
END_TEST

/* Every schedule of short chains: the same time at each budget, and the same smallest one. */
START_TEST(test_all_schedules) {
  uint64_t state = (uint64_t)_i;
  own_chain own;
  const size_t count = 1 + (size_t)random_below(&state, EXHAUSTIVE_STAGES_MAX);
  chain_of_random(&own, &state, count, EXHAUSTIVE_OPTIONS_MAX);
  dsm_remat_result *const full = solved(&own.chain, 1000, 500);
  const double smallest = full->smallest_bytes;
  const double peak = full->full.peak_bytes;
  dsm_remat_result_free(full);
  ck_assert_double_eq(exhaustive_seconds(&own.chain, smallest - 1), HUGE_VAL);
  for (double budget = smallest > 0 ? smallest : 1; budget <= peak; budget++) {
    dsm_remat_result *const result = solved(&own.chain, budget, 500);
    ck_assert_double_eq(result->run.seconds, exhaustive_seconds(&own.chain, budget));
    dsm_remat_result_free(result);
  }
}
END_TEST

static const dsm_remat_option bad_options[] = {{"negative", -1, 2, 3, 0, 0},
                                               {"not a number", 1, (double)NAN, 3, 0, 0},
                                               {"less than output", 1, 2, 0.5, 0, 0},
                                               {"infinite", 1, 2, (double)INFINITY, 0, 0}};

START_TEST(test_bad_options) {
  own_chain own;
  chain_of_equal(&own, 2);
  own.options[1][0] = bad_options[_i];
  dsm_remat_result *result = NULL;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, NULL, NULL), DSM_ERROR_INVALID);
}
END_TEST

START_TEST(test_bad_chains) {
  own_chain own;
  dsm_remat_result *result = NULL;
  chain_of_equal(&own, 2);
  own.chain.stage_count = 0;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, NULL, NULL), DSM_ERROR_INVALID);
  chain_of_equal(&own, 2);
  own.stages[0].option_count = 0;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, NULL, NULL), DSM_ERROR_INVALID);
  chain_of_equal(&own, 2);
  own.chain.minibatch = 0;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, NULL, NULL), DSM_ERROR_INVALID);
}
END_TEST

START_TEST(test_bad_requests) {
  own_chain own;
  dsm_remat_result *result = NULL;
  dsm_remat_options options;
  chain_of_equal(&own, 2);
  dsm_remat_options_init(&options);
  options.budget_bytes = -1;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, &options, NULL), DSM_ERROR_INVALID);
  options.budget_bytes = (double)NAN;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, &options, NULL), DSM_ERROR_INVALID);
  options.budget_bytes = 6;
  options.slots = 0;
  ck_assert_int_eq(dsm_remat(&result, &own.chain, &options, NULL), DSM_ERROR_USAGE);
}
END_TEST

Suite *suite_solve(void) {
  Suite *const suite = suite_create("solve");
  TCase *const tests = tcase_create("solve");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_infeasible);
  tcase_add_loop_test(tests, test_all_schedules, 0, HOW_MANY(150, 75, 15));
  tcase_add_loop_test(tests, test_bad_options, 0, COUNT_OF(bad_options));
  tcase_add_test(tests, test_bad_chains);
  tcase_add_test(tests, test_bad_requests);
  suite_add_tcase(suite, tests);
  return suite;
}
