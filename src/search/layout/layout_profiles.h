/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_profiles.h: what passes cost with their core splits, as far as layouts of held tensors can
 * make a split the best (section 7, model.layout_move "exact"). */
#ifndef DSM_SEARCH_LAYOUT_LAYOUT_PROFILES_H
#define DSM_SEARCH_LAYOUT_LAYOUT_PROFILES_H

#include "search/variants.h"

/** A core split that is the best of an invocation for some layouts. */
typedef struct dsm__useful_split {
  double cycles; /**< of the invocation, nothing moving */
  dsm_loops split;
  uint64_t output_code; /**< what it has to divide of the output's layout (dsm__fit_code) */
  uint64_t input_code;  /**< likewise of an input's */
} dsm__useful_split;

/** A layout as its code. */
static inline uint64_t dsm__layout_code(const dsm__divisors *divisors,
                                        const dsm_core_layout *layout) {
  const uint64_t parts[4] = {layout->features, layout->ij, layout->mb, 1};
  return dsm__fit_code(divisors, parts);
}

/** What a layer reads of what is held. */
typedef struct dsm__read_layout {
  uint64_t code;
  uint64_t elements; /**< of the tensor */
} dsm__read_layout;

typedef struct dsm__read_layouts {
  const dsm__read_layout *items;
  size_t count;
} dsm__read_layouts;

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
 * cheapest one with all its moves; if it adds more than `slack_cycles` over a step; or if another
 * one costs no more and fits whatever it fits. Once the time is over, what is left has no splits.
 */
bool dsm__profiles_score(dsm__profiles *profiles, const dsm__variants *variants,
                         double slack_cycles, size_t thread_count);
void dsm__profiles_fini(dsm__profiles *profiles);

/** Layouts that a pass touches. */
typedef struct dsm__touched_layouts {
  const dsm__divisors *divisors; /**< of which they are codes */
  dsm__read_layouts inputs;
  const uint64_t *outputs; /**< different ones for the layer's output */
  size_t output_count;
} dsm__touched_layouts;

/** Cycles that layouts add to a pass over a step, for each layout of the output: with the best
 * splits for them, against the best splits of all. What is more than `most` may be anything above
 * it. `least` is scratch for as many numbers. */
void dsm__profile_extras(const dsm__profile *profile, const dsm__touched_layouts *touched,
                         double most, double *least, double *extras);

#endif
