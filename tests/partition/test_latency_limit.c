/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_latency_limit.c: the most throughput, and the least energy, of requests that take so long
 * and no longer on average: against twins, and what holds for every answer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "enumerate.h"
#include "how_many.h"
#include "request_columns.h"
#include "small_instance.h"
#include "suites.h"

enum { LOOPS = 4 };

static const double close = 2e-6;

static dsm_partition_options exactly(dsm_objective_kind objective) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.gap = 0;
  return options;
}

/* Solves; compares with what the twin says: no more of a request's time than asked for, and no
 * answer where it says so. A twin of a graph may say less than the programme, whose tasks need not
 * be split as requests are. */
static void compare(uint64_t seed, const small_instance *s, const dsm_partition_options *options,
                    double twin, bool is_exact) {
  dsm_diags *const diags = dsm_diags_new(10);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, options, diags);
  const double sign = options->objective == DSM_OBJECTIVE_THROUGHPUT ? 1 : -1;
  const bool has_answer = isfinite(twin) && twin > 0;
  const char *const said =
      dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding";
  ck_assert_msg(status == DSM_OK || status == DSM_ERROR_INFEASIBLE, "seed %llu: %s",
                (unsigned long long)seed, said);
  ck_assert_msg((status == DSM_OK) == has_answer || (!is_exact && !has_answer), "seed %llu: %s",
                (unsigned long long)seed, said);
  if (status == DSM_OK && has_answer) {
    const double more = sign * (partition->objective - twin);
    ck_assert_msg(more >= -close * twin && (!is_exact || more <= close * twin),
                  "seed %llu: %.9g, the twin says %.9g", (unsigned long long)seed,
                  partition->objective, twin);
    ck_assert_double_ge(sign * (partition->bound - twin), -close * twin);
    ck_assert_int_eq(partition->status, DSM_SOLUTION_OPTIMAL);
  }
  if (status == DSM_OK) {
    ck_assert_double_le(partition->mean_latency_seconds,
                        options->latency_limit_seconds * (1 + 1e-6));
    ck_assert_int_eq(dsm_partition_validate(partition, NULL), DSM_OK);
  }
  dsm_partition_free(partition);
  dsm_diags_free(diags);
}

static bool is_chain(const dsm_instance *it) {
  for (size_t t = 0; t < it->tensor_count; t++) {
    for (size_t u = 0; u < t; u++) {
      if (it->tensors[t].consumers[0] == it->tensors[u].consumers[0]) {
        return false;
      }
    }
    if (it->tensors[t].consumer_count != 1) {
      return false;
    }
  }
  return true;
}

/* A little more than the shortest time of a request, half as much again, and thrice that. */
static double drawn_limit(uint64_t seed, double shortest) {
  static const double factors[] = {1.02, 1.1, 1.5, 3};
  return isfinite(shortest) ? shortest * factors[seed / 3 % (sizeof factors / sizeof factors[0])]
                            : 1;
}

static void draw(small_instance *s, dsm_partition_options *options, uint64_t seed) {
  small_random(s, seed, 4, 3);
  for (size_t j = 0; j < s->instance.device_count; j++) {
    s->devices[j].has_power = true;
  }
  *options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  options->does_keep_results = seed % 3 == 0;
  options->copies_max = seed / 2 % 3;
  options->is_staged = options->copies_max == 1 && seed % 5 == 0;
}

/* Storages, and with as many copies, in stages: each with a linear programme of its own. */
START_TEST(answers_equal_the_twin_of_storages) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(400, 30, 10);
  for (uint64_t seed = first; seed < first + HOW_MANY(400, 30, 10); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    const double shortest = enumerate_latency(&s.instance, &options);
    options.latency_limit_seconds = drawn_limit(seed, shortest);
    const double most = enumerate_throughput(&s.instance, &options);
    compare(seed, &s, &options, most, true);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.7) : 1;
    compare(seed, &s, &options, enumerate_energy(&s.instance, &options), true);
  }
}
END_TEST

/* Ports, pairs, fixed costs and inputs: mixtures of whole requests. */
START_TEST(answers_equal_the_twin_of_requests) {
  const uint64_t first = (uint64_t)_i * HOW_MANY(400, 30, 10);
  for (uint64_t seed = first; seed < first + HOW_MANY(400, 30, 10); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    options.copies_max = 0;
    options.is_staged = false;
    small_routes(&s, seed);
    options.does_count_input = seed % 2 == 0;
    const double shortest = request_columns_latency(&s.instance, &options);
    options.latency_limit_seconds = drawn_limit(seed, shortest);
    const bool is_exact = is_chain(&s.instance);
    const double most = request_columns_throughput(&s.instance, &options);
    compare(seed, &s, &options, most, is_exact);
    options.objective = DSM_OBJECTIVE_ENERGY;
    options.required_rho = most > 0 ? most * (seed % 3 == 2 ? 1.01 : 0.7) : 1;
    compare(seed, &s, &options, request_columns_energy(&s.instance, &options), is_exact);
  }
}
END_TEST

