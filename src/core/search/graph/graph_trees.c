/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_trees.c: cheapest paths from the first node to each, and from each to the last.
 *
 * A path through a run depends on what lies before it by its entries alone, and on what lies behind
 * by the entries of the next run. So these are kept, and the nodes of a run are swept again when
 * they are asked for: the same sums in the same order, and so the same numbers. A graph in one run
 * is swept once.
 */
#include <math.h>
#include <string.h>

#include "search/graph/graph_limited.h"

/* How many nodes of the next run edges of a run lead to. */
static size_t entries_behind(const dsm__graph *graph, size_t run) {
  return run + 1 < dsm__graph_run_count(graph) ? graph->runs[run + 1].entries : 0;
}

static size_t most_entries(const dsm__graph *graph) {
  size_t most = 0;
  for (size_t r = 0; r < graph->run_count; r++) {
    most = graph->runs[r].entries > most ? graph->runs[r].entries : most;
  }
  return most;
}

static dsm__graph_sums *entries_of(const dsm__graph *graph, const dsm__graph_tree *tree,
                                   size_t run) {
  return &tree->entries[run * most_entries(graph)];
}

bool dsm__graph_tree_allocate(const dsm__graph *graph, dsm__arena *arena, dsm__graph_tree *tree) {
  size_t most = 0;
  for (size_t r = 0; r < dsm__graph_run_count(graph); r++) {
    const dsm__graph_run run = dsm__graph_run_of(graph, r);
    const size_t count = run.end - run.first + entries_behind(graph, r);
    most = count > most ? count : most;
  }
  tree->run = DSM__GRAPH_NO_RUN;
  return DSM__RESERVE(arena, tree->sums, most) && DSM__RESERVE(arena, tree->edges, most) &&
         DSM__RESERVE(arena, tree->from, most) &&
         DSM__RESERVE(arena, tree->entries, dsm__graph_run_count(graph) * most_entries(graph));
}

void dsm__graph_plant_head(dsm__graph_tree *head, double price, double transient_limit) {
  head->price = price;
  head->transient_limit = transient_limit;
  head->run = DSM__GRAPH_NO_RUN;
}

void dsm__graph_load_head(const dsm__graph *graph, dsm__graph_tree *head, size_t index) {
  const dsm__graph_run run = dsm__graph_run_of(graph, index);
  const size_t count = run.end - run.first;
  const size_t behind = entries_behind(graph, index);
  if (head->run == index) {
    return;
  }
  for (size_t i = run.entries; i < count + behind; i++) {
    head->sums[i] = (dsm__graph_sums){HUGE_VAL, 0, 0, 0};
  }
  if (index == 0) {
    head->sums[0] = (dsm__graph_sums){0, 0, 0, 0};
  } else {
    memcpy(head->sums, entries_of(graph, head, index), run.entries * sizeof head->sums[0]);
  }
  for (size_t i = 0; i < count; i++) {
    const dsm__graph_node *const node = &graph->nodes[run.first + i];
    dsm__graph_sums *const own = &head->sums[i];
    own->cost = node->transient_bytes <= head->transient_limit ? own->cost : HUGE_VAL;
    own->kept_bytes += node->kept_bytes;
    own->transient_bytes = dsm__graph_larger(own->transient_bytes, node->transient_bytes);
    const double cost = own->cost + head->price * own->kept_bytes;
    for (size_t e = node->first_edge; e < (node + 1)->first_edge; e++) {
      const dsm__graph_edge *const edge = &graph->edges[e];
      const size_t to = edge->to - run.first;
      dsm__graph_sums *const next = &head->sums[to];
      if (cost + edge->cost < next->cost + head->price * next->kept_bytes) {
        *next = *own;
        next->cost += edge->cost;
        head->edges[to] = e + run.edge_shift;
        head->from[to] = (uint32_t)i;
      }
    }
  }
  if (behind > 0) {
    memcpy(entries_of(graph, head, index + 1), &head->sums[count], behind * sizeof head->sums[0]);
  }
  head->run = index;
}

