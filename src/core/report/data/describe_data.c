/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_data.c: what descriptions hold: the document (format "dsm-describe/1", and CSV). */
#include <math.h>

#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/data/csv.h"
#include "report/data/describe_record.h"
#include "report/data/partition_links.h"
#include "report/declared.h"
#include "report/parameter_list.h"
#include "report/table/plan_table.h"
#include "server/server_internal.h"
#include "system/system_internal.h"

#define COUNT(struct_type, member, key, flag, least, about)                                        \
  DSM__FIELD(COUNT, struct_type, member, key, flag, .min = (least), .help = (about))
#define TEXT(struct_type, member, key, flag, about)                                                \
  DSM__FIELD(TEXT, struct_type, member, key, flag, .help = (about))

/* ---- sweeps ---- */

/* The values of an axis, of each that of each path. */
static void write_values(dsm__json_writer *writer, const void *record) {
  const dsm_axis *const axis = record;
  dsm__json_begin_array(writer, true);
  for (size_t v = 0; v < axis->value_count; v++) {
    dsm__json_begin_array(writer, true);
    for (size_t p = 0; p < axis->path_count; p++) {
      const dsm_axis_value *const value = &axis->values[v * axis->path_count + p];
      if (value->is_number) {
        dsm__json_write_double(writer, value->number);
      } else {
        dsm__json_write_string(writer, value->text);
      }
    }
    dsm__json_end_array(writer);
  }
  dsm__json_end_array(writer);
}

DSM__OWN_RECORD(axis_record, dsm_axis, false, "What varies.",
                DSM__FIELD(TEXT_LIST, dsm_axis, paths, "paths", 0,
                           .count_offset = offsetof(dsm_axis, path_count),
                           .help = "What varies; several paths vary together."),
                DSM__OWN("values", 0, write_values, JSON,
                         .help = "For each value of the axis, that of each path."));

DSM__OWN_RECORD(sweep_record, dsm_sweep, false, "A sweep.",
                COUNT(dsm_sweep, point_count, "points", 0, 1, "Of the sweep."),
                DSM__LISTED(dsm_sweep, axes, axis_count, "axes", 0, axis_record,
                            "Of the sweep, in order; the last varies fastest."));

/* ---- servers and profiles ---- */

#define DEVICES(struct_type)                                                                       \
  DSM__ROWS(struct_type, of_server.devices, "devices", dsm__described_device_record,               \
            "Of the server or profile, in order; equal ones each for itself."),                    \
      DSM__ROWS_IF_ANY(struct_type, of_server.ports, "ports", dsm__port_record,                    \
                       "What devices share; absent where there is none."),                         \
      DSM__ROWS_IF_ANY(struct_type, of_server.pairs, "pairs", dsm__pair_record,                    \
                       "What two devices have for themselves; absent where there is none.")

/* ---- chains ---- */

typedef struct stage_row {
  const char *name;
  size_t options;
  double forward_seconds;
  double backward_seconds;
  double saved_bytes;
  double output_bytes;
  bool is_recomputable;
} stage_row;

DSM__OWN_RECORD(stage_record, stage_row, true, "A stage of a chain.",
                TEXT(stage_row, name, "name", 0, "Its name."),
                COUNT(stage_row, options, "options", 0, 1, "Ways to run it."),
                DSM__REAL(stage_row, forward_seconds, "forward_seconds", 0, "seconds",
                          "Of the first option."),
                DSM__REAL(stage_row, backward_seconds, "backward_seconds", 0, "seconds",
                          "Of the first option."),
                DSM__REAL(stage_row, saved_bytes, "saved_bytes", 0, "bytes",
                          "What the first option keeps until the backward pass."),
                DSM__REAL(stage_row, output_bytes, "output_bytes", 0, "bytes",
                          "What a checkpoint behind it keeps."),
                DSM__FIELD(FLAG, stage_row, is_recomputable, "recomputable", 0,
                           .help = "Its forward pass may run more than once."));

/* ---- systems ---- */

