/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traffic of what is and what is not on chip, by hand and by name. */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = plain_memory_system();
  machine = dsm_machine_derive(&chips);
}

/* --- by hand: S = 10 under data_x_model_y, so nm = 2 and mbc = ceil(10/4) = 3; every part of a
 * core fits a tile, so everything moves once. */

static const dsm_loops one_core_each = {{1, 1, 1, 1, 1}};

/* What is on chip, and the bytes of memory of forward, backward and update. */
typedef struct held_case {
  bool is_input_held;
  bool is_output_held;
  bool is_shortcut_held;
  bool is_accumulating;
  double resident_fraction;
  double deferred_bytes;
  double bytes[DSM_PASS_COUNT];
} held_case;

static dsm_residency residency_of(const held_case *c) {
  return (dsm_residency){
      .is_input_held = c->is_input_held,
      .is_output_held = c->is_output_held,
      .is_shortcut_held = c->is_shortcut_held,
      .is_accumulating = c->is_accumulating,
      .resident_fraction = c->resident_fraction,
      .deferred_bytes = c->deferred_bytes,
      .scratchpad_bytes = machine.scratchpad_bytes,
  };
}

static void assert_held_case(const dsm_layer *layer, dsm_parallelism parallelism,
                             const held_case *c) {
  const dsm_residency residency = residency_of(c);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    if (dsm_pass_exists(layer, DSM_MODE_TRAINING, (dsm_pass)pass)) {
      const dsm_pass_work work =
          dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                               (dsm_pass)pass, parallelism, 10, &residency);
      ck_assert_double_eq(streamed_bytes(&work, &one_core_each), c->bytes[pass]);
    }
  }
}

/* inp = 432*3 = 1296   st = 180*3 = 540   raw = 720*3 = 2160   ker = 960/2*2 = 960
 * mask = 432*3/2*0.125 = 81   statistics = 720*3/2*0.25 = 270   fix: forward 2160, backward 540
 *
 *   forward   1296 + 960 + 540 + defer + 2160        backward  540 + 960 + (1296 + 81) + 540
 *   update    1296 + (540 + 270) + 960 (1920 where it accumulates)
 */
static const held_case conv_cases[] = {
    {0, 0, 0, 0, 0, 0, {4956, 3417, 3066}},
    {1, 0, 0, 0, 0, 0, {3660, 2040, 3066}}, /* update reads the input all the same */
    {0, 1, 0, 0, 0, 0, {4416, 2877, 2256}}, /* the error, and what the norm saved */
    {0, 0, 1, 0, 0, 0, {2796, 2877, 3066}}, /* both fix */
    {0, 0, 0, 1, 0, 0, {4956, 3417, 4026}}, /* another 960 of gradients */
    {0, 0, 0, 0, 0.25, 0, {4716, 3177, 2826}},
    {0, 0, 0, 1, 0.25, 0, {4716, 3177, 3546}}, /* 1296 + 810 + 0.75 * 1920 */
    {0, 0, 0, 0, 1, 0, {3996, 2457, 2106}},
    {0, 0, 0, 1, 1, 0, {3996, 2457, 2106}},
    {0, 0, 0, 0, 0, 1000, {5956, 3417, 3066}}, /* only forward writes */
    {1, 1, 0, 0, 0, 0, {3120, 1500, 2256}},
    {1, 0, 1, 0, 0, 1000, {2500, 1500, 3066}}, /* 960 + 540 + 1000; 540 + 960 */
    {0, 1, 1, 0, 0, 0, {2256, 2337, 2256}},
    {1, 1, 1, 0, 0, 0, {960, 960, 2256}},
    {1, 1, 1, 1, 1, 1000, {1000, 0, 1296}}, /* what must move: defer, and the input for update */
};

START_TEST(test_pooled_convolution_moves_what_is_not_held) {
  const dsm_layer conv = with_residual_and_norm(pooled_conv());
  assert_held_case(&conv, DSM_PARALLELISM_DATA_X_MODEL_Y, &conv_cases[_i]);
}
END_TEST

