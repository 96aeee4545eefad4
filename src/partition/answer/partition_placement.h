/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_placement.h: the table of where tasks run. */
#ifndef DSM_PARTITION_ANSWER_PARTITION_PLACEMENT_H
#define DSM_PARTITION_ANSWER_PARTITION_PLACEMENT_H

#include "dsm/partition.h"
#include "report/table/table.h"

/** Runs of tasks that are on the same devices in the same shares, as they are printed, and of these
 * such as repeat as one row; a row for each task if the style is unfolded. */
void dsm__put_placement(dsm__table *table, const dsm_partition *partition);

/** Its columns. */
enum { DSM__PLACEMENT_COLUMNS = 4 };
extern const dsm__table_column dsm__placement_columns[DSM__PLACEMENT_COLUMNS];

#endif
