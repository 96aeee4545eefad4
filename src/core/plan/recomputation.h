/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recomputation.h: which layers run their forward pass again, where that is asked for
 * (section 12). */
#ifndef DSM_PLAN_RECOMPUTATION_H
#define DSM_PLAN_RECOMPUTATION_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/plan.h"

extern const dsm__words dsm__recomputation_words;

/** Is it said of each layer whether its forward pass runs again? */
static inline bool dsm__is_recomputation_fixed(dsm_recomputation asked) {
  return asked != DSM_RECOMPUTATION_BEST && asked != DSM_RECOMPUTATION_BY_OPERATION;
}

/** May a layer keep what its product makes, and make its operations anew? */
static inline bool dsm__may_keep_products(dsm_recomputation asked) {
  return asked >= DSM_RECOMPUTATION_OPERATIONS;
}

/** Does training keep anything for a layer's operations, whatever the model counts? */
bool dsm__has_operations(const dsm_layer *layer);

/** What of a layer is made anew. */
typedef enum dsm__again {
  DSM__AGAIN_NOTHING = 0,
  DSM__AGAIN_INSIDE,     /**< but an output with which its segment ends */
  DSM__AGAIN_ALL,        /**< that too, as the segment goes on */
  DSM__AGAIN_OPERATIONS, /**< all but what its product makes */
  DSM__AGAIN_COUNT
} dsm__again;

/** What decisions have it make anew. */
static inline dsm__again dsm__again_of(const dsm_layer_decisions *decisions) {
  return !decisions->is_recomputed         ? DSM__AGAIN_NOTHING
         : decisions->is_product_kept      ? DSM__AGAIN_OPERATIONS
         : decisions->is_output_recomputed ? DSM__AGAIN_ALL
                                           : DSM__AGAIN_INSIDE;
}

/** Of each layer what is asked for; of BEST and NONE nothing is. NULL if out of memory. */
dsm__again *dsm__recomputed_layers(const dsm_workload *workload, dsm_recomputation asked,
                                   dsm__arena *arena);

/** What a plan is asked for, where its layers agree with that; of one that does not the best of
 * what it may have. */
dsm_recomputation dsm__recomputation_of(const dsm_plan *plan, dsm_recomputation asked);

#endif
