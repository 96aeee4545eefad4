/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/ranking.h"

#include <assert.h>
#include <stdbool.h>

/* Entry k of the heap: it grows from the end, so that the sorted items can grow from the front. */
static dsm__ranked_split *entry(const dsm__ranking *ranking, size_t k) {
  return &ranking->items[ranking->count - 1 - k];
}

static bool is_before(const dsm__ranked_split *a, const dsm__ranked_split *b) {
  return a->bound < b->bound || (a->bound <= b->bound && a->split < b->split);
}

static void sift_down(const dsm__ranking *ranking, size_t k) {
  const size_t size = ranking->count - ranking->sorted;
  const dsm__ranked_split moved = *entry(ranking, k);
  for (size_t child = 2 * k + 1; child < size; child = 2 * k + 1) {
    if (child + 1 < size && is_before(entry(ranking, child + 1), entry(ranking, child))) {
      child++;
    }
    if (!is_before(entry(ranking, child), &moved)) {
      break;
    }
    *entry(ranking, k) = *entry(ranking, child);
    k = child;
  }
  *entry(ranking, k) = moved;
}

dsm__ranking dsm__ranking_of(dsm__ranked_split *items, size_t count) {
  const dsm__ranking ranking = {.items = items, .count = count};
  for (size_t k = count / 2; k-- > 0;) {
    sift_down(&ranking, k);
  }
  return ranking;
}

const dsm__ranked_split *dsm__ranking_at(dsm__ranking *ranking, size_t index) {
  assert(index < ranking->count);
  while (ranking->sorted <= index) {
    const dsm__ranked_split first = *entry(ranking, 0);
    *entry(ranking, 0) = ranking->items[ranking->sorted];
    ranking->items[ranking->sorted] = first;
    ranking->sorted++;
    if (ranking->sorted < ranking->count) {
      sift_down(ranking, 0);
    }
  }
  return &ranking->items[index];
}
