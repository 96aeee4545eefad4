/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * divided.c: which division of an axis is fastest, by cases.
 *
 * Chips of a switch are as far from one another whichever they are, so an axis of 8 may stand for
 * one of 4 and one of 2, which have roles of their own. A case is the system as it is, or with one
 * axis divided so; it is a search of its own, up to the best plan that is known. The least bound of
 * all cases is the bound. A system has at most three axes, so at most one of two is divided.
 */
#include "search/divided.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cases.h"
#include "base/diag_add.h"
#include "base/json_write.h"
#include "plan/plan_internal.h"
#include "plan/tolerance.h"
#include "search/as_run_by.h"
#include "system/system_internal.h"

typedef struct division {
  dsm__open_case head;
  unsigned axis;
  uint64_t inner; /* chips of its first part; 1: nothing is divided */
  dsm_system *divided;
  dsm_explore_options options;
  bool is_bounded;
} division;

typedef struct division_search {
  const dsm_workload *workload;
  const dsm_system *system;
  const dsm_explore_options *asked;
  dsm__memo *memo;
  const dsm__problem *whole; /* has the limits of time */
  dsm__cases cases;
  dsm_plan *best;
} division_search;

static double known_cost(const division_search *s) {
  return s->best != NULL ? s->best->result.step_cycles : HUGE_VAL;
}

static const dsm_system *system_of(const division_search *s, const division *one) {
  return one->divided != NULL ? one->divided : s->system;
}

/* ---- what cases say ---- */

/* Both parts may have the words that the axis may have; where all may be used, each has its own. */
static dsm_parallelism_set parallelisms_of(const division_search *s, unsigned axis) {
  const dsm_parallelism_set asked = s->asked->parallelisms;
  const dsm_parallelism_set folded = dsm__parallelisms_on(s->system, asked);
  assert(axis < DSM_AXES_MAX);
  const dsm_axis_set before = (2U << axis) - 1U;
  dsm_parallelism_set set = 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    const dsm_axis_set model = dsm_parallelism_model_axes((dsm_parallelism)p);
    const dsm_axis_set joined = (model & before) | (model >> 1U & ~before);
    const unsigned ways = 1U << s->system->system.axis_count;
    const unsigned number = (ways - joined % ways) % ways % DSM_PARALLELISM_COUNT;
    const bool is_one = dsm_axis_set_has(model, axis) == dsm_axis_set_has(model, axis + 1);
    const bool is_in = (folded & DSM_PARALLELISM_BIT(number)) != 0;
    set |= is_one && is_in ? DSM_PARALLELISM_BIT(p) : 0;
  }
  return folded == dsm__parallelisms_on(s->system, DSM_PARALLELISM_ALL) ? DSM_PARALLELISM_ALL : set;
}

/* The options of a case: both parts of an axis may have its roles. False if out of memory. */
static bool set_options(const division_search *s, division *one) {
  dsm__arena *const arena = s->whole->arena;
  const dsm_explore_options *const asked = s->asked;
  dsm_explore_options *const options = &one->options;
  const char **overrides = NULL;
  *options = *asked;
  options->optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DIVIDE);
  if (one->inner == 1) {
    return true;
  }
  for (unsigned a = one->axis + 1; a < DSM_AXES_MAX; a++) {
    options->roles[a] = asked->roles[a - 1];
  }
  options->parallelisms = parallelisms_of(s, one->axis);
  if (!DSM__RESERVE(arena, overrides, asked->override_count + 1)) {
    return false;
  }
  for (size_t i = 0; i < asked->override_count; i++) {
    overrides[i] = asked->overrides[i];
  }
  options->overrides = overrides;
  options->override_count = asked->override_count + 1;
  overrides[asked->override_count] =
      dsm__arena_printf(arena, "system.system.axes.%s.divide=%llu",
                        s->system->system.axes[one->axis].name, (unsigned long long)one->inner);
  return overrides[asked->override_count] != NULL;
}

/* The system with the axis divided, read again. An axis whose parts would have a name that another
 * one has cannot be divided: NULL, with DSM_OK. */
static dsm_status divide_system(const division_search *s, division *one) {
  const char *const path = dsm__arena_printf(s->whole->arena, "system.axes.%u.divide", one->axis);
  const char *const value =
      dsm__arena_printf(s->whole->arena, "%llu", (unsigned long long)one->inner);
  const dsm_override override = {path, value, NULL};
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__system_write(s->system, &writer);
  dsm__json_finish(&writer);
  char *const written = dsm__text_finish(&text);
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (path != NULL && value != NULL && written != NULL) {
    status = dsm_system_parse(&one->divided, written, strlen(written), s->system->name, &override,
                              1, NULL);
  }
  free(written);
  return status == DSM_ERROR_INVALID ? DSM_OK : status;
}

