/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supply.c: the step of a network whose data come from storage. */
#include <math.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "plan/plan_internal.h"

/* Source: docs/storage.md, equation 3, of one step. Symbols: minibatch * sample_bytes / min(B1, rf
 * * B2), B1 alone where all fits. Limits: B1 infinite, and B2 too: 0. */
static double loading_seconds(const dsm_storage_job *job, const dsm_storage_state *state,
                              double minibatch) {
  const double fast = job->fast_bytes_per_second;
  const double rate =
      state->mini_epochs == 1 ? fast : fmin(fast, state->repeat * job->capacity_bytes_per_second);
  return minibatch * job->sample_bytes / rate;
}

/* Source: docs/storage.md. Symbols: step = max(computing, loading). Limits: loading 0: computing.
 */
void dsm__supply_predict(dsm_plan *plan) {
  dsm_plan_result *const result = &plan->result;
  dsm_plan_storage *const storage = &result->storage;
  const dsm_workload *const workload = plan->workload;
  if (!dsm_storage_is_stated(workload, plan->system)) {
    return;
  }
  const double computing = result->step_seconds;
  const double minibatch = (double)workload->minibatch;
  const dsm_storage_job job = dsm_storage_job_of(workload, plan->system, minibatch / computing);
  const uint64_t mini_epochs = dsm_storage_mini_epochs(&job);
  if (mini_epochs == 0) {
    return; /* which dsm__supply_check refuses */
  }
  const bool is_repeated = mini_epochs > 1 && plan->options.mode == DSM_MODE_TRAINING;
  const double repeat = is_repeated ? workload->dataset.repeat : 1;
  storage->job = job;
  storage->state = dsm_storage_steady(&job, mini_epochs, repeat);
  storage->computing_seconds = computing;
  storage->loading_seconds = loading_seconds(&job, &storage->state, minibatch);
  storage->waiting_seconds = fmax(0, storage->loading_seconds - computing);
  result->step_seconds = computing + storage->waiting_seconds;
  storage->state.waiting_share = storage->waiting_seconds / result->step_seconds;
  storage->state.samples_per_second = minibatch / result->step_seconds;
}

dsm_status dsm__supply_check(const dsm_workload *workload, const dsm_system *system,
                             dsm_diags *diags) {
  if (!dsm_storage_is_stated(workload, system)) {
    return DSM_OK;
  }
  const dsm_storage_job job = dsm_storage_job_of(workload, system, 1);
  return dsm_storage_mini_epochs(&job) > 0
             ? DSM_OK
             : dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                           "%s: expected fast storage of at least %.17g bytes, two samples of the "
                           "data set, found %.17g",
                           system->name, 2 * job.sample_bytes, job.fast_bytes);
}

double dsm_plan_computing_seconds(const dsm_plan *plan) {
  const dsm_plan_storage *const storage = &plan->result.storage;
  if (plan->result.energy.capped_seconds > 0 && !(storage->job.demand_bytes_per_second > 0)) {
    return plan->result.step_cycles / dsm__hertz(plan->system->core.frequency_GHz);
  }
  return storage->job.demand_bytes_per_second > 0 ? storage->computing_seconds
                                                  : plan->result.step_seconds;
}
