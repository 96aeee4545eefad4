/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulation against the closed forms, which are its twins, and against values by hand. */
#include <math.h>

#include "../random_numbers.h"
#include "suites.h"

enum { MOST = 400, CASES = 120 };

static double numbers[MOST + 1];
static double decodes[MOST + 1];
static double passes[MOST + 1];

/* Steps that grow evenly with requests, drawn at random. */
static dsm_serving_times drawn_times(uint64_t *random, bool has_chunks) {
  const double least = 0.005 + 1e-4 * (double)random_below(random, 200);
  const double each = 1e-5 * (double)(1 + random_below(random, 30));
  const double chunk = 0.001 * (double)(1 + random_below(random, 10));
  for (int i = 0; i <= MOST; i++) {
    numbers[i] = i;
    decodes[i] = least + each * i;
    passes[i] = decodes[i] + chunk;
  }
  return (dsm_serving_times){.output_tokens = 8 + random_below(random, 300),
                             .prefill_seconds = 0.001 * (double)(2 + random_below(random, 100)),
                             .prefill_batch = 1,
                             .decode = {numbers, decodes, MOST + 1},
                             .chunks = has_chunks ? 1 + random_below(random, 8) : 0,
                             .chunked = {numbers, passes, MOST + 1}};
}

static dsm_serving_scenario scenario_of(const dsm_serving_times *times) {
  return (dsm_serving_scenario){.times = times,
                                .input_tokens = 100,
                                .new_tokens = 100,
                                .every = 1,
                                .running = MOST,
                                .cache_tokens = HUGE_VAL,
                                .requests = 4000,
                                .seed = 7};
}

static dsm_serving_simulation simulate(const dsm_serving_scenario *scenario) {
  dsm_serving_simulation made;
  ck_assert_int_eq(dsm_serving_simulate(&made, scenario), DSM_OK);
  return made;
}

/* Requests of one length that are always there keep the ages with which they began: a mean is over
 * several beginnings. (With chunks those that meet are apart ever after.) */
static dsm_serving_simulation simulate_often(dsm_serving_scenario scenario) {
  enum { TIMES = 20 };
  dsm_serving_simulation mean = {.requests = 0};
  scenario.requests /= TIMES / 2;
  for (int i = 0; i < TIMES; i++) {
    scenario.seed = (uint64_t)i;
    const dsm_serving_simulation one = simulate(&scenario);
    mean.ttft.mean += one.ttft.mean / TIMES;
    mean.tpot.mean += one.tpot.mean / TIMES;
    mean.requests_per_second += one.requests_per_second / TIMES;
  }
  return mean;
}

static bool is_near(double found, double wanted) {
  return fabs(found / wanted - 1) <= 0.05;
}

/* docs/serving.md: closed forms are within 5 % in 119 of 120 cases. */
static int closed_misses(bool has_chunks, int cases) {
  uint64_t random = 5;
  int misses = 0;
  for (int i = 0; i < cases; i++) {
    const dsm_serving_times times = drawn_times(&random, has_chunks);
    const double steps = (double)times.output_tokens - 1;
    dsm_serving_scenario scenario = scenario_of(&times);
    scenario.running = 1 + random_below(&random, 100);
    if (has_chunks) {
      const double most = 1 + steps / (double)times.chunks;
      scenario.running = (uint64_t)fmin((double)scenario.running, most);
    }
    const dsm_serving_state wanted = dsm_serving_closed(&times, (double)scenario.running);
    const dsm_serving_simulation found =
        has_chunks ? simulate(&scenario) : simulate_often(scenario);
    const bool is_good = is_near(found.tpot.mean, wanted.tpot_seconds) &&
                         is_near(found.ttft.mean, wanted.ttft_seconds) &&
                         is_near(found.requests_per_second, wanted.requests_per_second);
    misses += is_good ? 0 : 1;
  }
  return misses;
}

START_TEST(test_closed_forms) {
  ck_assert_int_le(closed_misses(false, CASES), 1);
}
END_TEST

START_TEST(test_closed_chunks) {
  ck_assert_int_eq(closed_misses(true, 30), 0);
}
END_TEST

/* Below 0.8 of the largest rate. */
static int open_misses(bool has_chunks, int cases) {
  uint64_t random = 11;
  int misses = 0;
  for (int i = 0; i < cases; i++) {
    const dsm_serving_times times = drawn_times(&random, has_chunks);
    dsm_serving_scenario scenario = scenario_of(&times);
    dsm_serving_state wanted;
    const double load = 0.05 + 0.01 * (double)random_below(&random, 75);
    scenario.requests = 20000;
    scenario.rate = load * dsm_serving_largest_rate(&times);
    ck_assert(dsm_serving_open(&wanted, &times, scenario.rate));
    const dsm_serving_simulation found = simulate(&scenario);
    const bool is_good = is_near(found.tpot.mean, wanted.tpot_seconds) &&
                         is_near(found.ttft.mean, wanted.ttft_seconds);
    misses += is_good ? 0 : 1;
    ck_assert_double_eq_tol(found.requests_per_second, scenario.rate, 0.05 * scenario.rate);
    ck_assert_uint_eq(found.preemptions, 0);
  }
  return misses;
}

START_TEST(test_open_forms) {
  ck_assert_int_le(open_misses(false, 46), 1);
}
END_TEST

START_TEST(test_open_chunks) {
  ck_assert_int_le(open_misses(true, 46), 1);
}
END_TEST

