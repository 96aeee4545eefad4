/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layers that keep what their product makes, and make the operations on it anew: what a block of a
 * transformer keeps, by hand; and what the search finds beside all mappings of a small network,
 * each layer of which keeps all, its product or nothing. These are written into the text of a plan.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundled.h"
#include "edited.h"
#include "given.h"
#include "plan/keeping.h"
#include "plan/recomputation.h"
#include "suites.h"

#define RECOMPUTE DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE)

/* ---- a block, as in test_kept_activations.c ---- */

static const double s = 64;
static const double b = 6;
static const double h = 128;
static const double a = 16;

static const char block[] =
    "{'name': 'stem', 'type': 'fc', 'in': 32, 'out': 128, 'positions': 64},"
    "{'name': 'qkv', 'type': 'fc', 'in': 128, 'out': 384, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'bias'}]},"
    "{'name': 'attention', 'type': 'attention', 'heads': 16, 'head_features': 8, 'dropout': true},"
    "{'name': 'project', 'type': 'fc', 'in': 128, 'out': 128, "
    "'aux': [{'op': 'bias'}, {'op': 'dropout'}, {'op': 'residual', 'from': 'stem'}]},"
    "{'name': 'ff1', 'type': 'fc', 'in': 128, 'out': 512, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'bias'}, {'op': 'gelu'}]},"
    "{'name': 'ff2', 'type': 'fc', 'in': 512, 'out': 128, "
    "'aux': [{'op': 'bias'}, {'op': 'dropout'}, {'op': 'residual', 'from': 'project'}]}";

/*
 * Of 34 + 5*a*s/h times s*b*h bytes: not the two normalised inputs (2 + 2), the two masks (1 + 1)
 * and what the gelu made (8), which is made of what it read; of scores neither what the softmax nor
 * what the dropout made, but what their product did, and no mask.
 */
START_TEST(test_a_block_keeps_its_products) {
  enum { FIRST = 1, LAYERS = 6 };
  static const bool is_border[LAYERS] = {false, false, false, true, false, true};
  const dsm_override overrides[] = {{"system.chips_x", "1", NULL},
                                    {"system.chips_y", "1", NULL},
                                    {"model.kept_inputs", "all", NULL}};
  dsm_workload *const workload = given_network("6", block);
  dsm_system *const chip = bundled_system_with("torus64", overrides, 3);
  const dsm_machine machine = dsm_machine_derive(chip);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  double kept = 0;
  double all = 0;
  for (size_t i = 0; i < LAYERS; i++) {
    const dsm_layer *const layer = &workload->layers[FIRST + i];
    const dsm_layer_decisions decisions = {.is_recomputed = dsm__has_operations(layer),
                                           .is_product_kept = dsm__has_operations(layer)};
    dsm_layer_memory memory =
        dsm_layer_memory_derive(layer, &machine, workload, DSM_MODE_TRAINING, &layouts);
    all += memory.activations_bytes;
    dsm__keep_less(&memory, layer, &machine, &layouts, &decisions, is_border[i]);
    kept += memory.activations_bytes;
  }
  ck_assert_double_eq_tol(all / (s * b * h), 34 + 5 * a * s / h, 1e-9);
  ck_assert_double_eq_tol(kept / (s * b * h), 20 + 2 * a * s / h, 1e-9);
  dsm_system_free(chip);
  dsm_workload_free(workload);
}
END_TEST

/* ---- all mappings of a small network ---- */

static const char chain[] =
    "{'name': 'a', 'type': 'fc', 'in': 64, 'out': 64, 'positions': 16, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}]},"
    "{'name': 'b', 'type': 'fc', 'in': 64, 'out': 256, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'bias'}, {'op': 'gelu'}]},"
    "{'name': 'c', 'type': 'fc', 'in': 256, 'out': 64, "
    "'aux': [{'op': 'dropout'}, {'op': 'residual', 'from': 'a'}]},"
    "{'name': 'd', 'type': 'fc', 'in': 64, 'out': 128, "
    "'aux': [{'op': 'bias'}, {'op': 'silu'}]}";
static const char *const names[] = {"a", "b", "c", "d"};
enum { LAYERS = sizeof names / sizeof *names, MAPPINGS = 81 };

static dsm_workload *workload;
static dsm_system *chips;
static dsm_plan *roomy; /* nothing is made anew */

static dsm_explore_options options_of(dsm_recomputation asked) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = RECOMPUTE;
  options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  options.recomputation = asked;
  return options;
}

static void set_up(void) {
  static const dsm_override overrides[] = {{"system.chips_x", "2", NULL},
                                           {"system.chips_y", "2", NULL},
                                           {"model.kept_inputs", "all", NULL}};
  const dsm_explore_options options = options_of(DSM_RECOMPUTATION_BY_OPERATION);
  workload = given_network("16", chain);
  chips = bundled_system_with("torus64", overrides, 3);
  ck_assert_int_eq(dsm_explore(&roomy, workload, chips, &options, NULL), DSM_OK);
}

static void tear_down(void) {
  dsm_plan_free(roomy);
  dsm_workload_free(workload);
  dsm_system_free(chips);
}

/* A text with something behind what first stands there. */
static char *put_behind(char *text, const char *place, const char *more) {
  char *const at = strstr(text, place);
  const size_t size = strlen(text) + strlen(more) + 1;
  char *const made = malloc(size);
  ck_assert(at != NULL && made != NULL);
  const size_t before = (size_t)(at - text) + strlen(place);
  (void)snprintf(made, size, "%.*s%s%s", (int)before, text, more, text + before);
  free(text);
  return made;
}

