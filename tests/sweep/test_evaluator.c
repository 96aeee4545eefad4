/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of points are those of exploring, whatever was evaluated before. */
#include <stdlib.h>
#include <string.h>

#include "dsm/explore.h"
#include "hand_made.h"
#include "suites.h"
#include "sweep/evaluator.h"
#include "sweep/point.h"

/* ---- comparing ---- */

static void expect_same_text(const char *a, const char *b) {
  ck_assert((a == NULL) == (b == NULL));
  if (a != NULL) {
    ck_assert_str_eq(a, b);
  }
}

static void expect_same_layer(const dsm_point_layer *a, const dsm_point_layer *b) {
  ck_assert_str_eq(a->name, b->name);
  ck_assert_int_eq(a->pass, b->pass);
  ck_assert_int_eq(a->parallelism, b->parallelism);
  ck_assert_mem_eq(&a->core_split, &b->core_split, sizeof a->core_split);
  ck_assert_uint_eq(a->dysm_factor, b->dysm_factor);
  ck_assert(a->output_on_chip == b->output_on_chip);
  ck_assert_double_eq(a->weights_on_chip, b->weights_on_chip);
  expect_same_text(a->pipeline_group, b->pipeline_group);
  ck_assert_int_eq(a->bound, b->bound);
  ck_assert_mem_eq(&a->cycles, &b->cycles, sizeof a->cycles);
  ck_assert_double_eq(a->utilization, b->utilization);
}

static void expect_same(const dsm_point_result *a, const dsm_point_result *b) {
  ck_assert_uint_eq(a->point, b->point);
  ck_assert_int_eq(a->status, b->status);
  expect_same_text(a->reason, b->reason);
  ck_assert_int_eq(a->mode, b->mode);
  ck_assert_uint_eq(a->minibatch, b->minibatch);
  ck_assert_uint_eq(a->optimizations, b->optimizations);
  ck_assert_uint_eq(a->parallelisms, b->parallelisms);
  ck_assert_mem_eq(&a->result, &b->result, sizeof a->result);
  expect_same_text(a->decisions, b->decisions);
  expect_same_text(a->plan, b->plan);
  ck_assert_uint_eq(a->layer_count, b->layer_count);
  for (size_t i = 0; i < a->layer_count; i++) {
    expect_same_layer(&a->layers[i], &b->layers[i]);
  }
}

static dsm_point_result evaluated(dsm__evaluator *evaluator, size_t point) {
  dsm_point_result result;
  ck_assert_int_eq(dsm__evaluate(evaluator, point, &result, NULL), DSM_OK);
  return result;
}

/* ---- sweeps ---- */

static const char *const small_workloads[] = {"alexnet", "raider", NULL};
static const char *const small_systems[] = {"torus64", "chip1", NULL};
static const hand_axis mixed_axes[] = {
    {"workload.minibatch", {"64", "0", "256"}},
    {"options.mode", {"training", "inference"}},
    {"system.chip.memory.capacity_GB", {"8", "1e-3"}},
    {"system.core.scratchpad_MiB", {"1", "4", "-1"}},
};

static dsm_sweep *mixed_sweep(dsm_record record) {
  return hand_sweep(small_workloads, small_systems, mixed_axes, COUNT_OF(mixed_axes), record);
}

/* ---- plans ---- */

/* The plan of a point by the public functions alone; NULL if it has none. */
static dsm_plan *explored(const dsm__point *point, dsm_workload **workload, dsm_system **system) {
  dsm_plan *plan = NULL;
  *workload = NULL;
  *system = NULL;
  if (dsm_workload_parse(workload, point->workload->text, point->workload->length, "w",
                         point->workload_overrides, point->workload_override_count,
                         NULL) == DSM_OK &&
      dsm_system_parse(system, point->system->text, point->system->length, "s",
                       point->system_overrides, point->system_override_count, NULL) == DSM_OK) {
    (void)!dsm_explore(&plan, *workload, *system, &point->options, NULL);
  }
  return plan;
}

static void expect_plan(const dsm_point_result *result, const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  ck_assert_str_eq(result->plan, text);
  free(text);
  ck_assert_int_eq(result->mode, plan->options.mode);
  ck_assert_uint_eq(result->minibatch, plan->workload->minibatch);
  ck_assert_uint_eq(result->optimizations, plan->options.optimizations);
  ck_assert_uint_eq(result->parallelisms, plan->options.parallelisms);
  ck_assert_mem_eq(&result->result, &plan->result, sizeof plan->result);
  size_t row = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        ck_assert_uint_lt(row, result->layer_count);
        const dsm_point_layer *const layer = &result->layers[row++];
        ck_assert_str_eq(layer->name, plan->layers[i].layer->name);
        ck_assert_int_eq(layer->pass, p);
        ck_assert_int_eq(layer->parallelism, pass->share.parallelism);
        ck_assert_int_eq(layer->bound, pass->bound);
        ck_assert_mem_eq(&layer->cycles, &pass->cycles, sizeof layer->cycles);
        ck_assert_mem_eq(&layer->core_split, &pass->invocations[0].split, sizeof(dsm_loops));
        ck_assert_double_eq(layer->utilization, pass->utilization);
        ck_assert_uint_eq(layer->dysm_factor, plan->layers[i].dysm_factor);
        ck_assert(layer->output_on_chip == plan->layers[i].is_output_held);
        ck_assert_double_eq(layer->weights_on_chip, plan->layers[i].weights_on_chip);
        ck_assert((layer->pipeline_group == NULL) == (plan->layers[i].pipeline == DSM_NO_PIPELINE));
      }
    }
  }
  ck_assert_uint_eq(row, result->layer_count);
}

