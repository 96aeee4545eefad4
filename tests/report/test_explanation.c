/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "subjects.h"

#define SPLITS 4
#define EXPLAINED_MAX 2

/* Layers of a plan to explain: several kinds, with and without backward, free and bound. */
static const struct {
  exploration what;
  const char *layers[EXPLAINED_MAX];
} cases[] = {
    {{"vgg16", "torus64", "256", DSM_MODE_TRAINING}, {"fc1"}},
    {{"vgg16", "torus64", "256", DSM_MODE_TRAINING}, {"conv1_1", "fc3"}},
    {{"gnmt", "torus64", "256", DSM_MODE_TRAINING}, {"enc0.fwd", "enc0.bwd"}},
    {{"gnmt", "torus64", "64", DSM_MODE_INFERENCE}, {"dec7"}},
    {{"mobilenet_v2", "torus64", "256", DSM_MODE_TRAINING}, {"block17_depthwise"}},
    {{"resnet50", "chip1", "16", DSM_MODE_TRAINING}, {"conv5_3_3x3"}},
};

/* A plan with some of its layers explained. */
typedef struct explained {
  subject made;
  dsm_explanation *owned[EXPLAINED_MAX];
  const dsm_explanation *items[EXPLAINED_MAX];
  size_t count;
} explained;

static explained explain(int number) {
  explained all = {.made = subject_explore(&cases[number].what)};
  for (; all.count < EXPLAINED_MAX && cases[number].layers[all.count] != NULL; all.count++) {
    const size_t layer =
        dsm_workload_find_layer(all.made.workload, cases[number].layers[all.count]);
    ck_assert_int_eq(dsm_explain(&all.owned[all.count], all.made.plan, layer, SPLITS, NULL),
                     DSM_OK);
    all.items[all.count] = all.owned[all.count];
  }
  return all;
}

static void drop(explained *all) {
  for (size_t i = 0; i < all->count; i++) {
    dsm_explanation_free(all->owned[i]);
  }
  subject_free(&all->made);
}

/* What the plan does in a pass, found anew. */
static const dsm_alternative *chosen_of(const dsm_explanation *explanation, dsm_pass pass) {
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    if (explanation->alternatives[i].pass == pass && explanation->alternatives[i].is_chosen) {
      return &explanation->alternatives[i];
    }
  }
  ck_abort_msg("nothing is chosen");
  return NULL;
}

/* ---- CSV ---- */

static const char *const titles[] = {
    "layer",
    "pass",
    "parallelism",
    "core_split.in",
    "core_split.out",
    "core_split.ij",
    "core_split.kij",
    "core_split.mb",
    "is_chosen",
    "is_best_of_parallelism",
    "cycles.primary",
    "cycles.overlapped",
    "cycles.overlapped_visible",
    "cycles.auxiliary",
    "cycles.non_overlapped",
    "cycles.total",
    "time_ratio",
    "bound",
    "network_cycles",
    "network_ratio",
    "network_difference",
    "decision",
    "value",
    "also_held",
    "not_held",
    "why_not",
    NULL,
};

static void expect_csv_decisions(const csv_table *table, size_t row, const char *layer,
                                 const dsm_alternative *wanted) {
  const struct {
    const char *title;
    const char *word;
  } words[] = {
      {"layer", layer},
      {"pass", dsm_pass_name(wanted->pass)},
      {"parallelism", dsm_parallelism_name(wanted->parallelism)},
      {"bound", dsm_bound_name(wanted->bound)},
      {"is_chosen", wanted->is_chosen ? "true" : "false"},
      {"is_best_of_parallelism", wanted->is_best_of_parallelism ? "true" : "false"},
  };
  for (int i = 0; i < COUNT_OF(words); i++) {
    ck_assert_str_eq(csv_at(table, row, words[i].title), words[i].word);
  }
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    ck_assert_double_eq(csv_number_at(table, row, titles[3 + d]), (double)wanted->split.n[d]);
  }
}

