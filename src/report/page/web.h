/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * web.h: the parts of the HTML page on a plan (dsm_report_plan_page), a function each. A page is
 * one file that loads nothing: figures are SVG with <title> tooltips and need no script; one small
 * script sorts and filters the table of layers.
 *
 * What grows with the network is bounded, so that a page on ten thousand layers opens as one on
 * sixteen does, and says so where it leaves something out.
 */
#ifndef DSM_REPORT_PAGE_WEB_H
#define DSM_REPORT_PAGE_WEB_H

#include "dsm/report.h"
#include "report/figure/palette.h"
#include "report/loss.h"
#include "report/table/text_page.h"

/** Bounds of what grows with the network. */
enum {
  DSM__WEB_BAR_LAYERS_MAX = 100, /**< layers with bars of their own */
  DSM__WEB_POINTS_MAX = 600,     /**< passes on the roofline */
  DSM__WEB_ROWS_MAX = 2000,      /**< rows of the table of passes */
  DSM__WEB_DECLARED_MAX = 1000   /**< rows of the table of declared layers */
};

/** Narrower columns of figures over time than this, in units of a figure, are drawn as one. */
#define DSM__WEB_COLUMN_MIN 2.0

/** Width of a figure over the whole page, in its own units. */
#define DSM__WEB_WIDTH 960.0

/* ---- sections, in the order of the page ---- */

void dsm__web_summary(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_ladder(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_step(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_losses(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_elasticity(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_roofline(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_memory(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_layers(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_assumptions(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_inputs(dsm__page *page, const dsm_plan_page *subject);
void dsm__web_commands(dsm__page *page, const dsm_plan_page *subject);

/* ---- what several sections use ---- */

/** "part-3": the class that colours a part. */
const char *dsm__web_part_class(dsm__page *page, int part);

/** Colours of parts, passes and kinds of memory as CSS, for light and dark. */
void dsm__web_colors(dsm__text_buffer *out);

/** Appends a legend of the parts of which there is anything. */
void dsm__web_parts_legend(dsm__page *page, const dsm__time_parts *used);

/** One entry of a legend. */
void dsm__web_legend_entry(dsm__page *page, const char *class, const char *text);

/** A paragraph. */
void dsm__web_paragraph(dsm__page *page, const char *class, const char *text);

/** A column of a table. */
typedef struct dsm__web_title {
  const char *text;
  bool is_number;
} dsm__web_title;

/** Begins a table, whose rows follow. `name` says what scrolls, for assistive technology. */
void dsm__web_table_begin(dsm__page *page, const char *id, const char *name, const char *caption,
                          const dsm__web_title *titles, size_t count);
void dsm__web_table_end(dsm__page *page);

/** A cell with a number, as people and as programs read it. */
void dsm__web_number(dsm__page *page, double exact, const char *text);

/** Begins a figure: its legend follows, then its drawing. */
void dsm__web_figure_begin(dsm__page *page, const char *id);

/** Begins what is scrolled where it is wider than the page. `name` says what scrolls, for assistive
 * technology. */
void dsm__web_scroll_begin(dsm__page *page, const char *name);
void dsm__web_scroll_end(dsm__page *page);

/** Ends a figure, whose drawing was ended. */
void dsm__web_figure_end(dsm__page *page, const char *caption);

/** A name in at most `width` columns, shortened in its middle. */
const char *dsm__web_short_name(dsm__page *page, const char *name, size_t width);

/** "1.234 ms" or "1.234 µs": so many cycles of the plan's clock. */
const char *dsm__web_time(dsm__page *page, const dsm_plan *plan, double cycles);

/** The same in the unit that suits `most`, for the ticks of an axis. */
const char *dsm__web_tick_time(dsm__page *page, const dsm_plan *plan, double cycles, double most);

/** "12.3 %", "under 0.1 %" for what would read as nothing. */
const char *dsm__web_percent(dsm__page *page, double share);

/** A pass of a layer of the plan. */
typedef struct dsm__web_pass {
  size_t layer;
  dsm_pass pass;
  double cycles;
} dsm__web_pass;

/** Passes of a plan, in order of layers and passes. */
typedef struct dsm__web_passes {
  dsm__web_pass *items; /**< of the page's arena */
  size_t count;
  size_t left_out;    /**< passes that are not among them */
  double left_cycles; /**< what these take */
} dsm__web_passes;

/** Those `most` passes that take longest, of equals the first. Empty, and the page fails, if out of
 * memory. */
dsm__web_passes dsm__web_longest_passes(dsm__page *page, const dsm_plan *plan, size_t most);

#endif
