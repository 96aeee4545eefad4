/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fused.c: branch and bound over the collectives that a mapping has.
 *
 * The graph adds up what layers take, but a collective's latency is paid once, by all layers that
 * are in it. With even shares for as many layers as may be in it, no mapping takes less than the
 * graph says, and one in which all layers are in all of its collectives takes just that: mostly the
 * first search is the last. Where a collective of the mapping found has fewer layers, shares need
 * not be even: whatever they are, as long as all of them together are no more than the collective,
 * no mapping takes less than the graph says. So they move to the layers that are in it, and the
 * bound of the next search is a better one (this is the ascent of a dual bound, with steps that
 * keep it one). Layers of a class have one share.
 *
 * Where that leaves a gap there are two cases. Mappings that have a collective pay all of it, and
 * its layers nothing more; for those that do not have it, a price is put on it with which no
 * mapping is faster than the best.
 *
 * Layers that share out their gradients pay other latencies of a sum than those that do not
 * (section 12), and a mapping's collective takes the mean of its layers'. Even shares of all layers
 * that may be in it are never more than that mean; shares that moved may be. So where layers may
 * differ so, only the first search has a bound, and the others look for better mappings.
 */
#include "search/fused.h"

#include <assert.h>
#include <math.h>

#include "base/cases.h"
#include "plan/tolerance.h"

/* Searches of a case, with shares that move, before it is divided. */
enum { ROUNDS = 4 };

/* A case: mappings that have some collectives, and do not have others. */
typedef struct mapping_case {
  dsm__open_case head;
  uint32_t paid;
  uint32_t avoided;
} mapping_case;

_Static_assert((unsigned)DSM__COLLECTIVE_COUNT <= 32, "a bit for each collective");

typedef struct fused_search {
  const dsm__problem *problem;
  const dsm__fused_finder *finder;
  double share;            /* of a layer in a collective that nothing is known of, while even */
  double counted;          /* of latency, in the mean of ends that is searched, whoever pays; */
  bool is_uneven;          /* shares have moved, */
  uint32_t moved;          /* of these collectives: */
  double *shares;          /* of each class, what its layers pay of each collective; */
  size_t *class_layers;    /* how many it has; */
  dsm__reductions *paying; /* and in each zone what they pay in the case that is searched */
  dsm__joined *joined;     /* of each layer of the mapping found last */
  double cost_limit;       /* of a mapping that is known; infinite: none */
  uint64_t evaluations;    /* before it, */
  uint64_t edges;          /* and edges of graphs of roles */
  int searches;
  double latency[DSM__COLLECTIVE_COUNT]; /* of those seen */
  dsm__cases cases;
  double first_bound; /* of the first search */
  dsm__graph_answer best;
  dsm__decisions decisions;
} fused_search;

static bool has(uint32_t set, int collective) {
  return (set >> (unsigned)collective & 1U) != 0;
}

bool dsm__problem_is_fused(const dsm__problem *problem) {
  return problem->machine.system->model.fused_reductions &&
         problem->inputs.options->mode == DSM_MODE_TRAINING;
}

dsm__reductions dsm__reductions_beside(const dsm__collectives *collectives) {
  dsm__reductions reductions = {.weight = 1};
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    reductions.shares[c] = collectives->layers[c] > 0 ? 0 : 1;
  }
  return reductions;
}

/* For as many layers as can be in a collective. */
static double least_share(const dsm_workload *workload) {
  double layers = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    layers += workload->layers[i].has_update && workload->layers[i].weight_elements > 0 ? 1 : 0;
  }
  return layers > 0 ? 1 / layers : 1;
}

dsm__reductions dsm__least_shares(const dsm__problem *problem, double weight) {
  dsm__reductions reductions = dsm__whole_shares(weight);
  for (int c = 0; dsm__problem_is_fused(problem) && c < DSM__COLLECTIVE_COUNT; c++) {
    reductions.shares[c] = least_share(problem->inputs.workload);
  }
  return reductions;
}

