/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zero_bubble.c: a pipeline whose backward passes are split (section 8).
 *
 * A device has three kinds of passes: forward, back to the device before, and gradients of weights,
 * which nobody waits for. Whenever it is free it takes what begins first; of what could begin at
 * once the way back comes first, then a forward pass, where memory has room for one more
 * micro-batch, then a gradient. A micro-batch keeps its room until its gradients of weights are
 * made.
 */
#include "plan/zero_bubble.h"

#include <math.h>

/*
 * Source: Qi et al. 2023 (ZB-H2). Symbols: 2 p - 1 of n, so that the first device goes forward
 * until the first way back comes to it. Limits: one device: 1.
 */
size_t dsm__zero_bubble_in_flight(size_t devices, size_t micro_batches) {
  const size_t most = 2 * devices - 1;
  return micro_batches < most ? micro_batches : most;
}

/* In the order in which they are preferred. */
typedef enum kind { BACKWARD, FORWARD, UPDATE, KIND_COUNT } kind;

/* A device: how many passes of each kind have run, and which it takes next. */
typedef struct device {
  size_t done[KIND_COUNT];
  double free_at;
  double begins; /* the next pass; infinite: what it waits for has not begun */
  kind next;
} device;

typedef struct running {
  const dsm__makespan_times *times;
  device *devices;
  double *ends[KIND_COUNT]; /* of device and micro-batch; infinite: it has not run */
} running;

/* When what a device's next pass of a kind needs is there; infinite: it is not known yet. */
static double ready_at(const running *of, size_t at, kind which) {
  const dsm__makespan_times *const times = of->times;
  const size_t count = times->micro_batches;
  const device *const own = &of->devices[at];
  const size_t i = own->done[which];
  const size_t in_flight = own->done[FORWARD] - own->done[UPDATE];
  const bool is_there = which == FORWARD
                            ? in_flight < dsm__zero_bubble_in_flight(times->devices, count)
                            : i < own->done[which == UPDATE ? BACKWARD : FORWARD];
  if (i == count || !is_there) {
    return HUGE_VAL;
  }
  if (which == FORWARD) {
    return at == 0 ? 0 : of->ends[FORWARD][(at - 1) * count + i] + times->output_link[at - 1];
  }
  if (which == BACKWARD && at + 1 < times->devices) {
    return of->ends[BACKWARD][(at + 1) * count + i] + times->error_link[at];
  }
  return 0; /* the device's own pass has run */
}

static void choose_next(running *of, size_t at) {
  device *const own = &of->devices[at];
  own->begins = HUGE_VAL;
  for (int k = 0; k < KIND_COUNT; k++) {
    const double ready = ready_at(of, at, (kind)k);
    const double begins = ready < own->free_at ? own->free_at : ready;
    own->next = begins < own->begins ? (kind)k : own->next;
    own->begins = begins < own->begins ? begins : own->begins;
  }
}

static double length_of(const dsm__makespan_times *times, size_t pass, kind which) {
  if (which == FORWARD) {
    return times->forward[pass];
  }
  return which == UPDATE ? times->update[pass] : times->backward[pass] - times->update[pass];
}

/* Runs the pass that begins first, of all devices, and lets those next to its device choose anew.
 * False: all have run. */
static bool run_first(running *of) {
  const size_t count = of->times->devices;
  size_t first = 0;
  for (size_t d = 1; d < count; d++) {
    first = of->devices[d].begins < of->devices[first].begins ? d : first;
  }
  device *const own = &of->devices[first];
  if (isinf(own->begins)) {
    return false;
  }
  const size_t pass = first * of->times->micro_batches + own->done[own->next];
  own->free_at = own->begins + length_of(of->times, pass, own->next);
  of->ends[own->next][pass] = own->free_at;
  own->done[own->next]++;
  for (size_t d = first > 0 ? first - 1 : 0; d <= first + 1 && d < count; d++) {
    choose_next(of, d);
  }
  return true;
}

double dsm__zero_bubble_find(const dsm__makespan_times *times, dsm__arena *arena,
                             dsm__schedule *schedule) {
  const size_t count = times->devices * times->micro_batches;
  running of = {.times = times};
  bool is_made = DSM__RESERVE(arena, of.devices, times->devices);
  for (int k = 0; k < KIND_COUNT; k++) {
    is_made = is_made && DSM__RESERVE(arena, of.ends[k], count);
    for (size_t i = 0; is_made && i < count; i++) {
      of.ends[k][i] = HUGE_VAL;
    }
  }
  *schedule = (dsm__schedule){of.ends[FORWARD], of.ends[BACKWARD], of.ends[UPDATE]};
  if (!is_made) {
    return -1;
  }
  for (size_t d = 0; d < times->devices; d++) {
    choose_next(&of, d);
  }
  while (run_first(&of)) {
  }
  double end = 0;
  for (size_t d = 0; d < times->devices; d++) {
    end = fmax(end, of.devices[d].free_at);
  }
  return end;
}
