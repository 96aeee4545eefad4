/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload.h: which weights stay on chip across requests (section 10). */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_H
#define DSM_SEARCH_PRELOAD_PRELOAD_H

#include "search/problem.h"

/** Improves a feasible solution without preloading: sets solution->preloading if weights on chip
 * make the network faster, and lowers the bound to what holds for all mappings. False if out of
 * memory. */
bool dsm__problem_solve_preload(dsm__problem *problem, dsm__solution *solution);

#endif
