/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore.c: from a problem to a plan.
 *
 * The search finds decisions and the time that they take; the plan is then predicted anew from the
 * decisions alone (plan/), which shares no sums with the search. So a mistake of the search shows
 * as a time that differs, or as a step below the proven bound, which is reported as what it is: one
 * of the two is wrong.
 *
 * An explorer keeps what passes of layers cost between explorations (memo.h). Answers do not depend
 * on it: a score that is found there is the one that would be computed, to the last bit.
 */
#include "dsm/explore.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "plan/issue.h"
#include "plan/keeping.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/step_energy.h"
#include "plan/tolerance.h"
#include "search/aim.h"
#include "search/as_run_by.h"
#include "search/divided.h"
#include "search/fused.h"
#include "search/improve.h"
#include "search/overlapped.h"
#include "search/roles/role_search.h"
#include "search/roles/step_search.h"
#include "search/tied_search.h"
#include "search/why_none.h"

/* By one search. False if out of memory. */
static bool solve(const dsm__problem *problem, dsm__graph_answer *answer,
                  dsm__decisions *decisions) {
  dsm__solution solution;
  if (problem->inputs.fixed_cuts != NULL && problem->inputs.options->mode == DSM_MODE_TRAINING) {
    /* One of several searches: nothing is preloaded, and its graphs are given back. */
    return dsm__problem_find_mapping(problem, NULL, HUGE_VAL, answer, decisions);
  }
  if (!dsm__problem_solve(problem, &solution)) {
    return false;
  }
  *answer = solution.answer;
  if (solution.preloading != NULL) {
    *decisions = *solution.preloading;
    return true;
  }
  return dsm__problem_decide(problem, &solution.network, &solution.path, decisions);
}

/* How data and model alone are searched. */
typedef struct word_search {
  const dsm__counted *counted; /* see dsm__problem_count */
  bool is_first; /* one search, which is quick, and has a bound; of tied tables the first case */
} word_search;

/* The fastest mapping of a case of tied tables. False if out of memory. */
static bool search_case(const dsm__problem *problem, const void *context, double cost_limit,
                        dsm__graph_answer *answer, dsm__decisions *decisions) {
  const word_search *const asked = context;
  const bool is_limited = problem->inputs.fixed_cuts != NULL && isfinite(cost_limit);
  dsm__problem counting;
  dsm__case_begin(&counting, problem);
  counting.cost_limit = is_limited ? cost_limit : 0;
  dsm__problem_count(&counting, asked->counted);
  if (dsm__problem_is_fused(&counting) && !problem->machine.is_weighed &&
      dsm__counted_latency(&counting) > 0) {
    const dsm__fused_finder finder = {
        .find = dsm__problem_find_mapping,
        .searches_max = asked->is_first ? 1 : DSM__FUSED_SEARCHES_MAX,
        .evaluations_max = UINT64_MAX,
        .edges_max = UINT64_MAX,
        .enough = 1,
    };
    return dsm__fused_search(&counting, &finder, cost_limit, answer, decisions);
  }
  return solve(&counting, answer, decisions);
}

/* The fastest mapping with all that tied layers exchange; DSM_ERROR_INFEASIBLE, reported, if none
 * fits the memory. */
static dsm_status search(const dsm__problem *problem, const word_search *asked,
                         dsm__graph_answer *answer, dsm__decisions *decisions, dsm_diags *diags) {
  const dsm__tied_finder finder = {search_case, dsm__tied_word_cuts, NULL, asked,
                                   asked->is_first ? 1 : 0};
  if (!dsm__tied_search(problem, &finder, HUGE_VAL, answer, decisions)) {
    return dsm__out_of_memory(diags);
  }
  return answer->is_feasible ? DSM_OK : dsm__report_infeasible(problem, decisions, diags);
}

static dsm_search_statistics statistics_of(const dsm__problem *problem) {
  return (dsm_search_statistics){
      .distinct_layers = problem->table.distinct.count,
      .evaluations = problem->table.evaluations + problem->found->groups.evaluations +
                     problem->found->evaluations,
      .is_stopped = dsm__deadline_was_met(problem->inputs.deadline),
      .is_memory_met = problem->deadline.was_memory_met,
  };
}

