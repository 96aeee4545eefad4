/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_labels.c: from the last node to the first, all partial paths ("what follows a node costs,
 * keeps and needs at most", its own bytes left out) are kept that
 *   - no other label of the same node dominates. Proof: let a have cost, kept and transient bytes
 *     each at most b's, and count as much. Whatever leads to the node and can go on as b can go on
 *     as a (edges depend on their two nodes only), costs no more then, counts no less, and fits if
 *     it fitted with b. So removing b loses no best cost.
 *   - can be completed within capacity (with the least kept bytes up to the node), and
 *   - can be completed within the limit of cost, by the cheapest unpriced and by the cheapest
 *     priced completion (the bound of graph_relax.c applied to the completion).
 * A label that the head of a price completes to a better path gives a new incumbent at once.
 *
 * A walk forward takes at each node the first edge from which some label completes the path within
 * capacity and the limit, counting as much as any. Labels lost by dominance do not matter to it: it
 * asks at each edge whether any completion exists, and a dominated one exists only if its dominator
 * does.
 */
#include "search/graph/graph_limited.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "plan/tolerance.h"

typedef dsm__graph_label label;
typedef dsm__graph_label_list label_list;

/* What sorting a label, and moving some, takes beside looking at an edge. */
static const double WORK_PER_SORTED = 20;
static const double MOVES_PER_WORK = 8;

/*
 * Can this label still become part of a path that fits and is within the limit?
 *
 * All three are what a label needs at least of a whole path: what leads to the node keeps at least
 * kept_before and has at least transient_before; takes at least cheapest_before; and takes at least
 * priced_before at the price, with which the room that transients leave is refunded.
 */
static bool is_promising(const dsm__graph_labels *l, size_t v, const label *candidate) {
  const dsm__graph_relaxed *const r = l->relaxed;
  const double capacity = r->graph->capacity_bytes;
  const double transient = dsm__graph_larger(candidate->transient_bytes, r->transient_before[v]);
  if (candidate->kept_bytes + l->kept_before[v] + transient > capacity) {
    return false;
  }
  if (candidate->cost + l->cheapest_before[v] > l->limit) {
    return false;
  }
  const double room = capacity - dsm__graph_larger(transient, r->least_transient);
  return candidate->cost + r->price * candidate->kept_bytes + l->priced_before[v] -
             r->price * room <=
         l->limit + dsm__graph_rounding_slack(r, r->price);
}

/* Labels that cost the same come with fewer kept bytes first, then transient ones, then by what
 * they count. */
static bool comes_after(const label *a, const label *b) {
  if (a->cost < b->cost || a->cost > b->cost) {
    return a->cost > b->cost;
  }
  return dsm__order_then(dsm__order(a->kept_bytes, b->kept_bytes),
                         dsm__order_then(dsm__order(a->transient_bytes, b->transient_bytes),
                                         dsm__order_whole(b->counted, a->counted))) > 0;
}

/* End of those from `begin` on that are in order. */
static size_t ordered_end(const label *labels, size_t begin, size_t count) {
  size_t end = begin < count ? begin + 1 : count;
  while (end < count && !comes_after(&labels[end - 1], &labels[end])) {
    end++;
  }
  return end;
}

/* Merges those before `middle` with those from it on, each in order. */
static void merge(const label *labels, size_t middle, size_t count, label *merged) {
  size_t left = 0;
  size_t right = middle;
  while (left < middle && right < count) {
    const bool is_right = comes_after(&labels[left], &labels[right]);
    *merged++ = labels[is_right ? right : left];
    left += is_right ? 0 : 1;
    right += is_right ? 1 : 0;
  }
  memcpy(merged, &labels[left], (middle - left) * sizeof labels[0]);
  memcpy(&merged[middle - left], &labels[right], (count - right) * sizeof labels[0]);
}

/* Candidates come edge after edge, each in the order of the labels behind it: few merges put them
 * in order. The staircase is free meanwhile. */
static void sort_candidates(const dsm__graph_labels *l, size_t count) {
  label *from = l->scratch;
  label *to = l->staircase;
  while (ordered_end(from, 0, count) < count) {
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
      const size_t middle = ordered_end(from, begin, count);
      end = ordered_end(from, middle, count);
      merge(&from[begin], middle - begin, end - begin, &to[begin]);
    }
    label *const merged = to;
    to = from;
    from = merged;
  }
  if (from != l->scratch) {
    memcpy(l->scratch, from, count * sizeof from[0]);
  }
}

