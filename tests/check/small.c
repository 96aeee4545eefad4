/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "small.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small_text[] =
    "{ \"format\": \"dsm-plan/1\", \"mode\": \"inference\", \"minibatch\": 1,\n"
    "  \"optimizations\": [], \"options\": { \"parallelisms\": [\"data\", \"model\"] },\n"
    "  \"result\": { \"step_cycles\": 1000, \"step_seconds\": 5e-7, \"utilization\": 0.25 },\n"
    "  \"layers\": [\n"
    "    { \"name\": \"fc\", \"passes\": { \"forward\": {\n"
    "      \"parallelism\": \"data\", \"cycles\": { \"total\": 1000 }, \"utilization\": 0.25,\n"
    "      \"core_split\": { \"in\": 1, \"out\": 4, \"ij\": 1, \"kij\": 1, \"mb\": 1 } } } } ],\n"
    "  \"workload\": { \"format\": \"dsm-workload/1\", \"name\": \"one\", \"minibatch\": 1,\n"
    "    \"layers\": [ { \"name\": \"fc\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] },\n"
    "  \"system\": { \"format\": \"dsm-system/1\", \"name\": \"small\",\n"
    "    \"pe\": { \"simd_macs\": 1 },\n"
    "    \"array\": { \"rows\": 4, \"columns\": 4, \"startup_cycles\": 0 },\n"
    "    \"core\": { \"frequency_GHz\": 2, \"scratchpad_MiB\": 1,\n"
    "      \"scratchpad_bandwidth_GBps\": 1 },\n"
    "    \"chip\": { \"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "      \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 1 } },\n"
    "    \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 1, \"chips_y\": 1,\n"
    "      \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 } } }\n";

char *small_baseline_with(const char *part, const char *replacement) {
  const char *const at = strstr(small_text, part);
  ck_assert_msg(at != NULL, "no %s in the small baseline", part);
  const size_t size = sizeof small_text + strlen(replacement);
  char *const text = malloc(size);
  ck_assert_ptr_nonnull(text);
  snprintf(text, size, "%.*s%s%s", (int)(at - small_text), small_text, replacement,
           at + strlen(part));
  return text;
}

dsm_baseline *baseline_of(const char *text, const dsm_override *overrides, size_t override_count) {
  dsm_baseline *baseline = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status =
      dsm_baseline_parse(&baseline, text, strlen(text), "b.json", overrides, override_count, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  return baseline;
}

dsm_plan *explored(const bundled_question *question) {
  char path[512];
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  const dsm_override layout_move = {.path = "model.layout_move", .value = question->layout_move};
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, question->workload);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, question->system);
  ck_assert_int_eq(
      dsm_system_load(&system, path, &layout_move, question->layout_move == NULL ? 0 : 1, NULL),
      DSM_OK);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = question->mode;
  options.optimizations = dsm_mode_optimizations(question->mode);
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  plan->owned_workload = workload;
  plan->owned_system = system;
  return plan;
}
