/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps cut into micro-batches: what they take, what they keep, and which number is the best. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "edited.h"
#include "plan/holding.h"
#include "plan/plan_internal.h"
#include "suites.h"

/* Resnet18 of 64 samples on 2 x 2 chips. */
static dsm_workload *workload;
static dsm_system *chips;

static void set_up_with(const char *capacity_GB) {
  const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                    {"system.chips_y", "2", NULL},
                                    {"chip.memory.capacity_GB", capacity_GB, NULL}};
  workload = bundled_workload("resnet18", "64");
  chips = bundled_system_with("torus64", overrides, 3);
}

static void set_up(void) {
  set_up_with("8");
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

static dsm_plan *explored_with(dsm_optimization_set optimizations, dsm_status expected) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = optimizations;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), expected);
  return plan;
}

#define HYBRID DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID)
#define ACCUMULATE DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE)

/* Where the memory suffices a cut gains nothing: each layer starts and fetches its weights more
 * often. */
START_TEST(test_nothing_is_cut_where_all_fits) {
  dsm_plan *const whole = explored_with(HYBRID, DSM_OK);
  dsm_plan *const cut = explored_with(HYBRID | ACCUMULATE, DSM_OK);
  ck_assert_uint_eq(whole->micro_batches, 1);
  ck_assert_uint_eq(cut->micro_batches, 1);
  ck_assert_double_le(cut->result.step_cycles, whole->result.step_cycles);
  dsm_plan_free(cut);
  dsm_plan_free(whole);
}
END_TEST

/* The decisions of a plan for so many micro-batches. */
static dsm_plan *cut_into(const dsm_plan *plan, uint64_t micro_batches) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__decisions decisions;
  dsm_plan *cut = NULL;
  ck_assert(dsm__decisions_of_plan(plan, arena, &decisions));
  decisions.micro_batches = micro_batches;
  dsm__layer_decision *const layers = (dsm__layer_decision *)(uintptr_t)decisions.layers;
  for (size_t i = 0; i < plan->layer_count; i++) { /* those that add up too */
    layers[i].splits[DSM_PASS_UPDATE][1] = layers[i].splits[DSM_PASS_UPDATE][0];
  }
  ck_assert_int_eq(
      dsm__plan_make(&cut, plan->workload, plan->system, &plan->options, &decisions, NULL), DSM_OK);
  dsm__arena_free(arena);
  return cut;
}

/* By hand: n times what a step of an n-th of the samples takes, but for the sums of gradients, the
 * ways back of weights and the updates, which are once a step. Gradients are written by the first
 * micro-batch, and read too by the others, so that an update takes no less than that. */
START_TEST(test_step_is_as_many_small_ones) {
  const uint64_t n = (uint64_t)1 << _i;
  dsm_plan *const whole = explored_with(HYBRID, DSM_OK);
  dsm_plan *const cut = cut_into(whole, n);
  dsm_workload small = *workload;
  small.minibatch /= n;
  dsm_plan small_of_whole = *whole;
  small_of_whole.workload = &small;
  dsm_plan *const one = cut_into(&small_of_whole, 1);
  static const dsm_group once[] = {DSM_GROUP_SUM_OF_GRADIENTS, DSM_GROUP_BROADCAST_WEIGHTS,
                                   DSM_GROUP_WEIGHT_UPDATE};
  for (size_t i = 0; i < cut->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const of_cut = &cut->layers[i].passes[p];
      const dsm_pass_plan *const of_one = &one->layers[i].passes[p];
      double expected = of_one->cycles.total * (double)n;
      for (size_t g = 0; g < sizeof once / sizeof once[0]; g++) {
        expected -= of_one->group_cycles[once[g]] * ((double)n - 1);
      }
      if (of_cut->exists && p != DSM_PASS_UPDATE) {
        ck_assert_double_eq_tol(of_cut->cycles.total, expected, 1e-9 * expected);
      } else if (of_cut->exists) {
        ck_assert_double_ge_tol(of_cut->cycles.total, expected, 1e-9 * expected);
      }
    }
  }
  ck_assert_double_eq_tol(cut->result.ideal_cycles, whole->result.ideal_cycles,
                          1e-9 * whole->result.ideal_cycles);
  dsm_plan_free(one);
  dsm_plan_free(cut);
  dsm_plan_free(whole);
}
END_TEST

