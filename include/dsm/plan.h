/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * plan.h: a mapping of a whole network, and its predicted cost.
 *
 * A plan is the centre of dsm: exploring makes one, scoring computes one again from its decisions
 * (perhaps edited by hand), reports show one. It holds the *decisions* (a parallelism for each
 * layer, a core split for each pass) and everything that the model predicts from them. The JSON
 * form (format "dsm-plan/1", docs/formats.md) contains the workload and the system in full.
 */
#ifndef DSM_PLAN_H
#define DSM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/mapping.h"
#include "dsm/model.h"
#include "dsm/storage.h"
#include "dsm/strategy.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Can a layer have a role along an axis (docs/model.md, section 3)? Heads and groups have to be
 * divided by the chips besides. */
DSM_API bool dsm_layer_can_have_role(const dsm_layer *layer, dsm_role role);

/** What the chips that sum a layer's gradients share out, each a part: each word with those before
 * it (docs/model.md, section 12). */
typedef enum dsm_sharding {
  DSM_SHARDING_NONE = 0,
  DSM_SHARDING_OPTIMIZER, /**< the optimizer's state */
  DSM_SHARDING_GRADIENTS, /**< and gradients, which are summed after each micro-batch then */
  DSM_SHARDING_WEIGHTS,   /**< and weights, which are gathered before each forward and backward pass
                           */
  DSM_SHARDING_COUNT
} dsm_sharding;

/** The word of the formats, such as "gradients". Never NULL. */
DSM_API const char *dsm_sharding_name(dsm_sharding shard);

/** Cycles by component; they add up to the total in the order written. Lower is better. */
typedef struct dsm_cycles {
  double primary;
  double overlapped; /**< not a summand: overlapped_visible is what shows of it */
  double overlapped_visible;
  double auxiliary;
  double non_overlapped;
  double total;
} dsm_cycles;

/** What an invocation finds on chip, or adds to. */
typedef enum dsm_invocation_kind {
  DSM_INVOCATION_FIRST = 0,  /**< nothing is resident from an earlier invocation */
  DSM_INVOCATION_STEADY,     /**< the kernel (update: its gradient) stays from the one before */
  DSM_INVOCATION_WRITE,      /**< update of the first spatial minibatch */
  DSM_INVOCATION_ACCUMULATE, /**< update of the later ones: adds to the gradient in memory */
  DSM_INVOCATION_HOISTED,    /**< input products of all timesteps of an lstm */
  DSM_INVOCATION_RECOMPUTE,  /**< of the forward pass, again, with its core split */
  DSM_INVOCATION_KIND_COUNT
} dsm_invocation_kind;

/** One transfer on one link. */
typedef struct dsm_plan_transfer {
  dsm_transfer transfer;
  unsigned axis; /**< along which it goes; DSM_NO_AXIS: within the chips */
  dsm_group group;
  dsm_link link;
  double bytes;
  double cycles;         /**< that it alone occupies the link */
  const char *axis_name; /**< of the axis, in systems that name theirs; else NULL */
} dsm_plan_transfer;

/** Invocations of one kind in a pass. */
typedef struct dsm_invocation {
  dsm_invocation_kind kind;
  uint64_t count; /**< in a step */
  double times; /**< as how many its cost counts in the cycles of the pass: count, and in a pipeline
                     the share that makes them the layer's part of its group's */
  dsm_loops split;                    /**< decision: parts over the cores */
  dsm_loops core;                     /**< CoreD */
  dsm_loops array;                    /**< ArrayD */
  dsm_tile tile;                      /**< with model.tile_schedule; else 0 */
  dsm_computing computing;            /**< what computes in a core */
  dsm_invocation_cost cost;           /**< of one invocation */
  const dsm_plan_transfer *transfers; /**< of one invocation; owned by the plan */
  size_t transfer_count;
} dsm_invocation;

/** Most kinds of invocation in a pass. */
#define DSM_INVOCATION_KINDS_MAX 3

/** What is decided for a pass of a layer. Whether weights stay from one invocation to the next, and
 * the core split of later invocations, are in its invocations. */
typedef struct dsm_pass_decisions {
  dsm_parallelism parallelism;
  dsm_loops core_split; /**< parts over the cores, in the first of the invocations */
} dsm_pass_decisions;

/** A pass of a layer over the whole step. In a pipeline, cycles are the layer's share of its
 * group's. */
