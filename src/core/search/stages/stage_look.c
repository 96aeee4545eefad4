/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/stages/stage_look.h"

#include <math.h>
#include <string.h>

#include "model/chip_link.h"
#include "plan/keeping.h"
#include "plan/role_flow.h"
#include "plan/tolerance.h"

static size_t segment_end(const dsm__stages_searched *search, size_t segment) {
  return segment + 1 < search->segment_count ? search->segments[segment + 1]
                                             : search->whole->inputs.workload->layer_count;
}

/* To the stage that is so many behind. */
static dsm_boundary boundary_before(const dsm__looking *at, size_t layer, size_t stages) {
  return dsm__boundary_derive(&at->micro.layers[layer - 1], at->machine,
                              at->of->of->problem.inputs.precision, at->micro.minibatch,
                              at->of->of->stages.axis, stages,
                              at->layers[layer - 1].layouts.of[DSM_PASS_FORWARD]);
}

double dsm__look_input_bytes(const dsm__looking *at, size_t layer) {
  return layer == 0 ? 0 : boundary_before(at, layer, 1).bytes;
}

/* What a layer keeps of a micro-batch. */
static dsm_layer_memory memory_of(const dsm__looking *at, size_t index) {
  const dsm_layer *const layer = &at->micro.layers[index];
  const dsm__layer_decision *const decision = &at->layers[index];
  dsm_layer_memory memory = dsm_layer_memory_derive(layer, at->machine, &at->micro,
                                                    DSM_MODE_TRAINING, &decision->layouts);
  dsm__keep_less(&memory, layer, at->machine, &decision->layouts, &decision->layer,
                 at->search->is_cut[index]);
  return memory;
}

/* Takes a layer with its roles, or with the least that it can keep. */
void dsm__look_add_memory(const dsm__looking *at, size_t index, bool is_least,
                          dsm__memory_sum *sum) {
  const dsm_layer_memory memory = is_least ? at->least[index] : memory_of(at, index);
  dsm__memory_sum_add(sum, &memory, at->search->is_cut[index]);
}

/* What segments keep: with their roles, or the least that they can. */
void dsm__look_fill_memory(const dsm__looking *at, bool is_least, dsm__segment *segments) {
  const dsm__stages_searched *const search = at->search;
  double again_bytes = 0; /* of a segment that goes on: as if the next one were in its stage */
  for (size_t s = 0; s < search->segment_count; s++) {
    dsm__segment *const segment = &segments[s];
    dsm__memory_sum sum = {.again_bytes = again_bytes};
    for (size_t i = search->segments[s]; i < segment_end(search, s); i++) {
      dsm__look_add_memory(at, i, is_least, &sum);
    }
    again_bytes = sum.again_bytes;
    segment->kept_bytes = sum.kept_bytes;
    segment->activation_bytes = sum.activation_bytes;
    segment->transient_bytes = sum.transient_bytes;
    segment->given_bytes = dsm__look_input_bytes(at, search->segments[s]);
  }
}

/* The times of segments, as the whole network would have them on a stage's chips. */
bool dsm__look_fill_times(const dsm__looking *at, dsm__segment *segments) {
  const dsm__stages_searched *const search = at->search;
  const dsm__decisions decisions = {.layers = at->layers, .micro_batches = at->of->micro_batches};
  dsm_plan *plan = NULL;
  dsm__deadline_add_work(search->whole->inputs.deadline,
                         DSM__WORK_OF_PREDICTED_LAYER *
                             search->whole->inputs.workload->layer_count);
  if (dsm__plan_make(&plan, search->whole->inputs.workload, &at->of->of->part.system,
                     search->whole->inputs.options, &decisions, NULL) != DSM_OK) {
    return false;
  }
  for (size_t s = 0; s < search->segment_count; s++) {
    const size_t first = search->segments[s];
    const dsm__stage_run run = {first, segment_end(search, s)};
    const dsm__stage_cost cost = dsm__stage_cost_of(plan, run);
    segments[s].forward_cycles = cost.forward;
    segments[s].backward_cycles = cost.backward;
    segments[s].update_cycles = cost.update;
    segments[s].once_cycles = cost.once;
    segments[s].given_cycles = 0;
    segments[s].round_cycles = 0;
    if (first > 0) {
      const dsm_boundary next = boundary_before(at, first, 1);
      const dsm_boundary round = boundary_before(at, first, at->stages.count - 1);
      const double shift = dsm_group_cycles(at->machine, &next.shift);
      segments[s].given_cycles = shift + dsm_group_cycles(at->machine, &next.gather);
      segments[s].round_cycles = dsm_group_cycles(at->machine, &round.shift) - shift;
    }
  }
  dsm_plan_free(plan);
  return true;
}

