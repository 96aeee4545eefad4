/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holding.h: what is on chip while each layer runs, and the invocations that follow from it. */
#ifndef DSM_PLAN_HOLDING_H
#define DSM_PLAN_HOLDING_H

#include "dsm/model.h"
#include "model/tied_table.h"
#include "plan/plan_internal.h"
#include "plan/reductions.h"

/** What is held around a layer (section 7). Elements are per sample, so that sums are exact. */
typedef struct dsm__holding {
  bool is_input_held;         /**< all producers are held */
  bool is_output_held;        /**< the layer's own output is held */
  bool is_shortcut_held;      /**< all that the residual adds is held */
  bool is_moving_free;        /**< nothing held moves among the cores: for bounds from below */
  uint64_t held_elements;     /**< of all held tensors that live while it runs, its own included */
  uint64_t deferred_elements; /**< of the output that the layer before it holds */
  double held_bytes;          /**< of a chip, each tensor by its own layout, where layers have roles
                                   other than data and model; 0: by its elements, as the layer lies */
  double deferred_bytes;      /**< likewise */
  const dsm_held_layouts *layouts; /**< see dsm_residency */
} dsm__holding;

/** Is anything held while the layer runs? Then the layer's limits of section 7 apply. */
static inline bool dsm__is_holding(const dsm__holding *holding) {
  return holding->held_elements > 0;
}

/** The last layer that uses a layer's output in any way, or DSM_NEVER_USED. */
size_t dsm__last_use(const dsm_layer *layer);

/** What holdings[0 .. layer_count) are under decisions; false if out of memory. O(sum of the lives
 * of what is held). Layouts, where decisions have them, belong to the arena. */
bool dsm__holdings_derive(const dsm_workload *workload, const dsm_machine *machine,
                          const dsm__decisions *decisions, dsm__holding *holdings,
                          dsm__arena *arena);

/** What a chip has of a tensor that lies in some layouts, a sample of each minibatch: elements *
 * samples / ways * position_share. */
typedef struct dsm__held_share {
  uint64_t samples;
  uint64_t ways;
  double position_share;
} dsm__held_share;

/** Of the output of a layer, for invocations of so many samples. */
dsm__held_share dsm__held_share_of(const dsm_layer *layer, const dsm_machine *machine,
                                   const dsm_layouts *layouts, uint64_t samples);

/** Bytes of a chip of held tensors that are added one after the other; all zero is none. Those of
 * equal shares in a row add up exactly, as elements. */
typedef struct dsm__held_sum {
  dsm__held_share share; /**< of the latest */
  uint64_t elements;     /**< of the latest ones with that */
  double bytes;          /**< of those before */
} dsm__held_sum;

void dsm__held_sum_add(dsm__held_sum *sum, uint64_t elements, const dsm__held_share *share,
                       double element_bytes);
double dsm__held_sum_bytes(const dsm__held_sum *sum, double element_bytes);

/** Is the same held around two layers? */
bool dsm__is_same_holding(const dsm__holding *a, const dsm__holding *b);

/** How a layer is run: what its holding and its decisions make of the model's residency. */
typedef struct dsm__layer_setting {
  const dsm_layer *layer;
  const dsm_machine *machine;
  dsm_precision precision;
  dsm_mode mode;
  uint64_t minibatch;     /**< samples of a micro-batch */
  uint64_t micro_batches; /**< in a step, 0: one */
  uint64_t dysm_factor;
  dsm__holding holding;
  double preloaded_bytes;    /**< of a core's scratchpad, by all layers */
  double resident_fraction;  /**< of this layer's weights */
  bool is_hoisted;           /**< an lstm's input products of all timesteps at once */
  bool is_recomputed;        /**< the forward pass runs again, */
  bool are_operations_again; /**< or only the operations of it, without the product */
  dsm_sharding shard;
  dsm__table_cut owner; /**< of a tied layer: how the one that has its weights cuts them, as it sees
                             them; not known: what they exchange is left out */
  dsm_axis_set gathered_before;      /**< axes along which another layer gathers its input, */
  dsm_axis_set summed_later;         /**< and along which another sums its input's error, */
  dsm_axis_set gathered_in_update;   /**< and gathers its input for the update */
  bool is_error_apart;               /**< see dsm_residency */
  const dsm__reductions *reductions; /**< of a layer outside pipelines, where they are shared;
                                          NULL: sums of gradients are its own */
} dsm__layer_setting;

/** Does a layer's forward pass run again with its product? */
static inline bool dsm__is_product_again(const dsm_layer_decisions *decisions) {
  return decisions->is_recomputed && !decisions->is_product_kept;
}

/** How much counts of what a pass takes in all micro-batches. */
double dsm__counted_share(const dsm__layer_setting *setting, dsm_pass pass);

/** Does an update pass gather nothing for the backward pass, since its roles are others? */
static inline bool dsm__is_error_apart(const dsm_pass_layouts *layouts) {
  return layouts->of[DSM_PASS_UPDATE] != layouts->of[DSM_PASS_BACKWARD];
}

/** In a step, 1 or more. */
static inline uint64_t dsm__micro_batches_of(const dsm__layer_setting *setting) {
  return setting->micro_batches > 0 ? setting->micro_batches : 1;
}

