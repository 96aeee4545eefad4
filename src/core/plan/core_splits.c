/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/core_splits.h"

#include <string.h>

#include "model/equations.h"

enum { DIVISORS_MAX = 256 }; /* no number up to DSM_CORES_MAX = 2^20 has more than 240 */

/* Lists the divisors of each divisor, or only counts them (pairs NULL). */
static size_t list_pairs(const uint64_t *items, size_t count, dsm__divisor_pair *pairs,
                         size_t *first_pair) {
  size_t pair_count = 0;
  for (size_t i = 0; i < count; i++) {
    size_t rest = i; /* of the divisor before: rests fall as divisors rise */
    if (first_pair != NULL) {
      first_pair[i] = pair_count;
    }
    for (size_t d = 0; d <= i; d++) {
      if (items[i] % items[d] != 0) {
        continue;
      }
      while (items[rest] != items[i] / items[d]) {
        rest--;
      }
      if (pairs != NULL) {
        pairs[pair_count] = (dsm__divisor_pair){(uint16_t)d, (uint16_t)rest};
      }
      pair_count++;
    }
  }
  if (first_pair != NULL) {
    first_pair[count] = pair_count;
  }
  return pair_count;
}

/* The code of each divisor, of 16 bits; returns where the guards are in it. */
static uint64_t find_codes(const uint64_t *items, size_t count, uint16_t *codes) {
  uint64_t left = items[count - 1]; /* of the core count, without the primes so far */
  uint64_t guards = 0;
  unsigned shift = 0;
  for (uint64_t prime = 2; left > 1; prime++) {
    unsigned most = 0;
    unsigned bits = 0;
    for (; left % prime == 0; left /= prime) {
      most++;
    }
    for (size_t i = 0; most > 0 && i < count; i++) {
      unsigned exponent = 0;
      for (uint64_t rest = items[i]; rest % prime == 0; rest /= prime) {
        exponent++;
      }
      codes[i] = (uint16_t)(codes[i] | exponent << shift);
    }
    for (; most >> bits > 0; bits++) {
    }
    if (most > 0) {
      guards |= (uint64_t)1 << (shift + bits);
      shift += bits + 1;
    }
  }
  return guards;
}

uint64_t dsm__fit_code(const dsm__divisors *divisors, const uint64_t parts[4]) {
  uint64_t code = 0;
  for (unsigned k = 0; k < 4; k++) {
    size_t from = 0;
    for (size_t to = divisors->count; to - from > 1;) {
      const size_t middle = from + (to - from) / 2;
      if (divisors->items[middle] <= parts[k]) {
        from = middle;
      } else {
        to = middle;
      }
    }
    code |= (uint64_t)divisors->codes[from] << 16 * k;
  }
  return code;
}

static bool find_divisors(dsm__divisors *divisors, uint64_t cores, dsm__arena *arena) {
  uint64_t found[DIVISORS_MAX];
  size_t count = 0;
  for (uint64_t d = 1; d <= cores; d++) {
    if (cores % d == 0) {
      found[count++] = d;
    }
  }
  uint64_t *const items = dsm__arena_array(arena, count, sizeof *items);
  dsm__divisor_pair *const pairs =
      dsm__arena_array(arena, list_pairs(found, count, NULL, NULL), sizeof *pairs);
  size_t *const first_pair = dsm__arena_array(arena, count + 1, sizeof *first_pair);
  uint16_t *const codes = dsm__arena_array(arena, count, sizeof *codes);
  if (items == NULL || pairs == NULL || first_pair == NULL || codes == NULL) {
    return false;
  }
  memcpy(items, found, count * sizeof *items);
  list_pairs(items, count, pairs, first_pair);
  *divisors = (dsm__divisors){.items = items,
                              .count = count,
                              .codes = codes,
                              .guards = find_codes(items, count, codes) * 0x0001000100010001U,
                              .pairs = pairs,
                              .first_pair = first_pair};
  return true;
}

/* Ordered factorisations are counted, then written, by the same walk over divisors. */
typedef struct walk {
  const dsm__divisors *divisors;
  dsm_loops current;
  dsm_loops *out; /* NULL: only count */
  size_t count;
} walk;

/* Gives loop `dim` and those after it all factorisations of a divisor; at most DSM_DIM_COUNT deep.
 */
static void walk_from(walk *w, int dim, size_t divisor) {
  const dsm__divisors *const all = w->divisors;
  if (dim == DSM_DIM_COUNT - 1) {
    w->current.n[dim] = all->items[divisor];
    if (w->out != NULL) {
      w->out[w->count] = w->current;
    }
    w->count++;
    return;
  }
  for (size_t p = all->first_pair[divisor]; p < all->first_pair[divisor + 1]; p++) {
    w->current.n[dim] = all->items[all->pairs[p].divisor];
    walk_from(w, dim + 1, all->pairs[p].rest);
  }
}

bool dsm__core_splits_enumerate(dsm__core_splits *splits, uint64_t cores, dsm__arena *arena) {
  if (!find_divisors(&splits->divisors, cores, arena)) {
    return false;
  }
  walk w = {.divisors = &splits->divisors};
  walk_from(&w, 0, splits->divisors.count - 1);
  splits->items = dsm__arena_array(arena, w.count, sizeof splits->items[0]);
  splits->count = w.count;
  if (splits->items == NULL) {
    return false;
  }
  w.out = splits->items;
  w.count = 0;
  walk_from(&w, 0, splits->divisors.count - 1);
  return true;
}

/* The most parts of the valid splits. */
static dsm__parts_limit valid_parts(const dsm_chip_share *share) {
  dsm__parts_limit limit;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    limit.most[d] = dsm__parts_max(share, (dsm_dim)d);
  }
  return limit;
}

/* Is there a split if each loop takes as many parts as it can, the first ones first? */
static bool is_any_found_greedily(const dsm__divisors *all, const dsm__parts_limit *valid) {
  size_t left = all->count - 1;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    size_t p = all->first_pair[left + 1] - 1;
    while (all->items[all->pairs[p].divisor] > valid->most[d]) {
      if (p == all->first_pair[left]) {
        return false;
      }
      p--;
    }
    left = all->pairs[p].rest;
  }
  return left == 0; /* 1 */
}

/* Loop by loop: which divisors can be left once the loops so far are divided validly. */
static bool is_any_found(const dsm__divisors *all, const dsm__parts_limit *valid) {
  bool is_left[DIVISORS_MAX] = {false};
  is_left[all->count - 1] = true;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    /* Ascending: what is left of a divisor is smaller, or itself, and was looked at before. */
    for (size_t i = 0; i < all->count; i++) {
      for (size_t p = all->first_pair[i]; is_left[i] && p < all->first_pair[i + 1]; p++) {
        if (all->items[all->pairs[p].divisor] <= valid->most[d]) {
          is_left[all->pairs[p].rest] = true;
        }
      }
    }
  }
  return is_left[0]; /* 1 */
}

bool dsm__core_splits_any_valid(const dsm__core_splits *splits, const dsm_chip_share *share) {
  const dsm__parts_limit valid = valid_parts(share);
  return is_any_found_greedily(&splits->divisors, &valid) ||
         is_any_found(&splits->divisors, &valid);
}

dsm__parts_limit dsm__candidate_parts(const dsm__core_splits *splits, const dsm_chip_share *share) {
  static const dsm__parts_limit any = {
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  return dsm__core_splits_any_valid(splits, share) ? valid_parts(share) : any;
}
