/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefills in chunks: what a pass takes, and that the front covers all batches. */
#include <math.h>
#include <string.h>

#include "suites.h"

static dsm_serving_options chunks_of(uint64_t tokens) {
  dsm_serving_options options = options_of();
  options.chunk_tokens = tokens;
  return options;
}

/* One chunk beside nobody is a prefill: on one request both answers are the same. */
START_TEST(test_whole_prompt_is_a_prefill) {
  dsm_serving_options options = options_of();
  options.chips = 1;
  dsm_serving *const whole = serve(&options);
  options.chunk_tokens = 24;
  dsm_serving *const chunked = serve(&options);
  ck_assert_uint_eq(whole->points[0].requests, 1);
  ck_assert_uint_eq(chunked->points[0].requests, 1);
  ck_assert_double_eq_tol(chunked->points[0].ttft_seconds, whole->points[0].ttft_seconds, 1e-15);
  ck_assert_double_eq_tol(chunked->points[0].tpot_seconds, whole->points[0].tpot_seconds, 1e-15);
  for (size_t i = 0; i < chunked->point_count; i++) {
    const dsm_serving_point *const point = &chunked->points[i];
    ck_assert_double_ge(point->chunked_seconds, chunked->points[0].chunked_seconds);
    ck_assert_double_le(point->chunked_seconds,
                        point->decode_seconds + 1.05 * whole->points[0].prefill_seconds);
  }
  dsm_serving_free(chunked);
  dsm_serving_free(whole);
}
END_TEST

/* Points are the closed form of their steps, and stay within the memory. */
START_TEST(test_points_are_of_their_steps) {
  const dsm_serving_options options = chunks_of(8);
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_gt(serving->point_count, 3);
  for (size_t i = 0; i < serving->point_count; i++) {
    const dsm_serving_point *const point = &serving->points[i];
    const double requests = (double)point->requests;
    const double others = requests - 1;
    const dsm_serving_times times = {.output_tokens = 17,
                                     .decode = {&requests, &point->decode_seconds, 1},
                                     .chunks = 3,
                                     .chunked = {&others, &point->chunked_seconds, 1}};
    const dsm_serving_state state = dsm_serving_closed(&times, requests);
    ck_assert_double_eq_tol(state.tpot_seconds, point->tpot_seconds, 1e-15);
    ck_assert_double_eq_tol(state.ttft_seconds, point->ttft_seconds, 1e-15);
    ck_assert_double_eq_tol(point->prefill_seconds, 3 * point->chunked_seconds, 1e-15);
    ck_assert_double_gt(point->chunked_seconds, point->decode_seconds);
    ck_assert_double_le(point->memory_bytes, 0.9 * 0.0006e9 * (1 + 1e-12));
  }
  dsm_serving_free(serving);
}
END_TEST

/* A front of a small gap has all batches that matter: none is more than the large gap better. */
START_TEST(test_front_covers_finer_one) {
  dsm_serving_options options = chunks_of(5);
  options.output_tokens = 120;
  options.gap = 0.1;
  dsm_serving *const coarse = serve(&options);
  options.gap = 1e-6;
  dsm_serving *const fine = serve(&options);
  ck_assert_double_le(coarse->reached_gap, 0.1);
  ck_assert_uint_lt(coarse->explorations, fine->explorations);
  for (size_t f = 0; f < fine->point_count; f++) {
    bool is_covered = false;
    for (size_t i = 0; i < coarse->point_count && !is_covered; i++) {
      is_covered = 1.1001 * coarse->points[i].user_tokens_per_second >=
                       fine->points[f].user_tokens_per_second &&
                   1.1001 * coarse->points[i].chip_requests_per_second >=
                       fine->points[f].chip_requests_per_second;
    }
    ck_assert_msg(is_covered, "%u requests", (unsigned)fine->points[f].requests);
  }
  dsm_serving_free(fine);
  dsm_serving_free(coarse);
}
END_TEST

/* With a chunk in every step more requests only wait: no batch has more. */
START_TEST(test_each_step_has_a_chunk) {
  dsm_serving_options options = chunks_of(2);
  options.rate = 1;
  dsm_serving *const serving = serve(&options);
  ck_assert_uint_le(serving->best.requests, 1 + 16 / 12 + 1);
  ck_assert_int_eq(serving->best.limit, DSM_SERVING_LIMIT_NONE);
  ck_assert_uint_eq(serving->fleet.instances, 1);
  dsm_serving_free(serving);
}
END_TEST

START_TEST(test_chunks_need_decodes) {
  dsm_serving_options options = chunks_of(8);
  dsm_serving *serving = NULL;
  options.output_tokens = 1;
  ck_assert_int_eq(dsm_serve(&serving, network, machine, &options, diags), DSM_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "chunk: expected an answer"));
}
END_TEST

static double step_seconds(uint64_t input, uint64_t chunk, uint64_t requests) {
  dsm_serving_options options = chunks_of(chunk);
  options.input_tokens = input;
  options.gap = 1e-6;
  options.chips = 1;
  dsm_serving *const serving = serve(&options);
  double seconds = 0;
  for (size_t i = 0; i < serving->point_count; i++) {
    const dsm_serving_point *const point = &serving->points[i];
    const double own = chunk > 0 ? point->chunked_seconds : point->decode_seconds;
    seconds = point->requests == requests ? own : seconds;
  }
  dsm_serving_free(serving);
  return seconds;
}

/* Steps take no less at a longer context, and passes with a larger chunk. */
START_TEST(test_longer_contexts_and_chunks) {
  static const uint64_t requests[] = {1, 2, 3};
  machine->chip.memory.capacity_GB *= 4;
  for (size_t r = 0; r < 3; r++) {
    double before = 0;
    for (uint64_t input = 16; input <= 256; input *= 2) {
      const double seconds = step_seconds(input, 0, requests[r]);
      ck_assert_double_gt(seconds, 0);
      ck_assert_double_ge(seconds, before);
      before = seconds;
    }
    before = 0;
    for (uint64_t chunk = 8; chunk <= 64; chunk *= 2) {
      const double seconds = step_seconds(64, chunk, requests[r]);
      ck_assert_double_ge(seconds, before);
      before = seconds;
    }
  }
}
END_TEST

/* More chips never serve fewer requests a chip, within the gap, with chunks and without. */
START_TEST(test_more_chips_are_never_worse) {
  for (uint64_t chunk = 0; chunk <= 12; chunk += 12) {
    double before = 0;
    for (uint64_t chips = 1; chips <= 4; chips *= 2) {
      dsm_serving_options options = chunks_of(chunk);
      options.chips = chips;
      dsm_serving *const serving = serve(&options);
      ck_assert_double_ge(serving->best.chip_requests_per_second * 1.02, before);
      before = serving->best.chip_requests_per_second;
      dsm_serving_free(serving);
    }
  }
}
END_TEST

Suite *suite_chunks(void) {
  Suite *const suite = suite_create("chunks");
  TCase *const tests = tcase_create("chunks");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_whole_prompt_is_a_prefill);
  tcase_add_test(tests, test_points_are_of_their_steps);
  tcase_add_test(tests, test_front_covers_finer_one);
  tcase_add_test(tests, test_each_step_has_a_chunk);
  tcase_add_test(tests, test_chunks_need_decodes);
  tcase_add_test(tests, test_longer_contexts_and_chunks);
  tcase_add_test(tests, test_more_chips_are_never_worse);
  suite_add_tcase(suite, tests);
  return suite;
}
