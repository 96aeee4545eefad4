/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers that make queries, keys and values of one input are one product (docs/model.md, section
 * 1), by hand. */
#include <stdio.h>
#include <string.h>

#include "network.h"
#include "suites.h"

/* 8 features of 6 positions, behind a layer so that there is an error to pass back. */
#define FIRST                                                                                      \
  "{'name': 'x', 'type': 'fc', 'in': 7, 'out': 8, 'positions': 6},"                                \
  "{'name': 'y', 'type': 'fc', 'in': 8, 'out': 8}"
#define ROWS "'input': {'features': 7, 'feature': [6, 1]}, "
/* 4 heads of queries, 2 of keys and values: 12, 6 and 10 features. */
#define HEADS                                                                                      \
  "{'name': 'n.a', 'type': 'attention', 'heads': 4, 'kv_heads': 2, 'head_features': 3,"            \
  " 'value_features': 5, 'inputs': "
#define MADE(name, out, keys)                                                                      \
  ",{'name': '" name "', 'type': 'fc', 'in': 8, 'out': " out ", 'inputs': ['y']" keys "}"
#define OF_THREE "," HEADS "['n.q', 'n.k', 'n.v']}"
#define LAST ",{'name': 'z', 'type': 'fc', 'in': 20, 'out': 3}"

static dsm_workload *network_of_three(const char *q, const char *k, const char *v,
                                      const char *behind) {
  char layers[2048];
  (void)snprintf(layers, sizeof layers,
                 FIRST MADE("n.q", "12", "%s") MADE("n.k", "6", "%s") MADE("n.v", "10", "%s")
                     OF_THREE LAST "%s",
                 q, k, v, behind);
  return network_with(ROWS, layers);
}

static dsm_workload *network_of_one(const char *keys) {
  char layers[2048];
  (void)snprintf(layers, sizeof layers, FIRST MADE("n.qkv", "28", "%s") "," HEADS "['n.qkv']}" LAST,
                 keys);
  return network_with(ROWS, layers);
}

/* All that the model knows of two layers but their names, and of which declared layers they are. */
static void expect_same_loops(dsm_layer a, dsm_layer b) {
  ck_assert_uint_eq(a.producer_count, b.producer_count);
  ck_assert_uint_eq(a.operand_count, b.operand_count);
  ck_assert_uint_eq(a.shortcut_count, b.shortcut_count);
  for (size_t i = 0; i < a.producer_count; i++) {
    ck_assert_uint_eq(a.producers[i], b.producers[i]);
  }
  for (size_t i = 0; i < a.operand_count; i++) {
    ck_assert_uint_eq(a.operands[i], b.operands[i]);
  }
  for (int op = 0; op < DSM_AUX_OP_COUNT; op++) {
    ck_assert_int_eq(a.has_op[op], b.has_op[op]);
    ck_assert_int_eq(a.has_input_op[op], b.has_input_op[op]);
  }
  const uint64_t of_a[] = {a.in,
                           a.out,
                           a.ij,
                           a.input_elements,
                           a.macs,
                           a.output_elements,
                           a.parameters,
                           a.stored_elements,
                           a.groups,
                           a.rotated_elements,
                           a.weight_elements,
                           a.mask_elements,
                           a.fork_elements,
                           a.live_elements,
                           a.input_op_elements,
                           a.is_tied,
                           a.carried_elements,
                           a.last_use,
                           a.error_pair_elements,
                           a.has_backward,
                           a.has_update,
                           a.last_operand_use};
  const uint64_t of_b[] = {b.in,
                           b.out,
                           b.ij,
                           b.input_elements,
                           b.macs,
                           b.output_elements,
                           b.parameters,
                           b.stored_elements,
                           b.groups,
                           b.rotated_elements,
                           b.weight_elements,
                           b.mask_elements,
                           b.fork_elements,
                           b.live_elements,
                           b.input_op_elements,
                           b.is_tied,
                           b.carried_elements,
                           b.last_use,
                           b.error_pair_elements,
                           b.has_backward,
                           b.has_update,
                           b.last_operand_use};
  for (size_t i = 0; i < sizeof of_a / sizeof of_a[0]; i++) {
    ck_assert_msg(of_a[i] == of_b[i], "%s: number %zu", a.name, i);
  }
}

