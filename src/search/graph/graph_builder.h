/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph_builder.h: a graph that is built node after node, and freed of dead ends at last. */
#ifndef DSM_SEARCH_GRAPH_GRAPH_BUILDER_H
#define DSM_SEARCH_GRAPH_GRAPH_BUILDER_H

#include "base/growing_list.h"
#include "search/hold/network_graph.h"

/** A graph being built. Nodes are numbered as they are added; edges are added node after node in
 * that order, but for a group's, whose end is not yet known. */
typedef struct dsm__graph_builder {
  DSM__LIST(dsm__graph_node) nodes;
  DSM__LIST(dsm__node_info) infos; /**< of each node */
  DSM__LIST(dsm__graph_edge) edges;
  bool is_out_of_memory;
} dsm__graph_builder;

/** Adds a node; its number. */
uint32_t dsm__builder_add_node(dsm__graph_builder *builder, dsm__node_info info, double kept_bytes,
                               double transient_bytes);

/** From now on edges are those of this node, which must follow the one before. */
void dsm__builder_begin_edges(dsm__graph_builder *builder, uint32_t node);

/** Adds an edge; its index. */
size_t dsm__builder_add_edge(dsm__graph_builder *builder, uint32_t to, double cycles, uint32_t tag);

/** Copies the graph into the arena without nodes and edges that lead nowhere or that nothing leads
 * to. new_edge[edge] (room for edge_count) becomes the new index of each edge, or SIZE_MAX. The
 * first node and the last, the end, always stay. False if out of memory. */
bool dsm__builder_finish(dsm__graph_builder *builder, dsm__network_graph *graph, size_t *new_edge,
                         dsm__arena *arena);

void dsm__builder_fini(dsm__graph_builder *builder);

#endif
