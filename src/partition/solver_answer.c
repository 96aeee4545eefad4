/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solver_answer.c: what a search has found as a placement: its best, or the assignment that was
 * found without a programme. */
#include <math.h>

#include "partition/solver_search.h"

/* What is better by less than this part is as good: a solver's tolerance. */
static const double margin = 1e-8;

static void hand_over_values(const dsm__search *search, const double *values, const bool *is_chosen,
                             dsm__placement *out) {
  const dsm__programme *const programme = &search->programme;
  const dsm_instance *const instance = search->instance;
  const size_t places = instance->task_count * instance->device_count;
  const size_t tensors = (instance->tensor_count + instance->task_count) * instance->device_count;
  const size_t moving = instance->tensor_count * instance->device_count;
  const bool is_latency = search->options->objective == DSM_OBJECTIVE_LATENCY;
  const double unit = is_latency ? 1 : programme->time_unit;
  for (size_t k = 0; k < places; k++) {
    const size_t column = programme->rate[k];
    out->rates[k] = column == DSM__NO_COLUMN ? 0 : values[column + 1] / unit;
  }
  for (size_t k = 0; k < search->choice_count && is_chosen != NULL; k++) {
    const dsm__choice *const it = &search->choices[k];
    if (!is_chosen[k] && it->task < instance->task_count) {
      out->rates[it->task * instance->device_count + it->device] = 0;
    }
  }
  for (size_t k = 0; k < tensors; k++) {
    const size_t column = programme->sent[k];
    out->copies[k] = column == DSM__NO_COLUMN ? 0 : values[column + 1] / unit;
    for (size_t to = 0; out->moved != NULL && k < moving && to < instance->device_count; to++) {
      const size_t moved =
          column == DSM__NO_COLUMN ? column : programme->moved[k * instance->device_count + to];
      out->moved[k * instance->device_count + to] =
          moved == DSM__NO_COLUMN ? 0 : values[moved + 1] / unit;
    }
  }
}

static bool reserve_placement(dsm__search *search, dsm__placement *out) {
  const dsm_instance *const instance = search->instance;
  const size_t places = instance->task_count * instance->device_count;
  const size_t tensors = (instance->tensor_count + instance->task_count) * instance->device_count;
  return DSM__RESERVE(search->arena, out->rates, places) &&
         DSM__RESERVE(search->arena, out->copies, tensors) &&
         (!search->assignment.routes.has_targets ||
          DSM__RESERVE(search->arena, out->moved,
                       instance->tensor_count * instance->device_count * instance->device_count));
}

static void hand_over_assignment(dsm__search *search) {
  const dsm_instance *const instance = search->instance;
  double rate = 1;
  if (search->options->objective == DSM_OBJECTIVE_THROUGHPUT) {
    rate = dsm__assignment_value(&search->assignment);
  } else if (search->options->objective == DSM_OBJECTIVE_ENERGY) {
    rate = search->options->required_rho;
  }
  double *const rates = search->solution->placement.rates;
  for (size_t i = 0; i < instance->task_count; i++) {
    rates[i * instance->device_count + search->assignment.device_of[i]] = rate;
  }
}

bool dsm__search_is_assigned(const dsm__search *search) {
  const double assigned = search->has_assignment ? dsm__assignment_value(&search->assignment) : 0;
  return search->has_assignment && (!search->has_best || search->sign * (assigned - search->best) >
                                                             margin * fabs(search->best));
}

/*
 * The better of what the search has and the assignment.
 *
 * Where both are as good the solver's is taken, as it may store copies; an answer of the assignment
 * is marked as that of a heuristic.
 */
dsm_status dsm__search_hand_over(dsm__search *search) {
  dsm__solver_answer *const solution = search->solution;
  if (!reserve_placement(search, &solution->placement) ||
      (search->has_lean && !reserve_placement(search, &solution->lean))) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  const bool is_assigned = dsm__search_is_assigned(search);
  if (is_assigned) {
    hand_over_assignment(search);
  } else {
    hand_over_values(search, search->values, search->is_chosen, &solution->placement);
  }
  if (search->has_lean) {
    hand_over_values(search, search->lean_values, NULL, &solution->lean);
  }
  solution->is_heuristic = is_assigned || !search->is_improved;
  return DSM_OK;
}