static void expect_same_network(const dsm_workload *a, const dsm_workload *b) {
  ck_assert_uint_eq(a->layer_count, b->layer_count);
  ck_assert_uint_eq(a->weights, b->weights);
  ck_assert_uint_eq(a->parameters, b->parameters);
  ck_assert_uint_eq(a->forward_macs, b->forward_macs);
  for (size_t i = 0; i < a->layer_count; i++) {
    expect_same_loops(a->layers[i], b->layers[i]);
  }
}

typedef struct way {
  const char *q, *k, *v; /* keys of three */
  const char *one;       /* keys of one */
} way;

#define BIAS ", 'aux': [{'op': 'bias'}]"
#define NORM "{'op': 'layer_norm', 'on': 'input'}"
#define OF_Q "{'op': 'layer_norm', 'on': 'input', 'from': 'n.q'}"
#define TURNED "{'op': 'rotary'}"
#define SELECT "{'op': 'select', 'positions': 6}"

static const way ways[] = {
    {"", "", "", ""},
    {BIAS, BIAS, BIAS, BIAS},
    {", 'positions': 6", "", "", ""},
    {", 'aux': [" NORM "]", ", 'aux': [" OF_Q "]", ", 'aux': [" OF_Q "]", ", 'aux': [" NORM "]"},
    /* 18 of 28 features are turned. */
    {", 'aux': [" TURNED "]", ", 'aux': [" TURNED "]", "",
     ", 'aux': [{'op': 'rotary', 'share': 0.6428571428571429}]"},
    {", 'aux': [" SELECT "]", ", 'aux': [" SELECT "]", ", 'aux': [" SELECT "]",
     ", 'aux': [" SELECT "]"},
};

START_TEST(test_three_layers_are_one) {
  const way *const at = &ways[_i];
  dsm_workload *const three = network_of_three(at->q, at->k, at->v, "");
  dsm_workload *const one = network_of_one(at->one);
  ck_assert_uint_eq(three->spec_count, 7);
  ck_assert_str_eq(three->layers[2].name, "n.q+k+v");
  ck_assert_uint_eq(three->layers[2].out, 28);
  ck_assert_uint_eq(three->layers[2].macs, 8 * 28 * 6);
  ck_assert_uint_eq(three->layers[2].part_count, 3);
  ck_assert_uint_eq(one->layers[2].part_count, 0);
  expect_same_network(three, one);
  dsm_workload_free(one);
  dsm_workload_free(three);
}
END_TEST

/* Each of them is still there, with what it declares. */
START_TEST(test_parts_know_their_declared_layers) {
  dsm_workload *const network = network_of_three(BIAS, BIAS, BIAS, "");
  static const char *const names[] = {"n.q", "n.k", "n.v"};
  static const uint64_t parameters[] = {9 * 12, 9 * 6, 9 * 10};
  for (size_t i = 0; i < 3; i++) {
    const dsm_layer *const part = &network->layers[2].parts[i];
    ck_assert_str_eq(network->specs[part->spec_index].name, names[i]);
    ck_assert_uint_eq(part->parameters, parameters[i]);
    ck_assert(dsm_workload_layer_is_of(network, 2, names[i]));
  }
  ck_assert(!dsm_workload_layer_is_of(network, 2, "n.a"));
  ck_assert(dsm_workload_layer_is_of(network, 3, "n.a"));
  ck_assert(dsm_workload_layer_is_of(network, 4, "n.a"));
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
  dsm_workload_free(network);
}
END_TEST

/* Heads of 3 features: 4 of queries and 2 of keys, each with a norm of 3 weights for all heads of
 * its own. Of 28 features of 6 positions the 10 of values have no norm. For their gradients norms
 * keep the 18 others as they read them. */
