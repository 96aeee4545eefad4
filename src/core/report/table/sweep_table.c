/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_table.c: the points of a sweep, for people: what varies, and the results that are looked at
 * first. What is the same in all rows stands once, above them; why a point has no result, below.
 */
#include <string.h>

#include "base/number_text.h"
#include "report/answer.h"
#include "report/figure/points.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/* ---- cells as text ---- */

static const char *value_text(dsm__page *page, const dsm_cell *cell) {
  return dsm__page_kept(page, dsm__points_text(page->arena, cell));
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
  const char *const plural = dsm__plural((double)points->point_count);
  const char *const what = points->workload_count > 0 ? "system" : "point";
  const dsm__figure count = dsm__figure_count(points->point_count);
  const char *const over =
      points->workload_count > 0
          ? dsm__page_text(page, ", geometric means over %zu workloads", points->workload_count)
          : "";
  dsm__page_line(
      page, DSM__STYLE_HEADING, "%s",
      points->row_count == points->point_count
          ? dsm__page_text(page, "%s: %s %s%s%s", points->name, count.text, what, plural, over)
          : dsm__page_text(page, "%s: %s of %s %s%s%s", points->name,
                           dsm__figure_count(points->row_count).text, count.text, what, plural,
                           over));
}

static void put_common(dsm__page *page, const dsm_point_table *points) {
  const size_t count = dsm__points_input_count(points);
  dsm__text_buffer text = {0};
  for (size_t i = 0; i < count; i++) {
    const size_t column = dsm__points_input_at(points, i);
    const dsm_cell *const value = dsm__points_common(points, column);
    if (value != NULL && value->kind != DSM_CELL_NONE) {
      dsm__text_printf(&text, "%s%s %s", text.length == 0 ? "" : ", ", points->columns[column],
                       value_text(page, value));
    }
  }
  page->out.failed = page->out.failed || text.failed;
  if (text.length > 0 && !text.failed) {
    dsm__page_line(page, DSM__STYLE_PLAIN, "%s", text.text);
  }
  dsm__text_fini(&text);
}

static void put_reasons(dsm__page *page, const dsm_point_table *points) {
  enum { MOST_SHOWN = 10 };
  const size_t reason = dsm__points_find(points, "reason");
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(points, row, reason);
    if (cell->kind != DSM_CELL_TEXT || ++count > MOST_SHOWN) {
      continue;
    }
    if (count == 1) {
      dsm__page_break(page);
    }
    dsm__page_line(
        page, DSM__STYLE_PLAIN, "point %s is %s: %s",
        value_text(page, dsm__point_cell(points, row, dsm__points_find(points, "point"))),
        value_text(page, dsm__point_cell(points, row, dsm__points_find(points, "status"))),
        cell->text);
  }
  if (count > MOST_SHOWN) {
    dsm__page_line(page, DSM__STYLE_FAINT, "and %s more",
                   dsm__figure_count(count - MOST_SHOWN).text);
  }
}

/* ---- the table ---- */

/* A result, and how it is shown. */
typedef struct result_column {
  const char *source;
  const char *title;
  bool is_share; /* in percent */
  double scale;  /* 0: as it is */
  int digits;
  unsigned rank;
} result_column;

/* They follow the inputs. */
static const result_column results[] = {
    {"utilization", "util %", true, 0, 0, 0},
    {"step_seconds", "step (ms)", false, 1e3, 5, 2},
    {"samples_per_second", "samples/s", false, 1, 4, 3},
    {"step_joules", "joules", false, 1, 4, 3},
    {"memory_bytes", "memory (GB)", false, 1e-9, 3, 4},
    {"decisions", "decisions", false, 0, 0, 5},
};

typedef struct view {
  dsm__table_column columns[DSM__TABLE_COLUMNS_MAX];
  size_t sources[DSM__TABLE_COLUMNS_MAX];               /* columns of the points */
  const result_column *results[DSM__TABLE_COLUMNS_MAX]; /* NULL: of an input */
  size_t count;
  size_t left_out; /* columns of inputs for which there is no place */
} view;

static void add_column(view *shown, const dsm_point_table *points, size_t source, const char *title,
                       const result_column *result, unsigned rank) {
  bool has_text = false;
  for (size_t row = 0; row < points->row_count; row++) {
    has_text = has_text || dsm__point_cell(points, row, source)->kind == DSM_CELL_TEXT;
  }
  shown->columns[shown->count] = (dsm__table_column){
      .title = title, .rank = rank, .gap = 2, .is_right = !has_text, .is_name = has_text};
  shown->sources[shown->count] = source;
  shown->results[shown->count] = result;

  shown->count++;
}

