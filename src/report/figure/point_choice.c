/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points.h"

#include <string.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "dsm/number.h"

static dsm__place at_option(const char *option) {
  return (dsm__place){.file = option};
}

static dsm_status report_twice(const char *option, const char *column, dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option(option), NULL,
                 "expected another column, found \"%s\" again", column);
  return DSM_ERROR_USAGE;
}

/* The column of that name, or DSM_ERROR_USAGE with the nearest one. */
static dsm_status find_column(const dsm_point_table *points, const char *option, const char *name,
                              size_t *column, dsm_diags *diags) {
  *column = dsm__points_find(points, name);
  if (*column < points->column_count) {
    return DSM_OK;
  }
  char hint[256];
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option(option),
                 dsm__nearest_hint(name, points->columns, points->column_count, hint, sizeof hint),
                 "expected a column of the points, found \"%s\"", name);
  return DSM_ERROR_USAGE;
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

static dsm_status mark_values(const dsm__point_axis *axis, char *list, const char *column,
                              bool *is_wanted, dsm_diags *diags) {
  if (mark_value(axis, list, is_wanted)) {
    return DSM_OK; /* also of a value with commas in it */
  }
  for (char *at = dsm__list_next(&list); at != NULL; at = dsm__list_next(&list)) {
    if (!mark_value(axis, at, is_wanted)) {
      char hint[256];
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option("--where"),
                     dsm__nearest_hint(at, axis->texts, axis->value_count, hint, sizeof hint),
                     "expected a value that \"%s\" has, found \"%s\"", column, at);
      return DSM_ERROR_USAGE;
    }
  }
  return DSM_OK;
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
static dsm_status leave_out(const dsm__point_choice *choice, const dsm__point_axis *axis,
                            const bool *is_wanted, const char *where, bool *is_kept,
                            dsm_diags *diags) {
  size_t count = 0;
  for (size_t row = 0; row < choice->points.row_count; row++) {
    is_kept[row] = is_kept[row] && is_wanted[axis->of_row[row]];
    count += is_kept[row] ? 1 : 0;
  }
  if (count > 0) {
    return DSM_OK;
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option("--where"),
                 "several values of a column are separated by commas",
                 "no point is left: \"%s\" and the conditions before it exclude each other", where);
  return DSM_ERROR_USAGE;
}

/* Of all rows, leaves those that the condition wants. */
static dsm_status apply_where(dsm__point_choice *choice, const char *where, bool *is_kept,
                              dsm_diags *diags) {
  const char *const sign = strchr(where, '=');
  if (sign == NULL || sign == where) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option("--where"), NULL,
                   "expected COLUMN=VALUE[,VALUE...], found \"%s\"", where);
    return DSM_ERROR_USAGE;
  }
  const char *const name = dsm__arena_strndup(choice->arena, where, (size_t)(sign - where));
  char *const list = dsm__arena_strdup(choice->arena, sign + 1);
  if (name == NULL || list == NULL) {
    return dsm__out_of_memory(diags);
  }
  size_t column = 0;
  dsm_status status = find_column(&choice->points, "--where", name, &column, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__point_axis axis;
  bool *const is_wanted =
      dsm__arena_array(choice->arena, choice->points.row_count, sizeof *is_wanted);
  if (is_wanted == NULL || !dsm__point_axis_make(&axis, choice->arena, &choice->points, column)) {
    return dsm__out_of_memory(diags);
  }
  status = mark_values(&axis, list, name, is_wanted, diags);
  return status == DSM_OK ? leave_out(choice, &axis, is_wanted, where, is_kept, diags) : status;
}

/* The rows that all conditions of the view want. */
static dsm_status apply_wheres(dsm__point_choice *choice, dsm_diags *diags) {
  const size_t row_count = choice->points.row_count;
  bool *const is_kept = dsm__arena_array(choice->arena, row_count, sizeof *is_kept);
  if (is_kept == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t row = 0; row < row_count; row++) {
    is_kept[row] = true;
  }
  dsm_status status = DSM_OK;
  for (size_t w = 0; w < choice->view->where_count && status == DSM_OK; w++) {
    status = apply_where(choice, choice->view->wheres[w], is_kept, diags);
  }
  return status != DSM_OK || dsm__points_keep(&choice->points, choice->arena, is_kept)
             ? status
             : dsm__out_of_memory(diags);
}

