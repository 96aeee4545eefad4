/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_trace.c: any bytes as a trace of metrics, or as an answer of storage; what is read is
 * replayed by both rules, written, read again and drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/plot.h"
#include "fuzz.h"

/* 100 samples of 10 bytes in 4 mini-epochs. */
static const dsm_storage_job job = {.samples = 100,
                                    .sample_bytes = 10,
                                    .samples_per_second = 8,
                                    .demand_bytes_per_second = 80,
                                    .fast_bytes = 500,
                                    .fast_bytes_per_second = 160,
                                    .capacity_bytes_per_second = 20};

static void check_result(const dsm_storage_result *result) {
  const double numbers[] = {
      result->state.samples_per_second, result->state.capacity_bytes_per_second,
      result->state.mini_epoch_bytes,   result->state.period_seconds,
      result->state.waiting_share,      result->mean.seconds,
      result->mean.samples_per_second,  result->timeline_seconds};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    FUZZ_CHECK(isfinite(numbers[i]) && numbers[i] >= 0);
  }
  FUZZ_CHECK(result->state.waiting_share <= 1 && result->state.stall_share <= 1);
}

/* Text is written and read as the same. */
static void check_written(dsm_storage_result *result) {
  result->name = "it";
  char *const text = as_json(DSM_ANSWER(storage, result));
  dsm_storage_result *again = NULL;
  FUZZ_CHECK(text != NULL && strstr(text, "inf") == NULL && strstr(text, "nan") == NULL);
  FUZZ_CHECK(parsed_as(&dsm_answer_storage, &again, text, strlen(text), "s.json", NULL) == DSM_OK);
  char *const other = as_json(DSM_ANSWER(storage, again));
  FUZZ_CHECK(other != NULL && strcmp(text, other) == 0);
  for (size_t figure = 0; figure < 2; figure++) { /* without the roof, which it may not have */
    dsm_plot *plot = NULL;
    FUZZ_CHECK(dsm_plot_answer(&plot, DSM_ANSWER(storage, again), figure, NULL) == DSM_OK);
    FUZZ_CHECK(strstr(plot->body, "nan") == NULL && strstr(plot->body, "inf") == NULL);
    dsm_plot_free(plot);
  }
  free(other);
  free(text);
  dsm_storage_result_free(again);
}

/* Every row is in a mini-epoch. */
static void check_replay(const dsm_metric_trace *trace, dsm_repeat_rule rule, uint64_t window) {
  dsm_storage_options options;
  dsm_storage_result *result = NULL;
  dsm_storage_options_init(&options);
  options.trace = trace;
  options.replay.rule = rule;
  options.replay.threshold = window;
  options.replay.window = window;
  options.replay.deviations = 0.9 * sqrt((double)window - 1);
  options.wants_timeline = true;
  FUZZ_CHECK(dsm_storage(&result, &job, &options, NULL) == DSM_OK);
  double rows = 0;
  for (size_t i = 0; i < result->repeat_count; i++) {
    FUZZ_CHECK(result->repeats[i] >= 1);
    rows += result->repeats[i];
  }
  FUZZ_CHECK(rows >= (double)trace->row_count && rows <= (double)trace->row_count);
  check_result(result);
  check_written(result);
  dsm_storage_result_free(result);
}

static void check_answer(const char *text, size_t size) {
  dsm_storage_result *result = NULL;
  dsm_diags *const diags = fuzz_diags();
  const dsm_status status = parsed_as(&dsm_answer_storage, &result, text, size, "s.json", diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (result != NULL));
  FUZZ_CHECK(status == DSM_OK || dsm_diags_count(diags) > 0);
  if (result != NULL) {
    check_result(result);
    check_written(result);
  }
  dsm_storage_result_free(result);
  dsm_diags_free(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double weights[DSM_METRIC_COUNT] = {1, 1, 1};
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_metric_trace *trace = NULL;
  const dsm_status status = dsm_metric_trace_parse(&trace, text, size, "t.csv", weights, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (trace != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  if (trace != NULL) {
    check_replay(trace, DSM_REPEAT_RULE_SCORE, 2);
    check_replay(trace, DSM_REPEAT_RULE_BOLLINGER, 2);
    check_replay(trace, DSM_REPEAT_RULE_BOLLINGER, 5);
  } else {
    check_answer(text, size);
  }
  dsm_metric_trace_free(trace);
  free(text);
  return 0;
}
