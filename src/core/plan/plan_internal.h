/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_internal.h: how a plan is made from decisions, and what it takes of a chip's memory. */
#ifndef DSM_PLAN_PLAN_INTERNAL_H
#define DSM_PLAN_PLAN_INTERNAL_H

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/json_read.h"
#include "base/words.h"
#include "dsm/plan.h"

extern const dsm__words dsm__optimization_words;
extern const dsm__words dsm__invocation_kind_words;
extern const dsm__words dsm__sharding_words;

/** What is decided for a layer. */
typedef struct dsm__layer_decision {
  dsm_pass_layouts layouts;
  dsm_layer_decisions layer;           /**< group and error_parallelism follow from the others */
  bool is_kernel_kept[DSM_PASS_COUNT]; /**< steady invocations follow the first */
  /** Core splits of the passes that exist: of the first invocation (or write), then of the steady
   * (or accumulating) ones where there are any. */
  dsm_loops splits[DSM_PASS_COUNT][DSM_INVOCATION_KINDS_MAX];
} dsm__layer_decision;

/** A group of pipelined layers: of a plan's, what is decided, and its name. */
typedef dsm_pipeline_plan dsm__pipeline_decision;

/** All decisions of a mapping. */
typedef struct dsm__decisions {
  const dsm__layer_decision *layers;       /**< of each primary layer */
  const dsm__pipeline_decision *pipelines; /**< disjoint, in order of execution */
  size_t pipeline_count;
  uint64_t micro_batches; /**< 0: one */
  dsm_stages stages;      /**< names need not be known */
} dsm__decisions;

/** Into how many micro-batches a step's samples are cut. */
static inline uint64_t dsm__micro_batches(const dsm__decisions *decisions) {
  return decisions->micro_batches > 0 ? decisions->micro_batches : 1;
}

/** A workload with the samples of a micro-batch; borrows all of it. */
static inline dsm_workload dsm__micro_workload(const dsm_workload *workload,
                                               uint64_t micro_batches) {
  dsm_workload micro = *workload;
  micro.minibatch /= micro_batches;
  return micro;
}

/**
 * A plan from decisions, with everything that the model predicts except the lower bound. The plan
 * borrows workload and system, and copies the rest. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_NODISCARD dsm_status dsm__plan_make(dsm_plan **plan, const dsm_workload *workload,
                                        const dsm_system *system,
                                        const dsm_explore_options *options,
                                        const dsm__decisions *decisions, dsm_diags *diags);

/** Predicts passes and transfers of all layers. Part of dsm__plan_make. */
DSM_NODISCARD bool dsm__plan_predict_layers(dsm_plan *plan, const dsm__decisions *decisions);

/** Sums up the step and the memory. Part of dsm__plan_make. */
void dsm__plan_predict_result(dsm_plan *plan);

/** What storage makes of the step, whose time is that of computing until then; nothing where the
 * workload has no data set or the system no storage. */
void dsm__supply_predict(dsm_plan *plan);

/** Can the data set be read at all? DSM_ERROR_INFEASIBLE: two samples are more than the fast tier
 * holds. */
DSM_NODISCARD dsm_status dsm__supply_check(const dsm_workload *workload, const dsm_system *system,
                                           dsm_diags *diags);

/** A set of parallelisms as a system has them: those that differ only on axes that it does not have
 * are one, the first of them. */
dsm_parallelism_set dsm__parallelisms_on(const dsm_system *system, dsm_parallelism_set set);

/** May an axis stand for two? Any chips of a switch are as far from one another. */
static inline bool dsm__may_divide(const dsm_network *network, unsigned axis) {
  return network->topology == DSM_TOPOLOGY_AXES && network->axis_count < DSM_AXES_MAX &&
         network->axes[axis].link == DSM_LINK_KIND_SWITCH;
}

/** The parallelisms that options leave to a layer: its own, those asked for, without the hybrid
 * ones unless that optimisation is on. Layers that can only use data keep data. Empty only where
 * options name roles, none of them data and model, that the layer can have. */
dsm_parallelism_set dsm__allowed_parallelisms(const dsm_layer *layer,
                                              const dsm_explore_options *options,
                                              const dsm_system *system);

