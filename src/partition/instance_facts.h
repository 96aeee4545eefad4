/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_facts.h: what follows from an instance and the options without any search. */
#ifndef DSM_PARTITION_INSTANCE_FACTS_H
#define DSM_PARTITION_INSTANCE_FACTS_H

#include "dsm/partition.h"

/** Bytes that a stored task takes in (3). */
double dsm__task_need(const dsm_instance *instance, const dsm_partition_options *options,
                      size_t task);

/** Whether task i can run on device j and fits there alone. */
bool dsm__task_can_run(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t task, size_t device);

/** Whether the tensors form chains: one consumer each, and one input a task. Then (7) needs no
 * equality (docs/partition.md). */
bool dsm__is_chain(const dsm_instance *instance);

/** Whether what task i puts out leaves the server. */
bool dsm__leaves(const dsm_instance *instance, const dsm_partition_options *options, size_t task);

/** Whether devices a and b differ in nothing that the programme knows. */
bool dsm__devices_are_equal(const dsm_instance *instance, size_t a, size_t b);

/** The longest time over the shortest, of tasks on devices that can run them and of tensors over
 * links with a limit; what takes no time is left out. At least 1. */
double dsm__time_range(const dsm_instance *instance);

/** Most tasks by which equal devices are ordered: coefficients are powers of two below 2^that. */
enum { DSM__ORDER_TASKS_MAX = 6 };

/** The heaviest tasks, the heaviest first, of equal ones the first. Returns how many. */
size_t dsm__order_tasks(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t tasks[DSM__ORDER_TASKS_MAX]);

#endif
