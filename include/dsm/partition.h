/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * partition.h: which device runs which task of an inference request, and how often.
 *
 * Throughput is the mixed integer linear programme of section 2.6 of the paper (docs/partition.md):
 * x_ij tasks i per second on device j, s_ij whether its parameters are stored there, c_ij bytes of
 * its output that leave j per second, rho requests per second; maximise rho subject to (1) to (7).
 * A tensor with several consumers is sent once to each device that needs it: c_ij >= o_i (x_ij -
 * x_kj) for every consumer k, r_ij >= x_kj - x_ij, sum_j c_ij >= o_i sum_j r_ij, and c_ij <= o_i
 * (m - 1) x_ij; with one consumer that is the paper's.
 * Solved by GLPK; what it answers is checked and priced again by code of our own.
 */
#ifndef DSM_PARTITION_H
#define DSM_PARTITION_H

#include "dsm/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a partition is best in. */
typedef enum dsm_objective_kind {
  DSM_OBJECTIVE_THROUGHPUT = 0, /**< most requests per second */
  DSM_OBJECTIVE_LATENCY, /**< shortest time of one request: tasks one at a time, a tensor that
                              moves costs bytes / beta_j for each device it is sent to */
  DSM_OBJECTIVE_ENERGY,  /**< least joules a request at a required throughput */
  DSM_OBJECTIVE_KIND_COUNT
} dsm_objective_kind;

/** How far a search is. */
typedef struct dsm_partition_progress {
  bool has_best;  /**< an answer was found */
  double best;    /**< its value of what was asked for: requests per second, seconds or joules */
  double bound;   /**< proven so far; infinite: nothing yet */
  double gap;     /**< |bound - best| / |best|; infinite: not known */
  double seconds; /**< since the search began */
} dsm_partition_progress;

/** What is best, and how long to look for it. */
typedef struct dsm_partition_options {
  dsm_objective_kind objective;
  double required_rho;          /**< DSM_OBJECTIVE_ENERGY: requests per second, > 0 */
  double time_limit_seconds;    /**< of the solver, > 0; default 60 */
  double gap;                   /**< relative; default 1e-4 */
  bool does_count_activations;  /**< in (3), for every task that is stored */
  bool does_keep_results;       /**< results stay on their device; else x_{n+1,j} = 0: what tasks
                                     without consumers put out leaves the device */
  bool does_count_input;        /**< what tasks read of the request's input comes to an accelerator
                                     over its link; else it costs nothing */
  size_t copies_max;            /**< devices that store a task, at most; 0: any number. Latency has
                                     one copy of each task in any case */
  bool is_staged;               /**< each task in one place, and the tasks of a device follow one
                                     another in the order of tasks */
  size_t cuts_max;              /**< each task in one place, and a request moves at most so many
                                     tensors, one to several devices counted for each; 0: any number */
  bool is_unused_off;           /**< devices that run nothing are turned off and draw no power;
                                     else every device draws its idle power */
  double latency_limit_seconds; /**< a request takes at most so long on average, with what it waits
                                     for batches and without waiting for devices; 0: any time. Not
                                     of the objective latency */
  bool (*is_stopped)(void *context); /**< asked now and then: whether to end with the best so far,
                                        as at the time limit; NULL: never. Not asked any more
                                        once dsm_partition_solve returns */
  void (*report)(void *context, const dsm_partition_progress *progress); /**< told now and then, as
                                        is_stopped is asked, by a thread of its own; NULL: nobody */
  void *context; /**< of is_stopped and report */
} dsm_partition_options;

/** The only place of their defaults. */
DSM_API void dsm_partition_options_init(dsm_partition_options *options);

/** How an answer was found. */
typedef enum dsm_solution_status {
  DSM_SOLUTION_OPTIMAL = 0, /**< within the gap */
  DSM_SOLUTION_LIMITED,     /**< the time limit, or the solver's accuracy, came first: the gap says
                                 how good it is at least */
  DSM_SOLUTION_STATUS_COUNT
} dsm_solution_status;

