/* SPDX-License-Identifier: GPL-3.0-or-later */
/* initial_assignments.h: storages to begin a search with, found without a solver. */
#ifndef DSM_PARTITION_INITIAL_ASSIGNMENTS_H
#define DSM_PARTITION_INITIAL_ASSIGNMENTS_H

#include "base/arena.h"
#include "dsm/partition.h"

/**
 * start_count storages [i * m + j], one after the other: the tasks split into runs, one a device,
 * so that the slowest device or link is fastest (a dynamic programme over sets of devices, for up
 * to 10 of them), an assignment (NULL: none), and both with what memory is left filled with further
 * copies of the tasks. All keep (3). False: out of memory.
 */
bool dsm__make_starts(bool **starts, size_t *start_count, dsm__arena *arena,
                      const dsm_instance *instance, const dsm_partition_options *options,
                      const size_t *device_of);

#endif
