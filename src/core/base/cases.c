/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cases.h"

#include <assert.h>
#include <math.h>
#include <string.h>

dsm__cases dsm__cases_begin(dsm__arena *arena) {
  return (dsm__cases){.arena = arena, .closed_bound = HUGE_VAL};
}

void *dsm__cases_open(dsm__cases *cases, const void *one, size_t size) {
  void *const copy = dsm__arena_alloc(cases->arena, size);
  if (copy == NULL || !DSM__LIST_RESERVE_IN(&cases->open, 1, cases->arena)) {
    return NULL;
  }
  cases->open.items[cases->open.count++] = memcpy(copy, one, size);
  assert(!isnan(cases->open.items[cases->open.count - 1]->bound));
  return copy;
}

static bool is_before(const dsm__open_case *one, const dsm__open_case *other) {
  return one->bound < other->bound || (!(one->bound > other->bound) && one->rank < other->rank);
}

/* The place of the next case. To look at one takes so much longer than a walk over all that they
 * are in no heap, and bounds may rise where they are. */
static size_t next_of(const dsm__cases *cases) {
  size_t next = 0;
  for (size_t i = 1; i < cases->open.count; i++) {
    next = is_before(cases->open.items[i], cases->open.items[next]) ? i : next;
  }
  return next;
}

bool dsm__cases_search(dsm__cases *cases, const dsm__case_kind *kind, void *context) {
  dsm__looked looked = DSM__LOOK_OPEN;
  while (looked != DSM__LOOK_FAILED && cases->open.count > 0) {
    const size_t next = next_of(cases);
    dsm__open_case *const one = cases->open.items[next];
    if (kind->is_done(context, one->bound)) {
      break;
    }
    looked = kind->look(context, one);
    if (looked == DSM__LOOK_CLOSED) {
      cases->closed_bound = fmin(cases->closed_bound, one->bound);
    }
    if (looked == DSM__LOOK_CLOSED || looked == DSM__LOOK_DIVIDED) {
      dsm__open_case **const taken = &cases->open.items[next];
      memmove(taken, taken + 1, (--cases->open.count - next) * sizeof *taken);
    }
  }
  return looked != DSM__LOOK_FAILED;
}

double dsm__cases_bound(const dsm__cases *cases) {
  double least = cases->closed_bound;
  for (size_t i = 0; i < cases->open.count; i++) {
    least = fmin(least, cases->open.items[i]->bound);
  }
  return least;
}
