/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divisions of axes: the answer is the fastest of the systems divided one by one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "dsm/check.h"
#include "how_many.h"
#include "suites.h"

#define BIT DSM_OPTIMIZATION_BIT

static dsm_workload *network_of(const char *minibatch) {
  const dsm_override overrides[] = {
      {"minibatch", minibatch, NULL},      {"parameters.blocks", "2", NULL},
      {"parameters.hidden", "96", NULL},   {"parameters.heads", "6", NULL},
      {"parameters.sequence", "16", NULL}, {"parameters.vocabulary", "256", NULL},
      {"element_type", "bf16", NULL}};
  dsm_workload *network = NULL;
  ck_assert_int_eq(dsm_workload_load(&network, DSM_SOURCE_DIR "/workloads/gpt.json", overrides,
                                     sizeof overrides / sizeof *overrides, NULL),
                   DSM_OK);
  return network;
}

/* Of 12 and 4 chips, with so many of an axis in its first part. */
static dsm_system *chips_of(const char *axis_path, const char *inner, const char *capacity_GB) {
  const dsm_override overrides[] = {{"system.axes.gpu.chips", "12", NULL},
                                    {"system.axes.node.chips", "4", NULL},
                                    {"chip.memory.reserve_ratio", "0", NULL},
                                    {"chip.memory.capacity_GB", capacity_GB, NULL},
                                    {axis_path, inner, NULL}};
  return bundled_system_with("dgx_h100", overrides, sizeof overrides / sizeof *overrides);
}

static const struct {
  const char *path, *inner;
} divisions[] = {{"system.axes.gpu.divide", "1"}, {"system.axes.gpu.divide", "2"},
                 {"system.axes.gpu.divide", "3"}, {"system.axes.gpu.divide", "4"},
                 {"system.axes.gpu.divide", "6"}, {"system.axes.node.divide", "2"}};
enum { DIVISIONS = sizeof divisions / sizeof *divisions };

static const struct {
  const char *minibatch, *capacity_GB;
  dsm_mode mode;
  dsm_optimization_set more;
  dsm_as_run_by by;
} cases[] = {
    {"8", "80", DSM_MODE_TRAINING, 0, DSM_AS_RUN_BY_ANY},
    {"6", "80", DSM_MODE_TRAINING, BIT(DSM_OPTIMIZATION_SPATIAL), DSM_AS_RUN_BY_ANY},
    {"8", "80", DSM_MODE_INFERENCE, BIT(DSM_OPTIMIZATION_REUSE), DSM_AS_RUN_BY_ANY},
    {"48", "0.0006", DSM_MODE_TRAINING, BIT(DSM_OPTIMIZATION_SHARD), DSM_AS_RUN_BY_ANY},
    {"48", "80", DSM_MODE_TRAINING, BIT(DSM_OPTIMIZATION_SHARD), DSM_AS_RUN_BY_MEGATRON},
    {"48", "0.00001", DSM_MODE_TRAINING, 0, DSM_AS_RUN_BY_ANY},
};
enum { CASES = sizeof cases / sizeof *cases };

static dsm_explore_options options_of(int number) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = cases[number].mode;
  options.optimizations =
      BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_TENSOR) | cases[number].more;
  options.as_run_by = cases[number].by;
  return options;
}

START_TEST(test_the_fastest_division) {
  dsm_workload *const network = network_of(cases[_i].minibatch);
  dsm_explore_options options = options_of(_i);
  double best = HUGE_VAL;
  for (int d = 0; d < DIVISIONS; d++) {
    dsm_system *const chips =
        chips_of(divisions[d].path, divisions[d].inner, cases[_i].capacity_GB);
    dsm_plan *plan = NULL;
    if (dsm_explore(&plan, network, chips, &options, NULL) == DSM_OK) {
      best = fmin(best, plan->result.step_cycles);
    }
    dsm_plan_free(plan);
    dsm_system_free(chips);
  }
  dsm_system *const chips = chips_of("system.axes.gpu.divide", "1", cases[_i].capacity_GB);
  dsm_plan *plan = NULL;
  options.optimizations |= BIT(DSM_OPTIMIZATION_DIVIDE);
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL),
                   isinf(best) ? DSM_ERROR_INFEASIBLE : DSM_OK);
  if (plan != NULL) {
    ck_assert_double_eq_tol(plan->result.step_cycles, best, 1e-9 * best);
    ck_assert_double_le(plan->result.lower_bound_cycles, best * (1 + 1e-9));
    ck_assert_double_gt(plan->result.lower_bound_cycles, 0.9 * best);
    ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  }
  dsm_plan_free(plan);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

