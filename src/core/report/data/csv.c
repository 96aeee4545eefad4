/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"

/* ---- cells ---- */

/* What spreadsheets take for a formula, and run. A number they only read, and one sign alone is
 * text. */
static bool is_formula(const char *text) {
  double value;
  return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && text[1] != '\0' &&
         !dsm__text_to_double(text, strlen(text), &value);
}

/* The text with its quotes doubled, and without what cannot be shown. */
static void put_inside(dsm__text_buffer *out, const char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t bytes = dsm__utf8_length(text + at, length - at);
    const bool is_kept =
        bytes > 0 && (strchr("\t\r\n", text[at]) != NULL || dsm__utf8_is_shown(text + at, bytes));
    if (text[at] == '"') {
      dsm__text_puts(out, "\"\"");
    } else if (is_kept) {
      dsm__text_append(out, text + at, bytes);
    } else {
      dsm__text_puts(out, DSM__UTF8_REPLACEMENT);
    }
    at += bytes == 0 ? 1 : bytes;
  }
}

static void put_cell(dsm__text_buffer *out, const char *text) {
  const char *const quote = text[strcspn(text, "\",\r\n")] == '\0' ? "" : "\"";
  dsm__text_puts(out, quote);
  dsm__text_puts(out, is_formula(text) ? "'" : "");
  put_inside(out, text);
  dsm__text_puts(out, quote);
}

/* ---- columns ---- */

dsm__csv dsm__csv_begin(dsm__page *page) {
  return (dsm__csv){.page = page};
}

static bool has_column(const dsm__csv *csv, const char *name) {
  for (size_t c = 0; c < csv->count; c++) {
    if (strcmp(csv->names[c], name) == 0) {
      return true;
    }
  }
  return false;
}

void dsm__csv_named_column(dsm__csv *csv, const char *name) {
  if (name == NULL) {
    csv->page->out.failed = true;
  } else if (!has_column(csv, name)) {
    assert(csv->count < DSM__CSV_COLUMNS_MAX);
    csv->names[csv->count++] = name;
  }
}

/* "cycles" and "total": "cycles.total". NULL if out of memory. */
static const char *join(dsm__csv *csv, const char *outer, const char *inner) {
  return outer == NULL ? inner : dsm__arena_printf(csv->page->arena, "%s.%s", outer, inner);
}

static void add_columns(dsm__csv *csv, const char *outer, const dsm__record_type *type,
                        const char *only);

/* The columns that a field is, within what has the name `outer`. */
static void add_field(dsm__csv *csv, const char *outer, const dsm__field *field) {
  const char *const name = join(csv, outer, dsm__field_column(field));
  const bool is_divided = field->kind == DSM__FIELD_COUNTS || field->kind == DSM__FIELD_MEMBERS;
  if (name == NULL) {
    csv->page->out.failed = true;
  } else if (field->kind == DSM__FIELD_RECORD) {
    add_columns(csv, name, field->type, NULL);
  } else if (!is_divided) {
    dsm__csv_named_column(csv, name);
  }
  for (size_t w = 0; name != NULL && is_divided && w < field->words->count; w++) {
    const char *const part = join(csv, name, dsm__word_key(field->words, w));
    if (part == NULL || field->kind == DSM__FIELD_COUNTS) {
      dsm__csv_named_column(csv, part);
    } else {
      add_columns(csv, part, field->type, NULL);
    }
  }
}

/* Those of a record, or only the one of a name. */
static void add_columns(dsm__csv *csv, const char *outer, const dsm__record_type *type,
                        const char *only) {
  const dsm__field *fields[DSM__FIELDS_MAX];
  const size_t count = dsm__record_columns(type, fields);
  for (size_t i = 0; i < count; i++) {
    if (only == NULL || strcmp(dsm__field_column(fields[i]), only) == 0) {
      add_field(csv, outer, fields[i]);
    }
  }
}

