/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does not need a browser; the rest is in tests/page. */
#include "answers.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "report/ladder.h"
#include "report/page/web.h"
#include "subjects.h"

/* ---- whole pages ---- */

static void expect_whole(const char *text) {
  static const char end[] = "</html>\n";
  ck_assert_ptr_nonnull(text);
  ck_assert_int_eq(strncmp(text, "<!DOCTYPE html>\n", 16), 0);
  ck_assert_str_eq(text + strlen(text) - (sizeof end - 1), end);
  ck_assert_ptr_null(strstr(text, "=\"nan"));
  ck_assert_ptr_null(strstr(text, "=\"inf"));
  ck_assert_ptr_null(strstr(text, "=\"-9223372036854"));
}

START_TEST(test_every_bundled_plan_has_a_page) {
  const subject made = bundled_subject(_i);
  char *const text = as_page(DSM_ANSWER(plan_page, (&(dsm_plan_page){.plan = made.plan})));
  expect_whole(text);
  ck_assert_ptr_null(strstr(text, "id=\"ladder\""));
  ck_assert_ptr_null(strstr(text, "Not the best plan"));
  free(text);
}
END_TEST

/* Columns of decisions that no layer takes are left out; commands name the file without its folder.
 */
static const struct {
  const char *workload;
  bool has_dysm;
  bool has_pipeline;
} decisions[] = {{"vgg16", true, false}, {"gnmt", false, true}, {"raider", false, false}};

START_TEST(test_columns_follow_the_decisions) {
  subject made =
      subject_explore(&(exploration){decisions[_i].workload, "torus64", "256", DSM_MODE_TRAINING});
  char *const text =
      as_page(DSM_ANSWER(plan_page, (&(dsm_plan_page){.plan = made.plan, .file = "a/b/c.json"})));
  expect_whole(text);
  ck_assert_ptr_nonnull(strstr(text, "dsm score c.json"));
  ck_assert_int_eq(strstr(text, ">DySM</th>") != NULL, decisions[_i].has_dysm);
  ck_assert_int_eq(strstr(text, ">pipe</th>") != NULL, decisions[_i].has_pipeline);
  free(text);
  subject_free(&made);
}
END_TEST

START_TEST(test_a_rung_that_does_not_fit_says_so) {
  const subject made = bundled_subject(0);
  const dsm_ladder_rung rungs[] = {{.name = "none"}, {.name = "hybrid", .plan = made.plan}};
  char *const text = as_page(DSM_ANSWER(
      plan_page,
      (&(dsm_plan_page){.plan = made.plan, .best = made.plan, .rungs = rungs, .rung_count = 2})));
  expect_whole(text);
  ck_assert_ptr_nonnull(strstr(text, "does not fit"));
  ck_assert_ptr_nonnull(strstr(text, ">no mapping fits</text>"));
  ck_assert_ptr_nonnull(strstr(text, "+ hybrid</li>"));
  ck_assert_ptr_nonnull(strstr(text, "<title>hybrid: "));
  free(text);
}
END_TEST

/* Narrow bars have no numbers, and a cross where there is no result. */
START_TEST(test_a_ladder_of_many_rungs_is_drawn) {
  enum { MANY = 100 };
  const subject made = bundled_subject(0);
  dsm_ladder_rung rungs[MANY];
  for (size_t i = 0; i < MANY; i++) {
    rungs[i] = (dsm_ladder_rung){.name = "rung", .plan = i == 1 ? NULL : made.plan};
  }
  char *const text = as_page(DSM_ANSWER(
      plan_page, (&(dsm_plan_page){
                     .plan = made.plan, .best = made.plan, .rungs = rungs, .rung_count = MANY})));
  expect_whole(text);
  ck_assert_ptr_nonnull(strstr(text, ">\xC3\x97</text>"));
  ck_assert_ptr_null(strstr(text, "no mapping fits</text>"));
  free(text);
}
END_TEST

/* ---- gains ---- */

START_TEST(test_gains_pass_over_rungs_without_a_plan) {
  dsm_plan plans[3] = {{.result = {.step_seconds = 8}},
                       {.result = {.step_seconds = 4}},
                       {.result = {.step_seconds = 1}}};
  const dsm_ladder_rung rungs[] = {{.name = "a"},
                                   {.name = "b", .plan = &plans[0]},
                                   {.name = "c", .plan = &plans[1]},
                                   {.name = "d"},
                                   {.name = "e", .plan = &plans[2]}};
  static const double over_previous[] = {1, 1, 2, 1, 4};
  static const double over_first[] = {1, 1, 2, 1, 8};
  for (size_t i = 0; i < 5; i++) {
    const dsm__ladder_gains gains = dsm__ladder_gains_of(rungs, i);
    ck_assert_double_eq(gains.over_previous, over_previous[i]);
    ck_assert_double_eq(gains.over_first, over_first[i]);
  }
}
END_TEST

Suite *suite_web_page(void) {
  Suite *const suite = suite_create("web_page");
  TCase *const cases = tcase_create("all");
  tcase_add_unchecked_fixture(cases, bundled_set_up, NULL);
  tcase_add_loop_test(cases, test_every_bundled_plan_has_a_page, 0, BUNDLED_EXPLORATION_COUNT);
  tcase_add_loop_test(cases, test_columns_follow_the_decisions, 0, COUNT_OF(decisions));
  tcase_add_test(cases, test_a_rung_that_does_not_fit_says_so);
  tcase_add_test(cases, test_a_ladder_of_many_rungs_is_drawn);
  tcase_add_test(cases, test_gains_pass_over_rungs_without_a_plan);
  suite_add_tcase(suite, cases);
  return suite;
}
