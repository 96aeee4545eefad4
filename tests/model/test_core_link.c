/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = friendly_system(2, 1);
  machine = dsm_machine_derive(&chips);
}

static const dsm__core_bytes core = {.input = 60, .output = 100, .kernel = 80};

/* Ba / B = 6 / 2 = 3; nm = 2 */
static double partial_sums_of(dsm_precision precision, dsm_pass pass, dsm_loops split) {
  const dsm_layer layer = fc_layer(12, 20);
  const dsm_pass_work work = {
      .layer = &layer,
      .machine = &machine,
      .pass = pass,
      .precision = precision,
      .tensor_bytes = dsm__tensor_bytes_derive(&layer, &precision, DSM_MODE_TRAINING, pass),
      .share = {
          .groups = 1, .turns = 2, .in_turns = 2, .out_turns = 1, .model_ways = 2, .raw_ways = 2}};
  return dsm__partial_sum_bytes(&work, &split, &core);
}

static double partial_sums(dsm_pass pass, dsm_loops split) {
  return partial_sums_of(friendly_precision(), pass, split);
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

/* 80 bytes of weights are 80 of a byte each, and so many sums of 6 bytes: 7/8 * 80 * 6. Sums of
 * features are what they were. */
START_TEST(test_gradients_are_as_many_as_weights_of_their_own_bytes) {
  dsm_precision precision = friendly_precision();
  precision.weight_bytes = 1;
  ck_assert_double_eq(partial_sums_of(precision, DSM_PASS_UPDATE, loops(1, 1, 2, 1, 4)), 420);
  ck_assert_double_eq(partial_sums_of(precision, DSM_PASS_FORWARD, loops(2, 1, 1, 2, 1)), 225);
  ASSERT_CLOSE(partial_sums_of(precision, DSM_PASS_BACKWARD, loops(1, 3, 1, 2, 1)), 300);
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
  const dsm_pass_work work = {
      .layer = &layer,
      .machine = &machine,
      .pass = DSM_PASS_FORWARD,
      .precision = {.element_bytes = 2, .partial_sum_bytes = 2},
      .tensor_bytes = {.sum = 1},
      .share = {
          .groups = 1, .turns = 2, .in_turns = 2, .out_turns = 1, .model_ways = 2, .raw_ways = 2}};
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

/* 4 groups, k_kij = 2: errors are summed over the cores of a group, max(1, floor(k_out / 4)) of
 * them. Of 60 bytes at nm = 1, 3 times as wide: 180 * (r - 1) / r. */
static const struct {
  uint64_t parts_out;
  double sharing_outputs;
} group_cases[] = {{1, 1}, {3, 1}, {4, 1}, {5, 1}, {7, 1}, {8, 2}, {11, 2}, {12, 3}};

START_TEST(test_grouped_errors_are_summed_over_the_cores_of_a_group) {
  const dsm_layer grouped = conv_layer(12, 48, 9, 9, 4);
  const dsm_loops split = loops(1, group_cases[_i].parts_out, 1, 2, 1);
  const double r = 2 * group_cases[_i].sharing_outputs;
  const dsm_pass_work work = {.layer = &grouped,
                              .machine = &machine,
                              .pass = DSM_PASS_BACKWARD,
                              .precision = friendly_precision(),
                              .tensor_bytes = {.sum = 3},
                              .share = {.groups = 4,
                                        .turns = 1,
                                        .in_turns = 1,
                                        .out_turns = 1,
                                        .model_ways = 1,
                                        .data_ways = 1,
                                        .raw_ways = 1}};
  ASSERT_CLOSE(dsm__partial_sum_bytes(&work, &split, &core), 180 * (r - 1) / r);
}
END_TEST

/* --- statistics_sums: nm = 2, nout = 20, a chip has 12 samples */

static dsm_layer conv;

static void set_up_statistics(void) {
  chips = friendly_system(2, 1);
  chips.model.statistics_sums = true;
  machine = dsm_machine_derive(&chips);
  conv = conv_layer(12, 20, 36, 4, 1);
}

static double statistics(const dsm_layer *layer, dsm_mode mode, dsm_pass pass, dsm_loops split) {
  const dsm_pass_work work = {.layer = layer,
                              .machine = &machine,
                              .mode = mode,
                              .pass = pass,
                              .precision = friendly_precision(),
                              .share = {.groups = 1,
                                        .turns = 2,
                                        .model_ways = 2,
                                        .raw_ways = 2,
                                        .data_ways = 1,
                                        .chip = loops(6, 10, 36, 4, 12)}};
  return dsm__statistics_bytes(&work, &split);
}

static double with_op(dsm_aux_op op, dsm_mode mode, dsm_pass pass, dsm_loops split) {
  dsm_layer layer = conv;
  layer.has_op[op] = true;
  return statistics(&layer, mode, pass, split);
}

/* r = k_ij * k_mb = 2 * 3 cores have sums of the 20 / 2 / 5 = 2 features of a core: mean and
 * variance, 4 bytes each: 5/6 * 2 * 2 * 4 */
START_TEST(test_batch_norm_sums_two_statistics_a_feature) {
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  const double sums = 40.0 / 3;
  ASSERT_CLOSE(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_FORWARD, split), sums);
  ASSERT_CLOSE(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_BACKWARD, split), sums);
}
END_TEST

