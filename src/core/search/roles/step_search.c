/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_search.c: numbers of micro-batches, stages, and what is kept of weights: around the search
 * of roles (role_search.h). */
#include "search/roles/step_search.h"

#include <math.h>

#include "base/cases.h"
#include "plan/step_stages.h"
#include "plan/tolerance.h"
#include "search/fused.h"
#include "search/overlapped.h"
#include "search/roles/role_search.h"
#include "search/stages/stage_search.h"
#include "search/tied_search.h"

/* What a mapping needs of a chip's memory. Negative if out of memory. */
static dsm__memory_need need_of(const dsm__problem *problem, const dsm_workload *workload,
                                const dsm__decisions *decisions) {
  dsm_layer_memory *memory = NULL;
  if (!DSM__RESERVE(problem->arena, memory, workload->layer_count)) {
    return (dsm__memory_need){.total_bytes = -1};
  }
  const dsm_mode mode = problem->inputs.options->mode;
  dsm__stage part;
  const dsm_machine *const machine =
      dsm__stage_machine(&problem->machine, &decisions->stages, &part);
  dsm__mapping_memory_derive(workload, machine, mode, decisions, memory);
  const dsm_workload micro = dsm__micro_workload(workload, dsm__micro_batches(decisions));
  return dsm__memory_need_of(&micro, machine, mode, memory);
}

/* What no mapping is faster than that an answer stands for. Where it is proven that none fits,
 * nothing is left that a bound could be of; that of tied tables says so itself. */
static double bound_of(const dsm__problem *problem, const dsm__graph_answer *answer) {
  const bool is_any_left = answer->is_feasible || problem->found->is_need_rounded ||
                           dsm__problem_is_over(problem) || dsm__tied_is_asked(problem);
  return is_any_left ? answer->lower_bound : HUGE_VAL;
}

enum { SMALL_NETWORK = 64 /* layers */ };

/* Mappings with so many micro-batches, as a problem asks for them. */
typedef struct number_case {
  dsm__open_case head;
  const dsm__problem *problem;
  uint64_t micro_batches;
  bool may_recompute;
  bool is_bounded; /* by a bound that knows no core splits */
} number_case;

/* The best of all searches so far, and what is left to be searched. */
typedef struct step_search {
  const dsm__problem *problem;
  double cost_limit;
  dsm__graph_answer *best;
  dsm__decisions *decisions;
  dsm__cases numbers;
  dsm__cases tight;      /* numbers of micro-batches that something made anew may help, */
  dsm__problem apart;    /* with segments that end where they may, */
  dsm__problem going_on; /* and with segments that go on too */
  bool has_any;
} step_search;

static double known_cost(const step_search *s) {
  return s->best->is_feasible ? fmin(s->cost_limit, s->best->cost) : s->cost_limit;
}

/* Of several answers that are not feasible the first stands for all. */
static void take(step_search *s, const dsm__graph_answer *answer, const dsm__decisions *found) {
  const bool is_better = answer->is_feasible &&
                         (!s->best->is_feasible || dsm__tie_limit(answer->cost) < s->best->cost);
  if (is_better || (!s->has_any && !s->best->is_feasible)) {
    *s->best = *answer;
    *s->decisions = *found;
  }
  s->has_any = true;
}

/* Is the time over? Where nothing fits yet what comes next is looked at all the same, unless the
 * time limit is strict. */
static bool is_over(const step_search *s) {
  return dsm__problem_is_over(s->problem) &&
         (s->best->is_feasible || dsm__deadline_is_final(s->problem->inputs.deadline));
}

/* What each mapping takes at least, by a bound that knows no core splits. False if out of memory.
 */
static bool find_floor(const step_search *s, const dsm__problem *problem, double *cost) {
  const size_t count = problem->inputs.workload->layer_count;
  const double times = (double)problem->inputs.micro_batches;
  const dsm__role_enough enough = {{.micro = times, .once = 1}, dsm__tie_limit(known_cost(s))};
  dsm__role_front *fronts = NULL;
  *cost = 0;
  if (!DSM__RESERVE(problem->arena, fronts, count) ||
      !dsm__role_fronts_find(problem, true, &enough, fronts)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    *cost += dsm__role_floor(&fronts[i], &enough.prices);
  }
  return true;
}

