/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of metrics, good ones and hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/storage.h"
#include "suites.h"

static const double all[DSM_METRIC_COUNT] = {1, 1, 1};

static dsm_status parse(dsm_metric_trace **trace, const char *text, size_t length,
                        const double weights[DSM_METRIC_COUNT], dsm_diags *diags) {
  return dsm_metric_trace_parse(trace, text, length, "trace.csv", weights, diags);
}

/* In any order, with other columns, spaces, a mark of the byte order and lines that end as on
 * Windows. */
START_TEST(test_columns_by_name) {
  static const char text[] = "\xEF\xBB\xBF"
                             "step, validation_error ,loss,\"train_error\",note\r\n"
                             "0,0.5, 2e0,0.25,\"a, b\"\r\n\r\n1,0.4,1,0.2,\r\n";
  dsm_metric_trace *trace = NULL;
  ck_assert_int_eq(parse(&trace, text, sizeof text - 1, all, NULL), DSM_OK);
  ck_assert_uint_eq(trace->row_count, 2);
  static const double due[] = {2, 0.25, 0.5, 1, 0.2, 0.4};
  for (int i = 0; i < COUNT_OF(due); i++) {
    ck_assert_double_eq(trace->values[i], due[i]);
  }
  dsm_metric_trace_free(trace);
}
END_TEST

START_TEST(test_a_metric_without_weight_may_be_missing) {
  static const char text[] = "loss\n3\n";
  static const double loss_alone[DSM_METRIC_COUNT] = {1, 0, 0};
  dsm_metric_trace *trace = NULL;
  ck_assert_int_eq(parse(&trace, text, sizeof text - 1, loss_alone, NULL), DSM_OK);
  ck_assert_double_eq(trace->values[1], 0);
  dsm_metric_trace_free(trace);
  ck_assert_int_eq(parse(&trace, text, sizeof text - 1, all, NULL), DSM_ERROR_INVALID);
}
END_TEST

typedef struct bad_trace {
  const char *text;
  size_t line;
  const char *message;
} bad_trace;

static const bad_trace bad[] = {
    {"", 1, "expected a line of column names and at least one row"},
    {"loss,train_error,validation_error\n", 1,
     "expected a line of column names and at least one row"},
    {"loss,train_error\n1,2\n", 1, "expected a column \"validation_error\""},
    {"loss,train_error,validation_eror\n1,2,3\n", 1, "expected a column \"validation_error\""},
    {"loss,loss,train_error,validation_error\n1,1,2,3\n", 1, "column \"loss\" is there twice"},
    {"loss,train_error,validation_error\n1,2,3\n1,nan,3\n", 3,
     "train_error: expected a finite number, found \"nan\""},
    {"loss,train_error,validation_error\n1,inf,3\n", 2,
     "train_error: expected a finite number, found \"inf\""},
    {"loss,train_error,validation_error\n1,1e999,3\n", 2,
     "train_error: expected a finite number, found \"1e999\""},
    {"loss,train_error,validation_error\n1,,3\n", 2,
     "train_error: expected a finite number, found \"\""},
    {"loss,train_error,validation_error\n1,0x10,3\n", 2,
     "train_error: expected a finite number, found \"0x10\""},
    {"loss,train_error,validation_error\n1e308,1e308,3\n", 2,
     "expected metrics whose weighted sum is at most 1.8e+308, found a larger one"},
    {"loss,train_error,validation_error\n1,2\n", 2, "expected 3 fields, one a column, found 2"},
    {"loss,train_error,validation_error\n1,2,3,4\n", 2, "expected 3 fields, one a column, found 4"},
    {"loss,train_error,validation_error\n1,\"2,3\n", 2,
     "expected quotes at the end of the field, found the end of the file"},
    {"loss,train_error,validation_error\n\xff,2,3\n", 2, "expected text in UTF-8"},
};

START_TEST(test_bad_traces) {
  dsm_metric_trace *trace = NULL;
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_int_eq(parse(&trace, bad[_i].text, strlen(bad[_i].text), all, diags),
                   DSM_ERROR_INVALID);
  ck_assert_ptr_null(trace);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  const dsm_diag *const found = dsm_diags_get(diags, 0);
  ck_assert_str_eq(found->message, bad[_i].message);
  ck_assert_str_eq(found->file, "trace.csv");
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_a_nul_byte) {
  static const char text[] = "loss,train_error,validation_error\n1,\0 2,3\n";
  dsm_metric_trace *trace = NULL;
  ck_assert_int_eq(parse(&trace, text, sizeof text - 1, all, NULL), DSM_ERROR_INVALID);
}
END_TEST

/* A million rows, and as many bad ones: what is found is bounded, and so is the time. */
START_TEST(test_a_million_rows) {
  enum { ROWS = 1000000 };
  static const char head[] = "loss,train_error,validation_error\n";
  static const char good[] = "0.125,0.25,0.5\n";
  static const char wrong[] = "0.125,none,0.5\n";
  char *const text = malloc(sizeof head + (size_t)ROWS * (sizeof good - 1));
  ck_assert_ptr_nonnull(text);
  for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
    const char *const row = is_wrong ? wrong : good;
    size_t length = sizeof head - 1;
    memcpy(text, head, length);
    for (int i = 0; i < ROWS; i++) {
      memcpy(text + length, row, sizeof good - 1);
      length += sizeof good - 1;
    }
    dsm_metric_trace *trace = NULL;
    dsm_diags *const diags = dsm_diags_new(8);
    const dsm_status status = parse(&trace, text, length, all, diags);
    ck_assert_int_eq(status, is_wrong ? DSM_ERROR_INVALID : DSM_OK);
    ck_assert(is_wrong || trace->row_count == ROWS);
    dsm_metric_trace_free(trace);
    dsm_diags_free(diags);
  }
  free(text);
}
END_TEST

START_TEST(test_words) {
  ck_assert_str_eq(dsm_metric_name(DSM_METRIC_VALIDATION_ERROR), "validation_error");
  ck_assert_str_eq(dsm_repeat_rule_name(DSM_REPEAT_RULE_BOLLINGER), "bollinger");
  dsm_metric_trace_free(NULL);
}
END_TEST

Suite *suite_trace(void) {
  Suite *const suite = suite_create("trace");
  TCase *const tests = tcase_create("trace");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_columns_by_name);
  tcase_add_test(tests, test_a_metric_without_weight_may_be_missing);
  tcase_add_loop_test(tests, test_bad_traces, 0, COUNT_OF(bad));
  tcase_add_test(tests, test_a_nul_byte);
  tcase_add_test(tests, test_a_million_rows);
  tcase_add_test(tests, test_words);
  suite_add_tcase(suite, tests);
  return suite;
}