START_TEST(test_norms_of_heads_are_of_queries_and_keys) {
  static const char norms[] = ", 'aux': [{'op': 'rms_norm', 'features': 3}, {'op': 'rotary'}]";
  dsm_workload *const network = network_of_three(norms, norms, "", "");
  const dsm_layer *const layer = &network->layers[2];
  ck_assert_str_eq(layer->name, "n.q+k+v");
  ck_assert_uint_eq(layer->parameters, 8 * 28 + 2 * 3);
  ck_assert_uint_eq(layer->head_norm_features, 2 * 3);
  ck_assert_uint_eq(layer->unnormed_elements, 10 * 6);
  ck_assert_uint_eq(layer->kept_results, 18 * 6);
  ck_assert_uint_eq(layer->parts[0].parameters, 8 * 12 + 3);
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
  dsm_workload_free(network);
}
END_TEST

typedef struct apart {
  const char *q, *k, *v;
  const char *behind; /* layers behind the last */
  size_t count;       /* of primary layers: 8 if all are apart */
} apart;

static const apart aparts[] = {
    /* A bias that not all have. */
    {BIAS, "", "", "", 7},
    {BIAS, "", BIAS, "", 8},
    /* Operations that one layer would do to all. */
    {"", "", ", 'aux': [{'op': 'relu'}]", "", 8},
    {"", ", 'aux': [{'op': 'dropout'}]", "", "", 8},
    /* A norm of all heads' features together, and one with means. */
    {", 'aux': [{'op': 'rms_norm'}]", "", "", "", 7},
    {"", ", 'aux': [{'op': 'layer_norm', 'features': 3}]", "", "", 8},
    /* Norms with parameters of their own. */
    {", 'aux': [" NORM "]", ", 'aux': [" NORM "]", ", 'aux': [" NORM "]", "", 8},
    {", 'aux': [" NORM "]", "", "", "", 7},
    /* Another layer reads them. */
    {"", "", "", ",{'name': 'w', 'type': 'fc', 'in': 6, 'out': 3, 'inputs': ['n.k']}", 9},
    {"", "", "", ",{'name': 'w', 'type': 'fc', 'in': 12, 'out': 3, 'inputs': ['n.q']}", 8},
    /* Weights of another layer. */
    {", 'tied_to': 'n.t'", "", "", "", 8},
    /* Bytes that others do not have. */
    {", 'element_bytes': 1", "", "", "", 7},
    {"", "", ", 'weight_bytes': 1", "", 8},
};

START_TEST(test_what_one_layer_cannot_say_stays_apart) {
  const apart *const at = &aparts[_i];
  char layers[2048];
  (void)snprintf(layers, sizeof layers,
                 FIRST MADE("n.q", "12", "%s") MADE("n.k", "6", "%s") MADE("n.v", "10", "%s")
                     OF_THREE LAST "%s",
                 at->q, at->k, at->v, at->behind);
  if (strstr(at->q, "tied_to") != NULL) {
    (void)snprintf(layers, sizeof layers,
                   FIRST MADE("n.t", "12", "") MADE("n.q", "12", "%s") MADE("n.k", "6", "")
                       MADE("n.v", "10", "") OF_THREE LAST,
                   at->q);
  }
  dsm_workload *const network = network_with(ROWS, layers);
  ck_assert_uint_eq(network->layer_count, at->count);
  dsm_workload_free(network);
}
END_TEST

