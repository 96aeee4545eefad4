/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the formats, and finding layers by name. */
#include "network.h"
#include "suites.h"

static const char *const type_words[DSM_LAYER_TYPE_COUNT] = {
    [DSM_LAYER_CONV] = "conv",
    [DSM_LAYER_FC] = "fc",
    [DSM_LAYER_LSTM] = "lstm",
    [DSM_LAYER_MATMUL] = "matmul",
    [DSM_LAYER_ATTENTION] = "attention",
    [DSM_LAYER_EMBEDDING] = "embedding",
    [DSM_LAYER_CONV_TRANSPOSE] = "conv_transpose",
};

static const char *const op_words[DSM_AUX_OP_COUNT] = {
    [DSM_AUX_BIAS] = "bias",
    [DSM_AUX_RESIDUAL] = "residual",
    [DSM_AUX_RELU] = "relu",
    [DSM_AUX_SIGMOID] = "sigmoid",
    [DSM_AUX_TANH] = "tanh",
    [DSM_AUX_GELU] = "gelu",
    [DSM_AUX_MAX_POOL] = "max_pool",
    [DSM_AUX_AVG_POOL] = "avg_pool",
    [DSM_AUX_SOFTMAX] = "softmax",
    [DSM_AUX_BATCH_NORM] = "batch_norm",
    [DSM_AUX_LAYER_NORM] = "layer_norm",
    [DSM_AUX_CROSS_ENTROPY] = "cross_entropy",
    [DSM_AUX_RMS_NORM] = "rms_norm",
    [DSM_AUX_SILU] = "silu",
    [DSM_AUX_MULTIPLY] = "multiply",
    [DSM_AUX_DROPOUT] = "dropout",
    [DSM_AUX_ROTARY] = "rotary",
    [DSM_AUX_SELECT] = "select",
    [DSM_AUX_UPSAMPLE] = "upsample",
    [DSM_AUX_COPY] = "copy",
    [DSM_AUX_SPLIT] = "split",
};

START_TEST(test_layer_types_have_the_words_of_the_format) {
  ck_assert_str_eq(dsm_layer_type_name((dsm_layer_type)_i), type_words[_i]);
}
END_TEST

START_TEST(test_operations_have_the_words_of_the_format) {
  ck_assert_str_eq(dsm_aux_op_name((dsm_aux_op)_i), op_words[_i]);
}
END_TEST

START_TEST(test_primary_layers_are_found_by_name) {
  dsm_workload *const network =
      network_of("{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 3, 'bidirectional': true},"
                 "{'name': 'y', 'type': 'fc', 'in': 6, 'out': 5}");
  ck_assert_uint_eq(dsm_workload_find_layer(network, "x.fwd"), 0);
  ck_assert_uint_eq(dsm_workload_find_layer(network, "x.bwd"), 1);
  ck_assert_uint_eq(dsm_workload_find_layer(network, "y"), 2);
  ck_assert_uint_eq(dsm_workload_find_layer(network, "x"), SIZE_MAX);
  ck_assert_uint_eq(dsm_workload_find_layer(network, ""), SIZE_MAX);
  dsm_workload_free(network);
}
END_TEST

START_TEST(test_no_workload_is_freed) {
  dsm_workload_free(NULL);
}
END_TEST

Suite *suite_workload_names(void) {
  Suite *const suite = suite_create("workload_names");
  TCase *const names = tcase_create("names");
  tcase_add_loop_test(names, test_layer_types_have_the_words_of_the_format, 0,
                      DSM_LAYER_TYPE_COUNT);
  tcase_add_loop_test(names, test_operations_have_the_words_of_the_format, 0, DSM_AUX_OP_COUNT);
  tcase_add_test(names, test_primary_layers_are_found_by_name);
  tcase_add_test(names, test_no_workload_is_freed);
  suite_add_tcase(suite, names);
  return suite;
}
