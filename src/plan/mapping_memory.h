/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping_memory.h: what a mapping takes of a chip's memory, layer by layer (section 12). */
#ifndef DSM_PLAN_MAPPING_MEMORY_H
#define DSM_PLAN_MAPPING_MEMORY_H

#include "plan/plan_internal.h"

/**
 * Fills memory[0 .. layer_count): a chip's need is the sum of what is kept, plus the largest of the
 * transient bytes, plus in training the network's input. Of a pipeline group, whose stages are on
 * different chips, only the stage that keeps most counts, with the group's largest transient bytes;
 * the others are zero.
 */
void dsm__mapping_memory_derive(const dsm_workload *workload, const dsm_machine *machine,
                                dsm_mode mode, const dsm__decisions *decisions,
                                dsm_layer_memory *memory);

/** Bytes that a layer keeps for the whole step. */
double dsm__kept_bytes(const dsm_layer_memory *memory);

#endif
