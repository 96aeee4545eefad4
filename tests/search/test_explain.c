/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "given.h"
#include "how_many.h"
#include "random_numbers.h"
#include "suites.h"
#include "what_ifs.h"

START_TEST(test_each_pass_has_one_chosen_alternative_and_it_comes_first) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  bundled explored = bundled_explore("vgg16", "torus64", "512", &options);
  dsm_explanation *explanation = NULL;
  const size_t fc1 = dsm_workload_find_layer(explored.workload, "fc1");
  ck_assert_int_eq(dsm_explain(&explanation, explored.plan, fc1, 3, NULL), DSM_OK);
  unsigned chosen[DSM_PASS_COUNT] = {0};
  unsigned parallelisms[DSM_PASS_COUNT] = {0};
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const a = &explanation->alternatives[i];
    const bool is_first = i == 0 || explanation->alternatives[i - 1].pass != a->pass;
    ck_assert(a->is_chosen == is_first);
    chosen[a->pass] += a->is_chosen ? 1 : 0;
    parallelisms[a->pass] += a->is_best_of_parallelism ? 1 : 0;
    /* The chosen parallelism costs the network what the plan costs; no other costs it less. */
    if (a->is_best_of_parallelism) {
      ck_assert_double_ge(a->network_cycles * (1 + 1e-9), explored.plan->result.step_cycles);
    }
    if (a->is_chosen) {
      ck_assert_double_le(a->network_cycles, explored.plan->result.step_cycles * (1 + 1e-9));
    }
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    ck_assert_uint_eq(chosen[p], 1);
    ck_assert_uint_eq(parallelisms[p], DSM_PARALLELISM_COUNT_OF(2));
  }
  ck_assert_uint_eq(explanation->alternative_count,
                    (size_t)DSM_PASS_COUNT * (DSM_PARALLELISM_COUNT_OF(2) + 3));
  dsm_explanation_free(explanation);
  bundled_free(&explored);
}
END_TEST

