/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tied_bounds.h: what no mapping with roles takes less than where the owner of a table that layers
 * share cuts it in one way or another (section 5). */
#ifndef DSM_SEARCH_ROLES_TIED_BOUNDS_H
#define DSM_SEARCH_ROLES_TIED_BOUNDS_H

#include "search/roles/role_graph.h"
#include "search/tied_search.h"

/** Raises the bounds of each of the cuts, of the mappings that take no more than `cost_limit`,
 * which is finite; infinite: there is none. `space` has options of which the layers of the table
 * pay nothing for it. False if out of memory. */
bool dsm__tied_bounds_find(dsm__role_space *space, const dsm__tied_cuts *cuts, double cost_limit,
                           dsm__open_case **bounds);

#endif
