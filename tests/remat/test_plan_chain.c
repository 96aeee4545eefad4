/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of plans: cut where all paths go through one tensor, with the plan's times and bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "dsm/dsm.h"
#include "suites.h"

static const double close_enough = 1e-9;

typedef struct explored {
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
} explored;

static void explore(explored *to, const char *network, dsm_mode mode) {
  char path[512];
  dsm_explore_options options;
  (void)snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, network);
  ck_assert_int_eq(dsm_workload_load(&to->workload, path, NULL, 0, NULL), DSM_OK);
  ck_assert_int_eq(
      dsm_system_load(&to->system, DSM_SOURCE_DIR "/systems/torus64.json", NULL, 0, NULL), DSM_OK);
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations &= dsm_mode_optimizations(mode);
  ck_assert_int_eq(dsm_explore(&to->plan, to->workload, to->system, &options, NULL), DSM_OK);
}

static void explored_free(explored *of) {
  dsm_plan_free(of->plan);
  dsm_workload_free(of->workload);
  dsm_system_free(of->system);
}

static const char *const networks[] = {"vgg16", "resnet50", "googlenet", "gnmt"};

/* Stages add up to the step; what they save to what the plan keeps. */
START_TEST(test_sums) {
  explored of;
  dsm_remat_chain *chain = NULL;
  explore(&of, networks[_i], DSM_MODE_TRAINING);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&chain, of.plan, 0, NULL), DSM_OK);
  const dsm_plan_memory *const memory = &of.plan->result.memory;
  double saved = chain->input_bytes;
  for (size_t s = 0; s < chain->stage_count; s++) {
    saved += chain->stages[s].options[0].saved_bytes;
  }
  ck_assert_double_eq_tol(dsm_remat_chain_seconds(chain), of.plan->result.step_seconds,
                          close_enough * of.plan->result.step_seconds);
  ck_assert_double_eq_tol(saved, memory->activations_bytes, close_enough * saved);
  ck_assert_double_eq_tol(chain->budget_bytes,
                          memory->capacity_bytes - memory->weights_bytes - memory->gradients_bytes -
                              memory->optimizer_bytes - chain->input_bytes,
                          close_enough * memory->capacity_bytes);
  dsm_remat_result *result = NULL;
  dsm_remat_options options;
  dsm_remat_options_init(&options);
  ck_assert_int_eq(dsm_remat(&result, chain, &options, NULL), DSM_OK);
  options.budget_bytes = (result->smallest_bytes + result->full.peak_bytes) / 2;
  dsm_remat_result_free(result);
  ck_assert_int_eq(dsm_remat(&result, chain, &options, NULL), DSM_OK);
  ck_assert_double_ge(result->run.seconds, result->full.seconds * (1 - close_enough));
  dsm_remat_result_free(result);
  dsm_remat_chain_free(chain);
  explored_free(&of);
}
END_TEST

/* Every layer of vgg16 is a segment; a block of resnet50 with its shortcut is one. */
START_TEST(test_cuts) {
  explored of;
  dsm_remat_chain *chain = NULL;
  explore(&of, "vgg16", DSM_MODE_TRAINING);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&chain, of.plan, 0, NULL), DSM_OK);
  ck_assert_uint_eq(chain->stage_count, 16);
  ck_assert_str_eq(chain->stages[0].name, "conv1_1");
  dsm_remat_chain_free(chain);
  explored_free(&of);
  explore(&of, "resnet50", DSM_MODE_TRAINING);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&chain, of.plan, 0, NULL), DSM_OK);
  ck_assert_uint_eq(chain->stage_count, 18); /* stem, 16 blocks, classifier */
  dsm_remat_chain_free(chain);
  explored_free(&of);
}
END_TEST

START_TEST(test_capacity) {
  explored of;
  dsm_remat_chain *own = NULL;
  dsm_remat_chain *less = NULL;
  explore(&of, "vgg16", DSM_MODE_TRAINING);
  const double capacity = of.plan->result.memory.capacity_bytes;
  ck_assert_int_eq(dsm_remat_chain_of_plan(&own, of.plan, 0, NULL), DSM_OK);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&less, of.plan, capacity - 1e6, NULL), DSM_OK);
  ck_assert_double_eq_tol(own->budget_bytes - less->budget_bytes, 1e6, 1);
  dsm_remat_chain_free(less);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&less, of.plan, 1, NULL), DSM_OK);
  ck_assert_double_eq(less->budget_bytes, 0);
  dsm_remat_chain_free(own);
  dsm_remat_chain_free(less);
  explored_free(&of);
}
END_TEST

START_TEST(test_inference) {
  explored of;
  dsm_remat_chain *chain = NULL;
  explore(&of, "vgg16", DSM_MODE_INFERENCE);
  ck_assert_int_eq(dsm_remat_chain_of_plan(&chain, of.plan, 0, NULL), DSM_ERROR_USAGE);
  ck_assert_ptr_null(chain);
  explored_free(&of);
}
END_TEST

Suite *suite_plan_chain(void) {
  Suite *const suite = suite_create("plan_chain");
  TCase *const tests = tcase_create("plan_chain");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, test_sums, 0, COUNT_OF(networks));
  tcase_add_test(tests, test_cuts);
  tcase_add_test(tests, test_capacity);
  tcase_add_test(tests, test_inference);
  suite_add_tcase(suite, tests);
  return suite;
}
