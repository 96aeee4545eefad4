/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overlapped.c: the fastest mapping where sums of gradients hide behind computing.
 *
 * A step ends when all is computed, or when the sums of the layers up to one are done, which begin
 * when that one is updated: it takes the most of as many ends, each of which adds up over layers.
 * A weighed mean of some ends adds up too, and is no more than the most of them: so a graph in
 * which each pass and each sum has a weight says a bound of all mappings, and the mapping that it
 * finds may be better than those that are known. Of the weights those are tried next with which the
 * least of all mappings found so far is most (cutting planes of the Lagrangian dual), with the ends
 * that decide these mappings' steps.
 */
#include "search/overlapped.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/growing_list.h"
#include "plan/tolerance.h"
#include "search/fused.h"
#include "search/improve.h"
#include "search/roles/role_search.h"

bool dsm__problem_is_overlapped(const dsm__problem *problem) {
  return problem->machine.system->model.overlapped_reduction &&
         problem->inputs.options->mode == DSM_MODE_TRAINING;
}

dsm__counted dsm__least_counted(const dsm__problem *problem) {
  const size_t shown = problem->inputs.workload->layers[0].has_backward ? 0 : 1;
  return (dsm__counted){.count = 1, .layers = {shown}, .weights = {1}};
}

/* Of layers before `end` sums and ways back count so much, and so much of their passes does not. */
static void add_zone(dsm__problem *problem, size_t end, double weight, double hidden_update,
                     double hidden_backward) {
  dsm__zone *const zone = &problem->zones[problem->inputs.zone_count++];
  *zone = (dsm__zone){end, dsm__least_shares(problem, weight)};
  zone->reductions.hidden[DSM_PASS_UPDATE] = hidden_update;
  zone->reductions.hidden[DSM_PASS_BACKWARD] = hidden_backward;
}

/* With an end its layer's update counts, and all that is computed before; the sums of the layers up
 * to it. */
void dsm__problem_count(dsm__problem *problem, const dsm__counted *counted) {
  dsm__search_inputs *const inputs = &problem->inputs;
  const size_t ends = counted == NULL ? 0 : counted->count;
  double left = 1; /* weight of this end and those of later layers */
  size_t first = 0;
  problem->reductions = dsm__least_shares(problem, counted == NULL ? 1 : 0);
  inputs->reductions =
      counted == NULL && !dsm__problem_is_fused(problem) ? NULL : &problem->reductions;
  inputs->zones = problem->zones;
  inputs->zone_count = 0;
  inputs->hidden_moves = counted == NULL ? 0 : 1 - counted->weights[0];
  for (size_t e = 0; e < ends; e++) {
    const size_t layers = counted->layers[e];
    const double after = fmax(0, left - counted->weights[e]);
    if (layers > first + 1) {
      add_zone(problem, layers - 1, left, left, left);
    }
    if (layers > 0) {
      add_zone(problem, layers, left, after, e > 0 ? left : after); /* the first has no backward */
    }
    first = layers;
    left = after;
  }
}

bool dsm__problem_counts_all(const dsm__problem *problem) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  return inputs->zone_count == 0 && (inputs->reductions == NULL || inputs->reductions->weight > 0);
}

/* How much later than all is computed the sums of so many first layers end, of each number of them,
 * if they begin when the last of these is updated. */
static void find_over(const dsm_plan *plan, double *over) {
  double summed = 0;   /* of the layers up to one */
  double computed = 0; /* after that one is updated */
  over[0] = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const backward = &layer->passes[DSM_PASS_BACKWARD];
    const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
    const double visible = update->exists && layer->pipeline == DSM_NO_PIPELINE
                               ? update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                                     update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS]
                               : 0;
    summed += visible + (update->exists ? update->hidden_cycles : 0);
    computed += backward->exists ? backward->cycles.total : 0;
    over[i + 1] = summed - computed / (double)plan->micro_batches;
    computed += update->exists ? update->cycles.total - visible : 0;
  }
}

/* The number of first layers whose sums end last. */
static size_t critical_of(const double *over, size_t layer_count) {
  size_t critical = 0;
  for (size_t i = 1; i <= layer_count; i++) {
    critical = over[i] > over[critical] ? i : critical;
  }
  return critical;
}

