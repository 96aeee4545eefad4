/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fused.c: branch and bound over the collectives that a mapping has.
 *
 * The graph adds up what layers take, but a collective's latency is paid once, by all layers that
 * are in it. With even shares for as many layers as may be in it, no mapping takes less than the
 * graph says, and one in which all layers are in all of its collectives takes just that: mostly the
 * first search is the last. Where a collective of the mapping found has fewer layers, there are two
 * cases. Mappings that have it pay all of it, and its layers nothing more; for those that do not
 * have it, a price is put on it with which no mapping is faster than the best.
 */
#include "search/fused.h"

#include <math.h>

#include "plan/tolerance.h"

/* Searches at most; what is left open then is a gap. */
enum { SEARCHES_MAX = 32 };

/* A case: mappings that have some collectives, and do not have others. */
typedef struct mapping_case {
  double bound; /* cycles; no mapping of the case takes less */
  uint32_t paid;
  uint32_t avoided;
} mapping_case;

_Static_assert((unsigned)DSM__COLLECTIVE_COUNT <= 32, "a bit for each collective");

typedef struct fused_search {
  dsm__problem *problem;
  double share;                          /* of a layer in a collective that nothing is known of */
  double latency[DSM__COLLECTIVE_COUNT]; /* of those seen */
  mapping_case open[SEARCHES_MAX + 1];
  unsigned open_count;
  double bound; /* of all cases that are closed */
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

static double share_of(const fused_search *s, const mapping_case *one, int collective) {
  if (has(one->paid, collective)) {
    return 0;
  }
  return has(one->avoided, collective) ? s->best.cycles / s->latency[collective] : s->share;
}

static double paid_cycles(const fused_search *s, const mapping_case *one) {
  double cycles = 0;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    cycles += has(one->paid, c) ? s->latency[c] : 0;
  }
  return cycles;
}

/* The case with the least bound, taken out. */
static mapping_case next_case(fused_search *s) {
  unsigned least = 0;
  for (unsigned i = 1; i < s->open_count; i++) {
    least = s->open[i].bound < s->open[least].bound ? i : least;
  }
  const mapping_case one = s->open[least];
  s->open[least] = s->open[--s->open_count];
  return one;
}

/* Of the mapping's collectives that with most latency that its layers do not pay. */
static int collective_to_decide(const fused_search *s, const mapping_case *one,
                                const dsm__collectives *collectives) {
  double most = dsm__tie_limit(s->best.cycles) - s->best.cycles;
  int collective = DSM__NO_COLLECTIVE;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    const double unpaid =
        collectives->latency_cycles[c] * (1 - (double)collectives->layers[c] * s->share);
    if (!has(one->paid | one->avoided, c) && unpaid > most) {
      most = unpaid;
      collective = c;
    }
  }
  return collective;
}

/* What a mapping takes, of which the graph knows what its layers pay. */
static double whole_cycles(const dsm__reductions *reductions, double graph_cycles,
                           const dsm__collectives *collectives) {
  double cycles = graph_cycles + dsm__collectives_latency(collectives);
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    cycles -=
        (double)collectives->layers[c] * reductions->shares[c] * collectives->latency_cycles[c];
  }
  return cycles;
}

/* Where all passes of a layer have one parallelism, the same layers are in a sum and in its way
 * back: a mapping has both or none. */
static uint32_t decided_with(const fused_search *s, int collective) {
  const uint32_t one = (uint32_t)1 << (unsigned)collective;
  const bool is_apart = dsm__has_optimization(&s->problem->inputs, DSM_OPTIMIZATION_PER_PASS);
  uint32_t all = 0;
  for (unsigned k = 0; !is_apart && k < (unsigned)DSM__COLLECTIVE_COUNT; k++) {
    const bool is_along_same =
        k % (1U << DSM_AXES_MAX) == (unsigned)collective % (1U << DSM_AXES_MAX);
    all |= is_along_same && s->latency[k] > 0 ? (uint32_t)1 << k : 0;
  }
  return one | all;
}

static void close_or_divide(fused_search *s, const mapping_case *one,
                            const dsm__collectives *collectives) {
  const int collective = collective_to_decide(s, one, collectives);
  if (collective == DSM__NO_COLLECTIVE || dsm__tie_limit(one->bound) >= s->best.cycles) {
    s->bound = fmin(s->bound, one->bound);
    return;
  }
  mapping_case having = *one;
  mapping_case avoiding = *one;
  having.paid |= decided_with(s, collective);
  avoiding.avoided |= decided_with(s, collective);
  s->open[s->open_count++] = having;
  s->open[s->open_count++] = avoiding;
}

/* False if out of memory. */
static bool search_case(fused_search *s, mapping_case *one, bool is_first) {
  dsm__problem *const problem = s->problem;
  dsm__solution solution;
  dsm__decisions decisions;
  problem->reductions.weight = 1;
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    problem->reductions.shares[c] = share_of(s, one, c);
  }
  problem->proven_cycles = 0;
  problem->inputs.reductions = &problem->reductions;
  problem->inputs.first_layers = 0;
  if (!dsm__problem_solve(problem, &solution) ||
      !dsm__problem_decide(problem, &solution.network, &solution.path, &decisions)) {
    return false;
  }
  dsm__collectives collectives;
  dsm__collectives_derive(&collectives, problem->inputs.workload, &problem->machine,
                          problem->inputs.options->mode, &decisions);
  const double cycles = whole_cycles(&problem->reductions, solution.answer.cycles, &collectives);
  if (is_first || dsm__tie_limit(cycles) < s->best.cycles) {
    s->best = solution.answer;
    s->best.cycles = cycles;
    s->decisions = decisions;
  }
  for (int c = 0; c < DSM__COLLECTIVE_COUNT; c++) {
    s->latency[c] = fmax(s->latency[c], collectives.latency_cycles[c]);
  }
  one->bound = fmax(one->bound, solution.answer.lower_bound_cycles + paid_cycles(s, one));
  close_or_divide(s, one, &collectives);
  return true;
}

bool dsm__problem_solve_fused(dsm__problem *problem, dsm__graph_answer *answer,
                              dsm__decisions *decisions) {
  fused_search s = {.problem = problem,
                    .share = least_share(problem->inputs.workload),
                    .open_count = 1,
                    .bound = HUGE_VAL};
  for (int searches = 0; searches < SEARCHES_MAX && s.open_count > 0; searches++) {
    const bool is_first = searches == 0;
    mapping_case one = next_case(&s);
    if (!is_first &&
        (dsm__tie_limit(one.bound) >= s.best.cycles || dsm__problem_is_over(problem))) {
      s.bound = fmin(s.bound, one.bound);
    } else if (!search_case(&s, &one, is_first)) {
      return false;
    } else if (!s.best.is_feasible) {
      break;
    }
  }
  for (unsigned i = 0; i < s.open_count; i++) {
    s.bound = fmin(s.bound, s.open[i].bound);
  }
  *answer = s.best;
  answer->lower_bound_cycles = fmin(s.bound, s.best.cycles);
  *decisions = s.decisions;
  return true;
}
