/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cases.h: a search case by case, best first.
 *
 * A case is a set of answers with a bound, which none of them is better than; less is better. A
 * look closes a case, or divides it into cases that together have all of its answers, each with a
 * bound of its own or its parent's. So every answer is in an open or a closed case, and the least
 * of their bounds holds for all answers, whenever the search ends. The search keeps the best
 * answer; it ends when no open case can improve on it enough. Each look closes or divides a case,
 * or raises what is known of it, so that the search ends. Next comes the open case of the least
 * bound, of these of the least rank, of these the first.
 */
#ifndef DSM_BASE_CASES_H
#define DSM_BASE_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/growing_list.h"

/** The first member of what a search knows of a case. */
typedef struct dsm__open_case {
  double bound; /**< may rise while the case is open, also while another one is looked at */
  double rank;
} dsm__open_case;

typedef struct dsm__cases {
  dsm__arena *arena;                /**< in which the cases are */
  DSM__LIST(dsm__open_case *) open; /**< in the order in which they were opened */
  double closed_bound;              /**< the least of those that are closed; infinite at first */
} dsm__cases;

/** What becomes of a case that is looked at. */
typedef enum dsm__looked {
  DSM__LOOK_FAILED,  /**< out of memory: the search ends */
  DSM__LOOK_CLOSED,  /**< no answer in it is below its bound; it is not looked at again */
  DSM__LOOK_DIVIDED, /**< its parts were opened */
  DSM__LOOK_OPEN,    /**< it stays, and its bound, or what else is known, is more */
} dsm__looked;

/** A kind of cases. */
typedef struct dsm__case_kind {
  /** Looks at the case that comes next, which is open until this ends. */
  dsm__looked (*look)(void *context, dsm__open_case *one);
  /** Is the search done, where `bound` is the least of all open cases? Because nothing better is
   * worth a look, or because a limit of time, memory or looks is reached. */
  bool (*is_done)(const void *context, double bound);
} dsm__case_kind;

/** Without a case. */
dsm__cases dsm__cases_begin(dsm__arena *arena);

/** Opens a copy of what begins with a dsm__open_case. The copy; NULL if out of memory. */
void *dsm__cases_open(dsm__cases *cases, const void *one, size_t size);

/** Looks at cases until that is done or none is open. False if out of memory. */
bool dsm__cases_search(dsm__cases *cases, const dsm__case_kind *kind, void *context);

/** A bound of all answers: the least of all open and closed cases; infinite where there is none, or
 * all are closed without a better answer. */
double dsm__cases_bound(const dsm__cases *cases);

#endif
