/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph_builder.c: a graph that grows node by node and edge by edge, then is freed of dead ends.
 *
 * States are added before it is known whether anything leads on from them: a set of held tensors
 * may fit no layer that follows. What is on no path from the first node to the last is no part of
 * any mapping, so that taking it out changes no answer and no tie; nodes and edges that are left
 * keep their order. That the first and the last node stay, even where nothing connects them, lets
 * those who search find no path instead of no graph. A node that stands in several runs stays if it
 * is on a path in one of them.
 */
#include "search/hold/network_graph.h"

#include "base/counted_list.h"

uint32_t dsm__graph_add_node(dsm__graph_builder *builder, dsm__node_info info, double kept_bytes,
                             double transient_bytes) {
  if (builder->is_out_of_memory || builder->nodes.count >= UINT32_MAX ||
      !DSM__LIST_RESERVE_COUNTED(&builder->nodes, 1, builder->bytes) ||
      !DSM__LIST_RESERVE_COUNTED(&builder->infos, 1, builder->bytes)) {
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

size_t dsm__graph_add_edge(dsm__graph_builder *builder, uint32_t to, double cost, uint32_t tag) {
  if (builder->is_out_of_memory || !DSM__LIST_RESERVE_COUNTED(&builder->edges, 1, builder->bytes)) {
    builder->is_out_of_memory = true;
    return 0;
  }
  builder->edges.items[builder->edges.count] =
      (dsm__graph_edge){.cost = cost, .to = to, .tag = tag};
  return builder->edges.count++;
}

/* Puts nodes that are in no run yet, up to `end`, in one. */
static bool close_run(dsm__graph_builder *builder, size_t end) {
  if (builder->in_runs == end) {
    return true;
  }
  if (!DSM__LIST_RESERVE_COUNTED(&builder->runs, 1, builder->bytes)) {
    return false;
  }
  builder->runs.items[builder->runs.count++] = (dsm__graph_run){.first = builder->in_runs,
                                                                .end = end,
                                                                .entries = builder->entries,
                                                                .layers = builder->repeated_layers};
  builder->node_count += end - builder->in_runs;
  builder->in_runs = end;
  return true;
}

bool dsm__graph_repeat(dsm__graph_builder *builder, size_t first, size_t end, size_t entries,
                       size_t layers) {
  if (!close_run(builder, end) || !DSM__LIST_RESERVE_COUNTED(&builder->runs, 1, builder->bytes) ||
      builder->node_count + (end - first) >= UINT32_MAX) {
    return false;
  }
  builder->repeated_layers += layers;
  builder->node_count += end - first;
  builder->entries = entries;
  builder->runs.items[builder->runs.count++] = (dsm__graph_run){
      .first = first, .end = end, .entries = entries, .layers = builder->repeated_layers};
  return true;
}

static size_t last_edge(const dsm__graph_builder *builder, size_t node) {
  return node + 1 < builder->nodes.count ? builder->nodes.items[node + 1].first_edge
                                         : builder->edges.count;
}

/* Where the numbers of a run begin. */
static void set_shifts(dsm__graph_run *runs, size_t count, const dsm__graph_node *nodes) {
  size_t node = 0;
  size_t edge = 0;
  for (size_t r = 0; r < count; r++) {
    runs[r].shift = node - runs[r].first;
    runs[r].edge_shift = edge - nodes[runs[r].first].first_edge;
    node += runs[r].end - runs[r].first;
    edge += nodes[runs[r].end].first_edge - nodes[runs[r].first].first_edge;
  }
}

/* The first nodes of a run, and those that stand for them behind the run before, stay together. */
static void agree(const dsm__graph_builder *builder, bool *is_live) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (size_t r = 1; r < builder->runs.count; r++) {
      const dsm__graph_run *const run = &builder->runs.items[r];
      bool *const own = &is_live[run->first];
      bool *const other = &is_live[run[-1].end];
      for (size_t i = 0; i < run->entries; i++) {
        is_changed = is_changed || own[i] != other[i];
        own[i] = other[i] = own[i] || other[i];
      }
    }
  }
}

/*
 * Marks the stored nodes that are on some path from the first to the last in some run. `is_on` has
 * room for twice the nodes of all runs.
 *
 * Edges lead to higher numbers, so one sweep forward tells what the first node reaches, and one
 * back what reaches the last.
 */
