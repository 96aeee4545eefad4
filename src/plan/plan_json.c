/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_json.c: reads a plan in the format "dsm-plan/1".
 *
 * Only decisions, inputs and options are read; every number that follows from them is predicted
 * anew, so that a plan can be edited by hand. Keys are checked all the same: a misspelt one would
 * silently decide nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/file.h"
#include "plan/core_layouts.h"
#include "plan/mapping_memory.h"
#include "plan/plan_reader.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

/* A list of at least min_length of the words names[0 .. count), as a set of bits. */
static unsigned read_word_set(const dsm__json_node *node, const char *const *names, size_t count,
                              size_t min_length) {
  enum { LONGEST = 100 }; /* so that unknown and repeated words are reported as such */
  unsigned set = 0;
  size_t length = 0;
  if (!dsm__json_array(node, min_length, LONGEST, &length)) {
    return 0;
  }
  dsm__json_node item = dsm__json_item(node, 0);
  for (size_t i = 0; i < length; i++, item = dsm__json_next(&item)) {
    size_t index = 0;
    if (dsm__json_enum(&item, names, count, &index)) {
      if ((set & (1U << index)) != 0) {
        dsm__json_error(&item, NULL, "expected each word once, found a second \"%s\"",
                        names[index]);
      }
      set |= 1U << index;
    }
  }
  return set;
}

static void read_overrides(dsm__plan_reader *reader, const dsm__json_node *options) {
  const dsm__json_node node = dsm__json_member(options, "overrides");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 0, 10000, &count)) {
    return;
  }
  const char **const overrides = dsm__arena_array(reader->arena, count, sizeof *overrides);
  if (overrides == NULL) {
    dsm__json_set_out_of_memory(reader->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    overrides[i] = "";
    dsm__json_string(&item, 0, 65536, reader->arena, &overrides[i]);
  }
  reader->options.overrides = overrides;
  reader->options.override_count = count;
}

/* The mode and the optimisations. Those of the other mode would decide nothing. */
static void read_mode(dsm__plan_reader *reader, const dsm__json_node *root) {
  const char *optimization_names[DSM_OPTIMIZATION_COUNT];
  const char *mode_names[DSM_MODE_COUNT];
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    optimization_names[o] = dsm_optimization_name((dsm_optimization)o);
  }
  for (int m = 0; m < DSM_MODE_COUNT; m++) {
    mode_names[m] = dsm_mode_name((dsm_mode)m);
  }
  const dsm__json_node mode = dsm__json_member(root, "mode");
  size_t mode_index = 0;
  const bool has_mode = dsm__json_require(&mode, "\"training\" or \"inference\"") &&
                        dsm__json_enum(&mode, mode_names, DSM_MODE_COUNT, &mode_index);
  reader->options.mode = (dsm_mode)mode_index;
  const dsm__json_node optimizations = dsm__json_member(root, "optimizations");
  if (!dsm__json_require(&optimizations, "a list of optimizations")) {
    return;
  }
  const dsm_optimization_set found =
      read_word_set(&optimizations, optimization_names, DSM_OPTIMIZATION_COUNT, 0);
  const dsm_optimization_set wrong = found & ~dsm_mode_optimizations(reader->options.mode);
  reader->options.optimizations = found & ~wrong;
  dsm__json_node item = dsm__json_item(&optimizations, 0);
  for (; dsm__json_is_present(&item) && has_mode && wrong != 0; item = dsm__json_next(&item)) {
    size_t index = 0;
    if (dsm__json_enum(&item, optimization_names, DSM_OPTIMIZATION_COUNT, &index) &&
        (wrong & DSM_OPTIMIZATION_BIT(index)) != 0) {
      dsm__json_error(&item, NULL, "expected an optimization of %s, found \"%s\"",
                      mode_names[mode_index], optimization_names[index]);
    }
  }
}

