/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dispatch simulation where its results are known in closed form, and what it refuses. */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "partition/dispatch_engine.h"
#include "random_dispatch.h"
#include "suites.h"

static random_dispatch made;
static dsm_dispatch *dispatch;

static void tear_down(void) {
  dsm_dispatch_free(dispatch);
  dispatch = NULL;
}

static void run(size_t requests, size_t window) {
  dsm_dispatch_free(dispatch);
  dsm_dispatch_options options;
  dsm_dispatch_options_init(&options);
  options.request_count = requests;
  options.window = window;
  options.rule = DSM_DISPATCH_EARLIEST;
  options.does_record = true;
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
}

static void store_all(void) {
  for (size_t k = 0; k < made.instance.task_count * made.instance.device_count; k++) {
    made.is_stored[k] = true;
  }
}

START_TEST(test_one_device_one_task) {
  chain_make(&made, 1, 1);
  store_all();
  made.seconds[0] = 0.25;
  run(100, 1);
  ck_assert_double_eq(dispatch->throughput, 4);
  ck_assert_double_eq(dispatch->seconds, 25);
  ck_assert_double_eq(dispatch->mean_latency_seconds, 0.25);
  ck_assert_double_eq(dispatch->p99_latency_seconds, 0.25);
  ck_assert_double_eq(dispatch->devices[0].time_fraction, 1);
  ck_assert_double_eq(dispatch->devices[0].mean_queue, 0);
  ck_assert_uint_eq(dispatch->devices[0].most_queued, 0);
  ck_assert_uint_eq(dispatch->event_count, 100);
  run(100, 4); /* three wait */
  ck_assert_double_eq(dispatch->throughput, 4);
  ck_assert_double_eq(dispatch->p50_latency_seconds, 1);
  ck_assert_uint_eq(dispatch->devices[0].most_queued, 3);
  /* 1/4 .. 1 s, then 97 times 1 s */
  ck_assert_double_eq(dispatch->mean_latency_seconds, (0.25 + 0.5 + 0.75 + 97) / 100);
}
END_TEST

START_TEST(test_percentiles_by_nearest_rank) {
  chain_make(&made, 1, 1);
  store_all();
  run(10, 10); /* 1 .. 10 s */
  ck_assert_double_eq(dispatch->p50_latency_seconds, 5);
  ck_assert_double_eq(dispatch->p95_latency_seconds, 10);
  ck_assert_double_eq(dispatch->p99_latency_seconds, 10);
  ck_assert_double_eq(dispatch->mean_latency_seconds, 5.5);
  /* From the end of request 2 to that of request 7. */
  ck_assert_double_eq(dispatch->throughput, 1);
  run(1, 1);
  ck_assert_double_eq(dispatch->p50_latency_seconds, 1);
  ck_assert_double_eq(dispatch->throughput, 1);
}
END_TEST

START_TEST(test_two_equal_devices) {
  chain_make(&made, 1, 2);
  store_all();
  made.seconds[0] = made.seconds[1] = 0.5;
  run(1000, 2);
  ck_assert_double_eq(dispatch->throughput, 4);
  ck_assert_double_eq(dispatch->devices[0].time_fraction, 1);
  ck_assert_double_eq(dispatch->devices[1].time_fraction, 1);
  run(3, 1); /* ties go to the first device */
  ck_assert_double_eq(dispatch->devices[0].time_fraction, 1);
  ck_assert_double_eq(dispatch->devices[1].time_fraction, 0);
}
END_TEST

/* Half of all requests end at the same moments as others. */
START_TEST(test_few_requests_at_once) {
  chain_make(&made, 1, 2);
  store_all();
  run(4, 4);
  ck_assert_double_eq(dispatch->seconds, 2);
  ck_assert_double_eq(dispatch->throughput, 2); /* from request 1, at 1 s, to request 3, at 2 s */
  ck_assert_double_eq(dispatch->throughput_within, 0); /* all four entered before */
}
END_TEST

/* Device 1 does task 1 in 1 s and sends its output in 2 s; device 2 does task 2 in 3 s, and its
 * result leaves in half a second. */
