/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_check_report.c: a drift made by hand, in every form. */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/suggest.h"
#include "reading.h"
#include "subjects.h"

static const dsm_layer_drift layers[] = {{.layer = "gone", .presence = DSM_PRESENCE_MISSING},
                                         {.layer = "come", .presence = DSM_PRESENCE_NEW}};

/* At 1 GHz; at another clock before, seconds would not follow from cycles. */
static const dsm_pass_difference passes[] = {
    {.layer = "conv3",
     .pass = DSM_PASS_BACKWARD,
     .presence = DSM_PRESENCE_MISSING,
     .seconds = {54.321e-6, 0, -1, true},
     .cycles = {54321, 0, -1, true},
     .utilization = {0.25, 0, -1, true}},
    {.layer = "conv2",
     .pass = DSM_PASS_BACKWARD,
     .presence = DSM_PRESENCE_NEW,
     .seconds = {0, 12.345e-6, HUGE_VAL, true},
     .cycles = {0, 12345, HUGE_VAL, true},
     .utilization = {0, 0.75, HUGE_VAL, true}},
    {.layer = "conv1",
     .pass = DSM_PASS_FORWARD,
     .seconds = {1e-6, 1.25e-6, 0.25, true},
     .cycles = {1000, 1250, 0.25, true},
     .utilization = {0.5, 0.4, -0.2, true}},
    {.layer = "conv1",
     .pass = DSM_PASS_UPDATE,
     .seconds = {0, 40e-9, HUGE_VAL, true},
     .cycles = {0, 40, HUGE_VAL, true},
     .utilization = {0.5, 0.5, 0, false}},
};

static const dsm_decision_drift decisions[] = {
    {"conv1", DSM_PASS_FORWARD, "core_split", "in 2 ij 8", "none", 0},
    {"conv, \"2\"", DSM_PASS_COUNT, "dysm_factor", "1", "16", 0},
};

static const dsm_drift regressed = {
    .verdict = DSM_VERDICT_REGRESSED,
    .tolerance = 0.005,
    .workload = "net",
    .system = "machine",
    .mode = DSM_MODE_TRAINING,
    .minibatch_before = 256,
    .minibatch_after = 1024,
    .dsm_version_before = "0.0.7",
    .step_seconds = {0.010, 0.011, 0.1, true},
    .sample_seconds = {39.0625e-6, 10.7421875e-6, -0.725, true},
    .step_cycles = {20000000, 22000000, 0.1, true},
    .is_same_clock = true,
    .utilization = {0.5, 0.499, -0.002, false},
    .layers = layers,
    .layer_count = COUNT_OF(layers),
    .passes = passes,
    .pass_count = COUNT_OF(passes),
    .decisions = decisions,
    .decision_count = COUNT_OF(decisions),
};

static const dsm_drift same = {
    .workload = "net",
    .system = "machine",
    .tolerance = 0.005,
    .minibatch_before = 256,
    .minibatch_after = 256,
    .dsm_version_before = "",
    .step_seconds = {0.0125, 0.0125, 0, false},
    .utilization = {0.615, 0.615, 0, false},
};

static dsm_diags *diags;

static void set_up(void) {
  diags = dsm_diags_new(3);
  dsm_diags_append(diags, &(dsm_diag){.severity = DSM_SEVERITY_NOTE, .message = "by the way"});
  dsm_diags_append(diags, &(dsm_diag){.file = "c.json", .message = "expected <a>, found \"b\""});
}

static void tear_down(void) {
  dsm_diags_free(diags);
}

static void make_items(dsm_checked items[3]) {
  items[0] =
      (dsm_checked){.file = "a.json", .drift = &regressed, .is_failed = true, .seconds = 1.0625};
  items[1] = (dsm_checked){.file = "b.json", .drift = &same, .seconds = 0.25};
  items[2] = (dsm_checked){.file = "c.json",
                           .status = DSM_ERROR_INVALID,
                           .is_failed = true,
                           .seconds = 0,
                           .diags = diags};
}

