/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derived quantities of each layer type (docs/model.md, section 1), by hand. */
#include <stdio.h>

#include "network.h"
#include "suites.h"
#include "workload/workload_internal.h"

/* One pooled convolution: every factor differs, so that none can stand in for another.
 * Output 4 x 6, kernel 3 x 5, stride 2 x 1: the network's input is 8 x 6. Pool 2 x 3 with stride
 * 2 x 2: ceil((4 - 2)/2) + 1 = 2 rows, ceil((6 - 3)/2) + 1 = 3 columns. */
static const char pooled_conv[] =
    "{'name': 'c', 'type': 'conv', 'in': 3, 'out': 8, 'feature': [4, 6], 'kernel': [3, 5],"
    " 'stride': [2, 1], 'aux': [{'op': 'bias'}, {'op': 'batch_norm'},"
    " {'op': 'max_pool', 'window': [2, 3], 'stride': [2, 2]}]}";

static dsm_workload *network; /* of the fixture below */

static void set_up_conv(void) {
  network = network_of(pooled_conv);
}

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

START_TEST(test_conv_has_the_loops_of_its_description) {
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->in, 3);
  ck_assert_uint_eq(layer->out, 8);
  ck_assert_uint_eq(layer->ij, 24);
  ck_assert_uint_eq(layer->kij, 15);
  ck_assert_uint_eq(layer->groups, 1);
  ck_assert_uint_eq(layer->timesteps, 1);
}
END_TEST

START_TEST(test_conv_input_is_features_times_input_size) {
  ck_assert_uint_eq(network->layers[0].input_elements, 3 * 8 * 6);
}
END_TEST

START_TEST(test_conv_output_is_counted_before_pooling) {
  ck_assert_uint_eq(network->layers[0].output_elements, 8 * 4 * 6);
}
END_TEST

START_TEST(test_conv_stores_what_the_pool_leaves) {
  ck_assert_uint_eq(network->layers[0].stored_elements, 8 * 2 * 3);
}
END_TEST

START_TEST(test_conv_has_a_weight_for_each_pair_of_features_and_kernel_position) {
  ck_assert_uint_eq(network->layers[0].weight_elements, 3 * 8 * 15);
}
END_TEST

START_TEST(test_conv_macs_are_weights_times_output_positions) {
  ck_assert_uint_eq(network->layers[0].macs, 3 * 8 * 15 * 24);
}
END_TEST

/* A bias is one a feature, a batch_norm two. */
START_TEST(test_conv_parameters_count_bias_and_normalisation) {
  ck_assert_uint_eq(network->layers[0].parameters, 3 * 8 * 15 + 8 + 2 * 8);
}
END_TEST

START_TEST(test_conv_pool_window_is_its_positions) {
  ck_assert_uint_eq(network->layers[0].pool_window, 6);
  ck_assert_uint_eq(network->layers[0].input_pool_window, 0);
}
END_TEST

START_TEST(test_conv_has_no_state_and_no_operand) {
  ck_assert_uint_eq(network->layers[0].state_elements, 0);
  ck_assert_uint_eq(network->layers[0].operand_elements, 0);
}
END_TEST

/* Each of 4 groups joins 2 input features with 4 output features: 4 * 2 * 4 * 9 weights. */
START_TEST(test_groups_divide_weights_and_macs) {
  network = network_of("{'name': 'g', 'type': 'conv', 'in': 8, 'out': 16, 'feature': [5, 5],"
                       " 'kernel': [3, 3], 'groups': 4}");
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->groups, 4);
  ck_assert_uint_eq(layer->weight_elements, 4 * 2 * 4 * 9);
  ck_assert_uint_eq(layer->macs, 4 * 2 * 4 * 9 * 25);
  ck_assert_uint_eq(layer->input_elements, 8 * 25);
  ck_assert_uint_eq(layer->output_elements, 16 * 25);
}
END_TEST

START_TEST(test_fc_counts_once_a_timestep) {
  network = network_of("{'name': 'f', 'type': 'fc', 'in': 10, 'out': 5, 'timesteps': 3,"
                       " 'aux': [{'op': 'bias'}, {'op': 'softmax'}]}");
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->timesteps, 3);
  ck_assert_uint_eq(layer->ij, 1);
  ck_assert_uint_eq(layer->kij, 1);
  ck_assert_uint_eq(layer->input_elements, 10);
  ck_assert_uint_eq(layer->output_elements, 5);
  ck_assert_uint_eq(layer->stored_elements, 5);
  ck_assert_uint_eq(layer->weight_elements, 50);
  ck_assert_uint_eq(layer->macs, 50);
  ck_assert_uint_eq(layer->parameters, 55);
}
END_TEST

