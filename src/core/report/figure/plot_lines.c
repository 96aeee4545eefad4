/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_lines.c: a result over an axis, a line a series; over words a series is marks without a
 * line.
 *
 * Where the series are named by several axes, the last of them has the colours and the others the
 * dashes and marks, so that lines that belong together look alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
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

/* A point of a line. */
typedef struct spot {
  size_t panel;
  size_t series;
  double x;
  double y; /* NAN: no result */
  size_t row;
} spot;

typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm__measure measure;
  dsm__value_scale x;
  dsm__point_groups panels;
  dsm__point_groups series;
  dsm__look *looks; /* one a series */
  const char **names;
  spot *spots; /* sorted by panel, series, x */
  dsm__panel_axis y;
  dsm__panel_grid grid;
  bool has_gaps;
} figure;

/* ---- what is drawn ---- */

static int compare_spots(const void *first, const void *second) {
  const spot *const a = first;
  const spot *const b = second;
  const int by_line =
      dsm__order_then(dsm__order_whole(a->panel, b->panel), dsm__order_whole(a->series, b->series));
  const int by_place = dsm__order_then(dsm__order(a->x, b->x), dsm__order_whole(a->row, b->row));
  return dsm__order_then(by_line, by_place);
}

static bool find_spots(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  const size_t count = choice->points.row_count;
  f->spots = dsm__arena_array(choice->arena, count, sizeof *f->spots);
  if (f->spots == NULL) {
    return false;
  }
  for (size_t row = 0; row < count; row++) {
    f->spots[row] = (spot){
        .panel = f->panels.of_row[row],
        .series = f->series.of_row[row],
        .x = dsm__value_position(&f->x, choice->x->of_row[row]),
        .y = dsm__measured(&choice->points, row, choice->result, &f->measure),
        .row = row,
    };
    f->has_gaps = f->has_gaps || isnan(f->spots[row].y);
  }
  if (count > 1) {
    qsort(f->spots, count, sizeof *f->spots, compare_spots);
  }
  return true;
}

/* The looks of lines: see above. */
static bool choose_looks(figure *f) {
  static const size_t symbols[] = {7, 5, 9, 13, 11, 6, 4, 8};
  const dsm__axis_list *const list = &f->choice->series;
  const dsm__point_axis *const last = list->count > 0 ? list->items[list->count - 1] : NULL;
  dsm__point_groups others;
  if (!dsm__point_groups_make(&others, f->choice->arena, list->items,
                              list->count > 0 ? list->count - 1 : 0, f->choice->points.row_count)) {
    return false;
  }
  const bool is_split =
      list->count > 1 && last->value_count <= COLORS && others.count <= DSM__COUNT_OF(symbols);
  for (size_t s = 0; s < f->series.count; s++) {
    const size_t row = f->series.example[s];
    const size_t color = is_split ? last->of_row[row] : s % COLORS;
    const size_t other = is_split ? others.of_row[row] : s / COLORS;
    f->looks[s] = (dsm__look){.color = dsm__color_of_series(color),
                              .width = f->x.is_category ? 0 : 1.5, /* nothing is between words */
                              .dash = other % DASHES + 1,
                              .symbol = symbols[other % DSM__COUNT_OF(symbols)],
                              .size = f->x.is_category ? alone_scale : mark_scale};
    f->names[s] = dsm__point_label(f->choice->arena, list->items, list->count, row);
    if (f->names[s] == NULL) {
      return false;
    }
  }
  return true;
}

static bool prepare(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  dsm__arena *const arena = choice->arena;
  const size_t rows = choice->points.row_count;
  if (!dsm__point_groups_make(&f->panels, arena, choice->panels.items, choice->panels.count,
                              rows) ||
      !dsm__point_groups_make(&f->series, arena, choice->series.items, choice->series.count,
                              rows)) {
    return false;
  }
  f->looks = dsm__arena_array(arena, f->series.count, sizeof *f->looks);
  f->names = dsm__arena_array(arena, f->series.count, sizeof *f->names);
  return f->looks != NULL && f->names != NULL && choose_looks(f) && find_spots(f);
}

/* ---- the legend ---- */

static void put_sample(figure *f, dsm__point at, const dsm__look *shown) {
  dsm__text_buffer *const body = &f->maker->body;
  const double y = 1 - at.y / f->maker->height;
  if (!f->x.is_category) {
    dsm__text_printf(
        body,
        "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead back lw 1.5 dt %zu "
        "lc rgb '%s'\n",
        at.x / f->maker->width, y, (at.x + sample_width) / f->maker->width, y, shown->dash,
        shown->color);
  }
  dsm__text_printf(
      body, "set label '' at screen %.6f,%.6f point pt %zu ps %.1f lc rgb '%s' front\n",
      (at.x + sample_width / 2) / f->maker->width, y, shown->symbol, shown->size, shown->color);
}

