/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain.h: chains of stages, as all of the room sees them. */
#ifndef DSM_CHAIN_CHAIN_H
#define DSM_CHAIN_CHAIN_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/remat.h"

extern const dsm__words dsm__remat_action_words;
extern const dsm__words dsm__remat_order_words;
extern const dsm__words dsm__remat_sharing_words;

/** An empty chain with an arena of its own; NULL if out of memory. */
dsm_remat_chain *dsm__remat_chain_new(void);

/** Is it a chain that there can be? DSM_ERROR_INVALID with a finding if not. */
DSM_NODISCARD dsm_status dsm__remat_chain_check(const dsm_remat_chain *chain, dsm_diags *diags);

/** Times and bytes times factors; stages with their first option alone where they are whole. Made
 * in the arena; NULL if out of memory. Names are borrowed. */
dsm_remat_chain *dsm__remat_chain_scaled(const dsm_remat_chain *chain, double time_factor,
                                         double size_factor, bool is_whole, dsm__arena *arena);

/** The same with all sizes rounded up to whole units: they become counts. */
dsm_remat_chain *dsm__remat_chain_in_units(const dsm_remat_chain *chain, double unit_bytes,
                                           bool is_whole, dsm__arena *arena);

/** The error of what stands before a stage. */
static inline double dsm__remat_error_before(const dsm_remat_chain *chain, size_t stage) {
  return stage == 0 ? chain->input_error_bytes : chain->stages[stage - 1].error_bytes;
}

/** The input of a stage. */
static inline double dsm__remat_input(const dsm_remat_chain *chain, size_t stage) {
  return stage == 0 ? chain->input_bytes : chain->stages[stage - 1].output_bytes;
}

/** The error of a stage's output while stages up to it run forward: that of the last stage is not
 * there yet. */
static inline double dsm__remat_error_waiting(const dsm_remat_chain *chain, size_t stage) {
  return stage + 1 == chain->stage_count ? 0 : chain->stages[stage].error_bytes;
}

/** The option of a stage that takes least time; of equals the one that saves least. */
size_t dsm__remat_fastest(const dsm_remat_stage *stage);

#endif