START_TEST(test_results_are_those_of_exploring) {
  dsm_sweep *const sweep = mixed_sweep(DSM_RECORD_PLANS);
  dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
  size_t counts[DSM_POINT_STATUS_COUNT] = {0};
  for (size_t p = 0; p < sweep->point_count; p++) {
    const dsm_point_result result = evaluated(evaluator, p);
    dsm__arena *const arena = dsm__arena_new();
    dsm__point point;
    ck_assert(dsm__point_init(&point, sweep, p, arena));
    dsm_workload *workload;
    dsm_system *system;
    dsm_plan *const plan = explored(&point, &workload, &system);
    counts[result.status]++;
    ck_assert_uint_eq(result.point, p);
    ck_assert((plan != NULL) == (result.status == DSM_POINT_OK));
    ck_assert((plan != NULL) == (result.reason == NULL));
    if (plan != NULL) {
      expect_plan(&result, plan);
    }
    dsm_plan_free(plan);
    dsm_workload_free(workload);
    dsm_system_free(system);
    dsm__arena_free(arena);
  }
  for (int s = 0; s < DSM_POINT_STATUS_COUNT; s++) {
    ck_assert_uint_gt(counts[s], 0);
  }
  dsm__evaluator_free(evaluator);
  hand_sweep_free(sweep);
}
END_TEST

START_TEST(test_results_do_not_depend_on_the_order) {
  dsm_sweep *const sweep = mixed_sweep(DSM_RECORD_LAYERS);
  dsm__evaluator *const forward = dsm__evaluator_new(sweep);
  for (size_t k = 0; k < sweep->point_count; k++) {
    /* Another evaluator that has seen other points, in another order. */
    dsm__evaluator *const other = k % 16 == 0 ? dsm__evaluator_new(sweep) : NULL;
    const dsm_point_result expected = evaluated(forward, k);
    if (other != NULL) {
      for (size_t n = 0; n < 8; n++) {
        (void)evaluated(other, (k + 7 * (8 - n)) % sweep->point_count);
      }
      const dsm_point_result found = evaluated(other, k);
      expect_same(&expected, &found);
    }
    dsm__evaluator_free(other);
  }
  dsm__evaluator_free(forward);
  hand_sweep_free(sweep);
}
END_TEST

START_TEST(test_less_is_recorded_on_request) {
  for (int record = 0; record < DSM_RECORD_COUNT; record++) {
    const char *const workloads[] = {"raider", NULL};
    const char *const systems[] = {"chip1", NULL};
    dsm_sweep *const sweep = hand_sweep(workloads, systems, NULL, 0, (dsm_record)record);
    dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
    const dsm_point_result result = evaluated(evaluator, 0);
    ck_assert_int_eq(result.status, DSM_POINT_OK);
    ck_assert_ptr_nonnull(result.decisions);
    ck_assert((result.layers != NULL) == (record >= DSM_RECORD_LAYERS));
    ck_assert((result.layer_count > 0) == (record >= DSM_RECORD_LAYERS));
    ck_assert((result.plan != NULL) == (record >= DSM_RECORD_PLANS));
    dsm__evaluator_free(evaluator);
    hand_sweep_free(sweep);
  }
}
END_TEST

/* ---- reasons ---- */

typedef struct refused {
  const char *path;
  const char *value;
  dsm_point_status status;
  const char *reason;
} refused;

static const refused refusals[] = {
    {"workload.minibatch", "0", DSM_POINT_INVALID,
     "workload $.minibatch: expected a whole number from 1 to 2147483647, found 0"},
    {"system.core.scratchpad_MiB", "-1", DSM_POINT_INVALID, "system $.core.scratchpad_MiB: "},
    {"system.core.scratchpad", "1", DSM_POINT_INVALID, "system $.core.scratchpad: "},
    {"options.parallelism", "nothing", DSM_POINT_INVALID,
     "expected options that leave a parallelism, found none (data_x_model_y and model_x_data_y "
     "need the optimization hybrid)"},
    {"system.chip.memory.capacity_GB", "1e-3", DSM_POINT_INFEASIBLE,
     "memory capacity: every mapping needs at least "},
};

START_TEST(test_reasons) {
  const refused *const each = &refusals[_i];
  const char *const workloads[] = {"vgg16", NULL};
  const char *const systems[] = {"torus64", NULL};
  const hand_axis axis = {each->path, {each->value}};
  dsm_sweep *const sweep = hand_sweep(workloads, systems, &axis, 1, DSM_RECORD_PLANS);
  dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
  const dsm_point_result result = evaluated(evaluator, 0);
  ck_assert_int_eq(result.status, each->status);
  ck_assert_msg(strncmp(result.reason, each->reason, strlen(each->reason)) == 0, "%s",
                result.reason);
  ck_assert_ptr_null(strchr(result.reason, '\n'));
  const dsm_point_result nothing = {
      .status = result.status, .reason = result.reason, .point = result.point};
  expect_same(&nothing, &result);
  dsm__evaluator_free(evaluator);
  hand_sweep_free(sweep);
}
END_TEST

START_TEST(test_free_takes_null) {
  dsm__evaluator_free(NULL);
}
END_TEST

Suite *suite_evaluator(void) {
  Suite *const suite = suite_create("evaluator");
  TCase *const tcase = tcase_create("evaluator");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, test_results_are_those_of_exploring);
  tcase_add_test(tcase, test_results_do_not_depend_on_the_order);
  tcase_add_test(tcase, test_less_is_recorded_on_request);
  tcase_add_loop_test(tcase, test_reasons, 0, COUNT_OF(refusals));
  tcase_add_test(tcase, test_free_takes_null);
  suite_add_tcase(suite, tcase);
  return suite;
}
