/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_queues.c: two binary heaps, of happenings and of moments.
 *
 * The agenda has a total order, so that what happens at the same time happens in the same order in
 * every run. The waiting line needs only its least moment: whoever begins to be served before now
 * leaves, and those that are left are how many wait.
 */
#include "partition/dispatch_engine.h"

#include <assert.h>
#include <string.h>

/* ---- agenda ---- */

static bool is_before(const dsm__happening *a, const dsm__happening *b) {
  if (a->seconds < b->seconds || a->seconds > b->seconds) {
    return a->seconds < b->seconds;
  }
  if (a->kind != b->kind) {
    return a->kind < b->kind;
  }
  return a->request != b->request ? a->request < b->request : a->task < b->task;
}

bool dsm__agenda_add(dsm__agenda *agenda, dsm__arena *arena, dsm__happening happening) {
  if (!DSM__LIST_RESERVE_IN(agenda, 1, arena)) {
    return false;
  }
  size_t at = agenda->count++;
  while (at > 0 && is_before(&happening, &agenda->items[(at - 1) / 2])) {
    agenda->items[at] = agenda->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  agenda->items[at] = happening;
  return true;
}

dsm__happening dsm__agenda_take(dsm__agenda *agenda) {
  assert(agenda->count > 0);
  dsm__happening *const items = agenda->items;
  const dsm__happening first = items[0];
  const dsm__happening last = items[--agenda->count];
  size_t at = 0;
  for (size_t child = 1; child < agenda->count; child = 2 * at + 1) {
    if (child + 1 < agenda->count && is_before(&items[child + 1], &items[child])) {
      child++;
    }
    if (!is_before(&items[child], &last)) {
      break;
    }
    items[at] = items[child];
    at = child;
  }
  items[at] = last;
  return first;
}

/* ---- waiting line ---- */

bool dsm__waiting_line_join(dsm__agenda *line, dsm__arena *arena, double now, double begin) {
  while (line->count > 0 && line->items[0].seconds <= now) {
    (void)dsm__agenda_take(line);
  }
  return begin <= now || dsm__agenda_add(line, arena, (dsm__happening){.seconds = begin});
}
