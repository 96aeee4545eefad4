/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_links.h: what devices of a partition share, and what two have for themselves. */
#ifndef DSM_REPORT_DATA_PARTITION_LINKS_H
#define DSM_REPORT_DATA_PARTITION_LINKS_H

#include "report/data/records.h"
#include "server/links_record.h"

extern const dsm__record_type dsm__carrier_record;

/** Rows of that record. */
dsm__rows dsm__partition_carriers(dsm__page *page, const dsm_partition *partition);

#endif
