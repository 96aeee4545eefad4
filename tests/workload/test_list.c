/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of layers without a graph. */
#include "network.h"
#include "suites.h"

#define ALONE "'connected': false, "

static dsm_workload *list;

static void tear_down(void) {
  dsm_workload_free(list);
  list = NULL;
}

START_TEST(test_each_layer_reads_an_input_of_its_own) {
  list =
      network_with(ALONE, "{'name': 'a', 'type': 'fc', 'in': 3, 'out': 4},"
                          "{'name': 'b', 'type': 'fc', 'in': 5, 'out': 6, 'inputs': ['@input']}");
  ck_assert(list->is_list);
  ck_assert_uint_eq(list->input_elements, 0);
  for (size_t i = 0; i < 2; i++) {
    const dsm_layer *const layer = &list->layers[i];
    expect_producers(list, i, 1, (const size_t[]){DSM_NETWORK_INPUT});
    ck_assert(layer->has_backward);
    ck_assert_uint_eq(layer->carried_elements, 0);
    ck_assert_uint_eq(layer->live_elements, i == 0 ? 7 : 11);
    ck_assert_uint_eq(layer->error_pair_elements, i == 0 ? 7 : 11);
  }
}
END_TEST

/* Stride 2, a kernel of 3 and no padding: 7 rows make 3 outputs, 8 too. */
START_TEST(test_input_of_a_convolution_is_the_least_or_stated) {
  list = network_with(
      ALONE,
      "{'name': 'a', 'type': 'conv', 'in': 2, 'out': 1, 'feature': [3, 4], 'stride': [2, 1]},"
      "{'name': 'b', 'type': 'conv', 'in': 2, 'out': 1, 'feature': [3, 4], 'stride': [2, 1],"
      " 'kernel': [3, 3], 'padding': [0, 0]},"
      "{'name': 'c', 'type': 'conv', 'in': 2, 'out': 1, 'feature': [3, 4], 'stride': [2, 1],"
      " 'kernel': [3, 3], 'padding': [0, 0], 'input_feature': [8, 6]}");
  ck_assert_uint_eq(list->layers[0].input_elements, 2 * 6 * 4);
  ck_assert_uint_eq(list->layers[1].input_elements, 2 * 7 * 6);
  ck_assert_uint_eq(list->layers[2].input_elements, 2 * 8 * 6);
}
END_TEST

/* An operand of 8 elements, a shortcut of 4: they live beside input and output. */
START_TEST(test_what_a_layer_reads_lives_while_it_runs) {
  list = network_with(
      ALONE, "{'name': 'm', 'type': 'matmul', 'in': 2, 'out': 4, 'operand': '@input',"
             " 'operand_elements': 8, 'timesteps': 3},"
             "{'name': 's', 'type': 'fc', 'in': 3, 'out': 4, 'aux': [{'op': 'residual', 'from':"
             " '@input'}]}");
  ck_assert_uint_eq(list->layers[0].live_elements, 3 * (2 + 8 + 4));
  ck_assert_uint_eq(list->layers[0].error_pair_elements, 3 * (2 + 4));
  ck_assert_uint_eq(list->layers[0].operand_count, 0);
  ck_assert_uint_eq(list->layers[1].live_elements, 3 + 4 + 4);
  ck_assert_uint_eq(list->layers[1].shortcut_count, 0);
}
END_TEST

/* The state of an lstm is its own: of the 3 + 2 that it multiplies 3 are its input. */
START_TEST(test_lstm_is_not_pipelined) {
  list = network_with(ALONE, "{'name': 'l', 'type': 'lstm', 'in': 3, 'out': 2, 'timesteps': 5}");
  ck_assert_int_eq(list->specs[0].pipeline_choice, DSM_PIPELINE_NEVER);
  ck_assert_uint_eq(list->layers[0].live_elements, 5 * (3 + 2));
  ck_assert_uint_eq(list->layers[0].error_pair_elements, 5 * (3 + 2));
}
END_TEST

START_TEST(test_written_list_is_the_same) {
  list = network_with(
      ALONE,
      "{'block': 'b', 'repeat': 2, 'layers': [{'name': 'c', 'type': 'conv', 'in': 2, 'out': 1,"
      " 'feature': [3, 4], 'input_feature': [3, 4], 'stride': [1, 1]}]},"
      "{'name': 'l', 'type': 'lstm', 'in': 3, 'out': 2, 'timesteps': 5}");
  dsm_workload *const again = written_and_read(list);
  expect_same_workload(list, again);
  dsm_workload_free(again);
}
END_TEST

Suite *suite_list(void) {
  Suite *const suite = suite_create("list");
  TCase *const tests = tcase_create("list");
  tcase_add_checked_fixture(tests, NULL, tear_down);
  tcase_add_test(tests, test_each_layer_reads_an_input_of_its_own);
  tcase_add_test(tests, test_input_of_a_convolution_is_the_least_or_stated);
  tcase_add_test(tests, test_what_a_layer_reads_lives_while_it_runs);
  tcase_add_test(tests, test_lstm_is_not_pipelined);
  tcase_add_test(tests, test_written_list_is_the_same);
  suite_add_tcase(suite, tests);
  return suite;
}
