/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_what_if.c: what dsm_explain says the network would do if a layer decided otherwise, against
 * the plan, against explorations in which the decision is forced, and against sums over a mapping.
 */
#include <math.h>
#include <stdio.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "random_network.h"
#include "search/layer_search.h"
#include "search/problem.h"
#include "suites.h"
#include "what_ifs.h"

enum { SEEDS = HOW_MANY(48, 12, 8) };
static const double tolerance = 1e-9;

static const dsm_optimization_set reuse = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
static const dsm_optimization_set dysm = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);

static dsm_plan *explore(const dsm_workload *workload, const dsm_system *system,
                         const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, options, NULL), DSM_OK);
  return plan;
}

static double step_of(const dsm_workload *workload, const dsm_system *system,
                      const dsm_explore_options *options) {
  dsm_plan *const plan = explore(workload, system, options);
  const double cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  return cycles;
}

/* By the specified equations and by the refined ones. */
START_TEST(test_random_networks_are_explained_consistently) {
  for (uint64_t seed = 1000; seed < 1000 + SEEDS; seed++) {
    char where[64];
    dsm_explore_options options =
        bundled_options(seed % 4 == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING);
    options.optimizations &= ~(seed % 3 == 0 ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS) : 0);
    random_case given = random_case_make(seed);
    if (_i == 1) {
      random_case_refine(&given, seed);
    }
    dsm_plan *const plan = explore(given.workload, given.system, &options);
    snprintf(where, sizeof where, "seed %u", (unsigned)seed);
    expect_all_consistent(plan, false, where);
    dsm_plan_free(plan);
    random_case_free(&given);
  }
}
END_TEST

/* With 3 % less memory than the fastest mapping needs. */
START_TEST(test_a_binding_memory_leaves_the_chosen_values_no_slower_than_the_step) {
  unsigned limited = 0;
  for (uint64_t seed = 2000; seed < 2000 + SEEDS; seed++) {
    char where[64];
    const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
    random_case given = random_case_make(seed);
    dsm_plan *plan = explore(given.workload, given.system, &options);
    const double bytes = plan->result.memory.total_bytes;
    dsm_plan_free(plan);
    random_case_free(&given);
    given = random_case_make_with(seed, bytes * 0.97);
    snprintf(where, sizeof where, "seed %u", (unsigned)seed);
    if (dsm_explore(&plan, given.workload, given.system, &options, NULL) == DSM_OK) {
      expect_all_consistent(plan, true, where);
      limited++;
    }
    dsm_plan_free(plan);
    random_case_free(&given);
  }
  ck_assert_uint_gt(limited, SEEDS / 4);
}
END_TEST

static const char two_convs[] =
    "{'name': 'a', 'type': 'conv', 'in': 8, 'out': 16, 'feature': [8, 8], 'kernel': [3, 3]},"
    "{'name': 'b', 'type': 'conv', 'in': 16, 'out': 8, 'feature': [8, 8], 'kernel': [3, 3]}";
static const char one_conv[] =
    "{'name': 'a', 'type': 'conv', 'in': 8, 'out': 16, 'feature': [8, 8], 'kernel': [3, 3]}";