/* A mapping that was found: all that it computes, and how much later its ends are. */
typedef struct seen {
  double computed;
  double *over;
} seen;

enum { SEARCHES_MAX = 12 };

typedef struct overlapped_search {
  const dsm__problem *problem;
  dsm__counted_finder *find;
  double cost_limit;
  dsm_plan **plan; /* the fastest */
  double bound_cycles;
  dsm__counted counted; /* the ends that are weighed */
  DSM__LIST(seen) found;
  DSM__LIST(dsm__decisions) decisions; /* of these */
  dsm_diags *diags;
} overlapped_search;

static double known_cost(const overlapped_search *s) {
  return *s->plan != NULL ? (*s->plan)->price : s->cost_limit;
}

/* Keeps what is seen of a plan, and the plan if it is the fastest. One in stages has no ends to
 * weigh. False if out of memory. */
static bool look_at(overlapped_search *s, dsm_plan *made) {
  seen one = {.computed = 0};
  if (made == NULL || made->stages.count > 1) {
    dsm_plan_free(made == NULL ? NULL : dsm__take_faster(s->plan, made));
    return true;
  }
  if (!DSM__LIST_RESERVE_IN(&s->found, 1, s->problem->lasting) ||
      !DSM__LIST_RESERVE_IN(&s->decisions, 1, s->problem->lasting) ||
      !dsm__decisions_of_plan(made, s->problem->lasting,
                              &s->decisions.items[s->decisions.count++]) ||
      !DSM__RESERVE(s->problem->lasting, one.over, made->layer_count + 1)) {
    dsm_plan_free(made);
    return false;
  }
  find_over(made, one.over);
  one.computed = made->result.step_cycles - one.over[critical_of(one.over, made->layer_count)];
  s->found.items[s->found.count++] = one;
  dsm_plan_free(dsm__take_faster(s->plan, made));
  return true;
}

/* Searches with what counts (NULL: all). */
static dsm_status search(overlapped_search *s, const dsm__counted *counted) {
  dsm_plan *made = NULL;
  dsm_plan *slower = NULL;
  double bound = 0;
  const double known = known_cost(s);
  const dsm_status status = s->find(s->problem, counted, known, &made, &slower, &bound, s->diags);
  if (status != DSM_OK && (status != DSM_ERROR_INFEASIBLE || *s->plan == NULL)) {
    dsm_plan_free(made);
    dsm_plan_free(slower);
    return status;
  }
  if (counted != NULL) { /* what takes more than is known was left out: the bound ends there */
    s->bound_cycles = fmax(s->bound_cycles, fmin(bound, known));
  } else if (made != NULL) { /* what hides is no longer than what it hides behind */
    s->bound_cycles = fmax(s->bound_cycles, fmin(0.5 * bound, made->price));
  }
  const bool is_kept = look_at(s, made);
  return look_at(s, slower) && is_kept ? DSM_OK : dsm__out_of_memory(s->diags);
}

static bool is_done(const overlapped_search *s) {
  assert(*s->plan != NULL); /* of the first search */
  return dsm__problem_is_over(s->problem) || (*s->plan)->price <= dsm__tie_limit(s->bound_cycles);
}

/* What a mapping takes, as the ends are weighed. */
static double mean_of(const overlapped_search *s, const seen *one) {
  double cycles = one->computed;
  for (size_t e = 0; e < s->counted.count; e++) {
    cycles += s->counted.weights[e] * one->over[s->counted.layers[e]];
  }
  return cycles;
}

/* The mapping found that takes least. */
static const seen *least_of(const overlapped_search *s) {
  const seen *least = &s->found.items[0];
  for (size_t i = 1; i < s->found.count; i++) {
    const seen *const one = &s->found.items[i];
    least = mean_of(s, one) < mean_of(s, least) ? one : least;
  }
  return least;
}

/* Weighs the ends from one on, which have so much of the weight, so that the least is most: by
 * thirds, as it is concave. */
static double weigh(overlapped_search *s, size_t end, double left) {
  enum { STEPS = 24 };
  double *const weight = &s->counted.weights[end];
  if (end == 0) {
    *weight = left;
    return mean_of(s, least_of(s));
  }
  double low = 0;
  double high = left;
  for (int step = 0; step < STEPS; step++) {
    const double third = (high - low) / 3;
    *weight = low + third;
    const double lower = weigh(s, end - 1, left - low - third);
    *weight = high - third;
    const double higher = weigh(s, end - 1, left - high + third);
    low = lower < higher ? low + third : low;
    high = lower < higher ? high : high - third;
  }
  *weight = (low + high) / 2;
  return weigh(s, end - 1, left - *weight);
}

