/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keeping.h: what a chip keeps less of where chips share it out, or make it anew (section 12). */
#ifndef DSM_PLAN_KEEPING_H
#define DSM_PLAN_KEEPING_H

#include "dsm/model.h"
#include "plan/holding.h"
#include "plan/plan_internal.h"

/** W: chips that sum the gradients of a layer and have the same weights, among which shards are
 * shared out; 1: none. What the roles of the forward pass cut already is cut no further. */
double dsm__shard_ways(const dsm_layer *layer, const dsm_machine *machine,
                       const dsm_pass_layouts *layouts);

extern const dsm__words dsm__shard_level_words; /**< of dsm_shard_level */

/** What a level, other than the best, has layers share out. */
static inline dsm_sharding dsm__sharding_asked(dsm_shard_level level) {
  return (dsm_sharding)(level - DSM_SHARD_LEVEL_NONE);
}

/** Is a layer with these roles asked to have a level of shards: do several chips have its weights,
 * which are its own? Where roles differ from pass to pass it is, and cannot have one. */
bool dsm__has_shard_level(const dsm_workload *workload, size_t layer_index,
                          const dsm_machine *machine, const dsm_pass_layouts *layouts);

/** The level that was asked for, as far as a plan has it; else the best. */
dsm_shard_level dsm__shard_level_of(const dsm_plan *plan, dsm_shard_level asked);

/** What a layer takes of a chip's memory with its shards and what is made anew; `memory` is that of
 * dsm_layer_memory_derive. `is_last`: of its segment, and not of the network. */
void dsm__keep_less(dsm_layer_memory *memory, const dsm_layer *layer, const dsm_machine *machine,
                    const dsm_pass_layouts *layouts, const dsm_layer_decisions *decisions,
                    bool is_last);

/** Do chips update a part of a layer's weights each, with these shards? */
static inline bool dsm__is_update_sharded(const dsm_machine *machine, dsm_sharding shard) {
  return machine->system->model.sharded_update || shard >= DSM_SHARDING_OPTIMIZER;
}

/** The pass before which a layer's forward pass runs again; DSM_PASS_COUNT: none, as nothing that
 * it makes is kept for it. */
dsm_pass dsm__recomputing_pass(const dsm_layer *layer);

/** Do invocations of the forward pass come before those of a pass? */
static inline bool dsm__is_recomputed_before(const dsm__layer_setting *setting, dsm_pass pass) {
  return setting->is_recomputed && setting->layer->timesteps == 1 &&
         pass == dsm__recomputing_pass(setting->layer);
}

/** The operations of a layer that run again before a pass, without its product. */
typedef struct dsm__operations_again {
  double count;            /**< how often in a step; 0: they do not */
  double cycles;           /**< of one time */
  dsm_resources resources; /**< the cycles by what decides them */
} dsm__operations_again;

/** Kernels of one time: those of the forward pass but the product's, at least one. */
double dsm__operation_kernels(const dsm_layer *layer, const dsm_machine *machine, dsm_mode mode);

dsm__operations_again dsm__operations_made_again(const dsm__layer_setting *setting,
                                                 dsm_parallelism parallelism, dsm_pass pass);

/** Weights that are gathered before a pass, once in each micro-batch; nothing of a layer that has
 * them. */
dsm_traffic dsm__gathered_weights(const dsm__layer_setting *setting,
                                  const dsm_pass_layouts *layouts, dsm_pass pass);

/** What shows of them, behind invocations that take so many cycles over the step. */
double dsm__gathering_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts,
                             dsm_pass pass, double pass_cycles);

#endif