/* Without pool, residual and norm: st = raw = 2160, no fix, no statistics. */
static const held_case plain_cases[] = {
    {0, 0, 0, 0, 0, 0, {1296 + 960 + 2160, 2160 + 960 + 1377, 1296 + 2160 + 960}},
    {1, 0, 0, 0, 0, 0, {960 + 2160, 2160 + 960, 1296 + 2160 + 960}},
    {0, 1, 0, 0, 0, 0, {1296 + 960, 960 + 1377, 1296 + 960}},
    {0, 0, 1, 0, 0, 0, {1296 + 960 + 2160, 2160 + 960 + 1377, 1296 + 2160 + 960}},
    {1, 1, 1, 1, 0.5, 7, {480 + 7, 480, 1296 + 960}},
    {1, 1, 1, 1, 1, 0, {0, 0, 1296}},
};

START_TEST(test_plain_convolution_moves_what_is_not_held) {
  const dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  assert_held_case(&conv, DSM_PARALLELISM_DATA_X_MODEL_Y, &plain_cases[_i]);
}
END_TEST

/* X = 3, H = 5, T = 7: inp = 8*3 = 24, st = 5*3 = 15, ker = 8*20 = 160, save = 25*3 = 75, mask =
 * 8*3/2*0.125 = 1.5. Gates and cell are never held. The gradient always adds up. */
static const held_case lstm_cases[] = {
    {0, 0, 0, 0, 0, 0, {24 + 160 + 15 + 75, 90 + 160 + 25.5, 39 + 320}},
    {0, 0, 0, 1, 0, 0, {24 + 160 + 15 + 75, 90 + 160 + 25.5, 39 + 320}},
    {0, 0, 0, 0, 1, 0, {24 + 15 + 75, 90 + 25.5, 39}},
    {0, 0, 0, 0, 0.75, 0, {24 + 40 + 15 + 75, 90 + 40 + 25.5, 39 + 80}},
    {1, 0, 0, 0, 0, 0, {160 + 15 + 75, 90 + 160, 39 + 320}},
    {0, 1, 0, 0, 0, 0, {24 + 160 + 75, 75 + 160 + 25.5, 24 + 320}},
    {0, 0, 0, 0, 0, 30, {24 + 160 + 15 + 75 + 30, 90 + 160 + 25.5, 39 + 320}},
    {1, 1, 1, 1, 1, 0, {75, 75, 24}},
};

START_TEST(test_lstm_moves_what_is_not_held) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  assert_held_case(&lstm, DSM_PARALLELISM_DATA_X_MODEL_Y, &lstm_cases[_i]);
}
END_TEST

/* 12 -> 20, T = 3: inp = 36, st = raw = 60, ker = 240, mask = 2.25; gradients 480. */
static const held_case fc_cases[] = {
    {0, 0, 0, 0, 0, 0, {36 + 240 + 60, 60 + 240 + 38.25, 96 + 480}},
    {0, 0, 0, 1, 0, 0, {36 + 240 + 60, 60 + 240 + 38.25, 96 + 480}},
    {0, 0, 0, 0, 1, 0, {36 + 60, 60 + 38.25, 96}}, /* a steady invocation */
    {0, 0, 0, 0, 0.5, 0, {36 + 120 + 60, 60 + 120 + 38.25, 96 + 240}},
    {1, 0, 0, 0, 0, 0, {240 + 60, 60 + 240, 96 + 480}},
    {0, 1, 0, 0, 0, 0, {36 + 240, 240 + 38.25, 36 + 480}},
    {1, 1, 1, 1, 1, 5, {5, 0, 36}},
};

START_TEST(test_fc_with_timesteps_moves_what_is_not_held) {
  dsm_layer fc = fc_layer(12, 20);
  fc.timesteps = 3;
  assert_held_case(&fc, DSM_PARALLELISM_DATA_X_MODEL_Y, &fc_cases[_i]);
}
END_TEST