DSM__OWN_RECORD(
    parameter_record, dsm__listed_parameter, true, "A parameter of the system.",
    TEXT(dsm__listed_parameter, path, "path", DSM__COLUMN, "Such as core.frequency_GHz."),
    DSM__FIELD(VALUE, dsm__listed_parameter, value, "value", DSM__COLUMN, .help = "As it is."),
    TEXT(dsm__listed_parameter, unit, "unit", DSM__COLUMN,
         "Of the value; flag and word for those kinds."),
    DSM__FIELD(VALUE, dsm__listed_parameter, fallback, "default", DSM__COLUMN | DSM__OPTIONAL,
               .help = "Absent if the parameter is required."),
    TEXT(dsm__listed_parameter, source, "source", DSM__COLUMN,
         "The description's note; else the source of the default, the word assumption, or given."));

/* ---- the document ---- */

DSM__OWN_RECORD(server_record, dsm__item_row, false, "A server.", DEVICES(dsm__item_row));

DSM__OWN_RECORD(profile_record, dsm__item_row, false, "A profile.",
                COUNT(dsm__item_row, tasks, "tasks", 0, 1, "Of the profile."),
                COUNT(dsm__item_row, tensors, "tensors", 0, 0, "Of the profile, between tasks."),
                DSM__REAL(dsm__item_row, weights_bytes, "weights_bytes", 0, "bytes",
                          "Of all tasks of the profile."),
                DEVICES(dsm__item_row));

DSM__OWN_RECORD(chain_record, dsm__item_row, false, "A chain of stages.",
                DSM__SAMPLES(dsm__item_row, minibatch, "minibatch", 0, "Samples of a step."),
                DSM__REAL(dsm__item_row, step_seconds, "step_seconds", 0, "seconds",
                          "Of a step that computes nothing again."),
                DSM__ROWS(dsm__item_row, stages, "stages", stage_record, "In order."));

DSM__OWN_RECORD(plan_record, dsm__item_row, false, "A plan.",
                TEXT(dsm__item_row, system, "system", 0, "Name of the plan's system."),
                DSM__FIELD(WORD, dsm__item_row, options.mode, "mode", 0, .words = &dsm__mode_words,
                           .help = "Of the plan."),
                DSM__FIELD(RECORD, dsm__item_row, result, "result", 0, .type = &dsm__figures_record,
                           .help = "The plan's prediction for a step."));

DSM__OWN_RECORD(dataset_record, dsm_dataset, true, "What the network is trained on, or run over.",
                DSM__FIELD(COUNT, dsm_dataset, samples, "samples", 0, .min = 1, .unit = "samples",
                           .help = "How many."),
                DSM__REAL(dsm_dataset, sample_bytes, "sample_bytes", 0, "bytes",
                          "Of one, on average."),
                DSM__REAL(dsm_dataset, repeat, "repeat", 0, "ratio",
                          "Times that a mini-epoch is trained on."));

DSM__OWN_RECORD(workload_record, dsm__item_row, false, "A workload.",
                DSM__SAMPLES(dsm__item_row, minibatch, "minibatch", 0, "Samples of a step."),
                DSM__FIELD(RECORD, dsm__item_row, dataset, "dataset", 0, .type = &dataset_record,
                           .stated_if = DSM__IF(dsm__item_row, dataset.samples),
                           .help = "Where the workload has one."),
                DSM__FIELD(RECORD, dsm__item_row, totals, "totals", 0,
                           .type = &dsm__described_totals_record, .help = "Sums over the network."),
                DSM__ROWS(dsm__item_row, layers, "layers", dsm__described_layer_record,
                          "Declared layers, in order."));

DSM__OWN_RECORD(network_axis_record, dsm_network_axis, true, "An axis.",
                TEXT(dsm_network_axis, name, "name", 0, "Its name, as in words and paths."),
                COUNT(dsm_network_axis, chips, "chips", 0, 1, "Along the axis."),
                DSM__FIELD(WORD, dsm_network_axis, link, "link", 0, .words = &dsm__link_kinds,
                           .help = "What joins them."));

