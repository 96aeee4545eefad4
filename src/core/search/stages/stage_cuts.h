/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_cuts.h: where the stages of a step begin, by dynamic programming over segments. */
#ifndef DSM_SEARCH_STAGES_STAGE_CUTS_H
#define DSM_SEARCH_STAGES_STAGE_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/interleave.h"

/** What a segment takes of its stage. */
typedef struct dsm__segment {
  double forward_cycles; /**< of a micro-batch */
  double backward_cycles;
  double update_cycles;    /**< of these, gradients of weights that are made apart */
  double once_cycles;      /**< of a step */
  double given_cycles;     /**< handing over to it, or back from it, where a stage begins, */
  double round_cycles;     /**< and so much more where it is the first one again */
  double kept_bytes;       /**< whatever is in flight */
  double activation_bytes; /**< of a micro-batch */
  double given_bytes;      /**< likewise, where a stage begins */
  double transient_bytes;
} dsm__segment;

typedef struct dsm__cutting {
  const dsm__segment *segments;
  size_t count;
  dsm__interleaving of;
  double capacity_bytes;
  const size_t *blocks_before; /**< of each segment and of the end, where all runs shall have
                                    equally many blocks; else NULL */
} dsm__cutting;

/** Fills firsts[0 .. stages * runs) with the first segments of runs that fit the memory, of which
 * the slowest is as fast as can be; among equals they are even. Where none fit firsts stays as it
 * is. False if out of memory. */
bool dsm__segments_cut_evenly(const dsm__cutting *cutting, size_t *firsts, dsm__arena *arena);

/**
 * Fills firsts[0 .. stages * runs) with the first segments of the runs of stages that fit the
 * memory. Of those whose slowest run is as fast as can be, and of those that hand over least among
 * runs up to some times as slow, the ones with the fastest schedule; then each border is moved as
 * long as that is faster still. Where all shall have equally many blocks there is one cut, or none.
 * *cycles: what a step with them takes; infinite if there are none. False if out of memory.
 */
bool dsm__segments_cut(const dsm__cutting *cutting, size_t *firsts, double *cycles,
                       dsm__arena *arena);

#endif
