/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/svg.h"

#include <math.h>
#include <stdio.h>

#include "report/page/html.h"

dsm__svg_number dsm__svg_length(double value) {
  static const double most = 1e12; /* far beyond any figure: hundredths of it fit a long long */
  const long long hundredths = llround(100 * fmin(fmax(value, -most), most));
  const long long size = hundredths < 0 ? -hundredths : hundredths;
  const char *const sign = hundredths < 0 ? "-" : "";
  dsm__svg_number number;
  if (size % 100 == 0) {
    (void)snprintf(number.text, sizeof number.text, "%s%lld", sign, size / 100);
  } else {
    (void)snprintf(number.text, sizeof number.text, "%s%lld.%02lld", sign, size / 100, size % 100);
  }
  return number;
}

void dsm__svg_begin(dsm__text_buffer *out, const char *class, double width, double height,
                    const char *label) {
  char view_box[80];
  (void)snprintf(view_box, sizeof view_box, "0 0 %s %s", dsm__svg_length(width).text,
                 dsm__svg_length(height).text);
  dsm__html_begin(out, "svg", "class", class, "viewBox", view_box, "role", "img", "aria-label",
                  label, NULL);
  dsm__text_puts(out, "\n");
}

void dsm__svg_end(dsm__text_buffer *out) {
  dsm__html_end(out, "svg");
}

/* The end of a shape: its tooltip is its only content. */
static void close_shape(dsm__text_buffer *out, const char *tag, const char *tooltip) {
  if (tooltip != NULL) {
    dsm__text_puts(out, "<title>");
    dsm__html_text(out, tooltip);
    dsm__text_puts(out, "</title>");
  }
  dsm__html_end(out, tag);
}

void dsm__svg_rect(dsm__text_buffer *out, const char *class, dsm__svg_box box,
                   const char *tooltip) {
  dsm__html_begin(out, "rect", "class", class, "x", dsm__svg_length(box.x).text, "y",
                  dsm__svg_length(box.y).text, "width", dsm__svg_length(box.width).text, "height",
                  dsm__svg_length(box.height).text, NULL);
  close_shape(out, "rect", tooltip);
}

void dsm__svg_circle(dsm__text_buffer *out, const char *class, dsm__svg_point center, double radius,
                     const char *tooltip) {
  dsm__html_begin(out, "circle", "class", class, "cx", dsm__svg_length(center.x).text, "cy",
                  dsm__svg_length(center.y).text, "r", dsm__svg_length(radius).text, NULL);
  close_shape(out, "circle", tooltip);
}

void dsm__svg_line(dsm__text_buffer *out, const char *class, dsm__svg_point from,
                   dsm__svg_point to) {
  dsm__html_begin(out, "line", "class", class, "x1", dsm__svg_length(from.x).text, "y1",
                  dsm__svg_length(from.y).text, "x2", dsm__svg_length(to.x).text, "y2",
                  dsm__svg_length(to.y).text, NULL);
  dsm__html_end(out, "line");
}

void dsm__svg_text(dsm__text_buffer *out, const char *class, dsm__svg_point at, const char *text) {
  dsm__html_element(out, "text", text, "class", class, "x", dsm__svg_length(at.x).text, "y",
                    dsm__svg_length(at.y).text, NULL);
}
