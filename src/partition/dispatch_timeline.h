/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_timeline.h: when a device is taken. A task that must wait for its inputs leaves a gap
 * before it, and a later one that is ready goes there, as long as nothing is put off by it.
 */
#ifndef DSM_PARTITION_DISPATCH_TIMELINE_H
#define DSM_PARTITION_DISPATCH_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct dsm__gap {
  double begin;
  double end;
} dsm__gap;

/** All zero but `shortest` is a device that nothing was given to. */
typedef struct dsm__timeline {
  double shortest; /**< seconds of the shortest task; gaps below that are not kept */
  double end;      /**< of all that was given to the device */
  dsm__gap *gaps;  /**< ascending, from number `head` on */
  size_t head;
  size_t tail; /**< behind the last */
  size_t capacity;
} dsm__timeline;

/** A place on a timeline. */
typedef struct dsm__slot {
  size_t gap; /**< number of the gap; `tail`: behind all */
  double begin;
} dsm__slot;

/** The earliest place for a task that is ready at a time, which is now or later. */
dsm__slot dsm__timeline_find(dsm__timeline *timeline, double now, double ready, double seconds);

/** Takes a place that was found since the last was taken; false if out of memory. */
bool dsm__timeline_take(dsm__timeline *timeline, dsm__arena *arena, double now, dsm__slot slot,
                        double seconds);

#endif
