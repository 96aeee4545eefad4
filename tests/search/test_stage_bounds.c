/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of steps in stages: none is above any of the steps that there are, and where one cut is
 * possible they know what its slowest stage takes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "plan/segments.h"
#include "plan/step_stages.h"
#include "random_numbers.h"
#include "role_draw.h"
#include "search/overlapped.h"
#include "search/problem.h"
#include "search/roles/step_search.h"
#include "search/stages/stage_deal.h"
#include "stage_twin.h"
#include "suites.h"

#define BIT DSM_OPTIMIZATION_BIT

static const dsm_optimization words[] = {DSM_OPTIMIZATION_HYBRID,     DSM_OPTIMIZATION_TENSOR,
                                         DSM_OPTIMIZATION_SPATIAL,    DSM_OPTIMIZATION_SHARD,
                                         DSM_OPTIMIZATION_ACCUMULATE, DSM_OPTIMIZATION_RECOMPUTE,
                                         DSM_OPTIMIZATION_DYSM};

static dsm_optimization_set drawn_set(uint64_t *state, dsm_optimization_set among) {
  dsm_optimization_set set = BIT(DSM_OPTIMIZATION_STAGES);
  for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
    set |= random_below(state, 3) > 0 ? BIT(words[w]) & among : 0;
  }
  return set;
}

static dsm_system *drawn_chips(uint64_t *state) {
  static const char *const chips_of_axis[] = {"1", "2", "4"};
  static const char *const rates[] = {"2", "20", "100"};
  static const char *const latencies[] = {"0", "2", "50"};
  static const char *const added[] = {"0", "6"};
  static const char *const are_fused[] = {"false", "true", "true"};
  static const char *const flags[] = {"false", "true"};
  const dsm_override overrides[] = {
      {"system.chips_x", chips_of_axis[1 + random_below(state, 2)], NULL},
      {"system.chips_y", chips_of_axis[random_below(state, 3)], NULL},
      {"system.link_bandwidth_x_GBps", rates[random_below(state, 3)], NULL},
      {"system.link_bandwidth_y_GBps", rates[random_below(state, 3)], NULL},
      {"system.collective_base_us", latencies[random_below(state, 3)], NULL},
      {"model.fused_reductions", are_fused[random_below(state, 3)], NULL},
      {"model.sharded_update", flags[random_below(state, 2)], NULL},
      {"model.accumulate_memory_bytes", added[random_below(state, 2)], NULL}};
  return bundled_system_with("torus16", overrides, sizeof overrides / sizeof overrides[0]);
}

/* The fastest of all cuts with the decisions of a plan. */
static double best_cut(const dsm_plan *plan, const dsm_explore_options *options) {
  dsm__arena *const arena = dsm__arena_new();
  bool *is_cut = NULL;
  stage_twin twin = {.workload = plan->workload, .system = plan->system, .options = options};
  ck_assert(dsm__segments_find(plan->workload, arena, &is_cut));
  ck_assert(dsm__decisions_of_plan(plan, arena, &twin.decisions));
  twin.is_cut = is_cut;
  stage_twin_cut(&twin);
  dsm__arena_free(arena);
  return twin.best;
}

/* Some roles of an axis, or all; those of no attention alone, so that draws stay as they were. */
static dsm_role_set drawn_roles(uint64_t *state) {
  const dsm_role_set all = ((dsm_role_set)2 << DSM_ROLE_WHOLE) - 1;
  return random_below(state, 2) == 0 ? 0 : (dsm_role_set)(1 + random_below(state, all));
}

