/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "partition/no_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "partition/instance_facts.h"

/*
 * The best rate, for a required one that is out of reach.
 *
 * Whoever asks for too much wants to know what there is: the same instance is asked for its best
 * rate. An answer may be below that by the gap, so that its bound is what is said.
 */
static dsm_status report_out_of_reach(const dsm_instance *instance,
                                      const dsm_partition_options *options, dsm_diags *diags) {
  dsm_partition_options fastest = *options;
  fastest.objective = DSM_OBJECTIVE_THROUGHPUT;
  dsm_partition *best = NULL;
  const dsm_status status = dsm_partition_solve(&best, instance, &fastest, diags);
  if (best == NULL) {
    return status;
  }
  const double limit = options->latency_limit_seconds;
  const bool is_optimal = best->status == DSM_SOLUTION_OPTIMAL;
  const double most = is_optimal ? best->bound : best->rho;
  const dsm_status refused =
      limit > 0 && most > options->required_rho
          ? dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                        "the latency limit of %g ms is out of reach at the required %g requests "
                        "per second, at which batches are full too late: the best rate is %g",
                        1e3 * limit, options->required_rho, most)
          : dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                        "the required %g requests per second are out of reach%s: %s %g",
                        options->required_rho, limit > 0 ? " within the latency limit" : "",
                        is_optimal ? "the best rate is" : "the best rate found is", most);
  dsm_partition_free(best);
  return refused;
}

bool dsm__is_stopped(const dsm_partition_options *options) {
  return options->is_stopped != NULL && options->is_stopped(options->context);
}

static dsm_status report_too_slow(const dsm_partition_options *options, double least,
                                  dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                     "the latency limit of %g ms is out of reach: the shortest time of a request "
                     "found is %.6g ms",
                     1e3 * options->latency_limit_seconds, 1e3 * least);
}

static dsm_status report_waiting(const dsm_partition_options *options, double least,
                                 dsm_diags *diags) {
  return dsm__refuse(
      diags, DSM_ERROR_INFEASIBLE,
      "the latency limit of %g ms is out of reach with these batches: the shortest "
      "time of a request found is %.6g ms, without what it waits until they are full",
      1e3 * options->latency_limit_seconds, 1e3 * least);
}

/* What else an answer has to keep. */
static const char *forms_text(const dsm_partition_options *options) {
  if (options->is_staged) {
    return options->cuts_max > 0 ? ", in stages with so few cuts" : ", in stages";
  }
  return options->cuts_max > 0 ? ", with so few cuts" : "";
}

dsm_status dsm__report_nothing(const dsm_instance *instance, const dsm_partition_options *options,
                               const dsm__solver_answer *solution, dsm_diags *diags) {
  if (solution->outcome == DSM__SOLVER_INFEASIBLE && diags == NULL) {
    return DSM_ERROR_INFEASIBLE; /* nobody asks why */
  }
  if (solution->outcome == DSM__SOLVER_TOO_LARGE) {
    return dsm__refuse(
        diags, DSM_ERROR_IO,
        "no placement was found: the programme of %zu task%s on %zu device%s is too large "
        "for a time limit of %g s",
        instance->task_count, dsm__plural((double)instance->task_count), instance->device_count,
        dsm__plural((double)instance->device_count), options->time_limit_seconds);
  }
  if (solution->outcome == DSM__SOLVER_TOO_SLOW) {
    return report_too_slow(options, solution->least_latency, diags);
  }
  if (solution->outcome == DSM__SOLVER_NOTHING && dsm__is_stopped(options)) {
    return dsm__refuse(diags, DSM_ERROR_IO, "interrupted before a placement was found");
  }
  if (solution->outcome == DSM__SOLVER_NOTHING && solution->seconds < options->time_limit_seconds) {
    return dsm__refuse(diags, DSM_ERROR_IO,
                       "the solver GLPK found no placement: the numbers are too far apart for it");
  }
  if (solution->outcome == DSM__SOLVER_NOTHING) {
    return dsm__refuse(diags, DSM_ERROR_IO, "no placement was found within the time limit of %g s",
                       options->time_limit_seconds);
  }
  if (options->objective == DSM_OBJECTIVE_ENERGY) {
    return report_out_of_reach(instance, options, diags);
  }
  if (solution->least_latency > 0) {
    return report_waiting(options, solution->least_latency, diags);
  }
  double needed = 0;
  double room = 0;
  dsm__add_up_memory(instance, options, &needed, &room);
  char memories[64] = "devices some of which have unlimited memory";
  if (isfinite(room)) {
    (void)snprintf(memories, sizeof memories, "memories of %.0f byte%s", floor(room),
                   dsm__plural(floor(room)));
  }
  return dsm__refuse(
      diags, DSM_ERROR_INFEASIBLE,
      "the tasks do not fit together: no way to divide whole tasks of %.0f byte%s among "
      "%s stores each where it can run%s",
      ceil(needed), dsm__plural(ceil(needed)), memories, forms_text(options));
}

dsm_status dsm__report_slow(const dsm_partition_options *options, double mean, dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                     "no placement was found that keeps the latency limit of %g ms with these "
                     "batches: of the nearest, requests take %.6g ms on average",
                     1e3 * options->latency_limit_seconds, 1e3 * mean);
}
