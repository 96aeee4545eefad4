/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set` on a workload: paths by key, index and layer name; findings name "--set". */
#include "network.h"
#include "suites.h"

static const char text[] =
    "{'format': 'dsm-workload/1', 'name': 'test', 'minibatch': 8, 'layers': ["
    "{'name': 'a', 'type': 'conv', 'in': 1, 'out': 2, 'feature': [6, 4]},"
    "{'name': 'b.1', 'type': 'conv', 'in': 2, 'out': 3, 'feature': [6, 4]},"
    "{'name': 'f', 'type': 'fc', 'in': 72, 'out': 5}]}";

static outcome read;

static void set(const char *path, const char *value) {
  const dsm_override override = {.path = path, .value = value};
  read = read_workload(text, &override, 1);
}

static void tear_down(void) {
  outcome_free(&read);
  read = (outcome){0};
}

START_TEST(test_top_level_value_is_replaced) {
  set("minibatch", "512");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->minibatch, 512);
}
END_TEST

START_TEST(test_absent_key_is_added) {
  set("element_bytes", "4");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_double_eq(read.workload->element_bytes, 4);
}
END_TEST

START_TEST(test_layer_is_found_by_index) {
  set("layers.2.out", "9");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->layers[2].out, 9);
}
END_TEST

START_TEST(test_layer_is_found_by_name) {
  set("layers.f.out", "9");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->layers[2].out, 9);
}
END_TEST

START_TEST(test_layer_name_may_have_a_dot) {
  set("layers.b.1.kernel", "[3, 3]");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->layers[1].kij, 9);
}
END_TEST

START_TEST(test_text_that_is_no_json_is_a_string) {
  set("name", "other name");
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_str_eq(read.workload->name, "other name");
}
END_TEST

START_TEST(test_later_override_wins) {
  const dsm_override overrides[] = {{"minibatch", "16", NULL}, {"minibatch", "32", NULL}};
  read = read_workload(text, overrides, 2);
  ck_assert_int_eq(read.status, DSM_OK);
  ck_assert_uint_eq(read.workload->minibatch, 32);
}
END_TEST

START_TEST(test_override_mends_a_bad_value) {
  const dsm_override override = {"minibatch", "16", NULL};
  read = read_workload("{'format': 'dsm-workload/1', 'name': 'test', 'minibatch': 0, 'layers':"
                       " [{'name': 'f', 'type': 'fc', 'in': 1, 'out': 1}]}",
                       &override, 1);
  ck_assert_int_eq(read.status, DSM_OK);
}
END_TEST

/* Overrides that cannot be applied or lead to a bad value, and the path of their one finding. */
typedef struct bad_case {
  const char *path;
  const char *value;
  const char *finding; /* JSON path */
} bad_case;

static const bad_case bad[] = {
    {"minibach", "16", "$.minibach"},
    {"minibatch", "0", "$.minibatch"},
    {"minibatch", "1.5", "$.minibatch"},
    {"minibatch", "many", "$.minibatch"},
    {"minibatch", "null", "$.minibatch"},
    {"layers.f.out", "\"9\"", "$.layers[2].out"},
    {"layers.f.stride", "[1, 1]", "$.layers[2].stride"},
    {"layers.g.out", "9", "$.layers"},
    {"layers.3.out", "9", "$.layers"},
    {"layers", "[]", "$.layers"},
    {"minibatch.x", "9", "$.minibatch"},
    {"name", "", "$.name"},
};

START_TEST(test_bad_override_is_reported_as_set) {
  set(bad[_i].path, bad[_i].value);
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read.workload);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  const dsm_diag *const diag = dsm_diags_get(read.diags, 0);
  ck_assert_str_eq(diag->file, "--set");
  ck_assert_uint_eq(diag->line, 0);
  ck_assert_str_eq(diag->path, bad[_i].finding);
}
END_TEST

START_TEST(test_finding_names_the_origin_of_an_override) {
  const dsm_override override = {"minibatch", "0", "--minibatch"};
  read = read_workload(text, &override, 1);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->file, "--minibatch");
}
END_TEST

START_TEST(test_relation_broken_by_an_override_is_found) {
  set("layers.a.out", "4");
  ck_assert_int_eq(read.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read.diags), 1);
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->path, "$.layers[1].in");
}
END_TEST

START_TEST(test_unknown_key_of_an_override_has_a_hint) {
  set("minibach", "16");
  ck_assert_str_eq(dsm_diags_get(read.diags, 0)->hint, "did you mean \"minibatch\"?");
}
END_TEST

Suite *suite_overrides(void) {
  Suite *const suite = suite_create("overrides");
  TCase *const overrides = tcase_create("overrides");
  tcase_add_checked_fixture(overrides, NULL, tear_down);
  tcase_add_test(overrides, test_top_level_value_is_replaced);
  tcase_add_test(overrides, test_absent_key_is_added);
  tcase_add_test(overrides, test_layer_is_found_by_index);
  tcase_add_test(overrides, test_layer_is_found_by_name);
  tcase_add_test(overrides, test_layer_name_may_have_a_dot);
  tcase_add_test(overrides, test_text_that_is_no_json_is_a_string);
  tcase_add_test(overrides, test_later_override_wins);
  tcase_add_test(overrides, test_override_mends_a_bad_value);
  tcase_add_loop_test(overrides, test_bad_override_is_reported_as_set, 0, COUNT_OF(bad));
  tcase_add_test(overrides, test_finding_names_the_origin_of_an_override);
  tcase_add_test(overrides, test_relation_broken_by_an_override_is_found);
  tcase_add_test(overrides, test_unknown_key_of_an_override_has_a_hint);
  suite_add_tcase(suite, overrides);
  return suite;
}
