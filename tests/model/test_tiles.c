/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products in waves of tiles: by hand, and four of a GPU with 108 cores. */
#include "fixture.h"
#include "model/equations.h"
#include "random_numbers.h"
#include "suites.h"

static const dsm_precision two_bytes = {.element_bytes = 2, .array_rate = 1};
static const dsm_precision four_bytes = {.element_bytes = 4, .array_rate = 1};
static dsm_system chips;
static dsm_machine machine;

/* 4 cores, 16 MACs each, ring 32 bytes a cycle, memory 16; tiles of 4 x 4, 4 x 8, 8 x 4 and 8 x 8,
 * of which each starts in 100 cycles. */
static void set_up(void) {
  chips = friendly_system(1, 1);
  chips.pe.simd_macs = 1;
  chips.array.efficiency_ratio = 0.5;
  chips.core.tile_startup_us = 0.05;
  chips.core.tile_least_side = 4;
  chips.core.tile_most_elements = 64;
  chips.model.tile_schedule = true;
  machine = dsm_machine_derive(&chips);
}

static void expect_tile(const dsm_tile *tile, uint64_t rows, uint64_t columns, uint64_t parts) {
  ck_assert_uint_eq(tile->n[DSM_TILE_ROWS], rows);
  ck_assert_uint_eq(tile->n[DSM_TILE_COLUMNS], columns);
  ck_assert_uint_eq(tile->n[DSM_TILE_PARTS], parts);
}

/* 4 cores at 2 GHz; 0.16 TFLOP/s are 40 multiply-accumulates a cycle of the chip, half of which it
 * sustains, three times as many with elements of one byte: 2 * 9 * 7 * 10 / 20 and a third of it.
 */
START_TEST(test_stated_peak_takes_each_product_at_its_rate) {
  static const dsm__product product = {.batch = 2, .rows = 9, .columns = 7, .summed = 10};
  const dsm_precision fast = {.element_bytes = 1, .array_rate = 3};
  chips.chip.peak_TFLOPS = 40 * 2 * chips.core.frequency_GHz / 1000;
  ASSERT_CLOSE(dsm__peak_cycles(&chips, two_bytes.array_rate, &product), 63);
  ASSERT_CLOSE(dsm__peak_cycles(&chips, fast.array_rate, &product), 21);
  ASSERT_CLOSE(dsm_system_peak_flops(&chips), 80e9 * chips.core.frequency_GHz);
}
END_TEST

/* --- one shape: 2 products of 9 x 7 x 10 in tiles of 4 x 4 are 2 * 3 * 2 = 12, three waves of 4
 * cores; a tile takes 4 * 4 * 10 / (16 * 0.5) = 20 cycles, its operands (4 + 4) * 10 * 2 / (32 / 4)
 * = 20 */

static const dsm__product small = {.batch = 2, .rows = 9, .columns = 7, .summed = 10};

START_TEST(test_waves_of_tiles_take_as_long_as_their_arrays) {
  const dsm_tile tile = {{4, 4, 1}};
  const dsm_tile_schedule time = dsm__tile_time(&machine, &two_bytes, &small, &tile);
  ASSERT_CLOSE(time.arrays, 3 * 20);
  ASSERT_CLOSE(time.startup, 3 * 100);
  ASSERT_CLOSE(time.ring, 0);
  ASSERT_CLOSE(time.memory, 0);
  ASSERT_CLOSE(time.cycles, 360);
}
END_TEST

START_TEST(test_tiles_that_wait_for_operands_are_the_rings) {
  const dsm_tile tile = {{4, 4, 1}};
  const dsm_tile_schedule time = dsm__tile_time(&machine, &four_bytes, &small, &tile);
  ASSERT_CLOSE(time.arrays, 0);
  ASSERT_CLOSE(time.ring, 3 * 40);
  ASSERT_CLOSE(time.cycles, 420);
}
END_TEST

/* Two cores that share the rows of 8 x 4 tiles fetch (8 / 2 + 4) * 10 * 4 bytes each, not
 * (8 + 4) * 10 * 4; the columns in common would leave (8 + 4 / 2). */
START_TEST(test_sharers_fetch_the_longer_side_once) {
  const dsm_tile tile = {{8, 4, 1}};
  ASSERT_CLOSE(dsm__tile_time(&machine, &four_bytes, &small, &tile).ring, 2 * 60);
  chips.core.shared_operands = 2;
  ASSERT_CLOSE(dsm__tile_time(&machine, &four_bytes, &small, &tile).ring, 0);
  chips.array.efficiency_ratio = 1;
  ASSERT_CLOSE(dsm__tile_time(&machine, &four_bytes, &small, &tile).ring, 2 * 40);
}
END_TEST

