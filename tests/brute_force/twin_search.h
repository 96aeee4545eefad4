/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_SEARCH_H
#define DSM_TESTS_TWIN_SEARCH_H

/* The enumerations behind twin_explore(). They fill what a search finds out: feasibility, cycles,
 * bytes, the layers and the mapping. False if a layer has no parallelism to choose from. */

#include "twin_cost.h"

/* One parallelism a layer and nothing else to decide (sections 1 to 6): every number of the
 * optimum, ties decided. */
bool twin_search_parallelisms(twin_result *out, const twin_context *context, twin_options options);

/* Everything: sections 7 to 9 and 11 too. Of the layers only the names are filled. */
bool twin_search_mappings(twin_result *out, const twin_context *context, twin_options options);

#endif
