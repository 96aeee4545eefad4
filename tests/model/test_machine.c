/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>

#include "fixture.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = friendly_grid(&(grid){3, {4, 2, 1}});
  machine = dsm_machine_derive(&chips);
}

static void set_up_groups(void) {
  set_up();
  machine.link_bytes_per_cycle[DSM_LINK_CORES] = 64; /* else infinite, beside a ring */
  machine.link_bytes_per_cycle[DSM_LINK_SHARED] = 128;
}

/* --- units */

/* At 2 GHz: 16, 8, 4, 64 * 0.5 and 64 GB/s. */
START_TEST(test_rates_are_bytes_a_cycle) {
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_AXIS], 8);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_AXIS + 1], 4);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_AXIS + 2], 2);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_MEMORY], 16);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_RING], 32);
  ck_assert_double_eq(machine.scratchpad_bytes_per_cycle, 4);
}
END_TEST

START_TEST(test_faster_clock_leaves_fewer_bytes_a_cycle) {
  chips.core.frequency_GHz = 4;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_AXIS], 4);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_AXIS + 1], 2);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_MEMORY], 8);
  ck_assert_double_eq(machine.link_bytes_per_cycle[DSM_LINK_RING], 16);
  ck_assert_double_eq(machine.scratchpad_bytes_per_cycle, 2);
}
END_TEST

START_TEST(test_scratchpad_is_in_units_of_2_to_the_20) {
  ck_assert_double_eq(machine.scratchpad_bytes, 16384);
  chips.core.scratchpad_MiB = 1;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(machine.scratchpad_bytes, 1048576);
}
END_TEST

/* Pr = 4 rows, Pc = 4 columns * 2 MACs; 8 chips * 4 cores * 4 * 8 */
START_TEST(test_peak_counts_all_multipliers) {
  ck_assert_ptr_eq(machine.system, &chips);
  ck_assert_uint_eq(machine.chip_count, 8);
  ck_assert_uint_eq(machine.reduction_chunk, 4);
  ck_assert_uint_eq(machine.production_chunk, 8);
  ck_assert_double_eq(machine.peak_macs_per_cycle, 1024);
}
END_TEST

START_TEST(test_precision_is_the_workloads) {
  const dsm_workload workload = {.element_bytes = 2, .gradient_bytes = 4, .partial_sum_bytes = 6};
  dsm_system system = {.model = {.partial_sum_bytes = 0}};
  const dsm_precision precision = dsm_precision_of(&workload, &system);
  ck_assert_double_eq(precision.element_bytes, 2);
  ck_assert_double_eq(precision.gradient_bytes, 4);
  ck_assert_double_eq(precision.partial_sum_bytes, 6);
  system.model.partial_sum_bytes = 8;
  ck_assert_double_eq(dsm_precision_of(&workload, &system).partial_sum_bytes, 8);
  ck_assert_double_eq(dsm_precision_of(&workload, &system).element_bytes, 2);
}
END_TEST

/* An axis that a system does not have takes no time. */
START_TEST(test_missing_axes_take_no_time) {
  const unsigned axis_count = (unsigned)_i;
  chips.system.axis_count = axis_count;
  machine = dsm_machine_derive(&chips);
  ck_assert_uint_eq(machine.parallelism_count, 1U << axis_count);
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    ck_assert_int_eq(isinf(machine.link_bytes_per_cycle[DSM_LINK_AXIS + a]), a >= axis_count);
  }
}
END_TEST

/* --- groups: X 8, Y 4, Z 2, memory 16, ring 32, and cores in its place 64,
 * a shared memory 128 bytes a cycle */

START_TEST(test_volume_occupies_a_link_by_its_rate) {
  static const double cycles[DSM_LINK_COUNT] = {
      [DSM_LINK_AXIS] = 80,      [DSM_LINK_AXIS + 1] = 160,
      [DSM_LINK_AXIS + 2] = 320, [DSM_LINK_MEMORY] = 40,
      [DSM_LINK_RING] = 20,      [DSM_LINK_CORES] = 10,
      [DSM_LINK_SHARED] = 5,     [DSM_LINK_AUXILIARY_MEMORY] = 40};
  ck_assert_double_eq(dsm_link_cycles(&machine, (dsm_link)_i, 640), cycles[_i]);
}
END_TEST