static void expect_csv_times(const csv_table *table, size_t row, double step_cycles,
                             double chosen_cycles, const dsm_alternative *wanted) {
  const struct {
    const char *title;
    double value;
  } times[] = {
      {"cycles.primary", wanted->cycles.primary},
      {"cycles.overlapped", wanted->cycles.overlapped},
      {"cycles.overlapped_visible", wanted->cycles.overlapped_visible},
      {"cycles.auxiliary", wanted->cycles.auxiliary},
      {"cycles.non_overlapped", wanted->cycles.non_overlapped},
      {"cycles.total", wanted->cycles.total},
      {"time_ratio", wanted->cycles.total / chosen_cycles},
  };
  for (int i = 0; i < COUNT_OF(times); i++) {
    ck_assert_double_eq(csv_number_at(table, row, times[i].title), times[i].value);
  }
  if (wanted->network_cycles > 0) {
    ck_assert(wanted->is_best_of_parallelism);
    ck_assert_double_eq(csv_number_at(table, row, "network_cycles"), wanted->network_cycles);
    ck_assert_double_eq(csv_number_at(table, row, "network_ratio"),
                        wanted->network_cycles / step_cycles);
    ck_assert_double_eq(csv_number_at(table, row, "network_difference"),
                        wanted->network_cycles - step_cycles);
  } else {
    ck_assert_str_eq(csv_at(table, row, "network_cycles"), "");
    ck_assert_str_eq(csv_at(table, row, "network_ratio"), "");
    ck_assert_str_eq(csv_at(table, row, "network_difference"), "");
  }
}

static void expect_csv_row(const csv_table *table, size_t row, const dsm_plan *plan,
                           const dsm_explanation *explanation, const dsm_alternative *wanted) {
  expect_csv_decisions(table, row, plan->layers[explanation->layer_index].layer->name, wanted);
  expect_csv_times(table, row, plan->result.step_cycles,
                   chosen_of(explanation, wanted->pass)->cycles.total, wanted);
}

START_TEST(test_csv_has_a_row_for_each_alternative) {
  explained all = explain(_i);
  char *const text =
      as_csv(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})));
  expect_tidy(text);
  csv_table table = csv_read(text);
  expect_csv_titles(&table, titles);
  size_t row = 0;
  for (size_t e = 0; e < all.count; e++) {
    for (size_t i = 0; i < all.items[e]->alternative_count; i++) {
      expect_csv_row(&table, row++, all.made.plan, all.items[e], &all.items[e]->alternatives[i]);
    }
    row += all.items[e]->what_if_count;
  }
  ck_assert_uint_eq(row, table.row_count);
  csv_free(&table);
  free(text);
  drop(&all);
}
END_TEST

/* In each pass: first what the plan does, then by cycles. */
START_TEST(test_the_chosen_alternative_comes_first_then_by_cycles) {
  explained all = explain(_i);
  char *const text =
      as_csv(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})));
  csv_table table = csv_read(text);
  double before = 0;
  for (size_t row = 0; row < table.row_count; row++) {
    if (csv_at(&table, row, "pass")[0] == '\0') {
      continue; /* another decision of the layer */
    }
    const bool is_first =
        row == 0 || strcmp(csv_at(&table, row, "pass"), csv_at(&table, row - 1, "pass")) != 0 ||
        strcmp(csv_at(&table, row, "layer"), csv_at(&table, row - 1, "layer")) != 0;
    ck_assert_str_eq(csv_at(&table, row, "is_chosen"), is_first ? "true" : "false");
    const double cycles = csv_number_at(&table, row, "cycles.total");
    ck_assert(is_first || before <= cycles);
    before = is_first ? 0 : cycles;
  }
  csv_free(&table);
  free(text);
  drop(&all);
}
END_TEST

