/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans edited by hand: legal edits are scored, illegal ones refused with the path of the edit. */
#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "suites.h"

static explored made; /* raider on torus16, hybrid parallelisms: 32 cores, 4 x 4 chips */
static char *text;
static reading read_back;

static void set_up(void) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID);
  made = explore_bundled("raider", "torus16", "256", &options);
  text = dsm_plan_print(made.plan);
  ck_assert_ptr_nonnull(text);
}

static void tear_down(void) {
  reading_free(&read_back);
  free(text);
  text = NULL;
  explored_free(&made);
}

static void read_edited(const edit *edits, size_t edit_count) {
  char *const changed = edited(text, edits, edit_count);
  read_back = read_plan(changed);
  free(changed);
}

/* All passes of conv1 with data parallelism: 16 samples a chip, a kernel of 9 positions, 256
 * positions of the feature, 8 output features and 1 input feature. */
#define DATA(pass)                                                                                 \
  {"layers.0.passes." pass ".parallelism", "\"data\""}, {                                          \
    "layers.0.passes." pass ".core_split",                                                         \
        "{\"in\": 1, \"out\": 1, \"ij\": 2, \"kij\": 1, \"mb\": 16}"                               \
  }
#define SPLIT(values)                                                                              \
  { "layers.0.passes.forward.core_split", values }

enum { EDITS_MAX = 6 };

typedef struct legal_case {
  edit edits[EDITS_MAX];
} legal_case;

static const legal_case legal[] = {
    {{DATA("forward"), DATA("update")}},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 8, \"ij\": 4, \"kij\": 1, \"mb\": 1}")}},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"mb\": 4, \"kij\": 8, \"ij\": 1, \"out\": 1, \"in\": 1}")}},
};

static size_t count_edits(const edit *edits) {
  size_t count = 0;
  while (count < EDITS_MAX && edits[count].path != NULL) {
    count++;
  }
  return count;
}

START_TEST(test_legal_edit_is_scored_and_keeps_every_invariant) {
  read_edited(legal[_i].edits, count_edits(legal[_i].edits));
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_uint_eq(dsm_diags_count(read_back.diags), 0);
  ck_assert_int_eq(dsm_plan_validate(read_back.plan, NULL), DSM_OK);
}
END_TEST

START_TEST(test_legal_edit_is_not_faster_than_what_was_found) {
  read_edited(legal[_i].edits, count_edits(legal[_i].edits));
  ck_assert_double_ge(read_back.plan->result.step_cycles,
                      made.plan->result.step_cycles * (1 - 1e-11));
}
END_TEST

START_TEST(test_edited_split_is_what_the_plan_then_has) {
  const edit edits[] = {DATA("forward"), DATA("update"),
                        SPLIT("{\"in\": 1, \"out\": 8, \"ij\": 4, \"kij\": 1, \"mb\": 1}")};
  read_edited(edits, 5);
  const dsm_pass_plan *const pass = &read_back.plan->layers[0].passes[DSM_PASS_FORWARD];
  ck_assert_uint_eq(pass->invocations[0].split.n[DSM_DIM_OUT], 8);
  ck_assert_uint_eq(pass->invocations[0].core.n[DSM_DIM_OUT], 1);
  ck_assert_uint_eq(pass->invocations[0].core.n[DSM_DIM_IJ], 64);
  ck_assert_uint_eq(pass->invocations[0].core.n[DSM_DIM_MB], 16);
}
END_TEST

/* What follows from the decisions is predicted anew, whatever the text says. */
START_TEST(test_predicted_numbers_of_the_text_are_not_believed) {
  const edit edits[] = {{"result.step_cycles", "1"},
                        {"result.utilization", "0.99"},
                        {"layers.0.passes.forward.cycles.total", "1"},
                        {"layers.0.passes.forward.bound", "\"memory\""},
                        {"layers.0.passes.forward.chip.mb", "77"}};
  read_edited(edits, 5);
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_double_eq(read_back.recorded_step_cycles, 1);
  ck_assert_double_eq(read_back.plan->result.step_cycles, made.plan->result.step_cycles);
  ck_assert_double_eq(read_back.plan->result.utilization, made.plan->result.utilization);
}
END_TEST

START_TEST(test_predicted_numbers_may_be_absent) {
  static const edit absent[] = {{"result", NULL},
                                {"dsm_version", NULL},
                                {"layers.0.dysm_factor", NULL},
                                {"layers.0.output_on_chip", NULL},
                                {"layers.0.weights_on_chip", NULL},
                                {"layers.0.pipeline_group", NULL},
                                {"layers.0.passes.forward.chip", NULL},
                                {"layers.0.passes.forward.cycles", NULL},
                                {"layers.0.passes.forward.invocations", NULL},
                                {"layers.0.passes.forward.transfers", NULL},
                                {"options.overrides", NULL}};
  read_edited(absent, sizeof absent / sizeof absent[0]);
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_double_eq(read_back.recorded_step_cycles, 0);
  ck_assert_double_eq(read_back.plan->result.step_cycles, made.plan->result.step_cycles);
}
END_TEST

