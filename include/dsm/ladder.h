/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * ladder.h: what each optimization gains: a plan without any, then plans with one more each
 * (DeepSpatialMatrix, Fig. 11).
 */
#ifndef DSM_LADDER_H
#define DSM_LADDER_H

#include <stddef.h>

#include "dsm/plan.h"
#include "dsm/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One rung of a ladder: the best plan with some optimizations. */
typedef struct dsm_ladder_rung {
  const char *name;     /**< "none", or the optimization that this rung adds */
  const dsm_plan *plan; /**< of the ladder; NULL: no mapping fits, which the last rung never has */
  const char *system;   /**< name of its system */
  dsm_optimization_set optimizations; /**< that the search might use */
} dsm_ladder_rung;

/** Most rungs of a ladder. */
#define DSM_RUNGS_MAX (DSM_OPTIMIZATION_COUNT + 1)

/** A ladder, which owns its plans. All zero: an empty one. */
typedef struct dsm_ladder {
  dsm_ladder_rung rungs[DSM_RUNGS_MAX];
  dsm_plan *plans[DSM_RUNGS_MAX]; /**< of the rungs */
  size_t count;
} dsm_ladder;

/** What a ladder is explored from; all pointers are borrowed. */
typedef struct dsm_ladder_request {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_system *base;             /**< system of the first rung; NULL: the same one */
  const dsm_explore_options *options; /**< of the last rung */
  void (*report)(void *context, const dsm_plan *plan); /**< called with each plan; may be NULL */
  void *context;
} dsm_ladder_request;

/** Explores all rungs, each with one optimization more (dsm_ladder_additions), up to those of the
 * options: the last rung is the plan of the question itself. A rung before it that does not fit has
 * no plan, and `diags` is cleared then. Errors are those of dsm_explore. In any case the caller
 * frees *ladder with dsm_ladder_fini. */
DSM_API DSM_NODISCARD dsm_status dsm_ladder_explore(dsm_ladder *ladder,
                                                    const dsm_ladder_request *request,
                                                    dsm_diags *diags);

/** Frees its plans, which leaves an empty ladder. */
DSM_API void dsm_ladder_fini(dsm_ladder *ladder);

#ifdef __cplusplus
}
#endif

#endif
