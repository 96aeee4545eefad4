/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What always holds, and the planner beside one that tries everything, over random jobs. */
#include <math.h>
#include <stdlib.h>

#include "jobs.h"
#include "random_numbers.h"
#include "suites.h"

enum { JOBS = 300, MOST_REPEAT = 40, LIST = 12 };
static const double rounding = 1e-12;

static int by_value(const void *a, const void *b) {
  const double one = *(const double *)a;
  const double other = *(const double *)b;
  return (one > other) - (one < other);
}

/* A higher factor never reads more, and is never slower; without a stall EB2 * rf is EB1. */
START_TEST(test_over_the_factor) {
  uint64_t state = 1901;
  for (int n = 0; n < JOBS; n++) {
    const dsm_storage_job job = job_drawn(&state);
    const uint64_t count = dsm_storage_mini_epochs(&job);
    ck_assert_uint_ge(count, 1);
    dsm_storage_state before = dsm_storage_steady(&job, count, 1);
    for (double repeat = 1.5; repeat < 2 * before.stall_free_repeat && repeat < 200;
         repeat += 0.5) {
      const dsm_storage_state after = dsm_storage_steady(&job, count, repeat);
      ck_assert_double_le(after.capacity_bytes_per_second,
                          before.capacity_bytes_per_second * (1 + rounding));
      ck_assert_double_ge(after.samples_per_second, before.samples_per_second * (1 - rounding));
      ck_assert_double_ge(after.stall_share, -rounding);
      if (count > 1 && repeat >= after.stall_free_repeat) {
        ck_assert_double_eq_tol(after.capacity_bytes_per_second * repeat,
                                after.fast_bytes_per_second,
                                rounding * after.fast_bytes_per_second);
        ck_assert_double_le(after.stall_share, rounding);
      }
      before = after;
    }
    const double free = before.stall_free_repeat;
    ck_assert(count == 1 || free <= 1 || dsm_storage_steady(&job, count, free - 1).stall_share > 0);
  }
}
END_TEST

/* Waiting, samples a second, what is delivered and what bounds it say the same; the share of stalls
 * is that of waiting unless fast storage is slow. A list waits as its mini-epochs do. */
START_TEST(test_waiting_is_what_is_lost) {
  uint64_t state = 1904;
  int seen[DSM_STORAGE_BOUND_COUNT] = {0};
  for (int n = 0; n < JOBS; n++) {
    const dsm_storage_job job = job_drawn(&state);
    const uint64_t count = dsm_storage_mini_epochs(&job);
    const double repeats[] = {number_drawn(&state, 1, 20), number_drawn(&state, 1, 20)};
    const dsm_storage_state of = dsm_storage_steady(&job, count, repeats[0]);
    const double rates[DSM_STORAGE_BOUND_COUNT] = {
        job.demand_bytes_per_second, job.fast_bytes_per_second,
        count == 1 ? HUGE_VAL : repeats[0] * job.capacity_bytes_per_second};
    const double least = fmin(fmin(rates[0], rates[1]), rates[2]);
    ck_assert_double_eq_tol(rates[of.bound], least, 1e-9 * least);
    ck_assert_double_eq_tol(of.delivered_bytes_per_second, least, 1e-9 * least);
    ck_assert_double_eq_tol(of.waiting_share, 1 - least / rates[0], 1e-9);
    ck_assert_double_eq_tol(of.samples_per_second, (1 - of.waiting_share) * job.samples_per_second,
                            1e-9 * job.samples_per_second);
    ck_assert_int_eq(of.bound == DSM_STORAGE_BOUND_CHIPS, of.waiting_share <= 0);
    if (rates[1] >= rates[0]) {
      ck_assert_double_eq_tol(of.waiting_share, of.stall_share, 1e-9);
    }
    const dsm_storage_mean mean = dsm_storage_mean_of(&job, count, repeats, NULL, 2);
    ck_assert_double_eq_tol(mean.samples_per_second,
                            (1 - mean.waiting_share) * job.samples_per_second,
                            1e-9 * job.samples_per_second);
    seen[of.bound]++;
  }
  for (int bound = 0; bound < DSM_STORAGE_BOUND_COUNT; bound++) {
    ck_assert_int_gt(seen[bound], 10);
  }
}
END_TEST

/* Of a list: its order is nothing; equal times read EB1/mean at least where nothing stalls; equal
 * factors are the steady state. */
