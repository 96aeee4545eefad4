/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranking.h: core splits in ascending order of a bound, of which often only the first are asked
 * for. */
#ifndef DSM_SEARCH_RANKING_H
#define DSM_SEARCH_RANKING_H

#include <stddef.h>

/** A core split and what an invocation with it costs at least, whatever is held. */
typedef struct dsm__ranked_split {
  double bound;
  size_t split; /**< decides between equal bounds */
} dsm__ranked_split;

typedef struct dsm__ranking {
  dsm__ranked_split *items; /**< borrowed: the first `sorted`, in order, then a heap of the others
                                 whose root is the last */
  size_t count;
  size_t sorted;
} dsm__ranking;

/** Ranks items[0 .. count), in any order. O(count). */
dsm__ranking dsm__ranking_of(dsm__ranked_split *items, size_t count);

/** Number `index` (below count) in the order. O(log count) for each that is new. */
const dsm__ranked_split *dsm__ranking_at(dsm__ranking *ranking, size_t index);

#endif
