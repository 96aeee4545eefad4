/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overlapped.c: several searches of a network in which sums of gradients hide, each of which takes
 * some of them to show; and the same with fewer words.
 */
#include "search/overlapped.h"

#include <assert.h>
#include <math.h>

#include "base/diag_add.h"
#include "plan/named_roles.h"
#include "plan/tolerance.h"
#include "search/fused.h"
#include "search/improve.h"
#include "search/roles/role_search.h"

bool dsm__problem_is_overlapped(const dsm__problem *problem) {
  return problem->machine.system->model.overlapped_reduction &&
         problem->inputs.options->mode == DSM_MODE_TRAINING;
}

size_t dsm__shown_layers(const dsm__problem *problem) {
  return problem->inputs.workload->layers[0].has_backward ? 0 : 1;
}

size_t dsm__first_layers(const dsm__problem *problem) {
  return dsm__problem_is_overlapped(problem) ? dsm__shown_layers(problem) : DSM__ALL_LAYERS;
}

void dsm__problem_count_reductions(dsm__problem *problem, size_t layer_count) {
  problem->reductions = dsm__least_shares(problem, 0);
  problem->first_reductions = dsm__least_shares(problem, 1);
  problem->inputs.reductions = &problem->reductions;
  problem->inputs.first_reductions = &problem->first_reductions;
  problem->inputs.first_layers = layer_count;
}

void dsm__problem_count_least(dsm__problem *problem, size_t layer_count) {
  if (layer_count < DSM__ALL_LAYERS) {
    dsm__problem_count_reductions(problem, layer_count);
  } else {
    problem->reductions = dsm__least_shares(problem, 1);
    problem->inputs.reductions = dsm__problem_is_fused(problem) ? &problem->reductions : NULL;
    problem->inputs.first_layers = 0;
  }
}

bool dsm__problem_counts_all(const dsm__problem *problem) {
  const dsm__search_inputs *const inputs = &problem->inputs;
  return inputs->first_layers == 0 &&
         (inputs->reductions == NULL || inputs->reductions->weight > 0);
}

/* The step ends when the sums of the layers up to one are done, which begin when that one's last
 * micro-batch is updated: the layer for which most of them is left when all have computed. */
size_t dsm__critical_layers(const dsm_plan *plan) {
  double summed = 0;   /* of the layers up to one */
  double computed = 0; /* after that one is updated */
  double longest = 0;
  size_t critical = 1;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const backward = &layer->passes[DSM_PASS_BACKWARD];
    const dsm_pass_plan *const update = &layer->passes[DSM_PASS_UPDATE];
    const double visible = update->exists && layer->pipeline == DSM_NO_PIPELINE
                               ? update->group_cycles[DSM_GROUP_SUM_OF_GRADIENTS] +
                                     update->group_cycles[DSM_GROUP_BROADCAST_WEIGHTS]
                               : 0;
    summed += visible + (update->exists ? update->hidden_cycles : 0);
    computed += backward->exists ? backward->cycles.total : 0;
    if (summed - computed / (double)plan->micro_batches > longest) {
      longest = summed - computed / (double)plan->micro_batches;
      critical = i + 1;
    }
    computed += update->exists ? update->cycles.total - visible : 0;
  }
  return critical;
}

/* Of a network in which much more can be tried. */
enum { FEW_LAYERS = 16 };

/* Does the search of a network whose sums hide begin with all of them? With roles, stages or
 * micro-batches it does: where little fits the memory, mappings that are faster than a known step
 * are found much sooner than with no sums and no step. */
static bool begins_with_all(const dsm__problem *problem) {
  return dsm__problem_has_roles(problem);
}

/* The sums of how many first layers count after those of `layers`, with which a plan was made
 * (NULL: none that is faster). */
static size_t next_layers(const dsm__problem *problem, size_t layers, const dsm_plan *made,
                          int searches) {
  enum { SEARCHES_MAX = 6 };
  const size_t layer_count = problem->inputs.workload->layer_count;
  const bool is_small = layer_count <= FEW_LAYERS;
  if (layers == DSM__ALL_LAYERS) {
    return dsm__first_layers(problem);
  }
  if (made == NULL || made->stages.count > 1) {
    return DSM__ALL_LAYERS; /* in stages all count, or none */
  }
  const size_t next = is_small ? layers + 1 : dsm__critical_layers(made);
  const int most = is_small ? FEW_LAYERS : SEARCHES_MAX;
  return next > layers && next < layer_count && searches + 1 < most ? next : DSM__ALL_LAYERS;
}

/*
 * The plan, if it is faster than a limit, and what no mapping is faster than; the plan's own bound
 * is not set.
 *
 * Where sums of gradients hide behind computing, how much of them shows depends on all layers,
 * which no edge of a graph knows. First only those count that show in any mapping: that is a
 * bound. If more shows of the mapping found, those count that decide when its step ends, and so on,
 * of few layers one more each time, as others may decide in a better mapping. All of them count, as
 * if nothing could hide, at last, or before all others. The answer is the fastest of these
 * mappings, as it is predicted.
 */
