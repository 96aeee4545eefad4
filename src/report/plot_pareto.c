/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot_pareto.c: the points that no other beats, over two of the objectives, with the points that
 * are beaten. Each network has a front of its own: to be faster with another one is no gain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "report/palette.h"
#include "report/plot_metrics.h"
#include "report/plot_places.h"
#include "report/point_columns.h"
#include "report/points_page.h"

static const char *const front_color = "#D55E00";
static const char *const other_color = "#AAAAAA";
/* Labels of more points than these would stand far away from them. */
static const size_t labels_max = 80;
typedef struct figure {
  dsm__plot_maker *maker;
  dsm__point_choice *choice;
  dsm_objective objectives[DSM_PLOT_LIST_MAX];
  size_t objective_count;
  size_t x; /* columns */
  size_t y;
  dsm__measure x_measure;
  dsm__measure y_measure;
  const dsm__point_axis *x_values; /* of an axis with numbers; NULL: x is measured */
  dsm__axis_list named;            /* axes that the labels say */
  dsm__value_scale x_scale;        /* of x_values */
  dsm__axis x_axis;
  dsm__axis y_axis;
  dsm__point_groups panels;
  dsm__panel_grid grid;
  bool *is_said;  /* one for each of `named`: in some label */
  size_t unnamed; /* points of fronts without a place for a label */
} figure;

/* The points of a panel. */
typedef struct panel_points {
  dsm_point_table all;   /* with a number in all objectives, x and y */
  dsm_point_table front; /* sorted by x */
} panel_points;

/* ---- objectives ---- */

static dsm_status add_objective(figure *f, const char *text, dsm_diags *diags) {
  if (f->objective_count == DSM_PLOT_LIST_MAX) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = "--pareto"}, NULL,
                   "expected at most %d objectives", DSM_PLOT_LIST_MAX);
    return DSM_ERROR_USAGE;
  }
  const dsm_status status =
      dsm_objective_parse(&f->objectives[f->objective_count], &f->choice->points, text, diags);
  f->objective_count += status == DSM_OK ? 1 : 0;
  return status;
}

static dsm_status read_objectives(figure *f, dsm_diags *diags) {
  char *const list = dsm__arena_strdup(f->choice->arena, f->choice->view->pareto);
  dsm_status status = list == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  for (char *at = list; status == DSM_OK && at != NULL;) {
    char *const comma = strchr(at, ',');
    if (comma != NULL) {
      *comma = '\0';
    }
    status = add_objective(f, at, diags);
    at = comma == NULL ? NULL : comma + 1;
  }
  if (status == DSM_OK && f->objective_count < 2) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = "--pareto"}, NULL,
                   "expected at least two objectives, found \"%s\"", f->choice->view->pareto);
    status = DSM_ERROR_USAGE;
  }
  return status;
}

/* The most of a result with the least of what varies most: what more of it buys. */
static dsm_status default_objectives(figure *f, dsm_diags *diags) {
  dsm__point_choice *const choice = f->choice;
  dsm_status status = dsm__point_choice_result(choice, "--y", choice->view->y, diags);
  const dsm__point_axis *x = NULL;
  if (status == DSM_OK && choice->view->x == NULL) {
    x = dsm__point_choice_widest(choice, NULL, &status, diags);
  }
  if (status == DSM_OK) {
    status = add_objective(f, choice->points.columns[choice->result], diags);
  }
  if (status == DSM_OK) {
    const char *const least = choice->view->x != NULL ? choice->view->x
                              : x == NULL || !x->is_number
                                  ? "memory_bytes" /* the price of a design where none varies */
                                  : choice->points.columns[x->column];
    status = add_objective(f, least, diags);
  }
  return status;
}

/* The column of an axis of the figure. */
static dsm_status choose_column(figure *f, const char *option, const char *name, size_t objective,
                                size_t *column, dsm_diags *diags) {
  *column = f->objectives[objective].column;
  if (name == NULL) {
    return DSM_OK;
  }
  const dsm_status status = dsm__point_choice_result(f->choice, option, name, diags);
  *column = f->choice->result;
  return status;
}

