/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An attention whose keys and values are made of a latent (docs/model.md, section 1), by hand. */
#include <stdio.h>

#include "network.h"
#include "suites.h"

/* 4 heads of 3 features, and 2 that are turned, of queries; a latent of 7, and 2 that are turned.
 */
#define ROWS "'input': {'features': 8, 'feature': [6, 1]}, "
#define FIRST                                                                                      \
  "{'name': 'x', 'type': 'fc', 'in': 8, 'out': 8, 'positions': 6},"                                \
  "{'name': 'q', 'type': 'fc', 'in': 8, 'out': 20, 'inputs': ['x']},"                              \
  "{'name': 'l', 'type': 'fc', 'in': 8, 'out': 9, 'inputs': ['x'], 'aux': [{'op': 'rms_norm',"     \
  " 'features': 7, 'heads': 1}, {'op': 'rotary', 'share': 0.2222222222222222}]},"
#define HEADS                                                                                      \
  "{'name': 'a', 'type': 'attention', 'heads': 4, 'head_features': 3, 'value_features': 5,"        \
  " 'rotary_features': 2, "
#define ATTENTION HEADS "'latent': 7, 'inputs': ['q', 'l']"
#define LAST "}, {'name': 'z', 'type': 'fc', 'in': 20, 'out': 3}"

static void expect_loops(const dsm_layer *layer, const char *name, uint64_t in, uint64_t out,
                         uint64_t groups, uint64_t weights) {
  ck_assert_str_eq(layer->name, name);
  ck_assert_uint_eq(layer->in, in);
  ck_assert_uint_eq(layer->out, out);
  ck_assert_uint_eq(layer->ij, 6);
  ck_assert_uint_eq(layer->groups, groups);
  ck_assert_uint_eq(layer->weight_elements, weights);
  ck_assert_uint_eq(layer->macs, 6 * in / groups * out);
}

/* All positions are there: keys and values are one product of the latent, 7 * 4 * (3 + 5) weights.
 * The products are of heads of 3 + 2 features. */
START_TEST(test_a_latent_is_expanded) {
  dsm_workload *const network = network_with(ROWS, FIRST ATTENTION LAST);
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(network->layer_count, 7);
  expect_loops(&layers[3], "a.keys+values", 7, 32, 1, 224);
  expect_loops(&layers[4], "a.score", 20, 24, 4, 0);
  expect_loops(&layers[5], "a.context", 24, 20, 4, 0);
  ck_assert_uint_eq(layers[4].operand_groups, 4);
  ck_assert_uint_eq(layers[4].operand_elements, 4 * 5 * 6);
  ck_assert_uint_eq(layers[5].operand_elements, 4 * 5 * 6);
  ck_assert_uint_eq(layers[4].cache_elements + layers[5].cache_elements, 0);
  expect_producers(network, 3, 1, (const size_t[]){2});
  expect_producers(network, 4, 1, (const size_t[]){1});
  expect_producers(network, 5, 1, (const size_t[]){4});
  expect_producers(network, 6, 1, (const size_t[]){5});
  ck_assert_uint_eq(layers[4].operands[0], 3);
  ck_assert_uint_eq(layers[5].operands[0], 3);
  ck_assert(layers[3].has_update && layers[3].has_backward);
  dsm_workload_free(network);
}
END_TEST

/* Ten earlier positions are in a cache of 9 features: queries are multiplied by the same weights,
 * and what is summed up of latents too. The latents are read once, 9 * 16 elements: by score, which
 * has 9 of 9 + 7 features, 81, and by context 63; of those added, 54, these are 30 and 24. */
START_TEST(test_a_cached_latent_is_absorbed) {
  dsm_workload *const network = network_with(ROWS, FIRST ATTENTION ", 'context': 16" LAST);
  const dsm_layer *const layers = network->layers;
  ck_assert_uint_eq(network->layer_count, 8);
  expect_loops(&layers[3], "a.keys", 12, 28, 4, 84);
  expect_loops(&layers[4], "a.score", 36, 64, 4, 0);
  expect_loops(&layers[5], "a.context", 64, 28, 4, 0);
  expect_loops(&layers[6], "a.values", 28, 20, 4, 140);
  ck_assert_uint_eq(layers[4].operand_groups, 1);
  ck_assert_uint_eq(layers[4].operand_elements, 81);
  ck_assert_uint_eq(layers[5].operand_elements, 63);
  ck_assert_uint_eq(layers[4].cache_elements, 81);
  ck_assert_uint_eq(layers[5].cache_elements, 63);
  ck_assert_uint_eq(layers[4].cache_new_elements, 30);
  ck_assert_uint_eq(layers[5].cache_new_elements, 24);
  ck_assert(layers[4].attention.has_values_in_keys);
  expect_producers(network, 3, 1, (const size_t[]){1});
  expect_producers(network, 4, 2, (const size_t[]){1, 3});
  expect_producers(network, 5, 1, (const size_t[]){4});
  expect_producers(network, 6, 1, (const size_t[]){5});
  expect_producers(network, 7, 1, (const size_t[]){6});
  ck_assert_uint_eq(layers[4].operands[0], 2);
  ck_assert_uint_eq(layers[5].operands[0], 2);
  dsm_workload_free(network);
}
END_TEST

