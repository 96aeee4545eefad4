/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * answer.h: answers, and how they are printed and read.
 *
 * An answer is what a kind says it is of, and that kind: a row that knows its forms. Tables are for
 * people and may change; JSON and CSV are for programs: stable names, full precision
 * (docs/formats.md).
 */
#ifndef DSM_ANSWER_H
#define DSM_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/calibrate.h"
#include "dsm/check.h"
#include "dsm/design.h"
#include "dsm/diag.h"
#include "dsm/diff.h"
#include "dsm/dispatch.h"
#include "dsm/elasticity.h"
#include "dsm/explore.h"
#include "dsm/ladder.h"
#include "dsm/partition.h"
#include "dsm/partition_front.h"
#include "dsm/pim.h"
#include "dsm/plan.h"
#include "dsm/remat.h"
#include "dsm/serving.h"
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

/** How an answer is written. No kind has all forms. */
typedef enum dsm_form {
  DSM_FORM_TABLE = 0,
  DSM_FORM_JSON,
  DSM_FORM_CSV,   /**< RFC 4180 */
  DSM_FORM_JUNIT, /**< JUnit XML */
  DSM_FORM_PAGE,  /**< HTML, a file of its own that loads nothing */
  DSM_FORM_TRACE, /**< the Trace Event Format, which Perfetto and Chrome open */
  DSM_FORM_COUNT
} dsm_form;

/** What answers there are; rows of the library, listed below. */
typedef struct dsm_answer_kind dsm_answer_kind;

/** An answer. */
typedef struct dsm_answer {
  const dsm_answer_kind *kind;
  const void *of;  /**< what the kind says; of lists the first */
  size_t count;    /**< of lists */
  void *owned;     /**< what it is of, where it was read; else NULL */
  double recorded; /**< where it was read: the cycles of a step, or the seconds, that the file says
                        of a plan; 0: nothing */
} dsm_answer;

