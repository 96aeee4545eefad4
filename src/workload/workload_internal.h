/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_internal.h: how a workload is built: read the declared layers, then resolve the graph.
 */
#ifndef DSM_WORKLOAD_WORKLOAD_INTERNAL_H
#define DSM_WORKLOAD_WORKLOAD_INTERNAL_H

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "dsm/workload.h"

/** The reserved name of the network's input. */
#define DSM__INPUT_NAME "@input"

extern const char *const dsm__layer_type_names[DSM_LAYER_TYPE_COUNT];
extern const char *const dsm__aux_op_names[DSM_AUX_OP_COUNT];

/**
 * Reads a workload from a JSON node, which may be a whole document or a part of a plan. The
 * workload's arena must exist; findings and whether there were errors are the document's. Fills
 * everything; what it fills is meaningful only if the document has no errors.
 */
void dsm__workload_read(dsm_workload *workload, const dsm__json_node *node);

/** Reads one declared layer. */
void dsm__layer_spec_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node);

/**
 * Resolves names into indices, checks all relations between layers and derives the primary layers
 * and totals. `layers_node` is the array of the declared layers, for findings. The specs must be
 * free of errors of their own.
 */
void dsm__workload_resolve(dsm_workload *workload, const dsm__json_node *root,
                           const dsm__json_node *layers_node);

/** Fills what follows from the resolved graph: lives of tensors and totals. */
void dsm__workload_derive_lives(dsm_workload *workload, dsm_layer *layers,
                                const dsm__json_node *layers_node);

/** Writes the workload as an object in the format "dsm-workload/1". */
void dsm__workload_write(const dsm_workload *workload, dsm__json_writer *writer);

/** A new empty workload with its arena; NULL if out of memory. */
dsm_workload *dsm__workload_new(void);

/** Size of a pooled axis: ceil((size - window) / stride) + 1, for size >= window. */
uint64_t dsm__pooled_size(uint64_t size, uint64_t window, uint64_t stride);

#endif
