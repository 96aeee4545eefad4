/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * formats_data.c: what the tables of the program say of its formats: words, limits, parameters,
 * records and keys. Schemas, pages and tests read it there.
 */
#include "base/growing_list.h"
#include "base/record.h"
#include "chain/stages_record.h"
#include "check/drift.h"
#include "dsm/limits.h"
#include "model/names.h"
#include "plan/frameworks.h"
#include "plan/interleave.h"
#include "plan/keeping.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"
#include "plan/recomputation.h"
#include "plan/segments.h"
#include "plan/step_energy.h"
#include "report/answer.h"
#include "report/data/records.h"
#include "report/diff_figures.h"
#include "report/memory_timeline.h"
#include "search/explain_internal.h"
#include "server/profile_record.h"
#include "server/server_internal.h"
#include "sweep/option_words.h"
#include "sweep/slope.h"
#include "system/system_internal.h"
#include "workload/byte_parameters.h"
#include "workload/workload_internal.h"

/* ---- limits ---- */

static const dsm__limit limits[] = {
    DSM__LIMIT(DSM_NAME_BYTES_MAX),    DSM__LIMIT(DSM_AXIS_NAME_BYTES_MAX),
    DSM__LIMIT(DSM_TEXT_BYTES_MAX),    DSM__LIMIT(DSM_JSON_VALUES_MAX),
    DSM__LIMIT(DSM_LAYERS_MAX),        DSM__LIMIT(DSM_PARAMETERS_MAX),
    DSM__LIMIT(DSM_DIMENSION_MAX),     DSM__LIMIT(DSM_SIDE_MAX),
    DSM__LIMIT(DSM_PRODUCT_MAX),       DSM__LIMIT(DSM_CORES_MAX),
    DSM__LIMIT(DSM_CHIPS_MAX),         DSM__LIMIT(DSM_DEVICES_MAX),
    DSM__LIMIT(DSM_TASKS_MAX),         DSM__LIMIT(DSM_REQUESTS_MAX),
    DSM__LIMIT(DSM_TRACE_EVENTS_MAX),  DSM__LIMIT(DSM_SWEEP_POINTS_MAX),
    DSM__LIMIT(DSM_SWEEP_AXES_MAX),    DSM__LIMIT(DSM_SWEEP_CONDITIONS_MAX),
    DSM__LIMIT(DSM_SWEEP_VALUES_MAX),  DSM__LIMIT(DSM_MEASUREMENTS_MAX),
    DSM__LIMIT(DSM_INTERLEAVE_MAX),    DSM__LIMIT(DSM_REMAT_STAGES_MAX),
    DSM__LIMIT(DSM_REMAT_OPTIONS_MAX), DSM__LIMIT(DSM_REMAT_OPERATIONS_MAX),
};

/* ---- words ---- */

/* Those of parameters and results stand in their rows. */
static const dsm__words *const all_words[] = {
    &dsm__layer_type_words,
    &dsm__aux_op_words,
    &dsm__optimizer_words,
    &dsm__element_type_words,
    &dsm__aux_side_words,
    &dsm__dim_words,
    &dsm__mode_words,
    &dsm__pass_words,
    &dsm__parallelism_words,
    &dsm__role_words,
    &dsm__optimization_words,
    &dsm__recomputation_words,
    &dsm__stages_at_words,
    &dsm__schedule_words,
    &dsm__shard_level_words,
    &dsm__as_run_by_words,
    &dsm__aim_words,
    &dsm__memory_kind_words,
    &dsm__diff_part_words,
    &dsm__link_words,
    &dsm__group_words,
    &dsm__tile_words,
    &dsm__computing_words,
    &dsm__move_words,
    &dsm__bound_words,
    &dsm__invocation_kind_words,
    &dsm__decision_words,
    &dsm__description_words,
    &dsm__device_kind_words,
    &dsm__record_words,
    &dsm__point_status_words,
    &dsm__variation_kind_words,
    &dsm__elasticity_basis_words,
    &dsm__verdict_words,
    &dsm__presence_words,
    &dsm__plan_figure_words,
    &dsm__plot_form_words,
    &dsm__severity_words,
};