START_TEST(test_lists) {
  uint64_t state = 1902;
  for (int n = 0; n < JOBS; n++) {
    dsm_storage_job job = job_drawn(&state);
    job.fast_bytes = (double)job.samples * job.sample_bytes / 2 + 2 * job.sample_bytes;
    const uint64_t count = dsm_storage_mini_epochs(&job);
    const double free = dsm_storage_stall_free_repeat(&job);
    double repeats[LIST];
    double higher[LIST];
    for (int i = 0; i < LIST; i++) {
      repeats[i] = number_drawn(&state, 1, 50);
      higher[i] = free + number_drawn(&state, 0, 50);
    }
    const dsm_storage_mean one = dsm_storage_mean_of(&job, count, repeats, NULL, LIST);
    qsort(repeats, LIST, sizeof *repeats, by_value);
    const dsm_storage_mean other = dsm_storage_mean_of(&job, count, repeats, NULL, LIST);
    ck_assert_double_eq_tol(one.capacity_bytes_per_second, other.capacity_bytes_per_second,
                            1e-12 * one.capacity_bytes_per_second + 1e-300);
    ck_assert_double_eq_tol(one.samples_per_second, other.samples_per_second,
                            1e-12 * one.samples_per_second);
    double sum = 0;
    for (int i = 0; i < LIST; i++) {
      sum += repeats[i];
    }
    /* peak * sum(rf) * S / (D * sum(t)) */
    const double bytes = (double)job.samples * job.sample_bytes / (double)count;
    ck_assert_double_eq_tol(one.samples_per_second,
                            job.samples_per_second * sum * bytes /
                                (job.demand_bytes_per_second * one.seconds),
                            1e-9 * one.samples_per_second);
    const dsm_storage_mean free_of_stalls = dsm_storage_mean_of(&job, count, higher, NULL, LIST);
    if (count > 1) {
      const double least =
          fmin(job.fast_bytes_per_second, job.demand_bytes_per_second) / free_of_stalls.repeat;
      ck_assert_double_ge(free_of_stalls.equal_capacity_bytes_per_second, least * (1 - rounding));
      ck_assert_double_eq_tol(free_of_stalls.capacity_bytes_per_second, least, 1e-9 * least);
    }
    const double equal[] = {7, 7, 7};
    const double times[] = {1, 5, 2};
    const dsm_storage_state steady = dsm_storage_steady(&job, count, 7);
    ck_assert_double_eq_tol(dsm_storage_mean_of(&job, count, equal, times, 3).samples_per_second,
                            steady.samples_per_second, 1e-12 * steady.samples_per_second);
  }
}
END_TEST

/* The best of all numbers of mini-epochs and all factors, as the job and its limits are read: least
 * EB2, then fastest, then fewest mini-epochs, then the lowest factor. */
typedef struct choice {
  uint64_t mini_epochs;
  double repeat;
  double capacity;
  double rate;
} choice;

static bool is_better(const choice *a, const choice *b) {
  if (a->capacity < b->capacity * (1 - rounding) || a->capacity > b->capacity * (1 + rounding)) {
    return a->capacity < b->capacity;
  }
  return a->rate > b->rate * (1 + rounding);
}

static choice try_everything(const dsm_storage_job *job, uint64_t most_mini_epochs,
                             uint64_t most_repeat) {
  const double eb1 = fmin(job->fast_bytes_per_second, job->demand_bytes_per_second);
  choice best = {.capacity = HUGE_VAL};
  for (uint64_t nm = 2; nm <= job->samples && nm <= most_mini_epochs; nm++) {
    const double largest = ceil((double)job->samples / (double)nm) * job->sample_bytes;
    if (largest > job->fast_bytes / 2) {
      continue;
    }
    for (uint64_t rf = 1; rf <= most_repeat; rf++) {
      const double bytes = (double)job->samples * job->sample_bytes / (double)nm;
      const double period = fmax((double)rf * bytes / eb1, bytes / job->capacity_bytes_per_second);
      const choice one = {nm, (double)rf, bytes / period,
                          (double)rf * bytes / job->sample_bytes / period};
      if (is_better(&one, &best)) {
        best = one;
      }
    }
  }
  return best;
}

START_TEST(test_the_plan_is_the_best_of_all) {
  uint64_t state = 1903;
  int planned = 0;
  for (int n = 0; n < JOBS; n++) {
    const dsm_storage_job job = job_drawn(&state);
    const uint64_t most_mini_epochs = 1 + random_below(&state, 30);
    const uint64_t most_repeat = 1 + random_below(&state, MOST_REPEAT);
    dsm_storage_options options;
    dsm_storage_result *result = NULL;
    dsm_storage_options_init(&options);
    options.max_mini_epochs = most_mini_epochs;
    options.max_repeat = (double)most_repeat;
    const dsm_status status = dsm_storage(&result, &job, &options, NULL);
    if (status == DSM_OK && result->state.mini_epochs == 1) {
      ck_assert_double_eq(result->state.capacity_bytes_per_second, 0);
      dsm_storage_result_free(result);
      continue;
    }
    const choice best = try_everything(&job, most_mini_epochs, most_repeat);
    ck_assert_int_eq(status, isinf(best.capacity) ? DSM_ERROR_INFEASIBLE : DSM_OK);
    if (status == DSM_OK) {
      ck_assert_uint_eq(result->state.mini_epochs, best.mini_epochs);
      ck_assert_double_eq(result->state.repeat, (double)most_repeat);
      ck_assert_double_eq_tol(result->state.capacity_bytes_per_second, best.capacity,
                              1e-9 * best.capacity);
      ck_assert_double_eq_tol(result->state.samples_per_second, best.rate, 1e-9 * best.rate);
      for (size_t p = 1; p < result->point_count; p++) {
        ck_assert_double_gt(result->points[p].repeat, result->points[p - 1].repeat);
        ck_assert_double_le(result->points[p].repeat, (double)most_repeat);
      }
      planned++;
    }
    dsm_storage_result_free(result);
  }
  ck_assert_int_gt(planned, JOBS / 4);
}
END_TEST

Suite *suite_properties(void) {
  Suite *const suite = suite_create("properties");
  TCase *const tests = tcase_create("properties");
  tcase_add_test(tests, test_over_the_factor);
  tcase_add_test(tests, test_waiting_is_what_is_lost);
  tcase_add_test(tests, test_lists);
  tcase_add_test(tests, test_the_plan_is_the_best_of_all);
  suite_add_tcase(suite, tests);
  return suite;
}
