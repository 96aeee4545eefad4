/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pim_check.c: plans of cores in memory, checked and put side by side as plans of networks are:
 * the training is the step, each part of its time a layer with one pass, and what is chosen are
 * decisions of the kernel.
 */
#include "base/diag_add.h"
#include "check/drift.h"
#include "dsm/check.h"
#include "dsm/diff.h"
#include "pim/step_result.h"
#include "plan/plan_internal.h"

enum { PARTS = 4 };

/* ---- what a plan recorded ---- */

/* A part of the time; the kernel alone dispatches instructions. */
static dsm_layer_plan layer_of(const char *name, double seconds, double hertz, double utilization) {
  dsm_layer_plan layer = {.name = name, .decisions = dsm__layer_decisions_none()};
  dsm_pass_plan *const pass = &layer.passes[DSM_PASS_FORWARD];
  pass->exists = true;
  pass->cycles.total = seconds * hertz;
  pass->utilization = utilization;
  return layer;
}

static bool record(dsm_recorded *made, const dsm_pim_plan *plan, const dsm_pim_cost *cost,
                   dsm__arena *arena) {
  const double hertz = dsm__pim_hertz(plan->system);
  const double busy =
      cost->kernel_seconds > 0 ? cost->utilization * cost->seconds / cost->kernel_seconds : 0;
  dsm_layer_plan *layers = NULL;
  if (!DSM__RESERVE(arena, layers, PARTS)) {
    return false;
  }
  layers[0] = layer_of("kernel", cost->kernel_seconds, hertz, busy);
  layers[1] = layer_of("host_to_cores", cost->host_to_cores_seconds, hertz, 0);
  layers[2] = layer_of("cores_to_host", cost->cores_to_host_seconds, hertz, 0);
  layers[3] = layer_of("between_cores", cost->between_cores_seconds, hertz, 0);
  *made = (dsm_recorded){.result = dsm__pim_step_result(plan->workload, plan->system, cost),
                         .cycles_per_second = hertz,
                         .layers = layers,
                         .layer_count = PARTS,
                         .pim = &cost->choice};
  return true;
}

/* ---- a check ---- */

static bool name_inputs(dsm_drift *drift, const dsm_pim_plan *question) {
  drift->workload = dsm__arena_strdup(drift->arena, question->workload->name);
  drift->system = dsm__arena_strdup(drift->arena, question->system->name);
  drift->dsm_version_before = dsm__arena_strdup(drift->arena, question->dsm_version);
  drift->mode = DSM_MODE_TRAINING;
  drift->minibatch_after = dsm__pim_samples(question->workload);
  drift->minibatch_before = drift->minibatch_after;
  return drift->workload != NULL && drift->system != NULL && drift->dsm_version_before != NULL;
}

static bool compare(dsm_drift *drift, const dsm_pim_plan *question, const dsm_pim_plan *now) {
  dsm_recorded before;
  dsm_recorded after;
  return name_inputs(drift, question) && record(&before, question, &question->cost, drift->arena) &&
         record(&after, now, &now->cost, drift->arena) &&
         dsm__drift_compare(drift, &before, &after);
}

dsm_status dsm_pim_check(dsm_drift **drift, const dsm_pim_plan *question, double tolerance,
                         dsm_diags *diags) {
  dsm_pim_plan *now = NULL;
  *drift = NULL;
  const dsm_status status =
      dsm_pim(&now, question->workload, question->system, &question->options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm_drift *const made = DSM__ARENA_OWNER(dsm_drift);
  bool is_compared = made != NULL;
  if (is_compared) {
    made->tolerance = tolerance;
    is_compared = compare(made, question, now);
  }
  dsm_pim_plan_free(now);
  if (!is_compared) {
    dsm_drift_free(made);
    return dsm__out_of_memory(diags);
  }
  *drift = made;
  return DSM_OK;
}

/* ---- two plans ---- */

static bool put_side_by_side(dsm_diff *diff) {
  dsm_recorded a;
  dsm_recorded b;
  dsm_drift drift = {.minibatch_before = dsm__pim_samples(diff->pim_a->workload),
                     .minibatch_after = dsm__pim_samples(diff->pim_b->workload),
                     .arena = diff->arena};
  if (!record(&a, diff->pim_a, &diff->pim_a->cost, diff->arena) ||
      !record(&b, diff->pim_b, &diff->pim_b->cost, diff->arena) ||
      !dsm__drift_compare(&drift, &a, &b) ||
      !dsm__pim_input_differences(diff->pim_a, diff->pim_b, diff->arena, &diff->inputs,
                                  &diff->input_count)) {
    return false;
  }
  dsm__diff_take(diff, &drift);
  return true;
}

dsm_status dsm_pim_diff_derive(dsm_diff **diff, const dsm_pim_plan *a, const dsm_pim_plan *b,
                               dsm_diags *diags) {
  *diff = NULL;
  dsm_diff *const made = DSM__ARENA_OWNER(dsm_diff);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  made->pim_a = a;
  made->pim_b = b;
  if (!put_side_by_side(made)) {
    dsm_diff_free(made);
    return dsm__out_of_memory(diags);
  }
  *diff = made;
  return DSM_OK;
}