/* ---- formats ---- */

/* Those that are read. */
static const dsm__input_format input_formats[] = {
    {.name = "dsm-workload/1",
     .objects = {&dsm__workload_object, &dsm__input_object, &dsm__dataset_object,
                 &dsm__types_object, &dsm__block_object, &dsm__layer_object,
                 &dsm__layer_types_object, &dsm__aux_object}},
    {.name = "dsm-system/1", .objects = {&dsm__system_object}},
    {.name = "dsm-technology/1", .objects = {&dsm__technology_object}},
    {.name = "dsm-plan/1", .record = &dsm__plan_record},
    {.name = "dsm-sweep/1",
     .objects = {&dsm__sweep_object, &dsm__sweep_options_object, &dsm__sweep_input_object,
                 &dsm__axis_object, &dsm__range_object}},
    {.name = "dsm-server/1",
     .objects = {&dsm__server_object, &dsm__device_object, &dsm__power_object},
     .record = &dsm__server_links_record},
    {.name = "dsm-profile/1", .record = &dsm__profile_record},
    {.name = "dsm-stages/1", .record = &dsm__stages_record},
};

/* ---- the document ---- */

/* Lists of words, each once. */
typedef struct word_lists {
  DSM__LIST(const dsm__words *) lists;
  dsm__page *page;
} word_lists;

static void add_words(word_lists *to, const dsm__words *words) {
  for (size_t i = 0; i < to->lists.count; i++) {
    if (to->lists.items[i] == words) {
      return;
    }
  }
  if (DSM__LIST_RESERVE_IN(&to->lists, 1, to->page->arena)) {
    to->lists.items[to->lists.count++] = words;
  } else {
    to->page->out.failed = true;
  }
}

static void add_words_of(word_lists *to, const dsm__record_type *document) {
  const dsm__record_types records = dsm__record_types_of(document, to->page->arena);
  to->page->out.failed = to->page->out.failed || records.count == 0;
  for (size_t i = 0; i < records.count; i++) {
    for (size_t f = 0; f < records.items[i].field_count; f++) {
      if (records.items[i].fields[f].words != NULL) {
        add_words(to, records.items[i].fields[f].words);
      }
    }
  }
}

static void write_words(dsm__page *page, dsm__json_writer *writer) {
  word_lists all = {.page = page};
  for (size_t i = 0; i < DSM__COUNT_OF(all_words); i++) {
    add_words(&all, all_words[i]);
  }
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    for (size_t i = 0; i < dsm__companions[c]->word_count; i++) {
      add_words(&all, dsm__companions[c]->words[i]);
    }
  }
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (dsm__parameters[p].kind == DSM__PARAMETER_WORD) {
      add_words(&all, dsm__parameters[p].words);
    }
  }
  const dsm__formats results = dsm__formats_of_results();
  for (size_t i = 0; i < results.count; i++) {
    add_words_of(&all, results.items[i]);
  }
  dsm__json_put_array(writer, "words", false);
  for (size_t i = 0; i < all.lists.count; i++) {
    dsm__record_write(writer, &dsm__words_record, all.lists.items[i]);
  }
  dsm__json_end_array(writer);
}

static void write_some_limits(dsm__json_writer *writer, const dsm__limit *some, size_t count) {
  for (size_t i = 0; i < count; i++) {
    dsm__json_put_u64(writer, some[i].name, some[i].value);
  }
}

static void write_limits(dsm__json_writer *writer) {
  dsm__json_put_object(writer, "limits", false);
  write_some_limits(writer, limits, DSM__COUNT_OF(limits));
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    write_some_limits(writer, dsm__companions[c]->limits, dsm__companions[c]->limit_count);
  }
  dsm__json_end_object(writer);
}

