/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver.c: the order of the search: relaxation, initial assignments, dive, neighbourhoods, branch
 * and cut.
 *
 * The steps and what each proves: first what needs no programme, an assignment and a bound by whole
 * tasks (capacity_bound.c), so that there is an answer whatever comes. Then the plain relaxation,
 * which is a bound; the tight one, again and again while its own bound makes it tighter; starts, a
 * dive and neighbourhoods, which prove nothing and give answers; and trees, whose bounds hold for
 * the whole programme. Bounds are only ever replaced by stricter ones and answers by better ones,
 * so that the search may end anywhere (docs/partition.md, how it is solved).
 *
 * What is cut is cut by counts and not by the clock, as far as time lasts: two runs that end in
 * time go the same way.
 */
#include "partition/solver.h"

#include <math.h>

#include "base/deadline.h"
#include "base/diag_add.h"
#include "base/number_text.h"
#include "partition/assignment.h"
#include "partition/batch_mean.h"
#include "partition/capacity_bound.h"
#include "partition/device_bound.h"
#include "partition/instance_facts.h"
#include "partition/solver_search.h"

static const dsm__place nowhere = {NULL, 0, 0, NULL};

/* Smallest relative gap that GLPK's tolerances can tell from none. */
static const double least_gap = 1e-7;
/* The relaxation lies above a true bound by a solver's tolerance at most. */
static const double relaxation_slack = 1e-8;
/* When the searches for an assignment and for a bound without a programme end at the latest, in
 * parts of the time limit. */
static const double assigning_share = 0.3;
static const double bounding_share = 0.5;
/* A time limit is above 0, also where none is left. */
static const double shortest_seconds = 1e-3;
/* What a place (a task or tensor, and a device) takes to be made and loaded, with some to spare: 40
 * microseconds were measured, five times over. */
static const double seconds_per_place = 1e-4;
/* Beyond this range of times GLPK's bounds are not relied on: over 11 orders of ten and more a few
 * in a thousand were below the optimum. */
static const double range_max = 1e10;
/* What tensors that are left out for that may take, in parts of a request's time: half of what the
 * check of an answer lets through (partition_validate.c). */
static const double negligible = 5e-7;
/* A first tree of so many nodes gives an answer to begin with; around it better ones are found. */
enum { FIRST_NODES = 400, NODES_GROWTH = 4, TREES_MAX = 16, LIMIT_ROUNDS_MAX = 8 };
/* Programmes of so many columns or fewer are settled by one tree of so many nodes, or nearly. Of 35
 * instances of 10 to 20 tasks on 4 to 8 devices (bench/make_profile.py) the largest had 521
 * columns, and none took more than 4,361 nodes. */
enum { SMALL_COLUMNS = 560, SMALL_NODES = 8000, SMALL_GROWTH = 16 };
/* The parts of the time that is left which the first tree may take: the rest is for what comes
 * around it, of which small programmes mostly need nothing. */
static const double first_share = 0.25;
static const double small_share = 0.4;

/* ---- bounds before any solver ---- */

/* sum_i min_j p_ij: no request is faster. */
static double latency_limit(const dsm__search *search) {
  const dsm_instance *const instance = search->instance;
  double sum = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    double least = HUGE_VAL;
    for (size_t j = 0; j < instance->device_count; j++) {
      if (dsm__task_can_run(instance, search->options, i, j)) {
        least = fmin(least, dsm_instance_seconds(instance, i, j));
      }
    }
    sum += least;
  }
  return sum;
}

/*
 * With L a limit of latency the optimum is at least 1 / L, if there is an answer at all: of one
 * that leaves time on all devices and carriers all rates can grow together, and requests then wait
 * less for batches; of one that uses all of some, that is a part of what requests take, which is at
 * most L rho. So without a request in its time there is none, where no requests would keep any
 * limit.
 */
static double least_rate(const dsm__search *search) {
  const double limit = search->options->latency_limit_seconds;
  return limit > 0 && dsm__has_batches(search->instance) ? 1 / limit : 0;
}

