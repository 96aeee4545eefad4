/* SPDX-License-Identifier: GPL-3.0-or-later */
/* improve.h: a plan whose time no graph knows, made faster layer by layer. */
#ifndef DSM_SEARCH_IMPROVE_H
#define DSM_SEARCH_IMPROVE_H

#include "search/problem.h"

/** Keeps the faster of two plans, the first of equals; *plan may be NULL. */
void dsm__keep_faster(dsm_plan **plan, dsm_plan *other);

/** Lets layers keep more or less of their weights, gradients and optimizer states, one after the
 * other, for as long as the step that is predicted becomes faster and fits. False if out of memory.
 */
bool dsm__improve_shards(dsm__problem *problem, dsm_plan **plan);

#endif
