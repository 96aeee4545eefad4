/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * why_none.h: why a search found no plan. Each function reports it and returns
 * DSM_ERROR_INFEASIBLE, or DSM_ERROR_OUT_OF_MEMORY.
 */
#ifndef DSM_SEARCH_WHY_NONE_H
#define DSM_SEARCH_WHY_NONE_H

#include "search/problem.h"

/** Of data and model: the smallest need of any mapping; `decisions` are those of it. */
dsm_status dsm__report_infeasible(const dsm__problem *problem, const dsm__decisions *decisions,
                                  dsm_diags *diags);

/** Where stages, micro-batches, recomputation or shards are asked for. */
dsm_status dsm__report_none_asked(const dsm__problem *problem, dsm_diags *diags);

/** Where layers may have some roles alone. Where nobody listens, nothing is asked. */
dsm_status dsm__report_no_roles(const dsm__problem *problem, dsm_diags *diags);

#endif
