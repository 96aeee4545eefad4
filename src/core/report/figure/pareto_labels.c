/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pareto_labels.c: what the points of a front are called, and where there is room to say so. */
#include <math.h>
#include <string.h>

#include "report/figure/pareto.h"

/* Labels of more points than these would stand far away from them. */
static const size_t labels_max = 80;

/* Do all points of a front have the same value? */
static bool is_common(const dsm_point_table *front, size_t column) {
  return front != NULL && front->row_count > 1 && dsm__points_common(front, column) != NULL;
}

/* The values that some rows have in a column, each once: "1 or 2". NULL if out of memory. */
static const char *values_text(dsm__pareto *f, const dsm_point_table *points, size_t row,
                               size_t end, size_t column) {
  const char *all = "";
  for (size_t r = row; r < end; r++) {
    const dsm_cell *const cell = dsm__point_cell(points, r, column);
    bool is_new = true;
    for (size_t before = row; before < r && is_new; before++) {
      is_new = dsm__order_cells(cell, dsm__point_cell(points, before, column)) != 0;
    }
    if (is_new) {
      all = dsm__plot_text(f->maker, "%s%s%s", all, all[0] == '\0' ? "" : " or ",
                           dsm__plot_kept(f->maker, dsm__points_text(f->maker->arena, cell)));
    }
  }
  return all;
}

const char *dsm__pareto_name(dsm__pareto *f, const dsm_point_table *points, size_t row, size_t end,
                             const dsm_point_table *front) {
  const char *name = "";
  for (size_t a = 0; a < f->named.count; a++) {
    const size_t column = f->named.items[a]->column;
    if (is_common(front, column)) {
      continue;
    }
    f->is_said[a] = f->is_said[a] || front != NULL;
    const bool is_word = front == NULL || !f->named.items[a]->is_number;
    name = dsm__plot_text(f->maker, "%s%s%s%s%s", name, name[0] == '\0' ? "" : ", ",
                          is_word ? "" : f->named.items[a]->name, is_word ? "" : " ",
                          values_text(f, points, row, end, column));
  }
  return name[0] != '\0'
             ? name
             : dsm__plot_text(f->maker, "point %s",
                              values_text(f, points, row, end, dsm__points_find(points, "point")));
}

const char *dsm__pareto_title(dsm__pareto *f, const char *panel, const dsm_point_table *front) {
  const char *title = panel;
  bool is_first = true;
  for (size_t a = 0; a < f->named.count; a++) {
    const size_t column = f->named.items[a]->column;
    if (!is_common(front, column)) {
      continue;
    }
    const dsm_cell *const cell = dsm__point_cell(front, 0, column);
    const bool is_word = cell->kind == DSM_CELL_TEXT;
    title = dsm__plot_text(f->maker, "%s%s%s%s%s", title,
                           !is_first          ? ", "
                           : panel[0] == '\0' ? "front: "
                                              : "; front: ",
                           is_word ? "" : f->named.items[a]->name, is_word ? "" : " ",
                           dsm__plot_kept(f->maker, dsm__points_text(f->maker->arena, cell)));
    is_first = false;
  }
  return title;
}

dsm__point dsm__pareto_point(const dsm__pareto *f, const dsm_point_table *points, size_t row) {
  return (dsm__point){dsm__measured(points, row, f->x, &f->x_measure),
                      dsm__measured(points, row, f->y, &f->y_measure)};
}

static dsm__point place_of(const dsm__pareto *f, const dsm_point_table *points, size_t row) {
  const dsm__point at = dsm__pareto_point(f, points, row);
  return dsm__plot_place(f->maker, at.x, at.y);
}

bool dsm__pareto_has_line(const dsm__pareto *f) {
  return f->objective_count == 2 && f->y == f->objectives[0].column &&
         f->x == f->objectives[1].column;
}

dsm__point dsm__pareto_corner(const dsm__pareto *f, dsm__point from, dsm__point to) {
  return f->objectives[1].is_max ? (dsm__point){from.x, to.y} : (dsm__point){to.x, from.y};
}

/* What labels keep clear of: always of the front and of each other, where they can also of its line
 * and of the points that are beaten. */
static void take_points(const dsm__pareto *f, const dsm__pareto_points *found,
                        dsm__places *places) {
  static const double around = 3;
  const dsm_point_table *const front = &found->front;
  for (size_t row = 0; row < front->row_count; row++) {
    const dsm__point to = place_of(f, front, row);
    dsm__places_take(places, to, to, around, DSM__PLACE_POINT);
    if (row > 0 && dsm__pareto_has_line(f)) {
      const dsm__point from = place_of(f, front, row - 1);
      const dsm__point corner = dsm__pareto_corner(f, from, to);
      dsm__places_take(places, from, corner, 1, DSM__PLACE_LESS);
      dsm__places_take(places, corner, to, 1, DSM__PLACE_LESS);
    }
  }
  for (size_t row = 0; row < found->all.row_count; row++) {
    const dsm__point at = place_of(f, &found->all, row);
    dsm__places_take(places, at, at, around, DSM__PLACE_LESS);
  }
}

static bool is_same_place(const dsm__pareto *f, size_t row, const dsm_point_table *front,
                          size_t other) {
  const dsm_cell *const x = dsm__point_cell(front, row, f->x);
  const dsm_cell *const y = dsm__point_cell(front, row, f->y);
  return dsm__order_cells(x, dsm__point_cell(front, other, f->x)) == 0 &&
         dsm__order_cells(y, dsm__point_cell(front, other, f->y)) == 0;
}

void dsm__pareto_put_labels(dsm__pareto *f, const dsm__pareto_points *found, dsm__area area) {
  const double widest = area.width * 0.75;
  const dsm_point_table *const front = &found->front;
  if (front->row_count > labels_max) {
    f->unnamed += front->row_count;
    return;
  }
  dsm__places places;
  if (!dsm__places_init(&places, area, f->choice->arena)) {
    f->maker->body.failed = true;
    return;
  }
  take_points(f, found, &places);
  for (size_t row = 0; row < front->row_count;) {
    size_t end = row + 1;
    while (end < front->row_count && is_same_place(f, row, front, end)) {
      end++;
    }
    const char *const name = dsm__pareto_name(f, front, row, end, front);
    const char *const shown = dsm__plot_fit_apart(f->maker, name, DSM__SIZE_SMALL, widest);
    f->unnamed += dsm__places_label(&places, f->maker, place_of(f, front, row), shown) ? 0 : 1;
    row = end;
  }
}
