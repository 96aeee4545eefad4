/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_baseline.c: what is read of a baseline. What is refused is in tests/invalid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/drift.h"
#include "small.h"
#include "suites.h"

/* ---- all that is recorded ---- */

static void expect_same_pass(const dsm_pass_plan *read, const dsm_pass_plan *made) {
  ck_assert_int_eq(read->exists, made->exists);
  if (!made->exists) {
    return;
  }
  ck_assert_double_eq(read->cycles.total, made->cycles.total);
  ck_assert_double_eq(read->utilization, made->utilization);
  ck_assert_int_eq(read->decisions.parallelism, made->decisions.parallelism);
  ck_assert_mem_eq(&read->decisions.core_split, &made->decisions.core_split, sizeof(dsm_loops));
  ck_assert_uint_eq(read->invocation_count, made->invocation_count);
  if (made->invocation_count > 1) {
    ck_assert_int_eq(read->invocations[1].kind, made->invocations[1].kind);
    ck_assert_mem_eq(&read->invocations[1].split, &made->invocations[1].split, sizeof(dsm_loops));
  }
}

static void expect_same_layer(const dsm_layer_plan *read, const dsm_layer_plan *made) {
  const dsm_layer_decisions *const a = &read->decisions;
  const dsm_layer_decisions *const b = &made->decisions;
  ck_assert_str_eq(read->name, made->name);
  ck_assert_uint_eq(a->dysm_factor, b->dysm_factor);
  ck_assert_int_eq(a->is_output_held, b->is_output_held);
  ck_assert_mem_eq(&a->output_layout, &b->output_layout, sizeof b->output_layout);
  ck_assert_double_eq(a->weights_on_chip, b->weights_on_chip);
  ck_assert_int_eq(a->pipeline_group == NULL, b->pipeline_group == NULL);
  if (b->pipeline_group != NULL) {
    ck_assert_str_eq(a->pipeline_group, b->pipeline_group);
  }
  ck_assert_uint_eq(a->stage_rows, b->stage_rows);
  ck_assert_uint_eq(a->stage_columns, b->stage_columns);
  ck_assert_int_eq(a->error_parallelism, b->error_parallelism);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    expect_same_pass(&read->passes[p], &made->passes[p]);
  }
}

static const bundled_question questions[] = {
    {"vgg16", "torus64", DSM_MODE_TRAINING, NULL},
    {"gnmt", "torus64_refined", DSM_MODE_TRAINING, NULL},
    {"gnmt", "torus64", DSM_MODE_INFERENCE, NULL},
    {"vgg16", "torus64_refined", DSM_MODE_TRAINING, "exact"},
};

START_TEST(test_what_a_plan_writes_is_read_as_it_is) {
  dsm_plan *const plan = explored(&questions[_i]);
  char *const text = dsm_plan_print(plan);
  dsm_baseline *baseline = NULL;
  ck_assert_int_eq(dsm_baseline_parse(&baseline, text, strlen(text), "b.json", NULL, 0, NULL),
                   DSM_OK);
  const dsm_recorded made = dsm__record_of_plan(plan);
  ck_assert_double_eq(baseline->record.result.step_seconds, made.result.step_seconds);
  ck_assert_double_eq(baseline->record.result.step_cycles, made.result.step_cycles);
  ck_assert_double_eq(baseline->record.result.utilization, made.result.utilization);
  ck_assert_uint_eq(baseline->record.layer_count, made.layer_count);
  for (size_t i = 0; i < made.layer_count; i++) {
    expect_same_layer(&baseline->record.layers[i], &made.layers[i]);
  }
  ck_assert_str_eq(baseline->dsm_version, dsm_version());
  ck_assert_uint_eq(baseline->minibatch, plan->workload->minibatch);
  ck_assert_int_eq(baseline->options.mode, plan->options.mode);
  ck_assert_uint_eq(baseline->options.optimizations, plan->options.optimizations);
  dsm_baseline_free(baseline);
  free(text);
  dsm_plan_free(plan);
}
END_TEST

