/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/path_steps.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "dsm/dsm.h"

static const char net[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"a.b\", \"type\": \"conv\", \"in\": 3, \"out\": 4, \"feature\": [8, 8],\n"
    "    \"aux\": [{ \"op\": \"relu\" }, { \"op\": \"max_pool\", \"window\": [2, 2] }] },\n"
    "  { \"name\": \"fc\", \"type\": \"fc\", \"in\": 64, \"out\": 8 } ] }\n";

static const char server[] =
    "{ \"format\": \"dsm-server/1\", \"name\": \"s\", \"devices\": [\n"
    "  { \"name\": \"cpu\", \"kind\": \"times\", \"times\": { \"fc\": 0.5 } } ] }\n";

static void append(void *context, const char *name, bool leads_on) {
  dsm__text_printf(context, "%s%s ", name, leads_on ? "." : "");
}

/* The steps below a path must be `expected`: each with a space behind it. */
static void expect_steps(dsm_description kind, const char *text, const char *path,
                         const char *expected) {
  dsm__text_buffer found = {0};
  ck_assert_int_eq(dsm_path_steps(kind, text, strlen(text), path, append, &found), DSM_OK);
  ck_assert_str_eq(found.text, expected);
  dsm__text_fini(&found);
}

START_TEST(test_keys_that_are_there_come_first) {
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "",
               "format name minibatch layers. source element_bytes weight_bytes cache_bytes "
               "gradient_bytes "
               "partial_sum_bytes optimizer_bytes_per_weight optimizer "
               "master_weights normalization_group element_type types. parameters connected "
               "input. dataset. ");
}
END_TEST

START_TEST(test_items_are_named) {
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "layers", "a.b. fc. ");
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "layers.a.b.aux", "0. 1. ");
}
END_TEST

START_TEST(test_keys_of_a_layer_are_those_of_its_type) {
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "layers.fc",
               "name type in out inputs aux positions timesteps "
               "tied_to experts active_experts capacity_factor element_bytes weight_bytes "
               "types. ");
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "layers.0.aux.0", "op ");
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "layers.a.b.aux.1", "op window stride feature on ");
}
END_TEST

START_TEST(test_parameters_are_named) {
  static const char text[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": \"=batch\",\n"
      "  \"parameters\": { \"batch\": 8, \"hidden\": \"=8*batch\" }, \"layers\": [\n"
      "  { \"name\": \"fc\", \"type\": \"fc\", \"in\": \"=hidden\", \"out\": 8 } ] }\n";
  expect_steps(DSM_DESCRIPTION_WORKLOAD, text, "parameters", "batch hidden ");
}
END_TEST

START_TEST(test_objects_that_are_not_there_are_known) {
  expect_steps(DSM_DESCRIPTION_WORKLOAD, net, "input", "features feature ");
  expect_steps(DSM_DESCRIPTION_SYSTEM, "{}", "chip.memory",
               "capacity_GB bandwidth_GBps efficiency_ratio tile_minor tile_second stacks "
               "auxiliary_efficiency_ratio reserve_ratio ");
  expect_steps(DSM_DESCRIPTION_SERVER, "{}", "", "format name source devices ports pairs ");
}
END_TEST

START_TEST(test_keys_of_a_device_are_those_of_its_kind) {
  expect_steps(DSM_DESCRIPTION_SERVER, server, "devices.cpu",
               "name kind times. count accelerator memory_GB link_GBps incoming_GBps "
               "transfer_microseconds element_bytes weight_bytes power. source seconds_ratio ");
  expect_steps(DSM_DESCRIPTION_SERVER, server, "devices.cpu.times", "fc ");
}
END_TEST

START_TEST(test_steps_of_a_profile) {
  static const char profile[] =
      "{\"format\": \"dsm-profile/1\", \"name\": \"p\", \"devices\": [{\"name\": \"x\"}], "
      "\"tasks\": [{\"name\": \"t\", \"weights_bytes\": 1, \"output_bytes\": 2, \"seconds\": "
      "{\"x\": 3}}]}";
  expect_steps(DSM_DESCRIPTION_PROFILE, profile, "devices", "x. ");
  expect_steps(DSM_DESCRIPTION_PROFILE, profile, "tasks.t.seconds", "x ");
}
END_TEST

/* The path, and DSM_OK where every step can be set to what it is, or fails for its value alone. */
START_TEST(test_every_step_can_be_set) {
  dsm__text_buffer found = {0};
  ck_assert_int_eq(dsm_path_steps(DSM_DESCRIPTION_SYSTEM, "{}", 2, "model", append, &found),
                   DSM_OK);
  dsm_diags *const diags = dsm_diags_new(50);
  size_t count = 0;
  for (const char *at = found.text; *at != '\0'; at += strcspn(at, " ") + 1) {
    char path[100];
    (void)snprintf(path, sizeof path, "model.%.*s", (int)strcspn(at, " "), at);
    const dsm_override override = {.path = path, .value = "[]", .origin = "--set"};
    dsm_system *system = NULL;
    ck_assert_int_eq(dsm_system_parse(&system, "{}", 2, "s", &override, 1, diags),
                     DSM_ERROR_INVALID);
    for (size_t i = 0; i < dsm_diags_count(diags); i++) {
      ck_assert(strstr(dsm_diags_get(diags, i)->message, "unknown key") == NULL);
    }
    dsm_diags_clear(diags);
    count++;
  }
  ck_assert_uint_gt(count, 15);
  dsm_diags_free(diags);
  dsm__text_fini(&found);
}
END_TEST

START_TEST(test_path_that_leads_nowhere_is_invalid) {
  dsm__text_buffer found = {0};
  static const char *const paths[] = {"minibatch", "layers.2", "layers.fc.in", "input.feature",
                                      "nothing"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    ck_assert_int_eq(
        dsm_path_steps(DSM_DESCRIPTION_WORKLOAD, net, sizeof net - 1, paths[i], append, &found),
        DSM_ERROR_INVALID);
  }
  ck_assert_int_eq(dsm_path_steps(DSM_DESCRIPTION_WORKLOAD, "{", 1, "", append, &found),
                   DSM_ERROR_INVALID);
  ck_assert_int_eq(dsm_path_steps(DSM_DESCRIPTION_PLAN, "{}", 2, "", append, &found),
                   DSM_ERROR_USAGE);
  ck_assert_ptr_null(found.text);
}
END_TEST

int main(void) {
  Suite *const suite = suite_create("path_steps");
  TCase *const steps = tcase_create("steps");
  tcase_add_test(steps, test_keys_that_are_there_come_first);
  tcase_add_test(steps, test_items_are_named);
  tcase_add_test(steps, test_keys_of_a_layer_are_those_of_its_type);
  tcase_add_test(steps, test_parameters_are_named);
  tcase_add_test(steps, test_objects_that_are_not_there_are_known);
  tcase_add_test(steps, test_keys_of_a_device_are_those_of_its_kind);
  tcase_add_test(steps, test_steps_of_a_profile);
  tcase_add_test(steps, test_every_step_can_be_set);
  tcase_add_test(steps, test_path_that_leads_nowhere_is_invalid);
  suite_add_tcase(suite, steps);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