/* Steps with fewer words and roles, and numbers that are asked for, in all of their cuts. */
START_TEST(test_no_bound_is_above_a_step) {
  enum { SEEDS = HOW_MANY(200, 40, 10), STEPS = 4 };
  unsigned staged = 0;
  for (uint64_t seed = SEEDS * (uint64_t)_i; seed < SEEDS * (uint64_t)(_i + 1); seed++) {
    uint64_t state = seed;
    dsm_workload *const workload =
        role_draw_network(&state, 5 + (size_t)random_below(&state, 4),
                          random_below(&state, 2) == 0 ? NOTHING : ATTENTION);
    dsm_system *const system = drawn_chips(&state);
    dsm_explore_options options;
    dsm_plan *plan = NULL;
    dsm_explore_options_init(&options);
    options.optimizations = drawn_set(&state, ~(dsm_optimization_set)0);
    ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
    const double bound = plan->result.lower_bound_cycles;
    ck_assert_double_le(bound, plan->result.step_cycles * (1 + 1e-9));
    dsm_plan_free(plan);
    for (int k = 0; k < STEPS; k++) {
      dsm_explore_options fewer = options;
      fewer.optimizations = drawn_set(&state, options.optimizations);
      fewer.stages = (uint64_t)2 << random_below(&state, 2);
      fewer.micro_batches = (fewer.optimizations & BIT(DSM_OPTIMIZATION_ACCUMULATE)) != 0
                                ? 1U << random_below(&state, 3)
                                : 0;
      for (unsigned a = 0; a < 2; a++) {
        fewer.roles[a] = drawn_roles(&state);
      }
      dsm_plan *one = NULL;
      if (dsm_explore(&one, workload, system, &fewer, NULL) == DSM_OK) {
        const double best = dsm__stage_run_count(&one->stages) <= STAGE_TWIN_RUNS_MAX
                                ? best_cut(one, &fewer)
                                : one->result.step_cycles;
        staged++;
        ck_assert_msg(bound <= best * (1 + 1e-9), "seed %u: bound %.17g, a step takes %.17g",
                      (unsigned)seed, bound, best);
        ck_assert_msg(one->result.lower_bound_cycles <= best * (1 + 1e-9),
                      "seed %u: bound %.17g as asked, a step takes %.17g", (unsigned)seed,
                      one->result.lower_bound_cycles, best);
      }
      dsm_plan_free(one);
    }
    dsm_workload_free(workload);
    dsm_system_free(system);
  }
  ck_assert_uint_gt(staged, 0);
}
END_TEST

/* Of 16 layers in 16 stages there is one cut. What all of them take on the mean is 26 % of the
 * step; the slowest has a sum of gradients whose latency it shares with nobody, which is 55 %.
 * Where each layer can have any roles, the first product has none; but to get there from those of
 * the convolutions takes a collective over 285 nodes. */
START_TEST(test_slowest_stage_is_known) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations = BIT(DSM_OPTIMIZATION_STAGES);
  for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
    options.optimizations |= BIT(words[w]);
  }
  options.stages = 16;
  bundled of = bundled_explore("vgg16", "summit", "256", &options);
  ck_assert_int_eq(of.status, DSM_OK);
  ck_assert_double_ge(of.plan->result.lower_bound_cycles, 0.99 * of.plan->result.step_cycles);
  bundled_free(&of);
}
END_TEST

/* With one micro-batch gradients that are shared out are summed once, at the same time in all
 * stages: shards are no slower than none. */
START_TEST(test_shared_gradients_of_one_micro_batch_are_summed_once) {
  double cycles[2];
  for (int k = 0; k < 2; k++) {
    dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
    options.optimizations = BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_STAGES) |
                            (k == 1 ? BIT(DSM_OPTIMIZATION_SHARD) : 0);
    options.stages = 4;
    bundled of = bundled_explore("resnet18", "summit", "256", &options);
    ck_assert_int_eq(of.status, DSM_OK);
    cycles[k] = of.plan->result.step_cycles;
    bundled_free(&of);
  }
  ck_assert_double_le(cycles[1], cycles[0] * (1 + 1e-9));
}
END_TEST

/* In stages no sum of gradients hides: the step and its bound are what they are without the key. */
START_TEST(test_no_sum_hides_in_stages) {
  dsm_plan *plans[2] = {NULL, NULL};
  dsm_workload *const workload = bundled_workload("resnet18", "256");
  dsm_system *const system = bundled_system("summit");
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations =
      BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_STAGES) | BIT(DSM_OPTIMIZATION_SHARD);
  options.stages = 4;
  for (int k = 0; k < 2; k++) {
    system->model.overlapped_reduction = k == 1;
    ck_assert_int_eq(dsm_explore(&plans[k], workload, system, &options, NULL), DSM_OK);
    for (size_t i = 0; i < plans[k]->layer_count; i++) {
      ck_assert(!(plans[k]->layers[i].passes[DSM_PASS_UPDATE].hidden_cycles > 0));
    }
  }
  ck_assert_double_eq(plans[1]->result.step_cycles, plans[0]->result.step_cycles);
  ck_assert_double_eq(plans[1]->result.lower_bound_cycles, plans[0]->result.lower_bound_cycles);
  dsm_plan_free(plans[0]);
  dsm_plan_free(plans[1]);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* An encoder's output, which lives through all of the decoder, along three axes: few edges are
 * made, and those have a mapping. */
