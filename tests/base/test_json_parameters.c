/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdio.h>

#include "base/json_parameters.h"
#include "base/text_buffer.h"
#include "json_fixture.h"

static json_fixture json;
static dsm__json_parameters parameters;

static void open_with(const char *text, const dsm_override *overrides, size_t count) {
  json_open(&json, text, overrides, count, DSM_OK);
  dsm__json_parameters_open(&parameters, &json.root);
}

/* As many findings: warnings count, what was reported elsewhere does not. */
static void close_with(size_t finding_count) {
  dsm__json_parameters_close(&parameters);
  ck_assert_int_ne(dsm__json_doc_finish(json.doc), DSM_ERROR_OUT_OF_MEMORY);
  ck_assert_uint_eq(dsm_diags_count(json.diags), finding_count);
}

static bool read_number(const char *key, uint64_t *value) {
  const dsm__json_node node = dsm__json_member(&json.root, key);
  return dsm__json_u64(&node, 1, 100, value);
}

static void tear_down(void) {
  json_close(&json);
}

START_TEST(test_numbers_are_expressions_of_parameters_in_any_order) {
  uint64_t n = 0;
  double x = 0;
  open_with("{\"n\": \"=2*b\", \"x\": \"=a/2\", \"parameters\": {\"b\": \"=a+1\", \"a\": 4}}", NULL,
            0);
  ck_assert(read_number("n", &n));
  ck_assert_uint_eq(n, 10);
  const dsm__json_node node = dsm__json_member(&json.root, "x");
  ck_assert(dsm__json_double(&node, (dsm__json_range){0, 3, false}, &x));
  ck_assert_double_eq(x, 2);
  close_with(0);
}
END_TEST

START_TEST(test_expressions_need_no_parameters) {
  uint64_t n = 0;
  open_with("{\"n\": \"=6*7\"}", NULL, 0);
  ck_assert(read_number("n", &n));
  ck_assert_uint_eq(n, 42);
  close_with(0);
}
END_TEST

START_TEST(test_without_them_a_string_is_no_number) {
  uint64_t n = 0;
  open_with("{\"n\": \"=6*7\"}", NULL, 0);
  dsm__json_parameters_close(&parameters);
  ck_assert(!read_number("n", &n));
  json_expect_count(&json, 1);
  json_expect(&json, 0,
              "t.json:1:2: $.n: error: expected a whole number from 1 to 100, found string "
              "\"=6*7\"");
}
END_TEST

START_TEST(test_finding_says_what_the_expression_is) {
  uint64_t n = 0;
  double x = 0;
  open_with("{\"n\": \"=a*a\", \"x\": \"=-a\", \"parameters\": {\"a\": 11}}", NULL, 0);
  ck_assert(!read_number("n", &n));
  const dsm__json_node node = dsm__json_member(&json.root, "x");
  ck_assert(!dsm__json_double(&node, (dsm__json_range){0, 3, false}, &x));
  close_with(2);
  json_expect(&json, 0,
              "t.json:1:2: $.n: error: expected a whole number from 1 to 100, found 121 "
              "(\"=a*a\" is 121)");
  json_expect(&json, 1,
              "t.json:1:15: $.x: error: expected a number from 0 to 3, found -11 (\"=-a\" is "
              "-11)");
}
END_TEST

START_TEST(test_list_says_what_its_expressions_are) {
  uint64_t n = 0;
  open_with("{\"l\": [\"=a\", 3, \"=a+1\"], \"parameters\": {\"a\": 11}}", NULL, 0);
  const dsm__json_node list = dsm__json_member(&json.root, "l");
  for (dsm__json_node item = dsm__json_item(&list, 0); dsm__json_is_present(&item);
       item = dsm__json_next(&item)) {
    ck_assert(dsm__json_u64(&item, 1, 100, &n));
  }
  dsm__json_error(&list, "so", "wrong");
  close_with(1);
  json_expect(&json, 0, "t.json:1:2: $.l: error: wrong (so; \"=a\" is 11; \"=a+1\" is 12)");
}
END_TEST

START_TEST(test_unknown_parameter_has_a_hint) {
  uint64_t n = 0;
  open_with("{\"n\": \"=hiden\", \"parameters\": {\"hidden\": 11}}", NULL, 0);
  ck_assert(!read_number("n", &n));
  close_with(1);
  json_expect(&json, 0,
              "t.json:1:2: $.n: error: in \"=hiden\": expected a parameter, found \"hiden\" (did "
              "you mean \"hidden\"?)");
}
END_TEST

START_TEST(test_circle_is_one_finding) {
  uint64_t n = 0;
  open_with("{\"n\": \"=a\", \"parameters\": {\"a\": \"=b\", \"b\": \"=c+1\", \"c\": \"=a\"}}",
            NULL, 0);
  ck_assert(!read_number("n", &n));
  ck_assert_uint_eq(dsm__json_doc_error_count(json.doc), 4); /* three of which are silent */
  close_with(1);
  json_expect(&json, 0,
              "t.json:1:52: $.parameters.c: error: in \"=a\": expected a parameter that does not "
              "depend on itself, found \"a\"");
}
END_TEST