/* Where layers share collectives or sums hide behind computing a graph does not know what a mapping
 * takes: as it is predicted. False if out of memory. */
static bool predict(const dsm__problem *problem, const dsm_workload *whole,
                    const dsm__decisions *found, dsm__graph_answer *answer) {
  dsm_plan *plan = NULL;
  if (!(dsm__problem_is_overlapped(problem) || dsm__problem_is_fused(problem)) ||
      dsm__problem_is_weighed(problem) || !answer->is_feasible || !isfinite(answer->cost)) {
    return true;
  }
  const dsm_status status =
      dsm__plan_make(&plan, whole, problem->machine.system, problem->inputs.options, found, NULL);
  if (status == DSM_OK) {
    dsm__problem_price(problem, plan);
    answer->cost = plan->price;
  }
  dsm_plan_free(plan);
  return status == DSM_OK;
}

/* What all mappings of a number of micro-batches need is asked before core splits are; the need of
 * tied tables depends on their cuts. The answer is of those that do not fit. False if out of
 * memory. */
static bool find_need(const dsm__problem *problem, bool may_recompute, dsm__graph_answer *answer,
                      bool *may_fit) {
  const dsm__role_room room = {problem->inputs.in_flight, problem->capacity_bytes, NULL};
  *answer = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL, .is_memory_short = true};
  *may_fit = true;
  return dsm__tied_is_asked(problem) ||
         dsm__role_may_fit(problem, may_recompute, &room, 1, &answer->smallest_need_bytes, may_fit);
}

/* Options are those of the problem, which is the searched one or a case of it, and outlives it.
 * False if out of memory. */
static bool open_number(dsm__cases *numbers, const dsm__problem *problem, uint64_t micro_batches,
                        bool may_recompute) {
  const number_case one = {{0, 0}, problem, micro_batches, may_recompute, false};
  return dsm__cases_open(numbers, &one, sizeof one) != NULL;
}

/* What a search of roles found for a number of micro-batches. False if out of memory. */
static bool take_roles(step_search *s, const dsm__problem *problem, bool may_recompute,
                       const dsm__graph_answer *answer, const dsm__decisions *found) {
  if (!answer->is_feasible) {
    const double need = answer->smallest_need_bytes;
    problem->found->role_need_bytes =
        problem->found->role_need_bytes > 0 ? fmin(problem->found->role_need_bytes, need) : need;
  }
  /* Where the fastest of all fits, nothing that is made anew makes a step faster. */
  const bool is_tight =
      answer->is_memory_short && !may_recompute && dsm__recomputation_is_open(problem);
  const uint64_t n = problem->inputs.micro_batches;
  take(s, answer, found);
  return !is_tight ||
         (open_number(&s->tight, &s->apart, n, true) &&
          (!dsm__may_any_go_on(problem) || open_number(&s->tight, &s->going_on, n, true)));
}

/* Finds the bound of a number of micro-batches first, then searches roles for it; where a bound is
 * all that is asked, or the time is over, only the bound. */
static dsm__looked look(void *context, dsm__open_case *head) {
  step_search *const s = context;
  number_case *const of = (number_case *)head;
  const dsm_workload *const whole = of->problem->inputs.workload;
  const dsm_workload micro = dsm__micro_workload(whole, of->micro_batches);
  dsm__graph_answer answer;
  dsm__decisions found = {.layers = NULL};
  dsm__problem one;
  bool may_fit = true;
  dsm__case_begin(&one, of->problem);
  one.inputs.workload = &micro;
  one.inputs.micro_batches = of->micro_batches;
  const bool is_stopped = (s->has_any && is_over(s)) || one.is_bound_all;
  /* Of one number alone the search itself tells it as soon. */
  const bool is_asked =
      is_stopped || dsm__may_choose(one.inputs.options, DSM__CHOICE_MICRO_BATCHES);
  if (is_asked && !of->is_bounded && (one.is_bound_all || known_cost(s) < HUGE_VAL)) {
    of->is_bounded = true;
    if (!find_floor(s, &one, &head->bound) ||
        (one.is_bound_all && !find_need(&one, of->may_recompute, &answer, &may_fit))) {
      return DSM__LOOK_FAILED;
    }
    head->bound = may_fit ? head->bound : HUGE_VAL;
    return DSM__LOOK_OPEN;
  }
  if (!is_stopped) { /* where something fits this one does, too, most times */
    if ((!s->best->is_feasible && !find_need(&one, of->may_recompute, &answer, &may_fit)) ||
        (may_fit && !dsm__role_search(&one, of->may_recompute, known_cost(s), &answer, &found)) ||
        !predict(&one, whole, &found, &answer) ||
        !take_roles(s, &one, of->may_recompute, &answer, &found)) {
      return DSM__LOOK_FAILED;
    }
    head->bound = fmax(head->bound, bound_of(&one, &answer));
  }
  return DSM__LOOK_CLOSED;
}

