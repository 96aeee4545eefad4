/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_maker.h: a figure that is being made, described once and drawn by one of two back ends: as
 * texts for gnuplot (plot_gnuplot.c), or as shapes of a page (svg.c).
 *
 * Everything has its place in units from the upper left corner of the picture, which is computed
 * here and not by gnuplot: only then is it known that no two labels overlap. A figure is a page of
 * panels, each of which has margins and axes of its own; labels, boxes and lines that are put on
 * the page are drawn with the next panel, or at the end. Whatever cannot be allocated makes the
 * figure fail as a whole, at its end.
 */
#ifndef DSM_REPORT_FIGURE_PLOT_MAKER_H
#define DSM_REPORT_FIGURE_PLOT_MAKER_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/plot.h"
#include "report/figure/palette.h"

#define DSM__PLOT_MARGIN 10.0

/* Sizes of text, in units: on a page of paper a unit is 2/3 of a point. */
#define DSM__SIZE_TITLE 13.0
#define DSM__SIZE_TEXT 11.0  /**< legends, labels of axes */
#define DSM__SIZE_SMALL 10.0 /**< numbers at axes, names of layers */
/** From line to line, as a multiple of the size. */
#define DSM__LINE_PITCH 1.35

/* ---- where things are ---- */

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

/** An axis of a panel. */
typedef struct dsm__panel_axis {
  double low;
  double high; /**< above low; both above 0 if is_log */
  bool is_log;
} dsm__panel_axis;

typedef struct dsm__panel {
  dsm__area area;
  dsm__panel_axis x;
  dsm__panel_axis y;
} dsm__panel;

typedef struct dsm__plot_maker dsm__plot_maker;
typedef struct dsm__back_end dsm__back_end;

/** A text that a figure has, and how it reads there. */
typedef struct dsm__shown_text {
  const struct dsm__shown_text *next;
  const char *text;
  const char *fitted; /**< as much as fits */
  const char *shown;
  double size;
  double width;
} dsm__shown_text;

struct dsm__plot_maker {
  const dsm__back_end *back_end;
  dsm__arena *arena;
  const char *title;
  const char *note; /**< what a figure of a page leaves out, or NULL */
  double width;
  double height; /**< set before the end */
  bool
      is_in_page; /**< of a report: it has no heading, and what grows with the network is bounded */
  bool is_unfolded; /**< equal layers stand one by one */
  dsm__panel panel;
  const dsm__shown_text *shown; /**< of dsm__plot_fit_apart */
  dsm__text_buffer body;
  dsm__text_buffer legend; /**< of a page, before the picture */
  dsm__text_buffer grid;   /**< of a page, behind its body */
  dsm__text_buffer labels; /**< of a page, in front of it */
  dsm__text_buffer marks;  /**< for gnuplot: what panels show, as data */
  dsm__text_buffer plots;  /**< for gnuplot: the command that draws the marks of the panel */
  size_t run_count;        /**< of blocks of marks that are drawn alike */
  const char *run;         /**< how the last of them is drawn; NULL: the next mark begins one */
};

/** Begins a figure for gnuplot; DSM_ERROR_OUT_OF_MEMORY, and then there is nothing to finish. */
DSM_NODISCARD dsm_status dsm__plot_begin(dsm__plot_maker *maker, dsm_diags *diags);

/** Ends a figure and frees what it was made with. DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__plot_finish(dsm__plot_maker *maker, dsm_plot **plot,
                                          dsm_diags *diags);

/** Frees what a figure that is given up was made with, but for its arena. */
void dsm__plot_free_texts(dsm__plot_maker *maker);

/* A number as the shortest text that reads back, followed by a tab; "NaN" unless it is finite. */
void dsm__plot_put_number(dsm__text_buffer *data, double value);

/* ---- texts ---- */

/** Units that a text takes at most, in which of the usual sans-serif fonts it ever is set. */
double dsm__plot_text_width(const char *text, double size);

/** A text formatted into the arena. Never NULL. */
const char *dsm__plot_text(dsm__plot_maker *maker, const char *format, ...) DSM_PRINTF(2, 3);

/** A text that was made in the arena; NULL, as memory is out: the figure fails, and it is "". */
const char *dsm__plot_kept(dsm__plot_maker *maker, const char *text);

/** The text, or as much of its beginning and end as fits, with an ellipsis between. Never NULL. */
const char *dsm__plot_fit(dsm__plot_maker *maker, const char *text, double size, double width);

/** The same of the names of a list, in the arena: one that would read as an earlier one has its
 * number behind it, "stage0…conv (2)". Never NULL. O(count squared). */
const char *const *dsm__plot_fit_all(dsm__plot_maker *maker, const char *const *names, size_t count,
                                     double size, double width);

/** The same of texts that come one by one: one that would read as another one of the figure has a
 * number behind it. */
const char *dsm__plot_fit_apart(dsm__plot_maker *maker, const char *text, double size,
                                double width);

/** A text without what steers a terminal, or gnuplot. Never NULL. */
const char *dsm__plot_clean(dsm__plot_maker *maker, const char *text);

/* ---- what is put on the page ---- */

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

void dsm__plot_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                     const char *text);
/** With a tooltip in pages, unless `about` is NULL. */
void dsm__plot_box(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about);
void dsm__plot_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color);

