/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points_page.h: what the figures of points have in common: the heading, panels in rows and
 * columns, axes with the values of a sweep, and how a result is measured.
 */
#ifndef DSM_REPORT_POINTS_PAGE_H
#define DSM_REPORT_POINTS_PAGE_H

#include "report/plot_maker.h"
#include "report/point_choice.h"

#define DSM__PAGE_MARGIN 10.0

/* The figures; each chooses what it shows, then makes it, whatever of that fails. */
dsm_status dsm__plot_lines(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags);
dsm_status dsm__plot_ladder(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags);
dsm_status dsm__plot_heatmap(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags);
dsm_status dsm__plot_pareto(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags);

/** How a column is drawn. */
typedef struct dsm__measure {
  const char *title; /**< with the unit: "step (ms)" */
  double scale;      /**< what a value is multiplied by */
  bool is_share;     /**< 0 .. 1 */
  bool is_more_better;
} dsm__measure;

dsm__measure dsm__measure_of(dsm__plot_maker *maker, const dsm_point_table *points, size_t column);

/** The title of a column's axis that is so long: its whole name, or its last word if that does not
 * fit. */
const char *dsm__points_title(dsm__plot_maker *maker, const dsm_point_table *points, size_t column,
                              double width);

/** The number of a cell in its measure; NAN if there is none. */
double dsm__measured(const dsm_point_table *points, size_t row, size_t column,
                     const dsm__measure *measure);

/** The heading: a title, and below it how many points are recorded if not all are, what the figure
 * has to say (`also`, or NULL), how many points have no result (which `has_crosses` have a cross),
 * and what all points have in common. */
void dsm__points_heading(dsm__plot_maker *maker, const dsm__point_choice *choice, const char *what,
                         const char *also, bool has_crosses);

/** Panels in rows and columns. */
typedef struct dsm__panel_grid {
  size_t count;
  size_t columns;
  bool is_table; /**< a column of panels is a value of the last panel axis, and the panels of a
                      row share the vertical axis. Wanted, then whether it is */
  double top;
  double left_room;   /**< for what is left of the axes, in a table once a row */
  double top_room;    /**< for titles above each */
  double bottom_room; /**< for values below each */
  double axes_width;
  double axes_height;
} dsm__panel_grid;

/** Lays out `count` panels, whose axes are at least min_width wide; sets the page's height. */
dsm__panel_grid dsm__panel_grid_make(dsm__plot_maker *maker, const dsm__point_choice *choice,
                                     size_t count, dsm__panel_grid wanted, double min_width,
                                     double height);

/** The axes of a panel, and its title above them. */
dsm__area dsm__panel_area(const dsm__panel_grid *grid, size_t panel);
void dsm__panel_title(dsm__plot_maker *maker, dsm__area area, const char *title, double width);

/** Does the panel have the numbers of its vertical axis, and the title of its horizontal one? */
bool dsm__panel_is_left(const dsm__panel_grid *grid, size_t panel);
bool dsm__panel_is_lowest(const dsm__panel_grid *grid, size_t panel);

/** The page's row of panels that share a vertical axis: those of a row of a table, else each its
 * own. */
size_t dsm__panel_share(const dsm__panel_grid *grid, size_t panel);

/** A horizontal or vertical axis with the values of a sweep's axis. */
typedef struct dsm__value_scale {
  dsm__axis axis;
  const dsm__point_axis *values;
  bool is_category; /**< value number v is at v */
} dsm__value_scale;

/** Logarithmic where numbers double, or span more than a factor of a hundred. */
dsm__value_scale dsm__value_scale_of(const dsm__point_axis *values);
/** One that is divided evenly, whatever the values. */
dsm__value_scale dsm__category_scale_of(const dsm__point_axis *values);
double dsm__value_position(const dsm__value_scale *scale, size_t value);

/** What the values take below an axis that is `width` wide, and a title below them. */
double dsm__value_tics_room(const dsm__value_scale *scale, double width);
double dsm__value_title_room(void);
/** `title` NULL: none. */
void dsm__value_tics_x(dsm__plot_maker *maker, dsm__area area, const dsm__value_scale *scale,
                       const char *title);

/** What the values and the title take at the left of a vertical axis, and they themselves; without
 * a title (NULL) there are none. */
double dsm__value_tics_y_room(const dsm__value_scale *scale);
void dsm__value_tics_y(dsm__plot_maker *maker, dsm__area area, const dsm__value_scale *scale,
                       const char *title);

/** The range of results: from 0, or logarithmic where they span more than a factor of a thousand.
 */
typedef struct dsm__result_range {
  double least;
  double most;
  double least_positive;
  bool is_any;
} dsm__result_range;
void dsm__result_range_add(dsm__result_range *range, double value);
dsm__axis dsm__result_axis(const dsm__result_range *range);

/** The vertical axis of a panel, with its numbers unless the panel at its left has them. */
void dsm__points_y_axis(dsm__plot_maker *maker, const dsm__panel_grid *grid, size_t panel,
                        dsm__axis axis, const char *title);

/** A grey cross: there is no result. */
void dsm__points_cross(dsm__plot_maker *maker, dsm__point at);

#endif
