/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zero_bubble.h: a pipeline whose backward passes are split, so that gradients of weights fill the
 * times in which stages wait (section 8). */
#ifndef DSM_PLAN_ZERO_BUBBLE_H
#define DSM_PLAN_ZERO_BUBBLE_H

#include "plan/makespan.h"

/** Micro-batches whose activations each device has at a time, at most. */
size_t dsm__zero_bubble_in_flight(size_t devices, size_t micro_batches);

/** The time of all passes, and when each ends. Of `times`, `update` is the part of `backward` that
 * makes gradients of weights. Negative if out of memory. */
double dsm__zero_bubble_find(const dsm__makespan_times *times, dsm__arena *arena,
                             dsm__schedule *schedule);

#endif
