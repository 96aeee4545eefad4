/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equations 1 to 5 by hand, for the bundled descriptions (docs/pim.md). */
#include "subjects.h"
#include "suites.h"

/* ---- Equation 1 ---- */

typedef struct counted {
  dsm_rl_algorithm algorithm;
  dsm_rl_element element_type;
  dsm_rl_constants constants;
  dsm_rl_sampling sampling;
  uint64_t actions;
  double instructions;
} counted;

static const counted counts[] = {
    /* 17 + 4*4 + 2*(33 + 30) + 3 */
    {DSM_RL_Q_LEARNING, DSM_RL_INT32, DSM_RL_DOUBLE, DSM_RL_SEQUENTIAL, 4, 162},
    {DSM_RL_Q_LEARNING, DSM_RL_INT32, DSM_RL_DOUBLE, DSM_RL_SEQUENTIAL, 6, 170},
    /* and 33 + 2 + 30 + 3; and 1 */
    {DSM_RL_Q_LEARNING, DSM_RL_INT32, DSM_RL_DOUBLE, DSM_RL_RANDOM, 4, 230},
    {DSM_RL_Q_LEARNING, DSM_RL_INT32, DSM_RL_DOUBLE, DSM_RL_STRIDED, 4, 163},
    /* 17 + (28 + 4)*4 + 2*659 + 2*104 + 112 + 4*34 */
    {DSM_RL_Q_LEARNING, DSM_RL_FLOAT32, DSM_RL_DOUBLE, DSM_RL_SEQUENTIAL, 4, 1919},
    /* 17 + 32*4 + 2*182 + 2*70 + 75 */
    {DSM_RL_Q_LEARNING, DSM_RL_FLOAT32, DSM_RL_FLOAT, DSM_RL_SEQUENTIAL, 4, 724},
    /* 162 + 35 + 30 + 2 + 0.1*(35 + 30) */
    {DSM_RL_SARSA, DSM_RL_INT32, DSM_RL_DOUBLE, DSM_RL_SEQUENTIAL, 4, 235.5},
    {DSM_RL_SARSA, DSM_RL_FLOAT32, DSM_RL_DOUBLE, DSM_RL_SEQUENTIAL, 4, 1992.5},
};

START_TEST(test_instructions) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  const counted *const of = &counts[_i];
  dsm_rl_workload changed = *workload;
  changed.algorithm = of->algorithm;
  changed.element_type = of->element_type;
  changed.constants = of->constants;
  changed.sampling = of->sampling;
  changed.actions = of->actions;
  dsm_pim_update update;
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq_tol(update.instructions, of->instructions, 1e-9);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* ---- Equation 2 ---- */

/* A record of 16 bytes: 0.5*16 + 77*16/2048 in turn, 77 + 0.5*16 alone. The table of 48,000 states
 * and 4 actions is 768,000 bytes: 78 + 0.5*16 for a row, twice 78 + 0.5*4 for an element. */
START_TEST(test_accesses) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_rl_workload changed = *workload;
  dsm_pim_update update;
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq(update.dma_cycles, 8.6015625);
  ck_assert_double_eq(update.cycles, 11 * 162 + 8.6015625);
  ck_assert_double_eq(update.bytes, 16);
  changed.sampling = DSM_RL_RANDOM;
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq(update.dma_cycles, 85);
  changed.states = 48000;
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq(update.dma_cycles, 85 + 86 + 2 * 80);
  ck_assert_double_eq(update.bytes, 16 + 16 + 8);
  changed.states = 16384 / 4; /* a table as large as the scratchpad is in it */
  dsm_pim_update_cost(&update, &changed, system, 1);
  ck_assert_double_eq(update.dma_cycles, 85);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* ---- Equations 3 to 5 ---- */

