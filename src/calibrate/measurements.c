/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/measurements.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_read.h"
#include "base/diag_add.h"
#include "base/number_text.h"
#include "calibrate/columns.h"
#include "calibrate/measured_question.h"
#include "dsm/limits.h"
#include "model/names.h"
#include "system/system_internal.h"

/* The network of a question. */
static const dsm_workload *question_workload(const dsm__question *question) {
  return question->plan != NULL ? question->plan->workload : question->workload;
}

const dsm_system *dsm__question_system(const dsm__measurements *read,
                                       const dsm__question *question) {
  return question->own_system != NULL ? question->own_system : read->request->system;
}

/* ---- questions ---- */

static bool is_question(const void *context, size_t index, const void *key) {
  const dsm__measurements *const read = context;
  return strcmp(read->questions.items[index].key, key) == 0;
}

/* The question of a row; made if it is the first that asks it. */
static dsm_status find_question(dsm__measurements *read, const dsm__cells *cells, size_t *index,
                                dsm_diags *diags) {
  const char *const key = dsm__question_key(cells, read->arena);
  if (key == NULL) {
    return dsm__out_of_memory(diags);
  }
  const uint32_t hash = dsm__map_hash(0, key, strlen(key));
  *index = dsm__map_find(&read->question_index, hash, is_question, read, key);
  if (*index != DSM__MAP_NONE) {
    return DSM_OK;
  }
  *index = read->questions.count;
  if (!DSM__LIST_RESERVE(&read->questions, 1) ||
      !dsm__map_add(&read->question_index, hash, *index)) {
    return dsm__out_of_memory(diags);
  }
  dsm__question *const made = &read->questions.items[read->questions.count++];
  *made = (dsm__question){.key = key, .first_row = DSM__NO_ROW};
  return dsm__question_make(made, read, cells, diags);
}

/* ---- rows ---- */

static dsm_status read_time(const dsm__cells *cells, double *seconds, dsm_diags *diags) {
  static const double most = 1e12; /* ms: thirty years */
  const char *const text = cells->texts[DSM__COLUMN_MILLISECONDS];
  double number = 0;
  if (!dsm__text_to_double(text, strlen(text), &number) || !(number > 0) || number > most) {
    return dsm__cell_refuse(cells, diags, NULL,
                            "milliseconds: expected a number above 0, at most 1e12, found \"%s\"",
                            text);
  }
  *seconds = number / 1e3;
  return DSM_OK;
}

/* The primary layers of a name: one, or the two directions of a declared one. What is one with
 * other declared layers has no time of its own. */
static void find_layers(const dsm_workload *workload, const char *name, dsm__row *row) {
  const size_t exact = dsm_workload_find_layer(workload, name);
  row->first_layer = exact;
  row->layer_count = exact == SIZE_MAX ? 0 : 1;
  for (size_t i = 0; exact == SIZE_MAX && i < workload->layer_count; i++) {
    if (workload->layers[i].part_count == 0 && dsm_workload_layer_is_of(workload, i, name)) {
      row->first_layer = row->layer_count == 0 ? i : row->first_layer;
      row->layer_count = i + 1 - row->first_layer;
    }
  }
}

static dsm_status complain_of_layer(const dsm__cells *cells, const dsm_workload *workload,
                                    dsm__arena *arena, dsm_diags *diags) {
  const char *const name = cells->texts[DSM__COLUMN_LAYER];
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (dsm_workload_layer_is_of(workload, i, name)) {
      return dsm__cell_refuse(cells, diags, "queries, keys and values of the same input are one",
                              "layer: %s has \"%s\" as a part of \"%s\", whose time is of all",
                              workload->name, name, workload->layers[i].name);
    }
  }
  const char **const names = dsm__arena_array(arena, workload->spec_count, sizeof *names);
  for (size_t i = 0; names != NULL && i < workload->spec_count; i++) {
    names[i] = workload->specs[i].name;
  }
  char hint[192] = "";
  if (names != NULL) {
    (void)dsm__nearest_hint(name, names, workload->spec_count, hint, sizeof hint);
  }
  return dsm__cell_refuse(cells, diags, hint, "layer: %s has no layer \"%s\"", workload->name,
                          name);
}

static bool has_pass(const dsm_layer *layer, dsm_mode mode, dsm_pass pass) {
  return pass == DSM_PASS_FORWARD ||
         (mode == DSM_MODE_TRAINING &&
          (pass == DSM_PASS_BACKWARD ? layer->has_backward : layer->has_update));
}

