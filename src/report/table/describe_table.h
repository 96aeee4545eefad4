/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.h: the part of a description's table that is about a system. */
#ifndef DSM_REPORT_TABLE_DESCRIBE_TABLE_H
#define DSM_REPORT_TABLE_DESCRIBE_TABLE_H

#include "report/table/text_page.h"

/** Appends a system: what it can do, and every parameter with its note. */
void dsm__describe_system(dsm__page *page, const dsm_system *system);

/** The kernel of a layer: "3x3", with a stride "3x3 /2", with groups "3x3 g32"; "" if it has none.
 */
const char *dsm__describe_kernel(dsm__page *page, const dsm_layer_spec *spec);

#endif
