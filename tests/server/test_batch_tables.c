/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_batch_tables.c: times over the size of a batch: read, computed, joined, chosen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/dsm.h"
#include "read.h"
#include "suites.h"

/* b stands before a, of which it is made. y runs b alone. */
static const char profile[] =
    "{'format': 'dsm-profile/1', 'name': 'p', 'tasks': ["
    "{'name': 'b', 'weights_bytes': 1, 'output_bytes': 1, 'inputs': ['a'],"
    " 'seconds': {'x': [[2, 4], [8, 7]], 'y': 3}},"
    "{'name': 'a', 'weights_bytes': 1, 'output_bytes': 1, 'inputs': [],"
    " 'seconds': {'x': [[1, 1], [4, 3.5], [16, 2]], 'y': null}}],"
    " 'devices': [{'name': 'x'}, {'name': 'y'}]}";

static dsm_status parse(dsm_instance **made, const char *batches, size_t task_count,
                        dsm_diags *diags) {
  char text[sizeof profile];
  for (size_t k = 0; k < sizeof profile; k++) {
    text[k] = profile[k] == '\'' ? '"' : profile[k];
  }
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.task_count = task_count;
  options.batches = &batches;
  options.batch_count = batches == NULL ? 0 : 1;
  return dsm_profile_parse(made, text, strlen(text), "p", &options, diags);
}

static dsm_instance *read_batches(const char *batches, size_t task_count) {
  dsm_instance *made = NULL;
  ck_assert_int_eq(parse(&made, batches, task_count, NULL), DSM_OK);
  return made;
}

/* Of a device with a ratio all times are so many times those given, at every batch. */
START_TEST(times_have_a_ratio) {
  static const char ratio[] = "{'format': 'dsm-profile/1', 'name': 'p', 'tasks': ["
                              "{'name': 'a', 'weights_bytes': 1, 'output_bytes': 1, 'inputs': [],"
                              " 'seconds': {'x': [[1, 2], [3, 4]], 'y': 8, 'z': null}}],"
                              " 'devices': [{'name': 'x', 'seconds_ratio': 0.5},"
                              " {'name': 'y', 'seconds_ratio': 0.25},"
                              " {'name': 'z', 'seconds_ratio': 4}]}";
  dsm_instance *const made = read_profile(ratio, 0);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 1), 1);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 2), 1.5);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 3), 2);
  expect_number(dsm_instance_seconds(made, 0, 1), 2);
  ck_assert(isinf(dsm_instance_seconds(made, 0, 2)));
  dsm_instance_free(made);
}
END_TEST

START_TEST(times_lie_on_lines) {
  static const struct {
    uint32_t size;
    double a; /* of the batch, on x; infinite: beyond the table */
    double b;
  } expected[] = {
      {1, 1, HUGE_VAL},  {2, 1 + 2.5 / 3, 4},     {4, 3.5, 5}, {8, 3, 7}, {10, 2.75, HUGE_VAL},
      {16, 2, HUGE_VAL}, {17, HUGE_VAL, HUGE_VAL}};
  dsm_instance *const made = read_batches(NULL, 0);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    const double a = dsm_instance_batch_seconds(made, 0, 0, expected[k].size);
    const double b = dsm_instance_batch_seconds(made, 1, 0, expected[k].size);
    ck_assert(a == expected[k].a || fabs(a - expected[k].a) < 1e-12);
    ck_assert(b == expected[k].b || fabs(b - expected[k].b) < 1e-12);
  }
  ck_assert(isinf(dsm_instance_batch_seconds(made, 0, 1, 1)));
  expect_number(dsm_instance_batch_seconds(made, 1, 1, 1), 3);
  ck_assert(isinf(dsm_instance_batch_seconds(made, 1, 1, 2)));
  dsm_instance_free(made);
}
END_TEST

/* The smallest that both tasks have; y has none but 1. */
START_TEST(the_smallest_is_the_default) {
  dsm_instance *const made = read_batches(NULL, 0);
  ck_assert_uint_eq(made->devices[0].batch, 2);
  ck_assert_uint_eq(made->devices[1].batch, 1);
  ck_assert_uint_lt(made->devices[0].batch_size_count, 2);
  expect_number(dsm_instance_seconds(made, 0, 0), (1 + 2.5 / 3) / 2);
  expect_number(dsm_instance_seconds(made, 1, 0), 2);
  dsm_instance_free(made);
}
END_TEST