/** What carries transfers. */
typedef enum dsm_carrier_kind {
  DSM_CARRIER_LINK = 0, /**< out of a device */
  DSM_CARRIER_INCOMING, /**< into a device */
  DSM_CARRIER_PORT_OUT, /**< from the devices of a port to others */
  DSM_CARRIER_PORT_IN,  /**< from others to the devices of a port */
  DSM_CARRIER_PAIR,     /**< from a device to another that it is paired with */
  DSM_CARRIER_KIND_COUNT
} dsm_carrier_kind;

/** How much of what carries transfers a partition uses. */
typedef struct dsm_carrier_use {
  dsm_carrier_kind kind;
  size_t index;            /**< device or port; of a pair the device that sends */
  size_t target;           /**< of a pair the other device */
  double capacity;         /**< bytes per second; infinite: unlimited */
  double bytes_per_second; /**< latency: bytes of the request */
  double transfers;        /**< per second; latency: of the request */
  double time_fraction;    /**< 0 .. 1, transfers' fixed costs counted */
  bool is_binding;         /**< within 1e-6 of the limit */
} dsm_carrier_use;

/** How much of a device a partition uses, and what of it binds. */
typedef struct dsm_device_use {
  double time_fraction; /**< 0 .. 1 */
  double memory_bytes;
  double memory_fraction;       /**< 0 where unlimited */
  double link_bytes_per_second; /**< throughput and energy; latency: bytes of the request */
  double link_fraction;         /**< 0 where unlimited */
  bool is_time_binding;         /**< within 1e-6 of the limit */
  bool is_memory_binding; /**< no task that is not stored there and could run would still fit */
  bool is_link_binding;
  bool is_off; /**< with is_unused_off: it runs nothing */
} dsm_device_use;

/** A simple way to use the same devices. */
typedef enum dsm_baseline_kind {
  DSM_BASELINE_ACCELERATORS = 0, /**< the whole network on each accelerator, balanced */
  DSM_BASELINE_REPLICATION,      /**< the whole network on each device, balanced */
  DSM_BASELINE_BEST_DEVICE,      /**< the whole network on the best single device */
  DSM_BASELINE_KIND_COUNT
} dsm_baseline_kind;

/** A simple way to use the devices, beside the partition. */
typedef struct dsm_partition_baseline {
  dsm_baseline_kind kind;
  bool is_feasible;       /**< at least one device holds and runs the whole network */
  double rho;             /**< requests per second; the links count too */
  double latency_seconds; /**< of a request on the fastest of its devices */
  size_t device_count;    /**< that take part */
} dsm_partition_baseline;

/** A way of requests, each task on one device. */
typedef struct dsm_request_way {
  double rate;            /**< requests per second that go it */
  const uint8_t *devices; /**< of each task */
} dsm_request_way;

/** What the solver had to do. */
typedef struct dsm_partition_statistics {
  size_t column_count; /**< of the programme that was branched over */
  size_t row_count;
  size_t node_count; /**< of all search trees */
} dsm_partition_statistics;

