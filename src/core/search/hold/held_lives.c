/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_lives.c: which outputs can be held, and from when to when they live.
 *
 * A held tensor lives from the layer that makes it to its last use. While it lives no layer may
 * have timesteps (section 7), which one sweep from the back tells. Tensors that live at once need
 * different bits of a set; a bit is free again after its tensor's last use. So 64 bits are enough
 * for any network in which at most 64 such tensors live at once, however many it has. Where more
 * do, those that come last have no bit: they are not held, and the answer gets the bound of a graph
 * in which anything may be.
 */
#include "search/hold/held_sets.h"

#include "plan/holding.h"

/* Bits of tensors that layers made; false if one of them cannot be held, or there are none. */
static bool bits_of(const dsm__held_lives *lives, const size_t *indices, size_t count,
                    dsm__held_set *bits) {
  bool are_all = count > 0;
  for (size_t i = 0; i < count; i++) {
    if (indices[i] == DSM_NETWORK_INPUT || !lives->layers[indices[i]].is_holdable) {
      are_all = false;
    } else {
      *bits |= lives->layers[indices[i]].own;
    }
  }
  return are_all;
}

/* Takes a free bit for a layer's output. */
static void take_bit(dsm__held_lives *lives, const dsm_workload *workload, size_t index,
                     dsm__held_set *taken) {
  dsm__held_life *const life = &lives->layers[index];
  for (unsigned b = 0; b < DSM__SET_BITS; b++) {
    const dsm__held_set bit = (dsm__held_set)1 << b;
    if ((*taken & bit) == 0) {
      *taken |= bit;
      life->is_holdable = true;
      life->own = bit;
      lives->layers[dsm__last_use(&workload->layers[index])].ending |= bit;
      lives->is_any_holdable = true;
      return;
    }
  }
  lives->is_cut = true;
}

/* Counts (users NULL) or lists who uses the outputs in a list. */
static void note_users(const size_t *indices, size_t count, size_t user, size_t *next,
                       size_t *users) {
  for (size_t i = 0; i < count; i++) {
    if (indices[i] != DSM_NETWORK_INPUT) {
      if (users != NULL) {
        users[next[indices[i]]] = user;
      }
      next[indices[i]]++;
    }
  }
}

static void note_all_users(const dsm_workload *workload, size_t *next, size_t *users) {
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    note_users(layer->producers, layer->producer_count, i, next, users);
    note_users(layer->shortcuts, layer->shortcut_count, i, next, users);
  }
}

static bool list_users(dsm__held_lives *lives, const dsm_workload *workload, dsm__arena *arena) {
  const size_t count = workload->layer_count;
  size_t *const next = dsm__arena_array(arena, count + 1, sizeof *next);
  if (next == NULL || !DSM__RESERVE(arena, lives->first_user, count + 1)) {
    return false;
  }
  note_all_users(workload, next, NULL);
  size_t total = 0;
  for (size_t i = 0; i <= count; i++) {
    lives->first_user[i] = total;
    total += next[i];
    next[i] = lives->first_user[i];
  }
  if (!DSM__RESERVE(arena, lives->users, total)) {
    return false;
  }
  note_all_users(workload, next, lives->users);
  return true;
}

bool dsm__held_lives_derive(dsm__held_lives *lives, const dsm_workload *workload,
                            dsm__arena *arena) {
  const size_t count = workload->layer_count;
  *lives = (dsm__held_lives){.layers = dsm__arena_array(arena, count, sizeof lives->layers[0])};
  size_t *const next_timed = dsm__arena_array(arena, count + 1, sizeof *next_timed);
  if (lives->layers == NULL || next_timed == NULL || !list_users(lives, workload, arena)) {
    return false;
  }
  next_timed[count] = count;
  for (size_t i = count; i-- > 0;) {
    next_timed[i] = workload->layers[i].timesteps > 1 ? i : next_timed[i + 1];
  }
  dsm__held_set taken = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    dsm__held_life *const life = &lives->layers[i];
    const size_t last = dsm__last_use(layer);
    life->is_crossed = taken != 0;
    life->can_input_be_held =
        bits_of(lives, layer->producers, layer->producer_count, &life->producers);
    life->can_shortcut_be_held =
        bits_of(lives, layer->shortcuts, layer->shortcut_count, &life->shortcuts);
    if (last != DSM_NEVER_USED && last < next_timed[i]) {
      take_bit(lives, workload, i, &taken);
    }
    taken &= ~life->ending;
  }
  return true;
}
