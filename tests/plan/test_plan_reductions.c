/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_plan_reductions.c: sums of gradients of several layers as one collective, worked out by
 * hand.
 *
 * On 2 x 4 chips at 2 GHz a step takes 1 us along X and 0.5 us along Y, and a collective 0.25 us to
 * begin: a sum along both 500 + 1 * 2000 + 3 * 1000 = 5500 cycles, its way back 5000; along X alone
 * 2500 and 2000.
 */
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "suites.h"

static made m;

static void make(const char *layers, dsm_mode mode, bool is_fused) {
  m = made_of(layers, mode, NULL);
  m.system->system.axes[0].latency_us = 1;
  m.system->system.axes[1].latency_us = 0.5;
  m.system->system.collective_base_us = 0.25;
  m.system->model.fused_reductions = is_fused;
}

static void tear_down(void) {
  made_free(&m);
}

static double latency_of(size_t layer, dsm_group group) {
  return m.plan->layers[layer].passes[DSM_PASS_UPDATE].group_latency_cycles[group];
}

static void expect_latency(size_t layer, double sum, double way_back) {
  ck_assert_double_eq_tol(latency_of(layer, DSM_GROUP_SUM_OF_GRADIENTS), sum, 1e-9);
  ck_assert_double_eq_tol(latency_of(layer, DSM_GROUP_BROADCAST_WEIGHTS), way_back, 1e-9);
}

static double step_of(const char *layers, dsm_mode mode, bool is_fused) {
  make(layers, mode, is_fused);
  made_predict(&m);
  const double cycles = m.plan->result.step_cycles;
  made_free(&m);
  return cycles;
}

/* All four layers sum along both axes. */
START_TEST(test_layers_of_a_collective_share_its_latency) {
  make(made_convs, DSM_MODE_TRAINING, true);
  made_predict(&m);
  for (size_t i = 0; i < m.plan->layer_count; i++) {
    expect_latency(i, 5500.0 / 4, 5000.0 / 4);
  }
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
  made_free(&m);
  const double apart = step_of(made_convs, DSM_MODE_TRAINING, false);
  const double fused = step_of(made_convs, DSM_MODE_TRAINING, true);
  ck_assert_double_eq_tol(apart - fused, 3 * 10500, 1e-6);
  make(made_convs, DSM_MODE_TRAINING, true); /* for tear_down */
}
END_TEST

/* fc4 shares its features along Y: it sums along X, with nobody. */
START_TEST(test_other_axes_are_another_collective) {
  make(made_convs, DSM_MODE_TRAINING, true);
  made_set_parallelism(&m, 3, DSM_PARALLELISM_DATA_X_MODEL_Y);
  made_predict(&m);
  expect_latency(0, 5500.0 / 3, 5000.0 / 3);
  expect_latency(2, 5500.0 / 3, 5000.0 / 3);
  expect_latency(3, 2500, 2000);
}
END_TEST

/* With parallelism per pass conv2 sums along X, and its weights go back along both axes; those of
 * fc4 go back along X without a sum. */
START_TEST(test_ways_back_are_collectives_of_their_own) {
  make(made_convs, DSM_MODE_TRAINING, true);
  m.layers[1].layouts.of[DSM_PASS_UPDATE] = DSM_PARALLELISM_DATA_X_MODEL_Y;
  made_set_parallelism(&m, 3, DSM_PARALLELISM_DATA_X_MODEL_Y);
  m.layers[3].layouts.of[DSM_PASS_UPDATE] = DSM_PARALLELISM_MODEL;
  made_predict(&m);
  expect_latency(0, 5500.0 / 2, 5000.0 / 3);
  expect_latency(1, 2500, 5000.0 / 3);
  expect_latency(3, 0, 2500);
}
END_TEST

/* A stage sums what its own chips have. */
START_TEST(test_stages_share_nothing) {
  static const uint64_t rows[] = {2, 2};
  make(made_lstms, DSM_MODE_TRAINING, true);
  made_add_group(&m, "p", 0, 2, rows);
  made_predict(&m);
  expect_latency(2, 5500.0 / 3, 5000.0 / 3);
  expect_latency(4, 5500.0 / 3, 5000.0 / 3);
  const double of_stage = latency_of(0, DSM_GROUP_SUM_OF_GRADIENTS);
  ck_assert_double_gt(of_stage, 0);
  made_free(&m);
  make(made_lstms, DSM_MODE_TRAINING, false);
  made_add_group(&m, "p", 0, 2, rows);
  made_predict(&m);
  expect_latency(2, 5500, 5000);
  ck_assert_double_eq(latency_of(0, DSM_GROUP_SUM_OF_GRADIENTS), of_stage);
}
END_TEST

START_TEST(test_inference_sums_nothing) {
  const double apart = step_of(made_convs, DSM_MODE_INFERENCE, false);
  ck_assert_double_eq(step_of(made_convs, DSM_MODE_INFERENCE, true), apart);
  make(made_convs, DSM_MODE_INFERENCE, true); /* for tear_down */
}
END_TEST

/* ---- overlapped ---- */

static double once_of(size_t layer) {
  const double *const cycles = m.plan->layers[layer].passes[DSM_PASS_UPDATE].group_cycles;
  return cycles[DSM_GROUP_SUM_OF_GRADIENTS] + cycles[DSM_GROUP_BROADCAST_WEIGHTS];
}

