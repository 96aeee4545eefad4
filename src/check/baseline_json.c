/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline_json.c: reads what a plan in the format "dsm-plan/1" records, without asking whether its
 * decisions are legal today. The figures that are compared are required; all else is as in a plan.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "check/record.h"
#include "dsm/file.h"
#include "dsm/limits.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "system/system_internal.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

typedef struct baseline_reader {
  dsm__plan_reader plan; /**< reads the question; its arena becomes the baseline's */
  dsm_recorded_layer *layers;
  size_t layer_count;
  dsm__name_index names; /**< of the layers */
  dsm_recorded record;
} baseline_reader;

static const dsm__json_range no_less_than_zero = {0, 1e300, false};
static const dsm__json_range above_zero = {0, 1e300, true};
/* Utilization is a quotient of two sums: one of 1 may be more in its last bits. */
static const dsm__json_range up_to_one = {0, 1 + DSM_TOLERANCE_ROUNDING, false};

static void read_figure(const dsm__json_node *parent, const char *key, dsm__json_range range,
                        double *figure) {
  const dsm__json_node node = dsm__json_member(parent, key);
  if (dsm__json_require(&node, "a figure to compare with")) {
    dsm__json_double(&node, range, figure);
  }
}

/* ---- passes ---- */

/* The invocations after the first. */
static void read_later_invocation(const dsm__json_node *node, dsm_recorded_pass *pass) {
  const dsm__json_node word = dsm__json_member(node, "kind");
  size_t kind = 0;
  if (!dsm__plan_invocation_only(node) ||
      !dsm__json_enum(&word, &dsm__invocation_kind_words, &kind)) {
    return;
  }
  if (node->index > 0) {
    pass->has_later = true;
    pass->later_kind = (dsm_invocation_kind)kind;
    dsm__plan_read_split(node, DSM_PRODUCT_MAX, &pass->later_core_split);
  }
}

static void read_invocations(const dsm__json_node *pass_node, dsm_recorded_pass *pass) {
  const dsm__json_node node = dsm__json_member(pass_node, "invocations");
  size_t count = 0;
  if (!dsm__json_is_present(&node) ||
      !dsm__json_array(&node, 0, DSM_INVOCATION_KINDS_MAX, &count)) {
    return;
  }
  pass->lists_invocations = true;
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_later_invocation(&item, pass);
  }
}

static void read_pass(const dsm__json_node *node, dsm_recorded_pass *pass) {
  if (!dsm__json_is_present(node) || !dsm__plan_pass_only(node)) {
    return;
  }
  pass->exists = true;
  const dsm__json_node parallelism = dsm__json_member(node, "parallelism");
  dsm__plan_read_parallelism(&parallelism, &pass->parallelism);
  dsm__plan_read_split(node, DSM_PRODUCT_MAX, &pass->core_split);
  read_invocations(node, pass);
  const dsm__json_node cycles = dsm__json_member(node, "cycles");
  if (dsm__json_require(&cycles, "an object with the pass's cycles")) {
    read_figure(&cycles, "total", no_less_than_zero, &pass->cycles);
  }
  read_figure(node, "utilization", up_to_one, &pass->utilization);
}

/* ---- layers ---- */

static void read_passes(const dsm__json_node *layer_node, dsm_recorded_layer *layer) {
  const char *names[DSM_PASS_COUNT];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    names[p] = dsm_pass_name((dsm_pass)p);
  }
  const dsm__json_node passes = dsm__json_member(layer_node, "passes");
  if (!dsm__json_require(&passes, "an object with the layer's passes") ||
      !dsm__json_object_only(&passes, names, DSM_PASS_COUNT)) {
    return;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm__json_node node = dsm__json_member(&passes, names[p]);
    read_pass(&node, &layer->passes[p]);
  }
}

