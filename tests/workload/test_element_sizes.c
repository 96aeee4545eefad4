/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of an element of what layers read, make and keep: 2 where nothing is said. */
#include "network.h"
#include "suites.h"
#include "workload/workload_internal.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

/* The example of docs/model.md, section 2. */
static const char example[] =
    "{'name': 'A', 'type': 'fc', 'in': 6, 'out': 10, 'element_bytes': 1},"
    "{'name': 'C', 'type': 'fc', 'inputs': ['@input'], 'in': 6, 'out': 30},"
    "{'name': 'D', 'type': 'fc', 'inputs': ['A', 'C'], 'in': 40, 'out': 5, 'element_bytes': 4}";

START_TEST(test_what_is_read_has_the_bytes_of_its_producers) {
  network = network_of(example);
  const dsm_layer *const layers = network->layers;
  ck_assert_double_eq(layers[0].bytes.input, 0); /* the workload's, as the network's input */
  ck_assert_double_eq(layers[0].bytes.output, 1);
  ck_assert_double_eq(layers[0].bytes.weights, 1);
  ck_assert_double_eq(layers[2].bytes.input, 1.75); /* (10 * 1 + 30 * 2) / 40 */
  ck_assert_double_eq(layers[2].bytes.output, 4);
  ck_assert_double_eq(dsm__workload_weights_bytes(network), 60 * 1 + 180 * 2 + 200 * 4);
}
END_TEST

/* 10 elements of 1 byte are 5 of 2, 5 of 4 bytes are 10. */
START_TEST(test_sizes_count_in_elements_of_the_workload) {
  network = network_of(example);
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(layers[0].stored_size, 5);
  ck_assert_uint_eq(layers[1].stored_size, 30);
  ck_assert_uint_eq(layers[2].stored_size, 10);
  ck_assert_uint_eq(layers[2].stored_elements, 5);
  ck_assert_uint_eq(layers[1].carried_elements, 5);
  ck_assert_uint_eq(layers[2].live_elements, 45);
  ck_assert_uint_eq(layers[2].error_pair_elements, 45);
  ck_assert_double_eq(network->activation_bytes, 45 * 2);
}
END_TEST

START_TEST(test_sizes_are_rounded_up) {
  network = network_of("{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9, 'element_bytes': 1.5}");
  ck_assert_uint_eq(network->layers[0].stored_size, 7); /* 6.75 */
}
END_TEST

/* What a layer states as the workload has it makes no difference. */
START_TEST(test_what_the_workload_has_is_nothing_of_a_layer) {
  static const char plain[] = "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9}";
  network = network_with("'element_bytes': 4, 'weight_bytes': 1,",
                         "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9, 'element_bytes': 4,"
                         " 'weight_bytes': 1}");
  dsm_workload *const other = network_with("'element_bytes': 4, 'weight_bytes': 1,", plain);
  ck_assert_mem_eq(&network->layers[0].bytes, &other->layers[0].bytes, sizeof(dsm_layer_bytes));
  ck_assert_double_eq(network->layers[0].bytes.output, 0);
  ck_assert_double_eq(network->layers[0].bytes.weights, 0);
  dsm_workload_free(other);
}
END_TEST

/* A type of 8 bits alone: weights have it, activations do not. What is stated stays. */
START_TEST(test_a_type_of_8_bits_alone_is_that_of_weights) {
  static const struct {
    const char *words;
    double weight_bytes;
  } cases[] = {{"'element_type': 'fp8',", 1},
               {"'element_type': 'int8', 'element_bytes': 4,", 1},
               {"'element_type': 'fp8', 'element_bytes': 0.5,", 0},
               {"'element_type': 'fp8', 'weight_bytes': 2,", 2},
               {"'element_type': 'bf16',", 0}};
  network = network_with(cases[_i].words, "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9}");
  ck_assert_double_eq(network->weight_bytes, cases[_i].weight_bytes);
  ck_assert_double_gt(network->element_bytes, 0);
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
}
END_TEST

/* What is stored wider than products read is cast, but behind norms; what is narrower is widened.
 * Types go before numbers of bytes, and a layer's before the workload's. */