static void write_system_parameter(dsm__json_writer *writer, const dsm__parameter *parameter) {
  static const char *const kinds[] = {[DSM__PARAMETER_COUNT] = "count",
                                      [DSM__PARAMETER_REAL] = "real",
                                      [DSM__PARAMETER_FLAG] = "flag",
                                      [DSM__PARAMETER_WORD] = "word"};
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "path", parameter->path);
  dsm__json_put_string(writer, "kind", kinds[parameter->kind]);
  dsm__json_put_string(writer, "unit", parameter->unit);
  if (parameter->words == NULL) {
    dsm__json_put_double(writer, "min", parameter->min);
    dsm__json_put_double(writer, "max", parameter->max);
    dsm__json_put_bool(writer, "less_is_better", (parameter->nature & DSM__PARAMETER_COST) != 0);
  } else {
    dsm__json_put_string(writer, "words", parameter->words->what);
  }
  dsm__json_put_bool(writer, "required", parameter->is_required);
  if (!parameter->is_required) {
    dsm__json_write_key(writer, "default");
    dsm__parameter_write(parameter, parameter->fallback, writer);
    dsm__json_put_string(writer, "source", parameter->source);
  }
  dsm__json_put_text(writer, "help", parameter->help);
  dsm__json_end_object(writer);
}

static void write_byte_parameter(dsm__json_writer *writer, const dsm__byte_parameter *parameter) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "path", parameter->key);
  dsm__json_put_string(writer, "kind", "real");
  dsm__json_put_string(writer, "unit", parameter->unit);
  dsm__json_put_double(writer, "min", parameter->min);
  dsm__json_put_double(writer, "max", parameter->max);
  dsm__json_put_bool(writer, "required", false);
  dsm__json_put_double(writer, "default", parameter->fallback);
  dsm__json_put_string(writer, "source", parameter->source);
  dsm__json_end_object(writer);
}

/* Of systems, and those of workloads that are like them: numbers of bytes. */
static void write_parameters(dsm__json_writer *writer) {
  dsm__json_put_object(writer, "parameters", false);
  dsm__json_put_array(writer, "system", false);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    write_system_parameter(writer, &dsm__parameters[p]);
  }
  dsm__json_end_array(writer);
  dsm__json_put_array(writer, "workload", false);
  for (size_t p = 0; p < DSM__BYTE_PARAMETER_COUNT; p++) {
    write_byte_parameter(writer, &dsm__byte_parameters[p]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void write_records(dsm__page *page, dsm__json_writer *writer,
                          const dsm__record_type *document) {
  const dsm__record_types records = dsm__record_types_of(document, page->arena);
  page->out.failed = page->out.failed || records.count == 0;
  dsm__json_put_array(writer, "records", false);
  for (size_t i = 0; i < records.count; i++) {
    dsm__record_write(writer, &dsm__type_record, &records.items[i]);
  }
  dsm__json_end_array(writer);
}

static void write_objects(dsm__json_writer *writer, const dsm__input_format *of) {
  dsm__json_put_array(writer, "objects", false);
  for (size_t k = 0; k < DSM__OBJECTS_MAX && of->objects[k] != NULL; k++) {
    dsm__record_write(writer, &dsm__object_type_record, of->objects[k]);
  }
  dsm__json_end_array(writer);
}

static void write_inputs(dsm__page *page, dsm__json_writer *writer, const dsm__input_format *inputs,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "name", inputs[i].name);
    if (inputs[i].record != NULL) {
      write_records(page, writer, inputs[i].record);
    }
    if (inputs[i].objects[0] != NULL) {
      write_objects(writer, &inputs[i]);
    }
    dsm__json_end_object(writer);
  }
}

static void write_formats(dsm__page *page, dsm__json_writer *writer) {
  const dsm__formats results = dsm__formats_of_results();
  dsm__json_put_array(writer, "formats", false);
  write_inputs(page, writer, input_formats, DSM__COUNT_OF(input_formats));
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    write_inputs(page, writer, dsm__companions[c]->inputs, dsm__companions[c]->input_count);
  }
  for (size_t i = 0; i < results.count; i++) {
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "name", results.items[i]->format);
    write_records(page, writer, results.items[i]);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void put_json(dsm__page *page, const dsm_answer *answer) {
  (void)answer;
  dsm__json_writer writer = {.out = &page->out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-formats/1");
  write_limits(&writer);
  write_words(page, &writer);
  write_parameters(&writer);
  write_formats(page, &writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
}

const dsm_answer_kind dsm_answer_formats = {.views = {[DSM_FORM_JSON] = put_json}};