static void read_output_layout(const dsm__json_node *layer_node, dsm_core_layout *layout) {
  static const char *const known[] = {"features", "ij", "mb"};
  uint64_t *const parts[] = {&layout->features, &layout->ij, &layout->mb};
  const dsm__json_node node = dsm__json_member(layer_node, "output_layout");
  if (!dsm__json_is_present(&node) || !dsm__json_object_only(&node, known, DSM__COUNT_OF(known))) {
    return;
  }
  for (size_t i = 0; i < DSM__COUNT_OF(known); i++) {
    const dsm__json_node part = dsm__json_member(&node, known[i]);
    dsm__json_u64(&part, 1, DSM_PRODUCT_MAX, parts[i]);
  }
}

static void read_decisions(baseline_reader *reader, const dsm__json_node *node,
                           dsm_recorded_layer *layer) {
  const dsm__json_node factor = dsm__json_member(node, "dysm_factor");
  const dsm__json_node output = dsm__json_member(node, "output_on_chip");
  const dsm__json_node weights = dsm__json_member(node, "weights_on_chip");
  const dsm__json_node group = dsm__json_member(node, "pipeline_group");
  const dsm__json_node error = dsm__json_member(node, "error_parallelism");
  layer->dysm_factor = 1;
  if (dsm__json_is_present(&factor)) {
    dsm__json_u64(&factor, 1, DSM_DIMENSION_MAX, &layer->dysm_factor);
  }
  if (dsm__json_is_present(&output)) {
    dsm__json_bool(&output, &layer->is_output_held);
  }
  if (dsm__json_is_present(&weights)) {
    dsm__json_double(&weights, (dsm__json_range){0, 1, false}, &layer->weights_on_chip);
  }
  if (dsm__json_is_present(&group) && !dsm__json_is_null(&group)) {
    dsm__json_name(&group, DSM__GROUP_NAME_BYTES_MAX, reader->plan.arena, &layer->pipeline);
  }
  if (dsm__json_is_present(&error)) {
    layer->has_error_parallelism = dsm__plan_read_parallelism(&error, &layer->error_parallelism);
  }
  read_output_layout(node, &layer->output_layout);
}

static void read_layer(baseline_reader *reader, const dsm__json_node *node,
                       dsm_recorded_layer *layer) {
  const dsm__json_node name = dsm__json_member(node, "name");
  layer->name = "";
  if (!dsm__plan_layer_only(node) || !dsm__json_require(&name, "the layer's name") ||
      !dsm__json_name(&name, DSM_NAME_BYTES_MAX + 8, reader->plan.arena, &layer->name)) {
    return;
  }
  read_decisions(reader, node, layer);
  read_passes(node, layer);
}

/* Layers are matched by name, so each needs its own. */
static void check_names(baseline_reader *reader, const dsm__json_node *layers) {
  for (size_t i = 0; i < reader->layer_count; i++) {
    reader->names.entries[i] = (dsm__name_entry){reader->layers[i].name, i};
  }
  reader->names.count = reader->layer_count;
  dsm__name_index_sort(&reader->names);
  dsm__json_node item = dsm__json_item(layers, 0);
  for (size_t i = 0; i < reader->layer_count; i++, item = dsm__json_next(&item)) {
    const char *const text = reader->layers[i].name;
    if (text[0] != '\0' && dsm__name_index_find(&reader->names, text) != i) {
      const dsm__json_node name = dsm__json_member(&item, "name");
      dsm__json_error(&name, NULL, "expected a name of its own, found a second \"%s\"", text);
    }
  }
}

static void read_layers(baseline_reader *reader) {
  const dsm__json_node layers = dsm__json_member(&reader->plan.root, "layers");
  size_t count = 0;
  if (!dsm__json_require(&layers, "the decisions and figures of each layer") ||
      !dsm__json_array(&layers, 1, 2 * (size_t)DSM_LAYERS_MAX, &count)) {
    return;
  }
  reader->layers = dsm__arena_array(reader->plan.arena, count, sizeof *reader->layers);
  reader->names.entries = dsm__arena_array(reader->plan.arena, count, sizeof(dsm__name_entry));
  if (reader->layers == NULL || reader->names.entries == NULL) {
    dsm__json_set_out_of_memory(reader->plan.doc);
    return;
  }
  reader->layer_count = count;
  dsm__json_node item = dsm__json_item(&layers, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_layer(reader, &item, &reader->layers[i]);
  }
  if (!dsm__json_doc_is_out_of_memory(reader->plan.doc)) {
    check_names(reader, &layers);
  }
}

