/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_compare.c: hand-made records side by side. */
#include <math.h>
#include <string.h>

#include "check/drift.h"
#include "plan/plan_internal.h"
#include "suites.h"

enum { LAYERS = 3 };

/* Two records of the same network, the second to be changed by a test. */
typedef struct sides {
  dsm_layer_plan before_layers[LAYERS];
  dsm_layer_plan after_layers[LAYERS];
  dsm_recorded before;
  dsm_recorded after;
  dsm_drift drift;
} sides;

static const dsm_loops no_split = {{1, 1, 1, 1, 1}};

static dsm_layer_plan layer_called(const char *name) {
  dsm_layer_plan layer = {.name = name, .decisions = dsm__layer_decisions_none()};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    layer.passes[p] = (dsm_pass_plan){.exists = true,
                                      .decisions.core_split = no_split,
                                      .cycles.total = 1000,
                                      .utilization = 0.5,
                                      .invocation_count = 1};
  }
  return layer;
}

/* A step of 200 ms at half of the peak, in round numbers: half a percent is 1 ms and 0.0025. */
static void same_sides(sides *s, double tolerance) {
  static const char *const names[LAYERS] = {"first", "second", "third"};
  *s = (sides){.drift = {.tolerance = tolerance,
                         .minibatch_before = 64,
                         .minibatch_after = 64,
                         .arena = dsm__arena_new()}};
  for (int i = 0; i < LAYERS; i++) {
    s->before_layers[i] = layer_called(names[i]);
    s->after_layers[i] = layer_called(names[i]);
  }
  s->before =
      (dsm_recorded){.result = {.step_cycles = 9000, .step_seconds = 0.2, .utilization = 0.5},
                     .cycles_per_second = 1e6,
                     .layers = s->before_layers,
                     .layer_count = LAYERS};
  s->after = s->before;
  s->after.layers = s->after_layers;
}

static void compare(sides *s) {
  ck_assert(dsm__drift_compare(&s->drift, &s->before, &s->after));
}

static void done(sides *s) {
  dsm__arena_free(s->drift.arena);
}

/* ---- single figures ---- */

static const struct {
  double before, after, tolerance;
  bool is_beyond;
} figures[] = {
    /* at the tolerance is not beyond it, though 200 * 1.005 is less than 201 in binary */
    {200, 201, 0.005, false},
    {200, 199, 0.005, false},
    {200, 201.001, 0.005, true},
    {200, 198.999, 0.005, true},
    {200, 200.999, 0.005, false},
    {0.5, 0.4975, 0.005, false},
    {0.5, 0.49749, 0.005, true},
    {3, 3.03, 0.01, false},
    {1e300, 1.005e300, 0.005, false},
    {1e-300, 1.005e-300, 0.005, false},
    /* with no tolerance any change counts beyond rounding */
    {1, 1, 0, false},
    {1, 1 + 1e-12, 0, false},
    {1, 1 - 0.9e-9, 0, false},
    {1, 1 + 1.1e-9, 0, true},
    {1, 1 - 1.1e-9, 0, true},
    /* nothing before */
    {0, 0, 0, false},
    {0, 1e-300, 1, true},
    {1, 0, 1, false},
    {1, 0, 0.5, true},
};

START_TEST(test_a_figure_is_judged_by_its_relative_change) {
  const dsm_moved moved =
      dsm__moved_between(figures[_i].before, figures[_i].after, figures[_i].tolerance);
  ck_assert_msg(moved.is_beyond == figures[_i].is_beyond, "%g to %g", figures[_i].before,
                figures[_i].after);
}
END_TEST

START_TEST(test_the_change_is_relative_to_before) {
  ck_assert_double_eq(dsm__moved_between(200, 250, 0).change, 0.25);
  ck_assert_double_eq(dsm__moved_between(250, 200, 0).change, -0.2);
  ck_assert_double_eq(dsm__moved_between(0, 0, 0).change, 0);
  ck_assert(isinf(dsm__moved_between(0, 1, 0).change));
}
END_TEST