DSM__OWN_RECORD(
    system_record, dsm__item_row, false, "A system.",
    DSM__REAL(
        dsm__item_row, peak_flops, "peak_flops", DSM__ABOVE | DSM__COLUMN | DSM__MORE, "FLOP/s",
        "Floating-point operations a second of the whole system, 2 for a MAC, with elements of "
        "16 bits."),
    DSM__REAL(dsm__item_row, machine_balance, "machine_balance", DSM__ABOVE | DSM__COLUMN,
              "FLOP/byte",
              "FLOP per byte at which that of a chip and its usable memory bandwidth meet."),
    COUNT(dsm__item_row, chips, "chips", 0, 1, "Of the whole system."),
    DSM__ROWS_IF_ANY(dsm__item_row, axes, "network_axes", network_axis_record,
                     "The innermost first; absent where the description has the short form."),
    COUNT(dsm__item_row, cores, "cores", 0, 1, "Of the whole system."),
    DSM__REAL(dsm__item_row, macs_per_cycle, "macs_per_cycle", DSM__ABOVE, "MACs",
              "Of the whole system."),
    DSM__REAL(dsm__item_row, memory_bytes, "memory_bytes", DSM__ABOVE, "bytes",
              "Of the whole system."),
    DSM__FIELD(TEXT, dsm__item_row, base, "base", 0, .stated_if = DSM__IF(dsm__item_row, base),
               .help = "The systems whose values it takes, the nearest first."),
    DSM__FIELD(TEXT, dsm__item_row, changes, "own_values", 0,
               .stated_if = DSM__IF(dsm__item_row, base),
               .help = "With a base: the paths of what it states itself."),
    DSM__ROWS(dsm__item_row, parameters, "parameters", parameter_record,
              "Every parameter of the system."));

DSM__OWN_RECORD(technology_record, dsm__item_row, false, "A technology.",
                DSM__ROWS(dsm__item_row, parameters, "parameters", parameter_record,
                          "What it states, as a system that names it has it."));

DSM__RECORD(dsm__item_record, dsm__item_row, false, "What a file describes.",
            TEXT(dsm__item_row, file, "file", DSM__COLUMN, "As given on the command line."),
            DSM__FIELD(WORD, dsm__item_row, kind, "kind", DSM__COLUMN,
                       .words = &dsm__description_words, .help = "What the file describes."),
            TEXT(dsm__item_row, name, "name", DSM__COLUMN,
                 "Of what the file describes; of a plan: its workload's."),
            DSM__PART_IF(dsm__item_row, sweep, sweep_record, DSM__IF(dsm__item_row, of.sweep)),
            DSM__PART_IF(dsm__item_row, of, server_record, DSM__IF(dsm__item_row, of.server)),
            DSM__PART_IF(dsm__item_row, of, technology_record,
                         DSM__IF(dsm__item_row, of.technology)),
            DSM__PART_IF(dsm__item_row, of, profile_record, DSM__IF(dsm__item_row, of.profile)),
            DSM__PART_IF(dsm__item_row, of, chain_record, DSM__IF(dsm__item_row, of.chain)),
            DSM__ADDED_PARTS,
            DSM__PART_IF(dsm__item_row, of, plan_record, DSM__IF(dsm__item_row, of.plan)),
            DSM__PART_IF(dsm__item_row, of, workload_record, DSM__IF(dsm__item_row, of.workload)),
            DSM__PART_IF(dsm__item_row, of, system_record, DSM__IF(dsm__item_row, of.system)));

DSM__ANSWER(dsm__describe_record, dsm__rows, "dsm-describe/1", "What descriptions hold",
            "dsm describe",
            DSM__LISTED(dsm__rows, items, count, "items", 0, dsm__item_record,
                        "One for each file, in the order of the command line."));

/* ---- what it holds ---- */

static dsm__rows axes_of(dsm__page *page, const dsm_system *system) {
  const bool is_list = system->system.topology == DSM_TOPOLOGY_AXES;
  const dsm__rows made =
      dsm__rows_make(page, is_list ? system->system.axis_count : 0, sizeof(dsm_network_axis));
  for (size_t a = 0; a < made.count; a++) {
    ((dsm_network_axis *)made.items)[a] = system->system.axes[a];
  }
  return made;
}

/* "operands fp8, gradients bf16", and what one type is of. */
static const char *types_of(dsm__page *page, const dsm_workload *workload) {
  const char *text = NULL;
  if (workload->element_type != DSM_ELEMENT_TYPE_ANY) {
    text = dsm__page_text(page, "elements %s", dsm_element_type_name(workload->element_type));
  }
  for (size_t use = 0; use < DSM_USE_COUNT; use++) {
    const dsm_element_type type = workload->types.of[use];
    if (type != DSM_ELEMENT_TYPE_ANY) {
      text = dsm__page_join(page, text == NULL ? "" : text, ", ", "%s %s",
                            dsm__word_key(&dsm__use_words, use), dsm_element_type_name(type));
    }
  }
  return text;
}

