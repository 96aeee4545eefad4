/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_internal.h: how a plan is made from decisions. */
#ifndef DSM_PLAN_PLAN_INTERNAL_H
#define DSM_PLAN_PLAN_INTERNAL_H

#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/plan.h"

/** What is decided for a layer. */
typedef struct dsm__layer_decision {
  dsm_parallelism parallelism;
  dsm_loops splits[DSM_PASS_COUNT]; /**< core splits of the passes that exist */
} dsm__layer_decision;

/**
 * A plan from decisions[0 .. workload->layer_count), with everything that the model predicts
 * except the lower bound. The plan borrows workload and system. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_NODISCARD dsm_status dsm__plan_make(dsm_plan **plan, const dsm_workload *workload,
                                        const dsm_system *system,
                                        const dsm_explore_options *options,
                                        const dsm__layer_decision *decisions, dsm_diags *diags);

/** Predicts passes and transfers of all layers. Part of dsm__plan_make. */
DSM_NODISCARD bool dsm__plan_predict_layers(dsm_plan *plan, const dsm__layer_decision *decisions);

/** Predicts a pass by itself: no relayouts, and no list of transfers in *out. */
void dsm__predict_pass_alone(dsm_pass_plan *out, const dsm_pass_work *work, const dsm_loops *split,
                             uint64_t minibatch);

/** Sums up the step and the memory. Part of dsm__plan_make. */
void dsm__plan_predict_result(dsm_plan *plan);

/** The parallelisms that options leave to a layer: its own, those asked for, without the hybrid
 * ones unless that optimisation is on. Layers that can only use data keep data. Never empty if the
 * options are consistent. */
dsm_parallelism_set dsm__allowed_parallelisms(const dsm_layer *layer,
                                              const dsm_explore_options *options);

/** The parallelisms that the options leave to a layer that can use all. May be empty. */
dsm_parallelism_set dsm__option_parallelisms(const dsm_explore_options *options);

/** A plan may need this much more than the capacity, relatively: what rounding can do. */
#define DSM__CAPACITY_TOLERANCE 1e-9

/** A need of memory with who causes it, for messages. */
typedef struct dsm__memory_need {
  double total_bytes;
  double capacity_bytes;
  char dominated_by[160]; /**< such as "activations of conv1_2 (3.29 GB), ..." */
} dsm__memory_need;

/** Describes what a sequence of parallelisms needs, with its largest tensors. */
dsm__memory_need dsm__memory_need_of(const dsm_workload *workload, const dsm_machine *machine,
                                     dsm_mode mode, const dsm_parallelism *parallelisms);

/** Reports that memory is exceeded. `what` begins the sentence, such as "every mapping needs". */
void dsm__report_over_capacity(const dsm__memory_need *need, const char *what, dsm__place place,
                               dsm_diags *diags);

#endif