/* 2,000 cores, 1 tasklet, serial, 162 instructions: 500 transitions each. */
START_TEST(test_parts) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_pim_cost cost;
  dsm_pim_predict(&cost, workload, system, (dsm_pim_choice){2000, 1, DSM_PIM_SERIAL});
  const double kernel = 500. * 2000 * 1790.6015625 / 425e6 + 40 * 0.0005;
  const double to_cores = 2000 * 4 * 240e-6 + 16e6 / 0.33e9;
  const double tables = 2000 * 256 / 0.12e9;
  const double between = 40 * (tables + 2000 * 256 / 16.88e9);
  ck_assert_double_eq_tol(cost.kernel_seconds, kernel, 1e-12);
  ck_assert_double_eq_tol(cost.host_to_cores_seconds, to_cores, 1e-12);
  ck_assert_double_eq_tol(cost.cores_to_host_seconds, tables, 1e-12);
  ck_assert_double_eq_tol(cost.between_cores_seconds, between, 1e-12);
  ck_assert_double_eq_tol(cost.seconds, kernel + to_cores + tables + between, 1e-12);
  ck_assert_double_eq_tol(cost.joules, 280 * cost.seconds, 1e-9);
  ck_assert_double_eq(cost.core_bytes, 500 * 16 + 256);
  ck_assert_double_eq_tol(cost.updates_per_second, 2e9 / cost.seconds, 1e-3);
  ck_assert_double_eq_tol(cost.utilization, 2e9 * 162 / cost.seconds / (2524 * 425e6), 1e-12);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* 1,000 agents on 400 cores work in 3 waves; each is launched once, and nothing is averaged. */
START_TEST(test_waves) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake_1000_agents");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_pim_cost cost;
  dsm_pim_predict(&cost, workload, system, (dsm_pim_choice){400, 1, DSM_PIM_PARALLEL});
  ck_assert_double_eq_tol(cost.kernel_seconds, 3 * (2e7 * 1790.6015625 / 425e6 + 0.0005), 1e-9);
  ck_assert_double_eq_tol(cost.host_to_cores_seconds, 1000 * 4 * 240e-6 + 1000 * 160000 / 6.68e9,
                          1e-12);
  ck_assert_double_eq_tol(cost.cores_to_host_seconds, 1000 * 256 / 4.74e9, 1e-15);
  ck_assert_double_eq(cost.between_cores_seconds, 0);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* 162 instructions for 16 bytes are 10.1 a byte: far above the ridge of 0.5. With cheap operations
 * and large records memory is the roof. */
START_TEST(test_roofline) {
  dsm_rl_workload *const workload = bundled_workload("frozen_lake");
  dsm_pim_system *const system = bundled_system("upmem2524");
  dsm_pim_cost cost;
  dsm_pim_predict(&cost, workload, system, (dsm_pim_choice){1000, 12, DSM_PIM_SERIAL});
  ck_assert_double_eq(cost.roofline.peak_operations_per_second, 425e9);
  ck_assert_double_eq(cost.roofline.bandwidth_bytes_per_second, 850e9);
  ck_assert_double_eq(cost.roofline.intensity, 162. / 16);
  ck_assert_double_eq(cost.roofline.roof_operations_per_second, 425e9);
  ck_assert_int_eq(cost.roofline.bound, DSM_PIM_COMPUTE);
  dsm_rl_workload large = *workload;
  large.record_bytes = 1000;
  dsm_pim_predict(&cost, &large, system, (dsm_pim_choice){1000, 24, DSM_PIM_SERIAL});
  ck_assert_int_eq(cost.roofline.bound, DSM_PIM_MEMORY);
  ck_assert_double_eq_tol(cost.roofline.roof_operations_per_second, 0.162 * 850e9, 1);
  ck_assert_double_le(cost.roofline.operations_per_second,
                      cost.roofline.roof_operations_per_second);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

/* 64 MiB less a table of 12,000 bytes are 4,193,554 records. */
START_TEST(test_fewest_cores) {
  dsm_rl_workload *const workload = bundled_workload("taxi");
  dsm_pim_system *const system = bundled_system("upmem2524");
  ck_assert_uint_eq(dsm_pim_fewest_cores(workload, system), 2);
  dsm_rl_workload changed = *workload;
  changed.transitions = 4193554;
  ck_assert_uint_eq(dsm_pim_fewest_cores(&changed, system), 1);
  changed.transitions++;
  ck_assert_uint_eq(dsm_pim_fewest_cores(&changed, system), 2);
  changed.agents = 5;
  ck_assert_uint_eq(dsm_pim_fewest_cores(&changed, system), 0);
  dsm_rl_workload_free(workload);
  dsm_pim_system_free(system);
}
END_TEST

Suite *suite_kernel(void) {
  Suite *const suite = suite_create("kernel");
  TCase *const tests = tcase_create("kernel");
  tcase_add_loop_test(tests, test_instructions, 0, COUNT_OF(counts));
  tcase_add_test(tests, test_accesses);
  tcase_add_test(tests, test_parts);
  tcase_add_test(tests, test_waves);
  tcase_add_test(tests, test_roofline);
  tcase_add_test(tests, test_fewest_cores);
  suite_add_tcase(suite, tests);
  return suite;
}
