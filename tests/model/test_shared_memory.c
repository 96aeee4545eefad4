/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A memory that the cores of a chip share: by hand. */
#include <math.h>

#include "fixture.h"
#include "model/equations.h"
#include "suites.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer fc;

/*
 * One core of 4096 bytes, so that a tile has 2048; memory 16, ring 32, shared memory 24 bytes a
 * cycle. 64 x 64 weights and 64 samples: inputs, weights and outputs are 8192 bytes each, and four
 * tiles.
 */
static void set_capacity(double bytes) {
  chips.chip.shared_memory.capacity_MB = bytes / 1e6;
  machine = dsm_machine_derive(&chips);
}

static void set_up(void) {
  chips = friendly_system(1, 1);
  chips.chip.cores = 1;
  chips.core.scratchpad_MiB = 1.0 / 256;
  chips.array.startup_cycles = 0;
  chips.array.rows = 64; /* one block: 64 cycles */
  chips.array.columns = 32;
  chips.chip.shared_memory.bandwidth_GBps = 48;
  set_capacity(9000);
  fc = fc_layer(64, 64);
}

static const dsm_loops whole = {{1, 1, 1, 1, 1}};

static dsm_pass_work work_with(dsm_pass pass, const dsm_residency *residency) {
  const dsm_precision precision = {
      .element_bytes = 2, .gradient_bytes = 2, .partial_sum_bytes = 2, .array_rate = 1};
  return dsm_pass_work_derive(&fc, &machine, precision, DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_DATA, 64, residency);
}

/* What the streams of an invocation put on memory, shared memory and ring. */
static dsm_traffic streamed(const dsm_pass_work *work) {
  const dsm_transfer_list list = dsm_invocation_transfers(work, &whole);
  dsm_traffic sum = {.latency_cycles = 0};
  for (unsigned i = 0; i < list.count; i++) {
    for (int l = 0; list.items[i].group == DSM_GROUP_STREAM && l < DSM_LINK_COUNT; l++) {
      sum.bytes[l] += list.items[i].traffic.bytes[l];
    }
  }
  return sum;
}

static void expect_streams(const dsm_pass_work *work, double memory, double shared, double ring) {
  const dsm_traffic sum = streamed(work);
  ASSERT_CLOSE(sum.bytes[DSM_LINK_MEMORY], memory);
  ASSERT_CLOSE(sum.bytes[DSM_LINK_SHARED], shared);
  ASSERT_CLOSE(sum.bytes[DSM_LINK_RING], ring);
  ASSERT_CLOSE(dsm_invocation_score(work, &whole).overlapped,
               fmax(memory / 16, fmax(shared / 24, ring / 32)));
}

/* One operand four times, the other and the outputs once: six times 8192 bytes. Either operand fits
 * 9000 bytes, so that memory has all three once. */
START_TEST(test_what_fits_is_fetched_from_memory_once) {
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  expect_streams(&work, 3 * 8192, 6 * 8192, 6 * 8192);
}
END_TEST

START_TEST(test_what_does_not_fit_is_fetched_again) {
  set_capacity(8000);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  expect_streams(&work, 6 * 8192, 6 * 8192, 6 * 8192);
}
END_TEST

/* In update inputs and errors are fetched four times each, and weights written. */
START_TEST(test_each_operand_fits_by_itself) {
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_UPDATE, &none);
  expect_streams(&work, 3 * 8192, 9 * 8192, 9 * 8192);
}
END_TEST

/* What is held is read and written there; what is written to memory later comes from there, past no
 * core. */
START_TEST(test_what_is_held_spares_memory_alone) {
  dsm_residency held = dsm_residency_none(&machine);
  held.is_input_held = true;
  held.is_output_held = true;
  held.deferred_bytes = 1000;
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &held);
  expect_streams(&work, 8192 + 1000, 6 * 8192 + 1000, 6 * 8192);
}
END_TEST

/* Weights that stay over timesteps come in tiles as any other. */
START_TEST(test_kernel_that_stays_spares_memory_alone) {
  dsm_residency steady = dsm_residency_none(&machine);
  steady.resident_fraction = 1;
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &steady);
  expect_streams(&work, 2 * 8192, 6 * 8192, 6 * 8192);
}
END_TEST

/* With tiles of all loops: sums of 32 x 32 (test_tiling.c), each operand twice. */
START_TEST(test_tiles_of_all_loops) {
  chips.model.tiling = DSM_TILING_BLOCKED;
  set_capacity(9000);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  expect_streams(&work, 3 * 8192, 5 * 8192, 5 * 8192);
}
END_TEST

/* --- room */

START_TEST(test_what_is_held_and_preloaded_leaves_the_rest) {
  set_capacity(100000);
  ASSERT_CLOSE(dsm_held_limit_bytes(&machine, 0), 100000);
  ASSERT_CLOSE(dsm_held_limit_bytes(&machine, 30000), 70000);
  ASSERT_CLOSE(dsm_shared_left_bytes(&machine, 30000, 20000), 50000);
  ASSERT_CLOSE(dsm_shared_left_bytes(&machine, 30000, 80000), 0);
  ASSERT_CLOSE(dsm_scratchpad_left_bytes(&machine, 30000, 80000), 4096);
  ASSERT_CLOSE(dsm_preload_room_bytes(&machine), 100000);
  chips.model.tiling = DSM_TILING_BLOCKED;
  ASSERT_CLOSE(dsm_preload_room_bytes(&machine), 0);
}
END_TEST

