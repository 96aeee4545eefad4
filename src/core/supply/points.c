/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points.c: repeating factors from which to choose. */
#include <math.h>

#include "dsm/limits.h"
#include "supply/storage_internal.h"

enum { POINTS_MAX = 32 }; /* powers of 2 up to DSM_REPEAT_MAX, and a few more */

typedef struct factors {
  double items[POINTS_MAX];
  size_t count;
} factors;

/* Keeps them sorted, each once. */
static void add(factors *of, double factor) {
  size_t at = of->count;
  while (at > 0 && of->items[at - 1] > factor) {
    at--;
  }
  if (of->count == POINTS_MAX || (at > 0 && !(of->items[at - 1] < factor))) {
    return;
  }
  for (size_t i = of->count; i > at; i--) {
    of->items[i] = of->items[i - 1];
  }
  of->items[at] = factor;
  of->count++;
}

/* Powers of 2; on both sides of where the stall ends; the answer's own; and the limit. All of them
 * are worth it: a lower factor repeats less, a higher one reads less or is faster. */
static factors factors_of(const dsm_storage_result *result) {
  const bool is_once = result->mode == DSM_MODE_INFERENCE;
  const double free = is_once ? 1 : dsm_storage_stall_free_repeat(&result->job);
  const double limit = is_once ? 1 : result->max_repeat;
  const double own = result->state.repeat;
  const double most = limit > 0 ? fmax(limit, own) : fmax(2 * free, own);
  factors made = {.count = 0};
  double power = 1;
  while (power <= most && power <= DSM_REPEAT_MAX) {
    add(&made, power);
    power *= 2;
  }
  if (free > 1 && free <= fmin(most, DSM_REPEAT_MAX)) {
    add(&made, free - 1);
    add(&made, free);
  }
  add(&made, own);
  if (limit > 0) {
    add(&made, limit);
  }
  return made;
}

bool dsm__storage_points_make(dsm_storage_result *result) {
  const factors made = factors_of(result);
  dsm_storage_point *const points = dsm__arena_array(result->arena, POINTS_MAX, sizeof *points);
  if (points == NULL) {
    return false;
  }
  for (size_t i = 0; i < made.count; i++) {
    const dsm_storage_state state =
        dsm_storage_steady(&result->job, result->state.mini_epochs, made.items[i]);
    points[i] = (dsm_storage_point){.repeat = made.items[i],
                                    .capacity_bytes_per_second = state.capacity_bytes_per_second,
                                    .samples_per_second = state.samples_per_second,
                                    .stall_share = state.stall_share,
                                    .waiting_share = state.waiting_share};
  }
  result->points = points;
  result->point_count = made.count;
  return true;
}
