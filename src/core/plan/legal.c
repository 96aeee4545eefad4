/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/legal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/number_text.h"
#include "plan/core_layouts.h"
#include "plan/legal_internal.h"
#include "plan/step_stages.h"

void dsm__judge_tell(dsm__judge *judge, dsm__plan_place place, const char *hint, const char *format,
                     ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(message, sizeof message, format, args);
  va_end(args);
  judge->told_count++;
  judge->tell(judge->context, &place, hint, message);
}

void dsm__judge_without(dsm__judge *judge, dsm__plan_place place, dsm_optimization optimization,
                        const char *expected, const char *format, ...) {
  char found[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(found, sizeof found, format, args);
  va_end(args);
  dsm__judge_tell(judge, place, NULL, "expected %s without the optimization %s, found %s", expected,
                  dsm_optimization_name(optimization), found);
}

const dsm_machine *dsm__judged_machine(const dsm__judge *judge, size_t index, dsm__stage *stage) {
  const size_t g = judge->group_of[index];
  if (g == DSM_NO_PIPELINE) {
    return judge->of->machine;
  }
  const dsm__pipeline_decision *const group = &judge->of->decisions->pipelines[g];
  dsm__stage_init(stage, judge->of->machine->system, group->columns,
                  group->rows[index - group->first_layer]);
  return &stage->machine;
}

/* Is a layer hoisted, and may it be? */
static bool is_hoisted_well(const dsm__judge *judge, size_t index) {
  return dsm__judged(judge, index)->layer.is_hoisted &&
         dsm__judged_layer(judge, index)->hoisted != NULL &&
         judge->group_of[index] == DSM_NO_PIPELINE &&
         dsm__is_optimized(judge, DSM_OPTIMIZATION_HOIST);
}

dsm__layer_setting dsm__judged_setting(const dsm__judge *judge, size_t index,
                                       const dsm_machine *machine) {
  return (dsm__layer_setting){
      .layer = dsm__judged_layer(judge, index),
      .machine = machine,
      .precision = dsm_precision_of(judge->of->workload, judge->of->machine->system),
      .mode = judge->of->options->mode,
      .minibatch = judge->of->workload->minibatch / dsm__micro_batches(judge->of->decisions),
      .micro_batches = dsm__micro_batches(judge->of->decisions),
      .dysm_factor = dsm__judged(judge, index)->layer.dysm_factor,
      .is_hoisted = is_hoisted_well(judge, index),
      .is_recomputed = dsm__is_recomputed_well(judge, index),
  };
}

/* ---- factors of dynamic spatial minibatching ---- */

static void judge_factor(dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const uint64_t minibatch =
      judge->of->workload->minibatch / dsm__micro_batches(judge->of->decisions);
  const uint64_t factor = dsm__judged(judge, index)->layer.dysm_factor;
  const dsm__plan_place place = DSM__LAYER_PLACE(index, dysm_factor);
  const unsigned long long found = factor;
  if (factor == 1) {
    return;
  }
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_DYSM)) {
    dsm__judge_without(judge, place, DSM_OPTIMIZATION_DYSM, "1", "%llu", found);
  } else if (layer->timesteps > 1) {
    dsm__judge_tell(judge, place, NULL, "expected 1 in a layer with timesteps, found %llu", found);
  } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
    dsm__judge_tell(judge, place, NULL, "expected 1 in a pipeline group, found %llu", found);
  } else if (!dsm_dysm_factor_is_valid(layer, judge->of->machine, minibatch, factor)) {
    dsm__judge_tell(judge, place, NULL,
                    "expected a power of two that divides the minibatch, %llu, into parts of at "
                    "least a sample for each of the %llu chip%s, found %llu",
                    (unsigned long long)minibatch,
                    (unsigned long long)judge->of->machine->chip_count,
                    dsm__plural((double)judge->of->machine->chip_count), found);
  }
}

/* model.dysm_uniform: one factor for all convolutions, 1 for the other layers. */
static void judge_uniform_factors(dsm__judge *judge) {
  static const char hint[] = "the system's model.dysm_uniform is true";
  size_t first = DSM_NEVER_USED;
  for (size_t i = 0; i < judge->of->workload->layer_count; i++) {
    const unsigned long long factor = dsm__judged(judge, i)->layer.dysm_factor;
    if (!dsm__is_known(judge, i)) {
      continue;
    }
    if (!dsm__judged_layer(judge, i)->is_convolution) {
      if (factor != 1) {
        dsm__judge_tell(judge, DSM__LAYER_PLACE(i, dysm_factor), hint,
                        "expected 1 in a layer that is no convolution, found %llu", factor);
      }
      continue;
    }
    first = first == DSM_NEVER_USED ? i : first;
    if (factor != dsm__judged(judge, first)->layer.dysm_factor) {
      dsm__judge_tell(judge, DSM__LAYER_PLACE(i, dysm_factor), hint,
                      "expected the factor of the first convolution, %llu, found %llu",
                      (unsigned long long)dsm__judged(judge, first)->layer.dysm_factor, factor);
    }
  }
}

/* ---- input products of all timesteps at once ---- */

static void judge_hoisted(dsm__judge *judge, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(index, is_hoisted);
  if (!dsm__judged(judge, index)->layer.is_hoisted || is_hoisted_well(judge, index)) {
    return;
  }
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_HOIST)) {
    dsm__judge_without(judge, place, DSM_OPTIMIZATION_HOIST, "false", "true");
  } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
    dsm__judge_tell(judge, place, NULL, "expected false in a pipeline group, found true");
  } else {
    dsm__judge_tell(judge, place, NULL,
                    "expected false in a layer that is no lstm with timesteps, found true");
  }
}

