/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * improve.c: a plan whose time no graph knows, made faster layer by layer.
 *
 * Where sums of gradients hide behind computing a graph takes them to show, or not (overlapped.h).
 * So it shares out weights where their way back then seems to take no time, or does not where it
 * seems to; and where memory is short it has to share out more, which may be faster in truth. What
 * a layer shares out changes nothing of how its neighbours run, so that it is tried by itself.
 */
#include "search/improve.h"

#include <string.h>

#include "plan/tolerance.h"

/* Takes the plan of decisions if it is faster, legal, and fits. */
static bool take_if_better(dsm__problem *problem, const dsm__decisions *decisions, dsm_plan **plan,
                           bool *is_taken) {
  dsm_plan *made = NULL;
  *is_taken = false;
  if (dsm__plan_make(&made, problem->inputs.workload, problem->machine.system,
                     problem->inputs.options, decisions, NULL) != DSM_OK) {
    return false;
  }
  *is_taken = dsm__tie_limit(made->result.step_cycles) < (*plan)->result.step_cycles &&
              made->result.memory.total_bytes <= problem->capacity_bytes &&
              dsm_plan_validate(made, NULL) == DSM_OK;
  dsm_plan_free(*is_taken ? *plan : made);
  *plan = *is_taken ? made : *plan;
  return true;
}

/* Of one layer, each other sharing. */
static bool improve_layer(dsm__problem *problem, dsm_layer_decisions *layer,
                          const dsm__decisions *decisions, dsm_plan **plan, bool *is_any) {
  for (int s = 0; s < DSM_SHARDING_COUNT; s++) {
    const dsm_layer_decisions before = *layer;
    bool is_taken = false;
    if (s == (int)before.shard) {
      continue;
    }
    layer->shard = (dsm_sharding)s;
    if (!take_if_better(problem, decisions, plan, &is_taken)) {
      return false;
    }
    *layer = is_taken ? *layer : before;
    *is_any = *is_any || is_taken;
  }
  return true;
}

bool dsm__improve_shards(dsm__problem *problem, dsm_plan **plan) {
  const dsm_workload *const workload = problem->inputs.workload;
  dsm__decisions decisions;
  dsm__layer_decision *layers = NULL;
  bool is_any = dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_SHARD);
  if (is_any && (!dsm__decisions_of_plan(*plan, problem->arena, &decisions) ||
                 !DSM__RESERVE(problem->arena, layers, workload->layer_count))) {
    return false;
  }
  if (is_any) {
    memcpy(layers, decisions.layers, workload->layer_count * sizeof *layers);
    decisions.layers = layers;
  }
  while (is_any) {
    is_any = false;
    for (size_t i = 0; i < workload->layer_count && !dsm__problem_is_over(problem); i++) {
      const bool is_shared =
          workload->layers[i].weight_elements > 0 && !workload->layers[i].is_tied;
      if (is_shared && !improve_layer(problem, &layers[i].layer, &decisions, plan, &is_any)) {
        return false;
      }
    }
  }
  return true;
}
