/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_json.c: reads and writes a plan in the format "dsm-plan/1".
 *
 * Only decisions, inputs and options are read; every number that follows from them is predicted
 * anew, so that a plan can be edited by hand. Keys are checked all the same: a misspelt one would
 * silently decide nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/file.h"
#include "plan/legal.h"
#include "plan/plan_reader.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

/* Only the recorded time is of use; the rest is predicted anew. */
static void read_result(const dsm__json_node *root, double *recorded_step_cycles) {
  const dsm__json_node result = dsm__json_member(root, "result");
  double step_cycles = 0;
  if (dsm__json_is_present(&result) && dsm__record_only(&result, &dsm__result_record)) {
    dsm__json_optional_double(&result, "step_cycles", (dsm__json_range){0, 1e300, false}, 0,
                              recorded_step_cycles == NULL ? &step_cycles : recorded_step_cycles);
  }
}

/* Decisions, once the inputs and options that they depend on are good. */
static void read_decisions(dsm__plan_reader *reader) {
  if (!dsm__plan_check_options(reader)) {
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
  reader->root = dsm__json_root(reader->doc);
  const dsm__json_node *const root = &reader->root;
  if (!dsm__json_format_of(root, &dsm__plan_versions) ||
      !dsm__record_only(root, &dsm__plan_record)) {
    return;
  }
  dsm__plan_read_question(reader);
  dsm__plan_read_step(reader);
  dsm__plan_check_step(reader);
  read_result(root, recorded_step_cycles);
  reader->layers_node = dsm__json_member(root, "layers");
  reader->pipeline_node = dsm__json_member(root, "pipeline");
  if (dsm__json_require(&reader->layers_node, "the decisions of each layer") &&
      dsm__json_doc_error_count(reader->doc) == 0 && !dsm__json_doc_is_out_of_memory(reader->doc)) {
    read_decisions(reader);
  }
}

static dsm_status finish(dsm_plan **plan, dsm__plan_reader *reader, dsm_diags *diags) {
  const dsm__place place = {.file = reader->file, .path = "$.layers"};
  dsm_status status = dsm__json_doc_finish(reader->doc);
  if (status == DSM_OK) {
    status =
        dsm__plan_complete(plan, &reader->candidate, reader->layers, place, reader->arena, diags);
  }
  if (status == DSM_OK) {
    (*plan)->statistics.is_stopped = reader->plan.statistics.is_stopped;
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
  dsm_explore_options_init(&reader.plan.options);
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

/* ---- writing ---- */

char *dsm_plan_print(const dsm_plan *plan) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text, .renaming = plan->renaming};
  dsm__record_write(&writer, &dsm__plan_record, plan);
  dsm__json_finish(&writer);
  return dsm__text_finish(&text);
}

dsm_status dsm_plan_save(const dsm_plan *plan, const char *path, dsm_diags *diags) {
  char *const text = dsm_plan_print(plan);
  if (text == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = dsm_file_write(path, text, strlen(text), diags);
  free(text);
  return status;
}
