/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who feeds whom, and how large what is fed is: inputs, features and pools. */
#include <stdio.h>

#include "network.h"
#include "suites.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

/* ---- inputs ---- */

START_TEST(test_without_inputs_the_layer_before_feeds) {
  network =
      network_of(CONV_A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 1, 'feature': [6, 4]}");
  expect_producers(network, 0, 1, (const size_t[]){DSM_NETWORK_INPUT});
  expect_producers(network, 1, 1, (const size_t[]){0});
}
END_TEST

START_TEST(test_inputs_of_a_conv_are_concatenated_along_features) {
  network =
      network_of(CONV_A ", " CONV_B ", {'name': 'x', 'type': 'conv', 'inputs': ['b', 'a'], 'in': 5,"
                        " 'out': 1, 'feature': [6, 4]}");
  expect_producers(network, 2, 2, (const size_t[]){1, 0});
  ck_assert_uint_eq(network->layers[2].input_elements, 5 * 24);
}
END_TEST

START_TEST(test_one_input_may_come_twice) {
  network =
      network_of(CONV_A ", {'name': 'x', 'type': 'conv', 'inputs': ['a', 'a'], 'in': 4, 'out': 1,"
                        " 'feature': [6, 4]}");
  expect_producers(network, 1, 2, (const size_t[]){0, 0});
}
END_TEST

START_TEST(test_sum_of_features_must_be_in) {
  expect_refused(CONV_A ", " CONV_B ", {'name': 'x', 'type': 'conv', 'inputs': ['b', 'a'], 'in': 4,"
                        " 'out': 1, 'feature': [6, 4]}",
                 "$.layers[2].in");
}
END_TEST

START_TEST(test_inputs_of_a_conv_must_have_one_size) {
  expect_refused(CONV_A ", {'name': 'b', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 4],"
                        " 'stride': [2, 1]}, {'name': 'x', 'type': 'conv', 'inputs': ['a', 'b'],"
                        " 'in': 5, 'out': 1, 'feature': [6, 4]}",
                 "$.layers[2].inputs[1]");
}
END_TEST

/* a gives 2 * 6 * 4 = 48 numbers, b of 3 * 4 = 12 positions 36. */
START_TEST(test_fc_flattens_inputs_of_any_size) {
  network =
      network_of(CONV_A ", {'name': 'b', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 4],"
                        " 'stride': [2, 1]}, {'name': 'x', 'type': 'fc', 'inputs': ['a', 'b'],"
                        " 'in': 84, 'out': 7}");
  ck_assert_uint_eq(network->layers[2].input_elements, 84);
  ck_assert_uint_eq(network->layers[2].weight_elements, 84 * 7);
}
END_TEST

/* The pool leaves 3 x 2 of 6 x 4. */
START_TEST(test_fc_flattens_what_the_pool_leaves) {
  network = network_of("{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [6, 4],"
                       " 'aux': [{'op': 'max_pool', 'window': [2, 2]}]},"
                       "{'name': 'x', 'type': 'fc', 'in': 12, 'out': 7}");
  ck_assert_uint_eq(network->layers[1].in, 12);
}
END_TEST

START_TEST(test_fc_must_count_all_positions) {
  expect_refused(CONV_A ", {'name': 'x', 'type': 'fc', 'in': 2, 'out': 7}", "$.layers[1].in");
}
END_TEST

START_TEST(test_names_must_be_of_earlier_layers) {
  static const char *const names[] = {"x", "y", "z", "@Input", "a.fwd"};
  char layers[400];
  snprintf(layers, sizeof layers,
           CONV_A ", {'name': 'x', 'type': 'fc', 'inputs': ['%s'], 'in': 48, 'out': 7},"
                  "{'name': 'y', 'type': 'fc', 'in': 7, 'out': 48}",
           names[_i]);
  expect_refused(layers, "$.layers[1].inputs[0]");
}
END_TEST

START_TEST(test_names_must_be_unique) {
  expect_refused(CONV_A ", " CONV_A, "$.layers[1].name");
}
END_TEST

/* ---- the network's input ---- */

START_TEST(test_input_is_inferred_from_the_first_conv) {
  network = network_of("{'name': 'a', 'type': 'conv', 'in': 3, 'out': 2, 'feature': [5, 7],"
                       " 'stride': [2, 3]}");
  ck_assert(!network->is_input_stated);
  ck_assert_uint_eq(network->input_features, 3);
  ck_assert_uint_eq(network->input_size.rows, 10);
  ck_assert_uint_eq(network->input_size.columns, 21);
  ck_assert_uint_eq(network->input_elements, 3 * 210);
}
END_TEST

START_TEST(test_input_is_inferred_from_the_first_fc) {
  network = network_of("{'name': 'a', 'type': 'fc', 'in': 300, 'out': 2}");
  ck_assert_uint_eq(network->input_features, 300);
  ck_assert_uint_eq(network->input_size.rows, 1);
  ck_assert_uint_eq(network->input_elements, 300);
}
END_TEST