static void fill_workload(dsm__page *page, dsm__item_row *row, const dsm_workload *workload) {
  row->source = workload->source;
  row->minibatch = workload->minibatch;
  row->layer_count = workload->spec_count;
  row->element_bytes = workload->element_bytes;
  row->counts = dsm__workload_count_parameters(workload);
  row->all_weights = workload->weights;
  row->stored_bytes = dsm__workload_weights_bytes(workload);
  row->cache_bytes = dsm__workload_cache_bytes(workload);
  row->optimizer =
      workload->optimizer == DSM_OPTIMIZER_NONE ? NULL : dsm_optimizer_name(workload->optimizer);
  row->types = types_of(page, workload);
  for (size_t i = 0; i < workload->spec_count; i++) {
    const dsm_layer_spec *const spec = &workload->specs[i];
    row->other_count +=
        spec->element_bytes > 0 || spec->weight_bytes > 0 || spec->cache_bytes > 0 ? 1 : 0;
  }
  row->dataset = workload->dataset;
  row->layers = dsm__described_layers(page, workload);
  row->totals = dsm__described_totals(workload);
}

static void fill_system(dsm__page *page, dsm__item_row *row, const dsm_system *system) {
  row->peak_flops = dsm_system_peak_flops(system);
  row->machine_balance = dsm_system_machine_balance(system);
  row->chips = dsm_system_chips(system);
  row->axes = axes_of(page, system);
  row->cores = dsm__system_cores(system);
  row->macs_per_cycle = dsm__system_macs(system);
  row->memory_bytes = (double)row->chips * dsm__chip_memory_bytes(system);
  row->parameters = dsm__parameter_list_of(page, system);
  row->system_source = system->source;
  row->base = system->base;
  row->changes = system->own;
  row->elements = dsm__page_peak_elements(system);
  row->axes_text = dsm__page_axes(page, system);
  row->reserve = dsm__page_reserve(page, system);
}

static void fill_profile(dsm__page *page, dsm__item_row *row, const dsm_instance *profile) {
  row->tasks = profile->task_count;
  row->tensors = profile->tensor_count;
  for (size_t i = 0; i < profile->task_count; i++) {
    row->weights_bytes += profile->tasks[i].weights_bytes;
  }
  row->of_server = dsm__described_devices_of_profile(page, profile);
}

static void fill_chain(dsm__page *page, dsm__item_row *row, const dsm_remat_chain *chain) {
  row->minibatch = chain->minibatch;
  row->step_seconds = dsm_remat_chain_seconds(chain);
  row->stages = dsm__rows_make(page, chain->stage_count, sizeof(stage_row));
  row->parameters = dsm__rows_make(page, row->stages.count, sizeof(dsm__listed_parameter));
  stage_row *const rows = row->stages.items;
  dsm__listed_parameter *const values = row->parameters.items;
  for (size_t s = 0; s < row->stages.count && s < row->parameters.count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    rows[s] = (stage_row){.name = stage->name,
                          .options = stage->option_count,
                          .forward_seconds = stage->options[0].forward_seconds,
                          .backward_seconds = stage->options[0].backward_seconds,
                          .saved_bytes = stage->options[0].saved_bytes,
                          .output_bytes = stage->output_bytes,
                          .is_recomputable = stage->is_recomputable};
    values[s] = (dsm__listed_parameter){.path = stage->name,
                                        .value = {DSM__VALUE_NUMBER, rows[s].saved_bytes, NULL},
                                        .unit = "bytes saved"};
  }
}