/* *cycles: what a step with the cuts takes, as their segments have it; infinite: none fit. */
bool dsm__look_cut(const dsm__looking *at, const dsm__segment *segments, double capacity_bytes,
                   double *cycles) {
  const dsm__cutting cutting = {.segments = segments,
                                .count = at->search->segment_count,
                                .of = dsm__interleaving_of(&at->stages, at->of->micro_batches),
                                .capacity_bytes = capacity_bytes,
                                .blocks_before = at->search->blocks_before};
  if (!dsm__segments_cut(&cutting, at->firsts, cycles, at->arena)) {
    return false;
  }
  for (size_t s = 0; isfinite(*cycles) && s < dsm__stage_run_count(&at->stages); s++) {
    at->first_layers[s] = at->search->segments[at->firsts[s]];
  }
  return true;
}

/* Do the roles go together? Those of stages that were searched apart may not. False if out of
 * memory. */
static bool are_good(const dsm__looking *at, const dsm__decisions *decisions, bool *is_good) {
  static const dsm_pass passes[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  dsm__role_step *steps = NULL;
  *is_good = true;
  if (!dsm__has_roles(&at->micro, decisions)) {
    return true;
  }
  if (!DSM__RESERVE(at->arena, steps, at->micro.layer_count)) {
    return false;
  }
  for (size_t p = 0; p < DSM__COUNT_OF(passes); p++) {
    if (!dsm__role_steps_derive(&at->micro, at->machine->system, decisions, passes[p], steps,
                                at->arena)) {
      return false;
    }
    for (size_t i = 0; i < at->micro.layer_count; i++) {
      *is_good = *is_good && steps[i].fault == DSM__ROLE_FAULT_NONE;
    }
  }
  return true;
}

/* Keeps a mapping in the arena of the whole search. */
static bool keep(dsm__stages_searched *search, const dsm__decisions *decisions, double cycles) {
  dsm__arena *const arena = search->whole->arena;
  const size_t count = search->whole->inputs.workload->layer_count;
  dsm__layer_decision *layers = NULL;
  size_t *firsts = NULL;
  if (!DSM__RESERVE(arena, layers, count) ||
      !DSM__RESERVE(arena, firsts, dsm__stage_run_count(&decisions->stages))) {
    return false;
  }
  memcpy(layers, decisions->layers, count * sizeof *layers);
  memcpy(firsts, decisions->stages.first_layers,
         dsm__stage_run_count(&decisions->stages) * sizeof *firsts);
  *search->decisions = *decisions;
  search->decisions->layers = layers;
  search->decisions->stages.first_layers = firsts;
  search->best_cycles = cycles;
  search->is_found = true;
  return true;
}

/* A whole mapping: as it is predicted, if it is good, fits and is the fastest so far. */
bool dsm__look_judge(const dsm__looking *at) {
  dsm__stages_searched *const search = at->search;
  const dsm__decisions decisions = {
      .layers = at->layers, .micro_batches = at->of->micro_batches, .stages = at->stages};
  dsm_plan *plan = NULL;
  bool is_good = false;
  if (!are_good(at, &decisions, &is_good)) {
    return false;
  }
  if (!is_good) {
    return true;
  }
  if (dsm__problem_predict(search->whole, &decisions, &plan, NULL) != DSM_OK) {
    return false;
  }
  const double cycles = plan->result.step_cycles;
  const bool is_better = dsm__tie_limit(cycles) < search->best_cycles &&
                         plan->result.memory.total_bytes <= search->capacity_bytes;
  dsm_plan_free(plan);
  return !is_better || keep(search, &decisions, cycles);
}
