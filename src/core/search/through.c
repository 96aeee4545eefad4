/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * through.c: the best mapping over each edge that runs a layer.
 *
 * With the least cost from the first node to each node and from each node to the last, the best
 * path over an edge takes what leads to it, the edge, and what follows: O(edges) for all edges
 * together. Which outputs that path holds is found by following it, first from the edge to the end
 * by the sweep that is there, and then from the first node to the edge by a sweep that ends at the
 * edge instead of the last node; ties are broken as in the search.
 */
#include "search/explain_internal.h"

#include <math.h>
#include <stdlib.h>

#include "plan/tolerance.h"

uint64_t dsm__way_value(const dsm__way *way, dsm_decision decision) {
  switch (decision) {
  case DSM_DECISION_OUTPUT_HELD:
    return way->is_output_held;
  case DSM_DECISION_DYSM_FACTOR:
    return way->is_hoisted ? 1 : dsm__factor_of(way->factor_index);
  case DSM_DECISION_HOISTED:
    return way->is_hoisted;
  case DSM_DECISION_PIPELINED:
  case DSM_DECISION_SHARD:
  case DSM_DECISION_RECOMPUTED:
  case DSM_DECISION_MICRO_BATCHES:
  case DSM_DECISION_STAGES:
  case DSM_DECISION_SHARDED_LAYERS:
  case DSM_DECISION_RECOMPUTED_LAYERS:
  case DSM_DECISION_COUNT:
    break;
  }
  return way->is_pipelined;
}

/* Does an edge run the layer? Fills how. */
static bool is_way(const dsm__problem *problem, const dsm__network_graph *network, size_t node,
                   const dsm__graph_edge *edge, size_t layer_index, dsm__way *way) {
  const dsm__node_info *const info = &network->infos[node];
  if (info->kind == DSM__NODE_GROUP) {
    const dsm__pipeline_group *const group = &problem->found->groups.items[edge->tag];
    if (layer_index < group->first_layer ||
        layer_index >= group->first_layer + group->layer_count) {
      return false;
    }
    way->layouts = dsm_pass_layouts_uniform(group->parallelisms[layer_index - group->first_layer]);
    way->is_pipelined = true;
    return true;
  }
  if (!dsm__network_is_layer(info) || info->layer != layer_index) {
    return false;
  }
  const dsm__layer_step step = dsm__network_step_unpack(edge->tag);
  way->layouts = (dsm_pass_layouts){
      {(dsm_parallelism)info->forward, (dsm_parallelism)info->backward, step.update}};
  way->factor_index = step.factor_index;
  way->is_hoisted =
      dsm__is_run_hoisted(&problem->inputs.workload->layers[layer_index], step.factor_index);
  way->is_output_held = step.is_output_held;
  return true;
}

static size_t for_each_way(dsm__through *through, const dsm__problem *problem, size_t layer_index,
                           const double *before) {
  const dsm__graph *const graph = &through->network->graph;
  size_t count = 0;
  for (size_t v = 0; v < graph->node_count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const dsm__graph_edge *const edge = &graph->edges[e];
      dsm__way way = {.edge = e, .from = (uint32_t)v};
      if (!is_way(problem, through->network, v, edge, layer_index, &way)) {
        continue;
      }
      if (through->ways != NULL) {
        way.cycles = before[v] + edge->cost + through->rest[edge->to];
        through->ways[count] = way;
      }
      count++;
    }
  }
  return count;
}

bool dsm__through_derive(dsm__through *through, const dsm__problem *problem,
                         const dsm__network_graph *network, size_t layer_index, dsm__arena *arena) {
  const size_t count = network->graph.node_count;
  *through = (dsm__through){.network = network};
  double *const before = dsm__arena_array(arena, count, sizeof *before);
  if (before == NULL || !DSM__RESERVE(arena, through->rest, count) ||
      !DSM__RESERVE(arena, through->rest_to, count)) {
    return false;
  }
  dsm__graph_rest(&network->graph, through->rest);
  dsm__graph_before(&network->graph, before);
  through->way_count = for_each_way(through, problem, layer_index, before);
  if (!DSM__RESERVE(arena, through->ways, through->way_count)) {
    return false;
  }
  for_each_way(through, problem, layer_index, before);
  return true;
}

static void note_edge(const dsm__through *through, size_t from, size_t edge, bool *is_held) {
  const dsm__node_info *const info = &through->network->infos[from];
  if (dsm__network_is_layer(info)) {
    is_held[info->layer] =
        dsm__network_step_unpack(through->network->graph.edges[edge].tag).is_output_held;
  }
}

/* Follows the fastest path that counts most, where that is preferred. False if out of memory. */
static bool follow_most(const dsm__through *through, size_t from, size_t to, const double *rest,
                        bool *is_held) {
  const dsm__graph *const graph = &through->network->graph;
  dsm__graph_path path = {malloc((to - from + 1) * sizeof path.edges[0]), 0};
  const bool is_found = path.edges != NULL && dsm__graph_most(graph, from, to, rest, &path);
  size_t node = from;
  for (size_t i = 0; is_found && i < path.length; i++) {
    note_edge(through, node, path.edges[i], is_held);
    node = graph->edges[path.edges[i]].to;
  }
  free(path.edges);
  return is_found;
}

/*
 * Follows the first of the fastest paths from a node to another, given the cost of the rest.
 * False if out of memory.
 *
 * Where equally fast paths are to count most, the first edge within the limit need not lead to one
 * of these, so that the path is found from the end (graph_most.c).
 */
static bool follow(const dsm__through *through, size_t from, size_t to, const double *rest,
                   bool *is_held) {
  const dsm__graph *const graph = &through->network->graph;
  if (graph->is_counting) {
    return follow_most(through, from, to, rest, is_held);
  }
  size_t node = from;
  while (node != to) {
    size_t e = graph->nodes[node].first_edge;
    while (graph->edges[e].to > to ||
           graph->edges[e].cost + rest[graph->edges[e].to] > dsm__tie_limit(rest[node])) {
      e++;
    }
    note_edge(through, node, e, is_held);
    node = graph->edges[e].to;
  }
  return true;
}

bool dsm__through_held(const dsm__through *through, const dsm__way *way, bool *is_held) {
  const dsm__graph *const graph = &through->network->graph;
  double *const rest_to = through->rest_to;
  rest_to[way->from] = 0;
  for (size_t v = way->from; v-- > 0;) {
    rest_to[v] = HUGE_VAL;
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const dsm__graph_edge *const edge = &graph->edges[e];
      if (edge->to <= way->from) {
        rest_to[v] = fmin(rest_to[v], edge->cost + rest_to[edge->to]);
      }
    }
  }
  note_edge(through, way->from, way->edge, is_held);
  return follow(through, 0, way->from, rest_to, is_held) &&
         follow(through, graph->edges[way->edge].to, graph->node_count - 1, through->rest, is_held);
}
