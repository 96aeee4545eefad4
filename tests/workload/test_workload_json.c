/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The top level of a workload: defaults, limits in pairs, and what parsing promises. */
#include <stdio.h>
#include <string.h>

#include "base/text_buffer.h"
#include "network.h"
#include "suites.h"

#define LAYER "{'name': 'f', 'type': 'fc', 'in': 1, 'out': 1}"

static dsm_workload *network;

static void tear_down(void) {
  dsm_workload_free(network);
  network = NULL;
}

START_TEST(test_bytes_default_to_two_and_the_optimizer_to_none) {
  network = network_of(LAYER);
  ck_assert_str_eq(network->name, "test");
  ck_assert_ptr_null(network->source);
  ck_assert_uint_eq(network->minibatch, 8);
  ck_assert_double_eq(network->element_bytes, 2);
  ck_assert_double_eq(network->gradient_bytes, 2);
  ck_assert_double_eq(network->partial_sum_bytes, 2);
  ck_assert_double_eq(network->optimizer_bytes_per_weight, 0);
}
END_TEST

START_TEST(test_stated_bytes_are_kept) {
  network = network_with("'source': 'a book', 'element_bytes': 1, 'gradient_bytes': 4,"
                         " 'partial_sum_bytes': 0.5, 'optimizer_bytes_per_weight': 12.5, ",
                         LAYER);
  ck_assert_str_eq(network->source, "a book");
  ck_assert_double_eq(network->element_bytes, 1);
  ck_assert_double_eq(network->gradient_bytes, 4);
  ck_assert_double_eq(network->partial_sum_bytes, 0.5);
  ck_assert_double_eq(network->optimizer_bytes_per_weight, 12.5);
}
END_TEST

/* ---- limits: the last legal value and the first that is not ---- */

typedef struct limit_case {
  const char *key;
  const char *legal;
  const char *illegal;
} limit_case;

static const limit_case limits[] = {
    {"minibatch", "1", "0"},
    {"minibatch", "2147483647", "2147483648"},
    {"minibatch", "8.0", "8.5"},
    {"minibatch", "1e2", "1e-2"},
    {"element_bytes", "0.125", "0.1249"},
    {"element_bytes", "64", "64.01"},
    {"gradient_bytes", "0.125", "0"},
    {"gradient_bytes", "64", "65"},
    {"partial_sum_bytes", "0.125", "-2"},
    {"partial_sum_bytes", "64", "1e300"},
    {"optimizer_bytes_per_weight", "0", "-0.5"},
    {"optimizer_bytes_per_weight", "1024", "1024.5"},
    {"input", "{'features': 1, 'feature': [1, 1]}", "{'features': 0, 'feature': [1, 1]}"},
    {"input", "{'features': 1, 'feature': [1, 1]}", "{'features': 1, 'feature': [1, 0]}"},
    {"input", "{'features': 1, 'feature': [1, 1]}", "{'features': 1, 'feature': [1, 1048577]}"},
};

static outcome read_with(const char *key, const char *value) {
  char text[400];
  const char *const minibatch = strcmp(key, "minibatch") == 0 ? "" : "'minibatch': 8, ";
  snprintf(text, sizeof text,
           "{'format': 'dsm-workload/1', 'name': 'test', %s'%s': %s, 'layers': [" LAYER "]}",
           minibatch, key, value);
  return read_workload(text, NULL, 0);
}

START_TEST(test_last_legal_value_is_accepted) {
  outcome read = read_with(limits[_i].key, limits[_i].legal);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 0);
  outcome_free(&read);
}
END_TEST

START_TEST(test_first_illegal_value_is_refused) {
  char path[64];
  outcome read = read_with(limits[_i].key, limits[_i].illegal);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read.workload);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  snprintf(path, sizeof path, "$.%s", limits[_i].key);
  ck_assert_int_eq(strncmp(dsm_diags_get(read.diags, 0)->path, path, strlen(path)), 0);
  outcome_free(&read);
}
END_TEST

/* A source of that many bytes. */
static dsm_status read_source(size_t length) {
  static char text[DSM_TEXT_BYTES_MAX + 300];
  char source[DSM_TEXT_BYTES_MAX + 2];
  memset(source, 's', length);
  source[length] = '\0';
  snprintf(text, sizeof text,
           "{'format': 'dsm-workload/1', 'name': 'test', 'minibatch': 8, 'source': '%s', 'layers': "
           "[" LAYER "]}",
           source);
  outcome read = read_workload(text, NULL, 0);
  const dsm_status status = read.status;
  outcome_free(&read);
  return status;
}

