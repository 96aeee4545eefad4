/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdint.h>

#include "fixture.h"

static dsm_system chips;
static dsm_machine machine;

static void build(uint64_t chips_x, uint64_t chips_y) {
  chips = friendly_system(chips_x, chips_y);
  machine = dsm_machine_derive(&chips);
}

/* 8 chips of 4 cores with 16384 bytes each; streaming buffers of 4096 bytes. */
static void set_up(void) {
  build(4, 2);
}

START_TEST(test_at_first_nothing_is_on_chip) {
  const dsm_residency none = dsm_residency_none(&machine);
  ck_assert(!none.is_input_held && !none.is_output_held && !none.is_shortcut_held);
  ck_assert(!none.is_accumulating);
  ck_assert_double_eq(none.resident_fraction, 0);
  ck_assert_double_eq(none.deferred_bytes, 0);
  ck_assert_double_eq(none.scratchpad_bytes, 16384);
}
END_TEST

/* --- factors of spatial minibatching on 8 chips */

typedef struct factor_case {
  uint64_t minibatch;
  uint64_t factor;
  bool is_valid;
} factor_case;

static const factor_case factors[] = {
    {64, 1, true},
    {64, 2, true},
    {64, 4, true},
    {64, 8, true},   /* 64 / 8 = 8, just a sample a chip */
    {64, 16, false}, /* 4 samples for 8 chips */
    {64, 3, false},  /* does not divide */
    {96, 3, false},  /* divides, but is no power of two */
    {96, 6, false},  /* even, but no power of two */
    {96, 12, false},
    {96, 4, true}, /* 24 */
    {96, 8, true}, /* 12 */
    {96, 16, false},
    {65, 1, true},
    {65, 2, false}, /* odd */
    {66, 2, true},  /* 33: odd halves are fine */
    {66, 4, false},
    {16, 2, true},  /* 8 = chips */
    {14, 2, false}, /* 7 < chips */
    {8, 2, false},
    {8, 1, true},
    {3, 1, true}, /* fewer samples than chips: 1 is always valid */
    {1, 1, true},
    {64, 0, false},
    {64, 64, false},
    {64, 128, false},                                    /* more than samples */
    {(uint64_t)1 << 40, (uint64_t)1 << 37, true},        /* 8 */
    {(uint64_t)1 << 40, (uint64_t)1 << 38, false},       /* 4 */
    {((uint64_t)1 << 40) + 8, (uint64_t)1 << 3, true},   /* divides 2^40 + 8 */
    {((uint64_t)1 << 40) + 8, (uint64_t)1 << 4, false},  /* does not */
    {(uint64_t)1 << 40, ((uint64_t)1 << 37) + 1, false}, /* odd */
    {(uint64_t)1 << 40, (uint64_t)1 << 63, false},       /* no overflow */
    {UINT64_MAX - 1, 2, true},
    {UINT64_MAX, 2, false}, /* even, odd */
};

START_TEST(test_factor_is_a_power_of_two_that_leaves_each_chip_a_sample) {
  const factor_case *const c = &factors[_i];
  const dsm_layer layers[] = {conv_layer(12, 20, 36, 4, 1), fc_layer(12, 20), lstm_layer(3, 5, 1),
                              matmul_layer(6, 7, 1), conv_layer(12, 20, 9, 9, 4)};
  for (int l = 0; l < COUNT_OF(layers); l++) {
    ck_assert_int_eq(dsm_dysm_factor_is_valid(&layers[l], &machine, c->minibatch, c->factor),
                     c->is_valid);
  }
}
END_TEST

/* The invocations of a layer with timesteps are its timesteps. */
START_TEST(test_layer_with_timesteps_has_no_other_factor_than_1) {
  dsm_layer fc = fc_layer(12, 20);
  fc.timesteps = 2;
  const dsm_layer layers[] = {fc, lstm_layer(3, 5, 2), matmul_layer(6, 7, 50)};
  for (int l = 0; l < COUNT_OF(layers); l++) {
    ck_assert(dsm_dysm_factor_is_valid(&layers[l], &machine, 64, 1));
    ck_assert(!dsm_dysm_factor_is_valid(&layers[l], &machine, 64, 2));
    ck_assert(!dsm_dysm_factor_is_valid(&layers[l], &machine, 64, 8));
  }
}
END_TEST

