/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assignment.h: each task on one device, and answers to begin a search with. What an assignment
 * does is known without a programme: with T_j the seconds of a request on device j and B_j the
 * bytes that leave it, rho = 1 / max_j (T_j, B_j / beta_j), the latency is sum_j (T_j + B_j /
 * beta_j). Where more than links out of devices carries transfers, the same holds of each carrier's
 * seconds and of the sum of transfers' times (routes.h).
 */
#ifndef DSM_PARTITION_ASSIGNMENT_H
#define DSM_PARTITION_ASSIGNMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "dsm/partition.h"
#include "partition/routes.h"

/* ---- how parts of a search that know no clock are told to stop ---- */

/** Whether to stop early. */
typedef bool dsm__is_over(void *context);

/* ---- each task on one device ---- */

typedef struct dsm__assignment {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  size_t *device_of;    /**< [i] */
  double *busy_seconds; /**< [j]: of a request */
  double *sent_bytes;   /**< [j]: of a request, by plain links */
  dsm__routes routes;
  double *carried_seconds; /**< [carrier]: of a request, by routes that are not plain */
  double moving_seconds;   /**< of a request's transfers one after the other, likewise */
  double *held_bytes;      /**< [j] */
  size_t *leader;          /**< [i]: the first task of its group; itself if it is in none */
  size_t *mate;            /**< [i]: the next task of its group, in a ring */
  /* private */
  double cuts;          /* tensors that a request moves, each once for each device */
  size_t *tasks_on;     /* [j] */
  size_t used_count;    /* devices with tasks */
  size_t run_ends;      /* tasks on another device than the task before */
  bool *leaves;         /* [i] */
  double *groups;       /* [i]: requests that leave a task together, scratch */
  size_t *uses;         /* [t * m + j]: consumers there */
  size_t *targets;      /* [t]: devices with consumers */
  size_t *first_input;  /* [i]: in inputs, up to first_input[i + 1] */
  size_t *inputs;       /* tensors by consumer */
  size_t *first_output; /* [i]: in outputs */
  size_t *outputs;      /* tensors by producer */
} dsm__assignment;

/** Each task on the first device that can run it; there must be one. False: out of memory. */
bool dsm__assignment_init(dsm__assignment *assignment, dsm__arena *arena,
                          const dsm_instance *instance, const dsm_partition_options *options);

/** In time proportional to what the task reads and makes. */
void dsm__assignment_move(dsm__assignment *assignment, size_t task, size_t device);

/** All sums anew, without the rounding of moves. */
void dsm__assignment_count(dsm__assignment *assignment);

/** Seconds of a request on a carrier, of which there are dsm__assignment_carriers. */
double dsm__assignment_carried(const dsm__assignment *assignment, size_t carrier);
size_t dsm__assignment_carriers(const dsm__assignment *assignment);

/** Seconds of a request with those in the batches of its devices, one after the other. */
double dsm__assignment_latency(const dsm__assignment *assignment);

/** Bytes by which memories are exceeded. */
double dsm__assignment_overflow(const dsm__assignment *assignment);

/** Whether stages are runs of tasks, where they have to be. */
bool dsm__assignment_is_staged(const dsm__assignment *assignment);

/** Cuts beyond those allowed. */
double dsm__assignment_excess_cuts(const dsm__assignment *assignment);

/** By how much a request is slower than it may be, in parts of the limit; 0 where it is not. What
 * it waits for batches counts. */
double dsm__assignment_delay(const dsm__assignment *assignment);

/** Of all devices at the required rate, or of those with tasks where others are turned off. */
double dsm__assignment_watts(const dsm__assignment *assignment);

/** Requests per second, seconds, or watts; energy: infinite if a device or link would be used for
 * more than all of its time. */
double dsm__assignment_value(const dsm__assignment *assignment);

/** Whether it keeps memories, stages, cuts and the limit of latency. */
bool dsm__assignment_is_allowed(const dsm__assignment *assignment);

typedef enum dsm__found {
  DSM__FOUND_ONE = 0,
  DSM__FOUND_NOTHING, /**< none that keeps all memories (energy: at the required rate) */
  DSM__FOUND_NO_MEMORY
} dsm__found;

/**
 * Looks for a good assignment: by decreasing need to the device that is ready first, or of stages
 * in runs, then by simulated annealing, in a number of steps that depends on the
 * instance alone unless is_over says so before.
 */
dsm__found dsm__assignment_search(dsm__assignment *assignment, dsm__arena *arena,
                                  dsm__is_over *is_over, void *context);

/* ---- storages to begin a search with, found without a solver ---- */

typedef struct dsm__initial {
  bool *storages;
  size_t storage_count;
} dsm__initial;

/**
 * storage_count storages [i * m + j], one after the other: the tasks split into runs, one a device,
 * so that the slowest device or carrier is fastest (a dynamic programme over sets of devices, for
 * up to 10 of them), an assignment (NULL: none), and both with what memory is left filled with
 * further copies of the tasks. All keep (3). False: out of memory.
 */
bool dsm__make_initial_assignments(dsm__initial *initial, dsm__arena *arena,
                                   const dsm_instance *instance,
                                   const dsm_partition_options *options, const dsm__routes *routes,
                                   const size_t *device_of);

/** The least seconds between requests of stages, or for latency of a request: no stages have less,
 * and on a chain whose transfers take links alone the best have as much. 0: not known, as nobody
 * asks for stages, or there are too many ways to cut. False: out of memory. */
bool dsm__stage_bound_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                           const dsm_partition_options *options);

#endif
