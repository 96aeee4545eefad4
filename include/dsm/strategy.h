/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * strategy.h: what a search may use, as rows of one table.
 *
 * A strategy is an optimization that widens the searched space. Its row says its word, when it can
 * be named, and why it changes nothing for a workload on a system; the words of options and
 * formats, the rungs of a ladder, the notes of the command line and the rules of plans come from
 * the table.
 */
#ifndef DSM_STRATEGY_H
#define DSM_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/mapping.h"
#include "dsm/role.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Optimisations that widen the searched space, in the order in which a ladder adds them. */
typedef enum dsm_optimization {
  DSM_OPTIMIZATION_HYBRID = 0, /**< DataXModelY and ModelXDataY beside data and model */
  DSM_OPTIMIZATION_REUSE,      /**< activations, their gradients and weights held on chip */
  DSM_OPTIMIZATION_DYSM,       /**< dynamic spatial minibatching */
  DSM_OPTIMIZATION_PIPELINE,   /**< timestep pipelining */
  DSM_OPTIMIZATION_PER_PASS,   /**< passes of a layer may differ in parallelism; training */
  DSM_OPTIMIZATION_PRELOAD,    /**< weights on chip across requests; inference */
  DSM_OPTIMIZATION_HOIST,      /**< input products of an lstm at once; training, if named */
  DSM_OPTIMIZATION_SPATIAL,    /**< chips share positions; if named */
  DSM_OPTIMIZATION_TENSOR, /**< chips share features of weights and of what is inside; if named */
  DSM_OPTIMIZATION_EXPERT, /**< chips share the experts of layers that have some; if named */
  DSM_OPTIMIZATION_ACCUMULATE, /**< micro-batches, whose gradients are summed; training, if named */
  DSM_OPTIMIZATION_SHARD,      /**< chips that sum gradients share out what is kept of weights;
                                    training, if named */
  DSM_OPTIMIZATION_RECOMPUTE,  /**< forward passes again in place of what they make kept; training,
                                    if named */
  DSM_OPTIMIZATION_STAGES,     /**< pipelines of runs of layers over micro-batches; likewise */
  DSM_OPTIMIZATION_CONTEXT,    /**< chips share positions of attentions, in either of two forms; if
                                    named */
  DSM_OPTIMIZATION_DIVIDE,     /**< axes of a switch stand for two, whose chips have roles of their
                                    own; if named */
  DSM_OPTIMIZATION_COUNT
} dsm_optimization;

/** A set of optimizations: bit o stands for optimization o. */
typedef unsigned dsm_optimization_set;
/** The set of one optimization. */
#define DSM_OPTIMIZATION_BIT(optimization) (1U << (unsigned)(optimization))
/** The set of all optimizations but those that are used only where they are named: `hoist` and
 * those after it. */
#define DSM_OPTIMIZATION_ALL ((1U << (unsigned)DSM_OPTIMIZATION_HOIST) - 1U)
/** The set of all optimizations, those too, but for `divide`, with which each division of an axis
 * is a search of its own. */
#define DSM_OPTIMIZATION_EVERYTHING ((1U << (unsigned)DSM_OPTIMIZATION_DIVIDE) - 1U)

/** Which layers are to run their forward pass again (docs/model.md, section 12), where that is
 * asked for: of those that can, without timesteps and with a backward or an update pass. */
typedef enum dsm_recomputation {
  DSM_RECOMPUTATION_BEST = 0,     /**< those that are best */
  DSM_RECOMPUTATION_NONE,         /**< none */
  DSM_RECOMPUTATION_SELECTIVE,    /**< of each attention the scores */
  DSM_RECOMPUTATION_FULL,         /**< all of each segment of more than one layer */
  DSM_RECOMPUTATION_OPERATIONS,   /**< of each layer the operations on its product, which is kept */
  DSM_RECOMPUTATION_BY_OPERATION, /**< as BEST, and where that is best the operations alone */
  DSM_RECOMPUTATION_COUNT
} dsm_recomputation;

/** The word of the formats and of `--recompute`, such as "full". Never NULL. */
DSM_API const char *dsm_recomputation_name(dsm_recomputation recomputation);

/** Why no layer of a workload is among those that are asked for, in words for people; NULL: some
 * are, or none was to be. */
DSM_API const char *dsm_recomputation_why_not(const dsm_workload *workload,
                                              dsm_recomputation asked);

/** Where stages of a step may begin. */
typedef enum dsm_stages_at {
  DSM_STAGES_AT_BEST = 0, /**< wherever one tensor passes on */
  DSM_STAGES_AT_BLOCKS,   /**< between repeated blocks, as many of them in each run of layers, as
                               frameworks have it */
  DSM_STAGES_AT_COUNT
} dsm_stages_at;

