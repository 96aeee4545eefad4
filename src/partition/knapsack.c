/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * knapsack.c: lists of undominated packings (Nemhauser and Ullmann), cut by the relaxation.
 *
 * The answer is never below the optimum, which is what a bound needs. A packing that needs no less
 * room and is worth no more than another can be left out, because whatever is added to it later can
 * be added to the other as well. A packing whose relaxed completion is worth less than a whole
 * packing that is known cannot become the optimum. Where a list would become too long, two
 * neighbours are replaced by one with the need of the lighter and the worth of the better: that
 * packing need not exist, but it is better than both, so the result can only rise, and it is cut at
 * the relaxation, which lies above the optimum too.
 */
#include "partition/capacity_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* Packings in a list before neighbours are joined to one that is better than both. */
enum { PACKINGS_MAX = 2048 };

/* A packing is dropped if it ends below the best by this part: rounding. */
static const double rounding = 1e-12;

/* By which part the room is widened: sums of thousands of needs are rounded up by less. */
static const double room_slack = 1e-9;

typedef struct dsm__packing {
  double need;
  double worth;
} packing;

bool dsm__knapsack_reserve(dsm__knapsack *knapsack, dsm__arena *arena, size_t item_max) {
  *knapsack = (dsm__knapsack){.item_count = 0};
  return DSM__RESERVE(arena, knapsack->items, item_max) &&
         DSM__RESERVE(arena, knapsack->needs, item_max + 1) &&
         DSM__RESERVE(arena, knapsack->worths, item_max + 1) &&
         DSM__RESERVE(arena, knapsack->now, 2 * (size_t)PACKINGS_MAX) &&
         DSM__RESERVE(arena, knapsack->next, 2 * (size_t)PACKINGS_MAX);
}

static int compare(const void *a, const void *b) {
  const dsm__item *const x = a;
  const dsm__item *const y = b;
  return dsm__order_then(dsm__order(y->density, x->density), dsm__order_whole(x->label, y->label));
}

void dsm__knapsack_order(dsm__knapsack *knapsack) {
  knapsack->room *= 1 + room_slack;
  qsort(knapsack->items, knapsack->item_count, sizeof *knapsack->items, compare);
  knapsack->needs[0] = knapsack->worths[0] = 0;
  for (size_t k = 0; k < knapsack->item_count; k++) {
    knapsack->needs[k + 1] = knapsack->needs[k] + knapsack->items[k].need;
    knapsack->worths[k + 1] = knapsack->worths[k] + knapsack->items[k].worth;
  }
}

/* The needs are summed from the front, so what consecutive items need is a difference of two sums,
 * and the last that fits is found by halving. Items first .. end - 1 fit into the room, and no more
 * in this order. */
static size_t fill_from(const dsm__knapsack *knapsack, size_t first, double room) {
  size_t low = first;
  size_t high = knapsack->item_count;
  while (low < high) {
    const size_t middle = high - (high - low) / 2;
    if (knapsack->needs[middle] - knapsack->needs[first] <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Dantzig: with items by falling worth of a unit of room, the best that may split one item takes
 * them from the front and of the first that does not fit the part for which there is room. Any
 * other choice puts a unit of room to something worth no more. */
double dsm__knapsack_relaxed(const dsm__knapsack *knapsack, size_t *split, double *part) {
  *split = fill_from(knapsack, 0, knapsack->room);
  *part = 0;
  if (*split == knapsack->item_count) {
    return knapsack->worths[*split];
  }
  *part = (knapsack->room - knapsack->needs[*split]) / knapsack->items[*split].need;
  return knapsack->worths[*split] + *part * knapsack->items[*split].worth;
}

/* The packings with and without an item, as one list. Both lists rise in need and in worth, so the
 * lighter head is always next, and it stays only if it is worth more than all before it: what is
 * left out needs no less than one of those and is worth no more. The joined list rises in both too.
 */
static size_t merge(const packing *list, size_t count, dsm__item item, double room,
                    packing *merged) {
  size_t made = 0;
  size_t with = 0; /* next that the item is added to */
  double best = -1;
  for (size_t without = 0; without < count || with < count;) {
    packing next = {.need = HUGE_VAL};
    if (with < count) {
      next = (packing){list[with].need + item.need, list[with].worth + item.worth};
    }
    if (without < count && list[without].need <= next.need) {
      next = list[without++];
    } else {
      with++;
    }
    if (next.need <= room && next.worth > best) {
      /* of equal need the worthier stays */
      made -= made > 0 && merged[made - 1].need == next.need ? 1 : 0;
      merged[made++] = next;
      best = next.worth;
    }
  }
  return made;
}

/* Drops packings of the first items that cannot become better than what one of them becomes at
 * once. The best so far is what a packing is worth with the following items in their order while
 * they fit, which is a whole packing. What a packing can become at most is that and the split part
 * of the next item, by the relaxation of the room that it leaves. Returns how many stay. */
static size_t prune(const dsm__knapsack *knapsack, size_t first, packing *list, size_t count,
                    double *best) {
  for (size_t k = 0; k < count; k++) {
    const size_t end = fill_from(knapsack, first, knapsack->room - list[k].need);
    *best = fmax(*best, list[k].worth + knapsack->worths[end] - knapsack->worths[first]);
  }
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    const double room = knapsack->room - list[k].need;
    const size_t end = fill_from(knapsack, first, room);
    double most = list[k].worth + knapsack->worths[end] - knapsack->worths[first];
    if (end < knapsack->item_count) {
      const dsm__item *const item = &knapsack->items[end];
      most += (room - (knapsack->needs[end] - knapsack->needs[first])) * item->density;
    }
    if (most >= *best * (1 - rounding)) {
      list[kept++] = list[k];
    }
  }
  return kept;
}

/* Two neighbours become one with the need of the lighter and the worth of the better. */
static size_t join_neighbours(packing *list, size_t count) {
  size_t made = 0;
  for (size_t k = 0; k < count; k += 2) {
    const size_t last = k + 1 < count ? k + 1 : k;
    list[made++] = (packing){list[k].need, list[last].worth};
  }
  return made;
}

/* The work is that of the lists, which are as long as there are packings that none other beats.
 * Bounded by the relaxation, nearly all of them go at once: only those near the split item stay. */
double dsm__knapsack_whole(dsm__knapsack *knapsack) {
  packing *now = knapsack->now;
  packing *next = knapsack->next;
  size_t count = 1;
  double best = 0; /* of packings that are whole, or joined */
  now[0] = (packing){0, 0};
  for (size_t k = 0; k < knapsack->item_count && count > 0; k++) {
    const size_t merged = merge(now, count, knapsack->items[k], knapsack->room, next);
    count = prune(knapsack, k + 1, next, merged, &best);
    while (count > PACKINGS_MAX) {
      count = join_neighbours(next, count);
    }
    packing *const last = now;
    now = next;
    next = last;
  }
  for (size_t k = 0; k < count; k++) {
    best = fmax(best, now[k].worth);
  }
  size_t split = 0;
  double part = 0;
  return fmin(best, dsm__knapsack_relaxed(knapsack, &split, &part)); /* joined ones may be above */
}
