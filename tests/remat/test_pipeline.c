/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipelines: makespans by hand and by formula, cuts, and chains of all micro-batches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chains.h"
#include "plan/makespan.h"
#include "random_numbers.h"
#include "remat/cut.h"
#include "suites.h"

static const double close_enough = 1e-9;

/* ---- makespans ---- */

enum { DEVICES = 4, MICRO_BATCHES_MAX = 32 };

typedef struct balanced {
  double forward[DEVICES * MICRO_BATCHES_MAX];
  double backward[DEVICES * MICRO_BATCHES_MAX];
  double links[DEVICES];
  dsm__makespan_times times;
} balanced;

static void balance(balanced *to, size_t micro_batches) {
  memset(to, 0, sizeof *to);
  for (size_t i = 0; i < DEVICES * micro_batches; i++) {
    to->forward[i] = 1;
    to->backward[i] = 2;
  }
  to->times = (dsm__makespan_times){DEVICES,   micro_batches, to->forward, to->backward,
                                    to->links, to->links,     1,           NULL};
}

/* T = (m + N - 1)(tf + tb) in both orders: the bubble is (N - 1)/(m + N - 1), here 42.9, 27.3, 15.8
 * and 8.6 % of N = 4. */
START_TEST(test_balanced) {
  static const struct {
    size_t micro_batches;
    double bubble_percent;
  } cases[] = {{4, 42.9}, {8, 27.3}, {16, 15.8}, {32, 8.6}};
  for (int i = 0; i < COUNT_OF(cases); i++) {
    balanced of;
    balance(&of, cases[i].micro_batches);
    const double m = (double)cases[i].micro_batches;
    for (dsm_remat_order order = 0; order < DSM_REMAT_ORDER_COUNT; order++) {
      const double seconds = dsm__makespan(&of.times, order == DSM_REMAT_GPIPE);
      ck_assert_double_eq(seconds, (m + DEVICES - 1) * 3);
      ck_assert_double_eq_tol(100 * (1 - 3 * m / seconds), cases[i].bubble_percent, 0.05);
    }
  }
}
END_TEST

/* Two devices, two micro-batches, forward 1 and 3, backward 2 and 4, links of 1 forward, 2 back.
 * GPipe: forward ends 1, 2 and 2 + 3 = 5, 8; backward of the second: 12, 16; of the first 14 + 2 =
 * 16, then 18 + 2 = 20. 1F1B: backward of the first micro-batch follows its forward pass: 5 to 9,
 * then 12, 16; of the first device 11 to 13, then 18 to 20. */
START_TEST(test_by_hand) {
  static const double forward[] = {1, 1, 3, 3};
  static const double backward[] = {2, 2, 4, 4};
  static const double output_link[] = {1, 0};
  static const double error_link[] = {2, 0};
  const dsm__makespan_times times = {2, 2, forward, backward, output_link, error_link, 1, NULL};
  ck_assert_double_eq(dsm__makespan(&times, true), 20);
  ck_assert_double_eq(dsm__makespan(&times, false), 20);
}
END_TEST

START_TEST(test_stored) {
  ck_assert_uint_eq(dsm__stored_micro_batches(true, 4, 2, 7), 7);
  for (size_t s = 0; s < 4; s++) {
    ck_assert_uint_eq(dsm__stored_micro_batches(false, 4, s, 7), 4 - s);
    ck_assert_uint_eq(dsm__stored_micro_batches(false, 4, s, 2), 4 - s < 2 ? 4 - s : 2);
  }
}
END_TEST

/* ---- cuts ---- */

/* The longest part of the best cut, by trying all places. */
static double best_longest(const dsm_remat_chain *chain, size_t first, size_t parts) {
  double best = HUGE_VAL;
  double own = 0;
  for (size_t end = first + 1; end <= chain->stage_count; end++) {
    const dsm_remat_chain one = dsm__remat_part(chain, end - 1, 1);
    own += dsm_remat_chain_seconds(&one);
    const bool is_last = parts == 1;
    if (is_last && end < chain->stage_count) {
      continue;
    }
    const double others = is_last ? 0 : best_longest(chain, end, parts - 1);
    const double longest = own > others ? own : others;
    best = longest < best ? longest : best;
  }
  return best;
}

