/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_data.c: two plans side by side, for programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "report/data/cells.h"
#include "report/diff_figures.h"
#include "report/table/text_page.h"

/* Which side alone has something; NULL: both have it. */
static const char *only_in(dsm_presence presence) {
  return presence == DSM_PRESENCE_BOTH ? NULL : presence == DSM_PRESENCE_MISSING ? "a" : "b";
}

static bool is_step_different(const dsm_diff *diff) {
  return fabs(diff->difference_seconds) > 0;
}

/* ---- JSON ---- */

static void put_or_null(dsm__json_writer *writer, const char *key, bool is_known, double value) {
  dsm__json_write_key(writer, key);
  if (is_known) {
    dsm__json_write_double(writer, value);
  } else {
    dsm__json_write_null(writer);
  }
}

/* Members of an object that has begun. */
static void put_sides(dsm__json_writer *writer, const dsm_moved *moved) {
  dsm__json_put_double(writer, "a", moved->before);
  dsm__json_put_double(writer, "b", moved->after);
  dsm__json_put_double(writer, "difference", dsm__diff_of(moved));
  put_or_null(writer, "change", isfinite(moved->change), moved->change);
}

static void put_moved(dsm__json_writer *writer, const char *key, const dsm_moved *moved) {
  dsm__json_put_object(writer, key, true);
  put_sides(writer, moved);
  dsm__json_end_object(writer);
}

