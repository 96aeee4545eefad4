/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice against all combinations of cores, tasklets and transfers, and what is always true. */
#include <math.h>

#include "subjects.h"
#include "suites.h"

enum { CASES = 300, SEED = 17 };

static double value_of(const dsm_pim_cost *cost, dsm_pim_objective objective) {
  return objective == DSM_PIM_LEAST_ENERGY ? cost->joules : cost->seconds;
}

/* The least value of all combinations; infinite: none is feasible. */
static double least(const dsm_rl_workload *workload, const dsm_pim_system *system,
                    dsm_pim_objective objective) {
  double best = HUGE_VAL;
  for (uint64_t cores = 1; cores <= system->cores; cores++) {
    for (uint64_t tasklets = 1; tasklets <= system->tasklets; tasklets++) {
      for (int t = 0; t < DSM_PIM_TRANSFERS_COUNT; t++) {
        dsm_pim_cost cost;
        dsm_pim_predict(&cost, workload, system,
                        (dsm_pim_choice){cores, tasklets, (dsm_pim_transfers)t});
        best = cost.is_feasible ? fmin(best, value_of(&cost, objective)) : best;
      }
    }
  }
  return best;
}

/* Cores beyond the work change nothing for the better, so that none are tried. */
START_TEST(test_all_combinations) {
  uint64_t random = SEED;
  int feasible = 0;
  for (int i = 0; i < CASES; i++) {
    const dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    dsm_pim_options options;
    dsm_pim_plan *plan = NULL;
    dsm_pim_options_init(&options);
    options.objective = (dsm_pim_objective)random_below(&random, DSM_PIM_OBJECTIVE_COUNT);
    const double best = least(&workload, &system, options.objective);
    const dsm_status status = dsm_pim(&plan, &workload, &system, &options, NULL);
    ck_assert_int_eq(status, isinf(best) ? DSM_ERROR_INFEASIBLE : DSM_OK);
    if (status == DSM_OK) {
      ck_assert_double_eq_tol(value_of(&plan->cost, options.objective), best, 1e-12 * best);
      feasible++;
    }
    dsm_pim_plan_free(plan);
  }
  ck_assert_int_ge(feasible, CASES / 2);
}
END_TEST

/* Parts add up; the roof is not passed; more of anything that only costs never helps. */
START_TEST(test_properties) {
  uint64_t random = SEED + 1;
  for (int i = 0; i < 10 * CASES; i++) {
    const dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    const dsm_pim_choice choice = {1 + random_below(&random, system.cores),
                                   1 + random_below(&random, system.tasklets),
                                   (dsm_pim_transfers)random_below(&random, 2)};
    dsm_pim_cost cost;
    dsm_pim_cost other;
    dsm_pim_predict(&cost, &workload, &system, choice);
    ck_assert_double_eq_tol(cost.seconds,
                            cost.kernel_seconds + cost.host_to_cores_seconds +
                                cost.cores_to_host_seconds + cost.between_cores_seconds,
                            1e-12 * cost.seconds);
    ck_assert_double_ge(cost.utilization, 0);
    ck_assert_double_le(cost.utilization, 1);
    ck_assert_double_le(cost.roofline.operations_per_second,
                        cost.roofline.roof_operations_per_second * (1 + 1e-9));
    dsm_rl_workload longer = workload;
    longer.episodes *= 2;
    dsm_pim_predict(&other, &longer, &system, choice);
    ck_assert_double_ge(other.kernel_seconds, cost.kernel_seconds);
    ck_assert_double_ge(other.between_cores_seconds, cost.between_cores_seconds);
    dsm_pim_system slower = system;
    slower.mram.access_cycles += 10;
    slower.instructions[DSM_PIM_INT32_MUL] += 10;
    dsm_pim_predict(&other, &workload, &slower, choice);
    ck_assert_double_ge(other.seconds, cost.seconds);
    dsm_pim_system busier = system;
    busier.host.call_us += 10;
    dsm_pim_predict(&other, &workload, &busier, choice);
    ck_assert_double_ge(other.seconds, cost.seconds);
    ck_assert_double_eq(other.kernel_seconds, cost.kernel_seconds);
  }
}
END_TEST

