/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_heatmap.c: a result over two axes, a cell a point, dark where it is large.
 *
 * Each panel has shades of its own, whose ends stand beside its title: panels are of different
 * networks and systems, whose results differ by more than those within a panel.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "report/figures.h"
#include "report/palette.h"
#include "report/plot_metrics.h"
#include "report/point_columns.h"
#include "report/points_page.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const double most_height = 240;
static const double cell_height = 24;
static const double none_known = -HUGE_VAL;
static const char *const empty_color = "#E6E6E6";
enum { LEGEND_STEPS = 9 };

typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm__measure measure;
  dsm__value_scale x;
  dsm__value_scale y;
  dsm__point_groups panels;
  double *values;            /* of panel, y and x; NAN: no result; none_known: no such point */
  dsm__result_range *ranges; /* one a panel */
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
  f->ranges = dsm__arena_array(choice->arena, f->panels.count, sizeof *f->ranges);
  if (f->values == NULL || f->ranges == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    f->values[i] = none_known;
  }
  for (size_t row = 0; row < row_count; row++) {
    const double value = dsm__measured(&choice->points, row, choice->result, &f->measure);
    const size_t panel = f->panels.of_row[row];
    *value_at(f, panel, choice->y->of_row[row], choice->x->of_row[row]) = value;
    dsm__result_range_add(&f->ranges[panel], value);
  }
  return true;
}

static double intensity(const dsm__result_range *range, double value) {
  const double extent = range->most - range->least;
  return extent > 0 ? (value - range->least) / extent : 0.5;
}

