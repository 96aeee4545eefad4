/* SPDX-License-Identifier: GPL-3.0-or-later */
/* improve.h: a plan whose time no graph knows, made faster by what others decide. */
#ifndef DSM_SEARCH_IMPROVE_H
#define DSM_SEARCH_IMPROVE_H

#include "search/problem.h"

/** Takes the faster of two plans, the first of equals, and gives the other back. Either may be
 * NULL.
 */
dsm_plan *dsm__take_faster(dsm_plan **plan, dsm_plan *other);

/** Lets runs of layers do what other mappings decide of them, for as long as the step that is
 * predicted becomes faster and fits. False if out of memory. */
bool dsm__improve_by(const dsm__problem *problem, const dsm__decisions *others, size_t count,
                     dsm_plan **plan);

#endif
