/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canonical texts, and keys that overrides made and nobody knows. */
#include <string.h>

#include "base/json_text.h"
#include "json_fixture.h"
#include "suites.h"

typedef struct compact_case {
  const char *text;
  const char *expected;
} compact_case;

static const compact_case compact_cases[] = {
    {" null ", "null"},
    {"true", "true"},
    {"false", "false"},
    {"2.50e0", "2.5"},
    {"1e3", "1000"},
    {"0.1", "0.1"},
    {"-0.0", "-0"},
    {"9007199254740991", "9007199254740991"},
    {"\"a\\u0041\\n\\\"\\/\"", "\"aA\\n\\\"/\""},
    {"[ ]", "[]"},
    {"{ }", "{}"},
    {"[1, [2, {\"x\": []}], \"3\"]", "[1,[2,{\"x\":[]}],\"3\"]"},
    {"{\"b\": 1, \"a\": {\"d\": 2, \"c\": 3}, \"B\": 4, \"aa\": 5}",
     "{\"B\":4,\"a\":{\"c\":3,\"d\":2},\"aa\":5,\"b\":1}"},
};

START_TEST(test_compact) {
  const compact_case *const each = &compact_cases[_i];
  json_fixture json;
  json_open(&json, each->text, NULL, 0, DSM_OK);
  dsm__text_buffer buffer = {0};
  dsm__json_compact(&json.root, &buffer);
  ck_assert(!buffer.failed);
  ck_assert_str_eq(buffer.text, each->expected);
  dsm__json_flaw flaw;
  ck_assert(dsm__json_text_check(buffer.text, buffer.length, &flaw));
  dsm__text_fini(&buffer);
  json_close(&json);
}
END_TEST

START_TEST(test_types) {
  json_fixture json;
  double number = 7;
  json_open(&json, "{\"l\": [1], \"n\": 2.5, \"s\": \"t\"}", NULL, 0, DSM_OK);
  const dsm__json_node list = dsm__json_member(&json.root, "l");
  const dsm__json_node figure = dsm__json_member(&json.root, "n");
  const dsm__json_node text = dsm__json_member(&json.root, "s");
  const dsm__json_node absent = dsm__json_member(&json.root, "x");
  ck_assert(dsm__json_is_list(&list) && !dsm__json_is_list(&figure) && !dsm__json_is_list(&absent));
  ck_assert(!dsm__json_is_number(&text, &number) && !dsm__json_is_number(&absent, &number));
  ck_assert(number >= 7 && number <= 7);
  ck_assert(dsm__json_is_number(&figure, &number) && number >= 2.5 && number <= 2.5);
  ck_assert_str_eq(dsm__json_text(&text), "t");
  ck_assert_ptr_null(dsm__json_text(&figure));
  ck_assert_ptr_null(dsm__json_text(&absent));
  ck_assert_str_eq(dsm__json_doc_file(json.doc), "t.json");
  json_close(&json);
}
END_TEST

typedef struct unknown_case {
  const char *path;
  const char *key;  /* NULL: all known */
  const char *hint; /* of it */
} unknown_case;

/* In {"known": {"inner": 1}, "other": 2}, whose "other" no reader knows. */
static const unknown_case unknown_cases[] = {
    {"known", NULL, NULL},
    {"known.inner", NULL, NULL},
    {"known.inne", "inne", "did you mean \"inner\"?"},
    {"known.zzzzz", "zzzzz", "known: inner"},
    {"knwn.inner", "knwn", "did you mean \"known\"?"},
    {"other", "other", "known: known"},
};

START_TEST(test_unknown_overrides) {
  static const char *const known[] = {"known"};
  static const char *const inner[] = {"inner"};
  const unknown_case *const each = &unknown_cases[_i];
  const dsm_override override = {.path = each->path, .value = "{\"inner\": 3}"};
  json_fixture json;
  json_open(&json, "{\"known\": {\"inner\": 1}, \"other\": 2}", &override, 1, DSM_OK);
  const dsm__json_node node = dsm__json_member(&json.root, "known");
  ck_assert_ptr_null(dsm__json_doc_unknown_override(json.doc).key);
  (void)dsm__json_object_only(&json.root, known, 1);
  (void)dsm__json_object_only(&node, inner, 1);
  const dsm__json_unknown unknown = dsm__json_doc_unknown_override(json.doc);
  if (each->key == NULL) {
    ck_assert_ptr_null(unknown.key);
  } else {
    ck_assert_ptr_nonnull(unknown.key);
    ck_assert_str_eq(unknown.key, each->key);
    ck_assert_str_eq(unknown.hint, each->hint);
  }
  json_close(&json);
}
END_TEST

START_TEST(test_memory_is_noted_without_a_word) {
  json_fixture json;
  json_open(&json, "{}", NULL, 0, DSM_OK);
  dsm__json_note_out_of_memory(json.doc);
  dsm__json_note_out_of_memory(json.doc);
  dsm__json_set_out_of_memory(json.doc);
  ck_assert(dsm__json_doc_is_out_of_memory(json.doc));
  ck_assert_uint_eq(dsm__json_doc_error_count(json.doc), 1);
  ck_assert_uint_eq(dsm_diags_count(json.diags), 0);
  json_close(&json);
}
END_TEST

Suite *suite_json_compact(void) {
  Suite *const suite = suite_create("json_compact");
  TCase *const cases = tcase_create("all");
  tcase_add_loop_test(cases, test_compact, 0, COUNT_OF(compact_cases));
  tcase_add_test(cases, test_types);
  tcase_add_loop_test(cases, test_unknown_overrides, 0, COUNT_OF(unknown_cases));
  tcase_add_test(cases, test_memory_is_noted_without_a_word);
  suite_add_tcase(suite, cases);
  return suite;
}
