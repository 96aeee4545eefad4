/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baseline_rows.h: the simple ways beside a partition, as rows of its document. */
#ifndef DSM_REPORT_DATA_BASELINE_ROWS_H
#define DSM_REPORT_DATA_BASELINE_ROWS_H

#include "report/data/records.h"

extern const dsm__record_type dsm__baseline_record;

/** Rows of this record. */
dsm__rows dsm__partition_baseline_rows(dsm__page *page, const dsm_partition *partition);

#endif
