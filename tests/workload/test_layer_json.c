/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A declared layer by itself: defaults, limits in pairs, which keys and operations belong where. */
#include <stdio.h>
#include <string.h>

#include "network.h"
#include "suites.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

static void expect_size(dsm_size2 size, uint64_t rows, uint64_t columns) {
  ck_assert_uint_eq(size.rows, rows);
  ck_assert_uint_eq(size.columns, columns);
}

/* ---- defaults ---- */

START_TEST(test_conv_keys_default_to_one) {
  network = network_of("{'name': 'c', 'type': 'conv', 'in': 3, 'out': 8, 'feature': [4, 6]}");
  const dsm_layer_spec *const spec = &network->specs[0];
  expect_size(spec->kernel, 1, 1);
  expect_size(spec->stride, 1, 1);
  expect_size(spec->dilation, 1, 1);
  expect_size(spec->padding, 0, 0);
  ck_assert(!spec->has_padding);
  ck_assert_uint_eq(spec->groups, 1);
  ck_assert_uint_eq(spec->timesteps, 1);
  ck_assert_uint_eq(spec->input_count, 0);
  ck_assert_uint_eq(spec->aux_count, 0);
}
END_TEST

START_TEST(test_lstm_keys_default_to_one_direction_and_automatic_pipelining) {
  network = network_of("{'name': 'l', 'type': 'lstm', 'in': 3, 'out': 8}");
  const dsm_layer_spec *const spec = &network->specs[0];
  ck_assert_uint_eq(spec->timesteps, 1);
  ck_assert(!spec->is_bidirectional);
  ck_assert_int_eq(spec->pipeline_choice, DSM_PIPELINE_AUTOMATIC);
  ck_assert_ptr_null(spec->pipeline_group);
}
END_TEST

START_TEST(test_pipeline_group_of_null_means_never) {
  network = network_of("{'name': 'l', 'type': 'lstm', 'in': 3, 'out': 8, 'pipeline_group': null}");
  ck_assert_int_eq(network->specs[0].pipeline_choice, DSM_PIPELINE_NEVER);
  ck_assert_ptr_null(network->specs[0].pipeline_group);
}
END_TEST

START_TEST(test_pipeline_group_of_a_string_is_kept) {
  network = network_of("{'name': 'l', 'type': 'lstm', 'in': 3, 'out': 8, 'pipeline_group': 'e'}");
  ck_assert_int_eq(network->specs[0].pipeline_choice, DSM_PIPELINE_NAMED);
  ck_assert_str_eq(network->specs[0].pipeline_group, "e");
}
END_TEST

START_TEST(test_pool_stride_defaults_to_the_window) {
  network = network_of("{'name': 'c', 'type': 'conv', 'in': 3, 'out': 8, 'feature': [6, 6],"
                       " 'aux': [{'op': 'avg_pool', 'window': [2, 3]}]}");
  const dsm_aux *const pool = &network->specs[0].aux[0];
  expect_size(pool->stride, 2, 3);
  ck_assert(!pool->has_feature);
  ck_assert(!pool->is_on_input);
}
END_TEST

START_TEST(test_operations_are_kept_in_their_order) {
  static const dsm_aux_op order[] = {DSM_AUX_TANH, DSM_AUX_BIAS, DSM_AUX_LAYER_NORM};
  network = network_of("{'name': 'f', 'type': 'fc', 'in': 3, 'out': 8,"
                       " 'aux': [{'op': 'tanh'}, {'op': 'bias'}, {'op': 'layer_norm'}]}");
  ck_assert_uint_eq(network->specs[0].aux_count, 3);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(network->specs[0].aux[i].op, order[i]);
    ck_assert(network->layers[0].has_op[order[i]]);
  }
  ck_assert(!network->layers[0].has_op[DSM_AUX_RELU]);
}
END_TEST

/* ---- limits: the last legal value and the first that is not ---- */

typedef struct limit_case {
  const char *legal;
  const char *illegal;
  const char *path; /* of the finding */
} limit_case;

#define FC(keys) "{'name': 'f', 'type': 'fc', " keys "}"
#define LSTM(keys) "{'name': 'l', 'type': 'lstm', 'in': 1, 'out': 1, " keys "}"
#define CONV(keys) "{'name': 'c', 'type': 'conv', " keys "}"
#define SMALL_CONV(keys) CONV("'in': 1, 'out': 1, 'feature': [1, 1], " keys)
#define POOLED(keys)                                                                               \
  CONV("'in': 1, 'out': 1, 'feature': [4, 4], 'aux': [{'op': 'max_pool', " keys "}]")