/* By hand: 6 bytes for each weight of a chip in each of 4 micro-batches, at the rate of operations
 * of their own; gradients are written and not read where they are made. In one there is nothing to
 * add. */
START_TEST(test_gradients_are_added_in_memory) {
  dsm_plan *const whole = explored_with(HYBRID, DSM_OK);
  for (uint64_t n = 1; n <= 4; n += 3) {
    dsm_plan *const none = cut_into(whole, n);
    chips->model.accumulate_memory_bytes = 6;
    chips->chip.memory.auxiliary_efficiency_ratio = 0.25;
    dsm_plan *const adding = cut_into(whole, n);
    chips->model.accumulate_memory_bytes = 0;
    chips->chip.memory.auxiliary_efficiency_ratio = 0;
    const double memory = chips->chip.memory.bandwidth_GBps * 0.25 / chips->core.frequency_GHz;
    for (size_t i = 0; i < none->layer_count; i++) {
      const dsm_pass_plan *const before = &none->layers[i].passes[DSM_PASS_UPDATE];
      const dsm_pass_plan *const after = &adding->layers[i].passes[DSM_PASS_UPDATE];
      const double weights =
          (double)workload->layers[i].weight_elements / (double)after->share.weight_ways;
      const double added = n == 1 ? 0 : (double)n * 6 * weights / memory;
      ck_assert_double_eq_tol(after->group_cycles[DSM_GROUP_WEIGHT_UPDATE] -
                                  before->group_cycles[DSM_GROUP_WEIGHT_UPDATE],
                              added, 1e-9 * (added + 1));
      ck_assert_double_eq_tol(after->accumulation_cycles, added, 1e-9 * (added + 1));
      ck_assert_uint_eq(after->invocation_count, 1);
    }
    dsm_plan_free(adding);
    dsm_plan_free(none);
  }
  dsm_plan_free(whole);
}
END_TEST

/* The update of a layer of the network with f spatial minibatches in each of 4 micro-batches. */
static dsm__parts updates_of(const dsm_machine *machine, size_t layer, uint64_t f) {
  const dsm__layer_setting setting = {.layer = &workload->layers[layer],
                                      .machine = machine,
                                      .precision = dsm_precision_of(workload, chips),
                                      .mode = DSM_MODE_TRAINING,
                                      .minibatch = 16,
                                      .micro_batches = 4,
                                      .dysm_factor = f,
                                      .is_hoisted = workload->layers[layer].hoisted != NULL};
  return dsm__pass_parts(&setting, DSM_PASS_UPDATE, DSM_PARALLELISM_DATA, false);
}

/* By hand: of 2 spatial minibatches in each of 4 micro-batches 7 of 8 updates add to what is in
 * memory; where micro-batches add up by an operation of their own, the second of each; none where
 * gradients add up on chip. */
