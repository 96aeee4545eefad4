/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * report.h: how results are shown, as text.
 *
 * Every function returns a NUL-terminated text ending in a newline, malloc'ed, to be freed by the
 * caller, or NULL if out of memory. Tables are for people and may change; JSON and CSV are for
 * programs: stable names, full precision (docs/formats.md).
 */
#ifndef DSM_REPORT_H
#define DSM_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/calibrate.h"
#include "dsm/check.h"
#include "dsm/diag.h"
#include "dsm/diff.h"
#include "dsm/dispatch.h"
#include "dsm/elasticity.h"
#include "dsm/explore.h"
#include "dsm/partition.h"
#include "dsm/partition_front.h"
#include "dsm/pim.h"
#include "dsm/plan.h"
#include "dsm/remat.h"
#include "dsm/storage.h"
#include "dsm/sweep_store.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a table is laid out. */
typedef struct dsm_table_style {
  size_t width;     /**< columns of the terminal or page; columns of a table are dropped to fit */
  bool color;       /**< ANSI colours */
  bool is_unfolded; /**< each layer has rows of its own, also where layers are equal */
  bool is_summary;  /**< of plans and descriptions: without the table of layers */
  size_t row_limit; /**< of plans and descriptions: rows of that table, those that cost most; 0: all
                     */
} dsm_table_style;

/** A plan: per layer and pass the mapping, what stays on chip, utilization and where the lost time
 * goes; totals. Columns of decisions that the plan does not make are left out. */
DSM_API char *dsm_report_plan_table(const dsm_plan *plan, dsm_table_style style);
/** RFC 4180, one row a layer and pass, the names of the JSON joined by dots as columns; what is
 * decided for a layer stands in each of its rows. */
DSM_API char *dsm_report_plan_csv(const dsm_plan *plan);

/** The predicted step in the Trace Event Format, which Perfetto and Chrome open: a track for the
 * passes and for each resource of a chip (arrays, special function units, memory bus, ring, links
 * along X and Y), a slice for each pass, its computation and its transfers, and the memory of a
 * chip as counters. Format "dsm-step/1"; times are whole nanoseconds. Also NULL if the text would
 * be larger than 1 GiB. */
DSM_API char *dsm_report_step_trace(const dsm_plan *plan);

/** One rung of a ladder: the best plan with some optimisations. */
typedef struct dsm_ladder_rung {
  const char *name;     /**< "none", or the optimisation that this rung adds */
  const dsm_plan *plan; /**< borrowed; NULL: no mapping fits, never of the last rung */
  const char *system;   /**< name of its system */
  dsm_optimization_set optimizations; /**< that the search might use */
} dsm_ladder_rung;

/** What each optimisation gains over the rung before and over the first. */
DSM_API char *dsm_report_ladder_table(const dsm_ladder_rung *rungs, size_t count,
                                      dsm_table_style style);
/** Format "dsm-ladder/1". */
DSM_API char *dsm_report_ladder_json(const dsm_ladder_rung *rungs, size_t count);
/** One row a rung. */
DSM_API char *dsm_report_ladder_csv(const dsm_ladder_rung *rungs, size_t count);

/** What a page on a plan shows. */
typedef struct dsm_plan_page {
  const dsm_plan *plan;        /**< borrowed; result.lower_bound_cycles may be 0 */
  const char *file;            /**< the plan's, as commands name it; NULL: it has no name */
  const char *point;           /**< DATABASE:POINT that the plan is; NULL: it is a file's */
  double recorded_step_cycles; /**< what the file says of the step; 0: nothing */
  const dsm_plan *best; /**< explored anew with the plan's inputs and options; NULL: was not */
  const dsm_ladder_rung *rungs;     /**< explored anew, as for dsm_report_ladder_table */
  size_t rung_count;                /**< 0: the page has no ladder */
  const dsm_elasticity *elasticity; /**< of the plan, whose mapping was kept, by
                                         DSM_VARIATIONS_TENTH_BETTER; NULL: the page has none */
  bool is_unfolded;                 /**< equal layers are shown one by one */
} dsm_plan_page;

/** A page of HTML on a plan: a file of its own that loads nothing. What it says, in words and
 * figures: how fast the step is, where it loses utilization, the ladder, what its time depends on,
 * each layer and pass, the assumptions and inputs behind it, and how to make it again. The same for
 * the same plan. */
