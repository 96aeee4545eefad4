/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * as_run_by.c: the fastest plan that a framework can run, by cases.
 *
 * For all layers a framework has one setting of each of these: what the chips along an axis do, the
 * level of shards (ZeRO), and what is recomputed. A case settles some of them as options of a
 * search: first the uses of all axes, then what is recomputed, then the level of shards. A case
 * that leaves some open is divided; one that settles all is explored. Before that each gets a
 * bound, for which no mapping is looked at: with the best shards layer by layer where they are
 * open, and with memory without end where recomputation is open. All mappings of a case's parts are
 * among these, so it bounds them. The framework runs nothing that is in no case: the best plan of
 * all cases is the answer, and the least of their bounds is its bound.
 */
#include "search/as_run_by.h"

#include <math.h>
#include <string.h>

#include "base/cases.h"
#include "base/diag_add.h"
#include "base/units.h"
#include "plan/frameworks.h"
#include "plan/named_roles.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"

typedef struct run_case {
  dsm__open_case head;
  dsm_explore_options options;
  dsm__axis_uses uses;
  bool is_recomputation_said;
  bool is_level_said;
  bool is_bounded;
} run_case;

typedef struct run_search {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *asked;
  dsm__memo *memo;
  const dsm__problem *whole; /* has the limits of time */
  dsm_system roomy;
  dsm__cases cases;
  dsm_plan *best;
  double cost_limit;
} run_search;

static double known_cost(const run_search *s) {
  return s->best != NULL ? fmin(s->cost_limit, s->best->result.step_cycles) : s->cost_limit;
}

static dsm__case_question question_of(const run_search *s, const run_case *one) {
  return (dsm__case_question){
      s->workload, s->system, &one->options, s->memo, s->whole->inputs.deadline, known_cost(s)};
}

/* ---- what cases say ---- */

static dsm_optimization_set optimizations_of(const dsm_explore_options *options) {
  return options->optimizations & dsm_as_run_by_optimizations(options->mode);
}

/* The roles along an axis with a use that options leave. */
static dsm_role_set roles_left(const run_search *s, unsigned axis, dsm__axis_use use) {
  const dsm_explore_options *const asked = s->asked;
  const bool has_all_words = dsm__parallelisms_on(s->system, asked->parallelisms) ==
                             dsm__parallelisms_on(s->system, DSM_PARALLELISM_ALL);
  dsm_role_set left = dsm__use_roles(use);
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    const bool is_left = dsm__may_have_role(asked, (dsm_role)r) &&
                         dsm__is_role_named(asked, s->system, axis, (dsm_role)r);
    left &= is_left ? ~0U : ~(1U << (unsigned)r);
  }
  return dsm__has_named_roles(asked) || has_all_words ? left : left & dsm__word_roles();
}

/* Does a use differ from the first for some layer? */
static bool is_needed(const dsm_workload *workload, dsm__axis_use use) {
  bool has_experts = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    has_experts = has_experts || workload->layers[i].experts > 0;
  }
  return use != DSM__USE_EXPERT || has_experts;
}

/* Opens a case for each use of the axes. False if out of memory. */
static bool open_uses(run_search *s) {
  const dsm_network *const network = &s->system->system;
  run_case one = {.options = *s->asked};
  bool is_good = true;
  one.options.optimizations = optimizations_of(s->asked);
  one.options.stages_at =
      dsm__may_choose(&one.options, DSM__CHOICE_STAGES) ? DSM_STAGES_AT_BLOCKS : DSM_STAGES_AT_BEST;
  one.options.interleave = dsm__framework_limit_of(s->asked->as_run_by, DSM__ASKED_RUNS) == NULL
                               ? s->asked->interleave
                               : 1;
  one.is_recomputation_said = !dsm__may_choose(&one.options, DSM__CHOICE_RECOMPUTED) ||
                              s->asked->recomputation != DSM_RECOMPUTATION_BEST;
  one.is_level_said = !dsm__may_choose(&one.options, DSM__CHOICE_SHARD) ||
                      s->asked->shard_level != DSM_SHARD_LEVEL_BEST;
  for (size_t n = 0; is_good && dsm__axis_uses_get(network->axis_count, n, &one.uses); n++) {
    bool may = dsm__can_run(s->asked->as_run_by, s->system, &one.uses, s->asked->shard_level);
    for (unsigned a = 0; a < network->axis_count; a++) {
      one.options.roles[a] = roles_left(s, a, one.uses.of[a]);
      may = may && one.options.roles[a] != 0 && is_needed(s->workload, one.uses.of[a]);
    }
    is_good = !may || dsm__cases_open(&s->cases, &one, sizeof one) != NULL;
  }
  return is_good;
}

/* Opens the parts of a case. False if out of memory. */
static bool divide(run_search *s, const run_case *of) {
  run_case one = *of;
  bool is_good = true;
  if (!of->is_recomputation_said) {
    one.is_recomputation_said = true;
    one.is_bounded = false;
    for (int r = DSM_RECOMPUTATION_NONE; is_good && r <= DSM_RECOMPUTATION_FULL; r++) {
      one.options.recomputation = (dsm_recomputation)r;
      is_good = dsm_recomputation_why_not(s->workload, (dsm_recomputation)r) != NULL ||
                dsm__cases_open(&s->cases, &one, sizeof one) != NULL;
    }
    return is_good;
  }
  one.is_level_said = true;
  one.is_bounded = false;
  for (int l = DSM_SHARD_LEVEL_NONE; is_good && l < DSM_SHARD_LEVEL_COUNT; l++) {
    const bool is_same = l == DSM_SHARD_LEVEL_OPTIMIZER && s->system->model.sharded_update;
    one.options.shard_level = (dsm_shard_level)l;
    is_good = is_same ||
              !dsm__can_run(s->asked->as_run_by, s->system, &one.uses, one.options.shard_level) ||
              dsm__cases_open(&s->cases, &one, sizeof one) != NULL;
  }
  return is_good;
}

