/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * point_axes.h: the axes of a sweep's points, found out from the points themselves: which values a
 * column has, and which rows have which.
 */
#ifndef DSM_REPORT_FIGURE_POINT_AXES_H
#define DSM_REPORT_FIGURE_POINT_AXES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/sweep_store.h"

/** A column by its values. */
typedef struct dsm__point_axis {
  size_t column;
  const char *name;         /**< dsm__points_short_name */
  const dsm_cell *values;   /**< each once: numbers ascending if all are numbers, else in the order
                                 of rows */
  const char *const *texts; /**< of the values */
  size_t value_count;
  bool is_number;       /**< each value is one; false if there is none */
  const size_t *of_row; /**< index of the value of each row of the table */
} dsm__point_axis;

/** Finds the values of a column, in the arena; false if out of memory. O(rows log rows). */
bool dsm__point_axis_make(dsm__point_axis *axis, dsm__arena *arena, const dsm_point_table *points,
                          size_t column);

/** Is no value of either axis combined with all values of the other one? Then they vary together,
 * as a sweep's axis of several paths. Over a million combinations are not. False if out of memory.
 */
bool dsm__point_axes_tied(bool *is_tied, const dsm__point_axis *first,
                          const dsm__point_axis *second, size_t row_count, dsm__arena *arena);

/** Rows with the same values on some axes. */
typedef struct dsm__point_groups {
  size_t count;
  const size_t *of_row;  /**< group of each row; groups are in the order of the values of the first
                              axis, then the second and so on */
  const size_t *example; /**< the first row of each group */
} dsm__point_groups;

/** Groups rows by some axes; by none, they are one group. False if out of memory. */
bool dsm__point_groups_make(dsm__point_groups *groups, dsm__arena *arena,
                            const dsm__point_axis *const *axes, size_t axis_count,
                            size_t row_count);

/** What a row is on some axes: "torus64, hybrid+reuse, minibatch 256"; "" on none. NULL if out of
 * memory. */
const char *dsm__point_label(dsm__arena *arena, const dsm__point_axis *const *axes,
                             size_t axis_count, size_t row);

#endif
