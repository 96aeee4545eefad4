/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * split_front.c: the core splits that need something less than each other one.
 *
 * An invocation's time never falls where one of the needs of its split rises, whatever is
 * held, however much room is left and whatever part of the weights is on chip (split_walk.c). So a
 * split that needs no less of anything than another one is never faster, and the fastest of a pass
 * is always among those of which no other needs as little of everything: the maxima of a set of
 * vectors (Kung, Luccio and Preparata, Journal of the ACM 22 (1975)). The front is found once and
 * scored for each way in which something is held.
 *
 * Splits stand by their sums, as most families are passed over for what they need of these: those
 * that need no more sums are a prefix.
 */
#include "search/layer_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"

/* Does the first need no more of anything? */
static bool needs_no_more(const dsm__split_needs *a, const dsm__split_needs *b) {
  return a->primary_cycles <= b->primary_cycles && a->sum_cycles <= b->sum_cycles &&
         a->kernel_bytes <= b->kernel_bytes && a->moving_bytes <= b->moving_bytes &&
         a->extents.in <= b->extents.in && a->extents.out <= b->extents.out &&
         a->extents.positions <= b->extents.positions && a->extents.kij <= b->extents.kij &&
         a->error_bytes <= b->error_bytes;
}

/* How many need no more sums. */
static size_t count_within_sums(const dsm__split_front *front, double sum_cycles) {
  size_t from = 0;
  size_t to = front->count;
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (front->items[middle].needs.sum_cycles <= sum_cycles) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/* Where most differ in the arrays and in sums alone, the last that needs no more sums tells. */
static bool is_hopeless(void *context, const dsm__split_needs *least) {
  const dsm__split_front *const front = context;
  for (size_t i = count_within_sums(front, least->sum_cycles); i-- > 0;) {
    if (needs_no_more(&front->items[i].needs, least)) {
      return true;
    }
  }
  return false;
}

/* Takes a split, of which is known that it needs less of something than each one there. */
static void visit(void *context, const dsm__needy_split *one) {
  dsm__split_front *const front = context;
  size_t kept = 0;
  for (size_t i = 0; i < front->count; i++) {
    if (!needs_no_more(&one->needs, &front->items[i].needs)) {
      front->items[kept++] = front->items[i];
    }
  }
  front->count = kept;
  if (!DSM__LIST_RESERVE(front, 1)) {
    front->is_out_of_memory = true;
  } else {
    const size_t place = count_within_sums(front, one->needs.sum_cycles);
    memmove(&front->items[place + 1], &front->items[place],
            (front->count - place) * sizeof front->items[0]);
    front->items[place] = *one;
    front->count++;
  }
}

uint64_t dsm__split_front_find(dsm__split_front *front, const dsm_pass_work *work,
                               const dsm__core_splits *splits) {
  const dsm__split_visitor visitor = {.is_hopeless = is_hopeless, .visit = visit, .context = front};
  front->count = 0;
  return dsm__splits_walk(work, splits, &visitor);
}

void dsm__split_front_fini(dsm__split_front *front) {
  free(front->items);
  *front = (dsm__split_front){.count = 0};
}