/* ---- verdicts ---- */

static const struct {
  double seconds, utilization;
  dsm_verdict verdict;
} steps[] = {
    {0.2, 0.5, DSM_VERDICT_OK},
    {0.201, 0.4975, DSM_VERDICT_OK},
    {0.199, 0.5025, DSM_VERDICT_OK},
    {0.20101, 0.5, DSM_VERDICT_REGRESSED},
    {0.2, 0.49749, DSM_VERDICT_REGRESSED},
    {0.19, 0.49, DSM_VERDICT_IMPROVED}, /* faster, though less utilized: the time decides */
    {0.21, 0.51, DSM_VERDICT_REGRESSED},
    {0.19899, 0.5, DSM_VERDICT_IMPROVED},
    {0.2, 0.50251, DSM_VERDICT_IMPROVED},
    {0.1, 1.0, DSM_VERDICT_IMPROVED},
};

START_TEST(test_the_step_decides_the_verdict) {
  sides s;
  same_sides(&s, 0.005);
  s.after.result.step_seconds = steps[_i].seconds;
  s.after.result.utilization = steps[_i].utilization;
  compare(&s);
  ck_assert_str_eq(dsm_verdict_name(s.drift.verdict), dsm_verdict_name(steps[_i].verdict));
  ck_assert_uint_eq(s.drift.pass_count + s.drift.decision_count + s.drift.layer_count, 0);
  done(&s);
}
END_TEST

START_TEST(test_cycles_of_the_step_do_not_decide) {
  sides s;
  same_sides(&s, 0);
  s.after.result.step_cycles = 2 * s.before.result.step_cycles; /* at twice the frequency */
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_OK);
  ck_assert(s.drift.step_cycles.is_beyond);
  done(&s);
}
END_TEST

START_TEST(test_at_another_clock_times_are_compared) {
  /* At 2 MHz 1500 cycles take 0.75 ms in place of the 1 ms of 1000 cycles at 1 MHz, and 2000 cycles
   * take as long as before. */
  sides s;
  same_sides(&s, 0.005);
  s.after.cycles_per_second = 2e6;
  s.after.result.step_seconds = 0.19;
  s.after.result.utilization = 0.3;
  for (int i = 0; i < LAYERS; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      s.after_layers[i].passes[p].cycles.total = 2000;
    }
  }
  s.after_layers[1].passes[DSM_PASS_UPDATE].cycles.total = 1500;
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_IMPROVED);
  ck_assert(!s.drift.is_same_clock);
  ck_assert_uint_eq(s.drift.pass_count, 1);
  ck_assert_str_eq(s.drift.passes[0].layer, "second");
  ck_assert_double_eq_tol(s.drift.passes[0].seconds.before, 1e-3, 1e-15);
  ck_assert_double_eq_tol(s.drift.passes[0].seconds.after, 0.75e-3, 1e-15);
  ck_assert_double_eq_tol(s.drift.passes[0].seconds.change, -0.25, 1e-12);
  done(&s);
}
END_TEST

START_TEST(test_with_another_minibatch_the_time_of_a_sample_decides) {
  /* Half the samples in 0.11 s in place of 0.1 s: slower, though the step takes less time. */
  sides s;
  same_sides(&s, 0.005);
  s.drift.minibatch_after = 32;
  s.after.result.step_seconds = 0.11;
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_REGRESSED);
  ck_assert_double_eq_tol(s.drift.sample_seconds.before, 0.2 / 64, 1e-15);
  ck_assert_double_eq_tol(s.drift.sample_seconds.after, 0.11 / 32, 1e-15);
  done(&s);
}
END_TEST