/* Each other link takes 10 cycles; this one 11. */
START_TEST(test_group_takes_as_long_as_its_slowest_link) {
  dsm_traffic traffic = {.bytes = {80, 40, 20, 160, 320, 640, 1280}};
  traffic.bytes[_i] *= 1.1;
  ASSERT_CLOSE(dsm_group_cycles(&machine, &traffic), 11);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &traffic), _i);
}
END_TEST

START_TEST(test_first_of_equally_slow_links_is_named) {
  const dsm_traffic all = {.bytes = {80, 40, 20, 160, 320, 640, 1280}};
  const dsm_traffic last_four = {.bytes = {79, 40, 20, 160, 320, 640, 1280}};
  const dsm_traffic last_three = {.bytes = {79, 39, 20, 160, 320, 640, 1280}};
  const dsm_traffic last_two = {.bytes = {79, 39, 19, 160, 320, 640, 1280}};
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &all), DSM_LINK_AXIS);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &last_four), DSM_LINK_AXIS + 1);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &last_three), DSM_LINK_AXIS + 2);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &last_two), DSM_LINK_MEMORY);
}
END_TEST

START_TEST(test_group_without_bytes_takes_no_time) {
  const dsm_traffic nothing = {.bytes = {0}};
  ck_assert_double_eq(dsm_group_cycles(&machine, &nothing), 0);
  ck_assert_int_eq((int)dsm_group_slowest_link(&machine, &nothing), DSM_LINK_AXIS);
}
END_TEST

/* Only the other links count: 10 cycles. */
START_TEST(test_infinitely_fast_link_takes_no_time) {
  dsm_traffic traffic = {.bytes = {80, 40, 20, 160, 320, 640, 1280}};
  traffic.bytes[_i] = 1e18;
  machine.link_bytes_per_cycle[_i] = HUGE_VAL;
  ck_assert_double_eq(dsm_link_cycles(&machine, (dsm_link)_i, 1e18), 0);
  ck_assert_double_eq(dsm_group_cycles(&machine, &traffic), 10);
}
END_TEST

START_TEST(test_infinite_bandwidths_give_infinite_rates) {
  chips.system.axes[0].bandwidth_GBps = HUGE_VAL;
  chips.system.axes[1].bandwidth_GBps = HUGE_VAL;
  chips.system.axes[2].bandwidth_GBps = HUGE_VAL;
  chips.chip.memory.bandwidth_GBps = HUGE_VAL;
  chips.chip.core_link_bandwidth_GBps = HUGE_VAL;
  machine = dsm_machine_derive(&chips);
  const dsm_traffic traffic = {.bytes = {1e18, 1e18, 1e18, 1e18, 1e18}};
  ck_assert_double_eq(dsm_group_cycles(&machine, &traffic), 0);
}
END_TEST

/* --- invocations and the ideal */

START_TEST(test_pass_is_invoked_once_a_timestep) {
  const dsm_layer conv = conv_layer(12, 20, 36, 9, 1);
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  ck_assert_uint_eq(dsm_invocation_count(&conv, (dsm_pass)_i), 1);
  ck_assert_uint_eq(dsm_invocation_count(&lstm, (dsm_pass)_i), 7);
}
END_TEST

START_TEST(test_matmul_makes_two_errors_in_backward) {
  const dsm_layer matmul = matmul_layer(12, 20, 7);
  ck_assert_uint_eq(dsm_invocation_count(&matmul, DSM_PASS_FORWARD), 7);
  ck_assert_uint_eq(dsm_invocation_count(&matmul, DSM_PASS_BACKWARD), 14);
}
END_TEST

/* 8 * 16 * 4 * 9 = 4608 MACs a sample, 10 samples, 1024 MACs a cycle. */
START_TEST(test_ideal_cycles_are_all_macs_at_the_peak) {
  const dsm_layer conv = conv_layer(8, 16, 9, 4, 1);
  ck_assert_double_eq(dsm_ideal_cycles(&conv, &machine, 1, (dsm_pass)_i, 10), 45);
}
END_TEST