static void read_options(dsm__plan_reader *reader, const dsm__json_node *root) {
  static const char *const known[] = {"parallelisms", "overrides"};
  const char *parallelism_names[DSM_PARALLELISM_COUNT];
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    parallelism_names[p] = dsm_parallelism_name((dsm_parallelism)p);
  }
  const dsm__json_node options = dsm__json_member(root, "options");
  if (!dsm__json_require(&options, "an object with the options of the exploration") ||
      !dsm__json_object_only(&options, known, DSM__COUNT_OF(known))) {
    return;
  }
  const dsm__json_node parallelisms = dsm__json_member(&options, "parallelisms");
  if (dsm__json_require(&parallelisms, "a list of parallelisms")) {
    reader->options.parallelisms =
        read_word_set(&parallelisms, parallelism_names, DSM_PARALLELISM_COUNT, 1);
  }
  read_overrides(reader, &options);
}

static void read_inputs(dsm__plan_reader *reader, const dsm__json_node *root) {
  const dsm__json_node workload = dsm__json_member(root, "workload");
  if (dsm__json_require(&workload, "the workload in full")) {
    dsm__workload_read(reader->workload, &workload);
  }
  const dsm__json_node system = dsm__json_member(root, "system");
  if (dsm__json_require(&system, "the system in full")) {
    dsm__system_read(reader->system, &system);
  }
  const dsm__json_node minibatch = dsm__json_member(root, "minibatch");
  uint64_t stated = 0;
  if (dsm__json_require(&minibatch, "the workload's minibatch") &&
      dsm__json_u64(&minibatch, 1, DSM_DIMENSION_MAX, &stated) &&
      reader->workload->minibatch != 0 && stated != reader->workload->minibatch) {
    dsm__json_error(&minibatch, "change workload.minibatch too",
                    "expected the workload's minibatch, %llu, found %llu",
                    (unsigned long long)reader->workload->minibatch, (unsigned long long)stated);
  }
}

/* Only the recorded time is of use; the rest is predicted anew. */
static void read_result(const dsm__json_node *root, double *recorded_step_cycles) {
  static const char *const known[] = {"step_cycles",        "step_seconds", "latency_seconds",
                                      "samples_per_second", "utilization",  "lower_bound_cycles",
                                      "ideal_cycles",       "cycles",       "memory"};
  const dsm__json_node result = dsm__json_member(root, "result");
  if (!dsm__json_is_present(&result) ||
      !dsm__json_object_only(&result, known, DSM__COUNT_OF(known))) {
    return;
  }
  const dsm__json_node step = dsm__json_member(&result, "step_cycles");
  double step_cycles = 0;
  if (dsm__json_is_present(&step) &&
      dsm__json_double(&step, (dsm__json_range){0, 1e300, false}, &step_cycles) &&
      recorded_step_cycles != NULL) {
    *recorded_step_cycles = step_cycles;
  }
}

/* Decisions, once the inputs and options that they depend on are good. */
static void read_decisions(dsm__plan_reader *reader) {
  if (dsm__option_parallelisms(&reader->options) == 0) {
    const dsm__json_node options = dsm__json_member(&reader->root, "options");
    dsm__json_error(&options, "data_x_model_y and model_x_data_y need the optimization hybrid",
                    "expected options that leave a parallelism, found none");
    return;
  }
  reader->machine = dsm_machine_derive(reader->system);
  dsm__plan_read_layers(reader);
  if (reader->layer_nodes != NULL && !dsm__json_doc_is_out_of_memory(reader->doc)) {
    dsm__plan_read_pipelines(reader);
  }
  if (reader->pipelines != NULL && !dsm__json_doc_is_out_of_memory(reader->doc)) {
    dsm__plan_check_legality(reader);
  }
}

