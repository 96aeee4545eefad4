/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_latency.h: what batches make of the time of a request (docs/partition.md, batches).
 *
 * Where a device runs b requests together and they come one after the other at a rate r, the first
 * waits (b - 1) / r for the last, and all of them (b - 1) / 2r on average. Those that another
 * device ran together come together: of a batch of g only (b - g) / 2r are waited for, and where g
 * is larger than b they are run one batch after the other.
 */
#ifndef DSM_PARTITION_BATCH_LATENCY_H
#define DSM_PARTITION_BATCH_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "dsm/instance.h"

typedef struct dsm__batch_latency {
  double task_seconds; /**< of a request's tasks, each with those that are run together with it */
  double waiting_seconds; /**< mean, until batches are full */
  /* private, of each task */
  double *together; /* requests that come to the end of it together */
  double *largest;
  size_t *guide;
} dsm__batch_latency;

/** Of a request that runs each task on one device, where tasks are run at these rates and requests
 * come at rho. False: out of memory. */
bool dsm__batch_latency_find(dsm__batch_latency *made, dsm__arena *arena,
                             const dsm_instance *instance, const size_t *device_of,
                             const double *rates, double rho);

#endif
