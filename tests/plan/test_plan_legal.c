/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions that no mapping may consist of are found where they stand, also in a plan in memory. */
#include <stdio.h>
#include <string.h>

#include "made.h"
#include "suites.h"

static made m;
static dsm_diags *diags;

static void set_up(void) {
  diags = dsm_diags_new(100);
  ck_assert_ptr_nonnull(diags);
}

static void tear_down(void) {
  dsm_diags_free(diags);
  made_free(&m);
}

static void use_convs(dsm_mode mode) {
  m = made_of(made_convs, mode, NULL);
}
static void use_lstms(dsm_mode mode) {
  m = made_of(made_lstms, mode, NULL);
}
static void without(dsm_optimization optimization) {
  m.options.optimizations &= ~DSM_OPTIMIZATION_BIT(optimization);
}

static const dsm_loops by_features = {{1, 4, 1, 1, 1}};
static const uint64_t one_row_each[] = {1, 1, 1, 1};
static const uint64_t two_rows_each[] = {2, 2};
static const uint64_t too_many_rows[] = {2, 3};
static const uint64_t five_rows_and_one[] = {5, 1}; /* of strips of four */
static const uint64_t nine_rows[] = {4, 4, 1};      /* of two of them */
static const uint64_t eight_rows[] = {3, 4, 1};

/* ---- options and parallelisms ---- */

static void preload_in_training(void) {
  use_convs(DSM_MODE_TRAINING);
  m.options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
}
static void per_pass_in_inference(void) {
  use_convs(DSM_MODE_INFERENCE);
  m.options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS);
}
static void parallelism_not_asked_for(void) {
  use_convs(DSM_MODE_TRAINING);
  m.options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  made_set_parallelism(&m, 2, DSM_PARALLELISM_MODEL);
}
static void hybrid_without_optimization(void) {
  use_convs(DSM_MODE_INFERENCE);
  without(DSM_OPTIMIZATION_HYBRID);
  made_set_parallelism(&m, 2, DSM_PARALLELISM_MODEL_X_DATA_Y);
}
static void model_parallel_matmul(void) {
  m = made_of(made_matmul, DSM_MODE_TRAINING, NULL);
  made_set_parallelism(&m, 2, DSM_PARALLELISM_MODEL);
}
static void passes_differ(void) {
  use_convs(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_PER_PASS);
  m.layers[1].layouts.of[DSM_PASS_UPDATE] = DSM_PARALLELISM_MODEL;
}
static void error_differs(void) {
  use_convs(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_PER_PASS);
  m.layers[0].layouts.of[DSM_PASS_BACKWARD] = DSM_PARALLELISM_MODEL;
}
static void error_not_asked_for(void) {
  use_convs(DSM_MODE_TRAINING);
  m.options.parallelisms = DSM_PARALLELISM_BIT(DSM_PARALLELISM_DATA);
  m.layers[0].layouts.of[DSM_PASS_BACKWARD] = DSM_PARALLELISM_MODEL;
}

/* ---- core splits ---- */

static void split_is_no_factorisation(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].splits[DSM_PASS_FORWARD][0] = (dsm_loops){{1, 2, 1, 1, 1}};
}
static void split_has_no_divisor(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].splits[DSM_PASS_FORWARD][0] = (dsm_loops){{1, 3, 1, 1, 1}};
}
static void split_over_a_loop(void) { /* conv1 has 3 input features */
  use_convs(DSM_MODE_TRAINING);
  m.layers[0].splits[DSM_PASS_FORWARD][0] = (dsm_loops){{4, 1, 1, 1, 1}};
}
static void split_over_spatial_minibatch(void) { /* 1 sample a chip */
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].layer.dysm_factor = 4;
  m.layers[1].splits[DSM_PASS_UPDATE][1] = (dsm_loops){{1, 1, 1, 1, 4}};
}
static void split_over_a_stage(void) { /* 16 of 32 samples a chip of a stage of 2 x 1 */
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 0, 2, one_row_each);
  m.layers[0].splits[DSM_PASS_FORWARD][0] = (dsm_loops){{1, 1, 1, 4, 1}};
}
static void kept_without_reuse(void) {
  use_lstms(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_REUSE);
  made_keep_kernel(&m, 1, DSM_PASS_FORWARD, by_features);
}
static void kept_operand(void) {
  m = made_of(made_matmul, DSM_MODE_TRAINING, "{\"resident_operands\": false}");
  made_keep_kernel(&m, 1, DSM_PASS_FORWARD, by_features); /* weights may stay */
  made_keep_kernel(&m, 2, DSM_PASS_BACKWARD, by_features);
}
static void kept_split_over_a_loop(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_keep_kernel(&m, 1, DSM_PASS_UPDATE, (dsm_loops){{1, 1, 4, 1, 1}});
}