/* Zones of earlier layers count more of it. */
double dsm__counted_latency(const dsm__problem *problem) {
  const dsm_workload *const workload = problem->inputs.workload;
  size_t last = workload->layer_count;
  while (last > 0 &&
         (workload->layers[last - 1].weight_elements == 0 || workload->layers[last - 1].is_tied ||
          !workload->layers[last - 1].has_update)) {
    last--;
  }
  const size_t row = dsm__zone_row(&problem->inputs, last > 0 ? last - 1 : 0);
  return row == 0 ? problem->reductions.weight : problem->zones[row - 1].reductions.weight;
}

/* Of a layer of a class. */
static double share_of(const fused_search *s, const mapping_case *one, size_t class_index,
                       int collective) {
  if (has(one->paid, collective)) {
    return 0;
  }
  if (has(one->avoided, collective)) {
    return s->best.cost / (s->counted * s->latency[collective]);
  }
  return s->is_uneven ? s->shares[class_index * DSM__COLLECTIVE_COUNT + (size_t)collective]
                      : s->share;
}

static double paid_cost(const fused_search *s, const mapping_case *one) {
  double cycles = 0;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    cycles += has(one->paid, c) ? s->counted * s->latency[c] : 0;
  }
  return cycles;
}

/* A mapping that was found. */
typedef struct found_mapping {
  dsm__collectives collectives;
  double paid[DSM__COLLECTIVE_COUNT]; /* shares of each that its layers pay */
  double open_cycles;                 /* what its own search leaves between it and its bound */
  bool is_any;                        /* else none was found */
} found_mapping;

static void add_payments(const fused_search *s, const mapping_case *one, found_mapping *found) {
  const dsm__problem *const problem = s->problem;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    found->paid[c] =
        s->is_uneven ? 0 : (double)found->collectives.layers[c] * share_of(s, one, 0, c);
  }
  for (size_t i = 0; s->is_uneven && i < problem->inputs.workload->layer_count; i++) {
    const unsigned of[] = {s->joined[i].sum_of_gradients, s->joined[i].broadcast_weights};
    for (size_t k = 0; k < DSM__COUNT_OF(of); k++) {
      if (of[k] != DSM__NO_COLLECTIVE) {
        found->paid[of[k]] += share_of(s, one, problem->table.distinct.class_of[i], (int)of[k]);
      }
    }
  }
}

/* Of the mapping's collectives that with most latency that its layers do not pay; more than so many
 * cycles. */
static int collective_to_decide(double counted, const mapping_case *one, const found_mapping *found,
                                double most) {
  int collective = DSM__NO_COLLECTIVE;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    const double unpaid = counted * found->collectives.latency_cycles[c] * (1 - found->paid[c]);
    if (!has(one->paid | one->avoided, c) && unpaid > most) {
      most = unpaid;
      collective = c;
    }
  }
  return collective;
}

/* What a mapping takes, of which the graph knows what its layers pay; nearly, where these pay other
 * latencies. */
static double whole_cycles(const fused_search *s, double graph_cycles, const found_mapping *found) {
  double cycles = graph_cycles + s->counted * dsm__collectives_latency(&found->collectives);
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    cycles -= s->counted * found->paid[c] * found->collectives.latency_cycles[c];
  }
  return cycles;
}

/* Where all passes of a layer have one parallelism, the same layers are in a sum and in its way
 * back: a mapping has both or none. */
static uint32_t decided_with(const fused_search *s, int collective) {
  const uint32_t one = (uint32_t)1 << (unsigned)collective;
  const bool is_apart = dsm__may_choose(s->problem->inputs.options, DSM__CHOICE_PASSES);
  uint32_t all = 0;
  for (unsigned k = 0; !is_apart && k < (unsigned)DSM__COLLECTIVE_COUNT; k++) {
    const bool is_along_same =
        k % (1U << DSM_AXES_MAX) == (unsigned)collective % (1U << DSM_AXES_MAX);
    all |= is_along_same && s->latency[k] > 0 ? (uint32_t)1 << k : 0;
  }
  return one | all;
}