void dsm__csv_columns(dsm__csv *csv, const dsm__record_type *type) {
  add_columns(csv, NULL, type, NULL);
}

void dsm__csv_column(dsm__csv *csv, const dsm__record_type *type, const char *name) {
  add_columns(csv, NULL, type, name);
}

static void put_titles(dsm__csv *csv) {
  for (size_t c = 0; c < csv->count && !csv->has_titles; c++) {
    dsm__text_puts(&csv->page->out, c == 0 ? "" : ",");
    put_cell(&csv->page->out, csv->names[c]);
  }
  dsm__text_puts(&csv->page->out, csv->has_titles ? "" : "\r\n");
  csv->has_titles = true;
}

/* ---- rows ---- */

/* A cell that is looked for: the rest of its column's name. */
typedef struct wanted {
  const char *name;
  const dsm__renaming *renaming;
  dsm__text_buffer *text;
} wanted;

static bool find_in(const dsm__record_type *type, const void *record, const wanted *of);

/* Puts the text of what a divided field has of a word. */
static bool find_word(const dsm__field *field, const void *record, const wanted *of) {
  const size_t length = strcspn(of->name, ".");
  for (size_t w = 0; w < field->words->count; w++) {
    const char *const key = dsm__word_key(field->words, w);
    if (strlen(key) != length || strncmp(key, of->name, length) != 0) {
      continue;
    }
    const unsigned char *const all = dsm__field_in(field, record);
    if (field->kind == DSM__FIELD_COUNTS) {
      dsm__text_printf(of->text, "%" PRIu64, ((const uint64_t *)(const void *)all)[w]);
      return true;
    }
    const void *const one = all + w * field->type->size;
    const wanted rest = {of->name + length + 1, of->renaming, of->text};
    return dsm__field_condition_holds(field, one) && find_in(field->type, one, &rest);
  }
  return false;
}

/* Ends the walk where the cell is found. */
static bool is_another(void *context, const dsm__field *field, const void *record) {
  const wanted *const of = context;
  const char *const column = dsm__field_column(field);
  const size_t length = strlen(column);
  const bool is_divided = field->kind == DSM__FIELD_COUNTS || field->kind == DSM__FIELD_MEMBERS;
  if ((field->flags & DSM__FIELD_IS_COLUMN) == 0 || strncmp(of->name, column, length) != 0 ||
      (!is_divided && !dsm__field_is_stated(field, record))) {
    return true;
  }
  const wanted rest = {of->name + length + 1, of->renaming, of->text};
  if (of->name[length] == '.') {
    return field->kind == DSM__FIELD_RECORD
               ? !find_in(field->type, dsm__field_in(field, record), &rest)
               : !is_divided || !find_word(field, record, &rest);
  }
  if (of->name[length] == '\0') {
    dsm__field_put_text(field, of->renaming, record, "", of->text);
    return false;
  }
  return true;
}

static bool find_in(const dsm__record_type *type, const void *record, const wanted *of) {
  wanted copy = *of;
  return !dsm__record_each(type, record, is_another, &copy);
}

void dsm__csv_row(dsm__csv *csv, const dsm__csv_part *parts, size_t count) {
  put_titles(csv);
  for (size_t c = 0; c < csv->count; c++) {
    const wanted of = {csv->names[c], csv->page->renaming, &csv->cell};
    bool is_found = false;
    dsm__text_clear(&csv->cell);
    for (size_t p = 0; p < count && !is_found; p++) {
      is_found = parts[p].record != NULL && find_in(parts[p].type, parts[p].record, &of);
    }
    csv->page->out.failed = csv->page->out.failed || csv->cell.failed;
    dsm__text_puts(&csv->page->out, c == 0 ? "" : ",");
    put_cell(&csv->page->out, csv->cell.length > 0 ? csv->cell.text : "");
  }
  dsm__text_puts(&csv->page->out, "\r\n");
}

void dsm__csv_finish(dsm__csv *csv) {
  put_titles(csv);
  dsm__text_fini(&csv->cell);
}
