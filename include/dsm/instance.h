/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * instance.h: a partitioning problem in numbers: tasks, tensors between them, devices, and the
 * processing time p_ij of every task on every device.
 *
 * Notation of the paper (section 2.6): w_i weights, o_i output, p_ij time, M_j memory, beta_j link.
 */
#ifndef DSM_INSTANCE_H
#define DSM_INSTANCE_H

#include "dsm/server.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A layer, or consecutive layers. */
typedef struct dsm_task {
  const char *name;        /**< the layer's, or "FIRST..LAST" */
  double weights_bytes;    /**< w_i: parameters */
  double activation_bytes; /**< most that is live while it runs: what its layers read and make, and
                                what passes them by; counted in (3) only where asked */
  double input_bytes;      /**< of the request's input, that it reads; counted only where asked */
  double output_bytes;     /**< o_i: of its last output, what leaves the server for a task without
                                consumers; of several layers, of those that none uses */
  const char *group;   /**< tasks of the same group run on the same devices, equally often, and can
                            run on the same; NULL: it is in none */
  double result_bytes; /**< of several layers with consumers: of those that none uses, what
                            leaves the server all the same; 0: nothing does */
} dsm_task;

/** A tensor that a task makes for other tasks. On a chain each task but the last has one, with its
 * output and the next task as the only consumer. A task of several layers has one for each layer
 * that a later task uses, a task of one layer at most one. */
typedef struct dsm_tensor {
  size_t producer;
  double bytes;            /**< 0 or more */
  const size_t *consumers; /**< ascending, each once, all after the producer */
  size_t consumer_count;   /**< 1 or more */
} dsm_tensor;

/** What a task takes for so many requests together. */
typedef struct dsm_batch_time {
  uint32_t size; /**< 1 .. DSM_DEVICE_BATCH_MAX */
  double seconds;
} dsm_batch_time;

/** Times of a task on a device over the size of the batch, by rising size; between two of them they
 * are on a straight line, beyond them not known. */
typedef struct dsm_batch_table {
  const dsm_batch_time *times;
  size_t count; /**< 0: the time of one request alone is known, or that it cannot run here */
} dsm_batch_table;

/** A device as the programme sees it. */
typedef struct dsm_instance_device {
  const char *name;
  uint32_t batch;              /**< requests that it runs together; 0 is 1 */
  const uint32_t *batch_sizes; /**< of which dsm_partition_solve takes the best, rising */
  size_t batch_size_count;     /**< below 2: batch is not to be chosen */
  bool is_accelerator;
  double memory_bytes;              /**< M_j; infinite: unlimited */
  double link_bytes_per_second;     /**< beta_j; infinite: unlimited */
  double incoming_bytes_per_second; /**< 0: unlimited */
  double transfer_seconds;          /**< fixed cost of a transfer over its link */
  double element_bytes; /**< of activations and tensors that it makes; 0: as of the instance */
  double weight_bytes;  /**< of a parameter that it stores; 0: as of the instance */
  bool has_power;
  double busy_watts;
  double idle_watts;
} dsm_instance_device;

/** Immutable once made. Tasks are in an order in which they can run. */
typedef struct dsm_instance {
  const char *name;
  const dsm_task *tasks;
  size_t task_count;         /**< 1 .. DSM_TASKS_MAX */
  uint64_t batch;            /**< samples of a request; 0: a profile does not say */
  double element_bytes;      /**< that sizes of activations and tensors are stated for; 0: no device
                                  has its own */
  double weight_bytes;       /**< that sizes of parameters are stated for; likewise */
  const dsm_tensor *tensors; /**< by producer */
  size_t tensor_count;
  const dsm_instance_device *devices;
  size_t device_count;   /**< 1 .. DSM_DEVICES_MAX */
  const dsm_port *ports; /**< of two nested ones the inner first */
  size_t port_count;
  const dsm_device_pair *pairs;
  size_t pair_count;
  const double *seconds; /**< p_ij = seconds[i * device_count + j] >= 0: of a request, which is that
                              part of its batch's time; infinite: cannot run here. Some task takes
                              time wherever it can run */
  const dsm_batch_table *tables; /**< like seconds; NULL: no task has times of batches */

  struct dsm__arena *arena; /**< private */
} dsm_instance;

/** How tasks are made of layers. */
typedef struct dsm_instance_options {
  uint64_t batch;    /**< samples of a request, 1 by default; a profile's times are for its own */
  size_t task_count; /**< join consecutive layers into at most so many tasks, the largest of which
                          has the least work possible; 0: one task a layer */
  const char *const *pins; /**< "TASK=DEVICE,DEVICE": where tasks may run, of those where they can;
                                TASK may end in "*", for all that begin so. NULL: none */
  size_t pin_count;
  const char *const *groups; /**< "TASK,TASK": tasks that run on the same devices, equally often;
                                  likewise */
  size_t group_count;
  const char *const *batches; /**< "DEVICE=SIZES" or "SIZES" for all: how many requests a device
                                 runs together: one size, several with commas to choose from, or
                                 "best" for all of which there are times (of a server: powers of two
                                 to DSM_BATCH_POWER_MAX). DEVICE may end in "*". NULL: one, or the
                                   smallest of which all its tasks have times */
  size_t batch_count;
  const dsm_override *overrides; /**< of values of a profile that is read; borrowed */
  size_t override_count;
} dsm_instance_options;

