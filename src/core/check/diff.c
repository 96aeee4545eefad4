/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.c: two plans side by side: what a check without tolerance finds, and what was asked. */
#include "dsm/diff.h"

#include "base/diag_add.h"
#include "check/drift.h"

/* What a check without tolerance found becomes that of a difference whose inputs are listed. */
static void take(dsm_diff *diff, const dsm_drift *drift) {
  diff->layers = drift->layers;
  diff->layer_count = drift->layer_count;
  diff->decisions = drift->decisions;
  diff->decision_count = drift->decision_count;
  diff->passes = drift->passes;
  diff->pass_count = drift->pass_count;
  diff->difference_seconds = dsm__step_difference_seconds(drift);
  diff->is_different =
      diff->input_count + diff->layer_count + diff->decision_count + diff->pass_count > 0;
}

static bool compare(dsm_diff *diff) {
  const dsm_recorded a = dsm__record_of_plan(diff->a);
  const dsm_recorded b = dsm__record_of_plan(diff->b);
  dsm_drift drift = {.tolerance = 0,
                     .minibatch_before = diff->a->workload->minibatch,
                     .minibatch_after = diff->b->workload->minibatch,
                     .arena = diff->arena};
  if (!dsm__drift_compare(&drift, &a, &b) ||
      !dsm__input_differences(diff->a, diff->b, diff->arena, &diff->inputs, &diff->input_count)) {
    return false;
  }
  take(diff, &drift);
  return true;
}

dsm_status dsm_diff_derive(dsm_diff **diff, const dsm_plan *a, const dsm_plan *b,
                           dsm_diags *diags) {
  *diff = NULL;
  dsm_diff *const made = DSM__ARENA_OWNER(dsm_diff);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  made->a = a;
  made->b = b;
  if (!compare(made)) {
    dsm_diff_free(made);
    return dsm__out_of_memory(diags);
  }
  *diff = made;
  return DSM_OK;
}

DSM__ARENA_FREE(dsm_diff, dsm_diff_free);
