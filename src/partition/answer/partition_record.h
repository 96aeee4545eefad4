/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_record.h: a partition as a document: what is written, and read. */
#ifndef DSM_PARTITION_ANSWER_PARTITION_RECORD_H
#define DSM_PARTITION_ANSWER_PARTITION_RECORD_H

#include "partition/answer/dispatch_data.h"
#include "report/data/records.h"
#include "report/layout.h"

/** What of a device can be used up: bits of dsm__device_row.binds. */
enum { DSM__BIND_TIME, DSM__BIND_MEMORY, DSM__BIND_LINK, DSM__BIND_COUNT };

/** A device. */
typedef struct dsm__device_row {
  dsm_instance_device device;
  dsm_device_use use;
  size_t batch;
  bool is_one_request; /**< of the objective latency */
  unsigned binds;      /**< bits */
} dsm__device_row;

/** A device that stores the parameters of a task. */
typedef struct dsm__placement_row {
  size_t device_index;
  const char *device;
  double rate;
  double seconds;
} dsm__placement_row;

/** A task. */
typedef struct dsm__task_row {
  const char *name;
  double weights_bytes;
  double activation_bytes;
  double output_bytes;
  double result_bytes;
  double input_bytes;
  const char *group;
  bool has_activations;
  dsm__rows placements;
} dsm__task_row;

/** What a task makes for others. */
typedef struct dsm__tensor_row {
  const char *task;
  double bytes;
  const char *const *users;
  size_t user_count;
} dsm__tensor_row;

/** A partition as a document, its lists as rows. */
typedef struct dsm__partition_document {
  const char *instance;
  uint64_t batch;
  double samples_per_second;
  double element_bytes;
  double weight_bytes;
  dsm_partition of;
  dsm__rows devices;
  dsm__rows tasks;
  dsm__rows tensors;
  dsm__rows baselines;
  dsm__rows carriers;
  dsm__rows ports;
  dsm__rows pairs;
  dsm__rows ways;
  bool is_simulated;
  dsm__dispatch_row simulation;
  bool has_batches; /**< said to people alone, as the rest is */
  const char *bound_text;
  const char *relaxation_text;
  const char *solver;   /**< what it proved */
  const char *off;      /**< devices that are turned off */
  bool is_above_bound;  /**< the simulated throughput */
  bool is_below_answer; /**< a usual latency of the simulation */
} dsm__partition_document;

extern const dsm__record_type dsm__partition_record, dsm__deployment_record;
extern const dsm__record_type dsm__device_record, dsm__placement_record, dsm__task_record;
extern const dsm__layout dsm__partition_layout;

/** Reads a partition, and the instance that it is of. */
void dsm__partition_read(void *made, const dsm__json_node *root);

#endif
