/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition.c: a question answered: searched, priced again, checked.
 *
 * The order is what makes an answer one to rely on (docs/partition.md, section of that name). The
 * search says which tasks are stored where, and how often they run; its numbers are made whole and
 * counted again from the instance (pricing.c); then every constraint is checked by code that has
 * seen neither (partition_validate.c). What fails there is an error and no answer. The bound is the
 * search's, made no better than the relaxation and no worse than what was reached.
 */
#include "dsm/partition.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/words.h"
#include "dsm/dispatch.h"
#include "partition/batch_search.h"
#include "partition/instance_facts.h"
#include "partition/solver.h"
#include "partition/whole_requests.h"

/* What pricing may lose against the gap that was asked for: the solver's tolerances. */
static const double gap_slack = 5e-6;
/* Requests that come so close to a rate reach it: what the linear programmes round. */
static const double whole_margin = 1e-6;

static const dsm__word objective_words[] = {
    [DSM_OBJECTIVE_THROUGHPUT].key = "throughput",
    [DSM_OBJECTIVE_LATENCY].key = "latency",
    [DSM_OBJECTIVE_ENERGY].key = "energy",
};
DSM__NAMED_WORDS(dsm__objective_words, "objective", objective_words, DSM_OBJECTIVE_KIND_COUNT,
                 dsm_objective_kind, dsm_objective_kind_name);

static const dsm__word status_words[] = {
    [DSM_SOLUTION_OPTIMAL].key = "optimal",
    [DSM_SOLUTION_LIMITED].key = "limited",
};
DSM__NAMED_WORDS(dsm__solution_status_words, "state of a partition", status_words,
                 DSM_SOLUTION_STATUS_COUNT, dsm_solution_status, dsm_solution_status_name);

void dsm_partition_options_init(dsm_partition_options *options) {
  *options = (dsm_partition_options){
      .objective = DSM_OBJECTIVE_THROUGHPUT, .time_limit_seconds = 60, .gap = 1e-4};
}

/* ---- what has no answer ---- */

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
  const dsm_status refused = dsm__refuse(
      diags, DSM_ERROR_INFEASIBLE, "the required %g requests per second are out of reach%s: %s %g",
      options->required_rho, options->latency_limit_seconds > 0 ? " within the latency limit" : "",
      best->status == DSM_SOLUTION_OPTIMAL ? "the best rate is" : "the best rate found is",
      best->status == DSM_SOLUTION_OPTIMAL ? best->bound : best->rho);
  dsm_partition_free(best);
  return refused;
}

static bool is_stopped(const dsm_partition_options *options) {
  return options->is_stopped != NULL && options->is_stopped(options->context);
}

static dsm_status report_too_slow(const dsm_partition_options *options, double least,
                                  dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                     "the latency limit of %g ms is out of reach: the shortest time of a request "
                     "found is %.6g ms",
                     1e3 * options->latency_limit_seconds, 1e3 * least);
}

/* What else an answer has to keep. */
static const char *forms_text(const dsm_partition_options *options) {
  if (options->is_staged) {
    return options->cuts_max > 0 ? ", in stages with so few cuts" : ", in stages";
  }
  return options->cuts_max > 0 ? ", with so few cuts" : "";
}