/* Over a result, points that have none have no place. If no point has one, that is said later. */
static dsm_status drop_unplaced(dsm__point_choice *choice, dsm_diags *diags) {
  const dsm_point_table *const points = &choice->points;
  const size_t column =
      choice->view->x == NULL ? points->column_count : dsm__points_find(points, choice->view->x);
  if (column == points->column_count || column < dsm__points_find(points, "mode")) {
    return DSM_OK;
  }
  bool *const is_kept = dsm__arena_array(choice->arena, points->row_count, sizeof *is_kept);
  if (is_kept == NULL) {
    return dsm__out_of_memory(diags);
  }
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    is_kept[row] = dsm__points_cell(points, row, column)->kind != DSM_CELL_NONE;
    count += is_kept[row] ? 1 : 0;
  }
  return count == 0 || dsm__points_keep(&choice->points, choice->arena, is_kept)
             ? DSM_OK
             : dsm__out_of_memory(diags);
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

dsm_status dsm__point_choice_begin(dsm__point_choice *choice, dsm__arena *arena,
                                   const dsm_point_table *points, const dsm_points_view *view,
                                   dsm_diags *diags) {
  *choice = (dsm__point_choice){
      .arena = arena, .view = view, .points = *points, .recorded_count = points->row_count};
  dsm_status status = view->where_count == 0 ? DSM_OK : apply_wheres(choice, diags);
  if (status == DSM_OK) {
    status = drop_unplaced(choice, diags);
  }
  if (status == DSM_OK && !find_axes(choice)) {
    status = dsm__out_of_memory(diags);
  }
  return status;
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

dsm_status dsm__point_choice_axis(dsm__point_choice *choice, const char *option, const char *name,
                                  const dsm__point_axis **axis, dsm_diags *diags) {
  size_t column = 0;
  const dsm_status status = find_column(&choice->points, option, name, &column, diags);
  if (status != DSM_OK) {
    return status;
  }
  *axis = axis_of(choice, column);
  return *axis == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

const dsm__point_axis *dsm__point_choice_widest(dsm__point_choice *choice,
                                                const dsm__point_axis *other, dsm_status *status,
                                                dsm_diags *diags) {
  const dsm__point_axis *best = NULL;
  *status = DSM_OK;
  for (size_t a = 0; a < choice->axis_count; a++) {
    const dsm__point_axis *const each = &choice->axes[a];
    const bool is_free = other == NULL || each->column != other->column;
    if (is_free &&
        (best == NULL || (each->is_number && !best->is_number) ||
         (each->is_number == best->is_number && each->value_count > best->value_count))) {
      best = each;
    }
  }
  if (best != NULL || choice->points.row_count == 0) {
    return best;
  }
  /* Nothing else varies: the last axis with a number, else the first. */
  const dsm__point_span span = dsm__points_axes(&choice->points);
  size_t found = span.end;
  for (size_t c = span.end; c-- > span.first;) {
    const bool has_number =
        found < span.end && dsm__points_cell(&choice->points, 0, found)->kind == DSM_CELL_NUMBER;
    if (!has_number && (other == NULL || c != other->column)) {
      found = c;
    }
  }
  if (found < span.end) {
    best = axis_of(choice, found);
    *status = best == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  }
  return best;
}

/* ---- results ---- */

/* Why there is nothing to draw: what is said of the first row without a result. */
dsm_status dsm__point_choice_nothing(const dsm__point_choice *choice, const char *name,
                                     dsm_diags *diags) {
  const dsm_point_table *const points = &choice->points;
  if (points->row_count == 0) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL,
                   "there is nothing to draw: of %zu points of %s none is %s", points->point_count,
                   points->name, choice->view->where_count > 0 ? "left" : "recorded yet");
    return DSM_ERROR_INFEASIBLE;
  }
  const dsm_cell *const reason = dsm__points_cell(points, 0, dsm__points_find(points, "reason"));
  const dsm_cell *const status = dsm__points_cell(points, 0, dsm__points_find(points, "status"));
  if (reason->kind != DSM_CELL_TEXT || status->kind != DSM_CELL_TEXT) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL,
                   "there is nothing to draw: no point has a number for \"%s\"", name);
    return DSM_ERROR_INFEASIBLE;
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL,
                 "there is nothing to draw: no point has a number for \"%s\"; the first of them is "
                 "%s: %s",
                 name, status->text, reason->text);
  return DSM_ERROR_INFEASIBLE;
}

/* Points that somebody made: those of a store have the axes workload and system. */
static dsm_status no_axes(dsm_diags *diags) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, NULL,
                 "there is nothing to draw: the points have no axes");
  return DSM_ERROR_INFEASIBLE;
}

