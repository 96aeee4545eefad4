/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_search.h: the fastest mapping in which each layer has a role along each axis, the same in
 * all passes, and nothing is held, pipelined or preloaded (section 13).
 */
#ifndef DSM_SEARCH_ROLES_ROLE_SEARCH_H
#define DSM_SEARCH_ROLES_ROLE_SEARCH_H

#include "search/problem.h"

/** Do the options ask for roles other than data and model? */
bool dsm__problem_has_roles(const dsm__problem *problem);

/** Finds that mapping with the problem's reductions, its answer and its decisions; an answer that
 * is not feasible has the mapping that needs least memory. Paths that take more than `limit_cycles`
 * need not be found: then the answer has infinite cycles. False if out of memory. */
bool dsm__role_search(dsm__problem *problem, double limit_cycles, dsm__graph_answer *answer,
                      dsm__decisions *decisions);

/** What no mapping with roles takes less than. */
typedef struct dsm__role_outlook {
  double cycles;       /**< of the step; infinite: there is no mapping */
  double micro_cycles; /**< of one of its micro-batches, without what occurs once a step */
} dsm__role_outlook;

/** Finds that, each layer by itself, and of each layer in memory[0 .. layer_count) what the option
 * that keeps least takes. False if out of memory. */
bool dsm__role_outlook_find(dsm__problem *problem, dsm__role_outlook *outlook,
                            dsm_layer_memory *memory);

#endif