/* Position of the first step of the staircase that keeps more than `kept_bytes`. */
static size_t step_above(const label *staircase, size_t count, double kept_bytes) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (staircase[middle].kept_bytes <= kept_bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Does a label count more than all kept ones that need no more bytes? Those cost no more. */
static bool counts_more(const label *kept, size_t count, const label *candidate, double *work) {
  for (size_t i = count; i-- > 0 && candidate->counted > 0;) {
    *work += 1 / MOVES_PER_WORK;
    if (kept[i].kept_bytes <= candidate->kept_bytes &&
        kept[i].transient_bytes <= candidate->transient_bytes &&
        kept[i].counted >= candidate->counted) {
      return false;
    }
  }
  return candidate->counted > 0;
}

/*
 * Removes dominated labels, in place, keeping the order by cost. All labels seen so far cost no
 * more, so one is dominated if some kept one has both bytes at most its own. The staircase holds
 * the kept ones that matter: kept bytes ascending, transient bytes descending.
 */
static size_t remove_dominated(label *labels, size_t count, label *staircase, double *work) {
  size_t kept = 0;
  size_t steps = 0;
  for (size_t i = 0; i < count; i++) {
    const label candidate = labels[i];
    const size_t at = step_above(staircase, steps, candidate.kept_bytes);
    if (at > 0 && staircase[at - 1].transient_bytes <= candidate.transient_bytes) {
      if (!counts_more(labels, kept, &candidate, work)) {
        continue;
      }
      labels[kept++] = candidate;
      continue;
    }
    size_t end = at;
    while (end < steps && staircase[end].transient_bytes >= candidate.transient_bytes) {
      end++;
    }
    *work += (double)(steps - end) / MOVES_PER_WORK;
    memmove(&staircase[at + 1], &staircase[end], (steps - end) * sizeof staircase[0]);
    staircase[at] = candidate;
    steps = steps - (end - at) + 1;
    labels[kept++] = candidate;
  }
  return kept;
}

/* Puts the candidates in order, without those dominated. */
static size_t tidy(const dsm__graph_labels *l, size_t count) {
  double *const work = &l->relaxed->work;
  *work += WORK_PER_SORTED * (double)count;
  sort_candidates(l, count);
  return l->effort.is_dominance_on ? remove_dominated(l->scratch, count, l->staircase, work)
                                   : count;
}

/* Candidates of a node from the labels of those it leads to. False if there are too many. */
static bool extend(dsm__graph_labels *l, size_t v, size_t *count) {
  const dsm__graph *const graph = l->relaxed->graph;
  *count = 0;
  for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
    const dsm__graph_edge *const edge = &graph->edges[e];
    const dsm__graph_node *const to = &graph->nodes[edge->to];
    const label_list *const tails = &l->lists[edge->to];
    const size_t counted = dsm__graph_counted(graph, edge);
    l->relaxed->work += (double)tails->count;
    for (size_t i = 0; i < tails->count; i++) {
      const label *const tail = &tails->labels[i];
      const label candidate = {edge->cost + tail->cost, to->kept_bytes + tail->kept_bytes,
                               dsm__graph_larger(to->transient_bytes, tail->transient_bytes),
                               tail->counted + counted};
      if (!is_promising(l, v, &candidate)) {
        continue;
      }
      if (*count == l->scratch_capacity) {
        *count = tidy(l, *count);
        if (*count > l->scratch_capacity / 2) {
          return false;
        }
      }
      l->scratch[(*count)++] = candidate;
    }
  }
  *count = tidy(l, *count);
  return true;
}

/* What a path has to be: no slower than this, and to count as much. */
typedef struct goal {
  double limit;
  size_t counted;
} goal;