/* Two parts: 24 tiles are 6 waves of 5 summed up; 2 * 2 * 2 * 9 * 7 sums of 4 bytes cross memory.
 */
START_TEST(test_parts_of_sums_cross_the_memory) {
  const dsm_tile tile = {{4, 4, 2}};
  const dsm_tile_schedule time = dsm__tile_time(&machine, &two_bytes, &small, &tile);
  ASSERT_CLOSE(time.arrays, 6 * 10);
  ASSERT_CLOSE(time.startup, 600);
  ASSERT_CLOSE(time.memory, 2 * 2 * 2 * 9 * 7 * 4 / 16.0);
  ASSERT_CLOSE(time.cycles, time.arrays + time.startup + time.memory);
}
END_TEST

/* At 0.8 of the clock 60 cycles of arrays are 75, and 120 that wait for operands 150; tiles start,
 * and sums cross the memory, in as many of the full clock as before. Inference runs at that. */
START_TEST(test_cores_of_a_training_step_have_the_clock_that_they_sustain) {
  chips.core.sustained_frequency_ratio = 0.8;
  const dsm_machine training = dsm_machine_for(&chips, DSM_MODE_TRAINING);
  const dsm_tile whole = {{4, 4, 1}};
  const dsm_tile cut = {{4, 4, 2}};
  ASSERT_CLOSE(dsm__tile_time(&training, &two_bytes, &small, &whole).arrays, 75);
  ASSERT_CLOSE(dsm__tile_time(&training, &two_bytes, &small, &whole).startup, 300);
  ASSERT_CLOSE(dsm__tile_time(&training, &four_bytes, &small, &whole).ring, 150);
  ASSERT_CLOSE(dsm__tile_time(&training, &two_bytes, &small, &cut).memory, 126);
  const dsm_machine inference = dsm_machine_for(&chips, DSM_MODE_INFERENCE);
  ASSERT_CLOSE(dsm__tile_time(&inference, &two_bytes, &small, &whole).arrays, 60);
}
END_TEST

START_TEST(test_one_core_whose_tiles_divide_all_computes_at_its_rate) {
  chips.chip.cores = 1;
  chips.core.tile_startup_us = 0;
  machine = dsm_machine_derive(&chips);
  const dsm__product product = {.batch = 3, .rows = 16, .columns = 8, .summed = 5};
  const dsm_tile tile = {{8, 8, 1}};
  ASSERT_CLOSE(dsm__tile_time(&machine, &two_bytes, &product, &tile).cycles, 3 * 16 * 8 * 5 / 8.0);
}
END_TEST

/* --- all shapes */

/* 8 x 8 outputs in one wave of any shape; of 4 x 4 they are one for each of the four cores. */
START_TEST(test_the_best_of_all_shapes_is_taken_for_each_turn) {
  const dsm__product product = {.batch = 1, .rows = 8, .columns = 8, .summed = 30};
  const dsm_tile_schedule one = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&one.tile, 4, 4, 1);
  ASSERT_CLOSE(one.cycles, 100 + 60);
  const dsm_tile_schedule turns = dsm__tile_schedule_find(&machine, &two_bytes, &product, 3);
  ASSERT_CLOSE(turns.cycles, 3 * one.cycles);
  ASSERT_CLOSE(turns.startup, 3 * one.startup);
}
END_TEST

/* 64 x 64 outputs of 1 x 4 cores: 256 tiles of 4 x 4 are 64 waves, 64 of 8 x 8 are 16. */
START_TEST(test_fewer_waves_pay_start_ups_less_often) {
  const dsm__product product = {.batch = 1, .rows = 64, .columns = 64, .summed = 10};
  const dsm_tile_schedule best = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&best.tile, 8, 8, 1);
  ASSERT_CLOSE(best.startup, 16 * 100);
  chips.core.tile_most_elements =
      63; /* a square is too large, and the first of its halves is not */
  const dsm_tile_schedule half = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&half.tile, 8, 4, 1);
  chips.core.tile_most_elements = 1; /* the smallest is there in any case */
  const dsm_tile_schedule least = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&least.tile, 4, 4, 1);
}
END_TEST

