/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors from traces: by hand, and beside another reading of the rules. */
#include <math.h>
#include <stdlib.h>

#include "jobs.h"
#include "random_numbers.h"
#include "suites.h"

enum { ROWS_MAX = 400 };

/* A trace whose score, with weights 1, 0, 0, is the loss. */
static dsm_metric_trace trace_of(double *values, const double *losses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    values[i * DSM_METRIC_COUNT] = losses[i];
    values[i * DSM_METRIC_COUNT + 1] = 100; /* weighs nothing */
    values[i * DSM_METRIC_COUNT + 2] = -7;
  }
  return (dsm_metric_trace){.values = values, .row_count = count};
}

static dsm_replay_options options_of(dsm_repeat_rule rule) {
  dsm_storage_options options;
  dsm_storage_options_init(&options);
  options.replay.rule = rule;
  options.replay.weights[DSM_METRIC_TRAIN_ERROR] = 0;
  options.replay.weights[DSM_METRIC_VALIDATION_ERROR] = 0;
  return options.replay;
}

static void expect(const double *losses, size_t count, const dsm_replay_options *options,
                   const double *due, size_t due_count) {
  double values[ROWS_MAX * DSM_METRIC_COUNT];
  double repeats[ROWS_MAX];
  size_t found = 0;
  const dsm_metric_trace trace = trace_of(values, losses, count);
  ck_assert_int_eq(dsm_repeats_replay(repeats, &found, &trace, options, NULL), DSM_OK);
  ck_assert_uint_eq(found, due_count);
  for (size_t i = 0; i < found; i++) {
    ck_assert_double_eq(repeats[i], due[i]);
  }
}

/* Threshold 2. 5 is the best, 4 better, 6 and 4 are not (equal is no better): the end after 4. The
 * best is still 4: 9 and 8 end the next one after 2. 3, 2, 1 get better until the trace ends. */
START_TEST(test_score_by_hand) {
  static const double losses[] = {5, 4, 6, 4, 9, 8, 3, 2, 1};
  static const double due[] = {4, 2, 3};
  dsm_replay_options options = options_of(DSM_REPEAT_RULE_SCORE);
  options.threshold = 2;
  expect(losses, 9, &options, due, 3);
  static const double limited[] = {3, 2, 3, 1}; /* 5 4 6 | 4 9 | 8 3 2 | 1: wait begins anew */
  options.max_repeat = 3;
  expect(losses, 9, &options, limited, 4);
  static const double one[] = {1};
  options.threshold = 1;
  expect(losses, 1, &options, one, 1); /* at least one repeat */
}
END_TEST

/* N = 3, K = 1.2, below the square root of 2. 10 10 10: no deviation. 10 10 4: mean 8, deviation
 * 2.83, 4 < 4.6: the end after 4. 10 4 4: mean 6, 4 > 2.6; 4 4 4: none; 4 4 1: mean 3, deviation
 * 1.41, 1 < 1.3: the end after 3 more. */
START_TEST(test_bollinger_by_hand) {
  static const double losses[] = {10, 10, 10, 4, 4, 4, 1, 1};
  static const double due[] = {4, 3, 1};
  dsm_replay_options options = options_of(DSM_REPEAT_RULE_BOLLINGER);
  options.window = 3;
  options.deviations = 1.2;
  expect(losses, 8, &options, due, 3);
}
END_TEST

/* The rules read once more: each row asks all that came before it. */
static bool ends_here(const double *losses, size_t first, size_t row,
                      const dsm_replay_options *options) {
  if (options->rule == DSM_REPEAT_RULE_SCORE) {
    uint64_t since = 0; /* repeats of this mini-epoch at the end of it that were no better */
    for (size_t i = row + 1; i-- > first;) {
      bool is_better = true;
      for (size_t j = 0; j < i; j++) {
        is_better = is_better && losses[i] < losses[j];
      }
      if (is_better) {
        break;
      }
      since++;
    }
    return since >= options->threshold;
  }
  const size_t window = (size_t)options->window;
  if (row + 1 < window) {
    return false;
  }
  double sum = 0;
  double squares = 0;
  for (size_t i = row + 1 - window; i <= row; i++) {
    sum += losses[i];
    squares += losses[i] * losses[i];
  }
  const double mean = sum / (double)window;
  const double deviation = sqrt(fmax(0, squares / (double)window - mean * mean));
  return losses[row] < mean - options->deviations * deviation;
}

START_TEST(test_beside_another_reading) {
  uint64_t state = 1906;
  for (int n = 0; n < 200; n++) {
    const size_t count = 1 + (size_t)random_below(&state, ROWS_MAX - 1);
    dsm_replay_options options =
        options_of(_i == 0 ? DSM_REPEAT_RULE_SCORE : DSM_REPEAT_RULE_BOLLINGER);
    options.threshold = 1 + random_below(&state, 5);
    options.window = 2 + random_below(&state, 30);
    options.deviations = number_drawn(&state, 0.3, 0.95) * sqrt((double)options.window - 1);
    options.max_repeat = random_below(&state, 3) == 0 ? 1 + random_below(&state, 20) : 0;
    double losses[ROWS_MAX];
    double due[ROWS_MAX];
    size_t due_count = 0;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
      losses[i] = 5 * exp(-(double)i / 60) + number_drawn(&state, 0, 1);
    }
    for (size_t i = 0; i < count; i++) {
      if (ends_here(losses, first, i, &options) || i + 1 - first == options.max_repeat ||
          i + 1 == count) {
        due[due_count++] = (double)(i + 1 - first);
        first = i + 1;
      }
    }
    expect(losses, count, &options, due, due_count);
  }
}
END_TEST

