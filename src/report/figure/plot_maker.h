/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_maker.h: a figure that is being made.
 *
 * Everything has its place in units from the upper left corner of the picture, which is computed
 * here and not by gnuplot: only then is it known that no two labels overlap. A figure is a page of
 * panels, each of which is one `plot` command with margins of its own; labels, boxes and lines that
 * are put on the page are drawn with the next panel. Whatever cannot be allocated makes the figure
 * fail as a whole, at its end.
 */
#ifndef DSM_REPORT_FIGURE_PLOT_MAKER_H
#define DSM_REPORT_FIGURE_PLOT_MAKER_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/plot.h"

#define DSM__PLOT_WIDTH 720.0
#define DSM__PLOT_DATA_MAX 4

/* Sizes of text, in units: on a page a unit is 2/3 of a point. */
#define DSM__SIZE_TITLE 13.0
#define DSM__SIZE_TEXT 11.0  /**< legends, labels of axes */
#define DSM__SIZE_SMALL 10.0 /**< numbers at axes, names of layers */
/** From line to line, as a multiple of the size. */
#define DSM__LINE_PITCH 1.35

typedef struct dsm__plot_maker {
  dsm__arena *arena;
  dsm__text_buffer body;
  const char *title;
  double height; /**< set before anything is put on the page */
  const char *data_names[DSM__PLOT_DATA_MAX];
  dsm__text_buffer data_texts[DSM__PLOT_DATA_MAX];
  size_t data_count;
} dsm__plot_maker;

/** A rectangle of the page, in units. */
typedef struct dsm__area {
  double left;
  double top;
  double width;
  double height;
} dsm__area;

typedef struct dsm__point {
  double x;
  double y;
} dsm__point;

typedef enum dsm__anchor {
  DSM__ANCHOR_LEFT = 0,
  DSM__ANCHOR_CENTER,
  DSM__ANCHOR_RIGHT
} dsm__anchor;

/** How a label looks; all zero but the size is black, upright and to the right of its point. Its
 * point is in the middle of its height. */
typedef struct dsm__label_style {
  double size;
  dsm__anchor anchor;
  bool is_upward;    /**< turned, to be read from below */
  const char *color; /**< NULL: black */
} dsm__label_style;

/** Begins a figure; DSM_ERROR_OUT_OF_MEMORY, and then there is nothing to finish. */
DSM_NODISCARD dsm_status dsm__plot_begin(dsm__plot_maker *maker, dsm_diags *diags);

/** Ends a figure and frees what it was made with. DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__plot_finish(dsm__plot_maker *maker, dsm_plot **plot,
                                          dsm_diags *diags);

/** Frees what a figure that is given up was made with. */
void dsm__plot_abandon(dsm__plot_maker *maker);

/** A new data text under a name of letters, which the body refers to as a variable. The caller
 * appends to it; it ends with the figure. */
dsm__text_buffer *dsm__plot_add_data(dsm__plot_maker *maker, const char *name);

/* A number as the shortest text that reads back, followed by a tab; "NaN" unless it is finite. */
void dsm__plot_put_number(dsm__text_buffer *data, double value);
/* A name at the end of a line of data, without what would break the line. */
void dsm__plot_put_name(dsm__plot_maker *maker, dsm__text_buffer *data, const char *name);

/** Appends a text to the body as a quoted string of gnuplot, whatever it contains. */
void dsm__plot_quote(dsm__plot_maker *maker, const char *text);

/** A text formatted into the arena. Never NULL. */
const char *dsm__plot_text(dsm__plot_maker *maker, const char *format, ...) DSM_PRINTF(2, 3);

/** The text, or as much of its beginning and end as fits, with an ellipsis between. Never NULL. */
const char *dsm__plot_fit(dsm__plot_maker *maker, const char *text, double size, double width);

void dsm__plot_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                     const char *text);
void dsm__plot_box(dsm__plot_maker *maker, dsm__area area, const char *color);
void dsm__plot_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color);

/** Something in a legend. */
typedef struct dsm__legend_entry {
  const char *color;
  const char *text;
} dsm__legend_entry;

/** Puts a legend on the page, in as many lines as it needs, and returns its height; with
 * `is_drawn` false it only computes that. */
double dsm__plot_legend(dsm__plot_maker *maker, dsm__area area, const dsm__legend_entry *entries,
                        size_t count, bool is_drawn);

/** What a heading takes from the top of the page, with or without a line below its title. */
double dsm__plot_heading_height(bool has_below);

/** The title, and a line below it that may be NULL; returns their height. Each is shortened to the
 * page's width. */
double dsm__plot_heading(dsm__plot_maker *maker, const char *title, const char *below);

/** An axis of a panel. */
typedef struct dsm__panel_axis {
  double low;
  double high; /**< above low; both above 0 if is_log */
  bool is_log;
} dsm__panel_axis;

/** Widens an axis to the next round numbers, and so that it is none without extent. */
dsm__panel_axis dsm__axis_round(dsm__panel_axis axis);

/** Where a value is along an axis, 0 .. 1 within it. */
double dsm__axis_share(const dsm__panel_axis *axis, double value);

/** The next panel: where its axes are, without tics and labels. Then come what is to be put on the
 * page, the `plot` command, and dsm__plot_panel_end. */
void dsm__plot_panel(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis x, dsm__panel_axis y);

/** How the numbers at an axis are written. */
typedef struct dsm__axis_text {
  const char *title;   /**< NULL: none */
  const char *unit;    /**< NULL: plain numbers; else it follows a decimal prefix, "0.5 TFLOP/s" */
  bool has_no_numbers; /**< as where another panel below has the same axis */
} dsm__axis_text;

/* Tics at round values, with numbers that do not overlap, faint lines across the panel, and the
 * title. */
void dsm__plot_x_axis(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis axis,
                      dsm__axis_text text);
void dsm__plot_y_axis(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis axis,
                      dsm__axis_text text);

/** What the numbers and the title of a vertical axis take at the left of a panel that is so high.
 */
double dsm__plot_y_axis_room(dsm__plot_maker *maker, double height, dsm__panel_axis axis,
                             dsm__axis_text text);

/** After the panel's `plot` command: what was put on the page is drawn, and the next panel begins
 * without it. */
void dsm__plot_panel_end(dsm__plot_maker *maker);

/** Draws what was put on the page in a panel without axes. */
void dsm__plot_empty_panel(dsm__plot_maker *maker);

#endif