static void make_pipeline(void) {
  chain_make(&made, 2, 2);
  made.is_stored[0] = made.is_stored[3] = true;
  made.seconds[3] = 3;
  made.tensors[0].bytes = 8;
  made.devices[0].link_bytes_per_second = 4;
  made.devices[1].link_bytes_per_second = 2;
}

START_TEST(test_pipeline) {
  make_pipeline();
  run(1000, 8);
  ck_assert_double_eq_tol(dispatch->throughput, 1.0 / 3, 1e-12);
  /* 1 + 2 s until device 2 begins, half a second after it ends. */
  ck_assert_double_eq(dispatch->seconds, 3 + 3000 + 0.5);
  ck_assert_double_eq(dispatch->devices[0].time_fraction, 1000 / dispatch->seconds);
  ck_assert_double_eq(dispatch->devices[0].link_fraction, 2000 / dispatch->seconds);
  ck_assert_double_eq(dispatch->devices[1].link_fraction, 500 / dispatch->seconds);
  ck_assert_uint_eq(dispatch->event_count, 4000);
  run(1000, 1); /* nothing overlaps */
  ck_assert_double_eq_tol(dispatch->throughput, 1 / 6.5, 1e-12);
  ck_assert_double_eq_tol(dispatch->mean_latency_seconds, 6.5, 1e-9);
  made.partition.options.does_keep_results = true;
  run(1000, 1);
  ck_assert_double_eq_tol(dispatch->p99_latency_seconds, 6, 1e-9);
}
END_TEST

START_TEST(test_events_of_a_pipeline) {
  make_pipeline();
  run(1, 1);
  const dsm_dispatch_event expected[] = {
      {.device = 0, .target = 0, .begin_seconds = 0, .end_seconds = 1},
      {.device = 0, .target = 1, .is_transfer = true, .begin_seconds = 1, .end_seconds = 3},
      {.task = 1, .device = 1, .target = 1, .begin_seconds = 3, .end_seconds = 6},
      {.task = 1,
       .device = 1,
       .target = 2,
       .is_transfer = true,
       .begin_seconds = 6,
       .end_seconds = 6.5},
  };
  ck_assert_uint_eq(dispatch->event_count, 4);
  for (size_t v = 0; v < 4; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    ck_assert_uint_eq(event->task, expected[v].task);
    ck_assert_uint_eq(event->device, expected[v].device);
    ck_assert_uint_eq(event->target, expected[v].target);
    ck_assert_int_eq(event->is_transfer, expected[v].is_transfer);
    ck_assert_double_eq(event->begin_seconds, expected[v].begin_seconds);
    ck_assert_double_eq(event->end_seconds, expected[v].end_seconds);
  }
}
END_TEST

/* It is faster to wait for the slow link than to run task 2 where its input is. */
START_TEST(test_a_transfer_that_pays) {
  make_pipeline();
  made.is_stored[2] = true;
  made.seconds[2] = 10;
  run(1, 1);
  ck_assert_double_eq(dispatch->seconds, 6.5);
  made.seconds[2] = 4;
  made.devices[0].link_bytes_per_second = HUGE_VAL;
  run(1, 1);
  ck_assert_double_eq(dispatch->seconds, 4.5);
  made.devices[0].link_bytes_per_second = 4;
  run(1, 1); /* 5 s against 6, and the result leaves at once by a link without limit; here 1/4 s */
  ck_assert_double_eq(dispatch->seconds, 5.25);
}
END_TEST

/* One task feeds two others on the same other device: its output is sent once. */
START_TEST(test_a_shared_tensor_is_sent_once) {
  chain_make(&made, 3, 2);
  made.instance.tensor_count = 1;
  made.consumers[0][0] = 1;
  made.consumers[0][1] = 2;
  made.tensors[0].consumer_count = 2;
  made.tensors[0].bytes = 5;
  made.devices[0].link_bytes_per_second = 1;
  made.is_stored[0] = made.is_stored[3] = made.is_stored[5] = true;
  run(1, 1);
  ck_assert_double_eq(dispatch->seconds, 8);
  ck_assert_uint_eq(dispatch->event_count, 4);
  made.is_stored[5] = false;
  made.is_stored[4] = true; /* task 3 stays, and its result leaves behind the transfer */
  run(1, 1);
  ck_assert_double_eq(dispatch->seconds, 7);
  ck_assert_uint_eq(dispatch->event_count, 5);
}
END_TEST

