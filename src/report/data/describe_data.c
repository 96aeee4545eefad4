/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_data.c: what descriptions hold, for programs (format "dsm-describe/1", and CSV). */
#include <math.h>

#include "base/json_write.h"
#include "report/data/cells.h"
#include "report/declared.h"
#include "report/parameter_list.h"
#include "report/table/describe_table.h"
#include "report/table/text_page.h"
#include "system/system_internal.h"

/* ---- JSON ---- */

static void write_workload(dsm__json_writer *writer, const dsm_workload *workload,
                           const dsm__declared *declared) {
  dsm__json_put_u64(writer, "minibatch", workload->minibatch);
  dsm__json_put_object(writer, "totals", false);
  dsm__json_put_u64(writer, "parameters", workload->parameters);
  dsm__json_put_u64(writer, "weights", workload->weights);
  dsm__json_put_u64(writer, "macs_forward_per_sample", workload->forward_macs);
  dsm__json_put_double(writer, "activation_bytes_per_sample", workload->activation_bytes);
  dsm__json_end_object(writer);
  dsm__json_put_array(writer, "layers", false);
  for (size_t i = 0; i < workload->spec_count; i++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "name", workload->specs[i].name);
    dsm__json_put_string(writer, "type", dsm_layer_type_name(workload->specs[i].type));
    dsm__json_put_u64(writer, "parameters", declared[i].parameters);
    dsm__json_put_u64(writer, "macs_forward_per_sample", declared[i].forward_macs);
    dsm__json_put_double(writer, "activation_bytes_per_sample", declared[i].activation_bytes);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_parameter(dsm__json_writer *writer, dsm__page *page, const dsm_system *system,
                            const dsm__parameter *parameter) {
  const char *const source = dsm__parameter_source(page->arena, parameter, system);
  if (source == NULL) {
    writer->out->failed = true;
    return;
  }
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "path", parameter->path);
  dsm__json_write_key(writer, "value");
  dsm__parameter_write(parameter, dsm__parameter_number(parameter, system), writer);
  dsm__json_put_string(writer, "unit", parameter->unit);
  if (!parameter->is_required) {
    dsm__json_write_key(writer, "default");
    dsm__parameter_write(parameter, parameter->fallback, writer);
  }
  dsm__json_put_string(writer, "source", source);
  dsm__json_end_object(writer);
}

static void write_system(dsm__json_writer *writer, dsm__page *page, const dsm_system *system) {
  const uint64_t chips = system->system.chips_x * system->system.chips_y;
  dsm__json_put_double(writer, "peak_flops", dsm_system_peak_flops(system));
  dsm__json_put_double(writer, "machine_balance", dsm_system_machine_balance(system));
  dsm__json_put_u64(writer, "chips", chips);
  dsm__json_put_u64(writer, "cores", dsm__system_cores(system));
  dsm__json_put_double(writer, "macs_per_cycle", dsm__system_macs(system));
  dsm__json_put_double(writer, "memory_bytes", (double)chips * dsm__chip_memory_bytes(system));
  dsm__json_put_array(writer, "parameters", false);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    write_parameter(writer, page, system, &dsm__parameters[p]);
  }
  dsm__json_end_array(writer);
}

static void write_result(dsm__json_writer *writer, const dsm_plan *plan) {
  dsm__json_put_string(writer, "system", plan->system->name);
  dsm__json_put_string(writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_put_object(writer, "result", false);
  dsm__json_put_double(writer, "step_cycles", plan->result.step_cycles);
  dsm__json_put_double(writer, "step_seconds", plan->result.step_seconds);
  dsm__json_put_double(writer, "samples_per_second", plan->result.samples_per_second);
  dsm__json_put_double(writer, "utilization", plan->result.utilization);
  dsm__json_end_object(writer);
}

static void write_item(dsm__json_writer *writer, dsm__page *page, const dsm_described *item) {
  const dsm_workload *const workload = dsm__described_workload(item);
  const dsm_system *const system = dsm__described_system(item);
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "file", item->file);
  dsm__json_put_string(writer, "kind", dsm__described_kind(item));
  dsm__json_put_string(writer, "name", dsm__described_name(item));
  if (item->sweep != NULL) {
    dsm__describe_sweep_json(writer, item->sweep);
  }
  if (item->server != NULL) {
    dsm__describe_server_json(writer, item->server);
  }
  if (item->profile != NULL) {
    dsm__describe_profile_json(writer, item->profile);
  }
  if (item->plan != NULL) {
    write_result(writer, item->plan);
  }
  if (workload != NULL) {
    const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
    if (declared != NULL) {
      write_workload(writer, workload, declared);
    } else {
      writer->out->failed = true;
    }
  }
  if (system != NULL) {
    write_system(writer, page, system);
  }
  dsm__json_end_object(writer);
}

