/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/columns.h"

#include "base/diag_add.h"

static const dsm__word column_words[] = {
    [DSM__COLUMN_WORKLOAD].key = "workload", [DSM__COLUMN_MINIBATCH].key = "minibatch",
    [DSM__COLUMN_MODE].key = "mode",         [DSM__COLUMN_PARALLELISM].key = "parallelism",
    [DSM__COLUMN_OPTIMIZE].key = "optimize", [DSM__COLUMN_OVERRIDES].key = "overrides",
    [DSM__COLUMN_PLAN].key = "plan",         [DSM__COLUMN_LAYER].key = "layer",
    [DSM__COLUMN_PASS].key = "pass",         [DSM__COLUMN_MILLISECONDS].key = "milliseconds",
    [DSM__COLUMN_NOTE].key = "note",
};
static DSM__WORDS(columns_known, "column of measurements", column_words, DSM__COLUMN_COUNT);

static bool has(const dsm__columns *columns, dsm__column column) {
  return columns->at[column] < DSM__CSV_FIELDS_MAX;
}

dsm_status dsm__columns_find(dsm__columns *columns, const dsm__csv_record *head, const char *file,
                             dsm_diags *diags) {
  const dsm__cells at_head = {.file = file, .line = head->line};
  dsm_status status = DSM_OK;
  columns->count = head->count;
  for (size_t c = 0; c < DSM__COLUMN_COUNT; c++) {
    columns->at[c] = DSM__CSV_FIELDS_MAX;
  }
  for (size_t f = 0; f < head->count; f++) {
    const char *const name = head->fields[f];
    size_t column = 0;
    if (!dsm__words_find(&columns_known, name, &column)) {
      const char *keys[DSM__WORDS_MAX];
      char hint[128];
      const size_t count = dsm__words_keys(&columns_known, keys);
      status =
          dsm__cell_refuse(&at_head, diags, dsm__nearest_hint(name, keys, count, hint, sizeof hint),
                           "unknown column \"%s\"", name);
    } else if (has(columns, (dsm__column)column)) {
      status = dsm__cell_refuse(&at_head, diags, NULL, "column \"%s\" is there twice", name);
    } else {
      columns->at[column] = f;
    }
  }
  if (status == DSM_OK && !has(columns, DSM__COLUMN_MILLISECONDS)) {
    status = dsm__cell_refuse(&at_head, diags, NULL, "expected a column \"milliseconds\"");
  }
  if (status == DSM_OK && !has(columns, DSM__COLUMN_WORKLOAD) && !has(columns, DSM__COLUMN_PLAN)) {
    status =
        dsm__cell_refuse(&at_head, diags, NULL, "expected a column \"workload\", or one \"plan\"");
  }
  return status;
}

dsm_status dsm__cells_take(dsm__cells *cells, const dsm__columns *columns,
                           const dsm__csv_record *record, const char *file, dsm_diags *diags) {
  *cells = (dsm__cells){.file = file, .line = record->line};
  if (record->count != columns->count) {
    return dsm__cell_refuse(cells, diags, NULL, "expected %zu fields, one a column, found %zu",
                            columns->count, record->count);
  }
  for (size_t c = 0; c < DSM__COLUMN_COUNT; c++) {
    cells->texts[c] = has(columns, (dsm__column)c) ? record->fields[columns->at[c]] : "";
  }
  return DSM_OK;
}

dsm_status dsm__cell_refuse(const dsm__cells *cells, dsm_diags *diags, const char *hint,
                            const char *format, ...) {
  const dsm__place place = {.file = cells->file, .line = cells->line};
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(diags, DSM_SEVERITY_ERROR, place, hint, format, args);
  va_end(args);
  return DSM_ERROR_INVALID;
}

dsm_status dsm__cell_refuse_word(const dsm__cells *cells, dsm__column column,
                                 const dsm__words *words, const char *text, dsm_diags *diags) {
  const char *keys[DSM__WORDS_MAX];
  char hint[128];
  const size_t count = dsm__words_keys(words, keys);
  return dsm__cell_refuse(cells, diags, dsm__nearest_hint(text, keys, count, hint, sizeof hint),
                          "%s: expected %s, found \"%s\"",
                          dsm__word_key(&columns_known, (size_t)column),
                          dsm__words_join(words, (1U << words->count) - 1U, " or ").text, text);
}