/* Then they are known. */
START_TEST(test_batch_norm_sums_nothing_in_inference) {
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  ck_assert_double_eq(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, split), 0);
}
END_TEST

/* k_out = 5 cores have sums of the 12 / 3 = 4 samples of a core: largest and sum, or mean and
 * variance: 4/5 * 2 * 4 * 4. In both modes: they are of the sample itself. */
static const dsm_aux_op by_sample[] = {DSM_AUX_SOFTMAX, DSM_AUX_LAYER_NORM, DSM_AUX_CROSS_ENTROPY};

START_TEST(test_softmax_and_layer_norm_sum_two_statistics_a_sample) {
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  const dsm_aux_op op = by_sample[_i];
  ASSERT_CLOSE(with_op(op, DSM_MODE_TRAINING, DSM_PASS_FORWARD, split), 25.6);
  ASSERT_CLOSE(with_op(op, DSM_MODE_TRAINING, DSM_PASS_BACKWARD, split), 25.6);
  ASSERT_CLOSE(with_op(op, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, split), 25.6);
}
END_TEST

/* A k_mb that does not divide: 12 / 5 samples of a core, and 20 / 2 / 3 features. */
START_TEST(test_parts_of_statistics_are_not_rounded) {
  const dsm_loops split = loops(1, 3, 1, 1, 5);
  ASSERT_CLOSE(with_op(DSM_AUX_SOFTMAX, DSM_MODE_TRAINING, DSM_PASS_FORWARD, split),
               2.0 / 3 * 2 * 2.4 * 4);
  ASSERT_CLOSE(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_FORWARD, split),
               4.0 / 5 * 2 * 10 / 3 * 4);
}
END_TEST

START_TEST(test_cores_that_share_no_statistic_send_none) {
  const dsm_loops one_core = loops(1, 1, 1, 1, 1);
  const dsm_loops by_features = loops(2, 5, 1, 2, 1);
  const dsm_loops by_samples = loops(2, 1, 2, 2, 3);
  for (int pass = DSM_PASS_FORWARD; pass <= DSM_PASS_BACKWARD; pass++) {
    const dsm_pass p = (dsm_pass)pass;
    ck_assert_double_eq(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, p, one_core), 0);
    ck_assert_double_eq(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, p, by_features), 0);
    for (int i = 0; i < COUNT_OF(by_sample); i++) {
      ck_assert_double_eq(with_op(by_sample[i], DSM_MODE_TRAINING, p, one_core), 0);
      ck_assert_double_eq(with_op(by_sample[i], DSM_MODE_TRAINING, p, by_samples), 0);
    }
  }
}
END_TEST

/* r cores, each with its part of each sum of 2 * `_i` numbers; one of them adds a segment up, the
 * others send it theirs. What a core sends, segment by segment. */
START_TEST(test_statistics_are_what_a_reduce_scatter_among_cores_sends) {
  const uint64_t sharing = (uint64_t)_i;
  double sent_features = 0;
  double sent_samples = 0;
  for (uint64_t segment = 1; segment < sharing; segment++) {
    sent_features += 2 * 10.0 * 4 / (double)sharing;
    sent_samples += 2 * 12.0 * 4 / (double)sharing;
  }
  ASSERT_CLOSE(
      with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_FORWARD, loops(1, 1, sharing, 1, 1)),
      sent_features);
  ASSERT_CLOSE(
      with_op(DSM_AUX_SOFTMAX, DSM_MODE_TRAINING, DSM_PASS_FORWARD, loops(1, sharing, 1, 1, 1)),
      sent_samples);
}
END_TEST

