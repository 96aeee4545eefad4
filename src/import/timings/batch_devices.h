/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_devices.h: "DEVICE@BATCH", times of a device for so many requests together.
 *
 * While files are merged each batch is a device of its own; then those of one device become its
 * times over the batch.
 */
#ifndef DSM_IMPORT_TIMINGS_BATCH_DEVICES_H
#define DSM_IMPORT_TIMINGS_BATCH_DEVICES_H

#include "dsm/diag.h"
#include "dsm/instance.h"

/** A name of a timed device: what stands before "@BATCH", and the batch; 1 where none stands. */
typedef struct dsm__batch_name {
  size_t length;
  uint32_t batch; /**< 0: behind the "@" stands a number that is no batch */
} dsm__batch_name;

dsm__batch_name dsm__batch_name_of(const char *name);

/** Makes of devices that differ in their batch one, where it first stands. False if out of memory.
 */
bool dsm__fold_batches(dsm_instance *instance);

#endif
