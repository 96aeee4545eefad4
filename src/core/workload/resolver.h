/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolver.h: the state of resolving a workload (resolve.c): the declared layers and what is known
 * of each so far. A layer may refer to what a layer before it delivers.
 */
#ifndef DSM_WORKLOAD_RESOLVER_H
#define DSM_WORKLOAD_RESOLVER_H

#include "workload/layers/layer_kind.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

typedef struct dsm__resolver {
  const dsm__workload_builder *builder;
  dsm_workload *workload;
  dsm__json_doc *doc;
  dsm__name_index names; /**< of declared layers */
  size_t *first_primary; /**< of each declared layer: index of its (first) primary layer */
  dsm_layer *layers;     /**< primary layers made so far */
  size_t layer_count;
  dsm__delivery *deliveries; /**< of each declared layer */
  size_t input_definer; /**< declared layer whose shape tells the network's input, or SIZE_MAX */
  bool is_input_wrong;  /**< what would tell the network's input is wrong, and was reported */
  bool has_positions;   /**< some layer states positions */
} dsm__resolver;

/** Inputs of a layer, stated or not: without any it reads what the layer before it delivers. */
size_t dsm__input_count(const dsm_layer_spec *spec);

/** Was something wrong with the declared layer by itself, and reported? */
bool dsm__is_wrong_layer(const dsm__resolver *r, size_t index);

bool dsm__is_network_input(const char *name);

/** The index of an earlier declared layer by name; SIZE_MAX after a report at the node. */
size_t dsm__find_earlier(const dsm__resolver *r, const dsm__layer_entry *layer,
                         const dsm__json_node *node, const char *name);

/** Appends the primary layers that deliver a declared layer's outputs to a list; returns how many.
 */
size_t dsm__append_primaries(const dsm__resolver *r, size_t spec_index, size_t *list);

/** So many indices in the workload's arena; NULL: memory was out, which was noted. */
size_t *dsm__new_indices(const dsm__resolver *r, size_t count);

/** Finds all producers of a layer's input, DSM_NETWORK_INPUT among them, and what each delivers;
 * false (reported here or where a producer is wrong) if that is not known. */
bool dsm__find_inputs(const dsm__resolver *r, const dsm__layer_entry *layer, size_t *producers,
                      dsm__delivery *parts);

/** Positions that a layer does not state are those of what it reads. */
void dsm__settle_positions(dsm__resolver *r, const dsm__layer_entry *layer,
                           const dsm__delivery *parts);

/** What all inputs deliver together; false (reported) if they do not go together. */
bool dsm__gather_inputs(const dsm__resolver *r, const dsm__layer_entry *layer,
                        const dsm__delivery *parts, dsm__delivery *gathered);

/** The earlier layer whose norm of the input one shares reads the same, and has it; false
 * (reported) if not. */
bool dsm__resolve_shared_norm(const dsm__resolver *r, const dsm__layer_entry *layer,
                              size_t aux_index);

/** References of a layer other than its inputs: its operand, layers whose weights or norm it
 * shares, shortcuts. Fills operands and shortcuts; false (reported) if one is wrong. */
bool dsm__resolve_references(const dsm__resolver *r, const dsm__layer_entry *layer, dsm_layer *out);

#endif