START_TEST(test_types_by_use_say_what_is_cast) {
  network =
      network_with("'weight_bytes': 4, 'gradient_bytes': 4, 'types': {'activations': 'bf16',"
                   " 'operands': 'fp8', 'weights': 'bf16', 'gradients': 'bf16'},",
                   "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9, 'aux': [{'op': 'layer_norm'}]},"
                   "{'name': 'b', 'type': 'fc', 'in': 9, 'out': 9, 'types': {'weights': 'int4'}},"
                   "{'name': 'c', 'type': 'fc', 'in': 9, 'out': 9, 'types': {'operands': 'bf16',"
                   " 'activations': 'fp32'}},"
                   "{'name': 'm', 'type': 'matmul', 'in': 9, 'out': 9, 'operand': 'a',"
                   " 'operand_elements': 9}");
  const dsm_layer *const a = &network->layers[0];
  const dsm_layer *const b = &network->layers[1];
  const dsm_layer *const c = &network->layers[2];
  ck_assert_double_eq(network->weight_bytes, 2);
  ck_assert_double_eq(network->gradient_bytes, 2);
  ck_assert_int_eq(a->casts.operands, DSM_ELEMENT_TYPE_FP8);
  ck_assert(a->casts.is_input_cast && a->casts.is_error_cast && a->casts.are_weights_cast);
  ck_assert(!a->casts.are_weights_widened && a->casts.are_gradients_typed);
  ck_assert(!b->casts.is_input_cast && b->casts.is_error_cast);
  ck_assert(!b->casts.are_weights_cast && b->casts.are_weights_widened);
  ck_assert_double_eq(b->bytes.weights, 66 / 128.0);
  ck_assert(!c->casts.is_input_cast && c->casts.is_error_cast); /* its errors have 4 bytes */
  ck_assert(c->casts.are_weights_cast);                         /* of its 4 bytes too */
  ck_assert_int_eq(network->layers[3].casts.operands, DSM_ELEMENT_TYPE_BF16);
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
}
END_TEST

/* 2 momenta of 2 bytes and master weights of 4. */
START_TEST(test_momenta_of_a_type_are_kept_in_it) {
  network = network_with("'optimizer': 'adam', 'types': {'optimizer': 'bf16'},",
                         "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9}");
  ck_assert_double_eq(network->optimizer_bytes_per_weight, 2 * 2 + 4);
}
END_TEST

/* Of 4 or 8 bits alone it is that of operands of products with weights, too. */
START_TEST(test_a_narrow_type_alone_is_that_of_operands) {
  static const char layers[] = "{'name': 'q', 'type': 'fc', 'in': 12, 'out': 36, 'positions': 3},"
                               "{'name': 'a', 'type': 'attention', 'heads': 2,"
                               " 'head_features': 6}";
  network = network_with("'element_type': 'nvfp4',", layers);
  ck_assert_double_eq(network->weight_bytes, 9 / 16.0);
  ck_assert_double_eq(network->element_bytes, 2);
  ck_assert_int_eq(network->layers[0].casts.operands, DSM_ELEMENT_TYPE_NVFP4);
  ck_assert_int_eq(network->layers[1].casts.operands, DSM_ELEMENT_TYPE_ANY);
  dsm_workload_free(network);
  network = network_with("'element_type': 'fp8', 'element_bytes': 1,", layers);
  ck_assert_int_eq(network->layers[0].casts.operands, DSM_ELEMENT_TYPE_ANY); /* all are */
}
END_TEST

/* Its own element_bytes go before the workload's weight_bytes. */
START_TEST(test_weights_have_their_own_bytes_or_the_layers) {
  network = network_with("'weight_bytes': 1,",
                         "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 9, 'element_bytes': 4},"
                         "{'name': 'b', 'type': 'fc', 'in': 9, 'out': 9, 'weight_bytes': 0.5},"
                         "{'name': 'c', 'type': 'fc', 'in': 9, 'out': 9}");
  const dsm_layer *const layers = network->layers;
  ck_assert_double_eq(layers[0].bytes.weights, 4);
  ck_assert_double_eq(layers[1].bytes.weights, 0.5);
  ck_assert_double_eq(layers[1].bytes.input, 4);
  ck_assert_double_eq(layers[1].bytes.output, 0);
  ck_assert_double_eq(layers[2].bytes.weights, 0);
  ck_assert_double_eq(dsm__workload_weights_bytes(network), 54 * 4 + 81 * 0.5 + 81);
}
END_TEST

