/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments that are made anew and go on with the next one of a block: chains without shortcuts, in
 * which each layer is a segment by itself. Each mapping of a small one is scored as a plan, and the
 * fastest of those that fit is compared with what the search finds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "edited.h"
#include "given.h"
#include "how_many.h"
#include "plan/plan_internal.h"
#include "suites.h"

/* Of the two layers of a block the first may hand its output on without keeping it. */
static const char chain[] = "{'name': 'stem', 'type': 'fc', 'in': 64, 'out': 96},"
                            "{'block': 'b', 'repeat': 2, 'layers': ["
                            "{'name': 'p', 'type': 'fc', 'in': 96, 'out': 384},"
                            "{'name': 'q', 'type': 'fc', 'in': 384, 'out': 96}]},"
                            "{'name': 'head', 'type': 'fc', 'in': 96, 'out': 32}";
enum { LAYERS = 6, SAMPLES = 4 /* of 16, on each of 2 x 2 chips */ };
static const bool is_inner[LAYERS] = {false, true, false, true, false, false};
static const double outputs[LAYERS] = {96, 384, 96, 384, 96, 32};

#define RECOMPUTE DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE)

static dsm_workload *workload;

static dsm_system *chips_of(double capacity_bytes) {
  char capacity[64];
  (void)snprintf(capacity, sizeof capacity, "%.17g", capacity_bytes / 1e9);
  const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                    {"system.chips_y", "2", NULL},
                                    {"chip.cores", "1", NULL},
                                    {"chip.memory.capacity_GB", capacity, NULL}};
  return bundled_system_with("torus64", overrides, 4);
}

static void set_up(void) {
  workload = given_network("16", chain);
}

static void tear_down(void) {
  dsm_workload_free(workload);
}

static dsm_explore_options options_of(dsm_recomputation asked) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = RECOMPUTE;
  options.recomputation = asked;
  return options;
}

/* The mapping with a number below mapping_count(): of each layer whether it is data or model, and
 * what is made anew. */
static size_t choices_of(size_t index) {
  return is_inner[index] ? 6 : 4;
}

static size_t mapping_count(void) {
  size_t count = 1;
  for (size_t i = 0; i < LAYERS; i++) {
    count *= choices_of(i);
  }
  return count;
}

static dsm_plan *plan_of(const dsm_system *chips, size_t mapping) {
  const dsm_loops one = {{1, 1, 1, 1, 1}};
  dsm__layer_decision layers[LAYERS];
  for (size_t i = 0; i < LAYERS; mapping /= choices_of(i), i++) {
    const size_t choice = mapping % choices_of(i);
    layers[i] = dsm__layer_decision_none();
    layers[i].layouts =
        dsm_pass_layouts_uniform(choice % 2 == 0 ? DSM_PARALLELISM_DATA : DSM_PARALLELISM_MODEL);
    layers[i].layer.is_recomputed = choice / 2 > 0;
    layers[i].layer.is_output_recomputed = choice / 2 > 1;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      for (int k = 0; k < DSM_INVOCATION_KINDS_MAX; k++) {
        layers[i].splits[p][k] = one;
      }
    }
  }
  const dsm__decisions decisions = {.layers = layers};
  const dsm_explore_options options = options_of(DSM_RECOMPUTATION_BEST);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm__plan_make(&plan, workload, chips, &options, &decisions, NULL), DSM_OK);
  return plan;
}

static void assert_read_back(const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_double_eq(again->result.step_cycles, plan->result.step_cycles);
  ck_assert_double_eq(again->result.memory.total_bytes, plan->result.memory.total_bytes);
  dsm_plan_free(again);
  free(text);
}

/* Full: the layers of blocks run again and keep what begins the next block alone. Of the first of
 * a block 384 elements of each sample are made anew while it runs backward. */
START_TEST(test_full_of_a_chain_by_hand) {
  dsm_system *const chips = chips_of(8e9);
  dsm_explore_options options = options_of(DSM_RECOMPUTATION_FULL);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  dsm_plan *full = NULL;
  dsm_plan *none = NULL;
  ck_assert_int_eq(dsm_explore(&full, workload, chips, &options, NULL), DSM_OK);
  options.recomputation = DSM_RECOMPUTATION_NONE;
  ck_assert_int_eq(dsm_explore(&none, workload, chips, &options, NULL), DSM_OK);
  double forward = 0;
  for (size_t i = 0; i < LAYERS; i++) {
    const bool is_in_block = i > 0 && i + 1 < LAYERS;
    const dsm_layer_decisions *const decisions = &full->layers[i].decisions;
    ck_assert_int_eq(decisions->is_recomputed, is_in_block);
    ck_assert_int_eq(decisions->is_output_recomputed, is_inner[i]);
    ck_assert_double_eq(full->layers[i].memory.activations_bytes,
                        is_inner[i] ? 0 : outputs[i] * SAMPLES * 2);
    forward += is_in_block ? none->layers[i].passes[DSM_PASS_FORWARD].invocations[0].cost.total : 0;
  }
  ck_assert_double_eq(full->result.memory.recomputed_bytes, 384 * SAMPLES * 2);
  ck_assert_double_eq(none->result.memory.total_bytes - full->result.memory.total_bytes,
                      384 * SAMPLES * 2); /* of two such, one is made anew at a time */
  ck_assert_double_eq_tol(full->result.step_cycles, none->result.step_cycles + forward,
                          1e-9 * forward);
  assert_read_back(full);
  dsm_plan_free(none);
  dsm_plan_free(full);
  dsm_system_free(chips);
}
END_TEST

