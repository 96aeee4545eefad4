/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline_json.c: reads what a plan in the format "dsm-plan/1" records, without asking whether its
 * decisions are legal today. The figures that are compared are required; all else is as in a plan.
 */
#include <string.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "check/drift.h"
#include "dsm/limits.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "plan/stage.h"
#include "system/system_internal.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

typedef struct baseline_reader {
  dsm__plan_reader plan; /**< reads the question; its arena becomes the baseline's */
  dsm_layer_plan *layers;
  size_t layer_count;
  dsm__name_index names; /**< of the layers */
  dsm_recorded record;
} baseline_reader;

/* What is read of a layer and a pass: what is decided, and the figures that are compared. */
enum { WANTED = DSM__FIELD_IS_READ | DSM__FIELD_IS_DECISION | DSM__FIELD_IS_FIGURE };

static dsm__record_reader fields_of(const baseline_reader *reader) {
  return (dsm__record_reader){.arena = reader->plan.arena,
                              .wanted = WANTED,
                              .most_parts = DSM_PRODUCT_MAX,
                              .renaming = reader->plan.renaming};
}

/* ---- layers ---- */

static void read_layer(const baseline_reader *reader, const dsm__json_node *node,
                       dsm_layer_plan *layer) {
  const dsm__record_reader fields = fields_of(reader);
  layer->decisions = dsm__layer_decisions_none();
  if (dsm__record_only(node, &dsm__layer_record)) {
    (void)dsm__record_read(&fields, node, &dsm__layer_record, layer);
  }
  layer->name = layer->name == NULL ? "" : layer->name;
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

/* The chips of the stages: those of layers that say that they are in the group. */
static void place_stages(baseline_reader *reader, const dsm__json_node *node,
                         const dsm_pipeline_plan *group) {
  const dsm__json_node names = dsm__json_member(node, "layers");
  dsm__json_node item = dsm__json_item(&names, 0);
  for (size_t i = 0; i < group->layer_count; i++, item = dsm__json_next(&item)) {
    const size_t index = dsm__name_index_find(&reader->names, group->layer_names[i]);
    if (index == SIZE_MAX) {
      dsm__json_error(&item, NULL, "expected the name of a layer, found \"%s\"",
                      group->layer_names[i]);
      continue;
    }
    dsm_layer_decisions *const decisions = &reader->layers[index].decisions;
    if (decisions->pipeline_group != NULL && strcmp(decisions->pipeline_group, group->name) == 0) {
      decisions->stage_rows = group->rows[i];
      decisions->stage_columns = group->columns;
    }
  }
}

static void read_group(baseline_reader *reader, const dsm__json_node *node) {
  const dsm__group_limits limits = {.columns = DSM_PRODUCT_MAX, .rows = DSM_PRODUCT_MAX};
  dsm_pipeline_plan group = {.columns = dsm__stage_columns_max(reader->plan.system)};
  if (dsm__plan_read_group(node, &limits, reader->plan.arena, &group)) {
    place_stages(reader, node, &group);
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

/* Energy is there if the system named a technology; all figures of it that checks compare. */
static void read_energy(baseline_reader *reader, const dsm__json_node *result) {
  const dsm__field *const field = dsm__record_field(&dsm__result_record, "energy", NULL);
  const dsm__json_node energy = dsm__json_member(result, field->key);
  dsm_plan_energy *const read = &reader->record.result.energy;
  dsm__record_reader fields = fields_of(reader);
  fields.wanted = DSM__FIELD_LESS_IS_BETTER;
  if (dsm__json_is_present(&energy) && dsm__record_only(&energy, field->type)) {
    (void)dsm__record_read(&fields, &energy, field->type, read);
    read->is_known = true;
  }
}

static void read_result(baseline_reader *reader) {
  const dsm__record_reader fields = fields_of(reader);
  const dsm__json_node result = dsm__json_member(&reader->plan.root, "result");
  reader->record.cycles_per_second = dsm__hertz(reader->plan.system->core.frequency_GHz);
  if (dsm__json_require(&result, "the figures of the step") &&
      dsm__record_only(&result, &dsm__result_record)) {
    (void)dsm__record_read(&fields, &result, &dsm__result_record, &reader->record.result);
    read_energy(reader, &result);
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
  uint64_t minibatch = 0;
  dsm__json_optional_u64(&reader->plan.root, "minibatch", 1, DSM_DIMENSION_MAX, 0, &minibatch);
  return minibatch;
}

/* What a plan is the answer to. False if it is a document of another kind, of which nothing else
 * was read. */
static bool read_question(baseline_reader *reader, dsm_baseline *baseline) {
  reader->plan.root = dsm__json_root(reader->plan.doc);
  baseline->dsm_version = read_version(reader);
  if (!dsm__json_format_of(&reader->plan.root, &dsm__plan_versions) ||
      !dsm__record_only(&reader->plan.root, &dsm__plan_record)) {
    return false;
  }
  dsm__plan_read_question(&reader->plan);
  if (dsm__json_doc_error_count(reader->plan.doc) == 0) {
    dsm__plan_check_options(&reader->plan);
  }
  baseline->minibatch = read_minibatch(reader);
  return true;
}

/* An axis that the system, perhaps another now, does not have is one by its name alone. */
static void read_step(baseline_reader *reader) {
  dsm_stages *const stages = &reader->plan.plan.stages;
  dsm__plan_read_step(&reader->plan);
  if (dsm__json_doc_error_count(reader->plan.doc) > 0 || stages->axis_name == NULL ||
      !dsm__stages_find_axis(stages, &reader->plan.system->system)) {
    stages->axis = DSM_NO_AXIS;
  }
  reader->record.micro_batches = reader->plan.plan.micro_batches;
  reader->record.stages = *stages;
}

static void read_record(baseline_reader *reader) {
  read_step(reader);
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
  double frequency_GHz = 1; /* where a peak takes the place of arrays and their clock */
  dsm_status status = dsm__json_doc_parse(&doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    const dsm__json_node system = dsm__json_member(&root, "system");
    const dsm__json_node core = dsm__json_member(&system, "core");
    const dsm__json_node frequency = dsm__json_member(&core, "frequency_GHz");
    const dsm__json_node chip = dsm__json_member(&system, "chip");
    if (dsm__json_is_present(&frequency) || !dsm__json_has(&chip, "peak_TFLOPS")) {
      dsm__json_double(&frequency, (dsm__json_range){1e-9, 1e12, false}, &frequency_GHz);
    }
    status = dsm__json_doc_finish(doc);
    record->cycles_per_second = dsm__hertz(frequency_GHz);
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
  static const char anew[] = "make it again: dsm explore WORKLOAD SYSTEM -o BASELINE.json";
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
  reader->record.is_stopped = reader->plan.plan.statistics.is_stopped;
  reader->record.layers = reader->layers;
  reader->record.layer_count = reader->layer_count;
  reader->record.renaming = reader->plan.renaming;
  baseline->record = reader->record;
  baseline->options = reader->plan.plan.options;
  return status;
}

static dsm_status parse(dsm_baseline **baseline, const char *text, size_t length, const char *file,
                        const dsm_override *overrides, size_t override_count, bool has_record,
                        dsm_diags *diags) {
  *baseline = NULL;
  dsm_baseline *const made = DSM__ARENA_OWNER(dsm_baseline);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  made->workload = dsm__workload_new();
  made->system = dsm__system_new();
  baseline_reader reader = {.plan = {.file = file,
                                     .arena = made->arena,
                                     .workload = made->workload,
                                     .system = made->system,
                                     .is_overridden = override_count > 0}};
  dsm_explore_options_init(&reader.plan.plan.options);
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

DSM__LOADED_DOCUMENT(dsm_baseline, dsm_baseline_load, dsm_baseline_parse);

void dsm_baseline_free(dsm_baseline *baseline) {
  if (baseline != NULL) {
    dsm_workload_free(baseline->workload);
    dsm_system_free(baseline->system);
    dsm__arena_free(baseline->arena);
  }
}
