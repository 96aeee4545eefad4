/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/made_partition.h"
#include "two_devices.h"

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

const char subject_blocks_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"blocks\", \"minibatch\": \"=2*batch\","
    " \"parameters\": { \"batch\": 4, \"wide\": \"=4*batch\", \"unread\": 1 }, \"layers\": ["
    "{ \"name\": \"in\", \"type\": \"fc\", \"in\": 8, \"out\": \"=wide\" },"
    "{ \"block\": \"a\", \"repeat\": 2, \"layers\": ["
    "{ \"name\": \"x\", \"type\": \"fc\", \"in\": \"=wide\", \"out\": \"=wide\" },"
    "{ \"block\": \"b\", \"layers\": [{ \"name\": \"y\", \"type\": \"fc\", \"inputs\": [\"x\"],"
    " \"in\": \"=wide\", \"out\": \"=wide\", \"aux\": [{ \"op\": \"residual\", \"from\":"
    " \"@before\" }] }] }] },"
    "{ \"name\": \"out\", \"type\": \"fc\", \"inputs\": [\"a\", \"a.0.b\"], \"in\": \"=2*wide\","
    " \"out\": 3 }] }";

const char subject_recurrent_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"seq\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"l1\", \"type\": \"lstm\", \"in\": 8, \"out\": 4, \"timesteps\": 3,\n"
    "    \"bidirectional\": true },\n"
    "  { \"name\": \"l2\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3,\n"
    "    \"pipeline_group\": null, \"aux\": [ { \"op\": \"residual\", \"from\": \"l1\" } ] },\n"
    "  { \"name\": \"m\", \"type\": \"matmul\", \"in\": 8, \"out\": 3, \"timesteps\": 3,\n"
    "    \"operand\": \"l1\", \"operand_elements\": 24 } ] }\n";

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

/* Its tensor is held, its weights preloaded. */
static const char laid_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"laid\", \"minibatch\": 16, \"layers\": [\n"
    "  { \"name\": \"a1\", \"type\": \"fc\", \"in\": 16, \"out\": 16 },\n"
    "  { \"name\": \"a2\", \"type\": \"fc\", \"in\": 16, \"out\": 8 } ] }\n";

static const char stacked_text[] =
    "{ \"format\": \"dsm-workload/1\", \"name\": \"stacked\", \"minibatch\": 8, \"layers\": [\n"
    "  { \"name\": \"s1\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 },\n"
    "  { \"name\": \"s2\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 },\n"
    "  { \"name\": \"s3\", \"type\": \"fc\", \"in\": 8, \"out\": 4, \"timesteps\": 3 } ] }\n";

/* Every decision that a plan can have. */
#define SPLIT "{ \"in\": 1, \"out\": 2, \"ij\": 1, \"kij\": 1, \"mb\": 1 }"
#define PASS "{ \"parallelism\": \"data\", \"core_split\": " SPLIT " }"
#define PASS_WITH(kind, split)                                                                     \
  "{ \"parallelism\": \"data\", \"core_split\": " SPLIT ", \"invocations\": [ { \"kind\": \"" kind \
  "\", \"core_split\": " split " } ] }"
/* Steady invocations of a pipeline have the best split that there is. */
#define SAMPLES "{ \"in\": 1, \"out\": 1, \"ij\": 1, \"kij\": 1, \"mb\": 2 }"
#define STEADY PASS_WITH("steady", SAMPLES)
#define PASSES(forward, backward, update)                                                          \
  "\"passes\": { \"forward\": " forward ", \"backward\": " backward ", \"update\": " update " } }"
#define SPATIAL_PASSES PASSES(PASS, PASS, PASS_WITH("accumulate", SPLIT))
#define STAGE_PASSES PASSES(STEADY, STEADY, PASS_WITH("steady", SPLIT))