static dsm_status report_nothing(const dsm_instance *instance, const dsm_partition_options *options,
                                 const dsm__solver_answer *solution, dsm_diags *diags) {
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
  if (solution->outcome == DSM__SOLVER_NOTHING && is_stopped(options)) {
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

/* ---- an answer ---- */

/*
 * Bound and relaxation as values of the objective, the bound never better than the relaxation.
 *
 * The bound is proven in the solver's arithmetic and the answer counted exactly, so that the two
 * may be the wrong way round by a rounding; then the answer, which is reached, is the bound.
 */
void dsm__set_bounds(dsm_partition *partition, double bound, double relaxation) {
  partition->bound = bound;
  partition->relaxation = relaxation;
  /* pricing is exact where the solver rounds: a bound a rounding worse than the answer is met */
  if (partition->options.objective == DSM_OBJECTIVE_THROUGHPUT) {
    partition->bound = fmax(fmin(partition->bound, partition->relaxation), partition->objective);
    partition->relaxation = fmax(partition->relaxation, partition->bound);
  } else {
    partition->bound = fmin(fmax(partition->bound, partition->relaxation), partition->objective);
    partition->relaxation = fmin(partition->relaxation, partition->bound);
  }
  partition->gap = fabs(partition->bound - partition->objective) / fabs(partition->objective);
  partition->status = partition->gap <= partition->options.gap + gap_slack ? DSM_SOLUTION_OPTIMAL
                                                                           : DSM_SOLUTION_LIMITED;
}

static void set_bounds(dsm_partition *partition, const dsm__solver_answer *solution) {
  const bool is_energy = partition->options.objective == DSM_OBJECTIVE_ENERGY;
  const double unit = is_energy ? partition->options.required_rho : 1;
  dsm__set_bounds(partition, solution->bound / unit, solution->relaxation / unit);
}

static size_t count_copies(const double *rates, const dsm_instance *instance) {
  size_t count = 0;
  for (size_t k = 0; k < instance->task_count * instance->device_count; k++) {
    count += rates[k] > 0 ? 1 : 0;
  }
  return count;
}

static double moved_bytes(const dsm_partition *partition) {
  double sum = 0;
  for (size_t k = 0; k < partition->instance->tensor_count * partition->instance->device_count;
       k++) {
    sum += partition->sent[k];
  }
  return sum;
}

/* The least rate that is as good as an answer's within the gap, and proven to be where that is. */
static double least_rate(const dsm_partition *partition) {
  const double slower = 1 + partition->options.gap;
  return fmax(partition->rho / slower, fmin(partition->rho, partition->bound / slower));
}

/* Whether an answer has fewer copies than another, or as many and moves less, or as much and takes
 * less time; and in no case moves more. */
static bool is_leaner(const dsm_partition *trial, const dsm_partition *other) {
  const size_t copies = count_copies(trial->rates, trial->instance);
  const size_t most = count_copies(other->rates, other->instance);
  const double moved = moved_bytes(trial);
  const double before = moved_bytes(other);
  const bool is_quicker = trial->latency_seconds < other->latency_seconds * (1 - whole_margin);
  return copies <= most && moved <= before * (1 + whole_margin) &&
         (copies < most || moved < before * (1 - whole_margin) || is_quicker);
}

/* Takes the lean answer where it is as good within the gap when it is priced. False: out of memory.
 */
static bool prefer_lean(dsm_partition *partition, const dsm__solver_answer *solution) {
  dsm_partition trial = *partition;
  if (solution->lean.rates == NULL) {
    return true;
  }
  if (!dsm__price(&trial, solution->lean)) {
    return false;
  }
  set_bounds(&trial, solution);
  const bool is_as_good =
      trial.options.objective == DSM_OBJECTIVE_THROUGHPUT
          ? trial.rho >= least_rate(partition) * (1 - gap_slack)
          : trial.objective <= partition->objective * (1 + trial.options.gap + gap_slack);
  const double limit = trial.options.latency_limit_seconds;
  const bool is_quick = limit == 0 || trial.mean_latency_seconds <= limit * (1 + whole_margin);
  if (is_as_good && is_quick && trial.status <= partition->status && is_leaner(&trial, partition)) {
    *partition = trial;
  }
  return true;
}

/*
 * Takes plain replication in place of an answer that is no better within the gap: it moves nothing
 * but results, and no latency on these devices is shorter. An answer that moves nothing either is
 * kept where it has fewer copies. False: out of memory.
 */
static bool prefer_replication(dsm_partition *partition, const dsm__solver_answer *solution,
                               dsm__arena *scratch) {
  const dsm_instance *const instance = partition->instance;
  const size_t places = instance->task_count * instance->device_count;
  dsm__placement plain = {.rates = NULL};
  if (!DSM__RESERVE(scratch, plain.rates, places) ||
      !DSM__RESERVE(scratch, plain.copies,
                    (instance->tensor_count + instance->task_count) * instance->device_count)) {
    return false;
  }
  if (partition->options.objective != DSM_OBJECTIVE_THROUGHPUT ||
      !dsm__replicate(plain.rates, instance, &partition->options, least_rate(partition))) {
    return true;
  }
  if (!(moved_bytes(partition) > 0) &&
      count_copies(plain.rates, instance) >= count_copies(partition->rates, instance)) {
    return true;
  }
  partition->is_heuristic = true;
  if (!dsm__price(partition, plain)) {
    return false;
  }
  set_bounds(partition, solution);
  return true;
}

static dsm_status answer(dsm_partition *partition, dsm__arena *scratch, dsm_diags *diags) {
  const dsm_instance *const instance = partition->instance;
  const dsm_partition_options *const options = &partition->options;
  dsm__solver_answer solution;
  const dsm_status status = dsm__solver_run(&solution, scratch, instance, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (solution.outcome != DSM__SOLVER_FOUND) {
    return report_nothing(instance, options, &solution, diags);
  }
  partition->is_heuristic = solution.is_heuristic;
  partition->solver_seconds = solution.seconds;
  partition->statistics = solution.statistics;
  if (!dsm__price(partition, solution.placement)) {
    return dsm__out_of_memory(diags);
  }
  set_bounds(partition, &solution);
  if (!prefer_lean(partition, &solution) || !prefer_replication(partition, &solution, scratch)) {
    return dsm__out_of_memory(diags);
  }
  partition->was_stopped = partition->status == DSM_SOLUTION_LIMITED && is_stopped(options);
  dsm_partition_baselines(instance, options, partition->baselines);
  return DSM_OK;
}

/* ---- what whole requests reach of it ---- */

/* What a simulation reaches, long enough for most networks, and of about so many tasks for large
 * ones. */
static dsm_status simulate(double *rate, const dsm_partition *partition, dsm_diags *diags) {
  enum { REQUESTS = 4000, TASKS = 400000, WINDOW = 64, WINDOWS = 8 };
  const size_t affordable = TASKS / partition->instance->task_count;
  dsm_dispatch_options options;
  dsm_dispatch_options_init(&options);
  options.request_count = REQUESTS;
  options.window = WINDOW;
  dsm_dispatch_options_scale(&options, partition->instance);
  const size_t least = options.window;
  options.request_count = affordable > options.request_count ? options.request_count
                          : affordable < least               ? least
                                                             : affordable;
  options.window =
      options.request_count >= WINDOWS * least ? least : options.request_count / WINDOWS;
  dsm_dispatch *dispatch = NULL;
  const dsm_status status = dsm_dispatch_run(&dispatch, partition, &options, diags);
  if (status == DSM_OK) { /* above: requests that were under way when the steady half began */
    const double most = partition->whole_rho > 0 ? partition->whole_rho : partition->rho;
    *rate = fmin(dispatch->throughput, most);
  }
  dsm_dispatch_free(dispatch);
  return status;
}

/*
 * What a simulation reaches by the ways, and without them where they are not known to be the best:
 * then they are kept only if that is less.
 */
static dsm_status simulate_both(dsm_partition *partition, dsm_diags *diags) {
  dsm_status status = simulate(&partition->simulated_rho, partition, diags);
  if (status != DSM_OK || partition->way_count == 0 || partition->whole_rho > 0) {
    return status;
  }
  dsm_partition by_rates = *partition;
  by_rates.way_count = 0;
  status = simulate(&by_rates.simulated_rho, &by_rates, diags);
  if (by_rates.simulated_rho > partition->simulated_rho) {
    partition->simulated_rho = by_rates.simulated_rho;
    partition->way_count = 0;
  }
  return status;
}

/* On a graph the programme knows how often two branches run on a device, and not how often for the
 * same request, so that its optimum may be above what requests reach. */
static dsm_status compare_requests(dsm_partition *partition, dsm_diags *diags) {
  const dsm_instance *const instance = partition->instance;
  partition->is_mean_bound = !dsm__is_chain(instance) && moved_bytes(partition) > 0 &&
                             count_copies(partition->rates, instance) > instance->task_count;
  if (partition->options.objective != DSM_OBJECTIVE_THROUGHPUT ||
      dsm__is_chain(partition->instance)) {
    return DSM_OK;
  }
  partition->is_bound = true;
  if (is_stopped(&partition->options)) {
    return DSM_OK;
  }
  /* tasks between which bytes would move then have the same rates, as whole requests do */
  partition->whole_rho = partition->rho;
  dsm_status status = DSM_OK;
  if (moved_bytes(partition) > 0) {
    dsm__whole_requests whole;
    dsm__arena *const scratch = dsm__arena_new();
    status = scratch == NULL
                 ? dsm__out_of_memory(diags)
                 : dsm__whole_requests_find(&whole, scratch, partition->arena, partition, diags);
    if (status == DSM_OK) {
      partition->whole_rho = whole.rate;
      partition->ways = whole.ways;
      partition->way_count = whole.way_count;
    }
    dsm__arena_free(scratch);
  }
  if (status == DSM_OK) {
    partition->is_bound = partition->whole_rho < partition->rho * (1 - whole_margin);
    partition->is_mean_bound = partition->is_mean_bound && partition->is_bound;
    status = simulate_both(partition, diags);
  }
  return status;
}

dsm_status dsm__solve_at_batches(dsm_partition **partition, const dsm_instance *instance,
                                 const dsm_partition_options *options, dsm_diags *diags) {
  *partition = NULL;
  dsm_status status = dsm__check_feasibility(instance, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__arena *const scratch = dsm__arena_new();
  dsm_partition *const made = DSM__ARENA_OWNER(dsm_partition);
  if (made == NULL || scratch == NULL) {
    dsm_partition_free(made);
    dsm__arena_free(scratch);
    return dsm__out_of_memory(diags);
  }
  made->instance = instance;
  made->options = dsm__meant_options(options);
  status = answer(made, scratch, diags);
  if (status == DSM_OK && dsm_partition_validate(made, diags) != DSM_OK) {
    status = DSM_ERROR_IO; /* the solver's fault, not the input's */
  }
  dsm__arena_free(scratch);
  if (status != DSM_OK) {
    dsm_partition_free(made);
    return status;
  }
  *partition = made;
  return DSM_OK;
}

dsm_status dsm_partition_solve(dsm_partition **partition, const dsm_instance *instance,
                               const dsm_partition_options *options, dsm_diags *diags) {
  *partition = NULL;
  dsm_partition_options defaults;
  dsm_partition_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  dsm_status status = dsm__check_question(instance, options, diags);
  if (status == DSM_OK) {
    status = dsm__has_batch_choice(instance)
                 ? dsm__search_batches(partition, instance, options, diags)
                 : dsm__solve_at_batches(partition, instance, options, diags);
  }
  if (status == DSM_OK) {
    status = compare_requests(*partition, diags);
  }
  if (status != DSM_OK) {
    dsm_partition_free(*partition);
    *partition = NULL;
  }
  return status;
}

void dsm_partition_free(dsm_partition *partition) {
  if (partition != NULL) {
    dsm__arena_free(partition->arena);
  }
}
