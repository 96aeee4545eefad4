/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * storage.h: whether storage delivers the data set as fast as the chips take it.
 *
 * A data set lies in a capacity tier (a parallel file system) and is read through a fast one
 * (drives of the nodes, a burst buffer). What does not fit there is cut into *mini-epochs*, of
 * which two are resident: one is trained on *repeat* times while the next one is loaded, so that
 * the capacity tier delivers a part of what the chips take (Xu et al., "Data-aware storage tiering
 * for deep learning"). docs/storage.md has the equations by the numbers that are named here.
 *
 * All sizes are in bytes, all times in seconds.
 */
#ifndef DSM_STORAGE_H
#define DSM_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/mapping.h"
#include "dsm/status.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- jobs ---- */

/** What a job asks of its storage, and what that has. All numbers are above 0; none is above
 * DSM_STORAGE_NUMBER_MAX, or below 1 over it. */
typedef struct dsm_storage_job {
  uint64_t samples;                 /**< of the data set */
  double sample_bytes;              /**< of a sample, on average */
  double samples_per_second;        /**< that the chips take where data are there */
  double demand_bytes_per_second;   /**< D: these times the size of a sample, unless it is given */
  double fast_bytes;                /**< EC1: room in the fast tier */
  double fast_bytes_per_second;     /**< B1: its bandwidth of reading */
  double capacity_bytes_per_second; /**< B2: that of the capacity tier */
} dsm_storage_job;

/** Do a workload and a system say what a job needs: a data set, and storage? */
DSM_API bool dsm_storage_is_stated(const dsm_workload *workload, const dsm_system *system);

/** The job of a workload on a system whose chips take so many samples a second. Both say what it
 * needs (dsm_storage_is_stated). */
DSM_API dsm_storage_job dsm_storage_job_of(const dsm_workload *workload, const dsm_system *system,
                                           double samples_per_second);

/** Refuses a job with a number out of these limits, or of more samples than DSM_PRODUCT_MAX:
 * DSM_ERROR_INVALID with a finding. */
DSM_API DSM_NODISCARD dsm_status dsm_storage_job_check(const dsm_storage_job *job,
                                                       dsm_diags *diags);

/** Does all of the data set fit in the fast tier (equation 1)? */
DSM_API bool dsm_storage_fits(const dsm_storage_job *job);

/** The least mini-epochs (equation 2): 1 if all fits; else so many that the largest takes at most
 * half of the fast tier. 0: no number does, since a sample is larger than that. */
DSM_API uint64_t dsm_storage_mini_epochs(const dsm_storage_job *job);

/** Samples of a mini-epoch, of `mini_epochs` that differ by one at most: the first ones are the
 * larger ones. `index` may go beyond them, into the next pass over the data set. */
DSM_API uint64_t dsm_storage_mini_epoch_samples(const dsm_storage_job *job, uint64_t mini_epochs,
                                                uint64_t index);

/** What bounds samples a second. */
typedef enum dsm_storage_bound {
  DSM_STORAGE_BOUND_CHIPS = 0, /**< the chips: they do not wait */
  DSM_STORAGE_BOUND_FAST,      /**< fast storage, which no repeating mends */
  DSM_STORAGE_BOUND_CAPACITY,  /**< the capacity tier, which repeating mends */
  DSM_STORAGE_BOUND_COUNT
} dsm_storage_bound;

/** "chips", "fast" or "capacity". Never NULL. */
DSM_API const char *dsm_storage_bound_name(dsm_storage_bound bound);

/** What a steady job reads, and how fast it is. */
typedef struct dsm_storage_state {
  uint64_t mini_epochs;
  double repeat;                     /**< rf: times that each of them is trained on */
  double mini_epoch_bytes;           /**< S, on average */
  double fast_bytes_per_second;      /**< EB1: most that is read from the fast tier */
  double capacity_bytes_per_second;  /**< EB2: read from the capacity tier, on average; lower is
                                          better */
  double delivered_bytes_per_second; /**< what the chips get; higher is better */
  double period_seconds;             /**< of a mini-epoch; 0: all fits, and there is none */
  double stall_share;                /**< equation 3: of the time, in which the next mini-epoch
                                          is waited for; 0 .. 1; 0 where only fast storage is slow */
  double waiting_share;              /**< of the time, in which the chips wait for data of either
                                          tier: what samples_per_second lack; 0 .. 1 */
  dsm_storage_bound bound;           /**< what samples_per_second are bound by */
  double samples_per_second;         /**< with storage; higher is better */
  double stall_free_repeat;          /**< the least whole rf without a stall */
} dsm_storage_state;

/** Equation 3, and equation 1 for a single mini-epoch, for `mini_epochs` of 1 or more and a
 * `repeat` of at least 1, which need not be whole. Never fails. */
DSM_API dsm_storage_state dsm_storage_steady(const dsm_storage_job *job, uint64_t mini_epochs,
                                             double repeat);

/** The least whole repeating factor that leaves no stall: that which EB1 is of B2, rounded up; 1
 * where all fits. */
DSM_API double dsm_storage_stall_free_repeat(const dsm_storage_job *job);

/** What mini-epochs with factors of their own come to, averaged over their times. */
typedef struct dsm_storage_mean {
  double repeat;                          /**< mean factor */
  double capacity_bytes_per_second;       /**< EB2: weighted with the times; lower is better */
  double equal_capacity_bytes_per_second; /**< the same, all times being equal */
  double samples_per_second;              /**< weighted with the times; higher is better */
  double waiting_share;                   /**< weighted with the times; 0 .. 1 */
  double stall_share;                     /**< weighted with the times; 0 .. 1 */
  double seconds;                         /**< sum of their own times, S being that of
                                               mini_epochs; that of a cold start is not in it */
} dsm_storage_mean;

/** Equation 4, for len(repeats) = count of 1 or more. `times`: weights of the mini-epochs, of any
 * unit; NULL: the times that they take. */
DSM_API dsm_storage_mean dsm_storage_mean_of(const dsm_storage_job *job, uint64_t mini_epochs,
                                             const double *repeats, const double *times,
                                             size_t count);

/** A mini-epoch of a timeline: when it is loaded, and when it is trained on. */
typedef struct dsm_storage_event {
  uint64_t samples;
  double repeat;
  double load_begin_seconds;
  double load_end_seconds;
  double train_begin_seconds;
  double train_end_seconds;
  double stall_seconds; /**< before it is trained on, since the one before ended; of the first: the
                             cold start */
} dsm_storage_event;

/** Equation 5: fills len(events) = count from the factors of each; whole numbers of at least 1.
 * Returns the seconds until the last one ends. O(count). */
DSM_API double dsm_storage_timeline(dsm_storage_event *events, const dsm_storage_job *job,
                                    uint64_t mini_epochs, const double *repeats, size_t count);

/* ---- the roofline of reading ---- */

/** A network under the roof of a bandwidth. */
typedef struct dsm_io_roof {
  double sample_flop;
  double sample_bytes;
  double intensity;               /**< FLOP for each byte that is read */
  double flop_per_second;         /**< that the chips do at most */
  double bytes_per_second;        /**< of the storage */
  double ridge_intensity;         /**< FLOP for each byte from which on the chips are the limit */
  double needed_bytes_per_second; /**< that the chips need to do all they can */
  double samples_per_second;      /**< the lower of both roofs */
} dsm_io_roof;

/** Equation 7. All numbers are above 0. */
DSM_API dsm_io_roof dsm_io_roof_of(double sample_flop, double sample_bytes, double flop_per_second,
                                   double bytes_per_second);

/** FLOP that a sample takes, 2 a MAC: those of the forward pass, in training three times. 0: no
 * layer has a MAC. */
DSM_API double dsm_sample_flop(const dsm_workload *workload, dsm_mode mode);

/* ---- traces of metrics ---- */

/** What is measured after each repeat. */
typedef enum dsm_metric {
  DSM_METRIC_LOSS = 0,
  DSM_METRIC_TRAIN_ERROR,
  DSM_METRIC_VALIDATION_ERROR,
  DSM_METRIC_COUNT
} dsm_metric;

/** The name of its column. Never NULL. */
DSM_API const char *dsm_metric_name(dsm_metric metric);

/** Metrics of a training run, in order of time. */
typedef struct dsm_metric_trace {
  const double *values; /**< len = row_count * DSM_METRIC_COUNT: those of a row beside each other */
  size_t row_count;     /**< 1 or more */

  struct dsm__arena *arena; /**< private */
} dsm_metric_trace;

/**
 * Reads a trace of comma-separated values named `file` in findings: a line with the names of
 * columns, then one for each repeat. Other columns are passed over; those of metrics with a weight
 * of 0 may be missing, and are 0 then. *trace belongs to the caller. DSM_ERROR_INVALID with
 * findings, and NULL: a column is missing or there twice, a row has another number of fields, a
 * value is no finite number, there are no rows or more than DSM_TRACE_ROWS_MAX.
 * DSM_ERROR_OUT_OF_MEMORY. O(length).
 */
DSM_API DSM_NODISCARD dsm_status dsm_metric_trace_parse(dsm_metric_trace **trace, const char *text,
                                                        size_t length, const char *file,
                                                        const double weights[DSM_METRIC_COUNT],
                                                        dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_metric_trace_free(dsm_metric_trace *trace);

/** What ends a mini-epoch. */
typedef enum dsm_repeat_rule {
  DSM_REPEAT_RULE_NONE = 0,  /**< factors are given */
  DSM_REPEAT_RULE_SCORE,     /**< a score that does not get better */
  DSM_REPEAT_RULE_BOLLINGER, /**< a score below the band of those before */
  DSM_REPEAT_RULE_COUNT
} dsm_repeat_rule;

/** "none", "score" or "bollinger". Never NULL. */
DSM_API const char *dsm_repeat_rule_name(dsm_repeat_rule rule);

/** How a trace is replayed. */
typedef struct dsm_replay_options {
  dsm_repeat_rule rule;
  double weights[DSM_METRIC_COUNT]; /**< of the score: 0 or more, not all 0 */
  uint64_t threshold;               /**< of score: repeats without a better one, 1 or more */
  uint64_t window;     /**< N of bollinger: scores of the moving mean, 2 to DSM_WINDOW_MAX */
  double deviations;   /**< K of bollinger: above 0, below the square root of N - 1 */
  uint64_t max_repeat; /**< of a mini-epoch, at most; 0: no limit */
} dsm_replay_options;

/** Equation 8: fills `repeats`, which has room for a row each, with the factors that a trace makes
 * of its mini-epochs, and *count with how many there are. Scores of any size do: a factor on all of
 * them changes nothing. DSM_ERROR_USAGE: the options are none. DSM_ERROR_INVALID: a score that is
 * too large for a number. */
DSM_API DSM_NODISCARD dsm_status dsm_repeats_replay(double *repeats, size_t *count,
                                                    const dsm_metric_trace *trace,
                                                    const dsm_replay_options *options,
                                                    dsm_diags *diags);

/* ---- answers ---- */

/** What is asked of a job. */
typedef struct dsm_storage_options {
  dsm_mode mode;            /**< in inference each sample is read once: factors are 1 */
  uint64_t mini_epochs;     /**< 0: the least */
  uint64_t max_mini_epochs; /**< that convergence allows; 0: no limit */
  double max_repeat;        /**< that convergence allows, 1 or more; 0: no limit */
  const double *repeats;    /**< factors: one for all, or one for each mini-epoch; NULL: planned */
  size_t repeat_count;
  const double *times; /**< weights of a list, len = repeat_count; NULL: the times that they take */
  const dsm_metric_trace *trace; /**< replayed where replay.rule is not NONE; NULL: the factors are
                                      what a replay found, of any number */
  dsm_replay_options replay;
  bool wants_timeline;
  double sample_flop;     /**< for the roofline; 0: there is none */
  double flop_per_second; /**< likewise */
} dsm_storage_options;

/** The only place of defaults: no limits; weights of 1, a threshold of 3, a window of 20 with 2
 * deviations. */
DSM_API void dsm_storage_options_init(dsm_storage_options *options);

/** A repeating factor, and what it comes to. */
typedef struct dsm_storage_point {
  double repeat;
  double capacity_bytes_per_second;
  double samples_per_second;
  double stall_share;
  double waiting_share;
} dsm_storage_point;

/** An answer. */
typedef struct dsm_storage_result {
  const char *name; /**< of what it is, as a file says; else NULL, to be set */
  dsm_storage_job job;
  dsm_mode mode;
  dsm_repeat_rule rule;
  uint64_t least_mini_epochs;
  double max_repeat;               /**< 0: no limit */
  bool is_planned;                 /**< the factor was not given */
  dsm_storage_state state;         /**< with the factor; of a list with its mean */
  const double *repeats;           /**< of a list, else NULL */
  size_t repeat_count;             /**< 0: no list */
  const double *times;             /**< its weights, if they were given; else NULL */
  dsm_storage_mean mean;           /**< of the list */
  const dsm_storage_point *points; /**< by factor: powers of 2, and the ones that matter */
  size_t point_count;
  const dsm_storage_event *events; /**< of a timeline */
  size_t event_count;
  double timeline_seconds; /**< until the last event ends */
  bool has_roofs;
  dsm_io_roof fast_roof;
  dsm_io_roof capacity_roof;

  struct dsm__arena *arena; /**< private */
} dsm_storage_result;

/**
 * Answers for a job. Without factors and trace the plan (equation 6) is made: the one that reads
 * least from the capacity tier within the limits, which is the largest factor (the largest whole
 * one for a timeline), or without a limit the least one that leaves no stall. *result belongs to
 * the caller. DSM_ERROR_INVALID: the job is none, or the trace. DSM_ERROR_USAGE: the options are
 * none, and the finding begins with the name of one, a colon behind it; a factor below 1, above the
 * limit, other than 1 in inference, or not whole where a timeline is asked for; a list whose length
 * is not that of the mini-epochs. DSM_ERROR_INFEASIBLE: so many
 * mini-epochs do not fit, or the least are more than the limit; a finding says which would do.
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_storage(dsm_storage_result **result,
                                             const dsm_storage_job *job,
                                             const dsm_storage_options *options, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_storage_result_free(dsm_storage_result *result);

#ifdef __cplusplus
}
#endif

#endif
