/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_heatmap.c: a result over two axes, a cell a point, dark where it is large. All panels have
 * the same shades, whose ends stand above them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figure/points_page.h"
#include "report/table/number_style.h"

static const double most_height = 240;
static const double cell_height = 24;
static const double none_known = -HUGE_VAL;
static const char *const empty_color = "#E6E6E6";
static const double shades_height = DSM__SIZE_TEXT * DSM__LINE_PITCH;
enum { LEGEND_STEPS = 9 };

typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm__measure measure;
  dsm__value_scale x;
  dsm__value_scale y;
  dsm__point_groups panels;
  double *values; /* of panel, y and x; NAN: no result; none_known: no such point */
  dsm__result_range range;
  dsm__panel_grid grid;
} figure;

static double *value_at(const figure *f, size_t panel, size_t y, size_t x) {
  return &f->values[(panel * f->y.values->value_count + y) * f->x.values->value_count + x];
}

/* ---- what is drawn ---- */

static bool prepare(figure *f) {
  const dsm__point_choice *const choice = f->choice;
  const size_t row_count = choice->points.row_count;
  if (!dsm__point_groups_make(&f->panels, choice->arena, choice->panels.items, choice->panels.count,
                              row_count)) {
    return false;
  }
  const size_t count = f->panels.count * choice->x->value_count * choice->y->value_count;
  f->values = dsm__arena_array(choice->arena, count, sizeof *f->values);
  if (f->values == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    f->values[i] = none_known;
  }
  for (size_t row = 0; row < row_count; row++) {
    const double value = dsm__measured(&choice->points, row, choice->result, &f->measure);
    const size_t panel = f->panels.of_row[row];
    *value_at(f, panel, choice->y->of_row[row], choice->x->of_row[row]) = value;
    dsm__result_range_add(&f->range, value);
  }
  return true;
}

/* Where a value is between the least and the most, as along an axis of results. */
static double intensity(const dsm__result_range *range, double value) {
  const dsm__panel_axis shades = {range->least, range->most, dsm__result_axis(range).is_log};
  return range->most > range->least ? dsm__axis_share(&shades, value) : 0.5;
}

/* A number of three digits, with a prefix where it is large. */
static const char *number_text(figure *f, double value) {
  static const char *const prefixes[] = {"", " k", " M", " G", " T"};
  double scaled = value;
  size_t prefix = 0;
  /* Four digits have room without one; what three digits round to 1,000 belongs to the next. */
  while (scaled >= (prefix == 0 ? 1e4 : 999.5) && prefix + 1 < DSM__COUNT_OF(prefixes)) {
    scaled /= 1000;
    prefix++;
  }
  if (value >= 0 && (value >= 1e-3 || value <= 0) && scaled < 1e4) {
    return dsm__plot_text(f->maker, "%s%s", dsm__figure_digits(scaled, 3).text, prefixes[prefix]);
  }
  return dsm__plot_text(f->maker, "%.3g", value);
}

/* ---- cells ---- */

static void put_value(figure *f, dsm__area cell, double value, dsm__shade shade) {
  const char *const text = number_text(f, value);
  if (dsm__plot_text_width(text, DSM__SIZE_SMALL) + 4 <= cell.width &&
      DSM__SIZE_SMALL * 1.2 <= cell.height) {
    dsm__plot_label(f->maker, (dsm__point){cell.left + cell.width / 2, cell.top + cell.height / 2},
                    (dsm__label_style){
                        .size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER, .color = shade.ink},
                    text);
  }
}

/* A cell and what stands in it. Of points that are not recorded there is no cell. */
static void put_cell(figure *f, dsm__area area, size_t panel, size_t x, size_t y) {
  const double value = *value_at(f, panel, y, x);
  if (value == none_known) {
    return;
  }
  const double columns = (double)f->x.values->value_count;
  const double rows = (double)f->y.values->value_count;
  const dsm__area cell = {.left = area.left + area.width * (double)x / columns,
                          .top = area.top + area.height * (rows - 1 - (double)y) / rows,
                          .width = area.width / columns,
                          .height = area.height / rows};
  const dsm__shade shade = dsm__shade_of(isnan(value) ? 0 : intensity(&f->range, value));
  if (isnan(value)) {
    dsm__points_cross(f->maker,
                      (dsm__point){cell.left + cell.width / 2, cell.top + cell.height / 2});
  } else {
    put_value(f, cell, value, shade);
  }
  dsm__mark_box(f->maker, (dsm__panel_axis){.low = (double)x - 0.5, .high = (double)x + 0.5},
                (dsm__panel_axis){.low = (double)y - 0.5, .high = (double)y + 0.5},
                isnan(value) ? empty_color : shade.color,
                dsm__plot_text(f->maker, "%s, %s: %s", f->x.values->texts[x], f->y.values->texts[y],
                               isnan(value) ? "no result" : number_text(f, value)));
}

