/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_relax.c: Lagrangian relaxation of the memory's limit.
 *
 * For a price on kept bytes the cheapest path is found exactly. For every path that fits,
 * cost >= cost + price * (kept + largest transient - capacity), so
 * (cheapest priced path) - price * (capacity - least possible largest transient) is a lower bound.
 * A search over the price finds a good bound, and paths that fit on the way.
 *
 * Identical layers have one price at which all of them change their mind, so that the paths on its
 * two sides are far apart. Between them lie those that begin as one and go on as the other. So the
 * best is taken of all paths that go to a node as the cheapest path of one price does, over an
 * edge, and on as that of another.
 *
 * The relaxation with a bisection or a crossing of lines for the price is that of Handler and Zang,
 * "A dual algorithm for the constrained shortest path problem", Networks 10 (1980).
 */
#include "search/graph/graph_limited.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A path tried, and the price at which it is cheapest. */
typedef struct trial {
  double price;
  dsm__graph_sums sums;
} trial;

/* Does the path of a trial keep little enough? Either for the bound or to fit. */
typedef bool (*is_lean)(const dsm__graph_relaxed *, const dsm__graph_sums *);

static bool allocate(dsm__graph_relaxed *r) {
  const size_t count = r->graph->node_count;
  return DSM__RESERVE(r->arena, r->before, count) &&
         DSM__RESERVE(r->arena, r->transient_before, count) &&
         DSM__RESERVE(r->arena, r->rest, count) &&
         dsm__graph_tree_allocate(r->graph, r->arena, &r->heads[0]) &&
         dsm__graph_tree_allocate(r->graph, r->arena, &r->heads[1]) &&
         dsm__graph_tree_allocate(r->graph, r->arena, &r->tail);
}

double dsm__graph_rounding_slack(const dsm__graph_relaxed *relaxed, double price) {
  return relaxed->rounding * (relaxed->incumbent_cost + price * relaxed->graph->capacity_bytes);
}

void dsm__graph_offer(dsm__graph_relaxed *relaxed) {
  const dsm__graph_sums sums = dsm__graph_sum(relaxed->graph, &relaxed->scratch);
  if (sums.cost < relaxed->incumbent_cost &&
      dsm__graph_bytes(sums) <= relaxed->graph->capacity_bytes) {
    relaxed->incumbent_cost = sums.cost;
    relaxed->incumbent.length = relaxed->scratch.length;
    memcpy(relaxed->incumbent.edges, relaxed->scratch.edges,
           relaxed->scratch.length * sizeof relaxed->scratch.edges[0]);
  }
}

/*
 * Why this is a bound: let a path fit, so that kept + transient <= capacity, and let transients be
 * at least least_transient. Then kept <= capacity - least_transient, and cost >= cost + price *
 * (kept - (capacity - least_transient)) for any price that is not negative. The right side is at
 * least the cheapest priced path less a constant, which is what is computed. Rounding is taken off,
 * as sums along a path are added up in two orders.
 */
double dsm__graph_bound_at(dsm__graph_relaxed *relaxed, double price) {
  const dsm__graph *const graph = relaxed->graph;
  const dsm__graph_price priced = {1, price, relaxed->transient_limit};
  dsm__graph_sweep_back(graph, priced, relaxed->rest);
  const double best = price * graph->nodes[0].kept_bytes + relaxed->rest[0];
  relaxed->work += (double)dsm__graph_edge_count(graph);
  return best - price * (graph->capacity_bytes - relaxed->least_transient) -
         dsm__graph_rounding_slack(relaxed, price);
}

/* Tries a price: better bound, better incumbent. */
static trial try_price(dsm__graph_relaxed *r, double price) {
  const dsm__graph_price priced = {1, price, r->transient_limit};
  const double bound = dsm__graph_bound_at(r, price);
  if (bound > r->bound_cost) {
    r->bound_cost = bound;
    r->price = price;
  }
  dsm__graph_walk(r->graph, priced, r->rest, &r->scratch);
  dsm__graph_offer(r);
  return (trial){price, dsm__graph_sum(r->graph, &r->scratch)};
}

static bool is_lean_for_bound(const dsm__graph_relaxed *r, const dsm__graph_sums *sums) {
  return sums->kept_bytes <= r->graph->capacity_bytes - r->least_transient;
}

static bool is_lean_to_fit(const dsm__graph_relaxed *r, const dsm__graph_sums *sums) {
  return dsm__graph_bytes(*sums) <= r->graph->capacity_bytes;
}

