/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_search.h: the fastest mapping with roles, of all numbers of micro-batches and stages, with
 * layers that are made anew and shards where memory asks for them (sections 8, 12 and 13). */
#ifndef DSM_SEARCH_ROLES_STEP_SEARCH_H
#define DSM_SEARCH_ROLES_STEP_SEARCH_H

#include "search/problem.h"

/** Finds it with the problem's reductions. Not feasible: nothing fits the memory, and the problem
 * has a bound of what all need (role_need_bytes). Mappings that take more than `cost_limit` need
 * not be found. False if out of memory. */
bool dsm__step_search(const dsm__problem *problem, double cost_limit, dsm__graph_answer *best,
                      dsm__decisions *decisions);

#endif
