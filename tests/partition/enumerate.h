/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * enumerate.h: the twin of the solver. Every way to store the tasks is tried, each with a linear
 * programme of its own over the rates; nothing is shared with the solver but the instance.
 */
#ifndef DSM_TESTS_PARTITION_ENUMERATE_H
#define DSM_TESTS_PARTITION_ENUMERATE_H

#include "dsm/partition.h"

/** Calls value_of for all storages worth a look, with the tasks on each device as bits; the largest
 * value, or `none`. */
double enumerate_storages(const dsm_instance *instance, const dsm_partition_options *options,
                          double (*value_of)(const dsm_instance *, const dsm_partition_options *,
                                             const unsigned *sets),
                          double none);

/** Most requests per second; 0: there is no way to store every task. */
double enumerate_throughput(const dsm_instance *instance, const dsm_partition_options *options);

/** Shortest time of a request over all assignments that fit; infinite: none does. */
double enumerate_latency(const dsm_instance *instance, const dsm_partition_options *options);

/** Least joules a request at the required rate; infinite: out of reach. */
double enumerate_energy(const dsm_instance *instance, const dsm_partition_options *options);

#endif
