/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simple ways to use the devices, by hand and on random instances. */
#include <math.h>

#include "how_many.h"
#include "random_dispatch.h"
#include "storage_optimum.h"
#include "suites.h"

static random_dispatch made;
static dsm_partition_baseline baselines[DSM_BASELINE_KIND_COUNT];

static const dsm_partition_baseline *derive(dsm_baseline_kind kind) {
  dsm_partition_baselines(&made.instance, &made.partition.options, baselines);
  ck_assert_int_eq(baselines[kind].kind, kind);
  return &baselines[kind];
}

static void expect_infeasible(const dsm_partition_baseline *baseline) {
  ck_assert(!baseline->is_feasible);
  ck_assert_double_eq(baseline->rho, 0);
  ck_assert_double_eq(baseline->latency_seconds, 0);
  ck_assert_uint_eq(baseline->device_count, 0);
}

/* Two tasks; a host that takes 8 s, accelerators that take 2 and 4. */
static void make_three(void) {
  chain_make(&made, 2, 3);
  const double seconds[] = {3, 0.5, 1, 5, 1.5, 3};
  for (size_t k = 0; k < 6; k++) {
    made.seconds[k] = seconds[k];
  }
  made.devices[0].is_accelerator = false;
}

START_TEST(test_three_devices) {
  make_three();
  const dsm_partition_baseline *const all = derive(DSM_BASELINE_REPLICATION);
  ck_assert(all->is_feasible);
  ck_assert_double_eq(all->rho, 0.125 + 0.5 + 0.25);
  ck_assert_double_eq(all->latency_seconds, 2);
  ck_assert_uint_eq(all->device_count, 3);
  const dsm_partition_baseline *const some = derive(DSM_BASELINE_ACCELERATORS);
  ck_assert_double_eq(some->rho, 0.75);
  ck_assert_uint_eq(some->device_count, 2);
  const dsm_partition_baseline *const best = derive(DSM_BASELINE_BEST_DEVICE);
  ck_assert_double_eq(best->rho, 0.5);
  ck_assert_double_eq(best->latency_seconds, 2);
  ck_assert_uint_eq(best->device_count, 1);
}
END_TEST

START_TEST(test_memory) {
  make_three();
  made.devices[1].memory_bytes = 2; /* just enough for both */
  made.devices[2].memory_bytes = 1.5;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.625);
  made.tasks[0].activation_bytes = 1;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.625);
  made.partition.options.does_count_activations = true;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.125);
  expect_infeasible(derive(DSM_BASELINE_ACCELERATORS));
  made.devices[0].memory_bytes = 2.5;
  expect_infeasible(derive(DSM_BASELINE_REPLICATION));
  expect_infeasible(derive(DSM_BASELINE_BEST_DEVICE));
}
END_TEST

START_TEST(test_a_task_that_cannot_run) {
  make_three();
  made.seconds[2 * 1 + 2] = HUGE_VAL;
  ck_assert_uint_eq(derive(DSM_BASELINE_REPLICATION)->device_count, 2);
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.375);
}
END_TEST

START_TEST(test_results_need_the_link) {
  make_three();
  made.tasks[1].output_bytes = 12;
  made.devices[1].link_bytes_per_second = 3; /* 4 s a request, though it takes 2 */
  made.devices[2].link_bytes_per_second = 24;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.125 + 0.25 + 0.25);
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->latency_seconds, 4.5);
  ck_assert_double_eq(derive(DSM_BASELINE_BEST_DEVICE)->latency_seconds, 6);
  made.partition.options.objective = DSM_OBJECTIVE_LATENCY;
  ck_assert_double_eq(derive(DSM_BASELINE_BEST_DEVICE)->latency_seconds, 4.5);
  ck_assert_double_eq(derive(DSM_BASELINE_BEST_DEVICE)->rho, 0.25);
  made.partition.options.does_keep_results = true;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.875);
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->latency_seconds, 2);
}
END_TEST