struct dsm_explorer {
  dsm__memo *memo;
};

/* The bound is summed from the other end, so it may exceed the step by rounding; then the step,
 * being reached, is the bound. */
void dsm_plan_set_bound(dsm_plan *plan, double bound_cycles, dsm_diags *diags) {
  static const double rounding = 1e-9; /* the bound is summed in another order than the step */
  dsm_plan_result *const result = &plan->result;
  const dsm_machine machine = dsm_machine_derive(plan->system);
  if (!dsm__may_choose(&plan->options, DSM__CHOICE_STAGES)) {
    /* stages issue at the same time */
    bound_cycles =
        fmax(bound_cycles, dsm__issue_least(plan->workload, &machine, plan->options.mode));
  }
  bound_cycles = fmax(bound_cycles, fmin(result->ideal_cycles, result->step_cycles));
  const bool is_met = bound_cycles <= result->step_cycles * (1 + rounding);
  result->lower_bound_cycles = is_met ? fmin(bound_cycles, result->step_cycles) : bound_cycles;
  if (!is_met) {
    const dsm__place nowhere = {NULL, 0, 0, NULL};
    dsm__diags_add(diags, DSM_SEVERITY_WARNING, nowhere,
                   "one of the two is wrong: please report it, with the plan",
                   "expected a step of at least %.17g cycles, the proven lower bound, found %.17g",
                   bound_cycles, result->step_cycles);
  }
}

/* What no mapping of data and model is faster than. That none fits is proven where layers are not
 * tied and the search was not cut off; else of the cases that were searched. */
static double bound_of(const dsm__problem *problem, dsm_status status,
                       const dsm__graph_answer *answer) {
  const bool is_known =
      status == DSM_OK ||
      (status == DSM_ERROR_INFEASIBLE &&
       (dsm__tied_is_asked(problem) || dsm__deadline_is_final(problem->inputs.deadline)));
  return is_known ? answer->lower_bound : HUGE_VAL;
}

/* The plan that one search without other roles than data and model finds. Where other roles are
 * searched too, it is the first search alone: find_more_with_data_and_model goes on.
 * `fitting`: where it is told that none fits the memory; NULL: nowhere. */
static dsm_status find_with_data_and_model(const dsm__problem *problem, const word_search *asked,
                                           dsm_plan **plan, double *bound_cycles,
                                           dsm_diags *fitting, dsm_diags *diags) {
  dsm__graph_answer answer;
  dsm__decisions decisions;
  dsm_status status = search(problem, asked, &answer, &decisions, fitting);
  *bound_cycles = bound_of(problem, status, &answer);
  if (status == DSM_OK) {
    status = dsm__problem_predict(problem, &decisions, plan, diags);
  }
  return status;
}

/* The same with roles, shards, micro-batches and the like. */
static dsm_status find_with_roles(const dsm__problem *problem, const dsm__counted *counted,
                                  double cost_limit, dsm_plan **plan, double *bound_cycles,
                                  dsm_diags *diags) {
  dsm__graph_answer answer;
  dsm__decisions decisions;
  dsm__problem counting;
  dsm__case_begin(&counting, problem);
  dsm__problem_count(&counting, counted);
  if (!dsm__step_search(&counting, cost_limit, &answer, &decisions)) {
    return dsm__out_of_memory(diags);
  }
  *bound_cycles = answer.lower_bound;
  return answer.is_feasible ? dsm__problem_predict(problem, &decisions, plan, diags)
                            : DSM_ERROR_INFEASIBLE;
}

/* Is a step to have stages, micro-batches, shards or layers that run again? What only data and
 * model do has none of these. */
static bool is_more_asked(const dsm__problem *problem) {
  const dsm_explore_options *const options = problem->inputs.options;
  return options->stages > 1 || options->micro_batches > 1 ||
         options->shard_level > DSM_SHARD_LEVEL_NONE || dsm__is_any_recomputation_asked(problem);
}

