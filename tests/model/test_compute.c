/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine; /* Pr = 4, Pc = 8 */

static void set_up(void) {
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
}

/* --- blocks */

/* ceil(in/4) * ceil(out/8) * kij, backward ceil(out/4) * ceil(in/8) * kij, by hand. */
typedef struct blocks_case {
  dsm_pass pass;
  dsm__core_work core;
  double blocks;
  double unrolled; /* ceil(red * kij / 4) * ceil(prod / 8) */
} blocks_case;

#define WORK(groups_, in_, out_, kij_)                                                             \
  { .groups = (groups_), .in = (in_), .out = (out_), .ij = 7, .kij = (kij_), .mb = 3 }

static const blocks_case blocks_cases[] = {
    {DSM_PASS_FORWARD, WORK(1, 10, 20, 9), 3 * 3 * 9, 23 * 3},  /* 90/4 = 22.5 */
    {DSM_PASS_UPDATE, WORK(1, 10, 20, 9), 3 * 3 * 9, 23 * 3},   /* as forward */
    {DSM_PASS_BACKWARD, WORK(1, 10, 20, 9), 5 * 2 * 9, 45 * 2}, /* reduces outputs */
    {DSM_PASS_FORWARD, WORK(1, 4, 8, 1), 1, 1},                 /* fits exactly */
    {DSM_PASS_FORWARD, WORK(1, 5, 8, 1), 2, 2},                 /* just over the rows */
    {DSM_PASS_FORWARD, WORK(1, 4, 9, 1), 2, 2},                 /* just over the columns */
    {DSM_PASS_BACKWARD, WORK(1, 8, 4, 1), 1, 1},
    {DSM_PASS_BACKWARD, WORK(1, 9, 4, 1), 2, 2},
    {DSM_PASS_BACKWARD, WORK(1, 8, 5, 1), 2, 2},
    {DSM_PASS_FORWARD, WORK(1, 1, 1, 9), 9, 3},           /* smaller than the array */
    {DSM_PASS_FORWARD, WORK(1, 2, 1, 4), 4, 2},           /* 2 * 4 rows fit two blocks exactly */
    {DSM_PASS_FORWARD, WORK(1, 3, 1, 3), 3, 3},           /* 9 rows: just over two blocks */
    {DSM_PASS_BACKWARD, WORK(1, 1, 2, 4), 4, 2},          /* unrolled with the outputs */
    {DSM_PASS_FORWARD, WORK(3, 4, 9, 2), 3 * 2 * 2, 12},  /* 3 groups of ceil(8/4) * ceil(9/8) */
    {DSM_PASS_BACKWARD, WORK(3, 4, 9, 2), 3 * 3 * 2, 15}, /* 3 groups of ceil(18/4) * 1 */
    {DSM_PASS_FORWARD, WORK(8, 1, 1, 9), 8 * 9, 8 * 3},   /* depthwise */
};

START_TEST(test_blocks_are_chunks_of_features_at_each_kernel_position) {
  const blocks_case *const c = &blocks_cases[_i];
  ck_assert_double_eq(dsm__array_blocks(&machine, c->pass, &c->core), c->blocks);
}
END_TEST

START_TEST(test_unrolled_kernel_positions_share_the_rows) {
  const blocks_case *const c = &blocks_cases[_i];
  chips.array.unroll_kernel_on_rows = true;
  ck_assert_double_eq(dsm__array_blocks(&machine, c->pass, &c->core), c->unrolled);
}
END_TEST

/* Walks through the weights tile by tile. */
static int count_blocks(const dsm__core_work *core, dsm_pass pass, bool is_unrolled) {
  const uint64_t reduced = pass == DSM_PASS_BACKWARD ? core->out : core->in;
  const uint64_t produced = pass == DSM_PASS_BACKWARD ? core->in : core->out;
  const uint64_t rows = is_unrolled ? reduced * core->kij : reduced;
  const uint64_t positions = is_unrolled ? 1 : core->kij;
  int blocks = 0;
  for (uint64_t group = 0; group < core->groups; group++) {
    for (uint64_t position = 0; position < positions; position++) {
      for (uint64_t row = 0; row < rows; row += 4) {
        for (uint64_t column = 0; column < produced; column += 8) {
          blocks++;
        }
      }
    }
  }
  return blocks;
}

