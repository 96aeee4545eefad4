/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers: what is planned, lists, replayed traces, timelines, and what is refused. */
#include <math.h>
#include <string.h>

#include "jobs.h"
#include "suites.h"

static dsm_storage_options defaults(void) {
  dsm_storage_options options;
  dsm_storage_options_init(&options);
  return options;
}

static dsm_storage_result *answer(const dsm_storage_options *options) {
  const dsm_storage_job job = job_by_hand();
  dsm_storage_result *result = NULL;
  ck_assert_int_eq(dsm_storage(&result, &job, options, NULL), DSM_OK);
  return result;
}

/* Without a limit the least factor without a stall, which is 4; with one the limit, also where it
 * stalls: 2 of 4 times. */
START_TEST(test_what_is_planned) {
  dsm_storage_options options = defaults();
  dsm_storage_result *result = answer(NULL);
  ck_assert(result->is_planned);
  ck_assert_uint_eq(result->least_mini_epochs, 4);
  ck_assert_double_eq(result->state.repeat, 4);
  ck_assert_double_eq(result->state.samples_per_second, 8);
  dsm_storage_result_free(result);
  options.max_repeat = 16;
  result = answer(&options);
  ck_assert_double_eq(result->state.repeat, 16);
  ck_assert_double_eq(result->state.capacity_bytes_per_second, 5);
  dsm_storage_result_free(result);
  options.max_repeat = 2;
  result = answer(&options);
  ck_assert_double_eq(result->state.repeat, 2);
  ck_assert_double_eq(result->state.stall_share, 0.5);
  ck_assert_double_eq(result->state.stall_free_repeat, 4);
  ck_assert_uint_eq(result->point_count, 2); /* 1 and 2 */
  dsm_storage_result_free(result);
}
END_TEST

/* rf 2, 6, 4, 8 of S = 250, EB1 = 80, B2 = 20: times 12.5, 18.75, 12.5, 25; EB2 20, 80/6, 20, 10:
 * (250 + 250 + 250 + 250) / 68.75 = 14.545; samples: 8 * 20 * 250 / (80 * 68.75) = 7.2727. Equal
 * times: (20 + 13.333 + 20 + 10)/4 = 15.833. */
START_TEST(test_a_list) {
  static const double repeats[] = {2, 6, 4, 8};
  static const double times[] = {1, 1, 1, 1};
  dsm_storage_options options = defaults();
  options.repeats = repeats;
  options.repeat_count = 4;
  options.wants_timeline = true;
  dsm_storage_result *result = answer(&options);
  ck_assert_uint_eq(result->repeat_count, 4);
  ck_assert(!result->is_planned);
  ck_assert_double_eq(result->mean.repeat, 5);
  ck_assert_double_eq(result->mean.seconds, 68.75);
  ck_assert_double_eq_tol(result->mean.capacity_bytes_per_second, 1000 / 68.75, 1e-12);
  ck_assert_double_eq_tol(result->mean.equal_capacity_bytes_per_second, 47.5 / 3, 1e-12);
  ck_assert_double_eq_tol(result->mean.samples_per_second, 8 * 20 * 250 / (80 * 68.75), 1e-12);
  ck_assert_double_eq_tol(result->mean.stall_share, 6.25 / 68.75, 1e-12);
  ck_assert_uint_eq(result->event_count, 4);
  dsm_storage_result_free(result);
  options.times = times;
  result = answer(&options);
  ck_assert_double_eq_tol(result->mean.capacity_bytes_per_second, 47.5 / 3, 1e-12);
  ck_assert_double_eq_tol(result->mean.stall_share, 0.5 / 4, 1e-12);
  dsm_storage_result_free(result);
}
END_TEST

