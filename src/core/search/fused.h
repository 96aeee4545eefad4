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

/** How much counts of a collective's latency at least, whichever layers are in it. */
double dsm__counted_latency(const dsm__problem *problem);

/** The search that is asked with what layers pay. */
typedef struct dsm__fused_finder {
  /** Finds the fastest mapping with the problem's reductions; paths beyond the limit need not be
   * found. Decisions are in the problem's lasting arena. False if out of memory. */
  bool (*find)(const dsm__problem *problem, const void *context, double cost_limit,
               dsm__graph_answer *answer, dsm__decisions *decisions);
  const void *context;
  int searches_max;         /**< what is left open then is a gap */
  uint64_t evaluations_max; /**< no search begins behind so many, */
  uint64_t edges_max;       /**< or behind so many of graphs of roles */
  double enough;            /**< a bound is, that is so much of what the best takes */
} dsm__fused_finder;

enum { DSM__FUSED_SEARCHES_MAX = 32 };

/** Finds the fastest mapping by several searches; none that is slower than the limit need be looked
 * for. The decisions, and what they take with what is proven; not feasible: what the first search
 * says of it. False if out of memory. */
bool dsm__fused_search(const dsm__problem *problem, const dsm__fused_finder *finder,
                       double cost_limit, dsm__graph_answer *answer, dsm__decisions *decisions);

/** What another way to run a layer changes, beside a mapping: collectives that the mapping has are
 * there already, others have all of their latency. */
dsm__reductions dsm__reductions_beside(const dsm__collectives *collectives);

/** Finds the fastest mapping without preloading, whatever the limit; its graphs are given back at
 * once. False if out of memory. */
bool dsm__problem_find_mapping(const dsm__problem *problem, const void *context, double cost_limit,
                               dsm__graph_answer *answer, dsm__decisions *decisions);

#endif
