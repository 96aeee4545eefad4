/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_data.c: what moved since baselines were made, for programs. */
#include <math.h>

#include "base/json_write.h"
#include "report/data/csv.h"
#include "report/data/json_parts.h"
#include "report/table/text_page.h"

/* ---- JSON ---- */

static void put_moved(dsm__json_writer *writer, const char *key, const dsm_moved *moved) {
  dsm__json_put_object(writer, key, true);
  dsm__json_put_double(writer, "before", moved->before);
  dsm__json_put_double(writer, "after", moved->after);
  dsm__json_write_key(writer, "change");
  if (isfinite(moved->change)) {
    dsm__json_write_double(writer, moved->change);
  } else {
    dsm__json_write_null(writer);
  }
  dsm__json_put_bool(writer, "beyond", moved->is_beyond);
  dsm__json_end_object(writer);
}

static void put_inputs(dsm__json_writer *writer, const dsm_drift *drift) {
  dsm__json_put_string(writer, "workload", drift->workload);
  dsm__json_put_string(writer, "system", drift->system);
  dsm__json_put_string(writer, "mode", dsm_mode_name(drift->mode));
  dsm__json_put_object(writer, "minibatch", true);
  dsm__json_put_u64(writer, "before", drift->minibatch_before);
  dsm__json_put_u64(writer, "after", drift->minibatch_after);
  dsm__json_end_object(writer);
  dsm__json_put_object(writer, "dsm_version", true);
  dsm__json_put_string(writer, "before", drift->dsm_version_before);
  dsm__json_put_string(writer, "after", dsm_version());
  dsm__json_end_object(writer);
}

