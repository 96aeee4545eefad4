/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_server.c: server.h and instance.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

static const char server_text[] =
    "{ \"format\": \"dsm-server/1\", \"name\": \"s\", \"source\": \"here\", \"devices\": [\n"
    "  { \"name\": \"cpu\", \"kind\": \"roofline\", \"accelerator\": false, \"peak_TFLOPs\": 1,\n"
    "    \"memory_bandwidth_GBps\": 100, \"task_microseconds\": 5, \"source\": \"there\",\n"
    "    \"power\": { \"busy_watts\": 9 } },\n"
    "  { \"name\": \"fpga\", \"kind\": \"fpga\", \"clock_MHz\": 100, \"multipliers\": 8 },\n"
    "  { \"name\": \"npu\", \"kind\": \"chip\", \"count\": 2, \"system\": ";
static const char bad_server_text[] =
    "{ \"format\": \"dsm-server/1\", \"name\": \"s\", \"devices\": [\n"
    "  { \"name\": \"d\", \"kind\": \"times\", \"times\": { \"no_layer\": 1 } } ] }";
static const char profile_text[] =
    "{ \"format\": \"dsm-profile/1\", \"name\": \"p\", \"source\": \"here\", \"tasks\": [\n"
    "  { \"name\": \"b\", \"weights_bytes\": 1, \"output_bytes\": 2, \"inputs\": [\"a\"],\n"
    "    \"seconds\": { \"x\": 1, \"y\": null } },\n"
    "  { \"name\": \"a\", \"weights_bytes\": 1, \"output_bytes\": 2, \"inputs\": [],\n"
    "    \"seconds\": { \"x\": 1, \"y\": 3 } },\n"
    "  { \"name\": \"c\", \"weights_bytes\": 1, \"output_bytes\": 2, \"inputs\": [\"a\", \"b\"],\n"
    "    \"seconds\": { \"x\": 4, \"y\": 3 } } ],\n"
    "  \"devices\": [ { \"name\": \"x\" }, { \"name\": \"y\" } ] }";
static const char bad_profile_text[] =
    "{ \"format\": \"dsm-profile/1\", \"name\": \"p\", \"tasks\": [\n"
    "  { \"name\": \"a\", \"weights_bytes\": 1, \"output_bytes\": 2, \"inputs\": [\"b\"],\n"
    "    \"seconds\": { \"x\": 1 } },\n"
    "  { \"name\": \"b\", \"weights_bytes\": 1, \"output_bytes\": 2, \"seconds\": { \"x\": 1 } } "
    "],\n"
    "  \"devices\": [ { \"name\": \"x\" } ] }";
static const char planner_text[] =
    "{ \"maxSizePerFPGA\": 100, \"maxFPGAs\": 1, \"maxCPUs\": 1, \"nodes\": [\n"
    "  { \"id\": 3, \"supportedOnFpga\": 1, \"cpuLatency\": 1, \"fpgaLatency\": 1, \"colorClass\": "
    "1,\n"
    "    \"isBackwardNode\": 0, \"size\": 1 },\n"
    "  { \"id\": 2, \"supportedOnFpga\": 0, \"cpuLatency\": 1, \"fpgaLatency\": 1,\n"
    "    \"isBackwardNode\": 0, \"name\": \"two\" },\n"
    "  { \"id\": 1, \"supportedOnFpga\": 1, \"cpuLatency\": 1, \"fpgaLatency\": 0, \"colorClass\": "
    "1,\n"
    "    \"isBackwardNode\": 0, \"size\": 1 } ],\n"
    "  \"edges\": [ { \"sourceId\": 3, \"destId\": 2, \"cost\": 1, \"size\": 9 },\n"
    "    { \"sourceId\": 3, \"destId\": 1, \"cost\": 1 } ] }";

static uint64_t digest_server(const dsm_server *server) {
  uint64_t digest = digest_text(DIGEST_START, server->name);
  for (size_t j = 0; j < server->device_count; j++) {
    const dsm_device *const device = &server->devices[j];
    digest = digest_text(digest, device->name);
    digest = digest_text(digest, dsm_device_kind_name(device->kind));
    digest = digest_double(digest, device->memory_bytes);
    digest = digest_double(digest, device->task_seconds);
    digest = digest_u64(digest, device->time_count);
  }
  return digest;
}

static uint64_t digest_instance(const dsm_instance *instance) {
  uint64_t digest = digest_text(DIGEST_START, instance->name);
  for (size_t i = 0; i < instance->task_count; i++) {
    digest = digest_text(digest, instance->tasks[i].name);
    digest = digest_double(digest, instance->tasks[i].weights_bytes);
    digest = digest_double(digest, instance->tasks[i].activation_bytes);
    for (size_t j = 0; j < instance->device_count; j++) {
      digest = digest_double(digest, dsm_instance_seconds(instance, i, j));
      digest = digest_double(digest, dsm_instance_batch_seconds(instance, i, j, 2));
    }
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    digest = digest_double(digest, instance->tensors[t].bytes);
    digest = digest_u64(digest, instance->tensors[t].consumer_count);
  }
  return digest;
}

