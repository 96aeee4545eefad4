/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What holds for every simulation, on random partitions: it agrees with a second one, nothing is
 * done twice or too early, Little's law, and no more requests per second than is possible.
 */
#include <math.h>
#include <stdlib.h>

#include "how_many.h"
#include "naive_dispatch.h"
#include "storage_optimum.h"
#include "suites.h"

static random_dispatch made;
static naive_dispatch naive;
static dsm_dispatch *dispatch;

static void run(uint64_t seed, size_t request_count) {
  random_dispatch_make(&made, seed);
  const dsm_dispatch_options options = random_dispatch_options(seed, request_count);
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
}

static void tear_down(void) {
  dsm_dispatch_free(dispatch);
  dispatch = NULL;
}

static void expect_near(double found, double expected, double tolerance) {
  ck_assert_double_le(fabs(found - expected), tolerance * fabs(expected));
}

static void expect_close(double found, double expected) {
  expect_near(found, expected, 1e-12);
}

static int compare_doubles(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return a < b ? -1 : a > b ? 1 : 0;
}

/* ---- a second simulation ---- */

/* The value that so many percent do not exceed, by counting. */
static double rank_of(const double *values, size_t count, size_t percent) {
  double least = HUGE_VAL;
  for (size_t v = 0; v < count; v++) {
    size_t below = 0;
    for (size_t w = 0; w < count; w++) {
      below += values[w] <= values[v] ? 1 : 0;
    }
    least = 100 * below >= percent * count ? fmin(least, values[v]) : least;
  }
  return least;
}

static void compare_requests(void) {
  const size_t count = dispatch->options.request_count;
  double latencies[NAIVE_REQUESTS];
  double ends[NAIVE_REQUESTS];
  double sum = 0;
  for (size_t q = 0; q < count; q++) {
    ck_assert(naive.is_done[q]);
    latencies[q] = naive.left[q] - naive.entered[q];
    ends[q] = naive.left[q];
    sum += latencies[q];
  }
  qsort(ends, count, sizeof *ends, compare_doubles);
  expect_close(dispatch->seconds, ends[count - 1]);
  expect_close(dispatch->mean_latency_seconds, sum / (double)count);
  expect_close(dispatch->p50_latency_seconds, rank_of(latencies, count, 50));
  expect_close(dispatch->p95_latency_seconds, rank_of(latencies, count, 95));
  expect_close(dispatch->p99_latency_seconds, rank_of(latencies, count, 99));
  const size_t first = count / 4;
  const size_t last = count * 3 / 4;
  if (first > 0 && ends[last - 1] > ends[first - 1]) {
    expect_close(dispatch->throughput, (double)(last - first) / (ends[last - 1] - ends[first - 1]));
    ck_assert_double_le(dispatch->throughput_within, dispatch->throughput);
  } else {
    expect_close(dispatch->throughput, (double)count / ends[count - 1]);
  }
}

/* Tasks that wait for the device just after one was given to it, that one included. */
static size_t queue_at(size_t device, const naive_task *last) {
  size_t queued = 0;
  for (size_t q = 0; q < dispatch->options.request_count; q++) {
    for (size_t i = 0; i < made.instance.task_count; i++) {
      const naive_task *const task = &naive.tasks[q][i];
      const bool is_waiting =
          task->device == device && task->number <= last->number && task->begin > last->given;
      queued += is_waiting ? 1 : 0;
    }
  }
  return queued;
}

