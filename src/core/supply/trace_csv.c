/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_csv.c: traces of metrics, read row by row. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/csv_read.h"
#include "base/diag_add.h"
#include "base/growing_list.h"
#include "dsm/limits.h"
#include "dsm/number.h"
#include "supply/storage_internal.h"

static const dsm__word metric_words[] = {
    [DSM_METRIC_LOSS].key = "loss",
    [DSM_METRIC_TRAIN_ERROR].key = "train_error",
    [DSM_METRIC_VALIDATION_ERROR].key = "validation_error",
};
static DSM__NAMED_WORDS(known_metrics, "metric", metric_words, DSM_METRIC_COUNT, dsm_metric,
                        dsm_metric_name);

/* Rows after which the texts of their fields go. */
static const size_t rows_each = 4096;

typedef struct trace_reader {
  const char *file;
  const double *weights;
  dsm__csv_reader csv;
  size_t columns[DSM_METRIC_COUNT]; /* DSM__CSV_FIELDS_MAX: not there */
  size_t column_count;
  DSM__LIST(double) values; /* in the trace's arena */
  dsm_metric_trace *trace;
  dsm_diags *diags;
} trace_reader;

static dsm_status refuse(const trace_reader *reader, size_t line, const char *hint,
                         const char *format, ...) DSM_PRINTF(4, 5);
static dsm_status refuse(const trace_reader *reader, size_t line, const char *hint,
                         const char *format, ...) {
  const dsm__place place = {.file = reader->file, .line = line};
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(reader->diags, DSM_SEVERITY_ERROR, place, hint, format, args);
  va_end(args);
  return DSM_ERROR_INVALID;
}

/* A copy of a field without spaces around it; false if that is too long for any name or number. */
typedef struct trimmed {
  char text[64];
} trimmed;

static bool trim(const char *field, trimmed *to) {
  const char *const first = field + strspn(field, " \t");
  size_t length = strlen(first);
  while (length > 0 && (first[length - 1] == ' ' || first[length - 1] == '\t')) {
    length--;
  }
  if (length >= sizeof to->text) {
    return false;
  }
  memcpy(to->text, first, length);
  to->text[length] = '\0';
  return true;
}

static dsm_status find_column(trace_reader *reader, const dsm__csv_record *head, size_t field) {
  trimmed name;
  size_t metric = 0;
  if (!trim(head->fields[field], &name) || !dsm__words_find(&known_metrics, name.text, &metric)) {
    return DSM_OK;
  }
  if (reader->columns[metric] < DSM__CSV_FIELDS_MAX) {
    return refuse(reader, head->line, NULL, "column \"%s\" is there twice", name.text);
  }
  reader->columns[metric] = field;
  return DSM_OK;
}

static dsm_status find_columns(trace_reader *reader, const dsm__csv_record *head) {
  dsm_status status = DSM_OK;
  reader->column_count = head->count;
  for (size_t m = 0; m < DSM_METRIC_COUNT; m++) {
    reader->columns[m] = DSM__CSV_FIELDS_MAX;
  }
  for (size_t f = 0; f < head->count; f++) {
    const dsm_status found = find_column(reader, head, f);
    status = status == DSM_OK ? found : status;
  }
  for (size_t m = 0; m < DSM_METRIC_COUNT; m++) {
    if (reader->columns[m] == DSM__CSV_FIELDS_MAX && reader->weights[m] > 0) {
      char hint[DSM__REASON_SIZE];
      const char *const name = dsm_metric_name((dsm_metric)m);
      status = refuse(reader, head->line,
                      dsm__nearest_hint(name, head->fields, head->count, hint, sizeof hint),
                      "expected a column \"%s\"", name);
    }
  }
  return status;
}

static dsm_status read_value(trace_reader *reader, const dsm__csv_record *record, size_t metric,
                             double *value) {
  const size_t column = reader->columns[metric];
  trimmed text;
  if (column == DSM__CSV_FIELDS_MAX) {
    *value = 0;
    return DSM_OK;
  }
  const char *const field = record->fields[column];
  return trim(field, &text) && dsm_number_parse(text.text, -DBL_MAX, DBL_MAX, value)
             ? DSM_OK
             : refuse(reader, record->line, NULL, "%s: expected a finite number, found \"%.40s\"",
                      dsm_metric_name((dsm_metric)metric), field);
}

