/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * makespan.c: how long a pipeline takes.
 *
 * A device runs its passes one after the other, in the order that the schedule says. A forward pass
 * waits for that of the device before, a backward pass for that of the device behind: a pass begins
 * when the device is free and what it waits for is there.
 */
#include "plan/makespan.h"

#include "base/arena.h"
#include "base/order.h"
#include "plan/interleave.h"

size_t dsm__stored_micro_batches(bool is_gpipe, size_t devices, size_t device,
                                 size_t micro_batches) {
  const size_t until_back = devices - device;
  return is_gpipe || micro_batches < until_back ? micro_batches : until_back;
}

/*
 * Source: section 13. Symbols: device j of p takes f_j and b_j for a micro-batch and keeps w_j of
 * n, S = sum(f + b), g_j = n - (1 + w_j) / 2: 1 + 1 / sum(1 / g_j). Limits: one device: n; one
 * micro-batch: 1.
 *
 * When the first micro-batch has gone forward through all devices and back through j, n - w_j
 * forward and n - 1 backward passes of j are left, since it kept w_j at most, and then a
 * micro-batch goes back through the devices before; a schedule takes
 *
 *     M >= S + (n - w_j) f_j + (n - 1) b_j
 *
 * Before the last forward pass of j the first micro-batch has come to it, n - 1 forward passes and
 * n - w_j backward ones have run, and then the last micro-batch goes on to the end and back:
 *
 *     M >= S + (n - 1) f_j + (n - w_j) b_j
 *
 * Their mean is S + g_j (f_j + b_j); these, weighted by 1 / g_j, sum up to M sum(1 / g_j) >= S
 * sum(1 / g_j) + S.
 */
double dsm__least_makespan(size_t devices, size_t micro_batches) {
  double sum = 0;
  for (size_t j = 0; micro_batches > 1 && j < devices; j++) {
    const size_t kept = dsm__stored_micro_batches(false, devices, j, micro_batches);
    sum += 1 / ((double)micro_batches - (1 + (double)kept) / 2);
  }
  return micro_batches > 1 ? 1 + 1 / sum : 1;
}

/* Where the passes of all devices are. */
typedef struct running {
  const dsm__makespan_times *times;
  size_t runs; /* of each device */
  bool is_gpipe;
  double *forward_ends;  /* of run and micro-batch; negative: it has not run */
  double *backward_ends; /* likewise */
  size_t *forwards;      /* of each device: how many have run */
  size_t *backwards;
  double *free_at; /* of each device */
} running;

/* A pass of a device: of one of its runs, counted over all devices, and a micro-batch. */
typedef struct pass {
  size_t run;
  size_t micro_batch;
  bool is_backward;
} pass;

/* The k-th pass of a device forward or back: where it has several runs, micro-batches pass each in
 * groups of as many as devices, and back the last run first. */
static pass pass_at(const running *of, size_t device, size_t k, bool is_backward) {
  const size_t devices = of->times->devices;
  const size_t group = devices * of->runs;
  if (of->runs == 1) {
    return (pass){device, k, is_backward};
  }
  const size_t turn = k % group / devices;
  return (pass){(is_backward ? of->runs - 1 - turn : turn) * devices + device,
                k / group * devices + k % devices, is_backward};
}

/* A device goes forward as long as it may keep what that makes, and then backward and forward in
 * turn. */
static pass next_of(const running *of, size_t device) {
  const size_t count = of->times->micro_batches;
  const dsm__interleaving runs = {
      .stages = of->times->devices, .runs = of->runs, .micro_batches = count};
  const size_t forwards = of->forwards[device];
  const size_t done = of->backwards[device];
  const size_t most =
      of->runs > 1 ? dsm__interleaved_in_flight(&runs, device)
                   : dsm__stored_micro_batches(of->is_gpipe, of->times->devices, device, count);
  if (forwards < count * of->runs && forwards - done < most) {
    return pass_at(of, device, forwards, false);
  }
  return pass_at(of, device, of->is_gpipe ? count - 1 - done : done, true);
}

/* When what a pass needs is there; negative: it has not run. */
static double ready_at(const running *of, pass next) {
  const dsm__makespan_times *const times = of->times;
  const size_t at = next.run * times->micro_batches + next.micro_batch;
  const bool is_last = next.run + 1 == times->devices * of->runs;
  if (next.run == 0 && !next.is_backward) {
    return 0;
  }
  if (is_last && next.is_backward) {
    return of->forward_ends[at];
  }
  const double before = next.is_backward ? of->backward_ends[at + times->micro_batches]
                                         : of->forward_ends[at - times->micro_batches];
  return before < 0 ? before
                    : before + (next.is_backward ? times->error_link[next.run]
                                                 : times->output_link[next.run - 1]);
}

/* Runs a device's next pass, if what it waits for has run. */
static bool run_next(running *of, size_t device) {
  const dsm__makespan_times *const times = of->times;
  if (of->backwards[device] == times->micro_batches * of->runs) {
    return false;
  }
  const pass next = next_of(of, device);
  const size_t at = next.run * times->micro_batches + next.micro_batch;
  const double ready = ready_at(of, next);
  if (ready < 0) {
    return false;
  }
  const double end = dsm__larger(of->free_at[device], ready) +
                     (next.is_backward ? times->backward : times->forward)[at];
  of->free_at[device] = end;
  (next.is_backward ? of->backward_ends : of->forward_ends)[at] = end;
  (next.is_backward ? of->backwards : of->forwards)[device]++;
  return true;
}

/* Devices are taken in turn until none can go on: each runs all that it can. */
static double run_all(running *of) {
  double end = 0;
  bool is_moved = true;
  while (is_moved) {
    is_moved = false;
    for (size_t device = 0; device < of->times->devices; device++) {
      while (run_next(of, device)) {
        is_moved = true;
      }
      end = dsm__larger(end, of->free_at[device]);
    }
  }
  return end;
}

double dsm__schedule_find(const dsm__makespan_times *times, bool is_gpipe, dsm__arena *arena,
                          dsm__schedule *schedule) {
  const size_t runs = times->runs > 0 ? times->runs : 1;
  const size_t count = times->devices * runs * times->micro_batches;
  running of = {.times = times, .runs = runs, .is_gpipe = is_gpipe};
  const bool is_made = DSM__RESERVE(arena, of.forward_ends, count) &&
                       DSM__RESERVE(arena, of.backward_ends, count) &&
                       DSM__RESERVE(arena, of.forwards, times->devices) &&
                       DSM__RESERVE(arena, of.backwards, times->devices) &&
                       DSM__RESERVE(arena, of.free_at, times->devices);
  for (size_t i = 0; is_made && i < count; i++) {
    of.forward_ends[i] = of.backward_ends[i] = -1;
  }
  *schedule = (dsm__schedule){of.forward_ends, of.backward_ends, NULL};
  return is_made ? run_all(&of) : -1;
}

double dsm__makespan(const dsm__makespan_times *times, bool is_gpipe) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__schedule schedule;
  const double seconds = dsm__schedule_find(times, is_gpipe, arena, &schedule);
  dsm__arena_free(arena);
  return seconds;
}
