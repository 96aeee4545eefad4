/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans that a framework can run: each use of the axes, level of shards and recomputation is
 * explored by itself, and the fastest of those that the framework's settings can say is compared
 * with what one search finds. Uses and levels are written here anew.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bundled.h"
#include "dsm/export.h"
#include "edited.h"
#include "how_many.h"
#include "suites.h"

#define ROLE(role) (1U << (unsigned)DSM_ROLE_##role)
#define BIT DSM_OPTIMIZATION_BIT

static const dsm_role_set uses[] = {ROLE(DATA), ROLE(COLUMN) | ROLE(ROW) | ROLE(HEADS),
                                    ROLE(GATHER_COLUMN) | ROLE(ROW_SCATTER) | ROLE(HEADS),
                                    ROLE(SPATIAL) | ROLE(CONTEXT),
                                    ROLE(SPATIAL) | ROLE(GATHER_CONTEXT)};
enum { USES = sizeof uses / sizeof *uses };

static const dsm_export_target targets[DSM_AS_RUN_BY_COUNT] = {
    [DSM_AS_RUN_BY_MEGATRON] = DSM_EXPORT_MEGATRON,
    [DSM_AS_RUN_BY_TORCHTITAN] = DSM_EXPORT_TORCHTITAN,
    [DSM_AS_RUN_BY_DEEPSPEED] = DSM_EXPORT_DEEPSPEED,
    [DSM_AS_RUN_BY_MAXTEXT] = DSM_EXPORT_MAXTEXT};

static bool can_start(const dsm_plan *plan, dsm_as_run_by by) {
  dsm_export *made = NULL;
  const dsm_status status = dsm_export_plan(&made, plan, targets[by], NULL);
  dsm_export_free(made);
  return status == DSM_OK;
}

static dsm_workload *network_of(const char *minibatch) {
  const dsm_override overrides[] = {
      {"minibatch", minibatch, NULL},         {"parameters.blocks", "2", NULL},
      {"parameters.hidden", "64", NULL},      {"parameters.heads", "4", NULL},
      {"parameters.vocabulary", "256", NULL}, {"parameters.sequence", "16", NULL},
      {"element_type", "bf16", NULL},         {"optimizer", "adam_mixed", NULL}};
  dsm_workload *network = NULL;
  ck_assert_int_eq(dsm_workload_load(&network, DSM_SOURCE_DIR "/workloads/gpt.json", overrides,
                                     sizeof overrides / sizeof *overrides, NULL),
                   DSM_OK);
  return network;
}

static dsm_system *chips_of(const char *capacity_GB) {
  const dsm_override overrides[] = {
      {"system.axes.gpu.chips", "2", NULL},     {"system.axes.node.chips", "2", NULL},
      {"model.sharded_update", "false", NULL},  {"model.overlapped_reduction", "false", NULL},
      {"chip.memory.reserve_ratio", "0", NULL}, {"chip.memory.capacity_GB", capacity_GB, NULL}};
  return bundled_system_with("dgx_h100", overrides, sizeof overrides / sizeof *overrides);
}

static dsm_explore_options options_of(dsm_optimization_set more) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_TENSOR) |
                          BIT(DSM_OPTIMIZATION_SPATIAL) | BIT(DSM_OPTIMIZATION_CONTEXT) |
                          BIT(DSM_OPTIMIZATION_SHARD) | BIT(DSM_OPTIMIZATION_RECOMPUTE) | more;
  return options;
}

/* The fastest of all cases. */
static double fastest(const dsm_workload *network, const dsm_system *chips, dsm_as_run_by by,
                      dsm_optimization_set more) {
  enum { LEVELS = DSM_SHARD_LEVEL_WEIGHTS, AGAIN = DSM_RECOMPUTATION_FULL };
  double best = HUGE_VAL;
  for (int n = 0; n < USES * USES * LEVELS * AGAIN; n++) {
    dsm_explore_options options = options_of(more);
    dsm_plan *plan = NULL;
    options.roles[0] = uses[n % USES];
    options.roles[1] = uses[n / USES % USES];
    options.shard_level = (dsm_shard_level)(n / USES / USES % LEVELS + DSM_SHARD_LEVEL_NONE);
    options.recomputation = (dsm_recomputation)(n / USES / USES / LEVELS + DSM_RECOMPUTATION_NONE);
    options.stages_at =
        (more & BIT(DSM_OPTIMIZATION_STAGES)) != 0 ? DSM_STAGES_AT_BLOCKS : DSM_STAGES_AT_BEST;
    options.interleave = by == DSM_AS_RUN_BY_DEEPSPEED ? 1 : 0;
    if (dsm_explore(&plan, network, chips, &options, NULL) != DSM_OK) {
      continue;
    }
    best = can_start(plan, by) ? fmin(best, plan->result.step_cycles) : best;
    dsm_plan_free(plan);
  }
  return best;
}

static const char *const capacities[] = {"0.0012", "0.001", "0.0015", "1"};
enum { CAPACITIES = HOW_MANY(4, 2, 1), FRAMEWORKS = DSM_AS_RUN_BY_COUNT - 1 };

