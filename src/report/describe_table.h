/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_table.h: the part of a description's table that is about a system. */
#ifndef DSM_REPORT_DESCRIBE_TABLE_H
#define DSM_REPORT_DESCRIBE_TABLE_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/report.h"

/** Appends a system: what it can do, and every parameter with its note. */
void dsm__describe_system(dsm__text_buffer *out, dsm__arena *arena, const dsm_system *system,
                          dsm_table_style style);

#endif
