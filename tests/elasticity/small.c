/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "small.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const char system_text[] =
    "{ \"format\": \"dsm-system/1\", \"name\": \"small\",\n"
    "  \"pe\": { \"simd_macs\": 1 },\n"
    "  \"array\": { \"rows\": 4, \"columns\": 4, \"startup_cycles\": 0 },\n"
    "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 1, \"scratchpad_bandwidth_GBps\": 1 "
    "},\n"
    "  \"chip\": { \"cores\": 1, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 1 } },\n"
    "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 1, \"chips_y\": 1,\n"
    "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 },\n"
    "  \"notes\": { \"core.frequency_GHz\": \"data sheet\",\n"
    "    \"array.rows\": \"assumption: as wide as high\",\n"
    "    \"array.columns\": \"derived: from the rows\" } }\n";

static const char network_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"one\", \"minibatch\": 1, \"layers\": [\n"
    "  { \"name\": \"fc\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";

dsm_system *small_system(const dsm_override *overrides, size_t count) {
  dsm_system *system = NULL;
  ck_assert_int_eq(
      dsm_system_parse(&system, system_text, strlen(system_text), "small", overrides, count, NULL),
      DSM_OK);
  return system;
}

dsm_workload *small_network(const dsm_override *overrides, size_t count) {
  dsm_workload *workload = NULL;
  ck_assert_int_eq(dsm_workload_parse(&workload, network_text, strlen(network_text), "one",
                                      overrides, count, NULL),
                   DSM_OK);
  return workload;
}

dsm_elasticity_request small_request(const dsm_system *system, const dsm_workload *const *workloads,
                                     size_t workload_count) {
  dsm_elasticity_request request = {
      .system = system, .workloads = workloads, .workload_count = workload_count};
  dsm_explore_options_init(&request.options);
  request.options.mode = DSM_MODE_INFERENCE;
  request.options.optimizations = 0;
  return request;
}

dsm_elasticity *derived(const dsm_elasticity_request *request) {
  dsm_elasticity *elasticity = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status = dsm_elasticity_derive(&elasticity, request, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  return elasticity;
}

const dsm_varied_parameter *parameter_at(const dsm_elasticity *elasticity, const char *path) {
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    if (strcmp(elasticity->parameters[p].path, path) == 0) {
      return &elasticity->parameters[p];
    }
  }
  ck_abort_msg("no parameter %s", path);
  return NULL;
}

dsm_system *bundled_system(const char *name) {
  char path[512];
  dsm_system *system = NULL;
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_system_load(&system, path, NULL, 0, NULL), DSM_OK);
  return system;
}

dsm_workload *bundled_workload(const char *name) {
  char path[512];
  dsm_workload *workload = NULL;
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
  return workload;
}
