/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_diff_report.c: a difference made by hand, in every form. */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/diff.h"
#include "reading.h"
#include "subjects.h"

static const dsm_input_difference inputs[] = {
    {"system.core.scratchpad_MiB", "1", "0.5"},
    {"workload.source", NULL, "\"a \\\"book\\\", page 1\""},
    {"workload.layers.gone", "{\"name\":\"gone\"}", NULL},
};
static const dsm_layer_drift layers[] = {{"gone", DSM_PRESENCE_MISSING, 0},
                                         {"come1", DSM_PRESENCE_NEW, 0},
                                         {"come2", DSM_PRESENCE_NEW, 0}};
static const dsm_decision_drift decisions[] = {
    {"conv1", DSM_PASS_FORWARD, "core_split", "in 2 ij 8", "none", 0},
    {"conv, \"2\"", DSM_PASS_COUNT, "dysm_factor", "1", "16", 0},
};
static const dsm_pass_difference passes[] = {
    {.layer = "gone",
     .pass = DSM_PASS_UPDATE,
     .presence = DSM_PRESENCE_MISSING,
     .seconds = {3e-4, 0, -1, true},
     .cycles = {300000, 0, -1, true},
     .utilization = {0.25, 0, -1, true},
     .difference_seconds = -3e-4,
     .share = 1.5},
    {.layer = "conv1",
     .pass = DSM_PASS_FORWARD,
     .seconds = {1e-4, 2e-4, 1, true},
     .cycles = {100000, 200000, 1, true},
     .utilization = {0.5, 0.25, -0.5, true},
     .difference_seconds = 1e-4,
     .share = -0.5},
    {.layer = "come1",
     .pass = DSM_PASS_BACKWARD,
     .presence = DSM_PRESENCE_NEW,
     .seconds = {0, 2e-6, HUGE_VAL, true},
     .cycles = {0, 2000, HUGE_VAL, true},
     .utilization = {0, 0.75, HUGE_VAL, true},
     .difference_seconds = 2e-6,
     .share = -0.01},
};

/* 1 GHz: a cycle is a nanosecond. */
static const dsm_workload workload = {.name = "net", .minibatch = 64};
static const dsm_system one_machine = {.name = "one",
                                       .core = {.frequency_GHz = 1},
                                       .system = {.axis_count = 1, .axes = {{.chips = 1}}}};
static const dsm_plan before = {
    .workload = &workload,
    .system = &one_machine,
    .options = {.mode = DSM_MODE_TRAINING},
    .result =
        {.step_cycles = 1e6,
         .step_seconds = 1e-3,
         .samples_per_second = 64000,
         .utilization = 0.5,
         .ideal_cycles = 5e5,
         .cycles = {.primary = 6e5, .overlapped = 1e6, .overlapped_visible = 4e5, .total = 1e6},
         .memory = {.weights_bytes = 1e6, .total_bytes = 1e6, .capacity_bytes = 8e9}},
};
static const dsm_plan after = {
    .workload = &workload,
    .system = &one_machine,
    .options = {.mode = DSM_MODE_TRAINING},
    .result = {.step_cycles = 8e5,
               .step_seconds = 8e-4,
               .samples_per_second = 80000,
               .utilization = 0.625,
               .ideal_cycles = 5e5,
               .cycles = {.primary = 6e5,
                          .overlapped = 1e6,
                          .overlapped_visible = 1e5,
                          .auxiliary = 1e5,
                          .total = 8e5},
               .memory = {.weights_bytes = 1e6, .total_bytes = 2e6, .capacity_bytes = 8e9}},
};

static const dsm_diff different = {
    .a = &before,
    .b = &after,
    .is_different = true,
    .inputs = inputs,
    .input_count = COUNT_OF(inputs),
    .layers = layers,
    .layer_count = COUNT_OF(layers),
    .decisions = decisions,
    .decision_count = COUNT_OF(decisions),
    .passes = passes,
    .pass_count = COUNT_OF(passes),
    .difference_seconds = -2e-4,
};
static const dsm_diff same = {.a = &before, .b = &before};

