/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smallest.c: the least memory in which a chain can run.
 *
 * What a window needs is the least over its choices of the most that the choice and its parts need:
 * the same recursion as of times, without a budget, exact in bytes. Of choices that need equally
 * much the one is taken whose parts, each with least memory, are fastest.
 */
#include <math.h>

#include "base/order.h"
#include "remat/solve.h"

/* What a window comes to with least memory. */
typedef struct least {
  double bytes;
  double seconds;
} least;

typedef struct leasts {
  const dsm__remat_windows *windows;
  least *items;
} leasts;

static least at(const leasts *of, size_t first, size_t last) {
  return of->items[dsm__remat_window_number(of->windows, first, last)];
}

static least keep(const leasts *of, dsm__remat_window window, size_t k) {
  const dsm_remat_chain *const chain = of->windows->chain;
  const dsm_remat_option *const option = &chain->stages[window.first].options[k];
  least all = {dsm__remat_keep_need(chain, window, k),
               option->forward_seconds + option->backward_seconds};
  if (window.first < window.last) {
    const least rest = at(of, window.first + 1, window.last);
    all.bytes = dsm__larger(all.bytes, option->saved_bytes + rest.bytes);
    all.seconds += rest.seconds;
  }
  return all;
}

static least dropped(const leasts *of, dsm__remat_window window, const dsm__remat_drop *drop) {
  const double kept = of->windows->chain->stages[drop->middle - 1].output_bytes;
  const least right = at(of, drop->middle, window.last);
  const least left = at(of, window.first, drop->middle - 1);
  return (least){dsm__larger(drop->need_bytes, dsm__larger(kept + right.bytes, left.bytes)),
                 drop->seconds + right.seconds + left.seconds};
}

static bool is_less(least one, least other) {
  return one.bytes < other.bytes || (one.bytes == other.bytes && one.seconds < other.seconds);
}

/* The best choice, and what it comes to. */
static dsm__remat_choice best_of(const leasts *of, dsm__remat_window window, least *best) {
  const dsm_remat_chain *const chain = of->windows->chain;
  dsm__remat_choice choice = {0};
  dsm__remat_drop drop;
  *best = (least){HUGE_VAL, HUGE_VAL};
  for (size_t k = 0; k < chain->stages[window.first].option_count; k++) {
    const least one = keep(of, window, k);
    if (is_less(one, *best)) {
      *best = one;
      choice.option = k;
    }
  }
  for (bool is_there = dsm__remat_drop_first(chain, window, &drop); is_there;
       is_there = dsm__remat_drop_next(chain, window, &drop)) {
    const least one = dropped(of, window, &drop);
    if (is_less(one, *best)) {
      *best = one;
      choice.middle = drop.middle;
    }
  }
  return choice;
}

static dsm__remat_choice choose(const void *context, dsm__remat_window window, double budget) {
  least best;
  (void)budget;
  return best_of(context, window, &best);
}

bool dsm__remat_smallest(const dsm__remat_windows *windows, double *bytes, dsm__remat_steps *steps,
                         dsm__arena *arena) {
  leasts of = {.windows = windows};
  if (!DSM__RESERVE(arena, of.items, windows->count)) {
    return false;
  }
  for (size_t i = 0; i < windows->count; i++) {
    (void)best_of(&of, windows->windows[i], &of.items[i]);
  }
  *bytes = at(&of, 0, windows->chain->stage_count - 1).bytes;
  const dsm__remat_choices choices = {windows->chain, choose, &of};
  return dsm__remat_unfold(&choices, *bytes, steps, arena);
}
