/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other uses of a layer's output than as an input: residuals, both directions, operands; and the
 * passes that follow. */
#include "network.h"
#include "suites.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

/* ---- residuals ---- */

START_TEST(test_residual_adds_an_earlier_output) {
  network =
      network_of(CONV_A ", " CONV_B ", {'name': 'x', 'type': 'conv', 'inputs': ['a'], 'in': 2,"
                        " 'out': 3, 'feature': [6, 4], 'aux': [{'op': 'residual', 'from': 'b'},"
                        " {'op': 'max_pool', 'window': [2, 2]}]}");
  ck_assert_uint_eq(network->layers[2].shortcut_count, 1);
  ck_assert_uint_eq(network->layers[2].shortcuts[0], 1);
  expect_producers(network, 2, 1, (const size_t[]){0});
}
END_TEST

START_TEST(test_residual_may_come_from_the_layers_own_input) {
  network =
      network_of(CONV_A ", {'name': 'x', 'type': 'conv', 'in': 2, 'out': 2, 'feature': [6, 4],"
                        " 'aux': [{'op': 'residual', 'from': 'a'}]}");
  ck_assert_uint_eq(network->layers[1].shortcuts[0], 0);
}
END_TEST

#define X(keys) "{'name': 'x', 'type': 'conv', 'inputs': ['a'], 'in': 2, " keys "}"

START_TEST(test_residual_needs_equal_features) {
  expect_refused(CONV_A ", " CONV_B ", " X("'out': 2, 'feature': [6, 4], 'aux': [{'op': 'residual',"
                                           " 'from': 'b'}]"),
                 "$.layers[2].aux[0].from");
}
END_TEST

