/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_decisions.h: what a plan decides beside parallelisms and core splits, in words. */
#ifndef DSM_REPORT_TABLE_PLAN_DECISIONS_H
#define DSM_REPORT_TABLE_PLAN_DECISIONS_H

#include "report/table/text_page.h"

/** What can stay on chip in a pass, as columns name it. */
typedef enum dsm__on_chip {
  DSM__ON_CHIP_OUTPUT = 0,
  DSM__ON_CHIP_ERROR,
  DSM__ON_CHIP_WEIGHTS,
  DSM__ON_CHIP_GRADIENT,
  DSM__ON_CHIP_OPERAND,
  DSM__ON_CHIP_PRELOADED,
  DSM__ON_CHIP_COUNT
} dsm__on_chip;

/** A set of them: bit o stands for o. */
typedef unsigned dsm__on_chip_set;
#define DSM__ON_CHIP_BIT(what) (1U << (unsigned)(what))

/** What stays on chip in an existing pass of a layer. */
dsm__on_chip_set dsm__on_chip_of(const dsm_layer_plan *layer, dsm_pass pass);

/** The same for a column, such as "out pre 62.5%". Never NULL. */
const char *dsm__on_chip_text(dsm__page *page, const dsm_layer_plan *layer, dsm_pass pass);

/** What the words of such a column mean, for those of a set that is not empty. Never NULL. */
const char *dsm__on_chip_legend(dsm__page *page, dsm__on_chip_set used);

/** Do later invocations of the pass have another core split than the first? */
bool dsm__has_other_split(const dsm_pass_plan *pass);

/** What is on chip over the whole plan, in words; "" if nothing is. */
const char *dsm__plan_on_chip_line(dsm__page *page, const dsm_plan *plan);

/** A pipeline group of the plan, in words. */
const char *dsm__plan_pipeline_line(dsm__page *page, const dsm_plan *plan, size_t pipeline);

/** Appends a line on what is on chip and one on each pipeline group, where there is any. */
void dsm__plan_decision_lines(dsm__page *page, const dsm_plan *plan, size_t label_width);

#endif
