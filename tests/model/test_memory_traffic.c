/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* Convolution 12 -> 20, 6 x 6 positions pooled to 3 x 3, kernel 2 x 2:
 * in_el = 12*36 = 432, out_el = 20*36 = 720, st_el = 20*9 = 180, w_el = 12*20*4 = 960. */
static dsm_layer pooled_conv(void) {
  dsm_layer conv = conv_layer(12, 20, 36, 4, 1);
  conv.stored_elements = 180;
  conv.pool_window = 4;
  conv.has_op[DSM_AUX_MAX_POOL] = true;
  return conv;
}

/* --- bytes of a chip: elements * 3 / 2 * 2 bytes */

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
  static const dsm_aux_op norms[] = {DSM_AUX_BATCH_NORM, DSM_AUX_LAYER_NORM};
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
    conv.has_op[a] = a != DSM_AUX_BATCH_NORM && a != DSM_AUX_LAYER_NORM;
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

/* --- bytes of a core. k = (2, 3, 5, 7, 11):
 * inp / (2*5*11) = 1430/110 = 13, raw / (3*5*11) = 2805/165 = 17, ker / (2*7*3) = 798/42 = 19 */

static const dsm_chip_bytes of_chip = {.input = 1430, .stored = 1, .raw = 2805, .kernel = 798};

START_TEST(test_core_has_its_share_of_each_data_structure) {
  const dsm_layer fc = fc_layer(12, 20);
  const dsm_loops split = loops(2, 3, 5, 7, 11);
  const dsm__core_bytes bytes = dsm__core_bytes_derive(&fc, &of_chip, &split);
  ck_assert_double_eq(bytes.input, 13);
  ck_assert_double_eq(bytes.output, 17);
  ck_assert_double_eq(bytes.kernel, 19);
}
END_TEST

/* k_mb in place of k_out: 798 / (2 * 7 * 11) */
START_TEST(test_matmul_operand_is_divided_by_samples_not_outputs) {
  const dsm_layer matmul = matmul_layer(12, 20, 1);
  const dsm_loops split = loops(2, 3, 5, 7, 11);
  const dsm__core_bytes bytes = dsm__core_bytes_derive(&matmul, &of_chip, &split);
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
    const dsm__core_bytes bytes = dsm__core_bytes_derive(&layers[i], &of_chip, &split);
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
  ASSERT_CLOSE(dsm__core_bytes_derive(&grouped, &of_chip, &split).input, input_bytes[_i]);
}
END_TEST

/* 1430 / (4 * 2 * 5 * 11) = 3.25 */
START_TEST(test_grouped_inputs_are_divided_by_the_other_loops_too) {
  const dsm_layer grouped = conv_layer(12, 20, 9, 9, 4);
  const dsm_loops split = loops(2, 5, 5, 1, 11);
  ck_assert_double_eq(dsm__core_bytes_derive(&grouped, &of_chip, &split).input, 3.25);
}
END_TEST

/* --- how often things are fetched. A tile is 16384 / 2 = 8192 bytes. */

enum { TILE = 8192 };

static const double feature_bytes = 100;

static dsm__refetch refetch_of(dsm_pass pass, dsm_chip_bytes bytes, double s_in, double s_out,
                               double kcore) {
  const dsm_pass_work work = {
      .machine = &machine, .pass = pass, .residency = dsm_residency_none(&machine), .bytes = bytes};
  return dsm__refetch_derive(&work, &(dsm__core_bytes){s_in, s_out, kcore});
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
    ck_assert_double_eq(refetch_of((dsm_pass)pass, bytes, huge, huge, 2 * TILE + 1).kernel, 1);
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
  ck_assert_double_eq(refetch.kernel, 1);
}
END_TEST

/* --- what a residency changes of it */

static dsm__refetch refetch_beside(dsm_pass pass, dsm_residency residency, double s_core,
                                   double kcore) {
  const dsm_chip_bytes bytes = {
      .input_moved = 1000, .output_moved = 1000, .kernel_moved = 1000, .gradient = 1000};
  const dsm_pass_work work = {
      .machine = &machine, .pass = pass, .residency = residency, .bytes = bytes};
  return dsm__refetch_derive(&work, &(dsm__core_bytes){s_core, s_core, kcore});
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
  ck_assert_double_eq(memory_bytes(DSM_PASS_FORWARD, digits, (dsm__refetch){2, 3}), 101001312);
}
END_TEST

/* 2 * (st + save) + 3 * ker + inp + mask + fix, that of the input last */
START_TEST(test_backward_reads_errors_state_kernel_mask_and_shortcut_and_writes_errors) {
  ck_assert_double_eq(memory_bytes(DSM_PASS_BACKWARD, digits, (dsm__refetch){2, 3}), 1001012321);
}
END_TEST

/* 2 * (inp + st + statistics) + gradient */
START_TEST(test_update_reads_inputs_errors_and_statistics_and_writes_gradients) {
  ck_assert_double_eq(memory_bytes(DSM_PASS_UPDATE, digits, (dsm__refetch){2, 1}), 10200022);
}
END_TEST

START_TEST(test_no_bytes_are_no_traffic) {
  ck_assert_double_eq(memory_bytes((dsm_pass)_i, (dsm_chip_bytes){0}, (dsm__refetch){2, 3}), 0);
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

static TCase *chip_case(void) {
  TCase *const chip = tcase_create("chip");
  tcase_add_checked_fixture(chip, set_up, NULL);
  tcase_add_loop_test(chip, test_chip_has_its_share_of_features_and_weights, 0, DSM_PASS_COUNT);
  tcase_add_test(chip, test_share_of_bytes_is_not_rounded);
  tcase_add_test(chip, test_one_chip_has_all_bytes);
  tcase_add_test(chip, test_matmul_operand_is_per_sample);
  tcase_add_test(chip, test_mask_is_read_in_backward_only);
  tcase_add_loop_test(chip, test_layer_norm_saves_statistics_as_batch_norm_does, 0, 2);
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
  return chip;
}

/* g = 6, k_out = 9: nine cores cannot give each group one and a half, so each has one; the output
 * and the kernel are in 6 parts, not 9: 18 bytes / 6 = 3. */
START_TEST(test_groups_divide_outputs_by_the_cores_that_work) {
  const dsm_layer grouped = {.type = DSM_LAYER_CONV, .groups = 6};
  const dsm_chip_bytes bytes_of_chip = {.input = 18, .raw = 18, .kernel = 18};
  const dsm_loops split = {{1, 9, 1, 1, 1}};
  const dsm__core_bytes bytes = dsm__core_bytes_derive(&grouped, &bytes_of_chip, &split);
  ck_assert_double_eq(bytes.output, 3);
  ck_assert_double_eq(bytes.kernel, 3);
  ck_assert_double_eq(bytes.input, 3);
}
END_TEST

Suite *suite_memory_traffic(void) {
  Suite *const suite = suite_create("memory_traffic");
  suite_add_tcase(suite, chip_case());
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
