/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How elasticities are shown, of parameters made by hand. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "reading.h"
#include "subjects.h"
#include "suites.h"

enum { NETWORKS = 2, PARAMETERS = 8, TENTHS = 5 };

/* Two networks on one system. */
static dsm_workload networks[NETWORKS];
static const dsm_workload *const network_list[NETWORKS] = {&networks[0], &networks[1]};
static const dsm_response references[NETWORKS] = {
    {.time_ratio = 1, .step_cycles = 1e6, .step_seconds = 1e-3, .utilization = 0.5},
    {.time_ratio = 1, .step_cycles = 4e6, .step_seconds = 4e-3, .utilization = 0.25},
};
static dsm_elasticity made;
static const dsm_elasticity *const items[] = {&made, &made};

#define NUMBER(value)                                                                              \
  { .kind = DSM_SETTING_NUMBER, .number = (value) }
#define FLAG(value)                                                                                \
  { .kind = DSM_SETTING_FLAG, .number = (value) ? 1 : 0, .word = (value) ? "true" : "false" }
#define WORD(value)                                                                                \
  { .kind = DSM_SETTING_WORD, .word = (value) }
/* A time, as a ratio of the network's reference. */
#define TIME(network, ratio)                                                                       \
  {                                                                                                \
    .time_ratio = (ratio), .step_cycles = ((network) == 0 ? 1e6 : 4e6) * (ratio),                  \
    .step_seconds = ((network) == 0 ? 1e-3 : 4e-3) * (ratio),                                      \
    .utilization = ((network) == 0 ? 0.5 : 0.25) / (ratio)                                         \
  }

static const dsm_response faster[] = {TIME(0, 0.5), TIME(1, 1)};
static const dsm_response slower[] = {TIME(0, 2), TIME(1, 1)};
static const dsm_response hardly[] = {TIME(0, 1.0004), TIME(1, 1)};
static const dsm_response same[] = {TIME(0, 1), TIME(1, 1)};
static const dsm_response half[] = {TIME(0, 1.25), TIME(1, 0.8)};
static const dsm_response refused[] = {{.why_not = "too large"}, {.why_not = "too large"}};
static const dsm_response refused_once[] = {{.why_not = "nothing fits"}, TIME(1, 1.5)};

static const dsm_variation startups[] = {
    {DSM_VARIATION_HALVED, NUMBER(500), 0.5, faster},
    {DSM_VARIATION_DOUBLED, NUMBER(2000), 2, slower},
};
static const dsm_variation fractions[] = {
    {DSM_VARIATION_HALVED, NUMBER(0.375), 0.5, half},
    {DSM_VARIATION_DOUBLED, NUMBER(1.5), 2, refused},
};
static const dsm_variation moves[] = {
    {DSM_VARIATION_OTHER, WORD("always"), 0, half},
    {DSM_VARIATION_OTHER, WORD("exact"), 0, refused_once},
};
static const dsm_variation masks[] = {
    {DSM_VARIATION_HALVED, NUMBER(0.0625), 0.5, same},
    {DSM_VARIATION_DOUBLED, NUMBER(0.25), 2, hardly},
};
static const dsm_variation holdings[] = {{DSM_VARIATION_OTHER, FLAG(true), 0, same}};
static const dsm_variation sums[] = {
    {DSM_VARIATION_HALVED, {.kind = DSM_SETTING_NONE}, 0.5, refused},
    {DSM_VARIATION_DOUBLED, {.kind = DSM_SETTING_NONE}, 2, refused},
};
static const dsm_variation bytes[] = {
    {DSM_VARIATION_HALVED, {.kind = DSM_SETTING_NONE}, 0.5, faster},
    {DSM_VARIATION_DOUBLED, {.kind = DSM_SETTING_NONE}, 2, slower},
};

#define BOTH(value)                                                                                \
  { DSM_ELASTICITY_BASIS_BOTH, value }
