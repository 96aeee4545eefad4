/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * point_means.c: systems ranked over several workloads.
 *
 * Steps of different networks are no quantities to compare. What a system (all that varies but the
 * workload, and what varies with it) is worth is the geometric mean of its results over the
 * workloads, with which the order of two systems is the same whatever network the times are
 * relative to. A system on which a workload has no result has no mean; a workload that has none on
 * any system is left out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/order.h"
#include "base/text_buffer.h"
#include "dsm/sweep_store.h"
#include "sweep/point_record.h"

/* Where things are in the rows of a table. */
typedef struct layout {
  size_t point;
  size_t status;
  size_t workload;
  size_t axes;          /* the first column that says what a point is */
  size_t results;       /* the first one that says what came of it */
  bool *is_of_workload; /* of each column: it is the workload, or varies with it alone */
} layout;

/* A row, to be sorted by all that says what its system is. */
typedef struct entry {
  const dsm_cell *cells;
  const layout *places;
  size_t row;
} entry;

/* False if the table has no workloads, or lacks what the view `points` has. */
static bool find_layout(layout *places, const dsm_point_table *table) {
  *places = (layout){.point = dsm__points_find(table, "point"),
                     .status = dsm__points_find(table, "status"),
                     .workload = dsm__points_find(table, "workload"),
                     .axes = dsm__points_find(table, "reason") + 1,
                     .results = dsm__points_find(table, "mode")};
  return places->point < places->status && places->status < places->axes &&
         places->axes <= places->workload && places->workload < places->results &&
         places->results < table->column_count;
}

static int compare_systems(const entry *one, const entry *other) {
  const layout *const places = one->places;
  int order = 0;
  for (size_t c = places->axes; c < places->results && order == 0; c++) {
    order = places->is_of_workload[c] ? 0 : dsm__order_cells(&one->cells[c], &other->cells[c]);
  }
  return order;
}

DSM__ORDER_OF(compare_entries, entry,
              dsm__order_then(compare_systems(a, b), dsm__order_whole(a->row, b->row)));

/* ---- workloads ---- */

/* Of each row the first one with its workload; how many workloads there are. NULL if out of
 * memory. */
static size_t *find_first_rows(const dsm_point_table *table, size_t column, dsm__arena *arena,
                               size_t *count) {
  size_t *const first = dsm__arena_array(arena, table->row_count, sizeof *first);
  size_t *const of_each = dsm__arena_array(arena, table->row_count, sizeof *of_each);
  *count = 0;
  if (first == NULL || of_each == NULL) {
    return NULL;
  }
  for (size_t row = 0; row < table->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(table, row, column);
    size_t known = 0;
    while (known < *count &&
           dsm__order_cells(cell, dsm__point_cell(table, of_each[known], column)) != 0) {
      known++;
    }
    if (known == *count) {
      of_each[(*count)++] = row;
    }
    first[row] = of_each[known];
  }
  return first;
}

/* A column with one value for each workload varies with it, as where an axis is of both: that can
 * be told once all points are there. */
static void find_of_workload(layout *places, const dsm_point_table *table, const size_t *first) {
  for (size_t c = places->axes; c < places->results; c++) {
    bool is_same = table->row_count == table->point_count;
    for (size_t row = 0; row < table->row_count && is_same; row++) {
      is_same = dsm__order_cells(dsm__point_cell(table, row, c),
                                 dsm__point_cell(table, first[row], c)) == 0;
    }
    places->is_of_workload[c] = c == places->workload || is_same;
  }
}

/* Of the first row of each workload: has it a result on any system? NULL if out of memory. */
static const bool *find_results(const dsm_point_table *table, size_t status, const size_t *first,
                                dsm__arena *arena, size_t *count) {
  bool *const has_result = dsm__arena_array(arena, table->row_count, sizeof *has_result);
  *count = 0;
  for (size_t row = 0; has_result != NULL && row < table->row_count; row++) {
    const bool is_ok = dsm__cell_is_ok(dsm__point_cell(table, row, status));
    *count += is_ok && !has_result[first[row]];
    has_result[first[row]] = has_result[first[row]] || is_ok;
  }
  return has_result;
}

/* The names of all workloads with results, each once, joined. */
static const char *join_workloads(const dsm_point_table *table, size_t column, const size_t *first,
                                  const bool *has_result) {
  dsm__text_buffer text = {0};
  for (size_t row = 0; row < table->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(table, row, column);
    if (first[row] == row && has_result[row] && cell->kind == DSM_CELL_TEXT) {
      dsm__text_printf(&text, "%s%s", text.length == 0 ? "" : "+", cell->text);
    }
  }
  char *const joined =
      text.failed ? NULL : dsm__arena_strdup(table->arena, text.text == NULL ? "" : text.text);
  dsm__text_fini(&text);
  return joined;
}

/* ---- means ---- */

/* What all rows have in a column; else the geometric mean of numbers that are more than 0, if it is
 * one of a result; else nothing. */
