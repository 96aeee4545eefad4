/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance in the long run: the values that docs/serving.md gives, and what holds of any. */
#include <math.h>

#include "../random_numbers.h"
#include "dsm/serving.h"
#include "suites.h"

/* D(b) = 10 + 0.1 b ms, X(b) = D(b) + 6 ms, at batches that are not all whole ones of a test. */
enum { POINTS = 8 };
static const double batches[POINTS] = {0, 1, 2, 5, 30, 40, 100, 1000};
static double decode_seconds[POINTS];
static double chunked_seconds[POINTS];

static dsm_serving_times times_of(double prefill_seconds, uint64_t output, uint64_t chunks) {
  for (int i = 0; i < POINTS; i++) {
    decode_seconds[i] = 0.01 + 1e-4 * batches[i];
    chunked_seconds[i] = decode_seconds[i] + 0.006;
  }
  return (dsm_serving_times){.output_tokens = output,
                             .prefill_seconds = prefill_seconds,
                             .prefill_batch = 1,
                             .decode = {batches, decode_seconds, POINTS},
                             .chunks = chunks,
                             .chunked = {batches, chunked_seconds, POINTS}};
}

#define ASSERT_MS(seconds, milliseconds)                                                           \
  ck_assert_double_eq_tol(1e3 * (seconds), milliseconds, 5e-7 * fmax(1, milliseconds))

START_TEST(test_closed) {
  const dsm_serving_times times = times_of(0.05, 200, 0);
  const dsm_serving_state state = dsm_serving_closed(&times, 32);
  ASSERT_MS(state.request_seconds, 4226.8);
  ASSERT_MS(state.tpot_seconds, 20.969375);
  ASSERT_MS(state.ttft_seconds, 53.894472);
  ck_assert_double_eq_tol(200 * state.requests_per_second, 1514.147819, 1e-6);
}
END_TEST

START_TEST(test_closed_alone) {
  const dsm_serving_times times = times_of(0.5, 100, 0);
  const dsm_serving_state state = dsm_serving_closed(&times, 1);
  ASSERT_MS(state.tpot_seconds, 10.1);
  ASSERT_MS(state.ttft_seconds, 500);
}
END_TEST

START_TEST(test_open) {
  const dsm_serving_times times = times_of(0.05, 200, 0);
  dsm_serving_state state;
  ck_assert(dsm_serving_open(&state, &times, 5));
  ck_assert_double_eq_tol(state.running, 15.567854, 1e-6);
  ASSERT_MS(state.tpot_seconds, 15.733965);
  ASSERT_MS(state.ttft_seconds, 64.199692);
  ASSERT_MS(state.request_seconds, 3195.258825);
  ck_assert_double_eq_tol(state.requests_in_system, 15.976294, 1e-6);
}
END_TEST

START_TEST(test_chunks) {
  const dsm_serving_times few = times_of(0.05, 200, 4);
  const dsm_serving_times many = times_of(0.05, 200, 8);
  const dsm_serving_state some = dsm_serving_closed(&few, 32);
  const dsm_serving_state each = dsm_serving_closed(&many, 32);
  ASSERT_MS(some.tpot_seconds, 16.876382);
  ASSERT_MS(some.ttft_seconds, 76.4);
  ASSERT_MS(each.tpot_seconds, 18.4875);
  ASSERT_MS(each.ttft_seconds, 1053.7875);
  ASSERT_MS(each.request_seconds, 4732.8);
}
END_TEST

/* 4 chips each: 20 prefills a second of an instance, 19.61 of 64 requests that decode. 8 and 8 do
 * 156.882; with fewer chips 7 prefill 140, of which the others run 53.433 at a time. */
