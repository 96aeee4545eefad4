/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pareto.h: the parts of the Pareto figure: which points it shows (pareto_points.c) and what they
 * are called (pareto_labels.c); plot_pareto.c draws it.
 */
#ifndef DSM_REPORT_FIGURE_PARETO_H
#define DSM_REPORT_FIGURE_PARETO_H

#include "report/figure/points_page.h"

/** The points of a panel. */
typedef struct dsm__pareto_points {
  const char *panel;     /**< its name */
  dsm_point_table all;   /**< with a number in all objectives, x and y */
  dsm_point_table front; /**< sorted by x */
} dsm__pareto_points;

/** The figure, as far as it is chosen. */
typedef struct dsm__pareto {
  dsm__chart chart;
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm_objective objectives[DSM_PLOT_LIST_MAX];
  size_t objective_count;
  size_t x; /**< columns */
  size_t y;
  dsm__measure x_measure;
  dsm__measure y_measure;
  dsm__axis_list named;      /**< axes that the labels say */
  bool *is_said;             /**< one for each of these: in some label */
  dsm__pareto_points *found; /**< of each panel */
  size_t unnamed;            /**< points of fronts without a place for a label */
} dsm__pareto;

/** Chooses the objectives, the columns of both axes, the panels and what labels may say. False,
 * with the choice's status, if that cannot be. */
bool dsm__pareto_choose(dsm__pareto *f);

/** Has a row of the chosen points a number in x, y and all objectives? */
bool dsm__pareto_has_numbers(const dsm__pareto *f, size_t row);

/** The points of each panel, and those of them that no other beats; likewise. */
bool dsm__pareto_find(dsm__pareto *f);

/** Where a point is, in the units of the axes. */
dsm__point dsm__pareto_point(const dsm__pareto *f, const dsm_point_table *points, size_t row);

/** What rows from `row` to before `end` are, which are at one place: the values of all that varies
 * besides the axes of the figure, and in the front that is given (or NULL), numbers with the name
 * of their column; where that is nothing, their numbers in the sweep. */
const char *dsm__pareto_name(dsm__pareto *f, const dsm_point_table *points, size_t row, size_t end,
                             const dsm_point_table *front);

/** The panel, and what all of its front are. */
const char *dsm__pareto_title(dsm__pareto *f, const char *panel, const dsm_point_table *front);

/** Is the front a line? It is not where the axes are not just the two objectives. */
bool dsm__pareto_has_line(const dsm__pareto *f);

/** Where the line bends between two points of the front. What can be had between them is what the
 * one with the smaller x has, if less of x is wanted, else what the other one has. */
dsm__point dsm__pareto_corner(const dsm__pareto *f, dsm__point from, dsm__point to);

/** Names the points of the front of a panel where there is room beside them. */
void dsm__pareto_put_labels(dsm__pareto *f, const dsm__pareto_points *found, dsm__area area);

#endif
