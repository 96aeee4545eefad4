/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/text_buffer.h"
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

bool dsm__point_choice_other(dsm__point_choice *choice, const char *option, const char *name,
                             bool is_taken) {
  return !is_taken || dsm__point_choice_refuse(choice, option, NULL,
                                               "expected another column, found \"%s\" again", name);
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

/* Geometric means over the networks in place of the points. */
static bool make_means(dsm__point_choice *choice) {
  choice->points.arena = choice->arena;
  if (!dsm__point_choice_has(choice, dsm_point_table_means(&choice->points, NULL) == DSM_OK)) {
    return false;
  }
  choice->recorded_count = choice->points.row_count;
  return choice->points.workload_count > 0 ||
         dsm__point_choice_refuse(choice, "--means", NULL,
                                  "expected points of several networks and several systems, all of "
                                  "whose networks have results on one of them");
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

/* ---- axes ---- */

static bool list_init(dsm__point_choice *choice, dsm__axis_list *list, size_t room) {
  *list = (dsm__axis_list){
      .items = dsm__arena_array(choice->arena, room, sizeof(const dsm__point_axis *))};
  return dsm__point_choice_has(choice, list->items != NULL);
}

static bool has_column(const dsm__axis_list *list, size_t column) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i]->column == column) {
      return true;
    }
  }
  return false;
}

/* A column as an axis; NULL if out of memory. */
static const dsm__point_axis *axis_of(dsm__point_choice *choice, size_t column) {
  for (size_t a = 0; a < choice->axes.count; a++) {
    if (choice->axes.items[a]->column == column) {
      return choice->axes.items[a];
    }
  }
  dsm__point_axis *const made = dsm__arena_alloc(choice->arena, sizeof *made);
  return made != NULL && dsm__point_axis_make(made, choice->arena, &choice->points, column) ? made
                                                                                            : NULL;
}

