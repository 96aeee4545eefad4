/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_text.c: waiting for data, in words. */
#include "report/table/storage_text.h"

#include "base/number_text.h"
#include "report/table/number_style.h"
#include "supply/storage_internal.h"

static const double least = 5e-4; /* of a share that is not 0.0 % */

bool dsm__fast_is_slow(const dsm_storage_job *job) {
  return dsm__is_below(job->fast_bytes_per_second, job->demand_bytes_per_second);
}

static const char *waiting_for(dsm__page *page, double share, const char *what) {
  return share < least ? "no waiting"
                       : dsm__page_text(page, "waiting %s %% of the time for %s",
                                        dsm__figure_percent(share).text, what);
}

const char *dsm__waiting_text(dsm__page *page, const dsm_storage_state *state) {
  return waiting_for(page, state->waiting_share,
                     state->bound == DSM_STORAGE_BOUND_CAPACITY ? "the capacity tier"
                                                                : "fast storage");
}

const char *dsm__mean_waiting_text(dsm__page *page, const dsm_storage_job *job,
                                   const dsm_storage_mean *mean) {
  return waiting_for(page, mean->waiting_share,
                     mean->stall_share < least ? "fast storage"
                     : dsm__fast_is_slow(job)  ? "both tiers"
                                               : "the capacity tier");
}

const char *dsm__enough_text(dsm__page *page, const dsm_storage_job *job,
                             const dsm_storage_state *state) {
  const char *const times = dsm__times_text(page, state->stall_free_repeat);
  return dsm__fast_is_slow(job)
             ? dsm__page_text(page, "waiting for fast storage alone from %s on", times)
             : dsm__page_text(page, "no waiting from %s on", times);
}

const char *dsm__times_text(dsm__page *page, double repeat) {
  return dsm__page_text(page, "%s time%s", dsm__figure_short(repeat, 6).text, dsm__plural(repeat));
}
