/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_placement.h: the table of where tasks run. */
#ifndef DSM_REPORT_TABLE_PARTITION_PLACEMENT_H
#define DSM_REPORT_TABLE_PARTITION_PLACEMENT_H

#include "dsm/partition.h"
#include "report/table/text_page.h"

/** Runs of tasks that are on the same devices in the same shares, as they are printed, and of these
 * such as repeat as one row; a row for each task if the style is unfolded. */
void dsm__put_placement(dsm__page *page, const dsm_partition *partition);

#endif
