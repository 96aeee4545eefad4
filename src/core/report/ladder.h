/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ladder.h: what each rung of a ladder gains. */
#ifndef DSM_REPORT_LADDER_H
#define DSM_REPORT_LADDER_H

#include "dsm/answer.h"
#include "report/table/text_page.h"

/** Speed-ups of a rung; above 1 is better. */
typedef struct dsm__ladder_gains {
  double over_previous; /**< over the nearest rung before that has a plan */
  double over_first;    /**< over the first that has one */
} dsm__ladder_gains;

/** Both are 1 for the first rung that has a plan, and for those without one. */
dsm__ladder_gains dsm__ladder_gains_of(const dsm_ladder_rung *rungs, size_t index);

/** What a rung adds, as people read it; of the first, what all rungs have: "none" for nothing. */
const char *dsm__rung_name(dsm__page *page, const dsm_ladder_rung *rungs, size_t index);

#endif
