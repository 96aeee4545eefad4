/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_stages.c: which stages a step may have (section 8). */
#include <inttypes.h>
#include <stdio.h>

#include "plan/frameworks.h"
#include "plan/legal_internal.h"
#include "plan/segments.h"
#include "plan/step_stages.h"

#define STAGES_PLACE(member, index)                                                                \
  dsm__place_of(&dsm__step_stages_record, offsetof(dsm_stages, member), index)

static void judge_number(dsm__judge *judge) {
  const dsm_stages *const stages = &judge->of->decisions->stages;
  const uint64_t micro_batches = dsm__micro_batches(judge->of->decisions);
  const dsm__interleaving of = dsm__interleaving_of(stages, micro_batches);
  const uint64_t chips = judge->of->machine->system->system.axes[stages->axis].chips;
  const size_t runs = stages->count * of.runs;
  if (stages->count < 2 || chips % stages->count != 0) {
    dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, SIZE_MAX),
                    "each stage has an equal part of the axis",
                    "expected 2 stages or more, whose number divides the %" PRIu64 " chips of the "
                    "axis, found %zu",
                    chips, stages->count);
  } else if (micro_batches > DSM__STAGE_PASSES_MAX / runs) {
    dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, SIZE_MAX), NULL,
                    "expected at most %d micro-batches times stages, found %" PRIu64 " times %zu",
                    DSM__STAGE_PASSES_MAX, micro_batches, runs);
  } else if (of.runs > 1 && of.schedule == DSM_SCHEDULE_ZERO_BUBBLE) {
    dsm__judge_tell(
        judge, STAGES_PLACE(interleave, SIZE_MAX), "the plan's options.schedule decides",
        "expected 1 run of layers of each stage with schedule \"zero_bubble\", found %zu", of.runs);
  } else if (!dsm__is_interleaved_well(&of)) {
    dsm__judge_tell(judge, STAGES_PLACE(interleave, SIZE_MAX),
                    "in groups of as many as stages they pass a run and then the stage's next one",
                    "expected 1 run of layers of each stage, where micro-batches are no multiple "
                    "of %zu stages, found %zu for %" PRIu64 " micro-batches",
                    stages->count, of.runs, micro_batches);
  }
}

/* With equal numbers of blocks in all runs. */
static void judge_blocks(dsm__judge *judge) {
  const dsm_workload *const workload = judge->of->workload;
  const dsm_stages *const stages = &judge->of->decisions->stages;
  const size_t runs = dsm__stage_run_count(stages);
  const size_t blocks = dsm__block_count(workload);
  size_t begun = 0;
  size_t run = 0; /* the last that has begun */
  for (size_t i = 0; i < workload->layer_count && judge->told_count == 0; i++) {
    if (run + 1 < runs && i == stages->first_layers[run + 1]) {
      run++;
      if (begun * runs != run * blocks) {
        dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, run),
                        "stages were asked to begin between blocks, as many in each run",
                        "expected %.6g of the %zu blocks before it, found %zu",
                        (double)(run * blocks) / (double)runs, blocks, begun);
      }
    }
    begun += dsm__begins_block(workload, i) ? 1 : 0;
  }
}

/* Stages begin with the first layer, and then behind segments. */
static void judge_cuts(dsm__judge *judge) {
  const dsm_workload *const workload = judge->of->workload;
  const dsm_stages *const stages = &judge->of->decisions->stages;
  const bool are_at_blocks = dsm__stages_at_of(judge->of->options) == DSM_STAGES_AT_BLOCKS;
  for (size_t s = 0; s < dsm__stage_run_count(stages) && judge->told_count == 0; s++) {
    const size_t first = stages->first_layers[s];
    const char *const name = workload->layers[first].name;
    if (s == 0 && first != 0) {
      dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, s), NULL,
                      "expected the network's first layer, \"%s\", found \"%s\"",
                      workload->layers[0].name, name);
    } else if (s > 0 && first <= stages->first_layers[s - 1]) {
      dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, s),
                      "a stage has one layer at least, and stages and their runs are in order of "
                      "execution",
                      "expected a layer behind \"%s\", found \"%s\"",
                      workload->layers[stages->first_layers[s - 1]].name, name);
    } else if (s > 0 && (!judge->is_cut[first - 1] ||
                         (are_at_blocks && !dsm__begins_block(workload, first)))) {
      dsm__judge_tell(judge, STAGES_PLACE(first_layer_names, s),
                      are_at_blocks ? "stages were asked to begin between blocks"
                                    : "one tensor alone passes from a stage to the next",
                      "expected a layer before which the output of the one before is all that "
                      "later layers read, found \"%s\", inside a segment",
                      name);
    }
  }
  if (judge->told_count == 0 && are_at_blocks) {
    judge_blocks(judge);
  }
}

/* What is held, and groups of timesteps, do not go with stages. */
static void judge_company(dsm__judge *judge) {
  for (size_t i = 0; i < judge->of->workload->layer_count; i++) {
    (void)dsm__judge_choice(judge, i, DSM__CHOICE_OUTPUT, DSM__LAYER_FACT(STAGED), NULL);
    (void)dsm__judge_choice(judge, i, DSM__CHOICE_GROUP, DSM__LAYER_FACT(STAGED), "a group");
  }
}

void dsm__judge_stages(dsm__judge *judge) {
  const dsm_stages *const stages = &judge->of->decisions->stages;
  char found[24];
  (void)snprintf(found, sizeof found, "%zu", stages->count);
  if (stages->count > 0 &&
      dsm__judge_made(judge, STAGES_PLACE(first_layer_names, SIZE_MAX), DSM__CHOICE_STAGES,
                      judge->of->workload->is_list ? DSM__LAYER_FACT(LIST) : 0, "none", found)) {
    judge_number(judge);
    if (judge->told_count == 0) {
      judge_company(judge);
      judge_cuts(judge);
    }
  }
}