/* False if out of memory. */
static bool divide(fused_search *s, const mapping_case *one, int collective) {
  mapping_case having = *one;
  mapping_case avoiding = *one;
  having.paid |= decided_with(s, collective);
  avoiding.avoided |= decided_with(s, collective);
  return dsm__cases_open(&s->cases, &having, sizeof having) != NULL &&
         dsm__cases_open(&s->cases, &avoiding, sizeof avoiding) != NULL;
}

/* Are two collectives of a kind, along as many axes? */
static bool are_akin(unsigned a, unsigned b) {
  unsigned axes[] = {a % (1U << DSM_AXES_MAX), b % (1U << DSM_AXES_MAX)};
  int difference = 0;
  for (unsigned k = 0; k < DSM_AXES_MAX; k++) {
    difference += (int)(axes[0] >> k & 1U) - (int)(axes[1] >> k & 1U);
  }
  return a >> DSM_AXES_MAX == b >> DSM_AXES_MAX && difference == 0;
}

/* A part of the shares of a collective goes to the layers that are in another one: as much to each
 * class as it has of them. */
static void move_shares_of(fused_search *s, const found_mapping *found, unsigned collective,
                           unsigned other, double part) {
  const dsm__distinct *const distinct = &s->problem->table.distinct;
  for (size_t k = 0; k < distinct->count; k++) {
    s->shares[k * DSM__COLLECTIVE_COUNT + collective] *= 1 - part;
  }
  for (size_t i = 0; i < s->problem->inputs.workload->layer_count; i++) {
    const size_t k = distinct->class_of[i];
    if (s->joined[i].sum_of_gradients == other || s->joined[i].broadcast_weights == other) {
      s->shares[k * DSM__COLLECTIVE_COUNT + collective] +=
          part / ((double)found->collectives.layers[other] * (double)s->class_layers[k]);
    }
  }
  s->moved |= (uint32_t)1 << collective;
}

/* Of each collective that is not paid in full: at first all shares, then half of them. Another
 * mapping may have the same layers in one along as many other axes: its shares are those, until it
 * is found. */
static void move_shares(fused_search *s, const found_mapping *found) {
  const size_t count = s->problem->table.distinct.count * DSM__COLLECTIVE_COUNT;
  for (size_t i = 0; !s->is_uneven && i < count; i++) {
    s->shares[i] = s->share;
  }
  s->is_uneven = true;
  for (unsigned c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    if (found->collectives.layers[c] == 0 || found->paid[c] >= 1) {
      continue;
    }
    move_shares_of(s, found, c, c, has(s->moved, (int)c) ? 0.5 : 1);
    for (unsigned other = 0; other < DSM__COLLECTIVE_COUNT; other++) {
      if (!has(s->moved, (int)other) && found->collectives.layers[other] == 0 &&
          are_akin(c, other)) {
        move_shares_of(s, found, other, c, 1);
      }
    }
  }
}

/* What layers pay in a case: what counts least in any zone is shared as in the case, and what
 * counts more in one as little as can be. */
static void set_payments(fused_search *s, const mapping_case *one, dsm__problem *paid) {
  const dsm__problem *const problem = s->problem;
  const size_t classes = problem->table.distinct.count;
  for (size_t i = 0; i < (problem->inputs.zone_count + 1) * classes; i++) {
    const size_t zone = i / classes;
    s->paying[i] = zone == 0 ? problem->reductions : problem->zones[zone - 1].reductions;
    const double part = s->counted / fmax(s->counted, s->paying[i].weight);
    for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
      s->paying[i].shares[c] = part * share_of(s, one, i % classes, c) + (1 - part) * s->share;
    }
  }
  problem->found->proven_cost = 0;
  paid->inputs.class_reductions = s->paying;
  paid->inputs.class_of = problem->table.distinct.class_of;
  paid->inputs.class_count = classes;
}