START_TEST(test_residual_needs_equal_size) {
  expect_refused(CONV_A ", " CONV_B ", " X("'out': 3, 'feature': [3, 4], 'stride': [2, 1], 'aux':"
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
  expect_refused(CONV_A ", " CONV_B
                        ", " X("'out': 3, 'feature': [6, 4], 'aux': [{'op': 'max_pool', 'window':"
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
    expect_producers(network, i, 1, (const size_t[]){DSM_NETWORK_INPUT});
  }
}
END_TEST

START_TEST(test_bidirectional_lstm_delivers_both_directions) {
  network = network_of(BI ", {'name': 'y', 'type': 'lstm', 'in': 6, 'out': 2, 'timesteps': 5}");
  expect_producers(network, 2, 2, (const size_t[]){0, 1});
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
    CONV_A ", {'name': 'm', 'type': 'matmul', 'in': 48, 'out': 8, 'operand': 'a',"
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
    CONV_A ", {'name': 'm', 'type': 'matmul', 'in': 48, 'out': 9, 'operand': 'a',"
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
    {CONV_A ", {'name': 'x', 'type': 'fc', 'in': 48, 'out': 1}", true, true},
    {CONV_A
     ", {'name': 'x', 'type': 'conv', 'inputs': ['@input'], 'in': 1, 'out': 1, 'feature': [6, 4]}",
     false, true},
    {CONV_A
     ", {'name': 'x', 'type': 'conv', 'inputs': ['@input', 'a'], 'in': 3, 'out': 1, 'feature':"
     " [6, 4]}",
     true, true},
    {CONV_A
     ", {'name': 'x', 'type': 'matmul', 'in': 48, 'out': 1, 'operand': 'a', 'operand_elements':"
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

/* ---- norms of the input that several layers read ---- */

#define GATED(norm)                                                                                \
  "{'name': 'a', 'type': 'fc', 'in': 8, 'out': 4, 'positions': 3}, {'name': 'gate', 'type': 'fc'," \
  " 'in': 4, 'out': 6, 'aux': [{'op': 'rms_norm', 'on': 'input'}]}, {'name': 'up', 'type': 'fc',"  \
  " 'inputs': ['a'], 'in': 4, 'out': 6, 'aux': [" norm ", {'op': 'multiply', 'from': 'gate'}]}"
#define NORM "{'op': 'rms_norm', 'on': 'input'}"
#define NORM_FROM(name) "{'op': 'rms_norm', 'on': 'input', 'from': '" name "'}"

START_TEST(test_norm_of_another_layer_is_counted_there) {
  network = network_of(GATED(NORM_FROM("gate")));
  ck_assert_uint_eq(network->layers[1].parameters, 4 * 6 + 4);
  ck_assert_uint_eq(network->layers[2].parameters, 4 * 6);
  ck_assert_uint_eq(network->layers[1].input_op_elements, 3 * 4);
  ck_assert_uint_eq(network->layers[2].input_op_elements, 0);
  ck_assert(!network->layers[2].has_input_op[DSM_AUX_RMS_NORM]);
  ck_assert_uint_eq(network->layers[2].shortcut_count, 1);
}
END_TEST

START_TEST(test_norm_of_ones_own_is_counted) {
  network = network_of(GATED(NORM));
  ck_assert_uint_eq(network->layers[2].parameters, 4 * 6 + 4);
  ck_assert_uint_eq(network->layers[2].input_op_elements, 3 * 4);
}
END_TEST

START_TEST(test_norm_of_another_layer_is_of_the_same_input) {
  static const char from[] = "$.layers[2].aux[0].from";
  expect_refused(GATED(NORM_FROM("a")), from); /* has none */
  expect_refused(GATED(NORM_FROM("up")), from);
  expect_refused(GATED("{'op': 'layer_norm', 'on': 'input', 'from': 'gate'}"), from);
  expect_refused(GATED("{'op': 'rms_norm', 'from': 'gate'}"), from); /* on the output */
  expect_refused(GATED(NORM_FROM("gate")) ", {'name': 'down', 'type': 'fc', 'in': 6, 'out': 4,"
                                          " 'aux': [" NORM_FROM("gate") "]}",
                 "$.layers[3].aux[0].from"); /* reads something else */
  expect_refused(GATED(NORM_FROM("gate")) ", {'name': 'again', 'type': 'fc', 'inputs': ['a'],"
                                          " 'in': 4, 'out': 4, 'aux': [" NORM_FROM("up") "]}",
                 "$.layers[3].aux[0].from"); /* is gate's */
  expect_refused(GATED(NORM_FROM("gate")) ", {'name': 'last', 'type': 'fc', 'inputs': ['a'],"
                                          " 'in': 4, 'out': 4, 'aux': [{'op': 'select',"
                                          " 'positions': 1}, " NORM_FROM("gate") "]}",
                 "$.layers[3].aux[1].from"); /* one of its positions */
}
END_TEST

/* ---- tables of one row ---- */

#define TOKENS_OF(reads, vocabulary)                                                               \
  "{'name': 'patches', 'type': 'fc', 'in': 12, 'out': 8, 'positions': 5}, {'name': 'tokens',"      \
  " 'type': 'embedding', 'inputs': ['" reads "'], 'vocabulary': " vocabulary ", 'out': 8,"         \
  " 'positions': 5, 'learned_positions': true, 'aux': [{'op': 'residual', 'from': 'patches'}]}"

#define TOKENS(vocabulary) TOKENS_OF("@input", vocabulary)

START_TEST(test_table_of_a_few_rows_has_nothing_to_look_up) {
  network = network_of(TOKENS("1"));
  ck_assert_uint_eq(network->layers[1].parameters, (1 + 5) * 8);
  tear_down();
  network = network_of(TOKENS("8"));
  ck_assert_uint_eq(network->layers[1].parameters, (8 + 5) * 8);
  tear_down();
  network = network_of(TOKENS_OF("patches", "8"));
  ck_assert_uint_eq(network->layers[1].parameters, (8 + 5) * 8);
  expect_refused(TOKENS_OF("patches", "9"), "$.layers[1].positions");
}
END_TEST

Suite *suite_resolve_uses(void) {
  Suite *const suite = suite_create("resolve_uses");
  TCase *const uses = tcase_create("uses");
  tcase_add_checked_fixture(uses, NULL, tear_down);
  tcase_add_test(uses, test_residual_adds_an_earlier_output);
  tcase_add_test(uses, test_residual_may_come_from_the_layers_own_input);
  tcase_add_test(uses, test_residual_needs_equal_features);
  tcase_add_test(uses, test_residual_needs_equal_size);
  tcase_add_test(uses, test_residual_needs_the_stored_size_of_a_pooled_layer);
  tcase_add_test(uses, test_residual_comes_before_the_pool);
  tcase_add_test(uses, test_bidirectional_lstm_is_two_primary_layers);
  tcase_add_test(uses, test_bidirectional_lstm_delivers_both_directions);
  tcase_add_test(uses, test_bidirectional_lstm_does_not_deliver_one_direction);
  tcase_add_test(uses, test_direction_is_no_name_of_the_description);
  tcase_add_test(uses, test_residual_from_bidirectional_layer_adds_both_directions);
  tcase_add_test(uses, test_operand_of_a_bidirectional_layer_is_both_directions);
  tcase_add_loop_test(uses, test_operand_is_of_what_its_layer_delivers, 0, COUNT_OF(good_operands));
  tcase_add_loop_test(uses, test_operand_that_its_layer_cannot_deliver_is_refused, 0,
                      COUNT_OF(bad_operands));
  tcase_add_test(uses, test_operand_of_wrong_layers_is_not_looked_at);
  tcase_add_loop_test(uses, test_layer_has_the_passes_that_its_inputs_and_weights_need, 0,
                      COUNT_OF(passes));
  tcase_add_test(uses, test_norm_of_another_layer_is_counted_there);
  tcase_add_test(uses, test_norm_of_ones_own_is_counted);
  tcase_add_test(uses, test_norm_of_another_layer_is_of_the_same_input);
  tcase_add_test(uses, test_table_of_a_few_rows_has_nothing_to_look_up);
  suite_add_tcase(suite, uses);
  return suite;
}
