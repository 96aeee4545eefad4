/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * check.h: has a prediction moved? A plan that was saved is a promise, the *baseline*. Checking
 * explores its question again and compares what it *recorded* with what comes out now, so that a
 * change of the inputs, the search or the model's equations is seen.
 *
 *     dsm_baseline_load(&baseline, "baseline.json", NULL, 0, diags);
 *     dsm_check_request request = {.baseline = baseline, .tolerance = DSM_TOLERANCE_DEFAULT};
 *     dsm_check(&drift, &request, diags);
 *     if (drift->verdict == DSM_VERDICT_REGRESSED) ...
 *
 * Of a baseline its inputs, options, figures and decisions are read, but the decisions need not be
 * legal today: nothing is predicted from them.
 */
#ifndef DSM_CHECK_H
#define DSM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/mapping.h"
#include "dsm/model.h"
#include "dsm/override.h"
#include "dsm/plan.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The figures and decisions that a plan recorded. */
typedef struct dsm_recorded {
  dsm_plan_result result;   /**< of a baseline time, utilization and energy alone */
  double cycles_per_second; /**< of the system that it was recorded with, 1e9 * its frequency_GHz */
  bool is_stopped; /**< the search was ended by its time limit: another run may find another plan */
  uint64_t micro_batches;       /**< 1 or more; of a question 0 */
  dsm_stages stages;            /**< of a baseline without indices of layers */
  const dsm_layer_plan *layers; /**< in order of execution, names are unique. Of a baseline with its
                                     decisions and what is compared alone; invocation_count is 0 if
                                     it does not list them */
  size_t layer_count;
  const struct dsm__renaming *renaming; /**< private: words with the names of axes */
} dsm_recorded;

/** What is checked against: what a plan was made from, and what it recorded. */
typedef struct dsm_baseline {
  const char *dsm_version; /**< that wrote it; empty: not recorded */
  dsm_workload *workload;  /**< with overrides applied */
  dsm_system *system;      /**< likewise */
  uint64_t minibatch;      /**< recorded, without overrides */
  dsm_explore_options options;
  dsm_recorded record;
  struct dsm__arena *arena; /**< private */
} dsm_baseline;

/**
 * Reads a baseline, format "dsm-plan/1", from text named `file` in findings. The overrides, whose
 * paths begin with "workload." or "system.", replace values of its inputs first. *baseline belongs
 * to the caller. DSM_ERROR_INVALID: a rule of the format is broken, or a figure is missing; then a
 * note says how to make a new baseline. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_baseline_parse(dsm_baseline **baseline, const char *text,
                                                    size_t length, const char *file,
                                                    const dsm_override *overrides,
                                                    size_t override_count, dsm_diags *diags);

/**
 * The same of what a plan is the answer to: its inputs and options. Its figures and decisions are
 * not read, and the record is empty; no note advises.
 */
DSM_API DSM_NODISCARD dsm_status dsm_question_parse(dsm_baseline **question, const char *text,
                                                    size_t length, const char *file,
                                                    const dsm_override *overrides,
                                                    size_t override_count, dsm_diags *diags);

/** dsm_baseline_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_baseline_load(dsm_baseline **baseline, const char *path,
                                                   const dsm_override *overrides,
                                                   size_t override_count, dsm_diags *diags);

/** Frees the baseline with its inputs; NULL is fine. */
DSM_API void dsm_baseline_free(dsm_baseline *baseline);

/** The tolerance of the program: half a percent. */
#define DSM_TOLERANCE_DEFAULT 0.005
/** Beyond any tolerance a figure may move by this much, relatively: what rounding can do. */
#define DSM_TOLERANCE_ROUNDING 1e-9

/** Reads "0.5%" or "0.005" (a number as JSON writes it) in 0 .. 1; false, *tolerance untouched, if
 * it is not. */
DSM_API bool dsm_tolerance_parse(const char *text, double *tolerance);

