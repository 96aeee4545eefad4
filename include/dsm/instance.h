/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
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
  double weights_bytes;    /**< w_i */
  double activation_bytes; /**< most that is live while it runs; counted in (3) only where asked */
  double output_bytes;     /**< o_i: of its last output, what leaves the server for a task without
                                consumers */
} dsm_task;

/** A tensor that a task makes for other tasks; on a chain each task but the last has one, with its
 * output and the next task as the only consumer. */
typedef struct dsm_tensor {
  size_t producer;
  double bytes;
  const size_t *consumers; /**< ascending, each once, all after the producer */
  size_t consumer_count;   /**< 1 or more */
} dsm_tensor;

typedef struct dsm_instance_device {
  const char *name;
  bool is_accelerator;
  double memory_bytes;          /**< M_j; infinite: unlimited */
  double link_bytes_per_second; /**< beta_j; infinite: unlimited */
  bool has_power;
  double busy_watts;
  double idle_watts;
} dsm_instance_device;

/** Immutable once made. Tasks are in an order in which they can run. */
typedef struct dsm_instance {
  const char *name;
  const dsm_task *tasks;
  size_t task_count; /**< 1 .. DSM_TASKS_MAX */
  const dsm_tensor *tensors;
  size_t tensor_count;
  const dsm_instance_device *devices;
  size_t device_count;   /**< 1 .. DSM_DEVICES_MAX */
  const double *seconds; /**< p_ij = seconds[i * device_count + j] > 0; infinite: cannot run here */

  struct dsm__arena *arena; /**< private */
} dsm_instance;

typedef struct dsm_instance_options {
  uint64_t batch;    /**< samples of a request, 1 by default */
  size_t task_count; /**< join consecutive layers into at most so many tasks of about equal work; 0:
                          one task a layer */
} dsm_instance_options;

DSM_API void dsm_instance_options_init(dsm_instance_options *options);

/** p_ij of a chip is the layer's inference total alone, without reuse and preloading (model.md,
 * section 10), at the batch. DSM_ERROR_INVALID: a task without a time where times are given, or a
 * name that is no task. *instance then belongs to the caller and borrows nothing. */
DSM_API DSM_NODISCARD dsm_status dsm_instance_make(dsm_instance **instance,
                                                   const dsm_workload *workload,
                                                   const dsm_server *server,
                                                   const dsm_instance_options *options,
                                                   dsm_diags *diags);

/**
 * Reads a profile: format "dsm-profile/1" (tasks, tensors, devices and times in full), or the
 * planner format of msr-fiddle/dnn-partitioning, known by its keys. With a server (else NULL), the
 * profile's devices are the server's: those of kind "times" named in the profile.
 */
DSM_API DSM_NODISCARD dsm_status dsm_profile_parse(dsm_instance **instance, const char *text,
                                                   size_t length, const char *file,
                                                   const dsm_instance_options *options,
                                                   dsm_diags *diags);
DSM_API DSM_NODISCARD dsm_status dsm_profile_load(dsm_instance **instance, const char *path,
                                                  const dsm_instance_options *options,
                                                  dsm_diags *diags);

DSM_API void dsm_instance_free(dsm_instance *instance);

static inline double dsm_instance_seconds(const dsm_instance *instance, size_t task,
                                          size_t device) {
  return instance->seconds[task * instance->device_count + device];
}

#ifdef __cplusplus
}
#endif

#endif