static dsm_diffed shown(const dsm_diff *diff, size_t row_limit) {
  return (dsm_diffed){
      .a_file = "a.json", .b_file = "b.sqlite:3", .diff = diff, .row_limit = row_limit};
}

/* ---- the table ---- */

/* What stands behind the two headings. */
static const char *below_headings(const char *text) {
  const char *const line = strchr(text, '\n');
  ck_assert_int_eq(strncmp(text, "A  a.json: net on one: training, minibatch 64", 45), 0);
  ck_assert_int_eq(strncmp(line + 1, "B  b.sqlite:3: net on one: ", 27), 0);
  return strchr(line + 1, '\n') + 1;
}

/* Line by line: the whole is too long for a message of Check. */
static void expect_lines(const char *text, const char *expected) {
  line_list lines = lines_read(text);
  line_list wanted = lines_read(expected);
  for (size_t i = 0; i < lines.count && i < wanted.count; i++) {
    ck_assert_str_eq(lines.items[i], wanted.items[i]);
  }
  ck_assert_uint_eq(lines.count, wanted.count);
  lines_free(&wanted);
  lines_free(&lines);
}

START_TEST(test_the_table_shows_all_that_differs) {
  const dsm_diffed of = shown(&different, 0);
  char *const text = as_table(DSM_ANSWER(diff, &of), plain_style(200));
  expect_tidy(text);
  expect_lines(
      below_headings(text),
      "\n"
      "inputs\n"
      "  value                       A        B\n"
      "  system.core.scratchpad_MiB  1        0.5\n"
      "  workload.source             -        \"a \\\"book\\\", page 1\"\n"
      "  workload.layers.gone        present  -\n"
      "\n"
      "layers only in A\n"
      "  gone\n"
      "\n"
      "layers only in B\n"
      "  come1, come2\n"
      "\n"
      "decisions\n"
      "  layer      pass     decision     A          B\n"
      "  conv1      forward  core_split   in 2 ij 8  none\n"
      "  conv, \"2\"           dysm_factor  1          16\n"
      "\n"
      "time of layers and passes, the largest difference first\n"
      "  layer  pass      A (us)  B (us)  difference     change  share %  util % A     B\n"
      "  gone   update    300.00       -     -300.00  only in A    150.0      25.0     -\n"
      "  conv1  forward   100.00  200.00     +100.00  +100.00 %    -50.0      50.0  25.0\n"
      "  come1  backward       -    2.00       +2.00  only in B     -1.0         -  75.0\n"
      "\n"
      "where the time goes (ms)                        A        B  difference    change  share %\n"
      "busy                                      0.50000  0.50000           0       0 %      0.0\n"
      "array underuse                            0.10000  0.10000           0       0 %      0.0\n"
      "transfers that computation does not hide  0.40000  0.10000    -0.30000  -75.00 %    150.0\n"
      "auxiliary computation                     0.00000  0.10000    +0.10000       new    -50.0\n"
      "\n"
      "result                        A       B  difference     change\n"
      "step (ms)                1.0000  0.8000     -0.2000   -20.00 %\n"
      "samples per second       64,000  80,000     +16,000   +25.00 %\n"
      "utilization (%)          50.000  62.500     +12.500   +25.00 %\n"
      "memory used (MB a chip)  1.0000  2.0000     +1.0000  +100.00 %\n");
  free(text);
}
END_TEST

