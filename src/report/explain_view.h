/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_view.h: questions to an explanation, and its answers in words. */
#ifndef DSM_REPORT_EXPLAIN_VIEW_H
#define DSM_REPORT_EXPLAIN_VIEW_H

#include "report/table/text_page.h"

/** May passes of a layer differ in parallelism? Then an alternative is of one pass only. */
bool dsm__explain_is_per_pass(const dsm_plan *plan);

/** Does the plan preload weights? Then the network is compared without any on chip. */
bool dsm__explain_is_preloading(const dsm_plan *plan);

/** What the plan does in a pass, or NULL if the layer has no such pass. */
const dsm_alternative *dsm__explain_chosen(const dsm_explanation *explanation, dsm_pass pass);

/** All passes of the layer under a parallelism, in cycles without relayouts; 0 if not allowed. */
double dsm__explain_layer_cycles(const dsm_explanation *explanation, dsm_parallelism parallelism);

/** Why a pass is done as it is, in a sentence or two. Never NULL. */
const char *dsm__explain_pass_why(dsm__page *page, const dsm_plan *plan,
                                  const dsm_explanation *explanation, dsm_pass pass);

/** Why the layer has its parallelism in the network, in a sentence. Never NULL. */
const char *dsm__explain_layer_why(dsm__page *page, const dsm_plan *plan,
                                   const dsm_explanation *explanation);

#endif