/* Does some label complete what leads to its node within capacity and the goal? */
static bool has_completion(const dsm__graph_labels *l, const label_list *list, const label *so_far,
                           goal wanted) {
  for (size_t i = 0; i < list->count && so_far->cost + list->labels[i].cost <= wanted.limit; i++) {
    const label *const rest = &list->labels[i];
    const double bytes = so_far->kept_bytes + rest->kept_bytes +
                         dsm__graph_larger(so_far->transient_bytes, rest->transient_bytes);
    if (bytes <= l->relaxed->graph->capacity_bytes &&
        so_far->counted + rest->counted >= wanted.counted) {
      return true;
    }
  }
  return false;
}

/* Goes on with the path in scratch, whose sums are `so_far`, from a node to the last. False if at
 * some node rounding leaves no label that completes it. */
static bool walk_on(dsm__graph_labels *l, size_t node, label so_far, goal wanted) {
  const dsm__graph *const graph = l->relaxed->graph;
  dsm__graph_path *const path = &l->relaxed->scratch;
  for (size_t v = node; v != graph->node_count - 1;) {
    bool is_found = false;
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge && !is_found;
         e++) {
      const dsm__graph_edge *const edge = &graph->edges[e];
      const dsm__graph_node *const to = &graph->nodes[edge->to];
      const label next = {so_far.cost + edge->cost, so_far.kept_bytes + to->kept_bytes,
                          dsm__graph_larger(so_far.transient_bytes, to->transient_bytes),
                          so_far.counted + dsm__graph_counted(graph, edge)};
      if (has_completion(l, &l->lists[edge->to], &next, wanted)) {
        is_found = true;
        so_far = next;
        path->edges[path->length++] = e;
      }
    }
    if (!is_found) {
      return false;
    }
    v = graph->edges[path->edges[path->length - 1]].to;
  }
  return true;
}

/* Offers the best path that follows a head to a node and goes on as one of its labels. */
static void try_head(dsm__graph_labels *l, size_t v, dsm__graph_tree *head) {
  dsm__graph_relaxed *const r = l->relaxed;
  const label *const so_far = &head->sums[v];
  /* What is faster by rounding only is not worth a walk. */
  const goal wanted = {r->incumbent_cost * (1 - 1e-11), 0};
  for (size_t i = 0; i < l->lists[v].count; i++) {
    const label_list one = {&l->lists[v].labels[i], 1};
    if (so_far->cost + one.labels->cost >= wanted.limit) {
      return;
    }
    if (has_completion(l, &one, so_far, wanted)) {
      const dsm__graph_place place = {.run = dsm__graph_run_of(r->graph, 0), .node = v};
      dsm__graph_begin_with(r->graph, head, place, &r->scratch);
      const goal found = {dsm__tie_limit(so_far->cost + one.labels->cost), 0};
      if (walk_on(l, v, *so_far, found)) {
        dsm__graph_offer(r);
      }
      return;
    }
  }
}

/* No node has more labels than paths that follow it: a small graph needs little room. */
static void size_lists(dsm__graph_labels *l) {
  const dsm__graph *const graph = l->relaxed->graph;
  double *const paths = l->relaxed->rest;
  double all = 1;
  double most = 1;
  paths[graph->node_count - 1] = 1;
  for (size_t v = graph->node_count - 1; v-- > 0;) {
    paths[v] = 0;
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      paths[v] += paths[graph->edges[e].to];
    }
    all += paths[v];
    most = dsm__graph_larger(most, paths[v]);
  }
  l->pool_capacity = (size_t)fmin(all, (double)l->effort.labels_max + 1);
  l->scratch_capacity = (size_t)fmin(most, (double)DSM__LABELS_MAX / 8);
}

bool dsm__graph_labels_begin(dsm__graph_labels *l, dsm__graph_relaxed *relaxed,
                             dsm__graph_effort effort) {
  *l = (dsm__graph_labels){.relaxed = relaxed, .effort = effort};
  size_lists(l);
  l->scratch = malloc(l->scratch_capacity * sizeof l->scratch[0]);
  l->staircase = malloc((l->scratch_capacity + 1) * sizeof l->staircase[0]);
  l->pool = malloc(l->pool_capacity * sizeof l->pool[0]);
  l->lists = malloc(relaxed->graph->node_count * sizeof l->lists[0]);
  return l->scratch != NULL && l->staircase != NULL && l->pool != NULL && l->lists != NULL &&
         DSM__RESERVE(relaxed->arena, l->cheapest_before, relaxed->graph->node_count) &&
         DSM__RESERVE(relaxed->arena, l->priced_before, relaxed->graph->node_count) &&
         DSM__RESERVE(relaxed->arena, l->kept_before, relaxed->graph->node_count);
}

