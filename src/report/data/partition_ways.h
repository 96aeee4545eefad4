/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_ways.h: how often requests go which way through the devices. */
#ifndef DSM_REPORT_DATA_PARTITION_WAYS_H
#define DSM_REPORT_DATA_PARTITION_WAYS_H

#include "report/data/records.h"

extern const dsm__record_type dsm__way_record;

/** Rows of this record. */
dsm__rows dsm__partition_ways(dsm__page *page, const dsm_partition *partition);

#endif