static dsm_status choose(figure *f, dsm_diags *diags) {
  const dsm_points_view *const view = f->choice->view;
  dsm_status status =
      view->pareto == NULL ? default_objectives(f, diags) : read_objectives(f, diags);
  if (status == DSM_OK) {
    status = choose_column(f, "--y", view->y, 0, &f->y, diags);
  }
  if (status == DSM_OK) {
    status = choose_column(f, "--x", view->x, 1, &f->x, diags);
  }
  return status;
}

/* ---- which points ---- */

/* Networks make panels; what else varies, and is no axis of the figure, is in the labels. */
static dsm_status name_points(figure *f, dsm_diags *diags) {
  dsm__point_choice *const choice = f->choice;
  dsm_status status = dsm__point_choice_rest(choice, NULL, 0, &f->named, diags);
  if (status == DSM_OK) {
    status = dsm__point_choice_rest(choice, NULL, 0, &choice->panels, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  choice->panels.count = 0;
  f->named.count = 0;
  for (size_t a = 0; a < choice->axis_count; a++) {
    const dsm__point_axis *const axis = &choice->axes[a];
    if (strcmp(choice->points.columns[axis->column], "workload") == 0) {
      choice->panels.items[choice->panels.count++] = axis;
    } else if (axis->column != f->x && axis->column != f->y) {
      f->named.items[f->named.count++] = axis;
    }
    if (axis->column == f->x && axis->is_number) {
      f->x_values = axis;
    }
  }
  f->is_said = dsm__arena_array(choice->arena, f->named.count, sizeof *f->is_said);
  if (f->is_said == NULL ||
      !dsm__point_groups_make(&f->panels, choice->arena, choice->panels.items, choice->panels.count,
                              choice->points.row_count)) {
    return dsm__out_of_memory(diags);
  }
  if (f->panels.count > DSM__PANELS_MAX) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                   "choose some with --where workload=NAME,NAME...",
                   "expected at most %d networks, found %zu", DSM__PANELS_MAX, f->panels.count);
    status = DSM_ERROR_USAGE;
  }
  return status;
}

static bool has_numbers(const figure *f, size_t row) {
  const dsm_point_table *const points = &f->choice->points;
  bool has_all = dsm__points_cell(points, row, f->x)->kind == DSM_CELL_NUMBER &&
                 dsm__points_cell(points, row, f->y)->kind == DSM_CELL_NUMBER;
  for (size_t o = 0; o < f->objective_count; o++) {
    has_all =
        has_all && dsm__points_cell(points, row, f->objectives[o].column)->kind == DSM_CELL_NUMBER;
  }
  return has_all;
}

/* What rows are sorted by, for the compare function of qsort has no other place for it. */
typedef struct front_row {
  double x;
  double y;
  size_t row;
} front_row;

static int compare_rows(const void *first, const void *second) {
  const front_row *const a = first;
  const front_row *const b = second;
  if (a->x != b->x) {
    return a->x < b->x ? -1 : 1;
  }
  if (a->y != b->y) {
    return a->y < b->y ? -1 : 1;
  }
  return a->row < b->row ? -1 : a->row > b->row;
}

/* Sorts a table by x. */
static bool sort_front(const figure *f, dsm_point_table *front) {
  const size_t width = front->column_count;
  front_row *const rows = dsm__arena_array(f->choice->arena, front->row_count, sizeof *rows);
  dsm_cell *const cells =
      dsm__arena_array(f->choice->arena, front->row_count * width, sizeof *cells);
  if (rows == NULL || cells == NULL) {
    return false;
  }
  for (size_t row = 0; row < front->row_count; row++) {
    rows[row] = (front_row){.x = front->cells[row * width + f->x].number,
                            .y = front->cells[row * width + f->y].number,
                            .row = row};
  }
  if (front->row_count > 1) {
    qsort(rows, front->row_count, sizeof *rows, compare_rows);
  }
  for (size_t i = 0; i < front->row_count; i++) {
    memcpy(cells + i * width, front->cells + rows[i].row * width, width * sizeof *cells);
  }
  front->cells = cells;
  return true;
}