START_TEST(test_gradients_are_added_once) {
  static const struct {
    double bytes;
    bool in_memory;
    uint64_t writing[2]; /* of 1 and of 2 spatial minibatches */
  } cases[] = {{0, true, {1, 1}}, {6, true, {4, 4}}, {0, false, {4, 8}}, {6, false, {4, 8}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chips->model.accumulate_memory_bytes = cases[i].bytes;
    chips->model.dysm_accumulate_in_memory = cases[i].in_memory;
    const dsm_machine machine = dsm_machine_derive(chips);
    for (uint64_t f = 1; f <= 2; f++) {
      const uint64_t writing = cases[i].writing[f - 1];
      const dsm__parts parts = updates_of(&machine, 0, f);
      ck_assert_uint_eq(parts.items[0].count, writing);
      ck_assert_uint_eq(parts.count, writing == 4 * f ? 1 : 2);
      ck_assert(parts.count == 1 || parts.items[1].count == 4 * f - writing);
    }
  }
}
END_TEST

/* What an lstm's hoisted products add up is one invocation in each micro-batch, which adds to
 * memory unless an operation of its own does. */
START_TEST(test_hoisted_gradients_are_added_once) {
  tear_down();
  workload = bundled_workload("gnmt", "64");
  chips = bundled_system_with("torus64", NULL, 0);
  size_t lstm = 0;
  while (workload->layers[lstm].hoisted == NULL) {
    lstm++;
  }
  for (int bytes = 0; bytes <= 6; bytes += 6) {
    chips->model.accumulate_memory_bytes = bytes;
    const dsm_machine machine = dsm_machine_derive(chips);
    const dsm__parts parts = updates_of(&machine, lstm, 1);
    ck_assert_uint_eq(parts.count, 2);
    for (unsigned k = 0; k < parts.count; k++) {
      ck_assert_uint_eq(parts.items[k].count, 4);
      ck_assert(parts.items[k].residency.is_accumulating == (bytes == 0));
    }
  }
}
END_TEST

/* Of a micro-batch are what is kept for the update and the errors; weights, gradients and state are
 * what they were. */
START_TEST(test_memory_has_one_micro_batch) {
  dsm_plan *const whole = explored_with(HYBRID, DSM_OK);
  dsm_plan *const cut = cut_into(whole, 4);
  const dsm_plan_memory *const before = &whole->result.memory;
  const dsm_plan_memory *const after = &cut->result.memory;
  ck_assert_double_eq_tol(after->activations_bytes, before->activations_bytes / 4, 1);
  ck_assert_double_eq_tol(after->errors_bytes, before->errors_bytes / 4, 1);
  ck_assert_double_eq(after->weights_bytes, before->weights_bytes);
  ck_assert_double_eq(after->gradients_bytes, before->gradients_bytes);
  dsm_plan_free(cut);
  dsm_plan_free(whole);
}
END_TEST

/* Sums of gradients of alexnet hide on eight GPUs. */
static dsm_explore_options of_hidden_sums(void) {
  const dsm_override overrides[] = {{"model.overlapped_reduction", "true", NULL}};
  dsm_explore_options options;
  tear_down();
  workload = bundled_workload("alexnet", "384");
  chips = bundled_system_with("dgx_a100", overrides, 1);
  dsm_explore_options_init(&options);
  return options;
}

/* Where sums of gradients hide, the search asks again with those that show; that nothing is faster
 * than what it has does not mean that there is nothing. */
START_TEST(test_sums_hide_behind_micro_batches) {
  dsm_explore_options options = of_hidden_sums();
  options.optimizations = HYBRID | ACCUMULATE;
  options.micro_batches = 2;
  dsm_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(4);
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, diags), DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(diags), 0);
  ck_assert_uint_eq(plan->micro_batches, 2);
  ck_assert_double_le(plan->result.lower_bound_cycles, plan->result.step_cycles);
  dsm_diags_free(diags);
  dsm_plan_free(plan);
}
END_TEST

/* No gradient is complete before the last micro-batch: sums that are longer than what it computes
 * hide no more than that. */