/* ---- factors ---- */

static void factor_without_dysm(void) {
  use_convs(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_DYSM);
  m.layers[1].layer.dysm_factor = 2;
}
static void factor_no_power_of_two(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].layer.dysm_factor = 3;
}
static void factor_too_large(void) { /* 4 samples for 8 chips */
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].layer.dysm_factor = 8;
}
static void factor_with_timesteps(void) {
  use_lstms(DSM_MODE_TRAINING);
  m.layers[1].layer.dysm_factor = 2;
}
static void factors_not_uniform(void) {
  m = made_of(made_convs, DSM_MODE_TRAINING, "{\"dysm_uniform\": true}");
  m.layers[0].layer.dysm_factor = 2;
  m.layers[1].layer.dysm_factor = 2;
}
static void factor_of_other_layer(void) {
  m = made_of(made_convs, DSM_MODE_TRAINING, "{\"dysm_uniform\": true}");
  m.layers[3].layer.dysm_factor = 2;
}

/* ---- what is on chip ---- */

static void held_without_reuse(void) {
  use_convs(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_REUSE);
  m.layers[1].layer.is_output_held = true;
}
static void held_without_use(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[3].layer.is_output_held = true;
}
static void held_with_timesteps(void) {
  use_lstms(DSM_MODE_TRAINING);
  m.layers[0].layer.is_output_held = true;
}
static void held_over_another_parallelism(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].layer.is_output_held = true;
  made_set_parallelism(&m, 2, DSM_PARALLELISM_MODEL);
}
static void held_up_to_a_shortcut_of_another_factor(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[0].layer.is_output_held = true; /* conv3 adds it */
  m.layers[2].layer.dysm_factor = 2;
}
static void held_while_passes_differ(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[2].layer.is_output_held = true;
  m.layers[3].layouts.of[DSM_PASS_BACKWARD] = DSM_PARALLELISM_MODEL;
}
static void held_while_an_error_differs(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[0].layer.is_output_held = true;
  m.layers[0].layouts.of[DSM_PASS_BACKWARD] = DSM_PARALLELISM_MODEL;
}
static void held_too_much(void) { /* 16384 bytes of conv1 fit, 32768 with conv2 do not */
  use_convs(DSM_MODE_TRAINING);
  for (size_t i = 0; i < 3; i++) {
    m.layers[i].layer.is_output_held = true;
  }
  m.system->core.streaming_buffer_KiB = 1017; /* leaves 28672 bytes on 4 cores */
}
static void weights_in_training(void) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[1].layer.weights_on_chip = 0.5;
}
static void weights_without_preload(void) {
  use_convs(DSM_MODE_INFERENCE);
  without(DSM_OPTIMIZATION_PRELOAD);
  m.layers[1].layer.weights_on_chip = 0.5;
}
static void weights_over_one(void) {
  use_convs(DSM_MODE_INFERENCE);
  m.layers[1].layer.weights_on_chip = 1.5;
}
static void weights_of_matmul(void) {
  m = made_of(made_matmul, DSM_MODE_INFERENCE, NULL);
  m.layers[2].layer.weights_on_chip = 1;
}
static void weights_in_pipeline(void) {
  use_lstms(DSM_MODE_INFERENCE);
  made_add_group(&m, "g", 0, 2, two_rows_each);
  m.layers[1].layer.weights_on_chip = 1;
}
static void weights_too_many(void) {
  use_convs(DSM_MODE_INFERENCE);
  m.layers[1].layer.weights_on_chip = 1;
  m.layers[2].layer.weights_on_chip = 1;
  m.system->core.scratchpad_MiB = 0.07; /* 7864 bytes beside a third of 192 KiB; 4608 each */
}
static void kernel_too_large_to_stay(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_keep_kernel(&m, 1, DSM_PASS_FORWARD, (dsm_loops){{1, 1, 1, 1, 4}});
  m.system->core.scratchpad_MiB = 0.02;
}

