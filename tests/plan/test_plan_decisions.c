/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every decision is written, read back as it was, and may be edited by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "made.h"
#include "plan/plan_internal.h"
#include "suites.h"

static made m;
static char *text;
static reading read_back;

static void tear_down(void) {
  reading_free(&read_back);
  free(text);
  text = NULL;
  made_free(&m);
}

static const dsm_loops by_features = {{1, 4, 1, 1, 1}};
static const dsm_loops by_inputs = {{2, 2, 1, 1, 1}};
static const dsm_loops by_samples = {{1, 1, 1, 1, 4}};
static const dsm_loops by_both = {{1, 2, 1, 1, 2}};
static const uint64_t two_rows[] = {1, 3};
static const uint64_t other_rows[] = {2, 1};

/* ---- decisions to be written ---- */

static void nothing(void) {
  m = made_of(made_convs, DSM_MODE_TRAINING, NULL);
}
static void factors(void) {
  nothing();
  m.layers[0].layer.dysm_factor = 2;
  m.layers[1].layer.dysm_factor = 4;
  m.layers[1].splits[DSM_PASS_UPDATE][1] = (dsm_loops){{1, 1, 2, 2, 1}};
  m.layers[3].layer.dysm_factor = 4;
}
static void factors_without_accumulation(void) {
  m = made_of(made_convs, DSM_MODE_TRAINING, "{\"dysm_accumulate_in_memory\": false}");
  m.layers[1].layer.dysm_factor = 4;
}
static void uniform_factors(void) {
  m = made_of(made_convs, DSM_MODE_TRAINING, "{\"dysm_uniform\": true}");
  for (size_t i = 0; i < 3; i++) {
    m.layers[i].layer.dysm_factor = 2;
  }
}
static void held_outputs(void) {
  nothing();
  m.layers[0].layer.is_output_held = true; /* up to conv3 */
  m.layers[2].layer.is_output_held = true;
}
static void held_outputs_with_factor(void) {
  held_outputs();
  for (size_t i = 0; i < 4; i++) {
    made_set_parallelism(&m, i, DSM_PARALLELISM_MODEL_X_DATA_Y);
    m.layers[i].layer.dysm_factor = 2;
  }
}
static void parallelisms(void) {
  nothing();
  m.layers[1].layouts = (dsm_pass_layouts){
      {DSM_PARALLELISM_MODEL, DSM_PARALLELISM_DATA, DSM_PARALLELISM_DATA_X_MODEL_Y}};
  m.layers[3].layouts = (dsm_pass_layouts){
      {DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL_X_DATA_Y, DSM_PARALLELISM_DATA}};
}
static void error_like_the_update(void) {
  nothing();
  m.layers[0].layouts =
      (dsm_pass_layouts){{DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL, DSM_PARALLELISM_MODEL}};
}
static void error_unlike_the_update(void) {
  nothing();
  m.layers[0].layouts =
      (dsm_pass_layouts){{DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL, DSM_PARALLELISM_DATA}};
}
static void kept_kernels(void) {
  m = made_of(made_lstms, DSM_MODE_TRAINING, NULL);
  made_keep_kernel(&m, 0, DSM_PASS_FORWARD, by_samples);
  made_keep_kernel(&m, 1, DSM_PASS_BACKWARD, by_inputs);
  made_keep_kernel(&m, 1, DSM_PASS_UPDATE, by_features);
  made_keep_kernel(&m, 4, DSM_PASS_FORWARD, by_both);
}
static void kept_operands(void) {
  m = made_of(made_matmul, DSM_MODE_TRAINING, NULL);
  made_keep_kernel(&m, 2, DSM_PASS_FORWARD, by_both);
  made_keep_kernel(&m, 2, DSM_PASS_BACKWARD, by_samples);
}
static void pipelines(void) {
  m = made_of(made_lstms, DSM_MODE_TRAINING, NULL);
  made_add_group(&m, "first", 0, 2, two_rows);
  made_add_group(&m, "a \"second\"", 2, 2, other_rows);
  made_set_parallelism(&m, 1, DSM_PARALLELISM_MODEL);
  made_set_parallelism(&m, 2, DSM_PARALLELISM_DATA_X_MODEL_Y);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    made_keep_kernel_well(&m, 1, (dsm_pass)p);
    made_keep_kernel_well(&m, 2, (dsm_pass)p);
  }
}
static void narrow_pipelines(void) {
  pipelines();
  m.system->model.pipeline_columns = true;
  m.pipelines[0].columns = 1;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    made_keep_kernel_well(&m, 1, (dsm_pass)p);
  }
}
static void weights(void) {
  m = made_of(made_convs, DSM_MODE_INFERENCE, NULL);
  m.layers[1].layer.weights_on_chip = 1;
  m.layers[3].layer.weights_on_chip = 0.3;
  m.layers[0].layer.is_output_held = true;
  m.layers[2].layer.is_output_held = true;
}
static void all_of_inference(void) {
  m = made_of(made_lstms, DSM_MODE_INFERENCE, NULL);
  made_add_group(&m, "group", 1, 2, two_rows);
  made_keep_kernel(&m, 0, DSM_PASS_FORWARD, by_samples);
  made_keep_kernel_well(&m, 2, DSM_PASS_FORWARD);
  m.layers[0].layer.weights_on_chip = 0.1;
  m.layers[4].layer.weights_on_chip = 1;
}