START_TEST(test_what_lives_long_makes_no_large_graph) {
  dsm_workload *const workload = bundled_workload("transformer_big", "256");
  dsm_system *const system = bundled_system("tpu_v4_4096");
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations |= BIT(DSM_OPTIMIZATION_TENSOR) | BIT(DSM_OPTIMIZATION_SPATIAL);
  dsm__problem problem;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  problem.are_ties_free = true;
  dsm__problem_count(&problem, NULL);
  ck_assert(dsm__step_search(&problem, HUGE_VAL, &answer, &decisions));
  ck_assert(answer.is_feasible);
  ck_assert_double_ge(answer.lower_bound, 0.8 * answer.cost);
  ck_assert_uint_lt(problem.found->role_edges, 4 << 20);
  dsm__problem_fini(&problem);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* Does a cut of the segments from one on, whose runs before it are some, give no stage more? */
static bool is_dealt_by_hand(const dsm__deal *deal, size_t run, size_t first, const double *taken) {
  const size_t all = deal->stages * deal->runs;
  if (run == all) {
    return true;
  }
  for (size_t end = first + 1; end <= deal->count; end++) {
    double with[4];
    const bool is_whole = (run + 1 == all) == (end == deal->count);
    memcpy(with, taken, deal->stages * sizeof with[0]);
    with[run % deal->stages] += deal->taken[end] - deal->taken[first] +
                                deal->given[run == 0 ? end : first] +
                                deal->given[run + 1 == all ? first : end];
    with[run % deal->stages] += run > 0 && run % deal->stages == 0 ? deal->round[first] : 0;
    with[run % deal->stages] +=
        run + 1 < all && (run + 1) % deal->stages == 0 ? deal->round[end] : 0;
    if (is_whole && with[run % deal->stages] <= deal->most &&
        is_dealt_by_hand(deal, run + 1, end, with)) {
      return true;
    }
  }
  return false;
}

/* Whole numbers, so that sums are exact in any order. */
START_TEST(test_runs_are_dealt_as_by_hand) {
  uint64_t state = (uint64_t)_i;
  size_t dealt = 0;
  for (int k = 0; k < 400; k++) {
    double taken[12] = {0};
    double given[12] = {0};
    double round[12] = {0};
    const size_t stages = 2 + random_below(&state, 3);
    const size_t runs = 1 + random_below(&state, 8 / stages);
    const size_t count = stages * runs + random_below(&state, 12 - stages * runs);
    for (size_t s = 0; s < count; s++) {
      taken[s + 1] = taken[s] + 1 + (double)random_below(&state, 9);
      given[s] = (double)random_below(&state, 3);
      round[s] = (double)random_below(&state, 2);
    }
    const double most =
        (taken[count] / (double)stages) * (1 + 0.1 * (double)random_below(&state, 9));
    const dsm__deal deal = {stages, runs, count, taken, given, round, most};
    bool is_good = true;
    const double none[4] = {0};
    const bool may_be = dsm__may_be_dealt(&deal, &is_good);
    ck_assert(is_good);
    ck_assert_int_eq(may_be, is_dealt_by_hand(&deal, 0, 0, none));
    dealt += may_be ? 1 : 0;
  }
  ck_assert_uint_gt(dealt, 40);
  ck_assert_uint_lt(dealt, 360);
}
END_TEST

Suite *suite_stage_bounds(void) {
  Suite *const suite = suite_create("stage bounds");
  TCase *const tests = tcase_create("stage bounds");
  tcase_set_timeout(tests, 240);
  tcase_add_test(tests, test_slowest_stage_is_known);
  tcase_add_test(tests, test_what_lives_long_makes_no_large_graph);
  tcase_add_test(tests, test_shared_gradients_of_one_micro_batch_are_summed_once);
  tcase_add_test(tests, test_no_sum_hides_in_stages);
  tcase_add_loop_test(tests, test_no_bound_is_above_a_step, 0, 5);
  tcase_add_loop_test(tests, test_runs_are_dealt_as_by_hand, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
