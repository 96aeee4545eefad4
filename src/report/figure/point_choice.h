/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * point_choice.h: what a figure of points shows: which rows, which column is along which axis, and
 * which axes name the series and the panels. What the view does not say is found out from what
 * varies.
 */
#ifndef DSM_REPORT_FIGURE_POINT_CHOICE_H
#define DSM_REPORT_FIGURE_POINT_CHOICE_H

#include "dsm/plot_points.h"
#include "report/figure/point_axes.h"

/** More than these nobody tells apart, or no page holds. */
#define DSM__SERIES_MAX 40
#define DSM__PANELS_MAX 24
/** Of so many lines each has its look at a glance; where there are more, panels share them. */
#define DSM__SERIES_AT_EASE 9

/** Some axes, in order. */
typedef struct dsm__axis_list {
  const dsm__point_axis **items;
  size_t count;
} dsm__axis_list;

typedef struct dsm__point_choice {
  dsm__arena *arena;
  const dsm_points_view *view;
  dsm_point_table points; /**< those that the view wants */
  size_t recorded_count;  /**< of the sweep, before the view chose */
  dsm__point_axis *axes;  /**< that vary, in order of columns */
  size_t axis_count;
  const dsm__point_axis *x;
  const dsm__point_axis *y; /**< of a heat map; else NULL */
  size_t result;            /**< the column that is drawn */
  dsm__axis_list series;
  dsm__axis_list panels;
} dsm__point_choice;

/** Chooses rows and finds the axes; the rest is still to be chosen. All in the arena. Statuses as
 * of dsm_plot_points. */
DSM_NODISCARD dsm_status dsm__point_choice_begin(dsm__point_choice *choice, dsm__arena *arena,
                                                 const dsm_point_table *points,
                                                 const dsm_points_view *view, dsm_diags *diags);

/** The column that an option names, as an axis (which may have a single value). */
DSM_NODISCARD dsm_status dsm__point_choice_axis(dsm__point_choice *choice, const char *option,
                                                const char *name, const dsm__point_axis **axis,
                                                dsm_diags *diags);

/** The axis with the most values that are all numbers, else that with the most values, neither of
 * them `other`; one with a single value only if there is no other. NULL if there is none. *status
 * DSM_ERROR_OUT_OF_MEMORY or DSM_OK. */
const dsm__point_axis *dsm__point_choice_widest(dsm__point_choice *choice,
                                                const dsm__point_axis *other, dsm_status *status,
                                                dsm_diags *diags);

/** Sets `result` to the column that an option names (NULL: the default), of which some cell is a
 * number. */
DSM_NODISCARD dsm_status dsm__point_choice_result(dsm__point_choice *choice, const char *option,
                                                  const char *name, dsm_diags *diags);

/** DSM_ERROR_INFEASIBLE, with a finding that says why the first point has no number for `name`. */
DSM_NODISCARD dsm_status dsm__point_choice_nothing(const dsm__point_choice *choice,
                                                   const char *name, dsm_diags *diags);

/** The remaining axes of lines: x, then series and panels. */
DSM_NODISCARD dsm_status dsm__point_choice_lines(dsm__point_choice *choice, dsm_diags *diags);

/** Those of a heat map: x and y; all others make panels. */
DSM_NODISCARD dsm_status dsm__point_choice_cells(dsm__point_choice *choice, dsm_diags *diags);

/** All axes that vary but those whose columns are given make panels. */
DSM_NODISCARD dsm_status dsm__point_choice_rest(dsm__point_choice *choice,
                                                const dsm__point_axis *const *taken, size_t count,
                                                dsm__axis_list *rest, dsm_diags *diags);

#endif