static void (*const decisions[])(void) = {
    nothing,          factors,
    uniform_factors,  factors_without_accumulation,
    held_outputs,     held_outputs_with_factor,
    parallelisms,     error_like_the_update,
    kept_kernels,     error_unlike_the_update,
    kept_operands,    pipelines,
    all_of_inference, weights,
    narrow_pipelines,
};

static void print(void) {
  made_predict(&m);
  text = dsm_plan_print(m.plan);
  ck_assert_ptr_nonnull(text);
}

static void expect_same_print(const dsm_plan *plan) {
  char *const again = dsm_plan_print(plan);
  ck_assert_ptr_nonnull(again);
  ck_assert_str_eq(again, text);
  free(again);
}

static void expect_no_findings(const dsm_diags *diags) {
  for (size_t i = 0; i < dsm_diags_count(diags); i++) { /* warnings say what may be meant */
    const dsm_diag *const each = dsm_diags_get(diags, i);
    ck_assert_msg(each->severity == DSM_SEVERITY_WARNING, "%s: %s", each->path, each->message);
  }
}

static void expect_valid(const dsm_plan *plan) {
  dsm_diags *const diags = dsm_diags_new(10);
  ck_assert_ptr_nonnull(diags);
  const dsm_status status = dsm_plan_validate(plan, diags);
  expect_no_findings(diags);
  ck_assert_int_eq(status, DSM_OK);
  dsm_diags_free(diags);
}

START_TEST(test_made_plan_keeps_every_invariant) {
  decisions[_i]();
  made_predict(&m);
  expect_valid(m.plan);
}
END_TEST

START_TEST(test_printed_and_read_again_it_prints_the_same_bytes) {
  decisions[_i]();
  print();
  read_back = read_plan(text);
  expect_no_findings(read_back.diags);
  ck_assert_int_eq(read_back.status, DSM_OK);
  expect_same_print(read_back.plan);
  expect_valid(read_back.plan);
}
END_TEST

START_TEST(test_order_of_keys_changes_nothing) {
  decisions[_i]();
  print();
  char *const reversed = with_reversed_keys(text);
  read_back = read_plan(reversed);
  free(reversed);
  ck_assert_int_eq(read_back.status, DSM_OK);
  expect_same_print(read_back.plan);
}
END_TEST

static void expect_same_layer(const dsm__layer_decision *found, const dsm__layer_decision *wanted,
                              size_t index) {
  const dsm_layer *const layer = &m.workload->layers[index];
  ck_assert_uint_eq(found->layer.dysm_factor, wanted->layer.dysm_factor);
  ck_assert_int_eq(found->layer.is_output_held, wanted->layer.is_output_held);
  ck_assert_double_eq(found->layer.weights_on_chip, wanted->layer.weights_on_chip);
  if (m.options.mode == DSM_MODE_TRAINING) {
    ck_assert_int_eq(found->layouts.of[DSM_PASS_BACKWARD], wanted->layouts.of[DSM_PASS_BACKWARD]);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, m.options.mode, (dsm_pass)p)) {
      ck_assert_int_eq(found->layouts.of[p], wanted->layouts.of[p]);
      ck_assert_int_eq(found->is_kernel_kept[p], wanted->is_kernel_kept[p]);
      ck_assert_mem_eq(&found->splits[p][0], &wanted->splits[p][0], sizeof(dsm_loops));
    }
  }
}

