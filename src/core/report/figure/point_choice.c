/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points.h"

#include <stdarg.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "dsm/number.h"

/* ---- what goes wrong ---- */

bool dsm__point_choice_refuse(dsm__point_choice *choice, const char *option, const char *hint,
                              const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(choice->diags, DSM_SEVERITY_ERROR, (dsm__place){.file = option}, hint, format,
                  args);
  va_end(args);
  choice->status = DSM_ERROR_USAGE;
  return false;
}

bool dsm__point_choice_has(dsm__point_choice *choice, bool is_enough) {
  if (!is_enough) {
    choice->status = dsm__out_of_memory(choice->diags);
  }
  return is_enough;
}

static bool refuse_twice(dsm__point_choice *choice, const char *option, const char *column) {
  return dsm__point_choice_refuse(choice, option, NULL,
                                  "expected another column, found \"%s\" again", column);
}

/* The column of that name; false, with the nearest one, if there is none. */
static bool find_column(dsm__point_choice *choice, const char *option, const char *name,
                        size_t *column) {
  const dsm_point_table *const points = &choice->points;
  char hint[256];
  *column = dsm__points_find(points, name);
  return *column < points->column_count ||
         dsm__point_choice_refuse(
             choice, option,
             dsm__nearest_hint(name, points->columns, points->column_count, hint, sizeof hint),
             "expected a column of the points, found \"%s\"", name);
}

/* ---- which rows ---- */

char *dsm__list_next(char **rest) {
  char *const word = *rest;
  char *const comma = word == NULL ? NULL : strchr(word, ',');
  if (comma != NULL) {
    *comma = '\0';
  }
  *rest = comma == NULL ? NULL : comma + 1;
  return word;
}

/* Marks the values of an axis that are `text`: the same word, or the same number. */
static bool mark_value(const dsm__point_axis *axis, const char *text, bool *is_wanted) {
  double number = 0;
  const bool is_number = dsm_number_parse(text, -1e308, 1e308, &number);
  bool is_found = false;
  for (size_t v = 0; v < axis->value_count; v++) {
    const dsm_cell *const value = &axis->values[v];
    if (strcmp(axis->texts[v], text) == 0 ||
        (is_number && value->kind == DSM_CELL_NUMBER && value->number == number)) {
      is_wanted[v] = true;
      is_found = true;
    }
  }
  return is_found;
}

static bool mark_values(dsm__point_choice *choice, const dsm__point_axis *axis, char *list,
                        const char *column, bool *is_wanted) {
  if (mark_value(axis, list, is_wanted)) {
    return true; /* also of a value with commas in it */
  }
  for (char *at = dsm__list_next(&list); at != NULL; at = dsm__list_next(&list)) {
    if (!mark_value(axis, at, is_wanted)) {
      char hint[256];
      return dsm__point_choice_refuse(
          choice, "--where",
          dsm__nearest_hint(at, axis->texts, axis->value_count, hint, sizeof hint),
          "expected a value that \"%s\" has, found \"%s\"", column, at);
    }
  }
  return true;
}

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

/* Keeps only rows whose value of an axis is wanted; if that is none, the conditions exclude each
 * other: each value is one that some row has. */
static bool leave_out(dsm__point_choice *choice, const dsm__point_axis *axis, const bool *is_wanted,
                      const char *where, bool *is_kept) {
  size_t count = 0;
  for (size_t row = 0; row < choice->points.row_count; row++) {
    is_kept[row] = is_kept[row] && is_wanted[axis->of_row[row]];
    count += is_kept[row] ? 1 : 0;
  }
  return count > 0 ||
         dsm__point_choice_refuse(
             choice, "--where", "several values of a column are separated by commas",
             "no point is left: \"%s\" and the conditions before it exclude each other", where);
}