/* ---- the table ---- */

START_TEST(test_the_table_shows_all_that_moved) {
  dsm_checked items[3];
  make_items(items);
  char *const text = as_table(DSM_ANSWERS(check, items, 3), plain_style(200));
  ck_assert_str_eq(
      text,
      "a.json: regressed (net on machine, training, minibatch 1,024: step 11.000 ms, utilization "
      "49.9 %)\n"
      "  minibatch       1,024, was 256\n"
      "  step              before    after    change\n"
      "  time (ms)        10.0000  11.0000  +10.00 %\n"
      "  a sample (us)    39.0625  10.7422  -72.50 %\n"
      "  utilization (%)    50.00    49.90   -0.20 %\n"
      "  missing layers  gone\n"
      "  new layers      come\n"
      "  layer  pass      cycles before   after    change  util % before  after    change\n"
      "  conv3  backward         54,321       -   missing           25.0      -   missing\n"
      "  conv2  backward              -  12,345       new              -   75.0       new\n"
      "  conv1  forward           1,000   1,250  +25.00 %           50.0   40.0  -20.00 %\n"
      "  conv1  update                0      40       new           50.0   50.0       0 %\n"
      "  layer      pass     decision     before     after\n"
      "  conv1      forward  core_split   in 2 ij 8  none\n"
      "  conv, \"2\"           dysm_factor  1          16\n"
      "b.json: ok (net on machine, training, minibatch 256: step 12.500 ms, utilization 61.5 %)\n"
      "c.json: invalid input\n"
      "3 baselines: 1 ok, 1 regressed, 1 not compared; 2 failed\n");
  expect_tidy(text);
  free(text);
}
END_TEST

START_TEST(test_times_stand_where_clocks_differ) {
  dsm_drift other_clock = regressed;
  other_clock.is_same_clock = false;
  const dsm_checked item = {.file = "a.json", .drift = &other_clock, .is_failed = true};
  char *const text = as_table(DSM_ANSWERS(check, &item, 1), plain_style(200));
  ck_assert_ptr_nonnull(strstr(text, "us before"));
  ck_assert_ptr_nonnull(strstr(text, "  conv1  forward       1.000   1.250  +25.00 % "));
  ck_assert_ptr_null(strstr(text, "cycles"));
  free(text);
  char *const json = as_json(DSM_ANSWERS(check, &item, 1));
  ck_assert_ptr_nonnull(strstr(json, "\"seconds\""));
  ck_assert_ptr_null(strstr(json, "cycles\""));
  free(json);
  char *const csv = as_csv(DSM_ANSWERS(check, &item, 1));
  ck_assert_ptr_nonnull(strstr(csv, ",seconds,"));
  ck_assert_ptr_null(strstr(csv, "cycles,"));
  free(csv);
}
END_TEST

START_TEST(test_lists_are_cut_and_what_is_left_out_is_counted) {
  const dsm_checked item = {
      .file = "a.json", .drift = &regressed, .is_failed = true, .row_limit = 1};
  char *const text = as_table(DSM_ANSWERS(check, &item, 1), plain_style(200));
  ck_assert_ptr_nonnull(strstr(text, "  conv3  backward"));
  ck_assert_ptr_null(strstr(text, "conv2"));
  ck_assert_ptr_nonnull(strstr(text, "\n  and 3 more; --all shows them\n"));
  ck_assert_ptr_nonnull(strstr(text, "\n  and 1 more; --all shows them\n"));
  ck_assert_ptr_null(strstr(text, "dysm_factor"));
  free(text);
  char *const junit = dsm_answer_print(DSM_ANSWERS(check, &item, 1), DSM_FORM_JUNIT, NULL);
  ck_assert_ptr_nonnull(strstr(junit, "and 3 more; --all shows them"));
  free(junit);
}
END_TEST