/* Every minibatch and factor up to 70, on tori of 1 to 9 chips: halve as often as it goes. */
START_TEST(test_valid_factors_are_those_that_halving_finds) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const uint64_t chip_count = (uint64_t)_i;
  build(chip_count, 1);
  for (uint64_t minibatch = 1; minibatch <= 70; minibatch++) {
    bool is_found[71] = {false};
    is_found[1] = true;
    uint64_t samples = minibatch;
    for (uint64_t factor = 2; samples % 2 == 0 && samples / 2 >= chip_count; factor *= 2) {
      samples /= 2;
      is_found[factor] = true;
    }
    for (uint64_t factor = 0; factor <= 70; factor++) {
      ck_assert_int_eq(dsm_dysm_factor_is_valid(&conv, &machine, minibatch, factor),
                       is_found[factor]);
    }
  }
}
END_TEST

/* --- bytes of a tensor on a chip. 180 elements, 10 samples:
 * 180*2*2; 180*10/8*2; nm 2, mbc 3: 180*3/2*2; nm 4, mbc 5: 180*5/4*2 */

static const double tensor_bytes[DSM_PARALLELISM_COUNT_OF(2)] = {
    [DSM_PARALLELISM_DATA] = 720,
    [DSM_PARALLELISM_MODEL] = 450,
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = 540,
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = 450,
};

START_TEST(test_tensor_takes_its_share_of_a_chip) {
  ck_assert_double_eq(
      dsm_tensor_chip_bytes(180, &machine, friendly_precision(), (dsm_parallelism)_i, 10),
      tensor_bytes[_i]);
  ck_assert_double_eq(
      dsm_tensor_chip_bytes(0, &machine, friendly_precision(), (dsm_parallelism)_i, 10), 0);
}
END_TEST

START_TEST(test_one_chip_has_all_of_a_tensor) {
  build(1, 1);
  ck_assert_double_eq(
      dsm_tensor_chip_bytes(180, &machine, friendly_precision(), (dsm_parallelism)_i, 10), 3600);
}
END_TEST

/* What holding takes is what is then not written: st of the pass that makes it. */
START_TEST(test_held_tensor_takes_what_it_saves) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const dsm_residency none = dsm_residency_none(&machine);
  for (uint64_t samples = 1; samples <= 33; samples++) {
    const dsm_pass_work work =
        dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_FORWARD, (dsm_parallelism)_i, samples, &none);
    ck_assert_double_eq(dsm_tensor_chip_bytes(conv.stored_elements, &machine, friendly_precision(),
                                              (dsm_parallelism)_i, samples),
                        work.bytes.output_moved);
  }
}
END_TEST

/* --- room */

/* 4 * (16384 - 4096) = 49152; with 288 bytes preloaded 4 * 12000. */
START_TEST(test_held_tensors_leave_the_streaming_buffers) {
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 0), 49152);
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 288), 48000);
  chips.chip.cores = 3;
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 0), 36864);
  chips.core.streaming_buffer_KiB = 0;
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 0), 49152);
}
END_TEST

/* Preloaded 12288 + 1, or buffers of 17 KiB: not even an empty tensor. */
START_TEST(test_nothing_can_be_held_without_room) {
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 12288), 0);
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 12289), -4);
  chips.core.streaming_buffer_KiB = 17;
  ck_assert_double_eq(dsm_held_limit_bytes(&machine, 0), -4096);
}
END_TEST

/* A sixteenth is 1024; what 4 cores hold takes a quarter of itself of each. */
static const struct {
  double preloaded_bytes; /* of a core */
  double held_bytes;      /* of the chip */
  double left_bytes;      /* of a core */
} left_cases[] = {
    {0, 0, 16384},      {0, 4, 16383},        {0, 32768, 8192},    {0, 61440, 1024}, /* just */
    {0, 61444, 1024},   {0, 65536, 1024},     {0, 1e9, 1024},      {8192, 0, 8192},
    {8192, 4, 8191},    {8192, 28672, 1024},  {8192, 28676, 1024}, {15360, 0, 1024},
    {15361, 0, 1024},   {16384, 65536, 1024}, {15359, 0, 1025},    {15359, 4, 1024},
    {15359, 2, 1024.5},
};