/* 9 rows with stride 2 make ceil(9/2) = 5. */
START_TEST(test_stated_input_need_not_be_a_multiple_of_the_stride) {
  network = network_with("'input': {'features': 3, 'feature': [9, 8]}, ",
                         "{'name': 'a', 'type': 'conv', 'in': 3, 'out': 2, 'feature': [5, 4],"
                         " 'stride': [2, 2]}");
  ck_assert(network->is_input_stated);
  ck_assert_uint_eq(network->input_elements, 3 * 72);
  ck_assert_uint_eq(network->layers[0].input_elements, 3 * 72);
}
END_TEST

START_TEST(test_stated_input_must_agree_with_the_first_layer) {
  expect_refused_with("'input': {'features': 3, 'feature': [11, 8]}, ",
                      "{'name': 'a', 'type': 'conv', 'in': 3, 'out': 2, 'feature': [5, 4],"
                      " 'stride': [2, 2]}",
                      "$.layers[0].feature");
  expect_refused_with("'input': {'features': 4, 'feature': [9, 8]}, ",
                      "{'name': 'a', 'type': 'conv', 'in': 3, 'out': 2, 'feature': [5, 4],"
                      " 'stride': [2, 2]}",
                      "$.layers[0].in");
}
END_TEST

START_TEST(test_later_layers_may_read_the_input) {
  network = network_of(CONV_A ", {'name': 'x', 'type': 'conv', 'inputs': ['a', '@input'], 'in': 3,"
                              " 'out': 1, 'feature': [6, 4]}");
  expect_producers(network, 1, 2, (const size_t[]){0, DSM_NETWORK_INPUT});
}
END_TEST

START_TEST(test_a_pool_on_the_input_hides_its_size) {
  expect_refused("{'name': 'x', 'type': 'conv', 'in': 3, 'out': 1, 'feature': [6, 4], 'aux':"
                 " [{'op': 'max_pool', 'window': [2, 2], 'on': 'input'}]}",
                 "$.layers[0]");
}
END_TEST

/* ---- feature, stride and padding ---- */

/* Of an input of 10 x 10. With padding: floor((10 + 2p - (d(k-1)+1))/s) + 1. */
typedef struct feature_case {
  const char *keys;
  uint64_t size;
} feature_case;

static const feature_case features[] = {
    {"'kernel': [3, 3]", 10},                                       /* implied padding */
    {"'kernel': [3, 3], 'stride': [3, 3]", 4},                      /* ceil(10/3) */
    {"'kernel': [3, 3], 'padding': [0, 0]", 8},                     /* 10 - 2 */
    {"'kernel': [3, 3], 'padding': [1, 1], 'stride': [2, 2]", 5},   /* floor(9/2) + 1 */
    {"'kernel': [3, 3], 'padding': [2, 2], 'dilation': [3, 3]", 8}, /* 14 - 7 + 1 */
    {"'kernel': [10, 10], 'padding': [0, 0]", 1},                   /* just fits */
    {"'kernel': [2, 2], 'padding': [0, 0], 'stride': [100, 100]", 1},
    {"'padding': [4, 4]", 18},
};

static void conv_of_ten(char *layers, size_t size, const feature_case *each, uint64_t feature) {
  snprintf(layers, size,
           "{'name': 'x', 'type': 'conv', 'in': 1, 'out': 1, 'feature': [%llu, %llu], %s}",
           (unsigned long long)feature, (unsigned long long)each->size, each->keys);
}

START_TEST(test_feature_that_follows_from_the_input_is_accepted) {
  char layers[300];
  conv_of_ten(layers, sizeof layers, &features[_i], features[_i].size);
  network = network_with("'input': {'features': 1, 'feature': [10, 10]}, ", layers);
  ck_assert_uint_eq(network->layers[0].ij, features[_i].size * features[_i].size);
}
END_TEST

START_TEST(test_feature_one_larger_is_refused) {
  char layers[300];
  conv_of_ten(layers, sizeof layers, &features[_i], features[_i].size + 1);
  expect_refused_with("'input': {'features': 1, 'feature': [10, 10]}, ", layers,
                      "$.layers[0].feature");
}
END_TEST

/* ---- pools ---- */

/* Pooled rows of a feature of `size` rows: ceil((size - window)/stride) + 1, by hand. */
typedef struct pool_case {
  uint64_t size;
  uint64_t window;
  uint64_t stride;
  uint64_t pooled;
} pool_case;

static const pool_case pools[] = {{4, 2, 2, 2},  {5, 2, 2, 3},   {112, 3, 2, 56}, {55, 3, 2, 27},
                                  {13, 3, 2, 6}, {7, 7, 7, 1},   {7, 7, 1, 1},    {8, 1, 1, 8},
                                  {8, 1, 3, 4},  {9, 2, 100, 2}, {8, 3, 1, 6},    {28, 3, 1, 26}};

START_TEST(test_pooled_size_is_rounded_up) {
  const pool_case *const each = &pools[_i];
  char layers[300];
  snprintf(layers, sizeof layers,
           "{'name': 'x', 'type': 'conv', 'in': 1, 'out': 3, 'feature': [%llu, 1], 'aux':"
           " [{'op': 'max_pool', 'window': [%llu, 1], 'stride': [%llu, 1]}]}",
           (unsigned long long)each->size, (unsigned long long)each->window,
           (unsigned long long)each->stride);
  network = network_of(layers);
  ck_assert_uint_eq(network->layers[0].stored_elements, 3 * each->pooled);
}
END_TEST

