/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of requests: what is read, what is refused, and what serving makes of them. */
#include <stdlib.h>
#include <string.h>

#include "suites.h"

static dsm_serving_lengths *parse(const char *text) {
  dsm_serving_lengths *made = NULL;
  dsm_diags_clear(diags);
  const dsm_status status =
      dsm_serving_lengths_parse(&made, text, strlen(text), "trace.csv", diags);
  ck_assert_int_eq(status == DSM_OK, made != NULL);
  return made;
}

START_TEST(test_columns) {
  dsm_serving_lengths *const made = parse("note,output_tokens,arrival_seconds,input_tokens\n"
                                          "a,7,0.5,20\n\nb,1,0.5,30\n\"c\",9,2,1\n");
  ck_assert_ptr_nonnull(made);
  ck_assert_uint_eq(made->count, 3);
  ck_assert(made->has_arrivals);
  ck_assert_uint_eq(made->items[1].input_tokens, 30);
  ck_assert_uint_eq(made->items[1].output_tokens, 1);
  ck_assert_double_eq(made->items[2].arrival_seconds, 2);
  dsm_serving_lengths_free(made);
}
END_TEST

static const struct {
  const char *text;
  size_t line;
  const char *found;
} bad[] = {
    {"", 1, "at least one request"},
    {"input_tokens,output_tokens\n", 1, "at least one request"},
    {"input,output\n1,2\n", 1, "found no input_tokens"},
    {"input_tokens\n1\n", 1, "found no output_tokens"},
    {"input_tokens,output_tokens\n1,2\n1,nan\n", 3, "output_tokens: expected a whole number"},
    {"input_tokens,output_tokens\n0,2\n0,3\n", 2, "input_tokens: expected a whole number"},
    {"input_tokens,output_tokens\n1.5,2\n", 2, "found \"1.5\""},
    {"input_tokens,output_tokens\n-1,2\n", 2, "found \"-1\""},
    {"input_tokens,output_tokens\n1,1e30\n", 2, "found \"1e30\""},
    {"input_tokens,output_tokens\n1048575,1\n1048575,2\n", 3, "at most 1048576 tokens of both"},
    {"input_tokens,output_tokens\n1,2,3\n", 2, "expected 2 fields"},
    {"input_tokens,output_tokens\n1,2\n1,\"2\n", 4, ""},
    {"input_tokens,output_tokens,arrival_seconds\n1,2,5\n1,2,4\n", 3, "not before the one above"},
    {"input_tokens,output_tokens,arrival_seconds\n1,2,5\n1,2,5\n", 0, "at the same time"},
};

START_TEST(test_bad_files) {
  ck_assert_ptr_null(parse(bad[_i].text));
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->file, "trace.csv");
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, bad[_i].found));
  if (bad[_i].line > 0) {
    ck_assert_uint_eq(dsm_diags_get(diags, 0)->line, bad[_i].line);
  }
}
END_TEST

START_TEST(test_million_lines) {
  static const char head[] = "input_tokens,output_tokens\n";
  enum { LINES = 1000000 };
  char *const text = malloc(sizeof head + 4 * (size_t)LINES);
  ck_assert_ptr_nonnull(text);
  strcpy(text, head);
  for (size_t i = 0; i < LINES; i++) {
    memcpy(text + strlen(head) + 4 * i, "5,5\n", 5);
  }
  ck_assert_ptr_null(parse(text));
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_uint_eq(dsm_diags_get(diags, 0)->line, DSM_SERVING_LENGTHS_MAX + 2);
  free(text);
}
END_TEST

/* Equal requests are as if they were given by numbers. */
START_TEST(test_equal_requests) {
  dsm_serving_options options = options_of();
  dsm_serving *const numbers = serve(&options);
  dsm_serving_lengths *const lengths = parse("input_tokens,output_tokens\n24,17\n24,17\n24,17\n");
  options.input_tokens = 1;
  options.output_tokens = 1;
  options.lengths = lengths;
  dsm_serving *const trace = serve(&options);
  ck_assert_uint_eq(trace->options.input_tokens, 24);
  ck_assert_uint_eq(trace->options.output_tokens, 17);
  ck_assert_double_eq(trace->cache_bytes_per_request, numbers->cache_bytes_per_request);
  ck_assert_double_eq(trace->best.chip_requests_per_second, numbers->best.chip_requests_per_second);
  ck_assert_uint_eq(trace->point_count, numbers->point_count);
  dsm_serving_free(trace);
  dsm_serving_free(numbers);
  dsm_serving_lengths_free(lengths);
}
END_TEST

/* Of (10, 3) and (40, 9) the means are 25 and 6; 2 steps end at 13 and 8 at 49, 41.8 on average. */
START_TEST(test_means) {
  dsm_serving_options options = options_of();
  dsm_serving_lengths *const lengths =
      parse("input_tokens,output_tokens,arrival_seconds\n10,3,1\n40,9,1.001\n");
  options.lengths = lengths;
  options.simulated_requests = 100;
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_eq(serving->options.input_tokens, 25);
  ck_assert_uint_eq(serving->options.output_tokens, 6);
  ck_assert_double_eq(serving->cache_bytes_per_request, 42 * 64);
  ck_assert_uint_eq(serving->engine.positions, 49);
  ck_assert_double_eq_tol(serving->options.rate, 1000, 1e-6);
  ck_assert_uint_eq(serving->simulation.requests, 2);
  ck_assert_double_gt(serving->simulation.ttft.p99, serving->simulation.ttft.p50);
  dsm_serving_free(serving);
  dsm_serving_lengths_free(lengths);
}
END_TEST

/* A cache for the mean is too small for long ones at times: they leave, and all are served. */
START_TEST(test_long_requests_leave) {
  dsm_serving_options options = options_of();
  dsm_serving_lengths *const lengths = parse("input_tokens,output_tokens\n8,3\n8,200\n200,5\n");
  options.lengths = lengths;
  options.simulated_requests = 500;
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_eq(serving->simulation.requests, 500);
  ck_assert_double_gt(serving->simulation.request.p99, serving->simulation.request.p50);
  dsm_serving_free(serving);
  dsm_serving_lengths_free(lengths);
}
END_TEST

Suite *suite_lengths(void) {
  Suite *const suite = suite_create("lengths");
  TCase *const tests = tcase_create("lengths");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_columns);
  tcase_add_loop_test(tests, test_bad_files, 0, COUNT_OF(bad));
  tcase_add_test(tests, test_million_lines);
  tcase_add_test(tests, test_equal_requests);
  tcase_add_test(tests, test_means);
  tcase_add_test(tests, test_long_requests_leave);
  suite_add_tcase(suite, tests);
  return suite;
}