/* The plan is optimal: with what it does in the layer the network takes what it takes. */
START_TEST(test_the_chosen_parallelism_has_the_steps_time) {
  explained all = explain(_i);
  for (size_t e = 0; e < all.count; e++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (!all.made.plan->layers[all.items[e]->layer_index].passes[p].exists) {
        continue;
      }
      const dsm_alternative *const chosen = chosen_of(all.items[e], (dsm_pass)p);
      const double step = all.made.plan->result.step_cycles;
      ck_assert(chosen->is_best_of_parallelism);
      ck_assert_double_eq_tol(chosen->network_cycles, step, 1e-9 * step);
    }
  }
  drop(&all);
}
END_TEST

/* ---- JSON ---- */

static double number_in(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
  ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
  return item->valuedouble;
}

static void expect_sentence(const cJSON *object) {
  const cJSON *const why = cJSON_GetObjectItemCaseSensitive(object, "why");
  ck_assert(cJSON_IsString(why) && strlen(why->valuestring) > 20);
  ck_assert_int_eq(why->valuestring[strlen(why->valuestring) - 1], '.');
}

static void expect_json_alternative(const cJSON *object, const explained *all,
                                    const dsm_explanation *explanation,
                                    const dsm_alternative *wanted) {
  const cJSON *const cycles = cJSON_GetObjectItemCaseSensitive(object, "cycles");
  const cJSON *const split = cJSON_GetObjectItemCaseSensitive(object, "core_split");
  ck_assert_str_eq(cJSON_GetObjectItem(object, "parallelism")->valuestring,
                   dsm_parallelism_name(wanted->parallelism));
  ck_assert_int_eq(cJSON_IsTrue(cJSON_GetObjectItem(object, "is_chosen")), wanted->is_chosen);
  ck_assert_int_eq(cJSON_IsTrue(cJSON_GetObjectItem(object, "is_best_of_parallelism")),
                   wanted->is_best_of_parallelism);
  ck_assert_double_eq(number_in(split, "out"), (double)wanted->split.n[DSM_DIM_OUT]);
  ck_assert_double_eq(number_in(cycles, "total"), wanted->cycles.total);
  ck_assert_double_eq(number_in(cycles, "overlapped"), wanted->cycles.overlapped);
  ck_assert_double_eq(number_in(object, "time_ratio"),
                      wanted->cycles.total / chosen_of(explanation, wanted->pass)->cycles.total);
  ck_assert_int_eq(cJSON_HasObjectItem(object, "network_cycles"), wanted->network_cycles > 0);
  if (wanted->network_cycles > 0) {
    ck_assert_double_eq(number_in(object, "network_ratio"),
                        wanted->network_cycles / all->made.plan->result.step_cycles);
  }
}

START_TEST(test_json_has_every_alternative_below_its_pass) {
  explained all = explain(_i);
  char *const text =
      as_json(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})));
  expect_tidy(text);
  cJSON *const root = cJSON_Parse(text);
  ck_assert_str_eq(cJSON_GetObjectItem(root, "format")->valuestring, "dsm-explain/1");
  ck_assert_double_eq(number_in(root, "step_cycles"), all.made.plan->result.step_cycles);
  const cJSON *const layers = cJSON_GetObjectItem(root, "layers");
  ck_assert_int_eq(cJSON_GetArraySize(layers), (int)all.count);
  for (size_t e = 0; e < all.count; e++) {
    const cJSON *const layer = cJSON_GetArrayItem(layers, (int)e);
    const cJSON *const passes = cJSON_GetObjectItem(layer, "passes");
    int used[DSM_PASS_COUNT] = {0};
    ck_assert_str_eq(cJSON_GetObjectItem(layer, "name")->valuestring, cases[_i].layers[e]);
    for (size_t i = 0; i < all.items[e]->alternative_count; i++) {
      const dsm_alternative *const wanted = &all.items[e]->alternatives[i];
      const cJSON *const pass = cJSON_GetObjectItem(passes, dsm_pass_name(wanted->pass));
      expect_sentence(pass);
      expect_json_alternative(
          cJSON_GetArrayItem(cJSON_GetObjectItem(pass, "alternatives"), used[wanted->pass]++), &all,
          all.items[e], wanted);
    }
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const cJSON *const pass = cJSON_GetObjectItem(passes, dsm_pass_name((dsm_pass)p));
      ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(pass, "alternatives")), used[p]);
    }
  }
  cJSON_Delete(root);
  free(text);
  drop(&all);
}
END_TEST

