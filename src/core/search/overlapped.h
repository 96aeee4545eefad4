/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlapped.h: mappings where sums of gradients hide behind what is computed (section 13,
 * model.overlapped_reduction). */
#ifndef DSM_SEARCH_OVERLAPPED_H
#define DSM_SEARCH_OVERLAPPED_H

#include "search/problem.h"

enum { DSM__ENDS_MAX = 3 };

/** A mean of ends of a step, none of which is later than the step's: that of sums of so many first
 * layers, which begin when the last of these is updated; of no layers, that of all computing. */
typedef struct dsm__counted {
  size_t count;                  /**< 1 to DSM__ENDS_MAX */
  size_t layers[DSM__ENDS_MAX];  /**< ascending; the first is dsm__least_counted's */
  double weights[DSM__ENDS_MAX]; /**< 1 together */
} dsm__counted;

/** Do sums of gradients hide behind what is computed? */
bool dsm__problem_is_overlapped(const dsm__problem *problem);

/** The end of all computing, with the first layer's sum if nothing is computed after its update. */
dsm__counted dsm__least_counted(const dsm__problem *problem);

/** Lets all count with the weights that it has in the mean, so that no mapping takes less than the
 * graph says; NULL: all in full, as if nothing hid. What is shared counts as little as it can in
 * any mapping. */
void dsm__problem_count(dsm__problem *problem, const dsm__counted *counted);

/** Do sums and ways back of all layers count? */
bool dsm__problem_counts_all(const dsm__problem *problem);

/** Do some passes count less than they take? Then a mapping is known by its mean of ends. */
static inline bool dsm__problem_is_weighed(const dsm__problem *problem) {
  return problem->inputs.zone_count > 0 && problem->inputs.hidden_moves > 0;
}

/** One search with what counts: a plan, if one is found that may be faster than what is known,
 * maybe a slower one (else NULL), and what no mapping is faster than in that graph. */
typedef dsm_status dsm__counted_finder(const dsm__problem *problem, const dsm__counted *counted,
                                       double known_cost, dsm_plan **plan, dsm_plan **slower,
                                       double *bound_cycles, dsm_diags *diags);

/** Finds a plan that is faster than a limit by several such searches, and what no mapping is faster
 * than. */
dsm_status dsm__overlapped_search(const dsm__problem *problem, dsm__counted_finder *find,
                                  double cost_limit, dsm_plan **plan, double *bound_cycles,
                                  dsm_diags *diags);

#endif
