/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pareto_points.c: which points the Pareto figure shows, and which of them no other beats. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "report/figure/pareto.h"

/* ---- objectives ---- */

static bool add_objective(dsm__pareto *f, const char *text) {
  dsm__point_choice *const choice = f->choice;
  const char *const option = choice->view->pareto != NULL ? "--pareto"
                             : choice->view->x != NULL    ? "--x"
                                                          : "--y";
  if (f->objective_count == DSM_PLOT_LIST_MAX) {
    return dsm__point_choice_refuse(choice, "--pareto", NULL, "expected at most %d objectives",
                                    DSM_PLOT_LIST_MAX);
  }
  dsm_objective *const made = &f->objectives[f->objective_count];
  choice->status = dsm_objective_parse(made, &choice->points, text, choice->diags);
  bool is_again = false;
  for (size_t o = 0; o < f->objective_count && choice->status == DSM_OK; o++) {
    is_again = is_again || f->objectives[o].column == made->column;
  }
  f->objective_count += choice->status == DSM_OK ? 1 : 0;
  return choice->status == DSM_OK && dsm__point_choice_other(choice, option, text, is_again);
}

static bool read_objectives(dsm__pareto *f) {
  dsm__point_choice *const choice = f->choice;
  char *list = dsm__arena_strdup(choice->arena, choice->view->pareto);
  if (!dsm__point_choice_has(choice, list != NULL)) {
    return false;
  }
  for (char *at; (at = dsm__list_next(&list)) != NULL;) {
    if (!add_objective(f, at)) {
      return false;
    }
  }
  return f->objective_count >= 2 ||
         dsm__point_choice_refuse(choice, "--pareto", NULL,
                                  "expected at least two objectives, found \"%s\"",
                                  choice->view->pareto);
}

/* The most of a result with the least of what would be along x: what more of it buys. */
static bool default_objectives(dsm__pareto *f) {
  dsm__point_choice *const choice = f->choice;
  const dsm__point_axis *x = NULL;
  if (!dsm__point_choice_result(choice, "--y", choice->view->y) ||
      (choice->view->x == NULL && !dsm__point_choice_default(choice, "--x", &x))) {
    return false;
  }
  const char *const least = choice->view->x != NULL ? choice->view->x
                            : !x->is_number
                                ? "memory_bytes" /* the price of a design where none varies */
                                : choice->points.columns[x->column];
  return add_objective(f, choice->points.columns[choice->result]) && add_objective(f, least);
}

/* The column of an axis of the figure. */
static bool choose_column(dsm__pareto *f, const char *option, const char *name, size_t objective,
                          size_t *column) {
  *column = f->objectives[objective].column;
  if (name == NULL) {
    return true;
  }
  const bool is_there = dsm__point_choice_result(f->choice, option, name);
  *column = f->choice->result;
  return is_there;
}

static bool choose_columns(dsm__pareto *f) {
  const dsm_points_view *const view = f->choice->view;
  return (view->pareto == NULL ? default_objectives(f) : read_objectives(f)) &&
         choose_column(f, "--y", view->y, 0, &f->y) && choose_column(f, "--x", view->x, 1, &f->x) &&
         dsm__point_choice_other(f->choice, "--x", f->choice->points.columns[f->x], f->x == f->y);
}

/* ---- which points ---- */

bool dsm__pareto_choose(dsm__pareto *f) {
  dsm__point_choice *const choice = f->choice;
  if (!dsm__point_choice_axes(choice, DSM__POINTS_FRONT, NULL) || !choose_columns(f)) {
    return false;
  }
  const size_t count = choice->axes.count;
  f->named.items = dsm__arena_array(choice->arena, count, sizeof(const dsm__point_axis *));
  f->is_said = dsm__arena_array(choice->arena, count, sizeof *f->is_said);
  if (!dsm__point_choice_has(choice, f->named.items != NULL && f->is_said != NULL)) {
    return false;
  }
  assert(f->named.items != NULL);
  dsm__axis_list rest = {.items = f->named.items};
  choice->taken.count = choice->panels.count;
  dsm__point_choice_rest(choice, &rest);
  for (size_t i = 0; i < rest.count; i++) {
    const dsm__point_axis *const axis = rest.items[i];
    if (axis->column == f->x && axis->is_number) {
      choice->x = axis;
    }
    if (axis->column != f->x && axis->column != f->y) {
      f->named.items[f->named.count++] = axis;
    }
  }
  return true;
}

bool dsm__pareto_has_numbers(const dsm__pareto *f, size_t row) {
  const dsm_point_table *const points = &f->choice->points;
  bool has_all = dsm__point_cell(points, row, f->x)->kind == DSM_CELL_NUMBER &&
                 dsm__point_cell(points, row, f->y)->kind == DSM_CELL_NUMBER;
  for (size_t o = 0; o < f->objective_count; o++) {
    has_all =
        has_all && dsm__point_cell(points, row, f->objectives[o].column)->kind == DSM_CELL_NUMBER;
  }
  return has_all;
}

/* Sorts a table by x, then y; among equals as it was. */
static dsm_status sort_front(const dsm__pareto *f, dsm_point_table *front) {
  dsm_objective keys[2 + DSM_PLOT_LIST_MAX] = {{.column = f->x}, {.column = f->y}};
  memcpy(keys + 2, f->objectives, f->objective_count * sizeof keys[0]);
  return dsm__point_table_sort(front, keys, 2 + f->objective_count, f->choice->diags);
}

static bool find_front(dsm__pareto *f, size_t panel, dsm__pareto_points *found) {
  dsm__point_choice *const choice = f->choice;
  const dsm_point_table *const points = &choice->points;
  bool *const is_kept = dsm__arena_array(choice->arena, points->row_count, sizeof *is_kept);
  if (!dsm__point_choice_has(choice, is_kept != NULL)) {
    return false;
  }
  assert(is_kept != NULL);
  for (size_t row = 0; row < points->row_count; row++) {
    is_kept[row] = choice->of_panels.of_row[row] == panel && dsm__pareto_has_numbers(f, row);
  }
  found->all = *points;
  found->all.arena = choice->arena;
  if (!dsm__point_choice_has(choice, dsm__points_keep(&found->all, choice->arena, is_kept))) {
    return false;
  }
  found->front = found->all;
  choice->status =
      dsm_point_table_pareto(&found->front, f->objectives, f->objective_count, choice->diags);
  if (choice->status == DSM_OK) {
    choice->status = sort_front(f, &found->front);
  }
  return choice->status == DSM_OK;
}

bool dsm__pareto_find(dsm__pareto *f) {
  const size_t count = f->choice->of_panels.count;
  f->found = dsm__arena_array(f->choice->arena, count, sizeof *f->found);
  bool is_good = dsm__point_choice_has(f->choice, f->found != NULL);
  assert(!is_good || f->found != NULL);
  for (size_t panel = 0; is_good && panel < count; panel++) {
    is_good = find_front(f, panel, &f->found[panel]);
  }
  return is_good;
}
