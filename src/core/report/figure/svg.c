/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.c: figures as shapes of a page. Lengths are units of the figure's own coordinates and are
 * written with two decimals and '.' in any locale. Classes give colours; tooltips are <title>
 * elements, which browsers show without a script.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/plot_maker.h"
#include "report/page/html.h"
#include "report/table/number_style.h"

/* Lower boxes cannot be seen. */
static const double least_height = 0.2;
static const double point_radius = 3.5;

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

/* The class of a colour of the palette, after others: "c-009E73". */
static const char *class_of(dsm__plot_maker *maker, const char *others, const char *color) {
  return dsm__plot_text(maker, "%s%sc-%s", others, others[0] == '\0' ? "" : " ", color + 1);
}

void dsm__svg_swatch(dsm__text_buffer *out, const char *color) {
  dsm__text_printf(out, "<span class=\"swatch c-%s\" aria-hidden=\"true\"></span>", color + 1);
}

/* ---- shapes ---- */

/* The end of a shape: its tooltip is its only content. */
static void close_shape(dsm__text_buffer *out, const char *tag, const char *about) {
  if (about != NULL) {
    dsm__text_puts(out, "<title>");
    dsm__html_text(out, about);
    dsm__text_puts(out, "</title>");
  }
  dsm__html_end(out, tag);
}

static void put_rectangle(dsm__text_buffer *out, const char *class, dsm__area area,
                          const char *about) {
  dsm__html_begin(out, "rect", "class", class, "x", dsm__svg_length(area.left).text, "y",
                  dsm__svg_length(area.top).text, "width", dsm__svg_length(area.width).text,
                  "height", dsm__svg_length(area.height).text, NULL);
  close_shape(out, "rect", about);
}

static void put_segment(dsm__text_buffer *out, const char *class, dsm__point from, dsm__point to) {
  dsm__html_begin(out, "line", "class", class, "x1", dsm__svg_length(from.x).text, "y1",
                  dsm__svg_length(from.y).text, "x2", dsm__svg_length(to.x).text, "y2",
                  dsm__svg_length(to.y).text, NULL);
  dsm__html_end(out, "line");
}

static void put_box(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about) {
  put_rectangle(&maker->body, class_of(maker, "", color), area, about);
}

static void put_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color) {
  put_segment(&maker->grid, class_of(maker, "", color), from, to);
}

static void put_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                      const char *text) {
  static const char *const anchors[] = {
      [DSM__ANCHOR_LEFT] = "start", [DSM__ANCHOR_CENTER] = "middle", [DSM__ANCHOR_RIGHT] = "end"};
  dsm__text_buffer *const out = &maker->labels;
  const char *const x = dsm__plot_text(maker, "%s", dsm__svg_length(at.x).text);
  const char *const y = dsm__plot_text(maker, "%s", dsm__svg_length(at.y).text);
  const char *const class = style.color == NULL
                                ? anchors[style.anchor]
                                : class_of(maker, anchors[style.anchor], style.color);
  dsm__html_element(out, "text", text, "class", class, "font-size",
                    dsm__svg_length(style.size).text, "x", x, "y", y,
                    style.is_upward ? "transform" : NULL,
                    dsm__plot_text(maker, "rotate(-90 %s %s)", x, y), NULL);
}

/* ---- panels ---- */

/* Where values are; what is beyond the axes lies on their ends. */
static dsm__point place(const dsm__panel *panel, double x, double y) {
  const double across = dsm__axis_share(&panel->x, x);
  const double up = dsm__axis_share(&panel->y, y);
  return (dsm__point){
      .x = panel->area.left + panel->area.width * fmin(fmax(across, 0), 1),
      .y = panel->area.top + panel->area.height * (1 - fmin(fmax(up, 0), 1)),
  };
}

static void begin_panel(dsm__plot_maker *maker) {
  (void)maker; /* what it shows has its place on the page */
}

static void end_panel(dsm__plot_maker *maker) {
  put_rectangle(&maker->labels, "frame", maker->panel.area, NULL);
}

/* ---- what panels show ---- */

/* Unless that is too low to be seen. */
static void mark_box(dsm__plot_maker *maker, dsm__panel_axis x, dsm__panel_axis y,
                     const char *color, const char *about) {
  const dsm__point from = place(&maker->panel, x.low, y.high);
  const dsm__point to = place(&maker->panel, x.high, y.low);
  if (to.y - from.y > least_height) {
    put_box(maker, (dsm__area){from.x, from.y, to.x - from.x, to.y - from.y}, color, about);
  }
}

static void mark_curve(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                       const dsm__look *look, const char *about) {
  const char *const class =
      strcmp(look->color, DSM__COLOR_INK) == 0 ? "roof" : class_of(maker, "", look->color);
  for (size_t i = 1; i < count && look->width > 0; i++) {
    put_segment(&maker->body, class, place(&maker->panel, points[i - 1].x, points[i - 1].y),
                place(&maker->panel, points[i].x, points[i].y));
  }
  for (size_t i = 0; i < count && look->symbol > 0; i++) {
    const dsm__point at = place(&maker->panel, points[i].x, points[i].y);
    dsm__html_begin(&maker->body, "circle", "class", class_of(maker, "point", look->color), "cx",
                    dsm__svg_length(at.x).text, "cy", dsm__svg_length(at.y).text, "r",
                    dsm__svg_length(point_radius).text, NULL);
    close_shape(&maker->body, "circle", about);
  }
}

const dsm__back_end dsm__svg = {
    .label = put_label,
    .box = put_box,
    .line = put_line,
    .panel = begin_panel,
    .mark_box = mark_box,
    .mark_curve = mark_curve,
    .panel_end = end_panel,
};

/* ---- the whole figure ---- */

void dsm__svg_legend(dsm__plot_maker *maker, const dsm__legend_entry *entry) {
  dsm__text_buffer *const out = &maker->legend;
  dsm__html_begin(out, "li", NULL);
  dsm__svg_swatch(out, entry->color);
  dsm__html_text(out, entry->text);
  dsm__html_end(out, "li");
}

dsm__plot_maker dsm__svg_begin(dsm__arena *arena, double width) {
  return (dsm__plot_maker){
      .back_end = &dsm__svg, .arena = arena, .title = "", .width = width, .is_in_page = true};
}

void dsm__svg_end(dsm__plot_maker *maker, dsm__text_buffer *out, const char *class,
                  const char *label) {
  const dsm__text_buffer *const layers[] = {&maker->grid, &maker->body, &maker->labels};
  const char *const box = dsm__plot_text(maker, "0 0 %s %s", dsm__svg_length(maker->width).text,
                                         dsm__svg_length(maker->height).text);
  dsm__html_begin(out, "svg", "class", class, "viewBox", box, "role", "img", "aria-label", label,
                  NULL);
  dsm__text_puts(out, "\n");
  out->failed = out->failed || maker->legend.failed;
  for (size_t i = 0; i < DSM__COUNT_OF(layers); i++) {
    out->failed = out->failed || layers[i]->failed;
    dsm__text_append(out, layers[i]->text == NULL ? "" : layers[i]->text, layers[i]->length);
  }
  dsm__html_end(out, "svg");
  dsm__plot_free_texts(maker);
}
