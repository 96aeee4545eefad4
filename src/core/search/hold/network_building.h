/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network_building.h: a network's graph while it is built; what network_graph.c (layers, relayouts,
 * groups) and held_edges.c (held tensors) share. */
#ifndef DSM_SEARCH_HOLD_NETWORK_BUILDING_H
#define DSM_SEARCH_HOLD_NETWORK_BUILDING_H

#include "plan/core_layouts.h"
#include "search/hold/held_sets.h"
#include "search/hold/network_graph.h"

/** No node. */
#define DSM__NO_NODE UINT32_MAX

/** Parallelisms times factors: a block of held states each. */
enum { DSM__BLOCKS = DSM_PARALLELISM_COUNT * DSM__FACTORS_MAX };

/* A state in which something is held. */
typedef struct dsm__held_state {
  dsm__held_set set;
  dsm__held_set active; /* part of it */
  uint64_t elements;    /* of all in the set */
  uint32_t node;
  uint8_t parallelism;
  uint8_t factor_index;
} dsm__held_state;

typedef DSM__LIST(dsm__held_state) dsm__state_list;

/* An edge whose cost is still to be scored. */
typedef struct dsm__pending_edge {
  size_t edge;
  size_t layer;
  dsm_parallelism parallelism;
  unsigned factor_index;
  dsm__holding holding;
} dsm__pending_edge;

/* A graph, layer after layer. */
typedef struct dsm__building {
  const dsm__graph_request *request;
  const dsm__search_inputs *inputs;
  dsm__arena *arena;
  dsm__graph_builder builder;
  uint32_t open[DSM__PAIRS]; /* nodes after the layer before, by pair */
  uint32_t free;             /* likewise, or DSM__NO_NODE */
  dsm__state_list held;      /* states before this layer, */
  dsm__state_list next_held; /* and before the next; ordered by parallelism and factor */
  uint32_t next_open[DSM__PAIRS];
  uint32_t middle[DSM__PAIRS];
  uint32_t entry[DSM__PAIRS];
  uint32_t hoisted[DSM__PAIRS];  /* entries of a layer that runs hoisted */
  size_t held_sets_max;          /* of a layer, parallelism and factor */
  uint32_t started[DSM__BLOCKS]; /* held nodes that entries lead to, by parallelism and factor */
  size_t *group_edges;           /* of each group: its edge, whose end is set when it is reached */
  size_t *first_ending;          /* of each boundary: the first group that ends there, + 1 */
  size_t *next_ending;           /* of each group: the next that ends with it, + 1 */
  size_t next_group;
  uint32_t first_group_node;
  DSM__LIST(dsm__pending_edge) pending;
  dsm__held_future future; /* of the boundary after this layer */
  size_t *looked_at;       /* scratch of the future, of each layer */
  bool is_cut;
} dsm__building;

static inline const dsm_layer *dsm__network_layer(const dsm__building *b, size_t index) {
  return &b->inputs->workload->layers[index];
}

/** Blocks of the parallelisms that the machine has. */
static inline unsigned dsm__network_blocks(const dsm__building *b) {
  return b->inputs->machine->parallelism_count * DSM__FACTORS_MAX;
}

static inline bool dsm__network_is_training(const dsm__building *b) {
  return b->inputs->options->mode == DSM_MODE_TRAINING;
}

/** Will the graph be made one with layouts (layout_graph.h)? */
static inline bool dsm__network_has_layouts(const dsm__graph_request *request) {
  return request->lives != NULL && !request->is_relaxed &&
         dsm__has_layouts(request->table->inputs->machine->system);
}

/** A node out of which a layer runs: it has the layer's memory. */
uint32_t dsm__network_add_layer_node(dsm__building *b, dsm__node_kind kind, size_t index,
                                     unsigned pair, unsigned factor_index);

/** All edges out of the held states before a layer, parallelism by parallelism and factor by
 * factor; and where layers that begin to hold something lead to (started). */
void dsm__network_add_held_edges(dsm__building *b, size_t index);

/** How many sets of held tensors are kept for a layer, parallelism and factor. */
size_t dsm__held_sets_limit(const dsm__graph_request *request);

/** The edge of a layer that begins to hold its output, out of the entry of a block. */
void dsm__network_add_started_edge(dsm__building *b, size_t index, unsigned block);

/** Scores the layers on edges while something is held, once edges are final; false if out of
 * memory. */
bool dsm__network_score_pending(dsm__building *b, dsm__network_graph *graph,
                                const size_t *new_edge);

/** Tells what is held on those edges instead; false if out of memory. */
bool dsm__network_keep_holdings(const dsm__building *b, dsm__network_graph *graph,
                                const size_t *new_edge);

#endif
