/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_data.h: what a simulation says, inside of a partition. */
#ifndef DSM_PARTITION_ANSWER_DISPATCH_DATA_H
#define DSM_PARTITION_ANSWER_DISPATCH_DATA_H

#include "report/data/records.h"

typedef struct dsm__dispatch_device_row {
  const char *name;
  dsm_dispatch_device of;
} dsm__dispatch_device_row;

/** A simulation with its devices' rows: dsm__dispatch_record. */
typedef struct dsm__dispatch_row {
  dsm_dispatch of;
  dsm__rows devices;
} dsm__dispatch_row;

extern const dsm__record_type dsm__dispatch_record, dsm__dispatch_device_record;

dsm__view dsm__put_dispatch_trace;

dsm__dispatch_row dsm__dispatch_row_of(dsm__page *page, const dsm_dispatch *dispatch);

#endif