/* Does each mapping of a number take no less than the best that is known? */
static bool is_left_out(const void *context, double bound) {
  return bound >= dsm__tie_limit(known_cost(context));
}

/* Searches those that are open. What is left out has nothing better. False if out of memory. */
static bool search_numbers(step_search *s, dsm__cases *numbers) {
  static const dsm__case_kind number_kind = {look, is_left_out};
  const bool is_good = dsm__cases_search(numbers, &number_kind, s);
  numbers->open.count = 0;
  return is_good;
}

static bool search_roles(step_search *s, const dsm__problem *problem, uint64_t micro_batches,
                         bool may_recompute) {
  return open_number(&s->numbers, problem, micro_batches, may_recompute) &&
         search_numbers(s, &s->numbers);
}

/* What fewer words find first is the answer unless all of them find better: searches of shared
 * latencies end before they are exact, so that with shards, or with roles of update, they may end
 * at worse. On three axes the latter take too long for what they are worth. The bound is not one
 * of all. False if out of memory. */
static bool search_fewer_words(step_search *s, uint64_t micro_batches, bool may_recompute) {
  static const dsm__strategy_set left_out[] = {DSM__LEFT_OUT_FIRST, DSM__LEFT_OUT_SECOND};
  const dsm_explore_options *const asked = s->problem->inputs.options;
  const double bound = s->numbers.closed_bound;
  const size_t tight = s->tight.open.count;
  const bool had_any = s->has_any;
  dsm_optimization_set known = asked->optimizations;
  bool is_good = true;
  const bool is_quick = s->problem->machine.system->system.axis_count < 3;
  for (size_t k = is_quick ? 0 : 1;
       k < DSM__COUNT_OF(left_out) && dsm__problem_is_fused(s->problem); k++) {
    dsm_explore_options options = *asked;
    options.optimizations &= ~dsm__strategies_in(left_out[k]);
    if (options.optimizations == asked->optimizations || options.optimizations == known) {
      continue;
    }
    dsm__problem fewer;
    dsm__case_begin(&fewer, s->problem);
    fewer.inputs.options = &options;
    known = options.optimizations;
    is_good = is_good && search_roles(s, &fewer, micro_batches, may_recompute);
  }
  s->numbers.closed_bound = bound;
  s->tight.open.count = tight;
  s->has_any = had_any;
  return is_good;
}

/* Shards out no more than the memory asks for: of what takes the same time, the least. The search
 * has looked at what leaves most. */
static bool spare_shards(const dsm__problem *problem, dsm__decisions *decisions) {
  const dsm_workload *const workload = problem->inputs.workload;
  const dsm_sharding free_of_time =
      dsm__micro_batches(decisions) > 1 ? DSM_SHARDING_OPTIMIZER : DSM_SHARDING_GRADIENTS;
  dsm__layer_decision *layers = NULL;
  if (!DSM__RESERVE(problem->arena, layers, workload->layer_count)) {
    return false;
  }
  const dsm_sharding least =
      problem->machine.system->model.sharded_update ? DSM_SHARDING_NONE : DSM_SHARDING_OPTIMIZER;
  for (int most = (int)least; most < (int)free_of_time; most++) {
    for (size_t i = 0; i < workload->layer_count; i++) {
      layers[i] = decisions->layers[i];
      if (layers[i].layer.shard <= free_of_time && (int)layers[i].layer.shard > most) {
        layers[i].layer.shard = (dsm_sharding)most;
      }
    }
    dsm__decisions spared = *decisions;
    spared.layers = layers;
    const dsm__memory_need need = need_of(problem, workload, &spared);
    if (need.total_bytes < 0) {
      return false;
    }
    if (need.total_bytes <= dsm__capacity_limit(need.capacity_bytes)) {
      *decisions = spared;
      return true;
    }
  }
  return true;
}