/* 6 -> 7 with an operand of 42 a sample, by data: nm = 1, mbc = ceil(10/8) = 2, so 4 bytes an
 * element: inp = 24, st = 28, ker = 168; mask = 6*2*0.125 = 1.5. No update pass. */
static const held_case matmul_cases[] = {
    {0, 0, 0, 0, 0, 0, {24 + 168 + 28, 28 + 168 + 25.5, 0}},
    {1, 0, 0, 0, 0, 0, {168 + 28, 28 + 168, 0}},
    {0, 1, 0, 0, 0, 0, {24 + 168, 168 + 25.5, 0}},
    {0, 0, 0, 1, 0, 0, {24 + 168 + 28, 28 + 168 + 25.5, 0}},
    {0, 0, 0, 0, 0.25, 0, {24 + 126 + 28, 28 + 126 + 25.5, 0}},
    {0, 0, 0, 0, 1, 0, {24 + 28, 28 + 25.5, 0}}, /* its operand in both passes */
    {0, 0, 0, 0, 0, 9, {24 + 168 + 28 + 9, 28 + 168 + 25.5, 0}},
    {1, 1, 1, 1, 1, 0, {0, 0, 0}},
};

START_TEST(test_matmul_moves_what_is_not_held) {
  const dsm_layer matmul = matmul_layer(6, 7, 2);
  assert_held_case(&matmul, DSM_PARALLELISM_DATA, &matmul_cases[_i]);
}
END_TEST

/* --- charge_held_masks: those of conv_cases that hold something, with the mask of 81 bytes in
 * backward and the 270 of the norm in update. */

static const held_case charged_cases[] = {
    {1, 0, 0, 0, 0, 0, {3660, 2040 + 81, 3066}},     {0, 1, 0, 0, 0, 0, {4416, 2877, 2256 + 270}},
    {0, 0, 1, 0, 0, 0, {2796, 2877, 3066}},          {0, 0, 0, 0, 0, 0, {4956, 3417, 3066}},
    {1, 1, 1, 0, 0, 0, {960, 960 + 81, 2256 + 270}}, {1, 1, 1, 1, 1, 1000, {1000, 81, 1296 + 270}},
};

START_TEST(test_masks_and_statistics_of_held_errors_are_read_where_they_are_charged) {
  const dsm_layer conv = with_residual_and_norm(pooled_conv());
  chips.model.charge_held_masks = true;
  assert_held_case(&conv, DSM_PARALLELISM_DATA_X_MODEL_Y, &charged_cases[_i]);
}
END_TEST

/* --- exact_forks: 100 elements of the input, 300 bytes, are there from later users. In backward no
 * shortcut, and the 300 unless the input is held; forward as before, or, where the shortcut is the
 * input, without it. */

static const held_case fork_cases[] = {
    {0, 0, 0, 0, 0, 0, {4956, 3417 - 540 + 300, 3066}},
    {1, 0, 0, 0, 0, 0, {3660, 2040 - 540, 3066}},
    {0, 1, 0, 0, 0, 0, {4416, 2877 - 540 + 300, 2256}},
    {0, 0, 1, 0, 0, 0, {2796, 2877 + 300, 3066}},
    {1, 1, 1, 0, 0, 0, {960, 960, 2256}},
};

START_TEST(test_forks_read_what_later_users_left) {
  dsm_layer conv = with_residual_and_norm(pooled_conv());
  held_case own_input = fork_cases[_i];
  chips.model.exact_forks = true;
  conv.fork_elements = 100;
  assert_held_case(&conv, DSM_PARALLELISM_DATA_X_MODEL_Y, &fork_cases[_i]);
  conv.is_shortcut_own_input = true;
  own_input.bytes[DSM_PASS_FORWARD] -= own_input.is_shortcut_held ? 0 : 2160;
  assert_held_case(&conv, DSM_PARALLELISM_DATA_X_MODEL_Y, &own_input);
}
END_TEST

