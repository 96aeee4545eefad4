/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_profiles.h: what passes cost with their core splits, as far as layouts of held tensors can
 * make a split the best (section 7, model.layout_move "exact"). */
#ifndef DSM_SEARCH_LAYOUT_PROFILES_H
#define DSM_SEARCH_LAYOUT_PROFILES_H

#include "search/variants.h"

/** A core split that is the best of an invocation for some layouts. */
typedef struct dsm__useful_split {
  double cycles; /**< of the invocation, nothing moving */
  dsm_loops split;
} dsm__useful_split;

/** Invocations of one kind. */
typedef struct dsm__profile_part {
  double count;
  double output_move_cycles; /**< of an invocation that does not fit the output; 0: not touched */
  double input_move_cycles;  /**< likewise, where no producer's output fits */
  dsm__useful_split *splits; /**< by cycles, ascending */
  size_t split_count;
} dsm__profile_part;

/** A pass. */
typedef struct dsm__profile {
  dsm__profile_part parts[DSM_INVOCATION_KINDS_MAX];
  unsigned part_count;
} dsm__profile;

typedef struct dsm__profiles {
  dsm__profile *items; /**< of each variant */
  size_t count;
  uint64_t evaluations;
} dsm__profiles;

/**
 * The useful splits of all variants, on up to thread_count threads; false if out of memory. To be
 * freed with dsm__profiles_fini in either case. A split is useless if it costs more than the
 * cheapest one with all its moves; or if another one costs no more and fits whatever it fits.
 */
bool dsm__profiles_score(dsm__profiles *profiles, const dsm__variants *variants,
                         size_t thread_count);
void dsm__profiles_fini(dsm__profiles *profiles);

/** Cycles that layouts add to a pass over a step, for each of `count` layouts of the output: with
 * the best splits for them, against the best splits of all. Those of the input are in `layouts`;
 * `least` is scratch for `count` numbers. */
void dsm__profile_extras(const dsm__profile *profile, const dsm_held_layouts *layouts,
                         const dsm_core_layout *outputs, size_t count, double *least,
                         double *extras);

#endif
