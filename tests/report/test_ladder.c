/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "subjects.h"

#define RUNG_COUNT 3

/* Three plans of 4, 2 and 1.6 ms: the gains are 2 and 1.25, over the first 2 and 2.5. */
static subject made;
static dsm_plan plans[RUNG_COUNT];
static dsm_ladder_rung rungs[RUNG_COUNT];

static void set_up(void) {
  static const char *const names[] = {"none", "hybrid", "another"};
  static const double seconds[] = {4e-3, 2e-3, 1.6e-3};
  static const double utilizations[] = {0.25, 0.5, 0.625};
  made = subject_explore(&(exploration){"raider", "torus16", "64", DSM_MODE_TRAINING});
  for (int i = 0; i < RUNG_COUNT; i++) {
    plans[i] = *made.plan;
    plans[i].options.optimizations = i == 0 ? 0 : DSM_OPTIMIZATION_ALL;
    plans[i].result.step_seconds = seconds[i];
    plans[i].result.samples_per_second = 64 / seconds[i];
    plans[i].result.utilization = utilizations[i];
    rungs[i] = (dsm_ladder_rung){.name = names[i],
                                 .plan = &plans[i],
                                 .system = plans[i].system->name,
                                 .optimizations = plans[i].options.optimizations};
  }
}

static void tear_down(void) {
  subject_free(&made);
}

START_TEST(test_table_shows_times_and_gains) {
  char *const text = as_table(DSM_ANSWERS(ladder, rungs, RUNG_COUNT), plain_style(100));
  expect_tidy(text);
  ck_assert_str_eq(
      text, "raider on torus16: training, minibatch 64, 4 x 4 chips, peak 2.1 PFLOP/s\n"
            "\n"
            "rung       system   step (ms)  samples/s  util %    gain  over first\n"
            "none       torus16     4.0000     16,000    25.0              1.000x\n"
            "+ hybrid   torus16     2.0000     32,000    50.0  2.000x      2.000x\n"
            "+ another  torus16     1.6000     40,000    62.5  1.250x      2.500x\n"
            "\n"
            "Each rung adds one optimization to those above it; gain = speed-up over the rung "
            "before.\n");
  free(text);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWERS(ladder, rungs, RUNG_COUNT), plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

static double number_in(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
  return item->valuedouble;
}

START_TEST(test_json_has_all_of_the_contract) {
  static const char *const top[] = {"format", "workload", "mode", "minibatch", "rungs"};
  static const char *const keys[] = {"name",
                                     "system",
                                     "optimizations",
                                     "step_cycles",
                                     "step_seconds",
                                     "samples_per_second",
                                     "utilization",
                                     "lower_bound_cycles",
                                     "gain_over_previous",
                                     "gain_over_first"};
  char *const text = as_json(DSM_ANSWERS(ladder, rungs, RUNG_COUNT));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_int_eq(cJSON_GetArraySize(root), COUNT_OF(top));
  for (int i = 0; i < COUNT_OF(top); i++) {
    ck_assert_str_eq(cJSON_GetArrayItem(root, i)->string, top[i]);
  }
  ck_assert_str_eq(cJSON_GetArrayItem(root, 0)->valuestring, "dsm-ladder/1");
  const cJSON *const rung = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "rungs"), 2);
  ck_assert_int_eq(cJSON_GetArraySize(rung), COUNT_OF(keys));
  for (int i = 0; i < COUNT_OF(keys); i++) {
    ck_assert_str_eq(cJSON_GetArrayItem(rung, i)->string, keys[i]);
  }
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_json_has_the_plans_numbers) {
  char *const text = as_json(DSM_ANSWERS(ladder, rungs, RUNG_COUNT));
  cJSON *const root = cJSON_Parse(text);
  const cJSON *const list = cJSON_GetObjectItem(root, "rungs");
  ck_assert_int_eq(cJSON_GetArraySize(list), RUNG_COUNT);
  for (int i = 0; i < RUNG_COUNT; i++) {
    const cJSON *const rung = cJSON_GetArrayItem(list, i);
    const dsm_plan_result *const result = &plans[i].result;
    ck_assert_str_eq(cJSON_GetObjectItem(rung, "name")->valuestring, rungs[i].name);
    ck_assert_str_eq(cJSON_GetObjectItem(rung, "system")->valuestring, "torus16");
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(rung, "optimizations")),
                     i == 0 ? 0 : DSM_OPTIMIZATION_HOIST);
    ck_assert_double_eq(number_in(rung, "step_cycles"), result->step_cycles);
    ck_assert_double_eq(number_in(rung, "step_seconds"), result->step_seconds);
    ck_assert_double_eq(number_in(rung, "samples_per_second"), result->samples_per_second);
    ck_assert_double_eq(number_in(rung, "utilization"), result->utilization);
    ck_assert_double_eq(number_in(rung, "lower_bound_cycles"), result->lower_bound_cycles);
  }
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_gains_are_ratios_of_seconds) {
  static const double over_previous[] = {1, 2, 1.25};
  static const double over_first[] = {1, 2, 2.5};
  char *const json = as_json(DSM_ANSWERS(ladder, rungs, RUNG_COUNT));
  char *const csv = as_csv(DSM_ANSWERS(ladder, rungs, RUNG_COUNT));
  cJSON *const root = cJSON_Parse(json);
  csv_table table = csv_read(csv);
  for (int i = 0; i < RUNG_COUNT; i++) {
    const cJSON *const rung = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "rungs"), i);
    ck_assert_double_eq_tol(number_in(rung, "gain_over_previous"), over_previous[i], 1e-14);
    ck_assert_double_eq_tol(number_in(rung, "gain_over_first"), over_first[i], 1e-14);
    ck_assert_double_eq_tol(csv_number_at(&table, (size_t)i, "gain_over_previous"),
                            over_previous[i], 1e-14);
    ck_assert_double_eq_tol(csv_number_at(&table, (size_t)i, "gain_over_first"), over_first[i],
                            1e-14);
  }
  csv_free(&table);
  cJSON_Delete(root);
  free(csv);
  free(json);
}
END_TEST