/* When the run of a task began. */
static double begin_of(size_t request, size_t task) {
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    if (!event->is_transfer && event->request == request && event->task == task) {
      return event->begin_seconds;
    }
  }
  return -1;
}

/* Task 2 waits 10 s for the output of task 1 and its link. Task 3, which needs nothing, runs in
 * between if it fits there, and behind it if not. */
START_TEST(test_a_gap_is_used) {
  chain_make(&made, 3, 2);
  made.instance.tensor_count = 1;
  made.tensors[0].bytes = 10;
  made.devices[0].link_bytes_per_second = 1;
  made.is_stored[0] = made.is_stored[3] = made.is_stored[5] = true;
  made.partition.options.does_keep_results = true;
  run(3, 2);
  ck_assert_double_eq(begin_of(0, 1), 11);
  ck_assert_double_eq(begin_of(1, 1), 21); /* given at 2 s */
  ck_assert_double_eq(begin_of(2, 2), 12);
  made.seconds[5] = 9; /* request 2 enters at 19 s, as task 3 of request 1 ends at 18 s */
  run(3, 2);
  ck_assert_double_eq(begin_of(0, 1), 18);
  ck_assert_double_eq(begin_of(1, 1), 21);
  ck_assert_double_eq(begin_of(2, 2), 22);
}
END_TEST

START_TEST(test_arrivals) {
  chain_make(&made, 1, 1);
  store_all();
  dsm_dispatch_options options = {
      .rule = DSM_DISPATCH_EARLIEST, .request_count = 40000, .rate = 0.5, .seed = 1};
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
  /* M/D/1 with rho = 1/2: waits rho / (2 (1 - rho)) = 1/2 s on average. */
  ck_assert_double_eq_tol(dispatch->mean_latency_seconds, 1.5, 0.03);
  ck_assert_double_eq_tol(dispatch->devices[0].time_fraction, 0.5, 0.01);
  ck_assert_double_eq_tol(dispatch->devices[0].mean_queue, 0.25, 0.015);
  ck_assert_double_eq_tol(dispatch->throughput, 0.5, 0.01);
  ck_assert_uint_eq(dispatch->event_count, 0);
  ck_assert_ptr_null(dispatch->events);
  const double first = dispatch->seconds;
  dsm_dispatch_free(dispatch);
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
  ck_assert_double_eq(dispatch->seconds, first);
  dsm_dispatch_free(dispatch);
  options.seed = 2;
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
  ck_assert_double_ne(dispatch->seconds, first);
}
END_TEST

/* ---- by the rates ---- */

/* The device that a task of a request ran on. */
static size_t device_of(size_t request, size_t task) {
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    if (!event->is_transfer && event->request == request && event->task == task) {
      return event->device;
    }
  }
  ck_abort_msg("task %zu of request %zu did not run", task, request);
}

static void run_by_rates(size_t requests, size_t window) {
  const dsm_dispatch_options options = {
      .request_count = requests, .window = window, .does_record = true};
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
}

/* Two requests in three go to the first device. After n requests it is due 2 n / 3 and the other
 * n / 3; of both, who is furthest behind gets the next: (2/3, 1/3), then (1/3, 2/3), then (1, 0).
 */
START_TEST(test_shares_in_turn) {
  chain_make(&made, 1, 2);
  made.rates[0] = 2;
  made.rates[1] = 1;
  run_by_rates(30, 1);
  for (size_t q = 0; q < 30; q++) {
    ck_assert_uint_eq(device_of(q, 0), q % 3 == 1 ? 1 : 0);
  }
}
END_TEST

/* The first task runs at 3 and 1 a second, the second at 1 and 3: a third of what the first device
 * makes stays there, and all that the second makes does. */
START_TEST(test_what_can_stay_stays) {
  static const double rates[] = {3, 1, 1, 3};
  chain_make(&made, 2, 2);
  memcpy(made.rates, rates, sizeof rates);
  run_by_rates(4000, 8);
  size_t counts[2][2] = {{0}};
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    counts[event->task][event->device]++;
  }
  ck_assert_uint_eq(counts[0][0], 3000);
  ck_assert_uint_eq(counts[1][0], 1000);
  for (size_t q = 0; q < 100; q++) {
    ck_assert(device_of(q, 0) == 0 || device_of(q, 1) == 1);
  }
}
END_TEST

