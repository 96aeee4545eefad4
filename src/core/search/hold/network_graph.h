/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * network_graph.h: all mappings of a network as paths through a graph (section 13).
 *
 * The state between two layers is what later costs depend on: the parallelisms of the layer before
 * (a pair: forward, backward) while nothing is held; nothing at all after a pipeline group; and the
 * parallelism, DySM factor and set of live held tensors while something is held. Layers are edges
 * from state to state, and so are relayouts and whole pipeline groups.
 */
#ifndef DSM_SEARCH_HOLD_NETWORK_GRAPH_H
#define DSM_SEARCH_HOLD_NETWORK_GRAPH_H

#include "base/growing_list.h"
#include "search/graph/graph.h"
#include "search/hold/held_sets.h"
#include "search/layer_table.h"
#include "search/pipeline/pipelines.h"

/** What a node of the graph stands for. */
typedef enum dsm__node_kind {
  DSM__NODE_OPEN = 0, /**< after the layer before `layer`; nothing is held */
  DSM__NODE_FREE,     /**< at the start, and after a pipeline group: no relayout follows */
  DSM__NODE_MIDDLE,   /**< forward laid out for `layer`, errors still to be */
  DSM__NODE_ENTRY,    /**< laid out for `layer`; nothing is held */
  DSM__NODE_HELD,     /**< something is held while `layer` runs */
  DSM__NODE_GROUP,    /**< a pipeline group begins with `layer` */
  DSM__NODE_END
} dsm__node_kind;

typedef struct dsm__node_info {
  uint32_t layer;
  uint8_t kind;
  uint8_t forward; /**< parallelisms */
  uint8_t backward;
  uint8_t factor_index; /**< while something is held */
  dsm__held_set needed; /**< held tensors that a later layer can still read as its input; only where
                             the model has layouts */
} dsm__node_info;

/** Does a layer run by itself, not in a group, on the edges out of a node? */
static inline bool dsm__network_is_layer(const dsm__node_info *info) {
  return info->kind == DSM__NODE_ENTRY || info->kind == DSM__NODE_HELD;
}

/** What an edge out of an entry or held node decides; packed into its tag. */
typedef struct dsm__layer_step {
  dsm_parallelism update;
  unsigned factor_index;
  bool is_output_held;
  uint32_t layout; /**< of a held output: its index among all, in a graph with layouts */
} dsm__layer_step;

uint32_t dsm__network_step_pack(const dsm__layer_step *step);
dsm__layer_step dsm__network_step_unpack(uint32_t tag);

/** What to build. */
typedef struct dsm__graph_request {
  const dsm__layer_table *table; /**< with choices */
  const dsm__factors *factors;
  const dsm__pipeline_groups *groups;
  const dsm__held_lives *lives; /**< NULL: nothing can be held */
  bool is_merging_off;          /**< for tests: sets of held tensors that are alike stay apart */
  bool is_relaxed;              /**< holding takes no room and always pays: a bound from below */
  /** Where holding can pay: bit f of [boundary * DSM_PARALLELISM_COUNT + parallelism] is factor
   * number f, boundary i being that before layer i. NULL: everywhere. */
  const uint64_t *worthwhile;
  bool is_priced_later;   /**< layers have an edge for each factor and update parallelism, whose
                             costs the caller sets */
  bool has_group_bounds;  /**< groups cost their bounds: a bound from below */
  size_t explained_layer; /**< has an edge for each factor and update parallelism; SIZE_MAX: none */
} dsm__graph_request;

typedef struct dsm__network_graph {
  dsm__graph graph;
  dsm__graph_edge *edges;      /**< of graph, while it is built */
  const dsm__node_info *infos; /**< of each node */
  dsm__holding *holdings;      /**< of each edge that is a layer, if they are priced later or the
                                    model has layouts: for these */
  bool is_cut;                 /**< too many sets of held tensors: some are missing */
  uint64_t evaluations;
} dsm__network_graph;

/** Sets of held tensors kept for a layer, parallelism and factor: at most, and as few where the
 * network has so many of these that all sets would be more than DSM__HELD_STATES_MAX. */
enum { DSM__HELD_SETS_MAX = 256, DSM__HELD_SETS_MIN = 8, DSM__HELD_STATES_MAX = 1 << 22 };

/** Builds the graph in the arena; false if out of memory. */
bool dsm__network_graph_build(dsm__network_graph *graph, const dsm__graph_request *request,
                              dsm__arena *arena);

/** A graph being built. Nodes are numbered as they are added; edges are added node after node in
 * that order, but for a group's, whose end is not yet known. */
typedef struct dsm__graph_builder {
  DSM__LIST(dsm__graph_node) nodes;
  DSM__LIST(dsm__node_info) infos; /**< of each node */
  DSM__LIST(dsm__graph_edge) edges;
  DSM__LIST(dsm__graph_run) runs; /**< what is repeated, and what lies between; without shifts */
  size_t in_runs;                 /**< how many nodes, from the first on, are in those */
  size_t entries;                 /**< how many of the next ones come after a repetition */
  size_t repeated_layers;         /**< by how much layers behind the last repetition are later than
                                       their nodes say */
  size_t node_count;              /**< of all runs */
  atomic_size_t *bytes;           /**< where these are counted; NULL: nowhere */
  bool is_out_of_memory;
} dsm__graph_builder;

/** Adds a node; its number. */
uint32_t dsm__graph_add_node(dsm__graph_builder *builder, dsm__node_info info, double kept_bytes,
                             double transient_bytes);

/** From now on edges are those of this node, which must follow the one before. */
void dsm__graph_begin_edges(dsm__graph_builder *builder, uint32_t node);

/** Adds an edge; its index. */
size_t dsm__graph_add_edge(dsm__graph_builder *builder, uint32_t to, double cost, uint32_t tag);

/** Nodes before `end` have all their edges, those from `end` on none yet. Repeats nodes first ..
 * end with their edges, so many layers later: the first `entries` of them stand for those from
 * `end` on, as many and in the same order, and so do these for them behind the repetition, whatever
 * is added next. False if out of memory. */
bool dsm__graph_repeat(dsm__graph_builder *builder, size_t first, size_t end, size_t entries,
                       size_t layers);

/** Copies the graph into the arena without nodes and edges that lead nowhere or that nothing leads
 * to. new_edge[edge] (room for edge_count; NULL: not asked for) becomes the new index of each edge,
 * or SIZE_MAX. The first node and the last, the end, always stay. False if out of memory. */
bool dsm__graph_finish(dsm__graph_builder *builder, dsm__network_graph *graph, size_t *new_edge,
                       dsm__arena *arena);

void dsm__graph_builder_fini(dsm__graph_builder *builder);

#endif
