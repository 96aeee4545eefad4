/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdint.h>
#include <string.h>

#include "base/json_text.h"
#include "base/json_write.h"

static dsm__text_buffer buffer;
static dsm__json_writer writer;

static void set_up(void) {
  buffer = (dsm__text_buffer){0};
  writer = (dsm__json_writer){.out = &buffer};
}

static void tear_down(void) {
  dsm__text_fini(&buffer);
}

/* Ends the document: it must be this text, and JSON. */
static void expect_text(const char *expected) {
  dsm__json_finish(&writer);
  ck_assert(!buffer.failed);
  ck_assert_str_eq(buffer.text, expected);
  dsm__json_flaw flaw;
  ck_assert(dsm__json_text_check(buffer.text, buffer.length, &flaw));
}

START_TEST(test_members_are_on_lines_of_their_own) {
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "name", "a");
  dsm__json_put_u64(&writer, "count", UINT64_MAX);
  dsm__json_put_double(&writer, "ratio", 0.1);
  dsm__json_put_bool(&writer, "is_on", true);
  dsm__json_write_key(&writer, "none");
  dsm__json_write_null(&writer);
  dsm__json_end_object(&writer);
  expect_text("{\n"
              "  \"name\": \"a\",\n"
              "  \"count\": 18446744073709551615,\n"
              "  \"ratio\": 0.1,\n"
              "  \"is_on\": true,\n"
              "  \"none\": null\n"
              "}\n");
}
END_TEST

START_TEST(test_nested_containers_are_indented_by_two) {
  dsm__json_begin_object(&writer, false);
  dsm__json_write_key(&writer, "layers");
  dsm__json_begin_array(&writer, false);
  dsm__json_begin_object(&writer, false);
  dsm__json_put_u64(&writer, "in", 1);
  dsm__json_end_object(&writer);
  dsm__json_write_bool(&writer, false);
  dsm__json_end_array(&writer);
  dsm__json_put_u64(&writer, "last", 2);
  dsm__json_end_object(&writer);
  expect_text("{\n"
              "  \"layers\": [\n"
              "    {\n"
              "      \"in\": 1\n"
              "    },\n"
              "    false\n"
              "  ],\n"
              "  \"last\": 2\n"
              "}\n");
}
END_TEST

START_TEST(test_inline_container_is_on_one_line_with_all_inside) {
  dsm__json_begin_object(&writer, false);
  dsm__json_write_key(&writer, "split");
  dsm__json_begin_object(&writer, true);
  dsm__json_write_key(&writer, "dims");
  dsm__json_begin_array(&writer, false); /* inside an inline one: inline too */
  dsm__json_write_u64(&writer, 2);
  dsm__json_write_u64(&writer, 3);
  dsm__json_end_array(&writer);
  dsm__json_put_string(&writer, "kind", "k");
  dsm__json_end_object(&writer);
  dsm__json_put_u64(&writer, "after", 4);
  dsm__json_end_object(&writer);
  expect_text("{\n"
              "  \"split\": {\"dims\": [2, 3], \"kind\": \"k\"},\n"
              "  \"after\": 4\n"
              "}\n");
}
END_TEST

START_TEST(test_key_and_container_begin_at_once) {
  dsm__json_begin_object(&writer, false);
  dsm__json_put_object(&writer, "o", true);
  dsm__json_put_u64(&writer, "a", 1);
  dsm__json_end_object(&writer);
  dsm__json_put_array(&writer, "l", false);
  dsm__json_write_u64(&writer, 2);
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  expect_text("{\n  \"o\": {\"a\": 1},\n  \"l\": [\n    2\n  ]\n}\n");
}
END_TEST

START_TEST(test_empty_containers_take_no_lines) {
  dsm__json_begin_array(&writer, false);
  dsm__json_begin_object(&writer, false);
  dsm__json_end_object(&writer);
  dsm__json_begin_array(&writer, true);
  dsm__json_end_array(&writer);
  dsm__json_end_array(&writer);
  expect_text("[\n"
              "  {},\n"
              "  []\n"
              "]\n");
}
END_TEST

START_TEST(test_scalar_is_a_document) {
  dsm__json_write_double(&writer, -2.5);
  expect_text("-2.5\n");
}
END_TEST

typedef struct escape_case {
  const char *value;
  const char *written;
} escape_case;

static const escape_case escape_cases[] = {
    {"", "\"\"\n"},
    {"a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n"},
    {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n"},
    {"\x01\x1F\x7F", "\"\\u0001\\u001f\x7F\"\n"},
    {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"\n"},
    {"a\xFFz", "\"a\xEF\xBF\xBDz\"\n"},             /* no UTF-8: U+FFFD */
    {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"\n"}, /* cut short: one for each byte */
};

START_TEST(test_set_of_words_is_a_list_of_their_keys) {
  static const dsm__word each[] = {{.key = "a"}, {.key = "b"}, {.key = "c"}};
  static const dsm__words words = {.what = "letter", .items = each, .count = 3};
  dsm__json_begin_object(&writer, false);
  dsm__json_write_key(&writer, "some");
  dsm__json_write_word_set(&writer, &words, 5);
  dsm__json_write_key(&writer, "none");
  dsm__json_write_word_set(&writer, &words, 0);
  dsm__json_end_object(&writer);
  expect_text("{\n  \"some\": [\"a\", \"c\"],\n  \"none\": []\n}\n");
}
END_TEST

START_TEST(test_string_is_escaped) {
  dsm__json_write_string(&writer, escape_cases[_i].value);
  expect_text(escape_cases[_i].written);
}
END_TEST

START_TEST(test_key_is_escaped) {
  dsm__json_begin_object(&writer, true);
  dsm__json_put_u64(&writer, "a\"\n", 1);
  dsm__json_end_object(&writer);
  expect_text("{\"a\\\"\\n\": 1}\n");
}
END_TEST

Suite *suite_json_write(void) {
  Suite *const suite = suite_create("json_write");
  TCase *const layout = tcase_create("layout");
  tcase_add_checked_fixture(layout, set_up, tear_down);
  tcase_add_test(layout, test_members_are_on_lines_of_their_own);
  tcase_add_test(layout, test_nested_containers_are_indented_by_two);
  tcase_add_test(layout, test_inline_container_is_on_one_line_with_all_inside);
  tcase_add_test(layout, test_key_and_container_begin_at_once);
  tcase_add_test(layout, test_empty_containers_take_no_lines);
  tcase_add_test(layout, test_scalar_is_a_document);
  suite_add_tcase(suite, layout);
  TCase *const strings = tcase_create("strings");
  tcase_add_checked_fixture(strings, set_up, tear_down);
  tcase_add_loop_test(strings, test_string_is_escaped, 0, COUNT_OF(escape_cases));
  tcase_add_test(strings, test_key_is_escaped);
  tcase_add_test(strings, test_set_of_words_is_a_list_of_their_keys);
  suite_add_tcase(suite, strings);
  return suite;
}
