/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * sweep_run.h: evaluates the points of a sweep that its store does not have.
 */
#ifndef DSM_SWEEP_RUN_H
#define DSM_SWEEP_RUN_H

#include "dsm/sweep_store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How far a run is. */
typedef struct dsm_sweep_progress {
  size_t total;                   /**< points of the shard */
  size_t earlier;                 /**< of them, recorded before this run */
  size_t done;                    /**< recorded, `earlier` included */
  size_t infeasible;              /**< recorded in this run as such */
  size_t invalid;                 /**< recorded in this run as such */
  const dsm_point_result *latest; /**< just recorded; NULL at the beginning and at the end */
} dsm_sweep_progress;

/** How the points of a sweep are evaluated. */
typedef struct dsm_sweep_run_options {
  size_t thread_count; /**< at most; results do not depend on it */
  dsm_shard shard;
  /** Called at the beginning, after each point is recorded (never at the same time as another call)
   * and at the end; NULL: never. */
  void (*report)(void *context, const dsm_sweep_progress *progress);
  /** Asked before each point, by any thread: true ends the run early; NULL: never. */
  bool (*is_stopped)(void *context);
  void *context;
} dsm_sweep_run_options;

/** One thread, all points, no calls. */
DSM_API void dsm_sweep_run_options_init(dsm_sweep_run_options *options);

/**
 * Evaluates and records, each result as soon as it is there. Options may be NULL. *progress tells
 * how far it came, also on failure: done < total with DSM_OK means that it was stopped. An
 * infeasible or invalid point is a result. DSM_ERROR_IO and DSM_ERROR_OUT_OF_MEMORY end the run;
 * what was recorded stays.
 */
DSM_API DSM_NODISCARD dsm_status dsm_sweep_run(dsm_store *store, const dsm_sweep *sweep,
                                               const dsm_sweep_run_options *options,
                                               dsm_sweep_progress *progress, dsm_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
