/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prefills and decodes apart at a rate: the forms by hand, and what holds of any answer. */
#include <math.h>

#include "suites.h"

/* D(b) = 10 + 0.1 b ms, P = 50 ms, O = 200. Ten prefills a second: half of the time, so TTFT is 75
 * ms. Five answers a second: b = 0.995 (10 + 0.1 b) is 11.0494, of which D is 11.1049 ms. */
START_TEST(test_forms) {
  static const double requests[] = {0, 100};
  static const double seconds[] = {0.01, 0.02};
  const dsm_serving_times times = {.output_tokens = 200,
                                   .prefill_seconds = 0.05,
                                   .prefill_batch = 1,
                                   .decode = {requests, seconds, 2}};
  dsm_serving_state state;
  ck_assert(dsm_serving_open_apart(&state, &times, 10, 5));
  ck_assert_double_eq_tol(state.ttft_seconds, 0.075, 1e-12);
  ck_assert_double_eq_tol(state.running, 9.95 / (1 - 0.0995), 1e-9);
  ck_assert_double_eq_tol(state.tpot_seconds, 0.01 + 1e-4 * 9.95 / (1 - 0.0995), 1e-12);
  ck_assert(!dsm_serving_open_apart(&state, &times, 20, 5));
  ck_assert(!dsm_serving_open_apart(&state, &times, 10, 40));
}
END_TEST

static dsm_serving *apart(double rate, double ttft) {
  dsm_serving_options options = options_of();
  options.is_disaggregated = true;
  options.rate = rate;
  options.ttft_seconds = ttft;
  return serve(&options);
}

/* A higher rate, and a stricter limit, need no fewer chips; both limits are kept. */
START_TEST(test_more_needs_more) {
  uint64_t chips = 0;
  for (int i = 1; i <= 6; i++) {
    dsm_serving *const any = apart(15000.0 * i, 0);
    ck_assert_uint_gt(any->apart.requests, 0);
    ck_assert_uint_ge(any->apart.split.chips, chips);
    ck_assert_uint_le(any->apart.split.chips, 4);
    ck_assert_double_eq(any->apart.split.requests_per_second, 15000.0 * i);
    ck_assert_double_le(any->apart.split.running, (double)any->apart.requests);
    chips = any->apart.split.chips;
    dsm_serving *const strict = apart(15000.0 * i, 1.02 * any->apart.ttft_seconds);
    ck_assert_double_le(strict->apart.ttft_seconds, 1.02 * any->apart.ttft_seconds);
    ck_assert_uint_ge(strict->apart.split.chips, chips);
    dsm_serving_free(strict);
    dsm_serving_free(any);
  }
}
END_TEST

/* The cache of 24 tokens of 64 bytes, over a link that is stated. */
START_TEST(test_cache_link) {
  machine->system.cache_link_GBps = 0.5;
  dsm_serving *const serving = apart(1000, 0);
  ck_assert_double_eq_tol(serving->apart.transfer_seconds, 24 * 64 / 0.5e9, 1e-15);
  ck_assert_double_gt(serving->apart.ttft_seconds, serving->apart.transfer_seconds);
  dsm_serving_free(serving);
}
END_TEST

/* A rate that all chips together serve in one way alone is no refusal. */
START_TEST(test_one_way_is_enough) {
  dsm_serving *const serving = apart(1000, 0);
  const double ttft = serving->fleet.state.ttft_seconds;
  dsm_serving_free(serving);
  dsm_serving *const limited = apart(1000, 1.0001 * ttft);
  ck_assert_uint_gt(limited->fleet.instances, 0);
  dsm_serving_free(limited);
}
END_TEST

Suite *suite_apart(void) {
  Suite *const suite = suite_create("apart");
  TCase *const tests = tcase_create("apart");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_forms);
  tcase_add_test(tests, test_more_needs_more);
  tcase_add_test(tests, test_cache_link);
  tcase_add_test(tests, test_one_way_is_enough);
  suite_add_tcase(suite, tests);
  return suite;
}