typedef struct dsm_pass_plan {
  bool exists; /**< the layer has this pass in this mode */
  dsm_pass_decisions decisions;
  dsm_chip_share share;                                 /**< of the parallelism: ChipD */
  dsm_invocation invocations[DSM_INVOCATION_KINDS_MAX]; /**< core splits, costs */
  size_t invocation_count;                              /**< kinds, 1 or more */
  dsm_cycles cycles;                                    /**< sums over the step */
  double group_cycles[DSM_GROUP_COUNT]; /**< overlapped (stream), and the non-overlapped parts,
                                             which add up to cycles.non_overlapped in order */
  double group_latency_cycles[DSM_GROUP_COUNT]; /**< part of them: steps between chips; with
                                                     model.overlapped_reduction hidden ones too */
  double hidden_cycles; /**< of sum_of_gradients and broadcast_weights, beside those of the groups:
                             behind what is left of backward and update (section 5); of weights
                             that are gathered, behind the pass (section 12) */
  double accumulation_cycles; /**< of weight_update: adding up the gradients of micro-batches */
  double ideal_cycles;        /**< of a machine without loss */
  double utilization;         /**< ideal over total, 0 .. 1; higher is better */
  dsm_resources resources;    /**< the total by what decides it */
  dsm_bound bound;            /**< what most of it is spent on */
  dsm_joules energy;          /**< of all chips that run it, without static power; 0 where the
                                   system names no technology */
  const dsm_plan_transfer *transfers; /**< over the whole step; owned by the plan */
  size_t transfer_count;
} dsm_pass_plan;

/** dsm_layer_plan.pipeline of a layer outside all groups. */
#define DSM_NO_PIPELINE SIZE_MAX

/** What is decided for a layer, beside its passes. */
typedef struct dsm_layer_decisions {
  uint64_t dysm_factor;          /**< spatial minibatches in a step, 1 or more */
  bool is_output_held;           /**< output and error stay on chip */
  dsm_core_layout output_layout; /**< of a held output where model.layout_move is "exact": how it
                                    and its error lie in the cores; else zeros */
  bool is_hoisted;               /**< lstm: input products of all timesteps at once */
  dsm_sharding shard;            /**< what of its weights is shared out */
  bool is_recomputed;         /**< its forward pass runs again; what it makes is not kept, but for
                                   an output that is read outside of its segment */
  bool is_output_recomputed;  /**< nor is that: its segment goes on with the next one of a block */
  bool is_product_kept;       /**< where it is recomputed: what its product makes is kept, and only
                                   the operations on its input and output run again */
  double weights_on_chip;     /**< preloaded fraction of the weights */
  const char *pipeline_group; /**< name of its group; NULL: it runs by itself */
  uint64_t stage_rows;        /**< in a group: rows of its stage's chips; else 0 */
  uint64_t stage_columns;     /**< likewise, chips in a row */
  dsm_parallelism error_parallelism; /**< layout of its output's error, of a layer without backward
                                          pass in training, where it is not that of the update pass;
                                          else DSM_PARALLELISM_COUNT */
} dsm_layer_decisions;

/** A layer: what is decided for it, and its passes. */
typedef struct dsm_layer_plan {
  const char *name;
  const dsm_layer *layer; /**< of the plan's workload; NULL in a baseline */
  dsm_layer_decisions decisions;
  size_t pipeline;                   /**< index of its group, or DSM_NO_PIPELINE */
  dsm_parallelism error_parallelism; /**< layout of its output's error: that of the backward pass, a
                                          decision where there is none */
  double held_bytes;                 /**< of a chip, in held tensors, while the layer runs */
  dsm_layer_memory memory;           /**< of a chip, section 12. Of a pipeline group only the stage
                                          that keeps most has it, with the largest transient bytes
                                          of all of them; the others have zeros */
  dsm_pass_plan passes[DSM_PASS_COUNT];
} dsm_layer_plan;

/** Layers that run at the same time, timestep by timestep, on chips of the torus of their own. */
typedef struct dsm_pipeline_plan {
  const char *name; /**< the group's, or that of its first and last layer */
  size_t first_layer;
  size_t layer_count;
  const char *const *layer_names;
  uint64_t columns;        /**< decision: chips in a row of each of its stages */
  const uint64_t *rows;    /**< decision, of each layer */
  double cycles;           /**< of the group: what its layers' passes add up to */
  dsm_resources resources; /**< these by what decides them in the slowest stages */
} dsm_pipeline_plan;

