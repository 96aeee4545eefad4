/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points.h: the points of a sweep as figures show them. Their columns (point_columns.c): which of
 * them say what a point is, and how they are called; a database that others have changed may lack
 * any of them. Their axes (point_axes.c), found out from the points themselves: which values a
 * column has, and which rows have which. And what a figure chooses (point_choice.c): which rows,
 * which column is along which axis, and which axes name the series and the panels. What the view
 * does not say has a default that does not look at how many values there are.
 */
#ifndef DSM_REPORT_FIGURE_POINTS_H
#define DSM_REPORT_FIGURE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/plot_points.h"
#include "dsm/sweep_store.h"
#include "sweep/point_record.h"

/* ---- columns ---- */

/** The value that all rows have that have one; NULL if they differ, one without a value if no row
 * has one. */
const dsm_cell *dsm__points_common(const dsm_point_table *points, size_t column);

/** Columns first .. end - 1. */
typedef struct dsm__point_span {
  size_t first;
  size_t end;
} dsm__point_span;

/** The columns of axes: workload, system, and all paths that vary. */
dsm__point_span dsm__points_axes(const dsm_point_table *points);

/** Columns that say what a point is: axes, and settings (such as its mode) that no axis says. */
size_t dsm__points_input_count(const dsm_point_table *points);
/** Number `index` of them; column_count where it is not to be shown, for an axis says it. */
size_t dsm__points_input_at(const dsm_point_table *points, size_t index);

/** What a column of an axis is called: the last word of its path, unless two have the same.
 * Borrowed from the table. */
const char *dsm__points_short_name(const dsm_point_table *points, size_t column);

/** How many rows have a column `status` that does not say "ok". */
size_t dsm__points_failed(const dsm_point_table *points);
/** Has a row no result? */
bool dsm__point_is_failed(const dsm_point_table *points, size_t row);

/* ---- axes ---- */

/** A column by its values. */
typedef struct dsm__point_axis {
  size_t column;
  const char *name;         /**< dsm__points_short_name */
  const dsm_cell *values;   /**< each once: numbers ascending if all are numbers, else in the order
                                 of rows */
  const char *const *texts; /**< of the values */
  size_t value_count;
  bool is_number;       /**< each value is one; false if there is none */
  const size_t *of_row; /**< index of the value of each row of the table */
} dsm__point_axis;

/** Finds the values of a column, in the arena; false if out of memory. O(rows log rows). */
bool dsm__point_axis_make(dsm__point_axis *axis, dsm__arena *arena, const dsm_point_table *points,
                          size_t column);

/** Rows with the same values on some axes. */
typedef struct dsm__point_groups {
  size_t count;
  const size_t *of_row;  /**< group of each row; groups are in the order of the values of the first
                              axis, then the second and so on */
  const size_t *example; /**< the first row of each group */
} dsm__point_groups;

/** Groups rows by some axes; by none, they are one group. False if out of memory. */
bool dsm__point_groups_make(dsm__point_groups *groups, dsm__arena *arena,
                            const dsm__point_axis *const *axes, size_t axis_count,
                            size_t row_count);

/** What a row is on some axes: "torus64, hybrid+reuse, minibatch 256"; "" on none. NULL if out of
 * memory. */
const char *dsm__point_label(dsm__arena *arena, const dsm__point_axis *const *axes,
                             size_t axis_count, size_t row);

/* ---- choice ---- */

/** More than these nobody tells apart, or no page holds. */
#define DSM__SERIES_MAX 40
#define DSM__PANELS_MAX 24

/** Some axes, in order. */
typedef struct dsm__axis_list {
  const dsm__point_axis **items;
  size_t count;
} dsm__axis_list;

/** What a figure has: lines x, and series of all else that varies; bars x and rungs; cells x and
 * y; a front neither. All have panels. */
typedef enum dsm__point_form {
  DSM__POINTS_LINES = 0,
  DSM__POINTS_BARS,
  DSM__POINTS_CELLS,
  DSM__POINTS_FRONT
} dsm__point_form;

typedef struct dsm__point_choice {
  dsm__arena *arena;
  const dsm_points_view *view;
  dsm_point_table points; /**< those that the view wants, or means */
  size_t recorded_count;  /**< of the sweep, before the view chose */
  dsm__axis_list axes;    /**< that vary, in order of columns */
  dsm__axis_list taken;   /**< that have a role */
  const dsm__point_axis *x;
  const dsm__point_axis *y; /**< of cells; else NULL */
  size_t result;            /**< the column that is drawn */
  dsm__axis_list series;
  dsm__axis_list panels;
  dsm__point_groups of_series;
  dsm__point_groups of_panels;
  dsm_diags *diags;
  dsm_status status; /**< why what was tried last is false */
} dsm__point_choice;

/* What follows is false, with a status and a finding, where it cannot be. */

/** DSM_ERROR_USAGE at an option (NULL: at none); `hint` may be NULL. False. */
bool dsm__point_choice_refuse(dsm__point_choice *choice, const char *option, const char *hint,
                              const char *format, ...) DSM_PRINTF(4, 5);

/** Refuses a name of a column that has another role already. */
bool dsm__point_choice_other(dsm__point_choice *choice, const char *option, const char *name,
                             bool is_taken);

/** DSM_ERROR_OUT_OF_MEMORY unless there is enough. */
bool dsm__point_choice_has(dsm__point_choice *choice, bool is_enough);

/** Chooses rows and finds the axes; the rest is still to be chosen. All in the arena. Statuses as
 * of dsm_plot_points. */
bool dsm__point_choice_begin(dsm__point_choice *choice, dsm__arena *arena,
                             const dsm_point_table *points, const dsm_points_view *view,
                             dsm_diags *diags);

/** The next word of a comma-separated list, which is cut behind it; NULL after the last. */
char *dsm__list_next(char **rest);

/** Are there no more of something than a figure may have? */
bool dsm__point_choice_count(dsm__point_choice *choice, size_t found, size_t most,
                             const char *what);

/** Sets `result` to the column that an option names (NULL: the default), of which some cell is a
 * number. */
bool dsm__point_choice_result(dsm__point_choice *choice, const char *option, const char *name);

/** DSM_ERROR_INFEASIBLE: says why the first point has no number for `name`. False. */
bool dsm__point_choice_nothing(dsm__point_choice *choice, const char *name);

/** Chooses all axes of a figure: what the view names, and `series` (NULL: of lines all others that
 * vary); else networks make panels, and x and then y is the last column of numbers that varies and
 * has no other role, or the last column where none is of numbers. Bars, cells, and lines of named
 * series are refused where points would hide each other. */
bool dsm__point_choice_axes(dsm__point_choice *choice, dsm__point_form form, const char *series);

/** Takes the next of these default columns, which an option could name: where none varies, the last
 * axis there is. */
bool dsm__point_choice_default(dsm__point_choice *choice, const char *option,
                               const dsm__point_axis **axis);

/** Rows, a group each, by panels, then series, then x. */
bool dsm__point_choice_order(dsm__point_choice *choice, dsm__point_groups *order);
/** Those of a panel. */
const size_t *dsm__points_of_panel(const dsm__point_choice *choice, const dsm__point_groups *order,
                                   size_t panel, size_t *count);

/** Adds the axes that vary and have no role. */
void dsm__point_choice_rest(const dsm__point_choice *choice, dsm__axis_list *rest);

#endif
