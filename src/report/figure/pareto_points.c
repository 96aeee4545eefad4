/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pareto_points.c: which points the Pareto figure shows, and which of them no other beats. */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "report/figure/pareto.h"

/* ---- objectives ---- */

static dsm_status add_objective(dsm__pareto *f, const char *text, dsm_diags *diags) {
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

static dsm_status read_objectives(dsm__pareto *f, dsm_diags *diags) {
  char *list = dsm__arena_strdup(f->choice->arena, f->choice->view->pareto);
  dsm_status status = list == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  for (char *at; status == DSM_OK && (at = dsm__list_next(&list)) != NULL;) {
    status = add_objective(f, at, diags);
  }
  if (status == DSM_OK && f->objective_count < 2) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = "--pareto"}, NULL,
                   "expected at least two objectives, found \"%s\"", f->choice->view->pareto);
    status = DSM_ERROR_USAGE;
  }
  return status;
}

/* The most of a result with the least of what varies most: what more of it buys. */
static dsm_status default_objectives(dsm__pareto *f, dsm_diags *diags) {
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
static dsm_status choose_column(dsm__pareto *f, const char *option, const char *name,
                                size_t objective, size_t *column, dsm_diags *diags) {
  *column = f->objectives[objective].column;
  if (name == NULL) {
    return DSM_OK;
  }
  const dsm_status status = dsm__point_choice_result(f->choice, option, name, diags);
  *column = f->choice->result;
  return status;
}

static dsm_status choose_columns(dsm__pareto *f, dsm_diags *diags) {
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
static dsm_status name_points(dsm__pareto *f, dsm_diags *diags) {
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

dsm_status dsm__pareto_choose(dsm__pareto *f, dsm_diags *diags) {
  const dsm_status status = choose_columns(f, diags);
  return status == DSM_OK ? name_points(f, diags) : status;
}

bool dsm__pareto_has_numbers(const dsm__pareto *f, size_t row) {
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
static bool sort_front(const dsm__pareto *f, dsm_point_table *front) {
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

dsm_status dsm__pareto_find(dsm__pareto *f, size_t panel, dsm__pareto_points *found,
                            dsm_diags *diags) {
  const dsm_point_table *const points = &f->choice->points;
  bool *const is_kept = dsm__arena_array(f->choice->arena, points->row_count, sizeof *is_kept);
  if (is_kept == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t row = 0; row < points->row_count; row++) {
    is_kept[row] = f->panels.of_row[row] == panel && dsm__pareto_has_numbers(f, row);
  }
  found->all = *points;
  found->all.arena = f->choice->arena;
  if (!dsm__points_keep(&found->all, f->choice->arena, is_kept)) {
    return dsm__out_of_memory(diags);
  }
  found->front = found->all;
  const dsm_status status =
      dsm_point_table_pareto(&found->front, f->objectives, f->objective_count, diags);
  if (status == DSM_OK && !sort_front(f, &found->front)) {
    return dsm__out_of_memory(diags);
  }
  return status;
}
