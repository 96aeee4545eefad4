/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_sets.h: when two sets of held tensors are the same to all later layers.
 *
 * Later layers ask of a set (section 7): is all of my input held, is all of my shortcut held; how
 * many elements are held while I run; is the output of the layer before me held? A held tensor is
 * *active* while some layer to come could still find all of its input, or all of its shortcut, held
 * because of it; otherwise only its elements count, until its last use. So two sets with the same
 * active tensors, whose other tensors have the same elements for every last use, answer all later
 * questions alike whatever is decided later; and what is held may then be decided alike. A state is
 * kept for one of them only: the cheaper way to it is as good for all that follows. (Whether the
 * output of the layer just run is held decides what the next layer writes: those sets are told
 * apart by that, too.)
 *
 * In a densely connected network this leaves the number of held tensors instead of all subsets.
 */
#ifndef DSM_SEARCH_HOLD_HELD_SETS_H
#define DSM_SEARCH_HOLD_HELD_SETS_H

#include "search/hold/held_lives.h"

enum { DSM__SET_BITS = 64, DSM__NEEDS_MAX = 1024 };

/** What layers from a boundary on ask of the tensors that live across it. */
typedef struct dsm__future {
  dsm__held_set needs[DSM__NEEDS_MAX]; /**< inputs and shortcuts to come, as far as made */
  bool is_input[DSM__NEEDS_MAX];       /**< some input has this need */
  size_t need_count;
  bool is_known;                    /**< false: too much to ask; all tensors count as active */
  dsm__held_set previous;           /**< the output of the layer before the boundary */
  dsm__held_set live;               /**< bits of tensors that live across the boundary */
  size_t owner[DSM__SET_BITS];      /**< the layer that made the tensor of a live bit */
  size_t last_use[DSM__SET_BITS];   /**< of that tensor */
  uint64_t elements[DSM__SET_BITS]; /**< of that tensor */
} dsm__future;

/** Looks at what comes from a boundary (that before layer `boundary`) on. Boundaries are to be
 * visited in order, from 1. looked_at[layer_count] is scratch, zero at first. */
void dsm__future_derive(dsm__future *future, const dsm_workload *workload, const dsm__lives *lives,
                        size_t boundary, size_t *looked_at);

/** The active part of a set. */
dsm__held_set dsm__active_part(const dsm__future *future, dsm__held_set set);

/** The part of a set that a layer to come could find as (part of) its input, all of it being held.
 */
dsm__held_set dsm__input_part(const dsm__future *future, dsm__held_set set);

/** Are two sets with the same active part alike to all later layers? */
bool dsm__sets_are_alike(const dsm__future *future, dsm__held_set active, dsm__held_set a,
                         dsm__held_set b);

#endif
