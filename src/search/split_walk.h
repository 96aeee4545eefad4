/* SPDX-License-Identifier: GPL-3.0-or-later */
/* split_walk.h: the candidates among the core splits of an invocation, of which whole families are
 * passed over that cannot matter; and those of which one is the fastest, whatever is held. */
#ifndef DSM_SEARCH_SPLIT_WALK_H
#define DSM_SEARCH_SPLIT_WALK_H

#include "plan/core_splits.h"

/** What an invocation's time takes of a core split. */
typedef struct dsm__split_needs {
  double primary_cycles;
  double kernel_bytes; /**< of a core; at least what is one tile in any room, see below */
  double moving_bytes; /**< likewise */
  double sum_cycles;   /**< partial sums and sums of statistics */
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

/** Total cycles of an invocation with what a split needs, where nothing held has a layout: that of
 * dsm_invocation_score, but for rounding. With needs from below, a bound from below. */
double dsm__needs_total(const dsm_pass_work *work, const dsm__split_needs *needs);

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

#endif