/* X = 6, H = 4: X + H = 10 reduction features, 4H = 16 produced ones, 5H = 20 saved. */
START_TEST(test_lstm_joins_input_and_hidden_features) {
  network = network_of("{'name': 'l', 'type': 'lstm', 'in': 6, 'out': 4, 'timesteps': 7,"
                       " 'aux': [{'op': 'bias'}, {'op': 'layer_norm'}]}");
  const dsm_layer *const layer = &network->layers[0];
  ck_assert_uint_eq(layer->in, 10);
  ck_assert_uint_eq(layer->out, 16);
  ck_assert_uint_eq(layer->input_elements, 10);
  ck_assert_uint_eq(layer->output_elements, 16);
  ck_assert_uint_eq(layer->stored_elements, 4);
  ck_assert_uint_eq(layer->state_elements, 20);
  ck_assert_uint_eq(layer->weight_elements, 160);
  ck_assert_uint_eq(layer->macs, 160);
}
END_TEST

/* A bias of each gate is 4H, a layer_norm 2 * out = 2H. */
START_TEST(test_lstm_parameters_count_four_biases) {
  network = network_of("{'name': 'l', 'type': 'lstm', 'in': 6, 'out': 4,"
                       " 'aux': [{'op': 'bias'}, {'op': 'layer_norm'}]}");
  ck_assert_uint_eq(network->layers[0].parameters, 160 + 16 + 8);
}
END_TEST

START_TEST(test_matmul_has_an_operand_and_no_weights) {
  network = network_of("{'name': 'q', 'type': 'fc', 'in': 9, 'out': 6},"
                       "{'name': 'm', 'type': 'matmul', 'in': 6, 'out': 4, 'operand': 'q',"
                       " 'operand_elements': 24, 'timesteps': 2}");
  const dsm_layer *const layer = &network->layers[1];
  ck_assert_uint_eq(layer->in, 6);
  ck_assert_uint_eq(layer->out, 4);
  ck_assert_uint_eq(layer->input_elements, 6);
  ck_assert_uint_eq(layer->output_elements, 4);
  ck_assert_uint_eq(layer->stored_elements, 4);
  ck_assert_uint_eq(layer->operand_elements, 24);
  ck_assert_uint_eq(layer->weight_elements, 0);
  ck_assert_uint_eq(layer->parameters, 0);
  ck_assert_uint_eq(layer->macs, 24);
  ck_assert_uint_eq(layer->operand_count, 1);
  ck_assert_uint_eq(layer->operands[0], 0);
}
END_TEST

/* conv: 3 * 8 * 15 * 24 MACs; fc of 3 timesteps: 3 * 48 * 5. */
START_TEST(test_parameters_and_caches_are_counted_by_kind) {
  network = network_of(
      "{'name': 'words', 'type': 'embedding', 'vocabulary': 100, 'out': 12, 'positions': 3,"
      " 'aux': [{'op': 'layer_norm'}]}, {'name': 'qkv', 'type': 'fc', 'in': 12, 'out': 36,"
      " 'aux': [{'op': 'rms_norm', 'on': 'input'}, {'op': 'bias'}]}, {'name': 'attention',"
      " 'type': 'attention', 'heads': 2, 'head_features': 6, 'context': 10}, {'name': 'out',"
      " 'type': 'fc', 'in': 12, 'out': 100, 'tied_to': 'words', 'aux': [{'op': 'bias'}]}");
  const dsm__parameter_counts counts = dsm__workload_count_parameters(network);
  ck_assert_uint_eq(counts.embeddings, 100 * 12);
  ck_assert_uint_eq(counts.weights, 12 * 36);
  ck_assert_uint_eq(counts.biases, 36 + 100);
  ck_assert_uint_eq(counts.norms, 2 * 12 + 12);
  ck_assert_uint_eq(network->parameters, 1200 + 432 + 136 + 36);
  ck_assert_double_eq(dsm__workload_cache_bytes(network), 2.0 * 2 * 2 * 6 * 10);
}
END_TEST

