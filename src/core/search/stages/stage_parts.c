/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/stages/stage_parts.h"

#include <math.h>
#include <string.h>

#include "plan/keeping.h"
#include "plan/tied_tables.h"
#include "search/roles/role_search.h"

static const size_t *indices_from(const size_t *of, size_t count, size_t first, dsm__arena *arena) {
  size_t *const made = dsm__arena_array(arena, count + 1, sizeof *made);
  for (size_t i = 0; made != NULL && i < count; i++) {
    const bool is_inside = of[i] != DSM_NETWORK_INPUT && of[i] >= first;
    made[i] = is_inside ? of[i] - first : DSM_NETWORK_INPUT;
  }
  return made;
}

/* The layers of a stage as a network, whose input is what the stage is given. */
static bool take_part(const dsm__looking *at, dsm__stage_run run, dsm_workload *part) {
  const size_t count = run.end - run.first;
  dsm_layer *const layers = dsm__arena_array(at->arena, count, sizeof *layers);
  *part = at->micro;
  part->layers = layers;
  part->layer_count = count;
  part->input_elements = run.first == 0 ? part->input_elements : 0; /* the stage has it otherwise */
  for (size_t i = 0; layers != NULL && i < count; i++) {
    dsm_layer *const layer = &layers[i];
    const size_t owner = dsm__tie_owner(&at->micro, run.first + i);
    *layer = at->micro.layers[run.first + i];
    layer->producers = indices_from(layer->producers, layer->producer_count, run.first, at->arena);
    layer->shortcuts = indices_from(layer->shortcuts, layer->shortcut_count, run.first, at->arena);
    layer->operands = indices_from(layer->operands, layer->operand_count, run.first, at->arena);
    layer->last_use -= layer->last_use == DSM_NEVER_USED ? 0 : run.first;
    layer->last_operand_use -= layer->last_operand_use == DSM_NEVER_USED ? 0 : run.first;
    layer->is_tied = layer->is_tied && owner >= run.first && owner < run.end;
    if (layer->producers == NULL || layer->shortcuts == NULL || layer->operands == NULL) {
      return false;
    }
  }
  return layers != NULL;
}

/* What a run takes of its stage's memory. */
static double need_of(const dsm__looking *at, dsm__stage_run run, double in_flight) {
  dsm__memory_sum sum = {.activation_bytes = dsm__look_input_bytes(at, run.first)};
  for (size_t i = run.first; i < run.end; i++) {
    dsm__look_add_memory(at, i, false, &sum);
  }
  return dsm__memory_sum_bytes(&sum, in_flight);
}

/* The fastest roles of a run within some memory take the place of those of the path. */
static bool search_part(const dsm__looking *at, dsm__stage_run run, double in_flight,
                        double capacity_bytes, bool may_recompute, bool *is_found) {
  dsm_workload part;
  dsm__graph_answer answer;
  dsm__decisions decisions;
  if (!take_part(at, run, &part)) {
    return false;
  }
  dsm__found found;
  dsm__problem problem;
  const double room_bytes = capacity_bytes - dsm__look_input_bytes(at, run.first) * in_flight;
  dsm__stage_case_begin(&problem, &found, at->of, &part, room_bytes, at->arena);
  problem.inputs.in_flight = in_flight;
  problem.inputs.is_cut = at->search->is_cut + run.first;
  problem.table.distinct.class_of += run.first;
  problem.has_company = NULL;
  problem.are_segments_apart = !dsm__is_any_recomputation_asked(at->search->whole);
  const bool is_searched = /* no stage takes more than the step */
      dsm__role_search(&problem, may_recompute, at->search->best_cycles, &answer, &decisions);
  dsm__stage_case_count(at->of, &problem);
  *is_found = is_searched && answer.is_feasible && isfinite(answer.cost);
  if (*is_found) {
    memcpy(&at->layers[run.first], decisions.layers, part.layer_count * sizeof at->layers[0]);
  }
  return is_searched;
}

/* The runs of a stage that does not fit have the memory in proportion to what they need. Unless
 * they may, forward passes run again only where nothing fits without. */
static bool search_stage(const dsm__looking *at, size_t stage, bool may_recompute, bool *is_found) {
  const dsm_stages *const stages = &at->stages;
  const dsm__problem *const whole = at->search->whole;
  const bool is_asked = may_recompute || dsm__is_any_recomputation_asked(whole);
  const double in_flight = dsm__stage_in_flight(stages, stage, at->of->micro_batches);
  const size_t layer_count = at->micro.layer_count;
  double need = 0;
  for (size_t r = stage; r < dsm__stage_run_count(stages); r += stages->count) {
    need += need_of(at, dsm__stage_run_of(stages, layer_count, r), in_flight);
  }
  for (size_t r = stage;
       *is_found && r < dsm__stage_run_count(stages) && need > at->search->capacity_bytes;
       r += stages->count) {
    const dsm__stage_run run = dsm__stage_run_of(stages, layer_count, r);
    const double capacity = at->search->capacity_bytes * (need_of(at, run, in_flight) / need);
    if (!search_part(at, run, in_flight, capacity, is_asked, is_found) ||
        (!*is_found && !is_asked && dsm__recomputation_is_open(whole) &&
         !search_part(at, run, in_flight, capacity, true, is_found))) {
      return false;
    }
  }
  return true;
}

/* Each stage that does not fit with its roles. Roles of a layer that are asked for are those of a
 * path. */
bool dsm__stage_search_parts(const dsm__looking *at, bool may_recompute, bool *is_found) {
  *is_found = at->search->whole->fixed == NULL;
  for (size_t s = 0; *is_found && s < at->stages.count; s++) {
    if (!search_stage(at, s, may_recompute, is_found)) {
      return false;
    }
  }
  return true;
}
