/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_chain.c: the chain of a plan.
 *
 * After a layer the network can be cut where its output is the only tensor made so far that
 * anything later reads: all paths go through it. What stands between two cuts is a segment. Times
 * are those of the plan's passes, bytes those of a chip: what its layers keep, the output in the
 * layout of the forward pass, the error in that of the backward pass. Layers of a pipeline group
 * stay together.
 */
#include <math.h>

#include "base/diag_add.h"
#include "chain/chain.h"
#include "dsm/limits.h"
#include "plan/segments.h"
#include "workload/workload_internal.h"

/* ---- tensors ---- */

static double share_bytes(const dsm_plan *plan, const dsm_layer *layer,
                          const dsm_chip_share *share) {
  return (double)layer->stored_size * (double)layer->timesteps * (double)share->chip.n[DSM_DIM_MB] /
         (double)share->model_ways * plan->workload->element_bytes;
}

/* A layer's output on a chip; of a fused score, which is never stored, what is kept of it. */
static double output_bytes(const dsm_plan *plan, size_t index) {
  const dsm_layer_plan *const of = &plan->layers[index];
  const double bytes = share_bytes(plan, of->layer, &of->passes[DSM_PASS_FORWARD].share);
  const double kept = of->memory.activations_bytes;
  return of->pipeline != DSM_NO_PIPELINE || bytes < kept ? bytes : kept;
}

static double error_bytes(const dsm_plan *plan, const dsm_machine *machine, size_t index) {
  const dsm_layer_plan *const of = &plan->layers[index];
  const dsm_chip_share share =
      dsm_chip_share_derive(of->layer, machine, of->error_parallelism, plan->workload->minibatch);
  return share_bytes(plan, of->layer, &share);
}

/* ---- segments ---- */

static bool is_group_cut(const dsm_plan *plan, size_t index) {
  const size_t group = plan->layers[index].pipeline;
  return group != DSM_NO_PIPELINE && group == plan->layers[index + 1].pipeline;
}

/* Does a segment end with a layer? */
static bool is_end(const dsm_plan *plan, const bool *is_cut, size_t index) {
  return index + 1 == plan->layer_count || (is_cut[index] && !is_group_cut(plan, index));
}

/* ---- stages ---- */

/* What is being made. */
typedef struct chain_maker {
  const dsm_plan *plan;
  dsm_machine machine;
  dsm_remat_chain *chain;
  double seconds_per_cycle;
} chain_maker;

static double pass_seconds(const chain_maker *of, size_t index, dsm_pass pass) {
  const dsm_pass_plan *const from = &of->plan->layers[index].passes[pass];
  return from->exists ? from->cycles.total * of->seconds_per_cycle : 0;
}

/* The most that outputs of a segment take at a time when nothing is saved. */
static double plain_peak(const chain_maker *of, size_t first, size_t last) {
  double peak = 0;
  for (size_t i = first; i <= last; i++) {
    double bytes = 0;
    for (size_t j = first; j <= i; j++) {
      const bool is_there = j == i || dsm__is_used_after(&of->plan->workload->layers[j], i - 1);
      bytes += is_there ? output_bytes(of->plan, j) : 0;
    }
    peak = bytes > peak ? bytes : peak;
  }
  return peak;
}

static double above(double bytes, double base) {
  return bytes > base ? bytes - base : 0;
}

static bool make_stage(const chain_maker *of, size_t first, size_t last, double error_before,
                       dsm_remat_stage *stage) {
  dsm__arena *const arena = of->chain->arena;
  dsm_remat_option *const option = dsm__arena_alloc(arena, sizeof *option);
  const char *const from = of->plan->layers[first].name;
  const char *const to = of->plan->layers[last].name;
  if (option == NULL) {
    return false;
  }
  *stage = (dsm_remat_stage){.name = first == last ? dsm__arena_strdup(arena, to)
                                                   : dsm__arena_printf(arena, "%s..%s", from, to),
                             .output_bytes = output_bytes(of->plan, last),
                             .error_bytes = error_bytes(of->plan, &of->machine, last),
                             .is_recomputable = true,
                             .options = option,
                             .option_count = 1};
  double errors = 0;
  option->name = "all";
  for (size_t i = first; i <= last; i++) {
    const double pair = of->plan->layers[i].memory.transient_bytes;
    option->forward_seconds += pass_seconds(of, i, DSM_PASS_FORWARD);
    option->backward_seconds +=
        pass_seconds(of, i, DSM_PASS_BACKWARD) + pass_seconds(of, i, DSM_PASS_UPDATE);
    option->saved_bytes += of->plan->layers[i].memory.activations_bytes;
    errors = pair > errors ? pair : errors;
  }
  option->saved_bytes =
      option->saved_bytes > stage->output_bytes ? option->saved_bytes : stage->output_bytes;
  option->backward_temporary_bytes = above(errors, stage->error_bytes + error_before);
  stage->forward_seconds = option->forward_seconds;
  stage->temporary_bytes = above(plain_peak(of, first, last), stage->output_bytes);
  return stage->name != NULL;
}

