/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_optimizations.c: what options may and may not do to the step, on all bundled networks. */
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "suites.h"

static const char *const systems[] = {"torus64", "torus16", "chip1"};
static const char *const minibatches[] = {"64", "256", "1024"};
enum { SYSTEMS = 3, MINIBATCHES = 3, CHIP1 = 2, GOOGLENET = 5 };

static const dsm_optimization chain[] = {DSM_OPTIMIZATION_HYBRID, DSM_OPTIMIZATION_REUSE,
                                         DSM_OPTIMIZATION_DYSM, DSM_OPTIMIZATION_PIPELINE,
                                         DSM_OPTIMIZATION_PER_PASS};
enum { CHAIN = sizeof chain / sizeof chain[0] };

/* googlenet has many states where a chip has many samples: few are enough. */
static const char *minibatch_for(int network, const char *minibatch, const char *fewer) {
  return network == GOOGLENET ? fewer : minibatch;
}

/* The step of a good plan; 0 if no mapping fits the memory. */
static double good_step(const dsm_workload *workload, const dsm_system *system,
                        const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, workload, system, options, NULL);
  if (status == DSM_ERROR_INFEASIBLE) {
    ck_assert_ptr_null(plan);
    return 0;
  }
  ck_assert_int_eq(status, DSM_OK);
  const double step = plan->result.step_cycles;
  ck_assert_double_le(plan->result.lower_bound_cycles, step);
  ck_assert_double_ge(plan->result.lower_bound_cycles, step * (1 - 1e-11));
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  dsm_plan_free(plan);
  return step;
}

/* One optimisation after the other: no slower, and as feasible. */
static void climb(const char *network, const char *system_name, const char *minibatch,
                  dsm_mode mode) {
  dsm_workload *const workload = bundled_workload(network, minibatch);
  dsm_system *const system = bundled_system(system_name);
  dsm_explore_options options = bundled_options(mode);
  options.optimizations = 0;
  double before = good_step(workload, system, &options);
  for (int i = 0; i < CHAIN; i++) {
    if ((DSM_OPTIMIZATION_BIT(chain[i]) & dsm_mode_optimizations(mode)) == 0) {
      continue;
    }
    options.optimizations |= DSM_OPTIMIZATION_BIT(chain[i]);
    const double now = good_step(workload, system, &options);
    const bool may_fit = before <= 0;
    ck_assert_msg(may_fit || (now > 0 && now <= before * (1 + 1e-11)),
                  "%s on %s, %s, %s, with %s: %.17g after %.17g", network, system_name, minibatch,
                  dsm_mode_name(mode), dsm_optimization_name(chain[i]), now, before);
    before = now;
  }
  dsm_system_free(system);
  dsm_workload_free(workload);
}

START_TEST(test_more_optimizations_are_never_slower) {
  const int network = _i / SYSTEMS;
  const int system = _i % SYSTEMS;
  const int minibatch_count = network == GOOGLENET ? 1 : MINIBATCHES;
  const int first_mode =
      network == GOOGLENET && system == CHIP1 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  for (int m = 0; m < minibatch_count; m++) {
    for (int mode = first_mode; mode < DSM_MODE_COUNT; mode++) {
      climb(bundled_networks[network], systems[system], minibatches[m], (dsm_mode)mode);
    }
  }
}
END_TEST

/* One factor for all convolutions is one of the choices that free factors have. */
START_TEST(test_a_uniform_factor_is_never_faster_than_free_ones) {
  static const dsm_override uniform = {"model.dysm_uniform", "true", NULL};
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    dsm_workload *const workload =
        bundled_workload(bundled_networks[_i], minibatch_for(_i, "512", "128"));
    dsm_system *const free_system = bundled_system("torus64");
    dsm_system *const uniform_system = bundled_system_with("torus64", &uniform, 1);
    dsm_explore_options options = bundled_options((dsm_mode)mode);
    options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
    const double free_step = good_step(workload, free_system, &options);
    const double uniform_step = good_step(workload, uniform_system, &options);
    options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
    const double without = good_step(workload, free_system, &options);
    ck_assert_double_le(free_step, uniform_step * (1 + 1e-11));
    ck_assert_double_le(uniform_step, without * (1 + 1e-11));
    dsm_system_free(uniform_system);
    dsm_system_free(free_system);
    dsm_workload_free(workload);
  }
}
END_TEST

/* Passes cannot differ where there is only one parallelism. */
START_TEST(test_per_pass_with_one_parallelism_changes_nothing) {
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(2); p++) {
    dsm_workload *const workload =
        bundled_workload(bundled_networks[_i], minibatch_for(_i, "256", "64"));
    dsm_system *const system = bundled_system("torus64");
    dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
    options.parallelisms = DSM_PARALLELISM_BIT(p);
    const double with = good_step(workload, system, &options);
    options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
    const double without = good_step(workload, system, &options);
    const bool has_data_only_layers = strcmp(bundled_networks[_i], "mobilenet_v2") == 0 ||
                                      strncmp(bundled_networks[_i], "gnmt", 4) == 0;
    if (p == DSM_PARALLELISM_DATA || !has_data_only_layers) {
      ck_assert_double_eq_tol(with / without, 1, 1e-11);
    } else {
      ck_assert_double_le(with, without * (1 + 1e-11));
    }
    dsm_system_free(system);
    dsm_workload_free(workload);
  }
}
END_TEST

/* A plan of either mode, printed and read again. */
START_TEST(test_a_printed_plan_scores_to_the_same_step) {
  for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
    const dsm_explore_options options = bundled_options((dsm_mode)mode);
    bundled explored = bundled_explore(bundled_networks[_i], "torus64", "64", &options);
    ck_assert_int_eq(explored.status, DSM_OK);
    char *const text = dsm_plan_print(explored.plan);
    dsm_plan *again = NULL;
    double recorded = 0;
    ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), "plan", &recorded, NULL), DSM_OK);
    ck_assert_double_eq(again->result.step_cycles, explored.plan->result.step_cycles);
    ck_assert_double_eq(recorded, explored.plan->result.step_cycles);
    dsm_plan_free(again);
    free(text);
    bundled_free(&explored);
  }
}
END_TEST

Suite *suite_optimizations(void) {
  Suite *const suite = suite_create("optimizations");
  TCase *const tests = tcase_create("bundled");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_more_optimizations_are_never_slower, 0,
                      BUNDLED_NETWORKS * SYSTEMS);
  tcase_add_loop_test(tests, test_a_uniform_factor_is_never_faster_than_free_ones, 0,
                      BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_per_pass_with_one_parallelism_changes_nothing, 0,
                      BUNDLED_NETWORKS);
  tcase_add_loop_test(tests, test_a_printed_plan_scores_to_the_same_step, 0, BUNDLED_NETWORKS);
  suite_add_tcase(suite, tests);
  return suite;
}
