/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "machine.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char system_text[] =
    "{ \"format\": \"dsm-system/1\", \"name\": \"machine\",\n"
    "  \"pe\": { \"simd_macs\": 1 },\n"
    "  \"array\": { \"rows\": 4, \"columns\": 4, \"startup_cycles\": 0 },\n"
    "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 1, \"scratchpad_bandwidth_GBps\": 4 "
    "},\n"
    "  \"chip\": { \"cores\": 1, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 4 } },\n"
    "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 1, \"chips_y\": 1,\n"
    "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 } }\n";

static const char network_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"one\", \"minibatch\": 1, \"layers\": [\n"
    "  { \"name\": \"fc\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";

static const dsm_override faster = {.path = "chip.memory.bandwidth_GBps", .value = "4"};

dsm_system *machine(const dsm_override *overrides, size_t count) {
  dsm_system *system = NULL;
  ck_assert_int_eq(dsm_system_parse(&system, system_text, strlen(system_text), "machine",
                                    count == 0 ? &faster : overrides, count == 0 ? 1 : count, NULL),
                   DSM_OK);
  return system;
}

static dsm_plan *plan_of(const dsm_workload *workload, const dsm_system *system) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = DSM_MODE_INFERENCE;
  options.optimizations = 0;
  dsm_plan *plan = NULL;
  ck_assert_int_eq(dsm_explore(&plan, workload, system, &options, NULL), DSM_OK);
  return plan;
}

static dsm_workload *network(const char *minibatch) {
  const dsm_override override = {.path = "minibatch", .value = minibatch};
  dsm_workload *workload = NULL;
  ck_assert_int_eq(
      dsm_workload_parse(&workload, network_text, strlen(network_text), "one", &override, 1, NULL),
      DSM_OK);
  return workload;
}

double step_ms(const dsm_system *system, const char *minibatch) {
  dsm_workload *const workload = network(minibatch);
  dsm_plan *const plan = plan_of(workload, system);
  const double milliseconds = 1e3 * plan->result.step_seconds;
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  return milliseconds;
}

static char *plan_text(void) {
  dsm_system *const system = machine(NULL, 0);
  dsm_workload *const workload = network("8");
  dsm_plan *const plan = plan_of(workload, system);
  char *const text = dsm_plan_print(plan);
  dsm_plan_free(plan);
  dsm_workload_free(workload);
  dsm_system_free(system);
  return text;
}

static dsm_status read_network(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  (void)context;
  ck_assert_str_eq(folder, "here");
  const bool is_plan = kind == DSM_DESCRIPTION_PLAN && strcmp(name, "plan") == 0;
  if (!is_plan && strcmp(name, "one") != 0 && strcmp(name, "broken") != 0) {
    const dsm_diag none = {.severity = DSM_SEVERITY_ERROR, .message = "there is no such file"};
    dsm_diags_append(diags, &none);
    return DSM_ERROR_IO;
  }
  *text = is_plan ? plan_text() : strdup(strcmp(name, "one") == 0 ? network_text : "{}");
  *file = strdup(name);
  *length = strlen(*text);
  return DSM_OK;
}

const dsm_sweep_source networks = {.read = read_network, .context = NULL};

dsm_calibration_request request_of(const dsm_system *system, const char *csv) {
  return (dsm_calibration_request){.text = csv,
                                   .length = strlen(csv),
                                   .file = "some/times.csv",
                                   .folder = "here",
                                   .source = &networks,
                                   .system = system,
                                   .thread_count = 1};
}

dsm_calibration *calibrated(const dsm_calibration_request *request) {
  dsm_calibration *made = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status = dsm_calibrate(&made, request, diags);
  ck_assert_msg(status == DSM_OK, "%s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "");
  dsm_diags_free(diags);
  return made;
}
