/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Held tensors that move among the cores of a chip (section 7, model.layout_move). */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

/* 4 x 2 chips of 4 cores. */
static void set_up(void) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
}

static const dsm_loops one_core_each = {{1, 1, 1, 1, 1}};

/* --- layout_move: what of a layer moves among its cores; inp = 1296, st = 540 */

typedef struct move_case {
  bool is_input_held;
  bool is_output_held;
  bool is_shortcut_held;
  double bytes[DSM_PASS_COUNT];
} move_case;

static const move_case move_cases[] = {
    {false, false, false, {0, 0, 0}},     {true, false, false, {1296, 0, 0}},
    {false, true, false, {0, 540, 540}},  {false, false, true, {0, 0, 0}},
    {true, true, true, {1296, 540, 540}},
};

static dsm_pass_work moving_work(dsm_mode mode, dsm_pass pass, const move_case *c, bool is_free) {
  static dsm_layer conv;
  conv = with_residual_and_norm(pooled_conv());
  dsm_residency residency = dsm_residency_none(&machine);
  residency.is_input_held = c->is_input_held;
  residency.is_output_held = c->is_output_held;
  residency.is_shortcut_held = c->is_shortcut_held;
  residency.is_moving_free = is_free;
  return dsm_pass_work_derive(&conv, &machine, friendly_precision(), mode, pass,
                              DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &residency);
}

static double bytes_to_move(const dsm_pass_work *work) {
  return work->bytes.input_move + work->bytes.output_move;
}

/* A quarter of them on the ring of 4 cores, at 32 bytes a cycle, beside the rest. */
START_TEST(test_held_tensors_move_to_the_layout_of_their_user) {
  const move_case *const c = &move_cases[_i];
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    chips.model.layout_move = DSM_LAYOUT_MOVE_NONE;
    const dsm_pass_work still = moving_work(DSM_MODE_TRAINING, (dsm_pass)pass, c, false);
    const dsm_invocation_cost before = dsm_invocation_score(&still, &one_core_each);
    chips.model.layout_move = DSM_LAYOUT_MOVE_ALWAYS;
    const dsm_pass_work moving = moving_work(DSM_MODE_TRAINING, (dsm_pass)pass, c, false);
    const dsm_invocation_cost after = dsm_invocation_score(&moving, &one_core_each);
    ck_assert_double_eq(before.layout_move, 0);
    ck_assert_double_eq(bytes_to_move(&moving), c->bytes[pass]);
    ck_assert_double_eq(after.layout_move, c->bytes[pass] / 4 / 32);
    ck_assert_double_eq(after.overlapped, before.overlapped);
    ASSERT_CLOSE(after.total, before.total + after.layout_move);
  }
}
END_TEST

START_TEST(test_held_input_moves_in_inference_too) {
  const move_case *const c = &move_cases[_i];
  chips.model.layout_move = DSM_LAYOUT_MOVE_ALWAYS;
  const dsm_pass_work work = moving_work(DSM_MODE_INFERENCE, DSM_PASS_FORWARD, c, false);
  ck_assert_double_eq(bytes_to_move(&work), c->bytes[DSM_PASS_FORWARD]);
}
END_TEST

/* For a bound from below: what is held is where it is used. */
START_TEST(test_tensors_that_move_for_nothing_do_not_move) {
  chips.model.layout_move = DSM_LAYOUT_MOVE_ALWAYS;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work =
        moving_work(DSM_MODE_TRAINING, (dsm_pass)pass, &move_cases[_i], true);
    ck_assert_double_eq(dsm_invocation_score(&work, &one_core_each).layout_move, 0);
  }
}
END_TEST

/* --- layout_move "exact": what a core split does not fit moves. Two producers made three quarters
 * and one quarter of the input. */

typedef struct fit_case {
  dsm_loops split;
  dsm_core_layout output;
  dsm_core_layout inputs[2];
  double bytes[DSM_PASS_COUNT];
} fit_case;

static const fit_case fit_cases[] = {
    /* in, out, ij, kij, mb */
    {{{1, 2, 2, 1, 1}}, {2, 2, 1}, {{1, 4, 1}, {1, 2, 2}}, {0, 0, 0}},
    {{{1, 2, 2, 1, 1}}, {4, 1, 1}, {{1, 4, 1}, {1, 2, 2}}, {540, 540, 540}},
    {{{1, 2, 2, 1, 1}}, {1, 4, 1}, {{1, 4, 1}, {1, 2, 2}}, {540, 540, 540}},
    {{{1, 2, 2, 1, 1}}, {2, 2, 1}, {{1, 4, 1}, {4, 1, 1}}, {324, 324, 0}},
    {{{1, 2, 2, 1, 1}}, {2, 2, 1}, {{1, 1, 4}, {1, 4, 1}}, {972, 972, 0}},
    {{{1, 2, 2, 1, 1}}, {1, 1, 4}, {{4, 1, 1}, {4, 1, 1}}, {1836, 1836, 540}},
    {{{4, 1, 1, 1, 1}}, {1, 2, 2}, {{4, 1, 1}, {4, 1, 1}}, {0, 0, 0}},
    {{{2, 1, 1, 1, 2}}, {2, 1, 2}, {{2, 1, 2}, {4, 1, 1}}, {324, 324, 0}},
    {{{1, 1, 1, 4, 1}}, {4, 1, 1}, {{1, 4, 1}, {1, 1, 4}}, {0, 0, 0}},
};

