/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between layers: who feeds whom, and what has to agree. */
#include <stdio.h>

#include "base/text_buffer.h"
#include "network.h"
#include "suites.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

static void expect_producers(size_t layer, size_t count, const size_t *producers) {
  ck_assert_uint_eq(network->layers[layer].producer_count, count);
  for (size_t i = 0; i < count; i++) {
    ck_assert_uint_eq(network->layers[layer].producers[i], producers[i]);
  }
}

#define A "{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [6, 4]}"
#define B "{'name': 'b', 'type': 'conv', 'inputs': ['a'], 'in': 2, 'out': 3, 'feature': [6, 4]}"

/* ---- inputs ---- */

START_TEST(test_without_inputs_the_layer_before_feeds) {
  network = network_of(A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 1, 'feature': [6, 4]}");
  expect_producers(0, 1, (const size_t[]){DSM_NETWORK_INPUT});
  expect_producers(1, 1, (const size_t[]){0});
}
END_TEST

START_TEST(test_inputs_of_a_conv_are_concatenated_along_features) {
  network = network_of(A ", " B ", {'name': 'x', 'type': 'conv', 'inputs': ['b', 'a'], 'in': 5,"
                         " 'out': 1, 'feature': [6, 4]}");
  expect_producers(2, 2, (const size_t[]){1, 0});
  ck_assert_uint_eq(network->layers[2].input_elements, 5 * 24);
}
END_TEST

START_TEST(test_one_input_may_come_twice) {
  network = network_of(A ", {'name': 'x', 'type': 'conv', 'inputs': ['a', 'a'], 'in': 4, 'out': 1,"
                         " 'feature': [6, 4]}");
  expect_producers(1, 2, (const size_t[]){0, 0});
}
END_TEST

START_TEST(test_sum_of_features_must_be_in) {
  expect_refused(A ", " B ", {'name': 'x', 'type': 'conv', 'inputs': ['b', 'a'], 'in': 4,"
                   " 'out': 1, 'feature': [6, 4]}",
                 "$.layers[2].in");
}
END_TEST

START_TEST(test_inputs_of_a_conv_must_have_one_size) {
  expect_refused(A ", {'name': 'b', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 4],"
                   " 'stride': [2, 1]}, {'name': 'x', 'type': 'conv', 'inputs': ['a', 'b'],"
                   " 'in': 5, 'out': 1, 'feature': [6, 4]}",
                 "$.layers[2].inputs[1]");
}
END_TEST