static void put_plan(dsm__json_writer *writer, const char *key, const char *file,
                     const dsm_plan *plan) {
  dsm__json_put_object(writer, key, true);
  dsm__json_put_string(writer, "file", file);
  dsm__json_put_string(writer, "workload", plan->workload->name);
  dsm__json_put_string(writer, "system", plan->system->name);
  dsm__json_put_string(writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_put_u64(writer, "minibatch", plan->workload->minibatch);
  dsm__json_end_object(writer);
}

static void put_value(dsm__json_writer *writer, const char *key, const char *json) {
  if (json != NULL) {
    dsm__json_write_key(writer, key);
    dsm__json_write_json(writer, json);
  }
}

static void put_inputs(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__json_put_array(writer, "inputs", false);
  for (size_t i = 0; i < diff->input_count; i++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "path", diff->inputs[i].path);
    put_value(writer, "a", diff->inputs[i].a);
    put_value(writer, "b", diff->inputs[i].b);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void put_layers(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__json_put_array(writer, "layers", false);
  for (size_t i = 0; i < diff->layer_count; i++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "layer", diff->layers[i].layer);
    dsm__json_put_string(writer, "only_in", only_in(diff->layers[i].presence));
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

static void put_decisions(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__json_put_array(writer, "decisions", false);
  for (size_t i = 0; i < diff->decision_count; i++) {
    const dsm_decision_drift *const decision = &diff->decisions[i];
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "layer", decision->layer);
    if (decision->pass != DSM_PASS_COUNT) {
      dsm__json_put_string(writer, "pass", dsm_pass_name(decision->pass));
    }
    dsm__json_put_string(writer, "decision", decision->decision);
    dsm__json_put_string(writer, "a", decision->before);
    dsm__json_put_string(writer, "b", decision->after);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

/* Bytes before the last dot of a name, 0 if it has none: of the object that it is in. */
static size_t object_length(const char *name) {
  const char *const dot = strrchr(name, '.');
  return dot == NULL ? 0 : (size_t)(dot - name);
}

/* Figures whose names begin alike are in one object, as in a plan. */
static void put_results(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__diff_figure figures[DSM__DIFF_RESULTS];
  char object[32] = "";
  dsm__diff_results(diff, figures);
  dsm__json_put_object(writer, "result", false);
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    const char *const name = figures[i].name;
    const size_t length = object_length(name);
    if (strlen(object) != length || strncmp(object, name, length) != 0) {
      if (object[0] != '\0') {
        dsm__json_end_object(writer);
      }
      (void)snprintf(object, sizeof object, "%.*s", (int)length, name);
      dsm__json_put_object(writer, object, false);
    }
    put_moved(writer, name + (length == 0 ? 0 : length + 1), &figures[i].moved);
  }
  if (object[0] != '\0') {
    dsm__json_end_object(writer);
  }
  dsm__json_end_object(writer);
}

static void put_parts(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__diff_figure figures[DSM__DIFF_PARTS];
  dsm__diff_parts(diff, figures);
  dsm__json_put_object(writer, "parts_seconds", false);
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    dsm__json_put_object(writer, figures[i].name, true);
    put_sides(writer, &figures[i].moved);
    put_or_null(writer, "share", is_step_different(diff), dsm__diff_share(diff, &figures[i].moved));
    dsm__json_end_object(writer);
  }
  dsm__json_end_object(writer);
}

static void put_passes(dsm__json_writer *writer, const dsm_diff *diff) {
  dsm__json_put_array(writer, "passes", false);
  for (size_t i = 0; i < diff->pass_count; i++) {
    const dsm_pass_difference *const pass = &diff->passes[i];
    dsm__json_begin_object(writer, false);
    dsm__json_put_string(writer, "layer", pass->layer);
    dsm__json_put_string(writer, "pass", dsm_pass_name(pass->pass));
    if (only_in(pass->presence) != NULL) {
      dsm__json_put_string(writer, "only_in", only_in(pass->presence));
    }
    put_moved(writer, "seconds", &pass->seconds);
    put_moved(writer, "cycles", &pass->cycles);
    put_moved(writer, "utilization", &pass->utilization);
    put_or_null(writer, "share", is_step_different(diff), pass->share);
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}

char *dsm_report_diff_json(const dsm_diffed *of) {
  const dsm_diff *const diff = of->diff;
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-diff/1");
  put_plan(&writer, "a", of->a_file, diff->a);
  put_plan(&writer, "b", of->b_file, diff->b);
  dsm__json_put_bool(&writer, "different", diff->is_different);
  put_inputs(&writer, diff);
  put_layers(&writer, diff);
  put_decisions(&writer, diff);
  put_results(&writer, diff);
  put_parts(&writer, diff);
  put_passes(&writer, diff);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- CSV ---- */

/* The columns that every row begins with. */
static void begin_row(dsm__cells *csv, const char *section, const char *layer, const char *pass,
                      const char *name) {
  dsm__cells_text(csv, section);
  dsm__cells_text(csv, layer);
  dsm__cells_text(csv, pass);
  dsm__cells_text(csv, name);
}

/* The columns of figures. */
enum { FIGURE_FIELDS = 3 };

static void put_words(dsm__cells *csv, const char *a, const char *b) {
  dsm__cells_text(csv, a);
  dsm__cells_text(csv, b);
  dsm__cells_empty(csv, FIGURE_FIELDS);
  dsm__cells_end_row(csv);
}

static void put_known(dsm__cells *csv, bool is_known, double value) {
  if (is_known) {
    dsm__cells_double(csv, value);
  } else {
    dsm__cells_empty(csv, 1);
  }
}

/* `share` NULL: the figure is no part of the step's time. */
static void put_figure(dsm__cells *csv, const dsm_moved *moved, const double *share) {
  dsm__cells_double(csv, moved->before);
  dsm__cells_double(csv, moved->after);
  dsm__cells_double(csv, dsm__diff_of(moved));
  put_known(csv, isfinite(moved->change), moved->change);
  put_known(csv, share != NULL, share == NULL ? 0 : *share);
  dsm__cells_end_row(csv);
}

static void put_question_rows(dsm__cells *csv, const dsm_diff *diff) {
  for (size_t i = 0; i < diff->input_count; i++) {
    begin_row(csv, "input", NULL, NULL, diff->inputs[i].path);
    put_words(csv, diff->inputs[i].a, diff->inputs[i].b);
  }
  for (size_t i = 0; i < diff->layer_count; i++) {
    const bool is_new = diff->layers[i].presence == DSM_PRESENCE_NEW;
    begin_row(csv, "layer", diff->layers[i].layer, NULL, "presence");
    put_words(csv, is_new ? NULL : "present", is_new ? "present" : NULL);
  }
  for (size_t i = 0; i < diff->decision_count; i++) {
    const dsm_decision_drift *const decision = &diff->decisions[i];
    begin_row(csv, "decision", decision->layer,
              decision->pass == DSM_PASS_COUNT ? NULL : dsm_pass_name(decision->pass),
              decision->decision);
    put_words(csv, decision->before, decision->after);
  }
}

static void put_step_rows(dsm__cells *csv, const dsm_diff *diff) {
  dsm__diff_figure results[DSM__DIFF_RESULTS];
  dsm__diff_figure parts[DSM__DIFF_PARTS];
  dsm__diff_results(diff, results);
  dsm__diff_parts(diff, parts);
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    begin_row(csv, "result", NULL, NULL, results[i].name);
    put_figure(csv, &results[i].moved, NULL);
  }
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    const double share = dsm__diff_share(diff, &parts[i].moved);
    begin_row(csv, "parts_seconds", NULL, NULL, parts[i].name);
    put_figure(csv, &parts[i].moved, is_step_different(diff) ? &share : NULL);
  }
}

static void put_pass_rows(dsm__cells *csv, const dsm_diff *diff) {
  for (size_t i = 0; i < diff->pass_count; i++) {
    const dsm_pass_difference *const pass = &diff->passes[i];
    const char *const word = dsm_pass_name(pass->pass);
    begin_row(csv, "pass", pass->layer, word, "seconds");
    put_figure(csv, &pass->seconds, is_step_different(diff) ? &pass->share : NULL);
    begin_row(csv, "pass", pass->layer, word, "cycles");
    put_figure(csv, &pass->cycles, NULL);
    begin_row(csv, "pass", pass->layer, word, "utilization");
    put_figure(csv, &pass->utilization, NULL);
  }
}

char *dsm_report_diff_csv(const dsm_diffed *of) {
  static const char *const titles[] = {"section", "layer",      "pass",   "name", "a",
                                       "b",       "difference", "change", "share"};
  dsm__text_buffer out = {0};
  dsm__cells csv = {.out = &out};
  dsm__cells_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__cells_end_row(&csv);
  put_question_rows(&csv, of->diff);
  put_step_rows(&csv, of->diff);
  put_pass_rows(&csv, of->diff);
  return dsm__text_finish(&out);
}
