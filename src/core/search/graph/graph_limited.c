/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_limited.c: shortest path under the memory constraint
 *
 *     sum(kept) + max(transient) <= capacity.
 *
 * 1. Lagrangian relaxation (graph_relax.c): a lower bound, and a path that fits (the incumbent).
 *    What cannot be on a path as good as the incumbent is left out from here on (graph_reduce.c).
 *
 * 2. Branches. The bound counts on the least largest transient of all paths looked at, so it is
 * weak where transients differ much. Each path has one largest transient: the paths are parted by
 * it, in halves, the half with the lowest bound first, until the bound loses little by it or
 * exceeds the incumbent.
 *
 * 3. Labels (graph_labels.c), from which the fastest path of a branch is read. They are few if the
 *    limit of cost is close to the optimum, so they are made for a limit just above the bound
 *    first; where no path is within it, the limit is a better bound, and is raised.
 *
 * The first of equally fast paths is the first of the branches' first ones, each read with the best
 * of all branches as limit. A branch that would keep too many labels is halved; where that is not
 * possible, or all has cost too much work or time, the incumbent and the least bound are the
 * answer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cases.h"
#include "base/order.h"
#include "plan/tolerance.h"
#include "search/graph/graph_limited.h"

enum { BRANCHES_MAX = 1024 };

/* Edges and partial paths looked at that take as long as one unit of the work of a search. */
enum { LOOKS_OF_WORK = 8 };

/* Paths whose largest transient is one of ceilings[first .. end). */
typedef struct branch {
  dsm__open_case head;
  size_t first;
  size_t end;
  double tried_cost; /* least difference of incumbent and bound with too many labels */
} branch;

typedef struct limited {
  dsm__graph_relaxed relaxed; /* with the incumbent */
  dsm__graph_labels labels;
  double *ceilings; /* every largest transient that a path can have, ascending */
  size_t ceiling_count;
  dsm__cases branches;    /* closed with a finite bound: given up */
  bool is_begun;          /* one was looked at */
  double best_cost;       /* by labels, of the branches done */
  dsm__graph_path chosen; /* the first of the best of the branches done */
  double chosen_cost;
} limited;

static bool list_ceilings(limited *l) {
  const dsm__graph *const graph = l->relaxed.graph;
  const double least = l->relaxed.transient_before[graph->node_count - 1];
  double *const all = dsm__arena_array(l->relaxed.arena, graph->node_count, sizeof *all);
  if (all == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t v = 0; v < graph->node_count; v++) {
    if (graph->nodes[v].transient_bytes >= least) {
      all[count++] = graph->nodes[v].transient_bytes;
    }
  }
  qsort(all, count, sizeof all[0], dsm__order_numbers);
  l->ceilings = all;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || all[i] > all[l->ceiling_count - 1]) {
      all[l->ceiling_count++] = all[i];
    }
  }
  return true;
}

/* May there be two in place of one? */
static bool can_divide(const limited *l) {
  return l->branches.open.count < BRANCHES_MAX && l->relaxed.work < l->labels.effort.work_max;
}

static dsm__looked divide(limited *l, const branch parts[2]) {
  return dsm__cases_open(&l->branches, &parts[0], sizeof parts[0]) != NULL &&
                 dsm__cases_open(&l->branches, &parts[1], sizeof parts[1]) != NULL
             ? DSM__LOOK_DIVIDED
             : DSM__LOOK_FAILED;
}

static bool can_halve(const limited *l, const branch *b) {
  return b->end - b->first > 1 && can_divide(l);
}

static dsm__looked halve(limited *l, const branch *b) {
  branch halves[] = {*b, *b};
  halves[0].end = halves[1].first = b->first + (b->end - b->first) / 2;
  return divide(l, halves);
}

/* Is much of what is between the bound and the incumbent due to transients that differ? A price of
 * 0 says that the least of them leaves room for the fastest path, not what the others leave. */
static bool is_wide(const dsm__graph_relaxed *r) {
  const double gap = dsm__graph_known(r) - r->bound_cost;
  const double spread = r->transient_limit - r->least_transient;
  return gap > 1e-9 * r->incumbent_cost && spread > 0 &&
         (r->price <= 0 || r->price * spread > gap / 2);
}

