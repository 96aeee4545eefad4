/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "json_fixture.h"

/* ---- parsing ---- */

START_TEST(test_flaw_of_the_text_is_reported_at_its_line_and_column) {
  json_fixture json;
  json_open(&json, "{\n  \"a\": [1,\n    02]\n}", NULL, 0, DSM_ERROR_INVALID);
  json_expect_count(&json, 1);
  json_expect(&json, 0, "t.json:3:5: error: expected a number without leading zeros, found \"02\"");
  json_close(&json);
}
END_TEST

START_TEST(test_text_is_copied) {
  char text[] = "{\"a\": 2.50}";
  json_fixture json;
  json_open(&json, text, NULL, 0, DSM_OK);
  memset(text, 'x', sizeof text - 1);
  const dsm__json_node a = dsm__json_member(&json.root, "a");
  uint64_t value;
  ck_assert(!dsm__json_u64(&a, 1, 9, &value));
  json_expect(&json, 0, "t.json:1:2: $.a: error: expected a whole number from 1 to 9, found 2.50");
  json_close(&json);
}
END_TEST

START_TEST(test_errors_are_counted_without_a_list) {
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, "{\"a\":1,\"a\":2}", 13, NULL, NULL, 0, NULL), DSM_OK);
  ck_assert_uint_eq(dsm__json_doc_error_count(doc), 1);
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node a = dsm__json_member(&root, "a");
  bool value;
  ck_assert(!dsm__json_bool(&a, &value));
  ck_assert_uint_eq(dsm__json_doc_error_count(doc), 2);
  (void)!dsm__json_doc_finish(doc);
  dsm__json_doc_free(doc);
}
END_TEST

START_TEST(test_findings_of_others_stay_in_front) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, "\n\n!", 3, "a", NULL, 0, diags), DSM_ERROR_INVALID);
  ck_assert_int_eq(dsm__json_doc_parse(&doc, "{\"x\":1,\n\"x\":2}", 14, "b", NULL, 0, diags),
                   DSM_OK);
  (void)!dsm__json_doc_finish(doc);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "a");
  ck_assert_str_eq(dsm_diags_get(diags, 1)->file, "b");
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_null_document_is_freed) {
  dsm__json_doc_free(NULL);
}
END_TEST

/* ---- duplicate keys ---- */

START_TEST(test_each_duplicate_key_is_reported_at_its_own_line) {
  json_fixture json;
  json_open(&json,
            "{ \"b\": 1,\n"
            "  \"in\": {\"x\": 1,\n"
            "    \"x\": 2, \"y\": 3,\n"
            "    \"x\": 4},\n"
            "  \"list\": [[{\"k\": 1, \"\\u006b\": 2}]],\n"
            "  \"a\": 0, \"b\": 2\n"
            "}",
            NULL, 0, DSM_OK);
  json_expect_count(&json, 4);
  json_expect(&json, 0,
              "t.json:3:5: $.in.x: error: duplicate key \"x\" (the first one is on line 2)");
  json_expect(&json, 1,
              "t.json:4:5: $.in.x: error: duplicate key \"x\" (the first one is on line 2)");
  json_expect(&json, 2,
              "t.json:5:22: $.list[0][0].k: error: duplicate key \"k\" (the first one is on line "
              "5)");
  json_expect(&json, 3,
              "t.json:6:11: $.b: error: duplicate key \"b\" (the first one is on line 1)");
  json_close(&json);
}
END_TEST

START_TEST(test_keys_that_differ_in_case_are_no_duplicates) {
  json_fixture json;
  json_open(&json, "{\"a\": 1, \"A\": 2}", NULL, 0, DSM_OK);
  json_expect_count(&json, 0);
  const dsm__json_node a = dsm__json_member(&json.root, "A");
  uint64_t value = 0;
  ck_assert(dsm__json_u64(&a, 2, 2, &value));
  json_close(&json);
}
END_TEST

START_TEST(test_first_duplicate_of_the_file_is_kept_by_a_short_list) {
  static const char text[] = "{\"b\":1, \"a\":1, \"b\":2, \"a\":2}";
  dsm_diags *const diags = dsm_diags_new(1);
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, text, sizeof text - 1, NULL, NULL, 0, diags), DSM_OK);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "duplicate key \"b\"");
  ck_assert_uint_eq(dsm_diags_dropped(diags), 1);
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
}
END_TEST

/* An object of `count` times the same key, which is given with an escape in every second place. */
static char *repeated_key(size_t count, size_t *length) {
  static const char *const members[] = {"\"k\":1,", "\"\\u006b\":1,"};
  char *const text = malloc(12 * count + 2);
  ck_assert_ptr_nonnull(text);
  *length = 0;
  text[(*length)++] = '{';
  for (size_t i = 0; i < count; i++) {
    const size_t size = strlen(members[i % 2]);
    memcpy(text + *length, members[i % 2], size);
    *length += size;
  }
  text[*length - 1] = '}';
  return text;
}

