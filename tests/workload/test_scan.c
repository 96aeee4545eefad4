/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An attention in chunks with a state that is carried on (docs/model.md, section 1), by hand. */
#include <stdio.h>

#include "network.h"
#include "suites.h"

/* 2 heads of queries, 1 of keys and values, 3 and 5 features of 12 positions. */
#define ROWS "'input': {'features': 8, 'feature': [12, 1]}, "
#define FIRST                                                                                      \
  "{'name': 'x', 'type': 'fc', 'in': 8, 'out': 14, 'positions': 12},"                              \
  "{'name': 'a', 'type': 'attention', 'heads': 2, 'kv_heads': 1, 'head_features': 3,"              \
  " 'value_features': 5, 'causal': true, 'chunk': "
#define LAST "}, {'name': 'z', 'type': 'fc', 'in': 10, 'out': 3}"

static void expect_product(const dsm_layer *layer, const char *name, uint64_t groups, uint64_t in,
                           uint64_t out, uint64_t ij, uint64_t operand) {
  ck_assert_str_eq(layer->name, name);
  ck_assert_uint_eq(layer->groups, groups);
  ck_assert_uint_eq(layer->in, groups * in);
  ck_assert_uint_eq(layer->out, groups * out);
  ck_assert_uint_eq(layer->ij, ij);
  ck_assert_uint_eq(layer->macs, groups * in * out * ij);
  ck_assert_uint_eq(layer->operand_elements, operand);
  ck_assert(layer->is_product && !layer->has_update);
  ck_assert_uint_eq(layer->attention.value_features, 0);
}

/* 3 chunks of 4 positions: 6 heads of queries and 3 of keys. */
START_TEST(test_chunks_are_as_heads) {
  dsm_workload *const network = network_with(ROWS, FIRST "4" LAST);
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(network->layer_count, 6);
  expect_product(&layers[1], "a.states", 6, 4, 5, 3, 3 * 4 * 5);
  expect_product(&layers[2], "a.score", 6, 3, 4, 4, 3 * 3 * 4);
  expect_product(&layers[3], "a.context", 6, 4, 5, 4, 3 * 4 * 5);
  expect_product(&layers[4], "a.carried", 6, 3, 5, 4, 3 * 3 * 5);
  ck_assert_uint_eq(layers[4].stored_elements, 2 * 5 * 12);
  ck_assert_double_eq_tol(layers[2].hidden_share, 3. / 8, 1e-15);
  ck_assert_double_eq(layers[1].hidden_share, 0);
  ck_assert_double_eq(layers[4].hidden_share, 0);
  expect_producers(network, 1, 1, (const size_t[]){0});
  expect_producers(network, 2, 1, (const size_t[]){0});
  expect_producers(network, 3, 1, (const size_t[]){2});
  expect_producers(network, 4, 2, (const size_t[]){0, 3});
  expect_producers(network, 5, 1, (const size_t[]){4});
  ck_assert_uint_eq(layers[4].operands[0], 1);
  dsm_workload_free(network);
}
END_TEST

/* A chunk that is not full counts as one, and one that is longer than all as all. */
START_TEST(test_chunks_that_are_not_full) {
  dsm_workload *const five = network_with(ROWS, FIRST "5" LAST);
  dsm_workload *const all = network_with(ROWS, FIRST "40" LAST);
  ck_assert_uint_eq(five->layers[1].groups, 2 * 3);
  ck_assert_uint_eq(five->layers[1].in, 2 * 3 * 5);
  expect_product(&all->layers[1], "a.states", 2, 12, 5, 3, 12 * 5);
  dsm_workload_free(all);
  dsm_workload_free(five);
}
END_TEST

/* Earlier positions are in a state of 3 by 5, whatever their number. */
START_TEST(test_a_step_reads_and_writes_the_state) {
  dsm_workload *const network = network_with(ROWS, FIRST "4, 'context': 99" LAST);
  ck_assert_uint_eq(network->layer_count, 3);
  expect_product(&network->layers[1], "a", 2, 3, 5, 12, 15);
  ck_assert_uint_eq(network->layers[1].cache_elements, 15);
  ck_assert_uint_eq(network->layers[1].cache_new_elements, 15);
  expect_producers(network, 2, 1, (const size_t[]){1});
  dsm_workload_free(network);
}
END_TEST

START_TEST(test_written_and_read_again_it_is_the_same) {
  dsm_workload *const network = network_with(ROWS, FIRST "4, 'context': 99" LAST);
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
  dsm_workload_free(network);
}
END_TEST

START_TEST(test_what_a_scan_cannot_be_is_refused) {
  expect_refused_with(ROWS, FIRST "4, 'window': 3" LAST, "$.layers[1].chunk");
  expect_refused_with(ROWS, FIRST "0" LAST, "$.layers[1].chunk");
}
END_TEST

Suite *suite_scan(void) {
  Suite *const suite = suite_create("scan");
  TCase *const cases = tcase_create("scan");
  tcase_add_test(cases, test_chunks_are_as_heads);
  tcase_add_test(cases, test_chunks_that_are_not_full);
  tcase_add_test(cases, test_a_step_reads_and_writes_the_state);
  tcase_add_test(cases, test_written_and_read_again_it_is_the_same);
  tcase_add_test(cases, test_what_a_scan_cannot_be_is_refused);
  suite_add_tcase(suite, cases);
  return suite;
}
