/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * explore.h: find the best mapping of a network on a system.
 *
 * The search is exact: it returns the fastest plan of the space that the options span, among
 * equally fast ones (within 1e-11) the first in the written order (docs/model.md, section 13), and
 * a proven lower bound. Its cost grows with the number of distinct layers.
 */
#ifndef DSM_EXPLORE_H
#define DSM_EXPLORE_H

#include "dsm/diag.h"
#include "dsm/plan.h"
#include "dsm/status.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Explores. *plan borrows workload and system, which must outlive it, and belongs to the caller.
 * Options may be NULL: training with all optimizations (dsm_explore_options_init).
 * DSM_ERROR_USAGE: the options leave no parallelism. DSM_ERROR_INFEASIBLE: no mapping fits the
 * memory; a finding says by how much, and what dominates. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_explore(dsm_plan **plan, const dsm_workload *workload,
                                             const dsm_system *system,
                                             const dsm_explore_options *options, dsm_diags *diags);

/** What came of looking for what would fit. */
typedef enum dsm_fit {
  DSM_FIT_FOUND = 0,
  DSM_FIT_NONE,       /**< nothing fits with them either */
  DSM_FIT_STOPPED,    /**< the searches ended before something was found */
  DSM_FIT_NOT_MEMORY, /**< another rule than memory leaves no mapping */
  DSM_FIT_NOT_ASKED,  /**< the options have all that the mode has of these already */
  DSM_FIT_COUNT
} dsm_fit;

/**
 * What would fit where dsm_explore finds nothing that does: the fastest plan with optimizations
 * besides that can save memory: micro-batches and stages, or shards and recomputation; of
 * networks of at most 64 layers, and where neither fits, all of them too. Its options have of these
 * only those that it uses; it is a plan of dsm_explore with them. Where weights and their state are
 * too large for all chips together, nothing is searched. Each of these searches ends after a fixed
 * amount of work, about a second of it, so that the answer is the same on any machine; and all of
 * them with options->time_limit_seconds. What was found by then is the plan, whose statistics say
 * so. DSM_ERROR_INFEASIBLE: nothing was found; *fit, which may not be NULL, says why. Otherwise as
 * dsm_explore.
 */
DSM_API DSM_NODISCARD dsm_status dsm_explore_what_fits(dsm_plan **plan, dsm_fit *fit,
                                                       const dsm_workload *workload,
                                                       const dsm_system *system,
                                                       const dsm_explore_options *options,
                                                       dsm_diags *diags);

/**
 * Explores many times, and keeps between explorations what they have in common: what passes of
 * layers cost, for as long as the same layers are explored on systems that agree in what these
 * passes depend on. At most 64 MiB are kept. Not for several threads at the same time.
 */
typedef struct dsm_explorer dsm_explorer;

/** A new explorer; NULL if out of memory. */
DSM_API dsm_explorer *dsm_explorer_new(void);

/** Frees the explorer; NULL is fine. */
DSM_API void dsm_explorer_free(dsm_explorer *explorer);

/** dsm_explore: the same plan, bound and statistics, whatever was explored before. With
 * options->thread_count above 1 nothing is kept, nor looked up; options may be NULL. */
DSM_API DSM_NODISCARD dsm_status dsm_explorer_explore(dsm_explorer *explorer, dsm_plan **plan,
                                                      const dsm_workload *workload,
                                                      const dsm_system *system,
                                                      const dsm_explore_options *options,
                                                      dsm_diags *diags);

/**
 * Records a lower bound of the plan's space (cycles) as result.lower_bound_cycles; where it exceeds
 * the step by no more than rounding, the step. A bound that exceeds it by more contradicts the
 * plan: it is recorded as it is, with a warning, and dsm_plan_validate refuses the plan.
 */
DSM_API void dsm_plan_set_bound(dsm_plan *plan, double bound_cycles, dsm_diags *diags);

/** Computes the lower bound of a loaded plan from its own options, and records it so. */
DSM_API DSM_NODISCARD dsm_status dsm_plan_bound(dsm_plan *plan, dsm_diags *diags);