START_TEST(test_decisions_are_read_back_as_they_were) {
  decisions[_i]();
  print();
  read_back = read_plan(text);
  ck_assert_int_eq(read_back.status, DSM_OK);
  dsm__decisions found;
  dsm__arena *const arena = dsm__arena_new();
  ck_assert(dsm__decisions_of_plan(read_back.plan, arena, &found));
  for (size_t i = 0; i < m.workload->layer_count; i++) {
    expect_same_layer(&found.layers[i], &m.layers[i], i);
  }
  ck_assert_uint_eq(found.pipeline_count, m.pipeline_count);
  for (size_t g = 0; g < m.pipeline_count; g++) {
    ck_assert_str_eq(found.pipelines[g].name, m.pipelines[g].name);
    ck_assert_uint_eq(found.pipelines[g].first_layer, m.pipelines[g].first_layer);
    ck_assert_uint_eq(found.pipelines[g].layer_count, m.pipelines[g].layer_count);
    ck_assert_uint_eq(found.pipelines[g].columns, m.pipelines[g].columns);
    ck_assert_mem_eq(found.pipelines[g].rows, m.pipelines[g].rows,
                     m.pipelines[g].layer_count * sizeof(uint64_t));
  }
  dsm__arena_free(arena);
}
END_TEST

static dsm_status read_with_capacity(double bytes) {
  char value[40];
  (void)snprintf(value, sizeof value, "%.17g", bytes / 1e9);
  const edit capacity = {"system.chip.memory.capacity_GB", value};
  char *const changed = edited(text, &capacity, 1);
  reading_free(&read_back);
  read_back = read_plan(changed);
  free(changed);
  return read_back.status;
}

START_TEST(test_capacity_is_compared_with_what_the_plan_says_it_needs) {
  decisions[_i]();
  print();
  const double need = m.plan->result.memory.total_bytes;
  ck_assert_int_eq(read_with_capacity(need), DSM_OK);
  ck_assert_int_eq(read_with_capacity(need * (1 - 1e-8)), DSM_ERROR_INFEASIBLE);
}
END_TEST

/* ---- edits by hand ---- */

static void read_edited(const edit *edits, size_t edit_count) {
  print();
  char *const changed = edited(text, edits, edit_count);
  read_back = read_plan(changed);
  free(changed);
  expect_no_findings(read_back.diags);
  ck_assert_int_eq(read_back.status, DSM_OK);
  expect_valid(read_back.plan);
}

static double bytes_of(const dsm_pass_plan *pass, dsm_transfer transfer) {
  double bytes = 0;
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const each = &pass->transfers[i];
    bytes += each->transfer == transfer && each->link == DSM_LINK_MEMORY ? each->bytes : 0;
  }
  return bytes;
}

/* Outputs of convolutions: 32 features of 64, 4 samples a chip, 2 bytes. */
START_TEST(test_one_more_output_is_held) {
  held_outputs();
  const edit edits[] = {{"layers.1.output_on_chip", "true"}};
  read_edited(edits, 1);
  const dsm_layer_plan *const layers = read_back.plan->layers;
  ck_assert(layers[1].decisions.is_output_held);
  ck_assert_double_eq(layers[0].held_bytes, 16384);
  ck_assert_double_eq(layers[1].held_bytes, 2 * 16384);
  ck_assert_double_eq(layers[2].held_bytes, 3 * 16384);
  ck_assert_double_eq(layers[3].held_bytes, 16384);
  const dsm_pass_plan *const before = &m.plan->layers[2].passes[DSM_PASS_FORWARD];
  const dsm_pass_plan *const after = &layers[2].passes[DSM_PASS_FORWARD];
  ck_assert_double_eq(bytes_of(before, DSM_TRANSFER_FETCH_INPUT), 16384);
  ck_assert_double_eq(bytes_of(after, DSM_TRANSFER_FETCH_INPUT), 0);
  ck_assert_double_eq(bytes_of(after, DSM_TRANSFER_WRITE_DEFERRED), 16384);
}
END_TEST

START_TEST(test_factor_is_changed_without_an_accumulate_entry) {
  nothing();
  const edit edits[] = {{"layers.1.dysm_factor", "4"},
                        {"layers.1.passes.update.core_split",
                         "{\"in\": 2, \"out\": 2, \"ij\": 1, \"kij\": 1, \"mb\": 1}"}};
  read_edited(edits, 2);
  const dsm_pass_plan *const update = &read_back.plan->layers[1].passes[DSM_PASS_UPDATE];
  ck_assert_uint_eq(update->invocation_count, 2);
  ck_assert_int_eq(update->invocations[0].kind, DSM_INVOCATION_WRITE);
  ck_assert_uint_eq(update->invocations[0].count, 1);
  ck_assert_int_eq(update->invocations[1].kind, DSM_INVOCATION_ACCUMULATE);
  ck_assert_uint_eq(update->invocations[1].count, 3);
  ck_assert_mem_eq(&update->invocations[0].split, &by_inputs, sizeof by_inputs);
  ck_assert_mem_eq(&update->invocations[1].split, &by_inputs, sizeof by_inputs);
}
END_TEST