void dsm__graph_labels_look(dsm__graph_labels *l) {
  const dsm__graph_relaxed *const r = l->relaxed;
  const dsm__graph_price unpriced = {1, 0, r->transient_limit};
  const dsm__graph_price priced = {1, r->price, r->transient_limit};
  const dsm__graph_price kept_only = {0, 1, r->transient_limit};
  dsm__graph_sweep_forward(r->graph, unpriced, l->cheapest_before);
  dsm__graph_sweep_forward(r->graph, priced, l->priced_before);
  dsm__graph_sweep_forward(r->graph, kept_only, l->kept_before);
}

void dsm__graph_labels_free(dsm__graph_labels *l) {
  free(l->scratch);
  free(l->staircase);
  free(l->pool);
  free(l->lists);
}

/* Is the time over, or the memory full with the labels? */
static bool is_over(const dsm__graph_labels *l) {
  dsm__deadline *const deadline = l->relaxed->graph->deadline;
  return dsm__deadline_is_final_with(deadline, l->pool_count * sizeof l->pool[0]) ||
         dsm__deadline_is_over(deadline);
}

/* Nodes from the last to the first, so that all labels behind a node are complete. On the way the
 * incumbent can become better, which lowers the limit for all nodes to come; those done keep labels
 * that are too slow, which does no harm. */
bool dsm__graph_labels_make(dsm__graph_labels *l, double cost) {
  const size_t last = l->relaxed->graph->node_count - 1;
  l->limit = dsm__tie_limit(cost);
  l->pool[0] = (label){0, 0, 0, 0};
  l->lists[last] = (label_list){l->pool, 1};
  l->pool_count = 1;
  for (size_t v = last; v-- > 0;) {
    size_t count = 0;
    if (!extend(l, v, &count) || count > l->pool_capacity - l->pool_count ||
        l->relaxed->work > l->work_limit || is_over(l)) {
      return false;
    }
    l->lists[v] = (label_list){&l->pool[l->pool_count], count};
    memcpy(l->lists[v].labels, l->scratch, count * sizeof l->scratch[0]);
    l->pool_count += count;
    for (int h = 0; h < DSM__GRAPH_HEADS; h++) {
      try_head(l, v, &l->relaxed->heads[h]);
    }
    l->limit = fmin(l->limit, dsm__tie_limit(dsm__graph_known(l->relaxed)));
  }
  return true;
}

static label start_of(const dsm__graph *graph) {
  return (label){0, graph->nodes[0].kept_bytes, graph->nodes[0].transient_bytes, 0};
}

double dsm__graph_labels_best(const dsm__graph_labels *l) {
  const label start = start_of(l->relaxed->graph);
  for (size_t i = 0; i < l->lists[0].count; i++) {
    const label_list one = {&l->lists[0].labels[i], 1};
    if (has_completion(l, &one, &start, (goal){HUGE_VAL, 0})) {
      return one.labels->cost;
    }
  }
  return HUGE_VAL;
}

/* What a path that fits and is within the limit counts at most. */
static size_t most_counted(const dsm__graph_labels *l, double limit) {
  const label start = start_of(l->relaxed->graph);
  size_t most = 0;
  for (size_t i = 0; i < l->lists[0].count; i++) {
    const label_list one = {&l->lists[0].labels[i], 1};
    if (one.labels->counted > most && has_completion(l, &one, &start, (goal){limit, 0})) {
      most = one.labels->counted;
    }
  }
  return most;
}

bool dsm__graph_labels_walk(dsm__graph_labels *l, double limit) {
  const dsm__graph *const graph = l->relaxed->graph;
  l->relaxed->scratch.length = 0;
  return walk_on(l, 0, start_of(graph), (goal){limit, most_counted(l, limit)}) &&
         dsm__graph_bytes(dsm__graph_sum(graph, &l->relaxed->scratch)) <= graph->capacity_bytes;
}