START_TEST(test_at_least_a_sixteenth_of_a_scratchpad_is_left) {
  ck_assert_double_eq(dsm_scratchpad_left_bytes(&machine, left_cases[_i].preloaded_bytes,
                                                left_cases[_i].held_bytes),
                      left_cases[_i].left_bytes);
}
END_TEST

START_TEST(test_held_bytes_are_shared_by_the_cores) {
  chips.chip.cores = 1;
  ck_assert_double_eq(dsm_scratchpad_left_bytes(&machine, 0, 384), 16000);
  chips.chip.cores = 32;
  ck_assert_double_eq(dsm_scratchpad_left_bytes(&machine, 0, 12288), 16000);
}
END_TEST

/* What the limit allows leaves the streaming buffers, here 4096 bytes, or more. */
START_TEST(test_full_chip_leaves_the_streaming_buffers) {
  for (int preloaded = 0; preloaded <= 12288; preloaded += 512) {
    const double limit = dsm_held_limit_bytes(&machine, preloaded);
    ck_assert_double_eq(dsm_scratchpad_left_bytes(&machine, preloaded, limit), 4096);
  }
}
END_TEST

/* --- kernels that stay over timesteps: 3/4 of what is left; in backward and update two copies */

START_TEST(test_resident_kernel_takes_its_fraction_of_what_is_left) {
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_FORWARD, 16384), 12288);
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_BACKWARD, 16384), 6144);
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_UPDATE, 16384), 6144);
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_FORWARD, 1024), 768);
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_UPDATE, 1024), 384);
}
END_TEST

/* kcore * 0 <= cap * 0.75, whatever kcore. Forward has its one copy still. */
START_TEST(test_without_copies_any_kernel_stays_in_backward_and_update) {
  chips.model.bptt_resident_copies = 0;
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_FORWARD, 16384), 12288);
  ck_assert_double_ge(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_BACKWARD, 16384), 1e300);
  ck_assert_double_ge(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_UPDATE, 16384), 1e300);
  chips.core.resident_weight_fraction = 0; /* 0 <= 0 */
  ck_assert_double_ge(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_UPDATE, 16384), 1e300);
}
END_TEST

START_TEST(test_copies_need_not_be_whole) {
  chips.model.bptt_resident_copies = 0.5;
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_BACKWARD, 16384), 24576);
  chips.model.bptt_resident_copies = 3;
  ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, DSM_PASS_UPDATE, 16384), 4096);
}
END_TEST

START_TEST(test_without_fraction_no_kernel_stays) {
  chips.core.resident_weight_fraction = 0;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_double_eq(dsm_resident_kernel_limit_bytes(&machine, (dsm_pass)pass, 16384), 0);
  }
}
END_TEST

START_TEST(test_kernels_can_be_kept_where_there_are_timesteps) {
  const dsm_layer kinds[] = {conv_layer(12, 20, 36, 4, 1), fc_layer(12, 20),
                             lstm_layer(3, 5, 1),          lstm_layer(3, 5, 2),
                             matmul_layer(6, 7, 1),        matmul_layer(6, 7, 2)};
  const bool can[] = {false, false, false, true, false, true};
  dsm_layer fc = fc_layer(12, 20);
  fc.timesteps = 2;
  for (int is_resident = 0; is_resident <= 1; is_resident++) {
    chips.model.resident_operands = is_resident == 1;
    ck_assert(dsm_kernel_can_be_kept(&fc, &machine));
    for (int k = 0; k < COUNT_OF(kinds); k++) {
      const bool is_operand = kinds[k].is_product;
      ck_assert_int_eq(dsm_kernel_can_be_kept(&kinds[k], &machine),
                       can[k] && (is_resident == 1 || !is_operand));
    }
  }
}
END_TEST