/** The word of the formats and of `--stages-at`, such as "blocks". Never NULL. */
DSM_API const char *dsm_stages_at_name(dsm_stages_at stages_at);

/** In which order the stages of a step run their passes (section 8). */
typedef enum dsm_schedule {
  DSM_SCHEDULE_1F1B = 0,    /**< forward and backward in turn */
  DSM_SCHEDULE_ZERO_BUBBLE, /**< gradients of weights are made where a stage would wait */
  DSM_SCHEDULE_COUNT
} dsm_schedule;

/** The word of the formats and of `--schedule`, such as "zero_bubble". Never NULL. */
DSM_API const char *dsm_schedule_name(dsm_schedule schedule);

/** What each layer is to share out of its weights, where that is asked for: of layers whose weights
 * several chips have, and that are not tied (docs/model.md, section 12). */
typedef enum dsm_shard_level {
  DSM_SHARD_LEVEL_BEST = 0,  /**< what is best, layer by layer */
  DSM_SHARD_LEVEL_NONE,      /**< nothing */
  DSM_SHARD_LEVEL_OPTIMIZER, /**< as the words of dsm_sharding: ZeRO 1, */
  DSM_SHARD_LEVEL_GRADIENTS, /**< 2 */
  DSM_SHARD_LEVEL_WEIGHTS,   /**< and 3 */
  DSM_SHARD_LEVEL_COUNT
} dsm_shard_level;

/** The word of the formats and of `--shard`, such as "weights". Never NULL. */
DSM_API const char *dsm_shard_level_name(dsm_shard_level level);

/** A framework that is to run a plan: what the chips along an axis do, what they share out of
 * weights and what runs again is then the same of all layers, as far as it concerns them, and
 * stages begin between blocks (docs/export.md). */
typedef enum dsm_as_run_by {
  DSM_AS_RUN_BY_ANY = 0, /**< none: each layer by itself */
  DSM_AS_RUN_BY_MEGATRON,
  DSM_AS_RUN_BY_TORCHTITAN,
  DSM_AS_RUN_BY_DEEPSPEED,
  DSM_AS_RUN_BY_MAXTEXT,
  DSM_AS_RUN_BY_COUNT
} dsm_as_run_by;

/** The word of the formats and of `--as-run-by`, such as "megatron". Never NULL. */
DSM_API const char *dsm_as_run_by_name(dsm_as_run_by by);

/** What a search minimises. All but time need a system that names a technology (docs/energy.md). */
typedef enum dsm_aim {
  DSM_AIM_TIME = 0,
  DSM_AIM_JOULES,  /**< of a step, of all chips */
  DSM_AIM_EDP,     /**< these times the seconds of the step */
  DSM_AIM_DOLLARS, /**< of a step: the machine's hours, and energy */
  DSM_AIM_COUNT
} dsm_aim;

/** The word of the formats and of `--objective`, such as "joules". Never NULL. */
DSM_API const char *dsm_aim_name(dsm_aim aim);

/** What was asked for: together with workload and system it determines the searched space. */
typedef struct dsm_explore_options {
  dsm_mode mode;
  dsm_optimization_set optimizations;
  dsm_parallelism_set parallelisms; /**< allowed; never empty */
  dsm_role_set roles[DSM_AXES_MAX]; /**< allowed along each axis; 0: all of the optimizations. A
                                         layer that can take none of them is data parallel */
  size_t thread_count;              /**< at most; results do not depend on it; not in the plan */
  double gap; /**< relative distance from the bound at which the search may stop, from
                   0 (only at the optimum) to below 1 */
  double time_limit_seconds; /**< after which the search ends with the best mapping that it has, and
                                  what bound it has; where it has none by then it goes on for
                                  as long again; more than 0, or 0: as much work as takes about
                                  a minute, the same on any machine */
  double memory_limit_GB; /**< of the search itself, after which it ends likewise; 0: a quarter of
                               the machine's; infinite: none; not in the plan */
  bool (*is_stopped)(void *context); /**< asked now and then, by any thread: whether the search is
                                        to end with the best mapping that it has; NULL: nobody asks;
                                          not in the plan */
  void *context;                     /**< of is_stopped */
  uint64_t stages;                   /**< with `stages`: so many, 1: none; 0: as many as are best */
  uint64_t micro_batches;            /**< with `accumulate`: so many; 0: likewise */
  uint64_t interleave;     /**< with `stages`: so many runs of layers of each; 0: likewise */
  dsm_stages_at stages_at; /**< with `stages`: where they begin */
  dsm_schedule schedule;   /**< with `stages`: the order of their passes */
  dsm_recomputation recomputation; /**< with `recompute`: of which layers */
  dsm_shard_level shard_level;     /**< with `shard`: what each layer shares out */
  dsm_as_run_by as_run_by;         /**< the framework that is to run the plan; training */
  dsm_aim aim;                     /**< what is minimised */
  double power_cap_watts;          /**< of a chip on average over a step; 0: none */
  const char *const *overrides;    /**< PATH=VALUE already applied to the inputs, for the record;
                                        copied into the plan */
  size_t override_count;
} dsm_explore_options;

