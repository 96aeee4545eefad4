/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_search.c: numbers of micro-batches, stages, and what is kept of weights: around the search
 * of roles (role_search.h). */
#include "search/roles/step_search.h"

#include <math.h>

#include "plan/step_stages.h"
#include "plan/tolerance.h"
#include "search/roles/role_search.h"
#include "search/stages/stage_search.h"

/* What a mapping needs of a chip's memory. Negative if out of memory. */
static dsm__memory_need need_of(const dsm__problem *problem, const dsm_workload *workload,
                                const dsm__decisions *decisions) {
  dsm_layer_memory *memory = NULL;
  if (!DSM__RESERVE(problem->arena, memory, workload->layer_count)) {
    return (dsm__memory_need){.total_bytes = -1};
  }
  const dsm_mode mode = problem->inputs.options->mode;
  dsm__stage part;
  const dsm_machine *const machine =
      dsm__stage_machine(&problem->machine, &decisions->stages, &part);
  dsm__mapping_memory_derive(workload, machine, mode, decisions, memory);
  const dsm_workload micro = dsm__micro_workload(workload, dsm__micro_batches(decisions));
  const double input_bytes = dsm__kept_input_bytes(&micro, machine, &decisions->stages);
  return dsm__memory_need_of(&micro, machine, mode, input_bytes, memory);
}

/* What no mapping is faster than that an answer stands for. */
static double bound_of(const dsm__problem *problem, const dsm__graph_answer *answer) {
  const bool is_any_left = answer->is_feasible || problem->is_need_rounded;
  return is_any_left ? answer->lower_bound_cycles : HUGE_VAL;
}

/* A search of roles for so many micro-batches. False if out of memory. */
static bool search_roles(dsm__problem *problem, uint64_t micro_batches, double limit_cycles,
                         dsm__graph_answer *answer, dsm__decisions *decisions) {
  const dsm_workload *const whole = problem->inputs.workload;
  const double capacity_bytes = problem->capacity_bytes;
  const dsm_workload micro = dsm__micro_workload(whole, micro_batches);
  problem->inputs.workload = &micro;
  problem->inputs.micro_batches = micro_batches;
  if (problem->inputs.options->mode == DSM_MODE_TRAINING) {
    problem->capacity_bytes += dsm_input_memory_bytes(&problem->machine, whole) -
                               dsm_input_memory_bytes(&problem->machine, &micro);
  }
  const bool is_asked = dsm__is_any_recomputation_asked(problem);
  bool is_done = dsm__role_search(problem, is_asked, limit_cycles, answer, decisions);
  /* Where the fastest of all fits, nothing that is made anew makes a step faster. */
  const bool is_limited = !answer->is_feasible || answer->smallest_need_bytes > 0;
  if (is_done && is_limited && dsm__recomputation_is_open(problem)) {
    const double limit = answer->is_feasible ? fmin(limit_cycles, answer->cycles) : limit_cycles;
    dsm__graph_answer other;
    dsm__decisions found;
    is_done = dsm__role_search(problem, true, limit, &other, &found);
    if (is_done && !other.is_feasible && !answer->is_feasible) {
      answer->smallest_need_bytes = fmin(answer->smallest_need_bytes, other.smallest_need_bytes);
    }
    if (is_done && (other.is_feasible || problem->is_need_rounded)) {
      const double bound = fmin(answer->is_feasible ? answer->lower_bound_cycles : HUGE_VAL,
                                other.lower_bound_cycles);
      if (other.is_feasible &&
          (!answer->is_feasible || dsm__tie_limit(other.cycles) < answer->cycles)) {
        *answer = other;
        *decisions = found;
      }
      answer->lower_bound_cycles = bound;
    }
  }
  if (is_done && !answer->is_feasible) {
    const double beside =
        problem->machine.system->chip.memory.capacity_GB * 1e9 - problem->capacity_bytes;
    const double need = answer->smallest_need_bytes + beside;
    problem->role_need_bytes =
        problem->role_need_bytes > 0 ? fmin(problem->role_need_bytes, need) : need;
  }
  problem->inputs.workload = whole;
  problem->inputs.micro_batches = 0;
  problem->capacity_bytes = capacity_bytes;
  return is_done;
}

/* Shards out no more than the memory asks for: of what takes the same time, the least. The search
 * has looked at what leaves most. */
