/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_bounding.c: leaving out held states that a bound shows to be useless changes nothing: same
 * optimum, same decisions. On random networks too large for the brute-force twin.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "how_many.h"
#include "random_network.h"
#include "search/graph/graph.h"
#include "search/problem.h"
#include "suites.h"

enum {
  SEEDS = HOW_MANY(80, 20, 4),
  REFINED_SEEDS = HOW_MANY(40, 10, 3),
  PRELOAD_SEEDS = HOW_MANY(20, 5, 2)
};

static const dsm_optimization_set hybrid_reuse =
    DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_REUSE);
static const dsm_optimization_set dysm = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
static const dsm_optimization_set per_pass = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
static const dsm_optimization_set pipeline = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE);

/* A search, with its problem to be freed. */
typedef struct searched {
  dsm__problem problem;
  dsm__solution solution;
  dsm__decisions decisions;
} searched;

static void search(searched *one, const random_case *given, const dsm_explore_options *options,
                   double capacity_bytes, bool is_bounding_off) {
  ck_assert_int_eq(dsm__problem_init(&one->problem, given->workload, given->system, options, NULL),
                   DSM_OK);
  one->problem.is_bounding_off = is_bounding_off;
  one->problem.capacity_bytes = capacity_bytes;
  ck_assert(dsm__problem_solve(&one->problem, &one->solution));
  ck_assert(dsm__problem_decide(&one->problem, &one->solution.network, &one->solution.path,
                                &one->decisions));
}

static bool is_same_layer(const dsm__layer_decision *a, const dsm__layer_decision *b) {
  return memcmp(&a->layouts, &b->layouts, sizeof a->layouts) == 0 &&
         a->layer.dysm_factor == b->layer.dysm_factor &&
         a->layer.is_output_held == b->layer.is_output_held &&
         memcmp(a->is_kernel_kept, b->is_kernel_kept, sizeof a->is_kernel_kept) == 0 &&
         memcmp(a->splits, b->splits, sizeof a->splits) == 0;
}

/* What was compared, so that the test is not about nothing. */
typedef struct tally {
  unsigned cases;
  unsigned held;    /* something is held */
  unsigned smaller; /* bounding left states out */
  unsigned limited; /* the memory decides */
} tally;

static void compare(const searched *on, const searched *off, uint64_t seed, tally *seen) {
  const dsm_workload *const workload = on->problem.inputs.workload;
  const dsm__graph_answer *const a = &on->solution.answer;
  const dsm__graph_answer *const b = &off->solution.answer;
  bool is_held = false;
  ck_assert_msg(a->is_feasible == b->is_feasible, "seed %u", (unsigned)seed);
  ck_assert_msg(a->cost >= b->cost && a->cost <= b->cost, "seed %u: %.17g, %.17g", (unsigned)seed,
                a->cost, b->cost);
  ck_assert_msg(fabs(a->lower_bound - a->cost) <= 1e-11 * a->cost || !a->is_feasible,
                "seed %u: bound %.17g of %.17g", (unsigned)seed, a->lower_bound, a->cost);
  ck_assert_uint_eq(on->decisions.pipeline_count, off->decisions.pipeline_count);
  for (size_t i = 0; i < workload->layer_count; i++) {
    ck_assert_msg(is_same_layer(&on->decisions.layers[i], &off->decisions.layers[i]), "seed %u: %s",
                  (unsigned)seed, workload->layers[i].name);
    is_held = is_held || on->decisions.layers[i].layer.is_output_held;
  }
  seen->cases++;
  seen->held += is_held ? 1 : 0;
  seen->smaller +=
      on->solution.network.graph.node_count < off->solution.network.graph.node_count ? 1 : 0;
}

/* Both ways; returns the memory that the fastest mapping needs. */
static double compare_both(const random_case *given, const dsm_explore_options *options,
                           double capacity_bytes, uint64_t seed, tally *seen) {
  searched on;
  searched off;
  search(&on, given, options, capacity_bytes, false);
  search(&off, given, options, capacity_bytes, true);
  compare(&on, &off, seed, seen);
  const dsm__graph_sums sums = dsm__graph_sum(&on.solution.network.graph, &on.solution.path);
  dsm__problem_fini(&on.problem);
  dsm__problem_fini(&off.problem);
  return dsm__graph_bytes(sums);
}