const char subject_decisions_text[] =
    "{ \"format\": \"dsm-plan/1\", \"mode\": \"training\", \"minibatch\": 8,\n"
    "  \"optimizations\": [\"hybrid\", \"reuse\", \"dysm\", \"pipeline\", \"per_pass\"],\n"
    "  \"options\": { \"parallelisms\": [\"data\", \"model\"], \"overrides\": [] },\n"
    "  \"pipeline\": [ { \"name\": \"g\", \"layers\": [\"s1\", \"s2\"], \"rows\": [1, 2] } ],\n"
    "  \"layers\": [\n"
    "    { \"name\": \"f1\", \"error_parallelism\": \"model\",\n"
    "      \"passes\": { \"forward\": " PASS ", \"update\": " PASS " } },\n"
    "    { \"name\": \"f2\", \"dysm_factor\": 2, \"output_on_chip\": true,\n" SPATIAL_PASSES ",\n"
    "    { \"name\": \"f3\", \"dysm_factor\": 2,\n" SPATIAL_PASSES ",\n"
    "    { \"name\": \"s1\", \"pipeline_group\": \"g\",\n" STAGE_PASSES ",\n"
    "    { \"name\": \"s2\", \"pipeline_group\": \"g\",\n" STAGE_PASSES " ],\n"
    "  \"workload\": { \"format\": \"dsm-workload/1\", \"name\": \"w\", \"minibatch\": 8, "
    "\"layers\": [\n"
    "    { \"name\": \"f1\", \"type\": \"fc\", \"in\": 8, \"out\": 8 },\n"
    "    { \"name\": \"f2\", \"type\": \"fc\", \"in\": 8, \"out\": 8 },\n"
    "    { \"name\": \"f3\", \"type\": \"fc\", \"in\": 8, \"out\": 8 },\n"
    "    { \"name\": \"s1\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 },\n"
    "    { \"name\": \"s2\", \"type\": \"lstm\", \"in\": 8, \"out\": 8, \"timesteps\": 3 } ] },\n"
    "  \"system\": { \"format\": \"dsm-system/1\", \"name\": \"s\",\n"
    "    \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 1, \"scratchpad_bandwidth_GBps\": "
    "64 },\n"
    "    \"chip\": { \"cores\": 2, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
    "      \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 64 } },\n"
    "    \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 1, \"chips_y\": 4,\n"
    "      \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 } } }\n";

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

static dsm_system *override_system(const dsm_override *overrides, size_t count) {
  dsm_system *system = NULL;
  require(dsm_system_parse(&system, subject_system_text, strlen(subject_system_text), "s",
                           overrides, count, NULL) == DSM_OK,
          "a system");
  return system;
}

/* The system with so much memory. */
static dsm_system *parse_system(const char *capacity_GB) {
  const dsm_override override = {"chip.memory.capacity_GB", capacity_GB, NULL};
  return override_system(&override, 1);
}

/* Two chips of two cores, where some weights fit on chip and held tensors have layouts. */
static dsm_system *parse_laid_system(const char *capacity_GB) {
  const dsm_override overrides[] = {
      {"chip.cores", "2", NULL},
      {"chip.memory.capacity_GB", capacity_GB, NULL},
      {"chip.memory.bandwidth_GBps", "2", NULL},
      {"core.scratchpad_MiB", "0.002", NULL},
      {"core.streaming_buffer_KiB", "0.1", NULL},
      {"array.startup_cycles", "10", NULL},
      {"system.chips_x", "2", NULL},
      {"system.chips_y", "1", NULL},
      {"model.layout_move", "exact", NULL},
      {"model.prefer_holding", "true", NULL},
  };
  return override_system(overrides, sizeof overrides / sizeof overrides[0]);
}

