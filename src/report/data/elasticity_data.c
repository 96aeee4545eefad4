/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity_data.c: how much each parameter matters, for programs (format "dsm-elasticity/1", and
 * CSV). */
#include "base/json_write.h"
#include "model/names.h"
#include "plan/cost_json.h"
#include "plan/plan_internal.h"
#include "report/data/cells.h"
#include "report/table/text_page.h"

/* ---- JSON ---- */

static void put_setting(dsm__json_writer *writer, const char *key, const dsm_setting *setting) {
  dsm__json_write_key(writer, key);
  switch (setting->kind) {
  case DSM_SETTING_NUMBER:
    dsm__json_write_double(writer, setting->number);
    return;
  case DSM_SETTING_FLAG:
    dsm__json_write_bool(writer, setting->number > 0);
    return;
  case DSM_SETTING_WORD:
    dsm__json_write_string(writer, setting->word);
    return;
  case DSM_SETTING_NONE:
  case DSM_SETTING_KIND_COUNT:
    dsm__json_write_null(writer);
    return;
  }
}

/* Whose times these are: of the best mapping each time, or of one that stays. */
static const char *mapping_word(const dsm_elasticity *elasticity) {
  return elasticity->is_mapping_kept ? "kept" : "explored";
}

/* Which direction helps: of a number, which may differ between networks; NULL for flags and words.
 */
static const char *better_word(const dsm_varied_parameter *parameter) {
  const dsm_setting_kind kind = parameter->setting.kind;
  if (kind == DSM_SETTING_FLAG || kind == DSM_SETTING_WORD) {
    return NULL;
  }
  return parameter->is_lower_better ? "less" : "more";
}

static void put_times(dsm__json_writer *writer, const dsm_response *response) {
  dsm__json_put_double(writer, "step_cycles", response->step_cycles);
  dsm__json_put_double(writer, "step_seconds", response->step_seconds);
  dsm__json_put_double(writer, "utilization", response->utilization);
}

static void write_networks(dsm__json_writer *writer, const dsm_elasticity *elasticity) {
  dsm__json_put_array(writer, "networks", false);
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "workload", elasticity->workloads[w]->name);
    dsm__json_put_u64(writer, "minibatch", elasticity->workloads[w]->minibatch);
    put_times(writer, &elasticity->references[w]);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_slopes(dsm__json_writer *writer, const dsm_elasticity *elasticity,
                         const dsm_varied_parameter *parameter) {
  dsm__json_put_array(writer, "elasticities", false);
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    const dsm_slope *const slope = &parameter->slopes[w];
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "workload", elasticity->workloads[w]->name);
    dsm__json_put_string(writer, "basis", dsm_elasticity_basis_name(slope->basis));
    if (slope->basis != DSM_ELASTICITY_BASIS_NONE) {
      dsm__json_put_double(writer, "elasticity", slope->elasticity);
    }
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_response(dsm__json_writer *writer, const char *workload,
                           const dsm_response *response) {
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "workload", workload);
  if (response->why_not != NULL) {
    dsm__json_put_string(writer, "why_not", response->why_not);
  } else {
    dsm__json_put_double(writer, "time_ratio", response->time_ratio);
    put_times(writer, response);
  }
  dsm__json_end_object(writer);
}

static void write_variation(dsm__json_writer *writer, const dsm_elasticity *elasticity,
                            const dsm_variation *variation) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "kind", dsm_variation_kind_name(variation->kind));
  put_setting(writer, "value", &variation->setting);
  if (variation->kind != DSM_VARIATION_OTHER) {
    dsm__json_put_double(writer, "factor", variation->factor);
  }
  dsm__json_put_array(writer, "responses", false);
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    write_response(writer, elasticity->workloads[w]->name, &variation->responses[w]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void write_parameter(dsm__json_writer *writer, const dsm_elasticity *elasticity,
                            const dsm_varied_parameter *parameter) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "path", parameter->path);
  put_setting(writer, "value", &parameter->setting);
  dsm__json_put_string(writer, "unit", parameter->unit);
  if (better_word(parameter) != NULL) {
    dsm__json_put_string(writer, "better", better_word(parameter));
  }
  if (parameter->fallback.kind != DSM_SETTING_NONE) {
    put_setting(writer, "default", &parameter->fallback);
  }
  dsm__json_put_string(writer, "source", parameter->source);
  dsm__json_put_bool(writer, "is_free", parameter->is_free);
  dsm__json_put_double(writer, "influence", parameter->influence);
  write_slopes(writer, elasticity, parameter);
  dsm__json_put_array(writer, "variations", false);
  for (size_t v = 0; v < parameter->variation_count; v++) {
    write_variation(writer, elasticity, &parameter->variations[v]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

static void write_elasticity(dsm__json_writer *writer, const dsm_elasticity *elasticity) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "system", elasticity->system->name);
  dsm__json_put_string(writer, "mapping", mapping_word(elasticity));
  dsm__json_put_string(writer, "mode", dsm_mode_name(elasticity->options.mode));
  dsm__json_put_word_set(writer, "optimizations", &dsm__optimization_words,
                         elasticity->options.optimizations);
  dsm__json_put_word_set(writer, "parallelisms", &dsm__parallelism_words,
                         elasticity->options.parallelisms);
  write_networks(writer, elasticity);
  dsm__json_put_array(writer, "parameters", false);
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    write_parameter(writer, elasticity, &elasticity->parameters[p]);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
}