/* --- preloaded weights: the scratchpad less a third of the streaming buffers */

START_TEST(test_preloaded_weights_need_no_buffer_of_their_own) {
  chips.core.streaming_buffer_KiB = 3; /* a third of them 1 KiB */
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 15360);
  chips.core.streaming_buffer_KiB = 0;
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 16384);
  chips.core.streaming_buffer_KiB = 4;
  ASSERT_CLOSE(dsm_preload_room_bytes(&machine), 16384 - 4096.0 / 3);
}
END_TEST

/* 48 KiB are three scratchpads: no room. One more, and it is not negative. */
START_TEST(test_room_for_preloaded_weights_is_never_negative) {
  chips.core.streaming_buffer_KiB = 45;
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 1024);
  chips.core.streaming_buffer_KiB = 48;
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 0);
  chips.core.streaming_buffer_KiB = 49;
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 0);
  chips.core.streaming_buffer_KiB = 1e9;
  ck_assert_double_eq(dsm_preload_room_bytes(&machine), 0);
}
END_TEST

/* --- a core's part of the kernel. S = 10 by data_x_model_y: ker = 960 / 2 * 2 = 960 */

START_TEST(test_core_has_its_part_of_the_kernel_wherever_it_is) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  const dsm_loops split = loops(2, 5, 3, 4, 7); /* 960 / (2 * 4 * 5) = 24 */
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_residency all = {.is_input_held = true,
                             .is_output_held = true,
                             .is_shortcut_held = true,
                             .is_accumulating = true,
                             .resident_fraction = 1,
                             .deferred_bytes = 1000,
                             .scratchpad_bytes = 1024};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work streamed =
        dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             (dsm_pass)pass, DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &none);
    const dsm_pass_work resident =
        dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             (dsm_pass)pass, DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &all);
    ck_assert_double_eq(dsm_core_kernel_bytes(&streamed, &split), 24);
    ck_assert_double_eq(dsm_core_kernel_bytes(&resident, &split), 24);
  }
}
END_TEST

/* By data: mbc = 2, 42 * 2 * 2 = 168 bytes of the operand, over k_in * k_kij * k_mb = 2 * 1 * 3. */
START_TEST(test_core_of_a_matmul_has_its_part_of_the_operand) {
  const dsm_layer matmul = matmul_layer(6, 7, 2);
  const dsm_loops split = loops(2, 5, 1, 1, 3);
  const dsm_residency none = dsm_residency_none(&machine);
  const dsm_pass_work work =
      dsm_pass_work_derive(&matmul, &machine, friendly_precision(), DSM_MODE_TRAINING,
                           DSM_PASS_BACKWARD, DSM_PARALLELISM_DATA, 10, &none);
  ck_assert_double_eq(dsm_core_kernel_bytes(&work, &split), 28);
}
END_TEST

/* --- the fraction that hides the fetching of the rest
 *
 * conv 8 -> 16, 16 positions, kernel 1, S = 8 by model_x_data_y, k = (1, 2, 2, 1, 1), without
 * startup: primary = 128 cycles, as is rotation along X, which puts 512 bytes on memory and ring;
 * io_in = 256, st = 512, ker = 64 bytes; s_in = 128, kcore = 32. */

typedef struct needed_case {
  double memory_bytes_per_cycle;
  double ring_bytes_per_cycle;
  double scratchpad_bytes;
  double fraction;
} needed_case;

static const needed_case needed_cases[] = {
    {10.5, 1000, 16384, 0},    /* 128 * 10.5 - 512 = 832 = 256 + 64 + 512 */
    {16, 1000, 16384, 0},      /* more than that */
    {10.25, 1000, 16384, 0.5}, /* 800: 32 bytes of the kernel */
    {10, 1000, 16384, 1},      /* 768: none */
    {9, 1000, 16384, 1},       /* features alone take longer */
    {1000, 10.25, 16384, 0.5}, /* the ring carries the same */
    {10.5, 10.25, 16384, 0.5}, /* the slower of them */
    {10.25, 1000, 64, 0.5},    /* the kernel is a tile, features are four: kernel-outer */
    {12.25, 1000, 32, 0.4375}, /* 1056: two tiles of kernel would leave 32 of 64 bytes, eight of
                                  features leave 288 of 512 */
    {10.25, 1000, 32, 0.9375}, /* 800: features twice are too much; 32 of 512 */
};

