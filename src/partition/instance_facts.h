/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_facts.h: what follows from an instance and the options without any search, and what can
 * be said of one that has no solution. */
#ifndef DSM_PARTITION_INSTANCE_FACTS_H
#define DSM_PARTITION_INSTANCE_FACTS_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/partition.h"

/** Whether it matters that devices which run nothing draw no power. */
bool dsm__can_turn_off(const dsm_partition_options *options);

/** Bytes that a task takes in (3) where it is stored: activations of a whole batch. */
double dsm__task_need(const dsm_instance *instance, const dsm_partition_options *options,
                      size_t task, size_t device);

/** Bytes of memory, and of tasks in it, that stand for one byte on each device: what all tasks need
 * on a device is then the same on all. 1 on all without a precision of its own. */
void dsm__memory_scales(double scales[DSM_DEVICES_MAX], const dsm_instance *instance,
                        const dsm_partition_options *options);

/** The least that a task needs on any device, scaled. */
double dsm__scaled_need(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t task, const double scales[DSM_DEVICES_MAX]);

/** Whether task i can run on device j and fits there alone. */
bool dsm__task_can_run(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t task, size_t device);

/** Whether the tensors form chains: one consumer each, and one input a task. Then (7) needs no
 * equality (docs/partition.md). */
bool dsm__is_chain(const dsm_instance *instance);

/** Bytes of the results of a task that has some (dsm__leaves), out of a device. */
double dsm__result_bytes(const dsm_instance *instance, size_t task, size_t device);

/** Most devices that may store a task, at most all. */
size_t dsm__copies_max(const dsm_instance *instance, const dsm_partition_options *options);

/** The options as they are meant: stages and cuts have each task in one place. */
dsm_partition_options dsm__meant_options(const dsm_partition_options *options);

/** Whether two tasks are to run on the same devices, equally often. */
bool dsm__are_together(const dsm_instance *instance, size_t task, size_t other);

/** Bytes of tensor t, or of the results of task t - tensor_count, out of a device. */
double dsm__output_bytes(const dsm_instance *instance, size_t tensor, size_t device);

/** min_i sum_j 1 / p_ij over the fastest devices that may store i: no solution has more requests a
 * second. */
double dsm__speed_limit(const dsm_instance *instance, const dsm_partition_options *options);

/** The task that makes it. */
size_t dsm__producer_of(const dsm_instance *instance, size_t tensor);

/** Bytes that all tasks need together at least, and that all devices have, both scaled. */
void dsm__add_up_memory(const dsm_instance *instance, const dsm_partition_options *options,
                        double *needed, double *room);

/** Whether something of what task i puts out is a result of the network: no task needs it. */
bool dsm__makes_results(const dsm_instance *instance, size_t task);

/** Whether something of what task i puts out leaves the server. */
bool dsm__leaves(const dsm_instance *instance, const dsm_partition_options *options, size_t task);

/** Whether devices a and b differ in nothing that the programme knows. */
bool dsm__devices_are_equal(const dsm_instance *instance, const dsm_partition_options *options,
                            size_t a, size_t b);

/** The longest time over the shortest, of tasks on devices that can run them and of tensors over
 * links with a limit; what takes no time is left out. At least 1. */
double dsm__time_range(const dsm_instance *instance);

/** The instance with 0 bytes for the tensors that make dsm__time_range more than range_max, if all
 * of them together take no more than these seconds of a request; else as it is. False: out of
 * memory. */
bool dsm__without_negligible(dsm_instance *made, dsm__arena *arena, const dsm_instance *instance,
                             double range_max, double seconds);

/** Most tasks by which equal devices are ordered: coefficients are powers of two below 2^that. */
enum { DSM__ORDER_TASKS_MAX = 6 };

/** The heaviest tasks, the heaviest first, of equal ones the first. Returns how many. */
size_t dsm__order_tasks(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t tasks[DSM__ORDER_TASKS_MAX]);

/* ---- what can be said without a solver about an instance that has no solution ---- */

/** DSM_ERROR_USAGE: the options ask for what the instance does not give (energy without power, a
 * limit that is no number). */
dsm_status dsm__check_question(const dsm_instance *instance, const dsm_partition_options *options,
                               dsm_diags *diags);

/** DSM_ERROR_INFEASIBLE if a task can be stored nowhere (a finding each), or all tasks together are
 * larger than all memories. */
dsm_status dsm__check_feasibility(const dsm_instance *instance,
                                  const dsm_partition_options *options, dsm_diags *diags);

/* ---- the whole network on some devices ---- */

/** Fills rates [i * device_count + j], which are 0, with the whole network on as few devices as
 * reach a rate together, the fastest first; false if the options do not allow them. */
bool dsm__replicate(double *rates, const dsm_instance *instance,
                    const dsm_partition_options *options, double least);

extern const dsm__words dsm__objective_words;
extern const dsm__words dsm__solution_status_words;
extern const dsm__words dsm__baseline_kind_words;

#endif
