/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/overlapped.h"

#include "search/fused.h"

bool dsm__problem_is_overlapped(const dsm__problem *problem) {
  return problem->machine.system->model.overlapped_reduction &&
         problem->inputs.options->mode == DSM_MODE_TRAINING;
}

size_t dsm__shown_layers(const dsm__problem *problem) {
  return problem->inputs.workload->layers[0].has_backward ? 0 : 1;
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
