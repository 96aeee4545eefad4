/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_options.h: what a partition was asked for, as a table. */
#ifndef DSM_REPORT_DATA_PARTITION_OPTIONS_H
#define DSM_REPORT_DATA_PARTITION_OPTIONS_H

#include "report/data/records.h"

extern const dsm__record_type dsm__partition_options_record; /**< of dsm_partition_options */

#endif
