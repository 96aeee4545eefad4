/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_search.h: the best core splits of a layer's invocations and passes. */
#ifndef DSM_SEARCH_LAYER_SEARCH_H
#define DSM_SEARCH_LAYER_SEARCH_H

#include "plan/core_splits.h"
#include "plan/holding.h"

typedef struct dsm__best_split {
  bool is_found; /**< false: the kernel cannot stay with any split */
  dsm_loops split;
  dsm_invocation_cost cost;
  uint64_t evaluations; /**< calls of the model */
} dsm__best_split;

/**
 * The split of least total cycles; among equals (tolerance.h) of least primary cycles, then of
 * least s_in + s_out + kcore, then the lexicographically first (section 3). Candidates are the
 * valid splits, or all of them where none is valid; with `must_kernel_stay` those of them with
 * which the kernel can stay over timesteps (section 7).
 */
dsm__best_split dsm__best_split_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                     bool must_kernel_stay);

/** The least total cycles of an invocation. */
typedef struct dsm__least_total {
  bool is_found; /**< false: the kernel cannot stay with any split */
  double cycles;
  uint64_t evaluations;
} dsm__least_total;

/** What dsm__best_split_find finds, but for the split, for which more is to be looked at: of equals
 * the least. */
dsm__least_total dsm__least_total_find(const dsm_pass_work *work, const dsm__core_splits *splits,
                                       bool must_kernel_stay);

/** The best that a pass of a layer can do with one parallelism. */
typedef struct dsm__best_pass {
  double cycles;       /**< of all its invocations in a step */
  bool is_kernel_kept; /**< steady invocations follow the first */
  double first_cycles; /**< of one invocation of the first kind */
  double later_cycles; /**< of one invocation of the last kind */
  dsm_loops splits[DSM_INVOCATION_KINDS_MAX];
  uint64_t evaluations;
} dsm__best_pass;

/** Each kind of invocation at its best split. With `may_keep_kernel`, weights stay on chip over
 * timesteps where that is not slower. */
dsm__best_pass dsm__best_pass_find(const dsm__layer_setting *setting, dsm_pass pass,
                                   dsm_parallelism parallelism, bool may_keep_kernel,
                                   const dsm__core_splits *splits);
/** The same but for the splits, which are not set. */
dsm__best_pass dsm__least_pass_find(const dsm__layer_setting *setting, dsm_pass pass,
                                    dsm_parallelism parallelism, bool may_keep_kernel,
                                    const dsm__core_splits *splits);

#endif