/* 40/3 of the batch_norm, 25.6 each of softmax, layer_norm and cross_entropy. */
START_TEST(test_statistics_of_several_operations_add_up) {
  dsm_layer all = conv;
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    all.has_op[a] = true;
  }
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  ASSERT_CLOSE(statistics(&all, DSM_MODE_TRAINING, DSM_PASS_BACKWARD, split), 40.0 / 3 + 76.8);
  ASSERT_CLOSE(statistics(&all, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, split), 76.8);
}
END_TEST

START_TEST(test_other_operations_have_no_statistics) {
  dsm_layer others = conv;
  for (int a = 0; a < DSM_AUX_OP_COUNT; a++) {
    others.has_op[a] = a != DSM_AUX_BATCH_NORM && a != DSM_AUX_LAYER_NORM && a != DSM_AUX_SOFTMAX &&
                       a != DSM_AUX_CROSS_ENTROPY && a != DSM_AUX_RMS_NORM;
  }
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_double_eq(statistics(&others, DSM_MODE_TRAINING, (dsm_pass)pass, split), 0);
  }
}
END_TEST

/* The update pass does the backward pass's auxiliary work where that pass does not exist. */
START_TEST(test_update_sums_statistics_only_in_place_of_backward) {
  const dsm_loops split = loops(1, 5, 2, 1, 3);
  ck_assert_double_eq(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_UPDATE, split), 0);
  ck_assert_double_eq(with_op(DSM_AUX_SOFTMAX, DSM_MODE_TRAINING, DSM_PASS_UPDATE, split), 0);
  conv.has_backward = false;
  ASSERT_CLOSE(with_op(DSM_AUX_BATCH_NORM, DSM_MODE_TRAINING, DSM_PASS_UPDATE, split), 40.0 / 3);
  ASSERT_CLOSE(with_op(DSM_AUX_SOFTMAX, DSM_MODE_TRAINING, DSM_PASS_UPDATE, split), 25.6);
}
END_TEST

START_TEST(test_lstm_has_no_statistics) {
  dsm_layer lstm = lstm_layer(3, 5, 7);
  lstm.has_op[DSM_AUX_LAYER_NORM] = lstm.has_op[DSM_AUX_SOFTMAX] = true;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    ck_assert_double_eq(statistics(&lstm, DSM_MODE_TRAINING, (dsm_pass)pass, loops(1, 5, 2, 1, 3)),
                        0);
  }
}
END_TEST

START_TEST(test_statistics_are_free_by_default) {
  chips.model.statistics_sums = false;
  for (int i = 0; i < DSM_AUX_OP_COUNT; i++) {
    ck_assert_double_eq(
        with_op((dsm_aux_op)i, DSM_MODE_TRAINING, DSM_PASS_FORWARD, loops(1, 5, 2, 1, 3)), 0);
  }
}
END_TEST

/* --- how far data travels on a ring that carries both ways, and what a link carries of a move */

/* The shorter ways to all members, itself among them. */
START_TEST(test_two_way_distance_is_counted_member_by_member) {
  double links = 0;
  for (int ahead = 0; ahead < _i; ahead++) {
    links += ahead < _i - ahead ? ahead : _i - ahead;
  }
  ASSERT_CLOSE(dsm__two_way_distance((uint64_t)_i), links / _i);
}
END_TEST

/* Each core has an equal part of 1200 bytes, and an equal part of that goes to each core, by the
 * shorter way. What the link between cores 0 and 1 carries, pair by pair and hop by hop. */
static double moved_over_a_link(int cores, double bytes) {
  double carried = 0;
  for (int from = 0; from < cores; from++) {
    for (int to = 0; to < cores; to++) {
      const int ahead = (to - from + cores) % cores;
      const bool is_ahead = 2 * ahead <= cores;
      for (int at = from; at != to;) {
        const int next = (at + (is_ahead ? 1 : cores - 1)) % cores;
        const bool is_counted = (is_ahead && at == 0) || (!is_ahead && next == 0);
        carried += is_counted ? bytes / cores / cores : 0;
        at = next;
      }
    }
  }
  return carried;
}

static double layout_move_bytes(uint64_t cores, double bytes) {
  dsm_system ring = friendly_system(1, 1);
  ring.chip.cores = cores;
  const dsm_machine its = dsm_machine_derive(&ring);
  return dsm__layout_move_bytes(&its, bytes);
}

START_TEST(test_layout_move_is_counted_pair_by_pair) {
  const double link_bytes = moved_over_a_link(_i, 1200);
  ASSERT_CLOSE(layout_move_bytes((uint64_t)_i, 1200), link_bytes);
}
END_TEST

