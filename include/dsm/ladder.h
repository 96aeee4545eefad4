/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * ladder.h: what each optimization gains: plans with ever more of them (DeepSpatialMatrix, Fig.
 * 11).
 */
#ifndef DSM_LADDER_H
#define DSM_LADDER_H

#include <stddef.h>

#include "dsm/plan.h"
#include "dsm/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One rung of a ladder: the best plan with some optimisations. */
typedef struct dsm_ladder_rung {
  const char *name;     /**< "none", or the optimisation that this rung adds */
  const dsm_plan *plan; /**< borrowed; NULL: no mapping fits, never of the last rung */
  const char *system;   /**< name of its system */
  dsm_optimization_set optimizations; /**< that the search might use */
} dsm_ladder_rung;

/** Most rungs of a ladder. */
#define DSM_RUNGS_MAX (DSM_OPTIMIZATION_COUNT + 1)

/** Plans with ever more optimizations. All zero is an empty one. */
typedef struct dsm_ladder {
  dsm_ladder_rung rungs[DSM_RUNGS_MAX];
  dsm_plan *plans[DSM_RUNGS_MAX]; /**< of the rungs */
  size_t count;
} dsm_ladder;

/** What a ladder is explored from; all pointers are borrowed. */
typedef struct dsm_ladder_request {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_system *base;             /**< of the first rung; NULL: the same system */
  const dsm_explore_options *options; /**< of the last rung */
  void (*report)(void *context, const dsm_plan *plan); /**< hears of each plan; may be NULL */
  void *context;
} dsm_ladder_request;

/** Explores all rungs, each with an optimization more (dsm_ladder_additions), up to those of the
 * options: the last rung is the plan of the question itself. One before it that does not fit has no
 * plan, and what was found until then is forgotten. As dsm_explore. To be freed with
 * dsm_ladder_fini in any case. */
DSM_API DSM_NODISCARD dsm_status dsm_ladder_explore(dsm_ladder *ladder,
                                                    const dsm_ladder_request *request,
                                                    dsm_diags *diags);

/** Frees its plans; it is an empty one then. */
DSM_API void dsm_ladder_fini(dsm_ladder *ladder);

#ifdef __cplusplus
}
#endif

#endif
