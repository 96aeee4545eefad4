/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/core_splits.h"

#include "model/equations.h"

/* Ordered factorisations are counted, then written, by the same walk over divisors. */
typedef struct walk {
  const uint64_t *divisors; /* of the core count, ascending */
  size_t divisor_count;
  dsm_loops current;
  dsm_loops *out; /* NULL: only count */
  size_t count;
} walk;

/* Gives loop `dim` and those after it all factorisations of `rest`; at most DSM_DIM_COUNT deep. */
static void walk_from(walk *w, int dim, uint64_t rest) {
  if (dim == DSM_DIM_COUNT - 1) {
    w->current.n[dim] = rest;
    if (w->out != NULL) {
      w->out[w->count] = w->current;
    }
    w->count++;
    return;
  }
  for (size_t d = 0; d < w->divisor_count && w->divisors[d] <= rest; d++) {
    if (rest % w->divisors[d] == 0) {
      w->current.n[dim] = w->divisors[d];
      walk_from(w, dim + 1, rest / w->divisors[d]);
    }
  }
}

bool dsm__core_splits_enumerate(dsm__core_splits *splits, uint64_t cores, dsm__arena *arena) {
  enum { DIVISORS_MAX = 512 }; /* no number up to DSM_CORES_MAX = 2^20 has more than 240 */
  uint64_t divisors[DIVISORS_MAX];
  size_t divisor_count = 0;
  for (uint64_t d = 1; d <= cores; d++) {
    if (cores % d == 0) {
      divisors[divisor_count++] = d;
    }
  }
  walk w = {.divisors = divisors, .divisor_count = divisor_count};
  walk_from(&w, 0, cores);
  splits->items = dsm__arena_array(arena, w.count, sizeof splits->items[0]);
  splits->count = w.count;
  if (splits->items == NULL) {
    return false;
  }
  w.out = splits->items;
  w.count = 0;
  walk_from(&w, 0, cores);
  return true;
}

/* The most parts of the valid splits. */
static dsm__parts_limit valid_parts(const dsm_layer *layer, const dsm_chip_share *share) {
  dsm__parts_limit limit;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    limit.most[d] = dsm__parts_max(layer, share, (dsm_dim)d);
  }
  return limit;
}

bool dsm__core_splits_any_valid(const dsm__core_splits *splits, const dsm_layer *layer,
                                const dsm_chip_share *share) {
  const dsm__parts_limit valid = valid_parts(layer, share);
  for (size_t i = 0; i < splits->count; i++) {
    if (dsm__is_within_parts(&valid, &splits->items[i])) {
      return true;
    }
  }
  return false;
}

dsm__parts_limit dsm__candidate_parts(const dsm__core_splits *splits, const dsm_layer *layer,
                                      const dsm_chip_share *share) {
  static const dsm__parts_limit any = {
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  return dsm__core_splits_any_valid(splits, layer, share) ? valid_parts(layer, share) : any;
}
