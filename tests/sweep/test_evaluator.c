/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of points are those of exploring, whatever was evaluated before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled_sweep.h"
#include "dsm/explore.h"
#include "suites.h"
#include "sweep/evaluator.h"
#include "sweep/point.h"

/* ---- comparing ---- */

static bool is_same_text(const char *a, const char *b) {
  return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Exactly; the predictions compared here are never NaN. */
static bool is_same_number(double a, double b) {
  return a <= b && a >= b;
}

static bool are_same_cycles(const dsm_cycles *a, const dsm_cycles *b) {
  return is_same_number(a->primary, b->primary) && is_same_number(a->overlapped, b->overlapped) &&
         is_same_number(a->overlapped_visible, b->overlapped_visible) &&
         is_same_number(a->auxiliary, b->auxiliary) &&
         is_same_number(a->non_overlapped, b->non_overlapped) && is_same_number(a->total, b->total);
}

static bool is_same_layer(const dsm_point_layer *a, const dsm_point_layer *b) {
  return strcmp(a->name, b->name) == 0 && a->pass == b->pass && a->layer == b->layer &&
         a->pass_decisions.parallelism == b->pass_decisions.parallelism &&
         memcmp(&a->pass_decisions.core_split, &b->pass_decisions.core_split, sizeof(dsm_loops)) ==
             0 &&
         a->decisions.dysm_factor == b->decisions.dysm_factor &&
         a->decisions.is_output_held == b->decisions.is_output_held &&
         is_same_number(a->decisions.weights_on_chip, b->decisions.weights_on_chip) &&
         is_same_text(a->decisions.pipeline_group, b->decisions.pipeline_group) &&
         a->bound == b->bound && are_same_cycles(&a->cycles, &b->cycles) &&
         is_same_number(a->utilization, b->utilization);
}

static void expect_same(const dsm_point_result *a, const dsm_point_result *b) {
  ck_assert_uint_eq(a->point, b->point);
  ck_assert_int_eq(a->status, b->status);
  ck_assert(is_same_text(a->reason, b->reason));
  ck_assert_int_eq(a->mode, b->mode);
  ck_assert_uint_eq(a->minibatch, b->minibatch);
  ck_assert_uint_eq(a->optimizations, b->optimizations);
  ck_assert_uint_eq(a->parallelisms, b->parallelisms);
  ck_assert_mem_eq(&a->result, &b->result, sizeof a->result);
  ck_assert(is_same_text(a->decisions, b->decisions));
  ck_assert(is_same_text(a->plan, b->plan));
  ck_assert_uint_eq(a->layer_count, b->layer_count);
  for (size_t i = 0; i < a->layer_count; i++) {
    ck_assert_msg(is_same_layer(&a->layers[i], &b->layers[i]), "row %zu", i);
  }
}

static dsm_point_result evaluated(dsm__evaluator *evaluator, size_t point) {
  dsm_point_result result;
  ck_assert_int_eq(dsm__evaluate(evaluator, point, &result, NULL), DSM_OK);
  return result;
}

/* ---- sweeps ---- */

static dsm_sweep *mixed_sweep(dsm_record record) {
  return bundled_sweep("'workloads': ['alexnet', 'raider'], 'systems': ['torus64', 'chip1'],"
                       "'axes': [{'path': 'workload.minibatch', 'values': [64, 0, 256]},"
                       "{'path': 'options.mode', 'values': ['training', 'inference']},"
                       "{'path': 'system.chip.memory.capacity_GB', 'values': [8, 0.001]},"
                       "{'path': 'system.core.scratchpad_MiB', 'values': [1, 4, -1]}]",
                       record);
}

/* ---- plans ---- */

/* The plan of a point by the public functions alone; NULL if it has none. */
static dsm_plan *explored(const dsm__sweep_point *point, dsm_workload **workload,
                          dsm_system **system) {
  dsm_plan *plan = NULL;
  *workload = NULL;
  *system = NULL;
  if (dsm_workload_parse(workload, point->inputs[DSM_DESCRIPTION_WORKLOAD].input->text,
                         point->inputs[DSM_DESCRIPTION_WORKLOAD].input->length, "w",
                         point->inputs[DSM_DESCRIPTION_WORKLOAD].overrides,
                         point->inputs[DSM_DESCRIPTION_WORKLOAD].override_count, NULL) == DSM_OK &&
      dsm_system_parse(system, point->inputs[DSM_DESCRIPTION_SYSTEM].input->text,
                       point->inputs[DSM_DESCRIPTION_SYSTEM].input->length, "s",
                       point->inputs[DSM_DESCRIPTION_SYSTEM].overrides,
                       point->inputs[DSM_DESCRIPTION_SYSTEM].override_count, NULL) == DSM_OK) {
    (void)!dsm_explore(&plan, *workload, *system, &point->options, NULL);
  }
  return plan;
}

/* What is to be recorded of a pass. */
static dsm_point_layer row_of(const dsm_plan *plan, size_t layer, dsm_pass pass) {
  const dsm_layer_plan *const own = &plan->layers[layer];
  const bool is_grouped = own->pipeline != DSM_NO_PIPELINE;
  return (dsm_point_layer){
      .layer = layer,
      .name = own->layer->name,
      .pass = pass,
      .pass_decisions = {.parallelism = own->passes[pass].share.parallelism,
                         .core_split = own->passes[pass].invocations[0].split},
      .decisions = {.dysm_factor = own->decisions.dysm_factor,
                    .is_output_held = own->decisions.is_output_held,
                    .weights_on_chip = own->decisions.weights_on_chip,
                    .pipeline_group = is_grouped ? plan->pipelines[own->pipeline].name : NULL},
      .bound = own->passes[pass].bound,
      .cycles = own->passes[pass].cycles,
      .utilization = own->passes[pass].utilization,
  };
}

static void expect_layers(const dsm_point_result *result, const dsm_plan *plan) {
  size_t row = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        const dsm_point_layer expected = row_of(plan, i, (dsm_pass)p);
        ck_assert_uint_lt(row, result->layer_count);
        ck_assert_msg(is_same_layer(&expected, &result->layers[row]), "row %zu", row);
        row++;
      }
    }
  }
  ck_assert_uint_eq(row, result->layer_count);
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
  expect_layers(result, plan);
}

