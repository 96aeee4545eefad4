/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <string.h>

#include "base/json_text.h"

/* Expected offsets are those of marks that stand only once in the text. */
static const char sample[] =
    " {\n"
    "  \"na}me\": \"x]\\\"{,\\\\\",\n"
    "  \"layers\" : [ 10, {\"in\": [\"m1\"], \"out\": -2.5e1}, [] , 40 ],\n"
    "  \"dup\": 51, \"dup\": 52,\n"
    "  \"\\u0064up\" : 53,\n"
    "  \"\\ud83d\\ude00\\u00e9\\n\": 61,\n"
    "  \"empty\": {}, \"\": 71, \"last\": true\n"
    "}\n";

/* Most steps of a case. */
enum { STEP_LIMIT = 4 };

typedef struct locate_case {
  dsm__json_step steps[STEP_LIMIT];
  size_t step_count;
  const char *mark; /* the text at the offset */
} locate_case;

static const locate_case locate_cases[] = {
    {{{0}}, 0, "{\n"},
    {{{"na}me", 0}}, 1, "\"na}me\""},
    {{{"layers", 0}}, 1, "\"layers\""},
    {{{"layers", 0}, {NULL, 0}}, 2, "10,"},
    {{{"layers", 0}, {NULL, 1}}, 2, "{\"in\""},
    {{{"layers", 0}, {NULL, 1}, {"in", 0}}, 3, "\"in\""},
    {{{"layers", 0}, {NULL, 1}, {"in", 0}, {NULL, 0}}, 4, "\"m1\""},
    {{{"layers", 0}, {NULL, 1}, {"out", 0}}, 3, "\"out\""},
    {{{"layers", 0}, {NULL, 2}}, 2, "[] ,"},
    {{{"layers", 0}, {NULL, 3}}, 2, "40 ]"},
    {{{"dup", 0}}, 1, "\"dup\": 51"},
    {{{"dup", 1}}, 1, "\"dup\": 52"},
    {{{"dup", 2}}, 1, "\"\\u0064up\""}, /* the same key, escaped */
    {{{"\xF0\x9F\x98\x80\xC3\xA9\n", 0}}, 1, "\"\\ud83d"},
    {{{"", 0}}, 1, "\"\": 71"},
    {{{"last", 0}}, 1, "\"last\""},
    /* the deepest step that exists */
    {{{"none", 0}}, 1, "{\n"},
    {{{"dup", 3}}, 1, "{\n"},
    {{{"du", 0}}, 1, "{\n"},
    {{{"dupe", 0}}, 1, "{\n"},
    {{{NULL, 0}}, 1, "{\n"},
    {{{"layers", 0}, {NULL, 4}}, 2, "\"layers\""},
    {{{"layers", 0}, {"in", 0}}, 2, "\"layers\""},
    {{{"layers", 0}, {NULL, 2}, {NULL, 0}}, 3, "[] ,"},
    {{{"layers", 0}, {NULL, 1}, {"none", 0}, {"in", 0}}, 4, "{\"in\""},
    {{{"empty", 0}, {"a", 0}}, 2, "\"empty\""},
    {{{"last", 0}, {"a", 0}}, 2, "\"last\""},
};

START_TEST(test_path_leads_to_its_offset) {
  const locate_case *const each = &locate_cases[_i];
  const size_t offset =
      dsm__json_text_locate(sample, sizeof sample - 1, each->steps, each->step_count);
  const char *const mark = strstr(sample, each->mark);
  ck_assert_ptr_nonnull(mark);
  ck_assert_uint_eq(offset, (size_t)(mark - sample));
}
END_TEST

/* ---- scalars ---- */

typedef struct scalar_case {
  dsm__json_step steps[STEP_LIMIT];
  size_t step_count;
  const char *written; /* empty: no scalar */
} scalar_case;