static dsm_cell mean_of(const entry *rows, size_t count, size_t column, bool is_result) {
  double sum = 0;
  bool is_same = true;
  bool has_mean = is_result;
  for (size_t i = 0; i < count; i++) {
    const dsm_cell *const cell = &rows[i].cells[column];
    const bool is_positive = cell->kind == DSM_CELL_NUMBER && cell->number > 0;
    is_same = is_same && dsm__order_cells(cell, &rows[0].cells[column]) == 0;
    has_mean = has_mean && is_positive;
    sum += is_positive ? log(cell->number) : 0;
  }
  if (is_same) {
    return rows[0].cells[column];
  }
  return has_mean ? (dsm_cell){.kind = DSM_CELL_NUMBER, .number = exp(sum / (double)count)}
                  : (dsm_cell){.kind = DSM_CELL_NONE};
}

/* The row of a system with all its workloads. */
static void put_means(dsm_cell *to, const dsm_point_table *table, const entry *rows, size_t count,
                      const char *workloads) {
  const layout *const places = rows[0].places;
  const size_t first_result = dsm__points_find(table, "utilization");
  for (size_t c = 0; c < table->column_count; c++) {
    to[c] = mean_of(rows, count, c, c >= first_result);
  }
  to[places->point] = (dsm_cell){.kind = DSM_CELL_NONE};
  to[places->workload] = (dsm_cell){.kind = DSM_CELL_TEXT, .text = workloads};
}

/* Systems in the order of their first points. */
static int compare_first_rows(const void *first, const void *second) {
  return dsm__order_whole((*(const entry *const *)first)->row,
                          (*(const entry *const *)second)->row);
}

/* Replaces the rows by those of systems; `sorted` are those of workloads with results, and `kept`
 * has room for as many. */
static void collapse(dsm_point_table *table, dsm_cell *cells, const entry *sorted, size_t row_count,
                     const entry **kept, const char *workloads, size_t workload_count) {
  size_t system_count = 0;
  size_t kept_count = 0;
  for (size_t begin = 0, end = 0; begin < row_count; begin = end) {
    size_t ok_count = 0;
    for (end = begin; end < row_count && compare_systems(&sorted[begin], &sorted[end]) == 0;
         end++) {
      ok_count += dsm__cell_is_ok(&sorted[end].cells[sorted[end].places->status]);
    }
    system_count++;
    if (ok_count == workload_count && end - begin == workload_count) {
      kept[kept_count++] = &sorted[begin];
    }
  }
  if (system_count < 2 || kept_count == 0) {
    return; /* nothing to rank */
  }
  qsort(kept, kept_count, sizeof *kept, compare_first_rows);
  for (size_t k = 0; k < kept_count; k++) {
    put_means(cells + k * table->column_count, table, kept[k], workload_count, workloads);
  }
  table->cells = cells;
  table->row_count = kept_count;
  table->point_count = system_count;
  table->workload_count = workload_count;
}

/* Of at least two workloads; false if out of memory. */
static bool rank(dsm_point_table *table, layout *places, const size_t *first, dsm__arena *arena) {
  size_t workload_count = 0;
  const bool *const has_result = find_results(table, places->status, first, arena, &workload_count);
  if (has_result != NULL && workload_count < 2) {
    return true; /* nothing to rank */
  }
  const char *const workloads =
      has_result == NULL ? NULL : join_workloads(table, places->workload, first, has_result);
  entry *const sorted = dsm__arena_array(arena, table->row_count, sizeof *sorted);
  const entry **const kept = dsm__arena_array(arena, table->row_count, sizeof *kept);
  dsm_cell *const cells =
      dsm__arena_array(table->arena, table->row_count * table->column_count, sizeof *cells);
  places->is_of_workload =
      dsm__arena_array(arena, table->column_count, sizeof *places->is_of_workload);
  if (workloads == NULL || sorted == NULL || kept == NULL || cells == NULL ||
      places->is_of_workload == NULL) {
    return false;
  }
  find_of_workload(places, table, first);
  size_t count = 0;
  for (size_t row = 0; row < table->row_count; row++) {
    if (has_result[first[row]]) {
      sorted[count++] = (entry){dsm__point_cell(table, row, 0), places, row};
    }
  }
  qsort(sorted, count, sizeof *sorted, compare_entries);
  collapse(table, cells, sorted, count, kept, workloads, workload_count);
  return true;
}

dsm_status dsm_point_table_means(dsm_point_table *table, dsm_diags *diags) {
  layout places;
  size_t workload_count = 0;
  if (!find_layout(&places, table)) {
    return DSM_OK;
  }
  dsm__arena *const arena = dsm__arena_new();
  const size_t *const first =
      arena == NULL ? NULL : find_first_rows(table, places.workload, arena, &workload_count);
  const bool is_good = first != NULL && (workload_count < 2 || rank(table, &places, first, arena));
  dsm__arena_free(arena);
  return is_good ? DSM_OK : dsm__out_of_memory(diags);
}