/* ---- pipeline groups ---- */

/* The chips of one stage: those of the group that the layer says it is in. */
static void read_stage(baseline_reader *reader, const dsm__json_node *layer_node,
                       const dsm__json_node *rows_node, const char *group, uint64_t columns) {
  const char *name = NULL;
  uint64_t rows = 0;
  if (!dsm__json_string(layer_node, 1, DSM_NAME_BYTES_MAX + 8, reader->plan.arena, &name) ||
      !dsm__json_u64(rows_node, 1, DSM_PRODUCT_MAX, &rows)) {
    return;
  }
  const size_t index = dsm__name_index_find(&reader->names, name);
  if (index == SIZE_MAX) {
    dsm__json_error(layer_node, NULL, "expected the name of a layer, found \"%s\"", name);
    return;
  }
  dsm_recorded_layer *const layer = &reader->layers[index];
  if (layer->pipeline != NULL && strcmp(layer->pipeline, group) == 0) {
    layer->pipeline_rows = rows;
    layer->pipeline_columns = columns;
  }
}

static void read_group(baseline_reader *reader, const dsm__json_node *node) {
  const dsm__json_node name = dsm__json_member(node, "name");
  const dsm__json_node columns_node = dsm__json_member(node, "columns");
  const dsm__json_node layers = dsm__json_member(node, "layers");
  const dsm__json_node rows = dsm__json_member(node, "rows");
  const char *text = NULL;
  uint64_t columns = reader->plan.system->system.chips_x;
  size_t count = 0;
  if (!dsm__plan_pipeline_only(node) ||
      !dsm__json_require(&name, "the name that its layers refer to") ||
      !dsm__json_name(&name, DSM__GROUP_NAME_BYTES_MAX, reader->plan.arena, &text) ||
      !dsm__json_require(&layers, "the names of its layers, in order of execution") ||
      !dsm__json_array(&layers, 0, reader->layer_count, &count) ||
      !dsm__json_require(&rows, "rows of the torus for each of its layers") ||
      !dsm__json_array(&rows, count, count, &count)) {
    return;
  }
  if (dsm__json_is_present(&columns_node)) {
    dsm__json_u64(&columns_node, 1, DSM_PRODUCT_MAX, &columns);
  }
  dsm__json_node layer = dsm__json_item(&layers, 0);
  dsm__json_node row = dsm__json_item(&rows, 0);
  for (size_t i = 0; i < count; i++) {
    read_stage(reader, &layer, &row, text, columns);
    layer = dsm__json_next(&layer);
    row = dsm__json_next(&row);
  }
}

/* Could the layers be read so far that groups can refer to them? */
static bool has_all_names(const baseline_reader *reader) {
  for (size_t i = 0; i < reader->layer_count; i++) {
    if (reader->layers[i].name[0] == '\0') {
      return false;
    }
  }
  return reader->layer_count > 0;
}

static void read_groups(baseline_reader *reader) {
  const dsm__json_node node = dsm__json_member(&reader->plan.root, "pipeline");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 0, reader->layer_count, &count)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_group(reader, &item);
  }
}

/* ---- the whole ---- */

static void read_result(baseline_reader *reader) {
  reader->record.cycles_per_second = 1e9 * reader->plan.system->core.frequency_GHz;
  const dsm__json_node result = dsm__json_member(&reader->plan.root, "result");
  if (dsm__json_require(&result, "the figures of the step") && dsm__plan_result_only(&result)) {
    read_figure(&result, "step_seconds", above_zero, &reader->record.step_seconds);
    read_figure(&result, "step_cycles", above_zero, &reader->record.step_cycles);
    read_figure(&result, "utilization", up_to_one, &reader->record.utilization);
  }
}

