/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.h: the second half of a plan's table, and its sentences. */
#ifndef DSM_REPORT_TABLE_PLAN_TABLE_H
#define DSM_REPORT_TABLE_PLAN_TABLE_H

#include "report/table/text_page.h"

/** Appends the totals: step, where it goes, memory, lower bound, and what loses most. */
void dsm__plan_totals(dsm__page *page, const dsm_plan *plan);

/** Appends a sentence on each of the passes that lose most of the step. */
void dsm__plan_bottlenecks(dsm__page *page, const dsm_plan *plan);

/** Most passes that have a sentence. */
#define DSM__BOTTLENECKS_MAX 3

/** The sentences themselves, in the page's arena; returns how many. */
size_t dsm__plan_bottleneck_sentences(dsm__page *page, const dsm_plan *plan,
                                      const char *sentences[DSM__BOTTLENECKS_MAX]);

/** How far the step is from its lower bound, which is known. Never NULL. */
const char *dsm__plan_bound_line(dsm__page *page, const dsm_plan *plan);

/** What cycles are spent on, as "memory 43.1 %, compute 22.0 %", the most first. */
const char *dsm__plan_resources_line(dsm__page *page, const dsm_resources *resources);

/** What a chip's memory holds, of how much. Never NULL. */
const char *dsm__plan_memory_line(dsm__page *page, const dsm_plan_memory *memory);

#endif
