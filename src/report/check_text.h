/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_text.h: what moved, in words that the table and JUnit share. */
#ifndef DSM_REPORT_CHECK_TEXT_H
#define DSM_REPORT_CHECK_TEXT_H

#include "dsm/check.h"
#include "report/page.h"

/** "+4.42 %", "0 %", "new" where there was nothing before. */
const char *dsm__change_text(dsm__page *page, const dsm_moved *moved);

/** Good and bad only beyond the tolerance. */
dsm__tone dsm__tone_of(const dsm_moved *moved, bool is_lower_better);

/** "vgg16 on torus64, training: step 12.345 ms, utilization 61.2 %", and how much they moved where
 * that is beyond the tolerance. */
const char *dsm__check_summary(dsm__page *page, const dsm_drift *drift);

/** "step time +4.42 %, utilization -4.20 %; tolerance 0.5 %; 3 passes beyond it, 2 decisions
 * changed". */
const char *dsm__check_message(dsm__page *page, const dsm_drift *drift);

#endif