/* One search of these alone. Where all sums count a mapping that takes more than what is known may
 * be faster, as some of them hide. */
static dsm_status find_roles_once(const dsm__problem *problem, const dsm__counted *counted,
                                  double known_cost, dsm_plan **plan, dsm_plan **slower,
                                  double *bound_cycles, dsm_diags *diags) {
  const bool is_all_shown = counted == NULL && dsm__problem_is_overlapped(problem);
  (void)slower;
  return find_with_roles(problem, counted, is_all_shown ? HUGE_VAL : known_cost, plan, bound_cycles,
                         diags);
}

bool dsm__step_with_roles(const dsm__problem *problem, const dsm__fixed_roles *fixed,
                          double cost_limit, double *step_cycles) {
  dsm_plan *plan = NULL;
  double bound_cycles;
  dsm__problem of_layer;
  dsm__case_begin(&of_layer, problem);
  of_layer.fixed = fixed;
  const dsm_status status =
      dsm__problem_is_overlapped(problem)
          ? dsm__overlapped_search(&of_layer, find_roles_once, cost_limit, &plan, &bound_cycles,
                                   NULL)
          : find_with_roles(&of_layer, NULL, cost_limit, &plan, &bound_cycles, NULL);
  *step_cycles = plan != NULL ? plan->result.step_cycles : 0;
  dsm_plan_free(plan);
  return status == DSM_OK || status == DSM_ERROR_INFEASIBLE;
}

/* What a graph tells of a plan: where all sums count, also those that hide. */
static double counted_cycles(const dsm__counted *counted, const dsm_plan *plan) {
  double cycles = plan == NULL ? HUGE_VAL : plan->price;
  for (size_t i = 0; counted == NULL && plan != NULL && i < plan->layer_count; i++) {
    cycles += plan->layers[i].passes[DSM_PASS_UPDATE].hidden_cycles;
  }
  return cycles;
}

/* The whole search of data and model, where the first one leaves room below a plan that has other
 * roles: a faster plan, and a higher bound. */
static dsm_status find_more_with_data_and_model(const dsm__problem *problem,
                                                const dsm__counted *counted, dsm_plan **plan,
                                                double *bound_cycles, dsm_diags *diags) {
  const word_search asked = {counted, false};
  const dsm__tied_finder finder = {search_case, dsm__tied_word_cuts, NULL, &asked, 0};
  const bool is_fused = dsm__problem_is_fused(problem) && !problem->machine.is_weighed;
  const double known = counted_cycles(counted, *plan);
  dsm__graph_answer answer;
  dsm__decisions decisions;
  dsm_plan *other = NULL;
  dsm_status status = DSM_OK;
  if (dsm__tie_limit(*bound_cycles) >= known || dsm__problem_is_over(problem) ||
      !(is_fused || dsm__tied_is_asked(problem))) {
    return DSM_OK;
  }
  if (!dsm__tied_search(problem, &finder, known, &answer, &decisions)) {
    return dsm__out_of_memory(diags);
  }
  *bound_cycles = fmax(*bound_cycles, answer.lower_bound);
  if (answer.is_feasible && answer.cost < known) {
    status = dsm__problem_predict(problem, &decisions, &other, diags);
  }
  if (other != NULL) {
    dsm_plan_free(dsm__take_faster(plan, other));
  }
  return status;
}

/* Do chips have equally many samples, as frameworks run them? */
static bool is_even(const dsm__problem *problem, dsm_parallelism_set of) {
  const uint64_t samples = problem->inputs.workload->minibatch;
  bool is = true;
  for (unsigned p = 0; is && p < DSM_PARALLELISM_COUNT; p++) {
    is = (of & DSM_PARALLELISM_BIT(p)) == 0 ||
         samples % dsm__sample_ways(&problem->machine, (dsm_parallelism)p) == 0;
  }
  return is;
}

/* Does each layer have ways of data and model alone? Not where roles are named, and it can have
 * some, or where a framework would have uneven ones. */