START_TEST(test_unread_parameter_is_a_warning) {
  uint64_t n = 0;
  open_with("{\"n\": \"=a\", \"parameters\": {\"a\": 1, \"b\": \"=c\", \"c\": 2}}", NULL, 0);
  ck_assert(read_number("n", &n));
  close_with(2);
  json_expect(&json, 0, "t.json:1:36: $.parameters.b: warning: nothing reads the parameter \"b\"");
  ck_assert_uint_eq(dsm__json_doc_error_count(json.doc), 0);
}
END_TEST

START_TEST(test_unread_parameter_that_is_wrong_is_an_error) {
  open_with("{\"parameters\": {\"a\": -1, \"b\": \"=-1\"}}", NULL, 0);
  close_with(4);
  ck_assert_uint_eq(dsm__json_doc_error_count(json.doc), 2);
}
END_TEST

START_TEST(test_override_of_nothing_is_an_error) {
  static const dsm_override override = {.path = "parameters.hiden", .value = "3"};
  uint64_t n = 0;
  open_with("{\"n\": \"=hidden\", \"parameters\": {\"hidden\": 1}}", &override, 1);
  ck_assert(read_number("n", &n));
  close_with(1);
  json_expect(&json, 0,
              "--set: $.parameters.hiden: error: expected a parameter that something reads, found "
              "\"hiden\" (did you mean \"hidden\"?)");
  ck_assert_str_eq(dsm__json_doc_unknown_override(json.doc).key, "hiden");
}
END_TEST

START_TEST(test_names_are_identifiers) {
  open_with("{\"parameters\": {\"a b\": 1, \"9\": 2, \"\": 3}}", NULL, 0);
  close_with(3);
  json_expect(&json, 0,
              "t.json:1:17: $.parameters[\"a b\"]: error: expected a name of letters, digits and _ "
              "that begins with no digit, found \"a b\"");
}
END_TEST

START_TEST(test_parameters_are_an_object) {
  open_with("{\"parameters\": [1]}", NULL, 0);
  close_with(1);
  json_expect(&json, 0,
              "t.json:1:2: $.parameters: error: expected an object of names and numbers, found a "
              "list");
}
END_TEST

/* Parameters p0 to p(count - 1), each the one before plus 1. */
static void open_chain(size_t count) {
  dsm__text_buffer text = {0};
  dsm__text_puts(&text, "{\"n\": \"=p0\", \"parameters\": {");
  for (size_t i = 0; i < count; i++) {
    if (i + 1 < count) {
      dsm__text_printf(&text, "\"p%zu\": \"=p%zu+1\", ", i, i + 1);
    } else {
      dsm__text_printf(&text, "\"p%zu\": 1}}", i);
    }
  }
  open_with(text.text, NULL, 0);
  dsm__text_fini(&text);
}

START_TEST(test_chain_of_parameters) {
  uint64_t n = 0;
  open_chain(32);
  ck_assert(read_number("n", &n));
  ck_assert_uint_eq(n, 32);
  close_with(0);
}
END_TEST

START_TEST(test_chain_that_is_too_long_is_one_finding) {
  uint64_t n = 0;
  open_chain(33);
  ck_assert(!read_number("n", &n));
  close_with(1);
}
END_TEST

START_TEST(test_too_many_parameters) {
  open_chain(1001);
  close_with(1);
}
END_TEST

Suite *suite_json_parameters(void) {
  Suite *const suite = suite_create("json_parameters");
  TCase *const tests = tcase_create("json_parameters");
  tcase_add_checked_fixture(tests, NULL, tear_down);
  tcase_add_test(tests, test_numbers_are_expressions_of_parameters_in_any_order);
  tcase_add_test(tests, test_expressions_need_no_parameters);
  tcase_add_test(tests, test_without_them_a_string_is_no_number);
  tcase_add_test(tests, test_finding_says_what_the_expression_is);
  tcase_add_test(tests, test_list_says_what_its_expressions_are);
  tcase_add_test(tests, test_unknown_parameter_has_a_hint);
  tcase_add_test(tests, test_circle_is_one_finding);
  tcase_add_test(tests, test_unread_parameter_is_a_warning);
  tcase_add_test(tests, test_unread_parameter_that_is_wrong_is_an_error);
  tcase_add_test(tests, test_override_of_nothing_is_an_error);
  tcase_add_test(tests, test_names_are_identifiers);
  tcase_add_test(tests, test_parameters_are_an_object);
  tcase_add_test(tests, test_chain_of_parameters);
  tcase_add_test(tests, test_chain_that_is_too_long_is_one_finding);
  tcase_add_test(tests, test_too_many_parameters);
  suite_add_tcase(suite, tests);
  return suite;
}
