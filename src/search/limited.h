/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limited.h: the fastest sequence where the fastest of all does not fit the memory. */
#ifndef DSM_SEARCH_LIMITED_H
#define DSM_SEARCH_LIMITED_H

#include "search/network.h"

/**
 * As dsm__network_search, for a network of which `sequence` (on entry) is a sequence that fits, and
 * the unlimited optimum does not. False if out of memory.
 */
bool dsm__limited_search(const dsm__network *network, dsm__arena *arena, dsm_parallelism *sequence,
                         dsm__network_answer *answer);

#endif
