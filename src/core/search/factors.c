/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * factors.c: powers of two, as far as some layer can use them (section 8). What a layer may use
 * does not depend on other layers, unless the system has one factor for all convolutions
 * (model.dysm_uniform): then the search is done once for each factor, and the best answer counts.
 */
#include "search/layer_table.h"

static bool may_hoist(const dsm_workload *workload, const dsm_explore_options *options) {
  bool is_any = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any = is_any || workload->layers[i].hoisted != NULL;
  }
  return is_any && dsm__may_choose(options, DSM__CHOICE_HOISTED);
}

dsm__factors dsm__factors_derive(const dsm_workload *workload, const dsm_machine *machine,
                                 const dsm_explore_options *options) {
  dsm__factors factors = {.count = 1, .may_hoist = may_hoist(workload, options)};
  if (!dsm__may_choose(options, DSM__CHOICE_FACTOR)) {
    return factors;
  }
  factors.is_uniform = machine->system->model.dysm_uniform;
  for (size_t i = 0; i < workload->layer_count; i++) {
    while (factors.count < DSM__FACTORS_MAX &&
           dsm_dysm_factor_is_valid(&workload->layers[i], machine, workload->minibatch,
                                    dsm__factor_of(factors.count))) {
      factors.count++;
    }
  }
  return factors;
}

bool dsm__factor_is_allowed(const dsm__factors *factors, const dsm_layer *layer, unsigned index) {
  if (layer->timesteps != 1 && index > 0) {
    return index == DSM__RUN_HOISTED && factors->may_hoist && layer->hoisted != NULL;
  }
  if (index >= factors->count) {
    return false;
  }
  if (!factors->is_uniform) {
    return true;
  }
  return index == (layer->is_convolution ? factors->conv_index : 0);
}
