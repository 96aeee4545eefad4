/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_layouts.c: layouts of held tensors (model.layout_move "exact") against brute force over all
 * held sets, factors and layouts of small random networks; and what layouts must not change.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bundled.h"
#include "how_many.h"
#include "layout_twin.h"
#include "plan/tolerance.h"
#include "random_network.h"
#include "random_numbers.h"
#include "search/graph/graph.h"
#include "search/problem.h"
#include "suites.h"

/* ---- against brute force ---- */

static dsm_explore_options options_of(dsm_parallelism parallelism, bool has_factors,
                                      dsm_mode mode) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.parallelisms = DSM_PARALLELISM_BIT(parallelism);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  if (has_factors) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
  }
  return options;
}

/* What was compared, so that the test is not about nothing. */
typedef struct tally {
  unsigned held;     /* something is held */
  unsigned moved;    /* and moves */
  unsigned dearer;   /* than if held tensors fitted every split */
  uint64_t mappings; /* of the brute force */
} tally;

/* Cycles of the fastest mapping with another way to move. */
static double explored_with(const dsm_workload *workload, const dsm_system *system,
                            const dsm_explore_options *options, dsm_layout_move move) {
  dsm_system other = *system;
  dsm_plan *plan = NULL;
  other.model.layout_move = move;
  ck_assert_int_eq(dsm_explore(&plan, workload, &other, options, NULL), DSM_OK);
  const double cycles = plan->result.step_cycles;
  dsm_plan_free(plan);
  return cycles;
}

static size_t count_held(const dsm_plan *plan) {
  size_t held = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    held += plan->layers[i].decisions.is_output_held ? 1 : 0;
  }
  return held;
}

static double moved_cycles(const dsm_plan *plan) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      cycles += plan->layers[i].passes[p].group_cycles[DSM_GROUP_LAYOUT_MOVE];
    }
  }
  return cycles;
}

static void compare_with_force(uint64_t seed, bool has_factors, tally *seen) {
  uint64_t state = seed;
  const bool is_preferring = random_below(&state, 2) == 0;
  dsm_workload *const workload = layout_network(&state);
  dsm_system *const system = layout_system(&state, is_preferring);
  const dsm_mode mode = random_below(&state, 4) == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  const dsm_parallelism parallelism = (dsm_parallelism)random_below(&state, 2);
  const dsm_explore_options options = options_of(parallelism, has_factors, mode);
  dsm__problem problem;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
  const layout_optimum best = layout_twin_optimum(&problem, parallelism);
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_msg(fabs(plan->result.step_cycles - best.cycles) <= 1e-10 * best.cycles,
                "seed %u: found %.17g, expected %.17g", (unsigned)seed, plan->result.step_cycles,
                best.cycles);
  ck_assert_msg(plan->result.lower_bound_cycles >= best.cycles * (1 - 1e-10),
                "seed %u: bound %.17g", (unsigned)seed, plan->result.lower_bound_cycles);
  ck_assert_msg(!is_preferring || count_held(plan) == best.held, "seed %u: holds %zu of %zu",
                (unsigned)seed, count_held(plan), best.held);
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  const double none = explored_with(workload, system, &options, DSM_LAYOUT_MOVE_NONE);
  ck_assert_double_le(none, plan->result.step_cycles * (1 + 1e-10));
  seen->dearer += plan->result.step_cycles > none * (1 + 1e-9) ? 1 : 0;
  seen->held += count_held(plan) > 0 ? 1 : 0;
  seen->moved += moved_cycles(plan) > 0 ? 1 : 0;
  seen->mappings += best.mappings;
  dsm_plan_free(plan);
  dsm__problem_fini(&problem);
  dsm_workload_free(workload);
  dsm_system_free(system);
}

enum {
  SEEDS = HOW_MANY(400, 60, 20),
  FACTOR_SEEDS = HOW_MANY(60, 15, 2),
  BOUND_SEEDS = HOW_MANY(25, 12, 3)
};