/** Updates of a step that add to gradients in memory, of f spatial minibatches in each of n
 * micro-batches without timesteps: all but the first, and where an operation of its own adds up
 * micro-batches, all but the first of each. */
static inline uint64_t dsm__adding_updates(const dsm_assumptions *model, uint64_t dysm_factor,
                                           uint64_t micro_batches) {
  const uint64_t written = model->accumulate_memory_bytes > 0 ? micro_batches : 1;
  const uint64_t all = dysm_factor * micro_batches;
  return model->dysm_accumulate_in_memory && all > written ? all - written : 0;
}

/** Bytes of a chip that held tensors take while the layer runs. */
double dsm__held_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism);

/** Bytes of a chip that held tensors need while the layer runs, its output before it is pooled
 * included. */
double dsm__holding_needed_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism);

/** Does what is held while the layer runs fit beside the streaming buffers (section 7)? */
bool dsm__holding_fits(const dsm__layer_setting *setting, dsm_parallelism parallelism);

/** By how many bytes of a chip it is too much; negative where room is left. */
double dsm__holding_excess_bytes(const dsm__layer_setting *setting, dsm_parallelism parallelism);

/** Invocations of one kind in a pass. */
typedef struct dsm__part {
  dsm_invocation_kind kind;
  uint64_t count;
  dsm_residency residency;
  const dsm_layer *layer; /**< its loops: those of the setting's layer, or of its hoisted ones */
  uint64_t samples;       /**< of an invocation */
} dsm__part;

typedef struct dsm__parts {
  dsm__part items[DSM_INVOCATION_KINDS_MAX];
  unsigned count;
} dsm__parts;

/** The kinds of invocation of a pass: first and steady ones over timesteps (section 7), write and
 * accumulate over spatial minibatches (section 8); hoisted, the last, beside those of timesteps;
 * recompute, the last, beside those of a layer without timesteps (section 12). */
dsm__parts dsm__pass_parts(const dsm__layer_setting *setting, dsm_pass pass,
                           dsm_parallelism parallelism, bool is_kernel_kept);

/** The pass whose work the invocations of a part do: forward of those that do it again. */
static inline dsm_pass dsm__part_pass(dsm_pass pass, const dsm__part *part) {
  return part->kind == DSM_INVOCATION_RECOMPUTE ? DSM_PASS_FORWARD : pass;
}

/** What all core splits of a part share. */
dsm_pass_work dsm__part_work(const dsm__layer_setting *setting, dsm_pass pass,
                             dsm_parallelism parallelism, const dsm__part *part);

/** The room for preloaded weights is given out in as many steps (section 10). */
#define DSM__PRELOAD_STEPS 32

/** The ideal of a pass, all chips at their peak for what it multiplies. */
double dsm__ideal_cycles_of(const dsm__layer_setting *setting, dsm_pass pass);

/** What preloaded weights take of a core's scratchpad, before it is rounded. */
double dsm__preloaded_weight_bytes(const dsm_workload *workload, const dsm_machine *machine,
                                   const dsm__decisions *decisions);

/** W: what preloaded weights take of a core's scratchpad, rounded up to a 32nd of their room
 * (section 10). */
double dsm__preloaded_bytes(const dsm_workload *workload, const dsm_machine *machine,
                            const dsm__decisions *decisions);

/** Of that update, what adding up the gradients of micro-batches moves. */
dsm_traffic dsm__accumulation_traffic(const dsm__layer_setting *setting,
                                      const dsm_pass_layouts *layouts);

/** What a layer with an update pass sums, sends and updates once a step, with what it has of the
 * latency of collectives that several layers are in. */
dsm_weight_traffic dsm__weight_traffic(const dsm__layer_setting *setting,
                                       const dsm_pass_layouts *layouts);

/** What a tied layer with an update pass exchanges once a step with the one that has its weights.
 */
dsm__table_exchange dsm__tied_exchange(const dsm__layer_setting *setting,
                                       const dsm_pass_layouts *layouts);
double dsm__tied_exchange_cycles(const dsm__layer_setting *setting,
                                 const dsm_pass_layouts *layouts);

/** Cycles of a layer that occur once a step beside its invocations: gradient reduction, broadcast,
 * weight update, exchange of a tied table, moves between its passes. On a weighed machine their
 * price. */
double dsm__once_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts);

/** What of these is told apart. */
typedef struct dsm__once_parts {
  double repeated_cycles; /**< adding each micro-batch's gradients to those before */
  double latency_cycles;  /**< as charged, of collectives of a step that others may be in too */
} dsm__once_parts;

dsm__once_parts dsm__once_parts_of(const dsm__layer_setting *setting,
                                   const dsm_pass_layouts *layouts);

/** The same by what decides them. */
dsm_resources dsm__once_resources(const dsm__layer_setting *setting,
                                  const dsm_pass_layouts *layouts);

/** Is a core's part of the kernel small enough to stay for all timesteps of a pass (section 7)? */
bool dsm__kernel_can_stay(const dsm_pass_work *work, const dsm_loops *split);

#endif
