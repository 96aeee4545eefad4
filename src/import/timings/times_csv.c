/* SPDX-License-Identifier: GPL-3.0-or-later */
/* times_csv.c: times of layers as CSV, with a heading: what its columns are is in docs/import.md. A
 * layer that is there again was timed in a further run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv_read.h"
#include "base/number_text.h"
#include "base/words.h"
#include "import/timings/timings.h"

enum {
  COLUMN_LAYER,
  COLUMN_SECONDS, /* one of the three */
  COLUMN_MILLISECONDS,
  COLUMN_MICROSECONDS,
  COLUMN_DEVICE,
  COLUMN_WEIGHTS,
  COLUMN_ACTIVATIONS,
  COLUMN_OUTPUT,
  COLUMN_COUNT
};

static const dsm__word column_words[] = {
    [COLUMN_LAYER].key = "layer",
    [COLUMN_SECONDS].key = "seconds",
    [COLUMN_MILLISECONDS].key = "milliseconds",
    [COLUMN_MICROSECONDS].key = "microseconds",
    [COLUMN_DEVICE].key = "device",
    [COLUMN_WEIGHTS].key = "weights_bytes",
    [COLUMN_ACTIVATIONS].key = "activation_bytes",
    [COLUMN_OUTPUT].key = "output_bytes",
};
static DSM__WORDS(columns, "column of times", column_words, COLUMN_COUNT);

typedef struct reader {
  const dsm__timing_file *file;
  dsm__csv_reader csv;
  size_t at[COLUMN_COUNT]; /* field of each column; DSM__CSV_FIELDS_MAX: there is none */
  size_t field_count;
  double unit_seconds;
  size_t time_column;
  size_t row_count; /* of the device that was asked for */
} reader;

static bool has(const reader *of, size_t column) {
  return of->at[column] < DSM__CSV_FIELDS_MAX;
}

static dsm__json_node place_of(const reader *of, size_t line) {
  char label[40];
  (void)snprintf(label, sizeof label, "line %zu", line);
  return dsm__json_labelled(of->file->doc, label);
}

static void read_heading(reader *of, const dsm__csv_record *record, const dsm__json_node *place) {
  size_t time_count = 0;
  for (size_t c = 0; c < COLUMN_COUNT; c++) {
    of->at[c] = DSM__CSV_FIELDS_MAX;
  }
  for (size_t f = 0; f < record->count; f++) {
    size_t column = 0;
    if (!dsm__words_find(&columns, record->fields[f], &column)) {
      const char *keys[DSM__WORDS_MAX];
      char hint[256];
      const size_t count = dsm__words_keys(&columns, keys);
      dsm__json_error(place, dsm__nearest_hint(record->fields[f], keys, count, hint, sizeof hint),
                      "unknown column \"%.60s\"", record->fields[f]);
    } else if (has(of, column)) {
      dsm__json_error(place, NULL, "column \"%s\" is there twice", record->fields[f]);
    } else {
      of->at[column] = f;
    }
  }
  static const double units[] = {
      [COLUMN_SECONDS] = 1, [COLUMN_MILLISECONDS] = 1e-3, [COLUMN_MICROSECONDS] = 1e-6};
  for (size_t c = COLUMN_SECONDS; c <= COLUMN_MICROSECONDS; c++) {
    if (has(of, c)) {
      time_count++;
      of->time_column = c;
      of->unit_seconds = units[c];
    }
  }
  if (!has(of, COLUMN_LAYER) || time_count != 1) {
    dsm__json_error(place, NULL,
                    "expected a heading with a column \"layer\" and one of \"seconds\", "
                    "\"milliseconds\" and \"microseconds\"");
  }
  of->field_count = record->count;
}

/* A number of 0 to `most` in a column that is there. */
static bool read_number(const reader *of, const dsm__csv_record *record, size_t column, double most,
                        double *number) {
  const char *const text = record->fields[of->at[column]];
  if (dsm__text_to_double(text, strlen(text), number) && *number >= 0 && *number <= most) {
    return true;
  }
  const dsm__json_node place = place_of(of, record->line);
  dsm__json_error(&place, NULL, "expected %s of 0 to %g, found \"%.40s\"", column_words[column].key,
                  most, text);
  return false;
}