/* Only what no task consumes is a result. */
START_TEST(test_several_results) {
  make_three();
  made.instance.tensor_count = 0;
  made.tasks[0].output_bytes = 6;
  made.tasks[1].output_bytes = 6;
  made.devices[1].link_bytes_per_second = 3;
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 0.125 + 0.25 + 0.25);
}
END_TEST

/*
 * Superlinear speedup (section 2.5 of the paper): two devices, each ten times faster at another
 * task. A device alone takes 11 s for a request. Replicated on both, 2/11 requests per second leave
 * the server. Partitioned, each device does what it is good at, 1 request per second: 11 times a
 * single device, with two of them.
 */
START_TEST(test_superlinear) {
  chain_make(&made, 2, 2);
  const double seconds[] = {1, 10, 10, 1};
  for (size_t k = 0; k < 4; k++) {
    made.seconds[k] = seconds[k];
    made.is_stored[k] = true;
  }
  const double single = derive(DSM_BASELINE_BEST_DEVICE)->rho;
  ck_assert_double_eq(single, 1.0 / 11);
  ck_assert_double_eq(derive(DSM_BASELINE_REPLICATION)->rho, 2 * single);
  ck_assert_double_eq_tol(storage_optimum(&made.partition), 11 * single, 1e-12);
  made.is_stored[1] = false;
  made.is_stored[2] = false;
  ck_assert_double_eq_tol(storage_optimum(&made.partition), 1, 1e-12);
}
END_TEST

/* min over tasks of sum over devices of 1 / p_ij: no solution is better. */
static double fastest_of_each_task(void) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < made.instance.task_count; i++) {
    double sum = 0;
    for (size_t j = 0; j < made.instance.device_count; j++) {
      sum += 1 / dsm_instance_seconds(&made.instance, i, j);
    }
    least = fmin(least, sum);
  }
  return least;
}

/* The rate of replication is the sum of what each device reaches alone. */
static double sum_of_single_devices(bool is_any) {
  double sum = 0;
  const size_t count = made.instance.device_count;
  double memory[RANDOM_DEVICES];
  for (size_t j = 0; j < count; j++) {
    memory[j] = made.devices[j].memory_bytes;
    made.devices[j].memory_bytes = -1;
  }
  for (size_t j = 0; j < count; j++) {
    made.devices[j].memory_bytes = memory[j];
    sum += is_any || made.devices[j].is_accelerator ? derive(DSM_BASELINE_BEST_DEVICE)->rho : 0;
    made.devices[j].memory_bytes = -1;
  }
  for (size_t j = 0; j < count; j++) {
    made.devices[j].memory_bytes = memory[j];
  }
  return sum;
}

START_TEST(test_random) {
  random_dispatch_make(&made, (uint64_t)_i);
  for (size_t k = 0; k < made.instance.task_count * made.instance.device_count; k++) {
    made.seconds[k] = isinf(made.seconds[k]) && _i % 2 == 0 ? 0.5 : made.seconds[k];
    made.is_stored[k] = true;
  }
  made.devices[0].is_accelerator = false;
  made.devices[0].memory_bytes = (double)(_i % 9);
  const double all = sum_of_single_devices(true);
  const double some = sum_of_single_devices(false);
  const double replicated = derive(DSM_BASELINE_REPLICATION)->rho;
  ck_assert_double_le(fabs(replicated - all), 1e-12 * all);
  ck_assert_double_le(fabs(derive(DSM_BASELINE_ACCELERATORS)->rho - some), 1e-12 * some);
  ck_assert_double_le(derive(DSM_BASELINE_BEST_DEVICE)->rho, replicated);
  ck_assert_double_le(replicated, fastest_of_each_task() * (1 + 1e-12));
  ck_assert_double_le(replicated, storage_optimum(&made.partition) * (1 + 1e-9));
}
END_TEST

/* ---- taken as an answer ---- */

static size_t copies_of(const dsm_partition *partition) {
  size_t copies = 0;
  for (size_t k = 0; k < made.instance.task_count * made.instance.device_count; k++) {
    copies += partition->is_stored[k] ? 1 : 0;
  }
  return copies;
}