START_TEST(test_layouts_are_the_best_of_all) {
  tally seen = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    compare_with_force(seed, false, &seen);
  }
  ck_assert_uint_gt(seen.held, SEEDS / 2);
  ck_assert_uint_gt(seen.dearer, SEEDS / 40);
  ck_assert(seen.moved > 0 || SEEDS < 400); /* they are rare */
  ck_assert_uint_gt(seen.mappings, 25 * SEEDS);
}
END_TEST

START_TEST(test_layouts_and_factors_are_the_best_of_all) {
  tally seen = {0};
  for (uint64_t seed = 1000; seed < 1000 + FACTOR_SEEDS; seed++) {
    compare_with_force(seed, true, &seen);
  }
  ck_assert_uint_gt(seen.held, FACTOR_SEEDS / 3);
  ck_assert_uint_gt(seen.dearer, FACTOR_SEEDS / 8);
}
END_TEST

/* ---- what bounds leave out ---- */

static dsm_explore_options options_of_set(int set) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations =
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
  if (set > 0) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM) |
                             DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE);
  }
  if (set == 1) {
    options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
  }
  options.mode = set == 2 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  return options;
}

/* What a search finds, with bounds or without. */
typedef struct found {
  dsm__graph_answer answer;
  double need_bytes;
  size_t held;
  size_t nodes;
} found;

static found search_with(const random_case *given, const dsm_explore_options *options,
                         double capacity_bytes, bool is_bounding_off) {
  dsm__problem problem;
  dsm__solution solution;
  ck_assert_int_eq(dsm__problem_init(&problem, given->workload, given->system, options, NULL),
                   DSM_OK);
  problem.capacity_bytes = capacity_bytes;
  problem.is_bounding_off = is_bounding_off;
  ck_assert(dsm__problem_solve(&problem, &solution));
  const dsm__graph_sums sums = dsm__graph_sum(&solution.network.graph, &solution.path);
  const found one = {solution.answer, dsm__graph_bytes(sums), sums.counted,
                     solution.network.graph.node_count};
  dsm__problem_fini(&problem);
  return one;
}

static double compare_found(const random_case *given, const dsm_explore_options *options,
                            double capacity_bytes, uint64_t seed, unsigned *fewer) {
  const found on = search_with(given, options, capacity_bytes, false);
  const found off = search_with(given, options, capacity_bytes, true);
  ck_assert_int_eq(on.answer.is_feasible, off.answer.is_feasible);
  ck_assert_msg(fabs(on.answer.cost - off.answer.cost) <= 1e-11 * off.answer.cost,
                "seed %u: %.17g, %.17g", (unsigned)seed, on.answer.cost, off.answer.cost);
  ck_assert_msg(!on.answer.is_feasible || on.answer.lower_bound >= on.answer.cost * (1 - 1e-11),
                "seed %u: bound %.17g of %.17g", (unsigned)seed, on.answer.lower_bound,
                on.answer.cost);
  ck_assert_msg(on.held == off.held, "seed %u: holds %zu, %zu", (unsigned)seed, on.held, off.held);
  *fewer += on.nodes < off.nodes ? 1 : 0;
  return on.need_bytes;
}

/* With ample memory, and with a little less than the fastest mapping needs. */
START_TEST(test_bounds_change_nothing) {
  unsigned fewer = 0;
  unsigned limited = 0;
  for (uint64_t seed = 0; seed < BOUND_SEEDS; seed++) {
    random_case given = random_case_make(seed);
    random_case_refine(&given, seed);
    given.system->model.layout_move = DSM_LAYOUT_MOVE_EXACT;
    given.system->model.prefer_holding = true;
    const dsm_explore_options options = options_of_set(_i);
    const double bytes = compare_found(&given, &options, HUGE_VAL, seed, &fewer);
    const double less = compare_found(&given, &options, bytes * 0.97, seed, &fewer);
    limited += less <= bytes * 0.97 ? 1 : 0;
    random_case_free(&given);
  }
  ck_assert_uint_gt(fewer, BOUND_SEEDS / 2);
  ck_assert_uint_gt(limited, BOUND_SEEDS / 5);
}
END_TEST

/* With room for one round only, or for few states in it: a mapping all the same, and an honest
 * bound below the best of all. */