static const scalar_case scalar_cases[] = {
    {{{"layers", 0}, {NULL, 0}}, 2, "10"},
    {{{"layers", 0}, {NULL, 1}, {"out", 0}}, 3, "-2.5e1"},
    {{{"layers", 0}, {NULL, 3}}, 2, "40"},
    {{{"na}me", 0}}, 1, "\"x]\\\"{,\\\\\""},
    {{{"dup", 2}}, 1, "53"},
    {{{"last", 0}}, 1, "true"},
    {{{"layers", 0}}, 1, ""},
    {{{"empty", 0}}, 1, ""},
    {{{"none", 0}}, 1, ""},
};

START_TEST(test_scalar_is_found_as_it_is_written) {
  const scalar_case *const each = &scalar_cases[_i];
  size_t length = 99;
  const size_t offset =
      dsm__json_text_scalar(sample, sizeof sample - 1, each->steps, each->step_count, &length);
  ck_assert_uint_eq(length, strlen(each->written));
  ck_assert_int_eq(strncmp(sample + offset, each->written, length), 0);
}
END_TEST

START_TEST(test_scalar_may_be_the_whole_text) {
  size_t length = 0;
  ck_assert_uint_eq(dsm__json_text_scalar(" 007", 4, NULL, 0, &length), 1);
  ck_assert_uint_eq(length, 3);
}
END_TEST

/* ---- lines and columns ---- */

typedef struct position_case {
  size_t offset;
  size_t line;
  size_t column;
} position_case;

/* "ab\n\ncd\r\n" then a two-byte character and "e": columns count bytes. */
static const char lines[] = "ab\n\ncd\r\n\xC3\xA9"
                            "e";

static const position_case position_cases[] = {
    {0, 1, 1},  {1, 1, 2},  {2, 1, 3}, /* the line break itself */
    {3, 2, 1},  {4, 3, 1},  {6, 3, 3},  {7, 3, 4},
    {8, 4, 1},  {10, 4, 3}, {11, 4, 4}, /* the end of the text */
    {99, 4, 4},                         /* beyond it */
};

START_TEST(test_offset_has_its_line_and_column) {
  size_t line = 0;
  size_t column = 0;
  dsm__json_text_position(lines, sizeof lines - 1, position_cases[_i].offset, &line, &column);
  ck_assert_uint_eq(line, position_cases[_i].line);
  ck_assert_uint_eq(column, position_cases[_i].column);
}
END_TEST

/* ---- texts that are no JSON ---- */

/* Never called so by the reader; it may find anything, but must end and stay in the text. */
START_TEST(test_any_prefix_is_walked_within_its_end) {
  static const dsm__json_step steps[] = {{"layers", 0}, {NULL, 1}, {"out", 0}};
  for (size_t length = 0; length < sizeof sample; length++) {
    size_t scalar_length = 0;
    ck_assert_uint_le(dsm__json_text_locate(sample, length, steps, 3), length);
    const size_t offset = dsm__json_text_scalar(sample, length, steps, 3, &scalar_length);
    ck_assert_uint_le(offset + scalar_length, length);
  }
}
END_TEST

Suite *suite_json_locate(void) {
  Suite *const suite = suite_create("json_locate");
  TCase *const paths = tcase_create("paths");
  tcase_add_loop_test(paths, test_path_leads_to_its_offset, 0, COUNT_OF(locate_cases));
  tcase_add_loop_test(paths, test_scalar_is_found_as_it_is_written, 0, COUNT_OF(scalar_cases));
  tcase_add_test(paths, test_scalar_may_be_the_whole_text);
  tcase_add_test(paths, test_any_prefix_is_walked_within_its_end);
  suite_add_tcase(suite, paths);
  TCase *const positions = tcase_create("positions");
  tcase_add_loop_test(positions, test_offset_has_its_line_and_column, 0, COUNT_OF(position_cases));
  suite_add_tcase(suite, positions);
  return suite;
}
