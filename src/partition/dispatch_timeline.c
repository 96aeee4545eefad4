/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_timeline.c: when a device is idle, as gaps between the tasks that were given to it.
 *
 * A task may go into any gap from its earliest time on that is long enough, else behind the last
 * task. Gaps are in the order of time, so that the first to look at is found by halving. A gap into
 * which not even the shortest task fits any more, for its length or because its time has passed, is
 * dropped: at the front at once, in between when it becomes so. So gaps that are kept are those
 * that can still be used, and looking for a place does not slow down as the simulation goes on.
 */
#include "partition/dispatch_engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FIRST_CAPACITY 64

/* Whether a task may ever go there. */
static bool is_useful(const dsm__timeline *timeline, double now, dsm__gap gap) {
  return fmax(gap.begin, now) + timeline->shortest <= gap.end;
}

/* Number of the first gap that ends after a time; tail if there is none. */
static size_t first_after(const dsm__timeline *timeline, double time) {
  size_t low = timeline->head;
  size_t high = timeline->tail;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (timeline->gaps[middle].end > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

dsm__slot dsm__timeline_find(dsm__timeline *timeline, double now, double ready, double seconds) {
  while (timeline->head < timeline->tail &&
         !is_useful(timeline, now, timeline->gaps[timeline->head])) {
    timeline->head++;
  }
  for (size_t g = first_after(timeline, ready); g < timeline->tail; g++) {
    const double begin = fmax(ready, timeline->gaps[g].begin);
    if (begin + seconds <= timeline->gaps[g].end) {
      return (dsm__slot){.gap = g, .begin = begin};
    }
  }
  return (dsm__slot){.gap = timeline->tail, .begin = fmax(ready, timeline->end)};
}

/*
 * Room for one gap more behind the last. Gaps may get other numbers.
 *
 * Either the gaps fill more than half of the room and it doubles, or at least half of it lies
 * before the head and is used again: so a gap is moved a bounded number of times on average.
 */
static bool make_room(dsm__timeline *timeline, dsm__arena *arena) {
  if (timeline->tail < timeline->capacity) {
    return true;
  }
  const size_t count = timeline->tail - timeline->head;
  if (count > timeline->capacity / 2 || timeline->capacity == 0) {
    const size_t capacity = timeline->capacity == 0 ? FIRST_CAPACITY : 2 * timeline->capacity;
    dsm__gap *const gaps = dsm__arena_array(arena, capacity, sizeof *gaps);
    if (gaps == NULL) {
      return false;
    }
    if (count > 0) {
      memcpy(gaps, timeline->gaps + timeline->head, count * sizeof *gaps);
    }
    timeline->gaps = gaps;
    timeline->capacity = capacity;
  } else {
    memmove(timeline->gaps, timeline->gaps + timeline->head, count * sizeof *timeline->gaps);
  }
  timeline->head = 0;
  timeline->tail = count;
  return true;
}

static bool append(dsm__timeline *timeline, dsm__arena *arena, double now, dsm__slot slot,
                   double seconds) {
  const dsm__gap gap = {.begin = timeline->end, .end = slot.begin};
  timeline->end = slot.begin + seconds;
  if (!is_useful(timeline, now, gap)) {
    return true;
  }
  if (!make_room(timeline, arena)) {
    return false;
  }
  timeline->gaps[timeline->tail++] = gap;
  return true;
}

bool dsm__timeline_take(dsm__timeline *timeline, dsm__arena *arena, double now, dsm__slot slot,
                        double seconds) {
  if (slot.gap == timeline->tail) {
    return append(timeline, arena, now, slot, seconds);
  }
  const size_t from_head = slot.gap - timeline->head;
  if (!make_room(timeline, arena)) {
    return false;
  }
  dsm__gap *const gap = &timeline->gaps[timeline->head + from_head];
  const dsm__gap before = {.begin = gap->begin, .end = slot.begin};
  const dsm__gap after = {.begin = slot.begin + seconds, .end = gap->end};
  const size_t behind = timeline->tail - (timeline->head + from_head) - 1;
  const bool is_before = is_useful(timeline, now, before);
  const bool is_after = is_useful(timeline, now, after);
  if (is_before && is_after) {
    memmove(gap + 2, gap + 1, behind * sizeof *gap);
    gap[0] = before;
    gap[1] = after;
    timeline->tail++;
  } else if (is_before || is_after) {
    *gap = is_before ? before : after;
  } else if (from_head == 0) {
    timeline->head++;
  } else {
    memmove(gap, gap + 1, behind * sizeof *gap);
    timeline->tail--;
  }
  assert(timeline->head <= timeline->tail && timeline->tail <= timeline->capacity);
  return true;
}
