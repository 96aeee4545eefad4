/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cases.h: a search case by case, best first.
 *
 * A case is a set of answers with a bound, which none of them is better than; less is better.
 * Looked at, it is closed, or divided into cases that have all of its answers together. So every
 * answer is in a case that is open or closed, and none is better than the least bound of these,
 * whenever the search ends. It ends where the least bound of the open ones is good enough: then all
 * are. Next comes the open case of the least bound, of these of the least rank, of these the first.
 */
#ifndef DSM_BASE_CASES_H
#define DSM_BASE_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/growing_list.h"

/** The first member of what a search knows of a case. */
typedef struct dsm__open_case {
  double bound; /**< may rise while the case is open, whichever is looked at */
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
  DSM__LOOK_CLOSED,  /**< none of its answers is below its bound, and no better one is looked for */
  DSM__LOOK_DIVIDED, /**< its parts were opened */
  DSM__LOOK_OPEN,    /**< it stays, and its bound, or what else is known, is more */
} dsm__looked;

/** A kind of cases. */
typedef struct dsm__case_kind {
  /** Looks at the case that comes next, which is open until this ends. */
  dsm__looked (*look)(void *context, dsm__open_case *one);
  /** Need no case be looked at where none that is open has a lower bound: as no better answer is
   * worth looking for, or as the time, the memory or what else has a limit is over? */
  bool (*is_done)(const void *context, double bound);
} dsm__case_kind;

/** Opens a copy of what begins with a dsm__open_case. The copy; NULL if out of memory. */
void *dsm__cases_open(dsm__cases *cases, const void *one, size_t size);

/** Looks at cases until that is done or none is open. False if out of memory. */
bool dsm__cases_search(dsm__cases *cases, const dsm__case_kind *kind, void *context);

/** What no answer is better than; infinite: there is no case. */
double dsm__cases_bound(const dsm__cases *cases);

#endif