/* Of all rows, leaves those that the condition wants. */
static bool apply_where(dsm__point_choice *choice, const char *where, bool *is_kept) {
  const char *const sign = strchr(where, '=');
  if (sign == NULL || sign == where) {
    return dsm__point_choice_refuse(choice, "--where", NULL,
                                    "expected COLUMN=VALUE[,VALUE...], found \"%s\"", where);
  }
  const char *const name = dsm__arena_strndup(choice->arena, where, (size_t)(sign - where));
  char *const list = dsm__arena_strdup(choice->arena, sign + 1);
  size_t column = 0;
  if (!dsm__point_choice_has(choice, name != NULL && list != NULL) ||
      !find_column(choice, "--where", name, &column)) {
    return false;
  }
  dsm__point_axis axis;
  bool *const is_wanted =
      dsm__arena_array(choice->arena, choice->points.row_count, sizeof *is_wanted);
  const bool is_made =
      is_wanted != NULL && dsm__point_axis_make(&axis, choice->arena, &choice->points, column);
  return dsm__point_choice_has(choice, is_made) &&
         mark_values(choice, &axis, list, name, is_wanted) &&
         leave_out(choice, &axis, is_wanted, where, is_kept);
}

/* The rows that all conditions of the view want. */
static bool apply_wheres(dsm__point_choice *choice) {
  const dsm_points_view *const view = choice->view;
  const size_t row_count = choice->points.row_count;
  bool *const is_kept = dsm__arena_array(choice->arena, row_count, sizeof *is_kept);
  if (!dsm__point_choice_has(choice, is_kept != NULL)) {
    return false;
  }
  for (size_t row = 0; row < row_count; row++) {
    is_kept[row] = true;
  }
  for (size_t w = 0; w < view->where_count; w++) {
    if (!apply_where(choice, view->wheres[w], is_kept)) {
      return false;
    }
  }
  return dsm__point_choice_has(choice, dsm__points_keep(&choice->points, choice->arena, is_kept));
}

/* Over a result, points that have none have no place. If no point has one, that is said later. */
static bool drop_unplaced(dsm__point_choice *choice) {
  const dsm_point_table *const points = &choice->points;
  const size_t column =
      choice->view->x == NULL ? points->column_count : dsm__points_find(points, choice->view->x);
  if (column == points->column_count || column < dsm__points_find(points, "mode")) {
    return true;
  }
  bool *const is_kept = dsm__arena_array(choice->arena, points->row_count, sizeof *is_kept);
  if (!dsm__point_choice_has(choice, is_kept != NULL)) {
    return false;
  }
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    is_kept[row] = dsm__point_cell(points, row, column)->kind != DSM_CELL_NONE;
    count += is_kept[row] ? 1 : 0;
  }
  return count == 0 ||
         dsm__point_choice_has(choice, dsm__points_keep(&choice->points, choice->arena, is_kept));
}

/* ---- axes ---- */

static bool find_axes(dsm__point_choice *choice) {
  const dsm__point_span span = dsm__points_axes(&choice->points);
  choice->axes = dsm__arena_array(choice->arena, span.end - span.first, sizeof *choice->axes);
  if (choice->axes == NULL) {
    return false;
  }
  for (size_t c = span.first; c < span.end; c++) {
    dsm__point_axis axis;
    if (!dsm__point_axis_make(&axis, choice->arena, &choice->points, c)) {
      return false;
    }
    if (axis.value_count > 1) {
      choice->axes[choice->axis_count++] = axis;
    }
  }
  return true;
}

bool dsm__point_choice_begin(dsm__point_choice *choice, dsm__arena *arena,
                             const dsm_point_table *points, const dsm_points_view *view,
                             dsm_diags *diags) {
  *choice = (dsm__point_choice){.arena = arena,
                                .view = view,
                                .points = *points,
                                .recorded_count = points->row_count,
                                .diags = diags};
  return (view->where_count == 0 || apply_wheres(choice)) && drop_unplaced(choice) &&
         dsm__point_choice_has(choice, find_axes(choice));
}

