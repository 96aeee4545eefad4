/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * builder.h: a workload as it is declared, layer by layer.
 *
 * Readers of all formats stand on this: they fill declared layers, each with the place that its
 * findings name, and then have everything between the layers checked and derived in one go.
 */
#ifndef DSM_WORKLOAD_BUILDER_H
#define DSM_WORKLOAD_BUILDER_H

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/json_read.h"
#include "dsm/workload.h"

/** A declared layer being built. */
typedef struct dsm__declared_layer {
  dsm_layer_spec spec;
  dsm__json_node node; /**< where it is declared; its parents live as long as the builder */
  bool is_wrong;       /**< by itself, which was reported */
  bool is_repeated;    /**< the node stands for other layers too, so that findings name this one */
} dsm__declared_layer;

typedef struct dsm__workload_builder {
  dsm_workload *workload; /**< whose arena has what the layers have; all else of it is filled */
  dsm__json_node root;    /**< where the workload is declared */
  dsm__json_node list;    /**< where its layers are */
  DSM__LIST(dsm__declared_layer) layers;
  dsm_layer_spec *specs; /**< the workload's, while dsm__builder_finish fills them */
} dsm__workload_builder;

/** The defaults of all keys of a layer. */
dsm_layer_spec dsm__layer_spec_default(void);

/** A new layer behind those there, with the defaults of all keys, to be filled before the next one
 * is added. NULL: memory was out, which was noted. */
dsm__declared_layer *dsm__builder_add(dsm__workload_builder *builder, const dsm__json_node *node);

/**
 * Gives the workload its layers: resolves names into indices, checks all relations between layers
 * and derives primary layers and totals. Findings are the document's; what is filled is meaningful
 * only if it has no errors. Then the builder is to be discarded.
 */
void dsm__builder_finish(dsm__workload_builder *builder);

/** Frees what the builder has, but not the workload. */
void dsm__builder_fini(dsm__workload_builder *builder);

#endif