static void compare_devices(void) {
  for (size_t j = 0; j < made.instance.device_count; j++) {
    double busy = 0;
    double waited = 0;
    double sent = 0;
    size_t most = 0;
    for (size_t q = 0; q < dispatch->options.request_count; q++) {
      for (size_t i = 0; i < made.instance.task_count; i++) {
        const naive_task *const task = &naive.tasks[q][i];
        if (task->device == j) {
          busy += (task->end - task->begin) / (double)task->members;
          waited += task->begin - task->given;
          const size_t queued = queue_at(j, task);
          most = queued > most ? queued : most;
        }
      }
    }
    for (size_t v = 0; v < naive.move_count; v++) {
      for (size_t l = 0; l < naive.moves[v].leg_count; l++) {
        const naive_leg *const leg = &naive.moves[v].legs[l];
        sent += leg->kind == NAIVE_LINK && leg->index == j ? leg->seconds : 0;
      }
    }
    const dsm_dispatch_device *const device = &dispatch->devices[j];
    ck_assert_double_eq_tol(device->time_fraction, busy / dispatch->seconds, 1e-12);
    ck_assert_double_eq_tol(device->link_fraction, sent / dispatch->seconds, 1e-12);
    ck_assert_double_eq_tol(device->mean_queue, waited / dispatch->seconds, 1e-10);
    ck_assert_uint_eq(device->most_queued, most);
  }
}

/* Whether a recorded transfer is this one. */
static bool is_move(const dsm_dispatch_event *event, const naive_move *move) {
  return event->is_transfer && event->request == move->request && event->task == move->task &&
         event->device == move->from && event->target == move->to &&
         fabs(event->begin_seconds - move->begin) <= 1e-12 * move->end &&
         fabs(event->end_seconds - move->end) <= 1e-12 * move->end;
}

static void compare_events(void) {
  size_t task_count = 0;
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    if (!event->is_transfer) {
      const naive_task *const task = &naive.tasks[event->request][event->task];
      ck_assert_uint_eq(event->device, task->device);
      expect_close(event->begin_seconds, task->begin);
      expect_close(event->end_seconds, task->end);
      task_count++;
      continue;
    }
    size_t found = 0;
    for (size_t w = 0; w < naive.move_count; w++) {
      found += is_move(event, &naive.moves[w]) ? 1 : 0;
    }
    ck_assert_uint_eq(found, 1);
  }
  ck_assert_uint_eq(task_count, dispatch->options.request_count * made.instance.task_count);
  ck_assert_uint_eq(dispatch->event_count, task_count + naive.move_count);
}

static void compare_batches(void) {
  double waited = 0;
  for (size_t q = 0; q < dispatch->options.request_count; q++) {
    for (size_t i = 0; i < made.instance.task_count; i++) {
      waited += naive.tasks[q][i].given - naive.tasks[q][i].joined;
    }
  }
  ck_assert_double_eq_tol(dispatch->mean_waiting_seconds,
                          waited / (double)dispatch->options.request_count, 1e-10);
  ck_assert_uint_eq(dispatch->partial_batches, naive.partial_count);
}

static bool has_ways;
static bool has_moved;

static void agrees(bool has_routes, void (*change)(random_dispatch *, uint64_t), uint64_t seed,
                   size_t request_count) {
  random_dispatch_make(&made, seed);
  if (has_routes) {
    random_dispatch_routes(&made, seed);
  }
  if (change != NULL) {
    change(&made, seed);
  }
  if (has_moved) {
    random_dispatch_moved(&made, seed);
  }
  if (has_ways) {
    random_dispatch_ways(&made, seed);
  }
  const dsm_dispatch_options options = random_dispatch_options(seed, request_count);
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
  naive_dispatch_run(&naive, &made.partition, &dispatch->options);
  compare_events();
  compare_requests();
  compare_devices();
  compare_batches();
}