/* Two requests that wait for each other: prefills of 1 s, decode steps of 1 s with any number,
 * three tokens each. The first comes at 0, the second at 1.5, in the first one's decode step: it is
 * prefilled from 2 to 3, both decode from 3 to 4, and it alone from 4 to 5. */
static const double few[] = {0, 9};
static const double second[] = {1, 1};

static dsm_serving_times three_tokens(void) {
  return (dsm_serving_times){.output_tokens = 3,
                             .prefill_seconds = 1,
                             .prefill_batch = 1,
                             .decode = {few, second, 2},
                             .chunked = {few, second, 2}};
}

static const dsm_serving_length two[] = {{10, 3, 0}, {10, 3, 1.5}};

static dsm_serving_scenario two_requests(const dsm_serving_times *times) {
  return (dsm_serving_scenario){.times = times,
                                .input_tokens = 10,
                                .new_tokens = 10,
                                .lengths = two,
                                .length_count = 2,
                                .has_arrivals = true,
                                .every = 1,
                                .running = 9,
                                .rate = 1,
                                .cache_tokens = 100,
                                .requests = 2};
}

START_TEST(test_two_requests) {
  const dsm_serving_times times = three_tokens();
  dsm_serving_scenario scenario = two_requests(&times);
  scenario.tpot_seconds = 1;
  const dsm_serving_simulation made = simulate(&scenario);
  ck_assert_double_eq(made.ttft.p50, 1); /* from 0 to 1, and from 1.5 to 3 */
  ck_assert_double_eq(made.ttft.p99, 1.5);
  ck_assert_double_eq(made.tpot.mean, (1.5 + 1) / 2); /* 1 to 4, 3 to 5 */
  ck_assert_double_eq(made.request.mean, (4 + 3.5) / 2);
  ck_assert_double_eq(made.requests_per_second, 1);
  ck_assert_double_eq(made.good_requests_per_second, 0.5);
}
END_TEST

/* A cache of 24 tokens: with 12 and 11 tokens in it both cannot have one more, so the second leaves
 * at 3. The first decodes until 4; the second is prefilled again, 11 tokens in 1.1 s, and has its
 * third token at 6.1. */
START_TEST(test_full_cache) {
  const dsm_serving_times times = three_tokens();
  dsm_serving_scenario scenario = two_requests(&times);
  scenario.cache_tokens = 24;
  const dsm_serving_simulation made = simulate(&scenario);
  ck_assert_uint_eq(made.preemptions, 1);
  ck_assert_double_eq_tol(made.request.p99, 6.1 - 1.5, 1e-12);
  ck_assert_double_eq(made.ttft.p99, 1.5);
}
END_TEST

/* Two chunks of a second each: the second request's go from 2 to 4, in steps that the first one has
 * its tokens of as well. */
START_TEST(test_two_chunks) {
  dsm_serving_times times = three_tokens();
  times.chunks = 2;
  const dsm_serving_scenario scenario = two_requests(&times);
  const dsm_serving_simulation made = simulate(&scenario);
  ck_assert_double_eq(made.ttft.p50, 2);
  ck_assert_double_eq(made.ttft.p99, 2.5);
  ck_assert_double_eq(made.tpot.mean, 1);
  ck_assert_double_eq(made.request.p99, 4.5);
}
END_TEST

/* The same seed gives the same, and a stricter limit no more good ones. */
START_TEST(test_seeds_and_limits) {
  uint64_t random = (uint64_t)_i;
  const dsm_serving_times times = drawn_times(&random, _i % 2 == 0);
  dsm_serving_scenario scenario = scenario_of(&times);
  scenario.rate = 0.9 * dsm_serving_largest_rate(&times);
  scenario.requests = 500;
  const dsm_serving_simulation first = simulate(&scenario);
  scenario.ttft_seconds = first.ttft.p90;
  const dsm_serving_simulation again = simulate(&scenario);
  scenario.ttft_seconds = first.ttft.p50;
  const dsm_serving_simulation strict = simulate(&scenario);
  ck_assert_double_eq(first.ttft.mean, again.ttft.mean);
  ck_assert_double_le(first.ttft.p50, first.ttft.p90);
  ck_assert_double_le(first.ttft.p90, first.ttft.p99);
  ck_assert_double_eq_tol(first.good_requests_per_second, first.requests_per_second, 1e-9);
  ck_assert_double_ge(again.good_requests_per_second, 0.8999 * first.requests_per_second);
  ck_assert_double_le(again.good_requests_per_second, first.requests_per_second);
  ck_assert_double_le(strict.good_requests_per_second, again.good_requests_per_second);
}
END_TEST

Suite *suite_simulate(void) {
  Suite *const suite = suite_create("simulate");
  TCase *const twins = tcase_create("twins");
  tcase_set_timeout(twins, 120);
  tcase_add_test(twins, test_closed_forms);
  tcase_add_test(twins, test_closed_chunks);
  tcase_add_test(twins, test_open_forms);
  tcase_add_test(twins, test_open_chunks);
  suite_add_tcase(suite, twins);
  TCase *const values = tcase_create("values");
  tcase_add_test(values, test_two_requests);
  tcase_add_test(values, test_full_cache);
  tcase_add_test(values, test_two_chunks);
  tcase_add_loop_test(values, test_seeds_and_limits, 0, 20);
  suite_add_tcase(suite, values);
  return suite;
}
