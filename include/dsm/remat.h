/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * remat.h: rematerialization: less memory for more time.
 *
 * Training keeps what its forward pass made until the backward pass needs it. A network that is a
 * chain of stages can keep less: what is not kept is computed again. Of all schedules in which what
 * is stored stays until its backward pass the fastest within a budget of memory is found, with the
 * dynamic programme of Rotor (Beaumont et al., "Optimal checkpointing for heterogeneous chains",
 * 2019) over options of stages as Rockmate has them (Zhao et al., ICML 2023). docs/remat.md.
 */
#ifndef DSM_REMAT_H
#define DSM_REMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/override.h"
#include "dsm/plan.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Up to so many operations the options of a stage are found exactly. */
#define DSM_REMAT_EXACT_OPERATIONS_MAX 20
/** Units that a budget is divided into, if a request does not say. */
#define DSM_REMAT_SLOTS 500
/** The same at most. */
#define DSM_REMAT_SLOTS_MAX 100000
/** Most bytes of the tables of the dynamic programme (2 GiB). */
#define DSM_REMAT_TABLE_BYTES_MAX ((size_t)2 << 30)

/* ---- chains ---- */

/** A way to run a stage so that its backward pass can follow. */
typedef struct dsm_remat_option {
  const char *name;
  double forward_seconds;
  double backward_seconds; /**< with what it computes again */
  double saved_bytes;      /**< from its forward to its backward pass, the stage's output among
                                them */
  double forward_temporary_bytes;  /**< beside what is saved, during its forward pass */
  double backward_temporary_bytes; /**< beside what is saved and both errors */
} dsm_remat_option;

/** A part of a chain: it reads the output of the one before, and nothing else. */
typedef struct dsm_remat_stage {
  const char *name;
  double output_bytes;             /**< what a checkpoint behind it keeps */
  double error_bytes;              /**< of the error of its output */
  double forward_seconds;          /**< of a forward pass that saves nothing */
  double temporary_bytes;          /**< of that pass, beside input and output */
  bool is_recomputable;            /**< its forward pass may run more than once */
  const dsm_remat_option *options; /**< len = option_count, at least 1 */
  size_t option_count;
} dsm_remat_stage;

/** A network as a chain. */
typedef struct dsm_remat_chain {
  const char *name;
  const char *source;           /**< where the figures are from; NULL: it does not say */
  uint64_t minibatch;           /**< samples that times and bytes are of */
  double input_bytes;           /**< of the chain's input, which the budget does not hold */
  double input_error_bytes;     /**< of its error; 0: nobody wants it */
  double budget_bytes;          /**< for all but input, parameters, gradients and optimizer state;
                                     0: it does not say */
  double link_bytes_per_second; /**< between devices of a pipeline; infinite: at once */
  const dsm_remat_stage *stages;
  size_t stage_count;

  struct dsm__arena *arena; /**< private */
} dsm_remat_chain;

/**
 * Reads a chain (format "dsm-stages/1", docs/formats.md) named `file` in findings, after the
 * overrides. *chain belongs to the caller. DSM_ERROR_INVALID with findings, and NULL.
 */
DSM_API DSM_NODISCARD dsm_status dsm_remat_chain_parse(dsm_remat_chain **chain, const char *text,
                                                       size_t length, const char *file,
                                                       const dsm_override *overrides,
                                                       size_t override_count, dsm_diags *diags);

/** dsm_remat_chain_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_remat_chain_load(dsm_remat_chain **chain, const char *path,
                                                      const dsm_override *overrides,
                                                      size_t override_count, dsm_diags *diags);

/**
 * The chain of a plan of training: the network is cut at tensors through which all paths go, and
 * each segment has the plan's own times, and the bytes that a chip stores. The budget is what a
 * chip's memory of so many bytes (0: that of the plan's system) has left beside parameters,
 * gradients, optimizer state and input; 0 where that is nothing. DSM_ERROR_USAGE: the plan is one
 * of inference, or of layers without a graph, or of more than DSM_REMAT_STAGES_MAX segments.
 */
