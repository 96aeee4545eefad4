/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a core, how often they are fetched, and what that makes of memory traffic. */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
}

/* --- bytes of a core. k = (2, 3, 5, 7, 11):
 * inp / (2*5*11) = 1430/110 = 13, raw / (3*5*11) = 2805/165 = 17, ker / (2*7*3) = 798/42 = 19 */

static const dsm_chip_bytes of_chip = {.input = 1430, .stored = 1, .raw = 2805, .kernel = 798};

START_TEST(test_core_has_its_share_of_each_data_structure) {
  const dsm_layer fc = fc_layer(12, 20);
  const dsm_loops split = loops(2, 3, 5, 7, 11);
  const dsm__core_bytes bytes = dsm__core_bytes_derive(&fc, fc.groups, &of_chip, &split);
  ck_assert_double_eq(bytes.input, 13);
  ck_assert_double_eq(bytes.output, 17);
  ck_assert_double_eq(bytes.kernel, 19);
}
END_TEST

/* k_mb in place of k_out: 798 / (2 * 7 * 11) */
START_TEST(test_matmul_operand_is_divided_by_samples_not_outputs) {
  const dsm_layer matmul = matmul_layer(12, 20, 1);
  const dsm_loops split = loops(2, 3, 5, 7, 11);
  const dsm__core_bytes bytes = dsm__core_bytes_derive(&matmul, matmul.groups, &of_chip, &split);
  ck_assert_double_eq(bytes.input, 13);
  ck_assert_double_eq(bytes.output, 17);
  ASSERT_CLOSE(bytes.kernel, 798.0 / 154);
}
END_TEST

START_TEST(test_one_core_has_the_chips_bytes) {
  const dsm_layer layers[] = {fc_layer(12, 20), matmul_layer(12, 20, 1),
                              conv_layer(12, 20, 9, 9, 4)};
  const dsm_loops split = loops(1, 1, 1, 1, 1);
  for (int i = 0; i < COUNT_OF(layers); i++) {
    const dsm__core_bytes bytes =
        dsm__core_bytes_derive(&layers[i], layers[i].groups, &of_chip, &split);
    ck_assert_double_eq(bytes.input, 1430);
    ck_assert_double_eq(bytes.output, 2805);
    ck_assert_double_eq(bytes.kernel, 798);
  }
}
END_TEST

/* With 4 groups, cores that have different groups read different inputs: 1430 / min(4, k_out). */
START_TEST(test_cores_with_different_groups_read_different_inputs) {
  static const double input_bytes[] = {1430, 1430.0 / 2, 1430.0 / 3, 1430.0 / 4, 1430.0 / 4};
  const dsm_layer grouped = conv_layer(12, 20, 9, 9, 4);
  const dsm_loops split = loops(1, (uint64_t)_i + 1, 1, 1, 1);
  ASSERT_CLOSE(dsm__core_bytes_derive(&grouped, grouped.groups, &of_chip, &split).input,
               input_bytes[_i]);
}
END_TEST

/* 1430 / (4 * 2 * 5 * 11) = 3.25 */
START_TEST(test_grouped_inputs_are_divided_by_the_other_loops_too) {
  const dsm_layer grouped = conv_layer(12, 20, 9, 9, 4);
  const dsm_loops split = loops(2, 5, 5, 1, 11);
  ck_assert_double_eq(dsm__core_bytes_derive(&grouped, grouped.groups, &of_chip, &split).input,
                      3.25);
}
END_TEST

/* g = 6, k_out = 9: nine cores cannot give each group one and a half, so each has one; the output
 * and the kernel are in 6 parts, not 9: 18 bytes / 6 = 3. */
START_TEST(test_groups_divide_outputs_by_the_cores_that_work) {
  const dsm_layer grouped = {.groups = 6};
  const dsm_chip_bytes bytes_of_chip = {.input = 18, .raw = 18, .kernel = 18};
  const dsm_loops split = {{1, 9, 1, 1, 1}};
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(&grouped, grouped.groups, &bytes_of_chip, &split);
  ck_assert_double_eq(bytes.output, 3);
  ck_assert_double_eq(bytes.kernel, 3);
  ck_assert_double_eq(bytes.input, 3);
}
END_TEST

