/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * point_columns.h: the columns of a sweep's points: which of them say what a point is, and how they
 * are called. A database that others have changed may lack any of them.
 */
#ifndef DSM_REPORT_FIGURE_POINT_COLUMNS_H
#define DSM_REPORT_FIGURE_POINT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/sweep_store.h"

/** The column of that name; column_count if there is none. */
size_t dsm__points_find(const dsm_point_table *points, const char *name);

/** A cell, or one without a value if there is no such column. */
const dsm_cell *dsm__points_cell(const dsm_point_table *points, size_t row, size_t column);

/** Is it the same value? */
bool dsm__points_same(const dsm_cell *first, const dsm_cell *second);

/** The value that all rows have that have one; NULL if they differ, one without a value if no row
 * has one. */
const dsm_cell *dsm__points_common(const dsm_point_table *points, size_t column);

/** Columns first .. end - 1. */
typedef struct dsm__point_span {
  size_t first;
  size_t end;
} dsm__point_span;

/** The columns of axes: workload, system, and all paths that vary. */
dsm__point_span dsm__points_axes(const dsm_point_table *points);

/** Columns that say what a point is: axes, and settings (such as its mode) that no axis says. */
size_t dsm__points_input_count(const dsm_point_table *points);
/** Number `index` of them; column_count where it is not to be shown, for an axis says it. */
size_t dsm__points_input_at(const dsm_point_table *points, size_t index);

/** What a column of an axis is called: the last word of its path, unless two have the same.
 * Borrowed from the table. */
const char *dsm__points_short_name(const dsm_point_table *points, size_t column);

/** A value as a text, "" if there is none: borrowed from the cell, or in the arena; NULL if out of
 * memory. */
const char *dsm__points_text(dsm__arena *arena, const dsm_cell *cell);

/** How many rows have a column `status` that does not say "ok". */
size_t dsm__points_failed(const dsm_point_table *points);

#endif
