/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_read.h: what reading a dsm-partition/1 needs of its tables. */
#ifndef DSM_REPORT_DATA_PARTITION_READ_H
#define DSM_REPORT_DATA_PARTITION_READ_H

#include "base/json_read.h"

/** Is the node a dsm-partition/1, with no other keys than it has? Else that is reported. */
bool dsm__partition_only(const dsm__json_node *root);

#endif
