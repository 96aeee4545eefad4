/* SPDX-License-Identifier: GPL-3.0-or-later */
/* small_instance.h: small partitioning problems, by hand and at random. */
#ifndef DSM_TESTS_PARTITION_SMALL_INSTANCE_H
#define DSM_TESTS_PARTITION_SMALL_INSTANCE_H

#include "dsm/partition.h"

enum { SMALL_TASKS = 8, SMALL_DEVICES = 4 };

/** Points into itself: not to be copied. */
typedef struct small_instance {
  dsm_instance instance;
  dsm_task tasks[SMALL_TASKS];
  dsm_tensor tensors[SMALL_TASKS];
  size_t consumers[SMALL_TASKS][SMALL_TASKS];
  dsm_instance_device devices[SMALL_DEVICES];
  double seconds[SMALL_TASKS * SMALL_DEVICES];
  dsm_port ports[2];
  dsm_device_pair pairs[2];
} small_instance;

/** A chain of tasks of one byte of weights, one second and no output, on devices without limits. */
void small_chain(small_instance *made, size_t task_count, size_t device_count);

/** At random: up to so many tasks and devices; a chain, or (by the seed) a graph in which a tensor
 * may have several consumers. Some have no solution. */
void small_random(small_instance *made, uint64_t seed, size_t tasks_max, size_t devices_max);

/** Adds, at random, two nested or separate ports, pairs, ways in, fixed costs and inputs. */
void small_routes(small_instance *made, uint64_t seed);

/** Some devices get bytes an element, a parameter or both of their own. */
void small_precision(small_instance *made, uint64_t seed);

/** Some tasks take no time on some devices; one takes time everywhere. */
void small_instant(small_instance *made, uint64_t seed);

/** Bytes on a device over those stated, in the twins' own words. */
double small_elements(const dsm_instance *instance, size_t device);
double small_weights(const dsm_instance *instance, size_t device);

/** Outputs become tensors to the next task again, with the bytes that the tasks say. */
void small_relink(small_instance *made);

/** Every second task from `first` on becomes one group, which runs where all of it can. */
void small_group(small_instance *made, size_t first);

#endif