DSM_API char *dsm_report_plan_page(const dsm_plan_page *subject);

/**
 * For each pass of each explained layer the alternatives, what bounds each, and why the winner won;
 * then what the network would do if the layer's other decisions had other values.
 * All explanations are of the same plan. A layer as declared can be several primary layers, hence
 * the list. JSON: format "dsm-explain/1".
 */
DSM_API char *dsm_report_explanation_table(const dsm_plan *plan,
                                           const dsm_explanation *const *explanations, size_t count,
                                           dsm_table_style style);
/** Format "dsm-explain/1". */
DSM_API char *dsm_report_explanation_json(const dsm_plan *plan,
                                          const dsm_explanation *const *explanations, size_t count);
/** One row an alternative. */
DSM_API char *dsm_report_explanation_csv(const dsm_plan *plan,
                                         const dsm_explanation *const *explanations, size_t count);

/** A description to describe: exactly one of the pointers is not NULL. */
typedef struct dsm_described {
  const char *file;
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_plan *plan;
  const dsm_sweep *sweep;
  const dsm_server *server;
  const dsm_instance *profile;
  const dsm_remat_chain *chain;
  const dsm_rl_workload *rl_workload;
  const dsm_pim_system *pim_system;
  const dsm_pim_plan *pim;
} dsm_described;

/** What descriptions hold: layers, MACs, parameters, bytes; peak FLOP/s, machine balance, and every
 * parameter of a system with unit, default and source (or the word "assumption"); points and axes
 * of sweeps; devices of servers and profiles; stages of chains; tables of values, and cores in
 * memory. */
DSM_API char *dsm_report_description_table(const dsm_described *items, size_t count,
                                           dsm_table_style style);
/** Format "dsm-describe/1". */
DSM_API char *dsm_report_description_json(const dsm_described *items, size_t count);
/** One row a layer, one a parameter of a system, one a value of an axis's path of a sweep, one a
 * device, one a stage of a chain, and one a figure of a table of values or of cores in memory. */
DSM_API char *dsm_report_description_csv(const dsm_described *items, size_t count);

/** What the formats of this version are, format "dsm-formats/1": words, limits, parameters, and of
 * each format the records or the keys that it has. */
DSM_API char *dsm_report_formats_json(void);

/** The best choice of cores in memory, where the time goes, and the curves through the choice. */
DSM_API char *dsm_report_pim_table(const dsm_pim_plan *plan, dsm_table_style style);
/** Format "dsm-pim/1", as dsm_pim_plan_print. */
DSM_API char *dsm_report_pim_json(const dsm_pim_plan *plan);
/** The training in the Trace Event Format, format "dsm-pim-trace/1": a track for each group of
 * cores that have the same work, and on it what the parts of plan->cost are made of. */
DSM_API char *dsm_report_pim_trace(const dsm_pim_plan *plan);
/** One row a number of cores. */
DSM_API char *dsm_report_pim_csv(const dsm_pim_plan *plan);
/** A page of HTML on it, as dsm_report_plan_page: the choice, both figures, the curve over cores,
 * the inputs, and the commands that make it again. */
DSM_API char *dsm_report_pim_page(const dsm_pim_plan *plan);

/** A description that can be had by name. */
typedef struct dsm_listed {
  const char *name;   /**< as commands take it */
  const char *about;  /**< one line on it; NULL: its source says it */
  dsm_described what; /**< a workload, system, server or sweep */
} dsm_listed;

/** Descriptions, a line each: sizes, and what they are; by kind, and in the given order. */
DSM_API char *dsm_report_list_table(const dsm_listed *items, size_t count, dsm_table_style style);
/** Format "dsm-list/1". */
DSM_API char *dsm_report_list_json(const dsm_listed *items, size_t count);
/** One row a description. */
DSM_API char *dsm_report_list_csv(const dsm_listed *items, size_t count);

/** How much each parameter of systems matters, the most important first. */
DSM_API char *dsm_report_elasticity_table(const dsm_elasticity *const *items, size_t count,
                                          dsm_table_style style);
/** Format "dsm-elasticity/1". */
DSM_API char *dsm_report_elasticity_json(const dsm_elasticity *const *items, size_t count);
/** One row a parameter, variation and network. */
DSM_API char *dsm_report_elasticity_csv(const dsm_elasticity *const *items, size_t count);