/* A column as an axis. */
static const dsm__point_axis *axis_of(dsm__point_choice *choice, size_t column) {
  for (size_t a = 0; a < choice->axis_count; a++) {
    if (choice->axes[a].column == column) {
      return &choice->axes[a];
    }
  }
  dsm__point_axis *const made = dsm__arena_alloc(choice->arena, sizeof *made);
  return made != NULL && dsm__point_axis_make(made, choice->arena, &choice->points, column) ? made
                                                                                            : NULL;
}

bool dsm__point_choice_axis(dsm__point_choice *choice, const char *option, const char *name,
                            const dsm__point_axis **axis) {
  size_t column = 0;
  if (!find_column(choice, option, name, &column)) {
    return false;
  }
  *axis = axis_of(choice, column);
  return dsm__point_choice_has(choice, *axis != NULL);
}

bool dsm__point_choice_widest(dsm__point_choice *choice, const dsm__point_axis *other,
                              const dsm__point_axis **axis) {
  const dsm__point_axis *best = NULL;
  for (size_t a = 0; a < choice->axis_count; a++) {
    const dsm__point_axis *const each = &choice->axes[a];
    if (other == NULL || each->column != other->column) {
      best = dsm__point_axis_wider(best, each);
    }
  }
  *axis = best;
  if (best != NULL || choice->points.row_count == 0) {
    return true;
  }
  /* Nothing else varies: the last axis with a number, else the first. */
  const dsm__point_span span = dsm__points_axes(&choice->points);
  size_t found = span.end;
  for (size_t c = span.end; c-- > span.first;) {
    const bool has_number =
        found < span.end && dsm__point_cell(&choice->points, 0, found)->kind == DSM_CELL_NUMBER;
    if (!has_number && (other == NULL || c != other->column)) {
      found = c;
    }
  }
  if (found == span.end) {
    return true;
  }
  *axis = axis_of(choice, found);
  return dsm__point_choice_has(choice, *axis != NULL);
}

/* ---- results ---- */

/* Ends the choice because there is nothing to draw. */
#define NOTHING(choice, ...)                                                                       \
  ((choice)->status = dsm__refuse((choice)->diags, DSM_ERROR_INFEASIBLE,                           \
                                  "there is nothing to draw: " __VA_ARGS__),                       \
   false)

/* Says why: what is said of the first row without a result. */
bool dsm__point_choice_nothing(dsm__point_choice *choice, const char *name) {
  const dsm_point_table *const points = &choice->points;
  if (points->row_count == 0) {
    return NOTHING(choice, "of %zu points of %s none is %s", points->point_count, points->name,
                   choice->view->where_count > 0 ? "left" : "recorded yet");
  }
  const dsm_cell *const reason = dsm__point_cell(points, 0, dsm__points_find(points, "reason"));
  const dsm_cell *const status = dsm__point_cell(points, 0, dsm__points_find(points, "status"));
  if (reason->kind != DSM_CELL_TEXT || status->kind != DSM_CELL_TEXT) {
    return NOTHING(choice, "no point has a number for \"%s\"", name);
  }
  return NOTHING(choice, "no point has a number for \"%s\"; the first of them is %s: %s", name,
                 status->text, reason->text);
}

/* Points that somebody made: those of a store have the axes workload and system. */
static bool has_axes(dsm__point_choice *choice, const dsm__point_axis *axis) {
  return axis != NULL || NOTHING(choice, "the points have no axes");
}

bool dsm__point_choice_result(dsm__point_choice *choice, const char *option, const char *name) {
  static const char *const defaults[] = {"samples_per_second", "utilization", "step_seconds"};
  const dsm_point_table *const points = &choice->points;
  const char *wanted = name == NULL ? defaults[0] : name;
  for (size_t d = 0; name == NULL && d < DSM__COUNT_OF(defaults); d++) {
    if (dsm__points_find(points, defaults[d]) < points->column_count) {
      wanted = defaults[d];
      break;
    }
  }
  if (!find_column(choice, option, wanted, &choice->result)) {
    return false;
  }
  bool has_text = false;
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(points, row, choice->result);
    if (cell->kind == DSM_CELL_NUMBER) {
      return true;
    }
    has_text = has_text || cell->kind == DSM_CELL_TEXT;
  }
  return has_text ? dsm__point_choice_refuse(
                        choice, option, NULL,
                        "expected a column of numbers, found \"%s\", which holds words", wanted)
                  : dsm__point_choice_nothing(choice, wanted);
}

