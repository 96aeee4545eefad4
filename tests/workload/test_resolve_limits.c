/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products within 2^53, and the whole network within 2^63. */
#include "base/text_buffer.h"
#include "network.h"
#include "suites.h"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

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

Suite *suite_resolve_limits(void) {
  Suite *const suite = suite_create("resolve_limits");
  TCase *const sizes = tcase_create("products");
  tcase_add_checked_fixture(sizes, NULL, tear_down);
  tcase_add_loop_test(sizes, test_product_at_the_limit_is_accepted, 0, COUNT_OF(products));
  tcase_add_loop_test(sizes, test_product_over_the_limit_is_refused, 0, COUNT_OF(products));
  tcase_add_test(sizes, test_sum_over_all_layers_is_below_2_to_the_63);
  suite_add_tcase(suite, sizes);
  return suite;
}