static void hoisted_without_the_word(void) {
  use_lstms(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_HOIST);
  m.layers[1].layer.is_hoisted = true;
}
static void hoisted_without_timesteps(void) {
  use_convs(DSM_MODE_TRAINING);
  m.options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST);
  m.layers[1].layer.is_hoisted = true;
}
static void hoisted_in_a_pipeline(void) {
  use_lstms(DSM_MODE_TRAINING);
  m.options.optimizations |= DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HOIST);
  made_add_group(&m, "g", 0, 2, two_rows_each);
  m.layers[1].layer.is_hoisted = true;
}

/* ---- pipelines ---- */

static void use_narrow_lstms(void) {
  use_lstms(DSM_MODE_TRAINING);
  m.system->model.pipeline_columns = true;
}
static void group_without_pipeline(void) {
  use_lstms(DSM_MODE_TRAINING);
  without(DSM_OPTIMIZATION_PIPELINE);
  made_add_group(&m, "g", 0, 2, two_rows_each);
}
static void group_of_other_layers(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 3, 2, two_rows_each);
}
static void group_of_one(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 0, 1, two_rows_each);
}
static void rows_too_many(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 0, 2, too_many_rows);
}
static void narrow_without_the_key(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 0, 2, two_rows_each);
  m.pipelines[0].columns = 1;
}
static void columns_no_divisor(void) {
  narrow_without_the_key();
  m.system->model.pipeline_columns = true;
  m.system->system.axes[0].chips = 3;
  m.pipelines[0].columns = 2;
}
static void columns_too_many(void) {
  narrow_without_the_key();
  m.system->model.pipeline_columns = true;
  m.pipelines[0].columns = 4;
}
static void rows_over_a_strip(void) {
  use_narrow_lstms();
  made_add_group(&m, "g", 0, 2, five_rows_and_one);
  m.pipelines[0].columns = 1;
}
static void rows_over_all_strips(void) {
  use_narrow_lstms();
  made_add_group(&m, "g", 0, 3, nine_rows);
  m.pipelines[0].columns = 1;
}
static void pipelined_passes_differ(void) {
  use_lstms(DSM_MODE_TRAINING);
  made_add_group(&m, "g", 0, 2, two_rows_each);
  m.layers[1].layouts.of[DSM_PASS_BACKWARD] = DSM_PARALLELISM_MODEL;
}

typedef struct rule {
  void (*make)(void);
  const char *path; /* of the first finding */
} rule;

#define LAYER1 "$.layers[1]."
#define GROUP "$.pipeline[0]."