START_TEST(test_apart) {
  dsm_serving_times times = times_of(0.05, 200, 0);
  dsm_serving_split split;
  ck_assert(dsm_serving_divide(&split, &times, 4, 4, 64, 64));
  ck_assert_uint_eq(split.prefill_instances, 8);
  ck_assert_uint_eq(split.decode_instances, 8);
  ck_assert_double_eq_tol(split.requests_per_second, 156.882, 5e-4);
  ck_assert_double_eq_tol(split.requests_per_second / (double)split.chips, 2.4513, 5e-5);
  ASSERT_MS(split.tpot_seconds, 16.4);
  ck_assert(dsm_serving_divide(&split, &times, 4, 4, 64, 63));
  ck_assert_uint_eq(split.prefill_instances, 7);
  ck_assert_uint_eq(split.decode_instances, 8);
  ck_assert_double_eq_tol(split.requests_per_second, 140, 1e-9);
  ck_assert_double_eq_tol(split.running, 0.01 * 3482.5 / (1 - 0.34825), 1e-9);
  ck_assert(!dsm_serving_divide(&split, &times, 4, 4, 64, 7));
}
END_TEST

/* All numbers of instances, one by one, do no more. */
START_TEST(test_division_is_the_best) {
  uint64_t random = (uint64_t)_i + 99;
  const uint64_t of_prefill = 1 + random_below(&random, 5);
  const uint64_t of_decode = 1 + random_below(&random, 5);
  const uint64_t chips = of_prefill + of_decode + random_below(&random, 60);
  const double requests = (double)(1 + random_below(&random, 90));
  const dsm_serving_times times =
      times_of(0.001 * (double)(1 + random_below(&random, 400)), 2 + random_below(&random, 300), 0);
  const double decodes = requests / ((double)(times.output_tokens - 1) * (0.01 + 1e-4 * requests));
  dsm_serving_split split;
  double most = 0;
  for (uint64_t n = 1; n * of_prefill < chips; n++) {
    const double decoded = (double)((chips - n * of_prefill) / of_decode) * decodes;
    most = fmax(most, fmin((double)n / times.prefill_seconds, decoded));
  }
  ck_assert(dsm_serving_divide(&split, &times, of_prefill, of_decode, requests, chips));
  ck_assert_double_eq_tol(split.requests_per_second, most, 1e-9 * most);
  ck_assert_uint_le(split.chips, chips);
  ck_assert_double_le(split.tpot_seconds, 0.01 + 1e-4 * requests + 1e-12);
}
END_TEST

/* Prefills of 8 before fewer requests, as many, and twice as many: by hand, with D of 10.4, 10.8
 * and 11.6 ms. What the others wait for is beside decode steps, which all take part in. */
START_TEST(test_prefills_together) {
  dsm_serving_times times = times_of(0.4, 11, 0);
  times.prefill_batch = 8;
  const dsm_serving_state few = dsm_serving_closed(&times, 4);
  const dsm_serving_state all = dsm_serving_closed(&times, 8);
  const dsm_serving_state twice = dsm_serving_closed(&times, 16);
  ASSERT_MS(few.tpot_seconds, 10.4);
  ASSERT_MS(few.ttft_seconds, 400);
  ASSERT_MS(all.tpot_seconds, 10.8);
  ASSERT_MS(all.request_seconds, 508);
  ASSERT_MS(twice.request_seconds, 916);
  ASSERT_MS(twice.ttft_seconds, 420);
  ASSERT_MS(twice.tpot_seconds, 49.6);
}
END_TEST

/* One token, or none: prefills of two, one after the other. */
START_TEST(test_without_decode) {
  for (uint64_t output = 0; output < 2; output++) {
    dsm_serving_times times = times_of(0.05, output, 0);
    dsm_serving_state state;
    times.prefill_batch = 2;
    const dsm_serving_state closed = dsm_serving_closed(&times, 5);
    ck_assert(isnan(closed.tpot_seconds));
    ASSERT_MS(closed.ttft_seconds, 150);
    ck_assert_double_eq_tol(closed.requests_per_second, 40, 1e-12);
    ck_assert_double_eq_tol(dsm_serving_largest_rate(&times), 40, 1e-12);
    ck_assert(dsm_serving_open(&state, &times, 20)); /* half of that */
    ASSERT_MS(state.ttft_seconds, 75);
    ck_assert(!dsm_serving_open(&state, &times, 40));
  }
}
END_TEST

