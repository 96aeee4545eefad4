/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fused.h: the fastest mapping where what layers pay for a collective depends on who else is in it
 * (section 13, model.fused_reductions). */
#ifndef DSM_SEARCH_FUSED_H
#define DSM_SEARCH_FUSED_H

#include "search/problem.h"

/** Is the latency of collectives shared? Then one search of the network does not know what a layer
 * pays. */
bool dsm__problem_is_fused(const dsm__problem *problem);

/** The least that a layer can have of the collectives that it is in, with a weight. */
dsm__reductions dsm__least_shares(const dsm__problem *problem, double weight);

/** Finds the fastest mapping by several searches, or by the first of them alone; none that is
 * slower than the limit need be looked for. The decisions, and what they take with what is proven;
 * not feasible: the mapping that needs least memory. False if out of memory. */
bool dsm__problem_solve_fused(dsm__problem *problem, bool is_first, double limit_cycles,
                              dsm__graph_answer *answer, dsm__decisions *decisions);

/** What another way to run a layer changes, beside a mapping: collectives that the mapping has are
 * there already, others have all of their latency. */
dsm__reductions dsm__reductions_beside(const dsm__collectives *collectives);

/** Finds the fastest mapping without preloading; its graphs are given back at once. False if out of
 * memory. */
bool dsm__problem_find_mapping(dsm__problem *problem, dsm__graph_answer *answer,
                               dsm__decisions *decisions);

#endif
