/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

#define OP(name) (1U << (unsigned)DSM_AUX_##name)

/* A layer of o = 10 outputs a sample; a pool of window 9 on the output leaves 4, one of window 4 on
 * the input 6. A transcendental takes t = 3 passes. By section 4, for one sample: */
typedef struct ops_case {
  unsigned ops; /* bit a: operation a is present */
  bool has_pool;
  bool has_input_pool;
  double training_forward;
  double inference_forward;
  double backward;
} ops_case;

static const ops_case ops_cases[] = {
    /* each operation alone */
    {0, false, false, 0, 0, 0},
    {OP(BIAS), false, false, 10, 10, 0},
    {OP(RELU), false, false, 10, 10, 10},
    {OP(SIGMOID), false, false, 30, 30, 10},
    {OP(TANH), false, false, 30, 30, 10},
    {OP(GELU), false, false, 30, 30, 10},
    {OP(BATCH_NORM), false, false, 20, 10, 40},
    {OP(LAYER_NORM), false, false, 20, 10, 40},
    {OP(RESIDUAL), false, false, 10, 10, 10},
    {OP(SOFTMAX), false, false, 50, 50, 10},               /* (3 + 2) * 10, and 10 */
    {OP(CROSS_ENTROPY), false, false, 50, 50, 10},         /* as softmax */
    {OP(MAX_POOL), true, false, 4 * 9, 4 * 9, 4 * 9},      /* stored outputs * window */
    {OP(AVG_POOL), true, false, 4 * 9, 4 * 9, 4 * 9},      /* stored outputs * window */
    {OP(MAX_POOL), false, true, 6 * 4, 6 * 4, 6 * 4},      /* pooled inputs * window */
    {OP(MAX_POOL), true, true, 36 + 24, 36 + 24, 36 + 24}, /* both */
    /* the first that applies takes the others along */
    {OP(BIAS) | OP(RELU), false, false, 10, 10, 10},
    {OP(SIGMOID) | OP(BIAS) | OP(RELU), false, false, 30, 30, 10},
    {OP(SIGMOID) | OP(TANH), false, false, 30, 30, 10},
    {OP(BATCH_NORM) | OP(BIAS) | OP(RELU), false, false, 20, 10, 40},
    {OP(LAYER_NORM) | OP(GELU), false, false, 20, 10, 40},
    {OP(BATCH_NORM) | OP(LAYER_NORM), false, false, 20, 10, 40},
    /* the rest adds up */
    {OP(RELU) | OP(RESIDUAL), false, false, 20, 20, 20},
    {OP(BIAS) | OP(RESIDUAL), false, false, 20, 20, 10},
    {OP(BIAS) | OP(SOFTMAX), false, false, 60, 60, 10},
    {OP(BATCH_NORM) | OP(RESIDUAL) | OP(RELU), false, false, 30, 20, 50},
    /* 20 (10) + 10 + 36 + 24 + 50; 40 + 10 + 36 + 24 + 10 */
    {OP(BATCH_NORM) | OP(BIAS) | OP(RELU) | OP(RESIDUAL) | OP(MAX_POOL) | OP(SOFTMAX), true, true,
     140, 130, 120},
};

static dsm_system plain;

static void set_up(void) {
  plain = friendly_system(1, 1);
}

static dsm_layer layer_with(const ops_case *c) {
  dsm_layer layer = fc_layer(8, 10);
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    layer.has_op[a] = (c->ops >> a & 1) != 0;
  }
  if (c->has_pool) {
    layer.pool_window = 9;
    layer.stored_elements = 4;
  }
  if (c->has_input_pool) {
    layer.input_pool_window = 4;
    layer.input_pool_elements = 6;
  }
  return layer;
}

START_TEST(test_ops_of_training_forward) {
  const dsm_layer layer = layer_with(&ops_cases[_i]);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_FORWARD),
                      ops_cases[_i].training_forward);
}
END_TEST

START_TEST(test_ops_of_inference_forward) {
  const dsm_layer layer = layer_with(&ops_cases[_i]);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_INFERENCE, DSM_PASS_FORWARD),
                      ops_cases[_i].inference_forward);
}
END_TEST