/** Something in a legend. */
typedef struct dsm__legend_entry {
  const char *color;
  const char *text;
} dsm__legend_entry;

/** Puts a legend below the heading, between the page's margins in as many lines as it needs, and
 * returns where it ends. In a report it stands before the picture. */
double dsm__plot_legend(dsm__plot_maker *maker, const dsm__legend_entry *entries, size_t count);

/** What the heading takes from the top of the page. */
double dsm__plot_heading_height(const dsm__plot_maker *maker);

/** The title, and a line below it, each shortened to the page's width; nothing in a report. */
void dsm__plot_heading(dsm__plot_maker *maker, const char *title, const char *below);

/* ---- panels ---- */

/** Widens an axis to the next round numbers, and so that it is none without extent. */
dsm__panel_axis dsm__axis_round(dsm__panel_axis axis);

/** Where a value is along an axis, 0 .. 1 within it. */
double dsm__axis_share(const dsm__panel_axis *axis, double value);

/** The next panel: where its axes are, without tics and labels. Then come what is to be put on the
 * page, what it shows, and its end. */
void dsm__plot_panel(dsm__plot_maker *maker, dsm__area area, dsm__panel_axis x, dsm__panel_axis y);
void dsm__plot_panel_end(dsm__plot_maker *maker);

/** Where values of the panel that was begun last are on the page. */
dsm__point dsm__plot_place(const dsm__plot_maker *maker, double x, double y);

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

/* ---- what panels show ---- */

/** How a curve and its points look. */
typedef struct dsm__look {
  const char *color;
  double width;  /**< of the line; 0: there is none, but points */
  size_t dash;   /**< of the line, by gnuplot's number; 0: it is whole */
  size_t symbol; /**< of its points, by gnuplot's number; 0: none is seen */
  double size;   /**< of these */
} dsm__look;

/* Marks of the panel that was begun last, in the units of its axes. `about` says what a mark is: a
 * tooltip of a page, and the end of its line in the data for gnuplot; NULL: nothing. */

/** A box. */
void dsm__mark_box(dsm__plot_maker *maker, dsm__panel_axis x, dsm__panel_axis y, const char *color,
                   const char *about);
/** A line from point to point, with a gap at those whose y is NAN; or points alone. */
void dsm__mark_curve(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                     const dsm__look *look, const char *about);

/** Appends a text to the body as a quoted string of gnuplot, whatever it contains. */
void dsm__plot_quote(dsm__plot_maker *maker, const char *text);

/** What draws a figure: marks come in the panel that was begun last. */
struct dsm__back_end {
  void (*label)(dsm__plot_maker *maker, dsm__point at, dsm__label_style style, const char *text);
  void (*box)(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about);
  void (*line)(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color);
  void (*panel)(dsm__plot_maker *maker);
  void (*mark_box)(dsm__plot_maker *maker, dsm__panel_axis x, dsm__panel_axis y, const char *color,
                   const char *about);
  void (*mark_curve)(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                     const dsm__look *look, const char *about);
  void (*panel_end)(dsm__plot_maker *maker);
};
extern const dsm__back_end dsm__gnuplot;
extern const dsm__back_end dsm__svg;

/* ---- figures that stand in a page ---- */

/** A length as an attribute's value: dsm__svg_length(x).text. */
typedef struct dsm__svg_number {
  char text[32];
} dsm__svg_number;
dsm__svg_number dsm__svg_length(double value);

/** Appends a small square of a colour of the palette, for legends. */
void dsm__svg_swatch(dsm__text_buffer *out, const char *color);

/** Begins a figure, whose texts are of the arena. */
dsm__plot_maker dsm__svg_begin(dsm__arena *arena, double width);

/** Appends an entry of the legend. */
void dsm__svg_legend(dsm__plot_maker *maker, const dsm__legend_entry *entry);

/** Appends the picture, as one image for assistive technology: `label` says what it shows. Frees
 * what it was made with. */
void dsm__svg_end(dsm__plot_maker *maker, dsm__text_buffer *out, const char *class,
                  const char *label);

/* ---- labels for points ---- */

/** What of an area is taken, in small squares: labels stand beside their points, or further away
 * with a line to it, never over another label or point. */
typedef struct dsm__places {
  dsm__area area;
  size_t columns;
  size_t rows;
  unsigned char *uses; /**< columns * rows, of the arena; bits of dsm__place_use */
  bool has_less;       /**< is anything of DSM__PLACE_LESS taken? */
} dsm__places;

/** What takes places. No label goes over points or labels, and over what is less only where there
 * is no other room; the line to a label goes over all but labels. */
typedef enum dsm__place_use {
  DSM__PLACE_POINT = 1,
  DSM__PLACE_LABEL = 2,
  DSM__PLACE_LESS = 4
} dsm__place_use;

/** Nothing of the area is taken; false if out of memory. */
bool dsm__places_init(dsm__places *places, dsm__area area, dsm__arena *arena);

/** Takes what is around a level or upright line, or a point; outside of the area nothing counts. */
void dsm__places_take(dsm__places *places, dsm__point from, dsm__point to, double around,
                      dsm__place_use use);

/** Puts a text in small letters where there is room near a point, with a line to it where it is
 * far; false if there is none. */
bool dsm__places_label(dsm__places *places, dsm__plot_maker *maker, dsm__point point,
                       const char *text);

#endif