START_TEST(test_blocks_are_the_tiles_counted_one_by_one) {
  const dsm_pass pass = (dsm_pass)(_i % DSM_PASS_COUNT);
  chips.array.unroll_kernel_on_rows = _i >= DSM_PASS_COUNT;
  for (uint64_t in = 1; in <= 18; in++) {
    for (uint64_t out = 1; out <= 18; out++) {
      for (uint64_t kij = 1; kij <= 5; kij++) {
        for (uint64_t groups = 1; groups <= 3; groups++) {
          const dsm__core_work core = WORK(groups, in, out, kij);
          ck_assert_double_eq(dsm__array_blocks(&machine, pass, &core),
                              count_blocks(&core, pass, _i >= DSM_PASS_COUNT));
        }
      }
    }
  }
}
END_TEST

/* --- cycles of a block */

static double block_cycles(uint64_t ij, uint64_t mb, double element_bytes) {
  const dsm__core_work core = {.groups = 1, .in = 4, .out = 8, .ij = ij, .kij = 1, .mb = mb};
  return dsm__block_cycles(&machine, 1, element_bytes, (double)core.ij * (double)core.mb, 1);
}

START_TEST(test_block_streams_positions_of_all_samples) {
  ck_assert_double_eq(block_cycles(5, 3, 2), 15);
  ck_assert_double_eq(block_cycles(1, 1, 2), 1);
}
END_TEST

/* A block is 4 * 8 * 2 = 64 bytes, that is 16 cycles at 4 bytes a cycle. */
START_TEST(test_block_waits_for_weights_from_the_scratchpad) {
  chips.array.weights_from_scratchpad = true;
  ck_assert_double_eq(block_cycles(1, 1, 2), 16);
  ck_assert_double_eq(block_cycles(5, 3, 2), 16);
  ck_assert_double_eq(block_cycles(4, 4, 2), 16);
  ck_assert_double_eq(block_cycles(17, 1, 2), 17);
}
END_TEST

START_TEST(test_wider_weights_take_longer_from_the_scratchpad) {
  chips.array.weights_from_scratchpad = true;
  ck_assert_double_eq(block_cycles(17, 1, 4), 32);
}
END_TEST

START_TEST(test_infinitely_fast_scratchpad_never_holds_up_the_array) {
  chips.array.weights_from_scratchpad = true;
  chips.core.scratchpad_bandwidth_GBps = HUGE_VAL;
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(block_cycles(1, 1, 2), 1);
  ck_assert_double_eq(block_cycles(5, 3, 2), 15);
}
END_TEST

/* --- primary cycles: nm * (blocks * stream + startup) */

START_TEST(test_primary_is_startup_and_blocks_of_each_feature_iteration) {
  ck_assert_double_eq(dsm__primary_cycles(&machine, 3, 5, 7), 3 * (5 * 7 + 100));
}
END_TEST

START_TEST(test_one_chip_has_one_feature_iteration) {
  ck_assert_double_eq(dsm__primary_cycles(&machine, 1, 5, 7), 135);
}
END_TEST

START_TEST(test_without_startup_only_blocks_count) {
  chips.array.startup_cycles = 0;
  ck_assert_double_eq(dsm__primary_cycles(&machine, 3, 5, 7), 105);
}
END_TEST

/* 8 rows and 8 columns: 22 cycles to fill and drain; 5 blocks of 7 cycles at half the rate */
START_TEST(test_changes_of_blocks_are_lost_once_a_block) {
  chips.array.efficiency_ratio = 0.5;
  chips.array.block_cycles = 22;
  ck_assert_double_eq(dsm__whole_block_cycles(&machine, 7), 36);
  ck_assert_double_eq(dsm__primary_cycles(&machine, 3, 5, 7), 3 * (5 * 36 + 100));
  ck_assert_double_eq(dsm__block_change_cycles(&machine, 3, 5), 3 * 5 * 22);
}
END_TEST

