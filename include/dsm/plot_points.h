/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * plot_points.h: figures of the points of a sweep, as texts for gnuplot (plot.h).
 *
 * What a figure shows is a result over one or two axes, a panel for each network; what a view does
 * not name has a default that does not depend on how many values there are.
 */
#ifndef DSM_PLOT_POINTS_H
#define DSM_PLOT_POINTS_H

#include "dsm/plot.h"
#include "dsm/sweep_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Figures of points. */
typedef enum dsm_points_figure {
  DSM_POINTS_FIGURE_LINES = 0, /**< a result over an axis, a line a series (DSM, Figs. 14, 15) */
  DSM_POINTS_FIGURE_LADDER,  /**< speed-up over the first of several optimizations (DSM, Fig. 11) */
  DSM_POINTS_FIGURE_HEATMAP, /**< a result over two axes */
  DSM_POINTS_FIGURE_PARETO, /**< the points that no other beats in two objectives, and the others */
  DSM_POINTS_FIGURE_COUNT
} dsm_points_figure;

/** "lines", "ladder", "heatmap" or "pareto". Never NULL. */
DSM_API const char *dsm_points_figure_name(dsm_points_figure figure);
/** The same read back, exactly; false if the text is none of them. */
DSM_API bool dsm_points_figure_parse(const char *text, dsm_points_figure *figure);

/** Most axes of a `series`, most objectives of a front. */
#define DSM_PLOT_LIST_MAX 16

/** The horizontal axis, among those that a view makes logarithmic. */
#define DSM_PLOT_AXIS_X 1U
/** The vertical axis, likewise. */
#define DSM_PLOT_AXIS_Y 2U

/** What a figure shows. All is borrowed; columns are names of dsm_point_table. All zero is the
 * default of everything. */
typedef struct dsm_points_view {
  const char *x; /**< column of the horizontal axis; NULL: the last that varies in numbers
                      and has no other role, else the last that varies */
  const char *y; /**< of the vertical one; NULL: "samples_per_second", of a heat map such an axis */
  const char *series; /**< comma-separated columns whose values name the lines, or of a ladder the
                           column whose values are its rungs; NULL: all other axes that vary, of a
                           ladder "options.optimize" */
  const char *panels; /**< columns whose values have a panel each; NULL: "workload" unless named */
  const char *value;  /**< column that a heat map shows; NULL: "samples_per_second" */
  const char *pareto; /**< comma-separated objectives (dsm_objective_parse), the first for the
                           vertical axis and the second for the horizontal one; NULL: the most of
                           "samples_per_second" and the least of the default x */
  const char *const
      *wheres; /**< COLUMN=VALUE[,VALUE...]: only points for which all of these hold */
  size_t where_count;
  bool are_means;    /**< geometric means over the networks in place of the points */
  unsigned log_axes; /**< DSM_PLOT_AXIS_X, DSM_PLOT_AXIS_Y: logarithmic, whatever the numbers; the
                          others are where their numbers span much */
} dsm_points_view;

/**
 * A figure of points. *plot is NULL unless DSM_OK, and then belongs to the caller; the table is not
 * changed. DSM_ERROR_USAGE: the view names an unknown column, one that holds no numbers where
 * numbers are drawn, an unknown value, conditions that exclude each other, a column
 * twice, a logarithm of what has none, a ladder of one rung, more lines or panels than a figure
 * has place for, points that would hide each other, or means of what has none;
 * DSM_ERROR_INFEASIBLE: there is no point with a number to draw (the finding says why the first has
 * none); DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plot_points(dsm_plot **plot, const dsm_point_table *table,
                                                 dsm_points_figure figure,
                                                 const dsm_points_view *view, dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
