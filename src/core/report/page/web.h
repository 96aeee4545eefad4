/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * web.h: the parts of the HTML page on a plan (dsm_answer_plan_page), a function each. A page is
 * one file that loads nothing: figures are SVG with <title> tooltips and need no script; one small
 * script sorts and filters the table of layers.
 *
 * What grows with the network is bounded, so that a page on ten thousand layers opens as one on
 * sixteen does, and says so where it leaves something out.
 */
#ifndef DSM_REPORT_PAGE_WEB_H
#define DSM_REPORT_PAGE_WEB_H

#include "dsm/answer.h"
#include "report/layout.h"
#include "report/loss.h"

/** Width of a figure over the whole page, in its own units. */
#define DSM__WEB_WIDTH 960.0

/* ---- sections of the page on a plan: of a dsm_plan_page ---- */

void dsm__web_summary(dsm__page *page, const void *of);
void dsm__web_ladder(dsm__page *page, const void *of);
void dsm__web_elasticity(dsm__page *page, const void *of);
void dsm__web_layers(dsm__page *page, const void *of);
void dsm__web_assumptions(dsm__page *page, const void *of);
void dsm__web_inputs(dsm__page *page, const void *of);
void dsm__web_commands(dsm__page *page, const void *of);

/* ---- what several sections use ---- */

/** The colours of the palette that the figures of a layout can need as CSS, for light and dark. */
void dsm__web_colors(dsm__text_buffer *out, const dsm__layout *layout, const void *document);

/** A section, and those that go on in it. */
void dsm__web_section(dsm__page *page, const dsm__layout *layout, const dsm__shown *shown,
                      size_t index);

/** A paragraph. */
void dsm__web_paragraph(dsm__page *page, const char *class, const char *text);

/** A text as it stands, such as commands. */
void dsm__web_code(dsm__page *page, const char *id, const char *text);

/** A column of a table. */
typedef struct dsm__web_title {
  const char *text;
  bool is_number;
} dsm__web_title;

/** Begins a table, whose rows follow. `name` says what scrolls, for assistive technology. */
void dsm__web_table_begin(dsm__page *page, const char *id, const char *name, const char *caption,
                          const dsm__web_title *titles, size_t count);
void dsm__web_table_end(dsm__page *page);

/** A whole table, with the exact values of its numbers. */
void dsm__web_table(dsm__page *page, const char *id, const char *caption, const dsm__table *table);

/** A cell with a number, as people and as programs read it; the text alone where there is none. */
void dsm__web_number(dsm__page *page, const char *class, double exact, const char *text);

/** A figure with its legend and caption: `label` says what it shows. Ends what made it. */
void dsm__web_figure(dsm__page *page, dsm__plot_maker *maker, const char *id, const char *label,
                     const char *caption);

/** "1.234 ms" or "1.234 µs": so many cycles of the plan's clock. */
const char *dsm__web_time(dsm__page *page, const dsm_plan *plan, double cycles);

/** "12.3 %", "under 0.1 %" for what would read as nothing. */
const char *dsm__web_percent(dsm__page *page, double share);

#endif
