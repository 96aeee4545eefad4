/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal.h: which decisions a mapping may consist of (sections 3 and 7 to 11). */
#ifndef DSM_PLAN_LEGAL_H
#define DSM_PLAN_LEGAL_H

#include "base/arena.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"

/** Where a violated rule stands in a plan: at a field of one of its records. Members that a record
 * does not need are zero. */
typedef struct dsm__plan_place {
  const dsm__record_type
      *record; /**< dsm__decisions_record: of a layer; dsm__pass_decisions_record;
                    dsm__invocation_record; dsm__pipeline_record; dsm__step_stages_record;
                    dsm__plan_record */
  const char *key;
  size_t index; /**< of the layer, the pipeline group or the stage; SIZE_MAX: all stages */
  dsm_pass pass;
  unsigned part; /**< which kind of invocation */
  dsm_dim dim;   /**< of a core split; DSM_DIM_COUNT: all of it */
} dsm__plan_place;

/** What is told of a violated rule; `hint` may be NULL. */
typedef void (*dsm__violation_function)(void *context, const dsm__plan_place *place,
                                        const char *hint, const char *message);

/** A mapping to be judged. Loops of a split that are 0 are not known, and are not judged. */
typedef struct dsm__candidate {
  const dsm_workload *workload;
  const dsm_machine *machine;
  const dsm_explore_options *options;
  const dsm__decisions *decisions; /**< groups are disjoint runs of layers */
  const bool *is_known;            /**< layers to be judged; NULL: all */
  bool is_complete;                /**< everything is known: sums over layers are judged too */
  const dsm__renaming *renaming;   /**< of words in findings; or NULL */
} dsm__candidate;

/**
 * Tells every violation. What decisions of several layers take together is judged only where each
 * by itself is legal. False if out of memory; arena is for scratch.
 */
bool dsm__legality_check(const dsm__candidate *candidate, dsm__violation_function tell,
                         void *context, dsm__arena *arena);

/**
 * A plan from a candidate that is complete and legal: held outputs without a layout get one
 * (`layers` are those of its decisions, to be written), and what does not fit a chip's memory is
 * refused, at that place. Also DSM_ERROR_INFEASIBLE.
 */
DSM_NODISCARD dsm_status dsm__plan_complete(dsm_plan **plan, const dsm__candidate *candidate,
                                            dsm__layer_decision *layers, dsm__place place,
                                            dsm__arena *arena, dsm_diags *diags);

/**
 * The decisions of a plan for other numbers, flags and words of its workload and system: what
 * dsm_plan_parse makes of its text with these inputs in it. The new plan borrows them.
 * DSM_ERROR_INVALID: the decisions are not legal there. DSM_ERROR_INFEASIBLE, without memory
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_NODISCARD dsm_status dsm__plan_keep(dsm_plan **kept, const dsm_plan *plan,
                                        const dsm_workload *workload, const dsm_system *system,
                                        dsm_diags *diags);

#endif
