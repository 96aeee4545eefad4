/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_keep.h: a plan's mapping, kept for other inputs. */
#ifndef DSM_PLAN_PLAN_KEEP_H
#define DSM_PLAN_PLAN_KEEP_H

#include "plan/legal.h"

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