START_TEST(test_passes_are_listed_by_their_difference) {
  /* 100, 300 and 200 cycles more or less at 1 MHz. */
  sides s;
  same_sides(&s, 0.005);
  s.after_layers[0].passes[DSM_PASS_FORWARD].cycles.total = 1100;
  s.after_layers[1].passes[DSM_PASS_FORWARD].cycles.total = 700;
  s.after_layers[2].passes[DSM_PASS_FORWARD].cycles.total = 1200;
  compare(&s);
  ck_assert(s.drift.is_same_clock);
  ck_assert_uint_eq(s.drift.pass_count, 3);
  ck_assert_str_eq(s.drift.passes[0].layer, "second");
  ck_assert_double_eq_tol(s.drift.passes[0].difference_seconds, -3e-4, 1e-12);
  ck_assert_str_eq(s.drift.passes[1].layer, "third");
  ck_assert_str_eq(s.drift.passes[2].layer, "first");
  done(&s);
}
END_TEST

START_TEST(test_layers_that_even_out_are_a_change_and_no_regression) {
  sides s;
  same_sides(&s, 0.005);
  s.after_layers[0].passes[DSM_PASS_FORWARD].cycles.total = 1100;
  s.after_layers[1].passes[DSM_PASS_UPDATE].cycles.total = 900;
  s.after_layers[2].passes[DSM_PASS_UPDATE].cycles.total = 1005; /* at the tolerance */
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_CHANGED);
  ck_assert_uint_eq(s.drift.pass_count, 2);
  ck_assert_str_eq(s.drift.passes[0].layer, "first");
  ck_assert_int_eq(s.drift.passes[0].pass, DSM_PASS_FORWARD);
  ck_assert_double_eq_tol(s.drift.passes[0].cycles.change, 0.1, 1e-12);
  ck_assert(!s.drift.passes[0].utilization.is_beyond);
  ck_assert_str_eq(s.drift.passes[1].layer, "second");
  ck_assert_int_eq(s.drift.passes[1].pass, DSM_PASS_UPDATE);
  done(&s);
}
END_TEST

START_TEST(test_a_regression_lists_changes_too) {
  sides s;
  same_sides(&s, 0.005);
  s.after.result.step_seconds = 1;
  s.after_layers[1].decisions.dysm_factor = 8;
  s.after_layers[1].passes[DSM_PASS_BACKWARD].utilization = 0.25;
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_REGRESSED);
  ck_assert_uint_eq(s.drift.decision_count, 1);
  ck_assert_uint_eq(s.drift.pass_count, 1);
  done(&s);
}
END_TEST

/* ---- decisions ---- */

static void change_parallelism(dsm_layer_plan *layer) {
  layer->passes[DSM_PASS_UPDATE].decisions.parallelism = DSM_PARALLELISM_MODEL_X_DATA_Y;
}
static void change_core_split(dsm_layer_plan *layer) {
  layer->passes[DSM_PASS_UPDATE].decisions.core_split = (dsm_loops){{2, 1, 8, 1, 4}};
}
static void change_later_core_split(dsm_layer_plan *layer) {
  layer->passes[DSM_PASS_UPDATE].invocation_count = 2;
  layer->passes[DSM_PASS_UPDATE].invocations[1] =
      (dsm_invocation){.kind = DSM_INVOCATION_ACCUMULATE, .split = {{1, 32, 1, 1, 1}}};
}
static void change_dysm_factor(dsm_layer_plan *layer) {
  layer->decisions.dysm_factor = 16;
}
static void change_output_on_chip(dsm_layer_plan *layer) {
  layer->decisions.is_output_held = true;
}
static void change_output_layout(dsm_layer_plan *layer) {
  layer->decisions.output_layout = (dsm_core_layout){4, 8, 1};
}
static void change_weights_on_chip(dsm_layer_plan *layer) {
  layer->decisions.weights_on_chip = 0.625;
}
static void change_pipeline_group(dsm_layer_plan *layer) {
  layer->decisions.pipeline_group = "enc";
  layer->decisions.stage_rows = 4;
  layer->decisions.stage_columns = 2;
}
static void change_error_parallelism(dsm_layer_plan *layer) {
  layer->decisions.error_parallelism = DSM_PARALLELISM_MODEL;
}