/* Opens the case of the whole axes, and one for each division. */
static dsm_status open_all(division_search *s) {
  const dsm_network *const network = &s->system->system;
  division whole = {.inner = 1};
  if (!set_options(s, &whole) || dsm__cases_open(&s->cases, &whole, sizeof whole) == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (unsigned a = 0; a < network->axis_count; a++) {
    for (uint64_t inner = 2; dsm__may_divide(network, a) && inner < network->axes[a].chips;
         inner++) {
      division one = {.axis = a, .inner = inner};
      const dsm_status status =
          network->axes[a].chips % inner == 0 ? divide_system(s, &one) : DSM_OK;
      if (status != DSM_OK) {
        return status;
      }
      if (one.divided != NULL &&
          (!set_options(s, &one) || dsm__cases_open(&s->cases, &one, sizeof one) == NULL)) {
        dsm_system_free(one.divided);
        return DSM_ERROR_OUT_OF_MEMORY;
      }
    }
  }
  return DSM_OK;
}

/* ---- the search ---- */

static dsm__case_question question_of(const division_search *s, const division *one) {
  return (dsm__case_question){s->workload, system_of(s, one),         &one->options,
                              s->memo,     s->whole->inputs.deadline, known_cost(s)};
}

/* A search of a case has what is left of the time. */
static dsm_status explore(const division_search *s, division *one, dsm_plan **plan, double *bound) {
  const double limit = s->asked->time_limit_seconds;
  const dsm__case_question question = question_of(s, one);
  if (one->options.as_run_by == DSM_AS_RUN_BY_ANY) {
    return dsm__explore_case(&question, plan, bound);
  }
  const double left = dsm__deadline_left(s->whole->inputs.deadline);
  one->options.time_limit_seconds = limit > 0 ? fmax(left, DBL_MIN) : 0;
  const dsm_status status = dsm__explore_as_run(plan, bound, s->workload, question.system,
                                                &one->options, s->memo, question.cost_limit, NULL);
  if (*plan != NULL) {
    (*plan)->options.time_limit_seconds = limit;
  }
  return status;
}

/* Explores a case; the best plan of all takes its system with it. */
static dsm_status close(division_search *s, division *one) {
  dsm_plan *made = NULL;
  double bound = 0;
  const dsm_status status = explore(s, one, &made, &bound);
  one->head.bound = fmax(one->head.bound, bound);
  if (made != NULL && dsm__tie_limit(made->result.step_cycles) < known_cost(s)) {
    dsm_plan_free(s->best);
    s->best = made;
    made->owned_system = one->divided;
  } else {
    dsm_plan_free(made);
    dsm_system_free(one->divided);
  }
  one->divided = NULL;
  return status;
}

static dsm__looked look(void *context, dsm__open_case *head) {
  division_search *const s = context;
  division *const one = (division *)head;
  const bool is_bound_due =
      s->best != NULL && !one->is_bounded && s->asked->as_run_by == DSM_AS_RUN_BY_ANY;
  const dsm__case_question question = question_of(s, one);
  double bound = 0;
  one->is_bounded = true;
  const dsm_status status = is_bound_due ? dsm__bound_case(&question, &bound) : close(s, one);
  one->head.bound = fmax(one->head.bound, bound);
  return status != DSM_OK && status != DSM_ERROR_INFEASIBLE ? DSM__LOOK_FAILED
         : is_bound_due                                     ? DSM__LOOK_OPEN
                                                            : DSM__LOOK_CLOSED;
}

static bool is_done(const void *context, double bound) {
  const division_search *const s = context;
  return s->best != NULL ? dsm__tie_limit(bound) >= known_cost(s) || dsm__problem_is_over(s->whole)
                         : dsm__deadline_is_final(s->whole->inputs.deadline);
}

static dsm_status search(division_search *s) {
  static const dsm__case_kind division_kind = {look, is_done};
  const dsm_status status = open_all(s);
  if (status != DSM_OK) {
    return status;
  }
  return dsm__cases_search(&s->cases, &division_kind, s) ? DSM_OK : DSM_ERROR_OUT_OF_MEMORY;
}

static void free_systems(division_search *s) {
  for (size_t i = 0; i < s->cases.open.count; i++) {
    dsm_system_free(((division *)s->cases.open.items[i])->divided);
  }
}

/* Where no division has a plan: what the system as it is says. */
static dsm_status report_none(dsm_plan **plan, const division_search *s, dsm_diags *diags) {
  dsm_explore_options options = *s->asked;
  options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_DIVIDE);
  return dsm_explore(plan, s->workload, s->system, &options, diags);
}

dsm_status dsm__explore_divided(dsm_plan **plan, const dsm_workload *workload,
                                const dsm_system *system, const dsm_explore_options *options,
                                dsm__memo *memo, dsm_diags *diags) {
  dsm__problem whole;
  dsm_status status = dsm__problem_init_with(&whole, workload, system, options, NULL, NULL, diags);
  *plan = NULL;
  if (status != DSM_OK) {
    return status;
  }
  division_search s = {.workload = workload,
                       .system = system,
                       .asked = options,
                       .memo = memo,
                       .whole = &whole,
                       .cases = dsm__cases_begin(whole.arena)};
  status = search(&s);
  const double bound = dsm__cases_bound(&s.cases);
  free_systems(&s);
  if (status != DSM_OK) {
    dsm_plan_free(s.best);
    status = dsm__out_of_memory(diags);
  } else if (s.best == NULL) {
    status = report_none(plan, &s, diags);
  } else {
    s.best->statistics.is_stopped = dsm__deadline_was_met(whole.inputs.deadline);
    dsm_plan_set_bound(s.best, fmin(bound, s.best->result.step_cycles), diags);
    *plan = s.best;
  }
  dsm__problem_fini(&whole);
  return status;
}