static dsm__programme_form first_form(dsm__search *search, const dsm__question *question) {
  dsm__programme_form form = {.is_tight = true, .is_relaxed = question->is_relaxed};
  switch (search->options->objective) {
  case DSM_OBJECTIVE_LATENCY:
    form.time_unit = latency_limit(search);
    search->bound = form.time_unit;
    break;
  case DSM_OBJECTIVE_ENERGY:
    form.time_unit = 1 / search->options->required_rho;
    form.rho_limit = search->options->required_rho;
    search->bound = -HUGE_VAL;
    break;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    form.rho_limit = fmin(dsm__speed_limit(search->instance, search->options), question->rho_most);
    form.rho_floor = least_rate(search);
    form.time_unit = 1 / form.rho_limit;
    search->bound = form.rho_limit;
    break;
  }
  return form;
}

/* ---- programmes ---- */

/* A proven number is made a little weaker by what the solver's tolerances allow, before it counts
 * as a bound. */
static double loosened(const dsm__search *search, double value) {
  return value + search->sign * relaxation_slack * fabs(value);
}

static double stricter(const dsm__search *search, double a, double b) {
  return search->sign > 0 ? fmin(a, b) : fmax(a, b);
}

/* The paper's programme without integrality. */
static dsm_status relax_plain(dsm__search *search, dsm__programme_form form, dsm__solved *solved) {
  form.is_tight = false;
  if (!dsm__programme_build(&search->programme, search->arena, search->instance, search->options,
                            form)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  search->problem = dsm__search_load(search, &search->programme);
  if (search->problem == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  *solved = dsm__search_relax(search, search->problem);
  if (*solved == DSM__SOLVED_OPTIMAL) {
    search->solution->relaxation = dsm__search_value(search);
    search->bound = stricter(search, search->bound, loosened(search, search->solution->relaxation));
  }
  glp_delete_prob(search->problem);
  search->problem = NULL;
  return DSM_OK;
}

/* The tight programme, and again with the bound that its relaxation gives, while that helps. A
 * bound R of rho makes (2) tighter: no x_ij has to be above R, since the part of a rate above rho
 * can be cut off without breaking a constraint, so x_ij <= min(1 / p_ij, R) s_ij keeps an optimum.
 * The time unit stays that of the first, if there are answers already, which are in it. */
static dsm_status tighten(dsm__search *search, dsm__solved *solved) {
  for (int round = 0; round < LIMIT_ROUNDS_MAX; round++) {
    if (!dsm__programme_build(&search->programme, search->arena, search->instance, search->options,
                              search->form)) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
    if (search->problem != NULL) {
      glp_delete_prob(search->problem);
    }
    search->problem = dsm__search_load(search, &search->programme);
    if (search->problem == NULL) {
      return DSM_ERROR_OUT_OF_MEMORY;
    }
    *solved = dsm__search_relax(search, search->problem);
    if (*solved != DSM__SOLVED_OPTIMAL) {
      break;
    }
    const double limit = loosened(search, dsm__search_value(search));
    search->bound = stricter(search, search->bound, limit);
    if (search->options->objective != DSM_OBJECTIVE_THROUGHPUT ||
        search->bound > 0.995 * search->form.rho_limit) {
      break;
    }
    search->form.rho_limit = search->bound;
    if (!search->has_best && !search->has_assignment) {
      search->form.time_unit = 1 / search->bound;
    }
  }
  return DSM_OK;
}

/* ---- the search ---- */

/* Stages that are as good as any need no programme. */
static bool has_best_stages(const dsm__search *search) {
  const double value = search->has_assignment ? dsm__assignment_value(&search->assignment) : 0;
  return search->options->is_staged && search->has_assignment &&
         search->sign * (search->bound - value) <= search->gap * fabs(value);
}

static dsm_status try_initial_assignments(dsm__search *search) {
  const size_t places = search->instance->task_count * search->instance->device_count;
  dsm__initial initial;
  if (!dsm__make_initial_assignments(
          &initial, search->arena, search->instance, search->options, &search->assignment.routes,
          search->has_assignment ? search->assignment.device_of : NULL)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t s = 0;
       s < initial.storage_count && !has_best_stages(search) && dsm__search_left(search) > 0; s++) {
    const bool *const storage = &initial.storages[s * places];
    for (size_t k = 0; k < search->choice_count; k++) {
      const dsm__choice *const it = &search->choices[k];
      search->trial[k] = it->task == search->instance->task_count ||
                         storage[it->task * search->instance->device_count + it->device];
    }
    dsm__search_try(search, search->trial);
  }
  return DSM_OK;
}

/*
 * The whole tree. Whatever it proves becomes the bound.
 *
 * A bound beyond the best answer means that nothing better is there: then the answer is the bound.
 */
static dsm__solved branch_whole(dsm__search *search, size_t node_count, double seconds) {
  search->is_whole = true;
  const dsm__solved solved = dsm__search_branch(search, node_count, seconds);
  if (solved != DSM__SOLVED_INFEASIBLE && search->has_best) {
    const double proven = loosened(search, search->tree_bound);
    const bool is_beyond = search->sign * (proven - search->best) < 0;
    search->bound = stricter(search, search->bound, is_beyond ? search->best : proven);
  }
  return solved;
}

static bool is_over(const dsm__search *search) {
  return dsm__search_is_done(search) || dsm__search_left(search) <= 0;
}

/* Trees of growing size; after each a better answer is looked for around the best. */
static dsm_status grow_trees(dsm__search *search, dsm__solved *solved) {
  search->is_small = search->programme.column_count <= SMALL_COLUMNS;
  size_t node_count = search->is_small ? SMALL_NODES : FIRST_NODES;
  *solved = DSM__SOLVED_UNKNOWN;
  for (int tree = 0; tree < TREES_MAX && !is_over(search); tree++) {
    const double left = dsm__search_left(search);
    const double share = search->is_small ? small_share : first_share;
    *solved = branch_whole(search, node_count, tree == 0 ? share * left : left);
    if (*solved != DSM__SOLVED_UNKNOWN) {
      return DSM_OK;
    }
    const dsm_status bounded = tree == 0 && !is_over(search)
                                   ? dsm__bound_by_devices(search, dsm__search_left(search) / 2)
                                   : DSM_OK;
    if (bounded != DSM_OK) {
      return bounded;
    }
    if (!is_over(search)) {
      dsm__search_neighbours(search);
    }
    node_count *= search->is_small ? SMALL_GROWTH : NODES_GROWTH;
  }
  return DSM_OK;
}

static dsm_status look(dsm__search *search, dsm__solved *solved) {
  *solved = DSM__SOLVED_UNKNOWN;
  if (!search->options->is_staged) { /* what the relaxation uses is no row of stages */
    dsm__search_store_used(search);
  }
  const dsm_status status = dsm__search_is_done(search) ? DSM_OK : try_initial_assignments(search);
  if (status != DSM_OK) {
    return status;
  }
  if (has_best_stages(search)) {
    return DSM_OK;
  }
  if (!dsm__search_is_done(search)) {
    dsm__search_dive(search);
  }
  return dsm__search_is_done(search) ? DSM_OK : grow_trees(search, solved);
}

/* ---- without a programme ---- */

/* A step without a programme ends with its part of the time. */
typedef struct step {
  const dsm__search *search;
  double share; /* of the time limit that has passed then, at most */
} step;

static bool is_step_over(void *context) {
  const step *const it = context;
  const double limit = it->search->options->time_limit_seconds;
  return dsm__search_left(it->search) < limit * (1 - it->share);
}

/* What the best runs of tasks allow, where each device has one. */
static dsm_status bound_by_stages(dsm__search *search) {
  double seconds = 0;
  if (!dsm__stage_bound_find(&seconds, search->arena, search->instance, search->options)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  if (seconds > 0) {
    const double value = search->sign > 0 ? 1 / seconds : seconds;
    search->bound = stricter(search, search->bound, loosened(search, value));
  }
  return DSM_OK;
}

/* What whole tasks in limited room allow. */
static dsm_status bound_by_capacity(dsm__search *search) {
  double room = 0;
  step bounding = {search, bounding_share};
  if (!dsm__capacity_bound_find(&room, search->arena, search->instance, search->options,
                                is_step_over, &bounding)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  if (isfinite(room)) {
    search->bound = stricter(search, search->bound, loosened(search, room));
  }
  if (search->options->objective == DSM_OBJECTIVE_THROUGHPUT) {
    /* in units of the best rate known: a bound may be many orders of ten above the optimum, whose
     * rates would then be below the solver's tolerances */
    const double rate =
        search->has_assignment ? dsm__assignment_value(&search->assignment) : search->bound;
    search->form.rho_limit = search->bound;
    search->form.time_unit = 1 / rate;
  }
  return DSM_OK;
}

/*
 * An assignment that keeps the limit of latency, where annealing found none: that of the fastest
 * request. Each request of an answer is one of an assignment to devices that hold its tasks, so
 * that without one there is no answer; and with one there is a rate above 0, where the programme
 * would have 0 requests a second keep any limit.
 */
static dsm_status find_fastest(dsm__search *search, dsm_diags *diags) {
  enum { SHARE = 2 }; /* of the time that is left */
  dsm__assignment *const assignment = &search->assignment;
  const size_t device_count = search->instance->device_count;
  const double limit = search->options->latency_limit_seconds;
  if (!(limit > 0) || search->sign < 0 || search->has_assignment) {
    return DSM_OK;
  }
  dsm_partition_options options = *search->options;
  options.objective = DSM_OBJECTIVE_LATENCY;
  options.latency_limit_seconds = 0;
  options.time_limit_seconds = fmax(dsm__search_left(search) / SHARE, shortest_seconds);
  const dsm__question question = {search->instance, &options, HUGE_VAL, search->form.is_relaxed};
  dsm__solver_answer fastest;
  const dsm_status status = dsm__solver_run(&fastest, search->arena, &question, diags);
  if (status != DSM_OK || fastest.outcome != DSM__SOLVER_FOUND) {
    search->solution->outcome = fastest.outcome;
    return status;
  }
  for (size_t k = 0; k < search->instance->task_count * device_count; k++) {
    if (fastest.placement.rates[k] > 0.5) {
      assignment->device_of[k / device_count] = k % device_count;
    }
  }
  dsm__assignment_count(assignment);
  search->has_assignment = dsm__assignment_is_allowed(assignment);
  search->solution->least_latency = dsm__assignment_latency(assignment);
  if (!search->has_assignment && fastest.bound > limit) {
    search->solution->outcome = DSM__SOLVER_TOO_SLOW;
  }
  return DSM_OK;
}

/* A first answer and a bound, with no solver. */
static dsm_status begin_search(dsm__search *search, const dsm__question *question,
                               dsm_diags *diags) {
  search->form = first_form(search, question);
  search->solution->relaxation = search->sign * HUGE_VAL;
  if (!dsm__assignment_init(&search->assignment, search->arena, search->instance,
                            search->options)) {
    return dsm__out_of_memory(diags);
  }
  step assigning = {search, assigning_share};
  const dsm__found found =
      dsm__assignment_search(&search->assignment, search->arena, is_step_over, &assigning);
  search->has_assignment = found == DSM__FOUND_ONE;
  if (found == DSM__FOUND_NO_MEMORY) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = find_fastest(search, diags);
  if (status != DSM_OK || search->solution->outcome != DSM__SOLVER_NOTHING) {
    return status;
  }
  const bool is_bounded = bound_by_stages(search) == DSM_OK && bound_by_capacity(search) == DSM_OK;
  return is_bounded ? DSM_OK : dsm__out_of_memory(diags);
}

/* Whether making and loading the programme, some times over, leaves time to solve it: by size and
 * limit alone, not by the clock, so that every run goes the same way. */
static bool is_within_reach(const dsm__search *search) {
  const dsm_instance *const instance = search->instance;
  const double places =
      (double)instance->device_count * (double)(2 * instance->task_count + instance->tensor_count);
  return places * seconds_per_place <= search->options->time_limit_seconds;
}

static dsm_status search_body(void *context) {
  dsm__search *const search = context;
  dsm__solved solved = DSM__SOLVED_UNKNOWN;
  dsm_status status = relax_plain(search, search->form, &solved);
  if (status != DSM_OK || solved == DSM__SOLVED_INFEASIBLE || dsm__search_left(search) <= 0) {
    search->is_infeasible = solved == DSM__SOLVED_INFEASIBLE;
    return status;
  }
  status = tighten(search, &solved);
  if (status == DSM_OK && solved != DSM__SOLVED_INFEASIBLE) {
    status = dsm__search_list_choices(search);
  }
  if (status == DSM_OK && solved != DSM__SOLVED_INFEASIBLE) {
    status = look(search, &solved);
  }
  if (status == DSM_OK && !dsm__search_is_assigned(search)) {
    status = dsm__search_make_lean(search);
  }
  search->is_infeasible = solved == DSM__SOLVED_INFEASIBLE && !search->has_best;
  return status;
}

static void say_what_limits(const dsm__search *search, bool is_in_range, bool is_made,
                            dsm_diags *diags) {
  const dsm_instance *const instance = search->instance;
  if (!is_in_range) {
    dsm__diags_add(diags, DSM_SEVERITY_WARNING, nowhere, NULL,
                   "the longest time of a task or transfer is %.2g times the shortest, more than "
                   "%g: the solver GLPK is not relied on for the bound, which is a weaker one",
                   dsm__time_range(instance), range_max);
  }
  if (!is_made) {
    dsm__diags_add(
        diags, DSM_SEVERITY_WARNING, nowhere, NULL,
        "the programme of %zu task%s on %zu device%s is too large for a time limit of %g "
        "s: the answer is that of a heuristic, the bound one without a solver",
        instance->task_count, dsm__plural((double)instance->task_count), instance->device_count,
        dsm__plural((double)instance->device_count), search->options->time_limit_seconds);
  }
}

/* Whether that is all there is to say: no request is fast enough, or none was found in time. */
static bool is_settled(const dsm__search *search) {
  const bool asks = search->options->latency_limit_seconds > 0 && search->sign > 0;
  return search->solution->outcome != DSM__SOLVER_NOTHING ||
         (asks && !search->has_assignment && !(search->solution->least_latency > 0));
}

static bool has_answer(const void *context) {
  const dsm__search *const search = context;
  return search->has_best || search->has_assignment;
}

/* Seconds that a request takes at least, or that lie between requests at least. */
static double least_seconds(const dsm__search *search) {
  const dsm_partition_options *const options = search->options;
  switch (options->objective) {
  case DSM_OBJECTIVE_LATENCY:
    return search->bound;
  case DSM_OBJECTIVE_ENERGY:
    return options->latency_limit_seconds > 0
               ? fmin(1 / options->required_rho, options->latency_limit_seconds)
               : 1 / options->required_rho;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return 1 / search->bound; /* no more than a limit of latency: one request at a time keeps it */
}

/* What was proven before any solver is kept apart: where the numbers are too far apart for the
 * solver's tolerances, its bounds and its word that there is no answer do not count, and those are
 * the bounds of the answer. */
dsm_status dsm__solver_run(dsm__solver_answer *solution, dsm__arena *arena,
                           const dsm__question *question, dsm_diags *diags) {
  const dsm_instance *const instance = question->instance;
  const dsm_partition_options *const options = question->options;
  dsm__search search = {.instance = instance,
                        .options = options,
                        .arena = arena,
                        .solution = solution,
                        .random = 1,
                        .begin = dsm__seconds_now(),
                        .gap = fmax(options->gap, least_gap),
                        .sign = options->objective == DSM_OBJECTIVE_THROUGHPUT ? 1 : -1};
  *solution = (dsm__solver_answer){.outcome = DSM__SOLVER_NOTHING};
  dsm_status status = begin_search(&search, question, diags);
  if (status != DSM_OK || is_settled(&search)) {
    solution->seconds = dsm__search_passed(&search);
    return status;
  }
  const double safe_bound = search.bound;
  const double safe_relaxation = solution->relaxation;
  bool is_in_range = dsm__time_range(instance) <= range_max;
  dsm_instance coarse;
  if (!is_in_range) {
    if (!dsm__without_negligible(&coarse, arena, instance, range_max,
                                 negligible * least_seconds(&search))) {
      return dsm__out_of_memory(diags);
    }
    search.instance = &coarse;
    is_in_range = dsm__time_range(&coarse) <= range_max;
  }
  const bool is_made = is_within_reach(&search);
  if (is_made) {
    status = dsm__solver_session(search_body, has_answer, &search, diags);
  }
  if (status == DSM_OK && has_answer(&search)) {
    solution->outcome = DSM__SOLVER_FOUND;
    status = dsm__search_hand_over(&search) == DSM_OK ? DSM_OK : dsm__out_of_memory(diags);
    say_what_limits(&search, is_in_range, is_made, diags);
  } else if (search.is_infeasible && is_in_range) {
    solution->outcome = DSM__SOLVER_INFEASIBLE;
  } else if (!is_made) {
    solution->outcome = DSM__SOLVER_TOO_LARGE;
  }
  solution->bound = is_in_range ? search.bound : safe_bound;
  solution->relaxation = is_in_range ? solution->relaxation : safe_relaxation;
  solution->statistics.column_count = search.programme.column_count;
  solution->statistics.row_count = search.programme.row_count;
  solution->seconds = dsm__search_passed(&search);
  return status;
}
