/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy_rules.h: which choices a strategy makes, and which layers can take it; searches,
 * judges and notes ask here. */
#ifndef DSM_PLAN_STRATEGY_RULES_H
#define DSM_PLAN_STRATEGY_RULES_H

#include "base/record.h"
#include "dsm/plan.h"
#include "dsm/strategy.h"

/* ---- choices ---- */

/** Facts about a layer, its decisions or its step that can exclude a choice, each with the end of a
 * message ("expected false" + " in a pipeline group"). Where several hold, the first is told. */
/* clang-format off */
#define DSM__LAYER_FACTS(ITEM)                                                                     \
  ITEM(LIST, " in a list of layers")                                                               \
  ITEM(TIMESTEPS, " in a layer with timesteps")                                                    \
  ITEM(NO_RESIDENT, " of a matmul without model.resident_operands")                                \
  ITEM(NO_LATER_PASS, " in a layer without a backward and an update pass")                         \
  ITEM(BESIDE_HELD, " in a layer whose output, or something that it reads, stays on chip")         \
  ITEM(NO_WEIGHTS, " in a layer without weights")                                                  \
  ITEM(EMBEDDING, " in an embedding, which reads other rows for each sample")                      \
  ITEM(UNUSED, " for an output that no layer uses")                                                \
  ITEM(NO_LSTM, " in a layer that is no unidirectional lstm")                                      \
  ITEM(NEVER, ", as the workload says of this layer")                                              \
  ITEM(GROUPED, " in a pipeline group")                                                            \
  ITEM(NOT_HOISTABLE, " in a layer that is no lstm with timesteps")                                \
  ITEM(DIFFERING, " in a layer whose passes differ in parallelism")                                \
  ITEM(STAGED, " in a step with stages")                                                           \
  ITEM(MICRO_BATCHES, " with several micro-batches")                                               \
  ITEM(ROLES, " in a layer with roles other than data and model")
/* clang-format on */

#define DSM__LAYER_FACT_OF(fact, words) DSM__LAYER_FACT_##fact,
typedef enum dsm__layer_fact {
  DSM__LAYER_FACTS(DSM__LAYER_FACT_OF) DSM__LAYER_FACT_COUNT
} dsm__layer_fact;

/** Bit f stands for fact f. */
typedef unsigned dsm__layer_fact_set;
#define DSM__LAYER_FACT(fact) (1U << (unsigned)DSM__LAYER_FACT_##fact)

/** Choices: decisions that need a strategy. A row has the strategy, the member of a layer's
 * decisions (NULL: it is of the whole step), and the facts that exclude it. Exclusions are said
 * here alone, and may only be removed. Searches and judges ask for a choice, not for a strategy by
 * its name. From FACTOR on each layer is judged in this order. */
/* clang-format off */
#define DSM__CHOICES(ITEM)                                                                         \
  ITEM(HYBRID, HYBRID, NULL, 0)                                                                    \
  ITEM(KERNEL, REUSE, NULL, /* that stays on chip for all timesteps */                             \
       DSM__LAYER_FACT(NO_RESIDENT))                                                               \
  ITEM(PASSES, PER_PASS, NULL, 0)                                                                  \
  ITEM(MICRO_BATCHES, ACCUMULATE, NULL, 0)                                                         \
  ITEM(STAGES, STAGES, NULL, DSM__LAYER_FACT(LIST))                                                \
  ITEM(GROUP, PIPELINE, "pipeline_group",                                                          \
       DSM__LAYER_FACT(NO_LSTM) | DSM__LAYER_FACT(NEVER) | DSM__LAYER_FACT(STAGED) |               \
           DSM__LAYER_FACT(MICRO_BATCHES) | DSM__LAYER_FACT(ROLES))                                \
  ITEM(FACTOR, DYSM, "dysm_factor", DSM__LAYER_FACT(TIMESTEPS) | DSM__LAYER_FACT(GROUPED))         \
  ITEM(HOISTED, HOIST, "hoisted", DSM__LAYER_FACT(GROUPED) | DSM__LAYER_FACT(NOT_HOISTABLE))       \
  ITEM(SHARD, SHARD, "shard",                                                                      \
       DSM__LAYER_FACT(NO_WEIGHTS) | DSM__LAYER_FACT(GROUPED) | DSM__LAYER_FACT(DIFFERING))        \
  ITEM(RECOMPUTED, RECOMPUTE, "recompute",                                                         \
       DSM__LAYER_FACT(LIST) | DSM__LAYER_FACT(TIMESTEPS) | DSM__LAYER_FACT(NO_LATER_PASS) |       \
           DSM__LAYER_FACT(BESIDE_HELD) | DSM__LAYER_FACT(DIFFERING))                              \
  ITEM(OUTPUT, REUSE, "output_on_chip", DSM__LAYER_FACT(UNUSED) | DSM__LAYER_FACT(STAGED))         \
  ITEM(PRELOADED, PRELOAD, "weights_on_chip",                                                      \
       DSM__LAYER_FACT(NO_WEIGHTS) | DSM__LAYER_FACT(EMBEDDING) | DSM__LAYER_FACT(GROUPED))
