/* SPDX-License-Identifier: GPL-3.0-or-later */
/* what_fits.c: where no mapping fits a chip's memory, what would with more optimisations. */
#include <math.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "dsm/explore.h"
#include "model/equations.h"
#include "plan/step_energy.h"
#include "plan/tolerance.h"
#include "search/problem.h"

/* What is tried besides the options. The first takes least time, and what it finds is the limit of
 * the others; all together takes longest, and is for small networks, and where none of the others
 * fits. The fastest counts. Other roles save memory too, but their search can take minutes. */
enum { SMALL_NETWORK = 64 /* layers */ };

/* The work of each of them; about a second. It is counted, so that the same is found on any
 * machine, however busy it is. */
static const double most_work = (double)(1U << 24);

static const dsm__strategy_set tried[] = {DSM__ADDED_TO_CUT, DSM__ADDED_TO_TAKE_TURNS,
                                          DSM__ADDED_TO_KEEP_LESS, DSM__ADDED_TO_FIT};

/* Those of them that some layer, or the whole plan, makes use of. */
static dsm_optimization_set used_by(const dsm_plan *plan) {
  dsm_optimization_set used = 0;
  for (int c = 0; c < DSM__CHOICE_COUNT; c++) {
    const bool is_used = dsm__choice_count((dsm__choice)c, plan) > 0;
    used |= is_used ? dsm__choice_strategies((dsm__choice)c) : 0;
  }
  return used & dsm__strategies_in(DSM__ADDED_TO_FIT);
}

/* Keeps the faster of two plans, of equals the first. */
static void keep_faster(dsm_plan **plan, dsm_plan *other) {
  const bool is_faster =
      other != NULL && (*plan == NULL || other->result.step_cycles < (*plan)->result.step_cycles);
  dsm_plan *const slower = is_faster ? *plan : other;
  *plan = is_faster ? other : *plan;
  dsm_plan_free(slower);
}

/* What each mapping needs of a chip at least, with whatever optimizations: each weight, its
 * gradient and its state are on some chip (section 12). */
static double least_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode) {
  const bool is_training = mode == DSM_MODE_TRAINING;
  double bytes = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    const double of_weight =
        dsm__kept_weight_bytes(layer, workload, mode) +
        (is_training ? workload->gradient_bytes + workload->optimizer_bytes_per_weight : 0);
    bytes += layer->is_tied ? 0 : (double)layer->weight_elements * of_weight;
  }
  return bytes / (double)dsm_machine_derive(system).chip_count;
}

/* Looks with some of them, and then with all, as long as there is time. Status and *fit as of
 * dsm_explore_what_fits. */
static dsm_status look(dsm_plan **plan, dsm_fit *fit, const dsm_workload *workload,
                       const dsm_system *system, const dsm_explore_options *options,
                       bool is_hopeless) {
  const dsm_optimization_set possible = dsm_mode_possible_optimizations(options->mode);
  const double limit = options->time_limit_seconds > 0 ? options->time_limit_seconds : HUGE_VAL;
  const double until = dsm__seconds_now() + limit;
  const bool is_small = workload->layer_count <= SMALL_NETWORK;
  dsm_explore_options wider = *options;
  dsm_optimization_set before = options->optimizations;
  dsm_status status = DSM_ERROR_INFEASIBLE;
  bool is_any_stopped = false;
  bool is_any_asked = false;
  for (size_t t = 0; t < DSM__COUNT_OF(tried) && status != DSM_ERROR_OUT_OF_MEMORY; t++) {
    dsm_plan *found = NULL;
    bool is_stopped = true;
    wider.optimizations = options->optimizations | (dsm__strategies_in(tried[t]) & possible);
    const bool is_all = t + 1 == DSM__COUNT_OF(tried);
    if (wider.optimizations == options->optimizations || wider.optimizations == before ||
        (is_all && *plan != NULL && !is_small)) {
      continue;
    }
    before = wider.optimizations;
    is_any_asked = true;
    const double known = *plan != NULL ? (*plan)->result.step_cycles : HUGE_VAL;
    const double left = until - dsm__seconds_now();
    wider.time_limit_seconds = isfinite(left) ? left : 0;
    if (!is_hopeless && left > 0) {
      status =
          dsm__explore_strictly(&found, workload, system, &wider, known, most_work, &is_stopped);
    }
    is_any_stopped = is_any_stopped || (is_stopped && !is_hopeless);
    keep_faster(plan, found);
  }
  if (status != DSM_ERROR_OUT_OF_MEMORY) {
    status = *plan != NULL ? DSM_OK : DSM_ERROR_INFEASIBLE;
  } else {
    dsm_plan_free(*plan);
    *plan = NULL;
  }
  *fit = status == DSM_OK ? DSM_FIT_FOUND
         : !is_any_asked  ? DSM_FIT_NOT_ASKED
         : is_any_stopped ? DSM_FIT_STOPPED
                          : DSM_FIT_NONE;
  return status;
}

dsm_status dsm_explore_what_fits(dsm_plan **plan, dsm_fit *fit, const dsm_workload *workload,
                                 const dsm_system *system, const dsm_explore_options *options,
                                 dsm_diags *diags) {
  *plan = NULL;
  const bool is_asked = options->as_run_by == DSM_AS_RUN_BY_ANY && /* which may use all of it */
                        !dsm__is_aimed(options); /* with which little of it goes */
  *fit = is_asked ? DSM_FIT_NOT_MEMORY : DSM_FIT_NOT_ASKED;
  if (!is_asked) {
    return DSM_ERROR_INFEASIBLE;
  }
  const bool is_hopeless = least_bytes(workload, system, options->mode) >
                           dsm__capacity_limit(dsm_system_usable_bytes(system));
  dsm_status status = is_hopeless ? DSM_OK : dsm__explore_with_room(workload, system, options);
  if (status == DSM_OK) {
    status = look(plan, fit, workload, system, options, is_hopeless);
  }
  if (status == DSM_OK) {
    (*plan)->options.optimizations = options->optimizations | used_by(*plan);
    (*plan)->options.time_limit_seconds = options->time_limit_seconds;
  }
  return status == DSM_ERROR_OUT_OF_MEMORY ? dsm__out_of_memory(diags) : status;
}