/* Rows of a trace become factors; max_repeat holds for them too. */
START_TEST(test_a_trace) {
  static const double values[] = {5, 0, 0, 4, 0, 0, 6, 0, 0, 7, 0, 0, 3, 0, 0, 2, 0, 0};
  const dsm_metric_trace trace = {.values = values, .row_count = 6};
  dsm_storage_options options = defaults();
  options.replay.rule = DSM_REPEAT_RULE_SCORE;
  options.replay.threshold = 2;
  options.trace = &trace;
  dsm_storage_result *result = answer(&options);
  ck_assert_uint_eq(result->repeat_count, 2);
  ck_assert_double_eq(result->repeats[0], 4);
  ck_assert_double_eq(result->repeats[1], 2);
  dsm_storage_result_free(result);
  options.max_repeat = 3;
  result = answer(&options);
  ck_assert_uint_eq(result->repeat_count, 2);
  ck_assert_double_eq(result->repeats[0], 3);
  dsm_storage_result_free(result);
}
END_TEST

/* What is planned without a limit may be asked for, too; so may each row. */
START_TEST(test_no_plan_is_above_the_largest_factor) {
  dsm_storage_job job = job_by_hand();
  dsm_storage_result *result = NULL;
  job.capacity_bytes_per_second = 1e-9;
  ck_assert_int_eq(dsm_storage(&result, &job, NULL, NULL), DSM_OK);
  ck_assert_double_eq(result->state.repeat, DSM_REPEAT_MAX);
  ck_assert_double_eq(result->points[result->point_count - 1].repeat, DSM_REPEAT_MAX);
  ck_assert_double_eq_tol(result->state.stall_free_repeat, 8e10, 1);
  ck_assert_int_eq(result->state.bound, DSM_STORAGE_BOUND_CAPACITY);
  dsm_storage_result_free(result);
}
END_TEST

/* A limit need not be whole; what is planned for a timeline is. */
START_TEST(test_a_limit_in_parts) {
  dsm_storage_options options = defaults();
  options.max_repeat = 2.5;
  dsm_storage_result *result = answer(&options);
  ck_assert_double_eq(result->state.repeat, 2.5);
  ck_assert_double_eq(result->state.waiting_share, 0.375); /* 2.5 * 20 of 80 bytes/s */
  dsm_storage_result_free(result);
  options.wants_timeline = true;
  result = answer(&options);
  ck_assert_double_eq(result->state.repeat, 2);
  dsm_storage_result_free(result);
}
END_TEST

/* In inference each sample is read once, whatever the limit. */
START_TEST(test_inference_reads_once) {
  dsm_storage_options options = defaults();
  options.mode = DSM_MODE_INFERENCE;
  options.max_repeat = 16;
  dsm_storage_result *const result = answer(&options);
  ck_assert_double_eq(result->state.repeat, 1);
  ck_assert_double_eq(result->state.samples_per_second, 2);
  ck_assert_uint_eq(result->point_count, 1);
  dsm_storage_result_free(result);
}
END_TEST

START_TEST(test_mini_epochs_that_are_given) {
  dsm_storage_options options = defaults();
  options.mini_epochs = 10;
  options.wants_timeline = true;
  dsm_storage_result *const result = answer(&options);
  ck_assert_uint_eq(result->state.mini_epochs, 10);
  ck_assert_uint_eq(result->event_count, 10);
  ck_assert_double_eq(result->timeline_seconds, result->events[9].train_end_seconds);
  ck_assert(!result->has_roofs);
  dsm_storage_result_free(result);
}
END_TEST

typedef struct refusal {
  dsm_storage_options options;
  dsm_status status;
  const char *message;
} refusal;

static const double below[] = {0.5};
static const double no_number[] = {(double)NAN};
static const double part[] = {1.5};
static const double three[] = {1, 2, 3};
static const double no_time[] = {1, 0, 1};
static const double four[] = {1, 2, 3, 4};
static const double four_times[] = {1, 0, 1, 1};