/* --- lstm_gate_errors: 20 * 3 = 60 bytes of errors in place of 15, none where they are held. */
START_TEST(test_held_errors_of_gates_are_not_read) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  const held_case open = {0, 0, 0, 0, 0, 0, {24 + 160 + 15 + 75, 90 + 160 + 25.5, 24 + 60 + 320}};
  const held_case held = {0, 1, 0, 0, 0, 0, {24 + 160 + 75, 75 + 160 + 25.5, 24 + 320}};
  chips.model.lstm_gate_errors = true;
  assert_held_case(&lstm, DSM_PARALLELISM_DATA_X_MODEL_Y, &open);
  assert_held_case(&lstm, DSM_PARALLELISM_DATA_X_MODEL_Y, &held);
}
END_TEST

/* Held outputs are never written there: of the pooled convolution 1296 + 960 + 540 + 2160. */
START_TEST(test_inference_writes_nothing_deferred) {
  const dsm_layer conv = with_residual_and_norm(pooled_conv());
  const dsm_residency residency = residency_of(&(held_case){.deferred_bytes = 1000});
  const dsm_pass_work work =
      dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_INFERENCE,
                           DSM_PASS_FORWARD, DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &residency);
  ck_assert_double_eq(streamed_bytes(&work, &one_core_each), 4956);
}
END_TEST

/* --- n1: a kernel of ten tiles. One chip of one core, 4 samples; fc 256 -> 160: inp = 2048,
 * st = 1280, ker = 81920 = 10 tiles of 8192, mask = 256*4*0.125 = 128. */

static double fc_bytes(dsm_pass pass, double resident_fraction, double scratchpad_bytes) {
  const dsm_layer fc = fc_layer(256, 160);
  const dsm_residency residency = {.resident_fraction = resident_fraction,
                                   .scratchpad_bytes = scratchpad_bytes};
  const dsm_pass_work work =
      dsm_pass_work_derive(&fc, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                           DSM_PARALLELISM_DATA, 4, &residency);
  return streamed_bytes(&work, &one_core_each);
}

/* Features fit a tile, so the kernel streams once; update has no such order and fetches its
 * features ten times, unless the gradient stays on chip. */
START_TEST(test_update_beside_a_resident_gradient_reads_its_features_once) {
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(fc_bytes(DSM_PASS_UPDATE, 0, 16384), 10 * (2048 + 1280) + 81920);
  ck_assert_double_eq(fc_bytes(DSM_PASS_UPDATE, 0.5, 16384), 10 * (2048 + 1280) + 40960);
  ck_assert_double_eq(fc_bytes(DSM_PASS_UPDATE, 1, 16384), 2048 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_FORWARD, 0, 16384), 2048 + 81920 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_FORWARD, 1, 16384), 2048 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_BACKWARD, 1, 16384), 1280 + 2048 + 128);
}
END_TEST

/* With 1024 bytes left a tile is 512: 160 tiles of the kernel, 4 of the inputs, 3 of the output
 * errors. Forward: 2048 + 4 * 81920 beats 160 * 2048 + 81920 by 409600 - 329728; backward
 * 160 * 1280 + 81920 = 286720 loses to 1280 + 3 * 81920 = 247040. */
START_TEST(test_what_is_left_of_the_scratchpad_makes_the_tiles) {
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
  ck_assert_double_eq(fc_bytes(DSM_PASS_FORWARD, 0, 1024), 329728 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_BACKWARD, 0, 1024), 247040 + 2048 + 128);
  ck_assert_double_eq(fc_bytes(DSM_PASS_UPDATE, 0, 1024), 160 * (2048 + 1280) + 81920);
  /* half resident: kt = 40960 makes feature-outer 2048 + 163840 and 1280 + 122880 */
  ck_assert_double_eq(fc_bytes(DSM_PASS_FORWARD, 0.5, 1024), 165888 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_BACKWARD, 0.5, 1024), 124160 + 2048 + 128);
  /* resident: no kernel to fetch again, and features once */
  ck_assert_double_eq(fc_bytes(DSM_PASS_FORWARD, 1, 1024), 2048 + 1280);
  ck_assert_double_eq(fc_bytes(DSM_PASS_UPDATE, 1, 1024), 2048 + 1280);
}
END_TEST