START_TEST(test_csv_has_a_row_for_each_rung) {
  static const char *const titles[] = {"name",
                                       "system",
                                       "step_cycles",
                                       "step_seconds",
                                       "samples_per_second",
                                       "utilization",
                                       "lower_bound_cycles",
                                       "gain_over_previous",
                                       "gain_over_first",
                                       NULL};
  char *const text = as_csv(DSM_ANSWERS(ladder, rungs, RUNG_COUNT));
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  ck_assert_uint_eq(table.row_count, RUNG_COUNT);
  for (size_t i = 0; i < RUNG_COUNT; i++) {
    ck_assert_str_eq(csv_at(&table, i, "name"), rungs[i].name);
    ck_assert_str_eq(csv_at(&table, i, "system"), "torus16");
    ck_assert_double_eq(csv_number_at(&table, i, "step_cycles"), plans[i].result.step_cycles);
    ck_assert_double_eq(csv_number_at(&table, i, "step_seconds"), plans[i].result.step_seconds);
    ck_assert_double_eq(csv_number_at(&table, i, "utilization"), plans[i].result.utilization);
  }
  csv_free(&table);
  free(text);
}
END_TEST

START_TEST(test_a_step_of_no_time_gains_nothing) {
  plans[1].result.step_seconds = 0;
  char *const csv = as_csv(DSM_ANSWERS(ladder, rungs, 2));
  csv_table table = csv_read(csv);
  ck_assert_double_eq(csv_number_at(&table, 1, "gain_over_previous"), 1);
  csv_free(&table);
  free(csv);
}
END_TEST

START_TEST(test_a_ladder_without_rungs_is_a_text) {
  char *const table = as_table(DSM_ANSWERS(ladder, NULL, 0), plain_style(80));
  char *const json = as_json(DSM_ANSWERS(ladder, NULL, 0));
  char *const csv = as_csv(DSM_ANSWERS(ladder, NULL, 0));
  expect_tidy(table);
  expect_tidy(json);
  expect_tidy(csv);
  free(table);
  free(json);
  free(csv);
}
END_TEST

Suite *suite_ladder(void) {
  Suite *const suite = suite_create("ladder");
  TCase *const ladder = tcase_create("ladder");
  tcase_add_checked_fixture(ladder, set_up, tear_down);
  tcase_add_test(ladder, test_table_shows_times_and_gains);
  tcase_add_test(ladder, test_no_line_is_wider_than_the_page);
  tcase_add_test(ladder, test_json_has_all_of_the_contract);
  tcase_add_test(ladder, test_json_has_the_plans_numbers);
  tcase_add_test(ladder, test_gains_are_ratios_of_seconds);
  tcase_add_test(ladder, test_csv_has_a_row_for_each_rung);
  tcase_add_test(ladder, test_a_step_of_no_time_gains_nothing);
  tcase_add_test(ladder, test_a_ladder_without_rungs_is_a_text);
  suite_add_tcase(suite, ladder);
  return suite;
}
