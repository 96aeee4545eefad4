/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_rows.h: parts of a partition's document, and the documents of a front's partitions. */
#ifndef DSM_PARTITION_ANSWER_PARTITION_ROWS_H
#define DSM_PARTITION_ANSWER_PARTITION_ROWS_H

#include "dsm/partition_front.h"
#include "report/data/records.h"

extern const dsm__record_type dsm__partition_options_record; /**< of dsm_partition_options */
extern const dsm__record_type dsm__baseline_record;
extern const dsm__record_type dsm__way_record;

/** A simple way to use the devices of a partition. */
typedef struct dsm__baseline_row {
  dsm_partition_baseline of;
  double gain; /**< how much better the partition is; 0: there is nothing to compare */
} dsm__baseline_row;

/** Rows of the last two records. */
dsm__rows dsm__partition_baseline_rows(dsm__page *page, const dsm_partition *partition);
dsm__rows dsm__partition_ways(dsm__page *page, const dsm_partition *partition);

/** Rows of dsm__partition_record, one a point of a front. */
dsm__rows dsm__partition_documents(dsm__page *page, const dsm_front *front);

#endif