START_TEST(test_ops_of_backward) {
  const dsm_layer layer = layer_with(&ops_cases[_i]);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_BACKWARD),
                      ops_cases[_i].backward);
}
END_TEST

START_TEST(test_update_has_no_auxiliary_work) {
  const dsm_layer layer = layer_with(&ops_cases[_i]);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
}
END_TEST

START_TEST(test_layer_without_backward_does_its_backward_work_in_update) {
  dsm_layer layer = layer_with(&ops_cases[_i]);
  layer.has_backward = false;
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_UPDATE),
                      ops_cases[_i].backward);
}
END_TEST

/* t = 0: a sigmoid takes no pass, a softmax its two others. */
START_TEST(test_free_transcendentals_leave_the_other_passes) {
  const dsm_layer layer = layer_with(&(ops_case){.ops = OP(SIGMOID) | OP(SOFTMAX)});
  plain.core.transcendental_passes = 0;
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 20);
}
END_TEST

/* Of 10 elements 4 have no norm, as values beside queries and keys: norms take 2 and 1 passes over
 * the 6, and 3 on the way back; a bias is of the 4 alone. */
START_TEST(test_norms_of_heads_leave_the_others) {
  dsm_layer layer = layer_with(&(ops_case){.ops = OP(RMS_NORM) | OP(BIAS)});
  layer.head_norm_features = 3;
  layer.unnormed_elements = 4;
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_FORWARD),
                      2 * 6 + 4);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_INFERENCE, DSM_PASS_FORWARD),
                      6 + 4);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &plain, DSM_MODE_TRAINING, DSM_PASS_BACKWARD),
                      3 * 6);
}
END_TEST

/* H = 5, t = 3: (4 * (1 + 3) + 3 + 4) * 5 = 23 * 5 forward, 20 * 5 backward. */
START_TEST(test_lstm_counts_gates_cell_and_products_of_each_hidden_unit) {
  const dsm_layer lstm = lstm_layer(8, 5, 7);
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 115);
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_INFERENCE, DSM_PASS_FORWARD), 115);
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), 100);
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
}
END_TEST

START_TEST(test_lstm_counts_no_further_operation) {
  dsm_layer lstm = lstm_layer(8, 5, 7);
  lstm.has_op[_i] = true;
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 115);
  ck_assert_double_eq(dsm__auxiliary_ops(&lstm, &plain, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), 100);
}
END_TEST

/* 7 elements of the input have errors already: one addition each, in backward. */
START_TEST(test_errors_are_added_to_those_of_later_users) {
  dsm_layer layer = fc_layer(8, 10);
  dsm_assumptions model = friendly_system(1, 1).model;
  layer.fork_elements = 7;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_double_eq(dsm__fork_ops(&layer, &model, (dsm_pass)pass), 0);
  }
  model.exact_forks = true;
  ck_assert_double_eq(dsm__fork_ops(&layer, &model, DSM_PASS_FORWARD), 0);
  ck_assert_double_eq(dsm__fork_ops(&layer, &model, DSM_PASS_BACKWARD), 7);
  ck_assert_double_eq(dsm__fork_ops(&layer, &model, DSM_PASS_UPDATE), 0);
  const dsm_layer lstm = lstm_layer(8, 5, 7);
  ck_assert_double_eq(dsm__fork_ops(&lstm, &model, DSM_PASS_BACKWARD), 0);
}
END_TEST

/* 20 H = 100 and 7 of an lstm, on one chip and core, 2 samples, 4 a cycle; held or not. */
START_TEST(test_additions_of_errors_join_the_layers_own_work) {
  dsm_system chips = friendly_system(1, 1);
  dsm_layer lstm = lstm_layer(8, 5, 7);
  chips.chip.cores = 1;
  chips.model.exact_forks = true;
  lstm.fork_elements = 7;
  const dsm_machine machine = dsm_machine_derive(&chips);
  dsm_residency residency = dsm_residency_none(&machine);
  for (int held = 0; held <= 1; held++) {
    residency.is_input_held = held == 1;
    const dsm_pass_work work =
        dsm_pass_work_derive(&lstm, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_BACKWARD, DSM_PARALLELISM_DATA, 2, &residency);
    ASSERT_CLOSE(work.auxiliary_cycles, 107.0 * 2 / 4);
  }
}
END_TEST