/* From the least need to the largest: with recompute the search finds what is fastest, and no less
 * than what is asked for, or than without. */
START_TEST(test_search_finds_the_fastest_that_fits) {
  enum { CAPACITIES = HOW_MANY(40, 16, 4) };
  const size_t count = mapping_count();
  double *const cycles = malloc(count * sizeof *cycles);
  double *const bytes = malloc(count * sizeof *bytes);
  dsm_system *const chips = chips_of(8e9);
  double least = HUGE_VAL;
  double most = 0;
  size_t gone_on = 0;
  ck_assert(cycles != NULL && bytes != NULL);
  for (size_t m = 0; m < count; m++) {
    dsm_plan *const plan = plan_of(chips, m);
    cycles[m] = plan->result.step_cycles;
    bytes[m] = plan->result.memory.total_bytes;
    least = fmin(least, bytes[m]);
    most = fmax(most, bytes[m]);
    dsm_plan_free(plan);
  }
  for (int c = 0; c <= CAPACITIES; c++) {
    const double capacity = least + (most - least) * pow((double)c / CAPACITIES, 2);
    dsm_system *const limited = chips_of(capacity);
    double best = HUGE_VAL;
    for (size_t m = 0; m < count; m++) {
      best = bytes[m] <= capacity ? fmin(best, cycles[m]) : best;
    }
    for (int r = 0; r < DSM_RECOMPUTATION_COUNT; r++) {
      const dsm_explore_options options = options_of((dsm_recomputation)r);
      dsm_plan *plan = NULL;
      const dsm_status status =
          r == DSM_RECOMPUTATION_SELECTIVE /* which this network has nothing for */
              ? DSM_ERROR_INFEASIBLE
              : dsm_explore(&plan, workload, limited, &options, NULL);
      ck_assert(status == DSM_OK || r != DSM_RECOMPUTATION_BEST);
      if (status == DSM_OK) {
        ck_assert_double_ge(plan->result.step_cycles, best * (1 - 1e-9));
        ck_assert_double_le(plan->result.lower_bound_cycles, plan->result.step_cycles * (1 + 1e-9));
        assert_read_back(plan);
      }
      if (status == DSM_OK && r == DSM_RECOMPUTATION_BEST) {
        ck_assert_double_le(plan->result.step_cycles, best * (1 + 1e-9));
        ck_assert_double_le(plan->result.memory.total_bytes, capacity * (1 + 1e-9));
        gone_on += plan->layers[1].decisions.is_output_recomputed ? 1 : 0;
      }
      dsm_plan_free(plan);
    }
    dsm_system_free(limited);
  }
  ck_assert_uint_gt(gone_on, 0);
  dsm_system_free(chips);
  free(bytes);
  free(cycles);
}
END_TEST

/* A stage that begins inside a block is given what the one before does not keep. */
START_TEST(test_stages_may_begin_inside_a_block) {
  dsm_system *const chips = chips_of(8e9);
  dsm_explore_options options = options_of(DSM_RECOMPUTATION_FULL);
  dsm_plan *plan = NULL;
  options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES) |
                           DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE);
  options.stages = 2;
  options.micro_batches = 2;
  options.interleave = 1;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  assert_read_back(plan);
  dsm__arena *const arena = dsm__arena_new();
  dsm__decisions decisions;
  ck_assert(dsm__decisions_of_plan(plan, arena, &decisions));
  for (size_t first = 1; first < LAYERS; first++) {
    const size_t firsts[] = {0, first};
    dsm_plan *moved = NULL;
    const char *const names[] = {workload->layers[0].name, workload->layers[first].name};
    decisions.stages.first_layers = firsts;
    decisions.stages.first_layer_names = names;
    ck_assert_int_eq(dsm__plan_make(&moved, workload, chips, &plan->options, &decisions, NULL),
                     DSM_OK);
    for (size_t i = 0; i < LAYERS; i++) {
      ck_assert(i == first || !is_inner[i] || moved->layers[i].memory.activations_bytes == 0);
    }
    ck_assert_double_le(moved->result.memory.recomputed_bytes, 384 * SAMPLES * 2);
    assert_read_back(moved);
    dsm_plan_free(moved);
  }
  dsm__arena_free(arena);
  dsm_plan_free(plan);
  dsm_system_free(chips);
}
END_TEST

START_TEST(test_wrong_decisions_are_told) {
  static const char *const cases[][2] = {
      {"\"recompute_output\": true",
       "expected false in a layer whose forward pass does not run again, found true"},
      {"\"recompute\": true, \"recompute_output\": true",
       "expected false but where a segment ends inside a repetition of a block, found true"}};
  dsm_system *const chips = chips_of(8e9);
  const dsm_explore_options options = options_of(DSM_RECOMPUTATION_BEST);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  expect_edited_refused(plan, "\"output_on_chip\": false", cases[_i][0], cases[_i][1]);
  dsm_plan_free(plan);
  dsm_system_free(chips);
}
END_TEST

Suite *suite_going_on(void) {
  Suite *const suite = suite_create("going on");
  TCase *const chains = tcase_create("chains");
  tcase_add_checked_fixture(chains, set_up, tear_down);
  tcase_set_timeout(chains, 120);
  tcase_add_test(chains, test_full_of_a_chain_by_hand);
  tcase_add_test(chains, test_search_finds_the_fastest_that_fits);
  tcase_add_test(chains, test_stages_may_begin_inside_a_block);
  tcase_add_loop_test(chains, test_wrong_decisions_are_told, 0, 2);
  suite_add_tcase(suite, chains);
  return suite;
}
