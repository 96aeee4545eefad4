/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks: what they stand for, written out by hand, is the same workload. */
#include "network.h"
#include "suites.h"

#define FC(name, in, out) "{'name': '" name "', 'type': 'fc', 'in': " #in ", 'out': " #out "}"
#define FC_OF(name, in, out, more)                                                                 \
  "{'name': '" name "', 'type': 'fc', 'in': " #in ", 'out': " #out ", " more "}"

static void expect_same(const char *blocks, const char *layers) {
  dsm_workload *const short_one = network_of(blocks);
  dsm_workload *const long_one = network_of(layers);
  expect_same_workload(short_one, long_one);
  dsm_workload_free(short_one);
  dsm_workload_free(long_one);
}

START_TEST(test_layers_stand_one_after_the_other) {
  expect_same(FC("in", 2, 3) ", {'block': 'b', 'repeat': 2, 'layers': [" FC("x", 3, 4) ", " FC(
                  "y", 4, 3) "]}, " FC("out", 3, 5),
              FC("in", 2, 3) ", " FC("b.0.x", 3, 4) ", " FC("b.0.y", 4, 3) ", " FC(
                  "b.1.x", 3, 4) ", " FC("b.1.y", 4, 3) ", " FC("out", 3, 5));
}
END_TEST

START_TEST(test_block_once_has_a_number_too) {
  expect_same("{'block': 'b', 'layers': [" FC("x", 3, 4) "]}", FC("b.0.x", 3, 4));
}
END_TEST

START_TEST(test_names_inside_hide_those_outside) {
  expect_same(FC("x", 2, 3) ", " FC("z", 3, 3) ", {'block': 'b', 'repeat': 2, 'layers': [" FC(
                  "x", 3, 3) ", " FC_OF("y", 6, 3, "'inputs': ['x', 'z']") "]}",
              FC("x", 2, 3) ", " FC("z", 3, 3) ", " FC("b.0.x", 3, 3) ", " FC_OF(
                  "b.0.y", 6, 3,
                  "'inputs': ['b.0.x', 'z']") ", " FC("b.1.x", 3,
                                                      3) ", " FC_OF("b.1.y", 6, 3,
                                                                    "'inputs': ['b.1.x', 'z']"));
}
END_TEST

START_TEST(test_before_is_what_a_repetition_comes_after) {
  expect_same(
      FC("in", 2, 3) ", {'block': 'b', 'repeat': 2, 'layers': [" FC("x", 3, 4) ", " FC_OF(
          "y", 4, 3, "'aux': [{'op': 'residual', 'from': '@before'}]") "]}",
      FC("in", 2, 3) ", " FC("b.0.x", 3, 4) ", " FC_OF(
          "b.0.y", 4, 3,
          "'aux': [{'op': 'residual', 'from': 'in'}]") ", " FC("b.1.x", 3,
                                                               4) ", " FC_OF("b.1.y", 4, 3,
                                                                             "'aux': [{'op': "
                                                                             "'residual', 'from': "
                                                                             "'b.0.y'}]"));
}
END_TEST

START_TEST(test_before_the_first_is_the_input) {
  expect_same(
      "{'block': 'b', 'repeat': 2, 'layers': [" FC_OF("x", 3, 3, "'inputs': ['@before']") "]}",
      FC_OF("b.0.x", 3, 3, "'inputs': ['@input']") ", " FC_OF("b.1.x", 3, 3,
                                                              "'inputs': ['b.0.x']"));
}
END_TEST

START_TEST(test_name_of_a_block_is_its_last_layer) {
  expect_same(FC("in", 2, 3) ", {'block': 'b', 'repeat': 2, 'layers': [" FC("x", 3, 3) "]}, " FC_OF(
                  "out", 9, 5, "'inputs': ['b', 'b.0.x', 'in']"),
              FC("in", 2, 3) ", " FC("b.0.x", 3, 3) ", " FC("b.1.x", 3, 3) ", " FC_OF(
                  "out", 9, 5, "'inputs': ['b.1.x', 'b.0.x', 'in']"));
}
END_TEST

START_TEST(test_operand_is_looked_up) {
  expect_same(
      "{'block': 'b', 'repeat': 2, 'layers': [" FC("q", 8, 8) ", " FC(
          "k", 8,
          16) ", {'name': 's',"
              " 'type': 'matmul', 'in': 16, 'out': 8, 'operand': 'q', 'operand_elements': 8}]}",
      FC("b.0.q", 8, 8) ", " FC(
          "b.0.k", 8,
          16) ", {'name': 'b.0.s', 'type': 'matmul', 'in': 16,"
              " 'out': 8, 'operand': 'b.0.q', 'operand_elements': 8}, " FC("b.1.q", 8, 8) ", " FC(
                  "b.1.k", 8,
                  16) ", {'name': 'b.1.s', 'type': 'matmul', 'in': 16, 'out': 8, 'operand':"
                      " 'b.1.q', 'operand_elements': 8}");
}
END_TEST