static dsm_status read_row(trace_reader *reader, const dsm__csv_record *record) {
  if (reader->values.count / DSM_METRIC_COUNT == DSM_TRACE_ROWS_MAX) {
    return refuse(reader, record->line, NULL, "expected at most %d rows", DSM_TRACE_ROWS_MAX);
  }
  if (record->count != reader->column_count) {
    return refuse(reader, record->line, NULL, "expected %zu fields, one a column, found %zu",
                  reader->column_count, record->count);
  }
  if (!DSM__LIST_RESERVE_IN(&reader->values, DSM_METRIC_COUNT, reader->trace->arena)) {
    return dsm__out_of_memory(reader->diags);
  }
  dsm_status status = DSM_OK;
  for (size_t m = 0; m < DSM_METRIC_COUNT; m++) {
    double *const value = &reader->values.items[reader->values.count + m];
    const dsm_status found = read_value(reader, record, m, value);
    status = status == DSM_OK ? found : status;
  }
  const double *const metrics = &reader->values.items[reader->values.count];
  reader->values.count += DSM_METRIC_COUNT;
  if (status == DSM_OK && !isfinite(dsm__score(metrics, reader->weights))) {
    return refuse(reader, record->line, NULL,
                  "expected metrics whose weighted sum is at most %.3g, found a larger one",
                  DBL_MAX);
  }
  return status;
}

/* Fields live in an arena that is made anew from time to time. */
static bool renew_arena(dsm__csv_reader *csv) {
  dsm__arena_free(csv->arena);
  csv->arena = dsm__arena_new();
  return csv->arena != NULL;
}

static dsm_status read_rows(trace_reader *reader) {
  dsm_status status = DSM_OK;
  dsm__csv_record record;
  for (size_t row = 1; status != DSM_ERROR_OUT_OF_MEMORY && dsm__csv_read(&reader->csv, &record);
       row++) {
    const dsm_status found = read_row(reader, &record);
    status = status == DSM_OK || found == DSM_ERROR_OUT_OF_MEMORY ? found : status;
    if (row % rows_each == 0 && !renew_arena(&reader->csv)) {
      return dsm__out_of_memory(reader->diags);
    }
  }
  return status;
}

static dsm_status read_all(trace_reader *reader) {
  dsm__csv_record head = {.line = 1};
  dsm_status status = DSM_OK;
  if (memchr(reader->csv.text, '\0', reader->csv.length) != NULL) {
    return refuse(reader, 0, NULL, "expected text, found a NUL byte");
  }
  if (dsm__csv_read(&reader->csv, &head)) {
    status = find_columns(reader, &head);
    status = status == DSM_OK ? read_rows(reader) : status;
  }
  if (reader->csv.is_out_of_memory) {
    return dsm__out_of_memory(reader->diags);
  }
  if (reader->csv.flaw != NULL) {
    return refuse(reader, reader->csv.line, NULL, "%s", reader->csv.flaw);
  }
  if (status == DSM_OK && reader->values.count == 0) {
    return refuse(reader, head.line, NULL, "expected a line of column names and at least one row");
  }
  return status;
}

dsm_status dsm_metric_trace_parse(dsm_metric_trace **trace, const char *text, size_t length,
                                  const char *file, const double weights[DSM_METRIC_COUNT],
                                  dsm_diags *diags) {
  *trace = NULL;
  dsm_metric_trace *const made = DSM__ARENA_OWNER(dsm_metric_trace);
  trace_reader reader = {.file = file,
                         .weights = weights,
                         .csv = {.text = text, .length = length, .line = 1},
                         .trace = made,
                         .diags = diags};
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (made == NULL || !renew_arena(&reader.csv)) {
    status = dsm__out_of_memory(diags);
  } else {
    status = read_all(&reader);
  }
  dsm__arena_free(reader.csv.arena);
  if (status != DSM_OK) {
    dsm_metric_trace_free(made);
    return status;
  }
  made->values = reader.values.items;
  made->row_count = reader.values.count / DSM_METRIC_COUNT;
  *trace = made;
  return DSM_OK;
}

DSM__ARENA_FREE(dsm_metric_trace, dsm_metric_trace_free);