bool dsm__problem_find_mapping(const dsm__problem *problem, const void *context, double cost_limit,
                               dsm__graph_answer *answer, dsm__decisions *decisions) {
  dsm__solution solution;
  dsm__problem one;
  (void)context;
  (void)cost_limit;
  dsm__case_begin(&one, problem);
  dsm__arena *const scratch = dsm__problem_arena(problem);
  one.arena = scratch;
  const bool is_solved = scratch != NULL && dsm__problem_solve(&one, &solution);
  one.arena = problem->lasting;
  const bool is_decided =
      is_solved && dsm__problem_decide(&one, &solution.network, &solution.path, decisions);
  dsm__arena_free(scratch);
  if (is_decided) {
    *answer = solution.answer;
  }
  return is_decided;
}

/* The fastest that is known. */
static double known_cost(const fused_search *s) {
  return s->searches > 0 ? fmin(s->cost_limit, s->best.cost) : s->cost_limit;
}

/* One search, whose graphs are given back. What is kept of roles is theirs with even shares. */
static bool find_mapping(fused_search *s, const mapping_case *one, dsm__graph_answer *answer,
                         dsm__decisions *decisions) {
  const dsm__problem *const problem = s->problem;
  const double cost_limit = known_cost(s) - paid_cost(s, one);
  dsm__problem paid;
  dsm__case_begin(&paid, problem);
  paid.kept = s->searches > 0 ? NULL : problem->kept;
  paid.arena = s->searches > 0 ? dsm__problem_arena(problem) : problem->lasting;
  set_payments(s, one, &paid);
  const bool is_found = paid.arena != NULL &&
                        s->finder->find(&paid, s->finder->context, cost_limit, answer, decisions);
  if (paid.arena != problem->lasting) {
    dsm__arena_free(paid.arena);
  }
  return is_found;
}

/* Searches a case once; better bound, better mapping. False if out of memory. */
static bool search_once(fused_search *s, mapping_case *one, found_mapping *found) {
  const dsm__problem *const problem = s->problem;
  dsm__graph_answer answer;
  dsm__decisions decisions = {.layers = NULL};
  if (!find_mapping(s, one, &answer, &decisions)) {
    return false;
  }
  found->is_any = answer.is_feasible && isfinite(answer.cost);
  found->open_cycles = answer.cost - answer.lower_bound;
  if (!found->is_any) { /* none fits the memory, or none is as fast as what is known */
    const bool is_proven = s->searches > 0 && !problem->found->is_need_rounded;
    const bool is_over = dsm__problem_is_over(problem);
    one->head.bound =
        is_proven && !is_over ? known_cost(s) : fmax(one->head.bound, answer.lower_bound);
    s->best = s->searches == 0 ? answer : s->best;
    s->decisions = s->searches++ == 0 ? decisions : s->decisions;
    return true;
  }
  dsm__collectives_derive(&found->collectives, problem->inputs.workload, &problem->machine,
                          problem->inputs.options->mode, &decisions, s->joined);
  add_payments(s, one, found);
  const double cycles = whole_cycles(s, answer.cost, found);
  if (s->searches++ == 0 || dsm__tie_limit(cycles) < s->best.cost) {
    s->best = answer;
    s->best.cost = cycles;
    s->decisions = decisions;
  }
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    s->latency[c] = fmax(s->latency[c], found->collectives.latency_cycles[c]);
  }
  one->head.bound = fmax(one->head.bound, answer.lower_bound + paid_cost(s, one));
  s->first_bound = s->searches == 1 ? one->head.bound : s->first_bound;
  return true;
}

/* Is a bound as good as what is known, or as is asked for? */
static bool is_good_enough(const fused_search *s, double bound) {
  return dsm__tie_limit(bound) >= known_cost(s) || bound > s->finder->enough * s->best.cost;
}

/* Has enough been searched? */
static bool is_over(const fused_search *s) {
  const dsm__problem *const problem = s->problem;
  return s->searches >= s->finder->searches_max ||
         problem->found->evaluations - s->evaluations > s->finder->evaluations_max ||
         problem->found->role_edges - s->edges > s->finder->edges_max ||
         dsm__problem_is_over(problem);
}

