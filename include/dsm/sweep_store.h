/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * sweep_store.h: the results of a sweep in an SQLite database, one file.
 *
 * A result is committed when it is put: a process that is killed, or a disk that fills up, loses
 * nothing that was put and doubles nothing, and a sweep goes on from what is there. One process at
 * a time writes; any number read at the same time (docs/formats.md documents tables and views).
 *
 * A store is used by one thread at a time. Where files may have a largest size (RLIMIT_FSIZE) the
 * program must ignore SIGXFSZ, so that reaching it is an error and not the end.
 */
#ifndef DSM_SWEEP_STORE_H
#define DSM_SWEEP_STORE_H

#include "dsm/pim.h"
#include "dsm/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A database of results. */
typedef struct dsm_store dsm_store;

/**
 * Opens, or makes, the database of a sweep for writing; the sweep must outlive the store. What is
 * there is read once, to see that it is not damaged. The database of a sweep that differs only in
 * that it lacks points of this one (an axis has got more values) becomes that of this one, and what
 * is recorded stays. DSM_ERROR_INVALID: it is no database, is damaged, is none of dsm, is of
 * another version, or belongs to another sweep (the finding says what differs); it is left as it
 * is. DSM_ERROR_IO: not writable, or another process writes to it; a file that was not there is not
 * there then.
 */
DSM_API DSM_NODISCARD dsm_status dsm_store_open(dsm_store **store, const char *path,
                                                const dsm_sweep *sweep, dsm_diags *diags);

/** Opens an existing database for reading. Statuses as of dsm_store_open. */
DSM_API DSM_NODISCARD dsm_status dsm_store_open_read(dsm_store **store, const char *path,
                                                     dsm_diags *diags);

/** Closes and frees; NULL is fine. After writing, everything is in the one file. */
DSM_API void dsm_store_close(dsm_store *store);

/** Is the file (by its first bytes) an SQLite database? False if it cannot be read. */
DSM_API bool dsm_store_is_database(const char *path);

/** Is it a database that dsm_store_open refuses since it belongs to another sweep? False also if it
 * cannot be read, or if memory is short. */
DSM_API bool dsm_store_is_of_other(const char *path, const dsm_sweep *sweep);

/** The sweep's specification with all inputs (dsm_sweep.resolved). Borrowed. */
DSM_API const char *dsm_store_resolved(const dsm_store *store);

/** Marks the points that are recorded: is_done[p], len = the sweep's point_count. */
DSM_API DSM_NODISCARD dsm_status dsm_store_done(dsm_store *store, bool *is_done, dsm_diags *diags);

/**
 * The plan of a point: the recorded one, else (and of a point that is not recorded yet) that of
 * exploring it again from the specification. *plan belongs to the caller, as that of
 * dsm_plan_parse. *recorded_step_cycles, unless NULL, receives what the store says of the step, 0
 * if it says nothing: another version of dsm may have predicted it otherwise. DSM_ERROR_USAGE: the
 * sweep has no such point; DSM_ERROR_INFEASIBLE, DSM_ERROR_INVALID: the point has no plan (the
 * finding says why); DSM_ERROR_IO; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_store_plan(dsm_store *store, size_t point, dsm_plan **plan,
                                                double *recorded_step_cycles, dsm_diags *diags);

/** Are the points of a store on cores in memory? False: on other systems, or some are. */
DSM_API bool dsm_store_is_pim(const dsm_store *store);

/** The same as dsm_store_plan of a point on cores in memory. */
DSM_API DSM_NODISCARD dsm_status dsm_store_pim_plan(dsm_store *store, size_t point,
                                                    dsm_pim_plan **plan, double *recorded_seconds,
                                                    dsm_diags *diags);

/** Records a result, in a store that is open for writing, and commits it; one that is recorded
 * already stays as it is. DSM_ERROR_IO: the disk is full, or the like; then nothing of it is
 * recorded. */
DSM_API DSM_NODISCARD dsm_status dsm_store_put(dsm_store *store, const dsm_point_result *result,
                                               dsm_diags *diags);

/**
 * Brings the results of several databases of the same sweep (such as its shards) into one, which is
 * made if it does not exist; a source that is the target itself is passed over. All or nothing.
 * Memory does not grow with the number of points. DSM_ERROR_USAGE: there is no other source;
 * DSM_ERROR_INVALID: a source is of another sweep or version, or two of them differ in a point;
 * DSM_ERROR_IO.
 */