/* A layer that adds its partial gradients up on chip has one kind of invocation in update. */
START_TEST(test_the_chosen_way_is_known_where_gradients_add_up_on_chip) {
  static const dsm_override on_chip = {"model.dysm_accumulate_in_memory", "false", NULL};
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  dsm_workload *const workload = bundled_workload("vgg16", "512");
  dsm_system *const system = bundled_system_with("torus64", &on_chip, 1);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  ck_assert_uint_gt(plan->layers[0].decisions.dysm_factor, 1);
  expect_all_consistent(plan, false, "vgg16");
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* gnmt's layers: pipelined ones, those with timesteps outside groups, the attention. */
START_TEST(test_recurrent_layers_are_explained) {
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  bundled explored = bundled_explore("gnmt", "torus64", "256", &options);
  expect_all_consistent(explored.plan, false, "gnmt");
  const size_t dec3 = dsm_workload_find_layer(explored.workload, "dec3");
  ck_assert_uint_ne(explored.plan->layers[dec3].pipeline, DSM_NO_PIPELINE);
  dsm_explanation *const pipelined = explained(explored.plan, dec3);
  ck_assert(what_if_of(pipelined, DSM_DECISION_PIPELINED, 1)->is_chosen);
  ck_assert_double_gt(what_if_of(pipelined, DSM_DECISION_PIPELINED, 0)->network_cycles,
                      explored.plan->result.step_cycles);
  ck_assert_str_eq(what_if_of(pipelined, DSM_DECISION_OUTPUT_HELD, 1)->why_not,
                   "the layer has timesteps");
  /* An alternative of a stage runs on its rows, as the layer's own way does. */
  for (size_t i = 0; i < pipelined->alternative_count; i++) {
    const dsm_alternative *const one = &pipelined->alternatives[i];
    const dsm_pass_plan *const pass = &explored.plan->layers[dec3].passes[one->pass];
    ck_assert(!one->is_chosen || one->parallelism == pass->share.parallelism);
    ck_assert(!one->is_chosen ||
              memcmp(&one->split, &pass->invocations[0].split, sizeof one->split) == 0);
  }
  dsm_explanation_free(pipelined);
  bundled_free(&explored);
}
END_TEST

static const char reasons[] =
    "{'name': 'big', 'type': 'conv', 'in': 4, 'out': 64, 'feature': [64, 64]},"
    "{'name': 'a', 'type': 'fc', 'in': 262144, 'out': 8},"
    "{'name': 't', 'type': 'fc', 'in': 8, 'out': 8, 'timesteps': 2},"
    "{'name': 'l', 'type': 'lstm', 'in': 8, 'out': 8},"
    "{'name': 'm', 'type': 'matmul', 'in': 8, 'out': 8, 'operand': 'l', 'operand_elements': 64},"
    "{'name': 'last', 'type': 'fc', 'in': 8, 'out': 8}";

static const struct {
  const char *layer;
  dsm_decision decision;
  uint64_t value;
  const char *why_not;
} told[] = {
    {"big", DSM_DECISION_OUTPUT_HELD, 1, "it does not fit on chip beside what runs meanwhile"},
    {"a", DSM_DECISION_OUTPUT_HELD, 1, "a layer with timesteps runs before its last use"},
    {"t", DSM_DECISION_OUTPUT_HELD, 1, "the layer has timesteps"},
    {"l", DSM_DECISION_OUTPUT_HELD, 1,
     "no parallelism is allowed to all layers up to its last use"},
    {"last", DSM_DECISION_OUTPUT_HELD, 1, "no layer uses it"},
    {"l", DSM_DECISION_PIPELINED, 1,
     "no neighbour can be in a group with it, or there are too few rows of chips"},
    {"big", DSM_DECISION_OUTPUT_HELD, 0, NULL},
    {"l", DSM_DECISION_PIPELINED, 0, NULL},
    {"a", DSM_DECISION_DYSM_FACTOR, 2, NULL},
};

/* A matmul uses data only, the others here model only. */
START_TEST(test_what_cannot_be_says_why) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_MODEL);
  dsm_workload *const workload = given_network("8", reasons);
  dsm_system *const system = given_system(NULL, 0);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  dsm_explanation *const explanation =
      explained(plan, dsm_workload_find_layer(workload, told[_i].layer));
  const dsm_what_if *const one = what_if_of(explanation, told[_i].decision, told[_i].value);
  if (told[_i].why_not == NULL) {
    ck_assert_ptr_null(one->why_not);
  } else {
    ck_assert_pstr_eq(one->why_not, told[_i].why_not);
  }
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* Only layers of one timestep and more than one factor have a choice of factors. */
START_TEST(test_decisions_without_choice_are_not_told) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  bundled explored = bundled_explore("gnmt", "torus64", "256", &options);
  dsm_explanation *const explanation = explained(explored.plan, 3);
  ck_assert_uint_eq(explanation->what_if_count, 0);
  dsm_explanation_free(explanation);
  bundled_free(&explored);
}
END_TEST

