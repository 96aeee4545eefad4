/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sensitivities are shown, of parameters made by hand. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "subjects.h"
#include "suites.h"

enum { PARAMETERS = 8 };

static dsm_workload network;
static const dsm_workload *const networks[] = {&network};
static dsm_system *system_made;
static dsm_elasticity made;

#define NUMBER(value)                                                                              \
  { .kind = DSM_SETTING_NUMBER, .number = (value) }
/* The step takes 1 ms, or so much of it. */
#define TIME(ratio)                                                                                \
  {                                                                                                \
    .time_ratio = (ratio), .step_cycles = 1e6 * (ratio), .step_seconds = 1e-3 * (ratio),           \
    .utilization = 0.5 / (ratio)                                                                   \
  }

static const dsm_response now = TIME(1);
static const dsm_response responses[PARAMETERS] = {
    TIME(0.875),
    TIME(0.8),
    TIME(0.97),
    TIME(0.99999),
    TIME(1),
    TIME(1),
    {.why_not = "expected a number from 1e-6 to 1, found 1.1"},
    {.why_not = "10 % less than 0 is 0"},
};
static const dsm_variation variations[PARAMETERS] = {
    {DSM_VARIATION_LOWERED, NUMBER(900.0000000000001), 0.9, &responses[0]},
    {DSM_VARIATION_RAISED, NUMBER(5), 1.25, &responses[1]},
    {DSM_VARIATION_RAISED, NUMBER(211.20000000000002), 1.1, &responses[2]},
    {DSM_VARIATION_LOWERED, NUMBER(1234567.8), 0.9, &responses[3]},
    {DSM_VARIATION_LOWERED, NUMBER(1.8), 0.9, &responses[4]},
    {DSM_VARIATION_LOWERED, NUMBER(0.1125), 0.9, &responses[5]},
    {DSM_VARIATION_RAISED, NUMBER(1.1), 1.1, &responses[6]},
    {DSM_VARIATION_LOWERED, {.kind = DSM_SETTING_NONE}, 0.9, &responses[7]},
};

#define RAISED(value)                                                                              \
  { DSM_ELASTICITY_BASIS_RAISED, value }
#define LOWERED(value)                                                                             \
  { DSM_ELASTICITY_BASIS_LOWERED, value }
static const dsm_slope slopes[PARAMETERS] = {
    LOWERED(1.267), RAISED(-1), RAISED(-0.320), LOWERED(0.0001), LOWERED(0), LOWERED(0),
};

#define PARAMETER(index, name, unit_name, value, is_less_better)                                   \
  {                                                                                                \
    .path = (name), .unit = (unit_name), .source = "assumption", .setting = NUMBER(value),         \
    .variations = &variations[index], .variation_count = 1, .slopes = &slopes[index],              \
    .is_lower_better = (is_less_better)                                                            \
  }
static const dsm_varied_parameter parameters[PARAMETERS] = {
    PARAMETER(0, "array.startup_cycles", "cycles", 1000, true),
    PARAMETER(1, "system.chips_x", "chips", 4, false),
    PARAMETER(2, "chip.memory.bandwidth_GBps", "10^9 bytes/s", 192, false),
    PARAMETER(3, "model.rotate_memory_bytes", "bytes/byte", 1371742, true),
    PARAMETER(4, "model.bptt_resident_copies", "copies", 2, true),
    PARAMETER(5, "model.relu_mask_bytes", "bytes/element", 0.125, true),
    PARAMETER(6, "chip.memory.efficiency_ratio", "ratio", 1, false),
    PARAMETER(7, "model.partial_sum_bytes", "bytes", 0, true),
};

static void set_up(void) {
  system_made = load_bundled_system("torus16");
  network = (dsm_workload){.name = "net", .minibatch = 1024};
  made = (dsm_elasticity){.system = system_made,
                          .workloads = networks,
                          .workload_count = 1,
                          .references = &now,
                          .choice = DSM_VARIATIONS_TENTH_BETTER,
                          .parameters = parameters,
                          .parameter_count = PARAMETERS};
  dsm_explore_options_init(&made.options);
}

static void tear_down(void) {
  dsm_system_free(system_made);
}