/* The plan in which each layer keeps what a digit of a number says. */
static dsm_plan *mapped(int number) {
  static const char *const digits[] = {"", "\"recompute\": true, ",
                                       "\"recompute\": true, \"keep_product\": true, "};
  char *text = dsm_plan_print(roomy);
  for (int i = 0; i < LAYERS; i++) {
    char place[64];
    (void)snprintf(place, sizeof place, "\"name\": \"%s\",", names[i]);
    text = put_behind(text, place, digits[number % 3]);
    number /= 3;
  }
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_plan_parse(&plan, text, strlen(text), "plan", NULL, NULL), DSM_OK);
  free(text);
  return plan;
}

static const double rooms[] = {0.99, 0.9, 0.8, 0.7, 0.6, 0.55};
enum { ROOMS = sizeof rooms / sizeof *rooms };

START_TEST(test_the_search_finds_the_fastest_that_fits) {
  const double room = rooms[_i] * roomy->result.memory.total_bytes;
  double best = HUGE_VAL;
  double best_of_layers = HUGE_VAL;
  for (int m = 0; m < MAPPINGS; m++) {
    dsm_plan *const plan = mapped(m);
    bool is_any_product_kept = false;
    for (size_t i = 0; i < plan->layer_count; i++) {
      is_any_product_kept = is_any_product_kept || plan->layers[i].decisions.is_product_kept;
    }
    if (plan->result.memory.total_bytes <= room) {
      best = fmin(best, plan->result.step_cycles);
      best_of_layers =
          is_any_product_kept ? best_of_layers : fmin(best_of_layers, plan->result.step_cycles);
    }
    dsm_plan_free(plan);
  }
  chips->chip.memory.capacity_GB = room / 1e9;
  const double expected[] = {best_of_layers, best};
  static const dsm_recomputation asked[] = {DSM_RECOMPUTATION_BEST, DSM_RECOMPUTATION_BY_OPERATION};
  for (int k = 0; k < 2; k++) {
    const dsm_explore_options options = options_of(asked[k]);
    dsm_plan *plan = NULL;
    const dsm_status status = dsm_explore(&plan, workload, chips, &options, NULL);
    ck_assert_int_eq(status, isinf(expected[k]) ? DSM_ERROR_INFEASIBLE : DSM_OK);
    if (plan != NULL) {
      ck_assert_double_eq_tol(plan->result.step_cycles, expected[k], 1e-9 * expected[k]);
      ck_assert_double_le(plan->result.lower_bound_cycles, expected[k] * (1 + 1e-9));
      ck_assert_int_eq(dsm_plan_validate(plan, NULL), DSM_OK);
    }
    dsm_plan_free(plan);
  }
}
END_TEST

/* Each layer's operations run again: the forward pass's auxiliary work, or what memory moves. */
START_TEST(test_operations_take_their_auxiliary_work_again) {
  const dsm_explore_options options = options_of(DSM_RECOMPUTATION_OPERATIONS);
  const dsm_machine machine = dsm_machine_derive(chips);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_OK);
  double sum = plan->result.step_cycles - roomy->result.step_cycles;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass pass = layer->layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
    const double bytes = 2 * (double)(layer->layer->output_elements * 16) / 4 * 2;
    const double expected = fmax(layer->passes[DSM_PASS_FORWARD].cycles.auxiliary,
                                 bytes / machine.link_bytes_per_cycle[DSM_LINK_MEMORY]);
    ck_assert(layer->decisions.is_recomputed && layer->decisions.is_product_kept);
    ck_assert_double_eq_tol(layer->passes[pass].group_cycles[DSM_GROUP_RECOMPUTE], expected,
                            1e-9 * expected);
    sum -= expected;
  }
  ck_assert_double_eq_tol(sum, 0, 1e-9 * plan->result.step_cycles);
  ck_assert_int_eq(dsm__recomputation_of(plan, plan->options.recomputation),
                   DSM_RECOMPUTATION_OPERATIONS);
  dsm_plan_free(plan);
}
END_TEST

START_TEST(test_what_a_plan_cannot_have_is_told) {
  static const char before[] = "\"recomputation\": \"by_operation\"";
  dsm_plan *const plan = mapped(2); /* of the first layer */
  expect_edited_refused(plan, before, "\"recomputation\": \"best\"",
                        "expected false where recomputation is not of operations, found true");
  expect_edited_refused(plan, "\"recompute\": true", "\"recompute\": false",
                        "expected false in a layer whose forward pass does not run again, found "
                        "true");
  dsm_plan_free(plan);
}
END_TEST

START_TEST(test_frameworks_and_other_objectives_have_whole_layers) {
  dsm_explore_options options = options_of((dsm_recomputation)(DSM_RECOMPUTATION_OPERATIONS + _i));
  dsm_plan *plan = NULL;
  options.as_run_by = DSM_AS_RUN_BY_MEGATRON;
  ck_assert_int_eq(dsm_explore(&plan, workload, chips, &options, NULL), DSM_ERROR_USAGE);
}
END_TEST

Suite *suite_operations(void) {
  Suite *const suite = suite_create("operations");
  TCase *const blocks = tcase_create("block");
  TCase *const small = tcase_create("small");
  tcase_add_test(blocks, test_a_block_keeps_its_products);
  suite_add_tcase(suite, blocks);
  tcase_add_checked_fixture(small, set_up, tear_down);
  tcase_set_timeout(small, 120);
  tcase_add_loop_test(small, test_the_search_finds_the_fastest_that_fits, 0, ROOMS);
  tcase_add_test(small, test_operations_take_their_auxiliary_work_again);
  tcase_add_test(small, test_what_a_plan_cannot_have_is_told);
  tcase_add_loop_test(small, test_frameworks_and_other_objectives_have_whole_layers, 0, 2);
  suite_add_tcase(suite, small);
  return suite;
}