/* --- named transfers */

static double volume_of(const dsm_transfer_list *list, dsm_transfer transfer) {
  double bytes = 0;
  for (unsigned i = 0; i < list->count; i++) {
    if (list->items[i].transfer == transfer) {
      ck_assert_int_eq(list->items[i].group, DSM_GROUP_STREAM);
      ck_assert_double_eq(list->items[i].traffic.bytes[DSM_LINK_RING],
                          list->items[i].traffic.bytes[DSM_LINK_MEMORY]);
      bytes += list->items[i].traffic.bytes[DSM_LINK_MEMORY];
    }
  }
  return bytes;
}

static dsm_transfer_list transfers_of(const dsm_layer *layer, dsm_pass pass, const held_case *c) {
  const dsm_residency residency = residency_of(c);
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                           DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &residency);
  return dsm_invocation_transfers(&work, &one_core_each);
}

START_TEST(test_deferred_output_is_named_apart_from_the_layers_own) {
  const dsm_layer conv = pooled_conv();
  const dsm_transfer_list list =
      transfers_of(&conv, DSM_PASS_FORWARD, &(held_case){.deferred_bytes = 77});
  ck_assert_double_eq(volume_of(&list, DSM_TRANSFER_WRITE_DEFERRED), 77);
  ck_assert_double_eq(volume_of(&list, DSM_TRANSFER_WRITE_OUTPUT), 540);
  for (int pass = DSM_PASS_BACKWARD; pass < DSM_PASS_COUNT; pass++) {
    const dsm_transfer_list other =
        transfers_of(&conv, (dsm_pass)pass, &(held_case){.deferred_bytes = 77});
    ck_assert_double_eq(volume_of(&other, DSM_TRANSFER_WRITE_DEFERRED), 0);
  }
}
END_TEST

/* What is on chip is left out; what is not keeps its volume. */
START_TEST(test_held_tensors_are_named_nowhere) {
  const dsm_layer conv = with_residual_and_norm(pooled_conv());
  const held_case held = {.is_input_held = true, .is_output_held = true, .is_shortcut_held = true};
  const dsm_transfer_list forward = transfers_of(&conv, DSM_PASS_FORWARD, &held);
  const dsm_transfer_list backward = transfers_of(&conv, DSM_PASS_BACKWARD, &held);
  const dsm_transfer_list update = transfers_of(&conv, DSM_PASS_UPDATE, &held);
  ck_assert_double_eq(volume_of(&forward, DSM_TRANSFER_FETCH_KERNEL), 960);
  ck_assert_double_eq(volume_of(&forward, DSM_TRANSFER_FETCH_INPUT), 0);
  ck_assert_double_eq(volume_of(&forward, DSM_TRANSFER_FETCH_SHORTCUT), 0);
  ck_assert_double_eq(volume_of(&forward, DSM_TRANSFER_WRITE_OUTPUT), 0);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_KERNEL), 960);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_SHORTCUT), 0);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_ERROR), 0);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_WRITE_ERROR), 0);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_MASK), 0);
  ck_assert_double_eq(volume_of(&update, DSM_TRANSFER_FETCH_INPUT), 1296);
  ck_assert_double_eq(volume_of(&update, DSM_TRANSFER_FETCH_ERROR), 0);
  ck_assert_double_eq(volume_of(&update, DSM_TRANSFER_FETCH_STATISTICS), 0);
  ck_assert_double_eq(volume_of(&update, DSM_TRANSFER_WRITE_GRADIENT), 960);
}
END_TEST