/* As many MACs as there can be, of an operand from 8 samples of 2^30 * 2^20 elements each. */
#define MATMUL(elements)                                                                           \
  FC("'in': 1, 'out': 1073741824, 'timesteps': 1048576")                                           \
  ", {'name': 'm', 'type': 'matmul', 'in': 1073741824, 'out': 8388608, 'operand': 'f',"            \
  " 'operand_elements': " elements "}"

static const limit_case limits[] = {
    {FC("'in': 1, 'out': 1"), FC("'in': 0, 'out': 1"), "$.layers[0].in"},
    {FC("'in': 2147483647, 'out': 1"), FC("'in': 2147483648, 'out': 1"), "$.layers[0].in"},
    {FC("'in': 1, 'out': 1"), FC("'in': 1, 'out': 0"), "$.layers[0].out"},
    {FC("'in': 1, 'out': 2147483647"), FC("'in': 1, 'out': 2147483648"), "$.layers[0].out"},
    {FC("'in': 1, 'out': 1, 'timesteps': 1"), FC("'in': 1, 'out': 1, 'timesteps': 0"),
     "$.layers[0].timesteps"},
    {LSTM("'timesteps': 1048576"), LSTM("'timesteps': 1048577"), "$.layers[0].timesteps"},
    {CONV("'in': 1, 'out': 1, 'feature': [1048576, 1]"),
     CONV("'in': 1, 'out': 1, 'feature': [1048577, 1]"), "$.layers[0].feature[0]"},
    {CONV("'in': 1, 'out': 1, 'feature': [1, 1]"), CONV("'in': 1, 'out': 1, 'feature': [1, 0]"),
     "$.layers[0].feature[1]"},
    {SMALL_CONV("'kernel': [1, 1048576]"), SMALL_CONV("'kernel': [1, 1048577]"),
     "$.layers[0].kernel[1]"},
    {SMALL_CONV("'stride': [1, 1048576]"), SMALL_CONV("'stride': [1, 1048577]"),
     "$.layers[0].stride[1]"},
    {SMALL_CONV("'stride': [1, 1]"), SMALL_CONV("'stride': [0, 1]"), "$.layers[0].stride[0]"},
    {SMALL_CONV("'dilation': [1048576, 1]"), SMALL_CONV("'dilation': [1048577, 1]"),
     "$.layers[0].dilation[0]"},
    {SMALL_CONV("'padding': [0, 0]"), SMALL_CONV("'padding': [-1, 0]"), "$.layers[0].padding[0]"},
    {CONV("'in': 1048576, 'out': 1048576, 'groups': 1048576, 'feature': [1, 1]"),
     CONV("'in': 1048577, 'out': 1048577, 'groups': 1048577, 'feature': [1, 1]"),
     "$.layers[0].groups"},
    {CONV("'in': 6, 'out': 4, 'groups': 2, 'feature': [1, 1]"),
     CONV("'in': 6, 'out': 4, 'groups': 3, 'feature': [1, 1]"), "$.layers[0].groups"},
    {POOLED("'window': [4, 4]"), POOLED("'window': [5, 4]"), "$.layers[0].aux[0]"},
    {POOLED("'window': [1, 1]"), POOLED("'window': [0, 1]"), "$.layers[0].aux[0].window[0]"},
    {POOLED("'window': [1, 1], 'stride': [1, 1048576]"),
     POOLED("'window': [1, 1], 'stride': [1, 1048577]"), "$.layers[0].aux[0].stride[1]"},
    /* a stated result is at most as large as size and window together */
    {POOLED("'window': [2, 3], 'feature': [6, 7]"), POOLED("'window': [2, 3], 'feature': [6, 8]"),
     "$.layers[0].aux[0]"},
    {MATMUL("1"), MATMUL("0"), "$.layers[1].operand_elements"},
    {MATMUL("9007199254740992"), MATMUL("9007199254740993"), "$.layers[1].operand_elements"},
};

START_TEST(test_last_legal_value_is_accepted) {
  network = network_of(limits[_i].legal);
  ck_assert_uint_ge(network->layer_count, 1);
}
END_TEST

START_TEST(test_first_illegal_value_is_refused) {
  expect_refused(limits[_i].illegal, limits[_i].path);
}
END_TEST

/* ---- names ---- */

static void layer_of_name_length(char *layer, size_t size, size_t length) {
  char name[200];
  memset(name, 'n', length);
  name[length] = '\0';
  snprintf(layer, size, "{'name': '%s', 'type': 'fc', 'in': 1, 'out': 1}", name);
}

START_TEST(test_name_of_128_bytes_is_accepted) {
  char layer[400];
  layer_of_name_length(layer, sizeof layer, DSM_NAME_BYTES_MAX);
  network = network_of(layer);
  ck_assert_uint_eq(strlen(network->layers[0].name), DSM_NAME_BYTES_MAX);
}
END_TEST

