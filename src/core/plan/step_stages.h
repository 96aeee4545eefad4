/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_stages.h: stages of a step (section 8): runs of layers, each on an equal part of an axis,
 * through which micro-batches go one after the other.
 */
#ifndef DSM_PLAN_STEP_STAGES_H
#define DSM_PLAN_STEP_STAGES_H

#include "plan/holding.h"
#include "plan/interleave.h"
#include "plan/makespan.h"
#include "plan/pass_builder.h"
#include "plan/stage.h"

/** Micro-batches times runs of stages, at most: so many passes a schedule has. */
#define DSM__STAGE_PASSES_MAX 1048576

/** How many there are: 1 if there are none. */
static inline size_t dsm__stage_count(const dsm_stages *stages) {
  return stages->count > 1 ? stages->count : 1;
}

/** How many runs of layers each has. */
static inline size_t dsm__interleave_of(const dsm_stages *stages) {
  return stages->interleave > 1 ? stages->interleave : 1;
}

/** How many runs all have together: 1 if there are no stages. */
static inline size_t dsm__stage_run_count(const dsm_stages *stages) {
  return dsm__stage_count(stages) * (stages->count > 1 ? dsm__interleave_of(stages) : 1);
}

/** The schedule of a step. */
static inline dsm__interleaving dsm__interleaving_of(const dsm_stages *stages,
                                                     uint64_t micro_batches) {
  return (dsm__interleaving){dsm__stage_count(stages), dsm__interleave_of(stages), micro_batches,
                             stages->schedule};
}

/** The pass that makes the error, where one is made. */
dsm_pass dsm__pass_of_error(const dsm_layer *layer);

/** The layers of a run of a stage: from the first on, up to the end. */
typedef struct dsm__stage_run {
  size_t first;
  size_t end;
} dsm__stage_run;

/** Of p stages the first has run 0, run p and so on; without stages there is one run. */
dsm__stage_run dsm__stage_run_of(const dsm_stages *stages, size_t layer_count, size_t run);

/** The run of a layer, and its stage. */
size_t dsm__run_of(const dsm_stages *stages, size_t layer);
size_t dsm__stage_of(const dsm_stages *stages, size_t layer);

/** The layers of a stage in order, in indices[0 .. layer_count); returns how many. */
size_t dsm__stage_indices(const dsm_stages *stages, size_t layer_count, size_t stage,
                          size_t *indices);

/** The machine of a stage, set up in *part; without stages the whole one. */
const dsm_machine *dsm__stage_machine(const dsm_machine *whole, const dsm_stages *stages,
                                      dsm__stage *part);

/** Copies all that stages have, with names; false if out of memory. */
bool dsm__stages_keep(dsm_stages *stages, const dsm_workload *workload, const dsm_system *system,
                      dsm__arena *arena);

/** Are a layer and the one whose weights it shares in different stages? Then each has them. */
bool dsm__is_tied_apart(const dsm_workload *workload, const dsm_stages *stages, size_t index);

/** The layers of a workload as stages have them: tied ones have weights of their own where those
 * are in another stage. NULL if out of memory. */
const dsm_layer *dsm__stage_layers(const dsm_workload *workload, const dsm_stages *stages,
                                   dsm__arena *arena);

/** Adds to a pass of a layer what its stage hands over, and what it sums of weights that another
 * stage has too. A run sends its outputs on and its errors back; the last one and the first,
 * which have nothing to send there, wait for what comes. */
void dsm__stage_add_links(dsm__pass_builder *builder, const dsm_workload *workload,
                          const dsm__decisions *decisions, const dsm__layer_setting *setting,
                          size_t index, dsm_pass pass);

/** What decides the time of these sums of a layer, as if nothing hid. */
dsm_resources dsm__tie_resources(const dsm_workload *workload, const dsm__decisions *decisions,
                                 const dsm__layer_setting *setting, size_t index);

/** Micro-batches whose activations a stage keeps at a time, at most; of interleaved stages what its
 * runs keep, of a micro-batch of all its runs. */
double dsm__stage_in_flight(const dsm_stages *stages, size_t stage, uint64_t micro_batches);

/** Fills memory[0 .. layer_count) as the machine of a stage has them: the layers of the stage that
 * needs most, with the activations of all its micro-batches in flight; the others are zero. */
void dsm__stages_memory_derive(const dsm_workload *micro, const dsm_machine *machine, dsm_mode mode,
                               const dsm__decisions *decisions, dsm_layer_memory *memory);

/** The step of stages: what they take for a micro-batch, and once. */
typedef struct dsm__stage_cost {
  double forward; /**< of a micro-batch, handing over included */
  double backward;
  double update; /**< of `backward`, gradients of weights that are made apart from errors */
  double handed; /**< of these two, handing over */
  double once;   /**< sums of gradients, ways back of weights, updates */
} dsm__stage_cost;

/** Takes together what a stage takes. */
void dsm__stage_cost_add(dsm__stage_cost *sum, const dsm__stage_cost *more);

/** What layers of a plan, predicted on a stage's chips, take for a micro-batch. */
dsm__stage_cost dsm__stage_cost_of(const dsm_plan *plan, dsm__stage_run run);

/** What a run of a plan's stages takes on its own chips. */
dsm__stage_cost dsm__stage_own_cost(const dsm_plan *plan, size_t run);

/** The schedule of stages whose runs take so much, and its time; negative if out of memory. */
double dsm__stages_schedule_find(const dsm__stage_cost *costs, const dsm__interleaving *of,
                                 dsm__arena *arena, dsm__schedule *schedule);

/** The cycles of a step: the time of the schedule, exact if each stage has one run, and the largest
 * `once`. Negative if out of memory. */
double dsm__stages_step_cycles(const dsm__stage_cost *costs, const dsm__interleaving *of);

/** Makes of the passes of a plan, each predicted on its stage's chips, what they are of the whole
 * machine's time: its chips' share, with what they wait for the other stages. False if out of
 * memory. */
bool dsm__stages_settle(dsm_plan *plan);

#endif
