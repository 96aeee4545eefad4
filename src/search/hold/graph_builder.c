/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_builder.c: a graph that grows node by node and edge by edge, then is freed of dead ends.
 *
 * States are added before it is known whether anything leads on from them: a set of held tensors
 * may fit no layer that follows. What is on no path from the first node to the last is no part of
 * any mapping, so that taking it out changes no answer and no tie; nodes and edges that are left
 * keep their order. That the first and the last node stay, even where nothing connects them, lets
 * those who search find no path instead of no graph.
 */
#include "search/hold/network_graph.h"

#include <stdlib.h>

uint32_t dsm__graph_add_node(dsm__graph_builder *builder, dsm__node_info info, double kept_bytes,
                             double transient_bytes) {
  if (builder->is_out_of_memory || builder->nodes.count >= UINT32_MAX ||
      !DSM__LIST_RESERVE(&builder->nodes, 1) || !DSM__LIST_RESERVE(&builder->infos, 1)) {
    builder->is_out_of_memory = true;
    return 0;
  }
  builder->infos.items[builder->infos.count++] = info;
  builder->nodes.items[builder->nodes.count] =
      (dsm__graph_node){.kept_bytes = kept_bytes, .transient_bytes = transient_bytes};
  return (uint32_t)builder->nodes.count++;
}

void dsm__graph_begin_edges(dsm__graph_builder *builder, uint32_t node) {
  if (!builder->is_out_of_memory) {
    builder->nodes.items[node].first_edge = builder->edges.count;
  }
}

size_t dsm__graph_add_edge(dsm__graph_builder *builder, uint32_t to, double cycles, uint32_t tag) {
  if (builder->is_out_of_memory || !DSM__LIST_RESERVE(&builder->edges, 1)) {
    builder->is_out_of_memory = true;
    return 0;
  }
  builder->edges.items[builder->edges.count] =
      (dsm__graph_edge){.cycles = cycles, .to = to, .tag = tag};
  return builder->edges.count++;
}

bool dsm__graph_repeat(dsm__graph_builder *builder, size_t first, size_t end, size_t open,
                       size_t layers) {
  const size_t shift = end - first;
  const size_t first_edge = builder->nodes.items[first].first_edge;
  const size_t edge_count = builder->edges.count - first_edge;
  if (builder->nodes.count + shift >= UINT32_MAX || !DSM__LIST_RESERVE(&builder->nodes, shift) ||
      !DSM__LIST_RESERVE(&builder->infos, shift) ||
      !DSM__LIST_RESERVE(&builder->edges, edge_count)) {
    return false;
  }
  for (size_t v = first + open; v < end + open; v++) {
    builder->nodes.items[v + shift] = builder->nodes.items[v];
    builder->infos.items[v + shift] = builder->infos.items[v];
    builder->infos.items[v + shift].layer += (uint32_t)layers;
  }
  for (size_t v = first; v < end; v++) {
    builder->nodes.items[v + shift].first_edge = builder->nodes.items[v].first_edge + edge_count;
  }
  for (size_t e = 0; e < edge_count; e++) {
    dsm__graph_edge edge = builder->edges.items[first_edge + e];
    edge.to += (uint32_t)shift;
    builder->edges.items[builder->edges.count + e] = edge;
  }
  builder->nodes.count += shift;
  builder->infos.count += shift;
  builder->edges.count += edge_count;
  return true;
}

static size_t last_edge(const dsm__graph_builder *builder, size_t node) {
  return node + 1 < builder->nodes.count ? builder->nodes.items[node + 1].first_edge
                                         : builder->edges.count;
}

/*
 * Marks the nodes on some path from the first to the last.
 *
 * Edges lead to higher indices, so one sweep forward tells what the first node reaches, and one
 * back what reaches the last.
 */
static void mark(const dsm__graph_builder *builder, bool *is_live) {
  const size_t count = builder->nodes.count;
  bool *const is_reached = is_live + count;
  is_reached[0] = true;
  for (size_t v = 0; v < count; v++) {
    for (size_t e = builder->nodes.items[v].first_edge; is_reached[v] && e < last_edge(builder, v);
         e++) {
      is_reached[builder->edges.items[e].to] = true;
    }
  }
  is_live[count - 1] = true;
  for (size_t v = count - 1; v-- > 0;) {
    for (size_t e = builder->nodes.items[v].first_edge; e < last_edge(builder, v); e++) {
      is_live[v] = is_live[v] || is_live[builder->edges.items[e].to];
    }
  }
  for (size_t v = 0; v < count; v++) {
    is_live[v] = (is_live[v] && is_reached[v]) || v == 0 || v + 1 == count;
  }
}

bool dsm__graph_finish(dsm__graph_builder *builder, dsm__network_graph *graph, size_t *new_edge,
                       dsm__arena *arena) {
  const size_t count = builder->nodes.count;
  dsm__graph_node *const nodes = dsm__arena_array(arena, count + 1, sizeof *nodes);
  dsm__node_info *const infos = dsm__arena_array(arena, count, sizeof *infos);
  dsm__graph_edge *const edges = dsm__arena_array(arena, builder->edges.count, sizeof *edges);
  bool *const is_live = dsm__arena_array(arena, 2 * count, sizeof *is_live);
  uint32_t *const new_node = dsm__arena_array(arena, count, sizeof *new_node);
  if (nodes == NULL || infos == NULL || edges == NULL || is_live == NULL || new_node == NULL) {
    return false;
  }
  mark(builder, is_live);
  uint32_t live_count = 0;
  for (size_t v = 0; v < count; v++) {
    new_node[v] = live_count;
    live_count += is_live[v] ? 1 : 0;
  }
  size_t edge_count = 0;
  for (size_t v = 0; v < count; v++) {
    if (is_live[v]) {
      nodes[new_node[v]] = builder->nodes.items[v];
      nodes[new_node[v]].first_edge = edge_count;
      infos[new_node[v]] = builder->infos.items[v];
    }
    for (size_t e = builder->nodes.items[v].first_edge; e < last_edge(builder, v); e++) {
      const dsm__graph_edge *const edge = &builder->edges.items[e];
      new_edge[e] = SIZE_MAX;
      if (is_live[v] && is_live[edge->to]) {
        edges[edge_count] = *edge;
        edges[edge_count].to = new_node[edge->to];
        new_edge[e] = edge_count++;
      }
    }
  }
  nodes[live_count].first_edge = edge_count;
  graph->infos = infos;
  graph->edges = edges;
  graph->graph = (dsm__graph){.nodes = nodes, .node_count = live_count, .edges = edges};
  return true;
}

void dsm__graph_builder_fini(dsm__graph_builder *builder) {
  free(builder->nodes.items);
  free(builder->infos.items);
  free(builder->edges.items);
  *builder = (dsm__graph_builder){.is_out_of_memory = false};
}