DSM_API DSM_NODISCARD dsm_status dsm_remat_chain_of_plan(dsm_remat_chain **chain,
                                                         const dsm_plan *plan,
                                                         double capacity_bytes, dsm_diags *diags);

/** The chain as JSON text (format "dsm-stages/1"), malloc'ed, to be freed by the caller. NULL if
 * out of memory. */
DSM_API char *dsm_remat_chain_print(const dsm_remat_chain *chain);

/** The time of a step that computes nothing again. */
DSM_API double dsm_remat_chain_seconds(const dsm_remat_chain *chain);

/** Frees it; NULL is fine. */
DSM_API void dsm_remat_chain_free(dsm_remat_chain *chain);

/* ---- schedules ---- */

/** What is done with a stage at a time. */
typedef enum dsm_remat_action {
  DSM_REMAT_CHECKPOINT = 0, /**< forward, saving nothing; its input stays */
  DSM_REMAT_FORWARD,        /**< forward, saving nothing; its input goes */
  DSM_REMAT_SAVE,           /**< forward, saving what an option saves */
  DSM_REMAT_BACKWARD,       /**< backward, with what its option saved; both go, and its input */
  DSM_REMAT_ACTION_COUNT
} dsm_remat_action;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_remat_action_name(dsm_remat_action action);

/** A step of a schedule. */
typedef struct dsm_remat_step {
  dsm_remat_action action;
  size_t stage;
  size_t option; /**< of SAVE and BACKWARD; else 0 */
} dsm_remat_step;

/** What a schedule comes to. */
typedef struct dsm_remat_run {
  double seconds;
  double peak_bytes;
  size_t repeated; /**< forward passes beside the first of each stage */
} dsm_remat_run;

/**
 * Runs a schedule step by step over a memory that starts empty, apart from all search: each step
 * must find what it needs, and what it makes is added up. `held_bytes`, if not NULL, has room for
 * what is held after each step. DSM_ERROR_INVALID: the chain is none, or a step lacks something,
 * runs what may not run again, or the backward passes are not all there; a finding says which.
 */
DSM_API DSM_NODISCARD dsm_status dsm_remat_simulate(dsm_remat_run *run, double *held_bytes,
                                                    const dsm_remat_chain *chain,
                                                    const dsm_remat_step *steps, size_t step_count,
                                                    dsm_diags *diags);

/* ---- the fastest schedule within a budget ---- */

/** What is asked of a chain. */
typedef struct dsm_remat_options {
  double budget_bytes; /**< 0: that of the chain, or, if it has none, what all stages need that keep
                            everything */
  size_t slots;        /**< units that the budget is divided into; sizes are rounded up to them */
  bool is_whole;       /**< a stage keeps all or nothing: its first option alone */
  bool wants_front;    /**< also the times over all budgets */
} dsm_remat_options;

/** The only place of defaults: 0, DSM_REMAT_SLOTS, and neither of the others. */
DSM_API void dsm_remat_options_init(dsm_remat_options *options);

/** A budget, and the least time that it allows. */
typedef struct dsm_remat_point {
  double bytes; /**< of the schedule's peak */
  double seconds;
} dsm_remat_point;

/** An answer. */
typedef struct dsm_remat_result {
  const dsm_remat_chain *chain; /**< borrowed */
  double budget_bytes;
  double unit_bytes;     /**< that sizes were rounded up to */
  dsm_remat_run run;     /**< of the schedule, as simulated */
  dsm_remat_run full;    /**< of the fastest schedule without any budget */
  double smallest_bytes; /**< no schedule has a lower peak */
  const dsm_remat_step *steps;
  const double *held_bytes; /**< after each step */
  size_t step_count;
  const dsm_remat_point *points; /**< by bytes, times falling; of a request that wants the front */
  size_t point_count;

  struct dsm__arena *arena; /**< private */
} dsm_remat_result;

