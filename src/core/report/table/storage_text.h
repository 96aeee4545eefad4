/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_text.h: waiting for data, in the words of all tables, pages and figures. */
#ifndef DSM_REPORT_TABLE_STORAGE_TEXT_H
#define DSM_REPORT_TABLE_STORAGE_TEXT_H

#include "dsm/storage.h"
#include "report/table/text_page.h"

/** Is fast storage slower than what the chips take, so that no factor ends their waiting? */
bool dsm__fast_is_slow(const dsm_storage_job *job);

/** "waiting 57.8 % of the time for the capacity tier"; "no waiting". */
const char *dsm__waiting_text(dsm__page *page, const dsm_storage_state *state);

/** The same of a list, which may wait for either tier. */
const char *dsm__mean_waiting_text(dsm__page *page, const dsm_storage_job *job,
                                   const dsm_storage_mean *mean);

/** From which factor on there is no waiting, or none but that for fast storage: "no waiting from 10
 * times on". */
const char *dsm__enough_text(dsm__page *page, const dsm_storage_job *job,
                             const dsm_storage_state *state);

/** "10 times". */
const char *dsm__times_text(dsm__page *page, double repeat);

#endif