/* Only a's output can be held, and no layer has timesteps: not held is without reuse. */
START_TEST(test_not_holding_the_only_tensor_is_exploring_without_reuse) {
  dsm_workload *const workload = given_network("16", two_convs);
  dsm_system *const system = given_system(NULL, 0);
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_plan *const plan = explore(workload, system, &options);
  ck_assert(plan->layers[0].decisions.is_output_held);
  dsm_explanation *const explanation = explained(plan, 0);
  options.optimizations &= ~reuse;
  const dsm_what_if *const not_held = what_if_of(explanation, DSM_DECISION_OUTPUT_HELD, 0);
  const double forced = step_of(workload, system, &options);
  ck_assert_double_eq_tol(not_held->network_cycles / forced, 1, tolerance);
  ck_assert_double_gt(not_held->network_cycles, plan->result.step_cycles);
  ck_assert_uint_eq(not_held->not_held_count, 1);
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* In a network of one layer, factor 1 is exploring without dysm, and a parallelism of all passes is
 * exploring with no other. */
START_TEST(test_decisions_of_a_single_layer_are_those_of_options) {
  dsm_workload *const workload = given_network("32", one_conv);
  dsm_system *const system = given_system(NULL, 0);
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
  dsm_plan *const plan = explore(workload, system, &options);
  dsm_explanation *const explanation = explained(plan, 0);
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const one = &explanation->alternatives[i];
    if (one->is_best_of_parallelism) {
      dsm_explore_options forced = options;
      forced.parallelisms = DSM_PARALLELISM_BIT(one->parallelism);
      ck_assert_double_eq_tol(one->network_cycles / step_of(workload, system, &forced), 1,
                              tolerance);
    }
  }
  options.optimizations &= ~dysm;
  ck_assert_double_eq_tol(what_if_of(explanation, DSM_DECISION_DYSM_FACTOR, 1)->network_cycles /
                              step_of(workload, system, &options),
                          1, tolerance);
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* With a uniform factor, a layer has another one only where all convolutions have: 1 is without
 * dysm; and all that the minibatch allows are told of. */
START_TEST(test_a_uniform_factor_is_that_of_all_convolutions) {
  static const dsm_override uniform[] = {{"model.dysm_uniform", "true", NULL},
                                         {"core.scratchpad_MiB", "0.02", NULL}};
  dsm_workload *const workload = given_network("32", two_convs);
  dsm_system *const system = given_system(uniform, 2);
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_plan *const plan = explore(workload, system, &options);
  expect_all_consistent(plan, false, "uniform");
  options.optimizations &= ~dysm;
  const double without = step_of(workload, system, &options);
  for (size_t layer = 0; layer < 2; layer++) {
    dsm_explanation *const explanation = explained(plan, layer);
    for (uint64_t f = 1; f <= 8; f *= 2) { /* 32 samples, 4 chips */
      const dsm_what_if *const one = what_if_of(explanation, DSM_DECISION_DYSM_FACTOR, f);
      ck_assert_ptr_null(one->why_not);
      if (f == 1) {
        ck_assert_double_eq_tol(one->network_cycles / without, 1, tolerance);
      }
    }
    dsm_explanation_free(explanation);
  }
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

static const char *const stack =
    "{'name': 'a', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 12%s},"
    "{'name': 'b', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 12%s},"
    "{'name': 'c', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 12%s},"
    "{'name': 'd', 'type': 'lstm', 'in': 32, 'out': 32, 'timesteps': 12%s}";

/* Four layers, of which one may be told never to be pipelined. */
static dsm_workload *stacked(int never) {
  static const char null_group[] = ", 'pipeline_group': null";
  char text[1024];
  snprintf(text, sizeof text, stack, never == 0 ? null_group : "", never == 1 ? null_group : "",
           never == 2 ? null_group : "", never == 3 ? null_group : "");
  return given_network("8", text);
}

START_TEST(test_not_pipelined_is_a_pipeline_group_of_null) {
  static const dsm_override torus[] = {{"system.chips_y", "8", NULL},
                                       {"array.startup_cycles", "4000", NULL}};
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_system *const system = given_system(torus, 2);
  dsm_workload *const workload = stacked(-1);
  dsm_plan *const plan = explore(workload, system, &options);
  ck_assert_uint_gt(plan->pipeline_count, 0);
  expect_all_consistent(plan, false, "stack");
  for (int i = 0; i < 4; i++) {
    dsm_explanation *const explanation = explained(plan, (size_t)i);
    dsm_workload *const apart = stacked(i);
    ck_assert_double_eq_tol(what_if_of(explanation, DSM_DECISION_PIPELINED, 0)->network_cycles /
                                step_of(apart, system, &options),
                            1, tolerance);
    dsm_workload_free(apart);
    dsm_explanation_free(explanation);
  }
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

/* The step of a mapping with data parallelism, factor 1 and these outputs held. */
static double sum_of_layers(dsm__problem *problem, const dsm__layer_decision *layers) {
  const dsm_workload *const workload = problem->inputs.workload;
  dsm__holding *const holdings =
      dsm__arena_array(problem->arena, workload->layer_count, sizeof *holdings);
  const dsm__decisions decisions = {.layers = layers};
  ck_assert(
      dsm__holdings_derive(workload, &problem->machine, &decisions, holdings, problem->arena));
  double cycles = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_pass_layouts data = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
    dsm__layer_setting setting = dsm__open_setting(&problem->inputs, &workload->layers[i], 1);
    setting.holding = holdings[i];
    ck_assert(!dsm__is_holding(&holdings[i]) || dsm__holding_fits(&setting, DSM_PARALLELISM_DATA));
    cycles += dsm__once_cycles(&setting, &data);
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
        cycles += dsm__best_pass_find(&setting, (dsm_pass)p, DSM_PARALLELISM_DATA, true,
                                      &problem->table.splits)
                      .cycles;
      }
    }
  }
  return cycles;
}