/* floor(c * c / 4) / (c * c): a quarter of even rings, 2 of 9 parts of three cores, 6 of 25. */
START_TEST(test_layout_move_is_a_quarter_on_even_rings) {
  ck_assert_double_eq(layout_move_bytes(1, 900), 0);
  ck_assert_double_eq(layout_move_bytes(2, 900), 225);
  ck_assert_double_eq(layout_move_bytes(3, 900), 200);
  ck_assert_double_eq(layout_move_bytes(4, 900), 225);
  ck_assert_double_eq(layout_move_bytes(5, 900), 216);
  ck_assert_double_eq(layout_move_bytes(32, 900), 225);
  ck_assert_double_eq(layout_move_bytes(1048576, 900), 225);
  ck_assert_double_eq(layout_move_bytes(5, 0), 0);
}
END_TEST

/* --- normalization_group. 4 x 2 chips at 2 GHz, a step along X takes 2000 cycles, along Y 6000; of
 * 64 samples a chip has 8 with data. */

typedef struct shared_case {
  double group;
  dsm_parallelism parallelism;
  uint64_t stacks;
  double cycles;
} shared_case;

static const shared_case shared_cases[] = {
    {1, DSM_PARALLELISM_DATA, 1, 0},
    {8, DSM_PARALLELISM_DATA, 1, 0},
    {9, DSM_PARALLELISM_DATA, 1, 1 * 2 * 2000},
    {32, DSM_PARALLELISM_DATA, 1, 2 * 2 * 2000},
    {33, DSM_PARALLELISM_DATA, 1, 3 * 2 * 2000},
    {32, DSM_PARALLELISM_DATA, 2, 3 * 2 * 2000},
    {1000, DSM_PARALLELISM_DATA, 1, 3 * 2 * 2000}, /* all 64 */
    {64, DSM_PARALLELISM_MODEL_X_DATA_Y, 1, 1 * 2 * 6000},
    {64, DSM_PARALLELISM_MODEL, 1, 0},
    {64, DSM_PARALLELISM_MODEL, 2, 0}, /* two memories, but nothing between chips */
};

static dsm_system chips_with_latency(uint64_t stacks) {
  dsm_system system = friendly_system(4, 2);
  system.system.axes[0].latency_us = 1;
  system.system.axes[1].latency_us = 3;
  system.chip.memory.stacks = stacks;
  return system;
}

static dsm_pass_work shared_work(const dsm_layer *layer, const dsm_machine *of, dsm_mode mode,
                                 dsm_pass pass, const shared_case *c) {
  const dsm_residency none = dsm_residency_none(of);
  dsm_precision precision = friendly_precision();
  precision.normalization_group = c->group;
  return dsm_pass_work_derive(layer, of, precision, mode, pass, c->parallelism, 64, &none);
}

START_TEST(test_chips_wait_for_statistics_that_they_share) {
  const shared_case *const c = &shared_cases[_i];
  const dsm_system system = chips_with_latency(c->stacks);
  const dsm_machine of = dsm_machine_derive(&system);
  const dsm_loops split = loops(1, 4, 1, 1, 1);
  const dsm_layer layer = with_residual_and_norm(conv_layer(12, 20, 9, 9, 1));
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = shared_work(&layer, &of, DSM_MODE_TRAINING, (dsm_pass)pass, c);
    const double due = pass == DSM_PASS_UPDATE ? 0 : c->cycles;
    ASSERT_CLOSE(work.statistics_cycles, due);
    dsm_precision alone = work.precision;
    alone.normalization_group = 1;
    const dsm_pass_work without = dsm_pass_work_derive(
        &layer, &of, alone, DSM_MODE_TRAINING, (dsm_pass)pass, c->parallelism, 64, &work.residency);
    const dsm_invocation_cost before = dsm_invocation_score(&without, &split);
    const dsm_invocation_cost after = dsm_invocation_score(&work, &split);
    ASSERT_CLOSE(after.partial_sum, before.partial_sum + due);
    ASSERT_CLOSE(after.total, before.total + due);
    const dsm_resources one = dsm_invocation_resources(&without, &split);
    const dsm_resources other = dsm_invocation_resources(&work, &split);
    for (int b = 0; b < DSM_BOUND_COUNT; b++) {
      ASSERT_CLOSE(other.cycles[b], one.cycles[b] + (b == DSM_BOUND_LATENCY ? due : 0));
    }
  }
}
END_TEST

