/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lengths.c: reads the requests of a trace line by line, and takes their means. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/csv_read.h"
#include "base/diag_add.h"
#include "base/growing_list.h"
#include "dsm/limits.h"
#include "dsm/number.h"
#include "serve/serving_instance.h"

enum { INPUT, OUTPUT, ARRIVAL, COLUMN_COUNT };

static const struct {
  const char *name;
  double least;
  double most;
  const char *expected;
} columns[COLUMN_COUNT] = {
    {"input_tokens", 1, DSM_SIDE_MAX, "a whole number from 1 to 1048576"},
    {"output_tokens", 1, DSM_SIDE_MAX, "a whole number from 1 to 1048576"},
    {"arrival_seconds", 0, 1e12, "a time from 0 to 1e12, not before the one above"}};

typedef struct lengths_reader {
  const char *file;
  dsm__csv_reader csv;
  size_t places[COLUMN_COUNT]; /* of the columns; DSM__CSV_FIELDS_MAX: not there */
  size_t column_count;
  DSM__LIST(dsm_serving_length) items; /* in the arena of what is made */
  dsm_serving_lengths *made;
  dsm_diags *diags;
} lengths_reader;

static dsm_status refuse(const lengths_reader *reader, size_t line, const char *format, ...)
    DSM_PRINTF(3, 4);
static dsm_status refuse(const lengths_reader *reader, size_t line, const char *format, ...) {
  const dsm__place place = {.file = reader->file, .line = line};
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(reader->diags, DSM_SEVERITY_ERROR, place, NULL, format, args);
  va_end(args);
  return DSM_ERROR_INVALID;
}

static dsm_status find_columns(lengths_reader *reader, const dsm__csv_record *head) {
  reader->column_count = head->count;
  for (size_t c = 0; c < COLUMN_COUNT; c++) {
    reader->places[c] = DSM__CSV_FIELDS_MAX;
    for (size_t f = head->count; f-- > 0;) {
      reader->places[c] = strcmp(head->fields[f], columns[c].name) == 0 ? f : reader->places[c];
    }
    if (c != ARRIVAL && reader->places[c] == DSM__CSV_FIELDS_MAX) {
      return refuse(reader, head->line,
                    "expected columns input_tokens and output_tokens, and arrival_seconds where "
                    "arrivals are known; found no %s",
                    columns[c].name);
    }
  }
  reader->made->has_arrivals = reader->places[ARRIVAL] < DSM__CSV_FIELDS_MAX;
  return DSM_OK;
}

static dsm_status read_line(lengths_reader *reader, const dsm__csv_record *record) {
  double values[COLUMN_COUNT] = {0};
  const size_t count = reader->items.count;
  if (count == DSM_SERVING_LENGTHS_MAX) {
    return refuse(reader, record->line, "expected at most %d requests", DSM_SERVING_LENGTHS_MAX);
  }
  if (record->count != reader->column_count) {
    return refuse(reader, record->line, "expected %zu fields, one a column, found %zu",
                  reader->column_count, record->count);
  }
  for (size_t c = 0; c < COLUMN_COUNT; c++) {
    if (reader->places[c] == DSM__CSV_FIELDS_MAX) {
      continue;
    }
    const char *const field = record->fields[reader->places[c]];
    const bool is_time = c == ARRIVAL;
    const double least =
        is_time && count > 0 ? reader->items.items[count - 1].arrival_seconds : columns[c].least;
    if (!dsm_number_parse(field, least, columns[c].most, &values[c]) ||
        (!is_time && values[c] != floor(values[c]))) {
      return refuse(reader, record->line, "%s: expected %s, found \"%.40s\"", columns[c].name,
                    columns[c].expected, field);
    }
  }
  if (values[INPUT] + values[OUTPUT] > DSM_SIDE_MAX) {
    return refuse(reader, record->line, "expected at most %d tokens of both, found %.0f",
                  DSM_SIDE_MAX, values[INPUT] + values[OUTPUT]);
  }
  if (!DSM__LIST_RESERVE_IN(&reader->items, 1, reader->made->arena)) {
    return dsm__out_of_memory(reader->diags);
  }
  reader->items.items[reader->items.count++] =
      (dsm_serving_length){(uint64_t)values[INPUT], (uint64_t)values[OUTPUT], values[ARRIVAL]};
  return DSM_OK;
}