static const rule rules[] = {
    {preload_in_training, "$.optimizations[5]"},
    {per_pass_in_inference, "$.optimizations[4]"},
    {parallelism_not_asked_for, "$.layers[2].passes.forward.parallelism"},
    {hybrid_without_optimization, "$.layers[2].passes.forward.parallelism"},
    {model_parallel_matmul, "$.layers[2].passes.forward.parallelism"},
    {passes_differ, LAYER1 "passes.update.parallelism"},
    {error_differs, "$.layers[0].error_parallelism"},
    {error_not_asked_for, "$.layers[0].error_parallelism"},
    {split_is_no_factorisation, LAYER1 "passes.forward.core_split"},
    {split_has_no_divisor, LAYER1 "passes.forward.core_split.out"},
    {split_over_a_loop, "$.layers[0].passes.forward.core_split.in"},
    {split_over_spatial_minibatch, LAYER1 "passes.update.invocations[1].core_split.mb"},
    {split_over_a_stage, "$.layers[0].passes.forward.core_split.kij"},
    {kept_without_reuse, LAYER1 "passes.forward.invocations[1].kind"},
    {kept_operand, "$.layers[2].passes.backward.invocations[1].kind"},
    {kept_split_over_a_loop, LAYER1 "passes.update.invocations[1].core_split.ij"},
    {factor_without_dysm, LAYER1 "dysm_factor"},
    {factor_no_power_of_two, LAYER1 "dysm_factor"},
    {factor_too_large, LAYER1 "dysm_factor"},
    {factor_with_timesteps, LAYER1 "dysm_factor"},
    {factors_not_uniform, "$.layers[2].dysm_factor"},
    {factor_of_other_layer, "$.layers[3].dysm_factor"},
    {held_without_reuse, LAYER1 "output_on_chip"},
    {held_without_use, "$.layers[3].output_on_chip"},
    {held_with_timesteps, "$.layers[0].output_on_chip"},
    {held_over_another_parallelism, LAYER1 "output_on_chip"},
    {held_up_to_a_shortcut_of_another_factor, "$.layers[0].output_on_chip"},
    {held_while_passes_differ, "$.layers[2].output_on_chip"},
    {held_while_an_error_differs, "$.layers[0].output_on_chip"},
    {held_too_much, LAYER1 "output_on_chip"},
    {weights_in_training, LAYER1 "weights_on_chip"},
    {weights_without_preload, LAYER1 "weights_on_chip"},
    {weights_over_one, LAYER1 "weights_on_chip"},
    {weights_of_matmul, "$.layers[2].weights_on_chip"},
    {weights_in_pipeline, LAYER1 "weights_on_chip"},
    {weights_too_many, "$.layers[2].weights_on_chip"},
    {kernel_too_large_to_stay, LAYER1 "passes.forward.invocations[1].core_split"},
    {hoisted_without_the_word, LAYER1 "hoisted"},
    {hoisted_without_timesteps, LAYER1 "hoisted"},
    {hoisted_in_a_pipeline, LAYER1 "hoisted"},
    {group_without_pipeline, "$.layers[0].pipeline_group"},
    {group_of_other_layers, "$.layers[4].pipeline_group"},
    {group_of_one, GROUP "layers"},
    {rows_too_many, GROUP "rows"},
    {narrow_without_the_key, GROUP "columns"},
    {columns_no_divisor, GROUP "columns"},
    {columns_too_many, GROUP "columns"},
    {rows_over_a_strip, GROUP "rows[0]"},
    {rows_over_all_strips, GROUP "rows"},
    {pipelined_passes_differ, LAYER1 "passes.backward.parallelism"},
};

START_TEST(test_violated_rule_is_found_where_it_is) {
  rules[_i].make();
  made_predict(&m);
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_ERROR_INVALID);
  ck_assert_uint_ge(dsm_diags_count(diags), 1);
  ck_assert_str_eq(dsm_diags_get(diags, 0)->path, rules[_i].path);
}
END_TEST

/* Two strips of four rows: a stage lies on both. */
START_TEST(test_narrow_stages_may_take_all_strips) {
  use_narrow_lstms();
  made_add_group(&m, "g", 0, 3, eight_rows);
  m.pipelines[0].columns = 1;
  made_predict(&m);
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_OK);
}
END_TEST

/* ---- groups that the workload names, or forbids ---- */

typedef struct group_case {
  const char *choices[3]; /* JSON members of the three layers */
  size_t first;
  size_t count;
  const char *path; /* of the first finding; NULL: legal */
} group_case;

#define NAMED(name) ", \"pipeline_group\": \"" name "\""
#define NEVER ", \"pipeline_group\": null"