/* Of 127 no part is left 64 to sum up; of 128 two are. */
START_TEST(test_sums_are_cut_while_enough_is_left_in_each) {
  chips.core.tile_startup_us = 0;
  dsm__product product = {.batch = 1, .rows = 4, .columns = 4, .summed = 127};
  const dsm_tile_schedule whole = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&whole.tile, 4, 4, 1);
  product.summed = 128;
  const dsm_tile_schedule cut = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
  expect_tile(&cut.tile, 4, 4, 2);
}
END_TEST

/* --- what a pass multiplies */

static void expect_product(dsm__product found, double batch, double rows, double columns,
                           double summed) {
  ASSERT_CLOSE(found.batch, batch);
  ASSERT_CLOSE(found.rows, rows);
  ASSERT_CLOSE(found.columns, columns);
  ASSERT_CLOSE(found.summed, summed);
}

static dsm__product product_of(const dsm_layer *layer, dsm_pass pass) {
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, &machine, DSM_PARALLELISM_DATA, 5 /* samples */);
  return dsm__product_derive(layer, &share, pass);
}

/* 6 to 10 features, 9 kernel positions, a stride of 2 on both sides of 4 x 4 outputs. */
START_TEST(test_a_convolution_is_a_product_in_each_pass) {
  dsm_layer conv = conv_layer(6, 10, 16, 9, 1);
  conv.input_elements = 6 * 64;
  conv.strides = 4;
  expect_product(product_of(&conv, DSM_PASS_FORWARD), 1, 5 * 16, 10, 6 * 9);
  expect_product(product_of(&conv, DSM_PASS_BACKWARD), 1, 5 * 64, 6, 10 * 9 / 4.0);
  expect_product(product_of(&conv, DSM_PASS_UPDATE), 1, 10, 6 * 9, 5 * 16);
  conv.input_pool_window = 4; /* what is multiplied has been pooled, and is as much as the output */
  conv.input_pool_elements = 6 * 16;
  expect_product(product_of(&conv, DSM_PASS_BACKWARD), 1, 5 * 16, 6, 10 * 9);
}
END_TEST

START_TEST(test_groups_are_products_of_their_own) {
  const dsm_layer grouped = conv_layer(6, 12, 16, 9, 3);
  expect_product(product_of(&grouped, DSM_PASS_FORWARD), 3, 5 * 16, 4, 2 * 9);
  expect_product(product_of(&grouped, DSM_PASS_BACKWARD), 3, 5 * 16, 2, 4 * 9);
  expect_product(product_of(&grouped, DSM_PASS_UPDATE), 3, 4, 2 * 9, 5 * 16);
}
END_TEST

START_TEST(test_each_sample_of_a_matmul_has_its_own_operand) {
  dsm_layer matmul = conv_layer(6, 10, 1, 1, 1);
  matmul.is_product = true;
  expect_product(product_of(&matmul, DSM_PASS_FORWARD), 5, 1, 10, 6);
  expect_product(product_of(&matmul, DSM_PASS_BACKWARD), 5, 1, 6, 10);
}
END_TEST

/* --- GPUs: array 0.8, memory 0.85, tiles of 64 x 64 to 256 x 128 that start in 1 us, elements of 2
 * bytes */

typedef struct gpu {
  double frequency_GHz;
  uint64_t cores;
  uint64_t rows; /* of 32 MACs */
  double link_bytes_per_cycle;
  double memory_GBps;
  double floor_us;
  uint64_t sharers;
} gpu;

static const gpu a100 = {1.41, 108, 32, 5120, 2039, 0, 1};
static const gpu a100_with_floor = {1.41, 108, 32, 5120, 2039, 4, 1};
static const gpu h100 = {1.83, 132, 64, 5120, 3350, 2, 2};
static const gpu b200 = {1.855, 148, 128, 2 * 5120, 8000, 2, 2};

static void make_gpu(const gpu *of) {
  chips = friendly_system(1, 1);
  chips.pe.simd_macs = 1;
  chips.array.rows = of->rows;
  chips.array.columns = 32;
  chips.array.efficiency_ratio = 0.8;
  chips.core.frequency_GHz = of->frequency_GHz;
  chips.core.tile_startup_us = 1;
  chips.core.tile_least_side = 64;
  chips.core.tile_most_elements = 32768;
  chips.core.kernel_floor_us = of->floor_us;
  chips.core.shared_operands = of->sharers;
  chips.chip.cores = of->cores;
  chips.chip.core_link_bandwidth_GBps = of->link_bytes_per_cycle * of->frequency_GHz;
  chips.chip.memory.bandwidth_GBps = of->memory_GBps;
  chips.chip.memory.efficiency_ratio = 0.85;
  chips.model.tile_schedule = true;
  machine = dsm_machine_derive(&chips);
}