START_TEST(test_agrees_with_a_second_simulation) {
  agrees(false, NULL, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
}
END_TEST

START_TEST(test_routes_agree_with_a_second_simulation) {
  agrees(true, NULL, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
}
END_TEST

START_TEST(test_precision_agrees_with_a_second_simulation) {
  agrees(_i % 2 == 0, random_dispatch_precision, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
}
END_TEST

START_TEST(test_instant_tasks_agree_with_a_second_simulation) {
  agrees(_i % 2 == 0, random_dispatch_instant, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
}
END_TEST

START_TEST(test_batches_agree_with_a_second_simulation) {
  agrees(_i % 2 == 0, random_dispatch_batches, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
}
END_TEST

START_TEST(test_ways_agree_with_a_second_simulation) {
  has_ways = true;
  agrees(_i % 2 == 0, NULL, (uint64_t)_i, 1 + (size_t)_i * 7 % NAIVE_REQUESTS);
  has_ways = false;
}
END_TEST

START_TEST(test_moved_agrees_with_a_second_simulation) {
  has_moved = true;
  agrees(true, _i % 3 == 0 ? random_dispatch_precision : NULL, (uint64_t)_i,
         1 + (size_t)_i * 7 % NAIVE_REQUESTS);
  has_moved = false;
}
END_TEST

/* ---- rare arrivals ---- */

static bool has_batches(void) {
  bool has = false;
  for (size_t j = 0; j < made.instance.device_count; j++) {
    has = has || made.devices[j].batch > 1;
  }
  return has;
}

/* Requests that come once in days are served one by one, as those that come once in ages: what they
 * take is the same to the last digits, however large the clock. What waits for a batch waits for
 * times that are longer as arrivals are rarer. */
START_TEST(test_rare_arrivals_lose_no_digits) {
  static const double rates[] = {1e-6, 1e-13};
  random_dispatch_make(&made, (uint64_t)_i);
  if (_i % 2 == 0) {
    random_dispatch_routes(&made, (uint64_t)_i);
  }
  if (_i % 3 == 0) {
    random_dispatch_batches(&made, (uint64_t)_i);
  }
  dsm_dispatch_options options = random_dispatch_options((uint64_t)_i, 100);
  options.window = 0;
  dsm_dispatch found[2];
  double busy[2][RANDOM_DEVICES];
  for (int r = 0; r < 2; r++) {
    options.rate = rates[r];
    ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
    found[r] = *dispatch;
    for (size_t j = 0; j < made.instance.device_count; j++) {
      busy[r][j] = dispatch->devices[j].time_fraction * dispatch->seconds;
    }
    tear_down();
  }
  expect_near(found[1].seconds * rates[1], found[0].seconds * rates[0], 1e-4);
  for (size_t j = 0; j < made.instance.device_count; j++) {
    expect_near(busy[1][j], busy[0][j], 1e-6);
  }
  if (has_batches()) {
    expect_near(found[1].mean_waiting_seconds * rates[1], found[0].mean_waiting_seconds * rates[0],
                1e-4);
  } else {
    expect_near(found[1].mean_latency_seconds, found[0].mean_latency_seconds, 1e-6);
    expect_near(found[1].p50_latency_seconds, found[0].p50_latency_seconds, 1e-6);
    expect_near(found[1].p99_latency_seconds, found[0].p99_latency_seconds, 1e-6);
  }
}
END_TEST

/* ---- conservation ---- */

enum { REQUESTS = 200 };

static void expect_in_order(void) {
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    ck_assert_double_ge(event->begin_seconds, 0);
    ck_assert_double_le(event->end_seconds, dispatch->seconds);
    ck_assert_double_lt(event->begin_seconds, event->end_seconds);
    ck_assert(v == 0 || dispatch->events[v - 1].begin_seconds <= event->begin_seconds);
  }
}

/* No device and no link does two things at a time. Events are in the order of their begins. */
static void expect_one_at_a_time(void) {
  double free_at[2][RANDOM_DEVICES] = {{0}};
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    double *const free = &free_at[event->is_transfer ? 1 : 0][event->device];
    ck_assert_double_ge(event->begin_seconds, *free);
    *free = event->end_seconds;
  }
}

static const dsm_dispatch_event *ran[REQUESTS][RANDOM_TASKS];

/* Each request runs each task once, on a device that holds it. */
static void expect_each_once(void) {
  for (size_t q = 0; q < REQUESTS; q++) {
    for (size_t i = 0; i < RANDOM_TASKS; i++) {
      ran[q][i] = NULL;
    }
  }
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    if (!event->is_transfer) {
      const size_t at = event->task * made.instance.device_count + event->device;
      ck_assert_ptr_null(ran[event->request][event->task]);
      ck_assert(made.is_stored[at] && isfinite(made.seconds[at]));
      ck_assert_double_eq_tol(event->end_seconds - event->begin_seconds, made.seconds[at], 1e-9);
      ck_assert_uint_eq(event->target, event->device);
      ran[event->request][event->task] = event;
    }
  }
}

/* The transfer of a task's output to a device that is over last before a moment; NULL if there is
 * none. */
static const dsm_dispatch_event *transfer_before(size_t request, size_t task, size_t device,
                                                 double seconds, double at) {
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    if (event->is_transfer && event->request == request && event->task == task &&
        event->target == device && event->end_seconds <= at &&
        fabs(event->end_seconds - event->begin_seconds - seconds) < 1e-9) {
      return event;
    }
  }
  return NULL;
}

static void expect_input(size_t request, const dsm_tensor *tensor, const dsm_dispatch_event *task) {
  const dsm_dispatch_event *const producer = ran[request][tensor->producer];
  ck_assert_double_le(producer->end_seconds, task->begin_seconds);
  const double rate = made.devices[producer->device].link_bytes_per_second;
  if (producer->device == task->device || isinf(rate) || !(tensor->bytes > 0)) {
    return;
  }
  const dsm_dispatch_event *const moved = transfer_before(
      request, tensor->producer, task->device, tensor->bytes / rate, task->begin_seconds);
  ck_assert_ptr_nonnull(moved);
  ck_assert_uint_eq(moved->device, producer->device);
  ck_assert_double_ge(moved->begin_seconds, producer->end_seconds);
}

START_TEST(test_conservation) {
  run((uint64_t)_i + 1000, REQUESTS);
  expect_in_order();
  expect_one_at_a_time();
  expect_each_once();
  for (size_t q = 0; q < REQUESTS; q++) {
    for (size_t i = 0; i < made.instance.task_count; i++) {
      ck_assert_ptr_nonnull(ran[q][i]);
    }
    for (size_t t = 0; t < made.instance.tensor_count; t++) {
      for (size_t c = 0; c < made.tensors[t].consumer_count; c++) {
        expect_input(q, &made.tensors[t], ran[q][made.tensors[t].consumers[c]]);
      }
    }
  }
}
END_TEST

/* ---- Little's law ---- */

/*
 * In a closed loop there are min(K, requests that have not left) requests in the server at any
 * time. The integral of that over time is the sum of all latencies: the mean number in the server
 * is the rate at which requests leave times their mean latency.
 */
START_TEST(test_little) {
  random_dispatch_make(&made, (uint64_t)_i);
  dsm_dispatch_options options = random_dispatch_options((uint64_t)_i, REQUESTS);
  options.rate = 0;
  options.window = 1 + (size_t)_i % 17;
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, &made.partition, &options, NULL), DSM_OK);
  double ends[REQUESTS] = {0};
  for (size_t v = 0; v < dispatch->event_count; v++) {
    const dsm_dispatch_event *const event = &dispatch->events[v];
    ends[event->request] = fmax(ends[event->request], event->end_seconds);
  }
  qsort(ends, REQUESTS, sizeof *ends, compare_doubles);
  double integral = 0;
  for (size_t q = 0; q < REQUESTS; q++) {
    const size_t in_server = REQUESTS - q < options.window ? REQUESTS - q : options.window;
    integral += (double)in_server * (ends[q] - (q > 0 ? ends[q - 1] : 0));
  }
  ck_assert_double_eq_tol(dispatch->mean_latency_seconds * REQUESTS, integral, 1e-9 * integral);
}
END_TEST