START_TEST(test_only_batch_norms_of_training_share_statistics) {
  const shared_case *const c = &shared_cases[3];
  const dsm_system system = chips_with_latency(1);
  const dsm_machine of = dsm_machine_derive(&system);
  dsm_layer layer = with_residual_and_norm(conv_layer(12, 20, 9, 9, 1));
  ck_assert_double_eq(
      shared_work(&layer, &of, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, c).statistics_cycles, 0);
  layer.has_backward = false; /* what would be done there is done in update */
  ck_assert_double_eq(
      shared_work(&layer, &of, DSM_MODE_TRAINING, DSM_PASS_UPDATE, c).statistics_cycles, 8000);
  layer.has_op[DSM_AUX_BATCH_NORM] = false;
  layer.has_op[DSM_AUX_LAYER_NORM] = true;
  ck_assert_double_eq(
      shared_work(&layer, &of, DSM_MODE_TRAINING, DSM_PASS_FORWARD, c).statistics_cycles, 0);
  dsm_layer lstm = lstm_layer(12, 20, 3);
  lstm.has_op[DSM_AUX_BATCH_NORM] = true;
  ck_assert_double_eq(
      shared_work(&lstm, &of, DSM_MODE_TRAINING, DSM_PASS_FORWARD, c).statistics_cycles, 0);
}
END_TEST

static void add_statistics(Suite *suite) {
  TCase *const statistics_case = tcase_create("statistics");
  tcase_add_checked_fixture(statistics_case, set_up_statistics, NULL);
  tcase_add_test(statistics_case, test_batch_norm_sums_two_statistics_a_feature);
  tcase_add_test(statistics_case, test_batch_norm_sums_nothing_in_inference);
  tcase_add_loop_test(statistics_case, test_softmax_and_layer_norm_sum_two_statistics_a_sample, 0,
                      COUNT_OF(by_sample));
  tcase_add_test(statistics_case, test_parts_of_statistics_are_not_rounded);
  tcase_add_test(statistics_case, test_cores_that_share_no_statistic_send_none);
  tcase_add_loop_test(statistics_case, test_statistics_are_what_a_reduce_scatter_among_cores_sends,
                      1, 10);
  tcase_add_test(statistics_case, test_statistics_of_several_operations_add_up);
  tcase_add_test(statistics_case, test_other_operations_have_no_statistics);
  tcase_add_test(statistics_case, test_update_sums_statistics_only_in_place_of_backward);
  tcase_add_test(statistics_case, test_lstm_has_no_statistics);
  tcase_add_test(statistics_case, test_statistics_are_free_by_default);
  tcase_add_loop_test(statistics_case, test_chips_wait_for_statistics_that_they_share, 0,
                      COUNT_OF(shared_cases));
  tcase_add_test(statistics_case, test_only_batch_norms_of_training_share_statistics);
  suite_add_tcase(suite, statistics_case);
  TCase *const moves = tcase_create("layout moves");
  tcase_add_loop_test(moves, test_two_way_distance_is_counted_member_by_member, 1, 40);
  tcase_add_loop_test(moves, test_layout_move_is_counted_pair_by_pair, 1, 13);
  tcase_add_test(moves, test_layout_move_is_a_quarter_on_even_rings);
  suite_add_tcase(suite, moves);
}

Suite *suite_core_link(void) {
  Suite *const suite = suite_create("core_link");
  TCase *const sums = tcase_create("partial sums");
  tcase_add_checked_fixture(sums, set_up, NULL);
  tcase_add_test(sums, test_forward_sums_outputs_over_inputs_and_kernel_positions);
  tcase_add_test(sums, test_backward_sums_inputs_over_outputs_and_kernel_positions);
  tcase_add_test(sums, test_update_sums_gradients_over_positions_and_samples);
  tcase_add_loop_test(sums, test_one_core_has_no_partial_sums, 0, DSM_PASS_COUNT);
  tcase_add_test(sums, test_gradients_are_as_many_as_weights_of_their_own_bytes);
  tcase_add_test(sums, test_cores_that_share_no_sum_send_none);
  tcase_add_test(sums, test_partial_sums_as_wide_as_elements_are_not_widened);
  tcase_add_loop_test(sums, test_partial_sums_are_what_a_reduce_scatter_among_cores_sends, 1, 10);
  tcase_add_loop_test(sums, test_grouped_errors_are_summed_over_the_cores_of_a_group, 0,
                      COUNT_OF(group_cases));
  suite_add_tcase(suite, sums);
  add_statistics(suite);
  return suite;
}
