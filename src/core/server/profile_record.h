/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_record.h: the format "dsm-profile/1" as tables of fields, and what they are of. */
#ifndef DSM_SERVER_PROFILE_RECORD_H
#define DSM_SERVER_PROFILE_RECORD_H

#include "base/record.h"
#include "dsm/instance.h"
#include "server/links_record.h"

/** A device. */
typedef struct dsm__profile_device {
  dsm_instance_device of; /**< it has power where busy_watts are above 0 */
  const char *source;
  double seconds_ratio; /**< what its times are over those that tasks state */
} dsm__profile_device;

/** A tensor that a task sends. */
typedef struct dsm__profile_tensor {
  double bytes;
  const char *const *users;
  size_t user_count;
} dsm__profile_tensor;

/** A task. Its times are read, and written, beside it. */
typedef struct dsm__profile_task {
  dsm_task of;
  const char *const *inputs; /**< NULL: not stated */
  size_t input_count;
  const dsm__profile_tensor *tensors;
  size_t tensor_count;
  const dsm_instance *instance; /**< where it is written: of its times */
  size_t index;
} dsm__profile_task;

/** The document. Ports and pairs are read by dsm__links_read. */
typedef struct dsm__profile {
  const char *name;
  const char *source;
  double element_bytes;
  double weight_bytes;
  const dsm__profile_device *devices;
  size_t device_count;
  const dsm__port_row *ports;
  size_t port_count;
  const dsm__pair_row *pairs;
  size_t pair_count;
  const dsm__profile_task *tasks;
  size_t task_count;
} dsm__profile;

extern const dsm__record_type dsm__profile_record;

/** Writes the times of a task: an object with those of each device. */
void dsm__profile_write_seconds(dsm__json_writer *writer, const void *task);

#endif