static bool has_data_and_model(const dsm__problem *problem) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  const bool is_any = inputs->options->as_run_by == DSM_AS_RUN_BY_ANY;
  bool has = true;
  for (size_t i = 0; has && i < inputs->workload->layer_count; i++) {
    const dsm_parallelism_set allowed = dsm__allowed_parallelisms(
        &inputs->workload->layers[i], inputs->options, problem->machine.system);
    has = allowed != 0 && (is_any || is_even(problem, allowed));
  }
  return has || (is_any && !dsm__problem_has_roles(problem));
}

/* Both searches; the faster plan, and the other. That none is faster than what is known is not
 * told.
 */
static dsm_status find_once(const dsm__problem *problem, const dsm__counted *counted,
                            double known_cost, dsm_plan **plan, dsm_plan **slower,
                            double *bound_cycles, dsm_diags *diags) {
  const bool has_roles = dsm__problem_has_roles(problem);
  const bool is_first = !(known_cost < HUGE_VAL);
  double bound = HUGE_VAL;
  double role_bound = HUGE_VAL;
  dsm_plan *with_roles = NULL;
  const bool has_words = !is_more_asked(problem) && has_data_and_model(problem);
  const word_search first = {counted, has_roles};
  const word_search whole = {counted, false};
  dsm_status status = has_words ? find_with_data_and_model(problem, &first, plan, &bound,
                                                           has_roles ? NULL : diags, diags)
                                : DSM_ERROR_INFEASIBLE;
  if (has_roles && (status == DSM_OK || status == DSM_ERROR_INFEASIBLE)) {
    const bool is_all_shown = counted == NULL && dsm__problem_is_overlapped(problem);
    const double limit = fmin(is_all_shown ? HUGE_VAL : known_cost, counted_cycles(counted, *plan));
    const dsm_status other =
        find_with_roles(problem, counted, limit, &with_roles, &role_bound, diags);
    if (other == DSM_OK) {
      *slower = dsm__take_faster(plan, with_roles);
      status = DSM_OK;
    } else if (other != DSM_ERROR_INFEASIBLE) {
      status = other;
    } else if (is_first && is_more_asked(problem)) {
      status = dsm__report_none_asked(problem, diags);
    } else if (is_first && status == DSM_ERROR_INFEASIBLE) {
      status = has_words ? find_with_data_and_model(problem, &whole, plan, &bound, diags, diags)
                         : dsm__report_no_roles(problem, diags);
    }
    if (status == DSM_OK && has_words && *plan != NULL) {
      status = find_more_with_data_and_model(problem, counted, plan, &bound, diags);
    }
  }
  *bound_cycles = fmin(bound, role_bound);
  return status;
}

/* Explores a problem that is set up, for plans that are faster than a limit, and ends it. The bound
 * is of all its mappings, infinite where it is proven that none is below the limit. */
static dsm_status finish_bounded(dsm__problem *problem, double cost_limit, dsm_plan **plan,
                                 double *bound, dsm_diags *diags) {
  double bound_cycles = 0;
  dsm_plan *slower = NULL;
  const dsm_status status =
      dsm__problem_is_overlapped(problem)
          ? dsm__overlapped_search(problem, find_once, cost_limit, plan, &bound_cycles, diags)
          : find_once(problem, NULL, cost_limit, plan, &slower, &bound_cycles, diags);
  dsm_plan_free(slower);
  if (status == DSM_OK) {
    dsm_plan *const made = *plan;
    assert(made != NULL);
    made->statistics = statistics_of(problem);
    dsm_plan_set_bound(made, problem->machine.is_weighed ? 0 : bound_cycles, diags);
    *bound = problem->machine.is_weighed ? bound_cycles : made->result.lower_bound_cycles;
  } else {
    const bool is_proven = status == DSM_ERROR_INFEASIBLE && !problem->found->is_need_rounded &&
                           !dsm__problem_is_over(problem);
    *bound = is_proven ? HUGE_VAL : 0;
    dsm_plan_free(*plan);
    *plan = NULL;
  }
  dsm__problem_fini(problem);
  return status;
}