static dsm_status find_plan(dsm__problem *problem, dsm__counted_finder *find, double limit_cycles,
                            bool is_without_all, dsm_plan **plan, double *bound_cycles,
                            dsm_diags *diags) {
  const bool is_all_first = begins_with_all(problem) && !is_without_all;
  /* What hides is at most as long as what it hides behind: half of what all takes if all shows. */
  static const double most_hidden = 0.5;
  size_t layers = is_all_first ? DSM__ALL_LAYERS : dsm__first_layers(problem);
  *bound_cycles = 0;
  for (int searches = 1;; searches++) {
    double bound = 0;
    dsm_plan *made = NULL;
    const double known = *plan == NULL ? limit_cycles : (*plan)->result.step_cycles;
    const dsm_status status = find(problem, layers, known, &made, &bound, diags);
    if (status != DSM_OK && (status != DSM_ERROR_INFEASIBLE || *plan == NULL)) {
      dsm_plan_free(made);
      dsm_plan_free(*plan);
      *plan = NULL;
      return status;
    }
    const size_t next = next_layers(problem, layers, made, searches);
    if (made != NULL) {
      dsm__keep_faster(plan, made);
    }
    assert(*plan != NULL);
    if (layers == dsm__first_layers(problem)) {
      const double own = searches == 1 ? bound : fmin(bound, known);
      *bound_cycles = fmax(*bound_cycles, own);
    } else if (is_all_first && layers == DSM__ALL_LAYERS) {
      *bound_cycles = fmin(most_hidden * bound, (*plan)->result.step_cycles);
    }
    if ((is_all_first || is_without_all ? next : layers) == DSM__ALL_LAYERS ||
        dsm__problem_is_over(problem) ||
        (*plan)->result.step_cycles <= dsm__tie_limit(*bound_cycles)) {
      return DSM_OK;
    }
    layers = next;
  }
}

/* The same mapping as one of what was asked for. False if out of memory. */
static bool take_found(const dsm__problem *problem, const dsm_plan *found, dsm_plan **plan) {
  dsm__decisions decisions;
  dsm_plan *made = NULL;
  if (!dsm__decisions_of_plan(found, problem->arena, &decisions) ||
      dsm__problem_predict(problem, &decisions, &made, NULL) != DSM_OK) {
    return false;
  }
  dsm__keep_faster(plan, made);
  return true;
}

/* How much of sums that may hide shows is known of a mapping alone: among fewer words another one
 * may be found, which is faster. Each is left out once, where the answer is not
 * proven; in a network of more layers for a fourth of the work of the search. Where
 * parallelisms or roles are named layers would have what is not asked for. */
static dsm_status find_with_fewer_words(dsm__problem *problem, dsm__counted_finder *find,
                                        double bound_cycles, dsm_plan **plan) {
  static const dsm_optimization words[] = {DSM_OPTIMIZATION_RECOMPUTE, DSM_OPTIMIZATION_SPATIAL,
                                           DSM_OPTIMIZATION_TENSOR,    DSM_OPTIMIZATION_PER_PASS,
                                           DSM_OPTIMIZATION_SHARD,     DSM_OPTIMIZATION_HYBRID};
  const bool is_small = problem->inputs.workload->layer_count <= FEW_LAYERS;
  const dsm__deadline *const deadline = problem->inputs.deadline;
  const size_t most_work = atomic_load(&deadline->work) / 4 * 5;
  const dsm_explore_options *const asked = problem->inputs.options;
  const bool is_free = asked->parallelisms == DSM_PARALLELISM_ALL && !dsm__has_named_roles(asked);
  dsm_status status = DSM_OK;
  for (size_t w = is_small ? 1 : 0; w < DSM__COUNT_OF(words) && status == DSM_OK && is_free &&
                                    (is_small || atomic_load(&deadline->work) < most_work);
       w++) {
    dsm_explore_options fewer = *asked;
    fewer.optimizations &= ~DSM_OPTIMIZATION_BIT(words[w]);
    const double known = (*plan)->result.step_cycles;
    dsm__problem other;
    dsm_plan *found = NULL;
    double bound;
    if (fewer.optimizations == asked->optimizations || dsm__tie_limit(bound_cycles) >= known ||
        dsm__problem_is_over(problem)) {
      continue;
    }
    status = dsm__problem_init_with(&other, problem->inputs.workload, problem->machine.system,
                                    &fewer, NULL, problem->inputs.deadline, NULL);
    if (status == DSM_OK) {
      status = find_plan(&other, find, known, true, &found, &bound, NULL);
      dsm__problem_fini(&other);
    }
    /* What is asked for may need the word, as a kind of recomputation does. */
    status = status == DSM_ERROR_INFEASIBLE || status == DSM_ERROR_USAGE ? DSM_OK : status;
    if (found != NULL && !take_found(problem, found, plan)) {
      status = DSM_ERROR_OUT_OF_MEMORY;
    }
    dsm_plan_free(found);
  }
  return status;
}

dsm_status dsm__overlapped_search(dsm__problem *problem, dsm__counted_finder *find,
                                  double limit_cycles, dsm_plan **plan, double *bound_cycles,
                                  dsm_diags *diags) {
  dsm_status status = find_plan(problem, find, limit_cycles, false, plan, bound_cycles, diags);
  if (status == DSM_OK) {
    status = find_with_fewer_words(problem, find, *bound_cycles, plan);
  }
  if (status == DSM_OK && dsm__tie_limit(*bound_cycles) < (*plan)->result.step_cycles &&
      !dsm__improve_shards(problem, plan)) {
    status = dsm__out_of_memory(diags);
  }
  return status;
}