START_TEST(test_color_adds_only_escapes) {
  dsm_checked items[3];
  make_items(items);
  expect_same_without_color(
      as_table(DSM_ANSWERS(check, items, 3), (dsm_table_style){.width = 90, .color = true}),
      as_table(DSM_ANSWERS(check, items, 3), plain_style(90)));
}
END_TEST

START_TEST(test_tables_fit_their_width) {
  dsm_checked items[3];
  make_items(items);
  static const size_t widths[] = {60, 80, 100};
  char *const text = as_table(DSM_ANSWERS(check, items, 1), plain_style(widths[_i]));
  const line_list lines = lines_read(text);
  for (size_t i = 1; i < lines.count; i++) { /* the first line has the names in full */
    ck_assert_uint_le(columns_of(lines.items[i]), widths[_i]);
  }
  line_list to_free = lines;
  lines_free(&to_free);
  free(text);
}
END_TEST

/* ---- JSON ---- */

static double number(const cJSON *object, const char *key, const char *part) {
  return cJSON_GetObjectItem(cJSON_GetObjectItem(object, key), part)->valuedouble;
}

START_TEST(test_json_has_every_figure_in_full) {
  dsm_checked items[3];
  make_items(items);
  char *const text = as_json(DSM_ANSWERS(check, items, 3));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_str_eq(cJSON_GetObjectItem(root, "format")->valuestring, "dsm-check/1");
  ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(root, "failed")));
  const cJSON *const first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "items"), 0);
  ck_assert_str_eq(cJSON_GetObjectItem(first, "verdict")->valuestring, "regressed");
  ck_assert_double_eq(number(first, "step_seconds", "before"), 0.010);
  ck_assert_double_eq(number(first, "step_seconds", "after"), 0.011);
  ck_assert_double_eq(number(first, "step_seconds", "change"), 0.1);
  ck_assert_double_eq(number(first, "minibatch", "before"), 256);
  const cJSON *const moved = cJSON_GetObjectItem(first, "passes");
  ck_assert_int_eq(cJSON_GetArraySize(moved), COUNT_OF(passes));
  const cJSON *const from_nothing = cJSON_GetObjectItem(cJSON_GetArrayItem(moved, 3), "cycles");
  ck_assert(cJSON_IsNull(cJSON_GetObjectItem(from_nothing, "change")));
  const cJSON *const changed = cJSON_GetObjectItem(first, "decisions");
  ck_assert_str_eq(cJSON_GetObjectItem(cJSON_GetArrayItem(changed, 0), "pass")->valuestring,
                   "forward");
  ck_assert_ptr_null(cJSON_GetObjectItem(cJSON_GetArrayItem(changed, 1), "pass"));
  const cJSON *const last = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "items"), 2);
  ck_assert_str_eq(cJSON_GetObjectItem(last, "status")->valuestring, "invalid input");
  ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(last, "findings")), 2);
  ck_assert_int_eq(cJSON_GetArraySize(last), 4);
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_json_of_what_passed_has_not_failed) {
  dsm_checked items[3];
  make_items(items);
  char *const text = as_json(DSM_ANSWERS(check, &items[1], 1));
  cJSON *const root = cJSON_Parse(text);
  ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(root, "failed")));
  cJSON_Delete(root);
  free(text);
}
END_TEST

/* ---- CSV ---- */