#define HEAD                                                                                       \
  "net on torus16: training, minibatch 1,024, 4 x 4 chips, peak 2.1 PFLOP/s\n"                     \
  "\n"                                                                                             \
  "step time    1.0000 ms\n"                                                                       \
  "utilization  50.00 %\n"                                                                         \
  "\n"
#define MORE "10 % more of each parameter, or less where less is better, by elasticity\n"
#define TAIL                                                                                       \
  "\n"                                                                                             \
  "No effect: model.bptt_resident_copies, model.relu_mask_bytes.\n"                                \
  "\n"                                                                                             \
  "Not possible:\n"                                                                                \
  "- chip.memory.efficiency_ratio: expected a number from 1e-6 to 1, found 1.1\n"                  \
  "- model.partial_sum_bytes: 10 % less than 0 is 0\n"

START_TEST(test_the_table_by_hand) {
  char *const text = dsm_report_sensitivity_table(&made, plain_style(95));
  expect_tidy(text);
  static const char expected[] = HEAD MORE
      "parameter                   better    value    tried  change %  step %  elast.  util %\n"
      "array.startup_cycles        less       1000      900       -10  -12.50  +1.267    57.1\n"
      "system.chips_x              more          4        5       +25  -20.00  -1.000    62.5\n"
      "chip.memory.bandwidth_GBps  more        192    211.2       +10   -3.00  -0.320    51.5\n"
      "model.rotate_memory_bytes   less    1371742  1234570       -10   -0.00  +0.000    50.0\n"
      "\n"
      "Each with the best mapping then. Counts grow to the nearest whole number, at least by one:\n"
      "  their steps are larger, their elasticities compare. step %: change of the step's time;\n"
      "  elast.: its elasticity, ln(time then / time now) / ln(tried / value); util %: "
      "utilization\n"
      "  then.\n" TAIL;
  ck_assert_str_eq(text, expected);
  free(text);
}
END_TEST

START_TEST(test_names_outlive_units_in_a_narrow_table) {
  char *const text = dsm_report_sensitivity_table(&made, plain_style(80));
  static const char expected[] =
      HEAD MORE "parameter                     value    tried  change %  step %  elast.  util %\n"
                "array.startup_cycles           1000      900       -10  -12.50  +1.267    57.1\n";
  ck_assert_int_eq(strncmp(text, expected, sizeof expected - 1), 0);
  free(text);
}
END_TEST

