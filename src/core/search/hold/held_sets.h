/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_sets.h: which outputs can be held on chip, sets of them (section 7), and when two sets are
 * the same to all later layers. */
#ifndef DSM_SEARCH_HOLD_HELD_SETS_H
#define DSM_SEARCH_HOLD_HELD_SETS_H

#include "base/arena.h"
#include "dsm/workload.h"

/** A set of held tensors; each has a bit of its own while it lives. */
typedef uint64_t dsm__held_set;

enum { DSM__SET_BITS = 64 };

/** The number of the lowest bit of a set that is not empty. */
static inline unsigned dsm__held_bit(dsm__held_set set) {
  unsigned bit = 0;
  while ((set >> bit & 1U) == 0) {
    bit++;
  }
  return bit;
}

typedef struct dsm__held_life {
  bool is_holdable;          /**< the layer's output */
  dsm__held_set own;         /**< its bit, 0 if it is not holdable */
  bool can_input_be_held;    /**< all producers are holdable */
  dsm__held_set producers;   /**< their bits */
  bool can_shortcut_be_held; /**< likewise */
  dsm__held_set shortcuts;
  dsm__held_set ending; /**< tensors whose last use is this layer */
  bool is_crossed;      /**< some holdable tensor lives before and while the layer runs */
} dsm__held_life;

typedef struct dsm__held_lives {
  dsm__held_life *layers; /**< of each layer */
  size_t *first_user; /**< users[first_user[i] .. first_user[i + 1]) use the output of layer i */
  size_t *users;      /**< as input or shortcut, in order of execution; a layer may occur twice */
  bool is_any_holdable;
  bool is_cut; /**< more tensors live at once than a set has bits: some are left out */
} dsm__held_lives;

/** Derives the lives; false if out of memory. O(layers + uses). */
bool dsm__held_lives_derive(dsm__held_lives *lives, const dsm_workload *workload,
                            dsm__arena *arena);

enum { DSM__NEEDS_MAX = 1024 };

/** What layers from a boundary on ask of the tensors that live across it. */
typedef struct dsm__held_future {
  dsm__held_set needs[DSM__NEEDS_MAX]; /**< inputs and shortcuts to come, as far as made */
  bool is_input[DSM__NEEDS_MAX];       /**< some input has this need */
  size_t need_count;
  bool is_known;                    /**< false: too much to ask; all tensors count as active */
  dsm__held_set previous;           /**< the output of the layer before the boundary */
  dsm__held_set live;               /**< bits of tensors that live across the boundary */
  size_t owner[DSM__SET_BITS];      /**< the layer that made the tensor of a live bit */
  size_t last_use[DSM__SET_BITS];   /**< of that tensor */
  uint64_t elements[DSM__SET_BITS]; /**< of that tensor */
} dsm__held_future;

/** Looks at what comes from a boundary (that before layer `boundary`) on. Boundaries are to be
 * visited in order, from 1. looked_at[layer_count] is scratch, zero at first. */
void dsm__held_future_derive(dsm__held_future *future, const dsm_workload *workload,
                             const dsm__held_lives *lives, size_t boundary, size_t *looked_at);

/** The active part of a set. */
dsm__held_set dsm__held_active_part(const dsm__held_future *future, dsm__held_set set);

/** The part of a set that a layer to come could find as (part of) its input, all of it being held.
 */
dsm__held_set dsm__held_input_part(const dsm__held_future *future, dsm__held_set set);

/** Are two sets with the same active part alike to all later layers? */
bool dsm__held_sets_are_alike(const dsm__held_future *future, dsm__held_set active, dsm__held_set a,
                              dsm__held_set b);

#endif