/** Stages of a step: runs of layers on chips of their own, through which micro-batches go one after
 * the other, in the order of a schedule (section 8). Of p interleaved stages each has
 * several runs: the first, the one p behind it, and so on. */
typedef struct dsm_stages {
  size_t count;                         /**< 0: none, all layers run on all chips */
  size_t interleave;                    /**< runs of layers of each stage; 0: one */
  dsm_schedule schedule;                /**< the order of their passes */
  size_t run_count;                     /**< of all stages */
  unsigned axis;                        /**< that is divided among them: contiguous parts of it */
  const char *axis_name;                /**< its word */
  const size_t *first_layers;           /**< of each run: index of its first layer */
  const char *const *first_layer_names; /**< likewise */
} dsm_stages;

/** A chip's memory, section 12. Lower is better. */
typedef struct dsm_plan_memory {
  double weights_bytes;
  double activations_bytes; /**< training: kept for update; inference: most that is live at once */
  double gradients_bytes;
  double errors_bytes;
  double optimizer_bytes;
  double cache_bytes;      /**< keys and values of all positions; inference only */
  double recomputed_bytes; /**< training: made anew, beside errors, where most is needed */
  double total_bytes;
  double capacity_bytes;
} dsm_plan_memory;

/** A step whose data come from storage (docs/storage.md). */
typedef struct dsm_plan_storage {
  dsm_storage_job job;      /**< of what the chips take; demand 0: there is no storage */
  dsm_storage_state state;  /**< with the repeating factor of the workload's data set */
  double computing_seconds; /**< step_cycles at the clock */
  double loading_seconds;   /**< the data of a step, at the rate at which they come */
  double waiting_seconds;   /**< what loading takes beyond computing; lower is better */
} dsm_plan_storage;

/** The energy of a step of all chips, where the system names a technology (docs/energy.md). */
typedef struct dsm_plan_energy {
  bool is_known;
  dsm_joules parts;
  double step_joules;     /**< their sum; lower is better */
  double chip_watts;      /**< of a chip on average */
  double capped_seconds;  /**< what the step takes at the least under the power cap; 0: no cap */
  double step_dollars;    /**< machine and energy; 0: the technology states no prices */
  double sample_dollars;  /**< of a million samples; likewise */
  double objective_value; /**< of options.objective, in its unit; 0: that is time, uncapped */
  double objective_bound; /**< what no mapping of the searched space is below; 0: not known */
} dsm_plan_energy;

/** The prediction for the whole step. */
typedef struct dsm_plan_result {
  double step_cycles;        /**< cycles.total; lower is better */
  double step_seconds;       /**< these at the clock; with storage the longer of computing and
                                  loading */
  double latency_seconds;    /**< the same in inference; else 0 */
  double samples_per_second; /**< higher is better */
  double utilization;        /**< 0 .. 1; higher is better */
  double lower_bound_cycles; /**< no mapping of the searched space is faster */
  double ideal_cycles;
  dsm_cycles cycles;
  dsm_bound bound;         /**< what most of step_cycles is spent on */
  dsm_resources resources; /**< step_cycles by what decides them */
  dsm_plan_memory memory;
  dsm_plan_storage storage;
  dsm_plan_energy energy;
} dsm_plan_result;

/** What the search did; the same for any number of threads. */
typedef struct dsm_search_statistics {
  uint64_t distinct_layers; /**< that differ in what costs depend on */
  uint64_t evaluations;     /**< mappings of a layer and pass that the model scored */
  bool is_stopped;          /**< by a limit of time or memory, or by options.is_stopped: another run
                                 may find another plan; or by that of work; also read */
  bool is_memory_met;       /**< the limit was that of memory */
} dsm_search_statistics;