static void mark(const dsm__graph_builder *builder, bool *is_live, bool *is_on) {
  const size_t count = builder->node_count;
  bool *const is_reached = is_on + count;
  is_reached[0] = true;
  for (size_t r = 0; r < builder->runs.count; r++) {
    const dsm__graph_run *const run = &builder->runs.items[r];
    bool *const own = &is_reached[run->shift];
    for (size_t v = run->first; v < run->end; v++) {
      for (size_t e = builder->nodes.items[v].first_edge; own[v] && e < last_edge(builder, v);
           e++) {
        own[builder->edges.items[e].to] = true;
      }
    }
  }
  is_on[count - 1] = true;
  for (size_t r = builder->runs.count; r-- > 0;) {
    const dsm__graph_run *const run = &builder->runs.items[r];
    bool *const own = &is_on[run->shift];
    for (size_t v = run->end; v-- > run->first;) {
      for (size_t e = builder->nodes.items[v].first_edge; e < last_edge(builder, v); e++) {
        own[v] = own[v] || own[builder->edges.items[e].to];
      }
      is_live[v] = is_live[v] || (own[v] && is_reached[v + run->shift]);
    }
  }
  is_live[0] = is_live[builder->nodes.count - 1] = true;
  agree(builder, is_live);
}

/* The runs in the arena, by new numbers of nodes; none if there is but one. */
static bool copy_runs(const dsm__graph_builder *builder, const uint32_t *new_node,
                      dsm__graph *graph, dsm__arena *arena) {
  const size_t count = builder->runs.count;
  dsm__graph_run *const runs = dsm__arena_array(arena, count, sizeof *runs);
  if (runs == NULL) {
    return false;
  }
  for (size_t r = 0; r < count; r++) {
    const dsm__graph_run *const old = &builder->runs.items[r];
    runs[r] = *old;
    runs[r].first = new_node[old->first];
    runs[r].end = new_node[old->end];
    runs[r].entries = new_node[old->first + old->entries] - new_node[old->first];
  }
  set_shifts(runs, count, graph->nodes);
  if (count > 1) {
    graph->runs = runs;
    graph->run_count = count;
    graph->node_count = runs[count - 1].end + runs[count - 1].shift;
  }
  return true;
}

/* All nodes in runs, with numbers. */
static bool close_runs(dsm__graph_builder *builder) {
  if (!close_run(builder, builder->nodes.count)) {
    return false;
  }
  size_t node = 0;
  for (size_t r = 0; r < builder->runs.count; r++) {
    dsm__graph_run *const run = &builder->runs.items[r];
    run->shift = node - run->first;
    node += run->end - run->first;
  }
  return true;
}

bool dsm__graph_finish(dsm__graph_builder *builder, dsm__network_graph *graph, size_t *new_edge,
                       dsm__arena *arena) {
  const size_t count = builder->nodes.count;
  if (!close_runs(builder)) {
    return false;
  }
  dsm__graph_node *const nodes = dsm__arena_array(arena, count + 1, sizeof *nodes);
  dsm__node_info *const infos = dsm__arena_array(arena, count, sizeof *infos);
  dsm__graph_edge *const edges = dsm__arena_array(arena, builder->edges.count, sizeof *edges);
  bool *const is_live = dsm__arena_array(arena, count, sizeof *is_live);
  bool *const is_on = dsm__arena_array(arena, 2 * builder->node_count, sizeof *is_on);
  uint32_t *const new_node = dsm__arena_array(arena, count + 1, sizeof *new_node);
  if (nodes == NULL || infos == NULL || edges == NULL || is_live == NULL || is_on == NULL ||
      new_node == NULL) {
    return false;
  }
  mark(builder, is_live, is_on);
  uint32_t live_count = 0;
  for (size_t v = 0; v < count; v++) {
    new_node[v] = live_count;
    live_count += is_live[v] ? 1 : 0;
  }
  new_node[count] = live_count;
  size_t edge_count = 0;
  for (size_t v = 0; v < count; v++) {
    if (is_live[v]) {
      nodes[new_node[v]] = builder->nodes.items[v];
      nodes[new_node[v]].first_edge = edge_count;
      infos[new_node[v]] = builder->infos.items[v];
    }
    for (size_t e = builder->nodes.items[v].first_edge; e < last_edge(builder, v); e++) {
      const dsm__graph_edge *const edge = &builder->edges.items[e];
      const bool is_in = is_live[v] && is_live[edge->to];
      if (new_edge != NULL) {
        new_edge[e] = is_in ? edge_count : SIZE_MAX;
      }
      if (is_in) {
        edges[edge_count] = *edge;
        edges[edge_count++].to = new_node[edge->to];
      }
    }
  }
  nodes[live_count].first_edge = edge_count;
  graph->infos = infos;
  graph->edges = edges;
  graph->graph = (dsm__graph){.nodes = nodes, .node_count = live_count, .edges = edges};
  return copy_runs(builder, new_node, &graph->graph, arena);
}

void dsm__graph_builder_fini(dsm__graph_builder *builder) {
  DSM__LIST_FREE_COUNTED(&builder->nodes, builder->bytes);
  DSM__LIST_FREE_COUNTED(&builder->infos, builder->bytes);
  DSM__LIST_FREE_COUNTED(&builder->edges, builder->bytes);
  DSM__LIST_FREE_COUNTED(&builder->runs, builder->bytes);
  *builder = (dsm__graph_builder){.bytes = builder->bytes};
}
