/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.h: the layers of a workload and the stages of a chain, for people. */
#ifndef DSM_REPORT_TABLE_DESCRIBE_TABLE_H
#define DSM_REPORT_TABLE_DESCRIBE_TABLE_H

#include "dsm/remat.h"
#include "report/table/table.h"

/** Declared layers as a table, the first `most` of them; without any if memory is out. */
dsm__table dsm__describe_layers(dsm__page *page, const dsm_workload *workload, size_t most);

/** Appends the declared layers of a workload, equal ones as one, and their sums. */
void dsm__describe_folded_layers(dsm__page *page, const dsm_workload *workload);

/** Appends the stages of a chain, equal neighbours as one. */
void dsm__describe_stages(dsm__page *page, const dsm_remat_chain *chain);

/** Stages of a chain, by the names of the first and the last. */
const char *dsm__stage_names(dsm__page *page, const dsm_remat_chain *chain, size_t first,
                             size_t last);

#endif