/* A quarter of them with 4 groups. */
START_TEST(test_ideal_cycles_of_groups_count_each_group_alone) {
  const dsm_layer grouped = conv_layer(8, 16, 9, 4, 4);
  ck_assert_double_eq(dsm_ideal_cycles(&grouped, &machine, 1, (dsm_pass)_i, 10), 11.25);
}
END_TEST

/* X = 11, H = 5: (11 + 5) * 4 * 5 = 320 MACs, 7 timesteps, 32 samples. */
START_TEST(test_ideal_cycles_count_timesteps) {
  const dsm_layer lstm = lstm_layer(11, 5, 7);
  ck_assert_double_eq(dsm_ideal_cycles(&lstm, &machine, 1, (dsm_pass)_i, 32), 70);
}
END_TEST

/* 32 * 16 MACs, 2 timesteps, 10 samples; backward twice */
START_TEST(test_ideal_cycles_of_matmul_backward_are_double) {
  const dsm_layer matmul = matmul_layer(32, 16, 2);
  ck_assert_double_eq(dsm_ideal_cycles(&matmul, &machine, 1, DSM_PASS_FORWARD, 10), 10);
  ck_assert_double_eq(dsm_ideal_cycles(&matmul, &machine, 1, DSM_PASS_BACKWARD, 10), 20);
}
END_TEST

START_TEST(test_infinite_peak_leaves_no_ideal_cycles) {
  const dsm_layer fc = fc_layer(32, 16);
  machine.peak_macs_per_cycle = HUGE_VAL;
  ck_assert_double_eq(dsm_ideal_cycles(&fc, &machine, 1, (dsm_pass)_i, 10), 0);
}
END_TEST

Suite *suite_machine(void) {
  Suite *const suite = suite_create("machine");
  TCase *const units = tcase_create("units");
  tcase_add_checked_fixture(units, set_up, NULL);
  tcase_add_test(units, test_rates_are_bytes_a_cycle);
  tcase_add_test(units, test_faster_clock_leaves_fewer_bytes_a_cycle);
  tcase_add_test(units, test_scratchpad_is_in_units_of_2_to_the_20);
  tcase_add_test(units, test_peak_counts_all_multipliers);
  tcase_add_loop_test(units, test_missing_axes_take_no_time, 1, DSM_AXES_MAX + 1);
  tcase_add_test(units, test_precision_is_the_workloads);
  suite_add_tcase(suite, units);
  TCase *const groups = tcase_create("groups");
  tcase_add_checked_fixture(groups, set_up_groups, NULL);
  tcase_add_loop_test(groups, test_volume_occupies_a_link_by_its_rate, 0, DSM_LINK_COUNT);
  tcase_add_loop_test(groups, test_group_takes_as_long_as_its_slowest_link, 0,
                      DSM_LINK_AUXILIARY_MEMORY);
  tcase_add_test(groups, test_first_of_equally_slow_links_is_named);
  tcase_add_test(groups, test_group_without_bytes_takes_no_time);
  tcase_add_loop_test(groups, test_infinitely_fast_link_takes_no_time, 0,
                      DSM_LINK_AUXILIARY_MEMORY);
  tcase_add_test(groups, test_infinite_bandwidths_give_infinite_rates);
  suite_add_tcase(suite, groups);
  TCase *const ideal = tcase_create("ideal");
  tcase_add_checked_fixture(ideal, set_up, NULL);
  tcase_add_loop_test(ideal, test_pass_is_invoked_once_a_timestep, 0, DSM_PASS_COUNT);
  tcase_add_test(ideal, test_matmul_makes_two_errors_in_backward);
  tcase_add_loop_test(ideal, test_ideal_cycles_are_all_macs_at_the_peak, 0, DSM_PASS_COUNT);
  tcase_add_loop_test(ideal, test_ideal_cycles_of_groups_count_each_group_alone, 0, DSM_PASS_COUNT);
  tcase_add_loop_test(ideal, test_ideal_cycles_count_timesteps, 0, DSM_PASS_COUNT);
  tcase_add_test(ideal, test_ideal_cycles_of_matmul_backward_are_double);
  tcase_add_loop_test(ideal, test_infinite_peak_leaves_no_ideal_cycles, 0, DSM_PASS_COUNT);
  suite_add_tcase(suite, ideal);
  return suite;
}