static bool spare_shards(dsm__problem *problem, dsm__decisions *decisions) {
  const dsm_workload *const workload = problem->inputs.workload;
  const dsm_sharding free_of_time =
      dsm__micro_batches(decisions) > 1 ? DSM_SHARDING_OPTIMIZER : DSM_SHARDING_GRADIENTS;
  dsm__layer_decision *layers = NULL;
  if (!DSM__RESERVE(problem->arena, layers, workload->layer_count)) {
    return false;
  }
  const dsm_sharding least =
      problem->machine.system->model.sharded_update ? DSM_SHARDING_NONE : DSM_SHARDING_OPTIMIZER;
  for (int most = (int)least; most < (int)free_of_time; most++) {
    for (size_t i = 0; i < workload->layer_count; i++) {
      layers[i] = decisions->layers[i];
      if (layers[i].layer.shard <= free_of_time && (int)layers[i].layer.shard > most) {
        layers[i].layer.shard = (dsm_sharding)most;
      }
    }
    dsm__decisions spared = *decisions;
    spared.layers = layers;
    const dsm__memory_need need = need_of(problem, workload, &spared);
    if (need.total_bytes < 0) {
      return false;
    }
    if (need.total_bytes <= dsm__capacity_limit(need.capacity_bytes)) {
      *decisions = spared;
      return true;
    }
  }
  return true;
}

/* The fastest of other numbers of micro-batches than the first too, the first of equals, and what
 * no mapping with any of them is faster than. Not feasible: the answer of the first. False if out
 * of memory. */
static bool search_micro_batches(dsm__problem *problem, double limit_cycles,
                                 dsm__graph_answer *best, dsm__decisions *decisions) {
  const uint64_t minibatch = problem->inputs.workload->minibatch;
  const bool is_cut = dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_ACCUMULATE) &&
                      problem->inputs.options->micro_batches == 0;
  for (uint64_t n = 2; is_cut && n <= minibatch; n++) {
    dsm__graph_answer answer;
    dsm__decisions found;
    if (minibatch % n != 0) {
      continue;
    }
    if (dsm__problem_is_over(problem)) {
      best->lower_bound_cycles = 0; /* nothing is known of the others */
      return true;
    }
    const double limit = best->is_feasible ? fmin(limit_cycles, best->cycles) : limit_cycles;
    if (!search_roles(problem, n, limit, &answer, &found)) {
      return false;
    }
    const double bound = fmin(bound_of(problem, best), bound_of(problem, &answer));
    if (answer.is_feasible &&
        (!best->is_feasible || dsm__tie_limit(answer.cycles) < best->cycles)) {
      *best = answer;
      *decisions = found;
    }
    best->lower_bound_cycles =
        best->is_feasible || problem->is_need_rounded ? bound : best->lower_bound_cycles;
  }
  return true;
}

/* The fastest of all numbers of micro-batches and stages. What has stages comes between the first
 * number and the others: where memory is short it fits most easily, and what is known to fit makes
 * the others' graphs small. */
bool dsm__step_search(dsm__problem *problem, double limit_cycles, dsm__graph_answer *best,
                      dsm__decisions *decisions) {
  const dsm_explore_options *const options = problem->inputs.options;
  const uint64_t first = options->micro_batches > 0 ? options->micro_batches : 1;
  const bool has_stages =
      dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_STAGES) && options->stages != 1;
  const bool has_others = options->stages <= 1;
  double stages_bound = HUGE_VAL;
  *best = (dsm__graph_answer){.cycles = HUGE_VAL, .lower_bound_cycles = HUGE_VAL};
  const bool is_done =
      (!has_others || search_roles(problem, first, limit_cycles, best, decisions)) &&
      (!has_stages || dsm__stage_search(problem, limit_cycles, best, decisions, &stages_bound)) &&
      (!has_others || search_micro_batches(problem, limit_cycles, best, decisions));
  /* Where it is proven that nothing fits, nothing is left that a bound could be of. */
  const double bound =
      dsm__problem_is_over(problem) ? best->lower_bound_cycles : bound_of(problem, best);
  best->lower_bound_cycles = fmin(bound, stages_bound);
  return is_done && (!best->is_feasible || spare_shards(problem, decisions));
}