/* Adaptive norms: on the input of 12 features, and on the output of 5. */
START_TEST(test_norms_that_another_layer_makes_have_no_parameters) {
  network = network_of("{'name': 'a', 'type': 'fc', 'in': 12, 'out': 5, 'aux': [{'op': 'bias'},"
                       " {'op': 'layer_norm', 'on': 'input', 'given': true},"
                       " {'op': 'rms_norm', 'given': true}]}, {'name': 'b', 'type': 'fc',"
                       " 'in': 5, 'out': 5, 'aux': [{'op': 'layer_norm', 'given': true}]}");
  const dsm__parameter_counts counts = dsm__workload_count_parameters(network);
  ck_assert_uint_eq(counts.norms, 0);
  ck_assert_uint_eq(network->parameters, 12 * 5 + 5 + 5 * 5);
  ck_assert_uint_eq(network->layers[0].input_op_elements, 12);
}
END_TEST

START_TEST(test_tied_table_is_counted_once) {
  network = network_of(
      "{'name': 'words', 'type': 'embedding', 'vocabulary': 100, 'out': 12, 'positions': 3},"
      " {'name': 'others', 'type': 'embedding', 'inputs': ['@input'], 'vocabulary': 100, 'out': 12,"
      " 'positions': 3, 'tied_to': 'words'}");
  ck_assert_uint_eq(network->parameters, 1200);
  ck_assert_uint_eq(network->weights, 1200);
  ck_assert_uint_eq(network->layers[1].parameters, 0);
  ck_assert_uint_eq(network->layers[1].lookup_elements, 3 * 12);
  ck_assert(network->layers[1].is_tied);
}
END_TEST

typedef struct capacity {
  unsigned positions;
  unsigned experts;
  unsigned active;
  const char *factor;
  unsigned of_expert; /* positions * active * factor / experts, rounded up */
  unsigned sent;      /* positions * active * factor, rounded up */
} capacity;

/* 11, 5.5, 0.375, 4.375, 10 and 33, of which 90 * 1.1 is more than 99 by what 1.1 rounds. */
static const capacity capacities[] = {{20, 2, 1, "1.1", 11, 22}, {20, 8, 2, "1.1", 6, 44},
                                      {3, 8, 1, "1", 1, 3},      {7, 4, 2, "1.25", 5, 18},
                                      {10, 4, 4, "1", 10, 40},   {30, 3, 3, "1.1", 33, 99}};

/* Experts are groups of 6 x 10 weights, each with its part of the positions. */
START_TEST(test_experts_share_positions_out) {
  const capacity *const c = &capacities[_i];
  char text[256];
  (void)snprintf(text, sizeof text,
                 "{'name': 'e', 'type': 'fc', 'in': 6, 'out': 10, 'positions': %u, 'experts': %u,"
                 " 'active_experts': %u, 'capacity_factor': %s}",
                 c->positions, c->experts, c->active, c->factor);
  network = network_of(text);
  const dsm_layer *const layer = &network->layers[0];
  const uint64_t experts = c->experts;
  ck_assert_uint_eq(layer->ij, c->of_expert);
  ck_assert_uint_eq(layer->groups, experts);
  ck_assert_uint_eq(layer->routed, (uint64_t)c->positions * c->active);
  ck_assert_uint_eq(layer->weight_elements, experts * 6 * 10);
  ck_assert_uint_eq(layer->parameters, experts * 6 * 10);
  ck_assert_uint_eq(layer->sent, c->sent);
  ck_assert_uint_eq(layer->input_elements, 6 * c->sent);
  ck_assert_uint_eq(layer->output_elements, 10 * c->sent);
  ck_assert_uint_eq(layer->stored_elements, 10 * c->sent);
  ck_assert_uint_eq(layer->macs, 6 * 10 * c->sent);
}
END_TEST

START_TEST(test_totals_include_timesteps) {
  network = network_with("'element_bytes': 4, ",
                         "{'name': 'c', 'type': 'conv', 'in': 3, 'out': 8, 'feature': [4, 6],"
                         " 'kernel': [3, 5], 'stride': [2, 1], 'aux': [{'op': 'bias'},"
                         " {'op': 'max_pool', 'window': [2, 3], 'stride': [2, 2]}]},"
                         "{'name': 'f', 'type': 'fc', 'in': 48, 'out': 5, 'timesteps': 3}");
  ck_assert_uint_eq(network->weights, 360 + 240);
  ck_assert_uint_eq(network->parameters, 368 + 240);
  ck_assert_uint_eq(network->forward_macs, 8640 + 3 * 240);
  ck_assert_double_eq(network->activation_bytes, 4.0 * (48 + 3 * 5));
}
END_TEST