/* Does a path count more than another, or as much and come before it in the order of edges? */
static bool is_before(const dsm__graph *graph, const dsm__graph_path *path,
                      const dsm__graph_path *other) {
  const size_t counted = dsm__graph_sum(graph, path).counted;
  const size_t other_counted = dsm__graph_sum(graph, other).counted;
  if (counted != other_counted) {
    return counted > other_counted;
  }
  for (size_t i = 0; i < path->length && i < other->length; i++) {
    if (path->edges[i] != other->edges[i]) {
      return path->edges[i] < other->edges[i];
    }
  }
  return false;
}

/* The labels of a branch have a path that costs so much, and all that are better or equal. */
static void choose(limited *l, double cost) {
  dsm__graph_relaxed *const r = &l->relaxed;
  l->best_cost = fmin(l->best_cost, cost);
  const double limit = dsm__tie_limit(l->best_cost);
  if (cost > limit || !dsm__graph_labels_walk(&l->labels, limit)) {
    return;
  }
  dsm__graph_offer(r);
  if (l->chosen_cost > limit || is_before(r->graph, &r->scratch, &l->chosen)) {
    l->chosen_cost = dsm__graph_sum(r->graph, &r->scratch).cost;
    l->chosen.length = r->scratch.length;
    memcpy(l->chosen.edges, r->scratch.edges, r->scratch.length * sizeof r->scratch.edges[0]);
  }
}

/* Finds the fastest path of a branch, or that it has none as good as the incumbent. False if that
 * would take too many labels; its bound may be better then. */
static bool settle(limited *l, branch *b) {
  static const double FIRST_SHARE = 1.0 / 4096;
  static const double NEXT_SHARE = 4;
  const dsm__graph_relaxed *const r = &l->relaxed;
  const double low = b->head.bound;
  const double gap = dsm__graph_known(r) - low;
  /* What can be halved shall leave most of the work for its halves. */
  const double work_left = l->labels.effort.work_max - r->work;
  l->labels.work_limit = r->work + work_left / (can_halve(l, b) ? 8 : 2);
  double share = gap > 1e-9 * dsm__graph_known(r) ? FIRST_SHARE : 1;
  dsm__graph_labels_look(&l->labels);
  while (true) {
    const double limit = share < 1 ? low + share * gap : dsm__graph_known(r);
    if (!dsm__graph_labels_make(&l->labels, fmin(limit, dsm__graph_known(r)))) {
      return false;
    }
    const double best = dsm__graph_labels_best(&l->labels);
    if (best <= l->labels.limit) {
      choose(l, best);
      return true;
    }
    if (limit >= dsm__graph_known(r)) {
      return true;
    }
    b->head.bound = fmax(b->head.bound, limit);
    share *= NEXT_SHARE;
  }
}

/* Is it worth a try? Not where it was in vain with hardly more between incumbent and bound. */
static bool may_settle(const limited *l, const branch *b) {
  return dsm__graph_known(&l->relaxed) - b->head.bound <= b->tried_cost / 2;
}

/* A branch that has nothing better has no bound any more. */
static dsm__looked settled(branch *b) {
  b->head.bound = HUGE_VAL;
  return DSM__LOOK_CLOSED;
}

/* Settles a branch, halves it or gives it up. */
static dsm__looked search_branch(limited *l, branch *b) {
  const dsm__graph_relaxed *const r = &l->relaxed;
  dsm__graph_relax(&l->relaxed, l->ceilings[b->first], l->ceilings[b->end - 1]);
  b->head.bound = fmax(b->head.bound, r->bound_cost);
  if (b->head.bound > dsm__tie_limit(dsm__graph_known(r))) {
    return settled(b);
  }
  const bool is_halved = is_wide(r) && can_halve(l, b);
  const bool is_tried = !is_halved && may_settle(l, b);
  if (is_tried) {
    b->tried_cost = dsm__graph_known(r) - b->head.bound;
  }
  if (is_tried && settle(l, b)) {
    return settled(b);
  }
  if (can_halve(l, b)) {
    return halve(l, b);
  }
  return is_tried || !settle(l, b) ? DSM__LOOK_CLOSED : settled(b);
}