/* --- how often things are fetched. A tile is 16384 / 2 = 8192 bytes. */

enum { TILE = 8192 };

static const double feature_bytes = 100;

static dsm__refetch refetch_of(dsm_pass pass, dsm_chip_bytes bytes, double s_in, double s_out,
                               double kcore) {
  const dsm_layer fc = fc_layer(1, 1);
  const dsm_pass_work work = {.layer = &fc,
                              .machine = &machine,
                              .pass = pass,
                              .residency = dsm_residency_none(&machine),
                              .bytes = bytes};
  return dsm__refetch_derive(&work, &(dsm__core_bytes){s_in, s_out, kcore},
                             &(dsm__core_extents){.in = 1});
}

START_TEST(test_what_fits_a_tile_is_fetched_once) {
  const dsm_chip_bytes bytes = {.input_moved = 5, .output_moved = 7, .kernel_moved = 11};
  const dsm__refetch refetch = refetch_of((dsm_pass)_i, bytes, TILE, TILE, TILE);
  ck_assert_double_eq(refetch.features, 1);
  ck_assert_double_eq(refetch.kernel, 1);
}
END_TEST

/* Kernels of one tile, and one byte more, beside features that do not fit either. */
START_TEST(test_kernel_just_over_a_tile_is_two_tiles) {
  const dsm_chip_bytes bytes = {.input_moved = 1, .output_moved = 1, .kernel_moved = 1000};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const double huge = 100.0 * TILE;
    ck_assert_double_eq(refetch_of((dsm_pass)pass, bytes, huge, huge, TILE).features, 1);
    ck_assert_double_eq(refetch_of((dsm_pass)pass, bytes, huge, huge, TILE + 1).features, 2);
    ck_assert_double_eq(refetch_of((dsm_pass)pass, bytes, huge, huge, 2 * TILE + 1).features, 3);
    ck_assert_double_eq(refetch_of((dsm_pass)pass, bytes, huge, huge, 2 * TILE + 1).kernel,
                        pass == DSM_PASS_UPDATE ? 3 : 1); /* there the output's errors */
  }
}
END_TEST

/* Three kernel tiles, two feature tiles. Features 100, kernel 50: 3*100 + 50 > 100 + 2*50. */
START_TEST(test_kernel_is_fetched_again_where_that_is_cheaper) {
  const dsm_chip_bytes bytes = {
      .input_moved = feature_bytes, .output_moved = feature_bytes, .kernel_moved = 50};
  for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
    const dsm__refetch refetch = refetch_of((dsm_pass)pass, bytes, 2 * TILE, 2 * TILE, 3 * TILE);
    ck_assert_double_eq(refetch.features, 1);
    ck_assert_double_eq(refetch.kernel, 2);
  }
}
END_TEST

/* Features 25, kernel 50: 3*25 + 50 = 25 + 2*50. */
START_TEST(test_features_are_fetched_again_of_equals) {
  const dsm_chip_bytes bytes = {.input_moved = 25, .output_moved = 25, .kernel_moved = 50};
  for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
    const dsm__refetch refetch = refetch_of((dsm_pass)pass, bytes, 2 * TILE, 2 * TILE, 3 * TILE);
    ck_assert_double_eq(refetch.features, 3);
    ck_assert_double_eq(refetch.kernel, 1);
  }
}
END_TEST