/* Names of lines beside samples of them, in as many lines as they need; the height. */
static double put_legend(figure *f, double top, bool is_drawn) {
  const double room = f->maker->width - 2 * DSM__PLOT_MARGIN;
  if (f->choice->series.count == 0 || f->series.count == 0) {
    return 0;
  }
  double widest = 0;
  for (size_t s = 0; s < f->series.count; s++) {
    widest = fmax(widest, dsm__plot_text_width(f->names[s], DSM__SIZE_TEXT));
  }
  /* In columns of the same width, from top to bottom. */
  const double fit = floor(room / (sample_width + sample_gap + widest + entry_gap));
  const size_t most = fit < 1 ? 1 : (size_t)fit;
  const size_t rows = (f->series.count + most - 1) / most;
  const size_t columns = (f->series.count + rows - 1) / rows;
  const double step = columns == 1 ? room : sample_width + sample_gap + widest + entry_gap;
  const char *const *const names = dsm__plot_fit_all(
      f->maker, f->names, f->series.count, DSM__SIZE_TEXT, step - sample_width - sample_gap);
  for (size_t s = 0; s < f->series.count && is_drawn; s++) {
    const size_t column = s / rows;
    const double x = DSM__PLOT_MARGIN + (double)column * step;
    const double y = top + ((double)(s % rows) + 0.5) * legend_pitch;
    put_sample(f, (dsm__point){x, y}, &f->looks[s]);
    dsm__plot_label(f->maker, (dsm__point){x + sample_width + sample_gap, y},
                    (dsm__label_style){.size = DSM__SIZE_TEXT}, names[s]);
  }
  return (double)rows * legend_pitch;
}

/* ---- panels ---- */

/* Where there is no result, once a place. */
static void put_gaps(figure *f, const spot *spots, size_t count, dsm__area area) {
  const dsm__point_axis *const x = f->choice->x;
  bool *const is_marked = dsm__arena_array(f->choice->arena, x->value_count, sizeof *is_marked);
  f->maker->body.failed = f->maker->body.failed || is_marked == NULL;
  for (size_t i = 0; i < count && is_marked != NULL; i++) {
    const size_t value = x->of_row[spots[i].row];
    if (!isnan(spots[i].y) || is_marked[value]) {
      continue;
    }
    is_marked[value] = true;
    const double share = dsm__axis_share(&f->x.axis, spots[i].x);
    dsm__points_cross(f->maker,
                      (dsm__point){area.left + area.width * share, area.top + area.height - 5});
  }
}

/* The lines of a panel. */
static void put_lines(figure *f, const char *panel, const spot *spots, size_t count) {
  dsm__point *const points = dsm__arena_array(f->choice->arena, count, sizeof *points);
  f->maker->body.failed = f->maker->body.failed || points == NULL;
  for (size_t i = 0; i < count && points != NULL;) {
    const size_t series = spots[i].series;
    size_t all = 0;
    size_t numbers = 0;
    for (; i < count && spots[i].series == series; i++) {
      points[all++] = (dsm__point){spots[i].x, spots[i].y};
      numbers += isnan(spots[i].y) ? 0 : 1;
    }
    if (numbers > 0) {
      dsm__mark_curve(f->maker, points, all, &f->looks[series],
                      dsm__plot_text(f->maker, "%s%s%s", panel, panel[0] == '\0' ? "" : ": ",
                                     f->names[series]));
    }
  }
}

static void put_panel(figure *f, size_t panel, const spot *spots, size_t count) {
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  const char *const title = dsm__points_panel_name(f->maker, f->choice, f->panels.example[panel]);
  dsm__points_panel(f->maker, area, f->x.axis, f->y, title);
  dsm__points_y_axis(f->maker, &f->grid, panel, f->y, f->measure.title);
  dsm__points_x_axis(f->maker, f->choice, &f->grid, panel, &f->x);
  put_gaps(f, spots, count, area);
  put_lines(f, title, spots, count);
  dsm__plot_panel_end(f->maker);
}

static void put_panels(figure *f) {
  const dsm_point_table *const points = &f->choice->points;
  size_t first = 0;
  for (size_t panel = 0; panel < f->panels.count; panel++) {
    size_t end = first;
    while (end < points->row_count && f->spots[end].panel == panel) {
      end++;
    }
    put_panel(f, panel, f->spots + first, end - first);
    first = end;
  }
}

static bool choose_axes(figure *f) {
  dsm__result_range range = {.is_any = false};
  for (size_t i = 0; i < f->choice->points.row_count; i++) {
    dsm__result_range_add(&range, f->spots[i].y);
  }
  return dsm__result_axis_choose(&f->y, f->choice, &range, DSM_PLOT_AXIS_Y, f->choice->result);
}

static void lay_out(figure *f) {
  const double min_width =
      f->x.is_category ? fmin(40.0 * (double)f->choice->x->value_count, 600) : 140;
  const double height = f->panels.count == 1 ? 1.6 * axes_height : axes_height;
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(f->maker) + put_legend(f, 0, false) + 6,
      .left_room = dsm__points_y_room(f->maker, f->y, height),
      .bottom_room = dsm__value_tics_room(&f->x, fmax(min_width, 140)),
  };
  f->grid = dsm__panel_grid_make(f->maker, f->choice, f->panels.count, wanted, fmax(min_width, 140),
                                 height);
}

bool dsm__plot_lines(dsm__plot_maker *maker, dsm__point_choice *choice) {
  figure f = {.maker = maker, .choice = choice};
  if (!dsm__point_choice_result(choice, "--y", choice->view->y) ||
      !dsm__point_choice_lines(choice)) {
    return false;
  }
  f.measure = dsm__measure_of(maker, &choice->points, choice->result);
  if (!dsm__x_scale_choose(&f.x, choice, choice->x) ||
      !dsm__point_choice_has(choice, prepare(&f)) || !choose_axes(&f)) {
    return false;
  }
  lay_out(&f);
  const char *const what = dsm__plot_text(maker, "%s over %s", f.measure.title,
                                          choice->points.columns[choice->x->column]);
  dsm__points_heading(maker, choice, what, NULL, true);
  (void)put_legend(&f, dsm__plot_heading_height(maker), true);
  dsm__plot_empty_panel(maker);
  put_panels(&f);
  return true;
}
