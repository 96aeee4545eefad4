/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"

static void add_at(dsm_diags *diags, size_t line, size_t column, const char *message) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.line = line, .column = column}, NULL,
                 "%s", message);
}

/* ---- the list ---- */

START_TEST(test_new_list_is_empty) {
  dsm_diags *const diags = dsm_diags_new(3);
  ck_assert_ptr_nonnull(diags);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_uint_eq(dsm_diags_dropped(diags), 0);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_null_list_is_accepted) {
  add_at(NULL, 1, 1, "lost");
  dsm__diags_sort_from(NULL, 0);
  dsm_diags_clear(NULL);
  ck_assert_uint_eq(dsm_diags_count(NULL), 0);
  ck_assert_uint_eq(dsm_diags_dropped(NULL), 0);
  dsm_diags_free(NULL);
}
END_TEST

START_TEST(test_findings_beyond_the_limit_are_counted) {
  dsm_diags *const diags = dsm_diags_new(2);
  add_at(diags, 1, 1, "first");
  add_at(diags, 2, 1, "second");
  ck_assert_uint_eq(dsm_diags_dropped(diags), 0);
  add_at(diags, 3, 1, "third");
  add_at(diags, 4, 1, "fourth");
  ck_assert_uint_eq(dsm_diags_count(diags), 2);
  ck_assert_uint_eq(dsm_diags_dropped(diags), 2);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "first");
  ck_assert_str_eq(dsm_diags_get(diags, 1)->message, "second");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_three_that_say_the_same_are_one_and_two_more) {
  dsm_diags *const diags = dsm_diags_new(9);
  add_at(diags, 1, 1, "thrice");
  add_at(diags, 2, 1, "twice");
  add_at(diags, 3, 1, "thrice");
  add_at(diags, 4, 1, "twice");
  add_at(diags, 5, 1, "thrice");
  ck_assert_uint_eq(dsm_diags_alike(diags, 0), 2);
  ck_assert_uint_eq(dsm_diags_alike(diags, 1), 0);
  ck_assert_uint_eq(dsm_diags_alike(diags, 2), DSM_DIAG_SHOWN_BEFORE);
  ck_assert_uint_eq(dsm_diags_alike(diags, 3), 0);
  ck_assert_uint_eq(dsm_diags_alike(diags, 4), DSM_DIAG_SHOWN_BEFORE);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_limit_of_zero_keeps_one) {
  dsm_diags *const diags = dsm_diags_new(0);
  add_at(diags, 1, 1, "first");
  add_at(diags, 2, 1, "second");
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_uint_eq(dsm_diags_dropped(diags), 1);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_cleared_list_takes_findings_again) {
  dsm_diags *const diags = dsm_diags_new(1);
  add_at(diags, 1, 1, "old");
  add_at(diags, 2, 1, "dropped");
  dsm_diags_clear(diags);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_uint_eq(dsm_diags_dropped(diags), 0);
  add_at(diags, 3, 1, "new");
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "new");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_all_fields_are_stored) {
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm__place place = {.file = "a.json", .line = 3, .column = 7, .path = "$.x"};
  dsm__diags_add(diags, DSM_SEVERITY_WARNING, place, "try 4", "expected %d, found %s", 4, "5");
  const dsm_diag *const diag = dsm_diags_get(diags, 0);
  ck_assert_int_eq(diag->severity, DSM_SEVERITY_WARNING);
  ck_assert_str_eq(diag->file, "a.json");
  ck_assert_uint_eq(diag->line, 3);
  ck_assert_uint_eq(diag->column, 7);
  ck_assert_str_eq(diag->path, "$.x");
  ck_assert_str_eq(diag->message, "expected 4, found 5");
  ck_assert_str_eq(diag->hint, "try 4");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_out_of_memory_is_reported_and_returned) {
  dsm_diags *const diags = dsm_diags_new(1);
  ck_assert_int_eq(dsm__out_of_memory(diags), DSM_ERROR_OUT_OF_MEMORY);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, "out of memory");
  ck_assert_int_eq(dsm__out_of_memory(NULL), DSM_ERROR_OUT_OF_MEMORY);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_sorting_is_by_line_then_column_and_stable) {
  dsm_diags *const diags = dsm_diags_new(10);
  add_at(diags, 9, 9, "before"); /* not part of what is sorted */
  add_at(diags, 5, 1, "d");
  add_at(diags, 2, 8, "b");
  add_at(diags, 5, 1, "e");
  add_at(diags, 2, 3, "a");
  add_at(diags, 2, 8, "c");
  dsm__diags_sort_from(diags, 1);
  char order[64] = "";
  size_t used = 0;
  for (size_t i = 0; i < dsm_diags_count(diags); i++)
    used += (size_t)snprintf(order + used, sizeof order - used, "%s ",
                             dsm_diags_get(diags, i)->message);
  ck_assert_str_eq(order, "before a b c d e ");
  dsm_diags_free(diags);
}
END_TEST