/* The parameters are the same in both forms; a norm of one head has those of it, and the two
 * elements behind it at 6 positions have none. */
START_TEST(test_parameters_are_those_of_either_form) {
  dsm_workload *const expanded = network_with(ROWS, FIRST ATTENTION LAST);
  dsm_workload *const absorbed = network_with(ROWS, FIRST ATTENTION ", 'context': 16" LAST);
  ck_assert_uint_eq(expanded->parameters, 64 + 160 + 72 + 7 + 224 + 60);
  ck_assert_uint_eq(absorbed->parameters, expanded->parameters);
  ck_assert_uint_eq(expanded->layers[2].head_norm_features, 7);
  ck_assert_uint_eq(expanded->layers[2].unnormed_elements, 2 * 6);
  ck_assert_uint_eq(expanded->layers[2].rotated_elements, 2 * 6);
  dsm_workload_free(absorbed);
  dsm_workload_free(expanded);
}
END_TEST

START_TEST(test_written_and_read_again_it_is_the_same) {
  static const char *const ends[] = {"", ", 'context': 16"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char layers[2048];
    (void)snprintf(layers, sizeof layers, FIRST ATTENTION "%s" LAST, ends[i]);
    dsm_workload *const network = network_with(ROWS, layers);
    dsm_workload *const again = written_and_read(network);
    expect_same_workload(network, again);
    dsm_workload_free(again);
    dsm_workload_free(network);
  }
}
END_TEST

START_TEST(test_what_a_latent_cannot_be_is_refused) {
  expect_refused_with(ROWS, FIRST HEADS "'inputs': ['q', 'l']" LAST, "$.layers[3].rotary_features");
  expect_refused_with(ROWS, FIRST ATTENTION ", 'kv_heads': 4" LAST, "$.layers[3].kv_heads");
  expect_refused_with(ROWS, FIRST HEADS "'latent': 7, 'inputs': ['q', 'l', 'l']" LAST,
                      "$.layers[3].inputs");
  expect_refused_with(ROWS, FIRST HEADS "'latent': 6, 'inputs': ['q', 'l']" LAST,
                      "$.layers[3].inputs");
}
END_TEST

/* Of 4 heads. */
START_TEST(test_sinks_are_parameters) {
  dsm_workload *const without = network_with(ROWS, FIRST ATTENTION LAST);
  dsm_workload *const with = network_with(ROWS, FIRST ATTENTION ", 'sinks': true" LAST);
  dsm_workload *const again = written_and_read(with);
  ck_assert_uint_eq(with->parameters, without->parameters + 4);
  ck_assert_uint_eq(again->parameters, with->parameters);
  ck_assert_uint_eq(with->forward_macs, without->forward_macs);
  dsm_workload_free(again);
  dsm_workload_free(with);
  dsm_workload_free(without);
}
END_TEST

START_TEST(test_heads_with_a_norm_are_of_those_there_are) {
  expect_refused("{'name': 'x', 'type': 'fc', 'in': 8, 'out': 9, 'aux': [{'op': 'rms_norm',"
                 " 'features': 4, 'heads': 3}]}",
                 "$.layers[0].aux[0].heads");
  expect_refused("{'name': 'x', 'type': 'fc', 'in': 8, 'out': 9, 'aux': [{'op': 'rms_norm',"
                 " 'heads': 3}]}",
                 "$.layers[0].aux[0].heads");
  expect_refused("{'name': 'x', 'type': 'fc', 'in': 8, 'out': 8, 'aux': [{'op': 'rms_norm',"
                 " 'features': 4, 'given': true}]}",
                 "$.layers[0].aux[0]");
}
END_TEST

Suite *suite_latent(void) {
  Suite *const suite = suite_create("latent");
  TCase *const cases = tcase_create("latent");
  tcase_add_test(cases, test_a_latent_is_expanded);
  tcase_add_test(cases, test_a_cached_latent_is_absorbed);
  tcase_add_test(cases, test_parameters_are_those_of_either_form);
  tcase_add_test(cases, test_written_and_read_again_it_is_the_same);
  tcase_add_test(cases, test_what_a_latent_cannot_be_is_refused);
  tcase_add_test(cases, test_sinks_are_parameters);
  tcase_add_test(cases, test_heads_with_a_norm_are_of_those_there_are);
  suite_add_tcase(suite, cases);
  return suite;
}
