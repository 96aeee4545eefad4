/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_heatmap.c: a result over two axes, a cell a point, dark where it is large. All panels have
 * the same shades, whose ends stand above them.
 */
#include <math.h>

#include "report/figure/points_page.h"
#include "report/table/number_style.h"

static const double most_height = 240;
static const double cell_height = 24;
static const char *const empty_color = "#E6E6E6";
static const double shades_height = DSM__SIZE_TEXT * DSM__LINE_PITCH;
enum { LEGEND_STEPS = 9 };

typedef struct figure {
  dsm__chart chart;
  dsm__point_choice *choice;
  dsm__point_groups order; /* of rows */
  dsm__result_range range;
} figure;

/* Where a value is between the least and the most, as along an axis of results. */
static double intensity(const dsm__result_range *range, double value) {
  const dsm__panel_axis shades = {range->least, range->most, dsm__result_axis(range).is_log};
  return range->most > range->least ? dsm__axis_share(&shades, value) : 0.5;
}

/* A number of three digits, with a prefix where it is large. */
static const char *number_text(const figure *f, double value) {
  static const char *const prefixes[] = {"", " k", " M", " G", " T"};
  double scaled = value;
  size_t prefix = 0;
  /* Four digits have room without one; what three digits round to 1,000 belongs to the next. */
  while (scaled >= (prefix == 0 ? 1e4 : 999.5) && prefix + 1 < DSM__COUNT_OF(prefixes)) {
    scaled /= 1000;
    prefix++;
  }
  if (value >= 0 && (value >= 1e-3 || value <= 0) && scaled < 1e4) {
    return dsm__plot_text(f->chart.maker, "%s%s", dsm__figure_digits(scaled, 3).text,
                          prefixes[prefix]);
  }
  return dsm__plot_text(f->chart.maker, "%.3g", value);
}

/* ---- cells ---- */

/* The cell of a point, and what stands in it. */
static void put_cell(const figure *f, size_t row, dsm__area area) {
  dsm__plot_maker *const maker = f->chart.maker;
  const dsm__point_axis *const across = f->choice->x;
  const dsm__point_axis *const up = f->choice->y;
  const double value = dsm__measured(&f->choice->points, row, f->choice->result, &f->chart.measure);
  const char *const text = isnan(value) ? "no result" : number_text(f, value);
  const dsm__shade shade = dsm__shade_of(isnan(value) ? 0 : intensity(&f->range, value));
  const double x = (double)across->of_row[row];
  const double y = (double)up->of_row[row];
  const dsm__point middle = dsm__plot_place(maker, x, y);
  if (isnan(value)) {
    dsm__points_cross(maker, middle);
  } else if (dsm__plot_text_width(text, DSM__SIZE_SMALL) + 4 <=
                 area.width / (double)across->value_count &&
             DSM__SIZE_SMALL * 1.2 <= area.height / (double)up->value_count) {
    dsm__plot_label(maker, middle,
                    (dsm__label_style){
                        .size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER, .color = shade.ink},
                    text);
  }
  dsm__mark_box(maker, (dsm__panel_axis){.low = x - 0.5, .high = x + 0.5},
                (dsm__panel_axis){.low = y - 0.5, .high = y + 0.5},
                isnan(value) ? empty_color : shade.color,
                dsm__plot_text(maker, "%s, %s: %s", across->texts[across->of_row[row]],
                               up->texts[up->of_row[row]], text));
}

/* Of points that are not recorded there is no cell. */
static void put_cells(void *made, size_t panel, dsm__area area) {
  const figure *const f = made;
  size_t count;
  const size_t *const rows = dsm__points_of_panel(f->choice, &f->order, panel, &count);
  for (size_t i = 0; i < count; i++) {
    put_cell(f, rows[i], area);
  }
}

/* What is drawn, with its shades from the least to the most, in a line above the panels. */
static void put_shades(const figure *f) {
  const double step = 9;
  const double gap = 6;
  const double y = dsm__plot_heading_height(f->chart.maker) + shades_height / 2;
  const dsm__label_style style = {.size = DSM__SIZE_TEXT};
  const char *const least = dsm__plot_text(f->chart.maker, "%s: %s", f->chart.measure.title,
                                           number_text(f, f->range.least));
  dsm__plot_label(f->chart.maker, (dsm__point){DSM__PLOT_MARGIN, y}, style, least);
  const double left = DSM__PLOT_MARGIN + dsm__plot_text_width(least, DSM__SIZE_TEXT) + gap;
  for (int i = 0; i < LEGEND_STEPS; i++) {
    dsm__plot_box(f->chart.maker, (dsm__area){left + i * step, y - step / 2, step, step},
                  dsm__shade_of(i / (LEGEND_STEPS - 1.0)).color, NULL);
  }
  const double right = left + LEGEND_STEPS * step + gap;
  dsm__plot_label(f->chart.maker, (dsm__point){right, y}, style, number_text(f, f->range.most));
}

static bool check_counts(dsm__plot_maker *maker, dsm__point_choice *choice) {
  const size_t most = 500;
  const dsm__point_axis *const axis = choice->x->value_count > most ? choice->x : choice->y;
  return dsm__point_choice_count(choice, axis->value_count, most,
                                 dsm__plot_text(maker, "values of \"%s\" in a heat map",
                                                choice->points.columns[axis->column]));
}

bool dsm__plot_heatmap(dsm__plot_maker *maker, dsm__point_choice *choice) {
  figure f = {.choice = choice};
  if (!dsm__point_choice_result(choice, "--value", choice->view->value) ||
      !dsm__points_refuse_log(choice, DSM_PLOT_AXIS_X | DSM_PLOT_AXIS_Y,
                              "the axes of a heat map are divided evenly") ||
      !dsm__point_choice_axes(choice, DSM__POINTS_CELLS, NULL) || !check_counts(maker, choice) ||
      !dsm__point_choice_order(choice, &f.order) || !dsm__chart_begin(&f.chart, maker, choice)) {
    return false;
  }
  for (size_t row = 0; row < choice->points.row_count; row++) {
    dsm__result_range_add(&f.range,
                          dsm__measured(&choice->points, row, choice->result, &f.chart.measure));
  }
  f.chart.title = dsm__plot_text(maker, "%s over %s and %s", f.chart.measure.title, choice->x->name,
                                 choice->y->name);
  f.chart.x = dsm__scale_of_categories(choice, choice->x);
  f.chart.y = dsm__scale_of_categories(choice, choice->y);
  f.chart.top = dsm__plot_heading_height(maker) + shades_height + 2;
  f.chart.least_width = fmax(38 * (double)choice->x->value_count, 170);
  f.chart.height = fmax(60, fmin(most_height, cell_height * (double)choice->y->value_count));
  dsm__chart_lay_out(&f.chart);
  put_shades(&f);
  dsm__chart_draw(&f.chart, put_cells, &f);
  return true;
}
