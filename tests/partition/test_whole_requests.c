/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What whole requests reach, against a programme that has a column for each way there is. */
#include "partition/whole_requests.h"

#include <math.h>

#include "base/arena.h"
#include "dense_simplex.h"
#include "how_many.h"
#include "random_dispatch.h"
#include "small_instance.h"
#include "storage_optimum.h"
#include "suites.h"

static random_dispatch made;
static simplex programme;

/* Leaves few enough ways for the twin: the last tasks on one device each. */
static size_t limit_ways(void) {
  const size_t device_count = made.instance.device_count;
  size_t ways = 1;
  for (size_t i = 0; i < made.instance.task_count; i++) {
    double *const rates = &made.rates[i * device_count];
    size_t count = 0;
    for (size_t j = 0; j < device_count; j++) {
      count += rates[j] > 0 ? 1 : 0;
      if (rates[j] > 0 && ways * count > SIMPLEX_COLUMNS) {
        rates[j] = 0;
        count--;
      }
      made.is_stored[i * device_count + j] = rates[j] > 0;
    }
    ways *= count;
  }
  return ways;
}

/* The device of each task on the way of a number; the number counts the devices of the first task,
 * then those of the second for each of them, and so on. */
static void decode(size_t way, size_t devices[RANDOM_TASKS]) {
  const size_t device_count = made.instance.device_count;
  for (size_t i = 0; i < made.instance.task_count; i++) {
    size_t candidates[RANDOM_DEVICES] = {0};
    size_t count = 0;
    for (size_t j = 0; j < device_count; j++) {
      if (made.rates[i * device_count + j] > 0) {
        candidates[count++] = j;
      }
    }
    devices[i] = candidates[way % count];
    way /= count;
  }
}

static void write_column(size_t way) {
  const size_t device_count = made.instance.device_count;
  size_t devices[RANDOM_TASKS] = {0};
  decode(way, devices);
  programme.goal[way] = 1;
  for (size_t i = 0; i < made.instance.task_count; i++) {
    programme.row[devices[i]][way] += made.seconds[i * device_count + devices[i]];
  }
  double sent[RANDOM_DEVICES] = {0};
  for (size_t t = 0; t < made.instance.tensor_count; t++) {
    const dsm_tensor *const tensor = &made.tensors[t];
    bool is_there[RANDOM_DEVICES] = {false};
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      is_there[devices[tensor->consumers[c]]] = true;
    }
    for (size_t j = 0; j < device_count; j++) {
      const bool is_sent = is_there[j] && j != devices[tensor->producer];
      sent[devices[tensor->producer]] += is_sent ? tensor->bytes : 0; /* as stated */
    }
  }
  for (size_t i = 0; i < made.instance.task_count; i++) {
    bool is_used = false;
    for (size_t t = 0; t < made.instance.tensor_count; t++) {
      is_used = is_used || made.tensors[t].producer == i;
    }
    const double own = made.tasks[i].result_bytes;
    if (!made.partition.options.does_keep_results && (!is_used || own > 0)) {
      sent[devices[i]] += own > 0 ? own : made.tasks[i].output_bytes;
    }
  }
  for (size_t j = 0; j < device_count; j++) {
    programme.row[device_count + j][way] =
        sent[j] * small_elements(&made.instance, j) / made.devices[j].link_bytes_per_second;
  }
}

/* Each task on a device that runs it, and all ways together no more than devices and links can. */
static void expect_ways(const dsm__whole_requests *whole) {
  const size_t device_count = made.instance.device_count;
  double busy[RANDOM_DEVICES] = {0};
  double sum = 0;
  for (size_t k = 0; k < whole->way_count; k++) {
    sum += whole->ways[k].rate;
    for (size_t i = 0; i < made.instance.task_count; i++) {
      const size_t at = i * device_count + whole->ways[k].devices[i];
      ck_assert_double_gt(made.rates[at], 0);
      busy[whole->ways[k].devices[i]] += whole->ways[k].rate * made.seconds[at];
    }
  }
  for (size_t j = 0; j < device_count; j++) {
    ck_assert_double_le(busy[j], 1 + 1e-9);
  }
  ck_assert_double_eq_tol(sum, whole->rate, 1e-9 * sum);
}