/* Where nothing matters there is no table. */
START_TEST(test_what_has_no_effect_has_no_row) {
  made.parameters = &parameters[4];
  made.parameter_count = 2;
  made.options.mode = DSM_MODE_INFERENCE;
  char *const text = dsm_report_sensitivity_table(&made, plain_style(100));
  ck_assert_str_eq(text,
                   "net on torus16: inference, minibatch 1,024, 4 x 4 chips, peak 2.1 PFLOP/s\n"
                   "\n"
                   "latency      1.0000 ms\n"
                   "utilization  50.00 %\n"
                   "\n"
                   "No effect: model.bptt_resident_copies, model.relu_mask_bytes.\n");
  free(text);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = dsm_report_sensitivity_table(&made, plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  expect_same_without_color(
      dsm_report_sensitivity_table(&made, (dsm_table_style){.width = 80, .color = true}),
      dsm_report_sensitivity_table(&made, plain_style(80)));
}
END_TEST

/* ---- for programs ---- */

static const cJSON *at(const cJSON *value, const char *key) {
  const cJSON *const found = cJSON_GetObjectItemCaseSensitive(value, key);
  ck_assert_msg(found != NULL, "no %s", key);
  return found;
}

START_TEST(test_json_has_every_parameter) {
  made.options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
  made.options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  char *const text = dsm_report_sensitivity_json(&made);
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_str_eq(at(root, "format")->valuestring, "dsm-sensitivity/1");
  ck_assert_str_eq(at(root, "workload")->valuestring, "net");
  ck_assert_str_eq(at(root, "system")->valuestring, "torus16");
  ck_assert_double_eq(at(root, "minibatch")->valuedouble, 1024);
  ck_assert_double_eq(at(root, "step_seconds")->valuedouble, 1e-3);
  const cJSON *const list = at(root, "parameters");
  ck_assert_int_eq(cJSON_GetArraySize(list), PARAMETERS);
  for (int p = 0; p < PARAMETERS; p++) {
    const cJSON *const entry = cJSON_GetArrayItem(list, p);
    ck_assert_str_eq(at(entry, "path")->valuestring, parameters[p].path);
    ck_assert_str_eq(at(entry, "unit")->valuestring, parameters[p].unit);
    ck_assert_int_eq(cJSON_HasObjectItem(entry, "why_not"), responses[p].why_not != NULL);
    ck_assert_int_eq(cJSON_HasObjectItem(entry, "time_ratio"), responses[p].why_not == NULL);
  }
  static const char *const fragments[] = {
      "\"mode\": \"training\",",
      "\"optimizations\": [\"dysm\"],",
      "\"parallelisms\": [\"model\"],",
      "{\"path\": \"system.chips_x\", \"unit\": \"chips\", \"better\": \"more\", \"value\": 4,",
      "\"tried\": 5, \"factor\": 1.25, \"time_ratio\": 0.8, \"elasticity\": -1,",
      "\"step_cycles\": 800000, \"step_seconds\": 0.0008, \"utilization\": 0.625}",
      "\"value\": 2, \"tried\": 1.8, \"factor\": 0.9, \"time_ratio\": 1, \"elasticity\": 0,",
      "\"value\": 1, \"tried\": 1.1, \"factor\": 1.1, \"why_not\": \"expected",
      "\"value\": 0, \"why_not\": \"10 % less than 0 is 0\"}",
  };
  for (int i = 0; i < COUNT_OF(fragments); i++) {
    ck_assert_msg(strstr(text, fragments[i]) != NULL, "no %s in %s", fragments[i], text);
  }
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_csv_has_a_row_for_each_parameter) {
  static const char *const titles[] = {
      "workload",    "system",       "mode",        "minibatch", "path",       "unit",
      "better",      "value",        "tried",       "factor",    "time_ratio", "elasticity",
      "step_cycles", "step_seconds", "utilization", "why_not",   NULL,
  };
  char *const text = dsm_report_sensitivity_csv(&made);
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  ck_assert_uint_eq(table.row_count, PARAMETERS);
  ck_assert_str_eq(csv_at(&table, 0, "mode"), "training");
  ck_assert_double_eq(csv_number_at(&table, 2, "tried"), 211.20000000000002);
  ck_assert_double_eq(csv_number_at(&table, 2, "time_ratio"), 0.97);
  ck_assert_double_eq(csv_number_at(&table, 2, "elasticity"), -0.320);
  ck_assert_str_eq(csv_at(&table, 0, "better"), "less");
  ck_assert_str_eq(csv_at(&table, 2, "better"), "more");
  ck_assert_str_eq(csv_at(&table, 2, "why_not"), "");
  ck_assert_str_eq(csv_at(&table, 6, "time_ratio"), "");
  ck_assert_double_eq(csv_number_at(&table, 6, "tried"), 1.1);
  ck_assert_str_eq(csv_at(&table, 7, "tried"), "");
  ck_assert_str_eq(csv_at(&table, 7, "factor"), "");
  ck_assert_str_eq(csv_at(&table, 7, "why_not"), "10 % less than 0 is 0");
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_sensitivity_report(void) {
  Suite *const suite = suite_create("sensitivity_report");
  TCase *const core = tcase_create("core");
  tcase_add_checked_fixture(core, set_up, tear_down);
  tcase_add_test(core, test_the_table_by_hand);
  tcase_add_test(core, test_names_outlive_units_in_a_narrow_table);
  tcase_add_test(core, test_what_has_no_effect_has_no_row);
  tcase_add_test(core, test_no_line_is_wider_than_the_page);
  tcase_add_test(core, test_colour_adds_only_escapes);
  tcase_add_test(core, test_json_has_every_parameter);
  tcase_add_test(core, test_csv_has_a_row_for_each_parameter);
  suite_add_tcase(suite, core);
  return suite;
}