static void set_up_gpu(void) {
  make_gpu(&a100);
}

/* A product of M samples is a layer of N features from K; one of a batch has M positions, and an
 * operand for each sample. */
static const struct {
  const gpu *of;
  double seconds;
  uint64_t rows, columns, summed, batch;
} gpu_products[] = {
    {&a100, 5.709432624e-04, 4096, 4096, 4096, 1},
    {&a100, 1.696086008e-04, 512, 512, 65536, 1},
    {&a100, 2.222978723e-04, 2048, 2048, 128, 40},
    {&a100, 7.774400138e-05, 16, 8192, 8192, 1},
    /* with the floor of a kernel, and pairs of cores that share operands */
    {&a100_with_floor, 5.749432624e-04, 4096, 4096, 4096, 1},
    {&h100, 1.850601093e-04, 4096, 4096, 4096, 1},
    {&h100, 4.931940860e-05, 16, 8192, 8192, 1},
    {&b200, 9.432345013e-05, 4096, 4096, 4096, 1},
};

START_TEST(test_products_of_a_gpu) {
  const uint64_t m = gpu_products[_i].rows;
  const uint64_t n = gpu_products[_i].columns;
  const uint64_t k = gpu_products[_i].summed;
  const uint64_t batch = gpu_products[_i].batch;
  const bool is_batch = batch > 1;
  make_gpu(gpu_products[_i].of);
  dsm_layer layer = conv_layer(k, n, is_batch ? m : 1, 1, 1);
  layer.is_product = is_batch;
  layer.operand_elements = is_batch ? k * n : 0;
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work = dsm_pass_work_derive(
      &layer, &machine, (dsm_precision){2, 2, 2, 0, 1, 1, 0, 0, 0}, DSM_MODE_INFERENCE,
      DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, is_batch ? batch : m, &none);
  const dsm_loops whole = {{1, 1, 1, 1, 1}};
  const double seconds =
      dsm_invocation_score(&work, &whole).total / (chips.core.frequency_GHz * 1e9);
  ck_assert_double_eq_tol(seconds / gpu_products[_i].seconds, 1, 1e-6);
}
END_TEST

/* The second is in 16 parts: 5 waves of 40,960 cycles at the arrays' rate, 5 start-ups, and
 * 2 * 16 * 512 * 512 sums of 4 bytes at 1229.18 bytes a cycle. */
START_TEST(test_what_decides_a_product_of_a_gpu) {
  const dsm_layer layer = conv_layer(65536, 512, 1, 1, 1);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work =
      dsm_pass_work_derive(&layer, &machine, (dsm_precision){2, 2, 2, 0, 1, 1, 0, 0, 0},
                           DSM_MODE_INFERENCE, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 512, &none);
  const dsm_loops whole = {{1, 1, 1, 1, 1}};
  const dsm_resources spent = dsm_invocation_resources(&work, &whole);
  expect_tile(&work.tiles.tile, 128, 64, 16);
  ASSERT_CLOSE(spent.cycles[DSM_BOUND_COMPUTE], 5 * 40960);
  ASSERT_CLOSE(spent.cycles[DSM_BOUND_STARTUP], 5 * 1410);
  ASSERT_CLOSE(spent.cycles[DSM_BOUND_AUXILIARY_MEMORY],
               2 * 16 * 512 * 512 * 4 / (2039 * 0.85 / 1.41));
  double sum = 0;
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    sum += spent.cycles[b];
  }
  ASSERT_CLOSE(sum, dsm_invocation_score(&work, &whole).total);
}
END_TEST

/* --- each operand once: a scratchpad of next to nothing fetches nothing again */

START_TEST(test_operands_are_fetched_once) {
  const dsm_layer layer = conv_layer(64, 32, 9, 9, 1);
  dsm_residency none = dsm_residency_none(&machine);
  none.scratchpad_bytes = 2;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_work work =
        dsm_pass_work_derive(&layer, &machine, (dsm_precision){2, 2, 2, 0, 1, 1, 0, 0, 0},
                             DSM_MODE_TRAINING, (dsm_pass)p, DSM_PARALLELISM_DATA, 4, &none);
    const dsm__refetch refetch = dsm__refetch_derive(&work, &(dsm__core_bytes){1e6, 1e6, 1e6},
                                                     &(dsm__core_extents){.in = 1});
    ASSERT_CLOSE(refetch.features, 1);
    ASSERT_CLOSE(refetch.kernel, 1);
  }
}
END_TEST