/** The answer of a kind, such as `plan`, that is of something. */
#define DSM_ANSWER(kind_name, subject)                                                             \
  ((dsm_answer){.kind = &dsm_answer_##kind_name, .of = (subject)})
/** The same of a list. */
#define DSM_ANSWERS(kind_name, items, item_count)                                                  \
  ((dsm_answer){.kind = &dsm_answer_##kind_name, .of = (items), .count = (item_count)})

/**
 * An answer in a form that its kind has, as a NUL-terminated text that ends in a newline,
 * malloc'ed, to be freed by the caller; NULL if out of memory, or if the text would be larger than
 * 1 GiB. Only tables and pages look at `style`, which may be NULL for the others.
 */
DSM_API char *dsm_answer_print(dsm_answer answer, dsm_form form, const dsm_table_style *style);

/* ---- plans ---- */

/**
 * Of a dsm_plan. Table: per layer and pass the mapping, what stays on chip, utilization and where
 * the lost time goes; totals; columns of decisions that the plan does not make are left out. JSON:
 * as dsm_plan_print. CSV: one row a layer and pass, the names of the JSON joined by dots as
 * columns; what is decided for a layer stands in each of its rows. Trace, format "dsm-step/1": the
 * predicted step, a track for the passes and for each resource of a chip (arrays, special function
 * units, memory bus, ring, links along X and Y), a slice for each pass, its computation and its
 * transfers, and the memory of a chip as counters; times are whole nanoseconds.
 */
DSM_API extern const dsm_answer_kind dsm_answer_plan;

/** Of dsm_ladder_rung, several: what each optimisation gains over the rung before and over the
 * first. Table, JSON ("dsm-ladder/1"), and CSV with one row a rung. */
DSM_API extern const dsm_answer_kind dsm_answer_ladder;

/** What a page on a plan shows. */
typedef struct dsm_plan_page {
  const dsm_plan *plan;        /**< borrowed; result.lower_bound_cycles may be 0 */
  const char *file;            /**< the plan's, as commands name it; NULL: it has no name */
  const char *point;           /**< DATABASE:POINT that the plan is; NULL: it is a file's */
  double recorded_step_cycles; /**< what the file says of the step; 0: nothing */
  const dsm_plan *best; /**< explored anew with the plan's inputs and options; NULL: was not */
  const dsm_ladder_rung *rungs;     /**< explored anew, as of dsm_answer_ladder */
  size_t rung_count;                /**< 0: the page has no ladder */
  const dsm_elasticity *elasticity; /**< of the plan, whose mapping was kept, by
                                         DSM_VARIATIONS_TENTH_BETTER; NULL: the page has none */
} dsm_plan_page;

/** Of a dsm_plan_page. Page: what it says, in words and figures: how fast the step is, where it
 * loses utilization, the ladder, what its time depends on, each layer and pass, the assumptions and
 * inputs behind it, and how to make it again. The same for the same plan. */
DSM_API extern const dsm_answer_kind dsm_answer_plan_page;

/** Explanations, all of the same plan. A layer as declared can be several primary layers, hence the
 * list. */
typedef struct dsm_explained {
  const dsm_plan *plan;
  const dsm_explanation *const *explanations;
  size_t count;
} dsm_explained;

/** Of a dsm_explained: for each pass of each explained layer the alternatives, what bounds each,
 * and why the winner won; then what the network would do if the layer's other decisions had other
 * values. Table, JSON ("dsm-explain/1"), and CSV with one row an alternative. */
DSM_API extern const dsm_answer_kind dsm_answer_explanation;

/** Of const dsm_elasticity *, several: how much each parameter of systems matters, the most
 * important first. Table, JSON ("dsm-elasticity/1"), and CSV with one row a parameter, variation
 * and network. */
DSM_API extern const dsm_answer_kind dsm_answer_elasticity;

/** What a machine costs. */
typedef struct dsm_machine_budget {
  const dsm_system *system;
  dsm_machine_cost cost; /**< its own (dsm_machine_cost_of) */
} dsm_machine_budget;

/** Of a dsm_machine_budget: area, power and price by parts, and what of them rests on assumptions.
 * Table, JSON ("dsm-budget/1"), and CSV with one row a part. */
DSM_API extern const dsm_answer_kind dsm_answer_budget;

/* ---- descriptions ---- */

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
  const dsm_technology *technology;
} dsm_described;

/** Of dsm_described, several: what descriptions hold: layers, MACs, parameters, bytes; peak FLOP/s,
 * machine balance, and every parameter of a system with unit, default and source (or the word
 * "assumption"); points and axes of sweeps; devices of servers and profiles; stages of chains;
 * tables of values, and cores in memory. Table, JSON ("dsm-describe/1"), and CSV with one row a
 * layer, one a parameter of a system, one a value of an axis's path of a sweep, one a device, one a
 * stage of a chain, and one a figure of a table of values or of cores in memory. */
DSM_API extern const dsm_answer_kind dsm_answer_description;

/** A description that can be had by name. */
typedef struct dsm_listed {
  const char *name;   /**< as commands take it */
  const char *about;  /**< one line on it; NULL: its source says it */
  dsm_described what; /**< a workload, system, technology, server or sweep */
} dsm_listed;

/** What there is. */
typedef struct dsm_listing {
  const dsm_listed *items;
  size_t item_count;
  bool has_answers; /**< the kinds of answers too, which the library knows */
} dsm_listing;

/** Of a dsm_listing: a line for each description, with sizes, and what it is; by kind, and in the
 * given order. Behind them a line for each kind of answer. Table, JSON ("dsm-list/1"), CSV of the
 * descriptions, or of the answers where there are none. */
DSM_API extern const dsm_answer_kind dsm_answer_list;

/** Of nothing. JSON, "dsm-formats/1": what the formats of this version are: words, limits,
 * parameters, and of each format the records or the keys that it has. */
DSM_API extern const dsm_answer_kind dsm_answer_formats;

/** Of dsm_diags. JSON: an array of objects {severity, file, line, column, path, message, hint};
 * what is not known is left out. */
DSM_API extern const dsm_answer_kind dsm_answer_findings;

/** A file that was validated. */
typedef struct dsm_validated {
  const char *file;
  const char *kind;       /**< as of dsm_description_name; NULL if that was not found out */
  const char *summary;    /**< of a valid one, such as "16 layers"; else NULL */
  dsm_status status;      /**< DSM_OK: valid */
  const dsm_diags *diags; /**< what was found; may be NULL */
} dsm_validated;

/** Of dsm_validated, several. Table: one line a file: what it is, or how many errors it has. JSON
 * ("dsm-validate/1"): all findings too. CSV: one row a finding, and one a file without findings. */
DSM_API extern const dsm_answer_kind dsm_answer_validation;

/* ---- comparisons ---- */

/** A baseline that was checked. */
typedef struct dsm_checked {
  const char *file;                 /**< as given */
  dsm_status status;                /**< DSM_OK: it was compared */
  const dsm_drift *drift;           /**< of a plan; NULL if it was not */
  const dsm_comparison *comparison; /**< of another document; NULL if it was not */
  bool is_failed;                   /**< it fails the build */
  double seconds;                   /**< that the check took; only JUnit shows it */
  const dsm_diags *diags;           /**< what was found; may be NULL */
  size_t row_limit; /**< of the table and of JUnit: no list has more rows, what is left out is
                       counted; 0: nothing is */
} dsm_checked;

/** Of dsm_checked, several. Table: one line a baseline, with what moved below it, and a summary of
 * several. JSON ("dsm-check/1"). CSV: one row a figure of the step, layer, pass or decision. JUnit:
 * a test case a baseline, a failure where it fails the build, an error where it could not be
 * compared. */
DSM_API extern const dsm_answer_kind dsm_answer_check;

/** Two plans or documents to show side by side. */
typedef struct dsm_diffed {
  const char *a_file;               /**< what A is called: a file, or a database and a point */
  const char *b_file;               /**< likewise */
  const dsm_diff *diff;             /**< of plans; or NULL */
  const dsm_comparison *comparison; /**< of other documents; or NULL */
  size_t row_limit;                 /**< of a table, as of dsm_checked */
} dsm_diffed;

/** Of a dsm_diffed. Table: what differs in inputs, decisions and result, and of plans in time a
 * layer and pass, the largest difference first. JSON ("dsm-diff/1"), and CSV with one row a value,
 * layer, decision or figure: nothing is left out. */
DSM_API extern const dsm_answer_kind dsm_answer_diff;

/* ---- sweeps and calibrations ---- */

/** Of a dsm_point_table. Table: what varies and the results that are looked at first, a row a
 * point; what is the same in all rows stands once above them, why a point has no result below. JSON
 * ("dsm-points/1") and CSV: all columns of all rows. */
DSM_API extern const dsm_answer_kind dsm_answer_points;

/** Some points of a sweep, and how many there are. */
typedef struct dsm_points_summary {
  const dsm_point_table *points;          /**< those that are shown */
  const char *shown;                      /**< which they are */
  size_t recorded;                        /**< points in the database */
  size_t point_count;                     /**< of the sweep */
  size_t counts[DSM_POINT_STATUS_COUNT];  /**< of them */
  char *examples[DSM_POINT_STATUS_COUNT]; /**< why one of them has no result; or NULL */
  const char *database;
} dsm_points_summary;

/** Of a dsm_points_summary. Table: that of its points, and what else it says. */
DSM_API extern const dsm_answer_kind dsm_answer_points_summary;

/** Of a dsm_calibration: the errors before and after, the constants, and each measurement beside
 * what is predicted of it. Table, JSON ("dsm-calibration/1"), and CSV with one row a measurement.
 */
DSM_API extern const dsm_answer_kind dsm_answer_calibration;

/* ---- companions ---- */

/** Of a dsm_pim_plan. Table: the best choice of cores in memory, where the time goes, and the
 * curves through the choice. JSON, as dsm_pim_plan_print. CSV: one row a number of cores. Page: the
 * choice, both figures, the curve over cores, the inputs, and the commands that make it again.
 * Trace, format "dsm-pim-trace/1": the training, a track for each group of cores that have the same
 * work, and on it what the parts of plan->cost are made of. */
DSM_API extern const dsm_answer_kind dsm_answer_pim;

/** Of a dsm_remat_result: a schedule of a chain: its time and peak beside those of keeping
 * everything, and how each stage runs, or the times over all budgets where the request wanted them.
 * Table, JSON ("dsm-remat/1"), and CSV with one row a step, or a budget. */
DSM_API extern const dsm_answer_kind dsm_answer_remat;

/** Of a dsm_remat_pipeline: all cases, and the devices of the fastest. Table, JSON
 * ("dsm-pipeline/1"), and CSV with one row a case. */
DSM_API extern const dsm_answer_kind dsm_answer_remat_pipeline;

/** Of a dsm_design: the best design, what limits it, and the next best ones. Table, JSON
 * ("dsm-design/1"), CSV with one row a design, and a page. */
DSM_API extern const dsm_answer_kind dsm_answer_design;

/** Of a dsm_storage_result with a name: what storage delivers to a job, and what would be enough.
 * Table: the answer, factors from which to choose, and the timeline where the request wanted one.
 * JSON ("dsm-storage/1"). CSV: one row a mini-epoch of a timeline or of a list, or else one a
 * factor. Page: the answer, figures, and the factors from which to choose. */
DSM_API extern const dsm_answer_kind dsm_answer_storage;

/** Of a dsm_serving: what users and chips get of a language model, and with which batches. Table:
 * the answer, and the front. JSON ("dsm-serving/1"). CSV: one row a point of the front. Page: the
 * same. */
DSM_API extern const dsm_answer_kind dsm_answer_serving;

/** Of a dsm_partition. Table: where each task runs, how the devices are used and what binds them,
 * the simple ways beside it, and the bound. JSON ("dsm-partition/1"): what is infinite is null.
 * CSV: one row a task and device that holds it. */
DSM_API extern const dsm_answer_kind dsm_answer_partition;

/** Of a dsm_dispatch: the same of its partition, with the simulation. Trace, of a recorded one: a
 * process a device, with a thread for its tasks and one for its link; times are whole nanoseconds;
 * 1 GiB is some seven million events. */
DSM_API extern const dsm_answer_kind dsm_answer_dispatch;

/** Of a dsm_front: its points, and what is proven of each. Table, JSON ("dsm-front/1", with the
 * partition of each point), and CSV with one row a point. */
DSM_API extern const dsm_answer_kind dsm_answer_front;

/* ---- reading ---- */

/** The kind of a document, by its format; of any other text dsm_answer_plan. NULL: out of memory.
 */
DSM_API const dsm_answer_kind *dsm_answer_kind_of(const char *text, size_t length);

/**
 * Reads an answer of a kind that can be, or of the kind that the text is where that is NULL, from a
 * text named `file` in findings. A plan of a network or of cores in memory, and what storage
 * delivers: what was asked and decided, which may have been edited, is predicted or answered anew.
 * A front: its numbers, without its partitions, to be drawn. A partition whose tasks are each in
 * one place (`copies` is 1): checked as dsm_partition_validate does; it has an instance whose tasks
 * have times where they are placed alone. To be freed with dsm_answer_free; nothing is read unless
 * DSM_OK. DSM_ERROR_INVALID with findings; DSM_ERROR_INFEASIBLE: it does not fit;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_answer_parse(dsm_answer *answer, const dsm_answer_kind *kind,
                                                  const char *text, size_t length, const char *file,
                                                  dsm_diags *diags);

/** The same of a file; also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_answer_load(dsm_answer *answer, const dsm_answer_kind *kind,
                                                 const char *path, dsm_diags *diags);

/** Does a document of that kind hold its question? */
DSM_API bool dsm_answer_holds_question(const dsm_answer_kind *kind);

/**
 * Asks the question of a document again: what storage delivers, and a choice of cores in memory.
 * The overrides replace values of it first. DSM_ERROR_USAGE: a document of that kind does not hold
 * its question, or is a plan (check.h); else as dsm_answer_parse.
 */
DSM_API DSM_NODISCARD dsm_status dsm_answer_ask(dsm_answer *answer, const dsm_answer_kind *kind,
                                                const dsm_document *document,
                                                const dsm_override *overrides,
                                                size_t override_count, dsm_diags *diags);

/** Frees what was read. */
DSM_API void dsm_answer_free(dsm_answer *answer);

/**
 * Compares two documents of a kind that is no plan, whose fields it says in a table: decisions for
 * equality, figures within a tolerance, and what was asked; items of lists by their names. What is
 * beyond the tolerance of the kind's main figure decides the verdict. *comparison belongs to the
 * caller. DSM_ERROR_INVALID: one of them is none of that kind; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_answer_compare(dsm_comparison **comparison,
                                                    const dsm_answer_kind *kind,
                                                    const dsm_document *before,
                                                    const dsm_document *after, double tolerance,
                                                    dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