/* A plan says which division it has, and is read as one of the divided system. */
START_TEST(test_the_division_is_told) {
  dsm_workload *const network = network_of("8");
  dsm_system *const chips = chips_of("system.axes.gpu.divide", "1", "80");
  static const char *const before[] = {"workload.minibatch=8"};
  dsm_explore_options options = options_of(0);
  options.optimizations |= BIT(DSM_OPTIMIZATION_DIVIDE);
  options.overrides = before;
  options.override_count = 1;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_OK);
  ck_assert_uint_eq(plan->system->system.axis_count, 3);
  ck_assert_uint_eq(plan->options.override_count, 2);
  ck_assert_str_eq(plan->options.overrides[0], before[0]);
  ck_assert_ptr_nonnull(strstr(plan->options.overrides[1], "system.system.axes."));
  ck_assert_uint_eq(plan->options.optimizations & BIT(DSM_OPTIMIZATION_DIVIDE), 0);
  char *const text = dsm_plan_print(plan);
  dsm_plan *read = NULL;
  double recorded = 0;
  ck_assert_int_eq(dsm_plan_parse(&read, text, strlen(text), "plan", &recorded, NULL), DSM_OK);
  ck_assert_double_eq_tol(read->result.step_cycles, recorded, 1e-12 * recorded);
  free(text);
  dsm_plan_free(read);
  dsm_plan_free(plan);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

/* Words and roles of an axis are those of both its parts. */
START_TEST(test_what_is_asked_of_an_axis_is_asked_of_its_parts) {
  dsm_workload *const network = network_of("48");
  dsm_system *const chips = chips_of("system.axes.gpu.divide", "1", "80");
  dsm_explore_options options = options_of(0);
  dsm_plan *whole = NULL;
  dsm_plan *divided = NULL;
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  ck_assert_int_eq(dsm_explore(&whole, network, chips, &options, NULL), DSM_OK);
  options.optimizations |= BIT(DSM_OPTIMIZATION_DIVIDE);
  ck_assert_int_eq(dsm_explore(&divided, network, chips, &options, NULL), DSM_OK);
  ck_assert_double_le(divided->result.step_cycles, whole->result.step_cycles * (1 + 1e-9));
  for (size_t i = 0; i < divided->layer_count; i++) {
    ck_assert(!dsm_parallelism_has_roles(divided->layers[i].passes[0].decisions.parallelism));
  }
  dsm_plan_free(whole);
  dsm_plan_free(divided);
  options.parallelisms = DSM_PARALLELISM_ALL;
  options.roles[0] = 1U << (unsigned)DSM_ROLE_DATA;
  ck_assert_int_eq(dsm_explore(&divided, network, chips, &options, NULL), DSM_OK);
  for (size_t i = 0; i < divided->layer_count; i++) {
    ck_assert_int_eq(dsm_parallelism_role(divided->layers[i].passes[0].decisions.parallelism, 0),
                     DSM_ROLE_DATA);
  }
  dsm_plan_free(divided);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

Suite *suite_divided(void) {
  Suite *const suite = suite_create("divided");
  TCase *const tcase = tcase_create("divided");
  tcase_set_timeout(tcase, 600);
  tcase_add_loop_test(tcase, test_the_fastest_division, 0, HOW_MANY(CASES, CASES, 3));
  tcase_add_test(tcase, test_the_division_is_told);
  tcase_add_test(tcase, test_what_is_asked_of_an_axis_is_asked_of_its_parts);
  suite_add_tcase(suite, tcase);
  return suite;
}