static attempt finish_server(dsm_status status, dsm_server *server, const dsm_server *poison) {
  const attempt made =
      attempt_of_status(status, server, status == DSM_OK ? digest_server(server) : 0);
  if (server != poison) {
    dsm_server_free(server);
  }
  return made;
}

static attempt finish_instance(dsm_status status, dsm_instance *instance,
                               const dsm_instance *poison) {
  const attempt made =
      attempt_of_status(status, instance, status == DSM_OK ? digest_instance(instance) : 0);
  if (instance != poison) {
    dsm_instance_free(instance);
  }
  return made;
}

/* The text of a server with a chip, in `text`. */
static void whole_server(char *text, size_t size) {
  (void)snprintf(text, size, "%s%s } ] }", server_text, subject_system_text);
}

static attempt parse_server(const subject *s, dsm_diags *diags) {
  (void)s;
  static dsm_server poison;
  dsm_server *server = &poison;
  char text[8192];
  whole_server(text, sizeof text);
  const dsm_status status = dsm_server_parse(&server, text, strlen(text), "s", NULL, 0, diags);
  return finish_server(status, server, &poison);
}

static attempt load_no_server(const subject *s, dsm_diags *diags) {
  static dsm_server poison;
  dsm_server *server = &poison;
  const dsm_status status = dsm_server_load(&server, s->workload_path, NULL, 0, diags);
  return finish_server(status, server, &poison);
}

static attempt make(const subject *s, const char *text, size_t task_count, dsm_diags *diags) {
  static dsm_instance poison;
  dsm_instance *instance = &poison;
  dsm_server *server = NULL;
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.task_count = task_count;
  const dsm_status parsed = dsm_server_parse(&server, text, strlen(text), "s", NULL, 0, diags);
  if (parsed != DSM_OK) {
    return (attempt){.status = parsed};
  }
  const dsm_status status = dsm_instance_make(&instance, s->residual, server, &options, diags);
  dsm_server_free(server);
  return finish_instance(status, instance, &poison);
}

static attempt make_layers(const subject *s, dsm_diags *diags) {
  char text[8192];
  whole_server(text, sizeof text);
  return make(s, text, 0, diags);
}

static attempt make_groups(const subject *s, dsm_diags *diags) {
  char text[8192];
  whole_server(text, sizeof text);
  return make(s, text, 2, diags);
}

static attempt make_refused(const subject *s, dsm_diags *diags) {
  return make(s, bad_server_text, 0, diags);
}

static attempt parse_text(const char *text, size_t task_count, dsm_diags *diags) {
  static dsm_instance poison;
  dsm_instance *instance = &poison;
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.task_count = task_count;
  const dsm_status status =
      dsm_profile_parse(&instance, text, strlen(text), "p.json", &options, diags);
  return finish_instance(status, instance, &poison);
}

static attempt parse_profile(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(profile_text, 0, diags);
}

static attempt parse_joined(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(profile_text, 2, diags);
}

static attempt parse_bad_profile(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(bad_profile_text, 0, diags);
}

static attempt parse_planner(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(planner_text, 0, diags);
}

static attempt load_no_profile(const subject *s, dsm_diags *diags) {
  static dsm_instance poison;
  dsm_instance *instance = &poison;
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  const dsm_status status = dsm_profile_load(&instance, s->workload_path, &options, diags);
  return finish_instance(status, instance, &poison);
}

const faulty_case server_cases[] = {
    {"dsm_server_parse", parse_server, DSM_OK, NULL},
    {"dsm_server_load, a workload", load_no_server, DSM_ERROR_INVALID, NULL},
    {"dsm_instance_make", make_layers, DSM_OK, NULL},
    {"dsm_instance_make, joined", make_groups, DSM_OK, NULL},
    {"dsm_instance_make, times of no layer", make_refused, DSM_ERROR_INVALID, NULL},
    {"dsm_profile_parse", parse_profile, DSM_OK, NULL},
    {"dsm_profile_parse, joined", parse_joined, DSM_OK, NULL},
    {"dsm_profile_parse, a cycle", parse_bad_profile, DSM_ERROR_INVALID, NULL},
    {"dsm_profile_parse, planner", parse_planner, DSM_OK, NULL},
    {"dsm_profile_load, a workload", load_no_profile, DSM_ERROR_INVALID, NULL},
};
const size_t server_case_count = sizeof server_cases / sizeof server_cases[0];
