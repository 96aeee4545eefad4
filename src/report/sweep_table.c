/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_table.c: the points of a sweep, for people: what varies, and the results that are looked at
 * first. What is the same in all rows stands once, above them; why a point has no result, below.
 */
#include <string.h>

#include "base/number_text.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/table.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* ---- columns of the points ---- */

/* Results that say what was explored; each is left out where an axis says it. */
typedef struct setting {
  const char *column;
  const char *axis;
} setting;

static const setting settings[] = {
    {"mode", "options.mode"},
    {"minibatch", "workload.minibatch"},
    {"optimizations", "options.optimize"},
    {"parallelisms", "options.parallelism"},
};

static const dsm_cell none = {.kind = DSM_CELL_NONE};

static size_t find(const dsm_point_table *points, const char *name) {
  size_t column = 0;
  while (column < points->column_count && strcmp(points->columns[column], name) != 0) {
    column++;
  }
  return column;
}

static const dsm_cell *cell_at(const dsm_point_table *points, size_t row, size_t column) {
  return column < points->column_count ? &points->cells[row * points->column_count + column]
                                       : &none;
}

static bool is_same(const dsm_cell *first, const dsm_cell *second) {
  if (first->kind != second->kind) {
    return false;
  }
  return first->kind == DSM_CELL_TEXT ? strcmp(first->text, second->text) == 0
                                      : first->number == second->number;
}

/* The value that all rows have that have one; NULL if they differ, `none` if no row has one. */
static const dsm_cell *common_value(const dsm_point_table *points, size_t column) {
  const dsm_cell *common = &none;
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm_cell *const cell = cell_at(points, row, column);
    if (common->kind == DSM_CELL_NONE) {
      common = cell;
    } else if (cell->kind != DSM_CELL_NONE && !is_same(common, cell)) {
      return NULL;
    }
  }
  return common;
}

/* Columns that say what a point is: axes, and settings that no axis says. */
typedef struct inputs {
  size_t first; /* columns of axes: first .. end */
  size_t end;
} inputs;

static inputs inputs_of(const dsm_point_table *points) {
  const size_t reason = find(points, "reason");
  const size_t mode = find(points, "mode");
  return (inputs){.first = reason < mode ? reason + 1 : mode, .end = mode};
}

/* Number `index` of these columns; the number of columns if it is not to be shown, and beyond the
 * last one. */
static size_t input_at(const dsm_point_table *points, inputs found, size_t index) {
  const size_t axis_count = found.end - found.first;
  if (index < axis_count) {
    return found.first + index;
  }
  const setting *const each = &settings[index - axis_count];
  return find(points, each->axis) < points->column_count ? points->column_count
                                                         : find(points, each->column);
}

/* ---- cells as text ---- */

static const char *value_text(dsm__page *page, const dsm_cell *cell) {
  char number[DSM__NUMBER_TEXT_SIZE];
  if (cell->kind != DSM_CELL_NUMBER) {
    return cell->kind == DSM_CELL_TEXT ? cell->text : "";
  }
  (void)dsm__double_to_text(cell->number, number);
  return dsm__page_text(page, "%s", number);
}

/* A result times a scale, with some digits. A database that others have changed may hold any
 * number. */
static const char *result_text(dsm__page *page, const dsm_cell *cell, double scale, int digits) {
  const double value = cell->number * scale;
  if (cell->kind != DSM_CELL_NUMBER || !(value >= 0 && value < 1e18)) {
    return value_text(page, cell);
  }
  return dsm__page_text(page, "%s", dsm__figure_digits(value, digits).text);
}

static bool is_share(const dsm_cell *cell) {
  return cell->kind == DSM_CELL_NUMBER && cell->number >= 0 && cell->number <= 1;
}

/* ---- above and below the table ---- */