/* The kernel, of two tiles, moves past inputs in forward and past output errors in backward. */
START_TEST(test_kernel_is_fetched_once_a_tile_of_what_the_pass_reads) {
  const dsm_chip_bytes bytes = {.input_moved = 1000, .output_moved = 1000, .kernel_moved = 1};
  ck_assert_double_eq(refetch_of(DSM_PASS_FORWARD, bytes, TILE, 5 * TILE, 2 * TILE).kernel, 1);
  ck_assert_double_eq(refetch_of(DSM_PASS_FORWARD, bytes, TILE + 1, 5 * TILE, 2 * TILE).kernel, 2);
  ck_assert_double_eq(refetch_of(DSM_PASS_BACKWARD, bytes, 5 * TILE, TILE, 2 * TILE).kernel, 1);
  ck_assert_double_eq(refetch_of(DSM_PASS_BACKWARD, bytes, 5 * TILE, TILE + 1, 2 * TILE).kernel, 2);
}
END_TEST

/* Errors 20 and state 10, kernel 50, 3 kernel and 2 error tiles: 3*30 + 50 > 30 + 2*50, although
 * 3*20 + 50 < 20 + 2*50. */
START_TEST(test_lstm_state_is_fetched_as_often_as_the_errors) {
  const dsm_chip_bytes bytes = {.output_moved = 20, .state = 10, .kernel_moved = 50};
  ck_assert_double_eq(refetch_of(DSM_PASS_BACKWARD, bytes, TILE, 2 * TILE, 3 * TILE).kernel, 2);
}
END_TEST

START_TEST(test_update_has_one_loop_order) {
  const dsm_chip_bytes bytes = {
      .input_moved = 1000, .output_moved = 1000, .kernel_moved = 1, .gradient = 1};
  const dsm__refetch refetch = refetch_of(DSM_PASS_UPDATE, bytes, TILE, TILE, 3 * TILE);
  ck_assert_double_eq(refetch.features, 3);
  ck_assert_double_eq(refetch.kernel, 3); /* errors of the output */
}
END_TEST

/* --- what a residency changes of it */

static dsm__refetch refetch_beside(dsm_pass pass, dsm_residency residency, double s_core,
                                   double kcore) {
  const dsm_chip_bytes bytes = {
      .input_moved = 1000, .output_moved = 1000, .kernel_moved = 1000, .gradient = 1000};
  const dsm_layer fc = fc_layer(1, 1);
  const dsm_pass_work work = {
      .layer = &fc, .machine = &machine, .pass = pass, .residency = residency, .bytes = bytes};
  return dsm__refetch_derive(&work, &(dsm__core_bytes){s_core, s_core, kcore},
                             &(dsm__core_extents){.in = 1});
}

/* Ten tiles of a kernel that is on chip, beside features that do not fit: n1 = 1, not 10. */
START_TEST(test_features_pass_a_resident_kernel_once) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.resident_fraction = 1;
  const dsm__refetch refetch = refetch_beside((dsm_pass)_i, residency, 100.0 * TILE, 10.0 * TILE);
  ck_assert_double_eq(refetch.features, 1);
  ck_assert_double_eq(refetch.kernel, 1);
}
END_TEST

/* The part that streams has its tiles still: n1 counts those of the whole kcore. */
START_TEST(test_kernel_that_is_not_wholly_resident_has_all_its_tiles) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.resident_fraction = 0.999;
  ck_assert_double_eq(refetch_beside((dsm_pass)_i, residency, 100.0 * TILE, 3.0 * TILE).features,
                      3);
}
END_TEST

/* Half of what is left of a scratchpad: of 16384, 8192, 6000 and 1024 bytes. A kernel of 4096 bytes
 * is ceil(4096 / 8192) = 1, ceil(4096 / 4096) = 1, ceil(4096 / 3000) = 2, ceil(4096 / 512) = 8
 * tiles; one of 4097 bytes 1, 2, 2 and 9. */
static const struct {
  double scratchpad_bytes;
  double tiles_of_4096;
  double tiles_of_4097;
} cap_cases[] = {{16384, 1, 1}, {8192, 1, 2}, {6000, 2, 2}, {1024, 8, 9}};

