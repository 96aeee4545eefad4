/* SPDX-License-Identifier: GPL-3.0-or-later */
/* split_front.h: the core splits of a pass of which one is the fastest, whatever is held. */
#ifndef DSM_SEARCH_SPLIT_FRONT_H
#define DSM_SEARCH_SPLIT_FRONT_H

#include "search/split_walk.h"

/** Candidates that need something less than each other one. */
typedef struct dsm__split_front {
  dsm__needy_split *items; /**< by sums, ascending */
  size_t count;
  size_t capacity;
  bool is_out_of_memory;
} dsm__split_front;

/**
 * Finds the front of an invocation, in place of what the front was before; how many splits were
 * looked at. It is the same whatever is held, whatever room is left and whatever part of the
 * weights is on chip: all candidates that are left out need no less than one that is there, so that
 * they are no faster. Where the kernel has to stay over timesteps, that one stays if they do.
 */
uint64_t dsm__split_front_find(dsm__split_front *front, const dsm_pass_work *work,
                               const dsm__core_splits *splits);
void dsm__split_front_fini(dsm__split_front *front);

#endif
