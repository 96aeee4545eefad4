/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_search.h: the fastest mapping with roles in which outputs are held on chip (sections 7 and
 * 13). */
#ifndef DSM_SEARCH_ROLES_HELD_SEARCH_H
#define DSM_SEARCH_ROLES_HELD_SEARCH_H

#include "search/roles/role_graph.h"

/** May outputs be held in a search of roles? */
bool dsm__held_roles_are_searched(const dsm__problem *problem);

/** Takes the fastest mapping that holds something in place of the answer, if that is slower, and
 * lowers the bound to what holds for these mappings too. Those that take more than `cost_limit`
 * need not be found. False if out of memory. */
bool dsm__held_role_search(dsm__role_space *space, double cost_limit, dsm__graph_answer *answer,
                           dsm__decisions *decisions);

#endif