/* Which layers and passes took the time. */
static dsm_status read_part(dsm__measurements *read, const dsm__cells *cells, dsm__row *row,
                            dsm_diags *diags) {
  const dsm__question *const question = &read->questions.items[row->question];
  const dsm_workload *const workload = question_workload(question);
  const char *const name = cells->texts[DSM__COLUMN_LAYER];
  const char *const word = cells->texts[DSM__COLUMN_PASS];
  size_t pass = DSM_PASS_COUNT;
  row->layer_count = workload->layer_count;
  if (name[0] != '\0') {
    row->of.layer = name;
    find_layers(workload, name, row);
    if (row->layer_count == 0) {
      return complain_of_layer(cells, workload, read->arena, diags);
    }
  }
  if (word[0] != '\0' && !dsm__words_find(&dsm__pass_words, word, &pass)) {
    return dsm__cell_refuse_word(cells, DSM__COLUMN_PASS, &dsm__pass_words, word, diags);
  }
  row->of.pass = (dsm_pass)pass;
  bool is_any = pass == DSM_PASS_COUNT;
  for (size_t i = 0; i < row->layer_count && !is_any; i++) {
    is_any = has_pass(&workload->layers[row->first_layer + i], row->of.mode, row->of.pass);
  }
  return is_any ? DSM_OK
                : dsm__cell_refuse(cells, diags, NULL, "pass: there is no %s pass in what was run",
                                   word);
}

static dsm_status read_row(dsm__measurements *read, const dsm__cells *cells, dsm_diags *diags) {
  dsm__row row = {.of = {.line = cells->line}, .next_row = DSM__NO_ROW};
  dsm_status status = read_time(cells, &row.of.measured, diags);
  const dsm_status asked = find_question(read, cells, &row.question, diags);
  status = status == DSM_OK || asked == DSM_ERROR_OUT_OF_MEMORY ? asked : status;
  if (status != DSM_OK) {
    return status;
  }
  dsm__question *const question = &read->questions.items[row.question];
  const dsm_workload *const workload = question_workload(question);
  if (workload == NULL) {
    return DSM_ERROR_INVALID; /* an earlier row said why */
  }
  row.of.workload = workload->name;
  row.of.minibatch = workload->minibatch;
  row.of.mode = question->options.mode;
  row.next_row = question->first_row;
  status = read_part(read, cells, &row, diags);
  if (status == DSM_OK && !DSM__LIST_RESERVE(&read->rows, 1)) {
    return dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    question->first_row = read->rows.count;
    read->rows.items[read->rows.count++] = row;
  }
  return status;
}

/* ---- the file ---- */

static dsm_status refuse_file(const dsm_calibration_request *request, size_t line, dsm_diags *diags,
                              const char *message) {
  const dsm__place place = {.file = request->file, .line = line};
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL, "%s", message);
  return DSM_ERROR_INVALID;
}

static dsm_status read_rows(dsm__measurements *read, dsm__csv_reader *reader,
                            const dsm__columns *columns, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  dsm__csv_record record;
  for (size_t count = 0; dsm__csv_read(reader, &record); count++) {
    if (count == DSM_MEASUREMENTS_MAX) {
      return refuse_file(read->request, record.line, diags, "expected at most 10000 measurements");
    }
    dsm__cells cells;
    dsm_status found = dsm__cells_take(&cells, columns, &record, read->request->file, diags);
    found = found == DSM_OK ? read_row(read, &cells, diags) : found;
    if (found == DSM_ERROR_OUT_OF_MEMORY) {
      return found;
    }
    status = status == DSM_OK ? found : status;
  }
  return status;
}

static dsm_status read_text(dsm__measurements *read, dsm_diags *diags) {
  const dsm_calibration_request *const request = read->request;
  if (request->length > DSM_MEASUREMENTS_BYTES_MAX) {
    return refuse_file(request, 0, diags, "expected at most 16 MiB of measurements");
  }
  if (memchr(request->text, '\0', request->length) != NULL) {
    return refuse_file(request, 0, diags, "expected text, found a NUL byte");
  }
  dsm__csv_reader reader = {
      .text = request->text, .length = request->length, .line = 1, .arena = read->arena};
  dsm__csv_record head = {.line = 1};
  dsm__columns columns;
  const bool has_head = dsm__csv_read(&reader, &head);
  dsm_status status = DSM_OK;
  if (has_head) {
    status = dsm__columns_find(&columns, &head, request->file, diags);
    status = status == DSM_OK ? read_rows(read, &reader, &columns, diags) : status;
  }
  if (reader.is_out_of_memory) {
    return dsm__out_of_memory(diags);
  }
  if (reader.flaw != NULL) {
    return refuse_file(request, reader.line, diags, reader.flaw);
  }
  if (status == DSM_OK && read->rows.count == 0) {
    return refuse_file(request, head.line, diags,
                       "expected a line of column names and at least one measurement");
  }
  return status;
}

dsm_status dsm__measurements_read(dsm__measurements *read, const dsm_calibration_request *request,
                                  dsm__arena *arena, dsm_diags *diags) {
  *read = (dsm__measurements){.request = request, .arena = arena};
  dsm__json_writer writer = {.out = &read->system_text};
  dsm__system_write(request->system, &writer);
  return read->system_text.failed ? dsm__out_of_memory(diags) : read_text(read, diags);
}

void dsm__measurements_fini(dsm__measurements *read) {
  for (size_t q = 0; q < read->questions.count; q++) {
    dsm_workload_free(read->questions.items[q].workload);
    dsm_system_free(read->questions.items[q].own_system);
    dsm_plan_free(read->questions.items[q].plan);
  }
  free(read->questions.items);
  free(read->rows.items);
  dsm__map_fini(&read->question_index);
  dsm__text_fini(&read->system_text);
}
