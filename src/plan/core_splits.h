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

#endif