/* ---- what a baseline need not be ---- */

START_TEST(test_decisions_need_not_be_legal) {
  /* 64 parts over 4 cores, a DySM factor of 3, a fraction of weights in training, no update. */
  char *const text = small_baseline_with("\"mb\": 1", "\"mb\": 64");
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_plan_parse(&plan, text, strlen(text), "b.json", NULL, NULL),
                   DSM_ERROR_INVALID);
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  ck_assert_uint_eq(
      baseline->record.layers[0].passes[DSM_PASS_FORWARD].decisions.core_split.n[DSM_DIM_MB], 64);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_layers_need_not_be_those_of_the_workload) {
  char *const text = small_baseline_with("{ \"name\": \"fc\", \"passes\"",
                                         "{ \"name\": \"of_another_time\", \"passes\"");
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  ck_assert_str_eq(baseline->record.layers[0].name, "of_another_time");
  ck_assert_str_eq(baseline->workload->layers[0].name, "fc");
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_what_is_left_out_of_a_layer_is_as_in_a_plan) {
  char *const text = small_baseline_with("", "");
  dsm_baseline *const baseline = baseline_of(text, NULL, 0);
  const dsm_layer_plan *const layer = &baseline->record.layers[0];
  ck_assert_uint_eq(layer->decisions.dysm_factor, 1);
  ck_assert(!layer->decisions.is_output_held);
  ck_assert(layer->decisions.pipeline_group == NULL);
  ck_assert(layer->passes[DSM_PASS_FORWARD].exists);
  ck_assert_uint_eq(layer->passes[DSM_PASS_FORWARD].invocation_count, 0);
  ck_assert(!layer->passes[DSM_PASS_UPDATE].exists);
  ck_assert_str_eq(baseline->dsm_version, "");
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

/* ---- what a question need not have ---- */

/* Without its result, a pass's figures, a legal split, all layers. */
START_TEST(test_a_question_needs_no_figures_and_decisions) {
  static const struct {
    const char *part;
    const char *replacement;
  } edits[] = {
      {"\"result\": { \"step_cycles\": 1000, \"step_seconds\": 5e-7, \"utilization\": 0.25 },", ""},
      {"\"cycles\": { \"total\": 1000 }, ", ""},
      {", \"utilization\": 0.25,\n", ",\n"},
      {"\"mb\": 1", "\"mb\": 64"},
      {"{ \"name\": \"fc\", \"passes\"", "{ \"name\": \"of_another_time\", \"passes\""},
      {"{ \"forward\": {", "{ \"sideways\": {"},
  };
  char *const text = small_baseline_with(edits[_i].part, edits[_i].replacement);
  static const dsm_override overrides[] = {{.path = "system.chip.cores", .value = "2"}};
  dsm_baseline *question = NULL;
  dsm_diags *const diags = dsm_diags_new(5);
  ck_assert_int_eq(dsm_question_parse(&question, text, strlen(text), "p.json", overrides, 1, diags),
                   DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_uint_eq(question->workload->layer_count, 1);
  ck_assert_uint_eq(question->system->chip.cores, 2);
  ck_assert_int_eq(question->options.mode, DSM_MODE_INFERENCE);
  ck_assert_uint_eq(question->record.layer_count, 0);
  dsm_baseline_free(question);
  dsm_diags_free(diags);
  free(text);
}
END_TEST

START_TEST(test_a_question_that_cannot_be_read_gets_no_advice) {
  char *const text = small_baseline_with("\"mode\": \"inference\",", "");
  dsm_baseline *question = NULL;
  dsm_diags *const diags = dsm_diags_new(5);
  ck_assert_int_eq(dsm_question_parse(&question, text, strlen(text), "p.json", NULL, 0, diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(question);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_int_eq(dsm_diags_get(diags, 0)->severity, DSM_SEVERITY_ERROR);
  dsm_diags_free(diags);
  free(text);
}
END_TEST

/* An edited plan of today is no plan of another version. */
START_TEST(test_advice_names_no_file_that_is_there) {
  char version[100];
  char expected[200];
  snprintf(version, sizeof version, "\"dsm_version\": \"%s\", \"optimizations\"", dsm_version());
  snprintf(expected, sizeof expected,
           "a baseline is a plan as dsm %s writes it; make it again: dsm explore WORKLOAD SYSTEM "
           "-o BASELINE.json",
           dsm_version());
  char *const text = small_baseline_with("\"optimizations\"", version);
  char *const key = strstr(text, "step_cycles");
  memcpy(key, "samples_per", strlen("samples_per")); /* step_cycles is missing */
  dsm_baseline *baseline = NULL;
  dsm_diags *const diags = dsm_diags_new(5);
  ck_assert_int_eq(dsm_baseline_parse(&baseline, text, strlen(text), "b.json", NULL, 0, diags),
                   DSM_ERROR_INVALID);
  const size_t count = dsm_diags_count(diags);
  ck_assert_uint_ge(count, 2);
  ck_assert_str_eq(dsm_diags_get(diags, count - 1)->message, expected);
  dsm_diags_free(diags);
  free(text);
}
END_TEST

/* ---- overrides ---- */

START_TEST(test_overrides_replace_values_of_the_inputs) {
  static const dsm_override overrides[] = {{.path = "workload.minibatch", .value = "8"},
                                           {.path = "system.chip.cores", .value = "2"}};
  char *const text = small_baseline_with("", "");
  dsm_baseline *const baseline = baseline_of(text, overrides, 2);
  ck_assert_uint_eq(baseline->workload->minibatch, 8);
  ck_assert_uint_eq(baseline->minibatch, 1); /* as recorded */
  ck_assert_uint_eq(baseline->system->chip.cores, 2);
  dsm_baseline_free(baseline);
  free(text);
}
END_TEST

START_TEST(test_a_wrong_override_is_to_blame_and_not_the_baseline) {
  static const dsm_override wrong = {.path = "system.chip.core", .value = "2"};
  char *const text = small_baseline_with("", "");
  dsm_baseline *baseline = NULL;
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_int_eq(dsm_baseline_parse(&baseline, text, strlen(text), "b.json", &wrong, 1, diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(baseline);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "--set");
  dsm_diags_free(diags);
  free(text);
}
END_TEST

START_TEST(test_a_file_that_is_missing_is_an_error_of_the_outside) {
  dsm_baseline *baseline = NULL;
  ck_assert_int_eq(dsm_baseline_load(&baseline, "/nowhere/baseline.json", NULL, 0, NULL),
                   DSM_ERROR_IO);
  ck_assert_ptr_null(baseline);
}
END_TEST

Suite *suite_baseline(void) {
  Suite *const suite = suite_create("baseline");
  TCase *const whole = tcase_create("whole plans");
  tcase_set_timeout(whole, 300);
  tcase_add_loop_test(whole, test_what_a_plan_writes_is_read_as_it_is, 0, COUNT_OF(questions));
  suite_add_tcase(suite, whole);
  TCase *const lenient = tcase_create("lenience");
  tcase_add_test(lenient, test_decisions_need_not_be_legal);
  tcase_add_test(lenient, test_layers_need_not_be_those_of_the_workload);
  tcase_add_test(lenient, test_what_is_left_out_of_a_layer_is_as_in_a_plan);
  tcase_add_loop_test(lenient, test_a_question_needs_no_figures_and_decisions, 0, 6);
  tcase_add_test(lenient, test_a_question_that_cannot_be_read_gets_no_advice);
  tcase_add_test(lenient, test_advice_names_no_file_that_is_there);
  suite_add_tcase(suite, lenient);
  TCase *const overrides = tcase_create("overrides and files");
  tcase_add_test(overrides, test_overrides_replace_values_of_the_inputs);
  tcase_add_test(overrides, test_a_wrong_override_is_to_blame_and_not_the_baseline);
  tcase_add_test(overrides, test_a_file_that_is_missing_is_an_error_of_the_outside);
  suite_add_tcase(suite, overrides);
  return suite;
}
