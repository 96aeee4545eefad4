/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlapped.h: mappings where sums of gradients hide behind what is computed (section 13,
 * model.overlapped_reduction). */
#ifndef DSM_SEARCH_OVERLAPPED_H
#define DSM_SEARCH_OVERLAPPED_H

#include "search/problem.h"

/** So many first layers: all of them. */
#define DSM__ALL_LAYERS SIZE_MAX

/** Do sums of gradients hide behind what is computed? */
bool dsm__problem_is_overlapped(const dsm__problem *problem);

/** First layers of which sums and ways back show in any mapping: the very first, if nothing is
 * computed after its update. */
size_t dsm__shown_layers(const dsm__problem *problem);

/** Of so many first layers they count at first, so that the graph says a bound; of a network whose
 * sums do not hide, of all. */
size_t dsm__first_layers(const dsm__problem *problem);

/** Lets sums and ways back of the first layers count, and those of others take no time. What is
 * shared counts as little as it can in any mapping: with those that show no mapping takes less than
 * the graph says. */
void dsm__problem_count_reductions(dsm__problem *problem, size_t layer_count);

/** The same, or with DSM__ALL_LAYERS all of them: of what is shared each layer pays the least that
 * it can. */
void dsm__problem_count_least(dsm__problem *problem, size_t layer_count);

/** Do sums and ways back of all layers count? */
bool dsm__problem_counts_all(const dsm__problem *problem);

/** Up to which layer sums of gradients decide when a plan's step ends: those of later layers end
 * while layers that they do not wait for compute. */
size_t dsm__critical_layers(const dsm_plan *plan);

/** One search, in which sums and ways back of so many first layers count: a plan, if it is faster
 * than what is known (NULL: none is), and what no mapping is faster than in that graph. */
typedef dsm_status dsm__counted_finder(dsm__problem *problem, size_t layers, double known_cycles,
                                       dsm_plan **plan, double *bound_cycles, dsm_diags *diags);

/** Finds a plan that is faster than a limit by several such searches, and what no mapping is faster
 * than. */
dsm_status dsm__overlapped_search(dsm__problem *problem, dsm__counted_finder *find,
                                  double limit_cycles, dsm_plan **plan, double *bound_cycles,
                                  dsm_diags *diags);

#endif