static void put_heading(dsm__page *page, const dsm_point_table *points) {
  const char *const plural = points->point_count == 1 ? "" : "s";
  const dsm__figure count = dsm__figure_count(points->point_count);
  dsm__page_line(page, DSM__TONE_HEADING,
                 points->row_count == points->point_count
                     ? dsm__page_text(page, "%s: %s point%s", points->name, count.text, plural)
                     : dsm__page_text(page, "%s: %s of %s point%s", points->name,
                                      dsm__figure_count(points->row_count).text, count.text,
                                      plural));
}

static void put_common(dsm__page *page, const dsm_point_table *points) {
  const inputs found = inputs_of(points);
  const size_t count = found.end - found.first + COUNT_OF(settings);
  dsm__text_buffer text = {0};
  for (size_t i = 0; i < count; i++) {
    const size_t column = input_at(points, found, i);
    const dsm_cell *const value = common_value(points, column);
    if (value != NULL && value->kind != DSM_CELL_NONE) {
      dsm__text_printf(&text, "%s%s %s", text.length == 0 ? "" : ", ", points->columns[column],
                       value_text(page, value));
    }
  }
  page->out.failed = page->out.failed || text.failed;
  if (text.length > 0 && !text.failed) {
    dsm__page_line(page, DSM__TONE_PLAIN, dsm__page_text(page, "%s", text.text));
  }
  dsm__text_fini(&text);
}

static void put_reasons(dsm__page *page, const dsm_point_table *points) {
  enum { MOST_SHOWN = 10 };
  const size_t reason = find(points, "reason");
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm_cell *const cell = cell_at(points, row, reason);
    if (cell->kind != DSM_CELL_TEXT || ++count > MOST_SHOWN) {
      continue;
    }
    if (count == 1) {
      dsm__page_break(page);
    }
    dsm__page_line(page, DSM__TONE_PLAIN,
                   dsm__page_text(page, "point %s is %s: %s",
                                  value_text(page, cell_at(points, row, find(points, "point"))),
                                  value_text(page, cell_at(points, row, find(points, "status"))),
                                  cell->text));
  }
  if (count > MOST_SHOWN) {
    dsm__page_line(page, DSM__TONE_FAINT,
                   dsm__page_text(page, "and %s more", dsm__figure_count(count - MOST_SHOWN).text));
  }
}

/* ---- the table ---- */

/* How a column is shown. */
typedef enum form {
  FORM_VALUE = 0, /* as it is */
  FORM_SHARE,     /* in percent */
  FORM_MILLIS,
  FORM_RATE,
  FORM_GIGAS,
} form;

typedef struct view {
  dsm__column columns[DSM__TABLE_COLUMNS_MAX];
  size_t sources[DSM__TABLE_COLUMNS_MAX]; /* columns of the points */
  form forms[DSM__TABLE_COLUMNS_MAX];
  size_t count;
  size_t left_out; /* columns of inputs for which there is no place */
} view;

/* Results, after the inputs. */
typedef struct result_column {
  const char *source;
  const char *title;
  form form;
  unsigned rank;
} result_column;

static const result_column results[] = {
    {"utilization", "util %", FORM_SHARE, 0},
    {"step_seconds", "step (ms)", FORM_MILLIS, 2},
    {"samples_per_second", "samples/s", FORM_RATE, 3},
    {"memory_bytes", "memory (GB)", FORM_GIGAS, 4},
    {"decisions", "decisions", FORM_VALUE, 5},
};

static void add_column(view *shown, const dsm_point_table *points, size_t source, const char *title,
                       form shown_as, unsigned rank) {
  bool has_text = false;
  for (size_t row = 0; row < points->row_count; row++) {
    has_text = has_text || cell_at(points, row, source)->kind == DSM_CELL_TEXT;
  }
  shown->columns[shown->count] = (dsm__column){
      .title = title, .rank = rank, .gap = 2, .is_right = !has_text, .is_name = has_text};
  shown->sources[shown->count] = source;
  shown->forms[shown->count] = shown_as;
  shown->count++;
}

