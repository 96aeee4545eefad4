/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_text.h: what moved, in words that checks (tables and JUnit) and differences share. */
#ifndef DSM_REPORT_TABLE_CHECK_TEXT_H
#define DSM_REPORT_TABLE_CHECK_TEXT_H

#include "dsm/answer.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

/** "+4.42 %", "0 %", "new" where there was nothing before. */
const char *dsm__change_text(dsm__page *page, const dsm_moved *moved);

/** Good and bad only beyond the tolerance. */
dsm__text_style dsm__style_of(const dsm_moved *moved, bool is_lower_better);

/** "vgg16 on torus64, training: step 12.345 ms, utilization 61.2 %", and how much they moved where
 * that is beyond the tolerance. */
const char *dsm__check_summary(dsm__page *page, const dsm_drift *drift);

/** "step time +4.42 %, utilization -4.20 %; tolerance 0.5 %; 3 passes beyond it, 2 decisions
 * changed". */
const char *dsm__check_message(dsm__page *page, const dsm_drift *drift);

/** Of what was checked; DSM_VERDICT_COUNT: it was not compared. */
dsm_verdict dsm__verdict_of(const dsm_checked *item);

/** The same of documents that are no plans: the figures that decide, with their changes. */
const char *dsm__comparison_summary(dsm__page *page, const dsm_comparison *comparison);
const char *dsm__comparison_message(dsm__page *page, const dsm_comparison *comparison);

/** What differs in them: inputs, decisions, figures. */
void dsm__put_comparison(dsm__page *page, const dsm_comparison *of, size_t limit,
                         const char *const sides[2]);

/** A table of figures, and what is left out; nothing without any. */
void dsm__put_figures(dsm__page *page, const dsm_figure_drift *figures, size_t count, size_t limit,
                      const char *const sides[2]);

/** A table of values on two sides, those that were asked for; none of none. */
void dsm__put_inputs(dsm__page *page, const char *title, const dsm_input_difference *inputs,
                     size_t count, size_t limit, const char *const sides[2]);

/* ---- lists of what moved, which differences show too; a limit of 0 leaves nothing out ---- */

/** Rows of a list that are shown. */
size_t dsm__rows_shown(size_t count, size_t limit);

/** The table of the rows of a list that are shown, unless it is empty, and "and 5 more; --all shows
 * them", where rows are left out. */
void dsm__put_list(dsm__table *table, size_t count, size_t limit);

/** The names of the layers of one side; "" if there are none. */
const char *dsm__one_sided_layers(dsm__page *page, const dsm_layer_drift *layers, size_t count,
                                  dsm_presence presence, size_t limit);

/** A table of decisions, and what is left out; nothing without any. */
void dsm__put_decisions(dsm__page *page, const dsm_decision_drift *decisions, size_t count,
                        size_t limit, const char *const sides[2]);

#endif