/* A convolution makes 4 * 4 * 6 = 96 results, 24 behind a pool. By the table of section 12: those
 * before the output that some operation needs, and those that activations alone need. */
#define OP(op) "{'op': '" op "'}"
#define POOL(op) "{'op': '" op "', 'window': [2, 2]}"
#define FROM(op) "{'op': '" op "', 'from': 'a'}"
static const struct {
  const char *operations;
  uint64_t results;
  uint64_t activations;
} kept[] = {
    {OP("bias"), 0, 0},
    {OP("bias") "," FROM("residual"), 0, 0},
    {OP("bias") "," OP("gelu"), 0, 96},
    {OP("silu") "," FROM("multiply"), 0, 2 * 96},
    {OP("relu"), 0, 0},
    {OP("relu") "," OP("bias"), 0, 96},
    {OP("sigmoid") "," OP("gelu"), 0, 96}, /* one result, which both need */
    {OP("tanh") "," OP("dropout"), 0, 96},
    {OP("batch_norm") "," FROM("residual") "," OP("relu"), 96, 0},
    {OP("batch_norm") "," OP("relu") "," POOL("max_pool"), 2 * 96, 0}, /* of relu the pool needs */
    {OP("relu") "," POOL("avg_pool"), 0, 96},
    {POOL("avg_pool") "," OP("batch_norm"), 24, 0},
    {OP("softmax"), 0, 0},
    {OP("softmax") "," OP("dropout"), 96, 0},
    {OP("gelu") "," OP("layer_norm"), 96, 96},
    {OP("bias") "," OP("rms_norm"), 96, 0},
};

START_TEST(test_results_that_gradients_need_are_kept_once) {
  char layers[512];
  (void)snprintf(layers, sizeof layers,
                 "{'name': 'a', 'type': 'conv', 'in': 3, 'out': 4, 'feature': [4, 6]},"
                 "{'name': 'b', 'type': 'conv', 'in': 4, 'out': 4, 'feature': [4, 6],"
                 " 'aux': [%s]}",
                 kept[_i].operations);
  network = network_of(layers);
  ck_assert_uint_eq(network->layers[1].kept_results, kept[_i].results);
  ck_assert_uint_eq(network->layers[1].kept_activations, kept[_i].activations);
}
END_TEST

Suite *suite_quantities(void) {
  Suite *const suite = suite_create("quantities");
  TCase *const conv = tcase_create("conv");
  tcase_add_checked_fixture(conv, set_up_conv, tear_down);
  tcase_add_test(conv, test_conv_has_the_loops_of_its_description);
  tcase_add_test(conv, test_conv_input_is_features_times_input_size);
  tcase_add_test(conv, test_conv_output_is_counted_before_pooling);
  tcase_add_test(conv, test_conv_stores_what_the_pool_leaves);
  tcase_add_test(conv, test_conv_has_a_weight_for_each_pair_of_features_and_kernel_position);
  tcase_add_test(conv, test_conv_macs_are_weights_times_output_positions);
  tcase_add_test(conv, test_conv_parameters_count_bias_and_normalisation);
  tcase_add_test(conv, test_conv_pool_window_is_its_positions);
  tcase_add_test(conv, test_conv_has_no_state_and_no_operand);
  suite_add_tcase(suite, conv);
  TCase *const types = tcase_create("types");
  tcase_add_checked_fixture(types, NULL, tear_down);
  tcase_add_test(types, test_groups_divide_weights_and_macs);
  tcase_add_test(types, test_fc_counts_once_a_timestep);
  tcase_add_test(types, test_lstm_joins_input_and_hidden_features);
  tcase_add_test(types, test_lstm_parameters_count_four_biases);
  tcase_add_test(types, test_matmul_has_an_operand_and_no_weights);
  tcase_add_test(types, test_totals_include_timesteps);
  tcase_add_test(types, test_norms_that_another_layer_makes_have_no_parameters);
  tcase_add_test(types, test_tied_table_is_counted_once);
  tcase_add_loop_test(types, test_experts_share_positions_out, 0, COUNT_OF(capacities));
  tcase_add_loop_test(types, test_results_that_gradients_need_are_kept_once, 0, COUNT_OF(kept));
  tcase_add_test(types, test_parameters_and_caches_are_counted_by_kind);
  suite_add_tcase(suite, types);
  return suite;
}