static const struct {
  const char *decision;
  void (*change)(dsm_layer_plan *layer);
  dsm_pass pass;
  const char *before;
  const char *after;
} decisions[] = {
    {"parallelism", change_parallelism, DSM_PASS_UPDATE, "data", "model_x_data_y"},
    {"core_split", change_core_split, DSM_PASS_UPDATE, "none", "in 2 ij 8 mb 4"},
    {"later_core_split", change_later_core_split, DSM_PASS_UPDATE, "none", "accumulate: out 32"},
    {"dysm_factor", change_dysm_factor, DSM_PASS_COUNT, "1", "16"},
    {"output_on_chip", change_output_on_chip, DSM_PASS_COUNT, "false", "true"},
    {"output_layout", change_output_layout, DSM_PASS_COUNT, "none", "features 4 ij 8 mb 1"},
    {"weights_on_chip", change_weights_on_chip, DSM_PASS_COUNT, "0", "0.625"},
    {"pipeline_group", change_pipeline_group, DSM_PASS_COUNT, "none", "enc: 2 x 4 chips"},
    {"error_parallelism", change_error_parallelism, DSM_PASS_COUNT, "none", "model"},
};

START_TEST(test_a_changed_decision_is_listed_in_words) {
  sides s;
  same_sides(&s, 1);
  decisions[_i].change(&s.after_layers[1]);
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_CHANGED);
  ck_assert_uint_eq(s.drift.decision_count, 1);
  const dsm_decision_drift *const found = &s.drift.decisions[0];
  ck_assert_str_eq(found->layer, "second");
  ck_assert_str_eq(found->decision, decisions[_i].decision);
  ck_assert_int_eq(found->pass, decisions[_i].pass);
  ck_assert_str_eq(found->before, decisions[_i].before);
  ck_assert_str_eq(found->after, decisions[_i].after);
  done(&s);
}
END_TEST

START_TEST(test_the_same_decisions_on_both_sides_are_no_change) {
  sides s;
  same_sides(&s, 0);
  for (int d = 0; d < COUNT_OF(decisions); d++) {
    decisions[d].change(&s.before_layers[0]);
    decisions[d].change(&s.after_layers[0]);
  }
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_OK);
  done(&s);
}
END_TEST

START_TEST(test_fractions_of_weights_may_differ_by_rounding) {
  sides s;
  same_sides(&s, 0);
  s.before_layers[0].decisions.weights_on_chip = 0.3;
  s.after_layers[0].decisions.weights_on_chip = 0.1 + 0.2;
  ck_assert(s.after_layers[0].decisions.weights_on_chip > 0.3);
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_OK);
  done(&s);
}
END_TEST

START_TEST(test_invocations_that_are_not_recorded_are_not_compared) {
  sides s;
  same_sides(&s, 0);
  s.before_layers[1].passes[DSM_PASS_UPDATE].invocation_count = 0;
  change_later_core_split(&s.after_layers[1]);
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_OK);
  done(&s);
}
END_TEST

/* ---- layers and passes on one side ---- */

START_TEST(test_layers_are_matched_by_name_in_any_order) {
  sides s;
  same_sides(&s, 0);
  s.before_layers[0].decisions.dysm_factor = 4;
  s.after_layers[0] = s.before_layers[2];
  s.after_layers[2] = s.before_layers[0];
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_OK);
  done(&s);
}
END_TEST