/* Four rows of one chip each, where activations take longer than computation. */
static dsm_system *parse_long_system(const char *capacity_GB, const char *is_uniform) {
  const dsm_override overrides[] = {
      {"chip.memory.capacity_GB", capacity_GB, NULL},
      {"chip.memory.bandwidth_GBps", "16", NULL},
      {"core.scratchpad_MiB", "0.02", NULL},
      {"core.streaming_buffer_KiB", "4", NULL},
      {"array.startup_cycles", "10", NULL},
      {"system.chips_x", "1", NULL},
      {"system.chips_y", "4", NULL},
      {"model.dysm_uniform", is_uniform, NULL},
  };
  return override_system(overrides, sizeof overrides / sizeof overrides[0]);
}

static dsm_plan *explore(const dsm_workload *workload, const dsm_system *system,
                         const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  require(dsm_explore(&plan, workload, system, options, NULL) == DSM_OK, "a plan");
  return plan;
}

/* The plans have what they are there for. */
static void require_decisions(const subject *s) {
  bool is_held = false;
  bool has_factor = false;
  for (size_t i = 0; i < s->held_plan->layer_count; i++) {
    is_held = is_held || s->held_plan->layers[i].decisions.is_output_held;
    has_factor = has_factor || s->held_plan->layers[i].decisions.dysm_factor > 1;
  }
  require(is_held, "a held output");
  require(has_factor, "a DySM factor");
  require(s->pipelined_plan->pipeline_count == 1, "a pipeline group");
  require(s->laid_plan->layers[0].decisions.is_output_held, "a tensor with a layout");
  dsm_plan *const preloading = explore(s->laid, s->laid_system, &s->inference);
  require(preloading->layers[0].decisions.is_output_held &&
              preloading->layers[0].decisions.weights_on_chip > 0,
          "a tensor with a layout, and preloaded weights");
  dsm_plan_free(preloading);
}

static void make_inputs(subject *s) {
  s->convolutional = parse_workload(subject_convolutional_text);
  s->recurrent = parse_workload(subject_recurrent_text);
  s->single = parse_workload(single_text);
  s->residual = parse_workload(residual_text);
  s->stacked = parse_workload(stacked_text);
  s->laid = parse_workload(laid_text);
  s->system = parse_system("1");
  s->tight_system = parse_system("7.2e-6");
  s->tiny_system = parse_system("1e-9");
  s->long_system = parse_long_system("1", "false");
  s->uniform_system = parse_long_system("1", "true");
  s->tight_residual_system = parse_long_system("5e-4", "false");
  s->tight_stacked_system = parse_long_system("2.7e-6", "false");
  s->laid_system = parse_laid_system("1");
  s->tight_laid_system = parse_laid_system("2e-6");
}

static void make_plans(subject *s) {
  static const char *const overrides[] = {"workload.minibatch=8"};
  dsm_explore_options_init(&s->training);
  s->training.overrides = overrides;
  s->training.override_count = 1;
  s->inference = s->training;
  s->inference.mode = DSM_MODE_INFERENCE;
  s->inference.optimizations = dsm_mode_optimizations(DSM_MODE_INFERENCE);
  dsm_explore_options none = s->training;
  none.optimizations = 0;
  s->plan = explore(s->convolutional, s->system, &s->training);
  s->base_plan = explore(s->convolutional, s->system, &none);
  s->inference_plan = explore(s->recurrent, s->system, &s->inference);
  s->small_plan = explore(s->single, s->system, &s->training);
  s->held_plan = explore(s->residual, s->long_system, &s->training);
  s->pipelined_plan = explore(s->stacked, s->long_system, &s->training);
  s->laid_plan = explore(s->laid, s->laid_system, &s->training);
  require_decisions(s);
  s->plan_text = dsm_plan_print(s->plan);
  s->small_plan_text = dsm_plan_print(s->small_plan);
  require(s->plan_text != NULL && s->small_plan_text != NULL, "the plans' texts");
}