/* Reads a plan's text again with the first `from` after a layer's name become `to`. */
static dsm_plan *edited(const dsm_plan *plan, const char *layer, const char *from, const char *to) {
  char quoted[64];
  char *const text = dsm_plan_print(plan);
  const size_t size = strlen(text) + 64;
  char *const changed = malloc(size);
  snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", layer);
  const char *place = strstr(text, quoted); /* the workload's layers come later */
  ck_assert_ptr_nonnull(place);
  place = strstr(place, from);
  ck_assert_ptr_nonnull(place);
  snprintf(changed, size, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
  dsm_plan *read = NULL;
  ck_assert_int_eq(dsm_plan_parse(&read, changed, strlen(changed), "plan", NULL, NULL), DSM_OK);
  free(changed);
  free(text);
  return read;
}

/* conv2_1's output, held by the best plan, is held no more: the splits stay, so that the plan may
 * be slower than the best one that does not hold it. */
START_TEST(test_a_plan_edited_by_hand_is_explained_as_it_is) {
  const dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  bundled explored = bundled_explore("vgg16", "torus64", "512", &options);
  const size_t layer = dsm_workload_find_layer(explored.workload, "conv2_1");
  ck_assert(explored.plan->layers[layer].decisions.is_output_held);
  dsm_plan *const plan =
      edited(explored.plan, "conv2_1", "\"output_on_chip\": true", "\"output_on_chip\": false");
  ck_assert(!plan->layers[layer].decisions.is_output_held);
  dsm_explanation *const explanation = explained(plan, layer);
  const dsm_what_if *const open = what_if_of(explanation, DSM_DECISION_OUTPUT_HELD, 0);
  const dsm_what_if *const held = what_if_of(explanation, DSM_DECISION_OUTPUT_HELD, 1);
  ck_assert(open->is_chosen && !held->is_chosen);
  ck_assert_double_le(open->network_cycles, plan->result.step_cycles * (1 + 1e-9));
  ck_assert_double_eq_tol(held->network_cycles / explored.plan->result.step_cycles, 1, 1e-9);
  ck_assert_uint_eq(held->also_held_count, 1);
  ck_assert_uint_eq(held->also_held[0], layer);
  ck_assert_uint_eq(held->not_held_count, 0);
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  bundled_free(&explored);
}
END_TEST

/* A split that is not the best is still the chosen one, and comes first. */
START_TEST(test_a_split_edited_by_hand_is_the_chosen_one) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations = 0;
  dsm_workload *const workload =
      given_network("16", "{'name': 'a', 'type': 'conv', 'in': 16, 'out': 16, 'feature': [8, 8]},"
                          "{'name': 'b', 'type': 'conv', 'in': 16, 'out': 16, 'feature': [8, 8]}");
  dsm_system *const system = given_system(NULL, 0);
  dsm_plan *best = NULL;
  ck_assert_int_eq(dsm_explore(&best, workload, system, &options, NULL), DSM_OK);
  const dsm_loops split = {{4, 1, 1, 1, 1}}; /* partial sums between all cores */
  const dsm_loops was = best->layers[1].passes[DSM_PASS_FORWARD].invocations[0].split;
  char from[160];
  char to[160];
  static const char form[] =
      "\"core_split\": {\"in\": %u, \"out\": %u, \"ij\": %u, \"kij\": %u, \"mb\": %u}";
  snprintf(from, sizeof from, form, (unsigned)was.n[0], (unsigned)was.n[1], (unsigned)was.n[2],
           (unsigned)was.n[3], (unsigned)was.n[4]);
  snprintf(to, sizeof to, form, (unsigned)split.n[0], (unsigned)split.n[1], (unsigned)split.n[2],
           (unsigned)split.n[3], (unsigned)split.n[4]);
  dsm_plan *const plan = edited(best, "b", from, to);
  ck_assert_double_gt(plan->result.step_cycles, best->result.step_cycles);
  dsm_explanation *const explanation = explained(plan, 1);
  const dsm_alternative *const first = &explanation->alternatives[0];
  ck_assert(first->is_chosen && !first->is_best_of_parallelism);
  ck_assert_int_eq(first->pass, DSM_PASS_FORWARD);
  ck_assert(memcmp(&first->split, &split, sizeof split) == 0);
  ck_assert_double_gt(first->cycles.total, explanation->alternatives[1].cycles.total);
  ck_assert(!explanation->alternatives[1].is_chosen);
  dsm_explanation_free(explanation);
  dsm_plan_free(plan);
  dsm_plan_free(best);
  dsm_system_free(system);
  dsm_workload_free(workload);
}
END_TEST

/* What the step takes with other roles of a layer is of the whole step, in stages and micro-batches
 * as planned: no such step is faster than what is proven of all of them. */
START_TEST(test_no_explained_step_is_below_the_bound) {
  dsm_explore_options options = bundled_options(DSM_MODE_TRAINING);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES);
  options.stages = _i == 2 ? 2 : 1;
  options.micro_batches = _i == 0 ? 1 : 4;
  bundled explored = bundled_explore("bert_base", "dgx_a100", "96", &options);
  ck_assert_int_eq(explored.status, DSM_OK);
  size_t asked = 0;
  for (size_t layer = 1; layer < explored.plan->layer_count; layer += 37) {
    dsm_explanation *explanation = NULL;
    ck_assert_int_eq(dsm_explain(&explanation, explored.plan, layer, 0, NULL), DSM_OK);
    for (size_t i = 0; i < explanation->alternative_count; i++) {
      const double cycles = explanation->alternatives[i].network_cycles;
      asked += cycles > 0;
      ck_assert(!(cycles > 0) || cycles >= explored.plan->result.lower_bound_cycles * (1 - 1e-9));
    }
    dsm_explanation_free(explanation);
  }
  ck_assert_uint_gt(asked, 0);
  bundled_free(&explored);
}
END_TEST

/* Whatever a machine pays beside what decisions change (latency of sums in common, time to issue
 * kernels), the step that others are compared with is the plan's, or, where sums that hide count in
 * full, the plan's with these. */
