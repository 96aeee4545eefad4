/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "reading.h"
#include "report/explain_view.h"
#include "subjects.h"

static size_t two_layers[] = {MADE_BETWEEN, MADE_LOADED};
static size_t all_layers[] = {MADE_HELD,    MADE_BETWEEN, MADE_STAGE_1,
                              MADE_STAGE_2, MADE_PRODUCT, MADE_LOADED};

static dsm_system *machine;
static dsm_plan *plan; /* its step takes 1000 cycles */
static dsm__page page;

static void set_up(void) {
  machine = load_bundled_system("torus16");
  plan = made_plan(machine);
  page = dsm__page_begin(plain_style(100));
}

static void tear_down(void) {
  free(dsm__page_finish(&page));
  dsm_system_free(machine);
}

/* ---- one value ---- */

#define HELD .decision = DSM_DECISION_OUTPUT_HELD
#define FACTOR .decision = DSM_DECISION_DYSM_FACTOR
#define PIPELINED .decision = DSM_DECISION_PIPELINED

static const struct {
  dsm_what_if what_if;
  const char *text;
} texts[] = {
    {{HELD, .value = 1, .is_chosen = true, .network_cycles = 1000}, "yes (chosen)"},
    {{HELD, .value = 0, .network_cycles = 1123}, "no: +12.3 % (+123 cycles)"},
    {{HELD, .value = 0, .network_cycles = 1000}, "no: as fast"},
    {{HELD, .value = 0, .network_cycles = 5001000}, "no: +500,000 % (+5,000,000 cycles)"},
    {{FACTOR, .value = 4, .network_cycles = 1000.25}, "4: +0.0250 % (+0.25 cycles)"},
    {{FACTOR, .value = 2, .network_cycles = 990}, "2: -1.00 % (-10 cycles)"},
    /* of a plan that was edited: the best of what it does is better than itself */
    {{FACTOR, .value = 2, .is_chosen = true, .network_cycles = 990},
     "2 (chosen): -1.00 % (-10 cycles)"},
    {{PIPELINED, .value = 1, .why_not = "it is no lstm"}, "yes: not possible: it is no lstm"},
    {{PIPELINED, .value = 1}, "yes: not possible"},
    {{HELD, .network_cycles = 1100, .also_held = two_layers, .also_held_count = 2},
     "no: +10.0 % (+100 cycles), then also held: between, loaded"},
    {{HELD, .network_cycles = 1100, .not_held = two_layers, .not_held_count = 1},
     "no: +10.0 % (+100 cycles), then no longer held: between"},
    {{HELD, .network_cycles = 1100, .also_held = all_layers, .also_held_count = 6,
      .not_held = two_layers, .not_held_count = 2},
     "no: +10.0 % (+100 cycles), then also held: held, between, stage1, stage2 and 2 more; no "
     "longer held: between, loaded"},
};

START_TEST(test_a_value_says_what_it_does_to_the_step) {
  ck_assert_str_eq(dsm__what_if_text(&page, plan, plan->result.step_cycles, &texts[_i].what_if),
                   texts[_i].text);
}
END_TEST

/* ---- reports ---- */

static dsm_alternative chosen = {
    .is_chosen = true, .is_best_of_parallelism = true, .network_cycles = 1000};
static dsm_what_if what_ifs[] = {
    {HELD, .value = 0, .network_cycles = 1100, .also_held = two_layers, .also_held_count = 2},
    {HELD, .value = 1, .is_chosen = true, .network_cycles = 1000},
    {FACTOR, .value = 1, .network_cycles = 1050, .not_held = two_layers, .not_held_count = 1},
    {FACTOR, .value = 2, .is_chosen = true, .network_cycles = 1000},
    {PIPELINED, .value = 0, .is_chosen = true, .network_cycles = 1000},
    {PIPELINED, .value = 1, .why_not = "it is no lstm"},
};
static const dsm_explanation explanation = {.layer_index = MADE_HELD,
                                            .reference_cycles = 1000,
                                            .alternatives = &chosen,
                                            .alternative_count = 1,
                                            .what_ifs = what_ifs,
                                            .what_if_count = COUNT_OF(what_ifs)};
static const dsm_explanation *const explanations[] = {&explanation};

START_TEST(test_table_has_what_the_plan_does_first) {
  char *const text = as_table(DSM_ANSWER(explanation, &((dsm_explained){plan, explanations, 1})),
                              plain_style(100));
  static const char wanted[] =
      "\nother decisions, compared with the best step without preloaded weights, of 1,000 cycles\n"
      "held on chip  yes (chosen)\n"
      "              no: +10.0 % (+100 cycles), then also held: between, loaded\n"
      "DySM factor   2 (chosen)\n"
      "              1: +5.00 % (+50 cycles), then no longer held: between\n"
      "pipelined     no (chosen)\n"
      "              yes: not possible: it is no lstm\n"
      "\n";
  ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
  free(text);
}
END_TEST

/* A parallelism that no mapping of the network has: none in the table, nothing in the data. */
START_TEST(test_a_parallelism_without_a_mapping_has_no_network_time) {
  dsm_alternative alternatives[] = {chosen, {.is_best_of_parallelism = true}};
  alternatives[0].parallelism = DSM_PARALLELISM_MODEL;
  const dsm_explanation made = {.layer_index = MADE_HELD,
                                .alternatives = alternatives,
                                .alternative_count = 2,
                                .reference_cycles = 1000};
  const dsm_explanation *const list[] = {&made};
  char *text =
      as_table(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1})), plain_style(200));
  line_list lines = lines_read(text);
  const size_t titles = lines_find(&lines, 0, "  parallelism");
  ck_assert_str_eq(cell_below(lines.items[titles], "network", lines.items[titles + 1]), "100.00");
  ck_assert_str_eq(cell_below(lines.items[titles], "network", lines.items[titles + 2]), "none");
  ck_assert_ptr_null(strstr(text, "ther decisions"));
  lines_free(&lines);
  free(text);
  text = as_json(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1})));
  const char *const first = strstr(text, "network_cycles");
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_null(strstr(first + 1, "network_cycles"));
  free(text);
  text = as_csv(DSM_ANSWER(explanation, &((dsm_explained){plan, list, 1})));
  csv_table table = csv_read(text);
  ck_assert_str_eq(csv_at(&table, 0, "network_cycles"), "1000");
  ck_assert_str_eq(csv_at(&table, 1, "network_cycles"), "");
  csv_free(&table);
  free(text);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWER(explanation, &((dsm_explained){plan, explanations, 1})),
                                plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