START_TEST(test_tile_is_half_of_the_scratchpad_left) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.scratchpad_bytes = cap_cases[_i].scratchpad_bytes;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass p = (dsm_pass)pass;
    const double huge = 1e9;
    ck_assert_double_eq(refetch_beside(p, residency, huge, 4096).features,
                        cap_cases[_i].tiles_of_4096);
    ck_assert_double_eq(refetch_beside(p, residency, huge, 4097).features,
                        cap_cases[_i].tiles_of_4097);
    if (p != DSM_PASS_UPDATE) {
      ck_assert_double_eq(refetch_beside(p, residency, 4097, huge).kernel,
                          cap_cases[_i].tiles_of_4097);
    }
  }
}
END_TEST

/* Inputs on chip cost nothing to pass again: the kernel is fetched once, however many its tiles. */
START_TEST(test_held_features_pass_any_number_of_times) {
  const dsm_chip_bytes bytes = {.input = 1000, .kernel_moved = 1};
  const dsm__refetch refetch =
      refetch_of(DSM_PASS_FORWARD, bytes, 5.0 * TILE, 5.0 * TILE, 9.0 * TILE);
  ck_assert_double_eq(refetch.kernel, 1);
}
END_TEST

/* --- memory traffic. Each volume has a digit of its own; features 2 times, the kernel 3 times. */

static const dsm_chip_bytes digits = {
    .input = 3, /* shapes: none of the four crosses the memory bus as such */
    .stored = 3,
    .raw = 3,
    .kernel = 3,
    .input_moved = 1,
    .output_moved = 10,
    .kernel_moved = 100,
    .state = 1e3,
    .mask = 1e4,
    .statistics = 1e5,
    .shortcut = 1e6,
    .gradient = 1e7,
    .deferred = 1e8,
    .fork = 1e9,
    .rotation = 5e10,    /* is counted apart */
    .input_move = 5e11,  /* among the cores */
    .output_move = 5e12, /* likewise */
};

static double memory_bytes(dsm_pass pass, dsm_chip_bytes bytes, dsm__refetch refetch) {
  const dsm_pass_work work = {.machine = &machine, .pass = pass, .bytes = bytes};
  return dsm__memory_bytes(&work, refetch);
}

/* 2 * inp + 3 * ker + st + save + fix + defer */
START_TEST(test_forward_reads_inputs_kernel_and_shortcut_and_writes_output_and_state) {
  ck_assert_double_eq(memory_bytes(DSM_PASS_FORWARD, digits, (dsm__refetch){2, 3, 0}), 101001312);
}
END_TEST

/* 2 * (st + save) + 3 * ker + inp + mask + fix, that of the input last */
START_TEST(test_backward_reads_errors_state_kernel_mask_and_shortcut_and_writes_errors) {
  ck_assert_double_eq(memory_bytes(DSM_PASS_BACKWARD, digits, (dsm__refetch){2, 3, 0}), 1001012321);
}
END_TEST

/* 2 * (inp + st + statistics) + gradient */
START_TEST(test_update_reads_inputs_errors_and_statistics_and_writes_gradients) {
  ck_assert_double_eq(memory_bytes(DSM_PASS_UPDATE, digits, (dsm__refetch){2, 2, 0}), 10200022);
}
END_TEST

START_TEST(test_no_bytes_are_no_traffic) {
  ck_assert_double_eq(memory_bytes((dsm_pass)_i, (dsm_chip_bytes){0}, (dsm__refetch){2, 3, 0}), 0);
}
END_TEST

/* Both loop orders walked tile by tile: an outer tile stays while all of the inner structure
 * passes. On one core a chip's and a core's bytes are the same. */
static double walk(double outer_bytes, double inner_bytes) {
  double fetched = 0;
  for (int tile = 0; (double)tile * TILE < outer_bytes; tile++) {
    fetched += inner_bytes;
  }
  return fetched + outer_bytes;
}