/* Of a node, its own bytes left out. */
static dsm__graph_sums least_behind(const dsm__graph *graph, dsm__graph_tree *tail,
                                    const dsm__graph_run *run, size_t v) {
  dsm__graph_sums best = {HUGE_VAL, 0, 0, 0};
  for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
    const dsm__graph_edge *const edge = &graph->edges[e];
    const dsm__graph_node *const to = &graph->nodes[edge->to];
    const dsm__graph_sums *const next = &tail->sums[edge->to - run->first];
    const dsm__graph_sums sums = {next->cost + edge->cost, next->kept_bytes + to->kept_bytes,
                                  dsm__graph_larger(next->transient_bytes, to->transient_bytes), 0};
    if (to->transient_bytes <= tail->transient_limit &&
        sums.cost + tail->price * sums.kept_bytes < best.cost + tail->price * best.kept_bytes) {
      best = sums;
      tail->edges[v - run->first] = e + run->edge_shift;
    }
  }
  return best;
}

void dsm__graph_load_tail(const dsm__graph *graph, dsm__graph_tree *tail, size_t index) {
  const dsm__graph_run run = dsm__graph_run_of(graph, index);
  const size_t count = run.end - run.first;
  const size_t behind = entries_behind(graph, index);
  if (tail->run == index) {
    return;
  }
  if (behind > 0) {
    memcpy(&tail->sums[count], entries_of(graph, tail, index + 1), behind * sizeof tail->sums[0]);
  }
  for (size_t v = run.end; v-- > run.first;) {
    tail->sums[v - run.first] = v + run.shift == graph->node_count - 1
                                    ? (dsm__graph_sums){0, 0, 0, 0}
                                    : least_behind(graph, tail, &run, v);
  }
  if (run.entries > 0) {
    memcpy(entries_of(graph, tail, index), tail->sums, run.entries * sizeof tail->sums[0]);
  }
  tail->run = index;
}

void dsm__graph_plant_tail(const dsm__graph *graph, dsm__graph_tree *tail, double price,
                           double transient_limit) {
  tail->price = price;
  tail->transient_limit = transient_limit;
  tail->run = DSM__GRAPH_NO_RUN;
  for (size_t r = dsm__graph_run_count(graph); r-- > 0;) {
    dsm__graph_load_tail(graph, tail, r);
  }
}

static void turn_round(dsm__graph_path *path) {
  for (size_t i = 0; i < path->length / 2; i++) {
    const size_t edge = path->edges[i];
    path->edges[i] = path->edges[path->length - 1 - i];
    path->edges[path->length - 1 - i] = edge;
  }
}

void dsm__graph_begin_with(const dsm__graph *graph, dsm__graph_tree *head, dsm__graph_place place,
                           dsm__graph_path *path) {
  size_t index = place.run_index;
  size_t node = place.node - place.run.first;
  path->length = 0;
  while (index > 0 || node > 0) {
    const dsm__graph_run run = dsm__graph_run_of(graph, index);
    if (index > 0 && node < run.entries) { /* the run before knows how it is reached */
      const dsm__graph_run before = graph->runs[--index];
      node += before.end - before.first;
    }
    dsm__graph_load_head(graph, head, index);
    path->edges[path->length++] = head->edges[node];
    node = head->from[node];
  }
  turn_round(path);
}

void dsm__graph_end_with(const dsm__graph *graph, dsm__graph_tree *tail, dsm__graph_place place,
                         dsm__graph_path *path) {
  while (!dsm__graph_is_last(graph, place)) {
    dsm__graph_load_tail(graph, tail, place.run_index);
    const size_t edge = tail->edges[place.node - place.run.first];
    path->edges[path->length++] = edge;
    place = dsm__graph_behind(graph, place, dsm__graph_edge_at(graph, place, edge));
  }
}