/** A calibration: the errors before and after, the constants, and each measurement beside what is
 * predicted of it. */
DSM_API char *dsm_report_calibration_table(const dsm_calibration *calibration,
                                           dsm_table_style style);
/** Format "dsm-calibration/1". */
DSM_API char *dsm_report_calibration_json(const dsm_calibration *calibration);
/** One row a measurement. */
DSM_API char *dsm_report_calibration_csv(const dsm_calibration *calibration);

/** A schedule of a chain: its time and peak beside those of keeping everything, and how each stage
 * runs, or the times over all budgets where the request wanted them. */
DSM_API char *dsm_report_remat_table(const dsm_remat_result *result, dsm_table_style style);
/** Format "dsm-remat/1". */
DSM_API char *dsm_report_remat_json(const dsm_remat_result *result);
/** One row a step, or a budget where the request wanted them. */
DSM_API char *dsm_report_remat_csv(const dsm_remat_result *result);

/** Pipelines of a chain: all cases, and the devices of the fastest. */
DSM_API char *dsm_report_remat_pipeline_table(const dsm_remat_pipeline *pipeline,
                                              dsm_table_style style);
/** Format "dsm-pipeline/1". */
DSM_API char *dsm_report_remat_pipeline_json(const dsm_remat_pipeline *pipeline);
/** One row a case. */
DSM_API char *dsm_report_remat_pipeline_csv(const dsm_remat_pipeline *pipeline);

/** What storage delivers to a job, and what would be enough: the answer, factors from which to
 * choose, and the timeline where the request wanted one. `name` is what it is of. */
DSM_API char *dsm_report_storage_table(const dsm_storage_result *result, const char *name,
                                       dsm_table_style style);
/** Format "dsm-storage/1". */
DSM_API char *dsm_report_storage_json(const dsm_storage_result *result, const char *name);
/**
 * Reads that format from a text named `file` in findings: what was asked, which is answered anew.
 * *result, with its name, belongs to the caller; it is NULL unless DSM_OK. DSM_ERROR_INVALID with
 * findings; DSM_ERROR_INFEASIBLE: such mini-epochs do not fit; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_storage_parse(dsm_storage_result **result, const char *text,
                                                   size_t length, const char *file,
                                                   dsm_diags *diags);
/** The same of a file; also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_storage_load(dsm_storage_result **result, const char *path,
                                                  dsm_diags *diags);
/** Does a text, which ends with a NUL, say that it has that format? */
DSM_API bool dsm_storage_is_printed(const char *text, size_t length);
/** A page of HTML on it, as dsm_report_plan_page: the answer, figures, and the factors from which
 * to choose. */
DSM_API char *dsm_report_storage_page(const dsm_storage_result *result);
/** One row a mini-epoch of a timeline or of a list, or else one a factor. */
DSM_API char *dsm_report_storage_csv(const dsm_storage_result *result, const char *name);

/** Points of a sweep: what varies and the results that are looked at first, a row a point; what is
 * the same in all rows stands once above them, why a point has no result below. */
DSM_API char *dsm_report_points_table(const dsm_point_table *points, dsm_table_style style);
/** Format "dsm-points/1": all columns of all rows. */
DSM_API char *dsm_report_points_json(const dsm_point_table *points);
/** All columns of all rows. */
DSM_API char *dsm_report_points_csv(const dsm_point_table *points);

/** A partition: where each task runs, how the devices are used and what binds them, the simple ways
 * beside it, and the bound; with a simulation of it, or NULL. */
DSM_API char *dsm_report_partition_table(const dsm_partition *partition,
                                         const dsm_dispatch *simulation, dsm_table_style style);
/** Format "dsm-partition/1". What is infinite is null. */
DSM_API char *dsm_report_partition_json(const dsm_partition *partition,
                                        const dsm_dispatch *simulation);
/**
 * Reads a "dsm-partition/1" whose tasks are each in one place (`copies` is 1) back, and checks it
 * as dsm_partition_validate does. It then belongs to the caller, with its instance, whose tasks
 * have times where they are placed alone. DSM_ERROR_INVALID: it is none, or breaks a constraint;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_report_partition_parse(dsm_partition **partition,
                                                            const char *text, size_t length,
                                                            const char *file, dsm_diags *diags);
/** One row a task and device that holds it. */
DSM_API char *dsm_report_partition_csv(const dsm_partition *partition,
                                       const dsm_dispatch *simulation);