START_TEST(test_tied_weights_have_the_bytes_of_their_layer) {
  network = network_of("{'name': 'words', 'type': 'embedding', 'vocabulary': 50, 'out': 8,"
                       " 'positions': 3, 'weight_bytes': 1},"
                       "{'name': 'out', 'type': 'fc', 'in': 8, 'out': 50, 'tied_to': 'words',"
                       " 'element_bytes': 4}");
  ck_assert_double_eq(network->layers[0].bytes.output, 0);
  ck_assert_double_eq(network->layers[1].bytes.weights, 1);
  ck_assert_double_eq(network->layers[1].bytes.output, 4);
  ck_assert_double_eq(dsm__workload_weights_bytes(network), 400);
}
END_TEST

/* Scores have the attention's bytes, queries and keys those of the layer that makes them. */
START_TEST(test_attention_reads_what_others_make_and_its_scores) {
  network = network_of("{'name': 'q', 'type': 'fc', 'in': 12, 'out': 12, 'positions': 3},"
                       "{'name': 'k', 'type': 'fc', 'inputs': ['@input'], 'in': 12, 'out': 12,"
                       " 'positions': 3, 'element_bytes': 1},"
                       "{'name': 'v', 'type': 'fc', 'inputs': ['@input'], 'in': 12, 'out': 12,"
                       " 'positions': 3, 'element_bytes': 0.5},"
                       "{'name': 'a', 'type': 'attention', 'inputs': ['q', 'k', 'v'], 'heads': 2,"
                       " 'head_features': 6, 'context': 10, 'element_bytes': 4,"
                       " 'cache_bytes': 0.25}");
  const dsm_layer *const score = &network->layers[3];
  const dsm_layer *const context = &network->layers[4];
  ck_assert_double_eq(score->bytes.input, 0);
  ck_assert_double_eq(score->bytes.operand, 1);
  ck_assert_double_eq(score->bytes.output, 4);
  ck_assert_double_eq(score->bytes.weights, 0);
  ck_assert_double_eq(context->bytes.input, 4);
  ck_assert_double_eq(context->bytes.operand, 0.5);
  ck_assert_double_eq(context->bytes.output, 4);
  ck_assert_double_eq(dsm__workload_cache_bytes(network), 2.0 * 2 * 6 * 10 * 0.25);
}
END_TEST

/* 4 inputs of 1 byte and 3 units of 4: of a hoisted one the first are the input's, the others the
 * timesteps'. */
START_TEST(test_lstm_reads_its_own_units_too) {
  network = network_of("{'name': 'x', 'type': 'fc', 'in': 4, 'out': 4, 'timesteps': 5,"
                       " 'element_bytes': 1},"
                       "{'name': 'y', 'type': 'lstm', 'in': 4, 'out': 3, 'timesteps': 5,"
                       " 'element_bytes': 4}");
  const dsm_layer *const lstm = &network->layers[1];
  ck_assert_double_eq(lstm->bytes.input, 16.0 / 7);
  ck_assert_double_eq(lstm->hoisted[DSM_HOISTED_INPUT].bytes.input, 1);
  ck_assert_double_eq(lstm->hoisted[DSM_HOISTED_STEP].bytes.input, 4);
  ck_assert_double_eq(lstm->hoisted[DSM_HOISTED_GRADIENT].bytes.input, 4);
}
END_TEST

START_TEST(test_shortcuts_and_forks_have_the_bytes_of_their_layer) {
  network = network_of("{'name': 'a', 'type': 'fc', 'in': 4, 'out': 6, 'element_bytes': 1},"
                       "{'name': 'b', 'type': 'fc', 'in': 6, 'out': 6,"
                       " 'aux': [{'op': 'residual', 'from': 'a'}]},"
                       "{'name': 'c', 'type': 'matmul', 'in': 6, 'out': 2, 'operand': 'a'}");
  ck_assert_double_eq(network->layers[1].bytes.shortcut, 1);
  ck_assert_uint_eq(network->layers[1].fork_elements, 6);
  ck_assert_double_eq(network->layers[1].bytes.fork, 1);
  ck_assert_double_eq(network->layers[2].bytes.operand, 1);
  ck_assert_double_eq(network->layers[2].bytes.input, 0);
}
END_TEST