static bool find_axes(dsm__point_choice *choice) {
  const dsm__point_span span = dsm__points_axes(&choice->points);
  if (!list_init(choice, &choice->axes, span.end - span.first)) {
    return false;
  }
  for (size_t c = span.first; c < span.end; c++) {
    const dsm__point_axis *const axis = axis_of(choice, c);
    if (!dsm__point_choice_has(choice, axis != NULL)) {
      return false;
    }
    if (axis->value_count > 1) {
      choice->axes.items[choice->axes.count++] = axis;
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
  choice->status = dsm__points_where(&choice->points, choice->arena, view->wheres,
                                     view->where_count, choice->diags);
  return choice->status == DSM_OK && (!view->are_means || make_means(choice)) &&
         drop_unplaced(choice) && find_axes(choice) &&
         list_init(choice, &choice->series, choice->axes.count + DSM_PLOT_LIST_MAX) &&
         list_init(choice, &choice->panels, choice->axes.count + DSM_PLOT_LIST_MAX) &&
         list_init(choice, &choice->taken, choice->axes.count + (size_t)3 * DSM_PLOT_LIST_MAX);
}

static void take(dsm__point_choice *choice, const dsm__point_axis *axis, dsm__axis_list *list) {
  choice->taken.items[choice->taken.count++] = axis;
  if (list != NULL) {
    list->items[list->count++] = axis;
  }
}

/* Takes the column that an option names. */
static bool take_named(dsm__point_choice *choice, const char *option, const char *name,
                       const dsm__point_axis **axis, dsm__axis_list *list) {
  size_t column = 0;
  if (!find_column(choice, option, name, &column)) {
    return false;
  }
  if (!dsm__point_choice_other(choice, option, name, has_column(&choice->taken, column))) {
    return false;
  }
  *axis = axis_of(choice, column);
  if (!dsm__point_choice_has(choice, *axis != NULL)) {
    return false;
  }
  take(choice, *axis, list);
  return true;
}

/* Takes the columns that an option names; NULL: none. */
static bool take_list(dsm__point_choice *choice, const char *option, const char *names,
                      dsm__axis_list *list) {
  char *rest = names == NULL ? NULL : dsm__arena_strdup(choice->arena, names);
  const dsm__point_axis *axis;
  if (!dsm__point_choice_has(choice, names == NULL || rest != NULL)) {
    return false;
  }
  for (char *at; (at = dsm__list_next(&rest)) != NULL;) {
    if (list->count == DSM_PLOT_LIST_MAX) {
      return dsm__point_choice_refuse(choice, option, NULL, "expected at most %d columns",
                                      DSM_PLOT_LIST_MAX);
    }
    if (!take_named(choice, option, at, &axis, list)) {
      return false;
    }
  }
  return true;
}

bool dsm__point_choice_default(dsm__point_choice *choice, const char *option,
                               const dsm__point_axis **axis) {
  const dsm__point_span span = dsm__points_axes(&choice->points);
  *axis = NULL;
  for (size_t a = 0; a < choice->axes.count; a++) {
    const dsm__point_axis *const each = choice->axes.items[a];
    if (!has_column(&choice->taken, each->column) &&
        (*axis == NULL || each->is_number || !(*axis)->is_number)) {
      *axis = each;
    }
  }
  for (size_t c = span.end; *axis == NULL && c-- > span.first;) {
    if (!has_column(&choice->taken, c)) {
      *axis = axis_of(choice, c);
      if (!dsm__point_choice_has(choice, *axis != NULL)) {
        return false;
      }
    }
  }
  if (*axis == NULL) {
    return dsm__point_choice_refuse(choice, option, "--panels names the columns that have panels",
                                    "no column is left: all have another role");
  }
  take(choice, *axis, NULL);
  return true;
}

static bool take_axis(dsm__point_choice *choice, const char *option, const char *name,
                      const dsm__point_axis **axis) {
  return name == NULL || take_named(choice, option, name, axis, NULL);
}

/* Networks have a panel each, unless the view says otherwise. */
static void take_default_panels(dsm__point_choice *choice) {
  const size_t workload = dsm__points_find(&choice->points, "workload");
  for (size_t a = 0; a < choice->axes.count && choice->view->panels == NULL; a++) {
    if (choice->axes.items[a]->column == workload && !has_column(&choice->taken, workload)) {
      take(choice, choice->axes.items[a], &choice->panels);
    }
  }
}

void dsm__point_choice_rest(const dsm__point_choice *choice, dsm__axis_list *rest) {
  for (size_t a = 0; a < choice->axes.count; a++) {
    if (!has_column(&choice->taken, choice->axes.items[a]->column)) {
      rest->items[rest->count++] = choice->axes.items[a];
    }
  }
}

/* ---- what a figure has place for ---- */

bool dsm__point_choice_count(dsm__point_choice *choice, size_t found, size_t most,
                             const char *what) {
  return found <= most ||
         dsm__point_choice_refuse(choice, NULL,
                                  "choose points with --where COLUMN=VALUE, other columns, or "
                                  "--means over networks",
                                  "expected at most %zu %s, found %zu", most, what, found);
}

/* The rows by the values of some axes; no more groups than there is place for. */
static bool make_groups(dsm__point_choice *choice, const dsm__axis_list *list, size_t most,
                        const char *what, dsm__point_groups *groups) {
  return dsm__point_choice_has(choice,
                               dsm__point_groups_make(groups, choice->arena, list->items,
                                                      list->count, choice->points.row_count)) &&
         dsm__point_choice_count(choice, groups->count, most, what);
}

/* Does an axis tell points of one place apart? */
static bool is_hidden(const dsm__point_choice *choice, const dsm__point_groups *places,
                      const dsm__point_axis *axis) {
  for (size_t row = 0; row < choice->points.row_count; row++) {
    if (axis->of_row[row] != axis->of_row[places->example[places->of_row[row]]]) {
      return true;
    }
  }
  return false;
}

/* Points that have the same place hide each other. */
static bool check_places(dsm__point_choice *choice) {
  dsm__point_groups places;
  dsm__text_buffer names = {0};
  if (!make_groups(choice, &choice->taken, SIZE_MAX, "", &places)) {
    return false;
  }
  for (size_t a = 0; a < choice->axes.count; a++) {
    const dsm__point_axis *const axis = choice->axes.items[a];
    if (is_hidden(choice, &places, axis)) {
      dsm__text_printf(&names, "%s\"%s\"", names.length == 0 ? "" : ", ",
                       choice->points.columns[axis->column]);
    }
  }
  const bool is_good =
      dsm__point_choice_has(choice, !names.failed) &&
      (names.length == 0 ||
       dsm__point_choice_refuse(
           choice, NULL, "--panels names columns, and --where COLUMN=VALUE chooses points",
           "several points have one place, where they differ in %s", names.text));
  dsm__text_fini(&names);
  return is_good;
}

bool dsm__point_choice_axes(dsm__point_choice *choice, dsm__point_form form, const char *series) {
  const dsm_points_view *const view = choice->view;
  const bool has_x = form != DSM__POINTS_FRONT;
  const bool has_y = form == DSM__POINTS_CELLS;
  if (!take_list(choice, "--panels", view->panels, &choice->panels) ||
      (has_x && !take_axis(choice, "--x", view->x, &choice->x)) ||
      (has_y && !take_axis(choice, "--y", view->y, &choice->y)) ||
      !take_list(choice, "--series", series, &choice->series)) {
    return false;
  }
  take_default_panels(choice);
  /* Over a result a line runs along the axis that would be x. */
  const dsm__point_span span = dsm__points_axes(&choice->points);
  const bool is_result =
      choice->x != NULL && (choice->x->column < span.first || choice->x->column >= span.end);
  const bool has_rest = form == DSM__POINTS_LINES && series == NULL;
  const dsm__point_axis *along;
  if ((has_x && choice->x == NULL && !dsm__point_choice_default(choice, "--x", &choice->x)) ||
      (is_result && has_rest && !dsm__point_choice_default(choice, "--series", &along)) ||
      (has_y && choice->y == NULL && !dsm__point_choice_default(choice, "--y", &choice->y))) {
    return false;
  }
  if (has_rest) {
    dsm__point_choice_rest(choice, &choice->series);
  }
  if (has_x && !has_y &&
      !dsm__point_choice_other(choice, "--y", choice->points.columns[choice->result],
                               choice->x->column == choice->result)) {
    return false;
  }
  return (!has_x || has_rest || (is_result && form == DSM__POINTS_LINES) || check_places(choice)) &&
         make_groups(choice, &choice->series, DSM__SERIES_MAX, "series", &choice->of_series) &&
         make_groups(choice, &choice->panels, DSM__PANELS_MAX, "panels", &choice->of_panels);
}

bool dsm__point_choice_order(dsm__point_choice *choice, dsm__point_groups *order) {
  const dsm__axis_list *const lists[] = {&choice->panels, &choice->series, &choice->axes};
  dsm__axis_list all;
  if (!list_init(choice, &all,
                 choice->panels.count + choice->series.count + choice->axes.count + 1)) {
    return false;
  }
  for (size_t l = 0; l < DSM__COUNT_OF(lists); l++) {
    if (lists[l] == &choice->axes) {
      all.items[all.count++] = choice->x;
    }
    for (size_t i = 0; i < lists[l]->count; i++) {
      all.items[all.count++] = lists[l]->items[i];
    }
  }
  return make_groups(choice, &all, SIZE_MAX, "", order);
}

const size_t *dsm__points_of_panel(const dsm__point_choice *choice, const dsm__point_groups *order,
                                   size_t panel, size_t *count) {
  const size_t *const of_panel = choice->of_panels.of_row;
  size_t first = 0;
  while (first < order->count && of_panel[order->example[first]] != panel) {
    first++;
  }
  *count = 0;
  while (first + *count < order->count && of_panel[order->example[first + *count]] == panel) {
    ++*count;
  }
  return order->example + first;
}