START_TEST(test_lower_bound_is_left_to_its_own_function) {
  read_edited(NULL, 0);
  ck_assert_double_eq(read_back.plan->result.lower_bound_cycles, 0);
  ck_assert_int_eq(dsm_plan_bound(read_back.plan, NULL), DSM_OK);
  ck_assert_double_eq(read_back.plan->result.lower_bound_cycles,
                      made.plan->result.lower_bound_cycles);
}
END_TEST

START_TEST(test_workload_may_be_changed_together_with_the_minibatch) {
  const edit edits[] = {{"minibatch", "512"}, {"workload.minibatch", "512"}};
  read_edited(edits, 2);
  ck_assert_int_eq(read_back.status, DSM_OK);
  ck_assert_uint_eq(read_back.plan->workload->minibatch, 512);
}
END_TEST

/* ---- illegal edits, and where the first finding points ---- */

typedef struct illegal_case {
  edit edits[EDITS_MAX];
  const char *path;
} illegal_case;

#define FORWARD "$.layers[0].passes.forward"

static const illegal_case illegal[] = {
    /* products of 16 and of 64 */
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 16}")},
     FORWARD ".core_split"},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 1, \"ij\": 4, \"kij\": 1, \"mb\": 16}")},
     FORWARD ".core_split"},
    /* no divisor of 32 */
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 3, \"ij\": 2, \"kij\": 1, \"mb\": 16}")},
     FORWARD ".core_split.out"},
    /* more parts than a chip has of a loop: 1 input feature, 8 output features, 9 positions, 16
     * samples */
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 2, \"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 16}")},
     FORWARD ".core_split.in"},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 16, \"ij\": 2, \"kij\": 1, \"mb\": 1}")},
     FORWARD ".core_split.out"},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 1, \"ij\": 2, \"kij\": 16, \"mb\": 1}")},
     FORWARD ".core_split.kij"},
    {{DATA("forward"), DATA("update"),
      SPLIT("{\"in\": 1, \"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 32}")},
     FORWARD ".core_split.mb"},
    {{SPLIT("{\"in\": 0, \"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 32}")},
     FORWARD ".core_split.in"},
    {{SPLIT("{\"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 32}")}, FORWARD ".core_split.in"},
    {{{"layers.0.passes.forward.core_split", NULL}}, FORWARD ".core_split"},
    /* parallelisms */
    {{{"layers.0.passes.forward.parallelism", "\"both\""}}, FORWARD ".parallelism"},
    {{{"layers.0.passes.forward.parallelism", NULL}}, FORWARD ".parallelism"},
    {{DATA("forward"), DATA("update"), {"options.parallelisms", "[\"model\"]"}},
     FORWARD ".parallelism"},
    {{{"optimizations", "[]"}, {"layers.0.passes.forward.parallelism", "\"data_x_model_y\""}},
     FORWARD ".parallelism"},
    {{DATA("forward"), {"layers.0.passes.update.parallelism", "\"model\""}},
     "$.layers[0].passes.update.parallelism"},
    {{{"options.parallelisms", "[]"}}, "$.options.parallelisms"},
    /* layers */
    {{{"layers.0.name", "\"conv2\""}}, "$.layers[0].name"},
    {{{"layers.0.name", "\"conv2\""}, {"layers.1.name", "\"conv1\""}}, "$.layers[0].name"},
    {{{"layers.0.name", NULL}}, "$.layers[0].name"},
    {{{"layers.3", NULL}}, "$.layers"},
    {{{"layers", "[]"}}, "$.layers"},
    {{{"layers", NULL}}, "$.layers"},
    {{{"layers.0.colour", "1"}}, "$.layers[0].colour"},
    {{{"layers.0.dysm_factor", "2"}}, "$.layers[0].dysm_factor"},
    {{{"layers.0.output_on_chip", "true"}}, "$.layers[0].output_on_chip"},
    {{{"layers.0.weights_on_chip", "0.5"}}, "$.layers[0].weights_on_chip"},
    {{{"layers.0.pipeline_group", "\"x\""}}, "$.layers[0].pipeline_group"},
    /* passes */
    {{{"layers.1.passes.backward", NULL}}, "$.layers[1].passes.backward"},
    {{{"layers.0.passes.backward", "{}"}}, "$.layers[0].passes.backward"},
    {{{"layers.0.passes.sideward", "{}"}}, "$.layers[0].passes.sideward"},
    {{{"layers.0.passes.forward.speed", "1"}}, FORWARD ".speed"},
    {{{"mode", "\"inference\""}}, "$.layers[0].passes.update"},
    /* the top */
    {{{"minibatch", "128"}}, "$.minibatch"},
    {{{"workload.minibatch", "128"}}, "$.minibatch"},
    {{{"mode", "\"trainin\""}}, "$.mode"},
    {{{"colour", "1"}}, "$.colour"},
    {{{"result", "7"}}, "$.result"},
    {{{"result.step_cycles", "\"many\""}}, "$.result.step_cycles"},
    {{{"workload.layers.1.in", "7"}}, "$.workload.layers[1].in"},
    {{{"system.chip.cores", "0"}}, "$.system.chip.cores"},
};

