/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compulsory.h: what any mapping has to move through a link in a step, computed from the workload
 * without the library's model.
 */
#ifndef DSM_TESTS_PHYSICS_COMPULSORY_H
#define DSM_TESTS_PHYSICS_COMPULSORY_H

#include "dsm/dsm.h"

/**
 * Bytes of a layer that a chip moves at least, on average over the chips, whatever is held, kept or
 * preloaded and whatever the parallelisms:
 *   memory  weights (operands) are read once a pass, gradients and outputs written, the inputs of
 *           updates read, the state of an lstm written and read; tensors that cannot be held are
 *           read and written as often as they are used; in inference no weights, which may be on
 *           chip;
 *   ring    the same, or of other links between cores a core's part, less the weight update, which
 *           does not leave the memory;
 *   x, y    in training the least over the layer's parallelisms of rotating its features, summing
 *           its gradients and spreading its weights; none of an lstm, which may be a stage of a
 *           pipeline.
 */
double compulsory_layer_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                              size_t layer, dsm_link link);

/** Of the whole network: the sum, and in inference the weights that all scratchpads together cannot
 * hold, on memory and ring. */
double compulsory_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                        dsm_link link);

#endif
