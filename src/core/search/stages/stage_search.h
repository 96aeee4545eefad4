/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_search.h: steps as pipelines of stages over micro-batches (section 13). */
#ifndef DSM_SEARCH_STAGES_STAGE_SEARCH_H
#define DSM_SEARCH_STAGES_STAGE_SEARCH_H

#include "search/problem.h"

/**
 * Looks for steps with stages that are faster than an answer, if it is feasible, and than
 * `cost_limit`; the best replaces it and its decisions, but for its bound. *bound_cycles: what no
 * step with stages is faster than, as far as that is below these. False if out of memory.
 */
bool dsm__stage_search(const dsm__problem *problem, double cost_limit, dsm__graph_answer *answer,
                       dsm__decisions *decisions, double *bound_cycles);

#endif