static dsm_status finish(dsm__problem *problem, double cost_limit, dsm_plan **plan,
                         dsm_diags *diags) {
  double bound = 0;
  return finish_bounded(problem, cost_limit, plan, &bound, diags);
}

/* Sets up a problem with what a memo has kept (NULL: without one), of which there is no plan yet.
 */
static dsm_status begin(dsm__problem *problem, dsm_plan **plan, const dsm_workload *workload,
                        const dsm_system *system, const dsm_explore_options *options,
                        dsm__memo *memo, dsm_diags *diags) {
  *plan = NULL;
  const dsm_status status = dsm__supply_check(workload, system, diags);
  return status == DSM_OK
             ? dsm__problem_init_with(problem, workload, system, options, memo, NULL, diags)
             : status;
}

static dsm_status explore(dsm_plan **plan, const dsm_workload *workload, const dsm_system *system,
                          const dsm_explore_options *options, dsm__memo *memo, dsm_diags *diags) {
  dsm__problem problem;
  dsm_explore_options defaults;
  dsm_explore_options_init(&defaults);
  defaults.optimizations = dsm_system_optimizations(system, defaults.mode);
  options = options == NULL ? &defaults : options;
  if (dsm__is_aimed(options)) {
    return dsm__explore_aimed(plan, workload, system, options, diags);
  }
  if (dsm__are_divisions_asked(options) || options->as_run_by != DSM_AS_RUN_BY_ANY) {
    double bound = 0;
    const dsm_status supplied = dsm__supply_check(workload, system, diags);
    *plan = NULL;
    if (supplied == DSM_OK && dsm__are_divisions_asked(options)) {
      return dsm__explore_divided(plan, workload, system, options, memo, diags);
    }
    return supplied == DSM_OK
               ? dsm__explore_as_run(plan, &bound, workload, system, options, memo, HUGE_VAL, diags)
               : supplied;
  }
  const dsm_status status = begin(&problem, plan, workload, system, options, memo, diags);
  return status == DSM_OK ? finish(&problem, HUGE_VAL, plan, diags) : status;
}

dsm_status dsm__explore_weighed(dsm_plan **plan, double *bound, const dsm_workload *workload,
                                const dsm_system *system, const dsm_explore_options *options,
                                const dsm_weights *weights, dsm_diags *diags) {
  dsm__problem problem;
  *plan = NULL;
  const dsm_status status =
      dsm__problem_init_weighed(&problem, workload, system, options, weights, diags);
  return status == DSM_OK ? finish_bounded(&problem, HUGE_VAL, plan, bound, diags) : status;
}

dsm_status dsm__explore_strictly(dsm_plan **plan, const dsm_workload *workload,
                                 const dsm_system *system, const dsm_explore_options *options,
                                 double cost_limit, double most_work, bool *is_stopped) {
  dsm__problem problem;
  dsm_status status = begin(&problem, plan, workload, system, options, NULL, NULL);
  *is_stopped = false;
  if (status == DSM_OK) {
    problem.deadline.final_seconds = problem.deadline.until_seconds;
    problem.deadline.most_work = fmin(most_work, problem.deadline.most_work);
    problem.deadline.final_work = problem.deadline.most_work;
    status = finish(&problem, cost_limit, plan, NULL);
    *is_stopped = dsm__deadline_was_met(&problem.deadline);
  }
  return status;
}

dsm_status dsm__explore_with_work(dsm_plan **plan, const dsm_workload *workload,
                                  const dsm_system *system, const dsm_explore_options *options,
                                  double most_work, dsm_diags *diags) {
  dsm__problem problem;
  const dsm_status status = begin(&problem, plan, workload, system, options, NULL, diags);
  problem.deadline.most_work = most_work;
  problem.deadline.final_work = 2 * most_work;
  return status == DSM_OK ? finish(&problem, HUGE_VAL, plan, diags) : status;
}

