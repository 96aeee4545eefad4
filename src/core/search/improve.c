/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * improve.c: a plan whose time no graph knows, made faster by what others decide.
 *
 * Where sums of gradients hide behind computing each of several searches finds the mapping that is
 * best for one way to weigh them, and the best of all may be none of these: one computes little
 * and sums long, another the other way round. So runs of layers are taken from others, as far as
 * the mapping is legal and the step that is predicted is faster, and each layer shares out more or
 * less; in a large network with a fourth of the work of the search.
 */
#include "search/improve.h"

#include <string.h>

#include "plan/tolerance.h"

dsm_plan *dsm__take_faster(dsm_plan **plan, dsm_plan *other) {
  dsm_plan *const before = *plan;
  const bool is_faster =
      other != NULL && (before == NULL || dsm__tie_limit(other->price) < before->price);
  *plan = is_faster ? other : before;
  return is_faster ? before : other;
}

/* A plan that is made faster, and what it decides of its layers. */
typedef struct improving {
  const dsm__problem *problem;
  dsm_plan *first; /* of which decisions borrow */
  dsm_plan *best;
  dsm__decisions decisions;
  dsm__layer_decision *layers; /* of these */
  dsm__layer_decision *before; /* and before what is tried */
  dsm__arena *scratch;
  size_t most_work;
  bool is_any; /* something became faster */
} improving;

static bool is_over(const improving *of) {
  return dsm__problem_is_over(of->problem) ||
         atomic_load(&of->problem->inputs.deadline->work) >= of->most_work;
}

/* Takes the plan of what is decided now if it is faster, legal, and fits. */
static bool take_if_better(improving *of, bool *is_taken) {
  const dsm__problem *const problem = of->problem;
  dsm_plan *made = NULL;
  if (dsm__problem_predict(problem, &of->decisions, &made, NULL) != DSM_OK) {
    return false;
  }
  *is_taken = dsm__tie_limit(made->price) < of->best->price &&
              made->result.memory.total_bytes <= problem->capacity_bytes &&
              dsm_plan_validate(made, NULL) == DSM_OK;
  dsm_plan *const other = *is_taken ? of->best : made;
  of->best = *is_taken ? made : of->best;
  if (other != of->first) {
    dsm_plan_free(other);
  }
  return true;
}

/* Keeps what the layers are to do now, or has them do what they did before. */
static bool decide(improving *of) {
  bool is_taken = false;
  if (!is_over(of) && !take_if_better(of, &is_taken)) {
    return false;
  }
  memcpy(is_taken ? of->before : of->layers, is_taken ? of->layers : of->before,
         of->problem->inputs.workload->layer_count * sizeof of->layers[0]);
  of->is_any = of->is_any || is_taken;
  return true;
}

/* What another mapping decides of a run of layers. */
static bool try_run(improving *of, const dsm__decisions *other, size_t first, size_t end) {
  const size_t bytes = (end - first) * sizeof of->layers[0];
  const bool is_same = memcmp(&of->layers[first], &other->layers[first], bytes) == 0;
  memcpy(&of->layers[first], &other->layers[first], bytes);
  return is_same || decide(of);
}

/* What each layer by itself shares out: nothing else changes with it. */
static bool try_shards(improving *of) {
  const dsm_workload *const workload = of->problem->inputs.workload;
  bool is_good = true;
  for (size_t i = 0; is_good && i < workload->layer_count * DSM_SHARDING_COUNT; i++) {
    const dsm_layer *const layer = &workload->layers[i / DSM_SHARDING_COUNT];
    if (layer->weight_elements > 0 && !layer->is_tied) {
      of->layers[i / DSM_SHARDING_COUNT].layer.shard = (dsm_sharding)(i % DSM_SHARDING_COUNT);
      is_good = decide(of);
    }
  }
  return is_good;
}

/* Of which search a mapping is: of data and model alone; of other roles, which hold nothing; else
 * of none in which layers by themselves may be others. Beside other roles all passes have the same
 * where something is held (section 13). */
typedef enum kind { WORDS, ROLES, OTHER } kind;

static kind kind_of(const dsm__decisions *decisions, size_t layer_count) {
  bool has_roles = false;
  bool is_holding = false;
  for (size_t i = 0; i < layer_count; i++) {
    const dsm__layer_decision *const one = &decisions->layers[i];
    has_roles = has_roles || dsm_parallelism_has_roles(one->layouts.of[DSM_PASS_FORWARD]);
    is_holding = is_holding || one->layer.is_output_held;
  }
  const bool is_other =
      decisions->pipeline_count > 0 || decisions->stages.count > 1 || (has_roles && is_holding);
  return is_other ? OTHER : has_roles ? ROLES : WORDS;
}

static bool is_akin(const dsm__decisions *a, const dsm__decisions *b, size_t layer_count) {
  const kind of_a = kind_of(a, layer_count);
  return of_a != OTHER && of_a == kind_of(b, layer_count) &&
         dsm__micro_batches(a) == dsm__micro_batches(b);
}

/* In a large network only runs from the first layer on, or to the last. */
static bool try_runs(improving *of, const dsm__decisions *other, bool are_all_tried) {
  const size_t layer_count = of->problem->inputs.workload->layer_count;
  bool is_good = true;
  for (size_t first = 0; first < layer_count; first++) {
    size_t end = are_all_tried || first == 0 ? first + 1 : layer_count;
    for (; is_good && end <= layer_count && !is_over(of); end++) {
      is_good = try_run(of, other, first, end);
    }
  }
  return is_good;
}

bool dsm__improve_by(const dsm__problem *problem, const dsm__decisions *others, size_t count,
                     dsm_plan **plan) {
  enum { FEW_LAYERS = 16 };
  const size_t layer_count = problem->inputs.workload->layer_count;
  const bool is_small = layer_count <= FEW_LAYERS;
  improving of = {.problem = problem,
                  .first = *plan,
                  .best = *plan,
                  .scratch = dsm__problem_arena(problem),
                  .most_work =
                      is_small ? SIZE_MAX : atomic_load(&problem->inputs.deadline->work) / 4 * 5};
  bool is_good = of.scratch != NULL && dsm__decisions_of_plan(*plan, of.scratch, &of.decisions) &&
                 DSM__RESERVE(of.scratch, of.layers, layer_count) &&
                 DSM__RESERVE(of.scratch, of.before, layer_count);
  if (is_good) {
    memcpy(of.layers, of.decisions.layers, layer_count * sizeof *of.layers);
    memcpy(of.before, of.layers, layer_count * sizeof *of.layers);
    of.decisions.layers = of.layers;
  }
  do {
    of.is_any = false;
    for (size_t i = 0; is_good && i < count; i++) {
      is_good =
          !is_akin(&of.decisions, &others[i], layer_count) || try_runs(&of, &others[i], is_small);
    }
    if (is_good && dsm__may_choose(problem->inputs.options, DSM__CHOICE_SHARD) &&
        problem->inputs.options->shard_level == DSM_SHARD_LEVEL_BEST) {
      is_good = try_shards(&of);
    }
  } while (is_good && of.is_any);
  if (of.best != of.first) {
    dsm_plan_free(of.first);
  }
  *plan = of.best;
  dsm__arena_free(of.scratch);
  return is_good;
}