static dsm_status find_front(figure *f, size_t panel, panel_points *found, dsm_diags *diags) {
  const dsm_point_table *const points = &f->choice->points;
  const size_t width = points->column_count;
  size_t room = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    room += f->panels.of_row[row] == panel ? 1 : 0;
  }
  dsm_cell *const cells = dsm__arena_array(f->choice->arena, room * width, sizeof *cells);
  if (cells == NULL) {
    return dsm__out_of_memory(diags);
  }
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    if (f->panels.of_row[row] == panel && has_numbers(f, row)) {
      memcpy(cells + count * width, points->cells + row * width, width * sizeof *cells);
      count++;
    }
  }
  found->all = *points;
  found->all.cells = cells;
  found->all.row_count = count;
  found->all.arena = f->choice->arena;
  found->front = found->all;
  const dsm_status status =
      dsm_point_table_pareto(&found->front, f->objectives, f->objective_count, diags);
  if (status == DSM_OK && !sort_front(f, &found->front)) {
    return dsm__out_of_memory(diags);
  }
  return status;
}

/* The extent of a column, with a margin; logarithmic where it spans more than a factor of a
 * hundred, or where that is wanted. */
static dsm_status choose_extent(const figure *f, dsm__axis *axis, unsigned which, size_t column,
                                const dsm__measure *measure, dsm_diags *diags) {
  const double margin = 0.06;
  const dsm_point_table *const points = &f->choice->points;
  dsm__result_range range = {.is_any = false};
  for (size_t row = 0; row < points->row_count; row++) {
    if (has_numbers(f, row)) {
      dsm__result_range_add(&range, dsm__measured(points, row, column, measure));
    }
  }
  dsm__axis rounded;
  const dsm_status status =
      dsm__result_axis_choose(&rounded, f->choice, &range, which, column, diags);
  const bool is_wanted = (f->choice->view->log_axes & which) != 0;
  if (is_wanted || (range.least > 0 && range.most / range.least > 100)) {
    const double factor = range.most > range.least ? pow(range.most / range.least, margin) : 2;
    *axis = (dsm__axis){range.least / factor, range.most * factor, true};
    return status;
  }
  const double extent = range.most / 2 - range.least / 2;
  const double pad = extent > 0 ? 2 * margin * extent : fmax(fabs(range.most) * margin, 1e-9);
  *axis = (dsm__axis){range.least - pad, range.most + pad, false};
  return status;
}

/* Both axes, which all panels share. */
static dsm_status choose_extents(figure *f, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  if (f->x_values != NULL) {
    status = dsm__x_scale_choose(&f->x_scale, f->choice, f->x_values, diags);
    f->x_axis = f->x_scale.axis;
  } else {
    status = choose_extent(f, &f->x_axis, DSM_PLOT_AXIS_X, f->x, &f->x_measure, diags);
  }
  return status != DSM_OK
             ? status
             : choose_extent(f, &f->y_axis, DSM_PLOT_AXIS_Y, f->y, &f->y_measure, diags);
}

/* ---- labels ---- */

/* Do all points of a front have the same value? */
static bool is_common(const dsm_point_table *front, size_t column) {
  return front != NULL && front->row_count > 1 && dsm__points_common(front, column) != NULL;
}

/* The values that some rows have in a column, each once: "1 or 2". NULL if out of memory. */
static const char *values_text(figure *f, const dsm_point_table *points, size_t row, size_t end,
                               size_t column) {
  const char *all = "";
  for (size_t r = row; r < end; r++) {
    const dsm_cell *const cell = dsm__points_cell(points, r, column);
    bool is_new = true;
    for (size_t before = row; before < r && is_new; before++) {
      is_new = !dsm__points_same(cell, dsm__points_cell(points, before, column));
    }
    const char *const text = is_new ? dsm__points_text(f->maker->arena, cell) : "";
    f->maker->body.failed = f->maker->body.failed || text == NULL;
    if (is_new) {
      all = dsm__plot_text(f->maker, "%s%s%s", all, all[0] == '\0' ? "" : " or ",
                           text == NULL ? "" : text);
    }
  }
  return all;
}

/* What rows from `row` to before `end` are, which are at one place: the values of all that varies
 * besides the axes of the figure, and in the front that is given (or NULL), numbers with the name
 * of their column; where that is nothing, their numbers in the sweep. */
