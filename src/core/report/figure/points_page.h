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

/** The number of a cell in its measure; NAN if there is none. */
double dsm__measured(const dsm_point_table *points, size_t row, size_t column,
                     const dsm__measure *measure);

/* ---- axes ---- */

/** The range of results. */
typedef struct dsm__result_range {
  double least;
  double most;
  bool is_any;
} dsm__result_range;
void dsm__result_range_add(dsm__result_range *range, double value);

/** An axis of a chart: over the values of a column, or over results. */
typedef struct dsm__scale {
  dsm__panel_axis axis;
  const char *title;
  const dsm__point_axis *values; /**< NULL: of results, with round numbers */
  bool is_category;              /**< value number v is at v */
} dsm__scale;

/** Of values along x: logarithmic where numbers double, span more than a factor of a hundred, or
 * the view wants it; false, DSM_ERROR_USAGE, if it does and some value has no logarithm. */
bool dsm__scale_of_values(dsm__scale *scale, dsm__point_choice *choice,
                          const dsm__point_axis *values);
/** Of values, divided evenly. */
dsm__scale dsm__scale_of_categories(const dsm__point_choice *choice, const dsm__point_axis *values);
double dsm__scale_position(const dsm__scale *scale, size_t value);

/** The range of results: from 0, or logarithmic where they span more than a factor of a thousand.
 */
dsm__panel_axis dsm__result_axis(const dsm__result_range *range);
/** The same for an axis of a figure: also where the view wants it (`axis` is DSM_PLOT_AXIS_X or
 * DSM_PLOT_AXIS_Y); false, DSM_ERROR_USAGE, if some result has no logarithm. */
bool dsm__result_axis_choose(dsm__panel_axis *chosen, dsm__point_choice *choice,
                             const dsm__result_range *range, unsigned axis, size_t column);
/** False, DSM_ERROR_USAGE, if the view wants a logarithmic axis of these, which the figure has not.
 */
bool dsm__points_refuse_log(dsm__point_choice *choice, unsigned axes, const char *why);

/* ---- charts ---- */

/** Panels that show the same quantities and share both axes: the numbers of the vertical one stand
 * once a row. */
typedef struct dsm__chart {
  dsm__plot_maker *maker;
  const dsm__point_choice *choice;
  const char *title;
  const char *also;     /**< what its heading says besides; NULL: nothing */
  bool has_crosses;     /**< at points without a result */
  dsm__measure measure; /**< of the choice's result */
  dsm__scale x;
  dsm__scale y;
  const char **panels; /**< the title of each; "": none */
  size_t panel_count;
  double top;         /**< where the panels begin */
  double least_width; /**< of a panel's axes */
  double height;      /**< of these */
  size_t columns;     /**< from here on it is laid out: panels side by side, */
  double left_room;   /**< what is left of a row, */
  double top_room;    /**< above each panel, */
  double bottom_room; /**< and below, */
  double axes_width;
} dsm__chart;

/** A chart of what was chosen: its result, panels, and x with its values divided evenly. False if
 * out of memory. */
bool dsm__chart_begin(dsm__chart *chart, dsm__plot_maker *maker, dsm__point_choice *choice);

/** Lays out the panels, and sets the page's height. If the values of the last panel axis fit side
 * by side, a column of panels is one of them. */
void dsm__chart_lay_out(dsm__chart *chart);

/** What a panel shows. */
typedef void dsm__panel_writer(void *figure, size_t panel, dsm__area area);
/** Draws it: the panels, and the heading: the title, and below it how many points are recorded if
 * not all are, `also`, how many points have no result, and what all points have in common. */
void dsm__chart_draw(dsm__chart *chart, dsm__panel_writer *put, void *figure);

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
  dsm__chart chart;
  const char *measure; /**< what the values are */
  dsm__rung *rungs;
  size_t rung_count;
  dsm__rung_bar *bars;
} dsm__ladder;

/** Makes room for the rungs and the bars, of which none is there yet; false if out of memory. */
bool dsm__ladder_alloc(dsm__ladder *ladder, dsm__arena *arena);
dsm__rung_bar *dsm__ladder_bar(const dsm__ladder *ladder, size_t panel, size_t place, size_t rung);

/** Draws it. The chart's choice is of its heading; in a page it has no points. */
void dsm__ladder_draw(dsm__ladder *ladder);

#endif