START_TEST(test_missing_and_new_layers_are_listed) {
  sides s;
  same_sides(&s, 0.005);
  s.after_layers[0].name = "zeroth";
  s.after.layer_count = 2;
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_CHANGED);
  ck_assert_uint_eq(s.drift.layer_count, 3);
  ck_assert_str_eq(s.drift.layers[0].layer, "first");
  ck_assert_int_eq(s.drift.layers[0].presence, DSM_PRESENCE_MISSING);
  ck_assert_str_eq(s.drift.layers[1].layer, "third");
  ck_assert_int_eq(s.drift.layers[1].presence, DSM_PRESENCE_MISSING);
  ck_assert_str_eq(s.drift.layers[2].layer, "zeroth");
  ck_assert_int_eq(s.drift.layers[2].presence, DSM_PRESENCE_NEW);
  ck_assert_uint_eq(s.drift.decision_count, 0);
  /* All their passes take 1 ms: those of layers that are gone, then those of the new one. */
  ck_assert_uint_eq(s.drift.pass_count, 3 * DSM_PASS_COUNT);
  ck_assert_str_eq(s.drift.passes[0].layer, "first");
  ck_assert_int_eq(s.drift.passes[0].presence, DSM_PRESENCE_MISSING);
  ck_assert_str_eq(s.drift.passes[3 * DSM_PASS_COUNT - 1].layer, "zeroth");
  ck_assert_int_eq(s.drift.passes[3 * DSM_PASS_COUNT - 1].presence, DSM_PRESENCE_NEW);
  done(&s);
}
END_TEST

START_TEST(test_missing_and_new_passes_are_listed) {
  sides s;
  same_sides(&s, 0.005);
  s.before_layers[0].passes[DSM_PASS_BACKWARD] = (dsm_pass_plan){.exists = false};
  s.after_layers[1].passes[DSM_PASS_UPDATE] = (dsm_pass_plan){.exists = false};
  compare(&s);
  ck_assert_int_eq(s.drift.verdict, DSM_VERDICT_CHANGED);
  ck_assert_uint_eq(s.drift.pass_count, 2);
  ck_assert_int_eq(s.drift.passes[0].presence, DSM_PRESENCE_NEW);
  ck_assert_double_eq(s.drift.passes[0].cycles.after, 1000);
  ck_assert_double_eq(s.drift.passes[0].seconds.before, 0);
  ck_assert_int_eq(s.drift.passes[1].presence, DSM_PRESENCE_MISSING);
  ck_assert_double_eq(s.drift.passes[1].cycles.before, 1000);
  ck_assert_uint_eq(s.drift.decision_count, 0);
  done(&s);
}
END_TEST

Suite *suite_compare(void) {
  Suite *const suite = suite_create("compare");
  TCase *const single = tcase_create("figures");
  tcase_add_loop_test(single, test_a_figure_is_judged_by_its_relative_change, 0, COUNT_OF(figures));
  tcase_add_test(single, test_the_change_is_relative_to_before);
  suite_add_tcase(suite, single);
  TCase *const verdicts = tcase_create("verdicts");
  tcase_add_loop_test(verdicts, test_the_step_decides_the_verdict, 0, COUNT_OF(steps));
  tcase_add_test(verdicts, test_cycles_of_the_step_do_not_decide);
  tcase_add_test(verdicts, test_at_another_clock_times_are_compared);
  tcase_add_test(verdicts, test_with_another_minibatch_the_time_of_a_sample_decides);
  tcase_add_test(verdicts, test_passes_are_listed_by_their_difference);
  tcase_add_test(verdicts, test_layers_that_even_out_are_a_change_and_no_regression);
  tcase_add_test(verdicts, test_a_regression_lists_changes_too);
  suite_add_tcase(suite, verdicts);
  TCase *const changes = tcase_create("decisions");
  tcase_add_loop_test(changes, test_a_changed_decision_is_listed_in_words, 0, COUNT_OF(decisions));
  tcase_add_test(changes, test_the_same_decisions_on_both_sides_are_no_change);
  tcase_add_test(changes, test_fractions_of_weights_may_differ_by_rounding);
  tcase_add_test(changes, test_invocations_that_are_not_recorded_are_not_compared);
  suite_add_tcase(suite, changes);
  TCase *const presence = tcase_create("presence");
  tcase_add_test(presence, test_layers_are_matched_by_name_in_any_order);
  tcase_add_test(presence, test_missing_and_new_layers_are_listed);
  tcase_add_test(presence, test_missing_and_new_passes_are_listed);
  suite_add_tcase(suite, presence);
  return suite;
}