static double whole_rate(void) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__whole_requests whole;
  ck_assert_int_eq(dsm__whole_requests_find(&whole, arena, arena, &made.partition, NULL), DSM_OK);
  expect_ways(&whole);
  dsm__arena_free(arena);
  return whole.rate;
}

/* Where requests may take half as long again as the shortest way, on average. */
static void limit_latency(void) {
  const size_t rows = programme.row_count;
  double shortest = HUGE_VAL;
  for (size_t way = 0; way < programme.column_count; way++) {
    for (size_t r = 0; r < rows; r++) {
      programme.row[rows][way] += programme.row[r][way];
    }
    shortest = fmin(shortest, programme.row[rows][way]);
  }
  made.partition.options.latency_limit_seconds = 1.5 * shortest;
  for (size_t way = 0; way < programme.column_count; way++) {
    programme.row[rows][way] -= 1.5 * shortest;
  }
  programme.row_count++;
}

START_TEST(test_equals_all_ways) {
  random_dispatch_make(&made, (uint64_t)_i);
  if (_i % 3 == 0) {
    random_dispatch_precision(&made, (uint64_t)_i);
  }
  programme = (simplex){.column_count = limit_ways(), .row_count = 2 * made.instance.device_count};
  for (size_t r = 0; r < programme.row_count; r++) {
    programme.limit[r] = 1;
  }
  for (size_t way = 0; way < programme.column_count; way++) {
    write_column(way);
  }
  if (_i % 2 == 1) {
    limit_latency();
  }
  const double most = simplex_solve(&programme);
  ck_assert_double_eq_tol(whole_rate(), most, 2e-6 * most);
  ck_assert_double_le(most, storage_optimum(&made.partition) * (1 + 1e-6));
}
END_TEST

/* On a chain whole requests reach what the programme says (docs/partition.md, rulings). */
START_TEST(test_chains_reach_the_programme) {
  random_dispatch_make(&made, (uint64_t)_i);
  made.instance.tensor_count = made.instance.task_count - 1;
  for (size_t t = 0; t < made.instance.tensor_count; t++) {
    made.consumers[t][0] = t + 1;
    made.tensors[t].producer = t;
    made.tensors[t].consumer_count = 1;
  }
  for (size_t k = 0; k < made.instance.task_count * made.instance.device_count; k++) {
    made.is_stored[k] = made.rates[k] > 0;
  }
  const double optimum = storage_optimum(&made.partition);
  ck_assert_double_eq_tol(whole_rate(), optimum, 2e-6 * optimum);
}
END_TEST

/* The answer says of itself what whole requests reach, and by their ways a simulation comes near to
 * that. */
START_TEST(test_answers_of_graphs) {
  random_dispatch_make(&made, (uint64_t)_i);
  for (size_t j = 0; j < made.instance.device_count; j++) {
    made.devices[j].memory_bytes = 1 + (double)(((size_t)_i + 3 * j) % 7);
  }
  dsm_partition *solved = NULL;
  const dsm_status status = dsm_partition_solve(&solved, &made.instance, NULL, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  if (status == DSM_OK && solved->simulated_rho > 0) {
    ck_assert_double_gt(solved->whole_rho, 0);
    ck_assert_double_le(solved->whole_rho, solved->rho * (1 + 1e-6));
    ck_assert_int_eq(solved->is_bound, solved->whole_rho < solved->rho * (1 - 1e-6));
    ck_assert_double_le(solved->simulated_rho, solved->whole_rho);
    ck_assert_double_ge(solved->simulated_rho, solved->whole_rho * 0.98);
  } else if (status == DSM_OK) {
    ck_assert(!solved->is_bound);
    ck_assert_double_eq(solved->whole_rho, 0);
  }
  dsm_partition_free(solved);
}
END_TEST

Suite *suite_whole_requests(void) {
  Suite *const suite = suite_create("whole_requests");
  TCase *const tests = tcase_create("whole_requests");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_equals_all_ways, 0, HOW_MANY(2000, 150, 25));
  tcase_add_loop_test(tests, test_chains_reach_the_programme, 0, HOW_MANY(1000, 100, 25));
  tcase_add_loop_test(tests, test_answers_of_graphs, 0, HOW_MANY(500, 30, 5));
  suite_add_tcase(suite, tests);
  return suite;
}