static void make_elasticity(subject *s) {
  const dsm_workload *const workloads[] = {s->single};
  dsm_elasticity_request request = {
      .system = s->system, .workloads = workloads, .workload_count = 1, .options = s->inference};
  require(dsm_elasticity_derive(&s->elasticity, &request, NULL) == DSM_OK, "elasticities");
  request.choice = DSM_VARIATIONS_TENTH_BETTER;
  require(dsm_elasticity_derive(&s->sensitivity, &request, NULL) == DSM_OK, "sensitivities");
  s->simulation = made_simulation(30);
  require(s->simulation != NULL, "a simulation");
  dsm_partition *placed = NULL;
  require(subject_solve_stages(&placed, NULL) == DSM_OK, "a partition in stages");
  s->placed_text = as_json(DSM_ANSWER(partition, placed));
  dsm_partition_free(placed);
  require(s->placed_text != NULL, "its text");
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

static void make_drift(subject *s) {
  dsm_explore_options none = s->training;
  none.optimizations = 0;
  dsm_plan *const plan = explore(s->stacked, s->long_system, &none);
  char *const text = dsm_plan_print(plan);
  require(text != NULL, "a baseline's text");
  require(dsm_baseline_parse(&s->baseline, text, strlen(text), "b.json", NULL, 0, NULL) == DSM_OK,
          "a baseline");
  require(dsm_drift_derive(&s->drift, s->baseline, s->pipelined_plan, 0, NULL) == DSM_OK,
          "a drift");
  require(s->drift->pass_count > 0 && s->drift->decision_count > 0, "something that moved");
  require(dsm_diff_derive(&s->diff, s->base_plan, s->pipelined_plan, NULL) == DSM_OK,
          "a difference");
  require(s->diff->layer_count > 0 && s->diff->pass_count > 0, "something that differs");
  free(text);
  dsm_plan_free(plan);
}

dsm_status subject_solve_stages(dsm_partition **partition, dsm_diags *diags) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.is_staged = true;
  options.cuts_max = 3;
  return dsm_partition_solve(partition, &two_devices, &options, diags);
}

void subject_init(subject *s) {
  make_files(s);
  make_inputs(s);
  make_plans(s);
  put_file(s->plan_path, s->small_plan_text);
  require(dsm_explain(&s->explanation, s->plan, 0, 3, NULL) == DSM_OK, "an explanation");
  make_elasticity(s);
  make_store(s);
  make_drift(s);
  s->findings = dsm_diags_new(20);
  dsm_workload *bad = NULL;
  require(dsm_workload_parse(&bad, subject_bad_workload_text, strlen(subject_bad_workload_text),
                             "bad", NULL, 0, s->findings) == DSM_ERROR_INVALID,
          "findings");
}

void subject_fini(subject *s) {
  dsm_diags_free(s->findings);
  remove_store(s);
  dsm_dispatch_free(s->simulation);
  free(s->placed_text);
  dsm_elasticity_free(s->sensitivity);
  dsm_diff_free(s->diff);
  dsm_drift_free(s->drift);
  dsm_baseline_free(s->baseline);
  dsm_elasticity_free(s->elasticity);
  dsm_explanation_free(s->explanation);
  free(s->small_plan_text);
  free(s->plan_text);
  dsm_plan_free(s->laid_plan);
  dsm_plan_free(s->pipelined_plan);
  dsm_plan_free(s->held_plan);
  dsm_plan_free(s->small_plan);
  dsm_plan_free(s->inference_plan);
  dsm_plan_free(s->base_plan);
  dsm_plan_free(s->plan);
  dsm_system_free(s->tight_laid_system);
  dsm_system_free(s->laid_system);
  dsm_system_free(s->tight_stacked_system);
  dsm_system_free(s->tight_residual_system);
  dsm_system_free(s->uniform_system);
  dsm_system_free(s->long_system);
  dsm_system_free(s->tiny_system);
  dsm_system_free(s->tight_system);
  dsm_system_free(s->system);
  dsm_workload_free(s->laid);
  dsm_workload_free(s->stacked);
  dsm_workload_free(s->residual);
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
