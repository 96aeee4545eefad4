/* SPDX-License-Identifier: GPL-3.0-or-later */
/* point_where.c: columns that are computed from others, and conditions on rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/definition.h"
#include "base/diag_add.h"
#include "base/expression.h"
#include "base/order.h"
#include "base/words.h"
#include "dsm/number.h"
#include "sweep/comparison.h"
#include "sweep/point_record.h"

/* ---- expressions on a row ---- */

static const char *path_at(const void *of, size_t column) {
  const dsm_point_table *const table = of;
  return table->columns[column];
}

static size_t find_column(const dsm_point_table *table, const char *name) {
  return dsm__path_find(path_at, table, table->column_count, name);
}

/* The row in which names are looked up. */
typedef struct lookup {
  const dsm_point_table *table;
  size_t row;
  bool is_any; /* whether names are known is all that is asked */
} lookup;

static bool find_number(void *context, const char *name, double *value,
                        dsm__expression_flaw *flaw) {
  const lookup *const in = context;
  const dsm_point_table *const table = in->table;
  const size_t column = find_column(table, name);
  *value = 1;
  if (column == table->column_count) {
    (void)snprintf(flaw->message, sizeof flaw->message,
                   "expected a column of the points, found \"%s\"", name);
    const char *const meant = dsm__points_meant(table, name);
    if (meant != NULL) {
      (void)snprintf(flaw->hint, sizeof flaw->hint, "did you mean \"%s\"?", meant);
    }
    return false;
  }
  if (in->is_any) {
    const bool has_words = dsm__points_hold_words(table, column);
    (void)snprintf(flaw->message, sizeof flaw->message,
                   "expected a column of numbers, found \"%s\", which holds words", name);
    return !has_words;
  }
  const dsm_cell *const cell = dsm__point_cell(table, in->row, column);
  *value = cell->number;
  return cell->kind == DSM_CELL_NUMBER;
}

/* Of a row; false if a column has no number there, or the value is not finite. */
static bool value_of(const dsm_point_table *table, size_t row, const char *expression,
                     double *value) {
  lookup in = {.table = table, .row = row};
  dsm__expression_flaw flaw;
  return dsm__expression_value(expression, DSM__EXPRESSION_REAL, find_number, &in, value, &flaw) &&
         isfinite(*value);
}

static dsm_status refuse(dsm_diags *diags, const char *option, const char *hint, const char *format,
                         ...) DSM_PRINTF(4, 5);

static dsm_status refuse(dsm_diags *diags, const char *option, const char *hint, const char *format,
                         ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = option}, hint, format, args);
  va_end(args);
  return DSM_ERROR_USAGE;
}

static dsm_status check(const dsm_point_table *table, const char *option, const char *expression,
                        dsm_diags *diags) {
  lookup in = {.table = table, .is_any = true};
  dsm__expression_flaw flaw;
  double value = 0;
  if (dsm__expression_value(expression, DSM__EXPRESSION_REAL, find_number, &in, &value, &flaw)) {
    return DSM_OK;
  }
  const char *const hint = flaw.hint[0] == '\0' ? NULL : flaw.hint;
  return strpbrk(expression + 1, "+-*/( ") == NULL
             ? refuse(diags, option, hint, "%s", flaw.message)
             : refuse(diags, option, hint, "in \"%.128s\": %s", expression + 1, flaw.message);
}

/* ---- columns that are defined ---- */

/* The table with a column more. */
static bool add_column(dsm_point_table *table, const dsm__definition *made) {
  const size_t before = table->column_count;
  const size_t width = before + 1;
  const char **const columns = dsm__arena_array(table->arena, width, sizeof *columns);
  dsm_cell *const cells = dsm__arena_array(table->arena, table->row_count, width * sizeof *cells);
  if (columns == NULL || cells == NULL) {
    return false;
  }
  memcpy(columns, table->columns, before * sizeof *columns);
  columns[before] = made->name;
  for (size_t row = 0; row < table->row_count; row++) {
    dsm_cell *const to = cells + row * width;
    double value = 0;
    memcpy(to, table->cells + row * before, before * sizeof *to);
    to[before] = value_of(table, row, made->expression, &value)
                     ? (dsm_cell){.kind = DSM_CELL_NUMBER, .number = value}
                     : (dsm_cell){.kind = DSM_CELL_NONE};
  }
  table->columns = columns;
  table->cells = cells;
  table->column_count = width;
  table->defined_count++;
  return true;
}

