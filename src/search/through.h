/* SPDX-License-Identifier: GPL-3.0-or-later */
/* through.h: the best mappings of a network that run one layer in a given way. */
#ifndef DSM_SEARCH_THROUGH_H
#define DSM_SEARCH_THROUGH_H

#include "search/problem.h"

/** One way to run the layer: an edge of the graph, and the best path over it (memory aside). */
typedef struct dsm__way {
  size_t edge;
  uint32_t from;
  double cycles;            /**< of the path */
  dsm_pass_layouts layouts; /**< of the layer */
  unsigned factor_index;
  bool is_output_held;
  bool is_pipelined;
} dsm__way;

/** The value of a decision of the layer. */
uint64_t dsm__way_value(const dsm__way *way, dsm_decision decision);

typedef struct dsm__through {
  const dsm__network_graph *network;
  dsm__way *ways;
  size_t way_count;
  double *rest;
  double *rest_to; /**< scratch: of each node, cycles to where a way begins */
} dsm__through;

/** Finds all ways to run a layer; false if out of memory. */
bool dsm__through_derive(dsm__through *through, const dsm__problem *problem,
                         const dsm__network_graph *network, size_t layer_index, dsm__arena *arena);

/** Which layers hold their output on the best path over a way; false if out of memory. */
bool dsm__through_held(const dsm__through *through, const dsm__way *way, bool *is_held);

#endif