/* At half the clock all of that takes twice as many cycles of the full one. */
START_TEST(test_arrays_of_a_training_step_have_the_clock_that_they_sustain) {
  chips.array.block_cycles = 22;
  chips.core.sustained_frequency_ratio = 0.5;
  const dsm_machine training = dsm_machine_for(&chips, DSM_MODE_TRAINING);
  ck_assert_double_eq(dsm__primary_cycles(&training, 3, 5, 7),
                      2 * dsm__primary_cycles(&machine, 3, 5, 7));
  chips.core.vector_macs_per_cycle = 4;
  ck_assert_double_eq(dsm__vector_cycles(&training, 3, 8), 12);
}
END_TEST

/* A weight-stationary array of 128 x 128 whose block takes as long to fill and drain as to use. */
START_TEST(test_blocks_that_are_not_double_buffered_fill_and_drain) {
  chips.array.startup_cycles = 0;
  chips.array.block_cycles = 2 * 128 + 128 - 2;
  ck_assert_double_eq(dsm__primary_cycles(&machine, 1, 10, 382), 2 * 3820);
}
END_TEST

/* --- several arrays, and a vector unit: an array takes 4 x 8 features, two start-ups of 100 */

static dsm_pass_work two_ways(dsm_pass pass) {
  static const dsm_layer fc = {.groups = 1};
  return (dsm_pass_work){.layer = &fc,
                         .product_share = 1,
                         .machine = &machine,
                         .pass = pass,
                         .precision = friendly_precision(),
                         .tensor_bytes = {.kernel = 2},
                         .share = {.groups = 1, .turns = 2, .model_ways = 2}};
}

static dsm__primary primary_of(dsm_pass pass, dsm__core_work core) {
  const dsm_pass_work work = two_ways(pass);
  return dsm__primary_derive(&work, &core);
}

static double starting_of(dsm_pass pass, dsm__core_work core) {
  const dsm__primary found = primary_of(pass, core);
  const dsm_pass_work work = two_ways(pass);
  return dsm__primary_starting(&work, &found);
}

static void expect_primary(dsm__primary found, dsm_computing computing, double cycles) {
  ck_assert_int_eq(found.computing, computing);
  ck_assert_double_eq(found.cycles, cycles);
}

/* 5 x 17 features are 2 x 3 blocks of 12 elements: two arrays have 2 columns of them; or 6 elements
 * of all six. Of 40 features, 5 columns, three for one of two arrays. */
START_TEST(test_arrays_share_features_or_samples) {
  const dsm__core_work core = {.groups = 1, .in = 5, .out = 17, .ij = 4, .kij = 1, .mb = 3};
  expect_primary(primary_of(DSM_PASS_FORWARD, core), DSM_COMPUTING_ARRAY, 2 * (6 * 12 + 100));
  chips.core.arrays = 2;
  expect_primary(primary_of(DSM_PASS_FORWARD, core), DSM_COMPUTING_SAMPLES, 2 * (6 * 6 + 100));
  chips.core.arrays = 3; /* a column each; or a third of the elements: the first of equals */
  expect_primary(primary_of(DSM_PASS_FORWARD, core), DSM_COMPUTING_FEATURES, 2 * (2 * 12 + 100));
  chips.core.arrays = 5; /* 3 elements: 6 * 3 */
  expect_primary(primary_of(DSM_PASS_FORWARD, core), DSM_COMPUTING_SAMPLES, 2 * (6 * 3 + 100));
}
END_TEST

/* One sample: only features. Groups are shared as columns are: 3 of 1 x 1 blocks, of two arrays. */
START_TEST(test_groups_are_shared_with_features) {
  const dsm__core_work core = {.groups = 3, .in = 4, .out = 8, .ij = 1, .kij = 1, .mb = 1};
  chips.core.arrays = 2;
  expect_primary(primary_of(DSM_PASS_UPDATE, core), DSM_COMPUTING_FEATURES, 2 * (2 + 100));
}
END_TEST