START_TEST(test_too_few_states_leave_an_honest_bound) {
  unsigned open = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    uint64_t state = seed;
    (void)random_below(&state, 2);
    dsm_workload *const workload = layout_network(&state);
    dsm_system *const system = layout_system(&state, false);
    const random_case given = {workload, system};
    const dsm_explore_options options = options_of(DSM_PARALLELISM_DATA, false, DSM_MODE_TRAINING);
    const found best = search_with(&given, &options, HUGE_VAL, true);
    dsm__problem problem;
    dsm__solution solution;
    ck_assert_int_eq(dsm__problem_init(&problem, workload, system, &options, NULL), DSM_OK);
    problem.layout_states_max = 0;
    ck_assert(dsm__problem_solve(&problem, &solution));
    ck_assert_double_ge(solution.answer.cost, best.answer.cost * (1 - 1e-11));
    ck_assert_double_le(solution.answer.lower_bound, best.answer.cost * (1 + 1e-11));
    open += solution.answer.lower_bound < best.answer.cost * (1 - 1e-9) ? 1 : 0;
    dsm__problem_fini(&problem);
    dsm_workload_free(workload);
    dsm_system_free(system);
  }
  ck_assert_uint_gt(open, 0);
}
END_TEST

/* ---- bundled networks ---- */

static const char *const bundled_names[] = {"vgg16", "resnet50"};

/* Layouts add little to what held tensors that fit everything take, and less than a move at each
 * use. Proven to be the best. */
START_TEST(test_layouts_of_bundled_networks_are_between_none_and_always) {
  static const char *const moves[] = {"none", "exact", "always"};
  dsm_workload *const workload = bundled_workload(bundled_names[_i], "256");
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  double cycles[3];
  for (int i = 0; i < 3; i++) {
    const dsm_override move = {"model.layout_move", moves[i], NULL};
    dsm_system *const system = bundled_system_with("torus64_refined", &move, 1);
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
    ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
    cycles[i] = plan->result.step_cycles;
    ck_assert_double_ge(plan->result.lower_bound_cycles, cycles[i] * (1 - 1e-11));
    dsm_plan_free(plan);
    dsm_system_free(system);
  }
  ck_assert_double_lt(cycles[0], cycles[1]);
  ck_assert_double_lt(cycles[1], cycles[0] * 1.001);
  ck_assert_double_lt(cycles[1] * 1.01, cycles[2]);
  dsm_workload_free(workload);
}
END_TEST

/* On one core nothing moves. */
START_TEST(test_one_core_has_one_layout) {
  static const char *const moves[] = {"none", "exact", "always"};
  dsm_workload *const workload = bundled_workload(bundled_names[_i], "256");
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  double cycles[3];
  for (int i = 0; i < 3; i++) {
    const dsm_override values[] = {{"model.layout_move", moves[i], NULL},
                                   {"chip.cores", "1", NULL},
                                   {"core.scratchpad_MiB", "32", NULL}};
    dsm_system *const system = bundled_system_with("torus64_refined", values, 3);
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
    cycles[i] = plan->result.step_cycles;
    ck_assert_uint_gt(count_held(plan), 0);
    dsm_plan_free(plan);
    dsm_system_free(system);
  }
  ck_assert_double_eq_tol(cycles[1], cycles[0], 1e-11 * cycles[0]);
  ck_assert_double_eq_tol(cycles[2], cycles[0], 1e-11 * cycles[0]);
  dsm_workload_free(workload);
}
END_TEST

/* The same step, with at least as much on chip. */
START_TEST(test_preferring_to_hold_changes_no_step) {
  static const char *const moves[] = {"none", "exact", "always"};
  dsm_workload *const workload = bundled_workload(bundled_names[_i % 2], "512");
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  double cycles[2];
  size_t held[2];
  for (int i = 0; i < 2; i++) {
    const dsm_override values[] = {{"model.layout_move", moves[_i / 2], NULL},
                                   {"model.prefer_holding", i == 0 ? "false" : "true", NULL}};
    dsm_system *const system = bundled_system_with("torus64_refined", values, 2);
    dsm_plan *plan = NULL;
    ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
    cycles[i] = plan->result.step_cycles;
    held[i] = count_held(plan);
    dsm_plan_free(plan);
    dsm_system_free(system);
  }
  ck_assert_double_eq_tol(cycles[1], cycles[0], 1e-11 * cycles[0]);
  ck_assert_uint_ge(held[1], held[0]);
  dsm_workload_free(workload);
}
END_TEST