static const dsm_slope of_startup[] = {BOTH(1), BOTH(0)};
static const dsm_slope of_fraction[] = {{DSM_ELASTICITY_BASIS_HALVED, -0.32192809},
                                        {DSM_ELASTICITY_BASIS_HALVED, 0.32192809}};
static const dsm_slope of_mask[] = {BOTH(0.0003), BOTH(0)};
static const dsm_slope none[] = {{.basis = DSM_ELASTICITY_BASIS_NONE},
                                 {.basis = DSM_ELASTICITY_BASIS_NONE}};

/* path, unit, source, free, less is better, value, default, variations, slopes, influence, software
 */
static const dsm_varied_parameter parameters[PARAMETERS] = {
    {"array.startup_cycles", "cycles", "assumption: no source", true, true, NUMBER(1000),
     NUMBER(1000), startups, 2, of_startup, 1, false},
    {"model.layout_move", "word", "assumption", true, false, WORD("none"), WORD("none"), moves, 2,
     none, 0.585, true},
    {"core.resident_weight_fraction", "ratio", "assumption, a \"guess\"", true, false, NUMBER(0.75),
     NUMBER(0.75), fractions, 2, of_fraction, 0.322, true},
    {"model.relu_mask_bytes", "bytes/element", "assumption", true, true, NUMBER(0.125),
     NUMBER(0.125), masks, 2, of_mask, 0.0006, true},
    {"model.prefer_holding", "flag", "assumption", true, false, FLAG(false), FLAG(false), holdings,
     1, none, 0, true},
    {"model.partial_sum_bytes", "bytes", "assumption", true, true, NUMBER(0), NUMBER(0), sums, 2,
     none, 0, true},
    {"workload.element_bytes",
     "bytes/element",
     "given",
     false,
     true,
     {.kind = DSM_SETTING_NONE},
     NUMBER(2),
     bytes,
     2,
     of_startup,
     1,
     false},
    {"system.topology",
     "word",
     "data sheet",
     false,
     false,
     WORD("torus_2d"),
     {.kind = DSM_SETTING_NONE},
     NULL,
     0,
     none,
     0,
     false},
};

/* ---- a tenth better, of the first network ---- */

static const dsm_response responses_of_tenth[TENTHS] = {
    TIME(0, 0.875),
    TIME(0, 0.8),
    TIME(0, 0.9999),
    {.why_not = "expected a number from 1e-6 to 1, found 1.1"},
    {.why_not = "10 % less than 0 is 0"},
};
static const dsm_variation tenths[TENTHS] = {
    {DSM_VARIATION_LOWERED, NUMBER(900.0000000000001), 0.9, &responses_of_tenth[0]},
    {DSM_VARIATION_RAISED, NUMBER(5), 1.25, &responses_of_tenth[1]},
    {DSM_VARIATION_LOWERED, NUMBER(0.1125), 0.9, &responses_of_tenth[2]},
    {DSM_VARIATION_RAISED, NUMBER(1.1), 1.1, &responses_of_tenth[3]},
    {DSM_VARIATION_LOWERED, {.kind = DSM_SETTING_NONE}, 0.9, &responses_of_tenth[4]},
};
static const dsm_slope slopes_of_tenth[TENTHS] = {
    {DSM_ELASTICITY_BASIS_LOWERED, 1.2673658},
    {DSM_ELASTICITY_BASIS_RAISED, -1},
    {DSM_ELASTICITY_BASIS_LOWERED, 0.00094917},
};

#define TENTH(index, name, free, less, value, of_it, software)                                     \
  {                                                                                                \
    .path = (name), .unit = "units", .source = "given", .is_free = (free),                         \
    .is_lower_better = (less), .setting = NUMBER(value), .variations = &tenths[index],             \
    .variation_count = 1, .slopes = &slopes_of_tenth[index], .influence = (of_it),                 \
    .is_software = (software)                                                                      \
  }