/** One way to run a pass, for dsm_explain. */
typedef struct dsm_alternative {
  dsm_pass pass;
  dsm_parallelism parallelism;
  dsm_loops split;             /**< core split of its first invocation */
  bool is_chosen;              /**< this is what the plan does */
  bool is_best_of_parallelism; /**< the best split of its parallelism */
  dsm_cycles cycles;           /**< of the pass over the step, without relayouts */
  double group_cycles[DSM_GROUP_COUNT];
  dsm_resources resources; /**< the total by what decides it */
  dsm_bound bound;         /**< what most of it is spent on */
  dsm_link stream_link;    /**< slowest link of the overlapped transfers */
  double network_cycles;   /**< step with this parallelism for the pass and all else at its best,
                                memory limit aside; 0 where it is not the best of its parallelism or
                                no mapping has it. Where is_layer_alone: with these roles for all
                                passes, the memory limit kept; 0 where that was not asked */
} dsm_alternative;

/** Decisions beside parallelism and core splits, for dsm_explain. */
typedef enum dsm_decision {
  DSM_DECISION_OUTPUT_HELD = 0,   /**< value 0 or 1 */
  DSM_DECISION_DYSM_FACTOR,       /**< value: the factor */
  DSM_DECISION_PIPELINED,         /**< value 0 or 1 */
  DSM_DECISION_HOISTED,           /**< value 0 or 1 */
  DSM_DECISION_SHARD,             /**< value: dsm_sharding. All else as planned */
  DSM_DECISION_RECOMPUTED,        /**< value 0 or 1, 2: its operations alone; likewise */
  DSM_DECISION_MICRO_BATCHES,     /**< of the step: how many. Without them all else at its best */
  DSM_DECISION_STAGES,            /**< likewise; 1: none */
  DSM_DECISION_SHARDED_LAYERS,    /**< likewise: of how many layers something is shared out */
  DSM_DECISION_RECOMPUTED_LAYERS, /**< likewise: how many layers' forward passes run again */
  DSM_DECISION_COUNT
} dsm_decision;

/** What the whole network would do if one decision had this value. */
typedef struct dsm_what_if {
  dsm_decision decision;
  uint64_t value;
  bool is_chosen;        /**< this is what the plan does */
  double network_cycles; /**< best step with it, memory limit aside, but kept from
                              DSM_DECISION_SHARD on; 0: no mapping has it */
  const char *why_not;   /**< why no mapping has it, a phrase; NULL where some has */
  size_t *also_held;     /**< layers whose output is held then, but not in the plan */
  size_t also_held_count;
  size_t *not_held; /**< layers whose output is held in the plan, but not then */
  size_t not_held_count;
} dsm_what_if;

/** What a layer's passes could do otherwise, and why they do not. */
typedef struct dsm_explanation {
  size_t layer_index;
  dsm_alternative *alternatives; /**< by pass, chosen first, then by cycles */
  size_t alternative_count;
  dsm_what_if *what_ifs; /**< by decision, then by value */
  size_t what_if_count;
  double reference_cycles; /**< the step that network_cycles compare with: the plan's, or, where
                              that preloads weights, the best without any on chip */
  bool has_hidden_sums;    /**< sums of gradients count in full in both, also what of them hides */
  bool is_layer_alone;     /**< layers may have roles other than data and model: network_cycles are
                              those of some roles, and what_ifs are of DSM_DECISION_SHARD and those
                              behind it, as far as the options have them and the plan uses them */
} dsm_explanation;

/** The word for a decision, such as "dysm_factor". Never NULL. */
DSM_API const char *dsm_decision_name(dsm_decision decision);

/**
 * The alternatives of a layer of a plan: for each pass every allowed parallelism with its best core
 * split, and the next `splits_per_pass` best core splits of the chosen one. Where a plan has
 * micro-batches, stages, shards or recomputed layers, a search without each of these, of as much
 * work as one without a time limit (about a minute). To be freed with dsm_explanation_free.
 */
DSM_API DSM_NODISCARD dsm_status dsm_explain(dsm_explanation **explanation, const dsm_plan *plan,
                                             size_t layer_index, size_t splits_per_pass,
                                             dsm_diags *diags);
/** Frees an explanation; NULL is fine. */
DSM_API void dsm_explanation_free(dsm_explanation *explanation);

#ifdef __cplusplus
}
#endif

#endif