static bool make_stages(const chain_maker *of, const bool *is_cut, size_t segment_count) {
  dsm_remat_stage *stages = NULL;
  size_t first = 0;
  size_t at = 0;
  bool is_made = DSM__RESERVE(of->chain->arena, stages, segment_count);
  for (size_t i = 0; is_made && i < of->plan->layer_count; i++) {
    if (is_end(of->plan, is_cut, i)) {
      const double error_before = at == 0 ? 0 : stages[at - 1].error_bytes;
      is_made = make_stage(of, first, i, error_before, &stages[at++]);
      first = i + 1;
    }
  }
  of->chain->stages = stages;
  of->chain->stage_count = at;
  return is_made;
}

/* ---- the chain ---- */

static size_t count_segments(const dsm_plan *plan, const bool *is_cut) {
  size_t count = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    count += is_end(plan, is_cut, i) ? 1 : 0;
  }
  return count;
}

/* What is left of a memory. */
static double budget_of(const chain_maker *of, double capacity_bytes) {
  const dsm_plan_memory *const memory = &of->plan->result.memory;
  const double capacity = capacity_bytes > 0 ? capacity_bytes : memory->capacity_bytes;
  return above(capacity, memory->weights_bytes + memory->gradients_bytes + memory->optimizer_bytes +
                             of->chain->input_bytes);
}

static bool describe(const chain_maker *of, double capacity_bytes) {
  dsm_remat_chain *const chain = of->chain;
  const dsm_workload *const workload = of->plan->workload;
  chain->name = dsm__arena_strdup(chain->arena, workload->name);
  chain->source =
      dsm__arena_printf(chain->arena, "a plan of %s on %s", workload->name, of->plan->system->name);
  chain->minibatch = workload->minibatch;
  chain->input_bytes = of->plan->layers[0].memory.input_bytes;
  chain->link_bytes_per_second = HUGE_VAL;
  chain->budget_bytes = budget_of(of, capacity_bytes);
  return chain->name != NULL && chain->source != NULL;
}

static dsm_status make_chain(const chain_maker *of, double capacity_bytes, dsm_diags *diags) {
  bool *is_cut = NULL;
  if (!dsm__segments_find(of->plan->workload, of->chain->arena, &is_cut)) {
    return dsm__out_of_memory(diags);
  }
  const size_t count = count_segments(of->plan, is_cut);
  if (count > DSM_REMAT_STAGES_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "%s: expected at most %d segments of a network, found %zu",
                       of->plan->workload->name, DSM_REMAT_STAGES_MAX, count);
  }
  return describe(of, capacity_bytes) && make_stages(of, is_cut, count) ? DSM_OK
                                                                        : dsm__out_of_memory(diags);
}

dsm_status dsm_remat_chain_of_plan(dsm_remat_chain **chain, const dsm_plan *plan,
                                   double capacity_bytes, dsm_diags *diags) {
  *chain = NULL;
  if (plan->options.mode != DSM_MODE_TRAINING || plan->workload->is_list) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "%s: expected training of a network with a graph, found %s: only what runs "
                       "backward later can be computed again",
                       plan->workload->name,
                       plan->workload->is_list ? "a list of layers" : "inference");
  }
  if (plan->stages.count > 1) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "%s: expected a plan of all chips together, found %zu stages (leave the "
                       "optimization stages out)",
                       plan->workload->name, plan->stages.count);
  }
  const chain_maker of = {.plan = plan,
                          .machine = dsm_machine_derive(plan->system),
                          .chain = dsm__remat_chain_new(),
                          .seconds_per_cycle =
                              plan->result.step_seconds / plan->result.step_cycles};
  const dsm_status status =
      of.chain == NULL ? dsm__out_of_memory(diags) : make_chain(&of, capacity_bytes, diags);
  if (status != DSM_OK) {
    dsm_remat_chain_free(of.chain);
    return status;
  }
  *chain = of.chain;
  return DSM_OK;
}