static const dsm_varied_parameter parameters_of_tenth[TENTHS] = {
    TENTH(0, "array.startup_cycles", false, true, 1000, 1.2673658, false),
    TENTH(1, "system.chips_x", true, false, 4, 1, false),
    TENTH(2, "model.relu_mask_bytes", true, true, 0.125, 0.00094917, true),
    TENTH(3, "chip.memory.efficiency_ratio", true, false, 1, 0, true),
    TENTH(4, "model.partial_sum_bytes", true, true, 0, 0, true),
};

static dsm_system *system_made;

static void set_up(void) {
  system_made = load_bundled_system("torus16");
  networks[0] = (dsm_workload){.name = "first", .minibatch = 256};
  networks[1] = (dsm_workload){.name = "second", .minibatch = 1024};
  made = (dsm_elasticity){.system = system_made,
                          .workloads = network_list,
                          .workload_count = NETWORKS,
                          .references = references,
                          .parameters = parameters,
                          .parameter_count = PARAMETERS};
  dsm_explore_options_init(&made.options);
}

static void tear_down(void) {
  dsm_system_free(system_made);
}

START_TEST(test_the_table_by_hand) {
  char *const text = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(100));
  expect_tidy(text);
  static const char expected[] =
      "torus16: what the time of a step depends on; training, all optimizations\n"
      "\n"
      "network  minibatch  step (ms)  util %\n"
      "first          256     1.0000    50.0\n"
      "second       1,024     4.0000    25.0\n"
      "\n"
      "Free parameters, the one that matters most first\n"
      "parameter             value  network elast. halved doubled  other time\n"
      "array.startup_cycles  1000   first   +1.000  0.500   2.000\n"
      "\n"
      "Given parameters, likewise\n"
      "parameter               value  network elast. halved doubled  other time\n"
      "workload.element_bytes  -      first   +1.000  0.500   2.000\n"
      "\n"
      "The same for assumptions about software and of the model, which cannot be bought\n"
      "parameter                      value  network  elast. halved doubled  other   time\n"
      "model.layout_move              none   first                           always 1.250\n"
      "                                      second                          always 0.800\n"
      "                                      second                          exact  1.500\n"
      "core.resident_weight_fraction  0.75   first   *-0.322  1.250       -\n"
      "                                      second  *+0.322  0.800       -\n"
      "\n"
      "halved, doubled, time: the step's time over that with the parameter as it is, each with "
      "the best\n"
      "  mapping; networks without a row change by less than 0.05 %. elast.: the elasticity of "
      "the time,\n"
      "  ln(doubled / halved) / ln 4; * only one side, because the other is not possible.\n"
      "\n"
      "No step changes by 0.05 % or more with: model.relu_mask_bytes.\n"
      "No step changes at all with: model.prefer_holding.\n"
      "\n"
      "Not possible:\n"
      "- model.layout_move exact, first: nothing fits\n"
      "- core.resident_weight_fraction doubled: too large\n"
      "- model.partial_sum_bytes: too large\n"
      "- system.topology: there is no other word\n"
      "\n"
      "All of them, in the same order:\n"
      "\n"
      "parameter                      value     unit           default\n"
      "array.startup_cycles           1000      cycles         1000\n"
      "    assumption: no source\n";
  ck_assert_uint_gt(strlen(text), sizeof expected - 1);
  text[sizeof expected - 1] = '\0';
  ck_assert_str_eq(text, expected);
  free(text);
}
END_TEST

static void make_tenths(void) {
  made.choice = DSM_VARIATIONS_TENTH_BETTER;
  made.workload_count = 1;
  made.parameters = parameters_of_tenth;
  made.parameter_count = TENTHS;
}