static const char *name_of(figure *f, const dsm_point_table *points, size_t row, size_t end,
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

/* The panel, and what all of its front are. */
static const char *title_of(figure *f, const char *panel, const dsm_point_table *front) {
  const char *title = panel;
  bool is_first = true;
  for (size_t a = 0; a < f->named.count; a++) {
    const size_t column = f->named.items[a]->column;
    if (!is_common(front, column)) {
      continue;
    }
    const dsm_cell *const cell = dsm__points_cell(front, 0, column);
    const char *const text = dsm__points_text(f->maker->arena, cell);
    f->maker->body.failed = f->maker->body.failed || text == NULL;
    const bool is_word = cell->kind == DSM_CELL_TEXT;
    title = dsm__plot_text(f->maker, "%s%s%s%s%s", title,
                           !is_first          ? ", "
                           : panel[0] == '\0' ? "front: "
                                              : "; front: ",
                           is_word ? "" : f->named.items[a]->name, is_word ? "" : " ",
                           text == NULL ? "" : text);
    is_first = false;
  }
  return title;
}

static dsm__point place_of(const figure *f, dsm__area area, const dsm_point_table *points,
                           size_t row) {
  const double x = dsm__measured(points, row, f->x, &f->x_measure);
  const double y = dsm__measured(points, row, f->y, &f->y_measure);
  return (dsm__point){area.left + area.width * dsm__axis_share(&f->x_axis, x),
                      area.top + area.height * (1 - dsm__axis_share(&f->y_axis, y))};
}

/* Between two points of the front what can be had is what the one with the smaller x has, if less
 * of x is wanted, else what the other one has. */
static const char *line_style(const figure *f) {
  const bool is_plain =
      f->objective_count == 2 && f->y == f->objectives[0].column && f->x == f->objectives[1].column;
  return !is_plain ? NULL : f->objectives[1].is_max ? "fsteps" : "steps";
}

/* What labels keep clear of: always of the front and of each other, where they can also of its line
 * and of the points that are beaten. */
typedef struct room {
  dsm__places narrow;
  dsm__places wide;
} room;

static void take_line(dsm__places *places, dsm__point from, dsm__point to) {
  dsm__places_take(places,
                   (dsm__area){.left = fmin(from.x, to.x) - 1,
                               .top = fmin(from.y, to.y) - 1,
                               .width = fabs(to.x - from.x) + 2,
                               .height = fabs(to.y - from.y) + 2},
                   DSM__PLACE_POINT);
}

static void take_point(dsm__places *places, dsm__point at) {
  const double half = 3;
  dsm__places_take(places, (dsm__area){at.x - half, at.y - half, 2 * half, 2 * half},
                   DSM__PLACE_POINT);
}

static bool find_room(const figure *f, const panel_points *found, dsm__area area, room *all) {
  const char *const style = line_style(f);
  const dsm_point_table *const front = &found->front;
  if (!dsm__places_init(&all->narrow, area, f->choice->arena) ||
      !dsm__places_init(&all->wide, area, f->choice->arena)) {
    return false;
  }
  for (size_t row = 0; row < front->row_count; row++) {
    const dsm__point to = place_of(f, area, front, row);
    take_point(&all->narrow, to);
    take_point(&all->wide, to);
    if (row > 0 && style != NULL) {
      const dsm__point from = place_of(f, area, front, row - 1);
      const dsm__point corner =
          strcmp(style, "steps") == 0 ? (dsm__point){to.x, from.y} : (dsm__point){from.x, to.y};
      take_line(&all->narrow, from, corner);
      take_line(&all->narrow, corner, to);
    }
  }
  for (size_t row = 0; row < found->all.row_count; row++) {
    take_point(&all->narrow, place_of(f, area, &found->all, row));
  }
  return true;
}

/* Puts a label where there is room; false if there is none. */
static bool put_label(figure *f, room *all, dsm__point point, const char *text) {
  dsm__place_of_label place;
  const bool is_narrow = dsm__places_find(&all->narrow, &place, point, text, DSM__SIZE_SMALL);
  if (!is_narrow && !dsm__places_find(&all->wide, &place, point, text, DSM__SIZE_SMALL)) {
    return false;
  }
  const dsm__area box = {.left = place.at.x - 1,
                         .top = place.at.y - 0.6 * DSM__SIZE_SMALL,
                         .width = dsm__plot_text_width(text, DSM__SIZE_SMALL) + 2,
                         .height = 1.2 * DSM__SIZE_SMALL};
  dsm__places_take(is_narrow ? &all->wide : &all->narrow, box, DSM__PLACE_LABEL);
  if (place.is_far) {
    dsm__plot_line(f->maker, point, place.near, "#888888");
  }
  dsm__plot_label(f->maker, place.at, (dsm__label_style){.size = DSM__SIZE_SMALL}, text);
  return true;
}

static void put_labels(figure *f, const panel_points *found, dsm__area area) {
  const double widest = area.width * 0.75;
  const dsm_point_table *const front = &found->front;
  if (front->row_count > labels_max) {
    f->unnamed += front->row_count;
    return;
  }
  room all;
  if (!find_room(f, found, area, &all)) {
    f->maker->body.failed = true;
    return;
  }
  for (size_t row = 0; row < front->row_count;) {
    size_t end = row + 1;
    while (
        end < front->row_count &&
        dsm__points_same(dsm__points_cell(front, row, f->x), dsm__points_cell(front, end, f->x)) &&
        dsm__points_same(dsm__points_cell(front, row, f->y), dsm__points_cell(front, end, f->y))) {
      end++;
    }
    const char *const name = name_of(f, front, row, end, front);
    const char *const shown = dsm__plot_fit(f->maker, name, DSM__SIZE_SMALL, widest);
    f->unnamed += put_label(f, &all, place_of(f, area, front, row), shown) ? 0 : 1;
    row = end;
  }
}

/* ---- panels ---- */

static void put_data(figure *f, dsm__text_buffer *data, const dsm_point_table *points) {
  for (size_t row = 0; row < points->row_count; row++) {
    dsm__plot_put_number(data, dsm__measured(points, row, f->x, &f->x_measure));
    dsm__plot_put_number(data, dsm__measured(points, row, f->y, &f->y_measure));
    dsm__plot_put_name(f->maker, data, name_of(f, points, row, row + 1, NULL));
  }
}

static void put_plot(figure *f, size_t block) {
  dsm__text_buffer *const body = &f->maker->body;
  dsm__text_printf(body, "plot points index %zu using 1:2 with points pt 7 ps 0.4 lc rgb '%s'",
                   block, other_color);
  const char *const style = line_style(f);
  if (style != NULL) {
    dsm__text_printf(body, ", \\\n     points index %zu using 1:2 with %s lw 1.2 lc rgb '%s'",
                     block + 1, style, front_color);
  }
  dsm__text_printf(body,
                   ", \\\n     points index %zu using 1:2 with points pt 7 ps 0.6 lc rgb '%s'\n",
                   block + 1, front_color);
}

static void put_x_axis(figure *f, dsm__area area, bool is_lowest) {
  const dsm_point_table *const points = &f->choice->points;
  const bool is_result = f->x >= dsm__points_find(points, "mode");
  const char *const title =
      is_result ? f->x_measure.title : dsm__points_title(f->maker, points, f->x, area.width);
  const char *const shown = is_lowest ? title : NULL;
  if (f->x_values == NULL) {
    dsm__plot_x_axis(f->maker, area, f->x_axis, (dsm__axis_text){.title = shown});
  } else {
    dsm__value_tics_x(f->maker, area, &f->x_scale, shown);
  }
}

static dsm_status put_panel(figure *f, dsm__text_buffer *data, size_t panel, size_t *block,
                            dsm_diags *diags) {
  const dsm__axis_list *const list = &f->choice->panels;
  const dsm__area area = dsm__panel_area(&f->grid, panel);
  panel_points found = {0};
  const dsm_status status = find_front(f, panel, &found, diags);
  const char *const title =
      dsm__point_label(f->choice->arena, list->items, list->count, f->panels.example[panel]);
  if (status != DSM_OK || title == NULL) {
    return status == DSM_OK ? dsm__out_of_memory(diags) : status;
  }
  dsm__plot_panel(f->maker, area, f->x_axis, f->y_axis);
  dsm__panel_title(f->maker, area, title_of(f, title, &found.front), area.width);
  if (found.all.row_count == 0) {
    dsm__plot_label(f->maker, (dsm__point){area.left + area.width / 2, area.top + area.height / 2},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_CENTER},
                    "no result");
    dsm__text_puts(&f->maker->body, "plot NaN\n");
  } else {
    dsm__points_y_axis(f->maker, &f->grid, panel, f->y_axis, f->y_measure.title);
    put_x_axis(f, area, dsm__panel_is_lowest(&f->grid, panel));
    put_labels(f, &found, area);
    const char *const gap = title[0] == '\0' ? "" : ", ";
    dsm__text_puts(data, *block > 0 ? "\n\n# " : "# ");
    dsm__plot_put_name(f->maker, data, dsm__plot_text(f->maker, "%s%sall", title, gap));
    put_data(f, data, &found.all);
    dsm__text_puts(data, "\n\n# ");
    dsm__plot_put_name(f->maker, data, dsm__plot_text(f->maker, "%s%sfront", title, gap));
    put_data(f, data, &found.front);
    put_plot(f, *block);
    *block += 2;
  }
  dsm__plot_panel_end(f->maker);
  return DSM_OK;
}