/** The only place of defaults: training, all optimizations, all parallelisms, one thread; neither
 * gap nor time limit. */
DSM_API void dsm_explore_options_init(dsm_explore_options *options);

/** Forgets numbers, a place of stages, a recomputation and a level of shards that need
 * optimizations which the options do not have. */
DSM_API void dsm_options_settle(dsm_explore_options *options);

/** Allows words of parallelisms, or, where there are roles, those roles: `any` along each axis, and
 * `of_axes` along one. The words data and model are roles then; beside roles others are wrong:
 * false. */
DSM_API bool dsm_options_allow(dsm_explore_options *options, dsm_parallelism_set words,
                               dsm_role_set any, const dsm_role_set of_axes[DSM_AXES_MAX]);

/** Adds the role that a text names, "column" or "gpu=column", to those of any or of one axis. Axes
 * have the names of the system, or x, y and z; NULL: only these. False if it is no role. */
DSM_API bool dsm_named_role_parse(const dsm_system *system, const char *text, dsm_role_set *any,
                                  dsm_role_set of_axes[DSM_AXES_MAX]);

/** A row of the table. */
typedef struct dsm_strategy {
  const char *word;     /**< of the formats, of `--optimize` and of its rung, such as "hybrid" */
  const char *help;     /**< what it is, a clause */
  unsigned modes;       /**< those in which it can be named: bit m stands for mode m */
  bool is_named_only;   /**< it is used only where it is named */
  const char *refused;  /**< in other modes, why it is wrong to name it; NULL: it is left out */
  dsm_role_group roles; /**< of an axis, that need it; DSM_ROLE_GROUP_WORDS: none */
  bool is_of_all_roles; /**< where the system's model.search is all it is used without its name */
  bool has_gap;         /**< its search may stop at a gap; that of the others does not */
} dsm_strategy;

/** The row of an optimization. */
DSM_API const dsm_strategy *dsm_strategy_of(dsm_optimization optimization);

/** Which optimizations do not go with what, in words for people; size at least 1. */
DSM_API void dsm_strategy_exclusions(char *text, size_t size);

/** Why an optimization has no effect for a workload on a system with options, in words for people;
 * NULL: perhaps it has one. Asks nothing of the set of optimizations in the options. */
DSM_API const char *dsm_optimization_why_not(dsm_optimization optimization,
                                             const dsm_workload *workload, const dsm_system *system,
                                             const dsm_explore_options *options);

/** The word of the formats, such as "hybrid". Never NULL. */
DSM_API const char *dsm_optimization_name(dsm_optimization optimization);
/** The same read back, exactly; false if the text is none of them. */
DSM_API bool dsm_optimization_parse(const char *text, dsm_optimization *optimization);

/** All of a mode: `per_pass` has no meaning in inference, `preload` none in training; without those
 * that are used only where they are named. */
DSM_API dsm_optimization_set dsm_mode_optimizations(dsm_mode mode);
/** All of a mode on a system: with those that add roles where the system's model.search is "all",
 * and with hoist where its model.search_hoist says so. */
DSM_API dsm_optimization_set dsm_system_optimizations(const dsm_system *system, dsm_mode mode);
/** Those that a framework may use in a mode (all but `pipeline` and `per_pass`), for dsm_as_run_by.
 */
DSM_API dsm_optimization_set dsm_as_run_by_optimizations(dsm_mode mode);
/** Those that may be named in a mode: in training `hoist` too. */
DSM_API dsm_optimization_set dsm_mode_possible_optimizations(dsm_mode mode);

/** What the rungs of a ladder add one after the other, up to the options' own optimizations; the
 * first rung adds nothing, but has what is asked for needs, which no rung adds: roles that are
 * named, parallelisms that are all hybrid, numbers of stages or micro-batches, a recomputation, a
 * level of shards.
 * Returns how many they are. */
DSM_API size_t dsm_ladder_additions(const dsm_explore_options *options,
                                    dsm_optimization additions[DSM_OPTIMIZATION_COUNT]);

#ifdef __cplusplus
}
#endif

#endif
