/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>

#include "bundled.h"
#include "suites.h"

START_TEST(test_each_pass_has_one_chosen_alternative_and_it_comes_first) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  bundled explored = bundled_explore("vgg16", "torus64", "512", &options);
  dsm_explanation *explanation = NULL;
  const size_t fc1 = dsm_workload_find_layer(explored.workload, "fc1");
  ck_assert_int_eq(dsm_explain(&explanation, explored.plan, fc1, 3, NULL), DSM_OK);
  unsigned chosen[DSM_PASS_COUNT] = {0};
  unsigned parallelisms[DSM_PASS_COUNT] = {0};
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const a = &explanation->alternatives[i];
    const bool is_first = i == 0 || explanation->alternatives[i - 1].pass != a->pass;
    ck_assert(a->is_chosen == is_first);
    chosen[a->pass] += a->is_chosen ? 1 : 0;
    parallelisms[a->pass] += a->is_best_of_parallelism ? 1 : 0;
    /* The chosen parallelism costs the network what the plan costs; no other costs it less. */
    if (a->is_best_of_parallelism) {
      ck_assert_double_ge(a->network_cycles * (1 + 1e-9), explored.plan->result.step_cycles);
    }
    if (a->is_chosen) {
      ck_assert_double_le(a->network_cycles, explored.plan->result.step_cycles * (1 + 1e-9));
    }
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    ck_assert_uint_eq(chosen[p], 1);
    ck_assert_uint_eq(parallelisms[p], DSM_PARALLELISM_COUNT);
  }
  ck_assert_uint_eq(explanation->alternative_count,
                    (size_t)DSM_PASS_COUNT * (DSM_PARALLELISM_COUNT + 3));
  dsm_explanation_free(explanation);
  bundled_free(&explored);
}
END_TEST

Suite *suite_explain(void) {
  Suite *const suite = suite_create("explain");
  TCase *const tests = tcase_create("alternatives");
  tcase_add_test(tests, test_each_pass_has_one_chosen_alternative_and_it_comes_first);
  suite_add_tcase(suite, tests);
  return suite;
}
