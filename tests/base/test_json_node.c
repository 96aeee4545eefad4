/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "json_fixture.h"

/* ---- moving ---- */

START_TEST(test_items_are_found_in_any_order) {
  json_fixture json;
  json_open(&json, "[[0, 1, 2], [10, 11, 12], 7]", NULL, 0, DSM_OK);
  static const size_t order[][2] = {{0, 0}, {1, 2}, {0, 2}, {0, 1}, {1, 0}, {1, 1}, {0, 0}};
  for (int i = 0; i < COUNT_OF(order); i++) {
    const dsm__json_node outer = dsm__json_item(&json.root, order[i][0]);
    const dsm__json_node inner = dsm__json_item(&outer, order[i][1]);
    uint64_t value = 99;
    ck_assert(dsm__json_u64(&inner, 0, 50, &value));
    ck_assert_uint_eq(value, 10 * order[i][0] + order[i][1]);
  }
  const dsm__json_node beyond = dsm__json_item(&json.root, 3);
  ck_assert(!dsm__json_is_present(&beyond));
  const dsm__json_node last = dsm__json_item(&json.root, 2);
  const dsm__json_node in_scalar = dsm__json_item(&last, 0);
  ck_assert(!dsm__json_is_present(&in_scalar));
  json_close(&json);
}
END_TEST

/* Quadratic cost would take minutes here: nested walks keep a cursor each. */
START_TEST(test_long_list_is_walked_by_index) {
  enum { COUNT = 300000 };
  char *const text = malloc(4 * COUNT + 2);
  ck_assert_ptr_nonnull(text);
  text[0] = '[';
  for (size_t i = 0; i < COUNT; i++)
    memcpy(text + 1 + 4 * i, "[1],", 4);
  text[4 * COUNT] = ']';
  text[4 * COUNT + 1] = '\0';
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  uint64_t sum = 0;
  for (size_t i = 0; i < COUNT; i++) {
    const dsm__json_node item = dsm__json_item(&json.root, i);
    const dsm__json_node inner = dsm__json_item(&item, 0);
    uint64_t value = 0;
    (void)dsm__json_u64(&inner, 1, 1, &value);
    sum += value;
  }
  ck_assert_uint_eq(sum, COUNT);
  json_close(&json);
  free(text);
}
END_TEST

START_TEST(test_next_walks_a_list_to_its_end) {
  json_fixture json;
  json_open(&json, "[5, 6]", NULL, 0, DSM_OK);
  const dsm__json_node first = dsm__json_item(&json.root, 0);
  const dsm__json_node second = dsm__json_next(&first);
  const dsm__json_node end = dsm__json_next(&second);
  const dsm__json_node beyond = dsm__json_next(&end);
  ck_assert(dsm__json_is_present(&second));
  ck_assert_uint_eq(second.index, 1);
  ck_assert_ptr_eq(second.parent, &json.root);
  ck_assert(!dsm__json_is_present(&end));
  ck_assert(!dsm__json_is_present(&beyond));
  ck_assert_ptr_null(dsm__json_key(&first));
  json_close(&json);
}
END_TEST

START_TEST(test_members_are_walked_in_order_with_their_names) {
  json_fixture json;
  json_open(&json, "{\"z\": 1, \"a\": 2, \"\": 3}", NULL, 0, DSM_OK);
  static const char *const names[] = {"z", "a", ""};
  size_t count = 0;
  dsm__json_node member = dsm__json_first_member(&json.root);
  for (; dsm__json_is_present(&member); member = dsm__json_next(&member)) {
    ck_assert_uint_lt(count, 3);
    ck_assert_str_eq(dsm__json_key(&member), names[count]);
    count++;
  }
  ck_assert_uint_eq(count, 3);
  json_close(&json);
}
END_TEST

