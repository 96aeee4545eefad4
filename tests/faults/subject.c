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

static const char single_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"single\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"f\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";

static const char residual_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"residual\", \"minibatch\": 64, \"layers\": [\n"
    "  { \"name\": \"r1\", \"type\": \"conv\", \"in\": 3, \"out\": 8, \"feature\": [16, 16],\n"
    "    \"kernel\": [3, 3] },\n"
    "  { \"name\": \"r2\", \"type\": \"conv\", \"in\": 8, \"out\": 8, \"feature\": [16, 16],\n"
    "    \"aux\": [ { \"op\": \"relu\" } ] },\n"
    "  { \"name\": \"r3\", \"type\": \"conv\", \"in\": 8, \"out\": 8, \"feature\": [16, 16],\n"
    "    \"aux\": [ { \"op\": \"residual\", \"from\": \"r1\" } ] },\n"
    "  { \"name\": \"r4\", \"type\": \"fc\", \"in\": 2048, \"out\": 30 } ] }\n";

static const char stacked_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"stacked\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"s1\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 },\n"
    "  { \"name\": \"s2\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 },\n"
    "  { \"name\": \"s3\", \"type\": \"fc\", \"in\": 8, \"out\": 4, \"timesteps\": 3 } ] }\n";

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

/* Four rows of one chip each, where activations take longer than computation. */
static dsm_system *make_long_system(void) {
  static const dsm_override overrides[] = {
      {"chip.memory.bandwidth_GBps", "16", NULL},
      {"core.scratchpad_MiB", "0.02", NULL},
      {"core.streaming_buffer_KiB", "4", NULL},
      {"array.startup_cycles", "10", NULL},
      {"system.chips_x", "1", NULL},
      {"system.chips_y", "4", NULL},
  };
  dsm_system *system = NULL;
  require(dsm_system_parse(&system, subject_system_text, strlen(subject_system_text), "s",
                           overrides, sizeof overrides / sizeof overrides[0], NULL) == DSM_OK,
          "a system");
  return system;
}

static dsm_plan *explore(const dsm_workload *workload, const dsm_system *system,
                         const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  require(dsm_explore(&plan, workload, system, options, NULL) == DSM_OK, "a plan");
  return plan;
}

static void make_inputs(subject *s) {
  static const char *const overrides[] = {"workload.minibatch=8"};
  s->residual = parse_workload(residual_text);
  s->stacked = parse_workload(stacked_text);
  s->long_system = make_long_system();
  dsm_explore_options_init(&s->training);
  s->training.overrides = overrides;
  s->training.override_count = 1;
  s->single = parse_workload(single_text);
  s->small_plan = explore(s->single, s->long_system, &s->training);
  s->small_plan_text = dsm_plan_print(s->small_plan);
  require(s->small_plan_text != NULL, "the plan's text");
}

/* A database in memory if there is such a folder: it is made anew thousands of times. */
static void make_store(subject *s) {
  const bool has_memory = access("/dev/shm", W_OK) == 0;
  (void)snprintf(s->store_folder, sizeof s->store_folder, "%s/dsm-faults-XXXXXX",
                 has_memory ? "/dev/shm" : "/tmp");
  require(mkdtemp(s->store_folder) != NULL, "a folder for databases");
  (void)snprintf(s->store_path, sizeof s->store_path, "%s/s", s->store_folder);
  s->stored = stored_sweep((stored_shape){.minibatch_count = 1, .record = DSM_RECORD_PLANS});
  s->other_stored = stored_sweep(
      (stored_shape){.minibatch_count = 2, .record = DSM_RECORD_PLANS, .source = "another"});
  s->stored_result = malloc(sizeof *s->stored_result);
  require(s->stored != NULL && s->other_stored != NULL && s->stored_result != NULL, "sweeps");
  s->swept = subject_sweep();
  dsm_store *store = NULL;
  require(dsm_store_open(&store, s->store_path, s->stored, NULL) == DSM_OK, "a database");
  for (size_t p = s->stored->point_count; p-- > 0;) {
    stored_result_init(s->stored_result, s->stored, p, 3);
    require(dsm_store_put(store, &s->stored_result->result, NULL) == DSM_OK, "a row");
  }
  require(dsm_store_points(store, &s->points, NULL) == DSM_OK, "rows");
  dsm_store_close(store);
  (void)snprintf(s->swept_path, sizeof s->swept_path, "%s/swept", s->store_folder);
  require(dsm_store_open(&store, s->swept_path, s->swept, NULL) == DSM_OK, "an empty database");
  dsm_store_close(store);
}

static void remove_store(subject *s) {
  static const char *const names[] = {"s", "s.new", "s.put", "swept"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/%s", s->store_folder, names[i]);
    (void)unlink(path);
  }
  require(rmdir(s->store_folder) == 0, "an empty folder of databases at the end");
  dsm_point_table_free(s->points);
  free(s->stored_result);
  dsm_sweep_free(s->swept);
  dsm_sweep_free(s->other_stored);
  dsm_sweep_free(s->stored);
}

void subject_init(subject *s) {
  make_files(s);
  make_inputs(s);
  put_file(s->plan_path, s->small_plan_text);
  make_store(s);
}

void subject_fini(subject *s) {
  remove_store(s);
  free(s->small_plan_text);
  dsm_plan_free(s->small_plan);
  dsm_system_free(s->long_system);
  dsm_workload_free(s->single);
  dsm_workload_free(s->stacked);
  dsm_workload_free(s->residual);
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