/* A number of three digits, with a prefix where it is large. */
static const char *number_text(figure *f, double value) {
  static const char *const prefixes[] = {"", " k", " M", " G", " T"};
  double scaled = value;
  size_t prefix = 0;
  /* Four digits have room without one; what three digits round to 1,000 belongs to the next. */
  while (scaled >= (prefix == 0 ? 1e4 : 999.5) && prefix + 1 < COUNT_OF(prefixes)) {
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

/* A cell as data and what stands in it. Of points that are not recorded there is no cell. */
static void put_cell(figure *f, dsm__text_buffer *data, dsm__area area, size_t panel, size_t x,
                     size_t y) {
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
  const dsm__shade shade = dsm__shade_of(isnan(value) ? 0 : intensity(&f->ranges[panel], value));
  if (isnan(value)) {
    dsm__points_cross(f->maker,
                      (dsm__point){cell.left + cell.width / 2, cell.top + cell.height / 2});
  } else {
    put_value(f, cell, value, shade);
  }
  dsm__plot_put_number(data, (double)x);
  dsm__plot_put_number(data, (double)y);
  dsm__plot_put_number(data, value);
  dsm__text_printf(data, "0x%s\t", (isnan(value) ? empty_color : shade.color) + 1);
  dsm__plot_put_name(
      f->maker, data,
      dsm__plot_text(f->maker, "%s, %s", f->x.values->texts[x], f->y.values->texts[y]));
}

/* The shades from the least to the most, right-aligned above a panel; the width. */
static double put_shades(figure *f, dsm__area area, const dsm__result_range *range) {
  const double step = 7;
  const double y = area.top - DSM__SIZE_TEXT * DSM__LINE_PITCH / 2 - 1;
  const dsm__label_style style = {.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_RIGHT};
  const char *const most = number_text(f, range->most);
  const char *const least = number_text(f, range->least);
  double right = area.left + area.width;
  if (!range->is_any) {
    return 0;
  }
  dsm__plot_label(f->maker, (dsm__point){right, y}, style, most);
  right -= dsm__plot_text_width(most, DSM__SIZE_SMALL) + 4 + LEGEND_STEPS * step;
  for (int i = 0; i < LEGEND_STEPS; i++) {
    const dsm__area box = {right + i * step, y - 4.5, step, 9};
    dsm__plot_box(f->maker, box, dsm__shade_of(i / (LEGEND_STEPS - 1.0)).color);
  }
  right -= 4;
  dsm__plot_label(f->maker, (dsm__point){right, y}, style, least);
  return area.left + area.width - right + dsm__plot_text_width(least, DSM__SIZE_SMALL);
}

/* ---- panels ---- */

static void put_panel(figure *f, dsm__text_buffer *data, size_t panel) {
  const dsm__point_choice *const choice = f->choice;
  const dsm__axis_list *const list = &choice->panels;
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  const char *const title =
      dsm__point_label(choice->arena, list->items, list->count, f->panels.example[panel]);
  f->maker->body.failed = f->maker->body.failed || title == NULL;
  dsm__plot_panel(f->maker, area, f->x.axis, f->y.axis);
  const double taken = put_shades(f, area, &f->ranges[panel]);
  dsm__panel_title(f->maker, area, title == NULL ? "" : title, area.width - taken - 10);
  dsm__value_tics_y(
      f->maker, area, &f->y,
      dsm__panel_is_left(&f->grid, panel)
          ? dsm__points_title(f->maker, &choice->points, choice->y->column, area.height)
          : NULL);
  dsm__value_tics_x(
      f->maker, area, &f->x,
      dsm__panel_is_lowest(&f->grid, panel)
          ? dsm__points_title(f->maker, &choice->points, choice->x->column, area.width)
          : NULL);
  dsm__text_puts(data, panel > 0 ? "\n\n# " : "# ");
  dsm__plot_put_name(f->maker, data, title == NULL ? "" : title);
  for (size_t y = 0; y < choice->y->value_count; y++) {
    for (size_t x = 0; x < choice->x->value_count; x++) {
      put_cell(f, data, area, panel, x, y);
    }
  }
  dsm__text_printf(&f->maker->body,
                   "plot cells index %zu using 1:2:(0.5):(0.5):4 with boxxyerror lc rgb variable\n",
                   panel);
  dsm__plot_panel_end(f->maker);
}

static void lay_out(figure *f) {
  const double columns = (double)f->choice->x->value_count;
  const double rows = (double)f->choice->y->value_count;
  const double left_room = dsm__value_tics_y_room(&f->y);
  const double min_width = fmin(fmax(38 * columns, 170), DSM__PLOT_WIDTH - left_room - 30);
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(true) + 2,
      .is_table = true,
      .left_room = left_room,
      .top_room = DSM__SIZE_TEXT * DSM__LINE_PITCH + 4,
      .bottom_room = dsm__value_tics_room(&f->x, min_width),
  };
  f->grid = dsm__panel_grid_make(f->maker, f->choice, f->panels.count, wanted, min_width,
                                 fmax(60, fmin(most_height, cell_height * rows)));
}

static dsm_status check_counts(const dsm__point_choice *choice, dsm_diags *diags) {
  const size_t most = 500;
  if (choice->x->value_count <= most && choice->y->value_count <= most) {
    return DSM_OK;
  }
  const dsm__point_axis *const axis = choice->x->value_count > most ? choice->x : choice->y;
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                 "choose points with --where COLUMN=VALUE, or other columns",
                 "expected at most %zu values of \"%s\" in a heat map, found %zu", most,
                 choice->points.columns[axis->column], axis->value_count);
  return DSM_ERROR_USAGE;
}

dsm_status dsm__plot_heatmap(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags) {
  dsm_status status = dsm__point_choice_result(choice, "--value", choice->view->value, diags);
  if (status == DSM_OK) {
    status = dsm__point_choice_cells(choice, diags);
  }
  if (status == DSM_OK) {
    status = check_counts(choice, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  figure f = {.maker = maker,
              .choice = choice,
              .measure = dsm__measure_of(maker, &choice->points, choice->result),
              .x = dsm__category_scale_of(choice->x),
              .y = dsm__category_scale_of(choice->y)};
  if (!prepare(&f)) {
    return dsm__out_of_memory(diags);
  }
  lay_out(&f);
  dsm__points_heading(
      maker, choice,
      dsm__plot_text(maker, "%s over %s and %s", f.measure.title, choice->x->name, choice->y->name),
      NULL, true);
  dsm__plot_empty_panel(maker);
  dsm__text_buffer *const data = dsm__plot_add_data(maker, "cells");
  dsm__text_puts(data, "# columns: place on the horizontal and on the vertical axis, ");
  dsm__text_puts(data, f.measure.title);
  dsm__plot_put_name(maker, data, ", colour, values");
  for (size_t panel = 0; panel < f.panels.count; panel++) {
    put_panel(&f, data, panel);
  }
  return DSM_OK;
}
