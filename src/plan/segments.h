/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segments.h: where a network can be cut in two. */
#ifndef DSM_PLAN_SEGMENTS_H
#define DSM_PLAN_SEGMENTS_H

#include "base/arena.h"
#include "dsm/workload.h"

/**
 * Of each layer, in *is_cut: is its output the only tensor made so far, the network's input
 * included, that anything later reads? All paths go through it. False if out of memory.
 */
bool dsm__segments_find(const dsm_workload *workload, dsm__arena *arena, bool **is_cut);

#endif
