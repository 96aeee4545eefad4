/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_search.h: the best core split of a layer, pass and parallelism. */
#ifndef DSM_SEARCH_LAYER_SEARCH_H
#define DSM_SEARCH_LAYER_SEARCH_H

#include "dsm/model.h"
#include "plan/core_splits.h"

typedef struct dsm__best_split {
  dsm_loops split;
  dsm_invocation_cost cost;
  uint64_t evaluations; /**< calls of the model */
} dsm__best_split;

/**
 * The split of least total cycles; among equals (tolerance.h) of least primary cycles, then of
 * least s_in + s_out + kcore, then the lexicographically first (section 3). Candidates are the
 * valid splits, or all of them where none is valid. `totals` is scratch for splits->count numbers.
 */
dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     double *totals);

#endif