/* ---- the page ---- */

static void put_heading(figure *f) {
  const dsm_point_table *const points = &f->choice->points;
  const char *title = "";
  for (size_t o = 0; o < f->objective_count; o++) {
    const dsm_objective *const each = &f->objectives[o];
    title =
        dsm__plot_text(f->maker, "%s%s%s %s", title, o > 0 ? ", " : "",
                       each->is_max ? "max" : "min", dsm__points_short_name(points, each->column));
  }
  const char *labels = "";
  if (f->unnamed > 0) {
    labels = dsm__plot_text(f->maker, "%zu %s no room for a label", f->unnamed,
                            f->unnamed == 1 ? "point has" : "points have");
  }
  bool is_first = true;
  for (size_t a = 0; a < f->named.count; a++) {
    if (f->is_said[a]) {
      const char *const before = !is_first ? ", " : labels[0] == '\0' ? "labels: " : "; labels: ";
      labels = dsm__plot_text(f->maker, "%s%s%s", labels, before, f->named.items[a]->name);
      is_first = false;
    }
  }
  dsm__points_heading(f->maker, f->choice, dsm__plot_text(f->maker, "Pareto front of %s", title),
                      labels[0] == '\0' ? NULL : labels, false);
}

dsm_status dsm__plot_pareto(dsm__plot_maker *maker, dsm__point_choice *choice, dsm_diags *diags) {
  figure f = {.maker = maker, .choice = choice};
  dsm_status status = choose(&f, diags);
  if (status == DSM_OK) {
    status = name_points(&f, diags);
  }
  size_t drawn = 0;
  for (size_t row = 0; status == DSM_OK && row < choice->points.row_count; row++) {
    drawn += has_numbers(&f, row) ? 1 : 0;
  }
  if (status == DSM_OK && drawn == 0) {
    status = dsm__point_choice_nothing(choice, choice->points.columns[f.y], diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  f.x_measure = dsm__measure_of(maker, &choice->points, f.x);
  f.y_measure = dsm__measure_of(maker, &choice->points, f.y);
  status = choose_extents(&f, diags);
  if (status != DSM_OK) {
    return status;
  }
  const double height = f.panels.count == 1 ? 320 : 220;
  const dsm__panel_grid wanted = {
      .top = dsm__plot_heading_height(true) + 2,
      .left_room = dsm__points_y_room(maker, f.y_axis, height),
      .top_room = DSM__SIZE_TEXT * DSM__LINE_PITCH + 4,
      .bottom_room = 8 + DSM__SIZE_SMALL * DSM__LINE_PITCH,
  };
  f.grid = dsm__panel_grid_make(maker, choice, f.panels.count, wanted, 270, height);
  dsm__text_buffer *const data = dsm__plot_add_data(maker, "points");
  dsm__plot_put_name(maker, data,
                     dsm__plot_text(maker, "# columns: %s, %s, the other values", f.x_measure.title,
                                    f.y_measure.title));
  size_t block = 0;
  for (size_t panel = 0; panel < f.panels.count && status == DSM_OK; panel++) {
    status = put_panel(&f, data, panel, &block, diags);
  }
  if (status == DSM_OK) {
    put_heading(&f);
    dsm__plot_empty_panel(maker);
  }
  return status;
}