/* Adds the end that decides the step of the mapping that takes least, in its place by layers, in
 * place of the one that weighs least if there is no room. False: it is there. */
static bool add_end(overlapped_search *s) {
  dsm__counted *const counted = &s->counted;
  const double *const over = least_of(s)->over;
  const size_t critical = critical_of(over, s->problem->inputs.workload->layer_count);
  size_t least = 1;
  for (size_t e = 0; e < counted->count; e++) {
    if (over[counted->layers[e]] >= over[critical]) {
      return false;
    }
    least = e > 0 && counted->weights[e] < counted->weights[least] ? e : least;
  }
  if (counted->count == DSM__ENDS_MAX) {
    counted->count--;
    memmove(&counted->layers[least], &counted->layers[least + 1],
            (counted->count - least) * sizeof counted->layers[0]);
  }
  size_t place = counted->count++;
  for (; place > 1 && counted->layers[place - 1] > critical; place--) {
    counted->layers[place] = counted->layers[place - 1];
  }
  counted->layers[place] = critical;
  return true;
}

/* Is a mapping in neither space that is searched, so that no bound is of it? What is shared out of
 * weights is searched with roles, where nothing is hoisted and backward has the roles of forward
 * (section 13, roles); a mapping of data and model that was improved may share out too. */
static bool is_beyond_searches(const dsm_plan *plan) {
  bool is_sharded = false;
  bool is_of_words = false;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const backward = &layer->passes[DSM_PASS_BACKWARD];
    is_sharded = is_sharded || layer->decisions.shard != DSM_SHARDING_NONE;
    is_of_words = is_of_words || layer->decisions.is_hoisted ||
                  (backward->exists && backward->decisions.parallelism !=
                                           layer->passes[DSM_PASS_FORWARD].decisions.parallelism);
  }
  return is_sharded && is_of_words;
}

dsm_status dsm__overlapped_search(const dsm__problem *problem, dsm__counted_finder *find,
                                  double cost_limit, dsm_plan **plan, double *bound_cycles,
                                  dsm_diags *diags) {
  static const double least_weight = 1.0 / 256; /* of all that is computed: else it is left open */
  static const double enough = 1e-3;
  overlapped_search s = {.problem = problem,
                         .find = find,
                         .cost_limit = cost_limit,
                         .plan = plan,
                         .counted = dsm__least_counted(problem),
                         .diags = diags};
  const bool is_all_first = dsm__problem_has_roles(problem);
  dsm_status status = is_all_first ? search(&s, NULL) : DSM_OK;
  if (status == DSM_OK) {
    const dsm__counted least = s.counted;
    status = search(&s, &least);
  }
  if (status == DSM_OK && !is_all_first && !is_done(&s)) {
    status = search(&s, NULL);
  }
  const bool is_known = s.found.count > 0 && /* moves have no weights; ends are times */
                        !dsm__has_layouts(problem->machine.system) && !problem->machine.is_weighed;
  bool is_cut = false; /* what was found last takes less than all before */
  for (int k = 0;
       is_known && k < SEARCHES_MAX && status == DSM_OK && !is_done(&s) && (is_cut || add_end(&s));
       k++) {
    const double least = weigh(&s, s.counted.count - 1, 1 - least_weight);
    dsm__counted counted = s.counted;
    counted.weights[0] += least_weight;
    status = search(&s, &counted);
    is_cut = mean_of(&s, least_of(&s)) < least * (1 - enough);
  }
  *bound_cycles = s.bound_cycles;
  if (status == DSM_OK && !is_done(&s) && (*s.plan)->stages.count <= 1 &&
      !dsm__improve_by(problem, s.decisions.items, s.decisions.count, plan)) {
    status = dsm__out_of_memory(diags);
  }
  if (status == DSM_OK && is_beyond_searches(*s.plan)) { /* no mapping that is searched is faster */
    *bound_cycles = fmin(*bound_cycles, (*s.plan)->price);
  }
  return status;
}