/** A front of partitions: its points, and what is proven of each. */
DSM_API char *dsm_report_front_table(const dsm_front *front, dsm_table_style style);
/** Format "dsm-front/1", with the partition of each point. */
DSM_API char *dsm_report_front_json(const dsm_front *front);
/** One row a point. */
DSM_API char *dsm_report_front_csv(const dsm_front *front);
/** Reads a "dsm-front/1" but for its partitions, to be drawn; it then belongs to the caller.
 * DSM_ERROR_INVALID: it is none; DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_report_front_parse(dsm_front **front, const char *text,
                                                        size_t length, const char *file,
                                                        dsm_diags *diags);
/** Is a text, which ends with a NUL, a "dsm-front/1"? */
DSM_API bool dsm_report_front_is_printed(const char *text, size_t length);

/** The events of a recorded simulation in the Trace Event Format, which Perfetto and Chrome open:
 * a process a device, with a thread for its tasks and one for its link. Times are whole
 * nanoseconds. Also NULL if the text would be larger than 1 GiB, that is above some seven million
 * events. */
DSM_API char *dsm_report_dispatch_trace(const dsm_dispatch *dispatch);

/** Findings as a JSON array of objects {severity, file, line, column, path, message, hint}; what is
 * not known is left out. */
DSM_API char *dsm_report_diags_json(const dsm_diags *diags);

/** A file that was validated. */
typedef struct dsm_validated {
  const char *file;
  const char *kind;       /**< as of dsm_description_name; NULL if that was not found out */
  const char *summary;    /**< of a valid one, such as "16 layers"; else NULL */
  dsm_status status;      /**< DSM_OK: valid */
  const dsm_diags *diags; /**< what was found; may be NULL */
} dsm_validated;

/** One line a file: what it is, or how many errors it has. */
DSM_API char *dsm_report_validation_table(const dsm_validated *items, size_t count,
                                          dsm_table_style style);
/** Format "dsm-validate/1": all findings too. */
DSM_API char *dsm_report_validation_json(const dsm_validated *items, size_t count);
/** One row a finding, and one a file without findings. */
DSM_API char *dsm_report_validation_csv(const dsm_validated *items, size_t count);

/** A baseline that was checked. */
typedef struct dsm_checked {
  const char *file;       /**< as given */
  dsm_status status;      /**< DSM_OK: it was compared */
  const dsm_drift *drift; /**< NULL if it was not */
  bool is_failed;         /**< it fails the build */
  double seconds;         /**< that the check took; only JUnit shows it */
  const dsm_diags *diags; /**< what was found; may be NULL */
  size_t row_limit;       /**< of the table and of JUnit: no list has more rows, what is left out is
                             counted; 0: nothing is */
} dsm_checked;

/** One line a baseline, with what moved below it, and a summary of several. */
DSM_API char *dsm_report_check_table(const dsm_checked *items, size_t count, dsm_table_style style);
/** Format "dsm-check/1". */
DSM_API char *dsm_report_check_json(const dsm_checked *items, size_t count);
/** One row a figure of the step, layer, pass or decision. */
DSM_API char *dsm_report_check_csv(const dsm_checked *items, size_t count);
/** JUnit XML: a test case a baseline, a failure where it fails the build, an error where it could
 * not be compared. */
DSM_API char *dsm_report_check_junit(const dsm_checked *items, size_t count);

/** Two plans to show side by side. */
typedef struct dsm_diffed {
  const char *a_file; /**< what A is called: a file, or a database and a point */
  const char *b_file; /**< likewise */
  const dsm_diff *diff;
  size_t row_limit; /**< of a table, as of dsm_checked */
} dsm_diffed;

/** What differs in inputs, decisions and result, and in time a layer and pass, the largest
 * difference first. */
DSM_API char *dsm_report_diff_table(const dsm_diffed *of, dsm_table_style style);
/** Format "dsm-diff/1"; nothing is left out. */
DSM_API char *dsm_report_diff_json(const dsm_diffed *of);
/** One row a value, layer, decision or figure; nothing is left out. */
DSM_API char *dsm_report_diff_csv(const dsm_diffed *of);

#ifdef __cplusplus
}
#endif

#endif