/*
 * Narrows the prices between a path that is not lean and one that is, with the price at which both
 * cost the same: where no other path between them is cheaper there, that is all. The price of the
 * lean path may be infinite.
 *
 * The bound as a function of the price is the lower envelope of one line a path, so it is concave:
 * its best is where a path that keeps too much and one that keeps little enough cost the same. A
 * price tried there either finds that nothing is cheaper, and is the best, or finds a path that
 * replaces one of the two.
 */
static void narrow(dsm__graph_relaxed *r, is_lean is_lean_enough, trial *fast, trial *lean) {
  enum { TRIALS = 60 };
  for (int i = 0; i < TRIALS && fast->sums.kept_bytes > lean->sums.kept_bytes &&
                  !dsm__deadline_is_over(r->graph->deadline);
       i++) {
    const double equal =
        (lean->sums.cost - fast->sums.cost) / (fast->sums.kept_bytes - lean->sums.kept_bytes);
    if (equal <= fast->price || equal >= lean->price) {
      return;
    }
    const trial tried = try_price(r, equal);
    const double cost = tried.sums.cost + equal * tried.sums.kept_bytes;
    const double known = fast->sums.cost + equal * fast->sums.kept_bytes;
    if (is_lean_enough(r, &tried.sums)) {
      *lean = tried;
    } else {
      *fast = tried;
    }
    if (cost >= known * (1 - r->rounding)) {
      fast->price = equal;
      lean->price = equal;
      return;
    }
  }
}

/* A path along a head to a place, over an edge, and on along a tail. */
typedef struct joint {
  double cost;
  dsm__graph_place place;
  const dsm__graph_edge *edge; /* NULL: none is faster than the incumbent */
} joint;

/* The best joint on the edges of a run, if it is better than the one known. */
static void join(const dsm__graph_relaxed *r, const dsm__graph_tree *head, size_t index,
                 joint *best) {
  const dsm__graph *const graph = r->graph;
  const dsm__graph_tree *const tail = &r->tail;
  const dsm__graph_run run = dsm__graph_run_of(graph, index);
  for (size_t v = run.first; v < run.end; v++) {
    const dsm__graph_sums *const before = &head->sums[v - run.first];
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const uint32_t to = graph->edges[e].to;
      const dsm__graph_sums *const after = &tail->sums[to - run.first];
      const double cost = before->cost + graph->edges[e].cost + after->cost;
      const double kept = before->kept_bytes + graph->nodes[to].kept_bytes + after->kept_bytes;
      const double transient =
          dsm__graph_larger(graph->nodes[to].transient_bytes,
                            dsm__graph_larger(before->transient_bytes, after->transient_bytes));
      if (cost < best->cost && kept + transient <= graph->capacity_bytes) {
        *best = (joint){cost, {run, index, v}, &graph->edges[e]};
      }
    }
  }
}

static void offer_joint(dsm__graph_relaxed *r, dsm__graph_tree *head, const joint *best) {
  const dsm__graph *const graph = r->graph;
  dsm__graph_path *const path = &r->scratch;
  if (best->edge == NULL) {
    return;
  }
  dsm__graph_begin_with(graph, head, best->place, path);
  path->edges[path->length++] = (size_t)(best->edge - graph->edges) + best->place.run.edge_shift;
  dsm__graph_end_with(graph, &r->tail, dsm__graph_behind(graph, best->place, best->edge), path);
  dsm__graph_offer(r);
}

/* Joins the cheapest paths of two prices: just below the one, just above the other. */
static void join_prices(dsm__graph_relaxed *r, double fast_price, double lean_price) {
  static const double JUST = 1e-6; /* enough to part what costs the same but for rounding */
  const double prices[DSM__GRAPH_HEADS] = {fast_price * (1 - JUST), lean_price * (1 + JUST)};
  for (int h = 0; h < DSM__GRAPH_HEADS; h++) {
    dsm__graph_plant_head(&r->heads[h], prices[h], r->transient_limit);
  }
  for (int t = 0; t < DSM__GRAPH_HEADS; t++) {
    joint best[DSM__GRAPH_HEADS];
    dsm__graph_plant_tail(r->graph, &r->tail, prices[t], r->transient_limit);
    for (int h = 0; h < DSM__GRAPH_HEADS; h++) {
      best[h] = (joint){.cost = r->incumbent_cost};
    }
    for (size_t index = 0; index < dsm__graph_run_count(r->graph); index++) {
      dsm__graph_load_tail(r->graph, &r->tail, index);
      for (int h = 0; h < DSM__GRAPH_HEADS; h++) {
        dsm__graph_load_head(r->graph, &r->heads[h], index);
        join(r, &r->heads[h], index, &best[h]);
      }
    }
    for (int h = 0; h < DSM__GRAPH_HEADS; h++) {
      offer_joint(r, &r->heads[h], &best[h]);
    }
  }
  r->work += 8 * (double)dsm__graph_edge_count(r->graph);
}

