/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which layers run their forward pass again, where that is asked for. What the search finds is
 * compared with all mappings in test_keeping.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "plan/recomputation.h"
#include "suites.h"

#define BIT DSM_OPTIMIZATION_BIT
#define RECOMPUTE BIT(DSM_OPTIMIZATION_RECOMPUTE)
#define STEP (BIT(DSM_OPTIMIZATION_STAGES) | BIT(DSM_OPTIMIZATION_ACCUMULATE))

/* An attention and a pair of fully connected layers with their residuals, of two blocks, behind a
 * stem; the head is alone. */
static const char blocks[] =
    "{'name': 'stem', 'type': 'fc', 'in': 32, 'out': 64, 'positions': 16},"
    "{'block': 'b', 'repeat': 2, 'layers': ["
    "{'name': 'qkv', 'type': 'fc', 'in': 64, 'out': 192},"
    "{'name': 'attention', 'type': 'attention', 'heads': 4, 'head_features': 16},"
    "{'name': 'project', 'type': 'fc', 'in': 64, 'out': 64, "
    "'aux': [{'op': 'residual', 'from': '@before'}]},"
    "{'name': 'ff1', 'type': 'fc', 'in': 64, 'out': 256},"
    "{'name': 'ff2', 'type': 'fc', 'in': 256, 'out': 64, "
    "'aux': [{'op': 'residual', 'from': 'project'}]}]},"
    "{'name': 'head', 'type': 'fc', 'in': 64, 'out': 32}";

static dsm_workload *workload;
static dsm_system *chips;

static void set_up(void) {
  static const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                           {"system.chips_y", "2", NULL}};
  workload = given_network("16", blocks);
  chips = bundled_system_with("torus64", overrides, 2);
}

static void tear_down(void) {
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

static dsm_explore_options options_of(dsm_optimization_set optimizations, dsm_recomputation asked) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = optimizations;
  options.recomputation = asked;
  return options;
}

static dsm_plan *explored(const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, options, NULL), DSM_OK);
  return plan;
}

static bool is_in(const dsm_layer *layer, const char *part) {
  return strstr(layer->name, part) != NULL;
}

/* By the names of layers: what is in a block, and what is in its attention. */
static bool is_wanted(const dsm_layer *layer, dsm_recomputation asked) {
  return asked == DSM_RECOMPUTATION_FULL        ? is_in(layer, "b.")
         : asked == DSM_RECOMPUTATION_SELECTIVE ? is_in(layer, ".score")
                                                : false;
}

static void assert_as_asked(const dsm_plan *plan, dsm_recomputation asked) {
  size_t count = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const bool is_again = plan->layers[i].decisions.is_recomputed;
    ck_assert_msg(is_again == is_wanted(&plan->workload->layers[i], asked), "%s",
                  plan->workload->layers[i].name);
    count += is_again ? 1 : 0;
  }
  ck_assert_uint_eq(count, asked == DSM_RECOMPUTATION_FULL        ? 2 * 6
                           : asked == DSM_RECOMPUTATION_SELECTIVE ? 2
                                                                  : 0);
}

/* Beside the other optimizations, with stages, runs of them and micro-batches too. */
START_TEST(test_layers_run_again_as_asked) {
  static const dsm_optimization_set sets[] = {
      RECOMPUTE, RECOMPUTE | STEP,
      RECOMPUTE | BIT(DSM_OPTIMIZATION_HYBRID) | BIT(DSM_OPTIMIZATION_REUSE) |
          BIT(DSM_OPTIMIZATION_DYSM) | BIT(DSM_OPTIMIZATION_PER_PASS) |
          BIT(DSM_OPTIMIZATION_TENSOR) | BIT(DSM_OPTIMIZATION_SHARD)};
  const dsm_recomputation asked = (dsm_recomputation)_i;
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    dsm_explore_options options = options_of(sets[s], asked);
    options.stages = (sets[s] & STEP) != 0 ? 2 : 0;
    options.micro_batches = (sets[s] & STEP) != 0 ? 4 : 0;
    dsm_plan *const plan = explored(&options);
    assert_as_asked(plan, asked);
    ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
    ck_assert_double_le(plan->result.lower_bound_cycles, plan->result.step_cycles * (1 + 1e-9));
    dsm_plan_free(plan);
  }
}
END_TEST

/* What is asked for is one mapping of all, and not faster than the best; with less kept a chip
 * needs no more. */
START_TEST(test_more_again_is_no_faster_and_needs_no_more) {
  const dsm_optimization_set set = RECOMPUTE | BIT(DSM_OPTIMIZATION_HYBRID);
  double cycles[DSM_RECOMPUTATION_COUNT];
  double bytes[DSM_RECOMPUTATION_COUNT];
  for (int r = 0; r <= DSM_RECOMPUTATION_FULL; r++) {
    dsm_explore_options options = options_of(set, (dsm_recomputation)r);
    options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
    dsm_plan *const plan = explored(&options);
    cycles[r] = plan->result.step_cycles;
    bytes[r] = plan->result.memory.total_bytes;
    dsm_plan_free(plan);
  }
  ck_assert_double_eq(cycles[DSM_RECOMPUTATION_BEST], cycles[DSM_RECOMPUTATION_NONE]);
  for (int r = DSM_RECOMPUTATION_SELECTIVE; r <= DSM_RECOMPUTATION_FULL; r++) {
    ck_assert_double_gt(cycles[r], cycles[r - 1]);
    ck_assert_double_lt(bytes[r], bytes[r - 1]);
  }
}
END_TEST

