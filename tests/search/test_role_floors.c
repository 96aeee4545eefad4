/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_role_floors.c: what layers take and keep at least with roles, each by itself. */
#include <math.h>

#include "how_many.h"
#include "role_draw.h"
#include "role_twin.h"
#include "search/overlapped.h"
#include "search/roles/role_options.h"
#include "search/roles/role_search.h"
#include "search/roles/step_search.h"
#include "suites.h"

enum { FLOOR_SEEDS = HOW_MANY(200, 60, 20) };

/* What all layers take at least for all micro-batches and once a step, up to a limit. */
static double floor_up_to(dsm__problem *problem, double limit_cycles) {
  const dsm__role_enough enough = {{.micro = (double)problem->inputs.micro_batches, .once = 1},
                                   limit_cycles};
  dsm__role_front fronts[ROLE_TWIN_LAYERS];
  double cycles = 0;
  ck_assert(dsm__role_fronts_find(problem, problem->is_rough, &enough, fronts));
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    cycles += dsm__role_floor(&fronts[i], &enough.prices);
  }
  return cycles;
}

/* A search of a drawn network, in training for one micro-batch or two. */
static role_drawn begin_floors(uint64_t seed, dsm_explore_options *options, dsm__problem *problem) {
  const role_drawn d = role_draw(seed);
  const dsm_optimization_set shard =
      d.mode == DSM_MODE_TRAINING ? DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD) : 0;
  dsm_explore_options_init(options);
  options->mode = d.mode;
  options->optimizations = ALL_ROLES | shard;
  ck_assert_int_eq(dsm__problem_init(problem, d.workload, d.system, options, NULL), DSM_OK);
  dsm__problem_count(problem, NULL);
  problem->inputs.is_staged = true;
  problem->inputs.micro_batches = d.mode == DSM_MODE_TRAINING && seed % 3 == 0 ? 2 : 1;
  return d;
}

/* The least of all options that a search has, one by one. */
static double least_of_options(dsm__problem *problem) {
  double sum = 0;
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    const dsm__role_options options = dsm__role_options_find(problem, i, false);
    double least = HUGE_VAL;
    ck_assert_ptr_nonnull(options.items);
    for (size_t o = 0; o < options.count; o++) {
      least = fmin(least, options.items[o].cost);
    }
    sum += least;
  }
  return sum;
}

/* Options that share as much as can be are enough. */
START_TEST(test_floors_are_the_least_of_all_options) {
  for (uint64_t seed = 0; seed < FLOOR_SEEDS; seed++) {
    dsm_explore_options options;
    dsm__problem problem;
    role_drawn d = begin_floors(seed, &options, &problem);
    const double expected = least_of_options(&problem);
    const double found = floor_up_to(&problem, HUGE_VAL);
    ck_assert_msg(fabs(found - expected) <= 1e-9 * expected, "seed %u: %.17g, %.17g",
                  (unsigned)seed, found, expected);
    dsm__problem_fini(&problem);
    role_drawn_free(&d);
  }
}
END_TEST

/* Once they are above the limit no more layers are scored. */
START_TEST(test_floors_end_at_the_limit) {
  uint64_t evaluations[2] = {0, 0};
  for (uint64_t seed = 0; seed < FLOOR_SEEDS; seed++) {
    dsm_explore_options options;
    dsm__problem problem;
    role_drawn d = begin_floors(seed, &options, &problem);
    const double all = floor_up_to(&problem, HUGE_VAL);
    evaluations[0] += problem.found->evaluations;
    problem.found->evaluations = 0;
    const double some = floor_up_to(&problem, all / 2);
    evaluations[1] += problem.found->evaluations;
    ck_assert_double_ge(some, all / 2);
    ck_assert_double_le(some, all);
    dsm__problem_fini(&problem);
    role_drawn_free(&d);
  }
  ck_assert_uint_lt(evaluations[1], evaluations[0]);
}
END_TEST

/* What a layer keeps with its roles says no core split. */
START_TEST(test_least_memory_is_found_without_scoring) {
  for (uint64_t seed = 0; seed < FLOOR_SEEDS; seed++) {
    dsm_explore_options options;
    dsm__problem problem;
    role_drawn d = begin_floors(seed, &options, &problem);
    dsm_layer_memory memory[ROLE_TWIN_LAYERS];
    ck_assert(dsm__role_least_memory(&problem, memory));
    ck_assert_uint_eq(problem.found->evaluations, 0);
    for (size_t i = 0; i < d.workload->layer_count; i++) {
      const dsm_pass_layouts data = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
      const dsm_layer_memory plain = dsm_layer_memory_derive(
          &d.workload->layers[i], &problem.machine, d.workload, d.mode, &data);
      ck_assert_double_le(dsm__kept_bytes(&memory[i]), dsm__kept_bytes(&plain) * (1 + 1e-9));
    }
    dsm__problem_fini(&problem);
    role_drawn_free(&d);
  }
}
END_TEST

Suite *suite_role_floors(void) {
  Suite *const suite = suite_create("role_floors");
  TCase *const floors = tcase_create("floors");
  tcase_set_timeout(floors, 240);
  tcase_add_test(floors, test_floors_are_the_least_of_all_options);
  tcase_add_test(floors, test_floors_end_at_the_limit);
  tcase_add_test(floors, test_least_memory_is_found_without_scoring);
  suite_add_tcase(suite, floors);
  return suite;
}
