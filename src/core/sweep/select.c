/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.c: the rows of a table that matter: the best, and those that none dominates.
 *
 * Rows are sorted by the objectives, then by points: O(n log n). In that order a row can only be
 * dominated by one before it, and, domination being transitive, by one that is kept. For one or two
 * objectives the last kept row is enough: of all kept ones it is the best in the second objective.
 * For more, all kept rows are asked: O(n * kept).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/order.h"
#include "base/words.h"
#include "dsm/sweep_store.h"
#include "sweep/point_record.h"

/* ---- objectives ---- */

/* Is more better in a column of results? Of all other columns less is. */
static bool is_better_larger(const char *column) {
  const dsm__field *const field = dsm__record_field(&dsm__point_record, column, NULL);
  return field != NULL && (field->flags & DSM__FIELD_MORE_IS_BETTER) != 0;
}

const char *dsm__points_meant(const dsm_point_table *table, const char *name) {
  const char *meant = dsm__nearest(name, table->columns, table->column_count);
  const size_t length = strlen(name);
  for (size_t c = 0; c < table->column_count && meant == NULL && length > 0; c++) {
    const char *const dot = strrchr(table->columns[c], '.');
    const char *const word = dot == NULL ? table->columns[c] : dot + 1;
    const bool is_begun = strncmp(table->columns[c], name, length) == 0;
    meant = is_begun || strncmp(word, name, length) == 0 ? table->columns[c] : NULL;
  }
  return meant;
}

static dsm_status unknown_column(const dsm_point_table *table, const char *name, dsm_diags *diags) {
  char hint[256];
  const char *const meant = dsm__points_meant(table, name);
  (void)snprintf(hint, sizeof hint, "did you mean \"%s\"?", meant == NULL ? "" : meant);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0}, meant == NULL ? NULL : hint,
                 "expected a column of the results, perhaps after \"min:\" or \"max:\", found "
                 "\"%s\"",
                 name);
  return DSM_ERROR_USAGE;
}

dsm_status dsm_objective_parse(dsm_objective *objective, const dsm_point_table *table,
                               const char *text, dsm_diags *diags) {
  const bool is_min = strncmp(text, "min:", 4) == 0;
  const bool is_max = strncmp(text, "max:", 4) == 0;
  const char *const name = is_min || is_max ? text + 4 : text;
  const size_t column = dsm__points_find(table, name);
  if (column == table->column_count) {
    return unknown_column(table, name, diags);
  }
  if (dsm__points_hold_words(table, column)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a column of numbers, found \"%s\", which holds words", name);
  }
  *objective = (dsm_objective){.column = column, .is_max = is_max};
  if (!is_min && !is_max) {
    objective->is_max = is_better_larger(name);
  }
  return DSM_OK;
}

/* ---- sorting ---- */

/* A row that is ok and has a number in every objective. */
typedef struct candidate {
  const double *keys; /**< smaller is better; key_count of them */
  size_t key_count;
  double point;
  size_t row;
} candidate;

static int compare_keys(const candidate *first, const candidate *second) {
  int order = 0;
  for (size_t k = 0; k < first->key_count && order == 0; k++) {
    order = dsm__order(first->keys[k], second->keys[k]);
  }
  return order;
}

DSM__ORDER_OF(compare, candidate,
              dsm__order_then(dsm__order_then(compare_keys(a, b), dsm__order(a->point, b->point)),
                              dsm__order_whole(a->row, b->row)));

/* The number that points are ordered by: column `point`, or else the order of rows. */
static double point_of(const dsm_point_table *table, size_t row) {
  const dsm_cell *const cell = dsm__point_cell(table, row, 0);
  const bool has_points = table->column_count > 0 && strcmp(table->columns[0], "point") == 0;
  return has_points && cell->kind == DSM_CELL_NUMBER ? cell->number : (double)row;
}

/* Sets a row's keys; false if one of its cells holds no number. */
static bool set_keys(const dsm_point_table *table, size_t row, const dsm_objective *objectives,
                     size_t count, double *keys) {
  for (size_t k = 0; k < count; k++) {
    const dsm_cell *const cell = dsm__point_cell(table, row, objectives[k].column);
    if (cell->kind != DSM_CELL_NUMBER) {
      return false;
    }
    keys[k] = objectives[k].is_max ? -cell->number : cell->number;
  }
  return true;
}