/* Other numbers of micro-batches than the first. False if out of memory. */
static bool search_micro_batches(step_search *s) {
  const uint64_t minibatch = s->problem->inputs.workload->minibatch;
  const bool is_asked = dsm__is_any_recomputation_asked(s->problem);
  const bool is_cut = dsm__may_choose(s->problem->inputs.options, DSM__CHOICE_MICRO_BATCHES) &&
                      s->problem->inputs.options->micro_batches == 0;
  for (uint64_t n = 2; is_cut && n <= minibatch; n++) {
    if (minibatch % n == 0 && !open_number(&s->numbers, s->problem, n, is_asked)) {
      return false;
    }
  }
  return search_numbers(s, &s->numbers);
}

/* Two searches with layers made anew, for where memory is short without. The one in which segments
 * end where they may is opened first, and so comes first: its answer stands even where the other,
 * which has all of its mappings and more, has to round. Segments that go on take far more sums than
 * those of one: their graphs are kept small before sums are rounded. */
static void begin_recomputing(step_search *s) {
  enum { SHARE = 16 };
  dsm__case_begin(&s->apart, s->problem);
  dsm__case_begin(&s->going_on, s->problem);
  s->apart.are_segments_apart = true;
  s->going_on.role_nodes_max /= SHARE;
}

/* The fastest of all numbers of micro-batches and stages. What has stages comes between the first
 * number and the others: where memory is short it fits most easily, and what is known to fit makes
 * the others' graphs small. Where layers may be made anew graphs are the largest: they come last,
 * but for the first number in a small network, where they tell most. */
bool dsm__step_search(const dsm__problem *problem, double cost_limit, dsm__graph_answer *best,
                      dsm__decisions *decisions) {
  const dsm_explore_options *const options = problem->inputs.options;
  const uint64_t first = options->micro_batches > 0 ? options->micro_batches : 1;
  const bool has_stages =
      dsm__may_choose(problem->inputs.options, DSM__CHOICE_STAGES) && options->stages != 1 &&
      (dsm__problem_counts_all(problem) || problem->found->stages_bound_cycles <= 0);
  const bool has_others = options->stages <= 1;
  if (has_stages || dsm__problem_counts_all(problem)) {
    problem->found->stages_bound_cycles = HUGE_VAL;
  }
  dsm__problem remembering;
  dsm__case_begin(&remembering, problem);
  remembering.role_memo =
      dsm__memo_new(DSM__ROLE_MEMO_BYTES_MAX, dsm__deadline_bytes(problem->inputs.deadline));
  step_search s = {.problem = &remembering,
                   .cost_limit = cost_limit,
                   .best = best,
                   .decisions = decisions,
                   .numbers = dsm__cases_begin(problem->arena),
                   .tight = dsm__cases_begin(problem->arena)};
  begin_recomputing(&s);
  *best = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL};
  const bool is_small = problem->inputs.workload->layer_count <= SMALL_NETWORK;
  const bool is_asked = dsm__is_any_recomputation_asked(problem);
  const bool is_done = (!has_others || (search_fewer_words(&s, first, is_asked) &&
                                        search_roles(&s, s.problem, first, is_asked) &&
                                        (!is_small || search_numbers(&s, &s.tight)))) &&
                       (!has_stages || dsm__stage_search(s.problem, cost_limit, best, decisions,
                                                         &problem->found->stages_bound_cycles)) &&
                       (!has_others || (search_micro_batches(&s) && search_numbers(&s, &s.tight)));
  dsm__memo_free(remembering.role_memo);
  /* A search that proved that nothing is faster than what was known has no bound of its own. */
  const double known = best->is_feasible ? best->cost : HUGE_VAL;
  const double bound = fmin(s.numbers.closed_bound, s.tight.closed_bound);
  best->lower_bound = fmin(known, fmin(bound, problem->found->stages_bound_cycles));
  const bool is_open = best->is_feasible && options->shard_level == DSM_SHARD_LEVEL_BEST;
  return is_done && (!is_open || spare_shards(problem, decisions));
}