/* ---- refused ---- */

static void expect_refused(const dsm_dispatch_options *options, dsm_status expected,
                           const char *message) {
  dsm_diags *const diags = dsm_diags_new(4);
  static dsm_dispatch poison;
  dsm_dispatch *refused = &poison;
  ck_assert_int_eq(dsm_dispatch_run(&refused, &made.partition, options, diags), expected);
  ck_assert_ptr_null(refused);
  ck_assert_uint_eq(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message, message);
  dsm_diags_free(diags);
}

START_TEST(test_refused_options) {
  chain_make(&made, 1, 1);
  store_all();
  dsm_dispatch_options options = {.window = 1};
  expect_refused(&options, DSM_ERROR_USAGE, "expected 1 to 10000000 requests, found 0");
  options.request_count = DSM_REQUESTS_MAX + 1;
  expect_refused(&options, DSM_ERROR_USAGE, "expected 1 to 10000000 requests, found 10000001");
  options.request_count = 1;
  options.rate = 1;
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected either a window of requests or a rate of arrivals, found both");
  options.window = 0;
  options.rate = 0;
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected either a window of requests or a rate of arrivals, found neither");
  options.rate = -1;
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected a positive rate of requests per second, found -1");
  options.rate = HUGE_VAL;
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected a positive rate of requests per second, found inf");
}
END_TEST

/* The trace of so many requests would have too many events before any transfer is counted. */
START_TEST(test_a_trace_that_would_be_too_large) {
  chain_make(&made, 2, 1);
  store_all();
  dsm_dispatch_options options = {
      .request_count = DSM_TRACE_EVENTS_MAX / 2, .window = 1, .does_record = true};
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_OK);
  options.request_count++;
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_ERROR_USAGE);
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected at most 1000000 requests of 2 tasks with a trace, which has at most "
                 "2000000 events, found 1000001 requests");
  options.does_record = false;
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_OK);
}
END_TEST

/* Transfers are events too: that of the first task's output to the other device, and of the
 * result out of it. */
START_TEST(test_a_trace_that_becomes_too_large) {
  chain_make(&made, 2, 2);
  made.is_stored[0] = true;
  made.is_stored[3] = true;
  made.devices[0].link_bytes_per_second = 4;
  const dsm_dispatch_options options = {.rule = DSM_DISPATCH_EARLIEST,
                                        .request_count = DSM_TRACE_EVENTS_MAX / 2,
                                        .window = 1,
                                        .does_record = true};
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_OK);
  expect_refused(&options, DSM_ERROR_USAGE,
                 "expected at most 2000000 tasks and transfers in a trace, found more");
}
END_TEST

/* Tensors of several consumers: each request remembers where on 4 devices they are. */
static void many_shared_tensors(void) {
  chain_make(&made, RANDOM_TASKS, RANDOM_DEVICES);
  store_all();
  for (size_t t = 0; t + 1 < made.instance.tensor_count; t++) {
    made.consumers[t][made.tensors[t].consumer_count++] = RANDOM_TASKS - 1;
  }
}

/* A request under way takes more than its 6 x 4 times of 8 bytes, and less than twice that. */
START_TEST(test_a_window_that_would_take_too_much) {
  many_shared_tensors();
  dsm_dispatch_options options = {.request_count = DSM_REQUESTS_MAX, .window = (1U << 30) / 384};
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_OK);
  options.window = (1U << 30) / 192;
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_ERROR_USAGE);
  options.request_count = (1U << 30) / 384; /* no more than there are */
  ck_assert_int_eq(dsm_dispatch_check(&made.instance, &options, NULL), DSM_OK);
}
END_TEST

