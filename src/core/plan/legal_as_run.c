/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_as_run.c: what a framework that is to run a plan has alike in all layers (section 11). */
#include "model/axis_words.h"
#include "plan/frameworks.h"
#include "plan/keeping.h"
#include "plan/legal_internal.h"
#include "plan/recomputation.h"
#include "plan/segments.h"
#include "plan/step_stages.h"

/* What is alike in all layers so far. */
typedef struct alike {
  unsigned uses[DSM_AXES_MAX]; /* of each axis those that all have: bit u stands for use u */
  dsm_shard_level level;       /* of the first that has one */
} alike;

/* Takes the uses from an axis that a role of a layer leaves; false, and told: none. */
static bool take_role(dsm__judge *judge, alike *all, size_t index, dsm_pass pass, unsigned axis) {
  const dsm_network *const network = &judge->of->machine->system->system;
  const dsm_parallelism own = dsm__judged(judge, index)->layouts.of[pass];
  const dsm_role role = dsm_parallelism_role(own, axis);
  for (int u = 0; u < DSM__USE_COUNT; u++) {
    const bool may = dsm__is_of_use(dsm__judged_layer(judge, index), role, (dsm__axis_use)u,
                                    network->axes[axis].chips);
    all->uses[axis] &= may ? ~0U : ~(1U << (unsigned)u);
  }
  if (all->uses[axis] == 0) {
    dsm__plan_place place = DSM__PASS_PLACE(index, parallelism);
    place.pass = pass;
    dsm__judge_tell(judge, place, "the plan's options.as_run_by decides",
                    "expected one use of %s in all layers, found \"%s\" beside roles of others",
                    dsm__axis_name(network, axis), dsm__judged_word(judge, own));
  }
  return all->uses[axis] != 0;
}

static bool take_layer(dsm__judge *judge, alike *all, size_t index) {
  const dsm__layer_decision *const own = dsm__judged(judge, index);
  const unsigned axis_count = judge->of->machine->system->system.axis_count;
  bool is_good = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    for (unsigned a = 0; is_good && a < axis_count; a++) {
      is_good = !dsm_pass_exists(dsm__judged_layer(judge, index), judge->of->options->mode,
                                 (dsm_pass)p) ||
                take_role(judge, all, index, (dsm_pass)p, a);
    }
  }
  if (is_good &&
      dsm__has_shard_level(judge->of->workload, index, judge->of->machine, &own->layouts)) {
    const bool is_first = all->level == DSM_SHARD_LEVEL_BEST;
    all->level = is_first ? (dsm_shard_level)(own->layer.shard + 1) : all->level;
    is_good = own->layer.shard == dsm__sharding_asked(all->level);
    if (!is_good) {
      dsm__judge_tell(judge, DSM__LAYER_PLACE(index, shard), "the plan's options.as_run_by decides",
                      "expected the shard of the layers before it, \"%s\", found \"%s\"",
                      dsm_sharding_name(dsm__sharding_asked(all->level)),
                      dsm_sharding_name(own->layer.shard));
    }
  }
  return is_good;
}

/* Can the framework run some uses that all layers have? */
static bool can_run(const dsm__judge *judge, const alike *all) {
  const dsm_system *const system = judge->of->machine->system;
  dsm__axis_uses uses;
  bool can = false;
  for (size_t n = 0; !can && dsm__axis_uses_get(system->system.axis_count, n, &uses); n++) {
    can = dsm__can_run(judge->of->options->as_run_by, system, &uses, all->level);
    for (unsigned a = 0; a < system->system.axis_count; a++) {
      can = can && (all->uses[a] >> (unsigned)uses.of[a] & 1U) != 0;
    }
  }
  return can;
}

/* Do layers run again as one word says? False if out of memory. */
static bool judge_recomputed(dsm__judge *judge) {
  const dsm_workload *const workload = judge->of->workload;
  bool is_any = false;
  for (int asked = DSM_RECOMPUTATION_NONE; asked <= DSM_RECOMPUTATION_FULL && !is_any; asked++) {
    const dsm__again *const again =
        dsm__recomputed_layers(workload, (dsm_recomputation)asked, judge->arena);
    if (again == NULL) {
      return false;
    }
    is_any = true;
    for (size_t i = 0; i < workload->layer_count; i++) {
      const dsm_layer_decisions *const own = &dsm__judged(judge, i)->layer;
      is_any = is_any && dsm__again_of(own) == again[i];
    }
  }
  if (!is_any) {
    dsm__judge_tell(judge, DSM__LAYER_PLACE(0, is_recomputed),
                    "the plan's options.as_run_by decides",
                    "expected layers that run again as none, selective or full has them, found "
                    "others");
  }
  return true;
}

bool dsm__judge_as_run(dsm__judge *judge) {
  const dsm_explore_options *const options = judge->of->options;
  const dsm_stages *const stages = &judge->of->decisions->stages;
  const dsm__framework_limit *const limit = dsm__framework_limit_of(
      options->as_run_by, DSM__ASKED_TYPE(dsm__trained_type_of(judge->of->workload)) |
                              (dsm__interleave_of(stages) > 1 ? DSM__ASKED_RUNS : 0) |
                              (stages->schedule == DSM_SCHEDULE_1F1B ? 0 : DSM__ASKED_ZERO_BUBBLE));
  alike all = {.level = DSM_SHARD_LEVEL_BEST};
  bool is_good = judge->told_count == 0;
  if (options->as_run_by == DSM_AS_RUN_BY_ANY || !judge->of->is_complete) {
    return true;
  }
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    all.uses[a] = (1U << (unsigned)DSM__USE_COUNT) - 1;
  }
  for (size_t i = 0; is_good && i < judge->of->workload->layer_count; i++) {
    is_good = take_layer(judge, &all, i);
  }
  if (is_good && !can_run(judge, &all)) {
    dsm__judge_tell(judge, DSM__PASS_PLACE(0, parallelism), "the plan's options.as_run_by decides",
                    "expected uses of axes and shards that %s runs together, found others",
                    dsm_as_run_by_name(options->as_run_by));
  } else if (is_good && limit != NULL) {
    dsm__judge_tell(
        judge, dsm__place_of(&dsm__step_stages_record, offsetof(dsm_stages, interleave), SIZE_MAX),
        "the plan's options.as_run_by decides", "expected what %s runs, which %s",
        dsm__word_text(&dsm__as_run_by_words, options->as_run_by), limit->reason);
  }
  return !is_good || judge_recomputed(judge);
}
