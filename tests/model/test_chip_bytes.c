/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that a chip has of each data structure, and which of them a pass moves. */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
}

/* The bytes under data_x_model_y with S = 10: nm = 2, mbc = ceil(10/4) = 3. */
static dsm_chip_bytes bytes_of(const dsm_layer *layer, dsm_mode mode, dsm_pass pass) {
  const dsm_residency residency = dsm_residency_none(&machine);
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, &machine, DSM_PARALLELISM_DATA_X_MODEL_Y, 10);
  return dsm__chip_bytes_derive(layer, &machine, friendly_precision(), mode, pass, &share,
                                &residency);
}

/* Elements * 3 / 2 * 2 bytes. */
START_TEST(test_chip_has_its_share_of_features_and_weights) {
  const dsm_layer conv = pooled_conv();
  const dsm_chip_bytes bytes = bytes_of(&conv, DSM_MODE_TRAINING, (dsm_pass)_i);
  ck_assert_double_eq(bytes.input, 1296);    /* 432 * 3 */
  ck_assert_double_eq(bytes.stored, 540);    /* 180 * 3 */
  ck_assert_double_eq(bytes.raw, 2160);      /* 720 * 3 */
  ck_assert_double_eq(bytes.kernel, 960);    /* 960 / 2 * 2: weights are not per sample */
  ck_assert_double_eq(bytes.rotation, 2592); /* 432 * 3 * 2: of all chips that share features */
}
END_TEST

START_TEST(test_share_of_bytes_is_not_rounded) {
  const dsm_layer fc = fc_layer(3, 5); /* 3 * 3 / 2 * 2 = 9, 5 * 3 = 15, 15 / 2 * 2 = 15 */
  const dsm_chip_bytes bytes = bytes_of(&fc, DSM_MODE_TRAINING, DSM_PASS_FORWARD);
  ck_assert_double_eq(bytes.input, 9);
  ck_assert_double_eq(bytes.stored, 15);
  ck_assert_double_eq(bytes.kernel, 15);
}
END_TEST

START_TEST(test_one_chip_has_all_bytes) {
  const dsm_layer conv = pooled_conv();
  chips = friendly_system(1, 1);
  machine = dsm_machine_derive(&chips);
  const dsm_chip_bytes bytes = bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD);
  ck_assert_double_eq(bytes.input, 432 * 10 * 2);
  ck_assert_double_eq(bytes.stored, 180 * 10 * 2);
  ck_assert_double_eq(bytes.raw, 720 * 10 * 2);
  ck_assert_double_eq(bytes.kernel, 960 * 2);
  ck_assert_double_eq(bytes.rotation, 432 * 10 * 2);
}
END_TEST

/* operand_el = 6 * 7 = 42, on one of 8 chips with ceil(10/8) = 2 samples: 42 * 2 * 2. */
START_TEST(test_matmul_operand_is_per_sample) {
  const dsm_layer matmul = matmul_layer(6, 7, 1);
  const dsm_residency residency = dsm_residency_none(&machine);
  const dsm_chip_share share = dsm_chip_share_derive(&matmul, &machine, DSM_PARALLELISM_DATA, 10);
  for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
    const dsm_chip_bytes bytes =
        dsm__chip_bytes_derive(&matmul, &machine, friendly_precision(), DSM_MODE_TRAINING,
                               (dsm_pass)pass, &share, &residency);
    ck_assert_double_eq(bytes.kernel, 168);
    ck_assert_double_eq(bytes.kernel_moved, 168);
  }
}
END_TEST

/* in_el * 3 / 2 * 0.125 = 81 in backward, whatever made the input */
START_TEST(test_mask_is_read_in_backward_only) {
  const dsm_layer conv = pooled_conv();
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).mask, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).mask, 81);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).mask, 0);
}
END_TEST

/* out_el * 3 / 2 * 0.25 = 270, in update */
START_TEST(test_layer_norm_saves_statistics_as_batch_norm_does) {
  static const dsm_aux_op norms[] = {DSM_AUX_BATCH_NORM, DSM_AUX_LAYER_NORM, DSM_AUX_RMS_NORM};
  dsm_layer conv = pooled_conv();
  conv.has_op[norms[_i]] = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).statistics, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).statistics, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).statistics, 270);
}
END_TEST

START_TEST(test_layer_without_norm_saves_no_statistics) {
  dsm_layer conv = pooled_conv();
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    conv.has_op[a] = a != DSM_AUX_BATCH_NORM && a != DSM_AUX_LAYER_NORM && a != DSM_AUX_RMS_NORM;
  }
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).statistics, 0);
}
END_TEST