/* ---- explained ---- */

/* What is chosen costs what the plan costs, and nothing else less. */
START_TEST(test_explanations_are_laid_out) {
  const dsm_override move = {"model.layout_move", "exact", NULL};
  dsm_workload *const workload = bundled_workload("vgg16", "256");
  dsm_system *const system = bundled_system_with("torus64_refined", &move, 1);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_plan *plan = NULL;
  dsm_explanation *explanation = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_int_eq(dsm_explain(&explanation, plan, (size_t)_i, 2, NULL), DSM_OK);
  const double step = plan->result.step_cycles;
  unsigned chosen = 0;
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    const dsm_what_if *const one = &explanation->what_ifs[i];
    ck_assert(!one->is_chosen || fabs(one->network_cycles - step) <= 1e-10 * step);
    ck_assert(one->why_not != NULL || one->network_cycles >= step * (1 - 1e-10));
    chosen += one->is_chosen ? 1 : 0;
  }
  ck_assert_uint_ge(chosen, 2);
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const one = &explanation->alternatives[i];
    const double network = one->network_cycles;
    ck_assert(network <= 0 || network >= step * (1 - 1e-10));
    ck_assert(!one->is_chosen || !one->is_best_of_parallelism ||
              fabs(network - step) <= 1e-10 * step);
  }
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* ---- preloaded weights ---- */

/* A mapping that is valid, no slower than without weights on chip, and not below its bound. */
START_TEST(test_preloaded_networks_are_laid_out) {
  static const char *const moves[] = {"none", "exact", "always"};
  dsm_workload *const workload = bundled_workload(bundled_names[_i], "1");
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  double cycles[3];
  for (int i = 0; i < 3; i++) {
    const dsm_override move = {"model.layout_move", moves[i], NULL};
    dsm_system *const system = bundled_system_with("torus64_refined", &move, 1);
    dsm_plan *plan = NULL;
    options.optimizations = dsm_mode_optimizations(DSM_MODE_INFERENCE);
    ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
    ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
    cycles[i] = plan->result.step_cycles;
    ck_assert_double_le(plan->result.lower_bound_cycles, cycles[i]);
    ck_assert_double_ge(plan->result.lower_bound_cycles, cycles[0] * 0.99);
    dsm_plan_free(plan);
    dsm_system_free(system);
  }
  ck_assert_double_le(cycles[0], cycles[1] * (1 + 1e-11));
  ck_assert_double_lt(cycles[1], cycles[0] * 1.01);
  ck_assert_double_lt(cycles[1], cycles[2]);
  dsm_workload_free(workload);
}
END_TEST

Suite *suite_layouts(void) {
  Suite *const suite = suite_create("layouts");
  TCase *const brute_force = tcase_create("brute force");
  tcase_set_timeout(brute_force, 240);
  tcase_add_test(brute_force, test_layouts_are_the_best_of_all);
  tcase_add_test(brute_force, test_layouts_and_factors_are_the_best_of_all);
  suite_add_tcase(suite, brute_force);
  TCase *const bounds = tcase_create("bounds");
  tcase_set_timeout(bounds, 240);
  tcase_add_loop_test(bounds, test_bounds_change_nothing, 0, 3);
  tcase_add_test(bounds, test_too_few_states_leave_an_honest_bound);
  suite_add_tcase(suite, bounds);
  TCase *const whole = tcase_create("bundled");
  tcase_set_timeout(whole, 240);
  tcase_add_loop_test(whole, test_layouts_of_bundled_networks_are_between_none_and_always, 0, 2);
  tcase_add_loop_test(whole, test_one_core_has_one_layout, 0, 2);
  tcase_add_loop_test(whole, test_preferring_to_hold_changes_no_step, 0, 6);
  tcase_add_loop_test(whole, test_explanations_are_laid_out, 0, 4);
  tcase_add_loop_test(whole, test_preloaded_networks_are_laid_out, 0, 2);
  suite_add_tcase(suite, whole);
  return suite;
}