START_TEST(test_csv_has_a_row_for_whatever_moved) {
  static const char *const titles[] = {"file",   "status", "verdict", "layer",  "pass", "figure",
                                       "before", "after",  "change",  "beyond", NULL};
  dsm_checked items[3];
  make_items(items);
  char *const text = as_csv(DSM_ANSWERS(check, items, 3));
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  /* four figures, two layers, two passes on one side, two with three figures, two decisions; three
   * figures, since clocks differ; one that was not compared */
  ck_assert_uint_eq(table.row_count, 4 + 2 + 2 + 6 + 2 + 3 + 1);
  ck_assert_str_eq(csv_at(&table, 0, "figure"), "step_seconds");
  ck_assert_double_eq(csv_number_at(&table, 0, "change"), 0.1);
  ck_assert_str_eq(csv_at(&table, 4, "before"), "present");
  ck_assert_str_eq(csv_at(&table, 5, "after"), "present");
  ck_assert_str_eq(csv_at(&table, 11, "change"), ""); /* from nothing */
  ck_assert_str_eq(csv_at(&table, 15, "layer"), "conv, \"2\"");
  ck_assert_str_eq(csv_at(&table, 15, "pass"), "");
  ck_assert_str_eq(csv_at(&table, 15, "figure"), "dysm_factor");
  ck_assert_str_eq(csv_at(&table, 19, "status"), "invalid input");
  ck_assert_str_eq(csv_at(&table, 19, "verdict"), "");
  csv_free(&table);
  free(text);
}
END_TEST

/* ---- JUnit ---- */

START_TEST(test_junit_counts_and_times) {
  dsm_checked items[3];
  make_items(items);
  char *const text = dsm_answer_print(DSM_ANSWERS(check, items, 3), DSM_FORM_JUNIT, NULL);
  ck_assert_ptr_nonnull(
      strstr(text, "<testsuites name=\"dsm check\" tests=\"3\" failures=\"1\" errors=\"1\" "
                   "time=\"1.313\">\n"));
  ck_assert_ptr_nonnull(
      strstr(text, "<testcase name=\"b.json\" classname=\"dsm.check\" time=\"0.250\">\n"));
  ck_assert_ptr_nonnull(
      strstr(text, "<failure type=\"regressed\" message=\"step time +10.00 %, utilization -0.20 %, "
                   "tolerance 0.5 %; time of a sample -72.50 %; 2 layers on one side only; 4 "
                   "passes beyond it; 2 decisions "
                   "changed\">a.json: regressed"));
  ck_assert_ptr_nonnull(strstr(
      text, "<error type=\"invalid input\" message=\"expected &lt;a&gt;, found &quot;b&quot;\">"));
  free(text);
}
END_TEST

static const struct {
  double seconds;
  const char *shown;
} times[] = {{0, "\"0.000\""},      {0.0004, "\"0.000\""},      {0.0005, "\"0.001\""},
             {0.9996, "\"1.000\""}, {12345.5, "\"12345.500\""}, {-1, "\"0.000\""}};

START_TEST(test_junit_times_have_milliseconds) {
  const dsm_checked item = {.file = "b.json", .drift = &same, .seconds = times[_i].seconds};
  char *const text = dsm_answer_print(DSM_ANSWERS(check, &item, 1), DSM_FORM_JUNIT, NULL);
  const char *const found = strstr(text, "time=");
  ck_assert_ptr_nonnull(found);
  ck_assert_mem_eq(found + strlen("time="), times[_i].shown, strlen(times[_i].shown));
  free(text);
}
END_TEST

Suite *suite_check_report(void) {
  Suite *const suite = suite_create("check_report");
  TCase *const all = tcase_create("forms");
  tcase_add_checked_fixture(all, set_up, tear_down);
  tcase_add_test(all, test_the_table_shows_all_that_moved);
  tcase_add_test(all, test_times_stand_where_clocks_differ);
  tcase_add_test(all, test_lists_are_cut_and_what_is_left_out_is_counted);
  tcase_add_test(all, test_color_adds_only_escapes);
  tcase_add_loop_test(all, test_tables_fit_their_width, 0, 3);
  tcase_add_test(all, test_json_has_every_figure_in_full);
  tcase_add_test(all, test_json_of_what_passed_has_not_failed);
  tcase_add_test(all, test_csv_has_a_row_for_whatever_moved);
  tcase_add_test(all, test_junit_counts_and_times);
  tcase_add_loop_test(all, test_junit_times_have_milliseconds, 0, COUNT_OF(times));
  suite_add_tcase(suite, all);
  return suite;
}