START_TEST(test_illegal_edit_is_refused_where_it_is) {
  const illegal_case *const each = &illegal[_i];
  read_edited(each->edits, count_edits(each->edits));
  ck_assert_int_eq(read_back.status, DSM_ERROR_INVALID);
  ck_assert_ptr_null(read_back.plan);
  ck_assert_uint_ge(dsm_diags_count(read_back.diags), 1);
  const dsm_diag *const diag = dsm_diags_get(read_back.diags, 0);
  ck_assert_str_eq(diag->path, each->path);
  ck_assert_str_eq(diag->file, "plan.json");
  ck_assert_uint_ge(diag->line, 1);
  ck_assert_uint_ge(diag->column, 1);
}
END_TEST

START_TEST(test_all_illegal_edits_are_reported) {
  const edit edits[] = {{"layers.0.passes.forward.parallelism", "\"both\""},
                        {"layers.1.passes.forward.core_split.mb", "3"},
                        {"layers.2.colour", "1"},
                        {"layers.3.name", "\"fc5\""}};
  read_edited(edits, 4);
  ck_assert_int_eq(read_back.status, DSM_ERROR_INVALID);
  ck_assert_uint_eq(dsm_diags_count(read_back.diags), 4);
}
END_TEST

/* A layer too small for its cores may be split in any way: nothing valid exists. */
START_TEST(test_split_of_a_layer_too_small_for_the_cores_need_not_be_valid) {
  static const char tiny[] =
      "{\"format\": \"dsm-plan/1\", \"mode\": \"inference\", \"minibatch\": 1,"
      " \"optimizations\": [], \"options\": {\"parallelisms\": [\"data\"]}, \"layers\": [{\"name\":"
      " \"f\", \"passes\": {\"forward\": {\"parallelism\": \"data\", \"core_split\": {\"in\": 1,"
      " \"out\": 1, \"ij\": 8, \"kij\": 1, \"mb\": 1}}}}], \"workload\": {\"format\":"
      " \"dsm-workload/1\", \"name\": \"w\", \"minibatch\": 1, \"layers\": [{\"name\": \"f\","
      " \"type\": \"fc\", \"in\": 2, \"out\": 2}]}, \"system\": {\"format\": \"dsm-system/1\","
      " \"name\": \"s\", \"core\": {\"frequency_GHz\": 1, \"scratchpad_MiB\": 1,"
      " \"scratchpad_bandwidth_GBps\": 1}, \"chip\": {\"cores\": 8, \"interconnect\": \"ring\","
      " \"core_link_bandwidth_GBps\": 1, \"memory\": {\"capacity_GB\": 1, \"bandwidth_GBps\": 1}},"
      " \"system\": {\"topology\": \"torus_2d\", \"chips_x\": 1, \"chips_y\": 1,"
      " \"link_bandwidth_x_GBps\": 1, \"link_bandwidth_y_GBps\": 1}}}";
  read_back = read_plan(tiny);
  ck_assert_int_eq(read_back.status, DSM_OK);
}
END_TEST

START_TEST(test_missing_file_is_an_io_error) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_plan_load(&plan, "/nonexistent/x.json", NULL, NULL), DSM_ERROR_IO);
  ck_assert_ptr_null(plan);
}
END_TEST

START_TEST(test_no_plan_is_freed) {
  dsm_plan_free(NULL);
}
END_TEST

Suite *suite_plan_json(void) {
  Suite *const suite = suite_create("plan_json");
  TCase *const tcase = tcase_create("edits");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_loop_test(tcase, test_legal_edit_is_scored_and_keeps_every_invariant, 0,
                      COUNT_OF(legal));
  tcase_add_loop_test(tcase, test_legal_edit_is_not_faster_than_what_was_found, 0, COUNT_OF(legal));
  tcase_add_test(tcase, test_edited_split_is_what_the_plan_then_has);
  tcase_add_test(tcase, test_predicted_numbers_of_the_text_are_not_believed);
  tcase_add_test(tcase, test_predicted_numbers_may_be_absent);
  tcase_add_test(tcase, test_lower_bound_is_left_to_its_own_function);
  tcase_add_test(tcase, test_workload_may_be_changed_together_with_the_minibatch);
  tcase_add_loop_test(tcase, test_illegal_edit_is_refused_where_it_is, 0, COUNT_OF(illegal));
  tcase_add_test(tcase, test_all_illegal_edits_are_reported);
  suite_add_tcase(suite, tcase);
  TCase *const others = tcase_create("others");
  tcase_add_checked_fixture(others, NULL, tear_down);
  tcase_add_test(others, test_split_of_a_layer_too_small_for_the_cores_need_not_be_valid);
  tcase_add_test(others, test_missing_file_is_an_io_error);
  tcase_add_test(others, test_no_plan_is_freed);
  suite_add_tcase(suite, others);
  return suite;
}