/* More tasklets never make an update longer, but that the first two do not overlap more than all.
 */
START_TEST(test_tasklets_help) {
  uint64_t random = SEED + 2;
  for (int i = 0; i < CASES; i++) {
    const dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    dsm_pim_update before;
    dsm_pim_update_cost(&before, &workload, &system, 1);
    for (uint64_t tasklets = 2; tasklets <= 24; tasklets++) {
      dsm_pim_update update;
      dsm_pim_update_cost(&update, &workload, &system, tasklets);
      ck_assert_double_le(update.cycles, before.cycles * (1 + 1e-12));
      ck_assert_double_ge(update.cycles, update.instructions);
      ck_assert_double_ge(update.cycles, update.dma_cycles);
      before = update;
    }
  }
}
END_TEST

/* Twice the clock, half the kernel; all bandwidths twice, half the transfers; seconds scale. */
START_TEST(test_scales) {
  uint64_t random = SEED + 3;
  for (int i = 0; i < CASES; i++) {
    const dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    const dsm_pim_choice choice = {system.cores, system.tasklets, DSM_PIM_PARALLEL};
    dsm_pim_system twice = system;
    dsm_pim_cost cost;
    dsm_pim_cost half;
    twice.frequency_MHz *= 2;
    twice.host.launch_ms /= 2;
    twice.host.call_us /= 2;
    twice.host.to_cores_parallel_GBps *= 2;
    twice.host.from_cores_parallel_GBps *= 2;
    twice.host.broadcast_GBps *= 2;
    dsm_pim_predict(&cost, &workload, &system, choice);
    dsm_pim_predict(&half, &workload, &twice, choice);
    ck_assert_double_eq_tol(half.seconds, cost.seconds / 2, 1e-12 * cost.seconds);
    ck_assert_double_eq_tol(half.joules, cost.joules / 2, 1e-12 * cost.joules);
  }
}
END_TEST

/* A data set fits from the fewest cores on, and on no fewer. */
START_TEST(test_memory) {
  uint64_t random = SEED + 4;
  for (int i = 0; i < 10 * CASES; i++) {
    const dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    const double capacity = system.mram.capacity_MiB * 1048576;
    const uint64_t fewest = dsm_pim_fewest_cores(&workload, &system);
    if (fewest == 0) {
      ck_assert_double_gt(dsm_pim_core_bytes(&workload, workload.transitions), capacity);
    } else {
      ck_assert_double_le(dsm_pim_core_bytes(&workload, fewest), capacity);
      ck_assert(fewest == 1 || dsm_pim_core_bytes(&workload, fewest - 1) > capacity);
    }
  }
}
END_TEST