/* ---- no more than is possible ---- */

/*
 * Let L be the length of the steady half, from the end of request a to that of request b in the
 * order of their ends. At its beginning, at most K - 1 requests that end later have entered before
 * (K is the window). So at least b - a - (K - 1) of the requests that end in the half also enter in
 * it. Divided by L, how often they ran which task where, and which bytes they sent, is a solution
 * of the programme: a device is busy and a link occupied for at most L. Hence, with the optimum
 * rho* of the programme for this storage (which is at most that of any storage),
 *     b - a - (K - 1) <= rho* L,   that is   throughput <= rho* + (K - 1) / L.
 * All requests of a run enter and leave within it, also if they arrive at random:
 *     requests / seconds <= rho*.
 */
START_TEST(test_never_above_the_optimum) {
  run((uint64_t)_i, 400);
  const double optimum = storage_optimum(&made.partition);
  ck_assert_double_le(400 / dispatch->seconds, optimum * (1 + 1e-9));
  ck_assert_double_le(dispatch->throughput_within, optimum * (1 + 1e-9));
  if (dispatch->options.window > 0) {
    const double length = 200 / dispatch->throughput;
    const double edge = (double)(dispatch->options.window - 1) / length;
    ck_assert_double_le(dispatch->throughput, (optimum + edge) * (1 + 1e-9));
  }
}
END_TEST