START_TEST(test_what_is_left_out_is_counted) {
  const dsm_diffed of = shown(&different, 1);
  char *const text = as_table(DSM_ANSWER(diff, &of), plain_style(200));
  line_list lines = lines_read(text);
  size_t at = lines_find(&lines, 0, "  system.core");
  ck_assert_str_eq(lines.items[at + 1], "  and 2 more; --all shows them");
  at = lines_find(&lines, at, "layers only in A");
  ck_assert_str_eq(lines.items[at + 1], "  gone");
  at = lines_find(&lines, at, "layers only in B");
  ck_assert_str_eq(lines.items[at + 1], "  come1 and 1 more; --all shows them");
  at = lines_find(&lines, at, "  conv1 ");
  ck_assert_str_eq(lines.items[at + 1], "  and 1 more; --all shows them");
  at = lines_find(&lines, at, "  gone ");
  ck_assert_str_eq(lines.items[at + 1],
                   "  and 2 more, together +102.00 us, -51.0 %; --all shows them");
  lines_free(&lines);
  free(text);
}
END_TEST

START_TEST(test_no_difference_is_said) {
  const dsm_diffed of = shown(&same, 0);
  char *const text = as_table(DSM_ANSWER(diff, &of), plain_style(100));
  ck_assert_str_eq(below_headings(text), "no difference\n");
  free(text);
}
END_TEST

/* Sections without a difference say so, and shares of no difference are none. */
START_TEST(test_a_difference_of_inputs_alone) {
  dsm_diff diff = different;
  diff.b = &before;
  diff.layer_count = 0;
  diff.decision_count = 0;
  diff.pass_count = 0;
  diff.difference_seconds = 0;
  const dsm_diffed of = shown(&diff, 0);
  char *const text = as_table(DSM_ANSWER(diff, &of), plain_style(100));
  line_list lines = lines_read(text);
  (void)lines_find(&lines, 0, "decisions  no difference");
  (void)lines_find(&lines, 0, "time       no difference");
  const size_t busy = lines_find(&lines, 0, "busy ");
  ck_assert_str_eq(strrchr(lines.items[busy], ' '), " -");
  lines_free(&lines);
  free(text);
}
END_TEST

START_TEST(test_the_table_fits_its_page) {
  static const size_t widths[] = {60, 80, 100, 140};
  const dsm_diffed of = shown(&different, 0);
  const dsm_table_style plain = plain_style(widths[_i]);
  const dsm_table_style colored = {.width = widths[_i], .color = true};
  char *const text = as_table(DSM_ANSWER(diff, &of), plain);
  if (widths[_i] >= 80) {
    expect_lines_fit(text, widths[_i]);
  }
  expect_same_without_color(as_table(DSM_ANSWER(diff, &of), colored), text);
}
END_TEST

/* ---- for programs ---- */

static double number_at(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
  return item->valuedouble;
}