START_TEST(test_masks_and_forks_are_named_where_they_are_charged) {
  dsm_layer conv = with_residual_and_norm(pooled_conv());
  const held_case held = {.is_input_held = true, .is_output_held = true};
  chips.model.charge_held_masks = chips.model.exact_forks = true;
  conv.fork_elements = 100;
  const dsm_transfer_list backward = transfers_of(&conv, DSM_PASS_BACKWARD, &held);
  const dsm_transfer_list update = transfers_of(&conv, DSM_PASS_UPDATE, &held);
  const dsm_transfer_list open = transfers_of(&conv, DSM_PASS_BACKWARD, &(held_case){0});
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_MASK), 81);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_FORK), 0);
  ck_assert_double_eq(volume_of(&backward, DSM_TRANSFER_FETCH_SHORTCUT), 0);
  ck_assert_double_eq(volume_of(&update, DSM_TRANSFER_FETCH_STATISTICS), 270);
  ck_assert_double_eq(volume_of(&open, DSM_TRANSFER_FETCH_FORK), 300);
  ck_assert_double_eq(volume_of(&open, DSM_TRANSFER_FETCH_SHORTCUT), 0);
}
END_TEST

START_TEST(test_resident_kernel_is_named_by_what_still_moves) {
  const dsm_layer conv = pooled_conv();
  const held_case half = {.resident_fraction = 0.5, .is_accumulating = true};
  const held_case all = {.resident_fraction = 1, .is_accumulating = true};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const bool is_update = pass == DSM_PASS_UPDATE;
    const dsm_transfer named = is_update ? DSM_TRANSFER_WRITE_GRADIENT : DSM_TRANSFER_FETCH_KERNEL;
    const dsm_transfer_list half_list = transfers_of(&conv, (dsm_pass)pass, &half);
    const dsm_transfer_list all_list = transfers_of(&conv, (dsm_pass)pass, &all);
    ck_assert_double_eq(volume_of(&half_list, named), is_update ? 960 : 480);
    ck_assert_double_eq(volume_of(&all_list, named), 0);
  }
}
END_TEST

static TCase *refined_case(void) {
  TCase *const refined = tcase_create("refined");
  tcase_add_checked_fixture(refined, set_up, NULL);
  tcase_add_loop_test(refined,
                      test_masks_and_statistics_of_held_errors_are_read_where_they_are_charged, 0,
                      COUNT_OF(charged_cases));
  tcase_add_loop_test(refined, test_forks_read_what_later_users_left, 0, COUNT_OF(fork_cases));
  tcase_add_test(refined, test_held_errors_of_gates_are_not_read);
  return refined;
}

Suite *suite_held_traffic(void) {
  Suite *const suite = suite_create("held_traffic");
  TCase *const by_hand = tcase_create("by hand");
  tcase_add_checked_fixture(by_hand, set_up, NULL);
  tcase_add_loop_test(by_hand, test_pooled_convolution_moves_what_is_not_held, 0,
                      COUNT_OF(conv_cases));
  tcase_add_loop_test(by_hand, test_plain_convolution_moves_what_is_not_held, 0,
                      COUNT_OF(plain_cases));
  tcase_add_loop_test(by_hand, test_lstm_moves_what_is_not_held, 0, COUNT_OF(lstm_cases));
  tcase_add_loop_test(by_hand, test_fc_with_timesteps_moves_what_is_not_held, 0,
                      COUNT_OF(fc_cases));
  tcase_add_loop_test(by_hand, test_matmul_moves_what_is_not_held, 0, COUNT_OF(matmul_cases));
  tcase_add_test(by_hand, test_inference_writes_nothing_deferred);
  tcase_add_test(by_hand, test_update_beside_a_resident_gradient_reads_its_features_once);
  tcase_add_test(by_hand, test_what_is_left_of_the_scratchpad_makes_the_tiles);
  suite_add_tcase(suite, by_hand);
  suite_add_tcase(suite, refined_case());
  TCase *const named = tcase_create("named");
  tcase_add_checked_fixture(named, set_up, NULL);
  tcase_add_test(named, test_deferred_output_is_named_apart_from_the_layers_own);
  tcase_add_test(named, test_held_tensors_are_named_nowhere);
  tcase_add_test(named, test_masks_and_forks_are_named_where_they_are_charged);
  tcase_add_test(named, test_resident_kernel_is_named_by_what_still_moves);
  suite_add_tcase(suite, named);
  return suite;
}
