/* SPDX-License-Identifier: GPL-3.0-or-later */
/* point_record.h: the records of a sweep's results: columns of its database, bytes between
 * processes, and what is better in each column. The bytes carry no version: both processes must be
 * the same program on machines of the same kind. */
#ifndef DSM_SWEEP_POINT_RECORD_H
#define DSM_SWEEP_POINT_RECORD_H

#include "base/arena.h"
#include "base/record.h"
#include "base/text_buffer.h"
#include "dsm/sweep.h"
#include "dsm/sweep_store.h"

extern const dsm__record_type dsm__point_record;       /**< dsm_point_result; `plan` is the last */
extern const dsm__record_type dsm__point_layer_record; /**< dsm_point_layer */

/** The parts of dsm__point_record that only some sweeps have, by what their specification has
 * (dsm_sweep.resolved): a bit each. */
unsigned dsm__point_parts(const char *specification);
/** The first column of a part, by the number of its bit; NULL: no such part. */
const char *dsm__point_part_column(unsigned part);
/** Is a field of dsm__point_record there? */
bool dsm__point_has_field(unsigned parts, const dsm__field *field);
/** The columns of dsm__point_record; how many. */
size_t dsm__point_columns(unsigned parts, const dsm__field *columns[DSM__FIELDS_MAX]);

/** Columns of the view `points` that stand before those of the axes: point, status, reason. */
#define DSM__POINT_FIRST_COLUMNS 3

/** The column of that name of a table, or how many there are. */
size_t dsm__points_find(const dsm_point_table *table, const char *name);

/** A cell, or one without a value if there is no such column. */
const dsm_cell *dsm__point_cell(const dsm_point_table *table, size_t row, size_t column);

/** A value as a text, "" if there is none: borrowed from the cell, or in the arena; NULL if out of
 * memory. */
const char *dsm__points_text(dsm__arena *arena, const dsm_cell *cell);

/** The column that a name was probably meant to be: one that is spelt nearly so, one that begins so
 * ("step"), or a path of which the last word does ("scratchpad"). NULL if there is none. */
const char *dsm__points_meant(const dsm_point_table *table, const char *name);

/** Has the column texts, and no number? A column without anything may have had numbers. */
bool dsm__points_hold_words(const dsm_point_table *table, size_t column);

/** Keeps some of a table's rows, in the arena; false if out of memory. */
bool dsm__points_keep(dsm_point_table *points, dsm__arena *arena, const bool *is_kept);

/** dsm_point_table_where, in another arena than the table's. */
DSM_NODISCARD dsm_status dsm__points_where(dsm_point_table *points, dsm__arena *arena,
                                           const char *const *wheres, size_t count,
                                           dsm_diags *diags);

/** Nothing, then numbers, then texts in bytewise order. */
int dsm__order_cells(const dsm_cell *one, const dsm_cell *other);

/** Sorts the rows by objectives, then by points. Those that are not ok, or without a number in a
 * column of an objective, are left out. */
DSM_NODISCARD dsm_status dsm__point_table_sort(dsm_point_table *table,
                                               const dsm_objective *objectives,
                                               size_t objective_count, dsm_diags *diags);

/** Is it the status of a point that has results? */
bool dsm__cell_is_ok(const dsm_cell *status);

/** Appends a result's bytes; buffer->failed tells whether memory sufficed. */
void dsm__result_pack(dsm__text_buffer *buffer, const dsm_point_result *result);

/** Reads a result from the bytes of one, strings and layers into the arena. DSM_ERROR_INVALID,
 * without a finding, if they are not the bytes of a result; DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__result_unpack(dsm_point_result *result, const void *bytes,
                                            size_t length, dsm__arena *arena);

#endif
