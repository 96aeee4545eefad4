/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_preload.c: weights on chip across requests, against all mappings of small networks. */
#include <math.h>

#include "bundled.h"
#include "plan/tolerance.h"
#include "preload_twin.h"
#include "random_numbers.h"
#include "suites.h"

enum { TWIN_COUNT = 150, RANDOM_COUNT = 2000 };

static dsm_plan *explore(const preload_twin *twin) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, twin->workload, twin->system, &twin->options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  ck_assert_double_le(plan->result.lower_bound_cycles, plan->result.step_cycles);
  return plan;
}

START_TEST(test_answer_and_bound_enclose_the_fastest_of_all_mappings) {
  preload_twin twin = preload_twin_draw((uint64_t)_i);
  dsm_plan *const plan = explore(&twin);
  const double fastest = preload_twin_fastest(&twin);
  ck_assert_double_le(plan->result.lower_bound_cycles, fastest * (1 + 1e-11));
  ck_assert_double_ge(plan->result.step_cycles, fastest * (1 - 1e-9));
  if (getenv("SHOW")) printf("%d answer %.9g fastest %.9g bound %.9g  gap %.4f%% %.4f%%\n", _i, plan->result.step_cycles, fastest, plan->result.lower_bound_cycles, 100*(plan->result.step_cycles/fastest-1), 100*(1-plan->result.lower_bound_cycles/fastest));
  dsm_plan_free(plan);
  preload_twin_free(&twin);
}
END_TEST

START_TEST(test_answer_is_never_slower_than_the_papers_procedure) {
  preload_twin twin = preload_twin_draw((uint64_t)_i);
  dsm_plan *const plan = explore(&twin);
  ck_assert_double_le(plan->result.step_cycles, preload_twin_greedy(&twin) * (1 + 1e-9));
  dsm_plan_free(plan);
  preload_twin_free(&twin);
}
END_TEST

START_TEST(test_no_random_mapping_is_below_the_bound) {
  preload_twin twin = preload_twin_draw((uint64_t)_i);
  dsm_plan *const plan = explore(&twin);
  uint64_t state = 99 + (uint64_t)_i;
  for (int run = 0; run < RANDOM_COUNT; run++) {
    const double cycles = preload_twin_random(&twin, &state);
    ck_assert_msg(cycles >= plan->result.lower_bound_cycles * (1 - 1e-11), "seed %d, run %d: %.17g",
                  _i, run, cycles);
  }
  dsm_plan_free(plan);
  preload_twin_free(&twin);
}
END_TEST

Suite *suite_preload(void) {
  Suite *const suite = suite_create("preload");
  TCase *const tests = tcase_create("twins");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_answer_and_bound_enclose_the_fastest_of_all_mappings, 0,
                      TWIN_COUNT);
  tcase_add_loop_test(tests, test_answer_is_never_slower_than_the_papers_procedure, 0, TWIN_COUNT);
  tcase_add_loop_test(tests, test_no_random_mapping_is_below_the_bound, 0, TWIN_COUNT);
  suite_add_tcase(suite, tests);
  return suite;
}