/* ---- what is on chip, each layer by itself ---- */

static void judge_weights(dsm__judge *judge, size_t index) {
  const double fraction = dsm__judged(judge, index)->layer.weights_on_chip;
  const dsm__plan_place place = DSM__LAYER_PLACE(index, weights_on_chip);
  if (isfinite(fraction) && fraction >= 0 && fraction <= 0) {
    return;
  }
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_PRELOAD)) {
    dsm__judge_without(judge, place, DSM_OPTIMIZATION_PRELOAD, "0", "%g", fraction);
  } else if (!(fraction > 0 && fraction <= 1)) {
    dsm__judge_tell(judge, place, NULL, "expected a number from 0 to 1, found %g", fraction);
  } else if (dsm__judged_layer(judge, index)->weight_elements == 0) {
    dsm__judge_tell(judge, place, NULL, "expected 0 in a layer without weights, found %g",
                    fraction);
  } else if (dsm__judged_layer(judge, index)->lookup_elements > 0) {
    dsm__judge_tell(judge, place, NULL,
                    "expected 0 in an embedding, which reads other rows for each sample, found %g",
                    fraction);
  } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
    dsm__judge_tell(judge, place, NULL, "expected 0 in a pipeline group, found %g", fraction);
  }
}

static void judge_output(dsm__judge *judge, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(index, is_output_held);
  if (!dsm__judged(judge, index)->layer.is_output_held) {
    return;
  }
  if (!dsm__is_optimized(judge, DSM_OPTIMIZATION_REUSE)) {
    dsm__judge_without(judge, place, DSM_OPTIMIZATION_REUSE, "false", "true");
  } else if (dsm__last_use(dsm__judged_layer(judge, index)) == DSM_NEVER_USED) {
    dsm__judge_tell(judge, place, NULL,
                    "expected false for an output that no layer uses, found true");
  }
}

/* The layout of a held output; a part that is 0 is not known. */
static void judge_layout(dsm__judge *judge, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(index, output_layout);
  const dsm__layer_decision *const decision = dsm__judged(judge, index);
  const dsm_core_layout *const layout = &decision->layer.output_layout;
  const uint64_t cores = judge->of->machine->system->chip.cores;
  if (layout->features == 0 || layout->ij == 0 || layout->mb == 0) {
    return;
  }
  if (!dsm__has_layouts(judge->of->machine->system)) {
    dsm__judge_tell(judge, place, NULL,
                    "expected none where model.layout_move is not \"exact\", found one");
  } else if (!decision->layer.is_output_held) {
    dsm__judge_tell(judge, place, NULL, "expected none of an output that is not held, found one");
  } else if (cores % layout->features != 0 || cores / layout->features % layout->ij != 0 ||
             cores / layout->features / layout->ij != layout->mb) {
    dsm__judge_tell(judge, place, NULL,
                    "expected parts that multiply to the %llu core%s, found %llu x %llu x %llu",
                    (unsigned long long)cores, dsm__plural((double)cores),
                    (unsigned long long)layout->features, (unsigned long long)layout->ij,
                    (unsigned long long)layout->mb);
  }
}

/* ---- all of it ---- */

static bool prepare(dsm__judge *judge) {
  const dsm__decisions *const decisions = judge->of->decisions;
  const size_t count = judge->of->workload->layer_count;
  judge->group_of = dsm__arena_array(judge->arena, count, sizeof judge->group_of[0]);
  if (judge->group_of == NULL ||
      !dsm__core_splits_enumerate(&judge->splits, dsm_split_cores(judge->of->machine->system),
                                  judge->arena)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    judge->group_of[i] = DSM_NO_PIPELINE;
  }
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    for (size_t k = 0; k < decisions->pipelines[g].layer_count; k++) {
      judge->group_of[decisions->pipelines[g].first_layer + k] = g;
    }
  }
  return true;
}

bool dsm__legality_check(const dsm__candidate *candidate, dsm__violation_function tell,
                         void *context, dsm__arena *arena) {
  dsm__judge judge = {.of = candidate, .tell = tell, .context = context, .arena = arena};
  if (!prepare(&judge) || !dsm__judge_stages(&judge)) {
    return false;
  }
  if (judge.told_count > 0) {
    return true; /* on which chips layers run is not known */
  }
  dsm__stage part;
  dsm__candidate on_stage = *candidate;
  on_stage.machine = dsm__stage_machine(candidate->machine, &candidate->decisions->stages, &part);
  judge.of = &on_stage;
  dsm__judge_micro_batches(&judge);
  const bool is_cut_well = judge.told_count == 0;
  for (size_t i = 0; is_cut_well && i < candidate->workload->layer_count; i++) {
    if (dsm__is_known(&judge, i)) {
      judge_factor(&judge, i);
      judge_hoisted(&judge, i);
      dsm__judge_keeping(&judge, i);
      judge_output(&judge, i);
      judge_layout(&judge, i);
      judge_weights(&judge, i);
      dsm__judge_passes(&judge, i);
    }
  }
  if (judge.told_count == 0 && candidate->machine->system->model.dysm_uniform) {
    judge_uniform_factors(&judge);
  }
  dsm__judge_pipelines(&judge);
  if (!dsm__judge_roles(&judge) || !dsm__judge_lives(&judge)) {
    return false;
  }
  return !candidate->is_complete || judge.told_count > 0 || dsm__judge_room(&judge);
}