dsm_status dsm_point_table_define(dsm_point_table *table, const char *text, dsm_diags *diags) {
  dsm__definition made;
  dsm_status status = dsm__definition_read(&made, text, table->arena, diags);
  if (status == DSM_OK && dsm__points_find(table, made.name) < table->column_count) {
    status = refuse(diags, "--define", NULL, "expected a name that no column has, found \"%s\"",
                    made.name);
  }
  if (status == DSM_OK) {
    status = check(table, "--define", made.expression, diags);
  }
  return status != DSM_OK || add_column(table, &made) ? status : dsm__out_of_memory(diags);
}

/* ---- rows ---- */

bool dsm__points_keep(dsm_point_table *points, dsm__arena *arena, const bool *is_kept) {
  const size_t width = points->column_count;
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    count += is_kept[row] ? 1 : 0;
  }
  dsm_cell *const cells = dsm__arena_array(arena, count, width * sizeof *cells);
  if (cells == NULL) {
    return false;
  }
  count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    if (is_kept[row]) {
      memcpy(cells + count++ * width, points->cells + row * width, width * sizeof *cells);
    }
  }
  points->cells = cells;
  points->row_count = count;
  return true;
}

/* Rows that are looked at, and which of them are wanted so far. */
typedef struct filter {
  const dsm_point_table *points;
  dsm__arena *arena;
  dsm_diags *diags;
  bool *is_kept;
} filter;

/* ---- values of a column ---- */

/* Marks the rows that have a value: the same word, or the same number. */
static bool mark_value(const filter *f, size_t column, const char *text, bool *is_marked) {
  double number = 0;
  const bool is_number = dsm_number_parse(text, -1e308, 1e308, &number);
  bool is_found = false;
  for (size_t row = 0; row < f->points->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(f->points, row, column);
    if (cell->kind == DSM_CELL_NUMBER
            ? is_number && cell->number == number
            : strcmp(cell->kind == DSM_CELL_TEXT ? cell->text : "", text) == 0) {
      is_marked[row] = true;
      is_found = true;
    }
  }
  return is_found;
}

static dsm_status complain_of_value(const filter *f, size_t column, const char *text) {
  const size_t count = f->points->row_count;
  const char **const texts = dsm__arena_array(f->arena, count, sizeof *texts);
  char hint[256];
  for (size_t row = 0; texts != NULL && row < count; row++) {
    const char *const own = dsm__points_text(f->arena, dsm__point_cell(f->points, row, column));
    texts[row] = own == NULL ? "" : own;
  }
  return texts == NULL
             ? dsm__out_of_memory(f->diags)
             : refuse(f->diags, "--where", dsm__nearest_hint(text, texts, count, hint, sizeof hint),
                      "expected a value that \"%s\" has, found \"%s\"", f->points->columns[column],
                      text);
}

/* All values of a list; a value may have commas in it. */
static dsm_status mark_values(const filter *f, size_t column, const char *list, bool *is_marked) {
  if (f->points->row_count == 0 || mark_value(f, column, list, is_marked)) {
    return DSM_OK;
  }
  for (const char *at = list;; at++) {
    at += strspn(at, " ");
    const size_t length = strcspn(at, ",");
    const char *const text = dsm__arena_strndup(f->arena, at, length);
    if (text == NULL) {
      return dsm__out_of_memory(f->diags);
    }
    if (!mark_value(f, column, text, is_marked)) {
      return complain_of_value(f, column, text);
    }
    at += length;
    if (*at == '\0') {
      return DSM_OK;
    }
  }
}

/* ---- conditions ---- */

