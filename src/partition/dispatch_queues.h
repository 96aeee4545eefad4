/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_queues.h: what is to happen, in order of time, and tasks that wait in line. */
#ifndef DSM_PARTITION_DISPATCH_QUEUES_H
#define DSM_PARTITION_DISPATCH_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/growing_list.h"

/** At one moment, what comes first is handled first. */
typedef enum dsm__happening_kind {
  DSM__TASK_ENDS = 0,
  DSM__RESULT_LEFT, /**< the server, by a link */
  DSM__REQUEST_ENTERS,
  DSM__HAPPENING_KIND_COUNT
} dsm__happening_kind;

typedef struct dsm__happening {
  double seconds;
  struct dsm__flight *flight; /**< NULL for a request that enters */
  uint32_t request;
  uint16_t task;
  uint8_t kind; /**< dsm__happening_kind */
} dsm__happening;

/** A binary heap: by time, kind, request, task. All zero is an empty one. */
typedef struct dsm__agenda {
  dsm__happening *items;
  size_t count;
  size_t capacity;
} dsm__agenda;

/** False if out of memory. */
bool dsm__agenda_add(dsm__agenda *agenda, dsm__arena *arena, dsm__happening happening);

/** Takes the first; there must be one. */
dsm__happening dsm__agenda_take(dsm__agenda *agenda);

/** Moments at which those who wait are served, in any order: a binary heap. All zero is an empty
 * line. */
typedef struct dsm__waiting_line {
  double *items;
  size_t count;
  size_t capacity;
} dsm__waiting_line;

/** Those served until now go, and one more waits until it begins; false if out of memory. */
bool dsm__waiting_line_join(dsm__waiting_line *line, dsm__arena *arena, double now, double begin);

#endif
