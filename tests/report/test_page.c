/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>

#include "report/table/text_page.h"
#include "subjects.h"

static dsm__page page;

static void set_up(void) {
  page = dsm__page_begin(plain_style(20));
}

static void expect_page(const char *expected) {
  char *const text = dsm__page_finish(&page);
  ck_assert_str_eq(text, expected);
  free(text);
}

START_TEST(test_an_empty_page_is_an_empty_text) {
  expect_page("");
}
END_TEST

START_TEST(test_lines_are_wrapped_with_an_indent_of_two) {
  dsm__page_line(&page, DSM__STYLE_PLAIN, "twenty columns are too few");
  dsm__page_break(&page);
  expect_page("twenty columns are\n  too few\n\n");
}
END_TEST

START_TEST(test_labelled_lines_are_wrapped_beside_their_label) {
  dsm__page_labelled(&page, 8, "label", "one two three four");
  expect_page("label   one two\n        three four\n");
}
END_TEST

START_TEST(test_headings_follow_an_empty_line) {
  dsm__page_heading(&page, "%zu parts", (size_t)3);
  expect_page("\n3 parts\n");
}
END_TEST

START_TEST(test_items_of_a_list_are_separated) {
  const char *text = dsm__page_join(&page, "", ", ", "%s %d", "a", 1);
  ck_assert_str_eq(text, "a 1");
  text = dsm__page_join(&page, text, ", ", "%s", "b\033");
  ck_assert_str_eq(text, "a 1, b?");
  expect_page("");
}
END_TEST

START_TEST(test_texts_are_made_safe_for_a_terminal) {
  ck_assert_str_eq(dsm__page_text(&page, "%s-%d", "a\033b", 7), "a?b-7");
  expect_page("");
}
END_TEST

static const struct {
  dsm_loops split;
  const char *text;
} splits[] = {
    {{{1, 1, 1, 1, 1}}, "-"},
    {{{1, 2, 8, 1, 2}}, "out 2 ij 8 mb 2"},
    {{{4, 1, 1, 9, 1}}, "in 4 kij 9"},
    {{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
     "in 18446744073709551615 out 18446744073709551615 ij 18446744073709551615 "
     "kij 18446744073709551615 mb 18446744073709551615"},
};

START_TEST(test_a_split_names_what_is_split) {
  ck_assert_str_eq(dsm__page_split(&page, &splits[_i].split), splits[_i].text);
  expect_page("");
}
END_TEST

/* 64 chips x 32 cores x 16 x 8 PEs x 8 MACs x 2 operations x 2 GHz = 8.388608e15. */
START_TEST(test_the_heading_says_what_runs_where) {
  subject made = subject_explore(&(exploration){"raider", "torus64", "4096", DSM_MODE_INFERENCE});
  ck_assert_str_eq(
      dsm__page_plan_heading(&page, made.plan),
      "raider on torus64: inference, minibatch 4,096, 4 x 16 chips, peak 8.39 PFLOP/s");
  expect_page("");
  subject_free(&made);
}
END_TEST

/* 96 chips x 108 cores x 16 x 8 PEs x 8 MACs x 2 operations x 1.41 GHz = 2.994e16 with 16 bits; a
 * sixteenth of it with 32. */
START_TEST(test_the_peak_is_that_of_the_elements) {
  subject made = subject_explore(&(exploration){"raider", "dgx_a100", "4096", DSM_MODE_INFERENCE});
  const char *const heading = dsm__page_plan_heading(&page, made.plan);
  ck_assert_ptr_nonnull(strstr(heading, ", peak 29.9 PFLOP/s"));
  ck_assert_str_ne(dsm__page_peak_elements(made.plan->system), "");
  ck_assert_str_eq(dsm__page_axes(&page, made.plan->system), "gpu 8 (switch), node 12 (switch)");
  made.workload->element_type = DSM_ELEMENT_TYPE_FP32;
  ck_assert_ptr_nonnull(strstr(dsm__page_plan_heading(&page, made.plan), ", peak 1.87 PFLOP/s"));
  subject_free(&made);
}
END_TEST

Suite *suite_page(void) {
  Suite *const suite = suite_create("page");
  TCase *const texts = tcase_create("texts");
  tcase_add_checked_fixture(texts, set_up, NULL);
  tcase_add_test(texts, test_an_empty_page_is_an_empty_text);
  tcase_add_test(texts, test_lines_are_wrapped_with_an_indent_of_two);
  tcase_add_test(texts, test_labelled_lines_are_wrapped_beside_their_label);
  tcase_add_test(texts, test_headings_follow_an_empty_line);
  tcase_add_test(texts, test_items_of_a_list_are_separated);
  tcase_add_test(texts, test_texts_are_made_safe_for_a_terminal);
  tcase_add_loop_test(texts, test_a_split_names_what_is_split, 0, COUNT_OF(splits));
  tcase_add_test(texts, test_the_heading_says_what_runs_where);
  tcase_add_test(texts, test_the_peak_is_that_of_the_elements);
  suite_add_tcase(suite, texts);
  return suite;
}
