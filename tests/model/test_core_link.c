/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static const dsm__core_bytes core = {.input = 60, .output = 100, .kernel = 80};

/* Ba / B = 6 / 2 = 3; nm = 2 */
static double partial_sums(dsm_pass pass, dsm_loops split) {
  const dsm_layer layer = fc_layer(12, 20);
  const dsm_pass_work work = {
      .layer = &layer, .pass = pass, .precision = friendly_precision(), .share = {.model_ways = 2}};
  return dsm__partial_sum_bytes(&work, &split, &core);
}

/* r = k_in * k_kij = 2 * 2: 3/4 * 100 * 3 */
START_TEST(test_forward_sums_outputs_over_inputs_and_kernel_positions) {
  ck_assert_double_eq(partial_sums(DSM_PASS_FORWARD, loops(2, 1, 1, 2, 1)), 225);
}
END_TEST

/* r = k_out * k_kij = 3 * 2: 5/6 * 60 * 2 * 3; sums of all nm feature iterations */
START_TEST(test_backward_sums_inputs_over_outputs_and_kernel_positions) {
  ASSERT_CLOSE(partial_sums(DSM_PASS_BACKWARD, loops(1, 3, 1, 2, 1)), 300);
}
END_TEST

/* r = k_ij * k_mb = 2 * 4: 7/8 * 80 * 3 */
START_TEST(test_update_sums_gradients_over_positions_and_samples) {
  ck_assert_double_eq(partial_sums(DSM_PASS_UPDATE, loops(1, 1, 2, 1, 4)), 210);
}
END_TEST

START_TEST(test_one_core_has_no_partial_sums) {
  ck_assert_double_eq(partial_sums((dsm_pass)_i, loops(1, 1, 1, 1, 1)), 0);
}
END_TEST

/* Splits of the loops that a pass does not sum over. */
START_TEST(test_cores_that_share_no_sum_send_none) {
  ck_assert_double_eq(partial_sums(DSM_PASS_FORWARD, loops(1, 3, 5, 1, 7)), 0);
  ck_assert_double_eq(partial_sums(DSM_PASS_BACKWARD, loops(3, 1, 5, 1, 7)), 0);
  ck_assert_double_eq(partial_sums(DSM_PASS_UPDATE, loops(3, 5, 1, 7, 1)), 0);
}
END_TEST

START_TEST(test_partial_sums_as_wide_as_elements_are_not_widened) {
  const dsm_layer layer = fc_layer(12, 20);
  const dsm_pass_work work = {.layer = &layer,
                              .pass = DSM_PASS_FORWARD,
                              .precision = {.element_bytes = 2, .partial_sum_bytes = 2},
                              .share = {.model_ways = 2}};
  const dsm_loops split = loops(4, 1, 1, 1, 1);
  ck_assert_double_eq(dsm__partial_sum_bytes(&work, &split, &core), 75);
}
END_TEST

/* r cores have a partial sum of all 100 (60 * 2, 80) bytes each; each adds up one of r segments and
 * receives it from every other core. What a core sends, counted segment by segment. */
START_TEST(test_partial_sums_are_what_a_reduce_scatter_among_cores_sends) {
  const int sharing = _i;
  const double parts[DSM_PASS_COUNT] = {100, 60 * 2, 80};
  const dsm_loops splits[DSM_PASS_COUNT] = {loops((uint64_t)sharing, 1, 1, 1, 1),
                                            loops(1, (uint64_t)sharing, 1, 1, 1),
                                            loops(1, 1, (uint64_t)sharing, 1, 1)};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    double sent = 0;
    const int self = sharing / 2;
    for (int segment = 0; segment < sharing; segment++) {
      if (segment != self) {
        sent += parts[pass] / sharing * 3;
      }
    }
    ASSERT_CLOSE(partial_sums((dsm_pass)pass, splits[pass]), sent);
  }
}
END_TEST

/* 4 groups, k_kij = 2. Section 5 sums over all k_out; exact_groups only over the cores of a group,
 * max(1, floor(k_out / 4)) of them. Of 60 bytes at nm = 1, 3 times as wide: 180 * (r - 1) / r. */
static const struct {
  uint64_t parts_out;
  double sharing_outputs;
} exact_cases[] = {{1, 1}, {3, 1}, {4, 1}, {5, 1}, {7, 1}, {8, 2}, {11, 2}, {12, 3}};

static double grouped_partial_sums(const dsm_layer *layer, bool has_exact_groups, dsm_pass pass,
                                   dsm_loops split) {
  const dsm_pass_work work = {
      .layer = layer,
      .pass = pass,
      .precision = friendly_precision(),
      .share = {.model_ways = 1, .data_ways = 1, .has_exact_groups = has_exact_groups}};
  return dsm__partial_sum_bytes(&work, &split, &core);
}

START_TEST(test_grouped_errors_are_summed_over_the_cores_of_a_group_where_groups_are_exact) {
  const dsm_layer grouped = conv_layer(12, 48, 9, 9, 4);
  const dsm_loops split = loops(1, exact_cases[_i].parts_out, 1, 2, 1);
  const double all = 2 * (double)exact_cases[_i].parts_out;
  const double exact = 2 * exact_cases[_i].sharing_outputs;
  ASSERT_CLOSE(grouped_partial_sums(&grouped, false, DSM_PASS_BACKWARD, split),
               180 * (all - 1) / all);
  ASSERT_CLOSE(grouped_partial_sums(&grouped, true, DSM_PASS_BACKWARD, split),
               180 * (exact - 1) / exact);
}
END_TEST

START_TEST(test_exact_groups_change_no_other_partial_sum) {
  const dsm_layer grouped = conv_layer(12, 48, 9, 9, 4);
  const dsm_layer whole = conv_layer(12, 48, 9, 9, 1);
  const dsm_loops split = loops(2, 5, 3, 2, 2);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass p = (dsm_pass)pass;
    ck_assert_double_eq(grouped_partial_sums(&whole, true, p, split),
                        grouped_partial_sums(&whole, false, p, split));
    if (p != DSM_PASS_BACKWARD) {
      ck_assert_double_eq(grouped_partial_sums(&grouped, true, p, split),
                          grouped_partial_sums(&grouped, false, p, split));
    }
  }
}
END_TEST

Suite *suite_core_link(void) {
  Suite *const suite = suite_create("core_link");
  TCase *const sums = tcase_create("partial sums");
  tcase_add_test(sums, test_forward_sums_outputs_over_inputs_and_kernel_positions);
  tcase_add_test(sums, test_backward_sums_inputs_over_outputs_and_kernel_positions);
  tcase_add_test(sums, test_update_sums_gradients_over_positions_and_samples);
  tcase_add_loop_test(sums, test_one_core_has_no_partial_sums, 0, DSM_PASS_COUNT);
  tcase_add_test(sums, test_cores_that_share_no_sum_send_none);
  tcase_add_test(sums, test_partial_sums_as_wide_as_elements_are_not_widened);
  tcase_add_loop_test(sums, test_partial_sums_are_what_a_reduce_scatter_among_cores_sends, 1, 10);
  tcase_add_loop_test(
      sums, test_grouped_errors_are_summed_over_the_cores_of_a_group_where_groups_are_exact, 0,
      COUNT_OF(exact_cases));
  tcase_add_test(sums, test_exact_groups_change_no_other_partial_sum);
  suite_add_tcase(suite, sums);
  return suite;
}