START_TEST(test_stated_pooled_feature_wins) {
  network =
      network_of("{'name': 'x', 'type': 'conv', 'in': 1, 'out': 3, 'feature': [28, 28], 'aux':"
                 " [{'op': 'max_pool', 'window': [3, 3], 'stride': [1, 1],"
                 " 'feature': [28, 27]}]}");
  ck_assert_uint_eq(network->layers[0].stored_elements, 3 * 28 * 27);
}
END_TEST

/* a: 2 features of 6 x 4, pooled by 2 x 2 to 3 x 2 for x only. */
START_TEST(test_pool_on_the_input_changes_what_the_layer_sees) {
  network =
      network_of(CONV_A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 2],"
                        " 'aux': [{'op': 'max_pool', 'window': [2, 2], 'on': 'input'}]},"
                        "{'name': 'y', 'type': 'conv', 'inputs': ['a'], 'in': 2, 'out': 1,"
                        " 'feature': [6, 4]}");
  ck_assert_uint_eq(network->layers[1].input_pool_window, 4);
  ck_assert_uint_eq(network->layers[1].input_pool_elements, 2 * 6);
  ck_assert_uint_eq(network->layers[1].pool_window, 0);
  ck_assert_uint_eq(network->layers[0].stored_elements, 2 * 24);
}
END_TEST

START_TEST(test_pool_on_the_input_of_an_fc_pools_before_flattening) {
  network = network_of(CONV_A ", {'name': 'x', 'type': 'fc', 'in': 12, 'out': 3,"
                              " 'aux': [{'op': 'avg_pool', 'window': [2, 2], 'on': 'input'}]}");
  ck_assert_uint_eq(network->layers[1].in, 12);
}
END_TEST

/* 2 features of 3 x 2 pooled positions each. */
START_TEST(test_pool_on_the_input_of_an_fc_has_as_many_results_as_the_fc_inputs) {
  network = network_of(CONV_A ", {'name': 'x', 'type': 'fc', 'in': 12, 'out': 3,"
                              " 'aux': [{'op': 'avg_pool', 'window': [2, 2], 'on': 'input'}]}");
  ck_assert_uint_eq(network->layers[1].input_pool_elements, 12);
}
END_TEST

static TCase *inputs_case(void) {
  TCase *const inputs = tcase_create("inputs");
  tcase_add_checked_fixture(inputs, NULL, tear_down);
  tcase_add_test(inputs, test_without_inputs_the_layer_before_feeds);
  tcase_add_test(inputs, test_inputs_of_a_conv_are_concatenated_along_features);
  tcase_add_test(inputs, test_one_input_may_come_twice);
  tcase_add_test(inputs, test_sum_of_features_must_be_in);
  tcase_add_test(inputs, test_inputs_of_a_conv_must_have_one_size);
  tcase_add_test(inputs, test_fc_flattens_inputs_of_any_size);
  tcase_add_test(inputs, test_fc_flattens_what_the_pool_leaves);
  tcase_add_test(inputs, test_fc_must_count_all_positions);
  tcase_add_loop_test(inputs, test_names_must_be_of_earlier_layers, 0, 5);
  tcase_add_test(inputs, test_names_must_be_unique);
  tcase_add_test(inputs, test_input_is_inferred_from_the_first_conv);
  tcase_add_test(inputs, test_input_is_inferred_from_the_first_fc);
  tcase_add_test(inputs, test_stated_input_need_not_be_a_multiple_of_the_stride);
  tcase_add_test(inputs, test_stated_input_must_agree_with_the_first_layer);
  tcase_add_test(inputs, test_later_layers_may_read_the_input);
  tcase_add_test(inputs, test_a_pool_on_the_input_hides_its_size);
  return inputs;
}

static TCase *sizes_case(void) {
  TCase *const sizes = tcase_create("sizes");
  tcase_add_checked_fixture(sizes, NULL, tear_down);
  tcase_add_loop_test(sizes, test_feature_that_follows_from_the_input_is_accepted, 0,
                      COUNT_OF(features));
  tcase_add_loop_test(sizes, test_feature_one_larger_is_refused, 0, COUNT_OF(features));
  tcase_add_loop_test(sizes, test_pooled_size_is_rounded_up, 0, COUNT_OF(pools));
  tcase_add_test(sizes, test_stated_pooled_feature_wins);
  tcase_add_test(sizes, test_pool_on_the_input_changes_what_the_layer_sees);
  tcase_add_test(sizes, test_pool_on_the_input_of_an_fc_pools_before_flattening);
  tcase_add_test(sizes, test_pool_on_the_input_of_an_fc_has_as_many_results_as_the_fc_inputs);
  return sizes;
}

Suite *suite_resolve(void) {
  Suite *const suite = suite_create("resolve");
  suite_add_tcase(suite, inputs_case());
  suite_add_tcase(suite, sizes_case());
  return suite;
}
