/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segments.h: where all paths of a network go through one tensor, and it can be cut in two. */
#ifndef DSM_PLAN_SEGMENTS_H
#define DSM_PLAN_SEGMENTS_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/strategy.h"
#include "dsm/workload.h"

/** A walk over the layers of a workload, the first of them first. */
typedef struct dsm__segment_walk {
  const dsm_workload *workload;
  size_t reach; /**< the last use of the network's input and of what layers before this one made */
} dsm__segment_walk;

dsm__segment_walk dsm__segments_begin(const dsm_workload *workload);

/** The same from a layer on before which a segment ends. */
dsm__segment_walk dsm__segments_begin_at(const dsm_workload *workload, size_t first);

/**
 * Does a segment end with the next layer of the walk? Then its output is the only tensor made so
 * far that anything later reads, or it is the network's last layer.
 */
bool dsm__segment_ends(dsm__segment_walk *walk, size_t index);

/**
 * May a segment that ends with a layer go on with the next one where it runs again, so that the
 * output of that layer is made anew too? Inside a repetition of a block, which names tell:
 * BLOCK.NUMBER.LAYER, as blocks are unrolled, in a plan's own network too.
 */
bool dsm__segment_may_go_on(const dsm_workload *workload, size_t index);

/**
 * Of each layer, in *is_cut: is its output the only tensor made so far, the network's input
 * included, that anything later reads? All paths go through it. False if out of memory.
 */
bool dsm__segments_find(const dsm_workload *workload, dsm__arena *arena, bool **is_cut);

extern const dsm__words dsm__stages_at_words; /**< of dsm_stages_at */

/** Does a repetition of a block begin with a layer? */
bool dsm__begins_block(const dsm_workload *workload, size_t index);

/** How many repetitions of blocks there are. */
size_t dsm__block_count(const dsm_workload *workload);

/** dsm__segments_find, but for the layers behind which no stage may begin: a first stage has what
 * stands before the first block too. */
bool dsm__stage_cuts_find(const dsm_workload *workload, dsm_stages_at stages_at, dsm__arena *arena,
                          bool **is_cut);

#endif
