/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_bound.h: what stages allow, without a solver. */
#ifndef DSM_PARTITION_STAGE_BOUND_H
#define DSM_PARTITION_STAGE_BOUND_H

#include "base/arena.h"
#include "dsm/partition.h"

/** The least seconds between requests of stages, or for latency of a request: no stages have less.
 * 0: not known, as nobody asks for stages, or there are too many ways to cut. False: out of memory.
 */
bool dsm__stage_bound_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                           const dsm_partition_options *options);

#endif
