/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * improve.c: a plan whose time no graph knows, made faster layer by layer.
 *
 * Where sums of gradients hide behind computing a graph takes them to show, or not (overlapped.h).
 * So it shares out weights where their way back then seems to take no time, or does not where it
 * seems to; and where memory is short it has to share out more, which may be faster in truth. What
 * a layer shares out changes nothing of how its neighbours run, so that equal layers are tried, and
 * then each by itself: in a large network with a fourth of the work of the search.
 */
#include "search/improve.h"

#include <assert.h>
#include <string.h>

#include "plan/tolerance.h"

void dsm__keep_faster(dsm_plan **plan, dsm_plan *other) {
  assert(other != NULL);
  if (*plan != NULL && dsm__tie_limit(other->result.step_cycles) >= (*plan)->result.step_cycles) {
    dsm_plan_free(other);
  } else {
    dsm_plan_free(*plan);
    *plan = other;
  }
}

/* Takes the plan of decisions if it is faster, legal, and fits. */
static bool take_if_better(dsm__problem *problem, const dsm__decisions *decisions, dsm_plan **plan,
                           bool *is_taken) {
  dsm_plan *made = NULL;
  *is_taken = false;
  if (dsm__problem_predict(problem, decisions, &made, NULL) != DSM_OK) {
    return false;
  }
  *is_taken = dsm__tie_limit(made->result.step_cycles) < (*plan)->result.step_cycles &&
              made->result.memory.total_bytes <= problem->capacity_bytes &&
              dsm_plan_validate(made, NULL) == DSM_OK;
  dsm_plan_free(*is_taken ? *plan : made);
  *plan = *is_taken ? made : *plan;
  return true;
}

/* A plan that is made faster, and what it decides of its layers. */
typedef struct improving {
  dsm__problem *problem;
  dsm_plan **plan;
  dsm__decisions decisions;
  dsm__layer_decision *layers; /* of these */
  dsm__layer_decision *before; /* what is tried */
  bool is_any;                 /* something became faster */
} improving;

/* Of a layer, or of all that are equal to it, each other sharing. */
static bool improve_layer(improving *of, size_t index, bool are_equals_too) {
  const size_t layer_count = of->problem->inputs.workload->layer_count;
  const size_t *const class_of = of->problem->table.distinct.class_of;
  for (int s = 0; s < DSM_SHARDING_COUNT; s++) {
    bool is_taken = false;
    bool is_other = false;
    memcpy(of->before, of->layers, layer_count * sizeof of->before[0]);
    for (size_t i = 0; i < layer_count; i++) {
      if (i == index || (are_equals_too && class_of[i] == class_of[index])) {
        is_other = is_other || s != (int)of->layers[i].layer.shard;
        of->layers[i].layer.shard = (dsm_sharding)s;
      }
    }
    if (is_other && !take_if_better(of->problem, &of->decisions, of->plan, &is_taken)) {
      return false;
    }
    if (!is_taken) {
      memcpy(of->layers, of->before, layer_count * sizeof of->before[0]);
    }
    of->is_any = of->is_any || is_taken;
  }
  return true;
}

/* Each class of equal layers, or each layer, for as long as that helps and there is work left. */
static bool improve_all(improving *of, bool are_equals_too, size_t most_work) {
  const dsm_workload *const workload = of->problem->inputs.workload;
  const dsm__distinct *const distinct = &of->problem->table.distinct;
  dsm__deadline *const deadline = of->problem->inputs.deadline;
  do {
    of->is_any = false;
    for (size_t i = 0; i < workload->layer_count && !dsm__problem_is_over(of->problem) &&
                       atomic_load(&deadline->work) < most_work;
         i++) {
      const bool is_shared =
          workload->layers[i].weight_elements > 0 && !workload->layers[i].is_tied;
      const bool is_first = distinct->representative[distinct->class_of[i]] == i;
      if (is_shared && (is_first || !are_equals_too) && !improve_layer(of, i, are_equals_too)) {
        return false;
      }
    }
  } while (of->is_any);
  return true;
}

bool dsm__improve_shards(dsm__problem *problem, dsm_plan **plan) {
  enum { FEW_LAYERS = 16 };
  const size_t layer_count = problem->inputs.workload->layer_count;
  const size_t most_work =
      layer_count <= FEW_LAYERS ? SIZE_MAX : atomic_load(&problem->inputs.deadline->work) / 4 * 5;
  improving of = {.problem = problem, .plan = plan};
  if (!dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_SHARD)) {
    return true;
  }
  if (!dsm__decisions_of_plan(*plan, problem->arena, &of.decisions) ||
      !DSM__RESERVE(problem->arena, of.layers, layer_count) ||
      !DSM__RESERVE(problem->arena, of.before, layer_count)) {
    return false;
  }
  memcpy(of.layers, of.decisions.layers, layer_count * sizeof *of.layers);
  of.decisions.layers = of.layers;
  return improve_all(&of, true, most_work) && improve_all(&of, false, most_work);
}
