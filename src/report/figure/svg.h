/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.h: shapes of figures that stand in a page. Lengths are units of the figure's own coordinates
 * and are written with two decimals and '.' in any locale. Classes give colours; tooltips are
 * <title> elements, which browsers show without a script.
 */
#ifndef DSM_REPORT_FIGURE_SVG_H
#define DSM_REPORT_FIGURE_SVG_H

#include "base/text_buffer.h"

/** A length as an attribute's value: dsm__svg_length(x).text. */
typedef struct dsm__svg_number {
  char text[32];
} dsm__svg_number;
dsm__svg_number dsm__svg_length(double value);

typedef struct dsm__svg_box {
  double x;
  double y;
  double width;
  double height;
} dsm__svg_box;

typedef struct dsm__svg_point {
  double x;
  double y;
} dsm__svg_point;

/** Begins a figure of a size, as one image for assistive technology: `label` says what it shows. */
void dsm__svg_begin(dsm__text_buffer *out, const char *class, double width, double height,
                    const char *label);
void dsm__svg_end(dsm__text_buffer *out);

/** A rectangle; with a tooltip unless that is NULL. */
void dsm__svg_rect(dsm__text_buffer *out, const char *class, dsm__svg_box box, const char *tooltip);

/** A circle; likewise. */
void dsm__svg_circle(dsm__text_buffer *out, const char *class, dsm__svg_point center, double radius,
                     const char *tooltip);

void dsm__svg_line(dsm__text_buffer *out, const char *class, dsm__svg_point from,
                   dsm__svg_point to);

/** Text whose baseline begins at a point; the class may anchor it otherwise. */
void dsm__svg_text(dsm__text_buffer *out, const char *class, dsm__svg_point at, const char *text);

#endif
