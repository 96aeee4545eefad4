/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unconnected.h: workloads that are lists of layers without a graph: each layer reads something of
 * its own, which nothing in the list makes, and nothing in the list reads what it makes.
 */
#ifndef DSM_WORKLOAD_UNCONNECTED_H
#define DSM_WORKLOAD_UNCONNECTED_H

#include "workload/builder.h"
#include "workload/layers/layer_kind.h"

/** Checks that no layer of a list names another one, nor a group of a pipeline, and that layers
 * state their own inputs nowhere else. Lstm of a list are never pipelined. */
void dsm__list_check(const dsm__workload_builder *builder);

/** What a layer of a list reads: as stated, else the least that makes its output. False, reported:
 * it is too much. */
bool dsm__list_input(const dsm__layer_entry *layer, dsm__delivery *input);

/** Elements per sample and timestep that live for a layer of a list while it runs, beside its
 * output: its input, and what else it reads. */
uint64_t dsm__list_read_elements(const dsm_layer *layer, const dsm_layer_spec *spec,
                                 const dsm__delivery *input);

#endif