dsm__item_row dsm__item_of(dsm__page *page, const dsm_described *item) {
  const dsm__described_as what = dsm__described_as_what(item);
  dsm__item_row row = {.of = *item, .file = item->file, .kind = what.kind, .name = what.name};
  row.of.workload = dsm__described_workload(item);
  row.of.system = dsm__described_system(item);
  if (row.of.sweep != NULL) {
    row.sweep = *item->sweep;
    row.source = item->sweep->source;
    row.record = dsm_record_name(item->sweep->record);
  }
  if (row.of.server != NULL) {
    row.of_server = dsm__described_devices_of_server(page, item->server);
    row.source = item->server->source;
  }
  if (row.of.technology != NULL) {
    row.parameters = dsm__technology_list_of(page, item->technology);
    row.source = item->technology->holder->source;
  }
  if (row.of.profile != NULL) {
    fill_profile(page, &row, item->profile);
  }
  if (row.of.chain != NULL) {
    fill_chain(page, &row, item->chain);
    row.source = item->chain->source;
  }
  if (row.of.plan != NULL) {
    row.system = item->plan->system->name;
    row.options = item->plan->options;
    row.result = item->plan->result;
    row.heading = dsm__page_plan_heading(page, item->plan);
  }
  if (row.of.workload != NULL) {
    fill_workload(page, &row, row.of.workload);
  }
  if (row.of.system != NULL) {
    fill_system(page, &row, row.of.system);
  }
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    if (dsm__companions[c]->describe != NULL) {
      dsm__companions[c]->describe(page, &row);
    }
  }
  return row;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_described *const items = answer->of;
  const dsm__rows made = dsm__rows_make(page, answer->count, sizeof(dsm__item_row));
  dsm__item_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = dsm__item_of(page, &items[i]);
  }
  *(dsm__rows *)to = made;
}

/* ---- CSV: a row a layer, parameter, value of an axis's path, device, stage or figure ---- */

/* A value in the columns of a parameter. */
static void put_value(dsm__csv *csv, const dsm__item_row *item, const char *path, dsm__value value,
                      const char *unit) {
  const dsm__listed_parameter row = {.path = path, .value = value, .unit = unit};
  DSM__CSV_ROW(csv, {&dsm__item_record, item}, {&parameter_record, &row});
}

static void put_sweep(dsm__csv *csv, const dsm__item_row *item) {
  const dsm_sweep *const sweep = &item->sweep;
  for (size_t c = 0; c < sweep->column_count; c++) {
    const dsm_sweep_column *const column = &sweep->columns[c];
    const dsm_axis *const axis = &sweep->axes[column->axis];
    for (size_t v = 0; v < axis->value_count; v++) {
      const dsm_axis_value *const value = &axis->values[v * axis->path_count + column->slot];
      put_value(csv, item, column->path, (dsm__value){DSM__VALUE_TEXT, 0, value->text}, NULL);
    }
  }
}

static void put_item(dsm__csv *csv, const dsm__item_row *item) {
  static const dsm__listed_parameter memory = {.unit = "bytes of memory"};
  const dsm__described_layer *const layers = item->layers.items;
  const dsm__listed_parameter *const parameters = item->parameters.items;
  for (size_t i = 0; i < item->layers.count; i++) {
    DSM__CSV_ROW(csv, {&dsm__item_record, item}, {&dsm__described_layer_record, &layers[i]});
  }
  for (size_t p = 0; p < item->parameters.count; p++) {
    DSM__CSV_ROW(csv, {&dsm__item_record, item}, {&parameter_record, &parameters[p]});
  }
  put_sweep(csv, item);
  for (size_t j = 0; j < item->of_server.devices.count; j++) {
    DSM__CSV_ROW(csv, {&dsm__item_record, item},
                 {&dsm__described_device_record, dsm__described_device(&item->of_server, j)},
                 {&parameter_record, &memory});
  }
}

static void put_rows(dsm__csv *csv, const void *document) {
  const dsm__rows *const made = document;
  const dsm__item_row *const rows = made->items;
  dsm__csv_column(csv, &dsm__item_record, "file");
  dsm__csv_column(csv, &dsm__item_record, "kind");
  dsm__csv_column(csv, &dsm__item_record, "name");
  dsm__csv_columns(csv, &dsm__described_layer_record);
  dsm__csv_columns(csv, &dsm__item_record);
  dsm__csv_columns(csv, &parameter_record);
  for (size_t i = 0; i < made->count; i++) {
    put_item(csv, &rows[i]);
  }
}

static void show(dsm__page *page, const dsm_answer *answer) {
  const dsm_described *const items = answer->of;
  for (size_t i = 0; i < answer->count; i++) {
    const dsm__item_row row = dsm__item_of(page, &items[i]);
    if (i > 0) {
      dsm__page_break(page);
    }
    dsm__layout_text(page, row.layout != NULL ? row.layout : &dsm__item_layout, &row);
  }
}

const dsm_answer_kind dsm_answer_description = {
    .record = &dsm__describe_record, .fill = fill, .put_rows = put_rows, .views = {show}};
