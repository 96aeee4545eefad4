/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_lines.c: a result over an axis, a line a series; over words a series is marks without a
 * line.
 *
 * Where the series are named by several axes, the last of them has the colours and the others the
 * dashes and marks, so that lines that belong together look alike.
 */
#include <math.h>

#include "report/figure/points_page.h"

static const double axes_height = 150;
static const double sample_width = 22;
static const double sample_gap = 4;
static const double entry_gap = 14;
/* Of marks on lines, and without. */
static const double mark_scale = 0.5;
static const double alone_scale = 0.8;
static const double legend_pitch = DSM__SIZE_TEXT * DSM__LINE_PITCH;
enum { COLORS = 8, DASHES = 5 };

typedef struct figure {
  dsm__chart chart;
  dsm__point_choice *choice;
  dsm__look *looks; /* one a series */
  const char **names;
  dsm__point_groups order; /* of rows: those of a line follow each other */
} figure;

/* The looks of lines: see above. */
static bool choose_looks(figure *f) {
  static const size_t symbols[] = {7, 5, 9, 13, 11, 6, 4, 8};
  dsm__point_choice *const choice = f->choice;
  const dsm__axis_list *const list = &choice->series;
  const size_t count = choice->of_series.count;
  const bool is_category = f->chart.x.is_category;
  const dsm__point_axis *const last = list->count > 0 ? list->items[list->count - 1] : NULL;
  dsm__point_groups others;
  f->looks = dsm__arena_array(choice->arena, count, sizeof *f->looks);
  f->names = dsm__arena_array(choice->arena, count, sizeof *f->names);
  if (f->looks == NULL || f->names == NULL ||
      !dsm__point_groups_make(&others, choice->arena, list->items,
                              list->count > 0 ? list->count - 1 : 0, choice->points.row_count)) {
    return false;
  }
  const bool is_split =
      list->count > 1 && last->value_count <= COLORS && others.count <= DSM__COUNT_OF(symbols);
  for (size_t s = 0; s < count; s++) {
    const size_t row = choice->of_series.example[s];
    const size_t color = is_split ? last->of_row[row] : s % COLORS;
    const size_t other = is_split ? others.of_row[row] : s / COLORS;
    f->looks[s] = (dsm__look){.color = dsm__color_of_series(color),
                              .width = is_category ? 0 : 1.5, /* nothing is between words */
                              .dash = other % DASHES + 1,
                              .symbol = symbols[other % DSM__COUNT_OF(symbols)],
                              .size = is_category ? alone_scale : mark_scale};
    f->names[s] = dsm__point_label(choice->arena, list->items, list->count, row);
    if (f->names[s] == NULL) {
      return false;
    }
  }
  return true;
}

/* ---- the legend ---- */

static void put_sample(figure *f, dsm__point at, const dsm__look *shown) {
  dsm__text_buffer *const body = &f->chart.maker->body;
  if (!f->chart.x.is_category) {
    dsm__text_printf(body,
                     "set arrow from screen %.6g/W,1-%.6g/H to screen %.6g/W,1-%.6g/H nohead back "
                     "lw 1.5 dt %zu lc rgb '%s'\n",
                     at.x, at.y, at.x + sample_width, at.y, shown->dash, shown->color);
  }
  dsm__text_printf(
      body, "set label '' at screen %.6g/W,1-%.6g/H point pt %zu ps %.1f lc rgb '%s' front\n",
      at.x + sample_width / 2, at.y, shown->symbol, shown->size, shown->color);
}

/* Names of lines beside samples of them, in as many lines as they need; where they end. */
static double put_legend(figure *f) {
  const double top = dsm__plot_heading_height(f->chart.maker);
  const dsm__point_groups *const series = &f->choice->of_series;
  const double room = f->chart.maker->width - 2 * DSM__PLOT_MARGIN;
  if (f->choice->series.count == 0 || series->count == 0) {
    return top;
  }
  double widest = 0;
  for (size_t s = 0; s < series->count; s++) {
    widest = fmax(widest, dsm__plot_text_width(f->names[s], DSM__SIZE_TEXT));
  }
  /* In columns of the same width, from top to bottom. */
  const double fit = floor(room / (sample_width + sample_gap + widest + entry_gap));
  const size_t most = fit < 1 ? 1 : (size_t)fit;
  const size_t rows = (series->count + most - 1) / most;
  const size_t columns = (series->count + rows - 1) / rows;
  const double step = columns == 1 ? room : sample_width + sample_gap + widest + entry_gap;
  const char *const *const names = dsm__plot_fit_all(
      f->chart.maker, f->names, series->count, DSM__SIZE_TEXT, step - sample_width - sample_gap);
  for (size_t s = 0; s < series->count; s++) {
    const size_t column = s / rows;
    const double x = DSM__PLOT_MARGIN + (double)column * step;
    const double y = top + ((double)(s % rows) + 0.5) * legend_pitch;
    put_sample(f, (dsm__point){x, y}, &f->looks[s]);
    dsm__plot_label(f->chart.maker, (dsm__point){x + sample_width + sample_gap, y},
                    (dsm__label_style){.size = DSM__SIZE_TEXT}, names[s]);
  }
  return top + (double)rows * legend_pitch;
}

