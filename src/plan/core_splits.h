/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_splits.h: all ways to split five loops over the cores of a chip (section 3). */
#ifndef DSM_PLAN_CORE_SPLITS_H
#define DSM_PLAN_CORE_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/model.h"

/** Every k = (k_in, k_out, k_ij, k_kij, k_mb) whose product is the core count, in order. */
typedef struct dsm__core_splits {
  dsm_loops *items; /**< lexicographic */
  size_t count;
} dsm__core_splits;

/** Enumerates; false if out of memory. The list belongs to the arena. */
bool dsm__core_splits_enumerate(dsm__core_splits *splits, uint64_t cores, dsm__arena *arena);

/** Does any split divide the share's loops validly? Where not, every split is a candidate. */
bool dsm__core_splits_any_valid(const dsm__core_splits *splits, const dsm_layer *layer,
                                const dsm_chip_share *share);

/** The most parts that a candidate has of each loop. Of many splits it is read but once. */
typedef struct dsm__parts_limit {
  uint64_t most[DSM_DIM_COUNT];
} dsm__parts_limit;

/** Those of the candidates: the valid splits, or all where none is valid. */
dsm__parts_limit dsm__candidate_parts(const dsm__core_splits *splits, const dsm_layer *layer,
                                      const dsm_chip_share *share);

static inline bool dsm__is_within_parts(const dsm__parts_limit *limit, const dsm_loops *split) {
  /* Kernel positions first: they are few, so that most of what is invalid is told by them. */
  return split->n[DSM_DIM_KIJ] <= limit->most[DSM_DIM_KIJ] &&
         split->n[DSM_DIM_MB] <= limit->most[DSM_DIM_MB] &&
         split->n[DSM_DIM_IN] <= limit->most[DSM_DIM_IN] &&
         split->n[DSM_DIM_OUT] <= limit->most[DSM_DIM_OUT] &&
         split->n[DSM_DIM_IJ] <= limit->most[DSM_DIM_IJ];
}

#endif