static void put_layers(dsm__json_writer *writer, const dsm_drift *drift) {
  dsm__json_put_array(writer, "layers", false);
  for (size_t i = 0; i < drift->layer_count; i++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "layer", drift->layers[i].layer);
    dsm__json_put_string(writer, "presence", dsm_presence_name(drift->layers[i].presence));
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void put_passes(dsm__json_writer *writer, const dsm_drift *drift) {
  dsm__json_put_array(writer, "passes", false);
  for (size_t i = 0; i < drift->pass_count; i++) {
    const dsm_pass_difference *const pass = &drift->passes[i];
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "layer", pass->layer);
    dsm__json_put_string(writer, "pass", dsm_pass_name(pass->pass));
    dsm__json_put_string(writer, "presence", dsm_presence_name(pass->presence));
    put_moved(writer, "seconds", &pass->seconds);
    if (drift->is_same_clock) {
      put_moved(writer, "cycles", &pass->cycles);
    }
    put_moved(writer, "utilization", &pass->utilization);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void put_decisions(dsm__json_writer *writer, const dsm_drift *drift) {
  dsm__json_put_array(writer, "decisions", false);
  for (size_t i = 0; i < drift->decision_count; i++) {
    const dsm_decision_drift *const decision = &drift->decisions[i];
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "layer", decision->layer);
    if (decision->pass != DSM_PASS_COUNT) {
      dsm__json_put_string(writer, "pass", dsm_pass_name(decision->pass));
    }
    dsm__json_put_string(writer, "decision", decision->decision);
    dsm__json_put_string(writer, "before", decision->before);
    dsm__json_put_string(writer, "after", decision->after);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void write_checked(dsm__json_writer *writer, const dsm_checked *item) {
  const dsm_drift *const drift = item->drift;
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "file", item->file);
  dsm__json_put_string(writer, "status", dsm_status_name(item->status));
  dsm__json_put_bool(writer, "failed", item->is_failed);
  if (drift != NULL) {
    dsm__json_put_string(writer, "verdict", dsm_verdict_name(drift->verdict));
    dsm__json_put_double(writer, "tolerance", drift->tolerance);
    put_inputs(writer, drift);
    put_moved(writer, "step_seconds", &drift->step_seconds);
    put_moved(writer, "sample_seconds", &drift->sample_seconds);
    if (drift->is_same_clock) {
      put_moved(writer, "step_cycles", &drift->step_cycles);
    }
    put_moved(writer, "utilization", &drift->utilization);
    put_layers(writer, drift);
    put_passes(writer, drift);
    put_decisions(writer, drift);
  }
  dsm__json_write_key(writer, "findings");
  dsm__findings_write(writer, item->diags);
  dsm__json_end_object(writer);
}

char *dsm_report_check_json(const dsm_checked *items, size_t count) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  bool is_failed = false;
  for (size_t i = 0; i < count; i++) {
    is_failed = is_failed || items[i].is_failed;
  }
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-check/1");
  dsm__json_put_bool(&writer, "failed", is_failed);
  dsm__json_put_array(&writer, "items", false);
  for (size_t i = 0; i < count; i++) {
    write_checked(&writer, &items[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- CSV ---- */

/* The columns that every row begins with. */
static void begin_row(dsm__csv *csv, const dsm_checked *item, const char *layer, const char *pass) {
  dsm__csv_text(csv, item->file);
  dsm__csv_text(csv, dsm_status_name(item->status));
  dsm__csv_text(csv, item->drift == NULL ? NULL : dsm_verdict_name(item->drift->verdict));
  dsm__csv_text(csv, layer);
  dsm__csv_text(csv, pass);
}

static void put_figure(dsm__csv *csv, const char *name, const dsm_moved *moved) {
  dsm__csv_text(csv, name);
  dsm__csv_double(csv, moved->before);
  dsm__csv_double(csv, moved->after);
  if (isfinite(moved->change)) {
    dsm__csv_double(csv, moved->change);
  } else {
    dsm__csv_empty(csv, 1);
  }
  dsm__csv_bool(csv, moved->is_beyond);
  dsm__csv_end_row(csv);
}

static void put_words(dsm__csv *csv, const char *name, const char *before, const char *after) {
  dsm__csv_text(csv, name);
  dsm__csv_text(csv, before);
  dsm__csv_text(csv, after);
  dsm__csv_empty(csv, 2);
  dsm__csv_end_row(csv);
}

/* What exists on one side only. */
static void put_presence(dsm__csv *csv, dsm_presence presence) {
  const bool is_new = presence == DSM_PRESENCE_NEW;
  put_words(csv, "presence", is_new ? NULL : "present", is_new ? "present" : NULL);
}

static void put_drift(dsm__csv *csv, const dsm_checked *item) {
  const dsm_drift *const drift = item->drift;
  begin_row(csv, item, NULL, NULL);
  put_figure(csv, "step_seconds", &drift->step_seconds);
  begin_row(csv, item, NULL, NULL);
  put_figure(csv, "sample_seconds", &drift->sample_seconds);
  if (drift->is_same_clock) {
    begin_row(csv, item, NULL, NULL);
    put_figure(csv, "step_cycles", &drift->step_cycles);
  }
  begin_row(csv, item, NULL, NULL);
  put_figure(csv, "utilization", &drift->utilization);
  for (size_t i = 0; i < drift->layer_count; i++) {
    begin_row(csv, item, drift->layers[i].layer, NULL);
    put_presence(csv, drift->layers[i].presence);
  }
  for (size_t i = 0; i < drift->pass_count; i++) {
    const dsm_pass_difference *const pass = &drift->passes[i];
    const char *const name = dsm_pass_name(pass->pass);
    if (pass->presence != DSM_PRESENCE_BOTH) {
      begin_row(csv, item, pass->layer, name);
      put_presence(csv, pass->presence);
      continue;
    }
    begin_row(csv, item, pass->layer, name);
    put_figure(csv, "seconds", &pass->seconds);
    if (drift->is_same_clock) {
      begin_row(csv, item, pass->layer, name);
      put_figure(csv, "cycles", &pass->cycles);
    }
    begin_row(csv, item, pass->layer, name);
    put_figure(csv, "utilization", &pass->utilization);
  }
  for (size_t i = 0; i < drift->decision_count; i++) {
    const dsm_decision_drift *const decision = &drift->decisions[i];
    begin_row(csv, item, decision->layer,
              decision->pass == DSM_PASS_COUNT ? NULL : dsm_pass_name(decision->pass));
    put_words(csv, decision->decision, decision->before, decision->after);
  }
}

char *dsm_report_check_csv(const dsm_checked *items, size_t count) {
  static const char *const titles[] = {"file",   "status", "verdict", "layer",  "pass",
                                       "figure", "before", "after",   "change", "beyond"};
  static const size_t figure_field_count = 5;
  dsm__text_buffer out = {0};
  dsm__csv csv = {.out = &out};
  dsm__csv_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__csv_end_row(&csv);
  for (size_t i = 0; i < count; i++) {
    if (items[i].drift != NULL) {
      put_drift(&csv, &items[i]);
      continue;
    }
    begin_row(&csv, &items[i], NULL, NULL);
    dsm__csv_empty(&csv, figure_field_count);
    dsm__csv_end_row(&csv);
  }
  return dsm__text_finish(&out);
}
