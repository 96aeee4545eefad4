/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_fill.c: which weights a given path preloads.
 *
 * preload_fill.c: which weights a given path preloads.
 *
 * That is a knapsack with a choice for each layer: so many bytes of it are on chip, and save so
 * many cycles. Along the lower convex hull of a layer's choices every further byte saves less, and
 * giving room to whoever saves most per byte, as long as it lasts, solves the relaxation in which
 * bytes can be divided (Sinha and Zoltners, "The multiple-choice knapsack problem", Operations
 * Research 27 (1979)). What does not fit whole is tried in two ways, and what is left goes to the
 * layer that saves most by a part; so the answer is good and fits, and the bound of the level says
 * how good (preload_paths.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "plan/tolerance.h"
#include "search/preload/preload_level.h"

/* From one point of a step's hull to the next. */
typedef struct segment {
  double saved_per_byte;
  size_t step;
  size_t next; /* in the hull */
} segment;

/* Most saved first. A hull is convex: its segments stay in order. */
static int compare_segments(const void *left, const void *right) {
  const segment *const a = left;
  const segment *const b = right;
  return dsm__order_then(
      dsm__order(b->saved_per_byte, a->saved_per_byte),
      dsm__order_then(dsm__order_whole(a->step, b->step), dsm__order_whole(a->next, b->next)));
}

static const dsm__resident_run *run_of(const dsm__preload_level *level,
                                       const dsm__preload_mapping *mapping, size_t step) {
  return level->runs.items[mapping->steps[step].run].of;
}

static segment *list_segments(const dsm__preload_level *level, const dsm__preload_mapping *mapping,
                              size_t *count) {
  *count = 0;
  for (size_t i = 0; i < mapping->step_count; i++) {
    *count += run_of(level, mapping, i)->hull_count - 1;
  }
  segment *const segments = dsm__arena_array(level->problem.arena, *count, sizeof *segments);
  size_t s = 0;
  for (size_t i = 0; segments != NULL && i < mapping->step_count; i++) {
    const dsm__resident *const hull = run_of(level, mapping, i)->hull;
    for (size_t next = 1; next < run_of(level, mapping, i)->hull_count; next++) {
      const double saved = hull[next - 1].cycles - hull[next].cycles;
      segments[s++] = (segment){saved / (hull[next].bytes - hull[next - 1].bytes), i, next};
    }
  }
  return segments;
}

/* Gives out the room along the hulls, most saved first. What does not fit ends its step's part, or
 * that of all. */
static void fill_anew(const dsm__preload_level *level, const segment *segments, size_t count,
                      bool should_stop, dsm__preload_mapping *mapping) {
  double left = level->room_bytes;
  for (size_t i = 0; i < mapping->step_count; i++) {
    mapping->steps[i].how = run_of(level, mapping, i)->hull[0];
  }
  for (size_t s = 0; s < count; s++) {
    const dsm__resident *const hull = run_of(level, mapping, segments[s].step)->hull;
    const dsm__resident *const next = &hull[segments[s].next];
    dsm__resident *const now = &mapping->steps[segments[s].step].how;
    const bool is_in_order = now->bytes >= hull[segments[s].next - 1].bytes;
    if (is_in_order && next->bytes - now->bytes <= left) {
      left -= next->bytes - now->bytes;
      *now = *next;
    } else if (should_stop) {
      break;
    }
  }
  dsm__preload_sum(mapping);
}

/*
 * One step gets all room that is left: that which saves most by it. False if none does.
 *
 * A layer's promise, its hull at so many bytes, is a bound of what it saves, so that only those are
 * scored that can beat the best so far.
 */
static bool give_rest(dsm__preload_level *level, dsm__preload_mapping *mapping) {
  const double left = level->room_bytes - mapping->bytes;
  double most_saved = 1e-12 * mapping->cycles; /* less is rounding */
  size_t best_step = SIZE_MAX;
  dsm__resident best = {0};
  for (size_t i = 0; i < mapping->step_count && left > 0; i++) {
    const dsm__resident *const now = &mapping->steps[i].how;
    const dsm__resident_run *const run = run_of(level, mapping, i);
    if (now->cycles - dsm__resident_promise(run, now->bytes + left) <= most_saved) {
      continue;
    }
    const dsm__resident one = dsm__resident_within(
        run, &level->problem.table.splits, now->bytes + left, &level->problem.found->evaluations);
    if (now->cycles - one.cycles > most_saved) {
      most_saved = now->cycles - one.cycles;
      best = one;
      best_step = i;
    }
  }
  if (best_step == SIZE_MAX) {
    return false;
  }
  mapping->steps[best_step].how = best;
  dsm__preload_sum(mapping);
  return true;
}

/* As long as it helps; the first few rounds take nearly all that is left. */
static void give_all_rest(dsm__preload_level *level, dsm__preload_mapping *mapping) {
  enum { ROUNDS_MAX = 32 };
  for (int i = 0; i < ROUNDS_MAX && give_rest(level, mapping); i++) {
  }
}

static void copy_steps(const dsm__preload_step *from, size_t count, dsm__preload_step *to) {
  memcpy(to, from, count * sizeof *to);
}

bool dsm__preload_fill(dsm__preload_level *level, dsm__preload_mapping *mapping) {
  size_t count = 0;
  const size_t step_count = mapping->step_count;
  segment *const segments = list_segments(level, mapping, &count);
  dsm__preload_step *const best = dsm__arena_array(level->problem.arena, step_count, sizeof *best);
  if (segments == NULL || best == NULL) {
    return false;
  }
  double least = HUGE_VAL;
  if (mapping->bytes <= dsm__capacity_limit(level->room_bytes)) {
    give_all_rest(level, mapping);
    least = mapping->cycles;
    copy_steps(mapping->steps, step_count, best);
  }
  qsort(segments, count, sizeof *segments, compare_segments);
  for (int should_stop = 0; should_stop <= 1; should_stop++) {
    fill_anew(level, segments, count, should_stop == 1, mapping);
    give_all_rest(level, mapping);
    if (mapping->cycles < least) {
      least = mapping->cycles;
      copy_steps(mapping->steps, step_count, best);
    }
  }
  copy_steps(best, step_count, mapping->steps);
  dsm__preload_sum(mapping);
  return true;
}
