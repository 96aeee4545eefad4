/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_sets.c: which outputs can be held on chip, sets of them (section 7), and when two sets are
 * the same to all later layers.
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
#include "search/hold/held_sets.h"

#include "plan/holding.h"

/* Most tensors that are looked at for one boundary. */
enum { LOOKS_MAX = 1 << 16 };

/* What a list of tensors needs of those made before the boundary; 0 if it can never be met. */
static dsm__held_set need_of(const dsm__held_lives *lives, const size_t *indices, size_t count,
                             bool can_be_held, size_t boundary) {
  dsm__held_set need = 0;
  for (size_t i = 0; can_be_held && i < count; i++) {
    need |= indices[i] < boundary ? lives->layers[indices[i]].own : 0;
  }
  return need;
}

static void add_need(dsm__held_future *future, dsm__held_set need, bool is_input) {
  for (size_t i = 0; i < future->need_count; i++) {
    if (future->needs[i] == need) {
      future->is_input[i] = future->is_input[i] || is_input;
      return;
    }
  }
  if (need == 0) {
    return;
  }
  if (future->need_count == DSM__NEEDS_MAX) {
    future->is_known = false;
    return;
  }
  future->is_input[future->need_count] = is_input;
  future->needs[future->need_count++] = need;
}

/* Takes out what ended with the layer before the boundary, takes in what it made. */
static void update_live(dsm__held_future *future, const dsm_workload *workload,
                        const dsm__held_lives *lives, size_t made) {
  const dsm__held_life *const life = &lives->layers[made];
  future->live &= ~life->ending;
  future->previous = life->own;
  if (life->own != 0) {
    const unsigned bit = dsm__held_bit(life->own);
    future->live |= life->own;
    future->owner[bit] = made;
    future->last_use[bit] = dsm__last_use(&workload->layers[made]);
    future->elements[bit] = workload->layers[made].stored_size;
  }
}

void dsm__held_future_derive(dsm__held_future *future, const dsm_workload *workload,
                             const dsm__held_lives *lives, size_t boundary, size_t *looked_at) {
  update_live(future, workload, lives, boundary - 1);
  future->need_count = 0;
  future->is_known = true;
  size_t looks = 0;
  for (unsigned bit = 0; bit < DSM__SET_BITS && future->is_known; bit++) {
    if ((future->live >> bit & 1U) == 0) {
      continue;
    }
    const size_t owner = future->owner[bit];
    for (size_t u = lives->first_user[owner]; u < lives->first_user[owner + 1]; u++) {
      const size_t user = lives->users[u];
      const dsm_layer *const layer = &workload->layers[user];
      looks++;
      if (looks > LOOKS_MAX) {
        future->is_known = false;
        break;
      }
      if (user >= boundary && looked_at[user] != boundary) {
        const dsm__held_life *const life = &lives->layers[user];
        looked_at[user] = boundary;
        looks += layer->producer_count + layer->shortcut_count;
        add_need(future,
                 need_of(lives, layer->producers, layer->producer_count, life->can_input_be_held,
                         boundary),
                 true);
        add_need(future,
                 need_of(lives, layer->shortcuts, layer->shortcut_count, life->can_shortcut_be_held,
                         boundary),
                 false);
      }
    }
  }
}

dsm__held_set dsm__held_active_part(const dsm__held_future *future, dsm__held_set set) {
  if (!future->is_known) {
    return set;
  }
  dsm__held_set active = set & future->previous;
  for (size_t i = 0; i < future->need_count; i++) {
    active |= (future->needs[i] & set) == future->needs[i] ? future->needs[i] : 0;
  }
  return active;
}

dsm__held_set dsm__held_input_part(const dsm__held_future *future, dsm__held_set set) {
  if (!future->is_known) {
    return set;
  }
  dsm__held_set part = 0;
  for (size_t i = 0; i < future->need_count; i++) {
    part |=
        future->is_input[i] && (future->needs[i] & set) == future->needs[i] ? future->needs[i] : 0;
  }
  return part;
}

/* Elements of the tensors of a set whose last use is the same as that of a bit. */
static uint64_t elements_until(const dsm__held_future *future, dsm__held_set set, size_t last_use) {
  uint64_t elements = 0;
  for (unsigned bit = 0; bit < DSM__SET_BITS; bit++) {
    if ((set >> bit & 1U) != 0 && future->last_use[bit] == last_use) {
      elements += future->elements[bit];
    }
  }
  return elements;
}

bool dsm__held_sets_are_alike(const dsm__held_future *future, dsm__held_set active, dsm__held_set a,
                              dsm__held_set b) {
  const dsm__held_set only_a = a & ~active & ~b;
  const dsm__held_set only_b = b & ~active & ~a;
  for (unsigned bit = 0; bit < DSM__SET_BITS; bit++) {
    if (((only_a | only_b) >> bit & 1U) != 0 &&
        elements_until(future, only_a, future->last_use[bit]) !=
            elements_until(future, only_b, future->last_use[bit])) {
      return false;
    }
  }
  return true;
}
