/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_gain.h: how much better a partition is than a simple way to use the devices. */
#ifndef DSM_REPORT_TABLE_PARTITION_GAIN_H
#define DSM_REPORT_TABLE_PARTITION_GAIN_H

#include "dsm/partition.h"

/** Requests per second over the baseline's, for the objective latency the baseline's latency over
 * the partition's; 0 where there is nothing to compare: no such baseline, or energy, which
 * baselines do not have. */
static inline double dsm__partition_gain(const dsm_partition *partition,
                                         const dsm_partition_baseline *baseline) {
  if (!baseline->is_feasible) {
    return 0;
  }
  switch (partition->options.objective) {
  case DSM_OBJECTIVE_THROUGHPUT:
    return baseline->rho > 0 ? partition->rho / baseline->rho : 0;
  case DSM_OBJECTIVE_LATENCY:
    return partition->latency_seconds > 0 ? baseline->latency_seconds / partition->latency_seconds
                                          : 0;
  case DSM_OBJECTIVE_ENERGY:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return 0;
}

#endif