/** A mapping of a whole network with its predicted cost. */
typedef struct dsm_plan {
  const dsm_workload *workload; /**< borrowed, or owned by a loaded plan */
  const dsm_system *system;     /**< borrowed, or owned by a loaded plan */
  dsm_explore_options options;
  uint64_t micro_batches; /**< decision: into so many a step's samples are cut, 1 or more */
  dsm_stages stages;      /**< decision */
  dsm_plan_result result;
  dsm_layer_plan *layers; /**< one for each primary layer, in order */
  size_t layer_count;
  const dsm_pipeline_plan *pipelines; /**< in order of execution */
  size_t pipeline_count;
  dsm_search_statistics statistics; /**< zero in a loaded plan */

  double price;                   /**< private: what a search compares; of time step_cycles */
  dsm_workload *owned_workload;   /**< private */
  dsm_system *owned_system;       /**< private */
  struct dsm__arena *arena;       /**< private */
  struct dsm__renaming *renaming; /**< private: words with the names of the system's axes */
} dsm_plan;

/**
 * Reads a plan's decisions, workload, system and options from JSON text named `file` in findings,
 * and predicts its cost anew. Numbers that follow from the decisions are not read; when
 * `recorded` is not NULL it receives what the text says of the result (step_cycles; 0 where
 * absent). *plan then belongs to the caller. result.lower_bound_cycles is left 0 (dsm_plan_bound
 * computes it). DSM_ERROR_INVALID: a rule is broken (of the format, or an illegal split).
 * DSM_ERROR_INFEASIBLE: it needs more memory than a chip has; *plan is NULL.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plan_parse(dsm_plan **plan, const char *text, size_t length,
                                                const char *file, double *recorded_step_cycles,
                                                dsm_diags *diags);

/** dsm_plan_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_plan_load(dsm_plan **plan, const char *path,
                                               double *recorded_step_cycles, dsm_diags *diags);

/** The plan as JSON text, malloc'ed, to be freed by the caller. NULL if out of memory. */
DSM_API char *dsm_plan_print(const dsm_plan *plan);

/** Writes dsm_plan_print to a file, whole or not at all. */
DSM_API DSM_NODISCARD dsm_status dsm_plan_save(const dsm_plan *plan, const char *path,
                                               dsm_diags *diags);

/** Frees the plan, and its workload and system if it owns them; NULL is fine. */
DSM_API void dsm_plan_free(dsm_plan *plan);

/**
 * Walks every invariant of a plan: legal decisions, ChipD x CoreD consistency, link traffic that
 * explains the times, every sum, memory within capacity. Decisions and sums are those of what
 * dsm_plan_print writes, which is read as any text is. DSM_ERROR_INVALID or DSM_ERROR_INFEASIBLE
 * with findings where one does not hold; those of decisions and sums have lines of that text.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plan_validate(const dsm_plan *plan, dsm_diags *diags);

/**
 * Adds up the numbers that a plan's text, named `file` in findings, records: those that
 * dsm_plan_parse predicts anew. DSM_ERROR_INVALID with findings, each at the number that is not
 * what the others come to; numbers that are left out are not missed. Is to be asked of a text that
 * dsm_plan_parse takes.
 */
DSM_API DSM_NODISCARD dsm_status dsm_plan_validate_text(const char *text, size_t length,
                                                        const char *file, dsm_diags *diags);

/** Notes the first number recorded in the text that `plan` was read from that differs from the
 * prediction. Notes nothing where step_cycles differs already, as after an edit. DSM_ERROR_INVALID:
 * the text is no JSON; DSM_ERROR_OUT_OF_MEMORY. */
DSM_API DSM_NODISCARD dsm_status dsm_plan_compare_text(const dsm_plan *plan, const char *text,
                                                       size_t length, const char *file,
                                                       dsm_diags *diags);

/** Seconds that the chips compute in a step: all of it, unless they wait for data. */
DSM_API double dsm_plan_computing_seconds(const dsm_plan *plan);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_invocation_kind_name(dsm_invocation_kind kind);

/** Words as the formats have them, with the names of the axes of the plan's system where it names
 * them: "data_gpu_model_node", "link_gpu". Never NULL. */
DSM_API const char *dsm_plan_parallelism_name(const dsm_plan *plan, dsm_parallelism parallelism);
/** The same of a link. */
DSM_API const char *dsm_plan_link_name(const dsm_plan *plan, dsm_link link);
/** The same of a bound. */
DSM_API const char *dsm_plan_bound_name(const dsm_plan *plan, dsm_bound bound);
/** The same of a transfer along an axis (DSM_NO_AXIS: within the chips): "rotate_gpu". */
DSM_API const char *dsm_plan_transfer_name(const dsm_plan *plan, dsm_transfer transfer,
                                           unsigned axis);

#ifdef __cplusplus
}
#endif

#endif