dsm_status dsm__point_choice_result(dsm__point_choice *choice, const char *option, const char *name,
                                    dsm_diags *diags) {
  static const char *const defaults[] = {"samples_per_second", "utilization", "step_seconds"};
  const dsm_point_table *const points = &choice->points;
  const char *wanted = name == NULL ? defaults[0] : name;
  for (size_t d = 0; name == NULL && d < DSM__COUNT_OF(defaults); d++) {
    if (dsm__points_find(points, defaults[d]) < points->column_count) {
      wanted = defaults[d];
      break;
    }
  }
  const dsm_status status = find_column(points, option, wanted, &choice->result, diags);
  bool has_text = false;
  for (size_t row = 0; status == DSM_OK && row < points->row_count; row++) {
    const dsm_cell *const cell = dsm__points_cell(points, row, choice->result);
    if (cell->kind == DSM_CELL_NUMBER) {
      return DSM_OK;
    }
    has_text = has_text || cell->kind == DSM_CELL_TEXT;
  }
  if (status == DSM_OK && has_text) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option(option), NULL,
                   "expected a column of numbers, found \"%s\", which holds words", wanted);
    return DSM_ERROR_USAGE;
  }
  return status == DSM_OK ? dsm__point_choice_nothing(choice, wanted, diags) : status;
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
  return list->items != NULL;
}

dsm_status dsm__point_choice_rest(dsm__point_choice *choice, const dsm__point_axis *const *taken,
                                  size_t count, dsm__axis_list *rest, dsm_diags *diags) {
  if (!list_init(choice, rest)) {
    return dsm__out_of_memory(diags);
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
  return DSM_OK;
}

/* The axes that the view's list names. */
static dsm_status read_series(dsm__point_choice *choice, dsm_diags *diags) {
  char *list = dsm__arena_strdup(choice->arena, choice->view->series);
  dsm_status status = list == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  for (char *at; status == DSM_OK && (at = dsm__list_next(&list)) != NULL;) {
    const dsm__point_axis *axis = NULL;
    status = dsm__point_choice_axis(choice, "--series", at, &axis, diags);
    if (status == DSM_OK && choice->series.count == DSM_PLOT_LIST_MAX) {
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, at_option("--series"), NULL,
                     "expected at most %d columns", DSM_PLOT_LIST_MAX);
      status = DSM_ERROR_USAGE;
    }
    if (status == DSM_OK && has_column(&choice->series, axis->column)) {
      status = report_twice("--series", at, diags);
    }
    if (status == DSM_OK) {
      choice->series.items[choice->series.count++] = axis;
    }
  }
  return status;
}

/* How many lines a panel has at most: different values of the series' axes. */
static dsm_status count_groups(dsm__point_choice *choice, const dsm__axis_list *list, size_t *count,
                               dsm_diags *diags) {
  dsm__point_groups groups;
  if (!dsm__point_groups_make(&groups, choice->arena, list->items, list->count,
                              choice->points.row_count)) {
    return dsm__out_of_memory(diags);
  }
  *count = groups.count;
  return DSM_OK;
}

/* Does an axis vary together with another one of the list? Such axes stay together. */
static dsm_status ask_tied(dsm__point_choice *choice, const dsm__axis_list *list, size_t index,
                           bool *is_tied, dsm_diags *diags) {
  *is_tied = false;
  for (size_t i = 0; i < list->count && !*is_tied; i++) {
    if (i != index && !dsm__point_axes_tied(is_tied, list->items[i], list->items[index],
                                            choice->points.row_count, choice->arena)) {
      return dsm__out_of_memory(diags);
    }
  }
  return DSM_OK;
}

/* Takes axes from the series to the panels, the first first, until the lines of a panel are few. */
static dsm_status share_out(dsm__point_choice *choice, dsm_diags *diags) {
  dsm__axis_list *const series = &choice->series;
  size_t lines = 0;
  dsm_status status = count_groups(choice, series, &lines, diags);
  for (size_t i = 0; status == DSM_OK && lines > DSM__SERIES_AT_EASE && i < series->count;) {
    if (series->count == 1 && lines <= DSM__SERIES_MAX) {
      break; /* many lines are better than many panels with one each */
    }
    bool is_tied = false;
    status = ask_tied(choice, series, i, &is_tied, diags);
    if (status != DSM_OK || is_tied) {
      i++;
      continue;
    }
    choice->panels.items[choice->panels.count++] = series->items[i];
    series->count--;
    for (size_t next = i; next < series->count; next++) {
      series->items[next] = series->items[next + 1];
    }
    status = count_groups(choice, series, &lines, diags);
  }
  return status;
}