START_TEST(test_memory_traffic_is_the_cheaper_loop_order_walked_tile_by_tile) {
  static const double sizes[] = {1,        TILE / 2.0,   TILE - 1,   TILE,     TILE + 1,
                                 2 * TILE, 2 * TILE + 1, 2.5 * TILE, 9 * TILE, 9 * TILE + 1};
  const dsm_pass pass = (dsm_pass)_i;
  for (int f = 0; f < COUNT_OF(sizes); f++) {
    for (int k = 0; k < COUNT_OF(sizes); k++) {
      const double moving = sizes[f];
      const double kernel = sizes[k];
      const dsm_chip_bytes bytes = {.input_moved = pass == DSM_PASS_FORWARD ? moving : 0,
                                    .output_moved = pass == DSM_PASS_BACKWARD ? moving : 0,
                                    .kernel_moved = kernel};
      const dsm__refetch refetch = refetch_of(pass, bytes, moving, moving, kernel);
      const double kernel_outer = walk(kernel, moving);
      const double feature_outer = walk(moving, kernel);
      ck_assert_double_eq(memory_bytes(pass, bytes, refetch), fmin(kernel_outer, feature_outer));
    }
  }
}
END_TEST

/* --- padded tiles of 8 x 128 */

static const struct {
  uint64_t samples;
  double features;
  double padding;
} paddings[] = {{128, 64, 1}, {64, 64, 2}, {64, 256, 1}, {16, 64, 2}, {4, 256, 2}};

START_TEST(test_sides_are_padded_to_whole_tiles) {
  const dsm_memory memory = {.tile_minor = 128, .tile_second = 8, .stacks = 1};
  const dsm_memory halves = {.tile_minor = 128, .tile_second = 8, .stacks = 2};
  const dsm_memory plain = {.tile_minor = 1, .tile_second = 1, .stacks = 1};
  ck_assert_double_eq(dsm__padding(&memory, paddings[_i].samples, paddings[_i].features),
                      paddings[_i].padding);
  ck_assert_double_eq(dsm__padding(&halves, 2 * paddings[_i].samples, paddings[_i].features),
                      paddings[_i].padding);
  ck_assert_double_eq(dsm__padding(&plain, paddings[_i].samples, paddings[_i].features), 1);
}
END_TEST

static dsm_chip_bytes bytes_of(const dsm_layer *layer, const dsm_system *system, dsm_pass pass) {
  const dsm_machine of = dsm_machine_derive(system);
  dsm_residency residency = dsm_residency_none(&of);
  residency.deferred_bytes = 100;
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, &of, friendly_precision(), DSM_MODE_TRAINING, pass,
                           DSM_PARALLELISM_DATA, 16, &residency);
  return work.bytes;
}

/* 16 samples: of 64 features twice the bytes, of 256 as many. Kernels have no gaps. */
START_TEST(test_tensors_are_padded_by_their_own_features) {
  const dsm_layer layer = with_residual_and_norm(conv_layer(64, 256, 9, 9, 1));
  dsm_system system = friendly_system(1, 1);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    system.chip.memory.tile_minor = 1;
    system.chip.memory.tile_second = 1;
    const dsm_chip_bytes plain = bytes_of(&layer, &system, (dsm_pass)p);
    system.chip.memory.tile_minor = 128;
    system.chip.memory.tile_second = 8;
    const dsm_chip_bytes padded = bytes_of(&layer, &system, (dsm_pass)p);
    ASSERT_CLOSE(padded.input, 2 * plain.input);
    ASSERT_CLOSE(padded.mask, 2 * plain.mask);
    ASSERT_CLOSE(padded.deferred, 2 * plain.deferred);
    ASSERT_CLOSE(padded.rotation, 2 * plain.rotation);
    ASSERT_CLOSE(padded.stored, plain.stored);
    ASSERT_CLOSE(padded.raw, plain.raw);
    ASSERT_CLOSE(padded.statistics, plain.statistics);
    ASSERT_CLOSE(padded.shortcut, plain.shortcut);
    ASSERT_CLOSE(padded.kernel_moved, plain.kernel_moved);
    ASSERT_CLOSE(padded.gradient, plain.gradient);
  }
}
END_TEST