/* A plan says what was asked for, and is read so; edited, it is bounded by all mappings. */
START_TEST(test_plans_say_what_was_asked) {
  const dsm_explore_options options = options_of(RECOMPUTE, DSM_RECOMPUTATION_SELECTIVE);
  dsm_plan *const plan = explored(&options);
  char *const text = dsm_plan_print(plan);
  dsm_plan *again = NULL;
  ck_assert_ptr_nonnull(strstr(text, "\"recomputation\": \"selective\""));
  ck_assert_int_eq(dsm_plan_parse(&again, text, strlen(text), NULL, NULL, NULL), DSM_OK);
  ck_assert_int_eq(again->options.recomputation, DSM_RECOMPUTATION_SELECTIVE);
  ck_assert_int_eq(dsm__recomputation_of(again, again->options.recomputation),
                   DSM_RECOMPUTATION_SELECTIVE);
  ck_assert_int_eq(dsm_plan_bound(again, NULL), DSM_OK);
  ck_assert_double_eq(again->result.lower_bound_cycles, plan->result.lower_bound_cycles);
  again->layers[0].decisions.is_recomputed = true;
  ck_assert_int_eq(dsm__recomputation_of(again, again->options.recomputation),
                   DSM_RECOMPUTATION_BEST);
  const dsm_explore_options best = options_of(RECOMPUTE, DSM_RECOMPUTATION_BEST);
  dsm_plan *const fastest = explored(&best);
  ck_assert_int_eq(dsm_plan_bound(again, NULL), DSM_OK);
  ck_assert_double_eq(again->result.lower_bound_cycles, fastest->result.lower_bound_cycles);
  dsm_plan_free(fastest);
  dsm_plan_free(again);
  free(text);
  dsm_plan_free(plan);
}
END_TEST

/* Layers with timesteps cannot run again, and of a chain none lies between two cuts. */
START_TEST(test_why_none_runs_again_is_told) {
  static const struct {
    const char *layers;
    const char *full;
  } chains[] = {{"{'name': 'a', 'type': 'fc', 'in': 64, 'out': 64},"
                 "{'name': 'b', 'type': 'fc', 'in': 64, 'out': 64}",
                 "no segment of the network has several layers, of which one can run again"},
                {"{'name': 'a', 'type': 'fc', 'in': 64, 'out': 64},"
                 "{'name': 'b', 'type': 'fc', 'in': 64, 'out': 64},"
                 "{'name': 'c', 'type': 'fc', 'in': 64, 'out': 64, "
                 "'aux': [{'op': 'residual', 'from': 'a'}]}",
                 NULL}};
  for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
    dsm_workload *const chain = given_network("16", chains[c].layers);
    ck_assert_pstr_eq(dsm_recomputation_why_not(chain, DSM_RECOMPUTATION_FULL), chains[c].full);
    ck_assert_str_eq(dsm_recomputation_why_not(chain, DSM_RECOMPUTATION_SELECTIVE),
                     "the network has no attention that can run again");
    ck_assert_ptr_null(dsm_recomputation_why_not(chain, DSM_RECOMPUTATION_NONE));
    ck_assert_ptr_null(dsm_recomputation_why_not(chain, DSM_RECOMPUTATION_BEST));
    dsm_workload_free(chain);
  }
}
END_TEST

START_TEST(test_what_is_asked_needs_the_optimization) {
  const dsm_explore_options options = options_of(0, (dsm_recomputation)_i);
  dsm_diags *const diags = dsm_diags_new(4);
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, workload, chips, &options, diags);
  if (_i <= DSM_RECOMPUTATION_NONE) {
    ck_assert_int_eq(status, DSM_OK);
  } else {
    char expected[128];
    (void)snprintf(expected, sizeof expected,
                   "expected no recomputation without the optimization recompute, found \"%s\"",
                   dsm_recomputation_name((dsm_recomputation)_i));
    ck_assert_int_eq(status, DSM_ERROR_USAGE);
    ck_assert_str_eq(dsm_diags_get(diags, 0)->message, expected);
  }
  dsm_plan_free(plan);
  dsm_diags_free(diags);
}
END_TEST

Suite *suite_recomputation(void) {
  Suite *const suite = suite_create("recomputation");
  TCase *const asked = tcase_create("asked");
  tcase_add_checked_fixture(asked, set_up, tear_down);
  tcase_set_timeout(asked, 120);
  tcase_add_loop_test(asked, test_layers_run_again_as_asked, 1, DSM_RECOMPUTATION_FULL + 1);
  tcase_add_test(asked, test_more_again_is_no_faster_and_needs_no_more);
  tcase_add_test(asked, test_plans_say_what_was_asked);
  tcase_add_test(asked, test_why_none_runs_again_is_told);
  tcase_add_loop_test(asked, test_what_is_asked_needs_the_optimization, 0, DSM_RECOMPUTATION_COUNT);
  suite_add_tcase(suite, asked);
  return suite;
}