/** The only place of their defaults. */
DSM_API void dsm_instance_options_init(dsm_instance_options *options);

/**
 * A task for each primary layer, or for several, and their times on the devices (docs/formats.md,
 * "Server"). p_ij of a chip is the layer's inference total alone: the best parallelism and core
 * splits, nothing held on chip or preloaded, no relayouts. DSM_ERROR_INVALID: a layer without a
 * time where times are given, a name that is no layer, or a time outside 1e-12 s to 1e9 s;
 * DSM_ERROR_USAGE: a batch that is none, or less
 * than the samples that a matmul's operand is of, or too many tasks, or batches of devices that are
 * none, or of which there are no times; DSM_ERROR_INFEASIBLE: the
 * scratchpad of a chip is smaller than an element. *instance then belongs to the caller and borrows
 * nothing. Options may be NULL: a task a layer, requests of one sample.
 */
DSM_API DSM_NODISCARD dsm_status dsm_instance_make(dsm_instance **instance,
                                                   const dsm_workload *workload,
                                                   const dsm_server *server,
                                                   const dsm_instance_options *options,
                                                   dsm_diags *diags);

/**
 * Reads a profile: format "dsm-profile/1" (tasks, tensors, devices and times in full), or the
 * planner format of msr-fiddle/dnn-partitioning, known by its keys (docs/formats.md, "Profile").
 * With options->task_count tasks are joined by their least times, which is DSM_ERROR_INVALID if a
 * time is then above 1e9 s. Options may be NULL: as many tasks as the profile has.
 */
DSM_API DSM_NODISCARD dsm_status dsm_profile_parse(dsm_instance **instance, const char *text,
                                                   size_t length, const char *file,
                                                   const dsm_instance_options *options,
                                                   dsm_diags *diags);
/** dsm_profile_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_profile_load(dsm_instance **instance, const char *path,
                                                  const dsm_instance_options *options,
                                                  dsm_diags *diags);

/**
 * The instance as a profile in the format "dsm-profile/1", which is the same instance when it is
 * read; malloc'ed, to be freed by the caller. DSM_ERROR_USAGE: the name of a task, as a planner
 * graph may join them, is longer than a profile can have.
 */
DSM_API DSM_NODISCARD dsm_status dsm_profile_text(char **text, const dsm_instance *instance,
                                                  const char *source, dsm_diags *diags);

/** The time of a batch of so many requests, 1 or more; infinite where it is not known, or the task
 * cannot run. */
DSM_API double dsm_instance_batch_seconds(const dsm_instance *instance, size_t task, size_t device,
                                          uint32_t size);

/** Frees the instance; NULL is fine. */
DSM_API void dsm_instance_free(dsm_instance *instance);

/** Requests that a device runs together. */
static inline double dsm_instance_batch(const dsm_instance *of, size_t device) {
  return of->devices[device].batch > 1 ? of->devices[device].batch : 1;
}

/** p_ij. */
static inline double dsm_instance_seconds(const dsm_instance *of, size_t task, size_t device) {
  return of->seconds[task * of->device_count + device];
}

/** Bytes of a task's activations, or of a tensor that it sends, on a device over those stated. */
static inline double dsm_instance_element_ratio(const dsm_instance *of, size_t device) {
  const double own = of->devices[device].element_bytes;
  return own > 0 ? own / of->element_bytes : 1;
}

/** Bytes of a task's parameters on a device over those stated. */
static inline double dsm_instance_weight_ratio(const dsm_instance *of, size_t device) {
  const double own = of->devices[device].weight_bytes;
  return own > 0 ? own / of->weight_bytes : 1;
}

/** Of a task's parameters on a device that stores them. */
static inline double dsm_instance_weights_bytes(const dsm_instance *of, size_t task,
                                                size_t device) {
  return of->tasks[task].weights_bytes * dsm_instance_weight_ratio(of, device);
}

/** Of what a task has live on a device that runs it. */
static inline double dsm_instance_activation_bytes(const dsm_instance *of, size_t task,
                                                   size_t device) {
  return of->tasks[task].activation_bytes * dsm_instance_element_ratio(of, device);
}

/** Of a tensor that a device sends. */
static inline double dsm_instance_tensor_bytes(const dsm_instance *of, size_t tensor,
                                               size_t device) {
  return of->tensors[tensor].bytes * dsm_instance_element_ratio(of, device);
}

#ifdef __cplusplus
}
#endif

#endif