static double moved_between_devices(const dsm_partition *partition) {
  double sum = 0;
  for (size_t k = 0; k < made.instance.tensor_count * made.instance.device_count; k++) {
    sum += partition->sent[k];
  }
  return sum;
}

/*
 * Of m equal devices without limits none can do more than run whole requests: with a work of W
 * seconds a request m / W a second is the optimum, and replication reaches it. So nothing moves.
 * Where only one copy of each task is allowed it is not taken.
 */
START_TEST(test_equal_devices_are_not_scattered_over) {
  random_dispatch_make(&made, (uint64_t)_i);
  const size_t device_count = made.instance.device_count;
  double work = 0;
  for (size_t i = 0; i < made.instance.task_count; i++) {
    const double seconds = 0.1 + (double)((i + (size_t)_i) % 5) / 7;
    work += seconds;
    for (size_t j = 0; j < device_count; j++) {
      made.seconds[i * device_count + j] = seconds;
    }
  }
  for (size_t j = 0; j < device_count; j++) {
    made.devices[j].link_bytes_per_second = 100;
  }
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &made.instance, &options, NULL), DSM_OK);
  ck_assert_double_ge(solved->rho, (1 - options.gap) * (double)device_count / work);
  ck_assert(!(moved_between_devices(solved) > 0));
  ck_assert(!solved->is_bound);
  dsm_partition_free(solved);
  options.copies_max = 1;
  ck_assert_int_eq(dsm_partition_solve(&solved, &made.instance, &options, NULL), DSM_OK);
  ck_assert_uint_eq(copies_of(solved), made.instance.task_count);
  dsm_partition_free(solved);
}
END_TEST

/* Where replication is as good as the bound within the gap, nothing moves; and an answer is never
 * worse than it. */
START_TEST(test_replication_as_an_answer) {
  random_dispatch_make(&made, (uint64_t)_i);
  for (size_t k = 0; k < made.instance.task_count * made.instance.device_count; k++) {
    made.seconds[k] = isinf(made.seconds[k]) ? 0.5 : made.seconds[k];
  }
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.gap = _i % 2 == 0 ? 1e-4 : 0.1;
  dsm_partition *solved = NULL;
  ck_assert_int_eq(dsm_partition_solve(&solved, &made.instance, &options, NULL), DSM_OK);
  const double replicated = solved->baselines[DSM_BASELINE_REPLICATION].rho;
  ck_assert_double_ge(solved->rho * (1 + options.gap + 1e-5), replicated);
  ck_assert_double_ge(solved->rho * (1 + options.gap + 1e-5), solved->bound);
  if (replicated > solved->bound / (1 + options.gap)) {
    ck_assert(!(moved_between_devices(solved) > 0));
  }
  dsm_partition_free(solved);
}
END_TEST

START_TEST(test_names) {
  ck_assert_str_eq(dsm_baseline_kind_name(DSM_BASELINE_ACCELERATORS), "accelerators");
  ck_assert_str_eq(dsm_baseline_kind_name(DSM_BASELINE_REPLICATION), "replication");
  ck_assert_str_eq(dsm_baseline_kind_name(DSM_BASELINE_BEST_DEVICE), "best_device");
}
END_TEST

Suite *suite_baselines(void) {
  Suite *const suite = suite_create("baselines");
  TCase *const tests = tcase_create("baselines");
  tcase_add_test(tests, test_three_devices);
  tcase_add_test(tests, test_memory);
  tcase_add_test(tests, test_a_task_that_cannot_run);
  tcase_add_test(tests, test_results_need_the_link);
  tcase_add_test(tests, test_several_results);
  tcase_add_test(tests, test_superlinear);
  tcase_add_loop_test(tests, test_random, 0, 300);
  tcase_add_loop_test(tests, test_equal_devices_are_not_scattered_over, 0, HOW_MANY(200, 30, 10));
  tcase_add_loop_test(tests, test_replication_as_an_answer, 0, HOW_MANY(1000, 50, 10));
  tcase_add_test(tests, test_names);
  suite_add_tcase(suite, tests);
  return suite;
}
