/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validation.c: findings, and which files are valid. */
#include "base/diag_add.h"
#include "base/json_write.h"
#include "report/data/csv.h"
#include "report/data/json_parts.h"
#include "report/table/text_page.h"

/* ---- JSON ---- */

static void put_if_known(dsm__json_writer *writer, const char *key, const char *value) {
  if (value[0] != '\0') {
    dsm__json_put_string(writer, key, value);
  }
}

static void write_finding(dsm__json_writer *writer, const dsm_diag *diag) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "severity", dsm__word_key(&dsm__severity_words, diag->severity));
  put_if_known(writer, "file", diag->file);
  if (diag->line > 0) {
    dsm__json_put_u64(writer, "line", diag->line);
  }
  if (diag->column > 0) {
    dsm__json_put_u64(writer, "column", diag->column);
  }
  put_if_known(writer, "path", diag->path);
  dsm__json_put_string(writer, "message", diag->message);
  put_if_known(writer, "hint", diag->hint);
  dsm__json_end_object(writer);
}

void dsm__findings_write(dsm__json_writer *writer, const dsm_diags *diags) {
  dsm__json_begin_array(writer, false);
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    write_finding(writer, dsm_diags_get(diags, i));
  }
  dsm__json_end_array(writer);
}

char *dsm_report_diags_json(const dsm_diags *diags) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__findings_write(&writer, diags);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

static void write_validated(dsm__json_writer *writer, const dsm_validated *item) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "file", item->file);
  if (item->kind != NULL) {
    dsm__json_put_string(writer, "kind", item->kind);
  }
  dsm__json_put_bool(writer, "valid", item->status == DSM_OK);
  dsm__json_put_string(writer, "status", dsm_status_name(item->status));
  dsm__json_write_key(writer, "findings");
  dsm__findings_write(writer, item->diags);
  dsm__json_put_u64(writer, "findings_dropped", dsm_diags_dropped(item->diags));
  dsm__json_end_object(writer);
}

char *dsm_report_validation_json(const dsm_validated *items, size_t count) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__json_begin_object(&writer, false);
  dsm__json_put_string(&writer, "format", "dsm-validate/1");
  dsm__json_put_array(&writer, "items", false);
  for (size_t i = 0; i < count; i++) {
    write_validated(&writer, &items[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_end_object(&writer);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}

/* ---- table ---- */

static size_t count_errors(const dsm_diags *diags) {
  size_t errors = dsm_diags_dropped(diags);
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    errors += dsm_diags_get(diags, i)->severity == DSM_SEVERITY_ERROR ? 1 : 0;
  }
  return errors;
}

char *dsm_report_validation_table(const dsm_validated *items, size_t count, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_validated *const item = &items[i];
    const bool is_valid = item->status == DSM_OK;
    const size_t errors = count_errors(item->diags);
    dsm__text_puts(&page.out, dsm__page_text(&page, "%s: ", item->file));
    dsm__style_begin(&page.out, page.style.color, is_valid ? DSM__STYLE_GOOD : DSM__STYLE_BAD);
    if (is_valid) {
      dsm__text_printf(&page.out, "valid %s", item->kind == NULL ? "description" : item->kind);
    } else {
      dsm__text_printf(&page.out, "%s (%zu error%s)", dsm_status_name(item->status), errors,
                       errors == 1 ? "" : "s");
    }
    dsm__style_end(&page.out, page.style.color, is_valid ? DSM__STYLE_GOOD : DSM__STYLE_BAD);
    if (is_valid && item->summary != NULL) {
      dsm__text_puts(&page.out, dsm__page_text(&page, " (%s)", item->summary));
    }
    dsm__page_break(&page);
  }
  return dsm__page_finish(&page);
}

/* ---- CSV ---- */

static void put_file(dsm__csv *csv, const dsm_validated *item) {
  dsm__csv_text(csv, item->file);
  dsm__csv_text(csv, item->kind);
  dsm__csv_bool(csv, item->status == DSM_OK);
}

static void put_position(dsm__csv *csv, size_t position) {
  if (position > 0) {
    dsm__csv_u64(csv, position);
  } else {
    dsm__csv_empty(csv, 1);
  }
}

static void put_findings(dsm__csv *csv, const dsm_validated *item) {
  static const size_t finding_field_count = 6;
  const size_t count = dsm_diags_count(item->diags);
  if (count == 0) {
    put_file(csv, item);
    dsm__csv_empty(csv, finding_field_count);
    dsm__csv_end_row(csv);
  }
  for (size_t i = 0; i < count; i++) {
    const dsm_diag *const diag = dsm_diags_get(item->diags, i);
    put_file(csv, item);
    dsm__csv_text(csv, dsm__word_key(&dsm__severity_words, diag->severity));
    put_position(csv, diag->line);
    put_position(csv, diag->column);
    dsm__csv_text(csv, diag->path);
    dsm__csv_text(csv, diag->message);
    dsm__csv_text(csv, diag->hint);
    dsm__csv_end_row(csv);
  }
}

char *dsm_report_validation_csv(const dsm_validated *items, size_t count) {
  static const char *const titles[] = {"file",   "kind", "valid",   "severity", "line",
                                       "column", "path", "message", "hint"};
  dsm__text_buffer out = {0};
  dsm__csv csv = {.out = &out};
  dsm__csv_texts(&csv, titles, DSM__COUNT_OF(titles));
  dsm__csv_end_row(&csv);
  for (size_t i = 0; i < count; i++) {
    put_findings(&csv, &items[i]);
  }
  return dsm__text_finish(&out);
}
