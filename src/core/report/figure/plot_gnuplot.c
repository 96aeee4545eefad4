/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_gnuplot.c: figures as commands for gnuplot, which draws what panels show from the data. */
#include <string.h>

#include "base/number_text.h"
#include "report/figure/plot_maker.h"

/* ---- what is put on the page ---- */

void dsm__plot_quote(dsm__plot_maker *maker, const char *text) {
  /* Between single quotes only these mean something to gnuplot. Doubled ones are misread by 5.4
   * where there are several, so that each is a string of its own. */
  dsm__text_puts(&maker->body, "'");
  for (const char *at = dsm__plot_clean(maker, text); *at != '\0'; at++) {
    if (*at == '\'') {
      dsm__text_puts(&maker->body, "'.\"'\".'");
    } else {
      dsm__text_append(&maker->body, at, 1);
    }
  }
  dsm__text_puts(&maker->body, "'");
}

/* A place of the page as gnuplot wants it: parts of the picture, from below. Its width and height
 * stand above all (plot_script.c): here the height may not be known yet. */
static void put_place(dsm__plot_maker *maker, dsm__point at) {
  dsm__text_printf(&maker->body, "screen %.6g/W,1-%.6g/H", at.x, at.y);
}

static void put_label(dsm__plot_maker *maker, dsm__point at, dsm__label_style style,
                      const char *text) {
  static const char *const anchors[] = {
      [DSM__ANCHOR_LEFT] = "left", [DSM__ANCHOR_CENTER] = "center", [DSM__ANCHOR_RIGHT] = "right"};
  dsm__text_puts(&maker->body, "set label ");
  dsm__plot_quote(maker, text);
  dsm__text_puts(&maker->body, " at ");
  put_place(maker, at);
  dsm__text_printf(&maker->body, " %s%s font ',%.4g' tc rgb '%s' front\n", anchors[style.anchor],
                   style.is_upward ? " rotate by 90" : "", style.size,
                   style.color == NULL ? DSM__COLOR_INK : style.color);
}

static void put_box(dsm__plot_maker *maker, dsm__area area, const char *color, const char *about) {
  (void)about;
  dsm__text_puts(&maker->body, "set object rectangle from ");
  put_place(maker, (dsm__point){area.left, area.top + area.height});
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, (dsm__point){area.left + area.width, area.top});
  dsm__text_printf(&maker->body, " fc rgb '%s' fs solid noborder\n", color);
}

static void put_line(dsm__plot_maker *maker, dsm__point from, dsm__point to, const char *color) {
  dsm__text_puts(&maker->body, "set arrow from ");
  put_place(maker, from);
  dsm__text_puts(&maker->body, " to ");
  put_place(maker, to);
  dsm__text_printf(&maker->body, " nohead back lc rgb '%s' lw 0.75\n", color);
}

/* ---- panels ---- */