dsm_status dsm__explore_hastily(dsm_plan **plan, const dsm_workload *workload,
                                const dsm_system *system, const dsm_explore_options *options) {
  dsm_explore_options hasty = *options;
  dsm__problem problem;
  hasty.time_limit_seconds = 1e-9;
  const dsm_status status = begin(&problem, plan, workload, system, &hasty, NULL, NULL);
  problem.deadline.final_seconds = HUGE_VAL;
  return status == DSM_OK ? finish(&problem, HUGE_VAL, plan, NULL) : status;
}

dsm_status dsm__explore_with_room(const dsm_workload *workload, const dsm_system *system,
                                  const dsm_explore_options *options) {
  static const double enough_GB = 1e12;
  dsm_system roomy = *system;
  roomy.chip.memory.capacity_GB = enough_GB;
  dsm_plan *plan = NULL;
  const dsm_status status = dsm__explore_hastily(&plan, workload, &roomy, options);
  dsm_plan_free(plan);
  return status;
}

/* Keys of positions before those of a sample are kept while words are generated, not in training.
 */
static void warn_of_cache(const dsm_plan *plan, dsm_diags *diags) {
  const dsm_workload *const workload = plan->workload;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    if (layer->cache_elements > 0 && plan->options.mode == DSM_MODE_TRAINING) {
      const dsm__place nowhere = {NULL, 0, 0, NULL};
      dsm__diags_add(
          diags, DSM_SEVERITY_WARNING, nowhere,
          "write \"positions\" in the layers that make queries, keys and values, or "
          "ask for inference",
          "training of \"%s\", whose %llu position%s a sample see%s keys of earlier ones "
          "in a cache",
          layer->name, (unsigned long long)layer->ij, layer->ij == 1 ? "" : "s",
          layer->ij == 1 ? "s" : "");
      return;
    }
  }
}

dsm_status dsm_explore(dsm_plan **plan, const dsm_workload *workload, const dsm_system *system,
                       const dsm_explore_options *options, dsm_diags *diags) {
  const dsm_status status = explore(plan, workload, system, options, NULL, diags);
  if (status == DSM_OK) {
    warn_of_cache(*plan, diags);
  }
  return status;
}

dsm_explorer *dsm_explorer_new(void) {
  return dsm__explorer_new_with(DSM__MEMO_BYTES_MAX);
}

dsm_explorer *dsm__explorer_new_with(size_t memo_bytes_max) {
  dsm_explorer *const explorer = calloc(1, sizeof *explorer);
  if (explorer == NULL) {
    return NULL;
  }
  explorer->memo = dsm__memo_new(memo_bytes_max, NULL);
  if (explorer->memo == NULL) {
    free(explorer);
    return NULL;
  }
  return explorer;
}

void dsm_explorer_free(dsm_explorer *explorer) {
  if (explorer != NULL) {
    dsm__memo_free(explorer->memo);
    free(explorer);
  }
}

dsm_status dsm_explorer_explore(dsm_explorer *explorer, dsm_plan **plan,
                                const dsm_workload *workload, const dsm_system *system,
                                const dsm_explore_options *options, dsm_diags *diags) {
  return explore(plan, workload, system, options, explorer->memo, diags);
}

/* What no mapping of either search is faster than; those that are slower than the limit may be left
 * out. `is_bound_all`: without a look at any that has roles. */
static dsm_status find_bound(const dsm__problem *problem, bool is_bound_all, double cost_limit,
                             double *bound_cycles, dsm_diags *diags) {
  const dsm__counted least = dsm__least_counted(problem);
  const dsm__counted *const counted = dsm__problem_is_overlapped(problem) ? &least : NULL;
  const word_search asked = {counted, false};
  const bool has_roles = dsm__problem_has_roles(problem);
  dsm__graph_answer answer = {.lower_bound = HUGE_VAL};
  dsm__decisions decisions;
  const bool has_words = !is_more_asked(problem) && has_data_and_model(problem);
  dsm_status status = has_words
                          ? search(problem, &asked, &answer, &decisions, has_roles ? NULL : diags)
                          : DSM_ERROR_INFEASIBLE;
  *bound_cycles = has_words ? bound_of(problem, status, &answer) : HUGE_VAL;
  if (has_roles && (status == DSM_OK || status == DSM_ERROR_INFEASIBLE)) {
    dsm__problem counting;
    dsm__case_begin(&counting, problem);
    counting.is_bound_all = is_bound_all;
    dsm__problem_count(&counting, counted);
    if (!dsm__step_search(&counting, cost_limit, &answer, &decisions)) {
      return dsm__out_of_memory(diags);
    }
    *bound_cycles = fmin(fmin(*bound_cycles, answer.lower_bound), cost_limit);
    status = DSM_OK;
  }
  return status;
}