/** The parallelisms that the options leave to a layer that can use all. May be empty. */
dsm_parallelism_set dsm__option_parallelisms(const dsm_explore_options *options,
                                             const dsm_system *system);

/** A plan may need this much more than the capacity, relatively: what rounding can do. */
#define DSM__CAPACITY_TOLERANCE 1e-9

/** A need of memory with who causes it, for messages. */
typedef struct dsm__memory_need {
  double total_bytes;
  double capacity_bytes;
  bool has_reserve;       /**< of the memory, beside that */
  char dominated_by[160]; /**< such as "activations of conv1_2 (3.29 GB), ..." */
} dsm__memory_need;

/** Describes what a mapping needs, with its largest tensors; memory of each layer as
 * dsm__mapping_memory_derive fills it. */
dsm__memory_need dsm__memory_need_of(const dsm_workload *workload, const dsm_machine *machine,
                                     dsm_mode mode, const dsm_layer_memory *memory);

/** Reports that memory is exceeded. `what` begins the sentence, such as "every mapping needs". */
void dsm__report_over_capacity(const dsm__memory_need *need, const char *what, dsm__place place,
                               dsm_diags *diags);

/** Decisions of a layer that change nothing. */
dsm_layer_decisions dsm__layer_decisions_none(void);

/** Decisions that change nothing: data parallelism, nothing on chip. Splits are zero. */
dsm__layer_decision dsm__layer_decision_none(void);

/** Those of a layer of a plan, also of passes that it does not have. */
dsm_pass_layouts dsm__planned_layouts(const dsm_layer_plan *layer, dsm_mode mode);

/** What was decided for the mapping that a plan predicts: dsm__plan_make makes the same plan of it.
 * Names are borrowed from the plan. False if out of memory. */
bool dsm__decisions_of_plan(const dsm_plan *plan, dsm__arena *arena, dsm__decisions *decisions);

/**
 * Fills memory[0 .. layer_count): a chip's need is the sum of what is kept, plus the largest of the
 * transient bytes with what is made anew meanwhile, plus in training the network's input. Of a
 * pipeline group, whose stages are on different chips, only the stage that keeps most counts, with
 * the group's largest transient bytes; the others are zero. Of stages of the step, of whose machine
 * they are, only the fullest counts.
 */
void dsm__mapping_memory_derive(const dsm_workload *workload, const dsm_machine *machine,
                                dsm_mode mode, const dsm__decisions *decisions,
                                dsm_layer_memory *memory);

/** What layers need while they run, memory of each as dsm__mapping_memory_derive fills it: the most
 * that one has of its own, and what is there besides where all of that is most. */
typedef struct dsm__transient_need {
  double own_bytes;
  size_t own_layer;        /**< the first that has so much */
  double recomputed_bytes; /**< of layers before it in its segment */
} dsm__transient_need;
dsm__transient_need dsm__transient_need_of(const dsm_workload *workload,
                                           const dsm_layer_memory *memory);

/** Bytes that a layer keeps for the whole step. */
double dsm__kept_bytes(const dsm_layer_memory *memory);

/** What layers take of a chip's memory, taken together in the order in which they run. */
typedef struct dsm__memory_sum {
  double kept_bytes;       /**< whatever is in flight */
  double activation_bytes; /**< of a micro-batch */
  double transient_bytes;  /**< the most at a time, with what has been made anew by then */
  double again_bytes;      /**< made anew of the segment so far */
} dsm__memory_sum;

/** Takes a layer to it. `is_last`: of its segment. */
void dsm__memory_sum_add(dsm__memory_sum *sum, const dsm_layer_memory *memory, bool is_last);

/** All of it with so many micro-batches in flight. */
static inline double dsm__memory_sum_bytes(const dsm__memory_sum *sum, double in_flight) {
  return sum->kept_bytes + sum->activation_bytes * in_flight + sum->transient_bytes;
}

/* ---- other descriptions ---- */

/** Is this the planner format of msr-fiddle/dnn-partitioning? It has no `format`, but nodes or a
 * number of accelerators. */
bool dsm__is_planner_graph(const dsm__json_node *root);

extern const dsm__words dsm__description_words;

#endif