/* Is the row a design that works? A table without the column `status` does not say otherwise. */
static bool is_ok(const dsm_point_table *table, size_t row, size_t status_column) {
  return status_column == table->column_count ||
         dsm__cell_is_ok(dsm__point_cell(table, row, status_column));
}

/* The rows that are ok and have all numbers, sorted, in an array of *candidate_count; NULL if out
 * of memory. */
static candidate *sort_rows(const dsm_point_table *table, const dsm_objective *objectives,
                            size_t objective_count, dsm__arena *arena, size_t *candidate_count) {
  candidate *const made = dsm__arena_array(arena, table->row_count, sizeof *made);
  double *const keys =
      objective_count > SIZE_MAX / (table->row_count + 1)
          ? NULL
          : dsm__arena_array(arena, table->row_count * objective_count, sizeof *keys);
  if (made == NULL || keys == NULL) {
    return NULL;
  }
  const size_t status_column = dsm__points_find(table, "status");
  size_t count = 0;
  for (size_t row = 0; row < table->row_count; row++) {
    double *const own = keys + count * objective_count;
    if (is_ok(table, row, status_column) &&
        set_keys(table, row, objectives, objective_count, own)) {
      made[count++] = (candidate){
          .keys = own, .key_count = objective_count, .point = point_of(table, row), .row = row};
    }
  }
  dsm__sort(made, count, sizeof *made, compare);
  *candidate_count = count;
  return made;
}

/* The table gets these rows, in this order. */
static bool keep(dsm_point_table *table, const candidate *rows, size_t count) {
  const size_t width = table->column_count;
  dsm_cell *const cells = dsm__arena_array(table->arena, count * width, sizeof *cells);
  if (cells == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    memcpy(cells + i * width, table->cells + rows[i].row * width, width * sizeof *cells);
  }
  table->cells = cells;
  table->row_count = count;
  return true;
}

/* ---- selections ---- */

/* `first` is sorted before `second`: is it as good in everything and better in something? */
static bool dominates(const candidate *first, const candidate *second) {
  bool is_better = false;
  for (size_t k = 0; k < first->key_count; k++) {
    if (first->keys[k] > second->keys[k]) {
      return false;
    }
    is_better = is_better || first->keys[k] < second->keys[k];
  }
  return is_better;
}

/* Moves the rows that none dominates to the front; how many they are. */
static size_t keep_front(candidate *rows, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t asked = rows[i].key_count <= 2 && kept > 1 ? 1 : kept;
    bool is_dominated = false;
    for (size_t k = kept; k > kept - asked && !is_dominated; k--) {
      is_dominated = dominates(&rows[k - 1], &rows[i]);
    }
    if (!is_dominated) {
      rows[kept++] = rows[i];
    }
  }
  return kept;
}

/* Keeps the best rows, at most so many; of a front all that are in it. */
static dsm_status select_rows(dsm_point_table *table, const dsm_objective *objectives,
                              size_t objective_count, bool is_front, size_t most,
                              dsm_diags *diags) {
  dsm__arena *const arena = dsm__arena_new();
  size_t found = 0;
  candidate *const rows =
      arena == NULL ? NULL : sort_rows(table, objectives, objective_count, arena, &found);
  const size_t wanted = rows != NULL && is_front ? keep_front(rows, found) : found;
  const bool is_kept = rows != NULL && keep(table, rows, wanted < most ? wanted : most);
  dsm__arena_free(arena);
  return is_kept ? DSM_OK : dsm__out_of_memory(diags);
}

dsm_status dsm_point_table_best(dsm_point_table *table, dsm_objective objective, size_t count,
                                dsm_diags *diags) {
  return select_rows(table, &objective, 1, false, count, diags);
}

dsm_status dsm_point_table_pareto(dsm_point_table *table, const dsm_objective *objectives,
                                  size_t objective_count, dsm_diags *diags) {
  return select_rows(table, objectives, objective_count, true, SIZE_MAX, diags);
}

dsm_status dsm__point_table_sort(dsm_point_table *table, const dsm_objective *objectives,
                                 size_t objective_count, dsm_diags *diags) {
  return select_rows(table, objectives, objective_count, false, SIZE_MAX, diags);
}
