/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_splits.h: all ways to split five loops over the cores of a chip (section 3). */
#ifndef DSM_PLAN_CORE_SPLITS_H
#define DSM_PLAN_CORE_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/model.h"

/** A divisor of a number and what is left of the number, as indices into the list of divisors. */
typedef struct dsm__divisor_pair {
  uint16_t divisor;
  uint16_t rest;
} dsm__divisor_pair;

/** The divisors of the core count. */
typedef struct dsm__divisors {
  const uint64_t *items; /**< ascending */
  size_t count;
  const uint16_t *codes; /**< of each divisor: see dsm__fit_code */
  uint64_t guards;
  const dsm__divisor_pair *pairs; /**< those of each divisor, one divisor after the other */
  const size_t *first_pair;       /**< of each divisor, by its divisor ascending; and the end */
} dsm__divisors;

/**
 * Up to four divisors of the core count as one number, so that whether each of them divides another
 * one is a matter of one subtraction (dsm__fits): the exponents of the primes stand side by side,
 * each below a guard bit that is 0. No number up to 2^20 needs more than 15 bits for that
 * (720,720 = 2^4 * 3^2 * 5 * 7 * 11 * 13 does: 4 + 3 + 4 * 2), so that there are 16 for each.
 */
uint64_t dsm__fit_code(const dsm__divisors *divisors, const uint64_t parts[4]);

/** Does each of the first divide its counterpart? Then no difference of two exponents borrows from
 * the guard above it. */
static inline bool dsm__fits(const dsm__divisors *divisors, uint64_t code, uint64_t of) {
  return (((of | divisors->guards) - code) & divisors->guards) == divisors->guards;
}

/** Every k = (k_in, k_out, k_ij, k_kij, k_mb) whose product is the core count, in order. */
typedef struct dsm__core_splits {
  dsm_loops *items; /**< lexicographic */
  size_t count;
  dsm__divisors divisors;
  size_t visits_max; /**< of the candidates a search looks at so many; 0: at all */
} dsm__core_splits;

/** Enumerates; false if out of memory. The list belongs to the arena. */
bool dsm__core_splits_enumerate(dsm__core_splits *splits, uint64_t cores, dsm__arena *arena);

/** Does any split divide the share's loops validly? Where not, every split is a candidate. */
bool dsm__core_splits_any_valid(const dsm__core_splits *splits, const dsm_chip_share *share);

/** The most parts that a candidate has of each loop. Of many splits it is read but once. */
typedef struct dsm__parts_limit {
  uint64_t most[DSM_DIM_COUNT];
} dsm__parts_limit;

/** Those of the candidates: the valid splits, or all where none is valid. */
dsm__parts_limit dsm__candidate_parts(const dsm__core_splits *splits, const dsm_chip_share *share);

static inline bool dsm__is_within_parts(const dsm__parts_limit *limit, const dsm_loops *split) {
  /* Kernel positions first: they are few, so that most of what is invalid is told by them. */
  return split->n[DSM_DIM_KIJ] <= limit->most[DSM_DIM_KIJ] &&
         split->n[DSM_DIM_MB] <= limit->most[DSM_DIM_MB] &&
         split->n[DSM_DIM_IN] <= limit->most[DSM_DIM_IN] &&
         split->n[DSM_DIM_OUT] <= limit->most[DSM_DIM_OUT] &&
         split->n[DSM_DIM_IJ] <= limit->most[DSM_DIM_IJ];
}

#endif
