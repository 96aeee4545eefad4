/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload_search.h: the fastest mapping of a level (section 10). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_SEARCH_H
#define DSM_SEARCH_PRELOAD_PRELOAD_SEARCH_H

#include "search/preload/preload_outlook.h"

/** Most partial mappings kept in the search of a level. */
#define DSM__PRELOAD_LABELS_MAX ((size_t)1 << 20)

/** What is looked for: mappings faster than a limit, which is at most that of the outlook. */
typedef struct dsm__preload_aim {
  double limit;
  bool may_share; /**< a layer may have a part of its weights on chip that is neither none nor as
                       much as helps; else all are at ends of their runs */
} dsm__preload_aim;

/** The answer of a search of all mappings of a level. */
typedef struct dsm__preload_exact {
  bool is_complete; /**< no mapping is faster than the limit but what was found */
  bool is_found;    /**< something faster was */
} dsm__preload_exact;

/**
 * Looks for the fastest mapping, memory aside. That at most one layer has a part that is not an end
 * leaves nothing out: where two layers share bytes, the time is concave in who has them. False if
 * out of memory.
 */
bool dsm__preload_search(dsm__preload_level *level, const dsm__preload_outlook *outlook,
                         const dsm__preload_aim *aim, dsm__preload_mapping *mapping,
                         dsm__preload_exact *exact);

#endif
