/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cut.c: parts of a chain for the devices of a pipeline, and chains of several micro-batches. */
#include "remat/cut.h"

#include <math.h>

#include "search/stages/stage_cuts.h"

/* ---- parts ---- */

bool dsm__remat_cut(const dsm_remat_chain *chain, size_t parts, size_t *firsts) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__segment *segments = NULL;
  if (!DSM__RESERVE(arena, segments, chain->stage_count)) {
    dsm__arena_free(arena);
    return false;
  }
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    const dsm_remat_option *const option = &stage->options[dsm__remat_fastest(stage)];
    segments[s] = (dsm__segment){.forward_cycles = option->forward_seconds,
                                 .backward_cycles = option->backward_seconds};
  }
  const dsm__cutting cutting = {.segments = segments,
                                .count = chain->stage_count,
                                .of = {.stages = parts, .runs = 1, .micro_batches = 1},
                                .capacity_bytes = HUGE_VAL};
  const bool is_cut = dsm__segments_cut_evenly(&cutting, firsts, arena);
  dsm__arena_free(arena);
  return is_cut;
}

dsm_remat_chain dsm__remat_part(const dsm_remat_chain *chain, size_t first, size_t count) {
  dsm_remat_chain part = *chain;
  part.minibatch = 1;
  part.budget_bytes = 0;
  part.input_bytes = dsm__remat_input(chain, first);
  part.input_error_bytes = dsm__remat_error_before(chain, first);
  part.stages = chain->stages + first;
  part.stage_count = count;
  part.arena = NULL;
  return part;
}

/* ---- micro-batches ---- */

static dsm_remat_stage input_stage(const dsm_remat_chain *part, const dsm_remat_option *option) {
  return (dsm_remat_stage){.name = "input",
                           .output_bytes = part->input_bytes,
                           .error_bytes = part->input_error_bytes,
                           .is_recomputable = false,
                           .options = option,
                           .option_count = 1};
}

dsm_remat_chain *dsm__remat_repeated(const dsm_remat_chain *part, size_t micro_batches,
                                     dsm__arena *arena) {
  const size_t count = part->stage_count;
  dsm_remat_chain *const all = dsm__arena_alloc(arena, sizeof *all);
  dsm_remat_option *const option = dsm__arena_alloc(arena, sizeof *option);
  dsm_remat_stage *stages = NULL;
  if (all == NULL || option == NULL ||
      !DSM__RESERVE(arena, stages, micro_batches * (count + 1) - 1)) {
    return NULL;
  }
  *option = (dsm_remat_option){.name = "input", .saved_bytes = part->input_bytes};
  for (size_t k = 0; k < micro_batches; k++) {
    dsm_remat_stage *const own = &stages[dsm__remat_repeated_first(part, k)];
    for (size_t s = 0; s < count; s++) {
      own[s] = part->stages[s];
    }
    if (k + 1 < micro_batches) {
      own[count - 1].output_bytes = 0;
      own[count] = input_stage(part, option);
    }
  }
  *all = *part;
  all->stages = stages;
  all->stage_count = micro_batches * (count + 1) - 1;
  return all;
}
