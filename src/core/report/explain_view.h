/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_view.h: questions to an explanation, and its answers in words. */
#ifndef DSM_REPORT_EXPLAIN_VIEW_H
#define DSM_REPORT_EXPLAIN_VIEW_H

#include "report/table/text_page.h"

/** May passes of a layer differ in parallelism? Then an alternative is of one pass only. */
bool dsm__explain_is_per_pass(const dsm_plan *plan);

/** Does the plan preload weights? Then the network is compared without any on chip. */
bool dsm__explain_is_preloading(const dsm_plan *plan);

/** The words of the plan's system, with those of all roles that explanations have; of the page. */
const dsm__renaming *dsm__explain_words(dsm__page *page, const dsm_plan *plan,
                                        const dsm_explanation *const *explanations, size_t count);

/** What the plan does in a pass, or NULL if the layer has no such pass. */
const dsm_alternative *dsm__explain_chosen(const dsm_explanation *explanation, dsm_pass pass);

/** Why a pass is done as it is, in a sentence or two. Never NULL. */
const char *dsm__explain_pass_why(dsm__page *page, const dsm_plan *plan,
                                  const dsm_explanation *explanation, dsm_pass pass);

/** Why the layer has its parallelism in the network, in a sentence. Never NULL. */
const char *dsm__explain_layer_why(dsm__page *page, const dsm_plan *plan,
                                   const dsm_explanation *explanation);

/* ---- what_if.c: what the network would do if a layer were decided otherwise ---- */

/** A decision before its values: "held on chip". Never NULL. */
const char *dsm__what_if_label(dsm_decision decision);

/** Its value, and what that does to the step: "no: +12.3 % (+1,118,660 cycles), then no longer
 * held: conv2". Never NULL. */
const char *dsm__what_if_text(dsm__page *page, const dsm_plan *plan, double reference_cycles,
                              const dsm_what_if *what_if);

#endif
