/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "base/arena.h"
#include "json_fixture.h"

START_TEST(test_required_members_are_read) {
  json_fixture json;
  json_open(&json, "{\"name\": \"a\", \"n\": 3, \"x\": 0.5, \"z\": 0}", NULL, 0, DSM_OK);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__json_range above = {0.25, 1, false};
  const char *name = NULL;
  uint64_t n = 0;
  double x = 0;
  double z = 1;
  ck_assert(dsm__json_read_name(&json.root, "a name", arena, &name));
  ck_assert_str_eq(name, "a");
  ck_assert(dsm__json_required_u64(&json.root, "n", "a number", 1, 3, &n));
  ck_assert_uint_eq(n, 3);
  ck_assert(dsm__json_required_double(&json.root, "x", "a number", above, &x));
  ck_assert_double_eq(x, 0.5);
  ck_assert(dsm__json_required_double_or_zero(&json.root, "z", "a number", above, &z));
  ck_assert_double_eq(z, 0);
  json_expect_count(&json, 0);
  dsm__arena_free(arena);
  json_close(&json);
}
END_TEST

START_TEST(test_required_member_that_is_missing_is_reported) {
  json_fixture json;
  json_open(&json, "{}", NULL, 0, DSM_OK);
  const char *name = NULL;
  uint64_t n = 7;
  ck_assert(!dsm__json_read_name(&json.root, "a name", NULL, &name));
  ck_assert_ptr_null(name);
  ck_assert(!dsm__json_required_u64(&json.root, "n", "a number", 1, 3, &n));
  ck_assert_uint_eq(n, 7);
  json_expect_count(&json, 2);
  json_close(&json);
}
END_TEST

START_TEST(test_optional_member_is_its_fallback_where_it_is_absent) {
  json_fixture json;
  json_open(&json, "{\"n\": 3, \"x\": 0.5, \"is_on\": true}", NULL, 0, DSM_OK);
  const dsm__json_range any = {0, 1, false};
  uint64_t n = 0;
  double x = 0;
  bool is_on = false;
  const char *source = NULL;
  dsm__json_optional_u64(&json.root, "n", 1, 5, 1, &n);
  dsm__json_optional_double(&json.root, "x", any, 1, &x);
  dsm__json_optional_bool(&json.root, "is_on", false, &is_on);
  ck_assert_uint_eq(n, 3);
  ck_assert_double_eq(x, 0.5);
  ck_assert(is_on);
  dsm__json_optional_u64(&json.root, "m", 1, 5, 4, &n);
  dsm__json_optional_double(&json.root, "y", any, 0.75, &x);
  dsm__json_optional_bool(&json.root, "is_off", false, &is_on);
  dsm__json_read_source(&json.root, NULL, &source);
  ck_assert_uint_eq(n, 4);
  ck_assert_double_eq(x, 0.75);
  ck_assert(!is_on);
  ck_assert_ptr_null(source);
  json_expect_count(&json, 0);
  json_close(&json);
}
END_TEST

static void read_count(void *made, const dsm__json_node *root) {
  dsm__json_required_u64(root, "count", "how many", 1, 9, made);
}

START_TEST(test_document_is_read_as_a_whole) {
  const dsm__json_input good = {"{\"count\": 5}", 12, "t.json", NULL, 0};
  const dsm__json_input bad = {"{\"count\": 0}", 12, "t.json", NULL, 0};
  const dsm__json_input cut = {"{\"count\":", 9, "t.json", NULL, 0};
  uint64_t count = 0;
  ck_assert_int_eq(dsm__json_doc_read(&good, NULL, read_count, &count), DSM_OK);
  ck_assert_uint_eq(count, 5);
  ck_assert_int_eq(dsm__json_doc_read(&bad, NULL, read_count, &count), DSM_ERROR_INVALID);
  ck_assert_int_eq(dsm__json_doc_read(&cut, NULL, read_count, &count), DSM_ERROR_INVALID);
  ck_assert_int_eq(dsm__json_doc_read(&good, NULL, read_count, NULL), DSM_ERROR_OUT_OF_MEMORY);
}
END_TEST

Suite *suite_json_members(void) {
  Suite *const suite = suite_create("json_members");
  TCase *const members = tcase_create("members");
  tcase_add_test(members, test_required_members_are_read);
  tcase_add_test(members, test_required_member_that_is_missing_is_reported);
  tcase_add_test(members, test_optional_member_is_its_fallback_where_it_is_absent);
  tcase_add_test(members, test_document_is_read_as_a_whole);
  suite_add_tcase(suite, members);
  return suite;
}
