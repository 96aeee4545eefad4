/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "reading.h"
#include "subjects.h"

static dsm_system *machine;

static void set_up(void) {
  machine = load_bundled_system("torus16");
}

static void tear_down(void) {
  dsm_system_free(machine);
}

static void expect_in(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in\n%s", part, text);
}

static void expect_not_in(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) == NULL, "'%s' is in\n%s", part, text);
}

/* ---- the table ---- */

static const char *const decided_rows[] = {
    ("layer   pass  par.  core split    on chip    dysm  pipe  step  util array  xfer  aux other  "
     "bound\n"),
    "held    fwd   data  out 4 mb 8    out           2        10.0 ",
    "        bwd   data  out 4 mb 8    err                    10.0 ",
    "        upd   data  out 4 mb 8 *  err                    10.0 ",
    "between fwd   data  out 4 mb 8                           10.0 ",
    "stage1  fwd   data  out 4 mb 8 *  wgt                 1  10.0 ",
    "        upd   data  out 4 mb 8    grad                   10.0 ",
    "stage2  fwd   data  out 4 mb 8    wgt                 1  10.0 ",
    "        upd   data  out 4 mb 8                           10.0 ",
    "product fwd   data  out 4 mb 8    opd                    10.0 ",
    "loaded  fwd   data  out 4 mb 8    pre 25.0%              10.0 ",
};

START_TEST(test_rows_show_every_decision) {
  char *const text = as_table(DSM_ANSWER(plan, made_plan(machine)), unfolded_style(100));
  for (int i = 0; i < COUNT_OF(decided_rows); i++) {
    expect_in(text, decided_rows[i]);
  }
  free(text);
}
END_TEST

static const char *const explained[] = {
    "\n"
    "core split: * = of the first invocation; later ones have another.\n",
    "\n"
    "on chip: out = the output, err = the output's activation gradient, wgt = weights from one "
    "timestep to the next, grad = weight gradients from one timestep to the next, opd = the second "
    "operand from one timestep to the next, pre = weights, or a part of them, from one request to "
    "the next.\n",
    "\n"
    "dysm: number of parts that the minibatch is cut into.\n",
    "\n"
    "pipe: number of the pipeline, below; each of its layers has a share of the pipeline's time.\n",
};

START_TEST(test_columns_of_decisions_are_explained) {
  char *const text = as_table(DSM_ANSWER(plan, made_plan(machine)), unfolded_style(400));
  for (int i = 0; i < COUNT_OF(explained); i++) {
    expect_in(text, explained[i]);
  }
  free(text);
}
END_TEST

/* 33.6 MB are 32 scratchpads of 1 MiB; 100 of 1000 weights are a quarter of 400. */
START_TEST(test_totals_say_what_is_on_chip_and_what_runs_as_a_pipeline) {
  char *const text = as_table(DSM_ANSWER(plan, made_plan(machine)), unfolded_style(400));
  expect_in(text, "\non chip      outputs of 1 of 6 layers, at most 3.36 MB of a chip's 33.6 MB "
                  "(10.0 %), in between; weights or operands of 3 of 6 layers over all timesteps; "
                  "10.0 % of the weights over all requests\n");
  expect_in(text, "\npipeline 1   stage1-stage2: 250 cycles, 25.0 % of the step; of 4 rows of "
                  "chips along y: stage1 1, stage2 3\n");
  free(text);
}
END_TEST

/* Stages of two of the four columns: two strips of four rows. */
START_TEST(test_narrower_stages_say_how_wide_they_are) {
  dsm_plan *const plan = made_plan(machine);
  dsm_pipeline_plan narrow = plan->pipelines[0];
  plan->pipelines = &narrow;
  narrow.columns = 2;
  char *text = as_table(DSM_ANSWER(plan, plan), unfolded_style(400));
  expect_in(text, "of the step; of 8 rows of 2 chips: stage1 1, stage2 3\n");
  free(text);
  narrow.columns = 1;
  text = as_table(DSM_ANSWER(plan, plan), unfolded_style(400));
  expect_in(text, "of the step; of 16 rows of 1 chip: stage1 1, stage2 3\n");
  free(text);
}
END_TEST

START_TEST(test_a_plan_without_decisions_shows_none) {
  static const char *const absent[] = {"on chip", "dysm", "pipe", "*"};
  char *const text = as_table(DSM_ANSWER(plan, made_plain_plan(machine)), unfolded_style(100));
  expect_in(text,
            "layer   pass  par.  core split  step  util array  xfer  aux other mostly  bound\n");
  for (int i = 0; i < COUNT_OF(absent); i++) {
    expect_not_in(text, absent[i]);
  }
  free(text);
}
END_TEST