static dsm_explore_options options_of(int set, uint64_t seed) {
  const dsm_optimization_set sets[] = {hybrid_reuse, hybrid_reuse | dysm,
                                       hybrid_reuse | dysm | per_pass | pipeline,
                                       hybrid_reuse | dysm | pipeline};
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = sets[set];
  if (set == 3) {
    options.mode = DSM_MODE_INFERENCE;
  }
  if (seed % 7 == 0) {
    options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA) |
                           DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL_X_DATA_Y);
  }
  return options;
}

START_TEST(test_bounding_changes_nothing) {
  tally seen = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_case given = random_case_make(seed);
    const dsm_explore_options options = options_of(_i, seed);
    compare_both(&given, &options, HUGE_VAL, seed, &seen);
    random_case_free(&given);
  }
  ck_assert_uint_gt(seen.held, SEEDS / 3);
  ck_assert_uint_gt(seen.smaller, SEEDS / 2);
}
END_TEST

/* Holding costs moves among the cores, and does not always pay where there is room. */
START_TEST(test_bounding_changes_nothing_where_held_tensors_move) {
  tally seen = {0};
  for (uint64_t seed = 5000; seed < 5000 + REFINED_SEEDS; seed++) {
    random_case given = random_case_make(seed);
    const dsm_explore_options options = options_of(_i, seed);
    random_case_refine(&given, seed);
    compare_both(&given, &options, HUGE_VAL, seed, &seen);
    random_case_free(&given);
  }
  ck_assert_uint_gt(seen.held, REFINED_SEEDS / 4);
  ck_assert_uint_gt(seen.smaller, REFINED_SEEDS / 2);
}
END_TEST

/* With a little less memory than the fastest mapping needs, until none fits. */
START_TEST(test_bounding_changes_nothing_where_memory_binds) {
  tally seen = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_case given = random_case_make(seed);
    const dsm_explore_options options = options_of(_i, seed);
    double bytes = compare_both(&given, &options, HUGE_VAL, seed, &seen);
    for (int step = 0; step < 3; step++) {
      const double less = compare_both(&given, &options, bytes * 0.97, seed, &seen);
      seen.limited += less <= bytes * 0.97 ? 1 : 0;
      bytes = fmin(less, bytes * 0.97);
    }
    random_case_free(&given);
  }
  ck_assert_uint_gt(seen.limited, SEEDS / 4);
}
END_TEST

/* The same question, with levels screened and states left out, and without either. */
START_TEST(test_screening_changes_nothing_where_weights_are_preloaded) {
  unsigned preloaded = 0;
  for (uint64_t seed = 100 * (uint64_t)_i; seed < 100 * (uint64_t)_i + PRELOAD_SEEDS; seed++) {
    random_case given = random_case_make(seed);
    dsm_explore_options options = options_of(3, seed);
    options.optimizations =
        hybrid_reuse | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD) | (seed % 2 == 0 ? dysm : 0);
    searched on;
    searched off;
    search(&on, &given, &options, HUGE_VAL, false);
    search(&off, &given, &options, HUGE_VAL, true);
    const dsm__graph_answer *const a = &on.solution.answer;
    const dsm__graph_answer *const b = &off.solution.answer;
    ck_assert_msg(fabs(a->cost - b->cost) <= 1e-11 * b->cost, "seed %u: %.17g, %.17g",
                  (unsigned)seed, a->cost, b->cost);
    ck_assert_msg(fabs(a->lower_bound - a->cost) <= 1e-11 * a->cost,
                  "seed %u: bound %.17g of %.17g", (unsigned)seed, a->lower_bound, a->cost);
    preloaded += on.solution.preloading != NULL ? 1 : 0;
    dsm__problem_fini(&on.problem);
    dsm__problem_fini(&off.problem);
    random_case_free(&given);
  }
  ck_assert_uint_gt(preloaded, PRELOAD_SEEDS / 4);
}
END_TEST

Suite *suite_bounding(void) {
  Suite *const suite = suite_create("bounding");
  TCase *const tests = tcase_create("held states");
  tcase_set_timeout(tests, 240);
  tcase_add_loop_test(tests, test_bounding_changes_nothing, 0, 4);
  tcase_add_loop_test(tests, test_bounding_changes_nothing_where_held_tensors_move, 0, 4);
  tcase_add_loop_test(tests, test_bounding_changes_nothing_where_memory_binds, 0, 4);
  tcase_add_loop_test(tests, test_screening_changes_nothing_where_weights_are_preloaded, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
