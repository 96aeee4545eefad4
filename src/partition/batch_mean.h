/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_mean.h: what requests take on average where devices run several together
 * (docs/partition.md, batches): the mean over all ways of what batch_latency.h says of one.
 */
#ifndef DSM_PARTITION_BATCH_MEAN_H
#define DSM_PARTITION_BATCH_MEAN_H

#include <stdbool.h>

#include "base/arena.h"
#include "dsm/instance.h"

/** Whether a device runs more than one request at a time. */
bool dsm__has_batches(const dsm_instance *instance);

/** Whether rates say which ways requests go: of a chain, where each task is in one place, or where
 * nothing moves from device to device. */
bool dsm__ways_are_known(const dsm_instance *instance, const double *rates);

/**
 * Seconds of tasks and of waiting that the requests of a second take together, at these rates;
 * moved: [(t * m + j) * m + k] copies a second, or NULL. Where ways are not known these are less
 * than they take: each is run in the batch of its device, and waits for the largest of one task.
 * False: out of memory.
 */
bool dsm__batch_mean_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                          const double *rates, double rho, const double *moved);

#endif
