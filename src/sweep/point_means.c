/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * point_means.c: systems ranked over several workloads.
 *
 * Steps of different networks are no quantities to compare. What a system (all that varies but the
 * workload) is worth is the geometric mean of its results over the workloads, with which the order
 * of two systems is the same whatever network the times are relative to. A system on which a
 * workload has no result has no mean.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/text_buffer.h"
#include "dsm/sweep_store.h"

/* Where things are in the rows of a table. */
typedef struct layout {
  size_t point;
  size_t status;
  size_t workload;
  size_t axes;    /* the first column that says what a point is */
  size_t results; /* the first one that says what came of it */
} layout;

/* A row, to be sorted by all that says what a point is but the workload. */
typedef struct entry {
  const dsm_cell *cells;
  const layout *places;
  size_t row;
} entry;

static size_t find(const dsm_point_table *table, const char *name) {
  size_t column = 0;
  while (column < table->column_count && strcmp(table->columns[column], name) != 0) {
    column++;
  }
  return column;
}

/* False if the table has no workloads, or lacks what the view `points` has. */
static bool find_layout(layout *places, const dsm_point_table *table) {
  *places = (layout){.point = find(table, "point"),
                     .status = find(table, "status"),
                     .workload = find(table, "workload"),
                     .axes = find(table, "reason") + 1,
                     .results = find(table, "mode")};
  return places->point < places->status && places->status < places->axes &&
         places->axes <= places->workload && places->workload < places->results &&
         places->results < table->column_count;
}

static int compare_cells(const dsm_cell *one, const dsm_cell *other) {
  if (one->kind != other->kind) {
    return one->kind < other->kind ? -1 : 1;
  }
  if (one->kind == DSM_CELL_TEXT) {
    return strcmp(one->text, other->text);
  }
  return one->number < other->number ? -1 : one->number > other->number;
}

static int compare_systems(const entry *one, const entry *other) {
  const layout *const places = one->places;
  int order = 0;
  for (size_t c = places->axes; c < places->results && order == 0; c++) {
    order = c == places->workload ? 0 : compare_cells(&one->cells[c], &other->cells[c]);
  }
  return order;
}

static int compare_entries(const void *first, const void *second) {
  const entry *const one = first;
  const entry *const other = second;
  const int order = compare_systems(one, other);
  return order != 0 ? order : one->row < other->row ? -1 : one->row > other->row;
}

/* ---- workloads ---- */

/* The names of all workloads, each once, joined; how many they are. */
static char *join_workloads(const dsm_point_table *table, size_t column, dsm__arena *arena,
                            size_t *count) {
  const char **const names = dsm__arena_array(arena, table->row_count, sizeof *names);
  dsm__text_buffer text = {0};
  *count = 0;
  for (size_t row = 0; row < table->row_count && names != NULL; row++) {
    const dsm_cell *const cell = &table->cells[row * table->column_count + column];
    const char *const name = cell->kind == DSM_CELL_TEXT ? cell->text : "";
    size_t known = 0;
    while (known < *count && strcmp(names[known], name) != 0) {
      known++;
    }
    if (known == *count) {
      names[(*count)++] = name;
      dsm__text_printf(&text, "%s%s", known == 0 ? "" : "+", name);
    }
  }
  const bool is_good = names != NULL && !text.failed;
  char *const joined =
      is_good ? dsm__arena_strdup(table->arena, text.text == NULL ? "" : text.text) : NULL;
  dsm__text_fini(&text);
  return joined;
}

/* ---- means ---- */

static bool is_ok(const entry *row) {
  const dsm_cell *const status = &row->cells[row->places->status];
  return status->kind == DSM_CELL_TEXT &&
         strcmp(status->text, dsm_point_status_name(DSM_POINT_OK)) == 0;
}

/* What all rows have in a column; else the geometric mean of numbers that are more than 0, if it is
 * one of a result; else nothing. */
static dsm_cell mean_of(const entry *rows, size_t count, size_t column, bool is_result) {
  double sum = 0;
  bool is_same = true;
  bool has_mean = is_result;
  for (size_t i = 0; i < count; i++) {
    const dsm_cell *const cell = &rows[i].cells[column];
    const bool is_positive = cell->kind == DSM_CELL_NUMBER && cell->number > 0;
    is_same = is_same && compare_cells(cell, &rows[0].cells[column]) == 0;
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
  const size_t first_result = find(table, "utilization");
  for (size_t c = 0; c < table->column_count; c++) {
    to[c] = mean_of(rows, count, c, c >= first_result);
  }
  to[places->point] = (dsm_cell){.kind = DSM_CELL_NONE};
  to[places->workload] = (dsm_cell){.kind = DSM_CELL_TEXT, .text = workloads};
}

/* Replaces the rows by those of systems; `sorted` are the rows. */
static void collapse(dsm_point_table *table, dsm_cell *cells, const entry *sorted,
                     const char *workloads, size_t workload_count) {
  const size_t row_count = table->row_count;
  size_t system_count = 0;
  size_t kept = 0;
  for (size_t begin = 0, end = 0; begin < row_count; begin = end) {
    size_t ok_count = 0;
    for (end = begin; end < row_count && compare_systems(&sorted[begin], &sorted[end]) == 0;
         end++) {
      ok_count += is_ok(&sorted[end]);
    }
    system_count++;
    if (ok_count == workload_count && end - begin == workload_count) {
      put_means(cells + kept * table->column_count, table, &sorted[begin], workload_count,
                workloads);
      kept++;
    }
  }
  if (system_count < 2) {
    return; /* nothing to rank */
  }
  table->cells = cells;
  table->row_count = kept;
  table->point_count = system_count;
  table->workload_count = workload_count;
}

dsm_status dsm_point_table_means(dsm_point_table *table, dsm_diags *diags) {
  layout places;
  size_t workload_count = 0;
  if (!find_layout(&places, table)) {
    return DSM_OK;
  }
  dsm__arena *const arena = dsm__arena_new();
  const char *const workloads =
      arena == NULL ? NULL : join_workloads(table, places.workload, arena, &workload_count);
  entry *const sorted =
      workloads == NULL ? NULL : dsm__arena_array(arena, table->row_count, sizeof *sorted);
  dsm_cell *const cells =
      sorted == NULL || workload_count < 2
          ? NULL
          : dsm__arena_array(table->arena, table->row_count * table->column_count, sizeof *cells);
  const bool is_good = sorted != NULL && (workload_count < 2 || cells != NULL);
  for (size_t row = 0; row < table->row_count && cells != NULL; row++) {
    sorted[row] =
        (entry){.cells = table->cells + row * table->column_count, .places = &places, .row = row};
  }
  if (cells != NULL) {
    qsort(sorted, table->row_count, sizeof *sorted, compare_entries);
    collapse(table, cells, sorted, workloads, workload_count);
  }
  dsm__arena_free(arena);
  return is_good ? DSM_OK : dsm__out_of_memory(diags);
}
