/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_cut.c: dense blocks, in which every layer reads all before it. So many tensors live at once
 * that not all sets of them are kept: the answer must still be a good mapping, honest about its
 * bound.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "search/problem.h"
#include "suites.h"
#include "what_ifs.h"

enum { TEXT_MAX = 65536 };

/* A block of `count` layers, and a layer after it. */
static dsm_workload *dense_block(int count) {
  char *const text = malloc(TEXT_MAX);
  ck_assert_ptr_nonnull(text);
  size_t length = 0;
  for (int i = 0; i <= count; i++) {
    length += (size_t)snprintf(
        text + length, TEXT_MAX - length,
        "%s{'name': 'l%d', 'type': 'conv', 'in': %d, 'out': %d, 'feature': [4, 4], 'kernel': "
        "[3, 3], 'aux': [{'op': 'relu'}], 'inputs': [",
        i == 0 ? "" : ",", i, i == 0 ? 4 : 4 * i, 4);
    for (int from = 0; from < i; from++) {
      length +=
          (size_t)snprintf(text + length, TEXT_MAX - length, "%s'l%d'", from == 0 ? "" : ",", from);
    }
    length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s]}", i == 0 ? "'@input'" : "");
    ck_assert_uint_lt(length, TEXT_MAX);
  }
  dsm_workload *const workload = given_network("16", text);
  free(text);
  return workload;
}

/* Held tensors compete for little room, so that which are held matters. */
static dsm_system *tight_system(void) {
  static const dsm_override tight[] = {{"core.scratchpad_MiB", "0.004", NULL},
                                       {"core.streaming_buffer_KiB", "1", NULL},
                                       {"chip.memory.bandwidth_GBps", "2", NULL}};
  return given_system(tight, sizeof tight / sizeof tight[0]);
}

static const struct {
  int layers;
  bool is_cut;
  bool has_too_few_bits;
  bool is_bounding_off; /* sets that are alike stay apart */
} blocks[] = {
    {7, false, false, false},
    {14, false, false, false},
    {14, true, false, true},
    {70, true, true, false},
};

static dsm_explore_options options_with(dsm_optimization_set optimizations) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = optimizations;
  return options;
}

static const dsm_optimization_set hybrid = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
static const dsm_optimization_set reuse = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);

START_TEST(test_too_many_sets_are_cut_and_known_to_be) {
  dsm_workload *const workload = dense_block(blocks[_i].layers);
  dsm_system *const system = tight_system();
  const dsm_explore_options options = options_with(hybrid | reuse);
  dsm__problem problem;
  dsm__solution solution;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  problem.is_bounding_off = blocks[_i].is_bounding_off;
  ck_assert(dsm__problem_solve(&problem, &solution));
  ck_assert(solution.network.is_cut == blocks[_i].is_cut);
  ck_assert(problem.lives.is_cut == blocks[_i].has_too_few_bits);
  ck_assert(solution.answer.is_feasible);
  ck_assert_double_le(solution.answer.lower_bound, solution.answer.cost);
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

static void expect_good_plan(const dsm_plan *plan) {
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), "plan", NULL, NULL), DSM_OK);
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  dsm_plan_free(again);
  free(text);
}