/* One list of hardware, whose order is that of the elasticities, whatever a parameter rests on. */
START_TEST(test_the_table_of_small_steps_by_hand) {
  make_tenths();
  char *const text = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(100));
  expect_tidy(text);
  ck_assert_str_eq(
      text,
      "torus16: what the time of a step depends on; training, all optimizations\n"
      "\n"
      "network  minibatch  step (ms)  util %\n"
      "first          256     1.0000    50.0\n"
      "\n"
      "10 % more of each number, or less where less is better, in the order of elasticity\n"
      "parameter             value  network elast.  tried  time\n"
      "array.startup_cycles  1000   first   +1.267  900   0.875\n"
      "system.chips_x        4      first   -1.000  5     0.800\n"
      "\n"
      "time: the step's time over that with the parameter as it is, each with the best mapping; "
      "networks\n"
      "  without a row change by less than 0.05 %. elast.: the elasticity of the time, ln(time) / "
      "ln(tried\n"
      "  / value). Rows are ranked by it because steps differ: counts grow to a whole number, by "
      "at "
      "least\n"
      "  one.\n"
      "\n"
      "No step changes by 0.05 % or more with: model.relu_mask_bytes.\n"
      "\n"
      "Not possible:\n"
      "- chip.memory.efficiency_ratio: expected a number from 1e-6 to 1, found 1.1\n"
      "- model.partial_sum_bytes: 10 % less than 0 is 0\n");
  free(text);
}
END_TEST

START_TEST(test_a_mapping_that_stays_is_named) {
  make_tenths();
  made.is_mapping_kept = true;
  char *const text = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(200));
  ck_assert_ptr_nonnull(strstr(
      text, "torus16: what the time of a step depends on while the mapping stays; training,"));
  ck_assert_ptr_nonnull(strstr(text, "as it is, with the plan's mapping;"));
  ck_assert_ptr_null(strstr(text, "best mapping"));
  free(text);
}
END_TEST

START_TEST(test_each_parameter_is_listed_with_its_source) {
  char *const text = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(100));
  line_list lines = lines_read(text);
  size_t at = lines_find(&lines, 0, "All of them");
  for (int p = 0; p < PARAMETERS; p++) {
    at = lines_find(&lines, at, parameters[p].path);
    ck_assert_str_eq(lines.items[at + 1] + 4, parameters[p].source);
  }
  lines_free(&lines);
  free(text);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWERS(elasticity, items, 2), plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  expect_same_without_color(
      as_table(DSM_ANSWERS(elasticity, items, 2), (dsm_table_style){.width = 80, .color = true}),
      as_table(DSM_ANSWERS(elasticity, items, 2), plain_style(80)));
}
END_TEST

START_TEST(test_options_are_named) {
  made.options.optimizations =
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DYSM);
  char *const some = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(100));
  ck_assert_ptr_nonnull(strstr(some, "depends on; training, hybrid, dysm\n"));
  made.options.mode = DSM_MODE_INFERENCE;
  made.options.optimizations = 0;
  char *const nothing = as_table(DSM_ANSWERS(elasticity, items, 1), plain_style(100));
  ck_assert_ptr_nonnull(strstr(nothing, "depends on; inference, no optimizations\n"));
  free(nothing);
  free(some);
}
END_TEST

/* ---- for programs ---- */

static const cJSON *at(const cJSON *value, const char *key) {
  const cJSON *const found = cJSON_GetObjectItemCaseSensitive(value, key);
  ck_assert_msg(found != NULL, "no %s", key);
  return found;
}

