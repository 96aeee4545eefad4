/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_diff.c: plans of small networks side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small.h"
#include "suites.h"

/* Layers whose names are like indices and like paths. */
static const char network[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 16, \"layers\": ["
    "{ \"name\": \"first\", \"type\": \"conv\", \"in\": 3, \"out\": 8, \"feature\": [16, 16],"
    "  \"kernel\": [3, 3], \"aux\": [{ \"op\": \"bias\" }, { \"op\": \"relu\" }] },"
    "{ \"name\": \"a.b\", \"type\": \"conv\", \"in\": 8, \"out\": 16, \"feature\": [16, 16] },"
    "{ \"name\": \"7\", \"type\": \"fc\", \"in\": 4096, \"out\": 64 },"
    "{ \"name\": \"last\", \"type\": \"fc\", \"in\": 64, \"out\": 16 } ] }";

/* What is asked instead. */
typedef struct change {
  const dsm_override *workload;
  size_t workload_count;
  const dsm_override *system;
  size_t system_count;
  dsm_mode mode;
} change;

/* Explores a network with changes; the plan owns its inputs. */
static dsm_plan *plan_of(const char *text, const change *with) {
  char path[512];
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_explore_options options;
  dsm_plan *plan = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  snprintf(path, sizeof path, "%s/systems/torus16.json", DSM_SOURCE_DIR);
  dsm_explore_options_init(&options);
  options.mode = with->mode;
  options.optimizations = dsm_mode_optimizations(with->mode);
  dsm_status status = dsm_workload_parse(&workload, text, strlen(text), "w.json", with->workload,
                                         with->workload_count, diags);
  if (status == DSM_OK) {
    status = dsm_system_load(&system, path, with->system, with->system_count, diags);
  }
  if (status == DSM_OK) {
    status = dsm_explore(&plan, workload, system, &options, diags);
  }
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  plan->owned_workload = workload;
  plan->owned_system = system;
  dsm_diags_free(diags);
  return plan;
}

static dsm_diff *diff_of(const dsm_plan *a, const dsm_plan *b) {
  dsm_diff *diff = NULL;
  ck_assert_int_eq(dsm_diff_derive(&diff, a, b, NULL), DSM_OK);
  ck_assert(diff->a == a && diff->b == b);
  return diff;
}

static void expect_input(const dsm_input_difference *input, const char *path, const char *a,
                         const char *b) {
  ck_assert_str_eq(input->path, path);
  ck_assert_pstr_eq(input->a, a);
  ck_assert_pstr_eq(input->b, b);
}

/* ---- inputs ---- */

START_TEST(test_a_plan_does_not_differ_from_itself) {
  dsm_plan *const a = plan_of(network, &(change){.mode = DSM_MODE_TRAINING});
  dsm_plan *const b = plan_of(network, &(change){.mode = DSM_MODE_TRAINING});
  dsm_diff *const diff = diff_of(a, b);
  ck_assert(!diff->is_different);
  ck_assert_uint_eq(diff->input_count + diff->layer_count + diff->decision_count + diff->pass_count,
                    0);
  ck_assert_double_eq(diff->difference_seconds, 0);
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

static const struct {
  bool is_workload;
  dsm_override override;
  const char *path; /* NULL: that of the override */
  const char *a;
  const char *b;
} input_changes[] = {
    {true, {.path = "minibatch", .value = "32"}, NULL, "16", "32"},
    {true, {.path = "layers.first.out", .value = "8"}, NULL, NULL, NULL},
    {true, {.path = "layers.first.kernel", .value = "[5, 5]"}, NULL, "[3,3]", "[5,5]"},
    {true, {.path = "layers.a.b.kernel", .value = "[3, 3]"}, NULL, "[1,1]", "[3,3]"},
    {true, {.path = "layers.a.b.groups", .value = "2"}, NULL, "1", "2"},
    {true, {.path = "layers.last.timesteps", .value = "1"}, NULL, NULL, NULL},
    {true, {.path = "layers.first.aux.1.op", .value = "tanh"}, NULL, "\"relu\"", "\"tanh\""},
    {true,
     {.path = "layers.first.aux", .value = "[]"},
     NULL,
     "[{\"op\":\"bias\"},{\"op\":\"relu\"}]",
     NULL},
    {true,
     {.path = "layers.2.aux", .value = "[{\"op\": \"relu\"}]"},
     NULL,
     NULL,
     "[{\"op\":\"relu\"}]"},
    {true, {.path = "layers.last.name", .value = "end"}, "layers.last", "{", NULL},
    {true, {.path = "source", .value = "a \"book\""}, NULL, NULL, "\"a \\\"book\\\"\""},
    {false, {.path = "core.scratchpad_MiB", .value = "2"}, NULL, "1", "2"},
    {false, {.path = "model.layout_move", .value = "always"}, NULL, "\"none\"", "\"always\""},
    {false,
     {.path = "core.transcendental_passes", .value = "4"},
     NULL,
     NULL,
     NULL}, /* its default */
    {false, {.path = "notes.core.frequency_GHz", .value = "guessed"}, NULL, NULL, "\"guessed\""},
};

/* Values that are not there, or are the same, have no difference; else the first is this one. */
START_TEST(test_each_value_that_differs_is_named_as_set_takes_it) {
  const bool is_workload = input_changes[_i].is_workload;
  const dsm_override *const override = &input_changes[_i].override;
  dsm_plan *const a = plan_of(network, &(change){.mode = DSM_MODE_INFERENCE});
  const change with = {.workload = override,
                       .workload_count = is_workload ? 1 : 0,
                       .system = override,
                       .system_count = is_workload ? 0 : 1,
                       .mode = DSM_MODE_INFERENCE};
  dsm_plan *const b = plan_of(network, &with);
  dsm_diff *const diff = diff_of(a, b);
  const char *const wanted = input_changes[_i].path;
  if (input_changes[_i].a == NULL && input_changes[_i].b == NULL) {
    ck_assert_uint_eq(diff->input_count, 0);
    ck_assert(!diff->is_different);
  } else {
    char path[128];
    ck_assert_uint_ge(diff->input_count, 1);
    snprintf(path, sizeof path, "%s.%s", is_workload ? "workload" : "system",
             wanted == NULL ? override->path : wanted);
    ck_assert(diff->is_different);
    if (wanted == NULL && input_changes[_i].a == NULL) {
      /* what is new may stand behind a note that the override replaced */
      ck_assert_str_eq(diff->inputs[0].path, path);
      ck_assert_pstr_eq(diff->inputs[0].b, input_changes[_i].b);
    } else if (wanted == NULL) {
      ck_assert_uint_eq(diff->input_count, 1);
      expect_input(&diff->inputs[0], path, input_changes[_i].a, input_changes[_i].b);
    } else {
      ck_assert_uint_eq(diff->input_count, 2); /* one that is gone, one that came */
      ck_assert_str_eq(diff->inputs[0].path, path);
      ck_assert_int_eq(strncmp(diff->inputs[0].a, "{", 1), 0);
      ck_assert_ptr_null(diff->inputs[0].b);
      ck_assert_ptr_null(diff->inputs[1].a);
    }
  }
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

/* The paths and values of B, put into A's question, ask what B does. */
START_TEST(test_the_differences_lead_from_a_to_b) {
  static const dsm_override of_workload[] = {{.path = "minibatch", .value = "64"},
                                             {.path = "layers.2.out", .value = "32"},
                                             {.path = "layers.last.in", .value = "32"},
                                             {.path = "layers.a.b.kernel", .value = "[3,5]"},
                                             {.path = "layers.first.aux.1.op", .value = "sigmoid"}};
  static const dsm_override of_system[] = {{.path = "system.chips_x", .value = "2"},
                                           {.path = "core.frequency_GHz", .value = "1.5"}};
  enum { WORKLOAD_COUNT = 5, SYSTEM_COUNT = 2 };
  const change with = {of_workload, WORKLOAD_COUNT, of_system, SYSTEM_COUNT, DSM_MODE_TRAINING};
  dsm_plan *const a = plan_of(network, &(change){.mode = DSM_MODE_TRAINING});
  dsm_plan *const b = plan_of(network, &with);
  dsm_diff *const diff = diff_of(a, b);
  dsm_override workload[WORKLOAD_COUNT];
  dsm_override system[SYSTEM_COUNT];
  change again = {workload, 0, system, 0, DSM_MODE_TRAINING};
  ck_assert_uint_eq(diff->input_count, WORKLOAD_COUNT + SYSTEM_COUNT);
  for (size_t i = 0; i < diff->input_count; i++) {
    const dsm_input_difference *const input = &diff->inputs[i];
    if (strncmp(input->path, "workload.", strlen("workload.")) == 0) {
      workload[again.workload_count++] =
          (dsm_override){.path = input->path + strlen("workload."), .value = input->b};
    } else {
      ck_assert_int_eq(strncmp(input->path, "system.", strlen("system.")), 0);
      system[again.system_count++] =
          (dsm_override){.path = input->path + strlen("system."), .value = input->b};
    }
  }
  dsm_plan *const same = plan_of(network, &again);
  dsm_diff *const none = diff_of(same, b);
  ck_assert(!none->is_different);
  dsm_diff_free(none);
  dsm_diff_free(diff);
  dsm_plan_free(same);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

START_TEST(test_another_order_of_layers_is_a_difference_of_the_list) {
  static const char format[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 16, \"layers\": ["
      "{ \"name\": \"%s\", \"type\": \"fc\", \"in\": 64, \"out\": 64 },"
      "{ \"name\": \"%s\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }";
  char one[512];
  char other[512];
  snprintf(one, sizeof one, format, "x", "y");
  snprintf(other, sizeof other, format, "y", "x");
  dsm_plan *const a = plan_of(one, &(change){.mode = DSM_MODE_INFERENCE});
  dsm_plan *const b = plan_of(other, &(change){.mode = DSM_MODE_INFERENCE});
  dsm_diff *const diff = diff_of(a, b);
  ck_assert_uint_eq(diff->input_count, 1);
  expect_input(&diff->inputs[0], "workload.layers", "[\"x\", \"y\"]", "[\"y\", \"x\"]");
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

START_TEST(test_options_are_inputs) {
  dsm_plan *const a = plan_of(network, &(change){.mode = DSM_MODE_TRAINING});
  dsm_plan *const b = plan_of(network, &(change){.mode = DSM_MODE_INFERENCE});
  dsm_diff *const diff = diff_of(a, b);
  ck_assert_uint_eq(diff->input_count, 2);
  expect_input(&diff->inputs[0], "options.mode", "\"training\"", "\"inference\"");
  ck_assert_str_eq(diff->inputs[1].path, "options.optimize");
  size_t only_in_a = 0;
  for (size_t i = 0; i < diff->pass_count; i++) {
    const dsm_pass_difference *const pass = &diff->passes[i];
    const bool is_gone = pass->pass != DSM_PASS_FORWARD;
    ck_assert_int_eq(pass->presence, is_gone ? DSM_PRESENCE_MISSING : DSM_PRESENCE_BOTH);
    only_in_a += is_gone ? 1 : 0;
    ck_assert(!is_gone || !(pass->seconds.after > 0));
  }
  ck_assert_uint_eq(only_in_a, 7); /* the first layer has no backward pass */
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

/* ---- times ---- */

static const bundled_question questions[] = {
    {"raider", "torus64", DSM_MODE_TRAINING, NULL},
    {"alexnet", "torus64", DSM_MODE_TRAINING, NULL},
    {"alexnet", "torus16", DSM_MODE_INFERENCE, NULL},
    {"gnmt", "torus64", DSM_MODE_TRAINING, NULL},
    {"vgg16", "torus64", DSM_MODE_TRAINING, "exact"},
};

/* Any two, whatever their layers. */
START_TEST(test_the_passes_explain_the_step) {
  dsm_plan *const a = explored(&questions[_i / COUNT_OF(questions)]);
  dsm_plan *const b = explored(&questions[_i % COUNT_OF(questions)]);
  dsm_diff *const diff = diff_of(a, b);
  const double step = b->result.step_seconds - a->result.step_seconds;
  const double scale = a->result.step_seconds + b->result.step_seconds;
  double total = 0;
  double shares = 0;
  for (size_t i = 0; i < diff->pass_count; i++) {
    const dsm_pass_difference *const pass = &diff->passes[i];
    total += pass->difference_seconds;
    shares += pass->share;
    ck_assert_double_eq_tol(pass->difference_seconds, pass->seconds.after - pass->seconds.before,
                            1e-12 * scale);
    ck_assert(i == 0 || fabs(pass->difference_seconds) <= fabs(pass[-1].difference_seconds));
  }
  ck_assert_double_eq_tol(total, step, 1e-9 * scale);
  ck_assert_double_eq(diff->difference_seconds, step);
  if (fabs(step) > 0) {
    ck_assert_double_eq_tol(shares, 1, 1e-9 * scale / fabs(step));
  } else {
    ck_assert(!diff->is_different);
  }
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

/* All rates a cycle stay: the step is as long in cycles, and twice as long in seconds. */
START_TEST(test_machines_may_differ_in_the_length_of_a_cycle) {
  static const dsm_override half[] = {{.path = "core.frequency_GHz", .value = "1"},
                                      {.path = "core.scratchpad_bandwidth_GBps", .value = "64"},
                                      {.path = "chip.core_link_bandwidth_GBps", .value = "128"},
                                      {.path = "chip.memory.bandwidth_GBps", .value = "128"},
                                      {.path = "system.link_bandwidth_x_GBps", .value = "60"},
                                      {.path = "system.link_bandwidth_y_GBps", .value = "20"}};
  const change with = {.system = half, .system_count = COUNT_OF(half), .mode = DSM_MODE_TRAINING};
  dsm_plan *const a = plan_of(network, &(change){.mode = DSM_MODE_TRAINING});
  dsm_plan *const b = plan_of(network, &with);
  dsm_diff *const diff = diff_of(a, b);
  ck_assert_uint_eq(diff->input_count, COUNT_OF(half));
  ck_assert_uint_eq(diff->decision_count, 0);
  ck_assert_uint_eq(diff->pass_count, 11);
  for (size_t i = 0; i < diff->pass_count; i++) {
    ck_assert(!diff->passes[i].cycles.is_beyond);
    ck_assert_double_eq_tol(diff->passes[i].seconds.change, 1, 1e-9);
  }
  dsm_diff_free(diff);
  dsm_plan_free(a);
  dsm_plan_free(b);
}
END_TEST

START_TEST(test_nothing_is_freed) {
  dsm_diff_free(NULL);
}
END_TEST

Suite *suite_diff(void) {
  Suite *const suite = suite_create("diff");
  TCase *const cases = tcase_create("diff");
  tcase_set_timeout(cases, 300);
  tcase_add_test(cases, test_a_plan_does_not_differ_from_itself);
  tcase_add_loop_test(cases, test_each_value_that_differs_is_named_as_set_takes_it, 0,
                      COUNT_OF(input_changes));
  tcase_add_test(cases, test_the_differences_lead_from_a_to_b);
  tcase_add_test(cases, test_another_order_of_layers_is_a_difference_of_the_list);
  tcase_add_test(cases, test_options_are_inputs);
  tcase_add_loop_test(cases, test_the_passes_explain_the_step, 0,
                      COUNT_OF(questions) * COUNT_OF(questions));
  tcase_add_test(cases, test_machines_may_differ_in_the_length_of_a_cycle);
  tcase_add_test(cases, test_nothing_is_freed);
  suite_add_tcase(suite, cases);
  return suite;
}