START_TEST(test_name_of_129_bytes_is_refused) {
  char layer[400];
  layer_of_name_length(layer, sizeof layer, DSM_NAME_BYTES_MAX + 1);
  expect_refused(layer, "$.layers[0].name");
}
END_TEST

/* ---- which keys and operations belong where ---- */

typedef struct misplaced_case {
  const char *layer;
  const char *path;
} misplaced_case;

#define WITH_AUX(type, aux) "{'name': 'x', 'type': '" type "', 'in': 1, 'out': 1, 'aux': [" aux "]}"

static const misplaced_case misplaced[] = {
    {FC("'in': 1, 'out': 1, 'kernel': [1, 1]"), "$.layers[0].kernel"},
    {FC("'in': 1, 'out': 1, 'bidirectional': false"), "$.layers[0].bidirectional"},
    {FC("'in': 1, 'out': 1, 'pipeline_group': null"), "$.layers[0].pipeline_group"},
    {FC("'in': 1, 'out': 1, 'operand': 'f'"), "$.layers[0].operand"},
    {LSTM("'groups': 1"), "$.layers[0].groups"},
    {SMALL_CONV("'timesteps': 1"), "$.layers[0].timesteps"},
    {WITH_AUX("fc", "{'op': 'relu', 'from': 'y'}"), "$.layers[0].aux[0].from"},
    {WITH_AUX("fc", "{'op': 'relu'}, {'op': 'bias'}, {'op': 'relu'}"), "$.layers[0].aux[2]"},
    {WITH_AUX("fc", "{'op': 'max_pool', 'window': [1, 1]}"), "$.layers[0].aux[0]"},
    {WITH_AUX("lstm", "{'op': 'max_pool', 'window': [1, 1], 'on': 'input'}"), "$.layers[0].aux[0]"},
    {POOLED("'window': [1, 1]}, {'op': 'avg_pool', 'window': [1, 1]"), "$.layers[0].aux[1]"},
};

START_TEST(test_key_or_operation_in_the_wrong_place_is_refused) {
  expect_refused(misplaced[_i].layer, misplaced[_i].path);
}
END_TEST

START_TEST(test_a_pool_on_each_side_is_accepted) {
  network = network_of("{'name': 'a', 'type': 'conv', 'in': 1, 'out': 1, 'feature': [8, 8]},"
                       "{'name': 'c', 'type': 'conv', 'in': 1, 'out': 1, 'feature': [4, 4],"
                       " 'aux': [{'op': 'max_pool', 'window': [2, 2], 'on': 'input'},"
                       " {'op': 'max_pool', 'window': [2, 2], 'on': 'output'}]}");
  ck_assert_uint_eq(network->layers[1].input_pool_window, 4);
  ck_assert_uint_eq(network->layers[1].pool_window, 4);
  ck_assert_uint_eq(network->layers[1].stored_elements, 4);
}
END_TEST

START_TEST(test_all_problems_of_a_layer_are_reported) {
  outcome read = read_network("", "{'name': '', 'type': 'conv', 'in': 0, 'out': 1.5, 'feature':"
                                  " [0, 0], 'kernel': 3, 'stride': [1], 'zebra': 1}");
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 8);
  outcome_free(&read);
}
END_TEST

Suite *suite_layer_json(void) {
  Suite *const suite = suite_create("layer_json");
  TCase *const layers = tcase_create("layers");
  tcase_add_checked_fixture(layers, NULL, tear_down);
  tcase_add_test(layers, test_conv_keys_default_to_one);
  tcase_add_test(layers, test_lstm_keys_default_to_one_direction_and_automatic_pipelining);
  tcase_add_test(layers, test_pipeline_group_of_null_means_never);
  tcase_add_test(layers, test_pipeline_group_of_a_string_is_kept);
  tcase_add_test(layers, test_pool_stride_defaults_to_the_window);
  tcase_add_test(layers, test_operations_are_kept_in_their_order);
  tcase_add_test(layers, test_name_of_128_bytes_is_accepted);
  tcase_add_test(layers, test_name_of_129_bytes_is_refused);
  tcase_add_test(layers, test_a_pool_on_each_side_is_accepted);
  tcase_add_test(layers, test_all_problems_of_a_layer_are_reported);
  suite_add_tcase(suite, layers);
  TCase *const limit = tcase_create("limits");
  tcase_add_checked_fixture(limit, NULL, tear_down);
  tcase_add_loop_test(limit, test_last_legal_value_is_accepted, 0, COUNT_OF(limits));
  tcase_add_loop_test(limit, test_first_illegal_value_is_refused, 0, COUNT_OF(limits));
  tcase_add_loop_test(limit, test_key_or_operation_in_the_wrong_place_is_refused, 0,
                      COUNT_OF(misplaced));
  suite_add_tcase(suite, limit);
  return suite;
}
