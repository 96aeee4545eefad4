/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory_timeline.h"

#include "plan/segments.h"
#include "plan/step_stages.h"

static const dsm__word kind_words[] = {
    [DSM__MEMORY_WEIGHTS].key = "weights",
    [DSM__MEMORY_GRADIENTS] = {"gradients", "weight gradients", NULL},
    [DSM__MEMORY_OPTIMIZER] = {"optimizer", "optimizer state", NULL},
    [DSM__MEMORY_ACTIVATIONS].key = "activations",
    [DSM__MEMORY_ERRORS] = {"errors", "activation gradients", NULL},
    [DSM__MEMORY_CACHE] = {"cache", "keys and values", NULL},
    [DSM__MEMORY_RECOMPUTED].key = "recomputed",
};
DSM__WORDS(dsm__memory_kind_words, "kind of memory", kind_words, DSM__MEMORY_KIND_COUNT);

/* What a unit keeps from its forward passes on. */
static double kept_activations(const dsm_plan *plan, dsm__step_unit unit) {
  double bytes = 0;
  for (size_t k = 0; k < unit.layer_count; k++) {
    bytes += plan->layers[unit.first_layer + k].memory.activations_bytes;
  }
  return bytes;
}

/* The largest pair of activation gradients of a unit, or in inference the most live tensors. */
static double transient(const dsm_plan *plan, dsm__step_unit unit) {
  double bytes = 0;
  for (size_t k = 0; k < unit.layer_count; k++) {
    const double one = plan->layers[unit.first_layer + k].memory.transient_bytes;
    bytes = one > bytes ? one : bytes;
  }
  return bytes;
}

/*
 * The error of a layer's output, in the layout in which it was left: what its update needs. For a
 * layer with a backward pass it is a part of its pair. For one without, section 12 counts it in the
 * pair of its user, whose layout may round otherwise: it is never more than the largest pair.
 */
static double output_error(const dsm_plan *plan, size_t index) {
  const dsm_layer *const layer = plan->layers[index].layer;
  const dsm_machine whole = dsm_machine_derive(plan->system);
  dsm__stage part;
  const dsm_chip_share share = dsm_chip_share_derive(
      layer, dsm__stage_machine(&whole, &plan->stages, &part),
      plan->layers[index].error_parallelism, plan->workload->minibatch / plan->micro_batches);
  const double bytes = (double)layer->stored_size * (double)layer->timesteps *
                       (double)share.chip.n[DSM_DIM_MB] * share.position_share /
                       (double)share.stored_ways * plan->workload->element_bytes;
  const double most = plan->result.memory.errors_bytes;
  return bytes < most ? bytes : most;
}

static double errors_during(const dsm_plan *plan, const dsm__step_span *span, dsm__step_unit unit) {
  switch (span->pass) {
  case DSM_PASS_FORWARD:
    return 0;
  case DSM_PASS_BACKWARD:
    return transient(plan, unit);
  case DSM_PASS_UPDATE:
    return unit.layer_count > 1 ? transient(plan, unit) : output_error(plan, span->layer);
  case DSM_PASS_COUNT:
    break;
  }
  return 0;
}

/* Is it the first, or the last, of a unit's spans? Spans of a unit follow each other on the way
 * forward, and on the way back. */
static bool is_edge(const dsm__step_timeline *step, size_t span, bool is_last) {
  const dsm__step_span *const spans = step->spans;
  const dsm__step_unit unit = dsm__step_unit_of(step->plan, spans[span].layer);
  const size_t neighbour = is_last ? span + 1 : span - 1;
  const bool is_way_forward = spans[span].pass == DSM_PASS_FORWARD;
  if (is_way_forward == is_last) {
    return false;
  }
  if ((is_last && neighbour == step->span_count) || (!is_last && span == 0)) {
    return true;
  }
  const size_t layer = spans[neighbour].layer;
  return layer < unit.first_layer || layer >= unit.first_layer + unit.layer_count;
}

static void add_up(dsm__memory_use *use, dsm__memory_use *most) {
  for (int kind = 0; kind < DSM__MEMORY_KIND_COUNT; kind++) {
    use->total_bytes += use->bytes[kind];
    most->bytes[kind] = use->bytes[kind] > most->bytes[kind] ? use->bytes[kind] : most->bytes[kind];
  }
  most->total_bytes = use->total_bytes > most->total_bytes ? use->total_bytes : most->total_bytes;
}

/* What is made anew of the segment of each layer, up to it: on the way back the later ones are
 * done. NULL if out of memory. */
static const double *recomputed_until(const dsm_plan *plan, dsm__arena *arena) {
  double *const bytes = dsm__arena_array(arena, plan->layer_count, sizeof *bytes);
  dsm__segment_walk walk = dsm__segments_begin(plan->workload);
  double sum = 0;
  for (size_t i = 0; bytes != NULL && i < plan->layer_count; i++) {
    const dsm_layer_memory *const memory = &plan->layers[i].memory;
    sum += memory->recomputed_bytes;
    bytes[i] = sum;
    sum = dsm__segment_ends(&walk, i) && !memory->is_output_recomputed ? 0 : sum;
  }
  return bytes;
}

bool dsm__memory_timeline_derive(dsm__memory_timeline *timeline, const dsm__step_timeline *step,
                                 dsm__arena *arena) {
  const dsm_plan *const plan = step->plan;
  const dsm_plan_memory *const memory = &plan->result.memory;
  const bool is_training = plan->options.mode == DSM_MODE_TRAINING;
  dsm__memory_use *const uses = dsm__arena_array(arena, step->span_count, sizeof *uses);
  const double *const recomputed = recomputed_until(plan, arena);
  if (uses == NULL || recomputed == NULL) {
    return false;
  }
  *timeline = (dsm__memory_timeline){.uses = uses, .use_count = step->span_count};
  double kept = is_training ? plan->layers[0].memory.input_bytes : 0; /* the whole step */
  for (size_t i = 0; i < step->span_count; i++) {
    const dsm__step_span *const span = &step->spans[i];
    const dsm__step_unit unit = dsm__step_unit_of(plan, span->layer);
    kept += is_edge(step, i, false) ? kept_activations(plan, unit) : 0;
    uses[i].bytes[DSM__MEMORY_WEIGHTS] = memory->weights_bytes;
    uses[i].bytes[DSM__MEMORY_GRADIENTS] = memory->gradients_bytes;
    uses[i].bytes[DSM__MEMORY_OPTIMIZER] = memory->optimizer_bytes;
    uses[i].bytes[DSM__MEMORY_ACTIVATIONS] = is_training ? kept : transient(plan, unit);
    uses[i].bytes[DSM__MEMORY_CACHE] = memory->cache_bytes;
    uses[i].bytes[DSM__MEMORY_ERRORS] = is_training ? errors_during(plan, span, unit) : 0;
    uses[i].bytes[DSM__MEMORY_RECOMPUTED] =
        span->pass == DSM_PASS_FORWARD ? 0 : recomputed[span->layer];
    add_up(&uses[i], &timeline->most);
    kept -= is_edge(step, i, true) ? kept_activations(plan, unit) : 0;
  }
  return true;
}