char *dsm_report_elasticity_json(const dsm_elasticity *const *items, size_t count) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-elasticity/1");
  dsm__json_put_array(&writer, "items", false);
  for (size_t i = 0; i < count; i++) {
    write_elasticity(&writer, items[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- CSV ---- */

static void add_setting(dsm__cells *csv, const dsm_setting *setting) {
  switch (setting->kind) {
  case DSM_SETTING_NUMBER:
    dsm__cells_double(csv, setting->number);
    return;
  case DSM_SETTING_FLAG:
  case DSM_SETTING_WORD:
    dsm__cells_text(csv, setting->word);
    return;
  case DSM_SETTING_NONE:
  case DSM_SETTING_KIND_COUNT:
    dsm__cells_empty(csv, 1);
    return;
  }
}

static void add_parameter_fields(dsm__cells *csv, const dsm_elasticity *elasticity,
                                 const dsm_varied_parameter *parameter, size_t network) {
  const dsm_slope *const slope = &parameter->slopes[network];
  dsm__cells_text(csv, elasticity->system->name);
  dsm__cells_text(csv, elasticity->workloads[network]->name);
  dsm__cells_text(csv, mapping_word(elasticity));
  dsm__cells_text(csv, dsm_mode_name(elasticity->options.mode));
  dsm__cells_u64(csv, elasticity->workloads[network]->minibatch);
  dsm__cells_text(csv, parameter->path);
  add_setting(csv, &parameter->setting);
  dsm__cells_text(csv, parameter->unit);
  dsm__cells_text(csv, better_word(parameter));
  add_setting(csv, &parameter->fallback);
  dsm__cells_text(csv, parameter->source);
  dsm__cells_bool(csv, parameter->is_free);
  dsm__cells_double(csv, parameter->influence);
  dsm__cells_text(csv, dsm_elasticity_basis_name(slope->basis));
  if (slope->basis == DSM_ELASTICITY_BASIS_NONE) {
    dsm__cells_empty(csv, 1);
  } else {
    dsm__cells_double(csv, slope->elasticity);
  }
}

static void add_variation_fields(dsm__cells *csv, const dsm_variation *variation, size_t network) {
  const dsm_response *const response = &variation->responses[network];
  dsm__cells_text(csv, dsm_variation_kind_name(variation->kind));
  add_setting(csv, &variation->setting);
  if (variation->kind == DSM_VARIATION_OTHER) {
    dsm__cells_empty(csv, 1);
  } else {
    dsm__cells_double(csv, variation->factor);
  }
  if (response->why_not != NULL) {
    dsm__cells_empty(csv, 4);
  } else {
    dsm__cells_double(csv, response->time_ratio);
    dsm__cells_double(csv, response->step_cycles);
    dsm__cells_double(csv, response->step_seconds);
    dsm__cells_double(csv, response->utilization);
  }
  dsm__cells_text(csv, response->why_not);
}

static void add_rows(dsm__cells *csv, const dsm_elasticity *elasticity,
                     const dsm_varied_parameter *parameter) {
  static const size_t variation_field_count = 8;
  for (size_t v = 0; v < parameter->variation_count; v++) {
    for (size_t w = 0; w < elasticity->workload_count; w++) {
      add_parameter_fields(csv, elasticity, parameter, w);
      add_variation_fields(csv, &parameter->variations[v], w);
      dsm__cells_end_row(csv);
    }
  }
  for (size_t w = 0; w < elasticity->workload_count && parameter->variation_count == 0; w++) {
    add_parameter_fields(csv, elasticity, parameter, w);
    dsm__cells_empty(csv, variation_field_count);
    dsm__cells_end_row(csv);
  }
}

char *dsm_report_elasticity_csv(const dsm_elasticity *const *items, size_t count) {
  static const char *const titles[] = {
      "system",           "workload",    "mapping",    "mode",
      "minibatch",        "path",        "value",      "unit",
      "better",           "default",     "source",     "is_free",
      "influence",        "basis",       "elasticity", "variations.kind",
      "variations.value", "factor",      "time_ratio", "step_cycles",
      "step_seconds",     "utilization", "why_not",
  };
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__cells_end_row(&csv);
  for (size_t i = 0; i < count; i++) {
    for (size_t p = 0; p < items[i]->parameter_count; p++) {
      add_rows(&csv, items[i], &items[i]->parameters[p]);
    }
  }
  return dsm__text_finish(&out);
}
