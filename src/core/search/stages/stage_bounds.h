/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_bounds.h: what no step of a case is faster than, wherever its stages are cut. */
#ifndef DSM_SEARCH_STAGES_STAGE_BOUNDS_H
#define DSM_SEARCH_STAGES_STAGE_BOUNDS_H

#include "search/stages/stage_cases.h"

/** Raises the bounds of a case, of a network whose segments begin at some layers, up to a limit.
 * False if out of memory. */
bool dsm__stage_bounds_raise(dsm__stage_case *of, const size_t *segments, size_t segment_count,
                             const dsm__problem *problem, double limit);

#endif