static const char *last_word(const char *path) {
  const char *const dot = strrchr(path, '.');
  return dot == NULL || dot[1] == '\0' ? path : dot + 1;
}

/* The last word of a path is its title, unless two have the same. */
static const char *title_of(dsm__page *page, const dsm_point_table *points, size_t column) {
  const inputs found = inputs_of(points);
  const char *const path = points->columns[column];
  bool is_only = true;
  for (size_t c = found.first; c < found.end; c++) {
    is_only =
        is_only && (c == column || strcmp(last_word(points->columns[c]), last_word(path)) != 0);
  }
  return dsm__page_text(page, "%s", is_only ? last_word(path) : path);
}

static view view_of(dsm__page *page, const dsm_point_table *points) {
  view shown = {0};
  const inputs found = inputs_of(points);
  const size_t input_count = found.end - found.first + COUNT_OF(settings);
  const dsm_cell *const status = common_value(points, find(points, "status"));
  add_column(&shown, points, find(points, "point"), "point", FORM_VALUE, 0);
  if (status == NULL || (status->kind == DSM_CELL_TEXT && strcmp(status->text, "ok") != 0)) {
    add_column(&shown, points, find(points, "status"), "status", FORM_VALUE, 0);
  }
  for (size_t i = 0; i < input_count; i++) {
    const size_t column = input_at(points, found, i);
    if (common_value(points, column) != NULL) {
      continue;
    }
    if (shown.count + COUNT_OF(results) < DSM__TABLE_COLUMNS_MAX) {
      add_column(&shown, points, column, title_of(page, points, column), FORM_VALUE, 1);
    } else {
      shown.left_out++;
    }
  }
  for (size_t i = 0; i < COUNT_OF(results); i++) {
    const size_t column = find(points, results[i].source);
    if (column < points->column_count) {
      add_column(&shown, points, column, results[i].title, results[i].form, results[i].rank);
    }
  }
  return shown;
}

static void add_cell(dsm__table *table, const dsm_cell *cell, form shown_as) {
  dsm__page *const page = table->page;
  switch (shown_as) {
  case FORM_VALUE:
    dsm__table_add(table, DSM__TONE_PLAIN, value_text(page, cell));
    break;
  case FORM_SHARE:
    dsm__table_add(table, is_share(cell) ? dsm__tone_of_utilization(cell->number) : DSM__TONE_PLAIN,
                   is_share(cell) ? dsm__figure_percent(cell->number).text
                                  : value_text(page, cell));
    break;
  case FORM_MILLIS:
    dsm__table_add(table, DSM__TONE_PLAIN, result_text(page, cell, 1e3, 5));
    break;
  case FORM_RATE:
    dsm__table_add(table, DSM__TONE_PLAIN, result_text(page, cell, 1, 4));
    break;
  case FORM_GIGAS:
    dsm__table_add(table, DSM__TONE_PLAIN, result_text(page, cell, 1e-9, 3));
    break;
  }
}

char *dsm_report_points_table(const dsm_point_table *points, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  put_heading(&page, points);
  put_common(&page, points);
  if (points->row_count > 0) {
    const view shown = view_of(&page, points);
    dsm__page_break(&page);
    dsm__table table = dsm__table_make(&page, shown.columns, shown.count, points->row_count);
    for (size_t row = 0; row < points->row_count; row++) {
      for (size_t c = 0; c < shown.count; c++) {
        add_cell(&table, cell_at(points, row, shown.sources[c]), shown.forms[c]);
      }
    }
    dsm__table_print(&table);
    if (shown.left_out > 0) {
      dsm__page_line(
          &page, DSM__TONE_FAINT,
          dsm__page_text(&page, "%zu more columns differ between rows.", shown.left_out));
    }
  }
  put_reasons(&page, points);
  return dsm__page_finish(&page);
}
