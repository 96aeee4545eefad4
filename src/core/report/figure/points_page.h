/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * points_page.h: what the figures of points have in common: the heading, panels in rows and
 * columns, axes with the values of a sweep, how a result is measured, and the bars of a ladder.
 */
#ifndef DSM_REPORT_FIGURE_POINTS_PAGE_H
#define DSM_REPORT_FIGURE_POINTS_PAGE_H

#include "report/figure/plot_maker.h"
#include "report/figure/points.h"

/* The figures; each chooses what it shows, then makes it, whatever of that fails. False, with the
 * choice's status, where it cannot choose. */
bool dsm__plot_lines(dsm__plot_maker *maker, dsm__point_choice *choice);
bool dsm__plot_ladder(dsm__plot_maker *maker, dsm__point_choice *choice);
bool dsm__plot_heatmap(dsm__plot_maker *maker, dsm__point_choice *choice);
bool dsm__plot_pareto(dsm__plot_maker *maker, dsm__point_choice *choice);

/** How a column is drawn. */
typedef struct dsm__measure {
  const char *title; /**< with the unit: "step (ms)" */
  double scale;      /**< what a value is multiplied by */
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

/** Panels in rows and columns. All show the same quantities, and share both axes: the numbers of
 * the vertical one stand once a row. */
typedef struct dsm__panel_grid {
  size_t count;
  size_t columns;
  double top;
  double left_room;   /**< for what is left of a row */
  double top_room;    /**< for titles above each; 0: as many panels need */
  double bottom_room; /**< for values below each */
  double axes_width;
  double axes_height;
} dsm__panel_grid;

/** Lays out `count` panels, whose axes are at least min_width wide; sets the page's height. If the
 * values of the last panel axis fit side by side, a column of panels is one of them. */
dsm__panel_grid dsm__panel_grid_make(dsm__plot_maker *maker, const dsm__point_choice *choice,
                                     size_t count, dsm__panel_grid wanted, double min_width,
                                     double height);

/** The axes of a panel. */
dsm__area dsm__panel_area(const dsm__panel_grid *grid, size_t panel);

/** What a row is on the axes that make panels. Never NULL. */
const char *dsm__points_panel_name(dsm__plot_maker *maker, const dsm__point_choice *choice,
                                   size_t row);

/** Begins a panel, with a title above it. */
void dsm__points_panel(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis x, dsm__panel_axis y,
                       const char *title);

/** Does the panel have the numbers of its vertical axis, and the title of its horizontal one? */
bool dsm__panel_is_left(const dsm__panel_grid *grid, size_t panel);
bool dsm__panel_is_lowest(const dsm__panel_grid *grid, size_t panel);

/** A horizontal or vertical axis with the values of a sweep's axis. */
typedef struct dsm__value_scale {
  dsm__panel_axis axis;
  const dsm__point_axis *values;
  bool is_category; /**< value number v is at v */
} dsm__value_scale;

/** Of the horizontal axis of a figure: logarithmic where numbers double, span more than a factor of
 * a hundred, or the view wants it; false, DSM_ERROR_USAGE, if it does and some value has no
 * logarithm. */
bool dsm__x_scale_choose(dsm__value_scale *scale, dsm__point_choice *choice,
                         const dsm__point_axis *values);
/** One that is divided evenly, whatever the values. */
dsm__value_scale dsm__category_scale_of(const dsm__point_axis *values);
double dsm__value_position(const dsm__value_scale *scale, size_t value);

/** What the values take below an axis that is `width` wide, and a title below them. */
double dsm__value_tics_room(const dsm__value_scale *scale, double width);
/** `title` NULL: none. */
void dsm__value_tics_x(dsm__plot_maker *maker, dsm__area area, const dsm__value_scale *scale,
                       const char *title);
/** The horizontal axis of a panel; panels that are not the lowest leave the title to that. */
void dsm__points_x_axis(dsm__plot_maker *maker, const dsm__point_choice *choice,
                        const dsm__panel_grid *grid, size_t panel, const dsm__value_scale *scale);

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
  bool is_any;
} dsm__result_range;
void dsm__result_range_add(dsm__result_range *range, double value);
dsm__panel_axis dsm__result_axis(const dsm__result_range *range);
/** The same for an axis of a figure: also where the view wants it (`axis` is DSM_PLOT_AXIS_X or
 * DSM_PLOT_AXIS_Y); false, DSM_ERROR_USAGE, if some result has no logarithm. */
bool dsm__result_axis_choose(dsm__panel_axis *chosen, dsm__point_choice *choice,
                             const dsm__result_range *range, unsigned axis, size_t column);
/** False, DSM_ERROR_USAGE, if the view wants a logarithmic axis of these, which the figure has not.
 */
bool dsm__points_refuse_log(dsm__point_choice *choice, unsigned axes, const char *why);

/** The vertical axis of a panel, with its numbers and title unless the panel at its left has them;
 * what both take at the left of panels that are so high. */
double dsm__points_y_room(dsm__plot_maker *maker, dsm__panel_axis axis, double height);
void dsm__points_y_axis(dsm__plot_maker *maker, const dsm__panel_grid *grid, size_t panel,
                        dsm__panel_axis axis, const char *title);

/** A grey cross: there is no result. */
void dsm__points_cross(dsm__plot_maker *maker, dsm__point at);

/* ---- ladders ---- */

/** What is added to those before it. */
typedef struct dsm__rung {
  const char *name;  /**< in the legend: "+ reuse" */
  const char *whole; /**< in the data: "hybrid+reuse" */
} dsm__rung;

/** What a rung gains at a place. */
typedef struct dsm__rung_bar {
  bool is_there;     /**< is it known at all? */
  double value;      /**< as measured */
  double speedup;    /**< NAN: there is none */
  const char *text;  /**< above the bar, or in its place; NULL: the speed-up */
  const char *about; /**< its tooltip in a page; NULL where there is no page */
} dsm__rung_bar;

/** Panels, in which each place of the horizontal axis has a bar a rung. */
typedef struct dsm__ladder {
  const char *title;   /**< of the figure */
  const char *measure; /**< what the values are */
  dsm__value_scale x;  /**< the places */
  dsm__panel_axis y;   /**< from and to which speed-up */
  const char **panels; /**< the title of each; "": none */
  size_t panel_count;
  dsm__rung *rungs;
  size_t rung_count;
  dsm__rung_bar *bars;
} dsm__ladder;

/** Makes room for the panels' titles, the rungs and the bars, of which none is there yet; false if
 * out of memory. */
bool dsm__ladder_alloc(dsm__ladder *ladder, dsm__arena *arena);
dsm__rung_bar *dsm__ladder_bar(const dsm__ladder *ladder, size_t panel, size_t place, size_t rung);

/** Draws it. The points are those of the heading and the axis; in a page there are none. */
void dsm__ladder_draw(dsm__plot_maker *maker, const dsm__point_choice *choice,
                      const dsm__ladder *ladder);

#endif
