/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg.h: a figure that stands in a page. */
#ifndef DSM_REPORT_FIGURE_SVG_H
#define DSM_REPORT_FIGURE_SVG_H

#include "report/figure/plot_maker.h"

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

#endif