/** A figure before and now. */
typedef struct dsm_moved {
  double before;
  double after;
  double change; /**< (after - before) / before; 0 if they are equal, infinite if only `before` is 0
                  */
  bool is_beyond; /**< |change| is larger than tolerance and rounding allow */
} dsm_moved;

/** The outcome, from best to worst in the eyes of a build. */
typedef enum dsm_verdict {
  DSM_VERDICT_OK = 0,   /**< nothing is beyond the tolerance, and all decisions are the same */
  DSM_VERDICT_IMPROVED, /**< faster beyond the tolerance, or as fast and better utilized; or of less
                           energy or cost; and nothing of these is worse */
  DSM_VERDICT_CHANGED, /**< as a whole within the tolerance; layers or decisions are not the same */
  DSM_VERDICT_REGRESSED, /**< slower beyond the tolerance, or as fast and less utilized; or of more
                            energy or cost */
  DSM_VERDICT_COUNT
} dsm_verdict;

/** Where something is found. */
typedef enum dsm_presence {
  DSM_PRESENCE_BOTH = 0,
  DSM_PRESENCE_MISSING, /**< only in the baseline */
  DSM_PRESENCE_NEW,     /**< only now */
  DSM_PRESENCE_COUNT
} dsm_presence;

/** The time of a pass that moved. A side without the pass has 0 everywhere. */
typedef struct dsm_pass_difference {
  const char *layer;
  dsm_pass pass;
  dsm_presence presence;
  dsm_moved seconds;     /**< of the step; lower is better */
  dsm_moved cycles;      /**< likewise; only where a cycle is as long on both sides they say more
                            than that the work is another */
  dsm_moved utilization; /**< 0 .. 1; higher is better */
  double difference_seconds; /**< after - before; of equal cycles on equal machines equal to the
                                last bit */
  double share; /**< of the step's difference: below 0 if the pass moves the other way than the
                   step; 0 if the step does not differ */
  size_t alike; /**< the same number in layers that are equal on both sides; 0: not known */
} dsm_pass_difference;

/** A layer that exists on one side only. */
typedef struct dsm_layer_drift {
  const char *layer;
  dsm_presence presence; /**< never DSM_PRESENCE_BOTH */
  size_t alike;          /**< as of dsm_pass_difference */
} dsm_layer_drift;

/** A decision that is another now. */
typedef struct dsm_decision_drift {
  const char *layer;    /**< NULL: a decision of the whole step */
  dsm_pass pass;        /**< DSM_PASS_COUNT: a decision of the whole layer */
  const char *decision; /**< its key in a plan, or "later_core_split": of the pass's later
                           invocations; static */
  const char *before;   /**< in words, such as "in 2 ij 8" */
  const char *after;
  size_t alike; /**< as of dsm_pass_difference */
} dsm_decision_drift;

/** A figure of two documents or plans. */
typedef struct dsm_figure_drift {
  const char *path; /**< its keys, and the names or indices of items of lists, joined by dots */
  const char *unit; /**< static; NULL: it has none */
  int better;       /**< 1: more is, -1: less is, 0: neither */
  dsm_moved moved;  /**< 0 where a document does not have it, infinite where it has null */
} dsm_figure_drift;