static void expect_fastest(dsm_as_run_by by, const char *capacity_GB, dsm_optimization_set more) {
  dsm_workload *const network = network_of("32");
  dsm_system *const chips = chips_of(capacity_GB);
  const double best = fastest(network, chips, by, more);
  dsm_explore_options options = options_of(more);
  options.as_run_by = by;
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, network, chips, &options, NULL);
  ck_assert_int_eq(status, isinf(best) ? DSM_ERROR_INFEASIBLE : DSM_OK);
  if (status == DSM_OK) {
    ck_assert(can_start(plan, by));
    ck_assert_double_eq_tol(plan->result.step_cycles, best, 1e-9 * best);
    ck_assert_double_le(plan->result.lower_bound_cycles, best * (1 + 1e-9));
    ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
    ck_assert_int_eq(plan->options.as_run_by, by);
    ck_assert_int_eq(plan->options.shard_level, DSM_SHARD_LEVEL_BEST);
  }
  dsm_plan_free(plan);
  dsm_system_free(chips);
  dsm_workload_free(network);
}

START_TEST(test_the_fastest_that_a_framework_runs) {
  expect_fastest((dsm_as_run_by)(_i % FRAMEWORKS + 1), capacities[_i / FRAMEWORKS], 0);
}
END_TEST

START_TEST(test_likewise_with_stages) {
  expect_fastest((dsm_as_run_by)(_i + 1), "0.0012",
                 BIT(DSM_OPTIMIZATION_STAGES) | BIT(DSM_OPTIMIZATION_ACCUMULATE));
}
END_TEST

/* What is alike in all layers of such a plan stays so. */
START_TEST(test_what_differs_is_told) {
  static const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"shard\": \"weights\"", "\"shard\": \"gradients\"",
       "expected the shard of the layers before it, \"gradients\", found \"weights\""},
      {"\"as_run_by\": \"megatron\"", "\"as_run_by\": \"nemo\"",
       "expected \"any\", \"megatron\", \"torchtitan\", \"deepspeed\" or \"maxtext\", found "
       "\"nemo\""},
  };
  dsm_workload *const network = network_of("32");
  dsm_system *const chips = chips_of("1");
  dsm_explore_options options = options_of(0);
  options.as_run_by = DSM_AS_RUN_BY_MEGATRON;
  options.shard_level = _i == 0 ? DSM_SHARD_LEVEL_WEIGHTS : DSM_SHARD_LEVEL_BEST;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_OK);
  if (_i == 0) {
    plan->options.shard_level = DSM_SHARD_LEVEL_BEST;
  }
  expect_edited_refused(plan, cases[_i].from, cases[_i].to, cases[_i].message);
  dsm_plan_free(plan);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

/* The bound of a loaded plan is that of its search. */
START_TEST(test_bound_is_found_again) {
  dsm_workload *const network = network_of("32");
  dsm_system *const chips = chips_of("0.0012");
  dsm_explore_options options = options_of(0);
  options.as_run_by = DSM_AS_RUN_BY_MAXTEXT;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_OK);
  const double bound = plan->result.lower_bound_cycles;
  ck_assert_int_eq(dsm_plan_bound(plan, NULL), DSM_OK);
  ck_assert_double_eq_tol(plan->result.lower_bound_cycles, bound, 1e-9 * bound);
  dsm_plan_free(plan);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

/* What no plan of a framework has is wrong to ask for. */
START_TEST(test_wrong_questions_are_told) {
  dsm_workload *const network = network_of("32");
  dsm_system *const chips = chips_of("1");
  dsm_explore_options options =
      options_of(BIT(DSM_OPTIMIZATION_STAGES) | BIT(DSM_OPTIMIZATION_ACCUMULATE));
  dsm_plan *plan = NULL;
  options.as_run_by = DSM_AS_RUN_BY_DEEPSPEED;
  options.interleave = 2;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_ERROR_USAGE);
  options.interleave = 0;
  options.as_run_by = DSM_AS_RUN_BY_MAXTEXT;
  options.shard_level = DSM_SHARD_LEVEL_GRADIENTS;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_ERROR_USAGE);
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.optimizations = 0;
  options.as_run_by = DSM_AS_RUN_BY_MEGATRON;
  ck_assert_int_eq(dsm_explore(&plan, network, chips, &options, NULL), DSM_ERROR_USAGE);
  dsm_system_free(chips);
  dsm_workload_free(network);
}
END_TEST

Suite *suite_as_run(void) {
  Suite *const suite = suite_create("as_run");
  TCase *const tests = tcase_create("tests");
  tcase_set_timeout(tests, 600);
  tcase_add_loop_test(tests, test_the_fastest_that_a_framework_runs, 0, FRAMEWORKS * CAPACITIES);
  tcase_add_loop_test(tests, test_likewise_with_stages, 0, HOW_MANY(4, 2, 1));
  tcase_add_loop_test(tests, test_what_differs_is_told, 0, 2);
  tcase_add_test(tests, test_bound_is_found_again);
  tcase_add_test(tests, test_wrong_questions_are_told);
  suite_add_tcase(suite, tests);
  return suite;
}