START_TEST(test_source_has_at_most_4096_bytes) {
  ck_assert_int_eq(read_source(DSM_TEXT_BYTES_MAX), DSM_OK);
  ck_assert_int_eq(read_source(DSM_TEXT_BYTES_MAX + 1), DSM_ERROR_INVALID);
}
END_TEST

/* A chain of fc layers. */
static dsm_status read_layer_count(int count) {
  dsm__text_buffer layers = {0};
  for (int i = 0; i < count; i++) {
    dsm__text_printf(&layers, "%s{'name': '%d', 'type': 'fc', 'in': 1, 'out': 1}",
                     i == 0 ? "" : ",", i);
  }
  outcome read = read_network("", layers.text);
  const dsm_status status = read.status;
  outcome_free(&read);
  dsm__text_fini(&layers);
  return status;
}

START_TEST(test_network_has_at_most_100000_layers) {
  ck_assert_int_eq(read_layer_count(DSM_LAYERS_MAX), DSM_OK);
  ck_assert_int_eq(read_layer_count(DSM_LAYERS_MAX + 1), DSM_ERROR_INVALID);
}
END_TEST

START_TEST(test_order_of_keys_changes_nothing) {
  outcome one = read_workload(
      "{'format': 'dsm-workload/1', 'name': 'n', 'minibatch': 8, 'element_bytes': 4, 'layers':"
      " [{'name': 'c', 'type': 'conv', 'in': 3, 'out': 8, 'feature': [4, 4], 'kernel': [3, 3],"
      " 'aux': [{'op': 'max_pool', 'window': [2, 2], 'stride': [1, 1]}]}]}",
      NULL, 0);
  outcome other = read_workload(
      "{'layers': [{'aux': [{'stride': [1, 1], 'window': [2, 2], 'op': 'max_pool'}], 'kernel':"
      " [3, 3], 'feature': [4, 4], 'out': 8, 'in': 3, 'type': 'conv', 'name': 'c'}],"
      " 'element_bytes': 4, 'minibatch': 8, 'name': 'n', 'format': 'dsm-workload/1'}",
      NULL, 0);
  ck_assert_int_eq(one.status, DSM_OK);
  ck_assert_int_eq(other.status, DSM_OK);
  expect_same_workload(one.workload, other.workload);
  outcome_free(&one);
  outcome_free(&other);
}
END_TEST

START_TEST(test_findings_may_be_left_out) {
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, "{}", 2, "x.json", NULL, 0, NULL),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(workload);
}
END_TEST

START_TEST(test_text_ends_at_its_length) {
  static const char text[] = "{} and more";
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, text, 2, "x.json", NULL, 0, diags),
                   DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 4); /* format, name, minibatch, layers */
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_missing_file_is_an_io_error) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_load(&workload, "/nonexistent/x.json", NULL, 0, diags),
                   DSM_ERROR_IO);
  ck_assert_ptr_null(workload);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "/nonexistent/x.json");
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_workload_json(void) {
  Suite *const suite = suite_create("workload_json");
  TCase *const top = tcase_create("top");
  tcase_set_timeout(top, 60);
  tcase_add_checked_fixture(top, NULL, tear_down);
  tcase_add_test(top, test_bytes_default_to_two_and_the_optimizer_to_none);
  tcase_add_test(top, test_stated_bytes_are_kept);
  tcase_add_loop_test(top, test_last_legal_value_is_accepted, 0, COUNT_OF(limits));
  tcase_add_loop_test(top, test_first_illegal_value_is_refused, 0, COUNT_OF(limits));
  tcase_add_test(top, test_source_has_at_most_4096_bytes);
  tcase_add_test(top, test_network_has_at_most_100000_layers);
  tcase_add_test(top, test_order_of_keys_changes_nothing);
  tcase_add_test(top, test_findings_may_be_left_out);
  tcase_add_test(top, test_text_ends_at_its_length);
  tcase_add_test(top, test_missing_file_is_an_io_error);
  suite_add_tcase(suite, top);
  return suite;
}