START_TEST(sizes_are_chosen) {
  dsm_instance *made = read_batches("x=6", 0);
  expect_number(dsm_instance_seconds(made, 0, 0), 3.25 / 6);
  expect_number(dsm_instance_seconds(made, 1, 0), 1);
  dsm_instance_free(made);
  made = read_batches("best", 0);
  const uint32_t *const sizes = made->devices[0].batch_sizes;
  ck_assert_uint_eq(made->devices[0].batch_size_count, 3); /* those of either that both can have */
  ck_assert(sizes[0] == 2 && sizes[1] == 4 && sizes[2] == 8);
  dsm_instance_free(made);
  const char *const of_x = "x*=8,3,8";
  made = read_batches(of_x, 0);
  ck_assert_uint_eq(made->devices[0].batch, 3);
  ck_assert_uint_eq(made->devices[0].batch_size_count, 2);
  dsm_instance_free(made);
}
END_TEST

START_TEST(joined_tasks_add_up) {
  dsm_instance *const made = read_batches("x=2,4,5", 1);
  ck_assert_uint_eq(made->task_count, 1);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 2), 4 + 1 + 2.5 / 3);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 4), 5 + 3.5);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 5), 5.5 + 3.375);
  expect_number(dsm_instance_batch_seconds(made, 0, 0, 8), 7 + 3);
  expect_number(dsm_instance_seconds(made, 0, 0), (4 + 1 + 2.5 / 3) / 2);
  ck_assert(isinf(dsm_instance_batch_seconds(made, 0, 0, 1)));
  ck_assert(isinf(dsm_instance_seconds(made, 0, 1)));
  dsm_instance_free(made);
}
END_TEST

START_TEST(what_is_written_is_read_back) {
  dsm_instance *const made = read_batches(NULL, 0);
  char *text = NULL;
  ck_assert_int_eq(dsm_profile_text(&text, made, NULL, NULL), DSM_OK);
  dsm_instance *again = NULL;
  ck_assert_int_eq(dsm_profile_parse(&again, text, strlen(text), "p", NULL, NULL), DSM_OK);
  for (uint32_t size = 1; size < 18; size++) {
    for (size_t k = 0; k < 4; k++) {
      const double before = dsm_instance_batch_seconds(made, k / 2, k % 2, size);
      const double after = dsm_instance_batch_seconds(again, k / 2, k % 2, size);
      ck_assert((isinf(before) && isinf(after)) || before == after);
    }
  }
  dsm_instance_free(again);
  dsm_instance_free(made);
  free(text);
}
END_TEST

/* What a computed batch takes is what requests of as many samples take. */
START_TEST(computed_batches_are_samples) {
  static const char layers[] = "{'name': 'f', 'type': 'fc', 'in': 64, 'out': 32},"
                               "{'name': 'g', 'type': 'fc', 'in': 32, 'out': 8}";
  static const char device[] =
      "{'name': 'd', 'kind': 'roofline', 'peak_TFLOPs': 0.001, 'memory_bandwidth_GBps': 1,"
      " 'efficiency_ratio': 0.5, 'task_microseconds': 3}";
  const char *const batches[] = {"3"};
  dsm_server *const server = read_server(device);
  dsm_workload *const workload = read_network(layers);
  for (size_t tasks = 0; tasks < 2; tasks++) {
    dsm_instance_options options;
    dsm_instance_options_init(&options);
    options.batch = 2;
    options.task_count = tasks;
    options.batches = batches;
    options.batch_count = 1;
    dsm_instance *made = NULL;
    ck_assert_int_eq(dsm_instance_make(&made, workload, server, &options, NULL), DSM_OK);
    dsm_instance *const whole = make_instance(layers, device, 6, tasks);
    ck_assert_uint_eq(made->devices[0].batch, 3);
    for (size_t i = 0; i < made->task_count; i++) {
      expect_number(dsm_instance_batch_seconds(made, i, 0, 3), dsm_instance_seconds(whole, i, 0));
      expect_number(3 * dsm_instance_seconds(made, i, 0), dsm_instance_seconds(whole, i, 0));
    }
    dsm_instance_free(whole);
    dsm_instance_free(made);
  }
  dsm_workload_free(workload);
  dsm_server_free(server);
}
END_TEST