/* a gives 2 * 6 * 4 = 48 numbers, b of 3 * 4 = 12 positions 36. */
START_TEST(test_fc_flattens_inputs_of_any_size) {
  network = network_of(A ", {'name': 'b', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 4],"
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
  expect_refused(A ", {'name': 'x', 'type': 'fc', 'in': 2, 'out': 7}", "$.layers[1].in");
}
END_TEST

START_TEST(test_names_must_be_of_earlier_layers) {
  static const char *const names[] = {"x", "y", "z", "@Input", "a.fwd"};
  char layers[400];
  snprintf(layers, sizeof layers,
           A ", {'name': 'x', 'type': 'fc', 'inputs': ['%s'], 'in': 48, 'out': 7},"
             "{'name': 'y', 'type': 'fc', 'in': 7, 'out': 48}",
           names[_i]);
  expect_refused(layers, "$.layers[1].inputs[0]");
}
END_TEST

START_TEST(test_names_must_be_unique) {
  expect_refused(A ", " A, "$.layers[1].name");
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
  network = network_of(A ", {'name': 'x', 'type': 'conv', 'inputs': ['a', '@input'], 'in': 3,"
                         " 'out': 1, 'feature': [6, 4]}");
  expect_producers(1, 2, (const size_t[]){0, DSM_NETWORK_INPUT});
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
  network = network_of(A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [3, 2],"
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
  network = network_of(A ", {'name': 'x', 'type': 'fc', 'in': 12, 'out': 3,"
                         " 'aux': [{'op': 'avg_pool', 'window': [2, 2], 'on': 'input'}]}");
  ck_assert_uint_eq(network->layers[1].in, 12);
}
END_TEST

/* 2 features of 3 x 2 pooled positions each. */
START_TEST(test_pool_on_the_input_of_an_fc_has_as_many_results_as_the_fc_inputs) {
  network = network_of(A ", {'name': 'x', 'type': 'fc', 'in': 12, 'out': 3,"
                         " 'aux': [{'op': 'avg_pool', 'window': [2, 2], 'on': 'input'}]}");
  ck_assert_uint_eq(network->layers[1].input_pool_elements, 12);
}
END_TEST

/* ---- residuals ---- */

START_TEST(test_residual_adds_an_earlier_output) {
  network = network_of(A ", " B ", {'name': 'x', 'type': 'conv', 'inputs': ['a'], 'in': 2,"
                         " 'out': 3, 'feature': [6, 4], 'aux': [{'op': 'residual', 'from': 'b'},"
                         " {'op': 'max_pool', 'window': [2, 2]}]}");
  ck_assert_uint_eq(network->layers[2].shortcut_count, 1);
  ck_assert_uint_eq(network->layers[2].shortcuts[0], 1);
  expect_producers(2, 1, (const size_t[]){0});
}
END_TEST

START_TEST(test_residual_may_come_from_the_layers_own_input) {
  network = network_of(A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 2, 'feature': [6, 4],"
                         " 'aux': [{'op': 'residual', 'from': 'a'}]}");
  ck_assert_uint_eq(network->layers[1].shortcuts[0], 0);
}
END_TEST

#define X(keys) "{'name': 'x', 'type': 'conv', 'inputs': ['a'], 'in': 2, " keys "}"

START_TEST(test_residual_needs_equal_features) {
  expect_refused(A ", " B ", " X("'out': 2, 'feature': [6, 4], 'aux': [{'op': 'residual',"
                                 " 'from': 'b'}]"),
                 "$.layers[2].aux[0].from");
}
END_TEST

START_TEST(test_residual_needs_equal_size) {
  expect_refused(A ", " B ", " X("'out': 3, 'feature': [3, 4], 'stride': [2, 1], 'aux':"
                                 " [{'op': 'residual', 'from': 'b'}]"),
                 "$.layers[2].aux[0].from");
}
END_TEST

START_TEST(test_residual_needs_the_stored_size_of_a_pooled_layer) {
  network =
      network_of("{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [6, 4], 'aux':"
                 " [{'op': 'max_pool', 'window': [2, 2]}]}, " X(
                     "'out': 2, 'feature': [3, 2], 'aux': [{'op': 'residual', 'from': 'a'}]"));
  ck_assert_uint_eq(network->layers[1].shortcut_count, 1);
}
END_TEST

START_TEST(test_residual_comes_before_the_pool) {
  expect_refused(A ", " B ", " X("'out': 3, 'feature': [6, 4], 'aux': [{'op': 'max_pool', 'window':"
                                 " [2, 2]}, {'op': 'residual', 'from': 'b'}]"),
                 "$.layers[2].aux[1]");
}
END_TEST

/* ---- bidirectional ---- */

#define BI "{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 3, 'timesteps': 5, 'bidirectional': true}"

START_TEST(test_bidirectional_lstm_is_two_primary_layers) {
  network = network_of(BI);
  ck_assert_uint_eq(network->spec_count, 1);
  ck_assert_uint_eq(network->layer_count, 2);
  ck_assert_str_eq(network->layers[0].name, "x.fwd");
  ck_assert_str_eq(network->layers[1].name, "x.bwd");
  for (size_t i = 0; i < 2; i++) {
    ck_assert_uint_eq(network->layers[i].spec_index, 0);
    ck_assert_uint_eq(network->layers[i].weight_elements, 7 * 12);
    ck_assert_uint_eq(network->layers[i].stored_elements, 3);
    ck_assert_uint_eq(network->layers[i].timesteps, 5);
    expect_producers(i, 1, (const size_t[]){DSM_NETWORK_INPUT});
  }
}
END_TEST

START_TEST(test_bidirectional_lstm_delivers_both_directions) {
  network = network_of(BI ", {'name': 'y', 'type': 'lstm', 'in': 6, 'out': 2, 'timesteps': 5}");
  expect_producers(2, 2, (const size_t[]){0, 1});
}
END_TEST

START_TEST(test_bidirectional_lstm_does_not_deliver_one_direction) {
  expect_refused(BI ", {'name': 'y', 'type': 'lstm', 'in': 3, 'out': 2}", "$.layers[1].in");
}
END_TEST

START_TEST(test_direction_is_no_name_of_the_description) {
  expect_refused(BI ", {'name': 'y', 'type': 'fc', 'inputs': ['x.fwd'], 'in': 3, 'out': 2}",
                 "$.layers[1].inputs[0]");
}
END_TEST

START_TEST(test_residual_from_bidirectional_layer_adds_both_directions) {
  network = network_of(BI ", {'name': 'y', 'type': 'lstm', 'in': 6, 'out': 3, 'timesteps': 5,"
                          " 'bidirectional': true, 'aux': [{'op': 'residual', 'from': 'x'}]}");
  ck_assert_uint_eq(network->layers[3].shortcut_count, 2);
  ck_assert_uint_eq(network->layers[3].shortcuts[0], 0);
  ck_assert_uint_eq(network->layers[3].shortcuts[1], 1);
}
END_TEST

START_TEST(test_operand_of_a_bidirectional_layer_is_both_directions) {
  network = network_of(BI ", {'name': 'm', 'type': 'matmul', 'in': 6, 'out': 5, 'operand': 'x',"
                          " 'operand_elements': 30, 'timesteps': 5}");
  ck_assert_uint_eq(network->layers[2].operand_count, 2);
  ck_assert_uint_eq(network->layers[0].last_operand_use, 2);
  ck_assert_uint_eq(network->layers[1].last_operand_use, 2);
}
END_TEST

/* ---- operands ---- */

#define KEYS "{'name': 'k', 'type': 'fc', 'in': 12, 'out': 12, 'timesteps': 5}"
#define SCORES(out, timesteps, elements)                                                           \
  ", {'name': 's', 'type': 'matmul', 'in': 12, 'out': " out ", 'operand': 'k',"                    \
  " 'timesteps': " timesteps ", 'operand_elements': " elements "}"

/* k delivers 12 * 5 = 60 elements for each of the 8 samples of a step. */
static const char *const good_operands[] = {
    KEYS SCORES("5", "5", "60"),   /* all */
    KEYS SCORES("5", "5", "20"),   /* of 3 heads that share it */
    KEYS SCORES("5", "5", "12"),   /* one timestep */
    KEYS SCORES("3", "5", "36"),   /* a window of 3 timesteps, which do not divide 5 */
    KEYS SCORES("40", "1", "480"), /* all samples */
    KEYS SCORES("7", "1", "84"),   /* 7 timesteps, of two samples */
    A ", {'name': 'm', 'type': 'matmul', 'in': 48, 'out': 8, 'operand': 'a',"
      " 'operand_elements': 384}", /* 2 features of 6 x 4 in each sample */
};

START_TEST(test_operand_is_of_what_its_layer_delivers) {
  network = network_of(good_operands[_i]);
  ck_assert_uint_eq(network->layers[1].operand_count, 1);
}
END_TEST

static const char *const bad_operands[] = {
    KEYS SCORES("5", "5", "59"),
    KEYS SCORES("5", "5", "61"),
    KEYS SCORES("5", "5", "120"),
    KEYS SCORES("5", "5", "8"),
    KEYS SCORES("41", "1", "492"), /* 8 samples deliver 480 */
    KEYS SCORES("7", "1", "480"),
    A ", {'name': 'm', 'type': 'matmul', 'in': 48, 'out': 9, 'operand': 'a',"
      " 'operand_elements': 432}",
};

START_TEST(test_operand_that_its_layer_cannot_deliver_is_refused) {
  expect_refused(bad_operands[_i], "$.layers[1].operand_elements");
}
END_TEST

/* What is wrong in the producer, or in the matmul's `in`, is reported alone. */
START_TEST(test_operand_of_wrong_layers_is_not_looked_at) {
  expect_refused("{'name': 'k', 'type': 'fc', 'in': 12, 'out': 0, 'timesteps': 5}, {'name': 's',"
                 " 'type': 'matmul', 'in': 12, 'out': 5, 'operand': 'k', 'operand_elements': 7,"
                 " 'inputs': ['@input']}",
                 "$.layers[0].out");
  expect_refused(KEYS ", {'name': 's', 'type': 'matmul', 'in': 11, 'out': 5, 'operand': 'k',"
                      " 'operand_elements': 60}",
                 "$.layers[1].in");
}
END_TEST

/* ---- passes ---- */

typedef struct pass_case {
  const char *layers;
  bool has_backward;
  bool has_update;
} pass_case;

/* of the last layer */
static const pass_case passes[] = {
    {"{'name': 'x', 'type': 'conv', 'in': 1, 'out': 1, 'feature': [1, 1]}", false, true},
    {"{'name': 'x', 'type': 'fc', 'in': 1, 'out': 1}", false, true},
    {"{'name': 'x', 'type': 'lstm', 'in': 1, 'out': 1}", true, true},
    {A ", {'name': 'x', 'type': 'fc', 'in': 48, 'out': 1}", true, true},
    {A
     ", {'name': 'x', 'type': 'conv', 'inputs': ['@input'], 'in': 1, 'out': 1, 'feature': [6, 4]}",
     false, true},
    {A ", {'name': 'x', 'type': 'conv', 'inputs': ['@input', 'a'], 'in': 3, 'out': 1, 'feature':"
       " [6, 4]}",
     true, true},
    {A ", {'name': 'x', 'type': 'matmul', 'in': 48, 'out': 1, 'operand': 'a', 'operand_elements':"
       " 48}",
     true, false},
};

START_TEST(test_layer_has_the_passes_that_its_inputs_and_weights_need) {
  network = network_of(passes[_i].layers);
  const dsm_layer *const last = &network->layers[network->layer_count - 1];
  ck_assert_int_eq(last->has_backward, passes[_i].has_backward);
  ck_assert_int_eq(last->has_update, passes[_i].has_update);
}
END_TEST

/* ---- products within 2^53, and the whole network within 2^63 ---- */

typedef struct product_case {
  const char *top;
  const char *legal;
  const char *illegal;
  const char *path;
} product_case;

#define STATED(features, size) "'input': {'features': " features ", 'feature': " size "}, "
#define POOLED_INPUT(type, in, keys)                                                               \
  "{'name': 'x', 'type': '" type "', 'in': " in ", 'out': 1, " keys "'aux': [{'op': 'max_pool',"   \
  " 'on': 'input', 'window': [1048576, 1048576], 'feature': [1048576, 1048576]}]}"

static const product_case products[] = {
    /* 2^26 * 2^27 weights, and twice as many */
    {"", "{'name': 'x', 'type': 'fc', 'in': 67108864, 'out': 134217728}",
     "{'name': 'x', 'type': 'fc', 'in': 67108864, 'out': 134217729}", "$.layers[0]"},
    /* 2^33 weights, 2^20 timesteps */
    {"", "{'name': 'x', 'type': 'fc', 'in': 65536, 'out': 131072, 'timesteps': 1048576}",
     "{'name': 'x', 'type': 'fc', 'in': 65536, 'out': 131073, 'timesteps': 1048576}",
     "$.layers[0]"},
    /* 2^12 features of 2^40 positions are 2^52 elements, which count twice for input and output */
    {"", "{'name': 'x', 'type': 'conv', 'in': 1, 'out': 4096, 'feature': [1048576, 1048576]}",
     "{'name': 'x', 'type': 'conv', 'in': 1, 'out': 4097, 'feature': [1048576, 1048576]}",
     "$.layers[0]"},
    /* the network's input: 2^13 features of 2^40 positions */
    {STATED("8192", "[1048576, 1048576]"),
     "{'name': 'x', 'type': 'conv', 'in': 8192, 'out': 1, 'feature': [1, 1], 'stride':"
     " [1048576, 1048576]}",
     NULL, NULL},
    /* an inferred input of 2^40 rows: 2^53 elements, and 2^80 */
    {"",
     "{'name': 'x', 'type': 'conv', 'in': 8192, 'out': 1, 'feature': [1048576, 1], 'stride':"
     " [1048576, 1]}",
     "{'name': 'x', 'type': 'conv', 'in': 1, 'out': 1, 'feature': [1048576, 1048576], 'stride':"
     " [1048576, 1048576]}",
     "$.layers[0]"},
    /* results of a pool on the input: 2^13 features of 2^40 positions, and 2^14 */
    {STATED("16384", "[1, 1]"), NULL,
     POOLED_INPUT("conv", "16384", "'feature': [1048576, 1048576], "), "$.layers[0]"},
    {STATED("16384", "[1, 1]"), NULL, POOLED_INPUT("fc", "1", ""), "$.layers[0]"},
};

START_TEST(test_product_at_the_limit_is_accepted) {
  if (products[_i].legal != NULL) {
    network = network_with(products[_i].top, products[_i].legal);
    ck_assert_uint_eq(network->layer_count, 1);
  }
}
END_TEST

START_TEST(test_product_over_the_limit_is_refused) {
  if (products[_i].illegal != NULL) {
    expect_refused_with(products[_i].top, products[_i].illegal, products[_i].path);
  }
}
END_TEST

/* Each layer has 2^26 * 2^27 = 2^53 weights: 1023 of them are just below 2^63. */
static dsm_status read_large_layers(int count) {
  dsm__text_buffer layers = {0};
  for (int i = 0; i < count; i++) {
    dsm__text_printf(&layers,
                     "%s{'name': 'f%d', 'type': 'fc', 'inputs': ['@input'], 'in': 67108864,"
                     " 'out': 134217728}",
                     i == 0 ? "" : ",", i);
  }
  outcome read = read_network("", layers.text);
  const dsm_status status = read.status;
  if (status != DSM_OK) {
    ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
    ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, "$.layers");
  }
  outcome_free(&read);
  dsm__text_fini(&layers);
  return status;
}

START_TEST(test_sum_over_all_layers_is_below_2_to_the_63) {
  ck_assert_int_eq(read_large_layers(1023), DSM_OK);
  ck_assert_int_eq(read_large_layers(1024), DSM_ERROR_INVALID);
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
  tcase_add_loop_test(sizes, test_product_at_the_limit_is_accepted, 0, COUNT_OF(products));
  tcase_add_loop_test(sizes, test_product_over_the_limit_is_refused, 0, COUNT_OF(products));
  tcase_add_test(sizes, test_sum_over_all_layers_is_below_2_to_the_63);
  return sizes;
}

Suite *suite_resolve(void) {
  Suite *const suite = suite_create("resolve");
  suite_add_tcase(suite, inputs_case());
  suite_add_tcase(suite, sizes_case());
  TCase *const graph = tcase_create("graph");
  tcase_add_checked_fixture(graph, NULL, tear_down);
  tcase_add_test(graph, test_residual_adds_an_earlier_output);
  tcase_add_test(graph, test_residual_may_come_from_the_layers_own_input);
  tcase_add_test(graph, test_residual_needs_equal_features);
  tcase_add_test(graph, test_residual_needs_equal_size);
  tcase_add_test(graph, test_residual_needs_the_stored_size_of_a_pooled_layer);
  tcase_add_test(graph, test_residual_comes_before_the_pool);
  tcase_add_test(graph, test_bidirectional_lstm_is_two_primary_layers);
  tcase_add_test(graph, test_bidirectional_lstm_delivers_both_directions);
  tcase_add_test(graph, test_bidirectional_lstm_does_not_deliver_one_direction);
  tcase_add_test(graph, test_direction_is_no_name_of_the_description);
  tcase_add_test(graph, test_residual_from_bidirectional_layer_adds_both_directions);
  tcase_add_test(graph, test_operand_of_a_bidirectional_layer_is_both_directions);
  tcase_add_loop_test(graph, test_operand_is_of_what_its_layer_delivers, 0,
                      COUNT_OF(good_operands));
  tcase_add_loop_test(graph, test_operand_that_its_layer_cannot_deliver_is_refused, 0,
                      COUNT_OF(bad_operands));
  tcase_add_test(graph, test_operand_of_wrong_layers_is_not_looked_at);
  tcase_add_loop_test(graph, test_layer_has_the_passes_that_its_inputs_and_weights_need, 0,
                      COUNT_OF(passes));
  suite_add_tcase(suite, graph);
  return suite;
}