/* A rate near the largest one is served, one above it is not; beyond the table nothing is. */
START_TEST(test_largest_rate) {
  const dsm_serving_times times = times_of(0.05, 200, 0);
  const double largest = dsm_serving_largest_rate(&times);
  dsm_serving_state state;
  ck_assert_double_eq_tol(largest, 1000 / (199 * 0.11 + 50), 1e-12);
  ck_assert(dsm_serving_open(&state, &times, 0.9 * largest));
  ck_assert(!dsm_serving_open(&state, &times, 1.0001 * largest));
}
END_TEST

/* What takes longer, is never served sooner: by seconds of a prefill, steps, requests and rates. */
START_TEST(test_longer_steps_serve_later) {
  uint64_t random = (uint64_t)_i + 1;
  const uint64_t output = 8 + random_below(&random, 500);
  const uint64_t chunks = random_below(&random, 3);
  const double prefill = 0.001 * (double)(1 + random_below(&random, 300));
  const double requests = (double)(1 + random_below(&random, 100));
  dsm_serving_times times = times_of(prefill, output, chunks);
  const dsm_serving_state state = dsm_serving_closed(&times, requests);
  const double rate = dsm_serving_largest_rate(&times) * 0.7;
  dsm_serving_state open;
  dsm_serving_state busier;
  ck_assert(dsm_serving_open(&open, &times, rate));
  ck_assert(dsm_serving_open(&busier, &times, rate * 1.1));
  ck_assert_double_ge(busier.running, open.running);
  ck_assert_double_ge(busier.ttft_seconds, open.ttft_seconds);
  ck_assert_double_ge(open.tpot_seconds, 0.01);
  ck_assert_double_eq_tol(open.requests_in_system, rate * open.request_seconds, 1e-9);
  for (int i = 0; i < POINTS; i++) {
    decode_seconds[i] *= 1.5;
    chunked_seconds[i] *= 1.5;
  }
  times.prefill_seconds *= 1.5;
  const dsm_serving_state slower = dsm_serving_closed(&times, requests);
  ck_assert_double_eq_tol(slower.request_seconds, 1.5 * state.request_seconds, 1e-9);
  ck_assert_double_eq_tol(slower.ttft_seconds, 1.5 * state.ttft_seconds, 1e-9);
  ck_assert_double_eq_tol(state.ttft_seconds + (double)(output - 1) * state.tpot_seconds,
                          state.request_seconds, 1e-9);
}
END_TEST

/* A benchmark pass by pass: in each one group is prefilled at most, and all that run decode. A
 * group that ends is replaced by one that waits for the pass behind, which is launched already. */
static dsm_serving_state run_benchmark(double prefill, double decode, int groups, int steps,
                                       int waves) {
  enum { GROUPS_MAX = 64 };
  int ends[GROUPS_MAX] = {0};  /* the pass with its last token; 0: it is not there */
  int comes[GROUPS_MAX] = {0}; /* the pass from which it can be prefilled */
  int left[GROUPS_MAX];
  double arrival[GROUPS_MAX] = {0};
  double first[GROUPS_MAX] = {0};
  dsm_serving_state mean = {.running = 0};
  const double all = (double)groups * waves;
  double now = 0;
  int served = 0;
  for (int g = 0; g < groups; g++) {
    left[g] = waves;
  }
  for (int pass = 1; served < groups * waves; pass++) {
    int next = -1; /* the one that waits longest */
    bool has_decodes = false;
    for (int g = 0; g < groups; g++) {
      const bool waits = ends[g] == 0 && left[g] > 0 && comes[g] <= pass;
      next = waits && (next < 0 || arrival[g] < arrival[next]) ? g : next;
      has_decodes = has_decodes || ends[g] >= pass;
    }
    now += (next >= 0 ? prefill : 0) + (has_decodes || next < 0 ? decode : 0);
    if (next >= 0) {
      first[next] = now;
      ends[next] = pass + steps;
    }
    for (int g = 0; g < groups; g++) {
      if (ends[g] == pass) {
        mean.ttft_seconds += (first[g] - arrival[g]) / all;
        mean.tpot_seconds += (now - first[g]) / steps / all;
        arrival[g] = now;
        comes[g] = pass + 2;
        ends[g] = 0;
        left[g]--;
        served++;
      }
    }
  }
  return mean;
}