/* ---- what fits and what may be shown ---- */

/* A message field has 512 bytes, one of them the NUL. */
START_TEST(test_message_of_511_bytes_is_kept) {
  char text[512];
  memset(text, 'a', 511);
  text[511] = '\0';
  dsm_diags *const diags = dsm_diags_new(1);
  add_at(diags, 1, 1, text);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, text);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_message_of_512_bytes_is_cut) {
  char text[513];
  memset(text, 'a', 512);
  text[512] = '\0';
  dsm_diags *const diags = dsm_diags_new(1);
  add_at(diags, 1, 1, text);
  memset(text + 508, '.', 3);
  text[511] = '\0';
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, text);
  dsm_diags_free(diags);
}
END_TEST

/* The euro sign has 3 bytes: 169 of them are 507 bytes, one more would leave 1 byte for "...". */
START_TEST(test_cut_falls_between_characters) {
  char text[4096] = "";
  for (size_t i = 0; i < 1000; i++)
    memcpy(text + 3 * i, "\xE2\x82\xAC", 4);
  dsm_diags *const diags = dsm_diags_new(1);
  add_at(diags, 1, 1, text);
  memcpy(text + 507, "...", 4);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, text);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_long_file_name_and_path_are_cut) {
  char text[300];
  memset(text, 'f', 299);
  text[299] = '\0';
  dsm_diags *const diags = dsm_diags_new(1);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = text, .path = text}, text, "x");
  const dsm_diag *const diag = dsm_diags_get(diags, 0);
  ck_assert_uint_eq(strlen(diag->file), 255);
  ck_assert_str_eq(diag->file + 252, "...");
  ck_assert_str_eq(diag->path + 252, "...");
  ck_assert_str_eq(diag->hint + 252, "...");
  dsm_diags_free(diags);
}
END_TEST

typedef struct visible_case {
  const char *text;
  const char *shown;
} visible_case;

static const visible_case visible_cases[] = {
    {"plain \"text\"", "plain \"text\""},
    {"\x1B[31mred", "\\x1B[31mred"},
    {"two\nlines", "two\\x0Alines"},
    {"a\tb\rc", "a\\x09b\\x0Dc"},
    {"\x7F", "\\x7F"},
    {"\xC2\x9B", "\\xC2\\x9B"},          /* U+009B, which some terminals take as ESC [ */
    {"\xE2\x80\xAE", "\\xE2\\x80\\xAE"}, /* U+202E right-to-left override */
    {"\xE2\x80\xA8", "\\xE2\\x80\\xA8"}, /* U+2028 line separator */
    {"\xE2\x80\x8F", "\\xE2\\x80\\x8F"}, /* U+200F right-to-left mark */
    {"\xD8\x9C", "\\xD8\\x9C"},          /* U+061C Arabic letter mark */
    {"\xEF\xBF\xBF", "\\xEF\\xBF\\xBF"}, /* U+FFFF */
    {"\xE2\x81\xA6", "\\xE2\\x81\\xA6"}, /* U+2066 left-to-right isolate */
    {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
    {"\xFF\xC3", "\\xFF\\xC3"},          /* no UTF-8 */
    {"\xC0\x80", "\\xC0\\x80"},          /* overlong */
    {"\xED\xA0\x80", "\\xED\\xA0\\x80"}, /* a surrogate */
};

START_TEST(test_what_steers_a_terminal_is_shown_in_hexadecimal) {
  const visible_case *const each = &visible_cases[_i];
  dsm_diags *const diags = dsm_diags_new(1);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = each->text, .path = each->text},
                 each->text, "%s", each->text);
  const dsm_diag *const diag = dsm_diags_get(diags, 0);
  ck_assert_str_eq(diag->message, each->shown);
  ck_assert_str_eq(diag->file, each->shown);
  ck_assert_str_eq(diag->path, each->shown);
  ck_assert_str_eq(diag->hint, each->shown);
  dsm_diags_free(diags);
}
END_TEST

/* ---- rendering ---- */

typedef struct render_case {
  dsm_diag diag;
  bool color;
  const char *rendered;
} render_case;