static double hidden_of(size_t layer) {
  return m.plan->layers[layer].passes[DSM_PASS_UPDATE].hidden_cycles;
}

static double total_of(size_t layer, dsm_pass pass) {
  const dsm_pass_plan *const of = &m.plan->layers[layer].passes[pass];
  return of->exists ? of->cycles.total : 0;
}

/* Of a plan without the key: what each layer computes after forward, and sums. */
typedef struct apart {
  double update[MADE_LAYERS_MAX];
  double backward[MADE_LAYERS_MAX];
  double once[MADE_LAYERS_MAX];
  double step;
} apart;

static apart apart_of(const char *layers, dsm_mode mode) {
  apart found = {.step = 0};
  make(layers, mode, false);
  made_predict(&m);
  found.step = m.plan->result.step_cycles;
  for (size_t i = 0; i < m.plan->layer_count; i++) {
    found.once[i] = once_of(i);
    found.update[i] = total_of(i, DSM_PASS_UPDATE) - found.once[i];
    found.backward[i] = total_of(i, DSM_PASS_BACKWARD);
  }
  made_free(&m);
  return found;
}

/* fc4 begins to sum when it is updated, conv3 when that is done and it is updated, and so on; what
 * is left when conv1 is updated shows, of the layers that sum last. */
START_TEST(test_sums_hide_behind_earlier_layers) {
  const apart before = apart_of(made_convs, DSM_MODE_TRAINING);
  double computed = 0;
  double summed = 0;
  for (int i = 3; i >= 0; i--) {
    computed += before.update[i];
    summed = (summed > computed ? summed : computed) + before.once[i];
    computed += before.backward[i];
  }
  make(made_convs, DSM_MODE_TRAINING, false);
  m.system->model.overlapped_reduction = true;
  made_predict(&m);
  double rest = summed - computed;
  ck_assert_double_gt(rest, before.once[0]);
  double hidden = 0;
  for (size_t i = 0; i < 4; i++) {
    const double visible = rest < before.once[i] ? rest : before.once[i];
    ck_assert_double_eq_tol(once_of(i), visible, 1e-6);
    ck_assert_double_eq_tol(once_of(i) + hidden_of(i), before.once[i], 1e-6);
    rest -= visible;
    hidden += hidden_of(i);
  }
  ck_assert_double_gt(hidden, 0);
  ck_assert_double_eq_tol(m.plan->result.step_cycles, before.step - hidden, 1e-6);
  ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
}
END_TEST

/* Of two of four lstm layers a group's own sums are in its time. */
START_TEST(test_pipelines_keep_their_sums) {
  static const uint64_t rows[] = {2, 2};
  for (int is_overlapped = 0; is_overlapped <= 1; is_overlapped++) {
    static double cycles;
    make(made_lstms, DSM_MODE_TRAINING, false);
    m.system->model.overlapped_reduction = is_overlapped == 1;
    made_add_group(&m, "p", 1, 2, rows);
    made_predict(&m);
    cycles = is_overlapped == 0 ? m.plan->pipelines[0].cycles : cycles;
    ck_assert_double_eq(m.plan->pipelines[0].cycles, cycles);
    ck_assert((hidden_of(4) > 0) == (is_overlapped == 1));
    ck_assert_double_eq(hidden_of(1), 0);
    ck_assert_int_eq(dsm_plan_validate(m.plan, NULL), DSM_OK);
    if (is_overlapped == 0) {
      made_free(&m);
    }
  }
}
END_TEST

START_TEST(test_hidden_cycles_are_written_where_there_are_some) {
  for (int is_overlapped = 0; is_overlapped <= 1; is_overlapped++) {
    make(made_convs, DSM_MODE_TRAINING, false);
    m.system->model.overlapped_reduction = is_overlapped == 1;
    made_predict(&m);
    char *const text = dsm_plan_print(m.plan);
    ck_assert_ptr_nonnull(text);
    ck_assert((strstr(text, "\"hidden_cycles\"") != NULL) == (is_overlapped == 1));
    free(text);
    if (is_overlapped == 0) {
      made_free(&m);
    }
  }
}
END_TEST

Suite *suite_plan_reductions(void) {
  Suite *const suite = suite_create("plan_reductions");
  TCase *const fused = tcase_create("fused");
  tcase_add_checked_fixture(fused, NULL, tear_down);
  tcase_add_test(fused, test_layers_of_a_collective_share_its_latency);
  tcase_add_test(fused, test_other_axes_are_another_collective);
  tcase_add_test(fused, test_ways_back_are_collectives_of_their_own);
  tcase_add_test(fused, test_stages_share_nothing);
  tcase_add_test(fused, test_inference_sums_nothing);
  suite_add_tcase(suite, fused);
  TCase *const overlapped = tcase_create("overlapped");
  tcase_add_checked_fixture(overlapped, NULL, tear_down);
  tcase_add_test(overlapped, test_sums_hide_behind_earlier_layers);
  tcase_add_test(overlapped, test_pipelines_keep_their_sums);
  tcase_add_test(overlapped, test_hidden_cycles_are_written_where_there_are_some);
  suite_add_tcase(suite, overlapped);
  return suite;
}
