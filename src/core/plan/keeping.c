/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/keeping.h"

#include <math.h>

#include "model/chip_link.h"

double dsm__shard_ways(const dsm_layer *layer, const dsm_machine *machine,
                       const dsm_pass_layouts *layouts) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set summed = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set alike = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_FORWARD]);
  return dsm__chips_of(network, summed & alike);
}

/*
 * Source: section 12; S: ZeRO (S. Rajbhandari et al., 2020), whose three stages these are. Symbols:
 * W = dsm__shard_ways. optimizer: state / W, which model.sharded_update has shared out already;
 * gradients: / W; weights: / W, and all of them while the layer runs. Made anew: what is kept but
 * the output, and of a layer within its segment, or whose segment goes on, that too. Limits: W = 1:
 * as it was.
 */
void dsm__keep_less(dsm_layer_memory *memory, const dsm_layer *layer, const dsm_machine *machine,
                    const dsm_pass_layouts *layouts, const dsm_layer_decisions *decisions,
                    bool is_last) {
  const double shard_ways = dsm__shard_ways(layer, machine, layouts);
  if (decisions->shard >= DSM_SHARDING_OPTIMIZER && !machine->system->model.sharded_update) {
    memory->optimizer_bytes /= shard_ways;
  }
  if (decisions->shard >= DSM_SHARDING_GRADIENTS) {
    memory->gradients_bytes /= shard_ways;
  }
  if (decisions->shard >= DSM_SHARDING_WEIGHTS) {
    const double own = memory->weights_bytes / shard_ways;
    memory->transient_bytes += memory->weights_bytes - own;
    memory->weights_bytes = own;
  }
  if (decisions->is_recomputed) {
    memory->is_output_recomputed = decisions->is_output_recomputed;
    const double kept = is_last && !memory->is_output_recomputed ? memory->output_bytes : 0;
    memory->recomputed_bytes = memory->activations_bytes - kept;
    memory->activations_bytes = kept;
  }
}

dsm_pass dsm__recomputing_pass(const dsm_layer *layer) {
  if (layer->has_backward) {
    return DSM_PASS_BACKWARD;
  }
  return layer->has_update ? DSM_PASS_UPDATE : DSM_PASS_COUNT;
}

/*
 * Source: section 12. Symbols: an all-gather of the weights over the W chips, as their way back
 * after an update has it, in each micro-batch. Limits: W = 1: none;
 * update needs no weights.
 */
dsm_traffic dsm__gathered_weights(const dsm__layer_setting *setting,
                                  const dsm_pass_layouts *layouts, dsm_pass pass) {
  dsm_traffic gathered = {.latency_cycles = 0};
  if (setting->shard < DSM_SHARDING_WEIGHTS || pass == DSM_PASS_UPDATE ||
      setting->layer->weight_elements == 0 || setting->layer->is_tied ||
      dsm__shard_ways(setting->layer, setting->machine, layouts) <= 1) {
    return gathered;
  }
  const double times = (double)dsm__micro_batches_of(setting);
  gathered = dsm__weights_gathering(setting->layer, setting->machine, setting->precision, layouts);
  gathered.latency_cycles *= times;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    gathered.bytes[l] *= times;
  }
  return gathered;
}

/*
 * Source: section 12. Symbols: max(0, gather - pass). Limits: nothing to be gathered: 0. The layer
 * stands for the one before it, behind which its weights come (A).
 */
double dsm__gathering_cycles(const dsm__layer_setting *setting, const dsm_pass_layouts *layouts,
                             dsm_pass pass, double pass_cycles) {
  const dsm_traffic gathered = dsm__gathered_weights(setting, layouts, pass);
  return fmax(0, dsm_group_cycles(setting->machine, &gathered) - pass_cycles);
}
