/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_search.h: the fastest mapping in which each layer has a role along each axis, the same in
 * all passes, and nothing is held, pipelined or preloaded (section 13).
 */
#ifndef DSM_SEARCH_ROLES_ROLE_SEARCH_H
#define DSM_SEARCH_ROLES_ROLE_SEARCH_H

#include "search/problem.h"

/** Do the options ask for roles other than data and model, or for anything else that this search
 * alone decides: micro-batches, shards, layers that are made anew? */
bool dsm__problem_has_roles(const dsm__problem *problem);

/** Finds that mapping with the problem's reductions and all that tied layers exchange, its answer
 * and its decisions; an answer that is not feasible has the mapping that needs least memory. Paths
 * that take more than `cost_limit` need not be found: then the answer has infinite cost. With
 * `may_recompute` layers may be made anew. Where none fits, `answer` has a bound of what all of
 * them need. False if out of memory. */
bool dsm__role_search(const dsm__problem *problem, bool may_recompute, double cost_limit,
                      dsm__graph_answer *answer, dsm__decisions *decisions);

/** The step of the fastest such mapping in which a layer has roles, as it is predicted; 0: none is
 * within `cost_limit` and fits the memory. Leaves the problem's reductions as the search had
 * them. False if out of memory. */
bool dsm__step_with_roles(const dsm__problem *problem, const dsm__fixed_roles *fixed,
                          double cost_limit, double *step_cycles);

/** What a layer costs with its options, in a micro-batch and once a step; no option is below
 * another one. None: it has no mapping. */
typedef struct dsm__role_front {
  dsm__cost *points;
  size_t count;
} dsm__role_front;

/** What layers cost at least, at these prices, need not be known beyond so much. */
typedef struct dsm__role_enough {
  dsm__prices prices;
  double cost;
} dsm__role_enough;

/** Finds those of each layer in fronts[0 .. layer_count); once they take enough, others may have a
 * front that takes nothing. `is_rough`: of what passes take at least, whatever the core splits, in
 * a small part of the time. False if out of memory. */
bool dsm__role_fronts_find(const dsm__problem *problem, bool is_rough,
                           const dsm__role_enough *enough, dsm__role_front *fronts);

/** What a layer costs at least, at these prices; infinite: it has no mapping. */
double dsm__role_floor(const dsm__role_front *front, const dsm__prices *prices);

/** Finds of each layer in memory[0 .. layer_count) what the option that keeps least takes, with the
 * least transient bytes of all. False if out of memory. */
bool dsm__role_least_memory(const dsm__problem *problem, dsm_layer_memory *memory);

/** Memory for what layers need of a micro-batch, and for the activations of so many. */
typedef struct dsm__role_room {
  double in_flight;
  double capacity_bytes;
  const bool *is_in; /**< of each layer: does it need some of it? NULL: all do */
} dsm__role_room;

/** fits[0 .. count): is each room as large as what all mappings need at least? No core split is
 * looked at. *need_bytes: of the last room. False if out of memory. */
bool dsm__role_may_fit(const dsm__problem *problem, bool may_recompute, const dsm__role_room *rooms,
                       size_t count, double *need_bytes, bool *fits);

#endif
