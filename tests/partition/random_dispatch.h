/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random_dispatch.h: small partitions to simulate: chains and branching graphs, links with and
 * without a limit, tasks that some devices cannot run, parameters stored here and there. */
#ifndef DSM_TESTS_PARTITION_RANDOM_DISPATCH_H
#define DSM_TESTS_PARTITION_RANDOM_DISPATCH_H

#include "dsm/dispatch.h"

enum { RANDOM_TASKS = 8, RANDOM_DEVICES = 4, RANDOM_TENSORS = 16, RANDOM_WAYS = 4 };

/** Points into itself: not to be copied. */
typedef struct random_dispatch {
  dsm_partition partition;
  dsm_instance instance;
  dsm_task tasks[RANDOM_TASKS];
  dsm_tensor tensors[RANDOM_TENSORS];
  size_t consumers[RANDOM_TENSORS][RANDOM_TASKS];
  dsm_instance_device devices[RANDOM_DEVICES];
  double seconds[RANDOM_TASKS * RANDOM_DEVICES];
  bool is_stored[RANDOM_TASKS * RANDOM_DEVICES];
  dsm_port ports[2];
  dsm_device_pair pairs[2];
  double rates[RANDOM_TASKS * RANDOM_DEVICES];
  double moved[RANDOM_TENSORS * RANDOM_DEVICES * RANDOM_DEVICES];
  dsm_request_way ways[RANDOM_WAYS];
  uint8_t way_devices[RANDOM_WAYS][RANDOM_TASKS];
} random_dispatch;

/** Each task is stored on a device that can run it, and runs once a second in all where it is. */
void random_dispatch_make(random_dispatch *made, uint64_t seed);

/** Lets some tasks other than the first take no time on some devices. */
void random_dispatch_instant(random_dispatch *made, uint64_t seed);

/** Gives some devices bytes an element of their own. */
void random_dispatch_precision(random_dispatch *made, uint64_t seed);

/** Gives some devices batches. */
void random_dispatch_batches(random_dispatch *made, uint64_t seed);

/** Adds ports, pairs, ways in, fixed costs and inputs of requests. */
void random_dispatch_routes(random_dispatch *made, uint64_t seed);

/** Says what goes from where to where: ways of whole requests, or what moves of each tensor. */
void random_dispatch_ways(random_dispatch *made, uint64_t seed);
void random_dispatch_moved(random_dispatch *made, uint64_t seed);

/** How the requests come, a closed loop or arrivals, and the rule, by the seed; recorded. */
dsm_dispatch_options random_dispatch_options(uint64_t seed, size_t request_count);

/** A chain of tasks of one device after the other, nothing stored, without limits, 1 second each.
 */
void chain_make(random_dispatch *made, size_t task_count, size_t device_count);

#endif