/** What moved. Owns all its texts. */
typedef struct dsm_drift {
  dsm_verdict verdict;
  double tolerance;
  const char *workload; /**< name, now */
  const char *system;   /**< name, now */
  dsm_mode mode;
  uint64_t minibatch_before; /**< minibatch_after where it is not recorded */
  uint64_t minibatch_after;
  const char *dsm_version_before; /**< empty: not recorded */
  dsm_moved step_seconds;         /**< lower is better */
  dsm_moved sample_seconds;       /**< step_seconds over the minibatch: decides first */
  dsm_moved step_cycles;          /**< does not decide */
  bool is_same_clock;             /**< a cycle is as long on both sides: cycles can be compared */
  bool is_stopped_before;  /**< the time limit ended the search: the verdict may change by itself */
  bool is_stopped_after;   /**< likewise */
  dsm_moved utilization;   /**< higher is better; decides where the time does not */
  bool has_energy;         /**< both name a technology: what follows is known */
  dsm_moved sample_joules; /**< of a step over the minibatch; lower is better, decides too */
  dsm_moved sample_dollars;        /**< likewise, of a million samples; 0 without prices */
  const dsm_figure_drift *figures; /**< of energy and cost: those beyond the tolerance, and those
                                        that decide */
  size_t figure_count;
  const dsm_layer_drift *layers;
  size_t layer_count;
  const dsm_pass_difference *passes; /**< whose time or utilization is beyond the tolerance, or that
                                        one side alone has; the largest difference of time first */
  size_t pass_count;
  const dsm_decision_drift *decisions; /**< of layers on both sides, in order of execution */
  size_t decision_count;
  struct dsm__arena *arena; /**< private */
} dsm_drift;

/** What is to be checked. */
typedef struct dsm_check_request {
  const dsm_baseline *baseline;
  const dsm_workload *workload; /**< in place of the baseline's; NULL: that one */
  const dsm_system *system;     /**< likewise */
  double tolerance;             /**< relative, 0 .. 1 */
  size_t thread_count;          /**< to explore with; 0: one. The result does not depend on it */
} dsm_check_request;

/**
 * Explores the question of the baseline again, with its options, and compares. *drift belongs to
 * the caller; it borrows nothing. Fails like dsm_explore.
 */
DSM_API DSM_NODISCARD dsm_status dsm_check(dsm_drift **drift, const dsm_check_request *request,
                                           dsm_diags *diags);

/** Compares a baseline with a plan. Layers are matched by name. *drift belongs to the caller. A
 * note says if the time limit ended the search of one. DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_drift_derive(dsm_drift **drift, const dsm_baseline *baseline,
                                                  const dsm_plan *plan, double tolerance,
                                                  dsm_diags *diags);

/** Frees the drift; NULL is fine. */
DSM_API void dsm_drift_free(dsm_drift *drift);

/* ---- other documents ---- */

/** A value that was asked for and differs; of documents that are no plans also a decision. */
typedef struct dsm_input_difference {
  const char *path; /**< "workload.PATH" or "system.PATH", as --set takes it, or "options.mode",
                         "options.optimize", "options.parallelism" as of a sweep's axes; of other
                         documents as of dsm_figure_drift */
  const char *a;    /**< as JSON; NULL: A does not have it */
  const char *b;    /**< likewise */
} dsm_input_difference;

/** Two documents of the same format, such as answers of `dsm storage`, field by field. Owns all its
 * texts. */
typedef struct dsm_comparison {
  const char *format; /**< static, such as "dsm-storage/1" */
  dsm_verdict verdict;
  double tolerance;
  const dsm_input_difference *inputs; /**< what was asked, in the order of the format */
  size_t input_count;
  const dsm_input_difference *decisions; /**< what was decided, likewise */
  size_t decision_count;
  const dsm_figure_drift *figures; /**< those beyond the tolerance, and those that decide */
  size_t figure_count;
  size_t beyond_count;      /**< of them: beyond the tolerance */
  struct dsm__arena *arena; /**< private */
} dsm_comparison;

/** The text of a document. */
typedef struct dsm_document {
  const char *text;
  size_t length;
  const char *file; /**< for findings */
} dsm_document;

/** Frees a comparison (dsm_answer_compare); NULL is fine. */
DSM_API void dsm_comparison_free(dsm_comparison *comparison);

/** The word of the formats, such as "regressed". Never NULL. */
DSM_API const char *dsm_verdict_name(dsm_verdict verdict);
/** The word of the formats, such as "missing". Never NULL. */
DSM_API const char *dsm_presence_name(dsm_presence presence);

#ifdef __cplusplus
}
#endif

#endif
