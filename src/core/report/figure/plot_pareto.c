/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_pareto.c: the points that no other beats, over two of the objectives, with the points that
 * are beaten. Each network has a front of its own: to be faster with another one is no gain.
 */
#include <math.h>

#include "report/figure/pareto.h"

static const char *const front_color = "#D55E00";
static const char *const other_color = "#AAAAAA";

/* ---- axes ---- */

/* The extent of a column, with a margin; logarithmic where it spans more than a factor of a
 * hundred, or where that is wanted. */
static bool choose_extent(const dsm__pareto *f, dsm__panel_axis *axis, unsigned which,
                          size_t column, const dsm__measure *measure) {
  const double margin = 0.06;
  const dsm_point_table *const points = &f->choice->points;
  dsm__result_range range = {.is_any = false};
  for (size_t row = 0; row < points->row_count; row++) {
    if (dsm__pareto_has_numbers(f, row)) {
      dsm__result_range_add(&range, dsm__measured(points, row, column, measure));
    }
  }
  dsm__panel_axis rounded;
  if (!dsm__result_axis_choose(&rounded, f->choice, &range, which, column)) {
    return false;
  }
  const bool is_wanted = (f->choice->view->log_axes & which) != 0;
  if (is_wanted || (range.least > 0 && range.most / range.least > 100)) {
    const double factor = range.most > range.least ? pow(range.most / range.least, margin) : 2;
    *axis = (dsm__panel_axis){range.least / factor, range.most * factor, true};
    return true;
  }
  const double extent = range.most / 2 - range.least / 2;
  const double pad = extent > 0 ? 2 * margin * extent : fmax(fabs(range.most) * margin, 1e-9);
  *axis = (dsm__panel_axis){range.least - pad, range.most + pad, false};
  return true;
}

/* Both axes, which all panels share. */
static bool choose_extents(dsm__pareto *f) {
  const dsm_point_table *const points = &f->choice->points;
  dsm__scale *const x = &f->chart.x;
  const bool is_result = f->x >= dsm__points_find(points, "mode");
  x->title = is_result ? f->x_measure.title : points->columns[f->x];
  return (f->choice->x != NULL
              ? dsm__scale_of_values(x, f->choice, f->choice->x)
              : choose_extent(f, &x->axis, DSM_PLOT_AXIS_X, f->x, &f->x_measure)) &&
         choose_extent(f, &f->chart.y.axis, DSM_PLOT_AXIS_Y, f->y, &f->y_measure);
}

/* ---- panels ---- */

static void put_points(dsm__pareto *f, const dsm_point_table *points, const dsm__look *look) {
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm__point at = dsm__pareto_point(f, points, row);
    dsm__mark_curve(f->maker, &at, 1, look, dsm__pareto_name(f, points, row, row + 1, NULL));
  }
}

static void put_line(dsm__pareto *f, const dsm_point_table *front, const char *about) {
  dsm__point *const line = dsm__arena_array(f->maker->arena, 2 * front->row_count, sizeof *line);
  size_t count = 0;
  f->maker->body.failed = f->maker->body.failed || line == NULL;
  for (size_t row = 0; row < front->row_count && line != NULL; row++) {
    const dsm__point to = dsm__pareto_point(f, front, row);
    if (row > 0) {
      line[count] = dsm__pareto_corner(f, line[count - 1], to);
      count++;
    }
    line[count++] = to;
  }
  dsm__mark_curve(f->maker, line, count, &(dsm__look){.color = front_color, .width = 1.2}, about);
}

/* What labels say; NULL: there are none. */
static const char *labels_text(const dsm__pareto *f) {
  const char *labels = NULL;
  if (f->unnamed > 0) {
    labels = dsm__plot_text(f->maker, "%zu %s no room for a label", f->unnamed,
                            f->unnamed == 1 ? "point has" : "points have");
  }
  bool is_first = true;
  for (size_t a = 0; a < f->named.count; a++) {
    if (f->is_said[a]) {
      const char *const before = !is_first ? ", " : labels == NULL ? "labels: " : "; labels: ";
      labels = dsm__plot_text(f->maker, "%s%s%s", labels == NULL ? "" : labels, before,
                              f->named.items[a]->name);
      is_first = false;
    }
  }
  return labels;
}

static void put_panel(void *made, size_t panel, dsm__area area) {
  dsm__pareto *const f = made;
  const dsm__pareto_points *const found = &f->found[panel];
  if (found->all.row_count == 0) {
    dsm__plot_label(f->maker, (dsm__point){area.left + area.width / 2, area.top + area.height / 2},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
                    "no result");
    return;
  }
  dsm__pareto_put_labels(f, found, area);
  put_points(f, &found->all, &(dsm__look){.color = other_color, .symbol = 7, .size = 0.4});
  if (dsm__pareto_has_line(f)) {
    put_line(
        f, &found->front,
        dsm__plot_text(f->maker, "%s%sfront", found->panel, found->panel[0] == '\0' ? "" : ", "));
  }
  put_points(f, &found->front, &(dsm__look){.color = front_color, .symbol = 7, .size = 0.6});
  f->chart.also = labels_text(f);
}

/* ---- the page ---- */

static const char *title_of(const dsm__pareto *f) {
  const char *title = "Pareto front of";
  for (size_t o = 0; o < f->objective_count; o++) {
    const dsm_objective *const each = &f->objectives[o];
    title = dsm__plot_text(f->maker, "%s%s %s %s", title, o > 0 ? "," : "",
                           each->is_max ? "max" : "min",
                           dsm__points_short_name(&f->choice->points, each->column));
  }
  return title;
}

bool dsm__plot_pareto(dsm__plot_maker *maker, dsm__point_choice *choice) {
  dsm__pareto f = {.maker = maker, .choice = choice};
  if (!dsm__pareto_choose(&f)) {
    return false;
  }
  size_t drawn = 0;
  for (size_t row = 0; row < choice->points.row_count; row++) {
    drawn += dsm__pareto_has_numbers(&f, row) ? 1 : 0;
  }
  if (drawn == 0) {
    return dsm__point_choice_nothing(choice, choice->points.columns[f.y]);
  }
  f.x_measure = dsm__measure_of(maker, &choice->points, f.x);
  f.y_measure = dsm__measure_of(maker, &choice->points, f.y);
  choice->result = f.y;
  if (!dsm__chart_begin(&f.chart, maker, choice) || !choose_extents(&f) || !dsm__pareto_find(&f)) {
    return false;
  }
  for (size_t panel = 0; panel < f.chart.panel_count; panel++) {
    f.found[panel].panel = f.chart.panels[panel];
    f.chart.panels[panel] = dsm__pareto_title(&f, f.found[panel].panel, &f.found[panel].front);
  }
  f.chart.title = title_of(&f);
  f.chart.has_crosses = false;
  f.chart.top = dsm__plot_heading_height(maker) + 2;
  f.chart.height = f.chart.panel_count == 1 ? 320 : 220;
  f.chart.least_width = 270;
  f.chart.top_room = DSM__SIZE_TEXT * DSM__LINE_PITCH + 4;
  dsm__chart_lay_out(&f.chart);
  dsm__chart_draw(&f.chart, put_panel, &f);
  return true;
}
