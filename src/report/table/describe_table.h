/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.h: the parts of a description that are about a workload, a system or a chain, for
 * people. */
#ifndef DSM_REPORT_TABLE_DESCRIBE_TABLE_H
#define DSM_REPORT_TABLE_DESCRIBE_TABLE_H

#include "dsm/remat.h"
#include "report/table/text_page.h"

/** The kernel of a layer: "3x3", with a stride "3x3 /2", with groups "3x3 g32"; "" if it has none.
 */
const char *dsm__describe_kernel(dsm__page *page, const dsm_layer_spec *spec);

/** Append a workload, and a system. */
void dsm__describe_workload(dsm__page *page, const dsm_workload *workload);
void dsm__describe_system(dsm__page *page, const dsm_system *system);

/** Appends the stages of a chain, equal neighbours as one. */
void dsm__describe_stages(dsm__page *page, const dsm_remat_chain *chain);

#endif
