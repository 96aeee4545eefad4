/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char subject_convolutional_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"conv\", \"source\": \"a test\",\n"
    "  \"minibatch\": 8, \"input\": { \"features\": 3, \"feature\": [8, 8] },\n"
    "  \"layers\": [\n"
    "    { \"name\": \"c1\", \"type\": \"conv\", \"in\": 3, \"out\": 8, \"feature\": [8, 8],\n"
    "      \"kernel\": [3, 3], \"aux\": [ { \"op\": \"bias\" }, { \"op\": \"relu\" },\n"
    "        { \"op\": \"max_pool\", \"window\": [2, 2] } ] },\n"
    "    { \"name\": \"c2\", \"type\": \"conv\", \"in\": 8, \"out\": 8, \"feature\": [4, 4],\n"
    "      \"groups\": 8, \"aux\": [ { \"op\": \"residual\", \"from\": \"c1\" } ] },\n"
    "    { \"name\": \"c3\", \"type\": \"conv\", \"inputs\": [\"c1\", \"c2\"], \"in\": 16,\n"
    "      \"out\": 8, \"feature\": [4, 4] },\n"
    "    { \"name\": \"f4\", \"type\": \"fc\", \"in\": 128, \"out\": 10 } ] }\n";

const char subject_recurrent_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"seq\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"l1\", \"type\": \"lstm\", \"in\": 8, \"out\": 4, \"timesteps\": 3,\n"
    "    \"bidirectional\": true, \"pipeline_group\": \"a\" },\n"
    "  { \"name\": \"l2\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3,\n"
    "    \"pipeline_group\": null, \"aux\": [ { \"op\": \"residual\", \"from\": \"l1\" } ] },\n"
    "  { \"name\": \"m\", \"type\": \"matmul\", \"in\": 8, \"out\": 3, \"timesteps\": 3,\n"
    "    \"operand\": \"l1\", \"operand_elements\": 24 } ] }\n";

static const char single_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"single\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"f\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";

/* Many kinds of findings; a message about most of them needs memory. */
const char subject_bad_workload_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"bad\", \"name\": \"bad\", \"minibatch\": 0,\n"
    "  \"minibach\": 1, \"layers\": [\n"
    "    { \"name\": \"a\", \"type\": \"con\", \"in\": 3, \"out\": 8 },\n"
    "    { \"name\": \"b\", \"type\": \"fc\", \"in\": \"3\", \"out\": 1e300, \"kernel\": [1] } ] "
    "}\n";

const char subject_system_text[] =
    "{ \"format\": \"dsm-system/1\", \"name\": \"small\", \"source\": \"a test\",\n"
    "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 0.125,\n"
    "    \"scratchpad_bandwidth_GBps\": 64 },\n"
    "  \"chip\": { \"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 64 } },\n"
    "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 2, \"chips_y\": 2,\n"
    "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 },\n"
    "  \"notes\": { \"core.frequency_GHz\": \"round\" } }\n";

const char subject_bad_system_text[] =
    "{ \"format\": \"dsm-system/1\", \"nam\": \"x\", \"core\": { \"frequency_GHz\": 0 },\n"
    "  \"chip\": { \"cores\": 1.5, \"interconnect\": \"rings\" }, \"notes\": { \"pe\": \"\" } }\n";

const char subject_old_text[] = "what was here before\n";