static view view_of(dsm__page *page, const dsm_point_table *points) {
  view shown = {0};
  const size_t input_count = dsm__points_input_count(points);
  const dsm_cell *const status = dsm__points_common(points, dsm__points_find(points, "status"));
  if (points->workload_count == 0) {
    add_column(&shown, points, dsm__points_find(points, "point"), "point", NULL, 0);
  }
  if (status == NULL || (status->kind == DSM_CELL_TEXT && strcmp(status->text, "ok") != 0)) {
    add_column(&shown, points, dsm__points_find(points, "status"), "status", NULL, 0);
  }
  for (size_t i = 0; i < input_count; i++) {
    const size_t column = dsm__points_input_at(points, i);
    if (dsm__points_common(points, column) != NULL) {
      continue;
    }
    if (shown.count + DSM__COUNT_OF(results) < DSM__TABLE_COLUMNS_MAX) {
      add_column(&shown, points, column,
                 dsm__page_text(page, "%s", dsm__points_short_name(points, column)), NULL, 1);
    } else {
      shown.left_out++;
    }
  }
  for (size_t i = 0; i < DSM__COUNT_OF(results); i++) {
    const size_t column = dsm__points_find(points, results[i].source);
    if (column < points->column_count) {
      add_column(&shown, points, column, results[i].title, &results[i], results[i].rank);
    }
  }
  static const result_column defined = {.scale = 1, .digits = 5};
  for (size_t d = points->defined_count; d > 0 && shown.count < DSM__TABLE_COLUMNS_MAX; d--) {
    const size_t column = points->column_count - d;
    add_column(&shown, points, column, dsm__page_text(page, "%s", points->columns[column]),
               &defined, 1);
  }
  return shown;
}

static void add_cell(dsm__table *table, const dsm_cell *cell, const result_column *result) {
  dsm__page *const page = table->page;
  if (result != NULL && result->is_share && is_share(cell)) {
    dsm__table_add(table, dsm__style_of_utilization(cell->number),
                   dsm__figure_percent(cell->number).text);
  } else if (result != NULL && result->scale > 0) {
    dsm__table_text(table, result_text(page, cell, result->scale, result->digits));
  } else {
    dsm__table_text(table, value_text(page, cell));
  }
}

void dsm__show_points(dsm__page *page, const dsm_answer *answer) {
  const dsm_point_table *const points = answer->of;
  put_heading(page, points);
  put_common(page, points);
  if (points->row_count > 0) {
    const view shown = view_of(page, points);
    dsm__page_break(page);
    dsm__table table = dsm__table_make(page, shown.columns, shown.count);
    for (size_t row = 0; row < points->row_count; row++) {
      for (size_t c = 0; c < shown.count; c++) {
        add_cell(&table, dsm__point_cell(points, row, shown.sources[c]), shown.results[c]);
      }
    }
    dsm__table_print(&table);
    if (shown.left_out > 0) {
      dsm__page_line(page, DSM__STYLE_FAINT,
                     shown.left_out == 1 ? "1 more column differs between rows."
                                         : "%zu more columns differ between rows.",
                     shown.left_out);
    }
  }
  put_reasons(page, points);
}

/* ---- a summary ---- */

/* A line whose text may quote names of files. */
static void put_labelled(dsm__page *page, const char *label, const char *text) {
  char visible[4096];
  dsm_text_make_visible(visible, sizeof visible, text);
  dsm__text_printf(&page->out, "%-12s%s\n", label, visible);
}

static void show_summary(dsm__page *page, const dsm_answer *answer) {
  const dsm_points_summary *const of = answer->of;
  dsm__show_points(page, &DSM_ANSWER(points, of->points));
  dsm__page_break(page);
  put_labelled(page, "shown", of->shown);
  dsm__text_printf(&page->out, "points      %zu", of->recorded);
  if (of->recorded < of->point_count) {
    dsm__text_printf(&page->out, " of %zu recorded", of->point_count);
  }
  const char *separator = ": ";
  for (size_t status = 0; status < DSM_POINT_STATUS_COUNT; status++) {
    if (of->counts[status] > 0) {
      dsm__text_printf(&page->out, "%s%zu %s", separator, of->counts[status],
                       dsm_point_status_name((dsm_point_status)status));
      separator = ", ";
    }
  }
  dsm__page_break(page);
  for (size_t status = 0; status < DSM_POINT_STATUS_COUNT; status++) {
    if (of->examples[status] != NULL) {
      put_labelled(page, dsm_point_status_name((dsm_point_status)status), of->examples[status]);
    }
  }
  put_labelled(page, "database", of->database);
}

const dsm_answer_kind dsm_answer_points_summary = {.views = {show_summary}};
