/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/through.h"

#include "plan/tolerance.h"

/* Does an edge run the layer? Fills how. */
static bool is_way(const dsm__problem *problem, const dsm__network_graph *network, size_t node,
                   const dsm__graph_edge *edge, size_t layer_index, dsm__way *way) {
  const dsm__node_info *const info = &network->infos[node];
  if (info->kind == DSM__NODE_GROUP) {
    const dsm__group *const group = &problem->groups.items[edge->tag];
    if (layer_index < group->first_layer ||
        layer_index >= group->first_layer + group->layer_count) {
      return false;
    }
    way->layouts = dsm_pass_layouts_uniform(group->parallelisms[layer_index - group->first_layer]);
    way->is_pipelined = true;
    return true;
  }
  if ((info->kind != DSM__NODE_ENTRY && info->kind != DSM__NODE_HELD) ||
      info->layer != layer_index) {
    return false;
  }
  const dsm__layer_step step = dsm__step_unpack(edge->tag);
  way->layouts = (dsm_pass_layouts){
      {(dsm_parallelism)info->forward, (dsm_parallelism)info->backward, step.update}};
  way->factor_index = step.factor_index;
  way->is_output_held = step.is_output_held;
  return true;
}

/* For each node the edge over which `before` is reached; the first of equals. */
static void find_edges_into(dsm__through *through, const double *before) {
  const dsm__graph *const graph = &through->network->graph;
  for (size_t v = 0; v < graph->node_count; v++) {
    through->best_edge_into[v] = SIZE_MAX;
  }
  for (size_t v = 0; v < graph->node_count; v++) {
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      const uint32_t to = graph->edges[e].to;
      if (through->best_edge_into[to] == SIZE_MAX &&
          before[v] + graph->edges[e].cycles <= dsm__equal_to(before[to])) {
        through->best_edge_into[to] = e;
      }
    }
  }
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
        way.cycles = before[v] + edge->cycles + through->rest[edge->to];
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
  through->rest = dsm__arena_array(arena, count, sizeof through->rest[0]);
  through->best_edge_into = dsm__arena_array(arena, count, sizeof through->best_edge_into[0]);
  if (before == NULL || through->rest == NULL || through->best_edge_into == NULL) {
    return false;
  }
  dsm__graph_rest(&network->graph, 0, through->rest);
  dsm__graph_before(&network->graph, 0, before);
  find_edges_into(through, before);
  through->way_count = for_each_way(through, problem, layer_index, before);
  through->ways = dsm__arena_array(arena, through->way_count, sizeof through->ways[0]);
  if (through->ways == NULL) {
    return false;
  }
  for_each_way(through, problem, layer_index, before);
  return true;
}

static void note_edge(const dsm__through *through, size_t from, size_t edge, bool *is_held) {
  const dsm__node_info *const info = &through->network->infos[from];
  if (info->kind == DSM__NODE_ENTRY || info->kind == DSM__NODE_HELD) {
    is_held[info->layer] = dsm__step_unpack(through->network->graph.edges[edge].tag).is_output_held;
  }
}

/* The node that an edge leaves. */
static size_t node_of_edge(const dsm__graph *graph, size_t edge) {
  size_t low = 0;
  size_t high = graph->node_count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (graph->nodes[middle].first_edge <= edge) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void dsm__through_held(const dsm__through *through, const dsm__way *way, bool *is_held) {
  const dsm__graph *const graph = &through->network->graph;
  size_t node = way->from;
  note_edge(through, node, way->edge, is_held);
  while (node != 0) {
    const size_t edge = through->best_edge_into[node];
    node = node_of_edge(graph, edge);
    note_edge(through, node, edge, is_held);
  }
  node = graph->edges[way->edge].to;
  while (node + 1 < graph->node_count) {
    size_t e = graph->nodes[node].first_edge;
    while (graph->edges[e].cycles + through->rest[graph->edges[e].to] >
           dsm__equal_to(through->rest[node])) {
      e++;
    }
    note_edge(through, node, e, is_held);
    node = graph->edges[e].to;
  }
}