START_TEST(test_empty_object_has_no_first_member) {
  json_fixture json;
  json_open(&json, "{\"o\": {}, \"n\": 1}", NULL, 0, DSM_OK);
  static const char *const keys[] = {"o", "n", "absent"};
  for (int i = 0; i < COUNT_OF(keys); i++) {
    const dsm__json_node node = dsm__json_member(&json.root, keys[i]);
    const dsm__json_node first = dsm__json_first_member(&node);
    ck_assert(!dsm__json_is_present(&first));
  }
  json_close(&json);
}
END_TEST

START_TEST(test_types_are_told_apart) {
  json_fixture json;
  json_open(&json, "{\"n\": null, \"s\": \"\", \"o\": {}}", NULL, 0, DSM_OK);
  const dsm__json_node n = dsm__json_member(&json.root, "n");
  const dsm__json_node s = dsm__json_member(&json.root, "s");
  const dsm__json_node o = dsm__json_member(&json.root, "o");
  const dsm__json_node absent = dsm__json_member(&json.root, "x");
  ck_assert(dsm__json_is_object(&o) && !dsm__json_is_object(&n) && !dsm__json_is_object(&absent));
  ck_assert(dsm__json_is_null(&n) && !dsm__json_is_null(&s) && !dsm__json_is_null(&absent));
  ck_assert(!dsm__json_is_string(&n) && dsm__json_is_string(&s) && !dsm__json_is_string(&absent));
  json_close(&json);
}
END_TEST

/* ---- findings ---- */

START_TEST(test_node_has_at_most_one_finding) {
  json_fixture json;
  json_open(&json, "{\"a\": 1, \"b\": 1}", NULL, 0, DSM_OK);
  const dsm__json_node a = dsm__json_member(&json.root, "a");
  const dsm__json_node again = dsm__json_member(&json.root, "a");
  const dsm__json_node b = dsm__json_member(&json.root, "b");
  const dsm__json_node absent = dsm__json_member(&json.root, "x");
  const dsm__json_node other = dsm__json_member(&json.root, "y");
  dsm__json_error(&a, NULL, "first");
  dsm__json_error(&again, NULL, "second");
  dsm__json_error(&b, NULL, "of b");
  dsm__json_error(&absent, NULL, "of x");
  dsm__json_error(&absent, NULL, "of x again");
  dsm__json_error(&other, NULL, "of y");
  dsm__json_error(&json.root, NULL, "of the root");
  json_expect_count(&json, 5);
  json_close(&json);
}
END_TEST

START_TEST(test_many_nodes_have_a_finding_each) {
  enum { COUNT = 1000 };
  char text[2 * COUNT + 2] = "[";
  for (size_t i = 0; i < COUNT; i++)
    memcpy(text + 1 + 2 * i, "1,", 2);
  text[2 * COUNT] = ']';
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  for (int round = 0; round < 2; round++) {
    dsm__json_node item = dsm__json_item(&json.root, 0);
    for (; dsm__json_is_present(&item); item = dsm__json_next(&item))
      dsm__json_error(&item, NULL, "bad");
  }
  ck_assert_uint_eq(dsm__json_doc_error_count(json.doc), COUNT);
  ck_assert_uint_eq(dsm_diags_count(json.diags), 100);
  ck_assert_uint_eq(dsm_diags_dropped(json.diags), COUNT - 100);
  json_close(&json);
}
END_TEST

START_TEST(test_findings_are_sorted_into_file_order) {
  json_fixture json;
  json_open(&json, "{\n\"a\": 1, \"b\": 1,\n\"c\": 1}", NULL, 0, DSM_OK);
  static const char *const keys[] = {"c", "b", "a"};
  for (int i = 0; i < COUNT_OF(keys); i++) {
    const dsm__json_node node = dsm__json_member(&json.root, keys[i]);
    dsm__json_error(&node, "a hint", "bad %s", keys[i]);
  }
  json_expect_count(&json, 3);
  json_expect(&json, 0, "t.json:2:1: $.a: error: bad a (a hint)");
  json_expect(&json, 1, "t.json:2:9: $.b: error: bad b (a hint)");
  json_expect(&json, 2, "t.json:3:1: $.c: error: bad c (a hint)");
  json_close(&json);
}
END_TEST