static void put_range(dsm__plot_maker *maker, char letter, const dsm__panel_axis *axis) {
  char low[DSM__NUMBER_TEXT_SIZE];
  char high[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(axis->low, low);
  (void)dsm__double_to_text(axis->high, high);
  dsm__text_printf(&maker->body, "%s logscale %c; set %crange [%s:%s]\n",
                   axis->is_log ? "set" : "unset", letter, letter, low, high);
}

static void begin_panel(dsm__plot_maker *maker) {
  const dsm__area area = maker->panel.area;
  dsm__text_printf(&maker->body, "set lmargin at screen %.6g/W; set rmargin at screen %.6g/W\n",
                   area.left, area.left + area.width);
  dsm__text_printf(&maker->body, "set tmargin at screen 1-%.6g/H; set bmargin at screen 1-%.6g/H\n",
                   area.top, area.top + area.height);
  put_range(maker, 'x', &maker->panel.x);
  put_range(maker, 'y', &maker->panel.y);
}

/* A panel without marks has a curve that is nowhere: gnuplot draws labels only together with one.
 */
static void end_panel(dsm__plot_maker *maker) {
  const bool has_marks = maker->plots.length > 0;
  dsm__text_puts(&maker->body, has_marks ? maker->plots.text : "plot NaN");
  dsm__text_puts(&maker->body, "\nunset label; unset object; unset arrow\n\n");
  maker->body.failed = maker->body.failed || maker->plots.failed;
  dsm__text_clear(&maker->plots);
  maker->run = NULL;
}

/* ---- what panels show ---- */

/* Begins a block of marks that are drawn in a way, unless the one before is; `columns` says what
 * its lines have. */
static void begin_run(dsm__plot_maker *maker, const char *way, const char *columns) {
  if (maker->run != NULL && strcmp(maker->run, way) == 0) {
    return;
  }
  dsm__text_printf(&maker->plots, "%s$marks index %zu using %s",
                   maker->plots.length == 0 ? "plot " : ", \\\n     ", maker->run_count, way);
  dsm__text_printf(&maker->marks, "%s# %s\n", maker->run_count == 0 ? "" : "\n\n",
                   dsm__plot_clean(maker, columns));
  maker->run_count++;
  maker->run = way;
}

/* The end of the line of a mark: its colour, and what it is. */
static void end_mark(dsm__plot_maker *maker, const char *color, const char *about) {
  dsm__text_printf(&maker->marks, "0x%s\t%s\n", color + 1,
                   about == NULL ? "" : dsm__plot_clean(maker, about));
}

static void mark_box(dsm__plot_maker *maker, dsm__panel_axis x, dsm__panel_axis y,
                     const char *color, const char *about) {
  const double ends[] = {x.low, x.high, y.low, y.high};
  begin_run(maker, "1:3:1:2:3:4:5 with boxxyerror lc rgb variable",
            "boxes: x from, to, y from, to, colour, what it is");
  for (size_t i = 0; i < DSM__COUNT_OF(ends); i++) {
    dsm__plot_put_number(&maker->marks, ends[i]);
  }
  end_mark(maker, color, about);
}

static void mark_points(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                        const dsm__look *look, const char *about) {
  begin_run(maker,
            dsm__plot_text(maker, "1:2:3 with points pt %zu ps %.4g lc rgb variable", look->symbol,
                           look->size),
            "points: x, y, colour, what it is");
  for (size_t i = 0; i < count; i++) {
    dsm__plot_put_number(&maker->marks, points[i].x);
    dsm__plot_put_number(&maker->marks, points[i].y);
    end_mark(maker, look->color, about);
  }
}

static void mark_curve(dsm__plot_maker *maker, const dsm__point *points, size_t count,
                       const dsm__look *look, const char *about) {
  if (!(look->width > 0)) {
    mark_points(maker, points, count, look, about);
    return;
  }
  maker->run = NULL; /* a curve has a block of its own */
  begin_run(maker,
            dsm__plot_text(maker, "1:2 with %s lw %.4g%s%s lc rgb '%s'",
                           look->symbol > 0 ? "linespoints" : "lines", look->width,
                           look->dash == 0 ? "" : dsm__plot_text(maker, " dt %zu", look->dash),
                           look->symbol == 0
                               ? ""
                               : dsm__plot_text(maker, " pt %zu ps %.4g", look->symbol, look->size),
                           look->color),
            about == NULL ? "a curve: x, y" : about);
  for (size_t i = 0; i < count; i++) {
    dsm__plot_put_number(&maker->marks, points[i].x);
    dsm__plot_put_number(&maker->marks, points[i].y);
    dsm__text_puts(&maker->marks, "\n");
  }
  maker->run = NULL;
}

const dsm__back_end dsm__gnuplot = {
    .label = put_label,
    .box = put_box,
    .line = put_line,
    .panel = begin_panel,
    .mark_box = mark_box,
    .mark_curve = mark_curve,
    .panel_end = end_panel,
};