static const refusal refusals[] = {
    {{.repeats = below, .repeat_count = 1},
     DSM_ERROR_USAGE,
     "repeat: expected 1 to 1000000, found 0.5"},
    {{.repeats = no_number, .repeat_count = 1},
     DSM_ERROR_USAGE,
     "repeat: expected 1 to 1000000, found nan"},
    {{.repeats = part, .repeat_count = 1, .wants_timeline = true},
     DSM_ERROR_USAGE,
     "repeat: expected a whole number for a timeline, found 1.5"},
    {{.repeats = three, .repeat_count = 3},
     DSM_ERROR_USAGE,
     "repeat: expected one factor, or one for each of 4 mini-epochs, found 3"},
    {{.repeats = four, .repeat_count = 4, .times = four_times},
     DSM_ERROR_USAGE,
     "times: expected 1e-60 to 1e+60, found 0"},
    {{.times = no_time}, DSM_ERROR_USAGE, "times: expected repeating factors beside them"},
    {{.max_repeat = 0.5}, DSM_ERROR_USAGE, "max_repeat: expected 1 to 1000000, found 0.5"},
    {{.replay = {.rule = DSM_REPEAT_RULE_SCORE}},
     DSM_ERROR_USAGE,
     "adaptive: expected a trace to replay, or what it came to"},
    {{.replay = {.rule = DSM_REPEAT_RULE_SCORE},
      .mode = DSM_MODE_INFERENCE,
      .repeats = four,
      .repeat_count = 4},
     DSM_ERROR_USAGE,
     "adaptive: expected training: inference reads each sample once"},
    {{.repeats = part, .repeat_count = 1, .mode = DSM_MODE_INFERENCE},
     DSM_ERROR_USAGE,
     "repeat: expected 1, since inference reads each sample once, found 1.5"},
    {{.repeats = four, .repeat_count = 4, .max_repeat = 3.5},
     DSM_ERROR_USAGE,
     "repeat: expected at most the limit, 3.5, found 4"},
    {{.mini_epochs = 3},
     DSM_ERROR_INFEASIBLE,
     "expected at least 4 mini-epochs, of which each takes at most half of the fast tier, found 3"},
    {{.mini_epochs = 1},
     DSM_ERROR_INFEASIBLE,
     "expected at least 4 mini-epochs, of which each takes at most half of the fast tier, found 1"},
    {{.mini_epochs = 101},
     DSM_ERROR_INFEASIBLE,
     "expected at most 100 mini-epochs, one a sample, found 101"},
    {{.max_mini_epochs = 3},
     DSM_ERROR_INFEASIBLE,
     "expected at most 3 mini-epochs, found 4: they need 680 bytes of fast storage, twice the "
     "largest, and there are 500"},
};

START_TEST(test_refusals) {
  const dsm_storage_job job = job_by_hand();
  dsm_storage_result *result = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  ck_assert_int_eq(dsm_storage(&result, &job, &refusals[_i].options, diags), refusals[_i].status);
  ck_assert_ptr_null(result);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, refusals[_i].message);
  dsm_diags_free(diags);
}
END_TEST

/* Fast storage that two samples do not fit in. */
START_TEST(test_no_number_of_mini_epochs) {
  dsm_storage_job job = job_by_hand();
  dsm_storage_result *result = NULL;
  job.fast_bytes = 15;
  ck_assert_int_eq(dsm_storage(&result, &job, NULL, NULL), DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(result);
}
END_TEST

Suite *suite_answers(void) {
  Suite *const suite = suite_create("answers");
  TCase *const tests = tcase_create("answers");
  tcase_add_test(tests, test_what_is_planned);
  tcase_add_test(tests, test_a_list);
  tcase_add_test(tests, test_a_trace);
  tcase_add_test(tests, test_no_plan_is_above_the_largest_factor);
  tcase_add_test(tests, test_a_limit_in_parts);
  tcase_add_test(tests, test_inference_reads_once);
  tcase_add_test(tests, test_mini_epochs_that_are_given);
  tcase_add_loop_test(tests, test_refusals, 0, COUNT_OF(refusals));
  tcase_add_test(tests, test_no_number_of_mini_epochs);
  suite_add_tcase(suite, tests);
  return suite;
}