/** Which device runs which share of each task, how that was proven, and what it compares with. */
typedef struct dsm_partition {
  const dsm_instance *instance; /**< borrowed */
  dsm_partition_options options;
  dsm_solution_status status;
  bool
      is_heuristic; /**< the answer is that of the starting heuristic: the solver found no better */
  bool was_stopped; /**< options.is_stopped said so before the proof was done */
  double rho;       /**< requests per second, priced again from x */
  bool is_bound;    /**< DSM_OBJECTIVE_THROUGHPUT where the tensors form no chain: no requests are
                         known that run each task on one device and reach rho; else they do */
  double whole_rho; /**< where the tensors form no chain: most requests per second of that kind
                         on the devices that run the tasks here; 0: takes too long to say */
  double simulated_rho; /**< likewise: what a simulation by the rates reaches; 0: not simulated */
  const dsm_request_way *ways; /**< of whole requests on a graph; reach whole_rho where it is known.
                                    NULL: rates alone say where requests go */
  size_t way_count;
  double latency_seconds;      /**< DSM_OBJECTIVE_LATENCY; else of one request along the most used
                                    placement, for comparison; batches counted */
  double waiting_seconds;      /**< of it, mean: until the batches of devices are full */
  double mean_latency_seconds; /**< of all requests: tasks and transfers one at a time, with those
                                    that are run together and what is waited for them, and without
                                    waiting for devices; where the tensors form no chain and tasks
                                    are in several places, at least */
  bool is_mean_bound;          /**< no requests are known whose mean that is */
  double joules_per_request;   /**< where all devices that are used give power; else 0 */
  double objective;            /**< value of what was asked for: rho, seconds or joules */
  double bound;                /**< proven: no solution is better */
  double relaxation;     /**< optimum of the linear relaxation; infinite (for throughput above,
                              else below 0) where it was not solved */
  double gap;            /**< |bound - objective| / |objective| */
  double solver_seconds; /**< by the clock; the only number of an optimal answer that differs from
                            run to run */
  dsm_partition_statistics statistics;
  const double *rates;   /**< x_ij = rates[i * device_count + j], per second; latency: 0 or 1 */
  const bool *is_stored; /**< s_ij */
  const double *sent;  /**< bytes per second of tensor t (then of results of task i) from device j:
                            sent[(t or tensor_count + i) * device_count + j] */
  const double *moved; /**< bytes per second of tensor t from device j to k: moved[(t * device_count
                            + j) * device_count + k]; NULL where only what devices send counts */
  const dsm_device_use *uses;      /**< of each device */
  const dsm_carrier_use *carriers; /**< limited ones other than links out of devices */
  size_t carrier_count;
  dsm_partition_baseline baselines[DSM_BASELINE_KIND_COUNT];

  struct dsm__arena *arena; /**< private */
} dsm_partition;

/**
 * Solves. *partition borrows instance and belongs to the caller. Options may be NULL: throughput,
 * for at most 60 seconds. DSM_OK with a warning: the
 * programme is too large for the time limit, its numbers are too far apart, or the solver gave up;
 * the answer is the best that was found all the same. DSM_ERROR_INFEASIBLE: a task fits
 * nowhere (the finding names it and the bytes missing), all tasks do not fit together, or the
 * required throughput or the limit of latency is out of reach, or with batches no answer was found
 * that keeps the limit; DSM_ERROR_USAGE: energy without power; DSM_ERROR_IO: the solver failed;
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_partition_solve(dsm_partition **partition,
                                                     const dsm_instance *instance,
                                                     const dsm_partition_options *options,
                                                     dsm_diags *diags);
/** Frees a partition; NULL is fine. */
DSM_API void dsm_partition_free(dsm_partition *partition);

/** Checks an answer against every constraint, within 1e-6 relative; DSM_ERROR_INVALID with findings
 * that name constraint, task and device. dsm_partition_solve has done this. */
DSM_API DSM_NODISCARD dsm_status dsm_partition_validate(const dsm_partition *partition,
                                                        dsm_diags *diags);

/** The programme as free MPS text, written as minimise -rho (MPS carries no sense); malloc'ed.
 * Options may be NULL. DSM_ERROR_USAGE also where a device has several batches to choose from. With
 * batches and a limit of latency, what is waited is counted at a bound of the rate, so that the
 * optimum is one of the answer's. */
DSM_API DSM_NODISCARD dsm_status dsm_partition_mps(char **text, const dsm_instance *instance,
                                                   const dsm_partition_options *options,
                                                   dsm_diags *diags);

/** The baselines of an instance. Options may be NULL: the best device is that of throughput. */
DSM_API void dsm_partition_baselines(const dsm_instance *instance,
                                     const dsm_partition_options *options,
                                     dsm_partition_baseline baselines[DSM_BASELINE_KIND_COUNT]);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_objective_kind_name(dsm_objective_kind objective);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_solution_status_name(dsm_solution_status status);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_baseline_kind_name(dsm_baseline_kind kind);

#ifdef __cplusplus
}
#endif

#endif
