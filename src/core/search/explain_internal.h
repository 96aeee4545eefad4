/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_internal.h: a layer being explained, and the best mappings that run it in a given way. */
#ifndef DSM_SEARCH_EXPLAIN_INTERNAL_H
#define DSM_SEARCH_EXPLAIN_INTERNAL_H

#include "base/words.h"
#include "plan/stage.h"
#include "search/problem.h"
#include "search/roles/role_options.h"

/** One way to run the layer: an edge of the graph, and the best path over it (memory aside). */
typedef struct dsm__way {
  size_t edge;
  uint32_t from;
  double cycles;            /**< of the path */
  dsm_pass_layouts layouts; /**< of the layer */
  unsigned factor_index;
  bool is_output_held;
  bool is_pipelined;
  bool is_hoisted;
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

typedef struct dsm__explaining {
  dsm__problem *step; /* of the whole step, with as many stages and micro-batches as planned */
  dsm__problem *problem;
  const dsm_plan *plan;
  size_t layer_index;
  const dsm_layer_plan *chosen; /**< how the plan runs the layer */
  const dsm_machine *machine;   /**< that it runs on: the whole, or a stage's part */
  dsm__holding holding;         /**< of the plan */
  double preloaded_bytes;       /**< of a core's scratchpad, by the plan */
  bool is_per_pass;
  dsm__reductions shares;  /**< what the plan's layer pays of its collectives */
  double reference_cycles; /**< what the plan takes as the graph counts */
  double compared_cycles;  /**< its step, where hidden sums count with these in full */
  double uncounted_cycles; /**< what that has beside the graph's, whatever the layer does */
  bool has_hidden_sums;    /**< the graph counts sums of gradients that the plan hides */
  dsm__through *throughs;  /**< all ways to run the layer: of each graph */
  size_t through_count;
  bool is_layer_alone;          /**< the graphs know no roles other than data and model */
  dsm_axis_set gathered_before; /**< with the plan's roles: along which another layer gathers the */
  dsm_axis_set summed_later;    /**< input, or sums its error, */
  dsm_axis_set gathered_in_update; /**< or gathers it for the update */
  dsm__table_cut *owner_cuts;      /**< see dsm__search_inputs: as the plan has them, */
  dsm__table_cut *fixed_cuts;      /**< which owners keep while other layers do otherwise */
  const dsm__role_option *roles;   /**< that the layer can have by itself; NULL: data and model */
  size_t role_count;
} dsm__explaining;

/** Fills all behind `chosen`, whose machine may be `stage`, which the caller keeps as long; false
 * if out of memory. */
bool dsm__explain_prepare(dsm__explaining *e, dsm__stage *stage);

/** The best step with a parallelism of a pass; 0: no mapping has it. */
double dsm__explain_network_cycles(const dsm__explaining *e, dsm_pass pass,
                                   dsm_parallelism parallelism);

/** Most values of a layer's decisions that are laid out by themselves: parallelisms of its passes,
 * whether it holds its output, whether it is pipelined, and its factors. */
enum { DSM__LAYOUT_VALUES_MAX = DSM_PASS_COUNT * DSM_PARALLELISM_COUNT + 6 + DSM__FACTORS_MAX };

/** Where the model has layouts: adds the ways of a free graph, laid out; `best_cycles` are those of
 * the best mapping, whose ways are there. False if out of memory. */
bool dsm__explain_add_layouts(dsm__explaining *e, const dsm__network_graph *network,
                              double best_cycles);

/** Fills what_ifs; false if out of memory. */
bool dsm__explain_what_ifs(const dsm__explaining *e, dsm_explanation *explanation);

/** The same of plans whose layers may have roles, shards and the like; false if out of memory. */
bool dsm__explain_keeping(const dsm__explaining *e, dsm_explanation *explanation);

/** Decisions that graphs of data and model know: those before the first that they do not. */
#define DSM__GRAPH_DECISION_COUNT DSM_DECISION_SHARD

extern const dsm__words dsm__decision_words;

#endif