/* What is drawn, with its shades from the least to the most, in a line above the panels. */
static void put_shades(figure *f) {
  const double step = 9;
  const double gap = 6;
  const double y = dsm__plot_heading_height(f->maker) + shades_height / 2;
  const dsm__label_style style = {.size = DSM__SIZE_TEXT};
  const char *const least =
      dsm__plot_text(f->maker, "%s: %s", f->measure.title, number_text(f, f->range.least));
  dsm__plot_label(f->maker, (dsm__point){DSM__PLOT_MARGIN, y}, style, least);
  const double left = DSM__PLOT_MARGIN + dsm__plot_text_width(least, DSM__SIZE_TEXT) + gap;
  for (int i = 0; i < LEGEND_STEPS; i++) {
    dsm__plot_box(f->maker, (dsm__area){left + i * step, y - step / 2, step, step},
                  dsm__shade_of(i / (LEGEND_STEPS - 1.0)).color, NULL);
  }
  const double right = left + LEGEND_STEPS * step + gap;
  dsm__plot_label(f->maker, (dsm__point){right, y}, style, number_text(f, f->range.most));
}

/* ---- panels ---- */

static void put_panel(figure *f, size_t panel) {
  const dsm__point_choice *const choice = f->choice;
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  const char *const title = dsm__points_panel_name(f->maker, choice, f->panels.example[panel]);
  dsm__points_panel(f->maker, area, f->x.axis, f->y.axis, title);
  dsm__value_tics_y(
      f->maker, area, &f->y,
      dsm__panel_is_left(&f->grid, panel)
          ? dsm__points_title(f->maker, &choice->points, choice->y->column, area.height)
          : NULL);
  dsm__points_x_axis(f->maker, choice, &f->grid, panel, &f->x);
  for (size_t y = 0; y < choice->y->value_count; y++) {
    for (size_t x = 0; x < choice->x->value_count; x++) {
      put_cell(f, area, panel, x, y);
    }
  }
  dsm__plot_panel_end(f->maker);
}

static void lay_out(figure *f) {
  const double columns = (double)f->choice->x->value_count;
  const double rows = (double)f->choice->y->value_count;
  const double left_room = dsm__value_tics_y_room(&f->y);
  const double min_width = fmin(fmax(38 * columns, 170), f->maker->width - left_room - 30);
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(f->maker) + shades_height + 2,
      .left_room = left_room,
      .bottom_room = dsm__value_tics_room(&f->x, min_width),
  };
  f->grid = dsm__panel_grid_make(f->maker, f->choice, f->panels.count, wanted, min_width,
                                 fmax(60, fmin(most_height, cell_height * rows)));
}

static bool check_counts(dsm__plot_maker *maker, dsm__point_choice *choice) {
  const size_t most = 500;
  const dsm__point_axis *const axis = choice->x->value_count > most ? choice->x : choice->y;
  return dsm__point_choice_count(choice, axis->value_count, most,
                                 dsm__plot_text(maker, "values of \"%s\" in a heat map",
                                                choice->points.columns[axis->column]));
}

bool dsm__plot_heatmap(dsm__plot_maker *maker, dsm__point_choice *choice) {
  if (!dsm__point_choice_result(choice, "--value", choice->view->value) ||
      !dsm__point_choice_cells(choice) ||
      !dsm__points_refuse_log(choice, DSM_PLOT_AXIS_X | DSM_PLOT_AXIS_Y,
                              "the axes of a heat map are divided evenly") ||
      !check_counts(maker, choice)) {
    return false;
  }
  figure f = {.maker = maker,
              .choice = choice,
              .measure = dsm__measure_of(maker, &choice->points, choice->result),
              .x = dsm__category_scale_of(choice->x),
              .y = dsm__category_scale_of(choice->y)};
  if (!dsm__point_choice_has(choice, prepare(&f))) {
    return false;
  }
  lay_out(&f);
  dsm__points_heading(
      maker, choice,
      dsm__plot_text(maker, "%s over %s and %s", f.measure.title, choice->x->name, choice->y->name),
      NULL, true);
  put_shades(&f);
  dsm__plot_empty_panel(maker);
  for (size_t panel = 0; panel < f.panels.count; panel++) {
    put_panel(&f, panel);
  }
  return true;
}
