/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * split_walk.h: the candidates among the core splits of an invocation, of which whole families are
 * passed over that cannot matter.
 *
 * All that an invocation's time takes of its core split, whatever is held and however much room is
 * left, are four numbers (section 5 and 6): the cycles of the arrays; the bytes of a core's kernel
 * and of the features that move past it, which fall into tiles; and the cycles of sums among the
 * cores. Time never falls where one of them rises. So a family of splits whose numbers are known
 * from below is bounded by the time of these; and of two splits the one that needs no less of
 * anything is no faster.
 *
 * Families are those splits that agree in the parts of the kernel positions and of the features
 * that are summed up; what is left of the cores is shared by the other three loops. Where features
 * produced are given too, positions and samples share the rest, and mostly only the pair counts
 * with which the arrays take least: nothing but their cycles tells one pair from the other.
 */
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

#endif