/* Nothing makes what a layer of a list reads. 6 inputs of 1 byte and 8 outputs are 7 of 2. */
START_TEST(test_layer_of_a_list_reads_its_own_bytes) {
  network = network_with("'connected': false,",
                         "{'name': 'a', 'type': 'fc', 'in': 6, 'out': 8, 'element_bytes': 1},"
                         "{'name': 'b', 'type': 'fc', 'in': 6, 'out': 8}");
  ck_assert_double_eq(network->layers[0].bytes.input, 1);
  ck_assert_uint_eq(network->layers[0].live_elements, 7);
  ck_assert_uint_eq(network->layers[0].error_pair_elements, 7);
  ck_assert_double_eq(network->layers[1].bytes.input, 0);
  ck_assert_uint_eq(network->layers[1].live_elements, 14);
}
END_TEST

START_TEST(test_bytes_of_layers_are_written_as_they_are_read) {
  network = network_of("{'name': 'a', 'type': 'fc', 'in': 6, 'out': 18, 'positions': 2,"
                       " 'element_bytes': 1, 'weight_bytes': 0.5},"
                       "{'name': 'b', 'type': 'attention', 'heads': 1, 'head_features': 6,"
                       " 'element_bytes': 4, 'cache_bytes': 1}");
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
}
END_TEST

/* Another word for the same. */
START_TEST(test_swish_is_silu_and_momentum_is_sgd) {
  network = network_with("'optimizer': 'momentum',", "{'name': 'a', 'type': 'fc', 'in': 6,"
                                                     " 'out': 9, 'aux': [{'op': 'swish'}]}");
  ck_assert(network->layers[0].has_op[DSM_AUX_SILU]);
  ck_assert_int_eq(network->optimizer, DSM_OPTIMIZER_SGD);
  ck_assert_double_eq(network->optimizer_bytes_per_weight, 4 + 4);
  ck_assert_str_eq(dsm_aux_op_name(DSM_AUX_SILU), "silu");
  ck_assert_str_eq(dsm_optimizer_name(DSM_OPTIMIZER_SGD), "sgd");
}
END_TEST

Suite *suite_element_sizes(void) {
  Suite *const suite = suite_create("element sizes");
  TCase *const all = tcase_create("all");
  tcase_add_checked_fixture(all, NULL, tear_down);
  tcase_add_test(all, test_what_is_read_has_the_bytes_of_its_producers);
  tcase_add_test(all, test_sizes_count_in_elements_of_the_workload);
  tcase_add_test(all, test_sizes_are_rounded_up);
  tcase_add_test(all, test_what_the_workload_has_is_nothing_of_a_layer);
  tcase_add_test(all, test_weights_have_their_own_bytes_or_the_layers);
  tcase_add_loop_test(all, test_a_type_of_8_bits_alone_is_that_of_weights, 0, 5);
  tcase_add_test(all, test_types_by_use_say_what_is_cast);
  tcase_add_test(all, test_momenta_of_a_type_are_kept_in_it);
  tcase_add_test(all, test_a_narrow_type_alone_is_that_of_operands);
  tcase_add_test(all, test_tied_weights_have_the_bytes_of_their_layer);
  tcase_add_test(all, test_attention_reads_what_others_make_and_its_scores);
  tcase_add_test(all, test_lstm_reads_its_own_units_too);
  tcase_add_test(all, test_shortcuts_and_forks_have_the_bytes_of_their_layer);
  tcase_add_test(all, test_layer_of_a_list_reads_its_own_bytes);
  tcase_add_test(all, test_bytes_of_layers_are_written_as_they_are_read);
  tcase_add_test(all, test_swish_is_silu_and_momentum_is_sgd);
  suite_add_tcase(suite, all);
  return suite;
}