bool dsm__graph_relax_begin(const dsm__graph *graph, dsm__arena *arena,
                            const dsm__graph_path *incumbent, dsm__graph_relaxed *relaxed) {
  dsm__graph_relaxed *const r = relaxed;
  *r = (dsm__graph_relaxed){.graph = graph, .arena = arena};
  if (!allocate(r)) {
    return false;
  }
  r->incumbent = *incumbent;
  r->incumbent_cost = dsm__graph_sum(graph, incumbent).cost;
  r->cost_limit = graph->cost_limit > 0 ? graph->cost_limit : HUGE_VAL;
  const size_t longest = dsm__graph_longest_path(graph, r->rest);
  if (!DSM__RESERVE(arena, r->scratch.edges, longest)) {
    return false;
  }
  r->rounding = 4 * DBL_EPSILON * (double)(1 + longest);
  dsm__graph_least_transient(graph, r->transient_before);
  return true;
}

/*
 * If the path that keeps least does not fit beside the least transient, none does: the bound is
 * infinite. Else that path is offered as an answer, and is the lean end of the prices. The search
 * for the bound asks for paths that keep little enough beside the least transient; that for an
 * answer, for paths that fit with their own. Where both are the same, the second has nothing to do.
 */
void dsm__graph_relax(dsm__graph_relaxed *relaxed, double least_transient, double transient_limit) {
  dsm__graph_relaxed *const r = relaxed;
  const dsm__graph_price kept_only = {0, 1, transient_limit};
  r->least_transient = least_transient;
  r->transient_limit = transient_limit;
  r->bound_cost = -HUGE_VAL;
  r->price = 0;
  dsm__graph_sweep_forward(r->graph, kept_only, r->before);
  if (r->before[r->graph->node_count - 1] + least_transient >
      r->graph->capacity_bytes * (1 + r->rounding)) {
    r->bound_cost = HUGE_VAL;
    return;
  }
  dsm__graph_sweep_back(r->graph, kept_only, r->rest);
  dsm__graph_walk(r->graph, kept_only, r->rest, &r->scratch);
  dsm__graph_offer(r);
  const trial leanest = {HUGE_VAL, dsm__graph_sum(r->graph, &r->scratch)};
  trial fast = try_price(r, 0);
  trial lean = leanest;
  if (!is_lean_for_bound(r, &fast.sums)) {
    narrow(r, is_lean_for_bound, &fast, &lean);
  }
  const double fast_price = fast.price;
  if (isfinite(lean.price) && !is_lean_to_fit(r, &lean.sums) && is_lean_to_fit(r, &leanest.sums)) {
    fast = lean;
    lean = leanest;
    narrow(r, is_lean_to_fit, &fast, &lean);
  }
  join_prices(r, fast_price, isfinite(lean.price) ? lean.price : fast.price);
}

static double largest_transient(const dsm__graph *graph) {
  const size_t stored = dsm__graph_run_of(graph, dsm__graph_run_count(graph) - 1).end;
  double largest = 0;
  for (size_t v = 0; v < stored; v++) {
    largest = dsm__graph_larger(largest, graph->nodes[v].transient_bytes);
  }
  return largest;
}

void dsm__graph_relax_whole(dsm__graph_relaxed *relaxed) {
  const dsm__graph *const graph = relaxed->graph;
  const size_t last = graph->node_count - 1;
  const double least = relaxed->transient_before[last];
  dsm__graph_sweep_forward(graph, (dsm__graph_price){0, 1, HUGE_VAL}, relaxed->rest);
  const double most = dsm__graph_larger(dsm__graph_sum(graph, &relaxed->incumbent).transient_bytes,
                                        graph->capacity_bytes - relaxed->rest[last]);
  dsm__graph_relax(relaxed, least, fmin(most, largest_transient(graph)));
}