static const render_case render_cases[] = {
    {{.file = "w.json", .line = 3, .column = 7, .path = "$.a", .message = "bad", .hint = "good"},
     false,
     "w.json:3:7: $.a: error: bad (good)"},
    {{.file = "w.json", .line = 3, .message = "bad"}, false, "w.json:3: error: bad"},
    {{.file = "--set", .path = "$.a", .message = "bad"}, false, "--set: $.a: error: bad"},
    {{.severity = DSM_SEVERITY_WARNING, .path = "$.a", .message = "odd"},
     false,
     "$.a: warning: odd"},
    {{.severity = DSM_SEVERITY_NOTE, .message = "so"}, false, "note: so"},
    {{.line = 3, .column = 7, .message = "bad"}, false, "error: bad"}, /* a line of no file */
    {{.file = "f", .line = 1, .column = 2, .message = "bad"},
     true,
     "\033[1mf:1:2: \033[1;31merror: \033[0mbad"},
};

START_TEST(test_finding_is_rendered) {
  const render_case *const each = &render_cases[_i];
  char text[256];
  const size_t length = dsm_diag_render(&each->diag, each->color, text, sizeof text);
  ck_assert_str_eq(text, each->rendered);
  ck_assert_uint_eq(length, strlen(each->rendered));
}
END_TEST

START_TEST(test_rendering_is_cut_to_the_buffer) {
  const dsm_diag diag = {.file = "f", .line = 1, .message = "bad"};
  const char *const whole = "f:1: error: bad";
  for (size_t size = 0; size <= strlen(whole) + 1; size++) {
    char text[32];
    memset(text, '#', sizeof text);
    ck_assert_uint_eq(dsm_diag_render(&diag, false, text, size), strlen(whole));
    if (size > 0) {
      ck_assert_uint_eq(strlen(text), size - 1);
      ck_assert_int_eq(strncmp(text, whole, size - 1), 0);
    }
    ck_assert_int_eq(text[size], '#');
  }
}
END_TEST

START_TEST(test_length_is_told_without_a_buffer) {
  const dsm_diag diag = {.message = "bad"};
  ck_assert_uint_eq(dsm_diag_render(&diag, false, NULL, 0), strlen("error: bad"));
}
END_TEST

/* ---- status.c ---- */

START_TEST(test_each_status_has_a_name_of_its_own) {
  for (int i = 0; i < DSM_STATUS_COUNT; i++) {
    const char *const name = dsm_status_name((dsm_status)i);
    ck_assert_str_ne(name, "");
    ck_assert_str_ne(name, dsm_status_name(DSM_STATUS_COUNT));
    for (int j = 0; j < i; j++)
      ck_assert_str_ne(name, dsm_status_name((dsm_status)j));
  }
  ck_assert_str_eq(dsm_status_name(DSM_ERROR_OUT_OF_MEMORY), "out of memory");
}
END_TEST

START_TEST(test_version_is_three_numbers) {
  unsigned numbers[3];
  char rest;
  ck_assert_int_eq(
      sscanf(dsm_version(), "%u.%u.%u%c", &numbers[0], &numbers[1], &numbers[2], &rest), 3);
}
END_TEST

Suite *suite_diag(void) {
  Suite *const suite = suite_create("diag");
  TCase *const list = tcase_create("list");
  tcase_add_test(list, test_new_list_is_empty);
  tcase_add_test(list, test_null_list_is_accepted);
  tcase_add_test(list, test_findings_beyond_the_limit_are_counted);
  tcase_add_test(list, test_three_that_say_the_same_are_one_and_two_more);
  tcase_add_test(list, test_limit_of_zero_keeps_one);
  tcase_add_test(list, test_cleared_list_takes_findings_again);
  tcase_add_test(list, test_all_fields_are_stored);
  tcase_add_test(list, test_out_of_memory_is_reported_and_returned);
  tcase_add_test(list, test_sorting_is_by_line_then_column_and_stable);
  suite_add_tcase(suite, list);
  TCase *const text = tcase_create("text");
  tcase_add_test(text, test_message_of_511_bytes_is_kept);
  tcase_add_test(text, test_message_of_512_bytes_is_cut);
  tcase_add_test(text, test_cut_falls_between_characters);
  tcase_add_test(text, test_long_file_name_and_path_are_cut);
  tcase_add_loop_test(text, test_what_steers_a_terminal_is_shown_in_hexadecimal, 0,
                      COUNT_OF(visible_cases));
  suite_add_tcase(suite, text);
  TCase *const render = tcase_create("render");
  tcase_add_loop_test(render, test_finding_is_rendered, 0, COUNT_OF(render_cases));
  tcase_add_test(render, test_rendering_is_cut_to_the_buffer);
  tcase_add_test(render, test_length_is_told_without_a_buffer);
  suite_add_tcase(suite, render);
  TCase *const status = tcase_create("status");
  tcase_add_test(status, test_each_status_has_a_name_of_its_own);
  tcase_add_test(status, test_version_is_three_numbers);
  suite_add_tcase(suite, status);
  return suite;
}