/* ---- table ---- */

/* A line of the table says what an alternative is, in percent of the chosen one's time. */
static void expect_line(const char *title_line, const char *line, const dsm_alternative *wanted,
                        double chosen_cycles) {
  static const char *const words[] = {"data", "model", "DxMy", "MxDy"};
  const struct {
    const char *title;
    double cycles;
  } parts[] = {
      {"time", wanted->cycles.total},           {"arrays", wanted->cycles.primary},
      {"aux", wanted->cycles.auxiliary},        {"xfer", wanted->cycles.overlapped_visible},
      {"other", wanted->cycles.non_overlapped},
  };
  ck_assert_int_eq(line[0], wanted->is_chosen ? '*' : ' ');
  ck_assert_int_eq(
      strncmp(line + 2, words[wanted->parallelism], strlen(words[wanted->parallelism])), 0);
  for (int i = 0; i < COUNT_OF(parts); i++) {
    ck_assert_msg(fabs(number_of(cell_below(title_line, parts[i].title, line)) -
                       100 * parts[i].cycles / chosen_cycles) <= 0.0500001,
                  "%s: '%s'", parts[i].title, line);
  }
}

START_TEST(test_table_has_a_line_for_each_alternative) {
  explained all = explain(_i);
  char *const text =
      as_table(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})),
               plain_style(200));
  line_list lines = lines_read(text);
  size_t at = 0;
  for (size_t e = 0; e < all.count; e++) {
    const dsm_explanation *const explanation = all.items[e];
    at = lines_find(&lines, at, cases[_i].layers[e]);
    for (size_t i = 0; i < explanation->alternative_count; i++) {
      const dsm_alternative *const wanted = &explanation->alternatives[i];
      if (wanted->is_chosen) {
        at = lines_find(&lines, at, "  parallelism");
      }
      size_t titles_at = at;
      while (strncmp(lines.items[titles_at], "  parallelism", 13) != 0) {
        titles_at--;
      }
      at++;
      expect_line(lines.items[titles_at], lines.items[at], wanted,
                  chosen_of(explanation, wanted->pass)->cycles.total);
    }
  }
  lines_free(&lines);
  free(text);
  drop(&all);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  explained all = explain(_i);
  for (size_t width = 40; width <= 200; width++) {
    char *const text =
        as_table(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})),
                 plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
  drop(&all);
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  explained all = explain(_i);
  expect_same_without_color(
      as_table(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})),
               (dsm_table_style){.width = 100, .color = true}),
      as_table(DSM_ANSWER(explanation, &((dsm_explained){all.made.plan, all.items, all.count})),
               plain_style(100)));
  drop(&all);
}
END_TEST

Suite *suite_explanation(void) {
  Suite *const suite = suite_create("explanation");
  TCase *const layers = tcase_create("layers");
  tcase_set_timeout(layers, 60);
  tcase_add_loop_test(layers, test_csv_has_a_row_for_each_alternative, 0, COUNT_OF(cases));
  tcase_add_loop_test(layers, test_the_chosen_alternative_comes_first_then_by_cycles, 0,
                      COUNT_OF(cases));
  tcase_add_loop_test(layers, test_the_chosen_parallelism_has_the_steps_time, 0, COUNT_OF(cases));
  tcase_add_loop_test(layers, test_json_has_every_alternative_below_its_pass, 0, COUNT_OF(cases));
  tcase_add_loop_test(layers, test_table_has_a_line_for_each_alternative, 0, COUNT_OF(cases));
  tcase_add_loop_test(layers, test_no_line_is_wider_than_the_page, 0, COUNT_OF(cases));
  tcase_add_loop_test(layers, test_colour_adds_only_escapes, 0, COUNT_OF(cases));
  suite_add_tcase(suite, layers);
  return suite;
}