START_TEST(test_split_of_the_accumulate_entry_is_a_decision) {
  factors();
  const edit edits[] = {{"layers.1.passes.update.invocations.1.core_split",
                         "{\"in\": 2, \"out\": 2, \"ij\": 1, \"kij\": 1, \"mb\": 1}"}};
  read_edited(edits, 1);
  const dsm_pass_plan *const update = &read_back.plan->layers[1].passes[DSM_PASS_UPDATE];
  ck_assert_mem_eq(&update->invocations[0].split, &by_features, sizeof by_features);
  ck_assert_mem_eq(&update->invocations[1].split, &by_inputs, sizeof by_inputs);
}
END_TEST

START_TEST(test_accumulate_entry_without_use_is_ignored) {
  factors();
  const edit edits[] = {{"layers.1.dysm_factor", "1"}};
  read_edited(edits, 1);
  const dsm_pass_plan *const update = &read_back.plan->layers[1].passes[DSM_PASS_UPDATE];
  ck_assert_uint_eq(update->invocation_count, 1);
  ck_assert_int_eq(update->invocations[0].kind, DSM_INVOCATION_FIRST);
}
END_TEST

START_TEST(test_steady_entry_is_the_decision_to_keep_the_kernel) {
  kept_kernels();
  const edit edits[] = {{"layers.0.passes.forward.invocations.1", NULL},
                        {"layers.2.passes.update.invocations",
                         "[{\"kind\": \"steady\", \"core_split\":"
                         " {\"in\": 2, \"out\": 2, \"ij\": 1, \"kij\": 1, \"mb\": 1}}]"}};
  read_edited(edits, 2);
  const dsm_pass_plan *const forward = &read_back.plan->layers[0].passes[DSM_PASS_FORWARD];
  ck_assert_uint_eq(forward->invocation_count, 1);
  ck_assert_uint_eq(forward->invocations[0].count, 10);
  const dsm_pass_plan *const update = &read_back.plan->layers[2].passes[DSM_PASS_UPDATE];
  ck_assert_uint_eq(update->invocation_count, 2);
  ck_assert_uint_eq(update->invocations[0].count, 1);
  ck_assert_int_eq(update->invocations[1].kind, DSM_INVOCATION_STEADY);
  ck_assert_uint_eq(update->invocations[1].count, 9);
  ck_assert_mem_eq(&update->invocations[0].split, &by_features, sizeof by_features);
  ck_assert_mem_eq(&update->invocations[1].split, &by_inputs, sizeof by_inputs);
}
END_TEST

START_TEST(test_steady_entry_without_timesteps_is_ignored) {
  nothing();
  const edit edits[] = {{"layers.0.passes.forward.invocations.0.kind", "\"steady\""}};
  read_edited(edits, 1);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_split_of_a_first_invocation_is_that_of_the_pass) {
  factors();
  const edit edits[] = {{"layers.0.passes.forward.invocations.0.core_split", "7"},
                        {"layers.1.passes.update.invocations.0.core_split.out", "3"}};
  read_edited(edits, 2);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_derived_numbers_are_not_believed) {
  pipelines();
  const edit edits[] = {{"layers.0.held_bytes", "5"},
                        {"pipeline.0.cycles", "\"many\""},
                        {"layers.1.passes.forward.invocations.1.count", "100"},
                        {"layers.1.passes.forward.invocations.1.cycles", "{}"}};
  read_edited(edits, 4);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_group_that_no_layer_refers_to_is_ignored) {
  pipelines();
  const edit edits[] = {{"layers.0.pipeline_group", "null"}, {"layers.1.pipeline_group", NULL}};
  read_edited(edits, 2);
  ck_assert_uint_eq(read_back.plan->pipeline_count, 1);
  ck_assert_str_eq(read_back.plan->pipelines[0].name, "a \"second\"");
  ck_assert_uint_eq(read_back.plan->layers[0].pipeline, DSM_NO_PIPELINE);
  ck_assert_uint_eq(read_back.plan->layers[2].pipeline, 0);
}
END_TEST