/* ---- panels ---- */

static dsm__point point_of(const figure *f, size_t row) {
  const dsm__point_choice *const choice = f->choice;
  return (dsm__point){dsm__scale_position(&f->chart.x, choice->x->of_row[row]),
                      dsm__measured(&choice->points, row, choice->result, &f->chart.measure)};
}

/* Where there is no result, once a place. */
static void put_gap(figure *f, size_t row, dsm__area area, bool *is_marked) {
  const size_t value = f->choice->x->of_row[row];
  if (!is_marked[value]) {
    const double share = dsm__axis_share(&f->chart.x.axis, point_of(f, row).x);
    dsm__points_cross(f->chart.maker,
                      (dsm__point){area.left + area.width * share, area.top + area.height - 5});
  }
  is_marked[value] = true;
}

/* The lines of a panel. */
static void put_lines(void *made, size_t panel, dsm__area area) {
  figure *const f = made;
  dsm__plot_maker *const maker = f->chart.maker;
  const size_t *const of_series = f->choice->of_series.of_row;
  const char *const title = f->chart.panels[panel];
  size_t count;
  const size_t *const rows = dsm__points_of_panel(f->choice, &f->order, panel, &count);
  bool *const is_marked = dsm__arena_array(maker->arena, f->choice->x->value_count, 1);
  dsm__point *const points = dsm__arena_array(maker->arena, count, sizeof *points);
  maker->body.failed = maker->body.failed || points == NULL || is_marked == NULL;
  for (size_t i = 0; i < count && !maker->body.failed;) {
    const size_t series = of_series[rows[i]];
    size_t all = 0;
    size_t numbers = 0;
    for (; i < count && of_series[rows[i]] == series; i++) {
      points[all] = point_of(f, rows[i]);
      if (isnan(points[all++].y)) {
        put_gap(f, rows[i], area, is_marked);
      } else {
        numbers++;
      }
    }
    if (numbers > 0) {
      dsm__mark_curve(
          maker, points, all, &f->looks[series],
          dsm__plot_text(maker, "%s%s%s", title, title[0] == '\0' ? "" : ": ", f->names[series]));
    }
  }
}

static bool choose_y(figure *f) {
  dsm__result_range range = {.is_any = false};
  for (size_t row = 0; row < f->choice->points.row_count; row++) {
    dsm__result_range_add(&range, point_of(f, row).y);
  }
  return dsm__result_axis_choose(&f->chart.y.axis, f->choice, &range, DSM_PLOT_AXIS_Y,
                                 f->choice->result);
}

bool dsm__plot_lines(dsm__plot_maker *maker, dsm__point_choice *choice) {
  figure f = {.choice = choice};
  if (!dsm__point_choice_result(choice, "--y", choice->view->y) ||
      !dsm__point_choice_axes(choice, DSM__POINTS_LINES, choice->view->series) ||
      !dsm__point_choice_order(choice, &f.order) || !dsm__chart_begin(&f.chart, maker, choice) ||
      !dsm__scale_of_values(&f.chart.x, choice, choice->x) ||
      !dsm__point_choice_has(choice, choose_looks(&f)) || !choose_y(&f)) {
    return false;
  }
  const double values = (double)choice->x->value_count;
  f.chart.title = dsm__plot_text(maker, "%s over %s", f.chart.measure.title, f.chart.x.title);
  f.chart.top = put_legend(&f) + 6;
  f.chart.height = f.chart.panel_count == 1 ? 1.6 * axes_height : axes_height;
  f.chart.least_width = fmax(f.chart.x.is_category ? fmin(40.0 * values, 600) : 0, 140);
  dsm__chart_lay_out(&f.chart);
  dsm__chart_draw(&f.chart, put_lines, &f);
  return true;
}