START_TEST(test_a_cut_search_gives_a_good_plan_and_a_bound_below_it) {
  dsm_workload *const workload = dense_block(blocks[_i].layers);
  dsm_system *const system = tight_system();
  const dsm_explore_options with = options_with(hybrid | reuse);
  const dsm_explore_options without = options_with(hybrid);
  dsm_plan *holding = NULL;
  dsm_plan *plain = NULL;
  ck_assert_int_eq(dsm_explore(&holding, workload, system, &with, NULL), DSM_OK);
  ck_assert_int_eq(dsm_explore(&plain, workload, system, &without, NULL), DSM_OK);
  const dsm_plan_result *const result = &holding->result;
  ck_assert_double_le(result->step_cycles, plain->result.step_cycles);
  ck_assert_double_le(result->lower_bound_cycles, result->step_cycles);
  ck_assert_double_ge(result->lower_bound_cycles, result->ideal_cycles);
  if (!blocks[_i].is_cut) {
    ck_assert_double_ge(result->lower_bound_cycles, result->step_cycles * (1 - 1e-11));
  }
  expect_good_plan(holding);
  dsm_plan_free(plain);
  dsm_plan_free(holding);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* The graph in which a layer is explained may lack the best mapping; what is told of it does not.
 */
START_TEST(test_a_cut_network_is_explained_consistently) {
  dsm_workload *const workload = dense_block(blocks[_i].layers);
  dsm_system *const system = tight_system();
  const dsm_explore_options options = options_with(hybrid | reuse);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  for (size_t i = 0; i < 3; i++) {
    dsm_explanation *const explanation = explained(plan, i * plan->layer_count / 3);
    expect_consistent(explanation, plan, false, "dense");
    dsm_explanation_free(explanation);
  }
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/*
 * Mostly fully connected layers of many weights, which only model parallelism runs well, then a
 * dense block of convolutions that data parallelism runs well; all outputs live to the end. With
 * data, nothing held before the block can be part of the best mapping, so the search leaves that
 * out. The graph in which a layer is explained has it, and no room left for sets that begin in the
 * block.
 */
static dsm_workload *two_blocks(void) {
  enum { FIRST = 10, COUNT = 15 };
  char *const text = malloc(TEXT_MAX);
  ck_assert_ptr_nonnull(text);
  size_t length = 0;
  length += (size_t)snprintf(
      text, TEXT_MAX, "{'name': 'f0', 'type': 'conv', 'in': 4, 'out': 4, 'feature': [16, 16]},");
  for (int i = 1; i < FIRST; i++) {
    length += (size_t)snprintf(text + length, TEXT_MAX - length,
                               "{'name': 'f%d', 'type': 'fc', 'in': 1024, 'out': 1024},", i);
  }
  for (int i = FIRST; i < COUNT; i++) {
    length += (size_t)snprintf(text + length, TEXT_MAX - length,
                               "{'name': 'c%d', 'type': 'conv', 'in': %d, 'out': 4, 'feature': "
                               "[16, 16], 'kernel': [3, 3], 'inputs': [%s",
                               i, i == FIRST ? 4 : 4 * (i - FIRST), i == FIRST ? "'@input'" : "");
    for (int from = FIRST; from < i; from++) {
      length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s'c%d'",
                                 from == FIRST ? "" : ",", from);
    }
    length += (size_t)snprintf(text + length, TEXT_MAX - length, "]},");
  }
  length += (size_t)snprintf(text + length, TEXT_MAX - length,
                             "{'name': 'end', 'type': 'fc', 'in': %d, 'out': 4, 'inputs': [",
                             1024 * FIRST + 1024 * (COUNT - FIRST));
  for (int i = 0; i < COUNT; i++) {
    length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s'%c%d'", i == 0 ? "" : ",",
                               i < FIRST ? 'f' : 'c', i);
  }
  length += (size_t)snprintf(text + length, TEXT_MAX - length, "]}");
  ck_assert_uint_lt(length, TEXT_MAX);
  dsm_workload *const workload = given_network("16", text);
  free(text);
  return workload;
}

START_TEST(test_an_explanation_knows_the_best_mapping_though_its_own_graph_does_not) {
  static const dsm_override roomy[] = {{"core.scratchpad_MiB", "1", NULL}};
  dsm_workload *const workload = two_blocks();
  dsm_system *const system = given_system(roomy, 1);
  dsm_explore_options options = options_with(reuse);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  const size_t layer = dsm_workload_find_layer(workload, "c12");
  ck_assert(plan->layers[layer].decisions.is_output_held);
  dsm_explanation *const explanation = explained(plan, layer);
  expect_consistent(explanation, plan, false, "two blocks");
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_cut(void) {
  Suite *const suite = suite_create("cut");
  TCase *const tests = tcase_create("dense blocks");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_too_many_sets_are_cut_and_known_to_be, 0,
                      sizeof blocks / sizeof blocks[0]);
  tcase_add_loop_test(tests, test_a_cut_search_gives_a_good_plan_and_a_bound_below_it, 0,
                      sizeof blocks / sizeof blocks[0]);
  tcase_add_loop_test(tests, test_a_cut_network_is_explained_consistently, 0,
                      sizeof blocks / sizeof blocks[0]);
  tcase_add_test(tests, test_an_explanation_knows_the_best_mapping_though_its_own_graph_does_not);
  suite_add_tcase(suite, tests);
  return suite;
}