/* ---- the search ---- */

/* A bound up to the best that is known. Where recomputation is open: as if memory had no end, and
 * without recomputation, which saves no time. */
static dsm_status find_bound(const run_search *s, run_case *one) {
  dsm__case_question question = question_of(s, one);
  dsm_explore_options options = one->options;
  double bound = 0;
  options.recomputation =
      one->is_recomputation_said ? options.recomputation : DSM_RECOMPUTATION_BEST;
  if (!one->is_recomputation_said) {
    options.optimizations &= ~dsm__choice_strategies(DSM__CHOICE_RECOMPUTED);
  }
  question.options = &options;
  question.system = one->is_recomputation_said ? s->system : &s->roomy;
  one->is_bounded = true;
  const dsm_status status = dsm__bound_case(&question, &bound);
  one->head.bound = fmax(one->head.bound, bound);
  return status;
}

/* The options that a plan records are those that were asked, not those of its case. */
static void record(dsm_plan *plan, const dsm_explore_options *asked) {
  plan->options.optimizations = asked->optimizations;
  plan->options.interleave = asked->interleave;
  plan->options.stages_at = asked->stages_at;
  plan->options.recomputation = asked->recomputation;
  plan->options.shard_level = asked->shard_level;
  memcpy(plan->options.roles, asked->roles, sizeof plan->options.roles);
}

static dsm_status explore(run_search *s, run_case *one) {
  const dsm__case_question question = question_of(s, one);
  dsm_plan *made = NULL;
  double bound = 0;
  const dsm_status status = dsm__explore_case(&question, &made, &bound);
  one->head.bound = fmax(one->head.bound, bound);
  if (made != NULL && dsm__tie_limit(made->result.step_cycles) < known_cost(s)) {
    dsm_plan_free(s->best);
    s->best = made;
    record(made, s->asked);
  } else {
    dsm_plan_free(made);
  }
  return status;
}

static bool is_stopped(const run_search *s) {
  return s->best != NULL ? dsm__problem_is_over(s->whole)
                         : dsm__deadline_is_final(s->whole->inputs.deadline);
}

static dsm__looked look(void *context, dsm__open_case *head) {
  run_search *const s = context;
  run_case *const one = (run_case *)head;
  const bool is_all_said = one->is_recomputation_said && one->is_level_said;
  if (one->is_bounded && !is_all_said) {
    return divide(s, one) ? DSM__LOOK_DIVIDED : DSM__LOOK_FAILED;
  }
  const dsm__looked looked = one->is_bounded ? DSM__LOOK_CLOSED : DSM__LOOK_OPEN;
  const dsm_status status = one->is_bounded ? explore(s, one) : find_bound(s, one);
  return status != DSM_OK && status != DSM_ERROR_INFEASIBLE ? DSM__LOOK_FAILED : looked;
}

static bool is_done(const void *context, double bound) {
  const run_search *const s = context;
  return (s->best != NULL && dsm__tie_limit(bound) >= known_cost(s)) || !(bound < HUGE_VAL) ||
         is_stopped(s);
}

static dsm_status report_none(const run_search *s, dsm_diags *diags) {
  return dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                     "no step as %s runs it was found that needs at most %.6g GB a "
                     "chip and shares the %llu samples evenly",
                     dsm_as_run_by_name(s->asked->as_run_by),
                     dsm_system_usable_bytes(s->system) / DSM__BYTES_PER_GB,
                     (unsigned long long)s->workload->minibatch);
}

dsm_status dsm__explore_as_run(dsm_plan **plan, double *bound_cycles, const dsm_workload *workload,
                               const dsm_system *system, const dsm_explore_options *options,
                               dsm__memo *memo, double cost_limit, dsm_diags *diags) {
  static const dsm__case_kind run_kind = {look, is_done};
  static const double enough_GB = 1e12;
  dsm__problem whole;
  dsm_status status = dsm__problem_init_with(&whole, workload, system, options, NULL, NULL, diags);
  *plan = NULL;
  if (status != DSM_OK) {
    return status;
  }
  dsm__memo *const own =
      memo == NULL ? dsm__memo_new(DSM__MEMO_BYTES_MAX, dsm__deadline_bytes(whole.inputs.deadline))
                   : NULL;
  run_search s = {.workload = workload,
                  .system = system,
                  .asked = options,
                  .memo = memo != NULL ? memo : own,
                  .whole = &whole,
                  .roomy = *system,
                  .cases = dsm__cases_begin(whole.arena),
                  .cost_limit = cost_limit};
  s.roomy.chip.memory.capacity_GB = enough_GB;
  const bool is_good = open_uses(&s) && dsm__cases_search(&s.cases, &run_kind, &s);
  *bound_cycles = dsm__cases_bound(&s.cases);
  if (is_good && s.best != NULL) {
    s.best->statistics.is_stopped = dsm__deadline_was_met(whole.inputs.deadline);
    dsm_plan_set_bound(s.best, fmin(*bound_cycles, s.best->result.step_cycles), diags);
    *plan = s.best;
  } else {
    dsm_plan_free(s.best);
    status = is_good ? report_none(&s, diags) : dsm__out_of_memory(diags);
  }
  dsm__memo_free(own);
  dsm__problem_fini(&whole);
  return status;
}
