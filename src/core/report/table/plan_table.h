/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.h: what a plan decides beside parallelisms and core splits, and the whole step: the
 * second half of its table, and sentences. */
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

/** What storage makes of the step; "" where there is none. */
const char *dsm__plan_storage_line(dsm__page *page, const dsm_plan *plan);

/** ", 6.4 GB in reserve", of a chip's memory; "" where none is. */
const char *dsm__page_reserve(dsm__page *page, const dsm_system *system);

/** The decisions in the field's words, "TP 8 (gpu), SP 1, ..., micro-batches 32 x 8"; "" of plans
 * without roles and stages. */
const char *dsm__plan_degrees_line(dsm__page *page, const dsm_plan *plan);

/* ---- plan_decisions.c ---- */

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

/** A line on a plan with a label of texts, and a title of pages; NULL: it is not there. */
typedef struct dsm__plan_line {
  const char *label;
  const char *title;
  const char *(*text)(dsm__page *page, const dsm_plan *plan); /**< "": there is nothing to say */
} dsm__plan_line;

/** Takes a line. */
typedef void dsm__labelled_line(dsm__page *page, const char *label, const char *text);

/** Gives those of some lines that say something. */
void dsm__plan_lines_put(dsm__page *page, const dsm_plan *plan, bool is_titled,
                         const dsm__plan_line *lines, size_t count, dsm__labelled_line *put);

/** Gives a line on each thing that is decided for more than a pass, where there is any: what is on
 * chip, hoisted, sharded and recomputed, micro-batches, stages, each pipeline group. */
void dsm__plan_decision_lines(dsm__page *page, const dsm_plan *plan, bool is_titled,
                              dsm__labelled_line *put);

/** The same after what the step is bound by, its bound and its memory. */
void dsm__plan_lines(dsm__page *page, const dsm_plan *plan, bool is_titled,
                     dsm__labelled_line *put);

#endif