/* No request is faster than the fastest: no answer, and the finding names its time. */
START_TEST(what_is_out_of_reach_is_told) {
  for (uint64_t seed = 0; seed < HOW_MANY(200, 30, 10); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    const double shortest = enumerate_latency(&s.instance, &options);
    if (!isfinite(shortest)) {
      continue;
    }
    options.latency_limit_seconds = shortest * 0.99;
    char expected[64];
    snprintf(expected, sizeof expected, "found is %.6g ms", 1e3 * shortest);
    dsm_diags *const diags = dsm_diags_new(10);
    dsm_partition *partition = NULL;
    ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, &options, diags),
                     DSM_ERROR_INFEASIBLE);
    ck_assert_ptr_null(partition);
    ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, expected));
    dsm_diags_free(diags);
  }
}
END_TEST

/* 0 where there is no answer. */
static double rate_at(const small_instance *s, dsm_partition_options options, double limit,
                      double *mean) {
  dsm_partition *partition = NULL;
  options.latency_limit_seconds = limit;
  const dsm_status status = dsm_partition_solve(&partition, &s->instance, &options, NULL);
  ck_assert(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  const double rho = status == DSM_OK ? partition->rho : 0;
  *mean = status == DSM_OK ? partition->mean_latency_seconds : 0;
  dsm_partition_free(partition);
  return rho;
}

/* What an answer takes is limit enough for it; half of that is never faster. */
START_TEST(a_smaller_limit_is_never_faster) {
  for (uint64_t seed = 0; seed < HOW_MANY(200, 20, 10); seed++) {
    small_instance s;
    dsm_partition_options options;
    draw(&s, &options, seed);
    double mean = 0;
    double ignored = 0;
    const double free = rate_at(&s, options, 0, &mean);
    if (free > 0) {
      const double same = rate_at(&s, options, mean, &ignored);
      ck_assert_double_eq_tol(same, free, close * free);
      double before = free;
      for (double limit = mean * 0.9; limit > mean * 0.3; limit -= mean * 0.15) {
        const double rho = rate_at(&s, options, limit, &ignored);
        ck_assert_double_le(rho, before * (1 + close));
        before = rho;
      }
    }
  }
}
END_TEST

/* One task, a second on the one device and three on the other, which is as fast for requests as a
 * third of it: all together 4/3 a second, that take (1 + 1/3 * 3) / (4/3) = 1.5 s on average. With
 * 1.25 s each, y on the slow device keep 1 + 3 y <= 1.25 (1 + y): y = 1/7. */
START_TEST(a_slow_device_takes_what_the_limit_leaves) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  const dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  double mean = 0;
  ck_assert_double_eq_tol(rate_at(&s, options, 2, &mean), 4. / 3, close);
  ck_assert_double_eq_tol(mean, 1.5, close);
  ck_assert_double_eq_tol(rate_at(&s, options, 1.25, &mean), 8. / 7, close);
  ck_assert_double_eq_tol(mean, 1.25, close);
  ck_assert_double_eq_tol(rate_at(&s, options, 1, &mean), 1, close);
  ck_assert_double_eq(rate_at(&s, options, 0.9, &mean), 0);
}
END_TEST

START_TEST(what_cannot_be_asked) {
  static const struct {
    dsm_objective_kind objective;
    double limit;
  } wrong[] = {{DSM_OBJECTIVE_LATENCY, 1},
               {DSM_OBJECTIVE_THROUGHPUT, -1},
               {DSM_OBJECTIVE_THROUGHPUT, HUGE_VAL},
               {DSM_OBJECTIVE_THROUGHPUT, (double)NAN}};
  small_instance s;
  small_chain(&s, 2, 2);
  dsm_partition_options options = exactly(wrong[_i].objective);
  options.latency_limit_seconds = wrong[_i].limit;
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, &options, NULL), DSM_ERROR_USAGE);
}
END_TEST

/* An answer that was changed by hand is told apart. */
START_TEST(a_limit_that_is_not_kept_is_found) {
  small_instance s;
  small_chain(&s, 1, 2);
  s.seconds[1] = 3;
  dsm_partition_options options = exactly(DSM_OBJECTIVE_THROUGHPUT);
  options.latency_limit_seconds = 1.5;
  dsm_partition *partition = NULL;
  ck_assert_int_eq(dsm_partition_solve(&partition, &s.instance, &options, NULL), DSM_OK);
  partition->options.latency_limit_seconds = 1.4;
  ck_assert_int_eq(dsm_partition_validate(partition, NULL), DSM_ERROR_INVALID);
  partition->options.latency_limit_seconds = 1.5;
  partition->mean_latency_seconds = 1.4;
  ck_assert_int_eq(dsm_partition_validate(partition, NULL), DSM_ERROR_INVALID);
  dsm_partition_free(partition);
}
END_TEST

Suite *suite_latency_limit(void) {
  Suite *const suite = suite_create("latency_limit");
  TCase *const twins = tcase_create("twins");
  tcase_set_timeout(twins, 600);
  tcase_add_loop_test(twins, answers_equal_the_twin_of_storages, 0, LOOPS);
  tcase_add_loop_test(twins, answers_equal_the_twin_of_requests, 0, LOOPS);
  tcase_add_test(twins, what_is_out_of_reach_is_told);
  tcase_add_test(twins, a_smaller_limit_is_never_faster);
  suite_add_tcase(suite, twins);
  TCase *const plain = tcase_create("plain");
  tcase_add_test(plain, a_slow_device_takes_what_the_limit_leaves);
  tcase_add_loop_test(plain, what_cannot_be_asked, 0, 4);
  tcase_add_test(plain, a_limit_that_is_not_kept_is_found);
  suite_add_tcase(suite, plain);
  return suite;
}
