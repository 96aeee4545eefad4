/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.h: the second half of a plan's table. */
#ifndef DSM_REPORT_PLAN_TABLE_H
#define DSM_REPORT_PLAN_TABLE_H

#include "report/page.h"

/** Appends the totals: step, where it goes, memory, lower bound, and what loses most. */
void dsm__plan_totals(dsm__page *page, const dsm_plan *plan);

/** Appends a sentence on each of the passes that lose most of the step. */
void dsm__plan_losers(dsm__page *page, const dsm_plan *plan);

#endif