/* A block of 4 * 8 * 2 = 64 bytes at 4 bytes a cycle: 16 cycles, two at once 32. */
START_TEST(test_arrays_share_the_scratchpad) {
  const dsm__core_work core = {.groups = 1, .in = 4, .out = 16, .ij = 20, .kij = 1, .mb = 1};
  chips.core.arrays = 2;
  chips.array.weights_from_scratchpad = true;
  const dsm__primary found = primary_of(DSM_PASS_FORWARD, core);
  /* by features 1 * max(20, 32), by positions 2 * max(10, 16): the first of equals */
  expect_primary(found, DSM_COMPUTING_FEATURES, 2 * (32 + 100));
  ck_assert(found.is_block_loading);
  ck_assert_double_eq(starting_of(DSM_PASS_FORWARD, core), 200);
}
END_TEST

/* 1 x 1 features of 12 elements: 12 MACs, at 0.25 a cycle 48 cycles in place of 12 and a start. */
START_TEST(test_vector_unit_computes_where_it_is_faster) {
  const dsm__core_work core = {.groups = 1, .in = 1, .out = 1, .ij = 4, .kij = 1, .mb = 3};
  chips.core.vector_macs_per_cycle = 0.25;
  const dsm__primary found = primary_of(DSM_PASS_FORWARD, core);
  expect_primary(found, DSM_COMPUTING_VECTOR_UNIT, 2 * 48);
  ck_assert_double_eq(starting_of(DSM_PASS_FORWARD, core), 0);
  chips.core.vector_macs_per_cycle = 12.0 / 112; /* as long: the array */
  expect_primary(primary_of(DSM_PASS_FORWARD, core), DSM_COMPUTING_ARRAY, 2 * 112);
}
END_TEST

/* 6 blocks of 12 elements at twice the rate, or half. The start is what it was. */
START_TEST(test_types_have_rates_of_their_own) {
  const dsm__core_work core = {.groups = 1, .in = 5, .out = 17, .ij = 4, .kij = 1, .mb = 3};
  const dsm_layer fc = fc_layer(5, 17);
  dsm_pass_work work = {.layer = &fc,
                        .product_share = 1,
                        .machine = &machine,
                        .precision = friendly_precision(),
                        .share = {.groups = 1, .turns = 2, .model_ways = 2}};
  work.precision.array_rate = 2;
  expect_primary(dsm__primary_derive(&work, &core), DSM_COMPUTING_ARRAY, 2 * (36 + 100));
  work.precision.array_rate = 0.5;
  expect_primary(dsm__primary_derive(&work, &core), DSM_COMPUTING_ARRAY, 2 * (144 + 100));
}
END_TEST

/* The type that is stated, or that of as many bytes. */
START_TEST(test_type_is_stated_or_by_bytes) {
  static const struct {
    double bytes;
    dsm_element_type type;
  } implied[] = {{0.5, DSM_ELEMENT_TYPE_INT8},
                 {1, DSM_ELEMENT_TYPE_INT8},
                 {2, DSM_ELEMENT_TYPE_FP16},
                 {4, DSM_ELEMENT_TYPE_FP32},
                 {8, DSM_ELEMENT_TYPE_FP32}};
  for (int i = 0; i < COUNT_OF(implied); i++) {
    const dsm_workload workload = {.element_bytes = implied[i].bytes};
    ck_assert_int_eq(dsm_workload_element_type(&workload), implied[i].type);
  }
  chips.pe.rates[DSM_ELEMENT_TYPE_FP8] = 3;
  const dsm_workload stated = {.element_bytes = 1, .element_type = DSM_ELEMENT_TYPE_FP8};
  ck_assert_double_eq(dsm_precision_of(&stated, &chips).array_rate, 3);
  ck_assert_double_eq(dsm_workload_peak_flops(&stated, &chips), 3 * dsm_system_peak_flops(&chips));
  const dsm_layer fc = fc_layer(32, 64);
  ck_assert_double_eq(dsm_ideal_cycles(&fc, &machine, 3, DSM_PASS_FORWARD, 12),
                      dsm_ideal_cycles(&fc, &machine, 1, DSM_PASS_FORWARD, 4));
}
END_TEST

/* A tile takes what all arrays of a core do together, at the rate of the type: 3 waves of 20 cycles
 * are of 5 with two arrays at twice the rate, where operands take no time. */
