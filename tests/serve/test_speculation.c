/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speculation: tokens of a step, and what a draft adds. */
#include <math.h>
#include <string.h>

#include "suites.h"

START_TEST(test_tokens_of_a_step) {
  ck_assert_double_eq_tol(dsm_serving_tokens_per_step(4, 0.7), 2.7731, 5e-5);
  ck_assert_double_eq(dsm_serving_tokens_per_step(4, 1), 5);
  ck_assert_double_eq(dsm_serving_tokens_per_step(4, 0), 1);
  ck_assert_double_eq(dsm_serving_tokens_per_step(0, 0.7), 1);
}
END_TEST

/* Two tokens a step, 201 of an answer: 100 steps of 13.2 ms and 32 prefills of 50 ms, by hand. */
static const double requests[] = {1, 101};
static const double decodes[] = {0.0101, 0.0201};

START_TEST(test_closed_form) {
  const dsm_serving_times times = {.output_tokens = 201,
                                   .prefill_seconds = 0.05,
                                   .prefill_batch = 1,
                                   .decode = {requests, decodes, 2},
                                   .tokens_per_step = 2};
  const dsm_serving_state state = dsm_serving_closed(&times, 32);
  ck_assert_double_eq_tol(state.request_seconds, 2.92, 1e-12);
  ck_assert_double_eq_tol(state.ttft_seconds, 0.05775, 1e-12);
  ck_assert_double_eq_tol(state.tpot_seconds, 0.01431125, 1e-12);
}
END_TEST

START_TEST(test_open_form_and_simulation) {
  const dsm_serving_times times = {.output_tokens = 201,
                                   .prefill_seconds = 0.02,
                                   .prefill_batch = 1,
                                   .decode = {requests, decodes, 2},
                                   .tokens_per_step = 2.7731};
  const dsm_serving_scenario scenario = {.times = &times,
                                         .input_tokens = 10,
                                         .new_tokens = 10,
                                         .every = 1,
                                         .running = 101,
                                         .rate = 10,
                                         .cache_tokens = HUGE_VAL,
                                         .requests = 20000,
                                         .seed = 1};
  dsm_serving_state state;
  dsm_serving_simulation made;
  ck_assert(dsm_serving_open(&state, &times, 10));
  ck_assert_int_eq(dsm_serving_simulate(&made, &scenario), DSM_OK);
  ck_assert_double_eq_tol(made.tpot.mean / state.tpot_seconds, 1, 0.05);
  ck_assert_double_eq_tol(made.ttft.mean / state.ttft_seconds, 1, 0.05);
  ck_assert_double_eq_tol(state.request_seconds, state.ttft_seconds + 200 * state.tpot_seconds,
                          1e-12);
}
END_TEST

static dsm_serving *speculate(uint64_t tokens, double acceptance, const dsm_workload *draft) {
  dsm_serving_options options = options_of();
  options.chips = 1;
  options.speculated_tokens = tokens;
  options.acceptance = acceptance;
  options.draft = draft;
  return serve(&options);
}

/* One request: a step of more positions takes no less; what is accepted makes tokens of it, and a
 * draft makes it longer. */
START_TEST(test_first_point) {
  machine->chip.memory.capacity_GB *= 3;
  dsm_serving *const none = speculate(0, 0, NULL);
  dsm_serving *const missed = speculate(3, 0, NULL);
  dsm_serving *const taken = speculate(3, 1, NULL);
  dsm_serving *const drafted = speculate(3, 1, network);
  const double step = missed->points[0].decode_seconds;
  ck_assert_double_ge(step, none->points[0].decode_seconds);
  ck_assert_double_eq(taken->points[0].decode_seconds, step);
  ck_assert_double_eq_tol(taken->points[0].tpot_seconds, step / 4, 1e-15);
  ck_assert_double_ge(drafted->points[0].decode_seconds,
                      step + 3 * none->points[0].decode_seconds * (1 - 1e-9));
  ck_assert_str_eq(drafted->draft, "small");
  ck_assert_double_eq(drafted->tokens_per_step, 4);
  ck_assert_double_gt(drafted->points[0].memory_bytes, 1.9 * 272000);
  dsm_serving_free(drafted);
  dsm_serving_free(taken);
  dsm_serving_free(missed);
  dsm_serving_free(none);
}
END_TEST

START_TEST(test_bad_acceptance) {
  static const double bad[] = {-0.1, 1.1, (double)NAN};
  dsm_serving_options options = options_of();
  dsm_serving *serving = NULL;
  options.speculated_tokens = 2;
  options.acceptance = bad[_i];
  ck_assert_int_eq(dsm_serve(&serving, network, machine, &options, diags), DSM_ERROR_USAGE);
  ck_assert_ptr_nonnull(strstr(dsm_diags_get(diags, 0)->message, "acceptance from 0 to 1"));
}
END_TEST

/* With heads and chunks a pass has a row for each token that is checked. */
START_TEST(test_beside_chunks) {
  dsm_serving_options options = options_of();
  options.output_tokens = 100;
  options.chunk_tokens = 12;
  dsm_serving *const plain = serve(&options);
  options.speculated_tokens = 3;
  options.acceptance = 0.5;
  dsm_serving *const ahead = serve(&options);
  ck_assert_double_gt(ahead->best.chunked_seconds, ahead->best.decode_seconds);
  ck_assert_double_ge(ahead->points[0].chunked_seconds,
                      plain->points[0].chunked_seconds * (1 - 1e-9));
  dsm_serving_free(ahead);
  dsm_serving_free(plain);
}
END_TEST

Suite *suite_speculation(void) {
  Suite *const suite = suite_create("speculation");
  TCase *const values = tcase_create("values");
  TCase *const served = tcase_create("served");
  tcase_add_test(values, test_tokens_of_a_step);
  tcase_add_test(values, test_closed_form);
  tcase_add_test(values, test_open_form_and_simulation);
  tcase_add_checked_fixture(served, set_up, tear_down);
  tcase_add_test(served, test_first_point);
  tcase_add_loop_test(served, test_bad_acceptance, 0, 3);
  tcase_add_test(served, test_beside_chunks);
  suite_add_tcase(suite, values);
  suite_add_tcase(suite, served);
  return suite;
}