static dsm_pass_work fitted_work(const fit_case *c, dsm_held_layouts *layouts,
                                 dsm_held_tensor *inputs, dsm_pass pass, bool is_input_held,
                                 bool is_output_held) {
  static dsm_layer conv;
  conv = pooled_conv();
  dsm_residency residency = dsm_residency_none(&machine);
  chips.model.layout_move = DSM_LAYOUT_MOVE_EXACT;
  inputs[0] = (dsm_held_tensor){c->inputs[0], 9};
  inputs[1] = (dsm_held_tensor){c->inputs[1], 3};
  *layouts = (dsm_held_layouts){c->output, inputs, 2};
  residency.is_input_held = is_input_held;
  residency.is_output_held = is_output_held;
  residency.layouts = layouts;
  return dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              DSM_PARALLELISM_DATA_X_MODEL_Y, 10, &residency);
}

/* By a quarter on the ring of 4 cores, at 32 bytes a cycle. */
START_TEST(test_misfitting_tensors_move) {
  const fit_case *const c = &fit_cases[_i];
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    dsm_held_tensor inputs[2];
    dsm_held_layouts layouts;
    const dsm_pass_work work = fitted_work(c, &layouts, inputs, (dsm_pass)pass, true, true);
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &c->split);
    ASSERT_CLOSE(cost.layout_move, c->bytes[pass] / 4 / 32);
    const dsm_transfer_list list = dsm_invocation_transfers(&work, &c->split);
    double named = 0;
    for (unsigned i = 0; i < list.count; i++) {
      named += list.items[i].group == DSM_GROUP_LAYOUT_MOVE
                   ? list.items[i].traffic.bytes[DSM_LINK_RING]
                   : 0;
    }
    ASSERT_CLOSE(named, c->bytes[pass] / 4);
  }
}
END_TEST

/* Nothing moves that is not held, and nothing where no layouts are given. */
START_TEST(test_only_held_tensors_with_layouts_move) {
  const fit_case *const c = &fit_cases[5];
  dsm_held_tensor inputs[2];
  dsm_held_layouts layouts;
  const dsm_pass_work neither = fitted_work(c, &layouts, inputs, DSM_PASS_FORWARD, false, false);
  const dsm_pass_work input = fitted_work(c, &layouts, inputs, DSM_PASS_FORWARD, true, false);
  const dsm_pass_work output = fitted_work(c, &layouts, inputs, DSM_PASS_FORWARD, false, true);
  dsm_pass_work unknown = fitted_work(c, &layouts, inputs, DSM_PASS_FORWARD, true, true);
  unknown.residency.layouts = NULL;
  ck_assert_double_eq(dsm_invocation_score(&neither, &c->split).layout_move, 0);
  ck_assert_double_eq(dsm_invocation_score(&input, &c->split).layout_move, 1296.0 / 4 / 32);
  ck_assert_double_eq(dsm_invocation_score(&output, &c->split).layout_move, 540.0 / 4 / 32);
  ck_assert_double_eq(dsm_invocation_score(&unknown, &c->split).layout_move, 0);
}
END_TEST

/* Half of the samples, 5 of which a chip has ceil(5/4) = 2: 432*2/2*2 bytes of the input. */
START_TEST(test_spatial_minibatch_moves_its_own_part) {
  const dsm_layer conv = pooled_conv();
  dsm_residency residency = dsm_residency_none(&machine);
  chips.model.layout_move = DSM_LAYOUT_MOVE_ALWAYS;
  residency.is_input_held = true;
  const dsm_pass_work work =
      dsm_pass_work_derive(&conv, &machine, friendly_precision(), DSM_MODE_TRAINING,
                           DSM_PASS_FORWARD, DSM_PARALLELISM_DATA_X_MODEL_Y, 5, &residency);
  ck_assert_double_eq(bytes_to_move(&work), 864);
}
END_TEST

Suite *suite_layout_move(void) {
  Suite *const suite = suite_create("layout_move");
  TCase *const moves = tcase_create("moves");
  tcase_add_checked_fixture(moves, set_up, NULL);
  tcase_add_loop_test(moves, test_held_tensors_move_to_the_layout_of_their_user, 0,
                      COUNT_OF(move_cases));
  tcase_add_loop_test(moves, test_held_input_moves_in_inference_too, 0, COUNT_OF(move_cases));
  tcase_add_loop_test(moves, test_tensors_that_move_for_nothing_do_not_move, 0,
                      COUNT_OF(move_cases));
  tcase_add_test(moves, test_spatial_minibatch_moves_its_own_part);
  tcase_add_loop_test(moves, test_misfitting_tensors_move, 0, COUNT_OF(fit_cases));
  tcase_add_test(moves, test_only_held_tensors_with_layouts_move);
  suite_add_tcase(suite, moves);
  return suite;
}
