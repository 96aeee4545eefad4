/* SPDX-License-Identifier: GPL-3.0-or-later */
/* whole_requests.h: what whole requests reach on a graph, where the programme is a bound. */
#ifndef DSM_PARTITION_WHOLE_REQUESTS_H
#define DSM_PARTITION_WHOLE_REQUESTS_H

#include "dsm/partition.h"

typedef struct dsm__whole_requests {
  double rate;                 /**< most per second; 0 where that takes too long to say */
  const dsm_request_way *ways; /**< that reach it; else as far as was looked */
  size_t way_count;
} dsm__whole_requests;

/** Requests per second of which each runs every task on one of the devices that run it in the
 * partition. The ways are in the arena. DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__whole_requests_find(dsm__whole_requests *whole,
                                                  struct dsm__arena *scratch,
                                                  struct dsm__arena *arena,
                                                  const dsm_partition *partition, dsm_diags *diags);

#endif
