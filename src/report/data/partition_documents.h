/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_documents.h: the partitions of a front, as documents in another one. */
#ifndef DSM_REPORT_DATA_PARTITION_DOCUMENTS_H
#define DSM_REPORT_DATA_PARTITION_DOCUMENTS_H

#include "dsm/partition_front.h"
#include "report/data/records.h"

/** Rows of dsm__partition_record, one a point. */
dsm__rows dsm__partition_documents(dsm__page *page, const dsm_front *front);

#endif