START_TEST(test_cuts) {
  uint64_t state = (uint64_t)_i;
  own_chain own;
  chain_of_random(&own, &state, 4 + (size_t)random_below(&state, 5), 2);
  const size_t parts = 1 + (size_t)random_below(&state, 4);
  size_t firsts[4];
  ck_assert(dsm__remat_cut(&own.chain, parts, firsts));
  ck_assert_uint_eq(firsts[0], 0);
  double longest = 0;
  for (size_t p = 0; p < parts; p++) {
    const size_t end = p + 1 < parts ? firsts[p + 1] : own.chain.stage_count;
    ck_assert_uint_lt(firsts[p], end);
    const dsm_remat_chain part = dsm__remat_part(&own.chain, firsts[p], end - firsts[p]);
    const double seconds = dsm_remat_chain_seconds(&part);
    longest = seconds > longest ? seconds : longest;
  }
  ck_assert_double_eq(longest, best_longest(&own.chain, 0, parts));
}
END_TEST

/* ---- pipelines ---- */

static dsm_remat_pipeline *made(const dsm_remat_chain *chain, size_t devices,
                                uint64_t micro_batches, double budget) {
  dsm_remat_pipeline_options options = {.devices = devices, .micro_batches = micro_batches};
  dsm_remat_options_init(&options.remat);
  options.remat.budget_bytes = budget;
  dsm_remat_pipeline *pipeline = NULL;
  const dsm_status status = dsm_remat_pipeline_make(&pipeline, chain, &options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  return pipeline;
}

/* Eight equal stages on four devices with room for all: the formula. */
START_TEST(test_room_for_all) {
  own_chain own;
  chain_of_equal(&own, 8);
  own.chain.minibatch = 8;
  dsm_remat_pipeline *const pipeline = made(&own.chain, 4, 8, 1e6);
  ck_assert_uint_eq(pipeline->case_count, 3);
  for (size_t i = 0; i < pipeline->case_count; i++) {
    const dsm_remat_pipeline_case *const one = &pipeline->cases[i];
    ck_assert_double_eq_tol(one->seconds, (8 + 3) * 6 / 8.0, close_enough);
    ck_assert_double_eq_tol(one->bubble, 3 / 11.0, close_enough);
    for (size_t d = 0; d < 4; d++) {
      ck_assert_uint_eq(one->devices[d].first_stage, 2 * d);
      ck_assert_double_eq_tol(one->devices[d].overhead, 0, close_enough);
    }
  }
  dsm_remat_pipeline_free(pipeline);
}
END_TEST

START_TEST(test_all_divisors) {
  own_chain own;
  chain_of_equal(&own, 4);
  own.chain.minibatch = 12;
  dsm_remat_pipeline *const pipeline = made(&own.chain, 2, 0, 1e6);
  ck_assert_uint_eq(pipeline->case_count, 3 * 6); /* 1, 2, 3, 4, 6, 12 */
  ck_assert_uint_eq(pipeline->cases[pipeline->best].micro_batches, 12);
  dsm_remat_pipeline_free(pipeline);
}
END_TEST

/* One chain of all micro-batches is never slower than equal parts, and fits where those do. How
 * often it is faster is a figure of docs/remat.md. */
START_TEST(test_global_against_direct) {
  enum { CASES = 240, LEAST_FASTER = 150 };
  size_t faster = 0;
  for (uint64_t i = 0; i < CASES; i++) {
    uint64_t state = i;
    own_chain own;
    const size_t stages = 3 + (size_t)random_below(&state, 4);
    chain_of_random(&own, &state, stages, 2);
    own.chain.minibatch = 2 + random_below(&state, 5);
    for (size_t s = 0; s < stages; s++) {
      own.stages[s].is_recomputable = true;
    }
    dsm_remat_result *const full = solved(&own.chain, 1e6, 500);
    const double budget =
        full->smallest_bytes + 0.35 * (full->full.peak_bytes - full->smallest_bytes);
    dsm_remat_result_free(full);
    dsm_remat_pipeline *const pipeline = made(&own.chain, 1, own.chain.minibatch, budget);
    if (pipeline == NULL) {
      continue;
    }
    const dsm_remat_pipeline_case *const direct = &pipeline->cases[0];
    const dsm_remat_pipeline_case *const global = &pipeline->cases[1];
    ck_assert_int_eq(global->sharing, DSM_REMAT_GLOBAL);
    ck_assert(global->is_feasible || !direct->is_feasible);
    ck_assert_double_le(global->devices[0].peak_bytes, budget * (1 + close_enough));
    if (direct->is_feasible) {
      ck_assert_double_le(global->seconds, direct->seconds);
      faster += global->seconds < direct->seconds * (1 - close_enough) ? 1 : 0;
    } else {
      faster += global->is_feasible ? 1 : 0;
    }
    dsm_remat_pipeline_free(pipeline);
  }
  printf("global chains that are faster, or fit alone: %zu of %d\n", faster, (int)CASES);
  ck_assert_uint_ge(faster, LEAST_FASTER);
}
END_TEST

/* The chain of all micro-batches stores inputs, and hands outputs on. */
START_TEST(test_repeated) {
  own_chain own;
  chain_of_equal(&own, 2);
  own.chain.input_bytes = 5;
  dsm__arena *const arena = dsm__arena_new();
  const dsm_remat_chain *const all = dsm__remat_repeated(&own.chain, 3, arena);
  ck_assert_uint_eq(all->stage_count, 8);
  ck_assert_double_eq(all->stages[1].output_bytes, 0);
  ck_assert_double_eq(all->stages[1].error_bytes, 1);
  ck_assert_double_eq(all->stages[2].output_bytes, 5);
  ck_assert(!all->stages[2].is_recomputable);
  ck_assert_double_eq(all->stages[7].output_bytes, 1);
  dsm__arena_free(arena);
}
END_TEST

START_TEST(test_refused) {
  own_chain own;
  chain_of_equal(&own, 4);
  own.chain.minibatch = 6;
  static const struct {
    size_t devices;
    uint64_t micro_batches;
    double budget;
    dsm_status status;
  } cases[] = {{5, 2, 100, DSM_ERROR_USAGE},     {0, 2, 100, DSM_ERROR_USAGE},
               {2, 4, 100, DSM_ERROR_USAGE},     {2, 5000, 100, DSM_ERROR_USAGE},
               {2, 2, 0, DSM_ERROR_INVALID},     {2, 2, -1, DSM_ERROR_INVALID},
               {2, 2, 0.5, DSM_ERROR_INFEASIBLE}};
  for (int i = 0; i < COUNT_OF(cases); i++) {
    dsm_remat_pipeline_options options = {.devices = cases[i].devices,
                                          .micro_batches = cases[i].micro_batches};
    dsm_remat_options_init(&options.remat);
    options.remat.budget_bytes = cases[i].budget;
    dsm_remat_pipeline *pipeline = NULL;
    ck_assert_int_eq(dsm_remat_pipeline_make(&pipeline, &own.chain, &options, NULL),
                     cases[i].status);
    ck_assert_ptr_null(pipeline);
  }
}
END_TEST

Suite *suite_pipeline(void) {
  Suite *const suite = suite_create("pipeline");
  TCase *const tests = tcase_create("pipeline");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_balanced);
  tcase_add_test(tests, test_by_hand);
  tcase_add_test(tests, test_stored);
  tcase_add_loop_test(tests, test_cuts, 0, 50);
  tcase_add_test(tests, test_room_for_all);
  tcase_add_test(tests, test_all_divisors);
  tcase_add_test(tests, test_global_against_direct);
  tcase_add_test(tests, test_repeated);
  tcase_add_test(tests, test_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