/* The same where ports, pairs and ways in are limits too, against the bound of the solver. */
START_TEST(test_routes_solved_and_simulated) {
  random_dispatch_make(&made, (uint64_t)_i);
  random_dispatch_routes(&made, (uint64_t)_i);
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &made.instance, &made.partition.options, NULL),
                   DSM_OK);
  const dsm_dispatch_options few = {.request_count = 400, .window = 1 + (size_t)_i % 40};
  ck_assert_int_eq(dsm_dispatch_run(&dispatch, solved, &few, NULL), DSM_OK);
  ck_assert_double_le(400 / dispatch->seconds, solved->bound * (1 + 1e-9));
  ck_assert_double_le(dispatch->throughput_within, solved->bound * (1 + 1e-9));
  dsm_partition_free(solved);
}
END_TEST

/* The same for storage that the solver chose, against its own bound; nor are the baselines above
 * it, of which replication is a storage that the solver might choose. */
START_TEST(test_solved_and_simulated) {
  random_dispatch_make(&made, (uint64_t)_i);
  for (size_t j = 0; j < made.instance.device_count; j++) {
    made.devices[j].memory_bytes = 1 + (double)(((size_t)_i + 3 * j) % 7);
  }
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.does_keep_results = made.partition.options.does_keep_results;
  dsm_partition *solved = NULL;
  const dsm_status status = dsm_partition_solve(&solved, &made.instance, &options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  if (status == DSM_OK) {
    const dsm_dispatch_options few = {.request_count = 400, .window = 1 + (size_t)_i % 40};
    ck_assert_int_eq(dsm_dispatch_run(&dispatch, solved, &few, NULL), DSM_OK);
    const double edge = (double)(few.window - 1) * dispatch->throughput / 200;
    ck_assert_double_le(dispatch->throughput, (solved->bound + edge) * (1 + 1e-9));
    ck_assert_double_le(400 / dispatch->seconds, solved->bound * (1 + 1e-9));
    ck_assert_double_le(dispatch->throughput_within, solved->bound * (1 + 1e-9));
    ck_assert_double_eq_tol(storage_optimum(solved), solved->rho, 1e-6 * solved->rho);
    for (int k = 0; k < DSM_BASELINE_KIND_COUNT; k++) {
      ck_assert_double_le(solved->baselines[k].rho, solved->bound * (1 + 1e-9));
    }
  }
  dsm_partition_free(solved);
}
END_TEST

/* ---- no less than was announced ---- */

/* The same tasks in a row, with narrow links and short memories. */
static void make_narrow_chain(uint64_t seed) {
  random_dispatch_make(&made, seed);
  made.instance.tensor_count = made.instance.task_count - 1;
  for (size_t t = 0; t < made.instance.tensor_count; t++) {
    made.consumers[t][0] = t + 1;
    made.tensors[t] = (dsm_tensor){.producer = t,
                                   .bytes = made.tasks[t].output_bytes,
                                   .consumers = made.consumers[t],
                                   .consumer_count = 1};
  }
  for (size_t j = 0; j < made.instance.device_count; j++) {
    made.devices[j].link_bytes_per_second = 0.25 + (double)((seed + j) % 5) / 2;
    made.devices[j].memory_bytes = 1 + (double)((seed + 3 * j) % 7);
  }
}

/*
 * By the rates of the answer a chain reaches what the programme says: each device and link has the
 * work that the programme gives it, within a constant number of requests, and a window of requests
 * keeps it fed. What is lost lies in the gaps of busy devices that no task fits into. Links are
 * narrow, so that they bind as often as devices do.
 */
static void reaches_what_is_announced(double least) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.does_keep_results = made.partition.options.does_keep_results;
  options.does_count_input = made.partition.options.does_count_input;
  dsm_partition *solved = NULL;
  const dsm_status status = dsm_partition_solve(&solved, &made.instance, &options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  if (status == DSM_OK) {
    const dsm_dispatch_options many = {.request_count = 4000, .window = 64};
    ck_assert_int_eq(dsm_dispatch_run(&dispatch, solved, &many, NULL), DSM_OK);
    ck_assert_double_ge(dispatch->throughput, least * solved->rho);
  }
  dsm_partition_free(solved);
}

START_TEST(test_rates_reach_what_is_announced) {
  make_narrow_chain((uint64_t)_i);
  reaches_what_is_announced(0.95);
}
END_TEST

/* Nor less where ports, pairs and ways in carry what moves. */
START_TEST(test_rates_reach_it_by_other_ways) {
  make_narrow_chain((uint64_t)_i);
  random_dispatch_routes(&made, (uint64_t)_i);
  reaches_what_is_announced(0.8);
}
END_TEST

Suite *suite_dispatch_properties(void) {
  Suite *const suite = suite_create("dispatch_properties");
  TCase *const tests = tcase_create("dispatch_properties");
  tcase_add_checked_fixture(tests, NULL, tear_down);
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_agrees_with_a_second_simulation, 0, 500);
  tcase_add_loop_test(tests, test_routes_agree_with_a_second_simulation, 0, 500);
  tcase_add_loop_test(tests, test_precision_agrees_with_a_second_simulation, 0, 300);
  tcase_add_loop_test(tests, test_batches_agree_with_a_second_simulation, 0, 300);
  tcase_add_loop_test(tests, test_instant_tasks_agree_with_a_second_simulation, 0, 300);
  tcase_add_loop_test(tests, test_ways_agree_with_a_second_simulation, 0, 300);
  tcase_add_loop_test(tests, test_moved_agrees_with_a_second_simulation, 0, 300);
  tcase_add_loop_test(tests, test_rare_arrivals_lose_no_digits, 0, 300);
  tcase_add_loop_test(tests, test_conservation, 0, 200);
  tcase_add_loop_test(tests, test_little, 0, 300);
  tcase_add_loop_test(tests, test_never_above_the_optimum, 0, 300);
  tcase_add_loop_test(tests, test_solved_and_simulated, 0, 150);
  tcase_add_loop_test(tests, test_routes_solved_and_simulated, 0, 150);
  tcase_add_loop_test(tests, test_rates_reach_what_is_announced, 0, HOW_MANY(1000, 75, 15));
  tcase_add_loop_test(tests, test_rates_reach_it_by_other_ways, 0, HOW_MANY(1000, 75, 15));
  suite_add_tcase(suite, tests);
  return suite;
}