START_TEST(test_tiles_have_all_arrays_and_the_rate) {
  static const dsm__product product = {.batch = 2, .rows = 9, .columns = 7, .summed = 10};
  const dsm_tile tile = {{4, 4, 1}};
  dsm_precision precision = friendly_precision();
  chips.chip.core_link_bandwidth_GBps = HUGE_VAL;
  machine = dsm_machine_derive(&chips);
  const double once = dsm__tile_time(&machine, &precision, &product, &tile).arrays;
  chips.core.arrays = 2;
  precision.array_rate = 2;
  ck_assert_double_eq(once, 3 * 4 * 4 * 10 / 32.0);
  ck_assert_double_eq(dsm__tile_time(&machine, &precision, &product, &tile).arrays, once / 4);
}
END_TEST

/* One of them computes at a time. */
START_TEST(test_peak_is_of_the_arrays_or_of_a_faster_vector_unit) {
  ck_assert_double_eq(dsm__core_macs_per_cycle(&chips, 1), 32);
  ck_assert_double_eq(dsm__core_macs_per_cycle(&chips, 2), 64);
  chips.core.arrays = 3;
  chips.core.vector_macs_per_cycle = 95;
  ck_assert_double_eq(dsm__core_macs_per_cycle(&chips, 1), 96);
  chips.core.vector_macs_per_cycle = 97;
  ck_assert_double_eq(dsm__core_macs_per_cycle(&chips, 1), 97);
  ck_assert_double_eq(dsm_system_peak_flops(&chips), 2 * 97 * 4.0 * 2e9);
}
END_TEST

Suite *suite_compute(void) {
  Suite *const suite = suite_create("compute");
  TCase *const blocks = tcase_create("blocks");
  tcase_add_checked_fixture(blocks, set_up, NULL);
  tcase_add_loop_test(blocks, test_blocks_are_chunks_of_features_at_each_kernel_position, 0,
                      COUNT_OF(blocks_cases));
  tcase_add_loop_test(blocks, test_unrolled_kernel_positions_share_the_rows, 0,
                      COUNT_OF(blocks_cases));
  tcase_add_loop_test(blocks, test_blocks_are_the_tiles_counted_one_by_one, 0, 2 * DSM_PASS_COUNT);
  suite_add_tcase(suite, blocks);
  TCase *const cycles = tcase_create("cycles");
  tcase_add_checked_fixture(cycles, set_up, NULL);
  tcase_add_test(cycles, test_block_streams_positions_of_all_samples);
  tcase_add_test(cycles, test_block_waits_for_weights_from_the_scratchpad);
  tcase_add_test(cycles, test_wider_weights_take_longer_from_the_scratchpad);
  tcase_add_test(cycles, test_infinitely_fast_scratchpad_never_holds_up_the_array);
  tcase_add_test(cycles, test_primary_is_startup_and_blocks_of_each_feature_iteration);
  tcase_add_test(cycles, test_one_chip_has_one_feature_iteration);
  tcase_add_test(cycles, test_without_startup_only_blocks_count);
  tcase_add_test(cycles, test_changes_of_blocks_are_lost_once_a_block);
  tcase_add_test(cycles, test_arrays_of_a_training_step_have_the_clock_that_they_sustain);
  tcase_add_test(cycles, test_blocks_that_are_not_double_buffered_fill_and_drain);
  suite_add_tcase(suite, cycles);
  TCase *const cores = tcase_create("several arrays, vector units");
  tcase_add_checked_fixture(cores, set_up, NULL);
  tcase_add_test(cores, test_arrays_share_features_or_samples);
  tcase_add_test(cores, test_groups_are_shared_with_features);
  tcase_add_test(cores, test_arrays_share_the_scratchpad);
  tcase_add_test(cores, test_vector_unit_computes_where_it_is_faster);
  tcase_add_test(cores, test_types_have_rates_of_their_own);
  tcase_add_test(cores, test_type_is_stated_or_by_bytes);
  tcase_add_test(cores, test_tiles_have_all_arrays_and_the_rate);
  tcase_add_test(cores, test_peak_is_of_the_arrays_or_of_a_faster_vector_unit);
  suite_add_tcase(suite, cores);
  return suite;
}
