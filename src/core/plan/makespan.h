/* SPDX-License-Identifier: GPL-3.0-or-later */
/* makespan.h: how long a pipeline takes, by recurrences over devices and micro-batches. */
#ifndef DSM_PLAN_MAKESPAN_H
#define DSM_PLAN_MAKESPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/** What 1F1B takes at least, however devices share the passes: in times of what all of them take
 * for one micro-batch. */
double dsm__least_makespan(size_t devices, size_t micro_batches);

/** Times of a pipeline's devices for its micro-batches: of device d and micro-batch i at
 * d * micro_batches + i; where devices have several runs, of run d in place of device d. */
typedef struct dsm__makespan_times {
  size_t devices;
  size_t micro_batches;
  const double *forward;
  const double *backward;
  const double *output_link; /**< of each device: its output to the next one; len = devices */
  const double *error_link;  /**< the error of its output, from the next one; len = devices */
  size_t runs;               /**< of each device (interleave.h); 0: one */
  const double *update;      /**< of `backward`, gradients of weights alone, where a schedule makes
                                  them apart; else NULL */
} dsm__makespan_times;

/** Micro-batches whose activations a device has at a time, at most: in GPipe all of them, in 1F1B
 * as many as devices from it on. */
size_t dsm__stored_micro_batches(bool is_gpipe, size_t devices, size_t device,
                                 size_t micro_batches);

/** From the first forward pass to the last backward pass; negative if out of memory. */
double dsm__makespan(const dsm__makespan_times *times, bool is_gpipe);

/** When passes end: each as soon as its device is free and what it needs is there. */
typedef struct dsm__schedule {
  const double *forward_ends;
  const double *backward_ends;
  const double *update_ends; /**< of gradients of weights that are made apart; NULL: none are */
} dsm__schedule;

/** The same, with the schedule itself. */
double dsm__schedule_find(const dsm__makespan_times *times, bool is_gpipe, dsm__arena *arena,
                          dsm__schedule *schedule);

#endif