/* 128 gates are whole tiles, 32 hidden units are not. */
START_TEST(test_hidden_units_and_gates_of_an_lstm_are_padded_apart) {
  const dsm_layer layer = lstm_layer(96, 32, 2);
  dsm_system system = friendly_system(1, 1);
  const dsm_chip_bytes plain = bytes_of(&layer, &system, DSM_PASS_FORWARD);
  system.chip.memory.tile_minor = 128;
  system.chip.memory.tile_second = 8;
  const dsm_chip_bytes padded = bytes_of(&layer, &system, DSM_PASS_FORWARD);
  ASSERT_CLOSE(padded.raw, plain.raw);
  ASSERT_CLOSE(padded.stored, 4 * plain.stored);
  ASSERT_CLOSE(padded.state, 4 * plain.state);
  ASSERT_CLOSE(padded.input, plain.input); /* 96 + 32 */
}
END_TEST

Suite *suite_memory_traffic(void) {
  Suite *const suite = suite_create("memory_traffic");
  TCase *const padded = tcase_create("padded tiles");
  tcase_add_loop_test(padded, test_sides_are_padded_to_whole_tiles, 0, COUNT_OF(paddings));
  tcase_add_test(padded, test_tensors_are_padded_by_their_own_features);
  tcase_add_test(padded, test_hidden_units_and_gates_of_an_lstm_are_padded_apart);
  suite_add_tcase(suite, padded);
  TCase *const core = tcase_create("core");
  tcase_add_test(core, test_groups_divide_outputs_by_the_cores_that_work);
  tcase_add_test(core, test_core_has_its_share_of_each_data_structure);
  tcase_add_test(core, test_matmul_operand_is_divided_by_samples_not_outputs);
  tcase_add_test(core, test_one_core_has_the_chips_bytes);
  tcase_add_loop_test(core, test_cores_with_different_groups_read_different_inputs, 0, 5);
  tcase_add_test(core, test_grouped_inputs_are_divided_by_the_other_loops_too);
  suite_add_tcase(suite, core);
  TCase *const refetch = tcase_create("refetch");
  tcase_add_checked_fixture(refetch, set_up, NULL);
  tcase_add_loop_test(refetch, test_what_fits_a_tile_is_fetched_once, 0, DSM_PASS_COUNT);
  tcase_add_test(refetch, test_kernel_just_over_a_tile_is_two_tiles);
  tcase_add_test(refetch, test_kernel_is_fetched_again_where_that_is_cheaper);
  tcase_add_test(refetch, test_features_are_fetched_again_of_equals);
  tcase_add_test(refetch, test_kernel_is_fetched_once_a_tile_of_what_the_pass_reads);
  tcase_add_test(refetch, test_lstm_state_is_fetched_as_often_as_the_errors);
  tcase_add_test(refetch, test_update_has_one_loop_order);
  tcase_add_loop_test(refetch, test_features_pass_a_resident_kernel_once, 0, DSM_PASS_COUNT);
  tcase_add_loop_test(refetch, test_kernel_that_is_not_wholly_resident_has_all_its_tiles, 0,
                      DSM_PASS_COUNT);
  tcase_add_loop_test(refetch, test_tile_is_half_of_the_scratchpad_left, 0, COUNT_OF(cap_cases));
  tcase_add_test(refetch, test_held_features_pass_any_number_of_times);
  suite_add_tcase(suite, refetch);
  TCase *const memory = tcase_create("memory");
  tcase_add_checked_fixture(memory, set_up, NULL);
  tcase_add_test(memory, test_forward_reads_inputs_kernel_and_shortcut_and_writes_output_and_state);
  tcase_add_test(memory,
                 test_backward_reads_errors_state_kernel_mask_and_shortcut_and_writes_errors);
  tcase_add_test(memory, test_update_reads_inputs_errors_and_statistics_and_writes_gradients);
  tcase_add_loop_test(memory, test_no_bytes_are_no_traffic, 0, DSM_PASS_COUNT);
  tcase_add_loop_test(memory, test_memory_traffic_is_the_cheaper_loop_order_walked_tile_by_tile,
                      DSM_PASS_FORWARD, DSM_PASS_BACKWARD + 1);
  suite_add_tcase(suite, memory);
  return suite;
}
