/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.h: the second half of a plan's table. */
#ifndef DSM_REPORT_PLAN_TABLE_H
#define DSM_REPORT_PLAN_TABLE_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/report.h"

/** Appends the totals: step, where it goes, memory, lower bound, and what loses most. */
void dsm__plan_totals(dsm__text_buffer *out, dsm__arena *arena, const dsm_plan *plan,
                      dsm_table_style style);

/** Appends a sentence on each of the passes that lose most of the step. */
void dsm__plan_losers(dsm__text_buffer *out, dsm__arena *arena, const dsm_plan *plan,
                      dsm_table_style style);

#endif