START_TEST(test_alternatives_of_real_systems_are_compared_with_the_plans_step) {
  static const char *const systems[] = {"dgx_a100",    "dgx_h100",    "dgx1_v100",
                                        "tpu_v3_1024", "tpu_v4_4096", "torus64"};
  enum { DRAWS = HOW_MANY(24, 4, 1) };
  uint64_t state = 17;
  for (int draw = 0; draw < DRAWS; draw++) {
    const char *const network = bundled_networks[random_below(&state, BUNDLED_NETWORKS)];
    const char *const system = systems[random_below(&state, sizeof systems / sizeof systems[0])];
    const dsm_explore_options options =
        bundled_options(random_below(&state, 3) == 0 ? DSM_MODE_INFERENCE : DSM_MODE_TRAINING);
    bundled explored = bundled_explore(network, system, "4096", &options);
    if (explored.status == DSM_OK) {
      dsm_explanation *explanation = NULL;
      const size_t layer = random_below(&state, explored.plan->layer_count);
      ck_assert_int_eq(dsm_explain(&explanation, explored.plan, layer, 0, NULL), DSM_OK);
      double step = explored.plan->result.step_cycles;
      bool is_preloading = false;
      for (size_t i = 0; i < explored.plan->layer_count; i++) {
        step += explanation->has_hidden_sums
                    ? explored.plan->layers[i].passes[DSM_PASS_UPDATE].hidden_cycles
                    : 0;
        is_preloading = is_preloading || explored.plan->layers[i].decisions.weights_on_chip > 0;
      }
      ck_assert_msg(is_preloading || fabs(explanation->reference_cycles - step) <= 1e-9 * step,
                    "%s on %s: %.17g, not %.17g", network, system, explanation->reference_cycles,
                    step);
      if (!is_preloading && !explanation->has_hidden_sums && explored.plan->pipeline_count == 0) {
        expect_all_consistent(explored.plan, true, network);
      }
      dsm_explanation_free(explanation);
    }
    bundled_free(&explored);
  }
}
END_TEST

/* With roles too the plan's own cost what the plan does, and others that are asked no less. */
START_TEST(test_the_step_with_other_roles_is_no_less) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations =
      DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  bundled explored = bundled_explore("bert_large", "dgx_a100", "8", &options);
  dsm_explanation *explanation = NULL;
  const size_t layer = dsm_workload_find_layer(explored.workload, "encoder.0.ff1");
  ck_assert_int_eq(dsm_explain(&explanation, explored.plan, layer, 0, NULL), DSM_OK);
  const double step = explored.plan->result.step_cycles;
  unsigned asked[DSM_PASS_COUNT] = {0};
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const a = &explanation->alternatives[i];
    asked[a->pass] += a->network_cycles > 0 ? 1 : 0;
    ck_assert(!(a->network_cycles > 0) || a->network_cycles * (1 + 1e-9) >= step);
    if (a->is_chosen && dsm_parallelism_has_roles(a->parallelism)) {
      ck_assert_double_eq_tol(a->network_cycles, step, step * 1e-9);
    }
  }
  ck_assert(explanation->is_layer_alone);
  ck_assert_uint_eq(explanation->what_if_count, 0);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    ck_assert_uint_ge(asked[p], 1);
  }
  dsm_explanation_free(explanation);
  bundled_free(&explored);
}
END_TEST

Suite *suite_explain(void) {
  Suite *const suite = suite_create("explain");
  TCase *const tests = tcase_create("alternatives");
  tcase_add_test(tests, test_each_pass_has_one_chosen_alternative_and_it_comes_first);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_the_chosen_way_is_known_where_gradients_add_up_on_chip);
  tcase_add_test(tests, test_recurrent_layers_are_explained);
  tcase_add_test(tests, test_alternatives_of_real_systems_are_compared_with_the_plans_step);
  tcase_add_loop_test(tests, test_no_explained_step_is_below_the_bound, 0, 3);
  tcase_add_loop_test(tests, test_what_cannot_be_says_why, 0, sizeof told / sizeof told[0]);
  tcase_add_test(tests, test_decisions_without_choice_are_not_told);
  tcase_add_test(tests, test_a_plan_edited_by_hand_is_explained_as_it_is);
  tcase_add_test(tests, test_a_split_edited_by_hand_is_the_chosen_one);
  tcase_add_test(tests, test_the_step_with_other_roles_is_no_less);
  suite_add_tcase(suite, tests);
  return suite;
}