/* Before pooling in forward, of the stored output's error in backward, and never in update. */
START_TEST(test_residual_of_a_pooling_layer_reads_unpooled_shortcut_in_forward) {
  dsm_layer conv = pooled_conv();
  conv.has_op[DSM_AUX_RESIDUAL] = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).shortcut, 540);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).shortcut, 0);
}
END_TEST

START_TEST(test_residual_without_pool_reads_as_much_as_is_stored) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.has_op[DSM_AUX_RESIDUAL] = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).shortcut, 0);
}
END_TEST

START_TEST(test_layer_without_residual_reads_no_shortcut) {
  const dsm_layer conv = pooled_conv();
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, (dsm_pass)pass).shortcut, 0);
  }
}
END_TEST

/* H = 5: gates and cell are 5H = 25 elements, 25 * 3 / 2 * 2 = 75 bytes. */
START_TEST(test_lstm_state_is_saved_in_forward_and_read_in_backward_of_training) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_FORWARD).state, 75);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).state, 75);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_UPDATE).state, 0);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).state, 0);
}
END_TEST

/* X = 3, H = 5: inputs 8, gates 20, stored 5 elements, weights 8 * 20 = 160; times 3 / 2 * 2. */
START_TEST(test_lstm_stores_hidden_units_of_four_times_as_many_gates) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  const dsm_chip_bytes bytes = bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_FORWARD);
  ck_assert_double_eq(bytes.input, 24);
  ck_assert_double_eq(bytes.raw, 60);
  ck_assert_double_eq(bytes.stored, 15);
  ck_assert_double_eq(bytes.kernel, 160);
}
END_TEST

/* The gradient is written; from T = 2 on it is read, added to and written. */
START_TEST(test_gradients_of_timesteps_add_up_in_memory) {
  dsm_layer fc = fc_layer(12, 20);
  const double kernel = 240;
  ck_assert_double_eq(bytes_of(&fc, DSM_MODE_TRAINING, DSM_PASS_UPDATE).gradient, kernel);
  fc.timesteps = 2;
  ck_assert_double_eq(bytes_of(&fc, DSM_MODE_TRAINING, DSM_PASS_UPDATE).gradient, 2 * kernel);
  fc.timesteps = 50;
  ck_assert_double_eq(bytes_of(&fc, DSM_MODE_TRAINING, DSM_PASS_UPDATE).gradient, 2 * kernel);
}
END_TEST

START_TEST(test_gradient_is_written_in_update_only) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_FORWARD).gradient, 0);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).gradient, 0);
}
END_TEST

/* --- exact_forks: 100 elements of the input have a later user, 100 * 3 / 2 * 2 = 300 bytes */

static dsm_layer forking(dsm_layer layer) {
  layer.fork_elements = 100;
  chips.model.exact_forks = true;
  return layer;
}

START_TEST(test_errors_that_later_users_left_are_read_in_backward_only) {
  const dsm_layer conv = forking(pooled_conv());
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).fork, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).fork, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).fork, 300);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).fork, 0);
}
END_TEST

/* Of one timestep: 100 * 3 / 2 * 2 too. */
START_TEST(test_lstm_reads_errors_that_later_users_left_in_each_timestep) {
  const dsm_layer lstm = forking(lstm_layer(3, 5, 7));
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).fork, 300);
}
END_TEST

/* The shortcut's error is the output's, which is in memory: nothing is fetched for it. */
START_TEST(test_exact_residual_reads_its_shortcut_in_forward_only) {
  dsm_layer conv = forking(pooled_conv());
  conv.has_op[DSM_AUX_RESIDUAL] = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).shortcut, 2160);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).shortcut, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).shortcut, 0);
}
END_TEST

START_TEST(test_shortcut_that_is_the_input_is_read_once) {
  dsm_layer conv = pooled_conv();
  conv.has_op[DSM_AUX_RESIDUAL] = conv.is_shortcut_own_input = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).shortcut, 2160);
  conv = forking(conv);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).shortcut, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).shortcut, 0);
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_FORWARD).input_moved, 1296);
}
END_TEST

START_TEST(test_forks_are_free_by_default) {
  dsm_layer conv = forking(pooled_conv());
  chips.model.exact_forks = false;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).fork, 0);
}
END_TEST

/* --- lstm_gate_errors. 4H = 20 gates: 20 * 3 / 2 * 2 = 60 in place of 15 of the output */
START_TEST(test_gradient_of_an_lstm_takes_the_errors_of_its_gates) {
  const dsm_layer lstm = lstm_layer(3, 5, 7);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_UPDATE).output_moved, 15);
  chips.model.lstm_gate_errors = true;
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_FORWARD).output_moved, 15);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).output_moved, 15);
  ck_assert_double_eq(bytes_of(&lstm, DSM_MODE_TRAINING, DSM_PASS_UPDATE).output_moved, 60);
}
END_TEST