/* Keys and values of an encoder, as two layers or as one; queries of it are another product. */
START_TEST(test_keys_and_values_are_a_pair) {
  dsm_workload *const two = network_with(
      ROWS, FIRST ",{'name': 'q', 'type': 'fc', 'in': 8, 'out': 12, 'inputs': ['x']}"
                  ",{'name': 'k', 'type': 'fc', 'in': 8, 'out': 6, 'inputs': ['y']}"
                  ",{'name': 'v', 'type': 'fc', 'in': 8, 'out': 10, 'inputs': ['y']}," HEADS
                  "['q', 'k', 'v']}" LAST);
  dsm_workload *const one = network_with(
      ROWS, FIRST ",{'name': 'q', 'type': 'fc', 'in': 8, 'out': 12, 'inputs': ['x']}"
                  ",{'name': 'kv', 'type': 'fc', 'in': 8, 'out': 16, 'inputs': ['y']}," HEADS
                  "['q', 'kv']}" LAST);
  ck_assert_str_eq(two->layers[3].name, "k+v");
  ck_assert_uint_eq(two->layers[4].operands[0], 3);
  ck_assert_uint_eq(two->layers[5].operands[0], 3);
  expect_same_network(two, one);
  dsm_workload_free(one);
  dsm_workload_free(two);
}
END_TEST

/* Queries of the same input go with them. */
START_TEST(test_queries_join_keys_and_values_that_are_one) {
  dsm_workload *const two = network_with(
      ROWS, FIRST MADE("n.kv", "16", "") MADE("n.q", "12", "") "," HEADS "['n.q', 'n.kv']}" LAST);
  dsm_workload *const one = network_of_one("");
  ck_assert_str_eq(two->layers[2].name, "n.kv+q");
  expect_same_network(two, one);
  dsm_workload_free(one);
  dsm_workload_free(two);
}
END_TEST

/* What stands between them keeps its place, and its references. */
START_TEST(test_layers_between_keep_their_references) {
  dsm_workload *const network = network_with(
      ROWS, FIRST MADE("n.q", "12", "") MADE("b", "8", "")
                MADE("n.k", "6",
                     "") ",{'name': 'c', 'type': 'fc', 'in': 8, 'out': 8, 'inputs': ['b'],"
                         " 'aux': [{'op': 'residual', 'from': 'y'}]}" MADE("n.v", "10", "") OF_THREE
      ",{'name': 'z', 'type': 'fc', 'in': 28, 'out': 3, 'inputs': ['n.a', 'c']}");
  static const char *const names[] = {"x", "y",         "n.q+k+v",     "b",
                                      "c", "n.a.score", "n.a.context", "z"};
  ck_assert_uint_eq(network->layer_count, sizeof names / sizeof names[0]);
  for (size_t i = 0; i < network->layer_count; i++) {
    ck_assert_str_eq(network->layers[i].name, names[i]);
  }
  expect_producers(network, 4, 1, (const size_t[]){3});
  ck_assert_uint_eq(network->layers[4].shortcuts[0], 1);
  expect_producers(network, 5, 1, (const size_t[]){2});
  expect_producers(network, 6, 1, (const size_t[]){5});
  expect_producers(network, 7, 2, (const size_t[]){6, 4});
  dsm_workload_free(network);
}
END_TEST

/* The name of all is nobody else's. */
START_TEST(test_a_name_that_is_taken_is_left_alone) {
  dsm_workload *const network =
      network_of_three("", "", "", ",{'name': 'n.q+k+v', 'type': 'fc', 'in': 3, 'out': 3}");
  ck_assert_str_eq(network->layers[2].name, "n.q");
  ck_assert_uint_eq(network->layers[2].part_count, 3);
  dsm_workload_free(network);
}
END_TEST

Suite *suite_siblings(void) {
  Suite *const suite = suite_create("siblings");
  TCase *const cases = tcase_create("siblings");
  tcase_add_loop_test(cases, test_three_layers_are_one, 0, COUNT_OF(ways));
  tcase_add_test(cases, test_norms_of_heads_are_of_queries_and_keys);
  tcase_add_test(cases, test_parts_know_their_declared_layers);
  tcase_add_loop_test(cases, test_what_one_layer_cannot_say_stays_apart, 0, COUNT_OF(aparts));
  tcase_add_test(cases, test_keys_and_values_are_a_pair);
  tcase_add_test(cases, test_queries_join_keys_and_values_that_are_one);
  tcase_add_test(cases, test_layers_between_keep_their_references);
  tcase_add_test(cases, test_a_name_that_is_taken_is_left_alone);
  suite_add_tcase(suite, cases);
  return suite;
}