/* Each decision brings its own column and line, and no other. */
START_TEST(test_a_decision_alone_brings_only_its_own_column) {
  dsm_plan *const plan = made_plain_plan(machine);
  plan->layers[MADE_LOADED].decisions.weights_on_chip = 1;
  char *text = as_table(DSM_ANSWER(plan, plan), unfolded_style(100));
  expect_in(text, "core split  on chip  step");
  expect_in(text, "\nloaded  fwd   data  out 4 mb 8  pre      10.0");
  expect_in(text, "\non chip: pre = weights, or a part of them, from one request to the next.\n");
  expect_in(text, "\non chip      40.0 % of the weights over all requests\n");
  free(text);
  plan->layers[MADE_LOADED].decisions.weights_on_chip = 0;
  plan->layers[MADE_BETWEEN].decisions.dysm_factor = 16;
  text = as_table(DSM_ANSWER(plan, plan), unfolded_style(100));
  expect_in(text, "core split  dysm  step");
  expect_in(text, "\nbetween fwd   data  out 4 mb 8    16  10.0");
  expect_not_in(text, "on chip");
  free(text);
}
END_TEST

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWER(plan, made_plan(machine)), unfolded_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

/* ---- CSV ---- */

/* Fields of a row of the CSV that decisions fill. */
typedef struct csv_case {
  size_t row;
  const char *title;
  const char *field;
} csv_case;

static const csv_case csv_cases[] = {
    {0, "layer", "held"},
    {0, "pass", "forward"},
    {0, "dysm_factor", "2"},
    {0, "output_on_chip", "true"},
    {0, "weights_on_chip", "0"},
    {0, "pipeline_group", ""},
    {0, "held_bytes", "1000000"},
    {0, "invocations.first.count", "2"},
    {0, "invocations.first.core_split.out", "4"},
    {0, "invocations.steady.count", ""},
    {0, "invocations.write.count", ""},
    {2, "pass", "update"},
    {2, "output_on_chip", "true"},
    {2, "core_split.mb", "8"},
    {2, "invocations.first.count", ""},
    {2, "invocations.write.count", "1"},
    {2, "invocations.write.core_split.mb", "8"},
    {2, "invocations.accumulate.count", "1"},
    {2, "invocations.accumulate.core_split.in", "8"},
    {2, "invocations.accumulate.core_split.mb", "1"},
    {3, "layer", "between"},
    {3, "dysm_factor", "1"},
    {3, "output_on_chip", "false"},
    {3, "held_bytes", "3355443.2"},
    {4, "layer", "stage1"},
    {4, "pipeline_group", "stage1-stage2"},
    {4, "invocations.first.count", "1"},
    {4, "invocations.first.core_split.in", "1"},
    {4, "invocations.steady.count", "9"},
    {4, "invocations.steady.core_split.in", "8"},
    {4, "invocations.accumulate.core_split.kij", ""},
    {9, "layer", "loaded"},
    {9, "weights_on_chip", "0.25"},
    {9, "pipeline_group", ""},
};

START_TEST(test_csv_has_every_decision) {
  const csv_case *const wanted = &csv_cases[_i];
  char *const text = as_csv(DSM_ANSWER(plan, made_plan(machine)));
  csv_table table = csv_read(text);
  ck_assert_uint_eq(table.row_count, 10);
  ck_assert_str_eq(csv_at(&table, wanted->row, wanted->title), wanted->field);
  csv_free(&table);
  free(text);
}
END_TEST

Suite *suite_plan_decisions(void) {
  Suite *const suite = suite_create("plan_decisions");
  TCase *const decisions = tcase_create("decisions");
  tcase_add_checked_fixture(decisions, set_up, tear_down);
  tcase_add_test(decisions, test_rows_show_every_decision);
  tcase_add_test(decisions, test_columns_of_decisions_are_explained);
  tcase_add_test(decisions, test_totals_say_what_is_on_chip_and_what_runs_as_a_pipeline);
  tcase_add_test(decisions, test_narrower_stages_say_how_wide_they_are);
  tcase_add_test(decisions, test_a_plan_without_decisions_shows_none);
  tcase_add_test(decisions, test_a_decision_alone_brings_only_its_own_column);
  tcase_add_test(decisions, test_no_line_is_wider_than_the_page);
  tcase_add_loop_test(decisions, test_csv_has_every_decision, 0, COUNT_OF(csv_cases));
  suite_add_tcase(suite, decisions);
  return suite;
}