START_TEST(test_results_are_those_of_exploring) {
  dsm_sweep *const sweep = mixed_sweep(DSM_RECORD_PLANS);
  dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
  size_t counts[DSM_POINT_STATUS_COUNT] = {0};
  for (size_t p = 0; p < sweep->point_count; p++) {
    const dsm_point_result result = evaluated(evaluator, p);
    dsm__arena *const arena = dsm__arena_new();
    dsm__sweep_point point;
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
  dsm_sweep_free(sweep);
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
  dsm_sweep_free(sweep);
}
END_TEST

START_TEST(test_less_is_recorded_on_request) {
  for (int record = 0; record < DSM_RECORD_COUNT; record++) {
    dsm_sweep *const sweep =
        bundled_sweep("'workloads': ['raider'], 'systems': ['chip1']", (dsm_record)record);
    dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
    const dsm_point_result result = evaluated(evaluator, 0);
    ck_assert_int_eq(result.status, DSM_POINT_OK);
    ck_assert_ptr_nonnull(result.decisions);
    ck_assert((result.layers != NULL) == (record >= DSM_RECORD_LAYERS));
    ck_assert((result.layer_count > 0) == (record >= DSM_RECORD_LAYERS));
    ck_assert((result.plan != NULL) == (record >= DSM_RECORD_PLANS));
    dsm__evaluator_free(evaluator);
    dsm_sweep_free(sweep);
  }
}
END_TEST

/* ---- reasons ---- */

typedef struct refused {
  const char *path;
  const char *values; /* the first is wrong; not all may be */
  dsm_point_status status;
  const char *reason;
} refused;

static const refused refusals[] = {
    {"workload.minibatch", "0, 64", DSM_POINT_INVALID,
     "workload $.minibatch: expected a whole number from 1 to 2147483647, found 0"},
    {"system.core.scratchpad_MiB", "-1, 1", DSM_POINT_INVALID, "system $.core.scratchpad_MiB: "},
    {"options.parallelism", "'data_x_model_y', 'data'", DSM_POINT_INVALID,
     "expected options that leave a parallelism, found none (those with axes of both roles, as "
     "data_x_model_y, need the optimization hybrid)"},
    {"system.chip.memory.capacity_GB", "1e-3", DSM_POINT_INFEASIBLE,
     "memory capacity: every mapping needs at least "},
};

START_TEST(test_reasons) {
  const refused *const each = &refusals[_i];
  char members[512];
  snprintf(members, sizeof members,
           "'workloads': ['vgg16'], 'systems': ['torus64'],"
           "'options': {'optimize': 'none'}, 'axes': [{'path': '%s', 'values': [%s]}]",
           each->path, each->values);
  dsm_sweep *const sweep = bundled_sweep(members, DSM_RECORD_PLANS);
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
  dsm_sweep_free(sweep);
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