/* A kernel takes its bytes once, however it is shared out. */
START_TEST(test_kept_kernel_is_there_once) {
  chips.chip.cores = 4;
  set_capacity(9000);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  const dsm_loops split = loops(1, 2, 1, 1, 2);
  ASSERT_CLOSE(dsm_core_kernel_bytes(&work, &split), 4096);
  ASSERT_CLOSE(dsm_kept_kernel_bytes(&work, &split), 8192);
  ASSERT_CLOSE(dsm_kept_room_bytes(&machine, &none), 9000);
}
END_TEST

/* --- what decides */

START_TEST(test_cycles_of_it_are_a_resource) {
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_UPDATE, &none);
  const dsm_resources resources = dsm_invocation_resources(&work, &whole);
  ASSERT_CLOSE(resources.cycles[DSM_BOUND_SHARED], 9 * 8192 / 24.0);
  ck_assert_int_eq((int)dsm_resources_bound(&resources), DSM_BOUND_SHARED);
}
END_TEST

/* Auxiliary operations: 2 * 64 outputs of 64 samples read and written, 16384 bytes, held or not. */
START_TEST(test_auxiliary_operations_read_it) {
  fc.has_op[DSM_AUX_LAYER_NORM] = true;
  chips.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_FUSED;
  chips.chip.shared_memory.bandwidth_GBps = 2;
  set_capacity(9000);
  dsm_residency held = dsm_residency_none(&machine);
  held.is_output_held = true;
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &held);
  ck_assert_double_eq(work.bytes.auxiliary, 0);
  ASSERT_CLOSE(work.auxiliary_cycles, 16384);
  ck_assert_int_eq((int)work.auxiliary_bound, DSM_BOUND_SHARED);
}
END_TEST

/* With tiles in waves: a core has its part of 1 byte a cycle where that is less than of the ring.
 */
START_TEST(test_operands_of_tiles_pass_it) {
  chips.chip.cores = 4;
  set_capacity(9000);
  ASSERT_CLOSE(dsm__tile_operand_bytes_per_cycle(&machine), 6);
  ck_assert_int_eq((int)dsm__tile_operand_link(&machine), DSM_LINK_SHARED);
  chips.chip.shared_memory.bandwidth_GBps = 100;
  set_capacity(9000);
  ASSERT_CLOSE(dsm__tile_operand_bytes_per_cycle(&machine), 8);
  ck_assert_int_eq((int)dsm__tile_operand_link(&machine), DSM_LINK_RING);
}
END_TEST

/* --- parts of a kernel on chip. Memory at 4 bytes a cycle. Kernel-outer fetches the inputs again,
 * which fit, as the kernel does: three times 8192 bytes less the part; either order has six times
 * 8192 of the shared memory, 2048 cycles, and memory takes 4096 even without the kernel. */
START_TEST(test_all_of_a_kernel_can_be_needed) {
  chips.chip.memory.bandwidth_GBps = 16;
  set_capacity(9000);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  ASSERT_CLOSE(dsm_resident_fraction_needed(&work, &whole), 1);
}
END_TEST

/* Memory at 10 bytes a cycle has 20480 bytes in these 2048 cycles, 16384 of them inputs and
 * outputs: half of the kernel. */
START_TEST(test_part_of_a_kernel_hides_behind_the_shared_memory) {
  chips.chip.memory.bandwidth_GBps = 40;
  set_capacity(9000);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  ASSERT_CLOSE(dsm_resident_fraction_needed(&work, &whole), 0.5);
}
END_TEST

/* Without it nothing passes it. */
START_TEST(test_no_shared_memory_carries_nothing) {
  set_capacity(0);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = work_with(DSM_PASS_FORWARD, &none);
  ck_assert(!machine.has_shared_memory);
  ck_assert(isinf(machine.link_bytes_per_cycle[DSM_LINK_SHARED]));
  expect_streams(&work, 6 * 8192, 0, 6 * 8192);
}
END_TEST

Suite *suite_shared_memory(void) {
  Suite *const suite = suite_create("shared memory");
  TCase *const streams = tcase_create("streams");
  tcase_add_checked_fixture(streams, set_up, NULL);
  tcase_add_test(streams, test_what_fits_is_fetched_from_memory_once);
  tcase_add_test(streams, test_what_does_not_fit_is_fetched_again);
  tcase_add_test(streams, test_each_operand_fits_by_itself);
  tcase_add_test(streams, test_what_is_held_spares_memory_alone);
  tcase_add_test(streams, test_kernel_that_stays_spares_memory_alone);
  tcase_add_test(streams, test_tiles_of_all_loops);
  tcase_add_test(streams, test_no_shared_memory_carries_nothing);
  suite_add_tcase(suite, streams);
  TCase *const room = tcase_create("room");
  tcase_add_checked_fixture(room, set_up, NULL);
  tcase_add_test(room, test_what_is_held_and_preloaded_leaves_the_rest);
  tcase_add_test(room, test_kept_kernel_is_there_once);
  tcase_add_test(room, test_all_of_a_kernel_can_be_needed);
  tcase_add_test(room, test_part_of_a_kernel_hides_behind_the_shared_memory);
  suite_add_tcase(suite, room);
  TCase *const resources = tcase_create("resources");
  tcase_add_checked_fixture(resources, set_up, NULL);
  tcase_add_test(resources, test_cycles_of_it_are_a_resource);
  tcase_add_test(resources, test_auxiliary_operations_read_it);
  tcase_add_test(resources, test_operands_of_tiles_pass_it);
  suite_add_tcase(suite, resources);
  return suite;
}
