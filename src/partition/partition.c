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

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/deadline.h"
#include "base/diag_add.h"
#include "base/words.h"
#include "dsm/dispatch.h"
#include "partition/batch_mean.h"
#include "partition/batch_search.h"
#include "partition/instance_facts.h"
#include "partition/no_answer.h"
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

/* Whether requests take no longer on average than they may. */
static bool is_quick(const dsm_partition *partition) {
  const double limit = partition->options.latency_limit_seconds;
  return limit == 0 || partition->mean_latency_seconds <= limit * (1 + whole_margin);
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
  if (is_as_good && is_quick(&trial) && trial.status <= partition->status &&
      is_leaner(&trial, partition)) {
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
  dsm_partition trial = *partition;
  trial.is_heuristic = true;
  if (!dsm__price(&trial, plain)) {
    return false;
  }
  set_bounds(&trial, solution);
  *partition = is_quick(&trial) ? trial : *partition;
  return true;
}

/* ---- an answer in time ---- */

typedef struct attempt {
  const dsm__question *question;
  dsm_partition *partition;
  dsm__arena *scratch;
  dsm_partition_options options; /* of the next run of the solver */
  dsm__deadline deadline;
  dsm__solver_answer solution; /* of the last; bounds are of those with the limit itself */
  double rho_most;             /* no answer has more requests a second */
  dsm_partition best;          /* that keeps the limit of latency */
  bool has_best;
  bool is_shifted; /* the next run has a smaller limit */
  double slow;     /* the smallest limit of which the answer was too slow */
  double quick;    /* the largest of which it was not; 0: none yet */
  double shift;    /* of the limit, in parts of what the last answer was too slow by */
  double mean;     /* of the last answer that was too slow */
} attempt;

/* Whether more than one run of the solver may be needed, of which each then has half of the time
 * that is left: with batches and a limit of latency. */
static bool is_inexact(const dsm__question *question) {
  return question->options->latency_limit_seconds > 0 && !question->is_relaxed &&
         dsm__has_batches(question->instance);
}

static dsm_status run_solver(attempt *it, dsm_diags *diags) {
  dsm__solver_answer *const solution = &it->solution;
  const dsm__solver_answer before = *solution;
  if (is_inexact(it->question)) {
    it->options.time_limit_seconds = fmax(dsm__deadline_left(&it->deadline) / 2,
                                          it->question->options->time_limit_seconds / 1000);
  }
  dsm__question question = *it->question;
  question.options = &it->options;
  question.rho_most = it->rho_most;
  const dsm_status status = dsm__solver_run(solution, it->scratch, &question, diags);
  if (it->is_shifted) { /* what a smaller limit allows is no bound */
    solution->bound = before.bound;
    solution->relaxation = before.relaxation;
  }
  if (status != DSM_OK || solution->outcome != DSM__SOLVER_FOUND) {
    return status;
  }
  it->partition->is_heuristic = solution->is_heuristic;
  it->partition->solver_seconds += solution->seconds;
  it->partition->statistics = solution->statistics;
  return dsm__price(it->partition, solution->placement) ? DSM_OK : dsm__out_of_memory(diags);
}

/*
 * What is asked next, where requests take longer than the solver's programme counts.
 *
 * (13a) has a bound of rho where waiting has rho itself: a better bound may be all that it takes.
 * Else a smaller limit, by what the answer was too slow by and more each time, until one is quick
 * enough; then limits between the two. False: that is enough.
 */
static bool ask_again(attempt *it, double bound_before) {
  const double worth_it = fmax(it->options.gap, gap_slack); /* of a bound */
  const double enough = 1e-2;                               /* of the limit */
  const double limit = it->question->options->latency_limit_seconds;
  if (dsm__deadline_left(&it->deadline) <= 0 || dsm__is_stopped(it->question->options)) {
    return false;
  }
  if (it->options.objective == DSM_OBJECTIVE_THROUGHPUT && !it->is_shifted &&
      it->solution.bound < bound_before * (1 - worth_it)) {
    it->rho_most = it->solution.bound;
    return true;
  }
  it->is_shifted = true;
  if (it->has_best) {
    it->options.latency_limit_seconds = (it->quick + it->slow) / 2;
    return it->slow - it->quick > enough * limit;
  }
  it->options.latency_limit_seconds -= it->shift * (it->mean - limit * (1 - whole_margin / 2));
  it->shift *= 2;
  return it->options.latency_limit_seconds > enough * limit;
}

/* Whether an answer is all that there is to find; what it says of limits. */
static bool take_answer(attempt *it) {
  dsm_partition *const found = it->partition;
  const double limit = it->options.latency_limit_seconds;
  if (!is_quick(found)) {
    it->slow = limit;
    it->mean = found->mean_latency_seconds;
    return false;
  }
  const double sign = found->options.objective == DSM_OBJECTIVE_THROUGHPUT ? 1 : -1;
  if (!it->has_best || sign * (found->objective - it->best.objective) > 0) {
    it->best = *found;
  }
  it->has_best = true;
  it->quick = limit;
  return !it->is_shifted;
}

/* Takes over what a run proves of all answers; returns what was known before. */
static double take_bound(const attempt *it, double *bound, double bound_before) {
  const dsm__solver_answer *const solution = &it->solution;
  const bool is_throughput = it->question->options->objective == DSM_OBJECTIVE_THROUGHPUT;
  const double worst = is_throughput ? 0 : HUGE_VAL;
  const bool is_none =
      solution->outcome == DSM__SOLVER_INFEASIBLE || solution->outcome == DSM__SOLVER_TOO_SLOW;
  if (it->is_shifted) {
    return bound_before;
  }
  const double before = *bound;
  *bound = is_none ? worst : solution->bound;
  return before;
}

/* The best of several runs; reports where none keeps the limit of latency. */
static dsm_status take_best(attempt *it, dsm_diags *diags) {
  it->best.solver_seconds = it->partition->solver_seconds; /* of all runs */
  *it->partition = it->has_best ? it->best : *it->partition;
  return it->has_best ? DSM_OK : dsm__report_slow(it->question->options, it->mean, diags);
}

/* The best of the solver's answers that keeps the limit of latency; *bound is proven of all. */
static dsm_status find_answer(attempt *it, double *bound, dsm_diags *diags) {
  enum { RUNS_MAX = 12 };
  const dsm_partition_options *const options = it->question->options;
  const dsm__solver_answer *const solution = &it->solution;
  double bound_before = HUGE_VAL;
  for (int run = 0; run < RUNS_MAX; run++) {
    const dsm_status status = run_solver(it, run == 0 ? diags : NULL);
    if (run > 0 && status == DSM_ERROR_OUT_OF_MEMORY) {
      return dsm__out_of_memory(diags);
    }
    if (status != DSM_OK && !it->has_best) {
      return status;
    }
    bound_before = take_bound(it, bound, bound_before);
    const bool is_found = status == DSM_OK && solution->outcome == DSM__SOLVER_FOUND;
    if (!is_found && !it->is_shifted) {
      return dsm__report_nothing(it->question->instance, options, solution, diags);
    }
    if (!is_found || !is_inexact(it->question) || take_answer(it) || !ask_again(it, bound_before)) {
      break;
    }
  }
  return is_inexact(it->question) ? take_best(it, diags) : DSM_OK;
}

static dsm_status answer(attempt *it, double *bound, dsm_diags *diags) {
  dsm_partition *const partition = it->partition;
  const dsm_partition_options *const options = &partition->options;
  dsm__deadline_begin(&it->deadline, options->time_limit_seconds);
  const dsm_status status = find_answer(it, bound, diags);
  if (options->objective == DSM_OBJECTIVE_ENERGY) {
    *bound /= options->required_rho; /* of watts */
  }
  if (status != DSM_OK) {
    return status;
  }
  set_bounds(partition, &it->solution);
  if (!prefer_lean(partition, &it->solution) ||
      !prefer_replication(partition, &it->solution, it->scratch)) {
    return dsm__out_of_memory(diags);
  }
  partition->was_stopped = partition->status == DSM_SOLUTION_LIMITED && dsm__is_stopped(options);
  dsm_partition_baselines(partition->instance, options, partition->baselines);
  return DSM_OK;
}

/* ---- what whole requests reach of it ---- */

/* What a simulation reaches, long enough for most networks, and of about so many tasks for large
 * ones. */
static dsm_status simulate(double *rate, const dsm_partition *partition, dsm_diags *diags) {
  enum { REQUESTS = 4000, TASKS = 400000, WINDOW = 64, WINDOWS = 8 };
  assert(partition->instance->task_count > 0);
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
  const bool has_batches = dsm__has_batches(instance);
  const bool is_known = has_batches
                            ? dsm__ways_are_known(instance, partition->rates)
                            : dsm__is_chain(instance) || !(moved_bytes(partition) > 0) ||
                                  count_copies(partition->rates, instance) == instance->task_count;
  partition->is_mean_bound = !is_known;
  if (partition->options.objective != DSM_OBJECTIVE_THROUGHPUT ||
      dsm__is_chain(partition->instance)) {
    return DSM_OK;
  }
  partition->is_bound = true;
  if (dsm__is_stopped(&partition->options)) {
    return DSM_OK;
  }
  /* tasks between which bytes would move then have the same rates, as whole requests do */
  partition->whole_rho = partition->rho;
  dsm_status status = DSM_OK;
  if (moved_bytes(partition) > 0) {
    dsm__whole_requests whole = {.rate = 0};
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
    partition->is_mean_bound = partition->is_mean_bound && (partition->is_bound || has_batches);
    status = simulate_both(partition, diags);
  }
  return status;
}

dsm_status dsm__solve_at_batches(dsm_partition **partition, double *bound,
                                 const dsm__question *question, dsm_diags *diags) {
  *partition = NULL;
  *bound = question->options->objective == DSM_OBJECTIVE_THROUGHPUT ? 0 : HUGE_VAL;
  dsm_status status = dsm__check_feasibility(question->instance, question->options, diags);
  if (status != DSM_OK) {
    return status;
  }
  *bound = question->options->objective == DSM_OBJECTIVE_THROUGHPUT ? HUGE_VAL : -HUGE_VAL;
  dsm_partition *const made = DSM__ARENA_OWNER(dsm_partition);
  attempt it = {.question = question,
                .partition = made,
                .scratch = dsm__arena_new(),
                .options = dsm__meant_options(question->options),
                .rho_most = question->rho_most,
                .shift = 1};
  if (made == NULL || it.scratch == NULL) {
    dsm_partition_free(made);
    dsm__arena_free(it.scratch);
    return dsm__out_of_memory(diags);
  }
  made->instance = question->instance;
  made->options = it.options;
  status = answer(&it, bound, diags);
  if (status == DSM_OK && !question->is_relaxed) {
    status = dsm_partition_validate(made, diags);
    status = status == DSM_ERROR_INVALID ? DSM_ERROR_IO : status; /* the solver's fault */
  }
  dsm__arena_free(it.scratch);
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
  double bound = 0;
  dsm_partition_options defaults;
  dsm_partition_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  dsm_status status = dsm__check_question(instance, options, diags);
  if (status == DSM_OK) {
    const dsm__question question = {instance, options, HUGE_VAL, false};
    status = dsm__has_batch_choice(instance)
                 ? dsm__search_batches(partition, instance, options, diags)
                 : dsm__solve_at_batches(partition, &bound, &question, diags);
  }
  if (status == DSM_OK) {
    assert(*partition != NULL);
    status = compare_requests(*partition, diags);
  }
  if (status != DSM_OK) {
    dsm_partition_free(*partition);
    *partition = NULL;
  }
  return status;
}

DSM__ARENA_FREE(dsm_partition, dsm_partition_free);