/* "COLUMN=VALUE,VALUE" or "COLUMN!=VALUE,VALUE"; each value is one that some row has. */
static dsm_status apply_values(const filter *f, const char *where, size_t column,
                               const dsm__comparison *sign) {
  const size_t row_count = f->points->row_count;
  const bool is_wanted = sign->orders == DSM__ORDER_EQUAL;
  bool *const is_marked = dsm__arena_array(f->arena, row_count, sizeof *is_marked);
  size_t count = 0;
  if (is_marked == NULL) {
    return dsm__out_of_memory(f->diags);
  }
  const dsm_status status =
      mark_values(f, column, where + sign->at + strlen(sign->text), is_marked);
  for (size_t row = 0; status == DSM_OK && row < row_count; row++) {
    f->is_kept[row] = f->is_kept[row] && is_marked[row] == is_wanted;
    count += f->is_kept[row] ? 1 : 0;
  }
  return status != DSM_OK || count > 0 || row_count == 0
             ? status
             : refuse(f->diags, "--where",
                      is_wanted ? "several values of a column are separated by commas" : NULL,
                      "no point is left: \"%s\" holds for none that are left before it", where);
}

/* "EXPRESSION OP EXPRESSION". */
static dsm_status apply_comparison(const filter *f, const char *where,
                                   const dsm__comparison *sign) {
  const char *const left = dsm__arena_printf(f->arena, "=%.*s", (int)sign->at, where);
  const char *const right =
      dsm__arena_printf(f->arena, "=%s", where + sign->at + strlen(sign->text));
  if (left == NULL || right == NULL) {
    return dsm__out_of_memory(f->diags);
  }
  dsm_status status = check(f->points, "--where", left, f->diags);
  if (status == DSM_OK) {
    status = check(f->points, "--where", right, f->diags);
  }
  for (size_t row = 0; status == DSM_OK && row < f->points->row_count; row++) {
    double one = 0;
    double other = 0;
    f->is_kept[row] = f->is_kept[row] && value_of(f->points, row, left, &one) &&
                      value_of(f->points, row, right, &other) &&
                      dsm__comparison_holds(sign->orders, dsm__order(one, other));
  }
  return status;
}

static dsm_status apply(const filter *f, const char *where) {
  dsm__comparison sign;
  if (!dsm__comparison_find(where, &sign) || sign.at == 0) {
    return refuse(f->diags, "--where", NULL,
                  "expected COLUMN=VALUE[,VALUE...] or a comparison of numbers, found \"%s\"",
                  where);
  }
  size_t length = sign.at;
  while (length > 0 && where[length - 1] == ' ') {
    length--;
  }
  const char *const name = dsm__arena_strndup(f->arena, where, length);
  if (name == NULL) {
    return dsm__out_of_memory(f->diags);
  }
  const size_t column = find_column(f->points, name);
  const bool is_of_values = sign.orders == DSM__ORDER_EQUAL || sign.orders == DSM__ORDER_DIFFERENT;
  if (is_of_values && column < f->points->column_count) {
    return apply_values(f, where, column, &sign);
  }
  return apply_comparison(f, where, &sign);
}

dsm_status dsm__points_where(dsm_point_table *points, dsm__arena *arena, const char *const *wheres,
                             size_t count, dsm_diags *diags) {
  const filter f = {.points = points,
                    .arena = arena,
                    .diags = diags,
                    .is_kept = dsm__arena_array(arena, points->row_count, sizeof(bool))};
  if (f.is_kept == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = DSM_OK;
  for (size_t row = 0; row < points->row_count; row++) {
    f.is_kept[row] = true;
  }
  for (size_t w = 0; w < count && status == DSM_OK; w++) {
    status = apply(&f, wheres[w]);
  }
  return status != DSM_OK || dsm__points_keep(points, arena, f.is_kept) ? status
                                                                        : dsm__out_of_memory(diags);
}

dsm_status dsm_point_table_where(dsm_point_table *table, const char *const *wheres, size_t count,
                                 dsm_diags *diags) {
  return dsm__points_where(table, table->arena, wheres, count, diags);
}
