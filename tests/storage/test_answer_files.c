/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are written and read again: the same, in figures and on pages too. */
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/plot.h"
#include "jobs.h"
#include "random_numbers.h"
#include "suites.h"

enum { JOBS = 60, LIST_MAX = 500, KINDS = 6 };

/* What can be asked: a plan, one within limits, in inference, a factor, a list with times, and what
 * a replay found. */
static dsm_storage_options options_drawn(uint64_t *state, int kind, uint64_t mini_epochs,
                                         double *repeats, double *times) {
  dsm_storage_options options;
  dsm_storage_options_init(&options);
  const size_t counts[KINDS] = {0, 0, 0, 1, (size_t)mini_epochs, 1 + random_below(state, LIST_MAX)};
  for (size_t i = 0; i < counts[kind]; i++) {
    repeats[i] = (double)(1 + random_below(state, 30));
    times[i] = number_drawn(state, 0.1, 9);
  }
  options.mode = kind == 2 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING;
  options.max_repeat = kind == 1 ? number_drawn(state, 1, 20) : 0;
  options.repeats = counts[kind] > 0 ? repeats : NULL;
  options.repeat_count = counts[kind];
  options.times = kind == 4 ? times : NULL;
  options.replay.rule = kind == 5 ? DSM_REPEAT_RULE_BOLLINGER : DSM_REPEAT_RULE_NONE;
  options.wants_timeline = random_below(state, 2) == 0;
  options.sample_flop = random_below(state, 2) == 0 ? 1e9 : 0;
  options.flop_per_second = 1e12;
  return options;
}

static void check_figures(const dsm_storage_result *result) {
  const char *word = dsm_answer_figure_name(&dsm_answer_storage, 0);
  for (size_t figure = 0; word != NULL;
       word = dsm_answer_figure_name(&dsm_answer_storage, ++figure)) {
    dsm_plot *plot = NULL;
    const bool is_drawn = strcmp(word, "io_roofline") != 0 || result->has_roofs;
    ck_assert_int_eq(dsm_plot_answer(&plot, DSM_ANSWER(storage, result), figure, NULL),
                     is_drawn ? DSM_OK : DSM_ERROR_USAGE);
    ck_assert_int_eq(plot != NULL, is_drawn);
    if (plot != NULL) {
      ck_assert_ptr_null(strstr(plot->body, "nan"));
      ck_assert_ptr_null(strstr(plot->marks, "nan"));
      ck_assert_ptr_null(strstr(plot->marks, "inf"));
    }
    dsm_plot_free(plot);
  }
  char *const page = as_page(DSM_ANSWER(storage, result));
  ck_assert_ptr_nonnull(strstr(page, "<svg"));
  free(page);
}

START_TEST(test_answers_read_back) {
  uint64_t state = 1908;
  for (int n = 0; n < JOBS; n++) {
    const dsm_storage_job job = job_drawn(&state);
    double repeats[LIST_MAX];
    double times[LIST_MAX];
    const dsm_storage_options options =
        options_drawn(&state, n % KINDS, dsm_storage_mini_epochs(&job), repeats, times);
    dsm_storage_result *result = NULL;
    dsm_storage_result *again = NULL;
    ck_assert_int_eq(dsm_storage(&result, &job, &options, NULL), DSM_OK);
    result->name = "it";
    char *const text = as_json(DSM_ANSWER(storage, result));
    ck_assert(dsm_answer_kind_of(text, strlen(text)) == &dsm_answer_storage);
    ck_assert_int_eq(parsed_as(&dsm_answer_storage, &again, text, strlen(text), "it.json", NULL),
                     DSM_OK);
    char *const other = as_json(DSM_ANSWER(storage, again));
    ck_assert_str_eq(text, other);
    check_figures(again);
    free(other);
    free(text);
    dsm_storage_result_free(again);
    dsm_storage_result_free(result);
  }
}
END_TEST

/* What was edited is answered anew, or refused with its place. */
START_TEST(test_answers_that_are_edited) {
  const dsm_storage_job job = job_by_hand();
  dsm_storage_result *result = NULL;
  dsm_storage_result *again = NULL;
  ck_assert_int_eq(dsm_storage(&result, &job, NULL, NULL), DSM_OK);
  result->name = "it";
  char *const text = as_json(DSM_ANSWER(storage, result));
  char *const demand = strstr(text, "\"demand_bytes_per_second\": 80");
  ck_assert_ptr_nonnull(demand);
  demand[strlen("\"demand_bytes_per_second\": ")] = '4';
  ck_assert_int_eq(parsed_as(&dsm_answer_storage, &again, text, strlen(text), "it.json", NULL),
                   DSM_OK);
  ck_assert_double_eq(again->job.demand_bytes_per_second, 40);
  ck_assert_double_eq(again->state.stall_free_repeat, 2);
  dsm_storage_result_free(again);
  demand[strlen("\"demand_bytes_per_second\": ")] = '-';
  dsm_diags *const diags = dsm_diags_new(2);
  ck_assert_int_eq(parsed_as(&dsm_answer_storage, &again, text, strlen(text), "it.json", diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(again);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, "$.job.demand_bytes_per_second");
  dsm_diags_free(diags);
  ck_assert(dsm_answer_kind_of("{\"name\": \"dsm-storage/1\"}", 25) == &dsm_answer_plan);
  free(text);
  dsm_storage_result_free(result);
}
END_TEST

Suite *suite_answer_files(void) {
  Suite *const suite = suite_create("answer files");
  TCase *const tests = tcase_create("answer files");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_answers_read_back);
  tcase_add_test(tests, test_answers_that_are_edited);
  suite_add_tcase(suite, tests);
  return suite;
}