static void expect_names(const cJSON *what_if, const char *key, const size_t *layers,
                         size_t count) {
  const cJSON *const names = cJSON_GetObjectItemCaseSensitive(what_if, key);
  ck_assert_msg(cJSON_IsArray(names), "no list %s", key);
  ck_assert_int_eq(cJSON_GetArraySize(names), (int)count);
  for (size_t i = 0; i < count; i++) {
    ck_assert_str_eq(cJSON_GetArrayItem(names, (int)i)->valuestring,
                     plan->layers[layers[i]].layer->name);
  }
}

static void expect_json_what_if(const cJSON *item, const dsm_what_if *wanted) {
  ck_assert_str_eq(cJSON_GetObjectItem(item, "decision")->valuestring,
                   dsm_decision_name(wanted->decision));
  ck_assert_double_eq(cJSON_GetObjectItem(item, "value")->valuedouble, (double)wanted->value);
  ck_assert_int_eq(cJSON_IsTrue(cJSON_GetObjectItem(item, "is_chosen")), wanted->is_chosen);
  if (wanted->why_not != NULL) {
    ck_assert_int_eq(cJSON_GetArraySize(item), 4);
    ck_assert_str_eq(cJSON_GetObjectItem(item, "why_not")->valuestring, wanted->why_not);
    return;
  }
  ck_assert_int_eq(cJSON_GetArraySize(item), 8);
  ck_assert_double_eq(cJSON_GetObjectItem(item, "network_cycles")->valuedouble,
                      wanted->network_cycles);
  ck_assert_double_eq(cJSON_GetObjectItem(item, "network_ratio")->valuedouble,
                      wanted->network_cycles / 1000);
  ck_assert_double_eq(cJSON_GetObjectItem(item, "network_difference")->valuedouble,
                      wanted->network_cycles - 1000);
  expect_names(item, "also_held", wanted->also_held, wanted->also_held_count);
  expect_names(item, "not_held", wanted->not_held, wanted->not_held_count);
}

START_TEST(test_json_has_every_value_below_its_layer) {
  char *const text = as_json(DSM_ANSWER(explanation, &((dsm_explained){plan, explanations, 1})));
  cJSON *const root = cJSON_Parse(text);
  const cJSON *const layer = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "layers"), 0);
  const cJSON *const list = cJSON_GetObjectItem(layer, "what_ifs");
  ck_assert_int_eq(cJSON_GetArraySize(list), COUNT_OF(what_ifs));
  for (int i = 0; i < COUNT_OF(what_ifs); i++) {
    expect_json_what_if(cJSON_GetArrayItem(list, i), &what_ifs[i]);
  }
  cJSON_Delete(root);
  free(text);
}
END_TEST

/* Fields of the rows that follow that of the one alternative. */
static const struct {
  size_t row;
  const char *title;
  const char *field;
} csv_cases[] = {
    {0, "pass", "forward"},
    {0, "decision", ""},
    {0, "network_difference", "0"},
    {1, "layer", "held"},
    {1, "pass", ""},
    {1, "core_split.mb", ""},
    {1, "is_chosen", "false"},
    {1, "bound", ""},
    {1, "network_cycles", "1100"},
    {1, "network_ratio", "1.1"},
    {1, "network_difference", "100"},
    {1, "decision", "output_on_chip"},
    {1, "value", "0"},
    {1, "also_held", "between;loaded"},
    {1, "not_held", ""},
    {3, "decision", "dysm_factor"},
    {3, "value", "1"},
    {3, "also_held", ""},
    {3, "not_held", "between"},
    {5, "decision", "pipelined"},
    {5, "is_chosen", "true"},
    {6, "network_cycles", ""},
    {6, "why_not", "it is no lstm"},
};

START_TEST(test_csv_has_a_row_for_each_value) {
  char *const text = as_csv(DSM_ANSWER(explanation, &((dsm_explained){plan, explanations, 1})));
  csv_table table = csv_read(text);
  ck_assert_uint_eq(table.row_count, 1 + COUNT_OF(what_ifs));
  ck_assert_str_eq(csv_at(&table, csv_cases[_i].row, csv_cases[_i].title), csv_cases[_i].field);
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_what_if(void) {
  Suite *const suite = suite_create("what_if");
  TCase *const values = tcase_create("values");
  tcase_add_checked_fixture(values, set_up, tear_down);
  tcase_add_loop_test(values, test_a_value_says_what_it_does_to_the_step, 0, COUNT_OF(texts));
  tcase_add_test(values, test_table_has_what_the_plan_does_first);
  tcase_add_test(values, test_a_parallelism_without_a_mapping_has_no_network_time);
  tcase_add_test(values, test_no_line_is_wider_than_the_page);
  tcase_add_test(values, test_json_has_every_value_below_its_layer);
  tcase_add_loop_test(values, test_csv_has_a_row_for_each_value, 0, COUNT_OF(csv_cases));
  suite_add_tcase(suite, values);
  return suite;
}