START_TEST(test_the_most_duplicates_are_all_reported) {
  size_t length;
  char *const text = repeated_key(DSM__JSON_DUPLICATES_MAX + 1, &length);
  dsm_diags *const diags = dsm_diags_new(3);
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, text, length, NULL, NULL, 0, diags), DSM_OK);
  ck_assert_uint_eq(dsm__json_doc_error_count(doc), DSM__JSON_DUPLICATES_MAX);
  ck_assert_uint_eq(dsm_diags_dropped(diags), DSM__JSON_DUPLICATES_MAX - 3);
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
  free(text);
}
END_TEST

/* 198 MB of them took 6 GB: nothing may be made of such a text. Key number 102 is the 101st that is
 * not new; 101 keys take 51 times 6 and 50 times 11 bytes, behind the bracket. */
START_TEST(test_more_duplicates_end_the_reading) {
  size_t length;
  char *const text = repeated_key(DSM__JSON_DUPLICATES_MAX + 2, &length);
  dsm_diags *const diags = dsm_diags_new(3);
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, text, length, "f", NULL, 0, diags), DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  char line[256];
  (void)dsm_diag_render(dsm_diags_get(diags, 0), false, line, sizeof line);
  ck_assert_str_eq(line,
                   "f:1:858: error: expected different keys in an object, found more than 100 "
                   "duplicates");
  dsm_diags_free(diags);
  free(text);
}
END_TEST

