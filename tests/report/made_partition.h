/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made_partition.h: partitions made by hand, to be shown. */
#ifndef DSM_TESTS_REPORT_MADE_PARTITION_H
#define DSM_TESTS_REPORT_MADE_PARTITION_H

#include "dsm/dispatch.h"

/** Four tasks on a gpu and a cpu without limits of memory and link: the gpu has two tasks, both
 * share one, the cpu has the last. Throughput, solved; nothing about energy. */
extern const dsm_partition made_partition;

/** The same for one request, by the heuristic when the time was over, without a bound: infinite. */
extern const dsm_partition made_latency_partition;

/** The same for least energy at 20 requests per second. */
extern const dsm_partition made_energy_partition;

/** A recorded closed loop of so many requests on the first one; NULL if out of memory. */
dsm_dispatch *made_simulation(size_t request_count);

#endif