static double cycles(uint64_t chips_x, uint64_t chips_y, uint64_t cores,
                     dsm_parallelism parallelism, uint64_t samples, double ops) {
  const dsm_layer fc = fc_layer(8, 10);
  dsm_system chips = friendly_system(chips_x, chips_y);
  chips.chip.cores = cores;
  const dsm_machine machine = dsm_machine_derive(&chips);
  const dsm_chip_share share = dsm_chip_share_derive(&fc, &machine, parallelism, samples);
  return dsm__auxiliary_cycles(&machine, &share, ops);
}

/* data_x_model_y on 4 x 2: nm = 2, mbc = ceil(10/4) = 3; 480 * 3 / 2 / 4 cores / 4 a cycle = 45 */
START_TEST(test_auxiliary_work_is_shared_by_chips_and_cores) {
  ck_assert_double_eq(cycles(4, 2, 4, DSM_PARALLELISM_DATA_X_MODEL_Y, 10, 480), 45);
}
END_TEST

/* 480 * 10 / 4 */
START_TEST(test_one_chip_and_core_does_all_auxiliary_work) {
  ck_assert_double_eq(cycles(1, 1, 1, DSM_PARALLELISM_MODEL, 10, 480), 1200);
}
END_TEST

/* 3 cores: 480 * 1 / 3 / 4 = 40; shares are not rounded: 100 / 3 / 4. */
START_TEST(test_odd_core_count_shares_without_rounding) {
  ck_assert_double_eq(cycles(1, 1, 3, DSM_PARALLELISM_DATA, 1, 480), 40);
  ASSERT_CLOSE(cycles(1, 1, 3, DSM_PARALLELISM_DATA, 1, 100), 25.0 / 3);
}
END_TEST

START_TEST(test_no_auxiliary_work_takes_no_time) {
  ck_assert_double_eq(cycles(4, 2, 4, DSM_PARALLELISM_MODEL, 10, 0), 0);
}
END_TEST

Suite *suite_auxiliary(void) {
  Suite *const suite = suite_create("auxiliary");
  TCase *const ops = tcase_create("ops");
  tcase_add_checked_fixture(ops, set_up, NULL);
  tcase_add_loop_test(ops, test_ops_of_training_forward, 0, COUNT_OF(ops_cases));
  tcase_add_loop_test(ops, test_ops_of_inference_forward, 0, COUNT_OF(ops_cases));
  tcase_add_loop_test(ops, test_ops_of_backward, 0, COUNT_OF(ops_cases));
  tcase_add_loop_test(ops, test_update_has_no_auxiliary_work, 0, COUNT_OF(ops_cases));
  tcase_add_loop_test(ops, test_layer_without_backward_does_its_backward_work_in_update, 0,
                      COUNT_OF(ops_cases));
  tcase_add_test(ops, test_free_transcendentals_leave_the_other_passes);
  tcase_add_test(ops, test_norms_of_heads_leave_the_others);
  tcase_add_test(ops, test_lstm_counts_gates_cell_and_products_of_each_hidden_unit);
  tcase_add_loop_test(ops, test_lstm_counts_no_further_operation, 0, DSM_AUX_OP_COUNT);
  tcase_add_test(ops, test_errors_are_added_to_those_of_later_users);
  tcase_add_test(ops, test_additions_of_errors_join_the_layers_own_work);
  suite_add_tcase(suite, ops);
  TCase *const cycles_case = tcase_create("cycles");
  tcase_add_test(cycles_case, test_auxiliary_work_is_shared_by_chips_and_cores);
  tcase_add_test(cycles_case, test_one_chip_and_core_does_all_auxiliary_work);
  tcase_add_test(cycles_case, test_odd_core_count_shares_without_rounding);
  tcase_add_test(cycles_case, test_no_auxiliary_work_takes_no_time);
  suite_add_tcase(suite, cycles_case);
  return suite;
}