static dsm_status read_all(lengths_reader *reader) {
  dsm__csv_record record = {.line = 1};
  if (memchr(reader->csv.text, '\0', reader->csv.length) != NULL) {
    return refuse(reader, 1, "expected text, found a NUL byte");
  }
  const bool has_head = dsm__csv_read(&reader->csv, &record);
  dsm_status status = has_head ? find_columns(reader, &record) : DSM_OK;
  while (has_head && status == DSM_OK && dsm__csv_read(&reader->csv, &record)) {
    status = read_line(reader, &record);
  }
  const size_t count = reader->items.count;
  if (status != DSM_OK || reader->csv.is_out_of_memory) {
    return status != DSM_OK ? status : dsm__out_of_memory(reader->diags);
  }
  if (reader->csv.flaw != NULL) {
    return refuse(reader, reader->csv.line, "%s", reader->csv.flaw);
  }
  if (count == 0) {
    return refuse(reader, record.line, "expected a line of column names and at least one request");
  }
  if (reader->made->has_arrivals &&
      !(reader->items.items[count - 1].arrival_seconds > reader->items.items[0].arrival_seconds)) {
    return refuse(reader, record.line,
                  "arrival_seconds: expected requests that come one after the "
                  "other, found all at the same time");
  }
  return DSM_OK;
}

dsm_status dsm_serving_lengths_parse(dsm_serving_lengths **lengths, const char *text, size_t length,
                                     const char *file, dsm_diags *diags) {
  dsm_serving_lengths *const made = DSM__ARENA_OWNER(dsm_serving_lengths);
  lengths_reader reader = {
      .file = file,
      .csv = {.text = text, .length = length, .line = 1, .arena = dsm__arena_new()},
      .made = made,
      .diags = diags};
  *lengths = NULL;
  const dsm_status status =
      made == NULL || reader.csv.arena == NULL ? dsm__out_of_memory(diags) : read_all(&reader);
  dsm__arena_free(reader.csv.arena);
  if (status != DSM_OK) {
    dsm_serving_lengths_free(made);
    return status;
  }
  made->items = reader.items.items;
  made->count = reader.items.count;
  *lengths = made;
  return DSM_OK;
}

void dsm_serving_lengths_free(dsm_serving_lengths *lengths) {
  if (lengths != NULL) {
    dsm__arena_free(lengths->arena);
  }
}

/* A request is in as many decode steps as it has later tokens, so it counts that often. */
dsm__serving_means dsm__lengths_means(const dsm_serving_lengths *lengths) {
  double in = 0;
  double out = 0;
  double steps = 0;
  double context = 0;
  double end = 0;
  for (size_t i = 0; i < lengths->count; i++) {
    const dsm_serving_length *const one = &lengths->items[i];
    const double later = (double)one->output_tokens - 1;
    in += (double)one->input_tokens;
    out += (double)one->output_tokens;
    steps += later;
    context += later * ((double)one->input_tokens + (double)one->output_tokens / 2);
    end += later * (double)(one->input_tokens + one->output_tokens);
  }
  const double count = (double)lengths->count;
  const uint64_t mean_in = (uint64_t)round(in / count);
  const uint64_t mean_out = (uint64_t)round(out / count);
  const dsm_serving_length *const items = lengths->items;
  const double span = items[lengths->count - 1].arrival_seconds - items[0].arrival_seconds;
  return (dsm__serving_means){.input_tokens = mean_in,
                              .output_tokens = mean_out,
                              .context = steps > 0 ? (uint64_t)(context / steps) : mean_in,
                              .end = steps > 0 ? (uint64_t)ceil(end / steps) : mean_in + mean_out,
                              .rate = lengths->has_arrivals ? (count - 1) / span : 0};
}