static void expect_sum(dsm__problem *problem, const dsm_plan *plan, const dsm_what_if *one,
                       uint64_t seed) {
  dsm__layer_decision *const layers =
      dsm__arena_array(problem->arena, plan->layer_count, sizeof *layers);
  for (size_t i = 0; i < plan->layer_count; i++) {
    layers[i].layer.dysm_factor = 1;
    layers[i].layer.is_output_held = plan->layers[i].decisions.is_output_held;
  }
  for (size_t i = 0; i < one->also_held_count; i++) {
    layers[one->also_held[i]].layer.is_output_held = true;
  }
  for (size_t i = 0; i < one->not_held_count; i++) {
    layers[one->not_held[i]].layer.is_output_held = false;
  }
  const double sum = sum_of_layers(problem, layers);
  ck_assert_msg(fabs(one->network_cycles - sum) <= tolerance * sum, "seed %u: %.17g, %.17g",
                (unsigned)seed, one->network_cycles, sum);
}

/* Where outputs held are all that a mapping decides, the lists tell which mapping it is. By the
 * specified equations and by the refined ones. */
START_TEST(test_lists_of_held_outputs_are_the_mapping_that_costs_so_much) {
  unsigned changed = 0;
  for (uint64_t seed = 3000; seed < 3000 + SEEDS; seed++) {
    dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
    options.optimizations = reuse;
    options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
    random_case given = random_case_make(seed);
    if (_i == 1) {
      random_case_refine(&given, seed);
    }
    dsm_plan *const plan = explore(given.workload, given.system, &options);
    dsm__problem problem;
    ck_assert_int_eq(dsm__problem_init(&problem, given.workload, given.system, &options, NULL),
                     DSM_OK);
    for (size_t i = 0; i < plan->layer_count; i++) {
      dsm_explanation *const explanation = explained(plan, i);
      for (uint64_t value = 0; value < 2; value++) {
        const dsm_what_if *const one = what_if_of(explanation, DSM_DECISION_OUTPUT_HELD, value);
        if (one->why_not == NULL) {
          expect_sum(&problem, plan, one, seed);
          changed += one->also_held_count + one->not_held_count > 1 ? 1 : 0;
        }
      }
      dsm_explanation_free(explanation);
    }
    dsm__problem_fini(&problem);
    dsm_plan_free(plan);
    random_case_free(&given);
  }
  ck_assert_uint_gt(changed, 0);
}
END_TEST

Suite *suite_what_if(void) {
  Suite *const suite = suite_create("what_if");
  TCase *const tests = tcase_create("decisions");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_random_networks_are_explained_consistently, 0, 2);
  tcase_add_test(tests, test_a_binding_memory_leaves_the_chosen_values_no_slower_than_the_step);
  tcase_add_test(tests, test_not_holding_the_only_tensor_is_exploring_without_reuse);
  tcase_add_test(tests, test_decisions_of_a_single_layer_are_those_of_options);
  tcase_add_test(tests, test_a_uniform_factor_is_that_of_all_convolutions);
  tcase_add_test(tests, test_not_pipelined_is_a_pipeline_group_of_null);
  tcase_add_loop_test(tests, test_lists_of_held_outputs_are_the_mapping_that_costs_so_much, 0, 2);
  suite_add_tcase(suite, tests);
  return suite;
}