/* Objects that end make room; many keys of one object, and of those around it, stay known. */
START_TEST(test_equal_keys_of_other_objects_are_no_duplicates) {
  enum { COUNT = 5000 };
  dsm__text_buffer text = {0};
  dsm__text_puts(&text, "{\"a\":0,\"list\":[");
  for (size_t i = 0; i < COUNT; i++) {
    dsm__text_puts(&text, "{\"a\":{\"a\":1,\"b\":2},\"b\":{\"a\":{}}},");
  }
  dsm__text_puts(&text, "{}]");
  for (size_t i = 0; i < COUNT; i++) {
    dsm__text_printf(&text, ",\"k%zu\":{\"k\":1,\"a\":2}", i);
  }
  dsm__text_puts(&text, ",\"b\":1}");
  ck_assert(!text.failed);
  dsm_diags *const diags = dsm_diags_new(3);
  dsm__json_doc *doc = NULL;
  ck_assert_int_eq(dsm__json_doc_parse(&doc, text.text, text.length, NULL, NULL, 0, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
  dsm__text_fini(&text);
}
END_TEST

/* ---- out of memory ---- */

static size_t allocations_left;

static void *failing_malloc(size_t size) {
  if (allocations_left == 0)
    return NULL;
  allocations_left--;
  return malloc(size);
}

/* cJSON says NULL for a flaw of the text and for want of memory; only the latter can be. */
START_TEST(test_memory_that_cjson_lacks_is_not_taken_for_a_flaw) {
  static const char text[] = "{\"a\": [1, \"x\", {\"b\": null}]}";
  const dsm_override overrides[] = {{.path = "a.0", .value = "[1, 2]"},
                                    {.path = "n.m", .value = "x"}};
  cJSON_Hooks hooks = {.malloc_fn = failing_malloc, .free_fn = free};
  bool is_done = false;
  size_t limit = 0;
  for (; !is_done && limit < 1000; limit++) {
    dsm_diags *const diags = dsm_diags_new(5);
    dsm__json_doc *doc = NULL;
    allocations_left = limit;
    cJSON_InitHooks(&hooks);
    const dsm_status status =
        dsm__json_doc_parse(&doc, text, sizeof text - 1, NULL, overrides, 2, diags);
    cJSON_InitHooks(NULL);
    is_done = status == DSM_OK;
    ck_assert(is_done || status == DSM_ERROR_OUT_OF_MEMORY);
    ck_assert_int_eq(doc != NULL, is_done);
    ck_assert_uint_eq(dsm_diags_count(diags), is_done ? 0 : 1);
    if (!is_done)
      ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "out of memory");
    dsm__json_doc_free(doc);
    dsm_diags_free(diags);
  }
  ck_assert(is_done);
  ck_assert_uint_gt(limit, 10); /* several allocations did fail */
}
END_TEST

/* ---- comments ---- */

START_TEST(test_comments_are_not_read) {
  json_fixture json;
  json_open(&json, "{\"//\": \"a\", \"x\": [{\"//\": []}, {\"//\": [\"b\", \"c\"], \"y\": 1}]}",
            NULL, 0, DSM_OK);
  static const char *const known[] = {"x"};
  ck_assert(dsm__json_object_only(&json.root, known, 1));
  const dsm__json_node x = dsm__json_member(&json.root, "x");
  dsm__text_buffer text = {0};
  dsm__json_compact(&x, &text);
  ck_assert_str_eq(text.text, "[{},{\"y\":1}]");
  dsm__text_fini(&text);
  json_expect_count(&json, 0);
  json_close(&json);
}
END_TEST

START_TEST(test_comments_of_an_override_are_not_read) {
  json_fixture json;
  const dsm_override override = {.path = "x", .value = "{\"//\": \"a\", \"y\": {\"//\": 1}}"};
  json_open(&json, "{}", &override, 1, DSM_OK);
  const dsm__json_node x = dsm__json_member(&json.root, "x");
  static const char *const known[] = {"y"};
  ck_assert(dsm__json_object_only(&x, known, 1));
  json_expect_count(&json, 1);
  json_expect(
      &json, 0,
      "--set: $.x.y[\"//\"]: error: expected a string or a list of strings, found number 1");
  json_close(&json);
}
END_TEST

START_TEST(test_second_comment_of_an_object_is_a_duplicate_key) {
  json_fixture json;
  json_open(&json, "{\"//\": \"a\",\n\"//\": \"b\"}", NULL, 0, DSM_OK);
  json_expect_count(&json, 1);
  json_expect(&json, 0,
              "t.json:2:1: $[\"//\"]: error: duplicate key \"//\" (the first one is on line 1)");
  json_close(&json);
}
END_TEST

START_TEST(test_comment_of_the_root_is_kept) {
  static const struct {
    const char *text;
    const char *comment;
  } cases[] = {{"{\"//\": \"a\", \"x\": {\"//\": \"b\"}}", "a"},
               {"{\"//\": [\"a\", \"b\"]}", "a"},
               {"{\"//\": []}", NULL},
               {"{\"x\": {\"//\": \"b\"}}", NULL},
               {"[{\"//\": \"b\"}]", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    json_fixture json;
    json_open(&json, cases[i].text, NULL, 0, DSM_OK);
    ck_assert_pstr_eq(dsm__json_doc_comment(json.doc), cases[i].comment);
    json_close(&json);
  }
}
END_TEST

START_TEST(test_schema_of_the_root_alone_is_not_read) {
  json_fixture json;
  json_open(&json, "{\"$schema\": \"a\", \"x\": {\"$schema\": \"b\"}}", NULL, 0, DSM_OK);
  static const char *const known[] = {"x"};
  ck_assert(dsm__json_object_only(&json.root, known, 1));
  const dsm__json_node x = dsm__json_member(&json.root, "x");
  ck_assert(dsm__json_object_only(&x, known, 1)); /* with a finding */
  json_expect_count(&json, 1);
  json_close(&json);
  json_open(&json, "{\"$schema\": {}}", NULL, 0, DSM_OK);
  json_expect_count(&json, 1);
  json_expect(&json, 0, "t.json:1:2: $[\"$schema\"]: error: expected a string, found an object");
  json_close(&json);
}
END_TEST

START_TEST(test_override_makes_no_comment) {
  json_fixture json;
  const dsm_override override = {.path = "//", .value = "a"};
  json_open(&json, "{}", &override, 1, DSM_OK);
  static const char *const known[] = {"y"};
  ck_assert(dsm__json_object_only(&json.root, known, 1));
  json_expect_count(&json, 1);
  json_expect(&json, 0, "--set: $[\"//\"]: error: unknown key \"//\" (known: y)");
  json_close(&json);
}
END_TEST

Suite *suite_json_doc(void) {
  Suite *const suite = suite_create("json_doc");
  TCase *const parsing = tcase_create("parsing");
  tcase_add_test(parsing, test_flaw_of_the_text_is_reported_at_its_line_and_column);
  tcase_add_test(parsing, test_text_is_copied);
  tcase_add_test(parsing, test_errors_are_counted_without_a_list);
  tcase_add_test(parsing, test_findings_of_others_stay_in_front);
  tcase_add_test(parsing, test_null_document_is_freed);
  suite_add_tcase(suite, parsing);
  TCase *const keys = tcase_create("duplicate keys");
  tcase_add_test(keys, test_each_duplicate_key_is_reported_at_its_own_line);
  tcase_add_test(keys, test_keys_that_differ_in_case_are_no_duplicates);
  tcase_add_test(keys, test_first_duplicate_of_the_file_is_kept_by_a_short_list);
  tcase_add_test(keys, test_the_most_duplicates_are_all_reported);
  tcase_add_test(keys, test_more_duplicates_end_the_reading);
  tcase_add_test(keys, test_equal_keys_of_other_objects_are_no_duplicates);
  suite_add_tcase(suite, keys);
  TCase *const comments = tcase_create("comments");
  tcase_add_test(comments, test_comments_are_not_read);
  tcase_add_test(comments, test_comments_of_an_override_are_not_read);
  tcase_add_test(comments, test_second_comment_of_an_object_is_a_duplicate_key);
  tcase_add_test(comments, test_comment_of_the_root_is_kept);
  tcase_add_test(comments, test_schema_of_the_root_alone_is_not_read);
  tcase_add_test(comments, test_override_makes_no_comment);
  suite_add_tcase(suite, comments);
  TCase *const memory = tcase_create("out of memory");
  tcase_add_test(memory, test_memory_that_cjson_lacks_is_not_taken_for_a_flaw);
  suite_add_tcase(suite, memory);
  return suite;
}