/* Below 0 where the column is not there, or the field is empty. */
static bool read_size(const reader *of, const dsm__csv_record *record, size_t column,
                      double *bytes) {
  *bytes = -1;
  if (!has(of, column) || record->fields[of->at[column]][0] == '\0') {
    return true;
  }
  const bool is_good = read_number(of, record, column, (double)DSM__LAYER_BYTES_MAX, bytes);
  *bytes = floor(*bytes); /* parts of a byte are none */
  return is_good;
}

static void read_row(reader *of, const dsm__csv_record *record) {
  dsm__timings *const timings = of->file->timings;
  if (record->count != of->field_count) {
    const dsm__json_node place = place_of(of, record->line);
    dsm__json_error(&place, NULL, "expected %zu fields, one a column, found %zu", of->field_count,
                    record->count);
    return;
  }
  const char *const layer = record->fields[of->at[COLUMN_LAYER]];
  const char *const device =
      has(of, COLUMN_DEVICE) ? record->fields[of->at[COLUMN_DEVICE]] : timings->device;
  const double most = DSM__SAMPLE_SECONDS_MAX / of->unit_seconds;
  dsm__layer_sizes sizes;
  double time = 0;
  if (layer[0] == '\0' || device[0] == '\0') {
    const dsm__json_node place = place_of(of, record->line);
    dsm__json_error(&place, NULL, "expected the name of a %s, found none",
                    layer[0] == '\0' ? "layer" : "device");
    return;
  }
  if (!read_number(of, record, of->time_column, most, &time) ||
      !read_size(of, record, COLUMN_WEIGHTS, &sizes.weights_bytes) ||
      !read_size(of, record, COLUMN_ACTIVATIONS, &sizes.activation_bytes) ||
      !read_size(of, record, COLUMN_OUTPUT, &sizes.output_bytes) ||
      (timings->is_device_stated && strcmp(device, timings->device) != 0)) {
    return;
  }
  of->row_count++;
  dsm__timed_device *const timed = dsm__timings_device(timings, device);
  if (timed == NULL || !dsm__timings_add(timings, timed, layer, dsm__timings_next_run(timed, layer),
                                         time * of->unit_seconds, &sizes)) {
    dsm__json_set_out_of_memory(of->file->doc);
  }
}

static void read(const dsm__timing_file *file) {
  dsm__csv_record record;
  reader of = {
      .file = file,
      .csv = {.text = file->bytes, .length = file->length, .line = 1, .arena = dsm__arena_new()}};
  bool is_good = of.csv.arena != NULL && dsm__csv_read(&of.csv, &record);
  if (is_good) {
    const dsm__json_node place = place_of(&of, record.line);
    read_heading(&of, &record, &place);
    is_good = dsm__json_doc_error_count(file->doc) == 0;
  } else if (of.csv.flaw == NULL && of.csv.arena != NULL && !of.csv.is_out_of_memory) {
    dsm__json_error(&file->root, NULL, "expected times of layers, found nothing");
  }
  while (is_good && !dsm__json_doc_is_out_of_memory(file->doc) && dsm__csv_read(&of.csv, &record)) {
    read_row(&of, &record);
  }
  if (of.csv.flaw != NULL) {
    const dsm__json_node place = place_of(&of, of.csv.line);
    dsm__json_error(&place, NULL, "%s", of.csv.flaw);
  }
  if (of.csv.arena == NULL || of.csv.is_out_of_memory) {
    dsm__json_set_out_of_memory(file->doc);
  }
  if (is_good && of.row_count == 0 && dsm__json_doc_error_count(file->doc) == 0) {
    dsm__json_error(&file->root, NULL, "expected a row of device \"%s\", found none",
                    file->timings->device);
  }
  dsm__arena_free(of.csv.arena);
}

const dsm__timing_format dsm__csv_timings = {
    .what = "a CSV file of times",
    .read = read,
};