/* As in plans that were written before there was a choice. */
START_TEST(test_group_without_columns_has_all_of_the_torus) {
  pipelines();
  const edit edits[] = {{"pipeline.0.columns", NULL}, {"pipeline.1.columns", NULL}};
  read_edited(edits, 2);
  ck_assert_uint_eq(read_back.plan->pipelines[1].columns, 2);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_groups_may_stand_in_any_order) {
  pipelines();
  const edit edits[] = {
      {"pipeline", "[{\"name\": \"a \\\"second\\\"\", \"layers\": [\"lstm3\", \"lstm4\"],"
                   " \"rows\": [2, 1]}, {\"name\": \"first\", \"layers\": [\"lstm1\", \"lstm2\"],"
                   " \"rows\": [1, 3]}]"}};
  read_edited(edits, 1);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_plan_without_groups_needs_no_list_of_them) {
  nothing();
  const edit edits[] = {{"pipeline", NULL}};
  read_edited(edits, 1);
  expect_same_print(read_back.plan);
}
END_TEST

START_TEST(test_error_stays_in_the_layout_of_the_update) {
  error_unlike_the_update();
  const edit edits[] = {{"layers.0.error_parallelism", NULL}};
  read_edited(edits, 1);
  ck_assert_int_eq(read_back.plan->layers[0].error_parallelism, DSM_PARALLELISM_DATA);
}
END_TEST

/* Where the kernel stays with few splits only, it makes the stage slower, not the group's parts
 * negative. By samples each core has the whole kernel of the chip, with two
 * parts of the features half of it. */
START_TEST(test_steady_invocations_may_be_slower_than_the_first) {
  pipelines();
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    m.layers[1].is_kernel_kept[p] = false;
    m.layers[2].is_kernel_kept[p] = false;
  }
  m.layers[1].splits[DSM_PASS_FORWARD][0] = by_samples;
  made_keep_kernel(&m, 1, DSM_PASS_FORWARD, by_both);
  m.system->core.resident_weight_fraction = 0.002;
  made_predict(&m);
  const dsm_pass_plan *const pass = &m.plan->layers[1].passes[DSM_PASS_FORWARD];
  ck_assert_double_gt(pass->invocations[1].cost.total, pass->invocations[0].cost.total);
  expect_valid(m.plan);
}
END_TEST

static void add_round_trips(Suite *suite) {
  TCase *const tcase = tcase_create("round_trip");
  const int count = COUNT_OF(decisions);
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_loop_test(tcase, test_made_plan_keeps_every_invariant, 0, count);
  tcase_add_loop_test(tcase, test_printed_and_read_again_it_prints_the_same_bytes, 0, count);
  tcase_add_loop_test(tcase, test_order_of_keys_changes_nothing, 0, count);
  tcase_add_loop_test(tcase, test_decisions_are_read_back_as_they_were, 0, count);
  tcase_add_loop_test(tcase, test_capacity_is_compared_with_what_the_plan_says_it_needs, 0, count);
  suite_add_tcase(suite, tcase);
}

Suite *suite_plan_decisions(void) {
  Suite *const suite = suite_create("plan_decisions");
  add_round_trips(suite);
  TCase *const tcase = tcase_create("edits");
  tcase_add_checked_fixture(tcase, NULL, tear_down);
  tcase_add_test(tcase, test_one_more_output_is_held);
  tcase_add_test(tcase, test_factor_is_changed_without_an_accumulate_entry);
  tcase_add_test(tcase, test_split_of_the_accumulate_entry_is_a_decision);
  tcase_add_test(tcase, test_accumulate_entry_without_use_is_ignored);
  tcase_add_test(tcase, test_steady_entry_is_the_decision_to_keep_the_kernel);
  tcase_add_test(tcase, test_steady_entry_without_timesteps_is_ignored);
  tcase_add_test(tcase, test_split_of_a_first_invocation_is_that_of_the_pass);
  tcase_add_test(tcase, test_derived_numbers_are_not_believed);
  tcase_add_test(tcase, test_group_that_no_layer_refers_to_is_ignored);
  tcase_add_test(tcase, test_groups_may_stand_in_any_order);
  tcase_add_test(tcase, test_group_without_columns_has_all_of_the_torus);
  tcase_add_test(tcase, test_plan_without_groups_needs_no_list_of_them);
  tcase_add_test(tcase, test_error_stays_in_the_layout_of_the_update);
  tcase_add_test(tcase, test_steady_invocations_may_be_slower_than_the_first);
  suite_add_tcase(suite, tcase);
  return suite;
}