static dsm__looked look(void *context, dsm__open_case *one) {
  limited *const l = context;
  const bool is_over = (l->is_begun && l->relaxed.work >= l->labels.effort.work_max) ||
                       dsm__deadline_is_over(l->relaxed.graph->deadline);
  l->is_begun = true;
  return is_over ? DSM__LOOK_CLOSED : search_branch(l, (branch *)one);
}

static bool is_done(const void *context, double bound) {
  return bound > dsm__tie_limit(dsm__graph_known(&((const limited *)context)->relaxed));
}

static bool search_branches(limited *l) {
  static const dsm__case_kind branch_kind = {look, is_done};
  const branch all = {{.bound = -HUGE_VAL}, .end = l->ceiling_count, .tried_cost = HUGE_VAL};
  l->branches = dsm__cases_begin(l->relaxed.arena);
  return dsm__cases_open(&l->branches, &all, sizeof all) != NULL &&
         dsm__cases_search(&l->branches, &branch_kind, l);
}

/* ---- the answer ---- */

/* The path of the answer and its bounds, in the reduced graph. */
static void conclude(const limited *l, double bound, dsm__graph_path *path,
                     dsm__graph_answer *answer) {
  const dsm__graph_relaxed *const r = &l->relaxed;
  const double known = fmin(l->best_cost, dsm__graph_known(r));
  const bool is_exact = !isfinite(l->branches.closed_bound);
  const bool is_chosen = is_exact && l->chosen_cost <= dsm__tie_limit(r->incumbent_cost);
  answer->is_feasible = true;
  answer->lower_bound = fmax(bound, fmin(l->branches.closed_bound, known));
  /* Where rounding leaves no label, the incumbent is the answer. */
  *path = is_chosen ? l->chosen : r->incumbent;
}

bool dsm__graph_limited_search(const dsm__graph *graph, dsm__graph_effort effort, dsm__arena *arena,
                               dsm__graph_path *path, dsm__graph_answer *answer) {
  dsm__graph_relaxed whole;
  dsm__graph_reduced reduced = {.original = NULL};
  if (!dsm__graph_relax_begin(graph, arena, path, &whole)) {
    return false;
  }
  dsm__graph_relax_whole(&whole);
  dsm__deadline_add_work(graph->deadline, (size_t)(whole.work / LOOKS_OF_WORK));
  /* Where the time was over before the bound was good, little of the graph is left out. */
  const bool is_done =
      (graph->cost_limit > 0 && whole.bound_cost > dsm__tie_limit(graph->cost_limit)) ||
      dsm__deadline_is_over(graph->deadline);
  if (!is_done && !dsm__graph_reduce(&whole, whole.price, &reduced)) {
    return false;
  }
  if (reduced.graph.nodes == NULL) {
    path->length = whole.incumbent.length; /* whose edges are the caller's */
    *answer = (dsm__graph_answer){.is_feasible = true,
                                  .cost = dsm__graph_sum(graph, path).cost,
                                  .lower_bound = whole.bound_cost,
                                  .is_memory_short = answer->is_memory_short,
                                  .smallest_need_bytes = answer->smallest_need_bytes};
    return true;
  }
  limited *const l = dsm__arena_alloc(arena, sizeof *l);
  if (l == NULL ||
      !dsm__graph_relax_begin(&reduced.graph, arena, &reduced.incumbent, &l->relaxed)) {
    return false;
  }
  l->best_cost = HUGE_VAL;
  l->chosen_cost = HUGE_VAL;
  l->chosen.edges = dsm__arena_array(arena, reduced.graph.node_count, sizeof(size_t));
  const bool is_good = l->chosen.edges != NULL && list_ceilings(l) &&
                       dsm__graph_labels_begin(&l->labels, &l->relaxed, effort) &&
                       search_branches(l);
  if (is_good) {
    dsm__graph_path found;
    dsm__deadline_add_work(graph->deadline, (size_t)(l->relaxed.work / LOOKS_OF_WORK));
    conclude(l, whole.bound_cost, &found, answer);
    path->length = found.length;
    for (size_t i = 0; i < found.length; i++) {
      path->edges[i] = reduced.original[found.edges[i]];
    }
    answer->cost = dsm__graph_sum(graph, path).cost;
  }
  dsm__graph_labels_free(&l->labels);
  return is_good;
}