/* Scores of any size: what is multiplied by a power of 2 is the same trace, as long as no bit is
 * lost; 1e160 and 1e-170, whose squares are no numbers, as 1. */
START_TEST(test_scores_of_any_size) {
  static const double by_hand[] = {10, 10, 10, 4, 4, 4, 1, 1};
  static const double due_by_hand[] = {4, 3, 1};
  static const double sizes[] = {1e160, 1e-170, 1e305, 1e-305};
  dsm_replay_options options = options_of(DSM_REPEAT_RULE_BOLLINGER);
  options.window = 3;
  options.deviations = 1.2;
  double scaled[ROWS_MAX];
  for (int s = 0; s < COUNT_OF(sizes); s++) {
    for (int i = 0; i < COUNT_OF(by_hand); i++) {
      scaled[i] = sizes[s] * by_hand[i];
    }
    expect(scaled, COUNT_OF(by_hand), &options, due_by_hand, COUNT_OF(due_by_hand));
  }
  uint64_t state = 1907;
  for (int n = 0; n < 100; n++) {
    const size_t count = 1 + (size_t)random_below(&state, ROWS_MAX - 1);
    const int power = (int)random_below(&state, 1900) - 950;
    double losses[ROWS_MAX];
    double values[ROWS_MAX * DSM_METRIC_COUNT];
    double due[ROWS_MAX];
    size_t due_count = 0;
    options.window = 2 + random_below(&state, 30);
    options.deviations = number_drawn(&state, 0.1, 0.95) * sqrt((double)options.window - 1);
    for (size_t i = 0; i < count; i++) {
      losses[i] = number_drawn(&state, 0, 1) - 0.5;
      scaled[i] = ldexp(losses[i], power);
    }
    const dsm_metric_trace trace = trace_of(values, losses, count);
    ck_assert_int_eq(dsm_repeats_replay(due, &due_count, &trace, &options, NULL), DSM_OK);
    expect(scaled, count, &options, due, due_count);
  }
}
END_TEST

/* Equal scores have no deviation, whatever their mean is rounded to; the largest differences of
 * numbers do not overflow. */
START_TEST(test_scores_at_the_edge) {
  static const double equal[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
  static const double six[] = {6};
  static const double apart[] = {1.7e308, 1.7e308, -1.7e308, 1.7e308};
  static const double due[] = {3, 1};
  dsm_replay_options options = options_of(DSM_REPEAT_RULE_BOLLINGER);
  options.window = 3;
  options.deviations = 1e-3;
  expect(equal, COUNT_OF(equal), &options, six, 1);
  options.deviations = 1.4; /* the last of 2, 2, -2 is 1.414 deviations below their mean */
  expect(apart, COUNT_OF(apart), &options, due, COUNT_OF(due));
}
END_TEST

/* A score is a sum, which may be too large. */
START_TEST(test_scores_that_are_no_numbers) {
  static const double losses[] = {1, 1.7e308};
  double values[2 * DSM_METRIC_COUNT];
  double repeats[2];
  size_t count = 0;
  const dsm_metric_trace trace = trace_of(values, losses, 2);
  dsm_replay_options options = options_of(DSM_REPEAT_RULE_SCORE);
  dsm_diags *const diags = dsm_diags_new(4);
  options.weights[DSM_METRIC_LOSS] = 2;
  ck_assert_int_eq(dsm_repeats_replay(repeats, &count, &trace, &options, diags), DSM_ERROR_INVALID);
  ck_assert_uint_eq(count, 0);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "row 2 of the trace: expected metrics whose weighted sum is at most 1.8e+308, "
                   "found a larger one");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_options_that_are_refused) {
  static const double losses[] = {1};
  double values[DSM_METRIC_COUNT];
  double repeats[1];
  size_t count = 1;
  const dsm_metric_trace trace = trace_of(values, losses, 1);
  const dsm_replay_options score = options_of(DSM_REPEAT_RULE_SCORE);
  const dsm_replay_options band = options_of(DSM_REPEAT_RULE_BOLLINGER);
  dsm_replay_options bad[9];
  for (int i = 0; i < COUNT_OF(bad); i++) {
    bad[i] = i < 4 ? score : band;
  }
  bad[0].rule = DSM_REPEAT_RULE_NONE;
  bad[1].threshold = 0;
  bad[2].weights[0] = 0; /* so that all are */
  bad[3].weights[1] = (double)NAN;
  bad[4].window = 1;
  bad[5].deviations = 0;
  bad[6].deviations = (double)NAN;
  bad[7].window = 5;
  bad[7].deviations = 2; /* the square root of 5 - 1: no score is further from the mean */
  bad[8].window = DSM_WINDOW_MAX + 1;
  for (int i = 0; i < COUNT_OF(bad); i++) {
    ck_assert_int_eq(dsm_repeats_replay(repeats, &count, &trace, &bad[i], NULL), DSM_ERROR_USAGE);
    ck_assert_uint_eq(count, 0);
  }
  bad[7].deviations = 1.999;
  ck_assert_int_eq(dsm_repeats_replay(repeats, &count, &trace, &bad[7], NULL), DSM_OK);
}
END_TEST

Suite *suite_replay(void) {
  Suite *const suite = suite_create("replay");
  TCase *const tests = tcase_create("replay");
  tcase_add_test(tests, test_score_by_hand);
  tcase_add_test(tests, test_bollinger_by_hand);
  tcase_add_loop_test(tests, test_beside_another_reading, 0, 2);
  tcase_add_test(tests, test_scores_of_any_size);
  tcase_add_test(tests, test_scores_at_the_edge);
  tcase_add_test(tests, test_scores_that_are_no_numbers);
  tcase_add_test(tests, test_options_that_are_refused);
  suite_add_tcase(suite, tests);
  return suite;
}