START_TEST(test_json_has_every_response) {
  char *const text = as_json(DSM_ANSWERS(elasticity, items, 2));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_str_eq(at(root, "format")->valuestring, "dsm-elasticity/1");
  ck_assert_int_eq(cJSON_GetArraySize(at(root, "items")), 2);
  const cJSON *const item = cJSON_GetArrayItem(at(root, "items"), 1);
  ck_assert_str_eq(at(item, "system")->valuestring, "torus16");
  ck_assert_str_eq(at(item, "mode")->valuestring, "training");
  ck_assert_double_eq(at(cJSON_GetArrayItem(at(item, "networks"), 1), "minibatch")->valuedouble,
                      1024);
  const cJSON *const list = at(item, "parameters");
  ck_assert_int_eq(cJSON_GetArraySize(list), PARAMETERS);
  for (int p = 0; p < PARAMETERS; p++) {
    const cJSON *const entry = cJSON_GetArrayItem(list, p);
    ck_assert_str_eq(at(entry, "path")->valuestring, parameters[p].path);
    ck_assert_str_eq(at(entry, "unit")->valuestring, parameters[p].unit);
    ck_assert_str_eq(at(entry, "source")->valuestring, parameters[p].source);
    ck_assert_int_eq(cJSON_IsTrue(at(entry, "is_free")), parameters[p].is_free);
    ck_assert_int_eq(cJSON_IsTrue(at(entry, "is_software")), parameters[p].is_software);
    ck_assert_double_eq(at(entry, "influence")->valuedouble, parameters[p].influence);
    ck_assert_int_eq(cJSON_GetArraySize(at(entry, "elasticities")), NETWORKS);
    ck_assert_int_eq(cJSON_GetArraySize(at(entry, "variations")),
                     (int)parameters[p].variation_count);
    for (size_t v = 0; v < parameters[p].variation_count; v++) {
      const cJSON *const variation = cJSON_GetArrayItem(at(entry, "variations"), (int)v);
      ck_assert_int_eq(cJSON_GetArraySize(at(variation, "responses")), NETWORKS);
    }
  }
  cJSON_Delete(root);
  free(text);
}
END_TEST

START_TEST(test_json_values_have_their_kinds) {
  char *const text = as_json(DSM_ANSWERS(elasticity, items, 1));
  static const char *const fragments[] = {
      "\"value\": 1000,",
      "\"value\": \"none\",",
      "\"value\": false,",
      "\"value\": null,",
      "\"default\": 0.125,",
      "\"source\": \"assumption, a \\\"guess\\\"\",",
      "{\"workload\": \"first\", \"basis\": \"halved\", \"elasticity\": -0.32192809}",
      "{\"workload\": \"second\", \"basis\": \"none\"}",
      "{\"workload\": \"first\", \"why_not\": \"nothing fits\"}",
      "{\"workload\": \"first\", \"time_ratio\": 2, \"step_cycles\": 2000000,",
      "\"step_seconds\": 0.002, \"utilization\": 0.25}",
  };
  for (int i = 0; i < COUNT_OF(fragments); i++) {
    ck_assert_msg(strstr(text, fragments[i]) != NULL, "no %s", fragments[i]);
  }
  free(text);
}
END_TEST

START_TEST(test_json_says_which_direction_is_better) {
  make_tenths();
  made.options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  made.is_mapping_kept = true;
  char *const text = as_json(DSM_ANSWERS(elasticity, items, 1));
  static const char *const fragments[] = {
      "\"mapping\": \"kept\",",
      "\"parallelisms\": [\"model\"],",
      "\"value\": 1000,\n          \"unit\": \"units\",\n          \"better\": \"less\",",
      "\"value\": 4,\n          \"unit\": \"units\",\n          \"better\": \"more\",",
      "\"basis\": \"lowered\", \"elasticity\": 1.2673658}",
      "\"basis\": \"raised\", \"elasticity\": -1}",
      "\"kind\": \"lowered\",",
      "\"kind\": \"raised\",\n              \"value\": 5,\n              \"factor\": 1.25,",
      "{\"workload\": \"first\", \"why_not\": \"10 % less than 0 is 0\"}",
  };
  for (int i = 0; i < COUNT_OF(fragments); i++) {
    ck_assert_msg(strstr(text, fragments[i]) != NULL, "no %s in %s", fragments[i], text);
  }
  free(text);
}
END_TEST

