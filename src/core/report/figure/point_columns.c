/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/points.h"

#include <string.h>

#include "base/number_text.h"

/* Results that say what was explored; each is left out where an axis says it. */
typedef struct setting {
  const char *column;
  const char *axis;
} setting;

static const setting settings[] = {
    {"mode", "options.mode"},
    {"minibatch", "workload.minibatch"},
    {"optimizations", "options.optimize"},
    {"parallelisms", "options.parallelism"},
};

const dsm_cell *dsm__points_common(const dsm_point_table *points, size_t column) {
  const dsm_cell *common = dsm__point_cell(points, 0, points->column_count);
  for (size_t row = 0; row < points->row_count; row++) {
    const dsm_cell *const cell = dsm__point_cell(points, row, column);
    if (common->kind == DSM_CELL_NONE) {
      common = cell;
    } else if (cell->kind != DSM_CELL_NONE && dsm__order_cells(common, cell) != 0) {
      return NULL;
    }
  }
  return common;
}

dsm__point_span dsm__points_axes(const dsm_point_table *points) {
  const size_t reason = dsm__points_find(points, "reason");
  const size_t mode = dsm__points_find(points, "mode");
  return (dsm__point_span){.first = reason < mode ? reason + 1 : mode, .end = mode};
}

size_t dsm__points_input_count(const dsm_point_table *points) {
  const dsm__point_span axes = dsm__points_axes(points);
  return axes.end - axes.first + DSM__COUNT_OF(settings);
}

size_t dsm__points_input_at(const dsm_point_table *points, size_t index) {
  const dsm__point_span axes = dsm__points_axes(points);
  const size_t axis_count = axes.end - axes.first;
  if (index < axis_count) {
    return axes.first + index;
  }
  const setting *const each = &settings[index - axis_count];
  return dsm__points_find(points, each->axis) < points->column_count
             ? points->column_count
             : dsm__points_find(points, each->column);
}

static const char *last_word(const char *path) {
  const char *const dot = strrchr(path, '.');
  return dot == NULL || dot[1] == '\0' ? path : dot + 1;
}

const char *dsm__points_short_name(const dsm_point_table *points, size_t column) {
  const dsm__point_span axes = dsm__points_axes(points);
  const char *const path = points->columns[column];
  bool is_only = true;
  for (size_t c = axes.first; c < axes.end; c++) {
    is_only =
        is_only && (c == column || strcmp(last_word(points->columns[c]), last_word(path)) != 0);
  }
  return is_only ? last_word(path) : path;
}

bool dsm__point_is_failed(const dsm_point_table *points, size_t row) {
  const size_t status = dsm__points_find(points, "status");
  return status < points->column_count && !dsm__cell_is_ok(dsm__point_cell(points, row, status));
}

size_t dsm__points_failed(const dsm_point_table *points) {
  size_t count = 0;
  for (size_t row = 0; row < points->row_count; row++) {
    count += dsm__point_is_failed(points, row) ? 1 : 0;
  }
  return count;
}
