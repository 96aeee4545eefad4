/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request_columns.h: the twin of partitions with ports, pairs and other ways of transfers. A
 * request is a column: one device for each task, and what that takes of devices and carriers. On a
 * chain the best mixture of such requests is the optimum; on a graph the programme is a bound of
 * it.
 */
#ifndef DSM_TESTS_PARTITION_REQUEST_COLUMNS_H
#define DSM_TESTS_PARTITION_REQUEST_COLUMNS_H

#include "dsm/partition.h"

/** Most requests per second; 0: there is no way to store every task. At most 81 assignments. */
double request_columns_throughput(const dsm_instance *instance,
                                  const dsm_partition_options *options);

/** Least joules a request at the required rate; infinite: out of reach. */
double request_columns_energy(const dsm_instance *instance, const dsm_partition_options *options);

/** Shortest time of a request over all assignments that fit; infinite: none does. */
double request_columns_latency(const dsm_instance *instance, const dsm_partition_options *options);

#endif