/* How many arrive before one has left is not known before; here there is room for three. */
START_TEST(test_arrivals_that_take_too_much) {
  many_shared_tensors();
  dsm_diags *const diags = dsm_diags_new(4);
  dsm__dispatch_engine engine = {
      .options = {.rule = DSM_DISPATCH_EARLIEST, .request_count = 100, .rate = 1000},
      .flights_max = 3,
      .arena = dsm__arena_new(),
      .diags = diags};
  ck_assert_int_eq(dsm__dispatch_graph_make(&engine.graph, engine.arena, &made.partition,
                                            DSM_DISPATCH_EARLIEST, diags),
                   DSM_OK);
  ck_assert_int_eq(dsm__dispatch_engine_run(&engine), DSM_ERROR_USAGE);
  ck_assert_uint_eq(engine.flight_count, 3);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->message,
                   "expected at most 3 requests under way at a time, for which there is room in "
                   "1 GiB, found more");
  dsm__arena_free(engine.arena);
  dsm_diags_free(diags);
}
END_TEST

START_TEST(test_a_task_that_starves) {
  dsm_dispatch_options options = {.rule = DSM_DISPATCH_EARLIEST, .request_count = 5, .window = 1};
  chain_make(&made, 2, 2);
  made.is_stored[0] = true;
  expect_refused(&options, DSM_ERROR_INVALID, "task \"t2\" is stored on no device that can run it");
  made.is_stored[2] = true;
  made.seconds[2] = HUGE_VAL;
  expect_refused(&options, DSM_ERROR_INVALID, "task \"t2\" is stored on no device that can run it");
  options.rule = DSM_DISPATCH_RATES;
  made.rates[1] = 1;
  expect_refused(&options, DSM_ERROR_INVALID, "task \"t2\" runs on no device at a rate above 0");
  made.partition.rates = NULL;
  expect_refused(&options, DSM_ERROR_INVALID, "task \"t1\" runs on no device at a rate above 0");
}
END_TEST

START_TEST(test_time_without_end) {
  const dsm_dispatch_options options = {
      .rule = DSM_DISPATCH_EARLIEST, .request_count = 5, .window = 2};
  chain_make(&made, 1, 1);
  store_all();
  made.seconds[0] = 1e308;
  expect_refused(&options, DSM_ERROR_INVALID,
                 "request 1 of the simulation does not end at a finite time");
  made.seconds[0] = 1;
  made.devices[0].link_bytes_per_second = 0;
  expect_refused(&options, DSM_ERROR_INVALID,
                 "request 0 of the simulation does not end at a finite time");
}
END_TEST

START_TEST(test_nothing_to_free) {
  dsm_dispatch_free(NULL);
  dsm_dispatch_options options;
  dsm_dispatch_options_init(&options);
  ck_assert_uint_eq(options.request_count, 1000);
  ck_assert_uint_eq(options.window, 16);
  ck_assert_double_eq(options.rate, 0);
}
END_TEST

Suite *suite_dispatch(void) {
  Suite *const suite = suite_create("dispatch");
  TCase *const tests = tcase_create("dispatch");
  tcase_add_checked_fixture(tests, NULL, tear_down);
  tcase_add_test(tests, test_one_device_one_task);
  tcase_add_test(tests, test_percentiles_by_nearest_rank);
  tcase_add_test(tests, test_two_equal_devices);
  tcase_add_test(tests, test_few_requests_at_once);
  tcase_add_test(tests, test_pipeline);
  tcase_add_test(tests, test_events_of_a_pipeline);
  tcase_add_test(tests, test_a_transfer_that_pays);
  tcase_add_test(tests, test_a_shared_tensor_is_sent_once);
  tcase_add_test(tests, test_a_gap_is_used);
  tcase_add_test(tests, test_arrivals);
  tcase_add_test(tests, test_shares_in_turn);
  tcase_add_test(tests, test_what_can_stay_stays);
  tcase_add_test(tests, test_refused_options);
  tcase_add_test(tests, test_a_trace_that_would_be_too_large);
  tcase_add_test(tests, test_a_trace_that_becomes_too_large);
  tcase_add_test(tests, test_a_window_that_would_take_too_much);
  tcase_add_test(tests, test_arrivals_that_take_too_much);
  tcase_add_test(tests, test_a_task_that_starves);
  tcase_add_test(tests, test_time_without_end);
  tcase_add_test(tests, test_nothing_to_free);
  suite_add_tcase(suite, tests);
  return suite;
}