/* ---- series and panels ---- */

static bool has_column(const dsm__axis_list *list, size_t column) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i]->column == column) {
      return true;
    }
  }
  return false;
}

static bool list_init(dsm__point_choice *choice, dsm__axis_list *list) {
  *list = (dsm__axis_list){.items = dsm__arena_array(choice->arena,
                                                     choice->axis_count + DSM_PLOT_LIST_MAX,
                                                     sizeof(const dsm__point_axis *))};
  return dsm__point_choice_has(choice, list->items != NULL);
}

bool dsm__point_choice_rest(dsm__point_choice *choice, const dsm__point_axis *const *taken,
                            size_t count, dsm__axis_list *rest) {
  if (!list_init(choice, rest)) {
    return false;
  }
  for (size_t a = 0; a < choice->axis_count; a++) {
    bool is_taken = false;
    for (size_t t = 0; t < count; t++) {
      is_taken = is_taken || choice->axes[a].column == taken[t]->column;
    }
    if (!is_taken) {
      rest->items[rest->count++] = &choice->axes[a];
    }
  }
  return true;
}

/* The axes that the view's list names. */
static bool read_series(dsm__point_choice *choice) {
  dsm__axis_list *const series = &choice->series;
  char *list = dsm__arena_strdup(choice->arena, choice->view->series);
  if (!dsm__point_choice_has(choice, list != NULL)) {
    return false;
  }
  for (char *at; (at = dsm__list_next(&list)) != NULL;) {
    const dsm__point_axis *axis = NULL;
    if (!dsm__point_choice_axis(choice, "--series", at, &axis)) {
      return false;
    }
    if (series->count == DSM_PLOT_LIST_MAX) {
      return dsm__point_choice_refuse(choice, "--series", NULL, "expected at most %d columns",
                                      DSM_PLOT_LIST_MAX);
    }
    if (has_column(series, axis->column)) {
      return refuse_twice(choice, "--series", at);
    }
    series->items[series->count++] = axis;
  }
  return true;
}

/* How many lines a panel has at most: different values of the series' axes. */
static bool count_groups(dsm__point_choice *choice, const dsm__axis_list *list, size_t *count) {
  dsm__point_groups groups;
  const bool is_made = dsm__point_groups_make(&groups, choice->arena, list->items, list->count,
                                              choice->points.row_count);
  *count = is_made ? groups.count : 0;
  return dsm__point_choice_has(choice, is_made);
}

/* Does an axis vary together with another one of the list? Such axes stay together. */
static bool ask_tied(dsm__point_choice *choice, const dsm__axis_list *list, size_t index,
                     bool *is_tied) {
  *is_tied = false;
  for (size_t i = 0; i < list->count && !*is_tied; i++) {
    if (i != index && !dsm__point_axes_tied(is_tied, list->items[i], list->items[index],
                                            choice->points.row_count, choice->arena)) {
      return dsm__point_choice_has(choice, false);
    }
  }
  return true;
}

/* Takes axes from the series to the panels, the first first, until the lines of a panel are few. */
static bool share_out(dsm__point_choice *choice) {
  dsm__axis_list *const series = &choice->series;
  size_t lines = 0;
  bool is_good = count_groups(choice, series, &lines);
  for (size_t i = 0; is_good && lines > DSM__SERIES_AT_EASE && i < series->count;) {
    if (series->count == 1 && lines <= DSM__SERIES_MAX) {
      break; /* many lines are better than many panels with one each */
    }
    bool is_tied = false;
    is_good = ask_tied(choice, series, i, &is_tied);
    if (!is_good || is_tied) {
      i++;
      continue;
    }
    choice->panels.items[choice->panels.count++] = series->items[i];
    series->count--;
    for (size_t next = i; next < series->count; next++) {
      series->items[next] = series->items[next + 1];
    }
    is_good = count_groups(choice, series, &lines);
  }
  return is_good;
}

