/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_search.h: the candidates among the core splits of an invocation, of which whole families
 * are passed over that cannot matter; those of which one is the fastest, whatever is held; and the
 * best of a layer's invocations and passes. */
#ifndef DSM_SEARCH_LAYER_SEARCH_H
#define DSM_SEARCH_LAYER_SEARCH_H

#include "model/equations.h"
#include "plan/core_splits.h"
#include "plan/holding.h"

/** What an invocation's time takes of a core split. */
typedef struct dsm__split_needs {
  double primary_cycles;
  double kernel_bytes; /**< of a core; at least what is one tile in any room, see below */
  double moving_bytes; /**< likewise */
  double error_bytes;  /**< in update, of the output's error, where links carry what a core needs */
  double sum_cycles;   /**< partial sums and sums of statistics */
  dsm__core_extents extents; /**< with model.tiling "blocked", where the kernel is not one tile in
                                  any room; else 0 */
} dsm__split_needs;

/** A core split and what it needs. */
typedef struct dsm__needy_split {
  dsm_loops split;
  dsm__split_needs needs;
} dsm__needy_split;

/** What is looked for. */
typedef struct dsm__split_visitor {
  /** Can all splits that need no less of anything be passed over? */
  bool (*is_hopeless)(void *context, const dsm__split_needs *least);
  /** A candidate. */
  void (*visit)(void *context, const dsm__needy_split *one);
  void *context;
  bool are_all_wanted; /**< also pairs for positions and samples that keep the arrays longer than
                            another one does, with all else equal */
  size_t visits_max;   /**< 0: no limit */
} dsm__split_visitor;

/** Visits the candidates (section 3) of an invocation; how many splits were looked at. */
uint64_t dsm__splits_walk(const dsm_pass_work *work, const dsm__core_splits *splits,
                          const dsm__split_visitor *visitor);

/** Total of an invocation with what a split needs, where nothing held has a layout: that of
 * dsm_invocation_score, but for rounding. With needs from below, a bound from below. On a weighed
 * machine this is a price, and so are the totals of all that is found here. */
double dsm__needs_total(const dsm_pass_work *work, const dsm__split_needs *needs);

/** What an invocation takes at least, whatever its core split, as if the cores shared all evenly;
 * nothing held has a layout. */
double dsm__least_needs_total(const dsm_pass_work *work);

/** Candidates that need something less than each other one. */
typedef struct dsm__split_front {
  dsm__needy_split *items; /**< by sums, ascending */
  size_t count;
  size_t capacity;
  bool is_out_of_memory;
} dsm__split_front;

/**
 * Finds the front of an invocation, in place of what the front was before; how many splits were
 * looked at. It is the same whatever is held, whatever room is left and whatever part of the
 * weights is on chip: all candidates that are left out need no less than one that is there, so that
 * they are no faster. Where the kernel has to stay over timesteps, that one stays if they do.
 */
uint64_t dsm__split_front_find(dsm__split_front *front, const dsm_pass_work *work,
                               const dsm__core_splits *splits);
void dsm__split_front_fini(dsm__split_front *front);

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
  double cycles;         /**< of all its invocations in a step */
  bool is_kernel_kept;   /**< steady invocations follow the first */
  double first_cycles;   /**< of one invocation of the first kind */
  double later_cycles;   /**< of one invocation of the last kind, but for hoisted ones, */
  double hoisted_cycles; /**< all of which take so much */
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

/** What a pass takes at least, whatever the splits of its invocations, in a time that does not
 * depend on how many there are. */
double dsm__pass_floor(const dsm__layer_setting *setting, dsm_pass pass,
                       dsm_parallelism parallelism, bool may_keep_kernel);

#endif
