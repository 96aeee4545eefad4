/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_tight.c: rows that keep an optimum and make the relaxation of a programme tighter.
 *
 * A row is valid if some optimum keeps it; then the tree may look at answers that do, and its bound
 * is one of the optimum. All rows here are such: each says why.
 */
#include <math.h>

#include "partition/programme_writer.h"

/* How many of the devices that cannot run a task at the least rate alone it takes to reach it, the
 * fastest first; 0: all of them cannot. */
static size_t count_helpers(const dsm__writer *w, size_t task, double least) {
  const size_t device_count = w->instance->device_count;
  double reached = 0;
  double last = HUGE_VAL;
  size_t last_device = device_count;
  for (size_t count = 1; count <= device_count; count++) {
    /* the next slower one: by rate, then by number */
    size_t next = device_count;
    for (size_t j = 0; j < device_count; j++) {
      const double rate = w->made->rate[dsm__place_of(w, task, j)] == DSM__NO_COLUMN
                              ? 0
                              : 1 / dsm__spent(w, task, j);
      const bool is_after = rate < last || (rate == last && j > last_device);
      if (rate > 0 && rate < least && is_after &&
          (next == device_count || rate > 1 / dsm__spent(w, task, next))) {
        next = j;
      }
    }
    if (next == device_count) {
      return 0;
    }
    last = 1 / dsm__spent(w, task, next);
    last_device = next;
    reached += last;
    if (reached >= least) {
      return count;
    }
  }
  return 0;
}

/* A task is stored somewhere, if that is to be decided at all: on a device that can run it at the
 * least rate that is of interest, or on enough of the others. Where no such device stores it, its
 * rate is the sum of those of slower ones, and even the fastest of them reach the least rate only
 * together with `helpers` of them. So with a weight of 1 for a device that is enough and of 1 /
 * helpers for another, every answer of interest has a sum of at least 1, and the row cuts off none.
 */
static void write_placed_row(dsm__writer *w, size_t task) {
  const dsm__programme *const made = w->made;
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const size_t place = dsm__place_of(w, task, j);
    if (made->rate[place] != DSM__NO_COLUMN && made->stored[place] == DSM__NO_COLUMN) {
      return;
    }
  }
  const double least = dsm__least_rate(w);
  const size_t helpers = count_helpers(w, task, least);
  dsm__begin_row(w,
                 (dsm__row){.kind = DSM__ROW_PLACED, .major = task, .lower = 1, .upper = HUGE_VAL});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const size_t place = dsm__place_of(w, task, j);
    if (made->stored[place] == DSM__NO_COLUMN) {
      continue;
    }
    const bool is_enough = 1 / dsm__spent(w, task, j) >= least;
    const double others = helpers == 0 ? 0 : 1 / (double)helpers;
    dsm__write_entry(w, made->stored[place], is_enough ? 1 : others);
  }
}

/* Of two equal devices the first stores the lexicographically greater set of the tasks that order:
 * any answer becomes such a one by renaming equal devices. The sets are compared as numbers whose
 * bits are the tasks, the heaviest first, by one row, so that of all answers that differ in names
 * alone the tree looks at one. Six tasks are enough to tell most sets apart, and keep the weights
 * small beside the solver's tolerances. Without these rows 20 tasks on 8 devices took 4.7 s in
 * place of 0.9. */
static void write_order_row(dsm__writer *w, size_t device) {
  const dsm__programme *const made = w->made;
  size_t next = device + 1;
  while (next < w->instance->device_count &&
         !dsm__devices_are_equal(w->instance, w->options, device, next)) {
    next++;
  }
  if (next == w->instance->device_count ||
      (!w->is_latency && !w->has_few_copies && w->is_roomy[device])) {
    return;
  }
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_ORDER, .device = device, .upper = HUGE_VAL});
  for (size_t k = 0; k < w->order_count; k++) {
    const double weight = ldexp(1, (int)(w->order_count - 1 - k));
    const size_t *const columns = w->is_latency ? made->rate : made->stored;
    dsm__write_entry(w, columns[dsm__place_of(w, w->by_need[k], device)], weight);
    dsm__write_entry(w, columns[dsm__place_of(w, w->by_need[k], next)], -weight);
  }
}

static void write_goal_row(dsm__writer *w) {
  dsm__programme *const made = w->made;
  made->goal_row = DSM__NO_COLUMN;
  if (made->is_maximised) {
    return;
  }
  const dsm__row row = {.kind = DSM__ROW_GOAL, .lower = -HUGE_VAL, .upper = HUGE_VAL};
  made->goal_row = dsm__begin_row(w, row);
  for (size_t c = 0; c < made->column_count; c++) {
    dsm__write_entry(w, c, made->columns == NULL ? 1 : made->columns[c].cost);
  }
}

void dsm__write_tight_rows(dsm__writer *w) {
  for (size_t i = 0; i < w->instance->task_count && !w->is_latency; i++) {
    write_placed_row(w, i);
  }
  for (size_t j = 0; j < w->instance->device_count; j++) {
    write_order_row(w, j);
  }
  write_goal_row(w);
}