START_TEST(test_other_layers_have_no_gates) {
  const dsm_layer conv = pooled_conv();
  chips.model.lstm_gate_errors = true;
  ck_assert_double_eq(bytes_of(&conv, DSM_MODE_TRAINING, DSM_PASS_UPDATE).output_moved, 540);
}
END_TEST

/* Of a layer that has everything, nothing held: which of the moving bytes a pass has. */
START_TEST(test_bytes_that_a_pass_does_not_move_are_none) {
  dsm_layer conv = pooled_conv();
  conv.has_op[DSM_AUX_RESIDUAL] = conv.has_op[DSM_AUX_BATCH_NORM] = true;
  conv.state_elements = 7;
  dsm_residency residency = dsm_residency_none(&machine);
  residency.deferred_bytes = 1000;
  const dsm_pass pass = (dsm_pass)_i;
  const dsm_chip_share share =
      dsm_chip_share_derive(&conv, &machine, DSM_PARALLELISM_DATA_X_MODEL_Y, 10);
  const dsm_chip_bytes bytes = dsm__chip_bytes_derive(&conv, &machine, friendly_precision(),
                                                      DSM_MODE_TRAINING, pass, &share, &residency);
  ck_assert_double_eq(bytes.input_moved, bytes.input);
  ck_assert_double_eq(bytes.output_moved, bytes.stored);
  ck_assert_double_eq(bytes.deferred, pass == DSM_PASS_FORWARD ? 1000 : 0);
  ck_assert_double_eq(bytes.kernel_moved, pass == DSM_PASS_UPDATE ? 0 : bytes.kernel);
  ck_assert_double_eq(bytes.gradient, pass == DSM_PASS_UPDATE ? bytes.kernel : 0);
  ck_assert_int_eq(bytes.state > 0, pass != DSM_PASS_UPDATE);
  ck_assert_int_eq(bytes.shortcut > 0, pass != DSM_PASS_UPDATE);
  ck_assert_int_eq(bytes.mask > 0, pass == DSM_PASS_BACKWARD);
  ck_assert_int_eq(bytes.statistics > 0, pass == DSM_PASS_UPDATE);
}
END_TEST

Suite *suite_chip_bytes(void) {
  Suite *const suite = suite_create("chip_bytes");
  TCase *const chip = tcase_create("chip");
  tcase_add_checked_fixture(chip, set_up, NULL);
  tcase_add_loop_test(chip, test_chip_has_its_share_of_features_and_weights, 0, DSM_PASS_COUNT);
  tcase_add_test(chip, test_share_of_bytes_is_not_rounded);
  tcase_add_test(chip, test_one_chip_has_all_bytes);
  tcase_add_test(chip, test_matmul_operand_is_per_sample);
  tcase_add_test(chip, test_mask_is_read_in_backward_only);
  tcase_add_loop_test(chip, test_layer_norm_saves_statistics_as_batch_norm_does, 0, 3);
  tcase_add_test(chip, test_layer_without_norm_saves_no_statistics);
  tcase_add_test(chip, test_residual_of_a_pooling_layer_reads_unpooled_shortcut_in_forward);
  tcase_add_test(chip, test_residual_without_pool_reads_as_much_as_is_stored);
  tcase_add_test(chip, test_layer_without_residual_reads_no_shortcut);
  tcase_add_test(chip, test_lstm_state_is_saved_in_forward_and_read_in_backward_of_training);
  tcase_add_test(chip, test_lstm_stores_hidden_units_of_four_times_as_many_gates);
  tcase_add_test(chip, test_gradients_of_timesteps_add_up_in_memory);
  tcase_add_test(chip, test_gradient_is_written_in_update_only);
  tcase_add_test(chip, test_errors_that_later_users_left_are_read_in_backward_only);
  tcase_add_test(chip, test_lstm_reads_errors_that_later_users_left_in_each_timestep);
  tcase_add_test(chip, test_exact_residual_reads_its_shortcut_in_forward_only);
  tcase_add_test(chip, test_shortcut_that_is_the_input_is_read_once);
  tcase_add_test(chip, test_forks_are_free_by_default);
  tcase_add_test(chip, test_gradient_of_an_lstm_takes_the_errors_of_its_gates);
  tcase_add_test(chip, test_other_layers_have_no_gates);
  tcase_add_loop_test(chip, test_bytes_that_a_pass_does_not_move_are_none, 0, DSM_PASS_COUNT);
  suite_add_tcase(suite, chip);
  return suite;
}