char *dsm_report_description_json(const dsm_described *items, size_t count) {
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__json_writer writer = {.out = &page.out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-describe/1");
  dsm__json_put_array(&writer, "items", false);
  for (size_t i = 0; i < count; i++) {
    write_item(&writer, &page, &items[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__page_finish(&page);
}

/* ---- CSV ---- */

/* Columns of a layer, and of a parameter. */
enum { LAYER_FIELDS = 5, PARAMETER_FIELDS = 5 };

static void put_item_fields(dsm__cells *csv, const dsm_described *item) {
  dsm__cells_text(csv, item->file);
  dsm__cells_text(csv, dsm__described_kind(item));
  dsm__cells_text(csv, dsm__described_name(item));
}

static void put_system_fields(dsm__cells *csv, const dsm_system *system) {
  if (system == NULL) {
    dsm__cells_empty(csv, 2);
  } else {
    dsm__cells_double(csv, dsm_system_peak_flops(system));
    dsm__cells_double(csv, dsm_system_machine_balance(system));
  }
}

static void put_layer_rows(dsm__cells *csv, dsm__page *page, const dsm_described *item) {
  const dsm_workload *const workload = dsm__described_workload(item);
  const dsm__declared *const declared = dsm__declared_derive(page->arena, workload);
  if (declared == NULL) {
    csv->out->failed = true;
    return;
  }
  for (size_t i = 0; i < workload->spec_count; i++) {
    put_item_fields(csv, item);
    dsm__cells_text(csv, workload->specs[i].name);
    dsm__cells_text(csv, dsm_layer_type_name(workload->specs[i].type));
    dsm__cells_u64(csv, declared[i].parameters);
    dsm__cells_u64(csv, declared[i].forward_macs);
    dsm__cells_double(csv, declared[i].activation_bytes);
    put_system_fields(csv, dsm__described_system(item));
    dsm__cells_empty(csv, PARAMETER_FIELDS);
    dsm__cells_end_row(csv);
  }
}

static void put_parameter_rows(dsm__cells *csv, dsm__page *page, const dsm_described *item) {
  const dsm_system *const system = dsm__described_system(item);
  const dsm__listed_parameter *const parameters = dsm__parameter_list_of(page, system);
  for (size_t p = 0; parameters != NULL && p < dsm__parameter_count; p++) {
    put_item_fields(csv, item);
    dsm__cells_empty(csv, LAYER_FIELDS);
    put_system_fields(csv, system);
    dsm__cells_text(csv, parameters[p].path);
    dsm__cells_text(csv, parameters[p].value);
    dsm__cells_text(csv, parameters[p].unit);
    dsm__cells_text(csv, dsm__parameters[p].is_required ? NULL : parameters[p].fallback);
    dsm__cells_text(csv, parameters[p].source);
    dsm__cells_end_row(csv);
  }
}

static void put_sweep_rows(dsm__cells *csv, const dsm_described *item) {
  for (size_t c = 0; c < item->sweep->column_count; c++) {
    const dsm_sweep_column *const column = &item->sweep->columns[c];
    const dsm_axis *const axis = &item->sweep->axes[column->axis];
    for (size_t v = 0; v < axis->value_count; v++) {
      put_item_fields(csv, item);
      dsm__cells_empty(csv, LAYER_FIELDS);
      put_system_fields(csv, NULL);
      dsm__cells_text(csv, column->path);
      dsm__cells_text(csv, axis->values[v * axis->path_count + column->slot].text);
      dsm__cells_empty(csv, PARAMETER_FIELDS - 2);
      dsm__cells_end_row(csv);
    }
  }
}

/* A device's row has its peak, its name as the path, and its memory as the value. */
static void put_device_row(dsm__cells *csv, const dsm_described *item, const char *name,
                           double memory_bytes, double peak_flops) {
  put_item_fields(csv, item);
  dsm__cells_empty(csv, LAYER_FIELDS);
  if (peak_flops > 0) {
    dsm__cells_double(csv, peak_flops);
  } else {
    dsm__cells_empty(csv, 1);
  }
  dsm__cells_empty(csv, 1);
  dsm__cells_text(csv, name);
  if (isfinite(memory_bytes)) {
    dsm__cells_double(csv, memory_bytes);
  } else {
    dsm__cells_empty(csv, 1);
  }
  dsm__cells_text(csv, "bytes of memory");
  dsm__cells_empty(csv, PARAMETER_FIELDS - 3);
  dsm__cells_end_row(csv);
}

static void put_device_rows(dsm__cells *csv, const dsm_described *item) {
  for (size_t j = 0; item->server != NULL && j < item->server->device_count; j++) {
    const dsm_device *const device = &item->server->devices[j];
    put_device_row(csv, item, device->name, device->memory_bytes, dsm__device_peak_flops(device));
  }
  for (size_t j = 0; item->profile != NULL && j < item->profile->device_count; j++) {
    const dsm_instance_device *const device = &item->profile->devices[j];
    put_device_row(csv, item, device->name, device->memory_bytes, 0);
  }
}

char *dsm_report_description_csv(const dsm_described *items, size_t count) {
  static const char *const titles[] = {
      "file",
      "kind",
      "name",
      "layer",
      "type",
      "parameters",
      "macs_forward_per_sample",
      "activation_bytes_per_sample",
      "peak_flops",
      "machine_balance",
      "path",
      "value",
      "unit",
      "default",
      "source",
  };
  dsm__page page;
  if (!dsm__page_init(&page, (dsm_table_style){.width = 0})) {
    return NULL;
  }
  dsm__cells csv = {.out = &page.out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__cells_end_row(&csv);
  for (size_t i = 0; i < count; i++) {
    if (dsm__described_workload(&items[i]) != NULL) {
      put_layer_rows(&csv, &page, &items[i]);
    }
    if (dsm__described_system(&items[i]) != NULL) {
      put_parameter_rows(&csv, &page, &items[i]);
    }
    if (items[i].sweep != NULL) {
      put_sweep_rows(&csv, &items[i]);
    }
    put_device_rows(&csv, &items[i]);
  }
  return dsm__page_finish(&page);
}
