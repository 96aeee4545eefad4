/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/check.h"

#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/words.h"
#include "check/drift.h"
#include "dsm/explore.h"

static const dsm__word verdict_words[] = {
    [DSM_VERDICT_OK].key = "ok",
    [DSM_VERDICT_IMPROVED].key = "improved",
    [DSM_VERDICT_CHANGED].key = "changed",
    [DSM_VERDICT_REGRESSED].key = "regressed",
};
DSM__NAMED_WORDS(dsm__verdict_words, "verdict of a check", verdict_words, DSM_VERDICT_COUNT,
                 dsm_verdict, dsm_verdict_name);

static const dsm__word presence_words[] = {
    [DSM_PRESENCE_BOTH].key = "both",
    [DSM_PRESENCE_MISSING].key = "missing",
    [DSM_PRESENCE_NEW].key = "new",
};
DSM__NAMED_WORDS(dsm__presence_words, "where checks find it", presence_words, DSM_PRESENCE_COUNT,
                 dsm_presence, dsm_presence_name);

bool dsm_tolerance_parse(const char *text, double *tolerance) {
  const size_t length = strlen(text);
  const bool is_percent = length > 0 && text[length - 1] == '%';
  double value = 0;
  if (!dsm__text_to_double(text, is_percent ? length - 1 : length, &value)) {
    return false;
  }
  const double ratio = is_percent ? value / 100 : value;
  if (!(ratio >= 0 && ratio <= 1)) {
    return false;
  }
  *tolerance = ratio;
  return true;
}

static bool name_inputs(dsm_drift *drift, const dsm_baseline *baseline, const dsm_plan *plan) {
  drift->workload = dsm__arena_strdup(drift->arena, plan->workload->name);
  drift->system = dsm__arena_strdup(drift->arena, plan->system->name);
  drift->dsm_version_before = dsm__arena_strdup(drift->arena, baseline->dsm_version);
  drift->mode = plan->options.mode;
  drift->minibatch_after = plan->workload->minibatch;
  drift->minibatch_before = baseline->minibatch > 0 ? baseline->minibatch : drift->minibatch_after;
  return drift->workload != NULL && drift->system != NULL && drift->dsm_version_before != NULL;
}

/* Where a search was ended by the clock, what it found depends on the machine and its load. */
static void note_stopped(const dsm_drift *drift, dsm_diags *diags) {
  if (!drift->is_stopped_before && !drift->is_stopped_after) {
    return;
  }
  const char *const which = !drift->is_stopped_after    ? "the baseline's search was"
                            : !drift->is_stopped_before ? "the new search was"
                                                        : "the searches of baseline and now were";
  dsm__diags_add(diags, DSM_SEVERITY_NOTE, (dsm__place){0},
                 "without --time-limit a baseline is the optimum",
                 "%s ended by the time limit: the verdict may be another each time", which);
}

dsm_status dsm_drift_derive(dsm_drift **drift, const dsm_baseline *baseline, const dsm_plan *plan,
                            double tolerance, dsm_diags *diags) {
  *drift = NULL;
  dsm_drift *const made = DSM__ARENA_OWNER(dsm_drift);
  const dsm_recorded now = dsm__record_of_plan(plan);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  made->tolerance = tolerance;
  made->is_stopped_before = baseline->record.is_stopped;
  made->is_stopped_after = now.is_stopped;
  if (!name_inputs(made, baseline, plan) || !dsm__drift_compare(made, &baseline->record, &now)) {
    dsm_drift_free(made);
    return dsm__out_of_memory(diags);
  }
  note_stopped(made, diags);
  *drift = made;
  return DSM_OK;
}

dsm_status dsm_check(dsm_drift **drift, const dsm_check_request *request, dsm_diags *diags) {
  *drift = NULL;
  const dsm_baseline *const baseline = request->baseline;
  dsm_explore_options options = baseline->options;
  options.thread_count = request->thread_count == 0 ? 1 : request->thread_count;
  dsm_plan *plan = NULL;
  dsm_status status =
      dsm_explore(&plan, request->workload != NULL ? request->workload : baseline->workload,
                  request->system != NULL ? request->system : baseline->system, &options, diags);
  if (status == DSM_OK) {
    status = dsm_drift_derive(drift, baseline, plan, request->tolerance, diags);
  }
  dsm_plan_free(plan);
  return status;
}

DSM__ARENA_FREE(dsm_drift, dsm_drift_free);