bool dsm__point_choice_count(dsm__point_choice *choice, size_t found, size_t most,
                             const char *what) {
  return found <= most ||
         dsm__point_choice_refuse(choice, NULL,
                                  "choose points with --where COLUMN=VALUE, or other columns",
                                  "expected at most %zu %s, found %zu", most, what, found);
}

bool dsm__point_choice_panels(dsm__point_choice *choice, size_t found, const char *what) {
  choice->is_crowded = choice->may_be_means && found > DSM__PANELS_MAX &&
                       has_column(&choice->panels, dsm__points_find(&choice->points, "workload"));
  return !choice->is_crowded && dsm__point_choice_count(choice, found, DSM__PANELS_MAX, what);
}

static bool check_counts(dsm__point_choice *choice) {
  size_t lines = 0;
  size_t panels = 0;
  return count_groups(choice, &choice->series, &lines) &&
         count_groups(choice, &choice->panels, &panels) &&
         dsm__point_choice_count(choice, lines, DSM__SERIES_MAX, "series") &&
         dsm__point_choice_panels(choice, panels, "panels");
}

/* The axis that an option names, or the widest but `other`. */
static bool choose_axis(dsm__point_choice *choice, const char *option, const char *name,
                        const dsm__point_axis *other, const dsm__point_axis **axis) {
  return name != NULL ? dsm__point_choice_axis(choice, option, name, axis)
                      : dsm__point_choice_widest(choice, other, axis);
}

bool dsm__point_choice_lines(dsm__point_choice *choice) {
  if (!choose_axis(choice, "--x", choice->view->x, NULL, &choice->x) ||
      !has_axes(choice, choice->x)) {
    return false;
  }
  /* Over a result a line runs along the axis that would be x. */
  const dsm__point_span span = dsm__points_axes(&choice->points);
  const bool is_axis = choice->x->column >= span.first && choice->x->column < span.end;
  const dsm__point_axis *along = choice->x;
  if ((!is_axis && !dsm__point_choice_widest(choice, NULL, &along)) ||
      !list_init(choice, &choice->series) || !list_init(choice, &choice->panels)) {
    return false;
  }
  const dsm__point_axis *taken[DSM_PLOT_LIST_MAX + 1] = {along == NULL ? choice->x : along};
  size_t taken_count = 1;
  if (choice->view->series == NULL) {
    return dsm__point_choice_rest(choice, taken, taken_count, &choice->series) &&
           share_out(choice) && check_counts(choice);
  }
  if (!read_series(choice)) {
    return false;
  }
  for (size_t i = 0; i < choice->series.count; i++) {
    taken[taken_count++] = choice->series.items[i];
  }
  return dsm__point_choice_rest(choice, taken, taken_count, &choice->panels) &&
         check_counts(choice);
}

bool dsm__point_choice_cells(dsm__point_choice *choice) {
  const dsm_points_view *const view = choice->view;
  if ((view->y != NULL && !choose_axis(choice, "--y", view->y, NULL, &choice->y)) ||
      !choose_axis(choice, "--x", view->x, choice->y, &choice->x) || !has_axes(choice, choice->x) ||
      (view->y == NULL && !choose_axis(choice, "--y", NULL, choice->x, &choice->y)) ||
      !has_axes(choice, choice->y)) {
    return false;
  }
  if (choice->x->column == choice->y->column) {
    return refuse_twice(choice, "--x", choice->points.columns[choice->x->column]);
  }
  const dsm__point_axis *const taken[] = {choice->x, choice->y};
  return dsm__point_choice_rest(choice, taken, DSM__COUNT_OF(taken), &choice->panels) &&
         list_init(choice, &choice->series) && check_counts(choice);
}