static const char *string_at(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

START_TEST(test_json_has_all) {
  const dsm_diffed of = shown(&different, 1); /* which is for tables */
  char *const text = as_json(DSM_ANSWER(diff, &of));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_ptr_nonnull(root);
  const cJSON *const input = cJSON_GetObjectItem(root, "inputs")->child;
  ck_assert_double_eq(number_at(input, "b"), 0.5);
  ck_assert(!cJSON_HasObjectItem(input->next, "a"));
  ck_assert_str_eq(string_at(input->next, "b"), "a \"book\", page 1");
  ck_assert_str_eq(string_at(cJSON_GetObjectItem(input->next->next, "a"), "name"), "gone");
  const cJSON *const layer = cJSON_GetObjectItem(root, "layers")->child;
  ck_assert_str_eq(string_at(layer, "only_in"), "a");
  ck_assert_str_eq(string_at(layer->next, "only_in"), "b");
  const cJSON *const decision = cJSON_GetObjectItem(root, "decisions")->child;
  ck_assert_str_eq(string_at(decision, "pass"), "forward");
  ck_assert(!cJSON_HasObjectItem(decision->next, "pass"));
  const cJSON *const result = cJSON_GetObjectItem(root, "result");
  ck_assert_double_eq(number_at(cJSON_GetObjectItem(result, "step_seconds"), "difference"),
                      8e-4 - 1e-3);
  ck_assert_double_eq(
      number_at(cJSON_GetObjectItem(cJSON_GetObjectItem(result, "memory"), "total_bytes"),
                "change"),
      1);
  const cJSON *const parts = cJSON_GetObjectItem(root, "parts_seconds");
  const cJSON *const auxiliary = cJSON_GetObjectItem(parts, "auxiliary");
  ck_assert(cJSON_IsNull(cJSON_GetObjectItem(auxiliary, "change")));
  ck_assert_double_eq_tol(number_at(auxiliary, "share"), -0.5, 1e-12);
  const cJSON *const pass = cJSON_GetObjectItem(root, "passes")->child;
  ck_assert_str_eq(string_at(pass, "only_in"), "a");
  ck_assert_double_eq(number_at(pass, "share"), 1.5);
  ck_assert(!cJSON_HasObjectItem(pass->next, "only_in"));
  ck_assert_double_eq(number_at(cJSON_GetObjectItem(pass->next, "cycles"), "b"), 200000);
  ck_assert(cJSON_IsNull(
      cJSON_GetObjectItem(cJSON_GetObjectItem(pass->next->next, "seconds"), "change")));
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_shares_of_nothing_are_null) {
  const dsm_diffed of = shown(&same, 0);
  char *const text = as_json(DSM_ANSWER(diff, &of));
  cJSON *const root = cJSON_Parse(text);
  ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(root, "different")));
  const cJSON *const busy = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "parts_seconds"), "busy");
  ck_assert(cJSON_IsNull(cJSON_GetObjectItem(busy, "share")));
  ck_assert_double_eq(number_at(busy, "difference"), 0);
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_csv_has_a_row_for_each) {
  static const char *const titles[] = {"section", "layer",      "pass",   "name",  "a",
                                       "b",       "difference", "change", "share", NULL};
  enum { RESULTS = 17, PARTS = 13, FIGURES = 3 };
  const dsm_diffed of = shown(&different, 1);
  char *const text = as_csv(DSM_ANSWER(diff, &of));
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  ck_assert_uint_eq(table.row_count, COUNT_OF(inputs) + COUNT_OF(layers) + COUNT_OF(decisions) +
                                         RESULTS + PARTS + FIGURES * COUNT_OF(passes));
  ck_assert_str_eq(csv_at(&table, 1, "name"), "workload.source");
  ck_assert_str_eq(csv_at(&table, 1, "a"), "");
  ck_assert_str_eq(csv_at(&table, 1, "b"), "\"a \\\"book\\\", page 1\"");
  ck_assert_str_eq(csv_at(&table, 3, "a"), "present");
  ck_assert_str_eq(csv_at(&table, 3, "b"), "");
  ck_assert_str_eq(csv_at(&table, 4, "b"), "present");
  ck_assert_str_eq(csv_at(&table, 7, "layer"), "conv, \"2\"");
  ck_assert_str_eq(csv_at(&table, 8, "section"), "result");
  ck_assert_double_eq(csv_number_at(&table, 8, "b"), 8e-4);
  ck_assert_str_eq(csv_at(&table, 8, "share"), "");
  const size_t first = table.row_count - (size_t)(FIGURES * COUNT_OF(passes));
  ck_assert_str_eq(csv_at(&table, first, "name"), "seconds");
  ck_assert_double_eq(csv_number_at(&table, first, "share"), 1.5);
  ck_assert_str_eq(csv_at(&table, first + 6, "change"), "");
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_diff_report(void) {
  Suite *const suite = suite_create("diff_report");
  TCase *const cases = tcase_create("diff_report");
  tcase_add_test(cases, test_the_table_shows_all_that_differs);
  tcase_add_test(cases, test_what_is_left_out_is_counted);
  tcase_add_test(cases, test_no_difference_is_said);
  tcase_add_test(cases, test_a_difference_of_inputs_alone);
  tcase_add_loop_test(cases, test_the_table_fits_its_page, 0, 4);
  tcase_add_test(cases, test_json_has_all);
  tcase_add_test(cases, test_shares_of_nothing_are_null);
  tcase_add_test(cases, test_csv_has_a_row_for_each);
  suite_add_tcase(suite, cases);
  return suite;
}