START_TEST(test_odd_keys_are_quoted_in_paths) {
  json_fixture json;
  json_open(&json, "{\"a.b\": {\"\": {\"x-1\": [{\"2\": 0}]}}}", NULL, 0, DSM_OK);
  const dsm__json_node a = dsm__json_member(&json.root, "a.b");
  const dsm__json_node b = dsm__json_member(&a, "");
  const dsm__json_node c = dsm__json_member(&b, "x-1");
  const dsm__json_node d = dsm__json_item(&c, 0);
  const dsm__json_node e = dsm__json_member(&d, "2");
  dsm__json_error(&e, NULL, "bad");
  json_expect(&json, 0, "t.json:1:24: $[\"a.b\"][\"\"].x-1[0][\"2\"]: error: bad");
  json_close(&json);
}
END_TEST

START_TEST(test_deep_node_has_its_path_and_place) {
  char text[32 + 1 + 32 + 1];
  memset(text, '[', 32);
  text[32] = '5';
  memset(text + 33, ']', 32);
  text[65] = '\0';
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  dsm__json_node nodes[40];
  nodes[0] = json.root;
  for (size_t i = 1; i < 40; i++) /* seven of them are absent */
    nodes[i] = dsm__json_item(&nodes[i - 1], 0);
  bool value;
  ck_assert(!dsm__json_bool(&nodes[32], &value));
  ck_assert(!dsm__json_bool(&nodes[39], &value));
  json_expect_count(&json, 1); /* the scalar is at fault for what is not in it */
  const dsm_diag *const diag = dsm_diags_get(json.diags, 0);
  ck_assert_str_eq(diag->message, "expected true or false, found number 5");
  ck_assert_uint_eq(diag->column, 33);
  ck_assert_uint_eq(strlen(diag->path), 1 + 32 * strlen("[0]"));
  json_close(&json);
}
END_TEST

START_TEST(test_control_characters_of_the_file_do_not_reach_messages) {
  json_fixture json;
  json_open(&json, "{\"\\u001b[2J\": \"\\u001b[31m\"}", NULL, 0, DSM_OK);
  const dsm__json_node node = dsm__json_first_member(&json.root);
  bool value;
  ck_assert(!dsm__json_bool(&node, &value));
  json_expect_count(&json, 1);
  json_expect(&json, 0,
              "t.json:1:2: $[\"\\x1B[2J\"]: error: expected true or false, found string "
              "\"\\x1B[31m\"");
  json_close(&json);
}
END_TEST

Suite *suite_json_node(void) {
  Suite *const suite = suite_create("json_node");
  TCase *const moving = tcase_create("moving");
  tcase_add_test(moving, test_items_are_found_in_any_order);
  tcase_add_test(moving, test_long_list_is_walked_by_index);
  tcase_add_test(moving, test_next_walks_a_list_to_its_end);
  tcase_add_test(moving, test_members_are_walked_in_order_with_their_names);
  tcase_add_test(moving, test_empty_object_has_no_first_member);
  tcase_add_test(moving, test_types_are_told_apart);
  suite_add_tcase(suite, moving);
  TCase *const findings = tcase_create("findings");
  tcase_add_test(findings, test_node_has_at_most_one_finding);
  tcase_add_test(findings, test_many_nodes_have_a_finding_each);
  tcase_add_test(findings, test_findings_are_sorted_into_file_order);
  tcase_add_test(findings, test_odd_keys_are_quoted_in_paths);
  tcase_add_test(findings, test_deep_node_has_its_path_and_place);
  tcase_add_test(findings, test_control_characters_of_the_file_do_not_reach_messages);
  suite_add_tcase(suite, findings);
  return suite;
}