/* Of flags and words none is. */
START_TEST(test_csv_says_which_direction_is_better) {
  static const char *const words[PARAMETERS] = {"less", "", "more", "less", "", "less", "less", ""};
  char *const text = as_csv(DSM_ANSWERS(elasticity, items, 1));
  csv_table table = csv_read(text);
  size_t row = 0;
  for (int p = 0; p < PARAMETERS; p++) {
    ck_assert_str_eq(csv_at(&table, row, "path"), parameters[p].path);
    ck_assert_str_eq(csv_at(&table, row, "better"), words[p]);
    row += NETWORKS * (parameters[p].variation_count == 0 ? 1 : parameters[p].variation_count);
  }
  csv_free(&table);
  free(text);
}
END_TEST

START_TEST(test_csv_has_a_row_for_each_response) {
  static const char *const titles[] = {
      "system",
      "workload",
      "mapping",
      "mode",
      "minibatch",
      "path",
      "value",
      "unit",
      "better",
      "default",
      "source",
      "is_free",
      "is_software",
      "influence",
      "basis",
      "elasticity",
      "variations.kind",
      "variations.value",
      "factor",
      "time_ratio",
      "step_cycles",
      "step_seconds",
      "utilization",
      "why_not",
      NULL,
  };
  char *const text = as_csv(DSM_ANSWERS(elasticity, items, 1));
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  /* five parameters with two variations, one with one, one with two again, one with none: a row */
  ck_assert_uint_eq(table.row_count, NETWORKS * (6 * 2 + 1 + 1));
  ck_assert_str_eq(csv_at(&table, 0, "path"), "array.startup_cycles");
  ck_assert_str_eq(csv_at(&table, 0, "mapping"), "explored");
  ck_assert_str_eq(csv_at(&table, 0, "mode"), "training");
  ck_assert_double_eq(csv_number_at(&table, 0, "variations.value"), 500);
  ck_assert_double_eq(csv_number_at(&table, 0, "time_ratio"), 0.5);
  ck_assert_double_eq(csv_number_at(&table, 0, "elasticity"), 1);
  ck_assert_str_eq(csv_at(&table, 4, "path"), "model.layout_move");
  ck_assert_str_eq(csv_at(&table, 4, "value"), "none");
  ck_assert_str_eq(csv_at(&table, 4, "elasticity"), "");
  ck_assert_str_eq(csv_at(&table, 4, "factor"), "");
  ck_assert_str_eq(csv_at(&table, 6, "why_not"), "nothing fits");
  ck_assert_str_eq(csv_at(&table, 6, "time_ratio"), "");
  const size_t last = table.row_count - 1;
  ck_assert_str_eq(csv_at(&table, last, "path"), "system.topology");
  ck_assert_str_eq(csv_at(&table, last, "workload"), "second");
  ck_assert_str_eq(csv_at(&table, last, "default"), "");
  ck_assert_str_eq(csv_at(&table, last, "variations.kind"), "");
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_elasticity_report(void) {
  Suite *const suite = suite_create("elasticity_report");
  TCase *const core = tcase_create("core");
  tcase_add_checked_fixture(core, set_up, tear_down);
  tcase_add_test(core, test_the_table_by_hand);
  tcase_add_test(core, test_the_table_of_small_steps_by_hand);
  tcase_add_test(core, test_a_mapping_that_stays_is_named);
  tcase_add_test(core, test_each_parameter_is_listed_with_its_source);
  tcase_add_test(core, test_no_line_is_wider_than_the_page);
  tcase_add_test(core, test_colour_adds_only_escapes);
  tcase_add_test(core, test_options_are_named);
  tcase_add_test(core, test_json_has_every_response);
  tcase_add_test(core, test_json_values_have_their_kinds);
  tcase_add_test(core, test_json_says_which_direction_is_better);
  tcase_add_test(core, test_csv_says_which_direction_is_better);
  tcase_add_test(core, test_csv_has_a_row_for_each_response);
  suite_add_tcase(suite, core);
  return suite;
}