/* ---- cases of frameworks ---- */

/* Sets up the problem of a case; where its options leave no mapping it is infeasible. */
static dsm_status begin_case(const dsm__case_question *of, dsm__problem *problem, double *bound) {
  const dsm_status status = dsm__problem_init_with(problem, of->workload, of->system, of->options,
                                                   of->memo, of->deadline, NULL);
  *bound = status == DSM_OK ? 0 : HUGE_VAL;
  return status == DSM_ERROR_USAGE ? DSM_ERROR_INFEASIBLE : status;
}

dsm_status dsm__explore_case(const dsm__case_question *of, dsm_plan **plan, double *bound_cycles) {
  dsm__problem problem;
  const dsm_status status = begin_case(of, &problem, bound_cycles);
  *plan = NULL;
  return status == DSM_OK ? finish_bounded(&problem, of->cost_limit, plan, bound_cycles, NULL)
                          : status;
}

dsm_status dsm__bound_case(const dsm__case_question *of, double *bound_cycles) {
  dsm__problem problem;
  dsm_status status = begin_case(of, &problem, bound_cycles);
  if (status == DSM_OK) {
    status = find_bound(&problem, true, of->cost_limit, bound_cycles, NULL);
    dsm__problem_fini(&problem);
  }
  return status;
}

/* ---- bounds of plans ---- */

/* What a plan was asked to have, as far as it has it: an edited plan may have others, and is then
 * one of all mappings that do not have to. */
static dsm_explore_options options_of_plan(const dsm_plan *plan) {
  dsm_explore_options options = plan->options;
  const uint64_t stages = plan->stages.count > 1 ? plan->stages.count : 1;
  const bool is_interleaved = stages > 1 && options.interleave == plan->stages.interleave;
  options.stages = options.stages == stages ? stages : 0;
  options.interleave = is_interleaved ? options.interleave : 0;
  options.recomputation = dsm__recomputation_of(plan, plan->options.recomputation);
  options.shard_level = dsm__shard_level_of(plan, plan->options.shard_level);
  return options;
}

/* Of what a framework can run: no faster plan is the proof. */
static dsm_status bound_as_run(dsm_plan *plan, const dsm_explore_options *options,
                               dsm_diags *diags) {
  dsm_plan *faster = NULL;
  double bound = 0;
  const dsm_status status = dsm__explore_as_run(&faster, &bound, plan->workload, plan->system,
                                                options, NULL, plan->result.step_cycles, NULL);
  if (status == DSM_OK || status == DSM_ERROR_INFEASIBLE) {
    dsm_plan_set_bound(plan, fmin(bound, plan->result.step_cycles), diags);
  }
  dsm_plan_free(faster);
  return status == DSM_ERROR_INFEASIBLE ? DSM_OK : status;
}

dsm_status dsm_plan_bound(dsm_plan *plan, dsm_diags *diags) {
  const dsm_explore_options options = options_of_plan(plan);
  dsm__problem problem;
  if (options.as_run_by != DSM_AS_RUN_BY_ANY) {
    return bound_as_run(plan, &options, diags);
  }
  dsm_status status = dsm__problem_init(&problem, plan->workload, plan->system, &options, diags);
  if (status != DSM_OK) {
    return status;
  }
  double bound_cycles = 0;
  status = find_bound(&problem, false, plan->result.step_cycles, &bound_cycles, diags);
  if (status == DSM_OK) {
    dsm_plan_set_bound(plan, bound_cycles, diags);
  }
  dsm__problem_fini(&problem);
  return status;
}