static const struct {
  const char *batches;
  const char *text;
} refused[] = {
    {"0", "expected a batch from 1 to 65536, several with commas, or best, found \"0\""},
    {"x=", "found \"\""},
    {"x=2,", "found \"2,\""},
    {"x=-2", "found \"-2\""},
    {"x=65537", "found \"65537\""},
    {"z=2", "expected the name of a device, found \"z\""},
    {"x=9", "expected a batch from 2 to 8 for device \"x\", of which there are times, found 9"},
    {"x=1", "found 1"},
    {"y=2", "expected a batch of 1 for device \"y\", which has times of that alone, found 2"},
};

START_TEST(what_is_no_batch_is_refused) {
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_instance *made = NULL;
  ck_assert_int_eq(parse(&made, refused[_i].batches, 0, diags), DSM_ERROR_USAGE);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, refused[_i].text));
  dsm_diags_free(diags);
}
END_TEST

/* No time is that of any batch. */
START_TEST(no_time_is_of_any_batch) {
  static const char text[] =
      "{\"format\":\"dsm-profile/1\",\"name\":\"p\",\"devices\":[{\"name\":\"x\"}],\"tasks\":["
      "{\"name\":\"a\",\"weights_bytes\":1,\"output_bytes\":1,\"seconds\":{\"x\":0}},"
      "{\"name\":\"b\",\"weights_bytes\":1,\"output_bytes\":1,\"seconds\":{\"x\":[[4,8],[8,9]]}}]}";
  dsm_instance *made = NULL;
  ck_assert_int_eq(dsm_profile_parse(&made, text, strlen(text), "p", NULL, NULL), DSM_OK);
  ck_assert_uint_eq(made->devices[0].batch, 4);
  ck_assert_double_eq(dsm_instance_batch_seconds(made, 0, 0, 8), 0);
  expect_number(dsm_instance_seconds(made, 1, 0), 2);
  dsm_instance_free(made);
}
END_TEST

/* A table of all sizes there are is a table like others. */
START_TEST(the_largest_batch_can_be_run) {
  static const char text[] =
      "{\"format\":\"dsm-profile/1\",\"name\":\"p\",\"devices\":[{\"name\":\"x\"}],\"tasks\":["
      "{\"name\":\"a\",\"weights_bytes\":1,\"output_bytes\":1,"
      "\"seconds\":{\"x\":[[1,1],[65536,2]]}}]}";
  const char *const batches[] = {"65536"};
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.batches = batches;
  options.batch_count = 1;
  dsm_instance *made = NULL;
  ck_assert_int_eq(dsm_profile_parse(&made, text, strlen(text), "p", &options, NULL), DSM_OK);
  ck_assert_uint_eq(made->devices[0].batch, 65536);
  expect_number(dsm_instance_seconds(made, 0, 0), 2.0 / 65536);
  dsm_instance_free(made);
}
END_TEST

Suite *suite_batch_tables(void) {
  Suite *const suite = suite_create("batch tables");
  TCase *const tests = tcase_create("tables");
  tcase_add_test(tests, times_have_a_ratio);
  tcase_add_test(tests, times_lie_on_lines);
  tcase_add_test(tests, the_smallest_is_the_default);
  tcase_add_test(tests, sizes_are_chosen);
  tcase_add_test(tests, joined_tasks_add_up);
  tcase_add_test(tests, no_time_is_of_any_batch);
  tcase_add_test(tests, the_largest_batch_can_be_run);
  tcase_add_test(tests, what_is_written_is_read_back);
  tcase_add_test(tests, computed_batches_are_samples);
  tcase_add_loop_test(tests, what_is_no_batch_is_refused, 0,
                      (int)(sizeof refused / sizeof *refused));
  suite_add_tcase(suite, tests);
  return suite;
}