static const group_case group_cases[] = {
    {{"", "", ""}, 0, 3, NULL},
    {{"", "", ""}, 1, 2, NULL},
    {{NAMED("a"), NAMED("a"), ""}, 0, 2, NULL},
    {{NAMED("a"), NAMED("a"), NAMED("a")}, 0, 3, NULL},
    {{NAMED("a"), NAMED("a"), NAMED("a")}, 0, 2, GROUP "layers"},
    {{NAMED("a"), NAMED("a"), NAMED("a")}, 1, 2, GROUP "layers"},
    {{NAMED("a"), NAMED("a"), ""}, 0, 3, "$.layers[2].pipeline_group"},
    {{"", NAMED("a"), NAMED("a")}, 0, 2, LAYER1 "pipeline_group"},
    {{NAMED("a"), NAMED("b"), ""}, 0, 2, LAYER1 "pipeline_group"},
    {{"", NEVER, ""}, 0, 3, LAYER1 "pipeline_group"},
    {{NEVER, "", ""}, 1, 2, NULL},
    {{"", ", \"timesteps\": 5", ""}, 0, 2, LAYER1 "pipeline_group"},
    {{"", ", \"bidirectional\": true", ""}, 1, 2, LAYER1 "pipeline_group"},
};

static void use_choices(const group_case *each) {
  char text[1024];
  const bool is_wide = strstr(each->choices[1], "bidirectional") != NULL;
  (void)snprintf(text, sizeof text,
                 "{\"name\": \"a\", \"type\": \"lstm\", \"in\": 32, \"out\": 32%s%s},"
                 "{\"name\": \"b\", \"type\": \"lstm\", \"in\": 32, \"out\": 32%s%s},"
                 "{\"name\": \"c\", \"type\": \"lstm\", \"in\": %d, \"out\": 32%s%s}",
                 ", \"timesteps\": 3", each->choices[0],
                 strstr(each->choices[1], "timesteps") == NULL ? ", \"timesteps\": 3" : "",
                 each->choices[1], is_wide ? 64 : 32, ", \"timesteps\": 3", each->choices[2]);
  m = made_of(text, DSM_MODE_TRAINING, NULL);
}

START_TEST(test_groups_respect_what_the_workload_says) {
  const group_case *const each = &group_cases[_i];
  use_choices(each);
  made_add_group(&m, "g", each->first, each->count, one_row_each);
  made_predict(&m);
  const dsm_status status = dsm_plan_validate(m.plan, diags);
  ck_assert_int_eq(status, each->path == NULL ? DSM_OK : DSM_ERROR_INVALID);
  if (each->path != NULL) {
    ck_assert_str_eq(dsm_diags_get(diags, 0)->path, each->path);
  }
}
END_TEST

START_TEST(test_operand_may_be_kept_where_operands_are_as_weights) {
  m = made_of(made_matmul, DSM_MODE_TRAINING, NULL);
  made_keep_kernel(&m, 2, DSM_PASS_FORWARD, by_features);
  made_keep_kernel(&m, 2, DSM_PASS_BACKWARD, by_features);
  made_predict(&m);
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_OK);
}
END_TEST

START_TEST(test_all_violations_are_found) {
  use_convs(DSM_MODE_TRAINING);
  m.layers[0].layer.dysm_factor = 3;
  m.layers[1].layer.weights_on_chip = 1;
  m.layers[2].splits[DSM_PASS_UPDATE][0] = (dsm_loops){{1, 1, 1, 1, 1}};
  m.layers[3].layer.is_output_held = true;
  made_predict(&m);
  ck_assert_int_eq(dsm_plan_validate(m.plan, diags), DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(diags), 4);
}
END_TEST

Suite *suite_plan_legal(void) {
  Suite *const suite = suite_create("plan_legal");
  TCase *const tcase = tcase_create("rules");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_loop_test(tcase, test_violated_rule_is_found_where_it_is, 0, COUNT_OF(rules));
  tcase_add_loop_test(tcase, test_groups_respect_what_the_workload_says, 0, COUNT_OF(group_cases));
  tcase_add_test(tcase, test_narrow_stages_may_take_all_strips);
  tcase_add_test(tcase, test_operand_may_be_kept_where_operands_are_as_weights);
  tcase_add_test(tcase, test_all_violations_are_found);
  suite_add_tcase(suite, tcase);
  return suite;
}