START_TEST(test_blocks_in_blocks) {
  expect_same(
      "{'block': 'a', 'repeat': 2, 'layers': [" FC(
          "x", 3, 3) ", {'block': 'b', 'repeat': 2,"
                     " 'layers': [" FC_OF("y", 6, 3, "'inputs': ['@before', 'x']") "]}, " FC_OF(
                         "z", 6, 3,
                         "'inputs': ['b', 'b.0.y']") "]}, " FC_OF("out", 6, 3,
                                                                  "'inputs': ['a', 'a.0.b']"),
      FC("a.0.x", 3, 3) ", " FC_OF("a.0.b.0.y", 6, 3, "'inputs': ['a.0.x', 'a.0.x']") ", " FC_OF(
          "a.0.b.1.y",
          6, 3, "'inputs': ['a.0.b.0.y', 'a.0.x']") ", " FC_OF("a.0.z", 6, 3,
                                                               "'inputs': ['a.0.b.1.y', "
                                                               "'a.0.b.0.y']") ", " FC("a.1.x", 3,
                                                                                       3) ","
                                                                                          " " FC_OF("a.1.b.0.y", 6, 3, "'inputs': ['a.1.x', 'a.1.x']") ", " FC_OF(
                                                                                              "a.1."
                                                                                              "b.1."
                                                                                              "y",
                                                                                              6, 3,
                                                                                              "'inp"
                                                                                              "uts'"
                                                                                              ": "
                                                                                              "['a."
                                                                                              "1.b."
                                                                                              "0.y'"
                                                                                              ", "
                                                                                              "'a."
                                                                                              "1.x'"
                                                                                              "]") ", " FC_OF("a.1.z",
                                                                                                              6,
                                                                                                              3,
                                                                                                              "'inputs': ['a.1.b.1.y', 'a.1.b.0.y']") ", " FC_OF("out",
                                                                                                                                                                 6,
                                                                                                                                                                 3,
                                                                                                                                                                 "'inputs': ['a.1.z', 'a.0.b.1.y']"));
}
END_TEST

START_TEST(test_groups_of_a_pipeline_go_through_repetitions) {
#define LSTM(name)                                                                                 \
  "{'name': '" name "', 'type': 'lstm', 'in': 4, 'out': 4, 'timesteps': 5, 'pipeline_group': 'g'}"
  expect_same("{'block': 'b', 'repeat': 3, 'layers': [" LSTM("x") "]}",
              LSTM("b.0.x") ", " LSTM("b.1.x") ", " LSTM("b.2.x"));
}
END_TEST

START_TEST(test_written_network_is_the_same) {
  dsm_workload *const made = network_of(
      FC("in", 2, 3) ", {'block': 'b', 'repeat': 3, 'layers': [" FC("x", 3, 4) ", " FC_OF(
          "y", 4, 3,
          "'aux': [{'op': 'residual', 'from': '@before'}], 'inputs': ['x']") "]}, " FC("z", 3, 3));
  dsm_workload *const again = written_and_read(made);
  expect_same_workload(made, again);
  dsm_workload_free(made);
  dsm_workload_free(again);
}
END_TEST

START_TEST(test_override_reaches_a_block) {
  static const char text[] =
      "{'format': 'dsm-workload/1', 'name': 'test', 'minibatch': 8, 'parameters': {'n': 4},"
      " 'layers': [{'block': 'b', 'repeat': 2, 'layers': [" FC("x", 3, 3) "]}]}";
  const dsm_override overrides[] = {
      {.path = "layers.b.repeat", .value = "=2*n"},
      {.path = "layers.b.layers.x.aux", .value = "[{\"op\":\"relu\"}]"}};
  outcome read = read_workload(text, overrides, 2);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->layer_count, 8);
  ck_assert_str_eq(read.workload->layers[7].name, "b.7.x");
  ck_assert(read.workload->layers[7].has_op[DSM_AUX_RELU]);
  outcome_free(&read);
}
END_TEST

START_TEST(test_largest_network) {
  dsm_workload *const made = network_of("{'block': 'a', 'repeat': 120, 'layers': [{'block': 'b',"
                                        " 'repeat': 100, 'layers': [" FC("x", 3, 3) "]}]}");
  ck_assert_uint_eq(made->layer_count, 12000);
  ck_assert_str_eq(made->layers[11999].name, "a.119.b.99.x");
  dsm_workload_free(made);
}
END_TEST

Suite *suite_blocks(void) {
  Suite *const suite = suite_create("blocks");
  TCase *const blocks = tcase_create("blocks");
  tcase_add_test(blocks, test_layers_stand_one_after_the_other);
  tcase_add_test(blocks, test_block_once_has_a_number_too);
  tcase_add_test(blocks, test_names_inside_hide_those_outside);
  tcase_add_test(blocks, test_before_is_what_a_repetition_comes_after);
  tcase_add_test(blocks, test_before_the_first_is_the_input);
  tcase_add_test(blocks, test_name_of_a_block_is_its_last_layer);
  tcase_add_test(blocks, test_operand_is_looked_up);
  tcase_add_test(blocks, test_blocks_in_blocks);
  tcase_add_test(blocks, test_groups_of_a_pipeline_go_through_repetitions);
  tcase_add_test(blocks, test_written_network_is_the_same);
  tcase_add_test(blocks, test_override_reaches_a_block);
  tcase_add_test(blocks, test_largest_network);
  suite_add_tcase(suite, blocks);
  return suite;
}
