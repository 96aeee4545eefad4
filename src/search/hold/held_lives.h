/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_lives.h: which outputs can be held on chip, and sets of them (section 7). */
#ifndef DSM_SEARCH_HOLD_HELD_LIVES_H
#define DSM_SEARCH_HOLD_HELD_LIVES_H

#include "base/arena.h"
#include "dsm/workload.h"

/** A set of held tensors; each has a bit of its own while it lives. */
typedef uint64_t dsm__held_set;

typedef struct dsm__life {
  bool is_holdable;          /**< the layer's output */
  dsm__held_set own;         /**< its bit, 0 if it is not holdable */
  bool can_input_be_held;    /**< all producers are holdable */
  dsm__held_set producers;   /**< their bits */
  bool can_shortcut_be_held; /**< likewise */
  dsm__held_set shortcuts;
  dsm__held_set ending; /**< tensors whose last use is this layer */
  bool is_crossed;      /**< some holdable tensor lives before and while the layer runs */
} dsm__life;

typedef struct dsm__lives {
  dsm__life *layers;  /**< of each layer */
  size_t *first_user; /**< users[first_user[i] .. first_user[i + 1]) use the output of layer i */
  size_t *users;      /**< as input or shortcut, in order of execution; a layer may occur twice */
  bool is_any_holdable;
  bool is_cut; /**< more tensors live at once than a set has bits: some are left out */
} dsm__lives;

/** Derives the lives; false if out of memory. O(layers + uses). */
bool dsm__lives_derive(dsm__lives *lives, const dsm_workload *workload, dsm__arena *arena);

/** Why a layer's output cannot be held, a phrase; NULL if it can. */
const char *dsm__why_not_holdable(const dsm_workload *workload, size_t layer_index);

#endif