/**
 * Finds the fastest schedule within the budget. *result belongs to the caller and borrows the
 * chain. DSM_ERROR_INVALID: the chain is none, or the budget no number above 0. DSM_ERROR_USAGE:
 * tables would need more than DSM_REMAT_TABLE_BYTES_MAX. DSM_ERROR_INFEASIBLE: no schedule fits;
 * a finding says which budget is the smallest. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_remat(dsm_remat_result **result, const dsm_remat_chain *chain,
                                           const dsm_remat_options *options, dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_remat_result_free(dsm_remat_result *result);

/* ---- pipelines ---- */

/** The order in which a device of a pipeline takes its micro-batches. */
typedef enum dsm_remat_order {
  DSM_REMAT_GPIPE = 0,                /**< all forward, then all backward in reverse order */
  DSM_REMAT_ONE_FORWARD_ONE_BACKWARD, /**< backward as soon as there is one */
  DSM_REMAT_ORDER_COUNT
} dsm_remat_order;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_remat_order_name(dsm_remat_order order);

/** How the memory of a device is shared between its micro-batches. */
typedef enum dsm_remat_sharing {
  DSM_REMAT_DIRECT = 0, /**< each has an equal part */
  DSM_REMAT_GLOBAL,     /**< one chain of all */
  DSM_REMAT_SHARING_COUNT
} dsm_remat_sharing;

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_remat_sharing_name(dsm_remat_sharing sharing);

/** What is asked of a pipeline. */
typedef struct dsm_remat_pipeline_options {
  dsm_remat_options remat; /**< the budget is that of each device */
  size_t devices;          /**< that the chain is cut for: at most one a stage */
  uint64_t micro_batches;  /**< a divisor of the chain's minibatch; 0: all divisors are tried */
} dsm_remat_pipeline_options;

/** A device's part of a pipeline. */
typedef struct dsm_remat_device {
  size_t first_stage;
  size_t stage_count;
  uint64_t stored; /**< micro-batches whose activations it has at a time, at most */
  double busy_seconds;
  double overhead; /**< busy time over that without rematerialization, less 1 */
  double peak_bytes;
} dsm_remat_device;

/** A way to run a pipeline. */
typedef struct dsm_remat_pipeline_case {
  uint64_t micro_batches;
  dsm_remat_order order;
  dsm_remat_sharing sharing;
  bool is_feasible;
  double smallest_bytes; /**< budget from which on it is feasible; where it is not */
  double seconds; /**< from the first forward pass to the last backward pass; 0: infeasible */
  double bubble;  /**< part of the devices' time in which they wait */
  const dsm_remat_device *devices; /**< len = the pipeline's device_count; of a case that is not
                                        feasible without times and peaks */
} dsm_remat_pipeline_case;

/** Pipelines of a chain. */
typedef struct dsm_remat_pipeline {
  const dsm_remat_chain *chain; /**< borrowed */
  size_t device_count;
  double budget_bytes; /**< of a device */
  const dsm_remat_pipeline_case *cases;
  size_t case_count;
  size_t best; /**< the fastest case that is feasible, of equals the first */

  struct dsm__arena *arena; /**< private */
} dsm_remat_pipeline;

/**
 * Cuts the chain into parts of which the longest takes least time, one a device, and runs the
 * minibatch in micro-batches: each order and sharing of each number of them is a case. One chain of
 * all micro-batches has at most DSM_REMAT_STAGES_MAX stages: of more there is no such case.
 * Statuses as of dsm_remat, infeasible if no case fits; also DSM_ERROR_USAGE: more devices than
 * stages, or micro-batches that do not divide the minibatch.
 */
DSM_API DSM_NODISCARD dsm_status dsm_remat_pipeline_make(dsm_remat_pipeline **pipeline,
                                                         const dsm_remat_chain *chain,
                                                         const dsm_remat_pipeline_options *options,
                                                         dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_remat_pipeline_free(dsm_remat_pipeline *pipeline);

#ifdef __cplusplus
}
#endif

#endif
