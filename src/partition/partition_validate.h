/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_validate.h: the parts of the check of an answer. They share nothing with the programme
 * and pricing, and only this with each other. */
#ifndef DSM_PARTITION_PARTITION_VALIDATE_H
#define DSM_PARTITION_PARTITION_VALIDATE_H

#include "dsm/partition.h"

typedef struct dsm__checker {
  const dsm_partition *partition;
  const dsm_instance *instance;
  dsm_diags *diags;
  double scale; /**< the largest rate: what "zero" is measured by */
  bool is_wrong;
} dsm__checker;

/** A finding: something is wrong. */
__attribute__((format(printf, 2, 3))) void dsm__complain(dsm__checker *checker, const char *format,
                                                         ...);

/** Whether a value is above a limit by more than rounding, or no number. */
bool dsm__is_above(double value, double limit, double scale);

/** Whether ports, pairs, ways in, fixed costs or the request's input count. */
bool dsm__has_routes(const dsm_partition *partition);

/** What is moved from device to device against rates and what is sent, and (6) of all that carries
 * it. Of an answer that dsm__has_routes. */
void dsm__check_routes(dsm__checker *checker);

/** Bytes that leave a device by its link, and seconds of all transfers of a request, likewise. */
double dsm__link_bytes(const dsm_partition *partition, size_t device);
double dsm__transfer_seconds(const dsm_partition *partition);

/** Seconds of the tasks of all requests of a second, with what they wait for batches; at least so
 * many where rates do not say which ways requests go. False: out of memory. */
bool dsm__check_batch_seconds(double *seconds, const dsm_partition *partition);

#endif