START_TEST(test_benchmark_is_its_twin) {
  uint64_t random = 500 + (uint64_t)_i;
  const double decode = 1e-3 * (double)(3 + random_below(&random, 50));
  const double prefill = 1e-3 * (double)(5 + random_below(&random, 200));
  const double most = 64;
  const int waves = 1 + (int)random_below(&random, 12);
  const int steps = 20 + (int)random_below(&random, 300);
  const int groups = 1 + (int)random_below(&random, steps < 60 ? (uint64_t)steps : 60);
  const dsm_serving_times times = {.output_tokens = (uint64_t)steps + 1,
                                   .prefill_seconds = prefill,
                                   .prefill_batch = 1,
                                   .decode = {&most, &decode, 1}};
  const dsm_serving_state found = dsm_serving_benchmark(&times, groups, waves);
  const dsm_serving_state wanted = run_benchmark(prefill, decode, groups, steps, waves);
  const double share = groups < 3 ? 0.15 : 0.05;
  ck_assert_double_eq_tol(found.ttft_seconds, wanted.ttft_seconds, share * wanted.ttft_seconds);
  ck_assert_double_eq_tol(found.tpot_seconds, wanted.tpot_seconds, share * wanted.tpot_seconds);
}
END_TEST

/* By hand: 32 prefills of 50 ms, steps of 13.2 ms, 199 each. The first wave has a TTFT of 33 / 2 *
 * 50 + 31 / 2 * 13.2 = 1029.6 ms, others of (2 - 1/32) * 50 +
 * 2 * 13.2 = 124.8375 ms. */
START_TEST(test_benchmark) {
  const dsm_serving_times times = times_of(0.05, 200, 0);
  ASSERT_MS(dsm_serving_benchmark(&times, 32, 1).ttft_seconds, 1029.6);
  ASSERT_MS(dsm_serving_benchmark(&times, 32, 10).ttft_seconds, 102.96 + 0.9 * 124.8375);
  ASSERT_MS(dsm_serving_benchmark(&times, 32, 1).request_seconds, 1600 + 214.5 * 13.2);
  ASSERT_MS(dsm_serving_benchmark(&times, 32, 1e12).request_seconds, 1600 + 201 * 13.2);
}
END_TEST

Suite *suite_steady(void) {
  Suite *const suite = suite_create("steady");
  TCase *const values = tcase_create("values");
  TCase *const properties = tcase_create("properties");
  tcase_add_test(values, test_closed);
  tcase_add_test(values, test_closed_alone);
  tcase_add_test(values, test_open);
  tcase_add_test(values, test_benchmark);
  tcase_add_loop_test(properties, test_benchmark_is_its_twin, 0, 300);
  tcase_add_test(values, test_chunks);
  tcase_add_test(values, test_apart);
  tcase_add_loop_test(properties, test_division_is_the_best, 0, 300);
  tcase_add_test(values, test_prefills_together);
  tcase_add_test(values, test_without_decode);
  tcase_add_test(values, test_largest_rate);
  tcase_add_loop_test(properties, test_longer_steps_serve_later, 0, 300);
  suite_add_tcase(suite, values);
  suite_add_tcase(suite, properties);
  return suite;
}