START_TEST(test_needed_fraction_hides_what_is_fetched) {
  const needed_case *const c = &needed_cases[_i];
  const dsm_layer conv = conv_layer(8, 16, 16, 1, 1);
  const dsm_loops split = loops(1, 2, 2, 1, 1);
  chips.array.startup_cycles = 0;
  machine.link_bytes_per_cycle[DSM_LINK_MEMORY] = c->memory_bytes_per_cycle;
  machine.link_bytes_per_cycle[DSM_LINK_RING] = c->ring_bytes_per_cycle;
  dsm_residency residency = dsm_residency_none(&machine);
  residency.scratchpad_bytes = c->scratchpad_bytes;
  for (int k = 0; k <= 1; k++) { /* whatever is resident already */
    residency.resident_fraction = k;
    const dsm_pass_work work =
        dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_INFERENCE,
                             DSM_PASS_FORWARD, DSM_PARALLELISM_MODEL_X_DATA_Y, 8, &residency);
    ASSERT_CLOSE(dsm_resident_fraction_needed(&work, &split), c->fraction);
  }
}
END_TEST

static TCase *room_case(void) {
  TCase *const room = tcase_create("room");
  tcase_add_checked_fixture(room, set_up, NULL);
  tcase_add_test(room, test_held_tensors_leave_the_streaming_buffers);
  tcase_add_test(room, test_nothing_can_be_held_without_room);
  tcase_add_loop_test(room, test_at_least_a_sixteenth_of_a_scratchpad_is_left, 0,
                      COUNT_OF(left_cases));
  tcase_add_test(room, test_held_bytes_are_shared_by_the_cores);
  tcase_add_test(room, test_full_chip_leaves_the_streaming_buffers);
  tcase_add_test(room, test_resident_kernel_takes_its_fraction_of_what_is_left);
  tcase_add_test(room, test_without_copies_any_kernel_stays_in_backward_and_update);
  tcase_add_test(room, test_copies_need_not_be_whole);
  tcase_add_test(room, test_without_fraction_no_kernel_stays);
  tcase_add_test(room, test_kernels_can_be_kept_where_there_are_timesteps);
  tcase_add_test(room, test_preloaded_weights_need_no_buffer_of_their_own);
  tcase_add_test(room, test_room_for_preloaded_weights_is_never_negative);
  tcase_add_loop_test(room, test_needed_fraction_hides_what_is_fetched, 0, COUNT_OF(needed_cases));
  return room;
}

Suite *suite_residency(void) {
  Suite *const suite = suite_create("residency");
  TCase *const sizes = tcase_create("sizes");
  tcase_add_checked_fixture(sizes, set_up, NULL);
  tcase_add_test(sizes, test_at_first_nothing_is_on_chip);
  tcase_add_loop_test(sizes, test_tensor_takes_its_share_of_a_chip, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(sizes, test_one_chip_has_all_of_a_tensor, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_loop_test(sizes, test_held_tensor_takes_what_it_saves, 0, DSM_PARALLELISM_COUNT_OF(2));
  tcase_add_test(sizes, test_core_has_its_part_of_the_kernel_wherever_it_is);
  tcase_add_test(sizes, test_core_of_a_matmul_has_its_part_of_the_operand);
  suite_add_tcase(suite, sizes);
  suite_add_tcase(suite, room_case());
  TCase *const dysm = tcase_create("factors");
  tcase_add_checked_fixture(dysm, set_up, NULL);
  tcase_add_loop_test(dysm, test_factor_is_a_power_of_two_that_leaves_each_chip_a_sample, 0,
                      COUNT_OF(factors));
  tcase_add_test(dysm, test_layer_with_timesteps_has_no_other_factor_than_1);
  tcase_add_loop_test(dysm, test_valid_factors_are_those_that_halving_finds, 1, 10);
  suite_add_tcase(suite, dysm);
  return suite;
}