START_TEST(test_sums_hide_behind_the_last_micro_batch) {
  enum { TIMES = 4 };
  dsm_explore_options options = of_hidden_sums();
  options.optimizations = ACCUMULATE;
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.micro_batches = TIMES;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  double repeated = 0;
  double once = 0;
  double hidden = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const update = &plan->layers[i].passes[DSM_PASS_UPDATE];
    const dsm_pass_plan *const backward = &plan->layers[i].passes[DSM_PASS_BACKWARD];
    repeated += backward->exists ? backward->cycles.total : 0;
    if (update->exists) {
      const double *const groups = update->group_cycles;
      const double own = groups[DSM_GROUP_WEIGHT_UPDATE] - update->accumulation_cycles;
      repeated += update->cycles.total - groups[DSM_GROUP_SUM_OF_GRADIENTS] -
                  groups[DSM_GROUP_BROADCAST_WEIGHTS] - own;
      once += own;
      hidden += update->hidden_cycles;
    }
  }
  ck_assert_double_gt(hidden, 0);
  ck_assert_double_le(hidden, repeated / TIMES + once);
  dsm_plan_free(plan);
}
END_TEST

/* What does not fit at once fits in parts, and the plan is read back as it was. */
START_TEST(test_cut_fits_where_the_whole_does_not) {
  tear_down();
  set_up_with("0.07");
  dsm_plan *const none = explored_with(HYBRID, DSM_ERROR_INFEASIBLE);
  ck_assert_ptr_null(none);
  dsm_plan *const cut = explored_with(HYBRID | ACCUMULATE, DSM_OK);
  ck_assert_uint_gt(cut->micro_batches, 1);
  ck_assert_uint_eq(workload->minibatch % cut->micro_batches, 0);
  ck_assert_double_le(cut->result.memory.total_bytes, 0.07e9 * (1 + 1e-9));
  char *const text = dsm_plan_print(cut);
  dsm_plan *again = NULL;
  double recorded = 0;
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, &recorded, NULL), DSM_OK);
  ck_assert_uint_eq(again->micro_batches, cut->micro_batches);
  ck_assert_double_eq(again->result.step_cycles, cut->result.step_cycles);
  ck_assert_int_eq(dsm_plan_validate(again, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_bound(again, NULL), DSM_OK);
  ck_assert_double_eq_tol(again->result.lower_bound_cycles, cut->result.lower_bound_cycles,
                          1e-9 * cut->result.lower_bound_cycles);
  dsm_plan_free(again);
  free(text);
  dsm_plan_free(cut);
}
END_TEST

/* "micro_batches": 3 of 64 samples, and without the optimization. */
START_TEST(test_wrong_cuts_are_told) {
  static const struct {
    dsm_optimization_set optimizations;
    const char *number;
    const char *message;
  } cases[] = {
      {HYBRID | ACCUMULATE, "3", "expected a divisor of the minibatch, 64, found 3"},
      {HYBRID, "2", "expected 1 without the optimization accumulate, found 2"},
      {HYBRID | ACCUMULATE, "32",
       "expected chips that share the 2 samples of a micro-batch evenly, found 4 of them under "
       "\"data\""},
  };
  dsm_plan *const plan = explored_with(cases[_i].optimizations, DSM_OK);
  char after[64];
  (void)snprintf(after, sizeof after, "\"micro_batches\": %s, \"minibatch\"", cases[_i].number);
  expect_edited_refused(plan, "\"minibatch\"", after, cases[_i].message);
  dsm_plan_free(plan);
}
END_TEST

Suite *suite_micro_batches(void) {
  Suite *const suite = suite_create("micro_batches");
  TCase *const tests = tcase_create("cut");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, test_nothing_is_cut_where_all_fits);
  tcase_add_loop_test(tests, test_step_is_as_many_small_ones, 1, 4);
  tcase_add_test(tests, test_gradients_are_added_in_memory);
  tcase_add_test(tests, test_gradients_are_added_once);
  tcase_add_test(tests, test_hoisted_gradients_are_added_once);
  tcase_add_test(tests, test_memory_has_one_micro_batch);
  tcase_add_test(tests, test_sums_hide_behind_micro_batches);
  tcase_add_test(tests, test_sums_hide_behind_the_last_micro_batch);
  tcase_add_test(tests, test_cut_fits_where_the_whole_does_not);
  tcase_add_loop_test(tests, test_wrong_cuts_are_told, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