dsm_status dsm__points_check_count(size_t found, size_t most, const char *what, dsm_diags *diags) {
  if (found <= most) {
    return DSM_OK;
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                 "choose points with --where COLUMN=VALUE, or other columns",
                 "expected at most %zu %s, found %zu", most, what, found);
  return DSM_ERROR_USAGE;
}

static dsm_status check_counts(dsm__point_choice *choice, dsm_diags *diags) {
  size_t lines = 0;
  size_t panels = 0;
  dsm_status status = count_groups(choice, &choice->series, &lines, diags);
  if (status == DSM_OK) {
    status = count_groups(choice, &choice->panels, &panels, diags);
  }
  if (status == DSM_OK) {
    status = dsm__points_check_count(lines, DSM__SERIES_MAX, "series", diags);
  }
  return status == DSM_OK ? dsm__points_check_count(panels, DSM__PANELS_MAX, "panels", diags)
                          : status;
}

/* The horizontal axis that the view names, or the default one. */
static dsm_status choose_x(dsm__point_choice *choice, dsm_diags *diags) {
  if (choice->view->x != NULL) {
    return dsm__point_choice_axis(choice, "--x", choice->view->x, &choice->x, diags);
  }
  dsm_status status = DSM_OK;
  choice->x = dsm__point_choice_widest(choice, NULL, &status, diags);
  if (status == DSM_OK && choice->x == NULL) {
    status = no_axes(diags);
  }
  return status;
}

dsm_status dsm__point_choice_lines(dsm__point_choice *choice, dsm_diags *diags) {
  dsm_status status = choose_x(choice, diags);
  if (status != DSM_OK) {
    return status;
  }
  /* Over a result a line runs along the axis that would be x. */
  const dsm__point_span span = dsm__points_axes(&choice->points);
  const bool is_axis = choice->x->column >= span.first && choice->x->column < span.end;
  const dsm__point_axis *const along =
      is_axis ? choice->x : dsm__point_choice_widest(choice, NULL, &status, diags);
  const dsm__point_axis *taken[DSM_PLOT_LIST_MAX + 1] = {choice->x};
  size_t taken_count = 1;
  if (along != NULL) {
    taken[0] = along;
  }
  if (status == DSM_OK &&
      (!list_init(choice, &choice->series) || !list_init(choice, &choice->panels))) {
    status = dsm__out_of_memory(diags);
  }
  if (status == DSM_OK && choice->view->series != NULL) {
    status = read_series(choice, diags);
    for (size_t i = 0; i < choice->series.count; i++) {
      taken[taken_count++] = choice->series.items[i];
    }
    if (status == DSM_OK) {
      status = dsm__point_choice_rest(choice, taken, taken_count, &choice->panels, diags);
    }
  } else if (status == DSM_OK) {
    status = dsm__point_choice_rest(choice, taken, taken_count, &choice->series, diags);
    if (status == DSM_OK) {
      status = share_out(choice, diags);
    }
  }
  return status == DSM_OK ? check_counts(choice, diags) : status;
}

dsm_status dsm__point_choice_cells(dsm__point_choice *choice, dsm_diags *diags) {
  const dsm_points_view *const view = choice->view;
  dsm_status status = DSM_OK;
  if (view->y != NULL) {
    status = dsm__point_choice_axis(choice, "--y", view->y, &choice->y, diags);
  }
  if (status == DSM_OK && view->x != NULL) {
    status = dsm__point_choice_axis(choice, "--x", view->x, &choice->x, diags);
  } else if (status == DSM_OK) {
    choice->x = dsm__point_choice_widest(choice, choice->y, &status, diags);
  }
  if (status == DSM_OK && choice->y == NULL && choice->x != NULL) {
    choice->y = dsm__point_choice_widest(choice, choice->x, &status, diags);
  }
  if (status == DSM_OK && (choice->x == NULL || choice->y == NULL)) {
    status = no_axes(diags);
  }
  if (status == DSM_OK && choice->x->column == choice->y->column) {
    status = report_twice("--x", choice->points.columns[choice->x->column], diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  const dsm__point_axis *const taken[] = {choice->x, choice->y};
  status = dsm__point_choice_rest(choice, taken, DSM__COUNT_OF(taken), &choice->panels, diags);
  if (status == DSM_OK) {
    status = list_init(choice, &choice->series) ? check_counts(choice, diags)
                                                : dsm__out_of_memory(diags);
  }
  return status;
}
