/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cut.h: parts of a chain for the devices of a pipeline, and chains of several micro-batches. */
#ifndef DSM_REMAT_CUT_H
#define DSM_REMAT_CUT_H

#include "chain/chain.h"

/** Cuts a chain into consecutive parts, none of them empty, of which the longest takes least time;
 * firsts[0 .. parts) are their first stages. False if out of memory. */
bool dsm__remat_cut(const dsm_remat_chain *chain, size_t parts, size_t *firsts);

/** Stages first .. first + count - 1 as a chain of their own. */
dsm_remat_chain dsm__remat_part(const dsm_remat_chain *chain, size_t first, size_t count);

/** Place of a micro-batch's first stage in dsm__remat_repeated. */
static inline size_t dsm__remat_repeated_first(const dsm_remat_chain *part, size_t micro_batch) {
  return micro_batch * (part->stage_count + 1);
}

/**
 * A chain of several micro-batches of a part, each of which but the first has a stage before it
 * that stands for its input: it takes no time, may not run twice, and its output is that input. The
 * output of a micro-batch goes to the next device. NULL if out of memory.
 */
dsm_remat_chain *dsm__remat_repeated(const dsm_remat_chain *part, size_t micro_batches,
                                     dsm__arena *arena);

#endif
