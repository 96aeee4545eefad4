/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_placing.c: what plans to be deployed have to keep: few copies (8), stages (9), few cuts
 * (10), tasks that run together (11) (docs/partition.md, plans that can be deployed).
 *
 * (8) to (10) are said of whether a task is on a device, s_ij, or for latency x_ij. Further columns
 * need not be whole: with the s_ij whole, the least value that the rows leave them is 0 or 1, and
 * the sums are limited from above.
 */
#include <math.h>

#include "partition/programme_writer.h"

static const size_t *places(const dsm__writer *w) {
  return w->is_latency ? w->made->rate : w->made->stored;
}

/* With one device there is nothing to be kept. */
static bool is_staged(const dsm__writer *w) {
  return w->options->is_staged && w->instance->device_count > 1;
}

static bool has_few_cuts(const dsm__writer *w) {
  return w->options->cuts_max > 0 && w->instance->device_count > 1;
}

/* ---- columns ---- */

/* From 0 to 1. */
static size_t write_share(dsm__writer *w, dsm__column_kind kind, size_t major, size_t device) {
  return dsm__write_column(
      w, (dsm__column){.kind = kind, .major = major, .device = device, .upper = 1});
}

void dsm__write_placing_columns(dsm__writer *w) {
  const size_t device_count = w->instance->device_count;
  for (size_t k = 0; k < w->instance->task_count * device_count && is_staged(w); k++) {
    w->begins[k] = places(w)[k] == DSM__NO_COLUMN
                       ? DSM__NO_COLUMN
                       : write_share(w, DSM__COLUMN_BEGIN, k / device_count, k % device_count);
  }
  for (size_t k = 0; k < w->instance->tensor_count * device_count && has_few_cuts(w); k++) {
    w->cuts[k] = write_share(w, DSM__COLUMN_CUT, k / device_count, k % device_count);
  }
}

/* ---- rows ---- */

/* (8): sum_j s_ij <= K. Latency has one copy by (7), as its x_ij are whole. */
static void write_held_row(dsm__writer *w, size_t task) {
  const size_t most = dsm__copies_max(w->instance, w->options);
  dsm__begin_row(
      w,
      (dsm__row){.kind = DSM__ROW_HELD, .major = task, .lower = -HUGE_VAL, .upper = (double)most});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    dsm__write_entry(w, w->made->stored[dsm__place_of(w, task, j)], 1);
  }
}

/* (9): b_ij >= s_ij - s_{i-1,j}, and sum_i b_ij <= 1: the tasks of a device are one run. */
static void write_stage_rows(dsm__writer *w, size_t device) {
  const size_t task_count = w->instance->task_count;
  for (size_t i = 0; i < task_count; i++) {
    const size_t place = dsm__place_of(w, i, device);
    if (w->begins[place] == DSM__NO_COLUMN) {
      continue;
    }
    dsm__begin_row(
        w, (dsm__row){.kind = DSM__ROW_BEGIN, .major = i, .device = device, .upper = HUGE_VAL});
    dsm__write_entry(w, w->begins[place], 1);
    dsm__write_entry(w, places(w)[place], -1);
    if (i > 0) {
      dsm__write_entry(w, places(w)[dsm__place_of(w, i - 1, device)], 1);
    }
  }
  dsm__begin_row(
      w, (dsm__row){.kind = DSM__ROW_STAGE, .device = device, .lower = -HUGE_VAL, .upper = 1});
  for (size_t i = 0; i < task_count; i++) {
    dsm__write_entry(w, w->begins[dsm__place_of(w, i, device)], 1);
  }
}

/* (10): v_tj >= s_kj - s_ij for each consumer k of a tensor t of task i, and sum v_tj <= K. */
static void write_cut_rows(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    for (size_t j = 0; j < instance->device_count; j++) {
      for (size_t k = 0; k < it->consumer_count; k++) {
        dsm__begin_row(
            w,
            (dsm__row){
                .kind = DSM__ROW_CUT, .major = t, .device = j, .consumer = k, .upper = HUGE_VAL});
        dsm__write_entry(w, w->cuts[dsm__place_of(w, t, j)], 1);
        dsm__write_entry(w, places(w)[dsm__place_of(w, it->consumers[k], j)], -1);
        dsm__write_entry(w, places(w)[dsm__place_of(w, it->producer, j)], 1);
      }
    }
  }
  dsm__begin_row(
      w,
      (dsm__row){.kind = DSM__ROW_CUTS, .lower = -HUGE_VAL, .upper = (double)w->options->cuts_max});
  for (size_t k = 0; k < instance->tensor_count * instance->device_count; k++) {
    dsm__write_entry(w, w->cuts[k], 1);
  }
}

/* The same column of two tasks on a device, which may have none. */
static void write_equal_row(dsm__writer *w, size_t task, size_t device, size_t mine, size_t other) {
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_TOGETHER, .major = task, .device = device});
  dsm__write_entry(w, mine, 1);
  dsm__write_entry(w, other, -1);
}

/* (11): x_ij = x_kj for the task k before it in its group. Tight: stored on the same devices too,
 * without which no rate at all would be an answer where they fit nowhere together. */
static void write_together_rows(dsm__writer *w, size_t task) {
  size_t mate = task;
  while (mate > 0 && !dsm__are_together(w->instance, task, mate - 1)) {
    mate--;
  }
  for (size_t j = 0; j < w->instance->device_count && mate > 0; j++) {
    const size_t place = dsm__place_of(w, task, j);
    const size_t beside = dsm__place_of(w, mate - 1, j);
    const dsm__programme *const made = w->made;
    if (made->rate[place] != DSM__NO_COLUMN || made->rate[beside] != DSM__NO_COLUMN) {
      write_equal_row(w, task, j, made->rate[place], made->rate[beside]);
    }
    if (w->form.is_tight && made->stored[place] != DSM__NO_COLUMN &&
        made->stored[beside] != DSM__NO_COLUMN) {
      write_equal_row(w, task, j, made->stored[place], made->stored[beside]);
    }
  }
}

void dsm__write_placing_rows(dsm__writer *w) {
  for (size_t i = 0; i < w->instance->task_count; i++) {
    write_together_rows(w, i);
  }
  for (size_t i = 0; i < w->instance->task_count && w->has_few_copies; i++) {
    write_held_row(w, i);
  }
  for (size_t j = 0; j < w->instance->device_count && is_staged(w); j++) {
    write_stage_rows(w, j);
  }
  if (has_few_cuts(w)) {
    write_cut_rows(w);
  }
}