/* Searches a case until it is done, or is divided: where shares that move raise its bound by hardly
 * anything, and lead to nothing better. It is done then if the search of a mapping leaves more open
 * by itself than they can win. */
static dsm__looked look(void *context, dsm__open_case *head) {
  fused_search *const s = context;
  mapping_case *const one = (mapping_case *)head;
  static const double vain = 1.0 / 16; /* of what was left between bound and best */
  for (int round = 1;; round++) {
    found_mapping found;
    const double bound = head->bound;
    const double best = s->best.cost;
    if (!search_once(s, one, &found)) {
      return DSM__LOOK_FAILED;
    }
    const bool is_vain = round > 1 && head->bound - bound < vain * (best - bound) &&
                         dsm__tie_limit(s->best.cost) >= best;
    const double least = is_vain ? found.open_cycles : 0;
    const double most = fmax(dsm__tie_limit(s->best.cost) - s->best.cost, least);
    const int collective =
        found.is_any ? collective_to_decide(s->counted, one, &found, most) : DSM__NO_COLLECTIVE;
    if (!s->best.is_feasible || collective == DSM__NO_COLLECTIVE ||
        is_good_enough(s, head->bound)) {
      return DSM__LOOK_CLOSED;
    }
    if (round == ROUNDS || is_vain || is_over(s)) {
      return divide(s, one, collective) ? DSM__LOOK_DIVIDED : DSM__LOOK_FAILED;
    }
    move_shares(s, &found);
  }
}

/* The first case is searched whatever the time. */
static bool is_done(const void *context, double bound) {
  const fused_search *const s = context;
  return s->searches > 0 && (is_good_enough(s, bound) || is_over(s));
}

static const dsm__case_kind fused_kind = {look, is_done};

static bool begin(fused_search *s) {
  const dsm__problem *const problem = s->problem;
  const dsm__distinct *const distinct = &problem->table.distinct;
  const size_t layer_count = problem->inputs.workload->layer_count;
  if (!DSM__RESERVE(problem->arena, s->shares, distinct->count * DSM__COLLECTIVE_COUNT) ||
      !DSM__RESERVE(problem->arena, s->class_layers, distinct->count) ||
      !DSM__RESERVE(problem->arena, s->paying, DSM__ZONE_ROWS * distinct->count) ||
      !DSM__RESERVE(problem->arena, s->joined, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    s->class_layers[distinct->class_of[i]]++;
  }
  return true;
}

/* May layers pay other latencies of one collective? */
static bool may_latencies_differ(const dsm__problem *problem) {
  return dsm__may_choose(problem->inputs.options, DSM__CHOICE_SHARD) &&
         (problem->inputs.micro_batches > 1 || !problem->machine.system->model.sharded_update);
}

bool dsm__fused_search(const dsm__problem *problem, const dsm__fused_finder *finder,
                       double cost_limit, dsm__graph_answer *answer, dsm__decisions *decisions) {
  fused_search s = {.problem = problem,
                    .finder = finder,
                    .cost_limit = cost_limit,
                    .evaluations = problem->found->evaluations,
                    .edges = problem->found->role_edges,
                    .share = least_share(problem->inputs.workload),
                    .counted = dsm__counted_latency(problem),
                    .cases = dsm__cases_begin(problem->arena)};
  const mapping_case all = {.paid = 0};
  assert(
      dsm__is_priced_by_time(&problem->machine, &problem->inputs.prices)); /* latency is shared */
  const bool is_good = begin(&s) && dsm__cases_open(&s.cases, &all, sizeof all) != NULL &&
                       dsm__cases_search(&s.cases, &fused_kind, &s);
  const double bound = dsm__cases_bound(&s.cases);
  *answer = s.best;
  answer->lower_bound = fmin(
      may_latencies_differ(problem) && s.best.is_feasible ? s.first_bound : bound, s.best.cost);
  *decisions = s.decisions;
  return is_good;
}