START_TEST(test_core_splits_have_one_part) {
  ck_assert_uint_eq(dsm_split_cores(&chips), 1);
  chips.model.tile_schedule = false;
  ck_assert_uint_eq(dsm_split_cores(&chips), 4);
}
END_TEST

/* --- of random products */

static double found_cycles(const dsm_system *system, const dsm__product *product) {
  const dsm_machine of = dsm_machine_derive(system);
  return dsm__tile_schedule_find(&of, &two_bytes, product, 1).cycles;
}

static void expect_no_slower(const dsm_system *system, const dsm__product *product) {
  ck_assert_double_le(found_cycles(system, product), found_cycles(&chips, product) * (1 + 1e-12));
}

START_TEST(test_more_of_anything_is_never_slower) {
  uint64_t state = 1 + (uint64_t)_i;
  for (int run = 0; run < 200; run++) {
    chips.chip.core_link_bandwidth_GBps = (double)(1 + random_below(&state, 256));
    const dsm__product product = {.batch = (double)(1 + random_below(&state, 5)),
                                  .rows = (double)(1 + random_below(&state, 200)),
                                  .columns = (double)(1 + random_below(&state, 200)),
                                  .summed = (double)(1 + random_below(&state, 5000))};
    const dsm_tile_schedule time = dsm__tile_schedule_find(&machine, &two_bytes, &product, 1);
    ASSERT_CLOSE(time.cycles, time.arrays + time.ring + time.startup + time.memory);
    const double macs = product.batch * product.rows * product.columns * product.summed;
    ck_assert_double_ge(time.cycles * (1 + 1e-12), macs / (4 * 16 * 0.5));
    dsm_system other = chips;
    other.chip.core_link_bandwidth_GBps *= 2;
    expect_no_slower(&other, &product);
    other = chips;
    other.chip.memory.bandwidth_GBps *= 2;
    expect_no_slower(&other, &product);
    other = chips;
    other.array.efficiency_ratio = 1;
    expect_no_slower(&other, &product);
    other = chips;
    other.core.tile_startup_us /= 2;
    expect_no_slower(&other, &product);
    other = chips;
    other.core.tile_most_elements *= 2;
    expect_no_slower(&other, &product);
    other = chips;
    other.core.shared_operands *= 2;
    expect_no_slower(&other, &product);
  }
}
END_TEST

Suite *suite_tiles(void) {
  Suite *const suite = suite_create("tiles");
  TCase *const hand = tcase_create("by hand");
  tcase_add_checked_fixture(hand, set_up, NULL);
  tcase_add_test(hand, test_stated_peak_takes_each_product_at_its_rate);
  tcase_add_test(hand, test_waves_of_tiles_take_as_long_as_their_arrays);
  tcase_add_test(hand, test_tiles_that_wait_for_operands_are_the_rings);
  tcase_add_test(hand, test_sharers_fetch_the_longer_side_once);
  tcase_add_test(hand, test_parts_of_sums_cross_the_memory);
  tcase_add_test(hand, test_cores_of_a_training_step_have_the_clock_that_they_sustain);
  tcase_add_test(hand, test_one_core_whose_tiles_divide_all_computes_at_its_rate);
  tcase_add_test(hand, test_the_best_of_all_shapes_is_taken_for_each_turn);
  tcase_add_test(hand, test_fewer_waves_pay_start_ups_less_often);
  tcase_add_test(hand, test_sums_are_cut_while_enough_is_left_in_each);
  tcase_add_test(hand, test_a_convolution_is_a_product_in_each_pass);
  tcase_add_test(hand, test_groups_are_products_of_their_own);
  tcase_add_test(hand, test_each_sample_of_a_matmul_has_its_own_operand);
  tcase_add_test(hand, test_operands_are_fetched_once);
  tcase_add_test(hand, test_core_splits_have_one_part);
  tcase_add_loop_test(hand, test_more_of_anything_is_never_slower, 0, 3);
  suite_add_tcase(suite, hand);
  TCase *const gpus = tcase_create("gpu");
  tcase_add_checked_fixture(gpus, set_up_gpu, NULL);
  tcase_add_loop_test(gpus, test_products_of_a_gpu, 0, COUNT_OF(gpu_products));
  tcase_add_test(gpus, test_what_decides_a_product_of_a_gpu);
  suite_add_tcase(suite, gpus);
  return suite;
}