/* What was asked for is tried, in any order and twice, and nothing else. */
START_TEST(test_lists) {
  static const uint64_t cores[] = {2000, 125, 500, 125};
  static const uint64_t tasklets[] = {8, 1};
  dsm_rl_workload *const workload = bundled_workload("taxi");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_pim_options options;
  dsm_pim_plan *plan = NULL;
  dsm_pim_options_init(&options);
  options.cores = cores;
  options.core_count = COUNT_OF(cores);
  options.tasklets = tasklets;
  options.tasklet_count = COUNT_OF(tasklets);
  options.transfers = DSM_PIM_SERIAL;
  ck_assert_int_eq(dsm_pim(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_uint_eq(plan->curve_count, 3);
  ck_assert_uint_eq(plan->curve[0].choice.cores, 125);
  ck_assert_uint_eq(plan->curve[2].choice.cores, 2000);
  ck_assert_uint_eq(plan->tasklet_curve_count, 2);
  ck_assert_uint_eq(plan->cost.choice.tasklets, 8);
  ck_assert_uint_eq(plan->knee_tasklets, 8);
  ck_assert_int_eq(plan->cost.choice.transfers, DSM_PIM_SERIAL);
  for (size_t i = 0; i < plan->curve_count; i++) {
    ck_assert_double_ge(plan->curve[i].seconds, plan->cost.seconds);
  }
  dsm_pim_plan_free(plan);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* Energy pays for idle cores where these draw less: fewer cores than are fastest. */
START_TEST(test_energy) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_pim_system changed = *system;
  dsm_pim_options options;
  dsm_pim_plan *fast = NULL;
  dsm_pim_plan *same = NULL;
  dsm_pim_plan *lean = NULL;
  dsm_pim_options_init(&options);
  ck_assert_int_eq(dsm_pim(&fast, workload, system, &options, NULL), DSM_OK);
  options.objective = DSM_PIM_LEAST_ENERGY;
  ck_assert_int_eq(dsm_pim(&same, workload, system, &options, NULL), DSM_OK);
  changed.idle_power_W = 30;
  ck_assert_int_eq(dsm_pim(&lean, workload, &changed, &options, NULL), DSM_OK);
  ck_assert_uint_eq(same->cost.choice.cores, fast->cost.choice.cores);
  ck_assert_uint_lt(lean->cost.choice.cores, fast->cost.choice.cores);
  ck_assert_double_lt(lean->cost.joules, fast->cost.joules);
  dsm_pim_plan_free(fast);
  dsm_pim_plan_free(same);
  dsm_pim_plan_free(lean);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* Cores without an agent, or a transition, are as good as none: only what is asked for differs. */
START_TEST(test_idle_cores) {
  uint64_t random = 20;
  for (int i = 0; i < 200; i++) {
    dsm_rl_workload workload = random_workload(&random);
    const dsm_pim_system system = random_system(&random);
    const uint64_t work = 1 + random_below(&random, system.cores);
    if (workload.agents > 0) {
      workload.agents = work;
    } else {
      workload.transitions = work;
    }
    dsm_pim_choice choice = {system.cores, 1, DSM_PIM_PARALLEL};
    dsm_pim_cost all;
    dsm_pim_cost working;
    dsm_pim_predict(&all, &workload, &system, choice);
    choice.cores = work;
    dsm_pim_predict(&working, &workload, &system, choice);
    ck_assert_uint_eq(dsm_pim_working_cores(&workload, system.cores), work);
    ck_assert_uint_eq(all.choice.cores, system.cores);
    all.choice.cores = work;
    ck_assert_mem_eq(&all, &working, sizeof all);
  }
}
END_TEST

/* More than there is, and what no memory holds. */
START_TEST(test_refused) {
  static const uint64_t too_many[] = {2525};
  static const uint64_t none[] = {0};
  dsm_rl_workload *const workload = bundled_workload("taxi");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_pim_options options;
  dsm_pim_plan *plan = NULL;
  dsm_pim_options_init(&options);
  options.cores = too_many;
  options.core_count = 1;
  ck_assert_int_eq(dsm_pim(&plan, workload, system, &options, diags), DSM_ERROR_USAGE);
  options.cores = none;
  ck_assert_int_eq(dsm_pim(&plan, workload, system, &options, diags), DSM_ERROR_USAGE);
  options.core_count = 0;
  options.tasklets = too_many;
  options.tasklet_count = 1;
  ck_assert_int_eq(dsm_pim(&plan, workload, system, &options, diags), DSM_ERROR_USAGE);
  ck_assert_ptr_null(plan);
  dsm_rl_workload large = *workload;
  large.transitions = 2000000000;
  large.record_bytes = 400;
  dsm_diags_clear(diags);
  ck_assert_int_eq(dsm_pim(&plan, &large, system, NULL, diags), DSM_ERROR_INFEASIBLE);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "taxi on upmem2524: each of 2524 cores would have 316969600 bytes, 249860736 "
                   "more than its memory holds: expected at least 11924 cores, more than there "
                   "are");
  dsm_diags_free(diags);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

Suite *suite_choice(void) {
  Suite *const suite = suite_create("choice");
  TCase *const tests = tcase_create("choice");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_all_combinations);
  tcase_add_test(tests, test_properties);
  tcase_add_test(tests, test_tasklets_help);
  tcase_add_test(tests, test_scales);
  tcase_add_test(tests, test_memory);
  tcase_add_test(tests, test_lists);
  tcase_add_test(tests, test_energy);
  tcase_add_test(tests, test_idle_cores);
  tcase_add_test(tests, test_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