static void read_plan(dsm__plan_reader *reader, double *recorded_step_cycles) {
  static const char *const known[] = {"format",        "dsm_version", "mode",   "minibatch",
                                      "optimizations", "options",     "result", "pipeline",
                                      "layers",        "workload",    "system"};
  reader->root = dsm__json_root(reader->doc);
  const dsm__json_node *const root = &reader->root;
  if (!dsm__json_format(root, "dsm-plan/1") ||
      !dsm__json_object_only(root, known, DSM__COUNT_OF(known))) {
    return;
  }
  read_inputs(reader, root);
  read_mode(reader, root);
  read_options(reader, root);
  read_result(root, recorded_step_cycles);
  reader->layers_node = dsm__json_member(root, "layers");
  reader->pipeline_node = dsm__json_member(root, "pipeline");
  if (dsm__json_require(&reader->layers_node, "the decisions of each layer") &&
      dsm__json_doc_error_count(reader->doc) == 0 && !dsm__json_doc_is_out_of_memory(reader->doc)) {
    read_decisions(reader);
  }
}

/* Refuses what does not fit a chip's memory. */
static dsm_status check_capacity(const dsm__plan_reader *reader, const dsm__decisions *decisions,
                                 dsm_diags *diags) {
  dsm_layer_memory *const memory =
      dsm__arena_array(reader->arena, reader->workload->layer_count, sizeof *memory);
  if (memory == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__mapping_memory_derive(reader->workload, &reader->machine, reader->options.mode, decisions,
                             memory);
  const dsm__memory_need need =
      dsm__memory_need_of(reader->workload, &reader->machine, reader->options.mode, memory);
  if (need.total_bytes > need.capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    const dsm__place place = {.file = reader->file, .path = "$.layers"};
    dsm__report_over_capacity(&need, "the plan needs", place, diags);
    return DSM_ERROR_INFEASIBLE;
  }
  return DSM_OK;
}

static dsm_status finish(dsm_plan **plan, dsm__plan_reader *reader, dsm_diags *diags) {
  const dsm__decisions decisions = {reader->layers, reader->pipelines, reader->pipeline_count};
  dsm_status status = dsm__json_doc_finish(reader->doc);
  if (status == DSM_OK &&
      !dsm__core_layouts_complete(reader->workload, &reader->machine, reader->options.mode,
                                  &decisions, reader->layers, false, reader->arena)) {
    status = dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    status = check_capacity(reader, &decisions, diags);
  }
  if (status == DSM_OK) {
    status =
        dsm__plan_make(plan, reader->workload, reader->system, &reader->options, &decisions, diags);
  }
  if (status == DSM_OK) {
    (*plan)->owned_workload = reader->workload;
    (*plan)->owned_system = reader->system;
    reader->workload = NULL;
    reader->system = NULL;
  }
  return status;
}

dsm_status dsm_plan_parse(dsm_plan **plan, const char *text, size_t length, const char *file,
                          double *recorded_step_cycles, dsm_diags *diags) {
  *plan = NULL;
  if (recorded_step_cycles != NULL) {
    *recorded_step_cycles = 0;
  }
  dsm__plan_reader reader = {.file = file, .arena = dsm__arena_new()};
  dsm_explore_options_init(&reader.options);
  dsm_status status = DSM_OK;
  reader.workload = dsm__workload_new();
  reader.system = dsm__system_new();
  if (reader.arena == NULL || reader.workload == NULL || reader.system == NULL) {
    status = dsm__out_of_memory(diags);
    goto out;
  }
  status = dsm__json_doc_parse(&reader.doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    read_plan(&reader, recorded_step_cycles);
    status = finish(plan, &reader, diags);
  }
out:
  dsm_workload_free(reader.workload);
  dsm_system_free(reader.system);
  dsm__json_doc_free(reader.doc);
  dsm__arena_free(reader.arena);
  return status;
}

dsm_status dsm_plan_load(dsm_plan **plan, const char *path, double *recorded_step_cycles,
                         dsm_diags *diags) {
  *plan = NULL;
  char *text = NULL;
  size_t length = 0;
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_plan_parse(plan, text, length, path, recorded_step_cycles, diags);
  }
  free(text);
  return status;
}