/* clang-format on */

#define DSM__CHOICE_OF(choice, strategy, key, excluded_by) DSM__CHOICE_##choice,
typedef enum dsm__choice { DSM__CHOICES(DSM__CHOICE_OF) DSM__CHOICE_COUNT } dsm__choice;

/** The strategy that makes a choice: a set of one. */
dsm_optimization_set dsm__choice_strategies(dsm__choice choice);

/** Its word. */
const char *dsm__choice_word(dsm__choice choice);

/** Do options allow a choice, in their mode? */
bool dsm__may_choose(const dsm_explore_options *options, dsm__choice choice);

/** What is so of a layer, whatever is decided. */
dsm__layer_fact_set dsm__layer_facts(const dsm_workload *workload, size_t layer_index);

/** Why facts exclude a choice, as the end of a message: " in a layer with timesteps"; NULL: they do
 * not. */
const char *dsm__choice_why_not(dsm__choice choice, dsm__layer_fact_set facts);

/** May a layer make a choice, whatever else is decided? */
bool dsm__layer_may(const dsm_workload *workload, size_t layer_index, dsm__choice choice);

/** The field of a layer's decisions that says how it makes a choice, which is one of layers. */
const dsm__field *dsm__choice_field(dsm__choice choice);

/** What it says: a number, 1 for what is there. */
uint64_t dsm__choice_value(dsm__choice choice, const dsm_layer_decisions *decisions);

/** Is it made in a layer? */
bool dsm__is_chosen(dsm__choice choice, const dsm_layer_decisions *decisions);

/** How many stages or micro-batches a plan has, 0 where it has none, or how many layers of it make
 * a choice of layers. */
uint64_t dsm__choice_count(dsm__choice choice, const dsm_plan *plan);

/* ---- sets of strategies ---- */

/** Strategies that searches add or leave out together: a column of their rows. */
typedef enum dsm__strategy_set {
  DSM__ADDED_TO_CUT = 0,    /**< where memory is short: micro-batches */
  DSM__ADDED_TO_TAKE_TURNS, /**< micro-batches and stages */
  DSM__ADDED_TO_KEEP_LESS,  /**< shards and recomputation */
  DSM__ADDED_TO_FIT,        /**< all of these */
  DSM__LEFT_OUT_FIRST,      /**< where layers share latencies, in a first search */
  DSM__LEFT_OUT_SECOND,     /**< in a second one, before that of all words */
  DSM__LEFT_OUT_OF_STAGES,  /**< singly and together, where stages are to be cut */
  DSM__OF_TIME_ALONE,       /**< whose times are no sums: only time is searched with them */
  DSM__STRATEGY_SET_COUNT
} dsm__strategy_set;

dsm_optimization_set dsm__strategies_in(dsm__strategy_set set);

/** Subset number `number` of a set: bit b takes the strategy that is b before the last. False:
 * there are not so many subsets. */
bool dsm__strategies_part(dsm_optimization_set set, unsigned number, dsm_optimization_set *part);

/** Refuses strategies that the mode does not have, and numbers and words that need others.
 * DSM_ERROR_USAGE. */
DSM_NODISCARD dsm_status dsm__strategies_check(const dsm_explore_options *options,
                                               dsm_diags *diags);

/* ---- holding ---- */

/** Why a layer's output cannot be held, a phrase; NULL if it can. */
const char *dsm__held_why_not(const dsm_workload *workload, size_t layer_index);

/* ---- pipelines (section 9) ---- */

/** Do two layers stand in the same group of the workload, or both in none? */
bool dsm__pipeline_is_same_declared(const dsm_workload *workload, size_t a, size_t b);

/** Layers in the named group of a layer, wherever they stand; 0: it is in none. */
uint64_t dsm__pipeline_declared_length(const dsm_workload *workload, size_t index);

/** May a layer and the one after it be in one group? */
bool dsm__pipeline_can_join(const dsm_workload *workload, size_t earlier);

/** The least layers of a group where a run of layers that can join begins: two, or all of a name.
 * 0: no group is there, or the run began before. */
uint64_t dsm__pipeline_least_length(const dsm_workload *workload, size_t first);

#endif
