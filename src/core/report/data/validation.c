/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validation.c: findings, and which files are valid (format "dsm-validate/1", CSV and a table). */
#include "base/diag_add.h"
#include "report/data/csv.h"
#include "report/data/records.h"

/* ---- the tables ---- */

/* Texts are NULL, and numbers 0, where they are not known. */
typedef struct finding_row {
  dsm_severity severity;
  const char *file;
  size_t line;
  size_t column;
  const char *path;
  const char *message;
  const char *hint;
} finding_row;

DSM__RECORD(dsm__finding_record, finding_row, false, "What was found.",
            DSM__FIELD(WORD, finding_row, severity, "severity", DSM__COLUMN,
                       .words = &dsm__severity_words, .help = "How bad it is."),
            DSM__FIELD(TEXT, finding_row, file, "file", DSM__OPTIONAL,
                       .help = "Name of the input."),
            DSM__FIELD(COUNT, finding_row, line, "line", DSM__COLUMN | DSM__UNLESS_0, .min = 1,
                       .help = "Of the file, from 1."),
            DSM__FIELD(COUNT, finding_row, column, "column", DSM__COLUMN | DSM__UNLESS_0, .min = 1,
                       .help = "Byte of the line, from 1."),
            DSM__FIELD(TEXT, finding_row, path, "path", DSM__COLUMN | DSM__OPTIONAL,
                       .help = "JSON path such as $.layers[3].stride."),
            DSM__FIELD(TEXT, finding_row, message, "message", DSM__COLUMN,
                       .help = "What was expected and what was found."),
            DSM__FIELD(TEXT, finding_row, hint, "hint", DSM__COLUMN | DSM__OPTIONAL,
                       .help = "A suggestion such as: did you mean \"stride\"?"));

typedef struct item_row {
  const char *file;
  const char *kind;
  bool is_valid;
  dsm_status status;
  dsm__rows findings;
  size_t dropped;
} item_row;

DSM__OWN_RECORD(
    item_record, item_row, false, "A file.",
    DSM__FIELD(TEXT, item_row, file, "file", DSM__COLUMN, .help = "Its name."),
    DSM__FIELD(TEXT, item_row, kind, "kind", DSM__COLUMN | DSM__OPTIONAL,
               .help = "What it describes, if that was found out."),
    DSM__FIELD(FLAG, item_row, is_valid, "valid", DSM__COLUMN, .help = "Is it valid?"),
    DSM__FIELD(WORD, item_row, status, "status", 0, .words = &dsm__status_words,
               .help = "ok, or why it is not."),
    DSM__ROWS(item_row, findings, "findings", dsm__finding_record, "What was found."),
    DSM__FIELD(COUNT, item_row, dropped, "findings_dropped", 0,
               .help = "More that were found, and are not listed: 100 are kept for a file."));

DSM__ANSWER(dsm__validate_record, dsm__rows, "dsm-validate/1", "Which files are valid",
            "dsm validate",
            DSM__LISTED(dsm__rows, items, count, "items", 0, item_record,
                        "One for each file, in the order of the command line."));

/* ---- for programs ---- */

static const char *if_known(const char *text) {
  return text[0] == '\0' ? NULL : text;
}

dsm__rows dsm__findings_of(dsm__page *page, const dsm_diags *diags) {
  const dsm__rows made = dsm__rows_make(page, dsm_diags_count(diags), sizeof(finding_row));
  finding_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_diag *const diag = dsm_diags_get(diags, i);
    rows[i] =
        (finding_row){diag->severity,       if_known(diag->file), diag->line,          diag->column,
                      if_known(diag->path), diag->message,        if_known(diag->hint)};
  }
  return made;
}

static void put_findings(dsm__page *page, const dsm_answer *answer) {
  const dsm_diags *const diags = answer->of;
  dsm__json_writer writer = {.out = &page->out};
  const dsm__rows findings = dsm__findings_of(page, diags);
  const finding_row *const rows = findings.items;
  dsm__json_begin_array(&writer, false);
  for (size_t i = 0; i < findings.count; i++) {
    dsm__record_write(&writer, &dsm__finding_record, &rows[i]);
  }
  dsm__json_end_array(&writer);
  dsm__json_finish(&writer);
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_validated *const items = answer->of;
  const dsm__rows made = dsm__rows_make(page, answer->count, sizeof(item_row));
  item_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = (item_row){.file = items[i].file,
                         .kind = items[i].kind,
                         .is_valid = items[i].status == DSM_OK,
                         .status = items[i].status,
                         .findings = dsm__findings_of(page, items[i].diags),
                         .dropped = dsm_diags_dropped(items[i].diags)};
  }
  *(dsm__rows *)to = made;
}

static void put_rows(dsm__csv *csv, const void *document) {
  const dsm__rows *const made = document;
  const item_row *const rows = made->items;
  dsm__csv_columns(csv, &item_record);
  dsm__csv_columns(csv, &dsm__finding_record);
  for (size_t i = 0; i < made->count; i++) {
    const finding_row *const findings = rows[i].findings.items;
    for (size_t f = 0; f < rows[i].findings.count; f++) {
      DSM__CSV_ROW(csv, {&item_record, &rows[i]}, {&dsm__finding_record, &findings[f]});
    }
    if (rows[i].findings.count == 0) {
      DSM__CSV_ROW(csv, {&item_record, &rows[i]});
    }
  }
}

/* ---- table ---- */

static size_t count_errors(const dsm_diags *diags) {
  size_t errors = dsm_diags_dropped(diags);
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    errors += dsm_diags_get(diags, i)->severity == DSM_SEVERITY_ERROR ? 1 : 0;
  }
  return errors;
}

static void show(dsm__page *page, const dsm_answer *answer) {
  const dsm_validated *const items = answer->of;
  for (size_t i = 0; i < answer->count; i++) {
    const dsm_validated *const item = &items[i];
    const bool is_valid = item->status == DSM_OK;
    const size_t errors = count_errors(item->diags);
    dsm__page_verdict(
        page, item->file, is_valid ? DSM__STYLE_GOOD : DSM__STYLE_BAD,
        is_valid ? dsm__page_text(page, "valid %s", item->kind == NULL ? "description" : item->kind)
                 : dsm__page_text(page, "%s (%zu error%s)", dsm_status_name(item->status), errors,
                                  errors == 1 ? "" : "s"),
        is_valid ? item->summary : NULL);
  }
}

const dsm_answer_kind dsm_answer_validation = {
    .record = &dsm__validate_record, .fill = fill, .put_rows = put_rows, .views = {show}};

const dsm_answer_kind dsm_answer_findings = {.views = {[DSM_FORM_JSON] = put_findings}};
