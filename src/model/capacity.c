/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capacity.c: what a mapping takes of a chip's memory (section 12). */
#include "dsm/model.h"

/*
 * Source: section 12. Symbols: weights w_el/nm*B, gradients w_el/nm*Bg, optimiser state w_el/nm
 * each; training: kept activations (st_el, 6H of an lstm)*T and the pair of live errors, inference:
 * the live tensors, all times mbc/nm*B with mbc = ceil(Nmb/nd); nm, nd of the forward pass, for
 * the errors of the backward pass. While a layer runs, all live tensors have its layout (a relayout
 * moves all of them). Limits: one chip: everything.
 */
dsm_layer_memory dsm_layer_memory_derive(const dsm_layer *layer, const dsm_machine *machine,
                                         const dsm_workload *workload, dsm_mode mode,
                                         const dsm_pass_layouts *layouts, double input_bytes) {
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, machine, layouts->of[DSM_PASS_FORWARD], workload->minibatch);
  const double samples = (double)share.chip.n[DSM_DIM_MB];
  const double model_ways = (double)share.model_ways;
  const double weights = (double)layer->weight_elements / model_ways;
  dsm_layer_memory memory = {.weights_bytes = weights * workload->element_bytes};
  if (mode == DSM_MODE_INFERENCE) {
    const size_t index = (size_t)(layer - workload->layers);
    const bool is_input_live =
        workload->input_last_use != DSM_NEVER_USED && index <= workload->input_last_use;
    memory.transient_bytes =
        (double)layer->live_elements * samples / model_ways * workload->element_bytes +
        (is_input_live ? input_bytes : 0);
    return memory;
  }
  const double kept = (double)(layer->stored_elements + layer->state_elements);
  memory.gradients_bytes = weights * workload->gradient_bytes;
  memory.optimizer_bytes = weights * workload->optimizer_bytes_per_weight;
  memory.activations_bytes =
      kept * (double)layer->timesteps * samples / model_ways * workload->element_bytes;
  const dsm_chip_share error_share =
      dsm_chip_share_derive(layer, machine, layouts->of[DSM_PASS_BACKWARD], workload->minibatch);
  memory.transient_bytes = (double)layer->error_pair_elements *
                           (double)error_share.chip.n[DSM_DIM_MB] / (double)error_share.model_ways *
                           workload->element_bytes;
  return memory;
}

/* Source: section 12 ("the network's input counts once, split by data"). */
double dsm_input_memory_bytes(const dsm_machine *machine, const dsm_workload *workload) {
  const uint64_t chips = machine->chip_count;
  const uint64_t samples = workload->minibatch / chips + (workload->minibatch % chips != 0);
  return (double)workload->input_elements * (double)workload->input_timesteps * (double)samples *
         workload->element_bytes;
}