DSM_API DSM_NODISCARD dsm_status dsm_store_merge(const char *target, const char *const *sources,
                                                 size_t source_count, dsm_diags *diags);

/** What a value is. */
typedef enum dsm_cell_kind {
  DSM_CELL_NONE = 0, /**< no value: SQL's NULL */
  DSM_CELL_NUMBER,
  DSM_CELL_TEXT,
  DSM_CELL_KIND_COUNT
} dsm_cell_kind;

/** A value of a table of points. */
typedef struct dsm_cell {
  dsm_cell_kind kind;
  double number;
  const char *text;
} dsm_cell;

/** The view `points` without its last column, `plan`: a row a recorded point, in order of points.
 */
typedef struct dsm_point_table {
  const char *name; /**< of the sweep */
  const char *const *columns;
  size_t column_count;
  const dsm_cell *cells; /**< row by row */
  size_t row_count;
  size_t point_count; /**< of the sweep: more than rows if it is not complete; of means: systems */
  size_t defined_count;  /**< of the last columns: of dsm_point_table_define */
  size_t workload_count; /**< more than 0: rows are means over so many workloads, one a system */

  struct dsm__arena *arena; /**< private */
} dsm_point_table;

/** Reads all points. *table belongs to the caller. */
DSM_API DSM_NODISCARD dsm_status dsm_store_points(dsm_store *store, dsm_point_table **table,
                                                  dsm_diags *diags);
/** Frees a table; NULL is fine. */
DSM_API void dsm_point_table_free(dsm_point_table *table);

/**
 * Of points of several workloads: puts a row a system in place of its points, where a system is all
 * that varies but the workload, and what has one value for each workload. Results are geometric
 * means over the workloads (none where one is 0 or less, unless all are the same), `workload` names
 * all workloads, joined by "+", and `point` is empty. A system on which a workload has no result,
 * or is not recorded, is left out; point_count counts it. A workload without a result on any system
 * does not count. Points of one workload, or of one system, stay as they are, and so do all where
 * no system has results of all workloads. DSM_ERROR_OUT_OF_MEMORY. O(n log n).
 */
DSM_API DSM_NODISCARD dsm_status dsm_point_table_means(dsm_point_table *table, dsm_diags *diags);

/**
 * Adds a column, as the last one: of NAME=EXPRESSION the name, and of each row the value of the
 * expression, where all columns in it have a number and it is finite. Expressions have + - * /,
 * parentheses, numbers and columns (or the end of a path that only one has, as `chips_x` of
 * `system.system.chips_x`). DSM_ERROR_USAGE: it is none, or has an unknown column (with the nearest
 * one), or the name is that of a column; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_point_table_define(dsm_point_table *table, const char *text,
                                                        dsm_diags *diags);

/**
 * Keeps the rows for which all conditions hold: EXPRESSION OP EXPRESSION of <, <=, >, >=, = and !=,
 * or, where a column stands alone before the sign, COLUMN=VALUE[,VALUE...], one of these values, or
 * COLUMN!=VALUE[,VALUE...], none of them. A row without a number in a column of an expression is
 * left out. DSM_ERROR_USAGE: a text is none, or names an unknown column, a value that the column
 * has nowhere (unless there are no rows), or values that leave no row; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_point_table_where(dsm_point_table *table,
                                                       const char *const *wheres, size_t count,
                                                       dsm_diags *diags);

/** What is wanted of a column: "min:step_seconds", "max:utilization", or without a direction, which
 * then is that in which the column gets better (columns of results) or smaller (all others). */
typedef struct dsm_objective {
  size_t column;
  bool is_max;
} dsm_objective;

/** DSM_ERROR_USAGE with a finding (and the nearest column) if the text is none. */
DSM_API DSM_NODISCARD dsm_status dsm_objective_parse(dsm_objective *objective,
                                                     const dsm_point_table *table, const char *text,
                                                     dsm_diags *diags);

/** Keeps the `count` best rows that are ok and have a number in the objective's column, best first,
 * among equals in order of points. */
DSM_API DSM_NODISCARD dsm_status dsm_point_table_best(dsm_point_table *table,
                                                      dsm_objective objective, size_t count,
                                                      dsm_diags *diags);

/** Keeps the rows that no other row dominates: as good in every objective and better in one. They
 * come in the order of the first objective, then the second and so on, then of points. Rows that
 * are not ok, or without a number in a column of an objective, are left out. */
DSM_API DSM_NODISCARD dsm_status dsm_point_table_pareto(dsm_point_table *table,
                                                        const dsm_objective *objectives,
                                                        size_t objective_count, dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