static void require(bool holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "test_allocations: cannot prepare: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

static void set_path(const subject *s, char path[SUBJECT_PATH_BYTES], const char *name) {
  const int length = snprintf(path, SUBJECT_PATH_BYTES, "%s/%s", s->folder, name);
  require(length > 0 && length < SUBJECT_PATH_BYTES, "a path");
}

static void put_file(const char *path, const char *text) {
  FILE *const file = fopen(path, "w");
  require(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, path);
}

static void make_files(subject *s) {
  snprintf(s->folder, sizeof s->folder, "/tmp/dsm-faults-XXXXXX");
  require(mkdtemp(s->folder) != NULL, "a folder");
  set_path(s, s->workload_path, "workload.json");
  set_path(s, s->system_path, "system.json");
  set_path(s, s->plan_path, "plan.json");
  set_path(s, s->old_path, "old.json");
  set_path(s, s->link_path, "link.json");
  put_file(s->workload_path, subject_convolutional_text);
  put_file(s->system_path, subject_system_text);
  put_file(s->old_path, subject_old_text);
  require(symlink("old.json", s->link_path) == 0, "a symbolic link");
}

static dsm_workload *parse_workload(const char *text) {
  dsm_workload *workload = NULL;
  require(dsm_workload_parse(&workload, text, strlen(text), "w", NULL, 0, NULL) == DSM_OK,
          "a workload");
  return workload;
}

/* The system with so much memory. */
static dsm_system *parse_system(const char *capacity_GB) {
  const dsm_override override = {"chip.memory.capacity_GB", capacity_GB, NULL};
  dsm_system *system = NULL;
  require(dsm_system_parse(&system, subject_system_text, strlen(subject_system_text), "s",
                           &override, 1, NULL) == DSM_OK,
          "a system");
  return system;
}

static dsm_plan *explore(const dsm_workload *workload, const dsm_system *system,
                         const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  require(dsm_explore(&plan, workload, system, options, NULL) == DSM_OK, "a plan");
  return plan;
}

void subject_init(subject *s) {
  static const char *const overrides[] = {"workload.minibatch=8"};
  make_files(s);
  s->convolutional = parse_workload(subject_convolutional_text);
  s->recurrent = parse_workload(subject_recurrent_text);
  s->single = parse_workload(single_text);
  s->system = parse_system("1");
  s->tight_system = parse_system("7.2e-6");
  s->tiny_system = parse_system("1e-9");
  dsm_explore_options_init(&s->training);
  s->training.overrides = overrides;
  s->training.override_count = 1;
  s->inference = s->training;
  s->inference.mode = DSM_MODE_INFERENCE;
  dsm_explore_options none = s->training;
  none.optimizations = 0;
  s->plan = explore(s->convolutional, s->system, &s->training);
  s->base_plan = explore(s->convolutional, s->system, &none);
  s->inference_plan = explore(s->recurrent, s->system, &s->inference);
  s->small_plan = explore(s->single, s->system, &s->training);
  s->plan_text = dsm_plan_print(s->plan);
  s->small_plan_text = dsm_plan_print(s->small_plan);
  require(s->plan_text != NULL && s->small_plan_text != NULL, "the plans' texts");
  put_file(s->plan_path, s->small_plan_text);
  require(dsm_explain(&s->explanation, s->plan, 0, 3, NULL) == DSM_OK, "an explanation");
  s->findings = dsm_diags_new(20);
  dsm_workload *bad = NULL;
  require(dsm_workload_parse(&bad, subject_bad_workload_text, strlen(subject_bad_workload_text),
                             "bad", NULL, 0, s->findings) == DSM_ERROR_INVALID,
          "findings");
}

void subject_fini(subject *s) {
  dsm_diags_free(s->findings);
  dsm_explanation_free(s->explanation);
  free(s->small_plan_text);
  free(s->plan_text);
  dsm_plan_free(s->small_plan);
  dsm_plan_free(s->inference_plan);
  dsm_plan_free(s->base_plan);
  dsm_plan_free(s->plan);
  dsm_system_free(s->tiny_system);
  dsm_system_free(s->tight_system);
  dsm_system_free(s->system);
  dsm_workload_free(s->single);
  dsm_workload_free(s->recurrent);
  dsm_workload_free(s->convolutional);
  (void)unlink(s->link_path);
  (void)unlink(s->old_path);
  (void)unlink(s->plan_path);
  (void)unlink(s->system_path);
  (void)unlink(s->workload_path);
  require(rmdir(s->folder) == 0, "an empty folder at the end: a file was left in it");
}

/* ---- attempts ---- */

/* FNV-1a. */
uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size) {
  const unsigned char *const each = bytes;
  for (size_t i = 0; i < size; i++) {
    digest = (digest ^ each[i]) * UINT64_C(1099511628211);
  }
  return digest;
}

uint64_t digest_text(uint64_t digest, const char *text) {
  return digest_bytes(digest, text, strlen(text) + 1);
}

uint64_t digest_u64(uint64_t digest, uint64_t value) {
  return digest_bytes(digest, &value, sizeof value);
}

uint64_t digest_double(uint64_t digest, double value) {
  return digest_bytes(digest, &value, sizeof value);
}

attempt attempt_of_text(char *text) {
  attempt made = {.status = text == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK};
  if (text != NULL) {
    const size_t length = strlen(text);
    made.digest = digest_text(DIGEST_START, text);
    if (length == 0 || text[length - 1] != '\n') {
      made.wrong = "a text ends in a newline";
    }
  }
  free(text);
  return made;
}

attempt attempt_of_status(dsm_status status, const void *output, uint64_t digest) {
  attempt made = {.status = status, .digest = digest};
  if (status == DSM_OK && output == NULL) {
    made.wrong = "the output is set on success";
  }
  if (status != DSM_OK && output != NULL) {
    made.wrong = "the output is NULL on failure";
  }
  return made;
}