/* Who wrote it: a text of at most 64 bytes. "" if that is not recorded, or out of memory. */
static const char *read_version(baseline_reader *reader) {
  const dsm__json_node node = dsm__json_member(&reader->plan.root, "dsm_version");
  const char *version = "";
  char found[160];
  if (dsm__json_is_string(&node)) {
    dsm__json_name(&node, 64, reader->plan.arena, &version);
  } else if (dsm__json_is_present(&node)) {
    dsm__json_error(&node, NULL, "expected the version of dsm, a string, found %s",
                    dsm__json_found(&node, found, sizeof found));
  }
  return version;
}

static uint64_t read_minibatch(baseline_reader *reader) {
  const dsm__json_node node = dsm__json_member(&reader->plan.root, "minibatch");
  uint64_t minibatch = 0;
  if (dsm__json_is_present(&node)) {
    dsm__json_u64(&node, 1, DSM_DIMENSION_MAX, &minibatch);
  }
  return minibatch;
}

/* What a plan is the answer to. False if it is a document of another kind, of which nothing else
 * was read. */
static bool read_question(baseline_reader *reader, dsm_baseline *baseline) {
  reader->plan.root = dsm__json_root(reader->plan.doc);
  baseline->dsm_version = read_version(reader);
  if (!dsm__json_format(&reader->plan.root, "dsm-plan/1") ||
      !dsm__plan_root_only(&reader->plan.root)) {
    return false;
  }
  dsm__plan_read_question(&reader->plan);
  if (dsm__json_doc_error_count(reader->plan.doc) == 0) {
    dsm__plan_check_options(&reader->plan);
  }
  baseline->minibatch = read_minibatch(reader);
  return true;
}

static void read_record(baseline_reader *reader) {
  read_result(reader);
  read_layers(reader);
  if (has_all_names(reader) && !dsm__json_doc_is_out_of_memory(reader->plan.doc)) {
    read_groups(reader);
  }
}

/* The clock of the machine that the baseline was made for, whatever overrides make of it: what was
 * recorded in cycles took so long. */
static dsm_status read_clock(dsm_recorded *record, const char *text, size_t length,
                             const char *file, dsm_diags *diags) {
  dsm__json_doc *doc = NULL;
  double frequency_GHz = 0;
  dsm_status status = dsm__json_doc_parse(&doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    const dsm__json_node system = dsm__json_member(&root, "system");
    const dsm__json_node core = dsm__json_member(&system, "core");
    read_figure(&core, "frequency_GHz", (dsm__json_range){1e-9, 1e12, false}, &frequency_GHz);
    status = dsm__json_doc_finish(doc);
    record->cycles_per_second = 1e9 * frequency_GHz;
  }
  dsm__json_doc_free(doc);
  return status;
}

/* Says what a document is that is no plan of any version, and does not advise to write over it.
 * False if it is a plan. */
static bool say_what_it_is(const baseline_reader *reader, const char *file, dsm_diags *diags) {
  static const char own[] = "dsm-";
  static const char plan[] = "dsm-plan/";
  const dsm__json_node node = dsm__json_member(&reader->plan.root, "format");
  const char *const format = dsm__json_is_string(&node) ? dsm__json_text(&node) : "";
  if (strncmp(format, plan, sizeof plan - 1) == 0) {
    return false;
  }
  const bool is_ours = strncmp(format, own, sizeof own - 1) == 0;
  const char *const kind = is_ours ? format + sizeof own - 1 : "file of no format of dsm";
  dsm__diags_add(diags, DSM_SEVERITY_NOTE, (dsm__place){.file = file}, NULL,
                 "this is a %.*s, not a plan; a baseline is a plan: dsm explore WORKLOAD SYSTEM -o "
                 "BASELINE.json",
                 (int)strcspn(kind, "/"), kind);
  return true;
}

/* What helps if a baseline cannot be read. Not if overrides may be to blame. No file is named that
 * is there: it may be all that is left of its question. */
