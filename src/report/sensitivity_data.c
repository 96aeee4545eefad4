/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sensitivity_data.c: what a tenth more of each parameter, or less where less is better, does to a
 * step, for programs (format "dsm-sensitivity/1", and CSV). */
#include <assert.h>

#include "base/json_write.h"
#include "plan/cost_json.h"
#include "report/csv.h"
#include "report/page.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* A parameter with what became of its network. */
typedef struct raised {
  const dsm_varied_parameter *parameter;
  const dsm_variation *variation;
  const dsm_response *response;
  double elasticity;
} raised;

static raised raised_at(const dsm_elasticity *sensitivity, size_t index) {
  const dsm_varied_parameter *const parameter = &sensitivity->parameters[index];
  assert(sensitivity->workload_count == 1 && parameter->variation_count == 1);
  return (raised){parameter, parameter->variations, parameter->variations[0].responses,
                  parameter->slopes[0].elasticity};
}

/* ---- JSON ---- */

static void put_times(dsm__json_writer *writer, const dsm_response *response) {
  dsm__json_put_double(writer, "step_cycles", response->step_cycles);
  dsm__json_put_double(writer, "step_seconds", response->step_seconds);
  dsm__json_put_double(writer, "utilization", response->utilization);
}

static void write_parameter(dsm__json_writer *writer, const raised *row) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "path", row->parameter->path);
  dsm__json_put_string(writer, "unit", row->parameter->unit);
  dsm__json_put_string(writer, "better", row->parameter->is_lower_better ? "less" : "more");
  dsm__json_put_double(writer, "value", row->parameter->setting.number);
  if (row->variation->setting.kind != DSM_SETTING_NONE) {
    dsm__json_put_double(writer, "tried", row->variation->setting.number);
    dsm__json_put_double(writer, "factor", row->variation->factor);
  }
  if (row->response->why_not != NULL) {
    dsm__json_put_string(writer, "why_not", row->response->why_not);
  } else {
    dsm__json_put_double(writer, "time_ratio", row->response->time_ratio);
    dsm__json_put_double(writer, "elasticity", row->elasticity);
    put_times(writer, row->response);
  }
  dsm__json_end_object(writer);
}

char *dsm_report_sensitivity_json(const dsm_elasticity *sensitivity) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-sensitivity/1");
  dsm__json_put_string(&writer, "workload", sensitivity->workloads[0]->name);
  dsm__json_put_string(&writer, "system", sensitivity->system->name);
  dsm__json_put_string(&writer, "mode", dsm_mode_name(sensitivity->options.mode));
  dsm__json_put_u64(&writer, "minibatch", sensitivity->workloads[0]->minibatch);
  dsm__optimizations_put(&writer, sensitivity->options.optimizations);
  dsm__parallelisms_put(&writer, sensitivity->options.parallelisms);
  put_times(&writer, &sensitivity->references[0]);
  dsm__json_write_key(&writer, "parameters");
  dsm__json_begin_array(&writer, false);
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    const raised row = raised_at(sensitivity, p);
    write_parameter(&writer, &row);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- CSV ---- */

static void add_row(dsm__csv *csv, const dsm_elasticity *sensitivity, const raised *row) {
  dsm__csv_text(csv, sensitivity->workloads[0]->name);
  dsm__csv_text(csv, sensitivity->system->name);
  dsm__csv_text(csv, dsm_mode_name(sensitivity->options.mode));
  dsm__csv_u64(csv, sensitivity->workloads[0]->minibatch);
  dsm__csv_text(csv, row->parameter->path);
  dsm__csv_text(csv, row->parameter->unit);
  dsm__csv_text(csv, row->parameter->is_lower_better ? "less" : "more");
  dsm__csv_double(csv, row->parameter->setting.number);
  if (row->variation->setting.kind == DSM_SETTING_NONE) {
    dsm__csv_empty(csv, 2);
  } else {
    dsm__csv_double(csv, row->variation->setting.number);
    dsm__csv_double(csv, row->variation->factor);
  }
  if (row->response->why_not != NULL) {
    dsm__csv_empty(csv, 5);
  } else {
    dsm__csv_double(csv, row->response->time_ratio);
    dsm__csv_double(csv, row->elasticity);
    dsm__csv_double(csv, row->response->step_cycles);
    dsm__csv_double(csv, row->response->step_seconds);
    dsm__csv_double(csv, row->response->utilization);
  }
  dsm__csv_text(csv, row->response->why_not);
  dsm__csv_end_row(csv);
}

char *dsm_report_sensitivity_csv(const dsm_elasticity *sensitivity) {
  static const char *const titles[] = {
      "workload",    "system",       "mode",        "minibatch", "path",       "unit",
      "better",      "value",        "tried",       "factor",    "time_ratio", "elasticity",
      "step_cycles", "step_seconds", "utilization", "why_not",
  };
  dsm__text_buffer out = {0};
  dsm__csv csv = {.out = &out};
  dsm__csv_texts(&csv, titles, COUNT_OF(titles));
  dsm__csv_end_row(&csv);
  for (size_t p = 0; p < sensitivity->parameter_count; p++) {
    const raised row = raised_at(sensitivity, p);
    add_row(&csv, sensitivity, &row);
  }
  return dsm__text_finish(&out);
}
