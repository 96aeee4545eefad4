/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mapping that stays while parameters are varied; cli.sensitivity holds every number against the
 * plan's text with the value in it. */
#include <stdlib.h>
#include <string.h>

#include "small.h"
#include "suites.h"

static const double tolerance = 1e-12;

static dsm_plan *explored(const dsm_elasticity_request *request) {
  dsm_plan *plan = NULL;
  ck_assert_int_eq(
      dsm_explore(&plan, request->workloads[0], request->system, &request->options, NULL), DSM_OK);
  return plan;
}

/* 8448 bytes at a byte a cycle. What the request says beside the plan is not looked at. */
START_TEST(test_a_step_bound_by_memory) {
  dsm_system *const system = small_system(NULL, 0);
  dsm_workload *const workload = small_network(NULL, 0);
  const dsm_workload *const workloads[] = {workload};
  const dsm_elasticity_request question = small_request(system, workloads, 1);
  dsm_plan *const plan = explored(&question);
  const dsm_elasticity_request request = {.kept = plan, .choice = DSM_VARIATIONS_TENTH_BETTER};
  dsm_elasticity *const kept = derived(&request);
  ck_assert(kept->is_mapping_kept);
  ck_assert_ptr_eq(kept->system, system);
  ck_assert_uint_eq(kept->workload_count, 1);
  ck_assert_int_eq(kept->options.mode, DSM_MODE_INFERENCE);
  ck_assert_double_eq(kept->references[0].step_cycles, 8448);
  const dsm_varied_parameter *const memory = &kept->parameters[0];
  ck_assert_str_eq(memory->path, "chip.memory.bandwidth_GBps");
  ck_assert_double_eq_tol(memory->variations[0].responses[0].time_ratio, 1 / 1.1, tolerance);
  ck_assert_double_eq_tol(memory->slopes[0].elasticity, -1, tolerance);
  ck_assert_double_eq(parameter_at(kept, "core.frequency_GHz")->influence, 0);
  dsm_elasticity_free(kept);
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

static const dsm_response *only_response(const dsm_elasticity *kept, const char *path, size_t v) {
  return &parameter_at(kept, path)->variations[v].responses[0];
}

START_TEST(test_what_the_mapping_does_not_allow_says_why) {
  static const char *const paths[] = {"chip.cores", "chip.memory.capacity_GB",
                                      "core.resident_weight_fraction", "core.frequency_GHz"};
  dsm_system *const system = bundled_system("torus16");
  dsm_workload *const workload = bundled_workload("vgg16");
  const dsm_workload *const workloads[] = {workload};
  dsm_elasticity_request question = small_request(system, workloads, 1);
  dsm_explore_options_init(&question.options);
  dsm_plan *const plan = explored(&question);
  dsm_system tight = *system;
  tight.chip.memory.capacity_GB = plan->result.memory.total_bytes / 1e9;
  plan->system = &tight;
  const dsm_elasticity_request request = {
      .kept = plan, .paths = paths, .path_count = COUNT_OF(paths)};
  dsm_elasticity *const kept = derived(&request);
  ck_assert_ptr_nonnull(
      strstr(only_response(kept, "chip.cores", 0)->why_not, "conv1_1: expected a divisor of the "));
  ck_assert_ptr_nonnull(
      strstr(only_response(kept, "chip.memory.capacity_GB", 0)->why_not, "the plan needs "));
  ck_assert_double_eq(only_response(kept, "chip.memory.capacity_GB", 1)->time_ratio, 1);
  ck_assert_ptr_nonnull(strstr(only_response(kept, "core.resident_weight_fraction", 1)->why_not,
                               "expected a number from 0 to 1"));
  ck_assert_double_lt(only_response(kept, "core.frequency_GHz", 1)->time_ratio, 1);
  dsm_elasticity_free(kept);
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  dsm_system_free(system);
}
END_TEST

Suite *suite_kept(void) {
  Suite *const suite = suite_create("kept");
  TCase *const core = tcase_create("core");
  tcase_set_timeout(core, 60);
  tcase_add_test(core, test_a_step_bound_by_memory);
  tcase_add_test(core, test_what_the_mapping_does_not_allow_says_why);
  suite_add_tcase(suite, core);
  return suite;
}