static void advise(const dsm_baseline *baseline, const char *file, dsm_diags *diags) {
  static const char anew[] = "make it anew: dsm explore WORKLOAD SYSTEM -o BASELINE.json";
  const dsm__place place = {.file = file};
  const char *const version = baseline->dsm_version == NULL ? "" : baseline->dsm_version;
  if (strcmp(version, dsm_version()) == 0) {
    dsm__diags_add(diags, DSM_SEVERITY_NOTE, place, NULL,
                   "a baseline is a plan as dsm %s writes it; %s", version, anew);
  } else {
    dsm__diags_add(diags, DSM_SEVERITY_NOTE, place, NULL,
                   "a baseline is a plan that dsm %s can read; this one was written by %s%s; %s",
                   dsm_version(), version[0] != '\0' ? "dsm " : "an unknown program", version,
                   anew);
  }
}

/* Reads into a baseline whose arena is that of the reader; with its record, if that is wanted. */
static dsm_status fill(dsm_baseline *baseline, baseline_reader *reader, bool has_record,
                       dsm_diags *diags) {
  const char *const file = reader->plan.file;
  const bool is_plan = read_question(reader, baseline);
  if (is_plan && has_record) {
    read_record(reader);
  }
  const dsm_status status = dsm__json_doc_finish(reader->plan.doc);
  if (status == DSM_ERROR_INVALID && has_record && (!is_plan || !reader->plan.is_overridden) &&
      !say_what_it_is(reader, file, diags)) {
    advise(baseline, file, diags);
  }
  reader->record.is_stopped = reader->plan.is_stopped;
  reader->record.layers = reader->layers;
  reader->record.layer_count = reader->layer_count;
  baseline->record = reader->record;
  baseline->options = reader->plan.options;
  return status;
}

static dsm_status parse(dsm_baseline **baseline, const char *text, size_t length, const char *file,
                        const dsm_override *overrides, size_t override_count, bool has_record,
                        dsm_diags *diags) {
  *baseline = NULL;
  dsm__arena *const arena = dsm__arena_new();
  dsm_baseline *const made = arena == NULL ? NULL : dsm__arena_alloc(arena, sizeof *made);
  if (made == NULL) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  *made =
      (dsm_baseline){.workload = dsm__workload_new(), .system = dsm__system_new(), .arena = arena};
  baseline_reader reader = {.plan = {.file = file,
                                     .arena = arena,
                                     .workload = made->workload,
                                     .system = made->system,
                                     .is_overridden = override_count > 0}};
  dsm_explore_options_init(&reader.plan.options);
  dsm_status status = made->workload == NULL || made->system == NULL
                          ? dsm__out_of_memory(diags)
                          : dsm__json_doc_parse(&reader.plan.doc, text, length, file, overrides,
                                                override_count, diags);
  if (status == DSM_OK) {
    status = fill(made, &reader, has_record, diags);
  }
  if (status == DSM_OK && has_record && override_count > 0) {
    status = read_clock(&made->record, text, length, file, diags);
  }
  dsm__json_doc_free(reader.plan.doc);
  if (status != DSM_OK) {
    dsm_baseline_free(made);
    return status;
  }
  *baseline = made;
  return DSM_OK;
}

dsm_status dsm_baseline_parse(dsm_baseline **baseline, const char *text, size_t length,
                              const char *file, const dsm_override *overrides,
                              size_t override_count, dsm_diags *diags) {
  return parse(baseline, text, length, file, overrides, override_count, true, diags);
}

dsm_status dsm_question_parse(dsm_baseline **question, const char *text, size_t length,
                              const char *file, const dsm_override *overrides,
                              size_t override_count, dsm_diags *diags) {
  return parse(question, text, length, file, overrides, override_count, false, diags);
}

dsm_status dsm_baseline_load(dsm_baseline **baseline, const char *path,
                             const dsm_override *overrides, size_t override_count,
                             dsm_diags *diags) {
  *baseline = NULL;
  char *text = NULL;
  size_t length = 0;
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_baseline_parse(baseline, text, length, path, overrides, override_count, diags);
  }
  free(text);
  return status;
}

void dsm_baseline_free(dsm_baseline *baseline) {
  if (baseline != NULL) {
    dsm_workload_free(baseline->workload);
    dsm_system_free(baseline->system);
    dsm__arena_free(baseline->arena);
  }
}
